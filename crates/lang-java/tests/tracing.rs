//! Traces of tests and inputs in the buggy and in the patched version.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bonafix_lang::{Explore, ExploreRequest, ExploredVersion, Project, TraceLimits, Traced};
use bonafix_lang_java::JavaProject;
use bonafix_model::{
    Delta, FileEdit, JavaConfig, Literal, Sequence, Step, TestId, TestsConfig, Trace, TreeChange, VersionRole,
};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

const LIMITS: TraceLimits =
    TraceLimits { statements: 100_000, deadline: None, test: Duration::from_secs(20) };

fn write(file: &Utf8Path, text: &str) {
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, text).unwrap();
}

fn open(root: &Utf8Path) -> JavaProject {
    let cache = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let cache = Arc::new(Cache::open(&cache).unwrap());
    let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
    JavaProject::open(root, &JavaConfig::default(), &TestsConfig::default(), cache, launcher).unwrap()
}

/// A project with a patch, both built.
struct Fixture {
    folder: tempfile::TempDir,
    project: JavaProject,
    patch: TreeChange,
    delta: Delta,
}

impl Fixture {
    fn new(files: &[(&str, &str)], patched: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().join("subject");
        for (path, text) in files {
            write(&root.join(path), text);
        }
        // Versions of another run must not be found in the cache.
        write(&root.join("fixture.txt"), folder.path().to_str().unwrap());
        let edits = patched.iter().map(|(path, text)| ((*path).into(), FileEdit::Write((*text).into())));
        Self::built(folder, &root, TreeChange { files: edits.collect() })
    }

    fn built(folder: tempfile::TempDir, root: &Utf8Path, patch: TreeChange) -> Self {
        let project = open(root);
        let log = Utf8Path::from_path(folder.path()).unwrap().join("build.log");
        project.build(&TreeChange::default(), &log).unwrap();
        project.build(&patch, &log).unwrap();
        let delta = project.delta(&patch).unwrap();
        Self { folder, project, patch, delta }
    }

    fn log(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().join("log")
    }

