//! LibAFL's fuzzer over our versions.
//!
//! LibAFL has the corpus, the loop, the state of chance and the havoc; ours are the executor, which runs an input in
//! several versions, and with it the feedback; the scheduler, which prefers inputs that reach the change and never looks at
//! a clock; and the stage, which makes one input at a time, so that a slice may end after any.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use bonafix_lang::{Found, FuzzSlice, FuzzState, LangError};
use bonafix_model::{Execution, ProgramInput};
use libafl::corpus::{Corpus, CorpusId, HasCurrentCorpusId, InMemoryCorpus};
use libafl::events::NopEventManager;
use libafl::executors::{Executor, ExitKind, HasObservers};
use libafl::feedbacks::{ConstFeedback, Feedback, StateInitializer};
use libafl::fuzzer::{Evaluator, Fuzzer as _, HasScheduler, InputFilter, StdFuzzer};
use libafl::inputs::BytesInputConverter;
use libafl::mutators::{MutationResult, Mutator, Tokens};
use libafl::observers::Observer;
use libafl::schedulers::Scheduler;
use libafl::stages::{Restartable, Stage};
use libafl::state::{HasCorpus, HasExecutions, HasMaxSize, HasRand, StdState};
use libafl::{Error, HasMetadata};
use libafl_bolts::Named;
use libafl_bolts::rands::{Rand, StdRand};
use libafl_bolts::tuples::{
    Handle, Handled, MatchName, MatchNameRef, RefIndexable, tuple_list, tuple_list_type,
};
use serde::{Deserialize, Serialize};

use super::arena::{Arena, Origin};
use super::dictionary::Dictionary;
use super::mutator::{Case, Compared, Mixed, is_unended};
use super::neighbours::Neighbours;

/// A campaign has nothing more to find when so many inputs in a row did nothing new.
pub(super) const PATIENCE: u64 = 20_000;
/// The same, for inputs that could not be made because all that chance made was run before.
const IDLE: u32 = 20_000;
/// Inputs grow to this, or to twice the largest that was given.
const SIZE: usize = 4096;
/// Inputs never grow beyond this, but those that are given may be larger.
const LARGEST: usize = 1024 * 1024;
/// One input in so many is a neighbour of a test, as long as there are any.
const NEIGHBOURS: u64 = 3;
/// An input that was chosen so often is worth half.
const TIRED: u64 = 64;

pub(super) type State = StdState<InMemoryCorpus<Case>, Case, StdRand, InMemoryCorpus<Case>>;
type Fuzzer = StdFuzzer<Interest, Kept, BytesInputConverter, Fresh, ConstFeedback>;
type Observers = tuple_list_type!(Sight);

const SIGHT: &str = "sight";

/// What the executor tells of an input.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Sight {
    keep: bool,
    merit: u64,
    reached: bool,
}

impl Named for Sight {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed(SIGHT)
    }
}

impl<I, S> Observer<I, S> for Sight {}

/// Runs inputs in the arena.
struct Runner {
    arena: Arena,
    origin: Origin,
    observers: Observers,
    compared: Compared,
    neighbours: Neighbours,
    /// Why it could not go on.
    failure: Option<LangError>,
}

impl HasObservers for Runner {
    type Observers = Observers;

    fn observers(&self) -> RefIndexable<&Self::Observers, Self::Observers> {
        RefIndexable::from(&self.observers)
    }

    fn observers_mut(&mut self) -> RefIndexable<&mut Self::Observers, Self::Observers> {
        RefIndexable::from(&mut self.observers)
    }
}

impl<EM, Z> Executor<EM, Case, State, Z> for Runner {
    fn run_target(
        &mut self,
        _fuzzer: &mut Z,
        state: &mut State,
        _manager: &mut EM,
        input: &Case,
    ) -> Result<ExitKind, Error> {
        *state.executions_mut() += 1;
        match self.arena.run(&input.0, self.origin) {
            Ok(seen) => {
                if seen.keep && !seen.comparisons.is_empty() {
                    let is_given = self.origin == Origin::Given;
                    self.neighbours.add_comparisons(&input.0, &seen.comparisons, is_given);
                    self.compared.borrow_mut().insert(input.0.clone(), seen.comparisons);
                }
                self.observers.0 = Sight { keep: seen.keep, merit: seen.merit, reached: seen.reached };
                Ok(ExitKind::Ok)
            }
            Err(error) => {
                self.failure = Some(error);
                Err(Error::shutting_down())
            }
        }
    }
}

/// Keeps what the executor says.
struct Kept(Handle<Sight>);

impl Named for Kept {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("kept")
    }
}

impl<S> StateInitializer<S> for Kept {}

impl<EM, I, OT: MatchName, S> Feedback<EM, I, OT, S> for Kept {
    fn is_interesting(
        &mut self,
        _state: &mut S,
        _manager: &mut EM,
        _input: &I,
        observers: &OT,
        _exit: &ExitKind,
    ) -> Result<bool, Error> {
        Ok(observers.get(&self.0).is_some_and(|sight| sight.keep))
    }
}

/// A kept input, and how often it should be chosen.
struct Standing {
    id: CorpusId,
    merit: u64,
    reached: bool,
    chosen: u64,
}

