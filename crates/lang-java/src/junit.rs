//! Runs JUnit tests of a version in JVMs of their own, through the runner of `runtime/java`.
//!
//! A test that hangs, calls `exit` or crashes the VM costs one JVM: the rest goes on in a fresh one. The runner's events
//! come by a file that grows, not by its standard output, which belongs to the tests.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use bonafix_lang::{LangError, OnTest, TestPlan};
use bonafix_model::{Failure, TestId, TestOutcome, TestResult, TestRun};
use bonafix_proc::{Confinement, Exit, Finished, Job, Launcher, Limits, SandboxSpec, Sink};
use camino::{Utf8Path, Utf8PathBuf};

use crate::compiler::PROTOCOL;
use crate::wire::{BrokenFrame, FrameBuffer, FrameReader, FrameWriter};

const MODE_DISCOVER: u8 = 1;
const MODE_RUN: u8 = 2;
/// What is kept of a test's output.
const OUTPUT_CAP: u32 = 16 << 10;
/// What listing a class may take.
const LISTING_LIMIT: Duration = Duration::from_mins(1);
/// What a class may take outside of its tests (set-up, tear-down), in limits of a test.
const CLASS_FACTOR: u32 = 3;
/// The exit code of a runner that ended itself because a limit had passed.
const TIMED_OUT: i32 = 124;
/// How long after a limit the runner may take to say so, before we end the JVM ourselves.
const GRACE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(4);
/// How often a JVM may die without a test to blame before the rest is given up.
const BLAMELESS_DEATHS: u32 = 2;

/// What a test JVM of one version and module needs.
#[derive(Debug, Clone)]
pub(crate) struct TestVm {
    pub(crate) java: Utf8PathBuf,
    pub(crate) classpath: Vec<Utf8PathBuf>,
    /// Working folder of the tests.
    pub(crate) working: Utf8PathBuf,
    /// The whole tree of the version, which tests may write to.
    pub(crate) writable: Utf8PathBuf,
    /// Private folder for home, temporary files and the protocol.
    pub(crate) scratch: Utf8PathBuf,
    pub(crate) readable: Vec<Utf8PathBuf>,
    pub(crate) options: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) groups: Vec<String>,
    pub(crate) excluded_groups: Vec<String>,
    /// The build gives each test class a VM of its own.
    pub(crate) fork_each_class: bool,
}

/// The tests of one class.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct ListedClass {
    pub(crate) class: String,
    pub(crate) engine: String,
    /// Only collects the tests of others.
    pub(crate) suite: bool,
    pub(crate) tests: Vec<ListedTest>,
}

/// One test as it is listed; a template's invocations are known only when it runs.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct ListedTest {
    pub(crate) id: String,
    pub(crate) template: bool,
}

/// What to run: a class, and which of its tests; none means all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) engine: String,
    pub(crate) class: String,
    pub(crate) ids: Vec<String>,
}

enum Event {
    Hello { protocol: u32 },
    Problem { kind: String, class: String, failure: Failure },
    Listing(ListedClass),
    ClassStart(String),
    TestStart(String),
    TestEnd(Box<TestResult>),
    ClassEnd,
    TemplateStart(String),
    TemplateEnd,
    NotFound { id: String },
    Tainted,
    Done { tainted: bool },
}

/// How one JVM ended, and how far it came.
struct Session {
    done: bool,
    tainted: bool,
    running: Option<String>,
    template: Option<String>,
    /// The last test that began.
    last_test: Option<String>,
    class: Option<String>,
    class_ended: bool,
    finished: Finished,
}

