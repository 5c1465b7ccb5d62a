//! ARCHITECTURE.md is true to the tree: what it names exists, and what exists is named.

use super::{Problem, Tree};

/// The document.
pub(super) const FILE: &str = "ARCHITECTURE.md";

/// Adds what is wrong with the document.
pub(super) fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let Some(text) = tree.text(FILE) else {
        problems.push(Problem::new(FILE, 0, "is missing"));
        return;
    };
    named_paths_exist(tree, text, problems);
    folders_are_named(tree, text, problems);
}

fn named_paths_exist(tree: &Tree, text: &str, problems: &mut Vec<Problem>) {
    for (index, line) in text.lines().enumerate() {
        for path in code_spans(line).filter(|span| looks_like_path(span)) {
            if !tree.root.join(path).exists() {
                problems.push(Problem::new(FILE, index + 1, format!("names `{path}`, which does not exist")));
            }
        }
    }
}

fn folders_are_named(tree: &Tree, text: &str, problems: &mut Vec<Problem>) {
    for parent in ["crates", "runtime"] {
        for folder in tree.folders(parent) {
            let path = format!("{parent}/{folder}");
            let mut spans = text.lines().flat_map(code_spans);
            if !spans.any(|span| span.trim_end_matches('/') == path) {
                problems.push(Problem::new(FILE, 0, format!("does not name `{path}`")));
            }
        }
    }
}

/// What stands between backticks on a line.
pub(super) fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A path from the root of the tree: has a slash, and none of what makes it a pattern, a command or a place outside.
fn looks_like_path(span: &str) -> bool {
    let outside = ["/", "~", "-", "target/", "a/", "b/"];
    span.contains('/')
        && !span.contains("::")
        && !outside.iter().any(|prefix| span.starts_with(prefix))
        && span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::problems;
    use super::*;

    #[test]
    fn a_document_that_is_true_passes() {
        let files = [
            (
                "ARCHITECTURE.md",
                "`crates/model` is data, `runtime/java/` runs inside, see `crates/model/src/lib.rs`.",
            ),
            ("crates/model/src/lib.rs", ""),
            ("runtime/java/src/Main.java", ""),
        ];
        assert!(problems(&files, check).is_empty());
    }

    #[test]
    fn a_path_that_does_not_exist_is_found_with_its_line() {
        let files = [("ARCHITECTURE.md", "x\nsee `crates/gone/src/lib.rs`\n")];
        assert_eq!(
            problems(&files, check),
            ["ARCHITECTURE.md:2: names `crates/gone/src/lib.rs`, which does not exist"]
        );
    }

    #[test]
    fn a_crate_or_runtime_folder_that_is_not_named_is_found() {
        let files = [
            ("ARCHITECTURE.md", "`crates/model-x`"),
            ("crates/model/Cargo.toml", ""),
            ("crates/model-x/Cargo.toml", ""),
            ("runtime/java/src/Main.java", ""),
        ];
        assert_eq!(
            problems(&files, check),
            [
                "ARCHITECTURE.md: does not name `crates/model`",
                "ARCHITECTURE.md: does not name `runtime/java`"
            ]
        );
    }

    #[test]
    fn a_missing_document_is_found() {
        assert_eq!(problems(&[], check), ["ARCHITECTURE.md: is missing"]);
    }

    #[test]
    fn patterns_and_places_outside_are_no_paths() {
        for span in ["cases/*/case.toml", "target/bonafix", "/etc/shadow", "a/", "model", "<case>/x", "x y/z"]
        {
            assert!(!looks_like_path(span), "{span}");
        }
        assert!(looks_like_path("docs/exit-codes.md"));
    }
}
