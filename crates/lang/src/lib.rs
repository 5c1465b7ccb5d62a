//! What a language must provide: open a project, build a version of it, run its tests, read a change.
//!
//! A version is the buggy tree with a [`TreeChange`] on top; the buggy version is the empty change. Stages know a
//! project only through [`Project`], so a second language is a second implementation and nothing else.
//! [`fake`] has one that runs nothing, for tests of the stages.

#![warn(missing_docs)]

pub mod fake;
mod files;
mod fuzz;
mod replay;
mod run;
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bonafix_model::{Delta, FileEdit, Notice, TestId, TestResult, TestRun, TestSelection, TreeChange};
use camino::Utf8Path;

pub use files::{append_log, apply_change};
pub use fuzz::{
    Campaign, Found, Fuzz, FuzzRequest, FuzzSlice, FuzzState, OpenedCampaign, ProgramDraft, Shown, Tested,
    Watch,
};
pub use replay::{confirmations, is_otherwise, or_remove, promise_of, replayed_version};
pub use run::{
    Behaviour, Explore, ExploreRequest, Explored, ExploredVersion, OnTrace, QuestionDraft, Replay, Run,
    RunScope, TraceLimits, Traced, Tracer, WitnessDraft, WitnessError, WrittenWitness,
};
pub use shown::shown_bytes;

/// What a project turned out to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFacts {
    /// How it is built: `maven`, `defects4j`, `plain` …
    pub build_system: String,
    /// Modules, language level, encoding, test framework.
    pub facts: BTreeMap<String, String>,
    /// What the user should know, such as a language level that had to be raised.
    pub notices: Vec<Notice>,
}

/// A built version. `key` names it in the cache and is the same for the same contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltVersion {
    /// Content key.
    pub key: String,
    /// It was there already.
    pub cached: bool,
    /// What the user should know.
    pub notices: Vec<Notice>,
}

/// What the compiler says of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// File relative to the subject's root where it is known.
    pub file: String,
    /// Line, from 1; 0 where unknown.
    pub line: u64,
    /// The compiler's words.
    pub message: String,
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file.is_empty(), self.line) {
            (true, _) => write!(formatter, "{}", self.message),
            (false, 0) => write!(formatter, "{}: {}", self.file, self.message),
            (false, line) => write!(formatter, "{}:{line}: {}", self.file, self.message),
        }
    }
}

/// Why a language could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum LangError {
    /// The sources do not compile.
    #[error("{summary}")]
    DoesNotCompile {
        /// One sentence.
        summary: String,
        /// What the compiler said.
        diagnostics: Vec<Diagnostic>,
        /// Every error lies in a test source.
        in_tests: bool,
    },
    /// The project's own build tool failed.
    #[error("{summary}")]
    BuildTool {
        /// One sentence, with the command.
        summary: String,
        /// The lines of its output that matter.
        details: Vec<String>,
    },
    /// How to build it, or what it needs, is not known: the message names the key to set.
    #[error("{message}")]
    Configuration {
        /// What is missing and which key sets it.
        message: String,
    },
    /// A program that is needed is not installed.
    #[error("{tool} is needed {purpose}, and was not found; {way_out}")]
    ToolMissing {
        /// The program.
        tool: String,
        /// What for.
        purpose: String,
        /// How to get it.
        way_out: String,
    },
    /// The user stopped the run.
    #[error("interrupted")]
    Interrupted,
    /// Reading or writing failed; the message names the file.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Anything else: a fault of bonafix or of the machine.
    #[error("{0}")]
    Internal(String),
}

/// How tests are to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestPlan {
    /// Which.
    pub selection: TestSelection,
    /// Limit of a test that has none of its own.
    pub default_limit: Duration,
    /// Limits from the measured baseline.
    pub limits: BTreeMap<TestId, Duration>,
    /// When one of these hangs the rest need not run.
    pub stop_at_hang_of: BTreeSet<TestId>,
}

impl TestPlan {
    /// All of `selection`, each within `default_limit`.
    pub fn new(selection: TestSelection, default_limit: Duration) -> Self {
        Self { selection, default_limit, limits: BTreeMap::new(), stop_at_hang_of: BTreeSet::new() }
    }
}

/// Told of each test as it ends, so that progress can be shown and results kept; `total` where it is known.
pub type OnTest<'a> = &'a mut dyn FnMut(&TestResult, Option<u64>);

/// An opened project: a private copy of the buggy tree, with all that is needed to build versions of it.
pub trait Project: Send + Sync {
    /// What it turned out to be. Complete only after the buggy version was built.
    fn facts(&self) -> ProjectFacts;

    /// Which keys say what the tests are, as advice for a user whose tests were not found.
    fn advice_on_tests(&self) -> String;

    /// Does this edited file, relative to the root, belong to the tests?
    fn is_test_file(&self, path: &Utf8Path, edit: &FileEdit) -> bool;

    /// Builds the buggy tree with `change` on top, or finds it in the cache. Log lines go to `log`.
    fn build(&self, change: &TreeChange, log: &Utf8Path) -> Result<BuiltVersion, LangError>;

    /// Runs tests of a version that was built before.
    fn run_tests(
        &self,
        change: &TreeChange,
        plan: &TestPlan,
        log: &Utf8Path,
        on_test: OnTest<'_>,
    ) -> Result<TestRun, LangError>;

    /// What `change` means for the program.
    fn delta(&self, change: &TreeChange) -> Result<Delta, LangError>;

    /// What it provides for a search for inputs; none if it cannot run any.
    fn explorer(&self) -> Option<&dyn Explore>;

    /// What it provides for programs that read bytes; none if it calls functions instead.
    fn fuzzer(&self) -> Option<&dyn Fuzz> {
        None
    }

    /// Test names among the edits of `change` that exist only because of it (added tests), by class or id. Used to
    /// find tests that a patch brings along.
    fn tests_in(&self, change: &TreeChange) -> Result<Vec<TestId>, LangError>;
}
