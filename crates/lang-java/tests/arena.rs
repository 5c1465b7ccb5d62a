//! The arena on small programs: what it lists, what it sees, what it survives.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

mod arena_support;

use arena_support::{Dice, compile, launcher, random_sequence};
use bonafix_lang::RunScope;
use bonafix_lang_java::toolchain::Jdk;
use bonafix_lang_java::{Arena, ArenaConfig, ArenaSubject};
use bonafix_model::{
    Breakdown, CallableId, CallableKind, Catalog, Confirmation, Difference, DifferenceKind, Ending, Literal,
    Observation, Sequence, SequenceOutcome, Slot, Step, Tolerance, Visibility, compare,
};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

/// A program with everything that the tests need; `%DELTA%` stands for what a version changes.
const ACCOUNT: &str = r#"
package p;
import java.util.*;
import java.util.function.*;
public class Account {
    public enum Kind { PLAIN, GOLD { @Override int bonus() { return 2; } }; int bonus() { return 1; } }
    public class Receipt { public final int amount; public Receipt(int amount) { this.amount = amount; } }
    private static class Secret { }
    private final List<Integer> history = new ArrayList<>();
    private final Map<String, Integer> byName = new HashMap<>();
    private Account other;
    protected int balance;
    private Kind kind = Kind.PLAIN;
    static int made;
    public Account(int balance) { this.balance = balance; made++; }
    public int deposit(int amount) { history.add(amount); balance += amount; return %DEPOSIT%; }
    public int withdraw(int amount) {
        if (amount > balance) { throw new %EXCEPTION%("only " + balance); }
        balance -= amount; %WITHDRAWN% return balance;
    }
    public List<Integer> history() { return %HISTORY%; }
    int peek() { return balance; }
    public void befriend(Account other) { this.other = other; }
    public void name(String name) { byName.put(name, balance); }
    public void setKind(Kind kind) { this.kind = kind; }
    public static int made() { return made; }
    public <T extends Comparable<T>> T larger(T a, T b) { return a.compareTo(b) >= 0 ? a : b; }
    public int sumOf(Collection<? extends Number> numbers) { int s = 0; for (Number n : numbers) s += n.intValue(); return s; }
    public int each(IntUnaryOperator operator) { return operator.applyAsInt(balance); }
    public String first(Supplier<String> names) { return names.get() + names.get(); }
    public void fill(int[] numbers) { Arrays.fill(numbers, %FILL%); }
    public Map<String, List<Integer>> table(List<int[]> rows, Map<? super Kind, String>... more) { return null; }
}
"#;

const NAMES: &str = r"
package p;
public class Names extends Box<String> implements Comparable<Names> {
    public int compareTo(Names other) { return get().compareTo(other.get()); }
}
";

const BOX: &str = r"
package p;
public class Box<T> {
    private T held;
    public void put(T value) { held = value; }
    public T get() { return held; }
}
";

/// What a version does in the places that may differ.
struct Version {
    deposit: &'static str,
    exception: &'static str,
    withdrawn: &'static str,
    history: &'static str,
    fill: &'static str,
}

const ORIGINAL: Version = Version {
    deposit: "balance",
    exception: "IllegalStateException",
    withdrawn: "",
    history: "history",
    fill: "7",
};

impl Version {
    fn sources(&self) -> Vec<(&'static str, String)> {
        let account = ACCOUNT
            .replace("%DEPOSIT%", self.deposit)
            .replace("%EXCEPTION%", self.exception)
            .replace("%WITHDRAWN%", self.withdrawn)
            .replace("%HISTORY%", self.history)
            .replace("%FILL%", self.fill);
        vec![("p/Account.java", account), ("p/Box.java", BOX.to_owned()), ("p/Names.java", NAMES.to_owned())]
    }
}

/// A folder with compiled versions and the arena over them.
struct Opened {
    arena: Arena,
    folder: tempfile::TempDir,
}

fn open_sources(versions: &[Vec<(&str, String)>], roots: &[&str], config: ArenaConfig) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let mut paths = Vec::new();
    for (number, sources) in versions.iter().enumerate() {
        let output = root.join(format!("version-{number}"));
        compile(sources, &output);
        paths.push(vec![output]);
    }
    let arena = open_paths(paths, roots, config, &root.join("scratch"));
    Opened { arena, folder }
}

fn open_paths(
    versions: Vec<Vec<Utf8PathBuf>>,
    roots: &[&str],
    config: ArenaConfig,
    scratch: &Utf8Path,
) -> Arena {
    let cache = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let cache = Cache::open(&cache).unwrap();
    let roots = roots.iter().map(|root| (*root).to_owned()).collect();
    let subject = ArenaSubject { versions, roots, ..ArenaSubject::default() };
    Arena::open(subject, config, &Jdk::find(None).unwrap(), &cache, &launcher(), scratch).unwrap()
}

fn open(versions: &[Version]) -> Opened {
    let sources: Vec<_> = versions.iter().map(Version::sources).collect();
    open_sources(&sources, &["p.Account", "p.Names"], ArenaConfig::default())
}

/// One class `p.A`, the same twice.
fn open_class(body: &str, config: ArenaConfig) -> Opened {
    let text = format!("package p;\nimport java.util.*;\npublic class A {{\n{body}\n}}\n");
    let sources = vec![("p/A.java", text)];
    open_sources(&[sources.clone(), sources], &["p.A"], config)
}

/// Builds a sequence step by step.
struct Builder<'a> {
    catalog: &'a Catalog,
    steps: Vec<Step>,
}

impl<'a> Builder<'a> {
    fn new(arena: &'a Arena) -> Self {
        Self { catalog: arena.catalog(), steps: Vec::new() }
    }

    fn push(&mut self, step: Step) -> Slot {
        self.steps.push(step);
        u32::try_from(self.steps.len() - 1).unwrap()
    }

    fn int(&mut self, value: i64) -> Slot {
        self.push(Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(value) })
    }

    fn text(&mut self, text: &str) -> Slot {
        let value = Literal::Text(text.encode_utf16().collect());
        self.push(Step::Constant { type_name: "java.lang.String".to_owned(), value })
    }

    fn call(&mut self, name: &str, receiver: Option<Slot>, arguments: &[Slot]) -> Slot {
        let callable = callable(self.catalog, name);
        self.push(Step::Call { callable, receiver, arguments: arguments.to_vec(), caught: false })
    }

    /// The last call goes on if it throws.
    fn caught(&mut self) {
        let Some(Step::Call { caught, .. }) = self.steps.last_mut() else { panic!("a call") };
        *caught = true;
    }

    fn account(&mut self, balance: i64) -> Slot {
        let balance = self.int(balance);
        self.call("p.Account#<init>", None, &[balance])
    }

    fn sequence(self) -> Sequence {
        Sequence { steps: self.steps }
    }
}

/// The first callable of that class and name.
fn callable(catalog: &Catalog, name: &str) -> CallableId {
    let (owner, name) = name.split_once('#').unwrap();
    let found = catalog.callables.iter().position(|each| each.owner == owner && each.name == name);
    u32::try_from(found.unwrap_or_else(|| panic!("no {owner}#{name}"))).unwrap()
}

