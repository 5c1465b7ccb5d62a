//! What is in the folder of a counterexample.
//!
//! ```text
//! witness.json           what it shows and how it is run
//! README.md, run.sh      the same for people
//! input                  the bytes
//! expected/              what must come of them: status, stdout, files
//! project/               the buggy version's sources
//! changes/patched/ …     files that other versions have in place of these
//! ```

use std::collections::BTreeMap;

use bonafix_lang::{LangError, Watch};
use bonafix_model::{
    CConfig, DifferenceClass, FileEdit, ProgramEnd, Promise, TestsConfig, TreeChange, VersionRole,
};
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use crate::configuration;

/// Version of `witness.json`; raised when a field changes meaning.
pub(super) const FORMAT: u32 = 1;
pub(super) const MANIFEST: &str = "witness.json";
pub(super) const INPUT: &str = "input";
pub(super) const EXPECTED: &str = "expected";
pub(super) const PROJECT: &str = "project";
pub(super) const SCRIPT: &str = "run.sh";
const README: &str = "README.md";
const CHANGES: &str = "changes";

/// How the program is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Watching {
    Plain,
    Sanitizers,
    Valgrind,
}

impl From<Watch> for Watching {
    fn from(watch: Watch) -> Self {
        match watch {
            Watch::Plain => Self::Plain,
            Watch::Sanitizers => Self::Sanitizers,
            Watch::Valgrind => Self::Valgrind,
        }
    }
}

impl From<Watching> for Watch {
    fn from(watching: Watching) -> Self {
        match watching {
            Watching::Plain => Self::Plain,
            Watching::Sanitizers => Self::Sanitizers,
            Watching::Valgrind => Self::Valgrind,
        }
    }
}

/// What a version must do to pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Right {
    /// End so, and write what lies in `expected/`.
    Does {
        end: ProgramEnd,
        /// Standard error counts as well.
        errors: bool,
        /// Files that it writes, by their paths in the folder that it runs in.
        files: Vec<Utf8PathBuf>,
    },
    /// Have no crash and no error of memory, whatever it writes.
    NoFault,
}

/// What `witness.json` says. All paths are relative to the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Of this file.
    pub(super) format: u32,
    pub(super) language: String,
    /// The program that wrote it.
    pub(super) written_by: String,
    /// How the versions differ.
    pub(super) class: DifferenceClass,
    /// Command and input for people.
    pub(super) input: Vec<String>,
    /// What is compared, in words.
    pub(super) what: String,
    pub(super) expected: String,
    pub(super) actual: String,
    /// The test's own arguments; none for those that the project is configured with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<Vec<String>>,
    /// What the file with the input is called where the program runs, and stands as `@@` in what it prints.
    pub(super) input_name: String,
    pub(super) watch: Watching,
    pub(super) right: Right,
    /// The one that is taken for right first, then the patched version, then others.
    pub(super) versions: Vec<ManifestVersion>,
    /// How the project is built and run.
    pub(super) project: CConfig,
    pub(super) tests: TestsConfig,
    /// The compiler that it was made with.
    pub(super) compiler: String,
    /// Runs on each version, each in a process of its own.
    pub(super) repetitions: u32,
    /// What one run may take.
    pub(super) limit_millis: u64,
    /// All files of the folder but this one, the script and the README, with hashes of their contents.
    #[serde(default)]
    pub(super) files: BTreeMap<Utf8PathBuf, String>,
}

/// One version: the project, with files of `changes/<role>` in place of its own and without those that are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ManifestVersion {
    pub(super) role: VersionRole,
    pub(super) promise: Promise,
    /// Files that it changes or adds.
    pub(super) written: Vec<Utf8PathBuf>,
    /// Files that it has no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) deleted: Vec<Utf8PathBuf>,
}

impl ManifestVersion {
    /// Writes down what a version consists of.
    pub(super) fn write(
        folder: &Utf8Path,
        role: VersionRole,
        change: &TreeChange,
        promise: Promise,
    ) -> Result<Self, LangError> {
        let mut version = Self { role, promise, written: Vec::new(), deleted: Vec::new() };
        for (path, edit) in &change.files {
            match edit {
                FileEdit::Delete => version.deleted.push(path.clone()),
                FileEdit::Write(contents) => {
                    write_file(&changes_of(folder, role).join(path), contents)?;
                    version.written.push(path.clone());
                }
            }
        }
        Ok(version)
    }

    /// What it consists of, on top of the project in the folder.
    pub(super) fn change(&self, folder: &Utf8Path) -> Result<TreeChange, LangError> {
        let mut change = TreeChange::default();
        for path in &self.written {
            let contents = fs_err::read(changes_of(folder, self.role).join(path))?;
            change.files.insert(path.clone(), FileEdit::Write(contents));
        }
        change.files.extend(self.deleted.iter().map(|path| (path.clone(), FileEdit::Delete)));
        Ok(change)
    }
}

