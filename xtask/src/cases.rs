//! The bundled cases, and what `bonafix check` says of them, both read from outside: `case.toml` and the JSON report.

use anyhow::{Context, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::command_line::{CommandLine, tail};

/// The version of the JSON report that this reads.
const FORMAT: u64 = 1;

/// A case as its `case.toml` describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    /// Folder name.
    pub(crate) name: String,
    /// The folder, relative to the root of the tree.
    pub(crate) folder: Utf8PathBuf,
    /// Folder of the buggy project, relative to the case's.
    pub(crate) project: Utf8PathBuf,
    /// Maven coordinates that it asks for.
    pub(crate) dependencies: Vec<String>,
    /// Its patches.
    pub(crate) patches: Vec<Expectation>,
}

/// A patch of a case and what must come out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expectation {
    /// File name without folder and ending.
    pub(crate) name: String,
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
    /// Tests that show the bug and that the patch turned green.
    pub(crate) fixed_tests: usize,
    /// Names of changed methods, constructors, fields.
    pub(crate) changed: Vec<String>,
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

fn read(root: &Utf8Path, folder: &Utf8Path) -> Result<Case> {
    let file = folder.join("case.toml");
    let text = fs_err::read_to_string(&file)?;
    let toml: toml::Table = text.parse().with_context(|| format!("read {file}"))?;
    let java = toml.get("java").and_then(toml::Value::as_table);
    let patches = toml.get("patch").and_then(toml::Value::as_array);
    Ok(Case {
        name: folder.file_name().unwrap_or_default().to_owned(),
        folder: folder.strip_prefix(root).unwrap_or(folder).to_owned(),
        project: word(&toml, "project").unwrap_or_else(|| "buggy".to_owned()).into(),
        dependencies: java.map(|java| words(java, "dependencies")).unwrap_or_default(),
        patches: patches.into_iter().flatten().filter_map(toml::Value::as_table).map(expectation).collect(),
    })
}

fn expectation(patch: &toml::Table) -> Expectation {
    let file = Utf8PathBuf::from(word(patch, "file").unwrap_or_default());
    Expectation {
        name: file.file_stem().unwrap_or_default().to_owned(),
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
    let judged = read_report(&report).with_context(said)?;
    if judged.len() != case.patches.len() {
        bail!("{} patches are described and {} are in the report", case.patches.len(), judged.len());
    }
    Ok(judged)
}

fn read_report(report: &Value) -> Result<Vec<Judged>> {
    match report["format"].as_u64() {
        Some(FORMAT) => {}
        other => bail!("the report has format {other:?}, and this reads {FORMAT}"),
    }
    if let Some(summary) = report["broken"]["summary"].as_str() {
        bail!("the baseline is broken: {summary}");
    }
    report["patches"].as_array().context("the report has no `patches`")?.iter().map(judged).collect()
}

fn judged(patch: &Value) -> Result<Judged> {
    let verdict = &patch["verdict"];
    let outcome = verdict["outcome"].as_str().context("a patch has no `verdict.outcome`")?;
    let reason = ["invalid", "inconclusive"].iter().find_map(|key| verdict[*key].as_str());
    Ok(Judged {
        outcome: outcome.to_owned(),
        reason: reason.unwrap_or_default().to_owned(),
        fixed_tests: patch["plausibility"]["fixed"].as_array().map_or(0, Vec::len),
        changed: changed_elements(&patch["delta"]),
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

/// The total where the report has one, the sum of the steps otherwise.
fn milliseconds(timings: &Value) -> u64 {
    let Some(steps) = timings.as_object() else { return 0 };
    let total = steps.get("total").and_then(Value::as_u64);
    total.unwrap_or_else(|| steps.values().filter_map(Value::as_u64).sum())
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
        let text = "title = 'x'\n[java]\ndependencies = ['junit:junit:4.13.2']\n\
                    [[patch]]\nfile = 'patches/overfit.diff'\nlabel = 'overfitting'\nexpect = 'refuted'\n";
        fs_err::write(folder.join("case.toml"), text).unwrap();
        let case = all(root).unwrap().remove(0);
        assert_eq!(case.folder, "cases/java/leap-year");
        assert_eq!(case.project, "buggy");
        assert_eq!(case.dependencies, ["junit:junit:4.13.2"]);
        assert_eq!(case.patches[0].name, "overfit");
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
            "timings": {"build-patched": 20, "plausibility": 22},
        }]});
        let expected = Judged {
            outcome: "inconclusive".into(),
            reason: "not-judged".into(),
            fixed_tests: 2,
            changed: vec!["Gregorian#isLeapYear".into()],
            milliseconds: 42,
            build_milliseconds: Some(20),
        };
        assert_eq!(read_report(&report).unwrap(), [expected]);
    }

    #[test]
    fn a_broken_baseline_is_an_error_with_its_summary() {
        let report = json!({"format": 1, "broken": {"summary": "no test shows the bug"}, "patches": []});
        let error = read_report(&report).unwrap_err();
        assert_eq!(error.to_string(), "the baseline is broken: no test shows the bug");
    }

    #[test]
    fn a_report_of_another_format_is_refused() {
        let error = read_report(&json!({"format": 2, "patches": []})).unwrap_err();
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
