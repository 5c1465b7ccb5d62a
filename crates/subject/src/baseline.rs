//! The buggy version and its tests: which are red, which are flaky, how long each takes.
//!
//! Red first: nothing is judged before a test was seen to fail on the buggy version. A red test counts only if it is
//! red every time, and alone as well as among the others; what wavers is set aside by name.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bonafix_lang::{LangError, OnTest, Project, TestPlan};
use bonafix_model::{
    BaselineReport, BrokenBaseline, TestId, TestOutcome, TestResult, TestRun, TestSelection, TestsConfig,
    TreeChange,
};
use camino::Utf8Path;
use serde::{Deserialize, Serialize};

/// Limit of a test on the buggy version when the user sets none.
const DEFAULT_LIMIT: Duration = Duration::from_secs(20);
/// What a test may take on another version, beside a multiple of what it took on the buggy one.
const LIMIT_FLOOR: Duration = Duration::from_secs(5);
const LIMIT_FACTOR: u32 = 10;

/// How the baseline is measured.
#[derive(Debug, Clone)]
pub struct BaselineOptions {
    /// Which tests count.
    pub selection: TestSelection,
    /// Limit of one test on the buggy version.
    pub limit: Duration,
    /// How often the suite runs.
    pub repeat: u32,
    /// Patterns of the tests that show the bug, where the user knows them.
    pub failing: Vec<String>,
}

impl BaselineOptions {
    /// From what the user configured.
    pub fn new(tests: &TestsConfig, failing: &[String]) -> Self {
        Self {
            selection: TestSelection::Matching { only: tests.only.clone(), ignore: tests.ignore.clone() },
            limit: tests.limit_seconds.map_or(DEFAULT_LIMIT, Duration::from_secs),
            repeat: tests.repeat.unwrap_or(2).max(1),
            failing: failing.to_vec(),
        }
    }
}

/// What is known about the tests of the buggy version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// For the report.
    pub report: BaselineReport,
    /// Outcome of each test that is not flaky.
    pub outcomes: BTreeMap<TestId, TestOutcome>,
    /// What each passing test took at most.
    #[serde(default)]
    pub took: BTreeMap<TestId, Duration>,
    /// What each test may take on another version.
    pub limits: BTreeMap<TestId, Duration>,
    /// Red tests that the user named as showing the bug.
    pub declared: BTreeSet<TestId>,
    /// Red tests that the reference turns green: every correct patch must do the same.
    pub known_fixable: BTreeSet<TestId>,
    /// What went wrong beside the tests.
    pub problems: Vec<String>,
}

impl Baseline {
    /// Red tests on which a patch may act: firm, and green on the reference where there is one.
    pub fn candidates(&self) -> BTreeSet<TestId> {
        let aside = &self.report.red_on_reference;
        self.report.red.iter().map(|result| result.id.clone()).filter(|id| !aside.contains(id)).collect()
    }

    /// The plan for running tests on another version, each within its measured limit.
    pub fn plan(&self, selection: TestSelection, default_limit: Duration) -> TestPlan {
        TestPlan { limits: self.limits.clone(), ..TestPlan::new(selection, default_limit) }
    }

    /// Sets aside the red tests that are red on the reference too; the others are known to be fixable.
    pub fn compare_with_reference(&mut self, reference: &TestRun) {
        let (green, red): (BTreeSet<TestId>, BTreeSet<TestId>) =
            self.report.red.iter().map(|result| result.id.clone()).partition(|id| {
                reference.get(id).is_some_and(|result| result.outcome == TestOutcome::Passed)
            });
        self.report.red_on_reference = red.into_iter().collect();
        self.known_fixable = green;
    }
}

/// Why there is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The subject itself is not in order.
    #[error("{}", .0.summary)]
    Broken(BrokenBaseline),
    /// Running the tests failed.
    #[error(transparent)]
    Lang(#[from] LangError),
}

fn broken(key: &str, summary: impl Into<String>, details: Vec<String>) -> BaselineError {
    BaselineError::Broken(BrokenBaseline { key: key.to_owned(), summary: summary.into(), details })
}

