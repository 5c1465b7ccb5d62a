//! What it takes to refute: a program of one method that does what each test says, and witnesses that end as it says.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bonafix_lang::{Replay, Run, WitnessDraft, WitnessError, WrittenWitness};
use bonafix_model::{
    Breakdown, Budget, Callable, CallableFacts, CallableId, CallableKind, ChangeKind, Confirmation, Delta,
    DeltaElement, DeltaFile, DifferenceClass, ElementKind, Ending, Exception, Feedback, Goal, GoalPurpose,
    Knowledge, LineAlignment, LineRange, Literal, Observation, ParameterFacts, Ran, SearchEnd, Seed,
    SequenceOutcome, Statement, Step, StepObservation, Strength, Summary, Target, TreeChange, TypeInfo,
    Value, VersionRole, Visibility,
};
use bonafix_store::{Plan, PlannedInput, RunDir};

use super::trial::ATTEMPTS;
use super::*;
use crate::seen::Seen;

/// One call of `p.Limit.below(int)`.
#[derive(Debug, Clone, Copy)]
struct Call {
    version: u32,
    value: i64,
    /// Alone in fresh state, to confirm what was seen.
    fresh: bool,
    /// How often this version got this value before.
    before: u32,
}

/// What comes of it.
#[derive(Debug, Clone)]
enum Does {
    Returns(bool),
    Throws(&'static str, &'static str),
    BreaksDown(Breakdown),
}

type Program = fn(Call) -> Does;
type WitnessEnds = fn() -> Result<Vec<Replay>, WitnessError>;

/// What the reference does, and what most tests let the patched version do but for large numbers.
fn right(call: Call) -> Does {
    Does::Returns(call.value < 1000)
}

fn wrong_above_500(call: Call) -> Does {
    if call.version == 1 { Does::Returns(call.value <= 500) } else { right(call) }
}

/// Numbers with which the program comes upon something that is not a number; no test passes one of them.
const OUTSIDE: std::ops::Range<i64> = 1001..2000;

fn wrong_outside(call: Call) -> Does {
    if call.version == 1 && OUTSIDE.contains(&call.value) { Does::Returns(true) } else { right(call) }
}

fn numbers(input: &Sequence) -> impl Iterator<Item = i64> {
    input.steps.iter().filter_map(|step| match step {
        Step::Constant { value: Literal::Integer(value), .. } => Some(*value),
        _ => None,
    })
}

fn replays(passed: [(bool, bool); 3]) -> Vec<Replay> {
    let of = |role, passed| Replay { role, passed, message: None, otherwise: false };
    let each = passed.into_iter().flat_map(|(reference, patched)| {
        [
            of(VersionRole::Reference, reference),
            of(VersionRole::Patched, patched),
            of(VersionRole::Buggy, false),
        ]
    });
    each.collect()
}

#[expect(clippy::unnecessary_wraps, reason = "others give errors")]
fn holds() -> Result<Vec<Replay>, WitnessError> {
    Ok(replays([(true, false); 3]))
}

struct FakeRun {
    catalog: Catalog,
    goals: Vec<Goal>,
    program: Program,
    calls: BTreeMap<(u32, i64), u32>,
    looks: Arc<AtomicU32>,
}

