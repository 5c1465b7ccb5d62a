//! `--base` and `--head` in a git checkout.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use std::process::{Command, Stdio};

use support::{LEAP, LEAP_PATH, Subject};

#[expect(clippy::disallowed_methods, reason = "the fixture is a git repository")]
fn git(subject: &Subject, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(subject.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(done.success(), "git {arguments:?}");
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
        "--format",
        "json",
    ]);
    let report = ran.expect(4, &[]).json();
    assert_eq!(report["patches"][0]["name"], "main..fix");
    assert_eq!(report["patches"][0]["plausibility"]["fixed"][0]["id"], "demo.LeapTest#century");
}

#[test]
fn what_lies_in_the_work_tree_does_not_matter_and_stays() {
    let subject = repository();
    subject.write(LEAP_PATH, "not java at all");
    subject.run(&["check", "--base", "main", "--head", "fix", "--out", "../out"]).expect(4, &["main..fix"]);
    assert_eq!(fs_err::read_to_string(subject.root().join(LEAP_PATH)).unwrap(), "not java at all");
}

#[test]
fn a_base_that_has_moved_on_is_replaced_by_the_common_ancestor() {
    let subject = repository();
    subject.write("NEWS", "main moves on\n");
    git(&subject, &["add", "-A"]);
    git(&subject, &["commit", "-m", "news"]);
    subject
        .run(&["check", "--base", "main", "--head", "fix", "--out", "../out"])
        .expect(4, &["common ancestor", "main..fix"]);
}

#[test]
fn an_unknown_revision_is_a_usage_error_that_names_the_option() {
    let subject = repository();
    subject
        .run(&["check", "--base", "main", "--head", "nope", "--out", "../out"])
        .expect(1, &["--head nope"]);
}

#[test]
fn equal_revisions_leave_nothing_to_judge() {
    let subject = repository();
    subject
        .run(&["check", "--base", "main", "--head", "main", "--out", "../out"])
        .expect(1, &["nothing differs"]);
}
