//! A search's ground: probes in all versions, goals and how near inputs come to them, what leads to the change.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod arena_support;

use std::time::{Duration, Instant};

use arena_support::{Dice, compile, launcher, random_sequence, try_random_sequence};
use bonafix_lang::{Run, RunScope};
use bonafix_lang_java::ArenaConfig;
use bonafix_lang_java::delta::delta_file;
use bonafix_lang_java::explore::{ExploreSubject, ExploreTools, JavaRun, Preparation, VersionFolders, open};
use bonafix_lang_java::toolchain::Jdk;
use bonafix_model::{
    Breakdown, ChangeKind, Confirmation, Delta, DeltaElement, DeltaFile, ElementKind, GoalId, GoalPurpose,
    LineAlignment, LineRange, Literal, Notice, Ran, Sequence, SequenceOutcome, Step, Target, VersionRole,
};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

const ROLES: [VersionRole; 3] = [VersionRole::Reference, VersionRole::Patched, VersionRole::Buggy];

/// Files of one version: path and text.
type Sources = Vec<(&'static str, String)>;

struct Opened {
    run: JavaRun,
    notices: Vec<Notice>,
    _folder: tempfile::TempDir,
}

fn delta(buggy: &Sources, other: &Sources) -> Delta {
    let mut files = Vec::new();
    for (path, text) in other {
        let before = buggy.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_bytes());
        if before != Some(text.as_bytes()) {
            files.push(delta_file(Utf8Path::new(path), before, Some(text.as_bytes())));
        }
    }
    Delta { files }
}

/// Opens reference, patched and buggy sources.
fn open_with(versions: [&Sources; 3], config: ArenaConfig) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let launcher = launcher();
    let deltas: Vec<Delta> = versions.iter().map(|sources| delta(versions[2], sources)).collect();
    let mut subject = ExploreSubject { versions: Vec::new(), libraries: Vec::new() };
    for (number, sources) in versions.iter().enumerate() {
        let output = root.join(format!("classes-{number}"));
        fs_err::create_dir_all(&output).unwrap();
        if !sources.is_empty() {
            compile(sources, &output);
        }
        subject.versions.push(VersionFolders {
            role: ROLES[number],
            delta: &deltas[number],
            folders: vec![output],
        });
    }
    let cache = Cache::open(&Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")).unwrap();
    let preparation = Preparation::new(&root.join("prepared"));
    let tools = ExploreTools {
        jdk: &Jdk::find(None).unwrap(),
        cache: &cache,
        launcher: &launcher,
        preparation: &preparation,
        scratch: &root.join("search"),
    };
    let (run, notices) = open(&subject, config, &tools).unwrap();
    Opened { run, notices, _folder: folder }
}

/// One class `p.A` in three versions: `%` stands for what differs.
fn open_class(body: &str, versions: [&str; 3]) -> Opened {
    open_class_with(body, versions, ArenaConfig::default())
}

fn open_class_with(body: &str, versions: [&str; 3], config: ArenaConfig) -> Opened {
    let sources = versions.map(|version| {
        let body = body.replace('%', version);
        vec![("p/A.java", format!("package p;\nimport java.util.*;\npublic class A {{\n{body}\n}}\n"))]
    });
    open_with(sources.each_ref(), config)
}

fn callable(run: &JavaRun, name: &str) -> u32 {
    let names = run.catalog().callables.iter().map(|each| format!("{}#{}", each.owner, each.name));
    u32::try_from(names.into_iter().position(|each| each == name).expect(name)).unwrap()
}

/// A call of a static method of `p.A` with numbers.
fn call(run: &JavaRun, name: &str, arguments: &[i64]) -> Sequence {
    let constant =
        |value: &i64| Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(*value) };
    let mut steps: Vec<Step> = arguments.iter().map(constant).collect();
    steps.push(Step::Call {
        callable: callable(run, &format!("p.A#{name}")),
        receiver: None,
        arguments: (0..u32::try_from(arguments.len()).unwrap()).collect(),
        caught: false,
    });
    Sequence { steps }
}

fn searched() -> RunScope {
    RunScope { versions: vec![0, 1], show_all: false, ..RunScope::default() }
}

