//! Compiles a counterexample against each version and runs it, each time in a JVM of its own, from its folder on disk.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bonafix_lang::{
    LangError, Replay, TestPlan, WitnessDraft, WitnessError, WrittenWitness, append_log, or_remove,
    promise_of, replayed_version,
};
use bonafix_model::{
    DifferenceClass, Promise, ReplayReport, ReplayedVersion, TestOutcome, TestRun, TestSelection, VersionRole,
};
use bonafix_proc::Launcher;
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

use super::compose::{TestSource, compose, outcomes};
use super::folder::{Copies, FORMAT, Manifest, ManifestVersion, check_path, role_name};
use super::{Care, Framework};
use crate::compiler::{CompileTask, Compiler};
use crate::junit::{self, Item, TestVm};
use crate::project::{JavaProject, Surroundings};
use crate::runtime::{self, Part};
use crate::selection;
use crate::toolchain::{Jdk, effective_release};

/// What one run may take.
const LIMIT_SECONDS: u64 = 30;
/// How JUnit says that a test had no more time, how our own tests do where it has no means for that, and what ends a loop
/// without an end that collects something.
const LIMIT_REACHED: [&str; 4] = [
    "timed out after",
    "does not come to an end",
    "java.lang.OutOfMemoryError",
    "java.lang.StackOverflowError",
];
/// How the runner says that a VM came to an end of its own.
const EXITED: &str = "the VM exited with code";
/// Heap, where the project asks for none.
const HEAP: &str = "-Xmx512m";
/// JVMs at a time.
const AT_A_TIME: usize = 2;
/// Java before this has no lambdas; every JDK that we run on has them.
const LEAST_RELEASE: u32 = 8;
const ENCODING: &str = "UTF-8";

/// How a counterexample is run again.
#[derive(Clone)]
pub struct ReplayOptions {
    /// The JDK; none means the one that is found.
    pub jdk: Option<Utf8PathBuf>,
    /// Runs on each version; none means as often as when it was found.
    pub repetitions: Option<u32>,
    /// For the runner's own classes.
    pub cache: Arc<Cache>,
    /// Starts the processes.
    pub launcher: Arc<Launcher>,
    /// What compiler and tests say is appended here.
    pub log: Utf8PathBuf,
}

/// Runs a counterexample again, from its folder alone.
pub fn replay(folder: &Utf8Path, options: &ReplayOptions) -> Result<ReplayReport, LangError> {
    let manifest = Manifest::read(folder)?;
    let folder = folder.canonicalize_utf8()?;
    let jdk = Jdk::find(options.jdk.as_deref())?;
    if jdk.version < manifest.release {
        return Err(LangError::Configuration {
            message: format!(
                "the witness is for Java {}, and the JDK in {} is {}; set another one",
                manifest.release, jdk.home, jdk.full_version
            ),
        });
    }
    let runtime = runtime::classes(Part::Core, &[], &jdk, &options.cache, &options.launcher)?;
    let frameworks: Vec<Utf8PathBuf> = manifest.runner.iter().map(|jar| folder.join(jar)).collect();
    let mut tools = vec![runtime.clone()];
    for part in selection::adapters(&frameworks)? {
        let path: Vec<Utf8PathBuf> = std::iter::once(&runtime).chain(&frameworks).cloned().collect();
        tools.push(runtime::classes(part, &path, &jdk, &options.cache, &options.launcher)?);
    }
    let scratch = tempfile::Builder::new().prefix(&format!("bonafix-{}-", std::process::id())).tempdir()?;
    let Some(scratch) = Utf8Path::from_path(scratch.path()) else {
        return Err(LangError::Configuration {
            message: "the temporary folder is not UTF-8; set TMPDIR".to_owned(),
        });
    };
    let bench = Bench {
        folder: &folder,
        manifest: &manifest,
        jdk,
        runtime,
        tools,
        launcher: &options.launcher,
        scratch,
    };
    let repetitions = options.repetitions.unwrap_or(manifest.repetitions).max(1);
    let compiled = bench.compile_all(&options.log)?;
    let replays = bench.run_all(&compiled, repetitions, &options.log, &|_| false)?;
    Ok(report(&folder, &manifest, &replays))
}

