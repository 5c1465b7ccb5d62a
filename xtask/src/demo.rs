//! `demo`: judges the bundled cases and prints what came out beside what must come out.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use crate::cases::{self, Case, Expectation, Judged};
use crate::command_line::CommandLine;
use crate::install;
use crate::table::{Table, shorten};
use crate::workspace::Workspace;

/// Help of `demo`.
pub(crate) const HELP: &str = "\
Installs what is missing, builds bonafix in release, runs `bonafix check` on every bundled case (or on those named)
and prints a table: outcome, what case.toml expects, reason or class of difference, what refutes the patch in a sentence
(or else what it changes), tests that turned green, inputs that ran, time.

An overfitting patch that was not refuted is marked `not met`, a plausible one that no technique has judged `not judged
yet`. The exit code is 1 if a correct patch is refuted, a plausible one called invalid, or an invalid one not recognised.
For scores over several seeds, and for other cases than the bundled ones, see `cargo xtask help eval`.

Options:
  --binary FILE   use this bonafix instead of building one
  --budget B      what the search may cost for each patch, as for `bonafix check` (default 10s)

Examples:
  cargo xtask demo
  cargo xtask demo leap-year text-wrap
  cargo xtask demo --binary target/debug/bonafix leap-year
";

/// What the search may cost for each patch: a correct one takes all of it, so that it must be short enough to wait for.
const BUDGET: &str = "10s";

/// How an outcome stands to what is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Ok,
    NoExpectation,
    NotJudgedYet,
    NotMet,
    Wrong,
}

impl Mark {
    fn words(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NoExpectation => "nothing expected",
            Self::NotJudgedYet => "not judged yet",
            Self::NotMet => "not met",
            Self::Wrong => "WRONG",
        }
    }
}

/// What the user asked for.
#[derive(Debug)]
struct Options {
    binary: Option<Utf8PathBuf>,
    budget: String,
    names: Vec<String>,
}

/// Runs `demo`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let options = parse(arguments)?;
    let cases = select(cases::all(&workspace.root)?, &options.names)?;
    install::ensure_tools()?;
    let bonafix = match options.binary {
        Some(binary) => binary.canonicalize_utf8().with_context(|| format!("find {binary}"))?,
        None => build(workspace)?,
    };
    let mut tally = Tally::default();
    for case in &cases {
        tally.add_case(case, judge(&bonafix, &workspace.root, case, &options.budget));
    }
    println!("\n{}", tally.table);
    print!("{}", tally.totals(cases.len()));
    Ok(if tally.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { binary: None, budget: BUDGET.to_owned(), names: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--binary" => options.binary = Some(rest.next().context("--binary needs a file")?.into()),
            "--budget" => {
                let budget = rest.next().context("--budget needs a time or a number of inputs")?;
                options.budget.clone_from(budget);
            }
            option if option.starts_with('-') => {
                bail!("unknown option `{option}`; see `cargo xtask help demo`")
            }
            name => options.names.push(name.to_owned()),
        }
    }
    Ok(options)
}

fn select(all: Vec<Case>, names: &[String]) -> Result<Vec<Case>> {
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|case| case.name != **name)) {
        let known: Vec<&str> = all.iter().map(|case| case.name.as_str()).collect();
        bail!("no case is called `{unknown}`; there are: {}", known.join(", "));
    }
    Ok(all.into_iter().filter(|case| names.is_empty() || names.contains(&case.name)).collect())
}

/// Builds the product in release and says where it is.
pub(crate) fn build(workspace: &Workspace) -> Result<Utf8PathBuf> {
    let build = CommandLine::cargo().args(["build", "--release", "--package", "bonafix"]);
    build.folder(&workspace.root).run()?;
    Ok(workspace.bonafix())
}

