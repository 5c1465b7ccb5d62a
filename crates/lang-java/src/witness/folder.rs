//! The folder of a counterexample: what is in it, and how it comes there.
//!
//! | path | what |
//! |---|---|
//! | `witness.json` | what it shows and how it is run: see [`Manifest`] |
//! | `README.md` | the same for people |
//! | `src/…` | the test |
//! | `classes/base/…` | classes of the buggy version |
//! | `classes/patched/…`, `classes/reference/…` | what is other in those, before the base on the class path |
//! | `libraries/…` | jars, the test framework's among them |

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bonafix_lang::LangError;
use bonafix_model::{DifferenceClass, Promise, VersionRole};
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::Framework;
use crate::class_index::files_below;
use crate::project::Surroundings;

/// Version of `witness.json`; raised when a field changes meaning.
pub(super) const FORMAT: u32 = 1;
pub(super) const MANIFEST: &str = "witness.json";

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
    /// The input as source code.
    pub(super) input: Vec<String>,
    /// What is compared.
    pub(super) what: String,
    pub(super) expected: String,
    pub(super) actual: String,
    pub(super) framework: Framework,
    /// Binary name of the test class.
    pub(super) test_class: String,
    /// Its source.
    pub(super) source: String,
    /// The reference first, then the patched version, then the buggy one.
    pub(super) versions: Vec<ManifestVersion>,
    /// Jars of the test framework and its launcher, before all others on the class path.
    pub(super) runner: Vec<Utf8PathBuf>,
    /// Language level.
    pub(super) release: u32,
    pub(super) encoding: String,
    pub(super) javac_options: Vec<String>,
    pub(super) jvm_options: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
    /// The JDK that it was made with.
    pub(super) jdk: String,
    /// Runs on each version, each in a process of its own.
    pub(super) repetitions: u32,
    /// What one run may take.
    pub(super) limit_seconds: u64,
    /// All files of the folder but this one, the test and the README, with hashes of their contents.
    #[serde(default)]
    pub(super) files: BTreeMap<Utf8PathBuf, String>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ManifestVersion {
    pub(super) role: VersionRole,
    pub(super) classpath: Vec<Utf8PathBuf>,
    pub(super) promise: Promise,
}

