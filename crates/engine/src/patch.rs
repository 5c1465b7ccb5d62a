//! One patch from diff to verdict.

use std::time::{Duration, Instant};

use bonafix_judge::combine;
use bonafix_lang::{Diagnostic, Explore, ExploreRequest, ExploredVersion, Fuzz, LangError, Project, Run};
use bonafix_model::{
    Budget, Delta, FileEdit, InconclusiveReason, InputSet, InvalidReason, Notice, PatchReport, Plausibility,
    Stage, TestChange, TestChangeKind, TestId, TestSelection, TreeChange, TriggerOrigin, Verdict,
    VersionRole,
};
use bonafix_subject::baseline::Baseline;
use bonafix_subject::description::NamedChange;
use bonafix_subject::patch::PatchError;
use bonafix_subject::plausibility::Assessment;
use camino::Utf8Path;

use crate::fuzzing::Fuzzing;
use crate::judging::{JudgingOptions, Means, Technique, deadline};
use crate::refute::{JUDGED, Question, Refutation, Searched};
use crate::session::{Clock, Session};
use crate::similarity::{Calls, Compared, Comparison};

/// How many compiler messages a verdict repeats.
const SHOWN_DIAGNOSTICS: usize = 20;
/// What one input may take at least.
const LEAST_LIMIT: Duration = Duration::from_secs(1);
/// What tests may take beside ten times what was measured, and inputs may not.
const SPARED: Duration = Duration::from_secs(5);

/// What all patches of a run share.
pub(crate) struct Bench<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) project: &'a dyn Project,
    pub(crate) root: &'a Utf8Path,
    pub(crate) baseline: &'a Baseline,
    pub(crate) selection: &'a TestSelection,
    pub(crate) default_limit: Duration,
    pub(crate) reference: Option<&'a Reference>,
    pub(crate) judging: &'a JudgingOptions,
}

/// A trusted fix that was built.
pub(crate) struct Reference {
    pub(crate) change: TreeChange,
    pub(crate) delta: Delta,
}

/// A patch split into what it does to the program and what it does to the tests.
struct Split {
    sources: TreeChange,
    tests: TreeChange,
}

/// A search, and what it is to answer.
struct Asked<'a> {
    explorer: &'a dyn Explore,
    question: Question,
    versions: &'a [ExploredVersion<'a>],
    budget: Budget,
    folder: &'a str,
    kept: &'a [InputSet],
}

/// Where the steps up to plausibility lead.
enum Step {
    /// One of them decides.
    Decided(Verdict),
    /// The patch is plausible, and consists of this.
    Plausible(TreeChange),
}

