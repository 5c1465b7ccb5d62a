//! Chores of the project: `cargo xtask <command>`.
//!
//! Needs nothing but cargo to start with; what else a command needs it installs, after saying so. Nothing here is
//! part of the product: no crate depends on this one, and this one reads the product only from outside, through its
//! command line and its files.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore runner talks to the person who started it"
)]

mod bench;
mod cases;
mod ci;
mod codegen;
mod command_line;
mod commands;
mod demo;
mod eval;
mod install;
mod prefetch;
mod suite;
mod table;
mod tidy;
mod tools;
mod workspace;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match commands::run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
