//! Reads what `describe.gradle` writes.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use crate::layout::{Classes, Module};
use crate::toolchain::parse_level;

/// One Java project of the build; all paths are absolute.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Project {
    pub(super) name: String,
    pub(super) folder: Utf8PathBuf,
    pub(super) build_folder: Utf8PathBuf,
    sources: Vec<Utf8PathBuf>,
    tests: Vec<Utf8PathBuf>,
    #[serde(default)]
    excluded_sources: Vec<String>,
    #[serde(default)]
    excluded_tests: Vec<String>,
    resources: Vec<Utf8PathBuf>,
    test_resources: Vec<Utf8PathBuf>,
    pub(super) classes: Vec<Utf8PathBuf>,
    pub(super) test_classes: Vec<Utf8PathBuf>,
    jar: Option<Utf8PathBuf>,
    classpath: Vec<Utf8PathBuf>,
    processors: Vec<Utf8PathBuf>,
    level: Option<String>,
    test_level: Option<String>,
    encoding: Option<String>,
    compiler_args: Vec<String>,
    jvm_args: Vec<String>,
    properties: BTreeMap<String, String>,
    working_folder: Option<Utf8PathBuf>,
    /// So many test classes share a JVM; 0 means all.
    #[serde(default)]
    fork_every: u32,
    includes: Vec<String>,
    excludes: Vec<String>,
    groups: Vec<String>,
    excluded_groups: Vec<String>,
}

/// The projects, each after those that it needs.
pub(super) fn parse(text: &str) -> Result<Vec<Project>, String> {
    let projects: Vec<Project> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(in_order(projects))
}

fn in_order(projects: Vec<Project>) -> Vec<Project> {
    let mut ordered: Vec<Project> = Vec::new();
    let mut waiting = projects;
    while !waiting.is_empty() {
        let needs_other = |project: &Project, index: usize| {
            waiting.iter().enumerate().any(|(other, candidate)| other != index && project.needs(candidate))
        };
        // A cycle between tests of modules has no order; the first goes first.
        let next = (0..waiting.len()).find(|index| !needs_other(&waiting[*index], *index)).unwrap_or(0);
        ordered.push(waiting.remove(next));
    }
    ordered
}

impl Project {
    fn needs(&self, other: &Self) -> bool {
        self.classpath.iter().any(|entry| other.gives_main(entry) || other.test_classes.contains(entry))
    }

    fn gives_main(&self, entry: &Utf8PathBuf) -> bool {
        self.jar.as_ref() == Some(entry) || self.classes.contains(entry)
    }

    /// The module, with paths relative to `root`; `compiled` says whether Gradle has made the class files.
    pub(super) fn module(&self, all: &[Self], root: &Utf8Path, compiled: bool) -> Module {
        let relative = |path: &Utf8Path| path.strip_prefix(root).unwrap_or(path).to_owned();
        let existing = |paths: &[Utf8PathBuf]| -> Vec<Utf8PathBuf> {
            paths.iter().filter(|path| path.is_dir()).map(|path| relative(path)).collect()
        };
        let mut module = Module::new(&self.name, &relative(&self.folder));
        module.sources = existing(&self.sources);
        module.tests = existing(&self.tests);
        module.excluded_sources.clone_from(&self.excluded_sources);
        module.excluded_tests.clone_from(&self.excluded_tests);
        module.resources = existing(&self.resources);
        module.test_resources = existing(&self.test_resources);
        for entry in &self.classpath {
            let place =
                |gives: fn(&Self, &Utf8PathBuf) -> bool| all.iter().position(|other| gives(other, entry));
            if let Some(index) = place(Self::gives_main) {
                push_new(&mut module.upstream, index);
            } else if let Some(index) = place(|other, entry| other.test_classes.contains(entry)) {
                push_new(&mut module.upstream_tests, index);
            } else {
                push_new(&mut module.classpath, entry.clone());
            }
        }
        module.release = self.level.as_deref().and_then(parse_level);
        let test_release = self.test_level.as_deref().and_then(parse_level);
        module.test_release = test_release.filter(|level| Some(*level) != module.release);
        module.encoding.clone_from(&self.encoding);
        module.javac_options.clone_from(&self.compiler_args);
        module.processor_path = (!self.processors.is_empty()).then(|| self.processors.clone());
        module.jvm_options.clone_from(&self.jvm_args);
        module.system_properties.clone_from(&self.properties);
        module.working_folder =
            self.working_folder.as_deref().map(relative).filter(|path| *path != module.folder);
        module.fork_each_class = self.fork_every == 1;
        module.test_includes.clone_from(&self.includes);
        module.test_excludes.clone_from(&self.excludes);
        module.groups.clone_from(&self.groups);
        module.excluded_groups.clone_from(&self.excluded_groups);
        if compiled {
            let made = relative(&self.build_folder).join("bonafix");
            module.classes = Classes::Built { main: made.join("main"), test: made.join("test") };
        }
        module
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> Vec<Project> {
        let path = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/layout/gradle/two-projects.json");
        parse(&fs_err::read_to_string(path).unwrap()).unwrap()
    }

    #[test]
    fn projects_come_after_those_that_they_need() {
        let names: Vec<String> = saved().into_iter().map(|project| project.name).collect();
        assert_eq!(names, ["lib", "app"]);
    }

    #[test]
    fn the_jar_of_another_project_becomes_an_index() {
        let projects = saved();
        let module = projects[1].module(&projects, Utf8Path::new("/project"), true);
        assert_eq!(module.upstream, [0]);
        assert!(module.classpath.iter().all(|entry| entry.as_str().contains("/repository/")), "{module:?}");
        let expected =
            Classes::Built { main: "app/build/bonafix/main".into(), test: "app/build/bonafix/test".into() };
        assert_eq!(module.classes, expected);
    }

    #[test]
    fn level_options_and_test_settings_are_kept() {
        let projects = saved();
        let module = projects[0].module(&projects, Utf8Path::new("/project"), false);
        assert_eq!((module.release, module.test_release), (Some(8), None));
        assert_eq!(module.encoding.as_deref(), Some("UTF-8"));
        assert_eq!(module.javac_options, ["-parameters"]);
        assert_eq!(module.jvm_options, ["-Xss2m"]);
        assert_eq!(module.system_properties.get("a").map(String::as_str), Some("b"));
        assert_eq!(module.test_excludes, ["**/Slow*"]);
        assert_eq!(module.classes, Classes::ToCompile);
    }
}
