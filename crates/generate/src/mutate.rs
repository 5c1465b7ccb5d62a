//! Changes sequences: their constants, their arguments, their calls, or two of them at once.

use bonafix_model::{Literal, Sequence, Slot, Step};

use crate::build::{Builder, compare_literals};
use crate::chance::Chance;
use crate::contents::{manner_of, settle};
use crate::draft::{Draft, MAX_STEPS, only, slot, step_type, without_dead_steps};
use crate::literals::Manner;
use crate::oddity;
use crate::types::{Shape, TypeId};
use crate::world::World;

/// Of a hundred calls that others are put behind, those whose exceptions are caught.
const CAUGHT: u32 = 20;

/// One changed sequence; none if the change that chance chose cannot be made.
pub(crate) fn mutate(
    world: &World<'_>,
    chance: &mut Chance,
    parent: &Sequence,
    other: Option<&Sequence>,
) -> Option<Sequence> {
    for _ in 0..6 {
        let changed = attempt(world, chance, parent, other).map(|mut changed| {
            settle(world, chance, &mut changed);
            changed
        });
        if let Some(changed) = changed
            && changed.steps.len() <= limit(parent)
            && !changed.steps.is_empty()
            && changed != *parent
        {
            return Some(changed);
        }
    }
    None
}

/// A sequence does not grow beyond what is readable, but one that a developer wrote may be long already.
fn limit(parent: &Sequence) -> usize {
    MAX_STEPS.max(parent.steps.len())
}

fn attempt(
    world: &World<'_>,
    chance: &mut Chance,
    parent: &Sequence,
    other: Option<&Sequence>,
) -> Option<Sequence> {
    match chance.below(100) {
        0..36 => change_literals(world, chance, parent),
        36..46 => change_array(world, chance, parent),
        46..56 => replace_argument(world, chance, parent),
        56..66 => insert_call(world, chance, parent),
        66..72 => delete_step(chance, parent),
        72..77 => repeat_call(world, chance, parent),
        77..81 => swap(world, chance, parent),
        81..89 => append(world, chance, parent),
        89..91 => crate::literals::borrow(chance, parent, other?),
        91..95 => cross(world, chance, parent, other?),
        _ => splice(world, chance, parent, other?),
    }
}

fn pick_step(
    chance: &mut Chance,
    sequence: &Sequence,
    mut wanted: impl FnMut(usize, &Step) -> bool,
) -> Option<usize> {
    let count = sequence.steps.len();
    let start = chance.below(count);
    (0..count).map(|offset| (start + offset) % count).find(|index| wanted(*index, &sequence.steps[*index]))
}

pub(crate) fn change_literals(world: &World<'_>, chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let mut changed = parent.clone();
    let times = if chance.percent(70) { 1 } else { 1 + chance.below(3) };
    for _ in 0..times {
        if chance.percent(10) {
            relate_numbers(world, chance, &mut changed);
            continue;
        }
        let index = pick_step(
            chance,
            parent,
            |_, step| matches!(step, Step::Constant { value, .. } if *value != Literal::Null),
        )?;
        let manner = manner_of(world, chance, parent, slot(index));
        if let Step::Constant { type_name, value } = &mut changed.steps[index] {
            let shape = world.types.get(world.types.named(type_name)).shape;
            let next = world.pools.change(value, shape, manner, chance);
            *value = manner.mend(next, shape);
        }
    }
    Some(changed)
}

