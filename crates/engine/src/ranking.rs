//! Several plausible patches of one bug, side by side: which behave alike, which input tells others apart, and in which
//! order to read them.
//!
//! All of them are run at once on the inputs that the searches kept and on those of the tests. Two patches do the same with
//! an input if RGT would find nothing to count in it, whichever of the two were the reference.

mod agreement;
mod apart;
mod questions;

use std::time::Instant;

use bonafix_generate::Allowance;
use bonafix_judge::agreement::Answers;
use bonafix_judge::ranking::{self, Candidate};
use bonafix_judge::rgt::{self, Claim, RgtOptions, Ruling};
use bonafix_lang::{Explore, ExploreRequest, Explored, ExploredVersion, LangError, Run, RunScope};
use bonafix_model::{
    Budget, Catalog, Confirmation, Delta, Evidence, InputSet, Knowledge, Observation, Outcome, PatchReport,
    Ranking, Sequence, SequenceOutcome, TellingInput, TestId, TreeChange, VersionRole,
};
use bonafix_store::RunDir;
use camino::Utf8Path;

use crate::judging::deadline;
use crate::seen::Seen;

/// Patches that are run side by side; the VM holds each of them.
const MOST_PATCHES: usize = 24;
/// Inputs that all of them are run on.
const MOST_INPUTS: usize = 1000;
/// Inputs on which some of them differ; clusters are told from no more.
const MOST_DIFFERING: usize = 120;
/// How often such an input is run again, in fresh state.
const REPETITIONS: u32 = 3;
/// Inputs that making a telling one smaller may cost.
const MINIMISING: u64 = 1000;
/// Pairs of clusters for which a telling input is looked for.
const MOST_PAIRS: usize = 15;

/// A plausible patch that is compared with others.
pub(crate) struct Rival<'a> {
    /// Among all patches of the run, from 1.
    pub(crate) number: u32,
    pub(crate) report: &'a PatchReport,
    pub(crate) change: TreeChange,
}

/// All plausible patches of a run.
pub(crate) struct Contest<'a> {
    pub(crate) explorer: &'a dyn Explore,
    pub(crate) rivals: Vec<Rival<'a>>,
    pub(crate) failing: &'a [TestId],
    pub(crate) passing: &'a [TestId],
    pub(crate) heap_mib: u32,
    /// Where chance begins.
    pub(crate) seed: u64,
    /// What each search for a difference of two patches may cost, or all of them together if it is a time.
    pub(crate) budget: Budget,
    /// Those that agree are held against those that do not.
    pub(crate) votes: bool,
    pub(crate) kept: &'a [InputSet],
    pub(crate) log: &'a Utf8Path,
    /// Where questions to a person are written.
    pub(crate) run: &'a RunDir,
}

/// What came of it.
pub(crate) struct Contested {
    pub(crate) ranking: Ranking,
    /// What others that agree say against a patch, by its number in the order of the rivals.
    pub(crate) dissents: Vec<(usize, Evidence)>,
}

