//! What is happening, on standard error: a line with a spinner on a terminal, plain lines elsewhere, nothing when quiet.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use bonafix_model::{Event, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// Draws events.
pub(crate) enum Progress {
    /// On a terminal.
    Bar(ProgressBar),
    /// In a log: one line a step.
    Lines,
    /// Not at all.
    Quiet,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::new_spinner();
        // `wide_msg` is cut to what fits: a line that wraps is drawn anew with every tick.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self::Bar(bar)
    }

    pub(crate) fn show(&self, event: &Event) {
        match self {
            Self::Bar(bar) => draw(bar, event),
            Self::Lines => {
                if let Some(line) = line(event) {
                    let _ = writeln!(std::io::stderr().lock(), "bonafix: {line}");
                }
            }
            Self::Quiet => {}
        }
    }

    /// Takes the line away, so that the report stands alone.
    pub(crate) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn draw(bar: &ProgressBar, event: &Event) {
    match event {
        Event::StageStarted { stage, patch } => bar.set_message(describe(*stage, patch.as_deref())),
        Event::TestProgress { done, total, red } => {
            let of = total.map(|total| format!("/{total}")).unwrap_or_default();
            let red = if *red == 0 { String::new() } else { format!(", {red} red") };
            let message = bar.message();
            let stage = message.split(" (").next().unwrap_or_default();
            bar.set_message(format!("{stage} ({done}{of} tests{red})"));
        }
        Event::SearchProgress { inputs, reached, open_goals, nearest, differing } => {
            let message = bar.message();
            let stage = message.split(" (").next().unwrap_or_default();
            let nearest = nearest.map(|nearest| format!(", nearest {nearest:.3}")).unwrap_or_default();
            bar.set_message(format!(
                "{stage} ({inputs} inputs, {reached} reach the change, {differing} differ, {open_goals} goals open{nearest})"
            ));
        }
        Event::Notice { text } => bar.println(format!("bonafix: {text}")),
        Event::RunStarted { .. } | Event::StageFinished { .. } | Event::PatchFinished { .. } => {}
    }
}

/// Steps that are over in no time would only be noise in a log.
fn line(event: &Event) -> Option<String> {
    match event {
        Event::StageStarted { stage: Stage::Open | Stage::Apply | Stage::Delta, .. }
        | Event::RunStarted { .. }
        | Event::StageFinished { .. }
        | Event::SearchProgress { .. }
        | Event::TestProgress { .. } => None,
        Event::StageStarted { stage, patch } => Some(describe(*stage, patch.as_deref())),
        Event::PatchFinished { patch, outcome } => Some(format!("{patch}: {outcome}")),
        Event::Notice { text } => Some(text.clone()),
    }
}

fn describe(stage: Stage, patch: Option<&str>) -> String {
    match patch {
        Some(patch) => format!("{patch}: {}", stage.title()),
        None => stage.title().to_owned(),
    }
}
