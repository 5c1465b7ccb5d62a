//! The search: proposes inputs, has them run, learns from what they brought, tells of differences.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use bonafix_lang::{LangError, Run, RunScope};
use bonafix_model::{
    Breakdown, Budget, CallableId, Catalog, Difference, DifferenceKind, Ending, Goal, GoalId, GoalPurpose,
    Knowledge, Ran, SearchEnd, Sequence, SequenceOutcome, Step, Tolerance, compare,
};

use crate::corpus::Goals;
use crate::oddity;
use crate::propose::{Origin, Proposal, Proposer};
use crate::seeds;
use crate::world::World;

/// How to search.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// Where chance begins.
    pub seed: u64,
    /// What it may cost.
    pub budget: Budget,
    /// The versions that are compared: two, the one that is right first.
    pub scope: RunScope,
    /// Inputs without any news after which there is nothing left to be found.
    pub patience: u64,
    /// Inputs of earlier searches, run first.
    pub kept: Vec<Sequence>,
}

/// An input on which the versions differed, or which one of them did not survive.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The input.
    pub input: Sequence,
    /// What became of it.
    pub outcome: SequenceOutcome,
}

/// What somebody thinks of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// Of no use.
    Continue,
    /// Not the same twice: it says nothing about others like it.
    Forget,
    /// Not yet of use, since it is only internal or not ordinary: worth being varied.
    Pursue,
    /// That is what was looked for.
    Stop,
}

/// How far a search is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SearchState {
    /// Inputs that were run.
    pub inputs: u64,
    /// Of these, how many reached changed code.
    pub reached: u64,
    /// Of these, on how many the versions differed.
    pub differing: u64,
    /// Goals that are not met yet.
    pub open_goals: u32,
    /// The least distance to one of the foremost of them.
    pub best_distance: Option<f64>,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchReport {
    /// Inputs that were run.
    pub inputs: u64,
    /// Of these, how many reached changed code.
    pub reached: u64,
    /// Inputs taken from tests, or parts of such.
    pub seeds: u64,
    /// Inputs of earlier searches.
    pub kept: u64,
    /// Branches of the changed methods.
    pub branches: u32,
    /// Of these, how many were taken.
    pub branches_taken: u32,
    /// Inputs on which the versions differed at all.
    pub differing: u64,
    /// Inputs that a version did not survive.
    pub broke_down: u64,
    /// Why it ended.
    pub ended: SearchEnd,
    /// Inputs worth trying on another patch: those that came nearer to something, reached the change or differed.
    pub corpus: Vec<Sequence>,
}

/// Asked for each finding that is unlike those before it; may use the runner to minimise and confirm.
pub type OnDifference<'f> = dyn FnMut(&Finding, &mut dyn Run) -> Result<Reaction, LangError> + 'f;

/// What findings are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FindingKind {
    callable: Option<CallableId>,
    shown: Shown,
    odd: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Visible(DifferenceKind),
    Internal(DifferenceKind),
    Nothing,
    Failed(u32, Breakdown),
}

/// What is known of one kind of findings.
#[derive(Debug, Clone, Copy)]
struct KindRecord {
    count: u64,
    shortest: usize,
    pursue: bool,
    /// Of those that were told of, how many were forgotten.
    forgotten: u64,
}

/// A search.
pub struct Search<'a> {
    proposer: Proposer<'a>,
    options: SearchOptions,
    state: SearchState,
    seeds: u64,
    kept: u64,
    broke_down: u64,
    kinds: BTreeMap<FindingKind, KindRecord>,
    corpus: BTreeSet<Sequence>,
    without_news: u64,
    /// Time that the runner took.
    running: Duration,
    /// Inputs that are run before the next look at the clock.
    slice: usize,
    nothing_to_call: bool,
    /// Kept inputs and seeds that were not queued yet.
    given: Vec<Proposal>,
}

