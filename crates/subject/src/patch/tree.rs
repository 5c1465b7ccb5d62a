//! The subject's files as a patch sees them: read only, and never outside the folder.

use std::collections::BTreeMap;
use std::io;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// What stands at a path of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A file that can be read.
    File,
    /// A folder or something else that has no lines.
    Other,
    /// Nothing.
    Absent,
    /// Something outside the tree, reached by `..`, an absolute path or a symbolic link.
    Outside,
}

/// A tree of files that a patch can be applied to. Paths are relative to its root.
pub trait Tree {
    /// What stands at this path.
    fn place(&self, path: &Utf8Path) -> io::Result<Place>;
    /// The contents of a file; `None` where [`Tree::place`] does not say `File`.
    fn read(&self, path: &Utf8Path) -> io::Result<Option<Vec<u8>>>;
    /// All files, sorted; asked only when a path is not found as it is written.
    fn files(&self) -> io::Result<Vec<Utf8PathBuf>>;
}

/// A folder on disk.
#[derive(Debug, Clone)]
pub struct Folder {
    root: Utf8PathBuf,
}

impl Folder {
    /// The folder must exist.
    pub fn open(root: &Utf8Path) -> io::Result<Folder> {
        let root = fs_err::canonicalize(root)?;
        Ok(Folder { root: Utf8PathBuf::try_from(root).map_err(camino::FromPathBufError::into_io_error)? })
    }

    /// Follows symbolic links as far as the path exists; where do they lead?
    fn leads_outside(&self, path: &Utf8Path) -> io::Result<bool> {
        let mut reached = self.root.clone();
        for component in path.components() {
            reached.push(component);
            let Some(metadata) = absent_as_none(fs_err::symlink_metadata(&reached))? else {
                return Ok(false);
            };
            if metadata.is_symlink() {
                match absent_as_none(fs_err::canonicalize(&reached))? {
                    Some(target) if target.starts_with(&self.root) => {}
                    // A dangling link: nobody knows where writing to it would end.
                    _ => return Ok(true),
                }
            }
        }
        Ok(false)
    }
}

impl Tree for Folder {
    fn place(&self, path: &Utf8Path) -> io::Result<Place> {
        if !stays_inside(path) || self.leads_outside(path)? {
            return Ok(Place::Outside);
        }
        Ok(match absent_as_none(fs_err::metadata(self.root.join(path)))? {
            None => Place::Absent,
            Some(metadata) if metadata.is_file() => Place::File,
            Some(_) => Place::Other,
        })
    }

    fn read(&self, path: &Utf8Path) -> io::Result<Option<Vec<u8>>> {
        match self.place(path)? {
            Place::File => fs_err::read(self.root.join(path)).map(Some),
            _ => Ok(None),
        }
    }

    fn files(&self) -> io::Result<Vec<Utf8PathBuf>> {
        let is_history = |name: &str| matches!(name, ".git" | ".svn" | ".hg");
        let walk = walkdir::WalkDir::new(&self.root)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| !entry.file_name().to_str().is_some_and(is_history));
        let mut files = Vec::new();
        for entry in walk {
            let entry = entry?;
            let relative = entry.path().strip_prefix(&self.root).ok().and_then(Utf8Path::from_path);
            if let Some(relative) = relative.filter(|_| entry.file_type().is_file()) {
                files.push(relative.to_owned());
            }
        }
        files.sort();
        Ok(files)
    }
}

/// A tree in memory.
impl Tree for BTreeMap<Utf8PathBuf, Vec<u8>> {
    fn place(&self, path: &Utf8Path) -> io::Result<Place> {
        if !stays_inside(path) {
            return Ok(Place::Outside);
        }
        if self.contains_key(path) {
            return Ok(Place::File);
        }
        let is_folder = self.keys().any(|file| file.starts_with(path));
        Ok(if is_folder { Place::Other } else { Place::Absent })
    }

    fn read(&self, path: &Utf8Path) -> io::Result<Option<Vec<u8>>> {
        Ok(self.get(path).cloned())
    }

    fn files(&self) -> io::Result<Vec<Utf8PathBuf>> {
        Ok(self.keys().cloned().collect())
    }
}

/// Whether a path, read as relative, names something below its root by its letters alone.
pub(super) fn stays_inside(path: &Utf8Path) -> bool {
    let mut components = path.components().peekable();
    components.peek().is_some() && components.all(|component| matches!(component, Utf8Component::Normal(_)))
}

/// A path that runs through a file (`A.java/x`) names nothing, as one that runs through a missing folder.
fn absent_as_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
