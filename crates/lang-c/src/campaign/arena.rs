//! Runs one input in the versions that it is worth running in, and tells what was new about it.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use bonafix_lang::{Found, FuzzState, LangError};
use bonafix_model::{Execution, ProgramInput, steady};

use super::behaviour::{Ledger, Sort, Worth, broke_down, difference, is_faulty, shape};
use super::region::{Region, Standing};
use super::text::form;
use crate::target::{Sample, Target};

/// The version that is taken for right.
const RIGHT: usize = 0;
const PATCHED: usize = 1;
/// Of the inputs that reach the change without anything new, one in so many is also run in the version that is taken for
/// right, to see whether it takes a new branch there.
const LOOKED_AT: u64 = 4;
/// Without coverage, so many inputs at most are kept for what they print.
const SHAPES: u32 = 200;

/// A version, or none if it could not be built that way.
type MaybeTarget = Option<Box<dyn Target>>;

/// The versions, by number.
pub(super) struct Targets {
    /// As the project builds itself.
    pub(super) plain: Vec<Box<dyn Target>>,
    /// With coverage and sanitizers. None where the patched version could not be built so.
    pub(super) fuzz: Vec<MaybeTarget>,
    /// Under valgrind, where there are no sanitizers.
    pub(super) slow: Vec<MaybeTarget>,
}

/// Where an input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A developer's test, or an earlier campaign.
    Given,
    /// Chance.
    Made,
}

/// What was seen of one input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// It should be kept.
    pub(super) keep: bool,
    /// How often it should be chosen for more.
    pub(super) merit: u64,
    /// It runs changed code.
    pub(super) reached: bool,
    /// Numbers that the program compared.
    pub(super) comparisons: Vec<(u64, u64)>,
}

/// What users see of one input.
struct Pair {
    right: Execution,
    patched: Execution,
}

/// What became of an input in the versions that it was run in.
#[derive(Default)]
pub(super) struct Ran {
    /// The patched version with coverage.
    watched: Option<Sample>,
    /// Where it reaches the change, or was expected to.
    pair: Option<Pair>,
    /// The version that is taken for right with coverage, if that was looked at.
    right: Option<Sample>,
    executions: u64,
}

impl Ran {
    /// Did it come to no end in time, or to a limit?
    pub(super) fn is_broken(&self) -> bool {
        let watched = self.watched.as_ref().map(|sample| &sample.execution);
        let pair = self.pair.iter().flat_map(|pair| [&pair.right, &pair.patched]);
        watched.into_iter().chain(pair).any(broke_down)
    }
}

/// What coverage of one version is known.
#[derive(Debug, Default)]
struct Coverage {
    standings: Vec<Standing>,
    /// By edge: which numbers of times it was seen to run, as bits.
    known: Vec<u8>,
}

impl Coverage {
    /// The nearest edge that never ran so often.
    fn news(&mut self, counts: &[u8]) -> Option<Standing> {
        let mut nearest = None;
        for (edge, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let bit = bucket(count);
            if self.known[edge] & bit == 0 {
                self.known[edge] |= bit;
                nearest = nearest.max(Some(self.standings[edge]));
            }
        }
        nearest
    }

    fn learn(&mut self, region: &Region, target: &dyn Target, edges: usize) {
        if self.known.len() < edges {
            self.standings = region.standings(target.places(), edges);
            self.known.resize(self.standings.len(), 0);
        }
    }

    /// Are the places of its edges known?
    fn knows(&self, sample: &Sample) -> bool {
        !sample.coverage.is_empty() && self.standings.len() >= sample.coverage.len()
    }

    fn changed<'a>(&'a self, counts: &'a [u8]) -> impl Iterator<Item = usize> {
        let edges = counts.iter().zip(&self.standings).enumerate();
        edges
            .filter(|(_, (count, standing))| **count > 0 && **standing == Standing::Changed)
            .map(|(edge, _)| edge)
    }
}

