//! What a program was seen to do on an input, and where two versions were seen to do something else.
//!
//! An observation is a tree of values with nothing in it that differs between two runs by nature: no identity, no
//! address, no order that a hash made. A [`Difference`] names the first place on its way down at which two of them part.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Slot;

/// What was seen of one sequence in one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The calls that were seen, in order; the one whose exception ended the sequence is the last of them.
    pub steps: Vec<StepObservation>,
    /// How the sequence ended.
    pub ending: Ending,
}

impl Observation {
    /// What a step threw, whether or not that ended the sequence.
    pub fn thrown_at(&self, step: Slot) -> Option<&Exception> {
        let caught = self.steps.iter().find(|seen| seen.step == step).and_then(|seen| seen.thrown.as_ref());
        caught.or(match &self.ending {
            Ending::Threw { step: last, exception } if *last == step => Some(exception),
            _ => None,
        })
    }

    /// The steps that threw, in order.
    pub fn throwing_steps(&self) -> impl Iterator<Item = Slot> {
        let caught = self.steps.iter().filter(|seen| seen.thrown.is_some()).map(|seen| seen.step);
        let last = match &self.ending {
            Ending::Threw { step, .. } => Some(*step),
            _ => None,
        };
        caught.chain(last)
    }
}

/// What was seen of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepObservation {
    /// Its number in the sequence.
    pub step: Slot,
    /// What it returned or made; none for `void` and for a call that threw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The receiver after the call, where that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<Value>,
    /// Arguments that a call can change, by their place, after the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<(u32, Value)>,
    /// What it threw, where the sequence went on all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thrown: Option<Exception>,
    /// Static fields of the classes that were called, after the call, where they were looked at: as an object whose
    /// fields are named with their class, `pkg.Type.field`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statics: Option<Value>,
}

/// How a sequence ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// All steps ran.
    Completed,
    /// A step threw.
    Threw {
        /// Which.
        step: Slot,
        /// What.
        exception: Exception,
    },
    /// The receiver of a call is `null`: that is an error of the input.
    NullReceiver {
        /// Of which step.
        step: Slot,
    },
    /// A value has not the type that a step needs: an error of the input.
    Mismatch {
        /// In which step.
        step: Slot,
        /// The type that came.
        found: String,
    },
    /// This version has not what the step calls.
    Unavailable {
        /// Which step.
        step: Slot,
    },
}

/// An exception that left a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exception {
    /// Its class.
    pub type_name: String,
    /// Its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The method of the subject that was on top of the stack: `pkg.Class.method`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thrown_by: Option<String>,
    /// What that method called, outside of the subject, and what did not return: `java.util.Objects.requireNonNull`. No
    /// part of the behaviour: nothing is compared by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// What it holds in fields of its own, where it is of a class of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
}

/// A value, as deep as it was looked into. Floating point numbers are carried as bits, as in `Literal`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// `null`.
    Null,
    /// `boolean`, or its box.
    Boolean(bool),
    /// `byte`.
    Byte(i8),
    /// `short`.
    Short(i16),
    /// `int`.
    Int(i32),
    /// `long`.
    Long(i64),
    /// `char`.
    Char(u16),
    /// `float`; every NaN has the same bits.
    Float(u32),
    /// `double`; every NaN has the same bits.
    Double(u64),
    /// A string.
    Text(String),
    /// A string that is no text: it holds half of a surrogate pair.
    BrokenText(Vec<u16>),
    /// The beginning of a long string.
    LongText {
        /// How it begins.
        start: String,
        /// UTF-16 units in all.
        length: u64,
        /// Of the whole.
        digest: u64,
    },
    /// A constant of an enum.
    Enum {
        /// The enum.
        type_name: String,
        /// The constant.
        name: String,
    },
    /// An object that is what it says: a date, a `BigDecimal`, a class.
    Valued {
        /// Its class.
        type_name: String,
        /// What it says.
        text: String,
    },
    /// An array or a collection.
    Collection {
        /// What sort of collection.
        kind: CollectionKind,
        /// The type has an order; else the elements are sorted by what was seen of them.
        ordered: bool,
        /// How many elements it has.
        length: u64,
        /// The first of them.
        items: Vec<Self>,
        /// Of those that are left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<u64>,
    },
    /// A map.
    Map {
        /// The type has an order; else the entries are sorted by what was seen of them.
        ordered: bool,
        /// How many entries it has.
        length: u64,
        /// The first of them.
        entries: Vec<(Self, Self)>,
        /// Of those that are left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<u64>,
    },
    /// An object by its fields, those of its superclasses first.
    Object {
        /// Its class.
        type_name: String,
        /// The fields.
        fields: Vec<Field>,
    },
    /// An object of which only the class is known: a lambda, a stream, a lock.
    Opaque {
        /// Its class.
        type_name: String,
    },
    /// An object that holds this one: so many levels up.
    Back(u32),
    /// Deeper than was looked.
    Deep {
        /// Its class.
        type_name: String,
    },
}

/// What sort of collection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollectionKind {
    /// An array of this element type.
    Array(String),
    /// A `List`.
    List,
    /// A `Set`.
    Set,
    /// Any other `Collection`.
    Other,
    /// An `Optional`: one element or none.
    Optional,
}