/// Runs the tests of the buggy version, as often as the options say.
pub fn measure(
    project: &dyn Project,
    options: &BaselineOptions,
    log: &Utf8Path,
    on_test: OnTest<'_>,
) -> Result<Baseline, BaselineError> {
    let mut runs = vec![run(project, options.selection.clone(), options, log, on_test)?];
    let first = &runs[0];
    if first.results.is_empty() {
        return Err(no_tests(project, options, first));
    }
    let hanging = timed_out(first);
    for _ in 1..options.repeat {
        let selection = repeatable(&runs[0], &hanging);
        runs.push(run(project, selection, options, log, on_test)?);
    }
    let red_alone: Vec<TestId> =
        runs[0].red().into_iter().filter(|id| !hanging.contains(*id)).cloned().collect();
    if !red_alone.is_empty() {
        runs.push(run(project, TestSelection::Only(red_alone), options, log, on_test)?);
    }
    let mut baseline = summarise(&runs, options);
    baseline.declared = declared(&baseline, options)?;
    Ok(baseline)
}

fn run(
    project: &dyn Project,
    selection: TestSelection,
    options: &BaselineOptions,
    log: &Utf8Path,
    on_test: OnTest<'_>,
) -> Result<TestRun, LangError> {
    project.run_tests(&TreeChange::default(), &TestPlan::new(selection, options.limit), log, on_test)
}

/// A hang that lasted the whole limit is not noise, and too dear to repeat.
fn timed_out(run: &TestRun) -> BTreeSet<TestId> {
    run.results
        .iter()
        .filter(|result| result.outcome == TestOutcome::TimedOut)
        .map(|result| result.id.clone())
        .collect()
}

fn repeatable(first: &TestRun, hanging: &BTreeSet<TestId>) -> TestSelection {
    let ids = first.results.iter().map(|result| result.id.clone());
    TestSelection::Only(ids.filter(|id| !hanging.contains(id)).collect())
}

fn no_tests(project: &dyn Project, options: &BaselineOptions, run: &TestRun) -> BaselineError {
    let mut details = run.problems.clone();
    let restricted = !matches!(&options.selection, TestSelection::Matching { only, ignore } if only.is_empty() && ignore.is_empty());
    if restricted {
        details.push(
            "the keys `tests.only` and `tests.ignore` restrict which tests count; check their patterns"
                .to_owned(),
        );
    } else {
        details.push(project.advice_on_tests());
    }
    broken("no-tests", "no tests were found, so nothing can show the bug", details)
}

fn summarise(runs: &[TestRun], options: &BaselineOptions) -> Baseline {
    let flaky = flaky(runs, options.repeat as usize);
    let firm = |result: &&TestResult| !flaky.contains(&result.id);
    let first = &runs[0];
    let count =
        |outcome| first.results.iter().filter(firm).filter(|result| result.outcome == outcome).count();
    let report = BaselineReport {
        tests: first.results.len(),
        passed: count(TestOutcome::Passed),
        skipped: count(TestOutcome::Skipped),
        red: first.results.iter().filter(firm).filter(|result| result.outcome.is_red()).cloned().collect(),
        flaky: flaky.iter().cloned().collect(),
        red_on_reference: Vec::new(),
        repetitions: options.repeat,
    };
    let took = slowest(runs);
    Baseline {
        report,
        limits: took.iter().map(|(id, took)| (id.clone(), limit_for(*took, options.limit))).collect(),
        took,
        outcomes: first
            .results
            .iter()
            .filter(firm)
            .map(|result| (result.id.clone(), result.outcome))
            .collect(),
        declared: BTreeSet::new(),
        known_fixable: BTreeSet::new(),
        problems: first.problems.clone(),
    }
}

/// Tests that were red in one run and not in another, and those whose very name changes from run to run (parameters
/// that are shown with a time or an address).
fn flaky(runs: &[TestRun], whole_runs: usize) -> BTreeSet<TestId> {
    let mut seen: BTreeMap<&TestId, bool> = BTreeMap::new();
    let mut flaky = BTreeSet::new();
    for result in runs.iter().flat_map(|run| &run.results) {
        let red = result.outcome.is_red();
        if *seen.entry(&result.id).or_insert(red) != red {
            flaky.insert(result.id.clone());
        }
    }
    let names =
        |run: &TestRun| -> BTreeSet<TestId> { run.results.iter().map(|result| result.id.clone()).collect() };
    let (first, hanging) = (names(&runs[0]), timed_out(&runs[0]));
    for run in &runs[1..whole_runs.max(1)] {
        flaky.extend(first.symmetric_difference(&names(run)).filter(|id| !hanging.contains(*id)).cloned());
    }
    flaky
}

