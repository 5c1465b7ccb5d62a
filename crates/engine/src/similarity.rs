//! PATCH-SIM on one patch: tests and inputs are traced on the buggy and on the patched version, and the distances judged.
//!
//! Traces can be long, so each is turned into distances as soon as it comes. What is kept of an original test is what it
//! ran inside of changed methods on the buggy version, with which generated tests are compared.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use bonafix_generate::variations;
use bonafix_judge::distance::{Limit, distance};
use bonafix_judge::patch_sim::{self, Options as SimOptions};
use bonafix_judge::programs::{self, ProgramOptions, ProgramRuling};
use bonafix_judge::rgt::{self, RgtOptions, Ruling};
use bonafix_lang::{Campaign, Explore, LangError, Run, TraceLimits, Traced, Tracer, Watch, shown_bytes};
use bonafix_model::{
    CallOrigin, CallableId, Catalog, CodePlace, Delta, Distance, Evidence, Knowledge, Notice, ProgramInput,
    Sequence, SetAside, Similarity, Strength, TestClass, TestFigures, TestId, TestOrigin, Trace, Unreached,
};

use crate::judging::JudgingOptions;
use crate::refute::judged_scope;
use crate::seen::both;

/// Statements of one execution that are kept: 40 MB a trace, of which a tracer holds three and this stage none.
const LONGEST_TRACE: u32 = 10_000_000;
/// Statements that are kept of all original tests together, inside of changed methods: 80 MB.
const KEPT_STATEMENTS: usize = 20_000_000;
/// Limit of one test, which took a fraction of it without probes.
const TEST_LIMIT: Duration = Duration::from_secs(20);
/// Original tests that are traced at most, those that show the bug first, then those that seem to reach the change.
const MOST_TESTS: usize = 400;
/// Passing tests that are run once at most to see which of them reach the change.
const MOST_SCOUTED: usize = 4000;
/// So many times as long as by itself a test takes where that is found out; and the part of the time left that may be spent on it.
const SCOUTED_TIMES: u32 = 3;
const PART_FOR_SCOUTS: u32 = 3;
/// Passing tests that are traced together with those that show the bug; then come ever more at a time, so that some are
/// known when the time is up.
const FIRST_TESTS: usize = 12;
/// So many times as long as by itself a test takes until it is compared: it runs four times, with probes, and its traces are
/// written and read. And the part of the time left that is for one batch: of one that does not come to its end nothing is known.
const COMPARED_TIMES: u32 = 20;
const PART_FOR_BATCH: u32 = 2;
/// Call sequences that are traced at a time, until enough of them reach the change.
const CALLS_AT_A_TIME: usize = 40;
/// The same for inputs of programs, of which each takes some processes.
const PROGRAMS_AT_A_TIME: usize = 4;
const NO_TIME: &str = "there was no time left for it";

/// One patch, to be compared with the buggy version.
pub(crate) struct Comparison<'a> {
    pub(crate) failing: &'a [TestId],
    pub(crate) passing: &'a [TestId],
    /// What passing tests took on the buggy version.
    pub(crate) took: &'a BTreeMap<TestId, Duration>,
    pub(crate) options: &'a JudgingOptions,
    /// What the patch changes.
    pub(crate) delta: &'a Delta,
    pub(crate) deadline: Option<Instant>,
}

/// What a search has found, of which generated tests are made.
pub(crate) trait Inputs<Input> {
    /// Inputs that reach the change, or may.
    fn corpus(&self) -> &[Input];

    /// Small variations of what failing tests do, so many at most.
    fn failing_variants(&self, wanted: usize, seed: u64) -> Vec<Input>;

    /// So many are traced together.
    fn at_a_time(&self) -> usize;

    /// Tests in the order in which they are worth tracing.
    fn nearest_first(&self, tests: &[TestId]) -> Vec<TestId>;

    /// An input in a few words.
    fn name(&self, input: &Input) -> String;

    /// For each input, whether the patched version shows something else than the buggy one, where it counts.
    fn differ(&mut self, inputs: &[Input]) -> Result<Vec<bool>, LangError>;
}

/// Call sequences, and where they run.
pub(crate) struct Calls<'a> {
    pub(crate) explorer: &'a dyn Explore,
    pub(crate) catalog: &'a Catalog,
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) run: &'a mut dyn Run,
    /// In terms of the catalog.
    pub(crate) corpus: &'a [Sequence],
}

/// What whole programs are given, and where they run.
pub(crate) struct Programs<'a, 'c> {
    pub(crate) campaign: &'a mut (dyn Campaign + 'c),
    pub(crate) corpus: Vec<ProgramInput>,
    /// The numbers of the buggy and of the patched version in the campaign.
    pub(crate) versions: (u32, u32),
    /// What of their behaviour counts.
    pub(crate) options: ProgramOptions,
}

/// What came of it.
pub(crate) struct Compared {
    pub(crate) similarity: Similarity,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) notices: Vec<Notice>,
}