    /// Calls `action` with a request for the buggy and the patched version.
    fn request<T>(&self, action: impl FnOnce(&ExploreRequest<'_>) -> T) -> T {
        let (nothing, buggy) = (Delta::default(), TreeChange::default());
        let versions = [
            ExploredVersion { role: VersionRole::Buggy, change: &buggy, delta: &nothing },
            ExploredVersion { role: VersionRole::Patched, change: &self.patch, delta: &self.delta },
        ];
        action(&ExploreRequest { versions: &versions, failing: &[], passing: &[], heap_mib: 256 })
    }

    fn tests(&self, tests: &[&str], limits: &TraceLimits) -> BTreeMap<String, Traced> {
        let ids: Vec<TestId> = tests.iter().map(|test| TestId((*test).to_owned())).collect();
        let mut found = BTreeMap::new();
        self.request(|request| {
            let mut tracer = self.project.tracer(request, &self.log()).unwrap();
            tracer
                .tests(&ids, limits, &mut |place, traced| {
                    assert_eq!(found.insert(tests[place].to_owned(), traced), None, "told twice");
                })
                .unwrap();
        });
        assert_eq!(found.len(), tests.len());
        found
    }

    fn inputs(&self, make: impl FnOnce(&dyn Fn(&str, &[i64]) -> Sequence) -> Vec<Sequence>) -> Vec<Traced> {
        self.request(|request| {
            let explored = self.project.explore(request, &self.log()).unwrap();
            let catalog = explored.run.catalog();
            let call = |name: &str, arguments: &[i64]| {
                let at = catalog.callables.iter().position(|each| each.name == name).expect(name);
                let int = |value: &i64| Step::Constant {
                    type_name: "int".to_owned(),
                    value: Literal::Integer(*value),
                };
                let mut steps: Vec<Step> = arguments.iter().map(int).collect();
                steps.push(Step::Call {
                    callable: u32::try_from(at).unwrap(),
                    receiver: None,
                    arguments: (0..u32::try_from(arguments.len()).unwrap()).collect(),
                    caught: false,
                });
                Sequence { steps }
            };
            let inputs = make(&call);
            let mut found = vec![None; inputs.len()];
            let mut tracer = self.project.tracer(request, &self.log()).unwrap();
            tracer
                .inputs(&inputs, &LIMITS, &mut |place, traced| {
                    assert_eq!(found[place].replace(traced), None, "told twice");
                })
                .unwrap();
            found.into_iter().map(Option::unwrap).collect()
        })
    }
}

fn both(traced: &Traced) -> (&Trace, &Trace) {
    let Traced::Both { buggy, patched } = traced else { panic!("{traced:?}") };
    (buggy, patched)
}

fn set_aside(traced: &Traced) -> &str {
    let Traced::SetAside(why) = traced else { panic!("{traced:?}") };
    why
}

const MAIN: &str = "src/main/java/p/A.java";
/// Line numbers are those of this text.
const A: &str = "package p;
public class A {
    static final int START;
    static {
        START = Integer.parseInt(\"1\");
    }
    public static int down(int n) {
        if (n > 3)
            return down(n - 1);
        return n;
    }
    public static int guarded(int n) {
        try {
            return fails(n);
        } catch (IllegalStateException e) {
            return START;
        }
    }
    static int fails(int n) {
        if (n < 10)
            throw new IllegalStateException();
        return n;
    }
    public static int apart(int n) {
        return n + 1;
    }
    public static int turns(int n) {
        while (n != 7) {
            n = Math.floorMod(n + 1, 9);
        }
        return n;
    }
    public static int leaves(int n) {
        if (n == 7)
            apart(n);
        return n;
    }
    static int drawn() {
        return new java.util.Random().nextInt(1000000);
    }
    public static int byLot() {
        int n = drawn();
        int sum = 0;
        for (int bit = 0; bit < 20; bit++)
            if ((n >> bit & 1) == 1)
                sum = down(sum);
            else
                sum++;
        return sum;
    }
}
";
const TESTS: &str = "package p;
import org.junit.*;
import static org.junit.Assert.*;
@FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
public class ATest {
    @Test public void a_recursion() { assertEquals(2, A.down(2)); A.down(6); }
    @Test public void b_apart() { assertEquals(2, A.apart(1)); }
    @Test public void c_exception() { assertEquals(1, A.guarded(1)); A.apart(1); }
    @Test public void d_thread() throws Exception {
        A.apart(0);
        Thread one = new Thread(() -> A.down(5));
        Thread two = new Thread(() -> A.down(1));
        one.start();
        two.start();
        one.join();
        two.join();
        A.apart(0);
    }
    @Test public void e_lot() { A.byLot(); }
    @Test public void f_hangs() { A.turns(1); }
    @Test public void g_red() { assertEquals(4, A.down(4)); }
    @Test public void i_red_on_both() { assertEquals(0, A.down(4)); }
    @Test public void h_again() { A.guarded(1); }
}
";
const TEST_NAMES: [&str; 9] = [
    "p.ATest#a_recursion",
    "p.ATest#b_apart",
    "p.ATest#c_exception",
    "p.ATest#d_thread",
    "p.ATest#e_lot",
    "p.ATest#f_hangs",
    "p.ATest#g_red",
    "p.ATest#h_again",
    "p.ATest#i_red_on_both",
];

fn fixture(from: &[(&str, &str)]) -> Fixture {
    let patched = from.iter().fold(A.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    Fixture::new(&[(MAIN, A), ("src/test/java/p/ATest.java", TESTS)], &[(MAIN, &patched)])
}

/// Statements in the order of their first run: traces can be told apart without their numbers.
fn shape(trace: &Trace) -> Vec<usize> {
    let mut seen = Vec::new();
    let place = |statement: &u32| {
        seen.iter().position(|known| known == statement).unwrap_or_else(|| {
            seen.push(*statement);
            seen.len() - 1
        })
    };
    trace.statements.iter().map(place).collect()
}

#[test]
fn tests_are_traced_with_recursion_exceptions_threads_and_without_what_is_drawn_by_lot() {
    let fixture = fixture(&[
        ("if (n > 3)", "if (n > 4)"),
        ("        if (n < 10)", "        int limit = 10;\n        if (n < limit)"),
        ("n != 7", "n != 70"),
    ]);
    let limits = TraceLimits { test: Duration::from_secs(4), ..LIMITS };
    let traced = fixture.tests(&TEST_NAMES, &limits);

    let (buggy, patched) = both(&traced["p.ATest#a_recursion"]);
    // The initialiser (5, 6) runs once, in whatever test comes first, and does not count; then 8, 10; and 8, 9 thrice
    // before 8, 10.
    assert_eq!(shape(buggy), [0, 1, 0, 2, 0, 2, 0, 2, 0, 1]);
    assert_eq!(buggy.changed, [(0, 2), (2, 10)], "outermost calls only");
    assert_eq!(patched.statements[..2], buggy.statements[..2], "a changed condition is the same statement");
    assert_eq!(patched.statements.len(), 8, "one call less");

    assert_eq!(traced["p.ATest#b_apart"], Traced::NotReached);

    let (buggy, patched) = both(&traced["p.ATest#c_exception"]);
    assert_eq!(shape(buggy), [0, 1, 2, 3, 4, 5], "14, 20, 21, 15, 16, 25");
    assert_eq!(buggy.changed, [(1, 3)], "the exception ends the call");
    assert_eq!(patched.changed, [(1, 4)]);
    let added = patched.statements[1];
    assert!(!buggy.statements.contains(&added), "a line that only the patch has");
    assert_eq!([&patched.statements[..1], &patched.statements[2..]].concat(), buggy.statements);

    let (buggy, _) = both(&traced["p.ATest#d_thread"]);
    assert_eq!(shape(buggy), [0, 0, 1, 2, 1, 2, 1, 3, 1, 3], "first the test's own thread, then one by one");
    assert_eq!(buggy.changed, [(2, 8), (8, 10)]);

    assert!(set_aside(&traced["p.ATest#e_lot"]).contains("same statements"));
    assert_eq!(set_aside(&traced["p.ATest#f_hangs"]), "it takes too long in the patched version");
    both(&traced["p.ATest#g_red"]);
    assert!(set_aside(&traced["p.ATest#i_red_on_both"]).contains("does not pass on the patched version"));
    // It ran in a VM without those before it, in both versions.
    let (buggy, patched) = both(&traced["p.ATest#h_again"]);
    assert_eq!(buggy.statements.len() + 1, patched.statements.len());
}

#[test]
fn one_run_tells_which_tests_do_not_come_to_the_change() {
    let fixture = fixture(&[("if (n > 3)", "if (n > 4)")]);
    let ids: Vec<TestId> = TEST_NAMES.iter().map(|test| TestId((*test).to_owned())).collect();
    let limits = TraceLimits { test: Duration::from_secs(2), ..LIMITS };
    let far = fixture.request(|request| {
        let mut tracer = fixture.project.tracer(request, &fixture.log()).unwrap();
        tracer.far_tests(&ids, &limits).unwrap().unwrap()
    });
    let names: Vec<&str> = far.iter().map(|test| test.0.as_str()).collect();
    assert_eq!(names, ["b_apart", "c_exception", "f_hangs", "h_again"].map(|name| format!("p.ATest#{name}")));
}

/// A test that hangs ends the run, and of those behind it nothing is known.
#[test]
fn tests_that_did_not_get_to_run_are_not_far() {
    let tests = "package p;
import org.junit.*;
@FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
public class ATest {
    @Test public void a_far() { A.apart(1); }
    @Test public void b_hangs() { for (;;) A.apart(2); }
    @Test public void c_far() { A.apart(3); }
}
";
    let fixture = Fixture::new(
        &[(MAIN, A), ("src/test/java/p/ATest.java", tests)],
        &[(MAIN, &A.replace("if (n > 3)", "if (n > 4)"))],
    );
    let ids: Vec<TestId> =
        ["a_far", "b_hangs", "c_far"].map(|name| TestId(format!("p.ATest#{name}"))).to_vec();
    let limits = TraceLimits { test: Duration::from_secs(3), ..LIMITS };
    let far = fixture.request(|request| {
        let mut tracer = fixture.project.tracer(request, &fixture.log()).unwrap();
        tracer.far_tests(&ids, &limits).unwrap().unwrap()
    });
    assert_eq!(far.into_iter().collect::<Vec<_>>(), ids[..1]);
}

#[test]
fn where_nothing_changed_on_the_path_traces_are_equal_and_long_ones_are_cut() {
    let fixture = fixture(&[
        ("public class A {", "public class A {\n    // A comment that moves all.\n    int unused;\n"),
        (
            "        return n;\n    }\n    public static int guarded",
            "        return 0 + n;\n    }\n    public static int guarded",
        ),
    ]);
    let limits = TraceLimits { statements: 5, ..LIMITS };
    let traced = fixture.tests(&["p.ATest#a_recursion", "p.ATest#nowhere"], &limits);
    let (buggy, patched) = both(&traced["p.ATest#a_recursion"]);
    assert_eq!(buggy, patched);
    assert!(buggy.cut);
    assert_eq!((buggy.statements.len(), buggy.changed.clone()), (5, vec![(0, 2), (2, 5)]));
    assert!(set_aside(&traced["p.ATest#nowhere"]).contains("no such test"));
    let late = TraceLimits { deadline: Some(Instant::now()), ..LIMITS };
    let traced = fixture.tests(&["p.ATest#a_recursion"], &late);
    assert!(set_aside(&traced["p.ATest#a_recursion"]).contains("no time"));
}

/// Found on a correct patch that throws where the buggy version did not: a table of messages was made in another test, and
/// that test seemed to have changed altogether.
#[test]
fn what_runs_while_a_class_is_initialised_is_in_no_trace() {
    let table = "package p;\nclass Table {\n    static final int[] ROWS = rows();\n    static int[] rows() {\n        int[] rows = new int[40];
        for (int i = 0; i < rows.length; i++) {\n            rows[i] = row(i);\n        }\n        return rows;\n    }
    private static int row(int i) {\n        return i * i;\n    }\n}\n";
    let class = "package p;\npublic class D {\n    public int row(int i) {\n        if (i < 1) {\n            return 0;\n        }
        return Table.ROWS[i];\n    }\n}\n";
    let test = "package p;\nimport org.junit.Test;\npublic class DTest {\n    @Test public void a_none() { new D().row(0); }
    @Test public void b_some() { new D().row(3); }\n}\n";
    let path = "src/main/java/p/D.java";
    let fixture = Fixture::new(
        &[("src/main/java/p/Table.java", table), (path, class), ("src/test/java/p/DTest.java", test)],
        &[(path, &class.replace("i < 1", "i < 0"))],
    );
    let traced = fixture.tests(&["p.DTest#a_none", "p.DTest#b_some"], &LIMITS);
    let lengths = |name: &str| {
        let (buggy, patched) = both(&traced[name]);
        (buggy.statements.len(), patched.statements.len())
    };
    assert_eq!((lengths("p.DTest#a_none"), lengths("p.DTest#b_some")), ((3, 3), (3, 3)));
}