impl Standing {
    fn weight(&self) -> u64 {
        (self.merit * TIRED / (TIRED + self.chosen)).max(1)
    }
}

/// Chooses kept inputs by what they are worth.
struct Interest {
    sight: Handle<Sight>,
    last: Sight,
    standings: Vec<Standing>,
}

impl Scheduler<Case, State> for Interest {
    fn on_add(&mut self, _state: &mut State, id: CorpusId) -> Result<(), Error> {
        let Sight { merit, reached, .. } = self.last;
        self.standings.push(Standing { id, merit, reached, chosen: 0 });
        Ok(())
    }

    fn on_evaluation<OT: MatchName>(
        &mut self,
        _state: &mut State,
        _input: &Case,
        observers: &OT,
    ) -> Result<(), Error> {
        self.last = observers.get(&self.sight).cloned().unwrap_or_default();
        Ok(())
    }

    fn next(&mut self, state: &mut State) -> Result<CorpusId, Error> {
        let total: u64 = self.standings.iter().map(Standing::weight).sum();
        let mut at = state.rand_mut().below_or_zero(usize::try_from(total).unwrap_or(usize::MAX)) as u64;
        let chosen = self.standings.iter_mut().find(|standing| {
            let weight = standing.weight();
            let is_it = at < weight;
            at = at.saturating_sub(weight);
            is_it
        });
        let chosen = chosen.ok_or_else(|| Error::empty("no input is kept"))?;
        chosen.chosen += 1;
        let id = chosen.id;
        self.set_current_scheduled(state, Some(id))?;
        Ok(id)
    }

    fn set_current_scheduled(&mut self, state: &mut State, next: Option<CorpusId>) -> Result<(), Error> {
        *state.corpus_mut().current_mut() = next;
        Ok(())
    }
}

/// Lets no input through twice.
#[derive(Default)]
struct Fresh(HashSet<u64>);

impl Fresh {
    fn enter(&mut self, input: &Case) -> bool {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        self.0.insert(hasher.finish())
    }
}

impl<EM> InputFilter<EM, Case, State> for Fresh {
    fn should_execute(&mut self, input: &Case, _state: &mut State, _manager: &mut EM) -> Result<bool, Error> {
        Ok(self.enter(input))
    }
}

/// Makes one input.
struct OneInput(Mixed);

impl<E, EM, Z> Stage<E, EM, State, Z> for OneInput
where
    Z: Evaluator<E, EM, Case, State>,
{
    fn perform(
        &mut self,
        fuzzer: &mut Z,
        executor: &mut E,
        state: &mut State,
        manager: &mut EM,
    ) -> Result<(), Error> {
        let Some(id) = state.current_corpus_id()? else { return Ok(()) };
        let mut input = {
            let testcase = state.corpus().get(id)?.borrow();
            testcase.input().clone().unwrap_or_default()
        };
        if self.0.mutate(state, &mut input)? == MutationResult::Mutated {
            fuzzer.evaluate_filtered(state, executor, manager, &input)?;
        }
        Ok(())
    }
}

impl Restartable<State> for OneInput {
    fn should_restart(&mut self, _state: &mut State) -> Result<bool, Error> {
        Ok(true)
    }

    fn clear_progress(&mut self, _state: &mut State) -> Result<(), Error> {
        Ok(())
    }
}

/// What a campaign begins with.
pub(super) struct Start {
    /// Inputs to try first; the first of them are from earlier campaigns.
    pub(super) inputs: Vec<ProgramInput>,
    /// How many of these are no developers' tests.
    pub(super) kept: usize,
    pub(super) dictionary: Dictionary,
    pub(super) seed: u64,
}

/// A fuzzer that goes on from slice to slice. It cannot leave its thread: LibAFL's state does not.
pub(super) struct Fuzzing {
    fuzzer: Fuzzer,
    state: State,
    manager: NopEventManager,
    stages: tuple_list_type!(OneInput),
    runner: Runner,
    waiting: VecDeque<ProgramInput>,
    kept: usize,
    idle: u32,
}

impl Fuzzing {
    pub(super) fn new(arena: Arena, start: Start) -> Result<Self, LangError> {
        let sight = Sight::default();
        let handle = sight.handle();
        let mut feedback = Kept(handle.clone());
        let mut objective = ConstFeedback::new(false);
        let (corpus, solutions) = (InMemoryCorpus::new(), InMemoryCorpus::new());
        let rand = StdRand::with_seed(start.seed);
        let mut state = State::new(rand, corpus, solutions, &mut feedback, &mut objective)
            .map_err(|error| fault(&error))?;
        let largest = start.inputs.iter().map(|input| input.bytes.len()).max().unwrap_or(0);
        state.set_max_size((2 * largest).clamp(SIZE, LARGEST));
        let tokens: Vec<Vec<u8>> =
            start.dictionary.words.iter().chain(&start.dictionary.raw).cloned().collect();
        let mut known = Tokens::new();
        known.add_tokens(&tokens);
        state.add_metadata(known);
        let scheduler = Interest { sight: handle, last: Sight::default(), standings: Vec::new() };
        let compared = Compared::default();
        let neighbours = Neighbours::new(&start.dictionary);
        let given = start.inputs.iter().skip(start.kept).map(|input| input.bytes.as_slice());
        let ends_lines = given.clone().any(|bytes| bytes.ends_with(b"\n")) && !given.clone().any(is_unended);
        let mixed = Mixed::new(start.dictionary, compared.clone(), ends_lines);
        let fuzzer = StdFuzzer::builder()
            .input_filter(Fresh::default())
            .scheduler(scheduler)
            .feedback(feedback)
            .objective(objective)
            .build();
        Ok(Self {
            fuzzer,
            state,
            manager: NopEventManager::new(),
            stages: tuple_list!(OneInput(mixed)),
            runner: Runner {
                arena,
                origin: Origin::Given,
                observers: tuple_list!(sight),
                compared,
                neighbours,
                failure: None,
            },
            waiting: start.inputs.into(),
            kept: start.kept,
            idle: 0,
        })
    }

