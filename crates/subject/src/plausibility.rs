//! The patched version and the original tests: does it turn the red ones green, and none of the green ones red?
//!
//! A test that the patch seems to break is run again before it counts, and what wavers is set aside by name. Tests
//! that the patch itself brings can show the bug where the original ones don't; they never clear the patch.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bonafix_lang::{LangError, OnTest, Project, TestPlan};
use bonafix_model::{
    InconclusiveReason, InvalidReason, Plausibility, StillFailing, TestId, TestOutcome, TestResult, TestRun,
    TestSelection, TreeChange, TriggerOrigin, TriggerTest, Verdict,
};
use camino::Utf8Path;

use crate::baseline::Baseline;

/// How often a red test that should be green runs again, alone, before it counts.
const CONFIRMATIONS: u32 = 2;

/// A patched version whose tests are to be run.
#[derive(Clone, Copy)]
pub struct Assessment<'a> {
    /// The project.
    pub project: &'a dyn Project,
    /// What is known of the buggy version.
    pub baseline: &'a Baseline,
    /// The patch without what it does under test folders; built already.
    pub sources: &'a TreeChange,
    /// What the patch does under test folders.
    pub tests: &'a TreeChange,
    /// Limit of a test that the baseline has not measured.
    pub default_limit: Duration,
    /// Which tests count.
    pub selection: &'a TestSelection,
    /// Log file.
    pub log: &'a Utf8Path,
}

/// What the tests say; the verdict is set when they decide already.
pub type Assessed = (Plausibility, Option<Verdict>);

