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
    /// The counterexample, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
}