impl Bench<'_> {
    /// Judges one patch; its inputs that further patches should try. An error is a fault of ours or of the machine,
    /// never of the patch.
    pub(crate) fn judge(
        &self,
        patch: &NamedChange,
        digest: String,
        folder: &str,
        kept: &[InputSet],
    ) -> Result<(PatchReport, Option<InputSet>), LangError> {
        let mut report =
            PatchReport::new(&patch.name, digest, Verdict::inconclusive(InconclusiveReason::NotJudged, ""));
        let mut clock = Clock::default();
        let mut inputs = None;
        report.verdict = match self.carry_out(patch, &mut report, &mut clock)? {
            Step::Decided(verdict) => verdict,
            Step::Plausible(sources) => {
                inputs = self.judge_plausible(&sources, folder, kept, &mut report, &mut clock)?;
                combine(&report.evidence, &report.efforts)
            }
        };
        report.timings = clock.finish();
        Ok((report, inputs))
    }

    /// Lets the techniques judge a plausible patch.
    fn judge_plausible(
        &self,
        sources: &TreeChange,
        folder: &str,
        kept: &[InputSet],
        report: &mut PatchReport,
        clock: &mut Clock,
    ) -> Result<Option<InputSet>, LangError> {
        if let Some(fuzzer) = self.project.fuzzer() {
            return self.fuzz(fuzzer, sources, folder, kept, report, clock);
        }
        let Some(explorer) = self.project.explorer() else { return Ok(None) };
        let nothing = (TreeChange::default(), Delta::default());
        let delta = report.delta.clone();
        let patched = ExploredVersion { role: VersionRole::Patched, change: sources, delta: &delta };
        let buggy = ExploredVersion { role: VersionRole::Buggy, change: &nothing.0, delta: &nothing.1 };
        let mut inputs = Vec::new();
        if let Some(Reference { change, delta }) = self.reference
            && self.wants(Technique::Rgt)
        {
            let reference = ExploredVersion { role: VersionRole::Reference, change, delta };
            let search = Asked {
                explorer,
                question: Question::Reference,
                versions: &[reference, patched, buggy],
                budget: self.judging.budget,
                folder,
                kept,
            };
            inputs.push(self.search(&search, report, clock)?.0.inputs);
        }
        let others = [Technique::NewFailures, Technique::PatchSim, Technique::Agreement];
        if others.into_iter().any(|technique| self.wants(technique)) {
            let versions = [buggy, patched];
            inputs.push(self.compare_with_buggy(explorer, &versions, folder, kept, report, clock)?);
        }
        Ok((!inputs.is_empty()).then(|| InputSet::merged(&inputs)))
    }

    /// Lets a fuzzer search for inputs on which the patched program does what it must not.
    fn fuzz(
        &self,
        fuzzer: &dyn Fuzz,
        sources: &TreeChange,
        folder: &str,
        kept: &[InputSet],
        report: &mut PatchReport,
        clock: &mut Clock,
    ) -> Result<Option<InputSet>, LangError> {
        let (by_reference, by_faults) = (self.wants(Technique::Rgt), self.wants(Technique::Opad));
        let compares = self.wants(Technique::PatchSim);
        if !by_reference && !by_faults && !compares {
            return Ok(None);
        }
        let nothing = (TreeChange::default(), Delta::default());
        let delta = report.delta.clone();
        let reference = self.reference.map(|Reference { change, delta }| ExploredVersion {
            role: VersionRole::Reference,
            change,
            delta,
        });
        let patched = ExploredVersion { role: VersionRole::Patched, change: sources, delta: &delta };
        let buggy = ExploredVersion { role: VersionRole::Buggy, change: &nothing.0, delta: &nothing.1 };
        let versions = match reference {
            Some(reference) => vec![reference, patched, buggy],
            None => vec![buggy, patched],
        };
        let (failing, passing) = self.tests_by_outcome();
        let name = report.name.clone();
        let options = JudgingOptions { budget: self.budget_of_search(), ..self.judging.clone() };
        let fuzzing = Fuzzing {
            fuzzer,
            session: self.session,
            folder,
            versions: &versions,
            by_reference,
            by_faults,
            failing: &failing,
            passing: &passing,
            took: &self.baseline.took,
            options: &options,
            limit: self.limit_of_inputs(),
            kept,
            // Each stage has its own.
            log: Utf8Path::new(""),
        };
        let (outcome, mut campaign) = self
            .session
            .step(Stage::Judge, Some(&name), clock, |log| (Fuzzing { log, ..fuzzing }.carry_out(), false))?;
        clock.note("first-input", outcome.first_input);
        report.evidence.extend(outcome.evidence);
        report.efforts.extend(outcome.efforts);
        report.notices.extend(outcome.notices);
        if compares {
            let similarity = self.session.step(Stage::Compare, Some(&name), clock, |log| {
                (Fuzzing { log, ..fuzzing }.compare(campaign.as_mut()), false)
            });
            note_comparison(similarity, report)?;
        }
        Ok(Some(outcome.inputs))
    }

    /// What the search may cost: half of the time is for traces, where executions are compared.
    fn budget_of_search(&self) -> Budget {
        match self.judging.budget {
            Budget::Time(time) if self.wants(Technique::PatchSim) => Budget::Time(time / 2),
            budget => budget,
        }
    }

    /// What one input may take: more than the slowest of the tests, but no input is worth what a test is.
    fn limit_of_inputs(&self) -> Duration {
        let slowest = self.baseline.limits.values().max().copied().unwrap_or_default();
        slowest.saturating_sub(SPARED).max(LEAST_LIMIT).min(self.default_limit)
    }

    fn wants(&self, technique: Technique) -> bool {
        self.judging.wants(technique, self.means())
    }

    pub(crate) fn means(&self) -> Means {
        Means { has_reference: self.reference.is_some(), reads_bytes: self.project.fuzzer().is_some() }
    }

    /// Judges by the buggy version alone: what fails anew, and how alike executions are.
    fn compare_with_buggy(
        &self,
        explorer: &dyn Explore,
        versions: &[ExploredVersion<'_>; 2],
        folder: &str,
        kept: &[InputSet],
        report: &mut PatchReport,
        clock: &mut Clock,
    ) -> Result<InputSet, LangError> {
        let compares = self.wants(Technique::PatchSim);
        let question = match compares {
            _ if self.wants(Technique::NewFailures) => Question::NewFailures,
            true => Question::OnlyInputs(Technique::PatchSim.name()),
            false => Question::OnlyInputs(Technique::Agreement.name()),
        };
        let budget = self.budget_of_search();
        let asked = Asked { explorer, question, versions, budget, folder, kept };
        let (searched, mut run) = self.search(&asked, report, clock)?;
        if compares {
            self.compare(&asked, &searched, run.as_mut(), report, clock)?;
        }
        Ok(searched.inputs)
    }

    fn compare(
        &self,
        asked: &Asked<'_>,
        searched: &Searched,
        run: &mut dyn Run,
        report: &mut PatchReport,
        clock: &mut Clock,
    ) -> Result<(), LangError> {
        let (failing, passing) = self.tests_by_outcome();
        let name = report.name.clone();
        let compared = self.session.step(Stage::Compare, Some(&name), clock, |log| {
            let request = ExploreRequest {
                versions: asked.versions,
                failing: &failing,
                passing: &passing,
                heap_mib: self.judging.heap_mib,
            };
            let Searched { catalog, knowledge, corpus, .. } = searched;
            let mut calls = Calls { explorer: asked.explorer, catalog, knowledge, run, corpus };
            let compared = asked.explorer.tracer(&request, log).and_then(|mut tracer| {
                let comparison = Comparison {
                    failing: &failing,
                    passing: &passing,
                    took: &self.baseline.took,
                    options: self.judging,
                    delta: asked.versions[JUDGED[1] as usize].delta,
                    // As in the search, what is built first does not count; and what that took too much is not taken
                    // away here.
                    deadline: deadline(asked.budget, Instant::now()),
                };
                comparison.carry_out(tracer.as_mut(), &mut calls)
            });
            (compared, false)
        });
        note_comparison(compared, report)
    }

    /// Searches for inputs that answer a question about a patch.
    fn search(
        &self,
        asked: &Asked<'_>,
        report: &mut PatchReport,
        clock: &mut Clock,
    ) -> Result<(Searched, Box<dyn Run>), LangError> {
        let (failing, passing) = self.tests_by_outcome();
        let name = report.name.clone();
        let (mut searched, run) = self.session.step(Stage::Judge, Some(&name), clock, |log| {
            let refutation = Refutation {
                explorer: asked.explorer,
                session: self.session,
                folder: asked.folder,
                question: asked.question,
                versions: asked.versions,
                failing: &failing,
                passing: &passing,
                options: self.judging,
                budget: asked.budget,
                kept: asked.kept,
                log,
            };
            (refutation.carry_out(), false)
        })?;
        clock.note("first-input", searched.first_input);
        report.evidence.append(&mut searched.evidence);
        report.efforts.push(searched.effort.clone());
        report.notices.append(&mut searched.notices);
        Ok((searched, run))
    }

    /// What a patch does to the program; nothing where it does not apply.
    pub(crate) fn sources(&self, patch: &NamedChange) -> Result<Option<TreeChange>, LangError> {
        match patch.resolve(self.root) {
            Ok((change, _)) => Ok(Some(self.split(&self.without_identities(change)?).sources)),
            Err(_) => Ok(None),
        }
    }

    /// The tests that show the bug, and those that pass in spite of it.
    pub(crate) fn tests_by_outcome(&self) -> (Vec<TestId>, Vec<TestId>) {
        let candidates = self.baseline.candidates();
        let passing =
            self.baseline.outcomes.iter().filter(|(_, outcome)| !outcome.is_red()).map(|(id, _)| id.clone());
        (candidates.into_iter().collect(), passing.collect())
    }

    /// All steps up to plausibility.
    fn carry_out(
        &self,
        patch: &NamedChange,
        report: &mut PatchReport,
        clock: &mut Clock,
    ) -> Result<Step, LangError> {
        let name = Some(patch.name.as_str());
        let resolved = self.session.step(Stage::Apply, name, clock, |_| (patch.resolve(self.root), false));
        let change = match resolved {
            Ok((change, notes)) => {
                report.apply_notes = notes;
                self.without_identities(change)?
            }
            Err(error) => return Ok(Step::Decided(does_not_apply(&error))),
        };
        let split = self.split(&change);
        report.test_changes = self.test_changes(&split.tests);
        if split.sources.is_empty() {
            return Ok(Step::Decided(changes_no_source(&split)));
        }
        report.delta =
            self.session.step(Stage::Delta, name, clock, |_| (self.project.delta(&split.sources), false))?;
        let built = self.session.step(Stage::BuildPatched, name, clock, |log| {
            let built = self.project.build(&split.sources, log);
            let cached = built.as_ref().is_ok_and(|version| version.cached);
            (built, cached)
        });
        match built {
            Ok(version) => report.notices.extend(version.notices),
            Err(error) => return does_not_build(error).map(Step::Decided),
        }
        let assessed = self.session.step(Stage::Plausibility, name, clock, |log| {
            let assessment = Assessment {
                project: self.project,
                baseline: self.baseline,
                sources: &split.sources,
                tests: &split.tests,
                default_limit: self.default_limit,
                selection: self.selection,
                log,
            };
            (assessment.run(&mut self.session.test_listener()), false)
        });
        let (plausibility, verdict) = assessed?;
        report.notices.extend(notices(&plausibility));
        report.plausibility = Some(plausibility);
        if verdict.is_none() && !report.delta.is_semantic() {
            return Ok(Step::Decided(Verdict::inconclusive(
                InconclusiveReason::NoSemanticChange,
                "the patch changes only comments or white space, so no input can tell it from the buggy version",
            )));
        }
        Ok(verdict.map_or(Step::Plausible(split.sources), Step::Decided))
    }

    /// Leaves out files that the patch writes as they are.
    fn without_identities(&self, change: TreeChange) -> Result<TreeChange, LangError> {
        let mut files = change.files;
        let mut same = Vec::new();
        for (path, edit) in &files {
            let before = self.root.join(path);
            let identical = match edit {
                FileEdit::Write(contents) => before.is_file() && fs_err::read(&before)? == *contents,
                FileEdit::Delete => !before.exists(),
            };
            if identical {
                same.push(path.clone());
            }
        }
        files.retain(|path, _| !same.contains(path));
        Ok(TreeChange { files })
    }

    fn split(&self, change: &TreeChange) -> Split {
        let (tests, sources) = change.partition(|path, edit| self.project.is_test_file(path, edit));
        Split { sources, tests }
    }

    fn test_changes(&self, tests: &TreeChange) -> Vec<TestChange> {
        let kind = |path: &Utf8Path, edit: &FileEdit| match edit {
            FileEdit::Delete => TestChangeKind::Removed,
            FileEdit::Write(_) if self.root.join(path).is_file() => TestChangeKind::Changed,
            FileEdit::Write(_) => TestChangeKind::Added,
        };
        tests
            .files
            .iter()
            .map(|(path, edit)| TestChange { path: path.clone(), kind: kind(path, edit) })
            .collect()
    }
}