#[test]
fn a_method_that_only_the_patch_has_is_reached_in_one_version_and_both_traces_are_there() {
    let base = "package p;\npublic class B {\n    public String name() {\n        return \"b\";\n    }\n}\n";
    let class = "package p;\npublic class C extends B {\n}\n";
    let with_method = class
        .replace("}\n", "    @Override public String name() {\n        return super.name();\n    }\n}\n");
    let test = "package p;\nimport org.junit.Test;\npublic class CTest {\n    @Test public void name() { new C().name(); }\n}\n";
    let path = "src/main/java/p/C.java";
    let fixture = Fixture::new(
        &[("src/main/java/p/B.java", base), (path, class), ("src/test/java/p/CTest.java", test)],
        &[(path, &with_method)],
    );
    let traced = fixture.tests(&["p.CTest#name"], &LIMITS);
    let (buggy, patched) = both(&traced["p.CTest#name"]);
    assert!(patched.reaches_change());
    assert_eq!(buggy.statements.len() + 1, patched.statements.len());
}

#[test]
fn inputs_are_traced_each_in_fresh_state_and_an_endless_one_is_cut() {
    let fixture = fixture(&[
        ("if (n > 3)", "if (n > 4)"),
        ("n != 7", "n != 70"),
        ("            apart(n);", "            System.exit(n);"),
    ]);
    let traced = fixture.inputs(|call| {
        vec![
            call("down", &[5]),
            call("apart", &[1]),
            call("byLot", &[]),
            call("turns", &[3]),
            call("leaves", &[7]),
            call("down", &[5]),
            call("leaves", &[1]),
        ]
    });
    let (buggy, patched) = both(&traced[0]);
    assert_eq!(shape(buggy), [0, 1, 0, 1, 0, 2], "without the static initialiser");
    assert_eq!(patched.statements.len(), 4);
    assert_eq!(buggy.changed, [(0, 6)]);
    assert_eq!(traced[1], Traced::NotReached);
    assert!(set_aside(&traced[2]).contains("same statements"));
    let (buggy, patched) = both(&traced[3]);
    assert!(patched.cut && !buggy.cut && patched.statements.len() > 10_000);
    let (buggy, patched) = both(&traced[4]);
    assert_eq!((buggy.statements.len(), patched.statements.len()), (4, 2), "up to where it left");
    assert!(!patched.cut);
    assert_eq!(traced[5], traced[0], "whatever ran before");
    let (buggy, patched) = both(&traced[6]);
    assert_eq!(buggy, patched);
}