/// Inputs in a batch, once the search is under way.
const BATCH: usize = 512;
/// Inputs in the first one, so that something is known soon.
const FIRST_BATCH: usize = 32;
/// Inputs that go to single calls at most, before all others.
const FOCUSED: u64 = 4_000;
/// A budget of time is kept to within about this.
const LONGEST_BATCH: Duration = Duration::from_millis(500);
/// Inputs that are run between two looks at the clock, at most and at least: some take a thousand times as long as others.
const LONGEST_SLICE: usize = 128;
const SHORTEST_SLICE: usize = 4;
/// What is run between two looks at the clock should take no longer than this.
const SLICE: Duration = Duration::from_millis(200);
/// Inputs without news after which the search begins anew.
const RESTART: u64 = 6_000;
/// Inputs that are handed on to further searches.
const CORPUS: usize = 500;
/// Findings of one kind that are told of before they become rare.
const TOLD: u64 = 6;
/// Findings of one kind that may turn out to be unstable without hiding the others.
const FORGOTTEN: u64 = 400;
/// Findings of one kind that are pursued: what came to nothing so often will not come to anything.
const PURSUED: u64 = 300;

impl<'a> Search<'a> {
    /// Prepares a search in terms of a catalog and of the goals of a runner.
    pub fn new(knowledge: &'a Knowledge, catalog: &Catalog, goals: &[Goal], options: SearchOptions) -> Self {
        let world = World::new(catalog, knowledge, &options.kept);
        let nothing_to_call =
            world.targets.items().is_empty() && knowledge.seeds.is_empty() && options.kept.is_empty();
        let mut proposer = Proposer::new(world, Goals::new(goals), options.seed);
        let callables = catalog.callables.len();
        let is_known = |input: &Sequence| {
            input.is_well_formed() && input.callables().all(|callable| (callable as usize) < callables)
        };
        let usable = || knowledge.seeds.iter().map(|seed| &seed.sequence).filter(|input| is_known(input));
        let kept = options.kept.iter().filter(|input| is_known(input)).cloned();
        let parts = usable().flat_map(|input| seeds::parts(&proposer.world, input));
        let seeds: Vec<Sequence> = usable().cloned().chain(parts).collect();
        // An earlier search had the same tests, and what it kept of theirs is theirs.
        let written: BTreeSet<&Sequence> = seeds.iter().collect();
        let kept: Vec<Sequence> = kept.filter(|input| !written.contains(input)).collect();
        let given = kept
            .into_iter()
            .map(|input| Proposal { input, origin: Origin::Kept })
            .chain(seeds.into_iter().map(|input| Proposal { input, origin: Origin::Seed }));
        let mut given: Vec<Proposal> = given.collect();
        proposer.focused = proposer.goals.parts_open() && !proposer.world.targets.items().is_empty();
        if proposer.focused {
            // Those with one call can be run at once; the others would meet goals in vain.
            let (single, several): (Vec<Proposal>, Vec<Proposal>) =
                given.into_iter().partition(|given| seeds::is_focused(&proposer.world, &given.input));
            given = several;
            for Proposal { input, origin } in single {
                proposer.enqueue(input, origin);
            }
        }
        Self {
            proposer,
            options,
            state: SearchState::default(),
            seeds: 0,
            kept: 0,
            broke_down: 0,
            kinds: BTreeMap::new(),
            corpus: BTreeSet::new(),
            without_news: 0,
            running: Duration::ZERO,
            slice: FIRST_BATCH,
            nothing_to_call,
            given,
        }
    }

    /// Goes on to all other inputs, once those with one call have brought what they can.
    fn widen(&mut self) {
        let limit = match self.options.budget {
            Budget::Inputs(inputs) => FOCUSED.min(inputs / 6),
            Budget::Time(_) => FOCUSED,
        };
        let own = self.state.inputs - self.kept - self.seeds;
        let goes_on =
            self.proposer.goals.parts_open() && own < limit && own.min(self.without_news) < limit / 4;
        if self.proposer.focused && goes_on {
            return;
        }
        self.proposer.focused = false;
        for proposal in std::mem::take(&mut self.given) {
            self.proposer.enqueue(proposal.input, proposal.origin);
        }
    }

