//! What versions did with an input.

use bonafix_lang::{Behaviour, LangError, Run, RunScope};
use bonafix_model::{
    Breakdown, Confirmation, Difference, Observation, Sequence, SequenceOutcome, Tolerance, compare, covered,
};

use super::JUDGED;

/// What one version did with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    Observed(Box<Observation>),
    BrokeDown(Breakdown),
}

impl Seen {
    pub(super) fn behaviour(&self) -> Behaviour<'_> {
        match self {
            Self::Observed(observation) => Behaviour::Observed(observation),
            Self::BrokeDown(breakdown) => Behaviour::BrokeDown(*breakdown),
        }
    }

    pub(super) fn of(confirmation: &Confirmation) -> Self {
        match confirmation {
            Confirmation::Stable(observation) => Self::Observed(observation.clone()),
            Confirmation::Failed(breakdown) => Self::BrokeDown(*breakdown),
            Confirmation::Unstable { observations } => Self::Observed(Box::new(observations[0].clone())),
        }
    }

    /// Without what is not the same each time in one of the versions; none if nothing is left to compare.
    pub(super) fn covered(self, wavering: &[Difference]) -> Option<Self> {
        Some(match self {
            Self::Observed(observation) => Self::Observed(Box::new(covered(&observation, wavering)?)),
            broke_down @ Self::BrokeDown(_) => broke_down,
        })
    }

    pub(super) fn observed(&self) -> Option<&Observation> {
        match self {
            Self::Observed(observation) => Some(observation),
            Self::BrokeDown(_) => None,
        }
    }
}

/// What the reference does with inputs; none where it breaks down.
pub(super) fn in_reference(
    run: &mut dyn Run,
    inputs: &[Sequence],
) -> Result<Vec<Option<Observation>>, LangError> {
    let scope = RunScope { versions: vec![JUDGED[0]], show_all: true };
    let seen = run.run(inputs, &scope)?.into_iter().map(|ran| match ran.outcome {
        SequenceOutcome::Same { observation, .. } => observation.map(|boxed| *boxed),
        _ => None,
    });
    Ok(seen.collect())
}

/// What the reference and the patched version did; none if that cannot be told or says nothing.
pub(super) fn both(
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

/// Where a version differs from itself.
pub(super) fn wavering(confirmation: &Confirmation) -> Vec<Difference> {
    match confirmation {
        Confirmation::Unstable { observations } => {
            compare(&observations[0], &observations[1], &Tolerance::default())
        }
        _ => Vec::new(),
    }
}
