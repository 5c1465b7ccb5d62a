//! Where two outputs begin to differ, in words.

use std::collections::BTreeSet;

use bonafix_model::Execution;

use super::numbers::same_but_for_rounding;
use super::{ProgramOptions, ProgramRemark};

/// Longest piece of a line that is quoted.
const LONGEST: usize = 120;
/// How much of it stands before the place where it differs.
const BEFORE: usize = 40;

/// What of an execution is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Output,
    Files,
    Errors,
}

/// A difference that was seen.
pub(super) struct Seen {
    pub(super) part: Part,
    /// Why it is hardly one.
    pub(super) lesser: Option<ProgramRemark>,
    pub(super) what: String,
    pub(super) expected: String,
    pub(super) actual: String,
}

/// The difference that counts most: standard output before files before standard error, and in each one that nobody can
/// object to before the others.
pub(super) fn strongest(
    reference: &Execution,
    patched: &Execution,
    options: &ProgramOptions,
) -> Option<Seen> {
    let pair = Pair { cut: (reference.cut, patched.cut), options };
    let output = pair.streams((&reference.stdout, &patched.stdout), "standard output", Part::Output);
    let files = pair.files(reference, patched);
    let errors = pair.streams((&reference.stderr, &patched.stderr), "standard error", Part::Errors);
    let uncounted = |seen: &Seen| seen.part == Part::Errors && !options.errors_compared;
    output.into_iter().chain(files).chain(errors).min_by_key(|seen| (uncounted(seen), seen.lesser.is_some()))
}

/// Two executions.
struct Pair<'a> {
    /// Of the reference and of the patched version was not all kept that was written.
    cut: (bool, bool),
    options: &'a ProgramOptions,
}

impl Pair<'_> {
    fn files(&self, reference: &Execution, patched: &Execution) -> Vec<Seen> {
        let names: BTreeSet<&String> = reference.files.keys().chain(patched.files.keys()).collect();
        let difference = |name: &String| match (reference.files.get(name), patched.files.get(name)) {
            (Some(one), Some(other)) => self.streams((one, other), &format!("file {name}"), Part::Files),
            // Where not all was kept, one that is not there may be among the rest.
            (None, _) if self.cut.0 => None,
            (_, None) if self.cut.1 => None,
            (one, _) => {
                let there = |there| if there { "written" } else { "not written" }.to_owned();
                let (what, expected, actual) =
                    (format!("file {name}"), there(one.is_some()), there(one.is_none()));
                Some(Seen { part: Part::Files, lesser: None, what, expected, actual })
            }
        };
        names.into_iter().filter_map(difference).collect()
    }

    fn streams(&self, (one, other): (&[u8], &[u8]), name: &str, part: Part) -> Option<Seen> {
        // What was not kept may be just what the other one has more.
        let may_go_on = self.cut.0 && other.starts_with(one) || self.cut.1 && one.starts_with(other);
        if one == other || may_go_on {
            return None;
        }
        let lesser = lesser(one, other, self.options);
        let (what, expected, actual) = match (text(one), text(other)) {
            (Some(one), Some(other)) => lines(one, other, name),
            _ => bytes(one, other, name),
        };
        Some(Seen { part, lesser, what, expected, actual })
    }
}

/// Why two outputs that differ hardly do.
fn lesser(one: &[u8], other: &[u8], options: &ProgramOptions) -> Option<ProgramRemark> {
    let (one, other) = (text(one)?, text(other)?);
    let trimmed = |text: &str| -> Vec<String> {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    };
    let exact = |text: &str| -> Vec<String> { text.split('\n').map(ToOwned::to_owned).collect() };
    let split = |text: &str| if options.white_space_tolerated { trimmed(text) } else { exact(text) };
    let (one, other) = (split(one), split(other));
    if one == other {
        return Some(ProgramRemark::WhiteSpace);
    }
    let close = one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| same_but_for_rounding(a, b));
    close.then_some(ProgramRemark::Rounding)
}

/// The bytes, if they are text.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// The first line that differs.
fn lines(one: &str, other: &str, name: &str) -> (String, String, String) {
    let (mut left, mut right) = (one.split_inclusive('\n'), other.split_inclusive('\n'));
    let mut number = 1;
    loop {
        match (left.next(), right.next()) {
            (Some(one), Some(other)) if one == other => number += 1,
            (one, other) => {
                let (expected, actual) = quoted(one, other);
                return (format!("line {number} of {name}"), expected, actual);
            }
        }
    }
}

/// Two lines in quotation marks: of long ones the part where they begin to differ. A line break is shown where it is
/// all that differs.
fn quoted(one: Option<&str>, other: Option<&str>) -> (String, String) {
    let bare = |line: Option<&str>| line.map(|line| line.strip_suffix('\n').unwrap_or(line).to_owned());
    let breaks = bare(one) == bare(other);
    let shown = |line: Option<&str>| if breaks { line.map(ToOwned::to_owned) } else { bare(line) };
    let (one, other) = (shown(one), shown(other));
    let (left, right) = (one.clone().unwrap_or_default(), other.clone().unwrap_or_default());
    let common = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
    let longest = left.chars().count().max(right.chars().count());
    let start = if longest <= LONGEST { 0 } else { common.saturating_sub(BEFORE) };
    let quote = |line: Option<String>| line.map_or_else(|| "missing".to_owned(), |line| quote(&line, start));
    (quote(one), quote(other))
}

fn quote(line: &str, start: usize) -> String {
    let before = if start == 0 { "" } else { "…" };
    let shown: String = line.chars().skip(start).take(LONGEST).flat_map(escaped).collect();
    let after = if line.chars().count() > start + LONGEST { "…" } else { "" };
    format!("\"{before}{shown}{after}\"")
}

/// A character for a sentence: what does not show is written as in C.
fn escaped(character: char) -> Vec<char> {
    match character {
        '"' | '\\' => vec!['\\', character],
        control if control.is_control() => control.escape_default().collect(),
        other => vec![other],
    }
}

/// The last line of a text that says something, in quotation marks.
pub(super) fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(quote(line, 0))
}

/// The first byte that differs.
fn bytes(one: &[u8], other: &[u8], name: &str) -> (String, String, String) {
    let at = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let byte = |bytes: &[u8]| bytes.get(at).map_or("missing".to_owned(), |byte| format!("{byte:#04x}"));
    (format!("byte {} of {name}", at + 1), byte(one), byte(other))
}
