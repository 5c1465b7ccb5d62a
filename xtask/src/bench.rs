//! `bench`: figures, held against their goals, as a table for people and as JSON for comparisons.
//!
//! A measurement is a function that returns [`Measurement`]s; [`measure_all`] is the list of them. Figures are for
//! comparing runs of one machine: nothing here is a timed test.

mod large;
mod phases;
mod printed;
mod search;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use camino::Utf8Path;
use serde_json::{Value, json};

use crate::cases::{self, Case, Judged};
use crate::commands::no_arguments;
use crate::table::Table;
use crate::workspace::Workspace;
use crate::{demo, install};

/// Help of `bench`.
pub(crate) const HELP: &str = "\
Builds bonafix in release, measures, prints a table and writes it to target/xtask/bench/bench.txt and bench.json.
Today: the wall time of `bonafix check` on every bundled case, with an empty cache and again with what that left, and
the median time until a patched version is ready; the same on a generated project of 100,000 lines, with the time
to run five tests of it, and the time from a patch to the first input that ran; the time of each step where a case is
judged without its reference; inputs a second in the searches of two cases; classes instrumented a second; inputs for
each second of a core in three versions of a class with state and of one with string utilities, with probes, without, and
the one against the other; the processor time of a test that is all loops and of one with many short calls, plain, traced,
and the one against the other, and that of writing down their traces; the time to compare two traces, by their length and by
how alike they are.

Examples:
  cargo xtask bench
";

/// What a search may cost where its length is not what is measured.
const BUDGET: &str = "1000inputs";

/// What a figure should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// It is shown, and held against nothing.
    None,
    /// Not more than this.
    AtMost(f64),
    /// Not less than this.
    AtLeast(f64),
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measurement {
    /// What was measured, such as `check leap-year, empty cache`.
    pub(crate) name: String,
    /// The figure.
    pub(crate) value: f64,
    /// Its unit, such as `s` or `executions/s`.
    pub(crate) unit: &'static str,
    /// What it should be.
    pub(crate) goal: Goal,
}

impl Measurement {
    /// A figure without a goal.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, goal: Goal::None }
    }

    /// The same figure with a goal.
    pub(crate) fn goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// Whether the goal is met, where there is one.
    fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::AtMost(limit) => Some(self.value <= limit),
            Goal::AtLeast(limit) => Some(self.value >= limit),
        }
    }

    fn cells(&self) -> Vec<String> {
        let goal = match self.goal {
            Goal::None => String::new(),
            Goal::AtMost(limit) => format!("<= {limit}"),
            Goal::AtLeast(limit) => format!(">= {limit}"),
        };
        let met = self.is_met().map_or("", |met| if met { "met" } else { "NOT MET" });
        vec![self.name.clone(), format!("{:.3}", self.value), self.unit.to_owned(), goal, met.to_owned()]
    }

    fn json(&self) -> Value {
        let (at_most, at_least) = match self.goal {
            Goal::None => (None, None),
            Goal::AtMost(limit) => (Some(limit), None),
            Goal::AtLeast(limit) => (None, Some(limit)),
        };
        json!({
            "name": self.name, "value": self.value, "unit": self.unit,
            "at_most": at_most, "at_least": at_least, "met": self.is_met(),
        })
    }
}

/// Runs `bench`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    no_arguments("bench", arguments)?;
    install::ensure_tools()?;
    let bonafix = demo::build(workspace)?;
    let measurements = measure_all(workspace, &bonafix)?;
    publish(&measurements, &workspace.scratch("bench")?)?;
    Ok(ExitCode::SUCCESS)
}

