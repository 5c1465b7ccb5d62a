//! What can be typed.

use std::time::Duration;

use bonafix_engine::{FailingMean, SandboxMode, SimOptions, Technique};
use bonafix_model::Budget;
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
    /// Run a counterexample again, from its folder alone
    #[command(
        after_help = "Examples:\n  bonafix replay target/bonafix/leap-year-1/witnesses/patches-overfit-1900.diff/witness-1

Exit codes: 0 every run ended as the witness says, 4 one did not, 1 no witness folder or no JDK"
    )]
    Replay(ReplayArguments),
    /// Say what is installed, in which version, what is missing and what that costs
    #[command(after_help = "Examples:\n  bonafix doctor\n  bonafix doctor --format json")]
    Doctor(DoctorArguments),
    /// List languages, build systems, outcomes and techniques
    #[command(after_help = "Examples:\n  bonafix list\n  bonafix list outcomes")]
    List(ListArguments),
    /// Explain a technique in half a page: what it does, what its verdict means, when it errs
    #[command(after_help = "Examples:\n  bonafix explain\n  bonafix explain patch-sim")]
    Explain(ExplainArguments),
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
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that can be typed")]
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
    /// Judge as if there were no trusted fix, though case.toml names one
    #[arg(long, conflicts_with = "reference", help_heading = "What to judge")]
    pub(crate) no_reference: bool,
    /// A test that shows the bug: pkg.Class#method, a class, or a pattern with `*`; may be repeated
    #[arg(long, value_name = "TEST", help_heading = "What to judge")]
    pub(crate) failing: Vec<String>,
    /// Run only these tests: pkg.Class#method, a class, or a pattern with `*`; may be repeated
    #[arg(long, value_name = "TEST", help_heading = "What to judge")]
    pub(crate) tests: Vec<String>,
    /// Judge by this technique only; may be repeated. By default rgt where there is a reference, and all others where
    /// there is none; for C programs opad in either case, and patch-sim where there is none
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        conflicts_with = "no_technique",
        help_heading = "How to judge"
    )]
    pub(crate) technique: Vec<TechniqueName>,
    /// Only say whether a patch applies, builds and passes the original tests
    #[arg(long, help_heading = "How to judge")]
    pub(crate) no_technique: bool,
    /// patch-sim: a patch is suspicious if a passing test changes so much (`Kp`, from 0 to 1)
    #[arg(long, value_name = "D", default_value_t = SimOptions::default().kp, value_parser = fraction, help_heading = "How to judge")]
    pub(crate) kp: f64,
    /// patch-sim: where no original test passes, a generated one does that is so far from all failing ones (`Kt`, from 0
    /// to 1)
    #[arg(long, value_name = "D", default_value_t = SimOptions::default().kt, value_parser = fraction, help_heading = "How to judge")]
    pub(crate) kt: f64,
    /// patch-sim: tests to make
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "How to judge")]
    pub(crate) generated_tests: u16,
    /// patch-sim: make tests that run otherwise inside of the change, each of them
    #[arg(long, help_heading = "How to judge")]
    pub(crate) varied_tests: bool,
    /// patch-sim: make so many tests beside them that differ from failing Java tests in a few constants
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "How to judge")]
    pub(crate) failing_variants: u16,
    /// patch-sim: what is made of the changes of failing tests
    #[arg(long, value_enum, value_name = "NAME", default_value_t = FailingMeanName::Mean, help_heading = "How to judge")]
    pub(crate) failing_mean: FailingMeanName,
    /// patch-sim: by so much a generated test must be nearer to passing tests than to failing ones, or farther, to count
    #[arg(long, value_name = "D", default_value_t = SimOptions::default().margin, value_parser = fraction, help_heading = "How to judge")]
    pub(crate) margin: f64,
    /// What the search for counterexamples may cost for each patch: a time (60s, 2m) or a number of inputs
    /// (20000inputs), which makes two runs the same
    #[arg(long, value_name = "TIME|INPUTS", default_value = "60s", value_parser = budget, help_heading = "How to search")]
    pub(crate) budget: Budget,
    /// Where chance begins: the same seed and number of inputs give the same report
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "How to search")]
    pub(crate) seed: u64,
    /// Let differences count that are only remarks otherwise: messages, last digits, inputs nobody passes …
    #[arg(long, help_heading = "How to search")]
    pub(crate) strict: bool,
    /// opad: go on to the end of the budget, and measure all crashes and errors of memory
    #[arg(long, help_heading = "How to search")]
    pub(crate) full: bool,
    /// Heap of the virtual machine that runs the inputs, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(64..=65536), help_heading = "How to search")]
    pub(crate) heap: u32,
    /// Run the inputs of this file first, which --inputs-to of an earlier run has written
    #[arg(long, value_name = "FILE", help_heading = "How to search")]
    pub(crate) inputs_from: Option<Utf8PathBuf>,
    /// Write the inputs that were worth keeping to this file, for further patches of the same bug
    #[arg(long, value_name = "FILE", help_heading = "How to search")]
    pub(crate) inputs_to: Option<Utf8PathBuf>,
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
    /// Patches judged at the same time; with a budget of inputs it changes nothing but the time it takes
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "How to work")]
    pub(crate) jobs: u16,
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