#[test]
fn failing_tests_of_a_bundled_case_differ_inside_and_outside_of_the_changed_method() {
    let source = "src/main/java/calendar/Gregorian.java";
    let buggy = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/java/leap-year/buggy");
    let text = fs_err::read_to_string(buggy.join(source)).unwrap();
    let fixed = "return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);";
    let patched = text.replace("return year % 4 == 0;", fixed);
    assert_ne!(text, patched);
    let edit = (source.into(), FileEdit::Write(patched.into()));
    let patch = TreeChange { files: [edit].into_iter().collect() };
    let fixture = Fixture::built(tempfile::tempdir().unwrap(), &buggy, patch);
    let tests = [
        "calendar.GregorianTest#februaryOfCenturyHas28Days",
        "calendar.GregorianTest#februaryOfLeapYearHas29Days",
        "calendar.GregorianTest#monthsAreNumberedFromOne",
    ];
    let traced = fixture.tests(&tests, &LIMITS);
    let (buggy, patched) = both(&traced[tests[0]]);
    assert_ne!(buggy.statements, patched.statements, "what comes of it differs");
    assert_eq!(buggy.within_change(), patched.within_change(), "the method itself runs the same lines");
    assert!(!buggy.within_change().is_empty() && buggy.within_change().len() < buggy.statements.len());
    let (buggy, patched) = both(&traced[tests[1]]);
    assert_eq!(buggy, patched);
    assert_eq!(buggy.changed.len(), 2);
    assert_eq!(traced[tests[2]], Traced::NotReached);
}
