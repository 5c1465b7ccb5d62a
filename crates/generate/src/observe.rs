//! Looks at a value that differs inside: the input, followed by one call that shows it as a person would.

use std::sync::LazyLock;

use bonafix_model::{
    Access, CallableId, CallableKind, Catalog, Element, Knowledge, Literal, Location, Sequence, Slot, Step,
};

use crate::draft::Draft;
use crate::types::{Shape, TypeId};
use crate::world::{Member, World};

/// Looks that are taken at most.
const LOOKS: usize = 60;

/// What tests show does not matter for a look.
static NOTHING: LazyLock<Knowledge> = LazyLock::new(Knowledge::default);

/// Makes inputs that look at values. Keeps an index of the catalog, which takes long to make where the catalog is large.
#[derive(Debug)]
pub struct Observers<'a> {
    catalog: &'a Catalog,
    /// Made for the first look: many searches never take one.
    world: Option<World<'static>>,
    /// Inputs with types that the catalog does not name, but the index must.
    naming: Vec<Sequence>,
}

impl<'a> Observers<'a> {
    /// For inputs in terms of a catalog.
    pub fn new(catalog: &'a Catalog) -> Self {
        Self { catalog, world: None, naming: Vec::new() }
    }

    /// The input up to where the versions differ, each time followed by another call that looks at the value there.
    /// `thrown` is the class of the exception with which all versions leave the call there, if they do: the input then
    /// goes on behind it.
    pub fn looks(&mut self, input: &Sequence, location: &Location, thrown: Option<&str>) -> Vec<Sequence> {
        let known = self.world.take().filter(|world| world.types.know_all_of(input));
        let world = known.unwrap_or_else(|| {
            self.naming.push(input.clone());
            World::new(self.catalog, &NOTHING, &self.naming)
        });
        looks(self.world.insert(world), input, location, thrown)
    }
}

/// The slot whose value a location lies in.
fn looked_at(input: &Sequence, location: &Location) -> Option<Slot> {
    let Step::Call { receiver, arguments, .. } = input.steps.get(location.step as usize)? else {
        return None;
    };
    match location.element {
        // An exception that is caught is what the call made.
        Element::Return | Element::Exception => Some(location.step),
        Element::Receiver => *receiver,
        Element::Argument(place) => arguments.get(place as usize).copied(),
        Element::Statics => None,
    }
}

pub(crate) fn looks(
    world: &World<'_>,
    input: &Sequence,
    location: &Location,
    thrown: Option<&str>,
) -> Vec<Sequence> {
    let mut beginning = Sequence { steps: input.steps[..=location.step as usize].to_vec() };
    if let (Some(_), Some(Step::Call { caught, .. })) = (thrown, beginning.steps.last_mut()) {
        *caught = true;
    }
    let draft = Draft::of(world, &beginning);
    if location.element == Element::Statics {
        return static_looks(world, &draft, location);
    }
    let Some(slot) = looked_at(input, location) else { return Vec::new() };
    let look = |callable: CallableId| {
        let mut looking = draft.clone();
        let call = Step::Call { callable, receiver: Some(slot), arguments: Vec::new(), caught: false };
        looking.push(world, call);
        looking.into_sequence()
    };
    if location.element == Element::Exception {
        let Some(of) = thrown.and_then(|name| world.types.find(name)) else { return Vec::new() };
        return getters(world, of).into_iter().map(look).take(LOOKS).collect();
    }
    let of = draft.type_of(slot);
    let mut found: Vec<Sequence> = world.observers(of).iter().map(|observer| look(*observer)).collect();
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
                    Step::Call {
                        callable: *method,
                        receiver: Some(slot),
                        arguments: vec![argument],
                        caught: false,
                    },
                );
                found.push(looking.into_sequence());
            }
        }
    }
    found.truncate(LOOKS);
    found
}

/// Reads the static fields of the class in whose fields something differs, and asks the class.
fn static_looks(world: &World<'_>, draft: &Draft, location: &Location) -> Vec<Sequence> {
    let Some(Access::Field { name, .. }) = location.path.first() else { return Vec::new() };
    let class = name.rsplit_once('.').and_then(|(class, _)| world.types.find(class));
    let shows = |(member, id): &(&Member, CallableId)| {
        Some(member.owner) == class
            && member.parameters.is_empty()
            && match member.kind {
                CallableKind::StaticGet => true,
                CallableKind::StaticMethod => {
                    world.types.get(member.result).shape != Shape::Void && world.is_ordinary(*id)
                }
                _ => false,
            }
    };
    let look = |(_, callable): (&Member, CallableId)| {
        let mut looking = draft.clone();
        looking.push(world, Step::Call { callable, receiver: None, arguments: Vec::new(), caught: false });
        looking.into_sequence()
    };
    world.members.iter().zip(0..).filter(shows).take(LOOKS).map(look).collect()
}

/// What looks at an exception. Nothing need be able to make one: it was thrown.
fn getters(world: &World<'_>, of: TypeId) -> Vec<CallableId> {
    let above = world.types.supertypes(of);
    let looks = |(member, id): &(&Member, CallableId)| {
        member.needs_receiver()
            && member.parameters.is_empty()
            && world.types.get(member.result).shape != Shape::Void
            && world.types.get(member.owner).is_subject
            && above.contains(&member.owner)
            && world.is_ordinary(*id)
    };
    world.members.iter().zip(0..).filter(looks).map(|(_, id)| id).collect()
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
