//! The case against one patch: what each difference is worth, and what became of those that counted.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bonafix_generate::{Finding, Observers, Reaction, SearchReport};
use bonafix_judge::Discards;
use bonafix_judge::rgt::{self, Claim, RemarkReason, RgtOptions, Ruling};
use bonafix_lang::{Behaviour, LangError, Run};
use bonafix_model::{
    CallableId, Catalog, DifferenceClass, Effort, Ending, Evidence, InputSet, Knowledge, Notice, Observation,
    Sequence, SequenceOutcome, Step, Strength,
};

use super::proof::{Dismissal, OUT_OF_TIME};
use super::writing::sentence;
use super::{JUDGED, Question, Refutation, Searched, judged_scope};
use crate::judging::deadline;
use crate::seen::{Seen, both, in_reference};

/// A place whose differences came to nothing so often is not looked at again.
pub(super) const ATTEMPTS: u32 = 3;
/// In all.
const ALL_ATTEMPTS: u32 = 12;
/// Remarks that are kept to be shown.
const REMARKS: usize = 8;

/// The place and kind of a difference, and whether a call before it may have failed: attempts that came to nothing are
/// counted by it.
type Key = (Option<CallableId>, DifferenceClass, bool);

/// The case against one patch.
pub(super) struct Trial<'a> {
    pub(super) refutation: &'a Refutation<'a>,
    pub(super) catalog: &'a Catalog,
    pub(super) knowledge: Knowledge,
    /// What tests promise about exceptions was found out.
    promises_known: bool,
    pub(super) options: RgtOptions,
    discards: Discards,
    remarks: BTreeMap<RemarkReason, Evidence>,
    failed: BTreeMap<Key, u32>,
    /// How often one looked closer at a private field.
    pub(super) looks: BTreeMap<(Option<CallableId>, Vec<String>), u32>,
    pub(super) observers: Observers<'a>,
    /// Whether an input of a test comes upon something that is not a number, once that was asked.
    pub(super) tests_leave_numbers: Option<bool>,
    attempts: u32,
    /// What is found later is not looked into any more; none with a number of inputs.
    pub(super) deadline: Option<Instant>,
    proof: Option<Evidence>,
    /// Inputs that showed something, for further patches.
    pub(super) telling: Vec<Sequence>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(refutation: &'a Refutation<'a>, catalog: &'a Catalog, knowledge: Knowledge) -> Self {
        Self {
            refutation,
            catalog,
            knowledge,
            promises_known: false,
            options: RgtOptions { strict: refutation.options.strict, ..RgtOptions::default() },
            discards: Discards::default(),
            remarks: BTreeMap::new(),
            failed: BTreeMap::new(),
            looks: BTreeMap::new(),
            observers: Observers::new(catalog),
            tests_leave_numbers: None,
            attempts: 0,
            deadline: deadline(refutation.budget, Instant::now()),
            proof: None,
            telling: Vec::new(),
        }
    }
}

