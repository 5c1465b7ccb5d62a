//! Everything that can be wrong with a patch, in words that name the place and the way out.

use camino::Utf8PathBuf;
use thiserror::Error;

/// Why a patch cannot be read or applied.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PatchError {
    #[error("{patch}: the patch is empty; write one with `git diff` or `diff -u OLD NEW`")]
    Empty { patch: String },

    #[error("{patch}:{line}: no unified diff found: {why}; write one with `git diff` or `diff -u OLD NEW`")]
    NotADiff { patch: String, line: usize, why: String },

    #[error("{patch}:{line}: {why}; the line reads `{text}`")]
    Malformed { patch: String, line: usize, text: String, why: String },

    #[error(
        "{patch}:{line}: {file} is changed as a binary file, which cannot be judged; \
         leave it out of the patch, or write the patch with `git diff --text`"
    )]
    Binary { patch: String, line: usize, file: String },

    #[error(
        "{patch}:{line}: the file to change, {file}, is not in the project (looked for {}); \
         is this the right project folder, in the version that the patch was made for?",
        listed(tried)
    )]
    MissingFile { patch: String, line: usize, file: String, tried: Vec<Utf8PathBuf> },

    #[error("{patch}:{line}: the patch creates {file}, which exists already with other contents")]
    Exists { patch: String, line: usize, file: Utf8PathBuf },

    #[error(
        "{patch}:{line}: {file} can mean several files of the project and the patch fits each: {}; \
         write the path from the project's root",
        listed(candidates)
    )]
    AmbiguousPath { patch: String, line: usize, file: String, candidates: Vec<Utf8PathBuf> },

    #[error("{0}")]
    Rejected(Box<Rejection>),

    #[error(
        "{patch}:{line}: {file} leads out of the project's folder; \
         write the path from the project's root, without `..` and without a link that leaves it"
    )]
    Escapes { patch: String, line: usize, file: String },

    #[error(
        "{patch}: this patch is already applied to {file}, or it is reversed (written from fixed to buggy, as \
         Defects4J's `N.src.patch` files are): give the buggy version as the project, or write the patch the other \
         way round, `diff -u BUGGY FIXED`; in a git checkout, `bonafix check --base HEAD` judges the work tree as it is"
    )]
    AlreadyApplied { patch: String, file: String },

    #[error("{patch}: cannot read {file} of the project: {source}")]
    Io { patch: String, file: Utf8PathBuf, source: std::io::Error },
}

/// A hunk that does not fit, with all that is known about it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{patch}:{patch_line}: hunk {hunk_number} of {hunk_count} does not apply to {file}: {why}{}\n{hunk_text}",
    nearest.as_ref().map(|nearest| format!("\n{nearest}")).unwrap_or_default()
)]
pub struct Rejection {
    /// What messages call the patch.
    pub patch: String,
    /// Line of the patch with the hunk's header.
    pub patch_line: usize,
    /// The file of the tree.
    pub file: Utf8PathBuf,
    /// From 1, in the order of the diff.
    pub hunk_number: usize,
    /// Hunks that the patch has for this file.
    pub hunk_count: usize,
    /// The hunk as the diff shows it.
    pub hunk_text: String,
    /// In one clause.
    pub why: String,
    /// Where it fits best, and the first line there that differs.
    pub nearest: Option<String>,
}

fn listed(paths: &[Utf8PathBuf]) -> String {
    const SHOWN: usize = 8;
    let shown = paths.iter().take(SHOWN).map(|path| path.as_str()).collect::<Vec<_>>().join(", ");
    match paths.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}
