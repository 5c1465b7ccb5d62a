//! How much longer tests take when they are traced: one that is all loops, and an ordinary one with many short calls. For
//! `cargo xtask bench`.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{
    Explore, ExploreRequest, ExploredVersion, Project, TestPlan, TraceLimits, Traced, Tracer,
};
use bonafix_lang_java::JavaProject;
use bonafix_model::{
    Delta, FileEdit, JavaConfig, TestId, TestOutcome, TestSelection, TestsConfig, TreeChange, VersionRole,
};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

/// Each has four runs of either kind.
const ROUNDS: u32 = 4;
/// As PATCH-SIM asks for them.
const LIMITS: TraceLimits =
    TraceLimits { statements: 10_000_000, deadline: None, test: Duration::from_secs(20) };
/// Where tests write what they took.
const TIMES: &str = "TIMES";

const LOOPS_FILE: &str = "src/main/java/p/Matrix.java";
/// One call, and some million turns of its innermost loop.
const LOOPS: &str = "package p;
public class Matrix {
    public static long[][] product(int[][] one, int[][] other) {
        long[][] product = new long[one.length][other[0].length];
        for (int row = 0; row < one.length; row++) {
            for (int column = 0; column < other[0].length; column++) {
                long sum = 0;
                for (int at = 0; at < other.length; at++) {
                    sum += (long) one[row][at] * other[at][column];
                }
                product[row][column] = sum;
            }
        }
        return product;
    }
}
";

const CALLS_FILE: &str = "src/main/java/p/Formula.java";
/// Short methods that call each other, and the library now and then.
const CALLS: &str = "package p;
import java.util.*;
public class Formula {
    private final String text;
    private final Map<String, Integer> variables;
    private int at;
    public Formula(String text, Map<String, Integer> variables) {
        this.text = text;
        this.variables = variables;
    }
    public int value() {
        at = 0;
        int value = sum();
        if (!atEnd()) {
            throw new IllegalStateException(text + \" at \" + at);
        }
        return value;
    }
    private int sum() {
        int value = product();
        while (is('+') || is('-')) {
            char operator = next();
            int other = product();
            value = operator == '+' ? value + other : value - other;
        }
        return value;
    }
    private int product() {
        int value = factor();
        while (is('*')) {
            next();
            value *= factor();
        }
        return value;
    }
    private int factor() {
        if (is('(')) {
            next();
            int value = sum();
            next();
            return value;
        }
        return isDigit() ? number() : variable();
    }
    private int number() {
        int value = 0;
        while (isDigit()) {
            value = 10 * value + digit(next());
        }
        return value;
    }
    private int variable() {
        StringBuilder name = new StringBuilder();
        while (isLetter()) {
            name.append(next());
        }
        Integer value = variables.get(name.toString());
        return value == null ? 0 : value;
    }
    private boolean atEnd() {
        skip();
        return at >= text.length();
    }
    private boolean is(char wanted) {
        return !atEnd() && text.charAt(at) == wanted;
    }
    private boolean isDigit() {
        return at < text.length() && Character.isDigit(text.charAt(at));
    }
    private boolean isLetter() {
        return at < text.length() && Character.isLetter(text.charAt(at));
    }
    private static int digit(char character) {
        return character - '0';
    }
    private char next() {
        skip();
        char character = text.charAt(at++);
        skip();
        return character;
    }
    private void skip() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }
}
";

