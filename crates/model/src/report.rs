//! The results of a run, as they are stored and printed.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Delta, Evidence, Outcome, TestId, TestOutcome, TestResult, Verdict};

/// Something the user should know that decides nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// A stable key, such as `release-level` or `sandbox-missing`.
    pub key: String,
    /// One or more sentences.
    pub text: String,
}

impl Notice {
    /// A notice.
    pub fn new(key: &str, text: impl Into<String>) -> Self {
        Self { key: key.to_owned(), text: text.into() }
    }
}

/// The part that a version plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VersionRole {
    /// The program with the bug.
    Buggy,
    /// The program with the patch under judgement.
    Patched,
    /// A trusted fix.
    Reference,
}

/// What was found out about the subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubjectReport {
    /// Its name: the case's folder, or the project's.
    pub name: String,
    /// `java` or `c`.
    pub language: String,
    /// How it is built: `maven`, `defects4j`, `plain` …
    pub build_system: String,
    /// Facts such as modules, language level, encoding, test framework.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
}

/// Where a test that shows the bug comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TriggerOrigin {
    /// The subject's own tests.
    Original,
    /// Tests that the patch brings with it: they can show the bug, never clear the patch.
    Patch,
}

/// A test that shows the bug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TriggerTest {
    /// Which test.
    pub id: TestId,
    /// How it ended on the buggy version.
    pub outcome: TestOutcome,
    /// Where it comes from.
    pub origin: TriggerOrigin,
    /// The user named it, as opposed to found by running.
    pub declared: bool,
}

/// The buggy version and its tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineReport {
    /// How many tests ran.
    pub tests: usize,
    /// How many passed.
    pub passed: usize,
    /// How many were skipped.
    pub skipped: usize,
    /// Red tests of the original suite; on which of them a patch must act is decided with the patch.
    pub red: Vec<TestResult>,
    /// Tests set aside because repetition gave other results.
    pub flaky: Vec<TestId>,
    /// Red tests set aside because the reference is red on them as well.
    pub red_on_reference: Vec<TestId>,
    /// How often the suite ran.
    pub repetitions: u32,
}

/// Why nothing can be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenBaseline {
    /// A stable key: `does-not-build`, `no-tests`, `bug-does-not-show`, `reference-broken`.
    pub key: String,
    /// One sentence.
    pub summary: String,
    /// Compiler messages, test names, the way out.
    pub details: Vec<String>,
}

/// What a patch does to a test file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestChangeKind {
    /// A new file.
    Added,
    /// An existing file, changed.
    Changed,
    /// An existing file, removed.
    Removed,
}

/// A change under a test folder: reported, never trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestChange {
    /// Which file.
    #[schemars(with = "String")]
    pub path: Utf8PathBuf,
    /// What happens to it.
    pub kind: TestChangeKind,
}

/// A test that was red before the patch and is red after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StillFailing {
    /// Which test.
    pub id: TestId,
    /// How it ends on the patched version.
    pub outcome: TestOutcome,
}

/// The patched version and the original tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plausibility {
    /// How many tests ran.
    pub tests: usize,
    /// How many passed.
    pub passed: usize,
    /// Tests that show the bug and that the patch turned green.
    pub fixed: Vec<TriggerTest>,
    /// Red before and after, and named by nobody as showing the bug.
    pub still_failing: Vec<StillFailing>,
    /// Green before, red after (each confirmed by repetition).
    pub broken: Vec<TestResult>,
    /// Tests set aside because repetition gave other results.
    pub flaky: Vec<TestId>,
    /// Green before, skipped after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub now_skipped: Vec<TestId>,
}

/// Wall times in milliseconds by step. Left out when two reports are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Timings(pub BTreeMap<String, u64>);

/// Everything about one patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PatchReport {
    /// Its name: file name, revision range or `stdin`.
    pub name: String,
    /// Hash of its bytes, so that a resumed run knows it again.
    pub digest: String,
    /// The outcome, with its reason.
    pub verdict: Verdict,
    /// How it applied: level, offsets, fuzz.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apply_notes: Vec<String>,
    /// What it does under test folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_changes: Vec<TestChange>,
    /// What it changes.
    #[serde(default)]
    pub delta: Delta,
    /// What the original tests say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plausibility: Option<Plausibility>,
    /// What the techniques found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// What was tried, one entry a technique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub efforts: Vec<crate::Effort>,
    /// What PATCH-SIM measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<crate::Similarity>,
    /// What the user should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Wall times.
    #[serde(default)]
    pub timings: Timings,
}

