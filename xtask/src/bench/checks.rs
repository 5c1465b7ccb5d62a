//! How long `bonafix check` takes on bundled cases, and how soon a patched version is ready.

use std::time::Instant;

use anyhow::{Context, Result};
use camino::Utf8Path;

use super::{BUDGET, Figures, Goal, Measurement, median};
use crate::cases::{self, Case, Judged};
use crate::workspace::Workspace;

/// Of each language two: enough to see that checks became slower. All of them take more than ten minutes.
const SOME: [&str; 4] = ["leap-year", "lru-cache", "ini-reader", "tab-expand"];

/// Measures on a few cases.
pub(super) fn of_some(workspace: &Workspace, bonafix: &Utf8Path, figures: &mut Figures) -> Result<()> {
    let all = cases::all(&workspace.root)?;
    let find = |name: &str| {
        let found = all.iter().find(|case| case.name == name);
        found.with_context(|| format!("there is no case {name}"))
    };
    let some = SOME.into_iter().map(find).collect::<Result<Vec<_>>>()?;
    measure(workspace, bonafix, some, figures)
}

/// Measures on every case.
pub(super) fn of_all(workspace: &Workspace, bonafix: &Utf8Path, figures: &mut Figures) -> Result<()> {
    measure(workspace, bonafix, &cases::all(&workspace.root)?, figures)
}

fn measure<'c>(
    workspace: &Workspace,
    bonafix: &Utf8Path,
    cases: impl IntoIterator<Item = &'c Case>,
    figures: &mut Figures,
) -> Result<()> {
    let mut builds = Vec::new();
    for case in cases {
        let first = timed_check(workspace, bonafix, case, Cache::Emptied)?;
        figures.add(Measurement::new(format!("check {}, empty cache", case.name), first.seconds, "s"));
        let second = timed_check(workspace, bonafix, case, Cache::Kept)?;
        figures.add(Measurement::new(format!("check {}, second run", case.name), second.seconds, "s"));
        builds.extend(first.judged.iter().filter_map(|judged| judged.build_milliseconds));
    }
    figures.extend(median(builds).map(ready_version));
    Ok(())
}

/// The goal for projects of any size: a one-file patch is ready within a second.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of a build are far below 2^52")]
fn ready_version(milliseconds: u64) -> Measurement {
    let name = "patched version ready, median over the patches of these cases";
    Measurement::new(name, milliseconds as f64 / 1000.0, "s").goal(Goal::AtMost(1.0))
}

/// What a check finds in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cache {
    Emptied,
    Kept,
}

/// A check and how long it took.
struct TimedCheck {
    judged: Vec<Judged>,
    seconds: f64,
}

fn timed_check(workspace: &Workspace, bonafix: &Utf8Path, case: &Case, state: Cache) -> Result<TimedCheck> {
    let folder = workspace.scratch("bench")?;
    let cache = folder.join("cache");
    if state == Cache::Emptied && cache.exists() {
        fs_err::remove_dir_all(&cache)?;
    }
    let command = cases::check_command(bonafix, &workspace.root, case)
        .args(["--budget", BUDGET, "--out", folder.join("runs").as_str()])
        .env("BONAFIX_CACHE", cache.as_str());
    let start = Instant::now();
    let judged = cases::check(&command, case)?;
    Ok(TimedCheck { judged, seconds: start.elapsed().as_secs_f64() })
}
