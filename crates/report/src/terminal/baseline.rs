//! The part about the buggy version: its tests, or why there is nothing to judge against.

use bonafix_model::{BaselineReport, BrokenBaseline, RunReport, TestId};

use super::canvas::{Canvas, Ink};
use super::patch::{capped, red_test};
use super::{count, notices};

pub(super) fn draw(canvas: &mut Canvas, report: &RunReport) {
    if let Some(baseline) = &report.baseline {
        draw_tests(canvas, baseline);
    }
    notices(canvas, &report.notices);
    if let Some(broken) = &report.broken {
        canvas.gap();
        draw_broken(canvas, broken);
    }
}

fn draw_tests(canvas: &mut Canvas, baseline: &BaselineReport) {
    canvas.field("baseline", Ink::Plain, &tests_line(baseline));
    capped(canvas, &baseline.red, |canvas, test| red_test(canvas, "red", test));
    set_aside(canvas, "flaky", &baseline.flaky);
    set_aside(canvas, "set aside", &baseline.red_on_reference);
    if !baseline.red_on_reference.is_empty() {
        canvas.below(Ink::Dim, "red on the reference as well, so they say nothing about a fix");
    }
}

/// `312 tests: 308 pass, 2 are red, 1 skipped, 1 flaky (run twice)`.
fn tests_line(baseline: &BaselineReport) -> String {
    let mut parts = vec![format!("{} pass", baseline.passed)];
    let red = baseline.red.len();
    parts.push(if red == 1 { "1 is red".to_owned() } else { format!("{red} are red") });
    for (number, word) in [(baseline.skipped, "skipped"), (baseline.flaky.len(), "flaky")] {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    let times = match baseline.repetitions {
        0 | 1 => String::new(),
        2 => " (run twice)".to_owned(),
        n => format!(" (run {n} times)"),
    };
    format!("{}: {}{times}", count(baseline.tests, "test"), parts.join(", "))
}

/// Names of tests that do not count.
pub(super) fn set_aside(canvas: &mut Canvas, label: &str, tests: &[TestId]) {
    capped(canvas, tests, |canvas, id| canvas.field(label, Ink::Warn, &id.0));
}

fn draw_broken(canvas: &mut Canvas, broken: &BrokenBaseline) {
    canvas.heading(Ink::Bad, "BASELINE BROKEN", &format!("({})", broken.key));
    canvas.sentence(Ink::Plain, &broken.summary);
    canvas.details(&broken.details);
}
