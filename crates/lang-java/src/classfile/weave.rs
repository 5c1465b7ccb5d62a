//! Which probe stands where in a method.

use super::RUNTIME_CLASS;
use super::class::Method;
use super::code::{Code, line_at};
use super::constants::NewConstants;
use super::opcode::{
    AASTORE, ACONST_NULL, ANEWARRAY, BASTORE, BIPUSH, DCMPG, DCMPL, DUP, DUP2, FCMPG, FCMPL, GETSTATIC,
    GOTO_W, ICONST_0, ICONST_1, IF_ACMPEQ, IF_ACMPNE, IF_ICMPEQ, IF_ICMPLE, IFEQ, IFLE, IFNONNULL, IFNULL,
    ILOAD, INVOKESTATIC, IOR, IRETURN, ISHL, LCMP, LDC, LDC_W, LOOKUPSWITCH, RETURN, SIPUSH, TABLESWITCH,
    WIDE, switch,
};
use super::plan::{Comparison, Condition, IdSpace, ProbeKind, ProbeSite, SiteKind};
use super::reader::{put2, put4};
use std::ops::Range;

/// Probes of one method.
#[derive(Debug, Default)]
pub(super) struct Weave {
    /// The code of all probes, one behind the other.
    pub(super) code: Vec<u8>,
    /// By instruction, and in the order in which they stand there.
    pub(super) insertions: Vec<Insertion>,
    /// What the deepest of them needs on the stack beyond what is there.
    pub(super) extra_stack: usize,
    pub(super) sites: Vec<ProbeSite>,
    /// Where the handler that sees exceptions leave begins to watch, and its number.
    pub(super) watch: Option<(usize, u32)>,
}

/// Code to put before an instruction.
#[derive(Debug)]
pub(super) struct Insertion {
    pub(super) before: usize,
    pub(super) slot: Slot,
    /// In [`Weave::code`].
    pub(super) code: Range<usize>,
}

/// Where an insertion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// Jumps to the instruction go behind it.
    Fall,
    /// Jumps to the instruction go before it.
    Label,
    /// Likewise, and the instruction itself is gone.
    Instead,
}

/// What the probes of a method are made from.
#[derive(Debug)]
pub(super) struct Loom<'a> {
    pub(super) method: &'a Method<'a>,
    pub(super) method_index: usize,
    pub(super) code: &'a Code<'a>,
    pub(super) leaders: &'a [bool],
    pub(super) lines: &'a [(usize, u16)],
    pub(super) parameters: &'a [u8],
    pub(super) result: u8,
    /// The instruction before which `enter` stands.
    pub(super) entry: usize,
    /// The number of its call, where that is no number of its own.
    pub(super) call: Option<u32>,
}

impl Loom<'_> {
    /// Probes of these kinds.
    pub(super) fn weave(
        &self,
        kinds: &[ProbeKind],
        ids: &mut IdSpace,
        constants: &mut NewConstants,
    ) -> Weave {
        let mut thread =
            Thread { loom: self, weave: Weave::default(), ids, constants, at: 0, begin: 0, call: 0 };
        let has = |kind| kinds.contains(&kind);
        let (steps, calls) = (has(ProbeKind::Step), has(ProbeKind::Call));
        let (blocks, lines, branches) = (has(ProbeKind::Block), has(ProbeKind::Line), has(ProbeKind::Branch));
        let back = if steps { self.ways_back() } else { Vec::new() };
        for at in 0..self.code.len() {
            thread.at = at;
            if at == 0 && steps {
                thread.step(Slot::Fall);
            }
            if at == self.entry && calls {
                thread.enter();
            }
            if blocks && self.leaders[at] {
                thread.block();
            }
            if lines {
                thread.line();
            }
            if back.get(at).copied().unwrap_or(false) {
                thread.step(Slot::Label);
            }
            if branches {
                thread.branch();
            }
            if calls && at >= self.entry {
                thread.exit();
            }
        }
        thread.weave
    }

    /// Instructions before which a step counts: jumps back, and handlers that lie before what they guard. Not
    /// handlers that guard themselves, as those of `synchronized` do: what is thrown there would come back for ever.
    fn ways_back(&self) -> Vec<bool> {
        let mut back = vec![false; self.code.len()];
        for jump in &self.code.jumps {
            if jump.to <= jump.from {
                back[jump.from] = true;
            }
        }
        for handler in &self.code.handlers {
            if handler.target < handler.start
                && let Ok(target) = self.code.at(handler.target)
                && !self.guards_itself(handler.target)
            {
                back[target] = true;
            }
        }
        back
    }

    fn guards_itself(&self, target: usize) -> bool {
        self.code.handlers.iter().any(|row| row.target == target && (row.start..row.end).contains(&target))
    }
}