fn report(folder: &Utf8Path, manifest: &Manifest, replays: &[Replay]) -> ReplayReport {
    let versions: Vec<ReplayedVersion> = manifest
        .versions
        .iter()
        .map(|version| replayed_version(replays, version.role, version.promise))
        .collect();
    ReplayReport {
        folder: folder.to_owned(),
        file: manifest.source.clone(),
        class: manifest.class,
        what: manifest.what.clone(),
        expected: manifest.expected.clone(),
        actual: manifest.actual.clone(),
        holds: versions.iter().all(|version| version.kept),
        versions,
    }
}

impl JavaProject {
    /// Writes a counterexample into `folder`, with all that is needed to run it again on any machine, and runs it from
    /// there on each version. Leaves no folder behind where it cannot.
    pub fn make_witness(
        &self,
        draft: &WitnessDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError> {
        or_remove(folder, self.write_and_run(draft, folder, log))
    }

    fn write_and_run(
        &self,
        draft: &WitnessDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError> {
        let classes = class_files(draft);
        let mut versions: Vec<(VersionRole, Surroundings)> = Vec::new();
        for version in draft.versions {
            versions.push((version.role, self.surroundings(version.change, &classes, log)?));
        }
        let Some((right, reference)) = versions.first() else {
            return Err(LangError::Internal("a witness needs a version that is right".to_owned()).into());
        };
        let framework = framework(reference)?;
        let source = compose(draft, framework, Care::Usual)?;
        fs_err::create_dir_all(folder).map_err(LangError::from)?;
        let folder = &folder.canonicalize_utf8().map_err(LangError::from)?;
        check_path(folder)?;
        let mut manifest = self.manifest(draft, framework, &source, reference);
        let (tools, jars) = tools_and_jars(&reference.helpers, self.workshop().cache.root());
        copy(folder, &versions, &jars, &mut manifest)?;
        let scratch = self.fresh_folder("witness-")?;
        write_source(folder, &source)?;
        let jdk = self.workshop().jdk.clone();
        let launcher = &self.workshop().launcher;
        let runtime = self.workshop().runtime.clone();
        let bench = |manifest| Bench {
            folder,
            manifest,
            jdk: jdk.clone(),
            runtime: runtime.clone(),
            tools: tools.clone(),
            launcher,
            scratch: &scratch,
        };
        let mut compiled = bench(&manifest).compile_all(log)?;
        if compiled.iter().any(|version| version.role == *right && version.error.is_some()) {
            let careful = compose(draft, framework, Care::Great)?;
            write_source(folder, &careful)?;
            compiled = bench(&manifest).compile_all(log)?;
        }
        let needed = [*right, VersionRole::Patched];
        for version in compiled.iter().filter(|version| needed.contains(&version.role)) {
            if let Some(error) = &version.error {
                let text = format!("against the {} version: {error}", role_name(version.role));
                return Err(WitnessError::DoesNotCompile(text));
            }
        }
        let lost = |replay: &Replay| {
            (replay.role == *right && !replay.passed)
                || (replay.role == VersionRole::Patched && (replay.passed || replay.otherwise))
        };
        let replays = bench(&manifest).run_all(&compiled, draft.repetitions.max(1), log, &lost)?;
        for version in &mut manifest.versions {
            if !needed.contains(&version.role) {
                version.promise = promise_of(&replays, version.role);
            }
        }
        fs_err::remove_dir_all(&scratch).map_err(LangError::from)?;
        manifest.note_files(folder)?;
        manifest.write(folder)?;
        Ok(WrittenWitness { file: manifest.source, input: source.input, what: source.what, replays })
    }

    fn manifest(
        &self,
        draft: &WitnessDraft<'_>,
        framework: Framework,
        source: &TestSource,
        reference: &Surroundings,
    ) -> Manifest {
        let jdk = &self.workshop().jdk;
        let (expected, actual) = outcomes(draft);
        Manifest {
            format: FORMAT,
            language: "java".to_owned(),
            written_by: concat!("bonafix ", env!("CARGO_PKG_VERSION")).to_owned(),
            class: draft.class,
            input: source.input.clone(),
            what: source.what.clone(),
            expected,
            actual,
            framework,
            test_class: source.class.clone(),
            source: format!("src/{}", source.path()),
            versions: Vec::new(),
            runner: Vec::new(),
            release: effective_release(reference.release, jdk).0.max(LEAST_RELEASE),
            encoding: ENCODING.to_owned(),
            javac_options: portable(&reference.javac_options),
            jvm_options: without(&reference.jvm_options, &["-javaagent", "-agentpath", "-agentlib"]),
            environment: reference.environment.clone(),
            jdk: jdk.full_version.clone(),
            repetitions: draft.repetitions.max(1),
            limit_seconds: LIMIT_SECONDS,
            files: std::collections::BTreeMap::new(),
        }
    }
}

/// Options of the compiler without those that do not serve a single test, or hang on this machine.
pub(super) fn portable(options: &[String]) -> Vec<String> {
    without(options, &["-Werror", "-Xlint", "-A", "-proc", "-processor"])
}

/// Options by which a single test is compiled, whatever the project has besides.
pub(super) fn javac_options(release: Option<u32>, jdk: &Jdk) -> Vec<String> {
    options_for(effective_release(release, jdk).0.max(LEAST_RELEASE), ENCODING, jdk)
}

fn options_for(release: u32, encoding: &str, jdk: &Jdk) -> Vec<String> {
    let release = release.to_string();
    let mut options: Vec<String> =
        ["-g", "-nowarn", "-Xlint:none", "-proc:none", "-encoding", encoding].map(str::to_owned).to_vec();
    if jdk.version >= 9 {
        options.extend(["--release".to_owned(), release]);
    } else {
        options.extend(["-source".to_owned(), release.clone(), "-target".to_owned(), release]);
    }
    options
}

fn without(options: &[String], unwanted: &[&str]) -> Vec<String> {
    options.iter().filter(|option| !unwanted.iter().any(|start| option.starts_with(start))).cloned().collect()
}

/// Class files of what the input calls, relative to a class folder.
pub(super) fn class_files(draft: &WitnessDraft<'_>) -> Vec<String> {
    let owners: BTreeSet<&str> =
        draft.input.callables().map(|id| draft.catalog.callables[id as usize].owner.as_str()).collect();
    owners.into_iter().map(|owner| format!("{}.class", owner.replace('.', "/"))).collect()
}

/// The newest JUnit on the class path.
pub(super) fn framework(surroundings: &Surroundings) -> Result<Framework, WitnessError> {
    let path: Vec<Utf8PathBuf> = surroundings
        .libraries
        .iter()
        .chain(&surroundings.classes)
        .chain(&surroundings.helpers)
        .cloned()
        .collect();
    for (framework, class) in [
        (Framework::Jupiter, "org/junit/jupiter/api/Test.class"),
        (Framework::JUnit4, "org/junit/Test.class"),
        (Framework::JUnit3, "junit/framework/TestCase.class"),
    ] {
        if selection::has_class(&path, class)? {
            return Ok(framework);
        }
    }
    Err(WitnessError::NotExpressible("the project has no JUnit on its class path".to_owned()))
}

/// Divides what the runner needs into class folders of ours and jars of the test framework.
fn tools_and_jars(helpers: &[Utf8PathBuf], cache: &Utf8Path) -> (Vec<Utf8PathBuf>, Vec<Utf8PathBuf>) {
    helpers.iter().cloned().partition(|helper| helper.is_dir() && helper.starts_with(cache))
}

fn copy(
    folder: &Utf8Path,
    versions: &[(VersionRole, Surroundings)],
    jars: &[Utf8PathBuf],
    manifest: &mut Manifest,
) -> Result<(), LangError> {
    let mut copies = Copies::new(folder);
    manifest.runner = copies.libraries(jars)?;
    let mut paths = Vec::new();
    let buggy_first = |(role, _): &&(VersionRole, Surroundings)| *role != VersionRole::Buggy;
    let mut order: Vec<&(VersionRole, Surroundings)> = versions.iter().collect();
    order.sort_by_key(buggy_first);
    for (role, surroundings) in order {
        paths.push((*role, copies.version(*role, surroundings)?));
    }
    for (role, _) in versions {
        let classpath = paths.iter().find(|(other, _)| other == role).map(|(_, path)| path.clone());
        let is_right = versions.first().is_some_and(|(right, _)| right == role);
        let promise = match role {
            VersionRole::Patched => Promise::Fails,
            _ if is_right => Promise::Passes,
            _ => Promise::Nothing,
        };
        manifest.versions.push(ManifestVersion {
            role: *role,
            classpath: classpath.unwrap_or_default(),
            promise,
        });
    }
    Ok(())
}

fn write_source(folder: &Utf8Path, source: &TestSource) -> Result<(), LangError> {
    let file = folder.join("src").join(source.path());
    if let Some(parent) = file.parent() {
        fs_err::create_dir_all(parent)?;
    }
    fs_err::write(file, &source.text)?;
    Ok(())
}

/// Where a counterexample is compiled and run.
struct Bench<'a> {
    folder: &'a Utf8Path,
    manifest: &'a Manifest,
    jdk: Jdk,
    /// Class folder of the runtime's core.
    runtime: Utf8PathBuf,
    /// Class folders of the runner, core included.
    tools: Vec<Utf8PathBuf>,
    launcher: &'a Arc<Launcher>,
    scratch: &'a Utf8Path,
}

/// A test compiled against one version.
struct CompiledTest {
    role: VersionRole,
    classpath: Vec<Utf8PathBuf>,
    error: Option<String>,
}

impl Bench<'_> {
    /// Compiles against each version: constants and overloads are bound by the compiler, so one class file would not
    /// do for all.
    fn compile_all(&self, log: &Utf8Path) -> Result<Vec<CompiledTest>, LangError> {
        let compiler = Compiler::new(
            self.jdk.clone(),
            self.runtime.clone(),
            self.scratch.to_owned(),
            vec![self.folder.to_owned()],
            Arc::clone(self.launcher),
        );
        self.manifest.versions.iter().map(|version| self.compile(&compiler, version, log)).collect()
    }

