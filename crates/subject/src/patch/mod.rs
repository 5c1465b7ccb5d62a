//! Unified diffs: read them, find what they mean in a subject's tree, compute the patched files.
//!
//! ```text
//! bytes --parse--> PatchSet --apply(tree)--> Applied { change: path -> new contents }
//! ```
//!
//! Everything works on bytes, since sources need not be UTF-8. Nothing here writes to disk: the result of
//! [`PatchSet::apply`] is plain data with paths relative to the subject's root, so a patch cannot reach anything
//! outside. Either every hunk of every file applies, or there is an error that names patch, line and hunk.
//!
//! | file | one reason to change |
//! |---|---|
//! | `parse` | how diffs are written: headers, mail, git, svn, damaged counts |
//! | `names` | how a path is written in a header: quotes, time stamps, backslashes |
//! | `place` | where a hunk fits: offset, fuzz, ambiguity |
//! | `splice` | what the file looks like afterwards: line endings, final newline, byte order mark |
//! | `apply` | one way of mapping paths, all files, renames |
//! | `resolve` | which way of mapping paths: strip level, prefix, reversed patches |
//! | `tree` | reading the subject without leaving its folder |
//! | `render` | writing a diff |

mod apply;
mod error;
mod lines;
mod names;
mod parse;
mod place;
mod render;
mod resolve;
mod splice;
mod tree;

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

pub use bonafix_model::FileEdit;

pub use self::error::{PatchError, Rejection};
pub use self::render::render_unified;
pub use self::tree::{Folder, Place, Tree};

/// A parsed patch: what a diff says, before anybody looked at the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchSet {
    /// What messages call the patch, usually its file name.
    pub name: String,
    /// In the order of the diff; a series may name the same file more than once.
    pub files: Vec<FilePatch>,
    /// What had to be tolerated while reading.
    pub notes: Vec<String>,
}

/// The part of a patch that concerns one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// Line of the patch (from 1) at which this part begins.
    pub line: usize,
    /// Path before, as the diff writes it, with `/` between components; `None` for `/dev/null`.
    pub old: Option<String>,
    /// Path after; `None` for `/dev/null`.
    pub new: Option<String>,
    /// What happens to the file as a whole.
    pub kind: FileKind,
    /// The header's time stamp or revision says that the old side does not exist (`diff -N`, svn).
    pub old_marked_absent: bool,
    /// The same for the new side.
    pub new_marked_absent: bool,
    /// In the order of the diff.
    pub hunks: Vec<Hunk>,
}

/// What a patch does to a file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Same file, other lines (or only another mode).
    Modify,
    /// A new file.
    Create,
    /// The file goes away.
    Delete,
    /// git's `rename from`/`rename to`.
    Rename,
    /// git's `copy from`/`copy to`.
    Copy,
}

/// A run of lines with context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Line of the patch (from 1) that holds the `@@` header.
    pub line: usize,
    /// First line of the old side, as stated (0 with an empty old side at the top of a file).
    pub old_start: usize,
    /// First line of the new side, as stated.
    pub new_start: usize,
    /// Context, removed and added lines in order.
    pub lines: Vec<HunkLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// Context, removed or added.
    pub kind: LineKind,
    /// Without the leading sign and without `\n`; a `\r` that belongs to the file's line ending is kept.
    pub text: Vec<u8>,
    /// Followed by `\ No newline at end of file`.
    pub no_newline: bool,
}

/// On which sides of a hunk a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// On both.
    Context,
    /// On the old side only.
    Remove,
    /// On the new side only.
    Add,
}

/// What a patch makes of a tree. Paths are relative to the tree's root and never leave it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// Files whose contents differ afterwards. A rename is a `Delete` and a `Write`.
    pub change: BTreeMap<Utf8PathBuf, FileEdit>,
    /// Renames as git states them, from and to; both sides are in `change` as well.
    pub renames: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// How many leading components were taken off each path, as in `patch -p`.
    pub strip: usize,
    /// These components, where all files share them.
    pub prefix_removed: Option<String>,
    /// What had to be put before each path to find the files, where all files share it.
    pub prefix_added: Option<String>,
    /// What a person may want to know: offsets, fuzz, ignored modes, mended headers.
    pub notes: Vec<String>,
}

impl PatchSet {
    /// Reads a diff. `name` is what messages call it.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<PatchSet, PatchError> {
        parse::parse(name, bytes)
    }

    /// Computes what the tree looks like afterwards; all files or an error.
    pub fn apply(&self, tree: &dyn Tree) -> Result<Applied, PatchError> {
        resolve::apply(self, tree)
    }

    /// The patch that undoes this one, as `patch -R` reads it.
    #[must_use]
    pub fn reversed(&self) -> PatchSet {
        let files = self.files.iter().rev().map(FilePatch::reversed).collect();
        PatchSet { name: self.name.clone(), files, notes: self.notes.clone() }
    }
}

impl FilePatch {
    /// The path by which to speak of this file, as the diff writes it.
    pub fn display_path(&self) -> &str {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or("/dev/null")
    }

    /// The diff says that the file was not there before: by `/dev/null`, or by the time stamp of `diff -N`. A time
    /// stamp that both sides have says nothing.
    fn is_new(&self) -> bool {
        let fills_nothing = |hunk: &Hunk| hunk.old_start == 0 && hunk.old_side().next().is_none();
        match self.kind {
            FileKind::Create => true,
            FileKind::Modify => {
                self.old_marked_absent
                    && !self.new_marked_absent
                    && matches!(self.hunks.as_slice(), [only] if fills_nothing(only))
            }
            FileKind::Delete | FileKind::Rename | FileKind::Copy => false,
        }
    }

    fn reversed(&self) -> FilePatch {
        FilePatch {
            line: self.line,
            old: self.new.clone(),
            new: self.old.clone(),
            kind: match self.kind {
                FileKind::Create | FileKind::Copy => FileKind::Delete,
                FileKind::Delete => FileKind::Create,
                other => other,
            },
            old_marked_absent: self.new_marked_absent,
            new_marked_absent: self.old_marked_absent,
            hunks: self.hunks.iter().map(Hunk::reversed).collect(),
        }
    }
}

impl Hunk {
    /// Lines that must be found in the file.
    pub fn old_side(&self) -> impl DoubleEndedIterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.kind != LineKind::Add)
    }

    /// Lines that stand there afterwards.
    pub fn new_side(&self) -> impl DoubleEndedIterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.kind != LineKind::Remove)
    }

    /// The hunk as a diff shows it, for messages; bytes that are not UTF-8 are replaced.
    pub fn to_text(&self) -> String {
        use std::fmt::Write as _;
        let (old, new) = (self.old_side().count(), self.new_side().count());
        let mut text = format!("@@ -{},{old} +{},{new} @@", self.old_start, self.new_start);
        for line in &self.lines {
            let sign = match line.kind {
                LineKind::Context => ' ',
                LineKind::Remove => '-',
                LineKind::Add => '+',
            };
            let _infallible =
                write!(text, "\n{sign}{}", String::from_utf8_lossy(lines::without_cr(&line.text)));
        }
        text
    }

    fn reversed(&self) -> Hunk {
        let flip = |line: &HunkLine| HunkLine {
            kind: match line.kind {
                LineKind::Context => LineKind::Context,
                LineKind::Remove => LineKind::Add,
                LineKind::Add => LineKind::Remove,
            },
            ..line.clone()
        };
        Hunk {
            line: self.line,
            old_start: self.new_start,
            new_start: self.old_start,
            lines: self.lines.iter().map(flip).collect(),
        }
    }
}
