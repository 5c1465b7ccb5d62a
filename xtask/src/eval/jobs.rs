//! The checks themselves: one for each case and seed, some at the same time. A check that fails stops no other.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::options::Options;
use super::record::{Record, Sink};
use super::select::Subject;
use super::{show, twice};
use crate::cases;
use crate::command_line::{CommandLine, tail};

/// What all checks share.
pub(super) struct Setting<'a> {
    pub(super) bonafix: Utf8PathBuf,
    /// Where runs and what they print go.
    pub(super) scratch: Utf8PathBuf,
    pub(super) options: &'a Options,
}

type Job<'a> = (usize, &'a Subject, u64);

/// Judges every subject with every seed.
pub(super) fn run_all(setting: &Setting<'_>, subjects: &[Subject], sink: Sink) -> Result<Vec<Record>> {
    let seeds = &setting.options.seeds;
    let pairs = seeds.iter().flat_map(|seed| subjects.iter().map(move |subject| (subject, *seed)));
    let nothing_left = |subject: &Subject| subject.patches.is_empty() && subject.problem.is_none();
    let pairs = pairs.filter(|(subject, _)| !nothing_left(subject));
    let queue: VecDeque<Job<'_>> =
        pairs.enumerate().map(|(index, (subject, seed))| (index + 1, subject, seed)).collect();
    let all = queue.len();
    let (queue, sink) = (Mutex::new(queue), Mutex::new(sink));
    std::thread::scope(|scope| {
        let worker = || -> Result<()> {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some((number, subject, seed)) = next else { return Ok(()) };
                let start = Instant::now();
                let records = judge(setting, subject, seed);
                let seconds = start.elapsed().as_secs_f64();
                let said = show::progress(&records);
                eprintln!("[{number}/{all}] {}, seed {seed}, {seconds:.1} s: {said}", subject.name);
                let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                records.into_iter().try_for_each(|record| sink.add(record))?;
            }
        };
        let workers: Vec<_> = (0..setting.options.parallel).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(sink.into_inner().unwrap_or_else(PoisonError::into_inner).finish())
}

/// One record for each patch, whatever happens.
fn judge(setting: &Setting<'_>, subject: &Subject, seed: u64) -> Vec<Record> {
    let mut records: Vec<Record> =
        subject.patches.iter().map(|patch| blank(setting, subject, patch, seed)).collect();
    let run = setting.scratch.join("runs").join(subject.name.replace('/', "+")).join(format!("seed-{seed}"));
    for record in &mut records {
        record.run = run.to_string();
    }
    if let Err(error) = fill(setting, subject, seed, &run, &mut records) {
        if records.is_empty() {
            let none = cases::Expectation::default();
            records.push(blank(setting, subject, &none, seed));
        }
        for record in &mut records {
            record.error = Some(format!("{error:#}").trim_end().to_owned());
        }
    }
    records
}

fn blank(setting: &Setting<'_>, subject: &Subject, patch: &cases::Expectation, seed: u64) -> Record {
    Record {
        case: subject.name.clone(),
        bundled: subject.bundled,
        patch: patch.name.clone(),
        label: patch.label.clone(),
        expect: patch.expect.clone(),
        seed,
        no_reference: setting.options.no_reference,
        run: String::new(),
        error: None,
        twice: None,
        report: Value::Null,
    }
}

fn fill(
    setting: &Setting<'_>,
    subject: &Subject,
    seed: u64,
    run: &Utf8Path,
    records: &mut [Record],
) -> Result<()> {
    if let Some(problem) = &subject.problem {
        bail!("{problem}");
    }
    let jobs = if setting.options.twice { Some(1) } else { setting.options.jobs };
    let report = check(setting, subject, seed, run, jobs)?;
    let patches = cases::patches_of(&report)?;
    if patches.len() != records.len() {
        bail!("{} patches are to be judged and {} are in the report", records.len(), patches.len());
    }
    for (record, patch) in records.iter_mut().zip(patches) {
        record.keep(patch);
        cases::outcome_of(patch).context("a patch has no `verdict.outcome`")?;
    }
    if setting.options.twice {
        let again = Utf8PathBuf::from(format!("{run}-again"));
        let second = check(setting, subject, seed, &again, Some(2))?;
        compare(records, (&report, run), (&second, &again))?;
    }
    Ok(())
}

/// Notes at each patch where the second report differs; what is no patch's counts as the first one's.
fn compare(records: &mut [Record], first: (&Value, &Utf8Path), second: (&Value, &Utf8Path)) -> Result<()> {
    let [mut first, mut second] =
        [first, second].map(|(report, run)| twice::comparable(report, run.as_str()));
    let pairs = cases::patches_of(&first)?.iter().zip(cases::patches_of(&second)?);
    for (record, (left, right)) in records.iter_mut().zip(pairs) {
        record.twice = Some(twice::differences(left, right));
    }
    let alike = cases::patches_of(&first)?.len() == cases::patches_of(&second)?.len();
    if alike {
        first["patches"] = Value::Null;
        second["patches"] = Value::Null;
    }
    let rest = twice::differences(&first, &second);
    if let Some(record) = records.first_mut() {
        record.twice.get_or_insert_default().extend(rest);
    }
    Ok(())
}

/// Runs bonafix on the folder as it is, and reads its report.
fn check(
    setting: &Setting<'_>,
    subject: &Subject,
    seed: u64,
    run: &Utf8Path,
    jobs: Option<u32>,
) -> Result<Value> {
    if run.exists() {
        fs_err::remove_dir_all(run)?;
    }
    fs_err::create_dir_all(run)?;
    let command = command(setting, subject, seed, run, jobs);
    let (stdout, stderr) = (run.join("report.json"), run.join("stderr.log"));
    let captured = command.capture_to(&stdout, &stderr, setting.options.timeout)?;
    let said = || format!("`{command}`: {}\n{}", captured.status, tail(&captured.stderr, 20));
    serde_json::from_str(&captured.stdout).with_context(said)
}

fn command(
    setting: &Setting<'_>,
    subject: &Subject,
    seed: u64,
    run: &Utf8Path,
    jobs: Option<u32>,
) -> CommandLine {
    let options = setting.options;
    let mut command = CommandLine::new(setting.bonafix.as_str())
        .args(["check", subject.folder.as_str(), "--quiet", "--format", "json"])
        .args(["--out", run.as_str()])
        .args(["--seed".to_owned(), seed.to_string()]);
    if let Some(budget) = options.budget(&subject.language) {
        command = command.args(["--budget", budget]);
    }
    if options.no_reference {
        command = command.args(["--no-reference"]);
    }
    if let Some(jobs) = jobs {
        command = command.args(["--jobs".to_owned(), jobs.to_string()]);
    }
    if options.selects_patches() {
        let files = subject.patches.iter().map(|patch| subject.folder.join(&patch.file));
        command = command.args(files.flat_map(|file| ["--patch".to_owned(), file.into_string()]));
    }
    command
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::record::{FORMAT, Standing, read_lines};
    use super::*;

    /// A folder with a program in the place of bonafix, which prints `report` for cases but fails for one called `bad`.
    struct Bench {
        _guard: tempfile::TempDir,
        root: Utf8PathBuf,
        options: Options,
    }

    impl Bench {
        fn new(script: &str, options: Options) -> Self {
            let guard = tempfile::tempdir().unwrap();
            let root = Utf8Path::from_path(guard.path()).unwrap().to_owned();
            let program = root.join("bonafix");
            let text = format!("#!/bin/sh\necho \"$*\" >> {root}/calls\n{script}");
            // Written by another process: a file that this one has open for writing may be inherited by a child of
            // another test, and could then not be executed.
            let write = "printf '%s' \"$2\" > \"$1\" && chmod +x \"$1\"";
            let write = CommandLine::new("sh").args(["-c", write, "sh", program.as_str(), &text]);
            assert!(write.succeeds());
            Self { _guard: guard, root, options }
        }

        fn run(&self, subjects: &[Subject]) -> Vec<Record> {
            let setting = Setting {
                bonafix: self.root.join("bonafix"),
                scratch: self.root.join("scratch"),
                options: &self.options,
            };
            let sink = Sink::create(&self.root.join("eval.jsonl"), &json!({"format": FORMAT})).unwrap();
            run_all(&setting, subjects, sink).unwrap()
        }

        fn calls(&self) -> String {
            fs_err::read_to_string(self.root.join("calls")).unwrap()
        }
    }

    fn subject(name: &str) -> Subject {
        let patch = cases::Expectation {
            name: "p".into(),
            file: "patches/p.diff".into(),
            label: Some("overfitting".into()),
            expect: Some("refuted".into()),
        };
        Subject {
            name: name.into(),
            folder: format!("/cases/{name}").into(),
            language: "java".into(),
            bundled: false,
            patches: vec![patch],
            problem: None,
        }
    }

    const REFUTED: &str =
        r#"echo '{"format": 1, "patches": [{"verdict": {"outcome": "refuted"}, "timings": {"judge": 7}}]}'"#;

    #[test]
    fn a_check_that_fails_stops_no_other_and_all_lines_are_kept() {
        let script = format!("case \"$2\" in *bad) echo 'it fell over' >&2; exit 70;; esac\n{REFUTED}");
        let bench = Bench::new(&script, Options { seeds: vec![1, 2], parallel: 2, ..Options::default() });
        let unreadable = Subject { problem: Some("no TOML".into()), patches: Vec::new(), ..subject("odd") };
        let records = bench.run(&[subject("bad"), subject("good"), unreadable]);
        let standings: Vec<(&str, u64, Standing)> =
            records.iter().map(|record| (record.case.as_str(), record.seed, record.standing())).collect();
        let expected = [("bad", Standing::Failed), ("good", Standing::Found), ("odd", Standing::Failed)];
        let expected: Vec<_> = expected
            .iter()
            .flat_map(|(case, standing)| [1, 2].map(|seed| (*case, seed, *standing)))
            .collect();
        assert_eq!(standings, expected);
        assert!(records[0].error.as_ref().unwrap().contains("it fell over"));
        assert_eq!(read_lines(&bench.root.join("eval.jsonl")).unwrap().len(), 6);
    }

    #[test]
    fn bonafix_gets_the_folder_and_no_label() {
        let bench = Bench::new(REFUTED, Options { budget: Some("9inputs".into()), ..Options::default() });
        bench.run(&[subject("a")]);
        let out = bench.root.join("scratch/runs/a/seed-1");
        let expected =
            format!("check /cases/a --quiet --format json --out {out} --seed 1 --budget 9inputs\n");
        assert_eq!(bench.calls(), expected);
    }

    #[test]
    fn patches_that_are_selected_are_named_to_bonafix() {
        let bench = Bench::new(REFUTED, Options { only: Some("overfitting".into()), ..Options::default() });
        bench.run(&[subject("a")]);
        assert!(bench.calls().trim_end().ends_with("--seed 1 --patch /cases/a/patches/p.diff"));
    }

    #[test]
    fn a_check_that_takes_too_long_is_an_error() {
        let bench = Bench::new("exec sleep 600", Options { timeout: Duration::ZERO, ..Options::default() });
        let records = bench.run(&[subject("a")]);
        assert!(records[0].error.as_ref().unwrap().contains("was ended after"), "{records:?}");
    }

    #[test]
    fn a_second_run_that_differs_is_noted() {
        let report = r#"echo "{\"format\": 1, \"jobs\": \"$jobs\", \"patches\": [{\"verdict\": {\"outcome\": \"refuted\"}, \"timings\": {\"judge\": $$}}]}""#;
        let twice = || Options { twice: true, ..Options::default() };
        let same = Bench::new(report, twice());
        assert_eq!(same.run(&[subject("a")])[0].twice, Some(Vec::new()));
        assert!(same.calls().contains("--jobs 1") && same.calls().contains("--jobs 2"));
        let differing = Bench::new(&format!("for jobs; do :; done\n{report}"), twice());
        assert_eq!(differing.run(&[subject("a")])[0].twice, Some(vec!["/jobs: \"1\" and \"2\"".to_owned()]));
    }
}
