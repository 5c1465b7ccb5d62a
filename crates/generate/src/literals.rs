//! Constants: which to begin with, and what lies next to one.

use bonafix_model::{Catalog, Knowledge, Literal, ParameterFacts, Sequence, Step};

use crate::chance::Chance;
use crate::types::Shape;

/// Constants that were found in the program and its tests, those of changed code first.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    integers: Vec<i64>,
    doubles: Vec<f64>,
    texts: Vec<Vec<u16>>,
    chars: Vec<u16>,
    classes: Vec<String>,
}

/// How a value is to be: as the tests pass them, or not.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "they are facts, independent of each other")]
pub(crate) struct Manner {
    /// In percent.
    pub(crate) null: u32,
    pub(crate) null_element: u32,
    pub(crate) not_finite: u32,
    pub(crate) negative: bool,
    pub(crate) zero: bool,
    pub(crate) empty: bool,
    pub(crate) sorted: bool,
    pub(crate) distinct: bool,
    pub(crate) range: Option<(i64, i64)>,
}

impl Manner {
    /// Of a value that nothing is known of.
    pub(crate) const PLAIN: Self = Self {
        null: 1,
        null_element: 1,
        not_finite: 1,
        negative: true,
        zero: true,
        empty: true,
        sorted: false,
        distinct: false,
        range: None,
    };

    /// Of a value that is worked with and not passed on: never `null`.
    pub(crate) const FIRM: Self = Self { null: 0, null_element: 0, not_finite: 0, ..Self::PLAIN };

    /// As tests pass this parameter, in most cases.
    pub(crate) fn of(facts: Option<&ParameterFacts>, chance: &mut Chance) -> Self {
        let Some(facts) = facts.filter(|facts| facts.seen > 0) else {
            let mut plain = Self::PLAIN;
            if let Some(facts) = facts {
                plain.null = if facts.null { 8 } else { 1 };
            }
            // Without a test nobody knows whether the order matters: both are worth a try.
            plain.sorted = chance.percent(25);
            plain.negative = chance.percent(40);
            return plain;
        };
        if chance.percent(12) {
            return Self { null: 5, null_element: 5, not_finite: 5, range: facts.range, ..Self::PLAIN };
        }
        Self {
            null: if facts.null { 8 } else { 0 },
            null_element: if facts.null_element { 8 } else { 0 },
            not_finite: if facts.not_finite { 10 } else { 0 },
            negative: facts.negative,
            // A number that tests never show is not thereby out of range, but zero often is.
            zero: facts.zero || !facts.positive && !facts.negative || chance.percent(30),
            empty: facts.empty || chance.percent(20),
            sorted: facts.lists > 0 && !facts.unsorted,
            distinct: facts.lists > 0 && !facts.repeated,
            range: facts.range,
        }
    }

    /// Is a constant as it is to be?
    pub(crate) fn allows(self, literal: &Literal) -> bool {
        match literal {
            Literal::Null => self.null > 0,
            Literal::Integer(value) => (self.negative || *value >= 0) && (self.zero || *value != 0),
            Literal::Double(bits) => self.allows_double(f64::from_bits(*bits)),
            Literal::Float(bits) => self.allows_double(f64::from(f32::from_bits(*bits))),
            Literal::Text(units) => self.empty || !units.is_empty(),
            Literal::Boolean(_) | Literal::Char(_) | Literal::Class(_) => true,
        }
    }

    /// The constant, or the nearest one that is as it is to be.
    pub(crate) fn mend(self, literal: Literal, shape: Shape) -> Literal {
        match literal {
            Literal::Integer(value) if value < 0 && !self.negative => {
                let greatest = shape.integer_range().map_or(i64::MAX, |range| range.1);
                Literal::Integer(value.checked_neg().unwrap_or(greatest).min(greatest))
            }
            Literal::Double(bits) if !self.allows_double(f64::from_bits(bits)) => {
                let value = f64::from_bits(bits);
                Literal::Double(if value.is_finite() { -value } else { 1.0 }.to_bits())
            }
            Literal::Float(bits) if !self.allows_double(f64::from(f32::from_bits(bits))) => {
                let value = f32::from_bits(bits);
                Literal::Float(if value.is_finite() { -value } else { 1.0 }.to_bits())
            }
            other => other,
        }
    }