/// Ranks patches by what is known of each alone.
pub(crate) fn without_clusters(rivals: &[Rival<'_>]) -> Ranking {
    ranking::rank(rivals.iter().map(|rival| candidate(rival, Vec::new())).collect())
}

fn candidate(rival: &Rival<'_>, behaviour: Vec<Option<u32>>) -> Candidate<u32> {
    let report = rival.report;
    Candidate {
        name: report.name.clone(),
        number: rival.number,
        outcome: report.verdict.outcome,
        suspicion: report.similarity.as_ref().and_then(ranking::suspicion),
        semantic_distance: report.similarity.as_ref().and_then(|similarity| similarity.semantic_distance),
        syntactic_distance: report.delta.syntactic_distance(),
        behaviour,
    }
}

impl Contest<'_> {
    pub(crate) fn carry_out(&self) -> Result<Contested, LangError> {
        let nothing = (TreeChange::default(), Delta::default());
        let mut versions =
            vec![ExploredVersion { role: VersionRole::Buggy, change: &nothing.0, delta: &nothing.1 }];
        versions.extend(self.rivals.iter().take(MOST_PATCHES).map(|rival| ExploredVersion {
            role: VersionRole::Patched,
            change: &rival.change,
            delta: &rival.report.delta,
        }));
        let request = ExploreRequest {
            versions: &versions,
            failing: self.failing,
            passing: self.passing,
            heap_mib: self.heap_mib,
        };
        let Explored { mut run, knowledge, .. } = self.explorer.explore(&request, self.log)?;
        let catalog = run.catalog().clone();
        let bench = Comparer {
            catalog: &catalog,
            knowledge: &knowledge,
            patches: versions.len() - 1,
            // What is built and loaded first is not what the time is for.
            deadline: deadline(self.budget, Instant::now()),
        };
        let kept = self.inputs(&catalog, &knowledge);
        let Compared { mut differing, left_out } = bench.differing(&kept, run.as_mut())?;
        if self.votes {
            self.search_apart(&bench, &kept, &mut differing, run.as_mut())?;
        }
        let seen = |number: usize| {
            let known = number < bench.patches && is_known(&differing, left_out);
            if known { behaviour(&differing, number) } else { Vec::new() }
        };
        let mut candidates: Vec<Candidate<u32>> =
            self.rivals.iter().enumerate().map(|(number, rival)| candidate(rival, seen(number))).collect();
        let dissents = self.dissents(&candidates, &bench, &differing, run.as_mut())?;
        for (number, _) in &dissents {
            let outcome = &mut candidates[*number].outcome;
            if *outcome != Outcome::Refuted {
                *outcome = Outcome::Suspicious;
            }
        }
        let mut ranking = ranking::rank(candidates);
        ranking.inputs_left_out = left_out;
        ranking.telling = self.telling_inputs(&ranking, &bench, &differing, run.as_mut())?;
        Ok(Contested { ranking, dissents })
    }

    fn inputs(&self, catalog: &Catalog, knowledge: &Knowledge) -> Vec<Sequence> {
        let mut inputs = knowledge.inputs_of_tests();
        inputs.extend(InputSet::merged(self.kept).resolve(catalog));
        inputs.sort();
        inputs.dedup();
        // The short ones are those that a person understands.
        inputs.sort_by_key(|input| input.steps.len());
        inputs.truncate(MOST_INPUTS);
        inputs
    }

    /// For each two clusters the shortest input that tells them apart, made smaller.
    fn telling_inputs(
        &self,
        ranking: &Ranking,
        bench: &Comparer<'_>,
        differing: &[Differing],
        run: &mut dyn Run,
    ) -> Result<Vec<TellingInput>, LangError> {
        let place = |number: u32| self.rivals.iter().position(|rival| rival.number == number);
        let heads: Vec<(u32, usize)> = ranking
            .clusters
            .iter()
            .filter_map(|cluster| Some((cluster.number, place(*cluster.numbers.first()?)?)))
            .collect();
        let pairs = heads.iter().enumerate().flat_map(|(at, one)| {
            let others = heads.iter().skip(at + 1);
            others.map(move |other| (*one, *other))
        });
        let mut found = Vec::new();
        for (one, other) in pairs.take(MOST_PAIRS) {
            let apart = |input: &&Differing| {
                let classes = &input.answers.classes;
                let classes = classes.get(one.1).zip(classes.get(other.1));
                classes.is_some_and(|(a, b)| a != b)
            };
            let Some(input) = differing.iter().find(apart).filter(|_| !bench.is_late()) else { continue };
            found.extend(self.told(bench, ranking, &input.input, one, other, run)?);
        }
        Ok(found)
    }

    fn told(
        &self,
        bench: &Comparer<'_>,
        ranking: &Ranking,
        input: &Sequence,
        one: (u32, usize),
        other: (u32, usize),
        run: &mut dyn Run,
    ) -> Result<Option<TellingInput>, LangError> {
        let pair = [version(one.1), version(other.1)];
        let small = bench.smaller(input, pair, run)?;
        // What was made smaller may have become something that wavers; then the input as it was has to do.
        let told = match bench.shown(&small, pair, run)? {
            Some(shown) => Some((small, shown)),
            None => bench.shown(input, pair, run)?.map(|shown| (input.clone(), shown)),
        };
        let Some((input, (claim, seen))) = told else { return Ok(None) };
        Ok(Some(TellingInput {
            clusters: (one.0, other.0),
            test: self.question(bench, ranking, &input, [one, other], &seen)?,
            input: self.explorer.render(bench.catalog, &input),
            what: what(&claim),
            answers: (claim.expected, claim.actual),
        }))
    }
}

