//! What the engine tells while it works. Progress bars, logs and the run directory hang off this one stream.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The steps of a check, in the order in which they happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Find the build, copy the subject.
    Open,
    /// Build the buggy version.
    BuildBuggy,
    /// Run the tests on the buggy version.
    Baseline,
    /// Build the reference and run its tests.
    Reference,
    /// Apply the patch.
    Apply,
    /// Find out what the patch changes.
    Delta,
    /// Build the patched version.
    BuildPatched,
    /// Run the tests on the patched version.
    Plausibility,
    /// Search for inputs that speak against the patch.
    Judge,
    /// Compare executions on the buggy and on the patched version.
    Compare,
    /// Compare the patches of a run with each other.
    Rank,
}

impl Stage {
    /// A few words for a progress line.
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "reading the subject",
            Self::BuildBuggy => "building the buggy version",
            Self::Baseline => "testing the buggy version",
            Self::Reference => "building and testing the reference",
            Self::Apply => "applying the patch",
            Self::Delta => "finding what is changed",
            Self::BuildPatched => "building the patched version",
            Self::Plausibility => "testing the patched version",
            Self::Judge => "judging",
            Self::Compare => "comparing executions",
            Self::Rank => "comparing the patches",
        }
    }
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum Event {
    /// The run directory is there; results and logs can be read in it from now on.
    RunStarted {
        /// Its path.
        run: String,
    },
    /// A step begins; `patch` is set for the steps of one patch.
    StageStarted {
        /// Which step.
        stage: Stage,
        /// For which patch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        patch: Option<String>,
    },
    /// A step ended.
    StageFinished {
        /// Which step.
        stage: Stage,
        /// For which patch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        patch: Option<String>,
        /// Wall time.
        millis: u64,
        /// The result came from the cache.
        cached: bool,
    },
    /// Some tests of the current step are done.
    TestProgress {
        /// How many.
        done: u64,
        /// Of how many, where that is known.
        total: Option<u64>,
        /// How many were red.
        red: u64,
    },
    /// A search for inputs goes on.
    SearchProgress {
        /// Inputs run so far.
        inputs: u64,
        /// Of these, how many reached the change.
        reached: u64,
        /// Goals that are not met yet.
        open_goals: u32,
        /// The least distance to one of the foremost of them.
        nearest: Option<f64>,
        /// Inputs that make the versions differ, whatever that is worth.
        differing: u64,
    },
    /// Something the user should know.
    Notice {
        /// One or more sentences.
        text: String,
    },
    /// A patch has its outcome.
    PatchFinished {
        /// Which patch.
        patch: String,
        /// What became of it.
        outcome: crate::Outcome,
    },
}