/// Lists the tests of classes.
pub(crate) fn discover(
    vm: &TestVm,
    classes: &[String],
    launcher: &Launcher,
    log: &Utf8Path,
) -> Result<(Vec<ListedClass>, Vec<String>), LangError> {
    let mut listed = Vec::new();
    let mut problems = Vec::new();
    let mut waiting: Vec<Item> = classes
        .iter()
        .map(|class| Item { engine: String::new(), class: class.clone(), ids: Vec::new() })
        .collect();
    let plan = TestPlan::new(bonafix_model::TestSelection::all(), LISTING_LIMIT);
    while !waiting.is_empty() {
        let session =
            run_session(vm, MODE_DISCOVER, &waiting, &plan, launcher, log, &mut |event| match event {
                Event::Listing(class) => listed.push(class),
                Event::Problem { kind, class, failure } => {
                    problems.push(describe_problem(&kind, &class, &failure));
                }
                _ => {}
            })?;
        if session.done && !session.tainted {
            break;
        }
        let Some(class) = session.class else {
            return Err(LangError::Internal(format!(
                "listing the tests failed: {}",
                describe_exit(&session.finished, log)
            )));
        };
        let reached = waiting.iter().position(|item| item.class == class).unwrap_or(0);
        problems
            .push(format!("{class}: loading it ended the VM ({})", describe_exit(&session.finished, log)));
        waiting.drain(..=reached);
    }
    Ok((listed, problems))
}

/// Runs `items`, and tells `on_test` of each test as it ends.
pub(crate) fn run(
    vm: &TestVm,
    items: Vec<Item>,
    plan: &TestPlan,
    launcher: &Launcher,
    log: &Utf8Path,
    on_test: OnTest<'_>,
) -> Result<TestRun, LangError> {
    let mut campaign =
        Campaign { vm, plan, launcher, log, waiting: items, results: Results::default(), blameless: 0 };
    if !vm.fork_each_class {
        campaign.all_sessions(on_test)?;
        return Ok(campaign.results.run);
    }
    for item in std::mem::take(&mut campaign.waiting) {
        campaign.waiting = vec![item];
        campaign.all_sessions(on_test)?;
    }
    Ok(campaign.results.run)
}

struct Campaign<'a> {
    vm: &'a TestVm,
    plan: &'a TestPlan,
    launcher: &'a Launcher,
    log: &'a Utf8Path,
    waiting: Vec<Item>,
    results: Results,
    blameless: u32,
}

