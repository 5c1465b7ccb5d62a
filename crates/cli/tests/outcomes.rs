//! What becomes of patches, good and bad: message and exit code of each.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use support::{FIX, LEAP, LEAP_PATH, Subject, TEST_PATH};

/// A diff of `Leap` that replaces the body of the method.
fn body(new: &str) -> String {
    FIX.replace("return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);", new)
}

#[test]
fn a_plausible_patch_is_inconclusive_until_a_technique_has_judged_it() {
    let subject = Subject::leap();
    let ran = subject.check(&subject.patch("fix.diff", FIX), &["--format", "json"]).expect(4, &[]);
    let report = ran.json();
    let patch = &report["patches"][0];
    assert_eq!(patch["verdict"]["outcome"], "inconclusive");
    assert_eq!(patch["verdict"]["inconclusive"], "not-judged");
    assert_eq!(patch["plausibility"]["fixed"][0]["id"], "demo.LeapTest#century");
    assert_eq!(patch["delta"]["files"][0]["elements"][0]["name"], "demo.Leap#isLeap(int)");
    assert_eq!(report["baseline"]["tests"], 3);
    assert_eq!(report["format"], 1);
}

#[test]
fn several_patches_complete_with_0_and_each_has_its_outcome() {
    let subject = Subject::leap();
    let (good, bad) =
        (subject.patch("good.diff", FIX), subject.patch("bad.diff", body("return year % 4 == 1;")));
    let out = subject.folder().join("out");
    let ran = subject.run(&["check", "-p", &good, "-p", &bad, "--no-technique", "--out", out.as_str()]);
    ran.expect(0, &["INCONCLUSIVE", "INVALID", "2 patches: 1 inconclusive, 1 invalid"]);
}

#[test]
fn a_patch_from_standard_input_is_judged() {
    use std::io::Write;
    let subject = Subject::leap();
    let mut command = subject.command(&["check", "--patch", "-", "--no-technique", "--out", "../out"]);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(FIX.as_bytes()).unwrap();
    support::Ran::from(child.wait_with_output().unwrap()).expect(4, &["stdin", "not-judged"]);
}

#[test]
fn a_patch_that_does_not_apply_is_invalid_and_its_hunk_is_shown() {
    let subject = Subject::leap();
    let patch = subject
        .patch("fix.diff", FIX.replace("-        return year % 4 == 0;", "-        return year % 5 == 0;"));
    subject
        .check(&patch, &[])
        .expect(5, &["does-not-apply", "hunk 1 of 1", "return year % 5 == 0;", LEAP_PATH]);
}

#[test]
fn an_empty_diff_and_a_file_that_is_no_diff_are_invalid() {
    let subject = Subject::leap();
    subject.check(&subject.patch("empty.diff", ""), &[]).expect(5, &["the patch is empty", "git diff"]);
    subject.check(&subject.patch("readme.diff", "hello\n"), &[]).expect(5, &["no unified diff found"]);
}

#[test]
fn a_binary_patch_is_invalid_and_named() {
    let subject = Subject::leap();
    let patch = subject.patch(
        "binary.diff",
        "diff --git a/logo.png b/logo.png\nindex 123..456 100644\nBinary files a/logo.png and b/logo.png differ\n",
    );
    subject.check(&patch, &[]).expect(5, &["logo.png", "binary"]);
}

#[test]
fn a_patch_that_leads_out_of_the_project_is_invalid_and_writes_nothing() {
    let subject = Subject::leap();
    let patch = subject.patch("evil.diff", "--- /dev/null\n+++ b/../../evil.txt\n@@ -0,0 +1 @@\n+evil\n");
    subject.check(&patch, &[]).expect(5, &["leads out of the project"]);
    assert!(!subject.folder().join("evil.txt").exists());
}

#[test]
fn any_strip_level_foreign_prefixes_and_crlf_are_understood() {
    let subject = Subject::leap();
    let variants = [
        FIX.replace("a/src", "src").replace("b/src", "src"),
        FIX.replace("a/src", "/tmp/x/Leap_1_buggy/src").replace("b/src", "/tmp/x/Leap_1_fixed/src"),
        FIX.replace("a/src/main/java/demo/", "").replace("b/src/main/java/demo/", ""),
        FIX.replace('\n', "\r\n"),
    ];
    for (number, text) in variants.iter().enumerate() {
        subject.check(&subject.patch(&format!("{number}.diff"), text), &[]).expect(4, &["not-judged"]);
    }
}

#[test]
fn a_project_with_crlf_keeps_it_and_takes_a_patch_with_lf() {
    let subject = Subject::leap();
    subject.write(LEAP_PATH, LEAP.replace('\n', "\r\n"));
    subject.check(&subject.patch("fix.diff", FIX), &[]).expect(4, &["not-judged"]);
}

