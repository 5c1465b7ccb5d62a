//! `test`: every test of the workspace, on a machine that may have nothing but Rust.

use std::process::ExitCode;

use anyhow::Result;

use crate::command_line::CommandLine;
use crate::workspace::Workspace;
use crate::{install, prefetch};

/// Help of `test`.
pub(crate) const HELP: &str = "\
Installs what is missing, fetches what the tests need from the Maven registry (once), then runs every test of the
workspace, documentation tests included: with cargo-nextest where it is installed, with `cargo test` otherwise.
Arguments are handed on to the test runner.

Examples:
  cargo xtask test
  cargo xtask test -p xtask
  cargo xtask test -- leap_year
";

/// Runs `test`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    install::ensure_tools()?;
    prefetch::ensure(workspace)?;
    let nextest = CommandLine::cargo().args(["nextest", "--version"]).succeeds();
    for line in test_commands(nextest, arguments) {
        line.folder(&workspace.root).run()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The commands that together run every test.
fn test_commands(nextest: bool, arguments: &[String]) -> Vec<CommandLine> {
    let scope: &[&str] = if names_package(arguments) { &[] } else { &["--workspace"] };
    let cargo = |words: &[&str]| {
        let line = CommandLine::cargo().args(words.iter().copied()).args(scope.iter().copied());
        line.args(arguments.iter().cloned())
    };
    if nextest {
        // nextest leaves documentation tests to cargo.
        vec![cargo(&["nextest", "run", "--no-fail-fast"]), cargo(&["test", "--doc"])]
    } else {
        vec![cargo(&["test", "--no-fail-fast"])]
    }
}

fn names_package(arguments: &[String]) -> bool {
    let ours = arguments.iter().take_while(|argument| *argument != "--");
    ours.into_iter().any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(nextest: bool, arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        test_commands(nextest, &arguments).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn without_nextest_cargo_runs_every_test_of_the_workspace() {
        assert_eq!(words(false, &[]), ["cargo test --no-fail-fast --workspace"]);
    }

    #[test]
    fn with_nextest_documentation_tests_still_run() {
        assert_eq!(
            words(true, &[]),
            ["cargo nextest run --no-fail-fast --workspace", "cargo test --doc --workspace"]
        );
    }

    #[test]
    fn a_named_package_replaces_the_workspace() {
        assert_eq!(words(false, &["-p", "xtask"]), ["cargo test --no-fail-fast -p xtask"]);
        assert_eq!(words(false, &["--", "-p"]), ["cargo test --no-fail-fast --workspace -- -p"]);
    }
}
