//! Bad input and bad luck: each gets a message that names the place and the way out, and its documented exit code.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use support::{FIX, LEAP_PATH, Ran, Subject, TEST_PATH};

#[test]
fn a_subject_that_does_not_exist_is_a_usage_error() {
    let subject = Subject::leap();
    subject.run(&["check", "nowhere", "--patch", "x.diff"]).expect(1, &["nowhere does not exist"]);
    subject.run(&["check", LEAP_PATH]).expect(1, &["is a file"]);
}

#[test]
fn a_patch_file_that_does_not_exist_is_a_usage_error() {
    Subject::leap().check("missing.diff", &[]).expect(1, &["missing.diff"]);
}

#[test]
fn nothing_to_judge_is_a_usage_error_that_says_what_to_give() {
    Subject::leap().run(&["check"]).expect(1, &["--patch FILE", "--base REV --head REV"]);
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let subject = Subject::leap();
    subject.run(&["check", "--patches", "x"]).expect(1, &["--patch"]);
    subject.run(&["chek"]).expect(1, &["check"]);
    subject.run(&["check", "--base", "main"]).expect(1, &["--head"]);
    subject.run(&["check", "--sandbox=maybe"]).expect(1, &["off, best-effort, required"]);
}

#[test]
fn an_unknown_key_in_bonafix_toml_is_a_usage_error_with_its_line() {
    let subject = Subject::leap();
    subject.write("bonafix.toml", "[java]\nsource = [\"src\"]\n");
    subject
        .check(&subject.patch("fix.diff", FIX), &[])
        .expect(1, &["bonafix.toml:2: unknown key `source`; did you mean `sources`?"]);
}

#[test]
fn a_class_path_entry_that_is_not_there_names_its_key() {
    let subject = Subject::leap();
    subject.write("bonafix.toml", "[java]\nclasspath = [\"lib/*.jar\"]\n");
    subject.check(&subject.patch("fix.diff", FIX), &[]).expect(1, &["java.classpath", "lib/*.jar"]);
}

#[test]
fn revisions_outside_of_a_checkout_are_a_usage_error() {
    Subject::leap()
        .run(&["check", "--base", "main", "--head", "fix"])
        .expect(1, &["not in a git checkout", "--patch FILE"]);
}

#[test]
fn a_folder_without_any_source_is_a_usage_error() {
    let subject = Subject::with(&[("README.md", "nothing here\n")]);
    subject.check(&subject.patch("fix.diff", FIX), &[]).expect(1, &["is it the project's folder?"]);
}

