//! In which order to read several patches, which of them do the same, and what reading in any order would cost.

use bonafix_model::{PatchReport, RandomPick, RankedPatch, Ranking, Reading, RunReport, SyntacticDistance};

use super::canvas::{Canvas, Ink, more};
use super::patch::ink;
use super::similarity::number;
use crate::table;

/// For so many numbers of correct patches it is said how many have to be read.
const READINGS: usize = 3;
/// Inputs that tell clusters apart, unless all is to be shown.
const TELLING: usize = 3;

/// Draws the table of places, and what it has to beat.
pub(super) fn draw(canvas: &mut Canvas, report: &RunReport) {
    let Some(ranking) = report.ranking.as_ref().filter(|ranking| ranking.rows.len() > 1) else { return };
    draw_rows(canvas, report, ranking);
    if ranking.inputs_left_out > 0 {
        canvas.plain(Ink::Dim, &left_out(ranking));
    }
    canvas.gap();
    draw_telling_inputs(canvas, ranking);
    if let Some(pick) = &ranking.random_pick {
        canvas.plain(Ink::Dim, &random_pick(pick));
    }
    canvas.gap();
}

fn draw_rows(canvas: &mut Canvas, report: &RunReport, ranking: &Ranking) {
    let patch = |row: &RankedPatch| report.patches.get((row.patch as usize).checked_sub(1)?);
    let rows: Vec<Vec<String>> =
        ranking.rows.iter().map(|row| cells(row, name(row, ranking), patch(row))).collect();
    let header = ["place", "patch", "outcome", "suspicion", "semantic", "syntactic", "cluster"];
    let inks =
        ranking.rows.iter().map(|row| patch(row).map_or(Ink::Plain, |patch| ink(patch.verdict.outcome)));
    let inks = [Ink::Bold, Ink::Dim].into_iter().chain(inks);
    for (line, ink) in table::render(&header, &rows).lines().zip(inks) {
        canvas.verbatim(ink, line);
    }
}

/// What clusters are worth where there was no time for all inputs.
fn left_out(ranking: &Ranking) -> String {
    let inputs = ranking.inputs_left_out;
    let inputs = if inputs == 1 { "1 input".to_owned() } else { format!("{inputs} inputs") };
    let so = if ranking.clusters.is_empty() {
        "which patches behave alike is not known"
    } else {
        "patches of one cluster may differ on them"
    };
    format!("there was no time to compare the patches on {inputs}: {so}; a larger --budget gives more")
}

/// What to ask a person: on which input two clusters differ, and what each of them answers.
fn draw_telling_inputs(canvas: &mut Canvas, ranking: &Ranking) {
    let shown = if canvas.style.verbose { ranking.telling.len() } else { TELLING };
    for telling in ranking.telling.iter().take(shown) {
        let (one, other) = telling.clusters;
        canvas.plain(Ink::Bold, &format!("which is right? clusters {one} and {other} differ on"));
        for line in &telling.input {
            canvas.verbatim(Ink::Plain, &format!("  {line}"));
        }
        for (cluster, answer) in [(one, &telling.answers.0), (other, &telling.answers.1)] {
            canvas.plain(Ink::Plain, &format!("  cluster {cluster}: {answer}"));
        }
        if let Some(test) = &telling.test {
            let place = canvas.place(test);
            canvas.plain(Ink::Dim, &format!("  as a test: {place}"));
        }
        canvas.gap();
    }
    let left = ranking.telling.len().saturating_sub(shown);
    if left > 0 {
        canvas.plain(Ink::Dim, &more(left, "such inputs"));
        canvas.gap();
    }
}

/// Its name, with its number where others have the same.
fn name(row: &RankedPatch, ranking: &Ranking) -> String {
    let namesakes = ranking.rows.iter().filter(|other| other.name == row.name).count();
    if namesakes > 1 { format!("{} (patch {})", row.name, row.patch) } else { row.name.clone() }
}

/// `12`, or `≤ 12` where that is all that is known.
fn nodes(distance: SyntacticDistance) -> String {
    let at_most = if distance.at_most { "≤ " } else { "" };
    format!("{at_most}{}", distance.nodes)
}

fn cells(row: &RankedPatch, name: String, patch: Option<&PatchReport>) -> Vec<String> {
    let or_dash = |figure: Option<String>| figure.unwrap_or_else(|| "-".to_owned());
    vec![
        row.place.to_string(),
        name,
        or_dash(patch.map(|patch| patch.verdict.outcome.to_string())),
        or_dash(row.suspicion.map(number)),
        or_dash(row.semantic_distance.map(number)),
        or_dash(row.syntactic_distance.map(nodes)),
        or_dash(row.cluster.map(|number| number.to_string())),
    ]
}

/// `picked at random, 10 patches have to be read … : 9 if 1 of them is correct, 6 if 2 are`.
fn random_pick(pick: &RandomPick) -> String {
    let told = |(at, reading): (usize, &Reading)| {
        let correct = match (at, reading.correct) {
            (0, 1) => "1 of them is correct".to_owned(),
            (0, several) => format!("{several} of them are correct"),
            (_, 1) => "1 is".to_owned(),
            (_, several) => format!("{several} are"),
        };
        format!("{} if {correct}", reading.read)
    };
    let readings: Vec<String> = pick.readings.iter().take(READINGS).enumerate().map(told).collect();
    format!(
        "picked at random, so many of {} plausible patches have to be read to be {:.0} % sure to have met a correct one: {}",
        pick.patches,
        pick.confidence * 100.0,
        readings.join(", ")
    )
}
