//! Reads what Maven prints: which project failed, and whether the sources, the JDK's levels, the network or a plugin
//! are to blame.

use bonafix_lang::Diagnostic;
use camino::Utf8Path;

use crate::toolchain::strip_colour;

/// What went wrong in a Maven run, most telling first when there is a choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What the compiler said of sources.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The compiler does not know the language level, in its own words.
    pub(crate) level: Option<String>,
    /// Artifacts that could not be had.
    pub(crate) unresolved: Vec<String>,
    /// Goals that failed: project and message.
    pub(crate) goals: Vec<FailedGoal>,
    /// All error lines, without repetition and advice.
    pub(crate) lines: Vec<String>,
}

/// One `Failed to execute goal`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FailedGoal {
    /// `group:artifact:version:goal`.
    pub(crate) goal: String,
    /// Artifact of the project that it failed on.
    pub(crate) project: String,
    /// First line of the reason.
    pub(crate) message: String,
}

/// Reads the output of a run that failed. Files in diagnostics become relative to `root` where they lie below it.
pub(crate) fn parse(output: &str, root: &Utf8Path) -> Failure {
    let mut failure = Failure::default();
    let mut place = None;
    for line in output.lines() {
        let line = strip_colour(line);
        let Some(text) = line.trim_start().strip_prefix("[ERROR]") else { continue };
        let text = without_help(text.trim());
        if text.is_empty() || is_advice(text) {
            continue;
        }
        if !failure.lines.iter().any(|seen| seen == text) {
            failure.lines.push(text.to_owned());
        }
        read_line(&mut failure, &mut place, text, root);
    }
    failure
}

/// Maven tells each compile error twice, the second time with all its lines; `place` is the one under way.
fn read_line(failure: &mut Failure, place: &mut Option<usize>, text: &str, root: &Utf8Path) {
    if is_level_problem(text) {
        failure.level.get_or_insert_with(|| text.to_owned());
    } else if let Some(diagnostic) = diagnostic(text, root) {
        let same = |seen: &Diagnostic| {
            (&seen.file, seen.line) == (&diagnostic.file, diagnostic.line)
                && seen.message.starts_with(&diagnostic.message)
        };
        *place = failure.diagnostics.iter().position(same).or(Some(failure.diagnostics.len()));
        if *place == Some(failure.diagnostics.len()) {
            failure.diagnostics.push(diagnostic);
        }
        return;
    } else if let Some(goal) = failed_goal(text) {
        failure.goals.push(goal);
    } else if let (Some(index), true) = (*place, is_continuation(text)) {
        let message = &mut failure.diagnostics[index].message;
        if !message.contains(text) {
            message.push_str("; ");
            message.push_str(text);
        }
        return;
    }
    *place = None;
    for artifact in unresolved(text) {
        if !failure.unresolved.contains(&artifact) {
            failure.unresolved.push(artifact);
        }
    }
}

fn without_help(text: &str) -> &str {
    match text.rfind("-> [Help ") {
        Some(at) => text[..at].trim_end(),
        None => text,
    }
}