impl FakeRun {
    fn execute(&mut self, input: &Sequence, version: u32, fresh: bool) -> Seen {
        let mut values: Vec<i64> = Vec::new();
        let mut steps = Vec::new();
        for (step, number) in input.steps.iter().zip(0..) {
            values.push(if let Step::Constant { value: Literal::Integer(value), .. } = step {
                *value
            } else {
                0
            });
            let Step::Call { arguments, caught, .. } = step else { continue };
            let value = arguments.first().map_or(0, |slot| values[*slot as usize]);
            let before = self.calls.entry((version, value)).or_default();
            let call = Call { version, value, fresh, before: *before };
            *before += 1;
            let mut seen = StepObservation { step: number, ..StepObservation::default() };
            match (self.program)(call) {
                Does::Returns(result) => seen.result = Some(Value::Boolean(result)),
                Does::BreaksDown(breakdown) => return Seen::BrokeDown(breakdown),
                Does::Throws(type_name, message) => {
                    let exception = Exception {
                        type_name: type_name.to_owned(),
                        message: Some(message.to_owned()),
                        thrown_by: Some("p.Limit.below".to_owned()),
                        called: None,
                        state: None,
                    };
                    if !caught {
                        steps.push(seen);
                        let ending = Ending::Threw { step: number, exception };
                        return Seen::Observed(Box::new(Observation { steps, ending }));
                    }
                    seen.thrown = Some(exception);
                }
            }
            steps.push(seen);
        }
        Seen::Observed(Box::new(Observation { steps, ending: Ending::Completed }))
    }

    fn outcome(&mut self, input: &Sequence, scope: &RunScope) -> SequenceOutcome {
        let mut observations = Vec::new();
        for version in &scope.versions {
            match self.execute(input, *version, false) {
                Seen::Observed(observation) => observations.push(*observation),
                Seen::BrokeDown(breakdown) => {
                    return SequenceOutcome::Failed { version: *version, breakdown };
                }
            }
        }
        if observations.windows(2).any(|pair| pair[0] != pair[1]) {
            return SequenceOutcome::Differs { observations, leaked_threads: false };
        }
        let observation = if scope.show_all { observations.pop().map(Box::new) } else { None };
        SequenceOutcome::Same { summary: Summary::default(), observation }
    }
}

impl Run for FakeRun {
    fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    fn goals(&self) -> &[Goal] {
        &self.goals
    }

    fn run(&mut self, inputs: &[Sequence], scope: &RunScope) -> Result<Vec<Ran>, LangError> {
        self.looks.fetch_add(u32::from(scope.versions.len() == 1), Ordering::Relaxed);
        let ran = |input: &Sequence| {
            let compared_nan = numbers(input).any(|value| OUTSIDE.contains(&value));
            let feedback = Feedback { reached: true, compared_nan, ..Feedback::default() };
            Ran { outcome: self.outcome(input, scope), feedback }
        };
        Ok(inputs.iter().map(ran).collect())
    }

    fn confirm(
        &mut self,
        input: &Sequence,
        repetitions: u32,
        scope: &RunScope,
    ) -> Result<Vec<Confirmation>, LangError> {
        let mut confirmations = Vec::new();
        for version in &scope.versions {
            let seen: Vec<Seen> = (0..repetitions).map(|_| self.execute(input, *version, true)).collect();
            let broke_down = seen.iter().find_map(|seen| match seen {
                Seen::BrokeDown(breakdown) => Some(*breakdown),
                Seen::Observed(_) => None,
            });
            let observed: Vec<&Observation> = seen.iter().filter_map(Seen::observed).collect();
            confirmations.push(match (broke_down, observed.iter().find(|other| **other != observed[0])) {
                (Some(breakdown), _) => Confirmation::Failed(breakdown),
                (None, Some(other)) => Confirmation::Unstable {
                    observations: Box::new([observed[0].clone(), (**other).clone()]),
                },
                (None, None) => Confirmation::Stable(Box::new(observed[0].clone())),
            });
        }
        Ok(confirmations)
    }
}

struct FakeExplorer {
    program: Program,
    witness: WitnessEnds,
    written: AtomicU32,
    /// The input of the last witness.
    last: Mutex<Option<Sequence>>,
    /// How often something was run in one version alone, which a search never does by itself.
    looks: Arc<AtomicU32>,
}

const BELOW: CallableId = 0;