impl Comparison<'_> {
    /// Compares the original tests and some of the inputs of a search in the same versions.
    pub(crate) fn carry_out<Input: Clone>(
        &self,
        tracer: &mut dyn Tracer<Input>,
        inputs: &mut dyn Inputs<Input>,
    ) -> Result<Compared, LangError> {
        let patience = self.patience();
        let mut figures = Figures::new(self.options.similarity);
        figures.varied = self.options.varied_tests.then(BTreeSet::new);
        let passing = self.scouted(tracer, inputs.nearest_first(self.passing), &mut figures)?;
        // Half of the time is for original tests; what is left of it at the end is theirs too.
        let mut tests = Tests { patience, ..self.tests(passing, &mut figures) };
        self.trace_tests(tracer, &mut tests, self.half_time(), &mut figures)?;
        self.trace_inputs(tracer, inputs, &mut figures)?;
        self.trace_tests(tracer, &mut tests, self.deadline, &mut figures)?;
        figures.leave_out(tests.waiting.iter(), NO_TIME);
        let unreached = figures.code.unreached(&tracer.changed_code(), figures.unknown + tests.waiting.len());
        let Figures { tests, set_aside, .. } = figures;
        let only_directs = self.delta.only_directs();
        let similarity =
            patch_sim::similarity(tests, set_aside, unreached, only_directs, &self.options.similarity);
        let counts = self.options.strict || patch_sim::counts(&similarity);
        let evidence = similarity.against.map(|_| Evidence {
            technique: patch_sim::NAME.to_owned(),
            strength: if counts { Strength::Heuristic } else { Strength::Remark },
            summary: patch_sim::sentence(&similarity),
            reason: (!counts).then(|| patch_sim::REMARK.to_owned()),
            exhibit: None,
            witness: None,
        });
        Ok(Compared { similarity, evidence, notices: tracer.notices() })
    }

    fn limits(&self) -> TraceLimits {
        TraceLimits { statements: LONGEST_TRACE, deadline: self.deadline, test: TEST_LIMIT }
    }

    /// Until when the first tests are traced to their end: as long again as all traces may take. On a machine with much else to
    /// do nothing at all would be known otherwise.
    fn patience(&self) -> Option<Instant> {
        self.deadline.map(|deadline| deadline + deadline.saturating_duration_since(Instant::now()))
    }

    fn half_time(&self) -> Option<Instant> {
        let now = Instant::now();
        self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2)
    }

    /// The passing tests without those that surely do not reach the change, if that can be told for less than it takes to trace
    /// them; those that nobody had time for are set aside.
    fn scouted<Input>(
        &self,
        tracer: &mut dyn Tracer<Input>,
        mut passing: Vec<TestId>,
        figures: &mut Figures,
    ) -> Result<Vec<TestId>, LangError> {
        let asked = &passing[..self.worth_scouting(&passing)];
        let limits = TraceLimits { deadline: self.time_for_scouts(), ..self.limits() };
        let Some(far) = tracer.far_tests(asked, &limits)? else { return Ok(passing) };
        let rest = passing.split_off(asked.len());
        let reason = "whether it reaches the change was not looked at";
        figures.leave_out(rest.iter(), reason);
        figures.unknown += rest.len();
        passing.retain(|test| !far.contains(test));
        Ok(passing)
    }

    fn time_for_scouts(&self) -> Option<Instant> {
        let now = Instant::now();
        self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / PART_FOR_SCOUTS)
    }

    /// How many of these tests, from the first on, there is time for.
    fn worth_scouting(&self, tests: &[TestId]) -> usize {
        let most = tests.len().min(MOST_SCOUTED);
        let Some(until) = self.time_for_scouts() else { return most };
        let time = until.saturating_duration_since(Instant::now());
        let mut spent = Duration::ZERO;
        let fits = |test: &&TestId| {
            spent += self.took.get(*test).copied().unwrap_or_default() * SCOUTED_TIMES;
            spent <= time
        };
        tests[..most].iter().take_while(fits).count()
    }

    /// The original tests in the order in which they are traced.
    fn tests(&self, passing: Vec<TestId>, figures: &mut Figures) -> Tests {
        let mut waiting = self.failing.to_vec();
        waiting.extend(passing);
        let most = MOST_TESTS.max(self.failing.len());
        let left_out = waiting.split_off(most.min(waiting.len()));
        figures.leave_out(left_out.iter(), "more tests pass than are traced");
        figures.unknown += left_out.len();
        Tests { waiting, next: self.failing.len() + FIRST_TESTS, patience: None }
    }

    /// Traces tests, ever more at a time, until there are no more or nothing may be begun any more.
    fn trace_tests<Input>(
        &self,
        tracer: &mut dyn Tracer<Input>,
        tests: &mut Tests,
        until: Option<Instant>,
        figures: &mut Figures,
    ) -> Result<(), LangError> {
        while !tests.waiting.is_empty()
            && (tests.patience.is_some() || until.is_none_or(|until| Instant::now() < until))
        {
            let limits = TraceLimits { deadline: tests.patience.take().or(self.deadline), ..self.limits() };
            let time = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let batch = tests.take(self.took, time.map(|time| time / PART_FOR_BATCH));
            tracer.tests(&batch, &limits, &mut |number, traced| {
                let fails = self.failing.contains(&batch[number]);
                let class = if fails { TestClass::Failing } else { TestClass::Passing };
                figures.original(batch[number].to_string(), class, traced);
            })?;
        }
        Ok(())
    }

    /// Traces inputs until enough of them reach the change.
    fn trace_inputs<Input: Clone>(
        &self,
        tracer: &mut dyn Tracer<Input>,
        inputs: &mut dyn Inputs<Input>,
        figures: &mut Figures,
    ) -> Result<(), LangError> {
        let mut chosen = inputs.failing_variants(self.options.failing_variants, self.options.seed);
        let wanted = self.options.generated_tests + chosen.len();
        chosen.extend(spread(inputs.corpus(), self.options.seed));
        let at_a_time = inputs.at_a_time();
        for (first, batch) in chosen.chunks(at_a_time).enumerate() {
            if figures.generated >= wanted {
                break;
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let name = format!("inputs from {} on", first * at_a_time + 1);
                figures.set_aside.push(SetAside { name, reason: NO_TIME.to_owned() });
                break;
            }
            let differs = inputs.differ(batch)?;
            tracer.inputs(batch, &self.limits(), &mut |number, traced| {
                if figures.generated < wanted {
                    let words = inputs.name(&batch[number]);
                    let name = format!("input {}: {words}", first * at_a_time + number + 1);
                    figures.generated(name, traced, differs[number]);
                }
            })?;
        }
        Ok(())
    }
}

