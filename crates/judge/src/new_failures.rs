//! New failures, Opad's idea without a memory checker: an input that runs well on the buggy version must not fail on the
//! patched one.
//!
//! What fails is an accident: the machine objects (`null`, an index, a cast, a division), the stack or the memory is used
//! up, or there is no end. An exception by which a program rejects what it was given is a decision, and a fix may well
//! decide so: it says nothing. Nor does one that is documented, or that the patch itself throws by a `throw` of its own.
//! Nobody has said what is right, so this makes a patch suspicious at most.

use bonafix_lang::Behaviour;
use bonafix_model::{Catalog, Delta, DifferenceClass, Knowledge, Observation, Sequence};

use crate::rgt::{self, Claim, RgtOptions, Ruling};

/// The name of the technique.
pub const NAME: &str = "new-failures";

/// Exceptions that nobody decides for; those of their subclasses are others' decisions.
const ACCIDENTS: [&str; 12] = [
    "java.lang.NullPointerException",
    "java.lang.IndexOutOfBoundsException",
    "java.lang.ArrayIndexOutOfBoundsException",
    "java.lang.StringIndexOutOfBoundsException",
    "java.lang.ClassCastException",
    "java.lang.ArithmeticException",
    "java.lang.NegativeArraySizeException",
    "java.lang.ArrayStoreException",
    "java.util.ConcurrentModificationException",
    "java.util.NoSuchElementException",
    "java.lang.StackOverflowError",
    "java.lang.OutOfMemoryError",
];

/// Says whether an input fails in the patched version that ran well in the buggy one.
pub fn judge(
    input: &Sequence,
    catalog: &Catalog,
    knowledge: &Knowledge,
    buggy: Behaviour<'_>,
    patched: Behaviour<'_>,
    delta: &Delta,
    options: &RgtOptions,
) -> Ruling {
    if !matches!(buggy, Behaviour::Observed(seen) if ran_well(seen)) {
        return Ruling::Same;
    }
    let options = RgtOptions { failures_only: true, ..*options };
    match rgt::judge(input, catalog, knowledge, buggy, patched, &options) {
        Ruling::Evidence(claim) if is_accident(input, catalog, knowledge, patched, delta, &claim) => {
            Ruling::Evidence(claim)
        }
        // Versions that differ otherwise are what a patch is for.
        _ => Ruling::Same,
    }
}

fn is_accident(
    input: &Sequence,
    catalog: &Catalog,
    knowledge: &Knowledge,
    patched: Behaviour<'_>,
    delta: &Delta,
    claim: &Claim,
) -> bool {
    match (patched, &claim.difference) {
        (Behaviour::BrokeDown(_), _) => true,
        (Behaviour::Observed(seen), Some(difference)) => {
            let step = difference.location.step;
            let class_says = claim.class == DifferenceClass::Error;
            let accident = seen.thrown_at(step).is_some_and(|exception| {
                ACCIDENTS.contains(&exception.type_name.as_str())
                    && !is_thrown_by_patch(delta, &exception.type_name)
            });
            (class_says || accident) && !rgt::is_promised(input, catalog, knowledge, seen, step)
        }
        (Behaviour::Observed(_), None) => false,
    }
}

/// Has the patch a `throw` of this exception among its changed statements?
fn is_thrown_by_patch(delta: &Delta, type_name: &str) -> bool {
    let simple = type_name.rsplit(['.', '$']).next().unwrap_or(type_name);
    let statements = delta.elements().flat_map(|element| &element.statements_after);
    statements.filter(|statement| statement.text.contains("throw")).any(|statement| {
        statement.text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == simple)
    })
}

/// Did an input run well: to its end, without an exception?
fn ran_well(seen: &Observation) -> bool {
    seen.throwing_steps().next().is_none()
}
