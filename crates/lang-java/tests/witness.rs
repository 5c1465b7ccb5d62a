//! Counterexamples on the cases of the repository: from a sequence to a test that passes on the reference and fails on
//! an overfitting patch, written to a folder and run from there.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::sync::Arc;

use bonafix_lang::{
    Behaviour, ExploredVersion, Project, QuestionDraft, WitnessDraft, WitnessError, WrittenWitness,
};
use bonafix_lang_java::toolchain::Jdk;
use bonafix_lang_java::{Arena, ArenaConfig, ArenaSubject, JavaProject, ReplayOptions, render, replay};
use bonafix_model::{
    Breakdown, CallableKind, Catalog, Delta, Difference, DifferenceClass, DifferenceKind, Element, FileEdit,
    JavaConfig, Literal, Promise, Sequence, SequenceOutcome, Slot, Step, TestsConfig, Tolerance, TreeChange,
    Value, VersionRole, compare,
};
use bonafix_proc::{Confinement, Job, Launcher, Limits, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

fn cases() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/java")
}

fn cache() -> Arc<Cache> {
    let cache = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    Arc::new(Cache::open(&cache).unwrap())
}

fn launcher() -> Arc<Launcher> {
    Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap())
}

/// Applies a clean diff, by its line numbers.
fn change_of(root: &Utf8Path, diff: &Utf8Path) -> TreeChange {
    let text = fs_err::read_to_string(diff).unwrap();
    let mut change = TreeChange::default();
    for file in text.split("\n+++ b/").skip(1) {
        let (path, hunks) = file.split_once('\n').unwrap();
        let before = fs_err::read_to_string(root.join(path)).unwrap();
        let before: Vec<&str> = before.lines().collect();
        let mut after: Vec<String> = Vec::new();
        let mut at = 0;
        for line in hunks.lines() {
            if let Some(header) = line.strip_prefix("@@ -") {
                let start: usize = header.split([',', ' ']).next().unwrap().parse().unwrap();
                after.extend(before[at..start - 1].iter().map(|line| (*line).to_owned()));
                at = start - 1;
            } else if let Some(added) = line.strip_prefix('+') {
                after.push(added.to_owned());
            } else if line.starts_with('-') {
                at += usize::from(!line.starts_with("--- "));
            } else if let Some(kept) = line.strip_prefix(' ') {
                assert_eq!(before[at], kept, "{diff}");
                after.push(kept.to_owned());
                at += 1;
            } else if line.starts_with("diff ") {
                break;
            }
        }
        after.extend(before[at..].iter().map(|line| (*line).to_owned()));
        change.files.insert(path.into(), FileEdit::Write((after.join("\n") + "\n").into_bytes()));
    }
    assert!(!change.files.is_empty(), "{diff}");
    change
}

/// A case with its versions, opened as a project and in an arena.
struct Case {
    project: JavaProject,
    arena: Arena,
    reference: TreeChange,
    patched: TreeChange,
    buggy: TreeChange,
    repetitions: u32,
    folder: tempfile::TempDir,
    /// Where the subject lies, if not among the cases.
    subject: Option<tempfile::TempDir>,
}

fn compile_version(sources: &Utf8Path, change: &TreeChange, work: &Utf8Path) -> Utf8PathBuf {
    let (tree, output) = (work.join("tree"), work.join("classes"));
    bonafix_store::copy_tree(sources, &tree, &|_| false).unwrap();
    fs_err::create_dir_all(&output).unwrap();
    for (path, edit) in &change.files {
        if let FileEdit::Write(contents) = edit {
            fs_err::write(tree.join(path), contents).unwrap();
        }
    }
    let jdk = Jdk::find(None).unwrap();
    let mut job = Job::new(jdk.javac().as_str()).args(["-nowarn", "-g", "-proc:none", "-d", output.as_str()]);
    for entry in walkdir::WalkDir::new(&tree).into_iter().flatten() {
        let path = entry.path().to_str().unwrap();
        if entry.path().extension().is_some_and(|extension| extension == "java") && path.contains("/main/") {
            job = job.arg(path);
        }
    }
    let job = job.frozen_env(work).limits(Limits::build()).confinement(Confinement::Open);
    let finished = job.run(&launcher()).unwrap();
    assert!(finished.exit.success(), "{}", finished.stderr.text());
    output
}

impl Case {
    fn open(name: &str, patch: &str, config: &JavaConfig, roots: &[&str]) -> Self {
        let buggy = cases().join(name).join("buggy");
        let reference = change_of(&buggy, &cases().join(name).join("reference.diff"));
        let patched = change_of(&buggy, &cases().join(name).join("patches").join(patch));
        Self::with(&buggy, config, roots, reference, patched)
    }

    fn with(
        root: &Utf8Path,
        config: &JavaConfig,
        roots: &[&str],
        reference: TreeChange,
        patched: TreeChange,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let work = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let versions = [&reference, &patched].into_iter().enumerate();
        let versions: Vec<Vec<Utf8PathBuf>> = versions
            .map(|(number, change)| vec![compile_version(root, change, &work.join(number.to_string()))])
            .collect();
        let subject = ArenaSubject {
            versions,
            libraries: Vec::new(),
            roots: roots.iter().map(|root| (*root).to_owned()).collect(),
            ..ArenaSubject::default()
        };
        let arena = Arena::open(
            subject,
            ArenaConfig::default(),
            &Jdk::find(None).unwrap(),
            &cache(),
            &launcher(),
            &work.join("arena"),
        )
        .unwrap();
        let project = JavaProject::open(root, config, &TestsConfig::default(), cache(), launcher()).unwrap();
        let log = work.join("build.log");
        let buggy = TreeChange::default();
        for change in [&buggy, &reference, &patched] {
            project.build(change, &log).unwrap();
        }
        Self { project, arena, reference, patched, buggy, repetitions: 2, folder, subject: None }
    }

    fn path(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().canonicalize_utf8().unwrap()
    }

