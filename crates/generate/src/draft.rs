//! A sequence under construction, with the types of its slots.

use bonafix_model::{Literal, Sequence, Slot, Step};

use crate::types::{Shape, TypeId};
use crate::world::World;

/// More steps than this make a sequence that nobody wants to read.
pub(crate) const MAX_STEPS: usize = 40;

/// Steps and their types.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) steps: Vec<Step>,
    pub(crate) types: Vec<TypeId>,
}

pub(crate) fn slot(index: usize) -> Slot {
    Slot::try_from(index).unwrap_or(Slot::MAX)
}

impl Draft {
    /// The steps of a sequence.
    pub(crate) fn of(world: &World<'_>, sequence: &Sequence) -> Self {
        let mut draft = Self {
            steps: Vec::with_capacity(sequence.steps.len() + 8),
            types: Vec::with_capacity(sequence.steps.len() + 8),
        };
        for step in &sequence.steps {
            draft.push(world, step.clone());
        }
        draft
    }

    pub(crate) fn into_sequence(self) -> Sequence {
        Sequence { steps: self.steps }
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn type_of(&self, slot: Slot) -> TypeId {
        self.types[slot as usize]
    }

    pub(crate) fn is_null(&self, slot: Slot) -> bool {
        matches!(self.steps[slot as usize], Step::Constant { value: Literal::Null, .. })
    }

    pub(crate) fn push(&mut self, world: &World<'_>, step: Step) -> Slot {
        let type_id = step_type(world, &step);
        if let Step::Call { callable, arguments, .. } = &step {
            for (argument, wanted) in arguments.iter().zip(&world.member(*callable).parameters) {
                self.refine(world, *argument, *wanted);
            }
        }
        self.steps.push(step);
        self.types.push(type_id);
        slot(self.steps.len() - 1)
    }

    /// A collection without a word on its elements is one of those that it was passed as.
    fn refine(&mut self, world: &World<'_>, argument: Slot, wanted: TypeId) {
        let known = world.types.get(self.type_of(argument));
        let open = known.shape == Shape::Reference
            && !known.is_subject
            && known.arguments.iter().all(|id| *id == world.types.object);
        let says_more = world.types.get(wanted).arguments.iter().any(|id| *id != world.types.object);
        if open && says_more {
            self.types[argument as usize] = wanted;
        }
    }

    pub(crate) fn constant(&mut self, world: &World<'_>, wanted: TypeId, value: Literal) -> Slot {
        let type_name = world.types.get(world.types.get(wanted).erased).name.clone();
        self.steps.push(Step::Constant { type_name, value });
        self.types.push(wanted);
        slot(self.steps.len() - 1)
    }

    /// Copies steps of another sequence behind the own ones. `map` has the own slots for its slots; a step that needs
    /// one which is not there is left out, and all that need it.
    pub(crate) fn copy(
        &mut self,
        world: &World<'_>,
        steps: &[Step],
        range: std::ops::Range<usize>,
        map: &mut Vec<Option<Slot>>,
    ) {
        for step in &steps[range] {
            let copied = remap(step, map).map(|step| self.push(world, step));
            map.push(copied);
        }
    }

    /// Leaves out constants, arrays and stubs that nothing uses.
    pub(crate) fn without_dead_steps(self) -> Sequence {
        let sequence = self.into_sequence();
        let used = used_steps(&sequence);
        if used.iter().all(|used| *used) { sequence } else { only(&sequence, &used) }
    }
}

/// The type of what a step makes.
pub(crate) fn step_type(world: &World<'_>, step: &Step) -> TypeId {
    match step {
        Step::Constant { type_name, .. } => world.types.named(type_name),
        Step::Call { callable, .. } => world.member(*callable).result,
        Step::Array { element, .. } => world.types.array_of(world.types.named(element)),
        Step::Stub { interface, .. } => world.types.named(interface),
    }
}

/// The step with other slots; none if one of them is not there.
pub(crate) fn remap(step: &Step, map: &[Option<Slot>]) -> Option<Step> {
    let find = |slot: &Slot| map.get(*slot as usize).copied().flatten();
    let find_all = |slots: &[Slot]| slots.iter().map(find).collect::<Option<Vec<Slot>>>();
    Some(match step {
        Step::Constant { .. } => step.clone(),
        Step::Call { callable, receiver, arguments, caught } => Step::Call {
            callable: *callable,
            receiver: match receiver {
                Some(receiver) => Some(find(receiver)?),
                None => None,
            },
            arguments: find_all(arguments)?,
            caught: *caught,
        },
        Step::Array { element, items } => Step::Array { element: element.clone(), items: find_all(items)? },
        Step::Stub { interface, answers } => {
            Step::Stub { interface: interface.clone(), answers: find_all(answers)? }
        }
    })
}

/// Leaves out constants, arrays and stubs that nothing uses.
pub(crate) fn without_dead_steps(sequence: &Sequence) -> Sequence {
    only(sequence, &used_steps(sequence))
}

/// Calls, and all that they need.
fn used_steps(sequence: &Sequence) -> Vec<bool> {
    let mut used = vec![false; sequence.steps.len()];
    for (index, step) in sequence.steps.iter().enumerate().rev() {
        used[index] |= matches!(step, Step::Call { .. });
        if used[index] {
            for slot in step.uses() {
                used[slot as usize] = true;
            }
        }
    }
    used
}

/// Only the wanted steps, without those that need one which is not wanted.
pub(crate) fn only(sequence: &Sequence, wanted: &[bool]) -> Sequence {
    let mut map: Vec<Option<Slot>> = Vec::with_capacity(sequence.steps.len());
    let mut steps = Vec::with_capacity(sequence.steps.len());
    for (step, wanted) in sequence.steps.iter().zip(wanted) {
        let copied = if *wanted { remap(step, &map) } else { None };
        map.push(copied.map(|step| {
            steps.push(step);
            slot(steps.len() - 1)
        }));
    }
    Sequence { steps }
}
