//! A project and a fuzzer that run nothing: every answer is set by the test that uses it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bonafix_model::{
    Delta, DeltaFile, Detector, Execution, Fault, FileEdit, Frame, ProgramEnd, ProgramInput, TestId,
    TestOutcome, TestResult, TestRun, TestSelection, TreeChange, VersionRole,
};
use camino::Utf8Path;

use crate::{
    BuiltVersion, Campaign, Diagnostic, Explore, Found, Fuzz, FuzzRequest, FuzzSlice, FuzzState, LangError,
    OnTest, OpenedCampaign, ProgramDraft, Project, ProjectFacts, Replay, Shown, TestPlan, Tested, Watch,
    WitnessError, WrittenWitness, is_otherwise,
};

/// Decides how the fake project behaves for one version.
pub type Behaviour = Box<dyn Fn(&TreeChange, u32) -> Vec<TestResult> + Send + Sync>;

/// How a test ends when it runs without the whole suite, where that is otherwise.
type Alone = Box<dyn Fn(&TreeChange, &TestId) -> Option<TestOutcome> + Send + Sync>;

/// A scripted project. Files under `test/` are tests; a file that contains `SYNTAX ERROR` does not compile.
pub struct FakeProject {
    behaviour: Behaviour,
    alone: Alone,
    /// What [`Project::tests_in`] answers.
    pub added_tests: Vec<TestId>,
    runs: std::sync::atomic::AtomicU32,
}

impl FakeProject {
    /// A project whose tests give what `behaviour` says, given the change and how often tests ran before.
    pub fn new(behaviour: impl Fn(&TreeChange, u32) -> Vec<TestResult> + Send + Sync + 'static) -> Self {
        Self {
            behaviour: Box::new(behaviour),
            alone: Box::new(|_, _| None),
            added_tests: Vec::new(),
            runs: std::sync::atomic::AtomicU32::new(0),
        }
    }
}

impl FakeProject {
    /// Tests that end otherwise when they run without the whole suite.
    #[must_use]
    pub fn alone(
        mut self,
        outcome: impl Fn(&TreeChange, &TestId) -> Option<TestOutcome> + Send + Sync + 'static,
    ) -> Self {
        self.alone = Box::new(outcome);
        self
    }
}

impl Project for FakeProject {
    fn facts(&self) -> ProjectFacts {
        ProjectFacts { build_system: "fake".to_owned(), facts: BTreeMap::new(), notices: Vec::new() }
    }

    fn advice_on_tests(&self) -> String {
        "the fake has the tests that it is given".to_owned()
    }

    fn is_test_file(&self, path: &Utf8Path, _edit: &FileEdit) -> bool {
        path.starts_with("test")
    }

    fn build(&self, change: &TreeChange, _log: &Utf8Path) -> Result<BuiltVersion, LangError> {
        for (path, edit) in &change.files {
            if let FileEdit::Write(bytes) = edit
                && bytes.windows(12).any(|window| window == b"SYNTAX ERROR")
            {
                return Err(LangError::DoesNotCompile {
                    summary: "1 error".to_owned(),
                    diagnostics: vec![Diagnostic {
                        file: path.to_string(),
                        line: 1,
                        message: "syntax error".to_owned(),
                    }],
                    in_tests: self.is_test_file(path, edit),
                });
            }
        }
        let key = format!("{:?}", change.files.keys().collect::<Vec<_>>());
        Ok(BuiltVersion { key, cached: false, notices: Vec::new() })
    }

    fn run_tests(
        &self,
        change: &TreeChange,
        plan: &TestPlan,
        _log: &Utf8Path,
        on_test: OnTest<'_>,
    ) -> Result<TestRun, LangError> {
        let run = self.runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut results = (self.behaviour)(change, run);
        results.retain(|result| plan.selection.wants(&result.id));
        if let TestSelection::Only(_) = &plan.selection {
            for result in &mut results {
                result.outcome = (self.alone)(change, &result.id).unwrap_or(result.outcome);
            }
        }
        for result in &results {
            on_test(result, None);
        }
        Ok(TestRun { results, problems: Vec::new() })
    }

    fn delta(&self, change: &TreeChange) -> Result<Delta, LangError> {
        let files = change
            .files
            .keys()
            .map(|path| DeltaFile {
                path: path.clone(),
                change: bonafix_model::ChangeKind::Changed,
                elements: Vec::new(),
                alignment: bonafix_model::LineAlignment::default(),
                syntactic_distance: None,
                problem: Some("the fake does not analyse".to_owned()),
            })
            .collect();
        Ok(Delta { files })
    }

    fn explorer(&self) -> Option<&dyn Explore> {
        None
    }

    fn tests_in(&self, _change: &TreeChange) -> Result<Vec<TestId>, LangError> {
        Ok(self.added_tests.clone())
    }
}

/// One execution of the fake program.
#[derive(Debug, Clone, Copy)]
pub struct FakeCall<'a> {
    /// Which version: the first one is taken for right, the second is the patched one.
    pub role: VersionRole,
    /// Its input.
    pub bytes: &'a [u8],
    /// How it is watched.
    pub watch: Watch,
    /// It is run by a witness, outside of the search.
    pub by_witness: bool,
    /// How often this version got this input before.
    pub before: u32,
}

