//! PATCH-SIM on one patch: tests and inputs are traced on the buggy and on the patched version, and the distances judged.
//!
//! Traces can be long, so each is turned into distances as soon as it comes. What is kept of an original test is what it
//! ran inside of changed methods on the buggy version, with which generated tests are compared.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bonafix_judge::distance::{Limit, distance};
use bonafix_judge::patch_sim::{self, Options as SimOptions};
use bonafix_lang::{Explore, ExploreRequest, ExploredVersion, LangError, TraceLimits, Traced, Tracer};
use bonafix_model::{
    Catalog, Distance, Evidence, Notice, Sequence, SetAside, Similarity, Strength, TestClass, TestFigures,
    TestId, TestOrigin, Trace,
};
use camino::Utf8Path;

use crate::judging::JudgingOptions;

/// Statements of one execution that are kept: 40 MB a trace, of which a tracer holds three and this stage none.
const LONGEST_TRACE: u32 = 10_000_000;
/// Statements that are kept of all original tests together, inside of changed methods: 80 MB.
const KEPT_STATEMENTS: usize = 20_000_000;
/// Limit of one test, which took a fraction of it without probes.
const TEST_LIMIT: Duration = Duration::from_secs(20);
/// Original tests that are traced at most, those that show the bug first.
const MOST_TESTS: usize = 400;
/// Inputs that are traced at a time, until enough of them reach the change.
const AT_A_TIME: usize = 40;

/// One patch, to be compared with the buggy version.
pub(crate) struct Comparison<'a> {
    pub(crate) explorer: &'a dyn Explore,
    /// Buggy, patched.
    pub(crate) versions: &'a [ExploredVersion<'a>],
    pub(crate) failing: &'a [TestId],
    pub(crate) passing: &'a [TestId],
    pub(crate) options: &'a JudgingOptions,
    pub(crate) deadline: Option<Instant>,
    pub(crate) log: &'a Utf8Path,
}

/// What came of it.
pub(crate) struct Compared {
    pub(crate) similarity: Similarity,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) notices: Vec<Notice>,
}

impl Comparison<'_> {
    /// Compares the original tests and some of the inputs, which are in terms of a catalog of the same versions.
    pub(crate) fn carry_out(&self, catalog: &Catalog, inputs: &[Sequence]) -> Result<Compared, LangError> {
        let request = ExploreRequest {
            versions: self.versions,
            failing: self.failing,
            passing: self.passing,
            heap_mib: self.options.heap_mib,
        };
        let mut tracer = self.explorer.tracer(&request, self.log)?;
        let mut figures = Figures::new(self.options.similarity);
        self.trace_tests(tracer.as_mut(), &mut figures)?;
        self.trace_inputs(tracer.as_mut(), catalog, inputs, &mut figures)?;
        let similarity = patch_sim::similarity(figures.tests, figures.set_aside, &self.options.similarity);
        let evidence = similarity.against.map(|_| Evidence {
            technique: patch_sim::NAME.to_owned(),
            strength: Strength::Heuristic,
            summary: patch_sim::sentence(&similarity),
            reason: None,
            exhibit: None,
            witness: None,
        });
        Ok(Compared { similarity, evidence, notices: tracer.notices() })
    }

    fn limits(&self) -> TraceLimits {
        TraceLimits { statements: LONGEST_TRACE, deadline: self.deadline, test: TEST_LIMIT }
    }

    fn trace_tests(&self, tracer: &mut dyn Tracer, figures: &mut Figures) -> Result<(), LangError> {
        let mut tests = self.failing.to_vec();
        tests.extend(self.passing.iter().cloned());
        tests.truncate(MOST_TESTS.max(self.failing.len()));
        tracer.tests(&tests, &self.limits(), &mut |number, traced| {
            let class = if number < self.failing.len() { TestClass::Failing } else { TestClass::Passing };
            figures.original(tests[number].to_string(), class, traced);
        })
    }

    /// Traces inputs until enough of them reach the change.
    fn trace_inputs(
        &self,
        tracer: &mut dyn Tracer,
        catalog: &Catalog,
        inputs: &[Sequence],
        figures: &mut Figures,
    ) -> Result<(), LangError> {
        let wanted = self.options.generated_tests;
        let chosen = spread(inputs, self.options.seed);
        for (first, batch) in chosen.chunks(AT_A_TIME).enumerate() {
            if figures.generated >= wanted {
                break;
            }
            tracer.inputs(batch, &self.limits(), &mut |number, traced| {
                if figures.generated < wanted {
                    let lines = self.explorer.render(catalog, &batch[number]);
                    let last = lines.last().map_or("", String::as_str);
                    figures.generated(format!("input {}: {last}", first * AT_A_TIME + number + 1), traced);
                }
            })?;
        }
        Ok(())
    }
}

