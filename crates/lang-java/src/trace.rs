//! Which statements tests and inputs run, in the buggy and in the patched version.
//!
//! | module | one line |
//! |---|---|
//! | `probed` | class folders that tell of each line they run |
//! | `statements` | the numbers of statements by those of probes |
//! | `records` | the file in which a VM leaves its traces |
//! | `tests` | tests, each as part of a run of tests |
//! | `inputs` | call sequences, each alone in an arena |
//!
//! # Memory
//!
//! Traces come from files, one execution at a time: in memory are at most two traces of [`TraceLimits::statements`]
//! numbers of 4 bytes, and three of the same as they stand in the file (one or two bytes a statement, five at most). A VM
//! holds one trace for each thread of the execution that it is at.

mod inputs;
mod probed;
mod records;
mod statements;
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bonafix_delta::{Numbers, Side};
use bonafix_lang::{ExploreRequest, LangError, OnTrace, TraceLimits, Tracer};
use bonafix_model::{Catalog, CodePlace, Delta, Notice, Sequence, TestId, TreeChange, VersionRole};
use bonafix_store::PassingFolder;
use camino::{Utf8Path, Utf8PathBuf};

use crate::arena::Arena;
use crate::explore::{self, VersionFolders};
use crate::project::JavaProject;

pub(crate) use probed::LinePreparation;
pub(crate) use tests::{Group, GroupRun};

/// Problems that are named in a notice.
const SHOWN_PROBLEMS: usize = 5;
const NO_TIME: &str = "there was no time left for it";
const UNSTEADY: &str = "it does not run the same statements when it is run again";

/// A version whose classes tell what they run.
pub(crate) struct TracedVersion {
    pub(crate) role: VersionRole,
    pub(crate) change: TreeChange,
    /// Class folders as they were, each with the one that takes its place.
    folders: Vec<(Utf8PathBuf, Utf8PathBuf)>,
    /// Changed classes, which come before all of them.
    changed: Utf8PathBuf,
    /// Numbers of statements by those of probes.
    statements: Vec<u32>,
}

impl TracedVersion {
    /// A class path on which the probed classes come before those that they were made from.
    pub(crate) fn probed_path(&self, path: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let mut probed = Vec::new();
        for entry in path {
            if let Some((_, lines)) = self.folders.iter().find(|(original, _)| original == entry) {
                if !probed.contains(&self.changed) {
                    probed.push(self.changed.clone());
                }
                probed.push(lines.clone());
            }
            // Resources lie beside the classes as they were.
            probed.push(entry.clone());
        }
        probed
    }

    /// What of a class path holds probes.
    pub(crate) fn probed_folders(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        std::iter::once(&self.changed).chain(self.folders.iter().map(|(_, lines)| lines))
    }

    fn name(&self) -> &'static str {
        if self.role == VersionRole::Patched { "patched" } else { "buggy" }
    }
}

/// A version of the request, kept.
struct Asked {
    role: VersionRole,
    change: TreeChange,
    delta: Delta,
}

/// Traces executions of a Java program.
pub(crate) struct JavaTracer<'a> {
    project: &'a JavaProject,
    buggy: TracedVersion,
    patched: TracedVersion,
    /// All versions of the request, in its order: they decide what inputs can call.
    asked: Vec<Asked>,
    /// Statements of changed methods, by number.
    changed_code: BTreeMap<u32, CodePlace>,
    heap_mib: u32,
    log: Utf8PathBuf,
    problems: Vec<String>,
    arena: Option<Arena>,
    /// Behind the arena, which writes there as long as it lives.
    scratch: PassingFolder,
}