/// Runs the program after `prepare` in a mount namespace of its own; `None` where the machine has none to give.
fn in_namespace(subject: &Subject, prepare: &str, patch: &str) -> Option<Ran> {
    let namespaces = ["--user", "--map-root-user", "--mount"];
    let shell = |script: &str| {
        #[expect(clippy::disallowed_methods, reason = "the test needs another view of the disk")]
        let mut command = std::process::Command::new("unshare");
        command.args(namespaces).args(["sh", "-c", script]).current_dir(subject.root());
        command.env("BONAFIX_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command.env_remove("JAVA_HOME").output().unwrap()
    };
    if !shell(prepare).status.success() {
        return None;
    }
    let program = env!("CARGO_BIN_EXE_bonafix");
    Some(shell(&format!("{prepare} && exec {program} check --patch {patch} --out ../out")).into())
}

#[test]
fn without_a_jdk_nothing_can_be_said_and_the_way_out_is_named() {
    let subject = Subject::leap();
    let patch = subject.patch("fix.diff", FIX);
    // Whatever is in these folders is out of sight, and with it what `javac` on the path points to.
    let prepare = "mount -t tmpfs none /usr/lib/jvm && export PATH=/nothing:/usr/bin:/bin";
    if let Some(ran) = in_namespace(&subject, prepare, &patch) {
        ran.expect(4, &["tool-missing", "JDK", "install"]);
    }
}

#[test]
fn a_configured_jdk_that_is_none_is_a_usage_error() {
    let subject = Subject::leap();
    subject.write("bonafix.toml", "[java]\njdk = \"no-jdk-here\"\n");
    subject.check(&subject.patch("fix.diff", FIX), &[]).expect(1, &["java.jdk", "no-jdk-here"]);
}

#[test]
fn a_buggy_version_that_does_not_compile_is_a_broken_baseline() {
    let subject = Subject::leap();
    subject.write("src/main/java/demo/Broken.java", "package demo;\nclass Broken { int x = ; }\n");
    subject
        .check(&subject.patch("fix.diff", FIX), &[])
        .expect(6, &["the buggy version does not build", "src/main/java/demo/Broken.java:2"]);
}

#[test]
fn a_project_without_tests_is_a_broken_baseline() {
    let subject = Subject::leap();
    fs_err::remove_file(subject.root().join(TEST_PATH)).unwrap();
    subject.check(&subject.patch("fix.diff", FIX), &[]).expect(6, &["no tests were found", "java.tests"]);
}

#[test]
fn a_failing_test_that_passes_on_buggy_is_a_broken_baseline() {
    let subject = Subject::leap();
    subject
        .check(&subject.patch("fix.diff", FIX), &["--failing", "demo.LeapTest#fourth"])
        .expect(6, &["demo.LeapTest#fourth should show the bug, and passes on the buggy version"]);
}

#[test]
fn a_failing_test_that_does_not_exist_is_a_usage_error_with_the_nearest_name() {
    let subject = Subject::leap();
    subject
        .check(&subject.patch("fix.diff", FIX), &["--failing", "demo.LeapTest#centry"])
        .expect(1, &["did you mean `demo.LeapTest#century`?"]);
}

#[test]
fn a_place_for_runs_that_cannot_be_written_is_a_usage_error_that_names_the_option() {
    let subject = Subject::leap();
    let file = subject.patch("a-file", "not a folder");
    let patch = subject.patch("fix.diff", FIX);
    let out = format!("{file}/runs");
    subject.run(&["check", "--patch", &patch, "--out", &out]).expect(1, &["--out", "a-file"]);
}

#[test]
fn a_full_disk_is_named_with_the_way_out() {
    let subject = Subject::leap();
    let patch = subject.patch("fix.diff", FIX);
    fs_err::create_dir(subject.folder().join("out")).unwrap();
    let prepare = "mount -t tmpfs -o size=16k none ../out";
    if let Some(ran) = in_namespace(&subject, prepare, &patch) {
        ran.expect(70, &["no space left", "--out"]);
    }
}

#[test]
fn a_closed_pipe_is_a_graceful_end() {
    let subject = Subject::leap();
    let mut child = subject
        .command(&["list"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    Ran::from(child.wait_with_output().unwrap()).expect(0, &[]);
}

#[test]
fn ctrl_c_ends_everything_and_says_how_to_go_on() {
    let subject = Subject::leap();
    subject.write(
        "src/test/java/demo/SlowTest.java",
        "package demo;\nimport org.junit.Test;\npublic class SlowTest {\n  @Test public void sleeps() throws Exception { Thread.sleep(600000); }\n}\n",
    );
    subject.write("bonafix.toml", "[tests]\nlimit_seconds = 500\n");
    let patch = subject.patch("fix.diff", FIX);
    let out = subject.folder().join("out");
    let child = subject
        .command(&["check", "--patch", &patch, "--out", out.as_str()])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let events = out.join("project-1/events.jsonl");
    let testing = || fs_err::read_to_string(&events).is_ok_and(|text| text.contains("\"baseline\""));
    while !testing() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::thread::sleep(std::time::Duration::from_secs(1));
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: a signal to a child of ours.
    #[expect(unsafe_code, reason = "std cannot send signals")]
    unsafe {
        libc::kill(pid, libc::SIGINT);
    }
    Ran::from(child.wait_with_output().unwrap()).expect(130, &["interrupted", "--resume", "project-1"]);
    let marker = subject.folder().to_string();
    assert!(!any_process_mentions(&marker), "a process of the run survived");
}

/// Does any process have `text` in its command line?
fn any_process_mentions(text: &str) -> bool {
    fs_err::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs_err::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    })
}

#[test]
fn a_run_can_be_resumed_and_another_one_is_refused() {
    let subject = Subject::leap();
    let patch = subject.patch("fix.diff", FIX);
    subject.check(&patch, &[]).expect(4, &[]);
    let again = subject.check(&patch, &["--resume"]).expect(4, &["project-1"]);
    assert!(!again.stderr.contains("building the patched version"), "{}", again.stderr);
    subject.write("src/main/java/demo/More.java", "package demo;\nclass More { }\n");
    subject.check(&patch, &["--resume"]).expect(1, &["the files of project have changed"]);
}

#[test]
fn the_subject_is_never_modified() {
    let subject = Subject::leap();
    let before = listing(&subject);
    subject.check(&subject.patch("fix.diff", FIX), &[]).expect(4, &[]);
    assert_eq!(listing(&subject), before);
}

fn listing(subject: &Subject) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = walkdir::WalkDir::new(subject.root())
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| (entry.path().display().to_string(), fs_err::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn help_shows_examples_for_every_subcommand() {
    let subject = Subject::leap();
    for command in [
        &["--help"][..],
        &["check", "--help"],
        &["doctor", "--help"],
        &["list", "--help"],
        &["explain", "--help"],
    ] {
        subject.run(command).expect(0, &["Examples:"]);
    }
    subject.run(&["completions", "bash"]).expect(0, &["_bonafix"]);
    subject.run(&["man"]).expect(0, &[".TH bonafix"]);
    subject.run(&["schema", "case.toml"]).expect(0, &["\"title\"", "failing"]);
    subject
        .run(&["list"])
        .expect(0, &["java", "maven", "cmake", "refuted", "rgt", "patch-sim", "new-failures"]);
}

#[test]
fn techniques_are_explained_by_name() {
    let subject = Subject::leap();
    let names = ["rgt", "patch-sim", "new-failures", "agreement", "ranking", "opad"];
    let overview = subject.run(&["explain"]).expect(0, &names);
    assert_eq!(overview.stdout.lines().count(), names.len() + 4, "{}", overview.stdout);
    for name in names {
        let page = subject.run(&["explain", name]).expect(0, &["WHEN IT ERRS"]);
        assert!(page.stdout.starts_with(name), "{}", page.stdout);
    }
    subject.run(&["explain", "patch-sin"]).expect(
        1,
        &[
            "patch-sin",
            "rgt, patch-sim, new-failures, agreement, ranking",
            "a similar value exists: 'patch-sim'",
        ],
    );
}

#[test]
fn doctor_names_what_is_there() {
    Subject::leap().run(&["doctor"]).expect(0, &["jdk", "mvn", "sandbox"]);
}
