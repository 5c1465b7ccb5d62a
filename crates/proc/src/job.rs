//! A job: what to run, with what, where to, and within which bounds.

use crate::cgroup::PidsGroup;
use crate::child::{Fence, Mounts, Plan, Step, Temporary};
use crate::confine::{Confinement, SandboxSpec};
use crate::error::ProcError;
use crate::filter;
use crate::interrupt;
use crate::limits::Limits;
use crate::message::{Message, receive};
use crate::output::{Pump, Target};
use crate::protection::{Launcher, ProcessGuard, SandboxMode, namespaces};
use crate::ruleset;
use crate::running::{Finished, Running};
use crate::supervise::{Board, Supervisor, Watch};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsStr, OsString};
use std::io::{self, PipeReader, PipeWriter, Read, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The folder that a job may have one of its own for.
const TEMPORARY: &str = "/tmp";

/// What the program reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing.
    #[default]
    Null,
    /// What is written to [`Running::take_stdin`].
    Piped,
    /// These bytes, then end of file.
    Bytes(Vec<u8>),
}

/// Where the program's output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sink {
    Null,
    /// The first `cap` bytes into [`Finished`], the rest nowhere.
    Capture {
        cap: usize,
    },
    /// The first `cap` bytes into a file, which is made anew, the rest nowhere.
    File {
        path: Utf8PathBuf,
        cap: u64,
    },
    /// To the reader of [`Running::take_stdout`].
    Piped,
}

impl Default for Sink {
    fn default() -> Self {
        Self::Capture { cap: 1024 * 1024 }
    }
}

/// One program to run, with everything it may start.
///
/// The environment begins empty; see [`Job::frozen_env`].
#[derive(Clone, Debug)]
pub struct Job {
    pub program: OsString,
    /// What the program is told that it is called; its resolved path if absent.
    pub arg0: Option<OsString>,
    pub args: Vec<OsString>,
    /// The current folder of bonafix if absent.
    pub cwd: Option<Utf8PathBuf>,
    pub env: BTreeMap<OsString, OsString>,
    pub stdin: Stdin,
    pub stdout: Sink,
    pub stderr: Sink,
    pub limits: Limits,
    pub confinement: Confinement,
}

