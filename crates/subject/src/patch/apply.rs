//! Applies a whole patch to a tree, given one way of reading its paths.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::place::Placed;
use super::splice::{self, Misfit};
use super::tree::{Place, Tree};
use super::{Applied, FileEdit, FileKind, FilePatch, PatchError, PatchSet, Rejection};

/// How the paths of a patch become paths of the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mapping {
    /// Leading components to take off.
    pub(super) strip: usize,
    /// What to put before, for each file of the patch; empty where nothing is added.
    pub(super) prefixes: Vec<Utf8PathBuf>,
}

impl Mapping {
    pub(super) fn strip(strip: usize) -> Mapping {
        Mapping { strip, prefixes: Vec::new() }
    }

    /// The path in the tree; `None` if nothing is left of it.
    fn map(&self, file: usize, written: &str) -> Option<Utf8PathBuf> {
        let stripped = strip_components(written, self.strip)?;
        Some(match self.prefixes.get(file) {
            Some(prefix) if !prefix.as_str().is_empty() => prefix.join(stripped),
            _ => stripped,
        })
    }
}

/// Components of a path as a diff writes it; an absolute path counts from its first folder.
pub(super) fn components(written: &str) -> Vec<&str> {
    written.split('/').filter(|component| !component.is_empty() && *component != ".").collect()
}

/// Takes off leading components; `None` if none would be left.
pub(super) fn strip_components(written: &str, strip: usize) -> Option<Utf8PathBuf> {
    let components = components(written);
    let kept = components.get(strip..).filter(|kept| !kept.is_empty())?;
    Some(Utf8PathBuf::from(kept.join("/")))
}

/// The result of one attempt, and whether it deserves a second look.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) applied: Applied,
    /// Some hunk did not fit exactly where it says.
    pub(super) doubtful: bool,
}

/// Applies every file under one mapping; all or nothing.
pub(super) fn apply_mapped(
    set: &PatchSet,
    tree: &dyn Tree,
    mapping: &Mapping,
    max_fuzz: usize,
) -> Result<Attempt, PatchError> {
    let mut work = Work {
        set,
        tree,
        mapping,
        max_fuzz,
        edits: BTreeMap::new(),
        applied: Applied::default(),
        doubtful: false,
    };
    for (index, file) in set.files.iter().enumerate() {
        work.file(index, file)?;
    }
    work.finish()
}

/// The tree as it is after the files handled so far.
struct Work<'a> {
    set: &'a PatchSet,
    tree: &'a dyn Tree,
    mapping: &'a Mapping,
    max_fuzz: usize,
    edits: BTreeMap<Utf8PathBuf, FileEdit>,
    applied: Applied,
    doubtful: bool,
}

