//! The JDK and the build tools on this machine: where they are, which version, which language levels.
//!
//! Nothing is started to find out: a JDK describes itself in its `release` file.

use std::env;

use bonafix_lang::LangError;
use bonafix_model::Notice;
use camino::{Utf8Path, Utf8PathBuf};

/// A JDK: a Java installation that has a compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder (`JAVA_HOME`).
    pub home: Utf8PathBuf,
    /// Feature version: 8, 11, 17 …
    pub version: u32,
    /// As it calls itself: `1.8.0_392`, `17.0.15`.
    pub full_version: String,
}

impl Jdk {
    /// The JDK to use: the configured one and no other, or the first of `JAVA_HOME`, the `javac` on `PATH`, and the
    /// newest below the folders where distributions put JDKs.
    pub fn find(configured: Option<&Utf8Path>) -> Result<Self, LangError> {
        Surroundings::of_this_process().find_jdk(configured)
    }

    /// Reads the JDK in `home`; the error says what is wrong with it.
    pub fn read(home: &Utf8Path) -> Result<Self, String> {
        if !home.is_dir() {
            return Err(format!("{home} is not a folder"));
        }
        if !home.join("bin/javac").is_file() {
            let what = if home.join("bin/java").is_file() {
                "is a runtime without a compiler (a JRE)"
            } else {
                "holds no bin/javac"
            };
            return Err(format!("{home} {what}"));
        }
        let described =
            fs_err::read_to_string(home.join("release")).ok().and_then(|text| release_version(&text));
        let full_version = described
            .or_else(|| version_in_name(home.file_name().unwrap_or_default()))
            .ok_or_else(|| format!("{home} does not say its version: it has no readable `release` file"))?;
        let version = feature_version(&full_version)
            .ok_or_else(|| format!("{home} has a version that makes no sense: {full_version}"))?;
        Ok(Self { home: home.to_owned(), version, full_version })
    }

    /// The compiler.
    pub fn javac(&self) -> Utf8PathBuf {
        self.home.join("bin/javac")
    }

    /// The virtual machine.
    pub fn java(&self) -> Utf8PathBuf {
        self.home.join("bin/java")
    }

    /// The oldest and the newest language level that it compiles.
    pub fn levels(&self) -> std::ops::RangeInclusive<u32> {
        let oldest = match self.version {
            0..=8 => 3,
            9..=11 => 6,
            12..=19 => 7,
            _ => 8,
        };
        oldest..=self.version.max(oldest)
    }
}

/// The level to compile at: the one asked for, or the nearest that the JDK has, with a notice where they differ.
/// Sources that ask for nothing get the JDK's own level.
pub fn effective_release(asked: Option<u32>, jdk: &Jdk) -> (u32, Option<Notice>) {
    let levels = jdk.levels();
    let asked = asked.unwrap_or(jdk.version);
    let level = asked.clamp(*levels.start(), *levels.end());
    if level == asked {
        return (level, None);
    }
    let end = if level > asked { "oldest" } else { "newest" };
    let text = format!(
        "sources ask for Java {asked}; compiled as Java {level}, the {end} that JDK {} has",
        jdk.version
    );
    (level, Some(Notice::new("release-level", text)))
}

/// A language level as build files write it: 5 for `1.5`, 8 for `1.8` or `8`, 17 for `17`.
pub fn parse_level(text: &str) -> Option<u32> {
    let text = text.trim();
    let text = text.strip_prefix("1.").unwrap_or(text);
    text.parse().ok().filter(|level| (1..100).contains(level))
}

/// An executable of this name in a folder of `PATH`; for Maven, Gradle and Ant also below `MAVEN_HOME`, `GRADLE_HOME`
/// and `ANT_HOME`.
pub fn find_tool(name: &str) -> Option<Utf8PathBuf> {
    let surroundings = Surroundings::of_this_process();
    surroundings.on_path(name).or_else(|| {
        let variable = match name {
            "mvn" => "MAVEN_HOME",
            "gradle" => "GRADLE_HOME",
            "ant" => "ANT_HOME",
            _ => return None,
        };
        let home = Utf8PathBuf::from(env::var(variable).ok()?);
        Some(home.join("bin").join(name)).filter(|path| is_executable(path))
    })
}

/// The version in what a build tool prints when asked for it (`mvn -v`, `gradle -v`, `ant -version`).
pub fn tool_version(printed: &str) -> Option<String> {
    printed.lines().find_map(|line| {
        let line = strip_colour(line);
        let line = line.trim();
        let rest = ["Apache Maven ", "Gradle ", "Apache Ant(TM) version ", "Apache Ant version "]
            .iter()
            .find_map(|start| line.strip_prefix(start))?;
        let version = rest.split_whitespace().next()?;
        version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
    })
}

