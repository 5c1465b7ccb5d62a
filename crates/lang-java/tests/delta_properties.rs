//! What must hold of the delta of any two texts.

use bonafix_lang_java::delta::{delta_file, test_methods_in};
use bonafix_model::{DeltaFile, LineAlignment};
use camino::Utf8Path;
use proptest::prelude::*;

/// A file with most of the syntax that the delta knows.
const SAMPLE: &str = include_str!("../testdata/delta/Sample.java.txt");

fn delta(before: &[u8], after: &[u8]) -> DeltaFile {
    delta_file(Utf8Path::new("A.java"), Some(before), Some(after))
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

fn assert_alignment(alignment: &LineAlignment, before: &str, after: &str) {
    let (before, after) = (lines(before), lines(after));
    let mut last = (0, 0);
    for &(b, a, n) in &alignment.runs {
        assert!(n > 0 && b > last.0 && a > last.1, "runs ascend: {:?}", alignment.runs);
        assert!((b, a) != (last.0 + 1, last.1 + 1) || last == (0, 0), "runs are as long as can be");
        for at in 0..n {
            assert_eq!(before[(b + at) as usize - 1], after[(a + at) as usize - 1]);
            assert_eq!(alignment.after(b + at), Some(a + at));
            assert_eq!(alignment.before(a + at), Some(b + at));
        }
        last = (b + n - 1, a + n - 1);
    }
    assert!(last.0 as usize <= before.len() && last.1 as usize <= after.len());
    assert!(alignment.moved.is_sorted_by(|one, other| one.0 < other.0));
    for &(b, a) in &alignment.moved {
        assert!(!alignment.runs.iter().any(|run| (run.0..run.0 + run.2).contains(&b)));
        assert!(!alignment.runs.iter().any(|run| (run.1..run.1 + run.2).contains(&a)));
        assert_eq!((alignment.after(b), alignment.before(a)), (Some(a), Some(b)));
    }
}

/// Every line range and index of a delta points into its texts.
fn assert_sound(file: &DeltaFile, before: &str, after: &str) {
    let counts = (lines(before).len(), lines(after).len());
    for element in &file.elements {
        assert!(
            element
                .before
                .is_none_or(|lines| lines.first <= lines.last && lines.last as usize <= counts.0 + 1)
        );
        assert!(
            element
                .after
                .is_none_or(|lines| lines.first <= lines.last && lines.last as usize <= counts.1 + 1)
        );
        for (statements, count) in
            [(&element.statements_before, counts.0), (&element.statements_after, counts.1)]
        {
            for statement in statements {
                assert!(
                    statement.lines.first <= statement.lines.last && statement.lines.last as usize <= count
                );
            }
        }
        for &(b, a) in &element.statement_pairs {
            assert!(
                (b as usize) < element.statements_before.len()
                    && (a as usize) < element.statements_after.len()
            );
        }
    }
}

fn code_lines() -> impl Strategy<Value = String> {
    let line =
        prop::sample::select(vec!["a();", "b();", "}", "", "  {", "int x;", "// c", "return;\r", "x  "]);
    prop::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
}

/// The sample with some lines deleted, doubled, or exchanged.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (
        0..lines(SAMPLE).len(),
        0..4_u8,
        prop::sample::select(vec!["}", "int f(", "if (x) {", "@", "\"", "/*"]),
    );
    prop::collection::vec(edit, 0..6).prop_map(|edits| {
        let mut lines: Vec<String> = lines(SAMPLE).into_iter().map(str::to_owned).collect();
        for (at, what, text) in edits {
            let at = at.min(lines.len() - 1);
            match what {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines.insert(at, text.to_owned()),
                _ => lines.swap(at, 0),
            }
        }
        lines.join("\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn aligned_lines_are_equal_and_ascend(before in code_lines(), after in code_lines()) {
        let file = delta(before.as_bytes(), after.as_bytes());
        assert_alignment(&file.alignment, &before, &after);
    }

    #[test]
    fn equal_files_are_aligned_wholly_and_do_not_differ(text in code_lines()) {
        let file = delta(text.as_bytes(), text.as_bytes());
        let all = (1..).zip(lines(&text));
        prop_assert!(all.clone().all(|(line, _)| file.alignment.after(line) == Some(line)));
        prop_assert!(file.elements.is_empty());
        let windows = delta(text.replace('\r', "").as_bytes(), text.replace('\r', "").replace('\n', "\r\n").as_bytes());
        prop_assert!(windows.elements.is_empty());
        prop_assert!(windows.alignment.runs.len() <= 1);
    }

    #[test]
    fn a_broken_source_is_never_fatal(before in mutated(), after in mutated()) {
        let file = delta(before.as_bytes(), after.as_bytes());
        assert_alignment(&file.alignment, &before, &after);
        assert_sound(&file, &before, &after);
        test_methods_in(after.as_bytes());
        assert_eq!(file, delta(before.as_bytes(), after.as_bytes()), "the same delta every time");
    }

    #[test]
    fn a_difference_of_code_is_never_lost(after in mutated()) {
        let code = |text: &str| -> Vec<String> {
            let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
            // A comment, a brace, or an import given twice is no difference.
            let ignored = ["//", "/*", "import"];
            lines.retain(|line| !ignored.iter().any(|start| line.starts_with(start)));
            lines.retain(|line| line.chars().any(char::is_alphanumeric));
            lines.sort();
            lines
        };
        let file = delta(SAMPLE.as_bytes(), after.as_bytes());
        let unfit = lines(&after).contains(&"/*") || after.matches('"').count() % 2 == 1;
        prop_assert!(unfit || code(SAMPLE) == code(&after) || !file.elements.is_empty() || file.problem.is_some());
    }

    #[test]
    fn arbitrary_bytes_are_never_fatal(
        before in prop::collection::vec(any::<u8>(), 0..200),
        after in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        delta(&before, &after);
        delta_file(Utf8Path::new("a.bin"), Some(&before), Some(&after));
        delta_file(Utf8Path::new("A.java"), None, Some(&after));
        test_methods_in(&after);
    }
}

#[test]
fn deep_nesting_is_never_fatal() {
    let nested = |depth: usize, open: &str, close: &str| {
        format!("class A {{ void f() {{ {}x();{} }} }}", open.repeat(depth), close.repeat(depth))
    };
    for (open, close) in [("if (x) { ", " }"), ("g(() -> { ", " });"), ("if (x) ; else ", "")] {
        delta(nested(2_000, open, close).as_bytes(), nested(2_001, open, close).as_bytes());
    }
    let sum = |n: usize| format!("class A {{ int f() {{ return {}1; }} }}", "1 + ".repeat(n));
    assert_eq!(delta(sum(20_000).as_bytes(), sum(20_001).as_bytes()).elements.len(), 1);
}