fn catalog() -> Catalog {
    let below = Callable {
        kind: CallableKind::StaticMethod,
        owner: "p.Limit".to_owned(),
        name: "below".to_owned(),
        descriptor: "(I)Z".to_owned(),
        parameters: vec!["int".to_owned()],
        result: "boolean".to_owned(),
        varargs: false,
        visibility: Visibility::Public,
        throws: Vec::new(),
    };
    let limit = TypeInfo {
        name: "p.Limit".to_owned(),
        is_abstract: false,
        is_interface: false,
        is_functional: false,
        supertypes: vec!["java.lang.Object".to_owned()],
        is_subject: true,
        is_enum: false,
        is_inner: false,
        subclass: None,
    };
    Catalog { callables: vec![below], types: vec![limit] }
}

/// Tests pass numbers from 1 to 2000, and an `IllegalArgumentException` and a `NoSuchElementException` are documented.
fn knowledge() -> Knowledge {
    let seed = |value: i64, failing| Seed {
        sequence: Sequence {
            steps: vec![
                Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(value) },
                Step::Call { callable: BELOW, receiver: None, arguments: vec![0], caught: false },
            ],
        },
        test: TestId("p.LimitTest#below".to_owned()),
        failing,
    };
    let parameter =
        ParameterFacts { seen: 5, positive: true, range: Some((1, 2000)), ..ParameterFacts::default() };
    let facts = CallableFacts {
        tested: true,
        exceptions: vec![
            "java.lang.IllegalArgumentException".to_owned(),
            "java.util.NoSuchElementException".to_owned(),
        ],
        parameters: vec![parameter],
        ..CallableFacts::default()
    };
    Knowledge {
        targets: vec![Target { distance: 0, callable: BELOW }],
        seeds: vec![seed(700, true), seed(3, false), seed(2000, false)],
        facts: BTreeMap::from([(BELOW, facts)]),
        ..Knowledge::default()
    }
}

impl Explore for FakeExplorer {
    fn tracer<'a>(
        &'a self,
        _request: &ExploreRequest<'_>,
        _log: &Utf8Path,
    ) -> Result<Box<dyn bonafix_lang::Tracer<Sequence> + 'a>, LangError> {
        Err(LangError::Internal("nothing is traced here".to_owned()))
    }

    fn explore(&self, _: &ExploreRequest<'_>, _: &Utf8Path) -> Result<Explored, LangError> {
        let goal = Goal { purpose: GoalPurpose::Reach, text: "below".to_owned() };
        let run = FakeRun {
            catalog: catalog(),
            goals: vec![goal],
            program: self.program,
            calls: BTreeMap::new(),
            looks: Arc::clone(&self.looks),
        };
        Ok(Explored { run: Box::new(run), knowledge: knowledge(), notices: Vec::new() })
    }

    fn code_key(&self, _: &TreeChange, _: &Utf8Path) -> Result<String, LangError> {
        Ok(String::new())
    }

    fn render(&self, _: &Catalog, input: &Sequence) -> Vec<String> {
        input.steps.iter().map(|step| format!("{step:?};")).collect()
    }

    fn write_witness(
        &self,
        draft: &WitnessDraft<'_>,
        _: &Utf8Path,
        _: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError> {
        self.written.fetch_add(1, Ordering::Relaxed);
        *self.last.lock().unwrap() = Some(draft.input.clone());
        Ok(WrittenWitness {
            file: "Witness.java".to_owned(),
            input: vec!["boolean result = Limit.below(700);".to_owned()],
            what: "result".to_owned(),
            replays: (self.witness)()?,
        })
    }
}

struct Tried {
    refuted: Searched,
    /// Witnesses that were written.
    written: u32,
    last: Option<Sequence>,
    looks: u32,
}

impl Tried {
    fn proofs(&self) -> Vec<&Evidence> {
        self.refuted.evidence.iter().filter(|evidence| evidence.strength > Strength::Remark).collect()
    }

    /// Fails unless nothing was proven, and differences were set aside for this reason; the first of them.
    #[track_caller]
    fn dismissed(&self, reason: &str) -> String {
        assert!(self.proofs().is_empty(), "{:#?}", self.refuted.evidence);
        assert_ne!(self.refuted.effort.ended, Some(SearchEnd::Found));
        let discarded = &self.refuted.effort.discarded;
        let row = discarded.iter().find(|row| row.reason == reason);
        row.unwrap_or_else(|| panic!("no {reason} in {discarded:#?}")).example.clone()
    }
}

