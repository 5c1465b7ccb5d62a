//! The run directory from outside: making it, killing it, taking it up again.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::io::Write;

use bonafix_model::{
    BaselineReport, Delta, Event, FORMAT_VERSION, InvalidReason, PatchReport, RunReport, Stage,
    SubjectReport, Timings, Verdict,
};
use bonafix_store::{EventLine, Lines, Plan, PlannedInput, RunDir, StoreError};
use camino::{Utf8Path, Utf8PathBuf};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.0.path()).unwrap()
    }

    fn runs(&self) -> Utf8PathBuf {
        self.path().join("target/bonafix")
    }
}

fn plan() -> Plan {
    let mut plan =
        Plan::new(vec!["bonafix".to_owned(), "check".to_owned()], PlannedInput::new("leap-year", "aa"));
    plan.patches = vec![PlannedInput::new("a.diff", "01"), PlannedInput::new("b.diff", "02")];
    plan
}

fn result(name: &str) -> PatchReport {
    PatchReport {
        name: name.to_owned(),
        digest: "01".to_owned(),
        verdict: Verdict::invalid(
            InvalidReason::DoesNotApply,
            "it does not apply",
            vec!["@@ -1 +1 @@".to_owned()],
        ),
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

fn report() -> RunReport {
    RunReport {
        format: FORMAT_VERSION,
        bonafix: "0.1.0".to_owned(),
        subject: SubjectReport {
            name: "leap-year".to_owned(),
            language: "java".to_owned(),
            build_system: "plain".to_owned(),
            facts: std::collections::BTreeMap::new(),
        },
        baseline: None,
        broken: None,
        ranking: None,
        patches: vec![result("a.diff")],
        notices: vec![],
        timings: Timings::default(),
    }
}

fn append(path: &Utf8Path, bytes: &[u8]) {
    fs_err::OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_new_run_has_its_plan_before_any_work_is_done() {
    let folder = Folder::new();
    let run = RunDir::create(&folder.runs(), "leap-year", &plan()).unwrap();
    assert_eq!(run.path(), folder.runs().join("leap-year-1"));
    assert_eq!(RunDir::read_plan(run.path()).unwrap(), plan());
    assert_eq!(RunDir::read_report(run.path()).unwrap(), None);
    assert_eq!(fs_err::read_to_string(folder.runs().join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn runs_are_numbered_and_the_latest_is_found() {
    let folder = Folder::new();
    assert_eq!(RunDir::find_latest(&folder.runs()), None);
    for number in 1..=11 {
        let run = RunDir::create(&folder.runs(), "x", &plan()).unwrap();
        assert_eq!(run.path().file_name().unwrap(), format!("x-{number}"));
        assert_eq!(RunDir::find_latest(&folder.runs()).as_deref(), Some(run.path()));
    }
    fs_err::remove_file(folder.runs().join("latest")).unwrap();
    assert_eq!(
        RunDir::find_latest(&folder.runs()),
        Some(folder.runs().join("x-11")),
        "without the link, by time"
    );
}

#[test]
fn runs_that_start_at_the_same_time_get_folders_of_their_own() {
    let folder = Folder::new();
    let runs: BTreeSet<Utf8PathBuf> = std::thread::scope(|scope| {
        let create = || RunDir::create(&folder.runs(), "x", &plan()).unwrap().path().to_owned();
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(create)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(runs.len(), 16);
}

#[test]
fn a_name_with_slashes_and_dots_stays_inside_the_folder() {
    let folder = Folder::new();
    let run = RunDir::create(&folder.runs(), "../../a b/ü", &plan()).unwrap();
    assert_eq!(run.path(), folder.runs().join("a-b-1"));
    let log = run.log_path("../x");
    assert!(log.starts_with(run.path().join("logs")) && !log.as_str().contains(".."), "{log}");
}

#[test]
fn a_folder_of_the_user_is_not_hidden_from_git_as_a_whole() {
    let folder = Folder::new();
    fs_err::write(folder.path().join("thesis.tex"), "").unwrap();
    let run = RunDir::create(folder.path(), "x", &plan()).unwrap();
    assert!(!folder.path().join(".gitignore").exists());
    assert!(run.path().join(".gitignore").exists());
}

#[test]
fn logs_are_numbered_and_go_on_after_a_resume() {
    let folder = Folder::new();
    let run = RunDir::create(&folder.runs(), "x", &plan()).unwrap();
    let (first, second) = (run.log_path("build-buggy"), run.log_path("baseline"));
    assert_eq!(
        (first.file_name(), second.file_name()),
        (Some("01-build-buggy.log"), Some("02-baseline.log"))
    );
    fs_err::write(second, "log").unwrap();
    let path = run.path().to_owned();
    drop(run);
    let run = RunDir::resume(&path, &plan()).unwrap().run;
    assert_eq!(run.log_path("baseline").file_name(), Some("03-baseline.log"));
}

#[test]
fn a_resumed_run_knows_what_is_done() {
    let folder = Folder::new();
    let run = RunDir::create(&folder.runs(), "x", &plan()).unwrap();
    let path = run.path().to_owned();
    let baseline = BaselineReport { tests: 3, passed: 2, ..BaselineReport::default() };
    run.write_baseline(&baseline).unwrap();
    run.append_result(&result("a.diff")).unwrap();
    run.record(&Event::StageStarted { stage: Stage::Apply, patch: Some("b.diff".to_owned()) });
    drop(run);
    let resumed = RunDir::resume(&path, &plan()).unwrap();
    assert_eq!((resumed.finished, resumed.baseline), (vec![result("a.diff")], Some(baseline)));
    assert!(!resumed.dropped_torn_line);
    resumed.run.append_result(&result("b.diff")).unwrap();
    resumed.run.write_report(&report()).unwrap();
    assert_eq!(RunDir::read_results(&path).unwrap().values, [result("a.diff"), result("b.diff")]);
    assert_eq!(RunDir::read_report(&path).unwrap(), Some(report()));
    let names: Vec<_> = fs_err::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains("tmp")), "{names:?}");
}

#[test]
fn latest_can_be_resumed_and_still_points_to_the_run() {
    let folder = Folder::new();
    drop(RunDir::create(&folder.runs(), "x", &plan()).unwrap());
    let resumed = RunDir::resume(&folder.runs().join("latest"), &plan()).unwrap();
    assert_eq!(resumed.run.path().file_name(), Some("x-1"));
    assert_eq!(RunDir::find_latest(&folder.runs()), Some(folder.runs().join("x-1")));
}

#[test]
fn a_line_torn_by_a_kill_is_dropped_and_the_file_mended() {
    let folder = Folder::new();
    let run = RunDir::create(&folder.runs(), "x", &plan()).unwrap();
    let path = run.path().to_owned();
    run.append_result(&result("a.diff")).unwrap();
    run.record(&Event::Notice { text: "n".to_owned() });
    drop(run);
    append(&path.join("results.jsonl"), br#"{"name":"b.diff","dig"#);
    append(&path.join("events.jsonl"), br#"{"at":1"#);
    let resumed = RunDir::resume(&path, &plan()).unwrap();
    assert!(resumed.dropped_torn_line);
    assert_eq!(resumed.finished, [result("a.diff")]);
    resumed.run.append_result(&result("b.diff")).unwrap();
    resumed.run.record(&Event::Notice { text: "m".to_owned() });
    assert_eq!(RunDir::read_results(&path).unwrap().values.len(), 2);
    assert_eq!(Lines::<EventLine>::read(&path.join("events.jsonl")).unwrap().values.len(), 2);
}

#[test]
fn a_run_about_other_things_is_not_resumed_and_the_message_names_them() {
    let folder = Folder::new();
    let path = RunDir::create(&folder.runs(), "x", &plan()).unwrap().path().to_owned();
    let mut other = plan();
    other.patches[1].digest = "99".to_owned();
    other.patches.push(PlannedInput::new("c.diff", "03"));
    let error = RunDir::resume(&path, &other).unwrap_err();
    assert!(matches!(error, StoreError::OtherPlan { .. }));
    let text = error.to_string();
    for part in ["the patch b.diff has changed", "the patch c.diff is new", "without --resume"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn two_writers_of_one_run_are_kept_apart() {
    let folder = Folder::new();
    let run = RunDir::create(&folder.runs(), "x", &plan()).unwrap();
    let error = RunDir::resume(run.path(), &plan()).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }));
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
}

#[test]
fn a_folder_that_is_no_run_is_named_as_such() {
    let folder = Folder::new();
    for path in [folder.path().to_owned(), folder.path().join("nowhere")] {
        let error = RunDir::resume(&path, &plan()).unwrap_err();
        assert!(
            matches!(&error, StoreError::NotARun { path: named } if named.ends_with(path.file_name().unwrap()))
        );
    }
}

#[test]
fn a_run_in_another_format_is_refused_with_the_version_that_wrote_it() {
    let folder = Folder::new();
    let path = RunDir::create(&folder.runs(), "x", &plan()).unwrap().path().to_owned();
    fs_err::write(path.join("plan.json"), r#"{"format": 99, "bonafix": "7.0.0", "strange": true}"#).unwrap();
    let error = RunDir::resume(&path, &plan()).unwrap_err().to_string();
    assert!(error.contains("is in format 99 (written by bonafix 7.0.0)"), "{error}");
    fs_err::write(path.join("plan.json"), "{").unwrap();
    let error = RunDir::resume(&path, &plan()).unwrap_err().to_string();
    assert!(error.contains("plan.json:1: not what bonafix writes"), "{error}");
}

#[test]
fn a_parent_that_cannot_be_made_is_named_with_the_way_out() {
    let folder = Folder::new();
    fs_err::write(folder.path().join("file"), "").unwrap();
    for parent in
        [folder.path().join("file/runs"), folder.path().join("file"), Utf8PathBuf::from("/proc/runs")]
    {
        let error = RunDir::create(&parent, "x", &plan()).unwrap_err();
        assert!(matches!(error, StoreError::NotWritable { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(parent.as_str()) && text.contains("--out DIR"), "{text}");
    }
}

#[test]
fn a_full_disk_at_the_end_keeps_the_results_and_says_how_to_go_on() {
    let folder = Folder::new();
    let run = RunDir::create(&folder.runs(), "x", &plan()).unwrap();
    run.append_result(&result("a.diff")).unwrap();
    let temporary = run.path().join(format!("report.json.tmp-{}", std::process::id()));
    fs_err::os::unix::fs::symlink("/dev/full", temporary).unwrap();
    let error = run.write_report(&report()).unwrap_err();
    let text = error.to_string();
    for part in ["no space left to write", "report.json", "--out DIR", &format!("--resume {}", run.path())] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(RunDir::read_report(run.path()).unwrap(), None, "no half of a report");
    assert_eq!(RunDir::read_results(run.path()).unwrap().values, [result("a.diff")]);
}

/// The other side of the next test: writes results until it is killed.
#[test]
#[ignore = "runs inside of another test"]
fn child_that_writes_until_it_is_killed() {
    let Ok(parent) = std::env::var("BONAFIX_TEST_RUNS") else { return };
    let run = RunDir::create(Utf8Path::new(&parent), "x", &plan()).unwrap();
    loop {
        run.append_result(&result("a.diff")).unwrap();
        run.record(&Event::Notice { text: "n".repeat(10_000) });
    }
}

#[test]
fn a_killed_process_leaves_a_run_that_can_be_read_and_resumed() {
    let folder = Folder::new();
    #[expect(clippy::disallowed_methods, reason = "the test needs a process of its own to kill")]
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let name = "child_that_writes_until_it_is_killed";
    let mut child = command
        .args(["--exact", name, "--ignored"])
        .env("BONAFIX_TEST_RUNS", folder.runs())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let path = folder.runs().join("x-1");
    while Lines::<PatchReport>::read(&path.join("results.jsonl")).unwrap().values.len() < 20 {
        assert!(child.try_wait().unwrap().is_none(), "the child ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let locked = RunDir::resume(&path, &plan()).unwrap_err();
    assert!(locked.to_string().contains(&format!("process {}", child.id())), "{locked}");
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = RunDir::resume(&path, &plan()).unwrap();
    assert!(resumed.finished.len() >= 20);
    resumed.run.append_result(&result("b.diff")).unwrap();
    assert_eq!(RunDir::read_results(&path).unwrap().values.len(), resumed.finished.len() + 1);
}