impl Campaign<'_> {
    fn all_sessions(&mut self, on_test: OnTest<'_>) -> Result<(), LangError> {
        while !self.waiting.is_empty() && !self.stopped() {
            self.one_session(on_test)?;
        }
        Ok(())
    }

    fn stopped(&self) -> bool {
        let hangs = |result: &&TestResult| result.outcome == TestOutcome::TimedOut;
        let stops = |result: &TestResult| self.plan.stop_at_hang_of.contains(&result.id);
        self.results.run.results.iter().filter(hangs).any(stops)
    }

    fn one_session(&mut self, on_test: OnTest<'_>) -> Result<(), LangError> {
        let items = self.waiting.clone();
        let results = &mut self.results;
        let session =
            run_session(self.vm, MODE_RUN, &items, self.plan, self.launcher, self.log, &mut |event| {
                match event {
                    Event::TestEnd(result) => {
                        on_test(&result, None);
                        results.keep(*result);
                    }
                    Event::Problem { kind, class, failure } => {
                        results.run.problems.push(describe_problem(&kind, &class, &failure));
                    }
                    Event::NotFound { id } => {
                        results.run.problems.push(format!("{id}: no such test in this version"));
                    }
                    _ => {}
                }
            })?;
        if session.done && !session.tainted {
            self.waiting.clear();
            return Ok(());
        }
        let Some(class) = &session.class else { return self.give_up_if_hopeless(&session) };
        let reached = self.waiting.iter().position(|item| &item.class == class).unwrap_or(0);
        self.waiting.drain(..reached);
        if session.class_ended {
            self.waiting.remove(0);
            return Ok(());
        }
        let remaining = self.not_ended(class)?;
        let blamed = session.blamed(&remaining);
        for id in &blamed {
            let result = blame(id, &session, self.log);
            on_test(&result, None);
            self.results.keep(result);
        }
        self.go_on_with(remaining, &blamed, &session)
    }

    /// The wanted tests of the first waiting class that have no result yet.
    fn not_ended(&self, class: &String) -> Result<Vec<String>, LangError> {
        let wanted: Vec<String> = if self.waiting[0].ids.is_empty() {
            let (listed, _) = discover(self.vm, std::slice::from_ref(class), self.launcher, self.log)?;
            listed.into_iter().flat_map(|class| class.tests).map(|test| test.id).collect()
        } else {
            self.waiting[0].ids.clone()
        };
        let ended = |id: &String| {
            let id = without_range(id);
            self.results
                .run
                .results
                .iter()
                .any(|result| result.id.0 == id || id.contains('#') && result.id.matches(id))
        };
        Ok(wanted.into_iter().filter(|id| !ended(id)).collect())
    }

    /// Leaves in `waiting` what has not run yet.
    fn go_on_with(
        &mut self,
        remaining: Vec<String>,
        blamed: &[String],
        session: &Session,
    ) -> Result<(), LangError> {
        let before = std::mem::take(&mut self.waiting[0].ids);
        let is_blamed =
            |id: &String| blamed.iter().any(|blamed| TestId(blamed.clone()).matches(without_range(id)));
        let mut ids: Vec<String> = remaining.into_iter().filter(|id| !is_blamed(id)).collect();
        ids.extend(session.rest_of_template());
        let came_further = ids.is_empty() || !blamed.is_empty() || ids != before;
        if ids.is_empty() {
            self.waiting.remove(0);
        } else {
            self.waiting[0].ids = ids;
        }
        if came_further { Ok(()) } else { self.give_up_if_hopeless(session) }
    }

    /// A VM that dies outside of any test, again and again, will not come further.
    fn give_up_if_hopeless(&mut self, session: &Session) -> Result<(), LangError> {
        if self.blameless < BLAMELESS_DEATHS {
            self.blameless += 1;
            return Ok(());
        }
        let how = describe_exit(&session.finished, self.log);
        if self.results.run.results.is_empty() && session.class.is_none() {
            return Err(LangError::Internal(format!("the JVM that runs the tests does not start: {how}")));
        }
        let item = self.waiting.remove(0);
        self.results.run.problems.push(format!("{}: the VM ended outside of any test ({how})", item.class));
        self.blameless = 0;
        Ok(())
    }
}

/// The results so far; where JUnit gives two tests the same name, the worse outcome counts.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) run: TestRun,
    places: BTreeMap<TestId, usize>,
}

impl Results {
    pub(crate) fn keep(&mut self, result: TestResult) {
        if let Some(place) = self.places.get(&result.id) {
            let known = &mut self.run.results[*place];
            if result.outcome.is_red() && !known.outcome.is_red() {
                *known = result;
            }
            return;
        }
        self.places.insert(result.id.clone(), self.run.results.len());
        self.run.results.push(result);
    }
}

/// The id without an open range of invocations: `m(int)[4..]` is `m(int)`.
fn without_range(id: &str) -> &str {
    if id.ends_with("..]") { id.rsplit_once('[').map_or(id, |(base, _)| base) } else { id }
}

impl Session {
    /// Whom to blame for the end of the VM: the open test, else the open template, else what waits in the open class. A
    /// VM that ended itself after a limit or out of memory has said so already.
    fn blamed(&self, remaining: &[String]) -> Vec<String> {
        if let Some(test) = &self.running {
            return vec![test.clone()];
        }
        if self.tainted || self.finished.exit == Exit::Code(TIMED_OUT) {
            return Vec::new();
        }
        match &self.template {
            Some(template) => vec![template.clone()],
            None => remaining.to_vec(),
        }
    }

    /// The invocations of the open template that come after the last one that began.
    fn rest_of_template(&self) -> Option<String> {
        let template = without_range(self.template.as_deref()?);
        let number =
            self.last_test.as_deref()?.strip_prefix(template)?.strip_prefix('[')?.split(']').next()?;
        Some(format!("{template}[{}..]", number.parse::<u64>().ok()? + 1))
    }
}

