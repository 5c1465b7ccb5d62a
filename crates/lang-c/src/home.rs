//! Trees at paths of one length, so that a built one can be copied to another place.
//!
//! Builds write absolute paths into what they make: CMake's cache, libtool's scripts, run paths of libraries. A home is a
//! folder whose path has a fixed length; a copy of it gets the old path replaced by the new one in every file, text or
//! not, and keeps all times, so that a build which runs again in the copy finds everything up to date.
//!
//! ```text
//! <home>/tree/    the project, built
//! <home>/bin/     scripts in front of the compiler
//! <home>/tmp/     for temporary files
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use bonafix_lang::LangError;
use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use walkdir::WalkDir;

use crate::store_fault;
use crate::toolchain::Wrappers;

/// Lengths of paths are multiples of this: short enough for programs that make sockets, long enough for `/tmp`.
const STEP: usize = 64;
/// File that says at which path an entry of the cache was built.
const PLACE: &str = "place";

/// Makes homes below one folder.
pub(crate) struct Estate {
    folder: Utf8PathBuf,
    length: usize,
    next: AtomicU64,
}

/// A folder with a project's tree in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home {
    path: Utf8PathBuf,
}

impl Estate {
    pub(crate) fn new(folder: &Utf8Path) -> Self {
        // A separator, the letter, and room for numbers.
        let least = folder.as_str().len() + 2 + 8;
        Self { folder: folder.to_owned(), length: least.div_ceil(STEP) * STEP, next: AtomicU64::new(0) }
    }

    /// How long the paths of its homes are. What is built at one length cannot move to another.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// A new, empty home.
    pub(crate) fn empty(&self) -> Result<Home, LangError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let digits = self.length - self.folder.as_str().len() - 2;
        let path = self.folder.join(format!("h{number:0digits$}"));
        fs_err::create_dir_all(path.join("tree"))?;
        Ok(Home { path })
    }

    /// A copy of what lies in an entry of the cache.
    pub(crate) fn copy_of(&self, entry: &Utf8Path) -> Result<Home, LangError> {
        let home = self.empty()?;
        let old = fs_err::read_to_string(entry.join(PLACE))?;
        bonafix_store::copy_tree(&entry.join("home"), &home.path, &|_| false).map_err(store_fault)?;
        replace_all(&home.path, old.as_bytes(), home.path.as_str().as_bytes())?;
        Ok(home)
    }
}

impl Home {
    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The project's tree.
    pub(crate) fn tree(&self) -> Utf8PathBuf {
        self.path.join("tree")
    }

    /// For what programs write to temporary files and into their home folder.
    pub(crate) fn temporary(&self) -> Utf8PathBuf {
        self.path.join("tmp")
    }

    /// The scripts in front of the compiler.
    pub(crate) fn wrappers(&self) -> Wrappers {
        Wrappers::at(self.path.join("bin"))
    }

    /// Moves it into an entry of the cache.
    pub(crate) fn store(self, entry: &Utf8Path) -> Result<(), LangError> {
        fs_err::write(entry.join(PLACE), self.path.as_str())?;
        let target = entry.join("home");
        if fs_err::rename(&self.path, &target).is_err() {
            bonafix_store::copy_tree(&self.path, &target, &|_| false).map_err(store_fault)?;
            self.remove();
        }
        Ok(())
    }

    /// Makes one file or folder, relative to the home, what it is in the entry of the cache that the home is a copy of.
    pub(crate) fn restore(&self, path: &Utf8Path, entry: &Utf8Path) -> Result<(), LangError> {
        let (from, to) = (entry.join("home").join(path), self.path.join(path));
        let data = from.symlink_metadata()?;
        if data.is_dir() {
            fs_err::create_dir_all(&to)?;
        } else if data.is_symlink() {
            let _ = fs_err::remove_file(&to);
            fs_err::os::unix::fs::symlink(fs_err::read_link(&from)?, &to)?;
            return Ok(());
        } else {
            let _ = fs_err::remove_file(&to);
            fs_err::copy(&from, &to)?;
            fs_err::OpenOptions::new().write(true).open(&to)?.file().set_modified(data.modified()?)?;
            let old = fs_err::read_to_string(entry.join(PLACE))?;
            replace_all(&to, old.as_bytes(), self.path.as_str().as_bytes())?;
        }
        Ok(fs_err::set_permissions(&to, data.permissions())?)
    }

    /// Removes it with all it holds. What a test has left that cannot be removed goes with the folder around it.
    pub(crate) fn remove(self) {
        let _ = fs_err::remove_dir_all(&self.path);
    }
}

/// Replaces bytes in all files below a folder by as many others. Times stay.
fn replace_all(folder: &Utf8Path, old: &[u8], new: &[u8]) -> Result<(), LangError> {
    if old.len() != new.len() {
        return Err(LangError::Internal(format!(
            "a tree built at a path of {} bytes cannot move to one of {}",
            old.len(),
            new.len()
        )));
    }
    let finder = memmem::Finder::new(old);
    for entry in WalkDir::new(folder) {
        let entry = entry.map_err(std::io::Error::from)?;
        if !entry.file_type().is_file() {
            continue;
        }
        let mut contents = fs_err::read(entry.path())?;
        let places: Vec<usize> = finder.find_iter(&contents).collect();
        if places.is_empty() {
            continue;
        }
        for place in places {
            contents[place..place + new.len()].copy_from_slice(new);
        }
        let modified = entry.metadata().map_err(std::io::Error::from)?.modified()?;
        fs_err::write(entry.path(), contents)?;
        fs_err::OpenOptions::new().write(true).open(entry.path())?.file().set_modified(modified)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estate() -> (tempfile::TempDir, Estate) {
        let folder = tempfile::tempdir().unwrap();
        let estate = Estate::new(Utf8Path::from_path(folder.path()).unwrap());
        (folder, estate)
    }

    #[test]
    fn all_homes_have_paths_of_one_length() {
        let (_guard, estate) = estate();
        let lengths: Vec<usize> = (0..3).map(|_| estate.empty().unwrap().path.as_str().len()).collect();
        assert_eq!(lengths, [estate.length(); 3]);
        assert_eq!(estate.length() % STEP, 0);
    }

    #[test]
    fn a_copy_speaks_of_its_own_place_and_keeps_its_times() {
        let (guard, estate) = estate();
        let home = estate.empty().unwrap();
        let file = home.tree().join("cache.bin");
        let text = [b"\0\xff".as_slice(), home.path.as_str().as_bytes(), b"/tree\0"].concat();
        fs_err::write(&file, &text).unwrap();
        let old = std::time::SystemTime::now() - std::time::Duration::from_hours(5);
        fs_err::OpenOptions::new().write(true).open(&file).unwrap().file().set_modified(old).unwrap();
        let entry = Utf8Path::from_path(guard.path()).unwrap().join("entry");
        fs_err::create_dir(&entry).unwrap();
        home.store(&entry).unwrap();
        let copy = estate.copy_of(&entry).unwrap();
        let contents = fs_err::read(copy.tree().join("cache.bin")).unwrap();
        assert_eq!(contents, [b"\0\xff".as_slice(), copy.path.as_str().as_bytes(), b"/tree\0"].concat());
        assert_eq!(fs_err::metadata(copy.tree().join("cache.bin")).unwrap().modified().unwrap(), old);
    }
}
