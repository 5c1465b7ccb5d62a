//! Basic blocks of methods, and the edges between them.

use super::ClassFileError;
use super::class::Class;
use super::code::{Code, line_at};
use super::constants::decoded;
use super::opcode::{self, Transfer};
use super::plan::MethodName;

/// How control flows in one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodFlow {
    /// The method.
    pub method: MethodName,
    /// In the order of the code; the first is the entry.
    pub blocks: Vec<Block>,
    /// By source, then as the instruction names them, then handlers in the order of the exception table.
    pub edges: Vec<Edge>,
}

/// Code that is entered at its start only, and left at its end or by an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Offset of the first instruction.
    pub start: usize,
    /// Offset behind the last instruction.
    pub end: usize,
    /// Source line of the first instruction, where the class says so.
    pub line: Option<u16>,
}

/// A way from one block to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Index of a block.
    pub from: usize,
    /// Index of a block.
    pub to: usize,
    /// When it is taken.
    pub kind: EdgeKind,
    /// Leads to a block that is still open when blocks are visited depth first from the entry: it closes a loop.
    pub is_back: bool,
}

/// When an edge is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    /// When nothing else happens.
    Next,
    /// When the condition holds; always, for `goto`.
    Jump,
    /// When the switch's value is this.
    Case(i32),
    /// When the switch's value is no other.
    Default,
    /// When an exception is thrown.
    Exception,
}

/// The flow of each method of a class that has code.
pub fn flows(class: &[u8]) -> Result<Vec<MethodFlow>, ClassFileError> {
    let class = Class::read(class)?;
    let mut flows = Vec::new();
    for method in &class.methods {
        if let Some(range) = method.code.clone() {
            let code = Code::read(&class, range)?;
            let method = MethodName { name: decoded(method.name), descriptor: decoded(method.descriptor) };
            flows.push(flow(method, &code));
        }
    }
    Ok(flows)
}

fn flow(method: MethodName, code: &Code<'_>) -> MethodFlow {
    let lines = code.lines();
    let leaders = code.leaders();
    let firsts: Vec<usize> = (0..code.len()).filter(|&at| leaders[at]).collect();
    let mut block_of = vec![0; code.len()];
    let mut blocks = Vec::with_capacity(firsts.len());
    for (number, &first) in firsts.iter().enumerate() {
        let behind = firsts.get(number + 1).copied().unwrap_or(code.len());
        block_of[first..behind].fill(number);
        let (start, end) = (code.starts[first], code.starts[behind]);
        blocks.push(Block { start, end, line: line_at(&lines, start) });
    }
    let block_at = |offset: usize| code.at(offset).ok().and_then(|at| block_of.get(at).copied());
    let mut edges = Vec::new();
    for (from, block) in blocks.iter().enumerate() {
        let behind = firsts.get(from + 1).copied().unwrap_or(code.len());
        let mut add = |to: Option<usize>, kind| {
            edges.extend(to.map(|to| Edge { from, to, kind, is_back: false }));
        };
        let next = (behind < code.len()).then_some(from + 1);
        match code.transfer(behind - 1) {
            Transfer::Next => add(next, EdgeKind::Next),
            Transfer::Branch(to) | Transfer::Subroutine(to) => {
                add(block_at(to), EdgeKind::Jump);
                add(next, EdgeKind::Next);
            }
            Transfer::Goto(to) => add(block_at(to), EdgeKind::Jump),
            Transfer::Leave => {}
            Transfer::Switch => {
                if let Ok(switch) = opcode::switch(code.bytes, code.starts[behind - 1]) {
                    for (key, to) in switch.cases {
                        add(block_at(to), EdgeKind::Case(key));
                    }
                    add(block_at(switch.default), EdgeKind::Default);
                }
            }
        }
        for handler in &code.handlers {
            if handler.start < block.end && block.start < handler.end {
                add(block_at(handler.target), EdgeKind::Exception);
            }
        }
    }
    mark_back_edges(blocks.len(), &mut edges);
    MethodFlow { method, blocks, edges }
}

fn mark_back_edges(blocks: usize, edges: &mut [Edge]) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Unseen,
        Open,
        Done,
    }
    let first_edge: Vec<usize> =
        (0..=blocks).map(|block| edges.partition_point(|edge| edge.from < block)).collect();
    let mut states = vec![State::Unseen; blocks];
    let mut open = vec![(0, first_edge[0])];
    states[0] = State::Open;
    while let Some((block, next)) = open.last_mut() {
        if *next == first_edge[*block + 1] {
            states[*block] = State::Done;
            open.pop();
            continue;
        }
        let edge = &mut edges[*next];
        *next += 1;
        match states[edge.to] {
            State::Unseen => {
                states[edge.to] = State::Open;
                open.push((edge.to, first_edge[edge.to]));
            }
            State::Open => edge.is_back = true,
            State::Done => {}
        }
    }
}
