//! What a Java project consists of, whatever builds it: modules with sources, tests, resources, class path, level.
//!
//! Each build system has a file of its own below; all of them end in a [`Layout`], and nothing after this stage knows
//! which one it was.

mod ant;
mod call;
mod defects4j;
mod dependencies;
mod finish;
mod full_build;
mod gradle;
mod launcher;
mod maven;
mod plain;
mod properties;
mod sources;

use std::collections::BTreeMap;

use bonafix_lang::LangError;
use bonafix_model::{JavaBuild, JavaConfig, Notice};
use bonafix_proc::Launcher;
use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobBuilder;

pub use self::launcher::launcher_jars;
pub(crate) use self::sources::package_of;
pub use self::sources::{Framework, framework_of};
use crate::toolchain::Jdk;

/// Says what a module of Java's own kind exports and needs. Part of a build on the module path only.
const MODULE_INFO: &str = "module-info.java";

/// What is needed to find out how a project is built.
#[derive(Clone, Copy)]
pub struct LayoutRequest<'a> {
    /// A private copy of the buggy tree; the build tool writes into it.
    pub root: &'a Utf8Path,
    /// What the user says.
    pub config: &'a JavaConfig,
    /// The JDK that build tools run on.
    pub jdk: &'a Jdk,
    /// Starts build tools.
    pub launcher: &'a Launcher,
    /// Their output is appended here.
    pub log: &'a Utf8Path,
    /// Folder for resolved class paths.
    pub cache: &'a Utf8Path,
}

/// Finds out how a project is built, and builds it where its own build tool does that.
pub fn discover(request: &LayoutRequest) -> Result<Layout, LangError> {
    let build = choose(request)?;
    tracing::debug!(?build, root = %request.root, "build system");
    let mut layout = match build {
        JavaBuild::Defects4j => defects4j::layout(request)?,
        JavaBuild::Maven => maven::layout(request)?,
        JavaBuild::Gradle => gradle::layout(request)?,
        JavaBuild::Ant => ant::layout(request)?,
        JavaBuild::Plain => plain::layout(request, "plain", plain::Hints::default())?,
    };
    finish::finish(request, &mut layout)?;
    Ok(layout)
}

/// The build system that the user names, or the first that has left its files.
fn choose(request: &LayoutRequest) -> Result<JavaBuild, LangError> {
    let given = !request.config.sources.is_empty() || !request.config.tests.is_empty();
    match request.config.build {
        Some(build @ (JavaBuild::Maven | JavaBuild::Gradle)) if given => Err(LangError::Configuration {
            message: format!(
                "`java.build = \"{}\"` finds sources and tests itself: remove `java.sources` and `java.tests`, or set \
                 `java.build = \"plain\"`",
                if build == JavaBuild::Maven { "maven" } else { "gradle" }
            ),
        }),
        Some(build) => Ok(build),
        None if given => Ok(JavaBuild::Plain),
        None => Ok(detect(request.root)),
    }
}

