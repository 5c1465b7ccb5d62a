//! Answers of the arena, and the file in which it says what it is at.

use bonafix_model::{
    Breakdown, Callable, CallableKind, Catalog, CollectionKind, Confirmation, Ending, Exception, Feedback,
    Field, MissingMethod, Observation, Progress, Ran, SequenceOutcome, StepObservation, Subclass, Summary,
    TypeInfo, Value, Visibility,
};
use camino::Utf8Path;

use crate::wire::{BrokenFrame, FrameReader};

/// Exit codes of a VM that could not read a request, or found a bug of its own.
pub(super) const EXIT_BAD_REQUEST: i32 = 64;
pub(super) const EXIT_INTERNAL: i32 = 70;
/// Exit code of a VM that had no memory left.
pub(super) const EXIT_OUT_OF_MEMORY: i32 = 75;
/// Size of the part of the marker file that is read here.
pub(super) const MARKER_BYTES: usize = 64;
const MARKER_MAGIC: u32 = 0x4246_4d31;
/// Values nest no deeper than they are looked into; a stream that says otherwise is not ours.
const MAX_NESTING: u32 = 64;

/// The answer does not follow the protocol.
#[derive(Debug, thiserror::Error)]
pub(super) enum BrokenAnswer {
    #[error(transparent)]
    Frame(#[from] BrokenFrame),
    #[error("the arena sent a broken message ({0})")]
    Contents(&'static str),
}

type Decoded<T> = Result<T, BrokenAnswer>;

/// One message of the arena.
pub(super) enum Answer {
    Hello(u32),
    Opened {
        catalog: Box<Catalog>,
        problems: Vec<String>,
    },
    Results {
        first: u32,
        results: Vec<Ran>,
    },
    /// With the processor time that it took, in nanoseconds.
    Done(u64),
    Confirmed(Vec<Confirmation>),
    Problem(String),
}

/// Reads a message; `names` grows by those that came with it.
pub(super) fn answer(frame: &[u8], names: &mut Vec<String>) -> Decoded<Answer> {
    let mut fields = FrameReader::new(frame);
    Ok(match fields.u8()? {
        1 => Answer::Hello(fields.u32()?),
        2 => opened(&mut fields)?,
        3 => {
            let (first, count) = (fields.u32()?, fields.u32()?);
            names.extend(fields.strings()?);
            let blob = fields.list(FrameReader::u8)?;
            let mut cursor = Cursor { bytes: &blob, names };
            let results = (0..count).map(|_| cursor.ran()).collect::<Decoded<_>>()?;
            Answer::Results { first, results }
        }
        4 => Answer::Done(fields.u64()?),
        5 => {
            names.extend(fields.strings()?);
            let blob = fields.list(FrameReader::u8)?;
            let mut cursor = Cursor { bytes: &blob, names };
            let mut confirmations = Vec::new();
            while !cursor.bytes.is_empty() {
                confirmations.push(cursor.confirmation()?);
            }
            Answer::Confirmed(confirmations)
        }
        6 => Answer::Problem(fields.string()?),
        _ => return Err(BrokenAnswer::Contents("tag")),
    })
}

fn opened(fields: &mut FrameReader<'_>) -> Decoded<Answer> {
    let count = fields.u32()?;
    let callables = (0..count).map(|_| callable(fields)).collect::<Decoded<_>>()?;
    let types = fields.list(type_info)?;
    let problems = fields.strings()?;
    Ok(Answer::Opened { catalog: Box::new(Catalog { callables, types }), problems })
}

fn callable(fields: &mut FrameReader<'_>) -> Decoded<Callable> {
    let kind = match fields.u8()? {
        0 => CallableKind::Constructor,
        1 => CallableKind::Method,
        2 => CallableKind::StaticMethod,
        3 => CallableKind::FieldGet,
        4 => CallableKind::FieldSet,
        5 => CallableKind::StaticGet,
        6 => CallableKind::StaticSet,
        _ => return Err(BrokenAnswer::Contents("kind of callable")),
    };
    Ok(Callable {
        kind,
        owner: fields.string()?,
        name: fields.string()?,
        descriptor: fields.string()?,
        parameters: fields.strings()?,
        result: fields.string()?,
        varargs: fields.flag()?,
        visibility: visibility(fields.u8()?),
        throws: fields.strings()?,
    })
}

fn type_info(fields: &mut FrameReader<'_>) -> Result<TypeInfo, BrokenFrame> {
    Ok(TypeInfo {
        name: fields.string()?,
        is_abstract: fields.flag()?,
        is_interface: fields.flag()?,
        is_functional: fields.flag()?,
        supertypes: fields.strings()?,
        is_subject: fields.flag()?,
        is_enum: fields.flag()?,
        is_inner: fields.flag()?,
        subclass: if fields.flag()? { Some(subclass(fields)?) } else { None },
    })
}

fn subclass(fields: &mut FrameReader<'_>) -> Result<Subclass, BrokenFrame> {
    let visibility = visibility(fields.u8()?);
    let methods = fields.list(|fields| {
        Ok(MissingMethod { name: fields.string()?, parameters: fields.strings()?, result: fields.string()? })
    })?;
    Ok(Subclass { visibility, methods })
}

fn visibility(number: u8) -> Visibility {
    match number {
        0 => Visibility::Public,
        1 => Visibility::Protected,
        _ => Visibility::Package,
    }
}

/// Reads what the arena packs tightly: numbers of seven bits a byte, names by number.
struct Cursor<'a> {
    bytes: &'a [u8],
    names: &'a [String],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Decoded<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(count).ok_or(BrokenAnswer::Contents("too short"))?;
        self.bytes = tail;
        Ok(head)
    }