/// AFL's classes of how often an edge ran.
fn bucket(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        128.. => 128,
    }
}

/// Where inputs run.
pub(super) struct Arena {
    targets: Targets,
    region: Region,
    /// The developers' tests compare standard error.
    with_errors: bool,
    patched: Coverage,
    right: Coverage,
    differences: Ledger,
    faults: Ledger,
    shapes: Ledger,
    /// How the inputs of tests are formed.
    forms: HashSet<u64>,
    found: Vec<Found>,
    state: FuzzState,
    /// At which input something new came last.
    last_new: u64,
}

impl Arena {
    pub(super) fn new(targets: Targets, region: Region, with_errors: bool) -> Self {
        Self {
            targets,
            region,
            with_errors,
            patched: Coverage::default(),
            right: Coverage::default(),
            differences: Ledger::default(),
            faults: Ledger::default(),
            shapes: Ledger::default(),
            forms: HashSet::new(),
            found: Vec::new(),
            state: FuzzState::default(),
            last_new: 0,
        }
    }

    /// What was found since this was asked last.
    pub(super) fn take_found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    pub(super) fn state(&self) -> FuzzState {
        let is_changed = |edge: &usize| self.patched.standings[*edge] == Standing::Changed;
        let changed: Vec<usize> = (0..self.patched.standings.len()).filter(is_changed).collect();
        let taken = changed.iter().filter(|&&edge| self.patched.known[edge] != 0).count();
        FuzzState {
            branches: u32::try_from(changed.len()).unwrap_or(u32::MAX),
            branches_taken: u32::try_from(taken).unwrap_or(u32::MAX),
            ..self.state.clone()
        }
    }

    /// Inputs since the last one that did something new.
    pub(super) fn barren(&self) -> u64 {
        self.state.inputs - self.last_new
    }

    fn versions(&self) -> usize {
        self.targets.plain.len()
    }

    /// The version with the bug.
    fn buggy(&self) -> usize {
        if self.has_reference() { self.versions() - 1 } else { RIGHT }
    }

    fn has_reference(&self) -> bool {
        self.versions() > 2
    }

    /// What the plain build of a version does in a process of its own.
    pub(super) fn glance(&mut self, input: &ProgramInput, version: u32) -> Result<Execution, LangError> {
        let target = usize::try_from(version).ok().and_then(|version| self.targets.plain.get_mut(version));
        let target = target.ok_or_else(|| LangError::Internal(format!("there is no version {version}")))?;
        Ok(target.run_fresh(input)?.execution)
    }

    fn plain(&mut self, version: usize, input: &ProgramInput) -> Result<Execution, LangError> {
        self.state.executions += 1;
        Ok(self.targets.plain[version].run(input)?.execution)
    }

    fn fresh(&mut self, version: usize, input: &ProgramInput) -> Result<Execution, LangError> {
        self.state.executions += 1;
        Ok(self.targets.plain[version].run_fresh(input)?.execution)
    }

    fn watched(&mut self, version: usize, input: &ProgramInput) -> Result<Option<Sample>, LangError> {
        let Some(target) = self.targets.fuzz.get_mut(version).and_then(Option::as_mut) else {
            return Ok(None);
        };
        self.state.executions += 1;
        target.run(input).map(Some)
    }

    /// Is it known what inputs cover?
    fn has_coverage(&self) -> bool {
        !self.patched.known.is_empty()
    }

    /// Did nearly all inputs reach the change so far? Then the next is not waited for before it runs in plain builds.
    fn expects_to_reach(&self) -> bool {
        self.has_coverage() && self.state.reached * 8 >= self.state.inputs * 7
    }

