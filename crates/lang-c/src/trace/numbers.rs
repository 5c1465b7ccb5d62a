//! The numbers of statements of C programs, and which functions are changed.

use std::collections::HashMap;

use bonafix_delta::{Counterparts, Numbers, Side};
use bonafix_model::Delta;
use camino::Utf8Path;

/// The lines of one version.
pub(super) struct Lines<'a> {
    numbers: &'a mut Numbers,
    side: Side,
    delta: &'a Delta,
    files: HashMap<&'a Utf8Path, Counterparts<'a>>,
    /// No changed function is known: a macro, a type or a variable is changed, which any of them may use.
    pub(super) is_everywhere: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(numbers: &'a mut Numbers, side: Side, delta: &'a Delta) -> Self {
        let files = delta.files.iter().map(|file| (file.path.as_path(), Counterparts::new(file)));
        let is_everywhere = !delta.elements().any(|element| element.kind.is_code());
        Self { numbers, side, delta, files: files.collect(), is_everywhere }
    }

    /// The number of the statement on a line of a file.
    pub(super) fn number(&mut self, file: &str, line: u32) -> u32 {
        self.numbers.number(file, line, self.side, self.files.get(Utf8Path::new(file))).into()
    }

    /// Is the function that begins there changed?
    pub(super) fn is_changed(&self, file: &str, line: u32) -> bool {
        let files = self.delta.files.iter().filter(|known| known.path == file);
        files.flat_map(|file| &file.elements).filter(|element| element.kind.is_code()).any(|element| {
            let lines = if self.side == Side::Buggy { element.before } else { element.after };
            lines.is_some_and(|lines| lines.first <= line && line <= lines.last)
        })
    }
}

#[cfg(test)]
mod tests {
    use bonafix_model::StatementNumber;

    use super::*;
    use crate::delta::delta_file;

    const BEFORE: &str =
        "int f(int x) {\n    if (x > 1)\n        x = 1;\n    return x;\n}\nint g(void) {\n    return 2;\n}\n";

    fn delta(after: &str) -> Delta {
        let file = delta_file(Utf8Path::new("a.c"), Some(BEFORE.as_bytes()), Some(after.as_bytes()));
        Delta { files: vec![file] }
    }

    fn is_shared(number: u32) -> bool {
        StatementNumber::from(number).is_shared()
    }

    #[test]
    fn lines_below_inserted_ones_keep_their_numbers() {
        let delta = delta(&BEFORE.replace("    if", "    x++;\n    x--;\n    if"));
        let mut numbers = Numbers::default();
        let mut buggy = Lines::new(&mut numbers, Side::Buggy, &delta);
        let before: Vec<u32> = (1..=8).map(|line| buggy.number("a.c", line)).collect();
        assert!(buggy.is_changed("a.c", 1) && !buggy.is_changed("a.c", 6) && !buggy.is_changed("b.c", 1));
        let mut patched = Lines::new(&mut numbers, Side::Patched, &delta);
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
        let before = Lines::new(&mut numbers, Side::Buggy, &delta).number("a.c", 2);
        let removed = Lines::new(&mut numbers, Side::Buggy, &delta).number("a.c", 7);
        assert_eq!(Lines::new(&mut numbers, Side::Patched, &delta).number("a.c", 2), before);
        assert!(is_shared(before) && !is_shared(removed));
    }

    /// Lines of the buggy version of which it is known that the patched one has them in a changed function. Code stands on the
    /// given lines.
    fn stays(before: &str, of_before: &[u32], after: &str, of_after: &[u32]) -> Vec<u32> {
        let file = delta_file(Utf8Path::new("a.c"), Some(before.as_bytes()), Some(after.as_bytes()));
        let delta = Delta { files: vec![file] };
        let mut numbers = Numbers::default();
        let mut lines = Lines::new(&mut numbers, Side::Buggy, &delta);
        let buggy: Vec<u32> = of_before.iter().map(|line| lines.number("a.c", *line)).collect();
        lines.number("b.c", 3);
        let mut lines = Lines::new(&mut numbers, Side::Patched, &delta);
        lines.number("b.c", 3);
        for line in of_after {
            lines.number("a.c", *line);
        }
        let changed = numbers.in_changed_methods(&delta);
        assert!(changed.iter().all(|(number, place)| buggy.contains(number) && place.file == "a.c"));
        let mut lines: Vec<u32> = changed.values().map(|place| place.line).collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn what_both_versions_have_of_changed_functions_is_known_by_its_place() {
        // `x = 1;` stays, behind another condition.
        let after = BEFORE.replace("x > 1", "x > 1 && x < 0").replace("    return x;\n", "");
        let found = stays(BEFORE, &[1, 2, 3, 4, 5, 7], &after, &[1, 2, 3, 4, 6]);
        assert_eq!(
            found,
            [1, 3, 5],
            "not the changed line 2, not the removed line 4, not `g`, not another file"
        );
    }

    /// Found on a right patch that ends a body with a jump: the compiler no longer puts anything on the line of the bracket.
    #[test]
    fn a_line_without_code_in_the_patched_version_does_not_stay() {
        let after = BEFORE.replace("        x = 1;\n", "        return 1;\n");
        assert_eq!(stays(BEFORE, &[1, 2, 4, 5], &after, &[1, 2, 4]), [1, 2, 4]);
    }

    /// Found on a right patch that gives a condition a second body with the same words: the text was aligned with the other copy.
    #[test]
    fn a_line_that_the_patch_has_copied_does_not_stay() {
        let before = "int f(int x) {\n    if (x == 1) {\n        return 5;\n    }\n    return x;\n}\n";
        let added = "    if (x == 2 || x == 1) {\n        return 5;\n    }\n    if (x == 3) {";
        let after = before.replace("    if (x == 1) {", added);
        assert_eq!(stays(before, &[1, 2, 3, 5], &after, &[1, 2, 3, 5, 6, 8]), [1, 5]);
    }
}
