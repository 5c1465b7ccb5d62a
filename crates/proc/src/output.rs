//! Reading what a job writes, up to a cap and on beyond it.
//!
//! A reader that stopped at the cap would block the program on a full pipe, so it goes on and throws away.

use crate::running::Captured;
use fs_err::File;
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{io, thread};

/// Where the pump puts what it reads.
pub(crate) enum Target {
    Memory { cap: usize },
    File { file: File, cap: u64 },
}

/// A thread that empties one pipe.
pub(crate) struct Pump {
    captured: Arc<Mutex<Captured>>,
    done: Receiver<()>,
}

impl Pump {
    /// Starts emptying `source` into `target`.
    pub(crate) fn start(mut source: impl Read + Send + 'static, mut target: Target) -> io::Result<Self> {
        let captured = Arc::new(Mutex::new(Captured::default()));
        let (finished, done) = channel::<()>();
        let shared = Arc::clone(&captured);
        thread::Builder::new().name("proc-output".into()).spawn(move || {
            let _finished = finished;
            let mut buffer = vec![0; 64 * 1024];
            loop {
                match source.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => {
                        let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                        target.take(&buffer[..count], &mut state);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
        })?;
        Ok(Self { captured, done })
    }

    /// What came, once the pipe has closed or `patience` is over. A process that got away with the pipe must not
    /// hold us.
    pub(crate) fn finish(self, patience: Duration) -> Captured {
        let timed_out = self.done.recv_timeout(patience) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        let mut captured = std::mem::take(&mut *self.captured.lock().unwrap_or_else(PoisonError::into_inner));
        captured.truncated |= timed_out;
        captured
    }
}

impl Target {
    fn take(&mut self, chunk: &[u8], state: &mut Captured) {
        let before = state.total;
        state.total += chunk.len() as u64;
        let cap = match self {
            Self::Memory { cap } => *cap as u64,
            Self::File { cap, .. } => *cap,
        };
        let room = usize::try_from(cap.saturating_sub(before)).unwrap_or(usize::MAX);
        let kept = &chunk[..chunk.len().min(room)];
        state.truncated |= kept.len() < chunk.len();
        match self {
            Self::Memory { .. } => state.bytes.extend_from_slice(kept),
            // A full disk must not end the job by a full pipe; the flag says that the log is not whole.
            Self::File { file, .. } => state.truncated |= file.write_all(kept).is_err(),
        }
    }
}
