//! Gradle projects.
//!
//! Gradle builds in the private copy and describes itself through an init script of ours. A wrapper is used if its
//! distribution is already on the machine, else an installed Gradle. Where neither can do it, the user gets the lines to
//! put into `bonafix.toml`.

mod description;
mod guess;
mod output;

use std::env;

use bonafix_lang::LangError;
use bonafix_model::Notice;
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use self::description::Project;
use self::output::Failure;
use super::call::{Run, run_tool};
use super::{Layout, LayoutRequest, properties};
use crate::toolchain::find_tool;

const INIT_SCRIPT: &str = include_str!("gradle/describe.gradle");

/// Are there files of a Gradle build?
pub(crate) fn detect(root: &Utf8Path) -> bool {
    ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]
        .iter()
        .any(|file| root.join(file).is_file())
}

/// Builds the project and describes it.
pub(crate) fn layout(request: &LayoutRequest) -> Result<Layout, LangError> {
    let root = request.root.canonicalize_utf8()?;
    let Some(gradle) = Gradle::find(&root) else {
        return Err(by_hand(&root, "no Gradle was found, and its wrapper has nothing downloaded"));
    };
    let folder = tempfile::tempdir()?;
    let folder = Utf8Path::from_path(folder.path()).ok_or_else(|| {
        LangError::Internal("the folder for temporary files has a name that is no text".to_owned())
    })?;
    fs_err::write(folder.join("describe.gradle"), INIT_SCRIPT)?;
    let failure = gradle.build(request, &root, folder)?;
    let Ok(text) = fs_err::read_to_string(folder.join("projects.json")) else {
        return Err(no_description(&root, &failure.unwrap_or_default()));
    };
    let projects = description::parse(&text)
        .map_err(|error| LangError::Internal(format!("Gradle's description of the project: {error}")))?;
    assemble(request, &root, &projects, failure)
}

fn assemble(
    request: &LayoutRequest,
    root: &Utf8Path,
    projects: &[Project],
    failure: Option<Failure>,
) -> Result<Layout, LangError> {
    let mut layout = Layout::new("gradle");
    let compiled = failure.is_none();
    if let Some(failure) = failure {
        layout.notices.push(fallback(failure)?);
    }
    layout.modules = projects.iter().map(|project| project.module(projects, root, compiled)).collect();
    if compiled {
        for project in projects {
            let made = project.build_folder.join("bonafix");
            gather(&project.classes, &made.join("main"))?;
            gather(&project.test_classes, &made.join("test"))?;
        }
    }
    keep_named(request, &mut layout);
    Ok(layout)
}

/// Only the modules that the user names; others stay where these need them.
fn keep_named(request: &LayoutRequest, layout: &mut Layout) {
    let named = &request.config.modules;
    if named.is_empty() {
        return;
    }
    for module in &mut layout.modules {
        if !named.contains(&module.folder) {
            module.tests.clear();
        }
    }
}

/// A build that failed: the sources' fault, or one that we can do without.
fn fallback(failure: Failure) -> Result<Notice, LangError> {
    if failure.level.is_none() && !failure.diagnostics.is_empty() {
        let in_tests = failure.diagnostics.iter().all(|place| place.file.contains("/test/"));
        return Err(LangError::DoesNotCompile {
            summary: format!("the project does not compile under Gradle: {}", failure.diagnostics[0]),
            diagnostics: failure.diagnostics,
            in_tests,
        });
    }
    if failure.level.is_none() && !failure.unresolved.is_empty() {
        return Err(unresolved(&failure));
    }
    let reason = failure.level.or_else(|| failure.lines.last().cloned()).unwrap_or_default();
    let text = format!(
        "Gradle's own compilation fails on this machine ({reason}); the sources are compiled by bonafix, with Gradle's \
         folders and class path"
    );
    Ok(Notice::new("gradle-fallback", text))
}

fn unresolved(failure: &Failure) -> LangError {
    LangError::BuildTool {
        summary: format!("Gradle could not get what this project needs: {}", failure.unresolved.join(", ")),
        details: failure.lines.clone(),
    }
}

fn no_description(root: &Utf8Path, failure: &Failure) -> LangError {
    if failure.unresolved.is_empty() {
        let reason =
            if failure.lines.is_empty() { "see the build log".to_owned() } else { failure.lines.join(" ") };
        by_hand(root, &format!("Gradle could not read this project: {reason}"))
    } else {
        unresolved(failure)
    }
}

/// The way out that always works, ready to paste.
fn by_hand(root: &Utf8Path, reason: &str) -> LangError {
    LangError::Configuration {
        message: format!(
            "{reason}; put this into bonafix.toml, corrected where needed:\n\n{}",
            guess::keys(root)
        ),
    }
}

