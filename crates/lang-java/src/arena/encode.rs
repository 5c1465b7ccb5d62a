//! Requests to the arena.

use bonafix_model::{CallableKind, Catalog, Literal, Sequence, Step};
use camino::Utf8Path;

use super::{ArenaConfig, ArenaProbes, ArenaSubject, Atom};
use crate::wire::FrameWriter;

const OPEN: u8 = 1;
const RUN: u8 = 2;
const CONFIRM: u8 = 3;
const RESET: u8 = 4;
const REOPEN: u8 = 5;
const TRACE: u8 = 6;

/// Names in the order of their first use, found by their number.
#[derive(Debug, Default)]
struct NameTable<'a> {
    names: Vec<&'a str>,
    numbers: std::collections::BTreeMap<&'a str, u32>,
}

impl<'a> NameTable<'a> {
    fn add(&mut self, name: &'a str) {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            next
        });
    }

    fn number(&self, name: &str) -> u32 {
        self.numbers.get(name).copied().unwrap_or(u32::MAX)
    }
}

pub(super) fn open(subject: &ArenaSubject, marker: &Utf8Path) -> Vec<u8> {
    let writer = versions(FrameWriter::default().u8(OPEN), subject, marker);
    let writer = writer.strings(&subject.roots).count(subject.hierarchy.len());
    let writer = subject
        .hierarchy
        .iter()
        .fold(writer, |writer, (class, parents)| writer.string(class).strings(parents));
    probes(writer, &subject.probes).finish()
}

/// Opens a VM in place of another one, with the catalog that the first of them made.
pub(super) fn reopen(subject: &ArenaSubject, marker: &Utf8Path, catalog: &Catalog) -> Vec<u8> {
    let writer = versions(FrameWriter::default().u8(REOPEN), subject, marker);
    let writer = probes(writer, &subject.probes).count(catalog.callables.len());
    let writer = catalog.callables.iter().fold(writer, |writer, callable| {
        let writer = writer.u8(kind(callable.kind)).string(&callable.owner);
        writer.string(&callable.name).string(&callable.descriptor)
    });
    writer.finish()
}

/// As [`super::decode`] reads it.
fn kind(kind: CallableKind) -> u8 {
    match kind {
        CallableKind::Constructor => 0,
        CallableKind::Method => 1,
        CallableKind::StaticMethod => 2,
        CallableKind::FieldGet => 3,
        CallableKind::FieldSet => 4,
        CallableKind::StaticGet => 5,
        CallableKind::StaticSet => 6,
    }
}

fn versions(writer: FrameWriter, subject: &ArenaSubject, marker: &Utf8Path) -> FrameWriter {
    let paths = |writer: FrameWriter, paths: &[camino::Utf8PathBuf]| {
        writer.strings(paths.iter().map(|path| path.as_str()))
    };
    let writer = paths(writer.string(marker.as_str()), &subject.libraries).count(subject.versions.len());
    subject.versions.iter().fold(writer, |writer, version| paths(writer, version))
}

fn probes(writer: FrameWriter, probes: &ArenaProbes) -> FrameWriter {
    let writer = writer.u32(probes.blocks).u32(probes.branches).count(probes.reach.len());
    let writer = probes.reach.iter().fold(writer, |writer, block| writer.u32(*block));
    let writer = writer.count(probes.goals.len());
    probes.goals.iter().fold(writer, |writer, atoms| {
        let writer = writer.count(atoms.len());
        atoms.iter().fold(writer, |writer, each| atom(writer, *each))
    })
}

fn atom(writer: FrameWriter, atom: Atom) -> FrameWriter {
    match atom {
        Atom::Taken(branch) => writer.u8(1).u32(branch),
        Atom::Missed(branch) => writer.u8(2).u32(branch),
        Atom::Block(block) => writer.u8(3).u32(block),
        Atom::Case(branch, key) => writer.u8(4).u32(branch).u32(key.cast_unsigned()),
        Atom::Default(branch) => writer.u8(5).u32(branch),
        Atom::Parted { taken, missed } => writer.u8(6).u32(taken).u32(missed),
    }
}

