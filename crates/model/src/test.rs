//! Tests of the developers and what became of them.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of one test, as a person would write it: `pkg.Class#method`, with an index for a parameterised test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TestId(pub String);

impl TestId {
    /// The class (or file) part, before `#`.
    pub fn group(&self) -> &str {
        self.0.split('#').next().unwrap_or(&self.0)
    }

    /// Does `pattern` name this test? A pattern is a whole id, a class, a method without its index, or has `*`.
    pub fn matches(&self, pattern: &str) -> bool {
        let pattern = pattern.replace("::", "#");
        if pattern.contains('*') {
            return wildcard(pattern.as_bytes(), self.0.as_bytes());
        }
        self.0 == pattern
            || self.group() == pattern
            || (pattern.contains('#')
                && self.0.strip_prefix(&pattern).is_some_and(|rest| rest.starts_with(['[', '('])))
    }
}

/// Matches with `*` standing for any run of bytes.
fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|skip| wildcard(rest, &text[skip..])),
        Some((first, rest)) => {
            text.split_first().is_some_and(|(byte, tail)| byte == first && wildcard(rest, tail))
        }
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How one execution of one test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestOutcome {
    /// It passed.
    Passed,
    /// An assertion failed.
    Failed,
    /// An exception that is no assertion ended it.
    Error,
    /// It did not end within its limit.
    TimedOut,
    /// It took its process down (`exit`, crash, kill).
    Crashed,
    /// It was disabled, or an assumption did not hold.
    Skipped,
}

impl TestOutcome {
    /// Does this outcome show a bug? A skipped test shows nothing.
    pub fn is_red(self) -> bool {
        matches!(self, Self::Failed | Self::Error | Self::TimedOut | Self::Crashed)
    }
}

impl fmt::Display for TestOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::TimedOut => "timed out",
            Self::Crashed => "crashed the process",
            Self::Skipped => "skipped",
        })
    }
}

/// Why a test was red, or skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Exception class or signal, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its message, capped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Where it happened, innermost first, capped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<String>,
}

/// One execution of one test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestResult {
    /// Which test.
    pub id: TestId,
    /// How it ended.
    pub outcome: TestOutcome,
    /// Wall time.
    pub millis: u64,
    /// Why it was not green.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The tail of what it printed, capped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// All results of one run over a version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestRun {
    /// In the order in which they ran.
    pub results: Vec<TestResult>,
    /// What went wrong beside the tests: a class that does not load, a missing launcher.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

impl TestRun {
    /// The result of one test.
    pub fn get(&self, id: &TestId) -> Option<&TestResult> {
        self.results.iter().find(|result| &result.id == id)
    }

    /// Names of the tests that were red.
    pub fn red(&self) -> BTreeSet<&TestId> {
        self.results.iter().filter(|result| result.outcome.is_red()).map(|result| &result.id).collect()
    }
}

/// Which tests to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestSelection {
    /// Those of the project that a pattern of `only` names (all, when it is empty) and none of `ignore` does. For
    /// patterns see [`TestId::matches`].
    Matching {
        /// Patterns of wanted tests.
        only: Vec<String>,
        /// Patterns of unwanted tests.
        ignore: Vec<String>,
    },
    /// These, in this order; a class name stands for all its tests.
    Only(Vec<TestId>),
}

impl TestSelection {
    /// All that the project has.
    pub fn all() -> Self {
        Self::Matching { only: Vec::new(), ignore: Vec::new() }
    }

    /// Is this test wanted?
    pub fn wants(&self, id: &TestId) -> bool {
        match self {
            Self::Matching { only, ignore } => {
                (only.is_empty() || only.iter().any(|pattern| id.matches(pattern)))
                    && !ignore.iter().any(|pattern| id.matches(pattern))
            }
            Self::Only(ids) => ids.iter().any(|wanted| id.matches(&wanted.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> TestId {
        TestId(text.to_owned())
    }

    #[test]
    fn a_pattern_names_a_test_its_class_its_method_or_a_wildcard() {
        let test = id("a.b.CTest#sum(int)[2]");
        for pattern in
            ["a.b.CTest#sum(int)[2]", "a.b.CTest", "a.b.CTest#sum", "a.b.CTest::sum", "*CTest#s*", "a.b.*"]
        {
            assert!(test.matches(pattern), "{pattern}");
        }
        for pattern in ["a.b.CTes", "a.b.CTest#su", "b.CTest", "a.b.CTest#sum(int)[1]", "*DTest*"] {
            assert!(!test.matches(pattern), "{pattern}");
        }
    }

    #[test]
    fn a_selection_honours_wanted_and_unwanted_patterns() {
        let selection =
            TestSelection::Matching { only: vec!["a.*".to_owned()], ignore: vec!["a.SlowTest".to_owned()] };
        assert!(selection.wants(&id("a.FastTest#x")));
        assert!(!selection.wants(&id("a.SlowTest#x")));
        assert!(!selection.wants(&id("b.FastTest#x")));
    }
}
