//! How soon a wrong patch of a C program has its counterexample: built, tested, fuzzed, found, made small, written, run again.

use anyhow::{Context, Result};
use camino::Utf8Path;
use serde_json::Value;

use super::{Figures, Measurement, median};
use crate::cases::{self, Case};
use crate::workspace::Workspace;

/// Measures on every C case.
pub(super) fn measure(workspace: &Workspace, bonafix: &Utf8Path, figures: &mut Figures) -> Result<()> {
    let all = cases::all(&workspace.root)?;
    for case in all.iter().filter(|case| case.language == "c") {
        figures.extend(of_case(workspace, bonafix, case)?);
    }
    Ok(())
}

fn of_case(workspace: &Workspace, bonafix: &Utf8Path, case: &Case) -> Result<Option<Measurement>> {
    let folder = workspace.scratch("bench")?;
    let overfitting = case.patches.iter().filter(|patch| patch.label.as_deref() == Some("overfitting"));
    let command = cases::check_command(bonafix, &workspace.root, case)
        .args(overfitting.flat_map(|patch| ["--patch".to_owned(), case.folder.join(&patch.file).to_string()]))
        .args(["--out", folder.join("runs").as_str()])
        .env("BONAFIX_CACHE", folder.join("cache").as_str());
    let captured = command.capture()?;
    let report: Value = serde_json::from_str(&captured.stdout)
        .with_context(|| format!("bonafix said: {}", captured.stderr))?;
    let patches = cases::patches_of(&report)?;
    let times: Vec<u64> = patches.iter().filter_map(time).collect();
    if times.len() < patches.len() {
        eprintln!(
            "{}: {} of {} patches are not refuted",
            case.name,
            patches.len() - times.len(),
            patches.len()
        );
    }
    Ok(median(times).map(|time| figure(case, time)))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a check are far below 2^52")]
fn figure(case: &Case, milliseconds: u64) -> Measurement {
    let name = format!("from a patch to its counterexample, {}, median over overfitting patches", case.name);
    Measurement::new(name, milliseconds as f64 / 1000.0, "s")
}

/// A check of a patch ends with its first counterexample.
fn time(patch: &Value) -> Option<u64> {
    let (outcome, _) = cases::outcome_of(patch)?;
    (outcome == "refuted").then(|| cases::milliseconds(&patch["timings"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_patch_that_was_refuted_tells_how_long_that_takes() {
        let patch = |outcome: &str| json!({"verdict": {"outcome": outcome}, "timings": {"judge": 1500, "first-input": 700, "build-patched": 20}});
        assert_eq!(time(&patch("refuted")), Some(1520));
        assert_eq!(time(&patch("unrefuted")), None);
    }
}
