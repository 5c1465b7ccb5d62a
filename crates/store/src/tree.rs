//! Folders as values: a digest of one, and a copy of one.
//!
//! Names that are not UTF-8 are digested and copied like any other: a subject's tests may need such files. Only the
//! `skip` function sees them with replacement characters.
//!
//! Links are never followed. Digested by their target, they are copied only when they stay inside the folder; a link
//! that leads out is left out and named, because a copy must not be a way to write elsewhere.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use blake3::Hasher;
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::{DirEntry, WalkDir};

use crate::StoreError;

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeDigest {
    /// Hash over paths, contents, exec bits and the targets of links, as 64 hexadecimal digits.
    pub hash: String,
    /// How many files and links.
    pub files: usize,
    /// How many bytes of contents.
    pub bytes: u64,
}

/// What a copy took along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyReport {
    /// How many files and links.
    pub files: usize,
    /// How many bytes of contents.
    pub bytes: u64,
    /// Links that lead out, sockets and devices: not copied, with the reason.
    pub left_out: Vec<String>,
}

/// Digests a folder. `skip` gets paths relative to `root`; a skipped folder is not entered. Empty folders and times
/// do not count.
pub fn digest_tree(root: &Utf8Path, skip: &dyn Fn(&Utf8Path) -> bool) -> Result<TreeDigest, StoreError> {
    let mut digest = TreeDigest { hash: String::new(), files: 0, bytes: 0 };
    let mut tree = Hasher::new();
    for entry in walk(root, skip) {
        let entry = entry?;
        let kind = entry.file_type();
        let contents = if kind.is_symlink() {
            let target = fs_err::read_link(entry.path())?;
            (b'l', blake3::hash(target.as_os_str().as_bytes()))
        } else if kind.is_file() {
            let (mark, hash, bytes) = digest_file(entry.path())?;
            digest.bytes += bytes;
            (mark, hash)
        } else {
            continue;
        };
        digest.files += 1;
        let path = below(root, entry.path()).as_os_str().as_bytes();
        tree.update(&(path.len() as u64).to_le_bytes());
        tree.update(path).update(&[contents.0]).update(contents.1.as_bytes());
    }
    digest.hash = tree.finalize().to_hex().to_string();
    Ok(digest)
}

/// A mark for plain or executable, the hash of the contents, and their length.
fn digest_file(path: &Path) -> io::Result<(u8, blake3::Hash, u64)> {
    let file = fs_err::File::open(path)?;
    let mark = if file.metadata()?.permissions().mode() & 0o111 == 0 { b'f' } else { b'x' };
    let mut hasher = Hasher::new();
    hasher.update_reader(file)?;
    Ok((mark, hasher.finalize(), hasher.count()))
}

/// Copies a folder into `to`, which is made. Keeps exec bits, times and links that stay inside; every file of the copy
/// can be written to. `to` may lie inside `from` and is not copied into itself.
pub fn copy_tree(
    from: &Utf8Path,
    to: &Utf8Path,
    skip: &dyn Fn(&Utf8Path) -> bool,
) -> Result<CopyReport, StoreError> {
    fs_err::create_dir_all(to)?;
    let (root, target) = (fs_err::canonicalize(from)?, fs_err::canonicalize(to)?);
    let own =
        target.strip_prefix(&root).ok().map(|own| Utf8PathBuf::from(own.to_string_lossy().into_owned()));
    let skip = |path: &Utf8Path| own.as_deref() == Some(path) || skip(path);
    let mut report = CopyReport::default();
    for entry in walk(from, &skip) {
        let entry = entry?;
        let relative = below(from, entry.path());
        let copy = to.as_std_path().join(relative);
        let kind = entry.file_type();
        if kind.is_dir() {
            fs_err::create_dir_all(&copy)?;
        } else if kind.is_file() {
            report.bytes += copy_file(entry.path(), &copy)?;
            report.files += 1;
        } else if !kind.is_symlink() {
            report.left_out.push(format!("{}: neither a file nor a folder nor a link", relative.display()));
        } else if let Some(target) = inner_target(&root, relative, &fs_err::read_link(entry.path())?) {
            fs_err::os::unix::fs::symlink(target, &copy)?;
            report.files += 1;
        } else {
            report.left_out.push(format!("{}: a link that leads out of the folder", relative.display()));
        }
    }
    Ok(report)
}

fn copy_file(from: &Path, to: &Path) -> io::Result<u64> {
    let bytes = fs_err::copy(from, to)?;
    let metadata = fs_err::metadata(from)?;
    let mode = metadata.permissions().mode();
    if mode & 0o600 != 0o600 {
        fs_err::set_permissions(to, PermissionsExt::from_mode(mode | 0o600))?;
    }
    let copy = fs_err::OpenOptions::new().write(true).open(to)?;
    copy.file().set_modified(metadata.modified()?)?;
    Ok(bytes)
}

/// The target that a link needs in a copy of `root`, or `None` if it leads out. A link to nothing that would be inside
/// stays.
fn inner_target(root: &Path, link: &Path, target: &Path) -> Option<PathBuf> {
    let folder = link.parent().unwrap_or(Path::new(""));
    let inside = match target.strip_prefix(root) {
        Ok(inside) => lexical(inside)?,
        Err(_) if target.is_absolute() => return None,
        Err(_) => lexical(&folder.join(target))?,
    };
    // A detour over another link can lead out although the words of the path do not.
    if fs_err::canonicalize(root.join(link)).is_ok_and(|real| !real.starts_with(root)) {
        return None;
    }
    if target.is_relative() {
        return Some(target.to_owned());
    }
    let up: PathBuf = folder.components().map(|_| "..").collect();
    let relative = up.join(inside);
    Some(if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative })
}

/// Resolves `.` and `..` in a relative path by its words; `None` when it climbs out.
fn lexical(path: &Path) -> Option<PathBuf> {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => resolved.push(name),
            Component::ParentDir => {
                if !resolved.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(resolved)
}

/// All entries below `root` in a fixed order, the root itself left out.
fn walk<'a>(
    root: &'a Utf8Path,
    skip: &'a dyn Fn(&Utf8Path) -> bool,
) -> impl Iterator<Item = Result<DirEntry, io::Error>> + 'a {
    let keep = move |entry: &DirEntry| {
        entry.depth() == 0 || !skip(Utf8Path::new(&below(root, entry.path()).to_string_lossy()))
    };
    WalkDir::new(root)
        .min_depth(1)
        .sort_by(|a, b| OsStr::cmp(a.file_name(), b.file_name()))
        .into_iter()
        .filter_entry(keep)
        .map(|entry| entry.map_err(io::Error::from))
}

fn below<'a>(root: &Utf8Path, path: &'a Path) -> &'a Path {
    path.strip_prefix(root).unwrap_or(path)
}