    /// Searches until somebody is satisfied, the budget is spent, or nothing is left.
    pub fn run(
        &mut self,
        run: &mut dyn Run,
        on_difference: &mut OnDifference<'_>,
        on_progress: &mut dyn FnMut(&SearchState),
    ) -> Result<SearchReport, LangError> {
        let start = Instant::now();
        let until = match self.options.budget {
            Budget::Time(time) => start.checked_add(time),
            Budget::Inputs(_) => None,
        };
        self.options.scope.until = until;
        let mut size = FIRST_BATCH;
        let ended = loop {
            if self.nothing_to_call {
                break SearchEnd::NothingToCall;
            }
            let Some(allowed) = self.allowed(start, size) else { break SearchEnd::Budget };
            if self.without_news >= self.options.patience {
                break SearchEnd::Exhausted;
            }
            self.widen();
            let batch = self.proposer.batch(allowed);
            if batch.is_empty() && !std::mem::take(&mut self.proposer.focused) {
                break SearchEnd::Exhausted;
            }
            if self.run_batch(batch, until, run, on_difference)? {
                break SearchEnd::Found;
            }
            on_progress(&self.state);
            size = (size * 2).min(BATCH);
        };
        on_progress(&self.state);
        Ok(self.report(ended))
    }

    /// How large the next batch may be; none if the budget is spent.
    fn allowed(&self, start: Instant, size: usize) -> Option<usize> {
        match self.options.budget {
            Budget::Inputs(inputs) => {
                let left = usize::try_from(inputs.saturating_sub(self.state.inputs)).unwrap_or(usize::MAX);
                (left > 0).then_some(left.min(size))
            }
            Budget::Time(time) => {
                let left = time.checked_sub(start.elapsed()).filter(|left| !left.is_zero())?;
                Some(size.min(self.inputs_within(left.min(LONGEST_BATCH))))
            }
        }
    }

    /// How many inputs that time is enough for, judging by those before.
    fn inputs_within(&self, time: Duration) -> usize {
        if self.state.inputs == 0 {
            return FIRST_BATCH;
        }
        let each = self.running.as_nanos() / u128::from(self.state.inputs);
        usize::try_from(time.as_nanos() / each.max(1)).unwrap_or(usize::MAX).max(8)
    }

    /// Runs inputs and learns from them, or from some if the time is up before. Says whether somebody is satisfied.
    fn run_batch(
        &mut self,
        mut batch: Vec<Proposal>,
        until: Option<Instant>,
        run: &mut dyn Run,
        on_difference: &mut OnDifference<'_>,
    ) -> Result<bool, LangError> {
        let mut climbs: BTreeMap<GoalId, usize> = BTreeMap::new();
        let mut satisfied = false;
        while !batch.is_empty() && !satisfied {
            // Where inputs are counted, nothing hangs on the clock.
            let size = until.map_or(batch.len(), |_| self.slice.min(batch.len()));
            let rest = batch.split_off(size);
            satisfied = self.run_slice(batch, &mut climbs, run, on_difference)?;
            let is_late = until.is_some_and(|until| Instant::now() >= until);
            batch = if is_late { Vec::new() } else { rest };
        }
        for (goal, literal) in climbs {
            if let Some(input) = self.proposer.goals.follow(goal, literal) {
                self.proposer.climb(goal, literal, &input);
            }
        }
        self.proposer.fade();
        self.state.open_goals = self.proposer.goals.open();
        self.state.best_distance = self.proposer.goals.best_open();
        if self.without_news >= RESTART && self.without_news % RESTART < BATCH as u64 {
            self.proposer.restart();
        }
        Ok(satisfied)
    }

    fn run_slice(
        &mut self,
        slice: Vec<Proposal>,
        climbs: &mut BTreeMap<GoalId, usize>,
        run: &mut dyn Run,
        on_difference: &mut OnDifference<'_>,
    ) -> Result<bool, LangError> {
        let (inputs, origins): (Vec<Sequence>, Vec<Origin>) =
            slice.into_iter().map(|proposal| (proposal.input, proposal.origin)).unzip();
        let start = Instant::now();
        let results = run.run(&inputs, &self.options.scope)?;
        self.pace(start.elapsed());
        let mut satisfied = false;
        for ((input, origin), ran) in inputs.into_iter().zip(origins).zip(results) {
            // Counted and learnt from even after somebody is satisfied: it was run.
            self.learn(&input, origin, &ran, climbs);
            if satisfied || matches!(ran.outcome, SequenceOutcome::Same { .. }) {
                continue;
            }
            let finding = Finding { input, outcome: ran.outcome };
            satisfied = self.found(&finding, origin, run, on_difference)?;
        }
        Ok(satisfied)
    }