fn slowest(runs: &[TestRun]) -> BTreeMap<TestId, Duration> {
    let mut slowest: BTreeMap<TestId, Duration> = BTreeMap::new();
    for result in runs.iter().flat_map(|run| &run.results) {
        // What a red test took before it failed says nothing about what it takes when it passes.
        if result.outcome != TestOutcome::Passed {
            continue;
        }
        let took = Duration::from_millis(result.millis);
        let entry = slowest.entry(result.id.clone()).or_default();
        *entry = took.max(*entry);
    }
    slowest
}

/// Ten times what was measured and five seconds more; never less than the user's own limit allows for a slow machine.
fn limit_for(measured: Duration, default: Duration) -> Duration {
    (measured * LIMIT_FACTOR + LIMIT_FLOOR).min(default.max(measured * LIMIT_FACTOR))
}

/// The red tests that the user's patterns name; each pattern must name one.
fn declared(baseline: &Baseline, options: &BaselineOptions) -> Result<BTreeSet<TestId>, BaselineError> {
    let mut declared = BTreeSet::new();
    for pattern in &options.failing {
        let named: Vec<&TestId> = known(baseline).filter(|id| id.matches(pattern)).collect();
        if named.is_empty() {
            return Err(LangError::Configuration { message: unknown_test(pattern, baseline) }.into());
        }
        let red: Vec<&TestId> = named.iter().copied().filter(|id| is_firmly_red(baseline, id)).collect();
        if red.is_empty() {
            return Err(not_red(pattern, &named, baseline));
        }
        declared.extend(red.into_iter().cloned());
    }
    Ok(declared)
}

fn known(baseline: &Baseline) -> impl Iterator<Item = &TestId> {
    baseline.outcomes.keys().chain(&baseline.report.flaky)
}

fn is_firmly_red(baseline: &Baseline, id: &TestId) -> bool {
    baseline.outcomes.get(id).is_some_and(|outcome| outcome.is_red())
}

fn unknown_test(pattern: &str, baseline: &Baseline) -> String {
    let near = known(baseline)
        .map(|id| (strsim::jaro_winkler(pattern, &id.0), id))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(score, _)| *score > 0.7);
    let hint = near.map(|(_, id)| format!("; did you mean `{id}`?")).unwrap_or_default();
    format!("`failing` names `{pattern}`, and no test of the subject has that name{hint}")
}

