//! `ci`: what must be green before a change goes in, cheapest first.

use std::process::ExitCode;

use anyhow::Result;

use crate::command_line::CommandLine;
use crate::commands::no_arguments;
use crate::workspace::Workspace;
use crate::{eval, suite, tidy};

/// Help of `ci`.
pub(crate) const HELP: &str = "\
Runs `cargo fmt --check`, tidy, clippy with warnings denied, then every test (`cargo xtask test`), and stops at the
first that fails. cargo-deny and typos run as well where they are installed. `.ci/run` does the same on a bare machine.

Options:
  --eval   then judge the bundled cases with few inputs, and want every outcome to be as expected
           (`cargo xtask eval --thin`)

Examples:
  cargo xtask ci
  cargo xtask ci --eval
";

/// Checks by programs that not everybody has: a name, how to see whether it is there, what to run.
const OPTIONAL: &[(&str, &[&str], &[&str])] = &[
    ("cargo-deny", &["deny", "--version"], &["deny", "check", "bans", "licenses", "sources"]),
    ("cargo-shear", &["shear", "--version"], &["shear"]),
];

/// Runs `ci`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let with_eval = arguments == ["--eval"];
    if !with_eval {
        no_arguments("ci", arguments)?;
    }
    cargo(workspace, &["fmt", "--all", "--check"]).run()?;
    tidy::check_or_fail(&workspace.root)?;
    optional_checks(workspace)?;
    cargo(workspace, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run()?;
    let tests = suite::run(workspace, &[])?;
    if with_eval && tests == ExitCode::SUCCESS {
        return eval::run(workspace, &["--thin".to_owned()]);
    }
    Ok(tests)
}

fn optional_checks(workspace: &Workspace) -> Result<()> {
    for (name, probe, check) in OPTIONAL {
        if cargo(workspace, probe).succeeds() {
            cargo(workspace, check).run()?;
        } else {
            eprintln!("{name} is not installed: skipped");
        }
    }
    let typos = CommandLine::new("typos").folder(&workspace.root);
    if typos.clone().args(["--version"]).succeeds() {
        typos.run()?;
    } else {
        eprintln!("typos is not installed: skipped");
    }
    Ok(())
}

fn cargo(workspace: &Workspace, arguments: &[&str]) -> CommandLine {
    CommandLine::cargo().args(arguments.iter().copied()).folder(&workspace.root)
}
