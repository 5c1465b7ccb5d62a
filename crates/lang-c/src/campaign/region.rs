//! Which edges of a program lie in changed code, and which near it.

use std::collections::BTreeSet;

use bonafix_lang::ExploredVersion;
use bonafix_model::{ElementKind, Frame};

use crate::recipe::is_source;

/// How near to the change an edge lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    Far,
    /// In the same file.
    Near,
    /// In a function that a version changes.
    Changed,
}

/// The changed functions of all versions: where only one of them was changed, the others behave differently there as well.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Region {
    /// Files with the names of functions in them.
    functions: BTreeSet<(String, String)>,
    files: BTreeSet<String>,
    /// Something is changed that any function may use: a macro, a type, a header.
    is_everywhere: bool,
}

impl Region {
    pub(super) fn of(versions: &[ExploredVersion<'_>]) -> Self {
        let mut region = Self::default();
        for file in versions.iter().flat_map(|version| &version.delta.files) {
            region.files.insert(file.path.to_string());
            region.is_everywhere |= file.problem.is_some();
            for element in &file.elements {
                if element.kind == ElementKind::Method && is_source(&file.path) {
                    region.functions.insert((file.path.to_string(), element.member.clone()));
                } else {
                    region.is_everywhere = true;
                }
            }
        }
        region
    }

    /// How near each edge is. All are changed if none seems to be: then the places are not known well enough.
    pub(super) fn standings(&self, places: &[Option<Frame>], edges: usize) -> Vec<Standing> {
        let mut standings: Vec<Standing> = places
            .iter()
            .map(|place| place.as_ref().map_or(Standing::Far, |frame| self.standing(frame)))
            .collect();
        standings.resize(edges.max(places.len()), Standing::Far);
        if self.is_everywhere || !standings.contains(&Standing::Changed) {
            standings.fill(Standing::Changed);
        }
        standings
    }

    fn standing(&self, frame: &Frame) -> Standing {
        let file = frame.file.strip_prefix("./").unwrap_or(&frame.file);
        let name = plain_name(&frame.function);
        let is_changed = |(path, function): &(String, String)| {
            plain_name(function) == name && (file.is_empty() || path == file)
        };
        if self.functions.iter().any(is_changed) {
            Standing::Changed
        } else if self.files.contains(file) {
            Standing::Near
        } else {
            Standing::Far
        }
    }
}

/// `parse` for `ini::Reader::parse(char const*)`.
fn plain_name(function: &str) -> &str {
    let named = function.split('(').next().unwrap_or(function);
    named.rsplit("::").next().unwrap_or(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, file: &str) -> Frame {
        Frame { function: function.to_owned(), file: file.to_owned(), line: 1 }
    }

    fn region() -> Region {
        Region {
            functions: [("a.c".to_owned(), "f".to_owned())].into(),
            files: ["a.c".to_owned()].into(),
            is_everywhere: false,
        }
    }

    #[test]
    fn edges_in_changed_functions_and_beside_them_are_told_apart() {
        let places = [Some(frame("f", "./a.c")), Some(frame("g", "a.c")), Some(frame("f", "b.c")), None];
        let expected = [Standing::Changed, Standing::Near, Standing::Far, Standing::Far, Standing::Far];
        assert_eq!(region().standings(&places, 5), expected);
    }

    #[test]
    fn without_any_known_changed_edge_all_count_as_changed() {
        assert_eq!(region().standings(&[Some(frame("g", "a.c"))], 2), [Standing::Changed; 2]);
    }

    #[test]
    fn names_are_compared_without_qualifiers_and_parameters() {
        assert_eq!(plain_name("ini::Reader::parse(std::string const&)"), "parse");
    }
}