impl Trial<'_> {
    /// Decides what an input on which the versions differ is worth.
    pub(super) fn consider(&mut self, finding: &Finding, run: &mut dyn Run) -> Result<Reaction, LangError> {
        if self.is_late() {
            self.note(finding);
            return Ok(Reaction::Continue);
        }
        let Some((reference, patched)) = both(&finding.input, &finding.outcome, run)? else {
            return Ok(Reaction::Continue);
        };
        let mut ruling = self.rule(&finding.input, &reference, &patched);
        // What tests expect of exceptions may make a difference count, and may explain a failure.
        let asks = match &ruling {
            Ruling::Remark { reason, .. } => *reason == RemarkReason::ReferenceRejects,
            Ruling::Evidence(_) => {
                self.refutation.question == Question::NewFailures || reference.observed().is_some_and(throws)
            }
            Ruling::Same => false,
        };
        if asks && !self.promises_known {
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

    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn too_late(&mut self, claim: &Claim) {
        let question = self.refutation.question;
        self.discards.add(OUT_OF_TIME, || sentence(claim, question));
    }

    /// What a batch brings when the time is up is told of, and nothing is run for it.
    fn note(&mut self, finding: &Finding) {
        match self.rule_on(&finding.input, &finding.outcome) {
            Ruling::Same => {}
            Ruling::Evidence(claim) => self.too_late(&claim),
            Ruling::Remark { reason, claim } => self.remark(reason, &finding.input, &claim),
        }
    }

    /// Finds out what the tests' own inputs say about exceptions. Not before it matters: an input that was run once has
    /// nothing new to tell the search.
    fn learn_promises(&mut self, run: &mut dyn Run) -> Result<(), LangError> {
        let inputs = self.knowledge.inputs_of_tests();
        let observations = in_reference(run, &inputs)?;
        self.knowledge.promised = rgt::promised_throws(&inputs, &observations, self.catalog, &self.knowledge);
        self.promises_known = true;
        Ok(())
    }

    pub(super) fn rule(&self, input: &Sequence, reference: &Seen, patched: &Seen) -> Ruling {
        self.rule_between(input, reference.behaviour(), patched.behaviour())
    }

    fn rule_between(&self, input: &Sequence, reference: Behaviour<'_>, patched: Behaviour<'_>) -> Ruling {
        let Self { catalog, knowledge, options, .. } = self;
        self.refutation.judge(input, catalog, knowledge, reference, patched, options)
    }

    pub(super) fn rule_on(&self, input: &Sequence, outcome: &SequenceOutcome) -> Ruling {
        match outcome {
            SequenceOutcome::Differs { observations, .. } if observations.len() == JUDGED.len() => {
                let seen = |number: usize| Behaviour::Observed(&observations[number]);
                self.rule_between(input, seen(0), seen(1))
            }
            // It was run in the reference before, and came to an end there.
            SequenceOutcome::Failed { version, breakdown } if *version == JUDGED[1] => {
                let ended = Observation { steps: Vec::new(), ending: Ending::Completed };
                self.rule_between(input, Behaviour::Observed(&ended), Behaviour::BrokeDown(*breakdown))
            }
            _ => Ruling::Same,
        }
    }

    fn remark(&mut self, reason: RemarkReason, input: &Sequence, claim: &Claim) {
        let question = self.refutation.question;
        let known = self.remarks.contains_key(&reason);
        self.discards.add(reason.key(), || sentence(claim, question));
        if !known && self.remarks.len() < REMARKS && reason.is_difference() {
            let evidence = self.evidence(Strength::Remark, input, claim, None);
            let evidence = Evidence { reason: Some(reason.key().to_owned()), ..evidence };
            self.remarks.insert(reason, evidence);
        }
    }

    /// Tries to make a witness of a difference that counts.
    pub(super) fn prosecute(
        &mut self,
        input: &Sequence,
        claim: &Claim,
        run: &mut dyn Run,
    ) -> Result<Reaction, LangError> {
        let question = self.refutation.question;
        let place = key(input, claim);
        if self.failed.get(&place).is_some_and(|count| *count >= ATTEMPTS) || self.attempts >= ALL_ATTEMPTS {
            return Ok(Reaction::Continue);
        }
        if self.is_late() {
            self.too_late(claim);
            return Ok(Reaction::Continue);
        }
        if !self.shows_again(input, claim, run)? {
            self.discards.add("flaky", || sentence(claim, question));
            return Ok(Reaction::Forget);
        }
        if self.leaves_numbers(input, run)? {
            self.discards.add(RemarkReason::NotFinite.key(), || sentence(claim, question));
            return Ok(Reaction::Continue);
        }
        self.attempts += 1;
        match self.prove(input, claim, run)? {
            Ok(evidence) => {
                self.proof = Some(evidence);
                Ok(Reaction::Stop)
            }
            Err(Dismissal { reason, example }) => {
                // What did not hang outside once will not another time, and each time takes long.
                let weight = if claim.difference.is_none() { ATTEMPTS } else { 1 };
                *self.failed.entry(place).or_default() += weight;
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

    pub(super) fn close(
        self,
        report: SearchReport,
        notices: Vec<Notice>,
        first_input: Option<Duration>,
    ) -> Searched {
        let options = self.refutation.options;
        let effort = Effort {
            technique: self.refutation.question.technique().to_owned(),
            inputs: report.inputs,
            reached: report.reached,
            seeds: report.seeds,
            kept: report.kept,
            branches: report.branches,
            branches_taken: report.branches_taken,
            differing: report.differing,
            discarded: self.discards.into_discarded(),
            broke_down: report.broke_down,
            o_measure: None,
            seed: options.seed,
            budget: self.refutation.budget.to_string(),
            ended: Some(report.ended),
        };
        let mut inputs = self.telling;
        inputs.extend(report.corpus.iter().cloned());
        Searched {
            evidence: self.proof.into_iter().chain(self.remarks.into_values()).collect(),
            effort,
            inputs: InputSet::new(self.catalog, &inputs),
            corpus: report.corpus,
            catalog: self.catalog.clone(),
            knowledge: self.knowledge,
            notices,
            first_input,
        }
    }
}

fn throws(observation: &Observation) -> bool {
    observation.throwing_steps().next().is_some()
}

/// What attempts that came to nothing are counted by.
pub(super) fn key(input: &Sequence, claim: &Claim) -> Key {
    let step = claim.difference.as_ref().map(|difference| difference.location.step);
    let callable = match step.and_then(|step| input.steps.get(step as usize)) {
        Some(Step::Call { callable, .. }) => Some(*callable),
        // Of a version that broke down nobody knows in which call.
        _ => None,
    };
    let is_caught = |step: &Step| matches!(step, Step::Call { caught: true, .. });
    (callable, claim.class, input.steps.iter().any(is_caught))
}
