//! One number for a statement, whatever the version.
//!
//! A statement is a line of a source that code stands on. What class the code is in is not looked at: an anonymous class
//! may have another number in the patched version, even where nothing in it was changed, and its lines are still the same
//! lines. A line is known by its number in the buggy version, to which the delta's alignment leads from the patched one;
//! a line that only the patched version has is a statement of its own.

use std::collections::HashMap;

use bonafix_delta::{ChangedStatements, Counterparts};
use bonafix_model::{Delta, DeltaFile};

use super::probed::ClassLines;

/// The way that traces are made.
pub(super) const CHANGED_STATEMENTS: ChangedStatements = ChangedStatements::Same;

/// Stands for a number that no probe has.
const NONE: u32 = u32::MAX;

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
pub(super) struct Numbering {
    sources: HashMap<String, u32>,
    known: HashMap<(u32, Line), u32>,
}

impl Numbering {
    /// The numbers of a version's statements by those of its probes; `delta` leads to it from the buggy version.
    pub(super) fn of_version<'a>(
        &mut self,
        classes: impl Iterator<Item = &'a ClassLines>,
        delta: &Delta,
        changed: ChangedStatements,
    ) -> Vec<u32> {
        let mut numbers = Vec::new();
        for class in classes {
            let file = file_of(delta, &class.source).map(|file| Counterparts::new(file, changed));
            let next = u32::try_from(self.sources.len()).unwrap_or(NONE);
            let source = *self.sources.entry(class.source.clone()).or_insert(next);
            let first = class.first as usize;
            if numbers.len() < first + class.lines.len() {
                numbers.resize(first + class.lines.len(), NONE);
            }
            for (at, &line) in class.lines.iter().enumerate() {
                let line = match &file {
                    Some(counterparts) => counterparts.before(line).map_or(Line::Added(line), Line::Buggy),
                    None => Line::Buggy(line),
                };
                let next = u32::try_from(self.known.len()).unwrap_or(NONE);
                numbers[first + at] = *self.known.entry((source, line)).or_insert(next);
            }
        }
        numbers
    }
}

/// What a delta says of a source, which is given by package and file name.
fn file_of<'a>(delta: &'a Delta, source: &str) -> Option<&'a DeltaFile> {
    delta.files.iter().find(|file| file.path.ends_with(source))
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::delta::delta_file;

    /// Numbers of the given lines in each version, for sources whose code stands on these lines.
    fn numbers(
        before: (&str, &[(&str, &[u32])]),
        after: (&str, &[(&str, &[u32])]),
        changed: ChangedStatements,
    ) -> [Vec<u32>; 2] {
        let path = Utf8Path::new("src/main/java/p/A.java");
        let file = delta_file(path, Some(before.0.as_bytes()), Some(after.0.as_bytes()));
        let delta = Delta { files: vec![file] };
        let mut numbering = Numbering::default();
        let mut of = |classes: &[(&str, &[u32])], delta: &Delta| {
            let mut first = 0;
            let mut found = Vec::new();
            for (source, lines) in classes {
                found.push(ClassLines { source: (*source).to_owned(), first, lines: lines.to_vec() });
                first += u32::try_from(lines.len()).unwrap();
            }
            numbering.of_version(found.iter(), delta, changed)
        };
        [of(before.1, &Delta::default()), of(after.1, &delta)]
    }

    const BEFORE: &str = "package p;
class A {
    int f(int x) {
        if (x > 1)
            return 1;
        g();
        return 2;
    }
    void g() {
    }
}
";

    #[test]
    fn moved_lines_keep_their_number_and_added_ones_get_their_own() {
        let after = BEFORE.replace("        g();\n", "        h();\n        h();\n        g();\n");
        let [buggy, patched] = numbers(
            (BEFORE, &[("p/A.java", &[4, 5, 6, 7, 10])]),
            (&after, &[("p/A.java", &[4, 5, 6, 7, 8, 9, 12])]),
            ChangedStatements::Same,
        );
        assert_eq!(patched[..2], buggy[..2]);
        assert_eq!(patched[4..], buggy[2..], "moved down by two lines");
        assert!(!buggy.contains(&patched[2]) && !buggy.contains(&patched[3]) && patched[2] != patched[3]);
    }

    #[test]
    fn a_changed_condition_is_the_same_statement_or_another() {
        let after = BEFORE.replace("x > 1", "x >= 1");
        let lines: &[u32] = &[4, 5, 6, 7];
        let of =
            |changed| numbers((BEFORE, &[("p/A.java", lines)]), (&after, &[("p/A.java", lines)]), changed);
        let [buggy, patched] = of(ChangedStatements::Same);
        assert_eq!(buggy, patched);
        let [buggy, patched] = of(ChangedStatements::Different);
        assert_ne!(buggy[0], patched[0]);
        assert_eq!(buggy[1..], patched[1..]);
    }

    #[test]
    fn an_anonymous_class_with_another_number_has_the_same_lines() {
        let before = "package p;
class A {
    Runnable a = new Runnable() {
        public void run() {
            f(1);
        }
    };
}
";
        let added = "    Runnable b = new Runnable() {
        public void run() {
            f(2);
        }
    };
";
        let after = before.replace("class A {\n", &format!("class A {{\n{added}"));
        // p.A and p.A$1 before; p.A, p.A$1 and p.A$2 after, where p.A$2 is what p.A$1 was.
        let [buggy, patched] = numbers(
            (before, &[("p/A.java", &[3]), ("p/A.java", &[5])]),
            (&after, &[("p/A.java", &[3, 8]), ("p/A.java", &[5]), ("p/A.java", &[10])]),
            ChangedStatements::Same,
        );
        assert_eq!((patched[1], patched[3]), (buggy[0], buggy[1]));
        assert!(!buggy.contains(&patched[0]) && !buggy.contains(&patched[2]));
    }

    #[test]
    fn a_source_of_the_same_name_elsewhere_is_another() {
        let after = BEFORE.replace("x > 1", "x >= 1");
        let [buggy, patched] = numbers(
            (BEFORE, &[("q/A.java", &[4]), ("p/A.java", &[4])]),
            (&after, &[("q/A.java", &[4]), ("p/A.java", &[4])]),
            ChangedStatements::Different,
        );
        assert_eq!(buggy[0], patched[0]);
        assert_ne!(buggy[1], patched[1]);
    }
}
