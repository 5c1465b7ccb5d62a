//! One number for a statement, whatever the version.
//!
//! A line is known by its number in the buggy version, to which the delta leads from the patched one; a line that only one of
//! them has is a statement of its own. A changed statement, such as an `if` with another condition, is the same statement: what
//! differs is what it leads to.

use std::collections::HashMap;

use bonafix_delta::{ChangedStatements, Counterparts};
use bonafix_model::{Delta, ElementKind};
use camino::Utf8Path;

/// Set in numbers of statements that only one version has.
const ONE_SIDED: u32 = 1 << 31;

/// Which version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Buggy,
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
pub(super) struct Numbers {
    sources: HashMap<String, u32>,
    known: HashMap<(u32, Line), u32>,
}

/// The lines of one version.
pub(super) struct Lines<'a> {
    numbers: &'a mut Numbers,
    side: Side,
    delta: &'a Delta,
    files: HashMap<&'a Utf8Path, Counterparts<'a>>,
    /// No changed function is known: a macro, a type or a variable is changed, which any of them may use.
    pub(super) is_everywhere: bool,
}

/// Do both versions have this statement?
pub(super) fn is_shared(statement: u32) -> bool {
    statement & ONE_SIDED == 0
}

impl Numbers {
    pub(super) fn of_version<'a>(&'a mut self, side: Side, delta: &'a Delta) -> Lines<'a> {
        let files = delta
            .files
            .iter()
            .map(|file| (file.path.as_path(), Counterparts::new(file, ChangedStatements::Same)));
        let is_everywhere = !delta.elements().any(|element| is_function(element.kind));
        Lines { numbers: self, side, delta, files: files.collect(), is_everywhere }
    }
}

impl Lines<'_> {
    /// The number of the statement on a line of a file.
    pub(super) fn number(&mut self, file: &str, line: u32) -> u32 {
        let (line, is_shared) = match (self.files.get(Utf8Path::new(file)), self.side) {
            (None, _) => (Line::Buggy(line), true),
            (Some(file), Side::Buggy) => (Line::Buggy(line), file.after(line).is_some()),
            (Some(file), Side::Patched) => {
                file.before(line).map_or((Line::Added(line), false), |before| (Line::Buggy(before), true))
            }
        };
        let Numbers { sources, known } = &mut *self.numbers;
        let next = u32::try_from(sources.len()).unwrap_or(u32::MAX);
        let source = match sources.get(file) {
            Some(&source) => source,
            None => *sources.entry(file.to_owned()).or_insert(next),
        };
        // There are fewer lines than that.
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX) & !ONE_SIDED;
        let one_sided = if is_shared { 0 } else { ONE_SIDED };
        *known.entry((source, line)).or_insert(next | one_sided)
    }

    /// Is the function that begins there changed?
    pub(super) fn is_changed(&self, file: &str, line: u32) -> bool {
        let files = self.delta.files.iter().filter(|known| known.path == file);
        files.flat_map(|file| &file.elements).filter(|element| is_function(element.kind)).any(|element| {
            let lines = if self.side == Side::Buggy { element.before } else { element.after };
            lines.is_some_and(|lines| lines.first <= line && line <= lines.last)
        })
    }
}

fn is_function(kind: ElementKind) -> bool {
    matches!(kind, ElementKind::Method | ElementKind::Constructor | ElementKind::Initialiser)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delta::delta_file;

    const BEFORE: &str =
        "int f(int x) {\n    if (x > 1)\n        x = 1;\n    return x;\n}\nint g(void) {\n    return 2;\n}\n";

    fn delta(after: &str) -> Delta {
        let file = delta_file(Utf8Path::new("a.c"), Some(BEFORE.as_bytes()), Some(after.as_bytes()));
        Delta { files: vec![file] }
    }

    #[test]
    fn lines_below_inserted_ones_keep_their_numbers() {
        let delta = delta(&BEFORE.replace("    if", "    x++;\n    x--;\n    if"));
        let mut numbers = Numbers::default();
        let mut buggy = numbers.of_version(Side::Buggy, &delta);
        let before: Vec<u32> = (1..=8).map(|line| buggy.number("a.c", line)).collect();
        assert!(buggy.is_changed("a.c", 1) && !buggy.is_changed("a.c", 6) && !buggy.is_changed("b.c", 1));
        let mut patched = numbers.of_version(Side::Patched, &delta);
        let after: Vec<u32> = (1..=10).map(|line| patched.number("a.c", line)).collect();
        assert_eq!((after[0], &after[3..]), (before[0], &before[1..]));
        assert!(before.iter().all(|number| is_shared(*number)));
        assert!(!is_shared(after[1]) && !is_shared(after[2]) && after[1] != after[2]);
        assert!(patched.is_changed("a.c", 1) && !patched.is_changed("a.c", 8));
    }

    #[test]
    fn a_changed_condition_is_the_same_statement_and_a_removed_line_is_nowhere_else() {
        let delta =
            delta(&BEFORE.replace("x > 1", "x >= 1").replace("int g(void) {\n    return 2;\n}\n", ""));
        let mut numbers = Numbers::default();
        let before = numbers.of_version(Side::Buggy, &delta).number("a.c", 2);
        let removed = numbers.of_version(Side::Buggy, &delta).number("a.c", 7);
        assert_eq!(numbers.of_version(Side::Patched, &delta).number("a.c", 2), before);
        assert!(is_shared(before) && !is_shared(removed));
    }
}
