//! What the user asked `eval` for.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use camino::Utf8PathBuf;
use serde_json::{Value, json};

/// Inputs a patch in `--thin`: enough to find nearly every bundled overfitting patch, few enough for every push.
const THIN_BUDGET: &str = "20000inputs";
/// The same for whole programs, of which each input takes a process or several.
const THIN_BUDGET_OF_PROGRAMS: &str = "2500inputs";
/// Units of budgets that make two runs alike.
const COUNTED: [&str; 3] = ["inputs", "input", "steps"];
/// A check that takes longer is ended.
const TIMEOUT: Duration = Duration::from_hours(2);

/// The arguments of `eval`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    /// Folders, or names of bundled cases.
    pub(super) subjects: Vec<String>,
    pub(super) seeds: Vec<u64>,
    pub(super) budget: Option<String>,
    pub(super) jobs: Option<u32>,
    pub(super) parallel: usize,
    /// Patches with this label alone.
    pub(super) only: Option<String>,
    /// Patches of these names alone.
    pub(super) patches: Vec<String>,
    pub(super) limit_per_case: Option<usize>,
    pub(super) timeout: Duration,
    pub(super) binary: Option<Utf8PathBuf>,
    pub(super) json: Option<Utf8PathBuf>,
    pub(super) from: Option<Utf8PathBuf>,
    /// Judge without the reference that a case names.
    pub(super) no_reference: bool,
    pub(super) thin: bool,
    pub(super) twice: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            subjects: Vec::new(),
            seeds: vec![1],
            budget: None,
            jobs: None,
            parallel: 1,
            only: None,
            patches: Vec::new(),
            limit_per_case: None,
            timeout: TIMEOUT,
            binary: None,
            json: None,
            from: None,
            no_reference: false,
            thin: false,
            twice: false,
        }
    }
}

impl Options {
    /// Whether a case is judged with some of its patches alone.
    pub(super) fn selects_patches(&self) -> bool {
        self.only.is_some() || !self.patches.is_empty() || self.limit_per_case.is_some()
    }

    /// What a search may cost in a case of this language, if it is not what bonafix takes by itself.
    pub(super) fn budget(&self, language: &str) -> Option<&str> {
        let thin = if language == "c" { THIN_BUDGET_OF_PROGRAMS } else { THIN_BUDGET };
        self.budget.as_deref().or(self.thin.then_some(thin))
    }

    /// What decides the results, for the file of results.
    pub(super) fn settings(&self) -> Value {
        json!({
            "subjects": self.subjects, "seeds": self.seeds, "jobs": self.jobs,
            "budget": self.budget("java"), "budget_of_programs": self.budget("c"),
            "only": self.only, "patches": self.patches, "limit_per_case": self.limit_per_case,
            "no_reference": self.no_reference, "thin": self.thin, "twice": self.twice,
        })
    }
}

/// Reads the arguments.
pub(super) fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--seeds" => options.seeds = seeds(value()?)?,
            "--budget" => options.budget = Some(value()?.clone()),
            "--jobs" => options.jobs = Some(number(argument, value()?)?),
            "--parallel" => options.parallel = number::<usize>(argument, value()?)?.max(1),
            "--only" => options.only = Some(label(value()?)?),
            "--patch" => options.patches.push(value()?.clone()),
            "--limit-per-case" => options.limit_per_case = Some(number(argument, value()?)?),
            "--timeout" => options.timeout = Duration::from_secs(number(argument, value()?)?),
            "--binary" => options.binary = Some(value()?.into()),
            "--json" => options.json = Some(value()?.into()),
            "--from" => options.from = Some(value()?.into()),
            "--no-reference" => options.no_reference = true,
            "--thin" => options.thin = true,
            "--twice" => options.twice = true,
            option if option.starts_with('-') => {
                bail!("unknown option `{option}`; see `cargo xtask help eval`")
            }
            subject => options.subjects.push(subject.to_owned()),
        }
    }
    settle(options)
}

/// What one option means for another.
fn settle(options: Options) -> Result<Options> {
    let counted = |budget: &String| COUNTED.iter().any(|unit| budget.ends_with(unit));
    let counted = options.budget.as_ref().map_or(options.thin, counted);
    if options.twice && !counted {
        bail!("--twice compares two runs, which only a budget of inputs makes alike: --budget 3000inputs");
    }
    if options.twice && options.jobs.is_some() {
        bail!("--twice chooses the number of jobs itself");
    }
    Ok(options)
}

/// `3` means the seeds 1, 2 and 3; `4,9` means these two, and `4,` this one.
fn seeds(text: &str) -> Result<Vec<u64>> {
    let seeds: Vec<u64> = if text.contains(',') {
        let parts = text.split(',').filter(|part| !part.is_empty());
        parts.map(|part| number("--seeds", part)).collect::<Result<_>>()?
    } else {
        (1..=number("--seeds", text)?).collect()
    };
    if seeds.is_empty() {
        bail!("--seeds {text} names no seed");
    }
    Ok(seeds)
}

fn label(text: &str) -> Result<String> {
    match text {
        "correct" | "overfitting" => Ok(text.to_owned()),
        other => bail!("--only is `correct` or `overfitting`, not `{other}`"),
    }
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T> {
    text.trim().parse().ok().with_context(|| format!("{option}: `{text}` is no number that fits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options> {
        parse(&line.split_whitespace().map(ToOwned::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn seeds_are_a_number_or_a_list() {
        assert_eq!(parsed("--seeds 3").unwrap().seeds, [1, 2, 3]);
        assert_eq!(parsed("--seeds 4,9").unwrap().seeds, [4, 9]);
        assert_eq!(parsed("--seeds 4,").unwrap().seeds, [4]);
        assert_eq!(parsed("").unwrap().seeds, [1]);
        assert!(parsed("--seeds 0").is_err() && parsed("--seeds x").is_err() && parsed("--seeds").is_err());
    }

    #[test]
    fn the_thin_run_has_a_budget_of_inputs() {
        let thin = parsed("--thin --twice").unwrap();
        assert_eq!(thin.budget("java"), Some(THIN_BUDGET));
        assert_eq!(thin.budget("c"), Some(THIN_BUDGET_OF_PROGRAMS));
        assert_eq!(parsed("--thin --budget 5inputs").unwrap().budget("c"), Some("5inputs"));
        assert_eq!(parsed("").unwrap().budget("c"), None);
        assert!(parsed("--twice --budget 60s").is_err());
    }

    #[test]
    fn patches_can_be_selected_and_what_is_unknown_is_refused() {
        let options = parsed("some/folder --only correct --patch a --patch b --limit-per-case 2").unwrap();
        assert_eq!((options.subjects.len(), options.patches.len()), (1, 2));
        assert!(options.selects_patches() && !Options::default().selects_patches());
        assert!(parsed("--only wrong").is_err() && parsed("--sed 1").is_err());
    }
}