/// A technique by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TechniqueName {
    /// Inputs on which the patched version differs from the reference
    Rgt,
    /// Inputs that ran well on the buggy version and fail on the patched one
    NewFailures,
    /// How alike executions on the buggy and on the patched version are
    PatchSim,
    /// What several patches agree on, against one that does not
    Agreement,
    /// Crashes and errors of memory that the buggy program does not have
    Opad,
}

impl From<TechniqueName> for Technique {
    fn from(name: TechniqueName) -> Self {
        match name {
            TechniqueName::Rgt => Self::Rgt,
            TechniqueName::NewFailures => Self::NewFailures,
            TechniqueName::PatchSim => Self::PatchSim,
            TechniqueName::Agreement => Self::Agreement,
            TechniqueName::Opad => Self::Opad,
        }
    }
}

/// One figure for the changes of failing tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailingMeanName {
    /// Their mean, as published
    Mean,
    /// The one in the middle
    Median,
    /// Their mean without the largest, from three tests on
    WithoutFarthest,
}

impl From<FailingMeanName> for FailingMean {
    fn from(name: FailingMeanName) -> Self {
        match name {
            FailingMeanName::Mean => Self::Mean,
            FailingMeanName::Median => Self::Median,
            FailingMeanName::WithoutFarthest => Self::WithoutFarthest,
        }
    }
}

/// A number from 0 to 1.
fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err(format!("`{text}` is not a number from 0 to 1")),
    }
}

/// `60s`, `500ms`, `2m`, `1h`; `20000inputs`.
fn budget(text: &str) -> Result<Budget, String> {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let wrong =
        || format!("`{text}` is neither a time (60s, 2m, 500ms, 1h) nor a number of inputs (20000inputs)");
    let seconds = |factor: f64| {
        let seconds = number.parse::<f64>().map_err(|_| wrong())? * factor;
        let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
        if time.is_zero() {
            Err("a budget of nothing finds nothing".to_owned())
        } else {
            Ok(Budget::Time(time))
        }
    };
    match unit.trim() {
        "ms" => seconds(0.001),
        "s" => seconds(1.0),
        "m" | "min" => seconds(60.0),
        "h" => seconds(3600.0),
        "inputs" | "input" | "steps" => match number.parse() {
            Ok(0) => Err("a budget of nothing finds nothing".to_owned()),
            Ok(inputs) => Ok(Budget::Inputs(inputs)),
            Err(_) => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Folder of the witness
    pub(crate) witness: Utf8PathBuf,
    /// Print as text or JSON
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// How often it is run on each version; as often as when it was found if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: Option<u32>,
    /// Protection against the code of the subject
    #[arg(long, value_enum, default_value_t = Sandbox::BestEffort)]
    pub(crate) sandbox: Sandbox,
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

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// What to explain; all there is in a line each if not given
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) topic: Option<Topic>,
}

/// What `bonafix explain` can explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Topic {
    /// Random tests on the ground truth.
    Rgt,
    /// Runs of tests, compared.
    PatchSim,
    /// Inputs that fail since the patch.
    NewFailures,
    /// Several patches against one.
    Agreement,
    /// Several patches in order.
    Ranking,
    /// Crashes and errors of memory since the patch.
    Opad,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_times_or_numbers_of_inputs() {
        assert_eq!(budget("60s"), Ok(Budget::Time(Duration::from_mins(1))));
        assert_eq!(budget("1.5m"), Ok(Budget::Time(Duration::from_secs(90))));
        assert_eq!(budget("500 ms"), Ok(Budget::Time(Duration::from_millis(500))));
        assert_eq!(budget("20000inputs"), Ok(Budget::Inputs(20_000)));
        assert_eq!(budget("7 steps"), Ok(Budget::Inputs(7)));
    }

    #[test]
    fn what_is_no_budget_is_refused_with_examples() {
        for text in ["", "60", "s", "1.5inputs", "-3s", "1e400h", "3 days"] {
            let error = budget(text).unwrap_err();
            assert!(error.contains("60s") && error.contains("inputs"), "{text}: {error}");
        }
        assert!(budget("0s").unwrap_err().contains("nothing"));
        assert!(budget("0inputs").unwrap_err().contains("nothing"));
    }
}
