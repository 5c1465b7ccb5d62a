//! Projects whose folders and files were once taken for something else, from the tree to the results of their tests.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{Project, TestPlan};
use bonafix_lang_java::JavaProject;
use bonafix_lang_java::toolchain::find_tool;
use bonafix_model::{FileEdit, JavaConfig, TestOutcome, TestSelection, TestsConfig, TreeChange};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

/// Outcomes of all tests of a project with a change.
fn outcomes(files: &[(&str, &str)], change: &TreeChange) -> BTreeMap<String, TestOutcome> {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let root = folder.join("subject");
    for (path, text) in files {
        let file = root.join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }
    let cache = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let cache = Arc::new(Cache::open(&cache).unwrap());
    let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
    let (java, tests) = (JavaConfig::default(), TestsConfig::default());
    let project = JavaProject::open(&root, &java, &tests, cache, launcher).unwrap();
    let log = folder.join("log");
    project.build(&TreeChange::default(), &log).unwrap();
    project.build(change, &log).unwrap();
    let plan = TestPlan::new(TestSelection::all(), Duration::from_secs(20));
    let run = project.run_tests(change, &plan, &log, &mut |_, _| {}).unwrap();
    run.results.into_iter().map(|result| (result.id.0, result.outcome)).collect()
}

fn check(files: &[(&str, &str)], expected: &[&str]) {
    let found = outcomes(files, &TreeChange::default());
    assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), expected);
    assert!(found.values().all(|outcome| *outcome == TestOutcome::Passed), "{found:?}");
}

const A: &str = "package com; public class A { public static int f() { return 1; } }";

#[test]
fn tests_in_a_package_named_like_a_build_folder_are_run() {
    let test = |package: &str, class: &str| {
        format!(
            "package {package}; import org.junit.*; public class {class} {{ @Test public void t() {{ \
             Assert.assertEquals(1, com.A.f()); }} }}"
        )
    };
    let files = [
        ("src/com/A.java", A),
        ("src/com/ATest.java", &test("com", "ATest")),
        ("src/com/build/BTest.java", &test("com.build", "BTest")),
    ];
    check(&files, &["com.ATest#t", "com.build.BTest#t"]);
}

#[test]
fn a_package_named_target_is_there_although_results_lie_in_its_folder() {
    let test = "import org.junit.*; public class ATest { @Test public void t() { Assert.assertEquals(1, target.A.f()); } }";
    let files = [
        ("target/A.java", &*A.replace("package com", "package target")),
        ("ATest.java", test),
        ("target/bonafix/run-1/report.json", "{}"),
    ];
    check(&files, &["ATest#t"]);
}

#[test]
fn a_project_with_a_module_declaration_compiles_without_a_build_tool() {
    let test = "package com; import org.junit.*; public class ATest { @Test public void t() { Assert.assertEquals(1, A.f()); } }";
    let files = [
        ("src/main/java/module-info.java", "module m { exports com; }"),
        ("src/main/java/com/A.java", A),
        ("src/test/java/com/ATest.java", test),
    ];
    check(&files, &["com.ATest#t"]);
}

const POM: &str = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
    <groupId>g</groupId><artifactId>a</artifactId><version>1.5</version><properties>\
    <maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>\
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties><dependencies><dependency>\
    <groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>\
    </dependencies><build><resources><resource><directory>src/main/conf</directory><filtering>true</filtering>\
    <targetPath>META-INF</targetPath></resource></resources></build></project>";
const RESOURCE_TEST: &str = "package p; import org.junit.*; public class ATest { @Test public void t() throws Exception {
    java.util.Properties found = new java.util.Properties();
    found.load(ATest.class.getResourceAsStream(\"/META-INF/app.properties\"));
    Assert.assertEquals(\"1.5 right\", found.getProperty(\"version\") + \" \" + found.getProperty(\"name\")); } }";

#[test]
fn a_changed_resource_is_filtered_and_placed_by_maven() {
    if find_tool("mvn").is_none() {
        return;
    }
    let text = |name: &str| format!("version=${{project.version}}\nname={name}\n");
    let files = [
        ("pom.xml", POM),
        ("src/main/java/p/A.java", "package p; public class A { }"),
        ("src/main/conf/app.properties", &*text("wrong")),
        ("src/test/java/p/ATest.java", RESOURCE_TEST),
    ];
    let edit = FileEdit::Write(text("right").into_bytes());
    let change = TreeChange { files: [("src/main/conf/app.properties".into(), edit)].into() };
    let outcome = |change: &TreeChange| outcomes(&files, change).into_values().collect::<Vec<_>>();
    assert_eq!(outcome(&TreeChange::default()), [TestOutcome::Failed]);
    assert_eq!(outcome(&change), [TestOutcome::Passed]);
}
