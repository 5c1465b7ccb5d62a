//! Documents: links lead somewhere, decisions are listed, the changelog is open, exit codes and keys of notices are those
//! of the program.

use camino::Utf8Path;

use super::{Problem, Tree};

const DECISIONS: &str = "docs/decisions";
const CHANGELOG: &str = "CHANGELOG.md";
const EXIT_CODES_SOURCE: &str = "crates/model/src/outcome.rs";
const EXIT_CODES_PAGES: &[&str] = &["README.md", "docs/exit-codes.md"];
const NOTICES_PAGE: &str = "docs/json.md";

/// Adds what is wrong with the documents.
pub(super) fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    links_lead_to_files(tree, problems);
    decisions_are_listed(tree, problems);
    changelog_is_open(tree, problems);
    exit_codes_are_documented(tree, problems);
    notices_are_documented(tree, problems);
}

fn links_lead_to_files(tree: &Tree, problems: &mut Vec<Problem>) {
    for (file, text) in tree.with_extension("md").filter(|(file, _)| !is_test_material(file)) {
        for (line, target) in links(text) {
            let folder = tree.root.join(file.parent().unwrap_or(Utf8Path::new("")));
            if !folder.join(target).exists() {
                problems.push(Problem::new(file, line, format!("links to `{target}`, which does not exist")));
            }
        }
    }
}

/// Fixtures may have any contents, wrong ones included.
pub(super) fn is_test_material(file: &Utf8Path) -> bool {
    file.components().any(|part| matches!(part.as_str(), "tests" | "testdata" | "snapshots"))
}

/// Targets of `[text](target)` that name files, with their lines; anchors cut off, fenced blocks left out.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            found.extend(links_of_line(line).map(|target| (index + 1, target)));
        }
    }
    found
}

fn links_of_line(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
    files.filter_map(|target| target.split('#').next()).filter(|target| !target.is_empty())
}

fn decisions_are_listed(tree: &Tree, problems: &mut Vec<Problem>) {
    let index = format!("{DECISIONS}/README.md");
    let listed: Vec<&str> =
        tree.text(&index).map(links).unwrap_or_default().into_iter().map(|(_, t)| t).collect();
    for (file, _) in tree.with_extension("md") {
        let Ok(name) = file.strip_prefix(DECISIONS) else { continue };
        if name != "README.md" && !listed.iter().any(|target| Utf8Path::new(target) == name) {
            problems.push(Problem::new(&index, 0, format!("does not list `{name}`")));
        }
    }
}

fn changelog_is_open(tree: &Tree, problems: &mut Vec<Problem>) {
    let text = tree.text(CHANGELOG).unwrap_or_default();
    if !text.lines().any(|line| matches!(line.trim_end(), "## Unreleased" | "## [Unreleased]")) {
        problems.push(Problem::new(CHANGELOG, 0, "has no section `## Unreleased`"));
    }
}

/// Every number of `enum ExitCode` stands in the first or last column of a table row on each page.
fn exit_codes_are_documented(tree: &Tree, problems: &mut Vec<Problem>) {
    let codes = exit_codes(tree.text(EXIT_CODES_SOURCE).unwrap_or_default());
    for page in EXIT_CODES_PAGES {
        let Some(text) = tree.text(page) else { continue };
        let rows: Vec<Vec<&str>> = text.lines().filter(|line| line.starts_with('|')).map(cells).collect();
        for code in &codes {
            let named = |row: &Vec<&str>| row.first() == Some(code) || row.last() == Some(code);
            if !rows.iter().any(named) {
                problems.push(Problem::new(*page, 0, format!("has no row for exit code {code}")));
            }
        }
    }
}

fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect()
}

fn exit_codes(source: &str) -> Vec<&str> {
    let body = source.lines().skip_while(|line| !line.starts_with("pub enum ExitCode")).skip(1);
    let variants = body.take_while(|line| !line.starts_with('}'));
    let numbers = variants.filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "));
    numbers.map(|(_, number)| number).collect()
}

/// Every key that the product gives to a notice begins a row of the table.
fn notices_are_documented(tree: &Tree, problems: &mut Vec<Problem>) {
    let page = tree.text(NOTICES_PAGE).unwrap_or_default();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    let sources = tree.with_extension("rs").filter(|(file, _)| file.starts_with("crates"));
    for (file, text) in sources.filter(|(file, _)| !is_test_material(file)) {
        for key in notice_keys(text) {
            if !rows.iter().any(|row| cells(row).first() == Some(&key)) {
                let message = format!("has no row for the notice `{key}` of {file}");
                problems.push(Problem::new(NOTICES_PAGE, 0, message));
            }
        }
    }
}

/// What stands first in calls of `Notice::new`.
fn notice_keys(source: &str) -> impl Iterator<Item = &str> {
    let calls = source.split("Notice::new(").skip(1);
    calls.filter_map(|call| call.trim_start().strip_prefix('"')?.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::problems;
    use super::*;

    const OPEN: (&str, &str) = ("CHANGELOG.md", "# Changelog\n\n## Unreleased\n");

    #[test]
    fn links_to_files_and_anchors_pass() {
        let page = "[a](other.md#part) [b](https://example.org/x) [c](#here)\n```\n[d](gone.md)\n```\n";
        assert!(problems(&[OPEN, ("docs/page.md", page), ("docs/other.md", "")], check).is_empty());
    }

    #[test]
    fn a_link_to_nothing_is_found_with_its_line() {
        assert_eq!(
            problems(&[OPEN, ("docs/page.md", "x\n[a](gone.md)")], check),
            ["docs/page.md:2: links to `gone.md`, which does not exist"]
        );
    }

    #[test]
    fn links_in_fixtures_are_left_alone() {
        assert!(problems(&[OPEN, ("crates/x/tests/page.md", "[a](gone.md)")], check).is_empty());
    }

    #[test]
    fn a_decision_that_is_not_listed_is_found() {
        let index = ("docs/decisions/README.md", "[1](0001-a.md)");
        let pages = [OPEN, index, ("docs/decisions/0001-a.md", ""), ("docs/decisions/0002-b.md", "")];
        assert_eq!(problems(&pages, check), ["docs/decisions/README.md: does not list `0002-b.md`"]);
    }

    #[test]
    fn a_changelog_without_unreleased_section_is_found() {
        assert_eq!(
            problems(&[("CHANGELOG.md", "## 0.1.0\n")], check),
            ["CHANGELOG.md: has no section `## Unreleased`"]
        );
    }

    #[test]
    fn an_exit_code_without_a_row_is_found() {
        let source =
            "pub enum ExitCode {\n    /// x\n    Unrefuted = 0,\n    Internal = 70,\n}\nconst X: u8 = 9;\n";
        let files = [OPEN, ("crates/model/src/outcome.rs", source), ("docs/exit-codes.md", "| 0 | fine |\n")];
        assert_eq!(problems(&files, check), ["docs/exit-codes.md: has no row for exit code 70"]);
    }

    #[test]
    fn a_notice_without_a_row_is_found() {
        let source =
            "Notice::new(\n    \"late\",\n    text)\nNotice::new(\"known\", text)\nNotice::new(key, text)\n";
        let page = ("docs/json.md", "| `known` | x |\n");
        assert_eq!(
            problems(&[OPEN, ("crates/x/src/lib.rs", source), page], check),
            ["docs/json.md: has no row for the notice `late` of crates/x/src/lib.rs"]
        );
    }
}
