//! Two sequences without what only one of them has, and with small numbers for what is left.

use std::collections::HashMap;

/// What is left of two sequences. Their longest common subsequence is as long as before.
pub(super) struct Shared {
    pub(super) a: Vec<u32>,
    pub(super) b: Vec<u32>,
    /// All elements are below.
    pub(super) symbols: usize,
}

/// Numbers below have a place in a table. Statements of any ordinary program are.
const TABLE: u32 = 1 << 22;

impl Shared {
    pub(super) fn of(a: &[u32], b: &[u32]) -> Self {
        let largest = a.iter().chain(b).copied().max().unwrap_or(0);
        if largest < TABLE {
            return Self::by_table(a, b, largest);
        }
        let mut numbers = HashMap::new();
        let mut renumbered = |sequence: &[u32]| -> Vec<u32> {
            let number = |&symbol: &u32| {
                let next = u32::try_from(numbers.len()).expect("no more numbers than there were");
                *numbers.entry(symbol).or_insert(next)
            };
            sequence.iter().map(number).collect()
        };
        let (a, b) = (renumbered(a), renumbered(b));
        Self::by_table(&a, &b, u32::try_from(numbers.len()).expect("no more numbers than there were"))
    }

    fn by_table(a: &[u32], b: &[u32], largest: u32) -> Self {
        let mut places = vec![Place::Nowhere; largest as usize + 1];
        for &symbol in a {
            places[symbol as usize] = Place::OnlyInFirst;
        }
        let mut symbols = 0;
        for &symbol in b {
            let place = &mut places[symbol as usize];
            if *place == Place::OnlyInFirst {
                *place = Place::Both(symbols);
                symbols += 1;
            }
        }
        let number = |symbol: &u32| match places[*symbol as usize] {
            Place::Both(number) => Some(number),
            Place::Nowhere | Place::OnlyInFirst => None,
        };
        let kept = |sequence: &[u32]| sequence.iter().filter_map(number).collect();
        Self { a: kept(a), b: kept(b), symbols: symbols as usize }
    }
}

/// Where a symbol was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Not in the first sequence.
    Nowhere,
    /// Not yet in the second one.
    OnlyInFirst,
    /// In both; its new number.
    Both(u32),
}
