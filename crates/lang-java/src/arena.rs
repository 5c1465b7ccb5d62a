//! Talks to the arena: one JVM that holds all versions of a program and runs sequences of calls in all of them.
//!
//! A sequence that hangs, exits, crashes the VM or uses up its memory costs that VM and nothing else: the rest of the
//! batch goes on in a fresh one, and the outcome of the sequence says in which version it broke down.

mod decode;
mod encode;
mod pace;

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use bonafix_lang::{LangError, RunScope};
use bonafix_model::{Breakdown, Catalog, Confirmation, Feedback, Progress, Ran, Sequence, SequenceOutcome};
use bonafix_proc::{Confinement, Exit, Job, Launcher, Limits, Running, SandboxSpec, Sink, Stdin};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

use self::pace::Pace;
use crate::runtime::{self, Part};
use crate::toolchain::Jdk;
use crate::wire::FrameBuffer;

use decode::{Answer, Marker};

/// Version of the protocol that this side speaks.
const PROTOCOL: u32 = 7;
/// Sequences in one message.
const CHUNK: usize = 4096;
const POLL: Duration = Duration::from_millis(50);
/// What starting the VM and loading the classes may take.
const START_LIMIT: Duration = Duration::from_mins(1);
/// A VM whose own watch does not end it within so many limits, and some seconds, hangs as a whole.
const HANG_FACTOR: u32 = 8;
const HANG_GRACE: Duration = Duration::from_secs(10);
/// How many times the steps of a search an input may take when it is seen again. What is only slower than another version
/// then comes to an end.
const PATIENCE: u64 = 10;
/// Room for the VM beside its heap.
const BESIDE_HEAP_MIB: u64 = 1024;

/// What the arena holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArenaSubject {
    /// Class path of each version: what may differ between them.
    pub versions: Vec<Vec<Utf8PathBuf>>,
    /// Class path that is the same for all of them, and knows none of their classes.
    pub libraries: Vec<Utf8PathBuf>,
    /// Binary names of the classes to call.
    pub roots: Vec<String>,
    /// Binary names of classes of the first version, and of what each extends and implements; if none are given, only
    /// the packages of what is called are searched for implementations.
    pub hierarchy: Vec<(String, Vec<String>)>,
    /// What to watch for in classes that carry probes.
    pub probes: ArenaProbes,
}

/// What is watched for while sequences run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArenaProbes {
    /// Numbers of blocks are below this.
    pub blocks: u32,
    /// Numbers of branches are below this.
    pub branches: u32,
    /// Blocks of changed code.
    pub reach: Vec<u32>,
    /// Each a conjunction: its distance is the sum of those of its atoms.
    pub goals: Vec<Vec<Atom>>,
}

/// One thing that a sequence should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// Take the jump of this branch.
    Taken(u32),
    /// Do not.
    Missed(u32),
    /// Run this block; then the whole goal is there, and what else it names was only on the way.
    Block(u32),
    /// Take the case with this key of a switch.
    Case(u32, i32),
    /// Take none of the cases of a switch.
    Default(u32),
    /// Take the jump of one branch where that of another is not taken: the n-th decision of the one is held against the
    /// n-th of the other.
    Parted {
        /// The branch whose jump is taken.
        taken: u32,
        /// The one whose jump is not.
        missed: u32,
    },
}

/// How the arena runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArenaConfig {
    /// Heap of the VM.
    pub heap_mib: u32,
    /// What one sequence may take in one version.
    pub limit: Duration,
    /// Calls and jumps back that one sequence may do in one version, in classes with probes; more when it is confirmed.
    pub steps: u64,
    /// Static state is fresh again after so many sequences.
    pub reset_every: u32,
    /// How deep values are looked into.
    pub depth: u32,
}

impl Default for ArenaConfig {
    fn default() -> Self {
        Self { heap_mib: 512, limit: Duration::from_secs(2), steps: 300_000, reset_every: 10_000, depth: 5 }
    }
}

/// What sequences have cost beyond their time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    /// VMs started in place of another.
    pub restarts: u32,
    /// Sequences that took too long.
    pub timeouts: u32,
    /// Sequences that ended the VM.
    pub exits: u32,
    /// Sequences that the VM died of.
    pub crashes: u32,
    /// Sequences that ran out of memory.
    pub out_of_memory: u32,
}

/// What an arena is made with.
#[derive(Clone, Copy)]
pub(crate) struct ArenaTools<'a> {
    pub(crate) jdk: &'a Jdk,
    pub(crate) cache: &'a Cache,
    pub(crate) launcher: &'a Arc<Launcher>,
}

