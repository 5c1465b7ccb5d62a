//! Instructions: their lengths, and where they go.

use super::ClassFileError;
use super::reader::Reader;

pub(super) const ACONST_NULL: u8 = 1;
pub(super) const ICONST_0: u8 = 3;
pub(super) const ICONST_1: u8 = 4;
pub(super) const BIPUSH: u8 = 16;
pub(super) const SIPUSH: u8 = 17;
pub(super) const LDC: u8 = 18;
pub(super) const LDC_W: u8 = 19;
pub(super) const ILOAD: u8 = 21;
pub(super) const ISTORE: u8 = 54;
pub(super) const ISTORE_0: u8 = 59;
pub(super) const IASTORE: u8 = 79;
pub(super) const AASTORE: u8 = 83;
pub(super) const BASTORE: u8 = 84;
pub(super) const DUP: u8 = 89;
pub(super) const DUP2: u8 = 92;
pub(super) const ISHL: u8 = 120;
pub(super) const IOR: u8 = 128;
pub(super) const LCMP: u8 = 148;
pub(super) const FCMPL: u8 = 149;
pub(super) const FCMPG: u8 = 150;
pub(super) const DCMPL: u8 = 151;
pub(super) const DCMPG: u8 = 152;
pub(super) const IFEQ: u8 = 153;
pub(super) const IFLE: u8 = 158;
pub(super) const IF_ICMPEQ: u8 = 159;
pub(super) const IF_ICMPLE: u8 = 164;
pub(super) const IF_ACMPEQ: u8 = 165;
pub(super) const IF_ACMPNE: u8 = 166;
pub(super) const GOTO: u8 = 167;
pub(super) const JSR: u8 = 168;
const RET: u8 = 169;
pub(super) const TABLESWITCH: u8 = 170;
pub(super) const LOOKUPSWITCH: u8 = 171;
pub(super) const IRETURN: u8 = 172;
pub(super) const RETURN: u8 = 177;
pub(super) const GETSTATIC: u8 = 178;
pub(super) const INVOKESPECIAL: u8 = 183;
pub(super) const INVOKESTATIC: u8 = 184;
pub(super) const NEW: u8 = 187;
pub(super) const ANEWARRAY: u8 = 189;
pub(super) const ATHROW: u8 = 191;
pub(super) const WIDE: u8 = 196;
pub(super) const IFNULL: u8 = 198;
pub(super) const IFNONNULL: u8 = 199;
pub(super) const GOTO_W: u8 = 200;
pub(super) const JSR_W: u8 = 201;
const IINC: u8 = 132;

/// How control leaves an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    Next,
    /// A jump to this offset, or on.
    Branch(usize),
    Goto(usize),
    /// `jsr`: to this offset, and back some day.
    Subroutine(usize),
    Switch,
    /// Return, throw, or `ret`.
    Leave,
}

/// A `tableswitch` or `lookupswitch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Switch {
    /// Offset of the default.
    pub(super) default: usize,
    /// Keys and offsets.
    pub(super) cases: Vec<(i32, usize)>,
}

/// Length of the instruction at `at`.
pub(super) fn length(code: &[u8], at: usize) -> Result<usize, ClassFileError> {
    let opcode = *code.get(at).ok_or(ClassFileError::Malformed("code ends inside of an instruction"))?;
    let length = match opcode {
        16 | 18 | ILOAD..=25 | ISTORE..=58 | RET | 188 => 2,
        SIPUSH
        | LDC_W
        | 20
        | IINC
        | IFEQ..=JSR
        | GETSTATIC..=INVOKESTATIC
        | NEW
        | ANEWARRAY
        | 192
        | 193
        | IFNULL
        | IFNONNULL => 3,
        197 => 4,
        185 | 186 | GOTO_W | JSR_W => 5,
        WIDE => {
            if code.get(at + 1) == Some(&IINC) {
                6
            } else {
                4
            }
        }
        TABLESWITCH | LOOKUPSWITCH => switch_length(code, at)?,
        0..=201 => 1,
        _ => return Err(ClassFileError::Malformed("code has an unknown instruction")),
    };
    if at + length > code.len() {
        return Err(ClassFileError::Malformed("code ends inside of an instruction"));
    }
    Ok(length)
}

/// Bytes between a switch's opcode at `at` and its operands.
pub(super) fn padding(at: usize) -> usize {
    3 - at % 4
}

fn switch_length(code: &[u8], at: usize) -> Result<usize, ClassFileError> {
    let mut reader = Reader::starting_at(code, at + 1 + padding(at) + 4);
    let entries = if code[at] == TABLESWITCH {
        let (low, high) = (i64::from(reader.s4()?), i64::from(reader.s4()?));
        usize::try_from(high - low + 1).map(|count| count * 4)
    } else {
        usize::try_from(reader.s4()?).map(|count| count * 8)
    };
    let entries = entries.map_err(|_| ClassFileError::Malformed("a switch has a negative size"))?;
    Ok(reader.at() + entries - at)
}

/// Reads the switch at `at`.
pub(super) fn switch(code: &[u8], at: usize) -> Result<Switch, ClassFileError> {
    let mut reader = Reader::starting_at(code, at + 1 + padding(at));
    let default = target(at, reader.s4()?)?;
    let mut cases = Vec::new();
    if code[at] == TABLESWITCH {
        let (low, high) = (reader.s4()?, reader.s4()?);
        for key in low..=high {
            cases.push((key, target(at, reader.s4()?)?));
        }
    } else {
        for _ in 0..reader.s4()? {
            let key = reader.s4()?;
            cases.push((key, target(at, reader.s4()?)?));
        }
    }
    Ok(Switch { default, cases })
}

fn target(at: usize, offset: i32) -> Result<usize, ClassFileError> {
    let offset = isize::try_from(offset).unwrap_or(isize::MAX);
    at.checked_add_signed(offset).ok_or(ClassFileError::Malformed("a jump leaves its method"))
}

/// How control leaves the instruction at `at`, whose length was checked.
pub(super) fn transfer(code: &[u8], at: usize) -> Result<Transfer, ClassFileError> {
    let mut reader = Reader::starting_at(code, at + 1);
    let mut short = || target(at, i32::from(reader.u2()?.cast_signed()));
    Ok(match code[at] {
        IFEQ..=IF_ACMPNE | IFNULL | IFNONNULL => Transfer::Branch(short()?),
        GOTO => Transfer::Goto(short()?),
        JSR => Transfer::Subroutine(short()?),
        GOTO_W => Transfer::Goto(target(at, reader.s4()?)?),
        JSR_W => Transfer::Subroutine(target(at, reader.s4()?)?),
        TABLESWITCH | LOOKUPSWITCH => Transfer::Switch,
        IRETURN..=RETURN | ATHROW | RET => Transfer::Leave,
        WIDE if code.get(at + 1) == Some(&RET) => Transfer::Leave,
        _ => Transfer::Next,
    })
}

/// The kind of value that a store puts into a local, as a number from `int` 0 to reference 4, and the local.
pub(super) fn store(code: &[u8], at: usize) -> Option<(u8, usize)> {
    match code[at] {
        opcode @ ISTORE..=58 => Some((opcode - ISTORE, usize::from(*code.get(at + 1)?))),
        opcode @ ISTORE_0..IASTORE => Some(((opcode - ISTORE_0) / 4, usize::from((opcode - ISTORE_0) % 4))),
        WIDE => {
            let opcode = *code.get(at + 1)?;
            let local = Reader::starting_at(code, at + 2).size2().ok()?;
            (ISTORE..=58).contains(&opcode).then(|| (opcode - ISTORE, local))
        }
        _ => None,
    }
}