    fn compile(
        &self,
        compiler: &Compiler,
        version: &ManifestVersion,
        log: &Utf8Path,
    ) -> Result<CompiledTest, LangError> {
        let output = self.scratch.join("test").join(role_name(version.role));
        if output.is_dir() {
            fs_err::remove_dir_all(&output)?;
        }
        fs_err::create_dir_all(&output)?;
        let mut classpath = self.manifest.classpath(self.folder, version);
        let mut options = options_for(self.manifest.release, &self.manifest.encoding, &self.jdk);
        options.extend(self.manifest.javac_options.iter().cloned());
        let task = CompileTask {
            sources: vec![self.folder.join(&self.manifest.source)],
            output: output.clone(),
            classpath: classpath.clone(),
            options,
        };
        let answer = compiler.compile(&task)?;
        append_log(log, &answer.log)?;
        let said = answer.errors.first().map(|error| format!("line {}: {}", error.line, error.message));
        let error = (!answer.success).then(|| said.unwrap_or_else(|| "javac does not say why".to_owned()));
        // Behind the framework, before the program.
        classpath.insert(self.manifest.runner.len().min(classpath.len()), output);
        Ok(CompiledTest { role: version.role, classpath, error })
    }

    /// All runs: the versions take turns, two JVMs at a time. After one that is `decisive` no further one begins.
    fn run_all(
        &self,
        compiled: &[CompiledTest],
        repetitions: u32,
        log: &Utf8Path,
        decisive: &(dyn Fn(&Replay) -> bool + Sync),
    ) -> Result<Vec<Replay>, LangError> {
        let jobs: Vec<&CompiledTest> = (0..repetitions).flat_map(|_| compiled).collect();
        let results: Mutex<Vec<Option<Result<Replay, LangError>>>> =
            Mutex::new(jobs.iter().map(|_| None).collect());
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..AT_A_TIME.min(jobs.len()) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(job) = jobs.get(number) else { return };
                        let result = self.run(job, number);
                        if result.as_ref().map_or(true, decisive) {
                            next.store(jobs.len(), Ordering::Relaxed);
                        }
                        if let Ok(mut results) = results.lock() {
                            results[number] = Some(result);
                        }
                    }
                });
            }
        });
        let results = results.into_inner().map_err(|_| LangError::Internal("a run broke off".to_owned()))?;
        for number in 0..jobs.len() {
            let file = self.run_folder(number).join("stderr.log");
            if file.is_file() {
                let lines: Vec<String> =
                    String::from_utf8_lossy(&fs_err::read(&file)?).lines().map(str::to_owned).collect();
                append_log(log, &lines)?;
            }
        }
        results.into_iter().flatten().collect()
    }

    fn run_folder(&self, number: usize) -> Utf8PathBuf {
        self.scratch.join(format!("run-{number}"))
    }

    fn run(&self, test: &CompiledTest, number: usize) -> Result<Replay, LangError> {
        if let Some(error) = &test.error {
            let message = format!("does not compile against this version: {error}");
            return Ok(Replay { role: test.role, passed: false, message: Some(message), otherwise: false });
        }
        let scratch = self.run_folder(number);
        if scratch.is_dir() {
            fs_err::remove_dir_all(&scratch)?;
        }
        let working = scratch.join("work");
        fs_err::create_dir_all(&working)?;
        let mut options = self.manifest.jvm_options.clone();
        if !options.iter().any(|option| option.starts_with("-Xmx")) {
            options.push(HEAP.to_owned());
        }
        let mut readable = self.tools.clone();
        readable.extend([self.folder.to_owned(), self.scratch.join("test"), self.jdk.home.clone()]);
        let vm = TestVm {
            java: self.jdk.java(),
            classpath: self.tools.iter().chain(&test.classpath).cloned().collect(),
            writable: working.clone(),
            working,
            readable,
            options,
            environment: self.manifest.environment.clone(),
            groups: Vec::new(),
            excluded_groups: Vec::new(),
            fork_each_class: false,
            scratch: scratch.clone(),
        };
        let class = self.manifest.test_class.clone();
        let items = vec![Item { engine: String::new(), class: class.clone(), ids: Vec::new() }];
        let plan = TestPlan::new(TestSelection::all(), Duration::from_secs(self.manifest.limit_seconds));
        let log = scratch.join("stderr.log");
        let run = junit::run(&vm, items, &plan, self.launcher, &log, &mut |_, _| {})?;
        outcome(test.role, &run, self.manifest.class)
    }
}

