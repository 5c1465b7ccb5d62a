//! Plausible patches judged against a trusted fix: what is found, how it is shown, and that it is the same each time.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use support::{FIX, Ran, Subject};

/// Few enough inputs for a test, and many enough for what it looks for.
const BUDGET: [&str; 2] = ["--budget", "2000inputs"];

/// A diff of `Leap` that replaces the body of the method.
fn body(new: &str) -> String {
    FIX.replace("return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);", new)
}

/// Right for the year of the failing test, and for no other century.
fn overfitting() -> String {
    body("return year % 4 == 0 && year != 1900;")
}

/// The same rule in other words.
fn correct() -> String {
    body("return year % 100 == 0 ? year % 400 == 0 : year % 4 == 0;")
}

/// `bonafix check` of a patch with the right fix as reference.
fn judge(subject: &Subject, patch: &str, more: &[&str]) -> Ran {
    let patch = subject.patch("judged.diff", patch);
    let reference = subject.patch("reference.diff", FIX);
    let mut arguments = vec!["--reference", reference.as_str()];
    arguments.extend(more);
    subject.judge(&patch, &arguments)
}

fn with_budget<'a>(more: &[&'a str]) -> Vec<&'a str> {
    BUDGET.iter().chain(more).copied().collect()
}

/// The evidence of the only patch that is proof.
fn proofs(report: &Value) -> Vec<&Value> {
    let evidence = report["patches"][0]["evidence"].as_array().map(Vec::as_slice).unwrap_or_default();
    evidence.iter().filter(|found| found["strength"] == "proof").collect()
}

fn copy(from: &Utf8Path, to: &Utf8Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let place = to.join(Utf8Path::from_path(entry.path()).unwrap().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs_err::create_dir_all(place).unwrap();
        } else {
            fs_err::copy(entry.path(), place).unwrap();
        }
    }
}

fn files_with(folder: &Utf8Path, extension: &str) -> Vec<Utf8PathBuf> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    let paths = files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
    paths.filter(|path| path.extension() == Some(extension)).collect()
}

#[test]
fn an_overfitting_patch_is_refuted_by_a_witness_that_runs_from_anywhere() {
    let subject = Subject::leap();
    let ran = judge(&subject, &overfitting(), &with_budget(&["--format", "json"])).expect(2, &[]);
    let report = ran.json();
    assert_eq!(report["patches"][0]["verdict"]["outcome"], "refuted");
    let [proof] = proofs(&report)[..] else { panic!("{report:#}") };
    assert_eq!(proof["technique"], "rgt");
    let exhibit = &proof["exhibit"];
    assert_eq!(
        (&exhibit["class"], &exhibit["expected"], &exhibit["actual"], &exhibit["buggy"]),
        (&"assert".into(), &"false".into(), &"true".into(), &"true".into())
    );
    assert!(
        exhibit["input"].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains("isLeap("))
    );
    let witness = &proof["witness"];
    assert_eq!((witness["oracle"].as_str(), witness["replays"].as_u64()), (Some("reference"), Some(3)));
    assert_eq!(witness["confirmed"], witness["replays"]);

    let run = subject.folder().join("out/project-1");
    let folder = run.join(witness["folder"].as_str().unwrap());
    let [file] = &files_with(&folder, "java")[..] else { panic!("{folder} has not one source file") };
    let text = fs_err::read_to_string(file).unwrap();
    for part in ["package demo;", "import org.junit.Test;", "@Test", "assert", "Leap.isLeap("] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['/', '*'])) {
        assert!(!line.contains("bonafix"), "{line}");
    }

    let moved = subject.folder().join("elsewhere/kept witness");
    copy(&folder, &moved);
    fs_err::remove_dir_all(subject.folder().join("out")).unwrap();
    fs_err::remove_dir_all(subject.root().join("src")).unwrap();
    subject.run(&["replay", moved.as_str()]).expect(0, &["HOLDS", "passed 3 of 3", "passed 0 of 3"]);
    let again = subject.run(&["replay", moved.as_str(), "--repeat", "1", "--format", "json"]).expect(0, &[]);
    assert_eq!(again.json()["holds"], true);
    damaged_witnesses_are_refused(&subject, &moved);
}

