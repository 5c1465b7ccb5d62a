//! Which elements of two versions are the same, and which of them differ.

use std::collections::{BTreeMap, BTreeSet};

use bonafix_model::{ChangeKind, DeltaElement, ElementId, ElementKind, Statement};

use super::outline::{Element, Outline};
use super::statements::{self, Difference};

/// All elements that differ, and pairs of lines that hold the same unchanged code.
pub(crate) fn compare(before: &Outline, after: &Outline) -> (Vec<DeltaElement>, Vec<(u32, u32)>) {
    let matching = Matching::of(before, after);
    let reordered = matching.reordered(before, after);
    let mut same = Vec::new();
    let mut found = Vec::new();
    for &(b, a) in &matching.pairs {
        let elements = (&before.elements[b], &after.elements[a]);
        let difference = difference(before, after, elements.0, elements.1);
        same.extend(same_lines(before, after, &difference.same));
        let moved = elements.0.kind == ElementKind::Type && reordered.contains(&elements.0.key);
        if moved || differs(before, after, elements.0, elements.1, &difference) {
            found.push(changed(before, after, elements.0, elements.1, &difference));
        }
    }
    found.extend(matching.removed.iter().map(|&b| alone(before, &before.elements[b], ChangeKind::Removed)));
    found.extend(matching.added.iter().map(|&a| alone(after, &after.elements[a], ChangeKind::Added)));
    found.sort_by_cached_key(|element| {
        let lines = element.before.or(element.after);
        (lines.map(|lines| lines.first), element.change == ChangeKind::Added, element.name.clone())
    });
    (found, same)
}

/// Everything that a file declares, as added or removed.
pub(crate) fn all(outline: &Outline, change: ChangeKind) -> Vec<DeltaElement> {
    outline
        .elements
        .iter()
        .filter(|element| !is_empty(outline, element))
        .map(|e| alone(outline, e, change))
        .collect()
}

/// A file with nothing outside of its types.
fn is_empty(outline: &Outline, element: &Element) -> bool {
    element.kind == ElementKind::File
        && outline.element_ids(element).iter().all(|&id| id == u32::MAX)
        && outline.pieces[element.piece].bodies.iter().all(Vec::is_empty)
}

fn difference(before: &Outline, after: &Outline, b: &Element, a: &Element) -> Difference {
    match b.kind {
        ElementKind::File => statements::compare_unordered(before, after, b.piece, a.piece),
        _ => statements::compare(before, after, b.piece, a.piece),
    }
}

fn differs(before: &Outline, after: &Outline, b: &Element, a: &Element, difference: &Difference) -> bool {
    match b.kind {
        ElementKind::File => difference.head || difference.has_statements(),
        ElementKind::Type => type_head(before, b) != type_head(after, a),
        _ => before.element_ids(b) != after.element_ids(a),
    }
}

/// The head of a type, without the punctuation that comes and goes with its members.
fn type_head(outline: &Outline, element: &Element) -> Vec<u32> {
    outline.element_ids(element).into_iter().filter(|id| !outline.punctuation.contains(id)).collect()
}

fn changed(
    before: &Outline,
    after: &Outline,
    b: &Element,
    a: &Element,
    difference: &Difference,
) -> DeltaElement {
    let mut listed = difference.list(before, after);
    let shared_differs = before.shared_ids(b) != after.shared_ids(a);
    let head = difference.head || shared_differs;
    if b.kind == ElementKind::Field && head {
        // A field's own text counts as its statement; it comes first, before those of lambdas inside of it.
        listed.before.insert(0, whole(before, b));
        listed.after.insert(0, whole(after, a));
        listed.pairs.iter_mut().for_each(|pair| *pair = (pair.0 + 1, pair.1 + 1));
        listed.pairs.insert(0, (0, 0));
    }
    let renamed = (b.name != a.name || b.owner != a.owner).then(|| ElementId {
        name: a.name.clone(),
        owner: a.owner.clone(),
        parameters: a.parameters.clone(),
    });
    DeltaElement {
        renamed,
        after: Some(a.lines),
        signature_changed: b.signature != a.signature || b.parameters != a.parameters,
        only_nested: b.kind != ElementKind::Type && !head && !difference.has_statements(),
        statements_before: listed.before,
        statements_after: listed.after,
        statement_pairs: listed.pairs,
        ..bare(b, ChangeKind::Changed)
    }
}

