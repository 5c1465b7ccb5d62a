//! What inputs of developers look like, and how one that nobody gives differs.
//!
//! A program that reads text promises nothing for bytes that are none, and one whose tests count things promises little
//! for minus one thing. On such inputs versions that are both right may well print different things. Signs and words are
//! odd only to programs that trust their input: where a test expects that one is turned down, there is a right answer to
//! those. A program that trusts its input and reads nothing but numbers may even crash on what is none of them.

mod mend;

use std::collections::BTreeSet;

use super::ProgramRemark;

/// Fewer inputs of tests than this say nothing about what is usual.
const ENOUGH_INPUTS: usize = 3;
/// And fewer lists than this nothing about what they are.
const ENOUGH_LISTS: usize = 3;
/// And fewer numbers than this nothing about signs and sizes.
const ENOUGH_NUMBERS: usize = 8;
/// Tests whose text is of no more characters than these…
const FEW_CHARACTERS: usize = 6;
/// … and has each of them so often in the mean, have no others.
const TIMES_EACH: usize = 10;
/// Tests that stay within this…
const ORDINARY: f64 = 1e6;
/// … say nothing about numbers beyond this.
const EXTREME: f64 = 1_073_741_824.0;
/// Nor do those whose numbers all fit into an `int` about such that do not.
const INT: f64 = 2_147_483_647.0;

/// What developers' inputs have in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Customs {
    /// No test expects that an input is turned down.
    trusting: bool,
    inputs: usize,
    binary: bool,
    /// Control characters that tests have.
    controls: BTreeSet<char>,
    /// All characters of tests but white space, and how many there are in all.
    alphabet: BTreeSet<char>,
    characters: usize,
    /// Tests that have boards, those whose boards are even, and how many lines all of them have.
    boards: usize,
    even_boards: usize,
    heights: BTreeSet<usize>,
    /// Tests whose last line does not end.
    unterminated: usize,
    /// Quotation marks and brackets that tests have, those that some test does not close, and those that some test does not
    /// close in the same line.
    paired: BTreeSet<char>,
    unclosed: BTreeSet<char>,
    across_lines: BTreeSet<char>,
    words: bool,
    /// Lines of three numbers or more, and how many of them are orders of the first numbers.
    lists: usize,
    permutations: usize,
    numbers: usize,
    /// None without numbers.
    lowest: Option<f64>,
    largest: f64,
}