impl Manifest {
    /// Reads the manifest of a folder and checks that all is there.
    pub(super) fn read(folder: &Utf8Path) -> Result<Self, LangError> {
        let file = folder.join(MANIFEST);
        let wrong = |message: String| LangError::Configuration { message };
        if !folder.is_dir() {
            return Err(wrong(format!("{folder} is not a folder")));
        }
        check_path(folder)?;
        if !file.is_file() {
            return Err(wrong(format!("{folder} is not the folder of a witness: it has no {MANIFEST}")));
        }
        let text = fs_err::read(&file)?;
        let format = serde_json::from_slice::<serde_json::Value>(&text)
            .map_err(|error| wrong(format!("{file} is damaged: {error}")))?;
        match format.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(format) => {
                return Err(wrong(format!("{file} has format {format}; this bonafix reads format {FORMAT}")));
            }
            None => return Err(wrong(format!("{file} is damaged: it does not say its format"))),
        }
        let manifest: Self =
            serde_json::from_slice(&text).map_err(|error| wrong(format!("{file} is damaged: {error}")))?;
        if manifest.language != "java" {
            return Err(wrong(format!("{file} is for {}, not for Java", manifest.language)));
        }
        let source = Utf8PathBuf::from(&manifest.source);
        let paths = manifest.versions.iter().flat_map(|version| &version.classpath);
        for path in paths.chain(&manifest.runner).chain(std::iter::once(&source)) {
            if !path.components().all(|part| matches!(part, Utf8Component::Normal(_))) {
                return Err(wrong(format!("{file} is damaged: {path} does not lie in the folder")));
            }
            if !folder.join(path).exists() {
                return Err(wrong(format!("the witness in {folder} is damaged: {path} is missing")));
            }
        }
        manifest.check_files(folder)?;
        Ok(manifest)
    }

    /// A class that is missing or another than it was would make a version fail, or pass, for the wrong reason.
    fn check_files(&self, folder: &Utf8Path) -> Result<(), LangError> {
        for (path, digest) in &self.files {
            let damaged = |what: &str| LangError::Configuration {
                message: format!("the witness in {folder} is damaged: {path} {what}"),
            };
            let file = folder.join(path);
            if !file.is_file() {
                return Err(damaged("is missing"));
            }
            if digest_of(&file)? != *digest {
                return Err(damaged("is not what it was when the witness was written"));
            }
        }
        Ok(())
    }

    /// Takes down what the folder consists of, before the manifest is written into it.
    pub(super) fn note_files(&mut self, folder: &Utf8Path) -> Result<(), LangError> {
        for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
            let entry = entry.map_err(std::io::Error::from)?;
            let Some(path) = Utf8Path::from_path(entry.path()).filter(|path| path.is_file()) else {
                continue;
            };
            // The test itself is for people to read and change; whether it still holds is what a replay tells.
            if let Ok(relative) = path.strip_prefix(folder)
                && relative != self.source
            {
                self.files.insert(relative.to_owned(), digest_of(path)?);
            }
        }
        Ok(())
    }

    pub(super) fn write(&self, folder: &Utf8Path) -> Result<(), LangError> {
        let text =
            serde_json::to_string_pretty(self).map_err(|error| LangError::Internal(error.to_string()))?;
        fs_err::write(folder.join(MANIFEST), text + "\n")?;
        fs_err::write(folder.join("README.md"), self.readme())?;
        Ok(())
    }

    /// The class path of a version as absolute paths, the runner's jars first.
    pub(super) fn classpath(&self, folder: &Utf8Path, version: &ManifestVersion) -> Vec<Utf8PathBuf> {
        let mut path: Vec<Utf8PathBuf> = Vec::new();
        for entry in self.runner.iter().chain(&version.classpath) {
            let entry = folder.join(entry);
            if !path.contains(&entry) {
                path.push(entry);
            }
        }
        path
    }

    fn readme(&self) -> String {
        let joined = |version: &ManifestVersion| {
            let entries = self.runner.iter().chain(&version.classpath);
            let mut seen = Vec::new();
            for entry in entries {
                if !seen.contains(&entry.as_str()) {
                    seen.push(entry.as_str());
                }
            }
            seen.join(":")
        };
        let mut commands = String::new();
        for version in &self.versions {
            let name = role_name(version.role);
            let promise = match version.promise {
                Promise::Passes => "passes",
                Promise::Fails => "fails",
                Promise::Nothing => "may do either",
            };
            let run = match self.framework {
                Framework::JUnit3 => "junit.textui.TestRunner",
                Framework::JUnit4 => "org.junit.runner.JUnitCore",
                Framework::Jupiter => "org.junit.platform.console.ConsoleLauncher --select-class",
            };
            let path = joined(version);
            let class = &self.test_class;
            let _ = write!(
                commands,
                "# {name}: {promise}\nmkdir -p out/{name}\njavac -encoding {} -d out/{name} -cp {path} {}\n\
                 java -cp out/{name}:{path} {run} {class}\n\n",
                self.encoding, self.source,
            );
        }
        let console = if self.framework == Framework::Jupiter {
            "JUnit 5 is started by its console launcher, `junit-platform-console-standalone.jar`, which must be added to \
             the class path of `java`.\n\n"
        } else {
            ""
        };
        let options = if self.jvm_options.is_empty() {
            String::new()
        } else {
            format!("The project runs its tests with `java {}`.\n\n", self.jvm_options.join(" "))
        };
        format!(
            "# A counterexample\n\n`{}` passes on the reference and fails on the patched version ({}).\n\n\
             | | |\n|---|---|\n| compared | `{}` |\n| reference | `{}` |\n| patched | `{}` |\n\n\
             ```java\n{}\n```\n\n\
             To run it again, on all versions:\n\n```sh\nbonafix replay .\n```\n\n\
             Without bonafix, in this folder:\n\n```sh\n{}\n```\n\n{console}{options}\
             Made with JDK {}, for Java {}.\n",
            self.source,
            self.class.name(),
            in_a_cell(&self.what),
            in_a_cell(&self.expected),
            in_a_cell(&self.actual),
            self.input.join("\n"),
            commands.trim_end(),
            self.jdk,
            self.release,
        )
    }
}

fn digest_of(file: &Utf8Path) -> Result<String, LangError> {
    Ok(blake3::hash(&fs_err::read(file)?).to_hex().to_string())
}

/// Class paths divide their entries by colons.
pub(super) fn check_path(folder: &Utf8Path) -> Result<(), LangError> {
    if !folder.as_str().contains(':') {
        return Ok(());
    }
    let message = format!(
        "the folder of a witness cannot have a `:` in its path, as {folder} has: Java could not find its classes"
    );
    Err(LangError::Configuration { message })
}

fn in_a_cell(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('|', "\\|").replace('`', "'")
}

pub(super) fn role_name(role: VersionRole) -> &'static str {
    match role {
        VersionRole::Buggy => "buggy",
        VersionRole::Patched => "patched",
        VersionRole::Reference => "reference",
    }
}

