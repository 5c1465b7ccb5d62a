//! Every formula, worked by hand.

use TestClass::{Discarded, Failing, Passing};
use TestOrigin::{Generated, Original};

use super::*;

fn exactly(value: f64) -> Distance {
    Distance { value, at_most: false }
}

fn at_most(value: f64) -> Distance {
    Distance { value, at_most: true }
}

fn test(class: TestClass, change: f64) -> TestFigures {
    TestFigures {
        name: "T.a".to_owned(),
        origin: Original,
        class,
        to_passing: None,
        to_failing: None,
        change: exactly(change),
        change_around: exactly(0.0),
        shared: 10,
        lost: 0,
        calls: None,
        differs: None,
        statements: (10, 10),
    }
}

fn passing(change: f64) -> TestFigures {
    test(Passing, change)
}

fn failing(change: f64) -> TestFigures {
    test(Failing, change)
}

fn paper() -> Options {
    Options::default()
}

fn class(to_passing: Option<f64>, to_failing: Option<f64>) -> TestClass {
    classify(to_passing.map(exactly), to_failing.map(exactly), &paper())
}

fn against(tests: &[TestFigures]) -> Option<SimilarityRule> {
    decide(tests, &paper()).against
}

fn is_near(found: Option<f64>, expected: f64) {
    assert!(found.is_some_and(|found| (found - expected).abs() < 1e-12), "{found:?}, not {expected}");
}

#[test]
fn a_generated_test_is_what_its_nearest_neighbour_is() {
    assert_eq!(class(Some(0.1), Some(0.2)), Passing);
    assert_eq!(class(Some(0.2), Some(0.1)), Failing);
    assert_eq!(class(Some(0.2), Some(0.2)), Discarded);
    assert_eq!(class(Some(0.0), Some(0.0)), Discarded);
    // However far both are.
    assert_eq!(class(Some(0.8), Some(0.9)), Passing);
}

#[test]
fn without_a_passing_test_the_threshold_decides_and_itself_is_far_enough() {
    assert_eq!(class(None, Some(0.41)), Passing);
    assert_eq!(class(None, Some(0.4)), Passing);
    assert_eq!(class(None, Some(0.39)), Failing);
    assert_eq!(class(None, Some(0.0)), Failing);
}

#[test]
fn without_a_failing_test_nothing_can_be_failing() {
    assert_eq!(class(Some(0.9), None), Passing);
    assert_eq!(class(None, None), Passing);
}

#[test]
fn with_a_margin_what_lies_between_is_discarded() {
    let options = Options { margin: 0.1, ..paper() };
    let class = |passing, failing| classify(Some(exactly(passing)), Some(exactly(failing)), &options);
    assert_eq!(class(0.25, 0.5), Passing);
    assert_eq!(class(0.25, 0.3), Discarded);
    assert_eq!(class(0.3, 0.25), Discarded);
    assert_eq!(class(0.5, 0.25), Failing);
}

#[test]
fn a_class_that_hangs_on_a_distance_that_is_not_exact_is_none() {
    let class = |passing, failing| classify(passing, Some(failing), &paper());
    // Nearer to what passes, even if it is nearer still.
    assert_eq!(class(Some(at_most(0.1)), exactly(0.2)), Passing);
    assert_eq!(class(Some(exactly(0.1)), at_most(0.2)), Discarded);
    assert_eq!(class(Some(exactly(0.2)), at_most(0.1)), Failing);
    assert_eq!(class(Some(at_most(0.2)), exactly(0.1)), Discarded);
    assert_eq!(class(None, at_most(0.3)), Failing);
    assert_eq!(class(None, at_most(0.5)), Discarded);
}

#[test]
fn the_nearest_is_exact_if_no_other_can_be_nearer() {
    assert_eq!(nearest([]), None);
    assert_eq!(nearest([exactly(0.3), exactly(0.1), exactly(0.2)]), Some(exactly(0.1)));
    assert_eq!(nearest([at_most(0.3), exactly(0.1)]), Some(at_most(0.1)));
    assert_eq!(nearest([at_most(0.3), exactly(0.0)]), Some(exactly(0.0)));
}

#[test]
fn a_good_patch_changes_failing_tests_and_not_passing_ones() {
    // Ap = max(0.1, 0) = 0.1 < 0.25, Af = (0.2 + 0.4) / 2 = 0.3 > Ap.
    let decision = decide(&[passing(0.1), passing(0.0), failing(0.2), failing(0.4)], &paper());
    is_near(decision.ap, 0.1);
    is_near(decision.af, 0.3);
    assert_eq!(decision.against, None);
}

