//! `bench`: figures, held against their goals, as a table for people and as JSON for comparisons.
//!
//! [`GROUPS`] is the list of what is measured; a group finds [`Figures`], which are told as soon as they are known. Figures
//! are for comparing runs of one machine: nothing here is a timed test.

mod checks;
mod figures;
mod large;
mod phases;
mod printed;
mod search;
mod witnesses;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use camino::Utf8Path;

use crate::command_line::CommandLine;
use crate::install;
use crate::table::Table;
use crate::workspace::Workspace;
use figures::{Figures, Goal, Measurement, publish};

/// Help of `bench`.
pub(crate) const HELP: &str = "\
Builds in release what is to be measured, measures, prints a table and writes it to target/xtask/bench/bench.txt and
bench.json. What is known so far is told on stderr. With two cores and nothing else to do this takes seven to eight minutes,
and up to as many before that for the builds, where sources changed. `--list` says how long each group takes.

Groups:
  check       the wall time of `bonafix check` on two Java cases and two C cases, with an empty cache and again with
              what that left, and the median time until a patched version is ready
  check-all   the same on every bundled case; only if it is named
  large       the same on a generated project of 100,000 lines, with the time to run five tests of it, and the time from
              a patch to the first input that ran
  phases      the time of each step where a case is judged without its reference
  search      inputs a second in the searches of two cases
  instrument  classes instrumented a second
  probes      inputs for each second of a core in three versions of a class with state and of one with string utilities,
              with probes, without, and the one against the other
  tracing     the processor time of a test that is all loops and of one with many short calls, plain, traced, and the one
              against the other, and that of writing down their traces
  lcs         the time to compare two traces, by their length and by how alike they are
  programs    executions a second of two C programs, in copies and in one process, against `afl-fuzz` (if it is installed:
              Debian's package afl++); sanitizers against valgrind; inputs in one version, in two, in three
  witnesses   the time from a patch to its counterexample, for each C case the median over its overfitting patches

Options:
  --list   say what there is to be measured, and how long it takes, and measure nothing

Examples:
  cargo xtask bench
  cargo xtask bench lcs tracing
  cargo xtask bench --list
";

/// What is measured together, and can be asked for by its name.
struct Group {
    name: &'static str,
    /// About how long it takes on a quiet machine with two cores, once all is built.
    seconds: u32,
    /// Measured where nothing is named.
    usual: bool,
    way: Way,
}

/// How the figures of a group are found.
enum Way {
    /// By running bonafix.
    Binary(fn(&Workspace, &Utf8Path, &mut Figures) -> Result<()>),
    /// By a test of the product that prints them: the name of its file.
    Printed(&'static str),
}

const GROUPS: &[Group] = &[
    Group { name: "check", seconds: 60, usual: true, way: Way::Binary(checks::of_some) },
    Group { name: "check-all", seconds: 600, usual: false, way: Way::Binary(checks::of_all) },
    Group { name: "large", seconds: 30, usual: true, way: Way::Binary(large::measure) },
    Group { name: "phases", seconds: 30, usual: true, way: Way::Binary(phases::measure) },
    Group { name: "search", seconds: 40, usual: true, way: Way::Binary(search::measure) },
    Group { name: "instrument", seconds: 5, usual: true, way: Way::Printed("classfile") },
    Group { name: "probes", seconds: 45, usual: true, way: Way::Printed("arena_speed") },
    Group { name: "tracing", seconds: 20, usual: true, way: Way::Printed("tracing_speed") },
    Group { name: "lcs", seconds: 15, usual: true, way: Way::Printed("distance_speed") },
    Group { name: "programs", seconds: 90, usual: true, way: Way::Printed("program_speed") },
    Group { name: "witnesses", seconds: 90, usual: true, way: Way::Binary(witnesses::measure) },
];

/// What a search may cost where its length is not what is measured.
const BUDGET: &str = "1000inputs";

/// Where the binary and the tests are.
const PACKAGES: [&str; 8] = [
    "--package",
    "bonafix",
    "--package",
    "bonafix-lang-java",
    "--package",
    "bonafix-lang-c",
    "--package",
    "bonafix-judge",
];

/// What the user asked for.
enum Asked {
    List,
    Measure(Vec<&'static Group>),
}

/// Runs `bench`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let groups = match parse(arguments)? {
        Asked::List => {
            print!("{}", list());
            return Ok(ExitCode::SUCCESS);
        }
        Asked::Measure(groups) => groups,
    };
    install::ensure_tools()?;
    let start = Instant::now();
    build(workspace, &groups)?;
    eprintln!("built in {:.0} s", start.elapsed().as_secs_f64());
    let mut figures = Figures::default();
    for group in groups {
        measure(workspace, group, &mut figures).with_context(|| format!("measure {}", group.name))?;
    }
    eprintln!("all in {:.0} s\n", start.elapsed().as_secs_f64());
    publish(figures.all(), &workspace.scratch("bench")?)?;
    Ok(ExitCode::SUCCESS)
}

fn parse(arguments: &[String]) -> Result<Asked> {
    if arguments.iter().any(|argument| argument == "--list") {
        return Ok(Asked::List);
    }
    for argument in arguments {
        if !GROUPS.iter().any(|group| group.name == argument) {
            let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
            bail!("nothing to measure is called `{argument}`; there are: {}", names.join(", "));
        }
    }
    let is_asked_for = |group: &&Group| match arguments {
        [] => group.usual,
        names => names.iter().any(|name| name == group.name),
    };
    Ok(Asked::Measure(GROUPS.iter().filter(is_asked_for).collect()))
}

fn list() -> Table {
    let mut table = Table::new(&["group", "about s", ""]);
    for group in GROUPS {
        let remark = if group.usual { "" } else { "only if named" };
        table.row(vec![group.name.to_owned(), group.seconds.to_string(), remark.to_owned()]);
    }
    table
}

/// All that is needed, before anything is measured, and in one go: features of dependencies hang on what is built together,
/// so that the crates of bonafix would be built twice otherwise.
fn build(workspace: &Workspace, groups: &[&Group]) -> Result<()> {
    let needs_binary = groups.iter().any(|group| matches!(group.way, Way::Binary(_)));
    let tests = groups.iter().filter_map(|group| match group.way {
        Way::Binary(_) => None,
        Way::Printed(test) => Some(test),
    });
    CommandLine::cargo()
        .args(["build", "--release"])
        .args(PACKAGES)
        .args(needs_binary.then_some(["--bin", "bonafix"]).into_iter().flatten())
        .args(tests.flat_map(|test| ["--test", test]))
        .folder(&workspace.root)
        .run()
}

fn measure(workspace: &Workspace, group: &Group, figures: &mut Figures) -> Result<()> {
    eprintln!("measuring {}, about {} s …", group.name, group.seconds);
    let start = Instant::now();
    match group.way {
        Way::Binary(measure) => measure(workspace, &workspace.bonafix(), figures)?,
        Way::Printed(test) => printed::measure(workspace, test, figures)?,
    }
    eprintln!("measured {} in {:.0} s", group.name, start.elapsed().as_secs_f64());
    Ok(())
}

fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Result<Vec<&'static str>> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        match parse(&arguments)? {
            Asked::List => Ok(vec!["list"]),
            Asked::Measure(groups) => Ok(groups.iter().map(|group| group.name).collect()),
        }
    }

    #[test]
    fn groups_are_measured_by_name_and_the_usual_ones_without() {
        assert_eq!(names(&["lcs", "check-all"]).unwrap(), ["check-all", "lcs"]);
        assert_eq!(names(&["lcs", "--list"]).unwrap(), ["list"]);
        let usual = names(&[]).unwrap();
        assert!(usual.contains(&"lcs") && !usual.contains(&"check-all"), "{usual:?}");
        let error = names(&["lsc"]).unwrap_err().to_string();
        assert!(error.starts_with("nothing to measure is called `lsc`; there are: check, "), "{error}");
    }

    #[test]
    fn every_group_is_explained() {
        for group in GROUPS {
            assert!(HELP.contains(&format!("\n  {} ", group.name)), "{}", group.name);
        }
    }

    #[test]
    fn the_median_of_nothing_is_nothing() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![900, 1, 20]), Some(20));
    }
}
