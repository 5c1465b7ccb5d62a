//! How two executions differ, in a few words, so that the same sort of difference is known again.

use std::collections::BTreeMap;

use bonafix_model::{Execution, ProgramEnd};

/// So many finds of one sort are reported, and so many sorts of one kind.
const OF_ONE_SORT: u32 = 2;
const OF_ONE_KIND: u32 = 6;
/// Of inputs that are formed like one of a test, so many more of each sort.
const FORMED: u32 = 8;
/// How much of a line tells its class.
const LINE: usize = 48;

/// A sort of difference or fault.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Sort {
    /// Roughly: which parts differ, and how the executions ended.
    pub(super) kind: String,
    /// More closely: what the first line that differs looks like, or where.
    pub(super) place: String,
}

/// What differs between two executions of one input; none if nothing does that matters. Standard error does where tests look
/// at it.
pub(super) fn difference(right: &Execution, patched: &Execution, with_errors: bool) -> Option<Sort> {
    let mut parts = Vec::new();
    let mut place = String::new();
    if right.end != patched.end {
        parts.push(format!("{} / {}", right.end, patched.end));
    }
    if right.stdout != patched.stdout {
        parts.push("stdout".to_owned());
        place = first_difference(&right.stdout, &patched.stdout);
    }
    if right.files != patched.files {
        parts.push("files".to_owned());
        if place.is_empty() {
            place = differing_file(&right.files, &patched.files);
        }
    }
    if with_errors && right.stderr != patched.stderr {
        parts.push("stderr".to_owned());
        if place.is_empty() {
            place = first_difference(&right.stderr, &patched.stderr);
        }
    }
    (!parts.is_empty()).then(|| Sort { kind: parts.join(", "), place })
}

/// Did the program come to an end of its own?
pub(super) fn broke_down(execution: &Execution) -> bool {
    matches!(execution.end, ProgramEnd::TimedOut | ProgramEnd::OverLimit(_))
}

/// Did it crash, or do something that memory does not allow?
pub(super) fn is_faulty(execution: &Execution) -> bool {
    !execution.faults.is_empty() || matches!(execution.end, ProgramEnd::Signalled(_))
}

/// What an execution looks like: how it ended, and which sorts of lines it printed first.
pub(super) fn shape(execution: &Execution) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in execution.stdout.split_inclusive(|&byte| byte == b'\n').take(256) {
        let line = class(Some(line));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.truncate(6);
    format!("{}: {}", execution.end, lines.join("; "))
}

fn first_difference(right: &[u8], patched: &[u8]) -> String {
    let mut rights = right.split_inclusive(|&byte| byte == b'\n');
    let mut others = patched.split_inclusive(|&byte| byte == b'\n');
    loop {
        match (rights.next(), others.next()) {
            (None, None) => return String::new(),
            (a, b) if a == b => {}
            (a, b) => return format!("{} / {}", class(a), class(b)),
        }
    }
}

/// A line without what differs from input to input: `aaa 12` and `bb 7` are both `a 0`.
fn class(line: Option<&[u8]>) -> String {
    let Some(line) = line else { return "nothing".to_owned() };
    let mut text = String::new();
    for &byte in line {
        let letter = match byte {
            b'0'..=b'9' => '0',
            byte if byte.is_ascii_alphabetic() => 'a',
            0x20..=0x7e => char::from(byte),
            b'\n' | b'\t' => ' ',
            _ => '?',
        };
        if !text.ends_with(letter) {
            text.push(letter);
        }
        if text.len() >= LINE {
            break;
        }
    }
    text
}

fn differing_file(right: &BTreeMap<String, Vec<u8>>, patched: &BTreeMap<String, Vec<u8>>) -> String {
    for (path, bytes) in right {
        match patched.get(path) {
            Some(other) if other == bytes => {}
            Some(other) => return format!("{path}: {}", first_difference(bytes, other)),
            None => return format!("{path} is missing"),
        }
    }
    "another file".to_owned()
}

/// What was reported, so that nobody is flooded.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    /// By sort: how often, and the size of the smallest.
    sorts: BTreeMap<Sort, (u32, usize)>,
    /// By kind: how many sorts.
    kinds: BTreeMap<String, u32>,
    /// By sort, those beyond the number of sorts of a kind together: how often it came when it was known, and how many of
    /// these were reported since they are formed like the input of a test.
    known: BTreeMap<Sort, (u64, u32)>,
}

