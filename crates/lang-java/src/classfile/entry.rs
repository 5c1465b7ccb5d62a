//! Where the object of a constructor is initialised.
//!
//! Before the call of `super(…)` or `this(…)` the object can neither be passed to a probe nor be live in a frame of a
//! handler that does not know of it.

use super::class::{Class, Method};
use super::code::Code;
use super::frames;
use super::opcode::{INVOKESPECIAL, NEW, store};
use super::reader::Reader;

/// The instruction behind the call of `super(…)` or `this(…)`; `None` if that is not beyond doubt.
pub(super) fn initialised_from(
    class: &Class<'_>,
    method: &Method<'_>,
    code: &Code<'_>,
    parameters: &[u8],
) -> Option<usize> {
    let mut open = 0_usize;
    let mut found = None;
    for at in 0..code.len() {
        match code.opcode(at) {
            NEW => open += 1,
            INVOKESPECIAL => {
                let index = Reader::starting_at(code.bytes, code.starts[at] + 1).u2().ok()?;
                let (owner, name) = class.pool.method(index).ok()?;
                if name != b"<init>" {
                    continue;
                }
                if let Some(rest) = open.checked_sub(1) {
                    open = rest;
                } else if found.is_some() || (owner != class.name && owner != class.superclass) {
                    return None;
                } else {
                    found = Some(at + 1);
                }
            }
            _ => {}
        }
    }
    let found = found.filter(|&found| found < code.len())?;
    (parameters_are_kept(code, found, parameters) && frames_agree(method, code, found, parameters))
        .then_some(found)
}

/// Whether what is stored into parameters before is of their kind, so that they can be read then.
fn parameters_are_kept(code: &Code<'_>, found: usize, parameters: &[u8]) -> bool {
    let mut kinds = vec![None];
    for parameter in parameters {
        match parameter {
            b'J' => kinds.extend([Some(1), None]),
            b'F' => kinds.push(Some(2)),
            b'D' => kinds.extend([Some(3), None]),
            b'L' | b'[' => kinds.push(Some(4)),
            _ => kinds.push(Some(0)),
        }
    }
    (0..found)
        .filter_map(|at| store(code.bytes, code.starts[at]))
        .all(|(kind, local)| kinds.get(local).is_none_or(|parameter| *parameter == Some(kind)))
}

/// Whether frames before know the object as not initialised, and those behind as initialised.
fn frames_agree(method: &Method<'_>, code: &Code<'_>, found: usize, parameters: &[u8]) -> bool {
    debug_assert!(method.is_constructor());
    let Some(table) = code.attribute(b"StackMapTable") else { return true };
    let Ok(frames) = frames::uninitialised(table, 1 + parameters.len()) else { return false };
    let behind = code.starts[found];
    frames.into_iter().all(|(offset, uninitialised)| uninitialised == (offset < behind))
}
