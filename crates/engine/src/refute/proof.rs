//! From a difference that counts to a proof: seen again in fresh state, made smaller, and no noise.

use std::time::{Duration, Instant};

use bonafix_generate::Allowance;
use bonafix_judge::rgt::{self, Claim, RemarkReason, Ruling};
use bonafix_lang::{LangError, Run, RunScope};
use bonafix_model::{
    Difference, Element, Evidence, Literal, Observation, Ran, Sequence, SequenceOutcome, Slot, Step,
};

use super::trial::{Trial, key};
use super::writing::sentence;
use super::{JUDGED, Question, judged_scope};
use crate::seen::{Seen, in_reference, wavering};

/// How often a difference must be seen again, in fresh state: two values drawn by lot are soon the same three times.
const CONFIRMATIONS: u32 = 6;
/// And how often a breakdown: nothing is drawn by lot there, and each that does not end takes to its limit.
const CONFIRMATIONS_OF_BREAKDOWN: u32 = 2;
/// How often a witness is run on each version, outside of the search.
const REPLAYS: u32 = 3;
/// And how often one whose input shows something that is never the same.
const REPLAYS_OF_UNSTABLE: u32 = 12;
/// Inputs that making one smaller may cost.
const MINIMISING: u64 = 4000;
/// Why what was found does not count when nothing more could be run for it.
pub(super) const OUT_OF_TIME: &str = "out-of-time";
/// What is found when the time is almost up is still made smaller for so long.
const LAST_MINUTE: Duration = Duration::from_secs(5);

/// A difference that was seen again each time.
pub(super) struct Confirmed {
    pub(super) reference: Seen,
    pub(super) patched: Seen,
    pub(super) buggy: Option<Seen>,
    pub(super) claim: Claim,
    /// How often its witness is to be run on each version.
    pub(super) replays: u32,
}

/// Why a difference that seemed to count does not.
pub(super) struct Dismissal {
    pub(super) reason: String,
    pub(super) example: String,
}

impl Dismissal {
    pub(super) fn new(reason: &str, claim: &Claim, question: Question) -> Self {
        Self { reason: reason.to_owned(), example: sentence(claim, question) }
    }
}

impl Trial<'_> {
    pub(super) fn prove(
        &mut self,
        input: &Sequence,
        claim: &Claim,
        run: &mut dyn Run,
    ) -> Result<Result<Evidence, Dismissal>, LangError> {
        let question = self.refutation.question;
        let repetitions = match claim.difference {
            Some(_) => CONFIRMATIONS,
            None => CONFIRMATIONS_OF_BREAKDOWN,
        };
        let until = self.deadline.map(|deadline| deadline.max(Instant::now() + LAST_MINUTE));
        if self.confirm(input, repetitions, until, run)?.is_none() {
            return Ok(Err(self.unconfirmed(claim)));
        }
        let small = self.smaller(input, claim, until, run)?;
        // What was made smaller may have become something else; then the input as it was found has to do.
        let candidates = if small == *input { vec![small] } else { vec![small, input.clone()] };
        let mut dismissal = None;
        for candidate in candidates {
            let Some(confirmed) = self.confirm(&candidate, repetitions, until, run)? else { continue };
            if self.leaves_numbers(&candidate, run)? {
                dismissal = Some(Dismissal::new(RemarkReason::NotFinite.key(), &confirmed.claim, question));
                continue;
            }
            if is_noise(&candidate, &confirmed, run)? {
                let reason = RemarkReason::IllConditioned.key();
                dismissal = Some(Dismissal::new(reason, &confirmed.claim, question));
                continue;
            }
            if is_half_done(&candidate, &confirmed, run)? {
                dismissal = Some(Dismissal::new("half-done", &confirmed.claim, question));
                continue;
            }
            self.telling.push(candidate.clone());
            match self.write(&candidate, &confirmed)? {
                Ok(evidence) => return Ok(Ok(evidence)),
                Err(other) => dismissal = Some(other),
            }
        }
        Ok(Err(dismissal.unwrap_or_else(|| self.unconfirmed(claim))))
    }

    /// What was not seen again: because it is not the same each time, or because the time was up before.
    fn unconfirmed(&self, claim: &Claim) -> Dismissal {
        let reason = if self.is_late() { OUT_OF_TIME } else { "flaky" };
        Dismissal::new(reason, claim, self.refutation.question)
    }

    fn all_versions(&self) -> Vec<u32> {
        (0..).take(self.refutation.versions.len()).collect()
    }

    /// Sees it again, alone in fresh state; none if it is not the same each time, or does not count any more.
    fn confirm(
        &self,
        input: &Sequence,
        repetitions: u32,
        until: Option<Instant>,
        run: &mut dyn Run,
    ) -> Result<Option<Confirmed>, LangError> {
        let all = RunScope { versions: self.all_versions(), show_all: true, until };
        let confirmations = run.confirm(input, repetitions, &all)?;
        let wavering: Vec<Difference> = confirmations.iter().take(JUDGED.len()).flat_map(wavering).collect();
        let mut seen = confirmations.iter().map(|confirmation| Seen::of(confirmation).covered(&wavering));
        let (Some(Some(reference)), Some(Some(patched))) = (seen.next(), seen.next()) else {
            return Ok(None);
        };
        let buggy = seen.next().flatten();
        Ok(match self.rule(input, &reference, &patched) {
            Ruling::Evidence(claim) => {
                let replays = if wavering.is_empty() { REPLAYS } else { REPLAYS_OF_UNSTABLE };
                Some(Confirmed { reference, patched, buggy, claim, replays })
            }
            _ => None,
        })
    }

    /// Does the changed code of the reference come upon something that is not a number, and does so with no input of a
    /// test? An argument outside of a function's domain is as good as a NaN that was passed, however finite it looks.
    pub(super) fn leaves_numbers(&mut self, input: &Sequence, run: &mut dyn Run) -> Result<bool, LangError> {
        let in_reference = RunScope { versions: vec![JUDGED[0]], show_all: false, ..RunScope::default() };
        let compared = |inputs: &[Sequence], run: &mut dyn Run| {
            let ran = run.run(inputs, &in_reference)?;
            Ok::<bool, LangError>(ran.iter().any(|ran| ran.feedback.compared_nan))
        };
        if self.options.strict || !compared(std::slice::from_ref(input), run)? {
            return Ok(false);
        }
        if self.tests_leave_numbers.is_none() {
            self.tests_leave_numbers = Some(compared(&self.knowledge.inputs_of_tests(), run)?);
        }
        Ok(self.tests_leave_numbers == Some(false))
    }

    fn smaller(
        &self,
        input: &Sequence,
        claim: &Claim,
        until: Option<Instant>,
        run: &mut dyn Run,
    ) -> Result<Sequence, LangError> {
        let place = key(input, claim);
        let mut still = |candidate: &Sequence, ran: &Ran| match self.rule_on(candidate, &ran.outcome) {
            Ruling::Evidence(claim) => key(candidate, &claim) == place,
            _ => false,
        };
        // An input that never ends costs a second each time.
        let inputs = if claim.difference.is_none() { MINIMISING / 20 } else { MINIMISING };
        bonafix_generate::minimise(input, run, &judged_scope(), &mut still, Allowance { inputs, until })
    }
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
    let scope = RunScope { versions: vec![JUDGED[0]], show_all: true, ..RunScope::default() };
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