fn blame(id: &str, session: &Session, log: &Utf8Path) -> TestResult {
    // We end a VM only when it says nothing after a limit.
    let hung = session.finished.exit == Exit::Killed;
    let message = describe_exit(&session.finished, log);
    TestResult {
        id: TestId(id.to_owned()),
        outcome: if hung { TestOutcome::TimedOut } else { TestOutcome::Crashed },
        millis: 0,
        failure: Some(Failure { kind: None, message, stack: Vec::new() }),
        output: String::new(),
    }
}

fn describe_exit(finished: &Finished, log: &Utf8Path) -> String {
    match finished.exit {
        Exit::Code(code) => {
            format!("the VM exited with code {code}; see {}", log.file_name().unwrap_or_default())
        }
        Exit::Signal(signal) => format!("the VM was ended by signal {signal}"),
        Exit::TimedOut => "the VM ran into its time limit".to_owned(),
        Exit::Killed => "the VM hung and had to be ended".to_owned(),
        Exit::OverMemory => "the VM and what it started took more memory than allowed".to_owned(),
        Exit::OverProcesses => "it started more processes than allowed".to_owned(),
        Exit::OverDisk => "it wrote more to disk than allowed".to_owned(),
        Exit::OverCpu => "it took more processor time than allowed".to_owned(),
    }
}

