//! The fork server as a job: started in the sandbox, asked, ended.

use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use bonafix_lang::LangError;
use bonafix_model::ProgramEnd;
use bonafix_proc::{Job, Launcher, Running};

use super::wire::{Hello, Reply, Request};
use crate::ground::ended_from_outside;
use crate::proc_fault;

/// How long a server lives at most. A run that manages to stop its server is noticed when the job's own time is over.
pub(super) const LIFE: Duration = Duration::from_secs(30);

/// A server that waits for requests.
pub(super) struct Server {
    running: Running,
    requests: ChildStdin,
    replies: ChildStdout,
    started: Instant,
    pub(super) hello: Hello,
}

/// What came of an attempt to start one.
pub(super) enum Started {
    Ready(Server),
    /// The program came to its end, or wrote something else, before it could be asked anything.
    Unfit,
}

/// What came of a request.
pub(super) enum Answer {
    Reply(Reply),
    /// The server itself ended: a limit of the whole sandbox, or the run has killed it.
    Gone(ProgramEnd),
}

impl Server {
    /// The job must have pipes for its standard input and output.
    pub(super) fn start(job: &Job, launcher: &Launcher) -> Result<Started, LangError> {
        let started = Instant::now();
        let mut running = job.clone().spawn(launcher).map_err(proc_fault)?;
        let (Some(requests), Some(mut replies)) = (running.take_stdin(), running.take_stdout()) else {
            return Err(LangError::Internal("a fork server without pipes".to_owned()));
        };
        let Ok(hello) = Hello::read(&mut replies) else {
            running.kill();
            // An interruption is none of the program's doing.
            running.wait().map_err(proc_fault)?;
            return Ok(Started::Unfit);
        };
        if hello.has_threads {
            return Ok(Started::Unfit);
        }
        Ok(Started::Ready(Self { running, requests, replies, started, hello }))
    }

    /// Should another one take over? Where the next run starts a process anyway, that is nothing that a run could notice, so
    /// that is the time for it.
    pub(super) fn is_old(&self, is_between: bool) -> bool {
        self.started.elapsed() > if is_between { LIFE / 2 } else { LIFE }
    }

    /// Runs a batch. Without a reply the server is gone.
    pub(super) fn ask(mut self, request: &Request) -> Result<(Answer, Option<Self>), LangError> {
        let reply = request.write(&mut self.requests).and_then(|()| Reply::read(&mut self.replies));
        match reply {
            Ok(reply) => Ok((Answer::Reply(reply), Some(self))),
            Err(_) => Ok((Answer::Gone(self.end()?), None)),
        }
    }

    fn end(self) -> Result<ProgramEnd, LangError> {
        drop((self.requests, self.replies));
        let finished = self.running.wait().map_err(proc_fault)?;
        Ok(ended_from_outside(finished.exit))
    }
}