/// How a batch of sequences ended whose lines were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TraceEnd {
    /// All of them ran.
    Done,
    /// The VM is gone: the sequence, version and way it ended in, where that is known.
    Died(Option<(usize, u32, Breakdown)>),
}

/// A VM with all versions of a program in it, started again when a sequence ends it.
pub struct Arena {
    jdk: Jdk,
    runtime: Vec<Utf8PathBuf>,
    scratch: Utf8PathBuf,
    launcher: Arc<Launcher>,
    subject: ArenaSubject,
    config: ArenaConfig,
    pace: Pace,
    catalog: Catalog,
    /// The first VM has made the catalog; those that follow get it from here.
    is_listed: bool,
    problems: Vec<String>,
    vm: Option<Vm>,
    losses: Losses,
    cpu: Duration,
    /// How near each goal was come to, in any VM.
    best: Vec<f64>,
}

/// The process, and what it has told so far.
struct Vm {
    running: Running,
    stdin: std::process::ChildStdin,
    frames: Receiver<Vec<u8>>,
    marker: Utf8PathBuf,
    names: Vec<String>,
}

/// Why no answer came.
enum Silence {
    /// The VM is gone.
    Died(Death),
    /// Something that starting it again does not mend.
    Fault(LangError),
}

/// How a VM ended, and what ran in it.
struct Death {
    marker: Option<Marker>,
    exit: Option<Exit>,
}

impl Death {
    /// Number of the sequence in its message, version, and what happened.
    fn blame(&self) -> Option<(usize, u32, Breakdown)> {
        let marker = self.marker.filter(|marker| marker.running)?;
        let breakdown = match self.exit {
            _ if marker.timed_out => Breakdown::Timeout,
            Some(Exit::Code(decode::EXIT_OUT_OF_MEMORY) | Exit::OverMemory) => Breakdown::OutOfMemory,
            Some(Exit::Code(code)) => Breakdown::Exit(code),
            // Killed by us: only a VM that hangs as a whole is.
            Some(Exit::Killed | Exit::TimedOut) => Breakdown::Timeout,
            _ => Breakdown::Crash,
        };
        Some((marker.sequence as usize, marker.version, breakdown))
    }

    /// Ended by itself, for a reason that no sequence gives.
    fn is_our_fault(&self) -> bool {
        let gave_up = matches!(self.exit, Some(Exit::Code(decode::EXIT_BAD_REQUEST | decode::EXIT_INTERNAL)));
        gave_up && self.blame().is_none()
    }
}

impl Arena {
    /// Starts the VM and reads the first version. `scratch` is a folder of its own, the only one it may write to.
    pub fn open(
        subject: ArenaSubject,
        config: ArenaConfig,
        jdk: &Jdk,
        cache: &Cache,
        launcher: &Arc<Launcher>,
        scratch: &Utf8Path,
    ) -> Result<Self, LangError> {
        let mut arena = Self::closed(subject, config, ArenaTools { jdk, cache, launcher }, scratch)?;
        arena.vm = Some(arena.start()?);
        Ok(arena)
    }

    /// All but the VM.
    fn closed(
        subject: ArenaSubject,
        config: ArenaConfig,
        ArenaTools { jdk, cache, launcher }: ArenaTools<'_>,
        scratch: &Utf8Path,
    ) -> Result<Self, LangError> {
        fs_err::create_dir_all(scratch)?;
        let core = runtime::classes(Part::Core, &[], jdk, cache, launcher)?;
        let own = runtime::classes(Part::Arena, std::slice::from_ref(&core), jdk, cache, launcher)?;
        let best = vec![f64::INFINITY; subject.probes.goals.len()];
        Ok(Self {
            jdk: jdk.clone(),
            runtime: vec![own, core],
            scratch: scratch.to_owned(),
            launcher: Arc::clone(launcher),
            subject,
            pace: Pace::new(config.steps),
            config,
            catalog: Catalog::default(),
            is_listed: false,
            problems: Vec::new(),
            vm: None,
            losses: Losses::default(),
            cpu: Duration::ZERO,
            best,
        })
    }