/// Copies what versions consist of into the folder, each thing once.
pub(super) struct Copies<'a> {
    folder: &'a Utf8Path,
    places: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

impl<'a> Copies<'a> {
    pub(super) fn new(folder: &'a Utf8Path) -> Self {
        Self { folder, places: BTreeMap::new() }
    }

    /// The class path of a version, in the folder. The buggy version comes first, so that the others lie over it.
    pub(super) fn version(
        &mut self,
        role: VersionRole,
        surroundings: &Surroundings,
    ) -> Result<Vec<Utf8PathBuf>, LangError> {
        let name = if role == VersionRole::Buggy { "base" } else { role_name(role) };
        let mut path = Vec::new();
        for folder in &surroundings.classes {
            if folder.is_dir() {
                path.push(self.place(folder, &Utf8PathBuf::from(format!("classes/{name}")), None)?);
            }
        }
        path.extend(self.libraries(&surroundings.libraries)?);
        Ok(path)
    }

    /// Jars and folders of libraries; those that are not there are not needed.
    pub(super) fn libraries(&mut self, libraries: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, LangError> {
        let there = libraries.iter().filter(|library| library.exists());
        there.map(|library| self.place(library, Utf8Path::new("libraries"), library.file_name())).collect()
    }

    /// Where a thing is in the folder; it is brought there if it is not. Without a name it gets a number.
    fn place(
        &mut self,
        from: &Utf8Path,
        below: &Utf8Path,
        name: Option<&str>,
    ) -> Result<Utf8PathBuf, LangError> {
        if let Some(place) = self.places.get(from) {
            return Ok(place.clone());
        }
        let taken = |place: &Utf8PathBuf| self.places.values().any(|other| other == place);
        let numbered = |number: usize| match name {
            Some(name) if number == 0 => below.join(name),
            Some(name) => below.join(format!("{number}-{name}")),
            None => below.join(number.to_string()),
        };
        let mut number = 0;
        while taken(&numbered(number)) {
            number += 1;
        }
        let place = numbered(number);
        bring(from, &self.folder.join(&place))?;
        self.places.insert(from.to_owned(), place.clone());
        Ok(place)
    }
}

/// Copies a file or a folder; what is in the cache is never written to again, so links do as well.
fn bring(from: &Utf8Path, to: &Utf8Path) -> Result<(), LangError> {
    if from.is_file() {
        return link(from, to);
    }
    fs_err::create_dir_all(to)?;
    for (file, relative) in files_below(from) {
        link(&file, &to.join(relative))?;
    }
    Ok(())
}

fn link(from: &Utf8Path, to: &Utf8Path) -> Result<(), LangError> {
    if let Some(folder) = to.parent() {
        fs_err::create_dir_all(folder)?;
    }
    let is_link = fs_err::symlink_metadata(from)?.file_type().is_symlink();
    if is_link || fs_err::hard_link(from, to).is_err() {
        fs_err::copy(from, to)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(files: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for (path, text) in files {
            fs_err::write(root.join(path), text).unwrap();
        }
        Manifest::read(root).err().unwrap().to_string()
    }

    #[test]
    fn a_damaged_folder_says_what_is_wrong() {
        assert!(error_of(&[]).contains("it has no witness.json"));
        assert!(error_of(&[(MANIFEST, "{")]).contains("damaged"));
        assert!(error_of(&[(MANIFEST, "{}")]).contains("does not say its format"));
        assert!(error_of(&[(MANIFEST, r#"{"format": 99}"#)]).contains("format 99"));
        assert!(error_of(&[(MANIFEST, r#"{"format": 1}"#)]).contains("missing field"));
        let error = Manifest::read(Utf8Path::new("/nowhere/at/all")).err().unwrap().to_string();
        assert!(error.contains("is not a folder"), "{error}");
    }

    #[test]
    fn two_libraries_of_one_name_lie_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for name in ["a/lib.jar", "b/lib.jar"] {
            link_source(&root.join(name));
        }
        let target = root.join("out");
        let mut copies = Copies::new(&target);
        let paths: Vec<Utf8PathBuf> =
            ["a/lib.jar", "b/lib.jar", "a/lib.jar", "gone.jar"].iter().map(|name| root.join(name)).collect();
        let places = copies.libraries(&paths).unwrap();
        assert_eq!(places, ["libraries/lib.jar", "libraries/1-lib.jar", "libraries/lib.jar"]);
        assert!(target.join("libraries/1-lib.jar").is_file());
    }

    fn link_source(path: &Utf8Path) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, path.as_str()).unwrap();
    }
}
