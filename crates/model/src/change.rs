//! A version of the subject: the buggy tree with some files written or deleted on top.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileEdit {
    /// The file gets these contents (it may be new).
    Write(Vec<u8>),
    /// The file disappears.
    Delete,
}

/// The difference between the buggy tree and another version of it. Paths are relative to the subject's root.
///
/// The buggy version itself is the empty change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeChange {
    /// Edited files by path.
    pub files: BTreeMap<Utf8PathBuf, FileEdit>,
}

impl TreeChange {
    /// Is this the buggy version itself?
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Splits into the files for which `first` holds, and the others.
    pub fn partition(&self, first: impl Fn(&Utf8Path, &FileEdit) -> bool) -> (Self, Self) {
        let (mut yes, mut no) = (Self::default(), Self::default());
        for (path, edit) in &self.files {
            let side = if first(path, edit) { &mut yes } else { &mut no };
            side.files.insert(path.clone(), edit.clone());
        }
        (yes, no)
    }

    /// This change with the edits of `other` on top.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut files = self.files.clone();
        files.extend(other.files.iter().map(|(path, edit)| (path.clone(), edit.clone())));
        Self { files }
    }
}