    /// Starts the VM with what another one listed; the versions are searched for nothing.
    pub(crate) fn open_listed(
        subject: ArenaSubject,
        catalog: &Catalog,
        config: ArenaConfig,
        tools: ArenaTools<'_>,
        scratch: &Utf8Path,
    ) -> Result<Self, LangError> {
        let mut arena = Self::closed(subject, config, tools, scratch)?;
        arena.catalog = catalog.clone();
        arena.is_listed = true;
        arena.vm = Some(arena.start()?);
        Ok(arena)
    }

    /// Binary names of the classes it was opened with.
    pub fn roots(&self) -> &[String] {
        &self.subject.roots
    }

    /// What can be called.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Classes that could not be read, and why.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// What was lost so far.
    pub fn losses(&self) -> Losses {
        self.losses
    }

    /// Processor time of the batches that ran to their end in one VM.
    pub fn cpu(&self) -> Duration {
        self.cpu
    }

    /// Runs sequences in all versions; outcomes in the order of the sequences.
    pub fn run(&mut self, sequences: &[Sequence]) -> Result<Vec<SequenceOutcome>, LangError> {
        self.run_in(sequences, &RunScope::default())
    }

    /// Runs sequences in some versions.
    pub fn run_in(
        &mut self,
        sequences: &[Sequence],
        scope: &RunScope,
    ) -> Result<Vec<SequenceOutcome>, LangError> {
        Ok(self.explore(sequences, scope)?.into_iter().map(|ran| ran.outcome).collect())
    }

    /// Runs sequences in some versions, and tells what they brought besides.
    pub fn explore(&mut self, sequences: &[Sequence], scope: &RunScope) -> Result<Vec<Ran>, LangError> {
        let versions = self.versions_of(scope)?;
        self.check(sequences)?;
        let mut outcomes = Vec::with_capacity(sequences.len());
        for chunk in sequences.chunks(CHUNK) {
            let ran = self.run_chunk(chunk, &versions, scope)?;
            let is_cut = ran.len() < chunk.len();
            if let Some(first) = versions.first() {
                self.pace.note(*first, &ran);
            }
            outcomes.extend(ran);
            if is_cut {
                break;
            }
        }
        Ok(outcomes)
    }

    /// Forgets the static state of all versions.
    pub fn reset(&mut self) -> Result<(), LangError> {
        let frame = encode::reset();
        match self.ask(&frame) {
            // A VM that died is followed by a fresh one, which has fresh static state.
            Ok(Answer::Done(_)) | Err(Silence::Died(_)) => Ok(()),
            Ok(_) => Err(unexpected()),
            Err(Silence::Fault(error)) => Err(error),
        }
    }

    /// Runs a sequence `repetitions` times in each version, each time alone in fresh class loaders, the versions taking
    /// turns. Only what is stable in both of two versions tells them apart.
    pub fn confirm(
        &mut self,
        sequence: &Sequence,
        repetitions: u32,
        scope: &RunScope,
    ) -> Result<Vec<Confirmation>, LangError> {
        let versions = self.versions_of(scope)?;
        self.check(std::slice::from_ref(sequence))?;
        let mut confirmations: Vec<Option<Confirmation>> = vec![None; versions.len()];
        let mut careful = false;
        while confirmations.iter().any(Option::is_none) {
            if is_late(scope) {
                return Ok(Vec::new());
            }
            let mut open: Vec<usize> =
                (0..versions.len()).filter(|&index| confirmations[index].is_none()).collect();
            if careful {
                open.truncate(1);
            }
            let asked: Vec<u32> = open.iter().map(|&index| versions[index]).collect();
            let patient = ArenaConfig { steps: self.config.steps.saturating_mul(PATIENCE), ..self.config };
            let frame = encode::confirm(sequence, repetitions, &asked, &patient);
            match self.ask(&frame) {
                Ok(Answer::Confirmed(answers)) if answers.len() == open.len() => {
                    for (index, answer) in open.into_iter().zip(answers) {
                        confirmations[index] = Some(answer);
                    }
                }
                Ok(_) => return Err(unexpected()),
                Err(Silence::Fault(error)) => return Err(error),
                Err(Silence::Died(death)) => {
                    let blamed = death.blame().and_then(|(_, version, breakdown)| {
                        let index = versions.iter().position(|&known| known == version)?;
                        Some((index, breakdown))
                    });
                    match blamed {
                        Some((index, breakdown)) => {
                            self.count(breakdown);
                            confirmations[index] = Some(Confirmation::Failed(breakdown));
                        }
                        None if careful => {
                            self.count(Breakdown::Crash);
                            confirmations[open[0]] = Some(Confirmation::Failed(Breakdown::Crash));
                        }
                        None => careful = true,
                    }
                }
            }
        }
        Ok(confirmations.into_iter().flatten().collect())
    }