fn attempt(program: Program, witness: WitnessEnds, strict: bool) -> Result<Tried, LangError> {
    let roles = [VersionRole::Reference, VersionRole::Patched, VersionRole::Buggy];
    ask(Question::Reference, &roles, &Delta::default(), program, witness, strict)
}

fn ask(
    question: Question,
    roles: &[VersionRole],
    delta: &Delta,
    program: Program,
    witness: WitnessEnds,
    strict: bool,
) -> Result<Tried, LangError> {
    ask_within(Budget::Inputs(600), question, roles, delta, program, witness, strict)
}

fn ask_within(
    budget: Budget,
    question: Question,
    roles: &[VersionRole],
    delta: &Delta,
    program: Program,
    witness: WitnessEnds,
    strict: bool,
) -> Result<Tried, LangError> {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    let plan = Plan::new(Vec::new(), PlannedInput::new("limit", "00"));
    let run = RunDir::create(path, "limit", &plan).unwrap();
    let session = Session { run: &run, on_event: &|_| {} };
    let looks = Arc::new(AtomicU32::new(0));
    let (written, last) = (AtomicU32::new(0), Mutex::new(None));
    let explorer = FakeExplorer { program, witness, written, last, looks: Arc::clone(&looks) };
    let change = TreeChange::default();
    let versions: Vec<ExploredVersion<'_>> =
        roles.iter().map(|role| ExploredVersion { role: *role, change: &change, delta }).collect();
    let options = JudgingOptions { budget, strict, ..crate::testing::judging_options() };
    let (refuted, _) = Refutation {
        explorer: &explorer,
        session: &session,
        folder: "patch",
        question,
        versions: &versions,
        budget: options.budget,
        failing: &[],
        passing: &[],
        options: &options,
        kept: &[],
        log: &path.join("log"),
    }
    .carry_out()?;
    let last = explorer.last.into_inner().unwrap();
    let looks = looks.load(Ordering::Relaxed);
    Ok(Tried { refuted, written: explorer.written.into_inner(), last, looks })
}

fn tried(program: Program, witness: WitnessEnds) -> Tried {
    attempt(program, witness, false).unwrap()
}

#[test]
fn an_argument_outside_of_the_domain_does_not_refute() {
    let tried = tried(wrong_outside, holds);
    assert_eq!(tried.written, 0);
    tried.dismissed("not-finite");
}

#[test]
fn a_difference_that_stays_and_a_witness_that_holds_refute() {
    let tried = tried(wrong_above_500, holds);
    let [proof] = tried.proofs()[..] else { panic!("{:#?}", tried.refuted.evidence) };
    assert_eq!(proof.strength, Strength::Proof);
    let witness = proof.witness.as_ref().unwrap();
    assert!(witness.holds());
    assert_eq!((witness.replays, witness.folder.as_str()), (3, "witnesses/patch/witness-1"));
    let exhibit = proof.exhibit.as_ref().unwrap();
    assert_eq!((exhibit.expected.as_str(), exhibit.actual.as_str()), ("true", "false"));
    assert_eq!(exhibit.buggy.as_deref(), Some("true"));
    assert_eq!(tried.refuted.effort.ended, Some(SearchEnd::Found));
    assert_eq!((tried.written, tried.last.unwrap().steps.len()), (1, 2));
    assert!(tried.refuted.inputs.inputs.len() > 1, "the witness and the seeds are worth keeping");
}

#[test]
fn what_is_met_when_the_time_is_up_is_not_looked_into() {
    let slow: Program = |call| {
        std::thread::sleep(Duration::from_millis(2));
        wrong_above_500(call)
    };
    let roles = [VersionRole::Reference, VersionRole::Patched, VersionRole::Buggy];
    let budget = Budget::Time(Duration::from_millis(1));
    let tried =
        ask_within(budget, Question::Reference, &roles, &Delta::default(), slow, holds, false).unwrap();
    assert_eq!(tried.written, 0);
    tried.dismissed("out-of-time");
}

