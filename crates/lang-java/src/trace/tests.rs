//! Tests, each as part of a run of tests: twice on the buggy version, and twice on the patched one, on which it must pass.
//!
//! Tests share a VM with those before them, and with it static state: what runs only once is in the trace of the first test
//! that comes to it (but for static initialisers, which are in none). That is the same in all runs as long as they have the
//! same tests in the same order. So where a VM ends early, only what came before counts, and what comes behind is run again
//! on all versions, without the test that the VM ended in. The same holds where the file of traces is full.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bonafix_lang::{LangError, OnTrace, TraceLimits, Traced};
use bonafix_model::{TestId, TestOutcome};
use bonafix_store::PassingFolder;
use camino::Utf8PathBuf;

use super::records::{Record, RecordKind, Records, decode};
use super::{JavaTracer, NO_TIME, TracedVersion, UNSTEADY, is_late};

/// Tests that run in one VM.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) module: usize,
    pub(crate) tests: Vec<TestId>,
}

/// How a run of a group ended.
pub(crate) struct GroupRun {
    /// The file of traces.
    pub(crate) lines: Utf8PathBuf,
    /// Where it lies.
    pub(crate) folder: PassingFolder,
    pub(crate) outcomes: BTreeMap<TestId, TestOutcome>,
}

/// The traces of a run.
struct Ran {
    records: Records,
    outcomes: BTreeMap<TestId, TestOutcome>,
    /// Removed with it.
    _folder: PassingFolder,
}

impl Ran {
    fn has(&self, test: &TestId) -> bool {
        self.records.list.iter().any(|record| record.id == test.0)
    }

    /// The file was full before it.
    fn lacks_room(&self, test: &TestId) -> bool {
        let mut records = self.records.list.iter();
        records.any(|record| record.id == test.0 && record.kind == RecordKind::NoRoom)
    }

    /// The VM ended before its time.
    fn broke_off(&self) -> bool {
        self.records.was_restarted || self.outcomes.values().any(|outcome| is_end_of_vm(*outcome))
    }

    fn ended_vm(&self, test: &TestId) -> bool {
        self.outcomes.get(test).is_some_and(|outcome| is_end_of_vm(*outcome))
    }

    fn why_missing(&self, test: &TestId, version: &TracedVersion) -> String {
        let name = version.name();
        match self.outcomes.get(test) {
            Some(TestOutcome::TimedOut) => format!("it takes too long in the {name} version"),
            Some(TestOutcome::Crashed) => format!("it ends the VM in the {name} version"),
            Some(TestOutcome::Skipped) => format!("it is skipped in the {name} version"),
            Some(_) => format!("it does not get to run in the {name} version"),
            None => format!("it did not run in the {name} version"),
        }
    }
}

fn is_end_of_vm(outcome: TestOutcome) -> bool {
    matches!(outcome, TestOutcome::TimedOut | TestOutcome::Crashed)
}

/// Traces tests.
pub(super) fn trace(
    tracer: &JavaTracer<'_>,
    tests: &[TestId],
    limits: &TraceLimits,
    on_trace: OnTrace<'_>,
) -> Result<(), LangError> {
    let mut report = Report { places: BTreeMap::new(), on_trace };
    for (place, test) in tests.iter().enumerate() {
        if report.places.insert(test, place).is_some() {
            return Err(LangError::Internal(format!("{} was asked for twice", test.0)));
        }
    }
    let mut waiting: VecDeque<Group> = tracer.project.trace_groups(&tracer.buggy, tests, &tracer.log)?.into();
    while let Some(group) = waiting.pop_front() {
        let session = Session { tracer, limits, module: group.module };
        let again = session.group(&group.tests, &mut report)?;
        if !again.is_empty() {
            waiting.push_front(Group { module: group.module, tests: again });
        }
    }
    report.set_aside_rest("there is no such test in the buggy version");
    Ok(())
}

/// The tests that come to no changed method when they run once on the buggy version, beside each other. Behind one that
/// hangs nothing more runs.
pub(super) fn far(
    tracer: &JavaTracer<'_>,
    tests: &[TestId],
    limits: &TraceLimits,
) -> Result<BTreeSet<TestId>, LangError> {
    // That it came there is all that is wanted.
    let limits = TraceLimits { statements: 1, ..*limits };
    let mut far = BTreeSet::new();
    for group in tracer.project.trace_groups(&tracer.buggy, tests, &tracer.log)? {
        if is_late(&limits) {
            break;
        }
        let run = tracer.project.trace_group(&tracer.buggy, &group, &[], &limits, &tracer.log)?;
        let records = Records::of_all(&run.lines)?;
        let not_reached = records.list.into_iter().filter(|record| record.kind == RecordKind::NotReached);
        far.extend(not_reached.map(|record| TestId(record.id)));
    }
    Ok(far)
}