fn damaged_witnesses_are_refused(subject: &Subject, witness: &Utf8Path) {
    let damaged = |name: &str, damage: &dyn Fn(&Utf8Path)| {
        let folder = subject.folder().join(name);
        copy(witness, &folder);
        damage(&folder);
        subject.run(&["replay", folder.as_str(), "--repeat", "1"])
    };
    let manifest = "witness.json";
    damaged("without", &|folder| fs_err::remove_file(folder.join(manifest)).unwrap()).expect(1, &[manifest]);
    damaged("cut", &|folder| fs_err::write(folder.join(manifest), "{\"format\": 1,").unwrap())
        .expect(1, &[manifest]);
    let source = files_with(witness, "java")[0].strip_prefix(witness).unwrap().to_owned();
    damaged("sourceless", &|folder| fs_err::remove_file(folder.join(&source)).unwrap())
        .expect(1, &[source.as_str()]);
    let class = files_with(witness, "class")[0].strip_prefix(witness).unwrap().to_owned();
    damaged("classless", &|folder| fs_err::remove_file(folder.join(&class)).unwrap())
        .expect(1, &[class.file_name().unwrap()]);
    subject.run(&["replay", subject.folder().join("nowhere").as_str()]).expect(1, &["nowhere"]);
    subject.run(&["replay", subject.folder().as_str()]).expect(1, &[manifest]);
}

#[test]
fn a_refutation_is_shown_with_its_input_and_the_way_to_see_it_again() {
    let subject = Subject::leap();
    judge(&subject, &overfitting(), &BUDGET).expect(2, &["REFUTED", "isLeap(", "bonafix replay"]);
}

#[test]
fn a_correct_patch_is_unrefuted_and_what_was_tried_is_told() {
    let subject = Subject::leap();
    let ran = judge(&subject, &correct(), &with_budget(&["--seed", "7", "--format", "json"])).expect(0, &[]);
    let report = ran.json();
    assert_eq!(report["patches"][0]["verdict"]["outcome"], "unrefuted");
    assert!(proofs(&report).is_empty());
    let effort = &report["patches"][0]["efforts"][0];
    assert_eq!((&effort["technique"], &effort["budget"]), (&"rgt".into(), &"2000 inputs".into()));
    assert_eq!((effort["inputs"].as_u64(), effort["seed"].as_u64()), (Some(2000), Some(7)));
    let number = |name: &str| effort[name].as_u64().unwrap();
    assert!(number("reached") > 100 && number("reached") <= 2000, "{effort}");
    assert!(number("branches") >= number("branches_taken") && number("branches_taken") > 0, "{effort}");
    assert!(number("seeds") >= 3, "{effort}");
    assert_eq!((number("differing"), &effort["ended"]), (0, &"budget".into()));
    judge(&subject, &correct(), &BUDGET).expect(0, &["UNREFUTED", "2000 inputs"]);
}

#[test]
fn without_a_reference_a_patch_is_compared_with_the_buggy_version_and_the_way_to_know_more_is_named() {
    let subject = Subject::leap();
    let patch = subject.patch("judged.diff", overfitting());
    subject.judge(&patch, &BUDGET).expect(0, &["UNREFUTED", "patch-sim", "--reference"]);
    let report = subject.judge(&patch, &with_budget(&["--format", "json"])).expect(0, &[]).json();
    let patch = &report["patches"][0];
    assert_eq!(patch["efforts"][0]["technique"], "new-failures");
    let tests = patch["similarity"]["tests"].as_array().unwrap();
    let of = |origin: &str| tests.iter().filter(|test| test["origin"] == origin).count();
    assert!(of("original") >= 2 && of("generated") == 20, "{tests:#?}");
    let failing = tests.iter().find(|test| test["class"] == "failing").unwrap();
    assert!(failing["statements"][0].as_u64() > Some(0), "{failing}");
}

