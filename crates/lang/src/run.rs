//! What a language must provide for a search: versions side by side in which inputs run, what is known of the program,
//! and counterexamples as files for people.

use std::collections::{BTreeMap, BTreeSet};

use bonafix_model::{
    Breakdown, Catalog, CodePlace, Confirmation, Delta, Difference, DifferenceClass, Goal, Knowledge, Notice,
    Observation, Ran, Sequence, TestId, Trace, TreeChange, VersionRole,
};
use camino::Utf8Path;

use crate::LangError;

/// What to run inputs in, and what to tell of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunScope {
    /// Numbers of the versions, in the order in which they were asked for; none means all.
    pub versions: Vec<u32>,
    /// Tell what was seen even where all versions did the same.
    pub show_all: bool,
    /// What has not begun by then is not run, and there are fewer results; none for no end.
    pub until: Option<std::time::Instant>,
}

/// Versions of a program, side by side, in which inputs run.
pub trait Run: Send {
    /// What inputs are made of.
    fn catalog(&self) -> &Catalog;

    /// What inputs should bring about, by number.
    fn goals(&self) -> &[Goal];

    /// Runs each input in the versions of the scope, in that order; results in the order of the inputs, of the first ones
    /// only if the time is up before. An input that
    /// breaks down in one version is not run in those behind it.
    fn run(&mut self, inputs: &[Sequence], scope: &RunScope) -> Result<Vec<Ran>, LangError>;

    /// Runs one input several times in each version, each time in fresh state, the versions taking turns. Only what is
    /// stable in both of two versions tells them apart. Nothing at all if the time is up before all is known.
    fn confirm(
        &mut self,
        input: &Sequence,
        repetitions: u32,
        scope: &RunScope,
    ) -> Result<Vec<Confirmation>, LangError>;
}

/// One version to explore.
#[derive(Debug, Clone, Copy)]
pub struct ExploredVersion<'a> {
    /// The part it plays.
    pub role: VersionRole,
    /// What it consists of, on top of the buggy tree. It was built before.
    pub change: &'a TreeChange,
    /// What that means; empty for the buggy version.
    pub delta: &'a Delta,
}

/// What a search is to be made in.
#[derive(Debug, Clone, Copy)]
pub struct ExploreRequest<'a> {
    /// The versions, by number: first the one that is taken for right (the reference, or the buggy one where there is
    /// none), then the patched one, then any others.
    pub versions: &'a [ExploredVersion<'a>],
    /// Tests that show the bug.
    pub failing: &'a [TestId],
    /// Tests that pass on the buggy version.
    pub passing: &'a [TestId],
    /// Heap of the virtual machine, in MiB.
    pub heap_mib: u32,
}

/// A program that is ready to be explored.
pub struct Explored {
    /// Where inputs run.
    pub run: Box<dyn Run>,
    /// What is known, in terms of the runner's catalog.
    pub knowledge: Knowledge,
    /// What the user should know.
    pub notices: Vec<Notice>,
}

/// What one version did with an input, as far as a counterexample needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour<'a> {
    /// It came to an end.
    Observed(&'a Observation),
    /// It did not.
    BrokeDown(Breakdown),
}

/// A counterexample that is to become a file.
#[derive(Debug, Clone, Copy)]
pub struct WitnessDraft<'a> {
    /// In whose terms the input is.
    pub catalog: &'a Catalog,
    /// The input, minimised.
    pub input: &'a Sequence,
    /// How the versions differ.
    pub class: DifferenceClass,
    /// Where; none if the patched version broke down.
    pub difference: Option<&'a Difference>,
    /// What is right.
    pub reference: Behaviour<'a>,
    /// What is wrong.
    pub patched: Behaviour<'a>,
    /// How far apart floating point numbers may be, relative to the greater one.
    pub precision: f64,
    /// The versions, as in [`ExploreRequest::versions`].
    pub versions: &'a [ExploredVersion<'a>],
    /// How often it is run on each version, each time in a process of its own.
    pub repetitions: u32,
}

/// A question that is to become a file.
#[derive(Debug, Clone, Copy)]
pub struct QuestionDraft<'a> {
    /// The two versions, one of them in the part of the reference; the first of its versions is that one.
    pub difference: WitnessDraft<'a>,
    /// Who answers as the one in the part of the reference does, and who as the other.
    pub sides: (&'a str, &'a str),
}