/// Tells of each test once.
struct Report<'a, 'b> {
    /// Tests that are not told of yet.
    places: BTreeMap<&'a TestId, usize>,
    on_trace: OnTrace<'b>,
}

impl Report<'_, '_> {
    fn tell(&mut self, test: &TestId, traced: Traced) {
        if let Some(place) = self.places.remove(test) {
            (self.on_trace)(place, traced);
        }
    }

    fn set_aside(&mut self, test: &TestId, why: impl Into<String>) {
        self.tell(test, Traced::SetAside(why.into()));
    }

    fn set_aside_all(&mut self, tests: &[TestId], why: &str) {
        for test in tests {
            self.set_aside(test, why);
        }
    }

    fn set_aside_rest(&mut self, why: &str) {
        for place in std::mem::take(&mut self.places).into_values() {
            (self.on_trace)(place, Traced::SetAside(why.to_owned()));
        }
    }
}

/// One group on its way through the versions.
struct Session<'a> {
    tracer: &'a JavaTracer<'a>,
    limits: &'a TraceLimits,
    module: usize,
}

impl Session<'_> {
    /// Traces a group; which tests must be run again, fewer than there were.
    fn group(&self, tests: &[TestId], report: &mut Report<'_, '_>) -> Result<Vec<TestId>, LangError> {
        let (buggy, patched) = (&self.tracer.buggy, &self.tracer.patched);
        let mut again = Vec::new();
        let Some(mut first) = self.run(buggy, tests, &[], report)? else { return Ok(again) };
        let kept = Self::keep(&first, buggy, tests, &mut again, report);
        // As long as a VM lives, what has no record runs all the same: it may leave something behind.
        let tests = if first.broke_off() { &kept } else { tests };
        let Some(mut second) = self.run(buggy, tests, &[], report)? else { return Ok(again) };
        let (kept, lost): (Vec<_>, Vec<_>) = kept.iter().cloned().partition(|test| second.has(test));
        report.set_aside_all(&lost, UNSTEADY);
        let tests = if second.broke_off() { &kept } else { tests };
        let Some(mut third) = self.run(patched, tests, &[], report)? else { return Ok(again) };
        let kept = Self::keep(&third, patched, &kept, &mut again, report);
        let tests = if third.broke_off() { &kept } else { tests };
        let Some(mut fourth) = self.run(patched, tests, &[], report)? else { return Ok(again) };
        let (kept, lost): (Vec<_>, Vec<_>) = kept.iter().cloned().partition(|test| fourth.has(test));
        report.set_aside_all(&lost, UNSTEADY);
        let no_room =
            |test: &TestId| [&first, &second, &third, &fourth].into_iter().any(|ran| ran.lacks_room(test));
        let (late, kept): (Vec<_>, Vec<_>) = kept.into_iter().partition(no_room);
        if kept.is_empty() {
            report.set_aside_all(&late, "its traces are too long");
        } else {
            again.extend(late);
        }
        let one_sided = self.compare(&kept, [&mut first, &mut second], [&mut third, &mut fourth], report)?;
        let tests = if fourth.broke_off() { &kept } else { tests };
        self.one_sided(tests, &one_sided, report)?;
        Ok(again)
    }

    /// The tests that have a record. Of the others, those that a VM did not get to are to be run again.
    fn keep(
        ran: &Ran,
        version: &TracedVersion,
        tests: &[TestId],
        again: &mut Vec<TestId>,
        report: &mut Report<'_, '_>,
    ) -> Vec<TestId> {
        let (kept, lost): (Vec<TestId>, Vec<TestId>) = tests.iter().cloned().partition(|test| ran.has(test));
        let guilty = lost.iter().any(|test| ran.ended_vm(test));
        for test in lost {
            let is_innocent = ran.broke_off() && !ran.ended_vm(&test);
            if is_innocent && (guilty || !kept.is_empty()) {
                again.push(test);
            } else {
                report.set_aside(&test, ran.why_missing(&test, version));
            }
        }
        kept
    }

    /// None where there is nothing to run or no time.
    fn run(
        &self,
        version: &TracedVersion,
        tests: &[TestId],
        always: &[TestId],
        report: &mut Report<'_, '_>,
    ) -> Result<Option<Ran>, LangError> {
        if tests.is_empty() {
            return Ok(None);
        }
        if is_late(self.limits) {
            report.set_aside_all(tests, NO_TIME);
            return Ok(None);
        }
        let group = Group { module: self.module, tests: tests.to_vec() };
        let run = self.tracer.project.trace_group(version, &group, always, self.limits, &self.tracer.log)?;
        let records = Records::open(&run.lines)?;
        Ok(Some(Ran { records, outcomes: run.outcomes, _folder: run.folder }))
    }

    /// Tells what became of tests; which of them came to the change in one version only.
    fn compare(
        &self,
        tests: &[TestId],
        [first, second]: [&mut Ran; 2],
        [patched, patched_again]: [&mut Ran; 2],
        report: &mut Report<'_, '_>,
    ) -> Result<Vec<TestId>, LangError> {
        let mut one_sided = Vec::new();
        for test in tests {
            let runs = [&*first, &*second, &*patched, &*patched_again];
            let records = runs.map(|ran| ran.records.only(&test.0).cloned());
            let [Some(one), Some(two), Some(three), Some(four)] = records else {
                report.set_aside(test, "several tests have this name");
                continue;
            };
            let unusable = [&one, &two, &three, &four].into_iter().find_map(unusable);
            if let Some(why) = unusable.or_else(|| unfit(runs.map(|ran| ran.outcomes.get(test).copied()))) {
                report.set_aside(test, why);
                continue;
            }
            let raw = first.records.raw(&one)?;
            let steady = one.kind == two.kind && raw == second.records.raw(&two)?;
            if !steady
                || three.kind != four.kind
                || patched.records.raw(&three)? != patched_again.records.raw(&four)?
            {
                report.set_aside(test, UNSTEADY);
                continue;
            }
            match (one.kind, three.kind) {
                (RecordKind::NotReached, RecordKind::NotReached) => report.tell(test, Traced::NotReached),
                (RecordKind::Trace, RecordKind::Trace) => {
                    let other = patched.records.raw(&three)?;
                    self.tell(test, &raw, &other, report);
                }
                _ => one_sided.push(test.clone()),
            }
        }
        Ok(one_sided)
    }

    /// A change may be come to in one version only, where it adds or removes a method. The trace of the other is wanted
    /// too.
    fn one_sided(
        &self,
        tests: &[TestId],
        wanted: &[TestId],
        report: &mut Report<'_, '_>,
    ) -> Result<(), LangError> {
        if wanted.is_empty() {
            return Ok(());
        }
        if is_late(self.limits) {
            report.set_aside_all(wanted, NO_TIME);
            return Ok(());
        }
        let Some(mut buggy) = self.run(&self.tracer.buggy, tests, wanted, report)? else { return Ok(()) };
        let Some(mut patched) = self.run(&self.tracer.patched, tests, wanted, report)? else { return Ok(()) };
        for test in wanted {
            let records = [&buggy, &patched].map(|ran| ran.records.only(&test.0).cloned());
            match records {
                [Some(one), Some(other)]
                    if one.kind == RecordKind::Trace && other.kind == RecordKind::Trace =>
                {
                    let raw = [buggy.records.raw(&one)?, patched.records.raw(&other)?];
                    self.tell(test, &raw[0], &raw[1], report);
                }
                _ => report.set_aside(test, UNSTEADY),
            }
        }
        Ok(())
    }

    fn tell(&self, test: &TestId, buggy: &[u8], patched: &[u8], report: &mut Report<'_, '_>) {
        let traces =
            (decode(buggy, &self.tracer.buggy.statements), decode(patched, &self.tracer.patched.statements));
        match traces {
            (Some(buggy), Some(patched)) => report.tell(test, Traced::Both { buggy, patched }),
            _ => report.set_aside(test, "its trace cannot be read"),
        }
    }
}

/// Why a test says nothing that ended so: twice on the buggy version, and twice on the patched one.
fn unfit([one, two, patched, again]: [Option<TestOutcome>; 4]) -> Option<&'static str> {
    if one != two {
        return Some("it does not end the same way twice");
    }
    let passes = |outcome: Option<TestOutcome>| outcome == Some(TestOutcome::Passed);
    (!passes(patched) || !passes(again))
        .then_some("it does not pass on the patched version when it is traced")
}

fn unusable(record: &Record) -> Option<&'static str> {
    match record.kind {
        RecordKind::Mixed => Some("it runs at the same time as another test"),
        RecordKind::NoRoom => Some("its traces are too long"),
        RecordKind::NotReached | RecordKind::Trace => None,
    }
}
