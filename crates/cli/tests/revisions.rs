//! `--base` and `--head` in a git checkout, and `--base` alone.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use std::process::{Command, Stdio};

use support::{FIX, LEAP, LEAP_PATH, Subject, TEST_PATH};

fn git(subject: &Subject, arguments: &[&str]) {
    assert!(git_may_fail(subject, arguments), "git {arguments:?}");
}

#[expect(clippy::disallowed_methods, reason = "the fixture is a git repository")]
fn git_may_fail(subject: &Subject, arguments: &[&str]) -> bool {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(subject.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    done.success()
}

/// A repository with `main`, a branch `fix` and a branch `reference`.
fn repository() -> Subject {
    let subject = Subject::leap();
    git(&subject, &["init"]);
    git(&subject, &["add", "-A"]);
    git(&subject, &["commit", "-m", "buggy"]);
    for (branch, condition) in [
        ("fix", "year % 4 == 0 && year != 1900"),
        ("reference", "year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)"),
    ] {
        git(&subject, &["checkout", "-b", branch, "main"]);
        subject.write(LEAP_PATH, LEAP.replace("year % 4 == 0", condition));
        git(&subject, &["commit", "-am", branch]);
    }
    git(&subject, &["checkout", "main"]);
    subject
}

#[test]
fn a_branch_is_judged_against_its_base_with_a_reference() {
    let subject = repository();
    let ran = subject.run(&[
        "check",
        "--base",
        "main",
        "--head",
        "fix",
        "--reference",
        "reference",
        "--out",
        "../out",
        "--budget",
        "2000inputs",
        "--format",
        "json",
    ]);
    let report = ran.expect(2, &[]).json();
    assert_eq!(report["patches"][0]["name"], "main..fix");
    assert_eq!(report["patches"][0]["plausibility"]["fixed"][0]["id"], "demo.LeapTest#century");
}

#[test]
fn what_lies_in_the_work_tree_does_not_matter_and_stays() {
    let subject = repository();
    subject.write(LEAP_PATH, "not java at all");
    subject
        .run(&["check", "--base", "main", "--head", "fix", "--no-technique", "--out", "../out"])
        .expect(4, &["main..fix"]);
    assert_eq!(fs_err::read_to_string(subject.root().join(LEAP_PATH)).unwrap(), "not java at all");
}

#[test]
fn a_base_that_has_moved_on_is_replaced_by_the_common_ancestor() {
    let subject = repository();
    subject.write("NEWS", "main moves on\n");
    git(&subject, &["add", "-A"]);
    git(&subject, &["commit", "-m", "news"]);
    subject
        .run(&["check", "--base", "main", "--head", "fix", "--no-technique", "--out", "../out"])
        .expect(4, &["common ancestor", "main..fix"]);
}

#[test]
fn an_unknown_revision_is_a_usage_error_that_names_the_option() {
    let subject = repository();
    subject
        .run(&["check", "--base", "main", "--head", "nope", "--no-technique", "--out", "../out"])
        .expect(1, &["--head nope"]);
}

#[test]
fn equal_revisions_leave_nothing_to_judge() {
    let subject = repository();
    subject
        .run(&["check", "--base", "main", "--head", "main", "--no-technique", "--out", "../out"])
        .expect(1, &["nothing differs"]);
}

const RIGHT: &str = "year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)";

#[test]
fn the_work_tree_is_judged_with_its_changed_its_deleted_and_its_new_files() {
    let subject = repository();
    subject.write("src/main/java/demo/Unused.java", "package demo;\n\nclass Unused {}\n");
    git(&subject, &["add", "-A"]);
    git(&subject, &["commit", "-m", "unused"]);
    subject.write(".gitignore", "*.log\n");
    subject.write("build.log", "ignored\n");
    subject.write("target/classes/demo/Leap.class", "build output\n");
    subject.write(LEAP_PATH, LEAP.replace("year % 4 == 0", "Rule.holds(year)"));
    let rule = format!(
        "package demo;\n\nclass Rule {{\n    static boolean holds(int year) {{ return {RIGHT}; }}\n}}\n"
    );
    subject.write("src/main/java/demo/Rule.java", &rule);
    fs_err::remove_file(subject.root().join("src/main/java/demo/Unused.java")).unwrap();
    fs_err::os::unix::fs::symlink("Leap.java", subject.root().join("src/main/java/demo/Link.java")).unwrap();

    let ran =
        subject.run(&["check", "--base", "HEAD", "--no-technique", "--out", "../out", "--format", "json"]);
    let report = ran.expect(4, &[]).json();
    let patch = &report["patches"][0];
    assert_eq!(patch["name"], "HEAD..work tree");
    assert_eq!(patch["plausibility"]["fixed"][0]["id"], "demo.LeapTest#century");
    let files = patch["delta"]["files"].as_array().unwrap();
    let files: Vec<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    for name in ["Leap", "Rule", "Unused"] {
        assert!(files.contains(&format!("src/main/java/demo/{name}.java").as_str()), "{files:?}");
    }
    assert!(!files.iter().any(|file| file.contains("target") || file.contains("log")), "{files:?}");
    let notices = report["notices"].to_string();
    assert!(notices.contains("the work tree: src/main/java/demo/Link.java, target/"), "{notices}");
    assert_eq!(fs_err::read_to_string(subject.root().join("src/main/java/demo/Rule.java")).unwrap(), rule);
}

#[test]
fn changes_that_are_only_staged_count_and_the_index_stays_as_it_is() {
    let subject = repository();
    subject.write(LEAP_PATH, LEAP.replace("year % 4 == 0", RIGHT));
    git(&subject, &["add", "-A"]);
    let index = || fs_err::read(subject.root().join(".git/index")).unwrap();
    let before = index();
    subject
        .run(&["check", "--base", "main", "--no-technique", "--out", "../out"])
        .expect(4, &["main..work tree"]);
    assert!(before == index());
}

#[test]
fn an_unchanged_work_tree_leaves_nothing_to_judge() {
    let subject = repository();
    subject
        .run(&["check", "--base", "HEAD", "--no-technique", "--out", "../out"])
        .expect(1, &["nothing differs", "work tree"]);
}

#[test]
fn what_was_only_touched_or_taken_out_of_the_index_is_as_it_was() {
    let subject = repository();
    git(&subject, &["rm", "--cached", LEAP_PATH]);
    fs_err::write(subject.root().join(TEST_PATH), fs_err::read(subject.root().join(TEST_PATH)).unwrap())
        .unwrap();
    subject
        .run(&["check", "--base", "HEAD", "--no-technique", "--out", "../out"])
        .expect(1, &["nothing differs"]);
}

#[test]
fn in_a_folder_of_the_checkout_only_what_lies_in_it_counts() {
    let subject = repository();
    subject.write(LEAP_PATH, LEAP.replace("year % 4 == 0", RIGHT));
    subject.write("docs/NEWS", "fixed\n");
    subject
        .run(&["check", "docs", "--base", "HEAD", "--out", "../out"])
        .expect(1, &["docs does not exist at"]);
    subject
        .run(&["check", "src/main", "--base", "HEAD", "--out", "../out"])
        .expect(6, &["left out of the change to the work tree: docs/NEWS"]);
}

#[test]
fn settings_that_are_new_in_the_work_tree_hold_and_are_no_part_of_the_fix() {
    let subject = repository();
    subject.write("bonafix.toml", "failing = [\"demo.LeapTest#century\"]\n");
    subject
        .run(&["check", "--base", "HEAD", "--no-technique", "--out", "../out"])
        .expect(1, &["nothing differs"]);
    subject.write(LEAP_PATH, LEAP.replace("year % 4 == 0", RIGHT));
    subject
        .run(&["check", "--base", "HEAD", "--no-technique", "--out", "../out"])
        .expect(4, &["bonafix.toml is new"]);
    subject.write("bonafix.toml", "failing = [\"demo.LeapTest#odd\"]\n");
    subject
        .run(&["check", "--base", "HEAD", "--no-technique", "--out", "../out"])
        .expect(6, &["LeapTest#odd"]);
}

#[test]
fn a_merge_with_conflicts_is_a_usage_error_that_names_the_file() {
    let subject = repository();
    git(&subject, &["checkout", "fix"]);
    git_may_fail(&subject, &["merge", "reference"]);
    subject
        .run(&["check", "--base", "main", "--no-technique", "--out", "../out"])
        .expect(1, &[LEAP_PATH, "conflicts", "--head REV"]);
}

#[test]
fn a_diff_of_the_work_tree_that_holds_it_already_is_pointed_to_the_base() {
    let subject = repository();
    subject.write(LEAP_PATH, LEAP.replace("year % 4 == 0", RIGHT));
    subject.check(&subject.patch("fix.diff", FIX), &[]).expect(5, &["`bonafix check --base HEAD` judges"]);
}

#[test]
fn a_head_without_a_base_is_a_usage_error() {
    repository().run(&["check", "--head", "fix"]).expect(1, &["--base"]);
}