impl Assessment<'_> {
    /// Runs the original tests, and where they show nothing, those that the patch brings.
    pub fn run(&self, on_test: OnTest<'_>) -> Result<Assessed, LangError> {
        let mut plausibility = Plausibility::default();
        let known: BTreeSet<TestId> =
            self.baseline.declared.union(&self.baseline.known_fixable).cloned().collect();
        let mut plan = self.baseline.plan(self.selection.clone(), self.default_limit);
        plan.stop_at_hang_of.clone_from(&known);
        let suite = self.project.run_tests(self.sources, &plan, self.log, on_test)?;
        plausibility.tests = suite.results.len();
        plausibility.passed = passed(&suite);
        let hanging: Vec<StillFailing> = hanging_among(&suite, &known);
        if !hanging.is_empty() {
            let verdict = bug_still_shows(&hanging.iter().collect::<Vec<_>>(), Vec::new());
            plausibility.still_failing = hanging;
            return Ok((plausibility, Some(verdict)));
        }
        self.sort_triggers(&suite, &mut plausibility, on_test)?;
        self.find_broken(&suite, &mut plausibility, on_test)?;
        plausibility.now_skipped = self.now_skipped(&suite);
        if let Some(verdict) = self.known_bug_still_shows(&plausibility) {
            return Ok((plausibility, Some(verdict)));
        }
        if let Some(verdict) = breaks_tests(&plausibility) {
            return Ok((plausibility, Some(verdict)));
        }
        if plausibility.fixed.is_empty() {
            plausibility.fixed = self.shown_by_the_patchs_own_tests(on_test)?;
        }
        let verdict = plausibility.fixed.is_empty().then(|| nothing_fixed(&plausibility));
        Ok((plausibility, verdict))
    }

    fn run_on(
        &self,
        change: &TreeChange,
        selection: TestSelection,
        on_test: OnTest<'_>,
    ) -> Result<TestRun, LangError> {
        self.project.run_tests(change, &self.baseline.plan(selection, self.default_limit), self.log, on_test)
    }

    /// Sorts the tests that are red on the buggy version by what becomes of them. One that is red among the others gets
    /// a second chance alone, as it had on the buggy version: red there and green here, each time, it is fixed; what
    /// wavers is set aside.
    fn sort_triggers(
        &self,
        suite: &TestRun,
        plausibility: &mut Plausibility,
        on_test: OnTest<'_>,
    ) -> Result<(), LangError> {
        let families = Families::of(suite);
        let (green, red): (Vec<TestId>, Vec<TestId>) = self
            .baseline
            .candidates()
            .into_iter()
            .partition(|id| families.outcome(id) == Some(TestOutcome::Passed));
        plausibility.fixed = green.iter().map(|id| self.trigger(id)).collect();
        // A hang of the whole limit is not noise, and too dear to repeat.
        let hangs = |id: &TestId| families.outcome(id) == Some(TestOutcome::TimedOut);
        let again: Vec<TestId> = red.iter().filter(|id| !hangs(id)).cloned().collect();
        let mut alone = Vec::new();
        for _ in 0..CONFIRMATIONS {
            if !again.is_empty() {
                alone.push(self.run_on(self.sources, TestSelection::Only(again.clone()), on_test)?);
            }
        }
        for id in red {
            let outcomes: Vec<Option<TestOutcome>> =
                alone.iter().map(|run| Families::of(run).outcome(&id)).collect();
            let greens = outcomes.iter().filter(|outcome| **outcome == Some(TestOutcome::Passed)).count();
            if greens > 0 && greens == outcomes.len() {
                plausibility.fixed.push(self.trigger(&id));
            } else if greens > 0 {
                plausibility.flaky.push(id);
            } else {
                let outcome = families.outcome(&id).unwrap_or(TestOutcome::Error);
                plausibility.still_failing.push(StillFailing { id, outcome });
            }
        }
        Ok(())
    }

    fn trigger(&self, id: &TestId) -> TriggerTest {
        TriggerTest {
            id: id.clone(),
            outcome: self.baseline.outcomes.get(id).copied().unwrap_or(TestOutcome::Failed),
            origin: TriggerOrigin::Original,
            declared: self.baseline.declared.contains(id),
        }
    }

    /// A test that is known to show the bug must turn green.
    fn known_bug_still_shows(&self, plausibility: &Plausibility) -> Option<Verdict> {
        let must =
            |id: &TestId| self.baseline.declared.contains(id) || self.baseline.known_fixable.contains(id);
        let red: Vec<&StillFailing> =
            plausibility.still_failing.iter().filter(|test| must(&test.id)).collect();
        (!red.is_empty()).then(|| bug_still_shows(&red, Vec::new()))
    }

    /// Tests that were green and are red, each time the suite runs; what the buggy version is red on today as well has
    /// other causes.
    fn find_broken(
        &self,
        suite: &TestRun,
        plausibility: &mut Plausibility,
        on_test: OnTest<'_>,
    ) -> Result<(), LangError> {
        let mut suspects = self.newly_red(suite);
        if suspects.is_empty() {
            return Ok(());
        }
        let ids: Vec<TestId> = suspects.iter().map(|result| result.id.clone()).collect();
        let today = self.run_on(&TreeChange::default(), TestSelection::Only(ids), on_test)?;
        let red_today = |id: &TestId| today.get(id).is_some_and(|result| result.outcome.is_red());
        plausibility.flaky.extend(suspects.iter().map(|result| result.id.clone()).filter(|id| red_today(id)));
        suspects.retain(|result| !red_today(&result.id));
        let hanging = suspects.iter().find(|result| result.outcome == TestOutcome::TimedOut).cloned();
        let green = match &hanging {
            // Running a suite that hangs again costs many limits; one hang that repeats is enough.
            Some(hanging) => self.wavers_alone(&hanging.id, on_test)?,
            None if suspects.is_empty() => Vec::new(),
            None => self.green_in_another_run(&suspects, on_test)?,
        };
        suspects.retain(|result| !green.contains(&result.id));
        plausibility.flaky.extend(green);
        plausibility.broken = suspects;
        Ok(())
    }

    /// The test, if it does not hang when it has all the time that a test of the buggy version has.
    fn wavers_alone(&self, id: &TestId, on_test: OnTest<'_>) -> Result<Vec<TestId>, LangError> {
        let plan = TestPlan::new(TestSelection::Only(vec![id.clone()]), self.default_limit);
        let run = self.project.run_tests(self.sources, &plan, self.log, on_test)?;
        let green = run.get(id).is_some_and(|result| !result.outcome.is_red());
        Ok(if green { vec![id.clone()] } else { Vec::new() })
    }

    fn green_in_another_run(
        &self,
        suspects: &[TestResult],
        on_test: OnTest<'_>,
    ) -> Result<Vec<TestId>, LangError> {
        let again = self.run_on(self.sources, self.selection.clone(), on_test)?;
        let still: BTreeSet<TestId> = self.newly_red(&again).into_iter().map(|result| result.id).collect();
        Ok(suspects.iter().map(|result| result.id.clone()).filter(|id| !still.contains(id)).collect())
    }

    /// Green on buggy and red now, or gone (the process ended before it could run).
    fn newly_red(&self, suite: &TestRun) -> Vec<TestResult> {
        let families = Families::of(suite);
        let was_green = |id: &TestId| self.baseline.outcomes.get(id) == Some(&TestOutcome::Passed);
        let mut red: Vec<TestResult> = suite
            .results
            .iter()
            .filter(|result| result.outcome.is_red() && was_green(&result.id))
            .cloned()
            .collect();
        let missing =
            self.baseline.outcomes.keys().filter(|id| was_green(id) && families.outcome(id).is_none());
        red.extend(missing.map(|id| TestResult {
            id: id.clone(),
            outcome: TestOutcome::Error,
            millis: 0,
            failure: Some(bonafix_model::Failure {
                message: "the test did not run on the patched version".to_owned(),
                ..Default::default()
            }),
            output: String::new(),
        }));
        red
    }

    /// Green on buggy and skipped now: an assumption that the patch makes false.
    fn now_skipped(&self, suite: &TestRun) -> Vec<TestId> {
        let was_green = |id: &TestId| self.baseline.outcomes.get(id) == Some(&TestOutcome::Passed);
        let skipped = suite.results.iter().filter(|result| result.outcome == TestOutcome::Skipped);
        skipped.map(|result| result.id.clone()).filter(|id| was_green(id)).collect()
    }

    /// Tests that the patch brings, red on the buggy version and green on the patched one, every time.
    fn shown_by_the_patchs_own_tests(&self, on_test: OnTest<'_>) -> Result<Vec<TriggerTest>, LangError> {
        if self.tests.is_empty() {
            return Ok(Vec::new());
        }
        let brought = self.project.tests_in(self.tests)?;
        if brought.is_empty() {
            return Ok(Vec::new());
        }
        let patched = self.sources.with(self.tests);
        for version in [self.tests, &patched] {
            match self.project.build(version, self.log) {
                Ok(_) => {}
                // New tests that use what only the patch has cannot show the bug on the buggy version.
                Err(LangError::DoesNotCompile { .. }) => return Ok(Vec::new()),
                Err(error) => return Err(error),
            }
        }
        let selection = TestSelection::Only(brought);
        let mut shown: Option<Vec<TriggerTest>> = None;
        for _ in 0..CONFIRMATIONS {
            let before = self.run_on(self.tests, selection.clone(), on_test)?;
            let after = self.run_on(&patched, selection.clone(), on_test)?;
            let now = red_then_green(&before, &after);
            shown = Some(match shown {
                None => now,
                Some(earlier) => earlier.into_iter().filter(|test| now.contains(test)).collect(),
            });
        }
        Ok(shown.unwrap_or_default())
    }
}

