//! Inputs on which the last digit of an argument decides the result: what differs there says nothing about a patch.

use bonafix_model::{Difference, Element, Literal, Observation, Sequence, Step, Value};

use super::place;
use super::policy::thrown;

/// Constants that are nudged on their own, besides all at once.
const ALONE: usize = 3;

/// A difference less than so many times the reference's own spread is noise.
const SPREADS: f64 = 10.0;

/// The input with its floating point numbers changed in the last digit: by turns upwards and downwards, all of them at
/// first, then the first few on their own. Empty where it has none.
pub fn perturbed(input: &Sequence) -> Vec<Sequence> {
    let places: Vec<usize> =
        (0..input.steps.len()).filter(|place| nudged(&input.steps[*place], true).is_some()).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let mut groups = vec![places.clone()];
    if places.len() > 1 {
        groups.extend(places.iter().take(ALONE).map(|place| vec![*place]));
    }
    groups.iter().flat_map(|group| [true, false].map(|up| with_nudged(input, group, up))).collect()
}

fn with_nudged(input: &Sequence, places: &[usize], up: bool) -> Sequence {
    let mut input = input.clone();
    for place in places {
        if let Some(step) = nudged(&input.steps[*place], up) {
            input.steps[*place] = step;
        }
    }
    input
}

/// Zero stays: its neighbours are of another order of magnitude altogether.
fn nudged(step: &Step, up: bool) -> Option<Step> {
    let Step::Constant { type_name, value } = step else { return None };
    let value = match value {
        Literal::Double(bits) => {
            let value = Some(f64::from_bits(*bits)).filter(|value| value.is_normal())?;
            Literal::Double(if up { value.next_up() } else { value.next_down() }.to_bits())
        }
        Literal::Float(bits) => {
            let value = Some(f32::from_bits(*bits)).filter(|value| value.is_normal())?;
            Literal::Float(if up { value.next_up() } else { value.next_down() }.to_bits())
        }
        _ => return None,
    };
    Some(Step::Constant { type_name: type_name.clone(), value })
}

/// Does the reference itself, where a difference was seen, change about as much on the inputs of [`perturbed`] as the
/// two versions differ? It must do so upwards and downwards: on one side only it is a step at which the program decides
/// something, and there a difference has a meaning.
///
/// `around` is what the reference did on these inputs, in their order; none where it broke down.
pub fn within_noise(
    difference: &Difference,
    reference: &Observation,
    patched: &Observation,
    around: &[Option<Observation>],
) -> bool {
    let spreads = |other: &Option<Observation>| match other {
        Some(other) => differs_as_much(difference, reference, patched, other),
        None => true,
    };
    let upwards = around.iter().step_by(2).any(spreads);
    let downwards = around.iter().skip(1).step_by(2).any(spreads);
    upwards && downwards
}

fn differs_as_much(
    difference: &Difference,
    reference: &Observation,
    patched: &Observation,
    other: &Observation,
) -> bool {
    if difference.location.element == Element::Exception {
        let step = difference.location.step;
        return thrown(reference, step) != thrown(other, step);
    }
    let at = |observation| place::value_at(observation, &difference.location);
    let (expected, actual, neighbour) = (at(reference), at(patched), at(other));
    let number = |value: &Option<Value>| value.as_ref().and_then(number);
    match (number(&expected), number(&actual), number(&neighbour)) {
        (Some(expected), Some(actual), Some(neighbour)) => {
            let spread = (expected - neighbour).abs();
            // What is not a number counts as spread only if the neighbour became it.
            if !(expected - actual).is_finite() {
                return expected.to_bits() != neighbour.to_bits() && !spread.is_finite();
            }
            spread > 0.0 && SPREADS * spread >= (expected - actual).abs()
        }
        _ => expected != neighbour,
    }
}

#[expect(clippy::cast_precision_loss, reason = "what is lost is far below what is compared")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Byte(value) => Some(f64::from(*value)),
        Value::Short(value) => Some(f64::from(*value)),
        Value::Int(value) => Some(f64::from(*value)),
        Value::Long(value) => Some(*value as f64),
        Value::Float(bits) => Some(f64::from(f32::from_bits(*bits))),
        Value::Double(bits) => Some(f64::from_bits(*bits)),
        _ => None,
    }
}
