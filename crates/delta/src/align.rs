//! Which lines of two texts are the same line.

use std::collections::BTreeSet;

use bonafix_model::LineAlignment;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::source;

/// Runs of equal lines (trailing white space aside), as many lines as the algorithm can align.
///
/// Histogram anchors on rare lines first, so that braces and blank lines follow their surroundings.
pub(crate) fn align(before: &str, after: &str) -> LineAlignment {
    let mut runs: Vec<(u32, u32, u32)> = Vec::new();
    let (before, after) = (source::lines(before), source::lines(after));
    for op in capture_diff_slices(Algorithm::Histogram, &before, &after) {
        let DiffOp::Equal { old_index, new_index, len } = op else { continue };
        let (b, a, n) = (line(old_index), line(new_index), count(len));
        match runs.last_mut() {
            Some(run) if run.0 + run.2 == b && run.1 + run.2 == a => run.2 += n,
            _ => runs.push((b, a, n)),
        }
    }
    let doubtful = doubtful(&before, &after, &runs);
    LineAlignment { runs, moved: Vec::new(), doubtful }
}

/// Aligned lines of the first text of which another one that is not aligned has the same words.
fn doubtful(before: &[&str], after: &[&str], runs: &[(u32, u32, u32)]) -> Vec<u32> {
    let aligned: BTreeSet<u32> = runs.iter().flat_map(|&(b, _, n)| b..b + n).collect();
    let aligned_after: BTreeSet<u32> = runs.iter().flat_map(|&(_, a, n)| a..a + n).collect();
    let apart = |lines: &[&'_ str], aligned: &BTreeSet<u32>| -> BTreeSet<String> {
        let apart = lines.iter().enumerate().filter(|(index, _)| !aligned.contains(&line(*index)));
        apart.map(|(_, text)| text.trim().to_owned()).collect()
    };
    let alone = &apart(before, &aligned) | &apart(after, &aligned_after);
    aligned.into_iter().filter(|&number| alone.contains(before[number as usize - 1].trim())).collect()
}

/// Adds pairs of lines that hold the same code to an alignment that has no place for them yet.
pub(crate) fn add_moved(alignment: &mut LineAlignment, mut same: Vec<(u32, u32)>) {
    same.sort_unstable();
    same.dedup();
    let mut taken = BTreeSet::new();
    let mut moved: Vec<(u32, u32)> = Vec::new();
    for (b, a) in same {
        let free = alignment.after(b).is_none() && alignment.before(a).is_none();
        if free && moved.last().is_none_or(|last| last.0 != b) && taken.insert(a) {
            moved.push((b, a));
        }
    }
    alignment.moved = moved;
}

fn line(index: usize) -> u32 {
    count(index) + 1
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("sources have fewer than 2^32 lines")
}
