//! Reads `bonafix.toml` and `case.toml`, and says what is wrong with file, line and the nearest valid key.

use camino::{Utf8Path, Utf8PathBuf};
use serde::de::DeserializeOwned;

/// Name of a project's configuration file.
pub const PROJECT_FILE: &str = "bonafix.toml";
/// Name of a case's description.
pub const CASE_FILE: &str = "case.toml";

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(#[from] std::io::Error),
    /// It is not UTF-8.
    #[error("{file}: not UTF-8 (byte {offset}); TOML files must be")]
    NotUtf8 {
        /// Which file.
        file: Utf8PathBuf,
        /// Where.
        offset: usize,
    },
    /// It is not TOML, or not of the right form.
    #[error("{file}:{line}: {message}{}", hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default())]
    Wrong {
        /// Which file.
        file: Utf8PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
        /// The way out.
        hint: Option<String>,
    },
}

/// Reads and checks one file.
pub fn read<T: DeserializeOwned>(file: &Utf8Path) -> Result<T, ConfigError> {
    let bytes = fs_err::read(file)?;
    let text = String::from_utf8(bytes).map_err(|error| ConfigError::NotUtf8 {
        file: file.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })?;
    parse(file, &text)
}

/// Checks the text of a file that was read before.
pub fn parse<T: DeserializeOwned>(file: &Utf8Path, text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        let (message, hint) = explain(error.message());
        ConfigError::Wrong { file: file.to_owned(), line, message, hint }
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

/// Turns serde's "unknown field `x`, expected one of …" into a sentence and the nearest valid key.
fn explain(message: &str) -> (String, Option<String>) {
    let message = message.trim().replace('\n', ", ");
    let mut quoted = message.split('`').skip(1).step_by(2);
    let kind = if message.starts_with("unknown field") {
        "key"
    } else if message.starts_with("unknown variant") {
        "value"
    } else {
        return (message, None);
    };
    let Some(unknown) = quoted.next() else { return (message, None) };
    let valid: Vec<&str> = quoted.collect();
    (format!("unknown {kind} `{unknown}`"), nearest(unknown, &valid, kind))
}

/// The valid word nearest to what was written; all of them when none is near.
fn nearest(unknown: &str, valid: &[&str], kind: &str) -> Option<String> {
    let scored = valid.iter().map(|word| (strsim::jaro_winkler(unknown, word), *word));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
    if best.0 >= 0.75 {
        return Some(format!("did you mean `{}`?", best.1));
    }
    Some(format!("valid {kind}s here are {}", valid.join(", ")))
}

#[cfg(test)]
mod tests {
    use bonafix_model::{CaseConfig, ProjectConfig};

    use super::*;

    fn error_of<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        parse::<T>(Utf8Path::new("bonafix.toml"), text).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_nearest_valid_one() {
        let text = "language = \"java\"\n\n[java]\nreleas = 8\n";
        assert_eq!(
            error_of::<ProjectConfig>(text),
            "bonafix.toml:4: unknown key `releas`; did you mean `release`?"
        );
    }

    #[test]
    fn a_key_far_from_all_others_gets_the_whole_list() {
        let message = error_of::<ProjectConfig>("[tests]\nxyzzy = 1\n");
        assert!(
            message.starts_with("bonafix.toml:2: unknown key `xyzzy`; valid keys here are only, ignore"),
            "{message}"
        );
    }

    #[test]
    fn an_unknown_value_gets_the_nearest_valid_one() {
        let text = "[java]\nbuild = \"mavn\"\n";
        assert_eq!(
            error_of::<ProjectConfig>(text),
            "bonafix.toml:2: unknown value `mavn`; did you mean `maven`?"
        );
    }

    #[test]
    fn a_wrong_type_is_named_with_its_line() {
        let message = error_of::<ProjectConfig>("[java]\nrelease = \"eight\"\n");
        assert!(message.starts_with("bonafix.toml:2: invalid type: string \"eight\""), "{message}");
    }

    #[test]
    fn broken_toml_is_named_with_its_line() {
        let message = error_of::<ProjectConfig>("language = \"java\"\n[java\n");
        assert!(message.starts_with("bonafix.toml:2: "), "{message}");
    }

    #[test]
    fn a_case_without_a_title_is_an_error_that_says_so() {
        let message = error_of::<CaseConfig>("language = \"java\"\n");
        assert!(message.contains("missing field `title`"), "{message}");
    }

    #[test]
    fn labels_of_a_patch_are_checked_too() {
        let message = error_of::<CaseConfig>("title = \"t\"\n[[patch]]\nfile = \"a\"\nlabel = \"corect\"\n");
        assert_eq!(message, "bonafix.toml:4: unknown value `corect`; did you mean `correct`?");
    }
}
