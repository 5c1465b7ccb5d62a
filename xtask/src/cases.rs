//! The bundled cases, and what `bonafix check` says of them, both read from outside: `case.toml` and the JSON report.

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::command_line::{CommandLine, tail};

/// The version of the JSON report that this reads.
const FORMAT: u64 = 1;

/// How many lines are shown of why a baseline is broken.
const DETAILS: usize = 10;

/// Timings that say when something happened within a step: they are no steps of their own.
const MOMENTS: [&str; 1] = ["first-input"];

/// A case as its `case.toml` describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    /// Folder name.
    pub(crate) name: String,
    /// The folder, relative to the root of the tree.
    pub(crate) folder: Utf8PathBuf,
    /// What it is written in: `java` where `case.toml` does not say.
    pub(crate) language: String,
    /// Folder of the buggy project, relative to the case's.
    pub(crate) project: Utf8PathBuf,
    /// Maven coordinates that it asks for.
    pub(crate) dependencies: Vec<String>,
    /// Its patches.
    pub(crate) patches: Vec<Expectation>,
}

/// A patch of a case and what must come out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expectation {
    /// File name without folder and ending.
    pub(crate) name: String,
    /// The file, relative to the case's folder.
    pub(crate) file: Utf8PathBuf,
    /// `correct`, `overfitting`, `invalid`.
    pub(crate) label: Option<String>,
    /// The outcome that a check must give.
    pub(crate) expect: Option<String>,
}

/// What a check said of one patch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Judged {
    /// The outcome's word.
    pub(crate) outcome: String,
    /// The key of the reason, where the outcome has one.
    pub(crate) reason: String,
    /// How the versions differ, where that was found.
    pub(crate) class: String,
    /// What refutes it, in a sentence.
    pub(crate) proof: String,
    /// Tests that show the bug and that the patch turned green.
    pub(crate) fixed_tests: usize,
    /// Names of changed methods, constructors, fields.
    pub(crate) changed: Vec<String>,
    /// Inputs that ran, over all techniques.
    pub(crate) inputs: u64,
    /// Wall time.
    pub(crate) milliseconds: u64,
    /// Wall time of making the patched version ready, where it came to that.
    pub(crate) build_milliseconds: Option<u64>,
}

/// Every folder two levels below `cases/` that has a `case.toml`, by name.
pub(crate) fn all(root: &Utf8Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for language in folders(&root.join("cases"))? {
        for folder in folders(&language)? {
            if folder.join("case.toml").is_file() {
                cases.push(read(root, &folder)?);
            }
        }
    }
    Ok(cases)
}

