//! The end of the report: a table when there were several patches, and what the exit code says.

use bonafix_model::{ExitCode, Outcome, RunReport};

use super::canvas::{Canvas, Ink};
use super::patch::ink;
use super::ranking;
use crate::table;

const OUTCOMES: [Outcome; 5] =
    [Outcome::Unrefuted, Outcome::Refuted, Outcome::Suspicious, Outcome::Inconclusive, Outcome::Invalid];

pub(super) fn draw(canvas: &mut Canvas, report: &RunReport) {
    if report.patches.len() > 1 {
        draw_table(canvas, report);
        canvas.gap();
        ranking::draw(canvas, report);
    }
    let code = report.exit_code();
    let ink = match report.patches.as_slice() {
        [only] if report.broken.is_none() => ink(only.verdict.outcome),
        _ if report.broken.is_some() => Ink::Bad,
        _ => Ink::Plain,
    };
    canvas.plain(ink, &format!("exit code {}: {}", code.code(), meaning(report, code)));
}

fn draw_table(canvas: &mut Canvas, report: &RunReport) {
    let rows: Vec<Vec<String>> = report.patches.iter().map(table::patch_row).collect();
    let text = table::render(&["patch", "outcome", "fixed tests", "changed", "time"], &rows);
    let inks = [Ink::Bold, Ink::Dim]
        .into_iter()
        .chain(report.patches.iter().map(|patch| ink(patch.verdict.outcome)));
    for (line, ink) in text.lines().zip(inks) {
        canvas.verbatim(ink, line);
    }
    canvas.gap();
    let counts = OUTCOMES.map(|outcome| (report.count(outcome), outcome));
    let counts: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, outcome)| format!("{n} {outcome}")).collect();
    canvas.plain(Ink::Plain, &format!("{} patches: {}", report.patches.len(), counts.join(", ")));
}

/// What an exit code says, in words. Only codes that a completed run can have.
fn meaning(report: &RunReport, code: ExitCode) -> &'static str {
    match code {
        ExitCode::Unrefuted if report.patches.is_empty() => "there was no patch to judge",
        ExitCode::Unrefuted if report.patches.len() > 1 => "the run completed; the outcomes are above",
        ExitCode::Unrefuted => "the change was exercised, and nothing was found against it",
        ExitCode::Refuted => "a replayed counterexample shows that the patch is wrong",
        ExitCode::Suspicious => "something speaks against the patch, and there is no counterexample",
        ExitCode::Inconclusive => "nothing can be said about the patch, neither for nor against it",
        ExitCode::Invalid => "the patch is not a fix that could be judged",
        ExitCode::Baseline => "there is nothing to judge a patch against",
        ExitCode::Usage | ExitCode::Internal | ExitCode::Interrupted => "the run did not complete",
    }
}
