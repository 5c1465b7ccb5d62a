//! The least number of nodes to delete or insert between two forests.
//!
//! What is equal at the front and at the back, and a common root, change nothing about the least number, so the forests
//! are narrowed to what differs. What is left is compared exactly if it is small. If it is large, some way from one to
//! the other is found by aligning equal subtrees first, and then roots of the same label; that way is known to be a
//! shortest one if the labels alone, without any tree around them, need as many edits.

use bonafix_model::SyntacticDistance;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::tree::{SyntaxNode, SyntaxTree};

/// Forests are compared exactly within so many entries of a table, and so many steps.
const LARGEST_TABLE: usize = 4_000_000;
const MOST_STEPS: usize = 20_000_000;
/// Within so many steps a way is shown to be a shortest one.
const STEPS_OF_PROOF: usize = 50_000_000;
/// Deeper differences are taken as a whole.
const DEEPEST: usize = 200;

/// From one forest to the other.
pub(super) fn distance(before: &SyntaxTree, after: &SyntaxTree) -> SyntacticDistance {
    let sides = Sides { before, after };
    let (left, right) = sides.narrowed(before.roots.clone(), after.roots.clone());
    let found = |nodes: usize, at_most| SyntacticDistance { nodes: nodes as u64, at_most };
    if left.is_empty() || right.is_empty() {
        return found(sides.all(&left, &right), false);
    }
    if let Some(nodes) = sides.exact(&left, &right) {
        return found(nodes, false);
    }
    let nodes = sides.aligned(left.clone(), right.clone(), DEEPEST);
    let proven = edits(&before.labels(&left), &after.labels(&right), nodes) == Some(nodes);
    found(nodes, !proven)
}

/// Roots that belong together, in order, and what lies between them.
struct Alignment {
    pairs: Vec<(usize, usize)>,
    gaps: Vec<(Vec<usize>, Vec<usize>)>,
}

struct Sides<'a> {
    before: &'a SyntaxTree,
    after: &'a SyntaxTree,
}