    fn sequence(&self, build: impl FnOnce(&mut Builder<'_>)) -> Sequence {
        let mut builder = Builder { catalog: self.arena.catalog(), steps: Vec::new() };
        build(&mut builder);
        Sequence { steps: builder.steps }
    }

    /// Runs the sequence, and makes a witness of the first difference that is wanted.
    fn witness(
        &mut self,
        input: &Sequence,
        wanted: impl Fn(&Difference) -> bool,
    ) -> Result<(WrittenWitness, Utf8PathBuf), WitnessError> {
        let outcome = self.arena.run(std::slice::from_ref(input)).unwrap().remove(0);
        let folder = self.path().join("witness");
        let log = self.path().join("witness.log");
        let delta = Delta::default();
        let version = |role, change| ExploredVersion { role, change, delta: &delta };
        let versions = [
            version(VersionRole::Reference, &self.reference),
            version(VersionRole::Patched, &self.patched),
            version(VersionRole::Buggy, &self.buggy),
        ];
        let observations = match &outcome {
            SequenceOutcome::Differs { observations, .. } => Some(observations.clone()),
            SequenceOutcome::Failed { version: 1, .. } => None,
            other => panic!("{other:?}"),
        };
        let scope = bonafix_lang::RunScope { versions: vec![0], show_all: true, ..Default::default() };
        let alone = self.arena.run_in(std::slice::from_ref(input), &scope).unwrap().remove(0);
        let SequenceOutcome::Same { observation: Some(alone), .. } = alone else { panic!("{alone:?}") };
        let difference = observations.as_ref().map(|observations| {
            let differences = compare(&observations[0], &observations[1], &Tolerance::default());
            differences.into_iter().find(|difference| wanted(difference)).unwrap()
        });
        let class = match &difference {
            None => DifferenceClass::Timeout,
            Some(difference) => match difference.kind {
                DifferenceKind::OnlyLeftThrew => DifferenceClass::Exc1,
                DifferenceKind::OnlyRightThrew => DifferenceClass::Exc2,
                DifferenceKind::ExceptionType => DifferenceClass::ExcType,
                _ => DifferenceClass::Assert,
            },
        };
        let draft = WitnessDraft {
            catalog: self.arena.catalog(),
            input,
            class,
            difference: difference.as_ref(),
            reference: Behaviour::Observed(observations.as_ref().map_or(&alone, |both| &both[0])),
            patched: observations
                .as_ref()
                .map_or(Behaviour::BrokeDown(Breakdown::Timeout), |both| Behaviour::Observed(&both[1])),
            precision: 1e-9,
            versions: &versions,
            repetitions: self.repetitions,
        };
        let written = self.project.make_witness(&draft, &folder, &log)?;
        Ok((written, folder))
    }

    /// The text of the question which of the two versions is right.
    fn question(&mut self, input: &Sequence, class: DifferenceClass) -> String {
        let outcome = self.arena.run(std::slice::from_ref(input)).unwrap().remove(0);
        let SequenceOutcome::Differs { observations, .. } = outcome else { panic!("{outcome:?}") };
        let differences = compare(&observations[0], &observations[1], &Tolerance::default());
        let delta = Delta::default();
        let version = |change| ExploredVersion { role: VersionRole::Patched, change, delta: &delta };
        let question = QuestionDraft {
            difference: WitnessDraft {
                catalog: self.arena.catalog(),
                input,
                class,
                difference: differences.first(),
                reference: Behaviour::Observed(&observations[0]),
                patched: Behaviour::Observed(&observations[1]),
                precision: 1e-9,
                versions: &[version(&self.reference), version(&self.patched)],
                repetitions: 1,
            },
            sides: ("cluster 1 (a.diff)", "cluster 2 (b.diff, c*.diff)"),
        };
        let folder = self.path().join("question");
        let file = self.project.make_question(&question, &folder, &self.path().join("log")).unwrap();
        assert!(file.ends_with("QuestionTest.java"), "{file}");
        fs_err::read_to_string(folder.join(&file)).unwrap()
    }

    /// The text of the witness's source, after a check that it tells the versions apart.
    fn convincing(&mut self, input: &Sequence) -> String {
        self.convincing_by(input, |_| true)
    }

    fn convincing_by(&mut self, input: &Sequence, wanted: impl Fn(&Difference) -> bool) -> String {
        let (written, folder) = self.witness(input, wanted).unwrap();
        convinces(&written);
        fs_err::read_to_string(folder.join(&written.file)).unwrap()
    }
}

fn convinces(written: &WrittenWitness) {
    for replay in &written.replays {
        match replay.role {
            VersionRole::Reference => assert!(replay.passed, "{written:#?}"),
            VersionRole::Patched => assert!(!replay.passed, "{written:#?}"),
            VersionRole::Buggy => {}
        }
    }
    assert!(written.replays.len() >= 3);
}

/// Builds a sequence step by step.
struct Builder<'a> {
    catalog: &'a Catalog,
    steps: Vec<Step>,
}

impl Builder<'_> {
    fn push(&mut self, step: Step) -> Slot {
        self.steps.push(step);
        u32::try_from(self.steps.len() - 1).unwrap()
    }

    fn number(&mut self, type_name: &str, value: i64) -> Slot {
        self.push(Step::Constant { type_name: type_name.to_owned(), value: Literal::Integer(value) })
    }

    fn int(&mut self, value: i64) -> Slot {
        self.number("int", value)
    }

    fn text(&mut self, text: &str) -> Slot {
        let value = Literal::Text(text.encode_utf16().collect());
        self.push(Step::Constant { type_name: "java.lang.String".to_owned(), value })
    }

    /// The last call goes on if it throws.
    fn caught(&mut self) {
        let Some(Step::Call { caught, .. }) = self.steps.last_mut() else { panic!("a call") };
        *caught = true;
    }

    /// `owner#name`, or `owner#name(parameters)` where the name is not enough.
    fn call(&mut self, name: &str, receiver: Option<Slot>, arguments: &[Slot]) -> Slot {
        let (owner, rest) = name.split_once('#').unwrap();
        let (plain, parameters) = match rest.split_once('(') {
            Some((plain, parameters)) => (plain, Some(parameters.trim_end_matches(')'))),
            None => (rest, None),
        };
        let found = self.catalog.callables.iter().position(|each| {
            each.owner == owner
                && each.name == plain
                && each.parameters.len() == arguments.len()
                && parameters.is_none_or(|parameters| each.parameters.join(",") == parameters)
        });
        let callable = u32::try_from(found.unwrap_or_else(|| panic!("no {name}"))).unwrap();
        self.push(Step::Call { callable, receiver, arguments: arguments.to_vec(), caught: false })
    }
}

fn junit(dependency: &str, release: u32) -> JavaConfig {
    JavaConfig {
        sources: vec!["src/main/java".into()],
        tests: vec!["src/test/java".into()],
        release: Some(release),
        dependencies: vec![dependency.to_owned()],
        ..JavaConfig::default()
    }
}

