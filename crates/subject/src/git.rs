//! Revisions of a git checkout as trees and changes. Reads the repository, never writes to it or to its work tree.

use bonafix_model::{FileEdit, TreeChange};
use bonafix_proc::{Confinement, Job, Launcher, Limits, ProcError, Sink, Stdin};
use camino::{Utf8Path, Utf8PathBuf};

/// How much of git's output is read; a larger diff is no patch.
const OUTPUT_CAP: usize = 512 << 20;

/// Why git cannot tell.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Not a checkout.
    #[error(
        "{folder} is not in a git checkout, so `--base` and `--head` mean nothing there; use `--patch FILE`"
    )]
    NotACheckout {
        /// Where we looked.
        folder: Utf8PathBuf,
    },
    /// No such revision.
    #[error("`{option} {revision}`: git knows no such revision here{}", hint(revision))]
    UnknownRevision {
        /// The option that names it.
        option: &'static str,
        /// The revision.
        revision: String,
    },
    /// Two revisions without a common ancestor.
    #[error("`{base}` and `{head}` have no common history")]
    Unrelated {
        /// First revision.
        base: String,
        /// Second revision.
        head: String,
    },
    /// git failed for another reason.
    #[error("git {command} failed: {message}")]
    Failed {
        /// The subcommand.
        command: String,
        /// What it said.
        message: String,
    },
    /// git could not be run.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// A file could not be written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

fn hint(revision: &str) -> String {
    format!("; `git rev-parse {revision}` says what it knows, and a shallow clone may lack it")
}

/// A git checkout, and the folder in it that is the subject.
pub struct Checkout<'a> {
    launcher: &'a Launcher,
    top: Utf8PathBuf,
    /// Path of the subject below the top; empty when it is the top.
    prefix: Utf8PathBuf,
}

/// What differs between two revisions.
#[derive(Debug, Default)]
pub struct RevisionChange {
    /// Edits below the subject's folder, relative to it.
    pub change: TreeChange,
    /// Changed paths that cannot be carried over: outside of the subject's folder, links, submodules.
    pub left_out: Vec<String>,
}

impl<'a> Checkout<'a> {
    /// The checkout that holds `folder`.
    pub fn open(folder: &Utf8Path, launcher: &'a Launcher) -> Result<Self, GitError> {
        let text = run(launcher, folder, &["rev-parse", "--show-toplevel", "--show-prefix"], &[], Vec::new());
        let text = match text {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(GitError::Failed { message, .. }) if message.contains("not a git repository") => {
                return Err(GitError::NotACheckout { folder: folder.to_owned() });
            }
            Err(error) => return Err(error),
        };
        let mut lines = text.lines();
        let top = Utf8PathBuf::from(lines.next().unwrap_or_default());
        let prefix = Utf8PathBuf::from(lines.next().unwrap_or_default().trim_end_matches('/'));
        Ok(Self { launcher, top, prefix })
    }

    /// The subject's folder below a tree of the whole repository.
    pub fn subject_in(&self, tree: &Utf8Path) -> Utf8PathBuf {
        if self.prefix.as_str().is_empty() { tree.to_owned() } else { tree.join(&self.prefix) }
    }

    /// Name of the repository's folder.
    pub fn name(&self) -> &str {
        self.top.file_name().unwrap_or("checkout")
    }

    /// The commit that `revision` names.
    pub fn commit(&self, option: &'static str, revision: &str) -> Result<String, GitError> {
        let spec = format!("{revision}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &spec];
        match self.git(&arguments) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(GitError::Failed { .. }) => {
                Err(GitError::UnknownRevision { option, revision: revision.to_owned() })
            }
            Err(error) => Err(error),
        }
    }

