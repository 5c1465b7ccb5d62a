//! A copy of a built version in which inputs are run, one after the other: gives the input, takes back what a run wrote.

mod folder;

use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::LangError;
use bonafix_model::{Execution, ProgramEnd, ProgramInput};
use bonafix_proc::{Confinement, Exit, Job, Launcher, Sink, Stdin};
use camino::{Utf8Path, Utf8PathBuf};

use self::folder::Folder;
pub(crate) use self::folder::Written;
use crate::filter::Filter;
use crate::home::Home;
use crate::proc_fault;
use crate::seen::{KEPT, Raw};
use crate::testing::{is_by_path, with_path};
use crate::variant::Variant;

pub(crate) const MIB: u64 = 1024 * 1024;
/// By the clock a run may take so many times what it may have of the processor, which others want as well. One that only
/// sleeps does not come to that.
pub(crate) const PATIENCE: u32 = 10;

/// See the module.
pub(crate) struct Ground {
    pub(crate) launcher: Arc<Launcher>,
    pub(crate) home: Home,
    /// The program in its folder, without arguments and streams.
    pub(crate) job: Job,
    /// What one run may have of the processor, and how long it may sleep.
    pub(crate) limit: Duration,
    folder: Folder,
    /// Where the runs' own files lie that the program does not look for, in memory.
    place: tempfile::TempDir,
    /// Where the program runs.
    run_folder: Utf8PathBuf,
    /// Arguments of inputs that have none of their own.
    arguments: Vec<String>,
    /// Name of the input among the arguments; it lies where the program runs.
    input_name: String,
    filter: Option<Filter>,
}

/// What a ground is made of.
pub(crate) struct Plot<'a> {
    pub(crate) launcher: &'a Arc<Launcher>,
    /// A copy of the built version.
    pub(crate) home: Home,
    /// The entry of the cache that it is a copy of.
    pub(crate) entry: &'a Utf8Path,
    /// The program in its folder, without arguments and streams.
    pub(crate) job: Job,
    pub(crate) arguments: &'a [String],
    /// Files with inputs, such as `tests/*.gif`.
    pub(crate) pattern: Option<&'a str>,
    /// Command that takes out of output what differs from run to run.
    pub(crate) filter: Option<&'a str>,
    /// What one run may have of the processor, and how long it may sleep.
    pub(crate) limit: Duration,
}

/// How an input is given.
pub(crate) struct Given {
    /// Where its bytes lie.
    pub(crate) file: Utf8PathBuf,
    /// The arguments name that file; it is standard input otherwise.
    pub(crate) by_path: bool,
    pub(crate) arguments: Vec<String>,
}

impl Ground {
    pub(crate) fn new(mut plot: Plot<'_>) -> Result<Self, LangError> {
        let place = bonafix_store::memory_folder()?;
        if let Confinement::Sandboxed(spec) = &mut plot.job.confinement {
            spec.write.extend(Utf8Path::from_path(place.path()).map(Utf8Path::to_owned));
        }
        plot.job.limits.cpu = Some(plot.limit);
        plot.job.limits.asleep = Some(plot.limit);
        plot.job.limits.wall = Some(plot.limit * PATIENCE);
        let run_folder = plot.job.cwd.clone().unwrap_or_else(|| plot.home.tree());
        Ok(Self {
            filter: plot.filter.map(|command| Filter::new(command, &plot.job, plot.launcher)),
            launcher: Arc::clone(plot.launcher),
            folder: Folder::new(plot.home.clone(), plot.entry, &run_folder),
            home: plot.home,
            job: plot.job,
            limit: plot.limit,
            place,
            run_folder,
            arguments: plot.arguments.to_vec(),
            input_name: input_name(plot.pattern),
        })
    }

    /// Where the runs' own files lie that the program does not look for.
    pub(crate) fn place(&self) -> &Utf8Path {
        // A temporary folder that is not UTF-8 is refused when a project is opened.
        Utf8Path::from_path(self.place.path()).unwrap_or(Utf8Path::new("/nonexistent"))
    }

    /// What one run may take by the clock.
    pub(crate) fn patience(&self) -> Duration {
        self.limit * PATIENCE
    }

    /// Says how an input is given.
    pub(crate) fn give(&self, input: &ProgramInput) -> Given {
        let arguments = input.arguments.as_ref().unwrap_or(&self.arguments);
        let by_path = is_by_path(arguments);
        let file = if by_path { self.run_folder.join(&self.input_name) } else { self.place().join("input") };
        Given { file, by_path, arguments: with_path(arguments, &self.input_name) }
    }

    /// Reads what was written since the last call, and takes it back.
    pub(crate) fn collect(&mut self, given: &Given, input: &ProgramInput) -> Result<Written, LangError> {
        self.folder.collect(&given.file, &input.bytes)
    }

    /// Takes back what was written since the last call.
    pub(crate) fn restore(&mut self) -> Result<(), LangError> {
        self.folder.collect(Utf8Path::new(""), &[]).map(drop)
    }

