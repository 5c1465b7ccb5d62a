//! Versions are built as overlays: what a change touches is compiled anew, and what then must follow, and no more.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;

use bonafix_lang::{BuiltVersion, LangError, Project, TestPlan};
use bonafix_lang_java::JavaProject;
use bonafix_model::{FileEdit, JavaConfig, TestOutcome, TestSelection, TestsConfig, TreeChange};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

/// A project in a temporary folder, with a cache of its own.
struct Fixture {
    folder: tempfile::TempDir,
    project: JavaProject,
}

const LIMIT: std::time::Duration = std::time::Duration::from_secs(20);

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().join("subject");
        for (path, text) in files {
            write(&root.join(path), text);
        }
        // The cache outlives a run of the tests: without something of its own a fixture would find its versions there.
        write(&root.join("fixture.txt"), folder.path().to_str().unwrap());
        let project = open(&root);
        let fixture = Self { folder, project };
        fixture.project.build(&TreeChange::default(), &fixture.log("buggy")).unwrap();
        fixture
    }

    fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).unwrap()
    }

    fn log(&self, name: &str) -> Utf8PathBuf {
        self.path().join(format!("{name}.log"))
    }

    fn build(&self, name: &str, change: &TreeChange) -> Result<BuiltVersion, LangError> {
        self.project.build(change, &self.log(name))
    }

    /// Names of the sources that were compiled for a version.
    fn compiled(&self, name: &str) -> Vec<String> {
        let log = fs_err::read_to_string(self.log(name)).unwrap_or_default();
        let lines = log.lines().filter_map(|line| line.strip_prefix("compiling ")?.split_once(" of "));
        let mut names: Vec<String> =
            lines.flat_map(|(list, _)| list.split(", ").map(str::to_owned)).collect();
        names.sort();
        names
    }

    fn outcomes(&self, change: &TreeChange) -> BTreeMap<String, TestOutcome> {
        let plan = TestPlan::new(TestSelection::all(), LIMIT);
        let run = self.project.run_tests(change, &plan, &self.log("tests"), &mut |_, _| {}).unwrap();
        run.results.into_iter().map(|result| (result.id.0, result.outcome)).collect()
    }
}

/// One cache for all tests of this file, so that the runtime is compiled once; versions have keys of their own.
fn open(root: &Utf8Path) -> JavaProject {
    let cache = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let cache = Arc::new(Cache::open(&cache).unwrap());
    let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
    JavaProject::open(root, &JavaConfig::default(), &TestsConfig::default(), cache, launcher).unwrap()
}

fn write(file: &Utf8Path, text: &str) {
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, text).unwrap();
}

fn change(edits: &[(&str, Option<&str>)]) -> TreeChange {
    let edit = |text: Option<&str>| text.map_or(FileEdit::Delete, |text| FileEdit::Write(text.into()));
    TreeChange { files: edits.iter().map(|(path, text)| ((*path).into(), edit(*text))).collect() }
}

const LIMITS: &str =
    "package p; public class Limits { public static final int MAX = 3; private static final int OWN = 1;
    static int own() { return OWN; } }";
const USER: &str = "package p; public class User { public int max() { return Limits.MAX; } public int twice(int x) { return x + x; } }";
const OTHER: &str =
    "package p; public class Other { public String name() { return \"other\"; } static class Inner {} }";
