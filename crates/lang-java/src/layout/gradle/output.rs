//! Reads what Gradle prints when it fails.

use bonafix_lang::Diagnostic;
use camino::Utf8Path;

/// What went wrong in a Gradle run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Failure {
    /// What the compiler said of sources.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The compiler does not know the language level.
    pub(super) level: Option<String>,
    /// Artifacts that could not be had.
    pub(super) unresolved: Vec<String>,
    /// The lines under `What went wrong`.
    pub(super) lines: Vec<String>,
}

/// Reads the output of a run that failed. Files become relative to `root` where they lie below it.
pub(super) fn parse(output: &str, root: &Utf8Path) -> Failure {
    let mut failure = Failure::default();
    let mut telling = false;
    for line in output.lines() {
        let text = line.trim();
        if text.starts_with("* ") {
            telling = text.starts_with("* What went wrong");
        } else if telling && !text.is_empty() && !failure.lines.iter().any(|seen| seen == text) {
            failure.lines.push(text.to_owned());
        }
        if is_level_problem(text) {
            failure.level.get_or_insert_with(|| text.to_owned());
        } else if let Some(diagnostic) = diagnostic(text, root) {
            if !failure.diagnostics.contains(&diagnostic) {
                failure.diagnostics.push(diagnostic);
            }
        } else if let Some(artifact) =
            unresolved(text).filter(|artifact| !failure.unresolved.contains(artifact))
        {
            failure.unresolved.push(artifact);
        }
    }
    failure
}

fn is_level_problem(text: &str) -> bool {
    (text.contains("option") && text.contains("no longer supported"))
        || text.contains("invalid source release")
        || text.contains("invalid target release")
        || (text.contains("release version") && text.contains("not supported"))
}

/// `/path/File.java:5: error: message`.
fn diagnostic(text: &str, root: &Utf8Path) -> Option<Diagnostic> {
    let at = text.find(".java:")? + ".java".len();
    // Some versions print the task and the compiler's message on one line.
    let start = text[..at].rfind(root.as_str()).unwrap_or(0);
    let file = Utf8Path::new(&text[start..at]);
    let (line, message) = text[at + 1..].split_once(": error: ")?;
    let file = file.strip_prefix(root).unwrap_or(file).to_string();
    Some(Diagnostic { file, line: line.parse().ok()?, message: message.to_owned() })
}

/// `Could not resolve group:artifact:version.`, `Could not find group:artifact:version.`,
/// `No cached version of group:artifact:version available for offline mode.`
fn unresolved(text: &str) -> Option<String> {
    let text = text.trim_start_matches("> ");
    let rest = ["Could not resolve ", "Could not find ", "Could not download ", "No cached version of "]
        .iter()
        .find_map(|start| text.strip_prefix(start))?;
    let word = rest.split_whitespace().next()?.trim_end_matches('.').trim_end_matches(',');
    (word.matches(':').count() == 2).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(name: &str) -> Failure {
        let path = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/layout/gradle").join(name);
        parse(&fs_err::read_to_string(path).unwrap(), Utf8Path::new("/project"))
    }

    #[test]
    fn a_compile_error_keeps_file_and_line() {
        let failure = saved("compile-error.txt");
        assert_eq!(failure.diagnostics.len(), 1, "{failure:?}");
        assert_eq!(failure.diagnostics[0].to_string(), "lib/src/main/java/p/A.java:1: cannot find symbol");
        assert!(failure.unresolved.is_empty() && failure.level.is_none());
    }

    #[test]
    fn a_missing_dependency_is_named() {
        let failure = saved("offline.txt");
        assert_eq!(failure.unresolved, ["junit:junit:4.12-none"], "{failure:?}");
    }

    #[test]
    fn a_level_the_jdk_no_longer_has_is_no_fault_of_the_sources() {
        let failure = saved("level.txt");
        assert!(failure.level.is_some() && failure.diagnostics.is_empty(), "{failure:?}");
    }
}