/// Boxes of primitive values: letter of the type, class, descriptor of its `valueOf`.
const BOXES: [(u8, &str, &str); 8] = [
    (b'I', "java/lang/Integer", "(I)Ljava/lang/Integer;"),
    (b'Z', "java/lang/Boolean", "(Z)Ljava/lang/Boolean;"),
    (b'J', "java/lang/Long", "(J)Ljava/lang/Long;"),
    (b'D', "java/lang/Double", "(D)Ljava/lang/Double;"),
    (b'F', "java/lang/Float", "(F)Ljava/lang/Float;"),
    (b'C', "java/lang/Character", "(C)Ljava/lang/Character;"),
    (b'B', "java/lang/Byte", "(B)Ljava/lang/Byte;"),
    (b'S', "java/lang/Short", "(S)Ljava/lang/Short;"),
];

struct Thread<'a> {
    loom: &'a Loom<'a>,
    weave: Weave,
    ids: &'a mut IdSpace,
    constants: &'a mut NewConstants,
    /// The instruction that is being looked at.
    at: usize,
    /// Where the code of the present insertion begins.
    begin: usize,
    /// The number of the method's call.
    call: u32,
}

impl Thread<'_> {
    fn step(&mut self, slot: Slot) {
        self.call_probe("step", "()V");
        self.insert(slot, 0);
    }

    fn block(&mut self) {
        let id = next(&mut self.ids.blocks);
        self.site(id, SiteKind::Block);
        let hits = self.constants.field(RUNTIME_CLASS, "HITS", "[B");
        self.weave.code.push(GETSTATIC);
        put2(&mut self.weave.code, hits);
        self.push(id);
        self.weave.code.extend([ICONST_1, BASTORE]);
        self.insert(Slot::Label, 3);
    }

    fn line(&mut self) {
        let offset = self.loom.code.starts[self.at];
        if self.loom.lines.binary_search_by_key(&offset, |&(start, _)| start).is_err() {
            return;
        }
        let id = next(&mut self.ids.lines);
        self.site(id, SiteKind::Line);
        self.push(id);
        self.call_probe("line", "(I)V");
        self.insert(Slot::Label, 2);
    }

    fn branch(&mut self) {
        let code = self.loom.code;
        match code.opcode(self.at) {
            LCMP => self.wide_compare("compareLong", "(JJII)I", Comparison::Long, 0),
            FCMPL => self.wide_compare("compareFloat", "(FFII)I", Comparison::Float, 0),
            FCMPG => self.wide_compare("compareFloat", "(FFII)I", Comparison::Float, 8),
            DCMPL => self.wide_compare("compareDouble", "(DDII)I", Comparison::Double, 0),
            DCMPG => self.wide_compare("compareDouble", "(DDII)I", Comparison::Double, 8),
            IFEQ..=IFLE if self.at > 0 && (LCMP..=DCMPG).contains(&code.opcode(self.at - 1)) => {}
            opcode @ IFEQ..=IFLE => {
                self.compare(DUP, "compareZero", "(III)V", Comparison::Zero, opcode - IFEQ);
            }
            opcode @ IF_ICMPEQ..=IF_ICMPLE => {
                self.compare(DUP2, "compareInt", "(IIII)V", Comparison::Int, opcode - IF_ICMPEQ);
            }
            opcode @ IF_ACMPEQ..=IF_ACMPNE => {
                let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;II)V";
                let condition = opcode - IF_ACMPEQ;
                self.compare(DUP2, "compareReference", descriptor, Comparison::Reference, condition);
            }
            opcode @ IFNULL..=IFNONNULL => {
                let descriptor = "(Ljava/lang/Object;II)V";
                self.compare(DUP, "compareNull", descriptor, Comparison::Null, opcode - IFNULL);
            }
            TABLESWITCH | LOOKUPSWITCH => self.switch(),
            _ => {}
        }
    }

    fn compare(
        &mut self,
        copy: u8,
        name: &'static str,
        descriptor: &'static str,
        comparison: fn(Condition) -> Comparison,
        condition: u8,
    ) {
        let id = next(&mut self.ids.branches);
        self.site(id, SiteKind::Branch(comparison(Condition::numbered(condition))));
        self.weave.code.extend([copy, ICONST_0 + condition]);
        self.push(id);
        self.call_probe(name, descriptor);
        self.insert(Slot::Label, 5);
    }

    fn wide_compare(
        &mut self,
        name: &'static str,
        descriptor: &'static str,
        comparison: fn(Condition) -> Comparison,
        variant: u8,
    ) {
        let code = self.loom.code;
        if self.at + 1 == code.len() || !(IFEQ..=IFLE).contains(&code.opcode(self.at + 1)) {
            return;
        }
        let condition = code.opcode(self.at + 1) - IFEQ;
        let id = next(&mut self.ids.branches);
        self.site(id, SiteKind::Branch(comparison(Condition::numbered(condition))));
        self.weave.code.extend([BIPUSH, condition + variant]);
        self.push(id);
        self.call_probe(name, descriptor);
        self.insert(Slot::Instead, 3);
    }

    fn switch(&mut self) {
        let code = self.loom.code;
        let Ok(switch) = switch(code.bytes, code.starts[self.at]) else { return };
        // A table has a row for each number between; those that go to the default are no cases.
        let cases = switch.cases.into_iter().filter(|&(_, to)| to != switch.default);
        let keys = cases.map(|(key, _)| key).collect();
        let id = next(&mut self.ids.branches);
        self.site(id, SiteKind::Branch(Comparison::Switch(keys)));
        self.weave.code.push(DUP);
        self.push(id);
        self.call_probe("switchOn", "(II)V");
        self.insert(Slot::Label, 3);
    }

    fn enter(&mut self) {
        self.call = self.loom.call.unwrap_or_else(|| next(&mut self.ids.calls));
        if self.loom.call.is_none() {
            self.site(self.call, SiteKind::Call);
        }
        let receiver = if self.loom.method.is_static { None } else { Some(b'L') };
        let parameters = self.loom.parameters;
        let object = self.constants.class("java/lang/Object");
        self.push_size(parameters.len() + usize::from(receiver.is_some()));
        self.weave.code.push(ANEWARRAY);
        put2(&mut self.weave.code, object);
        let mut local = 0;
        for (element, kind) in receiver.into_iter().chain(parameters.iter().copied()).enumerate() {
            self.weave.code.push(DUP);
            self.push_size(element);
            self.load(kind, local);
            self.boxed(kind);
            self.weave.code.push(AASTORE);
            local += if matches!(kind, b'J' | b'D') { 2 } else { 1 };
        }
        self.push(self.call);
        self.call_probe("enter", "([Ljava/lang/Object;I)V");
        self.insert(Slot::Fall, 6);
        self.weave.watch = Some((self.at, self.call));
    }

    fn exit(&mut self) {
        let opcode = self.loom.code.opcode(self.at);
        if !(IRETURN..=RETURN).contains(&opcode) {
            return;
        }
        match self.loom.result {
            b'V' => self.weave.code.push(ACONST_NULL),
            b'J' | b'D' => self.weave.code.push(DUP2),
            _ => self.weave.code.push(DUP),
        }
        self.boxed(self.loom.result);
        self.push(self.call);
        self.call_probe("exit", "(Ljava/lang/Object;I)V");
        self.insert(Slot::Label, 4);
    }

    fn load(&mut self, kind: u8, local: usize) {
        let opcode = match kind {
            b'J' => ILOAD + 1,
            b'F' => ILOAD + 2,
            b'D' => ILOAD + 3,
            b'L' | b'[' => ILOAD + 4,
            _ => ILOAD,
        };
        if let Ok(local) = u8::try_from(local) {
            self.weave.code.extend([opcode, local]);
        } else {
            self.weave.code.extend([WIDE, opcode]);
            put2(&mut self.weave.code, local);
        }
    }

    fn boxed(&mut self, kind: u8) {
        if let Some((_, class, descriptor)) = BOXES.iter().find(|row| row.0 == kind) {
            let method = self.constants.method(class, "valueOf", descriptor);
            self.invoke(method);
        }
    }

    fn push_size(&mut self, size: usize) {
        self.push(u32::try_from(size).unwrap_or(u32::MAX));
    }

    fn push(&mut self, number: u32) {
        push(&mut self.weave.code, self.constants, number);
    }

    fn call_probe(&mut self, name: &'static str, descriptor: &'static str) {
        let method = self.constants.method(RUNTIME_CLASS, name, descriptor);
        self.invoke(method);
    }

    fn invoke(&mut self, method: usize) {
        self.weave.code.push(INVOKESTATIC);
        put2(&mut self.weave.code, method);
    }

    fn site(&mut self, id: u32, kind: SiteKind) {
        let offset = self.loom.code.starts[self.at];
        let line = line_at(self.loom.lines, offset);
        self.weave.sites.push(ProbeSite { id, kind, method: self.loom.method_index, offset, line });
    }

    fn insert(&mut self, slot: Slot, stack: usize) {
        let end = self.weave.code.len();
        self.weave.insertions.push(Insertion { before: self.at, slot, code: self.begin..end });
        self.begin = end;
        self.weave.extra_stack = self.weave.extra_stack.max(stack + 1);
    }
}

