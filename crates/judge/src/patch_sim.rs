//! TEST-SIM and PATCH-SIM: what the traces of tests say of a patch, without an oracle.
//!
//! A good patch changes what failing tests do and leaves passing ones as they were. The formulas are those of Xiong et al.,
//! "Identifying Patch Correctness in Test-Based Program Repair" (ICSE 2018), sections 4.3 and 4.4; what goes beyond them
//! is an option, off by default.
//!
//! A distance that is only known to be *at most* something never speaks against a patch: a test whose class
//! hangs on it is discarded, a passing test with such a change is left out, a failing one counts as much as it may have
//! changed.

mod sentence;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use bonafix_model::{
    Distance, SetAside, Similarity, SimilarityRule, TestClass, TestFigures, TestOrigin, Unreached,
};

pub use sentence::sentence;

/// The name of the technique.
pub const NAME: &str = "patch-sim";

/// Numbers that differ by less are the same number, computed in two ways.
const ROUNDING: f64 = 1e-12;

/// Thresholds, and what is done otherwise than in the paper. The default is the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// `Kt`: so far from all failing tests a generated one passes, where no original test passes.
    pub kt: f64,
    /// `Kp`: so much no passing test may change.
    pub kp: f64,
    /// How one figure is made of the changes of failing tests.
    pub failing_mean: FailingMean,
    /// By so much a generated test must be nearer to tests of one kind than to those of the other; else it is discarded.
    pub margin: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { kt: 0.4, kp: 0.25, failing_mean: FailingMean::Mean, margin: 0.0 }
    }
}

/// One figure for the changes of failing tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailingMean {
    /// Their mean, as in the paper.
    Mean,
    /// The one in the middle, or the mean of the two in the middle.
    Median,
    /// Their mean without the largest, from three tests on: of two nobody can say which is the odd one.
    WithoutFarthest,
}

/// The nearest of several. What is not exact may be the nearest in truth, so then the result is not exact either.
pub fn nearest(distances: impl IntoIterator<Item = Distance>) -> Option<Distance> {
    distances.into_iter().reduce(|a, b| Distance {
        value: a.value.min(b.value),
        at_most: (a.at_most || b.at_most) && a.value.min(b.value) > 0.0,
    })
}

/// TEST-SIM: what a generated test counts as, from its distances to the nearest original tests that pass and that fail.
///
/// Without an original test that passes it passes iff it is at least `Kt` away from all that fail. Without one that
/// fails, it passes: nothing says that it could fail.
pub fn classify(to_passing: Option<Distance>, to_failing: Option<Distance>, options: &Options) -> TestClass {
    match (to_passing, to_failing) {
        (_, None) => TestClass::Passing,
        (None, Some(failing)) if failing.value < options.kt => TestClass::Failing,
        (None, Some(failing)) => if_exact(failing, TestClass::Passing),
        (Some(passing), Some(failing)) if passing.value + options.margin < failing.value => {
            if_exact(failing, TestClass::Passing)
        }
        (Some(passing), Some(failing)) if failing.value + options.margin < passing.value => {
            if_exact(passing, TestClass::Failing)
        }
        (Some(_), Some(_)) => TestClass::Discarded,
    }
}

/// The class that it has because this distance is so large, if it surely is.
fn if_exact(far: Distance, class: TestClass) -> TestClass {
    if far.at_most { TestClass::Discarded } else { class }
}

/// How many statements of one run another one does not have, in whatever order: each counts as often as it ran less. A run that
/// goes through a table in another order, or fills a cache at another time, has lost nothing.
pub fn lost(before: &[u32], after: &[u32]) -> u64 {
    let mut counts: HashMap<u32, i64> = HashMap::new();
    for &statement in before {
        *counts.entry(statement).or_default() += 1;
    }
    for &statement in after {
        *counts.entry(statement).or_default() -= 1;
    }
    counts.into_values().filter_map(|count| u64::try_from(count).ok()).sum()
}

/// What PATCH-SIM says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// `Ap`: the largest change of a passing test; none without one.
    pub ap: Option<f64>,
    /// `Af`: the mean change of failing tests; none without one.
    pub af: Option<f64>,
    /// What speaks against the patch.
    pub against: Option<SimilarityRule>,
}

/// PATCH-SIM: a patch is wrong iff `Ap >= Kp` or `Ap >= Af`. Nothing speaks against it without a passing test, and only
/// `Ap >= Kp` can without a failing one. A patch that changes no trace has `Ap = Af = 0`, which is against it.
pub fn decide(tests: &[TestFigures], options: &Options) -> Decision {
    let ap = farthest_passing(tests).map(|test| test.change.value);
    let failing = tests.iter().filter(|test| test.class == TestClass::Failing);
    let af = one_figure(failing.map(|test| test.change.value).collect(), options.failing_mean);
    let against = ap.and_then(|ap| against(ap, af, options.kp));
    Decision { ap, af, against }
}

fn against(ap: f64, af: Option<f64>, kp: f64) -> Option<SimilarityRule> {
    if at_least(ap, kp) {
        return Some(SimilarityRule::PassingChanged);
    }
    af.is_some_and(|af| at_least(ap, af)).then_some(SimilarityRule::FailingUnchanged)
}

/// A mean of three equal numbers is that number, whatever the last bit says.
fn at_least(figure: f64, threshold: f64) -> bool {
    figure >= threshold - ROUNDING
}

