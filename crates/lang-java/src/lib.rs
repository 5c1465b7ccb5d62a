//! Java: build tools, compiler, class files, tests, delta.