/// One field of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// A class of the same package can read it: not private.
    pub visible: bool,
    /// What it holds.
    pub value: Value,
}

/// Where in an observation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// Which step.
    pub step: Slot,
    /// Which part of it.
    pub element: Element,
    /// The way down from there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Access>,
}

/// A part of what is seen of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Element {
    /// What it returned or made.
    Return,
    /// What it threw.
    Exception,
    /// The receiver, after the call.
    Receiver,
    /// An argument, after the call.
    Argument(u32),
    /// Static fields, after the call: the first step of the way down names class and field.
    Statics,
}

/// One step of a way down into a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// A field.
    Field {
        /// Its name.
        name: String,
        /// A class of the same package can read it.
        visible: bool,
    },
    /// An element of what has an order.
    Index(u64),
    /// An element of a set, by what is seen of it.
    Element(String),
    /// The value of a key of a map, by what is seen of the key.
    Key(String),
    /// How many elements there are.
    Length,
}

impl Location {
    /// Does the way down pass a private field, so that no test of the same package can go it?
    pub fn is_internal(&self) -> bool {
        self.path.iter().any(|access| matches!(access, Access::Field { visible: false, .. }))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: ", self.step)?;
        match self.element {
            Element::Return => f.write_str("return value")?,
            Element::Exception => f.write_str("exception")?,
            Element::Receiver => f.write_str("receiver")?,
            Element::Argument(number) => write!(f, "argument {number}")?,
            Element::Statics => f.write_str("static")?,
        }
        for access in &self.path {
            match access {
                Access::Field { name, .. } => write!(f, ".{name}")?,
                Access::Index(index) => write!(f, "[{index}]")?,
                Access::Element(text) => write!(f, "{{{text}}}")?,
                Access::Key(text) => write!(f, "[key {text}]")?,
                Access::Length => f.write_str(".length")?,
            }
        }
        Ok(())
    }
}

/// In what two observations differ at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    /// Two values of one type.
    Value,
    /// Values of two types.
    Type,
    /// Floating point numbers within the tolerance of each other.
    Rounding,
    /// An element that only one side has.
    OneSided,
    /// A field that only one version's class has.
    Shape,
    /// The left side threw, the right one did not.
    OnlyLeftThrew,
    /// The right side threw, the left one did not.
    OnlyRightThrew,
    /// Exceptions of two types.
    ExceptionType,
    /// Exceptions of one type with two messages.
    ExceptionMessage,
    /// Exceptions of one type thrown by two methods.
    ExceptionPlace,
    /// The input does not fit one of the versions from here on.
    Unfit,
    /// One version has not what is called here. That says nothing about behaviour.
    Unavailable,
}

/// A place at which two observations differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Where.
    pub location: Location,
    /// What the left side has there, to be shown; none where it has nothing.
    pub left: Option<String>,
    /// What the right side has there.
    pub right: Option<String>,
    /// In what they differ.
    pub kind: DifferenceKind,
}

/// How far floating point numbers may lie apart and still count as rounded differently.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tolerance {
    /// Apart in proportion to the greater of the two.
    pub relative: f64,
    /// Apart at all, for numbers near zero.
    pub absolute: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { relative: 1e-9, absolute: 1e-12 }
    }
}

impl Tolerance {
    /// Are both finite and close? Zero and minus zero are not: they are told apart by sign.
    fn covers(self, left: f64, right: f64) -> bool {
        let zeros = left == 0.0 && right == 0.0;
        let apart = (left - right).abs();
        left.is_finite()
            && right.is_finite()
            && !zeros
            && (apart <= self.absolute || apart <= self.relative * left.abs().max(right.abs()))
    }
}

/// All places at which two observations differ, in the order of execution; none where they are the same.
pub fn compare(left: &Observation, right: &Observation, tolerance: &Tolerance) -> Vec<Difference> {
    let mut comparison = Comparison {
        tolerance: *tolerance,
        step: 0,
        element: Element::Return,
        path: Vec::new(),
        found: Vec::new(),
    };
    for (left, right) in left.steps.iter().zip(&right.steps) {
        comparison.steps(left, right);
        if !comparison.thrown(left.thrown.as_ref(), right.thrown.as_ref()) {
            return comparison.found;
        }
    }
    comparison.endings(&left.ending, &right.ending);
    comparison.found
}

/// An observation in which some places are covered: whatever is there, it looks the same.
///
/// For what differs between two runs of one version, by nature. None if so much differs that nothing can be said: the way
/// it ended.
pub fn covered(observation: &Observation, places: &[Difference]) -> Option<Observation> {
    let mut covered = observation.clone();
    for Difference { location, kind, .. } in places {
        match kind {
            DifferenceKind::ExceptionMessage | DifferenceKind::ExceptionPlace => {
                let Ending::Threw { exception, .. } = &mut covered.ending else { return None };
                exception.message = None;
                exception.thrown_by = None;
                exception.called = None;
            }
            _ if location.element == Element::Exception => return None,
            _ => {
                let seen = covered.steps.iter_mut().find(|seen| seen.step == location.step);
                let value = seen.and_then(|seen| match location.element {
                    Element::Return => seen.result.as_mut(),
                    Element::Receiver => seen.receiver.as_mut(),
                    Element::Argument(number) => {
                        seen.arguments.iter_mut().find(|(at, _)| *at == number).map(|(_, value)| value)
                    }
                    Element::Statics => seen.statics.as_mut(),
                    Element::Exception => None,
                });
                if let Some(value) = value {
                    cover(value, &location.path);
                }
            }
        }
    }
    Some(covered)
}

