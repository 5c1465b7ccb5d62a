//! `eval`: judges labelled cases and says how often bonafix is right.
//!
//! Labels are read here, from `case.toml`, and never given to bonafix: it gets the folder of a case as it is. What came of
//! each patch is a [`record::Record`]; everything that is printed is made from these alone, so that the lines of a run
//! that was killed can be shown with `--from`.

mod jobs;
mod options;
mod record;
mod score;
mod select;
mod show;
mod twice;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::workspace::Workspace;
use crate::{demo, install};
use options::Options;
use record::{FORMAT, Record, Standing};
use score::Score;

/// Help of `eval`.
pub(crate) const HELP: &str = "\
Runs `bonafix check` on every bundled case, or on those named, or on every folder with a case.toml below the folders
named, and holds the outcomes against the labels `correct` and `overfitting` of case.toml, which bonafix never sees.

Prints a line for each patch, a line for each case, and scores: overfitting patches found, correct patches refuted (false
alarms), both by seed and in all, by patch and by bug. Patches that turn out invalid count for neither. Every miss is
listed with what was tried, every false alarm with its exhibit.

The exit code is 1 if there is a false alarm, if a comparison of --twice fails, or if a bundled case has a miss, a
plausible patch called invalid, an invalid one not recognised, or an error.

Options:
  --seeds N | A,B,…        the seeds 1 to N, or these (default 1)
  --budget B               as for `bonafix check`: 60s, 2m, 20000inputs (default: that of bonafix)
  --jobs N                 as for `bonafix check`
  --parallel N             so many cases at the same time (default 1)
  --only correct|overfitting
                           patches with this label alone
  --patch NAME             patches of this name alone; may be repeated
  --limit-per-case N       at most so many patches a case, spread over the list
  --timeout SECONDS        end a check that takes longer (default 7200)
  --binary FILE            use this bonafix instead of building one
  --json FILE              where to write the results (default target/xtask/eval/eval.json); FILE.jsonl grows meanwhile
  --from FILE.jsonl        run nothing, show the results of an earlier run, even of one that was killed
  --no-reference           judge without the reference that a case names: `suspicious` counts as found
  --thin                   what CI runs: bundled cases, seed 1, few inputs; every outcome must be what case.toml expects,
                           but for the patches in xtask/src/eval/thin-misses.txt, which must be missed with so few
  --twice                  judge every case twice, with one job and with two: both reports must be the same but for times

Results: the JSON file has `format` (1), `settings`, `scores` (`all`, `by_seed`, `by_case`) and `results`; each line of
FILE.jsonl but the first, which is {format, settings}, is an entry of `results`: `case`, `bundled`, `patch`, `label`,
`expect`, `seed`, `run` (the folder of its runs), `error` (null, or why there is no report), and of the report of the
patch `verdict`, `evidence`, `efforts`, `notices`, `timings`: see docs/json.md.

Examples:
  cargo xtask eval
  cargo xtask eval leap-year --seeds 3 --budget 20s
  cargo xtask eval ../other-cases --only correct --parallel 2
  cargo xtask eval --thin --twice
";

/// Runs `eval`.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let options = options::parse(arguments)?;
    let evaluated = match &options.from {
        Some(lines) => record::read_lines(lines)?,
        None => evaluate(workspace, &options)?,
    };
    print!("{}", show::everything(&evaluated));
    let good = is_good(&evaluated, options.thin);
    println!("\n{}", if good { "good" } else { "NOT GOOD" });
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn evaluate(workspace: &Workspace, options: &Options) -> Result<Vec<Record>> {
    let subjects = select::subjects(&workspace.root, options)?;
    if subjects.iter().all(|subject| subject.patches.is_empty() && subject.problem.is_none()) {
        bail!("no patch is left to judge");
    }
    install::ensure_tools()?;
    let bonafix = match &options.binary {
        Some(binary) => binary.canonicalize_utf8().with_context(|| format!("find {binary}"))?,
        None => demo::build(workspace)?,
    };
    let scratch = workspace.scratch("eval")?;
    let json = options.json.clone().unwrap_or_else(|| scratch.join("eval.json"));
    let lines = Utf8PathBuf::from(format!("{json}l"));
    let settings = options.settings();
    let sink = record::Sink::create(&lines, &json!({"format": FORMAT, "settings": settings}))?;
    let records = jobs::run_all(&jobs::Setting { bonafix, scratch, options }, &subjects, sink)?;
    fs_err::write(&json, serde_json::to_string_pretty(&summary(&settings, &records))? + "\n")?;
    eprintln!("written to {json} and {lines}");
    Ok(records)
}

