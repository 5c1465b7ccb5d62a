//! A whole check: describe, build, baseline, reference, then each patch.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bonafix_judge::combine;
use bonafix_lang::{LangError, Project};
use bonafix_model::{
    BrokenBaseline, Event, Evidence, FORMAT_VERSION, FileEdit, InconclusiveReason, InputSet, Notice, Outcome,
    PatchReport, Ranking, RunReport, Stage, SubjectReport, Timings, TreeChange, Verdict,
};
use bonafix_proc::{Launcher, SandboxMode, interrupt};
use bonafix_store::{
    Cache, DEFAULT_CAP, InsertError, KeyBuilder, Plan, PlannedInput, RunDir, StoreError, digest_tree,
};
use bonafix_subject::baseline::{self, Baseline, BaselineError, BaselineOptions};
use bonafix_subject::description::{self, ChangeSource, Description, NamedChange, Request};
use camino::{Utf8Path, Utf8PathBuf};

use crate::error::CheckError;
use crate::inputs;
use crate::judging::{self, JudgingOptions, Means, Technique};
use crate::languages::Opened;
use crate::patch::{Bench, Reference, first_diagnostics, sources_of};
use crate::ranking::{self, Contest, Rival};
use crate::session::{Clock, OnEvent, Session};

/// Raise when the stored form of a baseline changes.
const BASELINE_ENTRY: &str = "baseline-3";

/// Whether to go on with an earlier run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Resume {
    /// A new run.
    #[default]
    No,
    /// The newest run below the output folder.
    Latest,
    /// This run.
    Run(Utf8PathBuf),
}

/// What a check is to do.
#[derive(Debug, Clone)]
pub struct CheckOptions {
    /// What to judge.
    pub request: Request,
    /// Folder of the run directories.
    pub out: Utf8PathBuf,
    /// Whether to go on with an earlier run.
    pub resume: Resume,
    /// How much protection against subject code is asked for.
    pub sandbox: SandboxMode,
    /// Measure the baseline anew, even if it is known.
    pub fresh: bool,
    /// How plausible patches are judged.
    pub judging: JudgingOptions,
    /// The command line, for the plan.
    pub command: Vec<String>,
}

/// A check that was carried out.
#[derive(Debug)]
pub struct Checked {
    /// What was found out.
    pub report: RunReport,
    /// Where it is kept.
    pub run: Utf8PathBuf,
}

/// Carries out a check.
pub fn check(options: &CheckOptions, on_event: OnEvent<'_>) -> Result<Checked, CheckError> {
    let launcher = Launcher::new(options.sandbox).map_err(|error| CheckError::Usage(error.to_string()))?;
    let launcher = Arc::new(launcher);
    let description = description::describe(&options.request, &launcher)?;
    let asks_for_rgt = options.judging.techniques.iter().flatten().any(|chosen| *chosen == Technique::Rgt);
    if asks_for_rgt && description.reference.is_none() {
        return Err(CheckError::Usage(
            "rgt needs a trusted fix to compare with: give one by --reference".to_owned(),
        ));
    }
    let plan = plan(options, &description)?;
    let (run, finished) = open_run(options, &description, &plan)?;
    let session = Session { run: &run, on_event };
    session.tell(&Event::RunStarted { run: run.path().to_string() });
    let mut report = empty_report(&description);
    report.notices.extend(launcher.warnings().into_iter().map(|text| Notice::new("sandbox-missing", text)));
    let sandbox = format!("{:?} {:?}", launcher.mode(), launcher.protection().present());
    let mut work = Work {
        options,
        description: &description,
        plan: &plan,
        session: &session,
        finished,
        report,
        sandbox,
    };
    match work.carry_out(launcher) {
        Ok(()) => {}
        Err(Stop::Broken(broken)) => work.report.broken = Some(broken),
        Err(Stop::ToolMissing(text)) => work.nothing_can_be_said(&text),
        Err(Stop::Error(error)) => return Err(error),
    }
    let mut report = work.report;
    report.notices.extend(run.recording_fault().map(|text| Notice::new("recording", text)));
    run.write_report(&report)?;
    Ok(Checked { report, run: run.path().to_owned() })
}