/// Covers what lies at the end of a way of fields, or as far as that way goes. Collections are covered as a whole: of a list
/// of random numbers some elements are the same twice by chance, and would seem to be stable.
fn cover(value: &mut Value, path: &[Access]) {
    if let Some((first, rest)) = path.split_first() {
        let below = match (first, &mut *value) {
            (Access::Field { name, .. }, Value::Object { fields, .. }) => {
                fields.iter_mut().find(|field| field.name == *name).map(|field| &mut field.value)
            }
            _ => None,
        };
        if let Some(below) = below {
            return cover(below, rest);
        }
    }
    *value = Value::Opaque { type_name: COVERED.to_owned() };
}

/// What is covered looks like this.
const COVERED: &str = "value that is never the same";

/// A comparison under way, and where it stands.
struct Comparison {
    tolerance: Tolerance,
    step: Slot,
    element: Element,
    path: Vec<Access>,
    found: Vec<Difference>,
}

impl Comparison {
    fn report(&mut self, kind: DifferenceKind, left: Option<String>, right: Option<String>) {
        let location = Location { step: self.step, element: self.element, path: self.path.clone() };
        self.found.push(Difference { location, left, right, kind });
    }

    fn below(&mut self, access: Access, visit: impl FnOnce(&mut Self)) {
        self.path.push(access);
        visit(self);
        self.path.pop();
    }

    fn steps(&mut self, left: &StepObservation, right: &StepObservation) {
        self.step = left.step;
        if let (Some(left), Some(right)) = (&left.result, &right.result) {
            self.element = Element::Return;
            self.values(left, right);
        }
        if let (Some(left), Some(right)) = (&left.receiver, &right.receiver) {
            self.element = Element::Receiver;
            self.values(left, right);
        }
        for (number, left) in &left.arguments {
            let other = right.arguments.iter().find(|(other, _)| other == number);
            if let Some((_, right)) = other {
                self.element = Element::Argument(*number);
                self.values(left, right);
            }
        }
        if let (Some(left), Some(right)) = (&left.statics, &right.statics) {
            self.element = Element::Statics;
            self.values(left, right);
        }
    }

    /// What a call threw that did not end the sequence; whether what follows is worth a comparison, since from two
    /// exceptions on the versions do not do the same any more.
    fn thrown(&mut self, left: Option<&Exception>, right: Option<&Exception>) -> bool {
        self.element = Element::Exception;
        let shown = |exception: Option<&Exception>| {
            Some(exception.map_or_else(|| Ending::Completed.to_string(), ToString::to_string))
        };
        let kind = match (left, right) {
            (None, None) => return true,
            (Some(left), Some(right)) => {
                self.exceptions(left, right);
                return left.type_name == right.type_name;
            }
            (Some(_), None) => DifferenceKind::OnlyLeftThrew,
            (None, Some(_)) => DifferenceKind::OnlyRightThrew,
        };
        self.report(kind, shown(left), shown(right));
        false
    }

    fn endings(&mut self, left: &Ending, right: &Ending) {
        use DifferenceKind as Kind;
        self.element = Element::Exception;
        self.step = match (left.step(), right.step()) {
            (Some(left), Some(right)) => left.min(right),
            (one, other) => one.or(other).unwrap_or_default(),
        };
        let shown = (Some(left.to_string()), Some(right.to_string()));
        let kind = match (left, right) {
            (Ending::Unavailable { .. }, _) | (_, Ending::Unavailable { .. }) if left != right => {
                Kind::Unavailable
            }
            (
                Ending::Threw { step: one, exception: left },
                Ending::Threw { step: other, exception: right },
            ) if one == other => {
                return self.exceptions(left, right);
            }
            (Ending::Threw { step: one, .. }, Ending::Threw { step: other, .. }) if one < other => {
                Kind::OnlyLeftThrew
            }
            (Ending::Threw { .. }, Ending::Threw { .. }) => Kind::OnlyRightThrew,
            (Ending::Threw { step, .. }, other) if other.step().is_none_or(|at| *step <= at) => {
                Kind::OnlyLeftThrew
            }
            (other, Ending::Threw { step, .. }) if other.step().is_none_or(|at| *step <= at) => {
                Kind::OnlyRightThrew
            }
            _ if left != right => Kind::Unfit,
            _ => return,
        };
        self.report(kind, shown.0, shown.1);
    }

    fn exceptions(&mut self, left: &Exception, right: &Exception) {
        use DifferenceKind as Kind;
        if left.type_name != right.type_name {
            let shown = |exception: &Exception| Some(exception.to_string());
            self.report(Kind::ExceptionType, shown(left), shown(right));
            return;
        }
        if left.message != right.message {
            self.report(Kind::ExceptionMessage, left.message.clone(), right.message.clone());
        }
        if left.thrown_by != right.thrown_by {
            self.report(Kind::ExceptionPlace, left.thrown_by.clone(), right.thrown_by.clone());
        }
        if let (Some(left), Some(right)) = (&left.state, &right.state) {
            self.values(left, right);
        }
    }

