//! The numbers of statements by those of probes.
//!
//! A statement is a line of a source. What class the code is in is not looked at: an anonymous class may have another number
//! in the patched version, even where nothing in it was changed, and its lines are still the same lines.

use bonafix_delta::{Counterparts, Numbers, Side};
use bonafix_model::{Delta, DeltaFile};

use super::probed::ClassLines;

/// Stands for a number that no probe has.
const NONE: u32 = u32::MAX;

/// The numbers of a version's statements by those of its probes; `delta` leads from the buggy version to the patched one.
pub(super) fn of_version<'a>(
    numbers: &mut Numbers,
    classes: impl Iterator<Item = &'a ClassLines>,
    side: Side,
    delta: &Delta,
) -> Vec<u32> {
    let mut by_probe = Vec::new();
    for class in classes {
        let file = file_of(delta, &class.source).map(Counterparts::new);
        let first = class.first as usize;
        if by_probe.len() < first + class.lines.len() {
            by_probe.resize(first + class.lines.len(), NONE);
        }
        for (at, &line) in class.lines.iter().enumerate() {
            by_probe[first + at] = numbers.number(&class.source, line, side, file.as_ref()).into();
        }
    }
    by_probe
}

/// What a delta says of a source, which is given by package and file name.
fn file_of<'a>(delta: &'a Delta, source: &str) -> Option<&'a DeltaFile> {
    delta.files.iter().find(|file| file.path.ends_with(source))
}

#[cfg(test)]
mod tests {
    use bonafix_model::StatementNumber;
    use camino::Utf8Path;

    use super::*;
    use crate::delta::delta_file;

    /// Numbers of the given lines in each version, for sources whose code stands on these lines.
    fn numbers(before: (&str, &[(&str, &[u32])]), after: (&str, &[(&str, &[u32])])) -> [Vec<u32>; 2] {
        let path = Utf8Path::new("src/main/java/p/A.java");
        let file = delta_file(path, Some(before.0.as_bytes()), Some(after.0.as_bytes()));
        let delta = Delta { files: vec![file] };
        let mut numbers = Numbers::default();
        let mut of = |classes: &[(&str, &[u32])], side: Side| {
            let mut first = 0;
            let mut found = Vec::new();
            for (source, lines) in classes {
                found.push(ClassLines { source: (*source).to_owned(), first, lines: lines.to_vec() });
                first += u32::try_from(lines.len()).unwrap();
            }
            of_version(&mut numbers, found.iter(), side, &delta)
        };
        [of(before.1, Side::Buggy), of(after.1, Side::Patched)]
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
        );
        assert_eq!(patched[..2], buggy[..2]);
        assert_eq!(patched[4..], buggy[2..], "moved down by two lines");
        assert!(!buggy.contains(&patched[2]) && !buggy.contains(&patched[3]) && patched[2] != patched[3]);
    }

    #[test]
    fn a_changed_condition_is_the_same_statement() {
        let after = BEFORE.replace("x > 1", "x >= 1");
        let lines: &[u32] = &[4, 5, 6, 7];
        let [buggy, patched] = numbers((BEFORE, &[("p/A.java", lines)]), (&after, &[("p/A.java", lines)]));
        assert_eq!(buggy, patched);
        assert!(buggy.iter().all(|number| StatementNumber::from(*number).is_shared()));
    }

    #[test]
    fn a_line_that_the_patch_removes_is_nowhere_else() {
        let after = BEFORE.replace("        g();\n", "");
        let [buggy, patched] =
            numbers((BEFORE, &[("p/A.java", &[4, 5, 6, 7])]), (&after, &[("p/A.java", &[4, 5, 6])]));
        assert_eq!([buggy[0], buggy[1], buggy[3]], patched[..]);
        assert!(!StatementNumber::from(buggy[2]).is_shared() && StatementNumber::from(buggy[3]).is_shared());
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
        );
        assert_eq!((patched[1], patched[3]), (buggy[0], buggy[1]));
        assert!(!buggy.contains(&patched[0]) && !buggy.contains(&patched[2]));
    }

    #[test]
    fn a_source_of_the_same_name_elsewhere_is_another() {
        let after = BEFORE.replace("        g();\n", "");
        let lines: &[u32] = &[4, 6];
        let [buggy, patched] = numbers(
            (BEFORE, &[("q/A.java", lines), ("p/A.java", lines)]),
            (&after, &[("q/A.java", lines), ("p/A.java", lines)]),
        );
        assert_eq!(buggy[..2], patched[..2]);
        let is_shared = |number: u32| StatementNumber::from(number).is_shared();
        assert!(is_shared(buggy[1]) && !is_shared(buggy[3]));
    }

    /// Found on right patches of a sort: the condition of an `else if` goes, and the line that it stood on seemed to have stayed, for
    /// what follows it begins alike.
    #[test]
    fn a_line_whose_condition_goes_does_not_stay() {
        let before = "package p;
class A {
    void f(int x) {
        for (int i = 0; i < x; i++) {
            if (i < 3) {
                g(1);
            } else if (i > 3) {
                h(2);
            }
        }
        int k = x;
    }
}
";
        let after = before.replace(
            "            } else if (i > 3) {\n                h(2);\n            }\n",
            "            } else\n\t\t\t\th(2);\n",
        );
        let path = Utf8Path::new("src/main/java/p/A.java");
        let file = delta_file(path, Some(before.as_bytes()), Some(after.as_bytes()));
        let delta = Delta { files: vec![file] };
        let mut numbers = Numbers::default();
        let lines =
            |first, lines: &[u32]| ClassLines { source: "p/A.java".to_owned(), first, lines: lines.to_vec() };
        of_version(&mut numbers, [lines(0, &[4, 5, 6, 7, 8, 11, 12])].iter(), Side::Buggy, &delta);
        of_version(&mut numbers, [lines(0, &[4, 5, 6, 7, 8, 10, 11])].iter(), Side::Patched, &delta);
        let mut stays: Vec<u32> =
            numbers.in_changed_methods(&delta).values().map(|place| place.line).collect();
        stays.sort_unstable();
        assert_eq!(stays, [4, 5, 6, 11], "and line 12 is a bracket, of which one goes");
    }
}
