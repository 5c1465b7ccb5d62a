//! How a test ended: what an exit means, with signals and limits by name.

use std::time::Duration;

use bonafix_model::{Failure, TestOutcome};
use bonafix_proc::{Exit, Finished};

use super::compare;

/// An outcome with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) outcome: TestOutcome,
    pub(super) failure: Option<Failure>,
}

impl Ending {
    pub(super) fn passed() -> Self {
        Self { outcome: TestOutcome::Passed, failure: None }
    }

    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::red(TestOutcome::Failed, None, message)
    }

    fn red(outcome: TestOutcome, kind: Option<&str>, message: impl Into<String>) -> Self {
        let failure = Failure { kind: kind.map(str::to_owned), message: message.into(), stack: Vec::new() };
        Self { outcome, failure: Some(failure) }
    }

    /// Passed if two outputs are equal.
    pub(super) fn by_difference(what: &str, expected: &[u8], actual: &[u8]) -> Self {
        match compare::difference(expected, actual) {
            None => Self::passed(),
            Some(words) => Self::failed(format!("{what}, {words}")),
        }
    }

    /// What an end other than by an exit code means; the code otherwise.
    pub(super) fn of(finished: &Finished, limit: Duration) -> Result<Self, i32> {
        let crashed = |kind, message: String| Ok(Self::red(TestOutcome::Crashed, Some(kind), message));
        match finished.exit {
            Exit::Code(code) => Err(code),
            Exit::Signal(signal) => {
                let name = signal_name(signal);
                crashed(&name, format!("ended by {name}"))
            }
            Exit::TimedOut | Exit::OverCpu => Ok(Self::red(
                TestOutcome::TimedOut,
                None,
                format!("did not end within {:.1} s", limit.as_secs_f64()),
            )),
            Exit::OverMemory => crashed("memory limit", "used more memory than it may".to_owned()),
            Exit::OverProcesses => crashed("process limit", "started more processes than it may".to_owned()),
            Exit::OverDisk => crashed("disk limit", "wrote more files than it may".to_owned()),
            Exit::Killed => crashed("killed", "was killed from outside".to_owned()),
        }
    }
}

fn signal_name(signal: i32) -> String {
    let known = match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGALRM => "SIGALRM",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGHUP => "SIGHUP",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGXFSZ => "SIGXFSZ, a file larger than it may be",
        other => return format!("signal {other}"),
    };
    known.to_owned()
}