    /// Goes on for a slice.
    pub(super) fn fuzz(&mut self, slice: &FuzzSlice) -> Result<Vec<Found>, LangError> {
        let end = self.inputs().saturating_add(slice.inputs);
        while self.inputs() < end && !self.is_exhausted() {
            if slice.until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            self.step()?;
        }
        Ok(self.runner.arena.take_found())
    }

    /// One input, or none if chance made one that was run before.
    fn step(&mut self) -> Result<(), LangError> {
        let before = self.inputs();
        let result = match self.waiting.pop_front() {
            Some(input) => self.give(input),
            None => self.make_one(),
        };
        self.idle = if self.inputs() == before { self.idle + 1 } else { 0 };
        if let Some(failure) = self.runner.failure.take() {
            return Err(failure);
        }
        result.map_err(|error| fault(&error))
    }

    /// Runs an input from outside.
    fn give(&mut self, input: ProgramInput) -> Result<(), Error> {
        let case = Case(input);
        if self.kept > 0 {
            self.kept -= 1;
        } else {
            self.runner.arena.count_seed(&case.0);
            self.runner.neighbours.add_seed(&case.0);
        }
        self.runner.origin = Origin::Given;
        let (fuzzer, runner) = (&mut self.fuzzer, &mut self.runner);
        fuzzer.evaluate_filtered(&mut self.state, runner, &mut self.manager, &case).map(|_| ())
    }

    /// Runs an input that nobody gave.
    fn make_one(&mut self) -> Result<(), Error> {
        if self.inputs().is_multiple_of(NEIGHBOURS)
            && let Some(input) = self.runner.neighbours.make()
        {
            self.runner.origin = Origin::Made;
            let (fuzzer, runner) = (&mut self.fuzzer, &mut self.runner);
            return fuzzer
                .evaluate_filtered(&mut self.state, runner, &mut self.manager, &Case(input))
                .map(|_| ());
        }
        self.make()
    }

    /// Runs an input made of a kept one.
    fn make(&mut self) -> Result<(), Error> {
        if self.state.corpus().count() == 0 {
            return self.begin_with_nothing();
        }
        self.runner.origin = Origin::Made;
        self.fuzzer
            .fuzz_one(&mut self.stages, &mut self.runner, &mut self.state, &mut self.manager)
            .map(|_| ())
    }

    /// No input was given, or none that could be kept.
    fn begin_with_nothing(&mut self) -> Result<(), Error> {
        self.runner.origin = Origin::Given;
        let bytes = if self.idle == 0 { Vec::new() } else { vec![b'0'; self.idle as usize] };
        let case = Case(ProgramInput { arguments: None, bytes });
        let (fuzzer, runner) = (&mut self.fuzzer, &mut self.runner);
        fuzzer.evaluate_filtered(&mut self.state, runner, &mut self.manager, &case).map(|_| ())
    }

    fn inputs(&self) -> u64 {
        *self.state.executions()
    }

    fn is_exhausted(&self) -> bool {
        self.waiting.is_empty() && (self.runner.arena.barren() >= PATIENCE || self.idle >= IDLE)
    }

    /// Runs an input in the plain build of a version, and learns nothing from it.
    pub(super) fn glance(&mut self, input: &ProgramInput, version: u32) -> Result<Execution, LangError> {
        self.runner.arena.glance(input, version)
    }

    pub(super) fn progress(&self) -> FuzzState {
        FuzzState { exhausted: self.is_exhausted(), ..self.runner.arena.state() }
    }

    /// Kept inputs, those that reach the change first.
    pub(super) fn corpus(&self) -> Vec<ProgramInput> {
        let mut standings: Vec<&Standing> = self.fuzzer.scheduler().standings.iter().collect();
        standings.sort_by_key(|standing| (!standing.reached, standing.id));
        let cases = standings.into_iter().filter_map(|standing| {
            let testcase = self.state.corpus().get(standing.id).ok()?.borrow();
            testcase.input().as_ref().map(|case| case.0.clone())
        });
        cases.collect()
    }
}

fn fault(error: &Error) -> LangError {
    LangError::Internal(format!("the fuzzer stopped: {error}"))
}