/// The fix, which fails where the buggy version ran well.
fn failing_anew() -> String {
    FIX.replace(
        "return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);",
        "return year % 4 == 0 && year % 100 != 0 && 400 / (year - 1604) != 401;",
    )
}

#[test]
fn a_new_failure_makes_a_patch_suspicious_and_comes_as_a_test() {
    let subject = Subject::leap();
    let patch = subject.patch("judged.diff", failing_anew());
    let more = ["--budget", "20000inputs", "--technique", "new-failures", "--format", "json"];
    let ran = subject.judge(&patch, &more).expect(3, &[]);
    let report = ran.json();
    let found = &report["patches"][0]["evidence"][0];
    assert_eq!((&found["technique"], &found["strength"]), (&"new-failures".into(), &"heuristic".into()));
    assert_eq!(found["exhibit"]["class"], "exc2");
    assert!(found["summary"].as_str().unwrap().contains("ArithmeticException"), "{found}");
    let folder = subject.folder().join("out/project-1").join(found["witness"]["folder"].as_str().unwrap());
    subject.run(&["replay", folder.as_str()]).expect(0, &["HOLDS", "buggy", "passed 3 of 3"]);
}

#[test]
fn patches_that_behave_alike_are_one_cluster_and_an_input_tells_the_others_apart() {
    let subject = Subject::leap();
    let patches = [
        subject.patch("one.diff", FIX),
        subject.patch("other.diff", correct()),
        subject.patch("wrong.diff", overfitting()),
    ];
    let out = subject.folder().join("out");
    let mut arguments =
        vec!["check", "--out", out.as_str(), "--technique", "new-failures", "--format", "json"];
    arguments.extend(BUDGET);
    arguments.extend(patches.iter().flat_map(|patch| ["--patch", patch.as_str()]));
    let report = subject.run(&arguments).expect(0, &[]).json();
    let ranking = &report["ranking"];
    let row = |name: &str| {
        let rows = ranking["rows"].as_array().unwrap().iter();
        rows.clone().find(|row| row["name"].as_str().unwrap().ends_with(name)).unwrap().clone()
    };
    assert_eq!(row("one.diff")["cluster"], row("other.diff")["cluster"]);
    assert_ne!(row("one.diff")["cluster"], row("wrong.diff")["cluster"]);
    let telling = &ranking["telling"][0];
    assert!(telling["input"][0].as_str().unwrap().contains("isLeap("), "{telling}");
    assert_ne!(telling["answers"][0], telling["answers"][1]);
    let file = out.join("project-1").join(telling["test"].as_str().unwrap());
    let text = fs_err::read_to_string(&file).unwrap();
    assert!(text.contains("Which of these is right?") && text.contains("wrong.diff)"), "{text}");
    assert_eq!(ranking["random_pick"]["patches"], 3);
}

#[test]
fn what_patches_agree_on_makes_one_that_does_otherwise_suspicious_and_the_run_can_be_repeated() {
    let subject = Subject::leap();
    let same_code = FIX.replace("year % 4 == 0 && (", "(year % 4) == 0 && (");
    let patches = [
        subject.patch("one.diff", FIX),
        subject.patch("other.diff", correct()),
        subject.patch("wrong.diff", overfitting()),
        subject.patch("same.diff", same_code),
    ];
    let run = |name: &str, patches: &[String], jobs: &str| {
        let out = subject.folder().join(name);
        let mut arguments = vec!["check", "--out", out.as_str(), "--technique", "agreement", "--jobs", jobs];
        arguments.extend(["--budget", "1000inputs", "--format", "json"]);
        arguments.extend(patches.iter().flat_map(|patch| ["--patch", patch.as_str()]));
        plain(subject.run(&arguments).expect(0, &[]).json(), out.as_str())
    };
    let outcomes = |report: &Value| -> Vec<String> {
        let patches = report["patches"].as_array().unwrap().iter();
        patches.map(|patch| patch["verdict"]["outcome"].as_str().unwrap().to_owned()).collect()
    };
    let report = run("out-a", &patches[..3], "1");
    assert_eq!(outcomes(&report), ["unrefuted", "unrefuted", "suspicious"]);
    let found = &report["patches"][2]["evidence"][0];
    assert_eq!(
        (found["technique"].as_str(), found["strength"].as_str()),
        (Some("agreement"), Some("heuristic"))
    );
    let exhibit = &found["exhibit"];
    assert_eq!((exhibit["expected"].as_str(), exhibit["actual"].as_str()), (Some("false"), Some("true")));
    assert_eq!(exhibit["buggy"], "true");
    let places = report["ranking"]["rows"].as_array().unwrap();
    assert!(places[2]["name"].as_str().unwrap().ends_with("wrong.diff"), "{places:#?}");
    assert_eq!(run("out-b", &patches[..3], "3"), report);
    // Two of one code are one voice.
    let twice = [patches[0].clone(), patches[3].clone(), patches[2].clone()];
    assert_eq!(outcomes(&run("out-c", &twice, "1")), ["unrefuted", "unrefuted", "unrefuted"]);
}