    /// Runs a job that lacks arguments and streams, for this input alone.
    pub(crate) fn run(&mut self, job: Job, given: &Given, input: &ProgramInput) -> Result<Raw, LangError> {
        let stdin = if given.by_path {
            overwrite(&given.file, &input.bytes)?;
            Stdin::Null
        } else {
            Stdin::Bytes(input.bytes.clone())
        };
        let job = job.args(&given.arguments).stdin(stdin);
        let job = job.stdout(Sink::Capture { cap: KEPT }).stderr(Sink::Capture { cap: KEPT });
        let (most, largest) = (job.limits.cpu, job.limits.file_size);
        let finished = job.run(&self.launcher).map_err(proc_fault)?;
        let written = self.collect(given, input)?;
        // One that ended between two looks of the watchdog is judged by what it used, too.
        let is_over = finished.cpu.zip(most).is_some_and(|(used, most)| used >= most);
        // A write beyond fails in the program, which need not mind.
        let is_full = largest.is_some_and(|largest| written.largest >= largest);
        let end = match finished.exit {
            _ if is_over => ProgramEnd::TimedOut,
            Exit::Code(_) | Exit::Signal(_) if is_full => ProgramEnd::OverLimit("disk".to_owned()),
            exit => ended_from_outside(exit),
        };
        Ok(Raw {
            end,
            cut: finished.stdout.truncated || finished.stderr.truncated || written.cut,
            stdout: finished.stdout.bytes,
            stderr: finished.stderr.bytes,
            files: written.files,
        })
    }

    /// What is told of a run.
    pub(crate) fn execution(&self, raw: Raw, given: &Given) -> Result<Execution, LangError> {
        // The path is ours and not the program's.
        let execution = raw.execution(&self.home, if given.by_path { &self.input_name } else { "" });
        match &self.filter {
            Some(filter) => filter.apply(execution),
            None => Ok(execution),
        }
    }
}

impl Ground {
    /// Asks the command by which tests compare whether it takes one output for the other.
    pub(crate) fn takes_for_same(
        &self,
        command: &str,
        expected: &[u8],
        actual: &[u8],
    ) -> Result<bool, LangError> {
        let files = ["expected", "actual"].map(|name| self.place().join(name));
        for (file, bytes) in files.iter().zip([expected, actual]) {
            fs_err::write(file, bytes)?;
        }
        let program = self.job.program.clone();
        let job = Job { program: "sh".into(), arg0: None, ..self.job.clone() }.args(["-c", command]);
        let job = job.env("EXPECTED", &files[0]).env("ACTUAL", &files[1]).env("PROGRAM", program);
        Ok(job.run(&self.launcher).map_err(proc_fault)?.exit.success())
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        self.home.clone().remove();
    }
}

/// Writes a file anew without emptying it first: ext4 takes a file that was emptied and written again to the disk at
/// once, and the next run would wait for that.
fn overwrite(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let file = fs_err::OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    file.file().write_all_at(bytes, 0)?;
    file.set_len(bytes.len() as u64)
}

/// What an end of a whole job means for the program.
pub(crate) fn ended_from_outside(exit: Exit) -> ProgramEnd {
    let over = |what: &str| ProgramEnd::OverLimit(what.to_owned());
    match exit {
        Exit::Code(code) => ProgramEnd::Exited(code),
        Exit::Signal(signal) => ProgramEnd::Signalled(signal),
        Exit::TimedOut | Exit::OverCpu => ProgramEnd::TimedOut,
        Exit::OverMemory => over("memory"),
        Exit::OverProcesses => over("processes"),
        Exit::OverDisk => over("disk"),
        Exit::Killed => ProgramEnd::Signalled(libc::SIGKILL),
    }
}

/// What sanitizers are told, if the variant has them. In a loop they say what was wrong, and not where: that takes the time
/// of many runs.
///
/// A program that catches signals must not hide a fault. A thread that watches memory would be lost in a copy of the process,
/// so that is left to the sandbox; and so are leaks to valgrind, because the sandbox lets nobody look into a process.
pub(crate) fn with_sanitizers(job: Job, variant: Variant, in_detail: bool) -> Job {
    if !variant.has_runtime() {
        return job;
    }
    let memory = job.limits.memory.unwrap_or(2048 * MIB);
    let signals = "handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2";
    let common = "abort_on_error=1:allocator_may_return_null=1:detect_leaks=0";
    let detail = if in_detail {
        "symbolize=1:print_stacktrace=1:handle_abort=2"
    } else {
        "symbolize=0:malloc_context_size=0:print_legend=0"
    };
    let mut job = job
        .env("ASAN_OPTIONS", format!("{common}:{signals}:{detail}:max_allocation_size_mb={}", memory / MIB))
        .env("UBSAN_OPTIONS", format!("{common}:{detail}"));
    // Red zones, shadow and memory that is kept from being used again come on top.
    job.limits.memory = Some(memory * 3);
    job
}

/// What a file with an input is called, where tests have theirs by this pattern: some programs look at endings.
pub(crate) fn input_name(pattern: Option<&str>) -> String {
    format!("bonafix-input{}", ending_of(pattern))
}

/// The ending of files that a pattern such as `tests/*.gif` matches, with its dot.
fn ending_of(pattern: Option<&str>) -> &str {
    let name = pattern.and_then(|pattern| pattern.rsplit('*').next()).unwrap_or_default();
    if name.starts_with('.') && !name.contains('/') { name } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_input_leaves_nothing_of_the_longer_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = Utf8Path::from_path(folder.path()).unwrap().join("input");
        for bytes in [&b"the longer one"[..], b"short", b"", b"again"] {
            overwrite(&file, bytes).unwrap();
            assert_eq!(fs_err::read(&file).unwrap(), bytes);
        }
    }

    #[test]
    fn inputs_are_called_as_those_of_tests() {
        assert_eq!(ending_of(Some("tests/*.gif")), ".gif");
        assert_eq!(ending_of(Some("tests/*/input.gif")), "");
        assert_eq!(ending_of(Some("tests/in-*")), "");
        assert_eq!(ending_of(None), "");
    }
}