/// Results of a run by test, and by test method where the very names of invocations differ between versions: a
/// parameter that is shown by what the patch mends, a source of parameters that fails or gives more or fewer.
struct Families<'a> {
    by_id: BTreeMap<&'a TestId, TestOutcome>,
    by_method: BTreeMap<&'a str, Vec<TestOutcome>>,
    by_class: BTreeMap<&'a str, Vec<TestOutcome>>,
    problems: &'a [String],
}

impl<'a> Families<'a> {
    fn of(run: &'a TestRun) -> Self {
        let mut families = Self {
            by_id: BTreeMap::new(),
            by_method: BTreeMap::new(),
            by_class: BTreeMap::new(),
            problems: &run.problems,
        };
        for result in &run.results {
            families.by_id.insert(&result.id, result.outcome);
            families.by_method.entry(method_of(&result.id)).or_default().push(result.outcome);
            families.by_class.entry(result.id.group()).or_default().push(result.outcome);
        }
        families
    }

    /// How a test ended: itself, or else all invocations of its method, or else (for the stand-in of a class that
    /// could not be set up) all tests of its class. `None` where nothing of it ran.
    fn outcome(&self, id: &TestId) -> Option<TestOutcome> {
        if let Some(outcome) = self.by_id.get(id) {
            return Some(*outcome);
        }
        let method = method_of(id);
        if let Some(outcomes) = self.by_method.get(method) {
            return Some(worst(outcomes));
        }
        let stand_in = method.ends_with("#initializationError") || method.ends_with("#warning");
        if !stand_in {
            return None;
        }
        if let Some(outcomes) = self.by_class.get(id.group()) {
            return Some(worst(outcomes));
        }
        // A suite runs tests under the names of their own classes: its stand-in just disappears when it can be set up.
        let in_trouble = self.problems.iter().any(|problem| problem.starts_with(id.group()));
        (!in_trouble && !self.by_id.is_empty()).then_some(TestOutcome::Passed)
    }
}

