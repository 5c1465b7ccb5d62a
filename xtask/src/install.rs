//! Installs the tools that are missing, after saying which and how.
//!
//! Looking comes first: with everything in place no package manager is started at all.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::command_line::{CommandLine, on_path};
use crate::commands::no_arguments;
use crate::tools::{Presence, TOOLS, Tool};
use crate::workspace::Workspace;

/// Help of `setup`.
pub(crate) const HELP: &str = "\
Looks for the programs that the project needs beside Rust, says which are missing, and installs them with apt-get
(as root, or with sudo). Where there is no apt-get it names them and stops. `demo`, `test` and `bench` do this first.

Examples:
  cargo xtask setup           # install what is missing
  cargo xtask setup --check   # only say what is missing; exit 1 if anything is
";

/// What can be used to install packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rights {
    apt: bool,
    root: bool,
    sudo: bool,
}

impl Rights {
    fn of_this_machine() -> Self {
        let root = CommandLine::new("id").args(["-u"]).capture().is_ok_and(|id| id.stdout.trim() == "0");
        Self { apt: on_path("apt-get").is_some(), root, sudo: on_path("sudo").is_some() }
    }

    /// `apt-get` with these arguments, by whoever may run it.
    fn apt_get(self, arguments: &[&str]) -> CommandLine {
        let quiet = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q"];
        let line = if self.root {
            CommandLine::new("env").args(quiet)
        } else {
            CommandLine::new("sudo").args(["env"]).args(quiet)
        };
        line.args(arguments.iter().copied())
    }
}

/// A tool that is not there, or not fit.
#[derive(Debug)]
struct Gap {
    tool: &'static Tool,
    presence: Presence,
}

/// Runs `setup`.
pub(crate) fn run(_: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    if arguments == ["--check"] {
        return Ok(report(&gaps()));
    }
    no_arguments("setup", arguments)?;
    ensure_tools()?;
    Ok(report(&gaps()))
}

/// Installs what is missing; returns at once when nothing is.
pub(crate) fn ensure_tools() -> Result<()> {
    let missing = gaps();
    if missing.is_empty() {
        return Ok(());
    }
    eprint!("{}", wish_list(&missing));
    let rights = Rights::of_this_machine();
    if let Some(obstacle) = obstacle(rights) {
        bail!("{obstacle}");
    }
    install(&missing, rights)?;
    match gaps().as_slice() {
        [] => Ok(()),
        left => bail!("still not usable after installation:\n{}", wish_list(left).trim_end()),
    }
}

fn gaps() -> Vec<Gap> {
    let looked = TOOLS.iter().map(|tool| Gap { tool, presence: tool.presence() });
    looked.filter(|gap| gap.presence != Presence::Found).collect()
}

fn report(gaps: &[Gap]) -> ExitCode {
    if gaps.is_empty() {
        println!("nothing is missing");
        return ExitCode::SUCCESS;
    }
    print!("{}", wish_list(gaps));
    ExitCode::FAILURE
}

/// What is needed, for people: shown before anything is installed.
fn wish_list(gaps: &[Gap]) -> String {
    let lines: Vec<String> = gaps.iter().map(wish).collect();
    format!("needed, and not there:\n{}\n", lines.join("\n"))
}

fn wish(Gap { tool, presence }: &Gap) -> String {
    let why = match presence {
        Presence::Unfit(why) => format!("; {why}"),
        Presence::Found | Presence::Missing => String::new(),
    };
    format!("  {}: {} (package {}){why}", tool.name, tool.purpose, tool.packages.join(" or "))
}

/// Why nothing can be installed from here.
fn obstacle(rights: Rights) -> Option<&'static str> {
    if !rights.apt {
        Some("this machine has no apt-get: install the programs named above by its own means, then try again")
    } else if !rights.root && !rights.sudo {
        Some("neither root nor sudo: have the packages named above installed, then try again")
    } else {
        None
    }
}

fn install(gaps: &[Gap], rights: Rights) -> Result<()> {
    rights.apt_get(&["update"]).run()?;
    let mut packages = Vec::new();
    for gap in gaps {
        packages.push(choose(gap.tool, is_known)?);
    }
    eprintln!("installing {}", packages.join(", "));
    rights.apt_get(&[&["install", "--no-install-recommends"], packages.as_slice()].concat()).run()
}

/// The first package of a tool that the machine's release has.
fn choose(tool: &Tool, known: impl Fn(&str) -> bool) -> Result<&'static str> {
    match tool.packages.iter().find(|package| known(package)) {
        Some(package) => Ok(package),
        None => bail!("no package for {}: apt knows none of {}", tool.name, tool.packages.join(", ")),
    }
}

fn is_known(package: &str) -> bool {
    let policy = CommandLine::new("apt-cache").args(["policy", package]).env("LC_ALL", "C").capture();
    policy.is_ok_and(|policy| has_candidate(&policy.stdout))
}

fn has_candidate(policy: &str) -> bool {
    policy
        .lines()
        .any(|line| line.trim().strip_prefix("Candidate:").is_some_and(|version| version.trim() != "(none)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: Rights = Rights { apt: true, root: true, sudo: false };

    #[test]
    fn root_calls_apt_get_itself() {
        let line = ROOT.apt_get(&["update"]).to_string();
        assert_eq!(line, "env DEBIAN_FRONTEND=noninteractive apt-get -y -q update");
    }

    #[test]
    fn others_call_apt_get_through_sudo() {
        let line = Rights { root: false, sudo: true, ..ROOT }.apt_get(&["update"]).to_string();
        assert_eq!(line, "sudo env DEBIAN_FRONTEND=noninteractive apt-get -y -q update");
    }

    #[test]
    fn another_package_manager_is_an_obstacle_that_leaves_the_work_to_the_user() {
        let words = obstacle(Rights { apt: false, ..ROOT }).unwrap();
        assert!(words.contains("no apt-get"), "{words}");
    }

    #[test]
    fn neither_root_nor_sudo_is_an_obstacle() {
        let words = obstacle(Rights { root: false, sudo: false, apt: true }).unwrap();
        assert!(words.contains("neither root nor sudo"), "{words}");
    }

    #[test]
    fn root_and_sudo_are_no_obstacle() {
        assert_eq!(obstacle(ROOT), None);
        assert_eq!(obstacle(Rights { root: false, sudo: true, apt: true }), None);
    }

    #[test]
    fn the_wish_list_names_tool_purpose_and_package() {
        let gap = Gap { tool: &TOOLS[1], presence: Presence::Missing };
        assert_eq!(
            wish_list(&[gap]),
            "needed, and not there:\n  Maven: builds subjects that use it, and fetches JUnit (package maven)\n"
        );
    }

    #[test]
    fn an_unfit_tool_says_why() {
        let gap = Gap { tool: &TOOLS[0], presence: Presence::Unfit("javac is of version 11".into()) };
        assert!(wish_list(&[gap]).ends_with("; javac is of version 11\n"));
    }

    #[test]
    fn the_first_package_that_the_release_has_is_taken() {
        let newer = choose(&TOOLS[0], |package| package.contains("21")).unwrap();
        assert_eq!(newer, "openjdk-21-jdk-headless");
        assert!(choose(&TOOLS[0], |_| false).unwrap_err().to_string().contains("apt knows none of"));
    }

    #[test]
    fn a_package_without_candidate_is_not_known() {
        assert!(has_candidate("maven:\n  Installed: (none)\n  Candidate: 3.8.7-1\n"));
        assert!(!has_candidate("openjdk-17-jdk-headless:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!has_candidate(""));
    }
}