fn detect(root: &Utf8Path) -> JavaBuild {
    if defects4j::detect(root) {
        JavaBuild::Defects4j
    } else if maven::detect(root) {
        JavaBuild::Maven
    } else if gradle::detect(root) {
        JavaBuild::Gradle
    } else if ant::detect(root) {
        JavaBuild::Ant
    } else {
        JavaBuild::Plain
    }
}
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
    /// Folder, empty for the root; the working directory of its tests unless `working_folder` says another.
    pub folder: Utf8PathBuf,
    /// Source roots. A file belongs to the deepest root that holds it: see [`Module::role_of`].
    pub sources: Vec<Utf8PathBuf>,
    /// Test source roots. One that is also in `sources` holds both.
    pub tests: Vec<Utf8PathBuf>,
    /// The tests among the files of roots that hold both, as they are in the buggy tree.
    pub mixed_tests: Vec<Utf8PathBuf>,
    /// Patterns (`**/Benchmark*.java`, relative to the root) of files below `sources` that the build does not compile.
    #[serde(default)]
    pub excluded_sources: Vec<String>,
    /// The same for `tests`.
    #[serde(default)]
    pub excluded_tests: Vec<String>,
    /// Resource roots: all files in them but Java sources and class files.
    pub resources: Vec<Utf8PathBuf>,
    /// Test resource roots, likewise.
    pub test_resources: Vec<Utf8PathBuf>,
    /// Resource roots, of both kinds, that the build tool does not copy as they are: it fills in values, puts them
    /// elsewhere, or takes some files only. Single files, too.
    #[serde(default)]
    pub processed_resources: Vec<Utf8PathBuf>,
    /// Indices of the modules whose main classes are on the class path of this one, nearest first.
    pub upstream: Vec<usize>,
    /// Indices of the modules whose test classes are on the test class path of this one.
    pub upstream_tests: Vec<usize>,
    /// Jars and folders outside of the project (absolute), in class path order; tests included.
    pub classpath: Vec<Utf8PathBuf>,
    /// Level asked for, as the project writes it (8 for "1.8").
    pub release: Option<u32>,
    /// Level of the tests, where it is another.
    pub test_release: Option<u32>,
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
    /// Working directory of the tests, where it is another than `folder`.
    pub working_folder: Option<Utf8PathBuf>,
    /// Patterns of test classes, in Surefire's form; empty means: every class with tests.
    pub test_includes: Vec<String>,
    /// Patterns of classes that are no tests.
    pub test_excludes: Vec<String>,
    /// Categories or tags to run.
    pub groups: Vec<String>,
    /// Categories or tags to leave out.
    pub excluded_groups: Vec<String>,
    /// The build gives each test class a VM of its own (Surefire's `reuseForks=false`).
    #[serde(default)]
    pub fork_each_class: bool,
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
    /// Modules that the build tool could not build: what lies in their folders is not judged.
    pub left_out: Vec<LeftOut>,
    /// What the user should know.
    pub notices: Vec<Notice>,
}

/// A module that could not be built, while others could.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its folder.
    pub folder: Utf8PathBuf,
    /// Why.
    pub reason: String,
    /// What the compiler said of its sources.
    pub diagnostics: Vec<String>,
}

/// What a source file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Part of the program.
    Main,
    /// Part of its tests.
    Test,
}

impl Module {
    /// A module with nothing in it.
    pub fn new(name: &str, folder: &Utf8Path) -> Self {
        Self {
            name: name.to_owned(),
            folder: folder.to_owned(),
            sources: Vec::new(),
            tests: Vec::new(),
            mixed_tests: Vec::new(),
            excluded_sources: Vec::new(),
            excluded_tests: Vec::new(),
            resources: Vec::new(),
            test_resources: Vec::new(),
            processed_resources: Vec::new(),
            upstream: Vec::new(),
            upstream_tests: Vec::new(),
            classpath: Vec::new(),
            release: None,
            test_release: None,
            encoding: None,
            javac_options: Vec::new(),
            processor_path: None,
            jvm_options: Vec::new(),
            system_properties: BTreeMap::new(),
            environment: BTreeMap::new(),
            working_folder: None,
            test_includes: Vec::new(),
            test_excludes: Vec::new(),
            groups: Vec::new(),
            excluded_groups: Vec::new(),
            fork_each_class: false,
            classes: Classes::ToCompile,
        }
    }