/// The id without parameters and index: `p.C#m(int)[2]` is `p.C#m`.
fn method_of(id: &TestId) -> &str {
    let method = id.0.find('#').map_or(0, |at| at + 1);
    let end = id.0[method..].find(['[', '(']).map_or(id.0.len(), |at| method + at);
    &id.0[..end]
}

fn worst(outcomes: &[TestOutcome]) -> TestOutcome {
    let red = outcomes.iter().find(|outcome| outcome.is_red());
    let passed = outcomes.iter().find(|outcome| **outcome == TestOutcome::Passed);
    *red.or(passed).unwrap_or(&TestOutcome::Skipped)
}

fn red_then_green(before: &TestRun, after: &TestRun) -> Vec<TriggerTest> {
    let green = |id: &TestId| after.get(id).is_some_and(|result| result.outcome == TestOutcome::Passed);
    before
        .results
        .iter()
        .filter(|result| result.outcome.is_red() && green(&result.id))
        .map(|result| TriggerTest {
            id: result.id.clone(),
            outcome: result.outcome,
            origin: TriggerOrigin::Patch,
            declared: false,
        })
        .collect()
}

fn passed(run: &TestRun) -> usize {
    run.results.iter().filter(|result| result.outcome == TestOutcome::Passed).count()
}

fn breaks_tests(plausibility: &Plausibility) -> Option<Verdict> {
    let broken = &plausibility.broken;
    let summary = match broken.len() {
        0 => return None,
        1 => "it breaks 1 test that passes on the buggy version".to_owned(),
        n => format!("it breaks {n} tests that pass on the buggy version"),
    };
    Some(Verdict::invalid(InvalidReason::BreaksTests, summary, broken.iter().map(describe).collect()))
}

/// Tests that are known to show the bug and hang: no more need be known, and a run is cut short there.
fn hanging_among(suite: &TestRun, known: &BTreeSet<TestId>) -> Vec<StillFailing> {
    let hangs = |result: &&TestResult| result.outcome == TestOutcome::TimedOut && known.contains(&result.id);
    let outcome = TestOutcome::TimedOut;
    suite.results.iter().filter(hangs).map(|result| StillFailing { id: result.id.clone(), outcome }).collect()
}

fn bug_still_shows(red: &[&StillFailing], more: Vec<String>) -> Verdict {
    let summary = match red.len() {
        1 => "the bug still shows: 1 test that is red on the buggy version is not green".to_owned(),
        n => format!("the bug still shows: {n} tests that are red on the buggy version are not green"),
    };
    let mut details: Vec<String> = red.iter().map(|test| describe_still_failing(test)).collect();
    details.extend(more);
    Verdict::invalid(InvalidReason::BugStillShows, summary, details)
}

