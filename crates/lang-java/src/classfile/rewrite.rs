//! Code with probes in it, and everything that points into the code.

use super::ClassFileError;
use super::RUNTIME_CLASS;
use super::annotations;
use super::code::{Attribute, Code};
use super::constants::NewConstants;
use super::frames::{self, HandlerFrame};
use super::opcode::{self, ATHROW, DUP, GOTO, INVOKESTATIC, JSR, LOOKUPSWITCH, TABLESWITCH};
use super::plan::SkipReason;
use super::reader::{Reader, put2, put4, sized4};
use super::weave::{Slot, Weave, push, wide_jump};

/// Where instructions have gone.
#[derive(Debug)]
pub(super) struct Places<'a> {
    code: &'a Code<'a>,
    /// Where jumps to each instruction go; the end is one, too.
    labels: Vec<usize>,
    /// Where each instruction itself is; likewise.
    instructions: Vec<usize>,
    /// Whether each instruction was a short jump and is a wide one.
    widened: Vec<bool>,
}

/// The longest code that a class file can hold.
const LONGEST: usize = 65535;
/// What [`handler_code`] needs at most.
const HANDLER_STACK: usize = 5;

impl<'a> Places<'a> {
    fn of(code: &'a Code<'a>, weave: &Weave) -> Result<Self, SkipReason> {
        let count = code.len() + 1;
        let mut places = Self {
            code,
            labels: Vec::with_capacity(count),
            instructions: Vec::with_capacity(count),
            widened: vec![false; code.len()],
        };
        loop {
            places.lay_out(weave);
            if places.instructions[code.len()] > LONGEST {
                return Err(SkipReason::TooLong);
            }
            if !places.widen()? {
                return Ok(places);
            }
        }
    }

    fn lay_out(&mut self, weave: &Weave) {
        self.labels.clear();
        self.instructions.clear();
        let mut insertions = weave.insertions.iter().peekable();
        let mut place = 0;
        for at in 0..self.code.len() {
            let mut label = place;
            let mut gone = false;
            while let Some(insertion) = insertions.next_if(|insertion| insertion.before == at) {
                place += insertion.code.len();
                match insertion.slot {
                    Slot::Fall => label = place,
                    Slot::Label => {}
                    Slot::Instead => gone = true,
                }
            }
            self.labels.push(label);
            self.instructions.push(place);
            if !gone {
                place += self.length(at, place);
            }
        }
        self.labels.push(place);
        self.instructions.push(place);
    }

    fn length(&self, at: usize, place: usize) -> usize {
        let start = self.code.starts[at];
        let length = self.code.starts[at + 1] - start;
        match self.code.bytes[start] {
            TABLESWITCH | LOOKUPSWITCH => length - opcode::padding(start) + opcode::padding(place),
            _ if self.widened[at] => 5,
            _ => length,
        }
    }

    /// Widens short jumps that do not reach; whether there were any.
    fn widen(&mut self) -> Result<bool, SkipReason> {
        let mut any = false;
        for jump in &self.code.jumps {
            let opcode = self.code.opcode(jump.from);
            let is_wide = self.widened[jump.from]
                || matches!(opcode, TABLESWITCH | LOOKUPSWITCH | opcode::GOTO_W | opcode::JSR_W);
            let distance = self.labels[jump.to].cast_signed() - self.instructions[jump.from].cast_signed();
            if is_wide || i16::try_from(distance).is_ok() {
                continue;
            }
            if !matches!(opcode, GOTO | JSR) {
                return Err(SkipReason::TooFar);
            }
            self.widened[jump.from] = true;
            any = true;
        }
        Ok(any)
    }

    /// Where what pointed to `offset` as a place to go points now.
    pub(super) fn label(&self, offset: usize) -> Result<usize, ClassFileError> {
        Ok(self.labels[self.code.at(offset)?])
    }

    /// Where the instruction that was at `offset` is now.
    pub(super) fn instruction(&self, offset: usize) -> Result<usize, ClassFileError> {
        Ok(self.instructions[self.code.at(offset)?])
    }

