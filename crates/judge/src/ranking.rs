//! Several patches for one bug: the order in which to read them, which of them do the same, and what reading in any order
//! would cost.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use bonafix_model::{
    Outcome, PatchCluster, RandomPick, RankedPatch, Ranking, Reading, Similarity, SyntacticDistance,
};

/// How sure one wants to be to have met a correct patch.
pub const CONFIDENCE: f64 = 0.85;
/// For so many correct patches it is told how many have to be read.
const READINGS: u32 = 10;
/// Probabilities that differ by less are the same, computed in two ways.
const ROUNDING: f64 = 1e-12;

/// What is known of a patch that is ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<Digest> {
    /// Its name, which others may have too.
    pub name: String,
    /// Its number, which it has alone.
    pub number: u32,
    /// What was said of it.
    pub outcome: Outcome,
    /// See [`suspicion`].
    pub suspicion: Option<f64>,
    /// How far it is from the buggy version in what tests do.
    pub semantic_distance: Option<f64>,
    /// How far it is from the buggy version in its text.
    pub syntactic_distance: Option<SyntacticDistance>,
    /// For each input what it did, the same inputs for all candidates; nothing where that is not known or not stable.
    pub behaviour: Vec<Option<Digest>>,
}

/// Puts patches into an order that depends on nothing but what is known of them.
pub fn rank<Digest: Ord>(mut candidates: Vec<Candidate<Digest>>) -> Ranking {
    candidates.sort_by(before);
    let clusters = clusters(candidates.iter().map(|candidate| candidate.behaviour.as_slice()));
    let plausible = candidates.iter().filter(|candidate| candidate.outcome != Outcome::Invalid).count();
    let row = |(candidate, (place, cluster)): (&Candidate<Digest>, (u32, &Option<u32>))| RankedPatch {
        name: candidate.name.clone(),
        patch: candidate.number,
        place,
        suspicion: candidate.suspicion,
        semantic_distance: candidate.semantic_distance,
        syntactic_distance: candidate.syntactic_distance,
        cluster: *cluster,
    };
    let rows: Vec<RankedPatch> = candidates.iter().zip((1..).zip(&clusters)).map(row).collect();
    Ranking {
        clusters: members(&rows),
        inputs_left_out: 0,
        telling: Vec::new(),
        rows,
        random_pick: u32::try_from(plausible).ok().and_then(|patches| random_picks(patches, CONFIDENCE)),
    }
}

/// Better outcomes first; then what less speaks against, what changes less in what tests do, what changes less in the
/// text; then by name and number. What is not known is behind what is.
fn before<Digest>(a: &Candidate<Digest>, b: &Candidate<Digest>) -> Ordering {
    promise(a.outcome)
        .cmp(&promise(b.outcome))
        .then_with(|| unknown_last(a.suspicion, b.suspicion, f64::total_cmp))
        .then_with(|| unknown_last(a.semantic_distance, b.semantic_distance, f64::total_cmp))
        .then_with(|| unknown_last(a.syntactic_distance, b.syntactic_distance, nearer))
        .then_with(|| a.name.cmp(&b.name))
        .then_with(|| a.number.cmp(&b.number))
}

/// Of the same figure the one that is exact comes last: the other may be less.
fn nearer(a: &SyntacticDistance, b: &SyntacticDistance) -> Ordering {
    a.nodes.cmp(&b.nodes).then_with(|| b.at_most.cmp(&a.at_most))
}

/// The less, the more one may hope for.
fn promise(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Unrefuted => 0,
        Outcome::Inconclusive => 1,
        Outcome::Suspicious => 2,
        Outcome::Refuted => 3,
        Outcome::Invalid => 4,
    }
}

fn unknown_last<T>(a: Option<T>, b: Option<T>, compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare(&a, &b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

/// How much PATCH-SIM has against a patch, from 0 to 1: the larger one of `Ap / (Ap + Kp)` and `Ap / (Ap + Af)`. It is 0.5
/// where a condition just holds, and above where more than that; nothing without a passing test.
pub fn suspicion(similarity: &Similarity) -> Option<f64> {
    let ap = similarity.ap?;
    let share = |other: f64| if ap + other > 0.0 { ap / (ap + other) } else { 0.5 };
    let share = share(similarity.kp).max(similarity.af.map_or(0.0, share));
    Some(match similarity.against {
        // A tie but for the last bit is a tie, and what a passing test loses is as much as a condition that just holds.
        Some(_) => share.max(0.5),
        None => share,
    })
}

/// For each of these patches the number of its cluster, from 1 in the order given. Patches that did the same on every input
/// are in one. One with an input of which it is not known what it did is alone, and one that was run on nothing in none.
pub fn clusters<'b, Digest: Ord + 'b>(
    behaviours: impl IntoIterator<Item = &'b [Option<Digest>]>,
) -> Vec<Option<u32>> {
    let mut known: BTreeMap<Vec<&Digest>, u32> = BTreeMap::new();
    let mut next = 1..;
    let mut cluster = |behaviour: &'b [Option<Digest>]| {
        let whole: Option<Vec<&Digest>> = behaviour.iter().map(Option::as_ref).collect();
        match whole {
            Some(nothing) if nothing.is_empty() => None,
            Some(whole) => known.get(&whole).copied().or_else(|| {
                let number = next.next()?;
                known.insert(whole, number);
                Some(number)
            }),
            None => next.next(),
        }
    };
    behaviours.into_iter().map(&mut cluster).collect()
}

fn members(rows: &[RankedPatch]) -> Vec<PatchCluster> {
    let mut by_number: BTreeMap<u32, PatchCluster> = BTreeMap::new();
    for (number, row) in rows.iter().filter_map(|row| Some((row.cluster?, row))) {
        let none = || PatchCluster { number, patches: Vec::new(), numbers: Vec::new() };
        let cluster = by_number.entry(number).or_insert_with(none);
        cluster.patches.push(row.name.clone());
        cluster.numbers.push(row.patch);
    }
    by_number.into_values().collect()
}

/// How many patches one reads, picked at random, until one is so sure to have met a correct one; nothing if there is none.
///
/// After `k` readings none was correct with the probability `C(wrong, k) / C(total, k)`.
pub fn random_pick(total: u32, correct: u32, confidence: f64) -> Option<u32> {
    let wrong = total.checked_sub(correct).filter(|_| correct > 0)?;
    let mut all_wrong = 1.0;
    for read in 0..=wrong {
        if 1.0 - all_wrong >= confidence - ROUNDING {
            return Some(read);
        }
        all_wrong *= f64::from(wrong - read) / f64::from(total - read);
    }
    Some(wrong + 1)
}

/// The same for one, two … correct patches, until one reading is enough. Nothing to be said of fewer than two patches.
pub fn random_picks(total: u32, confidence: f64) -> Option<RandomPick> {
    if total < 2 {
        return None;
    }
    let mut readings: Vec<Reading> = Vec::new();
    for correct in 1..=total.min(READINGS) {
        let read = random_pick(total, correct, confidence)?;
        readings.push(Reading { correct, read });
        if read <= 1 {
            break;
        }
    }
    Some(RandomPick { patches: total, confidence, readings })
}
