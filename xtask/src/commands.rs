//! The commands by name, with their help: the one list from which parsing, help and suggestions come.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::workspace::Workspace;
use crate::{bench, ci, codegen, demo, eval, install, suite, tidy};

/// What a command does with the arguments after its name.
type Action = fn(&Workspace, &[String]) -> Result<ExitCode>;

/// One command.
struct Chore {
    name: &'static str,
    /// For the list of all commands.
    summary: &'static str,
    /// What `cargo xtask help NAME` adds to the summary.
    help: &'static str,
    action: Action,
}

const CHORES: &[Chore] = &[
    Chore {
        name: "demo",
        summary: "Install what is missing, build in release, judge the bundled cases, print a table",
        help: demo::HELP,
        action: demo::run,
    },
    Chore {
        name: "test",
        summary: "Install what is missing and run every test",
        help: suite::HELP,
        action: suite::run,
    },
    Chore {
        name: "ci",
        summary: "Formatting, clippy, tidy, every test: what must be green before a change goes in",
        help: ci::HELP,
        action: ci::run,
    },
    Chore {
        name: "tidy",
        summary: "Check that documents, layers and sources keep the rules of the house",
        help: tidy::HELP,
        action: tidy::run,
    },
    Chore {
        name: "bench",
        summary: "Measure, and hold the figures against their goals",
        help: bench::HELP,
        action: bench::run,
    },
    Chore {
        name: "eval",
        summary: "Judge labelled cases, and say how many patches were found out and how many falsely accused",
        help: eval::HELP,
        action: eval::run,
    },
    Chore {
        name: "codegen",
        summary: "Write generated files anew (JSON schemas)",
        help: codegen::HELP,
        action: codegen::run,
    },
    Chore {
        name: "setup",
        summary: "Install what is missing, and nothing else",
        help: install::HELP,
        action: install::run,
    },
];

/// Other names that people try.
const ALIASES: &[(&str, &str)] = &[("schema", "codegen"), ("install", "setup")];

const OVERVIEW_HEAD: &str = "\
Chores of bonafix.

Usage: cargo xtask <command> [arguments]

Commands:
";

const OVERVIEW_EXAMPLES: &str = "
Examples:
  cargo xtask demo        # see it work
  cargo xtask test        # run every test
  cargo xtask help demo   # more about one command
";

/// Runs the command that `arguments` name.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", overview());
        return Ok(ExitCode::FAILURE);
    };
    if is_help(name) {
        print!("{}", help(rest.first().map(String::as_str))?);
        return Ok(ExitCode::SUCCESS);
    }
    let chore = find(name)?;
    if rest.iter().take_while(|argument| *argument != "--").any(|argument| is_help(argument)) {
        print!("{}", page(chore));
        return Ok(ExitCode::SUCCESS);
    }
    (chore.action)(&Workspace::find()?, rest)
}

/// Refuses arguments where a command takes none.
pub(crate) fn no_arguments(command: &str, arguments: &[String]) -> Result<()> {
    if let Some(first) = arguments.first() {
        bail!("`cargo xtask {command}` takes no argument, and was given `{first}`");
    }
    Ok(())
}

fn is_help(argument: &str) -> bool {
    matches!(argument, "help" | "-h" | "--help")
}

fn help(name: Option<&str>) -> Result<String> {
    name.map_or_else(|| Ok(overview()), |name| find(name).map(page))
}

fn find(name: &str) -> Result<&'static Chore> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, real)| real);
    if let Some(chore) = CHORES.iter().find(|chore| chore.name == name) {
        return Ok(chore);
    }
    match nearest(name) {
        Some(known) => {
            bail!("unknown command `{name}`; did you mean `{known}`? `cargo xtask help` lists all")
        }
        None => bail!("unknown command `{name}`; `cargo xtask help` lists all"),
    }
}

fn nearest(name: &str) -> Option<&'static str> {
    let names = CHORES.iter().map(|chore| chore.name).chain(ALIASES.iter().map(|(alias, _)| *alias));
    names
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .filter(|(distance, known)| *distance <= known.len() / 2)
        .min()
        .map(|(_, known)| known)
}

fn overview() -> String {
    let list: Vec<String> =
        CHORES.iter().map(|chore| format!("  {:<8} {}", chore.name, chore.summary)).collect();
    format!("{OVERVIEW_HEAD}{}\n{OVERVIEW_EXAMPLES}", list.join("\n"))
}

fn page(chore: &Chore) -> String {
    format!("{}\n\n{}\n", chore.summary, chore.help.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_refused_with_the_nearest_name() {
        let error = run(&["tets".to_owned()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown command `tets`; did you mean `test`? `cargo xtask help` lists all"
        );
    }

    #[test]
    fn a_word_like_no_command_gets_no_suggestion() {
        let error = run(&["frobnicate-everything".to_owned()]).unwrap_err();
        assert!(!error.to_string().contains("did you mean"), "{error}");
    }

    #[test]
    fn every_command_explains_itself_with_an_example() {
        for chore in CHORES {
            let page = page(chore);
            assert!(page.contains("Examples:\n  cargo xtask "), "{page}");
            assert!(page.contains(&format!("cargo xtask {}", chore.name)), "{page}");
        }
    }

    #[test]
    fn aliases_lead_to_commands() {
        for (alias, name) in ALIASES {
            assert_eq!(find(alias).unwrap().name, *name);
        }
    }

    #[test]
    fn help_after_a_double_dash_belongs_to_someone_else() {
        let error = run(&["tidy".to_owned(), "--".to_owned(), "--help".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("takes no argument"), "{error}");
    }
}
