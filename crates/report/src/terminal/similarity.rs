//! What PATCH-SIM measured: what decided, in two lines; every test with its figures if all is to be shown.

use std::collections::BTreeMap;

use bonafix_model::{Distance, Similarity, SimilarityRule, TestClass, TestFigures, TestOrigin};

use super::canvas::{Canvas, Ink, more};
use super::{count, key};
use crate::table;

/// How many tests are shown.
const ROWS: usize = 40;
/// What stands before a row.
const MARGIN: &str = "    ";

/// Draws what was measured, and which test decided.
pub(super) fn draw(canvas: &mut Canvas, similarity: &Similarity) {
    let ink = if similarity.against.is_some() { Ink::Warn } else { Ink::Plain };
    canvas.field("similarity", ink, &format!("patch-sim: {}", decision(similarity)));
    if let Some(test) = decisive(similarity).filter(|_| similarity.against.is_some()) {
        let change = distance(test.change);
        let text = format!("the passing test that changes most: {} ({change})", test.name);
        canvas.field("similarity", Ink::Plain, &text);
    }
    canvas.field("similarity", Ink::Dim, &counts(similarity));
    if canvas.style.verbose {
        draw_tests(canvas, similarity);
    }
}

/// `Ap 0.31, Af 0.52: Ap >= Kp (0.25), a passing test behaves too differently`.
fn decision(similarity: &Similarity) -> String {
    let figures: Vec<String> = [("Ap", similarity.ap), ("Af", similarity.af)]
        .into_iter()
        .filter_map(|(name, figure)| Some(format!("{name} {}", number(figure?))))
        .collect();
    let kp = number(similarity.kp);
    let said = match (similarity.against, similarity.ap, similarity.af) {
        (Some(SimilarityRule::PassingChanged), ..) => {
            format!("Ap >= Kp ({kp}), a passing test behaves too differently")
        }
        (Some(SimilarityRule::FailingUnchanged), ..) => {
            "Ap >= Af, passing tests change as much as failing ones".to_owned()
        }
        (Some(SimilarityRule::PassingLost), ..) => {
            format!("below Kp ({kp}) or Af, but a passing test leaves out much of what it ran")
        }
        (Some(SimilarityRule::CodeUnreached), ..) => {
            format!("below Kp ({kp}) or Af, but code that passing tests ran is reached by none any more")
        }
        (None, None, _) => "no passing test could be compared, so nothing can be said".to_owned(),
        (None, Some(_), None) => format!("below Kp ({kp}), and there is no failing test to compare with"),
        (None, Some(_), Some(_)) => format!("below Kp ({kp}) and below Af, nothing against the patch"),
    };
    if figures.is_empty() { said } else { format!("{}: {said}", figures.join(", ")) }
}

/// The passing test that changes most, where it changes at all; only what is exact counts.
fn decisive(similarity: &Similarity) -> Option<&TestFigures> {
    let passing = similarity.tests.iter().filter(|test| test.class == TestClass::Passing);
    let changed = passing.filter(|test| test.change.value > 0.0 && !test.change.at_most);
    // The first of several that change as much.
    changed.reduce(|most, test| if test.change.value > most.change.value { test } else { most })
}

/// `25 tests (original: 3 passing, 1 failing; generated: 14 passing, 5 failing, 2 discarded)`.
fn counts(similarity: &Similarity) -> String {
    let origins = [(TestOrigin::Original, "original"), (TestOrigin::Generated, "generated")];
    let parts = origins.map(|(origin, word)| (word, classes(similarity, origin)));
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, classes)| !classes.is_empty())
        .map(|(word, classes)| format!("{word}: {classes}"))
        .collect();
    let mut text = count(similarity.tests.len(), "test");
    if !parts.is_empty() {
        text = format!("{text} ({})", parts.join("; "));
    }
    set_aside(similarity).into_iter().fold(text, |text, aside| format!("{text}; {aside}"))
}

/// `14 passing, 5 failing, 2 discarded`.
fn classes(similarity: &Similarity, origin: TestOrigin) -> String {
    let tests = similarity.tests.iter().filter(|test| test.origin == origin);
    let mut classes: BTreeMap<TestClass, usize> = BTreeMap::new();
    tests.for_each(|test| *classes.entry(test.class).or_default() += 1);
    let classes: Vec<String> = classes.into_iter().map(|(class, n)| format!("{n} {}", key(class))).collect();
    classes.join(", ")
}

/// `set aside: 2 time out, 1 not the same twice`.
fn set_aside(similarity: &Similarity) -> Option<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for test in &similarity.set_aside {
        *reasons.entry(test.reason.as_str()).or_default() += 1;
    }
    let reasons: Vec<String> = reasons.into_iter().map(|(reason, n)| format!("{n} ({reason})")).collect();
    (!reasons.is_empty()).then(|| format!("set aside: {}", reasons.join(", ")))
}

/// Every test, those that weigh most first.
fn draw_tests(canvas: &mut Canvas, similarity: &Similarity) {
    let mut tests: Vec<&TestFigures> = similarity.tests.iter().collect();
    tests.sort_by(|a, b| a.class.cmp(&b.class).then(b.change.value.total_cmp(&a.change.value)));
    let shown = if tests.len() == ROWS + 1 { tests.len() } else { ROWS };
    let rows: Vec<Vec<String>> = tests.iter().take(shown).map(|test| row(test)).collect();
    if rows.is_empty() {
        return;
    }
    let header = ["class", "origin", "change", "to passing", "to failing", "buggy", "patched", "test"];
    canvas.gap();
    for (line, ink) in table::render(&header, &rows).lines().zip(inks()) {
        canvas.verbatim(ink, &format!("{MARGIN}{line}"));
    }
    if tests.len() > shown {
        canvas.verbatim(Ink::Dim, &format!("{MARGIN}{}", more(tests.len() - shown, "tests")));
    }
    canvas.gap();
}

fn inks() -> impl Iterator<Item = Ink> {
    [Ink::Bold, Ink::Dim].into_iter().chain(std::iter::repeat(Ink::Plain))
}

fn row(test: &TestFigures) -> Vec<String> {
    let other = |figure: Option<Distance>| figure.map_or_else(|| "-".to_owned(), distance);
    vec![
        key(test.class),
        key(test.origin),
        distance(test.change),
        other(test.to_passing),
        other(test.to_failing),
        test.statements.0.to_string(),
        test.statements.1.to_string(),
        // Numbers stand to the right in a table, and a name is none.
        if test.name.starts_with(|c: char| c.is_ascii_digit()) {
            format!("#{}", test.name)
        } else {
            test.name.clone()
        },
    ]
}

fn distance(distance: Distance) -> String {
    format!("{}{}", if distance.at_most { "<= " } else { "" }, number(distance.value))
}

/// Three digits, or the order of magnitude: what is not nothing must not look like it.
pub(super) fn number(value: f64) -> String {
    if value > 0.0 && value < 0.0005 { format!("{value:.1e}") } else { format!("{value:.3}") }
}