/// Makes one whole number of a sequence the same as another one, or its neighbour.
fn relate_numbers(world: &World<'_>, chance: &mut Chance, sequence: &mut Sequence) {
    let number = |index: &usize| match &sequence.steps[*index] {
        Step::Constant { type_name, value: Literal::Integer(value) } => Some((type_name, *value)),
        _ => None,
    };
    let numbers: Vec<usize> = (0..sequence.steps.len()).filter(|index| number(index).is_some()).collect();
    let (Some(from), Some(to)) = (chance.pick(&numbers), chance.pick(&numbers)) else { return };
    let (Some((_, taken)), Some((wanted, _))) = (number(from), number(to)) else { return };
    let related = taken.saturating_add(chance.between(-1, 1));
    let range = world.types.get(world.types.named(wanted)).shape.integer_range();
    let fits = range.is_some_and(|(least, greatest)| (least..=greatest).contains(&related));
    if let Step::Constant { value, .. } = &mut sequence.steps[*to]
        && fits
    {
        *value = Literal::Integer(related);
    }
}

/// Longer, shorter, in another order, with something twice.
fn change_array(world: &World<'_>, chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let index = pick_step(chance, parent, |_, step| matches!(step, Step::Array { .. }))?;
    let Step::Array { element, items } = &parent.steps[index] else { return None };
    let element_type = match items.first() {
        Some(first) if element == "java.lang.Object" => step_type(world, &parent.steps[*first as usize]),
        _ => world.types.named(element),
    };
    let manner = manner_of(world, chance, parent, slot(index));
    let mut items = items.clone();
    let mut builder = Builder::new(world, chance, Draft::default(), limit(parent));
    let mut map = Vec::with_capacity(parent.steps.len());
    builder.draft.copy(world, &parent.steps, 0..index, &mut map);
    match builder.chance.below(7) {
        0 | 1 => {
            let item = builder.make(element_type, manner.inside(), 2)?;
            let place = builder.chance.below(items.len() + 1);
            items.insert(place, item);
        }
        2 if !items.is_empty() => drop(items.remove(builder.chance.below(items.len()))),
        3 if !items.is_empty() => {
            let item = *builder.chance.pick(&items)?;
            items.insert(builder.chance.below(items.len() + 1), item);
        }
        4 if items.len() > 1 => {
            let (one, other) = (builder.chance.below(items.len()), builder.chance.below(items.len()));
            items.swap(one, other);
        }
        5 if items.len() > 1 => sort_items(&builder.draft, &mut items),
        _ if items.len() > 1 => items.truncate(builder.chance.below(items.len())),
        _ => return None,
    }
    if manner.sorted {
        sort_items(&builder.draft, &mut items);
    }
    builder.draft.push(world, Step::Array { element: element.clone(), items });
    map.push(Some(slot(builder.draft.len() - 1)));
    builder.draft.copy(world, &parent.steps, index + 1..parent.steps.len(), &mut map);
    Some(builder.draft.without_dead_steps())
}

/// Brings the constants among the items into order. All else stays where it is: nobody knows how it compares.
fn sort_items(draft: &Draft, items: &mut [Slot]) {
    let constant = |item: &Slot| match &draft.steps[*item as usize] {
        Step::Constant { value, .. } => Some(value),
        _ => None,
    };
    let found = items.iter().enumerate().filter_map(|(place, item)| Some((place, (constant(item)?, *item))));
    let (places, mut constants): (Vec<usize>, Vec<(&Literal, Slot)>) = found.unzip();
    constants.sort_by(|one, other| compare_literals(one.0, other.0));
    for (place, (_, item)) in places.into_iter().zip(constants) {
        items[place] = item;
    }
}

fn replace_argument(world: &World<'_>, chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let index = pick_step(
        chance,
        parent,
        |_, step| matches!(step, Step::Call { arguments, .. } if !arguments.is_empty()),
    )?;
    let Step::Call { arguments, .. } = &parent.steps[index] else { return None };
    let place = chance.below(arguments.len());
    replace(world, chance, parent, index, place)
}

/// The type of an argument. What goes into a list is of the type of what is there, since the list does not say it.
fn wanted_type(world: &World<'_>, parent: &Sequence, index: usize, place: usize) -> Option<TypeId> {
    let Step::Call { callable, arguments, .. } = &parent.steps[index] else { return None };
    if world.fills(*callable) || Some(*callable) == world.as_list {
        return Some(step_type(world, &parent.steps[*arguments.get(place)? as usize]));
    }
    world.member(*callable).parameters.get(place).copied()
}

