//! What JUnit 5 and later need at run time and a project's class path often lacks: the launcher and the engine.
//!
//! Build tools bring them along by themselves, in the version of the API that the project has; so do we.

use bonafix_lang::LangError;
use camino::Utf8PathBuf;

use super::LayoutRequest;
use super::dependencies::{self, Wanted};

/// The jars to add to `classpath` so that its JUnit Platform tests can be launched; none where it has no such tests
/// or lacks nothing.
pub fn launcher_jars(
    request: &LayoutRequest,
    classpath: &[Utf8PathBuf],
) -> Result<Vec<Utf8PathBuf>, LangError> {
    let missing = missing(classpath);
    let jars = dependencies::resolve(request, &missing, Wanted::Launching)?;
    let name = |jar: &Utf8PathBuf| jar.file_name().unwrap_or_default().to_owned();
    let present: Vec<String> = classpath.iter().map(name).collect();
    Ok(jars.into_iter().filter(|jar| !present.contains(&name(jar))).collect())
}

/// Coordinates of what is missing.
fn missing(classpath: &[Utf8PathBuf]) -> Vec<String> {
    let version = |artifact: &str| classpath.iter().find_map(|jar| version_of(jar.file_name()?, artifact));
    let jupiter = version("junit-jupiter-api");
    let platform = version("junit-platform-engine")
        .or_else(|| version("junit-platform-commons"))
        .or_else(|| platform_of(jupiter.as_deref()?));
    let bundled = classpath
        .iter()
        .any(|jar| jar.file_name().is_some_and(|name| name.starts_with("junit-platform-console-standalone")));
    let mut coordinates = Vec::new();
    if bundled {
        return coordinates;
    }
    if let (Some(version), None) = (&jupiter, version("junit-jupiter-engine")) {
        coordinates.push(format!("org.junit.jupiter:junit-jupiter-engine:{version}"));
    }
    if let (Some(version), None) = (&platform, version("junit-platform-launcher")) {
        coordinates.push(format!("org.junit.platform:junit-platform-launcher:{version}"));
    }
    coordinates
}

/// The version in a jar's name, if it is a jar of this artifact.
fn version_of(file: &str, artifact: &str) -> Option<String> {
    let version = file.strip_prefix(artifact)?.strip_prefix('-')?.strip_suffix(".jar")?;
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
}

/// The platform that belongs to a Jupiter: 1.x.y to 5.x.y, and the same from 6 on.
fn platform_of(jupiter: &str) -> Option<String> {
    match jupiter.split_once('.')? {
        ("5", rest) => Some(format!("1.{rest}")),
        _ => Some(jupiter.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(jars: &[&str], expected: &[&str]) {
        let classpath: Vec<Utf8PathBuf> = jars.iter().map(|jar| format!("/repo/{jar}.jar").into()).collect();
        assert_eq!(missing(&classpath), expected);
    }

    #[test]
    fn the_launcher_has_the_version_of_the_platform() {
        check(
            &["junit-jupiter-api-5.10.2", "junit-jupiter-engine-5.10.2", "junit-platform-engine-1.10.2"],
            &["org.junit.platform:junit-platform-launcher:1.10.2"],
        );
    }

    #[test]
    fn the_engine_has_the_version_of_the_api() {
        check(
            &["junit-jupiter-api-5.9.1", "junit-platform-commons-1.9.1"],
            &[
                "org.junit.jupiter:junit-jupiter-engine:5.9.1",
                "org.junit.platform:junit-platform-launcher:1.9.1",
            ],
        );
    }

    #[test]
    fn from_junit_6_on_all_versions_are_the_same() {
        check(
            &["junit-jupiter-api-6.0.1", "junit-jupiter-engine-6.0.1"],
            &["org.junit.platform:junit-platform-launcher:6.0.1"],
        );
    }

    #[test]
    fn junit_4_and_complete_class_paths_need_nothing() {
        check(&["junit-4.13.2", "hamcrest-core-1.3"], &[]);
        check(&["junit-platform-console-standalone-1.10.2"], &[]);
        let complete = [
            "junit-jupiter-api-5.8.0",
            "junit-jupiter-engine-5.8.0",
            "junit-platform-launcher-1.8.0",
            "junit-platform-engine-1.8.0",
        ];
        check(&complete, &[]);
    }

    #[test]
    fn vintage_alone_gets_a_launcher_and_no_engine() {
        check(
            &["junit-4.13.2", "junit-vintage-engine-5.8.2", "junit-platform-engine-1.8.2"],
            &["org.junit.platform:junit-platform-launcher:1.8.2"],
        );
    }
}
