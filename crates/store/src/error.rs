//! What can go wrong with results and cached things, and the way out of each.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

/// A fault of the run directory or of the cache.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full.
    #[error("no space left to write {path}; {way_out}")]
    Full {
        /// What was being written.
        path: Utf8PathBuf,
        /// What the user can do.
        way_out: String,
    },
    /// The folder cannot be written to or not be made.
    #[error("cannot write into {folder} ({source}); {way_out}")]
    NotWritable {
        /// Which folder.
        folder: Utf8PathBuf,
        /// What the user can do.
        way_out: String,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes this run.
    #[error("{run} is being written by {holder}; wait for it, or start a new run without --resume")]
    Locked {
        /// Which run.
        run: Utf8PathBuf,
        /// Who holds it, as far as known.
        holder: String,
    },
    /// The folder is no run directory.
    #[error(
        "{path} is not a run of bonafix: it has no plan.json; name the folder that the first run printed, \
         or start a new run without --resume"
    )]
    NotARun {
        /// Which folder.
        path: Utf8PathBuf,
    },
    /// The run that is to be taken up was about something else.
    #[error("{run} cannot be resumed, because it was another run:{}\nstart a new run without --resume", list(.differences))]
    OtherPlan {
        /// Which run.
        run: Utf8PathBuf,
        /// What differs, a line each.
        differences: Vec<String>,
    },
    /// A file of a format that this version does not read.
    #[error(
        "{path} is in format {found} (written by bonafix {writer}), and this bonafix reads format {ours}; \
         use that version of bonafix for it, or start a new run"
    )]
    OtherFormat {
        /// Which file.
        path: Utf8PathBuf,
        /// Its format.
        found: u32,
        /// Who wrote it.
        writer: String,
        /// The format of this version.
        ours: u32,
    },
    /// A file that is not what bonafix writes.
    #[error(
        "{path}:{line}: not what bonafix writes ({problem}); mend or delete that line, or start a new run"
    )]
    Corrupt {
        /// Which file.
        path: Utf8PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// No folder for the cache is known.
    #[error(
        "no folder for the cache: set BONAFIX_CACHE to one (neither XDG_CACHE_HOME nor HOME is an absolute path)"
    )]
    NoCacheRoot,
    /// The user stopped the run while it waited for another process.
    #[error("interrupted while waiting for another process to finish {what}")]
    Interrupted {
        /// What that process makes.
        what: String,
    },
    /// Anything else; the message names the file.
    #[error("{0}")]
    Io(#[from] io::Error),
}

fn list(lines: &[String]) -> String {
    lines.iter().flat_map(|line| ["\n  ", line]).collect()
}

/// Which part of the store a fault is about, for the way out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// A folder of runs that is not there yet.
    Runs,
    /// A run that already holds something.
    Run(&'a Utf8Path),
    /// The cache.
    Cache,
}

impl Place<'_> {
    fn way_out(self, free: &str) -> String {
        match self {
            Self::Runs => format!("{free}choose another folder with --out DIR"),
            Self::Run(run) => format!(
                "{free}choose another folder with --out DIR; what was done so far is kept: go on with --resume {run}"
            ),
            Self::Cache => format!("{free}choose another folder with BONAFIX_CACHE=DIR"),
        }
    }

    /// Gives a failed write its name and its way out.
    pub(crate) fn fault(self, path: &Utf8Path, source: io::Error) -> StoreError {
        use io::ErrorKind::{
            NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        let denied = matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem | NotADirectory);
        match source.kind() {
            StorageFull | QuotaExceeded => {
                StoreError::Full { path: path.to_owned(), way_out: self.way_out("free some, or ") }
            }
            _ if denied || !matches!(self, Self::Run(_)) => {
                let folder = if let Self::Run(run) = self { run } else { path };
                StoreError::NotWritable { folder: folder.to_owned(), way_out: self.way_out(""), source }
            }
            _ => StoreError::Io(source),
        }
    }
}
