//! Is an input one that the program's users would give? What tests and documentation show decides; where they say
//! nothing, only what is odd everywhere is.

use std::cmp::Ordering;

use bonafix_model::{
    Callable, CallableKind, Literal, LiteralSource, MissingMethod, ParameterFacts, Slot, Step, Subclass,
    Visibility,
};

use super::flow::{Content, Flow, Item, Leaf};
use super::reason::RemarkReason;
use super::scene::{Call, Scene};

/// Something in an input that its users would not give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Oddity {
    /// The call that gets it.
    pub(super) step: Slot,
    /// What it is.
    pub(super) reason: RemarkReason,
}

/// UTF-16 units of a string beyond which it is no ordinary one.
const LONG_TEXT: usize = 10_000;
/// Elements of an array or a list.
const LONG_LIST: usize = 1000;
/// Beyond this, sums and products of two `int`s overflow.
const EXTREME_INT: u64 = 1 << 30;
/// The same for `long`s of which nothing is known: milliseconds since 1970 are ordinary.
const EXTREME_LONG: u64 = 1 << 53;
/// Where tests stay within this, extreme numbers are not what the program is for.
const MODEST: i64 = 1_000_000;
/// Beyond this, and below its inverse, `double`s lose digits in sums with ordinary numbers.
const EXTREME_REAL: f64 = 1e15;

/// Different values that tests must pass before it says something that none of them is empty.
const SEVERAL: u32 = 3;

/// All that is odd about an input, in the order of its calls; more is, where nobody says what is right (`unanswered`).
pub(super) fn oddities(scene: &Scene<'_>, unanswered: bool) -> Vec<Oddity> {
    let mut flow = Flow::new(scene);
    let mut found = Vec::new();
    for (number, step) in (0..).zip(&scene.input.steps) {
        if let Some(call) = scene.call_of(number, step)
            && scene.runs_subject(call)
        {
            let odd = |reason| Oddity { step: number, reason };
            found.extend((!call.is_offered()).then(|| odd(RemarkReason::NotPublic)));
            let stub = call.receiver.filter(|slot| is_stub_of_class(scene, *slot));
            if let Some(content) = stub.and_then(|slot| flow.content(slot)) {
                found.extend(Parameter::unknown(scene).oddities(content).into_iter().map(odd));
            }
            for (position, slot) in call.arguments.iter().enumerate() {
                if let Some(content) = flow.content(*slot) {
                    let parameter = Parameter::of(scene, call, position);
                    found.extend(parameter.oddities(content).into_iter().map(odd));
                    let lacks = unanswered && parameter.lacks_contents(content);
                    found.extend(lacks.then(|| odd(RemarkReason::EmptyArgument)));
                }
            }
        }
        flow.advance(number, step);
    }
    found
}

/// A parameter, and what is known of it.
struct Parameter<'a> {
    scene: &'a Scene<'a>,
    type_name: &'a str,
    facts: Option<&'a ParameterFacts>,
    takes_null: bool,
}

impl<'a> Parameter<'a> {
    fn of(scene: &'a Scene<'a>, call: Call<'a>, position: usize) -> Self {
        let facts = call.facts.and_then(|facts| facts.parameters.get(position));
        Self {
            scene,
            type_name: call.callable.parameters.get(position).map_or("", String::as_str),
            facts,
            takes_null: facts.is_some_and(|facts| facts.null) || is_equals(call.callable),
        }
    }

    /// One of which nothing is known.
    fn unknown(scene: &'a Scene<'a>) -> Self {
        Self { scene, type_name: "", facts: None, takes_null: false }
    }

