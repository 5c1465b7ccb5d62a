//! Reads a developer's test as a straight line of calls: what it calls on the program, with what.
//!
//! The body of the test is interpreted as far as constants go; calls of what the catalog knows become steps of a
//! [`Sequence`], whatever they would return. What cannot be said in a sequence is left out, and what hangs on it too.

mod calls;
mod expressions;
mod library;
mod loops;
mod statements;
mod synonyms;

use std::collections::BTreeMap;
use std::rc::Rc;

use bonafix_model::{CallableId, Literal, Slot, Step};
use tree_sitter::Node;

use super::constant::{Constant, STRING, binary as constant_binary, unary as constant_unary};
use super::sources::Classes;
use super::types::{ArgumentType, OBJECT, TypeIndex};
use super::unit::{Class, Method};
use crate::primitive::{box_of, is_primitive, unboxed};

/// Steps in one sequence.
const MAX_STEPS: usize = 300;
/// Nodes visited in one test: a test with nested loops ends here.
const FUEL: u32 = 20_000;
/// Expressions in expressions.
const MAX_DEPTH: u32 = 200;
/// Helper methods in helper methods.
const MAX_INLINED: usize = 4;
/// Elements of an array that is made without an initialiser.
const MAX_LENGTH: i64 = 64;

/// A value as far as it is known.
#[derive(Debug, Clone)]
enum Value<'a> {
    Unknown,
    Constant(Constant),
    /// What a step has made, with its static type.
    Made {
        slot: Slot,
        type_name: String,
    },
    /// By its number in [`State::arrays`].
    Array(usize),
    Function(Rc<Function<'a>>),
    /// The test object.
    This,
}

/// An array that the test makes and may still fill.
#[derive(Debug, Clone)]
struct ArrayValue<'a> {
    element: String,
    items: Vec<Value<'a>>,
    /// The step that made it, unless it was written to since.
    slot: Option<Slot>,
}

/// A lambda, a method reference or an anonymous class, with what it sees.
#[derive(Debug)]
struct Function<'a> {
    node: Node<'a>,
    frame: Frame<'a>,
}

/// One method that is being interpreted.
#[derive(Clone)]
struct Frame<'a> {
    /// Declares the method.
    class: Rc<Class<'a>>,
    /// Class of the test object.
    concrete: Rc<Class<'a>>,
    /// Innermost last.
    scopes: Vec<BTreeMap<String, Value<'a>>>,
}

impl std::fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame").field("class", &self.class.binary).finish_non_exhaustive()
    }
}

/// All that a branch of a test can change.
#[derive(Debug, Clone, Default)]
struct State<'a> {
    steps: Vec<Step>,
    /// By step: the class that its value is known to have at least.
    dynamic: Vec<String>,
    /// What is known to be in a list or set.
    contents: BTreeMap<Slot, Vec<Value<'a>>>,
    arrays: Vec<ArrayValue<'a>>,
    /// Fields of test classes, by class and name.
    fields: BTreeMap<(String, String), Value<'a>>,
    frames: Vec<Frame<'a>>,
}

/// How a statement ended.
enum Flow<'a> {
    Next,
    Return(Value<'a>),
    /// `break`, `continue`.
    Leave,
    /// `throw`, `fail()`, or there is no more room.
    End,
}

/// What is known of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    Constant(Constant),
    Items(Vec<Seen>),
    Other,
}

/// A call that a test makes.
#[derive(Debug, Clone)]
pub(super) struct SeenCall {
    pub(super) callable: CallableId,
    /// The same for all methods that one call stands for.
    number: usize,
    /// By parameter.
    pub(super) arguments: Vec<Seen>,
    /// It became a step.
    pub(super) is_step: bool,
}

/// What was read of one test.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The whole test last, what must end in an exception before it.
    pub(super) sequences: Vec<Vec<Step>>,
    pub(super) calls: Vec<SeenCall>,
    /// Callables, and the exception that the test expects of each.
    pub(super) thrown: Vec<(CallableId, String)>,
    /// Calls that matter and could not be said.
    pub(super) left_out: Vec<String>,
    /// The coarsest of the precisions with which it compares numbers.
    pub(super) precision: Option<f64>,
    /// Conditions that nobody could decide.
    pub(super) open_choices: usize,
    /// Nodes of the syntax that were visited.
    pub(super) cost: u32,
}