/// Original tests that are not traced yet.
struct Tests {
    waiting: Vec<TestId>,
    /// So many come next.
    next: usize,
    /// When the first of them must be done at the latest; none once they are, and where there is no deadline.
    patience: Option<Instant>,
}

impl Tests {
    /// Those that come next, of which it is known what they take by themselves; slow ones that do not fit into the time come
    /// later, each alone if need be.
    fn take(&mut self, took: &BTreeMap<TestId, Duration>, time: Option<Duration>) -> Vec<TestId> {
        let mut left = time;
        let mut fits = |test: &TestId| {
            let wanted = took.get(test).copied().unwrap_or_default() * COMPARED_TIMES;
            let enough = left.is_none_or(|left| wanted <= left);
            if let Some(left) = left.as_mut().filter(|_| enough) {
                *left -= wanted;
            }
            enough
        };
        let next = self.waiting.drain(..self.next.min(self.waiting.len()));
        let (mut batch, mut slow): (Vec<TestId>, Vec<TestId>) = next.partition(|test| fits(test));
        if batch.is_empty() && !slow.is_empty() {
            batch.push(slow.remove(0));
        }
        self.waiting.splice(..0, slow);
        self.next *= 2;
        batch
    }
}

impl Inputs<Sequence> for Calls<'_> {
    fn corpus(&self) -> &[Sequence] {
        self.corpus
    }

    fn failing_variants(&self, wanted: usize, seed: u64) -> Vec<Sequence> {
        let failing = self.knowledge.seeds.iter().filter(|seed| seed.failing);
        let failing: Vec<Sequence> = failing.map(|seed| seed.sequence.clone()).collect();
        variations(&failing, self.catalog, self.knowledge, wanted, seed)
    }

    fn at_a_time(&self) -> usize {
        CALLS_AT_A_TIME
    }

    fn nearest_first(&self, tests: &[TestId]) -> Vec<TestId> {
        nearest_first(tests, self.knowledge)
    }

    fn name(&self, input: &Sequence) -> String {
        self.explorer.render(self.catalog, input).pop().unwrap_or_default()
    }

    fn differ(&mut self, inputs: &[Sequence]) -> Result<Vec<bool>, LangError> {
        let ran = self.run.run(inputs, &judged_scope())?;
        let mut differs = Vec::new();
        for (input, ran) in inputs.iter().zip(ran) {
            let seen = both(input, &ran.outcome, self.run)?;
            let counts = seen.is_some_and(|(buggy, patched)| {
                let options = RgtOptions::default();
                let (buggy, patched) = (buggy.behaviour(), patched.behaviour());
                let ruling = rgt::judge(input, self.catalog, self.knowledge, buggy, patched, &options);
                matches!(ruling, Ruling::Evidence(_))
            });
            differs.push(counts);
        }
        Ok(differs)
    }
}

impl Inputs<ProgramInput> for Programs<'_, '_> {
    fn corpus(&self) -> &[ProgramInput] {
        &self.corpus
    }

