//! What of an input is unlike what the tests pass: where a search should become ordinary again.

use bonafix_model::{Literal, ParameterFacts, Sequence, Slot, Step};

use crate::build::compare_literals;
use crate::contents::elements;
use crate::world::World;

/// An argument that no test would pass, as far as the tests show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Odd {
    /// The call.
    pub(crate) step: usize,
    /// The argument.
    pub(crate) place: usize,
    /// In what way, as bits.
    pub(crate) way: u8,
}

const NULL: u8 = 1;
const SIGN: u8 = 2;
const NOT_FINITE: u8 = 4;
pub(crate) const ORDER: u8 = 8;
const REPETITION: u8 = 16;
const HIDDEN: u8 = 32;

/// All ways in which the input is odd, as bits.
pub(crate) fn ways(world: &World<'_>, sequence: &Sequence) -> u8 {
    let mut ways = places(world, sequence).iter().fold(0, |ways, odd| ways | odd.way);
    if sequence.callables().any(|callable| !world.is_ordinary(callable)) {
        ways |= HIDDEN;
    }
    ways
}

/// The arguments that are odd.
pub(crate) fn places(world: &World<'_>, sequence: &Sequence) -> Vec<Odd> {
    let mut found = Vec::new();
    for (step, call) in sequence.steps.iter().enumerate() {
        let Step::Call { callable, arguments, .. } = call else { continue };
        // What fills a list is looked at where the list is passed on.
        if Some(*callable) == world.as_list || world.fills(*callable) {
            continue;
        }
        for (place, argument) in arguments.iter().enumerate() {
            let facts = world.parameter_facts(*callable, place);
            let way = way(world, sequence, *argument, step, facts);
            if way != 0 {
                found.push(Odd { step, place, way });
            }
        }
    }
    found
}

fn way(
    world: &World<'_>,
    sequence: &Sequence,
    argument: Slot,
    until: usize,
    facts: Option<&ParameterFacts>,
) -> u8 {
    if let Step::Constant { value, .. } = &sequence.steps[argument as usize] {
        return way_of_literal(value, facts, facts.is_some_and(|facts| facts.null));
    }
    let items = elements(world, sequence, argument, until);
    items.map_or(0, |items| way_of_array(sequence, &items, facts))
}

fn way_of_literal(literal: &Literal, facts: Option<&ParameterFacts>, null: bool) -> u8 {
    let seen = facts.filter(|facts| facts.seen > 0);
    let not_finite = facts.is_some_and(|facts| facts.not_finite);
    let negative = seen.is_none_or(|facts| facts.negative);
    let of_double = |value: f64| match value {
        _ if !value.is_finite() && !not_finite => NOT_FINITE,
        _ if value < 0.0 && !negative => SIGN,
        _ => 0,
    };
    match literal {
        Literal::Null if !null => NULL,
        Literal::Integer(value) if *value < 0 && !negative => SIGN,
        Literal::Double(bits) => of_double(f64::from_bits(*bits)),
        Literal::Float(bits) => of_double(f64::from(f32::from_bits(*bits))),
        _ => 0,
    }
}

fn way_of_array(sequence: &Sequence, items: &[Slot], facts: Option<&ParameterFacts>) -> u8 {
    let null = facts.is_some_and(|facts| facts.null_element);
    let values: Vec<&Literal> = items
        .iter()
        .filter_map(|item| match &sequence.steps[*item as usize] {
            Step::Constant { value, .. } => Some(value),
            _ => None,
        })
        .collect();
    let mut way = values.iter().fold(0, |way, value| way | way_of_literal(value, facts, null));
    let Some(facts) = facts.filter(|facts| facts.lists > 0) else { return way };
    if !facts.unsorted && values.windows(2).any(|pair| compare_literals(pair[0], pair[1]).is_gt()) {
        way |= ORDER;
    }
    let repeated = || values.iter().enumerate().any(|(index, value)| values[..index].contains(value));
    if !facts.repeated && repeated() {
        way |= REPETITION;
    }
    way
}