fn not_red(pattern: &str, named: &[&TestId], baseline: &Baseline) -> BaselineError {
    if named.iter().any(|id| baseline.report.flaky.contains(id)) {
        return broken(
            "bug-does-not-show",
            format!(
                "{pattern} should show the bug, and is flaky: it passed in some runs and failed in others"
            ),
            vec!["name a test that fails every time, or mend the test first".to_owned()],
        );
    }
    let outcome = named.first().and_then(|id| baseline.outcomes.get(*id));
    let how = if outcome == Some(&TestOutcome::Skipped) { "is skipped" } else { "passes" };
    broken(
        "bug-does-not-show",
        format!("{pattern} should show the bug, and {how} on the buggy version"),
        vec!["is the patch applied already, or is it the wrong revision?".to_owned()],
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use bonafix_lang::fake::FakeProject;
    use bonafix_model::Failure;

    use super::*;

    pub(crate) fn result(id: &str, outcome: TestOutcome) -> TestResult {
        let failure = outcome.is_red().then(Failure::default);
        TestResult { id: TestId(id.to_owned()), outcome, millis: 3, failure, output: String::new() }
    }

    fn options() -> BaselineOptions {
        BaselineOptions::new(&TestsConfig::default(), &[])
    }

    fn measured(project: &FakeProject, options: &BaselineOptions) -> Result<Baseline, BaselineError> {
        measure(project, options, Utf8Path::new("log"), &mut |_, _| {})
    }

    fn broken_key(error: BaselineError) -> String {
        match error {
            BaselineError::Broken(broken) => broken.key,
            BaselineError::Lang(error) => panic!("{error}"),
        }
    }

    #[test]
    fn red_tests_are_found_by_running() {
        let project = FakeProject::new(|_, _| {
            vec![result("A#ok", TestOutcome::Passed), result("A#bug", TestOutcome::Failed)]
        });
        let baseline = measured(&project, &options()).unwrap();
        assert_eq!(baseline.candidates(), BTreeSet::from([TestId("A#bug".to_owned())]));
        assert_eq!((baseline.report.tests, baseline.report.passed), (2, 1));
    }

    #[test]
    fn a_test_that_wavers_is_set_aside_by_name() {
        let project = FakeProject::new(|_, run| {
            let outcome = if run % 2 == 0 { TestOutcome::Failed } else { TestOutcome::Passed };
            vec![result("A#wavers", outcome), result("A#bug", TestOutcome::Error)]
        });
        let baseline = measured(&project, &options()).unwrap();
        assert_eq!(baseline.report.flaky, [TestId("A#wavers".to_owned())]);
        assert_eq!(baseline.candidates(), BTreeSet::from([TestId("A#bug".to_owned())]));
        assert!(!baseline.outcomes.contains_key(&TestId("A#wavers".to_owned())));
    }

    #[test]
    fn a_test_whose_name_changes_from_run_to_run_is_set_aside() {
        let project = FakeProject::new(|_, run| {
            vec![result("A#ok", TestOutcome::Passed), result(&format!("A#x[{run}]"), TestOutcome::Passed)]
        });
        let baseline = measured(&project, &options()).unwrap();
        assert_eq!(baseline.outcomes.keys().map(|id| id.0.as_str()).collect::<Vec<_>>(), ["A#ok"]);
    }

    #[test]
    fn a_test_that_is_red_only_among_others_is_set_aside() {
        let project = FakeProject::new(|_, run| {
            let outcome = if run < 2 { TestOutcome::Failed } else { TestOutcome::Passed };
            vec![result("A#order", outcome)]
        });
        assert_eq!(measured(&project, &options()).unwrap().report.flaky, [TestId("A#order".to_owned())]);
    }

    #[test]
    fn no_tests_at_all_is_a_broken_baseline() {
        let project = FakeProject::new(|_, _| Vec::new());
        assert_eq!(broken_key(measured(&project, &options()).unwrap_err()), "no-tests");
    }

    #[test]
    fn a_declared_test_that_passes_on_buggy_is_a_broken_baseline() {
        let project = FakeProject::new(|_, _| vec![result("A#bug", TestOutcome::Passed)]);
        let options = BaselineOptions { failing: vec!["A#bug".to_owned()], ..options() };
        assert_eq!(broken_key(measured(&project, &options).unwrap_err()), "bug-does-not-show");
    }

    #[test]
    fn a_declared_test_that_does_not_exist_is_a_configuration_error_with_the_nearest_name() {
        let project = FakeProject::new(|_, _| vec![result("pkg.ATest#bug", TestOutcome::Failed)]);
        let options = BaselineOptions { failing: vec!["pkg.ATest#bugg".to_owned()], ..options() };
        let error = measured(&project, &options).unwrap_err().to_string();
        assert!(error.contains("did you mean `pkg.ATest#bug`?"), "{error}");
    }

    #[test]
    fn a_hanging_test_is_not_repeated() {
        let runs = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
        let project = FakeProject::new(|_, _| vec![result("A#hangs", TestOutcome::TimedOut)]);
        measure(&project, &options(), Utf8Path::new("log"), &mut |_, _| {
            runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!(runs.load(std::sync::atomic::Ordering::Relaxed), 1);
    }

    #[test]
    fn limits_follow_what_was_measured() {
        let default = Duration::from_secs(20);
        assert_eq!(limit_for(Duration::from_millis(3), default), Duration::from_millis(5030));
        assert_eq!(limit_for(Duration::from_secs(4), default), Duration::from_secs(40));
        assert_eq!(limit_for(Duration::from_millis(3), Duration::from_secs(2)), Duration::from_secs(2));
    }

    #[test]
    fn what_a_red_test_took_sets_no_limit_for_when_it_passes() {
        let project = FakeProject::new(|_, _| {
            vec![result("A#ok", TestOutcome::Passed), result("A#bug", TestOutcome::Failed)]
        });
        let limits = measured(&project, &options()).unwrap().limits;
        assert_eq!(limits.keys().map(|id| id.0.as_str()).collect::<Vec<_>>(), ["A#ok"]);
    }

    #[test]
    fn what_is_red_on_the_reference_too_does_not_show_the_bug() {
        let project = FakeProject::new(|_, _| {
            vec![result("A#bug", TestOutcome::Failed), result("A#jdk", TestOutcome::Error)]
        });
        let mut baseline = measured(&project, &options()).unwrap();
        let reference = TestRun {
            results: vec![result("A#bug", TestOutcome::Passed), result("A#jdk", TestOutcome::Error)],
            problems: Vec::new(),
        };
        baseline.compare_with_reference(&reference);
        assert_eq!(baseline.candidates(), BTreeSet::from([TestId("A#bug".to_owned())]));
    }
}
