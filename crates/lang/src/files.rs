//! Files that every language writes alike: a version's edits, and logs.

use std::io::{self, Write};

use bonafix_model::{FileEdit, TreeChange};
use camino::Utf8Path;

/// Writes a change into a copy of the buggy tree.
pub fn apply_change(tree: &Utf8Path, change: &TreeChange) -> io::Result<()> {
    for (path, edit) in &change.files {
        let file = tree.join(path);
        match edit {
            FileEdit::Write(contents) => {
                if let Some(folder) = file.parent() {
                    fs_err::create_dir_all(folder)?;
                }
                fs_err::write(&file, contents)?;
            }
            FileEdit::Delete if file.exists() => fs_err::remove_file(&file)?,
            FileEdit::Delete => {}
        }
    }
    Ok(())
}

/// Adds lines to a log.
pub fn append_log(log: &Utf8Path, lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut file = fs_err::OpenOptions::new().create(true).append(true).open(log)?;
    for line in lines {
        writeln!(file, "{line}")?;
    }
    Ok(())
}
