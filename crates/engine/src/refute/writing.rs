//! What was found, for people: the witness in its folder, and the evidence in the report.

use bonafix_judge::rgt::{Claim, Ruling};
use bonafix_lang::{LangError, WitnessDraft, WitnessError, WrittenWitness, confirmations};
use bonafix_model::{DifferenceClass, Evidence, Exhibit, Sequence, Strength, Witness};

use super::Question;
use super::proof::{Confirmed, Dismissal};
use super::trial::Trial;

impl Trial<'_> {
    /// Writes it down for people, and runs it from there.
    pub(super) fn write(
        &self,
        input: &Sequence,
        confirmed: &Confirmed,
    ) -> Result<Result<Evidence, Dismissal>, LangError> {
        let refutation = self.refutation;
        let parent =
            refutation.session.run.make_witness_folder(&refutation.question.folder(refutation.folder));
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
            repetitions: confirmed.replays,
        };
        let written = match refutation.explorer.write_witness(&draft, &folder, refutation.log) {
            Ok(written) => written,
            Err(WitnessError::Lang(error)) => return Err(error),
            Err(other) => {
                tracing::debug!(%other, "no witness could be written");
                let example = format!("{}: {other}", sentence(&confirmed.claim, refutation.question));
                return Ok(Err(Dismissal { reason: "not-expressible".to_owned(), example }));
            }
        };
        let confirmations = confirmations(&written.replays, refutation.versions[0].role);
        if confirmations < confirmed.replays {
            tracing::debug!(?written.replays, "a witness did not hold");
            return Ok(Err(Dismissal::new("not-reproduced", &confirmed.claim, refutation.question)));
        }
        let run = refutation.session.run.path();
        let witness = Witness {
            folder: folder.strip_prefix(run).unwrap_or(&folder).to_owned(),
            oracle: refutation.question.oracle().to_owned(),
            replays: confirmed.replays,
            confirmed: confirmations,
        };
        let mut evidence =
            self.evidence(refutation.question.strength(), input, &confirmed.claim, Some(&written));
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

    pub(super) fn evidence(
        &self,
        strength: Strength,
        input: &Sequence,
        claim: &Claim,
        written: Option<&WrittenWitness>,
    ) -> Evidence {
        let lines = written.map(|written| written.input.clone());
        let input = lines.unwrap_or_else(|| self.refutation.explorer.render(self.catalog, input));
        let what = written.map(|written| written.what.clone());
        let what = what.unwrap_or_else(|| place(claim));
        let summary = claim.sentence(&what, self.refutation.question.right());
        let exhibit = Exhibit {
            class: claim.class,
            input,
            what,
            expected: claim.expected.clone(),
            actual: claim.actual.clone(),
            buggy: None,
        };
        Evidence {
            technique: self.refutation.question.technique().to_owned(),
            strength,
            summary,
            reason: None,
            exhibit: Some(exhibit),
            witness: None,
        }
    }
}

pub(super) fn sentence(claim: &Claim, question: Question) -> String {
    format!("({}) {}", claim.class.name(), claim.sentence(&place(claim), question.right()))
}

/// Where it shows, without source code; empty if that is the input as a whole.
fn place(claim: &Claim) -> String {
    match &claim.difference {
        Some(difference) if claim.class == DifferenceClass::Assert => difference.location.to_string(),
        // It is the call that returns or throws, and not a part of what is seen of it.
        Some(difference) => format!("step {}", difference.location.step),
        None => String::new(),
    }
}