fn junit4() -> JavaConfig {
    junit("junit:junit:4.13.2", 8)
}

#[test]
fn a_question_has_both_answers_and_compiles() {
    let mut case = Case::open("leap-year", "overfit-1900.diff", &junit4(), &["calendar.Gregorian"]);
    let input = case.sequence(|builder| {
        let year = builder.int(2100);
        builder.call("calendar.Gregorian#isLeapYear", None, &[year]);
    });
    let text = case.question(&input, DifferenceClass::Assert);
    let expected = "        // Which of these is right?
        // cluster 1 (a.diff):
        assertFalse(Gregorian.isLeapYear(2100));
        // cluster 2 (b.diff, c&#42;.diff):
        // assertTrue(Gregorian.isLeapYear(2100));
";
    assert!(text.contains(expected), "{text}");
    assert!(
        text.contains(" * cluster 1 (a.diff): false.\n * cluster 2 (b.diff, c&#42;.diff): true.\n"),
        "{text}"
    );
    assert!(text.contains("import static org.junit.Assert.assertTrue;"), "for who takes the other: {text}");
}

#[test]
fn a_static_method_and_the_folder_on_its_own() {
    let mut case = Case::open("leap-year", "overfit-1900.diff", &junit4(), &["calendar.Gregorian"]);
    let input = case.sequence(|builder| {
        let year = builder.int(2100);
        builder.call("calendar.Gregorian#isLeapYear", None, &[year]);
    });
    assert_eq!(render(case.arena.catalog(), &input), ["Gregorian.isLeapYear(2100);"]);
    let (written, folder) = case.witness(&input, |_| true).unwrap();
    convinces(&written);
    assert_eq!(written.what, "Gregorian.isLeapYear(2100)");
    let text = fs_err::read_to_string(folder.join(&written.file)).unwrap();
    assert!(text.contains("        assertFalse(Gregorian.isLeapYear(2100));\n"), "{text}");
    assert_eq!(written.file, "src/calendar/GregorianWitnessTest.java");

    // Elsewhere, without the project.
    let elsewhere = case.path().join("else where");
    fs_err::rename(&folder, &elsewhere).unwrap();
    let options = ReplayOptions {
        jdk: None,
        repetitions: Some(1),
        cache: cache(),
        launcher: launcher(),
        log: case.path().join("replay.log"),
    };
    let report = replay(&elsewhere, &options).unwrap();
    assert!(report.holds, "{report:#?}");
    let seen: Vec<_> =
        report.versions.iter().map(|each| (each.role, each.passed, each.failed, each.promise)).collect();
    assert_eq!(
        seen,
        [
            (VersionRole::Reference, 1, 0, Promise::Passes),
            (VersionRole::Patched, 0, 1, Promise::Fails),
            (VersionRole::Buggy, 0, 1, Promise::Fails),
        ]
    );

    // A test that no longer tells the versions apart is noticed.
    let file = elsewhere.join(&written.file);
    fs_err::write(
        &file,
        text.replace("assertFalse(", "assertTrue(true || ").replace(".assertFalse", ".assertTrue"),
    )
    .unwrap();
    let report = replay(&elsewhere, &options).unwrap();
    assert!(!report.holds && !report.versions[1].kept && report.versions[0].kept, "{report:#?}");

    fs_err::remove_file(&file).unwrap();
    let error = replay(&elsewhere, &options).unwrap_err().to_string();
    assert!(error.contains("src/calendar/GregorianWitnessTest.java is missing"), "{error}");
}

#[test]
fn a_generic_class_with_state() {
    let mut case = Case::open("lru-cache", "overfit-only-the-oldest.diff", &junit4(), &["cache.LruCache"]);
    let input = case.sequence(|builder| {
        let capacity = builder.int(3);
        let cache = builder.call("cache.LruCache#<init>", None, &[capacity]);
        for (key, value) in [("a", 1), ("b", 2), ("c", 3), ("b", 4)] {
            let (key, value) = (builder.text(key), builder.int(value));
            builder.call("cache.LruCache#put", Some(cache), &[key, value]);
        }
        builder.call("cache.LruCache#keys", Some(cache), &[]);
    });
    let text = case.convincing(&input);
    assert!(
        text.contains("        LruCache lruCache = new LruCache(3);\n        lruCache.put(\"a\", 1);\n"),
        "{text}"
    );
    assert!(
        text.contains("        assertEquals(Arrays.asList(\"a\", \"c\", \"b\"), lruCache.keys());\n"),
        "{text}"
    );
}

#[test]
fn an_exception_that_is_swallowed_and_money_that_is_lost() {
    let open = |builder: &mut Builder<'_>, frozen: bool| {
        let bank = builder.call("bank.Bank#<init>", None, &[]);
        let (one, two) = (builder.text("A"), builder.text("B"));
        builder.call("bank.Bank#open", Some(bank), &[one]);
        let money = builder.number("long", 100);
        builder.call("bank.Bank#deposit", Some(bank), &[one, money]);
        if frozen {
            builder.call("bank.Bank#open", Some(bank), &[two]);
            let flag = builder
                .push(Step::Constant { type_name: "boolean".to_owned(), value: Literal::Boolean(true) });
            builder.call("bank.Bank#setFrozen", Some(bank), &[two, flag]);
        }
        let part = builder.number("long", 30);
        builder.call("bank.Bank#transfer", Some(bank), &[one, two, part]);
    };
    let mut case = Case::open("bank-transfer", "overfit-swallow.diff", &junit4(), &["bank.Bank"]);
    let input = case.sequence(|builder| open(builder, false));
    let text = case.convincing(&input);
    assert!(text.contains("} catch (NoSuchAccountException expected) {"), "{text}");
    assert!(text.contains("            bank.transfer(\"A\", \"B\", 30L);\n"), "{text}");

    // If nobody knows whether it should be swallowed.
    let text = case.question(&input, DifferenceClass::Exc1);
    assert!(
        text.contains("        // cluster 1 (a.diff):\n        try {\n            bank.transfer("),
        "{text}"
    );
    let other = "        // cluster 2 (b.diff, c&#42;.diff):\n        // Ends without an exception.\n        // bank.transfer(";
    assert!(text.contains(other), "{text}");

    // The same for JUnit 3.
    let mut case =
        Case::open("bank-transfer", "overfit-no-freeze.diff", &junit("junit:junit:3.8.1", 8), &["bank.Bank"]);
    let input = case.sequence(|builder| open(builder, true));
    let text = case.convincing_by(&input, |difference| difference.kind == DifferenceKind::OnlyLeftThrew);
    assert!(text.contains("public class BankWitnessTest extends TestCase {"), "{text}");
}