impl Work<'_> {
    fn file(&mut self, index: usize, file: &FilePatch) -> Result<(), PatchError> {
        match file.kind {
            FileKind::Modify => self.modify(index, file),
            FileKind::Create => self.create(index, file),
            FileKind::Delete => self.delete(index, file),
            FileKind::Rename | FileKind::Copy => self.carry_over(index, file),
        }
    }

    fn modify(&mut self, index: usize, file: &FilePatch) -> Result<(), PatchError> {
        let Some(path) = self.existing(index, file)? else {
            return if file.is_new() { self.create(index, file) } else { Err(self.missing(index, file)) };
        };
        let content = self.read(&path, file)?.unwrap_or_default();
        if file.is_new() && !content.is_empty() {
            return self.create(index, file);
        }
        let bytes = self.patched(file, &path, &content)?;
        let gone = bytes.is_empty() && !file.hunks.is_empty() && file.new_marked_absent;
        self.edits.insert(path, if gone { FileEdit::Delete } else { FileEdit::Write(bytes) });
        Ok(())
    }

    fn create(&mut self, index: usize, file: &FilePatch) -> Result<(), PatchError> {
        let path = self.mapped(index, file, file.new.as_deref())?;
        let bytes = self.patched(file, &path, b"")?;
        match self.place(&path, file)? {
            Place::Absent => {}
            Place::File if self.read(&path, file)?.as_deref() == Some(bytes.as_slice()) => {
                return Err(self.already_applied(&path));
            }
            _ => return Err(PatchError::Exists { patch: self.patch(), line: file.line, file: path }),
        }
        self.edits.insert(path, FileEdit::Write(bytes));
        Ok(())
    }

    fn delete(&mut self, index: usize, file: &FilePatch) -> Result<(), PatchError> {
        let path = self.mapped(index, file, file.old.as_deref())?;
        let Some(content) = self.read(&path, file)? else { return Err(self.missing(index, file)) };
        let rest = self.patched(file, &path, &content)?;
        if !rest.is_empty() && !file.hunks.is_empty() {
            let why = "the patch deletes the file, but lines that it does not name would remain".to_owned();
            let hunk = file.hunks.len() - 1;
            return Err(self.rejected(file, &path, Misfit { hunk, why, nearest: None }));
        }
        self.edits.insert(path, FileEdit::Delete);
        Ok(())
    }

    /// A rename or a copy, with or without changes.
    fn carry_over(&mut self, index: usize, file: &FilePatch) -> Result<(), PatchError> {
        let from = self.mapped(index, file, file.old.as_deref())?;
        let to = self.mapped(index, file, file.new.as_deref())?;
        let Some(content) = self.read(&from, file)? else { return Err(self.missing(index, file)) };
        if from != to && self.place(&to, file)? != Place::Absent {
            return Err(PatchError::Exists { patch: self.patch(), line: file.line, file: to });
        }
        let bytes = self.patched(file, &from, &content)?;
        if file.kind == FileKind::Rename {
            self.edits.insert(from.clone(), FileEdit::Delete);
            self.applied.renames.push((from, to.clone()));
        }
        self.edits.insert(to, FileEdit::Write(bytes));
        Ok(())
    }

    /// Which of the two names of a plain diff is in the tree; of both, the shorter (`A.java` before `A.java.orig`).
    fn existing(&self, index: usize, file: &FilePatch) -> Result<Option<Utf8PathBuf>, PatchError> {
        let mut found: Vec<Utf8PathBuf> = Vec::new();
        for written in [&file.old, &file.new].into_iter().flatten() {
            if let Some(path) = self.mapping.map(index, written)
                && self.place(&path, file)? == Place::File
            {
                found.push(path);
            }
        }
        Ok(found.into_iter().min_by_key(|path| path.as_str().len()))
    }

    fn mapped(
        &self,
        index: usize,
        file: &FilePatch,
        written: Option<&str>,
    ) -> Result<Utf8PathBuf, PatchError> {
        let path = written.and_then(|written| self.mapping.map(index, written));
        path.ok_or_else(|| self.missing(index, file))
    }

    /// What is there now; an error if it is outside.
    fn place(&self, path: &Utf8Path, file: &FilePatch) -> Result<Place, PatchError> {
        match self.edits.get(path) {
            Some(FileEdit::Write(_)) => return Ok(Place::File),
            Some(FileEdit::Delete) => return Ok(Place::Absent),
            None => {}
        }
        match self.tree.place(path) {
            Ok(Place::Outside) => Err(self.escapes(file)),
            Ok(place) => Ok(place),
            Err(source) => Err(self.io(path, source)),
        }
    }

    fn read(&self, path: &Utf8Path, file: &FilePatch) -> Result<Option<Vec<u8>>, PatchError> {
        match self.edits.get(path) {
            Some(FileEdit::Write(bytes)) => Ok(Some(bytes.clone())),
            None if self.place(path, file)? == Place::File => {
                self.tree.read(path).map_err(|source| self.io(path, source))
            }
            Some(FileEdit::Delete) | None => Ok(None),
        }
    }

    fn patched(&mut self, file: &FilePatch, path: &Utf8Path, content: &[u8]) -> Result<Vec<u8>, PatchError> {
        let patched = splice::apply_hunks(content, &file.hunks, self.max_fuzz)
            .map_err(|misfit| self.rejected(file, path, misfit))?;
        for (index, placed) in patched.places.iter().enumerate() {
            self.doubtful |= placed.offset != 0 || placed.fuzz > 0 || placed.misses_end;
            self.applied.notes.extend(note(path, index + 1, placed));
        }
        Ok(patched.bytes)
    }

    /// Leaves out what is the same as before and says how the paths were read.
    fn finish(self) -> Result<Attempt, PatchError> {
        let (patch, mapping, doubtful) = (self.patch(), self.mapping, self.doubtful);
        let mut applied = self.applied;
        for (path, edit) in self.edits {
            let before = self.tree.read(&path).map_err(|source| PatchError::Io {
                patch: patch.clone(),
                file: path.clone(),
                source,
            })?;
            let same = match &edit {
                FileEdit::Write(bytes) => before.as_ref() == Some(bytes),
                FileEdit::Delete => before.is_none(),
            };
            if !same {
                applied.change.insert(path, edit);
            }
        }
        applied.strip = mapping.strip;
        applied.prefix_removed =
            shared(self.set.files.iter().map(|file| removed_prefix(file, mapping.strip)));
        applied.prefix_added = shared(mapping.prefixes.iter().map(|prefix| prefix.as_str().to_owned()));
        applied.notes.splice(0..0, self.set.notes.iter().cloned());
        if applied.change.is_empty() {
            applied.notes.push("the patch changes the contents of no file".to_owned());
        }
        Ok(Attempt { applied, doubtful })
    }

    fn patch(&self) -> String {
        self.set.name.clone()
    }

    fn io(&self, path: &Utf8Path, source: std::io::Error) -> PatchError {
        PatchError::Io { patch: self.patch(), file: path.to_owned(), source }
    }

    fn escapes(&self, file: &FilePatch) -> PatchError {
        PatchError::Escapes { patch: self.patch(), line: file.line, file: file.display_path().to_owned() }
    }

    fn already_applied(&self, path: &Utf8Path) -> PatchError {
        PatchError::AlreadyApplied { patch: self.patch(), file: path.to_string() }
    }

    fn missing(&self, index: usize, file: &FilePatch) -> PatchError {
        let written = file.old.as_deref().or(file.new.as_deref()).unwrap_or_default();
        let tried = self.mapping.map(index, written).into_iter().collect();
        PatchError::MissingFile { patch: self.patch(), line: file.line, file: written.to_owned(), tried }
    }

    fn rejected(&self, file: &FilePatch, path: &Utf8Path, misfit: Misfit) -> PatchError {
        let hunk = &file.hunks[misfit.hunk];
        PatchError::Rejected(Box::new(Rejection {
            patch: self.patch(),
            patch_line: hunk.line,
            file: path.to_owned(),
            hunk_number: misfit.hunk + 1,
            hunk_count: file.hunks.len(),
            hunk_text: hunk.to_text(),
            why: misfit.why,
            nearest: misfit.nearest,
        }))
    }
}