#[test]
fn a_patch_that_does_not_compile_is_invalid_with_file_and_line() {
    let subject = Subject::leap();
    let patch = subject.patch("broken.diff", body("return year % 4 == zero;"));
    subject.check(&patch, &[]).expect(5, &["does-not-build", "src/main/java/demo/Leap.java:6", "zero"]);
}

#[test]
fn a_patch_that_the_original_tests_no_longer_compile_with_is_invalid() {
    let subject = Subject::leap();
    let patch = subject.patch("rename.diff", FIX.replace(
        "     public static boolean isLeap(int year) {\n-",
        "-    public static boolean isLeap(int year) {\n+    public static boolean isLeapYear(int year) {\n-",
    ));
    subject.check(&patch, &[]).expect(5, &["breaks-test-build", TEST_PATH]);
}

#[test]
fn a_patch_that_does_not_fix_the_bug_is_invalid() {
    let subject = Subject::leap();
    let patch = subject.patch("nothing.diff", body("return year % 4 == 0 && year != 7;"));
    subject.check(&patch, &[]).expect(5, &["bug-still-shows", "demo.LeapTest#century"]);
}

#[test]
fn a_patch_that_breaks_another_test_is_invalid() {
    let subject = Subject::leap();
    let patch = subject.patch("never.diff", body("return false;"));
    subject.check(&patch, &[]).expect(5, &["breaks-tests", "demo.LeapTest#fourth"]);
}

#[test]
fn a_patch_that_makes_a_test_hang_costs_its_limit_and_is_invalid() {
    let subject = Subject::leap();
    let patch = subject.patch("hang.diff", body("while (year == 2024) { } return year == 2028;"));
    subject.check(&patch, &[]).expect(5, &["demo.LeapTest#fourth", "timed out"]);
}

#[test]
fn a_patch_that_exits_the_vm_in_a_test_is_invalid() {
    let subject = Subject::leap();
    let patch = subject.patch("exit.diff", body("if (year == 2024) System.exit(0); return year == 2028;"));
    subject.check(&patch, &[]).expect(5, &["demo.LeapTest#fourth", "crashed"]);
}

#[test]
fn a_patch_that_changes_only_tests_is_invalid() {
    let subject = Subject::leap();
    let patch = subject.patch(
        "weaken.diff",
        format!(
            "--- a/{TEST_PATH}\n+++ b/{TEST_PATH}\n@@ -8,4 +8,3 @@\n     @Test public void fourth() {{ assertTrue(Leap.isLeap(2024)); }}\n     @Test public void odd() {{ assertFalse(Leap.isLeap(2023)); }}\n-    @Test public void century() {{ assertFalse(Leap.isLeap(1900)); }}\n }}\n"
        ),
    );
    subject.check(&patch, &[]).expect(5, &["only-tests", TEST_PATH]);
}

#[test]
fn a_patch_that_weakens_the_tests_must_pass_the_original_ones() {
    let subject = Subject::leap();
    let weakened = format!(
        "{}--- a/{TEST_PATH}\n+++ b/{TEST_PATH}\n@@ -8,4 +8,3 @@\n     @Test public void fourth() {{ assertTrue(Leap.isLeap(2024)); }}\n     @Test public void odd() {{ assertFalse(Leap.isLeap(2023)); }}\n-    @Test public void century() {{ assertFalse(Leap.isLeap(1900)); }}\n }}\n",
        body("return year % 4 == 0 && year != 7;")
    );
    let patch = subject.patch("weaken.diff", weakened);
    subject.check(&patch, &[]).expect(5, &["bug-still-shows", "only the original tests count", TEST_PATH]);
}

#[test]
fn a_patch_of_comments_alone_does_not_fix_anything() {
    let subject = Subject::leap();
    let patch = subject.patch("comment.diff", body("return year % 4 == 0; // leap"));
    let ran = subject.check(&patch, &["--format", "json"]).expect(5, &[]);
    assert!(ran.json()["patches"][0]["delta"]["files"][0].get("elements").is_none());
}

#[test]
fn a_reference_tells_which_red_tests_belong_to_the_bug() {
    let subject = Subject::leap();
    subject.write(
        "src/test/java/demo/EnvTest.java",
        "package demo;\nimport org.junit.Test;\npublic class EnvTest {\n  @Test public void needsNetwork() { throw new IllegalStateException(\"no network\"); }\n}\n",
    );
    let (fix, reference) = (subject.patch("fix.diff", FIX), subject.patch("reference.diff", FIX));
    let ran = subject.check(&fix, &["--reference", &reference, "--format", "json"]).expect(4, &[]);
    assert_eq!(ran.json()["baseline"]["red_on_reference"][0], "demo.EnvTest#needsNetwork");
}