/// One test, and how it ended. Where none was run, that is not a failure of the version.
fn outcome(role: VersionRole, run: &TestRun, class: DifferenceClass) -> Result<Replay, LangError> {
    let Some(result) = run.results.first() else {
        let why = run.problems.first().map_or("the runner does not say why", String::as_str);
        return Err(LangError::Internal(format!(
            "the witness was not run on the {} version: {why}",
            role_name(role)
        )));
    };
    let passed = run.results.len() == 1 && result.outcome == TestOutcome::Passed && run.problems.is_empty();
    let message = (!passed).then(|| match &result.failure {
        Some(failure) => {
            let kind = failure.kind.as_deref().unwrap_or("failed");
            match failure.message.lines().next() {
                Some(text) if !text.is_empty() => format!("{kind}: {text}"),
                _ => kind.to_owned(),
            }
        }
        None => format!("{:?}", result.outcome),
    });
    let says = |text: &str| message.as_ref().is_some_and(|message| message.contains(text));
    let is_limit = result.outcome == TestOutcome::TimedOut
        || (result.outcome == TestOutcome::Crashed && !says(EXITED))
        || LIMIT_REACHED.into_iter().any(says);
    let otherwise = class == DifferenceClass::Timeout && !passed && !is_limit;
    Ok(Replay { role, passed, message, otherwise })
}

