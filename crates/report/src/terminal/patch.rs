//! The part about one patch: outcome first, then what refutes it, what the tests say, what it changes, what was tried.

use bonafix_model::{
    ChangeKind, DeltaElement, DeltaFile, LineRange, Outcome, PatchReport, Plausibility, Statement,
    TestChange, TestChangeKind, TestResult, TriggerOrigin, TriggerTest, Verdict,
};

use super::baseline::set_aside;
use super::canvas::{Canvas, Ink, more};
use super::{effort, evidence, notices, reason, similarity};
use crate::table::seconds;

/// How many entries of a list are shown.
const SHOWN: usize = 8;
/// How many lines of an exception's message are shown.
const MESSAGE_LINES: usize = 3;

pub(super) fn draw(canvas: &mut Canvas, patch: &PatchReport) {
    draw_verdict(canvas, &patch.name, &patch.verdict);
    draw_details(canvas, patch);
    draw_test_changes(canvas, &patch.test_changes);
    evidence::draw_proofs(canvas, &patch.evidence, &patch.verdict.summary);
    if let Some(plausibility) = &patch.plausibility {
        draw_plausibility(canvas, plausibility, &patch.verdict);
    }
    for file in &patch.delta.files {
        draw_file(canvas, file);
    }
    evidence::draw_hints(canvas, &patch.evidence);
    if let Some(similarity) = &patch.similarity {
        similarity::draw(canvas, similarity);
    }
    for effort in &patch.efforts {
        effort::draw(canvas, effort);
    }
    for note in &patch.apply_notes {
        canvas.field("applied", Ink::Plain, note);
    }
    notices(canvas, &patch.notices);
    draw_timings(canvas, patch);
}

/// The colour of an outcome.
pub(super) fn ink(outcome: Outcome) -> Ink {
    match outcome {
        Outcome::Unrefuted => Ink::Good,
        Outcome::Refuted | Outcome::Invalid => Ink::Bad,
        Outcome::Suspicious => Ink::Warn,
        Outcome::Inconclusive => Ink::Unsure,
    }
}

fn draw_verdict(canvas: &mut Canvas, name: &str, verdict: &Verdict) {
    let reason = reason(verdict).map(|reason| format!("  ({reason})")).unwrap_or_default();
    let word = verdict.outcome.name().to_uppercase();
    canvas.heading(ink(verdict.outcome), &word, &format!("{name}{reason}"));
    canvas.sentence(Ink::Plain, &verdict.summary);
}

/// New tests are welcome; a change of the tests that must be passed is what a reader must not miss.
fn draw_test_changes(canvas: &mut Canvas, changes: &[TestChange]) {
    let (added, tampered): (Vec<_>, Vec<_>) =
        changes.iter().partition(|change| change.kind == TestChangeKind::Added);
    if !tampered.is_empty() {
        let text = "WARNING: the patch touches the tests that it must pass; only the original tests count";
        canvas.sentence(Ink::Warn, text);
    }
    capped(canvas, &tampered, |canvas, change| {
        let word = if change.kind == TestChangeKind::Removed { "removes" } else { "changes" };
        canvas.indented(Ink::Warn, &format!("{word} {}", change.path));
    });
    capped(canvas, &added, |canvas, change| canvas.field("adds tests", Ink::Plain, change.path.as_str()));
}

/// The hunk, the compiler's words. Where the tests decided they are shown with more than the details say.
fn draw_details(canvas: &mut Canvas, patch: &PatchReport) {
    let shown_below = patch.plausibility.as_ref().is_some_and(|tests| !tests.broken.is_empty());
    if !shown_below {
        canvas.details(&patch.verdict.details);
    }
}

fn draw_plausibility(canvas: &mut Canvas, tests: &Plausibility, verdict: &Verdict) {
    if tests.tests > 0 {
        let text = format!("{} of {} original tests pass", tests.passed, tests.tests);
        canvas.field("tests", Ink::Plain, &text);
    }
    capped(canvas, &tests.fixed, draw_fixed);
    capped(canvas, &tests.broken, |canvas, test| red_test(canvas, "breaks", test));
    if verdict.details.is_empty() || !tests.broken.is_empty() {
        capped(canvas, &tests.still_failing, |canvas, test| {
            canvas.field("not green", Ink::Plain, &format!("{} ({})", test.id, test.outcome));
        });
    }
    set_aside(canvas, "flaky", &tests.flaky);
}