fn judge(bonafix: &Utf8Path, root: &Utf8Path, case: &Case, budget: &str) -> Result<Vec<Judged>> {
    let start = Instant::now();
    eprint!("judging {} ({} patches) …", case.name, case.patches.len());
    let command = cases::check_command(bonafix, root, case).args(["--budget", budget]);
    let judged = cases::check(&command, case);
    eprintln!(" {:.1} s", start.elapsed().as_secs_f64());
    judged
}

/// Holds an outcome against what is expected.
fn mark(expected: &Expectation, judged: &Judged) -> Mark {
    let outcome = judged.outcome.as_str();
    match expected.expect.as_deref() {
        Some(expect) if expect == outcome => Mark::Ok,
        Some("invalid") => Mark::Wrong,
        Some("unrefuted") if outcome == "refuted" => Mark::Wrong,
        _ if outcome == "invalid" && expected.label.as_deref() != Some("invalid") => Mark::Wrong,
        None => Mark::NoExpectation,
        Some(_) if judged.reason == "not-judged" => Mark::NotJudgedYet,
        Some(_) => Mark::NotMet,
    }
}

/// What refutes a patch, in a line; what it changes, where nothing does.
fn what(judged: &Judged) -> String {
    if !judged.proof.is_empty() {
        judged.proof.split_whitespace().collect::<Vec<_>>().join(" ")
    } else if judged.changed.is_empty() {
        String::new()
    } else {
        format!("changes {}", judged.changed.join(", "))
    }
}

/// The table as it grows, and the counts under it.
struct Tally {
    table: Table,
    outcomes: BTreeMap<String, usize>,
    marks: BTreeMap<Mark, usize>,
    errors: Vec<String>,
    start: Instant,
}

impl Default for Tally {
    fn default() -> Self {
        let header =
            ["case", "patch", "outcome", "expected", "", "why", "what", "fixed tests", "inputs", "seconds"];
        Self {
            table: Table::new(&header),
            outcomes: BTreeMap::new(),
            marks: BTreeMap::new(),
            errors: Vec::new(),
            start: Instant::now(),
        }
    }
}

