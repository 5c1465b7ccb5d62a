//! What comes of running a counterexample again, from its folder alone.

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DifferenceClass, VersionRole};

/// What a counterexample promises of one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// Every run passes.
    Passes,
    /// Every run fails.
    Fails,
    /// Nothing: it was not run there, or not the same each time.
    Nothing,
}

impl Promise {
    /// Do so many runs keep it?
    pub fn is_kept(self, passed: u32, failed: u32, otherwise: u32) -> bool {
        match self {
            Self::Passes => passed > 0 && failed + otherwise == 0,
            Self::Fails => failed > 0 && passed + otherwise == 0,
            Self::Nothing => true,
        }
    }
}

/// How a counterexample ended on one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayedVersion {
    /// Which version.
    pub role: VersionRole,
    /// Runs that passed.
    pub passed: u32,
    /// Runs that failed.
    pub failed: u32,
    /// Runs that failed in another way than the counterexample is about, and show nothing.
    #[serde(default, skip_serializing_if = "is_none")]
    pub otherwise: u32,
    /// What was promised.
    pub promise: Promise,
    /// The promise was kept.
    pub kept: bool,
    /// How the first failing run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a function of a reference")]
fn is_none(runs: &u32) -> bool {
    *runs == 0
}

/// A counterexample that was run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayReport {
    /// Its folder.
    #[schemars(with = "String")]
    pub folder: Utf8PathBuf,
    /// The file that a person keeps, relative to the folder.
    pub file: String,
    /// How the versions differ.
    pub class: DifferenceClass,
    /// What is compared, as source code.
    pub what: String,
    /// What the reference does.
    pub expected: String,
    /// What the patched version does.
    pub actual: String,
    /// What came of the runs.
    pub versions: Vec<ReplayedVersion>,
    /// All promises were kept.
    pub holds: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_not_kept_by_no_run_at_all() {
        let (passes, fails) = (Promise::Passes, Promise::Fails);
        assert!(passes.is_kept(3, 0, 0) && !passes.is_kept(2, 1, 0) && !passes.is_kept(0, 0, 0));
        assert!(fails.is_kept(0, 3, 0) && !fails.is_kept(1, 2, 0) && !fails.is_kept(0, 0, 0));
        assert!(Promise::Nothing.is_kept(0, 0, 0) && Promise::Nothing.is_kept(1, 1, 1));
    }

    #[test]
    fn a_promise_is_not_kept_by_runs_of_which_one_fails_in_another_way() {
        assert!(!Promise::Fails.is_kept(0, 1, 1) && !Promise::Passes.is_kept(1, 0, 1));
    }
}
