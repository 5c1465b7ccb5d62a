//! What tests of the arena and of searches share: versions compiled from sources, inputs made at random.

use std::sync::Arc;

use bonafix_lang_java::toolchain::Jdk;
use bonafix_model::{CallableId, CallableKind, Catalog, Literal, Sequence, Slot, Step};
use bonafix_proc::{Confinement, Job, Launcher, Limits, SandboxMode};
use camino::Utf8Path;

pub(crate) fn launcher() -> Arc<Launcher> {
    Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap())
}

pub(crate) fn compile(sources: &[(&str, String)], output: &Utf8Path) {
    let jdk = Jdk::find(None).unwrap();
    let mut job = Job::new(jdk.javac().as_str());
    job = job.args(["-nowarn", "-g", "-proc:none", "-d", output.as_str()]);
    for (path, text) in sources {
        let file = output.join("../sources").join(output.file_name().unwrap()).join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(&file, text).unwrap();
        job = job.arg(file.as_str());
    }
    fs_err::create_dir_all(output).unwrap();
    let job = job.frozen_env(output).limits(Limits::build()).confinement(Confinement::Open);
    let finished = job.run(&launcher()).unwrap();
    assert!(finished.exit.success(), "{}", finished.stderr.text());
}

/// A stream of numbers without a library for it.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap()
    }

    fn text(&mut self) -> String {
        let letters = ["", "a", "B", " ", "é", "-1", "0", ".", "xyz", "\u{1f600}"];
        (0..self.roll(4)).map(|_| letters[self.roll(letters.len())]).collect()
    }
}

/// Calls of methods of `owner` at random, on objects that its constructors make, with arguments of simple types.
pub(crate) fn random_sequence(catalog: &Catalog, owner: &str, calls: usize, dice: &mut Dice) -> Sequence {
    try_random_sequence(catalog, owner, calls, dice).expect(owner)
}

/// None where no method takes simple types only.
pub(crate) fn try_random_sequence(
    catalog: &Catalog,
    owner: &str,
    calls: usize,
    dice: &mut Dice,
) -> Option<Sequence> {
    let usable: Vec<CallableId> = (0..)
        .zip(&catalog.callables)
        .filter(|(_, each)| each.owner == owner && each.parameters.iter().all(|name| is_simple(name)))
        .map(|(id, _)| id)
        .collect();
    let of_kind = |kind: CallableKind| {
        usable.iter().copied().filter(move |&id| catalog.callables[id as usize].kind == kind)
    };
    let constructors: Vec<CallableId> = of_kind(CallableKind::Constructor).collect();
    let methods: Vec<CallableId> =
        of_kind(CallableKind::Method).chain(of_kind(CallableKind::StaticMethod)).collect();
    if methods.is_empty() {
        return None;
    }
    let mut steps = Vec::new();
    let receiver = constructors.first().map(|_| {
        let id = constructors[dice.roll(constructors.len())];
        random_call(catalog, id, None, dice, &mut steps)
    });
    for _ in 0..calls {
        let id = methods[dice.roll(methods.len())];
        random_call(catalog, id, receiver, dice, &mut steps);
    }
    Some(Sequence { steps })
}

fn is_simple(name: &str) -> bool {
    matches!(
        name,
        "int"
            | "long"
            | "double"
            | "boolean"
            | "char"
            | "java.lang.String"
            | "java.lang.CharSequence"
            | "java.lang.Object"
    )
}

fn random_call(
    catalog: &Catalog,
    id: CallableId,
    receiver: Option<Slot>,
    dice: &mut Dice,
    steps: &mut Vec<Step>,
) -> Slot {
    let callable = &catalog.callables[id as usize];
    let mut arguments = Vec::new();
    for type_name in &callable.parameters {
        let number = i64::try_from(dice.roll(12)).unwrap() - 2;
        let value = match type_name.as_str() {
            "int" | "long" => Literal::Integer(number),
            "double" => Literal::Double([0.0, -0.0, 0.5, f64::NAN, 1e9][dice.roll(5)].to_bits()),
            "boolean" => Literal::Boolean(number > 3),
            "char" => Literal::Char(u16::try_from(97 + dice.roll(4)).unwrap()),
            _ if number == 0 => Literal::Null,
            _ => Literal::Text(dice.text().encode_utf16().collect()),
        };
        steps.push(Step::Constant { type_name: type_name.clone(), value });
        arguments.push(u32::try_from(steps.len() - 1).unwrap());
    }
    let receiver = receiver.filter(|_| callable.kind == CallableKind::Method);
    steps.push(Step::Call { callable: id, receiver, arguments, caught: false });
    u32::try_from(steps.len() - 1).unwrap()
}