fn folders(parent: &Utf8Path) -> Result<Vec<Utf8PathBuf>> {
    if !parent.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in parent.read_dir_utf8().with_context(|| format!("list {parent}"))? {
        let path = entry?.into_path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads one case.
pub(crate) fn read(root: &Utf8Path, folder: &Utf8Path) -> Result<Case> {
    let file = folder.join("case.toml");
    let text = fs_err::read_to_string(&file)?;
    let toml: toml::Table = text.parse().with_context(|| format!("read {file}"))?;
    let java = toml.get("java").and_then(toml::Value::as_table);
    let patches = toml.get("patch").and_then(toml::Value::as_array);
    Ok(Case {
        name: folder.file_name().unwrap_or_default().to_owned(),
        folder: folder.strip_prefix(root).unwrap_or(folder).to_owned(),
        language: word(&toml, "language").unwrap_or_else(|| "java".to_owned()),
        project: word(&toml, "project").unwrap_or_else(|| "buggy".to_owned()).into(),
        dependencies: java.map(|java| words(java, "dependencies")).unwrap_or_default(),
        patches: patches.into_iter().flatten().filter_map(toml::Value::as_table).map(expectation).collect(),
    })
}

fn expectation(patch: &toml::Table) -> Expectation {
    let file = Utf8PathBuf::from(word(patch, "file").unwrap_or_default());
    Expectation {
        name: file.file_stem().unwrap_or_default().to_owned(),
        file,
        label: word(patch, "label"),
        expect: word(patch, "expect"),
    }
}

fn word(table: &toml::Table, key: &str) -> Option<String> {
    table.get(key)?.as_str().map(ToOwned::to_owned)
}

fn words(table: &toml::Table, key: &str) -> Vec<String> {
    let values = table.get(key).and_then(toml::Value::as_array);
    values.into_iter().flatten().filter_map(toml::Value::as_str).map(ToOwned::to_owned).collect()
}

/// The command that judges a case.
pub(crate) fn check_command(bonafix: &Utf8Path, root: &Utf8Path, case: &Case) -> CommandLine {
    CommandLine::new(bonafix.as_str())
        .args(["check", case.folder.as_str(), "--quiet", "--format", "json"])
        .folder(root)
}

/// Runs it and reads the report: one entry a patch, in the order of `case.toml`.
pub(crate) fn check(command: &CommandLine, case: &Case) -> Result<Vec<Judged>> {
    let captured = command.capture()?;
    let said = || format!("`{command}`: {}\n{}", captured.status, tail(&captured.stderr, 20));
    let report: Value = serde_json::from_str(&captured.stdout).with_context(said)?;
    let judged: Vec<Judged> =
        patches_of(&report).and_then(|all| all.iter().map(judged).collect()).with_context(said)?;
    if judged.len() != case.patches.len() {
        bail!("{} patches are described and {} are in the report", case.patches.len(), judged.len());
    }
    Ok(judged)
}

/// The entries of the patches in a report that this program can read.
pub(crate) fn patches_of(report: &Value) -> Result<&[Value]> {
    match report["format"].as_u64() {
        Some(FORMAT) => {}
        other => bail!("the report has format {other:?}, and this reads {FORMAT}"),
    }
    if let Some(summary) = report["broken"]["summary"].as_str() {
        let details = report["broken"]["details"].as_array().into_iter().flatten();
        let details: Vec<&str> =
            details.filter_map(Value::as_str).flat_map(str::lines).take(DETAILS).collect();
        bail!("the baseline is broken: {}", [&[summary], details.as_slice()].concat().join("\n  "));
    }
    Ok(report["patches"].as_array().context("the report has no `patches`")?)
}

/// The outcome of a patch and, where it has one, the key of its reason.
pub(crate) fn outcome_of(patch: &Value) -> Option<(&str, &str)> {
    let verdict = &patch["verdict"];
    let reason = ["invalid", "inconclusive"].iter().find_map(|key| verdict[*key].as_str());
    Some((verdict["outcome"].as_str()?, reason.unwrap_or_default()))
}

/// What refutes a patch: the first proof.
pub(crate) fn proof_of(patch: &Value) -> Option<&Value> {
    patch["evidence"].as_array()?.iter().find(|evidence| evidence["strength"] == "proof")
}

fn judged(patch: &Value) -> Result<Judged> {
    let (outcome, reason) = outcome_of(patch).context("a patch has no `verdict.outcome`")?;
    let proof = proof_of(patch);
    let of_proof =
        |value: fn(&Value) -> &Value| proof.and_then(|proof| value(proof).as_str()).unwrap_or_default();
    Ok(Judged {
        outcome: outcome.to_owned(),
        reason: reason.to_owned(),
        class: of_proof(|proof| &proof["exhibit"]["class"]).to_owned(),
        proof: of_proof(|proof| &proof["summary"]).to_owned(),
        fixed_tests: patch["plausibility"]["fixed"].as_array().map_or(0, Vec::len),
        changed: changed_elements(&patch["delta"]),
        inputs: sum_of_efforts(patch, "inputs"),
        milliseconds: milliseconds(&patch["timings"]),
        build_milliseconds: patch["timings"]["build-patched"].as_u64(),
    })
}

/// `Gregorian#isLeapYear` for every changed element, in the order of the report.
fn changed_elements(delta: &Value) -> Vec<String> {
    let files = delta["files"].as_array().into_iter().flatten();
    let elements = files.flat_map(|file| file["elements"].as_array().into_iter().flatten());
    elements.filter_map(|element| element["name"].as_str()).map(short_name).collect()
}

/// `pkg.sub.Outer.Inner#method(int)` without its packages and parameters.
fn short_name(name: &str) -> String {
    let bare = name.split('(').next().unwrap_or(name);
    let (owner, member) = bare.split_once('#').map_or((bare, None), |(owner, member)| (owner, Some(member)));
    let is_type = |part: &&str| part.starts_with(char::is_uppercase);
    let types: Vec<&str> = owner.split('.').skip_while(|part| !is_type(part)).collect();
    let owner = if types.is_empty() { owner.to_owned() } else { types.join(".") };
    member.map_or(owner.clone(), |member| format!("{owner}#{member}"))
}

/// A number of `efforts`, over all techniques.
pub(crate) fn sum_of_efforts(patch: &Value, field: &str) -> u64 {
    let efforts = patch["efforts"].as_array().into_iter().flatten();
    efforts.filter_map(|effort| effort[field].as_u64()).sum()
}

/// The total where the report has one, the sum of the steps otherwise.
pub(crate) fn milliseconds(timings: &Value) -> u64 {
    let Some(steps) = timings.as_object() else { return 0 };
    let total = steps.get("total").and_then(Value::as_u64);
    let steps = steps.iter().filter(|(step, _)| !MOMENTS.contains(&step.as_str()));
    total.unwrap_or_else(|| steps.filter_map(|(_, millis)| millis.as_u64()).sum())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_case_is_read_with_its_expectations() {
        let tree = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(tree.path()).unwrap();
        let folder = root.join("cases/java/leap-year");
        fs_err::create_dir_all(&folder).unwrap();
        let text = "title = 'x'\nlanguage = 'c'\n[java]\ndependencies = ['junit:junit:4.13.2']\n\
                    [[patch]]\nfile = 'patches/overfit.diff'\nlabel = 'overfitting'\nexpect = 'refuted'\n";
        fs_err::write(folder.join("case.toml"), text).unwrap();
        let case = all(root).unwrap().remove(0);
        assert_eq!(case.folder, "cases/java/leap-year");
        assert_eq!((case.language.as_str(), case.project.as_str()), ("c", "buggy"));
        assert_eq!(case.dependencies, ["junit:junit:4.13.2"]);
        assert_eq!(case.patches[0].name, "overfit");
        assert_eq!(case.patches[0].file, "patches/overfit.diff");
        assert_eq!(case.patches[0].expect.as_deref(), Some("refuted"));
    }

    #[test]
    fn a_tree_without_cases_has_none() {
        let tree = tempfile::tempdir().unwrap();
        assert_eq!(all(Utf8Path::from_path(tree.path()).unwrap()).unwrap(), []);
    }

    #[test]
    fn a_report_is_read_patch_by_patch() {
        let report = json!({"format": 1, "patches": [{
            "verdict": {"outcome": "inconclusive", "inconclusive": "not-judged", "summary": "x"},
            "plausibility": {"fixed": [{}, {}]},
            "delta": {"files": [{"elements": [{"name": "calendar.Gregorian#isLeapYear(int)"}]}]},
            "efforts": [{"inputs": 30, "reached": 3}, {"inputs": 12}],
            "evidence": [
                {"strength": "remark", "summary": "nothing"},
                {"strength": "proof", "summary": "f(1) gives 2", "exhibit": {"class": "exc1"}},
            ],
            "timings": {"build-patched": 20, "plausibility": 22, "first-input": 1000},
        }]});
        let expected = Judged {
            outcome: "inconclusive".into(),
            reason: "not-judged".into(),
            class: "exc1".into(),
            proof: "f(1) gives 2".into(),
            fixed_tests: 2,
            changed: vec!["Gregorian#isLeapYear".into()],
            inputs: 42,
            milliseconds: 42,
            build_milliseconds: Some(20),
        };
        let all: Result<Vec<Judged>> = patches_of(&report).unwrap().iter().map(judged).collect();
        assert_eq!(all.unwrap(), [expected]);
    }

    #[test]
    fn a_broken_baseline_is_an_error_with_its_summary() {
        let report = json!({"format": 1, "broken": {"summary": "no test shows the bug"}, "patches": []});
        let error = patches_of(&report).unwrap_err();
        assert_eq!(error.to_string(), "the baseline is broken: no test shows the bug");
        let report = json!({"format": 1, "broken": {"summary": "1 error", "details": ["A.java:3\nint x"]}});
        let error = patches_of(&report).unwrap_err();
        assert_eq!(error.to_string(), "the baseline is broken: 1 error\n  A.java:3\n  int x");
    }

    #[test]
    fn a_report_of_another_format_is_refused() {
        let error = patches_of(&json!({"format": 2, "patches": []})).map(<[Value]>::len).unwrap_err();
        assert!(error.to_string().contains("this reads 1"), "{error}");
    }

    #[test]
    fn names_lose_packages_and_parameters() {
        assert_eq!(short_name("a.b.Outer.Inner#run(int, String)"), "Outer.Inner#run");
        assert_eq!(short_name("Plain#field"), "Plain#field");
        assert_eq!(short_name("a.b.Type"), "Type");
        assert_eq!(short_name("lower#x"), "lower#x");
    }
}