    fn values(&mut self, left: &Value, right: &Value) {
        if left == right {
            return;
        }
        match (left, right) {
            (Value::Double(one), Value::Double(other)) => {
                self.floats(f64::from_bits(*one), f64::from_bits(*other), left, right);
            }
            (Value::Float(one), Value::Float(other)) => {
                // A last digit of `float` is far above the tolerance for `double`.
                let (one, other) = (f32::from_bits(*one), f32::from_bits(*other));
                self.floats_within(
                    f64::from(one),
                    f64::from(other),
                    Tolerance {
                        relative: self.tolerance.relative.max(2.0 * f64::from(f32::EPSILON)),
                        ..self.tolerance
                    },
                    left,
                    right,
                );
            }
            (
                Value::Object { type_name: one, fields: left_fields },
                Value::Object { type_name: other, fields: right_fields },
            ) if one == other => self.fields(left_fields, right_fields),
            (Value::Collection { kind: one, .. }, Value::Collection { kind: other, .. }) if one == other => {
                self.collections(left, right);
            }
            (Value::Map { .. }, Value::Map { .. }) => self.maps(left, right),
            _ => {
                let kind = if left.type_name() == right.type_name() {
                    DifferenceKind::Value
                } else {
                    DifferenceKind::Type
                };
                self.report(kind, Some(left.to_string()), Some(right.to_string()));
            }
        }
    }

    fn floats(&mut self, one: f64, other: f64, left: &Value, right: &Value) {
        self.floats_within(one, other, self.tolerance, left, right);
    }

    fn floats_within(&mut self, one: f64, other: f64, tolerance: Tolerance, left: &Value, right: &Value) {
        let close = tolerance.covers(one, other);
        let kind = if close { DifferenceKind::Rounding } else { DifferenceKind::Value };
        self.report(kind, Some(left.to_string()), Some(right.to_string()));
    }

    fn fields(&mut self, left: &[Field], right: &[Field]) {
        let access = |field: &Field| Access::Field { name: field.name.clone(), visible: field.visible };
        let position = |fields: &[Field], index: usize| {
            fields[..index].iter().filter(|field| field.name == fields[index].name).count()
        };
        for (index, field) in left.iter().enumerate() {
            // A subclass may have a field of the same name: they are told apart by their order.
            let mut same_name = right.iter().filter(|other| other.name == field.name);
            match same_name.nth(position(left, index)) {
                Some(other) => self.below(access(field), |this| this.values(&field.value, &other.value)),
                None => self.below(access(field), |this| {
                    this.report(DifferenceKind::Shape, Some(field.value.to_string()), None);
                }),
            }
        }
        for (index, field) in right.iter().enumerate() {
            let same_name = left.iter().filter(|other| other.name == field.name).count();
            if same_name <= position(right, index) {
                self.below(access(field), |this| {
                    this.report(DifferenceKind::Shape, None, Some(field.value.to_string()));
                });
            }
        }
    }

    fn collections(&mut self, left: &Value, right: &Value) {
        let (
            Value::Collection { ordered: one, length, items, digest, .. },
            Value::Collection {
                ordered: other,
                length: other_length,
                items: other_items,
                digest: other_digest,
                ..
            },
        ) = (left, right)
        else {
            return;
        };
        let before = self.found.len();
        if *one && *other {
            self.ordered(items, other_items);
        } else {
            self.unordered(items, other_items);
        }
        if self.found.len() == before {
            self.beyond((*length, *digest), (*other_length, *other_digest));
        }
    }

    fn ordered(&mut self, left: &[Value], right: &[Value]) {
        for index in 0..left.len().max(right.len()) {
            self.below(Access::Index(index as u64), |this| match (left.get(index), right.get(index)) {
                (Some(left), Some(right)) => this.values(left, right),
                (one, other) => {
                    this.report(
                        DifferenceKind::OneSided,
                        one.map(ToString::to_string),
                        other.map(ToString::to_string),
                    );
                }
            });
        }
    }

    /// Elements that only one side has; those which differ in a last digit only find each other.
    fn unordered(&mut self, left: &[Value], right: &[Value]) {
        let mut rest: Vec<&Value> = right.iter().collect();
        let mut only_left = Vec::new();
        for value in left {
            match rest.iter().position(|other| *other == value) {
                Some(index) => drop(rest.remove(index)),
                None => only_left.push(value),
            }
        }
        for value in only_left {
            self.below(Access::Element(value.to_string()), |this| {
                match rest.iter().position(|other| this.differs_by_rounding(value, other)) {
                    Some(index) => this.values(value, rest.remove(index)),
                    None => this.report(DifferenceKind::OneSided, Some(value.to_string()), None),
                }
            });
        }
        for value in rest {
            self.below(Access::Element(value.to_string()), |this| {
                this.report(DifferenceKind::OneSided, None, Some(value.to_string()));
            });
        }
    }

