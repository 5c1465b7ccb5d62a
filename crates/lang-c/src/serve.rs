//! A version behind a fork server: runs inputs fast, one after the other, each in fresh state.
//!
//! The runtime of `runtime/c` is linked into the program (variant with coverage) or loaded before its libraries (plain), and
//! makes of it one long-lived job in the sandbox that copies itself for every run. Nothing of a run outlives it: processes are
//! killed by the server, files are read and taken back here, and a server that does not survive a run is started again.
//! Programs that cannot be copied (threads before `main`, statically linked, an end before `main`) are started anew for every
//! run.

mod folder;
mod places;
mod server;
mod wire;

use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::LangError;
use bonafix_model::{Frame, ProgramEnd, ProgramInput};
use bonafix_proc::{Job, Launcher, Limits, Sink, Stdin};
use camino::{Utf8Path, Utf8PathBuf};

use self::folder::{Folder, Written};
use self::server::{Answer, LIFE, Server, Started};
use self::wire::{Request, RunEnd};
use crate::build::Workshop;
use crate::home::Home;
use crate::proc_fault;
use crate::seen::{KEPT, Raw};
use crate::target::{Sample, Target};
use crate::testing::{is_by_path, with_path};
use crate::variant::Variant;

/// Bytes that a run may write to one stream or file. Whoever writes more is ended.
const FILE_SIZE: u64 = 16 * 1024 * 1024;
/// Bytes of one pair of compared numbers.
const PAIR: usize = 16;
const SLOTS: usize = 4096;
const MIB: u64 = 1024 * 1024;

/// What a server is made of.
pub(crate) struct Ground<'a> {
    pub(crate) workshop: &'a Workshop,
    /// A copy of the built version.
    pub(crate) home: Home,
    /// The entry of the cache that it is a copy of.
    pub(crate) entry: &'a Utf8Path,
    pub(crate) variant: Variant,
    /// The program in its folder, without arguments and streams.
    pub(crate) job: Job,
    /// Arguments of inputs that have none of their own.
    pub(crate) arguments: &'a [String],
    /// Ending of files with inputs, with its dot; empty for none.
    pub(crate) ending: &'a str,
    /// Of one run.
    pub(crate) limit: Duration,
}

/// A version of a program that runs inputs. See the module.
pub struct ServedTarget {
    launcher: Arc<Launcher>,
    home: Home,
    folder: Folder,
    /// Where the server keeps its files.
    place: Utf8PathBuf,
    /// Starts the server.
    job: Job,
    /// Starts the program itself.
    single: Job,
    server: Option<Server>,
    /// The program cannot be copied.
    is_unfit: bool,
    arguments: Vec<String>,
    name: String,
    /// Where the program runs.
    run_folder: Utf8PathBuf,
    /// Name of the input among the arguments; the program runs where it lies.
    input_name: String,
    limit: Duration,
    memory: u64,
    wants_comparisons: bool,
    edges: usize,
    places: Vec<Option<Frame>>,
}

impl ServedTarget {
    /// Starts the server once, to see whether it can be.
    pub(crate) fn open(ground: Ground<'_>) -> Result<Self, LangError> {
        let place = ground.home.path().join("serve");
        fs_err::create_dir_all(&place)?;
        let runtime = crate::runtime::Runtime::of(ground.workshop)?;
        let single = with_sanitizers(ground.job, ground.variant, false);
        let memory = single.limits.memory.unwrap_or(2048 * MIB);
        let mut job = single.clone().env("BONAFIX_SERVE", &place).stdin(Stdin::Piped).stdout(Sink::Piped);
        if !ground.variant.has_runtime() {
            job = with_library(job, &runtime.library());
        }
        // The watch over one run is the server's.
        job.limits = Limits { wall: Some(LIFE + ground.limit * 2), cpu: None, ..job.limits };
        let run_folder = job.cwd.clone().unwrap_or_else(|| ground.home.tree());
        let name = job.arg0.as_ref().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut target = Self {
            launcher: Arc::clone(&ground.workshop.launcher),
            folder: Folder::new(ground.home.clone(), ground.entry, &run_folder),
            home: ground.home,
            place,
            job,
            single,
            server: None,
            is_unfit: false,
            arguments: ground.arguments.to_vec(),
            name,
            run_folder,
            input_name: format!("bonafix-input{}", ground.ending),
            limit: ground.limit,
            // Sanitizers reserve more addresses than there is memory.
            memory: if ground.variant.has_runtime() { 0 } else { memory },
            wants_comparisons: false,
            edges: 0,
            places: Vec::new(),
        };
        target.start()?;
        if target.edges > 0 {
            let program = Utf8PathBuf::from(target.job.program.to_string_lossy().into_owned());
            let text = fs_err::read_to_string(target.place.join("places")).unwrap_or_default();
            let addresses = places::read(&text, &program);
            target.places = places::symbolise(
                &addresses,
                &target.home.tree(),
                &ground.workshop.compiler,
                &target.launcher,
            )?;
        }
        Ok(target)
    }

