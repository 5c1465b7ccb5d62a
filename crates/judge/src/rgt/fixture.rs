//! A small program to judge, for tests: `p.Bag`, its neighbours, and some of the JDK.

use std::collections::BTreeMap;

use bonafix_lang::Behaviour;
use bonafix_model::{
    Callable, CallableFacts, CallableId, CallableKind, Catalog, CollectionKind, Ending, Exception, Field,
    Knowledge, Literal, MissingMethod, Observation, ParameterFacts, Sequence, Slot, Step, StepObservation,
    Subclass, TypeInfo, Value, Visibility,
};

use super::{RemarkReason, RgtOptions, Ruling, judge};

pub(super) const BAG: CallableId = 0;
pub(super) const COUNT: CallableId = 1;
pub(super) const SUM: CallableId = 2;
pub(super) const NAME: CallableId = 3;
pub(super) const COMPARE_TO: CallableId = 4;
pub(super) const HASH_CODE: CallableId = 5;
pub(super) const HIDDEN: CallableId = 6;
pub(super) const ARRAY_LIST: CallableId = 7;
pub(super) const ADD: CallableId = 8;
pub(super) const TO_STRING: CallableId = 9;
pub(super) const NEXT: CallableId = 10;
pub(super) const EQUALS: CallableId = 11;
pub(super) const ALL: CallableId = 12;
pub(super) const LISTEN: CallableId = 13;
pub(super) const WAIT: CallableId = 14;
pub(super) const AS_LIST: CallableId = 15;
pub(super) const SORT: CallableId = 16;
pub(super) const DECIMAL: CallableId = 17;
pub(super) const OWNED_COMPARE: CallableId = 18;
pub(super) const SHARED: CallableId = 19;
pub(super) const BOX: CallableId = 21;
pub(super) const DATE: CallableId = 22;
pub(super) const ADD_AT: CallableId = 23;
pub(super) const UNION: CallableId = 24;
pub(super) const PASS: CallableId = 25;
pub(super) const ORDERED: CallableId = 26;

fn callable(kind: CallableKind, owner: &str, name: &str, parameters: &[&str], result: &str) -> Callable {
    Callable {
        kind,
        owner: owner.to_owned(),
        name: name.to_owned(),
        descriptor: String::new(),
        parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
        result: result.to_owned(),
        varargs: false,
        visibility: Visibility::Public,
        throws: Vec::new(),
    }
}

pub(super) fn type_info(name: &str, is_subject: bool, supertypes: &[&str]) -> TypeInfo {
    TypeInfo {
        name: name.to_owned(),
        is_abstract: false,
        is_interface: false,
        is_functional: false,
        supertypes: supertypes.iter().map(|name| (*name).to_owned()).collect(),
        is_subject,
        is_enum: false,
        is_inner: false,
        subclass: None,
    }
}

/// A class that leaves methods with these results to those below it.
fn abstract_class(info: TypeInfo, results: &[&str], visibility: Visibility) -> TypeInfo {
    let method = |result: &&str| MissingMethod {
        name: format!("{result}Method"),
        parameters: Vec::new(),
        result: (*result).to_owned(),
    };
    let subclass = Subclass { visibility, methods: results.iter().map(method).collect() };
    TypeInfo { is_abstract: true, subclass: Some(subclass), ..info }
}

