//! A version behind a fork server: runs inputs fast, one after the other, each in fresh state.
//!
//! The runtime of `runtime/c` is linked into the program (variant with coverage) or loaded before its libraries (plain), and
//! makes of it one long-lived job in the sandbox that copies itself for every run. Nothing of a run outlives it: processes are
//! killed by the server, files are read and taken back here, and a server that does not survive a run is started again.
//! Programs that cannot be copied (threads before `main`, statically linked, an end before `main`) are started anew for every
//! run.

pub(crate) mod places;
mod server;
mod wire;

use std::os::unix::fs::FileExt;
use std::time::Duration;

use bonafix_lang::LangError;
use bonafix_model::{Frame, ProgramEnd, ProgramInput};
use bonafix_proc::{Confinement, Job, Limits, Sink, Stdin};
use camino::{Utf8Path, Utf8PathBuf};

use self::server::{Answer, LIFE, Server, Started};
use self::wire::{Process, Request, RunEnd};
use crate::build::Workshop;
use crate::ground::{Given, Ground, MIB, Written, with_sanitizers};
use crate::runtime::Runtime;
use crate::seen::{KEPT, Raw};
use crate::target::{Sample, Target};
use crate::toolchain::Compiler;
use crate::variant::Variant;

/// Bytes that a run may write to one stream or file. Whoever writes more is ended.
const FILE_SIZE: u64 = 8 * 1024 * 1024;
/// Bytes of one pair of compared numbers.
const PAIR: usize = 16;
const SLOTS: usize = 4096;
/// So many inputs say whether a program can be run many times in one process.
const MOST_SEEDS: usize = 32;
/// After so many runs in one process another one takes over, as `runtime/c/persist.c` has it.
const RUNS: u64 = 200;
/// Of so many runs in one process, one is seen again in a process of its own.
const CHECK: u64 = 512;

/// In which process an input is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In one that is started for it: the program cannot be copied.
    Starts,
    /// In a copy of the server.
    Copies,
    /// In that of the input before, as long as it lasts.
    Persistent,
}

/// A version of a program that runs inputs. See the module.
pub struct ServedTarget {
    // Before the ground, which cannot be removed under it.
    server: Option<Server>,
    ground: Ground,
    /// Starts the server.
    job: Job,
    way: Way,
    /// What it is told that it is called.
    name: String,
    memory: u64,
    wants_comparisons: bool,
    /// Runs in one process so far.
    persistent_runs: u64,
    /// Those since the last run in a copy.
    in_one_process: u64,
    /// The last run was to go on in one process, and the program does not allow that.
    was_copied: bool,
    edges: usize,
    places: Vec<Option<Frame>>,
}

impl ServedTarget {
    /// Starts the server once, to see whether it can be.
    pub(crate) fn open(mut ground: Ground, variant: Variant, workshop: &Workshop) -> Result<Self, LangError> {
        let memory = ground.job.limits.memory.unwrap_or(2048 * MIB);
        ground.job = with_sanitizers(ground.job.clone(), variant, false);
        let mut job =
            ground.job.clone().env("BONAFIX_SERVE", ground.place()).env("BONAFIX_HOME", ground.home.path());
        job = job.stdin(Stdin::Piped).stdout(Sink::Piped);
        if !variant.has_runtime() {
            job = with_library(job, &Runtime::of(workshop)?.library());
        }
        // What is bound when the server starts need not be bound in each copy of it.
        job = job.env("LD_BIND_NOW", "1");
        // The watch over one run is the server's.
        job.limits =
            Limits { wall: Some(LIFE + ground.patience() * 2), cpu: None, asleep: None, ..job.limits };
        let mut target = Self {
            server: None,
            name: job.arg0.as_ref().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            job,
            ground,
            way: Way::Copies,
            // Sanitizers reserve more addresses than there is memory.
            memory: if variant.has_runtime() { 0 } else { memory },
            wants_comparisons: false,
            persistent_runs: 0,
            in_one_process: 0,
            was_copied: false,
            edges: 0,
            places: Vec::new(),
        };
        target.start()?;
        target.find_places(&workshop.compiler)?;
        Ok(target)
    }

