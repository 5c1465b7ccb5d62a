//! Fetches what the tests need from the Maven registry, once and one after the other.
//!
//! Maven's local repository has no lock: several Mavens that fetch the same file at first use can leave half a file
//! behind. Tests run in parallel, so the first use happens here. A stamp in the target folder makes later runs free.

use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};

use crate::cases::{self, Case};
use crate::command_line::CommandLine;
use crate::workspace::Workspace;

/// What tests of the crates ask for beside what the cases name.
const COORDINATES: &[&str] = &[
    "junit:junit:4.13.2",
    "org.junit.jupiter:junit-jupiter:5.10.2",
    "org.junit.platform:junit-platform-launcher:1.10.2",
];

/// The goals that bonafix pins; a test holds them against its source.
const BUILD_CLASSPATH: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath";
const EFFECTIVE_POM: &str = "org.apache.maven.plugins:maven-help-plugin:3.4.0:effective-pom";

/// What bonafix asks a Maven project.
const GOALS: &[&str] = &["test-compile", BUILD_CLASSPATH, EFFECTIVE_POM];

/// Fetches unless the stamp says that this was done. What cannot be fetched is said and is no error: a test that
/// needs it will fail with its own words.
pub(crate) fn ensure(workspace: &Workspace) -> Result<()> {
    let cases = cases::all(&workspace.root)?;
    let coordinates = coordinates(&cases);
    let projects = maven_projects(&workspace.root, &cases);
    let scratch = workspace.scratch("prefetch")?;
    let stamp = scratch.join("stamp");
    let wanted = fingerprint(&coordinates, &projects)?;
    if fs_err::read_to_string(&stamp).is_ok_and(|found| found == wanted) && is_fetched(&coordinates) {
        return Ok(());
    }
    if fetch_all(&coordinates, &projects, &scratch)? {
        fs_err::write(stamp, wanted)?;
    }
    Ok(())
}

