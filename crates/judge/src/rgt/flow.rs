//! What flows into each argument of an input: the constants in it, however they got there.

use bonafix_model::{CallableKind, Literal, Slot, Step, Value};

use super::numbers::canonical_decimal;
use super::place;
use super::scene::{Call, Scene};

/// A simple value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Leaf {
    Null,
    Integer(i64),
    Real(f64),
    /// A number of any size, without zeros that do not change it.
    Decimal(String),
    Char(u16),
    Text(Vec<u16>),
    /// The stub that this step makes.
    Stub(Slot),
}

/// What is known of the value of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    /// It is a simple value.
    pub(super) itself: Option<Leaf>,
    /// It was made of these, or these were put into it.
    pub(super) inside: Vec<Leaf>,
    /// It is a list or an array of exactly these.
    pub(super) items: Option<Vec<Item>>,
}

/// An element of a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub(super) slot: Slot,
    pub(super) leaf: Option<Leaf>,
}

impl Content {
    fn simple(leaf: Leaf) -> Self {
        Self { itself: Some(leaf), ..Self::default() }
    }

    /// Itself, or all that is inside.
    pub(super) fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.itself.iter().chain(&self.inside)
    }
}

/// The contents of all steps so far.
pub(super) struct Flow<'a> {
    scene: &'a Scene<'a>,
    contents: Vec<Content>,
}

/// Methods by which something gets into an object of a library.
const FILLING: [&str; 10] =
    ["add", "put", "push", "offer", "append", "insert", "set", "write", "replace", "merge"];

/// Of these, those that put one element behind all others.
const APPENDING: [&str; 3] = ["add", "addLast", "addElement"];

/// Interfaces of the JDK whose one method gives an object.
const OBJECT_FUNCTIONS: [&str; 10] = [
    "java.util.concurrent.Callable",
    "java.util.function.BiFunction",
    "java.util.function.BinaryOperator",
    "java.util.function.DoubleFunction",
    "java.util.function.Function",
    "java.util.function.IntFunction",
    "java.util.function.LongFunction",
    "java.util.function.Supplier",
    "java.util.function.UnaryOperator",
    "java.security.PrivilegedAction",
];

impl<'a> Flow<'a> {
    pub(super) fn new(scene: &'a Scene<'a>) -> Self {
        Self { scene, contents: Vec::with_capacity(scene.input.steps.len()) }
    }

    pub(super) fn content(&self, slot: Slot) -> Option<&Content> {
        self.contents.get(usize::try_from(slot).ok()?)
    }

    /// Takes the next step into account.
    pub(super) fn advance(&mut self, number: Slot, step: &'a Step) {
        let content = match step {
            Step::Constant { value, .. } => constant(value).map(Content::simple).unwrap_or_default(),
            Step::Array { items, .. } => {
                Content { itself: None, inside: self.leaves(items), items: Some(self.items(items)) }
            }
            Step::Stub { interface, answers } => {
                let nothing = answers.is_empty() && self.answers_objects(interface);
                let nothing = nothing.then_some(Leaf::Null);
                let answers = self.leaves(answers).into_iter().chain(nothing).filter(|leaf| {
                    // A stub may answer any number; what it answers is never an argument's sign or order.
                    matches!(leaf, Leaf::Null | Leaf::Stub(_))
                        || matches!(leaf, Leaf::Real(value) if !value.is_finite())
                });
                Content {
                    itself: None,
                    inside: std::iter::once(Leaf::Stub(number)).chain(answers).collect(),
                    items: None,
                }
            }
            Step::Call { .. } => {
                self.scene.call_of(number, step).map(|call| self.call(call)).unwrap_or_default()
            }
        };
        self.contents.push(content);
    }

    /// Is a stub of this interface asked for objects? Then one without answers gives `null`.
    fn answers_objects(&self, interface: &str) -> bool {
        let is_object = |name: &str| name != "void" && name.contains('.');
        let mut methods = self.scene.callables().filter(|callable| callable.owner == interface);
        OBJECT_FUNCTIONS.contains(&interface)
            || methods.any(|method| method.kind == CallableKind::Method && is_object(&method.result))
    }

    fn call(&mut self, call: Call<'_>) -> Content {
        let seen = place::result(self.scene.reference, call.step).and_then(observed);
        let through = if self.scene.runs_subject(call) { Content::default() } else { self.library(call) };
        seen.or_else(|| self.boxed(call)).map_or(through, Content::simple)
    }

    /// What a library makes of its arguments is made of them; and its objects are filled by their methods.
    fn library(&mut self, call: Call<'_>) -> Content {
        let arguments = self.leaves(call.arguments);
        let mut inside = Vec::new();
        if let Some(receiver) = call.receiver {
            self.fill(receiver, call);
            inside.extend(self.leaves(&[receiver]));
        } else if call.callable.result == "void" {
            // `Collections.sort` and its like change what they get.
            for slot in call.arguments {
                if let Some(content) = self.content_mut(*slot) {
                    content.items = None;
                }
            }
        }
        inside.extend(arguments);
        Content { itself: None, inside, items: self.made_items(call) }
    }