impl<'a> JavaTracer<'a> {
    /// Prepares the buggy and the patched version.
    pub(crate) fn open(
        project: &'a JavaProject,
        request: &ExploreRequest<'_>,
        log: &Utf8Path,
    ) -> Result<Self, LangError> {
        let asked = |role: VersionRole| request.versions.iter().find(|version| version.role == role);
        let Some(patched) = asked(VersionRole::Patched) else {
            return Err(LangError::Internal("there is no patched version to trace".to_owned()));
        };
        let nothing = Delta::default();
        let unchanged = TreeChange::default();
        let changes =
            [asked(VersionRole::Buggy).map_or(&unchanged, |version| version.change), patched.change];
        let folders = [project.main_folders(changes[0], log)?, project.main_folders(changes[1], log)?];
        let scratch = project.passing_folder("traces-")?;
        let versions = [
            VersionFolders { role: VersionRole::Buggy, delta: &nothing, folders: existing(&folders[0]) },
            VersionFolders {
                role: VersionRole::Patched,
                delta: patched.delta,
                folders: existing(&folders[1]),
            },
        ];
        let methods = explore::changed_methods(&versions, &scratch.join("located"))?;
        let preparation = project.line_preparation()?;
        let shared = versions[0]
            .folders
            .iter()
            .map(|folder| preparation.folder(folder))
            .collect::<Result<Vec<_>, _>>()?;
        let mut numbers = Numbers::default();
        let mut problems = Vec::new();
        let mut traced = Vec::new();
        for (version, change) in versions.iter().zip(changes) {
            let (side, folder) =
                if traced.is_empty() { (Side::Buggy, "buggy") } else { (Side::Patched, "patched") };
            let target = scratch.join(folder);
            let probed = probed::version(&version.folders, &shared, &methods, &target, preparation.used()?)?;
            problems.extend(probed.problems());
            traced.push(TracedVersion {
                role: version.role,
                change: change.clone(),
                statements: statements::of_version(&mut numbers, probed.lines(), side, patched.delta),
                folders: probed.folders(),
                changed: probed.changed,
            });
        }
        problems.sort();
        problems.dedup();
        let changed_code = numbers.in_changed_methods(patched.delta);
        let [Some(patched), Some(buggy)] = [traced.pop(), traced.pop()] else {
            return Err(LangError::Internal("two versions were to be traced".to_owned()));
        };
        let asked = request.versions.iter().map(|version| Asked {
            role: version.role,
            change: version.change.clone(),
            delta: version.delta.clone(),
        });
        Ok(Self {
            project,
            buggy,
            patched,
            asked: asked.collect(),
            changed_code,
            heap_mib: request.heap_mib,
            log: log.to_owned(),
            problems,
            arena: None,
            scratch,
        })
    }

    /// What inputs are made of, as the search has it.
    fn catalog(&self) -> Result<Arc<Catalog>, LangError> {
        let changes: Vec<&TreeChange> = self.asked.iter().map(|version| &version.change).collect();
        if let Some(known) = self.project.known_catalog(&changes)? {
            return Ok(known);
        }
        let mut folders = Vec::new();
        for version in &self.asked {
            let main = self.project.main_folders(&version.change, &self.log)?;
            folders.push(VersionFolders { role: version.role, delta: &version.delta, folders: main });
        }
        let (run, _) = self.project.open_run(folders, self.heap_mib)?;
        Ok(Arc::new(run.arena().catalog().clone()))
    }
}

fn existing(folders: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    folders.iter().filter(|folder| folder.is_dir()).cloned().collect()
}

