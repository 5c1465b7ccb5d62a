//! What must hold for every patch: applying the diff of two texts gives the second, and no input makes us panic.

use std::collections::BTreeMap;

use bonafix_subject::patch::{FileEdit, PatchError, PatchSet, render_unified};
use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use similar::TextDiff;

/// Texts of few different lines, so that lines repeat, with or without a final newline.
fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "}",
        "  x();",
        "return;",
        "if (a) {",
        "-- b",
        "++ c",
        "@@ -1 +1 @@",
        "é",
    ]);
    (prop::collection::vec(line, 0..40), any::<bool>()).prop_map(|(lines, newline)| {
        let text = lines.join("\n");
        if newline && !lines.is_empty() { text + "\n" } else { text }
    })
}

/// A text and an edited copy; edits are few, as in a patch.
fn text_and_edit() -> impl Strategy<Value = (String, String)> {
    let edit = (any::<prop::sample::Index>(), prop::option::of("[a-c]{1,2}"), any::<bool>());
    (text(), prop::collection::vec(edit, 0..5)).prop_map(|(old, edits)| {
        let mut lines: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
        for (at, line, replace) in edits {
            let at = at.index(lines.len() + 1);
            if replace && at < lines.len() {
                lines.remove(at);
            }
            lines.splice(at..at, line.map(|line| line + "\n"));
        }
        (old, lines.concat())
    })
}

/// Lines that are all different, and an edited copy.
fn unique_lines_and_edit() -> impl Strategy<Value = (String, String)> {
    prop::collection::vec(0..12_u8, 1..40).prop_map(|actions| {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for (number, action) in actions.into_iter().enumerate() {
            let line = format!("line {number}\n");
            old.push(line.clone());
            match action {
                0 => {}
                1 => new.push(format!("changed {number}\n")),
                2 => new.push(format!("{line}added {number}\n")),
                _ => new.push(line),
            }
        }
        (old.concat(), new.concat())
    })
}

fn diff(old: &str, new: &str, context: usize) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(context)
        .header("a/src/A", "b/src/A")
        .to_string()
}

fn crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

/// The patched text; the old one if the patch changes nothing.
fn applied(patch: &[u8], target: &str) -> Result<String, PatchError> {
    let tree = BTreeMap::from([(Utf8PathBuf::from("src/A"), target.as_bytes().to_vec())]);
    let mut applied = PatchSet::parse("fix.diff", patch)?.apply(&tree)?;
    match applied.change.remove(Utf8Path::new("src/A")) {
        Some(FileEdit::Write(bytes)) => Ok(String::from_utf8(bytes).expect("texts are UTF-8")),
        Some(FileEdit::Delete) => Ok(String::new()),
        None => Ok(target.to_owned()),
    }
}

