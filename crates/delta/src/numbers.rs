//! One number for a statement, whatever the version.
//!
//! A statement is a line of a source that code stands on. It is known by its number in the buggy version, to which the delta
//! leads from the patched one; a line that only one of them has is a statement of its own. A changed statement, such as an
//! `if` with another condition, is the same statement: what differs is what it leads to.

use std::collections::{BTreeMap, HashMap};

use bonafix_model::{ChangeKind, CodePlace, Delta, DeltaElement, DeltaFile, ElementKind, StatementNumber};

use crate::Counterparts;

/// Which version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        *self.known.entry((source, line)).or_insert_with(|| marked(next, line, file))
    }

    /// Of the statements that were given numbers, those that both versions have and that stand in changed methods.
    pub fn in_changed_methods(&self, delta: &Delta) -> BTreeMap<u32, CodePlace> {
        let mut files: BTreeMap<u32, &DeltaFile> = BTreeMap::new();
        for file in &delta.files {
            // A source is known by its path in the project, or by package and name.
            files.extend(
                self.sources
                    .iter()
                    .filter(|(source, _)| file.path.ends_with(source))
                    .map(|(_, &number)| (number, file)),
            );
        }
        let places = self.known.iter().filter_map(|(&(source, line), &number)| {
            let (Line::Buggy(line), Some(file)) = (line, files.get(&source)) else { return None };
            let is_inside = number.is_shared() && file.elements.iter().any(|element| holds(element, line));
            is_inside.then(|| (number.into(), CodePlace { file: file.path.to_string(), line }))
        });
        places.collect()
    }
}

/// Is it a changed method of which both versions have a body there?
fn holds(element: &DeltaElement, line: u32) -> bool {
    let is_code =
        matches!(element.kind, ElementKind::Method | ElementKind::Constructor | ElementKind::Initialiser);
    is_code
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
