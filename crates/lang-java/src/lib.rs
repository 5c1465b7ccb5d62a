//! Java: build tools, compiler, class files, tests, delta.

pub mod delta;
pub mod layout;
pub mod toolchain;
