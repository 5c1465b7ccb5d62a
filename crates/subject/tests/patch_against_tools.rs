//! The same patches through `git apply` and GNU `patch`: what they make of them is what we make of them.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use bonafix_subject::patch::{FileEdit, PatchSet};
use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use similar::TextDiff;

#[expect(clippy::disallowed_methods, reason = "a test may ask the tools on the machine for a second opinion")]
fn run(tool: &[&str], folder: &Utf8Path) -> Option<Output> {
    let (name, arguments) = tool.split_first()?;
    let mut command = Command::new(name);
    // A repository around the folder for temporary files is none of git's business here.
    command.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder));
    command.args(arguments).current_dir(folder).output().ok()
}

/// What a tool makes of a file named `A`; `None` if it refuses.
fn by_tool(tool: &[&str], target: &str, patch: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = Utf8Path::from_path(folder.path()).expect("a path in UTF-8");
    fs_err::write(folder.join("A"), target).expect("a folder to write to");
    fs_err::write(folder.join("fix.diff"), patch).expect("a folder to write to");
    let output = run(tool, folder)?;
    output.status.success().then(|| fs_err::read_to_string(folder.join("A")).unwrap_or_default())
}

fn by_us(target: &str, patch: &str) -> Option<String> {
    let tree = BTreeMap::from([(Utf8PathBuf::from("A"), target.as_bytes().to_vec())]);
    let applied = PatchSet::parse("fix.diff", patch.as_bytes()).and_then(|patch| patch.apply(&tree)).ok()?;
    match applied.change.into_values().next() {
        Some(FileEdit::Write(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    }
}

#[expect(clippy::print_stderr, reason = "a comparison that was not made should not look like one that was")]
fn is_here(tool: &str) -> bool {
    let here = run(&[tool, "--version"], Utf8Path::new(".")).is_some_and(|output| output.status.success());
    if !here {
        eprintln!("{tool} is not on PATH: nothing was compared with it");
    }
    here
}

fn lines(
    words: Vec<&'static str>,
    length: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(words), length)
}

fn joined(lines: &[&str], final_newline: bool) -> String {
    lines.join("\n") + if final_newline && !lines.is_empty() { "\n" } else { "" }
}

#[test]
fn git_and_patch_agree_on_patches_that_fit() {
    let tools: [(&str, &[&str]); 2] =
        [("git", &["git", "apply", "fix.diff"]), ("patch", &["patch", "-p1", "-s", "-f", "-i", "fix.diff"])];
    let words = vec!["", "}", "x();", "return;", "-- b", "if (a) {", "é"];
    let texts = (lines(words.clone(), 1..25), lines(words, 1..25), any::<(bool, bool)>(), 0..4_usize);
    for (name, tool) in tools.into_iter().filter(|(name, _)| is_here(name)) {
        let mut runner =
            TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
        let outcome = runner.run(&texts, |(old, new, (old_newline, new_newline), context)| {
            let (old, new) = (joined(&old, old_newline), joined(&new, new_newline));
            prop_assume!(old != new && !old.is_empty() && !new.is_empty());
            // Without context git misplaces the final newline when it removes the last line.
            let context = if name == "git" { context.max(1) } else { context };
            let diff = TextDiff::from_lines(&old, &new);
            let patch = diff.unified_diff().context_radius(context).header("a/A", "b/A").to_string();
            prop_assert_eq!(by_us(&old, &patch), Some(new.clone()), "ours\n{}", patch);
            prop_assert_eq!(by_tool(tool, &old, &patch), Some(new), "{}\n{}", name, patch);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn patch_agrees_on_patches_that_fit_with_offset_or_fuzz() {
    if !is_here("patch") {
        return;
    }
    let edits = prop::collection::vec((0..30_usize, 0..3_u8), 1..4);
    let scenes = (10..30_usize, edits.clone(), edits, 0..6_usize);
    let mut runner = TestRunner::new(Config { cases: 150, failure_persistence: None, ..Config::default() });
    let both = std::cell::Cell::new(0);
    let outcome = runner.run(&scenes, |(length, patch_edits, drift_edits, shift)| {
        let base: Vec<String> = (0..length).map(|number| format!("line {number}")).collect();
        let new = edited(&base, &patch_edits, "patched");
        let mut target = edited(&base, &drift_edits, "drifted");
        target.splice(0..0, (0..shift).map(|number| format!("before {number}")));
        let text = |lines: &[String]| lines.join("\n") + "\n";
        let (old, new, target) = (text(&base), text(&new), text(&target));
        let patch = TextDiff::from_lines(&old, &new).unified_diff().header("a/A", "b/A").to_string();
        prop_assume!(!patch.is_empty());
        let tool = by_tool(&["patch", "-p1", "-s", "-f", "-i", "fix.diff"], &target, &patch);
        if let (Some(theirs), Some(ours)) = (tool, by_us(&target, &patch)) {
            both.set(both.get() + 1);
            prop_assert_eq!(theirs, ours, "{}\n{}", target, patch);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(both.get() > 15, "the scenes are too wild to compare anything: {}", both.get());
}

/// Replaces, removes or adds lines.
fn edited(base: &[String], edits: &[(usize, u8)], word: &str) -> Vec<String> {
    let mut lines = base.to_vec();
    for &(at, action) in edits {
        let at = at % lines.len();
        match action {
            0 => lines[at] = format!("{word} {at}"),
            1 => drop(lines.remove(at)),
            _ => lines.insert(at, format!("{word} new {at}")),
        }
    }
    lines
}
