//! What was found, for people: the witness in its folder, and the evidence in the report.

use std::time::Duration;

use bonafix_lang::{ExploredVersion, LangError, ProgramDraft, Shown, WitnessError, confirmations};
use bonafix_model::{DifferenceClass, Evidence, ProgramInput, Strength, VersionRole, Witness};

use super::trial::{Accuser, Claim, Dismissal, Trial, evidence};

/// An execution that does not end must not do so in so much more time either.
const PATIENCE: u32 = 5;

/// What is to be written down.
pub(super) struct Draft<'a> {
    pub(super) input: &'a ProgramInput,
    pub(super) claim: &'a Claim,
    pub(super) shown: Shown<'a>,
    /// The version on which the witness must pass.
    pub(super) right: VersionRole,
    /// Who says what is right.
    pub(super) oracle: &'a str,
    /// How often the witness is run on each version.
    pub(super) repetitions: u32,
}

impl Trial<'_> {
    /// Writes it down for people, and runs it from there.
    pub(super) fn write(
        &self,
        accuser: Accuser,
        draft: &Draft<'_>,
    ) -> Result<Result<Evidence, Dismissal>, LangError> {
        let fuzzing = self.fuzzing;
        let name = match accuser {
            Accuser::Rgt => fuzzing.folder.to_owned(),
            Accuser::Opad => format!("{}-{}", fuzzing.folder, accuser.technique()),
        };
        let parent = fuzzing.session.run.make_witness_folder(&name);
        let folder = parent.map_err(|error| LangError::Internal(error.to_string()))?.join("witness-1");
        let Draft { input, claim, shown, right, oracle, repetitions } = *draft;
        let versions = self.right_first(right);
        let written = fuzzing.fuzzer.write_witness(
            &ProgramDraft {
                input,
                class: claim.class,
                shown,
                what: &claim.what,
                expected: &claim.expected,
                actual: &claim.actual,
                versions: &versions,
                repetitions,
                limit: self.witness_limit(claim),
            },
            &folder,
            fuzzing.log,
        );
        let written = match written {
            Ok(written) => written,
            Err(WitnessError::Lang(error)) => return Err(error),
            Err(other) => {
                tracing::debug!(%other, "no witness could be written");
                let example = format!("{}: {other}", claim.summary);
                return Ok(Err(Dismissal::new("not-expressible", &example)));
            }
        };
        let confirmed = confirmations(&written.replays, right);
        if confirmed < repetitions {
            tracing::debug!(?written.replays, "a witness did not hold");
            return Ok(Err(Dismissal::new("not-reproduced", &claim.summary)));
        }
        let run = fuzzing.session.run.path();
        let witness = Witness {
            folder: folder.strip_prefix(run).unwrap_or(&folder).to_owned(),
            oracle: oracle.to_owned(),
            replays: repetitions,
            confirmed,
        };
        let mut evidence = evidence(accuser, Strength::Proof, input, claim);
        if let Some(exhibit) = &mut evidence.exhibit {
            exhibit.input = written.input;
        }
        Ok(Ok(Evidence { witness: Some(witness), ..evidence }))
    }

    /// The versions in the order of a witness.
    fn right_first(&self, right: VersionRole) -> Vec<ExploredVersion<'_>> {
        let mut versions = self.fuzzing.versions.to_vec();
        versions.sort_by_key(|version| match version.role {
            role if role == right => 0,
            VersionRole::Patched => 1,
            _ => 2,
        });
        versions
    }

    fn witness_limit(&self, claim: &Claim) -> Duration {
        let factor = if claim.class == DifferenceClass::Timeout { PATIENCE } else { PATIENCE * 2 };
        self.fuzzing.limit * factor
    }
}