/// Another value for one argument of one call.
fn replace(
    world: &World<'_>,
    chance: &mut Chance,
    parent: &Sequence,
    index: usize,
    place: usize,
) -> Option<Sequence> {
    let Step::Call { callable, receiver, arguments, caught } = &parent.steps[index] else { return None };
    let wanted = wanted_type(world, parent, index, place)?;
    let manner = Manner::of(world.parameter_facts(*callable, place), chance);
    let mut builder = Builder::new(world, chance, Draft::default(), limit(parent));
    let mut map = Vec::with_capacity(parent.steps.len());
    builder.draft.copy(world, &parent.steps, 0..index, &mut map);
    let value = builder.make(wanted, manner, 1)?;
    let mut arguments = arguments.clone();
    arguments[place] = value;
    let call = Step::Call { callable: *callable, receiver: *receiver, arguments, caught: *caught };
    // Up to here no slot has moved.
    let copied = builder.draft.push(world, call);
    map.push(Some(copied));
    builder.draft.copy(world, &parent.steps, index + 1..parent.steps.len(), &mut map);
    Some(builder.draft.without_dead_steps())
}

/// Replaces an argument that tests would not pass.
pub(crate) fn toward_ordinary(world: &World<'_>, chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let odd = oddity::places(world, parent);
    let odd = chance.pick(&odd)?;
    replace(world, chance, parent, odd.step, odd.place)
}

fn insert_call(world: &World<'_>, chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let types: Vec<_> = parent.steps.iter().map(|step| step_type(world, step)).collect();
    let object = pick_step(chance, parent, |index, step| {
        let filled = matches!(step, Step::Call { callable, .. } if world.filled_by(*callable).is_some());
        matches!(step, Step::Call { .. } | Step::Stub { .. })
            && !filled
            && !world.methods(types[index]).is_empty()
    })?;
    let position = object + 1 + chance.below(parent.steps.len() - object);
    let mut builder = Builder::new(world, chance, Draft::default(), limit(parent));
    let mut map = Vec::with_capacity(parent.steps.len());
    builder.draft.copy(world, &parent.steps, 0..position, &mut map);
    builder.call_on(slot(object))?;
    builder.draft.copy(world, &parent.steps, position..parent.steps.len(), &mut map);
    Some(builder.draft.into_sequence())
}

fn delete_step(chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let index = pick_step(chance, parent, |_, step| matches!(step, Step::Call { .. }))?;
    Some(without_step(parent, index)).filter(|changed| changed.callables().next().is_some())
}

/// Leaves out a step, all that depends on it, and what nothing needs then.
pub(crate) fn without_step(parent: &Sequence, index: usize) -> Sequence {
    without_dead_steps(&without_only(parent, index))
}

/// Leaves out a step and all that depends on it.
pub(crate) fn without_only(parent: &Sequence, index: usize) -> Sequence {
    let mut wanted = vec![true; parent.steps.len()];
    wanted[index] = false;
    only(parent, &wanted)
}

fn repeat_call(world: &World<'_>, chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let index = pick_step(chance, parent, |_, step| matches!(step, Step::Call { .. }))?;
    let mut draft = Draft::default();
    let mut map = Vec::with_capacity(parent.steps.len());
    draft.copy(world, &parent.steps, 0..index + 1, &mut map);
    for _ in 0..=chance.below(2) {
        draft.push(world, parent.steps[index].clone());
    }
    draft.copy(world, &parent.steps, index + 1..parent.steps.len(), &mut map);
    Some(draft.into_sequence())
}