    /// Runs inputs in the versions that surely have to do with them, before the first of them is taken up.
    pub(super) fn run_ahead(
        &mut self,
        inputs: &[ProgramInput],
        origin: Origin,
    ) -> Result<Vec<Ran>, LangError> {
        let mut all: Vec<Ran> = inputs.iter().map(|_| Ran::default()).collect();
        let has_watched = matches!(self.targets.fuzz.get(PATCHED), Some(Some(_)));
        // Those are not waited for before they run in plain builds.
        let is_beside = origin == Origin::Given || !has_watched || self.expects_to_reach();
        let beside = if is_beside { inputs } else { &[] };
        let (watched, pairs) = self.beside_each_other(inputs, beside)?;
        for (ran, sample) in all.iter_mut().zip(watched) {
            ran.watched = Some(sample);
            ran.executions += 1;
        }
        let reach: Vec<usize> = (0..inputs.len()).filter(|&number| self.reaches(&all[number])).collect();
        if is_beside {
            give_pairs(&mut all, 0..inputs.len(), pairs);
        } else {
            let reaching: Vec<ProgramInput> = reach.iter().map(|&number| inputs[number].clone()).collect();
            let (_, pairs) = self.beside_each_other(&[], &reaching)?;
            give_pairs(&mut all, reach.iter().copied(), pairs);
        }
        self.look_ahead_at_right(inputs, &reach, &mut all)?;
        Ok(all)
    }

    /// Runs the ones with coverage in the patched version, and beside that the others in plain builds.
    fn beside_each_other(
        &mut self,
        watched: &[ProgramInput],
        plain: &[ProgramInput],
    ) -> Result<(Vec<Sample>, Vec<Pair>), LangError> {
        let Targets { plain: targets, fuzz, .. } = &mut self.targets;
        let [right, patched, ..] = targets.as_mut_slice() else { return Ok(Default::default()) };
        let mut run_watched = || match fuzz.get_mut(PATCHED).and_then(Option::as_mut) {
            Some(target) if !watched.is_empty() => target.run_all(watched),
            _ => Ok(Vec::new()),
        };
        let run_plain = || {
            let samples = right.run_all(plain)?.into_iter().zip(patched.run_all(plain)?);
            let pair = |(right, patched): (Sample, Sample)| Pair {
                right: right.execution,
                patched: patched.execution,
            };
            Ok(samples.map(pair).collect())
        };
        if plain.is_empty() {
            return Ok((run_watched()?, Vec::new()));
        }
        let (samples, pairs) = std::thread::scope(|scope| {
            let beside = scope.spawn(run_plain);
            let broken = || Err(LangError::Internal("a thread of the fuzzer broke".to_owned()));
            (run_watched(), beside.join().unwrap_or_else(|_| broken()))
        });
        Ok((samples?, pairs?))
    }

    /// Does it run changed code, as far as is known?
    fn reaches(&self, ran: &Ran) -> bool {
        match &ran.watched {
            Some(sample) if self.patched.knows(sample) => {
                self.patched.changed(&sample.coverage).next().is_some()
            }
            _ => true,
        }
    }

    /// Of the inputs that reach the change, those by number that are run with coverage in the version that is taken for right
    /// whatever else is seen of them.
    fn look_ahead_at_right(
        &mut self,
        inputs: &[ProgramInput],
        reach: &[usize],
        all: &mut [Ran],
    ) -> Result<(), LangError> {
        let is_looked_at = |number: &usize| self.is_looked_at(self.state.inputs + 1 + *number as u64);
        let numbers: Vec<usize> = reach.iter().copied().filter(is_looked_at).collect();
        let Some(target) = self.targets.fuzz.get_mut(RIGHT).and_then(Option::as_mut) else { return Ok(()) };
        let chosen: Vec<ProgramInput> = numbers.iter().map(|&number| inputs[number].clone()).collect();
        if chosen.is_empty() {
            return Ok(());
        }
        for (number, sample) in numbers.into_iter().zip(target.run_all(&chosen)?) {
            all[number].right = Some(sample);
            all[number].executions += 1;
        }
        Ok(())
    }

    /// Is the input of this number run with coverage in the version that is taken for right, even without anything new?
    fn is_looked_at(&self, number: u64) -> bool {
        self.has_reference() && number.is_multiple_of(LOOKED_AT)
    }

