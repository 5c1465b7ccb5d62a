//! A generated project of about 100,000 lines, to measure what must not grow with the size of a project: the time until a
//! further version is ready, and the time to run the few tests that matter.

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::{Figures, Goal, Measurement, median};
use crate::command_line::CommandLine;
use crate::workspace::Workspace;

const CLASSES: usize = 400;
const METHODS: usize = 27;
const TESTS: usize = 60;
const PATCHES: usize = 12;
/// Patches that fix the bug, so that inputs are searched for.
const FIXES: usize = 5;
/// Only the first input counts here.
const BUDGET: &str = "100inputs";
/// The step in which inputs run: of its time, only `first-input` counts here.
const SEARCH: &str = "judge";
/// The step that runs the original tests, which grows with them.
const ORIGINAL_TESTS: &str = "plausibility";

/// Measures on the generated project.
pub(super) fn measure(workspace: &Workspace, bonafix: &Utf8Path, figures: &mut Figures) -> Result<()> {
    let folder = workspace.scratch("bench")?.join("large");
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    let lines = generate(&folder.join("project"))?;
    let patches: Vec<Utf8PathBuf> =
        (0..PATCHES).map(|number| patch(&folder, number)).collect::<Result<_>>()?;
    // Five tests: one that shows the bug, four that pass.
    let few = [
        "big.p0.C0Test#sum0",
        "big.p0.C0Test#sum1",
        "big.p1.C1Test#sum2",
        "big.p2.C2Test#sum0",
        "big.p3.C3Test#sum1",
    ];
    let report = check(&folder, bonafix, &patches, &few, &["--budget", BUDGET])?;
    let stage = |name: &str| seconds(&report["timings"][name]);
    let of_patches = |name: &str| -> Vec<u64> {
        let patches = report["patches"].as_array().into_iter().flatten();
        patches.filter_map(|patch| patch["timings"][name].as_u64()).collect()
    };
    let ready = median(of_patches("build-patched")).context("no version was built")?;
    let tested = median(of_patches("plausibility")).context("no version was tested")?;
    let size = format!("project of {lines} lines");
    figures.extend([
        Measurement::new(format!("{size}: first build"), stage("build-buggy"), "s"),
        Measurement::new(
            format!("{size}: one-file version ready, median of {PATCHES}"),
            milliseconds(ready),
            "s",
        )
        .goal(Goal::AtMost(1.0)),
        Measurement::new(format!("{size}: the 5 tests that matter, median"), milliseconds(tested), "s"),
    ]);
    let fixes = check_fixes(&folder, bonafix, &few)?;
    let first = first_input(&fixes, &[SEARCH])?;
    let without_tests = first_input(&fixes, &[SEARCH, ORIGINAL_TESTS])?;
    let name = format!("{size}: from patch to first input, warm, median of {FIXES}");
    figures.extend([
        Measurement::new(format!("{name}, without the tests"), milliseconds(without_tests), "s"),
        Measurement::new(name, milliseconds(first), "s").goal(Goal::AtMost(2.0)),
    ]);
    Ok(())
}

fn seconds(value: &Value) -> f64 {
    milliseconds(value.as_u64().unwrap_or_default())
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a build are far below 2^52")]
fn milliseconds(value: u64) -> f64 {
    value as f64 / 1000.0
}

/// Judges patches that fix the bug, with everything built but the patched versions.
fn check_fixes(folder: &Utf8Path, bonafix: &Utf8Path, tests: &[&str]) -> Result<Value> {
    let reference = fix(folder, "reference", "n == 0 ? 99 : 0")?;
    let fixes: Vec<Utf8PathBuf> = (0..FIXES)
        .map(|number| fix(folder, &format!("fix-{number}"), &format!("99 + {number} * n")))
        .collect::<Result<_>>()?;
    check(folder, bonafix, &fixes, tests, &["--budget", BUDGET, "--reference", reference.as_str()])
}

/// The median of the milliseconds from a patch to its first input, without those of some steps.
fn first_input(report: &Value, without: &[&str]) -> Result<u64> {
    let patches = report["patches"].as_array().into_iter().flatten();
    let times = patches.filter_map(|patch| until_first_input(&patch["timings"], without));
    median(times.collect()).with_context(|| format!("no input ran: {}", report["patches"][0]["verdict"]))
}

fn until_first_input(timings: &Value, without: &[&str]) -> Option<u64> {
    timings["first-input"].as_u64()?;
    let steps = timings.as_object()?.iter().filter(|(step, _)| !without.contains(&step.as_str()));
    Some(steps.filter_map(|(_, millis)| millis.as_u64()).sum())
}

fn check(
    folder: &Utf8Path,
    bonafix: &Utf8Path,
    patches: &[Utf8PathBuf],
    tests: &[&str],
    options: &[&str],
) -> Result<Value> {
    let mut command = CommandLine::new(bonafix.as_str())
        .args(["check", folder.join("project").as_str(), "--quiet", "--format", "json"])
        .args(["--out", folder.join("runs").as_str()])
        .args(options.iter().copied())
        .env("BONAFIX_CACHE", folder.join("cache").as_str());
    for test in tests {
        command = command.args(["--tests", test]);
    }
    for patch in patches {
        command = command.args(["--patch", patch.as_str()]);
    }
    let captured = command.capture()?;
    serde_json::from_str(&captured.stdout).with_context(|| format!("bonafix said: {}", captured.stderr))
}

/// Writes the project and counts its lines.
fn generate(root: &Utf8Path) -> Result<usize> {
    let mut lines = 0;
    for number in 0..CLASSES {
        let text = class(number);
        lines += text.lines().count();
        write(&root.join(class_path(number)), &text)?;
    }
    for number in 0..TESTS {
        let text = test(number);
        lines += text.lines().count();
        write(&root.join(format!("src/test/java/big/p{}/C{number}Test.java", number % 20)), &text)?;
    }
    Ok(lines)
}

fn write(file: &Utf8Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs_err::create_dir_all(folder)?;
    }
    Ok(fs_err::write(file, text)?)
}