pub(super) fn catalog() -> Catalog {
    use CallableKind::{Constructor, FieldGet, Method, StaticMethod};
    let list = "java.util.List<java.lang.Integer>";
    let callables = vec![
        callable(Constructor, "p.Bag", "<init>", &[], "p.Bag"),
        callable(Method, "p.Bag", "count", &["int"], "int"),
        callable(Method, "p.Bag", "sum", &["double"], "double"),
        callable(Method, "p.Bag", "name", &["java.lang.String"], "java.lang.String"),
        callable(Method, "p.Bag", "compareTo", &["p.Bag"], "int"),
        callable(Method, "p.Bag", "hashCode", &[], "int"),
        Callable { visibility: Visibility::Package, ..callable(Method, "p.Bag", "hidden", &["int"], "int") },
        callable(Constructor, "java.util.ArrayList", "<init>", &[], "java.util.ArrayList"),
        callable(Method, "java.util.List", "add", &["java.lang.Object"], "boolean"),
        callable(Method, "java.lang.Object", "toString", &[], "java.lang.String"),
        callable(Method, "java.util.Iterator", "next", &[], "java.lang.Object"),
        callable(Method, "p.Bag", "equals", &["java.lang.Object"], "boolean"),
        callable(Method, "p.Bag", "all", &[list], list),
        callable(Method, "p.Listener", "heard", &["int"], "void"),
        callable(Method, "p.Bag", "wait", &["long"], "int"),
        callable(StaticMethod, "java.util.Arrays", "asList", &["java.lang.Object[]"], list),
        callable(StaticMethod, "java.util.Collections", "sort", &[list], "void"),
        callable(StaticMethod, "java.math.BigDecimal", "valueOf", &["double"], "java.math.BigDecimal"),
        callable(StaticMethod, "p.Bag", "compare", &["int", "int"], "int"),
        Callable { visibility: Visibility::Package, ..callable(FieldGet, "p.Bag", "shared", &[], "int") },
        callable(FieldGet, "p.Bag", "open", &[], "int"),
        callable(StaticMethod, "java.lang.Integer", "valueOf", &["int"], "java.lang.Integer"),
        callable(Constructor, "java.util.Date", "<init>", &["long"], "java.util.Date"),
        callable(Method, "java.util.List", "add", &["int", "java.lang.Object"], "void"),
        callable(Method, "p.Bag", "union", &["java.util.Set<java.lang.Integer>"], "int"),
        callable(Method, "p.Gate", "pass", &["int"], "int"),
        callable(Constructor, "p.Bag", "<init>", &["java.util.Comparator<java.lang.Integer>"], "p.Bag"),
    ];
    let interface = |info: TypeInfo, is_functional| TypeInfo { is_interface: true, is_functional, ..info };
    let types = vec![
        type_info("p.Bag", true, &["java.lang.Object"]),
        type_info("p.BagException", true, &["java.lang.Exception", "java.lang.Throwable"]),
        type_info("p.BagError", true, &["java.lang.IllegalStateException"]),
        interface(type_info("p.Listener", true, &[]), false),
        interface(type_info("p.Shelf", true, &[]), false),
        interface(type_info("p.Rule", true, &[]), true),
        interface(type_info("p.Order", true, &["java.util.Comparator"]), true),
        interface(type_info("java.util.Comparator", false, &[]), true),
        interface(type_info("java.util.List", false, &["java.util.Collection", "java.lang.Iterable"]), false),
        interface(type_info("java.util.function.Function", false, &[]), true),
        type_info("java.util.ArrayList", false, &["java.util.List"]),
        type_info("java.util.Iterator", false, &[]),
        abstract_class(type_info("p.Gate", true, &["java.lang.Object"]), &["int"], Visibility::Public),
        abstract_class(
            type_info("p.Watch", true, &["java.lang.Object"]),
            &["void", "void"],
            Visibility::Public,
        ),
        abstract_class(
            type_info("p.Model", true, &["java.lang.Object"]),
            &["int", "void"],
            Visibility::Public,
        ),
        abstract_class(type_info("p.Within", true, &["java.lang.Object"]), &["int"], Visibility::Package),
        abstract_class(
            type_info("p.Stream", true, &["java.lang.AutoCloseable"]),
            &["int"],
            Visibility::Public,
        ),
        abstract_class(type_info("p.Ranked", true, &["java.lang.Comparable"]), &["int"], Visibility::Public),
    ];
    Catalog { callables, types }
}

pub(super) fn constant(value: Literal) -> Step {
    Step::Constant { type_name: String::new(), value }
}

pub(super) fn integer(value: i64) -> Step {
    constant(Literal::Integer(value))
}

pub(super) fn real(value: f64) -> Step {
    constant(Literal::Double(value.to_bits()))
}

pub(super) fn text(value: &str) -> Step {
    constant(Literal::Text(value.encode_utf16().collect()))
}

pub(super) fn null() -> Step {
    constant(Literal::Null)
}

pub(super) fn call(callable: CallableId, receiver: Option<Slot>, arguments: &[Slot]) -> Step {
    Step::Call { callable, receiver, arguments: arguments.to_vec(), caught: false }
}

