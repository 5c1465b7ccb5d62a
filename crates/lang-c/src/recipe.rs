//! Which commands build a project.

use bonafix_lang::LangError;
use bonafix_model::{CBuild, CConfig};
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSetBuilder};
use walkdir::WalkDir;

use crate::compile_commands;
use crate::configuration;
use crate::home::Home;

/// Where CMake builds, below the project's folder.
const CMAKE_FOLDER: &str = "build-bonafix";
/// What a program without a build system is called when nobody says.
const DEFAULT_PROGRAM: &str = "program";
/// Endings of sources that a compiler turns into an object.
const SOURCE_ENDINGS: [&str; 6] = ["c", "cc", "cpp", "cxx", "c++", "C"];
const HEADER_ENDINGS: [&str; 7] = ["h", "hh", "hpp", "hxx", "inc", "inl", "def"];
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// How a project is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recipe {
    pub(crate) build: CBuild,
    /// Sources that bonafix compiles itself.
    pub(crate) units: Vec<Unit>,
    /// Folder in which to build, relative to the tree.
    folder: Utf8PathBuf,
    command: Option<String>,
    configure_arguments: Vec<String>,
    build_arguments: Vec<String>,
}

/// A source that bonafix compiles itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Relative to the tree.
    pub(crate) source: Utf8PathBuf,
    /// Folder in which the compiler runs, relative to the tree.
    pub(crate) folder: Utf8PathBuf,
    /// Options; `@ROOT@` stands for the tree.
    pub(crate) options: Vec<String>,
}

/// A command of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) words: Vec<String>,
    /// Absolute.
    pub(crate) folder: Utf8PathBuf,
}

impl Recipe {
    /// For the project at `root`.
    pub(crate) fn read(root: &Utf8Path, config: &CConfig) -> Result<Self, LangError> {
        let folder = config.folder.clone().unwrap_or_default();
        if !root.join(&folder).is_dir() {
            return Err(configuration(format!("`c.folder` is {folder}, and the project has no such folder")));
        }
        let Some(build) = config.build.or_else(|| detect(&root.join(&folder), config)) else {
            return Err(unknown_build(root));
        };
        if build == CBuild::Command && config.command.is_none() {
            return Err(configuration("`c.build` is `command`: set `c.command` to the command that builds"));
        }
        let units = match build {
            CBuild::Files => files(root, &folder, config)?,
            CBuild::CompileCommands => {
                let text = fs_err::read_to_string(root.join(&folder).join(compile_commands::FILE))?;
                let absolute = root.canonicalize_utf8()?;
                compile_commands::units(&text, &absolute, &folder)?
            }
            _ => Vec::new(),
        };
        Ok(Self {
            build,
            units,
            folder,
            command: config.command.clone(),
            configure_arguments: config.configure_arguments.clone(),
            build_arguments: config.build_arguments.clone(),
        })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self.build {
            CBuild::Make => "make",
            CBuild::Cmake => "cmake",
            CBuild::Autotools => "autotools",
            CBuild::Command => "command",
            CBuild::CompileCommands => "compile-commands",
            CBuild::Files => "files",
        }
    }

    /// Does the build itself know which objects a header goes into?
    pub(crate) fn tracks_headers(&self) -> bool {
        matches!(self.build, CBuild::Cmake | CBuild::Autotools)
    }

    /// Where the program comes to lie when nobody says, if that is known.
    pub(crate) fn default_program(&self) -> Option<&'static str> {
        matches!(self.build, CBuild::Files | CBuild::CompileCommands).then_some(DEFAULT_PROGRAM)
    }

    /// Folder in which the build begins.
    pub(crate) fn start(&self, home: &Home) -> Utf8PathBuf {
        home.tree().join(&self.folder)
    }

    /// The programs that it needs beside the compiler.
    pub(crate) fn tools(&self) -> &'static [&'static str] {
        match self.build {
            CBuild::Make | CBuild::Autotools => &["make"],
            CBuild::Cmake => &["cmake"],
            CBuild::Command | CBuild::CompileCommands | CBuild::Files => &[],
        }
    }

    /// What is done once, in a tree that was never built.
    pub(crate) fn preparation(&self, home: &Home) -> Vec<Step> {
        let folder = self.start(home);
        match self.build {
            CBuild::Cmake => {
                let wrappers = home.wrappers();
                let mut words = words(&["cmake", "-S", ".", "-B", CMAKE_FOLDER]);
                words.push(format!("-DCMAKE_C_COMPILER={}", wrappers.cc()));
                words.push(format!("-DCMAKE_CXX_COMPILER={}", wrappers.cxx()));
                words.extend(self.configure_arguments.iter().cloned());
                vec![Step { words, folder }]
            }
            CBuild::Autotools => {
                let mut steps = Vec::new();
                if !folder.join("configure").is_file() {
                    steps.push(Step { words: words(&["autoreconf", "-fi"]), folder: folder.clone() });
                }
                let mut words = words(&["sh", "./configure"]);
                words.extend(self.configure_arguments.iter().cloned());
                steps.push(Step { words, folder });
                steps
            }
            _ => Vec::new(),
        }
    }

    /// What is done for every version. Empty where bonafix compiles itself.
    pub(crate) fn building(&self, home: &Home) -> Vec<Step> {
        let mut words = match self.build {
            CBuild::Make | CBuild::Autotools => words(&["make"]),
            CBuild::Cmake => words(&["cmake", "--build", CMAKE_FOLDER, "--parallel"]),
            CBuild::Command => words(&["sh", "-c", self.command.as_deref().unwrap_or_default()]),
            CBuild::CompileCommands | CBuild::Files => return Vec::new(),
        };
        if self.build != CBuild::Command {
            words.extend(self.build_arguments.iter().cloned());
        }
        vec![Step { words, folder: self.start(home) }]
    }
}

