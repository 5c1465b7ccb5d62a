//! What can go wrong around a process, as opposed to in it.

use camino::Utf8PathBuf;
use std::io;

/// A job could not be started or watched. How a started job ended is [`crate::Exit`], not an error.
#[derive(Debug, thiserror::Error)]
pub enum ProcError {
    /// The program is in none of the folders of the job's `PATH`.
    #[error("`{program}` was not found in {searched}; install it, or give its full path")]
    NotFound { program: String, searched: String },
    /// The kernel refused a step between fork and exec, or the exec itself.
    #[error("could not start `{program}` ({step}): {source}{}", way_out(step))]
    Spawn { program: String, step: &'static str, source: io::Error },
    /// SIGINT or SIGTERM arrived (see [`crate::interrupt`]); the job and all it started are dead.
    #[error("interrupted")]
    Interrupted,
    /// `--sandbox=required`, and the kernel cannot give all of it.
    #[error(
        "the sandbox was required but is incomplete on this machine:\n  {}\nuse --sandbox=best-effort to run \
         without these protections",
        missing.join("\n  ")
    )]
    Sandbox { missing: Vec<String> },
    /// A folder that the job was to use does not exist or cannot be opened.
    #[error(
        "`{program}` was to use {path}, which cannot be opened: {source}; create it before the job starts"
    )]
    Folder { program: String, path: Utf8PathBuf, source: io::Error },
    /// Anything else the system refused: pipes, threads, files for output.
    #[error("could not {action} for `{program}`: {source}")]
    Io { program: String, action: &'static str, source: io::Error },
}

/// What a person can do about a failed step.
fn way_out(step: &str) -> &'static str {
    match step {
        "exec" => "; check that it is an executable for this machine",
        "fork" | "process limit" => "; the machine is short of processes or memory",
        _ => "; --sandbox=off runs without this step",
    }
}
