//! Counterexamples on the cases of the repository: from a sequence to a test that passes on the reference and fails on
//! an overfitting patch, written to a folder and run from there.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use bonafix_lang::{Behaviour, ExploredVersion, Project, WitnessDraft, WitnessError, WrittenWitness};
use bonafix_lang_java::toolchain::Jdk;
use bonafix_lang_java::{Arena, ArenaConfig, ArenaSubject, JavaProject, ReplayOptions, render, replay};
use bonafix_model::{
    Breakdown, Catalog, Delta, Difference, DifferenceClass, DifferenceKind, FileEdit, JavaConfig, Literal,
    Promise, Sequence, SequenceOutcome, Slot, Step, TestsConfig, Tolerance, TreeChange, VersionRole, compare,
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
    folder: tempfile::TempDir,
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
        Self { project, arena, reference, patched, buggy, folder }
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
        let scope = bonafix_lang::RunScope { versions: vec![0], show_all: true };
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
            repetitions: 2,
        };
        let written = self.project.make_witness(&draft, &folder, &log)?;
        Ok((written, folder))
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
    assert_eq!(written.replays.len(), 6);
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
        self.push(Step::Call { callable, receiver, arguments: arguments.to_vec() })
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

    // The same for JUnit 3.
    let mut case =
        Case::open("bank-transfer", "overfit-no-freeze.diff", &junit("junit:junit:3.8.1", 8), &["bank.Bank"]);
    let input = case.sequence(|builder| open(builder, true));
    let text = case.convincing_by(&input, |difference| difference.kind == DifferenceKind::OnlyLeftThrew);
    assert!(text.contains("public class BankWitnessTest extends TestCase {"), "{text}");
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
