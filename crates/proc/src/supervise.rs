//! The thread that watches one job from start to end: deadline, limits, interruption, and the kill.

use crate::cgroup::PidsGroup;
use crate::limits::Limits;
use crate::message::{Message, receive};
use crate::output::Pump;
use crate::running::{Captured, Exit, Finished};
use crate::sample::{self, Sample};
use crate::{interrupt, os, scratch};
use camino::Utf8PathBuf;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::AsFd as _;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two samples. Interruption is noticed at the same pace.
const TICK: Duration = Duration::from_millis(50);
/// Between samples of a young job and of one that is near a limit.
const SHORT_TICK: Duration = Duration::from_millis(10);
/// Between two counts of the scratch folders.
const SCRATCH_TICK: Duration = Duration::from_millis(250);
/// How long a job may take to die.
const KEEPER_PATIENCE: Duration = Duration::from_secs(30);
/// Between two attempts to help the keeper kill.
const STRIKE_TICK: Duration = Duration::from_millis(100);
/// How long output may come after the last process of the job ended.
const OUTPUT_PATIENCE: Duration = Duration::from_secs(2);

/// How the watch ended.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    Finished(Finished),
    Interrupted,
    /// The system refused to tell.
    Lost(io::ErrorKind),
}

/// Where the supervisor leaves the ending and others wait for it.
#[derive(Debug, Default)]
pub(crate) struct Board {
    ending: Mutex<Option<Ending>>,
    posted: Condvar,
}

impl Board {
    fn post(&self, ending: Ending) {
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = Some(ending);
        self.posted.notify_all();
    }

    pub(crate) fn wait(&self) -> Ending {
        let mut guard = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(ending) = &*guard {
                return ending.clone();
            }
            guard = self.posted.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn wait_timeout(&self, limit: Duration) -> Option<Ending> {
        let guard = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.posted.wait_timeout_while(guard, limit, |ending| ending.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }
}

/// Why the supervisor ends a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Limit(Exit),
    Interrupted,
}

/// All that belongs to watching one job.
pub(crate) struct Supervisor {
    pub(crate) keeper: u32,
    /// Whether the keeper's only child is process 1 of a namespace.
    pub(crate) has_init: bool,
    pub(crate) status: PipeReader,
    pub(crate) wake: PipeReader,
    pub(crate) lifeline: Option<PipeWriter>,
    pub(crate) limits: Limits,
    pub(crate) scratch: Vec<Utf8PathBuf>,
    pub(crate) group: Option<PidsGroup>,
    pub(crate) stdout: Option<Pump>,
    pub(crate) stderr: Option<Pump>,
    pub(crate) started: Instant,
    pub(crate) watch: Watch,
}

/// What the samples have shown so far.
#[derive(Default)]
pub(crate) struct Watch {
    /// The keeper's own child: process 1 of the namespace, or the program.
    first: Option<u32>,
    peak: Option<u64>,
    cpu: Duration,
    asleep: Duration,
    last_look: Option<Instant>,
    tense: bool,
    ticks: u32,
    next_scratch: Option<Instant>,
}

impl Watch {
    /// A look that comes late tells nothing of the time before it.
    fn count_sleep(&mut self, asleep: bool) {
        let look = Instant::now();
        let since = self.last_look.replace(look).map_or(Duration::ZERO, |last| look.duration_since(last));
        if asleep {
            self.asleep += since.min(TICK * 2);
        }
    }
}

impl Supervisor {
    /// Watches until the last process has ended, then posts the ending.
    pub(crate) fn run(mut self, board: &Board) {
        os::raise_own_priority();
        self.watch.first = sample::children(self.keeper).first().copied();
        let (cause, status) = self.watch_until_end();
        let (status, cause) = self.end_all(status, cause);
        let reaped = os::reap(self.keeper.cast_signed());
        let wall = self.started.elapsed();
        let exceeded = self.group.as_ref().is_some_and(PidsGroup::refused);
        drop(self.group.take());
        let ending = match (reaped, cause) {
            (Err(error), _) => Ending::Lost(error.kind()),
            (Ok(_), Some(Cause::Interrupted)) => Ending::Interrupted,
            (Ok((_, reaped)), cause) => {
                // The kernel forgets the time of processes that end with their namespace.
                let cpu = reaped.max(self.watch.cpu);
                let exit = self.exit(status, cause, cpu, exceeded);
                Ending::Finished(Finished {
                    exit,
                    stdout: finish(self.stdout.take()),
                    stderr: finish(self.stderr.take()),
                    wall,
                    cpu: Some(cpu),
                    peak_rss: self.watch.peak,
                })
            }
        };
        board.post(ending);
    }

    /// Returns why to end the job, or the wait status with which the program ended.
    fn watch_until_end(&mut self) -> (Option<Cause>, Option<i32>) {
        loop {
            let (news, woken) = os::poll(self.status.as_fd(), Some(self.wake.as_fd()), self.pause());
            if news {
                match receive(&mut self.status) {
                    Ok(Message::Exited(status)) => return (None, Some(status)),
                    Ok(Message::Closed) | Err(_) => return (None, None),
                    Ok(Message::FailedStep(_)) => continue,
                }
            }
            if woken {
                return (Some(Cause::Limit(Exit::Killed)), None);
            }
            if interrupt::is_set() {
                return (Some(Cause::Interrupted), None);
            }
            if let Some(exit) = self.check_limits() {
                return (Some(Cause::Limit(exit)), None);
            }
        }
    }