fn run_one(run: &mut JavaRun, sequence: &Sequence) -> Ran {
    run.run(std::slice::from_ref(sequence), &searched()).unwrap().remove(0)
}

fn progress(ran: &Ran, goal: GoalId) -> Option<f64> {
    ran.feedback.progress.iter().find(|progress| progress.goal == goal).map(|progress| progress.distance)
}

fn goals_for(run: &JavaRun, purpose: GoalPurpose) -> Vec<GoalId> {
    (0..).zip(run.goals()).filter(|(_, goal)| goal.purpose == purpose).map(|(id, _)| id).collect()
}

const LIMIT: &str = r"
    public static int outer(int x) { return middle(x) + 1; }
    private static int middle(int x) { return check(x, 3); }
    static int check(int x, int y) {
        if (y > 100) { return 7; }
        if (x < %) { return 1; }
        return 2;
    }
    public static int other(int x) { return x > 4 ? 1 : 0; }
    public static int unrelated() { return 5; }
";

#[test]
fn inputs_come_nearer_to_where_conditions_part() {
    let mut opened = open_class(LIMIT, ["999", "1000", "500"]);
    let run = &mut opened.run;
    let part = goals_for(run, GoalPurpose::Part);
    assert_eq!(part.len(), 2, "{:?}", run.goals());
    let inputs: Vec<Sequence> = [0, 900, 990, 998, 999].map(|x| call(run, "check", &[x, 0])).to_vec();
    let ran = run.run(&inputs, &searched()).unwrap();
    // One of the two ways is possible: the reference does not go in, the patched version does.
    let goal = part.into_iter().find(|goal| progress(&ran[4], *goal) == Some(0.0)).unwrap();
    let distances: Vec<f64> = ran.iter().map(|ran| progress(ran, goal).unwrap()).collect();
    assert!(distances.is_sorted_by(|one, next| one > next), "{distances:?}");
    assert!((distances[3] - 0.5).abs() < 1e-9, "{distances:?}");
    assert!(matches!(ran[4].outcome, SequenceOutcome::Differs { .. }));
    assert!(ran.iter().all(|ran| ran.feedback.reached));
    assert!(run_one(run, &inputs[4]).feedback.progress.is_empty(), "it is not nearer than it was");
}

const CLOCK: &str = r"
    public static long now() { return System.currentTimeMillis() + 0 * %; }
    public static long supplied() { java.util.function.LongSupplier now = System::currentTimeMillis; return now.getAsLong() + 0 * %; }
    public static long later() throws InterruptedException { Thread.sleep(4); return System.currentTimeMillis() + 0 * %; }
    public static boolean passes() {
        long begin = System.nanoTime();
        return System.nanoTime() > begin + 0 * %;
    }
    public static int waits() {
        long end = System.currentTimeMillis() + 3;
        int turns = 0;
        while (System.currentTimeMillis() < end) { turns++; }
        return turns > 0 ? 1 : %;
    }
";