/// Every measurement there is.
fn measure_all(workspace: &Workspace, bonafix: &Utf8Path) -> Result<Vec<Measurement>> {
    let mut measurements = Vec::new();
    let mut builds = Vec::new();
    for case in cases::all(&workspace.root)? {
        let first = timed_check(workspace, bonafix, &case, Cache::Emptied)?;
        let second = timed_check(workspace, bonafix, &case, Cache::Kept)?;
        builds.extend(first.judged.iter().filter_map(|judged| judged.build_milliseconds));
        measurements.push(Measurement::new(format!("check {}, empty cache", case.name), first.seconds, "s"));
        measurements.push(Measurement::new(format!("check {}, second run", case.name), second.seconds, "s"));
    }
    measurements.extend(median(builds).map(ready_version));
    measurements.extend(large::measure(workspace, bonafix)?);
    measurements.extend(phases::measure(workspace, bonafix)?);
    measurements.extend(search::measure(workspace, bonafix)?);
    measurements.extend(printed::measure(workspace)?);
    Ok(measurements)
}

/// The goal for projects of any size: a one-file patch is ready within a second.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of a build are far below 2^52")]
fn ready_version(milliseconds: u64) -> Measurement {
    let name = "patched version ready, median over all patches";
    Measurement::new(name, milliseconds as f64 / 1000.0, "s").goal(Goal::AtMost(1.0))
}

fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// What a check finds in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cache {
    Emptied,
    Kept,
}

/// A check and how long it took.
struct TimedCheck {
    judged: Vec<Judged>,
    seconds: f64,
}

fn timed_check(workspace: &Workspace, bonafix: &Utf8Path, case: &Case, state: Cache) -> Result<TimedCheck> {
    let folder = workspace.scratch("bench")?;
    let cache = folder.join("cache");
    if state == Cache::Emptied && cache.exists() {
        fs_err::remove_dir_all(&cache)?;
    }
    let command = cases::check_command(bonafix, &workspace.root, case)
        .args(["--budget", BUDGET, "--out", folder.join("runs").as_str()])
        .env("BONAFIX_CACHE", cache.as_str());
    let start = Instant::now();
    let judged = cases::check(&command, case)?;
    Ok(TimedCheck { judged, seconds: start.elapsed().as_secs_f64() })
}

/// Prints the table and writes it beside its JSON.
fn publish(measurements: &[Measurement], folder: &Utf8Path) -> Result<()> {
    let table = table(measurements).to_string();
    print!("{table}");
    let entries: Vec<Value> = measurements.iter().map(Measurement::json).collect();
    fs_err::write(folder.join("bench.txt"), &table)?;
    fs_err::write(
        folder.join("bench.json"),
        serde_json::to_string_pretty(&json!({"measurements": entries}))?,
    )?;
    eprintln!("written to {folder}/bench.txt and bench.json");
    Ok(())
}

fn table(measurements: &[Measurement]) -> Table {
    let mut table = Table::new(&["measurement", "value", "unit", "goal", ""]);
    for measurement in measurements {
        table.row(measurement.cells());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_or_not_on_either_side() {
        let figure = |goal| Measurement::new("x", 5.0, "s").goal(goal).is_met();
        assert_eq!(figure(Goal::AtMost(5.0)), Some(true));
        assert_eq!(figure(Goal::AtMost(4.0)), Some(false));
        assert_eq!(figure(Goal::AtLeast(6.0)), Some(false));
        assert_eq!(figure(Goal::None), None);
    }

    #[test]
    fn the_median_of_nothing_is_nothing() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![900, 1, 20]), Some(20));
    }

    #[test]
    fn figures_are_published_as_text_and_as_json() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let measurement = Measurement::new("check x", 1.25, "s").goal(Goal::AtMost(1.0));
        publish(&[measurement], folder).unwrap();
        let text = fs_err::read_to_string(folder.join("bench.txt")).unwrap();
        assert!(text.contains("check x      1.250  s     <= 1  NOT MET"), "{text}");
        let json: Value =
            serde_json::from_str(&fs_err::read_to_string(folder.join("bench.json")).unwrap()).unwrap();
        assert_eq!(json["measurements"][0]["at_most"], 1.0);
        assert_eq!(json["measurements"][0]["met"], false);
    }
}