    /// Runs sequences one after the other in each of these versions, each time alone in fresh class loaders, and has the
    /// lines that ran written to a file, which must lie below the folder that the VM may write to.
    pub(crate) fn trace(
        &mut self,
        sequences: &[Sequence],
        versions: &[u32],
        file: &Utf8Path,
        lines: u32,
    ) -> Result<TraceEnd, LangError> {
        self.check(sequences)?;
        if file.exists() {
            fs_err::remove_file(file)?;
        }
        let chosen: Vec<&Sequence> = sequences.iter().collect();
        match self.ask(&encode::trace(&chosen, versions, file, lines, &self.config)) {
            Ok(Answer::Done(_)) => Ok(TraceEnd::Done),
            Ok(_) => Err(unexpected()),
            Err(Silence::Fault(error)) => Err(error),
            Err(Silence::Died(death)) if death.is_our_fault() => {
                Err(LangError::Internal(format!("the arena gave up ({:?})", death.exit)))
            }
            Err(Silence::Died(death)) => {
                let blame = death.blame();
                if let Some((.., breakdown)) = blame {
                    self.count(breakdown);
                }
                Ok(TraceEnd::Died(blame))
            }
        }
    }

    fn versions_of(&self, scope: &RunScope) -> Result<Vec<u32>, LangError> {
        let all = 0..u32::try_from(self.subject.versions.len()).unwrap_or(u32::MAX);
        if scope.versions.is_empty() && !all.is_empty() {
            return Ok(all.collect());
        }
        if scope.versions.is_empty() {
            return Err(LangError::Internal("the arena has no version".to_owned()));
        }
        match scope.versions.iter().find(|version| !all.contains(version)) {
            Some(version) => Err(LangError::Internal(format!("the arena has no version {version}"))),
            None => Ok(scope.versions.clone()),
        }
    }

    /// The VM takes an ill-formed sequence for a corrupt stream.
    fn check(&self, sequences: &[Sequence]) -> Result<(), LangError> {
        let known = self.catalog.callables.len();
        let wrong = sequences.iter().position(|sequence| {
            !sequence.is_well_formed() || sequence.callables().any(|callable| callable as usize >= known)
        });
        wrong.map_or(Ok(()), |index| {
            Err(LangError::Internal(format!("sequence {index} uses what is not there")))
        })
    }

    fn run_chunk(
        &mut self,
        sequences: &[Sequence],
        versions: &[u32],
        scope: &RunScope,
    ) -> Result<Vec<Ran>, LangError> {
        let mut outcomes: Vec<Option<Ran>> = vec![None; sequences.len()];
        // Where nothing says which sequence a VM died of, they go one by one until it is found.
        let mut careful = false;
        loop {
            let mut open: Vec<usize> =
                (0..sequences.len()).filter(|&index| outcomes[index].is_none()).collect();
            // An input that hangs may take seconds, and the next ones may be like it.
            if open.is_empty() || is_late(scope) {
                return Ok(outcomes.into_iter().map_while(|outcome| outcome).collect());
            }
            if careful {
                open.truncate(1);
            }
            let chosen: Vec<&Sequence> = open.iter().map(|&index| &sequences[index]).collect();
            let config = ArenaConfig { steps: self.pace.steps(), ..self.config };
            let frame = encode::run(&chosen, versions, scope.show_all, &config);
            let Some(death) = self.collect(&frame, &open, &mut outcomes)? else { continue };
            let progress = open.iter().any(|&index| outcomes[index].is_some());
            let unknown = (0, versions[0], Breakdown::Crash);
            match death.blame().filter(|blame| blame.0 < open.len()) {
                Some(blame) => self.blame(blame, &open, &mut outcomes),
                None if progress => {}
                None if careful => {
                    self.blame(unknown, &open, &mut outcomes);
                    careful = false;
                }
                None => careful = true,
            }
        }
    }

    fn blame(
        &mut self,
        (number, version, breakdown): (usize, u32, Breakdown),
        open: &[usize],
        outcomes: &mut [Option<Ran>],
    ) {
        self.count(breakdown);
        let outcome = SequenceOutcome::Failed { version, breakdown };
        outcomes[open[number]] = Some(Ran { outcome, feedback: Feedback::default() });
    }

