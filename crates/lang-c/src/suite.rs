//! Which tests there are, and which files belong to them.

use std::collections::{BTreeMap, BTreeSet};

use bonafix_lang::LangError;
use bonafix_model::{CConfig, CTestsConfig, FileEdit, TestId, TreeChange};
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::configuration;

/// Folders of tests where the user names none.
const USUAL_FOLDERS: [&str; 3] = ["test", "tests", "testsuite"];

/// Where the files of a test are: a path with the test's name in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    before: String,
    after: String,
}

impl Pattern {
    fn read(key: &str, text: Option<&str>) -> Result<Option<Self>, LangError> {
        let Some(text) = text else { return Ok(None) };
        match text.split_once('*') {
            Some((before, after)) if !after.contains('*') => {
                Ok(Some(Self { before: before.to_owned(), after: after.to_owned() }))
            }
            _ => Err(configuration(format!(
                "`c.tests.{key}` is `{text}`, and must have exactly one `*`, which stands for the test's name"
            ))),
        }
    }

    /// The name of the test whose file this is.
    fn name<'a>(&self, path: &'a Utf8Path) -> Option<&'a str> {
        let name = path.as_str().strip_prefix(&self.before)?.strip_suffix(&self.after)?;
        (!name.is_empty() && !name.contains('/')).then_some(name)
    }

    /// The file of a test.
    pub(crate) fn path(&self, name: &str) -> Utf8PathBuf {
        format!("{}{name}{}", self.before, self.after).into()
    }
}

/// How a test is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The program gets its input, and what comes out is compared.
    Files,
    /// The script gets its name.
    Script,
}

/// The tests of a project, as they are described.
#[derive(Debug, Clone)]
pub(crate) struct Suite {
    pub(crate) input: Option<Pattern>,
    pub(crate) arguments: Option<Pattern>,
    pub(crate) output: Option<Pattern>,
    pub(crate) errors: Option<Pattern>,
    pub(crate) status: Option<Pattern>,
    pub(crate) config: CTestsConfig,
    /// Files and folders that belong to the tests beside those of the patterns.
    files: Vec<Utf8PathBuf>,
}

impl Suite {
    /// Of the project at `root`.
    pub(crate) fn read(root: &Utf8Path, config: &CConfig) -> Result<Self, LangError> {
        let tests = &config.tests;
        let mut files = tests.files.clone();
        if files.is_empty() {
            files.extend(USUAL_FOLDERS.iter().map(Utf8PathBuf::from));
        }
        for command in [&tests.script, &tests.compare, &tests.list].into_iter().flatten() {
            let words = shlex::split(command).unwrap_or_default();
            let named = words.iter().map(|word| word.strip_prefix("./").unwrap_or(word));
            files.extend(named.filter(|word| root.join(word).is_file()).map(Utf8PathBuf::from));
        }
        if tests.script.is_some() && tests.names.is_empty() && tests.list.is_none() {
            return Err(configuration(
                "`c.tests.script` is set: set `c.tests.names` to the names of its tests, or `c.tests.list` to a command \
                 that prints them",
            ));
        }
        Ok(Self {
            input: Pattern::read("input", tests.input.as_deref())?,
            arguments: Pattern::read("arguments", tests.arguments.as_deref())?,
            output: Pattern::read("output", tests.output.as_deref())?,
            errors: Pattern::read("errors", tests.errors.as_deref())?,
            status: Pattern::read("status", tests.status.as_deref())?,
            config: tests.clone(),
            files,
        })
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        [&self.input, &self.arguments, &self.output, &self.errors, &self.status].into_iter().flatten()
    }

    /// The pattern that says which tests there are: inputs, or else arguments, or else outputs.
    fn leading(&self) -> Option<&Pattern> {
        self.input.as_ref().or(self.arguments.as_ref()).or(self.output.as_ref())
    }

    /// Does this file belong to the tests?
    pub(crate) fn owns(&self, path: &Utf8Path) -> bool {
        let matches = |path: &Utf8Path| self.patterns().any(|pattern| pattern.name(path).is_some());
        self.files.iter().any(|file| path.starts_with(file)) || path.ancestors().any(matches)
    }

