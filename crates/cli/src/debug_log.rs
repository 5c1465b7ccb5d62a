//! The program's own log: `debug.log` in the run directory, from the moment that there is one. `BONAFIX_LOG` says how
//! much, in the form of `tracing` filters (`info`, `bonafix_lang_java=trace`); the default is `debug`.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bonafix_model::Event;
use camino::Utf8Path;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Where the log goes; nowhere before a run directory is known.
#[derive(Clone, Default)]
pub(crate) struct DebugLog(Arc<Mutex<Option<File>>>);

impl DebugLog {
    /// Begins to listen.
    pub(crate) fn install() -> Self {
        let log = Self::default();
        let filter = EnvFilter::try_from_env("BONAFIX_LOG").unwrap_or_else(|_| EnvFilter::new("debug"));
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(false)
            .with_writer(log.clone())
            .finish();
        // Whoever set one before us has a reason; a log of our own is not worth a failure.
        let _ = tracing::subscriber::set_global_default(subscriber);
        log
    }

    /// Opens the file as soon as the run directory is there, and notes every event.
    pub(crate) fn note(&self, event: &Event) {
        if let Event::RunStarted { run } = event {
            let file = Utf8Path::new(run).join("debug.log");
            let opened = fs_err::OpenOptions::new().create(true).append(true).open(file);
            let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *slot = opened.ok().map(fs_err::File::into_file);
        }
        if !matches!(event, Event::TestProgress { .. }) {
            tracing::info!(?event);
        }
    }
}

impl<'a> MakeWriter<'a> for DebugLog {
    type Writer = LogWriter;

    fn make_writer(&'a self) -> LogWriter {
        LogWriter(self.clone())
    }
}

/// Writes to the file, if there is one. A log that cannot be written must not stop a run.
pub(crate) struct LogWriter(DebugLog);

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(file) = self.0.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            let _ = file.write_all(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
