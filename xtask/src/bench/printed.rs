//! Rates that tests of the product measure and print: parts that cannot be reached from the command line.
//!
//! Such a test is ignored by default and prints lines of the form `WHAT: NUMBER UNIT/s`; of several rounds (`WHAT, round
//! N: …`) the best counts.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::{Goal, Measurement};
use crate::command_line::{CommandLine, tail};
use crate::workspace::Workspace;

/// Where they are, and what their names contain.
const TESTS: &[&str] = &["--package", "bonafix-lang-java", "--test", "classfile", "--test", "arena"];
const NAMES: &[&str] = &["speed", "per_second"];

/// A unit as it is printed, the measurement's name, its unit, and goals for what is measured.
struct Rate {
    unit: &'static str,
    name: &'static str,
    goals: &'static [(&'static str, f64)],
}

const RATES: &[Rate] = &[
    Rate { unit: "classes/s", name: "classes instrumented", goals: &[] },
    // Half of what the prototype did with classes as they were.
    Rate { unit: "triples/s", name: "inputs in three versions", goals: &[("stateful class", 90_000.0)] },
];

/// Builds these tests in release, runs them, and reads what they print.
pub(super) fn measure(workspace: &Workspace) -> Result<Vec<Measurement>> {
    let command = CommandLine::cargo()
        .args(["test", "--release", "--quiet"])
        .args(TESTS.iter().copied())
        .args(["--", "--ignored", "--nocapture", "--test-threads", "1"])
        .args(NAMES.iter().copied())
        .folder(&workspace.root);
    eprintln!("$ {command}");
    let captured = command.capture()?;
    let measurements = read(&captured.stdout);
    if !captured.status.success() || measurements.is_empty() {
        bail!("`{command}`: {}\n{}", captured.status, tail(&captured.stderr, 20));
    }
    Ok(measurements)
}

fn read(text: &str) -> Vec<Measurement> {
    let mut best: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for (what, value, unit) in text.lines().filter_map(rate) {
        let known = best.entry((unit, what)).or_insert(value);
        *known = known.max(value);
    }
    best.into_iter().filter_map(|((unit, what), value)| measurement(unit, what, value)).collect()
}

/// `stateful class, round 3: 181234 triples/s, …` is 181234 `triples/s` of the stateful class.
fn rate(line: &str) -> Option<(&str, f64, &str)> {
    let (what, rest) = line.split_once(": ")?;
    let what = what.split_once(", round ").map_or(what, |(what, _)| what);
    let mut words = rest.split([' ', ',']);
    let value = words.next()?.parse().ok()?;
    Some((what.trim(), value, words.next()?))
}

fn measurement(unit: &str, what: &str, value: f64) -> Option<Measurement> {
    let rate = RATES.iter().find(|rate| rate.unit == unit)?;
    let goal = rate.goals.iter().find(|(name, _)| *name == what);
    let goal = goal.map_or(Goal::None, |(_, limit)| Goal::AtLeast(*limit));
    Some(Measurement::new(format!("{}: {what}", rate.name), value, rate.unit).goal(goal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_round_counts_and_other_lines_do_not() {
        let text = "running 1 test\ncoverage, distance, steps: 5200 classes/s\n\
                    stateful class, round 0: 70000 triples/s, 80000 per second of its thread\n\
                    stateful class, round 1: 95000 triples/s, 99000 per second of its thread\n\
                    test result: ok. 1 passed\nnote: 3 apples/s\n";
        let found = read(text);
        let names: Vec<(&str, f64)> = found.iter().map(|each| (each.name.as_str(), each.value)).collect();
        assert_eq!(
            names,
            [
                ("classes instrumented: coverage, distance, steps", 5200.0),
                ("inputs in three versions: stateful class", 95_000.0)
            ]
        );
        assert_eq!(found[1].is_met(), Some(true));
    }
}
