//! Which statements differ between two versions of an element.
//!
//! Bodies are compared list by list: equal statements are aligned first; what is left between them is tried as
//! "put around" (`s` became `if (c) { s }`, or back), then paired by kind and likeness and compared further inside.

use std::collections::{BTreeMap, BTreeSet};

use bonafix_model::{LineRange, Statement};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::outline::{BODY, Outline};

/// Deeper bodies are reported without a look inside, and longer lists are paired in order.
const DEEPEST: usize = 400;
const LARGEST_TABLE: usize = 40_000;

/// Statements less alike than this (shared tokens, 0 to 100) are not two versions of one statement.
const LEAST_LIKENESS: u32 = 30;

/// What differs between two versions of one element.
#[derive(Default)]
pub(crate) struct Difference {
    /// Statements by piece, with the lines that differ.
    before: BTreeMap<usize, LineRange>,
    after: BTreeMap<usize, LineRange>,
    pairs: Vec<(usize, usize)>,
    /// The element's own head differs.
    pub(crate) head: bool,
    /// Tokens that are the same in both versions.
    pub(crate) same: Vec<(usize, usize)>,
}

/// A difference, ready for the report.
pub(crate) struct Listed {
    pub(crate) before: Vec<Statement>,
    pub(crate) after: Vec<Statement>,
    pub(crate) pairs: Vec<(u32, u32)>,
}

impl Difference {
    /// Does any statement differ?
    pub(crate) fn has_statements(&self) -> bool {
        !self.before.is_empty() || !self.after.is_empty()
    }

    /// The statements of both versions in the order of the source.
    pub(crate) fn list(&self, before: &Outline, after: &Outline) -> Listed {
        let list = |found: &BTreeMap<usize, LineRange>, outline| -> Vec<Statement> {
            found.iter().map(|(&piece, &lines)| statement(outline, piece, lines)).collect()
        };
        let at = |found: &BTreeMap<usize, LineRange>, piece: usize| {
            u32::try_from(found.range(..piece).count()).expect("fewer than 2^32 statements")
        };
        let mut pairs: Vec<_> =
            self.pairs.iter().map(|&(b, a)| (at(&self.before, b), at(&self.after, a))).collect();
        pairs.sort_unstable();
        Listed { before: list(&self.before, before), after: list(&self.after, after), pairs }
    }
}

/// Compares two versions of one element, given by their pieces.
pub(crate) fn compare(before: &Outline, after: &Outline, b: usize, a: usize) -> Difference {
    let mut comparison = Comparison { before, after, found: Difference::default() };
    comparison.found.head = before.own_ids(b) != after.own_ids(a);
    if !comparison.found.head {
        comparison.same_own(b, a);
    }
    comparison.bodies(b, a, 0);
    comparison.found
}

/// Compares two versions of a list in which the order does not matter, such as imports.
pub(crate) fn compare_unordered(before: &Outline, after: &Outline, b: usize, a: usize) -> Difference {
    let ids = |outline: &Outline, root: usize| -> BTreeMap<Vec<u32>, usize> {
        outline.pieces[root].bodies.iter().flatten().rev().map(|&piece| (outline.ids(piece), piece)).collect()
    };
    let tokens = |outline: &Outline, root| -> Vec<u32> {
        outline.own_ids(root).into_iter().filter(|&id| id != u32::MAX).collect()
    };
    let mut comparison = Comparison { before, after, found: Difference::default() };
    comparison.found.head = tokens(before, b) != tokens(after, a);
    let lists = (ids(before, b), ids(after, a));
    for (ids, &piece) in &lists.0 {
        match lists.1.get(ids) {
            Some(&same) => comparison.same(piece, same),
            None => comparison.removed(piece, &BTreeSet::new()),
        }
    }
    for (_, &piece) in lists.1.iter().filter(|(ids, _)| !lists.0.contains_key(*ids)) {
        comparison.added(piece, &BTreeSet::new());
    }
    comparison.found
}