/// The buggy version among the versions.
const BUGGY: u32 = 0;

/// The number of a patch among the versions, of which the buggy one is the first.
fn version(rival: usize) -> u32 {
    number_of(rival + 1)
}

fn number_of(version: usize) -> u32 {
    u32::try_from(version).unwrap_or(u32::MAX)
}

fn what(claim: &Claim) -> String {
    claim.difference.as_ref().map_or_else(String::new, |difference| difference.location.to_string())
}

/// An input on which patches differ.
struct Differing {
    input: Sequence,
    answers: Answers,
}

/// What comparing patches on given inputs came to.
struct Compared {
    differing: Vec<Differing>,
    /// Inputs on which some may well differ, for which there was no time.
    left_out: u32,
}

/// Is anything known about who behaves like whom? That no difference was found says nothing if nobody had time to look.
fn is_known(differing: &[Differing], left_out: u32) -> bool {
    !differing.is_empty() || left_out == 0
}

/// What a patch did with each of these inputs. One column comes first on which all agree, so that patches that never differ are
/// one cluster.
fn behaviour(differing: &[Differing], patch: usize) -> Vec<Option<u32>> {
    let columns = differing.iter().map(|input| input.answers.classes.get(patch).copied());
    std::iter::once(Some(0)).chain(columns).collect()
}

struct Comparer<'a> {
    catalog: &'a Catalog,
    knowledge: &'a Knowledge,
    patches: usize,
    deadline: Option<Instant>,
}

