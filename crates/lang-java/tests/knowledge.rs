//! What tests and documentation tell: on small programs, and on all cases of the repository.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{ExploredVersion, Project, RunScope, TestPlan};
use bonafix_lang_java::knowledge::{KnowledgeInput, TestCounts, add_captured, gather};
use bonafix_lang_java::toolchain::Jdk;
use bonafix_lang_java::{Arena, ArenaConfig, ArenaSubject, JavaProject, delta};
use bonafix_model::{
    CallableFacts, Catalog, Delta, FileEdit, JavaConfig, Knowledge, Literal, LiteralSource, Sequence,
    SequenceOutcome, Step, TestId, TestSelection, TestsConfig, TreeChange, VersionRole,
};
use bonafix_proc::{Confinement, Job, Launcher, Limits, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

fn launcher() -> Arc<Launcher> {
    Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap())
}

/// A tree of sources with the arena over its program.
struct Opened {
    arena: Arena,
    tree: Utf8PathBuf,
    sources: Vec<Utf8PathBuf>,
    tests: Vec<Utf8PathBuf>,
    roots: Vec<String>,
    _folder: tempfile::TempDir,
}

/// Compiles what is no test in a tree and opens the arena over it.
fn open(tree: &Utf8Path) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let scratch = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let java = |entry: walkdir::DirEntry| {
        let path = Utf8PathBuf::from_path_buf(entry.into_path()).ok()?;
        (path.extension() == Some("java")).then(|| path.strip_prefix(tree).unwrap().to_owned())
    };
    let mut files: Vec<Utf8PathBuf> =
        walkdir::WalkDir::new(tree).into_iter().filter_map(|entry| java(entry.unwrap())).collect();
    files.sort();
    let (tests, sources): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|path| path.as_str().contains("src/test/"));
    let classes = scratch.join("classes");
    fs_err::create_dir_all(&classes).unwrap();
    let jdk = Jdk::find(None).unwrap();
    let mut job = Job::new(jdk.javac().as_str());
    job = job.args(["-nowarn", "-g", "-proc:none", "-encoding", "UTF-8", "-d", classes.as_str()]);
    job = sources.iter().fold(job, |job, source| job.arg(tree.join(source).as_str()));
    let job = job.frozen_env(&scratch).limits(Limits::build()).confinement(Confinement::Open);
    let finished = job.run(&launcher()).unwrap();
    assert!(finished.exit.success(), "{}", finished.stderr.text());
    let class = |path: &Utf8PathBuf| {
        let path = path.as_str().split("src/main/java/").last().unwrap();
        path.strip_suffix(".java").unwrap().replace('/', ".")
    };
    let roots: Vec<String> = sources.iter().map(class).collect();
    let cache = Cache::open(&Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")).unwrap();
    let subject =
        ArenaSubject { versions: vec![vec![classes]], roots: roots.clone(), ..ArenaSubject::default() };
    let arena =
        Arena::open(subject, ArenaConfig::default(), &jdk, &cache, &launcher(), &scratch.join("arena"))
            .unwrap();
    Opened { arena, tree: tree.to_owned(), sources, tests, roots, _folder: folder }
}