#[test]
fn what_an_exception_leaves_behind_and_what_it_says() {
    let mut case = Case::open("bank-transfer", "overfit-lookup-first.diff", &junit4(), &["bank.Bank"]);
    let input = case.sequence(|builder| {
        let bank = builder.call("bank.Bank#<init>", None, &[]);
        let (one, two) = (builder.text("A"), builder.text("B"));
        builder.call("bank.Bank#open", Some(bank), &[one]);
        builder.call("bank.Bank#open", Some(bank), &[two]);
        let money = builder.number("long", 100);
        builder.call("bank.Bank#deposit", Some(bank), &[one, money]);
        let flag =
            builder.push(Step::Constant { type_name: "boolean".to_owned(), value: Literal::Boolean(true) });
        builder.call("bank.Bank#setFrozen", Some(bank), &[two, flag]);
        let part = builder.number("long", 30);
        builder.call("bank.Bank#transfer", Some(bank), &[one, two, part]);
        builder.caught();
        builder.call("bank.Bank#balance", Some(bank), &[one]);
    });
    let text = case.convincing_by(&input, |difference| difference.location.element == Element::Return);
    let expected = "        try {\n            bank.transfer(\"A\", \"B\", 30L);\n        \
                    } catch (IllegalStateException expected) {\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("        assertEquals(100L, bank.balance(\"A\"));\n"), "{text}");

    // A checked exception that is asked. The patch lets the transfer through, so both ask the withdrawal.
    let input = case.sequence(|builder| {
        let bank = builder.call("bank.Bank#<init>", None, &[]);
        let one = builder.text("A");
        builder.call("bank.Bank#open", Some(bank), &[one]);
        let part = builder.number("long", 30);
        let thrown = builder.call("bank.Bank#withdraw", Some(bank), &[one, part]);
        builder.caught();
        builder.call("bank.InsufficientFundsException#getMissing", Some(thrown), &[]);
    });
    assert_eq!(
        render(case.arena.catalog(), &input)[2..],
        [
            "Exception exception = null;",
            "try {",
            "    bank.withdraw(\"A\", 30L);",
            "} catch (Exception expected) {",
            "    exception = expected;",
            "}",
            "((InsufficientFundsException) exception).getMissing();",
        ]
    );
}

#[test]
fn the_contents_of_an_exception() {
    let mut case = Case::open(
        "build-order",
        "overfit-stays-on-path.diff",
        &junit4(),
        &["build.graph.DependencyGraph", "build.graph.CycleException"],
    );
    let input = case.sequence(|builder| {
        let graph = builder.call("build.graph.DependencyGraph#<init>", None, &[]);
        let (app, ui, log) = (builder.text("app"), builder.text("ui"), builder.text("log"));
        let object = "java.lang.Object".to_owned();
        let needs = builder.push(Step::Array { element: object.clone(), items: vec![log, ui] });
        builder.call("build.graph.DependencyGraph#add", Some(graph), &[app, needs]);
        let needs = builder.push(Step::Array { element: object, items: vec![app] });
        builder.call("build.graph.DependencyGraph#add", Some(graph), &[ui, needs]);
        let thrown = builder.call("build.graph.DependencyGraph#orderAll", Some(graph), &[]);
        builder.caught();
        builder.call("build.graph.CycleException#nodes", Some(thrown), &[]);
    });
    let text = case.convincing_by(&input, |difference| difference.location.element == Element::Return);
    assert!(text.contains("        CycleException cycleException = null;\n        try {\n"), "{text}");
    assert!(text.contains("            cycleException = expected;\n"), "{text}");
    assert!(text.contains("Arrays.asList(\"app\", \"ui\"), cycleException.nodes());\n"), "{text}");
}

#[test]
fn a_loop_without_end() {
    let mut case = Case::open(
        "text-wrap",
        "overfit-endless.diff",
        &junit("org.junit.jupiter:junit-jupiter:5.10.2", 11),
        &["text.layout.WordWrap"],
    );
    let input = case.sequence(|builder| {
        let width = builder.int(3);
        let wrap = builder.call("text.layout.WordWrap#<init>", None, &[width]);
        let text = builder.text("a longword");
        builder.call("text.layout.WordWrap#lines", Some(wrap), &[text]);
    });
    let (written, folder) = case.witness(&input, |_| true).unwrap();
    convinces(&written);
    let text = fs_err::read_to_string(folder.join(&written.file)).unwrap();
    assert!(text.contains("assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {"), "{text}");
}

#[test]
fn two_modules_and_a_constant_that_is_inlined() {
    let mut case = Case::open(
        "order-pricing",
        "overfit-percent-only.diff",
        &JavaConfig::default(),
        &["shop.checkout.Receipt", "shop.pricing.QuantityDiscount"],
    );
    let input = case.sequence(|builder| {
        let quantity = builder.int(10);
        builder.call("shop.checkout.Receipt#mark", None, &[quantity]);
    });
    let text = case.convincing(&input);
    assert!(text.contains("assertEquals(\"B\", Receipt.mark(10));"), "{text}");
    let input = case.sequence(|builder| {
        builder.call("shop.pricing.QuantityDiscount#BULK_FROM", None, &[]);
    });
    fs_err::remove_dir_all(case.path().join("witness")).unwrap();
    let text = case.convincing(&input);
    assert!(text.contains("assertEquals(10, QuantityDiscount.BULK_FROM);"), "{text}");
}

