//! Each way to compare, against the quadratic definition.

use proptest::prelude::*;

use super::*;
use crate::distance::busy::Lists;
use crate::distance::edits::Affordable;

/// As in a textbook.
fn by_definition(a: &[u32], b: &[u32]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (column, y) in b.iter().enumerate() {
            let above = row[column + 1];
            row[column + 1] = if x == y { diagonal + 1 } else { above.max(row[column]) };
            diagonal = above;
        }
    }
    row[b.len()]
}

const ANY_COST: Affordable = Affordable { edits: usize::MAX, steps: usize::MAX };

fn by_edits(a: &[u32], b: &[u32]) -> usize {
    (a.len() + b.len() - edits::count(a, b, ANY_COST).unwrap()) / 2
}

fn shorter_first<'t>(a: &'t [u32], b: &'t [u32]) -> (&'t [u32], &'t [u32]) {
    if a.len() <= b.len() { (a, b) } else { (b, a) }
}

fn in_band(a: &[u32], b: &[u32], edits: usize) -> usize {
    let shared = Shared::of(a, b);
    let (columns, rows) = shorter_first(&shared.a, &shared.b);
    let band = Band::for_edits(columns.len(), rows.len(), edits);
    bits::common_in_band(columns, rows, shared.symbols, &band)
}

fn along_diagonal(a: &[u32], b: &[u32], words: u64) -> usize {
    let shared = Shared::of(a, b);
    let (columns, rows) = shorter_first(&shared.a, &shared.b);
    let band = Band::along_diagonal(columns.len(), rows.len(), words);
    bits::common_in_band(columns, rows, shared.symbols, &band)
}

fn exact(a: &[u32], b: &[u32]) -> f64 {
    let distance = distance(a, b, Limit::default());
    assert!(!distance.at_most);
    distance.value
}

fn same(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-15, "{found}, not {expected}");
}

#[test]
fn worked_by_hand() {
    // In common: 1 3 4 of five.
    same(exact(&[1, 2, 3, 4], &[1, 3, 5, 4, 6]), 0.4);
    same(exact(&[1, 2, 3], &[1, 2, 3]), 0.0);
    same(exact(&[1, 2, 3], &[4, 5]), 1.0);
    // The longer one counts, whichever it is.
    same(exact(&[7], &[7, 8, 7, 9]), 0.75);
    same(exact(&[7, 8, 7, 9], &[7]), 0.75);
}

#[test]
fn two_empty_traces_are_the_same_and_one_is_as_far_as_can_be() {
    same(exact(&[], &[]), 0.0);
    same(exact(&[], &[1]), 1.0);
    same(exact(&[1, 2], &[]), 1.0);
}

#[test]
fn a_loop_that_runs_once_more_is_an_insertion() {
    let rounds = |count: u32| -> Vec<u32> { (0..count).flat_map(|_| [1, 2, 3, 4]).collect() };
    same(exact(&rounds(9), &rounds(10)), 0.1);
}

#[test]
fn equal_fractions_are_equal_numbers() {
    assert_eq!(exact(&[1, 2, 3], &[1, 2, 4]).to_bits(), exact(&[1, 1, 2, 2, 3, 3], &[1, 1, 2, 2]).to_bits());
}

#[test]
fn what_is_too_much_work_is_an_upper_bound_and_said_to_be() {
    let mut random = Random(7);
    let (a, b) = (random.sequence(6_000, 50), random.sequence(5_000, 50));
    let exact = distance(&a, &b, Limit::default());
    for words in [0, 30_000, 200_000] {
        let bound = distance(&a, &b, Limit { words });
        assert!(!exact.at_most && bound.at_most);
        assert!(bound.value >= exact.value && bound.value < 1.0, "{words}: {bound:?}, {exact:?}");
    }
}

#[test]
fn similar_traces_are_exact_for_next_to_nothing() {
    let mut random = Random(7);
    let a = random.sequence(50_000, 50);
    let b = random.edited(&a, 1, 1000, 50);
    assert!(!distance(&a, &b, Limit { words: 0 }).at_most);
}