    /// Writes start and length of a range.
    pub(super) fn put_range(
        &self,
        start: usize,
        length: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), ClassFileError> {
        let end = self.label(start + length)?;
        let start = self.label(start)?;
        put2(out, start);
        put2(out, end - start);
        Ok(())
    }

    /// Distance from the jump `from` to a label.
    fn distance(&self, from: usize, offset: usize) -> Result<isize, ClassFileError> {
        Ok(self.label(offset)?.cast_signed() - self.instructions[from].cast_signed())
    }
}

/// Why code cannot be written.
#[derive(Debug)]
pub(super) enum RewriteError {
    Skip(SkipReason),
    Malformed(ClassFileError),
}

impl From<ClassFileError> for RewriteError {
    fn from(error: ClassFileError) -> Self {
        Self::Malformed(error)
    }
}

/// Writes the contents of the attribute `Code` with probes. `needs_frames` if the class is of a version whose
/// handlers need a frame.
pub(super) fn rewrite(
    code: &Code<'_>,
    weave: &Weave,
    needs_frames: bool,
    constants: &mut NewConstants,
    out: &mut Vec<u8>,
) -> Result<(), RewriteError> {
    let places = Places::of(code, weave).map_err(RewriteError::Skip)?;
    let end = places.instructions[code.len()];
    let handler = weave.watch.map(|(_, id)| handler_code(id, constants));
    let length = end + handler.as_ref().map_or(0, Vec::len);
    let max_stack = (code.max_stack + weave.extra_stack).max(HANDLER_STACK);
    if length > LONGEST || max_stack > LONGEST {
        return Err(RewriteError::Skip(SkipReason::TooLong));
    }
    put2(out, max_stack);
    put2(out, code.max_locals);
    put4(out, length);
    put_code(code, weave, &places, out)?;
    out.extend_from_slice(handler.as_deref().unwrap_or_default());
    put2(out, code.handlers.len() + usize::from(handler.is_some()));
    for row in &code.handlers {
        put2(out, places.label(row.start)?);
        put2(out, places.label(row.end)?);
        put2(out, places.label(row.target)?);
        put2(out, row.class);
    }
    if let Some((from, _)) = weave.watch {
        for offset in [places.labels[from], end, end, 0] {
            put2(out, offset);
        }
    }
    let frame = (needs_frames && handler.is_some())
        .then(|| HandlerFrame { at: end, class: constants.class("java/lang/Throwable") });
    put_attributes(code, &places, frame, constants, out)?;
    Ok(())
}

/// `thrown(exception, id)`, and throws it again.
fn handler_code(id: u32, constants: &mut NewConstants) -> Vec<u8> {
    let thrown = constants.method(RUNTIME_CLASS, "thrown", "(Ljava/lang/Throwable;I)V");
    let mut code = vec![DUP];
    push(&mut code, constants, id);
    code.push(INVOKESTATIC);
    put2(&mut code, thrown);
    code.push(ATHROW);
    code
}

fn put_code(
    code: &Code<'_>,
    weave: &Weave,
    places: &Places<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let mut insertions = weave.insertions.iter().peekable();
    for at in 0..code.len() {
        let mut gone = false;
        while let Some(insertion) = insertions.next_if(|insertion| insertion.before == at) {
            out.extend_from_slice(&weave.code[insertion.code.clone()]);
            gone |= insertion.slot == Slot::Instead;
        }
        if !gone {
            put_instruction(code, at, places, out)?;
        }
    }
    Ok(())
}