/// A class with all that makes rendering hard.
const RICH: &str = r#"
package p;
import java.util.*;
import java.util.function.*;
public class Rich<T extends Comparable<T>> {
    public enum Kind { PLAIN, GOLD { @Override int bonus() { return 2; } }; int bonus() { return 1; } }
    public class Inner { public int n; public Inner(int n) { this.n = n; } public class Deep { public Deep(String s) { } }
        public Deep deep(String s) { return new Deep(s); } }
    public static class Nested<E> { public E held; public Nested(E held) { this.held = held; } public E get() { return held; } }
    private static class Secret implements Comparable<Secret>, Shape { public int compareTo(Secret o) { return 0; }
        public double area() { return 1; } }
    public interface Shape { double area(); default String label() { return "shape " + area(); } }
    public interface Pair<A, B> { A first(); B second(); }
    public abstract static class Plan<E extends Number> implements Pair<E, List<E>>, Iterator<E> { abstract <C> C[] all(E... es);
        protected abstract boolean is(char c); public int cost() { return 1; } public String remove; }
    public abstract static class Fixed extends Plan<Long> { public Long first() { return 1L; } abstract void set(Rich<?>.Inner inner); }
    public int plan(Plan<?> plan, Fixed fixed) { return plan.cost(); }
    public int field; protected String name; static long made; public static final List<String> LOG = new ArrayList<>();
    public T[] row; public int[][] grid = {{1}};
    public Rich() { } public Rich(int n) { field = n; } public Rich(Integer n) { field = -1; } public Rich(String... names) { }
    public int pick(int x) { return 1; } public int pick(long x) { return 2; } public int pick(Integer x) { return 3; }
    public int pick(Object x) { return 4; } public int pick(String x) { return 5; } public int pick(char x) { return 6; }
    public int pick(byte x) { return 7; } public int pick(short x) { return 8; } public int pick(double x) { return 9; }
    public int pick(float x) { return 10; } public int pick(int[] x) { return 11; } public int pick(Object... x) { return 12; }
    public int pick(Comparable<?> x) { return 13; } public int pick(Collection<?> x) { return 14; } public int pick(List<?> x) { return 15; }
    public <C extends Comparable<C>> C larger(C a, C b) { return a; }
    public static <C extends Comparable<? super C>> C best(Collection<? extends C> all) { return null; }
    public T own(T t) { return t; } public List<T> owns(Map<? super T, List<? extends Number>> map) { return null; }
    public Secret secret() { return new Secret(); } public int take(Shape shape) { return (int) shape.area(); }
    public Shape shape() { return new Secret(); } public <A, B> A swap(Pair<A, B> pair) { return pair.first(); }
    int hidden(Hidden hidden) { return 1; } Hidden hide() { return new Hidden(); }
    protected void guarded(Kind kind) throws Throwable { if (kind == null) throw new Exception(); }
    public int apply(IntUnaryOperator f, int x) { return f.applyAsInt(x); } public String supply(Supplier<String> s) { return s.get(); }
    public int order(Comparator<? super T> c, T a, T b) { return c.compare(a, b); } public void run(Runnable r) { r.run(); }
    public char letter(char c, byte b, short s, float f, double d, long l, boolean z) { return c; }
    public Class<?> type(Class<? extends Number> c) { return c; } public Object any(Object o) { return o; }
    public Date when(Date date, java.util.Date other) { return date; } public Kind[] kinds(Kind... k) { return k; }
    public long sum(long... xs) { return xs.length; } public int text(CharSequence s, Iterable<String> i) { return s.length(); }
    public Optional<String> maybe(Optional<? extends Number> o) { return Optional.empty(); }
}
"#;
const RICH_OTHERS: [(&str, &str); 3] = [
    ("Hidden.java", "package p; class Hidden { int value; Hidden() { } static Hidden of(int v) { return new Hidden(); } }"),
    ("Date.java", "package p; public class Date { public int field; public Date(int day) { } public int day() { return 1; } }"),
    ("Sub.java", "package p; public class Sub extends Rich<String> { public String field; public Sub() { }
        public int pick(StringBuilder b) { return 16; } @Override public String own(String s) { return s; } }"),
];

/// Chance that is the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn constant(&mut self) -> Step {
        let number = |type_name: &str, value| (type_name.to_owned(), Literal::Integer(value));
        let (type_name, value) = match self.below(14) {
            0 => ("java.lang.String".to_owned(), Literal::Null),
            1 => ("boolean".to_owned(), Literal::Boolean(true)),
            2 => ("char".to_owned(), Literal::Char([39, 92, 10, 0xd800, 97][self.below(5)])),
            3 => ("float".to_owned(), Literal::Float([0x7fc0_0000, 0x8000_0000, 0x3dcc_cccd][self.below(3)])),
            4 => {
                let bits = [
                    0x7ff8_0000_0000_0000,
                    0x8000_0000_0000_0000,
                    0xfff0_0000_0000_0000,
                    1,
                    0x3fb9_9999_9999_999a,
                ];
                ("double".to_owned(), Literal::Double(bits[self.below(5)]))
            }
            5 => (
                "java.lang.Class".to_owned(),
                Literal::Class(["int", "java.lang.Integer", "p.Rich$Kind"][self.below(3)].to_owned()),
            ),
            6 => number("byte", -128),
            7 => number("short", 7),
            8 => number("long", [i64::MIN, 5, -1][self.below(3)]),
            9 => number("java.lang.Integer", -3),
            10 => number("int", i64::from(i32::MIN)),
            11 => number("int", -4),
            _ => (
                "java.lang.String".to_owned(),
                Literal::Text([&[0x5c, 0x75, 0x22][..], &[0xdc00], &[97, 98]][self.below(3)].to_vec()),
            ),
        };
        Step::Constant { type_name, value }
    }

    /// One of the methods of one name, with something that many of them take.
    fn pick(&mut self, catalog: &Catalog) -> Sequence {
        let mut builder = Builder { catalog, steps: Vec::new() };
        let list = builder.call("java.util.ArrayList#<init>()", None, &[]);
        let array = builder.push(Step::Array { element: "int".to_owned(), items: Vec::new() });
        let objects = builder.push(Step::Array { element: "java.lang.Object".to_owned(), items: vec![list] });
        let constant = builder.push(self.constant());
        let any = builder.call("java.util.ArrayList#<init>()", None, &[]);
        builder.call("java.util.ArrayList#add", Some(any), &[constant]);
        let iterator = builder.call("java.util.List#iterator", Some(any), &[]);
        let hidden = builder.call("java.util.Iterator#next", Some(iterator), &[]);
        let receiver = builder.call(["p.Rich#<init>()", "p.Sub#<init>()"][self.below(2)], None, &[]);
        let picks = catalog.callables.iter().enumerate().filter(|(_, each)| each.name == "pick");
        let picks: Vec<u32> = picks.map(|(id, _)| u32::try_from(id).unwrap()).collect();
        let argument = [list, array, objects, constant, constant, constant, hidden, hidden][self.below(8)];
        let callable = picks[self.below(picks.len())];
        builder.push(Step::Call {
            callable,
            receiver: Some(receiver),
            arguments: vec![argument],
            caught: false,
        });
        Sequence { steps: builder.steps }
    }

    /// Steps at random; most are nonsense, which the arena finds out.
    fn sequence(&mut self, catalog: &Catalog) -> Sequence {
        let mut steps = vec![self.constant(), self.constant(), self.constant()];
        let mut makers: Vec<usize> = (0..catalog.callables.len()).collect();
        makers.retain(|id| {
            catalog.callables[*id].parameters.is_empty() || catalog.callables[*id].owner.starts_with("p.")
        });
        for _ in 0..self.below(12) {
            let known = steps.len();
            let slot = |chance: &mut Self| u32::try_from(chance.below(known)).unwrap();
            let step = match self.below(10) {
                0 | 1 => self.constant(),
                2 => {
                    let element =
                        ["int", "java.lang.String", "java.lang.Object", "p.Rich$Kind", "long", "int[]"]
                            [self.below(6)];
                    let count = self.below(3);
                    Step::Array {
                        element: element.to_owned(),
                        items: (0..count).map(|_| slot(self)).collect(),
                    }
                }
                3 => {
                    let interface = [
                        "p.Rich$Shape",
                        "p.Rich$Pair",
                        "java.util.Comparator",
                        "java.util.function.IntUnaryOperator",
                        "java.util.function.Supplier",
                        "java.lang.Runnable",
                        "java.lang.CharSequence",
                        "java.lang.Iterable",
                        "p.Rich$Plan",
                        "p.Rich$Fixed",
                    ][self.below(10)];
                    let count = self.below(3);
                    Step::Stub {
                        interface: interface.to_owned(),
                        answers: (0..count).map(|_| slot(self)).collect(),
                    }
                }
                _ => {
                    let callable = makers[self.below(makers.len())];
                    let called = &catalog.callables[callable];
                    let needs = matches!(
                        called.kind,
                        CallableKind::Method | CallableKind::FieldGet | CallableKind::FieldSet
                    );
                    Step::Call {
                        callable: u32::try_from(callable).unwrap(),
                        receiver: needs.then(|| slot(self)),
                        arguments: called.parameters.iter().map(|_| slot(self)).collect(),
                        caught: false,
                    }
                }
            };
            steps.push(step);
        }
        Sequence { steps }
    }
}

