//! RGT on one patch: search for inputs, judge what they show, and make a witness of what counts.
//!
//! `generate` proposes inputs, the language runs them, `judge` says what a difference is worth. What counts is made small,
//! seen again in fresh state, written as a file for people, and run from there outside of the search. Only then it refutes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bonafix_generate::{Finding, Reaction, Search, SearchOptions, SearchReport, SearchState};
use bonafix_judge::Discards;
use bonafix_judge::rgt::{self, Claim, RemarkReason, RgtOptions, Ruling};
use bonafix_lang::{
    Behaviour, Explore, ExploreRequest, Explored, ExploredVersion, LangError, Run, RunScope, WitnessDraft,
    WitnessError, WrittenWitness,
};
use bonafix_model::{
    Access, Breakdown, CallableId, Catalog, Confirmation, Difference, DifferenceClass, Effort, Element,
    Ending, Event, Evidence, Exhibit, InputSet, Knowledge, Literal, Location, Notice, Observation, Ran,
    Sequence, SequenceOutcome, Slot, Step, Strength, TestId, Tolerance, VersionRole, Witness, compare,
    covered,
};
use camino::Utf8Path;

use crate::judging::JudgingOptions;
use crate::session::Session;

#[cfg(test)]
mod tests;

/// The name in reports.
const TECHNIQUE: &str = rgt::NAME;
/// Versions in which the search runs inputs: the reference and the patched one.
const JUDGED: [u32; 2] = [0, 1];
/// How often a difference must be seen again, in fresh state.
const CONFIRMATIONS: u32 = 3;
/// How often a witness is run on each version, outside of the search.
const REPLAYS: u32 = 3;
/// Inputs that making one smaller may cost.
const MINIMISING: u64 = 4000;
/// A place whose differences came to nothing so often is not looked at again.
const ATTEMPTS: u32 = 3;
/// In all.
const ALL_ATTEMPTS: u32 = 12;
/// A private field is looked at more closely so often, and then ever more seldom.
const LOOKS: u32 = 4;
/// Remarks that are kept to be shown.
const REMARKS: usize = 8;
/// Inputs without news after which a search has nothing left.
const PATIENCE: u64 = 120_000;
/// Inputs of earlier patches that are run on a further one.
const KEPT: usize = 1500;
/// Values of one input that are looked at more closely.
const LOOKED_AT: usize = 3;
/// Between two words on how it goes.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// One patch, to be refuted.
pub(crate) struct Refutation<'a> {
    pub(crate) explorer: &'a dyn Explore,
    pub(crate) session: &'a Session<'a>,
    /// Name of the patch's files in the run directory.
    pub(crate) folder: &'a str,
    /// Reference, patched, buggy.
    pub(crate) versions: &'a [ExploredVersion<'a>; 3],
    pub(crate) failing: &'a [TestId],
    pub(crate) passing: &'a [TestId],
    pub(crate) options: &'a JudgingOptions,
    /// Inputs of earlier patches.
    pub(crate) kept: &'a [InputSet],
    pub(crate) log: &'a Utf8Path,
}

/// What came of it.
pub(crate) struct Refuted {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) effort: Effort,
    pub(crate) inputs: InputSet,
    pub(crate) notices: Vec<Notice>,
    /// From the start to the first input that had run.
    pub(crate) first_input: Option<Duration>,
}

