//! The report for people: what was judged, what the buggy version does, and what became of each patch.
//!
//! One file per part of the report; `canvas` does the wrapping and colouring for all of them.

mod baseline;
mod canvas;
mod effort;
mod evidence;
mod excerpt;
mod patch;
mod ranking;
mod similarity;
mod summary;

use bonafix_model::{Notice, RunReport, Verdict};
use serde::Serialize;

pub(crate) use canvas::clean;
use canvas::{Canvas, Ink};

/// How a report is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// With colours.
    pub color: bool,
    /// Columns of the terminal. Names and code that are longer are not cut.
    pub width: usize,
    /// With statements, stacks, timings, and lists in full.
    pub verbose: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, width: 100, verbose: false }
    }
}

/// The whole report, ending with a line end.
pub fn render(report: &RunReport, style: &Style) -> String {
    render_run(report, style, None)
}

/// The whole report of a run whose folder is known, so that what lies in it can be named as it must be typed.
pub fn render_run(report: &RunReport, style: &Style, run: Option<&str>) -> String {
    let mut canvas = Canvas::new(*style, run);
    header(&mut canvas, report);
    baseline::draw(&mut canvas, report);
    for patch in &report.patches {
        canvas.gap();
        patch::draw(&mut canvas, patch);
    }
    canvas.gap();
    summary::draw(&mut canvas, report);
    canvas.finish()
}

fn header(canvas: &mut Canvas, report: &RunReport) {
    let subject = &report.subject;
    // Neither is known when a run ends before the project was opened.
    let known = [subject.language.as_str(), subject.build_system.as_str()];
    let known: Vec<&str> = known.into_iter().filter(|word| !word.is_empty()).collect();
    canvas.heading(Ink::Bold, &subject.name, &known.join(", "));
    let short = |value: &str| value.len() <= 40 && !value.contains('\n');
    let facts = subject.facts.iter().filter(|(_, value)| canvas.style.verbose || short(value));
    let facts: Vec<String> = facts.map(|(name, value)| format!("{name} {value}")).collect();
    if !facts.is_empty() {
        canvas.field("project", Ink::Plain, &facts.join(", "));
    }
}

fn notices(canvas: &mut Canvas, notices: &[Notice]) {
    for notice in notices {
        canvas.field("note", Ink::Warn, &notice.text);
    }
}

/// The key of the reason that a verdict carries, as it stands in the JSON.
pub(crate) fn reason(verdict: &Verdict) -> Option<String> {
    verdict.invalid.map(key).or_else(|| verdict.inconclusive.map(key))
}

/// The word that a value has in the JSON.
fn key(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// `1 test`, `2 tests`.
fn count(number: usize, noun: &str) -> String {
    numbered(number as u64, noun)
}

/// The same for numbers of another kind.
fn numbered(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
