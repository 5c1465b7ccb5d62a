//! What tests and documentation say of each callable.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bonafix_model::{CallableFacts, CallableId, CallableKind, Literal, ParameterFacts};
use tree_sitter::Node;

use super::constant::Constant;
use super::interpret::{Seen, SeenCall};
use super::javadoc::Javadoc;
use super::seeds::ReadTest;
use super::sources::Classes;
use super::types::TypeIndex;
use super::unit::{Class, Method};
use crate::primitive::{is_primitive, unboxed};

/// Exceptions of the JDK that must be declared. A program's own are known by their supertypes; what is in neither is
/// taken for one that need not be.
const CHECKED: [&str; 14] = [
    "java.io.IOException",
    "java.io.FileNotFoundException",
    "java.io.UnsupportedEncodingException",
    "java.io.EOFException",
    "java.lang.CloneNotSupportedException",
    "java.lang.ClassNotFoundException",
    "java.lang.InterruptedException",
    "java.lang.NoSuchMethodException",
    "java.lang.NoSuchFieldException",
    "java.lang.IllegalAccessException",
    "java.lang.InstantiationException",
    "java.text.ParseException",
    "java.net.URISyntaxException",
    "java.util.concurrent.TimeoutException",
];

/// Collects facts.
pub(super) struct FactsBuilder<'a> {
    types: &'a TypeIndex<'a>,
    facts: BTreeMap<CallableId, CallableFacts>,
    /// Values that were counted.
    known: HashSet<(CallableId, usize, String)>,
}

impl<'a> FactsBuilder<'a> {
    pub(super) fn new(types: &'a TypeIndex<'a>) -> Self {
        Self { types, facts: BTreeMap::new(), known: HashSet::new() }
    }

    fn of(&mut self, callable: CallableId) -> &mut CallableFacts {
        let parameters = self.types.parameters(callable).len();
        self.facts.entry(callable).or_insert_with(|| CallableFacts {
            parameters: vec![ParameterFacts::default(); parameters],
            ..CallableFacts::default()
        })
    }

    /// Takes up what a test does and expects.
    pub(super) fn add_test(&mut self, test: &ReadTest) {
        for reading in &test.readings {
            for call in reading.calls.iter().filter(|call| self.types.calls_subject(call.callable)) {
                self.add_call(call);
            }
            for (callable, exception) in &reading.thrown {
                self.of(*callable).expected.push(exception.clone());
            }
        }
    }

    fn add_call(&mut self, call: &SeenCall) {
        self.of(call.callable).tested = true;
        for (at, seen) in call.arguments.iter().enumerate() {
            let is_new = *seen != Seen::Other && self.known.insert((call.callable, at, format!("{seen:?}")));
            if is_new && let Some(facts) = self.of(call.callable).parameters.get_mut(at) {
                note(facts, seen);
            }
        }
    }

    /// Takes up what is documented and declared.
    pub(super) fn add_documentation(&mut self, classes: &Classes<'_>) {
        for (callable, id) in self.types.catalog.callables.iter().zip(0..) {
            let is_code = matches!(
                callable.kind,
                CallableKind::Constructor | CallableKind::Method | CallableKind::StaticMethod
            );
            if !is_code || !self.types.is_subject(&callable.owner) {
                continue;
            }
            let declared = callable.throws.iter().filter(|name| self.is_checked(name)).cloned();
            let mut exceptions: Vec<String> = declared.collect();
            let mut owners = vec![callable.owner.as_str()];
            if callable.kind == CallableKind::Method {
                owners.extend(
                    self.types
                        .info(&callable.owner)
                        .into_iter()
                        .flat_map(|info| &info.supertypes)
                        .map(String::as_str),
                );
            }
            let said_of_class = classes.find(&callable.owner).map(|class| self.exceptions_of_class(&class));
            for exception in said_of_class.into_iter().flatten() {
                self.of(id).expected.push(exception);
            }
            for class in owners.into_iter().filter_map(|owner| classes.find(owner)) {
                self.add_doc_of(id, &class, &mut exceptions);
            }
            self.add_documented(id, exceptions);
        }
    }

    /// A cast that fails is documented to say of which types values must be, rather than as something to rely on.
    fn add_documented(&mut self, id: CallableId, exceptions: Vec<String>) {
        let (about_types, promised): (Vec<String>, Vec<String>) =
            exceptions.into_iter().partition(|name| name.rsplit('.').next() == Some("ClassCastException"));
        if !promised.is_empty() || !about_types.is_empty() {
            let facts = self.of(id);
            facts.exceptions.extend(promised);
            facts.expected.extend(about_types);
        }
    }