impl Sides<'_> {
    /// Without equal trees at the front and at the back, and without roots that both have.
    fn narrowed(&self, mut left: Vec<usize>, mut right: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        loop {
            let pairs = || left.iter().zip(&right);
            let front = pairs().take_while(|&(&a, &b)| self.same_subtree(a, b)).count();
            let pairs = left[front..].iter().rev().zip(right[front..].iter().rev());
            let back = pairs.take_while(|&(&a, &b)| self.same_subtree(a, b)).count();
            left = left[front..left.len() - back].to_vec();
            right = right[front..right.len() - back].to_vec();
            let (&[a], &[b]) = (left.as_slice(), right.as_slice()) else { return (left, right) };
            let (a, b) = (&self.before.nodes[a], &self.after.nodes[b]);
            if a.label != b.label {
                return (left, right);
            }
            (left, right) = (a.children.clone(), b.children.clone());
        }
    }

    fn same_subtree(&self, a: usize, b: usize) -> bool {
        self.before.nodes[a].subtree == self.after.nodes[b].subtree
    }

    /// Everything goes, everything comes.
    fn all(&self, left: &[usize], right: &[usize]) -> usize {
        self.before.size(left) + self.after.size(right)
    }

    /// The least number, if it can be afforded.
    fn exact(&self, left: &[usize], right: &[usize]) -> Option<usize> {
        let (before, after) = (self.before.size(left) + 1, self.after.size(right) + 1);
        if before.saturating_mul(after) > LARGEST_TABLE {
            return None;
        }
        let (before, after) = (Flat::of(self.before, left), Flat::of(self.after, right));
        (before.steps().saturating_mul(after.steps()) <= MOST_STEPS).then(|| least(&before, &after))
    }

    /// The length of a way that need not be a shortest one.
    fn way(&self, left: Vec<usize>, right: Vec<usize>, depth: usize) -> usize {
        let (left, right) = self.narrowed(left, right);
        if left.is_empty() || right.is_empty() || depth == 0 {
            return self.all(&left, &right);
        }
        self.exact(&left, &right).unwrap_or_else(|| self.aligned(left, right, depth))
    }

    /// A way that keeps equal trees, and pairs roots of the same label between them.
    fn aligned(&self, left: Vec<usize>, right: Vec<usize>, depth: usize) -> usize {
        let gaps = self.align(&left, &right, |node| node.subtree).gaps;
        if let [(a, b)] = gaps.as_slice()
            && a.len() == left.len()
            && b.len() == right.len()
        {
            return self.paired(left, right, depth);
        }
        gaps.into_iter().map(|(a, b)| self.way(a, b, depth - 1)).sum()
    }

    fn paired(&self, left: Vec<usize>, right: Vec<usize>, depth: usize) -> usize {
        let Alignment { pairs, gaps } = self.align(&left, &right, |node| node.label);
        if pairs.is_empty() {
            return self.unwrapped(left, right, depth);
        }
        let children = |tree: &SyntaxTree, node: usize| tree.nodes[node].children.clone();
        let inside = pairs
            .into_iter()
            .map(|(a, b)| self.way(children(self.before, a), children(self.after, b), depth - 1));
        let between = gaps.into_iter().map(|(a, b)| self.way(a, b, depth - 1));
        inside.chain(between).sum()
    }

    /// A way that takes the root off the largest tree: what was put around the others may have been that.
    fn unwrapped(&self, mut left: Vec<usize>, mut right: Vec<usize>, depth: usize) -> usize {
        let all = self.all(&left, &right);
        let largest = |tree: &SyntaxTree, roots: &[usize]| {
            let sized = roots.iter().enumerate().map(|(at, &root)| (tree.size(&[root]), at));
            sized.max().unwrap_or_default()
        };
        let (in_left, in_right) = (largest(self.before, &left), largest(self.after, &right));
        if in_left.0 > in_right.0 {
            take_root_off(self.before, &mut left, in_left.1);
        } else {
            take_root_off(self.after, &mut right, in_right.1);
        }
        all.min(1 + self.way(left, right, depth - 1))
    }

    /// Which roots are the same by some number.
    fn align(&self, left: &[usize], right: &[usize], number: impl Fn(&SyntaxNode) -> u32) -> Alignment {
        let numbers = |tree: &SyntaxTree, roots: &[usize]| -> Vec<u32> {
            roots.iter().map(|&root| number(&tree.nodes[root])).collect()
        };
        let (old, new) = (numbers(self.before, left), numbers(self.after, right));
        let (mut pairs, mut gaps) = (Vec::new(), Vec::new());
        // A deletion beside an insertion is one gap, however the algorithm calls it.
        let (mut at, mut to) = ((0, 0), (0, 0));
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            to = (op.old_range().end, op.new_range().end);
            if let DiffOp::Equal { old_index, new_index, len } = op {
                gaps.push((left[at.0..old_index].to_vec(), right[at.1..new_index].to_vec()));
                pairs.extend((0..len).map(|offset| (left[old_index + offset], right[new_index + offset])));
                at = to;
            }
        }
        gaps.push((left[at.0..to.0].to_vec(), right[at.1..to.1].to_vec()));
        gaps.retain(|(a, b)| !a.is_empty() || !b.is_empty());
        Alignment { pairs, gaps }
    }
}

fn take_root_off(tree: &SyntaxTree, roots: &mut Vec<usize>, at: usize) {
    let children = tree.nodes[roots[at]].children.iter().copied();
    roots.splice(at..=at, children);
}

impl SyntaxTree {
    /// Labels of these trees, parents before their children.
    fn labels(&self, roots: &[usize]) -> Vec<u32> {
        let mut labels = Vec::new();
        let mut rest: Vec<usize> = roots.iter().rev().copied().collect();
        while let Some(node) = rest.pop() {
            labels.push(self.nodes[node].label);
            rest.extend(self.nodes[node].children.iter().rev());
        }
        labels
    }
}

/// A forest under a root of its own, children before parents, by numbers that begin with 0.
struct Flat {
    labels: Vec<u32>,
    /// First leaf of each node.
    first: Vec<usize>,
    /// Nodes that are not the first child of another.
    key_roots: Vec<usize>,
}

impl Flat {
    fn of(tree: &SyntaxTree, roots: &[usize]) -> Self {
        let (mut labels, mut first) = (Vec::new(), Vec::new());
        for &root in roots {
            let (from, to) = (tree.nodes[root].first, labels.len());
            for node in &tree.nodes[from..=root] {
                labels.push(node.label);
                first.push(node.first - from + to);
            }
        }
        labels.push(u32::MAX);
        first.push(0);
        let mut taken = vec![false; labels.len()];
        let mut key_roots: Vec<usize> = (0..labels.len())
            .rev()
            .filter(|&node| !std::mem::replace(&mut taken[first[node]], true))
            .collect();
        key_roots.reverse();
        Self { labels, first, key_roots }
    }

