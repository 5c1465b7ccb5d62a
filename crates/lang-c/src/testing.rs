//! Runs tests, each in the sandbox: a crash, a hang, a flood of output or of processes is the outcome of one test.

mod compare;
mod ending;

use std::time::{Duration, Instant};

use bonafix_lang::{LangError, OnTest, TestPlan};
use bonafix_model::{CRunConfig, TestId, TestOutcome, TestResult, TestRun, TestsConfig};
use bonafix_proc::{Finished, Job, Launcher, Limits, SandboxSpec, Sink, Stdin};
use camino::{Utf8Path, Utf8PathBuf};

use self::ending::Ending;
use crate::home::Home;
use crate::suite::{Kind, Suite};
use crate::{configuration, proc_fault};

/// Output beyond this is not kept; no test of a person expects more.
const OUTPUT_CAP: usize = 16 * 1024 * 1024;
/// What a test may write beside what is there.
const ROOM: u64 = 1024 * 1024 * 1024;
const MIB: u64 = 1024 * 1024;
/// Processes of one test. A fork bomb should end soon.
const PROCESSES: u32 = 256;
/// How much of a test's output is kept for people.
const SHOWN: usize = 2000;
/// What stands for the path of the input.
const INPUT: &str = "@@";

/// A tree in which tests run, with all that they need.
pub(crate) struct Stand<'a> {
    pub(crate) home: &'a Home,
    pub(crate) suite: &'a Suite,
    pub(crate) run: &'a CRunConfig,
    pub(crate) tests: &'a TestsConfig,
    /// Relative to the tree; none if no test needs it.
    pub(crate) program: Option<&'a Utf8Path>,
    /// The original test files, which nothing here can write to.
    pub(crate) originals: &'a Utf8Path,
    pub(crate) launcher: &'a Launcher,
    /// Variables for all that it starts.
    pub(crate) env: &'a [(String, String)],
    /// Bytes in the home before the first test.
    pub(crate) size: u64,
}

