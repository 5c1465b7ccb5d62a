//! What can be typed.

use bonafix_engine::SandboxMode;
use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Tells whether a patch that passes its tests has really fixed the bug.
#[derive(Debug, Parser)]
#[command(name = "bonafix", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// When to use colours.
    #[arg(long, value_enum, global = true, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  bonafix check --patch fix.diff                    in a project: Maven, Gradle, Ant, Defects4J or bonafix.toml
  bonafix check --base main --head fix-branch       in a git checkout
  bonafix check --base HEAD                         in a git checkout: what is not committed yet
  bonafix check cases/java/leap-year                a described case: case.toml
  bonafix doctor                                    what is installed, and what is missing

Exit codes: 0 unrefuted (or a run over several patches completed), 1 usage, 2 refuted, 3 suspicious,
4 inconclusive, 5 invalid patch, 6 broken baseline, 70 internal error, 130 interrupted";

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge patches
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<CheckArguments>),
    /// Say what is installed, in which version, what is missing and what that costs
    #[command(after_help = "Examples:\n  bonafix doctor\n  bonafix doctor --format json")]
    Doctor(DoctorArguments),
    /// List languages, build systems, outcomes and techniques
    #[command(after_help = "Examples:\n  bonafix list\n  bonafix list outcomes")]
    List(ListArguments),
    /// Print completions for a shell
    #[command(
        after_help = "Examples:\n  bonafix completions bash > ~/.local/share/bash-completion/completions/bonafix"
    )]
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page
    #[command(after_help = "Examples:\n  bonafix man | man -l -")]
    Man,
    /// Print a JSON schema
    #[command(after_help = "Examples:\n  bonafix schema case.toml > case.schema.json")]
    Schema {
        /// Of what.
        #[arg(value_enum)]
        which: SchemaOf,
    },
}

const CHECK_EXAMPLES: &str = "Examples:
  bonafix check --patch fix.diff
  git diff main fix-branch | bonafix check --patch -
  bonafix check path/to/project --patch a.diff --patch b.diff --reference upstream.diff
  bonafix check --base main --head fix-branch --format json
  bonafix check --base HEAD
  bonafix check cases/java/leap-year
  bonafix check --patch fix.diff --failing 'calendar.LeapYearTest#century'

The subject is a folder with a case.toml, or a project; its own files are never modified.";

/// What `bonafix schema` can print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// The report that `--format json` prints.
    #[value(name = "report")]
    Report,
    /// `bonafix.toml`.
    #[value(name = "bonafix.toml")]
    Project,
    /// `case.toml`.
    #[value(name = "case.toml")]
    Case,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Folder of a case (with case.toml) or of a project
    #[arg(default_value = ".")]
    pub(crate) subject: Utf8PathBuf,
    /// A patch to judge; `-` reads standard input; may be repeated
    #[arg(long, short, value_name = "FILE", help_heading = "What to judge")]
    pub(crate) patch: Vec<Utf8PathBuf>,
    /// Git revision with the bug; without --head, the work tree as it is has the fix
    #[arg(long, value_name = "REV", conflicts_with = "patch", help_heading = "What to judge")]
    pub(crate) base: Option<String>,
    /// Git revision with the fix
    #[arg(long, value_name = "REV", requires = "base", help_heading = "What to judge")]
    pub(crate) head: Option<String>,
    /// A trusted fix: a diff, a folder, or (with --base) a revision
    #[arg(long, value_name = "FILE|DIR|REV", help_heading = "What to judge")]
    pub(crate) reference: Option<String>,
    /// A test that shows the bug: pkg.Class#method, a class, or a pattern with `*`; may be repeated
    #[arg(long, value_name = "TEST", help_heading = "What to judge")]
    pub(crate) failing: Vec<String>,
    /// Run only these tests: pkg.Class#method, a class, or a pattern with `*`; may be repeated
    #[arg(long, value_name = "TEST", help_heading = "What to judge")]
    pub(crate) tests: Vec<String>,
    /// Print the report as text or JSON
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,
    /// Folder for run directories
    #[arg(long, value_name = "DIR", default_value = "target/bonafix", help_heading = "Output")]
    pub(crate) out: Utf8PathBuf,
    /// Show statements, stacks and timings
    #[arg(long, short, help_heading = "Output")]
    pub(crate) verbose: bool,
    /// No progress on standard error
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Go on with an earlier run: the newest, or the one named
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = false, help_heading = "How to work")]
    #[expect(clippy::option_option, reason = "clap's form for a flag with an optional value")]
    pub(crate) resume: Option<Option<Utf8PathBuf>>,
    /// Protection against the code of the subject
    #[arg(long, value_enum, default_value_t = Sandbox::BestEffort, help_heading = "How to work")]
    pub(crate) sandbox: Sandbox,
    /// Run the tests of the buggy version again, even if their results are known
    #[arg(long, help_heading = "How to work")]
    pub(crate) fresh: bool,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs; see docs/json.md.
    Json,
}

/// How much protection is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sandbox {
    /// None.
    Off,
    /// What the kernel gives; what is missing is said.
    BestEffort,
    /// All of it, or an error.
    Required,
}

impl From<Sandbox> for SandboxMode {
    fn from(sandbox: Sandbox) -> Self {
        match sandbox {
            Sandbox::Off => Self::Off,
            Sandbox::BestEffort => Self::BestEffort,
            Sandbox::Required => Self::Required,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Print as text or JSON
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only this list
    #[arg(value_enum)]
    pub(crate) what: Option<ListOf>,
}

/// What `bonafix list` can list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListOf {
    /// Languages of subjects.
    Languages,
    /// Ways to build them.
    Builds,
    /// Outcomes and exit codes.
    Outcomes,
    /// Techniques.
    Techniques,
}
