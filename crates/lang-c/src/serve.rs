//! A version behind a fork server: runs inputs fast, one after the other, each in fresh state.
//!
//! The runtime of `runtime/c` is linked into the program (variant with coverage) or loaded before its libraries (plain), and
//! makes of it one long-lived job in the sandbox that copies itself for every run. Nothing of a run outlives it: processes are
//! killed by the server, files are read and taken back here, and a server that does not survive a run is started again.
//! Programs that cannot be copied (threads before `main`, statically linked, an end before `main`) are started anew for every
//! run.

mod exchange;
pub(crate) mod places;
mod server;
mod wire;

use std::os::unix::fs::FileExt;
use std::time::Duration;

use bonafix_lang::LangError;
use bonafix_model::{Frame, ProgramEnd, ProgramInput};
use bonafix_proc::{Confinement, Job, Limits, Sink, Stdin};
use camino::{Utf8Path, Utf8PathBuf};

use self::exchange::Exchange;
use self::server::{LIFE, Server, Started};
use self::wire::{Inputs, Process, Request, Run, RunEnd, RunResult};
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
const RUNS: u64 = 512;
/// Of so many runs in one process, one is seen again in a process of its own.
const CHECK: u64 = 512;

/// So many runs are asked for at once, and so many bytes of inputs, unless one has more.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 4 * 1024 * 1024;

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
    exchange: Exchange,
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
            exchange: Exchange::open(ground.place())?,
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
        let expected = self.serve(seeds, false)?;
        let forwards = seeds.iter().zip(&expected);
        // What one input leaves is found by the next one, and by itself.
        let backwards = forwards.clone().rev().flat_map(|pair| [pair, pair]);
        let (again, expected): (Vec<ProgramInput>, Vec<&Sample>) =
            forwards.clone().chain(backwards).map(|(seed, expected)| (seed.clone(), expected)).unzip();
        for (again, expected) in again.chunks(BATCH).zip(expected.chunks(BATCH)) {
            if self.was_copied || !self.serve(again, true)?.iter().eq(expected.iter().copied()) {
                return Ok(false);
            }
        }
        if self.was_copied {
            return Ok(false);
        }
        if !seeds.is_empty() {
            self.way = Way::Persistent;
        }
        Ok(!seeds.is_empty())
    }

    /// Runs one input in a process of its own, whatever the others run in.
    pub fn run_fresh(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        let mut samples = self.run_all_fresh(std::slice::from_ref(input))?;
        samples.pop().ok_or_else(|| LangError::Internal("an input was not run".to_owned()))
    }

    fn run_all_fresh(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Sample>, LangError> {
        if self.way == Way::Starts {
            return inputs.iter().map(|input| self.run_single(input)).collect();
        }
        self.serve(inputs, false)
    }

    /// What is no ordinary end is seen again in a process of its own before it is told; and so is an ordinary one now and
    /// then, to end this way of running if it is not the same.
    fn run_all_persistent(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Sample>, LangError> {
        let mut samples = self.serve(inputs, true)?;
        for (input, sample) in inputs.iter().zip(&mut samples) {
            self.persistent_runs += 1;
            let is_ordinary =
                matches!(sample.execution.end, ProgramEnd::Exited(_)) && sample.execution.faults.is_empty();
            let is_checked = self.persistent_runs.is_multiple_of(CHECK);
            if is_ordinary && !is_checked && self.way == Way::Persistent {
                continue;
            }
            let fresh = self.run_fresh(input)?;
            if is_ordinary && fresh != *sample {
                self.way = Way::Copies;
            }
            *sample = fresh;
        }
        Ok(samples)
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

    /// A new server, of a program that had one before.
    fn started(&mut self) -> Result<Server, LangError> {
        self.start()?;
        self.server
            .take()
            .ok_or_else(|| LangError::Internal("the fork server does not start again".to_owned()))
    }

    /// Runs inputs in batches, one after the other.
    fn serve(&mut self, inputs: &[ProgramInput], persistent: bool) -> Result<Vec<Sample>, LangError> {
        let mut samples = Vec::with_capacity(inputs.len());
        // One of the inputs before this one has spoilt what was told of them all.
        let mut alone_until = 0;
        while samples.len() < inputs.len() {
            let left = &inputs[samples.len()..];
            let most = if samples.len() < alone_until { 1 } else { BATCH.min(left.len()) };
            let some = self.serve_some(&left[..most], persistent)?;
            if some.is_empty() {
                alone_until = samples.len() + most;
            }
            samples.extend(some);
        }
        Ok(samples)
    }

    /// Runs the first of these inputs, at least one, or none if of several nothing can be told.
    fn serve_some(&mut self, inputs: &[ProgramInput], persistent: bool) -> Result<Vec<Sample>, LangError> {
        let is_between = !persistent || self.in_one_process.is_multiple_of(RUNS);
        let young = self.server.take().filter(|server| !server.is_old(is_between));
        let server = match young {
            Some(server) => server,
            None => self.started()?,
        };
        let is_blind = server.hello.is_blind;
        let most = if is_blind || self.wants_comparisons { 1 } else { inputs.len() };
        let (batch, given) = self.batch(&inputs[..most])?;
        self.exchange.give(&batch.bytes)?;
        let request = Request {
            runs: batch.runs,
            inputs: batch.bytes.len() as u64,
            cpu_millis: millis(self.ground.limit),
            wall_millis: millis(self.ground.patience()),
            wants_comparisons: self.wants_comparisons,
            persistent,
            file_size: FILE_SIZE,
            memory: self.memory,
        };
        let (mut answer, mut server) = server.ask(&request)?;
        if server.is_none() && !self.exchange.has_begun() {
            // It ended for what came before: none of these is to blame.
            (answer, server) = self.started()?.ask(&request)?;
        }
        self.server = server;
        let taken = self.exchange.take(answer);
        if taken.is_none() {
            self.server = None;
            self.in_one_process = 0;
        }
        let (finished, end) = match taken {
            Some(taken) => taken,
            None if batch.runs > 1 => return Ok(Vec::new()),
            // Whoever writes into files that are none of its business is ended for that.
            None => (Vec::new(), Some(ProgramEnd::Signalled(libc::SIGKILL))),
        };
        self.in_one_process = if persistent { self.in_one_process + finished.len() as u64 } else { 0 };
        let mut samples = Vec::with_capacity(finished.len() + 1);
        for ((input, given), result) in inputs.iter().zip(&given).zip(finished) {
            samples.push(self.sample((input, given), result, is_blind)?);
        }
        if let (Some(end), Some((input, given))) = (end, inputs.iter().zip(&given).nth(samples.len())) {
            self.server = None;
            samples.push(self.broken_sample((input, given), end)?);
        }
        Ok(samples)
    }

    /// The first of these inputs, as many as go together.
    fn batch(&self, inputs: &[ProgramInput]) -> Result<(Inputs, Vec<Given>), LangError> {
        let (mut batch, mut all) = (Inputs::default(), Vec::with_capacity(inputs.len()));
        for input in inputs {
            if batch.bytes.len() + input.bytes.len() > BATCH_BYTES && batch.runs > 0 {
                break;
            }
            let given = self.ground.give(input);
            batch.push(&Run {
                file: given.file.as_str(),
                on_stdin: !given.by_path,
                name: &self.name,
                arguments: &given.arguments,
                bytes: &input.bytes,
            })?;
            all.push(given);
        }
        Ok((batch, all))
    }

    fn sample(
        &mut self,
        (input, given): (&ProgramInput, &Given),
        result: RunResult,
        is_blind: bool,
    ) -> Result<Sample, LangError> {
        self.was_copied = result.process == Process::Refused;
        if result.process == Process::Ended {
            self.in_one_process = 0;
        }
        if result.strays {
            self.server = None;
        }
        let end = self.end(result.end)?;
        let (mut stdout, mut stderr, mut cut) = (result.stdout, result.stderr, false);
        if result.is_long {
            (stdout, stderr, cut) = self.printed();
        }
        let written = if result.wrote || is_blind { self.collect(given, input)? } else { Written::default() };
        let raw = Raw { end, stdout, stderr, files: written.files, cut: cut || written.cut };
        let mut coverage = result.counters;
        coverage.resize(self.edges, 0);
        Ok(Sample {
            execution: self.ground.execution(raw, given)?,
            coverage,
            comparisons: self.comparisons()?,
        })
    }

    /// What was seen of a run that has ended the server.
    fn broken_sample(
        &mut self,
        (input, given): (&ProgramInput, &Given),
        end: ProgramEnd,
    ) -> Result<Sample, LangError> {
        let (stdout, stderr, cut) = self.printed();
        let written = self.collect(given, input)?;
        let raw = Raw { end, stdout, stderr, files: written.files, cut: cut || written.cut };
        Ok(Sample {
            execution: self.ground.execution(raw, given)?,
            coverage: self.coverage()?,
            comparisons: self.comparisons()?,
        })
    }

    /// What the last run has printed, and whether it is more than is kept.
    fn printed(&self) -> (Vec<u8>, Vec<u8>, bool) {
        let (stdout, long_stdout) = read_up_to(&self.file("stdout"), KEPT);
        let (stderr, long_stderr) = read_up_to(&self.file("stderr"), KEPT);
        (stdout, stderr, long_stdout || long_stderr)
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

    /// Of the run that has ended the server. Counter 0 is nobody's.
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
        let given = self.ground.give(input);
        let raw = self.ground.run(self.ground.job.clone(), &given, input)?;
        let execution = self.ground.execution(raw, &given)?;
        Ok(Sample { execution, coverage: Vec::new(), comparisons: Vec::new() })
    }
}

impl Target for ServedTarget {
    fn run_all(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Sample>, LangError> {
        // Programs compare pointers as well, and the heap of a process that has run others lies elsewhere.
        let is_persistent = self.way == Way::Persistent && !self.wants_comparisons;
        if is_persistent { self.run_all_persistent(inputs) } else { self.run_all_fresh(inputs) }
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