/// Opens the arena on one version of some classes of package `p`.
fn open_classes(folder: &Utf8Path, sources: &[(&str, &str)], roots: &[&str]) -> (Arena, Utf8PathBuf) {
    for (name, text) in sources {
        fs_err::create_dir_all(folder.join("sources/main/p")).unwrap();
        fs_err::write(folder.join("sources/main/p").join(name), text).unwrap();
    }
    let classes = compile_version(&folder.join("sources"), &TreeChange::default(), &folder.join("version"));
    let subject = ArenaSubject {
        versions: vec![vec![classes.clone()]],
        roots: roots.iter().map(|root| (*root).to_owned()).collect(),
        ..ArenaSubject::default()
    };
    let jdk = Jdk::find(None).unwrap();
    let arena =
        Arena::open(subject, ArenaConfig::default(), &jdk, &cache(), &launcher(), &folder.join("arena"))
            .unwrap();
    (arena, classes)
}

/// Inner classes, overloads, a lambda, a field, an array for any number of arguments, two classes of one name.
fn hard_sequence(catalog: &Catalog) -> Sequence {
    let mut builder = Builder { catalog, steps: Vec::new() };
    let rich = builder.call("p.Rich#<init>()", None, &[]);
    let number = builder.int(-5);
    let inner = builder.call("p.Rich$Inner#<init>", None, &[rich, number]);
    let units = vec![97, 0xe9, 0xd800];
    let text = builder
        .push(Step::Constant { type_name: "java.lang.String".to_owned(), value: Literal::Text(units) });
    builder.call("p.Rich$Inner$Deep#<init>", None, &[inner, text]);
    let byte = builder.number("byte", -1);
    let null =
        builder.push(Step::Constant { type_name: "java.lang.Object".to_owned(), value: Literal::Null });
    builder.call("p.Rich#pick(byte)", Some(rich), &[byte]);
    builder.call("p.Rich#pick(java.lang.Object)", Some(rich), &[byte]);
    builder.call("p.Rich#pick(java.lang.Object[])", Some(rich), &[null]);
    let interface = "java.util.function.IntUnaryOperator".to_owned();
    let operator = builder.push(Step::Stub { interface, answers: vec![number] });
    let result = builder.call("p.Rich#apply", Some(rich), &[operator, number]);
    builder.call("p.Rich#field(int)", Some(rich), &[result]);
    let gold = builder.call("p.Rich$Kind#GOLD", None, &[]);
    let kinds = builder.push(Step::Array { element: "p.Rich$Kind".to_owned(), items: vec![gold] });
    builder.call("p.Rich#kinds", Some(rich), &[kinds]);
    let day = builder.call("p.Date#<init>", None, &[number]);
    let millis = builder.number("long", 5);
    let other = builder.call("java.util.Date#<init>(long)", None, &[millis]);
    builder.call("p.Rich#when", Some(rich), &[day, other]);
    Sequence { steps: builder.steps }
}