/// Stops at the first that cannot be had: without a network the others would only cost time.
fn fetch_all(coordinates: &[String], projects: &[Utf8PathBuf], scratch: &Utf8Path) -> Result<bool> {
    for coordinate in coordinates {
        if !fetch_coordinate(coordinate, scratch)? {
            return Ok(false);
        }
    }
    for project in projects {
        if !fetch_project(project, scratch)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn coordinates(cases: &[Case]) -> Vec<String> {
    let named = cases.iter().flat_map(|case| case.dependencies.iter().cloned());
    let mut all: Vec<String> = COORDINATES.iter().map(|&one| one.to_owned()).chain(named).collect();
    all.sort();
    all.dedup();
    all
}

fn maven_projects(root: &Utf8Path, cases: &[Case]) -> Vec<Utf8PathBuf> {
    let projects = cases.iter().map(|case| root.join(&case.folder).join(&case.project));
    projects.filter(|project| project.join("pom.xml").is_file()).collect()
}

/// Changes whenever there may be something new to fetch.
fn fingerprint(coordinates: &[String], projects: &[Utf8PathBuf]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    (coordinates, GOALS).hash(&mut hasher);
    for project in projects {
        for pom in files(project).into_iter().filter(|file| file.file_name() == Some("pom.xml")) {
            fs_err::read(pom)?.hash(&mut hasher);
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The local repository may have been emptied since the stamp was written.
fn is_fetched(coordinates: &[String]) -> bool {
    let Ok(home) = std::env::var("HOME") else { return false };
    let repository = Utf8PathBuf::from(home).join(".m2/repository");
    coordinates.iter().filter_map(|one| repository_folder(one)).all(|folder| repository.join(folder).is_dir())
}

/// `junit/junit/4.13.2` from `junit:junit:4.13.2`.
fn repository_folder(coordinate: &str) -> Option<Utf8PathBuf> {
    let [group, artifact, version] = parts(coordinate)?;
    Some(Utf8PathBuf::from(group.replace('.', "/")).join(artifact).join(version))
}

fn parts(coordinate: &str) -> Option<[&str; 3]> {
    let parts: Vec<&str> = coordinate.split(':').collect();
    Some([parts.first()?, parts.get(1)?, parts.get(2)?])
}

/// In a project of its own: two versions of one artifact in one project would hide each other.
fn fetch_coordinate(coordinate: &str, scratch: &Utf8Path) -> Result<bool> {
    let folder = scratch.join("coordinate");
    fs_err::create_dir_all(&folder)?;
    fs_err::write(folder.join("pom.xml"), pom_for(coordinate))?;
    Ok(maven(&folder, &[BUILD_CLASSPATH], coordinate))
}

fn pom_for(coordinate: &str) -> String {
    let [group, artifact, version] = parts(coordinate).unwrap_or_default();
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n  \
         <groupId>bonafix</groupId>\n  <artifactId>prefetch</artifactId>\n  <version>1</version>\n  \
         <dependencies>\n    <dependency>\n      <groupId>{group}</groupId>\n      \
         <artifactId>{artifact}</artifactId>\n      <version>{version}</version>\n    </dependency>\n  \
         </dependencies>\n</project>\n"
    )
}

/// Works on a copy: Maven writes into the project's folder.
fn fetch_project(project: &Utf8Path, scratch: &Utf8Path) -> Result<bool> {
    let copy = scratch.join("project");
    if copy.exists() {
        fs_err::remove_dir_all(&copy)?;
    }
    for file in files(project) {
        let target = copy.join(file.strip_prefix(project)?);
        fs_err::create_dir_all(target.parent().unwrap_or(&copy))?;
        fs_err::copy(&file, &target)?;
    }
    let complete = maven(&copy, GOALS, project.parent().and_then(Utf8Path::file_name).unwrap_or_default());
    fs_err::remove_dir_all(&copy)?;
    Ok(complete)
}

/// Offline first: with a filled repository nothing is asked of the network.
fn maven(folder: &Utf8Path, goals: &[&str], what: &str) -> bool {
    let mvn = CommandLine::new("mvn").args(["-B", "-q", "-Dstyle.color=never"]).args(goals.iter().copied());
    let mvn = mvn.folder(folder);
    if mvn.clone().args(["-o"]).succeeds() {
        return true;
    }
    eprintln!("fetching what {what} needs from the Maven registry");
    let failure = match mvn.capture() {
        Ok(captured) if captured.status.success() => return true,
        Ok(captured) => first_error(&captured.stdout).to_owned(),
        Err(error) => format!("{error:#}"),
    };
    eprintln!(
        "could not fetch what {what} needs: {failure}
tests that need it will fail"
    );
    false
}

/// The line that says why; those after it say how to call Maven again.
fn first_error(output: &str) -> &str {
    let mut errors = output.lines().filter_map(|line| line.split_once("[ERROR]"));
    errors.next().map_or(output, |(_, message)| message).trim()
}

fn files(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(dependencies: &[&str]) -> Case {
        Case {
            name: "c".into(),
            folder: "cases/java/c".into(),
            language: "java".into(),
            project: "buggy".into(),
            dependencies: dependencies.iter().map(|&one| one.to_owned()).collect(),
            patches: Vec::new(),
        }
    }

    #[test]
    fn coordinates_of_cases_and_tests_are_fetched_once_each() {
        let all = coordinates(&[case(&["junit:junit:4.13.2", "a:b:1"]), case(&["a:b:1"])]);
        assert_eq!(all.iter().filter(|one| *one == "a:b:1").count(), 1);
        assert_eq!(all.iter().filter(|one| *one == "junit:junit:4.13.2").count(), 1);
    }

    #[test]
    fn the_goals_are_those_that_bonafix_calls() {
        let root = crate::workspace::Workspace::find().unwrap().root;
        let source = fs_err::read_to_string(root.join("crates/lang-java/src/layout/maven/call.rs")).unwrap();
        for goal in [BUILD_CLASSPATH, EFFECTIVE_POM] {
            assert!(source.contains(goal), "{goal} is fetched, and bonafix calls another one");
        }
    }

    #[test]
    fn a_changed_pom_changes_the_fingerprint() {
        let tree = tempfile::tempdir().unwrap();
        let project = Utf8PathBuf::from_path_buf(tree.path().to_owned()).unwrap();
        fs_err::write(project.join("pom.xml"), "<project/>").unwrap();
        let before = fingerprint(&[], std::slice::from_ref(&project)).unwrap();
        assert_eq!(before, fingerprint(&[], std::slice::from_ref(&project)).unwrap());
        fs_err::write(project.join("pom.xml"), "<project></project>").unwrap();
        assert_ne!(before, fingerprint(&[], &[project]).unwrap());
    }

    #[test]
    fn the_first_error_of_maven_says_why() {
        let output = "[WARNING] x\n[ERROR] Plugin y could not be resolved\n[ERROR] \n[ERROR] Re-run Maven\n";
        assert_eq!(first_error(output), "Plugin y could not be resolved");
        assert_eq!(first_error("killed\n"), "killed");
    }

    #[test]
    fn a_coordinate_has_its_folder_in_the_repository() {
        assert_eq!(
            repository_folder("org.junit.jupiter:junit-jupiter:5.10.2").unwrap(),
            "org/junit/jupiter/junit-jupiter/5.10.2"
        );
        assert_eq!(repository_folder("nonsense"), None);
    }
}