/// What the search has found stands without a comparison that could not be made.
fn note_comparison(compared: Result<Compared, LangError>, report: &mut PatchReport) -> Result<(), LangError> {
    match compared {
        Ok(compared) => {
            report.evidence.extend(compared.evidence);
            report.notices.extend(compared.notices);
            report.similarity = Some(compared.similarity);
        }
        Err(LangError::Interrupted) => return Err(LangError::Interrupted),
        Err(error) => report.notices.push(Notice::new("not-compared", error.to_string())),
    }
    Ok(())
}

/// The program's part of a change.
pub(crate) fn sources_of(project: &dyn Project, change: &TreeChange) -> TreeChange {
    change.partition(|path, edit| project.is_test_file(path, edit)).1
}

fn does_not_apply(error: &PatchError) -> Verdict {
    let text = error.to_string();
    let mut lines = text.lines();
    let summary = lines.next().unwrap_or_default().to_owned();
    Verdict::invalid(InvalidReason::DoesNotApply, summary, lines.map(str::to_owned).collect())
}

fn changes_no_source(split: &Split) -> Verdict {
    if split.tests.is_empty() {
        return Verdict::inconclusive(
            InconclusiveReason::NoSemanticChange,
            "the patch changes nothing: every file is as it was",
        );
    }
    Verdict::invalid(
        InvalidReason::OnlyTests,
        "the patch changes only tests, so the program is the buggy one",
        Vec::new(),
    )
}