fn check(patch: &str, target: &str, expected: &str) -> Result<(), TestCaseError> {
    match applied(patch.as_bytes(), target) {
        Ok(result) => prop_assert_eq!(result, expected, "{}", patch),
        Err(error) => prop_assert!(false, "{error}\n{patch}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_diff_of_two_texts_makes_one_of_the_other((old, new) in text_and_edit(), context in 0..6_usize) {
        prop_assume!(old != new);
        check(&diff(&old, &new, context), &old, &new)?;
    }

    #[test]
    fn unrelated_texts_are_no_exception(old in text(), new in text(), context in 0..6_usize) {
        prop_assume!(old != new);
        check(&diff(&old, &new, context), &old, &new)?;
    }

    #[test]
    fn our_own_diffs_apply((old, new) in text_and_edit()) {
        prop_assume!(old != new);
        let patch = String::from_utf8(render_unified("a/src/A", "b/src/A", old.as_bytes(), new.as_bytes())).unwrap();
        check(&patch, &old, &new)?;
    }

    #[test]
    fn line_endings_of_patch_and_file_need_not_agree((old, new) in text_and_edit(), context in 0..4_usize) {
        prop_assume!(old != new && old.contains('\n'));
        let patch = diff(&old, &new, context);
        let verbatim = diff(&crlf(&old), &crlf(&new), context);
        check(&verbatim, &crlf(&old), &crlf(&new))?;
        check(&crlf(&patch), &old, &new)?;
        check(&patch, &crlf(&old), &crlf(&new))?;
        check(&crlf(&patch), &crlf(&old), &crlf(&new))?;
    }

    #[test]
    fn lines_put_before_the_file_only_shift_it((old, new) in unique_lines_and_edit(), context in 1..4_usize, shift in 0..30) {
        prop_assume!(old != new);
        let before = (0..shift).map(|number| format!("before {number}\n")).collect::<Vec<_>>().concat();
        check(&diff(&old, &new, context), &format!("{before}{old}"), &format!("{before}{new}"))?;
    }

    #[test]
    fn hunks_in_any_order_give_the_same((old, new) in text_and_edit(), context in 0..3_usize) {
        prop_assume!(old != new);
        let mut patch = PatchSet::parse("fix.diff", diff(&old, &new, context).as_bytes()).unwrap();
        patch.files[0].hunks.reverse();
        let tree = BTreeMap::from([(Utf8PathBuf::from("src/A"), old.into_bytes())]);
        let change = patch.apply(&tree).unwrap().change;
        prop_assert_eq!(change.into_values().next(), Some(FileEdit::Write(new.into_bytes())));
    }

    #[test]
    fn a_patch_turned_round_undoes_itself((old, new) in text_and_edit(), context in 0..4_usize) {
        prop_assume!(old != new);
        let patch = PatchSet::parse("fix.diff", diff(&old, &new, context).as_bytes()).unwrap();
        let tree = BTreeMap::from([(Utf8PathBuf::from("src/A"), new.into_bytes())]);
        let change = patch.reversed().apply(&tree).unwrap().change;
        prop_assert_eq!(change.into_values().next(), Some(FileEdit::Write(old.into_bytes())));
    }

    #[test]
    fn an_applied_patch_is_not_applied_again((old, new) in unique_lines_and_edit()) {
        prop_assume!(old != new && !new.is_empty());
        let result = applied(diff(&old, &new, 3).as_bytes(), &new);
        prop_assert!(matches!(result, Err(PatchError::AlreadyApplied { .. })), "{result:?}");
    }

    #[test]
    fn arbitrary_bytes_never_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _result = PatchSet::parse("fix.diff", &bytes);
    }

    #[test]
    fn damaged_patches_never_panic(
        (old, new) in text_and_edit(),
        context in 0..4_usize,
        damages in prop::collection::vec((any::<prop::sample::Index>(), damage()), 1..6),
    ) {
        let mut lines: Vec<String> = diff(&old, &new, context).lines().map(str::to_owned).collect();
        for (at, line) in damages {
            let at = at.index(lines.len() + 1);
            match line {
                Some(line) => lines.insert(at, line),
                None if at < lines.len() => drop(lines.remove(at)),
                None => {}
            }
        }
        let _result = applied(lines.join("\n").as_bytes(), &old);
    }
}

/// A line to put in, or none to take one out.
fn damage() -> impl Strategy<Value = Option<String>> {
    let lines = [
        "",
        " ",
        "-",
        "+x",
        "\\ No newline at end of file",
        "-- ",
        "--- a/src/A",
        "+++ b/src/A",
        "@@ -1 +1 @@",
        "@@ -99,2 +0,0 @@",
        "@@ -0,0 +4294967295 @@",
        "@@ -18446744073709551615,1 +1 @@",
        "@@",
        "diff --git a/src/A b/src/A",
        "rename from src/A",
        "rename to src/B",
        "new file mode 100644",
        "deleted file mode 100644",
        "+++ /dev/null",
        "--- \"a/\\",
        "garbage",
        "\r",
    ];
    prop::option::weighted(0.8, prop::sample::select(lines.map(str::to_owned).to_vec()))
}
