//! Makes new inputs of kept ones: mostly small changes, then LibAFL's havoc.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use bonafix_model::ProgramInput;
use libafl::Error;
use libafl::corpus::{Corpus, CorpusId};
use libafl::inputs::{HasMutatorBytes, Input, ResizableMutator};
use libafl::mutators::{
    HavocScheduledMutator, MutationResult, Mutator, SingleChoiceScheduledMutator, havoc_mutations,
    tokens_mutations,
};
use libafl::state::{HasCorpus, HasMaxSize, HasRand};
use libafl_bolts::rands::Rand;
use libafl_bolts::tuples::Merge;
use libafl_bolts::{HasLen, Named};
use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::dictionary::Dictionary;
use super::fuzzer::State;
use super::text::{Editor, is_text};

/// Of 100 inputs made of text, so many are made by small changes that keep it text; of others, so many, and more where part
/// of them is text, as the header of an image.
const SMALL_IN_TEXT: usize = 75;
const SMALL_ELSEWHERE: usize = 15;
/// Of 100 inputs, so many get the arguments of another one, or one of them, and so many another number in one of theirs.
const OTHER_ARGUMENTS: usize = 8;
const OTHER_NUMBER: usize = 8;
/// Of 100 inputs, so many get a number that the program compared theirs with.
const COMPARED: usize = 10;

/// Where the last line of each test has its end, one input in so many may lack it.
const UNENDED: usize = 16;

const LONGEST_ARGUMENT: usize = 256;

/// An input, in LibAFL's terms.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Case(pub(super) ProgramInput);

impl Input for Case {}

impl HasLen for Case {
    fn len(&self) -> usize {
        self.0.bytes.len()
    }
}

impl HasMutatorBytes for Case {
    fn mutator_bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    fn mutator_bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0.bytes
    }
}

impl ResizableMutator<u8> for Case {
    fn resize(&mut self, new_len: usize, value: u8) {
        self.0.bytes.resize(new_len, value);
    }

    fn extend<'a, I: IntoIterator<Item = &'a u8>>(&mut self, iter: I) {
        Extend::extend(&mut self.0.bytes, iter);
    }

    fn splice<R, I>(&mut self, range: R, replace_with: I) -> std::vec::Splice<'_, I::IntoIter>
    where
        R: std::ops::RangeBounds<usize>,
        I: IntoIterator<Item = u8>,
    {
        self.0.bytes.splice(range, replace_with)
    }

    fn drain<R: std::ops::RangeBounds<usize>>(&mut self, range: R) -> std::vec::Drain<'_, u8> {
        self.0.bytes.drain(range)
    }
}

/// Numbers that the program compared while it ran kept inputs, by input.
pub(super) type Compared = Rc<RefCell<BTreeMap<ProgramInput, Vec<(u64, u64)>>>>;

/// All ways to make an input.
pub(super) struct Mixed {
    dictionary: Dictionary,
    compared: Compared,
    /// The last line of each test has its end: a program may wait for that until its time is over.
    ends_lines: bool,
    single: Box<dyn Mutator<Case, State>>,
    stacked: Box<dyn Mutator<Case, State>>,
}

impl Mixed {
    pub(super) fn new(dictionary: Dictionary, compared: Compared, ends_lines: bool) -> Self {
        let mutations = || havoc_mutations().merge(tokens_mutations());
        Self {
            dictionary,
            compared,
            ends_lines,
            single: Box::new(SingleChoiceScheduledMutator::new(mutations())),
            stacked: Box::new(HavocScheduledMutator::with_max_stack_pow(mutations(), 4)),
        }
    }

    /// Changes a text a little.
    fn edit(&self, state: &mut State, input: &mut Case) -> Result<bool, Error> {
        let other = other(state)?;
        let limit = state.max_size();
        let mut editor = Editor {
            bytes: &mut input.0.bytes,
            other: &other.bytes,
            dictionary: &self.dictionary,
            rand: state.rand_mut(),
            limit,
        };
        Ok(editor.change())
    }

    /// Changes a number in an argument. Options stay what some developer wrote: another letter would be another program.
    fn count_differently(&self, state: &mut State, input: &mut Case) -> bool {
        let Some(arguments) = &mut input.0.arguments else { return false };
        let with_number =
            arguments.iter_mut().filter(|argument| argument.bytes().any(|byte| byte.is_ascii_digit()));
        let mut with_number: Vec<&mut String> = with_number.collect();
        if with_number.is_empty() {
            return false;
        }
        let chosen = state.rand_mut().below_or_zero(with_number.len());
        let argument = &mut *with_number[chosen];
        let mut bytes = argument.clone().into_bytes();
        let mut editor = Editor {
            bytes: &mut bytes,
            other: &[],
            dictionary: &self.dictionary,
            rand: state.rand_mut(),
            limit: LONGEST_ARGUMENT,
        };
        let changed = editor.change_number();
        *argument = String::from_utf8_lossy(&bytes).into_owned();
        changed
    }

    /// Puts in the number that the program compared with one that stands there.
    fn meet(&self, state: &mut State, input: &mut Case) -> bool {
        let compared = self.compared.borrow();
        let Some(pairs) = compared.get(&input.0).filter(|pairs| !pairs.is_empty()) else { return false };
        for _ in 0..16 {
            let (a, b) = pairs[state.rand_mut().below_or_zero(pairs.len())];
            let (from, to) = if state.rand_mut().below_or_zero(2) == 0 { (a, b) } else { (b, a) };
            if meet_once(&mut input.0.bytes, from, to, state.rand_mut()) {
                return true;
            }
        }
        false
    }

