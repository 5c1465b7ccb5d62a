//! Which cases, and which of their patches.

use anyhow::{Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use super::options::Options;
use crate::cases::{self, Expectation};

const CASE_FILE: &str = "case.toml";

/// A case to be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subject {
    /// The path below the folder that was named.
    pub(super) name: String,
    pub(super) folder: Utf8PathBuf,
    pub(super) language: String,
    /// One of this tree: every outcome must be right.
    pub(super) bundled: bool,
    /// The patches to judge, in the order of `case.toml`.
    pub(super) patches: Vec<Expectation>,
    /// Why it cannot be read.
    pub(super) problem: Option<String>,
}

/// The cases that the arguments name, all bundled ones if they name none.
pub(super) fn subjects(root: &Utf8Path, options: &Options) -> Result<Vec<Subject>> {
    let bundled = root.join("cases").canonicalize_utf8().unwrap_or_else(|_| root.join("cases"));
    let mut found = Vec::new();
    if options.subjects.is_empty() {
        found.extend(below(&bundled));
    }
    for argument in &options.subjects {
        let folders = named(&bundled, argument);
        if folders.is_empty() {
            bail!("`{argument}` is neither a bundled case nor a folder with a {CASE_FILE} in or below it");
        }
        found.extend(folders);
    }
    let mut subjects: Vec<Subject> = Vec::new();
    for (name, folder) in found {
        if subjects.iter().all(|subject| subject.folder != folder) {
            subjects.push(subject(name, folder, &bundled, options));
        }
    }
    Ok(subjects)
}

/// The folders of cases that an argument names, each with its name.
fn named(bundled: &Utf8Path, argument: &str) -> Vec<(String, Utf8PathBuf)> {
    let folder = Utf8Path::new(argument);
    if let Some(folder) = folder.canonicalize_utf8().ok().filter(|folder| folder.is_dir()) {
        return below(&folder);
    }
    below(bundled).into_iter().filter(|(_, folder)| folder.file_name() == Some(argument)).collect()
}

/// Every folder with a case, in or below this one, with its path from here.
fn below(folder: &Utf8Path) -> Vec<(String, Utf8PathBuf)> {
    let mut found = Vec::new();
    let mut walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        // What cannot be read holds no case for us.
        let Some(path) = entry.ok().and_then(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        else {
            continue;
        };
        if path.is_dir() && path.join(CASE_FILE).is_file() {
            let name = path.strip_prefix(folder).ok().filter(|name| !name.as_str().is_empty());
            let name = name.map_or(path.file_name(), |name| Some(name.as_str())).unwrap_or_default();
            found.push((name.to_owned(), path));
            walk.skip_current_dir();
        }
    }
    found
}

fn subject(name: String, folder: Utf8PathBuf, bundled: &Utf8Path, options: &Options) -> Subject {
    let is_bundled = folder.starts_with(bundled);
    let name = if is_bundled { folder.file_name().unwrap_or_default().to_owned() } else { name };
    let (language, patches, problem) = match cases::read(Utf8Path::new(""), &folder) {
        Ok(case) => (case.language, selected(case.patches, options), None),
        Err(error) => (String::new(), Vec::new(), Some(format!("{error:#}"))),
    };
    Subject { name, folder, language, bundled: is_bundled, patches, problem }
}

fn selected(patches: Vec<Expectation>, options: &Options) -> Vec<Expectation> {
    let label = |patch: &Expectation| options.only.is_none() || patch.label == options.only;
    let name = |patch: &Expectation| {
        options.patches.is_empty()
            || options.patches.iter().any(|wanted| *wanted == patch.name || *wanted == patch.file.as_str())
    };
    let wanted: Vec<Expectation> = patches.into_iter().filter(|patch| label(patch) && name(patch)).collect();
    spread(wanted, options.limit_per_case)
}

/// So many of the entries, evenly over the list.
fn spread<T>(entries: Vec<T>, limit: Option<usize>) -> Vec<T> {
    let (all, limit) = (entries.len(), limit.unwrap_or(entries.len()));
    let kept: Vec<usize> = (0..limit.min(all)).map(|number| number * all / limit.min(all)).collect();
    entries
        .into_iter()
        .enumerate()
        .filter(|(index, _)| kept.contains(index))
        .map(|(_, entry)| entry)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(cases: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let text = "[[patch]]\nfile = 'p/a.diff'\nlabel = 'correct'\n[[patch]]\nfile = 'p/b.diff'\nlabel = 'overfitting'\n";
        for case in cases {
            fs_err::create_dir_all(root.join(case).join("buggy")).unwrap();
            fs_err::write(root.join(case).join(CASE_FILE), text).unwrap();
        }
        (folder, root)
    }

    fn options(subjects: &[&str]) -> Options {
        Options { subjects: subjects.iter().map(|name| (*name).to_owned()).collect(), ..Options::default() }
    }

    #[test]
    fn bundled_cases_go_by_name_and_others_by_folder() {
        let (_guard, root) =
            tree(&["cases/java/one", "cases/java/two", "cases/c/five", "other/x/three", "other/four"]);
        let names = |options: &Options| -> Vec<(String, bool)> {
            let subjects = subjects(&root, options).unwrap();
            subjects.into_iter().map(|subject| (subject.name, subject.bundled)).collect()
        };
        let bundled = ["five", "one", "two"].map(|name| (name.to_owned(), true));
        assert_eq!(names(&options(&[])), bundled);
        assert_eq!(names(&options(&["two"])), [("two".to_owned(), true)]);
        let other = root.join("other");
        assert_eq!(
            names(&options(&[other.as_str()])),
            [("four".to_owned(), false), ("x/three".to_owned(), false)]
        );
        let twice = [other.join("four").to_string(), other.to_string()];
        assert_eq!(names(&options(&[&twice[0], &twice[1]])).len(), 2, "a case named twice is judged once");
        assert!(subjects(&root, &options(&["no-such-case"])).is_err());
    }

    #[test]
    fn patches_are_selected_by_label_name_and_number() {
        let (_guard, root) = tree(&["cases/java/one"]);
        let count = |change: &dyn Fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            subjects(&root, &options).unwrap()[0].patches.len()
        };
        assert_eq!(count(&|_| ()), 2);
        assert_eq!(count(&|options| options.only = Some("correct".into())), 1);
        assert_eq!(count(&|options| options.patches = vec!["a".into(), "p/b.diff".into()]), 2);
        assert_eq!(count(&|options| options.patches = vec!["c".into()]), 0);
        assert_eq!(count(&|options| options.limit_per_case = Some(1)), 1);
        assert_eq!(count(&|options| options.limit_per_case = Some(0)), 0);
        assert_eq!(spread((0..10).collect(), Some(3)), [0, 3, 6]);
    }

    #[test]
    fn a_case_that_cannot_be_read_is_a_problem_of_its_own() {
        let (_guard, root) = tree(&["cases/java/one", "cases/java/two"]);
        fs_err::write(root.join("cases/java/one/case.toml"), "patch = [").unwrap();
        let subjects = subjects(&root, &Options::default()).unwrap();
        assert!(subjects[0].problem.is_some() && subjects[1].problem.is_none());
    }
}
