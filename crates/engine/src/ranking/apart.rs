//! Patches that look alike so far: a search for inputs on which they are not.
//!
//! The searches that judged each patch looked for what it does otherwise than the buggy version, or the reference. Two
//! patches may differ where neither of these does, and then only a search for that very difference tells.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bonafix_generate::{Reaction, Search, SearchOptions};
use bonafix_judge::ranking::clusters;
use bonafix_lang::{LangError, Run, RunScope};
use bonafix_model::{Budget, Sequence, SequenceOutcome};

use super::{Comparer, Contest, Differing, behaviour, version};

/// Inputs without news after which two patches are taken for the same.
const PATIENCE: u64 = 20_000;
/// Less than that is not worth a search.
const LEAST: Duration = Duration::from_millis(300);

type Pair = (usize, usize);

impl Contest<'_> {
    /// Searches, for patches that did the same on all inputs so far, for one on which they do not.
    pub(super) fn search_apart(
        &self,
        bench: &Comparer<'_>,
        kept: &[Sequence],
        differing: &mut Vec<Differing>,
        run: &mut dyn Run,
    ) -> Result<(), LangError> {
        let now = Instant::now();
        let end = bench.deadline.map(|deadline| now + deadline.saturating_duration_since(now) * 3 / 4);
        let mut searched: BTreeSet<Pair> = BTreeSet::new();
        loop {
            let mut open = alike(differing, bench.patches);
            open.retain(|pair| !searched.contains(pair));
            let Some(pair) = open.first().copied() else { return Ok(()) };
            let Some(budget) = self.share(end, open.len()) else { return Ok(()) };
            searched.insert(pair);
            if let Some(input) = self.search_pair(bench, pair, kept, budget, run)?
                && let Some(seen) = bench.tell_apart(&input, run)?
            {
                differing.push(seen);
            }
        }
    }

    /// What one of so many searches may cost; none if that is not worth it.
    fn share(&self, end: Option<Instant>, searches: usize) -> Option<Budget> {
        match (self.budget, end) {
            (Budget::Time(_), Some(end)) => {
                let left = end.saturating_duration_since(Instant::now());
                let share = left / u32::try_from(searches).unwrap_or(u32::MAX);
                (share >= LEAST).then_some(Budget::Time(share))
            }
            (budget, _) => Some(budget),
        }
    }

    fn search_pair(
        &self,
        bench: &Comparer<'_>,
        pair: Pair,
        kept: &[Sequence],
        budget: Budget,
        run: &mut dyn Run,
    ) -> Result<Option<Sequence>, LangError> {
        let goals = run.goals().to_vec();
        let versions = [version(pair.0), version(pair.1)];
        let options = SearchOptions {
            seed: self.seed,
            budget,
            scope: RunScope { versions: versions.to_vec(), show_all: false, ..RunScope::default() },
            patience: PATIENCE,
            kept: kept.to_vec(),
        };
        let mut found = None;
        Search::new(bench.knowledge, bench.catalog, &goals, options).run(
            run,
            &mut |finding, run| {
                if !bench.is_apart(&finding.input, &finding.outcome, versions, run)? {
                    return Ok(Reaction::Continue);
                }
                found = Some(finding.input.clone());
                Ok(Reaction::Stop)
            },
            &mut |_| {},
        )?;
        Ok(found)
    }
}

impl Comparer<'_> {
    /// Do two patches differ on an input in a way that counts, and do so again in fresh state?
    fn is_apart(
        &self,
        input: &Sequence,
        outcome: &SequenceOutcome,
        pair: [u32; 2],
        run: &mut dyn Run,
    ) -> Result<bool, LangError> {
        let may_differ = matches!(outcome, SequenceOutcome::Failed { .. }) || self.counts(input, outcome);
        Ok(may_differ && self.shown(input, pair, run)?.is_some())
    }
}

/// For each patch that did the same as an earlier one on all inputs, the first such and itself.
fn alike(differing: &[Differing], patches: usize) -> Vec<Pair> {
    let behaviours: Vec<Vec<Option<u32>>> = (0..patches).map(|patch| behaviour(differing, patch)).collect();
    let clusters = clusters(behaviours.iter().map(Vec::as_slice));
    let first = |patch: usize| clusters.iter().position(|cluster| *cluster == clusters[patch]);
    (0..patches)
        .filter_map(|patch| Some((first(patch)?, patch)))
        .filter(|(first, patch)| first < patch)
        .collect()
}

#[cfg(test)]
mod tests {
    use bonafix_judge::agreement::Answers;

    use super::*;

    fn differing(classes: &[u32]) -> Differing {
        let answers = Answers { classes: classes.to_vec(), new: vec![true; classes.len()] };
        Differing { input: Sequence { steps: Vec::new() }, answers }
    }

    #[test]
    fn each_patch_is_searched_against_the_first_that_does_the_same_so_far() {
        assert_eq!(alike(&[], 3), [(0, 1), (0, 2)]);
        assert_eq!(alike(&[differing(&[0, 1, 0, 1])], 4), [(0, 2), (1, 3)]);
        assert_eq!(alike(&[differing(&[0, 1, 0, 1]), differing(&[0, 0, 1, 0])], 4), [(1, 3)]);
    }
}
