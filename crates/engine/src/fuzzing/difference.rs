//! RGT on programs: from an input on which the patched version differs from the reference to a proof.

use std::time::{Duration, Instant};

use bonafix_generate::{Allowance, minimise_bytes};
use bonafix_judge::opad;
use bonafix_judge::programs::{self, ProgramRemark};
use bonafix_lang::{Campaign, LangError, Shown, Watch};
use bonafix_model::{DifferenceClass, Evidence, Execution, ProgramInput, VersionRole};

use super::PATCHED;
use super::trial::{Accuser, Claim, Dismissal, Ruling, Trial};
use super::writing::Draft;

/// How often a difference must be seen again, and its witness run, on each version.
const REPETITIONS: u32 = 3;
/// And how often an execution without an end, which takes to its limit each time.
const REPETITIONS_OF_HANG: u32 = 2;
/// Inputs that making one smaller may cost.
const MINIMISING: u64 = 250;
/// What is found when the time is almost up is still made smaller for so long.
const LAST_MINUTE: Duration = Duration::from_secs(5);
/// The version that is taken for right.
const RIGHT: u32 = 0;

/// A difference that was the same each time.
struct Confirmed {
    claim: Claim,
    reference: Execution,
    /// What the buggy version does, where it ends alike each time.
    buggy: Option<String>,
}