/// The text without terminal escapes.
pub(crate) fn strip_colour(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
        } else if characters.next_if_eq(&'[').is_some() {
            while characters.next().is_some_and(|c| !c.is_ascii_alphabetic()) {}
        }
    }
    plain
}

/// Where a JDK may be looked for; a value, so that tests need no environment.
struct Surroundings {
    java_home: Option<Utf8PathBuf>,
    path: Vec<Utf8PathBuf>,
    jvm_folders: Vec<Utf8PathBuf>,
}

impl Surroundings {
    fn of_this_process() -> Self {
        let path = env::var_os("PATH").unwrap_or_default();
        Self {
            java_home: env::var("JAVA_HOME").ok().filter(|home| !home.is_empty()).map(Utf8PathBuf::from),
            path: env::split_paths(&path)
                .filter_map(|folder| Utf8PathBuf::from_path_buf(folder).ok())
                .collect(),
            jvm_folders: vec!["/usr/lib/jvm".into(), "/usr/java".into(), "/opt/java".into()],
        }
    }

    fn on_path(&self, name: &str) -> Option<Utf8PathBuf> {
        self.path.iter().map(|folder| folder.join(name)).find(|path| is_executable(path))
    }

    fn find_jdk(&self, configured: Option<&Utf8Path>) -> Result<Jdk, LangError> {
        if let Some(home) = configured {
            return Jdk::read(home).map_err(|problem| LangError::Configuration {
                message: format!("`java.jdk` must name the folder of a JDK: {problem}"),
            });
        }
        let mut problems = Vec::new();
        for home in self.java_home.iter().cloned().chain(self.home_of_javac()) {
            match Jdk::read(&home) {
                Ok(jdk) => return Ok(jdk),
                Err(problem) => problems.push(problem),
            }
        }
        let mut installed: Vec<Jdk> = Vec::new();
        for home in self.jvm_folders.iter().flat_map(|folder| subfolders(folder)) {
            match Jdk::read(&home) {
                Ok(jdk) => installed.push(jdk),
                Err(problem) => problems.push(problem),
            }
        }
        installed.sort_by(|a, b| (b.version, &a.home).cmp(&(a.version, &b.home)));
        installed.into_iter().next().ok_or_else(|| missing_jdk(&problems))
    }

    /// The home of the `javac` on `PATH`, which is usually a chain of links.
    fn home_of_javac(&self) -> Option<Utf8PathBuf> {
        let javac = self.on_path("javac")?.canonicalize_utf8().ok()?;
        Some(javac.parent()?.parent()?.to_owned())
    }
}

fn missing_jdk(problems: &[String]) -> LangError {
    let seen = if problems.is_empty() { String::new() } else { format!(" (seen: {})", problems.join("; ")) };
    LangError::ToolMissing {
        tool: "a JDK".to_owned(),
        purpose: "to compile and run Java".to_owned(),
        way_out: format!(
            "install one (Debian: `apt install default-jdk-headless`), or set `java.jdk` or JAVA_HOME{seen}"
        ),
    }
}

fn subfolders(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(entries) = folder.read_dir_utf8() else { return Vec::new() };
    let mut folders: Vec<_> =
        entries.flatten().map(|entry| entry.path().to_owned()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

#[cfg(unix)]
fn is_executable(path: &Utf8Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Utf8Path) -> bool {
    path.is_file()
}

/// `JAVA_VERSION` in the text of a `release` file.
fn release_version(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let value = line.strip_prefix("JAVA_VERSION=")?.trim().trim_matches('"');
        (!value.is_empty()).then(|| value.to_owned())
    })
}

