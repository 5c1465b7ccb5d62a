//! The content cache: folders that are dear to make, by a key of all they depend on.
//!
//! ```text
//! <root>/v1/<kind>/<key>/data/    what was built
//! <root>/v1/<kind>/<key>/size     how many files and bytes that is
//! <root>/v1/<kind>/<key>/used     touched at each use
//! <root>/staging/                 what is being built; swept when a day old
//! <root>/locks/                   one file for each key that is being built
//! <root>/sessions/                one file for each process that uses the cache
//! ```
//!
//! An entry appears by a rename, so it is there whole or not at all. A machine that loses power may still lose
//! contents that it had renamed; an entry from which something is missing is therefore built again.
//!
//! [`Cache::prune`] removes what was not used for longest, but nothing that a living process may hold: each open
//! [`Cache`] keeps a locked file in `sessions/`, and whatever was used since the oldest of them was opened stays.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use fs_err::OpenOptions;
use walkdir::WalkDir;

use crate::error::Place;
use crate::lock::{self, PassingLock};
use crate::{Key, StoreError};

/// How much [`Cache::prune`] leaves unless the user says otherwise: 5 GiB.
pub const DEFAULT_CAP: u64 = 5 << 30;

/// Staging folders of dead processes are swept after this time.
const STAGING_AGE: Duration = Duration::from_hours(24);

/// Numbers the sessions and staging folders of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// An open cache. Can be shared between threads; any number of processes may use the same folder.
pub struct Cache {
    root: Utf8PathBuf,
    session: Session,
    stop: Box<dyn Fn() -> bool + Send + Sync>,
}

/// What [`Cache::insert_with`] found or made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inserted<T> {
    /// The entry. Must not be written to.
    pub path: Utf8PathBuf,
    /// What the builder returned; `None` when the entry was there already.
    pub built: Option<T>,
}

/// Why nothing was inserted.
#[derive(Debug, thiserror::Error)]
pub enum InsertError<E> {
    /// A fault of the cache.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The builder failed; nothing was kept.
    #[error("{0}")]
    Build(E),
}

impl<E> InsertError<E> {
    /// The builder's error, with a fault of the cache turned into one.
    pub fn unify(self, fault: impl FnOnce(StoreError) -> E) -> E {
        match self {
            Self::Store(error) => fault(error),
            Self::Build(error) => error,
        }
    }
}

/// What a clean-up did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many entries were removed.
    pub removed: usize,
    /// How many bytes that was.
    pub freed: u64,
    /// How many bytes are left.
    pub left: u64,
}

impl Cache {
    /// Opens the cache, makes its folders, and sweeps what crashed processes left.
    pub fn open(root: &Utf8Path) -> Result<Self, StoreError> {
        let fault = |error| Place::Cache.fault(root, error);
        for folder in ["v1", "staging", "locks", "sessions"] {
            fs_err::create_dir_all(root.join(folder)).map_err(fault)?;
        }
        // Absolute, so that a later change of the working directory does not move it.
        let root = root.canonicalize_utf8().map_err(fault)?;
        let session = Session::open(&root.join("sessions")).map_err(fault)?;
        let cache = Self { root, session, stop: Box::new(|| false) };
        cache.sweep(STAGING_AGE);
        Ok(cache)
    }

    /// `$BONAFIX_CACHE`, else `$XDG_CACHE_HOME/bonafix`, else `~/.cache/bonafix`.
    pub fn default_root() -> Result<Utf8PathBuf, StoreError> {
        default_root(|name| std::env::var(name).ok())
    }

    /// Stops waiting for another process's build when `stop` says so, such as after Ctrl-C.
    #[must_use]
    pub fn stop_waiting_when(mut self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.stop = Box::new(stop);
        self
    }

    /// Where it is.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// The entry of a key, if it is there whole. Must not be written to. Counts as a use.
    pub fn entry(&self, kind: &str, key: &Key) -> Option<Utf8PathBuf> {
        let folder = self.folder(kind, key);
        let used = OpenOptions::new().write(true).open(folder.join("used")).ok()?;
        // Against a clean-up that is about to remove it: after this lock it is either gone or seen as used.
        used.file().lock_shared().ok()?;
        touch(&used).ok()?;
        let data = folder.join("data");
        let wanted: Size = fs_err::read_to_string(folder.join("size")).ok()?.parse().ok()?;
        Size::of(&data).ok().filter(|found| found.covers(wanted)).map(|_| data)
    }

