//! Makes one verdict of all that the techniques found on a plausible patch.

use bonafix_model::{Effort, Evidence, InconclusiveReason, Outcome, Strength, Verdict};

/// The verdict on a plausible patch, from what was found and what was tried: one effort for each technique that judged
/// it. The order of either does not matter.
pub fn combine(evidence: &[Evidence], efforts: &[Effort]) -> Verdict {
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
    if efforts.is_empty() {
        return Verdict::inconclusive(
            InconclusiveReason::NotJudged,
            "plausible: it fixes what shows the bug and breaks no test; no technique has judged it",
        );
    }
    let tried = Tried::in_all(efforts);
    if tried.reached == 0 {
        return Verdict::inconclusive(InconclusiveReason::NotExercised, tried.without_reach());
    }
    Verdict::of(Outcome::Unrefuted, tried.without_result())
}

/// What was tried by all techniques together.
struct Tried {
    inputs: u64,
    reached: u64,
    /// Of the technique that went farthest: branches taken, and of how many.
    branches: Option<(u32, u32)>,
    discarded: u64,
    /// Somebody said what is right.
    has_reference: bool,
    /// Somebody looked for what fails anew.
    looked_for_failures: bool,
    /// Somebody looked for crashes and errors of memory.
    looked_for_faults: bool,
}

impl Tried {
    fn in_all(efforts: &[Effort]) -> Self {
        let branches = efforts.iter().filter(|effort| effort.branches > 0);
        let looked_for_faults = efforts.iter().any(|effort| effort.technique == crate::opad::NAME);
        // Of a program that reads bytes all techniques see the same inputs; others have searches of their own.
        let in_all = |counts: &mut dyn Iterator<Item = u64>| {
            if looked_for_faults { counts.max().unwrap_or_default() } else { counts.sum() }
        };
        Self {
            inputs: in_all(&mut efforts.iter().map(|effort| effort.inputs)),
            reached: in_all(&mut efforts.iter().map(|effort| effort.reached)),
            looked_for_faults,
            branches: branches.map(|effort| (effort.branches_taken, effort.branches)).max(),
            has_reference: efforts.iter().any(|effort| effort.technique == crate::rgt::NAME),
            looked_for_failures: efforts.iter().any(|effort| effort.technique == crate::new_failures::NAME),
            discarded: efforts.iter().flat_map(|effort| &effort.discarded).map(|row| row.inputs).sum(),
        }
    }

    fn without_reach(&self) -> String {
        match self.inputs {
            0 => "no input could be made that leads to the change, so nothing can be said of it".to_owned(),
            1 => "the only input did not reach the change, so nothing can be said of it".to_owned(),
            inputs => format!("none of {inputs} inputs reached the change, so nothing can be said of it"),
        }
    }

    fn without_result(&self) -> String {
        let branches = match self.branches {
            Some((taken, all)) => format!(" and took {taken} of the {all} branches of the changed code"),
            None => String::new(),
        };
        let remarks = match self.discarded {
            0 => String::new(),
            1 => " (1 shows one that is a mere remark)".to_owned(),
            many => format!(" ({many} show one that is a mere remark)"),
        };
        let Self { reached, inputs, .. } = self;
        let reach = format!("{reached} of {inputs} inputs reached the change{branches}");
        if self.has_reference {
            let faults = if self.looked_for_faults { " or a new crash or error of memory" } else { "" };
            format!("{reach}; none shows a difference that counts{faults}{remarks}")
        } else {
            let failures = match (self.looked_for_faults, self.looked_for_failures) {
                (true, _) => "; none crashes or breaks memory that ran well on the buggy version",
                (_, true) => "; none fails that ran well on the buggy version",
                _ => "",
            };
            format!(
                "{reach}{failures}. Nobody has said what is right: with a fix that \
                 you trust, given by `--reference`, rgt would look for inputs on which the two differ"
            )
        }
    }
}

/// A proof needs a witness that gave the same result in every replay; anything less is a heuristic.
fn is_proof(finding: &Evidence) -> bool {
    finding.strength == Strength::Proof && finding.witness.as_ref().is_some_and(bonafix_model::Witness::holds)
}

fn first_by_text<'a>(findings: impl Iterator<Item = &'a Evidence>) -> Option<&'a Evidence> {
    findings.min_by(|a, b| (&a.technique, &a.summary).cmp(&(&b.technique, &b.summary)))
}

fn summary(first: Option<&Evidence>, count: usize) -> String {
    let text = first.map(told).unwrap_or_default();
    if count > 1 { format!("{text} (and {} more)", count - 1) } else { text }
}

/// `rgt (assert): …`
fn told(finding: &Evidence) -> String {
    let class = finding.exhibit.as_ref().map(|exhibit| format!(" ({})", exhibit.class.name()));
    format!("{}{}: {}", finding.technique, class.unwrap_or_default(), finding.summary)
}

#[cfg(test)]
mod tests {
    use bonafix_model::{DifferenceClass, Discarded, Exhibit, Witness};

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