impl Refutation<'_> {
    pub(crate) fn carry_out(&self) -> Result<Refuted, LangError> {
        let started = Instant::now();
        let request = ExploreRequest {
            versions: self.versions,
            failing: self.failing,
            passing: self.passing,
            heap_mib: self.options.heap_mib,
        };
        let Explored { mut run, knowledge, notices } = self.explorer.explore(&request, self.log)?;
        let catalog = run.catalog().clone();
        let goals = run.goals().to_vec();
        let options = SearchOptions {
            seed: self.options.seed,
            budget: self.options.budget,
            scope: judged_scope(),
            patience: PATIENCE,
            kept: self.kept_inputs(&catalog),
        };
        let mut trial = Trial {
            refutation: self,
            catalog: &catalog,
            knowledge: knowledge.clone(),
            promises_known: false,
            options: RgtOptions { strict: self.options.strict, ..RgtOptions::default() },
            discards: Discards::default(),
            remarks: BTreeMap::new(),
            failed: BTreeMap::new(),
            looks: BTreeMap::new(),
            attempts: 0,
            proof: None,
            telling: Vec::new(),
        };
        let mut first_input = None;
        let mut told = Instant::now();
        let report = Search::new(&knowledge, &catalog, &goals, options).run(
            run.as_mut(),
            &mut |finding, run| trial.consider(finding, run),
            &mut |state| {
                first_input.get_or_insert_with(|| started.elapsed());
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    self.tell(state);
                }
            },
        )?;
        Ok(trial.close(report, notices, first_input))
    }

    fn tell(&self, state: &SearchState) {
        // Progress is for the eyes, and not recorded.
        (self.session.on_event)(&Event::SearchProgress {
            inputs: state.inputs,
            reached: state.reached,
            open_goals: state.open_goals,
            nearest: state.best_distance,
            differing: state.differing,
        });
    }

    fn kept_inputs(&self, catalog: &Catalog) -> Vec<Sequence> {
        let mut inputs = InputSet::merged(self.kept).resolve(catalog);
        inputs.truncate(KEPT);
        inputs
    }
}

fn judged_scope() -> RunScope {
    RunScope { versions: JUDGED.to_vec(), show_all: false }
}

/// What one version did with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    Observed(Box<Observation>),
    BrokeDown(Breakdown),
}

impl Seen {
    fn behaviour(&self) -> Behaviour<'_> {
        match self {
            Self::Observed(observation) => Behaviour::Observed(observation),
            Self::BrokeDown(breakdown) => Behaviour::BrokeDown(*breakdown),
        }
    }

    fn of(confirmation: &Confirmation) -> Self {
        match confirmation {
            Confirmation::Stable(observation) => Self::Observed(observation.clone()),
            Confirmation::Failed(breakdown) => Self::BrokeDown(*breakdown),
            Confirmation::Unstable { observations } => Self::Observed(Box::new(observations[0].clone())),
        }
    }

    /// Without what is not the same each time in one of the versions; none if nothing is left to compare.
    fn covered(self, wavering: &[Difference]) -> Option<Self> {
        Some(match self {
            Self::Observed(observation) => Self::Observed(Box::new(covered(&observation, wavering)?)),
            broke_down @ Self::BrokeDown(_) => broke_down,
        })
    }

    fn observed(&self) -> Option<&Observation> {
        match self {
            Self::Observed(observation) => Some(observation),
            Self::BrokeDown(_) => None,
        }
    }
}

/// The place and kind of a difference, and whether a call before it may have failed: attempts that came to nothing are counted by it.
type Key = (Option<CallableId>, DifferenceClass, bool);

/// The case against one patch.
struct Trial<'a> {
    refutation: &'a Refutation<'a>,
    catalog: &'a Catalog,
    knowledge: Knowledge,
    /// What tests promise about exceptions was found out.
    promises_known: bool,
    options: RgtOptions,
    discards: Discards,
    remarks: BTreeMap<RemarkReason, Evidence>,
    failed: BTreeMap<Key, u32>,
    /// How often one looked closer at a private field.
    looks: BTreeMap<(Option<CallableId>, Vec<String>), u32>,
    attempts: u32,
    proof: Option<Evidence>,
    /// Inputs that showed something, for further patches.
    telling: Vec<Sequence>,
}

