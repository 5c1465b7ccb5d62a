//! Inputs from developers' tests: finds the tests that matter, has them read, and keeps what is new.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use bonafix_model::{Literal, Seed, Sequence, TestId};

use super::constant::Constant;
use super::interpret::{Ground, Interpreter, Reading};
use super::slices::{slices, trimmed};
use super::sources::{Classes, SourceSet, SourceText};
use super::types::TypeIndex;
use super::unit::{Class, Method, children};

/// Seeds in all.
const MAX_SEEDS: usize = 1500;
/// Cut-down sequences of one test.
const MAX_SLICES: usize = 40;
/// Ways through one test whose conditions nobody can decide.
const MAX_WAYS: usize = 4;
/// Nodes of the syntax visited in all tests.
const MAX_COST: u32 = 3_000_000;
/// Argument lists of a parameterised test.
const MAX_ROWS: usize = 6;

/// One test as it was read.
pub(super) struct ReadTest {
    pub(super) id: TestId,
    pub(super) failing: bool,
    pub(super) readings: Vec<Reading>,
}

/// How well a test came apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apartness {
    /// Every call that matters was said.
    Whole,
    /// Some were.
    InPart,
    /// None was.
    NotAtAll,
}

/// What a test is about.
pub(super) struct Wanted<'a> {
    /// Binary names of the classes that tests must mention.
    pub(super) classes: &'a [String],
    /// Names of changed methods.
    pub(super) methods: &'a [String],
    pub(super) failing: &'a [TestId],
    pub(super) passing: &'a [TestId],
}

impl Wanted<'_> {
    fn simple_names(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().filter_map(|name| name.rsplit(['.', '$']).next())
    }

    /// Files of tests that mention a wanted class, extend one that does, or hold a failing test.
    pub(super) fn files<'s>(&self, sources: &'s SourceSet) -> Vec<&'s SourceText> {
        let simple: Vec<&str> = self.simple_names().collect();
        let failing: Vec<&SourceText> =
            self.failing.iter().filter_map(|id| sources.file_of(id.group())).collect();
        let mut found: Vec<&SourceText> = sources
            .files()
            .iter()
            .filter(|file| {
                simple.iter().any(|name| file.mentions(name))
                    || failing.iter().any(|known| known.path == file.path)
            })
            .collect();
        // Tests that inherit all they do.
        for _ in 0..2 {
            let bases: Vec<String> = found
                .iter()
                .filter_map(|file| file.path.file_stem())
                .map(|stem| format!("extends {stem}"))
                .collect();
            let more = sources.files().iter().filter(|file| bases.iter().any(|base| file.mentions(base)));
            let more: Vec<&SourceText> =
                more.filter(|file| !found.iter().any(|known| known.path == file.path)).collect();
            if more.is_empty() {
                break;
            }
            found.extend(more);
        }
        found
    }

    fn is_failing(&self, id: &TestId) -> bool {
        self.failing.iter().any(|known| names(known, id))
    }

    /// Is it known that this test runs? Everything is, where no list says.
    fn runs(&self, id: &TestId) -> bool {
        self.passing.is_empty() || self.is_failing(id) || self.passing.iter().any(|known| names(known, id))
    }
}

/// Is `known` this test, or one row of it?
fn names(known: &TestId, id: &TestId) -> bool {
    known.0.strip_prefix(&id.0).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '(']))
}

/// A test that may be read.
struct Candidate<'a> {
    id: TestId,
    failing: bool,
    /// Mentions a changed method.
    near: bool,
    /// Its class is named for a wanted one.
    named: bool,
    class: Rc<Class<'a>>,
    declaring: Rc<Class<'a>>,
    /// Of the declaring class.
    method: usize,
}