/// The inputs in an order that depends on the seed alone, so that the first of them are a fair sample.
fn spread(inputs: &[Sequence], seed: u64) -> Vec<Sequence> {
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    for last in (1..order.len()).rev() {
        // SplitMix64: any stream of numbers does that is the same everywhere.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let at = usize::try_from((mixed ^ (mixed >> 31)) % (last as u64 + 1)).unwrap_or_default();
        order.swap(last, at);
    }
    order.into_iter().map(|at| inputs[at].clone()).collect()
}

/// Figures as they come.
struct Figures {
    options: SimOptions,
    tests: Vec<TestFigures>,
    set_aside: Vec<SetAside>,
    /// What original tests ran inside of changed methods on the buggy version; alike ones once.
    passing: BTreeSet<Vec<u32>>,
    failing: BTreeSet<Vec<u32>>,
    kept: usize,
    generated: usize,
}

impl Figures {
    fn new(options: SimOptions) -> Self {
        Self {
            options,
            tests: Vec::new(),
            set_aside: Vec::new(),
            passing: BTreeSet::new(),
            failing: BTreeSet::new(),
            kept: 0,
            generated: 0,
        }
    }

    fn original(&mut self, name: String, class: TestClass, traced: Traced) {
        let Some((buggy, patched)) = self.comparable(&name, traced) else { return };
        let within = buggy.within_change();
        if buggy.reaches_change() && self.kept + within.len() <= KEPT_STATEMENTS {
            self.kept += within.len();
            let alike = if class == TestClass::Failing { &mut self.failing } else { &mut self.passing };
            alike.insert(within);
        }
        self.add(name, TestOrigin::Original, class, (None, None), &buggy, &patched);
    }

    fn generated(&mut self, name: String, traced: Traced) {
        let Some((buggy, patched)) = self.comparable(&name, traced) else { return };
        let within = buggy.within_change();
        let to_passing = nearest(&within, &self.passing);
        let to_failing = nearest(&within, &self.failing);
        let class = patch_sim::classify(to_passing, to_failing, &self.options);
        self.generated += 1;
        self.add(name, TestOrigin::Generated, class, (to_passing, to_failing), &buggy, &patched);
    }

    /// Both traces, if the execution reaches the change and can be compared.
    fn comparable(&mut self, name: &str, traced: Traced) -> Option<(Trace, Trace)> {
        match traced {
            Traced::NotReached => None,
            Traced::Both { buggy, patched } => Some((buggy, patched)),
            Traced::SetAside(reason) => {
                self.set_aside.push(SetAside { name: name.to_owned(), reason });
                None
            }
        }
    }

    fn add(
        &mut self,
        name: String,
        origin: TestOrigin,
        class: TestClass,
        (to_passing, to_failing): (Option<Distance>, Option<Distance>),
        buggy: &Trace,
        patched: &Trace,
    ) {
        let change = distance(&buggy.statements, &patched.statements, Limit::default());
        let statements = (buggy.statements.len() as u64, patched.statements.len() as u64);
        self.tests.push(TestFigures { name, origin, class, to_passing, to_failing, change, statements });
    }
}

/// The least distance to one of several traces.
fn nearest(trace: &[u32], others: &BTreeSet<Vec<u32>>) -> Option<Distance> {
    if others.contains(trace) {
        return Some(Distance { value: 0.0, at_most: false });
    }
    patch_sim::nearest(others.iter().map(|other| distance(trace, other, Limit::default())))
}