#[test]
fn rgt_alone_needs_a_reference() {
    let subject = Subject::leap();
    let patch = subject.patch("judged.diff", FIX);
    subject.judge(&patch, &["--technique", "rgt"]).expect(1, &["rgt", "--reference"]);
    subject.judge(&patch, &["--technique", "rgt", "--no-technique"]).expect(1, &["--no-technique"]);
    subject.judge(&patch, &["--kp", "2"]).expect(1, &["--kp", "from 0 to 1"]);
}

#[test]
fn a_budget_that_is_none_is_a_usage_error_with_examples() {
    let subject = Subject::leap();
    for budget in ["nonsense", "60", "-1s", "1.5inputs"] {
        let budget = format!("--budget={budget}");
        judge(&subject, FIX, &[&budget]).expect(1, &["--budget", "60s", "20000inputs"]);
    }
    judge(&subject, FIX, &["--budget", "0inputs"]).expect(1, &["--budget", "nothing"]);
}

#[test]
fn inputs_that_were_worth_keeping_are_run_first_on_another_patch() {
    let subject = Subject::leap();
    let file = subject.folder().join("inputs.json");
    judge(&subject, &correct(), &with_budget(&["--inputs-to", file.as_str()])).expect(0, &[]);
    let more = with_budget(&["--inputs-from", file.as_str(), "--format", "json"]);
    let report = judge(&subject, &overfitting(), &more).expect(2, &[]).json();
    let effort = &report["patches"][0]["efforts"][0];
    assert!(effort["kept"].as_u64().unwrap() > 0, "{effort}");
}

#[test]
fn a_file_of_inputs_that_cannot_be_read_is_a_usage_error_that_names_it_before_anything_is_built() {
    let subject = Subject::leap();
    let refused = |file: &str, why: &str| {
        let ran = judge(&subject, FIX, &["--inputs-from", file]).expect(1, &[file, why]);
        assert!(!ran.stderr.contains("building"), "{}", ran.stderr);
    };
    refused("missing.json", "No such file");
    refused(&subject.patch("broken.json", "{\"format\": 1, \"inputs\": ["), "EOF");
    refused(&subject.patch("other.json", "[1, 2]"), "cannot read inputs");
    refused(
        &subject.patch("newer.json", "{\"format\": 999, \"callables\": [], \"inputs\": []}"),
        "format 999",
    );
}

#[test]
fn a_file_for_inputs_that_cannot_be_written_is_a_usage_error_before_anything_is_built() {
    let subject = Subject::leap();
    let folder = subject.folder().join("inputs.json");
    fs_err::create_dir(&folder).unwrap();
    for (file, why) in
        [(folder, "it is a folder"), (subject.folder().join("none/inputs.json"), "No such file")]
    {
        let ran = judge(&subject, FIX, &["--inputs-to", file.as_str()]).expect(1, &[file.as_str(), why]);
        assert!(!ran.stderr.contains("building"), "{}", ran.stderr);
    }
}

const REJECT_PATH: &str = "src/main/java/demo/Shelf.java";

