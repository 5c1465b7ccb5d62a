//! LibAFL's fuzzer over our versions.
//!
//! LibAFL has the corpus, the loop, the state of chance and the havoc; ours are the executor, which runs an input in
//! several versions, and with it the feedback; the scheduler, which prefers inputs that reach the change and never looks at
//! a clock; and the loop around it: inputs are made some at a time, so that the versions run them in one go, and then taken up
//! one by one, so that a slice may end after any.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use bonafix_lang::{Found, FuzzSlice, FuzzState, LangError};
use bonafix_model::{Execution, ProgramInput};
use libafl::corpus::{Corpus, CorpusId, InMemoryCorpus};
use libafl::events::NopEventManager;
use libafl::executors::{Executor, ExitKind, HasObservers};
use libafl::feedbacks::{ConstFeedback, Feedback, StateInitializer};
use libafl::fuzzer::{Evaluator, HasScheduler, NopInputFilter, StdFuzzer};
use libafl::inputs::BytesInputConverter;
use libafl::mutators::{MutationResult, Mutator, Tokens};
use libafl::observers::Observer;
use libafl::schedulers::Scheduler;
use libafl::state::{HasCorpus, HasExecutions, HasMaxSize, HasRand, StdState};
use libafl::{Error, HasMetadata};
use libafl_bolts::Named;
use libafl_bolts::rands::{Rand, StdRand};
use libafl_bolts::tuples::{
    Handle, Handled, MatchName, MatchNameRef, RefIndexable, tuple_list, tuple_list_type,
};
use serde::{Deserialize, Serialize};

use super::arena::{Arena, Origin, Ran};
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
/// So many inputs are made at a time, before any of them is taken up.
const BATCH: usize = 16;
/// One input in so many is a neighbour of a test, as long as there are any.
const NEIGHBOURS: u64 = 3;
/// An input that was chosen so often is worth half.
const TIRED: u64 = 64;

pub(super) type State = StdState<InMemoryCorpus<Case>, Case, StdRand, InMemoryCorpus<Case>>;
type Fuzzer = StdFuzzer<Interest, Kept, BytesInputConverter, NopInputFilter, ConstFeedback>;
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

/// Takes up inputs in the arena.
struct Runner {
    arena: Arena,
    origin: Origin,
    /// What became of the input that comes next.
    ran: Option<Ran>,
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
        let ran = self.ran.take().ok_or_else(|| Error::illegal_state("an input was not run"))?;
        match self.arena.take_up(&input.0, self.origin, ran) {
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

/// An input that has run, and is to be taken up.
struct Draft {
    case: Case,
    origin: Origin,
    ran: Ran,
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
    fresh: Fresh,
    mixed: Mixed,
    runner: Runner,
    waiting: VecDeque<ProgramInput>,
    kept: usize,
    drafts: VecDeque<Draft>,
    /// So many inputs are made next, at most.
    batch: usize,
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
            .input_filter(NopInputFilter)
            .scheduler(scheduler)
            .feedback(feedback)
            .objective(objective)
            .build();
        Ok(Self {
            fuzzer,
            state,
            manager: NopEventManager::new(),
            fresh: Fresh::default(),
            mixed,
            runner: Runner {
                arena,
                origin: Origin::Given,
                ran: None,
                observers: tuple_list!(sight),
                compared,
                neighbours,
                failure: None,
            },
            waiting: start.inputs.into(),
            kept: start.kept,
            drafts: VecDeque::new(),
            batch: BATCH,
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

    /// One input, or none if chance made none that was not run before.
    fn step(&mut self) -> Result<(), LangError> {
        if self.drafts.is_empty() {
            let (cases, origin) = if !self.waiting.is_empty() {
                (self.given(), Origin::Given)
            } else if self.state.corpus().count() == 0 {
                (self.out_of_nothing(), Origin::Given)
            } else {
                (self.made().map_err(|error| fault(&error))?, Origin::Made)
            };
            self.run(cases, origin)?;
        }
        let Some(Draft { case, origin, ran }) = self.drafts.pop_front() else { return Ok(()) };
        (self.runner.origin, self.runner.ran) = (origin, Some(ran));
        let (fuzzer, runner) = (&mut self.fuzzer, &mut self.runner);
        let result = fuzzer.evaluate_input(&mut self.state, runner, &mut self.manager, &case);
        if let Some(failure) = self.runner.failure.take() {
            return Err(failure);
        }
        result.map(drop).map_err(|error| fault(&error))
    }

    /// Runs inputs in one go. Nobody waits for many that hang: how many come next depends on how these ended, and on no clock.
    fn run(&mut self, cases: Vec<Case>, origin: Origin) -> Result<(), LangError> {
        let inputs: Vec<ProgramInput> = cases.iter().map(|case| case.0.clone()).collect();
        let ran = self.runner.arena.run_ahead(&inputs, origin)?;
        let is_slow = ran.iter().any(Ran::is_broken);
        self.batch = if is_slow { (self.batch / 4).max(1) } else { (self.batch * 2).min(BATCH) };
        let drafts = cases.into_iter().zip(ran).map(|(case, ran)| Draft { case, origin, ran });
        self.drafts = drafts.collect();
        Ok(())
    }

    /// Inputs from outside.
    fn given(&mut self) -> Vec<Case> {
        let mut cases = Vec::new();
        while cases.len() < self.batch
            && let Some(input) = self.waiting.pop_front()
        {
            let case = Case(input);
            if self.kept > 0 {
                self.kept -= 1;
            } else {
                self.runner.arena.count_seed(&case.0);
                self.runner.neighbours.add_seed(&case.0);
            }
            if self.fresh.enter(&case) {
                cases.push(case);
            }
        }
        cases
    }

    /// Inputs that nobody gave and that were not run before.
    fn made(&mut self) -> Result<Vec<Case>, Error> {
        let mut cases = Vec::new();
        while cases.len() < self.batch && self.idle < IDLE {
            let next = self.inputs() + cases.len() as u64;
            let case = if next.is_multiple_of(NEIGHBOURS)
                && let Some(input) = self.runner.neighbours.make()
            {
                Some(Case(input))
            } else {
                self.mutated()?
            };
            cases.extend(self.unless_known(case));
        }
        Ok(cases)
    }

    fn unless_known(&mut self, case: Option<Case>) -> Option<Case> {
        let case = case.filter(|case| self.fresh.enter(case));
        self.idle = if case.is_some() { 0 } else { self.idle + 1 };
        case
    }

    /// The first input, where none was given, or none that could be kept.
    fn out_of_nothing(&mut self) -> Vec<Case> {
        let bytes = vec![b'0'; self.idle as usize];
        self.unless_known(Some(Case(ProgramInput { arguments: None, bytes }))).into_iter().collect()
    }

    /// An input made of a kept one.
    fn mutated(&mut self) -> Result<Option<Case>, Error> {
        let id = self.fuzzer.scheduler_mut().next(&mut self.state)?;
        let mut case = {
            let testcase = self.state.corpus().get(id)?.borrow();
            testcase.input().clone().unwrap_or_default()
        };
        let result = self.mixed.mutate(&mut self.state, &mut case)?;
        Ok((result == MutationResult::Mutated).then_some(case))
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
