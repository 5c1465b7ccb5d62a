//! Sources: every file says what it is, and every silenced lint says why.

use camino::Utf8Path;

use super::{Problem, Tree};

/// Adds files without a doc and attributes without a reason.
pub(super) fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    for (file, text) in tree.with_extension("rs").filter(|(file, _)| is_rust_of_the_house(file)) {
        if has_module(file) && !starts_with_module_doc(text) {
            problems.push(Problem::new(file, 1, "has no module doc: begin with `//!`"));
        }
        for line in silent_attributes(text) {
            problems.push(Problem::new(file, line, "silences a lint without `reason = \"…\"`"));
        }
    }
    for (file, text) in tree.with_extension("java").filter(|(file, _)| is_runtime(file)) {
        if !has_class_doc(text) {
            problems.push(Problem::new(file, 1, "has no class doc: write `/** … */` before the type"));
        }
    }
}

fn is_rust_of_the_house(file: &Utf8Path) -> bool {
    (file.starts_with("crates") || file.starts_with("xtask")) && !in_folder(file, "testdata")
}

/// Sources of a crate; its tests explain themselves by their names.
fn has_module(file: &Utf8Path) -> bool {
    in_folder(file, "src") && !in_folder(file, "tests")
}

fn is_runtime(file: &Utf8Path) -> bool {
    file.starts_with("runtime") && !in_folder(file, "testdata")
}

fn in_folder(file: &Utf8Path, name: &str) -> bool {
    file.components().any(|part| part.as_str() == name)
}

fn starts_with_module_doc(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("//!"))
}

/// Lines of `allow` and `expect` attributes that give no reason.
fn silent_attributes(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let opens = ["#[allow(", "#![allow(", "#[expect(", "#![expect("];
        if opens.iter().any(|open| code.starts_with(open)) && !gives_reason(&lines[index..]) {
            found.push(index + 1);
        }
    }
    found
}

/// Looks through an attribute, which ends with the first `)]`.
fn gives_reason(lines: &[&str]) -> bool {
    let end = lines.iter().position(|line| line.contains(")]")).map_or(lines.len(), |last| last + 1);
    lines[..end].iter().any(|line| line.contains("reason = "))
}

/// A `/**` comment closes before the first type or the package declaration of `package-info.java`.
fn has_class_doc(text: &str) -> bool {
    let head: Vec<&str> = text.lines().take_while(|line| !declares_type(line)).collect();
    head.iter().any(|line| line.trim_start().starts_with("/**"))
}

fn declares_type(line: &str) -> bool {
    let modifiers = ["public", "final", "abstract", "sealed", "non-sealed", "strictfp"];
    let mut words = line.split_whitespace().skip_while(|word| modifiers.contains(word));
    matches!(words.next(), Some("class" | "interface" | "enum" | "record" | "@interface"))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::problems;
    use super::*;

    #[test]
    fn a_file_with_a_module_doc_passes() {
        let files = [
            ("crates/x/src/lib.rs", "//! X.\n"),
            ("crates/x/tests/cli.rs", "mod x;\n"),
            ("crates/x/testdata/broken.rs", "fn"),
        ];
        assert!(problems(&files, check).is_empty());
    }

    #[test]
    fn a_file_without_a_module_doc_is_found() {
        assert_eq!(
            problems(&[("crates/x/src/a.rs", "\nuse std::fmt;\n")], check),
            ["crates/x/src/a.rs:1: has no module doc: begin with `//!`"]
        );
    }

    #[test]
    fn a_java_class_without_a_doc_is_found() {
        let documented = "package a;\n\n/** Runs. */\npublic final class A {}\n";
        let bare = "package a;\n\nfinal class B {\n  /** Late. */\n  int x;\n}\n";
        let files = [
            ("runtime/java/A.java", documented),
            ("runtime/java/B.java", bare),
            ("cases/java/c/C.java", bare),
        ];
        assert_eq!(
            problems(&files, check),
            ["runtime/java/B.java:1: has no class doc: write `/** … */` before the type"]
        );
    }

    #[test]
    fn a_silenced_lint_without_a_reason_is_found() {
        let text = "//! X.\n#[expect(dead_code, reason = \"why\")]\nfn a() {}\n\
                    #[expect(\n    dead_code,\n    reason = \"why\"\n)]\nfn b() {}\n    #[allow(dead_code)]\nfn c() {}\n";
        assert_eq!(
            problems(&[("crates/x/src/a.rs", text)], check),
            ["crates/x/src/a.rs:9: silences a lint without `reason = \"…\"`"]
        );
    }
}