fn put_instruction(
    code: &Code<'_>,
    at: usize,
    places: &Places<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    use super::opcode::Transfer;
    let opcode = code.opcode(at);
    match code.transfer(at) {
        Transfer::Branch(to) | Transfer::Goto(to) | Transfer::Subroutine(to) => {
            let distance = places.distance(at, to)?;
            if places.widened[at] {
                wide_jump(out, opcode, distance);
            } else if matches!(opcode, opcode::GOTO_W | opcode::JSR_W) {
                out.push(opcode);
                put4(out, distance.cast_unsigned());
            } else {
                out.push(opcode);
                put2(out, distance.cast_unsigned());
            }
        }
        Transfer::Switch => put_switch(code, at, places, out)?,
        Transfer::Next | Transfer::Leave => {
            out.extend_from_slice(&code.bytes[code.starts[at]..code.starts[at + 1]]);
        }
    }
    Ok(())
}

fn put_switch(
    code: &Code<'_>,
    at: usize,
    places: &Places<'_>,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let start = code.starts[at];
    let switch = opcode::switch(code.bytes, start)?;
    out.push(code.bytes[start]);
    out.resize(out.len() + opcode::padding(places.instructions[at]), 0);
    put4(out, places.distance(at, switch.default)?.cast_unsigned());
    let head = start + 1 + opcode::padding(start) + 4;
    let is_table = code.bytes[start] == TABLESWITCH;
    out.extend_from_slice(&code.bytes[head..head + if is_table { 8 } else { 4 }]);
    for (key, to) in switch.cases {
        if !is_table {
            out.extend_from_slice(&key.to_be_bytes());
        }
        put4(out, places.distance(at, to)?.cast_unsigned());
    }
    Ok(())
}

const FRAMES: &str = "StackMapTable";

fn put_attributes(
    code: &Code<'_>,
    places: &Places<'_>,
    frame: Option<HandlerFrame>,
    constants: &mut NewConstants,
    out: &mut Vec<u8>,
) -> Result<(), ClassFileError> {
    let count_at = out.len();
    put2(out, 0);
    let mut count = 0;
    for attribute in &code.attributes {
        let start = out.len();
        put2(out, attribute.name_index);
        if sized4(out, |out| put_attribute(attribute, places, frame, out))? {
            count += 1;
        } else {
            out.truncate(start);
        }
    }
    if frame.is_some() && code.attribute(FRAMES.as_bytes()).is_none() {
        put2(out, constants.text(FRAMES));
        sized4(out, |out| frames::rewrite(None, places, frame, out))?;
        count += 1;
    }
    let mut counted = Vec::new();
    put2(&mut counted, count);
    out[count_at..count_at + 2].copy_from_slice(&counted);
    Ok(())
}

/// Writes an attribute's contents; whether it is one that can be kept.
fn put_attribute(
    attribute: &Attribute<'_>,
    places: &Places<'_>,
    frame: Option<HandlerFrame>,
    out: &mut Vec<u8>,
) -> Result<bool, ClassFileError> {
    let start = out.len();
    let info = attribute.info;
    let kept = match attribute.name {
        b"StackMapTable" => return frames::rewrite(Some(info), places, frame, out).map(|()| true),
        b"LineNumberTable" => put_lines(info, places, out),
        b"LocalVariableTable" | b"LocalVariableTypeTable" => put_variables(info, places, out),
        b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
            annotations::rewrite(info, places, out)
        }
        _ => return Ok(false),
    };
    // Nothing depends on them but the frames, and some compilers write offsets that point nowhere.
    if kept.is_err() {
        out.truncate(start);
    }
    Ok(kept.is_ok())
}

fn put_lines(info: &[u8], places: &Places<'_>, out: &mut Vec<u8>) -> Result<(), ClassFileError> {
    let mut reader = Reader::new(info);
    let count = reader.size2()?;
    put2(out, count);
    for _ in 0..count {
        put2(out, places.label(reader.size2()?)?);
        put2(out, reader.size2()?);
    }
    Ok(())
}

fn put_variables(info: &[u8], places: &Places<'_>, out: &mut Vec<u8>) -> Result<(), ClassFileError> {
    let mut reader = Reader::new(info);
    let count = reader.size2()?;
    put2(out, count);
    for _ in 0..count {
        places.put_range(reader.size2()?, reader.size2()?, out)?;
        out.extend_from_slice(reader.take(6)?);
    }
    Ok(())
}
