//! Opad: from an input on which the patched version crashes or breaks memory, and the buggy one does not, to a proof.

use bonafix_judge::opad;
use bonafix_lang::{Campaign, LangError, Shown, Watch};
use bonafix_model::{
    Detector, DifferenceClass, Evidence, Execution, Leaked, OMeasure, ProgramInput, Strength, VersionRole,
};

use super::PATCHED;
use super::trial::{Accuser, Claim, Dismissal, Ruling, Trial, evidence};
use super::writing::Draft;

/// How often a fault must be seen again, and its witness run, on each version.
const REPETITIONS: u32 = 10;
/// And how often under valgrind, where nothing is left to chance and everything takes long.
const REPETITIONS_OF_VALGRIND: u32 = 3;
/// And how often without an end, which takes to its limit each time.
const REPETITIONS_OF_HANG: u32 = 2;

/// Kinds of faults that a watch may bring about.
const BY_WEIGHT: [&str; 2] = ["timeout", "stack-overflow"];

/// What the versions did with one input under one watch.
struct Watched {
    patched: Execution,
    buggy: Option<Execution>,
    reference: Option<Execution>,
}

impl Trial<'_> {
    /// Looks whether the patched version has a fault that the buggy one has not.
    pub(super) fn look_for_fault(
        &mut self,
        input: &ProgramInput,
        watch: Watch,
        campaign: &mut dyn Campaign,
    ) -> Result<(), LangError> {
        let (ruling, _) = self.watched(input, watch, campaign)?;
        let Some(claim) = self.weigh(Accuser::Opad, input, ruling) else { return Ok(()) };
        let proved = self.prove_fault(input, &claim, watch, campaign)?;
        self.settle(Accuser::Opad, &claim, proved);
        Ok(())
    }

    /// Opad's measure over inputs, as far as there is time.
    pub(super) fn measure(
        &mut self,
        inputs: &[ProgramInput],
        campaign: &mut dyn Campaign,
    ) -> Result<(), LangError> {
        let Some(buggy) = self.fuzzing.number_of(VersionRole::Buggy) else { return Ok(()) };
        let watch = self.closest_watch();
        let mut measure = OMeasure::default();
        for input in inputs {
            if self.is_late() {
                break;
            }
            let before = campaign.execute(input, buggy, watch)?;
            let after = campaign.execute(input, PATCHED, watch)?;
            measure.inputs += 1;
            measure.counted += u64::from(opad::counts(&before, &after));
        }
        self.o_measure = Some(measure);
        Ok(())
    }

    /// The one that sees most in little time.
    pub(super) fn closest_watch(&self) -> Watch {
        let watches = [Watch::Sanitizers, Watch::Valgrind];
        watches.into_iter().find(|watch| self.can_watch(*watch)).unwrap_or(Watch::Plain)
    }

    /// Runs the patched version, and the others if there is something to compare.
    fn watched(
        &self,
        input: &ProgramInput,
        watch: Watch,
        campaign: &mut dyn Campaign,
    ) -> Result<(Ruling, Watched), LangError> {
        let patched = campaign.execute(input, PATCHED, watch)?;
        if opad::survives(&patched) && patched.leaked.is_none_or(|leaked| leaked == Leaked::default()) {
            return Ok((Ruling::Same, Watched { patched, buggy: None, reference: None }));
        }
        let mut other = |role| {
            let number = self.fuzzing.number_of(role);
            number.map(|number| campaign.execute(input, number, watch)).transpose()
        };
        let watched =
            Watched { buggy: other(VersionRole::Buggy)?, reference: other(VersionRole::Reference)?, patched };
        let Some(buggy) = &watched.buggy else { return Ok((Ruling::Same, watched)) };
        let ruling = self.rule_fault(&watched.patched, buggy, watched.reference.as_ref());
        Ok((self.on_odd_input(ruling, input), watched))
    }

    /// A fault on an input that nobody gives may be no more than a remark.
    fn on_odd_input(&self, ruling: Ruling, input: &ProgramInput) -> Ruling {
        let (Ruling::Counts(claim) | Ruling::Hints(claim)) = &ruling else { return ruling };
        match self.objection_to_fault(&claim.sort, input) {
            Some(remark) => Ruling::Remark { reason: remark.key().to_owned(), claim: claim.clone() },
            None => ruling,
        }
    }

    fn prove_fault(
        &mut self,
        input: &ProgramInput,
        claim: &Claim,
        watch: Watch,
        campaign: &mut dyn Campaign,
    ) -> Result<Result<Evidence, Dismissal>, LangError> {
        let flaky = || Dismissal::new("flaky", &claim.summary);
        if self.confirm_fault(input, claim, watch, campaign)?.is_none() {
            return Ok(Err(flaky()));
        }
        if !is_more_than_weight(input, claim, watch, campaign)? {
            return Ok(Err(Dismissal::new("only-watched", &claim.summary)));
        }
        let small = self.smaller(input, claim, campaign, |trial, candidate, campaign| {
            trial.watched(candidate, watch, campaign).map(|(ruling, _)| ruling)
        })?;
        let candidates = if small == *input { vec![small] } else { vec![small, input.clone()] };
        let mut dismissal = flaky();
        for candidate in candidates {
            let Some((ruling, watched)) = self.confirm_fault(&candidate, claim, watch, campaign)? else {
                continue;
            };
            self.telling.push(candidate.clone());
            let claim = match ruling {
                Ruling::Counts(claim) => claim,
                Ruling::Hints(claim) => {
                    return Ok(Ok(evidence(Accuser::Opad, Strength::Heuristic, &candidate, &claim)));
                }
                Ruling::Same | Ruling::Remark { .. } => continue,
            };
            let survives = watched.reference.as_ref().is_some_and(|reference| reference.faults.is_empty());
            let draft = Draft {
                input: &candidate,
                claim: &claim,
                shown: Shown::Faults(watch),
                right: if survives { VersionRole::Reference } else { VersionRole::Buggy },
                oracle: oracle(&watched.patched),
                repetitions: repetitions(&claim, watch),
            };
            match self.write(Accuser::Opad, &draft)? {
                Ok(mut evidence) => {
                    if let Some(exhibit) = &mut evidence.exhibit {
                        exhibit.buggy = watched.buggy.as_ref().map(trouble_of);
                    }
                    return Ok(Ok(evidence));
                }
                Err(other) => dismissal = other,
            }
        }
        Ok(Err(dismissal))
    }

    /// Sees it again in fresh processes; none if it is not of the same sort each time.
    fn confirm_fault(
        &self,
        input: &ProgramInput,
        claim: &Claim,
        watch: Watch,
        campaign: &mut dyn Campaign,
    ) -> Result<Option<(Ruling, Watched)>, LangError> {
        let mut last = None;
        for _ in 0..repetitions(claim, watch) {
            let (ruling, watched) = self.watched(input, watch, campaign)?;
            match &ruling {
                Ruling::Counts(other) | Ruling::Hints(other) if other.sort == claim.sort => {}
                _ => return Ok(None),
            }
            last = Some((ruling, watched));
        }
        Ok(last)
    }
}