impl Trial<'_> {
    /// Compares what users see of the reference and of the patched version.
    pub(super) fn look_for_difference(
        &mut self,
        input: &ProgramInput,
        campaign: &mut dyn Campaign,
    ) -> Result<(), LangError> {
        let ruling = self.compare(input, campaign)?;
        let Some(claim) = self.weigh(Accuser::Rgt, input, ruling) else { return Ok(()) };
        let proved = self.prove_difference(input, &claim, campaign)?;
        self.settle(Accuser::Rgt, &claim, proved);
        Ok(())
    }

    fn compare(&self, input: &ProgramInput, campaign: &mut dyn Campaign) -> Result<Ruling, LangError> {
        let reference = campaign.execute(input, RIGHT, Watch::Plain)?;
        let patched = as_tests_see_it(&reference, campaign.execute(input, PATCHED, Watch::Plain)?, campaign)?;
        Ok(self.rule_difference(&reference, &patched))
    }

    fn prove_difference(
        &mut self,
        input: &ProgramInput,
        claim: &Claim,
        campaign: &mut dyn Campaign,
    ) -> Result<Result<Evidence, Dismissal>, LangError> {
        let flaky = || Dismissal::new("flaky", &claim.summary);
        let odd = |remark: ProgramRemark| Dismissal::of_odd_input(remark.key(), &claim.summary);
        let times = repetitions(claim);
        if self.confirm_difference(input, times, campaign)?.is_none() {
            return Ok(Err(flaky()));
        }
        if self.reference_is_faulty(input, campaign)? {
            return Ok(Err(odd(ProgramRemark::ReferenceFails)));
        }
        let small = self.smaller(input, claim, campaign, |trial, candidate, campaign| {
            trial.compare(candidate, campaign)
        })?;
        // What was made smaller may have become something else; then the input as it was found has to do.
        let candidates = if small == *input { vec![small] } else { vec![small, input.clone()] };
        let mut dismissal = flaky();
        for candidate in candidates {
            let Some(confirmed) = self.confirm_difference(&candidate, times, campaign)? else { continue };
            if self.reference_is_faulty(&candidate, campaign)? {
                dismissal = odd(ProgramRemark::ReferenceFails);
                continue;
            }
            self.telling.push(candidate.clone());
            let Confirmed { claim, reference, buggy } = confirmed;
            let draft = Draft {
                input: &candidate,
                claim: &claim,
                shown: Shown::Differs(&reference),
                right: VersionRole::Reference,
                oracle: "reference",
                repetitions: times,
            };
            match self.write(Accuser::Rgt, &draft)? {
                Ok(mut evidence) => {
                    if let Some(exhibit) = &mut evidence.exhibit {
                        exhibit.buggy = buggy;
                    }
                    return Ok(Ok(evidence));
                }
                Err(other) => dismissal = other,
            }
        }
        Ok(Err(dismissal))
    }

    /// Sees it again in fresh processes, the versions taking turns; none if it is not the same each time.
    fn confirm_difference(
        &self,
        input: &ProgramInput,
        repetitions: u32,
        campaign: &mut dyn Campaign,
    ) -> Result<Option<Confirmed>, LangError> {
        let buggy_number = self.fuzzing.number_of(VersionRole::Buggy);
        let (mut references, mut patched, mut buggy) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..repetitions {
            let reference = campaign.execute(input, RIGHT, Watch::Plain)?;
            let other = campaign.execute(input, PATCHED, Watch::Plain)?;
            patched.push(as_tests_see_it(&reference, other, campaign)?);
            references.push(reference);
            if let Some(number) = buggy_number {
                buggy.push(campaign.execute(input, number, Watch::Plain)?);
            }
        }
        let Some(Ruling::Counts(claim)) = self.rule_runs(&references, &patched) else { return Ok(None) };
        let steady = programs::steady(&references, &buggy);
        let buggy = steady.map(|(reference, buggy)| match self.rule_difference(&reference, &buggy) {
            Ruling::Same => claim.expected.clone(),
            Ruling::Counts(other) | Ruling::Hints(other) | Ruling::Remark { claim: other, .. } => {
                other.actual
            }
        });
        Ok(references.into_iter().next().map(|reference| Confirmed { claim, reference, buggy }))
    }

    /// Does a detector notice something wrong in the reference itself? What comes of that is nothing to go by, however
    /// often it is the same.
    fn reference_is_faulty(
        &self,
        input: &ProgramInput,
        campaign: &mut dyn Campaign,
    ) -> Result<bool, LangError> {
        for watch in [Watch::Sanitizers, Watch::Valgrind] {
            if self.can_watch(watch) && !opad::survives(&campaign.execute(input, RIGHT, watch)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The least input found that shows the same sort of thing.
    pub(super) fn smaller(
        &self,
        input: &ProgramInput,
        claim: &Claim,
        campaign: &mut dyn Campaign,
        rule: impl Fn(&Self, &ProgramInput, &mut dyn Campaign) -> Result<Ruling, LangError>,
    ) -> Result<ProgramInput, LangError> {
        let arguments = &input.arguments;
        let mut still = |bytes: &[u8]| {
            let candidate = ProgramInput { arguments: arguments.clone(), bytes: bytes.to_vec() };
            Ok(match rule(self, &candidate, campaign)? {
                Ruling::Counts(other) | Ruling::Hints(other) => other.sort == claim.sort,
                Ruling::Same | Ruling::Remark { .. } => false,
            })
        };
        let inputs = if claim.class == DifferenceClass::Timeout { MINIMISING / 20 } else { MINIMISING };
        let until = self.deadline.map(|deadline| deadline.max(Instant::now() + LAST_MINUTE));
        let bytes = minimise_bytes::<LangError>(&input.bytes, &mut still, Allowance { inputs, until })?;
        Ok(ProgramInput { arguments: arguments.clone(), bytes })
    }
}

/// What a version did, with the output that is expected in place of its own where the developers' tests take one for the
/// other.
fn as_tests_see_it(
    reference: &Execution,
    patched: Execution,
    campaign: &mut dyn Campaign,
) -> Result<Execution, LangError> {
    let differs = reference.end == patched.end && reference.stdout != patched.stdout;
    if differs && campaign.takes_for_same(&reference.stdout, &patched.stdout)? {
        return Ok(Execution { stdout: reference.stdout.clone(), ..patched });
    }
    Ok(patched)
}

fn repetitions(claim: &Claim) -> u32 {
    if claim.class == DifferenceClass::Timeout { REPETITIONS_OF_HANG } else { REPETITIONS }
}