/// Why a run ends before all patches were judged.
enum Stop {
    Broken(BrokenBaseline),
    ToolMissing(String),
    Error(CheckError),
}

impl From<CheckError> for Stop {
    fn from(error: CheckError) -> Self {
        Self::Error(error)
    }
}

struct Work<'a> {
    options: &'a CheckOptions,
    description: &'a Description,
    plan: &'a Plan,
    session: &'a Session<'a>,
    finished: Vec<PatchReport>,
    report: RunReport,
    /// Mode and protections under which subject code runs.
    sandbox: String,
}

impl Work<'_> {
    fn carry_out(&mut self, launcher: Arc<Launcher>) -> Result<(), Stop> {
        let mut clock = Clock::default();
        let result = self.measure_and_judge(launcher, &mut clock);
        self.report.timings = clock.finish();
        result
    }

    fn measure_and_judge(&mut self, launcher: Arc<Launcher>, clock: &mut Clock) -> Result<(), Stop> {
        let cache =
            Cache::open(&Cache::default_root().map_err(CheckError::from)?).map_err(CheckError::from)?;
        let cache = Arc::new(cache.stop_waiting_when(interrupt::is_set));
        let opened = self.session.step(Stage::Open, None, clock, |_| {
            (Opened::open(self.description, Arc::clone(&cache), launcher), false)
        });
        let opened = opened.map_err(|error| self.stop(error))?;
        let project = opened.project();
        self.check_techniques(project)?;
        let key = self.build_buggy(project, clock)?;
        self.describe_subject(&opened);
        let options = self.baseline_options(&opened);
        let mut baseline = self.baseline(project, &options, &key, &cache, clock)?;
        let reference = self.compare_with_reference(project, &mut baseline, &options, clock)?;
        self.report.baseline = Some(baseline.report.clone());
        self.session.run.write_baseline(&baseline.report).map_err(CheckError::from)?;
        self.judge_all(project, &baseline, &options, reference.as_ref(), clock)?;
        self.break_if_no_test_shows_the_bug(&baseline)?;
        if let Err(error) = cache.prune(DEFAULT_CAP) {
            self.report.notices.push(Notice::new("cache", error.to_string()));
        }
        Ok(())
    }

    /// Nobody should wait for a technique that will not judge.
    fn check_techniques(&self, project: &dyn Project) -> Result<(), Stop> {
        let reads_bytes = project.fuzzer().is_some();
        let means = Means { has_reference: self.description.reference.is_some(), reads_bytes };
        let Some(unfit) = self.options.judging.unfit(means) else { return Ok(()) };
        let fitting = if reads_bytes {
            "rgt, opad and patch-sim"
        } else {
            "rgt, new-failures, patch-sim and agreement"
        };
        let message = format!("{} cannot judge such programs: here there are {fitting}", unfit.name());
        Err(Stop::Error(CheckError::Usage(message)))
    }

    fn stop(&self, error: LangError) -> Stop {
        match error {
            LangError::ToolMissing { .. } => Stop::ToolMissing(error.to_string()),
            other => Stop::Error(CheckError::from_lang(other, Some(self.session.run.path().to_owned()))),
        }
    }

    /// Builds the buggy version; one that does not build cannot be judged against.
    fn build_buggy(&self, project: &dyn Project, clock: &mut Clock) -> Result<String, Stop> {
        let built = self.session.step(Stage::BuildBuggy, None, clock, |log| {
            let built = project.build(&TreeChange::default(), log);
            let cached = built.as_ref().is_ok_and(|version| version.cached);
            (built, cached)
        });
        match built {
            Ok(version) => Ok(version.key),
            Err(error) => match broken_build("the buggy version", "does-not-build", error) {
                Ok(broken) => Err(Stop::Broken(broken)),
                Err(error) => Err(self.stop(error)),
            },
        }
    }

    fn describe_subject(&mut self, opened: &Opened) {
        let facts = opened.project().facts();
        let subject = &mut self.report.subject;
        opened.language().clone_into(&mut subject.language);
        subject.build_system = facts.build_system;
        subject.facts = facts.facts;
        self.report.notices.extend(facts.notices);
    }

    /// What the user says shows the bug, or else what the project's own metadata says.
    fn baseline_options(&self, opened: &Opened) -> BaselineOptions {
        let config = &self.description.config;
        let failing = if config.failing.is_empty() { opened.known_failing() } else { config.failing.clone() };
        BaselineOptions::new(&config.tests, &failing)
    }

    fn baseline(
        &self,
        project: &dyn Project,
        options: &BaselineOptions,
        version: &str,
        cache: &Cache,
        clock: &mut Clock,
    ) -> Result<Baseline, Stop> {
        let described = format!("{options:?} {:?}", self.description.config.tests.env);
        // Tests may end otherwise under another protection, so what was seen under one says nothing about another.
        let mut key = KeyBuilder::new(BASELINE_ENTRY)
            .part("version", version)
            .part("options", described)
            .part("bonafix", env!("CARGO_PKG_VERSION"))
            .part("sandbox", &self.sandbox);
        if self.options.fresh {
            key = key.part("fresh", format!("{:?} {}", SystemTime::now(), std::process::id()));
        }
        let measured = self.session.step(Stage::Baseline, None, clock, |log| {
            let inserted = cache.insert_with("baseline", &key.finish(), |staging| {
                let baseline = baseline::measure(project, options, log, &mut self.session.test_listener())?;
                let text =
                    serde_json::to_vec(&baseline).map_err(|error| LangError::Internal(error.to_string()))?;
                fs_err::write(staging.join("baseline.json"), text).map_err(LangError::from)?;
                Ok(())
            });
            let cached = inserted.as_ref().is_ok_and(|inserted| inserted.built.is_none());
            (inserted, cached)
        });
        match measured {
            Ok(inserted) => read_baseline(&inserted.path).map_err(|error| self.stop(error)),
            Err(InsertError::Build(BaselineError::Broken(broken))) => Err(Stop::Broken(broken)),
            Err(InsertError::Build(BaselineError::Lang(error))) => Err(self.stop(error)),
            Err(InsertError::Store(error)) => Err(CheckError::from(error).into()),
        }
    }

    /// Runs the red tests on the reference: what is red there too has other causes than the bug.
    fn compare_with_reference(
        &self,
        project: &dyn Project,
        baseline: &mut Baseline,
        options: &BaselineOptions,
        clock: &mut Clock,
    ) -> Result<Option<Reference>, Stop> {
        let Some(reference) = &self.description.reference else { return Ok(None) };
        let red: Vec<_> = baseline.candidates().into_iter().collect();
        let outcome = self.session.step(Stage::Reference, None, clock, |log| {
            (self.test_reference(project, reference, baseline, red.clone(), options.limit, log), false)
        });
        let (built, run) = outcome?;
        if red.is_empty() {
            return Ok(Some(built));
        }
        baseline.compare_with_reference(&run);
        let still_red: Vec<_> =
            baseline.declared.iter().filter(|id| !baseline.known_fixable.contains(*id)).collect();
        if baseline.known_fixable.is_empty() || !still_red.is_empty() {
            let names = if still_red.is_empty() { red.iter().collect() } else { still_red };
            return Err(Stop::Broken(BrokenBaseline {
                key: "reference-broken".to_owned(),
                summary: format!("the reference {} does not fix the bug", reference.name),
                details: names
                    .into_iter()
                    .map(|id| format!("{id}: red on the buggy version and on the reference"))
                    .collect(),
            }));
        }
        Ok(Some(built))
    }

    fn test_reference(
        &self,
        project: &dyn Project,
        reference: &NamedChange,
        baseline: &Baseline,
        red: Vec<bonafix_model::TestId>,
        limit: Duration,
        log: &Utf8Path,
    ) -> Result<(Reference, bonafix_model::TestRun), Stop> {
        let (change, _) = reference.resolve(&self.description.root).map_err(|error| {
            let text = error.to_string();
            let mut lines = text.lines().map(str::to_owned);
            Stop::Broken(BrokenBaseline {
                key: "reference-broken".to_owned(),
                summary: format!("the reference does not apply: {}", lines.next().unwrap_or_default()),
                details: lines.collect(),
            })
        })?;
        let sources = sources_of(project, &change);
        if let Err(error) = project.build(&sources, log) {
            return match broken_build("the reference", "reference-broken", error) {
                Ok(broken) => Err(Stop::Broken(broken)),
                Err(error) => Err(self.stop(error)),
            };
        }
        let plan = baseline.plan(bonafix_model::TestSelection::Only(red), limit);
        let run = project
            .run_tests(&sources, &plan, log, &mut self.session.test_listener())
            .map_err(|error| self.stop(error))?;
        let delta = project.delta(&sources).map_err(|error| self.stop(error))?;
        Ok((Reference { change: sources, delta }, run))
    }

    fn judge_all(
        &mut self,
        project: &dyn Project,
        baseline: &Baseline,
        options: &BaselineOptions,
        reference: Option<&Reference>,
        clock: &mut Clock,
    ) -> Result<(), Stop> {
        let bench = Bench {
            session: self.session,
            project,
            root: &self.description.root,
            baseline,
            selection: &options.selection,
            default_limit: options.limit,
            reference,
            judging: &self.options.judging,
        };
        let folders = distinct_names(&self.plan.patches);
        let kept = self.options.judging.inputs_from.as_deref().map(inputs::read).transpose()?;
        let judged = judging::in_waves(
            self.description.patches.len(),
            self.options.judging.jobs,
            kept.into_iter().collect(),
            |number, kept| self.judge_one(&bench, number, &folders[number], kept),
        );
        let (mut reports, kept) = judged.map_err(|error| self.stop(error))?;
        match self.rank(&bench, &reports, &kept, clock) {
            Ok(None) => {}
            Ok(Some((ranking, dissents))) => {
                self.report.ranking = Some(ranking);
                self.accuse(&mut reports, dissents)?;
            }
            Err(LangError::Interrupted) => return Err(self.stop(LangError::Interrupted)),
            // What was found out about each patch stands without an order.
            Err(error) => self.report.notices.push(Notice::new("not-ranked", error.to_string())),
        }
        self.report.patches = reports;
        if let Some(path) = &self.options.judging.inputs_to {
            inputs::write(path, &kept)?;
        }
        Ok(())
    }

    /// Puts several plausible patches into an order, and those that behave alike together.
    fn rank(
        &self,
        bench: &Bench<'_>,
        reports: &[PatchReport],
        kept: &[InputSet],
        clock: &mut Clock,
    ) -> Result<Option<(Ranking, Vec<Accusation>)>, LangError> {
        if self.options.judging.techniques.as_ref().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let mut rivals = Vec::new();
        for ((report, patch), number) in reports.iter().zip(&self.description.patches).zip(1..) {
            if !matches!(report.verdict.outcome, Outcome::Invalid)
                && let Some(change) = bench.sources(patch)?
            {
                rivals.push(Rival { number, report, change });
            }
        }
        if rivals.len() < 2 {
            return Ok(None);
        }
        let Some(explorer) = bench.project.explorer() else {
            return Ok(Some((ranking::without_clusters(&rivals), Vec::new())));
        };
        let (failing, passing) = bench.tests_by_outcome();
        let numbers: Vec<u32> = rivals.iter().map(|rival| rival.number).collect();
        let contested = self.session.step(Stage::Rank, None, clock, |log| {
            let contest = Contest {
                explorer,
                rivals,
                failing: &failing,
                passing: &passing,
                heap_mib: self.options.judging.heap_mib,
                seed: self.options.judging.seed,
                budget: self.options.judging.budget,
                votes: self.options.judging.wants(Technique::Agreement, bench.means()),
                kept,
                log,
                run: self.session.run,
            };
            (contest.carry_out(), false)
        })?;
        let accusations = contested.dissents.into_iter();
        let accusations = accusations.map(|(rival, evidence)| (numbers[rival] as usize - 1, evidence));
        Ok(Some((contested.ranking, accusations.collect())))
    }

    /// Adds what other patches say against one to its report, and judges it anew.
    fn accuse(&self, reports: &mut [PatchReport], accusations: Vec<Accusation>) -> Result<(), Stop> {
        for (number, evidence) in accusations {
            let report = &mut reports[number];
            report.evidence.push(evidence);
            report.verdict = combine(&report.evidence, &report.efforts);
            self.session.run.append_result(report).map_err(|error| self.stop(store_fault(error)))?;
            let outcome = report.verdict.outcome;
            self.session.tell(&Event::PatchFinished { patch: report.name.clone(), outcome });
        }
        Ok(())
    }

    /// Judges a patch, or takes its result from the run that is taken up.
    fn judge_one(
        &self,
        bench: &Bench<'_>,
        number: usize,
        folder: &str,
        kept: &[InputSet],
    ) -> Result<(PatchReport, Option<InputSet>), LangError> {
        let (patch, planned) = (&self.description.patches[number], &self.plan.patches[number]);
        let known = |done: &&PatchReport| done.name == planned.name && done.digest == planned.digest;
        let run = self.session.run;
        // The first word on it is what was found out about it alone; a later one has what others say against it too, and
        // they are asked again.
        let judged = if let Some(done) = self.finished.iter().find(known) {
            (done.clone(), run.read_inputs(folder))
        } else {
            let (report, inputs) = bench.judge(patch, planned.digest.clone(), folder, kept)?;
            // The inputs first: a result that is there must not lack what further patches need of it.
            if let Some(inputs) = &inputs {
                run.write_inputs(folder, inputs).map_err(store_fault)?;
            }
            run.append_result(&report).map_err(store_fault)?;
            (report, inputs)
        };
        let outcome = judged.0.verdict.outcome;
        self.session.tell(&Event::PatchFinished { patch: judged.0.name.clone(), outcome });
        Ok(judged)
    }

    /// Where neither the original tests nor those of any patch show a bug, there is nothing to judge.
    fn break_if_no_test_shows_the_bug(&self, baseline: &Baseline) -> Result<(), Stop> {
        let not_shown =
            |patch: &PatchReport| patch.verdict.inconclusive == Some(InconclusiveReason::BugNotShown);
        let patches = &self.report.patches;
        if !baseline.candidates().is_empty() || !patches.iter().any(not_shown) {
            return Ok(());
        }
        if patches.iter().any(|patch| !not_shown(patch) && patch.verdict.outcome != Outcome::Invalid) {
            return Ok(());
        }
        let mut details = baseline.problems.clone();
        details.push(
            "a test must fail on the buggy version and pass with a right fix: add one to the project, or let the patch \
             bring it"
                .to_owned(),
        );
        if !baseline.report.flaky.is_empty() {
            details.push(format!("{} flaky tests were set aside", baseline.report.flaky.len()));
        }
        Err(Stop::Broken(BrokenBaseline {
            key: "bug-does-not-show".to_owned(),
            summary: format!(
                "no test shows the bug: all {} tests pass on the buggy version",
                baseline.report.tests
            ),
            details,
        }))
    }

    /// Without a tool that everything needs, each patch is inconclusive.
    fn nothing_can_be_said(&mut self, text: &str) {
        for planned in &self.plan.patches {
            let verdict = Verdict::inconclusive(InconclusiveReason::ToolMissing, text);
            self.report.patches.push(PatchReport::new(&planned.name, &planned.digest, verdict));
        }
    }
}