impl Customs {
    /// Of what tests give to the program. It is trusting if none of them expects that an input is turned down.
    pub fn of<'a>(inputs: impl IntoIterator<Item = &'a [u8]>, trusting: bool) -> Self {
        let mut customs = Self { trusting, ..Self::default() };
        for bytes in inputs {
            customs.inputs += 1;
            let Some(text) = plain_text(bytes) else {
                customs.binary = true;
                continue;
            };
            customs.unterminated += usize::from(is_unterminated(text));
            customs.controls.extend(text.chars().filter(|character| character.is_control()));
            let dark = || text.chars().filter(|character| !character.is_whitespace());
            customs.alphabet.extend(dark());
            customs.characters += dark().count();
            let widths = board(text);
            if widths.len() > 1 {
                customs.boards += 1;
                customs.even_boards += usize::from(is_even(&widths));
            }
            customs.heights.insert(widths.len());
            customs.paired.extend(PAIRS.iter().map(|pair| pair.0).filter(|&open| text.contains(open)));
            customs.unclosed.extend(unclosed(text));
            customs.across_lines.extend(text.lines().flat_map(unclosed));
            customs.words |= !only_numbers(text);
            for list in lists(text) {
                customs.lists += 1;
                customs.permutations += usize::from(is_permutation(&list));
            }
            for number in numbers(text) {
                customs.numbers += 1;
                customs.lowest = Some(customs.lowest.map_or(number, |lowest| lowest.min(number)));
                customs.largest = customs.largest.max(number.abs());
            }
        }
        customs
    }

    /// What speaks against an input.
    pub fn objection(&self, bytes: &[u8]) -> Option<ProgramRemark> {
        if self.inputs < ENOUGH_INPUTS || self.binary {
            return None;
        }
        let Some(text) = plain_text(bytes).filter(|text| !text.contains(|c| self.is_odd(c))) else {
            return Some(ProgramRemark::BrokenText);
        };
        if self.unterminated == 0 && is_unterminated(text) {
            return Some(ProgramRemark::Unterminated);
        }
        let is_open = unclosed(text).iter().any(|&open| self.wants_closed(open))
            || text.lines().flat_map(unclosed).any(|open| self.wants_closed_in_line(open));
        if is_open {
            return Some(ProgramRemark::Unclosed);
        }
        if text.contains(|character| self.is_foreign(character)) {
            return Some(ProgramRemark::UnusualCharacter);
        }
        if self.wants_even_boards() {
            let widths = board(text);
            let is_of_height = self.heights.len() > 1 || self.heights.contains(&widths.len());
            if !is_even(&widths) || !is_of_height {
                return Some(ProgramRemark::UnevenBoard);
            }
        }
        let wants_permutations = self.lists >= ENOUGH_LISTS && self.lists == self.permutations;
        if self.trusting && wants_permutations && lists(text).any(|list| !is_permutation(&list)) {
            return Some(ProgramRemark::NotAPermutation);
        }
        let found = numbers(text);
        if self.wants_numbers() && (found.is_empty() || !only_numbers(text)) {
            return Some(ProgramRemark::NotNumbers);
        }
        if found.iter().any(|&number| self.is_unusual_sign(number)) {
            return Some(ProgramRemark::UnusualSign);
        }
        let extreme = found.iter().any(|&number| self.is_extreme(number));
        extreme.then_some(ProgramRemark::ExtremeNumber)
    }

    /// Does the program do sums, on numbers beyond those of all tests? That these do not fit does not make it wrong.
    pub fn is_beyond(&self, bytes: &[u8]) -> bool {
        let is_beyond = |text: &str| numbers(text).iter().any(|number| number.abs() > self.largest);
        self.inputs > 0 && !self.binary && plain_text(bytes).is_some_and(is_beyond)
    }

    /// Do tests give numbers and nothing else to a program that trusts them?
    pub fn wants_numbers(&self) -> bool {
        self.inputs >= ENOUGH_INPUTS
            && !self.binary
            && self.numbers >= ENOUGH_NUMBERS
            && self.trusting
            && !self.words
    }

    /// Is it negative, where tests of a program that trusts them have no such number? Where there is nothing but numbers,
    /// they may be counts of something that is there: then 0 is odd as well, if no test has it.
    fn is_unusual_sign(&self, number: f64) -> bool {
        let least = self.lowest.unwrap_or_default();
        self.numbers >= ENOUGH_NUMBERS
            && self.trusting
            && (least >= 0.0 && number < 0.0 || least >= 1.0 && self.wants_numbers() && number < 1.0)
    }

    /// Is it far beyond those of the tests?
    fn is_extreme(&self, number: f64) -> bool {
        let is_beyond = |largest: f64, bound: f64| self.largest <= largest && number.abs() > bound;
        self.numbers >= ENOUGH_NUMBERS && (is_beyond(ORDINARY, EXTREME) || is_beyond(INT, INT))
    }

    /// Is it a control character that no test has?
    fn is_odd(&self, character: char) -> bool {
        character.is_control() && !"\n\t".contains(character) && !self.controls.contains(&character)
    }

    /// Is it none of the few characters that tests are made of?
    fn is_foreign(&self, character: char) -> bool {
        let is_closed = self.trusting
            && self.alphabet.len() <= FEW_CHARACTERS
            && self.characters >= self.alphabet.len() * TIMES_EACH;
        is_closed
            && !character.is_whitespace()
            && !self.is_number_sign(character)
            && !self.alphabet.contains(&character)
    }

    /// Can it stand in a number, where tests have some?
    fn is_number_sign(&self, character: char) -> bool {
        self.numbers > 0 && (character.is_ascii_digit() || "+-.".contains(character))
    }

    /// Do tests of a program that trusts them have boards, and each of them lines of one length?
    fn wants_even_boards(&self) -> bool {
        self.trusting && self.boards >= ENOUGH_LISTS && self.boards == self.even_boards
    }

    /// Do tests have this half of a pair, and always the other one too?
    fn wants_closed(&self, open: char) -> bool {
        self.paired.contains(&open) && !self.unclosed.contains(&open)
    }

    /// And that in the same line?
    fn wants_closed_in_line(&self, open: char) -> bool {
        self.paired.contains(&open) && !self.across_lines.contains(&open)
    }
}

