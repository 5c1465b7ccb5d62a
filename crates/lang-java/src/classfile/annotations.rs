//! Type annotations in code: the same at new offsets.

use super::ClassFileError;
use super::reader::{Reader, put2};
use super::rewrite::Places;

/// Writes the contents of `RuntimeVisibleTypeAnnotations` or its invisible twin.
pub(super) fn rewrite(info: &[u8], places: &Places<'_>, out: &mut Vec<u8>) -> Result<(), ClassFileError> {
    let mut reader = Reader::new(info);
    let count = reader.size2()?;
    put2(out, count);
    for _ in 0..count {
        let target = reader.u1()?;
        out.push(target);
        match target {
            0x40 | 0x41 => variables(&mut reader, places, out)?,
            0x42 => put2(out, reader.size2()?),
            0x43..=0x46 => put2(out, places.instruction(reader.size2()?)?),
            0x47..=0x4b => {
                put2(out, places.instruction(reader.size2()?)?);
                out.push(reader.u1()?);
            }
            _ => return Err(ClassFileError::Malformed("a type annotation has an unknown target")),
        }
        let start = reader.at();
        let path = usize::from(reader.u1()?);
        reader.skip(2 * path)?;
        skip_annotation(&mut reader, 0)?;
        out.extend_from_slice(&info[start..reader.at()]);
    }
    Ok(())
}

fn variables(reader: &mut Reader<'_>, places: &Places<'_>, out: &mut Vec<u8>) -> Result<(), ClassFileError> {
    let count = reader.size2()?;
    put2(out, count);
    for _ in 0..count {
        places.put_range(reader.size2()?, reader.size2()?, out)?;
        put2(out, reader.size2()?);
    }
    Ok(())
}

/// Deeper than any compiler nests annotations, and shallow enough for our stack.
const DEEPEST: usize = 100;

fn skip_annotation(reader: &mut Reader<'_>, depth: usize) -> Result<(), ClassFileError> {
    reader.skip(2)?;
    for _ in 0..reader.size2()? {
        reader.skip(2)?;
        skip_value(reader, depth + 1)?;
    }
    Ok(())
}

fn skip_value(reader: &mut Reader<'_>, depth: usize) -> Result<(), ClassFileError> {
    if depth > DEEPEST {
        return Err(ClassFileError::Malformed("annotations are nested too deeply"));
    }
    match reader.u1()? {
        b'e' => reader.skip(4),
        b'@' => skip_annotation(reader, depth + 1),
        b'[' => {
            for _ in 0..reader.size2()? {
                skip_value(reader, depth + 1)?;
            }
            Ok(())
        }
        _ => reader.skip(2),
    }
}