/// Does a compiler turn this file into an object?
pub(crate) fn is_source(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|ending| SOURCE_ENDINGS.contains(&ending))
}

/// Is this file included by sources?
pub(crate) fn is_header(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|ending| HEADER_ENDINGS.contains(&ending))
}

/// Is it C++, by its ending?
pub(crate) fn is_cxx(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|ending| {
        !matches!(ending, "c" | "h") && (SOURCE_ENDINGS.contains(&ending) || HEADER_ENDINGS.contains(&ending))
    })
}

/// Does this folder look like a C or C++ project?
pub(crate) fn recognises(root: &Utf8Path) -> bool {
    ["CMakeLists.txt", "configure.ac", "configure.in"].iter().any(|name| root.join(name).is_file())
        || walk(root).any(|path| is_source(&path))
}

fn detect(folder: &Utf8Path, config: &CConfig) -> Option<CBuild> {
    let has = |name: &str| folder.join(name).is_file();
    let any_source = || walk(folder).any(|path| is_source(&path));
    if config.command.is_some() {
        Some(CBuild::Command)
    } else if !config.sources.is_empty() {
        Some(CBuild::Files)
    } else if has("CMakeLists.txt") {
        Some(CBuild::Cmake)
    } else if has("configure") || has("configure.ac") || has("configure.in") {
        Some(CBuild::Autotools)
    } else if MAKEFILES.iter().any(|name| has(name)) {
        Some(CBuild::Make)
    } else if has(compile_commands::FILE) {
        Some(CBuild::CompileCommands)
    } else {
        any_source().then_some(CBuild::Files)
    }
}

fn unknown_build(root: &Utf8Path) -> LangError {
    configuration(format!(
        "{root} has neither a makefile nor CMakeLists.txt, configure, compile_commands.json or C sources; set \
         `c.command` to the command that builds it, or `c.folder` to where its build file is"
    ))
}

fn files(root: &Utf8Path, folder: &Utf8Path, config: &CConfig) -> Result<Vec<Unit>, LangError> {
    let mut patterns = GlobSetBuilder::new();
    for pattern in &config.sources {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        patterns.add(glob.map_err(|error| configuration(format!("`c.sources`: {error}")))?);
    }
    let patterns = patterns.build().map_err(|error| configuration(format!("`c.sources`: {error}")))?;
    let wanted = |path: &Utf8Path| {
        if config.sources.is_empty() {
            path.parent() == Some(folder)
        } else {
            patterns.is_match(path.as_std_path())
        }
    };
    let sources = walk(root).filter(|path| is_source(path) && wanted(path));
    let units: Vec<Unit> = sources
        .map(|source| Unit { source, folder: folder.to_owned(), options: vec!["-O1".to_owned()] })
        .collect();
    if units.is_empty() {
        return Err(configuration(format!(
            "no source to compile: `c.sources` ({}) matches none; its patterns are relative to {root}",
            if config.sources.is_empty() { "*.c by default".to_owned() } else { config.sources.join(", ") }
        )));
    }
    Ok(units)
}

/// Files below a folder, relative to it, by name; no histories.
fn walk(root: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    let root = root.to_owned();
    WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git")
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(move |entry| {
            Utf8Path::from_path(entry.path())?.strip_prefix(&root).ok().map(Utf8Path::to_owned)
        })
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        for file in files {
            fs_err::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs_err::write(root.join(file), "[]").unwrap();
        }
        (folder, root)
    }

    fn found(files: &[&str]) -> Option<CBuild> {
        let (_guard, root) = project(files);
        detect(&root, &CConfig::default())
    }

    #[test]
    fn the_build_system_is_found_from_the_files() {
        assert_eq!(found(&["CMakeLists.txt", "Makefile"]), Some(CBuild::Cmake));
        assert_eq!(found(&["configure.ac", "Makefile"]), Some(CBuild::Autotools));
        assert_eq!(found(&["Makefile", "a.c"]), Some(CBuild::Make));
        assert_eq!(found(&["compile_commands.json", "a.c"]), Some(CBuild::CompileCommands));
        assert_eq!(found(&["a.cpp"]), Some(CBuild::Files));
        assert_eq!(found(&["README"]), None);
    }

    #[test]
    fn sources_are_taken_by_pattern_or_from_the_folder_itself() {
        let (_guard, root) = project(&["a.c", "lib/b.c", "tests/t.c"]);
        let sources = |patterns: &[&str]| -> Vec<String> {
            let config = CConfig {
                sources: patterns.iter().map(|&pattern| pattern.to_owned()).collect(),
                ..CConfig::default()
            };
            Recipe::read(&root, &config).unwrap().units.iter().map(|unit| unit.source.to_string()).collect()
        };
        assert_eq!(sources(&[]), ["a.c"]);
        assert_eq!(sources(&["*.c", "lib/*.c"]), ["a.c", "lib/b.c"]);
    }

    #[test]
    fn a_pattern_without_a_match_is_an_error_that_names_its_key() {
        let (_guard, root) = project(&["a.c"]);
        let config = CConfig { sources: vec!["src/*.c".to_owned()], ..CConfig::default() };
        let error = Recipe::read(&root, &config).unwrap_err().to_string();
        assert!(error.contains("c.sources") && error.contains("src/*.c"), "{error}");
    }
}
