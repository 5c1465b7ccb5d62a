//! A job under way, and how it ended.

use crate::error::ProcError;
use crate::supervise::{Board, Ending};
use std::io::{PipeWriter, Write as _};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The program ended by itself with this code.
    Code(i32),
    /// A signal that we did not send ended the program.
    Signal(i32),
    /// Beyond [`crate::Limits::wall`] or [`crate::Limits::asleep`].
    TimedOut,
    /// Beyond [`crate::Limits::cpu`].
    OverCpu,
    /// Beyond [`crate::Limits::memory`].
    OverMemory,
    /// Reached [`crate::Limits::processes`].
    OverProcesses,
    /// Beyond [`crate::Limits::scratch_total`].
    OverDisk,
    /// [`Running::kill`].
    Killed,
}

impl Exit {
    /// Ended by itself with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }

    /// The code, if the program ended by itself.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(code),
            _ => None,
        }
    }
}

/// What a job wrote to one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to the cap of [`crate::Sink::Capture`]; empty for the other sinks.
    pub bytes: Vec<u8>,
    /// More came than the cap of the sink let through, or the file could not take it.
    pub truncated: bool,
    /// How much came in all.
    pub total: u64,
}

impl Captured {
    /// As text, with replacement characters for what is not UTF-8.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// A job that ended, whichever way.
#[derive(Clone, Debug)]
pub struct Finished {
    pub exit: Exit,
    pub stdout: Captured,
    pub stderr: Captured,
    /// From start to the end of the last process.
    pub wall: Duration,
    /// Of all processes that ended inside the job.
    pub cpu: Option<Duration>,
    /// Bytes; the highest sum that was sampled, `None` if the job was too short for a sample.
    pub peak_rss: Option<u64>,
}

/// A job under way. Dropping it kills the whole job.
#[derive(Debug)]
pub struct Running {
    pub(crate) program: String,
    pub(crate) pid: u32,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
    pub(crate) board: Arc<Board>,
    pub(crate) wake: Option<PipeWriter>,
    pub(crate) supervisor: Option<JoinHandle<()>>,
}

impl Running {
    /// The process that stands for the whole job: all others descend from it.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The program's standard input, once, if the job has [`crate::Stdin::Piped`]. Dropping it is end of file.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// The program's standard output, once, if the job has [`crate::Sink::Piped`]. Read it until the end or drop
    /// it: a program whose pipe is full and unread waits until its time is over.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// The program's standard error, as [`Running::take_stdout`].
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.stderr.take()
    }

    /// Waits for the end. Closes standard input if nobody took it.
    pub fn wait(mut self) -> Result<Finished, ProcError> {
        self.stdin = None;
        self.stdout = None;
        self.stderr = None;
        let ending = self.board.wait();
        self.unpack(ending)
    }

    /// The end, if it has come.
    pub fn try_wait(&mut self) -> Result<Option<Finished>, ProcError> {
        self.wait_timeout(Duration::ZERO)
    }

    /// Waits for the end, at most this long.
    pub fn wait_timeout(&mut self, limit: Duration) -> Result<Option<Finished>, ProcError> {
        self.board.wait_timeout(limit).map(|ending| self.unpack(ending)).transpose()
    }

    /// Ends the job and all it started; [`Running::wait`] then gives [`Exit::Killed`], or the earlier end.
    pub fn kill(&self) {
        if let Some(mut wake) = self.wake.as_ref() {
            // A closed pipe means that the supervisor has finished: nothing is left to kill.
            let _ = wake.write_all(&[1]);
        }
    }

    fn unpack(&self, ending: Ending) -> Result<Finished, ProcError> {
        match ending {
            Ending::Finished(finished) => Ok(finished),
            Ending::Interrupted => Err(ProcError::Interrupted),
            Ending::Lost(kind) => Err(ProcError::Io {
                program: self.program.clone(),
                action: "watch the process",
                source: kind.into(),
            }),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The supervisor takes the closed pipe for a kill; joining it makes sure that nothing survives this line.
        self.wake = None;
        if let Some(supervisor) = self.supervisor.take() {
            let _ = supervisor.join();
        }
    }
}
