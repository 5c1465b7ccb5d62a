//! What `judge` says of executions, in the terms of a case against one patch.

use bonafix_judge::opad::{self, OpadOptions, OpadRuling, Trouble};
use bonafix_judge::programs::{self, Customs, ProgramClaim, ProgramOptions, ProgramRuling};
use bonafix_model::{DifferenceClass, Execution};

use super::PATCHED;
use super::trial::{Claim, Ruling, Trial};

/// What Opad compares.
const FAULTS: &str = "crashes and errors of memory";
/// The kind of fault of an execution that does not end.
const HANG: &str = "timeout";

impl Trial<'_> {
    /// What a difference between the reference and the patched version is worth.
    pub(super) fn rule_difference(&self, reference: &Execution, patched: &Execution) -> Ruling {
        ruling_of(programs::judge(reference, patched, &self.program_options))
    }

    /// The same, of several runs of each; none if one of them is not the same each time.
    pub(super) fn rule_runs(&self, reference: &[Execution], patched: &[Execution]) -> Option<Ruling> {
        programs::judge_runs(reference, patched, &self.program_options).map(ruling_of)
    }

    /// What faults of the patched version are worth.
    pub(super) fn rule_fault(
        &self,
        patched: &Execution,
        buggy: &Execution,
        reference: Option<&Execution>,
    ) -> Ruling {
        let delta = self.fuzzing.versions[PATCHED as usize].delta;
        let options = OpadOptions { strict: self.fuzzing.options.strict };
        match opad::rule(buggy, patched, reference, delta, &options) {
            OpadRuling::Nothing => Ruling::Same,
            OpadRuling::Proof { why, trouble } => Ruling::Counts(claim_of(&trouble, &why.to_string())),
            OpadRuling::Heuristic { trouble } => {
                Ruling::Hints(claim_of(&trouble, "the buggy version has nothing like it on this input"))
            }
            OpadRuling::HiddenBug { trouble } => Ruling::Remark {
                reason: opad::HIDDEN_BUG.to_owned(),
                claim: claim_of(&trouble, "the patch uncovers it, and has not made it"),
            },
        }
    }
}

/// What of a program's behaviour counts.
pub(super) fn program_options(strict: bool, tested: bonafix_lang::Tested) -> ProgramOptions {
    let bonafix_lang::Tested { errors, loose_white_space, codes, .. } = tested;
    ProgramOptions {
        strict,
        errors_compared: errors,
        white_space_tolerated: loose_white_space,
        usual_codes: codes,
    }
}

/// What inputs are usual.
pub(super) fn customs(strict: bool, tested: &bonafix_lang::Tested) -> Customs {
    if strict {
        return Customs::default();
    }
    Customs::of(tested.inputs.iter().map(Vec::as_slice), !tested.errors && tested.codes.is_empty())
}

fn ruling_of(ruling: ProgramRuling) -> Ruling {
    match ruling {
        ProgramRuling::Same => Ruling::Same,
        ProgramRuling::Evidence(claim) => Ruling::Counts(difference(claim)),
        ProgramRuling::Remark { reason, claim } => {
            Ruling::Remark { reason: reason.key().to_owned(), claim: difference(claim) }
        }
    }
}

fn difference(claim: ProgramClaim) -> Claim {
    let summary = claim.sentence("the reference");
    // Which line it is does not make another sort.
    let place: String = claim.what.chars().filter(|c| !c.is_ascii_digit()).collect();
    let ProgramClaim { class, what, expected, actual } = claim;
    Claim { class, sort: format!("{} {place}", class.name()), what, expected, actual, summary }
}

fn claim_of(trouble: &Trouble, why: &str) -> Claim {
    let (class, sort) = match trouble {
        Trouble::Leak { .. } => (DifferenceClass::Error, "leak".to_owned()),
        Trouble::Fault(fault) => {
            let class = if fault.kind == HANG { DifferenceClass::Timeout } else { DifferenceClass::Error };
            // A smaller input may well meet it in another place; whether it counts there is asked each time.
            (class, fault.kind.clone())
        }
    };
    Claim {
        class,
        what: FAULTS.to_owned(),
        expected: "none".to_owned(),
        actual: trouble.to_string(),
        summary: format!("{trouble}: {why}"),
        sort,
    }
}