    fn oddities(&self, content: &Content) -> Vec<RemarkReason> {
        let mut found = Vec::new();
        if content.itself == Some(Leaf::Null) && !self.takes_null {
            found.push(RemarkReason::NullArgument);
        }
        if content.inside.contains(&Leaf::Null) && !self.facts.is_some_and(|facts| facts.null_element) {
            found.push(RemarkReason::NullArgument);
        }
        found.extend(content.leaves().filter_map(|leaf| self.leaf(leaf)));
        if let Some(items) = &content.items {
            found.extend(self.list(items));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Is it empty, where tests pass several values and none that is?
    fn lacks_contents(&self, content: &Content) -> bool {
        let is_empty = match (&content.itself, &content.items) {
            (Some(Leaf::Text(units)), _) => units.is_empty(),
            (_, Some(items)) => items.is_empty(),
            _ => false,
        };
        is_empty && self.facts.is_some_and(|facts| facts.seen >= SEVERAL && !facts.empty)
    }

    fn leaf(&self, leaf: &Leaf) -> Option<RemarkReason> {
        match leaf {
            Leaf::Null => None,
            Leaf::Integer(value) => self.integer(*value),
            Leaf::Real(value) => self.real(*value),
            Leaf::Decimal(digits) => self.sign(sign_of(digits)),
            Leaf::Char(unit) => self.text(&[*unit]),
            Leaf::Text(units) => self.text(units),
            Leaf::Stub(slot) => is_odd_stub(self.scene, *slot).then_some(RemarkReason::StubArgument),
        }
    }

    fn integer(&self, value: i64) -> Option<RemarkReason> {
        let seen = self.facts.and_then(|facts| facts.range);
        let modest = seen.is_none_or(|(least, greatest)| least >= -MODEST && greatest <= MODEST);
        let is_long = matches!(self.type_name, "long" | "java.lang.Long") || i32::try_from(value).is_err();
        let limit = if seen.is_none() && is_long { EXTREME_LONG } else { EXTREME_INT };
        if modest
            && value.unsigned_abs() > limit
            && !self.in_tests(|literal| *literal == Literal::Integer(value))
        {
            return Some(RemarkReason::ExtremeNumber);
        }
        self.sign(value.cmp(&0))
    }

    fn real(&self, value: f64) -> Option<RemarkReason> {
        if !value.is_finite() {
            let known = self.facts.is_some_and(|facts| facts.not_finite);
            return (!known).then_some(RemarkReason::NotFinite);
        }
        let size = value.abs();
        let extreme = size > EXTREME_REAL || (size > 0.0 && size < EXTREME_REAL.recip());
        let bits = Literal::Double(value.to_bits());
        if extreme && !self.in_tests(|literal| *literal == bits) {
            return Some(RemarkReason::ExtremeNumber);
        }
        self.sign(value.partial_cmp(&0.0)?)
    }

    fn sign(&self, sign: Ordering) -> Option<RemarkReason> {
        let facts = self.facts?;
        let seen = facts.seen >= 1 && (facts.positive || facts.zero || facts.negative);
        let odd = match sign {
            Ordering::Less => (seen || facts.tolerance) && !facts.negative,
            Ordering::Equal => {
                let positive =
                    facts.positive && !facts.negative && facts.range.is_none_or(|(least, _)| least > 0);
                facts.seen >= 3 && !facts.zero && positive
            }
            Ordering::Greater => false,
        };
        odd.then_some(RemarkReason::UnusualSign)
    }

    fn text(&self, units: &[u16]) -> Option<RemarkReason> {
        if units.len() > LONG_TEXT {
            return Some(RemarkReason::Huge);
        }
        let broken = char::decode_utf16(units.iter().copied()).any(|character| match character {
            Ok(character) => {
                let usual = matches!(character, '\t' | '\n' | '\r') || !character.is_control();
                !usual && !self.character_in_tests(character)
            }
            Err(_) => true,
        });
        broken.then_some(RemarkReason::BrokenText)
    }

    fn character_in_tests(&self, character: char) -> bool {
        let mut buffer = [0; 2];
        let unit = character.encode_utf16(&mut buffer)[0];
        self.in_tests(|literal| match literal {
            Literal::Char(other) => *other == unit,
            Literal::Text(units) => units.contains(&unit),
            _ => false,
        })
    }

    /// Does a constant of the tests meet this?
    fn in_tests(&self, meets: impl Fn(&Literal) -> bool) -> bool {
        let literals = &self.scene.knowledge.literals;
        literals.iter().any(|mined| mined.source == LiteralSource::Test && meets(&mined.value))
    }

    fn list(&self, items: &[Item]) -> Vec<RemarkReason> {
        let mut found = Vec::new();
        if items.len() > LONG_LIST {
            found.push(RemarkReason::Huge);
        }
        let Some(facts) = self.facts.filter(|_| self.is_list()) else { return found };
        // To be sorted is a common demand, and seldom chance.
        if (facts.lists >= 1 || facts.sorted) && !facts.unsorted && !ascends(items) {
            found.push(RemarkReason::Unsorted);
        }
        if facts.lists >= 2 && !facts.repeated && repeats(items) {
            found.push(RemarkReason::Repeated);
        }
        found
    }

    /// Has the order of elements a meaning?
    fn is_list(&self) -> bool {
        let base = self.type_name.split('<').next().unwrap_or(self.type_name);
        self.type_name.ends_with("[]")
            || self.type_name.ends_with("...")
            || matches!(
                base,
                "java.util.List"
                    | "java.util.Collection"
                    | "java.lang.Iterable"
                    | "java.util.ArrayList"
                    | "java.util.LinkedList"
                    | "java.util.Vector"
            )
    }
}

/// Of a number without superfluous zeros.
fn sign_of(digits: &str) -> Ordering {
    match digits {
        "0" => Ordering::Equal,
        _ if digits.starts_with('-') => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// By the contract of `Object`, `equals(null)` is false.
fn is_equals(callable: &Callable) -> bool {
    callable.name == "equals" && callable.parameters.len() == 1 && callable.result == "boolean"
}

/// In ascending order, as far as the elements can be compared.
fn ascends(items: &[Item]) -> bool {
    items.windows(2).all(|pair| match (&pair[0].leaf, &pair[1].leaf) {
        (Some(one), Some(other)) => compare(one, other) != Some(Ordering::Greater),
        _ => true,
    })
}

fn repeats(items: &[Item]) -> bool {
    items.iter().enumerate().any(|(number, item)| {
        items[..number]
            .iter()
            .any(|earlier| earlier.slot == item.slot || (item.leaf.is_some() && earlier.leaf == item.leaf))
    })
}

fn compare(one: &Leaf, other: &Leaf) -> Option<Ordering> {
    match (one, other) {
        (Leaf::Integer(one), Leaf::Integer(other)) => Some(one.cmp(other)),
        (Leaf::Real(one), Leaf::Real(other)) => one.partial_cmp(other),
        (Leaf::Char(one), Leaf::Char(other)) => Some(one.cmp(other)),
        (Leaf::Text(one), Leaf::Text(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

/// Interfaces with one method and a contract that no list of answers keeps.
const CONTRACTS: [&str; 5] = [
    "java.util.Comparator",
    "java.lang.Comparable",
    "java.lang.Iterable",
    "java.lang.Readable",
    "java.lang.AutoCloseable",
];

/// A stub is as good as any object where what it stands for is a function or a listener; elsewhere it breaks a contract.
fn is_odd_stub(scene: &Scene<'_>, slot: Slot) -> bool {
    let step = usize::try_from(slot).ok().and_then(|slot| scene.input.steps.get(slot));
    let Some(Step::Stub { interface, answers }) = step else { return false };
    // A function whose answer depends on how often it was asked is none that a program may be given.
    let answer = |slot: &Slot| usize::try_from(*slot).ok().and_then(|slot| scene.input.steps.get(slot));
    if answers.windows(2).any(|pair| pair[0] != pair[1] && answer(&pair[0]) != answer(&pair[1])) {
        return true;
    }
    if CONTRACTS.contains(&interface.as_str()) {
        return true;
    }
    let Some(known) = scene.type_info(interface) else { return true };
    // An abstract class that is a stream has more of it than the method it leaves open.
    let inherited = if known.subclass.is_some() { &CONTRACTS[..] } else { &CONTRACTS[..3] };
    if known.supertypes.iter().any(|above| inherited.contains(&above.as_str())) {
        return true;
    }
    match &known.subclass {
        Some(subclass) => is_odd_subclass(subclass, answers),
        None => !known.is_functional && !is_listener(scene, interface, &known.supertypes),
    }
}

/// A class below an abstract one is like a function if it has to give one answer, and like a listener if it has to give
/// none. One that users cannot write, or that gives `null` because it was told nothing, is neither.
fn is_odd_subclass(subclass: &Subclass, answers: &[Slot]) -> bool {
    let gives = |method: &&MissingMethod| method.result != "void";
    let silent = subclass.methods.iter().filter(gives).count() == 0;
    let function = subclass.methods.len() == 1 && !answers.is_empty();
    subclass.visibility == Visibility::Package || !silent && !function
}

/// What is called on a stub of an abstract class may be of that class, and asks the stub in turn: its answers count as if
/// they had been passed.
fn is_stub_of_class(scene: &Scene<'_>, slot: Slot) -> bool {
    let step = usize::try_from(slot).ok().and_then(|slot| scene.input.steps.get(slot));
    let Some(Step::Stub { interface, .. }) = step else { return false };
    scene.type_info(interface).is_some_and(|known| known.subclass.is_some())
}

/// All its methods are known to return nothing.
fn is_listener(scene: &Scene<'_>, interface: &str, supertypes: &[String]) -> bool {
    let owned = |callable: &&Callable| {
        callable.kind == CallableKind::Method
            && (callable.owner == interface || supertypes.contains(&callable.owner))
            && callable.owner != "java.lang.Object"
    };
    let mut methods = scene.callables().filter(owned).peekable();
    methods.peek().is_some() && methods.all(|method| method.result == "void")
}
