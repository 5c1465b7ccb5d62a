//! Locks between processes: a file that one of them holds, released by the system when its holder dies.

use std::fs::TryLockError;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use fs_err::{File, OpenOptions};

/// Opens a lock file without touching what it holds.
fn open(path: &Utf8Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)
}

/// Takes the lock, or `None` when somebody else has it.
pub(crate) fn try_lock(path: &Utf8Path) -> io::Result<Option<File>> {
    let file = open(path)?;
    match file.file().try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => {
            Err(io::Error::new(error.kind(), format!("cannot lock {path}: {error}")))
        }
    }
}

/// A lock whose file disappears with it.
#[derive(Debug)]
pub(crate) struct PassingLock {
    path: Utf8PathBuf,
    file: File,
}

impl PassingLock {
    /// Takes the lock, or `None` when somebody else has it.
    pub(crate) fn try_take(path: &Utf8Path) -> io::Result<Option<Self>> {
        let Some(file) = try_lock(path)? else { return Ok(None) };
        // The former holder may have removed the file between our opening and our locking of it: then we hold a lock
        // that nobody else will ever see.
        let ours = file.metadata()?.ino();
        let seen = fs_err::metadata(path).map(|metadata| metadata.ino()).ok();
        Ok((seen == Some(ours)).then(|| Self { path: path.to_owned(), file }))
    }

    /// The file that is locked.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Waits for the lock; `None` when `stop` says so.
    pub(crate) fn take(path: &Utf8Path, stop: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(lock) = Self::try_take(path)? {
                return Ok(Some(lock));
            }
            if stop() {
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }
}

impl Drop for PassingLock {
    fn drop(&mut self) {
        // While it is still held, so that nobody else's lock is removed.
        let _ = fs_err::remove_file(&self.path);
    }
}
