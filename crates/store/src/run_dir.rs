//! The run directory: plan, logs, results as they come, and the report, in one folder that outlives a kill.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use bonafix_model::{BaselineReport, Event, InputSet, PatchReport, RunReport};
use camino::{Utf8Path, Utf8PathBuf};
use fs_err::File;

use crate::error::Place;
use crate::lines::{self, EventLine, LineWriter, Lines};
use crate::{Plan, StoreError, lock};

const WITNESSES: &str = "witnesses";
const QUESTIONS: &str = "questions";
const INPUTS: &str = "inputs";
const PLAN: &str = "plan.json";
const EVENTS: &str = "events.jsonl";
const RESULTS: &str = "results.jsonl";
const BASELINE: &str = "baseline.json";
const REPORT: &str = "report.json";
const LOCK: &str = "lock";
const LOGS: &str = "logs";
const LATEST: &str = "latest";

/// A run directory that this process writes. Can be shared between threads.
#[derive(Debug)]
pub struct RunDir {
    path: Utf8PathBuf,
    events: LineWriter,
    results: LineWriter,
    next_log: AtomicU32,
    recording_fault: Mutex<Option<String>>,
    _lock: File,
}

/// A run directory that was taken up again, and what it already held.
#[derive(Debug)]
pub struct Resumed {
    /// The run directory.
    pub run: RunDir,
    /// Patches that have their outcome, in the order in which they got it.
    pub finished: Vec<PatchReport>,
    /// The baseline, if it was measured.
    pub baseline: Option<BaselineReport>,
    /// The last result had been cut off by a kill and is dropped: its patch is judged again.
    pub dropped_torn_line: bool,
}

impl RunDir {
    /// Makes `<parent>/<name>-<N>` with the next free number, writes the plan into it, and lets `latest` point to it.
    ///
    /// A parent that is made for this (or is empty) gets a `.gitignore`, so that the subject's `git status` stays
    /// clean. One that holds other things is the user's: there, only the run directory itself is ignored.
    pub fn create(parent: &Utf8Path, name: &str, plan: &Plan) -> Result<Self, StoreError> {
        make_parent(parent).map_err(|error| Place::Runs.fault(parent, error))?;
        let path =
            make_numbered(parent, &plain_name(name)).map_err(|error| Place::Runs.fault(parent, error))?;
        let run = Self::fill(&path, plan).inspect_err(|_| {
            // Without its plan it could never be resumed.
            let _ = fs_err::remove_dir_all(&path);
        })?;
        point_latest(parent, &path);
        Ok(run)
    }

    /// Makes what every run has in its new folder.
    fn fill(path: &Utf8Path, plan: &Plan) -> Result<Self, StoreError> {
        let lock = hold(path)?;
        let made = || {
            ignore_in_git(path)?;
            fs_err::create_dir(path.join(LOGS))?;
            lines::write_whole(&path.join(PLAN), plan)?;
            Self::open(path.to_owned(), lock, 0, 0)
        };
        made().map_err(|error| Place::Runs.fault(path, error))
    }

    /// Takes up a run that was stopped. It must be about the same things as `plan`; see [`Plan::differences`].
    pub fn resume(path: &Utf8Path, plan: &Plan) -> Result<Resumed, StoreError> {
        // `latest` is a link to a run: from here on it is the run itself.
        let path = &path.canonicalize_utf8().map_err(|_| StoreError::NotARun { path: path.to_owned() })?;
        let then = Self::read_plan(path)?;
        let differences = then.differences(plan);
        if !differences.is_empty() {
            return Err(StoreError::OtherPlan { run: path.to_owned(), differences });
        }
        let lock = hold(path)?;
        let results = Self::read_results(path)?;
        let events = Lines::<EventLine>::read(&path.join(EVENTS))?;
        let fault = |error| Place::Run(path).fault(path, error);
        fs_err::create_dir_all(path.join(LOGS)).map_err(fault)?;
        let run = Self::open(path.to_owned(), lock, events.whole, results.whole).map_err(fault)?;
        if let Some(parent) = path.parent() {
            point_latest(parent, path);
        }
        let baseline = Self::read_baseline(path)?;
        Ok(Resumed { run, finished: results.values, baseline, dropped_torn_line: results.torn })
    }

    fn open(path: Utf8PathBuf, lock: File, events: u64, results: u64) -> io::Result<Self> {
        Ok(Self {
            events: LineWriter::open(path.join(EVENTS), events)?,
            results: LineWriter::open(path.join(RESULTS), results)?,
            next_log: AtomicU32::new(next_log_number(&path.join(LOGS))?),
            recording_fault: Mutex::new(None),
            path,
            _lock: lock,
        })
    }

