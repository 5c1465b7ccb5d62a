//! Folders for what lives as long as a process, and folders that go before.

use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

/// When the scratch folder of a process that is gone may be swept away.
const LEFTOVER_AGE: Duration = Duration::from_hours(1);

/// A folder that goes with its owner.
#[derive(Debug)]
pub struct PassingFolder(Utf8PathBuf);

impl PassingFolder {
    /// Takes over a folder that is there.
    pub fn new(path: Utf8PathBuf) -> Self {
        Self(path)
    }
}

impl std::ops::Deref for PassingFolder {
    type Target = Utf8Path;

    fn deref(&self) -> &Utf8Path {
        &self.0
    }
}

impl Drop for PassingFolder {
    fn drop(&mut self) {
        // What cannot be removed goes with the folder around it.
        let _ = fs_err::remove_dir_all(&self.0);
    }
}

/// A temporary folder that says whose it is, so that what a killed process left can be swept away.
pub fn scratch_folder() -> io::Result<tempfile::TempDir> {
    sweep_leftovers(&std::env::temp_dir());
    tempfile::Builder::new().prefix(&format!("bonafix-{}-", std::process::id())).tempdir()
}

/// As [`scratch_folder`], in memory where the system has a place for that: for small files that are written thousands of
/// times a second.
pub fn memory_folder() -> io::Result<tempfile::TempDir> {
    let memory = std::path::Path::new("/dev/shm");
    if memory.is_dir() {
        sweep_leftovers(memory);
        let folder =
            tempfile::Builder::new().prefix(&format!("bonafix-{}-", std::process::id())).tempdir_in(memory);
        if folder.is_ok() {
            return folder;
        }
    }
    scratch_folder()
}

/// Removes scratch folders of processes that are gone. Only old ones: a process of another container that shares the
/// folder has a number that means nothing here.
fn sweep_leftovers(folder: &std::path::Path) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix("bonafix-")?.split('-').next()?.parse::<u32>().ok());
        let gone = owner.is_some_and(|owner| !std::path::Path::new(&format!("/proc/{owner}")).exists());
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LEFTOVER_AGE));
        if gone && old {
            // What cannot be removed is somebody else's.
            let _ = fs_err::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_folders_of_processes_that_are_gone_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - 2 * LEFTOVER_AGE;
        let make = |name: &str, time: Option<std::time::SystemTime>| {
            let path = folder.path().join(name);
            fs_err::create_dir(&path).unwrap();
            if let Some(time) = time {
                std::fs::File::open(&path).unwrap().set_modified(time).unwrap();
            }
            path
        };
        let gone = make("bonafix-4194305-x", Some(old));
        let fresh = make("bonafix-4194306-x", None);
        let ours = make(&format!("bonafix-{}-x", std::process::id()), Some(old));
        let other = make("bonafix-notes", Some(old));
        sweep_leftovers(folder.path());
        assert!(!gone.exists());
        assert!(fresh.exists() && ours.exists() && other.exists());
    }
}
