//! Smaller bytes that still do what larger ones did: fewer lines, fewer parts, fewer bytes, then simpler values, until
//! none of that helps any more.
//!
//! The parts are left out as delta debugging does it (Zeller and Hildebrandt, 2002): halves, quarters, … single ones.

use std::collections::HashSet;

use crate::Allowance;

/// A question to a program: do these bytes still do it?
type Still<'a, E> = &'a mut dyn FnMut(&[u8]) -> Result<bool, E>;

/// The least bytes found that `still` accepts, within what is allowed; the given ones are taken as accepted. The same
/// answers lead to the same bytes.
pub fn minimise_bytes<E>(
    input: &[u8],
    still: &mut dyn FnMut(&[u8]) -> Result<bool, E>,
    allowance: Allowance,
) -> Result<Vec<u8>, E> {
    let mut minimiser = Minimiser { best: input.to_vec(), tried: HashSet::new(), left: allowance };
    minimiser.accepts(Vec::new(), still)?;
    loop {
        let before = minimiser.best.clone();
        minimiser.leave_out(lines, still)?;
        minimiser.leave_out(single_bytes, still)?;
        minimiser.simplify_numbers(still)?;
        minimiser.simplify_bytes(still)?;
        if minimiser.best == before || minimiser.left.is_spent() {
            return Ok(minimiser.best);
        }
    }
}

struct Minimiser {
    best: Vec<u8>,
    tried: HashSet<Vec<u8>>,
    left: Allowance,
}

impl Minimiser {
    /// Takes a candidate if it is accepted, and says whether it was.
    fn accepts<E>(&mut self, candidate: Vec<u8>, still: Still<'_, E>) -> Result<bool, E> {
        if self.left.is_spent() || candidate == self.best || !self.tried.insert(candidate.clone()) {
            return Ok(false);
        }
        self.left.inputs -= 1;
        let accepted = still(&candidate)?;
        if accepted {
            self.best = candidate;
        }
        Ok(accepted)
    }

    /// Leaves out runs of parts, long ones first, the last ones first: what comes late often hangs on what comes early.
    fn leave_out<E>(&mut self, parts_of: fn(&[u8]) -> Vec<&[u8]>, still: Still<'_, E>) -> Result<(), E> {
        let mut length = parts_of(&self.best).len().div_ceil(2);
        while length > 0 && !self.left.is_spent() {
            let mut end = parts_of(&self.best).len();
            while end > 0 {
                let begin = end.saturating_sub(length);
                let parts = parts_of(&self.best);
                let rest: Vec<u8> = parts[..begin]
                    .iter()
                    .chain(&parts[end.min(parts.len())..])
                    .copied()
                    .flatten()
                    .copied()
                    .collect();
                self.accepts(rest, still)?;
                end = begin;
            }
            length = if length == 1 { 0 } else { length.div_ceil(2) };
        }
        Ok(())
    }

    /// Puts smaller numbers in place of runs of digits.
    fn simplify_numbers<E>(&mut self, still: Still<'_, E>) -> Result<(), E> {
        let mut from = 0;
        while let Some((begin, end)) = next_number(&self.best, from) {
            let mut end = end;
            for number in smaller_numbers(&self.best[begin..end]) {
                let candidate = [&self.best[..begin], number.as_bytes(), &self.best[end..]].concat();
                if self.accepts(candidate, still)? {
                    end = begin + number.len();
                    break;
                }
            }
            from = end;
        }
        Ok(())
    }

    /// Puts `a` in place of letters, and nothing but zeros in place of what is no text.
    fn simplify_bytes<E>(&mut self, still: Still<'_, E>) -> Result<(), E> {
        for at in 0..self.best.len() {
            let simple = match self.best[at] {
                b'a'..=b'z' | b'A'..=b'Z' => b'a',
                b'\n' | b' '..=b'~' => continue,
                b'\t' | b'\r' => b' ',
                _ => 0,
            };
            let mut candidate = self.best.clone();
            candidate[at] = simple;
            self.accepts(candidate, still)?;
        }
        Ok(())
    }
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn single_bytes(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.chunks(1).collect()
}

/// The next run of digits at or behind a place.
fn next_number(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let begin = from + bytes.get(from..)?.iter().position(u8::is_ascii_digit)?;
    let length = bytes[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    Some((begin, begin + length))
}

/// Numbers below one, the least first: 0, 1, and then ever nearer to it.
fn smaller_numbers(digits: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(digits);
    let Ok(number) = text.parse::<u64>() else { return vec!["0".to_owned(), "1".to_owned()] };
    let shares = (1..u64::BITS).map(|shift| number >> shift);
    let nearer = shares.clone().map(|share| number - share);
    let mut smaller: Vec<u64> = [0, 1].into_iter().chain(shares).chain(nearer).collect();
    smaller.sort_unstable();
    smaller.dedup();
    smaller.retain(|candidate| *candidate < number);
    smaller.iter().map(u64::to_string).collect()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    const PLENTY: Allowance = Allowance { inputs: 100_000, until: None };

    fn least(input: &[u8], mut still: impl FnMut(&[u8]) -> bool, allowance: Allowance) -> Vec<u8> {
        let mut still = |bytes: &[u8]| Ok::<bool, Infallible>(still(bytes));
        match minimise_bytes(input, &mut still, allowance) {
            Ok(bytes) => bytes,
        }
    }

    fn has(bytes: &[u8], part: &[u8]) -> bool {
        bytes.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn only_the_lines_that_matter_stay() {
        let input = b"one\ntwo\nthree\nfour\nfive\nsix\n";
        let two_lines = |bytes: &[u8]| has(bytes, b"two\n") && has(bytes, b"six\n");
        assert_eq!(least(input, two_lines, PLENTY), b"two\nsix\n");
    }

    #[test]
    fn parts_of_a_line_go_as_well() {
        let brackets = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let open = text.matches('(').count();
            open >= 2 && open > text.matches(')').count()
        };
        assert_eq!(least(b"f(g(h(1), 2), 3) + (4", brackets, PLENTY), b"((");
    }

    #[test]
    fn nothing_is_left_where_nothing_matters() {
        assert_eq!(least(b"anything at all", |_| true, PLENTY), b"");
    }

    #[test]
    fn numbers_become_as_small_as_they_can() {
        let large = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            text.strip_prefix("n=").and_then(|number| number.parse::<u64>().ok()).is_some_and(|n| n > 255)
        };
        assert_eq!(least(b"n=90317", large, PLENTY), b"n=256");
    }

    #[test]
    fn letters_become_a_and_other_bytes_zero() {
        assert_eq!(least(b"Xy\xffz", |bytes| bytes.len() == 4, PLENTY), b"aa\0a");
    }

    #[test]
    fn what_is_allowed_bounds_the_executions_and_the_best_so_far_comes_out() {
        let mut executions = 0;
        let allowance = Allowance { inputs: 7, until: None };
        let input = [b'x'; 1000];
        let result = least(
            &input,
            |bytes| {
                executions += 1;
                bytes.len() >= 3
            },
            allowance,
        );
        assert_eq!(executions, 7);
        assert!(result.len() >= 3 && result.len() < input.len());
        let over = Allowance { inputs: 7, until: Some(std::time::Instant::now()) };
        assert_eq!(least(&input, |_| true, over), input);
    }

    #[test]
    fn an_error_ends_it() {
        let mut still = |_: &[u8]| Err::<bool, &str>("broken");
        assert_eq!(minimise_bytes(b"ab", &mut still, PLENTY), Err("broken"));
    }
}
