//! Call sequences, each alone in classes of its own: twice in the buggy version, and twice in the patched one.

use std::time::Duration;

use bonafix_lang::{LangError, OnTrace, TraceLimits, Traced};
use bonafix_model::{Breakdown, Sequence};
use camino::Utf8PathBuf;

use super::records::{Record, RecordKind, Records, decode};
use super::{JavaTracer, NO_TIME, TracedVersion, UNSTEADY, is_late};
use crate::arena::{Arena, ArenaConfig, ArenaProbes, ArenaSubject, TraceEnd};

/// What a run may take that its steps do not end.
const LIMIT: Duration = Duration::from_secs(5);
const BUGGY: u32 = 0;
const PATCHED: u32 = 1;
/// The versions that an input runs in, one after the other.
const ROUNDS: [u32; 4] = [BUGGY, BUGGY, PATCHED, PATCHED];
/// Inputs that are run at once: the deadline is looked at in between.
const MAX_CHUNK: usize = 32;

/// How a run ended, as `ArenaProtocol` has it.
const ENDED: u32 = 0;
const OUT_OF_MEMORY: u32 = 1;
const TIMED_OUT: u32 = 2;
const EXITED: u32 = 3;
const UNAVAILABLE: u32 = 4;

/// Traces inputs.
pub(super) fn trace(
    tracer: &mut JavaTracer<'_>,
    inputs: &[Sequence],
    limits: &TraceLimits,
    on_trace: OnTrace<'_>,
) -> Result<(), LangError> {
    let mut next = 0;
    while next < inputs.len() {
        if is_late(limits) {
            (next..inputs.len()).for_each(|place| on_trace(place, Traced::SetAside(NO_TIME.to_owned())));
            return Ok(());
        }
        let some = &inputs[next..inputs.len().min(next + MAX_CHUNK)];
        next += run(tracer, some, next, limits, on_trace)?;
    }
    Ok(())
}

/// Runs inputs until they are done or end the VM; how many of them are told of, one at least.
fn run(
    tracer: &mut JavaTracer<'_>,
    inputs: &[Sequence],
    place: usize,
    limits: &TraceLimits,
    on_trace: OnTrace<'_>,
) -> Result<usize, LangError> {
    let mut arena = match tracer.arena.take() {
        Some(arena) => arena,
        None => open(tracer)?,
    };
    let file = LinesFile(tracer.scratch.join("arena").join("lines"));
    let end = arena.trace(inputs, &ROUNDS, &file.0, limits.statements)?;
    tracer.arena = Some(arena);
    let mut batch = Batch { tracer, records: Records::open(&file.0)? };
    for number in 0..inputs.len() {
        if number > 0 && batch.lacks_room(number) {
            // The next batch has a file of its own.
            return Ok(number);
        }
        let outcome = match (batch.outcome(number)?, &end) {
            (Some(outcome), _) => outcome,
            (None, TraceEnd::Done) => Traced::SetAside("its trace was not written".to_owned()),
            (None, TraceEnd::Died(Some((blamed, version, breakdown)))) if *blamed == number => {
                on_trace(place + number, broke_down(*version, *breakdown));
                return Ok(number + 1);
            }
            // The VM gave out before it; it is run again in a fresh one, once.
            (None, TraceEnd::Died(_)) if number > 0 => return Ok(number),
            (None, TraceEnd::Died(_)) => Traced::SetAside("the VM does not survive it".to_owned()),
        };
        on_trace(place + number, outcome);
    }
    Ok(inputs.len())
}

/// The file of a batch, which goes when it was read, however far.
struct LinesFile(Utf8PathBuf);

impl Drop for LinesFile {
    fn drop(&mut self) {
        if self.0.exists()
            && let Err(error) = fs_err::remove_file(&self.0)
        {
            tracing::debug!(%error, "traces stay until the tracer goes");
        }
    }
}