    /// How often a node of this side is looked at for one of the other.
    fn steps(&self) -> usize {
        self.key_roots.iter().map(|&root| root - self.first[root] + 1).sum()
    }
}

/// Zhang and Shasha's algorithm, without renaming.
fn least(before: &Flat, after: &Flat) -> usize {
    let width = after.labels.len();
    let mut tables = Tables {
        trees: vec![0; before.labels.len() * width],
        forests: vec![0; (before.labels.len() + 1) * (width + 1)],
        width,
    };
    for &left in &before.key_roots {
        for &right in &after.key_roots {
            tables.fill(before, after, left, right);
        }
    }
    tables.trees.last().map_or(0, |&least| least as usize)
}

struct Tables {
    /// From each subtree to each.
    trees: Vec<u32>,
    /// From each beginning of one subtree to each of another.
    forests: Vec<u32>,
    width: usize,
}

impl Tables {
    fn fill(&mut self, before: &Flat, after: &Flat, left: usize, right: usize) {
        let (from, to) = (before.first[left], after.first[right]);
        let (rows, columns) = (left - from + 1, right - to + 1);
        let at = |row: usize, column: usize| row * (self.width + 1) + column;
        (0..=rows).zip(0..).for_each(|(row, gone)| self.forests[at(row, 0)] = gone);
        (0..=columns).zip(0..).for_each(|(column, new)| self.forests[at(0, column)] = new);
        for row in 1..=rows {
            for column in 1..=columns {
                let (a, b) = (from + row - 1, to + column - 1);
                let tree = a * self.width + b;
                let whole = before.first[a] == from && after.first[b] == to;
                let kept = if !whole {
                    self.forests[at(before.first[a] - from, after.first[b] - to)] + self.trees[tree]
                } else if before.labels[a] == after.labels[b] {
                    self.forests[at(row - 1, column - 1)]
                } else {
                    u32::MAX
                };
                let one = 1 + self.forests[at(row - 1, column)].min(self.forests[at(row, column - 1)]);
                self.forests[at(row, column)] = one.min(kept);
                if whole {
                    self.trees[tree] = one.min(kept);
                }
            }
        }
    }
}