/// What other patches say against one, by its number in the order of the patches, from 0.
type Accusation = (usize, Evidence);

/// A fault of the run directory while patches are judged.
#[expect(clippy::needless_pass_by_value, reason = "used as a function for `map_err`")]
fn store_fault(error: StoreError) -> LangError {
    LangError::Io(std::io::Error::other(error.to_string()))
}

/// A name for the files of each patch: its own, with a number where two have the same.
fn distinct_names(patches: &[PlannedInput]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(patches.len());
    for patch in patches {
        let numbered = (2..).map(|number| format!("{}-{number}", patch.name));
        let name = std::iter::once(patch.name.clone()).chain(numbered).find(|name| !names.contains(name));
        names.extend(name);
    }
    names
}

fn broken_build(what: &str, key: &str, error: LangError) -> Result<BrokenBaseline, LangError> {
    let (summary, details) = match error {
        LangError::DoesNotCompile { summary, diagnostics, .. } => (summary, first_diagnostics(&diagnostics)),
        LangError::BuildTool { summary, details } => (summary, details),
        other => return Err(other),
    };
    Ok(BrokenBaseline { key: key.to_owned(), summary: format!("{what} does not build: {summary}"), details })
}

fn read_baseline(entry: &Utf8Path) -> Result<Baseline, LangError> {
    let text = fs_err::read(entry.join("baseline.json"))?;
    serde_json::from_slice(&text).map_err(|error| LangError::Internal(format!("{entry}: {error}")))
}

