//! Which rows of the matrix a block of columns cannot pass over, found without a look at the others.

/// Rows of a word.
pub(super) const ROWS: usize = 64;

/// Where so many of a hundred rows are busy, picking them out costs more than taking all.
const MANY: usize = 60;

/// The rows of each symbol.
pub(super) struct Lists {
    /// All rows, by their symbols, and those of a symbol in order.
    rows: Vec<u32>,
    /// For each symbol the part of `rows` that is its own and that no block has left behind.
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
}

impl Lists {
    /// All elements of `rows` are below `symbols`.
    pub(super) fn new(rows: &[u32], symbols: usize) -> Self {
        let mut parts = empty_parts(rows, symbols);
        let mut listed = vec![0; rows.len()];
        for (row, &symbol) in (0..).zip(rows) {
            let part = &mut parts[symbol as usize];
            listed[part.end] = row;
            part.end += 1;
        }
        Self { rows: listed, parts }
    }

    /// Sets the bits of the rows in a range that have one of these symbols, or all where that are most. `from` never goes
    /// back, and begins a word.
    pub(super) fn mark(&mut self, symbols: &[u32], (from, to): (usize, usize), busy: &mut [u64]) {
        if self.are_many(symbols, from) {
            busy[from / ROWS..to.div_ceil(ROWS)].fill(u64::MAX);
            return;
        }
        for &symbol in symbols {
            self.mark_symbol(symbol, (from, to), busy);
        }
    }

    fn are_many(&self, symbols: &[u32], from: usize) -> bool {
        let left = |&symbol: &u32| self.parts[symbol as usize].end - self.parts[symbol as usize].start;
        symbols.iter().map(left).sum::<usize>() * 100 > (self.rows.len() - from) * MANY
    }

    fn mark_symbol(&mut self, symbol: u32, (from, to): (usize, usize), busy: &mut [u64]) {
        let part = &mut self.parts[symbol as usize];
        let rows = &self.rows[part.start..part.end];
        let left_behind = rows.iter().take_while(|&&row| (row as usize) < from).count();
        part.start += left_behind;
        for row in rows[left_behind..].iter().map(|&row| row as usize).take_while(|&row| row < to) {
            busy[row / ROWS] |= 1 << (row % ROWS);
        }
    }
}

/// One part after the other, each with room for the rows of its symbol.
fn empty_parts(rows: &[u32], symbols: usize) -> Vec<Part> {
    let mut counts = vec![0; symbols];
    for &symbol in rows {
        counts[symbol as usize] += 1;
    }
    let mut start = 0;
    let part = |count: usize| {
        let part = Part { start, end: start };
        start += count;
        part
    };
    counts.into_iter().map(part).collect()
}