/// Two arguments of one call, or two calls that follow each other.
fn swap(world: &World<'_>, chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let index = pick_step(chance, parent, |_, step| matches!(step, Step::Call { .. }))?;
    let mut changed = parent.clone();
    if let Step::Call { callable, arguments, .. } = &mut changed.steps[index]
        && arguments.len() > 1
        && !world.fills(*callable)
    {
        let parameters = &world.member(*callable).parameters;
        let (one, other) = (chance.below(arguments.len()), chance.below(arguments.len()));
        if one != other && parameters[one] == parameters[other] {
            arguments.swap(one, other);
            return Some(changed);
        }
    }
    let next =
        (index + 1..parent.steps.len()).find(|next| matches!(parent.steps[*next], Step::Call { .. }))?;
    let between = slot(index)..slot(next);
    let free = parent.steps[next].uses().all(|used| !between.contains(&used));
    if !free {
        return None;
    }
    // The later call goes before the earlier one; what lies between them stays behind.
    let mut draft = Draft::default();
    let mut map = Vec::with_capacity(parent.steps.len());
    draft.copy(world, &parent.steps, 0..index, &mut map);
    let moved = draft.push(world, parent.steps[next].clone());
    draft.copy(world, &parent.steps, index..next, &mut map);
    map.push(Some(moved));
    draft.copy(world, &parent.steps, next + 1..parent.steps.len(), &mut map);
    Some(draft.into_sequence())
}

/// A call behind all others: of the change, or of what shows an object.
fn append(world: &World<'_>, chance: &mut Chance, parent: &Sequence) -> Option<Sequence> {
    let mut draft = Draft::of(world, parent);
    if chance.percent(CAUGHT)
        && let Some(Step::Call { caught, .. }) = draft.steps.last_mut()
    {
        // If the last call throws, what follows shows what it has left behind.
        *caught = true;
    }
    let mut builder = Builder::new(world, chance, draft, limit(parent));
    if builder.chance.percent(50)
        && let Some(target) = world.targets.pick(builder.chance)
    {
        let owner = world.member(target).owner;
        let receiver =
            if world.member(target).needs_receiver() { builder.reuse(owner, Manner::FIRM) } else { None };
        builder.call(target, receiver, None, 1)?;
    } else {
        look(&mut builder)?;
    }
    Some(builder.draft.into_sequence())
}

/// Looks at one of the objects, a receiver or a result.
pub(crate) fn look(builder: &mut Builder<'_, '_>) -> Option<Slot> {
    let count = builder.draft.len();
    let start = builder.chance.below(count);
    let object = (0..count).map(|offset| (start + offset) % count).find(|index| {
        matches!(builder.draft.steps[*index], Step::Call { .. })
            && !builder.world.observers(builder.draft.types[*index]).is_empty()
    })?;
    builder.observe(slot(object))
}

/// All steps that a slot is made from, the slot included.
fn closure(sequence: &Sequence, wanted: usize) -> Vec<bool> {
    let mut needed = vec![false; sequence.steps.len()];
    needed[wanted] = true;
    for index in (0..=wanted).rev() {
        if needed[index] {
            for used in sequence.steps[index].uses() {
                needed[used as usize] = true;
            }
        }
    }
    needed
}

fn is_worth_moving(world: &World<'_>, draft: &Draft, index: usize) -> bool {
    let shape = world.types.get(draft.types[index]).shape;
    matches!(shape, Shape::Reference | Shape::Array(_) | Shape::Text) && !draft.is_null(slot(index))
}

