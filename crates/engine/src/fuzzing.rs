//! A fuzzer's search for inputs on which a patched program does what it must not, and a witness of what counts.
//!
//! The language runs inputs in all versions at once and reports the first of each sort on which they part. `judge` says
//! what that is worth: a difference from the reference (RGT), or a crash or an error of memory that the buggy version
//! does not have (Opad). What counts is seen again in fresh processes, made small, written as a folder for people, and run
//! from there. Only then it refutes.

mod difference;
mod fault;
mod rulings;
#[cfg(test)]
mod tests;
mod trial;
mod writing;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bonafix_lang::{Campaign, ExploredVersion, Fuzz, FuzzRequest, FuzzSlice, FuzzState, LangError, Watch};
use bonafix_model::{
    Budget, Effort, Event, Evidence, InputSet, Notice, ProgramInput, SearchEnd, TestId, VersionRole,
};
use camino::Utf8Path;

use self::trial::Trial;
use crate::judging::{JudgingOptions, deadline};
use crate::session::Session;
use crate::similarity::{Compared, Comparison, Programs};

/// The patched version's place among the versions; the one that is taken for right comes before it.
const PATCHED: u32 = 1;
/// Between two words on how it goes, and between two looks at what was found.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// The same where inputs are counted and not time.
const SLICE: u64 = 100;
/// Inputs of earlier patches that are run on a further one.
const KEPT: usize = 300;
/// Of the time, the part that is left for valgrind, which is slow, and for measures.
const SHARE_AFTER: u32 = 5;
/// Inputs of the campaign that are traced at most.
const TRACED: usize = 200;
/// Inputs that are looked at under valgrind where inputs are counted and not time.
const VALGRIND_INPUTS: usize = 12;

/// One patch, to be refuted.
#[derive(Clone, Copy)]
pub(crate) struct Fuzzing<'a, 'f> {
    pub(crate) fuzzer: &'f dyn Fuzz,
    pub(crate) session: &'a Session<'a>,
    /// Name of the patch's files in the run directory.
    pub(crate) folder: &'a str,
    /// The reference, if there is one, the patched version, the buggy version; without a reference the buggy version
    /// comes first.
    pub(crate) versions: &'a [ExploredVersion<'a>],
    /// Does RGT judge?
    pub(crate) by_reference: bool,
    /// Does Opad judge?
    pub(crate) by_faults: bool,
    pub(crate) failing: &'a [TestId],
    pub(crate) passing: &'a [TestId],
    /// What passing tests took on the buggy version.
    pub(crate) took: &'a BTreeMap<TestId, Duration>,
    pub(crate) options: &'a JudgingOptions,
    /// Limit of one execution: of what it may have of the processor, so that a busy machine decides nothing.
    pub(crate) limit: Duration,
    /// Inputs of earlier patches.
    pub(crate) kept: &'a [InputSet],
    pub(crate) log: &'a Utf8Path,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Fuzzed {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) efforts: Vec<Effort>,
    pub(crate) inputs: InputSet,
    pub(crate) notices: Vec<Notice>,
    /// From the start to the first inputs that had run.
    pub(crate) first_input: Option<Duration>,
}