    /// Tests whose input, or what else says that they exist, is among the edits.
    pub(crate) fn tests_in(&self, change: &TreeChange) -> Vec<TestId> {
        let Some(leading) = self.leading() else { return Vec::new() };
        let written = change.files.iter().filter(|(_, edit)| matches!(edit, FileEdit::Write(_)));
        let mut names: Vec<TestId> = written
            .flat_map(|(path, _)| path.ancestors())
            .filter_map(|path| leading.name(path))
            .map(|name| TestId(name.to_owned()))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The tests by name, from the files in `folder`; `scripted` are those of the script.
    pub(crate) fn list(
        &self,
        folder: &Utf8Path,
        scripted: &[String],
    ) -> Result<BTreeMap<String, Kind>, LangError> {
        let mut tests = BTreeMap::new();
        if let Some(leading) = self.leading() {
            for path in paths(folder) {
                tests.extend(leading.name(&path).map(|name| (name.to_owned(), Kind::Files)));
            }
        }
        for name in scripted {
            if tests.insert(name.clone(), Kind::Script) == Some(Kind::Files) {
                return Err(configuration(format!(
                    "two tests are called `{name}`: one of `c.tests.input` and one of `c.tests.script`"
                )));
            }
        }
        Ok(tests)
    }

    /// Exit codes other than 0 that tests in `folder` expect.
    pub(crate) fn codes(&self, folder: &Utf8Path) -> BTreeSet<i32> {
        let Some(status) = &self.status else { return BTreeSet::new() };
        let files = paths(folder).filter(|path| status.name(path).is_some());
        let texts = files.filter_map(|path| fs_err::read_to_string(folder.join(path)).ok());
        texts.filter_map(|text| text.trim().parse().ok()).filter(|code| *code != 0).collect()
    }

    /// What tests in `folder` give to the program, as far as that is files: arguments of their own, and the input.
    pub(crate) fn inputs(&self, folder: &Utf8Path) -> Vec<Vec<u8>> {
        let Some(leading) = self.leading() else { return Vec::new() };
        let tests = paths(folder).filter_map(|path| leading.name(&path).map(str::to_owned));
        let patterns = || [&self.arguments, &self.input].into_iter().flatten();
        let given = |test: String| {
            let files = patterns().filter_map(|pattern| fs_err::read(folder.join(pattern.path(&test))).ok());
            let files: Vec<_> = files.collect();
            (!files.is_empty()).then(|| files.join(&b'\n'))
        };
        tests.filter_map(given).collect()
    }

    /// Copies what belongs to the tests.
    pub(crate) fn copy_files(&self, from: &Utf8Path, to: &Utf8Path) -> Result<(), LangError> {
        for path in paths(from).filter(|path| self.owns(path) && from.join(path).is_file()) {
            let (source, target) = (from.join(&path), to.join(&path));
            if let Some(folder) = target.parent() {
                fs_err::create_dir_all(folder)?;
            }
            let unchanged =
                fs_err::read(&target).is_ok_and(|old| fs_err::read(&source).is_ok_and(|new| old == new));
            if !unchanged {
                fs_err::copy(&source, &target)?;
            }
        }
        Ok(())
    }
}

/// Files and folders below a folder, relative to it, in a fixed order.
fn paths(folder: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    let root = folder.to_owned();
    WalkDir::new(folder)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git")
        .filter_map(Result::ok)
        .filter_map(move |entry| {
            Utf8Path::from_path(entry.path())?.strip_prefix(&root).ok().map(Utf8Path::to_owned)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(tests: CTestsConfig) -> Result<Suite, LangError> {
        Suite::read(Utf8Path::new("/nowhere"), &CConfig { tests, ..CConfig::default() })
    }

    fn by_input(pattern: &str) -> CTestsConfig {
        CTestsConfig { input: Some(pattern.to_owned()), ..CTestsConfig::default() }
    }

    #[test]
    fn a_pattern_needs_one_star_and_the_error_names_its_key() {
        for pattern in ["tests/a.in", "tests/*/*.in"] {
            let error = suite(by_input(pattern)).unwrap_err().to_string();
            assert!(error.contains("c.tests.input") && error.contains(pattern), "{error}");
        }
    }

    #[test]
    fn a_script_without_names_is_an_error_that_names_both_keys() {
        let tests = CTestsConfig { script: Some("sh t.sh $TEST".to_owned()), ..CTestsConfig::default() };
        let error = suite(tests).unwrap_err().to_string();
        assert!(error.contains("c.tests.names") && error.contains("c.tests.list"), "{error}");
    }

    #[test]
    fn files_of_patterns_and_of_the_usual_folders_belong_to_the_tests() {
        let suite = suite(by_input("data/*.txt")).unwrap();
        for path in ["data/a.txt", "tests/x.sh", "test/deep/y"] {
            assert!(suite.owns(Utf8Path::new(path)), "{path}");
        }
        for path in ["data/a.c", "src/tests.c", "data/deep/a.txt"] {
            assert!(!suite.owns(Utf8Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_folder_can_be_an_input_and_all_below_it_belongs_to_the_test() {
        let suite = suite(by_input("cases/*.d")).unwrap();
        assert!(suite.owns(Utf8Path::new("cases/one.d/deep/file")));
        let change =
            TreeChange { files: [(Utf8PathBuf::from("cases/two.d/f"), FileEdit::Write(Vec::new()))].into() };
        assert_eq!(suite.tests_in(&change), [TestId("two".to_owned())]);
    }

    #[test]
    fn exit_codes_that_tests_expect_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for (name, text) in [("a.status", "2\n"), ("b.status", "0"), ("c.status", "what?"), ("d.out", "7")] {
            fs_err::write(root.join(name), text).unwrap();
        }
        let tests = CTestsConfig { status: Some("*.status".to_owned()), ..by_input("*.in") };
        assert_eq!(suite(tests).unwrap().codes(root), BTreeSet::from([2]));
        assert_eq!(suite(by_input("*.in")).unwrap().codes(root), BTreeSet::new());
        assert_eq!(suite(by_input("*.status")).unwrap().inputs(root).len(), 3);
    }

    #[test]
    fn tests_of_files_and_of_a_script_stand_side_by_side_unless_they_share_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir(root.join("t")).unwrap();
        fs_err::write(root.join("t/a.in"), "").unwrap();
        let suite = suite(by_input("t/*.in")).unwrap();
        let listed = suite.list(root, &["p1".to_owned()]).unwrap();
        assert_eq!(listed, BTreeMap::from([("a".to_owned(), Kind::Files), ("p1".to_owned(), Kind::Script)]));
        assert!(suite.list(root, &["a".to_owned()]).is_err());
    }
}