impl Comparer<'_> {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn scope(&self) -> RunScope {
        RunScope {
            versions: (0..self.patches).map(version).collect(),
            show_all: false,
            ..RunScope::default()
        }
    }

    /// The inputs on which some patches differ each time, in a way that counts.
    fn differing(&self, inputs: &[Sequence], run: &mut dyn Run) -> Result<Compared, LangError> {
        let ran = run.run(inputs, &self.scope())?;
        let unlike = inputs.iter().zip(ran).filter(|(_, ran)| {
            matches!(ran.outcome, SequenceOutcome::Differs { .. } | SequenceOutcome::Failed { .. })
        });
        let unlike: Vec<&Sequence> = unlike.map(|(input, _)| input).take(MOST_DIFFERING).collect();
        let mut differing = Vec::new();
        for (looked_at, input) in unlike.iter().enumerate() {
            if self.is_late() {
                return Ok(Compared { differing, left_out: number_of(unlike.len() - looked_at) });
            }
            let seen = self.tell_apart(input, run)?;
            differing.extend(seen.filter(|seen| seen.answers.classes.iter().any(|class| *class > 0)));
        }
        Ok(Compared { differing, left_out: 0 })
    }

    /// Which patches do the same with an input; none if one of them, or the buggy version, does not do the same twice.
    fn tell_apart(&self, input: &Sequence, run: &mut dyn Run) -> Result<Option<Differing>, LangError> {
        let all = RunScope {
            versions: (0..=self.patches).map(number_of).collect(),
            show_all: true,
            ..RunScope::default()
        };
        let confirmations = run.confirm(input, REPETITIONS, &all)?;
        if confirmations.iter().any(|seen| matches!(seen, Confirmation::Unstable { .. })) {
            return Ok(None);
        }
        let mut seen = confirmations.iter().map(Seen::of);
        let Some(buggy) = seen.next() else { return Ok(None) };
        let patches: Vec<Seen> = seen.collect();
        let new = patches.iter().map(|patch| self.differ(input, &buggy, patch).is_some()).collect();
        let answers = Answers { classes: self.classes(input, &patches), new };
        Ok(Some(Differing { input: input.clone(), answers }))
    }

    /// For each patch the first one that does the same with an input.
    fn classes(&self, input: &Sequence, seen: &[Seen]) -> Vec<u32> {
        let mut heads: Vec<usize> = Vec::new();
        let mut classes = Vec::new();
        for (number, behaviour) in seen.iter().enumerate() {
            let same = |head: &usize| self.differ(input, &seen[*head], behaviour).is_none();
            let class = heads.iter().position(same).unwrap_or_else(|| {
                heads.push(number);
                heads.len() - 1
            });
            classes.push(u32::try_from(class).unwrap_or(u32::MAX));
        }
        classes
    }

    /// What counts between two patches, whichever of them is taken for right.
    fn differ(&self, input: &Sequence, one: &Seen, other: &Seen) -> Option<Claim> {
        let judge = |right: &Seen, judged: &Seen| {
            let options = RgtOptions::default();
            let (right, judged) = (right.behaviour(), judged.behaviour());
            match rgt::judge(input, self.catalog, self.knowledge, right, judged, &options) {
                Ruling::Evidence(claim) => Some(claim),
                _ => None,
            }
        };
        judge(one, other).or_else(|| {
            let claim = judge(other, one)?;
            Some(Claim { expected: claim.actual, actual: claim.expected, ..claim })
        })
    }

    /// What counts between two patches, and what both of them did, if that is the same each time.
    fn shown(
        &self,
        input: &Sequence,
        pair: [u32; 2],
        run: &mut dyn Run,
    ) -> Result<Option<(Claim, [Seen; 2])>, LangError> {
        let scope = RunScope { versions: pair.to_vec(), show_all: true, ..RunScope::default() };
        let confirmations = run.confirm(input, REPETITIONS, &scope)?;
        if confirmations.iter().any(|seen| matches!(seen, Confirmation::Unstable { .. })) {
            return Ok(None);
        }
        let [one, other] = &confirmations[..] else { return Ok(None) };
        let seen = [one, other].map(Seen::of);
        Ok(self.differ(input, &seen[0], &seen[1]).map(|claim| (claim, seen)))
    }

    /// Did two versions just differ on an input in a way that counts?
    fn counts(&self, input: &Sequence, outcome: &SequenceOutcome) -> bool {
        let SequenceOutcome::Differs { observations, .. } = outcome else { return false };
        let [one, other] = &observations[..] else { return false };
        let seen = |observation: &Observation| Seen::Observed(Box::new(observation.clone()));
        self.differ(input, &seen(one), &seen(other)).is_some()
    }

    fn smaller(&self, input: &Sequence, pair: [u32; 2], run: &mut dyn Run) -> Result<Sequence, LangError> {
        let scope = RunScope { versions: pair.to_vec(), show_all: false, ..RunScope::default() };
        let mut still = |candidate: &Sequence, ran: &bonafix_model::Ran| self.counts(candidate, &ran.outcome);
        let allowance = Allowance { inputs: MINIMISING, until: self.deadline };
        bonafix_generate::minimise(input, run, &scope, &mut still, allowance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_that_nobody_had_time_to_compare_are_not_said_to_be_alike() {
        assert!(is_known(&[], 0), "they were compared, and none differs");
        assert!(!is_known(&[], 3));
        let told = Differing {
            input: Sequence::default(),
            answers: Answers { classes: vec![0, 1], new: vec![true, true] },
        };
        assert!(is_known(&[told], 3), "what was told apart is apart");
    }
}