#[test]
fn one_passing_test_that_changes_too_much_is_enough() {
    let tests = |change| [passing(0.0), passing(change), failing(0.9)];
    assert_eq!(against(&tests(0.25)), Some(SimilarityRule::PassingChanged));
    assert_eq!(against(&tests(0.6)), Some(SimilarityRule::PassingChanged));
    assert_eq!(against(&tests(0.2499)), None);
}

#[test]
fn passing_tests_may_not_change_as_much_as_failing_ones() {
    assert_eq!(against(&[passing(0.2), failing(0.1)]), Some(SimilarityRule::FailingUnchanged));
    assert_eq!(against(&[passing(0.2), failing(0.2)]), Some(SimilarityRule::FailingUnchanged));
    assert_eq!(against(&[passing(0.2), failing(0.21)]), None);
}

#[test]
fn a_patch_that_changes_no_trace_is_wrong_by_the_formula() {
    assert_eq!(against(&[passing(0.0), failing(0.0)]), Some(SimilarityRule::FailingUnchanged));
}

#[test]
fn a_mean_of_equal_changes_is_a_tie_whatever_its_last_bit() {
    // 0.1 + 0.1 + 0.1 is more than 0.3, in floating point numbers.
    let tests = [passing(0.1), failing(0.1), failing(0.1), failing(0.1)];
    assert_eq!(against(&tests), Some(SimilarityRule::FailingUnchanged));
}

#[test]
fn both_conditions_together_are_told_as_the_first() {
    assert_eq!(against(&[passing(0.5), failing(0.1)]), Some(SimilarityRule::PassingChanged));
}

#[test]
fn without_a_passing_test_nothing_speaks_against_a_patch() {
    for tests in [vec![], vec![failing(0.0)], vec![failing(0.0), test(Discarded, 1.0)]] {
        assert_eq!((decide(&tests, &paper()).ap, against(&tests)), (None, None));
    }
}

#[test]
fn without_a_failing_test_only_the_change_of_passing_ones_counts() {
    assert_eq!(decide(&[passing(0.0)], &paper()), Decision { ap: Some(0.0), af: None, against: None });
    assert_eq!(against(&[passing(0.3)]), Some(SimilarityRule::PassingChanged));
}

#[test]
fn empty_traces_have_no_distance_and_no_influence_beyond_that() {
    let change = crate::distance(&[], &[], crate::distance::Limit::default());
    let empty = TestFigures { change, statements: (0, 0), ..passing(0.0) };
    assert_eq!(against(&[empty.clone(), failing(0.1)]), None);
    assert_eq!(
        against(&[empty.clone(), TestFigures { class: Failing, ..empty }]),
        Some(SimilarityRule::FailingUnchanged)
    );
}

#[test]
fn what_is_not_exact_never_speaks_against_a_patch() {
    let unsure = TestFigures { change: at_most(0.9), ..passing(0.0) };
    assert_eq!(decide(&[unsure.clone(), failing(0.1)], &paper()).ap, None);
    let decision = decide(&[unsure, passing(0.1), failing(0.2)], &paper());
    assert_eq!((decision.ap, decision.against), (Some(0.1), None));
    // It may have changed by 0.5, and that would be enough.
    let fixed = TestFigures { change: at_most(0.5), ..failing(0.0) };
    assert_eq!(against(&[passing(0.1), fixed]), None);
}

#[test]
fn one_far_failing_test_does_not_drown_a_robust_mean() {
    let tests = [passing(0.1), failing(0.02), failing(0.9), failing(0.04)];
    let decided = |failing_mean| decide(&tests, &Options { failing_mean, ..paper() });
    is_near(decided(FailingMean::Mean).af, 0.32);
    assert_eq!(decided(FailingMean::Mean).against, None);
    is_near(decided(FailingMean::Median).af, 0.04);
    assert_eq!(decided(FailingMean::Median).against, Some(SimilarityRule::FailingUnchanged));
    is_near(decided(FailingMean::WithoutFarthest).af, 0.03);
    assert_eq!(decided(FailingMean::WithoutFarthest).against, Some(SimilarityRule::FailingUnchanged));
}

#[test]
fn robust_means_of_few_tests() {
    let figure = |changes: &[f64], how| one_figure(changes.to_vec(), how);
    for how in [FailingMean::Mean, FailingMean::Median, FailingMean::WithoutFarthest] {
        assert_eq!(figure(&[], how), None);
        is_near(figure(&[0.3], how), 0.3);
        is_near(figure(&[0.1, 0.3], how), 0.2);
    }
    is_near(figure(&[0.9, 0.1, 0.3, 0.2], FailingMean::Median), 0.25);
    is_near(figure(&[0.9, 0.1, 0.3, 0.2], FailingMean::WithoutFarthest), 0.2);
}

