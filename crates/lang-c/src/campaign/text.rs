//! Small changes to text that leave it well formed more often than not: numbers, words, lines.
//!
//! Most wrong patches print something wrong on ordinary inputs, and random bytes do not get beyond the first check of a
//! reader. So most inputs are a developer's input with one thing changed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use libafl_bolts::rands::Rand;

use super::dictionary::Dictionary;

/// Where programs change their behaviour.
pub(super) const BOUNDARIES: [i128; 31] = [
    0,
    1,
    -1,
    2,
    3,
    4,
    7,
    8,
    9,
    10,
    15,
    16,
    31,
    32,
    63,
    64,
    99,
    100,
    127,
    128,
    255,
    256,
    999,
    1000,
    32_767,
    65_535,
    65_536,
    2_147_483_647,
    2_147_483_648,
    4_294_967_295,
    9_223_372_036_854_775_807,
];
/// How often a piece is repeated to fill a buffer.
const REPEATS: [usize; 8] = [2, 3, 4, 8, 16, 33, 65, 130];
/// Longest text in which pieces are counted one by one.
const WHOLE: usize = 64 * 1024;

/// Do these bytes look like text?
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let seen = &bytes[..bytes.len().min(4096)];
    let strange =
        seen.iter().filter(|&&byte| byte == 0 || byte < 32 && !byte.is_ascii_whitespace() && byte != 8);
    strange.count() * 20 <= seen.len()
}

/// How a text is formed: the same for `3 abc` and `-20 x`. Of other bytes only those count that are text.
pub(super) fn form(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut last = None;
    for piece in pieces(&bytes[..bytes.len().min(WHOLE)]) {
        let text = &bytes[piece];
        let is_minus = text == b"-";
        let class = match Class::of(text[0]) {
            _ if text.iter().all(u8::is_ascii_digit) => b'0',
            Class::Word => b'a',
            Class::Blank => b' ',
            Class::Newline => b'\n',
            Class::Sign => text[0],
        };
        // A minus in front of a number belongs to it.
        if !is_minus || matches!(last, Some(b'0' | b'a')) {
            class.hash(&mut hasher);
        }
        last = Some(class);
    }
    hasher.finish()
}

/// An input that is being changed.
pub(super) struct Editor<'a, R> {
    pub(super) bytes: &'a mut Vec<u8>,
    /// Another input, to take from.
    pub(super) other: &'a [u8],
    pub(super) dictionary: &'a Dictionary,
    pub(super) rand: &'a mut R,
    /// No text grows beyond this.
    pub(super) limit: usize,
}

