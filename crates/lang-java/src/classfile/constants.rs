//! The constant pool: what a class file has, and what is appended to it.

use std::collections::BTreeMap;

use super::ClassFileError;
use super::reader::{Reader, put2};

const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const LONG: u8 = 5;
const DOUBLE: u8 = 6;
const CLASS: u8 = 7;
const FIELD: u8 = 9;
const METHOD: u8 = 10;
const INTERFACE_METHOD: u8 = 11;
const NAME_AND_TYPE: u8 = 12;

/// The pool of a class file. Entries are checked when they are looked up.
#[derive(Debug)]
pub(super) struct ConstantPool<'a> {
    class: &'a [u8],
    /// Offset of each entry's tag; 0 where there is none.
    entries: Vec<usize>,
}

impl<'a> ConstantPool<'a> {
    /// Reads the pool, whose count is next in `reader`.
    pub(super) fn read(class: &'a [u8], reader: &mut Reader<'a>) -> Result<Self, ClassFileError> {
        let count = reader.size2()?;
        let mut entries = Vec::with_capacity(count);
        entries.push(0);
        while entries.len() < count {
            entries.push(reader.at());
            let tag = reader.u1()?;
            match tag {
                UTF8 => {
                    let length = reader.size2()?;
                    reader.skip(length)?;
                }
                INTEGER | 4 | 9..=12 | 17 | 18 => reader.skip(4)?,
                LONG | DOUBLE => {
                    reader.skip(8)?;
                    entries.push(0);
                }
                CLASS | 8 | 16 | 19 | 20 => reader.skip(2)?,
                15 => reader.skip(3)?,
                _ => return Err(ClassFileError::Malformed("a constant has an unknown tag")),
            }
        }
        entries.truncate(count.max(1));
        Ok(Self { class, entries })
    }

    /// The number of entries, the unused first one included.
    pub(super) fn count(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, index: u16) -> Result<(u8, Reader<'a>), ClassFileError> {
        let at = self.entries.get(usize::from(index)).copied().unwrap_or(0);
        if at == 0 {
            return Err(ClassFileError::Malformed("a constant that is used does not exist"));
        }
        let mut reader = Reader::starting_at(self.class, at);
        Ok((reader.u1()?, reader))
    }

    fn entry_of(&self, index: u16, wanted: &[u8]) -> Result<Reader<'a>, ClassFileError> {
        let (tag, reader) = self.entry(index)?;
        if wanted.contains(&tag) {
            Ok(reader)
        } else {
            Err(ClassFileError::Malformed("a constant is of another kind than its use wants"))
        }
    }

    /// A text, in the format's own encoding.
    pub(super) fn utf8(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        let mut reader = self.entry_of(index, &[UTF8])?;
        let length = reader.size2()?;
        reader.take(length)
    }

    /// The internal name of a class.
    pub(super) fn class_name(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        let name = self.entry_of(index, &[CLASS])?.u2()?;
        self.utf8(name)
    }

    /// Owner and name of a method.
    pub(super) fn method(&self, index: u16) -> Result<(&'a [u8], &'a [u8]), ClassFileError> {
        let mut reader = self.entry_of(index, &[METHOD, INTERFACE_METHOD])?;
        let (owner, name_and_type) = (reader.u2()?, reader.u2()?);
        let name = self.entry_of(name_and_type, &[NAME_AND_TYPE])?.u2()?;
        Ok((self.class_name(owner)?, self.utf8(name)?))
    }

    /// Where the pool names the owner of a method, for each entry of a method that `owner` has under one of these names:
    /// offsets in the class file.
    pub(super) fn owners_of(&self, owner: &[u8], names: &[&[u8]]) -> Vec<usize> {
        let is_one = |index: usize| {
            let method = u16::try_from(index).ok().and_then(|index| self.method(index).ok());
            method.is_some_and(|(found, name)| found == owner && names.contains(&name))
        };
        // Behind the tag.
        (1..self.entries.len()).filter(|index| is_one(*index)).map(|index| self.entries[index] + 1).collect()
    }
}