pub(super) fn run(
    sequences: &[&Sequence],
    versions: &[u32],
    show_all: bool,
    config: &ArenaConfig,
) -> Vec<u8> {
    let writer = FrameWriter::default().u8(RUN).u8(u8::from(show_all));
    batch(writer, sequences, versions, config.reset_every, config)
}

pub(super) fn confirm(
    sequence: &Sequence,
    repetitions: u32,
    versions: &[u32],
    config: &ArenaConfig,
) -> Vec<u8> {
    let writer = FrameWriter::default().u8(CONFIRM).u8(1);
    batch(writer, &[sequence], versions, repetitions, config)
}

pub(super) fn trace(
    sequences: &[&Sequence],
    versions: &[u32],
    file: &Utf8Path,
    lines: u32,
    config: &ArenaConfig,
) -> Vec<u8> {
    let writer = FrameWriter::default().u8(TRACE).string(file.as_str()).u32(lines).u8(0);
    batch(writer, sequences, versions, 1, config)
}

pub(super) fn reset() -> Vec<u8> {
    FrameWriter::default().u8(RESET).finish()
}

fn batch(
    writer: FrameWriter,
    sequences: &[&Sequence],
    versions: &[u32],
    every: u32,
    config: &ArenaConfig,
) -> Vec<u8> {
    let mut names = NameTable::default();
    for step in sequences.iter().flat_map(|sequence| &sequence.steps) {
        match step {
            Step::Constant { type_name, value: Literal::Class(name) } => {
                names.add(type_name);
                names.add(name);
            }
            Step::Constant { type_name: name, .. }
            | Step::Array { element: name, .. }
            | Step::Stub { interface: name, .. } => names.add(name),
            Step::Call { .. } => {}
        }
    }
    let limit = u32::try_from(config.limit.as_millis()).unwrap_or(u32::MAX);
    let writer = writer.u32(config.depth).u32(limit).u64(config.steps).u32(every).count(versions.len());
    let writer = versions.iter().fold(writer, |writer, version| writer.u32(*version));
    let writer = writer.strings(names.names.iter()).count(sequences.len());
    let writer = sequences.iter().fold(writer, |writer, sequence| {
        let writer = writer.count(sequence.steps.len());
        sequence.steps.iter().fold(writer, |writer, each| step(writer, each, &names))
    });
    writer.finish()
}

fn step(writer: FrameWriter, step: &Step, names: &NameTable<'_>) -> FrameWriter {
    let slots =
        |writer: FrameWriter, slots: &[u32]| slots.iter().fold(writer, |writer, slot| writer.u32(*slot));
    match step {
        Step::Constant { type_name, value } => {
            literal(writer.u8(1).u32(names.number(type_name)), value, names)
        }
        Step::Call { callable, receiver, arguments, caught } => {
            let flags = u8::from(receiver.is_some()) | u8::from(*caught) << 1;
            let writer = writer.u8(2).u32(*callable).u8(flags);
            let writer = writer.count(arguments.len() + usize::from(receiver.is_some()));
            slots(slots(writer, receiver.as_slice()), arguments)
        }
        Step::Array { element, items } => {
            slots(writer.u8(3).u32(names.number(element)).count(items.len()), items)
        }
        Step::Stub { interface, answers } => {
            slots(writer.u8(4).u32(names.number(interface)).count(answers.len()), answers)
        }
    }
}

#[expect(clippy::cast_sign_loss, reason = "the bits are what is sent")]
fn literal(writer: FrameWriter, value: &Literal, names: &NameTable<'_>) -> FrameWriter {
    match value {
        Literal::Null => writer.u8(0),
        Literal::Boolean(value) => writer.u8(1).u8(u8::from(*value)),
        Literal::Integer(value) => writer.u8(2).u64(*value as u64),
        Literal::Char(unit) => writer.u8(3).u32(u32::from(*unit)),
        Literal::Float(bits) => writer.u8(4).u32(*bits),
        Literal::Double(bits) => writer.u8(5).u64(*bits),
        Literal::Text(units) => units.iter().fold(writer.u8(6).count(units.len()), |writer, unit| {
            let [high, low] = unit.to_be_bytes();
            writer.u8(high).u8(low)
        }),
        Literal::Class(name) => writer.u8(7).u32(names.number(name)),
    }
}
