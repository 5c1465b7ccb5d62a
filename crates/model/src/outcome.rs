//! The outcomes of a check and the exit codes that carry them. Both are part of the contract with users.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What bonafix says of one patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The change was exercised and nothing was found.
    Unrefuted,
    /// A replayed witness shows that the patch is wrong.
    Refuted,
    /// Heuristics speak against the patch; no witness.
    Suspicious,
    /// Nothing can be said; the reason says why.
    Inconclusive,
    /// The patch does not apply, build, or pass the tests, or it weakens them.
    Invalid,
}

impl Outcome {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unrefuted => "unrefuted",
            Self::Refuted => "refuted",
            Self::Suspicious => "suspicious",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
        }
    }

    /// The exit code of a run over a single patch.
    pub fn exit_code(self) -> ExitCode {
        match self {
            Self::Unrefuted => ExitCode::Unrefuted,
            Self::Refuted => ExitCode::Refuted,
            Self::Suspicious => ExitCode::Suspicious,
            Self::Inconclusive => ExitCode::Inconclusive,
            Self::Invalid => ExitCode::Invalid,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// Exit codes of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Nothing was found, or a run over several patches completed.
    Unrefuted = 0,
    /// Usage or configuration error.
    Usage = 1,
    /// A witness was found.
    Refuted = 2,
    /// Heuristics only.
    Suspicious = 3,
    /// Nothing can be said.
    Inconclusive = 4,
    /// The patch is not even plausible.
    Invalid = 5,
    /// The buggy version does not build, or no test shows the bug.
    Baseline = 6,
    /// A fault of bonafix itself.
    Internal = 70,
    /// Interrupted by a signal.
    Interrupted = 130,
}

impl ExitCode {
    /// The number that the process returns.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Why nothing can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InconclusiveReason {
    /// The patch is plausible, but no technique judged it.
    NotJudged,
    /// No test shows the bug, so nothing says that the patch acts on it.
    BugNotShown,
    /// No input reached the change.
    NotExercised,
    /// Differences were seen, all of them flaky.
    OnlyFlaky,
    /// A tool that a technique needs is missing.
    ToolMissing,
    /// The patch changes nothing that runs (comments, white space, documentation).
    NoSemanticChange,
}

/// Why a patch is not plausible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InvalidReason {
    /// A hunk or a file of it has no place in the subject.
    DoesNotApply,
    /// The patched version does not compile.
    DoesNotBuild,
    /// The original tests do not compile against the patched version.
    BreaksTestBuild,
    /// A test that shows the bug is still red.
    BugStillShows,
    /// A test that was green on the buggy version is red.
    BreaksTests,
    /// It changes only tests.
    OnlyTests,
}

/// Outcome, reason and the sentence that a person reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// Set when the outcome is `invalid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<InvalidReason>,
    /// Set when the outcome is `inconclusive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inconclusive: Option<InconclusiveReason>,
    /// One sentence.
    pub summary: String,
    /// Further lines: the hunk, the compiler's words, the failing tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

impl Verdict {
    /// An `invalid` verdict.
    pub fn invalid(reason: InvalidReason, summary: impl Into<String>, details: Vec<String>) -> Self {
        Self {
            outcome: Outcome::Invalid,
            invalid: Some(reason),
            inconclusive: None,
            summary: summary.into(),
            details,
        }
    }

    /// An `inconclusive` verdict.
    pub fn inconclusive(reason: InconclusiveReason, summary: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Inconclusive,
            invalid: None,
            inconclusive: Some(reason),
            summary: summary.into(),
            details: Vec::new(),
        }
    }

    /// A verdict of one of the three outcomes that carry no reason code.
    pub fn of(outcome: Outcome, summary: impl Into<String>) -> Self {
        Self { outcome, invalid: None, inconclusive: None, summary: summary.into(), details: Vec::new() }
    }
}
