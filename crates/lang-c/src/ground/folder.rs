//! What a run writes: found, read, and taken back, so that the next run finds the folder as the first did.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;

use bonafix_lang::LangError;
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::home::Home;

/// Bytes of written files that are kept of one run.
const KEPT: usize = 1024 * 1024;
/// Folders of a home that a program may write to.
const WRITABLE: [&str; 2] = ["tree", "tmp"];

/// By which a change of a file is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    is_folder: bool,
    length: u64,
    modified: (i64, i64),
    mode: u32,
}

/// A home as it was before the first run.
pub(crate) struct Folder {
    home: Home,
    /// Entry of the cache that the home is a copy of.
    entry: Utf8PathBuf,
    /// Where the program runs, relative to the home.
    run: Utf8PathBuf,
    /// Relative to the home.
    marks: BTreeMap<Utf8PathBuf, Mark>,
}

/// What a run wrote.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// More than is kept.
    pub(crate) cut: bool,
    /// Bytes of the largest file.
    pub(crate) largest: u64,
    /// A folder was removed and made again, so that whoever watched it watches it no more.
    pub(crate) needs_new_watch: bool,
}

impl Folder {
    /// `run` is where the program runs.
    pub(crate) fn new(home: Home, entry: &Utf8Path, run: &Utf8Path) -> Self {
        let run = run.strip_prefix(home.path()).unwrap_or(run).to_owned();
        let mut folder = Self { home, entry: entry.to_owned(), run, marks: BTreeMap::new() };
        folder.marks = folder.look();
        folder
    }

    fn look(&self) -> BTreeMap<Utf8PathBuf, Mark> {
        let mut marks = BTreeMap::new();
        for top in WRITABLE {
            for entry in WalkDir::new(self.home.path().join(top)).min_depth(1) {
                // A folder that the program has locked for itself is opened again by `restore`.
                let Ok(entry) = entry else { continue };
                let (Some(path), Ok(data)) = (Utf8Path::from_path(entry.path()), entry.metadata()) else {
                    continue;
                };
                let Ok(path) = path.strip_prefix(self.home.path()) else { continue };
                let is_folder = data.is_dir();
                if is_folder && is_place_of_mount(path) {
                    continue;
                }
                // A folder's own length and time follow from what is in it.
                let (length, modified) =
                    if is_folder { (0, (0, 0)) } else { (data.len(), (data.mtime(), data.mtime_nsec())) };
                marks.insert(path.to_owned(), Mark { is_folder, length, modified, mode: data.mode() });
            }
        }
        marks
    }

    /// Reads what was written since, but for the input if that is as it was given, and takes it back.
    pub(crate) fn collect(&mut self, input: &Utf8Path, given: &[u8]) -> Result<Written, LangError> {
        let now = self.look();
        let mut written = Written::default();
        for (path, mark) in &now {
            if self.marks.get(path) != Some(mark) && !mark.is_folder {
                written.largest = written.largest.max(mark.length);
                self.read(path, (input, given), &mut written);
            }
        }
        self.restore(&now, &mut written)?;
        Ok(written)
    }

    fn read(&self, path: &Utf8Path, input: (&Utf8Path, &[u8]), written: &mut Written) {
        // Temporary files have names by chance.
        let Ok(inside) = path.strip_prefix("tree") else { return };
        let absolute = self.home.path().join(path);
        let is_file = absolute.symlink_metadata().is_ok_and(|data| data.is_file());
        let mut bytes = if is_file { read_some(&absolute) } else { Vec::new() };
        if input.0 == absolute && input.1 == bytes {
            return;
        }
        let kept: usize = written.files.values().map(Vec::len).sum();
        if kept + bytes.len() > KEPT {
            bytes.truncate(KEPT.saturating_sub(kept));
            written.cut = true;
        }
        let name = path.strip_prefix(&self.run).unwrap_or(inside);
        written.files.insert(name.to_string(), bytes);
    }

    fn restore(&self, now: &BTreeMap<Utf8PathBuf, Mark>, written: &mut Written) -> Result<(), LangError> {
        // What lies deepest goes first.
        for (path, mark) in now.iter().rev() {
            let before = self.marks.get(path);
            if before.is_none_or(|before| before.is_folder != mark.is_folder) {
                let absolute = self.home.path().join(path);
                if mark.is_folder {
                    written.needs_new_watch |= before.is_some();
                    fs_err::remove_dir_all(absolute)?;
                } else {
                    fs_err::remove_file(absolute)?;
                }
            }
        }
        for (path, mark) in &self.marks {
            if now.get(path) != Some(mark) {
                written.needs_new_watch |= mark.is_folder;
                self.home.restore(path, &self.entry)?;
            }
        }
        Ok(())
    }
}

/// Is a folder only there to show one of the real `/tmp`, which the program sees in its own?
fn is_place_of_mount(path: &Utf8Path) -> bool {
    let name = path.strip_prefix("tmp").ok().filter(|name| name.components().count() == 1);
    name.is_some_and(|name| Utf8Path::new("/tmp").join(name).is_dir())
}

/// A file's beginning, one byte more than is kept.
fn read_some(path: &Utf8Path) -> Vec<u8> {
    use std::io::Read;
    let mut bytes = Vec::new();
    if let Ok(file) = fs_err::File::open(path) {
        let _ = file.take(KEPT as u64 + 1).read_to_end(&mut bytes);
    }
    bytes
}
