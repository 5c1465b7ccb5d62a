//! Small plain text tables. Own, because all that is needed is padding: no borders, no wrapping, no colours.

use bonafix_model::{PatchReport, RunReport, Strength};

use crate::terminal::clean;

/// Timings that say when something happened within a step: they are no steps of their own.
const MOMENTS: [&str; 1] = ["first-input"];

/// Lines the columns up under their names, without trailing spaces. Numbers (and times) stand to the right.
pub fn render(header: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let widths: Vec<usize> = header
        .iter()
        .enumerate()
        .map(|(column, name)| {
            rows.iter().map(|row| width(cell(row, column))).max().unwrap_or(0).max(width(name))
        })
        .collect();
    let names: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    [names, rule].iter().chain(&rows).map(|row| line(row, &widths) + "\n").collect()
}

/// A table of patches over several runs: what `cargo xtask demo` and the end of a report show.
pub fn outcomes<'a>(runs: impl IntoIterator<Item = (&'a str, &'a RunReport)>) -> String {
    let mut rows = Vec::new();
    for (case, report) in runs {
        if let Some(broken) = &report.broken {
            let dash = || "-".to_owned();
            rows.push(vec![
                case.to_owned(),
                dash(),
                format!("baseline broken: {}", broken.key),
                dash(),
                dash(),
                dash(),
            ]);
        } else {
            let row = |patch| [vec![case.to_owned()], patch_row(patch)].concat();
            rows.extend(report.patches.iter().map(row));
        }
    }
    render(&["case", "patch", "outcome", "fixed tests", "changed", "time"], &rows)
}

/// The cells of one patch: name, outcome with its reason or the class of difference, tests fixed, elements changed, time.
pub(crate) fn patch_row(patch: &PatchReport) -> Vec<String> {
    let fixed = patch.plausibility.as_ref().map_or(0, |plausibility| plausibility.fixed.len());
    let changed = patch.delta.elements().filter(|element| !element.only_nested).count();
    let steps = patch.timings.0.iter().filter(|(step, _)| !MOMENTS.contains(&step.as_str()));
    let time = steps.map(|(_, millis)| *millis).reduce(|sum, millis| sum + millis);
    let time = time.map_or_else(|| "-".to_owned(), seconds);
    vec![patch.name.clone(), outcome_with_reason(patch), fixed.to_string(), changed.to_string(), time]
}

fn outcome_with_reason(patch: &PatchReport) -> String {
    let outcome = patch.verdict.outcome;
    let proof = patch.evidence.iter().find(|evidence| evidence.strength == Strength::Proof);
    let class = proof.and_then(|proof| proof.exhibit.as_ref()).map(|exhibit| exhibit.class.name().to_owned());
    match crate::terminal::reason(&patch.verdict).or(class) {
        Some(reason) => format!("{outcome}: {reason}"),
        None => outcome.to_string(),
    }
}

/// `850 ms`, `1.2 s`, `3 min 05 s`.
pub(crate) fn seconds(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        _ => format!("{} min {:02} s", millis / 60_000, millis / 1000 % 60),
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded = widths.iter().enumerate().map(|(column, wide)| {
        let cell = cell(cells, column);
        let pad = " ".repeat(wide.saturating_sub(width(cell)));
        if cell.starts_with(|c: char| c.is_ascii_digit() || c == '≤') {
            pad + cell
        } else {
            cell.to_owned() + &pad
        }
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

fn cell(row: &[String], column: usize) -> &str {
    row.get(column).map_or("", String::as_str)
}

fn one_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_nothing_trails() {
        let rows =
            [vec!["leap-year".to_owned(), "1.5 s".to_owned()], vec!["naïve".to_owned(), "12.0 s".to_owned()]];
        assert_eq!(
            render(&["case", "time"], &rows),
            "case       time\n---------  ------\nleap-year   1.5 s\nnaïve      12.0 s\n"
        );
    }

    #[test]
    fn a_table_without_rows_is_its_header() {
        assert_eq!(render(&["a", "b"], &[]), "a  b\n-  -\n");
    }

    #[test]
    fn times_are_said_in_the_unit_that_fits() {
        assert_eq!([999, 1250, 185_000].map(seconds), ["999 ms", "1.2 s", "3 min 05 s"]);
    }
}