impl Trial<'_> {
    /// Decides what an input on which the versions differ is worth.
    fn consider(&mut self, finding: &Finding, run: &mut dyn Run) -> Result<Reaction, LangError> {
        let Some((reference, patched)) = both(&finding.input, &finding.outcome, run)? else {
            return Ok(Reaction::Continue);
        };
        let mut ruling = self.rule(&finding.input, &reference, &patched);
        let rejected = matches!(&ruling, Ruling::Remark { reason: RemarkReason::ReferenceRejects, .. });
        if rejected && !self.promises_known {
            self.learn_promises(run)?;
            ruling = self.rule(&finding.input, &reference, &patched);
        }
        match ruling {
            Ruling::Same => Ok(Reaction::Continue),
            Ruling::Evidence(claim) => self.prosecute(&finding.input, &claim, run),
            Ruling::Remark { reason, claim } => {
                self.remark(reason, &finding.input, &claim);
                let hides_more = matches!(
                    reason,
                    RemarkReason::InternalState
                        | RemarkReason::ExceptionMessage
                        | RemarkReason::ExceptionPlace
                );
                match (hides_more, reference.observed(), patched.observed()) {
                    (true, Some(reference), Some(patched)) => {
                        self.look_closer(&finding.input, &claim, reference, patched, run)
                    }
                    // What is no behaviour has no better input nearby.
                    _ if !reason.is_difference() => Ok(Reaction::Continue),
                    _ => Ok(Reaction::Pursue),
                }
            }
        }
    }

    /// Finds out what the tests' own inputs say about exceptions. Not before it matters: an input that was run once has
    /// nothing new to tell the search.
    fn learn_promises(&mut self, run: &mut dyn Run) -> Result<(), LangError> {
        let inputs: Vec<Sequence> = self.knowledge.seeds.iter().map(|seed| seed.sequence.clone()).collect();
        let observations = in_reference(run, &inputs)?;
        self.knowledge.promised = rgt::promised_throws(&inputs, &observations, self.catalog, &self.knowledge);
        self.promises_known = true;
        Ok(())
    }

    fn rule(&self, input: &Sequence, reference: &Seen, patched: &Seen) -> Ruling {
        rgt::judge(
            input,
            self.catalog,
            &self.knowledge,
            reference.behaviour(),
            patched.behaviour(),
            &self.options,
        )
    }

    fn rule_on(&self, input: &Sequence, outcome: &SequenceOutcome) -> Ruling {
        match outcome {
            SequenceOutcome::Differs { observations, .. } if observations.len() == JUDGED.len() => {
                let seen = |number: usize| Seen::Observed(Box::new(observations[number].clone()));
                self.rule(input, &seen(0), &seen(1))
            }
            // It was run in the reference before, and came to an end there.
            SequenceOutcome::Failed { version, breakdown } if *version == JUDGED[1] => {
                let ended = Observation { steps: Vec::new(), ending: Ending::Completed };
                self.rule(input, &Seen::Observed(Box::new(ended)), &Seen::BrokeDown(*breakdown))
            }
            _ => Ruling::Same,
        }
    }

    /// Private state differs, of an object or of an exception: calls that a test could make may show it.
    fn look_closer(
        &mut self,
        input: &Sequence,
        claim: &Claim,
        reference: &Observation,
        patched: &Observation,
        run: &mut dyn Run,
    ) -> Result<Reaction, LangError> {
        let mut longer = Vec::new();
        let values = differing_values(reference, patched, &self.options.tolerance_for(&self.knowledge));
        if values.is_empty() {
            // Only the wording of an exception differs: there is nothing behind it.
            return Ok(Reaction::Continue);
        }
        if let Some(difference) = &claim.difference {
            let place = (key(input, claim).0, field_names(difference));
            let looks = self.looks.entry(place).or_default();
            *looks += 1;
            if *looks > LOOKS && !looks.is_power_of_two() {
                return Ok(Reaction::Pursue);
            }
        }
        for location in values {
            let thrown = reference.thrown_at(location.step).zip(patched.thrown_at(location.step));
            let thrown = thrown.map(|(exception, _)| exception.type_name.as_str());
            longer.extend(bonafix_generate::observers(input, &location, thrown, self.catalog));
        }
        if longer.is_empty() {
            return Ok(Reaction::Pursue);
        }
        let results = run.run(&longer, &judged_scope())?;
        for (input, ran) in longer.iter().zip(&results) {
            if let Ruling::Evidence(claim) = self.rule_on(input, &ran.outcome)
                && self.prosecute(input, &claim, run)? == Reaction::Stop
            {
                return Ok(Reaction::Stop);
            }
        }
        Ok(Reaction::Pursue)
    }

    fn remark(&mut self, reason: RemarkReason, input: &Sequence, claim: &Claim) {
        let known = self.remarks.contains_key(&reason);
        self.discards.add(reason.key(), || sentence(claim));
        if !known && self.remarks.len() < REMARKS && reason.is_difference() {
            let evidence = self.evidence(Strength::Remark, input, claim, None);
            let evidence = Evidence { reason: Some(reason.key().to_owned()), ..evidence };
            self.remarks.insert(reason, evidence);
        }
    }

    /// Tries to make a witness of a difference that counts.
    fn prosecute(
        &mut self,
        input: &Sequence,
        claim: &Claim,
        run: &mut dyn Run,
    ) -> Result<Reaction, LangError> {
        let place = key(input, claim);
        if self.failed.get(&place).is_some_and(|count| *count >= ATTEMPTS) || self.attempts >= ALL_ATTEMPTS {
            return Ok(Reaction::Continue);
        }
        if !self.shows_again(input, claim, run)? {
            self.discards.add("flaky", || sentence(claim));
            return Ok(Reaction::Continue);
        }
        self.attempts += 1;
        match self.prove(input, claim, run)? {
            Ok(evidence) => {
                self.proof = Some(evidence);
                Ok(Reaction::Stop)
            }
            Err(Dismissal { reason, example }) => {
                *self.failed.entry(place).or_default() += 1;
                self.discards.add(&reason, || example);
                Ok(Reaction::Pursue)
            }
        }
    }

    /// Is the difference the same when the input is simply run again? What hangs on the clock is not.
    fn shows_again(&self, input: &Sequence, claim: &Claim, run: &mut dyn Run) -> Result<bool, LangError> {
        let again = run.run(std::slice::from_ref(input), &judged_scope())?;
        Ok(again.first().is_some_and(|ran| match self.rule_on(input, &ran.outcome) {
            Ruling::Evidence(seen) => {
                claim.difference.is_none()
                    || (seen.expected, seen.actual) == (claim.expected.clone(), claim.actual.clone())
            }
            _ => false,
        }))
    }

    fn prove(
        &mut self,
        input: &Sequence,
        claim: &Claim,
        run: &mut dyn Run,
    ) -> Result<Result<Evidence, Dismissal>, LangError> {
        if self.confirm(input, run)?.is_none() {
            return Ok(Err(Dismissal::flaky(claim)));
        }
        let small = self.smaller(input, claim, run)?;
        // What was made smaller may have become something else; then the input as it was found has to do.
        let candidates = if small == *input { vec![small] } else { vec![small, input.clone()] };
        let mut dismissal = Dismissal::flaky(claim);
        for candidate in candidates {
            let Some(confirmed) = self.confirm(&candidate, run)? else { continue };
            if is_noise(&candidate, &confirmed, run)? {
                dismissal = Dismissal::new(RemarkReason::IllConditioned.key(), &confirmed.claim);
                continue;
            }
            if is_half_done(&candidate, &confirmed, run)? {
                dismissal = Dismissal::new("half-done", &confirmed.claim);
                continue;
            }
            self.telling.push(candidate.clone());
            match self.write(&candidate, &confirmed)? {
                Ok(evidence) => return Ok(Ok(evidence)),
                Err(other) => dismissal = other,
            }
        }
        Ok(Err(dismissal))
    }

    /// Sees it again, alone in fresh state; none if it is not the same each time, or does not count any more.
    fn confirm(&self, input: &Sequence, run: &mut dyn Run) -> Result<Option<Confirmed>, LangError> {
        let all = RunScope { versions: vec![0, 1, 2], show_all: true };
        let confirmations = run.confirm(input, CONFIRMATIONS, &all)?;
        let wavering: Vec<Difference> = confirmations.iter().take(JUDGED.len()).flat_map(wavering).collect();
        let mut seen = confirmations.iter().map(|confirmation| Seen::of(confirmation).covered(&wavering));
        let (Some(Some(reference)), Some(Some(patched))) = (seen.next(), seen.next()) else {
            return Ok(None);
        };
        let buggy = seen.next().flatten();
        Ok(match self.rule(input, &reference, &patched) {
            Ruling::Evidence(claim) => Some(Confirmed { reference, patched, buggy, claim }),
            _ => None,
        })
    }

    fn smaller(&self, input: &Sequence, claim: &Claim, run: &mut dyn Run) -> Result<Sequence, LangError> {
        let place = key(input, claim);
        let mut still = |candidate: &Sequence, ran: &Ran| match self.rule_on(candidate, &ran.outcome) {
            Ruling::Evidence(claim) => key(candidate, &claim) == place,
            _ => false,
        };
        // An input that never ends costs a second each time.
        let budget = if claim.difference.is_none() { MINIMISING / 20 } else { MINIMISING };
        bonafix_generate::minimise(input, run, &judged_scope(), &mut still, budget)
    }

    /// Writes it down for people, and runs it from there.
    fn write(
        &self,
        input: &Sequence,
        confirmed: &Confirmed,
    ) -> Result<Result<Evidence, Dismissal>, LangError> {
        let refutation = self.refutation;
        let parent = refutation.session.run.make_witness_folder(refutation.folder);
        let folder = parent.map_err(|error| LangError::Internal(error.to_string()))?.join("witness-1");
        let draft = WitnessDraft {
            catalog: self.catalog,
            input,
            class: confirmed.claim.class,
            difference: confirmed.claim.difference.as_ref(),
            reference: confirmed.reference.behaviour(),
            patched: confirmed.patched.behaviour(),
            precision: self.options.tolerance_for(&self.knowledge).relative,
            versions: refutation.versions,
            repetitions: REPLAYS,
        };
        let written = match refutation.explorer.write_witness(&draft, &folder, refutation.log) {
            Ok(written) => written,
            Err(WitnessError::Lang(error)) => return Err(error),
            Err(other) => {
                tracing::debug!(%other, "no witness could be written");
                let example = format!("{}: {other}", sentence(&confirmed.claim));
                return Ok(Err(Dismissal { reason: "not-expressible".to_owned(), example }));
            }
        };
        let confirmations = confirmations(&written);
        if confirmations < REPLAYS {
            tracing::debug!(?written.replays, "a witness did not hold");
            return Ok(Err(Dismissal::new("not-reproduced", &confirmed.claim)));
        }
        let run = refutation.session.run.path();
        let witness = Witness {
            folder: folder.strip_prefix(run).unwrap_or(&folder).to_owned(),
            oracle: "reference".to_owned(),
            replays: REPLAYS,
            confirmed: confirmations,
        };
        let mut evidence = self.evidence(Strength::Proof, input, &confirmed.claim, Some(&written));
        if let Some(exhibit) = &mut evidence.exhibit {
            exhibit.buggy = self.shown_in_buggy(input, confirmed);
        }
        Ok(Ok(Evidence { witness: Some(witness), ..evidence }))
    }

    /// What the buggy version does, for people: the same as the reference, or something else.
    fn shown_in_buggy(&self, input: &Sequence, confirmed: &Confirmed) -> Option<String> {
        let buggy = confirmed.buggy.as_ref()?;
        Some(match self.rule(input, &confirmed.reference, buggy) {
            Ruling::Same => confirmed.claim.expected.clone(),
            Ruling::Evidence(claim) | Ruling::Remark { claim, .. } => claim.actual,
        })
    }

    fn evidence(
        &self,
        strength: Strength,
        input: &Sequence,
        claim: &Claim,
        written: Option<&WrittenWitness>,
    ) -> Evidence {
        let lines = written.map(|written| written.input.clone());
        let input = lines.unwrap_or_else(|| self.refutation.explorer.render(self.catalog, input));
        let what = written.map(|written| written.what.clone());
        let place = claim.difference.as_ref().map(|difference| difference.location.to_string());
        let what = what.or(place).unwrap_or_default();
        let summary = claim.sentence(&what);
        let exhibit = Exhibit {
            class: claim.class,
            input,
            what,
            expected: claim.expected.clone(),
            actual: claim.actual.clone(),
            buggy: None,
        };
        Evidence {
            technique: TECHNIQUE.to_owned(),
            strength,
            summary,
            reason: None,
            exhibit: Some(exhibit),
            witness: None,
        }
    }

    fn close(self, report: SearchReport, notices: Vec<Notice>, first_input: Option<Duration>) -> Refuted {
        let options = self.refutation.options;
        let effort = Effort {
            technique: TECHNIQUE.to_owned(),
            inputs: report.inputs,
            reached: report.reached,
            seeds: report.seeds,
            kept: report.kept,
            branches: report.branches,
            branches_taken: report.branches_taken,
            differing: report.differing,
            discarded: self.discards.into_discarded(),
            broke_down: report.broke_down,
            seed: options.seed,
            budget: options.budget.to_string(),
            ended: Some(report.ended),
        };
        let mut inputs = self.telling;
        inputs.extend(report.corpus);
        Refuted {
            evidence: self.proof.into_iter().chain(self.remarks.into_values()).collect(),
            effort,
            inputs: InputSet::new(self.catalog, &inputs),
            notices,
            first_input,
        }
    }
}

