//! A search for inputs on which a patched version does what it must not, and a witness of what counts.
//!
//! There are two questions. With a reference: does the patched version differ from it (RGT)? Without: does it fail where the
//! buggy version ran well (new failures)? All else is the same.
//! `generate` proposes inputs, the language runs them, `judge` says what a difference is worth. What counts is made small,
//! seen again in fresh state, written as a file for people, and run from there outside of the search. Only then it refutes.

mod closer;
mod proof;
#[cfg(test)]
mod tests;
mod trial;
mod writing;

use std::time::{Duration, Instant};

use bonafix_generate::{Search, SearchOptions, SearchState};
use bonafix_judge::new_failures;
use bonafix_judge::rgt::{self, RgtOptions, Ruling};
use bonafix_lang::{Behaviour, Explore, ExploreRequest, Explored, ExploredVersion, LangError, Run, RunScope};
use bonafix_model::{
    Budget, Catalog, Effort, Event, Evidence, InputSet, Knowledge, Notice, Sequence, Strength, TestId,
};
use camino::Utf8Path;

use self::trial::Trial;
use crate::judging::JudgingOptions;
use crate::session::Session;

/// Versions in which the search runs inputs: the one that is taken for right and the patched one.
pub(crate) const JUDGED: [u32; 2] = [0, 1];
/// Inputs without news after which a search has nothing left.
const PATIENCE: u64 = 120_000;
/// Inputs of earlier patches that are run on a further one.
const KEPT: usize = 1500;
/// Between two words on how it goes.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// What is asked of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// Does it differ from the reference?
    Reference,
    /// Does it fail where the buggy version ran well?
    NewFailures,
    /// None: inputs that reach the change are all that is wanted, by the technique of this name.
    OnlyInputs(&'static str),
}

impl Question {
    /// The name in reports.
    pub(crate) fn technique(self) -> &'static str {
        match self {
            Self::Reference => rgt::NAME,
            Self::NewFailures => new_failures::NAME,
            Self::OnlyInputs(technique) => technique,
        }
    }

    /// What a witness can carry: only a reference says what is right.
    fn strength(self) -> Strength {
        match self {
            Self::Reference => Strength::Proof,
            Self::NewFailures | Self::OnlyInputs(_) => Strength::Heuristic,
        }
    }

    /// Name of the folder of its witnesses, given that of the patch.
    fn folder(self, patch: &str) -> String {
        match self {
            Self::Reference => patch.to_owned(),
            Self::NewFailures | Self::OnlyInputs(_) => format!("{patch}-{}", self.technique()),
        }
    }

    /// Who says what is right.
    fn oracle(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::NewFailures | Self::OnlyInputs(_) => "failure",
        }
    }

    /// The version that is taken for right, in a sentence.
    pub(super) fn right(self) -> &'static str {
        match self {
            Self::Reference => "the reference",
            Self::NewFailures | Self::OnlyInputs(_) => "the buggy version",
        }
    }
}

/// One patch, to be refuted.
pub(crate) struct Refutation<'a> {
    pub(crate) explorer: &'a dyn Explore,
    pub(crate) session: &'a Session<'a>,
    /// Name of the patch's files in the run directory.
    pub(crate) folder: &'a str,
    pub(crate) question: Question,
    /// First the one that is taken for right, then the patched one; others are only shown.
    pub(crate) versions: &'a [ExploredVersion<'a>],
    pub(crate) failing: &'a [TestId],
    pub(crate) passing: &'a [TestId],
    pub(crate) options: &'a JudgingOptions,
    /// What the search may cost.
    pub(crate) budget: Budget,
    /// Inputs of earlier patches.
    pub(crate) kept: &'a [InputSet],
    pub(crate) log: &'a Utf8Path,
}

/// What came of it.
pub(crate) struct Searched {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) effort: Effort,
    pub(crate) inputs: InputSet,
    /// Those of them that the search itself kept, in terms of its catalog.
    pub(crate) corpus: Vec<Sequence>,
    pub(crate) catalog: Catalog,
    pub(crate) knowledge: Knowledge,
    pub(crate) notices: Vec<Notice>,
    /// From the start to the first input that had run.
    pub(crate) first_input: Option<Duration>,
}

impl Refutation<'_> {
    /// The search, and the versions that it ran in, for further questions.
    pub(crate) fn carry_out(&self) -> Result<(Searched, Box<dyn Run>), LangError> {
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
            budget: self.budget,
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
        Ok((trial.close(report, notices, first_input.into_inner()), run))
    }

    /// What an input is worth, given what the version that is taken for right did and what the patched one.
    fn judge(
        &self,
        input: &Sequence,
        catalog: &Catalog,
        knowledge: &Knowledge,
        right: Behaviour<'_>,
        patched: Behaviour<'_>,
        options: &RgtOptions,
    ) -> Ruling {
        match self.question {
            Question::Reference => rgt::judge(input, catalog, knowledge, right, patched, options),
            Question::OnlyInputs(_) => Ruling::Same,
            Question::NewFailures => {
                let delta = self.versions[JUDGED[1] as usize].delta;
                new_failures::judge(input, catalog, knowledge, right, patched, delta, options)
            }
        }
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

/// Runs inputs in the two versions that are judged, and tells of those on which they differ.
pub(crate) fn judged_scope() -> RunScope {
    RunScope { versions: JUDGED.to_vec(), show_all: false, ..RunScope::default() }
}
