//! What tests were seen to pass to the changed classes: for tests that do not come apart.
//!
//! The tests run as they are, on classes with call probes; what reaches those is written to a file by `CallRecorder`
//! of the runtime and read here.

use std::collections::BTreeSet;

use bonafix_lang::LangError;
use bonafix_model::{Literal, TestId};
use camino::{Utf8Path, Utf8PathBuf};

use super::constant::{Constant, STRING};
use crate::classfile::{IdSpace, MethodName, ProbePlan, Selection, SiteKind, instrument};
use crate::wire::{BrokenFrame, FrameBuffer, FrameReader};

/// The system property that names the file.
pub(crate) const PROPERTY: &str = "bonafix.calls";
const FRAME_BEGIN: u8 = 0;
const FRAME_CALL: u8 = 1;

/// A method with probes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedMethod {
    /// Binary name.
    pub class: String,
    /// Which of its methods.
    pub method: MethodName,
}

/// What a run of tests passed to the watched methods.
#[derive(Debug, Clone, Default)]
pub struct Captured {
    /// By the number of their probes.
    pub methods: Vec<WatchedMethod>,
    /// In the order in which they happened.
    pub(super) calls: Vec<CapturedCall>,
    /// Exceptions that left watched methods: which method, in which test, what.
    pub(super) thrown: Vec<(usize, TestId, String)>,
    /// Tests that passed in that run.
    pub passed: BTreeSet<TestId>,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CapturedCall {
    /// Index into [`Captured::methods`].
    pub(super) method: usize,
    pub(super) test: TestId,
    /// Another watched call was under way.
    pub(super) nested: bool,
    /// The receiver first, where there is one.
    pub(super) values: Vec<CapturedValue>,
}

/// A value as deep as it was looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CapturedValue {
    Constant(Constant),
    Enum {
        type_name: String,
        name: String,
    },
    /// A `BigDecimal` or `BigInteger`, as text.
    Number {
        type_name: String,
        text: String,
    },
    Array {
        element: String,
        items: Vec<Self>,
    },
    List(Vec<Self>),
    Set(Vec<Self>),
    /// Keys and values by turns.
    Map(Vec<Self>),
    /// Told from others by VM and number; number 0 by nothing.
    Object {
        type_name: String,
        vm: u32,
        number: u32,
    },
}

/// Puts call probes into classes, into `output`, which goes in front of the class path; the methods by number.
pub(crate) fn watch(
    folders: &[Utf8PathBuf],
    classes: &[String],
    output: &Utf8Path,
) -> Result<Vec<WatchedMethod>, LangError> {
    let plan = ProbePlan { calls: Selection::All, ..ProbePlan::default() };
    let mut ids = IdSpace::default();
    let mut methods = Vec::new();
    for class in classes {
        let relative = format!("{}.class", class.replace('.', "/"));
        let Some(file) = folders.iter().map(|folder| folder.join(&relative)).find(|file| file.is_file())
        else {
            continue;
        };
        let Ok(instrumented) = instrument(&fs_err::read(file)?, &plan, &mut ids) else { continue };
        for site in instrumented.sites.iter().filter(|site| site.kind == SiteKind::Call) {
            debug_assert_eq!(site.id as usize, methods.len(), "numbers go on from class to class");
            methods.push(WatchedMethod {
                class: class.clone(),
                method: instrumented.methods[site.method].clone(),
            });
        }
        let target = output.join(&relative);
        if let Some(folder) = target.parent() {
            fs_err::create_dir_all(folder)?;
        }
        fs_err::write(target, instrumented.bytes)?;
    }
    Ok(methods)
}

impl Captured {
    /// Nothing yet, of these methods.
    pub(crate) fn of(methods: Vec<WatchedMethod>) -> Self {
        Self { methods, ..Self::default() }
    }

    /// Reads what was written; a VM that was stopped in the middle leaves half a frame, which is dropped.
    pub(crate) fn add(&mut self, file: &[u8]) {
        let mut frames = FrameBuffer::default();
        frames.push(file);
        let mut vm = 0;
        while let Ok(Some(frame)) = frames.next_frame() {
            if self.add_frame(&frame, &mut vm).is_err() {
                return;
            }
        }
    }

