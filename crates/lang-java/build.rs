//! The Java programs are part of this crate, though they lie elsewhere.

fn main() {
    println!("cargo::rerun-if-changed=../../runtime/java");
    println!("cargo::rerun-if-changed=build.rs");
}