/// Code that pushes a number; needs two places on the stack at most.
pub(super) fn push(code: &mut Vec<u8>, constants: &mut NewConstants, number: u32) {
    if let Ok(byte) = u8::try_from(number) {
        match byte {
            0..=5 => code.push(ICONST_0 + byte),
            6..=127 => code.extend([BIPUSH, byte]),
            _ => code.extend([SIPUSH, 0, byte]),
        }
    } else if let Ok(short) = i16::try_from(number) {
        code.push(SIPUSH);
        code.extend(short.to_be_bytes());
    } else if let Some(index) = constants.integer(number) {
        if let Ok(index) = u8::try_from(index) {
            code.extend([LDC, index]);
        } else {
            code.push(LDC_W);
            put2(code, index);
        }
    } else {
        let [_, high, middle, low] = number.to_be_bytes();
        code.extend([SIPUSH, 0, high, BIPUSH, 16, ISHL, SIPUSH, 0, middle, BIPUSH, 8, ISHL]);
        code.extend([IOR, SIPUSH, 0, low, IOR]);
    }
}

fn next(counter: &mut u32) -> u32 {
    let id = *counter;
    *counter += 1;
    id
}

/// An unconditional jump of four bytes, or its `jsr`.
pub(super) fn wide_jump(out: &mut Vec<u8>, opcode: u8, distance: isize) {
    out.push(opcode - super::opcode::GOTO + GOTO_W);
    put4(out, distance.cast_unsigned());
}
