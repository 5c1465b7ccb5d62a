//! Records as text: tables, scores, and in full what went wrong.

use serde_json::Value;

use super::record::{Record, Standing};
use super::score::{Score, by_case, by_seed, seconds, share, steadiness};
use crate::cases;
use crate::table::{Table, shorten};

/// How many remarks of a miss are listed.
const REMARKS: usize = 5;

/// All that is printed at the end.
pub(super) fn everything(records: &[Record]) -> String {
    let mut parts = vec![patches(records).to_string(), per_case(records).to_string()];
    let wrong = records.iter().filter_map(in_full);
    parts.extend(wrong);
    parts.push(totals(records));
    parts.join("\n")
}

fn patches(records: &[Record]) -> Table {
    let header = ["case", "patch", "label", "seed", "outcome", "why", "", "inputs", "reached", "seconds"];
    let mut table = Table::new(&header);
    for record in records {
        table.row(vec![
            record.case.clone(),
            shorten(&record.patch, 60),
            record.label.clone().unwrap_or_default(),
            record.seed.to_string(),
            record.outcome().to_owned(),
            record.reason().to_owned(),
            record.standing().word().to_owned(),
            record.effort("inputs").to_string(),
            record.effort("reached").to_string(),
            format!("{:.1}", seconds(record.milliseconds())),
        ]);
    }
    table
}

fn per_case(records: &[Record]) -> Table {
    let header = ["case", "found", "of", "false", "of", "inconclusive", "invalid", "failed", "seconds"];
    let mut table = Table::new(&header);
    for (case, part) in by_case(records) {
        let score = Score::of(&part);
        let counts = [
            score.found,
            score.overfitting,
            score.false_alarms,
            score.correct,
            score.inconclusive,
            score.invalid,
            score.failed,
        ];
        let counts = counts.iter().map(ToString::to_string);
        table.row([case].into_iter().chain(counts).chain([format!("{:.1}", score.total_seconds)]).collect());
    }
    table
}

fn totals(records: &[Record]) -> String {
    let all = Score::of(&records.iter().collect::<Vec<_>>());
    let seeds = by_seed(records);
    let mut lines = Vec::new();
    if seeds.len() > 1 {
        for (seed, part) in &seeds {
            lines.push(format!("seed {seed}: {}", score_line(&Score::of(part))));
        }
        let (always, sometimes) = steadiness(records);
        lines.push(format!("found with every seed: {always} patches; with at least one: {sometimes}"));
    }
    lines.push(format!("in all: {}", score_line(&all)));
    lines.push(format!(
        "by bug: {} of its overfitting patches found, {} of its correct patches refuted",
        percent(all.found_by_bug),
        percent(all.false_by_bug)
    ));
    lines.push(format!(
        "seconds a patch: median {:.1}, longest {:.1}",
        all.median_seconds, all.longest_seconds
    ));
    let twice = records.iter().filter(|record| record.twice.is_some()).count();
    if twice > 0 {
        let differing = records.iter().filter(|record| record.differs_when_repeated()).count();
        lines.push(format!("judged twice: {twice} patches, {differing} of them not alike"));
    }
    lines.join("\n") + "\n"
}