    /// Sends a request and takes results until the VM says that it is done, or dies.
    fn collect(
        &mut self,
        frame: &[u8],
        open: &[usize],
        outcomes: &mut [Option<Ran>],
    ) -> Result<Option<Death>, LangError> {
        let mut answer = self.ask(frame);
        loop {
            match answer {
                Ok(Answer::Done(nanos)) => {
                    self.cpu += Duration::from_nanos(nanos);
                    return Ok(None);
                }
                Ok(Answer::Results { first, results }) => {
                    for (number, mut ran) in (first as usize..).zip(results) {
                        let slot = open.get(number).ok_or_else(unexpected)?;
                        if let SequenceOutcome::Failed { breakdown, .. } = ran.outcome {
                            self.count(breakdown);
                        }
                        // A fresh VM takes for progress what an earlier one had reached.
                        ran.feedback.progress.retain(|progress| improve(&mut self.best, *progress));
                        outcomes[*slot] = Some(ran);
                    }
                }
                Ok(_) => return Err(unexpected()),
                Err(Silence::Fault(error)) => return Err(error),
                Err(Silence::Died(death)) if death.is_our_fault() => {
                    return Err(LangError::Internal(format!("the arena gave up ({:?})", death.exit)));
                }
                Err(Silence::Died(death)) => return Ok(Some(death)),
            }
            answer = self.next_answer();
        }
    }

    fn count(&mut self, breakdown: Breakdown) {
        match breakdown {
            Breakdown::Timeout => self.losses.timeouts += 1,
            Breakdown::Exit(_) => self.losses.exits += 1,
            Breakdown::Crash => self.losses.crashes += 1,
            Breakdown::OutOfMemory => self.losses.out_of_memory += 1,
        }
    }

    /// Sends a request to the VM, which is started if there is none, and waits for the first answer.
    fn ask(&mut self, frame: &[u8]) -> Result<Answer, Silence> {
        let mut vm = if let Some(vm) = self.vm.take() {
            vm
        } else {
            self.losses.restarts += 1;
            self.start().map_err(Silence::Fault)?
        };
        // A VM that is gone says so where its answer is read.
        let _ = vm.stdin.write_all(frame).and_then(|()| vm.stdin.flush());
        self.vm = Some(vm);
        self.next_answer()
    }

    fn next_answer(&mut self) -> Result<Answer, Silence> {
        let hang = self.config.limit * HANG_FACTOR + HANG_GRACE;
        let Some(vm) = self.vm.as_mut() else {
            return Err(Silence::Died(Death { marker: None, exit: None }));
        };
        let frame = vm.receive(hang);
        let answer = match frame {
            Ok(Some(frame)) => decode::answer(&frame, &mut vm.names).ok(),
            Ok(None) => None,
            Err(error) => {
                self.vm = None;
                return Err(Silence::Fault(error));
            }
        };
        match answer {
            Some(Answer::Problem(text)) => Err(Silence::Fault(LangError::Internal(text))),
            Some(answer) => Ok(answer),
            // What is no message is a subject that wrote where messages go.
            None => {
                let death = self.vm.take().map(Vm::end);
                Err(Silence::Died(death.unwrap_or(Death { marker: None, exit: None })))
            }
        }
    }

    fn start(&mut self) -> Result<Vm, LangError> {
        let marker = self.scratch.join("marker");
        fs_err::write(&marker, [0; decode::MARKER_BYTES])?;
        let mut running = self.job().spawn(&self.launcher).map_err(crate::proc_fault)?;
        let (Some(stdin), Some(stdout)) = (running.take_stdin(), running.take_stdout()) else {
            return Err(LangError::Internal("the arena has no pipes".to_owned()));
        };
        let mut vm = Vm { running, stdin, frames: read_frames(stdout), marker, names: Vec::new() };
        match vm.start_answer()? {
            Answer::Hello(PROTOCOL) => {}
            Answer::Hello(other) => {
                return Err(LangError::Internal(format!(
                    "the arena speaks protocol {other}, not {PROTOCOL}"
                )));
            }
            _ => return Err(unexpected()),
        }
        let frame = if self.is_listed {
            encode::reopen(&self.subject, &vm.marker, &self.catalog)
        } else {
            encode::open(&self.subject, &vm.marker)
        };
        vm.stdin.write_all(&frame).and_then(|()| vm.stdin.flush())?;
        match vm.start_answer()? {
            Answer::Opened { catalog, problems } => {
                self.catalog = *catalog;
                self.is_listed = true;
                self.problems = problems;
                Ok(vm)
            }
            Answer::Done(_) => Ok(vm),
            Answer::Problem(text) => Err(LangError::Internal(format!("the arena cannot be opened: {text}"))),
            _ => Err(unexpected()),
        }
    }