/// Reads the tests that matter, as many as there is time for: failing ones first, then those that mention changed
/// methods.
pub(super) fn read_tests<'a>(
    ground: Ground<'a>,
    files: &[&'a SourceText],
    wanted: &Wanted<'_>,
) -> Vec<ReadTest> {
    let classes = ground.classes;
    let mut candidates = Vec::new();
    for class in files.iter().flat_map(|file| classes.in_file(file)).filter(|class| !class.is_abstract) {
        add_candidates(classes, &class, wanted, &mut candidates);
    }
    candidates.sort_by_key(|test| (!test.failing, !test.near, !test.named));
    let mut cost = 0;
    let mut tests = Vec::new();
    for Candidate { id, failing, class, declaring, method, .. } in candidates {
        if cost > MAX_COST {
            break;
        }
        let readings = read_ways(ground, &class, &declaring, &declaring.methods[method]);
        cost += readings.iter().map(|reading| reading.cost).sum::<u32>();
        tests.push(ReadTest { id, failing, readings });
    }
    tests
}

fn add_candidates<'a>(
    classes: &Classes<'a>,
    class: &Rc<Class<'a>>,
    wanted: &Wanted<'_>,
    candidates: &mut Vec<Candidate<'a>>,
) {
    let lineage = classes.lineage(class);
    let by_name = lineage.iter().any(|class| {
        let parent = class.superclass.as_deref().and_then(|name| name.rsplit('.').next());
        parent.is_some_and(|name| name.ends_with("TestCase"))
    });
    let named = wanted.simple_names().any(|name| class.binary.contains(name));
    let mut done: Vec<&str> = Vec::new();
    for declaring in lineage.iter() {
        for (at, method) in declaring.methods.iter().enumerate() {
            if !is_test(declaring, method, by_name) || done.contains(&method.name.as_str()) {
                continue;
            }
            done.push(&method.name);
            let id = TestId(format!("{}#{}", class.binary, method.name));
            if !wanted.runs(&id) {
                continue;
            }
            let text = declaring.unit.text(method.node);
            candidates.push(Candidate {
                failing: wanted.is_failing(&id),
                near: wanted.methods.iter().any(|name| super::sources::mentions(text, name)),
                named,
                id,
                class: Rc::clone(class),
                declaring: Rc::clone(declaring),
                method: at,
            });
        }
    }
}

/// Is a method a test of JUnit 3, 4 or 5?
fn is_test(class: &Class<'_>, method: &Method<'_>, by_name: bool) -> bool {
    const TESTS: [&str; 4] = ["Test", "ParameterizedTest", "RepeatedTest", "Theory"];
    let annotations = class.unit.annotations(method.node);
    let annotated = annotations.iter().any(|(name, _)| TESTS.contains(name));
    annotated
        || by_name
            && method.name.starts_with("test")
            && method.parameters.is_empty()
            && class.unit.has_modifier(method.node, "public")
}

/// Reads a test on some ways through its conditions and with some of its argument lists.
fn read_ways<'a>(
    ground: Ground<'a>,
    class: &Rc<Class<'a>>,
    declaring: &Rc<Class<'a>>,
    method: &Method<'a>,
) -> Vec<Reading> {
    let mut readings = Vec::new();
    for row in rows(ground.types, declaring, method) {
        let mut ways = vec![Vec::new()];
        let mut at = 0;
        while at < ways.len() {
            let choices: Vec<bool> = ways[at].clone();
            let reading = Interpreter::new(ground, &choices).read(class, declaring, method, &row);
            // The same way up to one of the conditions, and the other way from there.
            for open in choices.len()..reading.open_choices {
                if ways.len() < MAX_WAYS {
                    let mut other = choices.clone();
                    other.resize(open, true);
                    other.push(false);
                    ways.push(other);
                }
            }
            readings.push(reading);
            at += 1;
        }
    }
    readings
}

