//! Where the time of a patch goes that is judged without a reference: the steps that the report tells, of one case.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use camino::Utf8Path;
use serde_json::Value;

use super::{BUDGET, Figures, Measurement, median};
use crate::cases;
use crate::workspace::Workspace;

const CASE: &str = "sorted-bag";

/// Measures on one case.
pub(super) fn measure(workspace: &Workspace, bonafix: &Utf8Path, figures: &mut Figures) -> Result<()> {
    let all = cases::all(&workspace.root)?;
    let case =
        all.iter().find(|case| case.name == CASE).with_context(|| format!("there is no case {CASE}"))?;
    let folder = workspace.scratch("bench")?;
    // What is in the cache takes no time.
    let cache = folder.join("cache-of-phases");
    if cache.exists() {
        fs_err::remove_dir_all(&cache)?;
    }
    let command = cases::check_command(bonafix, &workspace.root, case)
        .args(["--no-reference", "--budget", BUDGET, "--out", folder.join("runs").as_str()])
        .env("BONAFIX_CACHE", cache.as_str());
    let captured = command.capture()?;
    let report: Value = serde_json::from_str(&captured.stdout)
        .with_context(|| format!("bonafix said: {}", captured.stderr))?;
    figures.extend(of_report(&report));
    Ok(())
}

/// Steps of the whole run once, and steps of patches as their medians.
fn of_report(report: &Value) -> Vec<Measurement> {
    let mut of_patches: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (step, millis) in report["patches"].as_array().into_iter().flatten().flat_map(steps) {
        of_patches.entry(step).or_default().push(millis);
    }
    let of_run = steps(report).into_iter().map(|(step, millis)| (format!("{step}, once"), millis));
    let of_patches = of_patches
        .into_iter()
        .filter_map(|(step, millis)| Some((format!("{step}, median over patches"), median(millis)?)));
    of_run.chain(of_patches).map(|(what, millis)| measurement(&what, millis)).collect()
}

fn steps(timed: &Value) -> Vec<(&str, u64)> {
    let steps = timed["timings"].as_object().into_iter().flatten();
    steps.filter_map(|(step, millis)| Some((step.as_str(), millis.as_u64()?))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a step are far below 2^52")]
fn measurement(what: &str, millis: u64) -> Measurement {
    Measurement::new(format!("{CASE} without reference: {what}"), millis as f64 / 1000.0, "s")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_of_the_run_and_medians_of_the_patches_are_told() {
        let patch = |judge: u64| json!({"timings": {"judge": judge}});
        let report =
            json!({"timings": {"baseline": 250}, "patches": [patch(1000), patch(9000), patch(3000)]});
        let found = of_report(&report);
        let figures: Vec<(&str, f64)> = found.iter().map(|each| (each.name.as_str(), each.value)).collect();
        assert_eq!(
            figures,
            [
                ("sorted-bag without reference: baseline, once", 0.25),
                ("sorted-bag without reference: judge, median over patches", 3.0)
            ]
        );
    }
}