    fn effort(inputs: u64, reached: u64) -> Effort {
        Effort { technique: "rgt".to_owned(), inputs, reached, ..Effort::default() }
    }

    fn reached() -> Vec<Effort> {
        vec![effort(9, 5)]
    }

    fn outcome(evidence: &[Evidence], efforts: &[Effort]) -> Outcome {
        combine(evidence, efforts).outcome
    }

    #[test]
    fn a_witness_that_held_in_every_replay_refutes() {
        assert_eq!(outcome(&[finding(Strength::Proof, 3, 3)], &reached()), Outcome::Refuted);
    }

    #[test]
    fn a_claim_without_a_witness_never_refutes() {
        assert_eq!(outcome(&[finding(Strength::Proof, 0, 0)], &reached()), Outcome::Suspicious);
    }

    #[test]
    fn a_witness_that_failed_one_replay_never_refutes() {
        assert_eq!(outcome(&[finding(Strength::Proof, 3, 2)], &reached()), Outcome::Suspicious);
    }

    #[test]
    fn a_heuristic_makes_a_patch_suspicious_at_most() {
        assert_eq!(outcome(&[finding(Strength::Heuristic, 3, 3)], &reached()), Outcome::Suspicious);
    }

    #[test]
    fn a_remark_changes_nothing() {
        assert_eq!(outcome(&[finding(Strength::Remark, 3, 3)], &reached()), Outcome::Unrefuted);
    }

    #[test]
    fn a_change_that_was_never_reached_gets_no_praise() {
        for (inputs, text) in
            [(400, "none of 400 inputs"), (1, "the only input"), (0, "no input could be made")]
        {
            let verdict = combine(&[], &[effort(inputs, 0)]);
            assert_eq!(verdict.inconclusive, Some(InconclusiveReason::NotExercised));
            assert!(verdict.summary.starts_with(text), "{}", verdict.summary);
        }
    }

    #[test]
    fn a_patch_that_nobody_judged_gets_no_praise() {
        let verdict = combine(&[], &[]);
        assert_eq!(verdict.inconclusive, Some(InconclusiveReason::NotJudged));
    }

    #[test]
    fn an_unrefuted_patch_says_what_was_tried() {
        let discarded = |inputs| Discarded { reason: "rounding".to_owned(), inputs, example: String::new() };
        let summary = |effort: Effort| combine(&[], &[effort]).summary;
        assert_eq!(
            summary(effort(9, 5)),
            "5 of 9 inputs reached the change; none shows a difference that counts"
        );
        let thorough = Effort { branches: 8, branches_taken: 7, ..effort(9, 5) };
        assert_eq!(
            summary(Effort { discarded: vec![discarded(1)], ..thorough.clone() }),
            "5 of 9 inputs reached the change and took 7 of the 8 branches of the changed code; none shows a \
             difference that counts (1 shows one that is a mere remark)"
        );
        assert!(
            summary(Effort { discarded: vec![discarded(2), discarded(3)], ..thorough })
                .ends_with("(5 show one that is a mere remark)")
        );
    }

    #[test]
    fn without_a_reference_the_verdict_says_that_nobody_knows_what_is_right() {
        let alone = Effort { technique: "new-failures".to_owned(), ..effort(9, 5) };
        let verdict = combine(&[], &[alone]);
        assert_eq!(verdict.outcome, Outcome::Unrefuted);
        assert!(
            verdict.summary.contains("none fails that ran well") && verdict.summary.contains("`--reference`")
        );
    }

    #[test]
    fn techniques_that_share_a_fuzzer_share_its_inputs() {
        let of = |technique: &str| Effort { technique: technique.to_owned(), ..effort(9, 5) };
        assert_eq!(
            combine(&[], &[of("rgt"), of("opad")]).summary,
            "5 of 9 inputs reached the change; none shows a difference that counts or a new crash or error of memory"
        );
        let alone = combine(&[], &[of("opad")]).summary;
        assert!(
            alone
                .starts_with("5 of 9 inputs reached the change; none crashes or breaks memory that ran well")
        );
    }

    #[test]
    fn a_refuted_patch_says_by_what_and_how() {
        let exhibit = Exhibit {
            class: DifferenceClass::Assert,
            input: Vec::new(),
            what: String::new(),
            expected: String::new(),
            actual: String::new(),
            buggy: None,
        };
        let proof = Evidence { exhibit: Some(exhibit), ..finding(Strength::Proof, 3, 3) };
        assert_eq!(combine(&[proof], &reached()).summary, "rgt (assert): f(3) is 4, not 5");
    }

    #[test]
    fn the_order_of_findings_does_not_matter() {
        let mut findings = vec![
            finding(Strength::Remark, 0, 0),
            finding(Strength::Heuristic, 0, 0),
            finding(Strength::Proof, 3, 3),
            Evidence { summary: "another".to_owned(), ..finding(Strength::Proof, 3, 3) },
        ];
        let forwards = combine(&findings, &reached());
        findings.reverse();
        assert_eq!(combine(&findings, &reached()), forwards);
    }
}