/// A shelf whose `take` forgets to look whether there is enough.
fn shelf() -> Subject {
    let shelf = "package demo;

public class Shelf {
    private int items;

    public Shelf(int items) {
        this.items = items;
    }

    /** Takes some. @throws IllegalStateException if there are not enough */
    public void take(int count) {
        items -= count;
    }

    public int items() {
        return items;
    }
}
";
    let test = "package demo;

import static org.junit.Assert.*;
import org.junit.Test;

public class ShelfTest {
    @Test public void some() { Shelf shelf = new Shelf(5); shelf.take(2); assertEquals(3, shelf.items()); }
    @Test(expected = IllegalStateException.class) public void tooMany() { new Shelf(5).take(6); }
}
";
    Subject::with(&[(REJECT_PATH, shelf), ("src/test/java/demo/ShelfTest.java", test)])
}

fn shelf_fix(message: &str) -> String {
    format!(
        "--- a/{REJECT_PATH}
+++ b/{REJECT_PATH}
@@ -9,5 +9,6 @@
     /** Takes some. @throws IllegalStateException if there are not enough */
     public void take(int count) {{
+        if (count > items) throw new IllegalStateException({message});
         items -= count;
     }}
 "
    )
}

#[test]
fn another_wording_is_a_remark_and_counts_only_under_strict_rules() {
    let subject = shelf();
    let reference = subject.patch("reference.diff", shelf_fix("\"only \" + items"));
    let patch = subject.patch("judged.diff", shelf_fix("\"not enough: \" + items"));
    let more = ["--reference", &reference, "--budget", "1000inputs", "--format", "json"];
    let report = subject.judge(&patch, &more).expect(0, &[]).json();
    assert!(proofs(&report).is_empty());
    let remarks = report["patches"][0]["evidence"].as_array().unwrap();
    assert!(remarks.iter().any(|remark| remark["reason"] == "exception-message"), "{remarks:#?}");

    let strict: Vec<&str> = more.iter().copied().chain(["--strict"]).collect();
    let ran = subject.judge(&patch, &strict).expect(2, &[]);
    let report = ran.json();
    let [proof] = proofs(&report)[..] else { panic!("{report:#}") };
    assert_eq!(proof["witness"]["confirmed"], 3);
    let shown = format!("{}{}", proof["exhibit"]["expected"], proof["exhibit"]["actual"]);
    assert!(shown.contains("only ") && shown.contains("not enough: "), "{proof:#}");
}

/// A report without times and places.
fn plain(mut report: Value, out: &str) -> Value {
    fn strip(value: &mut Value, out: &str) {
        match value {
            Value::Object(fields) => {
                fields.remove("timings");
                fields.values_mut().for_each(|value| strip(value, out));
            }
            Value::Array(items) => items.iter_mut().for_each(|value| strip(value, out)),
            Value::String(text) => *text = text.replace(out, "OUT"),
            _ => {}
        }
    }
    strip(&mut report, out);
    report
}

#[test]
fn a_seed_and_a_number_of_inputs_make_two_runs_the_same_whatever_the_number_of_jobs() {
    let subject = Subject::leap();
    let reference = subject.patch("reference.diff", FIX);
    let patches: Vec<String> = [
        correct(),
        overfitting(),
        body("return year % 4 == 0 && year % 100 != 0;"),
        body("return year % 4 == 0 && (year % 100 != 0 || year % 1000 == 0);"),
        FIX.to_owned(),
    ]
    .iter()
    .zip(1..)
    .map(|(text, number)| subject.patch(&format!("{number}.diff"), text))
    .collect();
    let run = |name: &str, jobs: &str| {
        let out = subject.folder().join(name);
        let mut arguments = vec!["check", "--reference", &reference, "--out", out.as_str(), "--jobs", jobs];
        arguments.extend(["--budget", "1500inputs", "--seed", "42", "--format", "json"]);
        arguments.extend(patches.iter().flat_map(|patch| ["--patch", patch.as_str()]));
        plain(subject.run(&arguments).expect(0, &[]).json(), out.as_str())
    };
    let first = run("out-a", "1");
    let outcomes: Vec<&str> = first["patches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|patch| patch["verdict"]["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["unrefuted", "refuted", "refuted", "refuted", "unrefuted"]);
    assert_eq!(run("out-b", "1"), first);
    assert_eq!(run("out-c", "3"), first);
}