/// A patch that does not build is invalid; anything else that stops a build is not the patch's fault.
fn does_not_build(error: LangError) -> Result<Verdict, LangError> {
    match error {
        LangError::DoesNotCompile { summary, diagnostics, in_tests } => {
            let details = first_diagnostics(&diagnostics);
            if in_tests {
                let summary =
                    format!("the original tests do not compile against the patched version: {summary}");
                return Ok(Verdict::invalid(InvalidReason::BreaksTestBuild, summary, details));
            }
            let summary = format!("the patched version does not compile: {summary}");
            Ok(Verdict::invalid(InvalidReason::DoesNotBuild, summary, details))
        }
        LangError::BuildTool { summary, details } => {
            let summary = format!("the patched version does not build: {summary}");
            Ok(Verdict::invalid(InvalidReason::DoesNotBuild, summary, details))
        }
        other => Err(other),
    }
}

/// The first messages of a compiler, and how many more there are.
pub(crate) fn first_diagnostics(diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut lines: Vec<String> =
        diagnostics.iter().take(SHOWN_DIAGNOSTICS).map(ToString::to_string).collect();
    if diagnostics.len() > SHOWN_DIAGNOSTICS {
        lines.push(format!("… and {} more", diagnostics.len() - SHOWN_DIAGNOSTICS));
    }
    lines
}

fn notices(plausibility: &Plausibility) -> Vec<Notice> {
    let mut notices = Vec::new();
    if plausibility.fixed.iter().any(|test| test.origin == TriggerOrigin::Patch) {
        notices.push(Notice::new(
            "shown-by-patch",
            "the bug is shown only by tests that the patch itself brings; they were not trusted for anything else",
        ));
    }
    if !plausibility.now_skipped.is_empty() {
        let names: Vec<&str> = plausibility.now_skipped.iter().map(|id| id.0.as_str()).collect();
        notices.push(Notice::new(
            "now-skipped",
            format!("passed before the patch and are skipped after it: {}", names.join(", ")),
        ));
    }
    if !plausibility.fixed.is_empty() && !plausibility.still_failing.is_empty() {
        notices.push(Notice::new(
            "still-failing",
            "some tests are red before and after the patch and were set aside; if they belong to the bug, name them \
             by `failing`",
        ));
    }
    notices
}