    /// Whether the next runs tell which numbers they compared, which costs time.
    pub fn ask_for_comparisons(&mut self, wanted: bool) {
        self.wants_comparisons = wanted;
    }

    /// Does a server copy the program for every run? It is started anew otherwise.
    pub fn is_served(&self) -> bool {
        !self.is_unfit
    }

    fn start(&mut self) -> Result<(), LangError> {
        match Server::start(&self.job, &self.launcher)? {
            Started::Ready(server) => {
                self.edges = server.hello.edges as usize;
                self.server = Some(server);
            }
            // One that could be copied before has not changed: only the machine can be at fault.
            Started::Unfit if self.edges > 0 => {
                return Err(LangError::Internal("the fork server does not start again".to_owned()));
            }
            Started::Unfit => self.is_unfit = true,
        }
        Ok(())
    }

    /// Says how an input is given, and puts it there.
    fn given(&self, input: &ProgramInput) -> Result<Given, LangError> {
        let arguments = input.arguments.as_ref().unwrap_or(&self.arguments);
        let by_path = is_by_path(arguments);
        let file = if by_path { self.run_folder.join(&self.input_name) } else { self.place.join("input") };
        fs_err::write(&file, &input.bytes)?;
        Ok(Given { file, by_path, arguments: with_path(arguments, &self.input_name) })
    }

    fn serve(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        let given = self.given(input)?;
        if self.server.as_ref().is_none_or(Server::is_old) {
            self.server = None;
            self.start()?;
        }
        let Some(server) = self.server.take() else {
            return Err(LangError::Internal("the fork server does not start again".to_owned()));
        };
        let is_blind = server.hello.is_blind;
        let (answer, server) = server.ask(&Request {
            input: if given.by_path { "" } else { given.file.as_str() },
            name: &self.name,
            arguments: &given.arguments,
            limit_millis: u32::try_from(self.limit.as_millis()).unwrap_or(u32::MAX),
            wants_comparisons: self.wants_comparisons,
            file_size: FILE_SIZE,
            memory: self.memory,
        })?;
        self.server = server;
        let (stdout, long_stdout) = read_up_to(&self.place.join("stdout"), KEPT);
        let (stderr, long_stderr) = read_up_to(&self.place.join("stderr"), KEPT);
        let (end, wrote) = match answer {
            Answer::Reply(reply) => (self.end(reply.end)?, reply.wrote || is_blind),
            Answer::Gone(end) => (end, true),
        };
        let written = if wrote { self.collect(&given, &input.bytes)? } else { Written::default() };
        let cut = long_stdout || long_stderr || written.cut;
        let raw = Raw { end, stdout, stderr, files: written.files, cut };
        Ok(Sample {
            execution: raw.execution(&self.home, self.hidden(&given)),
            coverage: self.coverage()?,
            comparisons: self.comparisons()?,
        })
    }

    /// The path that is ours and not the program's.
    fn hidden(&self, given: &Given) -> &str {
        if given.by_path { &self.input_name } else { "" }
    }