#[test]
fn numbers_of_statements_may_be_large() {
    same(exact(&[u32::MAX, 5, u32::MAX - 1, 9], &[5, u32::MAX, 8, u32::MAX - 1]), 0.5);
}

/// For sequences that proptest would take too long to make.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(end)).unwrap()
    }

    fn sequence(&mut self, length: usize, symbols: u32) -> Vec<u32> {
        (0..length).map(|_| self.below(symbols)).collect()
    }

    /// So many in so many are replaced, left out or doubled.
    fn edited(&mut self, sequence: &[u32], edits: u32, of: u32, symbols: u32) -> Vec<u32> {
        let mut edited = Vec::new();
        for &symbol in sequence {
            match (self.below(of) < edits).then(|| self.below(3)) {
                None => edited.push(symbol),
                Some(0) => edited.push(self.below(symbols)),
                Some(1) => edited.extend([symbol, symbol]),
                Some(_) => {}
            }
        }
        edited
    }
}

#[test]
fn several_blocks_of_columns_agree_with_the_definition() {
    let mut random = Random(3);
    for symbols in [2, 5, 40, 700, 100_000] {
        for (long, short) in [(700, 513), (1100, 1100), (1300, 1)] {
            let a = random.sequence(long, symbols);
            for b in [random.sequence(short, symbols), random.edited(&a, 1, 10, symbols)] {
                let expected = by_definition(&a, &b);
                assert_eq!(in_band(&a, &b, usize::MAX), expected, "bits, {symbols} symbols");
                assert_eq!(by_edits(&a, &b), expected, "edits, {symbols} symbols");
                let found = common(&a, &b, Limit::default());
                assert_eq!(found, Common { length: expected, exact: true }, "{symbols} symbols");
            }
        }
    }
}

#[test]
fn a_band_that_allows_for_all_edits_is_enough_and_a_narrower_one_never_too_much() {
    let mut random = Random(11);
    for parts in [10, 50, 300] {
        let a = random.sequence(4_000, 30);
        let b = random.edited(&a, 1, parts, 30);
        let expected = by_definition(&a, &b);
        let shared = Shared::of(&a, &b);
        let edits = shared.a.len() + shared.b.len() - 2 * expected;
        assert_eq!(in_band(&a, &b, edits), expected);
        for narrow in [a.len().abs_diff(b.len()), edits / 4, edits / 2] {
            assert!(in_band(&a, &b, narrow.max(a.len().abs_diff(b.len()))) <= expected);
        }
    }
}

/// Symbols, and a sequence of them: few symbols make many matches, many make few.
fn sequence() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    (1_u32..20).prop_flat_map(|symbols| {
        let any = || prop::collection::vec(0..symbols, 0..200);
        (any(), any())
    })
}

/// The same beginning and end around something, and something left out and added in between.
fn similar() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    let part = || prop::collection::vec(0_u32..6, 0..150);
    let small = || prop::collection::vec(0_u32..8, 0..8);
    (part(), small(), part(), small(), part(), small()).prop_map(|(start, x, middle, y, end, z)| {
        let a = [&start[..], &x, &middle, &end, &z].concat();
        let b = [&start[..], &middle, &y, &end].concat();
        (a, b)
    })
}

fn pairs() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    prop_oneof![sequence(), similar()]
}