    fn differs_by_rounding(&self, left: &Value, right: &Value) -> bool {
        let mut comparison = Self { found: Vec::new(), path: Vec::new(), ..*self };
        comparison.values(left, right);
        comparison.found.iter().all(|difference| difference.kind == DifferenceKind::Rounding)
    }

    fn maps(&mut self, left: &Value, right: &Value) {
        let (
            Value::Map { ordered: one, length, entries, digest },
            Value::Map { ordered: other, length: other_length, entries: other_entries, digest: other_digest },
        ) = (left, right)
        else {
            return;
        };
        let before = self.found.len();
        for (key, value) in entries {
            let found = other_entries.iter().find(|(other, _)| other == key);
            self.below(Access::Key(key.to_string()), |this| match found {
                Some((_, other)) => this.values(value, other),
                None => this.report(DifferenceKind::OneSided, Some(value.to_string()), None),
            });
        }
        for (key, value) in other_entries {
            if !entries.iter().any(|(other, _)| other == key) {
                self.below(Access::Key(key.to_string()), |this| {
                    this.report(DifferenceKind::OneSided, None, Some(value.to_string()));
                });
            }
        }
        if self.found.len() == before && *one && *other {
            self.key_order(entries, other_entries);
        }
        if self.found.len() == before {
            self.beyond((*length, *digest), (*other_length, *other_digest));
        }
    }

    /// Same entries in another order, where the order is the type's.
    fn key_order(&mut self, left: &[(Value, Value)], right: &[(Value, Value)]) {
        let pair = left.iter().zip(right).enumerate().find(|(_, (left, right))| left.0 != right.0);
        if let Some((index, (left, right))) = pair {
            self.below(Access::Index(index as u64), |this| {
                this.report(DifferenceKind::Value, Some(left.0.to_string()), Some(right.0.to_string()));
            });
        }
    }

    /// What was left out of long collections.
    fn beyond(&mut self, left: (u64, Option<u64>), right: (u64, Option<u64>)) {
        if left.0 != right.0 {
            self.below(Access::Length, |this| {
                this.report(DifferenceKind::Value, Some(left.0.to_string()), Some(right.0.to_string()));
            });
        } else if left.1 != right.1 {
            let shown = |digest: Option<u64>| digest.map(|digest| format!("… (digest {digest:016x})"));
            self.report(DifferenceKind::Value, shown(left.1), shown(right.1));
        }
    }
}

impl Ending {
    /// The step at which the sequence came to its end early.
    pub fn step(&self) -> Option<Slot> {
        match self {
            Self::Completed => None,
            Self::Threw { step, .. }
            | Self::NullReceiver { step }
            | Self::Mismatch { step, .. }
            | Self::Unavailable { step } => Some(*step),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("no exception"),
            Self::Threw { exception, .. } => exception.fmt(f),
            Self::NullReceiver { .. } => f.write_str("call on null"),
            Self::Mismatch { found, .. } => write!(f, "unfit value of type {found}"),
            Self::Unavailable { .. } => f.write_str("not in this version"),
        }
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.type_name)?;
        self.message.as_ref().map_or(Ok(()), |message| write!(f, ": {message}"))
    }
}

impl Value {
    /// The type, as far as it sets values apart; empty where the kind of value says it all.
    fn type_name(&self) -> &str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "boolean",
            Self::Byte(_) => "byte",
            Self::Short(_) => "short",
            Self::Int(_) => "int",
            Self::Long(_) => "long",
            Self::Char(_) => "char",
            Self::Float(_) => "float",
            Self::Double(_) => "double",
            Self::Text(_) | Self::BrokenText(_) | Self::LongText { .. } => "string",
            Self::Enum { type_name, .. }
            | Self::Valued { type_name, .. }
            | Self::Object { type_name, .. }
            | Self::Opaque { type_name }
            | Self::Deep { type_name } => type_name,
            Self::Collection { kind, .. } => kind.name(),
            Self::Map { .. } => "map",
            Self::Back(_) => "back",
        }
    }
}

impl CollectionKind {
    fn name(&self) -> &str {
        match self {
            Self::Array(element) => element,
            Self::List => "list",
            Self::Set => "set",
            Self::Other => "collection",
            Self::Optional => "optional",
        }
    }
}

/// Elements shown of a collection.
const SHOWN: usize = 8;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => value.fmt(f),
            Self::Byte(value) => value.fmt(f),
            Self::Short(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Long(value) => write!(f, "{value}L"),
            Self::Char(unit) => match char::from_u32(u32::from(*unit)) {
                Some(character) => write!(f, "{character:?}"),
                None => write!(f, "'\\u{unit:04x}'"),
            },
            Self::Float(bits) => write!(f, "{:?}f", f32::from_bits(*bits)),
            Self::Double(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::BrokenText(units) => write!(f, "{:?}", String::from_utf16_lossy(units)),
            Self::LongText { start, length, .. } => write!(f, "{start:?}… ({length} characters)"),
            Self::Enum { name, .. } => f.write_str(name),
            Self::Valued { text, .. } => f.write_str(text),
            Self::Collection { items, length, .. } => write_items(f, '[', items.iter(), *length, ']'),
            Self::Map { entries, length, .. } => {
                let entries: Vec<String> =
                    entries.iter().take(SHOWN).map(|(key, value)| format!("{key}={value}")).collect();
                write_items(f, '{', entries.iter(), *length, '}')
            }
            Self::Object { type_name, fields } => {
                let fields: Vec<String> = fields
                    .iter()
                    .take(SHOWN)
                    .map(|field| format!("{}={}", field.name, field.value))
                    .collect();
                f.write_str(type_name)?;
                write_items(f, '(', fields.iter(), fields.len() as u64, ')')
            }
            Self::Opaque { type_name } => write!(f, "a {type_name}"),
            Self::Back(levels) => write!(f, "↑{levels}"),
            Self::Deep { type_name } => write!(f, "{type_name}(…)"),
        }
    }
}

