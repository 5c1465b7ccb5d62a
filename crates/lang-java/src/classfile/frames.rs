//! StackMapTable: the same frames at new offsets.

use super::ClassFileError;
use super::reader::{Reader, put2};
use super::rewrite::Places;

const UNINITIALIZED_THIS: u8 = 6;
const OBJECT: u8 = 7;
const UNINITIALIZED: u8 = 8;

/// The frame of the handler that is added behind the code: no locals, an exception on the stack.
#[derive(Debug, Clone, Copy)]
pub(super) struct HandlerFrame {
    pub(super) at: usize,
    /// Index of the exception's class in the pool.
    pub(super) class: usize,
}

/// Writes the frames of `table` (none if absent) at their new places, and the handler's.
pub(super) fn rewrite(
    table: Option<&[u8]>,
    places: &Places<'_>,
    handler: Option<HandlerFrame>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let mut reader = Reader::new(table.unwrap_or(&[0, 0]));
    let count = reader.size2()?;
    put2(out, count + usize::from(handler.is_some()));
    let mut old = None;
    let mut new = None;
    for _ in 0..count {
        let tag = reader.u1()?;
        let offset = behind(old, delta(tag, &mut reader)?);
        let place = places.label(offset)?;
        old = Some(offset);
        let delta = between(new, place)?;
        new = Some(place);
        write_frame(tag, delta, &mut reader, places, out)?;
    }
    if let Some(handler) = handler {
        out.push(255);
        put2(out, between(new, handler.at)?);
        put2(out, 0);
        put2(out, 1);
        out.push(OBJECT);
        put2(out, handler.class);
    }
    if reader.is_at_end() || table.is_none() {
        Ok(())
    } else {
        Err(ClassFileError::Malformed("there are bytes behind the frames"))
    }
}

fn behind(previous: Option<usize>, delta: usize) -> usize {
    previous.map_or(delta, |previous| previous + 1 + delta)
}

fn between(previous: Option<usize>, place: usize) -> Result<usize, ClassFileError> {
    let from = previous.map_or(0, |previous| previous + 1);
    place.checked_sub(from).ok_or(ClassFileError::Malformed("frames are out of order"))
}

/// Reads a frame's distance; what follows are its types.
fn delta(tag: u8, reader: &mut Reader<'_>) -> Result<usize, ClassFileError> {
    match tag {
        0..=63 => Ok(usize::from(tag)),
        64..=127 => Ok(usize::from(tag - 64)),
        247..=255 => reader.size2(),
        _ => Err(ClassFileError::Malformed("a frame is of an unknown kind")),
    }
}

fn write_frame(
    tag: u8,
    delta: usize,
    reader: &mut Reader<'_>,
    places: &Places<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let short = u8::try_from(delta).ok().filter(|&delta| delta < 64);
    match (tag, short) {
        (0..=63 | 251, Some(delta)) => out.push(delta),
        (64..=127 | 247, Some(delta)) => out.push(64 + delta),
        (0..=63 | 251, None) => out.push(251),
        (64..=127 | 247, None) => out.push(247),
        _ => out.push(tag),
    }
    if short.is_none() || !matches!(tag, 0..=127 | 247 | 251) {
        put2(out, delta);
    }
    match tag {
        64..=127 | 247 => copy_types(1, reader, places, out),
        252..=254 => copy_types(usize::from(tag) - 251, reader, places, out),
        255 => {
            for _ in 0..2 {
                let count = reader.size2()?;
                put2(out, count);
                copy_types(count, reader, places, out)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn copy_types(
    count: usize,
    reader: &mut Reader<'_>,
    places: &Places<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    for _ in 0..count {
        let tag = reader.u1()?;
        out.push(tag);
        match tag {
            OBJECT => put2(out, reader.size2()?),
            // The offset of the `new` itself, which stands behind the probes at its label.
            UNINITIALIZED => put2(out, places.instruction(reader.size2()?)?),
            _ => {}
        }
    }
    Ok(())
}

/// For each frame its offset, and whether a local holds the constructor's object before it is initialised. At the
/// start the first of `locals` does.
pub(super) fn uninitialised(table: &[u8], locals: usize) -> Result<Vec<(usize, bool)>, ClassFileError> {
    let mut reader = Reader::new(table);
    let mut locals: Vec<bool> = (0..locals).map(|local| local == 0).collect();
    let mut offset = None;
    let mut frames = Vec::new();
    for _ in 0..reader.size2()? {
        let tag = reader.u1()?;
        let at = behind(offset, delta(tag, &mut reader)?);
        match tag {
            64..=127 | 247 => {
                read_type(&mut reader)?;
            }
            248..=250 => locals.truncate(locals.len().saturating_sub(usize::from(251 - tag))),
            252..=254 => {
                for _ in 251..tag {
                    locals.push(read_type(&mut reader)?);
                }
            }
            255 => {
                locals.clear();
                for _ in 0..reader.size2()? {
                    locals.push(read_type(&mut reader)?);
                }
                for _ in 0..reader.size2()? {
                    read_type(&mut reader)?;
                }
            }
            _ => {}
        }
        offset = Some(at);
        frames.push((at, locals.contains(&true)));
    }
    Ok(frames)
}

/// Reads a type; whether it is that of a constructor's object before it is initialised.
fn read_type(reader: &mut Reader<'_>) -> Result<bool, ClassFileError> {
    let tag = reader.u1()?;
    if matches!(tag, OBJECT | UNINITIALIZED) {
        reader.skip(2)?;
    }
    Ok(tag == UNINITIALIZED_THIS)
}
