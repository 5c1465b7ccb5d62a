//! What happens when inputs are searched for: how much of it, toward what, what each input brought, what was tried in all.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SequenceOutcome;

/// The number of a goal in the list of a [`crate::Catalog`]'s runner.
pub type GoalId = u32;

/// How much a search may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// Wall time. Two runs end at different inputs.
    Time(Duration),
    /// Inputs, each run in all versions. Two runs are the same.
    Inputs(u64),
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => write!(f, "{} s", time.as_secs_f64()),
            Self::Inputs(inputs) => write!(f, "{inputs} inputs"),
        }
    }
}

/// What a goal is for. The search prefers them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GoalPurpose {
    /// Get to a changed statement.
    Reach,
    /// Make a condition of one version hold and its counterpart in another not.
    Part,
    /// Take a branch of a changed method.
    Branch,
    /// Take a branch of another method of a changed class.
    Around,
}

/// Something that an input should bring about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    /// What for.
    pub purpose: GoalPurpose,
    /// For people: `patched Gregorian.java:31 true`.
    pub text: String,
}

/// How near an input came to a goal, nearer than all before it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Which goal.
    pub goal: GoalId,
    /// 0 is there; 1 for each condition on the way that was not even evaluated.
    pub distance: f64,
}

/// What one input brought besides its outcome.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Feedback {
    /// It ran through changed code in at least one version.
    pub reached: bool,
    /// Goals to which it came nearer than all before it.
    pub progress: Vec<Progress>,
    /// Changed code compared something that is not a number.
    pub compared_nan: bool,
}

/// One input that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    /// What became of it.
    pub outcome: SequenceOutcome,
    /// What it brought.
    pub feedback: Feedback,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchEnd {
    /// Somebody was satisfied with what it had found.
    Found,
    /// The budget was spent.
    Budget,
    /// For a long time no input had brought anything new.
    Exhausted,
    /// Nothing that could be called leads to the change.
    NothingToCall,
}

/// Differences that were seen and do not count, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Discarded {
    /// A stable key: `exception-message`, `rounding`, `null-argument`, `flaky` …
    pub reason: String,
    /// How many inputs showed one.
    pub inputs: u64,
    /// The first of them, in a sentence.
    pub example: String,
}

/// Opad's O-measure: inputs on which the patched program crashes and the buggy one does not, or has more errors of memory,
/// or leaks more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct OMeasure {
    /// Developers' and fuzzed inputs that were measured.
    pub inputs: u64,
    /// Of these, how many count.
    pub counted: u64,
}

/// What was tried, whatever came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Effort {
    /// The technique it was for.
    pub technique: String,
    /// Inputs run, each in all versions.
    pub inputs: u64,
    /// Of these, how many reached changed code.
    pub reached: u64,
    /// Inputs taken from developers' tests, or made from what those tests passed.
    pub seeds: u64,
    /// Inputs of earlier searches for the same bug.
    pub kept: u64,
    /// Branches of the changed methods or functions.
    pub branches: u32,
    /// Of these, how many were taken.
    pub branches_taken: u32,
    /// Inputs on which the versions differed at all, noise included.
    pub differing: u64,
    /// What of it does not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub discarded: Vec<Discarded>,
    /// Inputs that broke down in a version: time, memory, exit.
    pub broke_down: u64,
    /// Opad's measure, where all was to be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub o_measure: Option<OMeasure>,
    /// Where chance began.
    pub seed: u64,
    /// What it might have cost, for people.
    pub budget: String,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<SearchEnd>,
}