/// Text without control characters.
fn plain_text(bytes: &[u8]) -> Option<&str> {
    let odd = |character: char| character.is_control() && !"\n\r\t\u{c}".contains(character);
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains(odd))
}

/// Is there a last line without an end?
fn is_unterminated(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('\n')
}

/// What opens and what closes.
const PAIRS: [(char, char); 4] = [('"', '"'), ('(', ')'), ('[', ']'), ('{', '}')];

/// By which character it opens: each sort of pair that a text does not close, or closes before it opens.
fn unclosed(text: &str) -> BTreeSet<char> {
    let is_open = |&(open, close): &(char, char)| {
        let mut depth = 0_i64;
        for character in text.chars() {
            if open == close {
                depth = if character == open { 1 - depth } else { depth };
            } else {
                depth += i64::from(character == open) - i64::from(character == close);
            }
            if depth < 0 {
                return true;
            }
        }
        depth != 0
    };
    PAIRS.iter().filter(|pair| is_open(pair)).map(|pair| pair.0).collect()
}

/// The lines that are three whole numbers or more.
fn lists(text: &str) -> impl Iterator<Item = Vec<i64>> {
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<i64>>>();
    text.lines().filter_map(numbers).filter(|list| list.len() >= 3)
}

/// Does it have each of the numbers from 0 or from 1 on once, in whichever order?
fn is_permutation(list: &[i64]) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    let first = sorted.first().copied().unwrap_or_default();
    (0..=1).contains(&first) && sorted.iter().zip(first..).all(|(number, place)| *number == place)
}

/// How long the lines are that are one word and no number.
fn board(text: &str) -> Vec<usize> {
    let is_row =
        |line: &&str| !line.is_empty() && !line.contains(char::is_whitespace) && line.parse::<f64>().is_err();
    text.lines().map(str::trim_end).filter(is_row).map(|line| line.chars().count()).collect()
}

fn is_even(widths: &[usize]) -> bool {
    widths.windows(2).all(|pair| pair[0] == pair[1])
}

fn only_numbers(text: &str) -> bool {
    text.split_whitespace().all(|word| word.parse::<f64>().is_ok_and(f64::is_finite))
}

/// The numbers in a text, without digits that belong to names. A minus behind a letter or a digit is a hyphen.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|character: char| !is_of_word(character));
    words.filter_map(|word| word.parse().ok()).filter(|number: &f64| number.is_finite()).collect()
}

