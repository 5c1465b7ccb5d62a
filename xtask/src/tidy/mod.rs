//! `tidy`: rules of the house that the compiler does not know. One file per family of rules.
//!
//! Documents drift unless a test reads them: the test at the end of this file runs every check on the tree itself.

mod architecture;
mod documents;
mod layers;
mod machine;
mod sources;

use std::process::ExitCode;

use anyhow::{Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::commands::no_arguments;
use crate::workspace::Workspace;

/// Help of `tidy`.
pub(crate) const HELP: &str = "\
Checks that
  - every path that ARCHITECTURE.md names exists, and every crate and runtime folder is named there;
  - imports go down only, by the layer table of ARCHITECTURE.md; only `engine` knows a language; every crate takes
    the shared lints; `anyhow` stays in the outermost crates;
  - every Rust file of the product has a module doc, every Java class of the runtime a class doc;
  - `#[allow]` and `#[expect]` give a reason;
  - links between documents lead to files; every decision is listed; the changelog has an Unreleased section; the
    exit codes and the keys of notices in the documents are those of the program;
  - no file names a folder of somebody's machine or a private host.

Examples:
  cargo xtask tidy
";

/// A rule that is broken somewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    file: Utf8PathBuf,
    /// From 1; 0 where no line can be named.
    line: usize,
    message: String,
}

impl Problem {
    fn new(file: impl Into<Utf8PathBuf>, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.into(), line, message: message.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(formatter, "{}: {}", self.file, self.message),
            line => write!(formatter, "{}:{line}: {}", self.file, self.message),
        }
    }
}

/// The text files of a checkout, read once. Files that are no UTF-8 are left out.
struct Tree {
    root: Utf8PathBuf,
    files: Vec<(Utf8PathBuf, String)>,
}

impl Tree {
    fn read(root: &Utf8Path) -> Self {
        let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
        let entries = entries.filter_entry(|entry| {
            let name = entry.file_name().to_string_lossy();
            entry.depth() == 0 || (name != "target" && name != ".git")
        });
        let files = entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
        let paths = files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
        let texts = paths.filter_map(|path| {
            let text = fs_err::read_to_string(&path).ok()?;
            Some((path.strip_prefix(root).unwrap_or(&path).to_owned(), text))
        });
        Self { root: root.to_owned(), files: texts.collect() }
    }

    /// The text of a file, by its path from the root.
    fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|(file, _)| file == path).map(|(_, text)| text.as_str())
    }

    /// Files with this ending.
    fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = (&'a Utf8Path, &'a str)> {
        let files = self.files.iter().filter(move |(file, _)| file.extension() == Some(extension));
        files.map(|(file, text)| (file.as_path(), text.as_str()))
    }

    /// Names of the folders directly under `parent`.
    fn folders(&self, parent: &str) -> Vec<String> {
        let below = self.files.iter().filter_map(|(file, _)| file.strip_prefix(parent).ok());
        let mut names: Vec<String> = below
            .filter(|rest| rest.components().count() > 1)
            .filter_map(|rest| rest.components().next())
            .map(|first| first.to_string())
            .collect();
        names.dedup();
        names
    }
}

/// Runs `tidy`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    no_arguments("tidy", arguments)?;
    check_or_fail(&workspace.root)?;
    println!("tidy");
    Ok(ExitCode::SUCCESS)
}

/// Runs every check and fails with all that was found.
pub(crate) fn check_or_fail(root: &Utf8Path) -> Result<()> {
    let problems = check(root);
    if problems.is_empty() {
        return Ok(());
    }
    for problem in &problems {
        eprintln!("{problem}");
    }
    bail!("{} rules of the house are broken", problems.len());
}

fn check(root: &Utf8Path) -> Vec<Problem> {
    let tree = Tree::read(root);
    let mut problems = Vec::new();
    architecture::check(&tree, &mut problems);
    layers::check(&tree, &mut problems);
    documents::check(&tree, &mut problems);
    sources::check(&tree, &mut problems);
    machine::check(&tree, &mut problems);
    problems.sort();
    problems
}

/// Small trees for the tests of the checks.
#[cfg(test)]
mod fixture {
    use super::*;

    /// What `check` says of a tree with these files.
    pub(super) fn problems(files: &[(&str, &str)], check: impl Fn(&Tree, &mut Vec<Problem>)) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for (path, text) in files {
            let path = root.join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        let mut problems = Vec::new();
        check(&Tree::read(root), &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_tree_is_tidy() {
        let workspace = Workspace::find().unwrap();
        let problems: Vec<String> = check(&workspace.root).iter().map(ToString::to_string).collect();
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }

    #[test]
    fn build_products_are_not_looked_at() {
        let files = [("target/x.rs", ""), ("cases/java/c/buggy/target/y.rs", ""), ("src/z.rs", "")];
        let names = fixture::problems(&files, |tree, problems| {
            problems.extend(tree.files.iter().map(|(file, _)| Problem::new(file, 0, "seen")));
        });
        assert_eq!(names, ["src/z.rs: seen"]);
    }
}
