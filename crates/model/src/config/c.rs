//! `[c]`: how a C or C++ project is built, how its program takes input, and what its tests are.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[c]`: how a C or C++ project is built. Paths are relative to the project's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CConfig {
    /// Build system to use; found from the files when not given.
    pub build: Option<CBuild>,
    /// Command that builds the project, for a shell. `CC` and `CXX` name compilers that add the flags which bonafix
    /// needs; `BONAFIX_CFLAGS` and `BONAFIX_LDFLAGS` have these flags alone.
    pub command: Option<String>,
    /// Folder in which to build. Default: the project's.
    #[schemars(with = "Option<String>")]
    pub folder: Option<Utf8PathBuf>,
    /// The program that is built.
    #[schemars(with = "Option<String>")]
    pub program: Option<Utf8PathBuf>,
    /// Sources of a program without a build system, as patterns. Default: all in the project's folder.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Compiler to use: `clang`, `gcc`, or a path. Default: clang if there is one, else gcc.
    pub compiler: Option<String>,
    /// Further flags for the compiler, behind the project's own.
    #[serde(default)]
    pub cflags: Vec<String>,
    /// Further flags for linking, behind the project's own.
    #[serde(default)]
    pub ldflags: Vec<String>,
    /// Arguments for `configure` or for CMake's first run.
    #[serde(default)]
    pub configure_arguments: Vec<String>,
    /// Arguments for `make` or `cmake --build`: targets, variables.
    #[serde(default)]
    pub build_arguments: Vec<String>,
    /// How the program is run.
    #[serde(default)]
    pub run: CRunConfig,
    /// What its tests are.
    #[serde(default)]
    pub tests: CTestsConfig,
}

/// The ways to build a C project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CBuild {
    /// `make`.
    Make,
    /// CMake.
    Cmake,
    /// `configure` (made by `autoreconf` if it is not there), then `make`.
    Autotools,
    /// The command of `c.command`.
    Command,
    /// A `compile_commands.json`; all its objects are linked into the program.
    CompileCommands,
    /// Sources that are compiled and linked into one program.
    Files,
}

/// `[c.run]`: how the program takes its input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CRunConfig {
    /// Arguments of every run; `@@` stands for the path of the input, a file or a folder. Without `@@`, here and among
    /// the arguments of the test, the input is what the program reads from standard input.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Folder in which the program and test scripts run. Default: the project's.
    #[schemars(with = "Option<String>")]
    pub folder: Option<Utf8PathBuf>,
    /// Environment variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Command that takes out of the program's output what differs from run to run, for a shell: it reads what came on
    /// standard output, on standard error or in a file, and writes what is compared.
    pub filter: Option<String>,
    /// MiB of memory that one run may use. Default 2048.
    pub memory_mib: Option<u64>,
}

/// `[c.tests]`: files with inputs and what must come out, or a script that runs one test by name, or both.
///
/// The patterns have one `*`, which stands for the test's name and matches no `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CTestsConfig {
    /// Inputs, such as `tests/*.in`: each is a test. May match folders.
    pub input: Option<String>,
    /// Arguments of the test, one a line, in place of `c.run.arguments`. A test may lack the file.
    pub arguments: Option<String>,
    /// What must come on standard output. A test may lack the file; then its output is not compared.
    pub output: Option<String>,
    /// What must come on standard error. A test may lack the file.
    pub errors: Option<String>,
    /// The exit code that must come, as text. A test that lacks the file must end with 0.
    pub status: Option<String>,
    /// Command that compares in place of exact equality, for a shell: it finds the files in `EXPECTED` and `ACTUAL`, the
    /// test's name in `TEST`, and ends with 0 if the output is right.
    pub compare: Option<String>,
    /// Command that runs the test whose name is in `TEST`, for a shell; it ends with 0 if the test passes.
    pub script: Option<String>,
    /// Names of the script's tests.
    #[serde(default)]
    pub names: Vec<String>,
    /// Command that prints the names of the script's tests, one a line.
    pub list: Option<String>,
    /// Further files and folders that belong to the tests. Default: `test`, `tests` and `testsuite`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub files: Vec<Utf8PathBuf>,
}
