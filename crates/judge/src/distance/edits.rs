//! Myers' greedy search: fast for sequences that are nearly alike, whatever their length.
//!
//! For 0, 1, 2 … edits it keeps how far one comes on each diagonal of the matrix, and stops when the far corner is
//! reached. Only the number of edits is asked for, so nothing but the last round has to be kept.

/// What [`count`] may do before it gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Affordable {
    /// Insertions and deletions.
    pub(super) edits: usize,
    /// Steps on diagonals. Traces of loops are alike on many of them, and each would be followed to its end.
    pub(super) steps: usize,
}

/// Twice what it takes to look at both sequences, so that it is no loss if they are not alike.
pub(super) fn affordable(total: usize) -> Affordable {
    let steps = 2 * total;
    Affordable { edits: (2 * steps).isqrt(), steps }
}

/// The least number of insertions and deletions that make one of the other; nothing if that is not affordable.
pub(super) fn count(a: &[u32], b: &[u32], affordable: Affordable) -> Option<usize> {
    let most = affordable.edits.min(a.len() + b.len());
    // How far one came in `a`, by diagonal: position in `a` less position in `b`, plus `middle`.
    let middle = most + 1;
    let mut reached = vec![0; 2 * middle + 1];
    let mut steps = 0;
    for edits in 0..=most {
        for diagonal in (middle - edits..=middle + edits).step_by(2) {
            let (above, below) = (reached[diagonal + 1], reached[diagonal - 1]);
            let only_above = diagonal + edits == middle;
            let only_below = diagonal == middle + edits && edits > 0;
            let x = if only_above || (!only_below && below < above) { above } else { below + 1 };
            let y = x + middle - diagonal;
            let run = alike(a.get(x..).unwrap_or_default(), b.get(y..).unwrap_or_default());
            if x + run >= a.len() && y + run >= b.len() {
                return Some(edits);
            }
            reached[diagonal] = x + run;
            steps += run + 1;
        }
        if steps > affordable.steps {
            return None;
        }
    }
    None
}

/// How far both begin alike.
fn alike(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}
