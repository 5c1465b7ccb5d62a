//! Inputs: what a program is made to do, without a word on what should come of it.
//!
//! For Java an input is a sequence of steps, each of which makes a value from constants and from values of earlier
//! steps. A sequence names what it calls by numbers of a [`Catalog`], so that it is small, can be changed by a search
//! without knowing Java, and means the same in every version.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value that an earlier step has made, by the step's number.
pub type Slot = u32;

/// The number of a callable in the catalog.
pub type CallableId = u32;

/// What can be called, and with what: everything a sequence can be made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Catalog {
    /// By [`CallableId`].
    pub callables: Vec<Callable>,
    /// Types that the callables mention, with what is known of each.
    pub types: Vec<TypeInfo>,
}

/// How something is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CallableKind {
    /// Makes an object.
    Constructor,
    /// Needs a receiver.
    Method,
    /// Needs none.
    StaticMethod,
    /// Reads a field of a receiver.
    FieldGet,
    /// Writes a field of a receiver.
    FieldSet,
    /// Reads a static field, an enum constant among them.
    StaticGet,
    /// Writes a static field.
    StaticSet,
}

/// Who may call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// Everybody.
    Public,
    /// A class of the same package, or a subclass.
    Protected,
    /// A class of the same package.
    Package,
}

/// One constructor, method or field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Callable {
    /// How it is called.
    pub kind: CallableKind,
    /// Binary name of the class that declares it: `pkg.Outer$Inner`.
    pub owner: String,
    /// Its name; `<init>` for a constructor.
    pub name: String,
    /// Descriptor as in class files, to find it again in another version.
    pub descriptor: String,
    /// Parameter types, with type variables resolved as far as they can be: `java.util.List<java.lang.Integer>`.
    pub parameters: Vec<String>,
    /// Type of the value it makes; `void` for none.
    pub result: String,
    /// The last parameter takes any number of arguments.
    pub varargs: bool,
    /// Who may call it.
    pub visibility: Visibility,
    /// Exceptions that it declares.
    pub throws: Vec<String>,
}

/// What is known of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "they are facts, independent of each other")]
pub struct TypeInfo {
    /// Binary name without type arguments.
    pub name: String,
    /// Cannot be instantiated: an interface or an abstract class.
    pub is_abstract: bool,
    /// An interface, so a proxy can stand for it.
    pub is_interface: bool,
    /// Has one abstract method, so a lambda can stand for it.
    pub is_functional: bool,
    /// Names of all its supertypes.
    pub supertypes: Vec<String>,
    /// Part of the program, as opposed to a library.
    #[serde(default)]
    pub is_subject: bool,
    /// An enum.
    #[serde(default)]
    pub is_enum: bool,
    /// An inner class: its constructors take the object around it first.
    #[serde(default)]
    pub is_inner: bool,
    /// An abstract class of the program: what it takes to write a class below it; none where that cannot be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subclass: Option<Subclass>,
}

/// A class that can be written below an abstract one whose constructor takes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subclass {
    /// Who can write it: everybody, or a class of the same package.
    pub visibility: Visibility,
    /// The methods that it must have.
    pub methods: Vec<MissingMethod>,
}

/// A method that an abstract class leaves to those below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingMethod {
    /// Its name.
    pub name: String,
    /// Parameter types without type arguments, as a source must write them.
    pub parameters: Vec<String>,
    /// Type of its result; `void` for none.
    pub result: String,
}

/// A constant. Floating point numbers are carried as bits, so that NaN, infinities and -0.0 stay what they are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Literal {
    /// `null` of any reference type.
    Null,
    /// `boolean`.
    Boolean(bool),
    /// `byte`, `short`, `int` or `long`, by the step's type.
    Integer(i64),
    /// `char`, as a UTF-16 unit.
    Char(u16),
    /// `float`, as bits.
    Float(u32),
    /// `double`, as bits.
    Double(u64),
    /// `String`, as UTF-16 units: half a surrogate pair is a legal Java string.
    Text(Vec<u16>),
    /// A class object, by binary name.
    Class(String),
}

/// One step of a sequence. Its number is its slot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A constant.
    Constant {
        /// Its type as written in Java: `int`, `java.lang.String`.
        type_name: String,
        /// Its value.
        value: Literal,
    },
    /// A call.
    Call {
        /// What is called.
        callable: CallableId,
        /// On what, where it needs a receiver.
        receiver: Option<Slot>,
        /// With what, in order; varargs are spelt out as an array step.
        arguments: Vec<Slot>,
        /// If it throws, the sequence goes on, and the exception is what it made.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        caught: bool,
    },
    /// An array.
    Array {
        /// Type of its elements.
        element: String,
        /// Its elements.
        items: Vec<Slot>,
    },
    /// An object that implements an interface or extends an abstract class by answering each call of what is abstract
    /// with the next of `answers`, and the last one for ever after.
    Stub {
        /// Binary name of the interface, or of the class.
        interface: String,
        /// What its methods return.
        answers: Vec<Slot>,
    },
}

impl Step {
    /// The slots that it needs.
    pub fn uses(&self) -> impl Iterator<Item = Slot> {
        let (receiver, others): (Option<Slot>, &[Slot]) = match self {
            Self::Constant { .. } => (None, &[]),
            Self::Call { receiver, arguments, .. } => (*receiver, arguments),
            Self::Array { items, .. } => (None, items),
            Self::Stub { answers, .. } => (None, answers),
        };
        receiver.into_iter().chain(others.iter().copied())
    }
}

/// An input: steps in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Sequence {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Sequence {
    /// What it calls.
    pub fn callables(&self) -> impl Iterator<Item = CallableId> {
        self.steps.iter().filter_map(|step| match step {
            Step::Call { callable, .. } => Some(*callable),
            _ => None,
        })
    }

    /// Does every step use only what came before it?
    pub fn is_well_formed(&self) -> bool {
        self.steps.iter().zip(0..).all(|(step, number)| step.uses().all(|slot| slot < number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_may_only_look_back() {
        let one = Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(1) };
        let call = |slot| Step::Call { callable: 0, receiver: None, arguments: vec![slot], caught: false };
        assert!(Sequence { steps: vec![one.clone(), call(0)] }.is_well_formed());
        assert!(!Sequence { steps: vec![call(0), one.clone()] }.is_well_formed());
        assert!(!Sequence { steps: vec![one, call(1)] }.is_well_formed());
    }
}