/// Versions run one after the other, and what hangs on the clock would make them differ each time.
#[test]
fn versions_see_the_same_time_and_what_hangs_on_it_shows_when_it_is_run_again() {
    let mut opened = open_class(CLOCK, ["1", "2", "3"]);
    let run = &mut opened.run;
    let names = ["now", "supplied", "later", "passes", "waits"];
    let inputs: Vec<Sequence> = names.map(|name| call(run, name, &[])).to_vec();
    for _ in 0..3 {
        let ran = run
            .run(&inputs, &RunScope { versions: vec![0, 1], show_all: true, ..RunScope::default() })
            .unwrap();
        for (name, ran) in names.iter().zip(ran) {
            assert!(matches!(ran.outcome, SequenceOutcome::Same { .. }), "{name}: {:?}", ran.outcome);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let all = RunScope { versions: vec![0, 1], show_all: true, ..RunScope::default() };
    let unstable = |run: &mut JavaRun, number: usize| {
        let seen = run.confirm(&inputs[number], 3, &all).unwrap();
        seen.iter().all(|seen| matches!(seen, Confirmation::Unstable { .. }))
    };
    assert!(unstable(run, 0) && unstable(run, 1) && unstable(run, 2));
    assert!(!unstable(run, 3) && !unstable(run, 4));
}

const LOOP: &str = r"
    public static int within(int from, int turns) {
        int count = 0;
        for (int x = from; turns > 0; turns--, x += 5) {
            if (x < %) { count++; }
        }
        return count;
    }
";

#[test]
fn conditions_in_a_loop_part_only_where_they_are_decided_at_the_same_turn() {
    let mut opened = open_class(LOOP, ["998", "1000", "500"]);
    let run = &mut opened.run;
    let part = goals_for(run, GoalPurpose::Part);
    // Both versions go in at some turns and not at others, always at the same ones.
    let in_and_out = call(run, "within", &[985, 30]);
    let ran = run_one(run, &in_and_out);
    assert!(matches!(ran.outcome, SequenceOutcome::Same { .. }));
    let distances: Vec<f64> = part.iter().map(|goal| progress(&ran, *goal).unwrap()).collect();
    assert!(distances.iter().all(|distance| *distance > 0.0), "{distances:?}");
    let parted = call(run, "within", &[999, 2]);
    let ran = run_one(run, &parted);
    assert!(matches!(ran.outcome, SequenceOutcome::Differs { .. }));
    assert!(part.iter().any(|goal| progress(&ran, *goal) == Some(0.0)), "{ran:?}");
}

const TREE: &str = r"
    static class Node { final Node[] children; int value; Node(int width) { children = new Node[width]; } }
    public static Node tree(int depth, int width) {
        Node node = new Node(depth == 0 ? 0 : width);
        node.value = depth == 0 ? % : 7;
        for (int i = 0; depth > 0 && i < width; i++) { node.children[i] = tree(depth - 1, width); }
        return node;
    }
    static String text() { return new String(new char[4 * %]).replace('\0', 'x'); }
    public static Object[] boxed(int filler) {
        Object[] texts = {text(), text(), text(), text(), new char[filler], new Object[] {new Object[] {1}}};
        return new Object[] {new Object[] {texts}};
    }
";

#[test]
fn a_large_value_is_looked_at_less_deeply_and_in_both_versions_alike() {
    let mut opened = open_class(TREE, ["900", "1000", "500"]);
    let run = &mut opened.run;
    // Leaves differ: in a small tree they are seen, in a large one they are too deep.
    let (small, large) = (call(run, "tree", &[2, 2]), call(run, "tree", &[5, 9]));
    assert!(matches!(run_one(run, &small).outcome, SequenceOutcome::Differs { .. }));
    assert!(matches!(run_one(run, &large).outcome, SequenceOutcome::Same { .. }));
    // One version stays below what is too large and the other does not: the depth of the first holds for both.
    let boxed = call(run, "boxed", &[250]);
    let SequenceOutcome::Differs { observations, .. } = run_one(run, &boxed).outcome else { panic!("same") };
    let deep = observations.iter().map(|observation| format!("{observation:?}").matches("Deep").count());
    let deep: Vec<usize> = deep.collect();
    assert_eq!(deep[0], deep[1]);
}

#[test]
fn it_is_told_when_changed_code_compares_what_is_not_a_number() {
    // That a class compares one while it is initialised says nothing about the input that comes to it first.
    let root = "
    static class Odd { static final int ONE = Math.sqrt(-Math.random() - 1) < 3 ? 2 : 1; }
    public static int root(int x) { return Math.sqrt(x) < % ? Odd.ONE : 2; }";
    let mut opened = open_class(root, ["999", "1000", "500"]);
    let run = &mut opened.run;
    for (argument, expected) in [(4, false), (-4, true), (9, false)] {
        let input = call(run, "root", &[argument]);
        assert_eq!(run_one(run, &input).feedback.compared_nan, expected, "{argument}");
    }
}

#[test]
fn only_what_runs_through_changed_code_has_reached_it() {
    let mut opened = open_class(LIMIT, ["999", "1000", "500"]);
    let run = &mut opened.run;
    let reach = goals_for(run, GoalPurpose::Reach);
    assert_eq!(reach.len(), 2, "one for each version: {:?}", run.goals());
    let stopped = call(run, "check", &[1, 200]);
    let stopped = run_one(run, &stopped);
    assert!(!stopped.feedback.reached);
    // The block itself, and the condition before it that was off by a hundred.
    let distance = progress(&stopped, reach[0]).unwrap();
    assert!((1.9..2.0).contains(&distance), "{distance}");
    let other = call(run, "other", &[1]);
    let other = run_one(run, &other);
    assert!(!other.feedback.reached && progress(&other, reach[0]).is_none());
    let around = goals_for(run, GoalPurpose::Around);
    assert!(other.feedback.progress.iter().any(|progress| around.contains(&progress.goal)));
    let unrelated = call(run, "unrelated", &[]);
    assert!(run_one(run, &unrelated).feedback.progress.is_empty());
    let outer = call(run, "outer", &[5]);
    let outer = run_one(run, &outer);
    assert!(outer.feedback.reached);
    assert_eq!(progress(&outer, reach[0]), Some(0.0));
}

#[test]
fn targets_are_callables_from_which_the_change_is_reached() {
    let opened = open_class(LIMIT, ["999", "1000", "500"]);
    let run = &opened.run;
    let named: Vec<(u32, &str)> = run
        .targets()
        .iter()
        .map(|target| (target.distance, run.catalog().callables[target.callable as usize].name.as_str()))
        .collect();
    assert_eq!(named, [(0, "check"), (2, "outer")]);
    assert!(opened.notices.is_empty(), "{:?}", opened.notices);
}

const CALLERS: &str = r#"
package p;
import java.util.*;
interface Rule { int apply(int x); }
abstract class Base implements Rule { public int twice(int x) { return apply(x) + apply(x); } }
class Strict extends Base { public int apply(int x) { return x + %; } }
class Lax extends Base { public int apply(int x) { return x; } }
class Rules {
    static int LIMIT = Integer.parseInt("%");
    static int all(List<Rule> rules, int x) { int s = 0; for (Rule rule : rules) s += rule.apply(x); return s; }
    static List<Integer> sorted(List<Integer> list) {
        list.sort(new Comparator<Integer>() { public int compare(Integer a, Integer b) { return %; } });
        return list;
    }
    static int viaLambda(int x) { java.util.function.IntUnaryOperator f = y -> y * %; return f.applyAsInt(x); }
    static int idle() { return 3; }
}
class Far { int go(Rule rule) { return rule.apply(4); } int limit() { return Rules.LIMIT; } int idle() { return 4; } }
"#;

#[test]
fn overriding_lambdas_anonymous_classes_and_fields_lead_to_the_change() {
    let sources = ["2", "3", "1"].map(|number| vec![("p/Rules.java", CALLERS.replace('%', number))]);
    let opened = open_with(sources.each_ref(), ArenaConfig::default());
    let run = &opened.run;
    let named: Vec<String> = run
        .targets()
        .iter()
        .map(|target| {
            let callable = &run.catalog().callables[target.callable as usize];
            format!("{} {}.{}", target.distance, callable.owner, callable.name)
        })
        .collect();
    for wanted in [
        "0 p.Strict.apply",
        "0 p.Rule.apply",
        "1 p.Rules.all",
        "1 p.Base.twice",
        "1 p.Far.go",
        "1 p.Far.limit",
        "0 p.Rules.viaLambda",
        "0 p.Rules.sorted",
    ] {
        assert!(named.iter().any(|name| name == wanted), "{wanted}: {named:?}");
    }
    assert!(!named.iter().any(|name| name.contains("Lax") || name.contains("p.Far.idle")), "{named:?}");
}

const ENDLESS: &str = r"
    static int calls;
    public static int good(int x) { return x + %; }
    public static int count() { return ++calls; }
    public static int loop() { for (;;) { calls++; } }
    public static int stubborn() { int n = 0; while (true) { try { n++; if (n < 0) break; } catch (Throwable t) { n = 0; } } return n; }
    public static int forgiving() { try { loop(); } catch (Throwable t) { } return 1; }
    public static int last() { try { return loop(); } finally { for (int i = 0; i >= 0; i = (i + 1) % 5) { calls++; } } }
    public static int recurse(int x) { return x <= 0 ? 1 : recurse(x - 1) + recurse(x - 1); }
    public static int deep(int x) { return deep(x + 1) + 1; }
    public static int thread() throws Exception { Thread t = new Thread(() -> { for (;;) { } }); t.start(); t.join(); return 1; }
    public abstract static class Maker { public Maker() { while (more() == 0) { } } abstract int more(); }
    public static int made(Maker maker) { return 1; }
    public static int some(int x) { int s = 0; for (int i = 0; i < x; i++) { s += i; } return s; }
";

#[test]
fn what_does_not_end_is_ended_without_losing_the_vm() {
    let body = ENDLESS.replace("% 5", "& 3");
    let mut opened = open_class(&body, ["1", "2", "3"]);
    let run = &mut opened.run;
    let good = call(run, "good", &[1]);
    for (name, arguments) in [
        ("loop", &[][..]),
        ("stubborn", &[]),
        ("forgiving", &[]),
        ("last", &[]),
        ("recurse", &[40]),
        ("thread", &[]),
    ] {
        let bad = call(run, name, arguments);
        let start = Instant::now();
        let ran = run.run(&[good.clone(), bad.clone(), good.clone()], &searched()).unwrap();
        assert!(start.elapsed() < Duration::from_secs(2), "{name}: {:?}", start.elapsed());
        let expected = SequenceOutcome::Failed { version: 0, breakdown: Breakdown::Timeout };
        assert_eq!(ran[1].outcome, expected, "{name}");
        for index in [0, 2] {
            assert!(matches!(ran[index].outcome, SequenceOutcome::Differs { .. }), "{name}");
            assert!(ran[index].feedback.reached);
        }
    }
    let mut made = call(run, "made", &[0]);
    made.steps[0] = Step::Stub { interface: "p.A$Maker".to_owned(), answers: Vec::new() };
    let endless = SequenceOutcome::Failed { version: 0, breakdown: Breakdown::Timeout };
    assert_eq!(run_one(run, &made).outcome, endless);
    let bad = call(run, "forgiving", &[]);
    let confirmed = run.confirm(&bad, 2, &RunScope::default()).unwrap();
    assert!(confirmed.iter().all(|each| *each == Confirmation::Failed(Breakdown::Timeout)), "{confirmed:?}");
    for (name, arguments) in [("deep", &[1][..]), ("some", &[100_000])] {
        let fine = call(run, name, arguments);
        assert!(matches!(run_one(run, &fine).outcome, SequenceOutcome::Same { .. }), "{name}");
    }
    assert_eq!(run.arena().losses().restarts, 0);
}

const INITIALISED: &str = r"
    static class Table {
        static final int[] ALL = new int[256];
        static { for (int i = 0; i < 5000000; i++) { ALL[i & 255] += i; } }
    }
    static class Elsewhere {
        static final int[] ALL = new int[256];
        static { for (int i = 0; i < 5000000; i++) { ALL[i & 255] += i; } }
    }
    static class Before {
        static int all;
        static { for (int i = 0; i < 5000000; i++) { all += i; } }
    }
    static class Never {
        static int x;
        static { while (x >= 0) { x = (x + 1) & 7; } }
    }
    public static int table(int x) { return Table.ALL[x & 255] + (x < % ? 1 : 2); }
    public static int thread(int x) throws Exception {
        int[] seen = {0};
        Thread work = new Thread(() -> { seen[0] = Elsewhere.ALL[x & 255]; });
        work.start();
        work.join();
        return seen[0];
    }
    public static int goesOn() { int s = Before.all; for (int i = 0; i < 400000; i++) { s += i; } return s; }
    public static int never() { return Never.x; }
";

#[test]
fn a_static_initialiser_takes_no_steps_from_the_input_that_comes_to_it() {
    let mut opened = open_class(INITIALISED, ["10", "10", "12"]);
    let run = &mut opened.run;
    let (table, thread) = (call(run, "table", &[3]), call(run, "thread", &[3]));
    for input in [&table, &thread, &table, &thread] {
        let SequenceOutcome::Same { summary, .. } = run_one(run, input).outcome else { panic!("{input:?}") };
        assert!(!summary.threw, "{input:?}");
    }
    let endless = SequenceOutcome::Failed { version: 0, breakdown: Breakdown::Timeout };
    // What is left is as much as it was before.
    let goes_on = call(run, "goesOn", &[]);
    assert_eq!(run_one(run, &goes_on).outcome, endless);
    // One that has no end is ended, each time in the version that is first to come to it.
    let never = call(run, "never", &[]);
    for input in [&never, &table, &never] {
        let is_never = input == &never;
        assert_eq!(run_one(run, input).outcome == endless, is_never, "{input:?}");
    }
    assert_eq!(run.arena().losses().restarts, 0);
}

#[test]
fn static_state_is_fresh_after_what_did_not_end() {
    let body = ENDLESS.replace("% 5", "& 3");
    let mut opened = open_class(&body, ["1", "1", "3"]);
    let run = &mut opened.run;
    let (count, bad) = (call(run, "count", &[]), call(run, "loop", &[]));
    let inputs = [count.clone(), count.clone(), bad, count];
    let ran = run.run(&inputs, &searched()).unwrap();
    let digest = |ran: &Ran| match &ran.outcome {
        SequenceOutcome::Same { summary, .. } => summary.digest,
        other => panic!("{other:?}"),
    };
    assert_ne!(digest(&ran[0]), digest(&ran[1]));
    assert_eq!(digest(&ran[0]), digest(&ran[3]));
}

const EXITING: &str = r"
    public static int check(int x) { if (x == 77) { System.exit(3); } if (x < %) { return 1; } return 2; }
";

#[test]
fn a_restarted_vm_reports_no_progress_that_was_made_before() {
    let inputs = |run: &JavaRun| -> Vec<Sequence> {
        [10, 77, 10, 400, 77, 400, 10].map(|x| call(run, "check", &[x])).to_vec()
    };
    let mut opened = open_class(EXITING, ["999", "1000", "500"]);
    let run = &mut opened.run;
    let inputs = inputs(run);
    let ran = run.run(&inputs, &searched()).unwrap();
    assert_eq!(run.arena().losses().restarts, 2);
    for index in [1, 4] {
        let exit = SequenceOutcome::Failed { version: 0, breakdown: Breakdown::Exit(3) };
        assert_eq!(ran[index].outcome, exit);
    }
    assert!(!ran[0].feedback.progress.is_empty() && !ran[3].feedback.progress.is_empty());
    for index in [2, 5, 6] {
        assert!(ran[index].feedback.reached && ran[index].feedback.progress.is_empty(), "{:?}", ran[index]);
    }
}

const SWITCHES: &str = r#"
    public static String name(int x, double d, long l, Object o) {
        switch (x) { case 3: return "three"; case 10: return "ten"; case 500: return "much"; default: }
        if (d > 2.5) { return "large" + %; }
        if (l >= 5_000_000_000L) { return "long"; }
        if (o == null) { return "null"; }
        return "none";
    }
"#;

#[test]
fn branches_of_all_kinds_have_distances() {
    let mut opened = open_class(SWITCHES, ["1", "2", "3"]);
    let run = &mut opened.run;
    let goal = |run: &JavaRun, text: &str| -> GoalId {
        let at = run.goals().iter().position(|goal| goal.text == text);
        u32::try_from(at.unwrap_or_else(|| panic!("{text}: {:?}", run.goals()))).unwrap()
    };
    let input = |run: &JavaRun, x: i64, d: f64, l: i64| {
        let constant = |type_name: &str, value| Step::Constant { type_name: type_name.to_owned(), value };
        let steps = vec![
            constant("int", Literal::Integer(x)),
            constant("double", Literal::Double(d.to_bits())),
            constant("long", Literal::Integer(l)),
            constant("java.lang.Object", Literal::Null),
            Step::Call {
                callable: callable(run, "p.A#name"),
                receiver: None,
                arguments: vec![0, 1, 2, 3],
                caught: false,
            },
        ];
        Sequence { steps }
    };
    let first = input(run, 9, 2.0, 4_999_999_998);
    let ran = run_one(run, &first);
    let near = |text: &str, expected: f64| {
        let distance = progress(&ran, goal(run, text)).unwrap();
        assert!((distance - expected).abs() < 1e-6, "{text}: {distance}");
    };
    near("reference A.java:6 case 10", 0.5);
    near("reference A.java:6 case 3", 6.0 / 7.0);
    near("reference A.java:6 default", 0.0);
    near("patched A.java:7 true", 0.5 / 1.5);
    near("patched A.java:7 false", 0.0);
    near("reference A.java:8 true", 2.0 / 3.0);
    near("reference A.java:9 true", 0.0);
    near("reference A.java:9 false", 0.5);
    let second = input(run, 10, f64::NAN, 0);
    let ran = run_one(run, &second);
    assert_eq!(progress(&ran, goal(run, "patched A.java:6 case 10")), Some(0.0));
}

/// Sources of a case, the tests left out.
fn case_sources(folder: &Utf8Path) -> Vec<(String, String)> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).unwrap());
    files
        .filter(|file| file.extension() == Some("java") && !file.as_str().contains("/test/"))
        .map(|file| (file.strip_prefix(folder).unwrap().to_string(), fs_err::read_to_string(&file).unwrap()))
        .collect()
}