fn write_items<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    open: char,
    items: impl Iterator<Item = T>,
    length: u64,
    close: char,
) -> fmt::Result {
    write!(f, "{open}")?;
    let mut shown = 0;
    for item in items.take(SHOWN) {
        let comma = if shown == 0 { "" } else { ", " };
        write!(f, "{comma}{item}")?;
        shown += 1;
    }
    if shown < length {
        write!(f, ", … {length} in all")?;
    }
    write!(f, "{close}")
}

/// What became of one sequence in all versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SequenceOutcome {
    /// All versions did the same.
    Same {
        /// What the sequence did, in short.
        summary: Summary,
        /// What was seen, where that was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        observation: Option<Box<Observation>>,
    },
    /// They did not, once: whether that is by nature of the input is for a repetition to say.
    Differs {
        /// By version, in the order asked for.
        observations: Vec<Observation>,
        /// Threads were left running.
        leaked_threads: bool,
    },
    /// A version could not be run to the end of the sequence.
    Failed {
        /// Which, by its number.
        version: u32,
        /// Why.
        breakdown: Breakdown,
    },
}

/// What a sequence did, without the values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// How many steps ran to their end.
    pub steps: u32,
    /// The next one threw.
    pub threw: bool,
    /// The next one could not be run at all: a call on `null`, a value of the wrong type, something missing.
    pub unfit: bool,
    /// Threads were left running.
    pub leaked_threads: bool,
    /// Of the observation: equal numbers, equal behaviour.
    pub digest: u64,
}

/// Why a version was not run to the end of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Breakdown {
    /// It took longer than the limit.
    Timeout,
    /// It ended the process, with this exit code.
    Exit(i32),
    /// The virtual machine died of it.
    Crash,
    /// It ran out of memory.
    OutOfMemory,
}

impl fmt::Display for Breakdown {
    /// As words that follow the input as a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("does not come to an end"),
            Self::Exit(code) => write!(f, "ends the process with exit code {code}"),
            Self::Crash => f.write_str("breaks the virtual machine"),
            Self::OutOfMemory => f.write_str("runs out of memory"),
        }
    }
}