const TESTS_FILE: &str = "src/test/java/p/SpeedTest.java";
/// Tests have no probes. The first one has the clock loaded, and the last one shows when the one before it was done with.
const TESTS: &str = r#"package p;
import java.lang.management.*;
import java.nio.file.*;
import java.util.*;
import org.junit.*;
import static org.junit.Assert.*;
@FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
public class SpeedTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final List<String> TIMES = new ArrayList<>();
    private long start;

    @Before public void starts() { start = THREADS.getCurrentThreadCpuTime(); }

    private void ends(String name) {
        long end = THREADS.getCurrentThreadCpuTime();
        TIMES.add(name + " " + start + " " + end);
    }

    @Test public void a_first() { ends("first"); }

    @Test public void b_loops() {
        int[][] numbers = new int[150][150];
        for (int i = 0; i < 150 * 150; i++) { numbers[i / 150][i % 150] = i % 97; }
        starts();
        long[][] product = Matrix.product(numbers, numbers);
        ends("loops");
        assertTrue(product[149][149] > 0);
    }

    @Test public void c_between() { ends("between"); }

    @Test public void d_calls() {
        Map<String, Integer> variables = new HashMap<>();
        String[] texts = { "1 + 2 * x", "(a + b) * (a - b)", "10 * 10 - 99", "x * x + 2 * x * y + y * y", "((7))" };
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            variables.put("x", i);
            variables.put("y", i + 1);
            variables.put("a", 2 * i);
            for (String text : texts) { sum += new Formula(text, variables).value(); }
        }
        ends("calls");
        assertTrue(sum != 0);
    }

    @Test public void e_last() throws Exception {
        ends("last");
        Files.write(Paths.get(System.getenv("TIMES")), TIMES, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
"#;
const TEST_NAMES: [&str; 5] = ["a_first", "b_loops", "c_between", "d_calls", "e_last"];
/// As a figure says it, the test, and the entry of the times.
const MEASURED: [(&str, &str, &str); 2] =
    [("loop-heavy test", "b_loops", "loops"), ("test with many short calls", "d_calls", "calls")];

/// `cargo test --release -p bonafix-lang-java --test tracing_speed -- --ignored --nocapture`
///
/// Plain runs and traced ones take turns, so that a busy machine is busy for both; and each test runs once in a new VM, as
/// it does when a patch is judged. What counts is the processor time of the thread that runs the test.
#[test]
#[ignore = "prints figures"]
fn tracing_speed() {
    let subject = Subject::new();
    let (buggy, nothing) = (TreeChange::default(), Delta::default());
    let versions = [
        ExploredVersion { role: VersionRole::Buggy, change: &buggy, delta: &nothing },
        ExploredVersion { role: VersionRole::Patched, change: &subject.patch, delta: &subject.delta },
    ];
    let request = ExploreRequest { versions: &versions, failing: &[], passing: &[], heap_mib: 256 };
    let mut tracer = subject.project.tracer(&request, &subject.log).unwrap();
    let (mut without, mut with) = (Times::default(), Times::default());
    for _ in 0..ROUNDS {
        for change in [&buggy, &subject.patch, &buggy, &subject.patch] {
            subject.run_plain(change);
        }
        without.add(&subject.take_times());
        let statements = run_traced(&mut *tracer);
        with.add(&subject.take_times());
        with.statements = statements;
    }
    print_figures(&without, &with);
}

struct Subject {
    _folder: tempfile::TempDir,
    project: JavaProject,
    patch: TreeChange,
    delta: Delta,
    times: Utf8PathBuf,
    log: Utf8PathBuf,
}

impl Subject {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let work = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let (root, times, log) = (work.join("subject"), work.join("times"), work.join("log"));
        for (path, text) in [(LOOPS_FILE, LOOPS), (CALLS_FILE, CALLS), (TESTS_FILE, TESTS)] {
            let file = root.join(path);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, text).unwrap();
        }
        let project = open(&root, &times);
        let patch = patch();
        project.build(&TreeChange::default(), &log).unwrap();
        project.build(&patch, &log).unwrap();
        let delta = project.delta(&patch).unwrap();
        Self { _folder: folder, project, patch, delta, times, log }
    }

    fn run_plain(&self, change: &TreeChange) {
        let plan = TestPlan::new(TestSelection::Only(test_ids()), LIMITS.test);
        let run = self.project.run_tests(change, &plan, &self.log, &mut |_, _| {}).unwrap();
        assert_eq!(run.results.len(), TEST_NAMES.len());
        assert!(run.results.iter().all(|result| result.outcome == TestOutcome::Passed), "{run:?}");
    }

    /// What tests wrote since this was asked for last.
    fn take_times(&self) -> String {
        let times = fs_err::read_to_string(&self.times).unwrap();
        fs_err::remove_file(&self.times).unwrap();
        times
    }
}