#[test]
fn nothing_is_run_for_what_is_met_when_the_time_is_up() {
    let hangs: Program = |call| {
        std::thread::sleep(Duration::from_millis(2));
        if call.version == 1 { Does::BreaksDown(Breakdown::Timeout) } else { right(call) }
    };
    let roles = [VersionRole::Reference, VersionRole::Patched, VersionRole::Buggy];
    let budget = Budget::Time(Duration::from_millis(1));
    let tried =
        ask_within(budget, Question::Reference, &roles, &Delta::default(), hangs, holds, false).unwrap();
    tried.dismissed("out-of-time");
    assert_eq!(tried.looks, 0);
}

#[test]
fn versions_that_do_the_same_are_searched_to_the_end_of_the_budget() {
    let tried = tried(right, holds);
    assert!(tried.refuted.evidence.is_empty());
    assert_eq!(tried.written, 0);
    let effort = &tried.refuted.effort;
    assert_eq!((effort.ended, effort.differing), (Some(SearchEnd::Budget), 0));
    assert!(effort.discarded.is_empty());
}

#[test]
fn a_difference_that_shows_only_once_does_not_refute() {
    fn first_time(call: Call) -> Does {
        if call.version == 1 && call.before == 0 { Does::Returns(call.value >= 1000) } else { right(call) }
    }
    let tried = tried(first_time, holds);
    tried.dismissed("flaky");
    assert_eq!(tried.written, 0);
}

#[test]
fn a_difference_that_only_the_state_of_earlier_inputs_makes_does_not_refute() {
    fn unless_fresh(call: Call) -> Does {
        if call.fresh { right(call) } else { wrong_above_500(call) }
    }
    let tried = tried(unless_fresh, holds);
    tried.dismissed("flaky");
    assert_eq!(tried.written, 0);
}

#[test]
fn a_version_that_wavers_in_fresh_state_does_not_refute() {
    fn wavers(call: Call, which: u32) -> Does {
        let odd = call.fresh && call.version == which && call.before % 2 == 1;
        match wrong_above_500(call) {
            Does::Returns(result) => Does::Returns(result != odd),
            other => other,
        }
    }
    let patched = tried(|call| wavers(call, 1), holds);
    patched.dismissed("flaky");
    assert_eq!(patched.written, 0);
    let reference = tried(|call| wavers(call, 0), holds);
    reference.dismissed("flaky");
    assert_eq!(reference.written, 0);
    // What the buggy version does is shown, and decides nothing.
    assert_eq!(tried(|call| wavers(call, 2), holds).proofs().len(), 1);
}

#[test]
fn a_witness_that_does_not_hold_every_time_does_not_refute() {
    let endings: [WitnessEnds; 5] = [
        || Ok(replays([(true, false), (true, true), (true, false)])),
        || Ok(replays([(true, false), (true, false), (false, false)])),
        || Ok(replays([(true, true); 3])),
        || Ok(replays([(true, false); 3]).split_off(3)),
        || Ok(Vec::new()),
    ];
    for witness in endings {
        let tried = tried(wrong_above_500, witness);
        tried.dismissed("not-reproduced");
        assert!(tried.written > 0);
    }
}

#[test]
fn a_place_whose_witnesses_do_not_hold_is_not_tried_for_ever() {
    let tried = tried(wrong_above_500, || Ok(Vec::new()));
    assert!((1..=2 * ATTEMPTS).contains(&tried.written), "{}", tried.written);
    assert_eq!(tried.refuted.effort.inputs, 600);
}

