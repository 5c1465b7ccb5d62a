//! What a language must provide where whole programs are run on bytes: versions side by side, inputs that a fuzzer finds,
//! executions under watch, and counterexamples as files for people.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bonafix_model::{DifferenceClass, Execution, Notice, ProgramInput, TestId};
use camino::Utf8Path;

use crate::{ExploredVersion, LangError, Tracer, WitnessError, WrittenWitness};

/// How an execution is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Watch {
    /// Not at all: the program as its project builds it. What it prints and how it ends is what users see.
    Plain,
    /// By sanitizers compiled into it, with places in the source.
    Sanitizers,
    /// By valgrind memcheck, which also sees uninitialised values and counts leaks.
    Valgrind,
}

/// What a campaign is made in.
#[derive(Debug, Clone, Copy)]
pub struct FuzzRequest<'a> {
    /// The versions, by number: first the one that is taken for right (the reference, or the buggy one where there is
    /// none), then the patched one, then any others.
    pub versions: &'a [ExploredVersion<'a>],
    /// Tests that show the bug.
    pub failing: &'a [TestId],
    /// Tests that pass on the buggy version.
    pub passing: &'a [TestId],
    /// Inputs to try first.
    pub kept: &'a [ProgramInput],
    /// Where chance begins.
    pub seed: u64,
    /// Limit of one execution: of what it may have of the processor, so that a busy machine decides nothing.
    pub limit: Duration,
}

/// How long to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FuzzSlice {
    /// At most so many inputs.
    pub inputs: u64,
    /// And not beyond this; none for no end.
    pub until: Option<Instant>,
}

/// An input on which two versions did not do the same, or on which one has a fault: the first of its sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The input.
    pub input: ProgramInput,
    /// What each version did, by number, as far as that was run: plain, or under sanitizers where a fault was seen.
    pub executions: Vec<Option<Execution>>,
}

/// How far a campaign has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FuzzState {
    /// Inputs run.
    pub inputs: u64,
    /// Executions, over all versions.
    pub executions: u64,
    /// Inputs that reached changed code.
    pub reached: u64,
    /// Inputs of developers' tests.
    pub seeds: u64,
    /// Inputs that are kept because they do something new.
    pub corpus: u64,
    /// Inputs on which versions differed at all.
    pub differing: u64,
    /// Inputs that did not come to an end in a version, or that it wanted too much for.
    pub broke_down: u64,
    /// Branches of the changed functions.
    pub branches: u32,
    /// Of these, how many were taken.
    pub branches_taken: u32,
    /// For a long time nothing new has come.
    pub exhausted: bool,
}

/// Versions of a program in which a fuzzer runs inputs.
pub trait Campaign: Send {
    /// Goes on for a while. The same seed and the same slices find the same.
    fn fuzz(&mut self, slice: &FuzzSlice) -> Result<Vec<Found>, LangError>;

    /// How far it has come.
    fn state(&self) -> FuzzState;

    /// Inputs that are kept because they do something new, those that reach the change first.
    fn corpus(&self) -> Vec<ProgramInput>;

    /// Runs one input in one version, in a process of its own.
    fn execute(&mut self, input: &ProgramInput, version: u32, watch: Watch) -> Result<Execution, LangError>;

    /// The same, plain and faster, where a process may be a copy of one that has been started before. What is seen so is to be
    /// seen again by [`Campaign::execute`] before it counts.
    fn glance(&mut self, input: &ProgramInput, version: u32) -> Result<Execution, LangError> {
        self.execute(input, version, Watch::Plain)
    }

    /// Do the developers' tests take the second output for right where the first is expected? They may have a command of
    /// their own that compares.
    fn takes_for_same(&mut self, expected: &[u8], actual: &[u8]) -> Result<bool, LangError> {
        Ok(expected == actual)
    }

    /// Exit codes other than 0 with which the version that is taken for right ends on inputs of tests, where the tests
    /// themselves do not say what they expect.
    fn usual_codes(&self) -> BTreeSet<i32> {
        BTreeSet::new()
    }

    /// The ways to watch that work here; a compiler may lack sanitizers, a machine valgrind.
    fn watches(&self) -> Vec<Watch>;
}

/// A campaign that is ready.
pub struct OpenedCampaign<'a> {
    /// Where inputs run.
    pub campaign: Box<dyn Campaign + 'a>,
    /// What the user should know: a build that refuses sanitizers, a test that is no seed.
    pub notices: Vec<Notice>,
}

/// What a counterexample shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown<'a> {
    /// The patched version does not do what this execution of the one that is taken for right does.
    Differs(&'a Execution),
    /// The patched version has a fault under this watch.
    Faults(Watch),
}

/// A counterexample that is to become files.
#[derive(Debug, Clone, Copy)]
pub struct ProgramDraft<'a> {
    /// The input, minimised.
    pub input: &'a ProgramInput,
    /// How the versions differ.
    pub class: DifferenceClass,
    /// What it shows.
    pub shown: Shown<'a>,
    /// What is compared, in words: `standard output`, `the exit code`.
    pub what: &'a str,
    /// What the version that is taken for right does, in words.
    pub expected: &'a str,
    /// What the patched version does, in words.
    pub actual: &'a str,
    /// The versions, as in [`FuzzRequest::versions`].
    pub versions: &'a [ExploredVersion<'a>],
    /// How often it is run on each version.
    pub repetitions: u32,
    /// Limit of one execution: of what it may have of the processor, so that a busy machine decides nothing.
    pub limit: Duration,
}

/// What the developers' tests look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tested {
    /// They compare standard error.
    pub errors: bool,
    /// They do not mind white space at the ends of lines.
    pub loose_white_space: bool,
    /// Exit codes other than 0 with which they expect the program to end.
    pub codes: BTreeSet<i32>,
    /// What they give to the program, as far as that is files.
    pub inputs: Vec<Vec<u8>>,
}

/// What a language provides for programs that read bytes.
pub trait Fuzz {
    /// What the developers' tests look at, which says what of a program's behaviour matters.
    fn tested(&self) -> Tested {
        Tested::default()
    }

    /// Prepares versions that were built before.
    fn open<'a>(&'a self, request: &FuzzRequest<'_>, log: &Utf8Path)
    -> Result<OpenedCampaign<'a>, LangError>;

    /// Prepares the buggy and the patched version of a request, which were built before, for tracing.
    fn tracer<'a>(
        &'a self,
        _request: &FuzzRequest<'_>,
        _log: &Utf8Path,
    ) -> Result<Box<dyn Tracer<ProgramInput> + 'a>, LangError> {
        Err(LangError::Internal("the language has no traces".to_owned()))
    }

    /// Writes a counterexample into `folder`, with all that is needed to run it again on any machine, and runs it from
    /// there on each version.
    fn write_witness(
        &self,
        draft: &ProgramDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError>;
}