fn draw_fixed(canvas: &mut Canvas, test: &TriggerTest) {
    let origin = match test.origin {
        TriggerOrigin::Original => "",
        TriggerOrigin::Patch => " (a test that the patch brings)",
    };
    canvas.field("fixes", Ink::Good, &format!("{}{origin}", test.id));
}

/// A red test with the first lines of what it said.
pub(super) fn red_test(canvas: &mut Canvas, label: &str, test: &TestResult) {
    canvas.field(label, Ink::Bad, &format!("{} ({})", test.id, test.outcome));
    let Some(failure) = &test.failure else { return };
    let message = failure.message.lines().take(MESSAGE_LINES).collect::<Vec<_>>().join("\n");
    let said = match &failure.kind {
        Some(kind) if message.is_empty() => kind.clone(),
        Some(kind) => format!("{kind}: {message}"),
        None => message,
    };
    if !said.is_empty() {
        canvas.below(Ink::Plain, &said);
    }
    if canvas.style.verbose {
        capped(canvas, &failure.stack, |canvas, frame| canvas.below(Ink::Dim, &stack_line(frame)));
    }
}

/// Some languages write `at` before a frame themselves.
fn stack_line(frame: &str) -> String {
    let frame = frame.trim_start();
    format!("at {}", frame.strip_prefix("at ").unwrap_or(frame))
}

fn draw_file(canvas: &mut Canvas, file: &DeltaFile) {
    let elements: Vec<&DeltaElement> = file.elements.iter().filter(|element| !element.only_nested).collect();
    capped(canvas, &elements, |canvas, element| draw_element(canvas, file, element));
    if let Some(problem) = &file.problem {
        canvas.field("changes", Ink::Warn, &format!("{}: {problem}", file.path));
    } else if file.elements.is_empty() {
        canvas.field("changes", Ink::Plain, &format!("{}: nothing that runs", file.path));
    }
}

fn draw_element(canvas: &mut Canvas, file: &DeltaFile, element: &DeltaElement) {
    let label = match element.change {
        ChangeKind::Added => "adds",
        ChangeKind::Removed => "removes",
        ChangeKind::Changed => "changes",
    };
    let renamed = element.renamed.as_ref().map(|now| format!(" -> {}", now.name)).unwrap_or_default();
    let place =
        element.after.or(element.before).map(|lines| format!(":{}", range(lines))).unwrap_or_default();
    canvas.field(label, Ink::Plain, &format!("{}{renamed} ({}{place})", element.name, file.path));
    if canvas.style.verbose {
        draw_statements(canvas, '-', Ink::Bad, &element.statements_before);
        draw_statements(canvas, '+', Ink::Good, &element.statements_after);
    }
}

fn draw_statements(canvas: &mut Canvas, mark: char, ink: Ink, statements: &[Statement]) {
    capped(canvas, statements, |canvas, statement| {
        canvas.below(ink, &format!("{mark}{:>5}  {}", statement.lines.first, statement.text));
    });
}

fn range(lines: LineRange) -> String {
    if lines.first == lines.last {
        lines.first.to_string()
    } else {
        format!("{}-{}", lines.first, lines.last)
    }
}

fn draw_timings(canvas: &mut Canvas, patch: &PatchReport) {
    let steps = patch.timings.0.iter().map(|(step, millis)| format!("{step} {}", seconds(*millis)));
    let steps: Vec<String> = steps.collect();
    if canvas.style.verbose && !steps.is_empty() {
        canvas.field("time", Ink::Dim, &steps.join(", "));
    }
}

/// Draws the first entries of a list, and how many more there are.
pub(super) fn capped<T>(canvas: &mut Canvas, list: &[T], draw: impl Fn(&mut Canvas, &T)) {
    // One more line is as good as saying that there is one more.
    let shown = if canvas.style.verbose || list.len() == SHOWN + 1 { list.len() } else { SHOWN };
    for entry in list.iter().take(shown) {
        draw(canvas, entry);
    }
    if list.len() > shown {
        canvas.below(Ink::Dim, &more(list.len() - shown, ""));
    }
}