fn summary(settings: &Value, records: &[Record]) -> Value {
    let by = |parts: Vec<(String, Vec<&Record>)>| -> serde_json::Map<String, Value> {
        parts.into_iter().map(|(name, part)| (name, Score::of(&part).json())).collect()
    };
    let all: Vec<&Record> = records.iter().collect();
    json!({
        "format": FORMAT,
        "settings": settings,
        "scores": {
            "all": Score::of(&all).json(),
            "by_seed": by(score::by_seed(records)),
            "by_case": by(score::by_case(records)),
        },
        "results": records.iter().map(Record::json).collect::<Vec<_>>(),
    })
}

/// False alarms are bad anywhere; the bundled cases must come out as they should.
fn is_good(records: &[Record], thin: bool) -> bool {
    records.iter().all(|record| {
        let standing = record.standing();
        let as_it_should = if thin && is_missed_when_thin(record) {
            // The run is exact: what is found after all has to leave the list.
            standing == Standing::Missed
        } else {
            !(record.bundled && record.is_wrong_for_bundled()) && (!thin || record.is_as_expected())
        };
        as_it_should && !record.differs_when_repeated() && !standing.is_false_alarm()
    })
}

/// Overfitting patches that take more inputs than a thin run has.
const THIN_MISSES: &str = include_str!("eval/thin-misses.txt");

fn is_missed_when_thin(record: &Record) -> bool {
    let name = format!("{}/{}", record.case, record.patch);
    record.bundled && THIN_MISSES.lines().any(|line| line == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(record: &Record, thin: bool) -> bool {
        is_good(std::slice::from_ref(record), thin)
    }

    #[test]
    fn a_false_alarm_is_bad_anywhere_and_a_miss_in_a_bundled_case_alone() {
        let mut record = Record::sample("correct", "refuted");
        assert!(!good(&record, false));
        record = Record::sample("overfitting", "unrefuted");
        record.bundled = false;
        assert!(good(&record, false));
        record.bundled = true;
        assert!(!good(&record, false));
    }

    #[test]
    fn what_ci_runs_wants_exactly_what_is_expected() {
        let mut record = Record::sample("correct", "inconclusive");
        record.expect = Some("unrefuted".to_owned());
        assert!(good(&record, false));
        assert!(!good(&record, true));
    }

    #[test]
    fn a_miss_of_a_thin_run_is_on_the_list_as_long_as_it_is_one() {
        let Some((case, patch)) = THIN_MISSES.lines().find_map(|line| line.split_once('/')) else { return };
        let mut record = Record::sample("overfitting", "unrefuted");
        (record.bundled, record.expect) = (true, Some("refuted".to_owned()));
        (record.case, record.patch) = (case.to_owned(), patch.to_owned());
        assert!(good(&record, true) && !good(&record, false));
        let mut found = Record::sample("overfitting", "refuted");
        (found.bundled, found.expect) = (true, Some("refuted".to_owned()));
        (found.case, found.patch) = (case.to_owned(), patch.to_owned());
        assert!(!good(&found, true) && good(&found, false));
    }

    #[test]
    fn an_error_or_another_second_report_is_bad() {
        let mut record = Record::sample("correct", "unrefuted");
        assert!(good(&record, false));
        record.twice = Some(vec!["patches/0/efforts/0/inputs: 1 and 2".to_owned()]);
        assert!(!good(&record, false));
        let mut record = Record::sample("correct", "unrefuted");
        record.error = Some("it fell over".to_owned());
        assert!(!good(&record, false));
    }

    #[test]
    fn the_results_have_their_scores() {
        let records = [Record::sample("overfitting", "refuted"), Record::sample("correct", "unrefuted")];
        let summary = summary(&json!({"seeds": [1]}), &records);
        assert_eq!(summary["format"], 1);
        assert_eq!(summary["scores"]["all"]["found"], 1);
        assert_eq!(summary["scores"]["by_seed"]["1"]["correct"], 1);
        assert_eq!(summary["results"][0]["verdict"]["outcome"], "refuted");
    }
}