    fn allows_double(self, value: f64) -> bool {
        (self.not_finite > 0 || value.is_finite()) && (self.negative || value >= 0.0)
    }

    /// The same for what is inside.
    pub(crate) fn inside(self) -> Self {
        Self { null: self.null_element, ..self }
    }
}

const ALPHABET: &[u8] = b"aaabbbccxyzABCZ0011234579   .,-_/:;+*#$()[]{}<>=&|!?'\"\\\t\n%@";
const UNICODE: &[u16] = &[0xe9, 0xdf, 0x131, 0x3b1, 0x4e2d, 0x2028, 0xfeff, 0xd83d, 0xde00, 0x300];

impl Pools {
    pub(crate) fn new(knowledge: &Knowledge, catalog: &Catalog) -> Self {
        let mut pools = Self::default();
        let mut mined: Vec<_> = knowledge.literals.iter().collect();
        mined.sort_by_key(|literal| literal.source);
        for literal in mined {
            pools.add(&literal.value);
        }
        for seed in &knowledge.seeds {
            pools.add_sequence(&seed.sequence);
        }
        pools.classes.push("java.lang.String".to_owned());
        for info in catalog.types.iter().filter(|info| info.is_subject) {
            pools.classes.push(info.name.clone());
        }
        pools
    }

    fn add_sequence(&mut self, sequence: &Sequence) {
        for step in &sequence.steps {
            if let Step::Constant { value, .. } = step {
                self.add(value);
            }
        }
    }

    fn add(&mut self, literal: &Literal) {
        fn push<T: PartialEq>(items: &mut Vec<T>, item: T) {
            if items.len() < 400 && !items.contains(&item) {
                items.push(item);
            }
        }
        match literal {
            Literal::Integer(value) => push(&mut self.integers, *value),
            Literal::Double(bits) => push(&mut self.doubles, f64::from_bits(*bits)),
            Literal::Float(bits) => push(&mut self.doubles, f64::from(f32::from_bits(*bits))),
            Literal::Char(unit) => push(&mut self.chars, *unit),
            Literal::Text(units) => {
                push(&mut self.texts, units.clone());
                for unit in units.iter().take(4) {
                    push(&mut self.chars, *unit);
                }
            }
            Literal::Class(name) => push(&mut self.classes, name.clone()),
            Literal::Null | Literal::Boolean(_) => {}
        }
    }

    /// A constant of this sort; none for sorts without constants.
    pub(crate) fn literal(&self, shape: Shape, manner: Manner, chance: &mut Chance) -> Option<Literal> {
        Some(match shape {
            Shape::Boolean => Literal::Boolean(chance.bit()),
            Shape::Byte | Shape::Short | Shape::Int | Shape::Long => {
                Literal::Integer(self.integer(shape, manner, chance))
            }
            Shape::Char => Literal::Char(self.char(chance)),
            Shape::Float => Literal::Float(narrow(self.double(manner, chance)).to_bits()),
            Shape::Double => Literal::Double(self.double(manner, chance).to_bits()),
            Shape::Text => Literal::Text(self.text(manner, chance)),
            Shape::Class => Literal::Class(chance.pick(&self.classes).cloned().unwrap_or_default()),
            Shape::Void | Shape::Object | Shape::Array(_) | Shape::Reference => return None,
        })
    }