#[test]
fn what_cannot_be_written_down_is_set_aside_with_the_reason() {
    let cannot =
        tried(wrong_above_500, || Err(WitnessError::NotExpressible("no name for a lambda".to_owned())));
    let example = cannot.dismissed("not-expressible");
    assert!(example.contains("no name for a lambda") && example.contains("assert"), "{example}");
    let broken = tried(wrong_above_500, || Err(WitnessError::DoesNotCompile("1 error".to_owned())));
    assert!(broken.dismissed("not-expressible").contains("does not compile: 1 error"));
}

#[test]
fn a_fault_of_the_machine_while_writing_is_no_judgement() {
    let failing = || Err(WitnessError::Lang(LangError::Internal("disk full".to_owned())));
    let error = attempt(wrong_above_500, failing, false).err().unwrap();
    assert!(error.to_string().contains("disk full"));
}

const REJECTS: &str = "java.lang.IllegalArgumentException";

/// Each with why it does not count.
const REMARKS_ONLY: [(&str, Program); 4] = [
    ("exception-message", |call| match call.version {
        _ if call.value < 500 => right(call),
        1 => Does::Throws(REJECTS, "too large"),
        _ => Does::Throws(REJECTS, "not below 500"),
    }),
    ("unusual-sign", |call| Does::Returns(call.version == 1 && call.value < 0)),
    ("extreme-number", |call| Does::Returns(call.version == 1 && call.value > 1 << 30)),
    ("reference-rejects", |call| match call.version {
        0 if call.value >= 500 => Does::Throws("java.lang.NullPointerException", ""),
        _ => right(call),
    }),
];

#[test]
fn remarks_are_shown_and_never_refute() {
    for (reason, program) in REMARKS_ONLY {
        let tried = tried(program, holds);
        tried.dismissed(reason);
        assert_eq!(tried.written, 0, "{reason}");
        let shown = tried.refuted.evidence.iter().find(|found| found.reason.as_deref() == Some(reason));
        let shown = shown.unwrap_or_else(|| panic!("{reason}: {:#?}", tried.refuted.evidence));
        assert_eq!((shown.strength, &shown.witness), (Strength::Remark, &None));
    }
}

#[test]
fn under_strict_rules_a_remark_with_a_witness_refutes() {
    for (reason, program) in REMARKS_ONLY {
        assert_eq!(attempt(program, holds, true).unwrap().proofs().len(), 1, "{reason}");
    }
    let unheld = attempt(REMARKS_ONLY[0].1, || Ok(Vec::new()), true).unwrap();
    unheld.dismissed("not-reproduced");
}

#[test]
fn a_patched_version_that_never_ends_is_refuted_and_a_reference_that_never_ends_is_no_measure() {
    fn hangs(call: Call, which: u32) -> Does {
        let large = call.version == which && call.value > 500;
        if large { Does::BreaksDown(Breakdown::Timeout) } else { right(call) }
    }
    let patched = tried(|call| hangs(call, 1), holds);
    let [proof] = patched.proofs()[..] else { panic!("{:#?}", patched.refuted.evidence) };
    assert_eq!(proof.exhibit.as_ref().unwrap().class, DifferenceClass::Timeout);
    let reference = tried(|call| hangs(call, 0), holds);
    assert!(reference.refuted.evidence.is_empty(), "{:#?}", reference.refuted.evidence);
    assert!(reference.refuted.effort.broke_down > 0);
    // Once is not enough.
    let sometimes: Program = |call| if call.fresh { right(call) } else { hangs(call, 1) };
    tried(sometimes, holds).dismissed("flaky");
}

/// The buggy version runs well everywhere, and the patched one ends so from 600 on.
fn new_failures(delta: &Delta, program: Program) -> Tried {
    #[expect(clippy::unnecessary_wraps, reason = "others give errors")]
    fn holds_on_buggy() -> Result<Vec<Replay>, WitnessError> {
        let of = |role, passed| Replay { role, passed, message: None, otherwise: false };
        Ok((0..3).flat_map(|_| [of(VersionRole::Buggy, true), of(VersionRole::Patched, false)]).collect())
    }
    let roles = [VersionRole::Buggy, VersionRole::Patched];
    ask(Question::NewFailures, &roles, delta, program, holds_on_buggy, false).unwrap()
}

