//! What is known of a program beyond what it consists of: what its tests do with it, what its documentation says.
//!
//! Generators draw on it for inputs, techniques for what is ordinary and what nobody has promised.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallableId, Literal, Sequence, TestId};

/// All that is known, in terms of one catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knowledge {
    /// What leads to the change, nearest first.
    pub targets: Vec<Target>,
    /// Inputs made from developers' tests; those of failing tests first.
    pub seeds: Vec<Seed>,
    /// Constants, those of changed code first.
    pub literals: Vec<MinedLiteral>,
    /// What tests and documentation say of a callable.
    pub facts: BTreeMap<CallableId, CallableFacts>,
    /// The coarsest precision with which the tests compare floating point numbers, where they do.
    pub precision: Option<f64>,
    /// Exceptions that tests provoke and expect, with the functions that throw them: what those reject is rejected on
    /// purpose, whoever calls them.
    #[serde(default)]
    pub promised: Vec<PromisedThrow>,
    /// Tests that were read, and why parts of them could not be.
    pub problems: Vec<String>,
}

impl Knowledge {
    /// What the tests themselves run, as far as it could be read.
    pub fn inputs_of_tests(&self) -> Vec<Sequence> {
        self.seeds.iter().map(|seed| seed.sequence.clone()).collect()
    }
}

/// An exception that a function throws on purpose, as a test of it expects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct PromisedThrow {
    /// Class of the exception.
    pub type_name: String,
    /// The function, as in [`crate::Exception::thrown_by`].
    pub thrown_by: String,
    /// What the test calls.
    pub callable: CallableId,
    /// What made the object that it is called on.
    pub maker: Option<CallableId>,
}

/// A callable from which the change can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Calls between it and changed code; 0 is changed itself.
    pub distance: u32,
    /// Which.
    pub callable: CallableId,
}

/// An input made from a developer's test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seed {
    /// What to run.
    pub sequence: Sequence,
    /// The test it comes from.
    pub test: TestId,
    /// That test shows the bug.
    pub failing: bool,
}

/// Where a constant was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiteralSource {
    /// In a changed statement, of any version.
    Change,
    /// In a changed method.
    Method,
    /// Elsewhere in a changed class.
    Class,
    /// In a test of it.
    Test,
}

/// A constant that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct MinedLiteral {
    /// Where.
    pub source: LiteralSource,
    /// Which.
    pub value: Literal,
}

/// What tests and documentation say of a callable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallableFacts {
    /// A test calls it directly.
    pub tested: bool,
    /// Exceptions that are part of its behaviour: documented (`@throws`), or declared and checked. Binary or simple names.
    pub exceptions: Vec<String>,
    /// Those that a test expects of it, that were seen to leave it while a test passed, that the description of its class
    /// names without saying what throws them, and casts that fail although documented: they say more of a value's type
    /// than of what one may rely on.
    #[serde(default)]
    pub expected: Vec<String>,
    /// By parameter; empty where nothing is known.
    pub parameters: Vec<ParameterFacts>,
}

/// What tests pass for a parameter, and what its documentation says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "they are facts, independent of each other")]
pub struct ParameterFacts {
    /// Different values that tests pass.
    pub seen: u32,
    /// A test passes `null`, or the documentation speaks of it as of something that may come.
    pub null: bool,
    /// `null` among the elements.
    pub null_element: bool,
    /// NaN or infinity, itself or inside.
    pub not_finite: bool,
    /// A number below zero, itself or inside.
    pub negative: bool,
    /// The number zero, itself or inside.
    pub zero: bool,
    /// A number above zero, itself or inside.
    pub positive: bool,
    /// Nothing inside: an empty string, array or collection.
    pub empty: bool,
    /// Arrays and lists of two elements or more that tests pass.
    pub lists: u32,
    /// By its name it says how far off something may be, and is not negative.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tolerance: bool,
    /// The documentation, or the parameter's own name, says that it is sorted.
    #[serde(default)]
    pub sorted: bool,
    /// One of these is not in ascending order.
    pub unsorted: bool,
    /// One of these has an element twice.
    pub repeated: bool,
    /// Least and greatest whole number seen, itself or inside.
    pub range: Option<(i64, i64)>,
}
