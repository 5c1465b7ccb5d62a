//! The case against one patch: what each find is worth, and what became of those that counted.

use std::collections::BTreeMap;
use std::time::Instant;

use bonafix_judge::Discards;
use bonafix_judge::programs::{Customs, ProgramOptions};
use bonafix_lang::{Campaign, Found, FuzzState, LangError, Watch, shown_bytes};
use bonafix_model::{
    Detector, DifferenceClass, Effort, Evidence, Execution, Exhibit, InputSet, OMeasure, ProgramInput,
    SearchEnd, Strength,
};

use super::difference::as_tests_see_it;
use super::rulings::{customs, program_options};
use super::{Fuzzed, Fuzzing, PATCHED};

/// A kind of difference that came to nothing so often is not looked at again.
pub(super) const ATTEMPTS: u32 = 3;
/// In all, for each technique.
const ALL_ATTEMPTS: u32 = 12;
/// And so many inputs from which nothing can be said. That is no fault of the difference: another input may show it.
const ODD_INPUTS: u32 = 16;
/// Remarks that are kept to be shown.
const REMARKS: usize = 8;
/// Inputs of the corpus that are kept for further patches.
const CORPUS: usize = 200;

/// Something that an input shows about a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) class: DifferenceClass,
    /// What is compared, in words.
    pub(super) what: String,
    pub(super) expected: String,
    pub(super) actual: String,
    /// One sentence.
    pub(super) summary: String,
    /// The same for all that is of one sort.
    pub(super) sort: String,
}

/// What one input says about a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ruling {
    /// Nothing.
    Same,
    /// The patched version does something that it must not.
    Counts(Claim),
    /// It makes the patch suspicious.
    Hints(Claim),
    /// It does something else, which does not count.
    Remark {
        /// Why not.
        reason: String,
        /// What.
        claim: Claim,
    },
}

/// Why a find that seemed to count does not.
#[derive(Debug)]
pub(super) struct Dismissal {
    reason: &'static str,
    example: String,
    /// It lies in the input, and not in the difference.
    is_odd_input: bool,
}

impl Dismissal {
    pub(super) fn new(reason: &'static str, example: &str) -> Self {
        Self { reason, example: example.to_owned(), is_odd_input: false }
    }

    /// Nothing can be said from such an input.
    pub(super) fn of_odd_input(reason: &'static str, example: &str) -> Self {
        Self { is_odd_input: true, ..Self::new(reason, example) }
    }
}

/// What one technique has against the patch.
#[derive(Default)]
pub(super) struct Charge {
    proof: Option<Evidence>,
    hint: Option<Evidence>,
    discards: Discards,
    remarks: BTreeMap<String, Evidence>,
    failed: BTreeMap<String, u32>,
    attempts: u32,
    odd_inputs: u32,
}

impl Charge {
    fn is_hopeless(&self, sort: &str) -> bool {
        self.attempts >= ALL_ATTEMPTS
            || self.odd_inputs >= ODD_INPUTS
            || self.failed.get(sort).is_some_and(|count| *count >= ATTEMPTS)
    }

    fn evidence(self) -> impl Iterator<Item = Evidence> {
        // What is proved needs no hint.
        let hint = if self.proof.is_some() { None } else { self.hint };
        self.proof.into_iter().chain(hint).chain(self.remarks.into_values())
    }
}

/// Who has a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accuser {
    /// By what the reference does.
    Rgt,
    /// By crashes and errors of memory.
    Opad,
}

impl Accuser {
    pub(super) fn technique(self) -> &'static str {
        match self {
            Self::Rgt => bonafix_judge::rgt::NAME,
            Self::Opad => bonafix_judge::opad::NAME,
        }
    }
}

