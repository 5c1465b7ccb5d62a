//! What tests promise about exceptions, beyond the calls that they make.

use bonafix_model::{
    CallableId, Catalog, Exception, Knowledge, Observation, PromisedThrow, Sequence, Slot, Step,
};

use super::exceptions::Exceptions;
use super::scene::Scene;

/// Exceptions that the reference throws on inputs of developers' tests, where tests or documentation expect them: by the
/// function that throws. `observations` are those of the reference, in the order of the inputs; none where it broke down.
pub fn promised_throws(
    inputs: &[Sequence],
    observations: &[Option<Observation>],
    catalog: &Catalog,
    knowledge: &Knowledge,
) -> Vec<PromisedThrow> {
    let mut promised: Vec<PromisedThrow> = Vec::new();
    for (input, seen) in inputs.iter().zip(observations) {
        let Some(seen) = seen else { continue };
        let scene = Scene::new(input, catalog, knowledge, seen);
        promised.extend(seen.throwing_steps().filter_map(|step| promised_throw(&scene, step)));
    }
    promised.sort();
    promised.dedup();
    promised
}

fn promised_throw(scene: &Scene<'_>, step: Slot) -> Option<PromisedThrow> {
    let exception = scene.reference.thrown_at(step)?;
    let call = scene.call(step)?;
    Exceptions::of(scene).promise(call.callable, call.facts, &exception.type_name)?;
    let (callable, maker) = called(scene.input, step)?;
    let Exception { type_name, thrown_by, .. } = exception.clone();
    Some(PromisedThrow { type_name, thrown_by: thrown_by?, callable, maker })
}

/// What is called at a step, and what made the object that it is called on.
fn called(input: &Sequence, step: Slot) -> Option<(CallableId, Option<CallableId>)> {
    let callable = |slot: Slot| match input.steps.get(slot as usize) {
        Some(Step::Call { callable, receiver, .. }) => Some((*callable, *receiver)),
        _ => None,
    };
    let (called, receiver) = callable(step)?;
    Some((called, receiver.and_then(callable).map(|(maker, _)| maker)))
}

/// Does a test expect what the reference throws at a step, of the same function? What is expected of an object says nothing
/// about one that was made otherwise and was given a strategy, which may make all the difference.
pub(super) fn is_expected_by_tests(scene: &Scene<'_>, step: Slot) -> bool {
    let (Some(exception), Some(call)) = (scene.reference.thrown_at(step), scene.call(step)) else {
        return false;
    };
    let Some((callable, maker)) = called(scene.input, step) else { return false };
    let same_type = |promise: &&PromisedThrow| promise.type_name == exception.type_name;
    let known: Vec<&PromisedThrow> = scene.knowledge.promised.iter().filter(same_type).collect();
    let has_strategy = scene.takes_strategy(maker);
    let same_object = |promise: &PromisedThrow| promise.maker == maker || !has_strategy;
    let mut of_this_call = known.iter().filter(|promise| promise.callable == callable).peekable();
    // Where no input of a test shows how the test makes its object, it may be anyhow.
    let may_be_expected = of_this_call.peek().is_none() || of_this_call.any(|promise| same_object(promise));
    let expects = |type_name: &str| {
        Exceptions::of(scene).is_promised_by_tests_only(call.callable, call.facts, type_name)
    };
    let on_purpose = |promise: &&PromisedThrow| {
        Some(&promise.thrown_by) == exception.thrown_by.as_ref()
            && (promise.callable != callable || same_object(promise))
    };
    (may_be_expected && expects(&exception.type_name)) || known.iter().any(on_purpose)
}