    fn u8(&mut self) -> Decoded<u8> {
        Ok(self.take(1)?[0])
    }

    fn u32(&mut self) -> Decoded<u32> {
        let bytes = self.take(4)?.try_into().map_err(|_| BrokenAnswer::Contents("number"))?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn u64(&mut self) -> Decoded<u64> {
        let bytes = self.take(8)?.try_into().map_err(|_| BrokenAnswer::Contents("number"))?;
        Ok(u64::from_be_bytes(bytes))
    }

    fn number(&mut self) -> Decoded<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(BrokenAnswer::Contents("number"))
    }

    fn small(&mut self) -> Decoded<u32> {
        u32::try_from(self.number()?).map_err(|_| BrokenAnswer::Contents("number"))
    }

    fn length(&mut self) -> Decoded<usize> {
        let length = usize::try_from(self.number()?).map_err(|_| BrokenAnswer::Contents("length"))?;
        // Whatever is counted takes a byte each.
        if length > self.bytes.len() { Err(BrokenAnswer::Contents("length")) } else { Ok(length) }
    }

    #[expect(clippy::cast_possible_wrap, reason = "zigzag: the lowest bit is the sign")]
    fn signed(&mut self) -> Decoded<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn integer<T: TryFrom<i64>>(&mut self) -> Decoded<T> {
        T::try_from(self.signed()?).map_err(|_| BrokenAnswer::Contents("number"))
    }

    fn name(&mut self) -> Decoded<String> {
        let number = self.small()? as usize;
        self.names.get(number).cloned().ok_or(BrokenAnswer::Contents("name"))
    }