/// A difference that was seen again each time.
struct Confirmed {
    reference: Seen,
    patched: Seen,
    buggy: Option<Seen>,
    claim: Claim,
}

/// Why a difference that seemed to count does not.
struct Dismissal {
    reason: String,
    example: String,
}

impl Dismissal {
    fn new(reason: &str, claim: &Claim) -> Self {
        Self { reason: reason.to_owned(), example: sentence(claim) }
    }

    fn flaky(claim: &Claim) -> Self {
        Self::new("flaky", claim)
    }
}

/// What the reference does with inputs; none where it breaks down.
fn in_reference(run: &mut dyn Run, inputs: &[Sequence]) -> Result<Vec<Option<Observation>>, LangError> {
    let scope = RunScope { versions: vec![JUDGED[0]], show_all: true };
    let seen = run.run(inputs, &scope)?.into_iter().map(|ran| match ran.outcome {
        SequenceOutcome::Same { observation, .. } => observation.map(|boxed| *boxed),
        _ => None,
    });
    Ok(seen.collect())
}

/// What the reference and the patched version did; none if that cannot be told or says nothing.
fn both(
    input: &Sequence,
    outcome: &SequenceOutcome,
    run: &mut dyn Run,
) -> Result<Option<(Seen, Seen)>, LangError> {
    match outcome {
        SequenceOutcome::Differs { observations, .. } if observations.len() == JUDGED.len() => {
            let seen = |number: usize| Seen::Observed(Box::new(observations[number].clone()));
            Ok(Some((seen(0), seen(1))))
        }
        SequenceOutcome::Failed { version, breakdown } if *version == JUDGED[1] => {
            let seen = in_reference(run, std::slice::from_ref(input))?.pop().flatten();
            Ok(seen.map(|seen| (Seen::Observed(Box::new(seen)), Seen::BrokeDown(*breakdown))))
        }
        _ => Ok(None),
    }
}

