//! The outline of a class file: where its methods are, and their code.

use std::ops::Range;

use super::ClassFileError;
use super::constants::ConstantPool;
use super::reader::Reader;

/// A class file, as far as it must be understood.
#[derive(Debug)]
pub(super) struct Class<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) major: u16,
    pub(super) pool: ConstantPool<'a>,
    /// Offset of the first byte behind the pool.
    pub(super) pool_end: usize,
    pub(super) name: &'a [u8],
    /// Empty for `java.lang.Object`.
    pub(super) superclass: &'a [u8],
    pub(super) methods: Vec<Method<'a>>,
}

/// One method of a class file.
#[derive(Debug)]
pub(super) struct Method<'a> {
    pub(super) is_static: bool,
    pub(super) name: &'a [u8],
    pub(super) descriptor: &'a [u8],
    /// The contents of the attribute `Code`, as a range of the class file.
    pub(super) code: Option<Range<usize>>,
}

const ACC_STATIC: u16 = 8;

impl<'a> Class<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, ClassFileError> {
        let mut reader = Reader::new(bytes);
        if reader.u4().map_err(|_| ClassFileError::Magic)? != 0xcafe_babe {
            return Err(ClassFileError::Magic);
        }
        let (_minor, major) = (reader.u2()?, reader.u2()?);
        let pool = ConstantPool::read(bytes, &mut reader)?;
        let pool_end = reader.at();
        let _access = reader.u2()?;
        let name = pool.class_name(reader.u2()?)?;
        let superclass = match reader.u2()? {
            0 => &[][..],
            index => pool.class_name(index)?,
        };
        let interfaces = reader.size2()?;
        reader.skip(interfaces * 2)?;
        for _ in 0..reader.size2()? {
            reader.skip(6)?;
            skip_attributes(&mut reader)?;
        }
        let mut methods = Vec::new();
        for _ in 0..reader.size2()? {
            methods.push(Method::read(&mut reader, &pool)?);
        }
        skip_attributes(&mut reader)?;
        if !reader.is_at_end() {
            return Err(ClassFileError::Malformed("there are bytes behind its end"));
        }
        Ok(Self { bytes, major, pool, pool_end, name, superclass, methods })
    }
}

impl<'a> Method<'a> {
    fn read(reader: &mut Reader<'a>, pool: &ConstantPool<'a>) -> Result<Self, ClassFileError> {
        let is_static = reader.u2()? & ACC_STATIC != 0;
        let name = pool.utf8(reader.u2()?)?;
        let descriptor = pool.utf8(reader.u2()?)?;
        let mut code = None;
        for _ in 0..reader.size2()? {
            let attribute = pool.utf8(reader.u2()?)?;
            let length = reader.size4()?;
            let start = reader.at();
            reader.skip(length)?;
            if attribute == b"Code" && code.is_none() {
                code = Some(start..start + length);
            }
        }
        Ok(Self { is_static, name, descriptor, code })
    }

    pub(super) fn is_constructor(&self) -> bool {
        self.name == b"<init>"
    }

    /// The kind of each parameter, by the first letter of its type, and of the result.
    pub(super) fn types(&self) -> Result<(Vec<u8>, u8), ClassFileError> {
        let malformed = ClassFileError::Malformed("a descriptor makes no sense");
        let mut parameters = Vec::new();
        let mut letters = self.descriptor.iter().copied();
        if letters.next() != Some(b'(') {
            return Err(malformed);
        }
        while let Some(letter) = letters.next() {
            match letter {
                b')' => return letters.next().map(|result| (parameters, result)).ok_or(malformed),
                b'[' => {
                    let element = letters.find(|&letter| letter != b'[');
                    if element == Some(b'L') {
                        letters.find(|&letter| letter == b';');
                    }
                    parameters.push(b'[');
                }
                b'L' => {
                    letters.find(|&letter| letter == b';');
                    parameters.push(b'L');
                }
                b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => parameters.push(letter),
                _ => return Err(malformed),
            }
        }
        Err(malformed)
    }
}

fn skip_attributes(reader: &mut Reader<'_>) -> Result<(), ClassFileError> {
    for _ in 0..reader.size2()? {
        reader.skip(2)?;
        let length = reader.size4()?;
        reader.skip(length)?;
    }
    Ok(())
}