fn empty_report(description: &Description) -> RunReport {
    RunReport {
        format: FORMAT_VERSION,
        bonafix: env!("CARGO_PKG_VERSION").to_owned(),
        subject: SubjectReport {
            name: description.name.clone(),
            language: String::new(),
            build_system: String::new(),
            facts: std::collections::BTreeMap::new(),
        },
        baseline: None,
        broken: None,
        patches: Vec::new(),
        ranking: None,
        notices: description.notices.clone(),
        timings: Timings::default(),
    }
}

fn plan(options: &CheckOptions, description: &Description) -> Result<Plan, CheckError> {
    let skip = |path: &Utf8Path| path.file_name() == Some(".git") || path.ends_with("target/bonafix");
    let subject = digest_tree(&description.root, &skip)?;
    let mut plan = Plan::new(options.command.clone(), PlannedInput::new(&description.name, subject.hash));
    plan.reference = description.reference.as_ref().map(planned);
    plan.patches = description.patches.iter().map(planned).collect();
    let config = serde_json::to_string(&description.config)
        .map_err(|error| CheckError::Internal { message: error.to_string(), run: None })?;
    plan.options.insert("config".to_owned(), config);
    let judging = &options.judging;
    plan.seed = judging.seed;
    plan.options.insert("budget".to_owned(), judging.budget.to_string());
    plan.options.insert("strict".to_owned(), judging.strict.to_string());
    if judging.full {
        plan.options.insert("full".to_owned(), "true".to_owned());
    }
    plan.options.insert("heap".to_owned(), judging.heap_mib.to_string());
    plan.options.insert(
        "similarity".to_owned(),
        format!(
            "{:?} {} {} {}",
            judging.similarity, judging.generated_tests, judging.varied_tests, judging.failing_variants
        ),
    );
    if let Some(techniques) = &judging.techniques {
        let names: Vec<&str> = techniques.iter().map(|technique| technique.name()).collect();
        plan.options.insert("techniques".to_owned(), names.join(","));
    }
    if let Some(path) = &judging.inputs_from {
        let digest = KeyBuilder::new("inputs").part("contents", inputs::checked_text(path)?).finish();
        plan.options.insert("inputs-from".to_owned(), digest.as_str().to_owned());
    }
    if let Some(path) = &judging.inputs_to {
        inputs::check_target(path)?;
    }
    Ok(plan)
}

fn planned(change: &NamedChange) -> PlannedInput {
    let key = KeyBuilder::new("change");
    let key = match &change.source {
        ChangeSource::Diff(bytes) => key.part("diff", bytes),
        ChangeSource::Tree(tree) => tree.files.iter().fold(key, |key, (path, edit)| match edit {
            FileEdit::Write(contents) => key.part("write", path.as_str()).part("contents", contents),
            FileEdit::Delete => key.part("delete", path.as_str()),
        }),
    };
    PlannedInput::new(&change.name, key.finish().as_str())
}

fn open_run(
    options: &CheckOptions,
    description: &Description,
    plan: &Plan,
) -> Result<(RunDir, Vec<PatchReport>), CheckError> {
    let path = match &options.resume {
        Resume::No => return Ok((RunDir::create(&options.out, &description.name, plan)?, Vec::new())),
        Resume::Run(path) => path.clone(),
        Resume::Latest => RunDir::find_latest(&options.out).ok_or_else(|| {
            CheckError::Usage(format!(
                "there is no run to resume in {}; name one, or leave `--resume` out",
                options.out
            ))
        })?,
    };
    let resumed = RunDir::resume(&path, plan)?;
    Ok((resumed.run, resumed.finished))
}