    fn units(&mut self) -> Decoded<Vec<u16>> {
        let wide = self.u8()? != 0;
        let length = self.length()?;
        if wide {
            let bytes = self.take(length * 2)?;
            return Ok(bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_be_bytes(*unit)).collect());
        }
        Ok(self.take(length)?.iter().map(|&byte| u16::from(byte)).collect())
    }

    fn text(&mut self) -> Decoded<String> {
        Ok(String::from_utf16_lossy(&self.units()?))
    }

    fn blob(&mut self) -> Decoded<Observation> {
        let length = self.length()?;
        let mut inner = Cursor { bytes: self.take(length)?, names: self.names };
        inner.observation()
    }

    fn ran(&mut self) -> Decoded<Ran> {
        Ok(Ran { outcome: self.result()?, feedback: self.feedback()? })
    }

    fn feedback(&mut self) -> Decoded<Feedback> {
        let flags = self.u8()?;
        let count = if flags & 2 != 0 { self.length()? } else { 0 };
        let progress = (0..count)
            .map(|_| Ok(Progress { goal: self.small()?, distance: f64::from_bits(self.u64()?) }))
            .collect::<Decoded<_>>()?;
        Ok(Feedback { reached: flags & 1 != 0, progress, compared_nan: flags & 4 != 0 })
    }

    fn result(&mut self) -> Decoded<SequenceOutcome> {
        let tag = self.u8()?;
        if tag == 3 {
            let version = self.small()?;
            return Ok(SequenceOutcome::Failed { version, breakdown: self.breakdown()? });
        }
        let flags = self.u8()?;
        let leaked_threads = flags & 4 != 0;
        if tag == 2 {
            let count = self.length()?;
            let observations = (0..count).map(|_| self.blob()).collect::<Decoded<_>>()?;
            return Ok(SequenceOutcome::Differs { observations, leaked_threads });
        }
        let summary = Summary {
            steps: self.small()?,
            threw: flags & 1 != 0,
            unfit: flags & 2 != 0,
            leaked_threads,
            digest: self.u64()?,
        };
        let observation = if tag == 4 { Some(Box::new(self.blob()?)) } else { None };
        Ok(SequenceOutcome::Same { summary, observation })
    }

    fn breakdown(&mut self) -> Decoded<Breakdown> {
        match self.u8()? {
            1 => Ok(Breakdown::OutOfMemory),
            2 => Ok(Breakdown::Timeout),
            _ => Err(BrokenAnswer::Contents("breakdown")),
        }
    }

    fn confirmation(&mut self) -> Decoded<Confirmation> {
        Ok(match self.u8()? {
            1 => Confirmation::Stable(Box::new(self.blob()?)),
            2 => Confirmation::Unstable { observations: Box::new([self.blob()?, self.blob()?]) },
            3 => Confirmation::Failed(self.breakdown()?),
            _ => return Err(BrokenAnswer::Contents("confirmation")),
        })
    }

    fn observation(&mut self) -> Decoded<Observation> {
        let mut steps = Vec::new();
        loop {
            match self.u8()? {
                1 => steps.push(self.step()?),
                2 => return Ok(Observation { steps, ending: self.ending()? }),
                _ => return Err(BrokenAnswer::Contents("step")),
            }
        }
    }

    fn step(&mut self) -> Decoded<StepObservation> {
        let step = self.small()?;
        let flags = self.u8()?;
        let result = if flags & 1 != 0 { Some(self.value(0)?) } else { None };
        let receiver = if flags & 2 != 0 { Some(self.value(0)?) } else { None };
        let count = self.length()?;
        let arguments = (0..count).map(|_| Ok((self.small()?, self.value(0)?))).collect::<Decoded<_>>()?;
        let thrown = if flags & 4 != 0 { Some(self.exception()?) } else { None };
        let statics = if flags & 8 != 0 { Some(self.value(0)?) } else { None };
        Ok(StepObservation { step, result, receiver, arguments, thrown, statics })
    }

    fn exception(&mut self) -> Decoded<Exception> {
        let type_name = self.name()?;
        let message = if self.u8()? != 0 { Some(self.text()?) } else { None };
        let thrown_by = self.place()?;
        let called = self.place()?;
        let state = if self.u8()? != 0 { Some(self.value(0)?) } else { None };
        Ok(Exception { type_name, message, thrown_by, called, state })
    }

    /// The name of a function, if there is one.
    fn place(&mut self) -> Decoded<Option<String>> {
        match self.small()? as usize {
            0 => Ok(None),
            number => {
                let name = self.names.get(number - 1);
                Ok(Some(name.cloned().ok_or(BrokenAnswer::Contents("name"))?))
            }
        }
    }

    fn ending(&mut self) -> Decoded<Ending> {
        let kind = self.u8()?;
        let step = self.small()?;
        Ok(match kind {
            0 => Ending::Completed,
            1 => Ending::Threw { step, exception: self.exception()? },
            2 => Ending::NullReceiver { step },
            3 => Ending::Mismatch { step, found: self.name()? },
            4 => Ending::Unavailable { step },
            _ => return Err(BrokenAnswer::Contents("ending")),
        })
    }

    fn value(&mut self, nesting: u32) -> Decoded<Value> {
        if nesting > MAX_NESTING {
            return Err(BrokenAnswer::Contents("nesting"));
        }
        Ok(match self.u8()? {
            0 => Value::Null,
            1 => Value::Boolean(false),
            2 => Value::Boolean(true),
            3 => Value::Byte(self.integer()?),
            4 => Value::Short(self.integer()?),
            5 => Value::Int(self.integer()?),
            6 => Value::Long(self.signed()?),
            7 => Value::Char(u16::try_from(self.number()?).map_err(|_| BrokenAnswer::Contents("char"))?),
            8 => Value::Float(self.u32()?),
            9 => Value::Double(self.u64()?),
            10 => {
                let units = self.units()?;
                String::from_utf16(&units).map_or_else(|_| Value::BrokenText(units), Value::Text)
            }
            11 => Value::LongText { start: self.text()?, length: self.number()?, digest: self.u64()? },
            12 => Value::Enum { type_name: self.name()?, name: self.name()? },
            13 => Value::Valued { type_name: self.name()?, text: self.text()? },
            14 => self.collection(nesting + 1)?,
            15 => self.map(nesting + 1)?,
            16 => self.object(nesting + 1)?,
            17 => Value::Opaque { type_name: self.name()? },
            18 => Value::Back(self.small()?),
            19 => Value::Deep { type_name: self.name()? },
            _ => return Err(BrokenAnswer::Contents("value")),
        })
    }

    fn digest(&mut self) -> Decoded<Option<u64>> {
        if self.u8()? != 0 { self.u64().map(Some) } else { Ok(None) }
    }

    fn collection(&mut self, nesting: u32) -> Decoded<Value> {
        let kind = self.u8()?;
        let ordered = self.u8()? != 0;
        let length = self.number()?;
        let kind = match kind {
            0 => CollectionKind::Array(self.name()?),
            1 => CollectionKind::List,
            2 => CollectionKind::Set,
            3 => CollectionKind::Other,
            _ => CollectionKind::Optional,
        };
        let shown = self.length()?;
        let items = (0..shown).map(|_| self.value(nesting)).collect::<Decoded<_>>()?;
        Ok(Value::Collection { kind, ordered, length, items, digest: self.digest()? })
    }

    fn map(&mut self, nesting: u32) -> Decoded<Value> {
        let ordered = self.u8()? != 0;
        let length = self.number()?;
        let shown = self.length()?;
        let entries =
            (0..shown).map(|_| Ok((self.value(nesting)?, self.value(nesting)?))).collect::<Decoded<_>>()?;
        Ok(Value::Map { ordered, length, entries, digest: self.digest()? })
    }

    fn object(&mut self, nesting: u32) -> Decoded<Value> {
        let type_name = self.name()?;
        let count = self.length()?;
        let fields = (0..count)
            .map(|_| {
                let name = self.name()?;
                let visible = self.u8()? != 0;
                Ok(Field { name, visible, value: self.value(nesting)? })
            })
            .collect::<Decoded<_>>()?;
        Ok(Value::Object { type_name, fields })
    }
}