impl Stand<'_> {
    /// Runs the wanted ones of these tests.
    pub(crate) fn run(
        &self,
        tests: &[(TestId, Kind)],
        plan: &TestPlan,
        on_test: OnTest<'_>,
    ) -> Result<TestRun, LangError> {
        let wanted: Vec<&(TestId, Kind)> = tests.iter().filter(|(id, _)| plan.selection.wants(id)).collect();
        let total = wanted.len() as u64;
        let mut run = TestRun::default();
        for (id, kind) in wanted {
            let limit = plan.limits.get(id).copied().unwrap_or(plan.default_limit);
            let started = Instant::now();
            let (ending, output) = match kind {
                Kind::Files => self.by_files(&id.0, limit)?,
                Kind::Script => self.by_script(&id.0, limit)?,
            };
            let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            let result = TestResult {
                id: id.clone(),
                outcome: ending.outcome,
                millis,
                failure: ending.failure,
                output,
            };
            on_test(&result, Some(total));
            let stop = result.outcome == TestOutcome::TimedOut && plan.stop_at_hang_of.contains(id);
            run.results.push(result);
            if stop {
                break;
            }
        }
        Ok(run)
    }

    /// What a command prints, line by line: the names of a script's tests.
    pub(crate) fn names(&self, command: &str, limit: Duration) -> Result<Vec<String>, LangError> {
        let finished = self.shell(command, limit)?.run(self.launcher).map_err(proc_fault)?;
        if !finished.exit.success() {
            return Err(configuration(format!(
                "the command of `c.tests.list` failed ({:?}): {}",
                finished.exit,
                shown(&finished)
            )));
        }
        let text = finished.stdout.text();
        Ok(text.lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    fn by_script(&self, name: &str, limit: Duration) -> Result<(Ending, String), LangError> {
        let script = self.suite.config.script.as_deref().unwrap_or_default();
        let job = self.shell(script, limit)?.env("TEST", name);
        let finished = job.run(self.launcher).map_err(proc_fault)?;
        let ending = Ending::of(&finished, limit).unwrap_or_else(|code| match code {
            0 => Ending::passed(),
            code => Ending::failed(format!("the script ended with {code}")),
        });
        Ok((ending, shown(&finished)))
    }

    fn by_files(&self, name: &str, limit: Duration) -> Result<(Ending, String), LangError> {
        let expected = self.original(self.suite.output.as_ref().map(|pattern| pattern.path(name)))?;
        let cap = OUTPUT_CAP.max(expected.as_ref().map_or(0, |(_, bytes)| bytes.len() + 1));
        let finished = self
            .program_job(name, limit)?
            .stdout(Sink::Capture { cap })
            .run(self.launcher)
            .map_err(proc_fault)?;
        let output = shown(&finished);
        let code = match Ending::of(&finished, limit) {
            Ok(ending) => return Ok((ending, output)),
            Err(code) => code,
        };
        if finished.stdout.truncated {
            let text = format!("wrote {} MiB to standard output", finished.stdout.total / MIB);
            return Ok((Ending::failed(text), output));
        }
        let wanted = self.wanted_status(name)?;
        if code != wanted {
            return Ok((Ending::failed(format!("ended with {code} instead of {wanted}")), output));
        }
        let errors = self.original(self.suite.errors.as_ref().map(|pattern| pattern.path(name)))?;
        let ending = if let Some((path, bytes)) = &expected {
            self.compare_output(name, path, bytes, &finished.stdout.bytes, limit)?
        } else {
            Ending::passed()
        };
        let ending = match (&errors, ending.outcome) {
            (Some((_, bytes)), TestOutcome::Passed) => {
                Ending::by_difference("standard error", bytes, &finished.stderr.bytes)
            }
            _ => ending,
        };
        Ok((ending, output))
    }

    /// A file of the original tests, with its contents; none if the test lacks it.
    fn original(&self, path: Option<Utf8PathBuf>) -> Result<Option<(Utf8PathBuf, Vec<u8>)>, LangError> {
        let Some(path) = path.map(|path| self.originals.join(path)).filter(|path| path.is_file()) else {
            return Ok(None);
        };
        let bytes = fs_err::read(&path)?;
        Ok(Some((path, bytes)))
    }

    fn wanted_status(&self, name: &str) -> Result<i32, LangError> {
        let Some((path, bytes)) =
            self.original(self.suite.status.as_ref().map(|pattern| pattern.path(name)))?
        else {
            return Ok(0);
        };
        let text = String::from_utf8_lossy(&bytes);
        text.trim().parse().map_err(|_| {
            let file = path.strip_prefix(self.originals).unwrap_or(&path);
            configuration(format!(
                "{file} must hold an exit code, as `c.tests.status` says, and holds `{}`",
                text.trim()
            ))
        })
    }

    fn compare_output(
        &self,
        name: &str,
        path: &Utf8Path,
        expected: &[u8],
        actual: &[u8],
        limit: Duration,
    ) -> Result<Ending, LangError> {
        let Some(command) = &self.suite.config.compare else {
            return Ok(Ending::by_difference("standard output", expected, actual));
        };
        let file = self.home.temporary().join("actual");
        fs_err::write(&file, actual)?;
        let job = self.shell(command, limit)?.env("TEST", name).env("EXPECTED", path).env("ACTUAL", &file);
        let finished = job.run(self.launcher).map_err(proc_fault)?;
        Ok(match Ending::of(&finished, limit) {
            Err(0) => Ending::passed(),
            Err(code) => Ending::failed(format!("the comparison ended with {code}: {}", shown(&finished))),
            Ok(ending) => Ending { failure: ending.failure, outcome: TestOutcome::Failed },
        })
    }

    /// The program with the input of a test.
    fn program_job(&self, name: &str, limit: Duration) -> Result<Job, LangError> {
        let input = self.suite.input.as_ref().map(|pattern| pattern.path(name));
        let own = self.original(self.suite.arguments.as_ref().map(|pattern| pattern.path(name)))?;
        let arguments = match own {
            Some((_, bytes)) => String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect(),
            None => self.run.arguments.clone(),
        };
        let by_path = is_by_path(&arguments);
        let place = input.as_ref().map_or_else(String::new, |input| self.up().join(input).to_string());
        let mut job = self.program(limit)?.args(with_path(&arguments, &place));
        if let (false, Some(input)) = (by_path, input) {
            let file = self.originals.join(&input);
            let bytes = if file.is_file() { fs_err::read(&file)? } else { Vec::new() };
            job = job.stdin(Stdin::Bytes(bytes));
        }
        Ok(job)
    }

    /// The program without arguments and input.
    pub(crate) fn program(&self, limit: Duration) -> Result<Job, LangError> {
        let program = self.program.ok_or_else(|| LangError::Internal("no program is known".to_owned()))?;
        let up = self.up();
        let called =
            if up.as_str().is_empty() { format!("./{program}") } else { up.join(program).to_string() };
        Ok(self.job(Job::new(self.home.tree().join(program)), &self.folder()?, limit).arg0(called))
    }

    fn shell(&self, command: &str, limit: Duration) -> Result<Job, LangError> {
        let mut job = self.job(Job::new("sh").args(["-c", command]), &self.folder()?, limit);
        if let Some(program) = self.program {
            job = job.env("PROGRAM", self.home.tree().join(program));
        }
        Ok(job)
    }

    fn job(&self, job: Job, folder: &Utf8Path, limit: Duration) -> Job {
        let limits = Limits {
            wall: Some(limit),
            cpu: Some(limit * 4),
            memory: Some(self.run.memory_mib.map_or(2048 * MIB, |mib| mib * MIB)),
            processes: Some(PROCESSES),
            scratch_total: Some(self.size + ROOM),
            ..Limits::default()
        };
        let mut job = job.cwd(folder).frozen_env(&self.home.temporary()).limits(limits);
        for (name, value) in self.run.env.iter().chain(&self.tests.env) {
            job = job.env(name, value);
        }
        for (name, value) in self.env {
            job = job.env(name, value);
        }
        let spec = SandboxSpec::scratch(self.home.path()).temporary(self.home.temporary());
        job.sandboxed(spec.read(self.originals))
    }

    /// Where programs and scripts run.
    fn folder(&self) -> Result<Utf8PathBuf, LangError> {
        let folder = self.home.tree().join(self.run.folder.as_deref().unwrap_or(Utf8Path::new("")));
        if folder.is_dir() {
            return Ok(folder);
        }
        let named = self.run.folder.as_deref().unwrap_or(Utf8Path::new(""));
        Err(configuration(format!("`c.run.folder` is {named}, and the built project has no such folder")))
    }

    /// The way from there to the tree.
    fn up(&self) -> Utf8PathBuf {
        let folder = self.run.folder.as_deref().unwrap_or(Utf8Path::new(""));
        let steps = folder.components().filter(|part| matches!(part, camino::Utf8Component::Normal(_)));
        steps.map(|_| "..").collect()
    }
}

/// Is the input a file that the arguments name? It comes on standard input otherwise.
pub(crate) fn is_by_path(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| argument.contains(INPUT))
}

/// Arguments in which the path of the input stands.
pub(crate) fn with_path(arguments: &[String], path: &str) -> Vec<String> {
    arguments.iter().map(|argument| argument.replace(INPUT, path)).collect()
}

/// The end of what a test printed, for people.
fn shown(finished: &Finished) -> String {
    let mut text = finished.stdout.text();
    text.push_str(&finished.stderr.text());
    let from = text.len().saturating_sub(SHOWN);
    let from = (from..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    text[from..].to_owned()
}
