//! What all deltas together say of each version: which lines are changed there, and which statements correspond.
//!
//! Every delta leads from the buggy version to another. A statement that only one version changed has a counterpart in
//! the others, found through the alignment of lines.

use std::collections::{BTreeMap, BTreeSet};

use bonafix_model::{Delta, DeltaElement, DeltaFile, ElementKind, LineRange};
use camino::{Utf8Path, Utf8PathBuf};

/// The deltas of all versions, by version.
pub(super) struct Changes<'a> {
    deltas: Vec<&'a Delta>,
    /// Source of each top-level class that a delta names, by internal name.
    sources: BTreeMap<String, Utf8PathBuf>,
}

/// An element that some version changed, as it stands in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedElement {
    pub(super) kind: ElementKind,
    /// Internal name of its class.
    pub(super) owner: String,
    pub(super) member: String,
    /// None where it is not to be found in this version.
    pub(super) lines: Option<LineRange>,
}

impl<'a> Changes<'a> {
    pub(super) fn new(deltas: Vec<&'a Delta>) -> Self {
        let mut sources = BTreeMap::new();
        for file in deltas.iter().flat_map(|delta| &delta.files) {
            for owner in file.elements.iter().flat_map(owners) {
                sources.insert(top_level(&owner).to_owned(), file.path.clone());
            }
        }
        Self { deltas, sources }
    }

    /// Internal names of the classes that hold changed elements.
    pub(super) fn owners(&self) -> BTreeSet<String> {
        self.deltas.iter().flat_map(|delta| delta.elements()).flat_map(owners).collect()
    }

    /// The source that a class came from, if it is a changed one.
    pub(super) fn source_of(&self, class: &str) -> Option<&Utf8Path> {
        self.sources.get(top_level(class)).map(Utf8PathBuf::as_path)
    }

    /// All changed sources with classes in them.
    pub(super) fn sources(&self) -> BTreeSet<&Utf8Path> {
        self.sources.values().map(Utf8PathBuf::as_path).collect()
    }

    fn file(&self, version: usize, source: &Utf8Path) -> Option<&'a DeltaFile> {
        self.deltas.get(version)?.files.iter().find(|file| file.path == source)
    }

    fn elements(&self, version: usize, source: &Utf8Path) -> impl Iterator<Item = &'a DeltaElement> {
        self.file(version, source).into_iter().flat_map(|file| &file.elements)
    }

    /// Where lines of the buggy version stand in a version.
    fn in_version(&self, version: usize, source: &Utf8Path, lines: LineRange) -> Option<LineRange> {
        let Some(file) = self.file(version, source) else { return Some(lines) };
        let mut found: Option<LineRange> = None;
        for line in (lines.first..=lines.last).filter_map(|line| file.alignment.after(line)) {
            let (first, last) = found.map_or((line, line), |range| (range.first, range.last));
            found = Some(LineRange { first: first.min(line), last: last.max(line) });
        }
        found
    }

    /// Statements of a version that it has changed itself, or that another has.
    pub(super) fn statements(&self, version: usize, source: &Utf8Path) -> Vec<LineRange> {
        let mut found: Vec<LineRange> = Vec::new();
        for other in 0..self.deltas.len() {
            for element in self.elements(other, source) {
                if other == version {
                    found.extend(element.statements_after.iter().map(|statement| statement.lines));
                } else {
                    let before = element.statements_before.iter();
                    found.extend(
                        before.filter_map(|statement| self.in_version(version, source, statement.lines)),
                    );
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Changed elements of a source, as they stand in a version.
    pub(super) fn elements_in(&self, version: usize, source: &Utf8Path) -> Vec<ChangedElement> {
        let mut found: Vec<ChangedElement> = Vec::new();
        for other in 0..self.deltas.len() {
            for element in self.elements(other, source) {
                if element.only_nested || element.kind == ElementKind::File {
                    continue;
                }
                let lines = if other == version {
                    element.after
                } else {
                    element.before.and_then(|lines| self.in_version(version, source, lines))
                };
                let owner = match &element.renamed {
                    Some(renamed) if other == version => &renamed.owner,
                    _ => &element.owner,
                };
                let element = ChangedElement {
                    kind: element.kind,
                    owner: owner.replace('.', "/"),
                    member: element.member.clone(),
                    lines,
                };
                if !found.contains(&element) {
                    found.push(element);
                }
            }
        }
        found
    }

    /// Statements of two versions that are the same statement, changed in at least one of them.
    pub(super) fn counterparts(
        &self,
        first: usize,
        second: usize,
        source: &Utf8Path,
    ) -> Vec<(LineRange, LineRange)> {
        let (ours, theirs) = (self.pairs(first, source), self.pairs(second, source));
        let mut found = Vec::new();
        for (before, after) in &ours {
            let same = theirs.iter().find(|(other, _)| overlap(*other, *before));
            let counterpart =
                same.map(|(_, after)| *after).or_else(|| self.in_version(second, source, *before));
            found.extend(counterpart.map(|counterpart| (*after, counterpart)));
        }
        for (before, after) in &theirs {
            if !ours.iter().any(|(other, _)| overlap(*other, *before)) {
                found
                    .extend(self.in_version(first, source, *before).map(|counterpart| (counterpart, *after)));
            }
        }
        found
    }

    /// Statements that a version changed: in the buggy version, and in it.
    fn pairs(&self, version: usize, source: &Utf8Path) -> Vec<(LineRange, LineRange)> {
        let mut pairs = Vec::new();
        for element in self.elements(version, source) {
            for (before, after) in &element.statement_pairs {
                let before = element.statements_before.get(*before as usize);
                let after = element.statements_after.get(*after as usize);
                pairs.extend(before.zip(after).map(|(before, after)| (before.lines, after.lines)));
            }
        }
        pairs
    }
}

/// Internal names of the class that holds an element, in all versions; none for what stands outside of classes.
fn owners(element: &DeltaElement) -> impl Iterator<Item = String> {
    let own = (element.kind != ElementKind::File).then_some(&element.owner);
    let renamed = element.renamed.as_ref().map(|renamed| &renamed.owner);
    own.into_iter().chain(renamed).map(|owner| owner.replace('.', "/"))
}

fn top_level(class: &str) -> &str {
    let name = class.rfind('/').map_or(0, |slash| slash + 1);
    class[name..].find('$').filter(|at| *at > 0).map_or(class, |at| &class[..name + at])
}

pub(super) fn overlap(one: LineRange, other: LineRange) -> bool {
    one.first <= other.last && other.first <= one.last
}