impl Tracer<Sequence> for JavaTracer<'_> {
    fn far_tests(
        &mut self,
        tests: &[TestId],
        limits: &TraceLimits,
    ) -> Result<Option<BTreeSet<TestId>>, LangError> {
        tests::far(self, tests, limits).map(Some)
    }

    fn tests(
        &mut self,
        tests: &[TestId],
        limits: &TraceLimits,
        on_trace: OnTrace<'_>,
    ) -> Result<(), LangError> {
        tests::trace(self, tests, limits, on_trace)
    }

    fn inputs(
        &mut self,
        inputs: &[Sequence],
        limits: &TraceLimits,
        on_trace: OnTrace<'_>,
    ) -> Result<(), LangError> {
        inputs::trace(self, inputs, limits, on_trace)
    }

    fn changed_code(&self) -> BTreeMap<u32, CodePlace> {
        self.changed_code.clone()
    }

    fn notices(&self) -> Vec<Notice> {
        if self.problems.is_empty() {
            return Vec::new();
        }
        let shown = self.problems.iter().take(SHOWN_PROBLEMS).map(String::as_str).collect::<Vec<_>>();
        let more = if self.problems.len() > SHOWN_PROBLEMS { "; …" } else { "" };
        let text = format!(
            "traces have gaps: {} classes or methods do not tell all lines they run: {}{more}",
            self.problems.len(),
            shown.join("; ")
        );
        vec![Notice::new("traces-with-gaps", text)]
    }
}

fn is_late(limits: &TraceLimits) -> bool {
    limits.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline)
}

#[cfg(test)]
mod leftovers {
    use bonafix_lang::{Explore, ExploredVersion, Project};
    use bonafix_model::{FileEdit, JavaConfig, TestsConfig};
    use bonafix_proc::{Launcher, SandboxMode};
    use bonafix_store::Cache;

    use super::*;

    const SOURCE: &str = "src/main/java/p/A.java";
    const A: &str = "package p; public class A { public static int half(int n) {\n return n / 2;\n } }";
    const TEST: &str = "package p; import org.junit.*; public class ATest { \
                        @Test public void half() { Assert.assertEquals(2, A.half(4)); } }";

    fn names(folder: &Utf8Path) -> Vec<String> {
        let entries = fs_err::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_stays_of_tests_and_inputs_that_were_traced() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().join("subject");
        for (path, text) in [(SOURCE, A), ("src/test/java/p/ATest.java", TEST)] {
            fs_err::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs_err::write(root.join(path), text).unwrap();
        }
        let cache = Arc::new(Cache::open(&root.join("../cache")).unwrap());
        let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
        let config = (JavaConfig::default(), TestsConfig::default());
        let project = JavaProject::open(&root, &config.0, &config.1, cache, launcher).unwrap();
        let (buggy, nothing) = (TreeChange::default(), Delta::default());
        let edit = (SOURCE.into(), FileEdit::Write(A.replace("n / 2", "n >> 1").into()));
        let patch = TreeChange { files: [edit].into_iter().collect() };
        let log = root.join("../log");
        project.build(&buggy, &log).unwrap();
        project.build(&patch, &log).unwrap();
        let delta = project.delta(&patch).unwrap();
        let versions = [
            ExploredVersion { role: VersionRole::Buggy, change: &buggy, delta: &nothing },
            ExploredVersion { role: VersionRole::Patched, change: &patch, delta: &delta },
        ];
        let request = ExploreRequest { versions: &versions, failing: &[], passing: &[], heap_mib: 128 };
        let limits =
            TraceLimits { statements: 1000, deadline: None, test: std::time::Duration::from_secs(20) };
        let mut tracer = project.tracer(&request, &log).unwrap();
        let mut told = 0;
        tracer.tests(&[TestId("p.ATest#half".to_owned())], &limits, &mut |_, _| told += 1).unwrap();
        tracer.inputs(&[Sequence { steps: Vec::new() }], &limits, &mut |_, _| told += 1).unwrap();
        assert_eq!(told, 2);
        let scratch = project.passing_folder("here-").unwrap();
        let scratch = scratch.parent().unwrap();
        assert!(names(scratch).iter().any(|name| name.starts_with("traces-")), "as long as it is traced");
        drop(tracer);
        let left = names(scratch);
        let of_traces = |name: &&String| name.starts_with("traces-") || name.starts_with("lines-of-tests-");
        assert_eq!(left.iter().find(of_traces), None, "{left:?}");
    }
}
