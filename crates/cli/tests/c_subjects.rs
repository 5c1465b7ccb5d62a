//! C projects up to the honest baseline: the bundled cases, and what becomes of patches, good and bad.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use support::{Ran, Subject};

fn cases() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/c").canonicalize_utf8().unwrap()
}

/// Everything that must hold of a case before any technique judges its patches.
fn check_case(name: &str) {
    let folder = cases().join(name);
    let described: toml::Table = fs_err::read_to_string(folder.join("case.toml")).unwrap().parse().unwrap();
    let failing: BTreeSet<&str> =
        described["failing"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let subject = Subject::with(&[]);
    let out = subject.folder().join("out");
    let arguments = ["check", folder.as_str(), "--no-technique", "--format", "json", "--out", out.as_str()];
    let report = subject.run(&arguments).expect(0, &[]).json();

    let ids = |list: &serde_json::Value| -> BTreeSet<String> {
        list.as_array().into_iter().flatten().map(|test| test["id"].as_str().unwrap().to_owned()).collect()
    };
    let red = ids(&report["baseline"]["red"]);
    assert_eq!(red.iter().map(String::as_str).collect::<BTreeSet<_>>(), failing, "red on the buggy version");
    assert!(report["baseline"]["flaky"].as_array().unwrap().is_empty());
    assert!(report["baseline"]["red_on_reference"].as_array().is_none_or(Vec::is_empty));

    let patches = report["patches"].as_array().unwrap();
    assert_eq!(patches.len(), described["patch"].as_array().unwrap().len());
    for patch in patches {
        let name = &patch["name"];
        assert_eq!(patch["verdict"]["inconclusive"], "not-judged", "{name}: {}", patch["verdict"]);
        assert_eq!(ids(&patch["plausibility"]["fixed"]), red, "{name}");
        assert_eq!(patch["plausibility"]["passed"], report["baseline"]["tests"], "{name}");
        let file = &patch["delta"]["files"][0];
        assert!(file["problem"].is_null(), "{name}: {file}");
        assert!(!file["elements"].as_array().unwrap().is_empty(), "{name}");
    }
}

macro_rules! cases {
    ($($function:ident $name:literal),* $(,)?) => {
        $(#[test] fn $function() { check_case($name); })*

        #[test]
        fn every_case_is_checked() {
            let folders = cases().read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned());
            assert_eq!(folders.collect::<BTreeSet<_>>(), BTreeSet::from([$($name.to_owned()),*]));
        }
    };
}

cases! {
    ar_list "ar-list",
    ini_reader "ini-reader",
    job_queue "job-queue",
    line_editor "line-editor",
    pgm_info "pgm-info",
    route_table "route-table",
    sensor_stats "sensor-stats",
    size_budget "size-budget",
    tab_expand "tab-expand",
}

const ABS: &str = r#"#include <stdio.h>

static int absolute(int x)
{
    return x;
}

int main(void)
{
    int x;
    while (scanf("%d", &x) == 1)
        printf("%d\n", absolute(x));
    return 0;
}
"#;
const CONFIG: &str = "language = 'c'\n[c.tests]\ninput = 'tests/*.in'\noutput = 'tests/*.out'\n";

/// A program whose test of negative numbers is red.
fn abs() -> Subject {
    Subject::with(&[
        ("bonafix.toml", CONFIG),
        ("abs.c", ABS),
        ("tests/positive.in", "5 0\n"),
        ("tests/positive.out", "5\n0\n"),
        ("tests/negative.in", "-5\n"),
        ("tests/negative.out", "5\n"),
    ])
}

/// Judges a patch that puts other words in place of `return x;`.
fn judge(subject: &Subject, body: &str) -> Ran {
    let diff = format!(
        "--- a/abs.c\n+++ b/abs.c\n@@ -2,5 +2,5 @@\n \n static int absolute(int x)\n {{\n-    return x;\n+    {body}\n }}\n"
    );
    subject.check(&subject.patch("fix.diff", diff), &[])
}

#[test]
fn a_good_patch_is_plausible_and_its_change_is_named() {
    judge(&abs(), "return x < 0 ? -x : x;")
        .expect(4, &["not-judged", "fixes      negative", "absolute", "c, files"]);
}

/// A patch of `absolute` and a trusted fix of it, judged within so many inputs.
fn judge_by_reference(subject: &Subject, body: &str, more: &[&str]) -> Ran {
    let diff = |body: &str| {
        format!(
            "--- a/abs.c\n+++ b/abs.c\n@@ -2,5 +2,5 @@\n \n static int absolute(int x)\n {{\n-    return x;\n+    {body}\n }}\n"
        )
    };
    let reference = subject.patch("reference.diff", diff("return x < 0 ? -(unsigned)x : x;"));
    let mut arguments = vec!["--reference", &reference, "--budget", "100inputs"];
    arguments.extend(more);
    subject.judge(&subject.patch("fix.diff", diff(body)), &arguments)
}

#[test]
fn a_patch_that_prints_something_wrong_is_refuted_by_a_witness_that_can_be_replayed() {
    let subject = abs();
    let report =
        judge_by_reference(&subject, "return x < 0 ? 5 : x;", &["--format", "json"]).expect(2, &[]).json();
    let proof = &report["patches"][0]["evidence"][0];
    assert_eq!(
        (&proof["technique"], &proof["exhibit"]["class"]),
        (&"rgt".into(), &"assert".into()),
        "{proof}"
    );
    let run = subject.folder().join("out/latest");
    let folder = run.join(proof["witness"]["folder"].as_str().unwrap());
    for file in ["input", "run.sh", "README.md", "witness.json", "project/abs.c", "changes/patched/abs.c"] {
        assert!(folder.join(file).is_file(), "{folder}/{file}");
    }
    let texts = ["HOLDS", "passed 3 of 3 times", "passed 0 of 3 times", "line 1 of standard output"];
    subject.run(&["replay", folder.as_str()]).expect(0, &texts);
}

#[test]
fn a_right_patch_is_not_refuted_and_what_was_tried_is_told() {
    judge_by_reference(&abs(), "if (x < 0) return -(unsigned)x; return x;", &[])
        .expect(0, &["UNREFUTED", "none shows", "rgt: 100 inputs", "opad: 100 inputs", "exercised"]);
}

#[test]
fn a_technique_that_cannot_judge_programs_is_refused() {
    judge_by_reference(&abs(), "return -x;", &["--technique", "agreement"])
        .expect(1, &["agreement cannot judge such programs", "rgt, opad and patch-sim"]);
}

#[test]
fn executions_of_programs_are_compared_statement_by_statement() {
    let more = ["--technique", "patch-sim", "--format", "json"];
    let body = "if (x < 0)\n+        x = -x;\n+    return x;";
    let diff = format!(
        "--- a/abs.c\n+++ b/abs.c\n@@ -2,5 +2,7 @@\n \n static int absolute(int x)\n {{\n-    return x;\n+    {body}\n }}\n"
    );
    let subject = abs();
    let mut arguments = vec!["--budget", "100inputs"];
    arguments.extend(more);
    let report = subject.judge(&subject.patch("fix.diff", diff), &arguments).expect(0, &[]).json();
    let similarity = &report["patches"][0]["similarity"];
    let tests = similarity["tests"].as_array().unwrap();
    let of = |name: &str| tests.iter().find(|test| test["name"] == name).unwrap();
    // The `if` is a line that both run, and the line behind it is run with negative numbers only.
    assert_eq!(of("positive")["class"], "passing");
    assert_eq!(of("negative")["class"], "failing");
    let change = |name: &str| of(name)["change"]["value"].as_f64().unwrap();
    assert!(change("negative") > change("positive"), "{similarity:#}");
    assert!(tests.iter().any(|test| test["origin"] == "generated"), "{similarity:#}");
    assert_eq!(report["patches"][0]["efforts"][0]["technique"], "patch-sim");
}

#[test]
fn a_patch_that_does_not_compile_is_invalid_with_file_and_line() {
    judge(&abs(), "return y;").expect(5, &["does-not-build", "abs.c:5", "'y'"]);
}

#[test]
fn a_patch_that_breaks_or_crashes_a_test_or_fixes_nothing_is_invalid() {
    judge(&abs(), "return -x;").expect(5, &["breaks-tests", "positive"]);
    judge(&abs(), "return x < 0 ? -x : *(volatile int *)0;").expect(5, &["positive", "SIGSEGV"]);
    judge(&abs(), "return x;;").expect(5, &["bug-still-shows", "negative"]);
}

#[test]
fn a_patch_of_tests_is_reported_and_the_original_ones_count() {
    let subject = abs();
    let diff = "--- a/tests/negative.out\n+++ b/tests/negative.out\n@@ -1 +1 @@\n-5\n+-5\n";
    subject.check(&subject.patch("weak.diff", diff), &[]).expect(5, &["only-tests", "tests/negative.out"]);
}

#[test]
fn a_bug_that_no_test_shows_and_a_project_without_tests_are_broken_baselines() {
    let subject = abs();
    subject.write("tests/negative.out", "-5\n");
    judge(&subject, "return -x;").expect(5, &["breaks-tests"]);
    judge(&subject, "return x + 0;").expect(6, &["no test shows the bug"]);
    subject.write("bonafix.toml", "language = 'c'\n");
    judge(&subject, "return -x;").expect(6, &["no tests were found", "c.tests.input"]);
}

#[test]
fn a_buggy_version_that_does_not_build_is_a_broken_baseline() {
    let subject = abs();
    subject.write("abs.c", ABS.replace("int x;", "int y;"));
    judge(&subject, "return -x;").expect(6, &["the buggy version does not build", "abs.c:11"]);
}

#[test]
fn a_wrong_key_or_value_is_told_with_file_and_key() {
    let subject = abs();
    subject.write("bonafix.toml", "[c.tests]\ninptu = 'x'\n");
    judge(&subject, "return -x;").expect(1, &["bonafix.toml:2", "did you mean `input`?"]);
    subject.write("bonafix.toml", "[c.tests]\ninput = 'tests/a.in'\n");
    judge(&subject, "return -x;").expect(1, &["c.tests.input", "exactly one `*`"]);
    subject.write("bonafix.toml", "[c]\ncompiler = 'no-such-cc'\n");
    judge(&subject, "return -x;").expect(1, &["c.compiler", "no-such-cc"]);
}

#[test]
fn without_a_compiler_nothing_can_be_said_and_the_way_out_is_told() {
    let subject = abs();
    let patch =
        subject.patch("fix.diff", "--- a/abs.c\n+++ b/abs.c\n@@ -5 +5 @@\n-    return x;\n+    return -x;\n");
    let mut command = subject.command(&["check", "--patch", &patch, "--out", "../out"]);
    let ran: Ran = command.env("PATH", subject.root()).output().unwrap().into();
    ran.expect(4, &["tool-missing", "a C compiler", "apt install clang", "c.compiler"]);
}