/// What a find is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    /// The first of its sort.
    New,
    /// Of a known sort, but much smaller.
    Smaller,
    /// Nothing.
    Known,
}

impl Ledger {
    /// What an input of this size is worth. Nothing is written down yet.
    pub(super) fn worth(&self, sort: &Sort, size: usize) -> Worth {
        match self.sorts.get(sort) {
            Some(&(times, smallest)) if times < OF_ONE_SORT && size * 2 <= smallest => Worth::Smaller,
            None if self.kinds.get(&sort.kind).is_none_or(|&sorts| sorts < OF_ONE_KIND) => Worth::New,
            _ => Worth::Known,
        }
    }

    /// Should one that is worth nothing be reported all the same? The first of a sort may be one that does not count, say
    /// since its input is half of what the program wants; so one that is formed like a test's is, and now and then any other.
    pub(super) fn recurs(&mut self, sort: &Sort, is_formed: bool) -> bool {
        let is_own = self.sorts.contains_key(sort);
        let sort = if is_own { sort.clone() } else { Sort { kind: sort.kind.clone(), place: String::new() } };
        let (times, formed) = self.known.entry(sort).or_default();
        *times += 1;
        if is_formed && *formed < FORMED {
            *formed += 1;
            return true;
        }
        *times >= 4 && times.is_power_of_two()
    }

    pub(super) fn knows(&self, sort: &Sort) -> bool {
        self.sorts.contains_key(sort)
    }

    /// How many sorts there are.
    pub(super) fn sorts(&self) -> u32 {
        self.kinds.values().sum()
    }

    /// Writes one down.
    pub(super) fn enter(&mut self, sort: Sort, size: usize) {
        let kinds = &mut self.kinds;
        let kind = sort.kind.clone();
        let (times, smallest) = self.sorts.entry(sort).or_insert_with(|| {
            *kinds.entry(kind).or_default() += 1;
            (0, size)
        });
        *times += 1;
        *smallest = size.min(*smallest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> Execution {
        Execution { stdout: text.as_bytes().to_vec(), ..Execution::silent(ProgramEnd::Exited(0)) }
    }

    #[test]
    fn the_same_sort_of_line_is_the_same_sort_of_difference() {
        let one = difference(&printed("head\nsum 12\n"), &printed("head\nsum 13\n"), false).unwrap();
        let other = difference(&printed("sum 7\n"), &printed("total 8\n"), false).unwrap();
        assert_eq!(one, other);
        assert_ne!(difference(&printed("sum 1\n"), &printed(""), false).unwrap(), one);
        assert_eq!(difference(&printed("x"), &printed("x"), false), None);
    }

    #[test]
    fn standard_error_alone_is_a_difference_only_where_tests_look_at_it() {
        let loud = Execution { stderr: b"oops".to_vec(), ..printed("x") };
        assert_eq!(difference(&printed("x"), &loud, false), None);
        assert!(difference(&printed("x"), &loud, true).is_some());
    }

    #[test]
    fn a_sort_is_reported_again_only_when_it_is_much_smaller_and_not_often() {
        let sort = |place: &str| Sort { kind: "stdout".to_owned(), place: place.to_owned() };
        let mut ledger = Ledger::default();
        assert_eq!(ledger.worth(&sort("a"), 100), Worth::New);
        ledger.enter(sort("a"), 100);
        assert_eq!(ledger.worth(&sort("a"), 90), Worth::Known);
        assert_eq!(ledger.worth(&sort("a"), 50), Worth::Smaller);
        ledger.enter(sort("a"), 50);
        assert_eq!(ledger.worth(&sort("a"), 1), Worth::Known);
        for place in 1..6 {
            ledger.enter(sort(&place.to_string()), 9);
        }
        assert_eq!(ledger.worth(&sort("b"), 1), Worth::Known);
    }

    #[test]
    fn a_known_sort_comes_again_now_and_then_and_sooner_with_an_input_like_a_tests() {
        let sort = Sort { kind: "stdout".to_owned(), place: "a".to_owned() };
        let mut ledger = Ledger::default();
        ledger.enter(sort.clone(), 9);
        let again: Vec<u32> = (1..=70).filter(|_| ledger.recurs(&sort, false)).collect();
        assert_eq!(again, [4, 8, 16, 32, 64]);
        let formed = (0..70).filter(|_| ledger.recurs(&sort, true)).count();
        assert!((8..=9).contains(&formed), "{formed}");
    }
}