    fn end(&self, end: RunEnd) -> Result<ProgramEnd, LangError> {
        Ok(match end {
            RunEnd::Exited(code) => ProgramEnd::Exited(code),
            RunEnd::Signalled(libc::SIGXFSZ) => {
                let is_full =
                    |name: &str| self.place.join(name).metadata().is_ok_and(|data| data.len() >= FILE_SIZE);
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

    fn collect(&mut self, given: &Given, bytes: &[u8]) -> Result<Written, LangError> {
        let written = self.folder.collect(&given.file, bytes)?;
        if written.needs_new_watch {
            self.server = None;
        }
        Ok(written)
    }

    /// Counter 0 is nobody's.
    fn coverage(&self) -> Result<Vec<u8>, LangError> {
        let mut counters = vec![0; self.edges];
        if self.edges > 0 {
            let file = fs_err::File::open(self.place.join("counters"))?;
            file.file().read_exact_at(&mut counters, 1)?;
        }
        Ok(counters)
    }

    fn comparisons(&self) -> Result<Vec<(u64, u64)>, LangError> {
        if !self.wants_comparisons || self.edges == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; SLOTS * PAIR];
        let file = fs_err::File::open(self.place.join("comparisons"))?;
        file.file().read_exact_at(&mut bytes, 0)?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte));
        let pairs = bytes.chunks_exact(PAIR).map(|pair| (number(&pair[..8]), number(&pair[8..])));
        Ok(pairs.filter(|(one, other)| one != other).collect())
    }

    /// Starts the program itself, for this input alone.
    fn run_single(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        let given = self.given(input)?;
        let stdin = if given.by_path { Stdin::Null } else { Stdin::Bytes(input.bytes.clone()) };
        let job = self.single.clone().args(&given.arguments).stdin(stdin);
        let job = job.stdout(Sink::Capture { cap: KEPT }).stderr(Sink::Capture { cap: KEPT });
        let finished = job.run(&self.launcher).map_err(proc_fault)?;
        let written = self.collect(&given, &input.bytes)?;
        let raw = Raw {
            end: server::ended_from_outside(finished.exit),
            cut: finished.stdout.truncated || finished.stderr.truncated || written.cut,
            stdout: finished.stdout.bytes,
            stderr: finished.stderr.bytes,
            files: written.files,
        };
        let execution = raw.execution(&self.home, self.hidden(&given));
        Ok(Sample { execution, coverage: Vec::new(), comparisons: Vec::new() })
    }
}

/// How an input is given.
struct Given {
    /// Where its bytes lie.
    file: Utf8PathBuf,
    /// The arguments name that file; it is standard input otherwise.
    by_path: bool,
    arguments: Vec<String>,
}

impl Target for ServedTarget {
    fn run(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        if self.is_unfit { self.run_single(input) } else { self.serve(input) }
    }

    fn places(&self) -> &[Option<Frame>] {
        &self.places
    }
}

impl Drop for ServedTarget {
    fn drop(&mut self) {
        self.server = None;
        self.home.clone().remove();
    }
}

/// Loads a library before all others of the program; the sandbox must let it be read.
fn with_library(mut job: Job, library: &Utf8Path) -> Job {
    if let bonafix_proc::Confinement::Sandboxed(spec) = &mut job.confinement {
        spec.read.push(library.to_owned());
    }
    job.env("LD_PRELOAD", library)
}

/// What sanitizers are told. In the loop they say what was wrong, and not where: that takes the time of many runs.
fn with_sanitizers(job: Job, variant: Variant, in_detail: bool) -> Job {
    if !variant.has_runtime() {
        return job;
    }
    let memory = job.limits.memory.unwrap_or(2048 * MIB);
    // A program that catches signals must not hide a fault. A thread that watches memory would be lost in a copy of the
    // process, so that is left to the sandbox.
    let common = "abort_on_error=1:handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2:allocator_may_return_null=1";
    let detail = if in_detail {
        "symbolize=1:detect_leaks=1:print_stacktrace=1:handle_abort=2"
    } else {
        "symbolize=0:detect_leaks=0:malloc_context_size=0:print_legend=0"
    };
    let mut job = job
        .env("ASAN_OPTIONS", format!("{common}:{detail}:max_allocation_size_mb={}", memory / MIB))
        .env("UBSAN_OPTIONS", format!("abort_on_error=1:{detail}"));
    // Red zones, shadow and memory that is kept from being used again come on top.
    job.limits.memory = Some(memory * 3);
    job
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

/// The ending of files that a pattern such as `tests/*.gif` matches, with its dot.
pub(crate) fn ending_of(pattern: Option<&str>) -> &str {
    let name = pattern.and_then(|pattern| pattern.rsplit('*').next()).unwrap_or_default();
    if name.starts_with('.') && !name.contains('/') { name } else { "" }
}