/// The case against one patch.
pub(super) struct Trial<'a> {
    pub(super) fuzzing: &'a Fuzzing<'a, 'a>,
    watches: Vec<Watch>,
    /// What of the program's behaviour counts.
    pub(super) program_options: ProgramOptions,
    /// What inputs developers give to it.
    pub(super) customs: Customs,
    /// What is found later is not looked into any more; none with a number of inputs.
    pub(super) deadline: Option<Instant>,
    difference: Charge,
    fault: Charge,
    pub(super) o_measure: Option<OMeasure>,
    /// Inputs that showed something, for further patches.
    pub(super) telling: Vec<ProgramInput>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(fuzzing: &'a Fuzzing<'a, 'a>, watches: Vec<Watch>, deadline: Option<Instant>) -> Self {
        let (strict, tested) = (fuzzing.options.strict, fuzzing.fuzzer.tested());
        Self {
            fuzzing,
            watches,
            customs: customs(strict, &tested),
            program_options: program_options(strict, tested),
            deadline,
            difference: Charge::default(),
            fault: Charge::default(),
            o_measure: None,
            telling: Vec::new(),
        }
    }
}

impl Trial<'_> {
    /// Decides what a find is worth.
    pub(super) fn consider(&mut self, found: &Found, campaign: &mut dyn Campaign) -> Result<(), LangError> {
        if self.fuzzing.by_reference && self.difference.proof.is_none() {
            let before = self.difference_in_search(found, campaign)?;
            self.look_for_difference(&found.input, before, campaign)?;
        }
        let patched = found.executions.get(PATCHED as usize).and_then(Option::as_ref);
        if self.fuzzing.by_faults && patched.is_some_and(is_faulty) && self.goes_on() {
            let watch = self.closest_watch();
            self.look_for_fault(&found.input, watch, campaign)?;
        }
        Ok(())
    }

    /// What differs between the reference and the patched version where the search ran them. What a sanitizer or valgrind
    /// says of them shows under those alone.
    fn difference_in_search(
        &self,
        found: &Found,
        campaign: &mut dyn Campaign,
    ) -> Result<Option<Claim>, LangError> {
        let [Some(reference), Some(patched), ..] = &found.executions[..] else { return Ok(None) };
        let is_watched = |seen: &Execution| seen.faults.iter().any(|fault| fault.detector != Detector::Crash);
        if is_watched(reference) || is_watched(patched) {
            return Ok(None);
        }
        let patched = as_tests_see_it(reference, patched.clone(), campaign)?;
        Ok(match self.rule_difference(reference, &patched) {
            Ruling::Counts(claim) => Some(claim),
            _ => None,
        })
    }

    /// Notes what the search saw and a process of its own does not show.
    pub(super) fn note_vanished(&mut self, claim: &Claim) {
        self.difference.discards.add("not-in-fresh-process", || claim.summary.clone());
    }

    /// Is there a reason to go on? One proof is enough, unless all is to be measured.
    pub(super) fn goes_on(&self) -> bool {
        self.fuzzing.options.full || (self.difference.proof.is_none() && self.fault.proof.is_none())
    }

    pub(super) fn can_watch(&self, watch: Watch) -> bool {
        self.watches.contains(&watch)
    }

    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn charge(&mut self, accuser: Accuser) -> &mut Charge {
        match accuser {
            Accuser::Rgt => &mut self.difference,
            Accuser::Opad => &mut self.fault,
        }
    }

    /// Notes what a find is worth; gives what is to be proved.
    pub(super) fn weigh(&mut self, accuser: Accuser, input: &ProgramInput, ruling: Ruling) -> Option<Claim> {
        let late = self.is_late();
        let charge = self.charge(accuser);
        match ruling {
            Ruling::Same => None,
            Ruling::Remark { reason, claim } => {
                charge.discards.add(&reason, || claim.summary.clone());
                self.remark(accuser, input, &reason, &claim);
                None
            }
            Ruling::Hints(claim) | Ruling::Counts(claim) if charge.is_hopeless(&claim.sort) => {
                charge.discards.add("not-confirmed", || claim.summary);
                None
            }
            Ruling::Hints(claim) | Ruling::Counts(claim) if late => {
                charge.discards.add("out-of-time", || claim.summary);
                None
            }
            Ruling::Hints(claim) | Ruling::Counts(claim) => {
                charge.attempts += 1;
                Some(claim)
            }
        }
    }

    /// Keeps something to be shown, once for each reason.
    pub(super) fn remark(&mut self, accuser: Accuser, input: &ProgramInput, reason: &str, claim: &Claim) {
        let remarks = &mut self.charge(accuser).remarks;
        if remarks.len() < REMARKS && !remarks.contains_key(reason) {
            let remark = evidence(accuser, Strength::Remark, input, claim);
            remarks.insert(reason.to_owned(), Evidence { reason: Some(reason.to_owned()), ..remark });
        }
    }

    /// How many inputs were such that nothing can be said from them.
    pub(super) fn odd_inputs(&self, accuser: Accuser) -> u32 {
        match accuser {
            Accuser::Rgt => self.difference.odd_inputs,
            Accuser::Opad => self.fault.odd_inputs,
        }
    }

    /// Notes what became of a claim.
    pub(super) fn settle(&mut self, accuser: Accuser, claim: &Claim, proved: Result<Evidence, Dismissal>) {
        let charge = self.charge(accuser);
        match proved {
            Ok(evidence) if evidence.strength == Strength::Proof => {
                charge.proof = charge.proof.take().or(Some(evidence));
            }
            Ok(evidence) => charge.hint = charge.hint.take().or(Some(evidence)),
            Err(Dismissal { reason, example, is_odd_input }) => {
                if is_odd_input {
                    charge.attempts -= 1;
                    charge.odd_inputs += 1;
                } else {
                    *charge.failed.entry(claim.sort.clone()).or_default() += 1;
                }
                charge.discards.add(reason, || example);
            }
        }
    }

    pub(super) fn close(
        self,
        state: &FuzzState,
        corpus: Vec<ProgramInput>,
        kept: u64,
        ended: SearchEnd,
    ) -> Fuzzed {
        let fuzzing = self.fuzzing;
        let effort = |technique: &str| Effort {
            technique: technique.to_owned(),
            inputs: state.inputs,
            reached: state.reached,
            seeds: state.seeds,
            kept,
            branches: state.branches,
            branches_taken: state.branches_taken,
            differing: state.differing,
            discarded: Vec::new(),
            broke_down: state.broke_down,
            o_measure: None,
            seed: fuzzing.options.seed,
            budget: fuzzing.options.budget.to_string(),
            ended: Some(ended),
        };
        let mut efforts = Vec::new();
        let mut evidence = Vec::new();
        let charges = [
            (Accuser::Rgt, fuzzing.by_reference, self.difference),
            (Accuser::Opad, fuzzing.by_faults, self.fault),
        ];
        for (accuser, judges, mut charge) in charges {
            if !judges {
                continue;
            }
            let discards = std::mem::take(&mut charge.discards);
            efforts.push(Effort {
                discarded: discards.into_discarded(),
                o_measure: if accuser == Accuser::Opad { self.o_measure } else { None },
                ..effort(accuser.technique())
            });
            evidence.extend(charge.evidence());
        }
        if efforts.is_empty() {
            // Nobody else needs the inputs.
            efforts.push(effort(bonafix_judge::patch_sim::NAME));
        }
        let mut inputs = self.telling;
        inputs.extend(corpus.into_iter().take(CORPUS));
        let inputs = InputSet::merged(&[InputSet::of_programs(inputs)]);
        Fuzzed { evidence, efforts, inputs, notices: Vec::new(), first_input: None }
    }
}

/// A finding without a witness.
pub(super) fn evidence(
    accuser: Accuser,
    strength: Strength,
    input: &ProgramInput,
    claim: &Claim,
) -> Evidence {
    let exhibit = Exhibit {
        class: claim.class,
        input: shown_bytes(&input.bytes),
        what: claim.what.clone(),
        expected: claim.expected.clone(),
        actual: claim.actual.clone(),
        buggy: None,
    };
    Evidence {
        technique: accuser.technique().to_owned(),
        strength,
        summary: claim.summary.clone(),
        reason: None,
        exhibit: Some(exhibit),
        witness: None,
    }
}

/// Did it crash, or do what memory does not allow?
fn is_faulty(execution: &Execution) -> bool {
    !execution.faults.is_empty()
}
