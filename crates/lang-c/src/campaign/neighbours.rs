//! Neighbours of the inputs of tests, one after the other: one number becomes another that the program cares about.
//!
//! Chance changes everything a little, and seldom one certain number to one certain other. That is what many conditions ask
//! for, and a test with one number changed is still an input that somebody may give.

use std::collections::VecDeque;
use std::ops::Range;

use bonafix_model::ProgramInput;
use memchr::memmem;

use super::dictionary::Dictionary;
use super::text::{BOUNDARIES, numbers};

/// Numbers of one input that are changed.
const PLACES: usize = 64;
/// Neighbours by what the program compared: of the input of a test, and of another one that is kept.
const BY_COMPARISON: usize = 200;
const BY_COMPARISON_OF_OTHERS: usize = 32;
/// In larger inputs no places are looked for.
const LARGEST: usize = 16 * 1024;
/// And so many that wait at most.
const WAITING: usize = 4000;

/// Of one test, so many in which numbers are made the same.
const EQUALS: usize = 48;
/// Numbers of which each is made the same as each other one.
const PAIRED: usize = 8;

/// Where a number stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Bytes(Range<usize>),
    Argument(usize, Range<usize>),
}

/// What becomes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Plus(i128),
    To(i128),
}

/// Makes them.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    seeds: Vec<(ProgramInput, Vec<Place>)>,
    changes: Vec<Change>,
    /// Change, seed and place that come next.
    next: (usize, usize, usize),
    /// Those by comparison of numbers in decimal, which are few and come first.
    met_in_text: VecDeque<ProgramInput>,
    /// Those by comparison of other bytes, of which many mean nothing: every other one.
    met_in_bytes: VecDeque<ProgramInput>,
    is_turn_of_bytes: bool,
    /// Inputs of tests in which several numbers are the same: conditions ask for that, and chance hardly makes it.
    equals: VecDeque<ProgramInput>,
    is_turn_of_equals: bool,
}

impl Neighbours {
    pub(super) fn new(dictionary: &Dictionary) -> Self {
        let mut changes = vec![Change::Plus(1), Change::Plus(-1)];
        for &number in dictionary.near_numbers().iter().chain(&BOUNDARIES) {
            if !changes.contains(&Change::To(number)) {
                changes.push(Change::To(number));
            }
        }
        Self { changes, ..Self::default() }
    }

    /// Takes up the input of a test.
    pub(super) fn add_seed(&mut self, input: &ProgramInput) {
        let in_bytes = numbers(&input.bytes).into_iter().map(Place::Bytes);
        let words = input.arguments.iter().flatten().enumerate();
        let in_words = words.flat_map(|(at, word)| {
            numbers(word.as_bytes()).into_iter().map(move |range| Place::Argument(at, range))
        });
        let places: Vec<Place> = in_words.chain(in_bytes).take(PLACES).collect();
        if input.bytes.len() <= LARGEST {
            queue(&mut self.equals, input, with_equals(&input.bytes).into_iter(), EQUALS);
        }
        if !places.is_empty() {
            self.seeds.push((input.clone(), places));
        }
    }

    /// Takes up what the program compared while it ran an input that is kept.
    pub(super) fn add_comparisons(&mut self, input: &ProgramInput, pairs: &[(u64, u64)], is_seed: bool) {
        if input.bytes.len() > LARGEST {
            return;
        }
        let most = if is_seed { BY_COMPARISON } else { BY_COMPARISON_OF_OTHERS };
        let directions = || pairs.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
        let places: Vec<(Range<usize>, i128)> = numbers(&input.bytes)
            .into_iter()
            .take(PLACES)
            .filter_map(|range| Some((range.clone(), value_at(&input.bytes, &range)?)))
            .collect();
        let as_text = directions().flat_map(|(from, to)| met_in_text(&input.bytes, &places, from, to));
        let as_bytes = directions().flat_map(|(from, to)| met_in_bytes(&input.bytes, from, to));
        queue(&mut self.met_in_text, input, as_text, most);
        queue(&mut self.met_in_bytes, input, as_bytes, most);
    }

