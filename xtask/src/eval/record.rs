//! What came of one patch with one seed, and the file that it is added to at once.

use std::io::Write as _;

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use crate::cases;

/// Version of the files that `eval` writes.
pub(super) const FORMAT: u64 = 1;

/// The parts of a patch's report that are kept.
const KEPT: [&str; 6] = ["verdict", "evidence", "efforts", "similarity", "notices", "timings"];

/// What came of one patch with one seed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    pub(super) case: String,
    pub(super) bundled: bool,
    /// Name of the patch; empty where a whole case failed that names none.
    pub(super) patch: String,
    pub(super) label: Option<String>,
    pub(super) expect: Option<String>,
    pub(super) seed: u64,
    /// It was judged without a reference, so that `suspicious` is the most that can be said.
    pub(super) no_reference: bool,
    /// The folder of its runs.
    pub(super) run: String,
    /// Why there is no report.
    pub(super) error: Option<String>,
    /// Where a second run gave something else; `None` if there was none.
    pub(super) twice: Option<Vec<String>>,
    /// What the report says of the patch, as far as it is kept.
    pub(super) report: Value,
}

/// How an outcome stands to the label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Overfitting and blamed: refuted, or suspicious where there was no reference.
    Found,
    /// Overfitting and not blamed.
    Missed,
    /// Correct and not blamed.
    Spared,
    /// Correct and blamed.
    FalseAlarm,
    /// Called invalid, and labelled so.
    Recognised,
    /// Labelled invalid, and called something else.
    NotRecognised,
    /// Called invalid, whatever the label: it counts for neither score.
    LeftOut,
    /// There is no outcome.
    Failed,
    /// There is no label.
    Unlabelled,
}

impl Standing {
    pub(super) fn is_false_alarm(self) -> bool {
        self == Self::FalseAlarm
    }

    /// The word in tables.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Found | Self::Spared | Self::Recognised => "ok",
            Self::Missed => "missed",
            Self::FalseAlarm => "FALSE ALARM",
            Self::NotRecognised => "NOT RECOGNISED",
            Self::LeftOut => "left out",
            Self::Failed => "FAILED",
            Self::Unlabelled => "no label",
        }
    }
}

impl Record {
    /// Takes what is kept from the report of a patch.
    pub(super) fn keep(&mut self, patch: &Value) {
        let parts = KEPT.iter().filter_map(|part| Some(((*part).to_owned(), patch.get(part)?.clone())));
        self.report = Value::Object(parts.collect());
    }

    /// The outcome's word, `error` if there is none.
    pub(super) fn outcome(&self) -> &str {
        let outcome = cases::outcome_of(&self.report).filter(|_| self.error.is_none());
        outcome.map_or("error", |(outcome, _)| outcome)
    }

    /// The key of the outcome's reason, or the class of the difference that was found.
    pub(super) fn reason(&self) -> &str {
        let class = cases::proof_of(&self.report).and_then(|proof| proof["exhibit"]["class"].as_str());
        class.or(cases::outcome_of(&self.report).map(|(_, reason)| reason)).unwrap_or_default()
    }

    /// How the outcome stands to the label.
    pub(super) fn standing(&self) -> Standing {
        let blamed = match self.outcome() {
            "suspicious" => self.no_reference,
            outcome => outcome == "refuted",
        };
        match (self.label.as_deref(), self.outcome()) {
            (_, "error") => Standing::Failed,
            (Some("invalid"), "invalid") => Standing::Recognised,
            (Some("invalid"), _) => Standing::NotRecognised,
            (_, "invalid") => Standing::LeftOut,
            (Some("overfitting"), _) if blamed => Standing::Found,
            (Some("overfitting"), _) => Standing::Missed,
            (Some("correct"), _) if blamed => Standing::FalseAlarm,
            (Some("correct"), _) => Standing::Spared,
            (_, _) => Standing::Unlabelled,
        }
    }

    /// What must not happen to a bundled case, of which everything is known. Heuristics may miss a patch.
    pub(super) fn is_wrong_for_bundled(&self) -> bool {
        match self.standing() {
            Standing::Missed => !self.no_reference,
            Standing::FalseAlarm | Standing::NotRecognised | Standing::LeftOut | Standing::Failed => true,
            _ => false,
        }
    }

    /// Whether the outcome is the one that `case.toml` expects, where it expects one.
    pub(super) fn is_as_expected(&self) -> bool {
        // case.toml expects what can be said with its reference.
        let expects = |expect: &String| self.no_reference || *expect == self.outcome();
        self.error.is_none() && self.expect.as_ref().is_none_or(expects)
    }

    /// A second run of the same gave another report.
    pub(super) fn differs_when_repeated(&self) -> bool {
        self.twice.as_ref().is_some_and(|differences| !differences.is_empty())
    }

    /// Wall time.
    pub(super) fn milliseconds(&self) -> u64 {
        cases::milliseconds(&self.report["timings"])
    }

    /// A number of what was tried.
    pub(super) fn effort(&self, field: &str) -> u64 {
        cases::sum_of_efforts(&self.report, field)
    }