    /// The entry of a key; if it is not there, `build` makes it in an empty folder that it gets.
    ///
    /// While one process or thread builds an entry, others that want it wait. If `build` fails, nothing is kept.
    pub fn insert_with<T, E>(
        &self,
        kind: &str,
        key: &Key,
        build: impl FnOnce(&Utf8Path) -> Result<T, E>,
    ) -> Result<Inserted<T>, InsertError<E>> {
        if let Some(path) = self.entry(kind, key) {
            return Ok(Inserted { path, built: None });
        }
        let _lock = self.lock(kind, key)?;
        if let Some(path) = self.entry(kind, key) {
            return Ok(Inserted { path, built: None });
        }
        let staging = self.staging()?;
        let data = staging.0.join("data");
        fs_err::create_dir(&data).map_err(|error| Place::Cache.fault(&data, error))?;
        let value = build(&data).map_err(InsertError::Build)?;
        let path = self.publish(&staging, kind, key)?;
        Ok(Inserted { path, built: Some(value) })
    }

    /// Removes what was not used for longest until at most `max_bytes` are left. What a living process may hold stays,
    /// even if that is more.
    pub fn prune(&self, max_bytes: u64) -> Result<Pruned, StoreError> {
        let fault = |error| Place::Cache.fault(&self.root, error);
        let protected = self.session.oldest().map_err(fault)?;
        let mut entries = self.entries().map_err(fault)?;
        entries.sort_by(|a, b| (a.used, &a.folder).cmp(&(b.used, &b.folder)));
        let mut pruned = Pruned { left: entries.iter().map(|entry| entry.bytes).sum(), ..Pruned::default() };
        for entry in entries {
            if pruned.left <= max_bytes || entry.used >= protected {
                break;
            }
            if self.remove(&entry, protected)? {
                pruned.removed += 1;
                pruned.freed += entry.bytes;
                pruned.left -= entry.bytes;
            }
        }
        Ok(pruned)
    }

    fn folder(&self, kind: &str, key: &Key) -> Utf8PathBuf {
        self.root.join("v1").join(kind).join(key.as_str())
    }

    fn lock(&self, kind: &str, key: &Key) -> Result<PassingLock, StoreError> {
        let path = self.root.join("locks").join(format!("{kind}-{key}"));
        let taken =
            PassingLock::take(&path, &*self.stop).map_err(|error| Place::Cache.fault(&path, error))?;
        taken.ok_or_else(|| StoreError::Interrupted { what: format!("{kind} {key:.12}") })
    }

    fn staging(&self) -> Result<Staging, StoreError> {
        loop {
            let path = self.root.join("staging").join(own_name());
            match fs_err::create_dir(&path) {
                Ok(()) => return Ok(Staging(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Place::Cache.fault(&path, error)),
            }
        }
    }

    /// Makes a finished staging folder the entry of a key. The caller holds the key's lock.
    fn publish(&self, staging: &Staging, kind: &str, key: &Key) -> Result<Utf8PathBuf, StoreError> {
        let folder = self.folder(kind, key);
        let moved = || {
            let size = Size::of(&staging.0.join("data"))?;
            fs_err::write(staging.0.join("size"), format!("{} {}\n", size.files, size.bytes))?;
            touch(&fs_err::File::create(staging.0.join("used"))?)?;
            fs_err::create_dir_all(self.root.join("v1").join(kind))?;
            if folder.exists() {
                // Something is missing from it, or `entry` had found it.
                let rest = self.staging().map_err(io::Error::other)?;
                fs_err::rename(&folder, rest.0.join("broken"))?;
            }
            fs_err::rename(&staging.0, &folder)
        };
        moved().map_err(|error| Place::Cache.fault(&folder, error))?;
        Ok(folder.join("data"))
    }

    /// Removes an entry unless somebody uses it by now.
    fn remove(&self, entry: &Entry, protected: SystemTime) -> Result<bool, StoreError> {
        let Some(used) = lock::try_lock(&entry.folder.join("used"))? else { return Ok(false) };
        if used.metadata()?.modified()? >= protected {
            return Ok(false);
        }
        let staging = self.staging()?;
        fs_err::rename(&entry.folder, staging.0.join("pruned"))?;
        Ok(true)
    }

    fn entries(&self) -> io::Result<Vec<Entry>> {
        let folders = WalkDir::new(self.root.join("v1")).min_depth(2).max_depth(2);
        let folders =
            folders.into_iter().filter_map(|entry| Utf8PathBuf::from_path_buf(entry.ok()?.into_path()).ok());
        folders
            .filter(|folder| folder.join("used").is_file())
            .map(|folder| {
                let used = fs_err::metadata(folder.join("used"))?.modified()?;
                Ok(Entry { used, bytes: Size::of(&folder.join("data"))?.bytes, folder })
            })
            .collect()
    }

    /// Removes staging folders that no living process can still be filling.
    fn sweep(&self, age: Duration) {
        let Ok(folders) = fs_err::read_dir(self.root.join("staging")) else { return };
        for folder in folders.flatten() {
            let old = folder.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|modified| {
                SystemTime::now().duration_since(modified).is_ok_and(|since| since >= age)
            });
            if old {
                let _ = fs_err::remove_dir_all(folder.path());
            }
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Cache").field("root", &self.root).finish_non_exhaustive()
    }
}

fn default_root(variable: impl Fn(&str) -> Option<String>) -> Result<Utf8PathBuf, StoreError> {
    let folder = |name: &str| variable(name).filter(|value| !value.is_empty()).map(Utf8PathBuf::from);
    // The XDG specification: a path that is not absolute is to be ignored.
    let absolute = |name: &str| folder(name).filter(|path| path.is_absolute());
    folder("BONAFIX_CACHE")
        .or_else(|| absolute("XDG_CACHE_HOME").map(|xdg| xdg.join("bonafix")))
        .or_else(|| absolute("HOME").map(|home| home.join(".cache/bonafix")))
        .ok_or(StoreError::NoCacheRoot)
}

/// A name for a session or a staging folder. Most likely new; processes in containers may have equal numbers.
fn own_name() -> String {
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Sets a file's time by the one clock that all times here come from.
fn touch(file: &fs_err::File) -> io::Result<()> {
    file.file().set_modified(SystemTime::now())
}

/// An entry, as a clean-up sees it.
struct Entry {
    folder: Utf8PathBuf,
    used: SystemTime,
    bytes: u64,
}

/// A folder that is removed with all it holds, unless it was renamed.
struct Staging(Utf8PathBuf);

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs_err::remove_dir_all(&self.0);
    }
}