fn class_path(number: usize) -> String {
    format!("src/main/java/big/p{}/C{number}.java", number % 20)
}

/// A class that uses constants and methods of two others, as classes do.
fn class(number: usize) -> String {
    let (left, right) = ((number + 1) % CLASSES, (number * 7 + 3) % CLASSES);
    let (left, right) = (format!("big.p{}.C{left}", left % 20), format!("big.p{}.C{right}", right % 20));
    let methods: Vec<String> = (0..METHODS)
        .map(|method| {
            format!(
                "    public int sum{method}(int n) {{
        int total = {method};
        for (int i = 0; i < n; i++) {{
            total += i % 3 == 0 ? i : -1;
        }}
        state = total + {left}.SIZE;
        return total;
    }}

"
            )
        })
        .collect();
    format!(
        "package big.p{};

/** Generated. */
public class C{number} {{
    public static final int SIZE = {number};
    private int state;

{}    public int depth() {{
        return state + new {right}().sum0(3);
    }}
}}
",
        number % 20,
        methods.concat()
    )
}

/// A test class; the first test of the first class shows a bug.
fn test(number: usize) -> String {
    let tests: Vec<String> = (0..3)
        .map(|method| {
            let expected = if number == 0 && method == 0 { 99 } else { method };
            let assertion = format!("assertEquals({expected}, new C{number}().sum{method}(0));");
            format!("    @Test public void sum{method}() {{ {assertion} }}\n")
        })
        .collect();
    format!(
        "package big.p{};

import static org.junit.Assert.*;
import org.junit.Test;

public class C{number}Test {{
{}}}
",
        number % 20,
        tests.concat()
    )
}

/// A patch of one file; the first one fixes the bug, the others change another class each.
fn patch(folder: &Utf8Path, number: usize) -> Result<Utf8PathBuf> {
    let path = class_path(number * 31 % CLASSES);
    write_patch(&folder.join(format!("{number}.diff")), &path, &(99 - number).to_string())
}

/// A patch that fixes the bug.
fn fix(folder: &Utf8Path, name: &str, total: &str) -> Result<Utf8PathBuf> {
    write_patch(&folder.join(format!("{name}.diff")), &class_path(0), total)
}

fn write_patch(file: &Utf8Path, path: &str, total: &str) -> Result<Utf8PathBuf> {
    let text = format!(
        "--- a/{path}\n+++ b/{path}\n@@ -8,3 +8,3 @@\n     public int sum0(int n) {{\n-        int total = 0;\n\
         +        int total = {total};\n         for (int i = 0; i < n; i++) {{\n"
    );
    write(file, &text)?;
    Ok(file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_the_first_input_leaves_out_the_rest_of_the_search() {
        let timings = serde_json::json!({"apply": 1, "build-patched": 200, "plausibility": 900, "judge": 5000, "first-input": 700});
        assert_eq!(until_first_input(&timings, &[SEARCH]), Some(1801));
        assert_eq!(until_first_input(&timings, &[SEARCH, ORIGINAL_TESTS]), Some(901));
        assert_eq!(until_first_input(&serde_json::json!({"apply": 1}), &[]), None);
    }

    #[test]
    fn the_project_is_of_the_promised_size_and_the_patches_fit_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let lines = generate(&folder.join("project")).unwrap();
        assert!((100_000..120_000).contains(&lines), "{lines}");
        for number in 0..PATCHES {
            let diff = fs_err::read_to_string(patch(folder, number).unwrap()).unwrap();
            let removed = diff.lines().find_map(|line| line.strip_prefix("-   ")).unwrap();
            let file = folder.join("project").join(class_path(number * 31 % CLASSES));
            let line = fs_err::read_to_string(file).unwrap().lines().nth(8).unwrap().to_owned();
            assert_eq!(line, format!("   {removed}"));
        }
    }
}