    fn job(&self) -> Job {
        let mut sandbox = SandboxSpec::scratch(&self.scratch).read(&self.jdk.home);
        let subject = self.subject.versions.iter().flatten().chain(&self.subject.libraries);
        for path in subject.chain(&self.runtime).filter(|path| path.exists()) {
            sandbox = sandbox.read(path);
        }
        let classpath = self.runtime.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":");
        let heap = u64::from(self.config.heap_mib);
        let memory = Some((heap + BESIDE_HEAP_MIB) << 20);
        Job::new(self.jdk.java().as_str())
            .args(["-Xshare:auto", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-ea", "-Djava.awt.headless=true"])
            .args([format!("-Xmx{heap}m"), "-XX:MaxMetaspaceSize=256m".to_owned()])
            .args(vm_options(self.jdk.version))
            .args(["-cp", &classpath, "bonafix.runtime.arena.Arena"])
            .cwd(&self.scratch)
            .frozen_env(&self.scratch)
            .stdin(Stdin::Piped)
            .stdout(Sink::Piped)
            .stderr(Sink::Null)
            .limits(Limits { wall: None, cpu: None, memory, ..Limits::default() })
            .confinement(Confinement::Sandboxed(sandbox))
    }
}

/// What makes two runs of the same code give the same exceptions, and lets the VM stop in any loop.
fn vm_options(version: u32) -> Vec<&'static str> {
    let mut options = vec!["-XX:-OmitStackTraceInFastThrow", "-XX:+UseCountedLoopSafepoints"];
    if version >= 10 {
        options.push("-XX:LoopStripMiningIter=1000");
    }
    if version >= 14 {
        options.push("-XX:-ShowCodeDetailsInExceptionMessages");
    }
    options
}

/// Notes how near a goal was come to; whether that is nearer than before.
fn improve(best: &mut [f64], progress: Progress) -> bool {
    match best.get_mut(progress.goal as usize) {
        Some(known) if progress.distance < *known => {
            *known = progress.distance;
            true
        }
        _ => false,
    }
}

fn unexpected() -> LangError {
    LangError::Internal("the arena sent an answer that was not asked for".to_owned())
}

/// Frames of a pipe, read by a thread of its own so that waiting for one can be interrupted.
fn read_frames(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = FrameBuffer::default();
        let mut bytes = vec![0; 256 << 10];
        while let Ok(count @ 1..) = pipe.read(&mut bytes) {
            buffer.push(&bytes[..count]);
            loop {
                let Ok(frame) = buffer.next_frame() else { return };
                let Some(frame) = frame else { break };
                if sender.send(frame).is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

impl Vm {
    /// The next frame; none when the VM is gone or hangs as a whole.
    fn receive(&mut self, hang: Duration) -> Result<Option<Vec<u8>>, LangError> {
        let mut runs = None;
        let mut since = Instant::now();
        loop {
            match self.frames.recv_timeout(POLL) {
                Ok(frame) => return Ok(Some(frame)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if bonafix_proc::interrupt::is_set() => {
                    self.running.kill();
                    return Err(LangError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let now = Marker::read(&self.marker).map(|marker| marker.runs);
                    if now != runs {
                        runs = now;
                        since = Instant::now();
                    } else if since.elapsed() > hang {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// An answer while it starts, when nothing of the subject has run yet.
    fn start_answer(&mut self) -> Result<Answer, LangError> {
        let frame = self
            .receive(START_LIMIT)?
            .ok_or_else(|| LangError::Internal("the arena does not start: it ended or hangs".to_owned()))?;
        decode::answer(&frame, &mut self.names).map_err(|error| LangError::Internal(error.to_string()))
    }

    /// Waits for a VM that closed its pipe, or ends one that hangs.
    fn end(mut self) -> Death {
        // The pipe closes a moment before the process is gone.
        let ended = self.running.wait_timeout(Duration::from_secs(1)).ok().flatten();
        let finished = ended.or_else(|| {
            self.running.kill();
            self.running.wait_timeout(Duration::from_secs(10)).ok().flatten()
        });
        Death { marker: Marker::read(&self.marker), exit: finished.map(|finished| finished.exit) }
    }
}

fn is_late(scope: &RunScope) -> bool {
    scope.until.is_some_and(|until| Instant::now() >= until)
}