/// Puts what Gradle spreads over several folders into one.
fn gather(folders: &[Utf8PathBuf], into: &Utf8Path) -> Result<(), LangError> {
    fs_err::create_dir_all(into)?;
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        for entry in WalkDir::new(folder).into_iter().flatten() {
            let Ok(relative) = entry.path().strip_prefix(folder) else { continue };
            let target = into.as_std_path().join(relative);
            if entry.file_type().is_dir() {
                fs_err::create_dir_all(target)?;
            } else {
                fs_err::copy(entry.path(), target)?;
            }
        }
    }
    Ok(())
}

/// A Gradle that can be started without a download.
struct Gradle {
    program: Utf8PathBuf,
    first: Vec<String>,
}

impl Gradle {
    fn find(root: &Utf8Path) -> Option<Self> {
        if wrapper_is_ready(root) {
            let script = root.join("gradlew").to_string();
            return Some(Self { program: find_tool("sh")?, first: vec![script] });
        }
        find_tool("gradle").map(|program| Self { program, first: Vec::new() })
    }

    /// Compiles everything and describes it, offline, and once more online if artifacts are missing.
    fn build(
        &self,
        request: &LayoutRequest,
        root: &Utf8Path,
        folder: &Utf8Path,
    ) -> Result<Option<Failure>, LangError> {
        let offline = self.start(request, root, folder, true)?;
        if offline.success {
            return Ok(None);
        }
        let failure = output::parse(&offline.output, root);
        let may_ask = !request.config.build_arguments.iter().any(|argument| argument == "--offline");
        if failure.unresolved.is_empty() || !may_ask {
            return Ok(Some(failure));
        }
        let online = self.start(request, root, folder, false)?;
        Ok((!online.success).then(|| output::parse(&online.output, root)))
    }

    fn start(
        &self,
        request: &LayoutRequest,
        root: &Utf8Path,
        folder: &Utf8Path,
        offline: bool,
    ) -> Result<Run, LangError> {
        let mut arguments = self.first.clone();
        arguments.extend(["--no-daemon", "--console=plain", "--continue"].map(str::to_owned));
        arguments.extend(offline.then(|| "--offline".to_owned()));
        arguments.push("-Dorg.gradle.configuration-cache=false".to_owned());
        arguments.push(format!("-Dbonafix.output={}", folder.join("projects.json")));
        arguments.extend(["--init-script".to_owned(), folder.join("describe.gradle").to_string()]);
        arguments.extend(request.config.build_arguments.iter().cloned());
        arguments.extend(["testClasses", "bonafixDescribe"].map(str::to_owned));
        run_tool(request, &self.program, &arguments, root)
    }
}

/// Is the distribution that the wrapper wants already unpacked?
fn wrapper_is_ready(root: &Utf8Path) -> bool {
    let wanted = fs_err::read_to_string(root.join("gradle/wrapper/gradle-wrapper.properties")).ok();
    let Some(distribution) = wanted.as_deref().and_then(distribution) else { return false };
    let home = env::var("GRADLE_USER_HOME")
        .map(Utf8PathBuf::from)
        .or_else(|_| env::var("HOME").map(|home| Utf8PathBuf::from(home).join(".gradle")));
    let Ok(home) = home else { return false };
    let folder = home.join("wrapper/dists").join(distribution);
    root.join("gradlew").is_file()
        && WalkDir::new(folder).max_depth(3).into_iter().flatten().any(|entry| entry.file_name() == "bin")
}

/// `gradle-8.5-bin` for `distributionUrl=…/gradle-8.5-bin.zip`.
fn distribution(text: &str) -> Option<String> {
    let found = properties::parse(text);
    let name = found.get("distributionUrl")?.rsplit('/').next()?.strip_suffix(".zip")?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_of_a_wrapper_is_read_from_its_address() {
        let text =
            "distributionBase=GRADLE_USER_HOME\ndistributionUrl=https\\://example.org/x/gradle-8.5-bin.zip\n";
        assert_eq!(distribution(text).as_deref(), Some("gradle-8.5-bin"));
        assert_eq!(distribution("a=b"), None);
    }

    #[test]
    fn without_a_gradle_the_user_gets_lines_to_paste() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("src/main/java/p")).unwrap();
        fs_err::write(root.join("src/main/java/p/A.java"), "package p; class A {}").unwrap();
        fs_err::write(root.join("build.gradle"), "dependencies { testCompile 'junit:junit:4.12' }").unwrap();
        let message = by_hand(root, "no Gradle").to_string();
        assert!(message.contains("sources = [\"src/main/java\"]"), "{message}");
        assert!(message.contains("dependencies = [\"junit:junit:4.12\"]"), "{message}");
    }

    #[test]
    fn classes_and_resources_are_gathered_in_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("classes/p")).unwrap();
        fs_err::create_dir_all(root.join("resources/p")).unwrap();
        fs_err::write(root.join("classes/p/A.class"), "").unwrap();
        fs_err::write(root.join("resources/p/a.txt"), "").unwrap();
        let absent = root.join("absent");
        gather(&[root.join("classes"), root.join("resources"), absent], &root.join("all")).unwrap();
        assert!(root.join("all/p/A.class").is_file() && root.join("all/p/a.txt").is_file());
    }
}
