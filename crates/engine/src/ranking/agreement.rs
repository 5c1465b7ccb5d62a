//! Patches that agree, as evidence against one that does not.

use bonafix_judge::agreement::{self, Answers, Dissent, Voter};
use bonafix_judge::ranking::{self, Candidate};
use bonafix_lang::{LangError, Run};
use bonafix_model::{Evidence, Exhibit, Outcome, PatchReport, Sequence, Strength};

use super::{BUGGY, Comparer, Contest, Differing, Rival, version, what};

impl Contest<'_> {
    /// What others that agree say against each patch.
    pub(super) fn dissents(
        &self,
        candidates: &[Candidate<u32>],
        bench: &Comparer<'_>,
        differing: &[Differing],
        run: &mut dyn Run,
    ) -> Result<Vec<(usize, Evidence)>, LangError> {
        if !self.votes {
            return Ok(Vec::new());
        }
        let voters = self.voters(candidates)?;
        let answers = differing.iter().map(|input| input.answers.clone()).collect::<Vec<Answers>>();
        let mut found = Vec::new();
        for dissent in agreement::dissents(&voters, &answers) {
            let input = &differing[dissent.input].input;
            if let Some(evidence) = self.evidence(&dissent, input, bench, run)? {
                found.push((dissent.voter, evidence));
            }
        }
        Ok(found)
    }

    fn voters(&self, candidates: &[Candidate<u32>]) -> Result<Vec<Voter>, LangError> {
        let clusters = ranking::clusters(candidates.iter().map(|candidate| candidate.behaviour.as_slice()));
        let voter = |(rival, cluster): (&Rival<'_>, Option<u32>)| {
            Ok(Voter { code: self.code(rival)?, cluster, in_doubt: is_in_doubt(rival.report) })
        };
        self.rivals.iter().zip(clusters).map(voter).collect()
    }

    /// The same for patches that have one voice: of the same instructions, and all that only take something away. Of two
    /// tools that make the same statement have no effect, one by removing it, the other is no second opinion.
    fn code(&self, rival: &Rival<'_>) -> Result<String, LangError> {
        if rival.report.delta.only_takes_away() {
            return Ok("takes away".to_owned());
        }
        self.explorer.code_key(&rival.change, self.log)
    }

    fn evidence(
        &self,
        dissent: &Dissent,
        input: &Sequence,
        bench: &Comparer<'_>,
        run: &mut dyn Run,
    ) -> Result<Option<Evidence>, LangError> {
        let (one, other) = (version(dissent.agreeing[0]), version(dissent.voter));
        let small = bench.smaller(input, [one, other], run)?;
        // What was made smaller may be something that the others do not agree on any more.
        let agreed = bench.tell_apart(&small, run)?.is_some_and(|seen| dissent.shows_in(&seen.answers));
        let input = if agreed { &small } else { input };
        let Some(claim) = bench.shown(input, [one, other], run)?.map(|(claim, _)| claim) else {
            return Ok(None);
        };
        let buggy = bench.shown(input, [one, BUGGY], run)?.map(|(claim, _)| claim.actual);
        let names: Vec<&str> =
            dissent.agreeing.iter().map(|number| self.rivals[*number].report.name.as_str()).collect();
        let what = what(&claim);
        Ok(Some(Evidence {
            technique: agreement::NAME.to_owned(),
            strength: Strength::Heuristic,
            summary: claim.sentence(&what, &format!("other patches, which agree ({})", names.join(", "))),
            reason: None,
            exhibit: Some(Exhibit {
                class: claim.class,
                input: self.explorer.render(bench.catalog, input),
                what,
                expected: claim.expected,
                actual: claim.actual,
                buggy,
            }),
            witness: None,
        }))
    }
}

/// Does something speak against a patch, or is that not known because none of its tests could be compared? Such a patch
/// vouches for no other.
fn is_in_doubt(report: &PatchReport) -> bool {
    let is_suspected = matches!(report.verdict.outcome, Outcome::Suspicious | Outcome::Refuted);
    is_suspected
        || report
            .similarity
            .as_ref()
            .is_some_and(|similarity| similarity.ap.is_none() && similarity.af.is_none())
}

#[cfg(test)]
mod tests {
    use bonafix_judge::patch_sim;
    use bonafix_model::{Distance, InconclusiveReason, TestClass, TestFigures, TestOrigin, Verdict};

    use super::*;

    /// Found on two wrong patches that outvoted another one while there had been no time to trace anything of one of them.
    #[test]
    fn a_patch_of_which_no_test_was_compared_vouches_for_nobody() {
        let exact = Distance { value: 0.1, at_most: false };
        let failing = TestFigures {
            name: "T.a".to_owned(),
            origin: TestOrigin::Original,
            class: TestClass::Failing,
            to_passing: None,
            to_failing: None,
            change: exact,
            change_around: exact,
            shared: 10,
            lost: 0,
            calls: None,
            differs: None,
            statements: (10, 10),
        };
        let verdict = Verdict::inconclusive(InconclusiveReason::NotJudged, "");
        let mut report = PatchReport::new("a.diff", "", verdict);
        assert!(!is_in_doubt(&report), "it was not asked for");
        let of = |tests| {
            Some(patch_sim::similarity(tests, Vec::new(), None, false, &patch_sim::Options::default()))
        };
        report.similarity = of(vec![failing]);
        assert!(!is_in_doubt(&report));
        report.similarity = of(Vec::new());
        assert!(is_in_doubt(&report));
    }
}
