//! What one execution of a whole program was seen to do on bytes that it was given.
//!
//! The counterpart of an [`crate::Observation`] for languages whose programs are run rather than their functions called.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a program is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ProgramInput {
    /// Its arguments, as a test gives them; `@@` stands for the path of a file with the bytes. None for those that the
    /// project is configured with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// What it reads, from that file or from standard input.
    pub bytes: Vec<u8>,
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramEnd {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// It did not come to an end.
    TimedOut,
    /// It wanted more than it may have: `memory`, `processes`, `disk`, `output`.
    OverLimit(String),
}

impl fmt::Display for ProgramEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Signalled(signal) => write!(f, "signal {signal}"),
            Self::TimedOut => write!(f, "no end"),
            Self::OverLimit(what) => write!(f, "too much {what}"),
        }
    }
}

/// Who noticed a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Detector {
    /// The program or the system ended it: a signal, `abort`, a failed assertion, no end.
    Crash,
    /// AddressSanitizer.
    Address,
    /// UndefinedBehaviorSanitizer.
    Undefined,
    /// valgrind memcheck.
    Valgrind,
}

/// A place in a stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// The function; empty where unknown.
    pub function: String,
    /// The source, relative to the subject's root; empty where unknown or outside of it.
    pub file: String,
    /// Its line, from 1; 0 where unknown.
    pub line: u32,
}

/// A crash or an error of memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Who noticed it.
    pub detector: Detector,
    /// A stable word: `heap-buffer-overflow`, `use-after-free`, `signed-integer-overflow`, `uninitialised-value`,
    /// `invalid-read`, `SIGSEGV`, `SIGABRT`, `assertion`, `timeout` …
    pub kind: String,
    /// The detector's own line.
    pub message: String,
    /// Where it happened, innermost first; empty where that is not known.
    pub stack: Vec<Frame>,
    /// Where the memory was allocated, freed, or left uninitialised, each innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<Vec<Frame>>,
}

/// Bytes that were allocated and not given back, in valgrind's three kinds.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Leaked {
    /// Nothing points to them.
    pub definitely: u64,
    /// Only other leaked bytes point to them.
    pub indirectly: u64,
    /// Something points into their middle.
    pub possibly: u64,
}

impl Leaked {
    /// More of any of the three kinds.
    pub fn exceeds(&self, other: &Self) -> bool {
        self.definitely > other.definitely
            || self.indirectly > other.indirectly
            || self.possibly > other.possibly
    }
}

/// What was seen of one execution in one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    /// How it ended.
    pub end: ProgramEnd,
    /// Standard output, without what differs by nature: addresses, process numbers, times, names of temporary files.
    pub stdout: Vec<u8>,
    /// Standard error, the same way, and without reports of detectors.
    pub stderr: Vec<u8>,
    /// Files that it wrote, by their paths in the folder that it ran in, the same way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Vec<u8>>,
    /// Some of that was more than is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Crashes and errors of memory, in the order in which they were noticed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// Bytes that were not given back; none where nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaked: Option<Leaked>,
}

impl Execution {
    /// One that ended so and left nothing else to see.
    pub fn silent(end: ProgramEnd) -> Self {
        Self {
            end,
            stdout: Vec::new(),
            stderr: Vec::new(),
            files: BTreeMap::new(),
            cut: false,
            faults: Vec::new(),
            leaked: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_one_kind_of_leak_is_more() {
        let some = Leaked { definitely: 8, indirectly: 4, possibly: 0 };
        assert!(!some.exceeds(&some));
        assert!(Leaked { possibly: 1, ..Leaked::default() }.exceeds(&some));
        assert!(!Leaked::default().exceeds(&some));
    }
}