    /// The newest run below `parent`: what `latest` points to, or else the one whose plan was written last.
    pub fn find_latest(parent: &Utf8Path) -> Option<Utf8PathBuf> {
        let linked =
            fs_err::read_link(parent.join(LATEST)).ok().and_then(|to| Utf8PathBuf::from_path_buf(to).ok());
        if let Some(run) = linked.map(|to| parent.join(to)).filter(|run| run.join(PLAN).is_file()) {
            return Some(run);
        }
        let written =
            |run: &Utf8PathBuf| fs_err::metadata(run.join(PLAN)).and_then(|plan| plan.modified()).ok();
        let mut runs: Vec<_> = entries(parent).ok()?.into_iter().map(|name| parent.join(name)).collect();
        runs.sort();
        runs.into_iter().filter_map(|run| Some((written(&run)?, run))).max().map(|(_, run)| run)
    }

    /// Where it is.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// A new log file for a step: `logs/NN-step.log`, numbered in the order of asking. The file is not made.
    pub fn log_path(&self, step: &str) -> Utf8PathBuf {
        let number = self.next_log.fetch_add(1, Ordering::Relaxed);
        self.path.join(LOGS).join(format!("{number:02}-{}.log", plain_name(step)))
    }

    /// The folder for the counterexamples of a patch, empty: what a run that was killed left there is removed.
    pub fn make_witness_folder(&self, name: &str) -> Result<Utf8PathBuf, StoreError> {
        self.make_empty_folder(WITNESSES, name)
    }

    /// The folder for a question to a person, empty.
    pub fn make_question_folder(&self, name: &str) -> Result<Utf8PathBuf, StoreError> {
        self.make_empty_folder(QUESTIONS, name)
    }

    fn make_empty_folder(&self, parent: &str, name: &str) -> Result<Utf8PathBuf, StoreError> {
        let path = self.path.join(parent).join(plain_name(name));
        let made = || {
            if path.exists() {
                fs_err::remove_dir_all(&path)?;
            }
            fs_err::create_dir_all(&path)
        };
        made().map_err(|error: io::Error| self.fault(&path, error))?;
        Ok(path)
    }

    /// Keeps the inputs of a patch that are worth running on further patches.
    pub fn write_inputs(&self, name: &str, inputs: &InputSet) -> Result<(), StoreError> {
        let folder = self.path.join(INPUTS);
        let path = folder.join(format!("{}.json", plain_name(name)));
        fs_err::create_dir_all(&folder)
            .and_then(|()| lines::write_whole(&path, inputs))
            .map_err(|error| self.fault(&path, error))
    }

    /// The inputs that were kept of a patch; none if there were none.
    pub fn read_inputs(&self, name: &str) -> Option<InputSet> {
        let path = self.path.join(INPUTS).join(format!("{}.json", plain_name(name)));
        serde_json::from_slice(&fs_err::read(path).ok()?).ok()
    }

    /// Where the program's own log goes.
    pub fn debug_log_path(&self) -> Utf8PathBuf {
        self.path.join("debug.log")
    }

    /// Appends an event. A fault here must not stop a run: it is kept for [`Self::recording_fault`], and later events
    /// are dropped.
    pub fn record(&self, event: &Event) {
        let mut fault = self.recording_fault.lock().unwrap_or_else(PoisonError::into_inner);
        if fault.is_none() {
            let written = self.events.append(&EventLine::now(event.clone()), false);
            *fault = written.err().map(|error| self.fault(self.events.path(), error).to_string());
        }
    }