fn build(arena: &Arena, steps: impl FnOnce(&mut Builder<'_>)) -> Sequence {
    let mut builder = Builder::new(arena);
    steps(&mut builder);
    builder.sequence()
}

/// `A.name(arguments)` of the class of [`open_class`].
fn static_call(arena: &Arena, name: &str, arguments: &[i64]) -> Sequence {
    build(arena, |builder| {
        let slots: Vec<Slot> = arguments.iter().map(|&value| builder.int(value)).collect();
        builder.call(&format!("p.A#{name}"), None, &slots);
    })
}

fn observe(arena: &mut Arena, sequence: &Sequence) -> Observation {
    let scope = RunScope { show_all: true, ..RunScope::default() };
    let outcomes = arena.run_in(std::slice::from_ref(sequence), &scope).unwrap();
    match outcomes.into_iter().next().unwrap() {
        SequenceOutcome::Same { observation, .. } => *observation.unwrap(),
        other => panic!("{other:?}"),
    }
}

/// What the last step made, to be read.
fn result(arena: &mut Arena, sequence: &Sequence) -> String {
    let observation = observe(arena, sequence);
    match observation.steps.last().and_then(|step| step.result.as_ref()) {
        Some(value) if observation.ending == Ending::Completed => value.to_string(),
        _ => observation.ending.to_string(),
    }
}

fn differences(arena: &mut Arena, sequence: &Sequence) -> Vec<Difference> {
    match arena.run(std::slice::from_ref(sequence)).unwrap().remove(0) {
        SequenceOutcome::Differs { observations, .. } => {
            compare(&observations[0], &observations[1], &Tolerance::default())
        }
        SequenceOutcome::Same { .. } => Vec::new(),
        failed @ SequenceOutcome::Failed { .. } => panic!("{failed:?}"),
    }
}

fn render(differences: &[Difference]) -> String {
    differences.iter().fold(String::new(), |mut text, Difference { location, left, right, kind }| {
        let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        writeln!(text, "{location} {kind:?} {} / {}", side(left), side(right)).unwrap();
        text
    })
}

#[test]
fn the_catalog_has_every_callable_with_its_generics_resolved() {
    let opened = open(&[ORIGINAL]);
    let catalog = opened.arena.catalog();
    let signature = |name: &str| {
        let callable = &catalog.callables[callable(catalog, name) as usize];
        format!("{:?} ({}) {}", callable.kind, callable.parameters.join("; "), callable.result)
    };
    assert_eq!(signature("p.Account#<init>"), "Constructor (int) p.Account");
    assert_eq!(signature("p.Account#history"), "Method () java.util.List<java.lang.Integer>");
    assert_eq!(
        signature("p.Account#larger"),
        "Method (java.lang.Comparable<java.lang.Comparable<java.lang.Comparable>>; \
         java.lang.Comparable<java.lang.Comparable<java.lang.Comparable>>) \
         java.lang.Comparable<java.lang.Comparable<java.lang.Comparable>>"
    );
    assert_eq!(signature("p.Account#sumOf"), "Method (java.util.Collection<java.lang.Number>) int");
    assert_eq!(
        signature("p.Account#table"),
        "Method (java.util.List<int[]>; java.util.Map<p.Account$Kind, java.lang.String>[]) \
         java.util.Map<java.lang.String, java.util.List<java.lang.Integer>>"
    );
    assert_eq!(signature("p.Names#put"), "Method (java.lang.String) void");
    assert_eq!(signature("p.Box#put"), "Method (java.lang.Object) void");
    assert_eq!(signature("p.Account#made"), "StaticMethod () int");
    assert_eq!(signature("p.Account$Kind#GOLD"), "StaticGet () p.Account$Kind");
    assert_eq!(signature("p.Account$Receipt#<init>"), "Constructor (p.Account; int) p.Account$Receipt");
    assert_eq!(signature("java.util.ArrayList#add"), "Method (java.lang.Object) boolean");
    let visibility = |name: &str| catalog.callables[callable(catalog, name) as usize].visibility;
    assert_eq!(visibility("p.Account#peek"), Visibility::Package);
    assert_eq!(visibility("p.Account#balance"), Visibility::Protected);
    let kinds: Vec<CallableKind> = catalog
        .callables
        .iter()
        .filter(|each| each.owner == "p.Account" && each.name == "balance")
        .map(|each| each.kind)
        .collect();
    assert_eq!(kinds, [CallableKind::FieldGet, CallableKind::FieldSet]);
    assert!(!catalog.callables.iter().any(|each| each.owner.ends_with("Secret")));
    let known = |name: &str| catalog.types.iter().find(|each| each.name == name).unwrap();
    assert!(known("java.util.function.IntUnaryOperator").is_functional);
    assert!(known("p.Account$Receipt").is_inner && known("p.Account$Receipt").is_subject);
    assert!(known("p.Account$Kind").is_enum);
    assert!(known("p.Names").supertypes.iter().any(|name| name == "java.lang.Comparable"));
    assert_eq!(opened.arena.problems(), [""; 0]);
}

#[test]
fn implementations_beside_an_abstract_type_are_listed() {
    let sources = vec![
        ("q/Plan.java", "package q; public interface Plan { int cost(); }".to_owned()),
        (
            "q/Cheap.java",
            "package q; class Cheap implements Plan { public int cost() { return 1; } }".to_owned(),
        ),
        (
            "q/User.java",
            "package q; public class User { public int of(Plan p) { return p.cost(); } }".to_owned(),
        ),
    ];
    let opened = open_sources(&[sources], &["q.User"], ArenaConfig::default());
    callable(opened.arena.catalog(), "q.Cheap#<init>");
    callable(opened.arena.catalog(), "q.Plan#cost");
}

#[test]
fn differences_are_found_and_named_by_their_place() {
    let patched = Version {
        deposit: "balance + 1",
        exception: "IllegalArgumentException",
        withdrawn: "history.add(-amount);",
        history: "new LinkedList<>(history.subList(0, history.size() - 1))",
        fill: "8",
    };
    let mut opened = open(&[ORIGINAL, patched]);
    let arena = &mut opened.arena;
    let deposit = build(arena, |builder| {
        let account = builder.account(10);
        let amount = builder.int(5);
        builder.call("p.Account#deposit", Some(account), &[amount]);
    });
    assert_eq!(render(&differences(arena, &deposit)), "step 3: return value Value 15 / 16\n");
    let withdraw = |amount| {
        move |builder: &mut Builder<'_>| {
            let account = builder.account(10);
            let amount = builder.int(amount);
            builder.call("p.Account#withdraw", Some(account), &[amount]);
        }
    };
    let sequence = build(arena, withdraw(3));
    let found = differences(arena, &sequence);
    assert_eq!(render(&found), "step 3: receiver.history[0] OneSided nothing / -3\n");
    assert!(found[0].location.is_internal());
    let sequence = build(arena, withdraw(11));
    assert_eq!(
        render(&differences(arena, &sequence)),
        "step 3: exception ExceptionType java.lang.IllegalStateException: only 10 / \
         java.lang.IllegalArgumentException: only 10\n"
    );
    let history = build(arena, |builder| {
        let account = builder.account(10);
        for _ in 0..2 {
            let one = builder.int(1);
            builder.call("p.Account#withdraw", Some(account), &[one]);
        }
        builder.call("p.Account#history", Some(account), &[]);
    });
    assert!(
        render(&differences(arena, &history)).starts_with("step 6: return value[0] OneSided nothing / -1\n")
    );
    let fill = build(arena, |builder| {
        let account = builder.account(10);
        let zero = builder.int(0);
        let numbers = builder.push(Step::Array { element: "int".to_owned(), items: vec![zero, zero] });
        builder.call("p.Account#fill", Some(account), &[numbers]);
    });
    assert_eq!(
        render(&differences(arena, &fill)),
        "step 4: argument 0[0] Value 7 / 8\nstep 4: argument 0[1] Value 7 / 8\n"
    );
}

