//! Java: build tools, compiler, class files, tests, delta.

mod class_index;
pub mod delta;
pub mod layout;
mod shape;
pub mod toolchain;
