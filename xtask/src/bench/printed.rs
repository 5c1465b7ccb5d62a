//! Rates and times that tests of the product measure and print: parts that cannot be reached from the command line.
//!
//! Such a test is ignored by default and prints lines of the form `WHAT: NUMBER UNIT`, where the unit is one of
//! [`PRINTED`]; of several rounds (`WHAT, round N: …`) the best counts. What stands behind `note: ` is told as it is.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::{Figures, Goal, Measurement, PACKAGES};
use crate::command_line::{CommandLine, tail};
use crate::workspace::Workspace;

/// What their names contain.
const NAMES: &[&str] = &["speed", "per_second"];

/// A unit as it is printed, the measurement's name, its unit, and goals for what is measured.
struct Printed {
    unit: &'static str,
    /// Only what is called so, where the unit alone does not tell; the first of [`PRINTED`] that fits counts.
    of: &'static str,
    name: &'static str,
    better: Better,
    goals: &'static [(&'static str, f64)],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Better {
    More,
    Less,
}

impl Printed {
    fn find(unit: &str, what: &str) -> Option<&'static Self> {
        PRINTED.iter().find(|printed| printed.unit == unit && what.contains(printed.of))
    }
}

const PRINTED: &[Printed] = &[
    Printed { unit: "classes/s", of: "", name: "classes instrumented", better: Better::More, goals: &[] },
    Printed { unit: "executions/s", of: "", name: "C programs", better: Better::More, goals: &[] },
    Printed { unit: "inputs/s", of: "", name: "C programs", better: Better::More, goals: &[] },
    Printed { unit: "ms", of: "memory oracle", name: "C programs", better: Better::Less, goals: &[] },
    Printed { unit: "ms", of: "version", name: "C programs", better: Better::Less, goals: &[] },
    // A copy of a process cannot cost less than for AFL, which keeps less of it; not to make one should be worth it.
    Printed {
        unit: "x",
        of: "afl-fuzz",
        name: "C programs",
        better: Better::More,
        goals: &[
            ("ini-reader, without sanitizers, copies against the fork server of afl-fuzz", 1.0),
            ("ini-reader, without sanitizers, one process against the fork server of afl-fuzz", 10.0),
            ("ini-reader, with sanitizers, copies against the fork server of afl-fuzz", 1.0),
            ("ini-reader, with sanitizers, one process against the fork server of afl-fuzz", 10.0),
            ("pgm-info, without sanitizers, copies against the fork server of afl-fuzz", 1.0),
            ("pgm-info, without sanitizers, one process against the fork server of afl-fuzz", 10.0),
            ("pgm-info, with sanitizers, copies against the fork server of afl-fuzz", 1.0),
            ("pgm-info, with sanitizers, one process against the fork server of afl-fuzz", 10.0),
        ],
    },
    Printed {
        unit: "x",
        of: "valgrind",
        name: "C programs",
        better: Better::More,
        goals: &[
            ("ini-reader, memory oracle, valgrind against sanitizers in copies", 10.0),
            ("pgm-info, memory oracle, valgrind against sanitizers in copies", 10.0),
        ],
    },
    Printed { unit: "x", of: "version", name: "C programs", better: Better::Less, goals: &[] },
    // Half of what the prototype did with classes as they were, for each second of a core.
    Printed {
        unit: "triples/s",
        of: "",
        name: "inputs in three versions",
        better: Better::More,
        goals: &[("stateful class", 90_000.0), ("string utilities", 20_000.0)],
    },
    Printed { unit: "ms", of: "test", name: "tracing", better: Better::Less, goals: &[] },
    Printed { unit: "x", of: "test", name: "tracing", better: Better::Less, goals: &[] },
    // The same on this machine, whatever it is.
    Printed {
        unit: "x",
        of: "",
        name: "inputs in three versions",
        better: Better::More,
        goals: &[
            ("stateful class, with probes against without", 0.5),
            ("string utilities, with probes against without", 0.5),
        ],
    },
    // What the prototype did.
    Printed {
        unit: "ms",
        of: "",
        name: "distance of traces",
        better: Better::Less,
        goals: &[
            ("10^4 statements, unrelated", 1.0),
            ("10^5 statements, unrelated", 55.0),
            ("10^6 statements, unrelated", 6_000.0),
            ("10^6 statements, 0.1 % edits", 100.0),
        ],
    },
];

/// Runs one of them, and reads what it prints.
pub(super) fn measure(workspace: &Workspace, test: &str, figures: &mut Figures) -> Result<()> {
    let command = CommandLine::cargo()
        .args(["test", "--release"])
        .args(PACKAGES)
        .args(["--test", test])
        .args(["--quiet", "--", "--ignored", "--nocapture", "--test-threads", "1"])
        .args(NAMES.iter().copied())
        .folder(&workspace.root);
    let captured = command.capture()?;
    captured.stdout.lines().filter(|line| line.starts_with("note: ")).for_each(|note| eprintln!("  {note}"));
    let measurements = read(&captured.stdout);
    if !captured.status.success() || measurements.is_empty() {
        bail!("`{command}`: {}\n{}", captured.status, tail(&captured.stderr, 20));
    }
    figures.extend(measurements);
    Ok(())
}