fn repetitions(claim: &Claim, watch: Watch) -> u32 {
    match watch {
        _ if claim.class == DifferenceClass::Timeout => REPETITIONS_OF_HANG,
        Watch::Valgrind => REPETITIONS_OF_VALGRIND,
        Watch::Plain | Watch::Sanitizers => REPETITIONS,
    }
}

/// A program under watch is slower, and takes more of the stack. That it runs out of time or stack counts only if that is
/// so without a watch as well.
fn is_more_than_weight(
    input: &ProgramInput,
    claim: &Claim,
    watch: Watch,
    campaign: &mut dyn Campaign,
) -> Result<bool, LangError> {
    if watch == Watch::Plain || !BY_WEIGHT.contains(&claim.sort.as_str()) {
        return Ok(true);
    }
    Ok(!opad::survives(&campaign.execute(input, PATCHED, Watch::Plain)?))
}

/// What is wrong with an execution, in words.
fn trouble_of(execution: &Execution) -> String {
    match execution.faults.first() {
        Some(fault) => opad::Trouble::Fault(fault.clone()).to_string(),
        None => "none".to_owned(),
    }
}

/// Who says that it is wrong.
fn oracle(patched: &Execution) -> &'static str {
    match patched.faults.first().map(|fault| fault.detector) {
        Some(Detector::Crash) | None => "crash",
        Some(_) => "memory error",
    }
}