/// The statements of an element that only one version has.
pub(crate) fn all(outline: &Outline, root: usize) -> Vec<Statement> {
    (root + 1..outline.pieces[root].end)
        .filter(|&piece| outline.pieces[piece].root == root && !outline.pieces[piece].tokens.is_empty())
        .map(|piece| statement(outline, piece, head(outline, piece)))
        .collect()
}

/// A piece as a statement of the report.
pub(crate) fn statement(outline: &Outline, piece: usize, lines: LineRange) -> Statement {
    let tokens = &outline.pieces[piece].tokens;
    let extent = outline.lines(tokens.start, tokens.end - 1);
    Statement {
        kind: outline.pieces[piece].kind.clone(),
        lines,
        extent: (extent != lines).then_some(extent),
        text: outline.first_line(tokens.start, tokens.end - 1),
    }
}

/// The lines of a piece up to its first body; all of them, if it has none.
pub(crate) fn head(outline: &Outline, piece: usize) -> LineRange {
    let piece = &outline.pieces[piece];
    let own: Vec<usize> = piece.own.iter().copied().take_while(|&at| at != BODY).collect();
    let has_body = own.len() < piece.own.len();
    match (own.first(), own.last()) {
        (Some(&first), Some(&last)) if has_body => outline.lines(first, last),
        _ => outline.lines(piece.tokens.start, piece.tokens.end - 1),
    }
}

struct Comparison<'a> {
    before: &'a Outline,
    after: &'a Outline,
    found: Difference,
}

/// Statements of one list that found no counterpart yet.
#[derive(Default)]
struct Gap {
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Comparison<'_> {
    fn bodies(&mut self, b: usize, a: usize, depth: usize) {
        let (before, after) = (self.before, self.after);
        let bodies = (&before.pieces[b].bodies, &after.pieces[a].bodies);
        for (b, a) in pair_bodies(before, after, bodies.0, bodies.1) {
            let empty = Vec::new();
            let b = b.map_or(&empty, |at| &bodies.0[at]);
            let a = a.map_or(&empty, |at| &bodies.1[at]);
            self.lists(b, a, depth);
        }
    }

