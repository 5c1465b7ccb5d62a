//! A run in progress: its directory, its events, its clock.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bonafix_model::{Event, Stage, TestResult, Timings};
use bonafix_store::RunDir;
use camino::Utf8PathBuf;

/// Told of everything that happens.
pub type OnEvent<'a> = &'a (dyn Fn(&Event) + Sync);

/// What the steps of a run share.
pub(crate) struct Session<'a> {
    pub(crate) run: &'a RunDir,
    pub(crate) on_event: OnEvent<'a>,
}

/// The wall times of one part of the run.
#[derive(Default)]
pub(crate) struct Clock(BTreeMap<String, u64>);

impl Clock {
    /// Notes a time that is no step of its own.
    pub(crate) fn note(&mut self, name: &str, time: Option<Duration>) {
        if let Some(time) = time {
            self.0.insert(name.to_owned(), u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        }
    }

    pub(crate) fn finish(self) -> Timings {
        Timings(self.0)
    }
}

impl Session<'_> {
    pub(crate) fn tell(&self, event: &Event) {
        self.run.record(event);
        (self.on_event)(event);
    }

    /// Runs one step: tells when it begins and ends, measures it, and gives it a log of its own.
    pub(crate) fn step<T>(
        &self,
        stage: Stage,
        patch: Option<&str>,
        clock: &mut Clock,
        work: impl FnOnce(&Utf8PathBuf) -> (T, bool),
    ) -> T {
        let patch = patch.map(str::to_owned);
        self.tell(&Event::StageStarted { stage, patch: patch.clone() });
        let started = Instant::now();
        let log = self.run.log_path(&step_name(stage, patch.as_deref()));
        let (result, cached) = work(&log);
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        clock.0.insert(stage_key(stage), millis);
        self.tell(&Event::StageFinished { stage, patch, millis, cached });
        result
    }

    /// A listener that tells of every test that ends.
    pub(crate) fn test_listener(&self) -> impl FnMut(&TestResult, Option<u64>) {
        let (mut done, mut red) = (0, 0);
        move |result, total| {
            done += 1;
            red += u64::from(result.outcome.is_red());
            // Progress is for the eyes; ten thousand lines of it in the run directory would be for nobody.
            (self.on_event)(&Event::TestProgress { done, total, red });
        }
    }
}

fn stage_key(stage: Stage) -> String {
    serde_json::to_value(stage).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn step_name(stage: Stage, patch: Option<&str>) -> String {
    match patch {
        Some(patch) => format!("{}-{patch}", stage_key(stage)),
        None => stage_key(stage),
    }
}
