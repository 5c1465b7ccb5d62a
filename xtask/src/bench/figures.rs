//! Figures and what they should be.

use anyhow::Result;
use camino::Utf8Path;
use serde_json::{Value, json};

use crate::table::Table;

/// What was measured so far.
#[derive(Debug, Default)]
pub(super) struct Figures {
    measured: Vec<Measurement>,
}

impl Figures {
    /// Adds a figure, and tells it at once: all of them take minutes.
    pub(super) fn add(&mut self, figure: Measurement) {
        eprintln!("  {}", figure.sentence());
        self.measured.push(figure);
    }

    /// Adds some.
    pub(super) fn extend(&mut self, figures: impl IntoIterator<Item = Measurement>) {
        figures.into_iter().for_each(|figure| self.add(figure));
    }

    /// All, in the order in which they were found.
    pub(super) fn all(&self) -> &[Measurement] {
        &self.measured
    }
}

/// What a figure should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// It is shown, and held against nothing.
    None,
    /// Not more than this.
    AtMost(f64),
    /// Not less than this.
    AtLeast(f64),
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measurement {
    /// What was measured, such as `check leap-year, empty cache`.
    pub(super) name: String,
    /// The figure.
    pub(super) value: f64,
    /// Its unit, such as `s` or `executions/s`.
    pub(super) unit: &'static str,
    /// What it should be.
    pub(super) goal: Goal,
}

impl Measurement {
    /// A figure without a goal.
    pub(super) fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, goal: Goal::None }
    }

    /// The same figure with a goal.
    pub(super) fn goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// Whether the goal is met, where there is one.
    pub(super) fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::AtMost(limit) => Some(self.value <= limit),
            Goal::AtLeast(limit) => Some(self.value >= limit),
        }
    }

    fn sentence(&self) -> String {
        let remark = if self.is_met() == Some(false) { ", which is NOT what it should be" } else { "" };
        format!("{}: {:.3} {}{remark}", self.name, self.value, self.unit)
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

/// Prints the table and writes it beside its JSON.
pub(super) fn publish(measurements: &[Measurement], folder: &Utf8Path) -> Result<()> {
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