    /// Takes down how long a slice took, and makes the next shorter or longer.
    fn pace(&mut self, took: Duration) {
        self.running += took;
        let next = if took > SLICE { self.slice / 2 } else { self.slice * 2 };
        self.slice = next.clamp(SHORTEST_SLICE, LONGEST_SLICE);
    }

    fn learn(&mut self, input: &Sequence, origin: Origin, ran: &Ran, climbs: &mut BTreeMap<GoalId, usize>) {
        self.state.inputs += 1;
        self.without_news += 1;
        match origin {
            Origin::Kept => self.kept += 1,
            Origin::Seed => self.seeds += 1,
            _ => {}
        }
        if let SequenceOutcome::Same { summary, .. } = &ran.outcome {
            self.proposer.note_run(input, summary);
        }
        let early = matches!(&ran.outcome, SequenceOutcome::Same { summary, .. } if summary.unfit);
        // Those of earlier searches are many, and would hide the few that somebody wrote.
        if origin == Origin::Seed && !early {
            self.proposer.seeds.push(input.clone());
        }
        if ran.feedback.reached {
            if self.state.reached == 0 {
                self.news(origin, 3.0);
            }
            self.state.reached += 1;
            // A part of them is as good as all of them. Those that differ are pursued, if they are worth anything; what
            // is noise would hide all that comes after it.
            let differs = matches!(ran.outcome, SequenceOutcome::Differs { .. });
            if !differs
                && origin != Origin::Kept
                && (self.state.reached < 200 || self.state.reached.is_multiple_of(16))
            {
                self.proposer.reached.push(input.clone());
                self.keep(input);
            }
        }
        for progress in &ran.feedback.progress {
            self.proposer.reward(origin, 1.0);
            if self.proposer.goals.is_leap(progress) {
                self.without_news = 0;
            }
            let open = self.proposer.goals.note(progress, input);
            match origin {
                Origin::Ladder(_, literal) if open => drop(climbs.insert(progress.goal, literal)),
                _ => drop(climbs.remove(&progress.goal)),
            }
        }
        if !ran.feedback.progress.is_empty() {
            self.proposer.reached.push(input.clone());
            self.keep(input);
        }
    }

    fn news(&mut self, origin: Origin, worth: f64) {
        self.without_news = 0;
        self.proposer.reward(origin, worth);
    }

    fn keep(&mut self, input: &Sequence) {
        if self.corpus.len() < CORPUS {
            self.corpus.insert(input.clone());
        }
    }

    fn found(
        &mut self,
        finding: &Finding,
        origin: Origin,
        run: &mut dyn Run,
        on_difference: &mut OnDifference<'_>,
    ) -> Result<bool, LangError> {
        match finding.outcome {
            SequenceOutcome::Failed { .. } => self.broke_down += 1,
            _ => self.state.differing += 1,
        }
        self.forget_missing(finding);
        let kind = self.kind(finding);
        let length = finding.input.steps.len();
        let record = self.kinds.entry(kind).or_insert(KindRecord {
            count: 0,
            shortest: usize::MAX,
            pursue: false,
            forgotten: 0,
        });
        record.count += 1;
        let shorter = length < record.shortest && record.count <= 10 * TOLD;
        let told = record.count <= TOLD || record.count.is_power_of_two() || shorter;
        record.shortest = record.shortest.min(length);
        let first = record.count == 1 && record.forgotten == 0;
        let (pursue, count) = (record.pursue, record.count);
        if first {
            self.proposer.reward(origin, 2.0);
            // What is odd does not count, and there are many ways to be odd.
            if kind.odd == 0 {
                self.without_news = 0;
            }
        }
        self.keep(&finding.input);
        let reaction = match told {
            true => on_difference(finding, run)?,
            false if pursue && count <= PURSUED => Reaction::Pursue,
            false => Reaction::Continue,
        };
        if told && let Some(record) = self.kinds.get_mut(&kind) {
            record.pursue = reaction == Reaction::Pursue;
            if reaction == Reaction::Forget && record.forgotten < FORGOTTEN {
                record.forgotten += 1;
                record.count -= 1;
            }
        }
        match reaction {
            Reaction::Stop => return Ok(true),
            Reaction::Pursue if count <= PURSUED => self.pursue(finding, first),
            Reaction::Pursue | Reaction::Continue | Reaction::Forget => {}
        }
        Ok(false)
    }

