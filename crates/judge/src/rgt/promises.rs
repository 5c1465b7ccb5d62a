//! What tests promise about exceptions, beyond the calls that they make.

use bonafix_model::{Catalog, Ending, Knowledge, Observation, PromisedThrow, Sequence};

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
    let mut promised: Vec<PromisedThrow> = inputs
        .iter()
        .zip(observations)
        .filter_map(|(input, seen)| promised_throw(input, seen.as_ref()?, catalog, knowledge))
        .collect();
    promised.sort();
    promised.dedup();
    promised
}

fn promised_throw(
    input: &Sequence,
    seen: &Observation,
    catalog: &Catalog,
    knowledge: &Knowledge,
) -> Option<PromisedThrow> {
    let Ending::Threw { step, exception } = &seen.ending else { return None };
    let scene = Scene::new(input, catalog, knowledge, seen);
    let call = scene.call(*step)?;
    Exceptions::of(&scene).promise(call.callable, call.facts, &exception.type_name)?;
    let thrown_by = exception.thrown_by.clone()?;
    Some(PromisedThrow { type_name: exception.type_name.clone(), thrown_by })
}
