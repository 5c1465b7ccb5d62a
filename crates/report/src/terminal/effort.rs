//! What was tried: how many inputs, how far they went, and what became of the differences that do not count.

use bonafix_model::{Effort, SearchEnd};

use super::canvas::{Canvas, Ink};
use super::numbered;

/// Draws what one technique tried, in two or three lines.
pub(super) fn draw(canvas: &mut Canvas, effort: &Effort) {
    let ink = if effort.reached == 0 { Ink::Warn } else { Ink::Plain };
    canvas.field("tried", ink, &format!("{}: {}", effort.technique, how_far(effort)));
    canvas.field("tried", Ink::Dim, &how(effort));
    if let Some(differences) = differences(effort) {
        canvas.field("tried", Ink::Dim, &differences);
    }
    if canvas.style.verbose {
        for discarded in &effort.discarded {
            let inputs = numbered(discarded.inputs, "input");
            let text = format!("{} ({inputs}), such as: {}", discarded.reason, discarded.example);
            canvas.below(Ink::Dim, &text);
        }
    }
}

/// `4120 inputs, 3980 reached the change, 11 of 12 branches taken`.
fn how_far(effort: &Effort) -> String {
    let reached = match effort.reached {
        0 => "none reached the change".to_owned(),
        all if all == effort.inputs => "all of them reached the change".to_owned(),
        some => format!("{some} reached the change"),
    };
    let mut parts = vec![numbered(effort.inputs, "input")];
    if effort.inputs > 0 {
        parts.push(reached);
    }
    if effort.branches > 0 {
        parts.push(format!("{} of {} branches taken", effort.branches_taken, effort.branches));
    }
    parts.join(", ")
}

/// `52 from tests, 7 from earlier searches; seed 1, budget 60 s; ended: the budget was spent`.
fn how(effort: &Effort) -> String {
    let origins = [(effort.seeds, "from tests"), (effort.kept, "from earlier searches")];
    let origins: Vec<String> =
        origins.iter().filter(|(n, _)| *n > 0).map(|(n, from)| format!("{n} {from}")).collect();
    let mut chance = format!("seed {}", effort.seed);
    if !effort.budget.is_empty() {
        chance = format!("{chance}, budget {}", effort.budget);
    }
    let parts = [origins.join(", "), chance, effort.ended.map(ending).unwrap_or_default().to_owned()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

fn ending(end: SearchEnd) -> &'static str {
    match end {
        SearchEnd::Found => "ended with a counterexample",
        SearchEnd::Budget => "ended when that was spent",
        SearchEnd::Exhausted => "ended when nothing new came up any more",
        SearchEnd::NothingToCall => "ended at once: nothing that can be called leads to the change",
    }
}

/// `14 inputs differed, not counted: 9 exception-message, 5 rounding; 2 broke down`.
fn differences(effort: &Effort) -> Option<String> {
    let mut parts = Vec::new();
    if effort.differing > 0 || !effort.discarded.is_empty() {
        let discarded: Vec<String> =
            effort.discarded.iter().map(|reason| format!("{} {}", reason.inputs, reason.reason)).collect();
        let differed = format!("{} differed", numbered(effort.differing, "input"));
        let uncounted = format!("{differed}; not counted: {}", discarded.join(", "));
        parts.push(if discarded.is_empty() { differed } else { uncounted });
    }
    if let Some(measure) = effort.o_measure {
        parts.push(format!("O-measure {} of {}", measure.counted, numbered(measure.inputs, "input")));
    }
    if effort.broke_down > 0 {
        parts.push(format!("{} broke down (time, memory, exit)", numbered(effort.broke_down, "input")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
