//! Keeps count of differences that do not count.

use std::collections::BTreeMap;

use bonafix_model::Discarded;

/// How often differences were set aside, by reason, each with its first example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discards {
    by_reason: BTreeMap<String, (u64, String)>,
}

impl Discards {
    /// Counts one input. The example is asked for only if it is the first of its reason.
    pub fn add(&mut self, reason: &str, example: impl FnOnce() -> String) {
        match self.by_reason.get_mut(reason) {
            Some((inputs, _)) => *inputs += 1,
            None => drop(self.by_reason.insert(reason.to_owned(), (1, example()))),
        }
    }

    /// How many inputs in all.
    pub fn total(&self) -> u64 {
        self.by_reason.values().map(|(inputs, _)| inputs).sum()
    }

    /// For the report, in the order of the reasons.
    pub fn into_discarded(self) -> Vec<Discarded> {
        let entry = |(reason, (inputs, example))| Discarded { reason, inputs, example };
        self.by_reason.into_iter().map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_example_of_each_reason_stays() {
        let mut discards = Discards::default();
        for (reason, example) in [("rounding", "a"), ("flaky", "b"), ("rounding", "c")] {
            discards.add(reason, || example.to_owned());
        }
        assert_eq!(discards.total(), 3);
        let rows: Vec<_> = discards
            .into_discarded()
            .into_iter()
            .map(|row| format!("{} {} {}", row.reason, row.inputs, row.example))
            .collect();
        assert_eq!(rows, ["flaky 1 b", "rounding 2 a"]);
    }
}