    /// The last commit that both have: what a branch was made from.
    pub fn merge_base(&self, base: &str, head: &str) -> Result<String, GitError> {
        match self.git(&["merge-base", base, head]) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(GitError::Failed { message, .. }) if message.is_empty() => {
                Err(GitError::Unrelated { base: base.to_owned(), head: head.to_owned() })
            }
            Err(error) => Err(error),
        }
    }

    /// Writes all files of a commit below `to`, past the user's index and work tree.
    pub fn write_tree(&self, commit: &str, to: &Utf8Path) -> Result<(), GitError> {
        let index = to.with_extension("index");
        let environment = [("GIT_INDEX_FILE", index.as_str())];
        run(self.launcher, &self.top, &["read-tree", commit], &environment, Vec::new())?;
        let prefix = format!("--prefix={to}/");
        run(self.launcher, &self.top, &["checkout-index", "--all", &prefix], &environment, Vec::new())?;
        fs_err::remove_file(&index)?;
        Ok(())
    }

    /// What `to` has other than `from`.
    pub fn changes(&self, from: &str, to: &str) -> Result<RevisionChange, GitError> {
        let raw = self.git(&["diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", from, to])?;
        let mut result = RevisionChange::default();
        let mut wanted: Vec<(Utf8PathBuf, String)> = Vec::new();
        for entry in parse_raw(&raw) {
            match self.place(&entry) {
                None => result.left_out.push(entry.path.to_string()),
                Some(path) if entry.deleted => {
                    result.change.files.insert(path, FileEdit::Delete);
                }
                Some(path) => wanted.push((path, entry.blob)),
            }
        }
        let blobs = self.blobs(wanted.iter().map(|(_, blob)| blob.as_str()))?;
        for ((path, _), contents) in wanted.into_iter().zip(blobs) {
            result.change.files.insert(path, FileEdit::Write(contents));
        }
        Ok(result)
    }

    /// Path below the subject, for a plain file inside it.
    fn place(&self, entry: &RawEntry) -> Option<Utf8PathBuf> {
        if !entry.plain_file {
            return None;
        }
        if self.prefix.as_str().is_empty() {
            return Some(entry.path.clone());
        }
        entry.path.strip_prefix(&self.prefix).ok().map(Utf8Path::to_owned)
    }

    fn blobs<'b>(&self, names: impl Iterator<Item = &'b str>) -> Result<Vec<Vec<u8>>, GitError> {
        let names: Vec<&str> = names.collect();
        let count = names.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let output = run(
            self.launcher,
            &self.top,
            &["cat-file", "--batch"],
            &[],
            (names.join("\n") + "\n").into_bytes(),
        )?;
        let blobs = parse_batch(&output);
        if blobs.len() == count {
            return Ok(blobs);
        }
        Err(GitError::Failed {
            command: "cat-file --batch".to_owned(),
            message: format!(
                "{} of {count} files came back; a partial clone may lack the others",
                blobs.len()
            ),
        })
    }

    fn git(&self, arguments: &[&str]) -> Result<String, GitError> {
        let bytes = run(self.launcher, &self.top, arguments, &[], Vec::new())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

struct RawEntry {
    path: Utf8PathBuf,
    blob: String,
    deleted: bool,
    plain_file: bool,
}

/// Reads `:oldmode newmode oldblob newblob status NUL path NUL …`.
fn parse_raw(text: &str) -> Vec<RawEntry> {
    let mut fields = text.split('\0');
    let mut entries = Vec::new();
    while let (Some(header), Some(path)) = (fields.next(), fields.next()) {
        let parts: Vec<&str> = header.trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, _, new_blob, status] = parts[..] else { break };
        let deleted = status.starts_with('D');
        let mode = if deleted { old_mode } else { new_mode };
        entries.push(RawEntry {
            path: path.into(),
            blob: new_blob.to_owned(),
            deleted,
            plain_file: mode.starts_with("100"),
        });
    }
    entries
}

/// Reads `blob type size LF contents LF …`.
fn parse_batch(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut blobs = Vec::new();
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let Some(size) = header.split(' ').nth(2).and_then(|size| size.parse::<usize>().ok()) else { break };
        let rest = &bytes[end + 1..];
        if rest.len() < size {
            break;
        }
        blobs.push(rest[..size].to_vec());
        bytes = rest.get(size + 1..).unwrap_or_default();
    }
    blobs
}

fn run(
    launcher: &Launcher,
    folder: &Utf8Path,
    arguments: &[&str],
    environment: &[(&str, &str)],
    input: Vec<u8>,
) -> Result<Vec<u8>, GitError> {
    let mut job = Job::new("git")
        .arg("-C")
        .arg(folder.as_str())
        .args(arguments)
        .cwd(folder)
        .stdin(Stdin::Bytes(input))
        .stdout(Sink::Capture { cap: OUTPUT_CAP })
        .stderr(Sink::Capture { cap: 64 << 10 })
        .limits(Limits::build())
        .confinement(Confinement::Open)
        .env("LC_ALL", "C");
    for name in ["PATH", "HOME", "XDG_CONFIG_HOME", "GIT_DIR"] {
        if let Ok(value) = std::env::var(name) {
            job = job.env(name, value);
        }
    }
    for (name, value) in environment {
        job = job.env(*name, *value);
    }
    let finished = job.run(launcher)?;
    if finished.exit.success() {
        return Ok(finished.stdout.bytes);
    }
    Err(GitError::Failed {
        command: arguments.first().copied().unwrap_or_default().to_owned(),
        message: finished.stderr.text().trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_diffs_are_read_with_deletions_links_and_submodules() {
        let text = ":100644 100644 aaa bbb M\0src/A.java\0:100644 000000 ccc 000 D\0old.txt\0:000000 120000 000 ddd A\0link\0:000000 160000 000 eee A\0sub\0";
        let entries = parse_raw(text);
        let summary: Vec<_> =
            entries.iter().map(|e| (e.path.as_str(), e.blob.as_str(), e.deleted, e.plain_file)).collect();
        assert_eq!(
            summary,
            [
                ("src/A.java", "bbb", false, true),
                ("old.txt", "000", true, true),
                ("link", "ddd", false, false),
                ("sub", "eee", false, false)
            ]
        );
    }

    #[test]
    fn batches_are_read_with_newlines_inside_and_empty_files() {
        let blobs = parse_batch(b"aaa blob 4\na\nb\n\nbbb blob 0\n\nccc blob 1\nx\n");
        assert_eq!(blobs, [b"a\nb\n".to_vec(), Vec::new(), b"x".to_vec()]);
    }

    #[test]
    fn a_torn_batch_gives_what_is_whole() {
        assert_eq!(parse_batch(b"aaa blob 2\nab\nbbb missing\n"), [b"ab".to_vec()]);
    }
}
