//! Every outcome that a JUnit 3, 4 or 5 test can have, on the fixtures of `runtime/java/testdata`.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{Project, TestPlan};
use bonafix_lang_java::JavaProject;
use bonafix_model::{
    JavaBuild, JavaConfig, TestId, TestOutcome, TestRun, TestSelection, TestsConfig, TreeChange,
};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

fn testdata() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/java/testdata")
}

/// An opened project and the folder that it lies in.
struct Opened {
    project: JavaProject,
    _folder: tempfile::TempDir,
}

fn open(framework: &str, dependencies: &[&str], change: impl FnOnce(&mut JavaConfig)) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    bonafix_store::copy_tree(&testdata().join(framework), &root.join("src/test/java"), &|_| false).unwrap();
    let cache = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let cache = Arc::new(Cache::open(&cache).unwrap());
    let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
    let mut config = JavaConfig {
        build: Some(JavaBuild::Plain),
        tests: vec!["src/test/java".into()],
        release: Some(8),
        dependencies: dependencies.iter().map(|text| (*text).to_owned()).collect(),
        jvm_options: vec!["-Xmx128m".to_owned()],
        ..JavaConfig::default()
    };
    change(&mut config);
    let project = JavaProject::open(root, &config, &TestsConfig::default(), cache, launcher).unwrap();
    project.build(&TreeChange::default(), &log(framework)).unwrap();
    Opened { project, _folder: folder }
}

fn log(name: &str) -> Utf8PathBuf {
    Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("junit-{name}.log"))
}

fn run(opened: &Opened, name: &str, selection: TestSelection) -> TestRun {
    let plan = TestPlan::new(selection, Duration::from_secs(3));
    opened.project.run_tests(&TreeChange::default(), &plan, &log(name), &mut |_, _| {}).unwrap()
}

fn outcomes(run: &TestRun) -> BTreeMap<String, TestOutcome> {
    run.results.iter().map(|result| (result.id.0.replace('\n', "\\n"), result.outcome)).collect()
}

/// What the list beside the fixtures says of one framework.
fn expected(framework: &str) -> BTreeMap<String, TestOutcome> {
    let text = fs_err::read_to_string(testdata().join("expected.txt")).unwrap();
    text.lines()
        .filter(|line| line.starts_with(&format!("fixtures.{framework}.")))
        .map(|line| {
            let (id, outcome) = line.rsplit_once(' ').unwrap();
            let outcome = match outcome {
                "passed" => TestOutcome::Passed,
                "failed" => TestOutcome::Failed,
                "error" => TestOutcome::Error,
                "skipped" => TestOutcome::Skipped,
                "timed-out" => TestOutcome::TimedOut,
                "crashed" => TestOutcome::Crashed,
                other => panic!("{other}"),
            };
            (id.to_owned(), outcome)
        })
        .collect()
}

fn check(framework: &str, dependency: &str) {
    let project = open(framework, &[dependency], |_| {});
    let run = run(&project, framework, TestSelection::all());
    let (actual, expected) = (outcomes(&run), expected(framework));
    let wrong: Vec<_> = expected
        .iter()
        .filter(|(id, outcome)| actual.get(*id) != Some(outcome))
        .map(|(id, outcome)| format!("{id}: {outcome:?} expected, {:?} seen", actual.get(id)))
        .chain(actual.keys().filter(|id| !expected.contains_key(*id)).map(|id| format!("{id}: not expected")))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{:#?}", run.problems);
}

#[test]
fn junit_3_tests_end_as_they_should() {
    check("junit3", "junit:junit:3.8.1");
}

#[test]
fn junit_3_tests_end_the_same_under_junit_4() {
    check("junit3", "junit:junit:4.13.2");
}

#[test]
fn junit_4_tests_end_as_they_should() {
    check("junit4", "junit:junit:4.13.2");
}

#[test]
fn junit_5_tests_end_as_they_should() {
    check("junit5", "org.junit.jupiter:junit-jupiter:5.10.2");
}

#[test]
fn a_few_tests_can_be_run_without_the_rest_of_their_suite() {
    let project = open("junit4", &["junit:junit:4.13.2"], |_| {});
    let ids = ["fixtures.junit4.BasicTest#passes", "fixtures.junit4.ParameterizedTest#isSmall[2]"];
    let selection = TestSelection::Only(ids.iter().map(|id| TestId((*id).to_owned())).collect());
    let run = run(&project, "few", selection);
    assert_eq!(outcomes(&run).keys().collect::<Vec<_>>(), ids.iter().collect::<Vec<_>>());
}

#[test]
fn patterns_choose_and_leave_out_tests() {
    let project = open("junit4", &["junit:junit:4.13.2"], |_| {});
    let selection = TestSelection::Matching {
        only: vec!["fixtures.junit4.BasicTest".to_owned(), "*CategoriesTest#*low".to_owned()],
        ignore: vec![
            "*#recursesForEver".to_owned(),
            "fixtures.junit4.BasicTest#exceedsItsOwnTimeout".to_owned(),
        ],
    };
    let names: Vec<String> = outcomes(&run(&project, "patterns", selection)).into_keys().collect();
    assert!(names.contains(&"fixtures.junit4.BasicTest#passes".to_owned()));
    assert!(names.contains(&"fixtures.junit4.CategoriesTest#slow".to_owned()));
    assert!(!names.contains(&"fixtures.junit4.CategoriesTest#plain".to_owned()));
    assert!(!names.contains(&"fixtures.junit4.BasicTest#recursesForEver".to_owned()));
}

#[test]
fn categories_and_tags_are_left_out_as_configured() {
    let excluded = |framework: &str, dependency: &str, class: &str, group: &str| {
        let project =
            open(framework, &[dependency], |config| config.excluded_groups = vec![group.to_owned()]);
        let selection = TestSelection::Only(vec![TestId(class.to_owned())]);
        let run = run(&project, &format!("groups-{framework}"), selection);
        outcomes(&run).into_keys().collect::<Vec<_>>()
    };
    let four = excluded(
        "junit4",
        "junit:junit:4.13.2",
        "fixtures.junit4.CategoriesTest",
        "fixtures.junit4.CategoriesTest$Slow",
    );
    assert_eq!(four, ["fixtures.junit4.CategoriesTest#plain"]);
    let five =
        excluded("junit5", "org.junit.jupiter:junit-jupiter:5.10.2", "fixtures.junit5.TagsTest", "slow");
    assert_eq!(five, ["fixtures.junit5.TagsTest#plain"]);
}

#[test]
fn what_a_red_test_printed_is_kept_with_a_cap() {
    let project = open("junit4", &["junit:junit:4.13.2"], |_| {});
    let selection = TestSelection::Only(vec![TestId("fixtures.junit4.BasicTest#fails".to_owned())]);
    let run = run(&project, "output", selection);
    let failure = run.results[0].failure.as_ref().unwrap();
    assert_eq!(failure.kind.as_deref(), Some("java.lang.AssertionError"));
    assert!(failure.stack.iter().any(|line| line.contains("BasicTest.fails")), "{failure:?}");
    assert!(run.results[0].output.len() <= 32 << 10);
}
