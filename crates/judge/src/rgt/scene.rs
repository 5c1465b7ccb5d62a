//! An input in its surroundings: what it calls, of what class that is, what is known about it.

use bonafix_model::{
    Callable, CallableFacts, CallableId, Catalog, Knowledge, Observation, Sequence, Slot, Step, TypeInfo,
    Value, Visibility,
};

use super::place;

/// An input, what it is made of, and what the reference did with it.
pub(super) struct Scene<'a> {
    pub(super) input: &'a Sequence,
    pub(super) knowledge: &'a Knowledge,
    pub(super) reference: &'a Observation,
    catalog: &'a Catalog,
}

/// One call of the input.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) step: Slot,
    pub(super) callable: &'a Callable,
    pub(super) receiver: Option<Slot>,
    pub(super) arguments: &'a [Slot],
    pub(super) facts: Option<&'a CallableFacts>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        input: &'a Sequence,
        catalog: &'a Catalog,
        knowledge: &'a Knowledge,
        reference: &'a Observation,
    ) -> Self {
        Self { input, knowledge, reference, catalog }
    }

    pub(super) fn type_info(&self, name: &str) -> Option<&'a TypeInfo> {
        self.catalog.types.iter().find(|known| known.name == name)
    }

    /// Is what makes an object so given code to call: a function, or an object of an open class of the program?
    pub(super) fn takes_strategy(&self, maker: Option<CallableId>) -> bool {
        let maker = maker.and_then(|maker| self.catalog.callables.get(maker as usize));
        let is_strategy = |parameter: &String| {
            let raw = parameter.split('<').next().unwrap_or(parameter);
            let info = self.type_info(raw);
            info.is_some_and(|info| {
                info.is_functional || (info.is_subject && (info.is_interface || info.is_abstract))
            })
        };
        maker.is_some_and(|maker| maker.parameters.iter().any(is_strategy))
    }

    /// Everything that can be called.
    pub(super) fn callables(&self) -> impl Iterator<Item = &'a Callable> {
        self.catalog.callables.iter()
    }

    /// What tests and documentation say of a callable of this name and owner, whichever it is.
    pub(super) fn facts_of(&self, wanted: &Callable) -> Option<&'a CallableFacts> {
        let number = self.catalog.callables.iter().position(|callable| std::ptr::eq(callable, wanted))?;
        self.knowledge.facts.get(&u32::try_from(number).ok()?)
    }

    pub(super) fn call(&self, number: Slot) -> Option<Call<'a>> {
        let step = self.input.steps.get(usize::try_from(number).ok()?)?;
        self.call_of(number, step)
    }

    pub(super) fn call_of(&self, number: Slot, step: &'a Step) -> Option<Call<'a>> {
        let Step::Call { callable: id, receiver, arguments, .. } = step else { return None };
        let callable = self.catalog.callables.get(usize::try_from(*id).ok()?)?;
        let facts = self.knowledge.facts.get(id);
        Some(Call { step: number, callable, receiver: *receiver, arguments, facts })
    }

    /// Does a test catch an exception and call a method of this class on it?
    pub(super) fn tests_look_into(&self, class: &str) -> bool {
        let is_caught = |steps: &[Step], slot: Slot| {
            matches!(steps.get(slot as usize), Some(Step::Call { caught: true, .. }))
        };
        self.knowledge.seeds.iter().map(|seed| &seed.sequence.steps).any(|steps| {
            steps.iter().any(|step| match step {
                Step::Call { callable, receiver: Some(receiver), .. } => {
                    let called = self.catalog.callables.get(*callable as usize);
                    is_caught(steps, *receiver) && called.is_some_and(|called| called.owner == class)
                }
                _ => false,
            })
        })
    }

    fn is_subject(&self, type_name: &str) -> bool {
        if let Some(known) = self.type_info(type_name) {
            return known.is_subject;
        }
        // A private or anonymous class is part of the class around it.
        type_name.rsplit_once('$').is_some_and(|(outer, _)| self.is_subject(outer))
    }

    /// Does the call run code of the program? Through an interface of a library it does so too, if the object is of a
    /// class of the program.
    pub(super) fn runs_subject(&self, call: Call<'_>) -> bool {
        if self.is_subject(&call.callable.owner) {
            return true;
        }
        let Some(receiver) = call.receiver else { return false };
        let after = place::step(self.reference, call.step).and_then(|seen| seen.receiver.as_ref());
        let made = place::result(self.reference, receiver);
        let class = [after, made].into_iter().flatten().find_map(class_name);
        class.is_some_and(|class| self.is_subject(class))
    }
}

impl Call<'_> {
    /// May users of the program call it, or do its tests?
    pub(super) fn is_offered(&self) -> bool {
        self.callable.visibility == Visibility::Public || self.facts.is_some_and(|facts| facts.tested)
    }
}

fn class_name(value: &Value) -> Option<&str> {
    match value {
        Value::Object { type_name, .. } | Value::Opaque { type_name } | Value::Deep { type_name } => {
            Some(type_name)
        }
        _ => None,
    }
}