fn removed_prefix(file: &FilePatch, strip: usize) -> String {
    let written = file.old.as_deref().or(file.new.as_deref()).unwrap_or_default();
    let root = if written.starts_with('/') { "/" } else { "" };
    let removed = components(written).into_iter().take(strip).map(|component| format!("{component}/"));
    format!("{root}{}", removed.collect::<String>())
}

/// The value, if all have the same and it says something.
fn shared(mut values: impl Iterator<Item = String>) -> Option<String> {
    let first = values.next().filter(|first| !first.is_empty())?;
    values.all(|value| value == first).then_some(first)
}

fn note(path: &Utf8Path, number: usize, placed: &Placed) -> Option<String> {
    if placed.offset == 0 && placed.fuzz == 0 {
        return None;
    }
    let mut how = Vec::new();
    if placed.offset != 0 {
        how.push(format!("offset {}", placed.offset));
    }
    if placed.fuzz > 0 {
        how.push(format!("fuzz {}", placed.fuzz));
    }
    let line = placed.start + 1 - placed.skip_front.min(placed.start);
    let others: Vec<String> = placed.also_at.iter().take(5).map(ToString::to_string).collect();
    let also = if others.is_empty() { "" } else { "; it would fit farther away as well: line " };
    Some(format!(
        "hunk {number} of {path} applied at line {line} ({}){also}{}",
        how.join(", "),
        others.join(", ")
    ))
}