    /// Learns from an input that was run.
    pub(super) fn take_up(
        &mut self,
        input: &ProgramInput,
        origin: Origin,
        ran: Ran,
    ) -> Result<Seen, LangError> {
        self.state.inputs += 1;
        self.state.executions += ran.executions;
        let mut seen = Seen { reached: true, ..Seen::default() };
        let mut nearest = None;
        let mut is_broken = false;
        let mut is_fault = false;
        let mut worth = Worth::Known;
        if let Some(sample) = ran.watched {
            nearest = self.cover(&sample, &mut seen);
            is_broken |= broke_down(&sample.execution);
            // Whether the program hangs is better seen where it runs at its own speed.
            is_fault = is_faulty(&sample.execution) && !is_broken;
            if is_fault {
                worth = self.blame(input, &sample)?;
            }
        }
        if seen.reached || origin == Origin::Given {
            let pair = match ran.pair {
                Some(pair) => pair,
                None => Pair { right: self.plain(RIGHT, input)?, patched: self.plain(PATCHED, input)? },
            };
            let (outcome, is_stuck, news) = self.compare(input, pair)?;
            is_broken |= is_stuck;
            nearest = nearest.max(news);
            if outcome == Worth::New {
                worth = Worth::New;
            }
            let is_promising = nearest.is_some() || origin == Origin::Given;
            nearest = nearest.max(self.look_at_right(input, is_promising, ran.right)?);
        }
        self.state.reached += u64::from(seen.reached);
        self.state.broke_down += u64::from(is_broken);
        let is_new = nearest.is_some() || worth == Worth::New;
        if is_new {
            self.last_new = self.state.inputs;
        }
        seen.keep = match origin {
            Origin::Given => !is_broken && !self.is_set_aside(input)?,
            Origin::Made => is_new && !is_broken && !is_fault,
        };
        if seen.keep {
            self.watch_slowly(input)?;
            seen.comparisons = self.comparisons(input)?;
            self.state.corpus += 1;
        }
        seen.merit = merit(origin, nearest, worth, seen.reached, input.bytes.len());
        Ok(seen)
    }

    /// Numbers that the patched version compares while it runs an input. Only what is kept is asked for them.
    fn comparisons(&mut self, input: &ProgramInput) -> Result<Vec<(u64, u64)>, LangError> {
        let Some(target) = self.targets.fuzz.get_mut(PATCHED).and_then(Option::as_mut) else {
            return Ok(Vec::new());
        };
        target.ask_for_comparisons(true);
        self.state.executions += 1;
        let sample = target.run(input);
        target.ask_for_comparisons(false);
        let mut comparisons = sample?.comparisons;
        comparisons.sort_unstable();
        comparisons.dedup();
        Ok(comparisons)
    }

    /// Takes up what the patched version covered: the nearest edge that is new.
    fn cover(&mut self, sample: &Sample, seen: &mut Seen) -> Option<Standing> {
        // A program that cannot be copied tells nothing.
        if sample.coverage.is_empty() {
            return None;
        }
        if let Some(target) = self.targets.fuzz[PATCHED].as_deref() {
            self.patched.learn(&self.region, target, sample.coverage.len());
        }
        seen.reached = self.patched.changed(&sample.coverage).next().is_some();
        self.patched.news(&sample.coverage)
    }

    /// New branches in the version that is taken for right: what the patch lacks cannot be seen in the patched one.
    fn look_at_right(
        &mut self,
        input: &ProgramInput,
        is_promising: bool,
        ran: Option<Sample>,
    ) -> Result<Option<Standing>, LangError> {
        if !self.has_reference() || !is_promising && !self.is_looked_at(self.state.inputs) {
            return Ok(None);
        }
        let sample = match ran {
            Some(sample) => sample,
            None => match self.watched(RIGHT, input)? {
                Some(sample) => sample,
                None => return Ok(None),
            },
        };
        if let Some(target) = self.targets.fuzz[RIGHT].as_deref() {
            self.right.learn(&self.region, target, sample.coverage.len());
        }
        // Elsewhere the versions are the same.
        Ok(self.right.news(&sample.coverage).filter(|&standing| standing == Standing::Changed))
    }

