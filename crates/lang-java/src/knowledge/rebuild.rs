//! From calls that were seen to inputs: values are built from constants, objects by the calls that made and changed them.

use std::collections::{BTreeMap, HashMap, HashSet};

use bonafix_model::{
    CallableFacts, CallableId, CallableKind, Knowledge, ParameterFacts, Seed, Sequence, Slot, Step, TestId,
};

use super::capture::{Captured, CapturedCall, CapturedValue};
use super::constant::{Constant, STRING};
use super::facts::note;
use super::interpret::{Seen, fitting};
use super::types::{ArgumentType, OBJECT, TypeIndex};

/// Seeds that are made of captured calls.
const MAX_SEEDS: usize = 800;
/// Calls that are repeated to bring an object about.
const MAX_HISTORY: usize = 20;
const MAX_STEPS: usize = 200;

/// An object, by VM and number.
type Identity = (u32, u32);

/// Adds what was captured: inputs, what arguments look like, exceptions that passing tests let happen.
pub(super) fn add(knowledge: &mut Knowledge, types: &TypeIndex<'_>, captured: &Captured, failing: &[TestId]) {
    let callables: Vec<Option<CallableId>> = captured
        .methods
        .iter()
        .map(|watched| types.of_method(&watched.class, &watched.method.name, &watched.method.descriptor))
        .collect();
    add_facts(&mut knowledge.facts, types, captured, &callables);
    let rebuilder = Rebuilder { types, captured, callables: &callables, histories: histories(captured) };
    let mut known: HashSet<Sequence> = knowledge.seeds.iter().map(|seed| seed.sequence.clone()).collect();
    let mut added = Vec::new();
    for at in 0..captured.calls.len() {
        let Some(sequence) = rebuilder.sequence(at).filter(|_| added.len() < MAX_SEEDS) else { continue };
        if known.insert(sequence.clone()) {
            let test = captured.calls[at].test.clone();
            added.push(Seed { sequence, failing: failing.contains(&test), test });
        }
    }
    knowledge.seeds.extend(added);
    knowledge.seeds.sort_by_key(|seed| !seed.failing);
}

fn add_facts(
    facts: &mut BTreeMap<CallableId, CallableFacts>,
    types: &TypeIndex<'_>,
    captured: &Captured,
    callables: &[Option<CallableId>],
) {
    let mut known: HashSet<(CallableId, usize, String)> = HashSet::new();
    let empty = |callable: CallableId| CallableFacts {
        parameters: vec![ParameterFacts::default(); types.parameters(callable).len()],
        ..CallableFacts::default()
    };
    for call in &captured.calls {
        let Some(callable) = callables[call.method] else { continue };
        let entry = facts.entry(callable).or_insert_with(|| empty(callable));
        let arguments = arguments_of(call, types, callable);
        for (at, (value, parameter)) in arguments.iter().zip(&mut entry.parameters).enumerate() {
            let seen = seen(value);
            if seen != Seen::Other && known.insert((callable, at, format!("{seen:?}"))) {
                note(parameter, &seen);
            }
        }
    }
    for (method, test, exception) in &captured.thrown {
        if let Some(callable) = callables[*method].filter(|_| captured.passed.contains(test)) {
            let expected = &mut facts.entry(callable).or_insert_with(|| empty(callable)).expected;
            if !expected.contains(exception) {
                expected.push(exception.clone());
                expected.sort();
            }
        }
    }
}

/// The values behind the receiver.
fn arguments_of<'c>(
    call: &'c CapturedCall,
    types: &TypeIndex<'_>,
    callable: CallableId,
) -> &'c [CapturedValue] {
    let extra = call.values.len().saturating_sub(types.parameters(callable).len());
    &call.values[extra..]
}

fn seen(value: &CapturedValue) -> Seen {
    match value {
        CapturedValue::Constant(constant) => Seen::Constant(constant.clone()),
        CapturedValue::Array { items, .. } | CapturedValue::List(items) | CapturedValue::Set(items) => {
            Seen::Items(items.iter().map(seen).collect())
        }
        CapturedValue::Number { text, .. } => match text.parse::<f64>() {
            Ok(value) => Seen::Constant(Constant::double(value)),
            Err(_) => Seen::Other,
        },
        CapturedValue::Enum { .. } | CapturedValue::Map(_) | CapturedValue::Object { .. } => Seen::Other,
    }
}

/// The calls on each object from outside, constructors among them, by their place.
fn histories(captured: &Captured) -> HashMap<Identity, Vec<usize>> {
    let mut histories: HashMap<Identity, Vec<usize>> = HashMap::new();
    for (at, call) in captured.calls.iter().enumerate() {
        if let Some(CapturedValue::Object { vm, number, .. }) = call.values.first()
            && *number != 0
            && (!call.nested || captured.methods[call.method].method.name == "<init>")
        {
            histories.entry((*vm, *number)).or_default().push(at);
        }
    }
    histories
}

struct Rebuilder<'a> {
    types: &'a TypeIndex<'a>,
    captured: &'a Captured,
    /// By method.
    callables: &'a [Option<CallableId>],
    histories: HashMap<Identity, Vec<usize>>,
}

/// A sequence that is being built.
#[derive(Default)]
struct Draft {
    steps: Vec<Step>,
    objects: HashMap<Identity, Slot>,
    /// Objects in the making: a cycle cannot be built.
    open: Vec<Identity>,
}

impl Draft {
    fn push(&mut self, step: Step) -> Option<Slot> {
        let slot = Slot::try_from(self.steps.len()).ok().filter(|_| self.steps.len() < MAX_STEPS)?;
        self.steps.push(step);
        Some(slot)
    }
}

