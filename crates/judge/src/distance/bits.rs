//! The matrix of the quadratic definition, 64 cells to a machine word (Crochemore et al., Hyyrö).
//!
//! A bit stands for a column, an element of the shorter sequence; it is 0 where the longest common subsequence with what
//! was read of the other sequence grows from this column to the next. One more element of the other sequence, a row, is an
//! addition over all columns. Columns are worked off in blocks, each over all its rows before the next one begins: what a
//! row carries from block to block is a bit. So a block's vectors (one for each symbol in it, whatever the number of
//! symbols in all) stay in the fastest cache, and a block may leave out rows.

/// Words of a block: as many as fit into registers, with what else a row needs.
const WORDS: usize = 4;
/// Columns of a block.
const COLUMNS: usize = 64 * WORDS;
/// Rows are left out by so many, as their carries are kept in words.
const ROWS: usize = 64;

/// Of [`ROWS`] rows, so many are worth being picked out.
const FEW: u32 = 40;

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

    /// What it costs.
    pub(super) fn words(&self) -> u64 {
        self.rows.iter().map(|(from, to)| ((to - from) * WORDS) as u64).sum()
    }
}

/// The length of a common subsequence, the longest one inside of the band. All elements are below `symbols`.
pub(super) fn common_in_band(columns: &[u32], rows: &[u32], symbols: usize, band: &Band) -> usize {
    let mut carries = vec![0; rows.len().div_ceil(ROWS)];
    let mut matches = Matches::new(symbols);
    let mut found = 0;
    for (block, &(from, to)) in columns.chunks(COLUMNS).zip(&band.rows) {
        matches.set(block);
        let vector = work_off(&matches, &rows[from..to], &mut carries[from / ROWS..to.div_ceil(ROWS)]);
        found += vector.iter().map(|word| word.count_zeros() as usize).sum::<usize>();
        matches.clear(block);
    }
    found
}

/// One block over its rows. Carries come in from the block before and go out to the next in the same place.
///
/// A row changes nothing in a block that has not its symbol, unless it carries. Of traces with many statements that are
/// most rows.
///
/// Inlined, its vector is moved to and from vector registers, which cannot carry, for each row: half as fast.
#[inline(never)]
fn work_off(matches: &Matches, rows: &[u32], carries: &mut [u64]) -> Vector {
    let mut vector = [u64::MAX; WORDS];
    for (rows, carries) in rows.chunks(ROWS).zip(carries) {
        let coming = *carries;
        let mut going = 0;
        let busy = coming | matches.any_of(rows);
        if busy.count_ones() < FEW {
            let mut left = busy;
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
}

impl Matches {
    fn new(symbols: usize) -> Self {
        Self { places: vec![0; symbols], vectors: vec![[0; WORDS]] }
    }

    fn set(&mut self, block: &[u32]) {
        for (column, &symbol) in block.iter().enumerate() {
            let place = &mut self.places[symbol as usize];
            if *place == 0 {
                *place = u16::try_from(self.vectors.len()).expect("no more vectors than columns in a block");
                self.vectors.push([0; WORDS]);
            }
            self.vectors[usize::from(*place)][column / 64] |= 1 << (column % 64);
        }
    }

    fn clear(&mut self, block: &[u32]) {
        for &symbol in block {
            self.places[symbol as usize] = 0;
        }
        self.vectors.truncate(1);
    }

    /// Which of up to 64 rows have a symbol that is in the block.
    #[inline]
    fn any_of(&self, rows: &[u32]) -> u64 {
        let is_in = |symbol: u32| u64::from(self.places[symbol as usize] != 0);
        rows.iter().rev().fold(0, |found, &symbol| found << 1 | is_in(symbol))
    }

    #[inline]
    fn of(&self, symbol: u32) -> &Vector {
        &self.vectors[usize::from(self.places[symbol as usize])]
    }
}