/// The passing test that changed most, the first of several; only what is exact counts.
fn farthest_passing(tests: &[TestFigures]) -> Option<&TestFigures> {
    let passing = tests.iter().filter(|test| test.class == TestClass::Passing && !test.change.at_most);
    passing.reduce(|most, test| if test.change.value > most.change.value { test } else { most })
}

fn one_figure(mut changes: Vec<f64>, how: FailingMean) -> Option<f64> {
    changes.sort_by(f64::total_cmp);
    match how {
        FailingMean::Mean => {}
        FailingMean::WithoutFarthest if changes.len() < 3 => {}
        FailingMean::WithoutFarthest => drop(changes.pop()),
        FailingMean::Median => {
            let odd = changes.len() % 2;
            let middle = changes.len().saturating_sub(2 - odd) / 2;
            changes = changes.into_iter().skip(middle).take(2 - odd).collect();
        }
    }
    mean(&changes)
}

#[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 tests")]
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Why what PATCH-SIM says is a mere remark: see [`counts`].
pub const REMARK: &str = "nothing-is-lost";

/// Of a passing test, at least so many statements that both versions have must not run any more …
const LEAST_STATEMENTS: u64 = 100;
/// … and at least this share of them …
const LEAST_SHARE: f64 = 0.02;
/// … and this part of the share that failing tests lose in the mean: what a right patch takes another way does so in those
/// first of all.
const PART_OF_FAILING: f64 = 0.5;

/// Does what PATCH-SIM has against a patch count?
///
/// A change of a trace is soon large where a right patch does something more: then lines run that did not, or run more often.
/// And where methods are short, the lines of the patch are themselves a quarter of what runs. There the published conditions blame
/// right patches as readily as wrong ones. What a right patch hardly ever does is take something away from a test that passes
/// already, and many a wrong one turns the test that fails green by just that. Of generated tests nobody knows whether
/// they pass. Whoever computes something new in place of what is lost may come to the same in another way.
pub fn counts(similarity: &Similarity) -> bool {
    loser(similarity).is_some() || code_out_of_reach(similarity).is_some()
}

/// The passing test that makes a patch suspicious by what it loses.
fn loser(similarity: &Similarity) -> Option<&TestFigures> {
    if similarity.only_directs { passing_that_loses_much(&similarity.tests) } else { None }
}

/// The code that makes a patch suspicious because nothing reaches it any more.
fn code_out_of_reach(similarity: &Similarity) -> Option<&Unreached> {
    similarity.unreached.as_ref().filter(|unreached| similarity.only_directs && is_out_of_reach(unreached))
}

/// Passing tests that ran code which no test runs any more, at least: of one alone it may be the special case that a right patch
/// treats elsewhere.
const LEAST_TESTS: u64 = 2;

/// Is there code that several passing tests ran and that is out of reach of all tests on the patched version, more of them than
/// could not be compared?
fn is_out_of_reach(unreached: &Unreached) -> bool {
    unreached.tests >= LEAST_TESTS && unreached.tests > unreached.unknown
}

/// The test in which it shows most, the first of several.
fn passing_that_loses_much(tests: &[TestFigures]) -> Option<&TestFigures> {
    let failing = tests.iter().filter(|test| test.class == TestClass::Failing);
    let failing = mean(&failing.map(lost_share).collect::<Vec<_>>()).unwrap_or(0.0);
    let much = |test: &&TestFigures| {
        test.class == TestClass::Passing
            && test.origin == TestOrigin::Original
            && test.lost >= LEAST_STATEMENTS
            && at_least(lost_share(test), LEAST_SHARE.max(failing * PART_OF_FAILING))
    };
    let showing = tests.iter().filter(much);
    showing.reduce(|most, test| if lost_share(test) > lost_share(most) { test } else { most })
}

/// What part of the statements that both versions have it does not run any more.
#[expect(clippy::cast_precision_loss, reason = "no trace has 2^52 statements")]
fn lost_share(test: &TestFigures) -> f64 {
    if test.shared == 0 { 0.0 } else { test.lost as f64 / test.shared as f64 }
}

/// How far the patch is from the buggy version in what it does: the mean change of original tests that reach the change.
fn semantic_distance(tests: &[TestFigures]) -> Option<f64> {
    let original = tests.iter().filter(|test| test.origin == TestOrigin::Original);
    mean(&original.map(|test| test.change.value).collect::<Vec<_>>())
}

/// Everything that is told of one patch, which computes nothing new if it `only_directs`.
pub fn similarity(
    tests: Vec<TestFigures>,
    set_aside: Vec<SetAside>,
    unreached: Option<Unreached>,
    only_directs: bool,
    options: &Options,
) -> Similarity {
    let Decision { ap, af, against } = decide(&tests, options);
    let mut similarity = Similarity {
        kt: options.kt,
        kp: options.kp,
        ap,
        af,
        against,
        semantic_distance: semantic_distance(&tests),
        unreached,
        only_directs,
        tests,
        set_aside,
    };
    let lost = loser(&similarity).map(|_| SimilarityRule::PassingLost);
    let out_of_reach = code_out_of_reach(&similarity).map(|_| SimilarityRule::CodeUnreached);
    similarity.against = against.or(lost).or(out_of_reach);
    similarity
}
