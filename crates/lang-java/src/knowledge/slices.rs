//! Cuts sequences down: to what matters of a test, and to what one call needs.

use std::collections::BTreeSet;

use bonafix_model::{CallableKind, Sequence, Slot, Step};

use super::types::TypeIndex;

/// Calls without arguments that only look, going by their names.
const OBSERVERS: [&str; 8] =
    ["toString", "hashCode", "size", "length", "isEmpty", "count", "getClass", "iterator"];

/// The sequence without what neither calls the program nor serves a call of it.
pub(super) fn trimmed(steps: &[Step], types: &TypeIndex<'_>) -> Sequence {
    let mut needed = BTreeSet::new();
    for (slot, step) in numbered(steps).rev() {
        let calls = matches!(step, Step::Call { callable, .. } if types.calls_subject(*callable));
        if calls || needed.contains(&slot) {
            needed.insert(slot);
            needed.extend(step.uses());
        }
    }
    with_mutators(steps, &mut needed, types);
    renumbered(steps, &needed)
}

/// One sequence for each call of the program: the call, what it needs, and what was done to that before.
pub(super) fn slices(steps: &[Step], types: &TypeIndex<'_>) -> Vec<Sequence> {
    let calls = numbered(steps).filter(|(_, step)| match step {
        Step::Call { callable, .. } => {
            types.calls_subject(*callable) && types.callable(*callable).kind != CallableKind::StaticGet
        }
        _ => false,
    });
    calls
        .map(|(slot, _)| {
            let steps = &steps[..=slot as usize];
            let mut needed = BTreeSet::from([slot]);
            close(steps, &mut needed);
            with_mutators(steps, &mut needed, types);
            renumbered(steps, &needed)
        })
        .collect()
}

/// Steps with their numbers.
fn numbered(steps: &[Step]) -> impl DoubleEndedIterator<Item = (Slot, &Step)> {
    let count = Slot::try_from(steps.len()).unwrap_or(Slot::MAX);
    (0..count).map(|slot| (slot, &steps[slot as usize]))
}

/// Adds what the needed steps use.
fn close(steps: &[Step], needed: &mut BTreeSet<Slot>) {
    for (slot, step) in numbered(steps).rev() {
        if needed.contains(&slot) {
            needed.extend(step.uses());
        }
    }
}

/// Adds calls on objects that are needed, until there are no more.
fn with_mutators(steps: &[Step], needed: &mut BTreeSet<Slot>, types: &TypeIndex<'_>) {
    loop {
        let before = needed.len();
        let last = needed.last().copied().unwrap_or_default();
        for (slot, step) in numbered(steps).take_while(|(slot, _)| *slot < last) {
            let Step::Call { callable, receiver: Some(receiver), .. } = step else { continue };
            let made_here = matches!(steps[*receiver as usize], Step::Call { .. });
            if made_here && needed.contains(receiver) && !is_observer(*callable, types) {
                needed.insert(slot);
            }
        }
        close(steps, needed);
        if needed.len() == before {
            return;
        }
    }
}

fn is_observer(callable: u32, types: &TypeIndex<'_>) -> bool {
    let callable = types.callable(callable);
    let looks = callable.kind == CallableKind::FieldGet
        || OBSERVERS.contains(&callable.name.as_str())
        || ["get", "is", "has"].iter().any(|prefix| {
            callable.name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(char::is_uppercase))
        });
    looks && callable.parameters.is_empty() && callable.result != "void"
}

/// The needed steps, with new numbers.
fn renumbered(steps: &[Step], needed: &BTreeSet<Slot>) -> Sequence {
    let number = |slot: &Slot| Slot::try_from(needed.range(..slot).count()).unwrap_or(Slot::MAX);
    let numbers = |slots: &[Slot]| slots.iter().map(number).collect();
    let moved = needed.iter().map(|slot| match &steps[*slot as usize] {
        constant @ Step::Constant { .. } => constant.clone(),
        Step::Call { callable, receiver, arguments, caught } => Step::Call {
            callable: *callable,
            receiver: receiver.as_ref().map(number),
            arguments: numbers(arguments),
            caught: *caught,
        },
        Step::Array { element, items } => Step::Array { element: element.clone(), items: numbers(items) },
        Step::Stub { interface, answers } => {
            Step::Stub { interface: interface.clone(), answers: numbers(answers) }
        }
    });
    Sequence { steps: moved.collect() }
}