#[test]
fn everything_is_in_the_report() {
    let generated = TestFigures { origin: Generated, ..passing(0.2) };
    let aside = SetAside { name: "T.b".to_owned(), reason: "flaky".to_owned() };
    let tests = vec![passing(0.0), generated, failing(0.3)];
    let found = similarity(tests.clone(), vec![aside.clone()], None, true, &paper());
    is_near(found.ap, 0.2);
    is_near(found.af, 0.3);
    // Of the original ones alone: (0 + 0.3) / 2.
    is_near(found.semantic_distance, 0.15);
    assert_eq!((found.tests, found.set_aside, found.against), (tests, vec![aside], None));
    assert_eq!(similarity(Vec::new(), Vec::new(), None, true, &paper()).semantic_distance, None);
}

#[test]
fn the_sentence_names_the_test_the_figures_and_the_condition() {
    let told =
        |tests: &[TestFigures]| sentence(&similarity(tests.to_vec(), Vec::new(), None, true, &paper()));
    let generated = TestFigures { origin: Generated, name: "#7 f(3)".to_owned(), ..passing(0.31) };
    assert_eq!(
        told(&[passing(0.0), generated, failing(0.9)]),
        "the generated test #7 f(3), which counts as passing, changes by 0.310: what passes must change by less than \
         0.250 (Ap >= Kp)"
    );
    assert_eq!(
        told(&[passing(0.0002), failing(0.0001)]),
        "the passing test T.a changes by 2.0e-4, and the failing test by no more, 1.0e-4: what failed must change most \
         (Ap >= Af)"
    );
    assert_eq!(
        told(&[passing(0.02), failing(0.2), failing(0.4)]),
        "the passing test T.a changes by 0.020 at most, and 2 failing tests on average by 0.300: what failed changes, \
         what passes stays"
    );
    assert_eq!(
        told(&[passing(0.02)]),
        "the passing test T.a changes by 0.020 at most, less than 0.250; no failing test could be compared"
    );
    assert!(told(&[failing(0.2)]).starts_with("no passing test"));
}

/// Of so many statements that both versions have, it leaves out these.
fn leaves_out(lost: u64, shared: u64, test: TestFigures) -> TestFigures {
    TestFigures { lost, shared, ..test }
}

#[test]
fn the_sentence_names_the_test_that_makes_it_count() {
    let named = |name: &str, test: TestFigures| TestFigures { name: name.to_owned(), ..test };
    let told = |tests: Vec<TestFigures>| sentence(&similarity(tests, Vec::new(), None, true, &paper()));
    let losing = leaves_out(402, 2_000, named("T.b", passing(0.1)));
    let tests = vec![named("T.a", passing(0.4)), losing.clone(), failing(0.2)];
    assert_eq!(
        told(tests),
        "the passing test T.a changes by 0.400: what passes must change by less than 0.250 (Ap >= Kp); it counts because \
         the passing test T.b leaves out 402 of 2000 statements that it ran before (20.1 %)"
    );
    assert_eq!(
        told(vec![losing, failing(0.2)]),
        "the passing test T.b leaves out 402 of 2000 statements that it ran before (20.1 %)"
    );
}

#[test]
fn a_run_lacks_what_another_one_ran_more_often() {
    assert_eq!(lost(&[1, 2, 3], &[1, 2, 3]), 0);
    assert_eq!(lost(&[1, 2, 3], &[1, 9, 2, 9, 3, 9]), 0, "what is added takes nothing away");
    assert_eq!(lost(&[1, 9, 2, 9, 3, 9], &[1, 2, 3]), 3);
    assert_eq!(lost(&[1, 1, 1, 2], &[1, 2, 2, 2]), 2);
    assert_eq!((lost(&[1, 2], &[]), lost(&[], &[1, 2]), lost(&[], &[])), (2, 0, 0));
}

/// Found on a correct patch of a library of dates: it asks for a time zone earlier, so that in another test tables are read in
/// another order, and a longest common subsequence leaves one of them out.
#[test]
fn what_runs_in_another_order_is_not_lost() {
    let one: Vec<u32> = (0..500).collect();
    let other: Vec<u32> = (250..500).chain(0..250).collect();
    assert_eq!(lost(&one, &other), 0);
}

