//! How often bonafix was right.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::record::{Record, Standing};

/// The counts of a set of records.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Score {
    pub(super) overfitting: usize,
    /// Of these, how many were refuted.
    pub(super) found: usize,
    pub(super) correct: usize,
    /// Of these, how many were refuted.
    pub(super) false_alarms: usize,
    /// Overfitting or correct, and nothing could be said.
    pub(super) inconclusive: usize,
    /// Called invalid: left out of all the above.
    pub(super) invalid: usize,
    /// Without an outcome: left out as well.
    pub(super) failed: usize,
    /// The share of overfitting patches that were found, averaged over bugs.
    pub(super) found_by_bug: Option<f64>,
    /// The share of correct patches that were refuted, averaged over bugs.
    pub(super) false_by_bug: Option<f64>,
    /// Over patches that were judged at all, as all the times.
    pub(super) median_seconds: f64,
    pub(super) longest_seconds: f64,
    pub(super) total_seconds: f64,
}

impl Score {
    pub(super) fn of(records: &[&Record]) -> Self {
        let mut score = Self::counts(records.iter().copied());
        let cases = groups(records.iter().copied(), |record| record.case.clone());
        let cases: Vec<Self> = cases.into_values().map(|part| Self::counts(part.into_iter())).collect();
        score.found_by_bug = average(cases.iter().filter_map(|case| share(case.found, case.overfitting)));
        score.false_by_bug = average(cases.iter().filter_map(|case| share(case.false_alarms, case.correct)));
        score
    }

    fn counts<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        let mut score = Self::default();
        let mut times = Vec::new();
        for record in records {
            score.add(record);
            if !matches!(record.outcome(), "invalid" | "error") {
                times.push(record.milliseconds());
            }
        }
        times.sort_unstable();
        score.median_seconds = seconds(times.get(times.len() / 2).copied().unwrap_or_default());
        score.longest_seconds = seconds(times.last().copied().unwrap_or_default());
        score.total_seconds = seconds(times.iter().sum());
        score
    }

    fn add(&mut self, record: &Record) {
        let standing = record.standing();
        match standing {
            Standing::Found | Standing::Missed => self.overfitting += 1,
            Standing::Spared | Standing::FalseAlarm => self.correct += 1,
            Standing::Recognised | Standing::LeftOut => self.invalid += 1,
            Standing::Failed => self.failed += 1,
            Standing::NotRecognised | Standing::Unlabelled => {}
        }
        self.found += usize::from(standing == Standing::Found);
        self.false_alarms += usize::from(standing == Standing::FalseAlarm);
        let counts = matches!(standing, Standing::Missed | Standing::Spared);
        self.inconclusive += usize::from(counts && record.outcome() == "inconclusive");
    }

    /// As it stands in the file of results.
    pub(super) fn json(&self) -> Value {
        json!({
            "overfitting": self.overfitting, "found": self.found, "correct": self.correct,
            "false_alarms": self.false_alarms, "inconclusive": self.inconclusive, "invalid": self.invalid,
            "failed": self.failed, "found_by_bug": self.found_by_bug, "false_by_bug": self.false_by_bug,
            "median_seconds": self.median_seconds, "longest_seconds": self.longest_seconds,
            "total_seconds": self.total_seconds,
        })
    }
}

/// How steady the findings are over the seeds: found with each of them, and with at least one.
pub(super) fn steadiness(records: &[Record]) -> (usize, usize) {
    let overfitting =
        records.iter().filter(|record| matches!(record.standing(), Standing::Found | Standing::Missed));
    let patches = groups(overfitting, |record| format!("{} {}", record.case, record.patch));
    let found = |record: &&Record| record.standing() == Standing::Found;
    let always = patches.values().filter(|seeds| seeds.iter().all(found)).count();
    let sometimes = patches.values().filter(|seeds| seeds.iter().any(found)).count();
    (always, sometimes)
}

/// The records of each seed.
pub(super) fn by_seed(records: &[Record]) -> Vec<(String, Vec<&Record>)> {
    let seeds = groups(records.iter(), |record| record.seed);
    seeds.into_iter().map(|(seed, part)| (seed.to_string(), part)).collect()
}

/// The records of each case.
pub(super) fn by_case(records: &[Record]) -> Vec<(String, Vec<&Record>)> {
    groups(records.iter(), |record| record.case.clone()).into_iter().collect()
}

fn groups<'a, K: Ord>(
    records: impl Iterator<Item = &'a Record>,
    key: impl Fn(&Record) -> K,
) -> BTreeMap<K, Vec<&'a Record>> {
    let mut groups: BTreeMap<K, Vec<&Record>> = BTreeMap::new();
    for record in records {
        groups.entry(key(record)).or_default().push(record);
    }
    groups
}

/// Which part of the whole; of nothing there is none.
#[expect(clippy::cast_precision_loss, reason = "numbers of patches are far below 2^52")]
pub(super) fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^52")]
fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a run are far below 2^52")]
pub(super) fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(case: &str, patch: &str, label: &str, outcome: &str, seed: u64) -> Record {
        let sample = Record::sample(label, outcome);
        Record { case: case.to_owned(), patch: patch.to_owned(), seed, ..sample }
    }

    #[test]
    fn scores_count_patches_and_average_over_bugs() {
        let records = [
            record("a", "1", "overfitting", "refuted", 1),
            record("b", "1", "overfitting", "unrefuted", 1),
            record("b", "2", "overfitting", "inconclusive", 1),
            record("b", "3", "correct", "refuted", 1),
            record("b", "4", "correct", "invalid", 1),
            record("b", "5", "invalid", "invalid", 1),
        ];
        let score = Score::of(&records.iter().collect::<Vec<_>>());
        assert_eq!((score.found, score.overfitting, score.inconclusive), (1, 3, 1));
        assert_eq!((score.false_alarms, score.correct, score.invalid), (1, 1, 2));
        assert_eq!((score.found_by_bug, score.false_by_bug), (Some(0.5), Some(1.0)));
        assert!((score.median_seconds - 1.5).abs() < 1e-9);
    }

    #[test]
    fn an_error_counts_for_nothing_but_itself() {
        let mut failed = record("a", "1", "overfitting", "refuted", 1);
        failed.error = Some("x".to_owned());
        let score = Score::of(&[&failed]);
        assert_eq!((score.failed, score.overfitting, score.found_by_bug), (1, 0, None));
    }

    #[test]
    fn a_patch_found_with_one_seed_of_two_is_not_found_steadily() {
        let records = [
            record("a", "1", "overfitting", "refuted", 1),
            record("a", "1", "overfitting", "unrefuted", 2),
            record("a", "2", "overfitting", "refuted", 1),
            record("a", "2", "overfitting", "refuted", 2),
        ];
        assert_eq!(steadiness(&records), (1, 2));
        assert_eq!(by_seed(&records).len(), 2);
    }
}