#[test]
fn an_exception_names_the_method_that_threw_it() {
    let mut opened = open(&[ORIGINAL]);
    let sequence = build(&opened.arena, |builder| {
        let account = builder.account(1);
        let amount = builder.int(2);
        builder.call("p.Account#withdraw", Some(account), &[amount]);
    });
    let observation = observe(&mut opened.arena, &sequence);
    let Ending::Threw { step, exception } = observation.ending else { panic!("{observation:?}") };
    assert_eq!((step, exception.thrown_by.as_deref()), (3, Some("p.Account.withdraw")));
}

#[test]
fn an_exception_names_what_that_method_called_outside_of_the_program() {
    let mut opened = open_class(
        r"
        public static Object checked() { return Objects.requireNonNull(null); }
        public static int exact() { return Math.addExact(Integer.MAX_VALUE, 1); }
        public static Object listed() { return new ArrayList<Object>().get(0); }
        public static int itself() { return ((String) null).length(); }
        public static Object inside() { return new ArrayList<Object>().iterator().next(); }
        ",
        ArenaConfig::default(),
    );
    let mut called = |name: &str| {
        let sequence = static_call(&opened.arena, name, &[]);
        let observation = observe(&mut opened.arena, &sequence);
        let Ending::Threw { exception, .. } = observation.ending else { panic!("{observation:?}") };
        assert!(exception.thrown_by.unwrap().ends_with(name));
        exception.called
    };
    assert_eq!(called("checked").as_deref(), Some("java.util.Objects.requireNonNull"));
    assert_eq!(called("exact").as_deref(), Some("java.lang.Math.addExact"));
    assert_eq!(called("listed").as_deref(), Some("java.util.ArrayList.get"));
    assert_eq!(called("itself"), None);
    assert_eq!(called("inside"), None, "the class has a name of its own making");
}

#[test]
fn what_a_version_lacks_is_unavailable_there() {
    let with =
        vec![("p/A.java", "package p; public class A { public static int f() { return 1; } }".to_owned())];
    let without =
        vec![("p/A.java", "package p; public class A { public static int g() { return 1; } }".to_owned())];
    let mut opened = open_sources(&[with, without], &["p.A"], ArenaConfig::default());
    let sequence = static_call(&opened.arena, "f", &[]);
    let found = differences(&mut opened.arena, &sequence);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, DifferenceKind::Unavailable);
}

