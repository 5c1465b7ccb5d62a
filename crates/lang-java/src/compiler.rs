//! Talks to the warm compiler: one JVM with javac in it, started when first needed, started again when it dies.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bonafix_lang::{Diagnostic, LangError};
use bonafix_proc::{Confinement, Job, Launcher, Limits, Running, SandboxSpec, Sink, Stdin};
use camino::{Utf8Path, Utf8PathBuf};

use crate::toolchain::Jdk;
use crate::wire::{FrameBuffer, FrameReader, FrameWriter};

/// Version of the protocol that this side speaks.
pub(crate) const PROTOCOL: u32 = 1;
const COMPILE: u8 = 1;
const COMPILED: u8 = 2;
const HELLO: u8 = 1;
/// No compilation of a project takes longer; a compiler that does hangs.
const LIMIT: Duration = Duration::from_mins(10);
const POLL: Duration = Duration::from_millis(50);

/// What to compile.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompileTask {
    pub(crate) sources: Vec<Utf8PathBuf>,
    pub(crate) output: Utf8PathBuf,
    pub(crate) classpath: Vec<Utf8PathBuf>,
    pub(crate) options: Vec<String>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) success: bool,
    /// Errors only.
    pub(crate) errors: Vec<Diagnostic>,
    /// Notes, warnings and errors as text, for the log.
    pub(crate) log: Vec<String>,
}

/// A compiler for one project. The process behind it may only read what it was given and write below `scratch`.
pub(crate) struct Compiler {
    jdk: Jdk,
    runtime: Utf8PathBuf,
    scratch: Utf8PathBuf,
    readable: Vec<Utf8PathBuf>,
    launcher: Arc<Launcher>,
    daemon: Mutex<Option<Daemon>>,
}

struct Daemon {
    running: Running,
    stdin: std::process::ChildStdin,
    frames: Receiver<Vec<u8>>,
    next_id: u64,
}

impl Compiler {
    pub(crate) fn new(
        jdk: Jdk,
        runtime: Utf8PathBuf,
        scratch: Utf8PathBuf,
        readable: Vec<Utf8PathBuf>,
        launcher: Arc<Launcher>,
    ) -> Self {
        Self { jdk, runtime, scratch, readable, launcher, daemon: Mutex::new(None) }
    }

    /// Compiles; a compiler that dies is started once more before it is given up.
    pub(crate) fn compile(&self, task: &CompileTask) -> Result<Compiled, LangError> {
        let mut slot = self
            .daemon
            .lock()
            .map_err(|_| LangError::Internal("the compiler's lock is broken".to_owned()))?;
        let mut last = String::new();
        for _ in 0..2 {
            let mut daemon = match slot.take() {
                Some(daemon) => daemon,
                None => self.start()?,
            };
            match daemon.ask(task) {
                Ok(compiled) => {
                    *slot = Some(daemon);
                    return Ok(compiled);
                }
                Err(LangError::Internal(message)) => last = message,
                Err(other) => return Err(other),
            }
        }
        Err(LangError::Internal(last))
    }