fn sentence(claim: &Claim) -> String {
    let place = claim.difference.as_ref().map(|difference| difference.location.to_string());
    format!("({}) {}", claim.class.name(), claim.sentence(&place.unwrap_or_default()))
}

/// Where a version differs from itself.
fn wavering(confirmation: &Confirmation) -> Vec<Difference> {
    match confirmation {
        Confirmation::Unstable { observations } => {
            compare(&observations[0], &observations[1], &Tolerance::default())
        }
        _ => Vec::new(),
    }
}

/// How often the witness passed on the reference and failed on the patched version.
fn confirmations(written: &WrittenWitness) -> u32 {
    let of = |role: VersionRole| written.replays.iter().filter(move |replay| replay.role == role);
    let pairs = of(VersionRole::Reference).zip(of(VersionRole::Patched));
    let held = pairs.filter(|(reference, patched)| reference.passed && !patched.passed).count();
    u32::try_from(held).unwrap_or_default()
}

/// The fields on the way to a difference, by name.
fn field_names(difference: &Difference) -> Vec<String> {
    let names = difference.location.path.iter().filter_map(|access| match access {
        Access::Field { name, .. } => Some(name.clone()),
        _ => None,
    });
    names.collect()
}

/// What attempts that came to nothing are counted by.
fn key(input: &Sequence, claim: &Claim) -> Key {
    let step = claim.difference.as_ref().map(|difference| difference.location.step);
    let callable = match step.and_then(|step| input.steps.get(step as usize)) {
        Some(Step::Call { callable, .. }) => Some(*callable),
        // Of a version that broke down nobody knows in which call.
        _ => None,
    };
    let is_caught = |step: &Step| matches!(step, Step::Call { caught: true, .. });
    (callable, claim.class, input.steps.iter().any(is_caught))
}

