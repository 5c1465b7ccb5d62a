//! The file in which a VM leaves its traces, as `TraceFile` of the runtime writes it and `docs/runtime-java.md` describes
//! it. It comes from where subject code runs, so all of it is checked.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use bonafix_lang::LangError;
use bonafix_model::Trace;
use camino::Utf8Path;

const BEGIN: u8 = 0;
/// Longer names are no names.
const MAX_NAME: u32 = 1 << 16;

/// What is known of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// It came to no changed method.
    NotReached,
    /// Its trace follows.
    Trace,
    /// Another one ran at the same time.
    Mixed,
    /// The file was full.
    NoRoom,
}

/// One record.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) id: String,
    pub(super) kind: RecordKind,
    at: u64,
    length: usize,
}

/// A file of traces, of which only the list is in memory.
#[derive(Debug)]
pub(super) struct Records {
    file: Option<File>,
    /// Those of the first VM that wrote into it.
    pub(super) list: Vec<Record>,
    /// Another VM went on after the first.
    pub(super) was_restarted: bool,
}

impl Records {
    /// Lists what is there; a record that is not whole ends the list.
    pub(super) fn open(path: &Utf8Path) -> Result<Self, LangError> {
        Self::read(path, false)
    }

    /// Those of all VMs that wrote one after the other.
    pub(super) fn of_all(path: &Utf8Path) -> Result<Self, LangError> {
        Self::read(path, true)
    }

    fn read(path: &Utf8Path, of_all: bool) -> Result<Self, LangError> {
        let Ok(file) = File::open(path) else {
            return Ok(Self { file: None, list: Vec::new(), was_restarted: false });
        };
        let mut reader = BufReader::new(&file);
        let (mut list, mut begun, mut was_restarted) = (Vec::new(), 0, false);
        let mut at = 0;
        while let Some((tag, id, length, end)) = header(&mut reader, at)? {
            let kind = match tag {
                BEGIN if begun == 0 => None,
                BEGIN => {
                    was_restarted = true;
                    if !of_all {
                        break;
                    }
                    None
                }
                1 => Some(RecordKind::NotReached),
                2 => Some(RecordKind::Trace),
                3 => Some(RecordKind::Mixed),
                _ => Some(RecordKind::NoRoom),
            };
            begun += 1;
            let start = end - length as u64;
            list.extend(kind.map(|kind| Record { id, kind, at: start, length }));
            reader.seek_relative(i64::try_from(length).unwrap_or(i64::MAX))?;
            at = end;
        }
        Ok(Self { file: Some(file), list, was_restarted })
    }

    /// The record of an execution; none if there are several, or none at all.
    pub(super) fn only(&self, id: &str) -> Option<&Record> {
        let mut found = self.list.iter().filter(|record| record.id == id);
        found.next().filter(|_| found.next().is_none())
    }