    fn mutate_bytes(&mut self, state: &mut State, input: &mut Case) -> Result<bool, Error> {
        if state.rand_mut().below_or_zero(100) < COMPARED && self.meet(state, input) {
            return Ok(true);
        }
        let small = share_of_small(&input.0.bytes);
        let way = state.rand_mut().below_or_zero(100);
        if way < small {
            return self.edit(state, input);
        }
        let havoc = if way.is_multiple_of(2) { &mut self.single } else { &mut self.stacked };
        Ok(havoc.mutate(state, input)? == MutationResult::Mutated)
    }
}

/// How many of 100 inputs that are made of this one are made by small changes.
fn share_of_small(bytes: &[u8]) -> usize {
    if is_text(bytes) {
        return SMALL_IN_TEXT;
    }
    let seen = &bytes[..bytes.len().min(4096)];
    let typed = seen.iter().filter(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()).count();
    SMALL_ELSEWHERE + (SMALL_IN_TEXT - SMALL_ELSEWHERE) * typed / seen.len().max(1)
}

/// Is it text with a last line that lacks its end?
pub(super) fn is_unended(bytes: &[u8]) -> bool {
    is_text(bytes) && bytes.last().is_some_and(|&last| last != b'\n')
}

/// The arguments of another input, or, if there are as many, half of the time one of them among one's own.
fn mixed(mine: Option<&[String]>, others: Option<Vec<String>>, state: &mut State) -> Option<Vec<String>> {
    let (Some(mine), Some(theirs)) = (mine, &others) else { return others };
    if mine.len() != theirs.len() || mine.len() < 2 || state.rand_mut().below_or_zero(2) == 0 {
        return others;
    }
    let at = state.rand_mut().below_or_zero(mine.len());
    let mut mixed = mine.to_vec();
    mixed[at].clone_from(&theirs[at]);
    Some(mixed)
}

/// Any kept input.
fn other(state: &mut State) -> Result<ProgramInput, Error> {
    let nth = {
        let count = state.corpus().count();
        state.rand_mut().below_or_zero(count)
    };
    let id = state.corpus().nth(nth);
    let testcase = state.corpus().get(id)?.borrow();
    Ok(testcase.input().as_ref().map(|case| case.0.clone()).unwrap_or_default())
}

/// Replaces one place where the first number stands by the second, in the same notation.
fn meet_once<R: Rand>(bytes: &mut Vec<u8>, from: u64, to: u64, rand: &mut R) -> bool {
    let mut notations = vec![(from.to_string().into_bytes(), to.to_string().into_bytes())];
    for width in [8, 4, 2, 1] {
        let bound = if width == 8 { u64::MAX } else { (1 << (8 * width)) - 1 };
        if from > bound || to > bound {
            break;
        }
        notations.push((from.to_le_bytes()[..width].to_vec(), to.to_le_bytes()[..width].to_vec()));
        notations.push((from.to_be_bytes()[8 - width..].to_vec(), to.to_be_bytes()[8 - width..].to_vec()));
    }
    let (old, new) = &notations[rand.below_or_zero(notations.len())];
    let places: Vec<usize> = memmem::find_iter(bytes, old).collect();
    if places.is_empty() || old == new {
        return false;
    }
    let at = places[rand.below_or_zero(places.len())];
    bytes.splice(at..at + old.len(), new.iter().copied());
    true
}

impl Named for Mixed {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("mixed")
    }
}

impl Mutator<Case, State> for Mixed {
    fn mutate(&mut self, state: &mut State, input: &mut Case) -> Result<MutationResult, Error> {
        let mut changed = false;
        let way = state.rand_mut().below_or_zero(100);
        if way < OTHER_ARGUMENTS {
            let arguments = other(state)?.arguments;
            let arguments = mixed(input.0.arguments.as_deref(), arguments, state);
            changed = arguments != input.0.arguments;
            input.0.arguments = arguments;
        } else if way < OTHER_ARGUMENTS + OTHER_NUMBER {
            changed = self.count_differently(state, input);
        }
        if !changed || state.rand_mut().below_or_zero(2) == 0 {
            changed |= self.mutate_bytes(state, input)?;
        }
        if self.ends_lines && is_unended(&input.0.bytes) && state.rand_mut().below_or_zero(UNENDED) > 0 {
            input.0.bytes.push(b'\n');
        }
        Ok(if changed { MutationResult::Mutated } else { MutationResult::Skipped })
    }

    fn post_exec(&mut self, _state: &mut State, _new: Option<CorpusId>) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use libafl_bolts::rands::StdRand;

    use super::*;

    #[test]
    fn a_compared_number_is_met_in_the_notation_in_which_it_stands() {
        let mut rand = StdRand::with_seed(1);
        let mut met = |text: &[u8], from, to| {
            let mut bytes = text.to_vec();
            (0..64).any(|_| meet_once(&mut bytes, from, to, &mut rand)).then_some(bytes)
        };
        assert_eq!(met(b"n=17;", 17, 4711).as_deref(), Some(b"n=4711;".as_slice()));
        assert_eq!(met(&[0, 9, 1, 2], 0x0102, 0x0304).as_deref(), Some([0, 9, 3, 4].as_slice()));
        assert_eq!(met(b"nothing", 17, 18), None);
    }
}