    /// The next one. Every number of every test meets a change before any meets the next.
    pub(super) fn make(&mut self) -> Option<ProgramInput> {
        if let Some(input) = self.met_in_text.pop_front() {
            return Some(input);
        }
        self.is_turn_of_bytes = !self.is_turn_of_bytes;
        if self.is_turn_of_bytes
            && let Some(input) = self.met_in_bytes.pop_front()
        {
            return Some(input);
        }
        self.is_turn_of_equals = !self.is_turn_of_equals;
        if self.is_turn_of_equals
            && let Some(input) = self.equals.pop_front()
        {
            return Some(input);
        }
        self.with_other_number().or_else(|| self.equals.pop_front()).or_else(|| self.met_in_bytes.pop_front())
    }

    fn with_other_number(&mut self) -> Option<ProgramInput> {
        loop {
            let (change, seed, place) = self.next;
            let change_of_number = *self.changes.get(change)?;
            match self.seeds.get(seed) {
                None if self.seeds.is_empty() => return None,
                None => self.next = (change + 1, 0, 0),
                Some((_, places)) if place >= places.len() => self.next = (change, seed + 1, 0),
                Some((input, places)) => {
                    self.next = (change, seed, place + 1);
                    if let Some(neighbour) = changed(input, &places[place], change_of_number) {
                        return Some(neighbour);
                    }
                }
            }
        }
    }
}

/// Lets inputs with these bytes wait, each once.
fn queue(
    waiting: &mut VecDeque<ProgramInput>,
    input: &ProgramInput,
    made: impl Iterator<Item = Vec<u8>>,
    most: usize,
) {
    let most = most.min(WAITING.saturating_sub(waiting.len()));
    let mut different: Vec<Vec<u8>> = Vec::new();
    for bytes in made {
        if different.len() >= most {
            break;
        }
        if !different.contains(&bytes) {
            different.push(bytes);
        }
    }
    let arguments = &input.arguments;
    waiting.extend(different.into_iter().map(|bytes| ProgramInput { arguments: arguments.clone(), bytes }));
}

/// All numbers become one of them; then each of the first ones becomes each other one.
fn with_equals(bytes: &[u8]) -> Vec<Vec<u8>> {
    let ranges: Vec<Range<usize>> = numbers(bytes).into_iter().take(PLACES).collect();
    if ranges.len() < 2 {
        return Vec::new();
    }
    let number = |range: &Range<usize>| bytes[range.clone()].to_vec();
    let all_the_same = ranges.iter().map(|range| {
        let same = number(range);
        // From the last one on, so that the places before it stay.
        ranges.iter().rev().fold(bytes.to_vec(), |made, place| replaced(&made, place, &same))
    });
    let first = &ranges[..ranges.len().min(PAIRED)];
    let two_the_same = first.iter().flat_map(|place| {
        let others = first.iter().filter(move |other| *other != place);
        others.map(move |other| replaced(bytes, place, &number(other)))
    });
    let made = all_the_same.take(PAIRED).chain(two_the_same);
    made.filter(|made| made != bytes).collect()
}

fn changed(input: &ProgramInput, place: &Place, change: Change) -> Option<ProgramInput> {
    let mut input = input.clone();
    match place {
        Place::Bytes(range) => input.bytes = with_number(&input.bytes, range, change)?,
        Place::Argument(at, range) => {
            let word = input.arguments.as_mut()?.get_mut(*at)?;
            *word = String::from_utf8(with_number(word.as_bytes(), range, change)?).ok()?;
        }
    }
    Some(input)
}

fn with_number(bytes: &[u8], range: &Range<usize>, change: Change) -> Option<Vec<u8>> {
    let value: i128 = value_at(bytes, range)?;
    let new = match change {
        Change::Plus(more) => value.checked_add(more)?,
        Change::To(new) => new,
    };
    (new != value).then(|| replaced(bytes, range, new.to_string().as_bytes()))
}

fn value_at(bytes: &[u8], range: &Range<usize>) -> Option<i128> {
    std::str::from_utf8(&bytes[range.clone()]).ok()?.parse().ok()
}

fn replaced(bytes: &[u8], range: &Range<usize>, by: &[u8]) -> Vec<u8> {
    [&bytes[..range.start], by, &bytes[range.end..]].concat()
}