/// The argument lists of a test: one without arguments, unless it says where they come from.
fn rows(types: &TypeIndex<'_>, class: &Class<'_>, method: &Method<'_>) -> Vec<Vec<Constant>> {
    if method.parameters.is_empty() {
        return vec![Vec::new()];
    }
    let unit = class.unit;
    let mut rows = Vec::new();
    for (name, annotation) in unit.annotations(method.node) {
        if name == "EnumSource" {
            let first = types.resolve(unit, &class.binary, &method.parameters[0].declared);
            rows.extend(enum_constants(types, &first).map(|name| vec![Constant::text(name)]));
        }
        let Some(list) = annotation.child_by_field_name("arguments") else { continue };
        let mut open = vec![list];
        while let Some(node) = open.pop() {
            let text = unit.text(node);
            let constant = super::constant::of_literal(node.kind(), text);
            match (name, constant) {
                ("ValueSource", Some(value)) => rows.push(vec![value]),
                ("CsvSource", Some(Constant { literal: Literal::Text(units), .. })) => {
                    rows.extend(csv_row(&String::from_utf16_lossy(&units), method.parameters.len()));
                }
                _ => open.extend(children(node).into_iter().rev()),
            }
        }
    }
    rows.truncate(MAX_ROWS);
    if rows.is_empty() { vec![Vec::new()] } else { rows }
}

/// A line of `@CsvSource` as texts; `None` where a comma may stand in quotes.
fn csv_row(line: &str, arity: usize) -> Option<Vec<Constant>> {
    let parts: Vec<&str> = line.split(',').map(str::trim).collect();
    let whole = parts.len() >= arity && (parts.len() == arity || !line.contains('\''));
    whole.then(|| parts.iter().take(arity).map(|part| Constant::text(part.trim_matches('\''))).collect())
}

/// The constants of an enum in the catalog, by name.
fn enum_constants<'c>(types: &TypeIndex<'c>, name: &str) -> impl Iterator<Item = &'c str> {
    let name = name.to_owned();
    let fields = types.catalog.callables.iter().filter(move |callable| {
        callable.kind == bonafix_model::CallableKind::StaticGet
            && callable.owner == name
            && callable.result == name
    });
    fields.map(|callable| callable.name.as_str())
}

impl ReadTest {
    /// What could not be said, each once.
    pub(super) fn left_out(&self) -> BTreeSet<&str> {
        self.readings.iter().flat_map(|reading| &reading.left_out).map(String::as_str).collect()
    }

    /// How well it came apart.
    pub(super) fn apartness(&self, types: &TypeIndex<'_>) -> Apartness {
        let called = self.readings.iter().flat_map(|reading| &reading.calls);
        let said = called.filter(|call| call.is_step && types.calls_subject(call.callable)).count();
        match (said, self.left_out().len()) {
            (0, _) => Apartness::NotAtAll,
            (_, 0) => Apartness::Whole,
            _ => Apartness::InPart,
        }
    }
}

/// The inputs that tests are made of, each once, those of failing tests first.
pub(super) fn seeds(tests: &[ReadTest], types: &TypeIndex<'_>) -> Vec<Seed> {
    let mut known: HashSet<Sequence> = HashSet::new();
    let mut seeds = Vec::new();
    let mut add = |sequence: Sequence, test: &ReadTest| {
        let calls = sequence.callables().any(|callable| types.calls_subject(callable));
        if seeds.len() < MAX_SEEDS && calls && known.insert(sequence.clone()) {
            seeds.push(Seed { sequence, test: test.id.clone(), failing: test.failing });
        }
    };
    // All whole tests before the parts of one that is not failing.
    for failing in [true, false] {
        let tests = || tests.iter().filter(|test| test.failing == failing);
        for (test, steps) in tests().flat_map(|test| sequences(test).map(move |steps| (test, steps))) {
            add(trimmed(steps, types), test);
        }
        for test in tests() {
            let parts = sequences(test).flat_map(|steps| slices(steps, types));
            parts.take(MAX_SLICES).for_each(|part| add(part, test));
        }
    }
    seeds
}

fn sequences(test: &ReadTest) -> impl Iterator<Item = &Vec<bonafix_model::Step>> {
    test.readings.iter().flat_map(|reading| reading.sequences.iter().rev())
}