/// How a counterexample ended on one version, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// Which version.
    pub role: VersionRole,
    /// It passed: this version does what the counterexample expects.
    pub passed: bool,
    /// How it failed.
    pub message: Option<String>,
    /// It failed in another way than the counterexample is about: one that says that a version does not come to an end, and
    /// it does, in a failure. Such a run shows nothing.
    pub otherwise: bool,
}

/// A counterexample on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenWitness {
    /// The file that a person keeps, relative to the folder.
    pub file: String,
    /// The input as source code, one statement a line.
    pub input: Vec<String>,
    /// What is compared, as source code.
    pub what: String,
    /// All runs outside of the search, in order.
    pub replays: Vec<Replay>,
}

/// Why a counterexample could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// It cannot be said in the language, as a file without dependencies.
    #[error("{0}")]
    NotExpressible(String),
    /// It does not compile against a version.
    #[error("the witness does not compile: {0}")]
    DoesNotCompile(String),
    /// Anything else.
    #[error(transparent)]
    Lang(#[from] LangError),
}

/// How an execution is to be traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceLimits {
    /// Statements of one execution that are kept; what runs longer is cut.
    pub statements: u32,
    /// What has not begun by then is set aside; none for no end.
    pub deadline: Option<std::time::Instant>,
    /// Limit of one test.
    pub test: std::time::Duration,
}

/// One execution in the buggy and in the patched version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Traced {
    /// It comes to a changed method in neither.
    NotReached,
    /// What it ran.
    Both {
        /// In the buggy version.
        buggy: Trace,
        /// In the patched version.
        patched: Trace,
    },
    /// It cannot be compared: it is not the same twice, its threads take turns, it hangs …
    SetAside(String),
}

/// Gets each execution by its place in the list, once it is known.
pub type OnTrace<'a> = &'a mut dyn FnMut(usize, Traced);

/// Runs tests and inputs in the buggy and in the patched version, and tells which statements ran. Numbers of statements
/// mean the same for both, and in both versions.
pub trait Tracer<Input> {
    /// Which of these tests surely come to no changed method of the buggy version, found out by running each once; none if that
    /// costs as much as tracing them. Of tests that do not get to run nothing is known.
    fn far_tests(
        &mut self,
        _tests: &[TestId],
        _limits: &TraceLimits,
    ) -> Result<Option<BTreeSet<TestId>>, LangError> {
        Ok(None)
    }

    /// Runs tests as they are, each twice on the buggy version to see whether it does the same again.
    fn tests(
        &mut self,
        tests: &[TestId],
        limits: &TraceLimits,
        on_trace: OnTrace<'_>,
    ) -> Result<(), LangError>;

    /// Runs inputs; call sequences are in terms of the catalog that [`Explore::explore`] gave for the same versions.
    fn inputs(
        &mut self,
        inputs: &[Input],
        limits: &TraceLimits,
        on_trace: OnTrace<'_>,
    ) -> Result<(), LangError>;

    /// The statements, of those that ran so far, that both versions have and that stand in changed methods, by number.
    fn changed_code(&self) -> BTreeMap<u32, CodePlace>;

    /// What lacks probes, so that traces have gaps.
    fn notices(&self) -> Vec<Notice>;
}

/// What a language provides for a search.
pub trait Explore {
    /// Prepares the buggy and the patched version of a request, which were built before, for tracing.
    fn tracer<'a>(
        &'a self,
        request: &ExploreRequest<'_>,
        log: &Utf8Path,
    ) -> Result<Box<dyn Tracer<Sequence> + 'a>, LangError>;

    /// Prepares versions that were built before.
    fn explore(&self, request: &ExploreRequest<'_>, log: &Utf8Path) -> Result<Explored, LangError>;

    /// The same for two versions, which were built before, that execute the same instructions, whatever their sources
    /// look like.
    fn code_key(&self, change: &TreeChange, log: &Utf8Path) -> Result<String, LangError>;

    /// An input as source code, one statement a line.
    fn render(&self, catalog: &Catalog, input: &Sequence) -> Vec<String>;

    /// Writes a counterexample into `folder`, with all that is needed to run it again on any machine, and runs it from
    /// there on each version.
    fn write_witness(
        &self,
        draft: &WitnessDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError>;

    /// Writes an input on which two versions differ, and of which nobody knows what is right, as a test that a person can
    /// answer: it has both answers, with who gives them. Where it lies, relative to `folder`; it compiles against both.
    fn write_question(
        &self,
        _draft: &QuestionDraft<'_>,
        _folder: &Utf8Path,
        _log: &Utf8Path,
    ) -> Result<String, WitnessError> {
        Err(WitnessError::NotExpressible("the language has no questions".to_owned()))
    }
}