    fn integer(&self, shape: Shape, manner: Manner, chance: &mut Chance) -> i64 {
        let (least, greatest) = shape.integer_range().unwrap_or((0, 0));
        let value = match chance.below(100) {
            0..30 => chance.between(-3, 10),
            30..60 if !self.integers.is_empty() => {
                let mined = chance.pick_early(&self.integers).copied().unwrap_or_default();
                if chance.percent(55) { mined } else { near(mined, chance) }
            }
            60..75 => match manner.range {
                Some((low, high)) => {
                    let span = high.saturating_sub(low).max(8);
                    chance.between(low.saturating_sub(span / 2), high.saturating_add(span))
                }
                None => chance.between(-20, 40),
            },
            75..85 => {
                let power = 1_i64 << chance.below(31);
                power.saturating_add(chance.between(-1, 1))
            }
            85..95 => chance.between(-100, 1100),
            95..97 => chance.between(-100_000, 1_000_000),
            97 if least < i64::from(i32::MIN) => 1_i64 << chance.below(63),
            98 => if chance.bit() { greatest } else { least }.saturating_add(chance.between(-1, 1)),
            _ => chance.between(0, 5),
        };
        let mut value = value.clamp(least, greatest);
        if value < 0 && !manner.negative {
            value = value.checked_neg().unwrap_or(greatest).clamp(least, greatest);
        }
        if value == 0 && !manner.zero { 1 } else { value }
    }