const TEST: &str = "package p;
import org.junit.Test;
import static org.junit.Assert.*;
    public class UserTest {
        @Test public void max() { assertEquals(4, new User().max()); }
        @Test public void twice() { assertEquals(6, new User().twice(3)); }
        @Test public void greeting() throws Exception {
            java.io.InputStream in = User.class.getResourceAsStream(\"/greeting.txt\");
            assertNotNull(in); assertEquals('h', in.read()); }
    }";

fn fixture() -> Fixture {
    Fixture::new(&[
        ("src/main/java/p/Limits.java", LIMITS),
        ("src/main/java/p/User.java", USER),
        ("src/main/java/p/Other.java", OTHER),
        ("src/main/resources/greeting.txt", "hello"),
        ("src/test/java/p/UserTest.java", TEST),
    ])
}

#[test]
fn a_changed_body_compiles_one_file_and_shows_in_the_tests() {
    let fixture = fixture();
    let change = change(&[("src/main/java/p/User.java", Some(&USER.replace("x + x", "x * x")))]);
    fixture.build("v", &change).unwrap();
    assert_eq!(fixture.compiled("v"), ["User.java"]);
    let outcomes = fixture.outcomes(&change);
    assert_eq!(outcomes["p.UserTest#twice"], TestOutcome::Failed);
    assert_eq!(outcomes["p.UserTest#max"], TestOutcome::Failed);
    assert_eq!(fixture.outcomes(&TreeChange::default())["p.UserTest#twice"], TestOutcome::Passed);
}

#[test]
fn a_changed_constant_reaches_its_users() {
    let fixture = fixture();
    let change = change(&[("src/main/java/p/Limits.java", Some(&LIMITS.replace("MAX = 3", "MAX = 4")))]);
    fixture.build("v", &change).unwrap();
    assert_eq!(fixture.compiled("v"), ["Limits.java", "User.java"]);
    assert_eq!(fixture.outcomes(&change)["p.UserTest#max"], TestOutcome::Passed);
}

#[test]
fn a_changed_private_constant_reaches_nobody() {
    let fixture = fixture();
    let change = change(&[("src/main/java/p/Limits.java", Some(&LIMITS.replace("OWN = 1", "OWN = 2")))]);
    fixture.build("v", &change).unwrap();
    assert_eq!(fixture.compiled("v"), ["Limits.java"]);
}

#[test]
fn a_changed_signature_reaches_its_users_and_their_tests() {
    let fixture = fixture();
    let wider = USER.replace("public int twice(int x)", "public long twice(long x)");
    let change = change(&[("src/main/java/p/User.java", Some(&wider))]);
    fixture.build("v", &change).unwrap();
    assert_eq!(fixture.compiled("v"), ["User.java", "UserTest.java"]);
    assert_eq!(fixture.outcomes(&change)["p.UserTest#twice"], TestOutcome::Passed);
}

#[test]
fn tests_that_no_longer_compile_are_told_apart_from_a_program_that_does_not() {
    let fixture = fixture();
    let gone = change(&[("src/main/java/p/User.java", Some(&USER.replace("twice", "doubled")))]);
    match fixture.build("gone", &gone) {
        Err(LangError::DoesNotCompile { in_tests: true, diagnostics, .. }) => {
            assert_eq!(diagnostics[0].file, "src/test/java/p/UserTest.java");
        }
        other => panic!("{other:?}"),
    }
    let broken = change(&[("src/main/java/p/User.java", Some("package p; public class User { int x = ; }"))]);
    match fixture.build("broken", &broken) {
        Err(LangError::DoesNotCompile { in_tests: false, diagnostics, .. }) => {
            assert_eq!((diagnostics[0].file.as_str(), diagnostics[0].line), ("src/main/java/p/User.java", 1));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_deleted_class_is_gone_for_users_and_at_run_time() {
    let fixture = Fixture::new(&[
        ("src/main/java/p/A.java", "package p; public class A { static class Inner {} }"),
        ("src/main/java/p/B.java", "package p; public class B {}"),
        (
            "src/test/java/p/ATest.java",
            "package p;
import org.junit.Test;
             public class ATest {
                @Test public void inner() throws Exception { Class.forName(\"p.A$Inner\"); }
                @Test public void other() throws Exception { Class.forName(\"p.B\"); } }",
        ),
    ]);
    let change = change(&[
        ("src/main/java/p/A.java", Some("package p; public class A {}")),
        ("src/main/java/p/B.java", None),
    ]);
    fixture.build("v", &change).unwrap();
    let outcomes = fixture.outcomes(&change);
    assert_eq!(outcomes["p.ATest#inner"], TestOutcome::Error);
    assert_eq!(outcomes["p.ATest#other"], TestOutcome::Error);
    assert_eq!(fixture.outcomes(&TreeChange::default())["p.ATest#other"], TestOutcome::Passed);
}

#[test]
fn deleting_a_class_that_is_used_does_not_compile() {
    let fixture = fixture();
    let change = change(&[("src/main/java/p/Limits.java", None)]);
    assert!(matches!(fixture.build("v", &change), Err(LangError::DoesNotCompile { in_tests: false, .. })));
}

#[test]
fn new_files_and_resources_are_part_of_a_version() {
    let fixture = fixture();
    let change = change(&[
        ("src/main/java/p/Fresh.java", Some("package p; class Fresh { static int four() { return 4; } }")),
        ("src/main/java/p/User.java", Some(&USER.replace("Limits.MAX", "Fresh.four()"))),
        ("src/main/resources/greeting.txt", Some("bye")),
    ]);
    fixture.build("v", &change).unwrap();
    let outcomes = fixture.outcomes(&change);
    assert_eq!(outcomes["p.UserTest#max"], TestOutcome::Passed);
    assert_eq!(outcomes["p.UserTest#greeting"], TestOutcome::Failed);
}

#[test]
fn the_same_version_is_never_built_twice_and_the_subject_stays_as_it_was() {
    let fixture = fixture();
    let root = fixture.path().join("subject");
    let before = bonafix_store::digest_tree(&root, &|_| false).unwrap();
    let change = change(&[("src/main/java/p/User.java", Some(&USER.replace("x + x", "x - x")))]);
    fixture.build("first", &change).unwrap();
    let again = open(&root);
    assert!(again.build(&TreeChange::default(), &fixture.log("again")).unwrap().cached);
    assert!(again.build(&change, &fixture.log("again")).unwrap().cached);
    assert!(fixture.compiled("again").is_empty());
    fixture.outcomes(&change);
    assert_eq!(bonafix_store::digest_tree(&root, &|_| false).unwrap(), before);
}

#[test]
fn tests_may_write_into_their_tree_but_not_out_of_it() {
    let secret = tempfile::tempdir().unwrap();
    let outside = secret.path().join("outside.txt").display().to_string();
    let test = format!(
        "package p;
import org.junit.Test;
import java.io.*;
         public class WriteTest {{
            @Test public void inside() throws Exception {{ new FileWriter(\"made-by-test.txt\").close(); }}
            @Test public void outside() throws Exception {{ new FileWriter(\"{outside}\").close(); }} }}"
    );
    let fixture = Fixture::new(&[
        ("src/main/java/p/A.java", "package p; class A {}"),
        ("src/test/java/p/WriteTest.java", &test),
    ]);
    let outcomes = fixture.outcomes(&TreeChange::default());
    assert_eq!(outcomes["p.WriteTest#inside"], TestOutcome::Passed);
    assert_eq!(outcomes["p.WriteTest#outside"], TestOutcome::Error);
    assert!(!secret.path().join("outside.txt").exists());
    assert!(!fixture.path().join("subject/made-by-test.txt").exists());
}

#[test]
fn a_sibling_test_file_that_a_patch_brings_is_recognised() {
    let fixture = fixture();
    let path = Utf8Path::new("src/test/java/p/NewTest.java");
    let text = "package p;\nimport org.junit.Test;\npublic class NewTest { @Test public void x() {} }";
    let change = change(&[(path.as_str(), Some(text))]);
    assert!(fixture.project.is_test_file(path, &change.files[path]));
    assert!(!fixture.project.is_test_file(Utf8Path::new("src/main/java/p/User.java"), &FileEdit::Delete));
    assert_eq!(fixture.project.tests_in(&change).unwrap()[0].0, "p.NewTest");
    fixture.build("v", &change).unwrap();
    assert!(fixture.outcomes(&change).contains_key("p.NewTest#x"));
}

#[test]
fn a_test_file_that_this_jdk_cannot_compile_does_not_cost_the_others() {
    let good = |number: usize| {
        let text = format!(
            "package p;\nimport org.junit.Test;\npublic class A{number}Test {{ @Test public void x() {{ new User(); }} }}\n"
        );
        (format!("src/test/java/p/A{number}Test.java"), text)
    };
    let mut files: Vec<(String, String)> = (0..10).map(good).collect();
    files.push(("src/main/java/p/User.java".to_owned(), USER.to_owned()));
    files.push(("src/main/java/p/Limits.java".to_owned(), LIMITS.to_owned()));
    files.push((
        "src/test/java/p/OldTest.java".to_owned(),
        "package p;\nimport org.junit.Test;\npublic class OldTest { @Test public void x() { new User(); int enum = 1; } }\n"
            .to_owned(),
    ));
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let fixture = Fixture::new(&borrowed);
    assert_eq!(fixture.outcomes(&TreeChange::default()).len(), 10);
    let notices = fixture.project.facts().notices;
    assert!(notices.iter().any(|notice| notice.text.contains("OldTest.java")), "{notices:?}");
    // A change that reaches all users of a class must not stumble over the file that was set aside.
    let wider = USER.replace("public int twice(int x)", "public long twice(long x)");
    let change = change(&[("src/main/java/p/User.java", Some(&wider))]);
    fixture.build("v", &change).unwrap();
    assert_eq!(fixture.compiled("v").len(), 11);
}

#[test]
fn a_class_that_was_compiled_first_follows_one_that_changes_later() {
    // A is edited and uses C.X; C is not edited, and its constant changes only because D's does.
    let fixture = Fixture::new(&[
        ("src/main/java/p/D.java", "package p; public class D { public static final int K = 1; }"),
        ("src/main/java/p/C.java", "package p; public class C { public static final int X = D.K + 1; }"),
        ("src/main/java/p/A.java", "package p; public class A { public int x() { return C.X; } }"),
        (
            "src/test/java/p/ATest.java",
            "package p;\nimport org.junit.Test;\nimport static org.junit.Assert.*;\npublic class ATest { @Test public void x() { assertEquals(12, new A().x()); } }",
        ),
    ]);
    let change = change(&[
        ("src/main/java/p/A.java", Some("package p; public class A { public int x() { return 1 + C.X; } }")),
        ("src/main/java/p/D.java", Some("package p; public class D { public static final int K = 10; }")),
    ]);
    fixture.build("v", &change).unwrap();
    assert_eq!(fixture.outcomes(&change)["p.ATest#x"], TestOutcome::Passed);
}

#[test]
fn users_in_folders_of_another_name_than_their_package_follow_too() {
    let fixture = Fixture::new(&[
        ("src/main/java/p/A.java", "package p; public class A { public static int f(int x) { return 1; } }"),
        (
            "src/main/java/elsewhere/B.java",
            "package p; public class B { public static int g() { return A.f(3); } }",
        ),
        (
            "src/test/java/p/BTest.java",
            "package p;\nimport org.junit.Test;\nimport static org.junit.Assert.*;\npublic class BTest { @Test public void g() { assertEquals(2, B.g()); } }",
        ),
    ]);
    let changed = "package p; public class A { public static int f(long x) { return 2; } }";
    let change = change(&[("src/main/java/p/A.java", Some(changed))]);
    fixture.build("v", &change).unwrap();
    assert_eq!(fixture.outcomes(&change)["p.BTest#g"], TestOutcome::Passed);
}

#[test]
fn what_tests_write_does_not_reach_the_next_run() {
    let fixture = Fixture::new(&[
        ("src/main/java/p/A.java", "package p; public class A {}"),
        (
            "src/test/java/p/FileTest.java",
            "package p;\nimport org.junit.Test;\nimport static org.junit.Assert.*;\npublic class FileTest { @Test public void creates() throws Exception { assertTrue(new java.io.File(\"out.txt\").createNewFile()); } }",
        ),
    ]);
    for _ in 0..2 {
        assert_eq!(fixture.outcomes(&TreeChange::default())["p.FileTest#creates"], TestOutcome::Passed);
    }
}

#[test]
fn a_patch_cannot_put_its_own_test_framework_in_place_of_the_real_one() {
    let fixture = fixture();
    let change = change(&[(
        "src/main/java/org/junit/Assert.java",
        Some(
            "package org.junit; public class Assert { public static void assertEquals(long a, long b) {}\n\
             public static void assertEquals(Object a, Object b) {} public static void assertNotNull(Object a) {} }",
        ),
    )]);
    fixture.build("v", &change).unwrap();
    assert_eq!(fixture.outcomes(&change)["p.UserTest#max"], TestOutcome::Failed);
}

#[test]
fn versions_that_execute_the_same_have_one_key_of_their_code_whatever_their_sources_look_like() {
    let fixture = fixture();
    let key = |name: &str, user: &str| {
        let change = change(&[("src/main/java/p/User.java", Some(user))]);
        fixture.build(name, &change).unwrap();
        fixture.project.explorer().unwrap().code_key(&change, &fixture.log(name)).unwrap()
    };
    let written = |twice: &str| {
        let body = format!("public int twice(int x) {{ {twice} }}");
        USER.replace("public int twice(int x) { return x + x; }", &body)
    };
    let product = key("product", &written("return x * 2;"));
    let disabled = key("disabled", &written("if (false) { return 7; }\n // a comment\n return x * (1 + 1);"));
    assert_eq!(product, disabled);
    assert_ne!(product, key("shift", &written("return x << 1;")));
    assert_ne!(product, key("name", &written("return this.max() * 2;")));
    let other = change(&[("src/main/java/p/Other.java", Some(&format!("\n\n{OTHER}")))]);
    fixture.build("other", &other).unwrap();
    let explorer = fixture.project.explorer().unwrap();
    let unchanged = explorer.code_key(&TreeChange::default(), &fixture.log("buggy")).unwrap();
    assert_eq!(explorer.code_key(&other, &fixture.log("other")).unwrap(), unchanged);
}
