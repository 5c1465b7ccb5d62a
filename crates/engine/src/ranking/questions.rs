//! What tells two clusters apart, as a test that a person can answer.

use bonafix_judge::rgt::{self, Claim, RgtOptions, Ruling};
use bonafix_lang::{ExploredVersion, LangError, QuestionDraft, WitnessDraft, WitnessError};
use bonafix_model::{RankedPatch, Ranking, Sequence, VersionRole};

use super::{Comparer, Contest, REPETITIONS};
use crate::seen::Seen;

impl Contest<'_> {
    /// Writes a question; where it lies below the run directory, if it can be written. For each of the two clusters its
    /// number and the place of its first patch among the rivals.
    pub(super) fn question(
        &self,
        bench: &Comparer<'_>,
        ranking: &Ranking,
        input: &Sequence,
        clusters: [(u32, usize); 2],
        seen: &[Seen; 2],
    ) -> Result<Option<String>, LangError> {
        let Some((claim, right)) = bench.oriented(input, seen) else { return Ok(None) };
        // Whoever is taken for right comes first.
        let order = [right, 1 - right];
        let versions = order.map(|side| {
            let rival = &self.rivals[clusters[side].1];
            ExploredVersion { role: VersionRole::Patched, change: &rival.change, delta: &rival.report.delta }
        });
        let sides = order.map(|side| told(ranking, clusters[side].0));
        let question = QuestionDraft {
            difference: WitnessDraft {
                catalog: bench.catalog,
                input,
                class: claim.class,
                difference: claim.difference.as_ref(),
                reference: seen[order[0]].behaviour(),
                patched: seen[order[1]].behaviour(),
                precision: RgtOptions::default().tolerance_for(bench.knowledge).relative,
                versions: &versions,
                repetitions: REPETITIONS,
            },
            sides: (&sides[0], &sides[1]),
        };
        let name = format!("clusters-{}-{}", clusters[0].0, clusters[1].0);
        let folder = self.run.make_question_folder(&name);
        let folder = folder.map_err(|error| LangError::Internal(error.to_string()))?;
        match self.explorer.write_question(&question, &folder, self.log) {
            Ok(file) => {
                let path = folder.join(file);
                Ok(Some(path.strip_prefix(self.run.path()).unwrap_or(&path).to_string()))
            }
            Err(WitnessError::Lang(error)) => Err(error),
            Err(other) => {
                tracing::debug!(%other, "no question could be written");
                Ok(None)
            }
        }
    }
}

impl Comparer<'_> {
    /// What counts between two patches, with the number of the one that is taken for right in it.
    fn oriented(&self, input: &Sequence, seen: &[Seen; 2]) -> Option<(Claim, usize)> {
        [0, 1].into_iter().find_map(|right| {
            let (reference, patched) = (seen[right].behaviour(), seen[1 - right].behaviour());
            let options = RgtOptions::default();
            match rgt::judge(input, self.catalog, self.knowledge, reference, patched, &options) {
                Ruling::Evidence(claim) => Some((claim, right)),
                _ => None,
            }
        })
    }
}

/// `cluster 2 (a.diff, b.diff)`, with the numbers of patches whose names others have.
fn told(ranking: &Ranking, number: u32) -> String {
    let name = |row: &RankedPatch| {
        let namesakes = ranking.rows.iter().filter(|other| other.name == row.name).count();
        if namesakes > 1 { format!("{}, patch {}", row.name, row.patch) } else { row.name.clone() }
    };
    let rows = ranking.rows.iter().filter(|row| row.cluster == Some(number));
    format!("cluster {number} ({})", rows.map(name).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_told_by_its_patches_and_those_of_one_name_by_their_numbers() {
        let row = |name: &str, patch, cluster| RankedPatch {
            name: name.to_owned(),
            patch,
            place: patch,
            suspicion: None,
            semantic_distance: None,
            syntactic_distance: None,
            cluster: Some(cluster),
        };
        let rows = vec![row("a.diff", 1, 1), row("b.diff", 2, 1), row("c.diff", 3, 2), row("c.diff", 4, 1)];
        let ranking = Ranking { rows, ..Ranking::default() };
        assert_eq!(told(&ranking, 1), "cluster 1 (a.diff; b.diff; c.diff, patch 4)");
        assert_eq!(told(&ranking, 2), "cluster 2 (c.diff, patch 3)");
    }
}
