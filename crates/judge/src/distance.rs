//! How far apart two executions are: `1 - |LCS| / |longer trace|`, exact wherever that can be paid for.
//!
//! What both traces begin and end with is taken off, then all statements that only one of them ran: neither
//! changes what is common to the rest. Traces that are nearly alike are done by [`edits`] after that, and all others by
//! [`bits`] in bands that grow until the result is proven. `docs/decisions/0010-lcs.md` says why these.

mod bits;
mod busy;
mod edits;
mod shared;
#[cfg(test)]
mod tests;

use bonafix_model::Distance;

use bits::Band;
use shared::Shared;

/// What a comparison may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Machine words of the matrix, each 64 comparisons of two statements. A thousand million take a second or less.
    pub words: u64,
}

impl Default for Limit {
    /// Some seconds: enough for any two traces of 650,000 statements, and for longer ones if they are similar.
    fn default() -> Self {
        Self { words: 1 << 33 }
    }
}

/// How far apart two traces are. Two empty ones are the same. If the limit does not allow for an exact answer, the
/// distance is at most what is returned: so much they do have in common.
pub fn distance(a: &[u32], b: &[u32], limit: Limit) -> Distance {
    let longer = a.len().max(b.len());
    if longer == 0 {
        return Distance { value: 0.0, at_most: false };
    }
    let common = common(a, b, limit);
    Distance { value: ratio(longer - common.length, longer), at_most: !common.exact }
}

/// Equal fractions give equal numbers, so that ties are ties.
#[expect(clippy::cast_precision_loss, reason = "traces are far shorter than 2^52")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// What two sequences have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Common {
    /// The length of a common subsequence.
    length: usize,
    /// None is longer.
    exact: bool,
}

fn common(a: &[u32], b: &[u32], limit: Limit) -> Common {
    let (ends, a, b) = without_common_ends(a, b);
    if a.is_empty() || b.is_empty() {
        return Common { length: ends, exact: true };
    }
    let shared = Shared::of(a, b);
    let (inner_ends, a, b) = without_common_ends(&shared.a, &shared.b);
    let (columns, rows) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let middle = middle(columns, rows, shared.symbols, limit);
    Common { length: ends + inner_ends + middle.length, ..middle }
}

/// Takes off what both begin with, and what the rests end with; returns how much that was.
fn without_common_ends<'t>(a: &'t [u32], b: &'t [u32]) -> (usize, &'t [u32], &'t [u32]) {
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (start + end, &a[..a.len() - end], &b[..b.len() - end])
}

/// Of sequences without common ends, the shorter first.
fn middle(columns: &[u32], rows: &[u32], symbols: usize, limit: Limit) -> Common {
    if columns.is_empty() {
        return Common { length: 0, exact: true };
    }
    let total = columns.len() + rows.len();
    let in_common = |edits: usize| Common { length: (total - edits) / 2, exact: true };
    edits::count(columns, rows, edits::affordable(total))
        .map_or_else(|| in_growing_bands(columns, rows, symbols, limit), in_common)
}

/// A path through the matrix with at most `k` edits stays in a band. What a band finds is a common subsequence in any case;
/// and if that leaves no more than `k` edits, nothing outside of it can be better.
fn in_growing_bands(columns: &[u32], rows: &[u32], symbols: usize, limit: Limit) -> Common {
    let total = columns.len() + rows.len();
    let mut edits = (rows.len() - columns.len()).max(total / FIRST_BAND).max(1);
    let mut best = 0;
    let mut spent = 0;
    loop {
        let band = Band::for_edits(columns.len(), rows.len(), edits);
        if spent + band.words() > limit.words {
            return at_least(columns, rows, symbols, limit.words.saturating_sub(spent), best);
        }
        spent += band.words();
        best = bits::common_in_band(columns, rows, symbols, &band).max(best);
        let left = total - 2 * best;
        if left <= edits {
            return Common { length: best, exact: true };
        }
        let unlike = left > total / 2;
        edits = if unlike { left } else { left.min(edits.saturating_mul(GROWTH)) };
    }
}

/// The first band allows for one edit in so many statements.
const FIRST_BAND: usize = 16;
/// So many times more edits are allowed for in the next, unless the sequences are unlike anyway.
const GROWTH: usize = 4;

/// As much as can be found in the widest band along the diagonal that may still be paid for.
fn at_least(columns: &[u32], rows: &[u32], symbols: usize, words: u64, best: usize) -> Common {
    let band = Band::along_diagonal(columns.len(), rows.len(), words);
    let length = bits::common_in_band(columns, rows, symbols, &band).max(best);
    Common { length, exact: length == columns.len() }
}
