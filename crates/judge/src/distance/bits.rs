//! The matrix of the quadratic definition, 64 cells to a machine word (Crochemore et al., Hyyrö).
//!
//! A bit stands for a column, an element of the shorter sequence; it is 0 where the longest common subsequence with what
//! was read of the other sequence grows from this column to the next. One more element of the other sequence, a row, is an
//! addition over all columns. Columns are worked off in blocks, each over all its rows before the next one begins: what a
//! row carries from block to block is a bit. So a block's vectors (one for each symbol in it, whatever the number of
//! symbols in all) stay in the fastest cache, and a block may leave out rows, by whole words of their carries.

use super::busy::{Lists, ROWS};

/// Words of a block: as many as fit into registers, with what else a row needs.
const WORDS: usize = 4;
/// Columns of a block.
const COLUMNS: usize = 64 * WORDS;

/// Of [`ROWS`] rows, so many are worth being picked out.
const FEW: u32 = 40;
/// Where a block has more rows than so many for each of its symbols, lists of them are faster than a look at every row.
const LONG: usize = 64;

type Vector = [u64; WORDS];

/// Which rows each block of columns has to look at. Both ends of these ranges never go back from block to block.
///
/// What is found in a band is the length of a common subsequence, of the longest one that uses only matches inside: where
/// a block begins, nothing in it counts yet, so its columns are worth what the block before was worth in that row; where it
/// ends, it is worth no less in later rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Band {
    rows: Vec<(usize, usize)>,
}

impl Band {
    /// All that a path with so many edits can touch. At least as many as the lengths differ by.
    pub(super) fn for_edits(columns: usize, rows: usize, edits: usize) -> Self {
        let longer_by = rows - columns;
        // Of the edits, those that leave out columns, and those that leave out rows.
        let out_of_columns = edits.saturating_sub(longer_by) / 2;
        let out_of_rows = out_of_columns + longer_by;
        Self::of(columns, rows, |first, end| {
            (first.saturating_sub(out_of_columns), end.saturating_add(out_of_rows))
        })
    }

    /// The straight way from corner to corner, as broad as so many words allow for, and one block if they allow for nothing.
    pub(super) fn along_diagonal(columns: usize, rows: usize, words: u64) -> Self {
        let mut breadth = rows;
        loop {
            let band = Self::of(columns, rows, |first, end| {
                let row = |column: usize| (column as u128 * rows as u128 / columns as u128) as usize;
                (row(first).saturating_sub(breadth), row(end).saturating_add(breadth))
            });
            if band.words() <= words || breadth == 0 {
                return band;
            }
            breadth /= 2;
        }
    }

    fn of(columns: usize, rows: usize, range: impl Fn(usize, usize) -> (usize, usize)) -> Self {
        let block = |first: usize| {
            let (from, to) = range(first, (first + COLUMNS).min(columns));
            (from.min(rows) / ROWS * ROWS, to.next_multiple_of(ROWS).min(rows))
        };
        Self { rows: (0..columns).step_by(COLUMNS).map(block).collect() }
    }

    /// Whether lists of the rows of each symbol are worth their while.
    fn is_broad(&self, symbols: usize) -> bool {
        let rows: usize = self.rows.iter().map(|(from, to)| to - from).sum();
        rows / self.rows.len().max(1) > LONG * symbols.min(COLUMNS)
    }

    /// What it costs.
    pub(super) fn words(&self) -> u64 {
        self.rows.iter().map(|(from, to)| ((to - from) * WORDS) as u64).sum()
    }
}

/// The length of a common subsequence, the longest one inside of the band. All elements are below `symbols`.
pub(super) fn common_in_band(columns: &[u32], rows: &[u32], symbols: usize, band: &Band) -> usize {
    let lists = band.is_broad(symbols).then(|| Lists::new(rows, symbols));
    common_by_lists(columns, rows, symbols, band, lists)
}