impl<'f> Fuzzing<'_, 'f> {
    /// What came of it, and the campaign, in which further inputs can be run.
    pub(crate) fn carry_out(&self) -> Result<(Fuzzed, Box<dyn Campaign + 'f>), LangError> {
        let started = Instant::now();
        let kept = self.kept_inputs();
        let opened = self.fuzzer.open(&self.request(&kept), self.log)?;
        let mut campaign = opened.campaign;
        // What is built first is not what the budget is for.
        let deadline = deadline(self.options.budget, Instant::now());
        let mut trial = Trial::new(self, campaign.watches(), deadline);
        trial.program_options.usual_codes.extend(campaign.usual_codes());
        let mut first_input = None;
        let mut ended = self.search(campaign.as_mut(), &mut trial, || {
            first_input.get_or_insert_with(|| started.elapsed());
        })?;
        if trial.goes_on() && trial.can_watch(Watch::Valgrind) {
            self.look_under_valgrind(campaign.as_mut(), &mut trial)?;
        }
        if self.options.full && self.by_faults {
            trial.measure(&campaign.corpus(), campaign.as_mut())?;
        } else if !trial.goes_on() {
            ended = SearchEnd::Found;
        }
        let corpus = campaign.corpus();
        let mut fuzzed = trial.close(&campaign.state(), corpus, kept.len() as u64, ended);
        fuzzed.notices = opened.notices;
        fuzzed.first_input = first_input;
        Ok((fuzzed, campaign))
    }

    /// What the language is asked for.
    fn request<'b>(&'b self, kept: &'b [ProgramInput]) -> FuzzRequest<'b> {
        FuzzRequest {
            versions: self.versions,
            failing: self.failing,
            passing: self.passing,
            kept,
            seed: self.options.seed,
            limit: self.limit,
        }
    }

    /// Compares executions of the buggy and of the patched version, with inputs of a campaign as generated tests.
    pub(crate) fn compare(&self, campaign: &mut (dyn Campaign + '_)) -> Result<Compared, LangError> {
        let buggy = self.number_of(VersionRole::Buggy);
        let buggy = buggy.ok_or_else(|| LangError::Internal("there is no buggy version".to_owned()))?;
        let mut tracer = self.fuzzer.tracer(&self.request(&[]), self.log)?;
        let mut corpus = campaign.corpus();
        // Those that reach the change come first.
        corpus.truncate(TRACED);
        let comparison = Comparison {
            failing: self.failing,
            passing: self.passing,
            took: self.took,
            options: self.options,
            delta: self.versions[PATCHED as usize].delta,
            // As above, what is built first does not count.
            deadline: deadline(self.options.budget, Instant::now()),
        };
        let options = rulings::program_options(self.options.strict, self.fuzzer.tested());
        let mut inputs = Programs { campaign, corpus, versions: (buggy, PATCHED), options };
        comparison.carry_out(tracer.as_mut(), &mut inputs)
    }

    /// Lets the fuzzer run, slice by slice, and looks at what each of them found.
    fn search(
        &self,
        campaign: &mut dyn Campaign,
        trial: &mut Trial<'_>,
        mut on_slice: impl FnMut(),
    ) -> Result<SearchEnd, LangError> {
        let end = self.end_of_search(trial);
        let mut inputs = 0;
        loop {
            let slice = match self.options.budget {
                Budget::Inputs(all) => {
                    FuzzSlice { inputs: SLICE.min(all.saturating_sub(inputs)), until: None }
                }
                Budget::Time(_) => {
                    let soon = Instant::now() + TELL_EVERY;
                    FuzzSlice { inputs: u64::MAX, until: Some(end.map_or(soon, |end| end.min(soon))) }
                }
            };
            if slice.inputs == 0 || end.is_some_and(|end| Instant::now() >= end) {
                return Ok(SearchEnd::Budget);
            }
            let found = campaign.fuzz(&slice)?;
            on_slice();
            let state = campaign.state();
            self.tell(&state);
            for finding in &found {
                trial.consider(finding, campaign)?;
                if !trial.goes_on() {
                    return Ok(SearchEnd::Found);
                }
            }
            if state.exhausted {
                return Ok(SearchEnd::Exhausted);
            }
            inputs = state.inputs.max(inputs + 1);
        }
    }

    /// When the fuzzer has to stop so that there is time for what comes after it.
    fn end_of_search(&self, trial: &Trial<'_>) -> Option<Instant> {
        let Budget::Time(time) = self.options.budget else { return None };
        let deadline = trial.deadline?;
        let wanted = self.by_faults && (self.options.full || trial.can_watch(Watch::Valgrind));
        Some(if wanted { deadline.checked_sub(time / SHARE_AFTER).unwrap_or(deadline) } else { deadline })
    }

    /// Runs inputs that are worth something under valgrind, which sees what sanitizers do not: uninitialised values.
    fn look_under_valgrind(
        &self,
        campaign: &mut dyn Campaign,
        trial: &mut Trial<'_>,
    ) -> Result<(), LangError> {
        if !self.by_faults {
            return Ok(());
        }
        let inputs = campaign.corpus();
        let count = if trial.deadline.is_some() { inputs.len() } else { VALGRIND_INPUTS };
        for input in inputs.iter().take(count) {
            if trial.is_late() || !trial.goes_on() {
                break;
            }
            trial.look_for_fault(input, Watch::Valgrind, campaign)?;
        }
        Ok(())
    }

    fn tell(&self, state: &FuzzState) {
        // Progress is for the eyes, and not recorded.
        (self.session.on_event)(&Event::SearchProgress {
            inputs: state.inputs,
            reached: state.reached,
            open_goals: state.branches.saturating_sub(state.branches_taken),
            nearest: None,
            differing: state.differing,
        });
    }

    fn kept_inputs(&self) -> Vec<ProgramInput> {
        let mut inputs = InputSet::merged(self.kept).programs;
        inputs.truncate(KEPT);
        inputs
    }

    /// The place of a version among the versions.
    fn number_of(&self, role: VersionRole) -> Option<u32> {
        let place = self.versions.iter().position(|version| version.role == role)?;
        u32::try_from(place).ok()
    }
}
