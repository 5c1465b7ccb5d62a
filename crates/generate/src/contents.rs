//! What is inside a list that a sequence makes: an array, a list made from one, a collection that is filled by calls.

use bonafix_model::{Sequence, Slot, Step};

use crate::build::compare_literals;
use crate::chance::Chance;
use crate::literals::Manner;
use crate::world::World;

/// Elements of what is in a slot when a step takes it, in order; none for what is no list, or a list of unknown making.
pub(crate) fn elements(world: &World<'_>, sequence: &Sequence, of: Slot, until: usize) -> Option<Vec<Slot>> {
    if let Some(array) = array_behind(world, sequence, of) {
        return match &sequence.steps[array] {
            Step::Array { items, .. } => Some(items.clone()),
            _ => None,
        };
    }
    let Step::Call { callable, .. } = &sequence.steps[of as usize] else { return None };
    let add = world.filled_by(*callable)?;
    let added = sequence.steps[..until].iter().filter_map(|step| match step {
        Step::Call { callable, receiver: Some(receiver), arguments, .. }
            if *callable == add && *receiver == of =>
        {
            arguments.first().copied()
        }
        _ => None,
    });
    Some(added.collect())
}

/// The array that a slot holds, or that its list was made from.
fn array_behind(world: &World<'_>, sequence: &Sequence, of: Slot) -> Option<usize> {
    match &sequence.steps[of as usize] {
        Step::Array { .. } => Some(of as usize),
        Step::Call { callable, arguments, .. } if Some(*callable) == world.as_list => {
            array_behind(world, sequence, *arguments.first()?)
        }
        _ => None,
    }
}

/// How the value in a slot is to be, by the first call of the program that takes it, itself or inside a list.
pub(crate) fn manner_of(world: &World<'_>, chance: &mut Chance, sequence: &Sequence, wanted: Slot) -> Manner {
    let mut wanted = wanted;
    let mut inside = false;
    for (index, step) in sequence.steps.iter().enumerate().skip(wanted as usize + 1) {
        match step {
            Step::Call { callable, receiver, arguments, .. } => {
                let Some(place) = arguments.iter().position(|argument| *argument == wanted) else { continue };
                match receiver {
                    _ if Some(*callable) == world.as_list => wanted = crate::draft::slot(index),
                    Some(receiver) if world.fills(*callable) => {
                        wanted = *receiver;
                        inside = true;
                    }
                    _ => {
                        let manner = Manner::of(world.parameter_facts(*callable, place), chance);
                        return if inside { manner.inside() } else { manner };
                    }
                }
            }
            Step::Array { items, .. } if items.contains(&wanted) => {
                wanted = crate::draft::slot(index);
                inside = true;
            }
            _ => {}
        }
    }
    Manner::FIRM
}

/// Brings arrays into the order, and rids them of the repetitions, that tests never show, mostly.
pub(crate) fn settle(world: &World<'_>, chance: &mut Chance, sequence: &mut Sequence) {
    if !world.has_orderly_lists || chance.percent(12) {
        return;
    }
    for index in 0..sequence.steps.len() {
        let Step::Call { callable, arguments, .. } = &sequence.steps[index] else { continue };
        let Some(facts) = world.facts(*callable) else { continue };
        let arguments = arguments.clone();
        for (argument, facts) in arguments.into_iter().zip(&facts.parameters) {
            if facts.lists > 0
                && !(facts.unsorted && facts.repeated)
                && let Some(array) = array_behind(world, sequence, argument)
            {
                settle_array(sequence, array, !facts.unsorted, !facts.repeated);
            }
        }
    }
}

fn settle_array(sequence: &mut Sequence, array: usize, sorted: bool, distinct: bool) {
    let Step::Array { items, .. } = &sequence.steps[array] else { return };
    let constant = |item: &Slot| match &sequence.steps[*item as usize] {
        Step::Constant { value, .. } => Some(value),
        _ => None,
    };
    let Some(mut pairs) =
        items.iter().map(|item| constant(item).map(|value| (*item, value))).collect::<Option<Vec<_>>>()
    else {
        return;
    };
    if sorted {
        pairs.sort_by(|one, other| compare_literals(one.1, other.1));
    }
    let mut kept: Vec<(Slot, &bonafix_model::Literal)> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        if !distinct || kept.iter().all(|other| other.1 != pair.1) {
            kept.push(pair);
        }
    }
    let settled: Vec<Slot> = kept.into_iter().map(|pair| pair.0).collect();
    if let Step::Array { items, .. } = &mut sequence.steps[array] {
        *items = settled;
    }
}