/// No test turned green for certain.
fn nothing_fixed(plausibility: &Plausibility) -> Verdict {
    if !plausibility.flaky.is_empty() {
        return Verdict::inconclusive(
            InconclusiveReason::OnlyFlaky,
            "the tests that turned green are red in other runs of the same version, so they show nothing",
        );
    }
    if plausibility.still_failing.is_empty() {
        return Verdict::inconclusive(
            InconclusiveReason::BugNotShown,
            "no test is red on the buggy version and green on the patched one, so nothing says that the patch acts on a bug",
        );
    }
    let way_out = "if these are red for other reasons than the bug, name a test that shows it by `failing`, or leave \
                   them out by `tests.ignore`";
    bug_still_shows(&plausibility.still_failing.iter().collect::<Vec<_>>(), vec![way_out.to_owned()])
}

fn describe_still_failing(test: &StillFailing) -> String {
    format!("{}: {}", test.id, test.outcome)
}

fn describe(result: &TestResult) -> String {
    let failure = result.failure.as_ref();
    let kind = failure.and_then(|failure| failure.kind.as_deref()).unwrap_or_default();
    let message =
        failure.map(|failure| failure.message.lines().next().unwrap_or_default()).unwrap_or_default();
    let what = [kind, message].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    if what.is_empty() {
        return format!("{}: {}", result.id, result.outcome);
    }
    format!("{}: {} ({what})", result.id, result.outcome)
}

#[cfg(test)]
mod tests {
    use bonafix_lang::fake::FakeProject;
    use bonafix_model::{FileEdit, Outcome, TestsConfig};

    use super::*;
    use crate::baseline::{self, BaselineOptions, tests::result};

    use TestOutcome::{Error, Failed, Passed, Skipped};

    fn change(path: &str) -> TreeChange {
        TreeChange { files: [(path.into(), FileEdit::Write(b"x".to_vec()))].into() }
    }

    /// Assesses a patch of `src/A.java` (and `tests`) in a project that behaves as told.
    fn check(project: &FakeProject, failing: &[String], tests: &TreeChange) -> Assessed {
        let options = BaselineOptions::new(&TestsConfig::default(), failing);
        let log = Utf8Path::new("log");
        let baseline = baseline::measure(project, &options, log, &mut |_, _| {}).unwrap();
        let assessment = Assessment {
            project,
            baseline: &baseline,
            sources: &change("src/A.java"),
            tests,
            default_limit: options.limit,
            selection: &options.selection,
            log,
        };
        assessment.run(&mut |_, _| {}).unwrap()
    }

    fn outcome_of(assessed: &Assessed) -> Option<Outcome> {
        assessed.1.as_ref().map(|verdict| verdict.outcome)
    }

    fn invalid_reason(assessed: &Assessed) -> Option<InvalidReason> {
        assessed.1.as_ref().and_then(|verdict| verdict.invalid)
    }

