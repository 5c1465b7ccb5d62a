//! One number for a statement, whatever the version.
//!
//! A statement is a line of a source that code stands on. It is known by its number in the buggy version, to which the delta
//! leads from the patched one; a line that only one of them has is a statement of its own. A changed statement, such as an
//! `if` with another condition, is the same statement: what differs is what it leads to.

use std::collections::{BTreeMap, HashMap, HashSet};

use bonafix_model::{ChangeKind, CodePlace, Delta, DeltaElement, DeltaFile, StatementNumber};

use crate::Counterparts;

/// Which version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The buggy one.
    Buggy,
    /// The patched one.
    Patched,
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Line {
    /// In the buggy version.
    Buggy(u32),
    /// Only in the patched version.
    Added(u32),
}

/// The numbers of statements given so far.
#[derive(Debug, Default)]
pub struct Numbers {
    sources: HashMap<String, u32>,
    known: HashMap<(u32, Line), StatementNumber>,
    /// On which sides a number was asked for: where a line has code.
    asked: HashSet<(u32, Side)>,
}

impl Numbers {
    /// The number of the statement on a line of a source; `file` tells what the patch does to it, if it is changed.
    pub fn number(
        &mut self,
        source: &str,
        line: u32,
        side: Side,
        file: Option<&Counterparts<'_>>,
    ) -> StatementNumber {
        let line = match (file, side) {
            (Some(file), Side::Patched) => file.before(line).map_or(Line::Added(line), Line::Buggy),
            _ => Line::Buggy(line),
        };
        let next = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        let source = match self.sources.get(source) {
            Some(&source) => source,
            None => *self.sources.entry(source.to_owned()).or_insert(next),
        };
        let next = StatementNumber::new(self.known.len());
        let number = *self.known.entry((source, line)).or_insert_with(|| marked(next, line, file));
        self.asked.insert((number.into(), side));
        number
    }

    /// Of the statements that were asked for on both sides, those that stand in changed methods and are surely the same: their
    /// lines were neither changed nor copied.
    pub fn in_changed_methods(&self, delta: &Delta) -> BTreeMap<u32, CodePlace> {
        let files = self.files(delta);
        let places = self.known.iter().filter_map(|(&(source, line), &number)| {
            let (Line::Buggy(line), Some(file)) = (line, files.get(&source)) else { return None };
            let is_inside = file.elements.iter().any(|element| holds(element, line));
            (file.alignment.keeps(line) && is_inside && self.on_both_sides(number))
                .then(|| (number.into(), CodePlace { file: file.path.to_string(), line }))
        });
        places.collect()
    }

    fn on_both_sides(&self, number: StatementNumber) -> bool {
        [Side::Buggy, Side::Patched].iter().all(|side| self.asked.contains(&(number.into(), *side)))
    }

    /// The changed file of each source, where there is only one that it can be.
    fn files<'a>(&self, delta: &'a Delta) -> BTreeMap<u32, &'a DeltaFile> {
        // A source is known by its path in the project, or by package and name.
        let of = |source: &str| {
            let mut files = delta.files.iter().filter(move |file| file.path.ends_with(source));
            files.next().filter(|_| files.next().is_none())
        };
        let named =
            |file: &DeltaFile| self.sources.keys().filter(|source| file.path.ends_with(source)).count();
        let known = self.sources.iter().filter_map(|(source, &number)| Some((number, of(source)?)));
        known.filter(|(_, file)| named(file) == 1).collect()
    }
}

/// Is it a changed method of which both versions have a body there?
fn holds(element: &DeltaElement, line: u32) -> bool {
    element.kind.is_code()
        && element.change == ChangeKind::Changed
        && element.before.is_some_and(|lines| lines.first <= line && line <= lines.last)
}

/// A number that says whether only one version has the statement.
fn marked(number: StatementNumber, line: Line, file: Option<&Counterparts<'_>>) -> StatementNumber {
    match (file, line) {
        (Some(_), Line::Added(_)) => number.one_sided(),
        (Some(file), Line::Buggy(line)) if file.after(line).is_none() => number.one_sided(),
        _ => number,
    }
}
