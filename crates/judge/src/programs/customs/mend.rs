//! Inputs that nobody gives, made usual.
//!
//! A fuzzer that finds a difference finds it first on rubbish. Often the rubbish has nothing to do with it: then the input
//! shows the same once what is odd about it is taken out.

use super::{Customs, PAIRS, is_of_word, is_unterminated};

/// How what is odd is made usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It is left out.
    LeaveOut,
    /// It becomes something else, and what is open is closed.
    Replace,
}

impl Customs {
    /// Inputs like this one that are usual; none if it is so already, or cannot be made so.
    pub fn mended(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut candidates = Vec::new();
        if self.objection(bytes).is_none() {
            return candidates;
        }
        for way in [Way::LeaveOut, Way::Replace] {
            let text = self.closed(&self.readable(bytes, way), way);
            let mut text = self.moderate(&text);
            if self.unterminated == 0 && is_unterminated(&text) {
                text.push('\n');
            }
            let candidate = text.into_bytes();
            if self.objection(&candidate).is_none() && !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        candidates
    }

    /// Without bytes that are no text and control characters that no test has.
    fn readable(&self, bytes: &[u8], way: Way) -> String {
        let text = String::from_utf8_lossy(bytes);
        let is_odd = |character: char| {
            character == char::REPLACEMENT_CHARACTER || self.is_odd(character) || self.is_foreign(character)
        };
        let usual = self.alphabet.iter().find(|character| character.is_alphabetic());
        let usual = if self.is_foreign('a') { usual.copied().unwrap_or('1') } else { 'a' };
        match way {
            Way::LeaveOut => text.chars().filter(|&character| !is_odd(character)).collect(),
            Way::Replace => text.replace(is_odd, &usual.to_string()),
        }
    }

    /// Without quotation marks and brackets that have no other half, or with that at the end of the line.
    fn closed(&self, text: &str, way: Way) -> String {
        let in_line = |pair: &(char, char)| self.wants_closed_in_line(pair.0);
        let lines: String = text.split_inclusive('\n').map(|line| close(line, way, in_line)).collect();
        close(&lines, way, |pair| self.wants_closed(pair.0))
    }

    /// With words, signs and sizes of numbers as tests have them.
    fn moderate(&self, text: &str) -> String {
        let mut rest = text;
        let mut moderate = String::new();
        while !rest.is_empty() {
            let length = rest.find(|character| !is_of_word(character)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(length);
            moderate += &self.moderate_word(word);
            let between = behind.find(is_of_word).unwrap_or(behind.len());
            moderate += &behind[..between];
            rest = &behind[between..];
        }
        moderate
    }

    fn moderate_word(&self, word: &str) -> String {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() && self.is_extreme(number) => format!("{}", self.largest),
            Ok(number) if number.is_finite() && self.is_unusual_sign(number) => {
                let positive = word.trim_start_matches('-').to_owned();
                if number == 0.0 { "1".to_owned() } else { positive }
            }
            Ok(number) if number.is_finite() => word.to_owned(),
            _ if !word.is_empty() && self.wants_numbers() => "1".to_owned(),
            _ => word.to_owned(),
        }
    }
}

fn close(text: &str, way: Way, wanted: impl Fn(&(char, char)) -> bool) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (open, close) in PAIRS.into_iter().filter(wanted) {
        for place in unmatched(&text, open, close).into_iter().rev() {
            if way == Way::LeaveOut || text[place] != open {
                text.remove(place);
            } else {
                let length = text[place..].iter().position(|&character| character == '\n');
                text.insert(length.map_or(text.len(), |length| place + length), close);
            }
        }
    }
    text.into_iter().collect()
}

/// Where halves of pairs stand that have no other one.
fn unmatched(text: &[char], open: char, close: char) -> Vec<usize> {
    let (mut opened, mut alone) = (Vec::new(), Vec::new());
    for (place, &character) in text.iter().enumerate() {
        if character == close && !(open == close && opened.is_empty()) {
            alone.extend(opened.pop().is_none().then_some(place));
        } else if character == open {
            opened.push(place);
        }
    }
    alone.extend(opened);
    alone.sort_unstable();
    alone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(tests: &[&str], input: &[u8]) -> Vec<String> {
        let customs = Customs::of(tests.iter().map(|text| text.as_bytes()), true);
        customs.mended(input).into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
    }

    const CALLS: [&str; 3] = ["f(x)", "\"a, b\",1", "{{n}}"];

    #[test]
    fn what_is_no_text_is_left_out_or_replaced() {
        assert_eq!(mended(&CALLS, b"a\0b\xffc"), ["abc", "aabac"]);
    }

    #[test]
    fn halves_of_pairs_are_left_out_or_get_their_other_half() {
        assert_eq!(mended(&CALLS, b"f(x,\n(y)"), ["fx,\n(y)", "f(x,)\n(y)"]);
        assert_eq!(mended(&CALLS, b"a\",1"), ["a,1", "a\",1\""]);
        assert_eq!(mended(&CALLS, b"}1"), ["1"]);
        assert_eq!(mended(&CALLS, b"{{\n}}"), ["\n", "{{}}\n"]);
        assert_eq!(mended(&["(1", "f(x)", "2"], b"((1"), Vec::<String>::new(), "that is usual");
    }

    #[test]
    fn a_last_line_gets_its_end() {
        assert_eq!(mended(&["a\n", "b\n", "c\n"], b"x\ny"), ["x\ny\n"]);
    }

    #[test]
    fn numbers_become_as_those_of_tests() {
        let counts = ["3\n1 2 3\n", "1\n7\n", "2\n10 20\n"];
        assert_eq!(mended(&counts, b"2\n-5 4000000000\n"), ["2\n5 20\n"]);
        assert_eq!(mended(&counts, b"x 1\n"), ["1 1\n"]);
    }

    #[test]
    fn what_is_not_odd_stays_as_it_is() {
        let of = |tests: &[&str], trusting: bool, input: &[u8]| {
            let customs = Customs::of(tests.iter().map(|text| text.as_bytes()), trusting);
            customs
                .mended(input)
                .into_iter()
                .map(|bytes| String::from_utf8(bytes).unwrap())
                .collect::<Vec<_>>()
        };
        let counts = ["3\n1 2 3\n", "1\n7\n", "2\n10 20\n"];
        assert_eq!(of(&counts, false, b"-5"), ["-5\n"], "there is a right answer to a sign");
        assert_eq!(
            of(&["a 1\n", "b 2\n", "c\n"], true, b"d -5 4000000000 inf"),
            ["d -5 4000000000 inf\n"],
            "few numbers"
        );
        let large = ["9000000000 1\n", "1 2 3\n", "4 5 6\n"];
        assert_eq!(of(&large, true, b"8000000000"), ["8000000000\n"]);
    }

    #[test]
    fn what_is_usual_needs_no_mending() {
        assert_eq!(mended(&CALLS, b"g(\"x\")\n"), Vec::<String>::new());
        assert_eq!(mended(&["\0", "\x01", "\x02"], b"\0\xff("), Vec::<String>::new());
    }
}