proptest! {
    #[test]
    fn the_distance_is_that_of_the_definition((a, b) in pairs()) {
        let longer = a.len().max(b.len());
        let expected = if longer == 0 { 0.0 } else { ratio(longer - by_definition(&a, &b), longer) };
        let found = distance(&a, &b, Limit::default());
        prop_assert!(!found.at_most);
        prop_assert_eq!(found.value.to_bits(), expected.to_bits());
        prop_assert_eq!(found, distance(&b, &a, Limit::default()));
    }

    #[test]
    fn edits_are_those_of_the_definition((a, b) in pairs()) {
        prop_assert_eq!(by_edits(&a, &b), by_definition(&a, &b));
    }

    #[test]
    fn a_cap_on_edits_gives_the_same_or_nothing((a, b) in pairs(), cap in 0_usize..40) {
        let edits = a.len() + b.len() - 2 * by_definition(&a, &b);
        let found = edits::count(&a, &b, Affordable { edits: cap, steps: usize::MAX });
        prop_assert_eq!(found, (edits <= cap).then_some(edits));
    }

    #[test]
    fn bits_are_those_of_the_definition((a, b) in pairs()) {
        prop_assert_eq!(in_band(&a, &b, usize::MAX), by_definition(&a, &b));
    }

    #[test]
    fn what_only_one_has_does_not_count((a, b) in pairs(), raise in 0_u32..5) {
        let a: Vec<u32> = a.iter().map(|symbol| symbol + raise).collect();
        let shared = Shared::of(&a, &b);
        prop_assert_eq!(by_definition(&shared.a, &shared.b), by_definition(&a, &b));
        prop_assert!(shared.a.iter().all(|symbol| shared.b.contains(symbol)));
        prop_assert!(shared.b.iter().all(|&symbol| shared.a.contains(&symbol) && (symbol as usize) < shared.symbols));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn bands_of_long_sequences_find_what_is_there(seed in any::<u64>(), symbols in prop_oneof![2_u32..60, 60_u32..3000], short in 1_usize..1500, words in 0_u64..40_000) {
        let mut random = Random(seed);
        let (a, b) = (random.sequence(1500, symbols), random.sequence(short, symbols));
        let expected = by_definition(&a, &b);
        prop_assert!(along_diagonal(&a, &b, words) <= expected);
        prop_assert_eq!(along_diagonal(&a, &b, u64::MAX), expected);
        prop_assert_eq!(in_growing_bands_of(&a, &b), Common { length: expected, exact: true });
    }
}

fn in_growing_bands_of(a: &[u32], b: &[u32]) -> Common {
    let shared = Shared::of(a, b);
    let (columns, rows) = shorter_first(&shared.a, &shared.b);
    in_growing_bands(columns, rows, shared.symbols, Limit::default())
}

/// For each block, its symbols and the rows in its part of the band; both ends go on.
#[test]
fn listed_rows_are_those_of_the_band_that_have_a_symbol_of_the_block() {
    let rows = Random(5).sequence(1000, 40);
    let mut lists = Lists::new(&rows, 40);
    for (symbols, from, to) in [(0..9, 0, 300), (5..12, 64, 640), (0..7, 576, 1000), (3..40, 640, 1000)] {
        let symbols: Vec<u32> = symbols.collect();
        let mut bits = vec![0_u64; rows.len().div_ceil(64)];
        lists.mark(&symbols, (from, to), &mut bits);
        let many = symbols.len() > 30;
        for (row, symbol) in rows.iter().enumerate() {
            let expected = (from..to).contains(&row) && (many || symbols.contains(symbol));
            assert_eq!(bits[row / 64] >> (row % 64) & 1 != 0, expected, "row {row} of {from}..{to}");
        }
    }
}

/// Which of the two ways is taken is only a matter of speed. Numbers grow along the sequences, so that blocks have some each.
#[test]
fn lists_of_rows_and_a_look_at_every_row_find_the_same() {
    let mut random = Random(11);
    for (spread, drift) in [(2, 200), (30, 100), (300, 20), (700, 700)] {
        let mut drifting = |length: u32| -> Vec<u32> {
            (0..length).map(|place| place / drift + random.below(spread)).collect()
        };
        let shared = Shared::of(&drifting(900), &drifting(1300));
        let (columns, rows) = shorter_first(&shared.a, &shared.b);
        let narrowest = rows.len() - columns.len();
        for edits in [narrowest, narrowest + 150, narrowest + 600, usize::MAX] {
            let band = Band::for_edits(columns.len(), rows.len(), edits);
            let by = |lists| bits::common_by_lists(columns, rows, shared.symbols, &band, lists);
            let listed = by(Some(Lists::new(rows, shared.symbols)));
            assert_eq!(listed, by(None), "{edits} edits, {spread} symbols at a place");
            let all = by_definition(columns, rows);
            assert!(if edits == usize::MAX { listed == all } else { listed <= all });
        }
    }
}
