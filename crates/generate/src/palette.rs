//! The few values that one sequence passes again and again: keys that are found again, nodes that are met twice.
//!
//! Values drawn one by one from all there are hardly ever coincide, and a program that keeps what it is given shows little
//! as long as it never sees the same value again.

use bonafix_model::{Literal, Step};

use crate::chance::Chance;
use crate::draft::Draft;
use crate::literals::{Manner, Pools};
use crate::types::{Shape, TypeId};
use crate::world::World;

/// Values of one sort.
#[derive(Debug)]
struct Row {
    shape: Shape,
    values: Vec<Literal>,
}

/// The values of one sequence, chosen as they are needed.
#[derive(Debug)]
pub(crate) struct Palette {
    /// What `Object`, a type variable or `Comparable` stands for.
    theme: Option<TypeId>,
    /// Different values of one sort.
    size: usize,
    /// The first values that come to mind: `a`, `b`, 1, 2.
    simple: bool,
    /// Percent of all constants that are taken from here.
    share: u32,
    rows: Vec<Row>,
}

/// Percent of what a type variable stands for that is taken from here.
const SHARE_OF_OBJECTS: u32 = 90;
/// Values of a sequence that is changed which become part of its palette.
const ADOPTED: usize = 6;

impl Palette {
    pub(crate) fn new(chance: &mut Chance) -> Self {
        Self {
            theme: None,
            size: 2 + chance.below(4),
            simple: chance.percent(45),
            share: *chance.pick(&[0, 30, 60, 85]).unwrap_or(&0),
            rows: Vec::new(),
        }
    }

    /// What a type variable stands for in this sequence: what it stands for already, or what tests mostly pass.
    pub(crate) fn theme(&mut self, world: &World<'_>, draft: &Draft, chance: &mut Chance) -> TypeId {
        if let Some(theme) = self.theme {
            return theme;
        }
        let used = || {
            draft.types.iter().zip(&draft.steps).find_map(|(id, step)| {
                let is_value = matches!(step, Step::Constant { value, .. } if *value != Literal::Null);
                (is_value && world.themes.items().contains(id)).then_some(*id)
            })
        };
        let used = if chance.percent(90) { used() } else { None };
        let theme = used.or_else(|| world.themes.pick(chance)).unwrap_or(world.types.text);
        self.theme = Some(theme);
        theme
    }

    /// A value for a place where a type variable is wanted.
    pub(crate) fn value(
        &mut self,
        world: &World<'_>,
        draft: &Draft,
        shape: Shape,
        manner: Manner,
        chance: &mut Chance,
    ) -> Option<Literal> {
        if chance.percent(SHARE_OF_OBJECTS) { self.draw(world, draft, shape, manner, chance) } else { None }
    }

    /// A value for any other place; none if it is to come from elsewhere.
    pub(crate) fn constant(
        &mut self,
        world: &World<'_>,
        draft: &Draft,
        shape: Shape,
        manner: Manner,
        chance: &mut Chance,
    ) -> Option<Literal> {
        let has_palette = matches!(
            shape,
            Shape::Text | Shape::Byte | Shape::Short | Shape::Int | Shape::Long | Shape::Char | Shape::Double
        );
        if has_palette && chance.percent(self.share) {
            self.draw(world, draft, shape, manner, chance)
        } else {
            None
        }
    }

    fn draw(
        &mut self,
        world: &World<'_>,
        draft: &Draft,
        shape: Shape,
        manner: Manner,
        chance: &mut Chance,
    ) -> Option<Literal> {
        let index = self.rows.iter().position(|row| row.shape == shape).unwrap_or_else(|| {
            self.rows.push(Row { shape, values: adopted(world, draft, shape) });
            self.rows.len() - 1
        });
        let values = &mut self.rows[index].values;
        // A place without a value gets a new one. What a sequence has already leaves room for something new, once in a
        // while.
        let places = self.size.max(values.len() + usize::from(chance.bit()));
        let choice = chance.below(places);
        if let Some(value) = values.get(choice) {
            return manner.allows(value).then(|| value.clone());
        }
        let value = if self.simple {
            simple(values.len(), shape, manner, chance)
        } else {
            short(&world.pools, shape, manner, chance)
        }?;
        if !values.contains(&value) {
            values.push(value.clone());
        }
        Some(value)
    }
}

/// Values that the sequence has already.
fn adopted(world: &World<'_>, draft: &Draft, shape: Shape) -> Vec<Literal> {
    let mut found: Vec<Literal> = Vec::new();
    for (step, id) in draft.steps.iter().zip(&draft.types) {
        if let Step::Constant { value, .. } = step
            && *value != Literal::Null
            && world.types.get(*id).shape == shape
            && !found.contains(value)
        {
            found.push(value.clone());
            if found.len() >= ADOPTED {
                break;
            }
        }
    }
    found
}

