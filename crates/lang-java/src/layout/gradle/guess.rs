//! What can be read from a Gradle build without Gradle, as lines to paste into `bonafix.toml`.

use camino::Utf8Path;

use crate::layout::sources;
use crate::toolchain::parse_level;

/// A `[java]` table with what the folders and the build file give away.
pub(super) fn keys(root: &Utf8Path) -> String {
    let text: String = ["build.gradle", "build.gradle.kts"]
        .iter()
        .filter_map(|file| fs_err::read_to_string(root.join(file)).ok())
        .collect();
    let found = sources::folders(root, &sources::scan(root));
    let list =
        |items: Vec<String>| items.iter().map(|item| format!("\"{item}\"")).collect::<Vec<_>>().join(", ");
    let paths = |paths: &[camino::Utf8PathBuf]| list(paths.iter().map(ToString::to_string).collect());
    let mut lines = vec![
        "[java]".to_owned(),
        "build = \"plain\"".to_owned(),
        format!("sources = [{}]", paths(&found.sources)),
        format!("tests = [{}]", paths(&found.tests)),
        format!("dependencies = [{}]  # or classpath = [\"lib/*.jar\"]", list(coordinates(&text))),
    ];
    lines.extend(level(&text).map(|level| format!("release = {level}")));
    lines.join("\n")
}

/// Quoted `group:artifact:version` without anything to fill in.
fn coordinates(text: &str) -> Vec<String> {
    let is_coordinate = |word: &&str| {
        word.split(':').count() == 3
            && word.split(':').all(|part| {
                !part.is_empty()
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'))
            })
    };
    let mut found: Vec<String> = text.split(['"', '\'']).filter(is_coordinate).map(str::to_owned).collect();
    found.dedup();
    found
}

/// The level after `sourceCompatibility`, `JavaVersion.VERSION_`, `JavaLanguageVersion.of(` or `options.release`.
fn level(text: &str) -> Option<u32> {
    const MARKS: [&str; 4] =
        ["options.release", "JavaLanguageVersion.of(", "JavaVersion.VERSION_", "sourceCompatibility"];
    MARKS.iter().find_map(|mark| {
        let rest = text.split(mark).nth(1)?;
        let start = rest.find(|c: char| c.is_ascii_digit()).filter(|start| *start < 12)?;
        let number: String =
            rest[start..].chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '_')).collect();
        parse_level(&number.replace('_', "."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_taken_from_quotes_where_they_are_whole() {
        let text = "testImplementation 'junit:junit:4.13.2'\nimplementation(\"a.b:c:1.0-rc_1\")\napi \"x:y:$version\"\n\
                    id 'java'\n url 'http://example.org:80:x'";
        assert_eq!(coordinates(text), ["junit:junit:4.13.2", "a.b:c:1.0-rc_1"]);
    }

    #[test]
    fn levels_are_found_in_all_spellings() {
        assert_eq!(level("sourceCompatibility = '1.8'"), Some(8));
        assert_eq!(level("sourceCompatibility = JavaVersion.VERSION_11"), Some(11));
        assert_eq!(level("sourceCompatibility = JavaVersion.VERSION_1_7"), Some(7));
        assert_eq!(level("languageVersion = JavaLanguageVersion.of(17)"), Some(17));
        assert_eq!(level("options.release.set(21)"), Some(21));
        assert_eq!(level("apply plugin: 'java'"), None);
    }
}