/// What repetition says of one sequence in one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// The same each time, alone in fresh class loaders.
    Stable(Box<Observation>),
    /// Not the same each time: time, randomness, identity, threads.
    Unstable {
        /// The first that was seen, and one that is different.
        observations: Box<[Observation; 2]>,
    },
    /// It broke down, at least once.
    Failed(Breakdown),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returning(value: Value) -> Observation {
        let step = StepObservation { step: 3, result: Some(value), ..StepObservation::default() };
        Observation { steps: vec![step], ending: Ending::Completed }
    }

    fn list(items: Vec<Value>) -> Value {
        Value::Collection {
            kind: CollectionKind::List,
            ordered: true,
            length: items.len() as u64,
            items,
            digest: None,
        }
    }

    fn set(items: Vec<Value>) -> Value {
        Value::Collection {
            kind: CollectionKind::Set,
            ordered: false,
            length: items.len() as u64,
            items,
            digest: None,
        }
    }

    fn map(ordered: bool, entries: &[(i32, i32)]) -> Value {
        let entries: Vec<_> =
            entries.iter().map(|(key, value)| (Value::Int(*key), Value::Int(*value))).collect();
        Value::Map { ordered, length: entries.len() as u64, entries, digest: None }
    }

    fn object(fields: &[(&str, Value)]) -> Value {
        let field = |(name, value): &(&str, Value)| Field {
            name: (*name).to_owned(),
            visible: false,
            value: value.clone(),
        };
        Value::Object { type_name: "p.A".to_owned(), fields: fields.iter().map(field).collect() }
    }

    fn double(value: f64) -> Value {
        Value::Double(value.to_bits())
    }

    fn render(differences: &[Difference]) -> Vec<String> {
        let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        differences
            .iter()
            .map(|difference| {
                let Difference { location, left, right, kind } = difference;
                format!("{location} {kind:?} {} / {}", side(left), side(right))
            })
            .collect()
    }

    fn check(left: Value, right: Value, expected: &[&str]) {
        let differences = compare(&returning(left), &returning(right), &Tolerance::default());
        assert_eq!(render(&differences), expected);
    }

    fn threw(step: Slot, type_name: &str, message: &str, thrown_by: &str) -> Observation {
        let exception = Exception {
            type_name: type_name.to_owned(),
            message: Some(message.to_owned()),
            thrown_by: Some(thrown_by.to_owned()),
            called: None,
            state: None,
        };
        Observation { steps: Vec::new(), ending: Ending::Threw { step, exception } }
    }

    #[test]
    fn what_is_equal_has_no_difference() {
        check(list(vec![Value::Int(1), Value::Null]), list(vec![Value::Int(1), Value::Null]), &[]);
        check(double(f64::NAN), double(f64::NAN), &[]);
    }

    #[test]
    fn values_differ_where_they_stand() {
        check(Value::Int(1), Value::Int(2), &["step 3: return value Value 1 / 2"]);
        check(
            object(&[("size", Value::Int(1)), ("items", list(vec![Value::Text("a".to_owned())]))]),
            object(&[("size", Value::Int(1)), ("items", list(vec![Value::Text("b".to_owned())]))]),
            &[r#"step 3: return value.items[0] Value "a" / "b""#],
        );
        check(Value::Int(1), Value::Long(1), &["step 3: return value Type 1 / 1L"]);
        check(Value::Null, Value::Text(String::new()), &[r#"step 3: return value Type null / """#]);
    }

    #[test]
    fn a_longer_list_differs_from_where_the_shorter_one_ends() {
        check(
            list(vec![Value::Int(1)]),
            list(vec![Value::Int(1), Value::Int(2)]),
            &["step 3: return value[1] OneSided nothing / 2"],
        );
    }

    #[test]
    fn what_was_left_out_of_a_long_list_counts() {
        let long = |length, digest| Value::Collection {
            kind: CollectionKind::List,
            ordered: true,
            length,
            items: vec![Value::Int(1)],
            digest: Some(digest),
        };
        check(long(90, 1), long(91, 2), &["step 3: return value.length Value 90 / 91"]);
        let left = "… (digest 0000000000000001)";
        let right = "… (digest 0000000000000002)";
        check(long(90, 1), long(90, 2), &[&format!("step 3: return value Value {left} / {right}")]);
    }

    #[test]
    fn a_cycle_is_a_way_up_and_compares_by_its_length() {
        let ring = |levels| object(&[("next", object(&[("next", Value::Back(levels))]))]);
        check(ring(2), ring(2), &[]);
        check(ring(2), ring(1), &["step 3: return value.next.next Value ↑2 / ↑1"]);
    }

    #[test]
    fn minus_zero_nan_and_infinity_are_never_rounding() {
        check(double(0.0), double(-0.0), &["step 3: return value Value 0.0 / -0.0"]);
        check(double(f64::NAN), double(1.0), &["step 3: return value Value NaN / 1.0"]);
        check(
            double(f64::INFINITY),
            double(f64::MAX),
            &["step 3: return value Value inf / 1.7976931348623157e308"],
        );
    }

    #[test]
    fn last_digits_are_rounding_and_more_is_not() {
        check(double(0.3), double(0.1 + 0.2), &["step 3: return value Rounding 0.3 / 0.30000000000000004"]);
        check(double(0.3), double(0.300_001), &["step 3: return value Value 0.3 / 0.300001"]);
        check(
            Value::Float(0.1_f32.to_bits()),
            Value::Float((0.1_f32 + f32::EPSILON / 16.0).to_bits()),
            &["step 3: return value Rounding 0.1f / 0.10000001f"],
        );
    }

    #[test]
    fn a_map_without_order_compares_by_key_and_one_with_order_by_place_too() {
        check(map(false, &[(1, 1), (2, 2)]), map(false, &[(2, 2), (1, 1)]), &[]);
        check(map(true, &[(1, 1), (2, 2)]), map(false, &[(2, 2), (1, 1)]), &[]);
        check(
            map(true, &[(1, 1), (2, 2)]),
            map(true, &[(2, 2), (1, 1)]),
            &["step 3: return value[0] Value 1 / 2"],
        );
        check(
            map(false, &[(1, 1)]),
            map(false, &[(1, 2), (3, 3)]),
            &["step 3: return value[key 1] Value 1 / 2", "step 3: return value[key 3] OneSided nothing / 3"],
        );
    }

    #[test]
    fn a_set_compares_by_content_and_forgives_last_digits() {
        check(set(vec![Value::Int(1), Value::Int(2)]), set(vec![Value::Int(2), Value::Int(1)]), &[]);
        check(
            set(vec![Value::Int(1), Value::Int(2)]),
            set(vec![Value::Int(1)]),
            &["step 3: return value{2} OneSided 2 / nothing"],
        );
        check(
            set(vec![double(0.3)]),
            set(vec![double(0.1 + 0.2)]),
            &["step 3: return value{0.3} Rounding 0.3 / 0.30000000000000004"],
        );
    }

    #[test]
    fn a_field_that_only_one_class_has_is_a_matter_of_shape() {
        check(
            object(&[("a", Value::Int(1))]),
            object(&[("a", Value::Int(1)), ("cache", Value::Null)]),
            &["step 3: return value.cache Shape nothing / null"],
        );
    }

    #[test]
    fn private_fields_are_internal() {
        let differences = compare(
            &returning(object(&[("a", Value::Int(1))])),
            &returning(object(&[("a", Value::Int(2))])),
            &Tolerance::default(),
        );
        assert!(differences[0].location.is_internal());
    }

    #[test]
    fn exceptions_differ_by_presence_then_type_then_message_and_place() {
        let check = |left: &Observation, right: &Observation, expected: &[&str]| {
            assert_eq!(render(&compare(left, right, &Tolerance::default())), expected);
        };
        let thrown = threw(4, "E", "m", "p.A.f");
        check(&thrown, &thrown, &[]);
        check(&thrown, &returning(Value::Null), &["step 4: exception OnlyLeftThrew E: m / no exception"]);
        check(&returning(Value::Null), &thrown, &["step 4: exception OnlyRightThrew no exception / E: m"]);
        check(&threw(2, "E", "m", "f"), &thrown, &["step 2: exception OnlyLeftThrew E: m / E: m"]);
        check(&thrown, &threw(4, "F", "m", "p.A.f"), &["step 4: exception ExceptionType E: m / F: m"]);
        check(
            &thrown,
            &threw(4, "E", "n", "p.A.g"),
            &["step 4: exception ExceptionMessage m / n", "step 4: exception ExceptionPlace p.A.f / p.A.g"],
        );
    }

    /// A step that threw and was caught, followed by one that returns a number.
    fn caught(type_name: Option<&str>, state: i32, result: i32) -> Observation {
        let thrown = type_name.map(|type_name| Exception {
            type_name: type_name.to_owned(),
            message: None,
            thrown_by: None,
            called: None,
            state: Some(object(&[("nodes", Value::Int(state))])),
        });
        let first = StepObservation { step: 2, thrown, ..StepObservation::default() };
        let mut observation = returning(Value::Int(result));
        observation.steps.insert(0, first);
        observation
    }

    #[test]
    fn a_caught_exception_is_compared_where_it_was_thrown() {
        let check = |left: &Observation, right: &Observation, expected: &[&str]| {
            assert_eq!(render(&compare(left, right, &Tolerance::default())), expected);
        };
        let thrown = caught(Some("E"), 1, 1);
        check(&thrown, &thrown, &[]);
        check(&thrown, &caught(Some("E"), 1, 2), &["step 3: return value Value 1 / 2"]);
        check(&thrown, &caught(Some("E"), 2, 1), &["step 2: exception.nodes Value 1 / 2"]);
        // What follows two exceptions is no longer the same story.
        check(&thrown, &caught(None, 1, 2), &["step 2: exception OnlyLeftThrew E / no exception"]);
        check(&caught(None, 1, 2), &thrown, &["step 2: exception OnlyRightThrew no exception / E"]);
        check(&thrown, &caught(Some("F"), 2, 2), &["step 2: exception ExceptionType E / F"]);
        assert_eq!(thrown.thrown_at(2).map(|exception| exception.type_name.as_str()), Some("E"));
        assert_eq!(thrown.thrown_at(3), None);
        assert_eq!(thrown.throwing_steps().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_differs_by_nature_can_be_covered_and_the_rest_still_compares() {
        let record = |stamp: i64, size: i32| {
            returning(object(&[("stamp", Value::Long(stamp)), ("sizes", list(vec![Value::Int(size)]))]))
        };
        let wavering = compare(&record(1, 7), &record(2, 7), &Tolerance::default());
        let (left, right) = (covered(&record(1, 7), &wavering), covered(&record(3, 8), &wavering));
        let differences = compare(&left.unwrap(), &right.unwrap(), &Tolerance::default());
        assert_eq!(render(&differences), ["step 3: return value.sizes[0] Value 7 / 8"]);
    }

    #[test]
    fn a_place_without_a_name_is_covered_with_what_holds_it() {
        let wavering = compare(
            &returning(set(vec![Value::Int(1)])),
            &returning(set(vec![Value::Int(2)])),
            &Tolerance::default(),
        );
        let (one, other) = (returning(set(vec![Value::Int(5)])), returning(set(vec![Value::Int(6)])));
        assert_eq!(covered(&one, &wavering), covered(&other, &wavering));
    }

    #[test]
    fn a_list_in_which_one_element_wavers_is_covered_as_a_whole() {
        let coins = |one, other| returning(list(vec![Value::Int(one), Value::Int(other)]));
        // The second coin was the same twice, by chance.
        let wavering = compare(&coins(0, 1), &coins(1, 1), &Tolerance::default());
        assert_eq!(covered(&coins(0, 1), &wavering), covered(&coins(0, 0), &wavering));
    }

    #[test]
    fn an_ending_that_wavers_cannot_be_covered() {
        let thrown = threw(3, "E", "m", "f");
        let wavering = compare(&thrown, &returning(Value::Null), &Tolerance::default());
        assert_eq!(covered(&thrown, &wavering), None);
        let wording = compare(&thrown, &threw(3, "E", "n", "f"), &Tolerance::default());
        assert_eq!(covered(&thrown, &wording), covered(&threw(3, "E", "o", "f"), &wording));
    }

    #[test]
    fn what_a_version_lacks_is_unavailable_and_no_behaviour() {
        let missing = Observation { steps: Vec::new(), ending: Ending::Unavailable { step: 1 } };
        let differences = compare(&missing, &threw(1, "E", "m", "f"), &Tolerance::default());
        assert_eq!(differences[0].kind, DifferenceKind::Unavailable);
        assert_eq!(compare(&missing, &missing, &Tolerance::default()), []);
    }
}