#[cfg(test)]
mod tests {
    use bonafix_model::{Failure, TestId, TestResult};

    use super::*;

    fn replay(class: DifferenceClass, outcome: TestOutcome, kind: &str, message: &str) -> Replay {
        let failure = Failure { kind: Some(kind.to_owned()), message: message.to_owned(), stack: Vec::new() };
        let result = TestResult {
            id: TestId("WitnessTest#testWitness".to_owned()),
            outcome,
            failure: Some(failure),
            millis: 0,
            output: String::new(),
        };
        let run = TestRun { results: vec![result], problems: Vec::new() };
        super::outcome(VersionRole::Patched, &run, class).unwrap()
    }

    #[test]
    fn a_failure_in_time_does_not_show_that_there_is_no_end() {
        let error = TestOutcome::Error;
        let ended =
            |class| replay(class, error, "p.TooManyEvaluationsException", "850,109 exceeded").otherwise;
        assert!(ended(DifferenceClass::Timeout) && !ended(DifferenceClass::Exc2));
        let exit =
            replay(DifferenceClass::Timeout, TestOutcome::Crashed, "", "the VM exited with code 1; see …");
        assert!(exit.otherwise, "by System.exit");
        for (outcome, kind, message) in [
            (
                error,
                "org.junit.runners.model.TestTimedOutException",
                "test timed out after 10000 milliseconds",
            ),
            (error, "java.lang.Exception", "test timed out after 10000 milliseconds"),
            (
                TestOutcome::Failed,
                "org.opentest4j.AssertionFailedError",
                "execution timed out after 10000 ms",
            ),
            (TestOutcome::Failed, "junit.framework.AssertionFailedError", "does not come to an end"),
            (TestOutcome::TimedOut, "", ""),
            (TestOutcome::Crashed, "", ""),
            (error, "java.lang.OutOfMemoryError", "Java heap space"),
            (error, "java.lang.StackOverflowError", ""),
        ] {
            assert!(!replay(DifferenceClass::Timeout, outcome, kind, message).otherwise, "{kind}: {message}");
        }
    }
}