impl Opened {
    fn gather(&self, versions: &[ExploredVersion<'_>], failing: &[TestId]) -> (Knowledge, TestCounts) {
        let gathered = gather(&KnowledgeInput {
            catalog: self.arena.catalog(),
            roots: &self.roots,
            tree: &self.tree,
            sources: &self.sources,
            tests: &self.tests,
            versions,
            failing,
            passing: &[],
        });
        (gathered.knowledge, gathered.counts)
    }

    /// How many of the sequences run to their end or to an exception of the program, rather than being unfit.
    fn fit(&mut self, sequences: &[Sequence]) -> usize {
        let outcomes = self.arena.run_in(sequences, &RunScope::default()).unwrap();
        let fits = |outcome: &&SequenceOutcome| matches!(outcome, SequenceOutcome::Same { summary, .. } if !summary.unfit);
        outcomes.iter().filter(fits).count()
    }
}

/// A program and its test, as files below a folder.
fn write_program(folder: &Utf8Path, program: &str, test: &str) {
    for (path, text) in [("src/main/java/p/A.java", program), ("src/test/java/p/ATest.java", test)] {
        let file = folder.join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }
}

/// Everything known of `p.A`, given its members and those of a test.
struct Small {
    catalog: Catalog,
    knowledge: Knowledge,
    counts: TestCounts,
    fit: usize,
}

fn small(members: &str, test: &str) -> Small {
    small_described("", members, test)
}

/// The same for a class that has a description.
fn small_described(description: &str, members: &str, test: &str) -> Small {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    write_program(
        &root,
        &format!("package p;\nimport java.util.*;\n{description}\npublic class A {{\n{members}\n}}\n"),
        &format!(
            "package p;\nimport java.util.*;\nimport static org.junit.Assert.*;\nimport org.junit.*;\npublic class ATest {{\n{test}\n}}\n"
        ),
    );
    let mut opened = open(&root);
    let (knowledge, counts) = opened.gather(&[], &[]);
    let sequences: Vec<Sequence> = knowledge.seeds.iter().map(|seed| seed.sequence.clone()).collect();
    let fit = opened.fit(&sequences);
    Small { catalog: opened.arena.catalog().clone(), knowledge, counts, fit }
}

impl Small {
    /// The calls of each seed, in words: `A.f(1, "x")`.
    fn calls(&self) -> Vec<String> {
        self.knowledge.seeds.iter().map(|seed| self.show(&seed.sequence)).collect()
    }

    fn show(&self, sequence: &Sequence) -> String {
        let mut shown: Vec<String> = Vec::new();
        for step in &sequence.steps {
            let at = |slot: &u32| shown[*slot as usize].clone();
            let list = |slots: &[u32]| slots.iter().map(at).collect::<Vec<_>>().join(", ");
            let text = match step {
                Step::Constant { type_name, value } => match value {
                    Literal::Text(units) => format!("{:?}", String::from_utf16_lossy(units)),
                    Literal::Integer(value) => format!("{value}:{}", type_name.replace("java.lang.", "")),
                    Literal::Double(bits) => format!("{:?}", f64::from_bits(*bits)),
                    other => format!("{other:?}"),
                },
                Step::Call { callable, receiver, arguments, .. } => {
                    let callable = &self.catalog.callables[*callable as usize];
                    let receiver = receiver
                        .as_ref()
                        .map_or_else(|| callable.owner.rsplit('.').next().unwrap().to_owned(), at);
                    format!("{receiver}.{}({})", callable.name, list(arguments))
                }
                Step::Array { items, .. } => format!("[{}]", list(items)),
                Step::Stub { interface, answers } => format!("{interface}->{}", list(answers)),
            };
            shown.push(text);
        }
        // What no other step uses, in order.
        let used: Vec<u32> = sequence.steps.iter().flat_map(|step| step.uses().collect::<Vec<_>>()).collect();
        let ends =
            shown.iter().zip(0..).filter(|(_, slot)| !used.contains(slot)).map(|(text, _)| text.clone());
        ends.collect::<Vec<_>>().join("; ")
    }