impl PatchReport {
    /// A patch of which nothing is known but its verdict.
    pub fn new(name: impl Into<String>, digest: impl Into<String>, verdict: Verdict) -> Self {
        Self {
            name: name.into(),
            digest: digest.into(),
            verdict,
            apply_notes: Vec::new(),
            test_changes: Vec::new(),
            delta: Delta::default(),
            plausibility: None,
            evidence: Vec::new(),
            efforts: Vec::new(),
            similarity: None,
            notices: Vec::new(),
            timings: Timings::default(),
        }
    }
}

/// Everything about one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunReport {
    /// [`crate::FORMAT_VERSION`] of the writer.
    pub format: u32,
    /// Version of bonafix.
    pub bonafix: String,
    /// What was judged.
    pub subject: SubjectReport,
    /// The buggy version and its tests; absent when it is broken before they ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineReport>,
    /// Set when nothing could be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenBaseline>,
    /// One entry a patch, in the order given.
    pub patches: Vec<PatchReport>,
    /// In which order to read several patches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<crate::Ranking>,
    /// What the user should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Wall times of what is done once for all patches.
    #[serde(default)]
    pub timings: Timings,
}

impl RunReport {
    /// The exit code that this run deserves: the outcome of a single patch; 0 when a run over several completed, which it
    /// did not if a tool was missing that all of them need.
    pub fn exit_code(&self) -> crate::ExitCode {
        if self.broken.is_some() {
            return crate::ExitCode::Baseline;
        }
        let tool_missing =
            |patch: &PatchReport| patch.verdict.inconclusive == Some(crate::InconclusiveReason::ToolMissing);
        if !self.patches.is_empty() && self.patches.iter().all(tool_missing) {
            return crate::ExitCode::Inconclusive;
        }
        match self.patches.as_slice() {
            [only] => only.verdict.outcome.exit_code(),
            _ => crate::ExitCode::Unrefuted,
        }
    }

    /// How many patches had this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.patches.iter().filter(|patch| patch.verdict.outcome == outcome).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExitCode, InconclusiveReason, InvalidReason};

    fn patch(verdict: Verdict) -> PatchReport {
        PatchReport::new("a.diff", "", verdict)
    }

    fn report(verdicts: Vec<Verdict>) -> RunReport {
        RunReport {
            format: crate::FORMAT_VERSION,
            bonafix: String::new(),
            subject: SubjectReport {
                name: String::new(),
                language: String::new(),
                build_system: String::new(),
                facts: BTreeMap::new(),
            },
            baseline: None,
            broken: None,
            patches: verdicts.into_iter().map(patch).collect(),
            ranking: None,
            notices: Vec::new(),
            timings: Timings::default(),
        }
    }

    #[test]
    fn a_single_patch_gives_the_exit_code_of_its_outcome() {
        let cases = [
            (Verdict::of(Outcome::Unrefuted, ""), 0),
            (Verdict::of(Outcome::Refuted, ""), 2),
            (Verdict::of(Outcome::Suspicious, ""), 3),
            (Verdict::inconclusive(InconclusiveReason::NotJudged, ""), 4),
            (Verdict::invalid(InvalidReason::DoesNotApply, "", Vec::new()), 5),
        ];
        for (verdict, code) in cases {
            assert_eq!(report(vec![verdict.clone()]).exit_code().code(), code, "{verdict:?}");
        }
    }

    #[test]
    fn a_run_over_several_patches_that_completed_gives_0() {
        let verdicts = vec![Verdict::of(Outcome::Refuted, ""), Verdict::of(Outcome::Suspicious, "")];
        assert_eq!(report(verdicts).exit_code(), ExitCode::Unrefuted);
    }

    #[test]
    fn a_run_that_lacked_a_tool_for_every_patch_did_not_complete() {
        let missing = || Verdict::inconclusive(InconclusiveReason::ToolMissing, "no JDK");
        assert_eq!(report(vec![missing(), missing()]).exit_code(), ExitCode::Inconclusive);
    }

    #[test]
    fn a_broken_baseline_outweighs_everything() {
        let mut broken = report(vec![Verdict::of(Outcome::Unrefuted, "")]);
        broken.broken =
            Some(BrokenBaseline { key: "no-tests".to_owned(), summary: String::new(), details: Vec::new() });
        assert_eq!(broken.exit_code(), ExitCode::Baseline);
    }
}
