//! How fast inputs are tried, over a whole search: generation, three versions, comparison, all that a check does for each.

use anyhow::{Context, Result};
use camino::Utf8Path;
use serde_json::Value;

use super::{Figures, Measurement};
use crate::cases::{self, Case};
use crate::workspace::Workspace;

/// A class with state, and one that works on strings.
const CASES: [&str; 2] = ["lru-cache", "text-wrap"];
/// Long enough for the virtual machine to have warmed up.
const BUDGET: &str = "50000inputs";
/// What ended before says little about speed.
const ENOUGH: u64 = 5_000;

/// Measures on two cases.
pub(super) fn measure(workspace: &Workspace, bonafix: &Utf8Path, figures: &mut Figures) -> Result<()> {
    let all = cases::all(&workspace.root)?;
    for case in all.iter().filter(|case| CASES.contains(&case.name.as_str())) {
        figures.extend(of_case(workspace, bonafix, case)?);
    }
    Ok(())
}

fn of_case(workspace: &Workspace, bonafix: &Utf8Path, case: &Case) -> Result<Option<Measurement>> {
    let folder = workspace.scratch("bench")?;
    // Only these count below, and the others take most of the time.
    let correct = case.patches.iter().filter(|patch| patch.label.as_deref() == Some("correct"));
    let command = cases::check_command(bonafix, &workspace.root, case)
        .args(correct.flat_map(|patch| ["--patch".to_owned(), case.folder.join(&patch.file).to_string()]))
        .args(["--budget", BUDGET, "--out", folder.join("runs").as_str()])
        .env("BONAFIX_CACHE", folder.join("cache").as_str());
    let captured = command.capture()?;
    let report: Value = serde_json::from_str(&captured.stdout)
        .with_context(|| format!("bonafix said: {}", captured.stderr))?;
    let mut rates: Vec<f64> = cases::patches_of(&report)?.iter().filter_map(rate).collect();
    rates.sort_by(f64::total_cmp);
    let median = rates.get(rates.len() / 2);
    if median.is_none() {
        eprintln!("{}: no search ran long enough to tell its speed", case.name);
    }
    Ok(median.map(|rate| {
        Measurement::new(format!("search in {}, median over correct patches", case.name), *rate, "inputs/s")
    }))
}

/// Inputs a second once the first had run. A search that found something spent time on its witness, and does not count.
#[expect(clippy::cast_precision_loss, reason = "inputs and milliseconds of a search are far below 2^52")]
fn rate(patch: &Value) -> Option<f64> {
    let inputs = cases::sum_of_efforts(patch, "inputs");
    let (outcome, _) = cases::outcome_of(patch)?;
    let spent = patch["timings"]["judge"].as_u64()?.checked_sub(patch["timings"]["first-input"].as_u64()?)?;
    (outcome == "unrefuted" && inputs >= ENOUGH && spent > 0).then(|| inputs as f64 * 1000.0 / spent as f64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_search_that_ran_long_and_found_nothing_tells_the_speed() {
        let patch = |outcome: &str, inputs: u64, timings: Value| json!({"verdict": {"outcome": outcome}, "efforts": [{"inputs": inputs}], "timings": timings});
        let timings = json!({"judge": 2500, "first-input": 500});
        assert_eq!(rate(&patch("unrefuted", 20_000, timings.clone())), Some(10_000.0));
        assert_eq!(rate(&patch("refuted", 20_000, timings.clone())), None);
        assert_eq!(rate(&patch("unrefuted", 100, timings)), None);
        assert_eq!(rate(&patch("unrefuted", 20_000, json!({"judge": 2500}))), None);
    }
}