    fn lists(&mut self, b: &[usize], a: &[usize], depth: usize) {
        let ids_before: Vec<_> = b.iter().map(|&piece| self.before.ids(piece)).collect();
        let ids_after: Vec<_> = a.iter().map(|&piece| self.after.ids(piece)).collect();
        let mut gap = Gap::default();
        for op in capture_diff_slices(Algorithm::Myers, &ids_before, &ids_after) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                self.gap(&std::mem::take(&mut gap), depth);
                for at in 0..len {
                    self.same(b[old_index + at], a[new_index + at]);
                }
            } else {
                gap.before.extend(&b[op.old_range()]);
                gap.after.extend(&a[op.new_range()]);
            }
        }
        self.gap(&gap, depth);
    }

    fn gap(&mut self, gap: &Gap, depth: usize) {
        let gap = self.put_around(gap);
        let mut paired = (BTreeSet::new(), BTreeSet::new());
        for (b, a) in pair_alike(self.before, self.after, &gap) {
            paired.0.insert(b);
            paired.1.insert(a);
            self.pair(b, a, depth);
        }
        for &b in gap.before.iter().filter(|b| !paired.0.contains(b)) {
            self.removed(b, &BTreeSet::new());
        }
        for &a in gap.after.iter().filter(|a| !paired.1.contains(a)) {
            self.added(a, &BTreeSet::new());
        }
    }

    /// Finds statements that are unchanged but for a new or a vanished statement around them. What remains is still
    /// to be paired.
    fn put_around(&mut self, gap: &Gap) -> Gap {
        let (kept_before, added) = enclosed(self.before, &gap.before, self.after, &gap.after);
        for (&a, kept) in &added {
            self.added(a, &kept.iter().map(|&(_, inner)| inner).collect());
            for &(b, inner) in kept {
                self.same(b, inner);
            }
        }
        let rest_before: Vec<_> = gap.before.iter().copied().filter(|b| !kept_before.contains(b)).collect();
        let rest_after: Vec<_> = gap.after.iter().copied().filter(|a| !added.contains_key(a)).collect();

        let (kept_after, removed) = enclosed(self.after, &rest_after, self.before, &rest_before);
        for (&b, kept) in &removed {
            self.removed(b, &kept.iter().map(|&(_, inner)| inner).collect());
            for &(a, inner) in kept {
                self.same(inner, a);
            }
        }
        Gap {
            before: rest_before.into_iter().filter(|b| !removed.contains_key(b)).collect(),
            after: rest_after.into_iter().filter(|a| !kept_after.contains(a)).collect(),
        }
    }

    /// Two versions of one statement.
    fn pair(&mut self, b: usize, a: usize, depth: usize) {
        let own = (self.before.own_ids(b), self.after.own_ids(a));
        if own.0 == own.1 {
            self.same_own(b, a);
        } else {
            let (start, ends) = differing(&own.0, &own.1);
            self.found.before.insert(b, differing_lines(self.before, b, start, ends.0));
            self.found.after.insert(a, differing_lines(self.after, a, start, ends.1));
            self.found.pairs.push((b, a));
        }
        if depth < DEEPEST {
            self.bodies(b, a, depth + 1);
        } else {
            self.found.before.entry(b).or_insert_with(|| head(self.before, b));
            self.found.after.entry(a).or_insert_with(|| head(self.after, a));
        }
    }

    fn removed(&mut self, b: usize, kept: &BTreeSet<usize>) {
        for piece in inside(self.before, b, kept) {
            self.found.before.insert(piece, head(self.before, piece));
        }
    }

    fn added(&mut self, a: usize, kept: &BTreeSet<usize>) {
        for piece in inside(self.after, a, kept) {
            self.found.after.insert(piece, head(self.after, piece));
        }
    }

    fn same(&mut self, b: usize, a: usize) {
        let ranges = (self.before.pieces[b].tokens.clone(), self.after.pieces[a].tokens.clone());
        self.found.same.extend(ranges.0.zip(ranges.1));
    }

    fn same_own(&mut self, b: usize, a: usize) {
        let own = self.before.pieces[b].own.iter().zip(&self.after.pieces[a].own);
        self.found.same.extend(own.filter(|&(&b, _)| b != BODY).map(|(&b, &a)| (b, a)));
    }
}

/// A statement and all statements of the same element inside of it, but for those that are kept.
fn inside(outline: &Outline, piece: usize, kept: &BTreeSet<usize>) -> Vec<usize> {
    let root = outline.pieces[piece].root;
    let mut found = Vec::new();
    let mut at = piece;
    while at < outline.pieces[piece].end {
        if kept.contains(&at) {
            at = outline.pieces[at].end;
            continue;
        }
        if outline.pieces[at].root == root && !outline.pieces[at].tokens.is_empty() {
            found.push(at);
        }
        at += 1;
    }
    found
}

/// For an outer statement the inner ones that it encloses unchanged, as pairs ⟨inner, its place⟩.
type Around = BTreeMap<usize, Vec<(usize, usize)>>;

/// Which outer statements enclose some of the inner ones. The set holds all inner statements that were found.
fn enclosed(
    inner_outline: &Outline,
    inner: &[usize],
    outer_outline: &Outline,
    outer: &[usize],
) -> (BTreeSet<usize>, Around) {
    let mut found = BTreeSet::new();
    let mut around = Around::new();
    for &outside in outer {
        let mut from = outside + 1;
        for &piece in inner {
            if found.contains(&piece) {
                continue;
            }
            let ids = inner_outline.ids(piece);
            let place = (from..outer_outline.pieces[outside].end).find(|&at| {
                outer_outline.pieces[at].root == outer_outline.pieces[outside].root
                    && outer_outline.pieces[at].tokens.len() == ids.len()
                    && outer_outline.ids(at) == ids
            });
            if let Some(place) = place {
                found.insert(piece);
                around.entry(outside).or_default().push((piece, place));
                from = outer_outline.pieces[place].end;
            }
        }
    }
    (found, around)
}