    /// What a class says of all that it declares: its description names exceptions. It does not say which calls throw
    /// them nor on which objects, so that is no stronger than what a test expects of one.
    fn exceptions_of_class(&self, class: &Class<'_>) -> Vec<String> {
        let body = class.methods.first().and_then(|method| method.node.parent());
        let doc = body.and_then(|body| Javadoc::of(class.unit, body.parent()?));
        let resolve = |written: &str| self.types.resolve_class(class.unit, &class.binary, written);
        let named = |doc: &Javadoc| {
            let each = doc.named_exceptions();
            each.map(|written| resolve(written).unwrap_or_else(|| written.to_owned())).collect()
        };
        doc.as_ref().map(named).unwrap_or_default()
    }

    /// What one class says of a callable that it declares, under the same parameters.
    fn add_doc_of(&mut self, id: CallableId, class: &Class<'_>, exceptions: &mut Vec<String>) {
        let callable = self.types.callable(id);
        let arity = callable.parameters.len();
        let same: Vec<_> = class
            .methods
            .iter()
            .filter(|method| method.name == callable.name && method.parameters.len() == arity)
            .collect();
        let fits = |method: &&&super::unit::Method<'_>| {
            method.parameters.iter().zip(self.types.parameters(id)).all(|(written, wanted)| {
                let resolved = self.types.resolve(class.unit, &class.binary, &written.declared);
                resolved == *wanted || resolved.starts_with(super::types::OBJECT)
            })
        };
        let method = match same.as_slice() {
            [only] => Some(only),
            several => several.iter().find(fits),
        };
        let Some(method) = method else { return };
        self.add_order(id, class, method);
        let Some(doc) = Javadoc::of(class.unit, method.node) else { return };
        exceptions.extend(doc.throws.iter().map(|written| {
            self.types.resolve_class(class.unit, &class.binary, written).unwrap_or_else(|| written.clone())
        }));
        let names: Vec<String> = method.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        let simple = if callable.name == "<init>" {
            class.binary.rsplit(['.', '$']).next().unwrap_or("")
        } else {
            &callable.name
        };
        for (at, parameter) in self.types.parameters(id).to_vec().iter().enumerate() {
            let allowed = doc.allows(simple, &names, at);
            let element = parameter.trim_end_matches("[]");
            let number = unboxed(element).filter(|name| !matches!(*name, "boolean" | "char"));
            let null = allowed.null && !is_primitive(parameter);
            let not_finite = allowed.not_finite && matches!(number, Some("float" | "double"));
            let negative = allowed.negative && number.is_some();
            if !(null || not_finite || negative) {
                continue;
            }
            if let Some(facts) = self.of(id).parameters.get_mut(at) {
                facts.null |= null;
                facts.not_finite |= not_finite;
                facts.negative |= negative;
            }
        }
    }

    /// Which parameters are said to be sorted: by their names, the method's documentation or that of the class. And which
    /// are tolerances, by their names.
    fn add_order(&mut self, id: CallableId, class: &Class<'_>, method: &Method<'_>) {
        let around = std::iter::successors(method.node.parent(), Node::parent)
            .find(|node| node.kind().ends_with("_declaration"));
        let docs = [Some(method.node), around].into_iter().flatten();
        let docs: Vec<Javadoc> = docs.filter_map(|node| Javadoc::of(class.unit, node)).collect();
        for (at, parameter) in method.parameters.iter().enumerate() {
            let named = parameter.name.to_lowercase().contains("sorted");
            if (named || docs.iter().any(|doc| doc.speaks_of_order(&parameter.name)))
                && let Some(facts) = self.of(id).parameters.get_mut(at)
            {
                facts.sorted = true;
            }
            if is_tolerance(&parameter.name)
                && let Some(facts) = self.of(id).parameters.get_mut(at)
            {
                facts.tolerance = true;
            }
        }
    }

    fn is_checked(&self, name: &str) -> bool {
        let supertypes = self.types.info(name).map(|info| &info.supertypes);
        match supertypes {
            Some(supertypes) => {
                let is = |wanted: &str| name == wanted || supertypes.iter().any(|known| known == wanted);
                is("java.lang.Exception")
                    && name != "java.lang.Exception"
                    && !is("java.lang.RuntimeException")
            }
            None => CHECKED.contains(&name),
        }
    }

    pub(super) fn finish(mut self) -> BTreeMap<CallableId, CallableFacts> {
        for facts in self.facts.values_mut() {
            for names in [&mut facts.exceptions, &mut facts.expected] {
                let unique: BTreeSet<String> = std::mem::take(names).into_iter().collect();
                *names = unique.into_iter().collect();
            }
        }
        self.facts
    }
}