    /// A trace as it stands in the file.
    pub(super) fn raw(&mut self, record: &Record) -> Result<Vec<u8>, LangError> {
        let Some(file) = self.file.as_mut() else { return Ok(Vec::new()) };
        file.seek(SeekFrom::Start(record.at))?;
        let mut bytes = Vec::new();
        file.take(record.length as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Kind, name, length of what follows, and where that ends; none at the end or where a record is not whole.
fn header(reader: &mut BufReader<&File>, at: u64) -> Result<Option<(u8, String, usize, u64)>, LangError> {
    let size = reader.get_ref().metadata()?.len();
    let mut fixed = [0; 9];
    if at + 9 > size || reader.read_exact(&mut fixed).is_err() {
        return Ok(None);
    }
    let number = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let (length, name) = (number(0), number(5));
    let end = at + 4 + u64::from(length);
    if name > MAX_NAME || length < 5 + name || end > size {
        return Ok(None);
    }
    let mut id = vec![0; name as usize];
    reader.read_exact(&mut id)?;
    let rest = (length - 5 - name) as usize;
    Ok(Some((fixed[4], String::from_utf8_lossy(&id).into_owned(), rest, end)))
}

/// The trace of a record, in numbers of statements instead of probes; none where it makes no sense.
pub(super) fn decode(raw: &[u8], statements: &[u32]) -> Option<Trace> {
    let (flag, mut rest) = raw.split_first()?;
    let count = number(&mut rest)?;
    // Each takes a byte at least.
    if count as usize > rest.len() {
        return None;
    }
    let mut found = Vec::with_capacity(count as usize);
    let mut probe = 0_u32;
    for _ in 0..count {
        let bits = number(&mut rest)?;
        probe = probe.wrapping_add((bits >> 1) ^ (bits & 1).wrapping_neg());
        found.push(*statements.get(probe as usize)?);
    }
    let marks = number(&mut rest)?;
    let mut changed = Vec::new();
    let mut last = 0;
    for _ in 0..marks / 2 {
        let part = (number(&mut rest)?, number(&mut rest)?);
        if part.0 < last || part.1 < part.0 || part.1 > count {
            return None;
        }
        last = part.1;
        changed.push(part);
    }
    Some(Trace { statements: found, changed, cut: *flag != 0 })
}

/// Seven bits at a time, the lowest first.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u32;
    for shift in (0..35).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use camino::Utf8PathBuf;

    use super::*;

    fn record(kind: u8, id: &str, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(5 + id.len() + body.len()).unwrap();
        let name = u32::try_from(id.len()).unwrap();
        [&length.to_be_bytes()[..], &[kind], &name.to_be_bytes(), id.as_bytes(), body].concat()
    }

    #[test]
    fn records_are_listed_up_to_a_second_vm_or_one_that_is_not_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("lines")).unwrap();
        let whole = [record(0, "", &[]), record(1, "T#a", &[]), record(2, "T#b", &[0, 0, 0])].concat();
        fs_err::write(&path, [&whole[..], &[0, 0, 0, 0, 2, 0]].concat()).unwrap();
        let mut records = Records::open(&path).unwrap();
        let ids: Vec<&str> = records.list.iter().map(|record| record.id.as_str()).collect();
        assert_eq!((ids, records.was_restarted), (vec!["T#a", "T#b"], false));
        let record_b = records.only("T#b").unwrap().clone();
        assert_eq!(records.raw(&record_b).unwrap(), [0, 0, 0]);
        fs_err::write(&path, [whole, record(0, "", &[]), record(1, "T#a", &[])].concat()).unwrap();
        let records = Records::open(&path).unwrap();
        assert!(records.was_restarted);
        assert!(records.only("T#a").is_some() && records.only("T#c").is_none());
        assert_eq!(Records::of_all(&path).unwrap().list.len(), 3);
        assert!(Records::open(&path.with_extension("none")).unwrap().list.is_empty());
    }

    #[test]
    fn a_trace_is_decoded_and_nonsense_is_not() {
        // Probes 1, 3, 2, one call over the last two.
        let raw = [0, 3, 2, 4, 1, 2, 1, 3];
        let trace = decode(&raw, &[10, 11, 12, 13]).unwrap();
        assert_eq!(trace, Trace { statements: vec![11, 13, 12], changed: vec![(1, 3)], cut: false });
        assert_eq!(decode(&raw, &[10, 11, 12]), None, "a probe that is not there");
        assert_eq!(decode(&raw[..6], &[10, 11, 12, 13]), None);
        assert_eq!(decode(&[0, 3, 2, 4, 1, 2, 1, 4], &[10, 11, 12, 13]), None, "a call behind the end");
        assert_eq!(decode(&[1, 0, 0], &[]).unwrap(), Trace { cut: true, ..Trace::default() });
        assert_eq!(decode(&[0, 0xff, 0xff, 0xff, 0xff, 0x0f], &[]), None, "a count beyond reason");
    }
}
