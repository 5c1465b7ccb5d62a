//! A closer look at what differs inside: calls that a test could make may show it.

use bonafix_generate::Reaction;
use bonafix_judge::rgt::{Claim, Ruling};
use bonafix_lang::{LangError, Run};
use bonafix_model::{Access, Difference, Element, Location, Observation, Sequence, Tolerance, compare};

use super::judged_scope;
use super::trial::{Trial, key};

/// A private field is looked at more closely so often, and then ever more seldom.
const LOOKS: u32 = 4;
/// Values of one input that are looked at more closely.
const LOOKED_AT: usize = 3;
/// Calls that one look may take: objects of large projects have hundreds of methods.
const CALLS: usize = 120;

impl Trial<'_> {
    /// Private state differs, of an object or of an exception: calls that a test could make may show it.
    pub(super) fn look_closer(
        &mut self,
        input: &Sequence,
        claim: &Claim,
        reference: &Observation,
        patched: &Observation,
        run: &mut dyn Run,
    ) -> Result<Reaction, LangError> {
        let mut longer = Vec::new();
        let values = differing_values(reference, patched, &self.options.tolerance_for(&self.knowledge));
        if values.is_empty() {
            // Only the wording of an exception differs: there is nothing behind it.
            return Ok(Reaction::Continue);
        }
        if let Some(difference) = &claim.difference {
            let place = (key(input, claim).0, field_names(difference));
            let looks = self.looks.entry(place).or_default();
            *looks += 1;
            if *looks > LOOKS && !looks.is_power_of_two() {
                return Ok(Reaction::Pursue);
            }
        }
        for location in values {
            let thrown = reference.thrown_at(location.step).zip(patched.thrown_at(location.step));
            let thrown = thrown.map(|(exception, _)| exception.type_name.as_str());
            longer.extend(self.observers.looks(input, &location, thrown));
        }
        longer.truncate(CALLS);
        if longer.is_empty() {
            return Ok(Reaction::Pursue);
        }
        let results = run.run(&longer, &judged_scope())?;
        for (input, ran) in longer.iter().zip(&results) {
            if let Ruling::Evidence(claim) = self.rule_on(input, &ran.outcome)
                && self.prosecute(input, &claim, run)? == Reaction::Stop
            {
                return Ok(Reaction::Stop);
            }
        }
        Ok(Reaction::Pursue)
    }
}

/// The values that differ, each once, by the first difference in it.
fn differing_values(reference: &Observation, patched: &Observation, tolerance: &Tolerance) -> Vec<Location> {
    let mut found: Vec<Location> = Vec::new();
    for difference in compare(reference, patched, tolerance) {
        let location = difference.location;
        let is_value = location.element != Element::Exception || !location.path.is_empty();
        let known = |other: &Location| (other.step, other.element) == (location.step, location.element);
        if is_value && !found.iter().any(known) {
            found.push(location);
        }
    }
    found.truncate(LOOKED_AT);
    found
}

/// The fields on the way to a difference, by name.
fn field_names(difference: &Difference) -> Vec<String> {
    let names = difference.location.path.iter().filter_map(|access| match access {
        Access::Field { name, .. } => Some(name.clone()),
        _ => None,
    });
    names.collect()
}
