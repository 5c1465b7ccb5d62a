//! Campaigns over the cases: wrong patches are told from the reference by what they print, right ones are not.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod bundled;

use std::time::{Duration, Instant};

use bonafix_lang::{Found, FuzzSlice, FuzzState};
use camino::Utf8Path;

use bundled::Case;

/// Runs a campaign until something is found, or to its end.
fn run(case: &Case, patch: &str, seed: u64, inputs: u64, stop_early: bool) -> Outcome {
    let mut campaign = case.campaign(patch, seed);
    let started = Instant::now();
    let mut outcome = Outcome::default();
    while campaign.state().inputs < inputs && !campaign.state().exhausted {
        let step = 50.min(inputs - campaign.state().inputs);
        for found in campaign.fuzz(&FuzzSlice { inputs: step, until: None }).unwrap() {
            if counts(&found) && outcome.first.is_none() {
                outcome.first = Some((campaign.state().inputs, started.elapsed()));
            }
            outcome.found.push(found);
        }
        if stop_early && outcome.first.is_some() {
            break;
        }
    }
    outcome.elapsed = started.elapsed();
    outcome.state = campaign.state();
    outcome
}

#[derive(Default)]
struct Outcome {
    found: Vec<Found>,
    /// Inputs and time up to the first find that counts.
    first: Option<(u64, Duration)>,
    elapsed: Duration,
    state: FuzzState,
}

/// Is this a difference that users see, or a fault that the reference does not have?
fn counts(found: &Found) -> bool {
    let has_fault =
        |version: usize| found.executions[version].as_ref().is_some_and(|seen| !seen.faults.is_empty());
    is_plain_difference(found) || has_fault(1) && !has_fault(0)
}

/// Does the patched version do something else than the reference where nobody watches?
fn is_plain_difference(found: &Found) -> bool {
    let (Some(right), Some(patched)) = (&found.executions[0], &found.executions[1]) else { return false };
    let is_watched = |kind: &str| kind.contains('-');
    let faults = found.executions.iter().flatten().flat_map(|execution| &execution.faults);
    let mut kinds = faults.map(|fault| fault.kind.as_str());
    (right.end != patched.end || right.stdout != patched.stdout || right.files != patched.files)
        && !kinds.any(is_watched)
}

fn told_apart(name: &str) {
    let case = Case::open(name);
    for patch in &case.file.patch {
        let is_wrong = patch.label == "overfitting";
        let inputs = if is_wrong { 20_000 } else { 1000 };
        let outcome = run(&case, &patch.file, 1, inputs, is_wrong);
        assert_eq!(outcome.first.is_some(), is_wrong, "{}: {:?}", patch.file, outcome.found);
    }
}

#[test]
fn wrong_tabs_are_told_from_right_ones() {
    told_apart("tab-expand");
}

#[test]
fn wrong_names_are_told_from_right_ones() {
    told_apart("ini-reader");
}

#[test]
fn the_same_seed_finds_the_same_in_a_real_program() {
    let case = Case::open("tab-expand");
    let patch = &case.file.patch[2].file;
    let (one, other) = (run(&case, patch, 5, 400, false), run(&case, patch, 5, 400, false));
    assert!(!one.found.is_empty());
    assert_eq!(one.found, other.found);
    assert_eq!(one.state, other.state);
}

/// How fast, and how soon: `cargo test -p bonafix-lang-c --test campaign -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn measure() {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/c");
    let mut names: Vec<String> =
        folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
    names.sort();
    let only = std::env::var("ONLY").unwrap_or_default();
    let inputs = std::env::var("INPUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(3000);
    println!(
        "| case | patch | inputs | inputs/s | executions/s | reached | first difference | found | branches |"
    );
    for name in names.iter().filter(|name| name.contains(&only)) {
        let case = Case::open(name);
        for patch in &case.file.patch {
            let outcome = run(&case, &patch.file, 1, inputs, false);
            let state = &outcome.state;
            let rate = |count: u64| count * 1000 / u64::try_from(outcome.elapsed.as_millis()).unwrap().max(1);
            let first = outcome.first.map_or("none".to_owned(), |(inputs, time)| {
                format!("{inputs} inputs, {:.2} s", time.as_secs_f64())
            });
            let faults: Vec<String> = (outcome.found.iter())
                .filter(|found| !is_plain_difference(found))
                .map(|found| {
                    let kinds = found.executions.iter().map(|seen| match seen {
                        Some(seen) => seen.faults.first().map_or("-", |fault| fault.kind.as_str()),
                        None => "?",
                    });
                    kinds.collect::<Vec<_>>().join("/")
                })
                .collect();
            println!(
                "| {name} | {} | {} | {} | {} | {} | {first} | {} + {} {} | {}/{} |",
                patch.file.trim_start_matches("patches/").trim_end_matches(".diff"),
                state.inputs,
                rate(state.inputs),
                rate(state.executions),
                state.reached,
                outcome.found.len() - faults.len(),
                faults.len(),
                faults.first().map_or("", String::as_str),
                state.branches_taken,
                state.branches,
            );
        }
    }
}