fn is_advice(text: &str) -> bool {
    const STARTS: [&str; 6] = [
        "To see the full stack trace",
        "Re-run Maven using",
        "For more information about",
        "[Help ",
        "After correcting the problems",
        "mvn <",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
}

fn is_level_problem(text: &str) -> bool {
    (text.contains("option") && text.contains("no longer supported"))
        || text.contains("invalid source release")
        || text.contains("invalid target release")
        || (text.contains("release version") && text.contains("not supported"))
        || (text.contains("source release") && text.contains("requires target release"))
}

/// `symbol:` and `location:` lines belong to the message before them.
fn is_continuation(text: &str) -> bool {
    ["symbol", "location", "required", "found", "reason", "equality constraints", "lower bounds"]
        .iter()
        .any(|start| text.strip_prefix(start).is_some_and(|rest| rest.trim_start().starts_with(':')))
}

/// `/path/File.java:[12,5] message`, also without the column.
fn diagnostic(text: &str, root: &Utf8Path) -> Option<Diagnostic> {
    let at = text.find(".java:[")? + ".java".len();
    let file = Utf8Path::new(&text[..at]);
    let (place, message) = text[at + 2..].split_once(']')?;
    let line = place.split(',').next()?.trim().parse().ok()?;
    let file = file.strip_prefix(root).unwrap_or(file).to_string();
    let message = message.trim();
    let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
    Some(Diagnostic { file, line, message })
}

/// `Failed to execute goal G:A:V:goal (execution) on project P: message`.
fn failed_goal(text: &str) -> Option<FailedGoal> {
    let rest = text.strip_prefix("Failed to execute goal ")?;
    let (head, message) = rest.split_once(": ").filter(|(head, _)| head.contains(" on project "))?;
    let (goal, project) = head.split_once(" on project ")?;
    let goal = goal.split_whitespace().next().unwrap_or(goal);
    Some(FailedGoal { goal: goal.to_owned(), project: project.to_owned(), message: message.to_owned() })
}

/// Coordinates that a line about resolution names.
fn unresolved(text: &str) -> Vec<String> {
    const MARKS: [&str; 7] = [
        "Could not find artifact ",
        "Could not transfer artifact ",
        "Failure to find ",
        "Failure to transfer ",
        "and the artifact ",
        "Failed to read artifact descriptor for ",
        "No versions available for ",
    ];
    // What an earlier run did not get, Maven does not ask for again, and says so in other words.
    const MARKS_BEHIND: [&str; 2] = [" was not found in ", " failed to transfer from "];
    let mut found = Vec::new();
    for mark in ["artifacts could not be resolved: ", "artifact could not be resolved: "] {
        if let Some(list) = text.split(mark).nth(1) {
            let list = list.split(": ").next().unwrap_or(list);
            found.extend(list.split(", ").filter_map(coordinate));
        }
    }
    for mark in MARKS {
        found.extend(text.split(mark).skip(1).filter_map(coordinate));
    }
    for mark in MARKS_BEHIND {
        let before = text.match_indices(mark).filter_map(|(at, _)| text[..at].split_whitespace().next_back());
        found.extend(before.filter_map(coordinate));
    }
    if found.is_empty() && (text.contains("could not be resolved") || text.contains("Non-resolvable")) {
        found.extend(text.split_whitespace().filter_map(coordinate));
    }
    found.sort();
    found.dedup();
    found
}

/// The coordinate that `text` begins with: at least `group:artifact:version`.
fn coordinate(text: &str) -> Option<String> {
    let word = text.split_whitespace().next()?.trim_end_matches([':', ',', ';', '.']);
    let parts: Vec<&str> = word.split(':').collect();
    let plain = |part: &&str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'))
    };
    ((3..=5).contains(&parts.len()) && parts.iter().all(plain)).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(name: &str) -> Failure {
        let path = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/layout/maven-output").join(name);
        parse(&fs_err::read_to_string(path).unwrap(), Utf8Path::new("/project"))
    }

    #[test]
    fn a_compile_error_keeps_file_line_and_symbol() {
        let failure = saved("compile-error.txt");
        assert_eq!(failure.diagnostics.len(), 1, "{failure:?}");
        assert_eq!(
            failure.diagnostics[0].to_string(),
            "src/main/java/demo/Demo.java:5: cannot find symbol; symbol:   variable missing; location: class demo.Demo"
        );
        assert_eq!(failure.goals[0].project, "demo");
        assert!(failure.level.is_none() && failure.unresolved.is_empty());
    }

    #[test]
    fn a_level_the_jdk_no_longer_has_is_no_fault_of_the_sources() {
        let failure = saved("level.txt");
        assert_eq!(failure.level.as_deref(), Some("Source option 5 is no longer supported. Use 7 or later."));
        assert!(failure.diagnostics.is_empty());
    }

    #[test]
    fn a_missing_dependency_is_named() {
        let failure = saved("missing-dependency.txt");
        assert_eq!(failure.unresolved, ["org.example:no-such-thing:jar:1.0"]);
    }

    #[test]
    fn everything_that_is_missing_offline_is_named() {
        let failure = saved("offline-plugin.txt");
        assert!(
            failure.unresolved.iter().any(|artifact| artifact == "org.jdom:jdom2:jar:2.0.6.1"),
            "{failure:?}"
        );
        assert!(failure.unresolved.len() >= 3);
    }

    #[test]
    fn a_parent_that_cannot_be_had_is_named() {
        let failure = saved("missing-parent.txt");
        assert_eq!(failure.unresolved, ["org.example:parent:pom:7"]);
    }

    #[test]
    fn what_an_earlier_run_did_not_get_is_named() {
        assert_eq!(saved("cached-failure.txt").unresolved, ["org.example:no-such-thing:jar:1.0"]);
        assert_eq!(saved("cached-parent.txt").unresolved, ["org.example:parent:pom:7"]);
        let older = "[ERROR] Failure to transfer org.example:a:pom:1 from http://x was cached in the local repository";
        assert_eq!(parse(older, Utf8Path::new("/")).unresolved, ["org.example:a:pom:1"]);
    }

    #[test]
    fn goals_that_failed_are_told_by_project() {
        let failure = saved("two-modules-fail.txt");
        let projects: Vec<_> = failure.goals.iter().map(|goal| goal.project.as_str()).collect();
        assert_eq!(projects, ["test-jpms", "proto"]);
        assert!(failure.goals[1].message.contains("requires Maven version 3.9.6"));
        assert_eq!(failure.diagnostics[0].file, "test-jpms/src/test/java/module-info.java");
    }

    #[test]
    fn the_advice_at_the_end_is_left_out() {
        let failure = saved("two-modules-fail.txt");
        assert!(
            failure.lines.iter().all(|line| !line.contains("re-run Maven") && !line.starts_with("[Help"))
        );
    }
}
