//! What versions did with an input.

use std::collections::BTreeMap;

use bonafix_lang::{Behaviour, LangError, Run, RunScope};
use bonafix_model::{
    Breakdown, Confirmation, Difference, Element, Observation, Sequence, SequenceOutcome, Slot, Tolerance,
    compare, covered,
};

use crate::refute::JUDGED;

/// What one version did with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Observed(Box<Observation>),
    BrokeDown(Breakdown),
}

impl Seen {
    pub(crate) fn behaviour(&self) -> Behaviour<'_> {
        match self {
            Self::Observed(observation) => Behaviour::Observed(observation),
            Self::BrokeDown(breakdown) => Behaviour::BrokeDown(*breakdown),
        }
    }

    pub(crate) fn of(confirmation: &Confirmation) -> Self {
        match confirmation {
            Confirmation::Stable(observation) => Self::Observed(observation.clone()),
            Confirmation::Failed(breakdown) => Self::BrokeDown(*breakdown),
            Confirmation::Unstable { observations } => Self::Observed(Box::new(observations[0].clone())),
        }
    }

    /// Without what is not the same each time in one of the versions; none if nothing is left to compare.
    pub(crate) fn covered(self, wavering: &[Difference]) -> Option<Self> {
        Some(match self {
            Self::Observed(observation) => Self::Observed(Box::new(covered(&observation, wavering)?)),
            broke_down @ Self::BrokeDown(_) => broke_down,
        })
    }

    pub(crate) fn observed(&self) -> Option<&Observation> {
        match self {
            Self::Observed(observation) => Some(observation),
            Self::BrokeDown(_) => None,
        }
    }
}

/// What the reference does with inputs; none where it breaks down.
pub(crate) fn in_reference(
    run: &mut dyn Run,
    inputs: &[Sequence],
) -> Result<Vec<Option<Observation>>, LangError> {
    let scope = RunScope { versions: vec![JUDGED[0]], show_all: true, ..RunScope::default() };
    let seen = run.run(inputs, &scope)?.into_iter().map(|ran| match ran.outcome {
        SequenceOutcome::Same { observation, .. } => observation.map(|boxed| *boxed),
        _ => None,
    });
    Ok(seen.collect())
}

/// What the reference and the patched version did; none if that cannot be told or says nothing.
pub(crate) fn both(
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

/// A value in which more places waver is taken to waver as a whole: others may have been the same by chance.
const PLACES: usize = 3;

/// Where a version differs from itself.
pub(crate) fn wavering(confirmation: &Confirmation) -> Vec<Difference> {
    let Confirmation::Unstable { observations } = confirmation else { return Vec::new() };
    let mut found = compare(&observations[0], &observations[1], &Tolerance::default());
    let mut places: BTreeMap<(Slot, Element), usize> = BTreeMap::new();
    for difference in &found {
        *places.entry((difference.location.step, difference.location.element)).or_default() += 1;
    }
    for Difference { location, .. } in &mut found {
        if places[&(location.step, location.element)] > PLACES {
            location.path.clear();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use bonafix_model::{Ending, Field, StepObservation, Value};

    use super::*;

    fn seen(bits: [i32; 6]) -> Observation {
        let field = |(name, bit): (usize, i32)| Field {
            name: format!("f{name}"),
            visible: true,
            value: Value::Int(bit),
        };
        let fields = bits.into_iter().enumerate().map(field).collect();
        let result = Value::Object { type_name: "p.Coins".to_owned(), fields };
        let step = StepObservation { step: 1, result: Some(result), ..StepObservation::default() };
        Observation { steps: vec![step], ending: Ending::Completed }
    }

    fn places(one: [i32; 6], other: [i32; 6]) -> Vec<usize> {
        let observations = Box::new([seen(one), seen(other)]);
        let wavering = wavering(&Confirmation::Unstable { observations });
        wavering.iter().map(|difference| difference.location.path.len()).collect()
    }

    #[test]
    fn a_value_that_wavers_in_many_places_wavers_as_a_whole() {
        assert_eq!(places([0; 6], [1, 0, 0, 0, 0, 0]), [1], "a clock in a record");
        assert_eq!(places([0; 6], [1, 1, 1, 1, 0, 0]), [0; 4], "six coins, two of which fell the same way");
    }
}
