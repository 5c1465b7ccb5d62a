//! The patched version and the original tests: does it turn the red ones green, and none of the green ones red?
//!
//! A test that the patch seems to break is run again before it counts, and what wavers is set aside by name. Tests
//! that the patch itself brings can show the bug where the original ones don't; they never clear the patch.

use std::collections::BTreeSet;
use std::time::Duration;

use bonafix_lang::{LangError, OnTest, Project};
use bonafix_model::{
    InconclusiveReason, InvalidReason, Plausibility, StillFailing, TestId, TestOutcome, TestResult, TestRun,
    TestSelection, TreeChange, TriggerOrigin, TriggerTest, Verdict,
};
use camino::Utf8Path;

use crate::baseline::Baseline;

/// How often a test that seems broken runs again before it counts.
const CONFIRMATIONS: u32 = 2;
/// A suite that takes no longer than starting a process a few times is run at once.
const SHORT_SUITE: Duration = Duration::from_secs(3);

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
    /// Runs the tests that show the bug, and all others. Where the suite is long those that show the bug come first, so
    /// that a patch that does not fix it costs little.
    pub fn run(&self, on_test: OnTest<'_>) -> Result<Assessed, LangError> {
        let mut plausibility = Plausibility::default();
        let candidates = self.baseline.candidates();
        let mut first = None;
        if !candidates.is_empty() && self.baseline.suite_time() > SHORT_SUITE {
            let ids = candidates.iter().cloned().collect();
            let run = self.run_on(self.sources, TestSelection::Only(ids), on_test)?;
            if let Some(verdict) = self.judge_triggers(&candidates, &run, &mut plausibility) {
                return Ok((plausibility, Some(verdict)));
            }
            first = Some(run);
        }
        let suite = self.run_on(self.sources, self.selection.clone(), on_test)?;
        if first.is_some() {
            set_aside_wavering_triggers(&suite, &mut plausibility);
        } else if !candidates.is_empty()
            && let Some(verdict) = self.judge_triggers(&candidates, &suite, &mut plausibility)
        {
            return Ok((plausibility, Some(verdict)));
        }
        plausibility.tests = suite.results.len();
        plausibility.passed = passed(&suite);
        self.find_broken(&suite, &mut plausibility, on_test)?;
        if let Some(verdict) = breaks_tests(&plausibility) {
            return Ok((plausibility, Some(verdict)));
        }
        if candidates.is_empty() {
            plausibility.fixed = self.shown_by_the_patchs_own_tests(on_test)?;
        }
        let verdict = plausibility.fixed.is_empty().then(|| nothing_shown(&plausibility));
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

    /// Sorts the tests that show the bug into fixed and not; a verdict when too few are.
    fn judge_triggers(
        &self,
        candidates: &BTreeSet<TestId>,
        run: &TestRun,
        plausibility: &mut Plausibility,
    ) -> Option<Verdict> {
        self.sort_triggers(candidates, run, plausibility);
        plausibility.tests = run.results.len();
        plausibility.passed = passed(run);
        self.bug_still_shows(plausibility)
    }

    fn sort_triggers(&self, candidates: &BTreeSet<TestId>, run: &TestRun, plausibility: &mut Plausibility) {
        for id in candidates {
            let outcome = run.get(id).map_or(TestOutcome::Error, |result| result.outcome);
            if outcome == TestOutcome::Passed {
                plausibility.fixed.push(self.trigger(id));
            } else {
                plausibility.still_failing.push(StillFailing { id: id.clone(), outcome });
            }
        }
    }

    fn trigger(&self, id: &TestId) -> TriggerTest {
        TriggerTest {
            id: id.clone(),
            outcome: self.baseline.outcomes.get(id).copied().unwrap_or(TestOutcome::Failed),
            origin: TriggerOrigin::Original,
            declared: self.baseline.declared.contains(id),
        }
    }

    /// A test that is known to show the bug must turn green; where none is known, one of the red ones must.
    fn bug_still_shows(&self, plausibility: &Plausibility) -> Option<Verdict> {
        let must =
            |id: &TestId| self.baseline.declared.contains(id) || self.baseline.known_fixable.contains(id);
        let known_red: Vec<&StillFailing> =
            plausibility.still_failing.iter().filter(|test| must(&test.id)).collect();
        if known_red.is_empty() && !plausibility.fixed.is_empty() {
            return None;
        }
        let red: Vec<String> = if known_red.is_empty() {
            plausibility.still_failing.iter().map(describe_still_failing).collect()
        } else {
            known_red.into_iter().map(describe_still_failing).collect()
        };
        let summary = match red.len() {
            1 => "the bug still shows: 1 test that is red on the buggy version is not green".to_owned(),
            n => format!("the bug still shows: {n} tests that are red on the buggy version are not green"),
        };
        Some(Verdict::invalid(InvalidReason::BugStillShows, summary, red))
    }

    fn find_broken(
        &self,
        suite: &TestRun,
        plausibility: &mut Plausibility,
        on_test: OnTest<'_>,
    ) -> Result<(), LangError> {
        let mut suspects: Vec<TestResult> = self.newly_red(suite);
        for _ in 0..CONFIRMATIONS {
            // A hang of the whole limit is not noise, and too dear to repeat.
            let again: Vec<TestId> = suspects
                .iter()
                .filter(|result| result.outcome != TestOutcome::TimedOut)
                .map(|result| result.id.clone())
                .collect();
            if again.is_empty() {
                break;
            }
            let run = self.run_on(self.sources, TestSelection::Only(again.clone()), on_test)?;
            let green = |id: &TestId| {
                again.contains(id) && run.get(id).is_some_and(|result| !result.outcome.is_red())
            };
            plausibility.flaky.extend(suspects.iter().map(|result| result.id.clone()).filter(|id| green(id)));
            suspects.retain(|result| !green(&result.id));
        }
        plausibility.broken = suspects;
        Ok(())
    }

    /// Green on buggy and red now, or gone (the process ended before it could run).
    fn newly_red(&self, suite: &TestRun) -> Vec<TestResult> {
        let was_green = |id: &TestId| self.baseline.outcomes.get(id) == Some(&TestOutcome::Passed);
        let mut red: Vec<TestResult> = suite
            .results
            .iter()
            .filter(|result| result.outcome.is_red() && was_green(&result.id))
            .cloned()
            .collect();
        let ran: BTreeSet<&TestId> = suite.results.iter().map(|result| &result.id).collect();
        let missing = self.baseline.outcomes.keys().filter(|id| was_green(id) && !ran.contains(id));
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

/// A test that was green alone and is red among the others proves nothing.
fn set_aside_wavering_triggers(suite: &TestRun, plausibility: &mut Plausibility) {
    let wavers = |id: &TestId| suite.get(id).is_some_and(|result| result.outcome != TestOutcome::Passed);
    let aside = plausibility.fixed.iter().map(|test| test.id.clone()).filter(|id| wavers(id));
    plausibility.flaky.extend(aside);
    plausibility.fixed.retain(|test| !wavers(&test.id));
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

fn nothing_shown(plausibility: &Plausibility) -> Verdict {
    if plausibility.flaky.is_empty() {
        return Verdict::inconclusive(
            InconclusiveReason::BugNotShown,
            "no test is red on the buggy version and green on the patched one, so nothing says that the patch acts on a bug",
        );
    }
    Verdict::inconclusive(
        InconclusiveReason::OnlyFlaky,
        "the tests that turned green are red in other runs of the same version, so they show nothing",
    )
}

fn describe_still_failing(test: &StillFailing) -> String {
    format!("{}: {}", test.id, word(test.outcome))
}

fn describe(result: &TestResult) -> String {
    let failure = result.failure.as_ref();
    let kind = failure.and_then(|failure| failure.kind.as_deref()).unwrap_or_default();
    let message =
        failure.map(|failure| failure.message.lines().next().unwrap_or_default()).unwrap_or_default();
    let what = [kind, message].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    if what.is_empty() {
        return format!("{}: {}", result.id, word(result.outcome));
    }
    format!("{}: {} ({what})", result.id, word(result.outcome))
}

fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Error => "error",
        TestOutcome::TimedOut => "timed out",
        TestOutcome::Crashed => "crashed the process",
        TestOutcome::Skipped => "skipped",
    }
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
        // Runs 0 to 2 are the baseline, 3 is the suite, 4 the first confirmation.
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
    fn in_a_long_suite_a_patch_that_does_not_fix_the_bug_costs_only_the_tests_that_show_it() {
        let project = FakeProject::new(|_, _| {
            let slow = TestResult { millis: 10_000, ..result("A#slow", Passed) };
            vec![result("A#bug", Failed), slow]
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(invalid_reason(&assessed), Some(InvalidReason::BugStillShows));
        assert_eq!(assessed.0.tests, 1);
    }

    #[test]
    fn in_a_long_suite_a_test_that_is_green_alone_and_red_among_others_is_set_aside() {
        // Runs 0 to 2 are the baseline, 3 the tests that show the bug, 4 the suite.
        let project = FakeProject::new(|_, run| {
            let slow = TestResult { millis: 10_000, ..result("A#slow", Passed) };
            vec![result("A#bug", if run == 3 { Passed } else { Failed }), slow]
        });
        let assessed = check(&project, &[], &TreeChange::default());
        assert_eq!(assessed.1.and_then(|verdict| verdict.inconclusive), Some(InconclusiveReason::OnlyFlaky));
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
