//! `ci`: what must be green before a change goes in, cheapest first.

use std::process::ExitCode;

use anyhow::Result;

use crate::command_line::CommandLine;
use crate::commands::no_arguments;
use crate::workspace::Workspace;
use crate::{eval, suite, tidy};

/// Help of `ci`.
pub(crate) const HELP: &str = "\
Runs `cargo fmt --check`, tidy, clippy with warnings denied, every test (`cargo xtask test`), then judges the bundled
cases with few inputs (`cargo xtask eval --thin`), and stops at the first that fails. cargo-deny and typos run as well
where they are installed. `.ci/run` does the same on a bare machine.

Examples:
  cargo xtask ci
";

/// Checks by programs that not everybody has: a name, how to see whether it is there, what to run.
const OPTIONAL: &[(&str, &[&str], &[&str])] = &[
    ("cargo-deny", &["deny", "--version"], &["deny", "check", "bans", "licenses", "sources"]),
    ("cargo-shear", &["shear", "--version"], &["shear"]),
];

/// Runs `ci`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    no_arguments("ci", arguments)?;
    cargo(workspace, &["fmt", "--all", "--check"]).run()?;
    tidy::check_or_fail(&workspace.root)?;
    optional_checks(workspace)?;
    cargo(workspace, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run()?;
    let tests = suite::run(workspace, &[])?;
    if tests != ExitCode::SUCCESS {
        return Ok(tests);
    }
    // The tests have built this one; a release would take longer to build than it saves.
    let bonafix = workspace.target.join("debug").join("bonafix");
    eval::run(workspace, &["--thin", "--parallel", "2", "--binary", bonafix.as_str()].map(ToOwned::to_owned))
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
