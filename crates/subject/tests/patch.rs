//! What patches of all sorts do to small trees. Every test goes through `apply` or `parse` below.

use std::collections::BTreeMap;

use bonafix_subject::patch::{
    Applied, FileEdit, FileKind, Folder, PatchError, PatchSet, Rejection, Tree, render_unified,
};
use camino::{Utf8Path, Utf8PathBuf};

type Files = BTreeMap<Utf8PathBuf, Vec<u8>>;

fn tree(files: &[(&str, &str)]) -> Files {
    files.iter().map(|(path, text)| (Utf8PathBuf::from(*path), text.as_bytes().to_vec())).collect()
}

fn parse(patch: &str) -> Result<PatchSet, PatchError> {
    PatchSet::parse("fix.diff", patch.as_bytes())
}

fn try_apply(files: &[(&str, &str)], patch: &str) -> Result<Applied, PatchError> {
    parse(patch)?.apply(&tree(files))
}

fn apply(files: &[(&str, &str)], patch: &str) -> Applied {
    try_apply(files, patch).unwrap_or_else(|error| panic!("{error}"))
}

/// The text of a file that a patch writes.
fn written(applied: &Applied, path: &str) -> String {
    match applied.change.get(Utf8Path::new(path)) {
        Some(FileEdit::Write(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        other => panic!("{path} is not written but {other:?}; changed are {:?}", applied.change.keys()),
    }
}

fn deleted(applied: &Applied, path: &str) -> bool {
    applied.change.get(Utf8Path::new(path)) == Some(&FileEdit::Delete)
}

/// One file of five lines, and a patch of it with these header lines.
const FIVE: &str = "one\ntwo\nthree\nfour\nfive\n";
const FIVE_PATCHED: &str = "one\ntwo\n3\nfour\nfive\n";
const HUNK: &str = "@@ -1,5 +1,5 @@\n one\n two\n-three\n+3\n four\n five\n";

fn patch_of(old: &str, new: &str) -> String {
    format!("--- {old}\n+++ {new}\n{HUNK}")
}

fn applies_to(target: &str, patch: &str) -> Applied {
    let applied = apply(&[(target, FIVE), ("other/Unrelated.java", "x\n")], patch);
    assert_eq!(written(&applied, target), FIVE_PATCHED);
    applied
}

fn rejection(result: Result<Applied, PatchError>) -> Rejection {
    match result {
        Err(PatchError::Rejected(rejection)) => *rejection,
        other => panic!("not rejected but {other:?}"),
    }
}

mod paths {
    use super::*;

    #[test]
    fn git_prefixes_are_taken_off() {
        let applied = applies_to("src/A.java", &patch_of("a/src/A.java", "b/src/A.java"));
        assert_eq!((applied.strip, applied.prefix_removed.as_deref()), (1, Some("a/")));
        assert_eq!(applied.notes, Vec::<String>::new());
    }

    #[test]
    fn a_path_from_the_root_is_taken_as_it_is() {
        let applied =
            applies_to("src/A.java", &patch_of("src/A.java\t2017-04-11 02:57", "src/A.java\t2017-04-11"));
        assert_eq!((applied.strip, applied.prefix_removed), (0, None));
    }

    #[test]
    fn absolute_and_foreign_prefixes_are_taken_off() {
        for prefix in ["/tmp/Lang_1_buggy", "/home/me/defects4j/Math_5", "Lang-1b", "../buggy", "./x/../y"] {
            let patch = patch_of(&format!("{prefix}/src/A.java"), &format!("{prefix}_fixed/src/A.java"));
            let applied = applies_to("src/A.java", &patch);
            assert_eq!(
                applied.prefix_removed.unwrap().trim_matches(['.', '/']),
                prefix.trim_matches(['.', '/'])
            );
        }
    }

    #[test]
    fn backslashes_of_windows_are_understood() {
        applies_to(
            "src/main/A.java",
            &patch_of(r"C:\work\Lang 1\src\main\A.java", r"C:\work\fixed\src\main\A.java"),
        );
        applies_to("src/main/A.java", &patch_of(r"a\src\main\A.java", r"b\src\main\A.java"));
    }

    #[test]
    fn a_missing_prefix_is_added_if_only_one_file_can_be_meant() {
        let applied =
            applies_to("src/main/java/org/foo/Bar.java", &patch_of("org/foo/Bar.java", "org/foo/Bar.java"));
        assert_eq!(applied.prefix_added.as_deref(), Some("src/main/java"));
        applies_to("src/main/java/org/foo/Bar.java", &patch_of("Bar.java", "Bar.java"));
        applies_to("src/main/java/org/foo/Bar.java", &patch_of("a/org/foo/Bar.java", "b/org/foo/Bar.java"));
        applies_to("core/src/org/Bar.java", &patch_of("/tmp/x/src/org/Bar.java", "/tmp/y/src/org/Bar.java"));
    }

    #[test]
    fn of_several_files_with_the_name_the_one_where_the_hunks_fit_is_meant() {
        let files = [("x/Bar.java", "something else\n"), ("y/Bar.java", FIVE)];
        let applied = apply(&files, &patch_of("Bar.java", "Bar.java"));
        assert_eq!(written(&applied, "y/Bar.java"), FIVE_PATCHED);
    }

    #[test]
    fn a_path_that_can_mean_two_files_is_an_error_that_lists_them() {
        let files = [("x/Bar.java", FIVE), ("y/Bar.java", FIVE)];
        let error = try_apply(&files, &patch_of("Bar.java", "Bar.java")).unwrap_err();
        assert!(matches!(&error, PatchError::AmbiguousPath { candidates, .. } if candidates.len() == 2));
        assert!(error.to_string().contains("x/Bar.java, y/Bar.java"), "{error}");
    }

    #[test]
    fn levels_that_both_fit_are_ambiguous_unless_git_wrote_the_patch() {
        let files = [("p/src/A.java", FIVE), ("src/A.java", FIVE)];
        let error = try_apply(&files, &patch_of("p/src/A.java", "p/src/A.java")).unwrap_err();
        assert!(matches!(error, PatchError::AmbiguousPath { .. }), "{error}");
        let files = [("a/src/A.java", FIVE), ("src/A.java", FIVE)];
        let applied = apply(&files, &patch_of("a/src/A.java", "b/src/A.java"));
        assert_eq!(written(&applied, "src/A.java"), FIVE_PATCHED);
    }

    #[test]
    fn the_level_is_the_same_for_all_files() {
        let patch = patch_of("Math_5b/src/A.java", "Math_5f/src/A.java")
            + &patch_of("Math_5b/B.java", "Math_5f/B.java");
        let applied = apply(&[("src/A.java", FIVE), ("B.java", FIVE)], &patch);
        assert_eq!((applied.strip, applied.change.len()), (1, 2));
    }

    #[test]
    fn bare_names_in_different_folders_are_found_one_by_one() {
        let patch = patch_of("A.java", "A.java") + &patch_of("B.java", "B.java");
        let applied = apply(&[("x/A.java", FIVE), ("y/B.java", FIVE)], &patch);
        assert_eq!(written(&applied, "x/A.java"), FIVE_PATCHED);
        assert_eq!(written(&applied, "y/B.java"), FIVE_PATCHED);
    }

    #[test]
    fn a_level_where_the_hunks_fit_is_preferred() {
        let files = [("x/src/A.java", "something else\n"), ("src/A.java", FIVE)];
        let applied = apply(&files, &patch_of("x/src/A.java", "x/src/A.java"));
        assert_eq!(written(&applied, "src/A.java"), FIVE_PATCHED);
    }

    #[test]
    fn of_a_file_and_its_backup_the_file_is_meant() {
        let files = [("A.java", FIVE), ("A.java.orig", FIVE)];
        let applied = apply(&files, &patch_of("A.java.orig", "A.java"));
        assert_eq!(written(&applied, "A.java"), FIVE_PATCHED);
        assert_eq!(applied.change.len(), 1);
    }

    #[test]
    fn a_missing_file_is_named_with_the_places_where_it_was_looked_for() {
        let error =
            try_apply(&[("src/B.java", FIVE)], &patch_of("a/src/A.java", "b/src/A.java")).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, PatchError::MissingFile { .. }), "{text}");
        assert!(text.starts_with("fix.diff:1: ") && text.contains("src/A.java, a/src/A.java"), "{text}");
    }

    #[test]
    fn paths_that_leave_the_folder_are_refused() {
        for path in ["../../etc/passwd", "a/../../etc/passwd"] {
            let error = try_apply(&[("src/A.java", FIVE)], &patch_of(path, path)).unwrap_err();
            assert!(matches!(error, PatchError::Escapes { .. }), "{path}: {error}");
            let create = format!("--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+x\n");
            let error = try_apply(&[("src/A.java", FIVE)], &create).unwrap_err();
            assert!(matches!(error, PatchError::Escapes { .. }), "{path}: {error}");
        }
        let create = "--- /dev/null\n+++ /etc/cron.d/x\n@@ -0,0 +1 @@\n+x\n";
        assert!(matches!(try_apply(&[("src/A.java", FIVE)], create), Err(PatchError::Escapes { .. })));
    }

    #[test]
    fn quoted_names_are_read() {
        applies_to(
            "src/Müller.java",
            &patch_of(r#""a/src/M\303\274ller.java""#, r#""b/src/M\303\274ller.java""#),
        );
    }
}

mod headers {
    use super::*;

    #[test]
    fn an_svn_diff_applies() {
        let head = "Index: src/A.java\n===================================================================\n";
        let patch = patch_of("src/A.java\t(revision 12)", "src/A.java\t(working copy)");
        applies_to("src/A.java", &format!("{head}{patch}"));
    }

    #[test]
    fn a_mailed_patch_applies_without_its_signature() {
        let mail = "From 1a2b Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nSubject: [PATCH] Fix\n\n---\n \
                    src/A.java | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n\
                    diff --git a/src/A.java b/src/A.java\nindex 1234567..89abcde 100644\n";
        let patch = format!("{mail}{}-- \n2.39.5\n\n", patch_of("a/src/A.java", "b/src/A.java"));
        assert_eq!(applies_to("src/A.java", &patch).notes, Vec::<String>::new());
    }

    #[test]
    fn folders_compared_by_diff_apply() {
        let patch = format!(
            "diff -w -r -u Lang1b/src/A.java Lang1f/src/A.java\n{}Only in Lang1f/src: A.java.orig\n",
            patch_of(
                "Lang1b/src/A.java\t2017-04-11 02:57:18 +0800",
                "Lang1f/src/A.java\t2017-04-11 02:57:18 +0800"
            )
        );
        let applied = applies_to("src/A.java", &patch);
        assert!(applied.notes[0].contains("Only in"), "{:?}", applied.notes);
    }

    #[test]
    fn a_change_of_mode_only_is_noted_and_changes_nothing() {
        let patch = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n";
        let applied = apply(&[("run.sh", "x\n")], patch);
        assert!(applied.change.is_empty());
        assert!(applied.notes[0].contains("mode"), "{:?}", applied.notes);
    }

    #[test]
    fn a_patch_with_a_byte_order_mark_or_in_utf16_is_read() {
        let patch = patch_of("a/A.java", "b/A.java");
        applies_to("A.java", &format!("\u{feff}{patch}"));
        for big_endian in [true, false] {
            let bytes = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let utf16: Vec<u8> = format!("\u{feff}{patch}").encode_utf16().flat_map(bytes).collect();
            let applied =
                PatchSet::parse("fix.diff", &utf16).unwrap().apply(&tree(&[("A.java", FIVE)])).unwrap();
            assert_eq!(written(&applied, "A.java"), FIVE_PATCHED);
        }
    }
}

mod whole_files {
    use super::*;

    #[test]
    fn a_new_file_is_written() {
        let git = "diff --git a/src/New.java b/src/New.java\nnew file mode 100644\nindex 0000000..1\n\
                   --- /dev/null\n+++ b/src/New.java\n@@ -0,0 +1,2 @@\n+one\n+two\n";
        let applied = apply(&[("src/A.java", FIVE)], git);
        assert_eq!((written(&applied, "src/New.java").as_str(), applied.strip), ("one\ntwo\n", 1));
        let plain = "--- Lang1b/src/New.java\t1970-01-01 08:00:00.000000000 +0800\n\
                     +++ Lang1f/src/New.java\t2017-04-11 02:57:18.000000000 +0800\n@@ -0,0 +1 @@\n+one\n";
        let patch = patch_of("Lang1b/src/A.java", "Lang1f/src/A.java") + plain;
        assert_eq!(written(&apply(&[("src/A.java", FIVE)], &patch), "src/New.java"), "one\n");
    }

    #[test]
    fn an_empty_new_file_is_written() {
        let patch = "diff --git a/src/Empty b/src/Empty\nnew file mode 100644\nindex 0000000..e69de29\n";
        assert_eq!(written(&apply(&[("src/A.java", FIVE)], patch), "src/Empty"), "");
    }

    #[test]
    fn a_new_file_goes_where_its_folder_is() {
        let patch = "--- /dev/null\n+++ /tmp/Lang_1/src/main/New.java\n@@ -0,0 +1 @@\n+x\n";
        assert_eq!(written(&apply(&[("src/main/A.java", FIVE)], patch), "src/main/New.java"), "x\n");
    }

    /// What `diff -N` writes for a file that only the new side has.
    fn new_by_diff(old: &str, new: &str) -> String {
        format!(
            "diff -ruN {old} {new}\n--- {old}\t1970-01-01 00:00:00.000000000 +0000\n\
             +++ {new}\t2017-04-11 02:57:18.000000000 +0800\n@@ -0,0 +1 @@\n+x\n"
        )
    }

    #[test]
    fn a_new_file_alone_goes_where_both_sides_of_the_diff_agree() {
        let files = [("src/org/junit/A.java", FIVE), ("junit/B.java", FIVE)];
        for (old, new) in [
            ("b", "f"),
            ("a", "b"),
            ("junit-b", "junit-f"),
            ("/tmp/junit/b", "/tmp/junit/f"),
            ("../old", "../new"),
        ] {
            for path in ["src/org/junit/Assert.java", "src/org/fresh/deep/Assert.java", "Assert.java"] {
                let patch = new_by_diff(&format!("{old}/{path}"), &format!("{new}/{path}"));
                let applied = apply(&files, &patch);
                assert_eq!(written(&applied, path), "x\n", "{old} {new}");
                assert_eq!(applied.change.len(), 1);
            }
        }
    }

    #[test]
    fn a_new_file_alone_that_both_sides_name_alike_goes_below_the_deepest_folder() {
        let files = [("src/demo/A.java", FIVE), ("demo/B.java", FIVE), ("util/C.java", FIVE)];
        for (path, place) in [
            ("src/demo/New.java", "src/demo/New.java"),
            ("demo/src/demo/New.java", "src/demo/New.java"),
            ("src/fresh/util/New.java", "src/fresh/util/New.java"),
            ("/tmp/x/src/fresh/New.java", "src/fresh/New.java"),
            ("New.java", "New.java"),
        ] {
            assert_eq!(written(&apply(&files, &new_by_diff(path, path)), place), "x\n", "{path}");
            let from_nothing = format!("--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+x\n");
            assert_eq!(written(&apply(&files, &from_nothing), place), "x\n", "{path}");
        }
    }

    #[test]
    fn a_new_package_in_a_patch_of_git_stays_where_git_says() {
        let files = [("src/demo/A.java", FIVE), ("util/C.java", FIVE)];
        let patch = "--- /dev/null\n+++ b/src/fresh/util/New.java\n@@ -0,0 +1 @@\n+x\n";
        assert_eq!(written(&apply(&files, patch), "src/fresh/util/New.java"), "x\n");
    }

    #[test]
    fn a_new_file_alone_is_found_from_a_folder_of_the_compared_ones() {
        let patch = new_by_diff("b/core/src/New.java", "f/core/src/New.java");
        assert_eq!(written(&apply(&[("src/A.java", FIVE)], &patch), "src/New.java"), "x\n");
    }

    #[test]
    fn a_new_file_that_would_do_equally_well_in_two_places_is_an_error_that_lists_them() {
        let files = [("src/A.java", FIVE), ("lib/B.java", FIVE)];
        let path = "x/src/one/lib/two/New.java";
        let error = try_apply(&files, &new_by_diff(path, path)).unwrap_err();
        assert!(matches!(error, PatchError::AmbiguousPath { .. }), "{error}");
        assert!(error.to_string().contains("src/one/lib/two/New.java, lib/two/New.java;"), "{error}");
    }

    #[test]
    fn a_new_file_goes_the_way_of_the_other_files() {
        let new =
            |from: &str, to: &str| new_by_diff(&format!("{from}/p/New.java"), &format!("{to}/p/New.java"));
        let files = [("src/p/A.java", FIVE), ("p/B.java", FIVE)];
        let stripped = patch_of("b/src/p/A.java", "f/src/p/A.java") + &new("b/src", "f/src");
        assert_eq!(written(&apply(&files, &stripped), "src/p/New.java"), "x\n");
        let prefixed = patch_of("p/A.java", "p/A.java") + &new(".", ".");
        assert_eq!(written(&apply(&files, &prefixed), "src/p/New.java"), "x\n");
    }

    #[test]
    fn a_new_file_of_diff_that_is_there_already_is_said_to_be_applied() {
        let patch = new_by_diff("b/src/New.java", "f/src/New.java");
        let result = try_apply(&[("src/New.java", "x\n")], &patch);
        assert!(matches!(result, Err(PatchError::AlreadyApplied { .. })), "{result:?}");
        let result = try_apply(&[("src/New.java", "y\n")], &patch);
        assert!(matches!(result, Err(PatchError::Exists { .. })), "{result:?}");
    }

    #[test]
    fn a_new_file_that_exists_is_an_error() {
        let patch = "--- /dev/null\n+++ b/A.java\n@@ -0,0 +1 @@\n+x\n";
        assert!(matches!(try_apply(&[("A.java", FIVE)], patch), Err(PatchError::Exists { .. })));
        assert!(matches!(try_apply(&[("A.java", "x\n")], patch), Err(PatchError::AlreadyApplied { .. })));
    }

    #[test]
    fn a_deleted_file_is_deleted() {
        let git = "diff --git a/A.java b/A.java\ndeleted file mode 100644\n--- a/A.java\n+++ /dev/null\n\
                   @@ -1,2 +0,0 @@\n-one\n-two\n";
        assert!(deleted(&apply(&[("A.java", "one\ntwo\n")], git), "A.java"));
        let plain = "--- A.java\t2017-04-11 02:57:18 +0800\n+++ A.java\t1970-01-01 00:00:00 +0000\n\
                     @@ -1,2 +0,0 @@\n-one\n-two\n";
        assert!(deleted(&apply(&[("A.java", "one\ntwo\n")], plain), "A.java"));
    }

    #[test]
    fn a_deleted_file_with_further_lines_is_rejected() {
        let patch = "--- a/A.java\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n";
        let rejection = rejection(try_apply(&[("A.java", "one\ntwo\nthree\n")], patch));
        assert!(rejection.why.contains("would remain"), "{rejection}");
    }

    #[test]
    fn a_renamed_file_is_deleted_and_written() {
        let head = "diff --git a/src/A.java b/src/B.java\nsimilarity index 90%\nrename from src/A.java\n\
                    rename to src/B.java\n";
        let moved = apply(&[("src/A.java", FIVE)], head);
        assert_eq!((deleted(&moved, "src/A.java"), written(&moved, "src/B.java").as_str()), (true, FIVE));
        assert_eq!(moved.renames, [("src/A.java".into(), "src/B.java".into())]);
        let changed = format!("{head}{}", patch_of("a/src/A.java", "b/src/B.java"));
        let changed = apply(&[("src/A.java", FIVE)], &changed);
        assert_eq!(
            (deleted(&changed, "src/A.java"), written(&changed, "src/B.java").as_str()),
            (true, FIVE_PATCHED)
        );
    }

    #[test]
    fn a_rename_without_prefixes_is_understood() {
        let patch = "diff --git src/A.java src/B.java\nsimilarity index 100%\nrename from src/A.java\n\
                     rename to src/B.java\n";
        let applied = apply(&[("src/A.java", FIVE)], patch);
        assert_eq!((applied.strip, written(&applied, "src/B.java").as_str()), (0, FIVE));
    }

    #[test]
    fn a_copy_leaves_the_original() {
        let patch = "diff --git a/A.java b/B.java\nsimilarity index 100%\ncopy from A.java\ncopy to B.java\n";
        let applied = apply(&[("A.java", FIVE)], patch);
        assert_eq!((applied.change.len(), written(&applied, "B.java").as_str()), (1, FIVE));
    }

    #[test]
    fn a_series_applies_in_order() {
        let second = "--- a/A.java\n+++ b/A.java\n@@ -1,5 +1,5 @@\n one\n two\n-3\n+III\n four\n five\n";
        let patch = patch_of("a/A.java", "b/A.java") + second;
        assert_eq!(written(&apply(&[("A.java", FIVE)], &patch), "A.java"), "one\ntwo\nIII\nfour\nfive\n");
    }

    #[test]
    fn all_files_apply_or_none() {
        let patch = patch_of("a/A.java", "b/A.java") + &patch_of("a/B.java", "b/B.java");
        let rejection = rejection(try_apply(&[("A.java", FIVE), ("B.java", "other\n")], &patch));
        assert_eq!((rejection.file.as_str(), rejection.patch_line), ("B.java", 12));
    }

    #[test]
    fn binary_changes_are_an_error_with_the_file() {
        let git = "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n";
        let data = "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n";
        let svn = "Index: x.png\n====\nCannot display: file marked as a binary type.\n";
        let plain = "Binary files old/x.png and new/x.png differ\n";
        for patch in [git, data, svn, plain] {
            let error = parse(patch).unwrap_err();
            assert!(matches!(&error, PatchError::Binary { file, .. } if file.ends_with("x.png")), "{error}");
        }
    }
}

mod line_endings {
    use super::*;

    fn crlf(text: &str) -> String {
        text.replace('\n', "\r\n")
    }

    #[test]
    fn a_crlf_patch_applies_to_an_lf_file() {
        applies_to("A.java", &crlf(&patch_of("a/A.java", "b/A.java")));
    }

    #[test]
    fn an_lf_patch_keeps_the_crlf_of_the_file() {
        let applied = apply(&[("A.java", &crlf(FIVE))], &patch_of("a/A.java", "b/A.java"));
        assert_eq!(written(&applied, "A.java"), crlf(FIVE_PATCHED));
    }

    #[test]
    fn a_crlf_patch_with_lf_headers_or_crlf_headers_keeps_the_crlf_of_the_file() {
        let files = [("A.java", crlf(FIVE))];
        let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
        let git = format!("--- a/A.java\n+++ b/A.java\n{}", crlf(HUNK));
        assert_eq!(written(&apply(&files, &git), "A.java"), crlf(FIVE_PATCHED));
        let windows = crlf(&patch_of("a/A.java", "b/A.java"));
        assert_eq!(written(&apply(&files, &windows), "A.java"), crlf(FIVE_PATCHED));
    }

    #[test]
    fn mixed_endings_stay_where_the_patch_changes_nothing() {
        let applied =
            apply(&[("A.java", "one\r\ntwo\nthree\r\nfour\nfive\r\n")], &patch_of("A.java", "A.java"));
        assert_eq!(written(&applied, "A.java"), "one\r\ntwo\n3\r\nfour\nfive\r\n");
    }

    #[test]
    fn a_patch_that_only_changes_endings_does_so() {
        let patch = "--- a/A\n+++ b/A\n@@ -1,2 +1,2 @@\n one\n-two\r\n+two\n";
        assert_eq!(written(&apply(&[("A", "one\ntwo\r\n")], patch), "A"), "one\ntwo\n");
    }

    #[test]
    fn a_missing_final_newline_is_kept_whatever_the_patch_knows_of_it() {
        let file = FIVE.trim_end();
        let patch = "--- A\n+++ A\n@@ -4,2 +4,2 @@\n four\n-five\n+5\n";
        assert_eq!(written(&apply(&[("A", file)], patch), "A"), "one\ntwo\nthree\nfour\n5");
        let applied = apply(&[("A", file)], &patch_of("A", "A"));
        assert_eq!(written(&applied, "A"), FIVE_PATCHED.trim_end());
    }

    #[test]
    fn a_final_newline_comes_and_goes_as_marked() {
        let mark = "\\ No newline at end of file";
        let adds = format!("--- A\n+++ A\n@@ -1,2 +1,2 @@\n one\n-two\n{mark}\n+two\n");
        assert_eq!(written(&apply(&[("A", "one\ntwo")], &adds), "A"), "one\ntwo\n");
        let removes = format!("--- A\n+++ A\n@@ -1,2 +1,2 @@\n one\n-two\n+two\n{mark}\n");
        assert_eq!(written(&apply(&[("A", "one\ntwo\n")], &removes), "A"), "one\ntwo");
        let both = format!("--- A\n+++ A\n@@ -1,2 +1,2 @@\n one\n-two\n{mark}\n+2\n{mark}\n");
        assert_eq!(written(&apply(&[("A", "one\ntwo")], &both), "A"), "one\n2");
        assert_eq!(written(&apply(&[("A", "one\ntwo\n")], &both), "A"), "one\n2\n");
        let new = format!("--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\n{mark}\n");
        assert_eq!(written(&apply(&[], &new), "N"), "x");
    }

    #[test]
    fn a_diff_without_its_last_newline_applies() {
        applies_to("A.java", patch_of("a/A.java", "b/A.java").trim_end());
    }

    #[test]
    fn a_byte_order_mark_is_kept() {
        let file = format!("\u{feff}{FIVE}");
        let applied = apply(&[("A", &file)], &patch_of("A", "A"));
        assert_eq!(written(&applied, "A"), format!("\u{feff}{FIVE_PATCHED}"));
        let first = "--- A\n+++ A\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n";
        assert!(written(&apply(&[("A", &file)], first), "A").starts_with("\u{feff}1\ntwo"));
        let marked = "--- A\n+++ A\n@@ -1,2 +1,2 @@\n-\u{feff}one\n+one\n two\n";
        assert_eq!(written(&apply(&[("A", &file)], marked), "A"), FIVE);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_kept() {
        let patch = PatchSet::parse("fix.diff", b"--- A\n+++ A\n@@ -1,2 +1,2 @@\n \xe9t\xe9\n-\xe0\n+\xfc\n")
            .unwrap();
        let files = Files::from([("A".into(), b"\xe9t\xe9\n\xe0\n".to_vec())]);
        let applied = patch.apply(&files).unwrap();
        assert_eq!(applied.change[Utf8Path::new("A")], FileEdit::Write(b"\xe9t\xe9\n\xfc\n".to_vec()));
    }
}

mod damaged {
    use super::*;

    #[test]
    fn wrong_counts_are_noted_and_the_lines_decide() {
        for header in ["@@ -1,7 +1,9 @@", "@@ -1,2 +1,2 @@", "@@ -1 +1 @@", "@@ -1,3 +1,5 @@"] {
            let patch = patch_of("a/A.java", "b/A.java").replace("@@ -1,5 +1,5 @@", header);
            for end in ["", "\n\n", "-- \n2.39.5\n"] {
                let applied = applies_to("A.java", &format!("{patch}{end}"));
                assert!(
                    applied.notes[0].starts_with("line 3: the hunk header promises"),
                    "{:?}",
                    applied.notes
                );
            }
            let twice = format!("{patch}{}", patch_of("a/B.java", "b/B.java"));
            assert_eq!(apply(&[("A.java", FIVE), ("B.java", FIVE)], &twice).change.len(), 2);
        }
    }

    #[test]
    fn a_hunk_that_breaks_off_in_a_damaged_line_is_an_error() {
        let patch = patch_of("a/A.java", "b/A.java").replace("-three", "three");
        let error = parse(&patch).unwrap_err();
        assert!(matches!(&error, PatchError::Malformed { line: 6, text, .. } if text == "three"), "{error}");
    }

    #[test]
    fn blank_context_without_its_space_is_understood() {
        let patch = "--- A\n+++ A\n@@ -1,5 +1,5 @@\n one\n\n-three\n+3\n\n five\n";
        assert_eq!(written(&apply(&[("A", "one\n\nthree\n\nfive\n")], patch), "A"), "one\n\n3\n\nfive\n");
    }

    #[test]
    fn removed_lines_that_look_like_headers_are_lines() {
        let patch = "--- A\n+++ A\n@@ -1,3 +1,3 @@\n select\n--- old comment\n+++ new comment\n from\n";
        assert_eq!(
            written(&apply(&[("A", "select\n-- old comment\nfrom\n")], patch), "A"),
            "select\n++ new comment\nfrom\n"
        );
    }

    #[test]
    fn blank_lines_between_hunks_and_a_footer_are_passed_over() {
        let patch =
            "--- A\n+++ A\n@@ -1 +1 @@\n-one\n+1\n\n\n@@ -5 +5 @@\n-five\n+5\n-- \nTo unsubscribe, write\n";
        let applied = apply(&[("A", FIVE)], patch);
        assert_eq!(written(&applied, "A"), "1\ntwo\nthree\nfour\n5\n");
        assert_eq!(applied.notes, Vec::<String>::new());
    }

    #[test]
    fn links_and_submodules_are_refused() {
        let link = "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1\n--- /dev/null\n+++ b/l\n\
                    @@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n";
        let module = "diff --git a/m b/m\nindex 1..2 160000\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n-Subproject commit 1\n\
                      +Subproject commit 2\n";
        for patch in [link, module] {
            assert!(parse(patch).unwrap_err().to_string().contains("symbolic links and submodules"));
        }
    }

    #[test]
    fn what_is_no_unified_diff_says_what_it_is() {
        let message = |patch: &str| parse(patch).unwrap_err().to_string();
        assert!(matches!(parse(" \n\n"), Err(PatchError::Empty { .. })));
        assert!(message("hello\n").contains("no `---` line"));
        assert!(message("*** a\n--- b\n***************\n*** 1 ****\n").contains("context diff"));
        assert!(message("3c3\n< three\n---\n> 3\n").contains("without context"));
        assert!(message("diff --cc A.java\n").contains("merge"));
        assert!(message("@@ -1 +1 @@\n-a\n+b\n").contains("belongs to no file"));
        assert!(message("--- a\n+++ b\n").contains("a hunk"));
        assert!(message("--- a\n+++ b\n@@ 1,2 @@\n").contains("no hunk header"));
        assert!(message("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n").contains("both sides"));
    }
}

mod places {
    use super::*;

    #[test]
    fn a_hunk_is_found_where_lines_were_added_before_it() {
        let file = format!("a\nb\nc\n{FIVE}");
        let applied = apply(&[("A", &file)], &patch_of("A", "A"));
        assert_eq!(written(&applied, "A"), format!("a\nb\nc\n{FIVE_PATCHED}"));
        assert_eq!(applied.notes, ["hunk 1 of A applied at line 4 (offset 3)"]);
    }

    #[test]
    fn context_may_differ_a_little_at_the_ends() {
        let applied = apply(&[("A", "ONE\ntwo\nthree\nfour\nFIVE\n")], &patch_of("A", "A"));
        assert_eq!(written(&applied, "A"), "ONE\ntwo\n3\nfour\nFIVE\n");
        assert_eq!(applied.notes, ["hunk 1 of A applied at line 1 (fuzz 1)"]);
    }

    #[test]
    fn changed_lines_may_not_differ() {
        let rejection = rejection(try_apply(&[("A", "one\ntwo\nTHREE\nfour\nfive\n")], &patch_of("A", "A")));
        let nearest = rejection.nearest.clone().unwrap();
        assert!(nearest.contains("line 3 should be `three` and is `THREE`"), "{nearest}");
        let text = PatchError::Rejected(Box::new(rejection)).to_string();
        assert!(text.starts_with("fix.diff:3: hunk 1 of 1 does not apply to A: "), "{text}");
        assert!(text.ends_with(HUNK.trim_end()), "{text}");
    }

    #[test]
    fn two_places_at_the_same_distance_are_an_error() {
        let patch = "--- A\n+++ A\n@@ -3 +3 @@\n-x\n+y\n";
        let rejection = rejection(try_apply(&[("A", "a\nx\nb\nx\nc\n")], patch));
        assert_eq!(rejection.why, "it fits equally well at lines 2 and 4");
    }

    #[test]
    fn of_two_places_the_nearer_is_taken_and_the_other_noted() {
        let patch = "--- A\n+++ A\n@@ -2 +2 @@\n-x\n+y\n";
        let applied = apply(&[("A", "x\na\nb\nx\n")], patch);
        assert_eq!(written(&applied, "A"), "y\na\nb\nx\n");
        assert!(
            applied.notes[0].ends_with("it would fit farther away as well: line 4"),
            "{:?}",
            applied.notes
        );
    }

    #[test]
    fn diffs_without_context_go_by_their_line_numbers() {
        let patch = "--- A\n+++ A\n@@ -2,0 +3 @@\n+new\n@@ -4 +5,2 @@\n-four\n+4\n+4b\n";
        assert_eq!(written(&apply(&[("A", FIVE)], patch), "A"), "one\ntwo\nnew\nthree\n4\n4b\nfive\n");
        let beyond = "--- A\n+++ A\n@@ -9,0 +10 @@\n+new\n";
        assert!(rejection(try_apply(&[("A", FIVE)], beyond)).why.contains("no context"));
    }

    #[test]
    fn the_order_of_hunks_does_not_matter() {
        let (first, second) = ("@@ -1 +1,2 @@\n-one\n+1\n+1b\n", "@@ -5 +6 @@\n-five\n+5\n");
        for hunks in [[first, second], [second, first]] {
            let patch = format!("--- A\n+++ A\n{}", hunks.concat());
            assert_eq!(written(&apply(&[("A", FIVE)], &patch), "A"), "1\n1b\ntwo\nthree\nfour\n5\n");
        }
    }

    #[test]
    fn the_same_hunk_twice_is_rejected() {
        let patch = format!("--- A\n+++ A\n{HUNK}{HUNK}");
        assert_eq!(rejection(try_apply(&[("A", FIVE)], &patch)).hunk_number, 2);
    }

    #[test]
    fn hunks_may_share_context() {
        let patch = "--- A\n+++ A\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n@@ -3,3 +3,3 @@\n three\n four\n-five\n+5\n";
        assert_eq!(written(&apply(&[("A", FIVE)], patch), "A"), "1\ntwo\nthree\nfour\n5\n");
    }
}

mod reversed {
    use super::*;

    #[test]
    fn a_patch_that_is_applied_or_reversed_says_so() {
        let error = try_apply(&[("A.java", FIVE_PATCHED)], &patch_of("a/A.java", "b/A.java")).unwrap_err();
        assert!(matches!(error, PatchError::AlreadyApplied { .. }), "{error}");
        assert!(
            error.to_string().contains("already applied") && error.to_string().contains("reversed"),
            "{error}"
        );
    }

    #[test]
    fn an_insertion_at_the_end_is_not_made_twice() {
        let patch = "--- A\n+++ A\n@@ -3,3 +3,4 @@\n three\n four\n five\n+six\n";
        let once = written(&apply(&[("A", FIVE)], patch), "A");
        assert_eq!(once, format!("{FIVE}six\n"));
        assert!(matches!(try_apply(&[("A", &once)], patch), Err(PatchError::AlreadyApplied { .. })));
    }

    #[test]
    fn a_patch_that_is_applied_in_part_says_which_hunk_is() {
        let patch = patch_of("a/A", "b/A") + &patch_of("a/B", "b/B");
        let rejection = rejection(try_apply(&[("A", FIVE), ("B", FIVE_PATCHED)], &patch));
        assert_eq!(rejection.file, "B");
        assert!(rejection.why.contains("applied already"), "{rejection}");
    }

    #[test]
    fn a_missing_file_is_not_taken_for_an_applied_deletion() {
        let patch = "--- a/Gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        assert!(matches!(try_apply(&[("A", FIVE)], patch), Err(PatchError::MissingFile { .. })));
    }

    #[test]
    fn a_patch_turned_round_twice_is_itself() {
        let patch = parse(&(patch_of("a/A", "b/A") + &patch_of("a/B", "b/B"))).unwrap();
        assert_eq!(patch.reversed().reversed(), patch);
        let create = parse("--- /dev/null\n+++ b/N\n@@ -0,0 +1 @@\n+x\n").unwrap();
        assert_eq!(create.reversed().files[0].kind, FileKind::Delete);
    }
}

mod folders {
    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let root = Utf8PathBuf::try_from(temp.path().to_owned()).expect("a path in UTF-8");
        (temp, root)
    }

    #[test]
    fn a_folder_is_read_and_not_written() {
        let (_temp, root) = folder();
        fs_err::create_dir_all(root.join("src/main")).unwrap();
        fs_err::create_dir_all(root.join(".git")).unwrap();
        fs_err::write(root.join(".git/A.java"), FIVE).unwrap();
        fs_err::write(root.join("src/main/A.java"), FIVE).unwrap();
        let folder = Folder::open(&root).unwrap();
        assert_eq!(folder.files().unwrap(), [Utf8PathBuf::from("src/main/A.java")]);
        let applied = parse(&patch_of("A.java", "A.java")).unwrap().apply(&folder).unwrap();
        assert_eq!(written(&applied, "src/main/A.java"), FIVE_PATCHED);
        assert_eq!(fs_err::read_to_string(root.join("src/main/A.java")).unwrap(), FIVE);
    }

    #[cfg(unix)]
    #[test]
    fn links_that_leave_the_folder_are_refused() {
        let (_outer_temp, outside) = folder();
        fs_err::write(outside.join("A.java"), FIVE).unwrap();
        let (_temp, root) = folder();
        fs_err::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        fs_err::os::unix::fs::symlink(outside.join("A.java"), root.join("A.java")).unwrap();
        fs_err::os::unix::fs::symlink(outside.join("absent"), root.join("dangling")).unwrap();
        let folder = Folder::open(&root).unwrap();
        let create = |path: &str| format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n");
        let modify = |path: &str| patch_of(&format!("a/{path}"), &format!("b/{path}"));
        for patch in [modify("A.java"), modify("link/A.java"), create("link/New.java"), create("dangling")] {
            let error = parse(&patch).unwrap().apply(&folder).unwrap_err();
            assert!(matches!(error, PatchError::Escapes { .. }), "{patch}{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_inside_the_folder_are_followed() {
        let (_temp, root) = folder();
        fs_err::create_dir_all(root.join("real")).unwrap();
        fs_err::write(root.join("real/A.java"), FIVE).unwrap();
        fs_err::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        let applied = parse(&patch_of("a/link/A.java", "b/link/A.java"))
            .unwrap()
            .apply(&Folder::open(&root).unwrap())
            .unwrap();
        assert_eq!(written(&applied, "link/A.java"), FIVE_PATCHED);
    }
}

mod rendering {
    use super::*;

    #[test]
    fn a_diff_is_written_as_diff_writes_it() {
        let diff = render_unified("a/A", "b/A", b"one\ntwo\n", b"one\n2");
        let text = "--- a/A\n+++ b/A\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n";
        assert_eq!(String::from_utf8(diff).unwrap(), text);
    }

    #[test]
    fn equal_files_have_no_diff() {
        assert!(render_unified("a/A", "b/A", b"same\n", b"same\n").is_empty());
    }

    #[test]
    fn odd_names_are_quoted_so_that_they_can_be_read_again() {
        let diff = render_unified("a/x\"\ty", "b/x\"\ty", b"1\n", b"2\n");
        let applied = PatchSet::parse("x", &diff).unwrap().apply(&tree(&[("x\"\ty", "1\n")])).unwrap();
        assert_eq!(written(&applied, "x\"\ty"), "2\n");
    }

    #[test]
    fn new_and_deleted_files_are_written_so_that_they_can_be_read_again() {
        let created = render_unified("/dev/null", "b/N", b"", b"x\n");
        let applied = PatchSet::parse("x", &created).unwrap().apply(&tree(&[])).unwrap();
        assert_eq!(written(&applied, "N"), "x\n");
        let removed = render_unified("a/N", "/dev/null", b"x\n", b"");
        assert!(deleted(
            &PatchSet::parse("x", &removed).unwrap().apply(&tree(&[("N", "x\n")])).unwrap(),
            "N"
        ));
    }
}
