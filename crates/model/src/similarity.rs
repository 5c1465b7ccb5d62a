//! How alike executions are: what TEST-SIM and PATCH-SIM measured, and what decided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far apart two traces are: `1 - |longest common subsequence| / |longer trace|`, from 0 (the same) to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Distance {
    /// The distance.
    pub value: f64,
    /// It is at most this: the traces were too long or too unlike to know more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_most: bool,
}

/// Where a test comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestOrigin {
    /// A developer wrote it; how it ends is known.
    Original,
    /// It was made here; TEST-SIM says how it would end.
    Generated,
}

/// How a test ends on the buggy version, or would if somebody had written down what is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestClass {
    /// It passes.
    Passing,
    /// It fails.
    Failing,
    /// It is as near to failing tests as to passing ones.
    Discarded,
}

/// Where calls of changed methods that run the same statements on the buggy version are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CallOrigin {
    /// All in passing tests, and none in a failing one.
    Passing,
    /// At least one in failing tests alone.
    Failing,
    /// Some in both, or none in failing tests alone.
    Both,
    /// At least one in no test, and none in failing tests alone.
    New,
}

/// One test, in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestFigures {
    /// The test's id; of a generated one its number and last call.
    pub name: String,
    /// Where it comes from.
    pub origin: TestOrigin,
    /// What it counts as.
    pub class: TestClass,
    /// Of a generated test: to the nearest original test that passes, inside of changed methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_passing: Option<Distance>,
    /// Of a generated test: to the nearest original test that fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_failing: Option<Distance>,
    /// Between its executions on the buggy and on the patched version, whole.
    pub change: Distance,
    /// The same without the patch's own lines: between what runs of the statements that both versions have.
    pub change_around: Distance,
    /// Statements that both versions have and that it ran on the buggy one.
    #[serde(default)]
    pub shared: u64,
    /// How many of these it does not run any more on the patched version, in whatever order.
    #[serde(default)]
    pub lost: u64,
    /// Of a generated test: where the calls of changed methods that it makes were seen before, by what they ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<CallOrigin>,
    /// Of a generated test: the patched version shows something else than the buggy one, where it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<bool>,
    /// Statements it ran on the buggy version, and on the patched one.
    pub statements: (u64, u64),
}

/// A test that could not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetAside {
    /// The test.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Which condition of PATCH-SIM speaks against a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SimilarityRule {
    /// `Ap >= Kp`: a passing test behaves too differently.
    PassingChanged,
    /// `Ap >= Af`: passing tests change as much as failing ones.
    FailingUnchanged,
    /// None of the paper's, but ours: a passing test leaves out much of what it ran before.
    PassingLost,
    /// Another one of ours: code that several passing tests ran is reached by no test any more.
    CodeUnreached,
}

/// Code of changed methods that passing tests ran on the buggy version and that no test runs on the patched one, which still
/// has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unreached {
    /// The file of the statement that most tests ran.
    pub file: String,
    /// Its line in the buggy version.
    pub line: u32,
    /// How many statements there are of that kind.
    pub statements: u64,
    /// How many passing tests ran the one on that line.
    pub tests: u64,
    /// The first of them.
    pub test: String,
    /// How many tests may reach the change and could not be compared, so that it is not known what they run.
    pub unknown: u64,
}

/// What PATCH-SIM measured for one patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Similarity {
    /// `Kt`: so far from all failing tests a generated one passes, where no original test passes.
    pub kt: f64,
    /// `Kp`: so much no passing test may change.
    pub kp: f64,
    /// `Ap`: the largest change of a passing test; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ap: Option<f64>,
    /// `Af`: the mean change of failing tests; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub af: Option<f64>,
    /// What speaks against the patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<SimilarityRule>,
    /// Mean change of the original tests: how far the patch is from the buggy version in what it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_distance: Option<f64>,
    /// Code that no test that could be compared reaches any more; none where all is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Unreached>,
    /// The patch computes nothing new: it removes statements, has them run under other conditions, or ends earlier. What
    /// passing tests lose, and code that they do not reach any more, counts only then.
    #[serde(default)]
    pub only_directs: bool,
    /// All tests that reach the change.
    pub tests: Vec<TestFigures>,
    /// Tests that could not be compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<SetAside>,
}