    /// Compares what users see of the patched version and of the one that is taken for right. Tells what that is worth,
    /// whether an execution broke down, and what was new without coverage.
    fn compare(
        &mut self,
        input: &ProgramInput,
        Pair { right, patched }: Pair,
    ) -> Result<(Worth, bool, Option<Standing>), LangError> {
        let is_broken = broke_down(&right) || broke_down(&patched);
        let news = if self.has_coverage() { None } else { self.note_shape(&patched) };
        let Some(sort) = difference(&right, &patched, self.with_errors) else {
            return Ok((Worth::Known, is_broken, news));
        };
        self.state.differing += 1;
        let worth = self.differences.worth(&sort, input.bytes.len());
        let is_reported =
            worth != Worth::Known || self.differences.recurs(&sort, self.forms.contains(&form(&input.bytes)));
        if !is_reported {
            return Ok((Worth::Known, is_broken, news));
        }
        let left = self.lasting(input, &sort, (&right, &patched))?;
        let is_news =
            |left: &Sort| *left == sort || self.differences.worth(left, input.bytes.len()) != Worth::Known;
        let Some(sort) = left.filter(is_news) else { return Ok((Worth::Known, is_broken, news)) };
        self.differences.enter(sort, input.bytes.len());
        let mut executions = vec![Some(right), Some(patched)];
        for version in 2..self.versions() {
            executions.push(Some(self.fresh(version, input)?));
        }
        self.found.push(Found { input: input.clone(), executions });
        Ok((worth, is_broken, news))
    }

    /// What is left of a difference when the versions run again: what comes and goes with no change of the input is none.
    fn lasting(
        &mut self,
        input: &ProgramInput,
        sort: &Sort,
        (right, patched): (&Execution, &Execution),
    ) -> Result<Option<Sort>, LangError> {
        let (again, patched_again) = (self.fresh(RIGHT, input)?, self.fresh(PATCHED, input)?);
        if again == *right && patched_again == *patched {
            return Ok(Some(sort.clone()));
        }
        // A program that tells the time, or draws lots. Each run has a process of its own here.
        let right = [again, self.fresh(RIGHT, input)?];
        let patched = [patched_again, self.fresh(PATCHED, input)?];
        let steady = steady(&right, &patched);
        Ok(steady.and_then(|(right, patched)| difference(&right, &patched, self.with_errors)))
    }

    /// Without coverage, what is printed says whether an input does something new.
    fn note_shape(&mut self, execution: &Execution) -> Option<Standing> {
        let sort = Sort { kind: String::new(), place: shape(execution) };
        let is_new = !self.shapes.knows(&sort) && self.shapes.sorts() < SHAPES;
        is_new.then(|| self.shapes.enter(sort, 0));
        is_new.then_some(Standing::Near)
    }

    /// The patched version has a fault: do the others have it too?
    fn blame(&mut self, input: &ProgramInput, sample: &Sample) -> Result<Worth, LangError> {
        let mut executions = vec![None; self.versions()];
        let mut others = vec![RIGHT, self.buggy()];
        others.dedup();
        let mut sound = Vec::new();
        for version in others {
            let Some(other) = self.watched(version, input)? else { continue };
            if !is_faulty(&other.execution) {
                sound.push(version.to_string());
            }
            executions[version] = Some(other.execution);
        }
        if sound.is_empty() {
            return Ok(Worth::Known);
        }
        let kinds: Vec<&str> = sample.execution.faults.iter().map(|fault| fault.kind.as_str()).collect();
        let sort = Sort {
            kind: format!("{} {}; sound: {}", sample.execution.end, kinds.join(" "), sound.join(" ")),
            place: self.way(&sample.coverage),
        };
        let worth = self.faults.worth(&sort, input.bytes.len());
        let again = if worth == Worth::Known { None } else { self.watched(PATCHED, input)? };
        let Some(again) = again.filter(|again| is_faulty(&again.execution)) else { return Ok(Worth::Known) };
        self.faults.enter(sort, input.bytes.len());
        executions[PATCHED] = Some(again.execution);
        self.found.push(Found { input: input.clone(), executions });
        Ok(worth)
    }