impl<R: Rand> Editor<'_, R> {
    /// Changes one thing, or now and then a few.
    pub(super) fn change(&mut self) -> bool {
        let mut times = 1;
        while times < 6 && self.chance(3) {
            times += 1;
        }
        let mut changed = false;
        for _ in 0..times {
            // Not every way fits every text.
            changed |= (0..8).any(|_| self.once());
        }
        self.bytes.truncate(self.limit);
        changed
    }

    fn once(&mut self) -> bool {
        match self.below(26) {
            0..=4 => self.change_number(),
            5 => self.drop_line(),
            6 => self.double_line(),
            7 => self.swap_lines(),
            8 | 9 => self.take_line(),
            10 => self.splice(),
            11 => self.drop_piece(),
            12 => self.swap_pieces(),
            13 | 14 => self.replace_piece(),
            15 => self.double_piece(),
            16 => self.repeat_piece(),
            17 | 18 => self.insert_word(),
            19 => self.replace_by_word(),
            20 | 21 => self.change_character(),
            22 => self.drop_character(),
            23 => self.insert_character(),
            24 => self.make_series(),
            _ => self.change_end(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rand.below_or_zero(bound)
    }

    /// Once in `times`.
    fn chance(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let at = self.below(from.len());
        from.get(at).cloned()
    }

    fn replace(&mut self, range: Range<usize>, by: &[u8]) -> bool {
        let differs = self.bytes.get(range.clone()) != Some(by);
        self.bytes.splice(range, by.iter().copied());
        differs
    }

    /// One number becomes another.
    pub(super) fn change_number(&mut self) -> bool {
        let places = numbers(self.bytes);
        let Some(place) = self.pick(&places) else { return false };
        let text = String::from_utf8_lossy(&self.bytes[place.clone()]).into_owned();
        let Ok(value) = text.parse::<i128>() else { return false };
        let new = match self.below(13) {
            0 | 1 => value + 1,
            2 | 3 => value - 1,
            4 => value.saturating_mul(2),
            5 => value / 2,
            6 => -value,
            7 => self.pick(&self.dictionary.numbers.clone()).unwrap_or(value + 2),
            8 | 9 => self.pick(&BOUNDARIES).unwrap_or(0),
            10 => self.another_number().unwrap_or(value + 10),
            11 => {
                let dictionary = self.dictionary;
                self.pick(dictionary.near_numbers()).unwrap_or(value - 2)
            }
            _ => i128::try_from(self.below(10_usize.pow(u32::try_from(text.len().clamp(1, 6)).unwrap_or(1))))
                .unwrap_or(0),
        };
        self.replace(place, new.to_string().as_bytes())
    }

    /// A number that stands elsewhere, in this input or in the other.
    fn another_number(&mut self) -> Option<i128> {
        let source = if self.chance(2) { self.bytes.clone() } else { self.other.to_vec() };
        let place = self.pick(&numbers(&source))?;
        std::str::from_utf8(&source[place]).ok()?.parse().ok()
    }

    fn drop_line(&mut self) -> bool {
        let lines = lines(self.bytes);
        lines.len() > 1 && self.pick(&lines).is_some_and(|line| self.replace(line, b""))
    }

    fn double_line(&mut self) -> bool {
        let Some(line) = self.pick(&lines(self.bytes)) else { return false };
        let text = with_newline(&self.bytes[line.clone()]);
        self.replace(line.start..line.start, &text)
    }

    /// A line many times, each time with another word in one place: tables and lists have their limits.
    fn make_series(&mut self) -> bool {
        let Some(line) = self.pick(&lines(self.bytes)) else { return false };
        let text = with_newline(&self.bytes[line.clone()]);
        let mut words = pieces(&text);
        words.retain(|piece| Class::of(text[piece.start]) == Class::Word);
        let Some(word) = self.pick(&words) else { return false };
        let times = self.pick(&REPEATS).unwrap_or(2);
        let number = std::str::from_utf8(&text[word.clone()]).ok().and_then(|word| word.parse::<u32>().ok());
        let mut series = Vec::new();
        for i in 0..times {
            let name = match number {
                Some(number) => (u64::from(number) + i as u64).to_string().into_bytes(),
                None => [&text[word.clone()], i.to_string().as_bytes()].concat(),
            };
            series.extend([&text[..word.start], &name, &text[word.end..]].concat());
        }
        self.bytes.len() + series.len() <= self.limit && self.replace(line, &series)
    }

    fn swap_lines(&mut self) -> bool {
        let lines = lines(self.bytes);
        self.swap(&lines)
    }

    /// Swaps two of these ranges, which follow each other.
    fn swap(&mut self, ranges: &[Range<usize>]) -> bool {
        if ranges.len() < 2 {
            return false;
        }
        let (a, b) = (self.below(ranges.len()), self.below(ranges.len()));
        let (first, second) = (ranges[a.min(b)].clone(), ranges[a.max(b)].clone());
        if first.start == second.start {
            return false;
        }
        let between = self.bytes[first.end..second.start].to_vec();
        let text = [&self.bytes[second.clone()], &between, &self.bytes[first.clone()]].concat();
        self.replace(first.start..second.end, &text)
    }

    /// A line of the other input comes in, or takes the place of one.
    fn take_line(&mut self) -> bool {
        let Some(taken) = self.pick(&lines(self.other)) else { return false };
        let text = with_newline(&self.other[taken]);
        let places = lines(self.bytes);
        let place = self.pick(&places).unwrap_or(0..0);
        let keeps = self.chance(2);
        let range = if keeps { place.start..place.start } else { place };
        self.replace(range, &text)
    }

    /// The beginning of this input, then the end of the other.
    fn splice(&mut self) -> bool {
        let (Some(here), Some(there)) = (self.pick(&lines(self.bytes)), self.pick(&lines(self.other))) else {
            return false;
        };
        let rest = self.other[there.start..].to_vec();
        self.replace(here.end..self.bytes.len(), &rest)
    }

    fn pieces(&self) -> Vec<Range<usize>> {
        pieces(&self.bytes[..self.bytes.len().min(WHOLE)])
    }

    fn drop_piece(&mut self) -> bool {
        let pieces = self.pieces();
        self.pick(&pieces).is_some_and(|piece| self.replace(piece, b""))
    }

    fn swap_pieces(&mut self) -> bool {
        let pieces = self.pieces();
        self.swap(&pieces)
    }

    /// A piece of the same class takes the place of one.
    fn replace_piece(&mut self) -> bool {
        let Some(piece) = self.pick(&self.pieces()) else { return false };
        let class = Class::of(self.bytes[piece.start]);
        let source = if self.chance(2) { self.bytes.clone() } else { self.other.to_vec() };
        let mut same = pieces(&source[..source.len().min(WHOLE)]);
        same.retain(|candidate| Class::of(source[candidate.start]) == class);
        let Some(taken) = self.pick(&same) else { return false };
        self.replace(piece, &source[taken])
    }

    fn double_piece(&mut self) -> bool {
        let Some(piece) = self.pick(&self.pieces()) else { return false };
        let text = self.bytes[piece].to_vec();
        let place = self.pick(&self.pieces()).map_or(0, |place| place.start);
        self.replace(place..place, &text)
    }

    fn repeat_piece(&mut self) -> bool {
        let Some(piece) = self.pick(&self.pieces()) else { return false };
        let times = self.pick(&REPEATS).unwrap_or(2);
        let text = self.bytes[piece.clone()].repeat(times);
        self.bytes.len() + text.len() <= self.limit && self.replace(piece, &text)
    }

    fn insert_word(&mut self) -> bool {
        let Some(word) = self.pick(&self.dictionary.words.clone()) else { return false };
        let place = self.pick(&self.pieces()).map_or(0, |piece| piece.start);
        self.replace(place..place, &word)
    }

    fn replace_by_word(&mut self) -> bool {
        let Some(word) = self.pick(&self.dictionary.words.clone()) else { return false };
        self.pick(&self.pieces()).is_some_and(|piece| self.replace(piece, &word))
    }

    fn change_character(&mut self) -> bool {
        if self.bytes.is_empty() {
            return false;
        }
        let at = self.below(self.bytes.len());
        let old = self.bytes[at];
        self.bytes[at] = match self.below(5) {
            0 => old.wrapping_add(1),
            1 => old.wrapping_sub(1),
            2 => self.character(),
            _ => self.another_character().unwrap_or(old),
        };
        self.bytes[at] != old
    }

    /// A character that stands elsewhere, in this input or in the other: many texts are made of a few.
    fn another_character(&mut self) -> Option<u8> {
        let source = if self.chance(2) { self.bytes.as_slice() } else { self.other };
        let at = self.rand.below_or_zero(source.len());
        source.get(at).copied().filter(|byte| !byte.is_ascii_whitespace())
    }

    fn drop_character(&mut self) -> bool {
        if self.bytes.is_empty() {
            return false;
        }
        let at = self.below(self.bytes.len());
        self.replace(at..at + 1, b"")
    }

    fn insert_character(&mut self) -> bool {
        let (at, character) = (self.below(self.bytes.len() + 1), self.character());
        self.replace(at..at, &[character])
    }

    /// One that the inputs have, or any that can be typed.
    fn character(&mut self) -> u8 {
        match self.below(4) {
            0 | 1 if !self.bytes.is_empty() => {
                let at = self.below(self.bytes.len());
                self.bytes[at]
            }
            2 if !self.other.is_empty() => {
                let at = self.below(self.other.len());
                self.other[at]
            }
            _ => self.pick(b" \t\n0123456789abzAZ_-+.,;:=#%&|!?/\\\"'()[]{}<>*@~").unwrap_or(b' '),
        }
    }

    /// The text ends earlier, or its last line does or does not end.
    fn change_end(&mut self) -> bool {
        if self.chance(2) {
            let cut = self.pick(&self.pieces()).map_or(0, |piece| piece.start);
            return self.replace(cut..self.bytes.len(), b"");
        }
        match self.bytes.last() {
            Some(b'\n') => self.bytes.pop().is_some(),
            _ => self.replace(self.bytes.len()..self.bytes.len(), b"\n"),
        }
    }
}

/// Numbers in decimal, with a sign that belongs to them.
pub(super) fn numbers(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len().min(WHOLE) {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |n| at + n);
        let signed = at > 0 && bytes[at - 1] == b'-' && (at < 2 || !bytes[at - 2].is_ascii_alphanumeric());
        let start = if signed { at - 1 } else { at };
        if end - start <= 30 {
            found.push(start..end);
        }
        at = end;
    }
    found
}