#[test]
fn whatever_the_arena_can_run_compiles() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let mut sources = vec![("Rich.java", RICH)];
    sources.extend(RICH_OTHERS);
    let (mut arena, classes) = open_classes(&root, &sources, &["p.Rich", "p.Sub", "p.Hidden"]);
    assert_eq!(
        render(arena.catalog(), &hard_sequence(arena.catalog())),
        [
            "Rich rich = new Rich();",
            "Rich.Inner inner = rich.new Inner(-5);",
            "inner.new Deep(\"a\\u00e9\\ud800\");",
            "rich.pick((byte) -1);",
            "rich.pick((Object) (byte) -1);",
            "rich.pick((Object[]) null);",
            "IntUnaryOperator intUnaryOperator = a -> -5;",
            "int result = rich.apply(intUnaryOperator, -5);",
            "rich.field = result;",
            "rich.kinds(new Rich.Kind[] {Rich.Kind.GOLD});",
            "Date date = new Date(-5);",
            "java.util.Date date2 = new java.util.Date(5L);",
            "rich.when(date, date2);",
        ]
    );
    let mut chance = Chance(8);
    let sequences: Vec<Sequence> = (0..30_000).map(|_| chance.sequence(arena.catalog())).collect();
    let sequences: Vec<Sequence> =
        sequences.into_iter().chain((0..2000).map(|_| chance.pick(arena.catalog()))).collect();
    let scope = bonafix_lang::RunScope { versions: vec![0], show_all: true, ..Default::default() };
    let outcomes = arena.run_in(&sequences, &scope).unwrap();
    let mut methods = String::new();
    let (mut calls, mut checked) = (0, 0);
    for (number, (sequence, outcome)) in sequences.iter().zip(outcomes).enumerate() {
        // What ran to its end or up to an exception makes sense.
        let SequenceOutcome::Same { summary, observation } = outcome else { continue };
        let mut sequence = sequence.clone();
        sequence.steps.truncate(summary.steps as usize + usize::from(summary.threw));
        let mut owners = sequence.callables().map(|id| &arena.catalog().callables[id as usize].owner);
        if sequence.callables().count() < 2 || !owners.any(|owner| owner.starts_with("p.")) {
            continue;
        }
        calls += sequence.callables().count();
        let mut lines = render(arena.catalog(), &sequence);
        // Where the last call tells which of many methods it was, it must be the same one here.
        let last = observation.and_then(|seen| seen.steps.last().and_then(|step| step.result.clone()));
        let name = match (sequence.steps.last(), last) {
            (Some(Step::Call { callable, .. }), Some(Value::Int(result)))
                if arena.catalog().callables[*callable as usize].name == "pick" =>
            {
                let call = lines.pop().unwrap();
                let call = call.trim_end_matches(';');
                lines.push(format!("if ({call} != {result}) throw new AssertionError(\"m{number}\");"));
                checked += 1;
                "check"
            }
            _ => "m",
        };
        let lines = lines.join("\n        ");
        write!(methods, "    void {name}{number}() throws Throwable {{\n        {lines}\n    }}\n").unwrap();
    }
    assert!(checked > 50, "{checked}");
    assert!(calls > 2000, "{calls}");
    let test = format!(
        "package p;\nimport java.util.*;\nimport java.util.function.*;\nimport java.util.stream.*;\nimport java.util.regex.*;\n\
         import java.util.concurrent.*;\nimport java.util.concurrent.atomic.*;\nimport java.nio.charset.*;\n\
         import java.time.format.*;\nimport java.math.*;\nimport java.text.*;\nimport java.time.*;\nimport java.io.*;\n\
         @SuppressWarnings({{\"rawtypes\", \"unchecked\", \"deprecation\"}})\nclass Rendered {{\n\
         static Object stub(Class<?> type, Object... answers) {{ return null; }}\n\
         public static void main(String[] args) throws Throwable {{\n\
         for (java.lang.reflect.Method m : Rendered.class.getDeclaredMethods())\n\
         if (m.getName().startsWith(\"check\")) m.invoke(new Rendered());\n}}\n{methods}}}\n"
    );
    assert!(test.contains("new Rich.Plan() {") && test.contains("new Rich.Fixed() {"));
    let file = root.join("Rendered.java");
    fs_err::write(&file, &test).unwrap();
    let jdk = Jdk::find(None).unwrap();
    let job = Job::new(jdk.javac().as_str())
        .args([
            "-nowarn",
            "-proc:none",
            "-Xmaxerrs",
            "1000",
            "-d",
            root.as_str(),
            "-cp",
            classes.as_str(),
            file.as_str(),
        ])
        .frozen_env(&root)
        .limits(Limits::build())
        .confinement(Confinement::Open)
        .stderr(bonafix_proc::Sink::Capture { cap: 1 << 20 });
    let finished = job.run(&launcher()).unwrap();
    assert!(finished.exit.success(), "{}", finished.stderr.text());
    let job = Job::new(jdk.java().as_str())
        .args(["-cp", &format!("{root}:{classes}"), "p.Rendered"])
        .frozen_env(&root)
        .limits(Limits::build())
        .confinement(Confinement::Open)
        .stderr(bonafix_proc::Sink::Capture { cap: 1 << 20 });
    let finished = job.run(&launcher()).unwrap();
    assert!(finished.exit.success(), "{}", finished.stderr.text());
}

/// Results of all kinds; the two marks are where the versions differ.
const RESULTS: &str = r#"
package p;
import java.math.BigDecimal;
import java.util.*;
public class Results implements Comparable<Results> {
    public interface Source { int next(); String name(); }
    int seen;
    private int inside;
    public double[] halves(int n) { return new double[] {n / 2.0 + %D%, n}; }
    public Map<String, List<Integer>> table(int n) { Map<String, List<Integer>> m = new HashMap<>(); m.put("a", Arrays.asList(n, n + %N%));
        m.put("b", new ArrayList<>()); return m; }
    public Set<Object> set(int n) { return new HashSet<>(Arrays.<Object>asList(n + %N%, this.getClass())); }
    public BigDecimal price(int n) { return new BigDecimal(n + %N%).setScale(2); }
    public void look(int n) { seen = n + %N%; }
    public void hide(int n) { inside = n + %N%; }
    public void fill(int[] into) { Arrays.fill(into, 7 + %N%); }
    public int parse(String s) { if (%N% == 0) throw new IllegalArgumentException(s); throw new NumberFormatException(s); }
    public void check(int n) { if (%N% == 1) throw new IllegalStateException(); }
    public int deep(int n) { return %N% == 1 ? deep(n + 1) : n; }
    public int compareTo(Results other) { return %N% == 0 ? -5 : 3; }
    public String join(Source source) { return source.next() + source.name() + (source.next() + %N%); }
    public Date day(long n) { return new Date(n + %N%); }
    public String text(char c) { return c + "\\u0041\"\n" + %N%; }
    public float zero(int n) { return %N% == 0 ? 0.0f : -0.0f; }
    public Object boxed(int n) { return (long) n + %N%; }
}
"#;

fn results() -> Case {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let version = |double: &str, number: &str| RESULTS.replace("%D%", double).replace("%N%", number);
    let file = "src/main/java/p/Results.java";
    fs_err::create_dir_all(root.join("src/main/java/p")).unwrap();
    fs_err::create_dir_all(root.join("src/test/java")).unwrap();
    fs_err::write(root.join(file), version("0", "2")).unwrap();
    let change = |double, number| TreeChange {
        files: [(file.into(), FileEdit::Write(version(double, number).into_bytes()))].into(),
    };
    let mut case = Case::with(&root, &junit4(), &["p.Results"], change("0", "0"), change("0.25", "1"));
    case.repetitions = 1;
    case.subject = Some(folder);
    case
}

