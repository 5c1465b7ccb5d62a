//! The inputs of the developers' tests.
//!
//! Where a script runs the tests nobody says what they give to the program. Then files that are called like a test are taken,
//! and where there are none, all files that belong to the tests: an input that means nothing costs one execution.

use std::io;
use std::os::unix::fs::PermissionsExt;

use bonafix_model::{Notice, ProgramInput, TestId};
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::recipe::{is_header, is_source};
use crate::suite::Suite;

/// So many tests are named to a person.
const NAMED: usize = 5;

/// Inputs, those of failing tests first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seeds {
    pub(super) inputs: Vec<ProgramInput>,
    /// Those of them that are called like a test of a script.
    pub(super) scripted: Vec<ProgramInput>,
    pub(super) notices: Vec<Notice>,
}

/// Endings of files that hold what a test expects, and not what it gives.
const OUTPUTS: [&str; 14] = [
    "out", "output", "expect", "expected", "exp", "ok", "ref", "golden", "err", "stderr", "status", "code",
    "exit", "args",
];
/// Files of scripted tests: so many, and none that is larger.
const LOOSE: usize = 64;
const LOOSE_SIZE: u64 = 64 * 1024;

impl Seeds {
    /// Of these tests, from a copy of the original test files.
    pub(super) fn read<'a>(
        suite: &Suite,
        originals: &Utf8Path,
        tests: impl Iterator<Item = &'a TestId>,
    ) -> io::Result<Self> {
        let mut seeds = Self::default();
        let loose = loose_files(originals);
        let mut none = Vec::new();
        for test in tests {
            if let Some(input) = input(suite, originals, &test.0)? {
                seeds.push(input);
                continue;
            }
            let own: Vec<_> = loose.iter().filter(|path| path.file_stem() == Some(&test.0)).collect();
            if own.is_empty() {
                none.push(test.0.as_str());
            }
            for path in own {
                let input = ProgramInput { arguments: None, bytes: fs_err::read(path)? };
                if path.extension().is_none_or(|ending| !OUTPUTS.contains(&ending)) {
                    seeds.scripted.push(input.clone());
                }
                seeds.push(input);
            }
        }
        if seeds.inputs.is_empty() {
            for path in loose.iter().take(LOOSE) {
                seeds.push(ProgramInput { arguments: None, bytes: fs_err::read(path)? });
            }
        }
        if !none.is_empty() {
            let text = format!(
                "{} of the tests have no file of their own as input, and give the fuzzer nothing to begin with: {}",
                none.len(),
                none.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ")
            );
            seeds.notices.push(Notice::new("no-seed", text));
        }
        Ok(seeds)
    }

    fn push(&mut self, input: ProgramInput) {
        if !self.inputs.contains(&input) {
            self.inputs.push(input);
        }
    }
}

/// Files of the tests that may be inputs: neither sources nor programs.
fn loose_files(originals: &Utf8Path) -> Vec<Utf8PathBuf> {
    let files = WalkDir::new(originals).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = files.filter(|entry| {
        entry.metadata().is_ok_and(|data| {
            data.is_file() && data.len() <= LOOSE_SIZE && data.permissions().mode() & 0o111 == 0
        })
    });
    let paths = files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
    paths.filter(|path| !is_source(path) && !is_header(path) && path.extension() != Some("sh")).collect()
}

/// What a test gives to the program; none if that is no single file.
fn input(suite: &Suite, originals: &Utf8Path, test: &str) -> io::Result<Option<ProgramInput>> {
    let file = suite.input.as_ref().map(|pattern| originals.join(pattern.path(test)));
    let arguments = suite.arguments.as_ref().map(|pattern| originals.join(pattern.path(test)));
    let arguments = match arguments.filter(|path| path.is_file()) {
        Some(path) => {
            let bytes = fs_err::read(path)?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
        }
        None => None,
    };
    let bytes = match file {
        Some(path) if path.is_file() => Some(fs_err::read(path)?),
        // A test of arguments alone.
        _ if arguments.is_some() => Some(Vec::new()),
        _ => None,
    };
    Ok(bytes.map(|bytes| ProgramInput { arguments, bytes }))
}

#[cfg(test)]
mod tests {
    use bonafix_model::{CConfig, CTestsConfig};

    use super::*;

    #[test]
    fn inputs_and_arguments_of_tests_are_seeds_and_scripts_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for (name, text) in
            [("a.in", "1"), ("b.in", "2"), ("b.args", "-t\n4\n"), ("c.args", "-h\n"), ("d.in", "1")]
        {
            fs_err::write(root.join(name), text).unwrap();
        }
        let tests = CTestsConfig {
            input: Some("*.in".to_owned()),
            arguments: Some("*.args".to_owned()),
            ..CTestsConfig::default()
        };
        let suite = Suite::read(root, &CConfig { tests, ..CConfig::default() }).unwrap();
        let names = ["b", "a", "c", "d", "script"].map(|name| TestId(name.to_owned()));
        let seeds = Seeds::read(&suite, root, names.iter()).unwrap();
        let input = |arguments: Option<&[&str]>, bytes: &str| ProgramInput {
            arguments: arguments.map(|words| words.iter().map(|&word| word.to_owned()).collect()),
            bytes: bytes.as_bytes().to_vec(),
        };
        assert_eq!(
            seeds.inputs,
            [input(Some(&["-t", "4"]), "2"), input(None, "1"), input(Some(&["-h"]), "")]
        );
        assert_eq!(seeds.notices.len(), 1);
        assert!(seeds.notices[0].text.ends_with(": script"), "{:?}", seeds.notices);
    }

    fn scripted(names: &[&str]) -> Vec<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir(root.join("tests")).unwrap();
        for (name, text) in
            [("n1.in", "in"), ("n1.out", "out"), ("p1.in", "other"), ("help.c", "c"), ("run.sh", "sh")]
        {
            fs_err::write(root.join("tests").join(name), text).unwrap();
        }
        let suite = Suite::read(root, &CConfig::default()).unwrap();
        let names: Vec<TestId> = names.iter().map(|&name| TestId(name.to_owned())).collect();
        let seeds = Seeds::read(&suite, root, names.iter()).unwrap();
        let own: Vec<_> = seeds.scripted.iter().map(|input| input.bytes.as_slice()).collect();
        let is_named = names.iter().any(|name| name.0 == "n1");
        assert_eq!(own, if is_named { vec![b"in".as_slice()] } else { vec![] });
        seeds.inputs.into_iter().map(|input| input.bytes).collect()
    }

    #[test]
    fn tests_of_a_script_have_the_files_that_are_called_like_them() {
        assert_eq!(scripted(&["n1"]), [b"in".to_vec(), b"out".to_vec()]);
        assert_eq!(scripted(&["all"]), [b"in".to_vec(), b"out".to_vec(), b"other".to_vec()]);
    }
}