#[test]
fn values_of_all_sorts_are_seen_by_their_content() {
    let mut opened = open_class(
        r#"
        public enum E { X { }, Y }
        public static class Node { Node next; int n = 3; private double d = -0.0; String s = "é"; }
        public static class Mine extends ArrayList<String> { int extra = 1; }
        public static Object ring() { Node a = new Node(); Node b = new Node(); a.next = b; b.next = a; return a; }
        public static Object deep() { Node top = null; for (int i = 0; i < 9; i++) { Node n = new Node(); n.next = top; top = n; } return top; }
        public static Object map() { Map<Object, Object> m = new HashMap<>(); for (String k : new String[] {"b", "a", "zz", "c"}) m.put(k, k.length()); return m; }
        public static Object linked() { Map<Object, Object> m = new LinkedHashMap<>(); m.put("b", 1); m.put("a", E.X); return m; }
        public static Object set() { Set<Node> s = new HashSet<>(); for (int i = 3; i > 0; i--) { Node n = new Node(); n.n = i; s.add(n); } return s; }
        public static Object optional() { return Optional.of(new java.math.BigDecimal("1.50")); }
        public static Object date() { return new Date(0); }
        public static Object lambda() { Runnable r = () -> { }; return r; }
        public static Object anonymous() { return new Object() { int k = 4; }; }
        public static Object type() { return E.class; }
        public static Object plain() { return new Object(); }
        public static Object nan() { return new double[] {0.0 / 0.0, 1 / 0.0, -0.0}; }
        public static Object mine() { Mine m = new Mine(); m.add("q"); return m; }
        public static Object time() { return java.time.LocalDate.of(2020, 2, 29); }
        public static Object lone() { return "\ud800"; }
        public static Object thrown() { return new IllegalStateException("m", new Error("c")); }
        public static Object big() { return new int[1000]; }
        public static Object bad() { List<Integer> l = new ArrayList<>(Arrays.asList(1, 2, 3)); List<Integer> v = l.subList(0, 2); l.add(4); return v; }
        public static Object builder() { return new StringBuilder("text"); }
        "#,
        ArenaConfig::default(),
    );
    for (name, expected) in [
        ("ring", "p.A$Node(d=-0.0, n=3, next=p.A$Node(d=-0.0, n=3, next=↑2, s=\"é\"), s=\"é\")"),
        ("map", r#"{"a"=1, "b"=1, "c"=1, "zz"=2}"#),
        ("linked", r#"{"b"=1, "a"=X}"#),
        ("optional", "[1.50]"),
        ("date", "1970-01-01T00:00:00Z"),
        ("lambda", "a lambda java.lang.Runnable"),
        ("anonymous", "anonymous java.lang.Object(k=4)"),
        ("type", "p.A$E"),
        ("plain", "a java.lang.Object"),
        ("nan", "[NaN, inf, -0.0]"),
        ("mine", r#"p.A$Mine(extra=1, super=["q"])"#),
        ("time", "2020-02-29"),
        ("lone", "\"\u{fffd}\""),
        (
            "thrown",
            r#"java.lang.IllegalStateException(message="m", cause=java.lang.Error(message="c", cause=null))"#,
        ),
        ("big", "[0, 0, 0, 0, 0, 0, 0, 0, … 1000 in all]"),
        ("bad", "a unobservable java.util.ConcurrentModificationException"),
        ("builder", "text"),
    ] {
        let sequence = static_call(&opened.arena, name, &[]);
        assert_eq!(result(&mut opened.arena, &sequence), expected, "{name}");
    }
    let sequence = static_call(&opened.arena, "set", &[]);
    let set = result(&mut opened.arena, &sequence);
    let places: Vec<_> = (1..=3).map(|n| set.find(&format!("n={n}")).unwrap()).collect();
    assert!(places.is_sorted(), "{set}");
    let sequence = static_call(&opened.arena, "deep", &[]);
    assert!(result(&mut opened.arena, &sequence).contains("p.A$Node(…)"));
}

#[test]
fn stubs_answer_in_turn_and_package_private_methods_can_be_called() {
    let mut opened = open(&[ORIGINAL]);
    let arena = &mut opened.arena;
    let each = build(arena, |builder| {
        let account = builder.account(10);
        let answer = builder.int(42);
        let interface = "java.util.function.IntUnaryOperator".to_owned();
        let stub = builder.push(Step::Stub { interface, answers: vec![answer] });
        builder.call("p.Account#each", Some(account), &[stub]);
    });
    assert_eq!(result(arena, &each), "42");
    let first = build(arena, |builder| {
        let account = builder.account(10);
        let (a, b) = (builder.text("a"), builder.text("b"));
        let interface = "java.util.function.Supplier".to_owned();
        let stub = builder.push(Step::Stub { interface, answers: vec![a, b] });
        builder.call("p.Account#first", Some(account), &[stub]);
    });
    assert_eq!(result(arena, &first), "\"ab\"");
    let peek = build(arena, |builder| {
        let account = builder.account(10);
        builder.call("p.Account#peek", Some(account), &[]);
    });
    assert_eq!(result(arena, &peek), "10");
    let inner = build(arena, |builder| {
        let account = builder.account(10);
        let amount = builder.int(3);
        builder.call("p.Account$Receipt#<init>", None, &[account, amount]);
    });
    assert_eq!(result(arena, &inner), "p.Account$Receipt(amount=3)");
    let list = build(arena, |builder| {
        let account = builder.account(10);
        let list = builder.call("java.util.ArrayList#<init>", None, &[]);
        let three = builder.int(3);
        builder.call("java.util.ArrayList#add", Some(list), &[three]);
        builder.call("p.Account#sumOf", Some(account), &[list]);
    });
    assert_eq!(result(arena, &list), "3");
}

/// An abstract class that asks what is below it, in the constructor too; `%SIGN%` stands for what a version changes.
const GATE: &str = r#"
package p;
public abstract class Gate extends Door<String> {
    private final int first;
    protected int answers = 1000;
    protected Gate() { first = width(); }
    protected abstract int width();
    abstract long name(long a, double b, char[] c);
    public int both() { return first * 100 %SIGN% width(); }
    public String all() { close(); return use("x") + " " + wide(1.5f) + " " + name(1, 2, null) + " " + list() + isOpen(); }
    public static String say(Gate gate) { return "a " + gate; }
    public static Gate same(Gate gate) { return gate; }
    private abstract static class Hidden { abstract int m(); }
    public abstract static class Picky { public Picky(int n) { } abstract int m(); }
    public abstract class Inner { abstract int m(); }
    public abstract static class Unseen { abstract Hidden m(); }
    public abstract static class Narrow implements java.util.function.Supplier<Object>, Texts { }
    public interface Texts { String get(); }
    public abstract static class Broken {
        protected Broken() { throw new IllegalStateException(); }
        public int m() { return 1; }
    }
}
"#;

const DOOR: &str = r"
package p;
public abstract class Door<T> implements java.util.function.Function<T, Integer> {
    protected abstract T use(T t);
    public abstract void close();
    abstract double wide(float f);
    abstract java.util.List<T> list();
    abstract boolean isOpen();
    public Integer apply(T t) { return 1; }
}
";

fn gates(signs: &[&str]) -> Opened {
    let version =
        |sign: &&str| vec![("p/Gate.java", GATE.replace("%SIGN%", sign)), ("p/Door.java", DOOR.to_owned())];
    let versions: Vec<_> = signs.iter().map(version).collect();
    open_sources(&versions, &["p.Gate"], ArenaConfig::default())
}

#[test]
fn the_catalog_says_below_which_abstract_classes_one_can_be_written() {
    let opened = gates(&["+"]);
    let subclass = |name: &str| {
        let known = opened.arena.catalog().types.iter().find(|each| each.name == name).unwrap();
        known.subclass.as_ref().map(|subclass| {
            let methods = subclass.methods.iter();
            let methods =
                methods.map(|each| format!("{} {}({})", each.result, each.name, each.parameters.join(", ")));
            (subclass.visibility, methods.collect::<Vec<_>>().join("; "))
        })
    };
    let gate = "void close(); boolean isOpen(); java.util.List<java.lang.String> list(); \
                long name(long, double, char[]); java.lang.String use(java.lang.String); double wide(float); int width()";
    assert_eq!(subclass("p.Gate"), Some((Visibility::Package, gate.to_owned())));
    let door = "void close(); boolean isOpen(); java.util.List list(); \
                java.lang.Object use(java.lang.Object); double wide(float)";
    assert_eq!(subclass("p.Door"), Some((Visibility::Package, door.to_owned())));
    assert_eq!(subclass("p.Gate$Broken"), Some((Visibility::Public, String::new())));
    for name in ["Hidden", "Picky", "Inner", "Unseen", "Narrow", "Texts"] {
        assert_eq!(subclass(&format!("p.Gate${name}")), None, "{name}");
    }
    assert_eq!(subclass("java.util.function.Function"), None);
}

#[test]
fn stubs_stand_for_abstract_classes_and_answer_their_constructors_too() {
    let mut opened = gates(&["+", "+"]);
    let arena = &mut opened.arena;
    let on_gate = |arena: &Arena, method: &str, answers: &[i64]| {
        build(arena, |builder| {
            let answers = answers.iter().map(|answer| builder.int(*answer)).collect();
            let gate = builder.push(Step::Stub { interface: "p.Gate".to_owned(), answers });
            match method {
                "say" | "same" => builder.call(&format!("p.Gate#{method}"), None, &[gate]),
                _ => builder.call(&format!("p.Gate#{method}"), Some(gate), &[]),
            };
        })
    };
    for (method, answers, expected) in [
        ("both", &[2, 7, 9][..], "207"),
        ("both", &[4], "404"),
        ("both", &[], "0"),
        // None of these answers fits but that of `width`.
        ("all", &[1], "\"null 0.0 0 nullfalse\""),
        ("say", &[], "\"a p.Gate$$Stub@hash\""),
        ("same", &[], "a lambda p.Gate"),
    ] {
        let sequence = on_gate(arena, method, answers);
        assert_eq!(result(arena, &sequence), expected, "{method} {answers:?}");
    }
    let fitting = build(arena, |builder| {
        let mut constant =
            |type_name: &str, value| builder.push(Step::Constant { type_name: type_name.to_owned(), value });
        let first = constant("int", Literal::Integer(1));
        let text = constant("java.lang.String", Literal::Text(vec![97]));
        let wide = constant("double", Literal::Double(2.5_f64.to_bits()));
        let name = constant("long", Literal::Integer(1 << 40));
        let open = constant("boolean", Literal::Boolean(true));
        // The second goes to `close`, which returns nothing.
        let answers = vec![first, first, text, wide, name, first, open];
        let gate = builder.push(Step::Stub { interface: "p.Gate".to_owned(), answers });
        builder.call("p.Gate#all", Some(gate), &[]);
    });
    assert_eq!(result(arena, &fitting), "\"a 2.5 1099511627776 nulltrue\"");

    let mut opened = gates(&["+", "-"]);
    let sequence = on_gate(&opened.arena, "both", &[2, 7]);
    assert_eq!(render(&differences(&mut opened.arena, &sequence)), "step 3: return value Value 207 / 193\n");
    let scope = RunScope::default();
    let confirmed = opened.arena.confirm(&sequence, 3, &scope).unwrap();
    assert!(confirmed.iter().all(|each| matches!(each, Confirmation::Stable(_))), "{confirmed:?}");
}

#[test]
fn an_abstract_class_that_cannot_be_extended_or_throws_has_no_stub() {
    let mut opened = gates(&["+", "+"]);
    let arena = &mut opened.arena;
    for (class, method, expected) in [
        ("p.Gate$Broken", "m", "not in this version"),
        ("p.Gate$Picky", "m", "java.lang.IllegalArgumentException"),
    ] {
        let sequence = build(arena, |builder| {
            let stub = builder.push(Step::Stub { interface: class.to_owned(), answers: Vec::new() });
            builder.call(&format!("{class}#{method}"), Some(stub), &[]);
        });
        let found = result(arena, &sequence);
        assert!(found.contains(expected), "{class}: {found}");
    }
    let good = build(arena, |builder| {
        let stub = builder.push(Step::Stub { interface: "p.Gate".to_owned(), answers: Vec::new() });
        builder.call("p.Gate#both", Some(stub), &[]);
    });
    assert_eq!(result(arena, &good), "0");
}

#[test]
fn an_input_that_does_not_fit_says_so_and_is_no_exception() {
    let mut opened = open(&[ORIGINAL]);
    let arena = &mut opened.arena;
    let null = build(arena, |builder| {
        let null = builder.push(Step::Constant { type_name: "p.Account".to_owned(), value: Literal::Null });
        builder.call("p.Account#peek", Some(null), &[]);
    });
    assert_eq!(observe(arena, &null).ending, Ending::NullReceiver { step: 1 });
    let mismatch = build(arena, |builder| {
        let account = builder.account(1);
        let text = builder.text("no number");
        builder.call("p.Account#deposit", Some(account), &[text]);
    });
    let found = "java.lang.String".to_owned();
    assert_eq!(observe(arena, &mismatch).ending, Ending::Mismatch { step: 3, found });
}

#[test]
fn a_sequence_beyond_the_catalog_is_refused_before_it_is_sent() {
    let mut opened = open(&[ORIGINAL]);
    let call = Step::Call { callable: 1_000_000, receiver: None, arguments: Vec::new(), caught: false };
    assert!(opened.arena.run(&[Sequence { steps: vec![call] }]).is_err());
}

const CAPRICIOUS: &str = r#"
    private final Map<Object, Integer> map = new HashMap<>();
    private final Set<Object> set = new HashSet<>();
    private final Set<A> friends = new HashSet<>();
    private int count;
    public int add(String s) { map.put(s, map.size()); set.add(s); return set.size(); }
    public String mapText() { return map.toString(); }
    public Object keys() { return map.keySet(); }
    public void befriend() { for (int i = 0; i < 5; i++) { A a = new A(); a.count = i; friends.add(a); } }
    public int identity() { return System.identityHashCode(this); }
    public String text() { return "I am " + this; }
    public long nanos() { return System.nanoTime(); }
    public double chance() { return Math.random(); }
    public int next() { return new Random().nextInt(); }
    public Object firstFriend() { return friends.isEmpty() ? null : friends.iterator().next().count; }
    public int fails(int i) { if (i > 4) throw new IllegalStateException("at " + this); return i; }
    public int cause(String s) { return s.length() / (s.length() - 1); }
"#;

#[test]
fn the_same_version_twice_never_differs_in_what_repetition_confirms() {
    let mut opened = open_class(CAPRICIOUS, ArenaConfig { reset_every: 500, ..ArenaConfig::default() });
    let arena = &mut opened.arena;
    let catalog = arena.catalog().clone();
    let mut dice = Dice(1);
    let sequences: Vec<Sequence> =
        (0..2000).map(|index| random_sequence(&catalog, "p.A", 1 + index % 5, &mut dice)).collect();
    let outcomes = arena.run(&sequences).unwrap();
    assert_eq!(outcomes.len(), sequences.len());
    let differing: Vec<usize> = (0..outcomes.len())
        .filter(|&index| matches!(outcomes[index], SequenceOutcome::Differs { .. }))
        .collect();
    assert!(differing.len() > 100, "time, chance and identity were to show: {}", differing.len());
    let capricious = ["identity", "nanos", "chance", "next", "firstFriend"]
        .map(|name| callable(&catalog, &format!("p.A#{name}")));
    for &index in &differing {
        let sequence = &sequences[index];
        assert!(
            sequence.callables().any(|id| capricious.contains(&id)),
            "{sequence:?} {:?}",
            outcomes[index]
        );
    }
    for &index in differing.iter().step_by(differing.len() / 20) {
        let confirmations = arena.confirm(&sequences[index], 4, &RunScope::default()).unwrap();
        let stable: Vec<_> = confirmations
            .iter()
            .filter_map(|each| match each {
                Confirmation::Stable(observation) => Some(observation),
                _ => None,
            })
            .collect();
        assert!(stable.len() < 2 || stable[0] == stable[1], "{:?}", sequences[index]);
    }
    let again = arena.run(&sequences).unwrap();
    let same = |outcomes: &[SequenceOutcome], index: usize| match &outcomes[index] {
        SequenceOutcome::Same { summary, .. } => Some(*summary),
        _ => None,
    };
    for (index, sequence) in sequences.iter().enumerate() {
        if !sequence.callables().any(|id| capricious.contains(&id)) {
            assert!(same(&outcomes, index).is_some());
            assert_eq!(same(&outcomes, index), same(&again, index), "{sequence:?}");
        }
    }
}

#[test]
fn repetition_tells_what_is_stable_from_what_is_not() {
    let mut opened = open_class(CAPRICIOUS, ArenaConfig::default());
    let arena = &mut opened.arena;
    let on_object = |arena: &Arena, name: &str| {
        build(arena, |builder| {
            let object = builder.call("p.A#<init>", None, &[]);
            builder.call(&format!("p.A#{name}"), Some(object), &[]);
        })
    };
    for name in ["identity", "nanos", "chance", "next"] {
        let sequence = on_object(arena, name);
        let confirmations = arena.confirm(&sequence, 3, &RunScope::default()).unwrap();
        let unstable = |each: &Confirmation| matches!(each, Confirmation::Unstable { .. });
        assert!(confirmations.len() == 2 && confirmations.iter().all(unstable), "{name}");
    }
    for name in ["befriend", "text"] {
        let sequence = on_object(arena, name);
        let confirmations = arena.confirm(&sequence, 3, &RunScope::default()).unwrap();
        assert!(confirmations.iter().all(|each| matches!(each, Confirmation::Stable(_))), "{name}");
    }
}

#[test]
fn identity_hashes_in_texts_are_covered_and_nothing_else_is() {
    let mut opened = open_class(
        r#"
    static class Inner { }
    static class Money { public int hashCode() { return 0x1f; } }
    private String held = "with " + this;
    public static String object() { return "<" + new A() + "," + new Object() + ">"; }
    public static String inner() { return new Inner() + " and " + new Money() + "."; }
    public static String arrays() { return Arrays.asList(new int[1], new A[1][1], new String[0]).toString(); }
    public static String lambda() { Runnable work = () -> { }; return "runs " + work; }
    public static String anonymous() { return "" + new Inner() { }; }
    public static Object builder() { return new StringBuilder().append(new A()); }
    public static int message() { throw new IllegalStateException("no " + new A() + "!"); }
    public static A state() { return new A(); }
    public static int cast() { Object a = new A(); return ((Inner) a).hashCode(); }
    public static String own() {
        return "user@beef p.B@beef A@1f p.A@ p.A@1f2e3d4c5 p.A@0f p.A@1F p.A@bee-f p.A@beetle @1f a[X@1f [Lp.B;@1f Lp.A;@1f";
    }
"#,
        ArenaConfig::default(),
    );
    let arena = &mut opened.arena;
    let cases = [
        ("object", r#""<p.A@hash,java.lang.Object@hash>""#),
        ("inner", r#""p.A$Inner@hash and p.A$Money@hash.""#),
        ("arrays", r#""[[I@hash, [[Lp.A;@hash, [Ljava.lang.String;@hash]""#),
        ("lambda", r#""runs p.A$$Lambda@hash""#),
        ("anonymous", r#""p.A$1@hash""#),
        ("builder", "p.A@hash"),
        ("message", "java.lang.IllegalStateException: no p.A@hash!"),
        ("state", r#"p.A(held="with p.A@hash")"#),
        (
            "own",
            r#""user@beef p.B@beef A@1f p.A@ p.A@1f2e3d4c5 p.A@0f p.A@1F p.A@hash-f p.A@beetle @1f a[X@1f [Lp.B;@1f Lp.A;@1f""#,
        ),
    ];
    for (name, expected) in cases {
        let call = static_call(arena, name, &[]);
        assert_eq!(result(arena, &call), expected, "{name}");
    }
    // Since JDK 11 it names the loader: `… of loader bonafix.runtime.arena.VersionLoader @1a2b3c)`.
    let cast = static_call(arena, "cast", &[]);
    let said = result(arena, &cast);
    assert!(
        said.contains("cannot be cast") && said.replace("Loader @hash", "").find(" @").is_none(),
        "{said}"
    );
}

#[test]
fn a_text_names_a_class_in_all_versions_if_one_of_them_has_it() {
    let source = |extra: &str| {
        let text = "package p; public class A { public static String same() { return \"p.B@1f\"; } }";
        let mut sources = vec![("p/A.java", text.to_owned())];
        if !extra.is_empty() {
            sources.push(("p/B.java", extra.to_owned()));
        }
        sources
    };
    let versions = [source(""), source("package p; class B { }")];
    let mut opened = open_sources(&versions, &["p.A"], ArenaConfig::default());
    let call = static_call(&opened.arena, "same", &[]);
    assert_eq!(render(&differences(&mut opened.arena, &call)), "");
}

#[test]
fn the_loader_of_a_version_is_not_looked_into() {
    let mut opened = open_class(
        r#"
    public final ClassLoader from = A.class.getClassLoader();
    public static A held() { return new A(); }
    public static String said() { return "asked " + A.class.getClassLoader(); }
"#,
        ArenaConfig::default(),
    );
    let arena = &mut opened.arena;
    let loader = "bonafix.runtime.arena.VersionLoader";
    let cases = [("held", format!("p.A(from=a {loader})")), ("said", format!(r#""asked {loader}@hash""#))];
    for (name, expected) in cases {
        let call = static_call(arena, name, &[]);
        assert_eq!(result(arena, &call), expected, "{name}");
    }
}

/// Runs `bad` between two good sequences; the good ones must be the same in both versions.
fn check_survives(opened: &mut Opened, bad: &Sequence) -> SequenceOutcome {
    let good = static_call(&opened.arena, "good", &[3]);
    let outcomes = opened.arena.run(&[good.clone(), bad.clone(), good]).unwrap();
    for index in [0, 2] {
        assert!(matches!(outcomes[index], SequenceOutcome::Same { .. }), "{:?}", outcomes[index]);
    }
    outcomes.into_iter().nth(1).unwrap()
}

const DANGEROUS: &str = r#"
    static int calls;
    static ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> 0);
    static byte[][] hoard;
    public static int good(int i) { return i + 1; }
    public static int loop() { for (;;) { calls++; } }
    public static int counted() { int s = 0; for (int k = 0; k < Integer.MAX_VALUE; k++) for (int i = 0; i < Integer.MAX_VALUE; i++) { s += i * k; } return s; }
    public static void sleep() throws Exception { Thread.sleep(100000); }
    public static void exit() { System.exit(3); }
    public static void halt() { Runtime.getRuntime().halt(5); }
    public static int recurse(int i) { return recurse(i + 1) + 1; }
    public static void hoard() { hoard = new byte[1000][]; for (int i = 0; i < 1000; i++) hoard[i] = new byte[1 << 20]; }
    public static Object tooLarge() { return new int[Integer.MAX_VALUE]; }
    public static int count() { return ++calls; }
    public static int countLocal() { local.set(local.get() + 1); return local.get(); }
    public static void change() {
        Locale.setDefault(Locale.GERMANY); TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
        System.setOut(null); System.setProperty("x.y", "z"); System.clearProperty("java.version");
        Thread.currentThread().interrupt(); Thread.currentThread().setContextClassLoader(null);
        Thread.setDefaultUncaughtExceptionHandler((t, e) -> { });
        java.security.Security.setProperty("networkaddress.cache.ttl", "17");
    }
    public static String globals() {
        System.out.println("into the void");
        return Locale.getDefault() + " " + TimeZone.getDefault().getID() + " " + System.getProperty("x.y") + " "
            + (System.getProperty("java.version") != null) + " " + Thread.currentThread().isInterrupted() + " "
            + (Thread.currentThread().getContextClassLoader() == A.class.getClassLoader()) + " "
            + Thread.getDefaultUncaughtExceptionHandler();
    }
    public static void leak() { Thread t = new Thread(() -> { for (;;) { try { Thread.sleep(1000); } catch (InterruptedException e) { } } }); t.start(); }
    public static void work() throws Exception { Thread t = new Thread(() -> { }); t.start(); t.join(); }
    public static int read() throws Exception { return System.in.read(); }
    public static void raw() throws Exception { new java.io.FileOutputStream(java.io.FileDescriptor.out).write(new byte[] {-1, -1, -1, -1, -1}); }
    static class Broken { static { if (true) throw new IllegalStateException("never"); } static int f() { return 1; } }
    public static int broken() { return Broken.f(); }
"#;

fn dangerous(heap_mib: u32) -> Opened {
    let limit = Duration::from_millis(300);
    open_class(DANGEROUS, ArenaConfig { limit, heap_mib, ..ArenaConfig::default() })
}

#[test]
fn endless_loops_exits_and_sleep_cost_one_sequence_each() {
    let mut opened = dangerous(64);
    for (name, expected) in [
        ("loop", Breakdown::Timeout),
        ("counted", Breakdown::Timeout),
        ("sleep", Breakdown::Timeout),
        ("exit", Breakdown::Exit(3)),
        ("halt", Breakdown::Exit(5)),
    ] {
        let bad = static_call(&opened.arena, name, &[]);
        let outcome = check_survives(&mut opened, &bad);
        assert_eq!(outcome, SequenceOutcome::Failed { version: 0, breakdown: expected }, "{name}");
    }
    let losses = opened.arena.losses();
    assert_eq!((losses.timeouts, losses.exits, losses.restarts), (3, 2, 5));
    let exit = static_call(&opened.arena, "exit", &[]);
    let confirmations = opened.arena.confirm(&exit, 2, &RunScope::default()).unwrap();
    assert_eq!(confirmations, vec![Confirmation::Failed(Breakdown::Exit(3)); 2]);
}

#[test]
fn writing_over_the_messages_costs_one_sequence() {
    let mut opened = dangerous(64);
    let bad = static_call(&opened.arena, "raw", &[]);
    let outcome = check_survives(&mut opened, &bad);
    assert!(matches!(outcome, SequenceOutcome::Failed { .. }), "{outcome:?}");
}

#[test]
fn an_overflowing_stack_is_an_exception_by_its_type() {
    let mut opened = dangerous(64);
    let bad = static_call(&opened.arena, "recurse", &[0]);
    assert!(
        matches!(check_survives(&mut opened, &bad), SequenceOutcome::Same { summary, .. } if summary.threw)
    );
    assert_eq!(result(&mut opened.arena, &bad), "java.lang.StackOverflowError");
    assert_eq!(opened.arena.losses().restarts, 0);
}

#[test]
fn a_full_heap_costs_one_sequence() {
    let mut opened = dangerous(64);
    for name in ["hoard", "hoard", "tooLarge"] {
        let bad = static_call(&opened.arena, name, &[]);
        let outcome = check_survives(&mut opened, &bad);
        let too_large = matches!(outcome, SequenceOutcome::Same { summary, .. } if summary.threw);
        let failed = outcome == SequenceOutcome::Failed { version: 0, breakdown: Breakdown::OutOfMemory };
        assert!(failed || name == "tooLarge" && too_large, "{name}: {outcome:?}");
    }
}

#[test]
fn static_state_does_not_outlive_a_reset() {
    let mut opened = dangerous(64);
    let arena = &mut opened.arena;
    for name in ["count", "countLocal"] {
        let sequence = static_call(arena, name, &[]);
        assert_eq!(result(arena, &sequence), "1");
        // What belongs to a thread ends with the batch.
        assert_eq!(result(arena, &sequence), if name == "count" { "2" } else { "1" });
        arena.reset().unwrap();
        assert_eq!(result(arena, &sequence), "1", "{name}");
        let confirmations = arena.confirm(&sequence, 3, &RunScope::default()).unwrap();
        assert!(confirmations.iter().all(|each| matches!(each, Confirmation::Stable(_))));
    }
    let limit = Duration::from_secs(2);
    let mut opened = open_class(DANGEROUS, ArenaConfig { limit, reset_every: 1, ..ArenaConfig::default() });
    let sequence = static_call(&opened.arena, "count", &[]);
    assert_eq!(result(&mut opened.arena, &sequence), "1");
    assert_eq!(result(&mut opened.arena, &sequence), "1");
}

#[test]
fn static_fields_of_what_was_called_are_seen_and_do_not_pile_up() {
    let source = |by: u32| {
        let body = format!(
            r"
    private static int made;
    static final int LIMIT = 7;
    static final List<Integer> SEEN = new ArrayList<>();
    private static final int[] LARGE = new int[5000];
    public static void make(int i) {{ made += {by}; if (i > 3) SEEN.add(i); if (i < 0) throw new RuntimeException(); }}
    public static int made() {{ return made; }}
    public static int plain(int i) {{ return i; }}
"
        );
        vec![("p/A.java", format!("package p;\nimport java.util.*;\npublic class A {{\n{body}\n}}\n"))]
    };
    let mut opened = open_sources(&[source(1), source(2)], &["p.A"], ArenaConfig::default());
    let arena = &mut opened.arena;
    let make = |arena: &Arena, argument| static_call(arena, "make", &[argument]);
    let found = |arena: &mut Arena, argument| {
        let call = make(arena, argument);
        render(&differences(arena, &call))
    };
    // The large array is noticed once, and with it the rest of the class is left out.
    assert_eq!(found(arena, 1), "");
    drop(opened);
    let small = |by| {
        let mut sources = source(by);
        sources[0].1 = sources[0].1.replace("5000", "1");
        sources
    };
    let mut opened = open_sources(&[small(1), small(2)], &["p.A"], ArenaConfig::default());
    let arena = &mut opened.arena;
    // Each time from the beginning, so that what was before does not show.
    for argument in [1, 9, -1] {
        let expected = "step 1: static.p.A.made Value 1 / 2\n";
        assert_eq!(found(arena, argument), expected, "{argument}");
    }
    let plain = static_call(arena, "plain", &[5]);
    assert_eq!(render(&differences(arena, &plain)), "");
    let call = static_call(arena, "make", &[9]);
    let confirmations = arena.confirm(&call, 3, &RunScope::default()).unwrap();
    assert!(confirmations.iter().all(|each| matches!(each, Confirmation::Stable(_))));
    let mut same = open_sources(&[small(1), small(1)], &["p.A"], ArenaConfig::default());
    let call = static_call(&same.arena, "make", &[9]);
    let seen = observe(&mut same.arena, &call).steps[0].statics.as_ref().map(ToString::to_string);
    assert_eq!(seen.as_deref(), Some("static(p.A.LARGE=[0], p.A.SEEN=[9], p.A.made=1)"));
}

#[test]
fn a_class_that_cannot_be_initialised_says_so_each_time() {
    let mut opened = dangerous(64);
    let sequence = static_call(&opened.arena, "broken", &[]);
    for _ in 0..2 {
        assert!(result(&mut opened.arena, &sequence).starts_with("java.lang.ExceptionInInitializerError"));
    }
}

#[test]
fn what_belongs_to_the_whole_vm_is_put_back() {
    let mut opened = dangerous(64);
    let arena = &mut opened.arena;
    let globals = static_call(arena, "globals", &[]);
    let before = result(arena, &globals);
    assert!(before.ends_with("null true false true null\""), "{before}");
    let change = static_call(arena, "change", &[]);
    let outcomes = arena.run(&[change, globals.clone()]).unwrap();
    assert!(matches!(outcomes[1], SequenceOutcome::Same { .. }));
    assert_eq!(result(arena, &globals), before);
    let read = static_call(arena, "read", &[]);
    assert_eq!(result(arena, &read), "-1");
}

#[test]
fn threads_that_stay_are_noticed_and_those_that_end_are_not() {
    let mut opened = dangerous(64);
    let arena = &mut opened.arena;
    let (leak, work) = (static_call(arena, "leak", &[]), static_call(arena, "work", &[]));
    let outcomes = arena.run(&[work.clone(), leak, work]).unwrap();
    let leaked: Vec<bool> = outcomes
        .iter()
        .map(|outcome| matches!(outcome, SequenceOutcome::Same { summary, .. } if summary.leaked_threads))
        .collect();
    assert_eq!(leaked[..2], [false, true]);
}

#[test]
fn only_the_versions_asked_for_are_run() {
    let patched = Version { deposit: "0", ..ORIGINAL };
    let mut opened = open(&[ORIGINAL, patched, ORIGINAL]);
    let sequence = build(&opened.arena, |builder| {
        let account = builder.account(10);
        let amount = builder.int(5);
        builder.call("p.Account#deposit", Some(account), &[amount]);
    });
    let sequences = std::slice::from_ref(&sequence);
    let scope =
        |versions: &[u32]| RunScope { versions: versions.to_vec(), show_all: false, ..RunScope::default() };
    let same = |outcomes: Vec<SequenceOutcome>| matches!(outcomes[0], SequenceOutcome::Same { .. });
    assert!(same(opened.arena.run_in(sequences, &scope(&[0, 2])).unwrap()));
    assert!(!same(opened.arena.run_in(sequences, &scope(&[0, 1])).unwrap()));
    assert!(opened.arena.run_in(sequences, &scope(&[3])).is_err());
    assert!(opened.folder.path().exists());
}

/// Found where inputs that hang in a library, each for seconds, came one after the other.
#[test]
fn nothing_is_begun_when_the_time_is_up() {
    let mut opened = open(&[ORIGINAL]);
    let sequence = build(&opened.arena, |builder| {
        builder.account(10);
    });
    let sequences = [sequence.clone(), sequence];
    let late = RunScope { until: Some(Instant::now()), ..RunScope::default() };
    assert_eq!(opened.arena.run_in(&sequences, &late).unwrap(), []);
    assert_eq!(opened.arena.confirm(&sequences[0], 2, &late).unwrap(), []);
    let later = RunScope { until: Some(Instant::now() + Duration::from_mins(10)), ..RunScope::default() };
    assert_eq!(opened.arena.run_in(&sequences, &later).unwrap().len(), 2);
    assert_eq!(opened.arena.confirm(&sequences[0], 2, &later).unwrap().len(), 1);
}

#[test]
fn a_class_path_that_is_not_there_is_named() {
    let cache = Cache::open(&Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let scratch = Utf8Path::from_path(folder.path()).unwrap();
    let subject = ArenaSubject { versions: vec![vec!["/no/such/folder".into()]], ..ArenaSubject::default() };
    let opened =
        Arena::open(subject, ArenaConfig::default(), &Jdk::find(None).unwrap(), &cache, &launcher(), scratch);
    let message = opened.err().unwrap().to_string();
    assert!(message.contains("/no/such/folder"), "{message}");
}

const FAILING: &str = "
    public static class Full extends RuntimeException {
        private final List<Integer> held; public Full(List<Integer> held) { super(\"full\"); this.held = held; }
        public int count() { return held.size(); } }
    private final List<Integer> items = new ArrayList<>();
    public int put(int item) { items.add(item); if (item > 9) { throw new Full(items); } return item; }
    public int size() { return items.size(); }
    public int deep(int item) { return deep(item + 1) + 1; }";

/// Not a test of anything: prints what it takes to start a VM, and to start one in place of another.
#[test]
#[ignore = "prints figures"]
fn seconds_to_restart() {
    let Ok(jars) = std::env::var("BONAFIX_TEST_JARS") else {
        return println!("name a jar, and classes in it behind commas: BONAFIX_TEST_JARS");
    };
    let (jar, roots) = jars.split_once(',').unwrap();
    let roots: Vec<&str> = roots.split(',').chain(["p.A"]).collect();
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let quits = "package p; public class A { public static void quit() { System.exit(3); } }";
    compile(&[("p/A.java", quits.to_owned())], &root.join("own"));
    let version = vec![root.join("own"), Utf8PathBuf::from(jar)];
    let start = std::time::Instant::now();
    let mut arena =
        open_paths(vec![version.clone(), version], &roots, ArenaConfig::default(), &root.join("scratch"));
    let callables = arena.catalog().callables.len();
    println!("opened with {callables} callables: {:.2} s", start.elapsed().as_secs_f64());
    let quit = static_call(&arena, "quit", &[]);
    for _ in 0..3 {
        arena.run(std::slice::from_ref(&quit)).unwrap();
        let start = std::time::Instant::now();
        arena.reset().unwrap();
        println!("again: {:.2} s", start.elapsed().as_secs_f64());
    }
}

#[test]
fn a_sequence_goes_on_after_an_exception_that_is_caught() {
    let mut opened = open_class(FAILING, ArenaConfig::default());
    let arena = &mut opened.arena;
    let run = |arena: &mut Arena, name: &str, item: i64, then: &str, of_thrown: bool| {
        let sequence = build(arena, |builder| {
            let bag = builder.call("p.A#<init>", None, &[]);
            let item = builder.int(item);
            let made = builder.call(&format!("p.A#{name}"), Some(bag), &[item]);
            builder.caught();
            builder.call(then, Some(if of_thrown { made } else { bag }), &[]);
        });
        observe(arena, &sequence)
    };
    let last = |observation: &Observation| {
        observation.steps.last().and_then(|step| step.result.as_ref()).map(ToString::to_string)
    };

    let seen = run(arena, "put", 10, "p.A#size", false);
    assert_eq!((&seen.ending, last(&seen)), (&Ending::Completed, Some("1".to_owned())));
    let thrown = seen.thrown_at(2).unwrap();
    assert_eq!(thrown.to_string(), "p.A$Full: full");
    assert_eq!(thrown.state.as_ref().unwrap().to_string(), "p.A$Full(held=[10])");
    assert!(seen.steps[1].receiver.is_some() && seen.steps[1].result.is_none());

    // What was thrown can be asked; what was not is a number.
    assert_eq!(last(&run(arena, "put", 10, "p.A$Full#count", true)), Some("1".to_owned()));
    let unfit = run(arena, "put", 1, "p.A$Full#count", true);
    assert_eq!(unfit.ending, Ending::Mismatch { step: 3, found: "java.lang.Integer".to_owned() });
    assert_eq!(unfit.thrown_at(2), None);

    // An error of the machine ends the sequence all the same.
    let ended = run(arena, "deep", 1, "p.A#size", false);
    assert!(matches!(ended.ending, Ending::Threw { step: 2, .. }), "{:?}", ended.ending);
}

#[test]
fn an_exception_that_ends_a_sequence_shows_what_it_holds() {
    let mut opened = open_class(FAILING, ArenaConfig::default());
    let arena = &mut opened.arena;
    let sequence = build(arena, |builder| {
        let bag = builder.call("p.A#<init>", None, &[]);
        let item = builder.int(11);
        builder.call("p.A#put", Some(bag), &[item]);
    });
    let seen = observe(arena, &sequence);
    assert_eq!(seen.thrown_at(2).unwrap().state.as_ref().unwrap().to_string(), "p.A$Full(held=[11])");
}