/// How much a folder holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    files: u64,
    bytes: u64,
}

impl Size {
    fn of(folder: &Utf8Path) -> io::Result<Self> {
        let mut size = Self::default();
        for entry in WalkDir::new(folder) {
            let entry = entry?;
            if !entry.file_type().is_dir() {
                size.files += 1;
                size.bytes += entry.metadata()?.len();
            }
        }
        Ok(size)
    }

    /// Is nothing missing? More than there was is no harm.
    fn covers(self, wanted: Self) -> bool {
        self.files >= wanted.files && self.bytes >= wanted.bytes
    }
}

impl std::str::FromStr for Size {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (files, bytes) = text.trim().split_once(' ').unwrap_or((text, ""));
        Ok(Self { files: files.parse()?, bytes: bytes.parse()? })
    }
}

/// The mark of a living user of the cache: a locked file whose time is when it came.
struct Session {
    folder: Utf8PathBuf,
    _lock: PassingLock,
}

impl Session {
    fn open(folder: &Utf8Path) -> io::Result<Self> {
        loop {
            if let Some(lock) = PassingLock::try_take(&folder.join(own_name()))? {
                // A dead process may have left a file of that name: its time must not count as ours.
                touch(lock.file())?;
                return Ok(Self { folder: folder.to_owned(), _lock: lock });
            }
        }
    }

    /// When the oldest living user came. Marks of dead ones are removed.
    fn oldest(&self) -> io::Result<SystemTime> {
        let mut oldest = SystemTime::now();
        for mark in fs_err::read_dir(&self.folder)? {
            let Ok(path) = Utf8PathBuf::from_path_buf(mark?.path()) else { continue };
            let Ok(metadata) = fs_err::metadata(&path) else { continue };
            match PassingLock::try_take(&path)? {
                Some(dead) => drop(dead),
                None => oldest = oldest.min(metadata.modified()?),
            }
        }
        Ok(oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(variables: &[(&str, &str)]) -> Result<String, StoreError> {
        let get = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        default_root(get).map(Utf8PathBuf::into_string)
    }

    #[test]
    fn the_cache_lies_where_the_user_says_or_in_the_usual_place() {
        assert_eq!(root(&[("BONAFIX_CACHE", "/b"), ("HOME", "/h")]).unwrap(), "/b");
        assert_eq!(root(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]).unwrap(), "/x/bonafix");
        assert_eq!(root(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]).unwrap(), "/h/.cache/bonafix");
        assert_eq!(root(&[("BONAFIX_CACHE", ""), ("HOME", "/h")]).unwrap(), "/h/.cache/bonafix");
        assert!(root(&[]).unwrap_err().to_string().contains("set BONAFIX_CACHE"));
    }
}