    /// Why events are missing from `events.jsonl`, if any are.
    pub fn recording_fault(&self) -> Option<String> {
        self.recording_fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Appends the outcome of a patch. When this returns it is on the disk.
    pub fn append_result(&self, report: &PatchReport) -> Result<(), StoreError> {
        self.results.append(report, true).map_err(|error| self.fault(self.results.path(), error))
    }

    /// Writes what was found out about the buggy version.
    pub fn write_baseline(&self, baseline: &BaselineReport) -> Result<(), StoreError> {
        let path = self.path.join(BASELINE);
        lines::write_whole(&path, baseline).map_err(|error| self.fault(&path, error))
    }

    /// Writes the report of the whole run, all at once.
    pub fn write_report(&self, report: &RunReport) -> Result<(), StoreError> {
        let path = self.path.join(REPORT);
        lines::write_whole(&path, report).map_err(|error| self.fault(&path, error))
    }

    fn fault(&self, path: &Utf8Path, error: io::Error) -> StoreError {
        Place::Run(&self.path).fault(path, error)
    }

    /// The plan of a run, also while it runs.
    pub fn read_plan(run: &Utf8Path) -> Result<Plan, StoreError> {
        let path = run.join(PLAN);
        if !path.is_file() {
            return Err(StoreError::NotARun { path: run.to_owned() });
        }
        lines::read_versioned(&path)
    }

    /// The outcomes so far, also while it runs.
    pub fn read_results(run: &Utf8Path) -> Result<Lines<PatchReport>, StoreError> {
        Lines::read(&run.join(RESULTS))
    }

    /// The baseline, if it was measured.
    pub fn read_baseline(run: &Utf8Path) -> Result<Option<BaselineReport>, StoreError> {
        let path = run.join(BASELINE);
        if !path.is_file() {
            return Ok(None);
        }
        let read = serde_json::from_slice(&fs_err::read(&path)?);
        read.map(Some).map_err(|error| StoreError::Corrupt {
            path,
            line: error.line(),
            problem: error.to_string(),
        })
    }

    /// The report of a finished run; `None` when it has not finished.
    pub fn read_report(run: &Utf8Path) -> Result<Option<RunReport>, StoreError> {
        Self::read_plan(run)?;
        let path = run.join(REPORT);
        if path.is_file() { lines::read_versioned(&path).map(Some) } else { Ok(None) }
    }
}

/// Makes the folder of runs, and hides it from git if it is ours.
fn make_parent(parent: &Utf8Path) -> io::Result<()> {
    fs_err::create_dir_all(parent)?;
    if entries(parent)?.is_empty() { ignore_in_git(parent) } else { Ok(()) }
}

fn ignore_in_git(folder: &Utf8Path) -> io::Result<()> {
    fs_err::write(folder.join(".gitignore"), "*\n")
}

/// Makes `<parent>/<name>-<N>`. Making a folder is atomic, so two processes never get the same one.
fn make_numbered(parent: &Utf8Path, name: &str) -> io::Result<Utf8PathBuf> {
    let number = |entry: &str| entry.strip_prefix(name)?.strip_prefix('-')?.parse::<u32>().ok();
    let mut next = entries(parent)?.iter().filter_map(|entry| number(entry)).max().unwrap_or(0) + 1;
    loop {
        let path = parent.join(format!("{name}-{next}"));
        match fs_err::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => next += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Names in a folder, as far as they are UTF-8.
fn entries(folder: &Utf8Path) -> io::Result<Vec<String>> {
    fs_err::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default())).collect()
}

/// Takes the run for this process, and writes down who has it.
fn hold(run: &Utf8Path) -> Result<File, StoreError> {
    let path = run.join(LOCK);
    let fault = |error| Place::Run(run).fault(&path, error);
    let Some(mut file) = lock::try_lock(&path).map_err(fault)? else {
        let holder = fs_err::read_to_string(&path).unwrap_or_default();
        let holder = if holder.trim().is_empty() { "another process" } else { holder.trim() };
        return Err(StoreError::Locked { run: run.to_owned(), holder: holder.to_owned() });
    };
    file.set_len(0).and_then(|()| writeln!(file, "process {}", std::process::id())).map_err(fault)?;
    Ok(file)
}

/// Lets `latest` point to a run. A convenience: where links cannot be made, [`RunDir::find_latest`] looks at times.
fn point_latest(parent: &Utf8Path, run: &Utf8Path) {
    let Some(name) = run.file_name() else { return };
    let temporary = parent.join(format!(".{LATEST}-{}-{name}", std::process::id()));
    let _ = fs_err::remove_file(&temporary);
    if fs_err::os::unix::fs::symlink(name, &temporary).is_ok()
        && fs_err::rename(&temporary, parent.join(LATEST)).is_err()
    {
        let _ = fs_err::remove_file(&temporary);
    }
}

fn next_log_number(logs: &Utf8Path) -> io::Result<u32> {
    let number = |name: &str| name.split('-').next()?.parse::<u32>().ok();
    Ok(entries(logs)?.iter().filter_map(|name| number(name)).max().map_or(1, |last| last + 1))
}

/// A name that is a harmless file name everywhere.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).take(80).collect();
    let name = name.trim_matches(['.', '-']);
    if name.is_empty() { "run".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use bonafix_model::{Delta, Outcome, Timings, Verdict};

    use super::*;

    #[test]
    fn a_full_disk_stops_results_with_a_way_out_and_events_without_a_fuss() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir(path.join(LOGS)).unwrap();
        for name in [RESULTS, EVENTS] {
            fs_err::os::unix::fs::symlink("/dev/full", path.join(name)).unwrap();
        }
        let run = RunDir::open(path.to_owned(), hold(path).unwrap(), 0, 0).unwrap();
        let error = run.append_result(&result()).unwrap_err();
        assert!(matches!(&error, StoreError::Full { path: full, .. } if full.ends_with(RESULTS)), "{error}");
        assert!(error.to_string().contains(&format!("go on with --resume {path}")), "{error}");
        assert_eq!(run.recording_fault(), None);
        run.record(&Event::Notice { text: String::new() });
        run.record(&Event::Notice { text: String::new() });
        assert!(run.recording_fault().is_some_and(|fault| fault.contains(EVENTS)));
    }

    fn result() -> PatchReport {
        PatchReport {
            name: "a.diff".to_owned(),
            digest: "01".to_owned(),
            verdict: Verdict::of(Outcome::Unrefuted, "nothing was found"),
            apply_notes: vec![],
            test_changes: vec![],
            delta: Delta::default(),
            plausibility: None,
            evidence: vec![],
            efforts: vec![],
            similarity: None,
            notices: vec![],
            timings: Timings::default(),
        }
    }
}
