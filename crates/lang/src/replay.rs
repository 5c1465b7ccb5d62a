//! What the runs of a counterexample come to, in whatever language it is.

use bonafix_model::{DifferenceClass, Execution, ProgramEnd, Promise, ReplayedVersion, VersionRole};
use camino::Utf8Path;

use crate::{LangError, Replay, WitnessError, WrittenWitness};

/// What can be promised of a version from its runs.
pub fn promise_of(replays: &[Replay], role: VersionRole) -> Promise {
    let runs = Runs::of(replays, role);
    let kept = |promise: &Promise| promise.is_kept(runs.passed, runs.failed, runs.otherwise);
    [Promise::Passes, Promise::Fails].into_iter().find(kept).unwrap_or(Promise::Nothing)
}

/// How a counterexample ended on one version, of which something was promised.
pub fn replayed_version(replays: &[Replay], role: VersionRole, promise: Promise) -> ReplayedVersion {
    let Runs { passed, failed, otherwise } = Runs::of(replays, role);
    let mut failures = replays.iter().filter(|replay| replay.role == role && !replay.passed);
    ReplayedVersion {
        role,
        passed,
        failed,
        otherwise,
        promise,
        kept: promise.is_kept(passed, failed, otherwise),
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

/// How often a counterexample passed on the version that is taken for right and failed, as it says, on the patched one.
pub fn confirmations(replays: &[Replay], right: VersionRole) -> u32 {
    let of = |role: VersionRole| replays.iter().filter(move |replay| replay.role == role);
    let holds = |(right, patched): &(&Replay, &Replay)| right.passed && !patched.passed && !patched.otherwise;
    u32::try_from(of(right).zip(of(VersionRole::Patched)).filter(holds).count()).unwrap_or(u32::MAX)
}

/// Does an execution that is not as it should be fail in another way than a counterexample of this class is about? One that
/// says that there is no end shows nothing where there is one: what a slow program prints was never judged.
pub fn is_otherwise(class: DifferenceClass, execution: &Execution) -> bool {
    class == DifferenceClass::Timeout
        && !matches!(execution.end, ProgramEnd::TimedOut | ProgramEnd::OverLimit(_))
}

/// Runs of a version.
struct Runs {
    passed: u32,
    failed: u32,
    otherwise: u32,
}

impl Runs {
    fn of(replays: &[Replay], role: VersionRole) -> Self {
        let count = |wanted: fn(&Replay) -> bool| {
            let runs = replays.iter().filter(|replay| replay.role == role && wanted(replay)).count();
            u32::try_from(runs).unwrap_or(u32::MAX)
        };
        Self {
            passed: count(|run| run.passed),
            failed: count(|run| !run.passed && !run.otherwise),
            otherwise: count(|run| !run.passed && run.otherwise),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(passed: bool, otherwise: bool) -> Replay {
        Replay { role: VersionRole::Patched, passed, message: None, otherwise }
    }

    #[test]
    fn a_run_that_fails_in_another_way_breaks_what_others_promise() {
        let promised = |replays: &[Replay]| promise_of(replays, VersionRole::Patched);
        let (hangs, ends) = (run(false, false), run(false, true));
        assert_eq!(promised(&[hangs.clone(), hangs.clone()]), Promise::Fails);
        assert_eq!(promised(&[hangs.clone(), ends.clone()]), Promise::Nothing);
        let version = replayed_version(&[hangs, ends], VersionRole::Patched, Promise::Fails);
        assert_eq!((version.passed, version.failed, version.otherwise, version.kept), (0, 1, 1, false));
    }

    #[test]
    fn only_a_failure_as_it_says_confirms_a_counterexample() {
        let right = Replay { role: VersionRole::Reference, ..run(true, false) };
        let confirmed = |patched: Replay| confirmations(&[right.clone(), patched], VersionRole::Reference);
        assert_eq!([run(false, false), run(false, true), run(true, false)].map(confirmed), [1, 0, 0]);
    }

    #[test]
    fn an_end_is_another_thing_than_none() {
        let ended = Execution::silent(ProgramEnd::Exited(1));
        assert!(
            is_otherwise(DifferenceClass::Timeout, &ended) && !is_otherwise(DifferenceClass::Exc2, &ended)
        );
        for end in [ProgramEnd::TimedOut, ProgramEnd::OverLimit("memory".to_owned())] {
            assert!(!is_otherwise(DifferenceClass::Timeout, &Execution::silent(end)));
        }
    }
}
