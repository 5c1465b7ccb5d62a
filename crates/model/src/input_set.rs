//! Inputs that outlive the catalog in whose terms they were made: kept for further patches of a bug, exported, imported.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallableId, CallableKind, Catalog, ProgramInput, Sequence, Step};

/// A callable by what stays the same from one catalog to the next.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct CallableKey {
    /// How it is called.
    pub kind: CallableKind,
    /// Binary name of the class that declares it.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Descriptor as in class files.
    pub descriptor: String,
}

/// Inputs in terms of their own list of callables.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputSet {
    /// [`crate::FORMAT_VERSION`] of the writer.
    pub format: u32,
    /// What the inputs call; a call names one by its place here.
    pub callables: Vec<CallableKey>,
    /// The inputs.
    pub inputs: Vec<Sequence>,
    /// Inputs of whole programs, which need no catalog.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramInput>,
}

impl InputSet {
    /// Takes inputs out of a catalog.
    pub fn new(catalog: &Catalog, inputs: &[Sequence]) -> Self {
        let mut set = Self { format: crate::FORMAT_VERSION, ..Self::default() };
        let mut numbers: BTreeMap<CallableId, CallableId> = BTreeMap::new();
        for input in inputs {
            let portable = renumbered(input, |callable| {
                if let Some(&number) = numbers.get(&callable) {
                    return Some(number);
                }
                let known = catalog.callables.get(callable as usize)?;
                let number = u32::try_from(set.callables.len()).ok()?;
                set.callables.push(CallableKey {
                    kind: known.kind,
                    owner: known.owner.clone(),
                    name: known.name.clone(),
                    descriptor: known.descriptor.clone(),
                });
                numbers.insert(callable, number);
                Some(number)
            });
            set.inputs.extend(portable);
        }
        set
    }

    /// Inputs of whole programs.
    pub fn of_programs(programs: Vec<ProgramInput>) -> Self {
        Self { format: crate::FORMAT_VERSION, programs, ..Self::default() }
    }

    /// Several sets as one, in order; an input that is in two of them is there once.
    pub fn merged(sets: &[Self]) -> Self {
        let mut merged = Self { format: crate::FORMAT_VERSION, ..Self::default() };
        let mut numbers: BTreeMap<&CallableKey, CallableId> = BTreeMap::new();
        let mut known = std::collections::BTreeSet::new();
        let mut known_programs = std::collections::BTreeSet::new();
        for set in sets {
            merged
                .programs
                .extend(set.programs.iter().filter(|input| known_programs.insert(*input)).cloned());
            for input in &set.inputs {
                let renumbered = renumbered(input, |callable| {
                    let key = set.callables.get(callable as usize)?;
                    let next = u32::try_from(merged.callables.len()).ok()?;
                    Some(*numbers.entry(key).or_insert_with(|| {
                        merged.callables.push(key.clone());
                        next
                    }))
                });
                merged.inputs.extend(renumbered.filter(|input| known.insert(input.clone())));
            }
        }
        merged
    }

    /// The inputs in terms of a catalog; those that call what it has not are left out.
    pub fn resolve(&self, catalog: &Catalog) -> Vec<Sequence> {
        let known: BTreeMap<CallableKey, CallableId> = catalog
            .callables
            .iter()
            .zip(0..)
            .map(|(callable, number)| {
                let key = CallableKey {
                    kind: callable.kind,
                    owner: callable.owner.clone(),
                    name: callable.name.clone(),
                    descriptor: callable.descriptor.clone(),
                };
                (key, number)
            })
            .collect();
        let numbers: Vec<Option<CallableId>> =
            self.callables.iter().map(|key| known.get(key).copied()).collect();
        let number = |callable: CallableId| numbers.get(callable as usize).copied().flatten();
        self.inputs
            .iter()
            .filter_map(|input| renumbered(input, number))
            .filter(Sequence::is_well_formed)
            .collect()
    }
}

