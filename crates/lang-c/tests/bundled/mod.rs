//! The bundled cases, opened without the stages before a campaign.
#![allow(dead_code, reason = "not every test asks everything")]

use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{Campaign, ExploredVersion, FuzzRequest, Project, TestPlan};
use bonafix_lang_c::CProject;
use bonafix_model::{
    CConfig, Delta, FileEdit, TestId, TestOutcome, TestSelection, TestsConfig, TreeChange, VersionRole,
};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

/// Much, for a busy machine: an execution that is cut off is not the same the next time.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
pub(crate) struct CaseFile {
    pub(crate) failing: Vec<String>,
    pub(crate) reference: String,
    pub(crate) c: CConfig,
    pub(crate) patch: Vec<PatchEntry>,
}

#[derive(Deserialize)]
pub(crate) struct PatchEntry {
    pub(crate) file: String,
    pub(crate) label: String,
}

/// A case with its buggy version built.
pub(crate) struct Case {
    _scratch: tempfile::TempDir,
    pub(crate) log: Utf8PathBuf,
    pub(crate) root: Utf8PathBuf,
    pub(crate) file: CaseFile,
    pub(crate) project: CProject,
    pub(crate) passing: Vec<TestId>,
}

impl Case {
    pub(crate) fn open(name: &str) -> Self {
        let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/c").join(name);
        let file: CaseFile =
            toml::from_str(&fs_err::read_to_string(root.join("case.toml")).unwrap()).unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(scratch.path()).unwrap().to_owned();
        let cache = Arc::new(Cache::open(&place.join("cache")).unwrap());
        let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
        let buggy = root.join("buggy");
        let project = CProject::open(&buggy, &file.c, &TestsConfig::default(), cache, launcher).unwrap();
        let log = place.join("log");
        project.build(&TreeChange::default(), &log).unwrap();
        let all = TestSelection::Matching { only: Vec::new(), ignore: Vec::new() };
        let plan = TestPlan::new(all, Duration::from_secs(5));
        let run = project.run_tests(&TreeChange::default(), &plan, &log, &mut |_, _| {}).unwrap();
        let passed = run.results.into_iter().filter(|result| result.outcome == TestOutcome::Passed);
        let passing = passed.map(|result| result.id).collect();
        Self { _scratch: scratch, log, root, file, project, passing }
    }

    pub(crate) fn change(&self, diff: &str) -> TreeChange {
        let change =
            applied(&self.root.join("buggy"), &fs_err::read_to_string(self.root.join(diff)).unwrap());
        self.project.build(&change, &self.log).unwrap();
        change
    }

    /// A campaign over the reference, a patched version and the buggy one.
    pub(crate) fn campaign(&self, patch: &str, seed: u64) -> Box<dyn Campaign + '_> {
        let changes = [self.change(&self.file.reference), self.change(patch), TreeChange::default()];
        let deltas: Vec<Delta> = changes.iter().map(|change| self.project.delta(change).unwrap()).collect();
        let roles = [VersionRole::Reference, VersionRole::Patched, VersionRole::Buggy];
        let versions: Vec<ExploredVersion<'_>> = (roles.into_iter().zip(&changes).zip(&deltas))
            .map(|((role, change), delta)| ExploredVersion { role, change, delta })
            .collect();
        let failing: Vec<TestId> = self.file.failing.iter().cloned().map(TestId).collect();
        let request = FuzzRequest {
            versions: &versions,
            failing: &failing,
            passing: &self.passing,
            kept: &[],
            seed,
            limit: LIMIT,
        };
        self.project.fuzzer().unwrap().open(&request, &self.log).unwrap().campaign
    }
}

/// A tree after a diff whose places are exact.
fn applied(root: &Utf8Path, diff: &str) -> TreeChange {
    let mut change = TreeChange::default();
    for file in diff.split("diff --git ").skip(1) {
        let path = file.lines().find_map(|line| line.strip_prefix("+++ b/")).unwrap();
        let old = fs_err::read_to_string(root.join(path)).unwrap();
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut new, mut at) = (String::new(), 0);
        for line in file.split_inclusive('\n').skip_while(|line| !line.starts_with("@@")) {
            if let Some(place) = line.strip_prefix("@@ -") {
                let first: usize = place.split([',', ' ']).next().unwrap().parse().unwrap();
                new.extend(old[at..first - 1].iter().copied());
                at = first - 1;
            } else if let Some(added) = line.strip_prefix('+') {
                new.push_str(added);
            } else {
                if line.starts_with(' ') {
                    new.push_str(old[at]);
                }
                at += 1;
            }
        }
        new.extend(old[at..].iter().copied());
        change.files.insert(path.into(), FileEdit::Write(new.into_bytes()));
    }
    change
}