/// The same with lists of the rows of each symbol, or with a look at every row.
pub(super) fn common_by_lists(
    columns: &[u32],
    rows: &[u32],
    symbols: usize,
    band: &Band,
    mut lists: Option<Lists>,
) -> usize {
    let mut carries = vec![0; rows.len().div_ceil(ROWS)];
    let mut busy = carries.clone();
    let mut matches = Matches::new(symbols);
    let mut found = 0;
    for (block, &(from, to)) in columns.chunks(COLUMNS).zip(&band.rows) {
        matches.set(block);
        let words = from / ROWS..to.div_ceil(ROWS);
        match &mut lists {
            Some(lists) => lists.mark(&matches.symbols, (from, to), &mut busy),
            None => matches.mark(&rows[from..to], &mut busy[words.clone()]),
        }
        let vector = work_off(&matches, &rows[from..to], &mut busy[words.clone()], &mut carries[words]);
        found += vector.iter().map(|word| word.count_zeros() as usize).sum::<usize>();
        matches.clear();
    }
    found
}

/// One block over its rows. Carries come in from the block before and go out to the next in the same place; busy rows are
/// busy no more.
///
/// A row changes nothing in a block that has not its symbol, unless it carries. Of traces with many statements that are
/// most rows.
///
/// Inlined, its vector is moved to and from vector registers, which cannot carry, for each row: half as fast.
#[inline(never)]
fn work_off(matches: &Matches, rows: &[u32], busy: &mut [u64], carries: &mut [u64]) -> Vector {
    let mut vector = [u64::MAX; WORDS];
    for ((rows, busy), carries) in rows.chunks(ROWS).zip(busy).zip(carries) {
        let coming = *carries;
        let mut going = 0;
        let mut left = coming | std::mem::take(busy);
        if left.count_ones() < FEW {
            while left != 0 {
                let row = left.trailing_zeros();
                left &= left - 1;
                let carry = step(&mut vector, matches.of(rows[row as usize]), coming >> row & 1 != 0);
                going |= u64::from(carry) << row;
            }
        } else {
            for (row, &symbol) in rows.iter().enumerate() {
                let carry = step(&mut vector, matches.of(symbol), coming >> row & 1 != 0);
                going |= u64::from(carry) << row;
            }
        }
        *carries = going;
    }
    vector
}

/// One row. Written so that it is unrolled in every build: iterators over two arrays are calls where nothing is inlined
/// across units of the compiler.
#[inline]
fn step(vector: &mut Vector, matches: &Vector, mut carry: bool) -> bool {
    let mut word = 0;
    while word < WORDS {
        let matching = vector[word] & matches[word];
        let (sum, over) = vector[word].carrying_add(matching, carry);
        vector[word] = sum | (vector[word] ^ matching);
        carry = over;
        word += 1;
    }
    carry
}

/// In which columns of a block each symbol is.
struct Matches {
    /// For each symbol the place of its vector; the first vector is that of all symbols which the block does not have.
    places: Vec<u16>,
    vectors: Vec<Vector>,
    /// Those that the block has.
    symbols: Vec<u32>,
}

impl Matches {
    fn new(symbols: usize) -> Self {
        Self { places: vec![0; symbols], vectors: vec![[0; WORDS]], symbols: Vec::new() }
    }

    fn set(&mut self, block: &[u32]) {
        for (column, &symbol) in block.iter().enumerate() {
            let place = &mut self.places[symbol as usize];
            if *place == 0 {
                *place = u16::try_from(self.vectors.len()).expect("no more vectors than columns in a block");
                self.vectors.push([0; WORDS]);
                self.symbols.push(symbol);
            }
            self.vectors[usize::from(*place)][column / 64] |= 1 << (column % 64);
        }
    }

    fn clear(&mut self) {
        for symbol in self.symbols.drain(..) {
            self.places[symbol as usize] = 0;
        }
        self.vectors.truncate(1);
    }

    /// Sets the bits of the rows that have a symbol which is in the block.
    fn mark(&self, rows: &[u32], busy: &mut [u64]) {
        let is_in = |symbol: u32| u64::from(self.places[symbol as usize] != 0);
        for (rows, busy) in rows.chunks(ROWS).zip(busy) {
            *busy = rows.iter().rev().fold(0, |found, &symbol| found << 1 | is_in(symbol));
        }
    }

    #[inline]
    fn of(&self, symbol: u32) -> &Vector {
        &self.vectors[usize::from(self.places[symbol as usize])]
    }
}