#[test]
fn all_classes_of_a_case_run_with_probes() {
    let case = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/java/csv-reader/buggy");
    let sources = case_sources(&case);
    let named: Sources =
        sources.iter().map(|(path, text)| (&*String::leak(path.clone()), text.clone())).collect();
    // All that the case consists of is new in the reference and in the patched version.
    let opened = open_with([&named, &named, &Sources::new()], ArenaConfig::default());
    let mut run = opened.run;
    assert!(opened.notices.is_empty(), "{:?}", opened.notices);
    let catalog = run.catalog().clone();
    let subject: Vec<&str> =
        catalog.types.iter().filter(|each| each.is_subject).map(|each| each.name.as_str()).collect();
    assert!(!subject.is_empty() && !run.targets().is_empty() && !run.goals().is_empty());
    let mut dice = Dice(3);
    let mut reached = 0;
    for class in subject {
        let simple = |id: &Target| catalog.callables[id.callable as usize].owner == class;
        if !run.targets().iter().any(simple) {
            continue;
        }
        let inputs: Vec<Sequence> =
            (0..50).filter_map(|_| try_random_sequence(&catalog, class, 3, &mut dice)).collect();
        let scope = RunScope { versions: vec![0, 1], show_all: true, ..RunScope::default() };
        for ran in run.run(&inputs, &scope).unwrap() {
            reached += u32::from(ran.feedback.reached);
            match ran.outcome {
                SequenceOutcome::Same { observation: Some(seen), .. } => {
                    let text = format!("{:?}", seen.ending);
                    assert!(!text.contains("VerifyError") && !text.contains("LinkageError"), "{text}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(reached > 20, "{reached}");
}

#[test]
fn arguments_of_the_jdk_and_implementations_elsewhere_are_offered() {
    let sources: Sources = vec![
        (
            "p/A.java",
            "package p; import java.util.*; import java.math.*; import java.util.concurrent.TimeUnit; import java.time.*;
             public class A { public int use(TimeUnit unit, RoundingMode mode, Random random, DayOfWeek day, YearMonth month,
             Map.Entry<String, Integer> entry, Comparator<String> order, OptionalInt maybe, q.Shape shape, BigDecimal number,
             Iterator<String> strings, java.io.Reader reader, Charset... more) { return 1; } public enum Charset { X, Y } }"
                .to_owned(),
        ),
        ("q/Shape.java", "package q; public abstract class Shape { public abstract int area(); }".to_owned()),
        (
            "r/Square.java",
            "package r; public class Square extends Middle { public Square(int side) { } public int area() { return 1; } }
             abstract class Middle extends q.Shape { }"
                .to_owned(),
        ),
    ];
    let mut buggy = sources.clone();
    buggy[0].1 = buggy[0].1.replace("return 1", "return 2");
    let opened = open_with([&sources, &sources, &buggy], ArenaConfig::default());
    let callables = &opened.run.catalog().callables;
    let names: Vec<String> = callables.iter().map(|each| format!("{}#{}", each.owner, each.name)).collect();
    for wanted in [
        "java.util.concurrent.TimeUnit#SECONDS",
        "java.math.RoundingMode#HALF_UP",
        "java.util.Random#<init>",
        "java.time.DayOfWeek#MONDAY",
        "java.time.YearMonth#of",
        "java.util.AbstractMap$SimpleEntry#<init>",
        "java.util.Comparator#naturalOrder",
        "java.util.OptionalInt#of",
        "r.Square#<init>",
        "java.math.BigDecimal#ONE",
        "java.util.Collection#iterator",
        "java.io.StringReader#<init>",
        "p.A$Charset#Y",
    ] {
        assert!(names.iter().any(|name| name == wanted), "{wanted}: {names:?}");
    }
    let random: Vec<_> = callables.iter().filter(|each| each.owner == "java.util.Random").collect();
    assert_eq!(random.len(), 1, "only with a seed");
}

/// `cargo test --release -p bonafix-lang-java --test explore -- --ignored --nocapture`; needs `BONAFIX_EXPLORE_FOLDER` and
/// `BONAFIX_EXPLORE_CLASS` for a class folder of somebody else's and a class in it.
#[test]
#[ignore = "prints figures"]
fn figures() {
    let (Ok(folder), Ok(class)) =
        (std::env::var("BONAFIX_EXPLORE_FOLDER"), std::env::var("BONAFIX_EXPLORE_CLASS"))
    else {
        return;
    };
    let delta = whole_class(&class);
    let versions =
        ROLES.map(|role| VersionFolders { role, delta: &delta, folders: vec![Utf8PathBuf::from(&folder)] });
    let subject = ExploreSubject { versions: versions.to_vec(), libraries: Vec::new() };
    let scratch = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(scratch.path()).unwrap();
    let cache = Cache::open(&Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")).unwrap();
    let preparation = Preparation::new(&root.join("prepared"));
    for search in ["first", "second"] {
        let start = Instant::now();
        let tools = ExploreTools {
            jdk: &Jdk::find(None).unwrap(),
            cache: &cache,
            launcher: &launcher(),
            preparation: &preparation,
            scratch: &root.join(search),
        };
        let (mut run, notices) = open(&subject, ArenaConfig::default(), &tools).unwrap();
        println!(
            "{search}: open in {:?}; {} callables, {} goals, {} targets, {notices:?}",
            start.elapsed(),
            run.catalog().callables.len(),
            run.goals().len(),
            run.targets().len()
        );
        print_rounds(&class, &mut run, &class, 3);
    }
}

/// A delta that says that all of a class was changed.
fn whole_class(class: &str) -> Delta {
    let lines = Some(LineRange { first: 1, last: 60_000 });
    let element = DeltaElement {
        kind: ElementKind::Type,
        change: ChangeKind::Changed,
        name: class.to_owned(),
        owner: class.to_owned(),
        member: String::new(),
        parameters: Vec::new(),
        renamed: None,
        before: lines,
        after: lines,
        signature_changed: false,
        only_nested: false,
        statements_before: Vec::new(),
        statements_after: Vec::new(),
        statement_pairs: Vec::new(),
    };
    let file = DeltaFile {
        path: "Whole.java".into(),
        change: ChangeKind::Changed,
        elements: vec![element],
        alignment: LineAlignment::default(),
        syntactic_distance: None,
        problem: None,
    };
    Delta { files: vec![file] }
}

#[expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "figures, for people")]
fn print_rounds(what: &str, run: &mut JavaRun, class: &str, rounds: u32) {
    let catalog = run.catalog().clone();
    let mut dice = Dice(7);
    let inputs: Vec<Sequence> =
        (0..20_000).map(|index| random_sequence(&catalog, class, 1 + index % 6, &mut dice)).collect();
    for round in 0..rounds {
        let (start, cpu) = (Instant::now(), run.arena().cpu());
        let ran = run.run(&inputs, &RunScope::default()).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let reached = ran.iter().filter(|ran| ran.feedback.reached).count();
        let failed = ran.iter().filter(|ran| matches!(ran.outcome, SequenceOutcome::Failed { .. })).count();
        let differs = ran.iter().filter(|ran| matches!(ran.outcome, SequenceOutcome::Differs { .. })).count();
        println!(
            "{what}, round {round}: {:.0} triples/s, {:.0} per second of its thread, {reached} reached, {failed} failed, {differs} differ, {:?}",
            inputs.len() as f64 / seconds,
            inputs.len() as f64 / run.arena().cpu().saturating_sub(cpu).as_secs_f64(),
            run.arena().losses()
        );
    }
}