/// The version in a folder's name: `java-8-openjdk-amd64`, `jdk1.8.0_292`, `jdk-11.0.2`.
fn version_in_name(name: &str) -> Option<String> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let rest = &name[start..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

/// 8 for `1.8.0_392`, 17 for `17.0.15`, 25 for `25-ea`.
fn feature_version(full: &str) -> Option<u32> {
    let mut numbers = full.split(|c: char| !c.is_ascii_digit());
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        version => Some(version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jdk(version: u32) -> Jdk {
        Jdk { home: "/jdk".into(), version, full_version: version.to_string() }
    }

    fn fake_jdk(folder: &Utf8Path, version: &str, programs: &[&str]) {
        fs_err::create_dir_all(folder.join("bin")).unwrap();
        fs_err::write(folder.join("release"), format!("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"{version}\"\n"))
            .unwrap();
        for program in programs {
            let path = folder.join("bin").join(program);
            fs_err::write(&path, "").unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
    }

    fn temporary() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        (folder, path)
    }

    #[test]
    fn a_level_that_the_jdk_has_is_kept_without_a_word() {
        assert_eq!(effective_release(Some(8), &jdk(17)), (8, None));
        assert_eq!(effective_release(None, &jdk(17)), (17, None));
    }

    #[test]
    fn a_level_that_is_too_old_is_raised_and_the_user_told() {
        let (level, notice) = effective_release(Some(5), &jdk(17));
        let notice = notice.unwrap();
        assert_eq!(level, 7);
        assert_eq!(notice.key, "release-level");
        assert_eq!(notice.text, "sources ask for Java 5; compiled as Java 7, the oldest that JDK 17 has");
        assert_eq!(effective_release(Some(5), &jdk(25)).0, 8);
        assert_eq!(effective_release(Some(5), &jdk(11)).0, 6);
        assert_eq!(effective_release(Some(5), &jdk(8)), (5, None));
    }

    #[test]
    fn a_level_that_is_too_new_is_lowered_and_the_user_told() {
        let (level, notice) = effective_release(Some(21), &jdk(17));
        assert_eq!(level, 17);
        assert!(notice.unwrap().text.contains("the newest that JDK 17 has"));
    }

    #[test]
    fn levels_are_read_in_both_spellings() {
        assert_eq!(parse_level("1.5"), Some(5));
        assert_eq!(parse_level(" 8 "), Some(8));
        assert_eq!(parse_level("17"), Some(17));
        assert_eq!(parse_level("${java.version}"), None);
        assert_eq!(parse_level("jsr14"), None);
    }

    #[test]
    fn versions_of_jdks_are_read_old_and_new() {
        assert_eq!(feature_version("1.8.0_392"), Some(8));
        assert_eq!(feature_version("17.0.15"), Some(17));
        assert_eq!(feature_version("25-ea"), Some(25));
        assert_eq!(version_in_name("java-8-openjdk-amd64").as_deref(), Some("8"));
        assert_eq!(version_in_name("jdk1.8.0_292").as_deref(), Some("1.8.0_292"));
    }

    #[test]
    fn versions_of_build_tools_are_read_from_what_they_print() {
        assert_eq!(
            tool_version("\u{1b}[1mApache Maven 3.8.7\u{1b}[m\nMaven home: x").as_deref(),
            Some("3.8.7")
        );
        assert_eq!(tool_version("\n----\nGradle 4.4.1\n----\n").as_deref(), Some("4.4.1"));
        let ant = "Apache Ant(TM) version 1.10.13 compiled on January 9 2023";
        assert_eq!(tool_version(ant).as_deref(), Some("1.10.13"));
        assert_eq!(tool_version("nothing of the kind"), None);
    }

    #[test]
    fn the_configured_jdk_is_used_and_no_other() {
        let (_keep, folder) = temporary();
        fake_jdk(&folder.join("a"), "1.8.0_392", &["java", "javac"]);
        fake_jdk(&folder.join("jre"), "17.0.1", &["java"]);
        let surroundings = Surroundings {
            java_home: Some(folder.join("a")),
            path: vec![],
            jvm_folders: vec![folder.clone()],
        };
        let found = surroundings.find_jdk(Some(&folder.join("a"))).unwrap();
        assert_eq!((found.version, found.full_version.as_str()), (8, "1.8.0_392"));
        let error = surroundings.find_jdk(Some(&folder.join("jre"))).unwrap_err().to_string();
        assert!(error.contains("`java.jdk`") && error.contains("without a compiler"), "{error}");
    }

    #[test]
    fn a_javac_on_the_path_is_followed_to_its_home() {
        let (_keep, folder) = temporary();
        fake_jdk(&folder.join("jdk"), "21.0.2", &["java", "javac"]);
        fs_err::create_dir_all(folder.join("usr/bin")).unwrap();
        fs_err::os::unix::fs::symlink(folder.join("jdk/bin/javac"), folder.join("usr/bin/javac")).unwrap();
        let surroundings =
            Surroundings { java_home: None, path: vec![folder.join("usr/bin")], jvm_folders: vec![] };
        assert_eq!(surroundings.find_jdk(None).unwrap().home, folder.join("jdk"));
    }

    #[test]
    fn without_any_hint_the_newest_installed_jdk_is_taken() {
        let (_keep, folder) = temporary();
        fake_jdk(&folder.join("java-11"), "11.0.2", &["java", "javac"]);
        fake_jdk(&folder.join("java-17"), "17.0.1", &["java", "javac"]);
        fake_jdk(&folder.join("java-21-jre"), "21.0.1", &["java"]);
        let surroundings = Surroundings { java_home: None, path: vec![], jvm_folders: vec![folder] };
        assert_eq!(surroundings.find_jdk(None).unwrap().version, 17);
    }

    #[test]
    fn a_runtime_alone_is_named_as_the_reason() {
        let (_keep, folder) = temporary();
        fake_jdk(&folder, "17.0.1", &["java"]);
        let surroundings = Surroundings { java_home: Some(folder), path: vec![], jvm_folders: vec![] };
        let error = surroundings.find_jdk(None).unwrap_err().to_string();
        assert!(error.contains("a JRE") && error.contains("java.jdk"), "{error}");
    }
}