    /// A boxed number is that number.
    fn boxed(&self, call: Call<'_>) -> Option<Leaf> {
        let boxes = call.callable.name == "valueOf" && call.callable.owner.starts_with("java.lang.");
        match call.arguments {
            [one] if boxes => self.content(*one)?.itself.clone(),
            _ => None,
        }
    }

    fn fill(&mut self, receiver: Slot, call: Call<'_>) {
        let name = call.callable.name.as_str();
        if !FILLING.iter().any(|filling| name.starts_with(filling)) {
            return;
        }
        // Where a position comes first, it is no element.
        let positioned =
            matches!(name, "add" | "set" | "insert" | "addAll" | "insertElementAt" | "setElementAt")
                && call.arguments.len() == 2;
        let elements = if positioned { &call.arguments[1..] } else { call.arguments };
        let leaves = self.leaves(elements);
        let more = match elements {
            [_] if APPENDING.contains(&name) && !positioned => Some(self.items(elements)),
            [all] if name == "addAll" && !positioned => self.content(*all).and_then(|all| all.items.clone()),
            _ => None,
        };
        if let Some(content) = self.content_mut(receiver) {
            content.inside.extend(leaves);
            content.items = content.items.take().zip(more).map(|(mut items, more)| {
                items.extend(more);
                items
            });
        }
    }

    /// The elements of a list that a library made, where that is sure.
    fn made_items(&self, call: Call<'_>) -> Option<Vec<Item>> {
        let is_list = |name: &str| {
            let base = name.split('<').next().unwrap_or(name);
            matches!(
                base,
                "java.util.List" | "java.util.ArrayList" | "java.util.LinkedList" | "java.util.Vector"
            ) || self
                .scene
                .type_info(base)
                .is_some_and(|known| known.supertypes.iter().any(|above| above == "java.util.List"))
        };
        let callable = call.callable;
        let makes_list = match callable.kind {
            CallableKind::Constructor => is_list(&callable.owner),
            CallableKind::StaticMethod => is_list(&callable.result),
            _ => false,
        };
        if !makes_list {
            return None;
        }
        match call.arguments {
            [] => Some(Vec::new()),
            [one] if self.content(*one).is_some_and(|content| content.items.is_some()) => {
                self.content(*one).and_then(|content| content.items.clone())
            }
            // A capacity is no element.
            [_] if callable.kind == CallableKind::Constructor
                && callable.parameters.first().is_some_and(|kind| kind == "int") =>
            {
                Some(Vec::new())
            }
            all if matches!(callable.name.as_str(), "of" | "asList" | "singletonList") => {
                Some(self.items(all))
            }
            _ => None,
        }
    }

    fn leaves(&self, slots: &[Slot]) -> Vec<Leaf> {
        slots.iter().filter_map(|slot| self.content(*slot)).flat_map(Content::leaves).cloned().collect()
    }

    fn items(&self, slots: &[Slot]) -> Vec<Item> {
        let leaf = |slot: Slot| self.content(slot).and_then(|content| content.itself.clone());
        slots.iter().map(|slot| Item { slot: *slot, leaf: leaf(*slot) }).collect()
    }

    fn content_mut(&mut self, slot: Slot) -> Option<&mut Content> {
        self.contents.get_mut(usize::try_from(slot).ok()?)
    }
}

fn constant(value: &Literal) -> Option<Leaf> {
    Some(match value {
        Literal::Null => Leaf::Null,
        Literal::Integer(value) => Leaf::Integer(*value),
        Literal::Char(unit) => Leaf::Char(*unit),
        Literal::Float(bits) => Leaf::Real(f64::from(f32::from_bits(*bits))),
        Literal::Double(bits) => Leaf::Real(f64::from_bits(*bits)),
        Literal::Text(units) => Leaf::Text(units.clone()),
        Literal::Boolean(_) | Literal::Class(_) => return None,
    })
}

/// What a call returned, where that is a simple value.
fn observed(value: &Value) -> Option<Leaf> {
    Some(match value {
        Value::Null => Leaf::Null,
        Value::Byte(value) => Leaf::Integer(i64::from(*value)),
        Value::Short(value) => Leaf::Integer(i64::from(*value)),
        Value::Int(value) => Leaf::Integer(i64::from(*value)),
        Value::Long(value) => Leaf::Integer(*value),
        Value::Char(unit) => Leaf::Char(*unit),
        Value::Float(bits) => Leaf::Real(f64::from(f32::from_bits(*bits))),
        Value::Double(bits) => Leaf::Real(f64::from_bits(*bits)),
        Value::Text(text) => Leaf::Text(text.encode_utf16().collect()),
        Value::BrokenText(units) => Leaf::Text(units.clone()),
        Value::Valued { type_name, text } => match type_name.as_str() {
            "java.math.BigDecimal" | "java.math.BigInteger" => Leaf::Decimal(canonical_decimal(text)?),
            _ => return None,
        },
        _ => return None,
    })
}
