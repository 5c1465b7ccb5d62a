//! The code of a method, taken apart.

use super::ClassFileError;
use super::class::Class;
use super::opcode::{self, Transfer};
use super::reader::Reader;
use std::ops::Range;

/// An attribute `Code`.
#[derive(Debug)]
pub(super) struct Code<'a> {
    pub(super) max_stack: usize,
    pub(super) max_locals: usize,
    pub(super) bytes: &'a [u8],
    pub(super) handlers: Vec<Handler>,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// Offset of each instruction, and of the end.
    pub(super) starts: Vec<usize>,
    /// Index of the instruction at each offset, [`NOWHERE`] inside of one; the end has one, too.
    index: Vec<u32>,
    pub(super) jumps: Vec<Jump>,
    pub(super) has_subroutines: bool,
}

/// One row of the exception table, in offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Handler {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) target: usize,
    pub(super) class: usize,
}

/// An attribute of the code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute<'a> {
    pub(super) name_index: usize,
    pub(super) name: &'a [u8],
    pub(super) info: &'a [u8],
}

/// A jump, in numbers of instructions. Switches have one for each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Jump {
    pub(super) from: usize,
    pub(super) to: usize,
}

const NOWHERE: u32 = u32::MAX;

impl<'a> Code<'a> {
    pub(super) fn read(class: &Class<'a>, range: Range<usize>) -> Result<Self, ClassFileError> {
        let mut reader = Reader::new(&class.bytes[range]);
        let (max_stack, max_locals) = (reader.size2()?, reader.size2()?);
        let length = reader.size4()?;
        if length == 0 || length > 0xffff {
            return Err(ClassFileError::Malformed("code is empty or too long"));
        }
        let bytes = reader.take(length)?;
        let mut handlers = Vec::new();
        for _ in 0..reader.size2()? {
            handlers.push(Handler {
                start: reader.size2()?,
                end: reader.size2()?,
                target: reader.size2()?,
                class: reader.size2()?,
            });
        }
        let mut attributes = Vec::new();
        for _ in 0..reader.size2()? {
            let name_index = reader.u2()?;
            let length = reader.size4()?;
            let info = reader.take(length)?;
            attributes.push(Attribute {
                name_index: usize::from(name_index),
                name: class.pool.utf8(name_index)?,
                info,
            });
        }
        let mut code = Self {
            max_stack,
            max_locals,
            bytes,
            handlers,
            attributes,
            starts: Vec::with_capacity(length / 2),
            index: vec![NOWHERE; length + 1],
            jumps: Vec::new(),
            has_subroutines: false,
        };
        code.decode()?;
        Ok(code)
    }

    fn decode(&mut self) -> Result<(), ClassFileError> {
        let mut at = 0;
        let mut number = 0;
        while at < self.bytes.len() {
            self.index[at] = number;
            self.starts.push(at);
            number += 1;
            at += opcode::length(self.bytes, at)?;
        }
        self.index[at] = number;
        self.starts.push(at);
        for from in 0..self.len() {
            let at = self.starts[from];
            match opcode::transfer(self.bytes, at)? {
                Transfer::Next | Transfer::Leave => {}
                Transfer::Branch(to) | Transfer::Goto(to) => self.jump(from, to)?,
                Transfer::Subroutine(to) => {
                    self.has_subroutines = true;
                    self.jump(from, to)?;
                }
                Transfer::Switch => {
                    let switch = opcode::switch(self.bytes, at)?;
                    self.jump(from, switch.default)?;
                    for (_, to) in switch.cases {
                        self.jump(from, to)?;
                    }
                }
            }
        }
        for handler in &self.handlers {
            self.at(handler.start)?;
            self.at(handler.end)?;
            if self.at(handler.target)? == self.len() {
                return Err(ClassFileError::Malformed("a handler lies outside of its method"));
            }
        }
        Ok(())
    }

    fn jump(&mut self, from: usize, to: usize) -> Result<(), ClassFileError> {
        let to = self.at(to)?;
        if to == self.len() {
            return Err(ClassFileError::Malformed("a jump leaves its method"));
        }
        self.jumps.push(Jump { from, to });
        Ok(())
    }

    /// The number of instructions.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of the instruction at an offset; the end of the code counts as one.
    pub(super) fn at(&self, offset: usize) -> Result<usize, ClassFileError> {
        match self.index.get(offset) {
            Some(&index) if index != NOWHERE => Ok(index as usize),
            _ => Err(ClassFileError::Malformed("an offset points into an instruction")),
        }
    }

    pub(super) fn opcode(&self, instruction: usize) -> u8 {
        self.bytes[self.starts[instruction]]
    }

    pub(super) fn transfer(&self, instruction: usize) -> Transfer {
        opcode::transfer(self.bytes, self.starts[instruction]).unwrap_or(Transfer::Next)
    }

    pub(super) fn attribute(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.info)
    }

    /// Offsets and lines of all tables of lines, by offset. Of several lines at one offset the first stays, as the
    /// JVM has it in stack traces.
    pub(super) fn lines(&self) -> Vec<(usize, u16)> {
        let mut lines = Vec::new();
        for attribute in &self.attributes {
            if attribute.name == b"LineNumberTable" {
                let mut reader = Reader::new(attribute.info);
                let count = reader.size2().unwrap_or(0);
                for _ in 0..count {
                    if let (Ok(offset), Ok(line)) = (reader.size2(), reader.u2()) {
                        lines.push((offset, line));
                    }
                }
            }
        }
        lines.sort_by_key(|&(offset, _)| offset);
        lines.dedup_by_key(|&mut (offset, _)| offset);
        lines
    }

    /// For each instruction whether a block begins there.
    pub(super) fn leaders(&self) -> Vec<bool> {
        let mut leaders = vec![false; self.len() + 1];
        leaders[0] = true;
        for jump in &self.jumps {
            leaders[jump.to] = true;
            leaders[jump.from + 1] = true;
        }
        for handler in &self.handlers {
            if let Ok(target) = self.at(handler.target) {
                leaders[target] = true;
            }
        }
        for instruction in 0..self.len() {
            if self.transfer(instruction) == Transfer::Leave {
                leaders[instruction + 1] = true;
            }
        }
        leaders.truncate(self.len());
        leaders
    }
}

/// The line of an offset in [`Code::lines`].
pub(super) fn line_at(lines: &[(usize, u16)], offset: usize) -> Option<u16> {
    let behind = lines.partition_point(|&(start, _)| start <= offset);
    behind.checked_sub(1).map(|at| lines[at].1)
}