fn renumbered(
    input: &Sequence,
    mut number: impl FnMut(CallableId) -> Option<CallableId>,
) -> Option<Sequence> {
    let steps = input.steps.iter().map(|step| match step {
        Step::Call { callable, receiver, arguments, caught } => Some(Step::Call {
            callable: number(*callable)?,
            receiver: *receiver,
            arguments: arguments.clone(),
            caught: *caught,
        }),
        other => Some(other.clone()),
    });
    Some(Sequence { steps: steps.collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Callable, Visibility};

    fn catalog(names: &[&str]) -> Catalog {
        let callable = |name: &&str| Callable {
            kind: CallableKind::StaticMethod,
            owner: "p.A".to_owned(),
            name: (*name).to_owned(),
            descriptor: "()V".to_owned(),
            parameters: Vec::new(),
            result: "void".to_owned(),
            varargs: false,
            visibility: Visibility::Public,
            throws: Vec::new(),
        };
        Catalog { callables: names.iter().map(callable).collect(), types: Vec::new() }
    }

    fn calls(callables: &[CallableId]) -> Sequence {
        let call = |callable: &CallableId| Step::Call {
            callable: *callable,
            receiver: None,
            arguments: Vec::new(),
            caught: false,
        };
        Sequence { steps: callables.iter().map(call).collect() }
    }

    #[test]
    fn inputs_find_their_callables_in_another_catalog() {
        let set = InputSet::new(&catalog(&["a", "b", "c"]), &[calls(&[2, 0, 2]), calls(&[1])]);
        assert_eq!(set.callables.len(), 3);
        let other = catalog(&["c", "b", "x", "a"]);
        assert_eq!(set.resolve(&other), [calls(&[0, 3, 0]), calls(&[1])]);
    }

    #[test]
    fn a_caught_call_stays_one() {
        let mut input = calls(&[0]);
        let Step::Call { caught, .. } = &mut input.steps[0] else { panic!("a call") };
        *caught = true;
        let catalog = catalog(&["a"]);
        assert_eq!(InputSet::new(&catalog, std::slice::from_ref(&input)).resolve(&catalog), [input]);
    }

    #[test]
    fn what_another_catalog_has_not_is_left_out() {
        let set = InputSet::new(&catalog(&["a", "b"]), &[calls(&[0]), calls(&[0, 1])]);
        assert_eq!(set.resolve(&catalog(&["a"])), [calls(&[0])]);
    }

    #[test]
    fn merged_sets_share_callables_and_inputs() {
        let one = InputSet::new(&catalog(&["a", "b"]), &[calls(&[0]), calls(&[1])]);
        let two = InputSet::new(&catalog(&["b", "c"]), &[calls(&[0]), calls(&[1])]);
        let merged = InputSet::merged(&[one, two]);
        assert_eq!(merged.callables.len(), 3);
        assert_eq!(merged.resolve(&catalog(&["a", "b", "c"])), [calls(&[0]), calls(&[1]), calls(&[2])]);
    }

    #[test]
    fn merged_sets_have_each_input_of_a_program_once() {
        let input = |bytes: &[u8]| ProgramInput { arguments: None, bytes: bytes.to_vec() };
        let one = InputSet::of_programs(vec![input(b"x"), input(b"y")]);
        let two = InputSet::of_programs(vec![input(b"y"), input(b"z")]);
        let merged = InputSet::merged(&[one, two]);
        assert_eq!(merged.programs, [input(b"x"), input(b"y"), input(b"z")]);
    }

    #[test]
    fn a_damaged_set_gives_nothing_that_cannot_run() {
        let ill = Sequence { steps: vec![Step::Array { element: "int".to_owned(), items: vec![5] }] };
        let set = InputSet { inputs: vec![ill, calls(&[7])], ..InputSet::default() };
        assert_eq!(set.resolve(&catalog(&["a"])), []);
    }
}