/// What a test stands on.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) types: &'a TypeIndex<'a>,
    /// Test classes.
    pub(super) classes: &'a Classes<'a>,
    /// Classes of the program.
    pub(super) program: &'a Classes<'a>,
}

pub(super) struct Interpreter<'a> {
    types: &'a TypeIndex<'a>,
    /// Test classes.
    classes: &'a Classes<'a>,
    /// Classes of the program; only their constants are read.
    program: &'a Classes<'a>,
    state: State<'a>,
    reading: Reading,
    /// How to go on at conditions that nobody can decide.
    choices: Vec<bool>,
    /// Of the exceptions that the test expects from here on.
    expected: Option<String>,
    fuel: u32,
    depth: u32,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(ground: Ground<'a>, choices: &[bool]) -> Self {
        let Ground { types, classes, program } = ground;
        Self {
            types,
            classes,
            program,
            state: State::default(),
            reading: Reading::default(),
            choices: choices.to_vec(),
            expected: None,
            fuel: FUEL,
            depth: 0,
        }
    }

    /// Reads a test of a class: what comes before it, then itself.
    pub(super) fn read(
        mut self,
        concrete: &Rc<Class<'a>>,
        declaring: &Rc<Class<'a>>,
        test: &Method<'a>,
        arguments: &[Constant],
    ) -> Reading {
        let frame = Frame {
            class: Rc::clone(concrete),
            concrete: Rc::clone(concrete),
            scopes: vec![BTreeMap::new()],
        };
        self.state.frames.push(frame);
        self.set_up(concrete);
        self.expected = self.expected_by_annotation(declaring, test);
        let mark = self.reading.calls.len();
        self.state.frames.truncate(1);
        self.state.frames[0].class = Rc::clone(declaring);
        for (parameter, argument) in test.parameters.iter().zip(arguments) {
            let type_name = self.types.resolve(declaring.unit, &declaring.binary, &parameter.declared);
            let value = self.test_argument(argument, &type_name);
            self.declare(&parameter.name, value);
        }
        if let Some(body) = test.body {
            self.block(body);
        }
        if let Some(exception) = self.expected.take() {
            self.blame(mark, &[exception]);
        }
        self.reading.sequences.push(std::mem::take(&mut self.state.steps));
        self.reading.cost = FUEL - self.fuel;
        self.reading
    }

    /// Runs what runs before each test, that of superclasses first; constructors of which only the nearest.
    fn set_up(&mut self, concrete: &Rc<Class<'a>>) {
        let mut lineage = self.classes.lineage(concrete).to_vec();
        // A nested class of tests runs what the classes around it run before.
        while let Some(outer) = lineage.last().and_then(|class| self.classes.find(class.outer.as_ref()?)) {
            lineage.extend(self.classes.lineage(&outer).iter().cloned());
        }
        let mut done: Vec<&str> = Vec::new();
        let mut bodies = Vec::new();
        for class in &lineage {
            for method in &class.methods {
                let annotated = class.unit.annotations(method.node).iter().any(|(name, _)| {
                    matches!(*name, "Before" | "BeforeEach" | "BeforeClass" | "BeforeAll" | "BeforeMethod")
                });
                let by_name =
                    matches!(method.name.as_str(), "setUp" | "<init>") && method.parameters.is_empty();
                if (annotated || by_name) && !done.contains(&method.name.as_str()) {
                    done.push(&method.name);
                    bodies.push((Rc::clone(class), method.body));
                }
            }
        }
        // JUnit 3 has one `setUp`, which calls that of the superclass itself.
        for (class, body) in bodies.into_iter().rev() {
            let frame = Frame { class, concrete: Rc::clone(concrete), scopes: vec![BTreeMap::new()] };
            self.state.frames.push(frame);
            if let Some(body) = body {
                self.block(body);
            }
            self.state.frames.truncate(1);
        }
    }

    /// `@Test(expected = X.class)`.
    fn expected_by_annotation(&self, class: &Class<'a>, test: &Method<'a>) -> Option<String> {
        let annotations = class.unit.annotations(test.node);
        let (_, annotation) = annotations.iter().find(|(name, _)| *name == "Test")?;
        let list = annotation.child_by_field_name("arguments")?;
        super::unit::children(list).into_iter().find_map(|pair| {
            let key = pair.child_by_field_name("key")?;
            let value = pair.child_by_field_name("value")?;
            let named = matches!(class.unit.text(key), "expected" | "expectedExceptions");
            (named && value.kind() == "class_literal").then(|| self.class_of_literal(class, value)).flatten()
        })
    }

    /// The class that `X.class` names.
    fn class_of_literal(&self, class: &Class<'a>, node: Node<'a>) -> Option<String> {
        let written = class.unit.type_name(super::unit::children(node).first().copied()?);
        Some(self.types.resolve(class.unit, &class.binary, &written))
    }

    /// Takes the last call of the program since `mark` for the one that the test expects an exception of.
    fn blame(&mut self, mark: usize, exceptions: &[String]) {
        let since = self.reading.calls.get(mark..).unwrap_or_default();
        let last = since.iter().rev().find(|call| self.types.calls_subject(call.callable));
        let Some(number) = last.map(|call| call.number) else { return };
        let blamed: Vec<CallableId> =
            since.iter().filter(|call| call.number == number).map(|call| call.callable).collect();
        for callable in blamed {
            self.reading.thrown.extend(exceptions.iter().map(|name| (callable, name.clone())));
        }
    }

    /// Interprets something that is expected to throw: what it does is an input of its own, and the rest of the test
    /// goes on behind its last call of the program, whose exception is given; or as if it had not happened, if there is
    /// none.
    fn expecting(&mut self, exceptions: &[String], body: impl FnOnce(&mut Self)) -> Value<'a> {
        let before = self.state.clone();
        let mark = self.reading.calls.len();
        body(self);
        self.blame(mark, exceptions);
        if self.state.steps.len() > before.steps.len() {
            self.reading.sequences.push(self.state.steps.clone());
        }
        let Some(slot) = self.catch_last(before.steps.len()) else {
            self.state = before;
            return Value::Unknown;
        };
        // What the call would have returned went nowhere.
        self.state.frames = before.frames;
        self.state.fields = before.fields;
        let type_name = exceptions.first().map_or(OBJECT, String::as_str).to_owned();
        self.state.dynamic[slot as usize].clone_from(&type_name);
        Value::Made { slot, type_name }
    }

    /// Takes the last call of the program from a step on for one that throws, and is caught.
    fn catch_last(&mut self, from: usize) -> Option<Slot> {
        let types = self.types;
        let last =
            self.state.steps.iter_mut().enumerate().skip(from).rev().find_map(|(at, step)| match step {
                Step::Call { callable, caught, .. } if types.calls_subject(*callable) => Some((at, caught)),
                _ => None,
            });
        let (at, caught) = last?;
        *caught = true;
        // Steps behind it would not have run.
        self.state.steps.truncate(at + 1);
        self.state.dynamic.truncate(at + 1);
        Slot::try_from(at).ok()
    }

    /// Answers a condition that nobody can decide.
    fn choose(&mut self) -> bool {
        let asked = self.reading.open_choices;
        self.reading.open_choices += 1;
        self.choices.get(asked).copied().unwrap_or(true)
    }

    /// Is there room for more? Called for each node.
    fn spend(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0 && self.state.steps.len() < MAX_STEPS
    }

    fn frame(&self) -> &Frame<'a> {
        self.state.frames.last().expect("a test begins with a frame")
    }

    fn frame_mut(&mut self) -> &mut Frame<'a> {
        self.state.frames.last_mut().expect("a test begins with a frame")
    }

    /// The classes whose members can be named without more: that of the test object, the present one, those around it.
    fn visible(&self) -> Vec<Rc<Class<'a>>> {
        let frame = self.frame();
        let mut visible = vec![Rc::clone(&frame.concrete), Rc::clone(&frame.class)];
        while let Some(outer) = visible.last().and_then(|class| self.classes.find(class.outer.as_ref()?)) {
            visible.push(outer);
        }
        visible
    }

    fn class(&self) -> Rc<Class<'a>> {
        Rc::clone(&self.frame().class)
    }

    fn text(&self, node: Node<'a>) -> &'a str {
        let unit = self.frame().class.unit;
        unit.text(node)
    }

    fn declare(&mut self, name: &str, value: Value<'a>) {
        if let Some(scope) = self.frame_mut().scopes.last_mut() {
            scope.insert(name.to_owned(), value);
        }
    }

    fn emit(&mut self, step: Step, type_name: &str) -> Value<'a> {
        let slot = Slot::try_from(self.state.steps.len()).unwrap_or(Slot::MAX);
        self.state.steps.push(step);
        self.state.dynamic.push(type_name.to_owned());
        Value::Made { slot, type_name: type_name.to_owned() }
    }

    /// The static type of a value.
    fn argument_type(&self, value: &Value<'a>) -> ArgumentType {
        match value {
            Value::Unknown | Value::This => ArgumentType::Unknown,
            Value::Constant(constant) => ArgumentType::Of(constant.type_name.clone()),
            Value::Made { type_name, .. } => ArgumentType::Of(type_name.clone()),
            Value::Array(at) => ArgumentType::Of(format!("{}[]", self.state.arrays[*at].element)),
            Value::Function(_) => ArgumentType::Function,
        }
    }

    /// The step that makes a value for a parameter of that type.
    fn materialise(&mut self, value: &Value<'a>, parameter: &str) -> Option<Slot> {
        let made = match value {
            Value::Unknown | Value::This => return None,
            Value::Made { slot, type_name } => {
                // A number that a call returned cannot be widened within a sequence.
                let differs =
                    is_primitive(parameter) && unboxed(type_name).is_some_and(|name| name != parameter);
                return (!differs).then_some(*slot);
            }
            Value::Constant(constant) => {
                let constant = fitting(constant, parameter)?;
                let step = Step::Constant { type_name: constant.type_name.clone(), value: constant.literal };
                self.emit(step, &constant.type_name)
            }
            Value::Array(at) => return self.materialise_array(*at),
            Value::Function(function) => self.stub(function, parameter)?,
        };
        if let Value::Made { slot, .. } = made { Some(slot) } else { None }
    }

    fn materialise_array(&mut self, at: usize) -> Option<Slot> {
        if let Some(slot) = self.state.arrays[at].slot {
            return Some(slot);
        }
        let ArrayValue { element, items, .. } = self.state.arrays[at].clone();
        let slots: Option<Vec<Slot>> = items.iter().map(|item| self.materialise(item, &element)).collect();
        let made =
            self.emit(Step::Array { element: element.clone(), items: slots? }, &format!("{element}[]"));
        let Value::Made { slot, .. } = made else { return None };
        self.state.arrays[at].slot = Some(slot);
        Some(slot)
    }

    fn new_array(&mut self, element: &str, items: Vec<Value<'a>>) -> Value<'a> {
        self.state.arrays.push(ArrayValue { element: element.to_owned(), items, slot: None });
        Value::Array(self.state.arrays.len() - 1)
    }

    /// What an argument is, for the facts.
    fn seen(&self, value: &Value<'a>, parameter: &str) -> Seen {
        const DEEP: u32 = 3;
        self.seen_within(value, parameter, DEEP)
    }

    fn seen_within(&self, value: &Value<'a>, parameter: &str, depth: u32) -> Seen {
        let items = |items: &[Value<'a>], element: &str| {
            Seen::Items(items.iter().map(|item| self.seen_within(item, element, depth - 1)).collect())
        };
        match value {
            _ if depth == 0 => Seen::Other,
            Value::Constant(constant) => fitting(constant, parameter).map_or(Seen::Other, Seen::Constant),
            Value::Array(at) => items(&self.state.arrays[*at].items, &self.state.arrays[*at].element),
            Value::Made { slot, .. } => {
                match (self.state.contents.get(slot), &self.state.steps[*slot as usize]) {
                    (Some(known), _) => items(known, OBJECT),
                    (None, Step::Constant { type_name, value }) => {
                        Seen::Constant(Constant::new(type_name, value.clone()))
                    }
                    _ => Seen::Other,
                }
            }
            Value::Unknown | Value::Function(_) | Value::This => Seen::Other,
        }
    }
}

/// A constant as the value of a parameter: with the parameter's type if that is primitive or a box, else boxed.
pub(super) fn fitting(constant: &Constant, parameter: &str) -> Option<Constant> {
    if constant.literal == Literal::Null {
        return (!is_primitive(parameter)).then(|| Constant::new(parameter, Literal::Null));
    }
    let Some(own) = unboxed(&constant.type_name) else {
        let fits = !is_primitive(parameter) && (parameter == STRING || unboxed(parameter).is_none());
        return fits.then(|| constant.clone());
    };
    if is_primitive(parameter) {
        return constant.cast(parameter);
    }
    match unboxed(parameter) {
        Some(wanted) => {
            let cast = constant.cast(wanted)?;
            Some(Constant::new(parameter, cast.literal))
        }
        None if parameter == STRING => None,
        None => Some(Constant::new(box_of(own)?, constant.literal.clone())),
    }
}