/// Takes up one value that was not taken up before.
pub(super) fn note(facts: &mut ParameterFacts, seen: &Seen) {
    facts.seen += u32::from(is_whole(seen));
    note_inside(facts, seen);
}

/// Is all of it known?
fn is_whole(seen: &Seen) -> bool {
    match seen {
        Seen::Constant(_) => true,
        Seen::Items(items) => items.iter().all(is_whole),
        Seen::Other => false,
    }
}

fn note_inside(facts: &mut ParameterFacts, seen: &Seen) {
    match seen {
        Seen::Constant(constant) => note_constant(facts, constant),
        Seen::Items(items) => {
            facts.empty |= items.is_empty();
            if items.len() >= 2 {
                facts.lists += u32::from(is_whole(seen));
                facts.unsorted |= items.windows(2).any(|pair| is_descending(&pair[0], &pair[1]));
                facts.repeated |= items
                    .iter()
                    .enumerate()
                    .any(|(at, item)| *item != Seen::Other && items[..at].contains(item));
            }
            for item in items {
                match item {
                    Seen::Constant(Constant { literal: Literal::Null, .. }) => facts.null_element = true,
                    Seen::Constant(constant) => note_number(facts, constant),
                    Seen::Items(_) => note_inside(facts, item),
                    Seen::Other => {}
                }
            }
        }
        Seen::Other => {}
    }
}

fn note_constant(facts: &mut ParameterFacts, constant: &Constant) {
    match &constant.literal {
        Literal::Null => facts.null = true,
        Literal::Text(units) => facts.empty |= units.is_empty(),
        _ => note_number(facts, constant),
    }
}

fn note_number(facts: &mut ParameterFacts, constant: &Constant) {
    let value = match constant.literal {
        Literal::Integer(value) => {
            let (least, greatest) = facts.range.unwrap_or((value, value));
            facts.range = Some((least.min(value), greatest.max(value)));
            constant.as_double()
        }
        Literal::Float(_) | Literal::Double(_) => constant.as_double(),
        _ => None,
    };
    let Some(value) = value else { return };
    facts.not_finite |= !value.is_finite();
    facts.negative |= value < 0.0;
    facts.zero |= value == 0.0;
    facts.positive |= value > 0.0;
}

/// Do two neighbours stand against ascending order?
fn is_descending(first: &Seen, second: &Seen) -> bool {
    let (Seen::Constant(first), Seen::Constant(second)) = (first, second) else { return false };
    match (&first.literal, &second.literal) {
        (Literal::Text(a), Literal::Text(b)) => a > b,
        _ => match (first.as_double(), second.as_double()) {
            (Some(a), Some(b)) => a > b,
            _ => false,
        },
    }
}

/// Does a name say that it is how far off something may be?
fn is_tolerance(name: &str) -> bool {
    let name = name.to_lowercase();
    ["accuracy", "tolerance", "epsilon", "precision"].iter().any(|word| name.contains(word))
        || ["eps", "tol"].contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_known_by_its_name() {
        assert!(is_tolerance("functionValueAccuracy") && is_tolerance("eps") && is_tolerance("relTolerance"));
        assert!(!is_tolerance("steps") && !is_tolerance("value") && !is_tolerance("total"));
    }

    fn facts_of(values: &[Seen]) -> ParameterFacts {
        let mut facts = ParameterFacts::default();
        for value in values {
            note(&mut facts, value);
        }
        facts
    }

    fn int(value: i64) -> Seen {
        Seen::Constant(Constant::int(value))
    }

    #[test]
    fn numbers_say_their_sign_and_range() {
        let facts = facts_of(&[int(-2), int(7)]);
        assert!(facts.negative && facts.positive && !facts.zero && !facts.not_finite);
        assert_eq!(facts.range, Some((-2, 7)));
        assert!(facts_of(&[Seen::Constant(Constant::double(f64::NAN))]).not_finite);
        assert!(facts_of(&[Seen::Constant(Constant::null())]).null);
    }

    #[test]
    fn lists_say_their_order_and_repetition() {
        let sorted = facts_of(&[Seen::Items(vec![int(1), int(2)])]);
        assert!(!sorted.unsorted && !sorted.repeated && sorted.lists == 1);
        let wild = facts_of(&[Seen::Items(vec![int(2), int(1), int(2)])]);
        assert!(wild.unsorted && wild.repeated);
        let nested =
            facts_of(&[Seen::Items(vec![Seen::Items(vec![int(-1)]), Seen::Constant(Constant::null())])]);
        assert!(nested.negative && nested.null_element && !nested.null);
        assert!(facts_of(&[Seen::Items(Vec::new())]).empty);
    }
}