fn describe_problem(kind: &str, class: &str, failure: &Failure) -> String {
    let what = failure.kind.as_deref().unwrap_or_default();
    let text = [what, failure.message.lines().next().unwrap_or_default()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(": ");
    format!("{class} ({kind}): {text}")
}

/// One JVM from start to end.
fn run_session(
    vm: &TestVm,
    mode: u8,
    items: &[Item],
    plan: &TestPlan,
    launcher: &Launcher,
    log: &Utf8Path,
    on_event: &mut dyn FnMut(Event),
) -> Result<Session, LangError> {
    let folder = vm.scratch.join("protocol");
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    fs_err::create_dir_all(&folder)?;
    let nonce = blake3_nonce(&folder);
    let request = folder.join("request");
    let events = folder.join("events");
    fs_err::write(&request, request_frame(vm, mode, items, plan, &nonce))?;
    fs_err::write(&events, b"")?;
    let mut running = job(vm, &request, &events, log)?.spawn(launcher).map_err(crate::proc_fault)?;
    let mut stream = EventStream { file: File::open(&events)?, buffer: FrameBuffer::default(), nonce };
    let mut watch = Watch::new(plan);
    loop {
        let finished = running.wait_timeout(POLL).map_err(crate::proc_fault)?;
        let drained = stream.drain(&mut |event| {
            watch.note(&event);
            on_event(event);
        });
        if let Err(error) = drained {
            running.kill();
            return Err(LangError::Internal(error.to_string()));
        }
        if let Some(finished) = finished {
            return Ok(watch.session(finished));
        }
        if watch.overdue() {
            running.kill();
            let finished = running.wait().map_err(crate::proc_fault)?;
            return Ok(watch.session(finished));
        }
    }
}

/// A word that tests do not know, so that what they might write cannot pass for the runner's.
fn blake3_nonce(folder: &Utf8Path) -> String {
    let seed = format!("{folder}{:?}{}", std::time::SystemTime::now(), std::process::id());
    bonafix_store::KeyBuilder::new("nonce").part("seed", seed).finish().as_str()[..16].to_owned()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn request_frame(vm: &TestVm, mode: u8, items: &[Item], plan: &TestPlan, nonce: &str) -> Vec<u8> {
    let mut frame = FrameWriter::default()
        .u32(PROTOCOL)
        .string(nonce)
        .u8(mode)
        .strings(&vm.groups)
        .strings(&vm.excluded_groups)
        .u64(millis(plan.default_limit))
        .u64(millis(plan.default_limit * CLASS_FACTOR))
        .u32(OUTPUT_CAP)
        .count(plan.limits.len());
    for (id, limit) in &plan.limits {
        frame = frame.string(&id.0).u64(millis(*limit));
    }
    frame = frame.strings::<[&str; 0]>([]).count(items.len());
    for item in items {
        frame = frame.string(&item.engine).string(&item.class).strings(&item.ids);
    }
    frame.finish()
}

fn job(vm: &TestVm, request: &Utf8Path, events: &Utf8Path, log: &Utf8Path) -> Result<Job, LangError> {
    let (home, temporary) = (vm.scratch.join("home"), vm.scratch.join("tmp"));
    fs_err::create_dir_all(&home)?;
    fs_err::create_dir_all(&temporary)?;
    let mut sandbox = SandboxSpec::scratch(&vm.scratch).write(&vm.writable);
    for path in vm.readable.iter().filter(|path| path.exists()) {
        sandbox = sandbox.read(path);
    }
    let classpath = vm.classpath.iter().map(|entry| entry.as_str()).collect::<Vec<_>>().join(":");
    let mut job = Job::new(vm.java.as_str())
        .args([
            "-ea",
            "-Xshare:auto",
            "-XX:-UsePerfData",
            "-XX:-OmitStackTraceInFastThrow",
            "-XX:+UseSerialGC",
        ])
        .arg(format!("-XX:ErrorFile={}", vm.scratch.join("vm-crash.log")))
        .arg(format!("-Djava.io.tmpdir={temporary}"))
        .arg(format!("-Duser.home={home}"))
        .arg(format!("-Dbasedir={}", vm.working))
        .args(&vm.options)
        .args(["-cp", classpath.as_str(), "bonafix.runtime.TestRunner", request.as_str(), events.as_str()])
        .cwd(&vm.working)
        .frozen_env(&home)
        .env("TMPDIR", temporary.as_str());
    for (name, value) in &vm.environment {
        job = job.env(name, value);
    }
    Ok(job
        .stdout(Sink::Null)
        .stderr(Sink::File { path: log.to_owned(), cap: 4 << 20 })
        .limits(Limits { wall: None, cpu: None, memory: Some(4 << 30), ..Limits::default() })
        .confinement(Confinement::Sandboxed(sandbox)))
}

/// Where a session stands, and since when it has said nothing.
struct Watch<'a> {
    plan: &'a TestPlan,
    class: Option<String>,
    class_ended: bool,
    test: Option<String>,
    last_test: Option<String>,
    template: Option<String>,
    done: bool,
    tainted: bool,
    last: Instant,
}

impl<'a> Watch<'a> {
    fn new(plan: &'a TestPlan) -> Self {
        Self {
            plan,
            class: None,
            class_ended: false,
            test: None,
            last_test: None,
            template: None,
            done: false,
            tainted: false,
            last: Instant::now(),
        }
    }

    fn note(&mut self, event: &Event) {
        self.last = Instant::now();
        match event {
            Event::ClassStart(class) => {
                self.class = Some(class.clone());
                self.class_ended = false;
                self.template = None;
            }
            Event::ClassEnd => self.class_ended = true,
            Event::TestStart(id) => {
                self.test = Some(id.clone());
                self.last_test = Some(id.clone());
            }
            Event::TestEnd(result) => {
                if self.test.as_ref() == Some(&result.id.0) {
                    self.test = None;
                }
            }
            Event::TemplateStart(id) => self.template = Some(id.clone()),
            Event::TemplateEnd => self.template = None,
            Event::Tainted => self.tainted = true,
            Event::Done { tainted } => {
                self.done = true;
                self.tainted |= *tainted;
            }
            Event::Hello { .. } | Event::Problem { .. } | Event::Listing(_) | Event::NotFound { .. } => {}
        }
    }

    /// The runner watches limits itself; this is for a VM that can no longer.
    fn overdue(&self) -> bool {
        let limit = match &self.test {
            Some(id) => *self.plan.limits.get(&TestId(id.clone())).unwrap_or(&self.plan.default_limit),
            None => self.plan.default_limit * CLASS_FACTOR,
        };
        self.last.elapsed() > limit + GRACE
    }

    fn session(self, finished: Finished) -> Session {
        Session {
            done: self.done,
            tainted: self.tainted,
            running: self.test,
            template: self.template,
            last_test: self.last_test,
            class: self.class,
            class_ended: self.class_ended,
            finished,
        }
    }
}

/// The growing file of events.
struct EventStream {
    file: File,
    buffer: FrameBuffer,
    nonce: String,
}

impl EventStream {
    fn drain(&mut self, on_event: &mut dyn FnMut(Event)) -> Result<(), LangError> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.buffer.push(&bytes);
        let broken = |error: BrokenFrame| LangError::Internal(error.to_string());
        while let Some(frame) = self.buffer.next_frame().map_err(broken)? {
            if let Some(event) = parse_event(&frame, &self.nonce).map_err(broken)? {
                if let Event::Hello { protocol } = event
                    && protocol != PROTOCOL
                {
                    return Err(LangError::Internal(format!(
                        "the test runner speaks protocol {protocol}, not {PROTOCOL}"
                    )));
                }
                on_event(event);
            }
        }
        Ok(())
    }
}