fn read(text: &str) -> Vec<Measurement> {
    let mut best: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for (what, value, unit) in text.lines().filter_map(figure) {
        let Some(printed) = Printed::find(unit, what) else { continue };
        let known = best.entry((unit, what)).or_insert(value);
        *known = match printed.better {
            Better::More => known.max(value),
            Better::Less => known.min(value),
        };
    }
    best.into_iter().filter_map(|((unit, what), value)| measurement(unit, what, value)).collect()
}

/// `stateful class, round 3: 181234 triples/s, …` is 181234 `triples/s` of the stateful class.
fn figure(line: &str) -> Option<(&str, f64, &str)> {
    let (what, rest) = line.split_once(": ")?;
    let what = what.split_once(", round ").map_or(what, |(what, _)| what);
    let mut words = rest.split([' ', ',']);
    let value = words.next()?.parse().ok()?;
    Some((what.trim(), value, words.next()?))
}

fn measurement(unit: &str, what: &str, value: f64) -> Option<Measurement> {
    let printed = Printed::find(unit, what)?;
    let goal = printed.goals.iter().find(|(name, _)| *name == what);
    let goal = goal.map_or(Goal::None, |(_, limit)| match printed.better {
        Better::More => Goal::AtLeast(*limit),
        Better::Less => Goal::AtMost(*limit),
    });
    Some(Measurement::new(format!("{}: {what}", printed.name), value, printed.unit).goal(goal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_round_counts_and_other_lines_do_not() {
        let text = "running 1 test\ncoverage, distance, steps: 5200 classes/s\n\
                    stateful class, round 0: 70000 triples/s, 80000 per second of its thread\n\
                    stateful class, round 1: 95000 triples/s, 99000 per second of its thread\n\
                    string utilities, with probes against without: 0.450 x\n\
                    test result: ok. 1 passed\nnote: 3 apples/s\n";
        let found = read(text);
        let names: Vec<(&str, f64)> = found.iter().map(|each| (each.name.as_str(), each.value)).collect();
        assert_eq!(
            names,
            [
                ("classes instrumented: coverage, distance, steps", 5200.0),
                ("inputs in three versions: stateful class", 95_000.0),
                ("inputs in three versions: string utilities, with probes against without", 0.45)
            ]
        );
        assert_eq!((found[1].is_met(), found[2].is_met()), (Some(true), Some(false)));
    }

    #[test]
    fn of_times_the_shortest_counts() {
        let text = "10^4 statements, unrelated, round 0: 1.250 ms, distance 0.957\n\
                    10^4 statements, unrelated, round 1: 0.750 ms, distance 0.957\n";
        let found = read(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "distance of traces: 10^4 statements, unrelated");
        assert!((found[0].value - 0.75).abs() < 1e-9);
        assert_eq!(found[0].is_met(), Some(true));
    }

    #[test]
    fn what_c_programs_cost_is_told_from_the_rest_and_held_against_its_goals() {
        let text = "note: afl-fuzz is not installed\n\
                    pgm-info, with sanitizers, in copies: 900 executions/s\n\
                    pgm-info, with sanitizers, copies against the fork server of afl-fuzz: 0.90 x\n\
                    pgm-info, memory oracle, valgrind against sanitizers in copies: 400.0 x\n\
                    pgm-info, kept inputs in three versions against one: 3.01 x\n";
        let found = read(text);
        assert!(found.iter().all(|each| each.name.starts_with("C programs: pgm-info, ")), "{found:?}");
        let met: Vec<Option<bool>> = found.iter().map(Measurement::is_met).collect();
        assert_eq!(met, [None, None, Some(true), Some(false)]);
    }

    #[test]
    fn what_tracing_costs_is_told_from_distances_and_probes_of_the_same_unit() {
        let text = "loop-heavy test, plain: 7.129 ms\nloop-heavy test, traced: 65.035 ms, 6840303 statements\n\
                    loop-heavy test, traced against plain: 9.12 x\n\
                    string utilities, with probes against without: 0.45 x\n";
        let names: Vec<String> = read(text).into_iter().map(|each| each.name).collect();
        assert_eq!(
            names,
            [
                "tracing: loop-heavy test, plain",
                "tracing: loop-heavy test, traced",
                "tracing: loop-heavy test, traced against plain",
                "inputs in three versions: string utilities, with probes against without",
            ]
        );
    }
}