/// What another sequence does, with an object of this one.
fn cross(world: &World<'_>, chance: &mut Chance, parent: &Sequence, other: &Sequence) -> Option<Sequence> {
    let (mine, theirs) = (Draft::of(world, parent), Draft::of(world, other));
    let from = pick_step(chance, parent, |index, _| is_worth_moving(world, &mine, index))?;
    let to = pick_step(chance, other, |index, _| {
        // What is passed on is known by what it was passed as, what is called on by what it is.
        let made = |sequence: &Sequence, index: usize| step_type(world, &sequence.steps[index]);
        is_worth_moving(world, &theirs, index)
            && world.types.fits(mine.types[from], theirs.types[index])
            && world.types.could_fit(made(parent, from), made(other, index))
    })?;
    let mut draft = Draft::default();
    let mut own = Vec::with_capacity(parent.steps.len());
    let end = from + 1 + chance.below(parent.steps.len() - from);
    draft.copy(world, &parent.steps, 0..end, &mut own);
    let mut map = Vec::with_capacity(other.steps.len());
    draft.copy(world, &other.steps, 0..to, &mut map);
    map.push(Some(slot(from)));
    draft.copy(world, &other.steps, to + 1..other.steps.len(), &mut map);
    Some(draft.without_dead_steps())
}

/// An object of another sequence as an argument of this one.
fn splice(world: &World<'_>, chance: &mut Chance, parent: &Sequence, other: &Sequence) -> Option<Sequence> {
    let index = pick_step(
        chance,
        parent,
        |_, step| matches!(step, Step::Call { arguments, .. } if !arguments.is_empty()),
    )?;
    let Step::Call { callable, receiver, arguments, caught } = &parent.steps[index] else { return None };
    let place = chance.below(arguments.len());
    let wanted = wanted_type(world, parent, index, place)?;
    let theirs = Draft::of(world, other);
    let taken = pick_step(chance, other, |index, _| world.types.fits(theirs.types[index], wanted))?;
    if theirs.is_null(slot(taken)) {
        return None;
    }
    let needed = closure(other, taken);
    let mut draft = Draft::default();
    let mut own = Vec::with_capacity(parent.steps.len());
    draft.copy(world, &parent.steps, 0..index, &mut own);
    let mut map: Vec<Option<Slot>> = Vec::with_capacity(other.steps.len());
    for (step, needed) in other.steps.iter().zip(&needed).take(taken + 1) {
        let copied = if *needed { crate::draft::remap(step, &map) } else { None };
        map.push(copied.map(|step| draft.push(world, step)));
    }
    // Calls that filled the object belong to it.
    for step in &other.steps[taken + 1..] {
        let fills = matches!(step, Step::Call { receiver: Some(receiver), .. } if *receiver == slot(taken));
        let copied = match step {
            Step::Constant { .. } => Some(step.clone()),
            _ if fills => crate::draft::remap(step, &map),
            _ => None,
        };
        map.push(copied.map(|step| draft.push(world, step)));
    }
    let mut arguments = arguments.clone();
    arguments[place] = map[taken]?;
    let call = draft
        .push(world, Step::Call { callable: *callable, receiver: *receiver, arguments, caught: *caught });
    own.push(Some(call));
    draft.copy(world, &parent.steps, index + 1..parent.steps.len(), &mut own);
    Some(draft.without_dead_steps())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found on a project where an array held objects among its constants: sorting it ended the run.
    #[test]
    fn constants_are_sorted_around_what_cannot_be_compared() {
        let constant = |value| Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(value) };
        let made = || Step::Array { element: "int".to_owned(), items: Vec::new() };
        let steps = (0..60).map(|number| if number % 3 == 1 { made() } else { constant(number * 37 % 60) });
        let draft = Draft { steps: steps.collect(), ..Draft::default() };
        let before: Vec<Slot> = (0..60).collect();
        let mut items = before.clone();
        sort_items(&draft, &mut items);
        let is_constant = |item: &Slot| matches!(draft.steps[*item as usize], Step::Constant { .. });
        let stayed = before.iter().zip(&items).filter(|(item, _)| !is_constant(item));
        assert!(stayed.clone().all(|(before, after)| before == after) && stayed.count() == 20);
        let sorted: Vec<Slot> = items.into_iter().filter(is_constant).collect();
        assert!(sorted.is_sorted_by_key(|item| i64::from(*item) * 37 % 60) && sorted.len() == 40);
    }
}
