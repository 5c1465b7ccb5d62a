//! A project that runs nothing: every answer is set by the test that uses it.

use std::collections::BTreeMap;

use bonafix_model::{
    Delta, DeltaFile, FileEdit, TestId, TestOutcome, TestResult, TestRun, TestSelection, TreeChange,
};
use camino::Utf8Path;

use crate::{BuiltVersion, Diagnostic, Explore, LangError, OnTest, Project, ProjectFacts, TestPlan};

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