/// What a fake program does with an input.
pub type FakeProgram = Box<dyn Fn(FakeCall<'_>) -> Execution + Send + Sync>;

/// A fuzzer that knows its inputs beforehand.
pub struct FakeFuzzer {
    program: FakeProgram,
    inputs: Vec<ProgramInput>,
    /// The ways to watch that it has.
    pub watches: Vec<Watch>,
    /// Do its tests take the second output for right where the first is expected?
    pub same: fn(&[u8], &[u8]) -> bool,
    /// What its tests look at.
    pub tested: Tested,
    /// Witnesses that were written.
    pub written: Mutex<Vec<ProgramInput>>,
}

impl FakeFuzzer {
    /// Runs these inputs, in order, in versions that do what `program` says.
    pub fn new(
        inputs: &[&[u8]],
        program: impl Fn(FakeCall<'_>) -> Execution + Send + Sync + 'static,
    ) -> Self {
        let input = |bytes: &&[u8]| ProgramInput { arguments: None, bytes: bytes.to_vec() };
        Self {
            program: Box::new(program),
            inputs: inputs.iter().map(input).collect(),
            watches: vec![Watch::Plain, Watch::Sanitizers],
            same: |expected, actual| expected == actual,
            tested: Tested::default(),
            written: Mutex::default(),
        }
    }

    /// An execution that exits with 0 after it has written this.
    pub fn printed(text: &str) -> Execution {
        Execution { stdout: text.as_bytes().to_vec(), ..Execution::silent(ProgramEnd::Exited(0)) }
    }

    /// An execution with a fault in a function.
    pub fn faulty(kind: &str, function: &str) -> Execution {
        let frame = Frame { function: function.to_owned(), file: "a.c".to_owned(), line: 3 };
        let fault = Fault {
            detector: Detector::Address,
            kind: kind.to_owned(),
            message: format!("AddressSanitizer: {kind}"),
            stack: vec![frame],
            origins: Vec::new(),
        };
        Execution { end: ProgramEnd::Signalled(6), faults: vec![fault], ..Self::printed("") }
    }
}

impl Fuzz for FakeFuzzer {
    fn tested(&self) -> Tested {
        self.tested.clone()
    }

    fn open<'a>(
        &'a self,
        request: &FuzzRequest<'_>,
        _log: &Utf8Path,
    ) -> Result<OpenedCampaign<'a>, LangError> {
        let mut queue = request.kept.to_vec();
        queue.extend(self.inputs.iter().cloned());
        let roles = request.versions.iter().map(|version| version.role).collect();
        let campaign =
            FakeCampaign { fuzzer: self, roles, queue, state: FuzzState::default(), calls: BTreeMap::new() };
        Ok(OpenedCampaign { campaign: Box::new(campaign), notices: Vec::new() })
    }

    fn write_witness(
        &self,
        draft: &ProgramDraft<'_>,
        _folder: &Utf8Path,
        _log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).push(draft.input.clone());
        let mut replays = Vec::new();
        for before in 0..draft.repetitions {
            for version in draft.versions {
                let watch = if let Shown::Faults(watch) = draft.shown { watch } else { Watch::Plain };
                let bytes = &draft.input.bytes;
                let call = FakeCall { role: version.role, bytes, watch, by_witness: true, before };
                let execution = (self.program)(call);
                let passed = match draft.shown {
                    Shown::Differs(expected) => execution == *expected,
                    Shown::Faults(_) => execution.faults.is_empty(),
                };
                let otherwise = !passed && is_otherwise(draft.class, &execution);
                replays.push(Replay { role: version.role, passed, message: None, otherwise });
            }
        }
        let input = crate::shown_bytes(&draft.input.bytes);
        Ok(WrittenWitness { file: "run.sh".to_owned(), input, what: draft.what.to_owned(), replays })
    }
}

struct FakeCampaign<'a> {
    fuzzer: &'a FakeFuzzer,
    roles: Vec<VersionRole>,
    queue: Vec<ProgramInput>,
    state: FuzzState,
    calls: BTreeMap<(u32, Vec<u8>), u32>,
}

impl Campaign for FakeCampaign<'_> {
    fn fuzz(&mut self, slice: &FuzzSlice) -> Result<Vec<Found>, LangError> {
        let mut found = Vec::new();
        for _ in 0..slice.inputs {
            let next = usize::try_from(self.state.inputs).ok().and_then(|at| self.queue.get(at)).cloned();
            let Some(input) = next else {
                self.state.exhausted = true;
                break;
            };
            self.state.inputs += 1;
            self.state.reached += 1;
            let versions = 0..u32::try_from(self.roles.len()).unwrap_or_default();
            let watch = self.watches().into_iter().find(|watch| *watch == Watch::Sanitizers);
            let watch = watch.unwrap_or(Watch::Plain);
            let seen = versions.map(|version| self.execute(&input, version, watch));
            let seen = seen.collect::<Result<Vec<_>, _>>()?;
            if seen[0] != seen[1] || !seen[1].faults.is_empty() {
                self.state.differing += 1;
                found.push(Found { input, executions: seen.into_iter().map(Some).collect() });
            }
        }
        Ok(found)
    }

    fn state(&self) -> FuzzState {
        self.state.clone()
    }

    fn corpus(&self) -> Vec<ProgramInput> {
        self.queue.clone()
    }

    fn execute(&mut self, input: &ProgramInput, version: u32, watch: Watch) -> Result<Execution, LangError> {
        let before = self.calls.entry((version, input.bytes.clone())).or_default();
        let role = self.roles[version as usize];
        let call = FakeCall { role, bytes: &input.bytes, watch, by_witness: false, before: *before };
        *before += 1;
        Ok((self.fuzzer.program)(call))
    }

    fn takes_for_same(&mut self, expected: &[u8], actual: &[u8]) -> Result<bool, LangError> {
        Ok((self.fuzzer.same)(expected, actual))
    }

    fn watches(&self) -> Vec<Watch> {
        self.fuzzer.watches.clone()
    }
}
