//! What a technique found, and the witness that makes it proof.

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a finding can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Shown to the user, never counted.
    Remark,
    /// A heuristic: makes a patch suspicious at most.
    Heuristic,
    /// A replayed counterexample.
    Proof,
}

/// The seven ways in which a patched program differs from its reference, as RGT names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceClass {
    /// Two values.
    Assert,
    /// The reference throws, the patched version does not.
    Exc1,
    /// The patched version throws, the reference does not.
    Exc2,
    /// Both throw, of different types.
    ExcType,
    /// Both throw the same, from different functions.
    ExcLoc,
    /// The patched version does not come to an end.
    Timeout,
    /// The patched version runs out of memory or stack, ends the process, or breaks the virtual machine.
    Error,
}

impl DifferenceClass {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assert => "assert",
            Self::Exc1 => "exc1",
            Self::Exc2 => "exc2",
            Self::ExcType => "exc-type",
            Self::ExcLoc => "exc-loc",
            Self::Timeout => "timeout",
            Self::Error => "error",
        }
    }
}

/// What a finding shows: a piece of program, and what each version makes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exhibit {
    /// How the versions differ.
    pub class: DifferenceClass,
    /// The input as source code, one statement a line.
    pub input: Vec<String>,
    /// What is compared, as source code or in words: `result`, `bag.size()`.
    pub what: String,
    /// What the reference does.
    pub expected: String,
    /// What the patched version does.
    pub actual: String,
    /// What the buggy version does, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buggy: Option<String>,
}

/// A concrete input that shows a patch wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Witness {
    /// Folder of the witness below the run directory.
    #[schemars(with = "String")]
    pub folder: Utf8PathBuf,
    /// Who says what is right: the reference, an assertion, a crash, a memory error, the user.
    pub oracle: String,
    /// How often it was replayed from disk.
    pub replays: u32,
    /// How often the replay gave the same difference.
    pub confirmed: u32,
}

impl Witness {
    /// Replayed at least once, and every replay agreed.
    pub fn holds(&self) -> bool {
        self.replays > 0 && self.confirmed == self.replays
    }
}

/// One finding of one technique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The technique's name, as in `bonafix list`.
    pub technique: String,
    /// How much it can carry.
    pub strength: Strength,
    /// One sentence.
    pub summary: String,
    /// For a remark, why it counts for nothing: `exception-message`, `null-argument` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exhibit: Option<Exhibit>,
    /// The counterexample, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
}