fn open(tracer: &JavaTracer<'_>) -> Result<Arena, LangError> {
    let path = |version: &TracedVersion| {
        let folders: Vec<_> = version.folders.iter().map(|(original, _)| original.clone()).collect();
        version.probed_path(&folders)
    };
    let subject = ArenaSubject {
        versions: vec![path(&tracer.buggy), path(&tracer.patched)],
        libraries: tracer.project.existing_libraries()?,
        probes: ArenaProbes::default(),
        ..ArenaSubject::default()
    };
    let config = ArenaConfig { heap_mib: tracer.heap_mib, limit: LIMIT, ..ArenaConfig::default() };
    let catalog = tracer.catalog()?;
    tracer.project.open_arena(subject, config, &catalog, &tracer.scratch.join("arena"))
}

/// What a batch left behind.
struct Batch<'a, 'b> {
    tracer: &'a JavaTracer<'b>,
    records: Records,
}

impl Batch<'_, '_> {
    /// What became of an input; none if it did not come to its end.
    fn outcome(&mut self, number: usize) -> Result<Option<Traced>, LangError> {
        let mut traces: Vec<Vec<u8>> = Vec::new();
        let mut last = ENDED;
        for (round, &version) in ROUNDS.iter().enumerate() {
            let Some((end, record)) = self.record(number, round) else {
                // What ends the patched version may end the VM, and is run there once.
                let is_over = round + 1 == ROUNDS.len() && last != ENDED;
                return Ok(is_over.then(|| self.both(&traces[0], &traces[round - 1], last)));
            };
            if record.kind != RecordKind::Trace {
                return Ok(Some(Traced::SetAside("its traces are too long".to_owned())));
            }
            if version == BUGGY && end != ENDED || end == UNAVAILABLE {
                return Ok(Some(Traced::SetAside(ending(version, end))));
            }
            traces.push(self.records.raw(&record)?);
            last = end;
        }
        let [buggy, again, patched, once_more] = &traces[..] else { return Ok(None) };
        if buggy != again || patched != once_more {
            return Ok(Some(Traced::SetAside(UNSTEADY.to_owned())));
        }
        Ok(Some(self.both(buggy, patched, last)))
    }

    /// The file was full before all of an input was written.
    fn lacks_room(&self, number: usize) -> bool {
        let records = (0..ROUNDS.len()).filter_map(|round| self.record(number, round));
        records.map(|(_, record)| record.kind).any(|kind| kind == RecordKind::NoRoom)
    }

    /// The run of an input in a round, and how it ended.
    fn record(&self, number: usize, round: usize) -> Option<(u32, Record)> {
        let start = format!("{number}/{round}/");
        self.records.list.iter().find_map(|record| {
            let end = record.id.strip_prefix(&start)?.parse().ok()?;
            Some((end, record.clone()))
        })
    }

    fn both(&self, buggy: &[u8], patched: &[u8], end: u32) -> Traced {
        let traces =
            (decode(buggy, &self.tracer.buggy.statements), decode(patched, &self.tracer.patched.statements));
        match traces {
            (Some(buggy), Some(patched)) if !buggy.reaches_change() && !patched.reaches_change() => {
                Traced::NotReached
            }
            (Some(buggy), Some(mut patched)) => {
                patched.cut |= end == TIMED_OUT;
                Traced::Both { buggy, patched }
            }
            _ => Traced::SetAside("its trace cannot be read".to_owned()),
        }
    }
}

fn name(version: u32) -> &'static str {
    if version == PATCHED { "patched" } else { "buggy" }
}

fn ending(version: u32, end: u32) -> String {
    let what = match end {
        OUT_OF_MEMORY => "runs out of memory",
        TIMED_OUT => "does not come to an end",
        EXITED => "ends the VM",
        _ => "calls what is not there",
    };
    format!("it {what} in the {} version", name(version))
}

fn broke_down(version: u32, breakdown: Breakdown) -> Traced {
    let what = match breakdown {
        Breakdown::OutOfMemory => OUT_OF_MEMORY,
        Breakdown::Timeout => TIMED_OUT,
        Breakdown::Exit(_) | Breakdown::Crash => EXITED,
    };
    Traced::SetAside(ending(version, what))
}