/// Which sequence runs in which version, as the VM left it in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) sequence: u32,
    pub(super) version: u32,
    pub(super) running: bool,
    /// Counts runs of a sequence in a version.
    pub(super) runs: u64,
    /// The VM ended itself because the limit had passed.
    pub(super) timed_out: bool,
}

impl Marker {
    /// None before the VM has opened its versions.
    pub(super) fn read(path: &Utf8Path) -> Option<Self> {
        Self::parse(&fs_err::read(path).ok()?)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| {
            let bytes: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_be_bytes(bytes))
        };
        if word(0)? != MARKER_MAGIC {
            return None;
        }
        Some(Self {
            sequence: word(4)?,
            version: word(8)?,
            running: word(12)? != 0,
            runs: u64::from(word(16)?) << 32 | u64::from(word(20)?),
            timed_out: word(24)? != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["p.A", "x", "items"].map(str::to_owned).to_vec()
    }

    #[test]
    fn an_object_with_a_list_and_a_way_back_is_read() {
        // Object p.A, two fields: x = int -2 (zigzag 3), private; items = ordered list of "é" and itself.
        let bytes = [
            16, 0, 2, 1, 0, 5, 3, 2, 1, 14, 1, 1, 2, 2, 10, 0, 1, 0xe9, 18, 2, 0, //
        ];
        let names = names();
        let mut cursor = Cursor { bytes: &bytes, names: &names };
        let value = cursor.value(0).unwrap();
        assert!(cursor.bytes.is_empty());
        assert_eq!(value.to_string(), r#"p.A(x=-2, items=["é", ↑2])"#);
    }

    #[test]
    fn numbers_are_read_as_they_are_packed() {
        let mut cursor = Cursor { bytes: &[0xac, 0x02, 0xff], names: &[] };
        assert_eq!(cursor.number().unwrap(), 300);
        assert!(cursor.number().is_err());
    }

    #[test]
    fn a_broken_answer_is_an_error_whatever_it_promises() {
        let lone = [10, 1, 1, 0xd8, 0x00];
        assert_eq!(Cursor { bytes: &lone, names: &[] }.value(0).unwrap(), Value::BrokenText(vec![0xd800]));
        for bytes in [&[14, 1, 1, 0xff, 0xff, 0x03, 0xff, 0x7f][..], &[12, 9, 9], &[16], &[99]] {
            assert!(Cursor { bytes, names: &names() }.value(0).is_err());
        }
        let nested = [14, 1, 1, 1, 1].repeat(100);
        assert!(Cursor { bytes: &nested, names: &[] }.value(0).is_err());
    }

    #[test]
    fn a_marker_that_was_not_written_says_nothing() {
        assert_eq!(Marker::parse(&[0; MARKER_BYTES]), None);
        let mut bytes = MARKER_MAGIC.to_be_bytes().to_vec();
        bytes.extend([0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0]);
        bytes.resize(MARKER_BYTES, 0);
        let marker = Marker::parse(&bytes).unwrap();
        assert_eq!((marker.sequence, marker.version, marker.runs), (7, 1, 9));
        assert!(marker.running && !marker.timed_out);
    }
}