    /// The way that an execution took through changed code. It stands for the place of a fault, which takes a slower
    /// execution to find out.
    fn way(&self, counts: &[u8]) -> String {
        let mut hasher = DefaultHasher::new();
        self.patched.changed(counts).for_each(|edge| edge.hash(&mut hasher));
        format!("{:016x}", hasher.finish())
    }

    /// Runs an input that is kept under valgrind, where nothing faster watches.
    fn watch_slowly(&mut self, input: &ProgramInput) -> Result<(), LangError> {
        let mut executions = Vec::new();
        for version in [PATCHED, RIGHT, self.buggy()] {
            let Some(target) = self.targets.slow.get_mut(version).and_then(Option::as_mut) else {
                return Ok(());
            };
            self.state.executions += 1;
            let execution = target.run(input)?.execution;
            if version == PATCHED && !is_faulty(&execution) {
                return Ok(());
            }
            executions.push(execution);
        }
        let [patched, right, buggy] = executions.as_slice() else { return Ok(()) };
        let kinds: Vec<&str> = patched.faults.iter().map(|fault| fault.kind.as_str()).collect();
        let sort = Sort { kind: format!("{} {}", patched.end, kinds.join(" ")), place: String::new() };
        let is_new = self.faults.worth(&sort, input.bytes.len()) != Worth::Known;
        if is_new && (!is_faulty(right) || !is_faulty(buggy)) {
            self.faults.enter(sort, input.bytes.len());
            let mut all = vec![None; self.versions()];
            all[PATCHED] = Some(patched.clone());
            all[RIGHT] = Some(right.clone());
            let last = self.buggy();
            all[last] = Some(buggy.clone());
            self.found.push(Found { input: input.clone(), executions: all });
        }
        Ok(())
    }

    /// Without a reference, what crashes the buggy version shows no fault that is new, nor do most inputs made of it.
    fn is_set_aside(&mut self, input: &ProgramInput) -> Result<bool, LangError> {
        if self.has_reference() {
            return Ok(false);
        }
        let buggy = self.buggy();
        if is_faulty(&self.plain(buggy, input)?) {
            return Ok(true);
        }
        Ok(self.watched(buggy, input)?.is_some_and(|sample| is_faulty(&sample.execution)))
    }

    /// The input of a test was taken up.
    pub(super) fn count_seed(&mut self, input: &ProgramInput) {
        self.forms.insert(form(&input.bytes));
        self.state.seeds += 1;
    }
}

/// What users see of some of the inputs, by their numbers.
fn give_pairs(all: &mut [Ran], numbers: impl Iterator<Item = usize>, pairs: Vec<Pair>) {
    for (number, pair) in numbers.zip(pairs) {
        all[number].pair = Some(pair);
        all[number].executions += 2;
    }
}

/// How often an input should be chosen, beside others.
fn merit(origin: Origin, nearest: Option<Standing>, worth: Worth, reached: bool, size: usize) -> u64 {
    let by_origin = if origin == Origin::Given { 40 } else { 0 };
    let by_coverage = match nearest {
        Some(Standing::Changed) => 60,
        Some(Standing::Near) => 12,
        Some(Standing::Far) => 3,
        None => 0,
    };
    let by_difference = if worth == Worth::New { 30 } else { 0 };
    let reaching = if reached { 8 } else { 1 };
    let small = 1 + size as u64 / 4096;
    ((by_origin + by_coverage + by_difference) * reaching / small).max(1)
}