fn score_line(score: &Score) -> String {
    let mut parts = vec![
        format!(
            "found {} of {} overfitting ({})",
            score.found,
            score.overfitting,
            percent(share(score.found, score.overfitting))
        ),
        format!(
            "{} false alarms of {} correct ({})",
            score.false_alarms,
            score.correct,
            percent(share(score.false_alarms, score.correct))
        ),
    ];
    let rest = [
        (score.inconclusive, "inconclusive"),
        (score.invalid, "invalid (left out)"),
        (score.failed, "failed (left out)"),
    ];
    let rest = rest.iter().filter(|(number, _)| *number > 0);
    parts.extend(rest.map(|(number, word)| format!("{number} {word}")));
    parts.join(", ")
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// What went wrong with a patch, with all that helps to find out why.
fn in_full(record: &Record) -> Option<String> {
    let title = match record.standing() {
        Standing::Missed => "MISSED",
        Standing::FalseAlarm => "FALSE ALARM",
        Standing::NotRecognised => "NOT RECOGNISED",
        Standing::LeftOut => "LEFT OUT",
        Standing::Failed => "FAILED",
        _ if record.differs_when_repeated() => "NOT ALIKE",
        _ if !record.is_as_expected() => "NOT AS EXPECTED",
        _ => return None,
    };
    let reason = Some(record.reason()).filter(|reason| !reason.is_empty());
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    let mut lines = vec![format!(
        "{title}: {} {}, seed {}: {}{reason}",
        record.case,
        record.patch,
        record.seed,
        record.outcome()
    )];
    lines.extend(record.error.iter().flat_map(|error| error.lines()).map(indented));
    lines.extend(record.report["verdict"]["summary"].as_str().map(indented));
    if record.standing() == Standing::LeftOut {
        lines.extend(texts(&record.report["verdict"]["details"]).flat_map(str::lines).take(10).map(indented));
    }
    lines.extend(list(&record.report["efforts"]).flat_map(effort));
    lines.extend(findings(record));
    lines.extend(record.twice.iter().flatten().map(|difference| indented(difference)));
    if record.error.is_none() {
        lines.push(indented(&format!("runs: {}", record.run)));
    }
    Some(lines.join("\n") + "\n")
}

/// The exhibit of each proof; of a miss, what was seen and did not count.
fn findings(record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    let (proofs, rest): (Vec<&Value>, Vec<&Value>) =
        list(&record.report["evidence"]).partition(|evidence| evidence["strength"] == "proof");
    for proof in proofs {
        lines.push(indented(&format!("{}: {}", word(&proof["technique"]), word(&proof["summary"]))));
        lines.extend(exhibit(&proof["exhibit"]));
        if let Some(folder) = proof["witness"]["folder"].as_str() {
            lines.push(indented(&format!("witness: {folder} ({})", word(&proof["witness"]["oracle"]))));
        }
    }
    if record.standing() == Standing::Missed {
        for remark in rest.iter().take(REMARKS) {
            let text = format!(
                "{} {}: {}",
                word(&remark["strength"]),
                word(&remark["reason"]),
                word(&remark["summary"])
            );
            lines.push(indented(&text));
        }
    }
    lines
}

fn exhibit(exhibit: &Value) -> Vec<String> {
    let mut lines: Vec<String> =
        texts(&exhibit["input"]).flat_map(str::lines).map(|line| format!("      {line}")).collect();
    let values = [("compared", "what"), ("expected", "expected"), ("actual", "actual"), ("buggy", "buggy")];
    for (label, field) in values {
        if let Some(value) = exhibit[field].as_str() {
            lines.push(format!("    {label:<9} {value}"));
        }
    }
    lines
}

/// What a technique tried.
fn effort(effort: &Value) -> Vec<String> {
    let number = |field: &str| effort[field].as_u64().unwrap_or_default();
    let mut lines = vec![indented(&format!(
        "{}: {} inputs, {} reached the change, {} of {} branches, {} from tests, {} kept, {} differed, {} broke down; \
         budget {}, ended: {}",
        word(&effort["technique"]),
        number("inputs"),
        number("reached"),
        number("branches_taken"),
        number("branches"),
        number("seeds"),
        number("kept"),
        number("differing"),
        number("broke_down"),
        word(&effort["budget"]),
        word(&effort["ended"]),
    ))];
    lines.extend(list(&effort["discarded"]).map(|discarded| {
        let (reason, inputs) = (word(&discarded["reason"]), discarded["inputs"].as_u64().unwrap_or_default());
        format!("    {inputs} not counted, {reason}: {}", word(&discarded["example"]))
    }));
    lines
}

fn indented(line: &str) -> String {
    format!("  {line}")
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    list(value).filter_map(Value::as_str)
}

/// One line about a check that is over, for the progress.
pub(super) fn progress(records: &[Record]) -> String {
    let score = Score::of(&records.iter().collect::<Vec<_>>());
    if records.iter().all(|record| record.error.is_some()) {
        let error = records.first().and_then(|record| record.error.as_deref()).unwrap_or("nothing to judge");
        return format!("FAILED: {}", shorten(error.lines().next().unwrap_or_default(), 120));
    }
    let refuted: Vec<&str> = records
        .iter()
        .filter(|record| record.standing() == Standing::Found)
        .filter_map(|record| cases::proof_of(&record.report)?["exhibit"]["class"].as_str())
        .collect();
    let classes = if refuted.is_empty() { String::new() } else { format!(" ({})", refuted.join(", ")) };
    format!("{}{classes}", score_line(&score))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_false_alarm_is_shown_with_its_exhibit_and_a_miss_with_what_was_tried() {
        let mut alarm = Record::sample("correct", "refuted");
        alarm.report["evidence"] = json!([{
            "technique": "rgt", "strength": "proof", "summary": "f(1) gives 2",
            "exhibit": {"class": "assert", "input": ["int x = 1;", "f(x);"], "what": "result", "expected": "3", "actual": "2"},
            "witness": {"folder": "witnesses/1", "oracle": "the reference"},
        }]);
        let mut miss = Record::sample("overfitting", "inconclusive");
        miss.report["verdict"]["inconclusive"] = json!("not-exercised");
        miss.report["efforts"] = json!([{
            "technique": "rgt", "inputs": 4000, "reached": 0, "branches": 7, "branches_taken": 2, "ended": "budget",
            "discarded": [{"reason": "rounding", "inputs": 9, "example": "0.1 and 0.10"}],
        }]);
        let text = everything(&[alarm, miss]);
        for part in [
            "FALSE ALARM: leap-year p, seed 1: refuted (assert)",
            "      int x = 1;\n      f(x);\n    compared  result\n    expected  3\n    actual    2\n",
            "  witness: witnesses/1 (the reference)",
            "MISSED: leap-year p, seed 1: inconclusive (not-exercised)",
            "  rgt: 4000 inputs, 0 reached the change, 2 of 7 branches",
            "    9 not counted, rounding: 0.1 and 0.10",
            "in all: found 0 of 1 overfitting (0.0 %), 1 false alarms of 1 correct (100.0 %), 1 inconclusive",
        ] {
            assert!(text.contains(part), "`{part}` is missing in\n{text}");
        }
    }

    #[test]
    fn several_seeds_have_a_line_each() {
        let second = Record { seed: 2, ..Record::sample("overfitting", "unrefuted") };
        let text = totals(&[Record::sample("overfitting", "refuted"), second]);
        assert!(text.contains("seed 2: found 0 of 1"), "{text}");
        assert!(text.contains("found with every seed: 0 patches; with at least one: 1"), "{text}");
    }

    #[test]
    fn what_is_right_is_not_listed() {
        assert_eq!(in_full(&Record::sample("overfitting", "refuted")), None);
        let mut inconclusive = Record::sample("correct", "inconclusive");
        assert_eq!(in_full(&inconclusive), None);
        inconclusive.expect = Some("unrefuted".to_owned());
        assert!(in_full(&inconclusive).is_some_and(|text| text.starts_with("NOT AS EXPECTED: leap-year p")));
    }
}