/// Does it belong to a name or a number?
fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || "_.-+".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objection(tests: &[&str], input: &[u8]) -> Option<&'static str> {
        objection_if(true, tests, input)
    }

    fn objection_if(trusting: bool, tests: &[&str], input: &[u8]) -> Option<&'static str> {
        let customs = Customs::of(tests.iter().map(|text| text.as_bytes()), trusting);
        customs.objection(input).map(ProgramRemark::key)
    }

    #[test]
    fn control_characters_that_no_test_has_are_unusual() {
        assert_eq!(objection(&["a\n", "b\n", "c\n"], b"a\x0cb"), Some("broken-text"));
        assert_eq!(objection(&["a\n", "b\n", "c\n"], b"a\r\n"), Some("broken-text"));
        assert_eq!(objection(&["a\r\n", "b\n", "c\n"], b"x\ty\r\n"), None);
    }

    #[test]
    fn a_last_line_without_an_end_is_unusual_where_tests_end_theirs() {
        // Found on a correct patch: the reference takes the last character for the end of the line, whatever it is.
        assert_eq!(objection_if(false, &["ab\n", "b\n", "c d\n"], b"a"), Some("unterminated"));
        for usual in [&b"a\n"[..], b"", b"\n"] {
            assert_eq!(objection(&["ab\n", "b\n", "c d\n"], usual), None);
        }
        assert_eq!(objection(&["ab\n", "b", "c d\n"], b"a"), None);
        assert_eq!(objection(&["ab\n", "b\n"], b"a"), None);
    }

    #[test]
    fn what_is_not_closed_is_unusual_where_tests_close_it() {
        let tests = ["f(x)", "\"a, b\",1", "{{n}}"];
        for odd in ["a\",1", "f(x", "f)x(", "{{n", "}"] {
            assert_eq!(objection_if(false, &tests, odd.as_bytes()), Some("unclosed"), "{odd}");
        }
        assert_eq!(objection(&tests, b"[1"), None);
        assert_eq!(objection(&["(1", "f(x)", "2"], b"((1"), None);
        assert_eq!(objection(&tests, b"{{\n}}"), Some("unclosed"));
        assert_eq!(objection(&["{\n1\n}", "f(x)", "2"], b"{{\n}}"), None);
    }

    #[test]
    fn where_inputs_are_turned_down_there_is_a_right_answer_to_words_and_signs() {
        for (input, answer) in [("2\n5 x\n", None), ("-6\n", None), ("4000000000\n", Some("extreme-number"))]
        {
            assert_eq!(objection_if(false, &COUNTS, input.as_bytes()), answer);
        }
        assert_eq!(objection_if(false, &COUNTS, b"\0"), Some("broken-text"));
    }

    const COUNTS: [&str; 3] = ["3\n1 2 3\n", "1\n7\n", "2\n10 20\n"];

    #[test]
    fn nothing_and_what_few_tests_do_not_tell_are_usual() {
        assert_eq!(objection(&["0\n", "3\n1 2 3\n", "1\n7\n", "1\n10\n"], b"2\n1 0\n"), None);
        assert_eq!(objection(&["1 2", "3", "4"], b"-1"), None);
    }

    #[test]
    fn bytes_that_are_no_text_are_unusual_where_tests_give_text() {
        let tests = ["a = b\n", "# x\n", "\tc\r\n"];
        assert_eq!(objection(&tests, b"a = \0\n"), Some("broken-text"));
        assert_eq!(objection(&tests, b"a = \xff\n"), Some("broken-text"));
        assert_eq!(objection(&tests, "a = ä -1 0\n".as_bytes()), None);
        assert_eq!(objection(&["P5\0", "a", "b"], b"\0\0"), None);
        assert_eq!(objection(&["a", "b"], b"\0"), None);
    }

    #[test]
    fn words_signs_and_sizes_that_no_test_has_are_unusual() {
        assert_eq!(objection(&COUNTS, b"2\n5 6\n"), None);
        assert_eq!(objection(&COUNTS, b"2\n5 x\n"), Some("not-numbers"));
        assert_eq!(objection(&COUNTS, b"2\n5 -6\n"), Some("unusual-sign"));
        // Found on correct patches: one took numbers below 1 for larger ones, one printed what it had not read.
        assert_eq!(objection(&COUNTS, b"0\n"), Some("unusual-sign"));
        assert_eq!(
            objection(&["n 3\n1 2 3\n", "n 1\n7\n", "n 2\n1 2\n"], b"n 0\n"),
            None,
            "not only numbers"
        );
        assert_eq!(objection(&COUNTS, b"\n"), Some("not-numbers"));
        assert_eq!(objection(&COUNTS, b"1\n4000000000\n"), Some("extreme-number"));
        assert_eq!(objection(&["1 -2", "0 4000000000", "3"], b"-5 0 9999999999"), None);
        // Found on a correct patch: it took the minimum of numbers another way than the reference, which wrapped.
        let large = ["1 3000000\n", "2 3 4\n", "5 6 7\n"];
        assert_eq!(objection(&large, b"1 2147483649\n"), Some("extreme-number"));
        assert_eq!(objection(&large, b"1 2147483647\n"), None);
    }

    #[test]
    fn characters_that_no_test_has_are_unusual_where_tests_have_few() {
        let tests = ["BBWB WBWBWBBW\n", "WWWWBBBBWBWB\n", "3\nBBBBBBBWWWWW\n"];
        assert_eq!(objection(&tests, b"7\nBWWz\n"), Some("unusual-character"));
        assert_eq!(objection(&tests, b"42\nBWWB\n"), None);
        assert_eq!(objection_if(false, &tests, b"BWWz\n"), None, "where a test knows of wrong input");
        assert_eq!(objection(&["BW\n", "WB\n", "BB\n"], b"Bz\n"), None, "too little to know");
        assert_eq!(objection(&["the quick brown fox jumps\n", "x\n", "y\n"], b"!\n"), None);
    }

    /// Found on correct patches: they looked at what stands behind the end of a short line.
    #[test]
    fn lines_of_another_length_are_unusual_where_tests_have_boards() {
        let boards = ["2\n..#x\n#.xy\n", "2\nabcd\nefgh\n", "3\nklm\nnop\nqrs\n"];
        assert_eq!(objection(&boards, b"2\nab\ncd\n"), None);
        assert_eq!(objection(&boards, b"2\nabc\ncd\n"), Some("uneven-board"));
        assert_eq!(objection_if(false, &boards, b"2\nabc\ncd\n"), None);
        assert_eq!(objection(&["ab\ncd\n", "a\nbc\n", "x\ny\n"], b"abc\nd\n"), None);
        let squares = ["ab\ncd\n", "xx\nyz\n", "mn\nop\n"];
        assert_eq!(objection(&squares, b"ab\ncd\nef\n"), Some("uneven-board"), "one line more");
        assert_eq!(objection(&boards, b"1\nab\n"), None, "as many as it says");
    }

    #[test]
    fn beyond_is_what_is_larger_than_all_numbers_of_tests() {
        let beyond = |tests: &[&str], input: &[u8]| {
            Customs::of(tests.iter().map(|text| text.as_bytes()), false).is_beyond(input)
        };
        assert!(beyond(&COUNTS, b"3\n21\n") && beyond(&COUNTS, b"-21 x") && !beyond(&COUNTS, b"20 20\n"));
        assert!(!beyond(&["P5\0 1"], b"99") && !beyond(&[], b"99"), "nobody knows");
    }

    #[test]
    fn lists_are_orders_of_the_first_numbers_where_those_of_tests_are() {
        let orders = ["4\n2 3 1 4\n", "3\n1 3 2\n", "5\n5 4 3 2 1\n"];
        assert_eq!(objection(&orders, b"4\n4 3 1 2\n"), None);
        // Found on a correct patch that prints a blank before each answer but the first.
        assert_eq!(objection(&orders, b"4\n1 3 4 1\n"), Some("not-a-permutation"));
        assert_eq!(objection(&orders, b"3\n2 3 4\n"), Some("not-a-permutation"));
        assert_eq!(objection_if(false, &orders, b"4\n1 3 4 1\n"), None, "where a test knows of wrong input");
        assert_eq!(objection(&["3\n1 2 3\n", "3\n3 1 2\n", "3\n1 2 2\n"], b"3\n1 1 1\n"), None);
        assert_eq!(objection(&orders[..2], b"4\n1 3 4 1\n"), None, "too few tests to know");
        assert_eq!(objection(&["0 1 2", "2 1 0 3", "1 0 2"], b"0 2 1"), None);
    }

    #[test]
    fn hyphens_and_names_are_no_numbers() {
        let tests = ["at 2024-01-02 x1", "k 1 2 3 4 5", "k 4 5 6"];
        assert_eq!(objection(&tests, b"at 2025-11-12 y0 k-0 6"), None);
        assert_eq!(objection(&tests, b"k -6"), Some("unusual-sign"));
    }
}