#[test]
fn each_kind_of_value_has_its_assertion() {
    let mut case = results();
    let int = |builder: &mut Builder<'_>, value: i64| builder.int(value);
    for (method, assertion) in [
        ("halves", "assertEquals(2.0, results.halves(4)[0], 2e-9);"),
        ("table", "assertEquals(Arrays.asList(4, 4), results.table(4).get(\"a\"));"),
        ("set", "assertTrue(results.set(4).contains(Integer.valueOf(4)));"),
        ("price", "assertEquals(0, new BigDecimal(\"4.00\").compareTo(results.price(4)));"),
        ("look", "assertEquals(4, results.seen);"),
        ("fill", "assertArrayEquals(new int[] {7}, numbers);"),
        ("parse", "assertEquals(\"java.lang.IllegalArgumentException\", thrown == null ? null : "),
        ("check", "results.check(4);"),
        ("deep", "assertEquals(4, results.deep(4));"),
        ("compareTo", "assertTrue(results.compareTo(results) < 0);"),
        ("join", "assertEquals(\"4n0\", results.join(source));"),
        (
            "day",
            "assertEquals(\"1970-01-01T00:00:00.004Z\", Instant.ofEpochMilli(results.day(4L).getTime()).toString());",
        ),
        ("text", r#"assertEquals("\u00e9\\u0041\"\n0", results.text('\u00e9'));"#),
        ("zero", "assertEquals(Float.valueOf(0.0f), Float.valueOf(results.zero(4)));"),
        ("boxed", "assertEquals(Long.valueOf(4L), results.boxed(4));"),
    ] {
        let input = case.sequence(|builder| {
            let results = builder.call("p.Results#<init>", None, &[]);
            let argument = match method {
                "fill" => {
                    let item = int(builder, 1);
                    builder.push(Step::Array { element: "int".to_owned(), items: vec![item] })
                }
                "parse" => builder.text("x"),
                "compareTo" => results,
                "join" => {
                    let answers = vec![int(builder, 4), builder.text("n"), int(builder, 0)];
                    builder.push(Step::Stub { interface: "p.Results$Source".to_owned(), answers })
                }
                "day" => builder.number("long", 4),
                "text" => {
                    builder.push(Step::Constant { type_name: "char".to_owned(), value: Literal::Char(0xe9) })
                }
                _ => int(builder, 4),
            };
            builder.call(&format!("p.Results#{method}"), Some(results), &[argument]);
        });
        let text = case.convincing(&input);
        assert!(text.contains(assertion), "{method}: {text}");
        fs_err::remove_dir_all(case.path().join("witness")).unwrap();
    }
    let input = case.sequence(|builder| {
        let results = builder.call("p.Results#<init>", None, &[]);
        let number = builder.int(4);
        builder.call("p.Results#hide", Some(results), &[number]);
    });
    let error = case.witness(&input, |_| true).unwrap_err();
    assert!(matches!(error, WitnessError::NotExpressible(_)), "{error}");
    assert!(!case.path().join("witness").exists());
}

/// An abstract class with a hidden constructor call, fields that could hide variables, and generics; something takes it.
const GATES: &str = r#"
package p;
import java.util.*;
public class Gates {
    public abstract static class Door<T extends Comparable<T>> {
        protected final String list = "field", stubAnswers2 = "field", answer = "field";
        protected abstract T use(T t, List<? extends T> more);
        abstract <E> Map<E, T> map(E[] keys, T[] values);
    }
    public abstract static class Gate extends Door<String> {
        final int first = width();
        protected Gate() { }
        abstract int width();
        public abstract char mark();
        public abstract void close(int a, int b, int c, int d, int e, int f, int g);
        public static class String { }
    }
    public abstract static class Empty { }
    public int both(Gate gate) { return gate.first * 100 + gate.width() + %N%; }
    public String all(Gate gate) {
        gate.close(1, 2, 3, 4, 5, 6, 7);
        return gate.first + gate.use("x", null) + gate.mark() + gate.map(null, null) + gate.width() + %N%;
    }
    public Object raw(Door door) { return "" + door.use("x", null) + door.map(null, null) + %N%; }
    public int empty(Empty empty) { return %N%; }
}
"#;

fn gates() -> Case {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let file = "src/main/java/p/Gates.java";
    fs_err::create_dir_all(root.join("src/main/java/p")).unwrap();
    fs_err::create_dir_all(root.join("src/test/java")).unwrap();
    fs_err::write(root.join(file), GATES.replace("%N%", "2")).unwrap();
    let change = |number| TreeChange {
        files: [(file.into(), FileEdit::Write(GATES.replace("%N%", number).into_bytes()))].into(),
    };
    let mut case = Case::with(&root, &junit4(), &["p.Gates"], change("0"), change("1"));
    case.repetitions = 1;
    case.subject = Some(folder);
    case
}

#[test]
fn a_stub_of_an_abstract_class_is_a_class_without_a_name() {
    let mut case = gates();
    let stub = |case: &Case, class: &str, method: &str, answers: fn(&mut Builder<'_>) -> Vec<Slot>| {
        case.sequence(|builder| {
            let gates = builder.call("p.Gates#<init>", None, &[]);
            let answers = answers(builder);
            let interface = format!("p.Gates${class}");
            let stub = builder.push(Step::Stub { interface, answers });
            builder.call(&format!("p.Gates#{method}"), Some(gates), &[stub]);
        })
    };
    let one = stub(&case, "Gate", "both", |builder| vec![builder.int(3)]);
    let text = case.convincing(&one);
    assert!(text.contains("public int width() {\n                return 3;\n"), "{text}");
    assert!(text.contains("assertEquals(303, gates.both(gate));"), "{text}");
    fs_err::remove_dir_all(case.path().join("witness")).unwrap();

    let several = stub(&case, "Gate", "all", |builder| {
        let list = builder.call("java.util.ArrayList#<init>", None, &[]);
        vec![builder.int(3), list, builder.text("t"), builder.int(1), list, builder.int(8)]
    });
    let text = case.convincing(&several);
    assert!(text.contains("assertEquals(\"3t\\u0000null80\", gates.all(gate));"), "{text}");
    fs_err::remove_dir_all(case.path().join("witness")).unwrap();

    for (class, method, expected) in
        [("Door", "raw", "\"tnull0\""), ("Empty", "empty", "assertEquals(0, gates.empty(empty));")]
    {
        let input = stub(&case, class, method, |builder| vec![builder.text("t")]);
        let text = case.convincing(&input);
        assert!(text.contains(expected), "{text}");
        fs_err::remove_dir_all(case.path().join("witness")).unwrap();
    }
}