    /// The corpus has them: the fuzzer begins with what tests read.
    fn failing_variants(&self, _wanted: usize, _seed: u64) -> Vec<ProgramInput> {
        Vec::new()
    }

    fn at_a_time(&self) -> usize {
        PROGRAMS_AT_A_TIME
    }

    fn nearest_first(&self, tests: &[TestId]) -> Vec<TestId> {
        tests.to_vec()
    }

    fn name(&self, input: &ProgramInput) -> String {
        shown_bytes(&input.bytes).into_iter().next().unwrap_or_default()
    }

    fn differ(&mut self, inputs: &[ProgramInput]) -> Result<Vec<bool>, LangError> {
        let mut differs = Vec::new();
        for input in inputs {
            let buggy = self.campaign.execute(input, self.versions.0, Watch::Plain)?;
            let patched = self.campaign.execute(input, self.versions.1, Watch::Plain)?;
            let ruling = programs::judge(&buggy, &patched, &self.options);
            differs.push(matches!(ruling, ProgramRuling::Evidence(_)));
        }
        Ok(differs)
    }
}

/// Tests in the order in which they are worth tracing: by how few calls lie between what they call and the change, as far as
/// they could be read, and others by the nearest one of their class. Those of which nothing is known come last.
fn nearest_first(tests: &[TestId], knowledge: &Knowledge) -> Vec<TestId> {
    let targets: BTreeMap<CallableId, u32> =
        knowledge.targets.iter().map(|target| (target.callable, target.distance)).collect();
    let mut of_tests: BTreeMap<&TestId, u32> = BTreeMap::new();
    let mut of_classes: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in &knowledge.seeds {
        let Some(distance) = seed.sequence.callables().filter_map(|id| targets.get(&id)).min() else {
            continue;
        };
        let nearer = |known: &mut u32| *known = (*known).min(*distance);
        of_tests.entry(&seed.test).and_modify(nearer).or_insert(*distance);
        of_classes.entry(class_of(&seed.test)).and_modify(nearer).or_insert(*distance);
    }
    let unknown_last = |distance: Option<&u32>| distance.copied().unwrap_or(u32::MAX);
    let mut ordered = tests.to_vec();
    ordered
        .sort_by_key(|test| (unknown_last(of_tests.get(test)), unknown_last(of_classes.get(class_of(test)))));
    ordered
}

fn class_of(test: &TestId) -> &str {
    test.0.split('#').next().unwrap_or(&test.0)
}

/// The inputs in an order that depends on the seed alone, so that the first of them are a fair sample.
fn spread<Input: Clone>(inputs: &[Input], seed: u64) -> Vec<Input> {
    let mut spread = inputs.to_vec();
    fastrand::Rng::with_seed(seed).shuffle(&mut spread);
    spread
}

/// What original tests of one outcome ran inside of changed methods on the buggy version; alike ones once.
#[derive(Default)]
struct Known {
    whole: BTreeSet<Vec<u32>>,
    /// Call by call.
    calls: BTreeSet<Vec<u32>>,
}

impl Known {
    fn add(&mut self, trace: &Trace) {
        self.whole.insert(trace.within_change());
        self.calls.extend(trace.calls().map(<[u32]>::to_vec));
    }

    /// The distance to the nearest of them.
    fn nearest(&self, within: &[u32]) -> Option<Distance> {
        if self.whole.contains(within) {
            return Some(Distance { value: 0.0, at_most: false });
        }
        patch_sim::nearest(self.whole.iter().map(|other| distance(within, other, Limit::default())))
    }
}

/// What tests ran of the code of changed methods.
#[derive(Default)]
struct Code {
    /// By statement: how many original passing tests ran it on the buggy version, and the first of them.
    passing: BTreeMap<u32, (u64, String)>,
    /// Hashes of what these ran altogether: a test that runs the same as another one has no voice of its own.
    voices: BTreeSet<u64>,
    /// Statements that a test, original or generated, ran on the patched version.
    patched: BTreeSet<u32>,
}

impl Code {
    fn add_passing(&mut self, name: &str, buggy: &Trace) {
        let mut hasher = DefaultHasher::new();
        buggy.statements.hash(&mut hasher);
        if self.voices.insert(hasher.finish()) {
            for statement in buggy.shared_within_change() {
                self.passing.entry(statement).or_insert_with(|| (0, name.to_owned())).0 += 1;
            }
        }
    }

    fn add_patched(&mut self, patched: &Trace) {
        self.patched.extend(patched.shared_within_change());
    }

    /// What passing tests ran and no test runs any more, beside so many of which nothing is known.
    fn unreached(&self, changed: &BTreeMap<u32, CodePlace>, unknown: usize) -> Option<Unreached> {
        let left_out = changed.iter().filter(|(statement, _)| !self.patched.contains(statement));
        let left_out: Vec<(&CodePlace, &(u64, String))> =
            left_out.filter_map(|(statement, place)| Some((place, self.passing.get(statement)?))).collect();
        // Of several the first in the file.
        let most =
            left_out.iter().min_by_key(|(place, (tests, _))| (Reverse(*tests), &place.file, place.line));
        most.map(|(place, (tests, test))| Unreached {
            file: place.file.clone(),
            line: place.line,
            statements: left_out.len() as u64,
            tests: *tests,
            test: test.clone(),
            unknown: unknown as u64,
        })
    }
}