    /// What the file at `path` (relative to the subject's root) is for, and the root that it lies in; `None` where it
    /// lies in none, or is one that the build does not compile. `contents` decide in a root that holds both, for files that the buggy tree does not have.
    pub fn role_of(&self, path: &Utf8Path, contents: Option<&str>) -> Option<(Role, &Utf8Path)> {
        if self.classes == Classes::ToCompile && path.file_name() == Some(MODULE_INFO) {
            return None;
        }
        let (main, test) = (deepest(&self.sources, path), deepest(&self.tests, path));
        let length = |root: Option<&Utf8Path>| root.map(|root| root.components().count());
        let is_test = if main.is_some() && main == test {
            self.mixed_tests.iter().any(|file| file == path)
                || contents.is_some_and(|text| framework_of(text).is_some())
        } else {
            length(test) > length(main)
        };
        let (role, root, excluded) = if is_test {
            (Role::Test, test?, &self.excluded_tests)
        } else {
            (Role::Main, main?, &self.excluded_sources)
        };
        let below = path.strip_prefix(root).unwrap_or(path);
        (!matches_any(excluded, below)).then_some((role, root))
    }
}

/// Does one of the patterns match? One that makes no sense matches nothing.
fn matches_any(patterns: &[String], path: &Utf8Path) -> bool {
    let glob = |pattern: &String| GlobBuilder::new(pattern).literal_separator(true).build();
    patterns.iter().filter_map(|pattern| glob(pattern).ok()).any(|glob| glob.compile_matcher().is_match(path))
}

/// The longest of the roots that hold `path`.
fn deepest<'a>(roots: &'a [Utf8PathBuf], path: &Utf8Path) -> Option<&'a Utf8Path> {
    let holding = roots.iter().filter(|root| path.starts_with(root));
    holding.max_by_key(|root| root.components().count()).map(Utf8PathBuf::as_path)
}

impl Layout {
    /// A project without modules.
    fn new(build_system: &str) -> Self {
        Self {
            build_system: build_system.to_owned(),
            modules: Vec::new(),
            failing: Vec::new(),
            left_out: Vec::new(),
            notices: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_deepest_root() {
        let mut module = Module::new("m", Utf8Path::new(""));
        module.sources = vec!["src".into()];
        module.tests = vec!["src/test".into()];
        let role = |path: &str| {
            module.role_of(Utf8Path::new(path), None).map(|(role, root)| (role, root.to_string()))
        };
        assert_eq!(role("src/p/A.java"), Some((Role::Main, "src".to_owned())));
        assert_eq!(role("src/test/p/T.java"), Some((Role::Test, "src/test".to_owned())));
        assert_eq!(role("docs/X.java"), None);
    }

    #[test]
    fn a_file_that_the_build_does_not_compile_is_for_nothing() {
        let mut module = Module::new("m", Utf8Path::new(""));
        module.sources = vec!["src".into()];
        module.tests = vec!["test".into()];
        module.excluded_tests = vec!["**/Bench*".to_owned()];
        assert!(module.role_of(Utf8Path::new("test/p/BenchA.java"), None).is_none());
        assert!(module.role_of(Utf8Path::new("src/p/BenchA.java"), None).is_some());
    }

    #[test]
    fn a_module_declaration_is_left_to_the_build_tool() {
        let mut module = Module::new("m", Utf8Path::new(""));
        module.sources = vec!["src".into()];
        assert!(module.role_of(Utf8Path::new("src/module-info.java"), None).is_none());
        module.classes = Classes::Built { main: "target/classes".into(), test: "target/test-classes".into() };
        assert!(module.role_of(Utf8Path::new("src/module-info.java"), None).is_some());
    }

    #[test]
    fn in_a_root_that_holds_both_the_imports_decide() {
        let mut module = Module::new("m", Utf8Path::new(""));
        module.sources = vec!["".into()];
        module.tests = vec!["".into()];
        module.mixed_tests = vec!["ATest.java".into()];
        let role = |path: &str, text| module.role_of(Utf8Path::new(path), text).map(|(role, _)| role);
        assert_eq!(role("ATest.java", None), Some(Role::Test));
        assert_eq!(role("A.java", None), Some(Role::Main));
        assert_eq!(role("New.java", Some("import org.junit.Test;")), Some(Role::Test));
    }
}