    fn facts(&self, name: &str) -> CallableFacts {
        let at = self.catalog.callables.iter().position(|each| each.owner == "p.A" && each.name == name);
        self.knowledge.facts.get(&u32::try_from(at.unwrap()).unwrap()).cloned().unwrap_or_default()
    }
}

const COUNTER: &str = "private int n; public A() {} public A(int n) { this.n = n; }
    public A add(int k) { n += k; return this; } public long wide(long x, double d) { return x; }
    public int get() { return n; } public void set(int k) { n = k; }
    public static int sum(int... all) { return all.length; } public static String join(Object a, String b) { return a + b; }
    public static int max(List<Integer> all) { return Collections.max(all); }
    public int each(java.util.function.IntUnaryOperator f) { return f.applyAsInt(n); }";

#[test]
fn a_test_becomes_its_calls_in_order_and_one_slice_for_each() {
    let small = small(
        COUNTER,
        "@Test public void t() { A a = new A(3); a.add(-2).add(1 + 1); a.set(0x10); assertEquals(7, a.get()); }",
    );
    assert_eq!(small.counts, TestCounts { whole: 1, in_part: 0, not_at_all: 0 });
    let calls = small.calls();
    assert_eq!(
        calls[0],
        "A.<init>(3:int).add(-2:int).add(2:int); A.<init>(3:int).set(16:int); A.<init>(3:int).get()"
    );
    assert!(calls.contains(&"A.<init>(3:int).add(-2:int)".to_owned()), "{calls:?}");
    assert_eq!(small.fit, small.knowledge.seeds.len());
}

#[test]
fn constants_take_the_types_of_parameters_and_varargs_become_arrays() {
    let small = small(
        COUNTER,
        "static final int TEN = 10; @Test public void t() { new A().wide(TEN * 2, 1); A.sum(1, 2, TEN); A.sum();
         A.join(5, \"x\" + TEN + 'c'); A.max(Arrays.asList(3, 1)); }",
    );
    assert_eq!(
        small.calls()[0],
        "A.<init>().wide(20:long, 1.0); A.sum([1:int, 2:int, 10:int]); A.sum([]); A.join(5:Integer, \"x10c\"); \
         A.max(Arrays.asList([3:Integer, 1:Integer]))"
    );
    assert_eq!(small.counts.whole, 1);
    assert_eq!(small.fit, small.knowledge.seeds.len());
}

#[test]
fn set_up_fields_helpers_loops_and_lambdas_are_followed() {
    let small = small(
        COUNTER,
        "private A a; private final int step = 4; @Before public void before() { a = make(1); }
         private static A make(int n) { if (n > 0) { return new A(n); } return null; }
         @Test public void t() { for (int i = 0; i < 3; i++) { a.add(i * step); }
         for (String s : new String[] {\"p\", \"q\"}) { A.join(s, s); } assertEquals(9, a.each(x -> 9)); }",
    );
    assert_eq!(
        small.calls()[0],
        "A.<init>(1:int).add(0:int); A.<init>(1:int).add(4:int); A.<init>(1:int).add(8:int); A.join(\"p\", \"p\"); \
         A.join(\"q\", \"q\"); A.<init>(1:int).each(java.util.function.IntUnaryOperator->9:int)"
    );
    assert_eq!(small.counts.whole, 1);
    assert_eq!(small.fit, small.knowledge.seeds.len());
}

#[test]
fn expected_exceptions_end_an_input_and_are_facts() {
    let small = small(
        "public A(int n) { if (n < 0) throw new IllegalArgumentException(); }
         public int at(int i) { if (i < 0) throw new IndexOutOfBoundsException(); return i; }
         public void stop() { throw new IllegalStateException(); }
         /** @throws ArithmeticException always */ public void divide() throws java.io.IOException { throw new ArithmeticException(); }",
        "@Test public void t() { A a = new A(1); try { a.at(-1); fail(); } catch (IndexOutOfBoundsException e) { } a.at(2); }
         @Test(expected = IllegalArgumentException.class) public void u() { new A(-5); }
         @Test public void v() { A a = new A(2); assertThrows(IllegalStateException.class, a::stop); assertThrows(IllegalStateException.class, () -> a.stop()); }",
    );
    let calls = small.calls();
    // The test goes on behind what it expects.
    let whole = "A.<init>(1:int).at(-1:int); A.<init>(1:int).at(2:int)";
    assert!(calls.contains(&whole.to_owned()), "{calls:?}");
    assert!(calls.contains(&"A.<init>(1:int).at(-1:int)".to_owned()), "{calls:?}");
    assert_eq!(small.facts("at").expected, ["java.lang.IndexOutOfBoundsException"]);
    assert_eq!(small.facts("<init>").expected, ["java.lang.IllegalArgumentException"]);
    assert_eq!(small.facts("stop").expected, ["java.lang.IllegalStateException"]);
    assert_eq!(small.facts("divide").exceptions, ["java.io.IOException", "java.lang.ArithmeticException"]);
    assert!(small.facts("stop").tested && !small.facts("divide").tested);
    let at = &small.facts("at").parameters[0];
    assert!(at.negative && at.positive && !at.zero && at.seen == 2);
    assert_eq!(at.range, Some((-1, 2)));
}

/// Found on a correct patch of a class that documents what happens to values that cannot be compared: that was taken for
/// a promise on each object, those that were given a comparator too.
#[test]
fn casts_that_fail_and_what_a_class_description_names_are_no_more_than_what_a_test_expects() {
    let small = small_described(
        "/** Mixing types results in an IllegalArgumentException. */",
        "/** @throws IllegalStateException always
             @throws ClassCastException for what cannot be compared */
         public void stop() { throw new IllegalStateException(); }",
        "@Test public void t() { new A(); }",
    );
    assert_eq!(small.facts("stop").exceptions, ["java.lang.IllegalStateException"]);
    let weaker = ["java.lang.ClassCastException", "java.lang.IllegalArgumentException"];
    assert_eq!(small.facts("stop").expected, weaker);
}

#[test]
fn what_cannot_be_said_is_left_out_and_the_rest_stays() {
    let small = small(
        COUNTER,
        "@Test public void t() throws Exception { A a = new A(1); a.add(System.in.read()); a.add(2); a.missing(a.get());
         if (a.get() > 1) { a.set(5); } else { a.set(6); } }",
    );
    assert_eq!(small.counts, TestCounts { whole: 0, in_part: 1, not_at_all: 0 });
    let calls = small.calls();
    assert!(calls[0].starts_with("A.<init>(1:int).add(2:int); A.<init>(1:int).get()"), "{calls:?}");
    for way in ["set(5:int)", "set(6:int)"] {
        assert!(calls.iter().any(|call| call.ends_with(way)), "{calls:?}");
    }
    assert!(small.facts("add").tested);
}

#[test]
fn precision_is_the_coarsest_within_reason() {
    let test = "static final double EPS = 1e-6;
        @Test public void t() { assertEquals(1.0, new A().get(), EPS); assertEquals(\"m\", 2.0, new A(1).get(), 0); }";
    assert_eq!(small(COUNTER, test).knowledge.precision, Some(1e-6));
    let test = "@Test public void t() { assertEquals(1.0, new A().get(), 0.5); }";
    assert_eq!(small(COUNTER, test).knowledge.precision, Some(1e-3));
    let test = "@Test public void t() { assertEquals(1, new A().get()); }";
    assert_eq!(small(COUNTER, test).knowledge.precision, None);
}

#[test]
fn constants_of_the_change_come_first_and_failing_tests_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let program = "package p;\npublic class A {\n  static final int MAX = 77;\n  public static int f(int x) {\n    int y = 5;\n    return x > 100 ? y : x;\n  }\n}\n";
    let fixed = program.replace("100", "-100");
    write_program(
        &root,
        program,
        "package p; import org.junit.Test; public class ATest { @Test public void a() { A.f(1); } @Test public void b() { A.f(2000); } }",
    );
    let path = Utf8PathBuf::from("src/main/java/p/A.java");
    let change = TreeChange { files: [(path.clone(), FileEdit::Write(fixed.clone().into_bytes()))].into() };
    let delta =
        Delta { files: vec![delta::delta_file(&path, Some(program.as_bytes()), Some(fixed.as_bytes()))] };
    let version = ExploredVersion { role: VersionRole::Reference, change: &change, delta: &delta };
    let opened = open(&root);
    let (knowledge, _) = opened.gather(&[version], &[TestId("p.ATest#b".to_owned())]);
    let found: Vec<_> = knowledge.literals.iter().map(|each| (each.source, each.value.clone())).collect();
    assert_eq!(
        found,
        [
            (LiteralSource::Change, Literal::Integer(100)),
            (LiteralSource::Change, Literal::Integer(-100)),
            (LiteralSource::Method, Literal::Integer(5)),
            (LiteralSource::Class, Literal::Integer(77)),
            (LiteralSource::Test, Literal::Integer(1)),
            (LiteralSource::Test, Literal::Integer(2000)),
        ]
    );
    let order: Vec<(&str, bool)> =
        knowledge.seeds.iter().map(|seed| (seed.test.0.as_str(), seed.failing)).collect();
    assert_eq!(order, [("p.ATest#b", true), ("p.ATest#a", false)]);
}

/// What a test computes cannot be read from its text, but it can be seen when it runs.
#[test]
fn tests_that_do_not_come_apart_are_watched() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let tree = root.join("subject");
    write_program(
        &tree,
        "package p; import java.util.*;
         public class A { public enum Mode { UP, DOWN } private int n; public A(int n) { this.n = n; }
         public A add(int k) { n += k; inner(k); return this; } void inner(int k) { }
         public int get(Mode mode) { return n; }
         public static int sum(List<Integer> all, int[] more, java.math.BigDecimal d) { return all.size(); }
         public static int half(int k) { if (k % 2 != 0) { throw new IllegalArgumentException(); } return k / 2; } }",
        "package p; import java.util.*; import org.junit.Test; import static org.junit.Assert.*;
         public class ATest { static int seven() { return Integer.bitCount(127); }
         @Test public void t() { A a = new A(seven()); a.add(seven() - 9); assertEquals(5, a.get(A.Mode.values()[1])); }
         @Test public void u() { List<Integer> l = new ArrayList<>(); l.add(seven()); l.add(1);
           A.sum(l, new int[] {seven()}, new java.math.BigDecimal(seven()).movePointLeft(1)); }
         @Test public void v() { try { A.half(seven()); fail(); } catch (RuntimeException e) { } } }",
    );
    let mut opened = open(&tree);
    let (mut knowledge, counts) = opened.gather(&[], &[]);
    assert_eq!(counts.whole, 0, "{:?}", knowledge.problems);
    let cache = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let cache = Arc::new(Cache::open(&cache).unwrap());
    let project =
        JavaProject::open(&tree, &JavaConfig::default(), &TestsConfig::default(), cache, launcher()).unwrap();
    let log = root.join("log");
    let buggy = TreeChange::default();
    project.build(&buggy, &log).unwrap();
    let plan = TestPlan::new(TestSelection::all(), Duration::from_secs(20));
    let captured = project.capture(&buggy, &["p.A".to_owned()], &plan, &log).unwrap();
    assert_eq!(captured.passed.len(), 3);
    let before = knowledge.seeds.len();
    let catalog = opened.arena.catalog().clone();
    add_captured(&mut knowledge, &catalog, &captured, &[TestId("p.ATest#u".to_owned())]);
    let sequences: Vec<Sequence> = knowledge.seeds.iter().map(|seed| seed.sequence.clone()).collect();
    assert!(knowledge.seeds[0].failing);
    let small = Small { catalog, fit: opened.fit(&sequences), knowledge, counts };
    let calls = small.calls();
    for wanted in [
        "A.sum(Arrays.asList([7:Integer, 1:Integer]), [7:int], BigDecimal.<init>(\"0.7\"))",
        "A.<init>(7:int).add(-2:int)",
        "A.<init>(7:int).add(-2:int); A.<init>(7:int).get(A$Mode.DOWN())",
        "A.half(7:int)",
    ] {
        assert!(calls.contains(&wanted.to_owned()), "{wanted} is not in {calls:#?}");
    }
    assert!(small.knowledge.seeds.len() > before);
    assert_eq!(small.fit, small.knowledge.seeds.len());
    let half = small.facts("half");
    assert!(half.expected.contains(&"java.lang.IllegalArgumentException".to_owned()), "{half:?}");
    assert_eq!(half.parameters[0].range, Some((7, 7)));
    let sum = &small.facts("sum").parameters[0];
    assert!(sum.unsorted && !sum.repeated && sum.lists == 1, "{sum:?}");
}

/// The cases of the repository: nearly all of their tests come apart, and what comes of them runs.
#[test]
fn tests_of_all_cases_come_apart() {
    let cases =
        Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/java").canonicalize_utf8().unwrap();
    let mut names: Vec<Utf8PathBuf> =
        cases.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path()).collect();
    names.sort();
    let mut total = TestCounts::default();
    for case in names.iter().filter(|case| case.join("buggy").is_dir()) {
        let mut opened = open(&case.join("buggy"));
        let (knowledge, counts) = opened.gather(&[], &[]);
        let sequences: Vec<Sequence> = knowledge.seeds.iter().map(|seed| seed.sequence.clone()).collect();
        let fit = opened.fit(&sequences);
        let tested = knowledge.facts.values().filter(|facts| facts.tested).count();
        println!(
            "{:24} whole {:3} in part {:3} none {:3} | seeds {:4} run {:4} | tested {:3} precision {:?}",
            case.file_name().unwrap(),
            counts.whole,
            counts.in_part,
            counts.not_at_all,
            sequences.len(),
            fit,
            tested,
            knowledge.precision,
        );
        for problem in &knowledge.problems {
            println!("    {problem}");
        }
        assert!(fit * 10 >= sequences.len() * 9, "{case}: {fit} of {} run", sequences.len());
        assert!(counts.whole > 0, "{case}: {counts:?}");
        total.whole += counts.whole;
        total.in_part += counts.in_part;
        total.not_at_all += counts.not_at_all;
    }
    println!("{total:?}");
    let all = total.whole + total.in_part + total.not_at_all;
    assert!(total.whole * 10 >= all * 8, "{total:?}");
}
