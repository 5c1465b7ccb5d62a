//! How many steps an input may take: fewer, once inputs that find no end are many.
//!
//! An optimiser or a solver that is given anything but what it is made for goes on for ever more often than not. Each such
//! input costs all the steps there are, and says nothing. What an input that has no end in one version alone is worth is
//! found out with the steps that were asked for, and more.

use bonafix_model::{Breakdown, Ran, SequenceOutcome};

/// No input is given fewer.
const LEAST: u64 = 20_000;
/// Inputs after which it is decided whether endless ones are many.
const ROUND: u32 = 64;

/// The steps of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    steps: u64,
    ran: u32,
    endless: u32,
}

impl Pace {
    pub(super) fn new(steps: u64) -> Self {
        Self { steps, ran: 0, endless: 0 }
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Takes down what became of inputs; `first` is the version that each of them ran in first.
    pub(super) fn note(&mut self, first: u32, ran: &[Ran]) {
        for ran in ran {
            let is_endless = matches!(ran.outcome, SequenceOutcome::Failed { version, breakdown: Breakdown::Timeout } if version == first);
            self.ran += 1;
            self.endless += u32::from(is_endless);
            if self.ran == ROUND {
                if self.endless > ROUND / 4 {
                    self.steps = (self.steps / 2).max(LEAST.min(self.steps));
                }
                (self.ran, self.endless) = (0, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bonafix_model::{Feedback, Summary};

    use super::*;

    fn ran(endless_in: Option<u32>) -> Ran {
        let outcome = match endless_in {
            Some(version) => SequenceOutcome::Failed { version, breakdown: Breakdown::Timeout },
            None => SequenceOutcome::Same { summary: Summary::default(), observation: None },
        };
        Ran { outcome, feedback: Feedback::default() }
    }

    #[test]
    fn many_endless_inputs_halve_the_steps_down_to_a_least() {
        let mut pace = Pace::new(300_000);
        pace.note(0, &vec![ran(Some(0)); 63]);
        assert_eq!(pace.steps(), 300_000);
        pace.note(0, &[ran(Some(0))]);
        assert_eq!(pace.steps(), 150_000);
        pace.note(0, &vec![ran(Some(0)); 1000]);
        assert_eq!(pace.steps(), LEAST);
        let mut few = Pace::new(1_000);
        few.note(0, &vec![ran(Some(0)); 1000]);
        assert_eq!(few.steps(), 1_000, "fewer than the least were asked for");
    }

    #[test]
    fn a_few_and_those_of_another_version_change_nothing() {
        let mut pace = Pace::new(300_000);
        for _ in 0..50 {
            pace.note(0, &[ran(Some(0)), ran(None), ran(Some(1)), ran(Some(1)), ran(Some(1)), ran(None)]);
        }
        assert_eq!(pace.steps(), 300_000);
    }
}