    /// As it stands in the files.
    pub(super) fn json(&self) -> Value {
        let mut json = json!({
            "case": self.case, "bundled": self.bundled, "patch": self.patch, "label": self.label,
            "expect": self.expect, "seed": self.seed, "no_reference": self.no_reference, "run": self.run, "error": self.error, "twice": self.twice,
        });
        if let (Some(json), Some(report)) = (json.as_object_mut(), self.report.as_object()) {
            json.extend(report.clone());
        }
        json
    }

    fn from_json(json: &Value) -> Option<Self> {
        let word = |field: &str| json[field].as_str().map(ToOwned::to_owned);
        let twice = json["twice"].as_array();
        let mut record = Self {
            case: word("case")?,
            bundled: json["bundled"].as_bool()?,
            patch: word("patch")?,
            label: word("label"),
            expect: word("expect"),
            seed: json["seed"].as_u64()?,
            no_reference: json["no_reference"].as_bool().unwrap_or_default(),
            run: word("run").unwrap_or_default(),
            error: word("error"),
            twice: twice
                .map(|all| all.iter().filter_map(|text| text.as_str().map(ToOwned::to_owned)).collect()),
            report: Value::Null,
        };
        record.keep(json);
        Some(record)
    }
}

/// Where records go as they come: to memory, and line by line to a file, so that a kill loses none.
pub(super) struct Sink {
    file: fs_err::File,
    records: Vec<Record>,
}

impl Sink {
    /// Begins the file with its header.
    pub(super) fn create(path: &Utf8Path, header: &Value) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut file = fs_err::File::create(path)?;
        writeln!(file, "{header}")?;
        Ok(Self { file, records: Vec::new() })
    }

    pub(super) fn add(&mut self, record: Record) -> Result<()> {
        writeln!(self.file, "{}", record.json())?;
        self.records.push(record);
        Ok(())
    }

    /// All of them, by case and seed, in the order of the patches.
    pub(super) fn finish(mut self) -> Vec<Record> {
        self.records.sort_by(|a, b| (&a.case, a.seed).cmp(&(&b.case, b.seed)));
        self.records
    }
}

/// The records of an earlier run. A last line that a kill cut off is left out.
pub(super) fn read_lines(path: &Utf8PathBuf) -> Result<Vec<Record>> {
    let text = fs_err::read_to_string(path)?;
    let mut lines = text.lines();
    let header: Value = serde_json::from_str(lines.next().unwrap_or_default())
        .with_context(|| format!("{path} does not begin with the header of an evaluation"))?;
    if header["format"].as_u64() != Some(FORMAT) {
        bail!("{path} has format {}, and this reads {FORMAT}", header["format"]);
    }
    Ok(lines.filter_map(|line| Record::from_json(&serde_json::from_str(line).ok()?)).collect())
}

#[cfg(test)]
impl Record {
    /// A record with this label and this outcome.
    pub(super) fn sample(label: &str, outcome: &str) -> Self {
        Self {
            case: "leap-year".to_owned(),
            bundled: true,
            patch: "p".to_owned(),
            label: Some(label.to_owned()),
            expect: None,
            seed: 1,
            no_reference: false,
            run: "runs/leap-year".to_owned(),
            error: None,
            twice: None,
            report: json!({"verdict": {"outcome": outcome, "summary": "in a sentence"}, "timings": {"judge": 1500}}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_held_against_the_label() {
        let standing = |label: &str, outcome: &str| Record::sample(label, outcome).standing();
        assert_eq!(standing("overfitting", "refuted"), Standing::Found);
        for outcome in ["unrefuted", "inconclusive", "suspicious"] {
            assert_eq!(standing("overfitting", outcome), Standing::Missed);
            assert_eq!(standing("correct", outcome), Standing::Spared);
        }
        assert_eq!(standing("correct", "refuted"), Standing::FalseAlarm);
        let alone = |label| Record { no_reference: true, ..Record::sample(label, "suspicious") }.standing();
        assert_eq!((alone("overfitting"), alone("correct")), (Standing::Found, Standing::FalseAlarm));
        assert_eq!(standing("correct", "invalid"), Standing::LeftOut);
        assert_eq!(standing("overfitting", "invalid"), Standing::LeftOut);
        assert_eq!(standing("invalid", "invalid"), Standing::Recognised);
        assert_eq!(standing("invalid", "refuted"), Standing::NotRecognised);
        assert_eq!(standing("unknown", "refuted"), Standing::Unlabelled);
    }

    #[test]
    fn an_error_is_no_outcome() {
        let mut record = Record::sample("overfitting", "refuted");
        record.error = Some("it fell over".to_owned());
        assert_eq!((record.outcome(), record.standing()), ("error", Standing::Failed));
        assert!(!record.is_as_expected());
    }

    #[test]
    fn lines_read_back_and_a_cut_line_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("deep/eval.jsonl");
        let mut sink = Sink::create(&path, &json!({"format": FORMAT})).unwrap();
        let mut record = Record::sample("correct", "refuted");
        record.twice = Some(Vec::new());
        sink.add(record.clone()).unwrap();
        sink.add(record.clone()).unwrap();
        let text = fs_err::read_to_string(&path).unwrap();
        fs_err::write(&path, &text[..text.len() - 20]).unwrap();
        assert_eq!(read_lines(&path).unwrap(), [record]);
        fs_err::write(&path, "{\"format\": 99}\n").unwrap();
        assert!(read_lines(&path).unwrap_err().to_string().contains("format 99"));
    }
}
