//! The files of `--inputs-from` and `--inputs-to`: inputs that one run leaves to another.
//!
//! What is wrong with such a file is told before anything is built, not after an hour of searching.

use bonafix_model::{FORMAT_VERSION, InputSet};
use camino::Utf8Path;

use crate::error::CheckError;

/// The contents of a file of inputs, once they are known to be what they should.
pub(crate) fn checked_text(path: &Utf8Path) -> Result<Vec<u8>, CheckError> {
    let text = text(path)?;
    parse(path, &text)?;
    Ok(text)
}

pub(crate) fn read(path: &Utf8Path) -> Result<InputSet, CheckError> {
    parse(path, &text(path)?)
}

/// Can a file be written there? Tried, since only the system knows about all that may forbid it. What is there stays as
/// it is, and nothing is left behind.
pub(crate) fn check_target(path: &Utf8Path) -> Result<(), CheckError> {
    let wrong = |error: std::io::Error| unusable("write inputs to", path, &error);
    let is_new = match path.metadata() {
        Ok(known) if known.is_dir() => return Err(unusable("write inputs to", path, &"it is a folder")),
        // To open a pipe may mean to wait for its other end.
        Ok(known) if !known.is_file() => return Ok(()),
        known => known.is_err(),
    };
    std::fs::OpenOptions::new().append(true).create(true).open(path).map_err(wrong)?;
    if is_new { std::fs::remove_file(path).map_err(wrong) } else { Ok(()) }
}

#[expect(clippy::disallowed_methods, reason = "the message names the file already")]
pub(crate) fn write(path: &Utf8Path, sets: &[InputSet]) -> Result<(), CheckError> {
    let text = serde_json::to_vec(&InputSet::merged(sets))
        .map_err(|error| unusable("write inputs to", path, &error))?;
    std::fs::write(path, text).map_err(|error| unusable("write inputs to", path, &error))
}

#[expect(clippy::disallowed_methods, reason = "the message names the file already")]
fn text(path: &Utf8Path) -> Result<Vec<u8>, CheckError> {
    std::fs::read(path).map_err(|error| unusable("read inputs from", path, &error))
}

fn parse(path: &Utf8Path, text: &[u8]) -> Result<InputSet, CheckError> {
    let wrong = |why: &dyn std::fmt::Display| unusable("read inputs from", path, why);
    let set: InputSet = serde_json::from_slice(text).map_err(|error| wrong(&error))?;
    if set.format != FORMAT_VERSION {
        return Err(wrong(&format!("it has format {}, and this reads {FORMAT_VERSION}", set.format)));
    }
    Ok(set)
}

fn unusable(what: &str, path: &Utf8Path, why: &dyn std::fmt::Display) -> CheckError {
    CheckError::Usage(format!("cannot {what} {path}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, camino::Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().to_owned();
        (folder, path)
    }

    #[test]
    fn a_target_that_can_be_written_is_left_as_it_is() {
        let (_guard, folder) = folder();
        let (new, old) = (folder.join("new.json"), folder.join("old.json"));
        fs_err::write(&old, "before").unwrap();
        check_target(&new).unwrap();
        check_target(&old).unwrap();
        assert!(!new.exists());
        assert_eq!(fs_err::read_to_string(&old).unwrap(), "before");
    }

    #[test]
    fn a_message_names_the_file_once_and_says_why() {
        let (_guard, folder) = folder();
        let missing = folder.join("missing/inputs.json");
        let errors = [
            (check_target(&folder), &folder, "it is a folder"),
            (check_target(&missing), &missing, "No such file"),
            (write(&missing, &[]), &missing, "No such file"),
            (read(&missing).map(drop), &missing, "No such file"),
            (read(&folder).map(drop), &folder, "directory"),
        ];
        for (result, path, why) in errors {
            let message = result.unwrap_err().to_string();
            assert_eq!(message.matches(path.as_str()).count(), 1, "{message}");
            assert!(message.contains(why), "{message}");
        }
    }
}