    /// A folder that the compiler may write to.
    pub(crate) fn work_folder(&self, number: u64) -> Result<Utf8PathBuf, LangError> {
        let folder = self.scratch.join(format!("work-{number}"));
        fs_err::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn start(&self) -> Result<Daemon, LangError> {
        let mut sandbox = SandboxSpec::scratch(&self.scratch).read(&self.runtime).read(&self.jdk.home);
        for path in self.readable.iter().filter(|path| path.exists()) {
            sandbox = sandbox.read(path);
        }
        let job = Job::new(self.jdk.java().as_str())
            .args(["-Xshare:auto", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx1g", "-Xss4m"])
            .args(["-cp", self.runtime.as_str(), "bonafix.runtime.CompilerDaemon"])
            .cwd(&self.scratch)
            .frozen_env(&self.scratch)
            .stdin(Stdin::Piped)
            .stdout(Sink::Piped)
            .stderr(Sink::Null)
            .limits(Limits { wall: None, cpu: None, ..Limits::default() })
            .confinement(Confinement::Sandboxed(sandbox));
        let mut running = job.spawn(&self.launcher).map_err(crate::proc_fault)?;
        let (Some(stdin), Some(stdout)) = (running.take_stdin(), running.take_stdout()) else {
            return Err(LangError::Internal("the compiler has no pipes".to_owned()));
        };
        let mut daemon = Daemon { running, stdin, frames: read_frames(stdout), next_id: 0 };
        let hello = daemon.receive(Duration::from_mins(1))?;
        check_hello(&hello)?;
        Ok(daemon)
    }
}

fn check_hello(frame: &[u8]) -> Result<(), LangError> {
    let mut fields = FrameReader::new(frame);
    let greeting = fields.u8().and_then(|tag| Ok((tag, fields.u32()?))).map_err(internal)?;
    if greeting == (HELLO, PROTOCOL) {
        return Ok(());
    }
    Err(LangError::Internal(format!("the compiler speaks protocol {}, not {PROTOCOL}", greeting.1)))
}

fn internal(error: impl std::fmt::Display) -> LangError {
    LangError::Internal(error.to_string())
}

/// Frames of a pipe, read by a thread of its own so that waiting for one can be interrupted.
fn read_frames(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = FrameBuffer::default();
        let mut bytes = vec![0; 64 << 10];
        while let Ok(count @ 1..) = pipe.read(&mut bytes) {
            buffer.push(&bytes[..count]);
            while let Ok(Some(frame)) = buffer.next_frame() {
                if sender.send(frame).is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

impl Daemon {
    fn ask(&mut self, task: &CompileTask) -> Result<Compiled, LangError> {
        self.next_id += 1;
        let frame = FrameWriter::default()
            .u8(COMPILE)
            .u64(self.next_id)
            .strings(task.sources.iter().map(|path| path.as_str()))
            .string(task.output.as_str())
            .strings(task.classpath.iter().map(|path| path.as_str()))
            .strings::<[&str; 0]>([])
            .strings(&task.options)
            .finish();
        self.stdin.write_all(&frame).and_then(|()| self.stdin.flush()).map_err(internal)?;
        let answer = self.receive(LIMIT)?;
        let compiled = parse_answer(&answer, self.next_id).map_err(internal)?;
        compiled.ok_or_else(|| LangError::Internal("the compiler ran out of memory or crashed".to_owned()))
    }

    fn receive(&mut self, limit: Duration) -> Result<Vec<u8>, LangError> {
        let deadline = Instant::now() + limit;
        loop {
            match self.frames.recv_timeout(POLL) {
                Ok(frame) => return Ok(frame),
                Err(RecvTimeoutError::Timeout) if bonafix_proc::interrupt::is_set() => {
                    self.running.kill();
                    return Err(LangError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.running.kill();
                    return Err(LangError::Internal(format!(
                        "the compiler did not answer within {} s",
                        limit.as_secs()
                    )));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(LangError::Internal("the compiler ended without an answer".to_owned()));
                }
            }
        }
    }
}

/// Reads an answer; `None` when javac itself crashed.
fn parse_answer(frame: &[u8], id: u64) -> Result<Option<Compiled>, crate::wire::BrokenFrame> {
    let mut fields = FrameReader::new(frame);
    let (tag, answered) = (fields.u8()?, fields.u64()?);
    let success = fields.flag()?;
    let _millis = fields.u64()?;
    let messages = fields.list(read_message)?;
    let crashed =
        tag != COMPILED || answered != id || messages.iter().any(|message| message.severity == "internal");
    let log =
        messages.iter().map(|message| format!("{}: {}", message.severity, message.diagnostic)).collect();
    let errors =
        messages.into_iter().filter(|message| message.severity != "warning" && message.severity != "note");
    let compiled = Compiled { success, errors: errors.map(|message| message.diagnostic).collect(), log };
    Ok((!crashed).then_some(compiled))
}

struct Message {
    severity: String,
    diagnostic: Diagnostic,
}

fn read_message(fields: &mut FrameReader<'_>) -> Result<Message, crate::wire::BrokenFrame> {
    let severity = fields.string()?;
    let file = fields.string()?;
    let line = u64::from(fields.u32()?);
    let _column = fields.u32()?;
    let (_start, _end) = (fields.u64()?, fields.u64()?);
    let _code = fields.string()?;
    let message = fields.string()?;
    Ok(Message { severity, diagnostic: Diagnostic { file, line, message } })
}

/// Makes the files of diagnostics relative to where the user sees them.
pub(crate) fn relative_to(diagnostics: &mut [Diagnostic], roots: &[&Utf8Path]) {
    for diagnostic in diagnostics {
        for root in roots {
            if let Ok(relative) = Utf8Path::new(&diagnostic.file).strip_prefix(root) {
                diagnostic.file = relative.to_string();
                break;
            }
        }
    }
}
