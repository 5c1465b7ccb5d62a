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
/// So many inputs that nobody gives are made smaller, in case that what is odd about them has nothing to do with it.
const ODD_MINIMISED: u32 = 3;
/// What is found when the time is almost up is still made smaller for so long.
const LAST_MINUTE: Duration = Duration::from_secs(5);
/// The version that is taken for right.
const RIGHT: u32 = 0;

/// How an input is run in a version.
type RunOne = fn(&mut dyn Campaign, &ProgramInput, u32) -> Result<Execution, LangError>;

/// A difference that was the same each time.
struct Confirmed {
    claim: Claim,
    reference: Execution,
    /// Both versions came to an end by themselves. A crash is wrong whatever the input is.
    is_calm: bool,
    /// What the buggy version does, where it ends alike each time.
    buggy: Option<String>,
}

impl Trial<'_> {
    /// Compares what users see of the reference and of the patched version; `before` is how the search saw them differ.
    pub(super) fn look_for_difference(
        &mut self,
        input: &ProgramInput,
        before: Option<Claim>,
        campaign: &mut dyn Campaign,
    ) -> Result<(), LangError> {
        let (ruling, is_calm) = self.compare(input, fresh, campaign)?;
        if let (Ruling::Same, Some(claim)) = (&ruling, before) {
            self.note_vanished(&claim);
            return Ok(());
        }
        let usual = self.on_usual_input(&ruling, is_calm, input, campaign)?;
        let (input, ruling) = match &usual {
            Some((usual, claim)) => (usual, Ruling::Counts(claim.clone())),
            None => (input, self.set_aside(ruling, is_calm, input)),
        };
        let Some(claim) = self.weigh(Accuser::Rgt, input, ruling) else { return Ok(()) };
        let proved = self.prove_difference(input, &claim, campaign)?;
        self.settle(Accuser::Rgt, &claim, proved);
        Ok(())
    }

    /// What it is worth, and whether both versions came to an end by themselves.
    fn compare(
        &self,
        input: &ProgramInput,
        run: RunOne,
        campaign: &mut dyn Campaign,
    ) -> Result<(Ruling, bool), LangError> {
        let reference = run(campaign, input, RIGHT)?;
        let patched = run(campaign, input, PATCHED)?;
        let patched = as_tests_see_it(&reference, patched, campaign)?;
        let is_calm = !programs::fails(&reference) && !programs::fails(&patched);
        Ok((self.rule_difference(&reference, &patched), is_calm))
    }

    /// An input like one that nobody gives, but usual, that shows a difference too.
    fn on_usual_input(
        &self,
        ruling: &Ruling,
        is_calm: bool,
        input: &ProgramInput,
        campaign: &mut dyn Campaign,
    ) -> Result<Option<(ProgramInput, Claim)>, LangError> {
        let is_odd = matches!(ruling, Ruling::Counts(_)) && self.objection(is_calm, input).is_some();
        if !is_odd {
            return Ok(None);
        }
        for bytes in self.customs.mended(&input.bytes) {
            let candidate = ProgramInput { bytes, ..input.clone() };
            if self.objection(true, &candidate).is_some() {
                continue;
            }
            if !matches!(self.compare(&candidate, glance, campaign)?.0, Ruling::Counts(_)) {
                continue;
            }
            // What shows at a glance alone is none.
            if let (Ruling::Counts(claim), _) = self.compare(&candidate, fresh, campaign)? {
                return Ok(Some((candidate, claim)));
            }
        }
        Ok(None)
    }

    /// Once some inputs that nobody gives have come to nothing, further ones are not looked into.
    fn set_aside(&self, ruling: Ruling, is_calm: bool, input: &ProgramInput) -> Ruling {
        let is_enough = self.odd_inputs(Accuser::Rgt) >= ODD_MINIMISED;
        match (ruling, self.objection(is_calm, input)) {
            (Ruling::Counts(claim), Some(remark)) if is_enough => {
                Ruling::Remark { reason: remark.key().to_owned(), claim }
            }
            (ruling, _) => ruling,
        }
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
        let Some(found) = self.confirm_difference(input, times, campaign)? else { return Ok(Err(flaky())) };
        if self.reference_is_faulty(input, campaign)? {
            return Ok(Err(odd(ProgramRemark::ReferenceFails)));
        }
        let oddity = self.objection(found.is_calm, input);
        let small = self.smaller(input, claim, campaign, |trial, candidate, campaign| {
            // What is usual stays so, and what is odd becomes so in no other way.
            let other = trial.objection(found.is_calm, candidate);
            if other.is_some() && other != oddity {
                return Ok(Ruling::Same);
            }
            trial.compare(candidate, glance, campaign).map(|(ruling, _)| ruling)
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
            if let Some(remark) = self.objection(confirmed.is_calm, &candidate) {
                // What was made smaller may be odd in yet another way.
                if candidate == *input {
                    self.remark(Accuser::Rgt, input, remark.key(), &confirmed.claim);
                }
                dismissal = odd(remark);
                continue;
            }
            self.telling.push(candidate.clone());
            let Confirmed { claim, reference, buggy, .. } = confirmed;
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
        let is_calm = !references.iter().chain(&patched).any(programs::fails);
        Ok(references.into_iter().next().map(|reference| Confirmed { claim, reference, is_calm, buggy }))
    }

    /// What speaks against a difference on this input: nobody gives such a one. Programs that look at what they are given
    /// must not crash on it all the same.
    fn objection(&self, is_calm: bool, input: &ProgramInput) -> Option<ProgramRemark> {
        self.customs.objection(&given(input)).filter(|_| is_calm || self.customs.wants_numbers())
    }

    /// What speaks against a fault of this kind on this input.
    pub(super) fn objection_to_fault(&self, kind: &str, input: &ProgramInput) -> Option<ProgramRemark> {
        let is_arithmetic = opad::is_arithmetic(kind);
        let beyond = || self.customs.is_beyond(&given(input)).then_some(ProgramRemark::ExtremeNumber);
        self.objection(is_arithmetic, input).or_else(|| is_arithmetic.then(beyond).flatten())
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

/// In a process that is started for it.
fn fresh(campaign: &mut dyn Campaign, input: &ProgramInput, version: u32) -> Result<Execution, LangError> {
    campaign.execute(input, version, Watch::Plain)
}

/// Fast; what comes of it is confirmed in a fresh process.
fn glance(campaign: &mut dyn Campaign, input: &ProgramInput, version: u32) -> Result<Execution, LangError> {
    campaign.glance(input, version)
}

/// What a version did, with the output that is expected in place of its own where the developers' tests take one for the
/// other.
pub(super) fn as_tests_see_it(
    reference: &Execution,
    patched: Execution,
    campaign: &mut dyn Campaign,
) -> Result<Execution, LangError> {
    let (expected, actual) = (&reference.stdout, &patched.stdout);
    let differs = reference.end == patched.end && expected != actual;
    if differs && (campaign.takes_for_same(expected, actual)? || differ_in_space(expected, actual, campaign)?)
    {
        return Ok(Execution { stdout: reference.stdout.clone(), ..patched });
    }
    Ok(patched)
}

/// Do they differ in white space alone, where the tests' own comparison does not mind more of it?
fn differ_in_space(expected: &[u8], actual: &[u8], campaign: &mut dyn Campaign) -> Result<bool, LangError> {
    if !words(expected).eq(words(actual)) {
        return Ok(false);
    }
    let more: Vec<u8> = expected
        .iter()
        .flat_map(|byte| match byte {
            b' ' => b"  ".to_vec(),
            b'\n' => b" \n".to_vec(),
            byte => vec![*byte],
        })
        .collect();
    Ok(more != expected && campaign.takes_for_same(expected, &more)?)
}

/// Of each line.
fn words(text: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    text.split(|&byte| byte == b'\n').map(|line| {
        let words = line.split(u8::is_ascii_whitespace);
        words.filter(|word| !word.is_empty()).collect()
    })
}

/// Arguments of an input, a line each, and what it is.
fn given(input: &ProgramInput) -> Vec<u8> {
    let arguments = input.arguments.iter().flatten();
    let lines = arguments.flat_map(|word| format!("{word}\n").into_bytes());
    lines.chain(input.bytes.iter().copied()).collect()
}

fn repetitions(claim: &Claim) -> u32 {
    if claim.class == DifferenceClass::Timeout { REPETITIONS_OF_HANG } else { REPETITIONS }
}