/// `new Bag()` in slot 0, then the argument in slot 1, then a call of the bag with it.
pub(super) fn bag_call(callable: CallableId, argument: Step) -> Sequence {
    Sequence { steps: vec![call(BAG, None, &[]), argument, call(callable, Some(0), &[1])] }
}

pub(super) fn returning(step: Slot, value: Value) -> Observation {
    let seen = StepObservation { step, result: Some(value), ..StepObservation::default() };
    Observation { steps: vec![seen], ending: Ending::Completed }
}

pub(super) fn throwing(step: Slot, type_name: &str) -> Observation {
    let exception = Exception {
        type_name: type_name.to_owned(),
        message: None,
        thrown_by: Some("p.Bag.count".to_owned()),
        called: None,
        state: None,
    };
    Observation { steps: Vec::new(), ending: Ending::Threw { step, exception } }
}

pub(super) fn list(items: Vec<Value>) -> Value {
    collection(CollectionKind::List, true, items)
}

pub(super) fn set(items: Vec<Value>) -> Value {
    collection(CollectionKind::Set, false, items)
}

pub(super) fn collection(kind: CollectionKind, ordered: bool, items: Vec<Value>) -> Value {
    Value::Collection { kind, ordered, length: items.len() as u64, items, digest: None }
}

pub(super) fn map(entries: &[(i32, i32)]) -> Value {
    let entries: Vec<_> = entries.iter().map(|(key, value)| (Value::Int(*key), Value::Int(*value))).collect();
    Value::Map { ordered: false, length: entries.len() as u64, entries, digest: None }
}

pub(super) fn object(type_name: &str, fields: &[(&str, bool, Value)]) -> Value {
    let field = |(name, visible, value): &(&str, bool, Value)| Field {
        name: (*name).to_owned(),
        visible: *visible,
        value: value.clone(),
    };
    Value::Object { type_name: type_name.to_owned(), fields: fields.iter().map(field).collect() }
}

pub(super) fn decimal(text: &str) -> Value {
    Value::Valued { type_name: "java.math.BigDecimal".to_owned(), text: text.to_owned() }
}

pub(super) fn double(value: f64) -> Value {
    Value::Double(value.to_bits())
}

pub(super) fn words(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// What is known of one callable.
pub(super) fn knowing(callable: CallableId, facts: CallableFacts) -> Knowledge {
    Knowledge { facts: BTreeMap::from([(callable, facts)]), ..Knowledge::default() }
}

/// What is known of the only parameter of one callable.
pub(super) fn knowing_parameter(callable: CallableId, facts: ParameterFacts) -> Knowledge {
    knowing(callable, CallableFacts { parameters: vec![facts], ..CallableFacts::default() })
}

/// What is known of the exceptions of one callable.
pub(super) fn knowing_exceptions(callable: CallableId, names: &[&str]) -> Knowledge {
    let exceptions = names.iter().map(|name| (*name).to_owned()).collect();
    knowing(callable, CallableFacts { exceptions, ..CallableFacts::default() })
}

/// Judges by the rules that hold by default.
pub(super) fn rule(
    input: &Sequence,
    knowledge: &Knowledge,
    reference: Behaviour<'_>,
    patched: Behaviour<'_>,
) -> Ruling {
    judge(input, &catalog(), knowledge, reference, patched, &RgtOptions::default())
}

/// A ruling in a word or two: `same`, the class for evidence, class and reason for a remark.
pub(super) fn in_short(ruling: &Ruling) -> String {
    match ruling {
        Ruling::Same => "same".to_owned(),
        Ruling::Evidence(claim) => claim.class.name().to_owned(),
        Ruling::Remark { reason, claim } => format!("{} {}", claim.class.name(), reason.key()),
    }
}

/// The reason for which an input is not ordinary: it differs in the value that its last step returns.
pub(super) fn oddity(input: &Sequence, knowledge: &Knowledge) -> Option<RemarkReason> {
    let last = u32::try_from(input.steps.len() - 1).unwrap();
    let (one, other) = (returning(last, Value::Int(1)), returning(last, Value::Int(2)));
    match rule(input, knowledge, Behaviour::Observed(&one), Behaviour::Observed(&other)) {
        Ruling::Remark { reason, .. } => Some(reason),
        Ruling::Evidence(_) => None,
        Ruling::Same => panic!("the values differ"),
    }
}