    /// Until the next look.
    fn pause(&self) -> Duration {
        let tick = if self.watch.tense || self.watch.ticks < 5 { SHORT_TICK } else { TICK };
        match self.limits.wall {
            Some(limit) => tick.min(limit.saturating_sub(self.started.elapsed())),
            None => tick,
        }
    }

    fn check_limits(&mut self) -> Option<Exit> {
        self.watch.ticks = self.watch.ticks.saturating_add(1);
        let enough = self.limits.processes.map_or(usize::MAX, |limit| limit as usize);
        let members = sample::members(self.keeper, self.has_init, enough);
        if members.len() > enough {
            return Some(Exit::OverProcesses);
        }
        let now = sample::sample(&members);
        self.watch.peak = self.watch.peak.max(Some(now.resident).filter(|&bytes| bytes > 0));
        self.watch.cpu = self.watch.cpu.max(now.cpu);
        self.watch.count_sleep(now.asleep);
        self.watch.tense = self.near_limit(now);
        if self.limits.wall.is_some_and(|limit| self.started.elapsed() >= limit) {
            return Some(Exit::TimedOut);
        }
        if self.limits.cpu.is_some_and(|limit| now.cpu > limit) {
            return Some(Exit::OverCpu);
        }
        if self.limits.asleep.is_some_and(|limit| self.watch.asleep >= limit) {
            return Some(Exit::TimedOut);
        }
        let refused = || self.group.as_ref().is_some_and(PidsGroup::refused);
        if self.limits.processes.is_some_and(|limit| now.tasks >= u64::from(limit) || refused()) {
            return Some(Exit::OverProcesses);
        }
        if self.limits.memory.is_some_and(|limit| over_memory(&members, now, limit)) {
            return Some(Exit::OverMemory);
        }
        self.over_scratch().then_some(Exit::OverDisk)
    }

    fn near_limit(&self, now: Sample) -> bool {
        self.limits.memory.is_some_and(|limit| now.resident > limit / 2)
            || self.limits.processes.is_some_and(|limit| now.tasks > u64::from(limit / 2))
    }

    fn over_scratch(&mut self) -> bool {
        let Some(limit) = self.limits.scratch_total else { return false };
        let begun = Instant::now();
        if self.scratch.is_empty() || self.watch.next_scratch.is_some_and(|due| begun < due) {
            return false;
        }
        let over = scratch::usage(&self.scratch, limit) > limit;
        // Counting many files takes time: spend at most a tenth on it.
        self.watch.next_scratch = Some(Instant::now() + SCRATCH_TICK.max(begun.elapsed() * 10));
        over
    }

    /// Kills what is left, with the keeper, and waits until the keeper has gone. An exit that came in between still
    /// counts.
    fn end_all(&mut self, mut status: Option<i32>, cause: Option<Cause>) -> (Option<i32>, Option<Cause>) {
        self.lifeline = None;
        if cause.is_some() {
            self.strike();
        }
        let deadline = Instant::now() + KEEPER_PATIENCE;
        while Instant::now() < deadline {
            if !os::poll(self.status.as_fd(), None, STRIKE_TICK).0 {
                self.strike();
                continue;
            }
            match receive(&mut self.status) {
                Ok(Message::Exited(late)) => status = status.or(Some(late)),
                Ok(Message::FailedStep(_)) => {}
                Ok(Message::Closed) | Err(_) => return (status, cause),
            }
        }
        // The keeper did not do its work; what hangs on it is dead or cannot be killed by anybody.
        os::kill(self.keeper.cast_signed());
        (status, cause)
    }

    /// Kills from here what the keeper is about to kill first. A fork bomb of thousands can keep the keeper from running
    /// at all for many seconds, while this thread has its turn already.
    fn strike(&self) {
        // A number whose parent is not the keeper any more may be somebody else's by now.
        if let Some(first) = self.watch.first
            && sample::parent(first) == Some(self.keeper)
        {
            // The program leads its group, and the kernel kills a group in one go. Process 1 of a namespace leads none,
            // and takes all with it.
            os::kill(first.cast_signed().wrapping_neg());
            os::kill(first.cast_signed());
        }
    }

    fn exit(&self, status: Option<i32>, cause: Option<Cause>, cpu: Duration, refused: bool) -> Exit {
        if let Some(Cause::Limit(exit)) = cause {
            return exit;
        }
        // No word from the helpers means that they were killed from outside.
        let Some(status) = status else { return Exit::Signal(libc::SIGKILL) };
        if refused {
            return Exit::OverProcesses;
        }
        if !libc::WIFSIGNALED(status) {
            return Exit::Code(libc::WEXITSTATUS(status));
        }
        let signal = libc::WTERMSIG(status);
        let over_cpu = self.limits.cpu.is_some_and(|limit| cpu >= limit);
        if signal == libc::SIGXCPU || (signal == libc::SIGKILL && over_cpu) {
            return Exit::OverCpu;
        }
        Exit::Signal(signal)
    }
}

/// Adding up counts shared pages more than once, so a sum of several processes is looked at again before it counts.
fn over_memory(members: &[u32], now: Sample, limit: u64) -> bool {
    now.resident > limit
        && (members.len() == 1 || sample::proportional(members).is_none_or(|shared_once| shared_once > limit))
}

fn finish(pump: Option<Pump>) -> Captured {
    pump.map(|pump| pump.finish(OUTPUT_PATIENCE)).unwrap_or_default()
}