impl Job {
    /// An unconfined job without arguments: default limits, empty environment, output captured up to 1 MiB.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arg0: None,
            args: Vec::new(),
            cwd: None,
            env: BTreeMap::new(),
            stdin: Stdin::default(),
            stdout: Sink::default(),
            stderr: Sink::default(),
            limits: Limits::default(),
            confinement: Confinement::Open,
        }
    }

    /// What the program is told that it is called.
    #[must_use]
    pub fn arg0(mut self, name: impl AsRef<OsStr>) -> Self {
        self.arg0 = Some(name.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    #[must_use]
    pub fn cwd(mut self, folder: impl Into<Utf8PathBuf>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.insert(name.as_ref().to_owned(), value.as_ref().to_owned());
        self
    }

    /// Passes a variable of bonafix's own environment on, if it is set there.
    #[must_use]
    pub fn inherit_env(self, name: impl AsRef<OsStr>) -> Self {
        match std::env::var_os(name.as_ref()) {
            Some(value) => self.env(name, value),
            None => self,
        }
    }

    /// Passes the whole environment on: for build tools, whose configuration lies there.
    #[must_use]
    pub fn inherit_all_env(mut self) -> Self {
        self.env.extend(std::env::vars_os());
        self
    }

    /// The same environment on every machine: `PATH` as it is here, `home` for `HOME` and `TMPDIR`, UTC, C.UTF-8.
    #[must_use]
    pub fn frozen_env(self, home: &Utf8Path) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        self.env("PATH", path)
            .env("HOME", home)
            .env("TMPDIR", home)
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .env("LC_ALL", "C.UTF-8")
    }

    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    #[must_use]
    pub fn stdout(mut self, sink: Sink) -> Self {
        self.stdout = sink;
        self
    }

    #[must_use]
    pub fn stderr(mut self, sink: Sink) -> Self {
        self.stderr = sink;
        self
    }

    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    #[must_use]
    pub fn confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// Shuts the job in; short for [`Job::confinement`].
    #[must_use]
    pub fn sandboxed(self, spec: SandboxSpec) -> Self {
        self.confinement(Confinement::Sandboxed(spec))
    }

    /// The command for people to read, not for a shell.
    pub fn display(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
        words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    /// Runs the job to its end.
    pub fn run(self, launcher: &Launcher) -> Result<Finished, ProcError> {
        self.spawn(launcher)?.wait()
    }

    /// Starts the job.
    pub fn spawn(self, launcher: &Launcher) -> Result<Running, ProcError> {
        let mut tries = BUSY_TRIES;
        loop {
            if interrupt::is_set() {
                return Err(ProcError::Interrupted);
            }
            let started = Start::new(&self, launcher)?.launch(&self);
            tries -= 1;
            if tries == 0 || !started.as_ref().is_err_and(is_busy) {
                return started;
            }
            thread::sleep(BUSY_PAUSE);
        }
    }
}

/// A program cannot be started while it is open for writing. Who has just written one has closed it, but what another thread
/// forks meanwhile holds it until it has closed its copy.
fn is_busy(error: &ProcError) -> bool {
    matches!(error, ProcError::Spawn { source, .. } if source.raw_os_error() == Some(libc::ETXTBSY))
}

/// So often a program that is busy is tried, and after such a pause.
const BUSY_TRIES: u32 = 200;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// Keeper and init, which the kernel counts with the job.
const HELPERS: u32 = 2;

/// What is made ready for one start.
struct Start {
    name: String,
    program: Utf8PathBuf,
    cwd: Utf8PathBuf,
    scratch: Vec<Utf8PathBuf>,
    group: Option<PidsGroup>,
    has_init: bool,
    plan: Plan,
    status: PipeReader,
    lifeline: PipeWriter,
}

impl Start {
    fn new(job: &Job, launcher: &Launcher) -> Result<Self, ProcError> {
        let name = job.program.to_string_lossy().into_owned();
        let io_error = |action| {
            let program = name.clone();
            move |source| ProcError::Io { program, action, source }
        };
        let cwd = absolute_cwd(job).map_err(io_error("find the working folder"))?;
        if !cwd.is_dir() {
            let source = io::ErrorKind::NotFound.into();
            return Err(ProcError::Folder { program: name, path: cwd, source });
        }
        let program = resolve(job, &cwd)?;
        let (status, status_end) = io::pipe().map_err(io_error("make a pipe"))?;
        let (lifeline_end, lifeline) = io::pipe().map_err(io_error("make a pipe"))?;
        let mut plan = Plan {
            status: status_end.into(),
            lifeline: lifeline_end.into(),
            cgroup: None,
            rlimits: rlimits(&job.limits),
            namespaces: None,
            fence: None,
        };
        let mut scratch = Vec::new();
        if let Confinement::Sandboxed(spec) = &job.confinement {
            scratch = writable(spec, &name)?;
            if launcher.mode() != SandboxMode::Off {
                fence_in(&mut plan, spec, &scratch, &program, &cwd, launcher)
                    .map_err(io_error("prepare the sandbox"))?;
            }
        }
        let group = job.limits.processes.map(|limit| limit_processes(&mut plan, limit, launcher)).transpose();
        let group = group.map_err(io_error("limit processes"))?.flatten();
        let has_init = plan.namespaces.is_some();
        Ok(Self { name, program, cwd, scratch, group, has_init, plan, status, lifeline })
    }

    fn launch(self, job: &Job) -> Result<Running, ProcError> {
        let Self { name, program, cwd, scratch, group, has_init, mut plan, mut status, lifeline } = self;
        let io_error = |action| {
            let program = name.clone();
            move |source| ProcError::Io { program, action, source }
        };
        let outputs = [open_target(&job.stdout), open_target(&job.stderr)];
        let [stdout, stderr] = outputs.map(|target| target.map_err(io_error("open the output file")));
        let (stdout, stderr) = (stdout?, stderr?);
        let (wake_end, wake) = io::pipe().map_err(io_error("make a pipe"))?;
        #[expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]
        let mut command = Command::new(&program);
        if let Some(name) = &job.arg0 {
            command.arg0(name);
        }
        command.args(&job.args).current_dir(&cwd).env_clear().envs(&job.env);
        command.stdin(stdio_in(&job.stdin)).stdout(stdio_out(&job.stdout)).stderr(stdio_out(&job.stderr));
        #[expect(unsafe_code, reason = "pre_exec is the way into the new process")]
        // SAFETY: `Plan::enter` keeps to async-signal-safe calls.
        unsafe {
            command.pre_exec(move || plan.enter())
        };
        let started = Instant::now();
        let spawned = command.spawn();
        // The command holds our copies of the helpers' pipe ends; the status pipe closes only without them.
        drop(command);
        let mut child = spawned.map_err(|source| spawn_error(&name, &mut status, source))?;
        let supervisor = Supervisor {
            keeper: child.id(),
            has_init,
            status,
            wake: wake_end,
            lifeline: Some(lifeline),
            limits: job.limits.clone(),
            scratch,
            group,
            stdout: pump(stdout, child.stdout.take_if(|_| job.stdout != Sink::Piped))
                .map_err(io_error("start a thread"))?,
            stderr: pump(stderr, child.stderr.take_if(|_| job.stderr != Sink::Piped))
                .map_err(io_error("start a thread"))?,
            started,
            watch: Watch::default(),
        };
        feed(&job.stdin, &mut child).map_err(io_error("start a thread"))?;
        supervise(name.clone(), child, supervisor, wake).map_err(io_error("start a thread"))
    }
}

fn supervise(program: String, child: Child, supervisor: Supervisor, wake: PipeWriter) -> io::Result<Running> {
    let board = Arc::new(Board::default());
    let posted = Arc::clone(&board);
    let thread = thread::Builder::new().name("proc-watch".into()).spawn(move || supervisor.run(&posted))?;
    Ok(Running {
        program,
        pid: child.id(),
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr,
        board,
        wake: Some(wake),
        supervisor: Some(thread),
    })
}

/// Puts all that the kernel gives round the job.
fn fence_in(
    plan: &mut Plan,
    spec: &SandboxSpec,
    scratch: &[Utf8PathBuf],
    program: &Utf8Path,
    cwd: &Utf8Path,
    launcher: &Launcher,
) -> io::Result<()> {
    let protection = launcher.protection();
    if protection.pid_namespace() {
        let mounts = if protection.read_only_mounts() {
            let writable = scratch.iter().map(|folder| c_path(folder)).collect::<io::Result<_>>()?;
            Some(Mounts { writable, temporary: temporary(spec, scratch, program, cwd)?, cwd: c_path(cwd)? })
        } else {
            None
        };
        plan.namespaces = Some(namespaces(spec.loopback, mounts));
    }
    let compiled = ruleset::compile(spec, program, protection.landlock_abi())?;
    let needs = filter::Needs {
        network: protection.network(),
        pid_namespace: protection.pid_namespace(),
        landlock_abi: protection.landlock_abi(),
    };
    let filter = protection.seccomp().then(|| filter::compile(needs)).transpose()?;
    plan.fence = Some(Fence { ruleset: compiled.ruleset, read_access: compiled.read_access, filter });
    Ok(())
}

/// What takes the place of `/tmp`. Folders of it that the job needs are shown there again, under their names.
fn temporary(
    spec: &SandboxSpec,
    scratch: &[Utf8PathBuf],
    program: &Utf8Path,
    cwd: &Utf8Path,
) -> io::Result<Option<Temporary>> {
    let real = Utf8Path::new(TEMPORARY);
    let is_folder = real.symlink_metadata().is_ok_and(|data| data.is_dir());
    let Some(folder) = spec.temporary.as_ref().filter(|_| is_folder) else { return Ok(None) };
    let Ok(folder) = folder.canonicalize_utf8() else { return Ok(None) };
    let others = spec.read.iter().filter_map(|path| path.canonicalize_utf8().ok());
    let needed = scratch.iter().cloned().chain(others).chain([program.to_owned(), cwd.to_owned()]);
    let first = |path: Utf8PathBuf| Some(path.strip_prefix(real).ok()?.iter().next()?.to_owned());
    let mut kept = Vec::new();
    for name in needed.filter_map(first).collect::<BTreeSet<String>>() {
        let (inside, shown) = (real.join(&name), folder.join(&name));
        match (inside.is_dir(), shown.is_dir()) {
            // A file that lies in `/tmp` itself cannot be shown: then the job has the real one, as before.
            (false, _) => return Ok(None),
            (true, false) => fs_err::create_dir(&shown)?,
            (true, true) => {}
        }
        kept.push((c_path(&inside)?, c_path(&shown)?));
    }
    Ok(Some(Temporary { folder: c_path(&folder)?, kept }))
}

fn c_path(path: &Utf8Path) -> io::Result<CString> {
    CString::new(path.as_str()).map_err(io::Error::other)
}

/// The writable folders by their real paths; each must exist.
fn writable(spec: &SandboxSpec, program: &str) -> Result<Vec<Utf8PathBuf>, ProcError> {
    let resolve = |path: &Utf8PathBuf| {
        path.canonicalize_utf8().map_err(|source| ProcError::Folder {
            program: program.to_owned(),
            path: path.clone(),
            source,
        })
    };
    spec.write.iter().map(resolve).collect()
}

fn absolute_cwd(job: &Job) -> io::Result<Utf8PathBuf> {
    let path = job.cwd.clone().unwrap_or_else(|| Utf8PathBuf::from("."));
    camino::absolute_utf8(&path)
}

/// The file to execute: looked up in the job's own `PATH`, or bonafix's where the job sets none.
fn resolve(job: &Job, cwd: &Utf8Path) -> Result<Utf8PathBuf, ProcError> {
    let name = job.program.to_string_lossy().into_owned();
    let executable = |path: &Utf8PathBuf| {
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        let path = cwd.join(&name);
        let searched = cwd.to_string();
        return Some(path).filter(executable).ok_or(ProcError::NotFound { program: name, searched });
    }
    let path =
        job.env.get(OsStr::new("PATH")).cloned().or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let found = std::env::split_paths(&path)
        .filter_map(|folder| Utf8PathBuf::from_path_buf(folder).ok())
        .map(|folder| cwd.join(folder).join(&name))
        .find(executable);
    found.ok_or_else(|| ProcError::NotFound {
        program: name,
        searched: format!("PATH ({})", path.to_string_lossy()),
    })
}

/// Puts the ceiling on processes into the plan; gives the control group, where that is what holds it.
fn limit_processes(plan: &mut Plan, limit: u32, launcher: &Launcher) -> io::Result<Option<PidsGroup>> {
    match launcher.protection().process_guard(plan.namespaces.is_some()) {
        ProcessGuard::Watchdog => Ok(None),
        ProcessGuard::Rlimit => {
            // Room beyond the limit: the kernel refuses silently, and a bomb that is held exactly there hovers below
            // it, where the watchdog cannot tell it from a busy program.
            let ceiling = u64::from(limit) + u64::from(limit / 4) + u64::from(HELPERS);
            plan.rlimits.push((libc::RLIMIT_NPROC, ceiling, ceiling));
            Ok(None)
        }
        ProcessGuard::Cgroup => {
            let Some(home) = launcher.protection().cgroup_home() else { return Ok(None) };
            let group = PidsGroup::create(home, limit.saturating_add(HELPERS))?;
            plan.cgroup = Some(group.entrance()?);
            Ok(Some(group))
        }
    }
}

fn rlimits(limits: &Limits) -> Vec<(u32, u64, u64)> {
    // One byte, not zero: a zero does not keep the kernel from piping the dump into a crash handler.
    let mut all = vec![(libc::RLIMIT_CORE, 1, 1), (libc::RLIMIT_NOFILE, 4096, 4096)];
    if let Some(cpu) = limits.cpu {
        // For each process, in whole seconds; the watchdog adds up and is finer.
        let seconds = cpu.as_secs() + 1;
        all.push((libc::RLIMIT_CPU, seconds, seconds + 1));
    }
    if let Some(size) = limits.file_size {
        all.push((libc::RLIMIT_FSIZE, size, size));
    }
    all
}

fn stdio_in(stdin: &Stdin) -> Stdio {
    match stdin {
        Stdin::Null => Stdio::null(),
        Stdin::Piped | Stdin::Bytes(_) => Stdio::piped(),
    }
}

fn stdio_out(sink: &Sink) -> Stdio {
    match sink {
        Sink::Null => Stdio::null(),
        _ => Stdio::piped(),
    }
}

fn open_target(sink: &Sink) -> io::Result<Option<Target>> {
    Ok(match sink {
        Sink::Null | Sink::Piped => None,
        Sink::Capture { cap } => Some(Target::Memory { cap: *cap }),
        Sink::File { path, cap } => Some(Target::File { file: fs_err::File::create(path)?, cap: *cap }),
    })
}

fn pump(target: Option<Target>, source: Option<impl Read + Send + 'static>) -> io::Result<Option<Pump>> {
    match (target, source) {
        (Some(target), Some(source)) => Pump::start(source, target).map(Some),
        _ => Ok(None),
    }
}

/// Writes given bytes from a thread of its own: a program that reads nothing must not hold the caller.
fn feed(stdin: &Stdin, child: &mut Child) -> io::Result<()> {
    if let (Stdin::Bytes(bytes), Some(mut pipe)) = (stdin, child.stdin.take_if(|_| *stdin != Stdin::Piped)) {
        let bytes = bytes.clone();
        let write = move |pipe: &mut ChildStdin| pipe.write_all(&bytes);
        thread::Builder::new().name("proc-input".into()).spawn(move || {
            // The program may close its end early, which is its right.
            let _ = write(&mut pipe);
        })?;
    }
    Ok(())
}

/// Names the step that the new process announced before it gave up.
fn spawn_error(program: &str, status: &mut PipeReader, source: io::Error) -> ProcError {
    let step = match receive(status) {
        Ok(Message::FailedStep(number)) => Step::name(number),
        _ => Step::name(Step::Exec as u32),
    };
    ProcError::Spawn { program: program.to_owned(), step, source }
}