/// What a new constant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Constant {
    Text(&'static str),
    Class(&'static str),
    Signature(&'static str, &'static str),
    Member(u8, &'static str, &'static str, &'static str),
}

/// Constants to append to a pool.
#[derive(Debug)]
pub(super) struct NewConstants {
    count: usize,
    bytes: Vec<u8>,
    known: BTreeMap<Constant, usize>,
    /// Members by name and descriptor, which are the same few again and again, and mostly the same memory.
    recent: Vec<(&'static str, &'static str, usize)>,
    integers: BTreeMap<u32, usize>,
}

/// No index of a pool is higher.
const HIGHEST: usize = 65534;
/// Room that is kept for names and methods, which cannot be done without.
const RESERVED: usize = 256;

impl NewConstants {
    /// Constants behind a pool of `count` entries.
    pub(super) fn behind(count: usize) -> Self {
        Self {
            count,
            bytes: Vec::new(),
            known: BTreeMap::new(),
            recent: Vec::new(),
            integers: BTreeMap::new(),
        }
    }

    /// Whether everything but integers will find room.
    pub(super) fn has_room(&self) -> bool {
        self.count + RESERVED < HIGHEST
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn intern(&mut self, constant: Constant, write: impl FnOnce(&mut Self) -> Vec<u8>) -> usize {
        if let Some(&index) = self.known.get(&constant) {
            return index;
        }
        let bytes = write(self);
        self.bytes.extend_from_slice(&bytes);
        let index = self.count;
        self.count += 1;
        self.known.insert(constant, index);
        index
    }

    pub(super) fn text(&mut self, text: &'static str) -> usize {
        self.intern(Constant::Text(text), |_| {
            let mut bytes = vec![UTF8];
            put2(&mut bytes, text.len());
            bytes.extend_from_slice(text.as_bytes());
            bytes
        })
    }

    pub(super) fn class(&mut self, name: &'static str) -> usize {
        self.intern(Constant::Class(name), |pool| {
            let name = pool.text(name);
            entry(CLASS, &[name])
        })
    }

    pub(super) fn method(
        &mut self,
        owner: &'static str,
        name: &'static str,
        descriptor: &'static str,
    ) -> usize {
        self.member(METHOD, owner, name, descriptor)
    }

    pub(super) fn field(
        &mut self,
        owner: &'static str,
        name: &'static str,
        descriptor: &'static str,
    ) -> usize {
        self.member(FIELD, owner, name, descriptor)
    }

    fn member(
        &mut self,
        tag: u8,
        owner: &'static str,
        name: &'static str,
        descriptor: &'static str,
    ) -> usize {
        let same = |row: &&(&'static str, &'static str, usize)| {
            std::ptr::eq(row.0, name) && std::ptr::eq(row.1, descriptor)
        };
        if let Some(row) = self.recent.iter().find(same) {
            return row.2;
        }
        let index = self.intern(Constant::Member(tag, owner, name, descriptor), |pool| {
            let owner = pool.class(owner);
            let signature = pool.intern(Constant::Signature(name, descriptor), |pool| {
                let name = pool.text(name);
                let descriptor = pool.text(descriptor);
                entry(NAME_AND_TYPE, &[name, descriptor])
            });
            entry(tag, &[owner, signature])
        });
        self.recent.push((name, descriptor, index));
        index
    }

    /// An integer, if there is room for one more.
    pub(super) fn integer(&mut self, value: u32) -> Option<usize> {
        if let Some(&index) = self.integers.get(&value) {
            return Some(index);
        }
        if !self.has_room() {
            return None;
        }
        self.bytes.push(INTEGER);
        self.bytes.extend_from_slice(&value.to_be_bytes());
        let index = self.count;
        self.count += 1;
        self.integers.insert(value, index);
        Some(index)
    }
}

fn entry(tag: u8, indexes: &[usize]) -> Vec<u8> {
    let mut bytes = vec![tag];
    for &index in indexes {
        put2(&mut bytes, index);
    }
    bytes
}

/// A text of a class file for people and maps. What is no text gets replacement characters.
pub(super) fn decoded(text: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(text) {
        return text.to_owned();
    }
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        let low = |at: usize| tail.get(at).map_or(0, |byte| u16::from(byte & 0x3f));
        let (unit, used) = match first {
            0..0x80 => (u16::from(first), 0),
            0xc0..0xe0 => (u16::from(first & 0x1f) << 6 | low(0), 1),
            0xe0..0xf0 => (u16::from(first & 0x0f) << 12 | low(0) << 6 | low(1), 2),
            _ => (0xfffd, 0),
        };
        units.push(unit);
        rest = tail.get(used..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
}
