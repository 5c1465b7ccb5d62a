//! What the runs of a counterexample come to, in whatever language it is.

use bonafix_model::{Promise, ReplayedVersion, VersionRole};
use camino::Utf8Path;

use crate::{LangError, Replay, WitnessError, WrittenWitness};

/// What can be promised of a version from its runs.
pub fn promise_of(replays: &[Replay], role: VersionRole) -> Promise {
    match counts(replays, role) {
        (1.., 0) => Promise::Passes,
        (0, 1..) => Promise::Fails,
        _ => Promise::Nothing,
    }
}

/// How a counterexample ended on one version, of which something was promised.
pub fn replayed_version(replays: &[Replay], role: VersionRole, promise: Promise) -> ReplayedVersion {
    let (passed, failed) = counts(replays, role);
    let mut failures = replays.iter().filter(|replay| replay.role == role && !replay.passed);
    ReplayedVersion {
        role,
        passed,
        failed,
        promise,
        kept: promise.is_kept(passed, failed),
        message: failures.find_map(|replay| replay.message.clone()),
    }
}

/// A counterexample that could not be written leaves no folder behind.
pub fn or_remove(
    folder: &Utf8Path,
    written: Result<WrittenWitness, WitnessError>,
) -> Result<WrittenWitness, WitnessError> {
    if written.is_err() && folder.is_dir() {
        fs_err::remove_dir_all(folder).map_err(LangError::from)?;
    }
    written
}

/// Runs of a version that passed, and that failed in the way that the counterexample is about.
fn counts(replays: &[Replay], role: VersionRole) -> (u32, u32) {
    let of_role = |replay: &&Replay| replay.role == role && !replay.otherwise;
    let count = |passed: bool| {
        let runs = replays.iter().filter(of_role).filter(|replay| replay.passed == passed).count();
        u32::try_from(runs).unwrap_or(u32::MAX)
    };
    (count(true), count(false))
}