#[test]
fn ctrl_c_ends_a_search_at_once_and_the_run_can_be_resumed() {
    let subject = Subject::leap();
    let reference = subject.patch("reference.diff", FIX);
    let (done, open) = (subject.patch("done.diff", overfitting()), subject.patch("open.diff", correct()));
    let out = subject.folder().join("out");
    let arguments = ["check", "-p", &done, "-p", &open, "--reference", &reference, "--out", out.as_str()];
    let searching = [&arguments[..], &["--budget", "6s"]].concat();
    let child = subject
        .command(&searching)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let run = out.join("project-1");
    let lines = |file: &str, text: &str| {
        fs_err::read_to_string(run.join(file)).map_or(0, |read| read.matches(text).count())
    };
    // The first patch has started and finished, the second has started.
    let started = std::time::Instant::now();
    while lines("events.jsonl", "\"judge\"") < 3 {
        assert!(started.elapsed().as_secs() < 120, "the search does not begin");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::thread::sleep(std::time::Duration::from_secs(2));
    let pid = i32::try_from(child.id()).unwrap();
    let sent = std::time::Instant::now();
    // SAFETY: a signal to a child of ours.
    #[expect(unsafe_code, reason = "std cannot send signals")]
    unsafe {
        libc::kill(pid, libc::SIGINT);
    }
    let ran = Ran::from(child.wait_with_output().unwrap());
    ran.expect(130, &["interrupted", "--resume", "project-1"]);
    assert!(sent.elapsed().as_secs() < 3, "{:?}", sent.elapsed());
    assert_eq!(lines("results.jsonl", "\"digest\""), 1, "only the first patch has its outcome");

    let resumed = [&searching[..], &["--resume", "--format", "json"]].concat();
    let report = subject.run(&resumed).expect(0, &[]).json();
    assert_eq!(report["patches"][0]["verdict"]["outcome"], "refuted");
    assert_eq!(report["patches"][1]["verdict"]["outcome"], "unrefuted");
    let witness = report["patches"][0]["evidence"][0]["witness"]["folder"].as_str().unwrap();
    assert!(run.join(witness).join("witness.json").is_file());
}

#[test]
fn code_that_prints_exits_and_starts_threads_is_judged_all_the_same() {
    let path = "src/main/java/demo/Noisy.java";
    let noisy = "package demo;

public class Noisy {
    public static int half(int number) {
        System.out.println(\"half of \" + number);
        System.err.println(\"\\u0000\\u0001{}[]\");
        if (number < 0) System.exit(3);
        if (number == 0) Runtime.getRuntime().halt(0);
        Thread thread = new Thread(() -> { while (true) { System.out.print(\"still here\"); } });
        if (number % 50 == 1) thread.start();
        return number / 3;
    }
}
";
    let test = "package demo;

import static org.junit.Assert.*;
import org.junit.Test;

public class NoisyTest {
    @Test public void half() { assertEquals(5, Noisy.half(10)); }
    @Test public void none() { assertEquals(0, Noisy.half(2) / 2); }
}
";
    let subject = Subject::with(&[(path, noisy), ("src/test/java/demo/NoisyTest.java", test)]);
    let diff = |result: &str| {
        format!(
            "--- a/{path}\n+++ b/{path}\n@@ -10,4 +10,4 @@\n         if (number % 50 == 1) thread.start();\n\
             -        return number / 3;\n+        return {result};\n     }}\n }}\n"
        )
    };
    let reference = subject.patch("reference.diff", diff("number / 2"));
    let judged = |name: &str, result: &str, budget: &str| {
        subject.judge(&subject.patch(name, diff(result)), &["--reference", &reference, "--budget", budget])
    };
    judged("wrong.diff", "number == 10 ? 5 : number / 3", "500inputs").expect(2, &["REFUTED", "half("]);
    judged("right.diff", "number / 2 + 0", "150inputs").expect(0, &["UNREFUTED"]);
}