impl Tally {
    fn add_case(&mut self, case: &Case, judged: Result<Vec<Judged>>) {
        match judged {
            Ok(judged) => {
                for (expected, judged) in case.patches.iter().zip(&judged) {
                    self.add_patch(&case.name, expected, judged);
                }
            }
            Err(error) => self.errors.push(format!("{}: {error:#}", case.name)),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a demo are far below 2^52")]
    fn add_patch(&mut self, case: &str, expected: &Expectation, judged: &Judged) {
        let mark = mark(expected, judged);
        *self.marks.entry(mark).or_default() += 1;
        *self.outcomes.entry(judged.outcome.clone()).or_default() += 1;
        self.table.row(vec![
            case.to_owned(),
            expected.name.clone(),
            judged.outcome.clone(),
            expected.expect.clone().unwrap_or_default(),
            mark.words().to_owned(),
            if judged.class.is_empty() { judged.reason.clone() } else { judged.class.clone() },
            shorten(&what(judged), 72),
            judged.fixed_tests.to_string(),
            judged.inputs.to_string(),
            format!("{:.1}", judged.milliseconds as f64 / 1000.0),
        ]);
    }

    fn totals(&self, cases: usize) -> String {
        let patches: usize = self.outcomes.values().sum();
        let outcomes: Vec<String> = self.outcomes.iter().map(|(name, n)| format!("{n} {name}")).collect();
        let marks: Vec<String> = self.marks.iter().map(|(mark, n)| format!("{n} {}", mark.words())).collect();
        let seconds = self.start.elapsed().as_secs_f64();
        let mut lines = vec![
            format!("{cases} cases, {patches} patches in {seconds:.1} s: {}", outcomes.join(", ")),
            format!("against what is expected: {}", marks.join(", ")),
        ];
        lines.extend(self.errors.iter().map(|error| format!("FAILED {}", error.trim_end())));
        lines.join("\n") + "\n"
    }

    fn is_good(&self) -> bool {
        self.errors.is_empty() && !self.marks.contains_key(&Mark::Wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark_of(label: &str, expect: Option<&str>, outcome: &str, reason: &str) -> Mark {
        let expect = expect.map(ToOwned::to_owned);
        let expected =
            Expectation { name: "p".into(), file: "p.diff".into(), label: Some(label.into()), expect };
        mark(&expected, &Judged { outcome: outcome.into(), reason: reason.into(), ..Judged::default() })
    }

    fn case() -> Case {
        let expect = Some("unrefuted".into());
        let patch = Expectation { name: "p".into(), file: "p.diff".into(), label: None, expect };
        Case {
            name: "leap-year".into(),
            folder: "cases/java/leap-year".into(),
            language: "java".into(),
            project: "buggy".into(),
            dependencies: Vec::new(),
            patches: vec![patch],
        }
    }

    #[test]
    fn what_is_expected_is_ok() {
        assert_eq!(mark_of("overfitting", Some("refuted"), "refuted", ""), Mark::Ok);
        assert_eq!(mark_of("invalid", Some("invalid"), "invalid", "bug-still-shows"), Mark::Ok);
    }

    #[test]
    fn a_plausible_patch_that_no_technique_looked_at_is_not_judged_yet() {
        assert_eq!(mark_of("correct", Some("unrefuted"), "inconclusive", "not-judged"), Mark::NotJudgedYet);
        assert_eq!(mark_of("overfitting", Some("refuted"), "inconclusive", "not-judged"), Mark::NotJudgedYet);
    }

    #[test]
    fn a_plausible_patch_called_invalid_is_wrong() {
        assert_eq!(mark_of("correct", Some("unrefuted"), "invalid", "does-not-build"), Mark::Wrong);
        assert_eq!(mark_of("overfitting", None, "invalid", "does-not-build"), Mark::Wrong);
    }

    #[test]
    fn an_invalid_patch_that_is_not_recognised_is_wrong() {
        assert_eq!(mark_of("invalid", Some("invalid"), "inconclusive", "not-judged"), Mark::Wrong);
    }

    #[test]
    fn a_refuted_correct_patch_is_wrong_and_a_missed_overfitting_one_only_not_met() {
        assert_eq!(mark_of("correct", Some("unrefuted"), "refuted", ""), Mark::Wrong);
        assert_eq!(mark_of("overfitting", Some("refuted"), "unrefuted", ""), Mark::NotMet);
        assert_eq!(mark_of("overfitting", Some("refuted"), "inconclusive", "not-exercised"), Mark::NotMet);
    }

    #[test]
    fn a_wrong_outcome_or_a_failed_check_spoils_the_demo() {
        let mut tally = Tally::default();
        assert!(tally.is_good());
        let judged = Judged { outcome: "refuted".into(), ..Judged::default() };
        tally.add_case(&case(), Ok(vec![judged]));
        assert!(!tally.is_good());

        let mut tally = Tally::default();
        tally.add_case(&case(), Err(anyhow::anyhow!("it fell over")));
        assert!(!tally.is_good());
        assert!(tally.totals(1).contains("FAILED leap-year: it fell over"));
    }

    #[test]
    fn a_refuted_patch_is_shown_with_what_refutes_it() {
        let mut tally = Tally::default();
        let judged = Judged {
            outcome: "refuted".into(),
            class: "exc2".into(),
            proof: "f(1) throws,\n  and the reference gives 2".into(),
            ..Judged::default()
        };
        tally.add_case(&case(), Ok(vec![judged]));
        let table = tally.table.to_string();
        assert!(table.contains("exc2  f(1) throws, and the reference gives 2"), "{table}");
    }

    #[test]
    fn an_unknown_case_is_refused_with_the_known_ones() {
        let error = select(vec![case()], &["leap-yaer".to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), "no case is called `leap-yaer`; there are: leap-year");
    }
}
