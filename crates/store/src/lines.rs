//! Files of one JSON value a line, appended as results come, and read again after a kill.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use bonafix_model::Event;
use camino::{Utf8Path, Utf8PathBuf};
use fs_err::{File, OpenOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// One line of `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventLine {
    /// When: milliseconds since 1970.
    pub at: u64,
    /// What.
    #[serde(flatten)]
    pub event: Event,
}

impl EventLine {
    pub(crate) fn now(event: Event) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { at: u64::try_from(since.as_millis()).unwrap_or(u64::MAX), event }
    }
}

/// What a file of lines holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines<T> {
    /// The values.
    pub values: Vec<T>,
    /// How many bytes of the file they are; what comes after was torn off by a kill.
    pub whole: u64,
    /// The last line was torn and is not among the values.
    pub torn: bool,
}

impl<T: DeserializeOwned> Lines<T> {
    /// Reads a file that may be growing, or may have been cut off. A missing file is an empty one.
    pub fn read(path: &Utf8Path) -> Result<Self, StoreError> {
        match fs_err::read(path) {
            Ok(bytes) => Self::parse(path, &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { values: Vec::new(), whole: 0, torn: false })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Only the last line may be unreadable: a kill tears the line that was being written and no other.
    fn parse(path: &Utf8Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let mut lines = Self { values: Vec::new(), whole: 0, torn: false };
        let mut rest = bytes;
        for number in 1.. {
            if rest.is_empty() {
                break;
            }
            let end = rest.iter().position(|byte| *byte == b'\n');
            let (line, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            match serde_json::from_slice(line) {
                Ok(value) if end.is_some() => lines.values.push(value),
                Err(error) if !after.is_empty() => {
                    let problem = error.to_string();
                    return Err(StoreError::Corrupt { path: path.to_owned(), line: number, problem });
                }
                _ => {
                    lines.torn = true;
                    break;
                }
            }
            lines.whole += line.len() as u64;
            rest = after;
        }
        Ok(lines)
    }
}

/// Appends lines to a file. A line that could not be written whole is taken back, so the file stays readable.
#[derive(Debug)]
pub(crate) struct LineWriter {
    path: Utf8PathBuf,
    file: Mutex<File>,
}

impl LineWriter {
    /// Opens for appending, after cutting the file to its first `whole` bytes.
    pub(crate) fn open(path: Utf8PathBuf, whole: u64) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() > whole {
            file.set_len(whole)?;
        }
        Ok(Self { path, file: Mutex::new(file) })
    }

    pub(crate) fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Appends one value; with `durable` it is on the disk when this returns.
    pub(crate) fn append(&self, value: &impl Serialize, durable: bool) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let before = file.metadata()?.len();
        let written = file.write_all(&line).and_then(|()| if durable { file.sync_data() } else { Ok(()) });
        if written.is_err() {
            // Best effort: a torn last line is dropped by the reader anyway, one in the middle would not be.
            let _ = file.set_len(before);
        }
        written
    }
}

/// Writes a whole file so that a reader sees the old one or the new one, never half of it.
pub(crate) fn write_whole(path: &Utf8Path, value: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    let temporary = Utf8PathBuf::from(format!("{path}.tmp-{}", std::process::id()));
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs_err::rename(&temporary, path));
    if written.is_err() {
        let _ = fs_err::remove_file(&temporary);
    }
    written
}

/// The fields that every file of ours has, whatever its format.
#[derive(Deserialize)]
struct Head {
    format: u32,
    #[serde(default)]
    bonafix: String,
}

/// Reads a whole file that carries its format, and says so when it is another one.
pub(crate) fn read_versioned<T: DeserializeOwned>(path: &Utf8Path) -> Result<T, StoreError> {
    let bytes = fs_err::read(path)?;
    let corrupt = |error: &serde_json::Error| StoreError::Corrupt {
        path: path.to_owned(),
        line: error.line(),
        problem: error.to_string(),
    };
    let head: Head = serde_json::from_slice(&bytes).map_err(|error| corrupt(&error))?;
    if head.format != bonafix_model::FORMAT_VERSION {
        return Err(StoreError::OtherFormat {
            path: path.to_owned(),
            found: head.format,
            writer: head.bonafix,
            ours: bonafix_model::FORMAT_VERSION,
        });
    }
    serde_json::from_slice(&bytes).map_err(|error| corrupt(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Lines<u32>, StoreError> {
        Lines::parse(Utf8Path::new("x.jsonl"), text.as_bytes())
    }

    #[test]
    fn a_last_line_without_its_end_is_dropped_even_if_it_reads_well() {
        // `12` may be the beginning of `123`.
        let lines = parse("1\n12").unwrap();
        assert_eq!((lines.values, lines.whole, lines.torn), (vec![1], 2, true));
    }

    #[test]
    fn a_last_line_of_zero_bytes_is_dropped() {
        let lines = parse("1\n\0\0\0\n").unwrap();
        assert_eq!((lines.values, lines.whole, lines.torn), (vec![1], 2, true));
    }

    #[test]
    fn a_broken_line_in_the_middle_is_an_error_with_its_number() {
        let error = parse("1\nx\n3\n").unwrap_err().to_string();
        assert!(error.starts_with("x.jsonl:2: not what bonafix writes"), "{error}");
    }

    #[test]
    fn an_empty_file_and_a_whole_file_are_not_torn() {
        assert_eq!(parse("").unwrap(), Lines { values: vec![], whole: 0, torn: false });
        assert_eq!(parse("1\n2\n").unwrap(), Lines { values: vec![1, 2], whole: 4, torn: false });
    }

    #[test]
    fn an_event_line_is_flat() {
        let line = EventLine { at: 5, event: Event::Notice { text: "n".to_owned() } };
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(text, r#"{"at":5,"event":"notice","text":"n"}"#);
        assert_eq!(serde_json::from_str::<EventLine>(&text).unwrap(), line);
    }
}
