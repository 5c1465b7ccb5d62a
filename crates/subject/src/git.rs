//! Revisions of a git checkout as trees and changes. Reads the repository, never writes to it or to its work tree.

use std::collections::BTreeSet;

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
    /// A merge that is not finished.
    #[error(
        "{} has conflicts of a merge; resolve them, or give the revision with the fix by `--head REV`",
        paths.join(", ")
    )]
    Conflicts {
        /// Where.
        paths: Vec<String>,
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

/// What differs between two revisions, or between a revision and the work tree.
#[derive(Debug, Default)]
pub struct RevisionChange {
    /// Edits below the subject's folder, relative to it.
    pub change: TreeChange,
    /// Changed paths that cannot be carried over: outside of the subject's folder, links, submodules; and folders of
    /// build output that git was not told to ignore.
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

    /// Submodules below the subject's folder at a commit, relative to it. The repository has none of their files.
    pub fn submodules(&self, commit: &str) -> Result<Vec<Utf8PathBuf>, GitError> {
        let listed = self.git(&["ls-tree", "-r", "-z", "--full-tree", commit])?;
        let paths = parse_submodules(&listed).filter_map(|path| {
            if self.prefix.as_str().is_empty() { Some(path) } else { path.strip_prefix(&self.prefix).ok() }
        });
        Ok(paths.map(Utf8Path::to_owned).collect())
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

    /// What the work tree has other than the commit `from`, whose files `write_tree` has put into `tree`: tracked files
    /// as they are on disk, and files that git does not know and was not told to ignore.
    pub fn work_tree_changes(&self, from: &str, tree: &Utf8Path) -> Result<RevisionChange, GitError> {
        let conflicts = parse_unmerged(&self.git(&["ls-files", "--unmerged", "-z"])?);
        if !conflicts.is_empty() {
            return Err(GitError::Conflicts { paths: conflicts.into_iter().collect() });
        }
        let raw = self.git(&[
            "diff-index",
            "-z",
            "--no-renames",
            "--raw",
            "--no-abbrev",
            "--ignore-submodules=dirty",
            from,
            "--",
        ])?;
        let mut entries = parse_raw(&raw);
        let unknown = self.git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        let mut left_out = BTreeSet::new();
        for path in unknown.split_terminator('\0').map(Utf8Path::new) {
            match build_output(path) {
                Some(folder) => drop(left_out.insert(format!("{folder}/"))),
                // A file that was taken out of the index only is in the first list as deleted.
                None => entries.push(RawEntry::unknown(path)),
            }
        }
        let mut change = TreeChange::default();
        for entry in entries {
            let now = if entry.deleted { None } else { OnDisk::at(&self.top.join(&entry.path)) };
            let same = now.is_some() && now == OnDisk::at(&tree.join(&entry.path));
            match (self.place(&entry), now) {
                // Only touched, or taken out of the index but not out of the work tree.
                (Some(path), _) if same => drop(change.files.remove(&path)),
                (None, _) if same => {}
                (Some(path), Some(OnDisk::File(contents))) => {
                    change.files.insert(path, FileEdit::Write(contents));
                }
                (Some(path), None) if entry.deleted => drop(change.files.insert(path, FileEdit::Delete)),
                _ => drop(left_out.insert(entry.path.to_string())),
            }
        }
        Ok(RevisionChange { change, left_out: left_out.into_iter().collect() })
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

impl RawEntry {
    /// Something that git does not know; a look at the disk says what it is.
    fn unknown(path: &Utf8Path) -> Self {
        Self { path: path.to_owned(), blob: String::new(), deleted: false, plain_file: true }
    }
}

/// What stands at a path of the work tree.
#[derive(PartialEq, Eq)]
enum OnDisk {
    File(Vec<u8>),
    Link(std::path::PathBuf),
}

impl OnDisk {
    /// `None` for a folder, for nothing, and for what cannot be read.
    fn at(path: &Utf8Path) -> Option<Self> {
        let kind = fs_err::symlink_metadata(path).ok()?.file_type();
        if kind.is_symlink() {
            fs_err::read_link(path).ok().map(Self::Link)
        } else if kind.is_file() {
            fs_err::read(path).ok().map(Self::File)
        } else {
            None
        }
    }
}

/// The folder of build output that a path lies in. Below a source folder `target` is but a name.
fn build_output(path: &Utf8Path) -> Option<&Utf8Path> {
    let above_sources = |folder: &&Utf8Path| !folder.components().any(|name| name.as_str() == "src");
    let is_output = |folder: &&Utf8Path| matches!(folder.file_name(), Some("target" | ".gradle"));
    path.ancestors().skip(1).filter(above_sources).filter(is_output).last()
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

/// Paths of mode 160000 in `mode type name TAB path NUL …`.
fn parse_submodules(text: &str) -> impl Iterator<Item = &Utf8Path> {
    let entries = text.split('\0').filter(|entry| entry.starts_with("160000 "));
    entries.filter_map(|entry| entry.split_once('\t')).map(|(_, path)| Utf8Path::new(path))
}

/// Reads `mode blob stage TAB path NUL …`; a path has up to three stages.
fn parse_unmerged(text: &str) -> BTreeSet<String> {
    let path = |entry: &str| entry.split_once('\t').map(|(_, path)| path.to_owned());
    text.split_terminator('\0').filter_map(path).collect()
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
        .env("LC_ALL", "C")
        // A look at the work tree must not write what it learns to the index.
        .env("GIT_OPTIONAL_LOCKS", "0");
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
    fn a_conflict_is_named_once() {
        let entries = ["100644 aaa 1\tA.java", "100644 bbb 2\tA.java", "100644 ddd 2\tB.java", ""];
        assert_eq!(parse_unmerged(&entries.join("\0")).into_iter().collect::<Vec<_>>(), ["A.java", "B.java"]);
        assert!(parse_unmerged("").is_empty());
    }

    #[test]
    fn build_output_is_told_from_packages_of_that_name() {
        let of = |path| build_output(Utf8Path::new(path)).map(Utf8Path::as_str);
        assert_eq!(of("target/classes/A.class"), Some("target"));
        assert_eq!(of("core/target/target/x"), Some("core/target"));
        assert_eq!(of("core/src/main/java/demo/target/A.java"), None);
        assert_eq!(of("src/A.java"), None);
    }

    #[test]
    fn submodules_are_found_in_a_listing() {
        let text = "100644 blob aaa\tA.java\x00160000 commit bbb\tlib/a b\x00040000 tree ccc\t160000 x\0";
        assert_eq!(parse_submodules(text).collect::<Vec<_>>(), ["lib/a b"]);
    }

    #[test]
    fn submodules_of_the_base_are_named_since_they_are_empty() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let launcher = Launcher::new(bonafix_proc::SandboxMode::Off).unwrap();
        let git = |arguments: &[&str]| {
            let user = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
            run(&launcher, root, &[&user, arguments].concat(), &[], Vec::new()).unwrap();
        };
        git(&["init", "-q"]);
        let link = format!("160000,{},lib/sub", "1".repeat(40));
        git(&["update-index", "--add", "--cacheinfo", &link]);
        git(&["commit", "-q", "-m", "base"]);
        fs_err::write(root.join("A.java"), "class A {}").unwrap();
        git(&["add", "A.java"]);
        git(&["commit", "-q", "-m", "head"]);
        let request = crate::description::Request {
            folder: root.to_owned(),
            base: Some("HEAD~1".to_owned()),
            head: Some("HEAD".to_owned()),
            ..Default::default()
        };
        let described = crate::description::describe(&request, &launcher).unwrap();
        let notice = described.notices.iter().find(|notice| notice.key == "submodules").unwrap();
        assert!(notice.text.contains("lib/sub") && notice.text.contains("--patch"), "{}", notice.text);
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
