//! What a Java project consists of, whatever builds it: modules with sources, tests, resources, class path, level.
//!
//! Each build system has a file of its own below; all of them end in a [`Layout`], and nothing after this stage knows
//! which one it was.

use std::collections::BTreeMap;

use bonafix_model::Notice;
use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

/// How the class files of the buggy version come about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Classes {
    /// The build tool has made them, in these folders inside the private copy (main, test).
    Built {
        /// Main classes and processed resources.
        main: Utf8PathBuf,
        /// Test classes and processed test resources.
        test: Utf8PathBuf,
    },
    /// We compile them ourselves.
    ToCompile,
}

/// One module: what compiles together and is tested together. Paths are relative to the subject's root unless absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Name for people: the folder, or the artifact.
    pub name: String,
    /// Folder; the working directory of its tests.
    pub folder: Utf8PathBuf,
    /// Source roots.
    pub sources: Vec<Utf8PathBuf>,
    /// Test source roots.
    pub tests: Vec<Utf8PathBuf>,
    /// Resource roots.
    pub resources: Vec<Utf8PathBuf>,
    /// Test resource roots.
    pub test_resources: Vec<Utf8PathBuf>,
    /// Indices of the modules whose main classes are on the class path of this one, nearest first.
    pub upstream: Vec<usize>,
    /// Indices of the modules whose test classes are on the test class path of this one.
    pub upstream_tests: Vec<usize>,
    /// Jars and folders outside of the project (absolute), in class path order; tests included.
    pub classpath: Vec<Utf8PathBuf>,
    /// Level asked for, as the project writes it (8 for "1.8").
    pub release: Option<u32>,
    /// Encoding of the sources.
    pub encoding: Option<String>,
    /// Options for javac beside level, encoding and paths (`-parameters`, `-Xlint` …).
    pub javac_options: Vec<String>,
    /// Annotation processor path, where the build sets one; `None` leaves it to the class path.
    pub processor_path: Option<Vec<Utf8PathBuf>>,
    /// Options for the JVM of the tests (`argLine`).
    pub jvm_options: Vec<String>,
    /// System properties of the tests.
    pub system_properties: BTreeMap<String, String>,
    /// Environment of the tests.
    pub environment: BTreeMap<String, String>,
    /// Patterns of test classes, in Surefire's form; empty means: every class with tests.
    pub test_includes: Vec<String>,
    /// Patterns of classes that are no tests.
    pub test_excludes: Vec<String>,
    /// Categories or tags to run.
    pub groups: Vec<String>,
    /// Categories or tags to leave out.
    pub excluded_groups: Vec<String>,
    /// How its class files come about.
    pub classes: Classes,
}

/// A whole project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// `maven`, `defects4j`, `gradle`, `ant`, `plain`.
    pub build_system: String,
    /// In an order in which they can be built.
    pub modules: Vec<Module>,
    /// Tests that the project's own metadata names as showing the bug (Defects4J knows them).
    pub failing: Vec<String>,
    /// What the user should know.
    pub notices: Vec<Notice>,
}
