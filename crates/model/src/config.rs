//! What a user writes into `bonafix.toml` and `case.toml`. The JSON schemas are generated from these types.

mod c;

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use c::{CBuild, CConfig, CRunConfig, CTestsConfig};

/// The languages a subject can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LanguageName {
    /// Java.
    Java,
    /// C and C++.
    #[serde(alias = "c++", alias = "cpp")]
    C,
}

/// `bonafix.toml`: how a project is built and tested, where bonafix cannot find that out by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectConfig {
    /// Language of the subject; found from its files when not given.
    pub language: Option<LanguageName>,
    /// Tests that show the bug: `pkg.Class#method`, or a class, or a pattern with `*`; for C the test's name. Found by
    /// running the tests when not given.
    #[serde(default)]
    pub failing: Vec<String>,
    /// How the tests are run.
    #[serde(default)]
    pub tests: TestsConfig,
    /// How a Java project is built.
    #[serde(default)]
    pub java: JavaConfig,
    /// How a C or C++ project is built, run and tested.
    #[serde(default)]
    pub c: CConfig,
}

/// `case.toml`: a bug, its reference fix and patches for it, in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseConfig {
    /// One line.
    pub title: String,
    /// What the program does and what the bug is.
    #[serde(default)]
    pub description: String,
    /// Folder of the buggy project.
    #[serde(default = "default_project")]
    #[schemars(with = "String")]
    pub project: Utf8PathBuf,
    /// A trusted fix: a diff, or a folder with the fixed project.
    #[schemars(with = "Option<String>")]
    pub reference: Option<Utf8PathBuf>,
    /// The patches to judge.
    #[serde(default)]
    pub patch: Vec<CasePatch>,
    /// Language of the subject; found from its files when not given.
    pub language: Option<LanguageName>,
    /// Tests that show the bug: `pkg.Class#method`, or a class, or a pattern with `*`.
    #[serde(default)]
    pub failing: Vec<String>,
    /// How the tests are run.
    #[serde(default)]
    pub tests: TestsConfig,
    /// How a Java project is built.
    #[serde(default)]
    pub java: JavaConfig,
    /// How a C or C++ project is built, run and tested.
    #[serde(default)]
    pub c: CConfig,
}

fn default_project() -> Utf8PathBuf {
    Utf8PathBuf::from("buggy")
}

impl CaseConfig {
    /// The part that says how the project is built and tested.
    pub fn project_config(&self) -> ProjectConfig {
        ProjectConfig {
            language: self.language,
            failing: self.failing.clone(),
            tests: self.tests.clone(),
            java: self.java.clone(),
            c: self.c.clone(),
        }
    }
}

/// A patch of a case. Everything but `file` is for scoring and never reaches a technique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CasePatch {
    /// The diff, relative to the case's folder.
    #[schemars(with = "String")]
    pub file: Utf8PathBuf,
    /// What people say of it.
    pub label: Option<PatchLabel>,
    /// The outcome that a check must give.
    pub expect: Option<crate::Outcome>,
    /// How it overfits.
    pub kind: Option<OverfittingKind>,
    /// Why that is so.
    #[serde(default)]
    pub why: String,
}

/// What people say of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PatchLabel {
    /// It fixes the bug and breaks nothing.
    Correct,
    /// It passes the tests and is wrong.
    Overfitting,
    /// It is not even plausible.
    Invalid,
}

/// How a patch overfits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OverfittingKind {
    /// It removes what the program should do.
    DeletesFunctionality,
    /// Its condition holds too seldom.
    OverNarrow,
    /// Its condition holds too often.
    OverWide,
    /// It leaves before the work is done.
    EarlyReturn,
    /// It hides a failure.
    SwallowedException,
    /// It names the input of the failing test.
    SpecialCasedInput,
    /// The right idea in the wrong place.
    WrongPlace,
}

/// `[tests]`: how the tests are run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestsConfig {
    /// Run only these: ids, classes, or patterns with `*`.
    #[serde(default)]
    pub only: Vec<String>,
    /// Leave these out: ids, classes, or patterns with `*`.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Seconds that one test may take on the buggy version (later limits come from what was measured). Default 20.
    pub limit_seconds: Option<u64>,
    /// How often the suite runs on the buggy version to find flaky tests. Default 2.
    pub repeat: Option<u32>,
    /// Environment variables for the tests.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// `[java]`: how a Java project is built. Paths are relative to the project's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JavaConfig {
    /// Build system to use; found from the files when not given.
    pub build: Option<JavaBuild>,
    /// Folder of the JDK to use, instead of `JAVA_HOME` or the `java` on `PATH`.
    #[schemars(with = "Option<String>")]
    pub jdk: Option<Utf8PathBuf>,
    /// Source folders.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub sources: Vec<Utf8PathBuf>,
    /// Test source folders.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub tests: Vec<Utf8PathBuf>,
    /// Folders whose files are copied beside the classes.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub resources: Vec<Utf8PathBuf>,
    /// Folders whose files are copied beside the test classes.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub test_resources: Vec<Utf8PathBuf>,
    /// Language level, as for `javac --release`.
    pub release: Option<u32>,
    /// Encoding of the sources. Default UTF-8.
    pub encoding: Option<String>,
    /// Maven coordinates `group:artifact:version` of what the code and its tests need.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// Jars and class folders that the code and its tests need; `*` and `**` are expanded.
    #[serde(default)]
    pub classpath: Vec<String>,
    /// Further options for `javac`.
    #[serde(default)]
    pub javac_options: Vec<String>,
    /// Further options for the JVM that runs the tests.
    #[serde(default)]
    pub jvm_options: Vec<String>,
    /// Class name patterns of tests, as Maven Surefire writes them (`**/*Test.java`).
    #[serde(default)]
    pub test_includes: Vec<String>,
    /// Class name patterns that are no tests.
    #[serde(default)]
    pub test_excludes: Vec<String>,
    /// JUnit 4 categories or JUnit 5 tags to run.
    #[serde(default)]
    pub groups: Vec<String>,
    /// JUnit 4 categories or JUnit 5 tags to leave out.
    #[serde(default)]
    pub excluded_groups: Vec<String>,
    /// Maven or Gradle modules to use, by folder; all when empty.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub modules: Vec<Utf8PathBuf>,
    /// Further arguments for the build tool.
    #[serde(default)]
    pub build_arguments: Vec<String>,
}

/// The ways to build a Java project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JavaBuild {
    /// A Defects4J checkout.
    Defects4j,
    /// Maven.
    Maven,
    /// Gradle.
    Gradle,
    /// Ant, with the class path given.
    Ant,
    /// Source folders.
    Plain,
}