/// The next one of the values that come to mind first.
fn simple(place: usize, shape: Shape, manner: Manner, chance: &mut Chance) -> Option<Literal> {
    let number = i64::try_from(place).unwrap_or_default() + i64::from(!manner.zero || chance.bit());
    Some(match shape {
        Shape::Text | Shape::Char => {
            let unit = u16::from(b'a') + u16::try_from(place % 26).unwrap_or_default();
            if shape == Shape::Text { Literal::Text(vec![unit]) } else { Literal::Char(unit) }
        }
        Shape::Double => {
            let halves = i32::try_from(number).unwrap_or_default();
            Literal::Double((f64::from(halves) / if chance.percent(30) { 2.0 } else { 1.0 }).to_bits())
        }
        _ if shape.integer_range().is_some() => Literal::Integer(number),
        _ => return None,
    })
}

/// A value as it comes, or a short one.
fn short(pools: &Pools, shape: Shape, manner: Manner, chance: &mut Chance) -> Option<Literal> {
    let value = pools.literal(shape, manner, chance)?;
    match value {
        Literal::Text(units) if units.len() > 12 && chance.percent(70) => {
            pools.literal(shape, manner, chance)
        }
        value => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use bonafix_model::{Knowledge, Sequence, Target};

    use super::*;
    use crate::build::random;
    use crate::testing::{PAINT, catalog};

    /// Constants that were passed for the `Object` and the `Comparable` of `paint`.
    fn passed(world: &World<'_>, seed: u64) -> Vec<(String, Literal)> {
        let mut chance = Chance::new(seed);
        let input: Sequence = random(world, &mut chance).unwrap();
        let calls = input.steps.iter().filter_map(|step| match step {
            Step::Call { callable: PAINT, arguments, .. } => Some(&arguments[4..6]),
            _ => None,
        });
        let steps = calls.flatten().map(|argument| &input.steps[*argument as usize]);
        steps
            .map(|step| match step {
                Step::Constant { type_name, value } => (type_name.clone(), value.clone()),
                _ => ("other".to_owned(), Literal::Null),
            })
            .filter(|(name, value)| name == "other" || *value != Literal::Null)
            .collect()
    }

    #[test]
    fn anything_is_mostly_one_of_a_few_numbers_or_strings() {
        let knowledge =
            Knowledge { targets: vec![Target { distance: 0, callable: PAINT }], ..Knowledge::default() };
        let world = World::new(&catalog(), &knowledge, &[]);
        let inputs: Vec<_> = (0..1_000).map(|seed| passed(&world, seed)).collect();
        let all: Vec<_> = inputs.iter().flatten().collect();
        let other = all.iter().filter(|(name, _)| name == "other").count();
        assert!(other * 100 < all.len() * 8, "{other} of {}", all.len());
        let pairs: Vec<_> = inputs.iter().filter(|input| input.len() > 1).collect();
        let alike = pairs.iter().filter(|input| input.iter().all(|(name, _)| *name == input[0].0)).count();
        assert!(alike * 100 > pairs.len() * 85, "{alike} of {} are of one type", pairs.len());
        let equal = pairs.iter().filter(|input| input[0] == input[1]).count();
        assert!(equal * 100 > pairs.len() * 20, "{equal} of {} pass a value again", pairs.len());
        assert!(equal * 100 < pairs.len() * 70, "{equal} of {} pass a value again", pairs.len());
    }

    #[test]
    fn values_of_a_changed_sequence_are_passed_again() {
        let knowledge = Knowledge::default();
        let world = World::new(&catalog(), &knowledge, &[]);
        let mut chance = Chance::new(1);
        let mut draft = Draft::default();
        let own: Vec<Literal> =
            ["app", "lib", "core"].map(|text| Literal::Text(text.encode_utf16().collect())).to_vec();
        for value in &own {
            draft.constant(&world, world.types.text, value.clone());
        }
        let mut again = 0;
        for _ in 0..1_000 {
            let mut palette = Palette::new(&mut chance);
            let theme = palette.theme(&world, &draft, &mut chance);
            let shape = world.types.get(theme).shape;
            let value = palette.value(&world, &draft, shape, Manner::FIRM, &mut chance);
            again += usize::from(value.is_some_and(|value| own.contains(&value)));
        }
        assert!(again > 550, "{again} of 1000");
    }
}
