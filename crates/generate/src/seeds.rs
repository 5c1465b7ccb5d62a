//! What is made of a developer's test before anything is changed: its beginnings, and the part that leads to one call.

use bonafix_model::{Sequence, Step};

use crate::draft::{only, without_dead_steps};
use crate::world::World;

/// For each call that leads to the change: the sequence up to it, and only what it needs.
pub(crate) fn parts(world: &World<'_>, seed: &Sequence) -> Vec<Sequence> {
    let mut found = Vec::new();
    for (index, step) in seed.steps.iter().enumerate() {
        let Step::Call { callable, .. } = step else { continue };
        if !world.is_target(*callable) {
            continue;
        }
        if index + 1 < seed.steps.len() {
            let beginning = Sequence { steps: seed.steps[..=index].to_vec() };
            found.push(without_dead_steps(&beginning));
        }
        found.push(slice(seed, index));
    }
    found
}

/// Only what the first call that leads to the change needs; none if there is no such call.
pub(crate) fn focused(world: &World<'_>, sequence: &Sequence) -> Option<Sequence> {
    let is_target = |step: &Step| matches!(step, Step::Call { callable, .. } if world.is_target(*callable));
    sequence.steps.iter().position(is_target).map(|index| slice(sequence, index))
}

/// Does it call at most once what leads to the change?
pub(crate) fn is_focused(world: &World<'_>, sequence: &Sequence) -> bool {
    sequence.callables().filter(|callable| world.is_target(*callable)).count() <= 1
}

/// Only what a step needs: what its values were made from, and the calls on these before it.
pub(crate) fn slice(sequence: &Sequence, wanted: usize) -> Sequence {
    let mut needed = vec![false; sequence.steps.len()];
    needed[wanted] = true;
    // A call on a needed object may need objects that were made earlier, so one pass backwards is enough.
    for index in (0..=wanted).rev() {
        let step = &sequence.steps[index];
        if let Step::Call { receiver: Some(receiver), .. } = step {
            needed[index] |= needed[*receiver as usize];
        }
        if needed[index] {
            for used in step.uses() {
                needed[used as usize] = true;
            }
        }
    }
    // An object that came to be needed late in that pass may have calls behind it that were left out.
    for index in 0..=wanted {
        if let Step::Call { receiver: Some(receiver), .. } = &sequence.steps[index]
            && needed[*receiver as usize]
            && sequence.steps[index].uses().all(|used| needed[used as usize])
        {
            needed[index] = true;
        }
    }
    only(sequence, &needed)
}