/// Where the first number stands in decimal, the second and its neighbours come.
fn met_in_text(bytes: &[u8], places: &[(Range<usize>, i128)], from: u64, to: u64) -> Vec<Vec<u8>> {
    let to = i128::from(to);
    let there = places.iter().filter(|(_, value)| *value == i128::from(from));
    let near = |(range, _): &(Range<usize>, i128)| {
        [to, to + 1, to - 1].map(|number| replaced(bytes, range, number.to_string().as_bytes()))
    };
    there.flat_map(near).collect()
}

/// The same where it stands in two, four or eight bytes, in whichever order.
fn met_in_bytes(bytes: &[u8], from: u64, to: u64) -> Vec<Vec<u8>> {
    let mut made = Vec::new();
    for width in [2, 4, 8] {
        let bound = if width == 8 { u64::MAX } else { (1 << (8 * width)) - 1 };
        // Small numbers and nothing stand everywhere.
        if from < 256 && width > 4 || from == 0 || from > bound || to > bound {
            continue;
        }
        let orders = [
            (from.to_le_bytes()[..width].to_vec(), to.to_le_bytes()[..width].to_vec()),
            (from.to_be_bytes()[8 - width..].to_vec(), to.to_be_bytes()[8 - width..].to_vec()),
        ];
        for (old, new) in orders {
            let places = memmem::find_iter(bytes, &old).take(4);
            made.extend(places.map(|at| replaced(bytes, &(at..at + width), &new)));
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> ProgramInput {
        ProgramInput { arguments: None, bytes: text.as_bytes().to_vec() }
    }

    fn all(neighbours: &mut Neighbours) -> Vec<String> {
        let made = std::iter::from_fn(|| neighbours.make());
        made.map(|input| String::from_utf8_lossy(&input.bytes).into_owned()).collect()
    }

    #[test]
    fn every_number_of_every_test_meets_a_change_before_any_meets_the_next() {
        let dictionary = Dictionary { numbers: vec![77, 5000], near: 1, ..Dictionary::default() };
        let mut neighbours = Neighbours::new(&dictionary);
        neighbours.add_seed(&input("a 5 6\n"));
        neighbours.add_seed(&input("no number"));
        neighbours.add_seed(&input("9"));
        // They take turns with these.
        neighbours.equals.clear();
        let made = all(&mut neighbours);
        assert_eq!(
            made[..9],
            ["a 6 6\n", "a 5 7\n", "10", "a 4 6\n", "a 5 5\n", "8", "a 77 6\n", "a 5 77\n", "77"]
        );
        assert!(made.contains(&"a 5 65535\n".to_owned()) && !made.iter().any(|text| text.contains("5000")));
    }

    #[test]
    fn numbers_of_a_test_become_the_same() {
        let mut neighbours = Neighbours::default();
        neighbours.add_seed(&input("3\n70 5\n"));
        let made = all(&mut neighbours);
        let all_the_same = ["3\n3 3\n", "70\n70 70\n", "5\n5 5\n"];
        let two_the_same = ["70\n70 5\n", "5\n70 5\n", "3\n3 5\n", "3\n5 5\n", "3\n70 3\n", "3\n70 70\n"];
        assert_eq!(made, [&all_the_same[..], &two_the_same].concat());
        neighbours.add_seed(&input("one 7"));
        assert_eq!(all(&mut neighbours), Vec::<String>::new());
    }

    #[test]
    fn numbers_in_arguments_are_changed_as_well() {
        let mut neighbours = Neighbours::new(&Dictionary::default());
        neighbours.add_seed(&ProgramInput {
            arguments: Some(vec!["-t".to_owned(), "-n4".to_owned()]),
            bytes: vec![],
        });
        let first = neighbours.make().and_then(|input| input.arguments);
        assert_eq!(first, Some(vec!["-t".to_owned(), "-n5".to_owned()]));
    }

    #[test]
    fn a_number_becomes_the_one_that_it_was_compared_with() {
        let mut neighbours = Neighbours::default();
        neighbours.add_comparisons(&input("P5 3 1000\n"), &[(1000, 65_535), (7, 8)], true);
        assert_eq!(all(&mut neighbours), ["P5 3 65535\n", "P5 3 65536\n", "P5 3 65534\n"]);
        let bytes = ProgramInput { arguments: None, bytes: vec![9, 1, 3, 9] };
        neighbours.add_comparisons(&bytes, &[(0x0405, 0x0103)], false);
        assert_eq!(neighbours.make().map(|input| input.bytes), Some(vec![9, 4, 5, 9]));
    }
}