/// Which body of one version is which of the other: in order if there are as many, else equal ones first.
fn pair_bodies(
    before: &Outline,
    after: &Outline,
    b: &[Vec<usize>],
    a: &[Vec<usize>],
) -> Vec<(Option<usize>, Option<usize>)> {
    if b.len() == a.len() {
        return (0..b.len()).map(|at| (Some(at), Some(at))).collect();
    }
    let ids = |outline: &Outline, bodies: &[Vec<usize>]| -> Vec<Vec<Vec<u32>>> {
        bodies.iter().map(|body| body.iter().map(|&piece| outline.ids(piece)).collect()).collect()
    };
    let mut pairs = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &ids(before, b), &ids(after, a)) {
        let (old, new) = (op.old_range(), op.new_range());
        for at in 0..old.len().max(new.len()) {
            pairs.push((old.clone().nth(at), new.clone().nth(at)));
        }
    }
    pairs
}

/// Pairs of statements of the same kind, in order on both sides, that are most alike in sum.
fn pair_alike(before: &Outline, after: &Outline, gap: &Gap) -> Vec<(usize, usize)> {
    let (rows, columns) = (gap.before.len(), gap.after.len());
    if rows * columns > LARGEST_TABLE {
        let pairs = gap.before.iter().copied().zip(gap.after.iter().copied());
        return pairs.filter(|&(b, a)| before.pieces[b].kind == after.pieces[a].kind).collect();
    }
    let likeness: Vec<Vec<u32>> = gap
        .before
        .iter()
        .map(|&b| gap.after.iter().map(|&a| likeness(before, after, b, a)).collect())
        .collect();
    let mut best = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let skip = best[row + 1][column].max(best[row][column + 1]);
            let take = likeness[row][column] + best[row + 1][column + 1];
            best[row][column] = if likeness[row][column] > 0 { skip.max(take) } else { skip };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while row < rows && column < columns {
        let alike = likeness[row][column];
        if alike > 0 && best[row][column] == alike + best[row + 1][column + 1] {
            pairs.push((gap.before[row], gap.after[column]));
            (row, column) = (row + 1, column + 1);
        } else if best[row][column] == best[row + 1][column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// 0 for statements of different kinds or with too little in common, else 1 to 100.
fn likeness(before: &Outline, after: &Outline, b: usize, a: usize) -> u32 {
    if before.pieces[b].kind != after.pieces[a].kind {
        return 0;
    }
    let (mut ids_before, mut ids_after) = (before.ids(b), after.ids(a));
    let total = ids_before.len() + ids_after.len();
    ids_before.sort_unstable();
    ids_after.sort_unstable();
    let mut shared = 0_usize;
    let mut rest = ids_after.iter().peekable();
    for id in &ids_before {
        while rest.next_if(|other| *other < id).is_some() {}
        shared += usize::from(rest.next_if_eq(&id).is_some());
    }
    let percent = u32::try_from(200 * shared / total.max(1)).unwrap_or(0);
    if percent < LEAST_LIKENESS { 0 } else { percent }
}

/// Where two sequences begin to differ, and where the difference ends in each.
fn differing(b: &[u32], a: &[u32]) -> (usize, (usize, usize)) {
    let start = b.iter().zip(a).take_while(|(b, a)| b == a).count();
    let behind = b[start..].iter().rev().zip(a[start..].iter().rev()).take_while(|(b, a)| b == a).count();
    (start, (b.len() - behind, a.len() - behind))
}

/// The lines of a statement's head, or of the first differing tokens if they all stand behind its first body.
fn differing_lines(outline: &Outline, piece: usize, start: usize, end: usize) -> LineRange {
    let own = &outline.pieces[piece].own;
    let first_body = own.iter().position(|&at| at == BODY).unwrap_or(own.len());
    let differing = own[start..end].iter().copied().skip_while(|&at| at == BODY).take_while(|&at| at != BODY);
    let differing: Vec<usize> = differing.collect();
    match (differing.first(), differing.last()) {
        (Some(&first), Some(&last)) if start > first_body => outline.lines(first, last),
        _ => head(outline, piece),
    }
}