    #[expect(clippy::cast_precision_loss, reason = "a value to try, not a result")]
    fn double(&self, manner: Manner, chance: &mut Chance) -> f64 {
        const ODD: [f64; 9] = [
            -0.0,
            f64::MIN_POSITIVE,
            f64::MAX,
            -f64::MAX,
            f64::EPSILON,
            1e-300,
            1e300,
            0.1,
            9_007_199_254_740_993.0,
        ];
        if chance.below(100) < manner.not_finite as usize {
            return *chance.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).unwrap_or(&f64::NAN);
        }
        let value = match chance.below(100) {
            0..25 => chance.between(-5, 10) as f64,
            25..50 if !self.doubles.is_empty() => {
                let mined = chance.pick_early(&self.doubles).copied().unwrap_or_default();
                match chance.below(8) {
                    0 => mined + 1.0,
                    1 => mined - 1.0,
                    2 => mined * 2.0,
                    3 => mined / 2.0,
                    4 => mined + mined.abs() * f64::EPSILON,
                    _ => mined,
                }
            }
            50..65 => self.integer(Shape::Int, manner, chance) as f64,
            65..80 => chance.fraction(),
            80..90 => (chance.fraction() - 0.3) * 100.0,
            90..93 => (chance.fraction() - 0.3) * 1e6,
            93..97 => chance.between(-40, 80) as f64 / 4.0,
            97 => *chance.pick(&ODD).unwrap_or(&0.0),
            _ => chance.between(0, 3) as f64,
        };
        let value = if value.is_finite() { value } else { 1.0 };
        let value = if value < 0.0 && !manner.negative { -value } else { value };
        if value == 0.0 && !manner.zero { 1.0 } else { value }
    }

    fn char(&self, chance: &mut Chance) -> u16 {
        match chance.below(100) {
            0..45 if !self.chars.is_empty() => {
                let mined = chance.pick(&self.chars).copied().unwrap_or_default();
                if chance.percent(75) {
                    mined
                } else {
                    mined.wrapping_add(u16::from(chance.bit()) * 2).wrapping_sub(1)
                }
            }
            0..96 => u16::from(*chance.pick(ALPHABET).unwrap_or(&b'a')),
            96..99 => *chance.pick(UNICODE).unwrap_or(&0xe9),
            _ => u16::try_from(chance.below(65536)).unwrap_or_default(),
        }
    }

    fn text(&self, manner: Manner, chance: &mut Chance) -> Vec<u16> {
        let mut text = match chance.below(100) {
            0..30 if !self.texts.is_empty() => self.mined_text(chance),
            30..60 if !self.texts.is_empty() => {
                let mut text = self.mined_text(chance);
                for _ in 0..=chance.below(3) {
                    self.edit_text(&mut text, chance);
                }
                text
            }
            60..70 => {
                let number = self.integer(Shape::Int, manner, chance);
                number.to_string().encode_utf16().collect()
            }
            70..74 => Vec::new(),
            74..76 => vec![self.char(chance); chance.below(120)],
            _ => {
                let length = chance.below(9);
                let narrow = chance.percent(40);
                let all = if narrow { &ALPHABET[..8] } else { ALPHABET };
                (0..length).map(|_| u16::from(*chance.pick(all).unwrap_or(&b'a'))).collect()
            }
        };
        if text.is_empty() && !manner.empty {
            text.push(self.char(chance));
        }
        text
    }

    fn mined_text(&self, chance: &mut Chance) -> Vec<u16> {
        chance.pick_early(&self.texts).cloned().unwrap_or_default()
    }

    /// One change of a string.
    pub(crate) fn edit_text(&self, text: &mut Vec<u16>, chance: &mut Chance) {
        let place = chance.below(text.len() + 1);
        let inside = chance.below(text.len());
        match chance.below(13) {
            0 | 1 => text.insert(place, self.char(chance)),
            2 if !text.is_empty() => drop(text.remove(inside)),
            3 if !text.is_empty() => text[inside] = self.char(chance),
            4 => text.truncate(place),
            5 => drop(text.drain(..place)),
            6 if text.len() < 200 => text.extend_from_within(..),
            7 => text.iter_mut().for_each(|unit| *unit = change_case(*unit)),
            8 if !text.is_empty() => text[inside] = change_case(text[inside]),
            9 => text.splice(place..place, self.mined_text(chance)).for_each(drop),
            10 => {
                let unit = *chance.pick(&[0x20, 0x09, 0x0a, 0x30, 0x39, 0x2d, 0x2e]).unwrap_or(&0x20);
                text.insert(if chance.bit() { 0 } else { text.len() }, unit);
            }
            11 if !text.is_empty() => text[inside] = text[inside].wrapping_add(1),
            12 if text.len() > 1 => {
                let other = chance.below(text.len());
                text.swap(inside, other);
            }
            _ => text.push(self.char(chance)),
        }
        text.truncate(400);
    }

    /// A constant near to one, or related to it.
    pub(crate) fn change(
        &self,
        literal: &Literal,
        shape: Shape,
        manner: Manner,
        chance: &mut Chance,
    ) -> Literal {
        match literal {
            Literal::Boolean(value) => Literal::Boolean(!value),
            Literal::Integer(value) => {
                let (least, greatest) = shape.integer_range().unwrap_or((i64::MIN, i64::MAX));
                let changed = match chance.below(10) {
                    0..3 => near(*value, chance),
                    3 => value ^ (1 << chance.below(31)),
                    4 => value.saturating_mul(2),
                    5 => value / 2,
                    6 => value.saturating_neg(),
                    7 => value.saturating_add(chance.between(-64, 64)),
                    _ => self.integer(shape, manner, chance),
                };
                Literal::Integer(changed.clamp(least, greatest))
            }
            Literal::Char(unit) if chance.bit() => {
                Literal::Char(if chance.bit() { unit.wrapping_add(1) } else { unit.wrapping_sub(1) })
            }
            Literal::Char(_) => Literal::Char(self.char(chance)),
            Literal::Double(bits) => {
                Literal::Double(self.change_double(f64::from_bits(*bits), manner, chance).to_bits())
            }
            Literal::Float(bits) => {
                let changed = self.change_double(f64::from(f32::from_bits(*bits)), manner, chance);
                Literal::Float(narrow(changed).to_bits())
            }
            Literal::Text(units) => {
                let mut units = units.clone();
                if chance.percent(15) {
                    return Literal::Text(self.text(manner, chance));
                }
                for _ in 0..=chance.below(3) {
                    self.edit_text(&mut units, chance);
                }
                Literal::Text(units)
            }
            Literal::Null | Literal::Class(_) => {
                self.literal(shape, manner, chance).unwrap_or_else(|| literal.clone())
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a value to try, not a result")]
    fn change_double(&self, value: f64, manner: Manner, chance: &mut Chance) -> f64 {
        match chance.below(10) {
            0 => value + 1.0,
            1 => value - 1.0,
            2 => value * 2.0,
            3 => value / 2.0,
            4 => -value,
            5 => value.round(),
            6 => value + (chance.fraction() - 0.5) * value.abs().max(1.0),
            7 => value + chance.between(-16, 16) as f64 / 8.0,
            8 => value * (1.0 + f64::EPSILON * 4.0),
            _ => self.double(manner, chance),
        }
    }
}

/// A whole number close to one.
fn near(value: i64, chance: &mut Chance) -> i64 {
    match chance.below(8) {
        0..3 => value.saturating_add(1),
        3..6 => value.saturating_sub(1),
        6 => value.saturating_mul(2),
        _ => value.saturating_neg(),
    }
}

fn change_case(unit: u16) -> u16 {
    match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphabetic() => unit ^ 0x20,
        _ => unit,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the nearest float is what is wanted")]
pub(crate) fn narrow(value: f64) -> f32 {
    value as f32
}

/// A constant of another sequence in place of one of the same type.
pub(crate) fn borrow(chance: &mut Chance, parent: &Sequence, other: &Sequence) -> Option<Sequence> {
    let constants = |sequence: &Sequence| -> Vec<usize> {
        (0..sequence.steps.len())
            .filter(|index| matches!(sequence.steps[*index], Step::Constant { .. }))
            .collect()
    };
    let from = *chance.pick(&constants(other))?;
    let Step::Constant { type_name: wanted, value: taken } = &other.steps[from] else { return None };
    let places: Vec<usize> = constants(parent)
        .into_iter()
        .filter(
            |index| matches!(&parent.steps[*index], Step::Constant { type_name, .. } if type_name == wanted),
        )
        .collect();
    let to = *chance.pick(&places)?;
    let mut changed = parent.clone();
    if let Step::Constant { value, .. } = &mut changed.steps[to] {
        *value = taken.clone();
    }
    Some(changed)
}

/// Numbers at doubled distances from one, on both sides: one of them is at most half as far from any other number.
pub(crate) fn ladder(literal: &Literal, shape: Shape) -> Vec<Literal> {
    match literal {
        Literal::Integer(value) => {
            let (least, greatest) = shape.integer_range().unwrap_or((i64::MIN, i64::MAX));
            let bits = if greatest > i64::from(i32::MAX) { 62 } else { 31 };
            let steps = (0..bits).map(|bit| 1_i64 << bit);
            let both = steps.flat_map(|step| [value.checked_add(step), value.checked_sub(step)]);
            both.flatten()
                .chain([value.saturating_neg()])
                .filter(|changed| (least..=greatest).contains(changed))
                .map(Literal::Integer)
                .collect()
        }
        Literal::Char(unit) => {
            let steps = (0..15).map(|bit| 1_u16 << bit);
            let both = steps.flat_map(|step| [unit.checked_add(step), unit.checked_sub(step)]);
            both.flatten().map(Literal::Char).collect()
        }
        Literal::Double(bits) => {
            doubles_around(f64::from_bits(*bits)).map(|value| Literal::Double(value.to_bits())).collect()
        }
        Literal::Float(bits) => doubles_around(f64::from(f32::from_bits(*bits)))
            .map(|value| Literal::Float(narrow(value).to_bits()))
            .collect(),
        Literal::Boolean(value) => vec![Literal::Boolean(!value)],
        Literal::Text(units) => units_around(units),
        Literal::Null | Literal::Class(_) => Vec::new(),
    }
}

fn doubles_around(value: f64) -> impl Iterator<Item = f64> {
    let steps = (-24..32).map(|bit| f64::from(bit).exp2());
    let both = steps.flat_map(move |step| [value + step, value - step]);
    both.chain([-value, value.round()]).filter(|value| value.is_finite())
}

/// Strings with one character moved, gone or doubled.
fn units_around(units: &[u16]) -> Vec<Literal> {
    let mut found = Vec::new();
    for place in 0..units.len().min(8) {
        for step in [1_u16, 2, 4, 8, 16, 32] {
            for moved in [units[place].wrapping_add(step), units[place].wrapping_sub(step)] {
                let mut changed = units.to_vec();
                changed[place] = moved;
                found.push(Literal::Text(changed));
            }
        }
        let mut shorter = units.to_vec();
        shorter.remove(place);
        found.push(Literal::Text(shorter));
    }
    let mut longer = units.to_vec();
    longer.push(units.last().copied().unwrap_or(0x61));
    found.push(Literal::Text(longer));
    found
}
