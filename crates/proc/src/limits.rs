//! What one job may use up.

use std::time::Duration;

/// Ceilings for one job: the program and everything it starts. `None` means no ceiling.
///
/// The defaults suit one run of subject code. Take [`Limits::build`] for build tools and set single fields by
/// struct update: `Limits { wall: Some(limit), ..Limits::default() }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock from start to end.
    pub wall: Option<Duration>,
    /// Processor time of the whole job, all processes added up.
    pub cpu: Option<Duration>,
    /// Time on the clock in which every process sleeps, as none does that waits for the processor or was stopped. Those with
    /// several threads are not counted.
    pub asleep: Option<Duration>,
    /// Bytes resident in memory, of the whole job.
    pub memory: Option<u64>,
    /// Processes and threads alive at one time. Threads count because the kernel counts them: a JVM alone has
    /// some twenty, and more on a machine with many cores.
    pub processes: Option<u32>,
    /// Bytes of one file. A write beyond fails in the subject with `EFBIG`.
    pub file_size: Option<u64>,
    /// Bytes that all writable folders of the sandbox may hold together.
    pub scratch_total: Option<u64>,
}

const MIB: u64 = 1024 * 1024;

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Some(Duration::from_mins(1)),
            cpu: Some(Duration::from_mins(2)),
            asleep: None,
            memory: Some(2048 * MIB),
            processes: Some(1024),
            file_size: Some(256 * MIB),
            scratch_total: Some(1024 * MIB),
        }
    }
}

impl Limits {
    /// For build tools: they are trusted not to attack, but may hang or run away.
    pub fn build() -> Self {
        Self {
            wall: Some(Duration::from_mins(30)),
            cpu: None,
            asleep: None,
            memory: None,
            processes: Some(8192),
            file_size: None,
            scratch_total: None,
        }
    }

    /// No ceiling at all; for short helpers of our own such as `git --version`.
    pub fn none() -> Self {
        Self {
            wall: None,
            cpu: None,
            asleep: None,
            memory: None,
            processes: None,
            file_size: None,
            scratch_total: None,
        }
    }
}
