//! RGT on one patch: search for inputs, judge what they show, and make a witness of what counts.
//!
//! `generate` proposes inputs, the language runs them, `judge` says what a difference is worth. What counts is made small,
//! seen again in fresh state, written as a file for people, and run from there outside of the search. Only then it refutes.

mod closer;
mod proof;
mod seen;
#[cfg(test)]
mod tests;
mod trial;
mod writing;

use std::time::{Duration, Instant};

use bonafix_generate::{Search, SearchOptions, SearchState};
use bonafix_judge::rgt;
use bonafix_lang::{Explore, ExploreRequest, Explored, ExploredVersion, LangError, RunScope};
use bonafix_model::{Catalog, Effort, Event, Evidence, InputSet, Notice, Sequence, TestId};
use camino::Utf8Path;

use self::trial::Trial;
use crate::judging::JudgingOptions;
use crate::session::Session;

/// The name in reports.
const TECHNIQUE: &str = rgt::NAME;
/// Versions in which the search runs inputs: the reference and the patched one.
const JUDGED: [u32; 2] = [0, 1];
/// Inputs without news after which a search has nothing left.
const PATIENCE: u64 = 120_000;
/// Inputs of earlier patches that are run on a further one.
const KEPT: usize = 1500;
/// Between two words on how it goes.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// One patch, to be refuted.
pub(crate) struct Refutation<'a> {
    pub(crate) explorer: &'a dyn Explore,
    pub(crate) session: &'a Session<'a>,
    /// Name of the patch's files in the run directory.
    pub(crate) folder: &'a str,
    /// Reference, patched, buggy.
    pub(crate) versions: &'a [ExploredVersion<'a>; 3],
    pub(crate) failing: &'a [TestId],
    pub(crate) passing: &'a [TestId],
    pub(crate) options: &'a JudgingOptions,
    /// Inputs of earlier patches.
    pub(crate) kept: &'a [InputSet],
    pub(crate) log: &'a Utf8Path,
}

/// What came of it.
pub(crate) struct Refuted {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) effort: Effort,
    pub(crate) inputs: InputSet,
    pub(crate) notices: Vec<Notice>,
    /// From the start to the first input that had run.
    pub(crate) first_input: Option<Duration>,
}
impl Refutation<'_> {
    pub(crate) fn carry_out(&self) -> Result<Refuted, LangError> {
        let started = Instant::now();
        let request = ExploreRequest {
            versions: self.versions,
            failing: self.failing,
            passing: self.passing,
            heap_mib: self.options.heap_mib,
        };
        let Explored { mut run, knowledge, notices } = self.explorer.explore(&request, self.log)?;
        let catalog = run.catalog().clone();
        let goals = run.goals().to_vec();
        let options = SearchOptions {
            seed: self.options.seed,
            budget: self.options.budget,
            scope: judged_scope(),
            patience: PATIENCE,
            kept: self.kept_inputs(&catalog),
        };
        let mut trial = Trial::new(self, &catalog, knowledge.clone());
        let first_input = std::cell::OnceCell::new();
        let mut told = Instant::now();
        let report = Search::new(&knowledge, &catalog, &goals, options).run(
            run.as_mut(),
            &mut |finding, run| {
                first_input.get_or_init(|| started.elapsed());
                trial.consider(finding, run)
            },
            &mut |state| {
                first_input.get_or_init(|| started.elapsed());
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    self.tell(state);
                }
            },
        )?;
        Ok(trial.close(report, notices, first_input.into_inner()))
    }

    fn tell(&self, state: &SearchState) {
        // Progress is for the eyes, and not recorded.
        (self.session.on_event)(&Event::SearchProgress {
            inputs: state.inputs,
            reached: state.reached,
            open_goals: state.open_goals,
            nearest: state.best_distance,
            differing: state.differing,
        });
    }

    fn kept_inputs(&self, catalog: &Catalog) -> Vec<Sequence> {
        let mut inputs = InputSet::merged(self.kept).resolve(catalog);
        inputs.truncate(KEPT);
        inputs
    }
}

fn judged_scope() -> RunScope {
    RunScope { versions: JUDGED.to_vec(), show_all: false }
}
