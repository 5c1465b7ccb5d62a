//! Small variations of an input: the same calls with other constants.

use std::collections::BTreeSet;

use bonafix_model::{Catalog, Knowledge, Sequence};

use crate::chance::Chance;
use crate::mutate::change_literals;
use crate::world::World;

/// So many attempts are made for each variation that is wanted: an input without constants has none.
const ATTEMPTS: usize = 8;

/// So many variations of these inputs at most, in turn of each, all different from one another and from the inputs.
pub fn variations(
    inputs: &[Sequence],
    catalog: &Catalog,
    knowledge: &Knowledge,
    wanted: usize,
    seed: u64,
) -> Vec<Sequence> {
    if inputs.is_empty() || wanted == 0 {
        return Vec::new();
    }
    let world = World::new(catalog, knowledge, inputs);
    let mut chance = Chance::new(seed);
    let mut known: BTreeSet<Sequence> = inputs.iter().cloned().collect();
    let mut found = Vec::new();
    for input in inputs.iter().cycle().take(wanted * ATTEMPTS) {
        if found.len() == wanted {
            break;
        }
        found.extend(
            change_literals(&world, &mut chance, input).filter(|variation| known.insert(variation.clone())),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use bonafix_model::{Literal, Step};

    use super::*;

    fn constant(value: i64) -> Sequence {
        Sequence {
            steps: vec![Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(value) }],
        }
    }

    fn of(inputs: &[Sequence], wanted: usize) -> Vec<Sequence> {
        variations(inputs, &Catalog::default(), &Knowledge::default(), wanted, 1)
    }

    #[test]
    fn variations_differ_from_each_other_and_from_the_inputs() {
        let inputs = [constant(7), constant(8)];
        let found = of(&inputs, 5);
        assert_eq!(found.len(), 5);
        let distinct: BTreeSet<&Sequence> = found.iter().chain(&inputs).collect();
        assert_eq!(distinct.len(), 7);
        assert_eq!(found, of(&inputs, 5), "the seed decides");
        assert_eq!(found[0].steps.len(), 1);
    }

    #[test]
    fn what_has_no_constants_has_no_variations() {
        let empty = Sequence { steps: Vec::new() };
        assert_eq!((of(&[empty], 5).len(), of(&[], 5).len(), of(&[constant(1)], 0).len()), (0, 0, 0));
    }
}