    fn add_frame(&mut self, frame: &[u8], vm: &mut u32) -> Result<(), BrokenFrame> {
        let mut reader = FrameReader::new(frame);
        let kind = reader.u8()?;
        if kind == FRAME_BEGIN {
            *vm += 1;
            return Ok(());
        }
        let test = TestId(reader.string()?);
        // The content is a frame in a field.
        let _lengths = (reader.u32()?, reader.u32()?);
        let method = reader.u32()? as usize;
        if method >= self.methods.len() {
            return Ok(());
        }
        if kind == FRAME_CALL {
            let nested = reader.flag()?;
            let values = reader.list(|reader| value(reader, *vm))?;
            self.calls.push(CapturedCall { method, test, nested, values });
        } else {
            self.thrown.push((method, test, reader.string()?));
        }
        Ok(())
    }
}

fn value(reader: &mut FrameReader<'_>, vm: u32) -> Result<CapturedValue, BrokenFrame> {
    let whole = |reader: &mut FrameReader<'_>, type_name: &str| {
        let value = reader.u64()?.cast_signed();
        Ok(CapturedValue::Constant(Constant::new(type_name, Literal::Integer(value))))
    };
    let constant = |constant| Ok(CapturedValue::Constant(constant));
    match reader.u8()? {
        0 => constant(Constant::null()),
        1 => constant(Constant::boolean(reader.flag()?)),
        2 => whole(reader, "byte"),
        3 => whole(reader, "short"),
        4 => whole(reader, "int"),
        5 => whole(reader, "long"),
        6 => {
            let unit = u16::try_from(reader.u32()?).unwrap_or_default();
            constant(Constant::new("char", Literal::Char(unit)))
        }
        7 => constant(Constant::new("float", Literal::Float(reader.u32()?))),
        8 => constant(Constant::new("double", Literal::Double(reader.u64()?))),
        9 => {
            let units = reader.list(|reader| Ok(u16::from_be_bytes([reader.u8()?, reader.u8()?])))?;
            constant(Constant::new(STRING, Literal::Text(units)))
        }
        10 => Ok(CapturedValue::Enum { type_name: reader.string()?, name: reader.string()? }),
        11 => constant(Constant::new("java.lang.Class", Literal::Class(reader.string()?))),
        12 => Ok(CapturedValue::Number { type_name: reader.string()?, text: reader.string()? }),
        13 => Ok(CapturedValue::Array {
            element: reader.string()?,
            items: reader.list(|reader| value(reader, vm))?,
        }),
        14 => Ok(CapturedValue::List(reader.list(|reader| value(reader, vm))?)),
        15 => Ok(CapturedValue::Set(reader.list(|reader| value(reader, vm))?)),
        16 => Ok(CapturedValue::Map(reader.list(|reader| value(reader, vm))?)),
        _ => Ok(CapturedValue::Object { type_name: reader.string()?, vm, number: reader.u32()? }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::FrameWriter;

    #[test]
    fn calls_and_exceptions_are_read_and_half_a_frame_is_dropped() {
        let method = MethodName { name: "f".to_owned(), descriptor: "(I)V".to_owned() };
        let watched = WatchedMethod { class: "p.A".to_owned(), method };
        let mut captured = Captured { methods: vec![watched], ..Captured::default() };
        let begin = FrameWriter::default().u8(0).finish();
        let call = FrameWriter::default().u8(1).string("T#t").u32(0).u32(0).u32(0).u8(1).u32(2);
        let call = call.u8(17).string("p.A").u32(4).u8(4).u64(u64::MAX).finish();
        let thrown = FrameWriter::default().u8(2).string("T#t").u32(0).u32(0).u32(0).string("E").finish();
        let mut file = [begin, call.clone(), thrown].concat();
        file.extend(&call[..10]);
        captured.add(&file);
        let object = CapturedValue::Object { type_name: "p.A".to_owned(), vm: 1, number: 4 };
        let values = vec![object, CapturedValue::Constant(Constant::int(-1))];
        assert_eq!(
            captured.calls,
            [CapturedCall { method: 0, test: TestId("T#t".to_owned()), nested: true, values }]
        );
        assert_eq!(captured.thrown, [(0, TestId("T#t".to_owned()), "E".to_owned())]);
    }
}