impl Rebuilder<'_> {
    /// One captured call as an input.
    fn sequence(&self, at: usize) -> Option<Sequence> {
        let mut draft = Draft::default();
        self.call(&mut draft, at)?;
        Some(Sequence { steps: draft.steps })
    }

    fn call(&self, draft: &mut Draft, at: usize) -> Option<Slot> {
        let call = &self.captured.calls[at];
        let callable = self.callables[call.method]?;
        let is_method = self.types.callable(callable).kind == CallableKind::Method;
        let receiver = if is_method { Some(self.object(draft, call.values.first()?, at)?) } else { None };
        let arguments = arguments_of(call, self.types, callable);
        let parameters = self.types.parameters(callable);
        let arguments: Option<Vec<Slot>> = arguments
            .iter()
            .zip(parameters)
            .map(|(value, parameter)| self.value(draft, value, parameter, at))
            .collect();
        draft.push(Step::Call { callable, receiver, arguments: arguments?, caught: false })
    }

    /// An object as it was before the call `before`: made anew, with what was done to it since.
    fn object(&self, draft: &mut Draft, value: &CapturedValue, before: usize) -> Option<Slot> {
        let CapturedValue::Object { type_name, vm, number } = value else { return None };
        let identity = (*vm, *number);
        if let Some(slot) = draft.objects.get(&identity) {
            return Some(*slot);
        }
        if draft.open.contains(&identity) {
            return None;
        }
        let history = self.histories.get(&identity)?;
        let history: Vec<usize> = history.iter().copied().filter(|at| *at < before).collect();
        let watched = |at: &usize| &self.captured.methods[self.captured.calls[*at].method];
        // A constructor is seen behind those of superclasses and those that it hands on to.
        let made = history.iter().rposition(|at| {
            let watched = watched(at);
            watched.method.name == "<init>" && watched.class == *type_name
        })?;
        draft.open.push(identity);
        let slot = self.call(draft, history[made]);
        draft.open.pop();
        let slot = slot?;
        draft.objects.insert(identity, slot);
        for at in history[made + 1..].iter().take(MAX_HISTORY) {
            self.call(draft, *at)?;
        }
        Some(slot)
    }

    fn value(
        &self,
        draft: &mut Draft,
        value: &CapturedValue,
        parameter: &str,
        before: usize,
    ) -> Option<Slot> {
        match value {
            CapturedValue::Constant(constant) => {
                let Constant { type_name, literal } = fitting(constant, parameter)?;
                draft.push(Step::Constant { type_name, value: literal })
            }
            CapturedValue::Enum { type_name, name } => {
                let callable = self.types.field(type_name, name, CallableKind::StaticGet)?;
                draft.push(Step::Call { callable, receiver: None, arguments: Vec::new(), caught: false })
            }
            CapturedValue::Number { type_name, text } => {
                let text = CapturedValue::Constant(Constant::text(text));
                let text = self.value(draft, &text, STRING, before)?;
                self.library(draft, type_name, "<init>", None, vec![(STRING, text)])
            }
            CapturedValue::Array { element, items } => {
                let items = self.items(draft, items, element, before)?;
                draft.push(Step::Array { element: element.clone(), items })
            }
            CapturedValue::List(items) => {
                let items = self.items(draft, items, OBJECT, before)?;
                let array = draft.push(Step::Array { element: OBJECT.to_owned(), items })?;
                self.library(draft, "java.util.Arrays", "asList", None, vec![("java.lang.Object[]", array)])
            }
            CapturedValue::Set(items) => {
                self.filled(draft, "java.util.LinkedHashSet", "add", items, 1, before)
            }
            CapturedValue::Map(items) => {
                self.filled(draft, "java.util.LinkedHashMap", "put", items, 2, before)
            }
            CapturedValue::Object { .. } => self.object(draft, value, before),
        }
    }

    fn items(
        &self,
        draft: &mut Draft,
        items: &[CapturedValue],
        element: &str,
        before: usize,
    ) -> Option<Vec<Slot>> {
        items.iter().map(|item| self.value(draft, item, element, before)).collect()
    }

    /// A collection that is filled by calls.
    fn filled(
        &self,
        draft: &mut Draft,
        class: &str,
        method: &str,
        items: &[CapturedValue],
        each: usize,
        before: usize,
    ) -> Option<Slot> {
        let made = self.library(draft, class, "<init>", None, Vec::new())?;
        for entry in items.chunks_exact(each) {
            let slots = self.items(draft, entry, OBJECT, before)?;
            let arguments = slots.into_iter().map(|slot| (OBJECT, slot)).collect();
            self.library(draft, class, method, Some(made), arguments)?;
        }
        Some(made)
    }

    /// A call of what the catalog has of the JDK.
    fn library(
        &self,
        draft: &mut Draft,
        owner: &str,
        name: &str,
        receiver: Option<Slot>,
        arguments: Vec<(&str, Slot)>,
    ) -> Option<Slot> {
        let kinds = [CallableKind::Constructor, CallableKind::StaticMethod, CallableKind::Method];
        let types: Vec<ArgumentType> =
            arguments.iter().map(|(name, _)| ArgumentType::Of((*name).to_owned())).collect();
        let choice = self.types.choose(owner, name, &kinds, &types).filter(|choice| !choice.spread)?;
        let arguments = arguments.into_iter().map(|(_, slot)| slot).collect();
        draft.push(Step::Call { callable: choice.callable, receiver, arguments, caught: false })
    }
}
