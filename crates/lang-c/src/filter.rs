//! The user's command that takes out of output what differs from run to run (`c.run.filter`).

use std::sync::Arc;

use bonafix_lang::LangError;
use bonafix_model::Execution;
use bonafix_proc::{Exit, Job, Launcher, Sink, Stdin};

use crate::seen::KEPT;
use crate::{configuration, proc_fault};

/// Codes by which a shell says that there is no such command, or that it cannot be run.
const NO_COMMAND: [i32; 2] = [126, 127];

/// The command, ready to run.
pub(crate) struct Filter {
    launcher: Arc<Launcher>,
    job: Job,
    command: String,
}

impl Filter {
    /// Runs where `program` runs, and may do no more.
    pub(crate) fn new(command: &str, program: &Job, launcher: &Arc<Launcher>) -> Self {
        let mut job = Job { program: "sh".into(), arg0: None, args: Vec::new(), ..program.clone() };
        job = job.args(["-c", command]);
        Self { launcher: Arc::clone(launcher), job, command: command.to_owned() }
    }

    /// An execution with all that it wrote filtered.
    pub(crate) fn apply(&self, execution: Execution) -> Result<Execution, LangError> {
        let files = execution.files.into_iter().map(|(name, bytes)| Ok((name, self.filtered(bytes)?)));
        Ok(Execution {
            files: files.collect::<Result<_, LangError>>()?,
            stdout: self.filtered(execution.stdout)?,
            stderr: self.filtered(execution.stderr)?,
            ..execution
        })
    }

    fn filtered(&self, bytes: Vec<u8>) -> Result<Vec<u8>, LangError> {
        if bytes.is_empty() {
            return Ok(bytes);
        }
        let job = self.job.clone().stdin(Stdin::Bytes(bytes));
        let job = job.stdout(Sink::Capture { cap: KEPT }).stderr(Sink::Capture { cap: KEPT });
        let finished = job.run(&self.launcher).map_err(proc_fault)?;
        match finished.exit {
            // `grep -v` ends with 1 if nothing is left.
            Exit::Code(code) if !NO_COMMAND.contains(&code) => Ok(finished.stdout.bytes),
            _ => {
                let said = String::from_utf8_lossy(&finished.stderr.bytes);
                let said = said.lines().next().unwrap_or("it did not come to an end");
                Err(configuration(format!("c.run.filter, `{}`, cannot be run: {said}", self.command)))
            }
        }
    }
}
