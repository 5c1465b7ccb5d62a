//! `codegen`: writes generated files anew. The tests that compare them also know how to write them.

use std::process::ExitCode;

use anyhow::Result;

use crate::command_line::CommandLine;
use crate::commands::no_arguments;
use crate::workspace::Workspace;

/// Help of `codegen`.
pub(crate) const HELP: &str = "\
Writes the JSON schemas (`case.toml`, `bonafix.toml`, the report) from the Rust types they describe. The tests of
bonafix-report fail while the files and the types differ.

Examples:
  cargo xtask codegen && git diff
  cargo xtask schema    # the same
";

/// Runs `codegen`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    no_arguments("codegen", arguments)?;
    let tests = CommandLine::cargo().args(["test", "--quiet", "--package", "bonafix-report"]);
    tests.env("UPDATE_SCHEMAS", "1").folder(&workspace.root).run()?;
    Ok(ExitCode::SUCCESS)
}