/// Without the sandbox, so that tests can say what they took.
fn open(root: &Utf8Path, times: &Utf8Path) -> JavaProject {
    let cache = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let cache = Arc::new(Cache::open(&cache).unwrap());
    let launcher = Arc::new(Launcher::new(SandboxMode::Off).unwrap());
    let env = [(TIMES.to_owned(), times.to_string())].into_iter().collect();
    let tests = TestsConfig { env, ..TestsConfig::default() };
    JavaProject::open(root, &JavaConfig::default(), &tests, cache, launcher).unwrap()
}

/// Changes a method that each of the tests comes to, and nothing that it does.
fn patch() -> TreeChange {
    let product = LOOPS.replace("        return product;", "        return (product);");
    let value = CALLS.replace("int value = sum();\n        if", "int value = 0 + sum();\n        if");
    assert!(product != LOOPS && value != CALLS);
    let edits = [(LOOPS_FILE, product), (CALLS_FILE, value)];
    TreeChange {
        files: edits.map(|(path, text)| (path.into(), FileEdit::Write(text.into()))).into_iter().collect(),
    }
}

fn test_ids() -> Vec<TestId> {
    TEST_NAMES.iter().map(|name| TestId(format!("p.SpeedTest#{name}"))).collect()
}

/// How many statements each measured test ran.
fn run_traced(tracer: &mut dyn Tracer<bonafix_model::Sequence>) -> BTreeMap<&'static str, usize> {
    let mut statements = BTreeMap::new();
    let mut told = |place: usize, traced: Traced| match traced {
        Traced::Both { buggy, patched } => {
            assert!(!buggy.cut && !patched.cut);
            statements.insert(TEST_NAMES[place], buggy.statements.len());
        }
        Traced::NotReached => {}
        Traced::SetAside(why) => panic!("{}: {why}", TEST_NAMES[place]),
    };
    tracer.tests(&test_ids(), &LIMITS, &mut told).unwrap();
    assert!(MEASURED.iter().all(|(_, test, _)| statements.contains_key(test)), "{statements:?}");
    statements
}

/// The best of all runs, in milliseconds.
#[derive(Debug, Default)]
struct Times {
    /// Of a test, by its entry.
    own: BTreeMap<String, f64>,
    /// From its end to the beginning of the next one.
    after: BTreeMap<String, f64>,
    statements: BTreeMap<&'static str, usize>,
}

impl Times {
    /// Adds what the tests of some VMs wrote, one test a line.
    fn add(&mut self, text: &str) {
        let entries: Vec<(&str, f64, f64)> = text.lines().map(entry).collect();
        assert_eq!(entries.len(), 4 * TEST_NAMES.len(), "four VMs");
        for (name, start, end) in &entries {
            keep_best(&mut self.own, name, end - start);
        }
        for vm in entries.chunks(TEST_NAMES.len()) {
            for pair in vm.windows(2) {
                keep_best(&mut self.after, pair[0].0, pair[1].1 - pair[0].2);
            }
        }
    }
}

fn entry(line: &str) -> (&str, f64, f64) {
    let words: Vec<&str> = line.split(' ').collect();
    let milliseconds = |word: &str| word.parse::<f64>().unwrap() / 1e6;
    (words[0], milliseconds(words[1]), milliseconds(words[2]))
}

fn keep_best(best: &mut BTreeMap<String, f64>, name: &str, value: f64) {
    let known = best.entry(name.to_owned()).or_insert(value);
    *known = known.min(value);
}

#[expect(clippy::print_stdout, reason = "figures, for people")]
fn print_figures(plain: &Times, traced: &Times) {
    for (what, test, name) in MEASURED {
        let (without, with) = (plain.own[name], traced.own[name]);
        println!("{what}, plain: {without:.3} ms");
        println!("{what}, traced: {with:.3} ms, {} statements", traced.statements[test]);
        println!("{what}, traced against plain: {:.2} x", with / without);
        let writing = (traced.after[name] - plain.after[name]).max(0.0);
        println!("{what}, writing down its trace: {writing:.3} ms");
    }
}
