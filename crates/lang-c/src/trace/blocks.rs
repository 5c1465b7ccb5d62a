//! The lines of blocks and the functions that they belong to, from the debug information of the program that told of them.

use std::collections::BTreeMap;
use std::ops::Range;

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, RunTimeEndian, SectionId};
use bonafix_lang::LangError;
use camino::Utf8Path;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use super::numbers::Lines;
use crate::serve::places;

/// The blocks of a program and its libraries, by number.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    found: Vec<Found>,
    statements: Vec<u32>,
    /// By number.
    changed_functions: Vec<bool>,
    /// Nobody knows which functions are changed.
    pub(super) is_everywhere: bool,
}

#[derive(Debug)]
struct Found {
    statements: Range<usize>,
    function: u32,
    begins: bool,
}

/// One block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) statements: &'a [u32],
    pub(super) function: u32,
    /// It is the function's first.
    pub(super) begins: bool,
    pub(super) is_changed: bool,
}

/// A block as the runtime tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Told {
    address: u64,
    begins: bool,
}

impl Blocks {
    /// Reads what a process tells of its blocks, and looks their lines up; none if that makes no sense.
    pub(super) fn find(
        places: &str,
        tree: &Utf8Path,
        lines: &mut Lines<'_>,
    ) -> Result<Option<Self>, LangError> {
        let Some(modules) = told(places) else { return Ok(None) };
        let mut found = Self { is_everywhere: lines.is_everywhere, ..Self::default() };
        for (file, blocks) in modules {
            let bytes = fs_err::read(file)?;
            if found.add_module(&bytes, &blocks, tree, lines).is_none() {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// None for a file that is no program, or has no readable debug information.
    fn add_module(
        &mut self,
        bytes: &[u8],
        blocks: &[Told],
        tree: &Utf8Path,
        lines: &mut Lines<'_>,
    ) -> Option<()> {
        let program = object::File::parse(bytes).ok()?;
        let context = debug_information(&program)?;
        let ends = ends(&program, blocks);
        for (block, end) in blocks.iter().zip(ends) {
            let mut places: Vec<(String, u32)> = Vec::new();
            for (_, _, place) in context.find_location_range(block.address, end).ok()? {
                // Line 0 is code of the compiler's own.
                let (Some(file), Some(line @ 1..)) = (place.file, place.line) else { continue };
                let file = places::inside(Utf8Path::new(file), tree).unwrap_or_else(|| file.to_owned());
                if places.last().is_none_or(|last| (last.0.as_str(), last.1) != (file.as_str(), line)) {
                    places.push((file, line));
                }
            }
            if block.begins || self.changed_functions.is_empty() {
                let is_changed = places.first().is_some_and(|(file, line)| lines.is_changed(file, *line));
                self.changed_functions.push(is_changed);
            }
            let first = self.statements.len();
            self.statements.extend(places.iter().map(|(file, line)| lines.number(file, *line)));
            let function = u32::try_from(self.changed_functions.len() - 1).ok()?;
            let statements = first..self.statements.len();
            self.found.push(Found { statements, function, begins: block.begins });
        }
        Some(())
    }

    /// The block of this number, which is from 1 on.
    pub(super) fn block(&self, number: u32) -> Option<Block<'_>> {
        let found = self.found.get((number as usize).checked_sub(1)?)?;
        Some(Block {
            statements: &self.statements[found.statements.clone()],
            function: found.function,
            begins: found.begins,
            is_changed: self.changed_functions[found.function as usize],
        })
    }

    /// Blocks by function and whether they begin it, with one statement each: ten times the block's number.
    #[cfg(test)]
    pub(super) fn simple(blocks: &[(u32, bool)], changed: u32) -> Self {
        let found = blocks.iter().enumerate().map(|(at, &(function, begins))| Found {
            statements: at..at + 1,
            function,
            begins,
        });
        Self {
            found: found.collect(),
            statements: (1..).take(blocks.len()).map(|number| number * 10).collect(),
            changed_functions: (0..3).map(|function| function == changed).collect(),
            is_everywhere: false,
        }
    }
}

/// Blocks by module: `=file`, then an address for each of them.
fn told(text: &str) -> Option<Vec<(&str, Vec<Told>)>> {
    let mut modules: Vec<(&str, Vec<Told>)> = Vec::new();
    for line in text.lines() {
        if let Some(file) = line.strip_prefix('=') {
            modules.push((file, Vec::new()));
            continue;
        }
        let digits = line.strip_prefix('*');
        let address = u64::from_str_radix(digits.unwrap_or(line), 16).ok()?;
        modules.last_mut()?.1.push(Told { address, begins: digits.is_some() });
    }
    Some(modules)
}

type Bytes<'a> = EndianSlice<'a, RunTimeEndian>;

fn debug_information<'a>(program: &object::File<'a>) -> Option<Context<Bytes<'a>>> {
    let endian = if program.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let section = |id: SectionId| -> Result<Bytes<'a>, object::Error> {
        let bytes = match program.section_by_name(id.name()) {
            Some(section) => section.data()?,
            None => &[],
        };
        Ok(EndianSlice::new(bytes, endian))
    };
    Context::from_dwarf(Dwarf::load(section).ok()?).ok()
}

/// Where each block ends: at the next one of its function, or with the function.
fn ends(program: &object::File<'_>, blocks: &[Told]) -> Vec<u64> {
    let functions: BTreeMap<u64, u64> = program
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
        .map(|symbol| (symbol.address(), symbol.address() + symbol.size()))
        .collect();
    let mut starts: Vec<u64> = blocks.iter().map(|block| block.address).collect();
    starts.sort_unstable();
    let end = |block: &Told| {
        let next = starts.partition_point(|start| *start <= block.address);
        let next = starts.get(next).copied().unwrap_or(u64::MAX);
        let function = functions.range(..=block.address).next_back().map_or(u64::MAX, |(_, end)| *end);
        // Of a program without symbols nobody knows where its last function ends.
        if function > block.address && function != u64::MAX { next.min(function) } else { next }
    };
    blocks.iter().map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_by_module() {
        let modules = told("=/a.so\n*10\n1f\n=/p\n*20\n").unwrap();
        let block = |address, begins| Told { address, begins };
        let expected = [("/a.so", vec![block(16, true), block(31, false)]), ("/p", vec![block(32, true)])];
        assert_eq!(modules, expected);
        assert_eq!(told("10\n"), None);
        assert_eq!(told("=/p\nx\n"), None);
    }
}
