//! Looks at a value that differs inside: the input, followed by one call that shows it as a person would.

use bonafix_model::{CallableKind, Catalog, Element, Knowledge, Literal, Location, Sequence, Slot, Step};

use crate::draft::Draft;
use crate::types::{Shape, TypeId};
use crate::world::World;

/// Looks that are taken at most.
const LOOKS: usize = 60;

/// The input up to where the versions differ, each time followed by another call that looks at the value there.
pub fn observers(input: &Sequence, location: &Location, catalog: &Catalog) -> Vec<Sequence> {
    let knowledge = Knowledge::default();
    let world = World::new(catalog, &knowledge, std::slice::from_ref(input));
    looks(&world, input, location)
}

/// The slot whose value a location lies in.
fn looked_at(input: &Sequence, location: &Location) -> Option<Slot> {
    let Step::Call { receiver, arguments, .. } = input.steps.get(location.step as usize)? else {
        return None;
    };
    match location.element {
        Element::Return => Some(location.step),
        Element::Receiver => *receiver,
        Element::Argument(place) => arguments.get(place as usize).copied(),
        Element::Exception => None,
    }
}

pub(crate) fn looks(world: &World<'_>, input: &Sequence, location: &Location) -> Vec<Sequence> {
    let Some(slot) = looked_at(input, location) else { return Vec::new() };
    let beginning = Sequence { steps: input.steps[..=location.step as usize].to_vec() };
    let draft = Draft::of(world, &beginning);
    let of = draft.type_of(slot);
    let mut found = Vec::new();
    for observer in world.observers(of) {
        let mut looking = draft.clone();
        looking.push(world, Step::Call { callable: *observer, receiver: Some(slot), arguments: Vec::new() });
        found.push(looking.into_sequence());
    }
    for method in world.methods(of) {
        let member = world.member(*method);
        let shows =
            world.types.get(member.result).shape != Shape::Void && member.kind == CallableKind::Method;
        if let ([parameter], true, true) = (&member.parameters[..], shows, world.is_ordinary(*method)) {
            for argument in arguments_for(world, &draft, *parameter) {
                let mut looking = draft.clone();
                let argument = match argument {
                    Argument::Old(slot) => slot,
                    Argument::New(literal) => looking.constant(world, *parameter, literal),
                };
                looking.push(
                    world,
                    Step::Call { callable: *method, receiver: Some(slot), arguments: vec![argument] },
                );
                found.push(looking.into_sequence());
            }
        }
    }
    found.truncate(LOOKS);
    found
}

enum Argument {
    Old(Slot),
    New(Literal),
}

/// What to ask with: the values at hand, and the first indices.
fn arguments_for(world: &World<'_>, draft: &Draft, wanted: TypeId) -> Vec<Argument> {
    let fits = |index: &usize| {
        world.types.fits(draft.types[*index], wanted) && !draft.is_null(crate::draft::slot(*index))
    };
    let mut found: Vec<Argument> = (0..draft.len())
        .rev()
        .filter(fits)
        .take(4)
        .map(|index| Argument::Old(crate::draft::slot(index)))
        .collect();
    if world.types.get(wanted).shape.integer_range().is_some() {
        found.extend([0, 1].map(|value| Argument::New(Literal::Integer(value))));
    }
    found
}