    fn find_places(&mut self, compiler: &Compiler) -> Result<(), LangError> {
        if self.edges > 0 {
            let program = Utf8PathBuf::from(self.job.program.to_string_lossy().into_owned());
            let text = fs_err::read_to_string(self.file("places")).unwrap_or_default();
            let addresses = places::read(&text, &program);
            let tree = self.ground.home.tree();
            self.places = places::symbolise(&addresses, &tree, compiler, &self.ground.launcher)?;
        }
        Ok(())
    }

    /// One of the server's own files.
    fn file(&self, name: &str) -> Utf8PathBuf {
        self.ground.place().join(name)
    }

    /// Does a server copy the program for every run? It is started anew otherwise.
    pub fn is_served(&self) -> bool {
        self.way != Way::Starts
    }

    /// Lets one process run many inputs, if on these it does the same as a process for each, in whatever order they come.
    /// Says whether it will.
    pub fn try_persistent(&mut self, seeds: &[ProgramInput]) -> Result<bool, LangError> {
        if self.way == Way::Starts {
            return Ok(false);
        }
        self.way = Way::Copies;
        let seeds = &seeds[..seeds.len().min(MOST_SEEDS)];
        let mut expected = Vec::new();
        for seed in seeds {
            expected.push(self.run_fresh(seed)?);
        }
        let forwards = seeds.iter().zip(&expected);
        // What one input leaves is found by the next one, and by itself.
        let backwards = forwards.clone().rev().flat_map(|pair| [pair, pair]);
        for (seed, expected) in forwards.clone().chain(backwards) {
            if self.serve(seed, true)? != *expected || self.was_copied {
                return Ok(false);
            }
        }
        if !seeds.is_empty() {
            self.way = Way::Persistent;
        }
        Ok(!seeds.is_empty())
    }

    /// Runs one input in a process of its own, whatever the others run in.
    pub fn run_fresh(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        if self.way == Way::Starts { self.run_single(input) } else { self.serve(input, false) }
    }

    /// What is no ordinary end is seen again in a process of its own before it is told; and so is an ordinary one now and
    /// then, to end this way of running if it is not the same.
    fn run_persistent(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        self.persistent_runs += 1;
        let sample = self.serve(input, true)?;
        let is_ordinary =
            matches!(sample.execution.end, ProgramEnd::Exited(_)) && sample.execution.faults.is_empty();
        let is_checked = self.persistent_runs.is_multiple_of(CHECK);
        if is_ordinary && !is_checked {
            return Ok(sample);
        }
        let fresh = self.run_fresh(input)?;
        if is_ordinary && fresh != sample {
            self.way = Way::Copies;
        }
        Ok(fresh)
    }

    fn start(&mut self) -> Result<(), LangError> {
        self.in_one_process = 0;
        match Server::start(&self.job, &self.ground.launcher)? {
            Started::Ready(server) => {
                self.edges = server.hello.edges as usize;
                self.server = Some(server);
            }
            // One that could be copied before has not changed: only the machine can be at fault.
            Started::Unfit if self.edges > 0 => {
                return Err(LangError::Internal("the fork server does not start again".to_owned()));
            }
            Started::Unfit => self.way = Way::Starts,
        }
        Ok(())
    }

    fn serve(&mut self, input: &ProgramInput, persistent: bool) -> Result<Sample, LangError> {
        let given = self.ground.give(input)?;
        let is_between = !persistent || self.in_one_process.is_multiple_of(RUNS);
        if self.server.as_ref().is_none_or(|server| server.is_old(is_between)) {
            self.server = None;
            self.start()?;
        }
        self.in_one_process = if persistent { self.in_one_process + 1 } else { 0 };
        let Some(server) = self.server.take() else {
            return Err(LangError::Internal("the fork server does not start again".to_owned()));
        };
        let is_blind = server.hello.is_blind;
        let (answer, server) = server.ask(&Request {
            input: if given.by_path { "" } else { given.file.as_str() },
            name: &self.name,
            arguments: &given.arguments,
            cpu_millis: millis(self.ground.limit),
            wall_millis: millis(self.ground.patience()),
            wants_comparisons: self.wants_comparisons,
            persistent,
            file_size: FILE_SIZE,
            memory: self.memory,
        })?;
        self.server = server;
        let (stdout, long_stdout) = read_up_to(&self.file("stdout"), KEPT);
        let (stderr, long_stderr) = read_up_to(&self.file("stderr"), KEPT);
        let (end, wrote) = match answer {
            Answer::Reply(reply) => {
                self.was_copied = reply.process == Process::Refused;
                if reply.process == Process::Ended {
                    self.in_one_process = 0;
                }
                (self.end(reply.end)?, reply.wrote || is_blind)
            }
            Answer::Gone(end) => (end, true),
        };
        let written = if wrote { self.collect(&given, input)? } else { Written::default() };
        let cut = long_stdout || long_stderr || written.cut;
        let raw = Raw { end, stdout, stderr, files: written.files, cut };
        Ok(Sample {
            execution: self.ground.execution(raw, &given)?,
            coverage: self.coverage()?,
            comparisons: self.comparisons()?,
        })
    }

