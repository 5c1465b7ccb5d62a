//! Makes one verdict of all that the techniques found on a plausible patch.

use bonafix_model::{Evidence, InconclusiveReason, Outcome, Strength, Verdict};

/// How far the change was exercised, over all techniques that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exercise {
    /// Techniques that judged the patch.
    pub techniques: u32,
    /// Inputs that reached the change.
    pub reached: u64,
    /// Inputs that ran.
    pub inputs: u64,
}

/// The verdict on a plausible patch. The order of the findings does not matter.
pub fn combine(evidence: &[Evidence], exercise: Exercise) -> Verdict {
    let proofs = evidence.iter().filter(|finding| is_proof(finding)).count();
    if proofs > 0 {
        let first = first_by_text(evidence.iter().filter(|finding| is_proof(finding)));
        return Verdict::of(Outcome::Refuted, summary(first, proofs));
    }
    let heuristics = evidence.iter().filter(|finding| finding.strength >= Strength::Heuristic);
    let count = heuristics.clone().count();
    if count > 0 {
        return Verdict::of(Outcome::Suspicious, summary(first_by_text(heuristics), count));
    }
    if exercise.techniques == 0 {
        return Verdict::inconclusive(
            InconclusiveReason::NotJudged,
            "plausible: it fixes what shows the bug and breaks no test; no technique has judged it",
        );
    }
    if exercise.reached == 0 {
        return Verdict::inconclusive(
            InconclusiveReason::NotExercised,
            format!("none of {} inputs reached the change, so nothing can be said of it", exercise.inputs),
        );
    }
    Verdict::of(
        Outcome::Unrefuted,
        format!(
            "{} of {} inputs reached the change and nothing was found",
            exercise.reached, exercise.inputs
        ),
    )
}

/// A proof needs a witness that gave the same result in every replay; anything less is a heuristic.
fn is_proof(finding: &Evidence) -> bool {
    finding.strength == Strength::Proof && finding.witness.as_ref().is_some_and(bonafix_model::Witness::holds)
}

fn first_by_text<'a>(findings: impl Iterator<Item = &'a Evidence>) -> Option<&'a Evidence> {
    findings.min_by(|a, b| (&a.technique, &a.summary).cmp(&(&b.technique, &b.summary)))
}

fn summary(first: Option<&Evidence>, count: usize) -> String {
    let text = first.map(|finding| format!("{}: {}", finding.technique, finding.summary)).unwrap_or_default();
    if count > 1 { format!("{text} (and {} more)", count - 1) } else { text }
}

#[cfg(test)]
mod tests {
    use bonafix_model::Witness;

    use super::*;

    fn finding(strength: Strength, replays: u32, confirmed: u32) -> Evidence {
        let witness = (replays > 0).then(|| Witness {
            folder: "witness-1".into(),
            oracle: "reference".to_owned(),
            replays,
            confirmed,
        });
        Evidence {
            technique: "rgt".to_owned(),
            strength,
            summary: "f(3) is 4, not 5".to_owned(),
            reason: None,
            exhibit: None,
            witness,
        }
    }

    fn reached() -> Exercise {
        Exercise { techniques: 1, reached: 5, inputs: 9 }
    }

    fn outcome(evidence: &[Evidence], exercise: Exercise) -> Outcome {
        combine(evidence, exercise).outcome
    }

    #[test]
    fn a_witness_that_held_in_every_replay_refutes() {
        assert_eq!(outcome(&[finding(Strength::Proof, 3, 3)], reached()), Outcome::Refuted);
    }

    #[test]
    fn a_claim_without_a_witness_never_refutes() {
        assert_eq!(outcome(&[finding(Strength::Proof, 0, 0)], reached()), Outcome::Suspicious);
    }

    #[test]
    fn a_witness_that_failed_one_replay_never_refutes() {
        assert_eq!(outcome(&[finding(Strength::Proof, 3, 2)], reached()), Outcome::Suspicious);
    }

    #[test]
    fn a_heuristic_makes_a_patch_suspicious_at_most() {
        assert_eq!(outcome(&[finding(Strength::Heuristic, 3, 3)], reached()), Outcome::Suspicious);
    }

    #[test]
    fn a_remark_changes_nothing() {
        assert_eq!(outcome(&[finding(Strength::Remark, 3, 3)], reached()), Outcome::Unrefuted);
    }

    #[test]
    fn a_change_that_was_never_reached_gets_no_praise() {
        let exercise = Exercise { techniques: 2, reached: 0, inputs: 400 };
        assert_eq!(combine(&[], exercise).inconclusive, Some(InconclusiveReason::NotExercised));
    }

    #[test]
    fn a_patch_that_nobody_judged_gets_no_praise() {
        assert_eq!(combine(&[], Exercise::default()).inconclusive, Some(InconclusiveReason::NotJudged));
    }

    #[test]
    fn the_order_of_findings_does_not_matter() {
        let mut findings = vec![
            finding(Strength::Remark, 0, 0),
            finding(Strength::Heuristic, 0, 0),
            finding(Strength::Proof, 3, 3),
            Evidence { summary: "another".to_owned(), ..finding(Strength::Proof, 3, 3) },
        ];
        let forwards = combine(&findings, reached());
        findings.reverse();
        assert_eq!(combine(&findings, reached()), forwards);
    }
}