/// How many elements must be deleted or inserted between two sequences, if that is at most `limit` and can be found out
/// within [`STEPS_OF_PROOF`] (Myers). No way between the trees is shorter.
fn edits(before: &[u32], after: &[u32], limit: usize) -> Option<usize> {
    let limit = limit.min(STEPS_OF_PROOF / (before.len() + after.len()).max(1));
    // `reached[d]`: how far in `before` one gets on diagonal `d - limit - 1`.
    let mut reached = vec![0_usize; 2 * limit + 3];
    for edits in 0..=limit {
        for diagonal in (limit + 1 - edits..=limit + 1 + edits).step_by(2) {
            let down = diagonal == limit + 1 - edits
                || (diagonal != limit + 1 + edits && reached[diagonal - 1] < reached[diagonal + 1]);
            let mut x = if down { reached[diagonal + 1] } else { reached[diagonal - 1] + 1 };
            let Some(mut y) = (x + limit + 1).checked_sub(diagonal) else { continue };
            while x < before.len() && y < after.len() && before[x] == after[y] {
                (x, y) = (x + 1, y + 1);
            }
            reached[diagonal] = x;
            if x >= before.len() && y >= after.len() {
                return Some(edits);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tree::Labels;
    use super::super::tree::testing::forest;
    use super::*;
    use proptest::prelude::*;

    fn forests(before: &str, after: &str) -> (SyntaxTree, SyntaxTree) {
        let mut labels = Labels::default();
        (forest(before, &mut labels), forest(after, &mut labels))
    }

    fn nodes(before: &str, after: &str) -> u64 {
        let (before, after) = forests(before, after);
        let found = distance(&before, &after);
        assert!(!found.at_most);
        found.nodes
    }

    #[test]
    fn nodes_go_and_come_one_by_one() {
        assert_eq!(nodes("", ""), 0);
        assert_eq!(nodes("", "a(b c)"), 3);
        assert_eq!(nodes("a(b c)", "a(b c)"), 0);
        assert_eq!(nodes("a(b c)", "d(b c)"), 2, "another label is another node");
        assert_eq!(nodes("a b c", "a d(b) c"), 1, "something around a node leaves the node alone");
        assert_eq!(nodes("a(b c d)", "a(c d b)"), 2, "what moves goes and comes");
        assert_eq!(
            nodes("a(b(c) d)", "a(b c(d))"),
            2,
            "order alone is not enough: c cannot hold d and be in b"
        );
    }

    #[test]
    fn a_front_that_is_equal_is_kept_though_it_comes_again() {
        assert_eq!(nodes("x", "x y(x)"), 2);
        assert_eq!(nodes("x y(x)", "x"), 2);
    }

    /// The definition, tree by tree from the right; slow.
    fn by_definition(before: &SyntaxTree, left: &[usize], after: &SyntaxTree, right: &[usize]) -> usize {
        let (Some((&a, left_rest)), Some((&b, right_rest))) = (left.split_last(), right.split_last()) else {
            return before.size(left) + after.size(right);
        };
        let (node, other) = (&before.nodes[a], &after.nodes[b]);
        let deleted = [left_rest, &node.children].concat();
        let inserted = [right_rest, &other.children].concat();
        let least = 1 + by_definition(before, &deleted, after, right)
            .min(by_definition(before, left, after, &inserted));
        if node.label != other.label {
            return least;
        }
        let kept = by_definition(before, left_rest, after, right_rest)
            + by_definition(before, &node.children, after, &other.children);
        least.min(kept)
    }

    fn small_forest() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned);
        let tree = leaf.prop_recursive(3, 6, 3, |inner| {
            (prop::sample::select(vec!["a", "b", "c"]), prop::collection::vec(inner, 1..3))
                .prop_map(|(root, children)| format!("{root}({})", children.concat()))
        });
        prop::collection::vec(tree, 0..3)
            .prop_map(|trees| trees.concat())
            .prop_filter("small", |text| text.chars().filter(char::is_ascii_lowercase).count() <= 7)
    }

    proptest! {
        #[test]
        fn small_forests_get_what_the_definition_says(before in small_forest(), after in small_forest()) {
            let (before, after) = forests(&before, &after);
            let expected = by_definition(&before, &before.roots, &after, &after.roots);
            let found = distance(&before, &after);
            prop_assert_eq!(found, SyntacticDistance { nodes: expected as u64, at_most: false });

            let sides = Sides { before: &before, after: &after };
            if !before.roots.is_empty() && !after.roots.is_empty() {
                let way = sides.aligned(before.roots.clone(), after.roots.clone(), DEEPEST);
                prop_assert!(way >= expected, "a way of {} below {}", way, expected);
            }
            let labels = (before.labels(&before.roots), after.labels(&after.roots));
            let bound = edits(&labels.0, &labels.1, 100).unwrap();
            prop_assert!(bound <= expected, "a bound of {} above {}", bound, expected);
        }
    }

    #[test]
    fn sequences_are_compared_up_to_a_limit() {
        assert_eq!(edits(&[1, 2, 3], &[1, 3, 4], 5), Some(2));
        assert_eq!(edits(&[1, 2, 3], &[4, 5, 6], 5), None);
        assert_eq!(edits(&[1, 2, 3], &[4, 5, 6], 6), Some(6));
        assert_eq!(edits(&[], &[], 0), Some(0));
        assert_eq!(edits(&[], &[7, 7], 9), Some(2));
    }

    /// So many trees `a(b c(d) b)`, with something between them here and there.
    fn large(marks: &[(usize, &str)]) -> String {
        let tree = |at: usize| {
            let mark = marks.iter().find(|mark| mark.0 == at).map_or("", |mark| mark.1);
            format!("a(b c(d{}) b{mark})", ["", "e", "f", "g(h)", "i j"][at % 5])
        };
        (0..1000).map(tree).collect()
    }

    #[test]
    fn large_forests_with_few_differences_get_their_least_number() {
        assert_eq!(nodes(&large(&[(3, "x")]), &large(&[(700, "y"), (990, "z(x)")])), 4);
        let around = format!("i(c k({}))", large(&[(5, "x")]));
        assert_eq!(nodes(&large(&[(900, "y")]), &around), 5);
    }

    #[test]
    fn large_forests_without_likeness_get_a_bound() {
        let (before, after) = forests(&large(&[]), &large(&[]).replace('c', "x").replace('b', "y(z)"));
        let found = distance(&before, &after);
        assert!(found.at_most && found.nodes <= 10_000 && found.nodes >= 8000, "{found:?}");
    }
}