    #[test]
    fn a_patch_that_turns_the_red_test_green_and_breaks_nothing_is_plausible() {
        let project = FakeProject::new(|change, _| {
            let bug = if change.is_empty() { Failed } else { Passed };
            vec![result("A#bug", bug), result("A#ok", Passed)]
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(outcome_of(&assessed), None);
        assert_eq!(assessed.0.fixed.len(), 1);
    }

    #[test]
    fn a_patch_that_leaves_the_red_test_red_is_invalid() {
        let project = FakeProject::new(|_, _| vec![result("A#bug", Failed), result("A#ok", Passed)]);
        assert_eq!(
            invalid_reason(&check(&project, &[], &TreeChange::default())),
            Some(InvalidReason::BugStillShows)
        );
    }

    #[test]
    fn a_red_test_that_is_skipped_on_the_patched_version_is_not_fixed() {
        let project = FakeProject::new(|change, _| {
            vec![result("A#bug", if change.is_empty() { Failed } else { Skipped })]
        });
        assert_eq!(
            invalid_reason(&check(&project, &[], &TreeChange::default())),
            Some(InvalidReason::BugStillShows)
        );
    }

    #[test]
    fn every_declared_test_must_turn_green() {
        let project = FakeProject::new(|change, _| {
            let one = if change.is_empty() { Failed } else { Passed };
            vec![result("A#one", one), result("A#two", Failed)]
        });
        let failing = ["A#one".to_owned(), "A#two".to_owned()];
        assert_eq!(
            invalid_reason(&check(&project, &failing, &TreeChange::default())),
            Some(InvalidReason::BugStillShows)
        );
        let undeclared = check(&project, &[], &TreeChange::default());
        assert_eq!(outcome_of(&undeclared), None, "a red test that nobody named is reported, not demanded");
        assert_eq!(undeclared.0.still_failing.len(), 1);
    }

    #[test]
    fn a_patch_that_turns_a_green_test_red_is_invalid() {
        let project = FakeProject::new(|change, _| {
            let patched = !change.is_empty();
            vec![
                result("A#bug", if patched { Passed } else { Failed }),
                result("A#ok", if patched { Error } else { Passed }),
            ]
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(invalid_reason(&assessed), Some(InvalidReason::BreaksTests));
        assert_eq!(assessed.0.broken.len(), 1);
    }

    #[test]
    fn a_test_that_disappears_counts_as_broken() {
        let project = FakeProject::new(|change, _| {
            if change.is_empty() {
                vec![result("A#bug", Failed), result("A#ok", Passed)]
            } else {
                vec![result("A#bug", Passed)]
            }
        });
        assert_eq!(
            invalid_reason(&check(&project, &[], &TreeChange::default())),
            Some(InvalidReason::BreaksTests)
        );
    }

    #[test]
    fn a_test_that_fails_once_on_the_patched_version_is_flaky_and_never_makes_it_invalid() {
        // Runs 0 to 2 are the baseline, 3 is the suite.
        let project = FakeProject::new(|change, run| {
            let patched = !change.is_empty();
            vec![
                result("A#bug", if patched { Passed } else { Failed }),
                result("A#wavers", if run == 3 { Failed } else { Passed }),
            ]
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(outcome_of(&assessed), None);
        assert_eq!(assessed.0.flaky, [TestId("A#wavers".to_owned())]);
    }

    #[test]
    fn a_test_that_the_buggy_version_fails_today_as_well_is_not_broken_by_the_patch() {
        // Runs 0 to 2 are the baseline; since then something else on the machine has changed.
        let project = FakeProject::new(|change, run| {
            let patched = !change.is_empty();
            vec![
                result("A#bug", if patched { Passed } else { Failed }),
                result("A#clock", if run < 3 { Passed } else { Failed }),
            ]
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(outcome_of(&assessed), None);
        assert!(assessed.0.broken.is_empty());
    }

    #[test]
    fn a_test_that_the_patch_breaks_only_in_company_is_broken() {
        let project = FakeProject::new(|change, _| {
            let patched = !change.is_empty();
            vec![
                result("A#bug", if patched { Passed } else { Failed }),
                result("B#state", if patched { Failed } else { Passed }),
            ]
        })
        .alone(|change, id| (!change.is_empty() && id.0 == "B#state").then_some(Passed));
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(invalid_reason(&assessed), Some(InvalidReason::BreaksTests));
    }

    #[test]
    fn a_trigger_that_is_red_among_others_and_green_alone_each_time_is_fixed() {
        let project = FakeProject::new(|_, _| vec![result("A#bug", Failed), result("A#ok", Passed)])
            .alone(|change, id| (!change.is_empty() && id.0 == "A#bug").then_some(Passed));
        let assessed = check(&project, &["A#bug".to_owned()], &TreeChange::default());
        assert_eq!(outcome_of(&assessed), None);
        assert_eq!(assessed.0.fixed.len(), 1);
    }

    #[test]
    fn a_trigger_that_wavers_once_fixed_never_makes_the_patch_invalid() {
        // Run 3 is the suite, 4 and 5 run the trigger alone.
        let project = FakeProject::new(|change, run| {
            let green = !change.is_empty() && run == 4;
            vec![result("A#bug", if green { Passed } else { Failed })]
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(assessed.1.and_then(|verdict| verdict.inconclusive), Some(InconclusiveReason::OnlyFlaky));
    }

    #[test]
    fn a_known_trigger_that_hangs_decides_at_once() {
        let project = FakeProject::new(|change, _| {
            if change.is_empty() {
                vec![result("A#bug", Failed), result("A#ok", Passed)]
            } else {
                vec![result("A#bug", TestOutcome::TimedOut)]
            }
        });
        let assessed = check(&project, &["A#bug".to_owned()], &TreeChange::default());
        assert_eq!(invalid_reason(&assessed), Some(InvalidReason::BugStillShows));
        assert!(assessed.0.broken.is_empty());
    }

    #[test]
    fn names_of_invocations_may_differ_between_versions() {
        let project = FakeProject::new(|change, _| {
            if change.is_empty() {
                vec![
                    result("A#shown[P[1]", Error),
                    result("B#source(int)", Error),
                    result("C#initializationError", Error),
                    result("AllTests#initializationError", Error),
                    result("D#many[1]", Passed),
                    result("D#many[2]", Passed),
                ]
            } else {
                vec![
                    result("A#shown[P(1)]", Passed),
                    result("B#source(int)[1]", Passed),
                    result("C#x", Passed),
                    result("D#many[1]", Passed),
                ]
            }
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(outcome_of(&assessed), None, "{:?}", assessed.1);
        assert_eq!(assessed.0.fixed.len(), 4);
    }

    #[test]
    fn a_red_invocation_among_those_that_take_the_place_of_a_red_one_is_no_fix() {
        let project = FakeProject::new(|change, _| {
            if change.is_empty() {
                vec![result("B#source(int)", Error)]
            } else {
                vec![result("B#source(int)[1]", Passed), result("B#source(int)[2]", Failed)]
            }
        });
        assert_eq!(
            invalid_reason(&check(&project, &[], &TreeChange::default())),
            Some(InvalidReason::BugStillShows)
        );
    }

    #[test]
    fn a_green_test_that_is_skipped_now_is_named() {
        let project = FakeProject::new(|change, _| {
            let patched = !change.is_empty();
            vec![
                result("A#bug", if patched { Passed } else { Failed }),
                result("A#assumes", if patched { Skipped } else { Passed }),
            ]
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(assessed.0.now_skipped, [TestId("A#assumes".to_owned())]);
    }

    #[test]
    fn a_red_test_of_other_causes_does_not_silence_the_tests_that_the_patch_brings() {
        let mut project = FakeProject::new(|change, _| {
            let mut results = vec![result("A#network", Error)];
            if change.files.contains_key(Utf8Path::new("test/B.java")) {
                let fixed = change.files.contains_key(Utf8Path::new("src/A.java"));
                results.push(result("B#new", if fixed { Passed } else { Failed }));
            }
            results
        });
        project.added_tests = vec![TestId("B".to_owned())];
        let assessed = check(&project, &[], &change("test/B.java"));
        assert_eq!(outcome_of(&assessed), None);
        assert_eq!(assessed.0.still_failing.len(), 1);
    }

    #[test]
    fn without_a_red_test_the_bug_is_not_shown() {
        let project = FakeProject::new(|_, _| vec![result("A#ok", Passed)]);
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(
            assessed.1.and_then(|verdict| verdict.inconclusive),
            Some(InconclusiveReason::BugNotShown)
        );
    }

    #[test]
    fn tests_that_the_patch_brings_can_show_the_bug() {
        let mut project = FakeProject::new(|change, _| {
            let mut results = vec![result("A#ok", Passed)];
            if change.files.contains_key(Utf8Path::new("test/B.java")) {
                let fixed = change.files.contains_key(Utf8Path::new("src/A.java"));
                results.push(result("B#new", if fixed { Passed } else { Failed }));
            }
            results
        });
        project.added_tests = vec![TestId("B".to_owned())];
        let assessed = check(&project, &[], &change("test/B.java"));
        assert_eq!(outcome_of(&assessed), None);
        assert_eq!(assessed.0.fixed[0].origin, TriggerOrigin::Patch);
    }
}
