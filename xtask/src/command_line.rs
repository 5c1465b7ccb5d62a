//! The one place of this crate that starts a program.

use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

/// A program with its arguments, shown to the user as it will run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    program: String,
    arguments: Vec<String>,
    folder: Option<Utf8PathBuf>,
    environment: Vec<(String, String)>,
}

/// How long to wait before looking at a program again.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a captured program said.
#[derive(Debug)]
pub(crate) struct Captured {
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// Its standard output.
    pub(crate) stdout: String,
    /// Its standard error.
    pub(crate) stderr: String,
}

impl CommandLine {
    /// `program` without arguments.
    pub(crate) fn new(program: impl Into<String>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), folder: None, environment: Vec::new() }
    }

    /// The cargo that started us, so that the pinned toolchain is used throughout.
    pub(crate) fn cargo() -> Self {
        Self::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
    }

    /// Adds arguments.
    pub(crate) fn args<A: Into<String>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets the working directory.
    pub(crate) fn folder(mut self, folder: &Utf8Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Shows the command, runs it on our terminal, and fails if it fails.
    pub(crate) fn run(&self) -> Result<()> {
        eprintln!("$ {self}");
        let status = self.command().status().with_context(|| format!("start `{}`", self.program))?;
        if !status.success() {
            bail!("`{self}` failed: {status}");
        }
        Ok(())
    }

    /// Runs silently and keeps what was said. Fails only if the program cannot be started.
    pub(crate) fn capture(&self) -> Result<Captured> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("start `{}`", self.program))?;
        Ok(Captured {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs silently, writes what is said to two files, and ends the program when `limit` is over, which is an error.
    ///
    /// Files rather than pipes: a grandchild that outlives the program cannot keep us waiting.
    pub(crate) fn capture_to(
        &self,
        stdout: &Utf8Path,
        stderr: &Utf8Path,
        limit: Duration,
    ) -> Result<Captured> {
        let start = Instant::now();
        let (out, err) = (fs_err::File::create(stdout)?, fs_err::File::create(stderr)?);
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(out.into_file()).stderr(err.into_file());
        let mut child = command.spawn().with_context(|| format!("start `{}`", self.program))?;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                bail!("`{self}` was ended after {} s", limit.as_secs());
            }
            std::thread::sleep(PATIENCE);
        };
        let read =
            |file: &Utf8Path| fs_err::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Captured { status, stdout: read(stdout)?, stderr: read(stderr)? })
    }

    /// Does it run and succeed?
    pub(crate) fn succeeds(&self) -> bool {
        self.capture().is_ok_and(|captured| captured.status.success())
    }

    #[expect(clippy::disallowed_methods, reason = "chores run outside of the product and its process crate")]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(self.environment.iter().cloned());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

impl std::fmt::Display for CommandLine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, value) in &self.environment {
            write!(formatter, "{name}={value} ")?;
        }
        formatter.write_str(Utf8Path::new(&self.program).file_name().unwrap_or(&self.program))?;
        for argument in &self.arguments {
            write!(formatter, " {argument}")?;
        }
        Ok(())
    }
}

/// The last lines of a program's words, indented, for an error message; each ends with a line break.
pub(crate) fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let kept = &all[all.len().saturating_sub(lines)..];
    kept.iter().flat_map(|line| ["    ", line, "\n"]).collect()
}

/// The file that would run as `program`, found on `PATH`.
pub(crate) fn on_path(program: &str) -> Option<Utf8PathBuf> {
    let path = std::env::var("PATH").ok()?;
    let folders = path.split(':').filter(|folder| !folder.is_empty());
    folders.map(|folder| Utf8Path::new(folder).join(program)).find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let line = CommandLine::new("/usr/bin/mvn").args(["-q", "test"]).env("LANG", "C");
        assert_eq!(line.to_string(), "LANG=C mvn -q test");
    }

    #[test]
    fn a_failing_program_is_an_error_that_names_it() {
        let error = CommandLine::new("false").run().unwrap_err();
        assert!(error.to_string().starts_with("`false` failed"), "{error}");
    }

    #[test]
    fn a_missing_program_is_an_error_that_names_it() {
        let error = CommandLine::new("no-such-program-here").run().unwrap_err();
        assert_eq!(error.to_string(), "start `no-such-program-here`");
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let (out, err) = (folder.join("out"), folder.join("err"));
        let sleep = CommandLine::new("sleep").args(["600"]);
        let error = sleep.capture_to(&out, &err, Duration::from_millis(1)).unwrap_err();
        assert!(error.to_string().starts_with("`sleep 600` was ended"), "{error}");
        let echo = CommandLine::new("echo").args(["hello"]);
        assert_eq!(echo.capture_to(&out, &err, Duration::from_mins(1)).unwrap().stdout, "hello\n");
    }

    #[test]
    fn the_tail_drops_empty_lines_and_indents() {
        assert_eq!(tail("one\n\ntwo\nthree\n", 2), "    two\n    three\n");
    }
}