/// The values that differ, each once, by the first difference in it.
fn differing_values(reference: &Observation, patched: &Observation, tolerance: &Tolerance) -> Vec<Location> {
    let mut found: Vec<Location> = Vec::new();
    for difference in compare(reference, patched, tolerance) {
        let location = difference.location;
        let is_value = location.element != Element::Exception || !location.path.is_empty();
        let known = |other: &Location| (other.step, other.element) == (location.step, location.element);
        if is_value && !found.iter().any(known) {
            found.push(location);
        }
    }
    found.truncate(LOOKED_AT);
    found
}

/// Does a call that fails in the reference leave something behind there, which shows in what is compared? Nobody promises
/// that, so another version may leave something else behind, or nothing.
fn is_half_done(input: &Sequence, confirmed: &Confirmed, run: &mut dyn Run) -> Result<bool, LangError> {
    let (Some(difference), Some(reference)) = (&confirmed.claim.difference, confirmed.reference.observed())
    else {
        return Ok(false);
    };
    let step = difference.location.step;
    let failing = reference.throwing_steps().filter(|throwing| *throwing < step);
    let without: Vec<Sequence> = failing.filter_map(|failing| without_call(input, failing, step)).collect();
    if without.is_empty() {
        return Ok(false);
    }
    let at = |observation: &Observation| {
        let seen = observation.steps.iter().find(|seen| seen.step == step);
        let value = match difference.location.element {
            Element::Receiver => seen.and_then(|seen| seen.receiver.clone()),
            _ => seen.and_then(|seen| seen.result.clone()),
        };
        (value, observation.thrown_at(step).map(|exception| exception.type_name.clone()))
    };
    let scope = RunScope { versions: vec![JUDGED[0]], show_all: true };
    let ran = run.run(&without, &scope)?;
    Ok(ran.into_iter().any(|ran| match ran.outcome {
        SequenceOutcome::Same { observation: Some(observation), .. } => at(&observation) != at(reference),
        _ => true,
    }))
}

/// The input up to a step, with nothing in place of a call and of all that needs it; none if the step itself does.
fn without_call(input: &Sequence, call: Slot, until: Slot) -> Option<Sequence> {
    let mut steps = input.steps[..=until as usize].to_vec();
    let mut gone = vec![call];
    for (step, number) in steps.iter_mut().zip(0..) {
        if number == call || step.uses().any(|used| gone.contains(&used)) {
            gone.push(number);
            *step = Step::Constant { type_name: "int".to_owned(), value: Literal::Integer(0) };
        }
    }
    (!gone.contains(&until)).then_some(Sequence { steps })
}

/// Does the reference itself waver as much when its input wavers in the last digit?
fn is_noise(input: &Sequence, confirmed: &Confirmed, run: &mut dyn Run) -> Result<bool, LangError> {
    let Confirmed { reference, patched, claim, .. } = confirmed;
    let (Some(difference), Some(reference), Some(patched)) =
        (&claim.difference, reference.observed(), patched.observed())
    else {
        return Ok(false);
    };
    let nudged = rgt::perturbed(input);
    if nudged.is_empty() {
        return Ok(false);
    }
    let around = in_reference(run, &nudged)?;
    Ok(rgt::within_noise(difference, reference, patched, &around))
}