/// Lines with their ends.
fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines = bytes[..bytes.len().min(WHOLE)].split_inclusive(|&byte| byte == b'\n');
    lines
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}

fn with_newline(line: &[u8]) -> Vec<u8> {
    let mut line = line.to_vec();
    if line.last() != Some(&b'\n') {
        line.push(b'\n');
    }
    line
}

/// What a byte is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Blank,
    Newline,
    Sign,
}

impl Class {
    fn of(byte: u8) -> Self {
        match byte {
            b'\n' | b'\r' => Self::Newline,
            b' ' | b'\t' => Self::Blank,
            b'_' | 0x80.. => Self::Word,
            byte if byte.is_ascii_alphanumeric() => Self::Word,
            _ => Self::Sign,
        }
    }
}

/// Words, blanks, signs; signs and ends of lines stand each for themselves.
fn pieces(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, &byte) in bytes.iter().enumerate() {
        let class = Class::of(byte);
        match found.last_mut() {
            Some(last)
                if matches!(class, Class::Word | Class::Blank) && Class::of(bytes[last.start]) == class =>
            {
                last.end = at + 1;
            }
            _ => found.push(at..at + 1),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use libafl_bolts::rands::StdRand;

    use super::*;

    fn texts(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<String> {
        ranges.iter().map(|range| String::from_utf8_lossy(&bytes[range.clone()]).into_owned()).collect()
    }

    #[test]
    fn numbers_have_the_sign_that_belongs_to_them() {
        let text = b"a-5 -7,12 x9";
        assert_eq!(texts(text, &numbers(text)), ["5", "-7", "12", "9"]);
    }

    #[test]
    fn words_and_blanks_are_whole_and_signs_are_single() {
        let text = b"key  = 1;;\n";
        assert_eq!(texts(text, &pieces(text)), ["key", "  ", "=", " ", "1", ";", ";", "\n"]);
    }

    #[test]
    fn the_same_chance_makes_the_same_text_and_texts_stay_within_their_limit() {
        let dictionary =
            Dictionary { words: vec![b"magic".to_vec()], numbers: vec![42], ..Dictionary::default() };
        let run = || {
            let mut rand = StdRand::with_seed(7);
            let mut made = Vec::new();
            for _ in 0..500 {
                let mut bytes = b"one 1\ntwo 2\nthree 3\n".to_vec();
                let mut editor = Editor {
                    bytes: &mut bytes,
                    other: b"four 4\n",
                    dictionary: &dictionary,
                    rand: &mut rand,
                    limit: 64,
                };
                editor.change();
                made.push(bytes);
            }
            made
        };
        let made = run();
        assert_eq!(made, run());
        assert!(made.iter().all(|bytes| bytes.len() <= 64));
        for wanted in
            ["magic", "42", "four", "two 1\n", "one 2\n", "two0 2\ntwo1 2\ntwo2 2\n", "three 3\nthree 4\n"]
        {
            assert!(made.iter().any(|bytes| String::from_utf8_lossy(bytes).contains(wanted)), "{wanted}");
        }
    }

    #[test]
    fn texts_are_formed_alike_if_only_numbers_and_words_differ() {
        assert_eq!(form(b"3 abc\n"), form(b"-20 x_1\n"));
        assert_ne!(form(b"3 abc\n"), form(b"3 abc"));
        assert_ne!(form(b"3 abc\n"), form(b"3 4\n"));
        assert_ne!(form(b"3-4"), form(b"34"));
    }

    #[test]
    fn text_and_other_bytes_are_told_apart() {
        assert!(is_text(b"") && is_text(b"a\tb\n") && is_text("ä".as_bytes()));
        assert!(!is_text(b"\x7fELF\x02\x01\x01\0\0\0"));
    }
}