impl Manifest {
    /// Reads the manifest of a folder and checks that all is there, and as it was.
    pub(super) fn read(folder: &Utf8Path) -> Result<Self, LangError> {
        let file = folder.join(MANIFEST);
        let text = fs_err::read(&file)?;
        let damaged = |why: &dyn std::fmt::Display| configuration(format!("{file} is damaged: {why}"));
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(format) => {
                return Err(configuration(format!(
                    "{file} has format {format}; this bonafix reads format {FORMAT}"
                )));
            }
            None => return Err(damaged(&"it does not say its format")),
        }
        let manifest: Self = serde_json::from_value(value).map_err(|error| damaged(&error))?;
        let named =
            manifest.versions.iter().flat_map(|version| version.written.iter().chain(&version.deleted));
        for path in named.chain(manifest.files.keys()) {
            if !path.components().all(|part| matches!(part, Utf8Component::Normal(_))) {
                return Err(damaged(&format!("{path} does not lie in the folder")));
            }
        }
        manifest.check_files(folder)?;
        Ok(manifest)
    }

    /// A file that is missing or another than it was would make a version fail, or pass, for the wrong reason.
    fn check_files(&self, folder: &Utf8Path) -> Result<(), LangError> {
        for (path, digest) in &self.files {
            let damaged =
                |what: &str| configuration(format!("the witness in {folder} is damaged: {path} {what}"));
            if !folder.join(path).is_file() {
                return Err(damaged("is missing"));
            }
            if digest_of(&folder.join(path))? != *digest {
                return Err(damaged("is not what it was when the witness was written"));
            }
        }
        Ok(())
    }

    /// Takes down what the folder consists of, and writes it, with the words for people.
    pub(super) fn write(&mut self, folder: &Utf8Path) -> Result<(), LangError> {
        for entry in WalkDir::new(folder).sort_by_file_name() {
            let entry = entry.map_err(std::io::Error::from)?;
            let Some(path) = Utf8Path::from_path(entry.path()).filter(|_| entry.file_type().is_file()) else {
                continue;
            };
            let Ok(relative) = path.strip_prefix(folder) else { continue };
            if ![MANIFEST, README, SCRIPT].contains(&relative.as_str()) {
                self.files.insert(relative.to_owned(), digest_of(path)?);
            }
        }
        let text =
            serde_json::to_string_pretty(self).map_err(|error| LangError::Internal(error.to_string()))?;
        fs_err::write(folder.join(MANIFEST), text + "\n")?;
        fs_err::write(folder.join(README), self.readme())?;
        Ok(())
    }

    fn readme(&self) -> String {
        let names: Vec<String> = self
            .versions
            .iter()
            .map(|version| {
                match (version.promise, version.written.is_empty() && version.deleted.is_empty()) {
                    (_, true) => format!("`project/` ({})", role_name(version.role)),
                    _ => format!("`project/` with `changes/{0}/` ({0})", role_name(version.role)),
                }
            })
            .collect();
        let flags = match self.watch {
            Watching::Plain => String::new(),
            Watching::Sanitizers => {
                ", with `-g -fsanitize=address,undefined -fno-sanitize-recover=undefined`".to_owned()
            }
            Watching::Valgrind => ", with `-g`".to_owned(),
        };
        format!(
            "# A counterexample ({})\n\n```\n{}\n```\n\n- right: {}\n- the patched version: {}\n\n\
             `bonafix replay .` builds all versions from this folder and runs them on the input.\n\n\
             Without bonafix: build a version{flags}, and run `sh {SCRIPT} PROGRAM`, which ends with 0 if it does what is \
             right. The versions are {}.\n",
            self.class.name(),
            self.input.join("\n").replace("```", "'''"),
            self.expected.replace('\n', " "),
            self.actual.replace('\n', " "),
            names.join(", "),
        )
    }
}

pub(super) fn role_name(role: VersionRole) -> &'static str {
    match role {
        VersionRole::Buggy => "buggy",
        VersionRole::Patched => "patched",
        VersionRole::Reference => "reference",
    }
}

fn changes_of(folder: &Utf8Path, role: VersionRole) -> Utf8PathBuf {
    folder.join(CHANGES).join(role_name(role))
}

/// Writes a file with the folders above it.
pub(super) fn write_file(file: &Utf8Path, contents: &[u8]) -> Result<(), LangError> {
    if let Some(parent) = file.parent() {
        fs_err::create_dir_all(parent)?;
    }
    Ok(fs_err::write(file, contents)?)
}

fn digest_of(file: &Utf8Path) -> Result<String, LangError> {
    Ok(blake3::hash(&fs_err::read(file)?).to_hex().to_string())
}