#[test]
fn what_takes_little_from_passing_tests_is_a_remark() {
    let counted = |tests: &[TestFigures]| {
        let similarity = similarity(tests.to_vec(), Vec::new(), None, true, &paper());
        assert!(similarity.against.is_some(), "the formulas say so in any case");
        counts(&similarity)
    };
    let passing = |lost, shared| leaves_out(lost, shared, passing(0.6));
    let failing = |lost, shared| leaves_out(lost, shared, failing(0.6));
    assert!(counted(&[passing(100, 400)]));
    assert!(!counted(&[passing(99, 100)]), "a short way less");
    assert!(counted(&[passing(200, 10_000)]));
    assert!(!counted(&[passing(199, 10_000)]), "that is less than a fiftieth");
    assert!(counted(&[passing(200, 1_000), failing(400, 1_000)]));
    assert!(
        !counted(&[passing(199, 1_000), failing(400, 1_000)]),
        "failing tests lose more than twice as much"
    );
    assert!(counted(&[passing(200, 1_000), failing(800, 1_000), failing(0, 1_000)]), "in the mean");
    assert!(
        !counted(&[TestFigures { origin: Generated, ..passing(900, 1_000) }]),
        "who knows whether it passes"
    );
}

/// Found on a correct patch: it looks for the bounds of a copied series anew, which takes long in passing tests too.
#[test]
fn a_passing_test_that_runs_three_times_as_much_has_lost_nothing() {
    let once: Vec<u32> = (0..1_000).collect();
    let thrice = once.repeat(3);
    assert_eq!((lost(&once, &thrice), lost(&thrice, &once)), (0, 2_000));
}

#[test]
fn a_test_that_loses_much_speaks_against_a_patch_where_the_formulas_do_not() {
    let tests = vec![leaves_out(150, 1_000, passing(0.15)), leaves_out(250, 1_000, failing(0.25))];
    assert_eq!(against(&tests), None);
    let found = similarity(tests, Vec::new(), None, true, &paper());
    assert_eq!(found.against, Some(SimilarityRule::PassingLost));
    assert!(counts(&found));
}

/// Found on two developers' own fixes: one works out a month by itself instead of going through a whole calendar, the other
/// has an integration end with one step instead of several.
#[test]
fn a_patch_that_computes_something_new_may_come_to_the_same_in_another_way() {
    let tests = vec![leaves_out(900, 1_000, passing(0.15)), leaves_out(250, 1_000, failing(0.25))];
    // All that passing tests ran of the old way is out of reach then.
    for unreached in [None, Some(out_of_reach(7, 0))] {
        let found = similarity(tests.clone(), Vec::new(), unreached, false, &paper());
        assert_eq!((found.against, counts(&found)), (None, false));
        assert!(sentence(&found).ends_with("what failed changes, what passes stays"), "{}", sentence(&found));
    }
}

/// Code of a changed method that so many passing tests ran and no test runs any more.
fn out_of_reach(tests: u64, unknown: u64) -> Unreached {
    let (file, test) = ("src/A.java".to_owned(), "T.a".to_owned());
    Unreached { file, line: 12, statements: 3, tests, test, unknown }
}

#[test]
fn code_that_several_passing_tests_ran_and_none_reaches_any_more_speaks_against_a_patch() {
    let tests = vec![passing(0.02), failing(0.25)];
    let with = |unreached| similarity(tests.clone(), Vec::new(), unreached, true, &paper());
    assert_eq!(with(None).against, None);
    let found = with(Some(out_of_reach(2, 0)));
    assert_eq!((found.against, counts(&found)), (Some(SimilarityRule::CodeUnreached), true));
    assert_eq!(
        sentence(&found),
        "no test reaches src/A.java:12 any more, which 2 passing tests ran before (T.a is one)"
    );
    for (unreached, why) in [
        (out_of_reach(1, 0), "one test may be the special case that a right patch treats elsewhere"),
        (out_of_reach(3, 3), "of the three that could not be compared each may reach it"),
    ] {
        let found = with(Some(unreached));
        assert_eq!((found.against, counts(&found)), (None, false), "{why}");
    }
    assert!(counts(&with(Some(out_of_reach(4, 3)))));
}

#[test]
fn where_the_formulas_speak_against_a_patch_the_sentence_names_code_out_of_reach_as_well() {
    let tests = vec![passing(0.4), failing(0.2)];
    let found = similarity(tests, Vec::new(), Some(out_of_reach(2, 0)), true, &paper());
    assert_eq!(found.against, Some(SimilarityRule::PassingChanged), "the published conditions come first");
    let told = sentence(&found);
    assert!(told.ends_with("; it counts because no test reaches src/A.java:12 any more, which 2 passing tests ran before (T.a is one)"), "{told}");
}