#[test]
fn a_reference_that_fixes_nothing_is_a_broken_baseline() {
    let subject = Subject::leap();
    let reference = subject.patch("reference.diff", body("return year % 4 == 0 && year != 7;"));
    let fix = subject.patch("fix.diff", FIX);
    subject.check(&fix, &["--reference", &reference]).expect(6, &["reference", "does not fix the bug"]);
}

#[test]
fn a_flaky_test_is_set_aside_by_name() {
    let subject = Subject::leap();
    subject.write(
        "src/test/java/demo/AFirstTest.java",
        "package demo;\nimport org.junit.Test;\npublic class AFirstTest {\n  @Test public void leavesTraces() { System.setProperty(\"trace\", \"x\"); }\n}\n",
    );
    // Red among the others, green alone.
    subject.write(
        "src/test/java/demo/FlakyTest.java",
        "package demo;\nimport org.junit.*;\npublic class FlakyTest {\n  @Test public void wavers() { Assert.assertNull(System.getProperty(\"trace\")); }\n}\n",
    );
    let ran = subject.check(&subject.patch("fix.diff", FIX), &["--format", "json"]).expect(4, &[]);
    assert_eq!(ran.json()["baseline"]["flaky"][0], "demo.FlakyTest#wavers");
}

#[test]
fn tests_that_the_patch_brings_can_show_the_bug_where_the_original_ones_do_not() {
    let subject = Subject::leap();
    let test = fs_err::read_to_string(subject.root().join(TEST_PATH)).unwrap();
    let century = "    @Test public void century() { assertFalse(Leap.isLeap(1900)); }\n";
    subject.write(TEST_PATH, test.replace(century, ""));
    let with_test = format!(
        "{FIX}--- a/{TEST_PATH}\n+++ b/{TEST_PATH}\n@@ -8,3 +8,4 @@\n     @Test public void fourth() {{ assertTrue(Leap.isLeap(2024)); }}\n     @Test public void odd() {{ assertFalse(Leap.isLeap(2023)); }}\n+{century} }}\n"
    );
    let ran = subject.check(&subject.patch("fix.diff", with_test), &["--format", "json"]).expect(4, &[]);
    assert_eq!(ran.json()["patches"][0]["plausibility"]["fixed"][0]["origin"], "patch");
    subject.check(&subject.patch("bare.diff", FIX), &[]).expect(6, &["no test shows the bug"]);
}

#[test]
fn a_slow_fix_of_a_test_that_failed_early_has_the_whole_limit() {
    let subject = Subject::leap();
    let slow = body(
        "try { Thread.sleep(year == 1900 ? 6500 : 0); } catch (InterruptedException e) { } return year % 4 == 0 && year != 1900;",
    );
    subject.check(&subject.patch("slow.diff", slow), &[]).expect(4, &["not-judged"]);
}

#[test]
fn a_red_test_of_other_causes_does_not_hide_a_fix_with_a_test_of_its_own() {
    let subject = Subject::leap();
    let test = fs_err::read_to_string(subject.root().join(TEST_PATH)).unwrap();
    let century = "    @Test public void century() { assertFalse(Leap.isLeap(1900)); }\n";
    subject.write(TEST_PATH, test.replace(century, ""));
    subject.write(
        "src/test/java/demo/NetTest.java",
        "package demo;\nimport org.junit.Test;\npublic class NetTest {\n  @Test public void resolves() throws Exception { java.net.InetAddress.getByName(\"example.org\"); }\n}\n",
    );
    let with_test = format!(
        "{FIX}--- a/{TEST_PATH}\n+++ b/{TEST_PATH}\n@@ -8,3 +8,4 @@\n     @Test public void fourth() {{ assertTrue(Leap.isLeap(2024)); }}\n     @Test public void odd() {{ assertFalse(Leap.isLeap(2023)); }}\n+{century} }}\n"
    );
    subject.check(&subject.patch("fix.diff", with_test), &[]).expect(4, &["not-judged", "NetTest#resolves"]);
}

#[test]
fn what_was_seen_without_a_sandbox_says_nothing_about_a_run_with_one() {
    let subject = Subject::leap();
    let place = subject.folder().join("outside.txt");
    subject.write(
        "src/test/java/demo/WritesTest.java",
        format!("package demo;\nimport org.junit.Test;\npublic class WritesTest {{\n  @Test public void outside() throws Exception {{ new java.io.FileWriter(\"{place}\").close(); }}\n}}\n"),
    );
    let patch = subject.patch("fix.diff", FIX);
    subject.check(&patch, &["--sandbox=off"]).expect(4, &["not-judged"]);
    subject.check(&patch, &[]).expect(4, &["not-judged"]);
}