    fn forget_missing(&mut self, finding: &Finding) {
        let SequenceOutcome::Differs { observations, .. } = &finding.outcome else { return };
        for observation in observations {
            if let Ending::Unavailable { step } = observation.ending
                && let Some(Step::Call { callable, .. }) = finding.input.steps.get(step as usize)
            {
                self.proposer.world.forget(*callable);
            }
        }
    }

    fn pursue(&mut self, finding: &Finding, first: bool) {
        if first
            && let SequenceOutcome::Differs { observations, .. } = &finding.outcome
            && let [one, other, ..] = &observations[..]
            && let differences = compare(one, other, &Tolerance::default())
            && let Some(difference) = differences.iter().min_by_key(|difference| is_wording(difference.kind))
        {
            let location = &difference.location;
            let thrown = one.thrown_at(location.step).zip(other.thrown_at(location.step));
            let thrown = thrown.map(|(one, _)| one.type_name.as_str());
            for look in crate::observe::looks(&self.proposer.world, &finding.input, location, thrown) {
                self.proposer.enqueue(look, Origin::Look);
            }
        }
        self.proposer.pursued.push(finding.input.clone());
    }

    fn kind(&self, finding: &Finding) -> FindingKind {
        let world = &self.proposer.world;
        let last = finding.input.steps.iter().rev().find_map(|step| match step {
            Step::Call { callable, .. } if world.types.get(world.member(*callable).owner).is_subject => {
                Some(*callable)
            }
            _ => None,
        });
        let shown = match &finding.outcome {
            SequenceOutcome::Failed { version, breakdown } => Shown::Failed(*version, *breakdown),
            SequenceOutcome::Differs { observations, .. } => first_shown(observations),
            SequenceOutcome::Same { .. } => Shown::Nothing,
        };
        FindingKind { callable: last, shown, odd: oddity::ways(world, &finding.input) }
    }

    fn report(&mut self, ended: SearchEnd) -> SearchReport {
        let goals = &self.proposer.goals;
        SearchReport {
            inputs: self.state.inputs,
            reached: self.state.reached,
            seeds: self.seeds,
            kept: self.kept,
            branches: goals.count(GoalPurpose::Branch),
            branches_taken: goals.met(GoalPurpose::Branch),
            differing: self.state.differing,
            broke_down: self.broke_down,
            ended,
            corpus: std::mem::take(&mut self.corpus).into_iter().collect(),
        }
    }
}

fn first_shown(observations: &[bonafix_model::Observation]) -> Shown {
    let [one, other, ..] = observations else { return Shown::Nothing };
    let mut differences = compare(one, other, &Tolerance::default());
    // What somebody may count is not to be drowned by how exceptions are worded.
    differences.sort_by_key(|difference| is_wording(difference.kind));
    let is_visible =
        |difference: &&Difference| !difference.location.is_internal() && !is_wording(difference.kind);
    match (differences.iter().find(is_visible), differences.first()) {
        (Some(difference), _) => Shown::Visible(difference.kind),
        (None, Some(difference)) => Shown::Internal(difference.kind),
        (None, None) => Shown::Nothing,
    }
}

fn is_wording(kind: DifferenceKind) -> bool {
    matches!(kind, DifferenceKind::ExceptionMessage | DifferenceKind::ExceptionPlace)
}