    fn end(&self, end: RunEnd) -> Result<ProgramEnd, LangError> {
        Ok(match end {
            RunEnd::Exited(code) => ProgramEnd::Exited(code),
            RunEnd::Signalled(libc::SIGXFSZ) => {
                let is_full =
                    |name: &str| self.file(name).metadata().is_ok_and(|data| data.len() >= FILE_SIZE);
                let what = if is_full("stdout") || is_full("stderr") { "output" } else { "disk" };
                ProgramEnd::OverLimit(what.to_owned())
            }
            RunEnd::Signalled(signal) => ProgramEnd::Signalled(signal),
            RunEnd::TimedOut => ProgramEnd::TimedOut,
            RunEnd::NotStarted => {
                return Err(LangError::Internal("the system gives no more processes".to_owned()));
            }
        })
    }

    fn collect(&mut self, given: &Given, input: &ProgramInput) -> Result<Written, LangError> {
        let written = self.ground.collect(given, input)?;
        if written.needs_new_watch {
            self.server = None;
        }
        Ok(written)
    }

    /// Counter 0 is nobody's.
    fn coverage(&self) -> Result<Vec<u8>, LangError> {
        let mut counters = vec![0; self.edges];
        if self.edges > 0 {
            let file = fs_err::File::open(self.file("counters"))?;
            file.file().read_exact_at(&mut counters, 1)?;
        }
        Ok(counters)
    }

    fn comparisons(&self) -> Result<Vec<(u64, u64)>, LangError> {
        if !self.wants_comparisons || self.edges == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; SLOTS * PAIR];
        let file = fs_err::File::open(self.file("comparisons"))?;
        file.file().read_exact_at(&mut bytes, 0)?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte));
        let pairs = bytes.chunks_exact(PAIR).map(|pair| (number(&pair[..8]), number(&pair[8..])));
        Ok(pairs.filter(|(one, other)| one != other).collect())
    }

    /// Starts the program itself, for this input alone.
    fn run_single(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        let given = self.ground.give(input)?;
        let raw = self.ground.run(self.ground.job.clone(), &given, input)?;
        let execution = self.ground.execution(raw, &given)?;
        Ok(Sample { execution, coverage: Vec::new(), comparisons: Vec::new() })
    }
}

impl Target for ServedTarget {
    fn run(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        // Programs compare pointers as well, and the heap of a process that has run others lies elsewhere.
        let is_persistent = self.way == Way::Persistent && !self.wants_comparisons;
        if is_persistent { self.run_persistent(input) } else { self.run_fresh(input) }
    }

    fn run_fresh(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        Self::run_fresh(self, input)
    }

    fn ask_for_comparisons(&mut self, wanted: bool) {
        self.wants_comparisons = wanted;
    }

    fn places(&self) -> &[Option<Frame>] {
        &self.places
    }
}

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

/// Loads a library before all others of the program; the sandbox must let it be read.
fn with_library(mut job: Job, library: &Utf8Path) -> Job {
    if let Confinement::Sandboxed(spec) = &mut job.confinement {
        spec.read.push(library.to_owned());
    }
    job.env("LD_PRELOAD", library)
}

/// A file's first bytes, and whether there are more.
fn read_up_to(path: &Utf8Path, most: usize) -> (Vec<u8>, bool) {
    use std::io::Read;
    let mut bytes = Vec::new();
    if let Ok(file) = fs_err::File::open(path) {
        let _ = file.take(most as u64 + 1).read_to_end(&mut bytes);
    }
    let is_longer = bytes.len() > most;
    bytes.truncate(most);
    (bytes, is_longer)
}