/// Figures as they come.
struct Figures {
    options: SimOptions,
    tests: Vec<TestFigures>,
    set_aside: Vec<SetAside>,
    passing: Known,
    failing: Known,
    /// A failing test could not be compared.
    lacks_failing: bool,
    code: Code,
    /// Tests that may reach the change and that could not be compared.
    unknown: usize,
    kept: usize,
    generated: usize,
    /// What generated tests ran inside of the change, where each is to run something else.
    varied: Option<BTreeSet<Vec<u32>>>,
}

impl Figures {
    fn new(options: SimOptions) -> Self {
        Self {
            options,
            tests: Vec::new(),
            set_aside: Vec::new(),
            passing: Known::default(),
            failing: Known::default(),
            lacks_failing: false,
            code: Code::default(),
            unknown: 0,
            kept: 0,
            generated: 0,
            varied: None,
        }
    }

    fn leave_out<'a>(&mut self, tests: impl Iterator<Item = &'a TestId>, reason: &str) {
        let set_aside = |test: &TestId| SetAside { name: test.to_string(), reason: reason.to_owned() };
        self.set_aside.extend(tests.map(set_aside));
    }

    fn original(&mut self, name: String, class: TestClass, traced: Traced) {
        let is_reached = traced != Traced::NotReached;
        let Some((buggy, patched)) = self.comparable(&name, traced) else {
            // What is not known of a failing test may be what a generated one does.
            self.lacks_failing |= is_reached && class == TestClass::Failing;
            self.unknown += usize::from(is_reached);
            return;
        };
        if class == TestClass::Passing {
            self.code.add_passing(&name, &buggy);
        }
        self.code.add_patched(&patched);
        let length: usize = buggy.calls().map(<[u32]>::len).sum();
        if buggy.reaches_change() && self.kept + length <= KEPT_STATEMENTS {
            self.kept += length;
            if class == TestClass::Failing { self.failing.add(&buggy) } else { self.passing.add(&buggy) }
        }
        let figures = Self::compared(name, TestOrigin::Original, class, &buggy, &patched);
        self.tests.push(figures);
    }

    fn generated(&mut self, name: String, traced: Traced, differs: bool) {
        let Some((buggy, patched)) = self.comparable(&name, traced) else { return };
        self.code.add_patched(&patched);
        let within = buggy.within_change();
        if self.varied.as_mut().is_some_and(|known| !known.insert(within.clone())) {
            return;
        }
        let (to_passing, to_failing) = (self.passing.nearest(&within), self.failing.nearest(&within));
        let class = match to_failing {
            None if self.lacks_failing => TestClass::Discarded,
            _ => patch_sim::classify(to_passing, to_failing, &self.options),
        };
        let figures = Self::compared(name, TestOrigin::Generated, class, &buggy, &patched);
        self.generated += 1;
        self.tests.push(TestFigures {
            to_passing,
            to_failing,
            calls: Some(self.call_origin(&buggy)),
            differs: Some(differs),
            ..figures
        });
    }

    /// Where calls that run the same were seen.
    fn call_origin(&self, trace: &Trace) -> CallOrigin {
        let (passing, failing) = (&self.passing.calls, &self.failing.calls);
        let of_failing = |call: &[u32]| failing.contains(call) && !passing.contains(call);
        if trace.calls().any(of_failing) {
            CallOrigin::Failing
        } else if trace.calls().any(|call| !passing.contains(call)) {
            CallOrigin::New
        } else if trace.calls().any(|call| failing.contains(call)) {
            CallOrigin::Both
        } else {
            CallOrigin::Passing
        }
    }

    /// Both traces, if the execution reaches the change and can be compared.
    fn comparable(&mut self, name: &str, traced: Traced) -> Option<(Trace, Trace)> {
        match traced {
            Traced::NotReached => None,
            // Two beginnings say nothing about two executions.
            Traced::Both { buggy, patched } if buggy.cut || patched.cut => {
                self.comparable(name, Traced::SetAside("it runs too many statements".to_owned()))
            }
            Traced::Both { buggy, patched } => Some((buggy, patched)),
            Traced::SetAside(reason) => {
                self.set_aside.push(SetAside { name: name.to_owned(), reason });
                None
            }
        }
    }

    fn compared(
        name: String,
        origin: TestOrigin,
        class: TestClass,
        buggy: &Trace,
        patched: &Trace,
    ) -> TestFigures {
        let (before, after) = (buggy.shared(), patched.shared());
        let change_around = distance(&before, &after, Limit::default());
        TestFigures {
            name,
            origin,
            class,
            to_passing: None,
            to_failing: None,
            change: distance(&buggy.statements, &patched.statements, Limit::default()),
            change_around,
            shared: before.len() as u64,
            lost: patch_sim::lost(&before, &after),
            calls: None,
            differs: None,
            statements: (buggy.statements.len() as u64, patched.statements.len() as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use bonafix_lang::OnTrace;
    use bonafix_model::{Literal, Seed, StatementNumber, Step, Target};

    use super::*;

    fn trace(calls: &[&[u32]]) -> Trace {
        let mut trace = Trace { statements: vec![1], ..Trace::default() };
        for call in calls {
            let first = u32::try_from(trace.statements.len()).unwrap();
            trace.statements.extend_from_slice(call);
            trace.changed.push((first, u32::try_from(trace.statements.len()).unwrap()));
        }
        trace
    }

    fn both(buggy: Trace, patched: Trace) -> Traced {
        Traced::Both { buggy, patched }
    }

    /// The statement that the patch adds.
    fn added() -> u32 {
        StatementNumber::new(90).one_sided().into()
    }

    /// Passing tests run 10 11 and 10 12, the failing one 10 12 and 10 13; the patch adds a statement.
    fn known() -> Figures {
        let mut figures = Figures::new(SimOptions::default());
        figures.original(
            "pass".to_owned(),
            TestClass::Passing,
            both(trace(&[&[10, 11], &[10, 12]]), trace(&[&[added(), 10, 11], &[added(), 10, 12]])),
        );
        figures.original(
            "fail".to_owned(),
            TestClass::Failing,
            both(trace(&[&[10, 12], &[10, 13]]), trace(&[&[added(), 10, 12], &[added(), 14, 15]])),
        );
        figures
    }

    fn generated(calls: &[&[u32]]) -> TestFigures {
        let mut figures = known();
        figures.generated("input".to_owned(), both(trace(calls), trace(calls)), false);
        figures.tests.pop().unwrap()
    }

    #[test]
    fn ever_more_tests_are_taken_at_a_time_and_none_is_lost() {
        let test = |number: u32| TestId(format!("p.T#t{number}"));
        let mut tests = Tests { waiting: (0..20).map(test).collect(), next: 3, patience: None };
        let sizes: Vec<usize> = std::iter::from_fn(|| {
            let batch = tests.take(&BTreeMap::new(), Some(Duration::ZERO));
            (!batch.is_empty()).then_some(batch.len())
        })
        .collect();
        assert_eq!(sizes, [3, 6, 11]);
    }

    /// Found on tests of numerical code: one that took seconds stood among the first, and nothing was compared at all.
    #[test]
    fn a_slow_test_waits_until_quick_ones_are_compared() {
        let test = |name: &str| TestId(name.to_owned());
        let seconds = |seconds| Duration::from_secs(seconds);
        let took = [("slow", 9), ("quick", 1), ("endless", 99), ("brisk", 2)]
            .map(|(name, time)| (test(name), seconds(time)));
        let took = BTreeMap::from(took);
        let names = ["red", "slow", "quick", "endless", "brisk"];
        let batches = |time: Option<Duration>| {
            let mut tests = Tests { waiting: names.map(test).to_vec(), next: 5, patience: None };
            std::iter::from_fn(|| {
                let batch = tests.take(&took, time);
                (!batch.is_empty())
                    .then(|| batch.iter().map(|test| test.0.clone()).collect::<Vec<_>>().join(" "))
            })
            .collect::<Vec<_>>()
        };
        let slowed = COMPARED_TIMES;
        assert_eq!(batches(None), ["red slow quick endless brisk"]);
        assert_eq!(batches(Some(seconds(3) * slowed)), ["red quick brisk", "slow", "endless"]);
        assert_eq!(batches(Some(seconds(11) * slowed)), ["red slow quick", "brisk", "endless"]);
    }

    #[test]
    fn the_lines_of_the_patch_count_for_the_change_and_not_for_what_is_around_it() {
        let figures = known();
        let [passing, failing] = &figures.tests[..] else { panic!("{}", figures.tests.len()) };
        assert_eq!((passing.change.value, passing.change_around.value), (2.0 / 7.0, 0.0));
        assert_eq!((failing.statements, failing.change_around.value), ((5, 7), 2.0 / 5.0));
    }

    #[test]
    fn a_generated_test_is_compared_call_by_call_and_as_a_whole() {
        let origin = |calls: &[&[u32]]| generated(calls).calls.unwrap();
        assert_eq!(origin(&[&[10, 11]]), CallOrigin::Passing);
        assert_eq!(origin(&[&[10, 11], &[10, 12]]), CallOrigin::Both);
        assert_eq!(origin(&[&[10, 16], &[10, 13]]), CallOrigin::Failing);
        assert_eq!(origin(&[&[10, 12], &[10, 16]]), CallOrigin::New);
        let alike = generated(&[&[10, 11], &[10, 12]]);
        assert_eq!((alike.class, alike.to_passing.unwrap().value), (TestClass::Passing, 0.0));
        assert_eq!(generated(&[&[10, 13]]).class, TestClass::Failing);
    }

    #[test]
    fn varied_tests_run_otherwise_inside_of_the_change_each_of_them() {
        let mut figures = known();
        figures.varied = Some(BTreeSet::new());
        for calls in [&[&[10, 11][..]][..], &[&[10, 13]], &[&[10, 11]]] {
            figures.generated("input".to_owned(), both(trace(calls), trace(calls)), false);
        }
        assert_eq!(figures.generated, 2);
    }

    #[test]
    fn what_cannot_be_compared_is_set_aside_with_its_reason_and_what_is_not_reached_left_out() {
        let mut figures = known();
        figures.generated("far".to_owned(), Traced::NotReached, false);
        figures.generated("odd".to_owned(), Traced::SetAside("not the same twice".to_owned()), false);
        assert_eq!((figures.tests.len(), figures.generated), (2, 0));
        assert_eq!(figures.set_aside[0].reason, "not the same twice");
    }

    /// Statements 10 to 19 are those of the changed method.
    fn changed_code() -> BTreeMap<u32, CodePlace> {
        (10..20).map(|line| (line, CodePlace { file: "A.java".to_owned(), line })).collect()
    }

    #[test]
    fn code_is_out_of_reach_that_passing_tests_ran_and_no_test_runs_any_more() {
        let mut figures = Figures::new(SimOptions::default());
        let mut test = |name: &str, class, buggy: &[u32], patched: &[u32]| {
            figures.original(name.to_owned(), class, both(trace(&[buggy]), trace(&[patched])));
        };
        test("one", TestClass::Passing, &[10, 11, 12, 25], &[10, 13]);
        test("two", TestClass::Passing, &[10, 12], &[10]);
        test("three", TestClass::Passing, &[10, 14], &[10, 14]);
        test("two again", TestClass::Passing, &[10, 12], &[10]);
        test("red", TestClass::Failing, &[10, 15], &[10, 11]);
        let found = figures.code.unreached(&changed_code(), 1).unwrap();
        // 11 is run by the failing test, 15 by no passing one, and 25 is none of the method's. The third test that ran 12 did
        // nothing else than the second.
        assert_eq!((found.line, found.statements, found.tests), (12, 1, 2));
        assert_eq!((found.file.as_str(), found.test.as_str(), found.unknown), ("A.java", "one", 1));
        figures.generated("input".to_owned(), both(trace(&[&[10]]), trace(&[&[12]])), true);
        assert_eq!(figures.code.unreached(&changed_code(), 0), None, "an input runs it");
    }

    #[test]
    fn nothing_is_out_of_reach_where_all_code_is_still_run() {
        let mut figures = known();
        let alike = both(trace(&[&[10, 11, 12, 13]]), trace(&[&[11, 10, 12, 13]]));
        figures.original("pass".to_owned(), TestClass::Passing, alike);
        assert_eq!(figures.code.unreached(&changed_code(), 0), None);
    }

    #[test]
    fn tests_of_which_nothing_is_known_are_counted() {
        let mut figures = known();
        figures.original("far".to_owned(), TestClass::Passing, Traced::NotReached);
        figures.original("odd".to_owned(), TestClass::Passing, Traced::SetAside("flaky".to_owned()));
        let cut = Trace { cut: true, ..trace(&[&[10]]) };
        figures.original("long".to_owned(), TestClass::Passing, both(trace(&[&[10]]), cut));
        assert_eq!(figures.unknown, 2);
    }

    /// Says of tests whether they come to the change, and keeps which it was to trace, and until when.
    #[derive(Default)]
    struct Scout {
        asked: Vec<(Vec<TestId>, Option<Instant>)>,
    }

    impl Tracer<Sequence> for Scout {
        fn far_tests(
            &mut self,
            tests: &[TestId],
            _limits: &TraceLimits,
        ) -> Result<Option<BTreeSet<TestId>>, LangError> {
            Ok(Some(tests.iter().filter(|test| test.0.contains("far")).cloned().collect()))
        }

        fn tests(&mut self, tests: &[TestId], limits: &TraceLimits, _: OnTrace<'_>) -> Result<(), LangError> {
            self.asked.push((tests.to_vec(), limits.deadline));
            Ok(())
        }

        fn inputs(&mut self, _: &[Sequence], _: &TraceLimits, _: OnTrace<'_>) -> Result<(), LangError> {
            Ok(())
        }

        fn changed_code(&self) -> BTreeMap<u32, CodePlace> {
            BTreeMap::new()
        }

        fn notices(&self) -> Vec<Notice> {
            Vec::new()
        }
    }

    #[test]
    fn tests_far_from_the_change_are_not_traced_and_those_that_nobody_looked_at_are_set_aside() {
        let names = ["near", "far", "nearer", "near and slow"];
        let tests: Vec<TestId> = names.iter().map(|name| TestId((*name).to_owned())).collect();
        let took = tests
            .iter()
            .map(|test| (test.clone(), Duration::from_secs(if test.0.contains("slow") { 1000 } else { 1 })));
        let (took, options) = (took.collect(), crate::testing::judging_options());
        let deadline = Some(Instant::now() + Duration::from_mins(10));
        let comparison = Comparison {
            failing: &[],
            passing: &tests,
            took: &took,
            options: &options,
            delta: &Delta::default(),
            deadline,
        };
        let mut figures = Figures::new(SimOptions::default());
        let kept = comparison.scouted(&mut Scout::default(), tests.clone(), &mut figures).unwrap();
        let kept: Vec<&str> = kept.iter().map(|test| test.0.as_str()).collect();
        assert_eq!((kept, figures.unknown), (vec!["near", "nearer"], 1));
        assert_eq!(figures.set_aside[0].name, "near and slow");
    }

    /// Found on a machine with load 15: of every sixth patch not a single test was compared.
    #[test]
    fn where_the_time_is_up_before_anything_was_traced_the_first_tests_are_all_the_same() {
        let tests: Vec<TestId> = (0..40).map(|number| TestId(format!("T#t{number}"))).collect();
        let (took, options, delta) = (BTreeMap::new(), crate::testing::judging_options(), Delta::default());
        let now = Instant::now();
        let deadline = Some(now);
        let comparison = Comparison {
            failing: &tests[..1],
            passing: &tests[1..],
            took: &took,
            options: &options,
            delta: &delta,
            deadline,
        };
        let mut figures = Figures::new(SimOptions::default());
        let patience = Some(now + Duration::from_secs(20));
        let mut waiting = Tests { patience, ..comparison.tests(tests[1..].to_vec(), &mut figures) };
        let mut scout = Scout::default();
        for _ in 0..2 {
            comparison.trace_tests(&mut scout, &mut waiting, deadline, &mut figures).unwrap();
        }
        let [(first, until)] = &scout.asked[..] else { panic!("{} batches", scout.asked.len()) };
        assert_eq!((&first[..], *until), (&tests[..=FIRST_TESTS], patience));
        assert_eq!(waiting.waiting.len(), tests.len() - 1 - FIRST_TESTS);
    }

    #[test]
    fn a_trace_that_was_cut_is_not_compared() {
        let mut figures = known();
        let cut = Trace { cut: true, ..trace(&[&[10, 11]]) };
        figures.original("long".to_owned(), TestClass::Passing, both(trace(&[&[10, 11]]), cut));
        assert_eq!((figures.tests.len(), figures.set_aside.len()), (2, 1));
    }

    #[test]
    fn without_the_failing_test_nobody_knows_what_passes() {
        let mut figures = Figures::new(SimOptions::default());
        figures.original("fail".to_owned(), TestClass::Failing, Traced::SetAside("it hangs".to_owned()));
        figures.generated("input".to_owned(), both(trace(&[&[1]]), trace(&[&[2]])), true);
        assert_eq!(figures.tests[0].class, TestClass::Discarded);
    }

    #[test]
    fn tests_that_call_what_leads_to_the_change_are_traced_first() {
        let call = |callable| Step::Call { callable, receiver: None, arguments: Vec::new(), caught: false };
        let seed = |test: &str, callable| Seed {
            sequence: Sequence { steps: vec![call(callable)] },
            test: TestId(test.to_owned()),
            failing: false,
        };
        let knowledge = Knowledge {
            targets: vec![Target { distance: 0, callable: 7 }, Target { distance: 2, callable: 5 }],
            seeds: vec![seed("A#far", 3), seed("C#near", 5), seed("D#at", 5), seed("D#at", 7)],
            ..Knowledge::default()
        };
        let names = ["A#far", "B#unread", "C#near", "C#unread", "D#at"];
        let tests: Vec<TestId> = names.iter().map(|name| TestId((*name).to_owned())).collect();
        let ordered = nearest_first(&tests, &knowledge);
        let found: Vec<&str> = ordered.iter().map(|test| test.0.as_str()).collect();
        assert_eq!(found, ["D#at", "C#near", "C#unread", "A#far", "B#unread"]);
    }

    #[test]
    fn the_order_of_inputs_hangs_on_the_seed_alone() {
        let step = |value| Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(value) };
        let inputs: Vec<Sequence> = (0..20).map(|value| Sequence { steps: vec![step(value)] }).collect();
        assert_eq!(spread(&inputs, 3), spread(&inputs, 3));
        assert_ne!(spread(&inputs, 3), spread(&inputs, 4));
        let mut sorted = spread(&inputs, 3);
        sorted.sort();
        let mut all = inputs.clone();
        all.sort();
        assert_eq!(sorted, all);
    }
}