/// Reads one event; what does not carry the nonce is not the runner's.
fn parse_event(frame: &[u8], nonce: &str) -> Result<Option<Event>, BrokenFrame> {
    let mut fields = FrameReader::new(frame);
    if fields.string()? != nonce {
        return Ok(None);
    }
    Ok(Some(match fields.u8()? {
        1 => Event::Hello { protocol: fields.u32()? },
        2 => Event::Problem {
            kind: fields.string()?,
            class: fields.string()?,
            failure: read_failure(&mut fields)?,
        },
        3 => Event::Listing(read_listing(&mut fields)?),
        4 => Event::ClassStart(fields.string()?),
        5 => Event::TestStart(fields.string()?),
        6 => Event::TestEnd(Box::new(read_result(&mut fields)?)),
        7 => Event::ClassEnd,
        8 => Event::TemplateStart(fields.string()?),
        9 => Event::TemplateEnd,
        10 => {
            let _class = fields.string()?;
            Event::NotFound { id: fields.string()? }
        }
        11 => Event::Tainted,
        12 => Event::Done { tainted: fields.flag()? },
        _ => return Ok(None),
    }))
}

fn read_failure(fields: &mut FrameReader<'_>) -> Result<Failure, BrokenFrame> {
    let kind = fields.string()?;
    let message = fields.string()?;
    let stack = fields.strings()?;
    Ok(Failure { kind: (!kind.is_empty()).then_some(kind), message, stack })
}

fn read_listing(fields: &mut FrameReader<'_>) -> Result<ListedClass, BrokenFrame> {
    let class = fields.string()?;
    let engine = fields.string()?;
    let suite = fields.string()? == "suite";
    let tests = fields.list(|fields| {
        let test = ListedTest { id: fields.string()?, template: fields.flag()? };
        let (_disabled, _reason, _groups) = (fields.flag()?, fields.string()?, fields.strings()?);
        Ok(test)
    })?;
    Ok(ListedClass { class, engine, suite, tests })
}

fn read_result(fields: &mut FrameReader<'_>) -> Result<TestResult, BrokenFrame> {
    let id = TestId(fields.string()?);
    let outcome = match fields.u8()? {
        1 => TestOutcome::Passed,
        2 => TestOutcome::Failed,
        4 => TestOutcome::Skipped,
        5 => TestOutcome::TimedOut,
        _ => TestOutcome::Error,
    };
    let millis = fields.u64()?;
    let failure = read_failure(fields)?;
    let mut output = fields.string()?;
    let _total = fields.u64()?;
    output.push_str(&fields.string()?);
    let failure = (outcome != TestOutcome::Passed).then_some(failure);
    if outcome == TestOutcome::Passed {
        output.clear();
    }
    Ok(TestResult { id, outcome, millis, failure, output })
}