fn alone(outline: &Outline, element: &Element, change: ChangeKind) -> DeltaElement {
    let mut list = match element.kind {
        ElementKind::Type => Vec::new(),
        _ => statements::all(outline, element.piece),
    };
    if element.kind == ElementKind::Field {
        list.insert(0, whole(outline, element));
    }
    let mut found = DeltaElement { signature_changed: true, ..bare(element, change) };
    if change == ChangeKind::Added {
        (found.before, found.after) = (None, Some(element.lines));
        found.statements_after = list;
    } else {
        found.statements_before = list;
    }
    found
}

/// A field with its type as a statement.
fn whole(outline: &Outline, element: &Element) -> Statement {
    let mut statement = statements::statement(outline, element.piece, element.lines);
    statement.extent = None;
    if !element.shared.is_empty() {
        let last = outline.pieces[element.piece].tokens.end - 1;
        statement.text = outline.first_line(element.shared.start, last);
    }
    statement
}

fn bare(element: &Element, change: ChangeKind) -> DeltaElement {
    DeltaElement {
        kind: element.kind,
        change,
        name: element.name.clone(),
        owner: element.owner.clone(),
        member: element.member.clone(),
        parameters: element.parameters.clone(),
        renamed: None,
        before: Some(element.lines),
        after: None,
        signature_changed: false,
        only_nested: false,
        statements_before: Vec::new(),
        statements_after: Vec::new(),
        statement_pairs: Vec::new(),
    }
}

/// Lines that begin with the same token in both versions.
fn same_lines(before: &Outline, after: &Outline, same: &[(usize, usize)]) -> Vec<(u32, u32)> {
    same.iter()
        .map(|&(b, a)| (&before.tokens[b], &after.tokens[a]))
        .filter(|(b, a)| b.first_on_line && a.first_on_line)
        .map(|(b, a)| (b.line, a.line))
        .collect()
}

/// Which element of one version is which of the other.
struct Matching {
    pairs: Vec<(usize, usize)>,
    removed: Vec<usize>,
    added: Vec<usize>,
}

impl Matching {
    fn of(before: &Outline, after: &Outline) -> Self {
        let none = Self {
            pairs: Vec::new(),
            removed: (0..before.elements.len()).collect(),
            added: (0..after.elements.len()).collect(),
        };
        none.pair(before, after, false, |e| e.key.as_str())
            .pair(before, after, true, |e| e.loose_key.as_str())
    }

    /// Pairs what is left by a key. Where several elements have the same key (initialisers, anonymous classes), those
    /// with equal text go together first, the others in order; or none of them, if only a single one will do.
    fn pair(
        self,
        before: &Outline,
        after: &Outline,
        only_single: bool,
        key: impl Fn(&Element) -> &str,
    ) -> Self {
        let mut groups: BTreeMap<&str, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for &b in &self.removed {
            groups.entry(key(&before.elements[b])).or_default().0.push(b);
        }
        for &a in &self.added {
            groups.entry(key(&after.elements[a])).or_default().1.push(a);
        }
        let mut pairs = self.pairs;
        for (b, a) in groups.into_values() {
            if !only_single || (b.len() == 1 && a.len() == 1) {
                pairs.extend(pair_group(before, after, b, a));
            }
        }
        pairs.sort_unstable();
        let paired_before: BTreeSet<_> = pairs.iter().map(|&(b, _)| b).collect();
        let paired_after: BTreeSet<_> = pairs.iter().map(|&(_, a)| a).collect();
        Self {
            removed: self.removed.into_iter().filter(|b| !paired_before.contains(b)).collect(),
            added: self.added.into_iter().filter(|a| !paired_after.contains(a)).collect(),
            pairs,
        }
    }

    /// Types whose constants, initialised fields or initialisers come in another order: they run in that order.
    fn reordered(&self, before: &Outline, after: &Outline) -> BTreeSet<String> {
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        let mut reordered = BTreeSet::new();
        for &(b, a) in &self.pairs {
            let element = &before.elements[b];
            if !element.ordered || !after.elements[a].ordered {
                continue;
            }
            let last = last.entry(&element.type_key).or_insert(a);
            if a < *last {
                reordered.insert(element.type_key.clone());
            }
            *last = a;
        }
        reordered
    }
}

fn pair_group(
    before: &Outline,
    after: &Outline,
    mut b: Vec<usize>,
    mut a: Vec<usize>,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    if b.len() > 1 || a.len() > 1 {
        b.retain(|&b| {
            let ids = before.element_ids(&before.elements[b]);
            let equal = a.iter().position(|&a| after.element_ids(&after.elements[a]) == ids);
            pairs.extend(equal.map(|at| (b, a.remove(at))));
            equal.is_none()
        });
    }
    pairs.extend(b.into_iter().zip(a));
    pairs
}