fn fails_from_600(call: Call) -> Does {
    match (call.version, call.value) {
        (1, 600..) => Does::Throws("java.lang.ArithmeticException", "/ by zero"),
        _ => right(call),
    }
}

#[test]
fn a_new_failure_is_heuristic_evidence_with_a_witness() {
    let tried = new_failures(&Delta::default(), fails_from_600);
    let [found] = tried.proofs()[..] else { panic!("{:#?}", tried.refuted.evidence) };
    assert_eq!((found.technique.as_str(), found.strength), ("new-failures", Strength::Heuristic));
    assert!(found.witness.as_ref().is_some_and(|witness| witness.holds() && witness.oracle == "failure"));
    assert!(found.summary.contains("in the buggy version"), "{}", found.summary);
    let folder = found.witness.as_ref().map(|witness| witness.folder.as_str());
    assert_eq!(
        folder,
        Some("witnesses/patch-new-failures/witness-1"),
        "beside what RGT finds, not in its place"
    );
    assert_eq!(
        bonafix_judge::combine(&tried.refuted.evidence, &[]).outcome,
        bonafix_model::Outcome::Suspicious
    );
}

#[test]
fn a_hang_is_a_new_failure() {
    let tried = new_failures(&Delta::default(), |call| match (call.version, call.value) {
        (1, 600..) => Does::BreaksDown(Breakdown::Timeout),
        _ => right(call),
    });
    let [found] = tried.proofs()[..] else { panic!("{:#?}", tried.refuted.evidence) };
    assert_eq!(found.exhibit.as_ref().map(|exhibit| exhibit.class), Some(DifferenceClass::Timeout));
}

#[test]
fn what_a_patch_is_for_is_no_new_failure() {
    let other_value: Program = wrong_above_500;
    let documented: Program = |call| match (call.version, call.value) {
        (1, 600..) => Does::Throws("java.util.NoSuchElementException", "too large"),
        _ => right(call),
    };
    let rejection: Program = |call| match (call.version, call.value) {
        (1, 600..) => Does::Throws("java.lang.UnsupportedOperationException", "too large"),
        _ => right(call),
    };
    let failed_before: Program = |call| match (call.version, call.value) {
        (0, 600..) => Does::Throws("java.lang.NullPointerException", ""),
        (_, 600..) => Does::Throws("java.lang.ArithmeticException", "/ by zero"),
        _ => right(call),
    };
    for program in [other_value, documented, rejection, failed_before] {
        let tried = new_failures(&Delta::default(), program);
        assert!(tried.refuted.evidence.is_empty(), "{:#?}", tried.refuted.evidence);
        assert_eq!(tried.written, 0);
    }
}

#[test]
fn what_the_patch_throws_itself_is_no_new_failure() {
    let statement = Statement {
        kind: "throw_statement".to_owned(),
        lines: LineRange { first: 3, last: 3 },
        extent: None,
        text: "throw new ArithmeticException(\"/ by zero\");".to_owned(),
    };
    let element = DeltaElement {
        kind: ElementKind::Method,
        change: ChangeKind::Changed,
        name: "p.Limit#below(int)".to_owned(),
        owner: "p.Limit".to_owned(),
        member: "below".to_owned(),
        parameters: vec!["int".to_owned()],
        renamed: None,
        before: None,
        after: None,
        signature_changed: false,
        only_nested: false,
        statements_before: Vec::new(),
        statements_after: vec![statement],
        statement_pairs: Vec::new(),
    };
    let file = DeltaFile {
        path: "p/Limit.java".into(),
        syntactic_distance: None,
        change: ChangeKind::Changed,
        elements: vec![element],
        alignment: LineAlignment::default(),
        problem: None,
    };
    let tried = new_failures(&Delta { files: vec![file] }, fails_from_600);
    assert!(tried.refuted.evidence.is_empty(), "{:#?}", tried.refuted.evidence);
}
