//! Tests run once more, on classes that tell what is passed to them.

use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{ExploreRequest, LangError, TestPlan};
use bonafix_model::{Catalog, Knowledge, TestId, TestOutcome, TestSelection, TreeChange, VersionRole};
use camino::{Utf8Path, Utf8PathBuf};

use super::{JavaProject, lock};
use crate::class_index::Side;
use crate::knowledge::capture::{self, Captured};
use crate::knowledge::{self, Gathered};
use crate::{junit, selection};

/// What was watched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WatchKey {
    on_reference: bool,
    tests: Vec<TestId>,
    classes: Vec<String>,
}

/// Tests that are watched.
const MAX_WATCHED: usize = 200;
const LIMIT: Duration = Duration::from_secs(5);

impl JavaProject {
    /// Adds what tests that did not come apart are seen to do, on the reference where there is one. Watched once for
    /// the same tests and classes; a run that fails is a problem and no more.
    pub(crate) fn add_watched(
        &self,
        gathered: Gathered,
        catalog: &Catalog,
        request: &ExploreRequest<'_>,
        log: &Utf8Path,
    ) -> Result<Knowledge, LangError> {
        let Gathered { mut knowledge, mut unread, changed, .. } = gathered;
        unread.truncate(MAX_WATCHED);
        if unread.is_empty() || changed.is_empty() {
            return Ok(knowledge);
        }
        let reference = request.versions.iter().find(|version| version.role == VersionRole::Reference);
        let buggy = TreeChange::default();
        let change = reference.map_or(&buggy, |version| version.change);
        match self.watch_once(
            change,
            WatchKey { on_reference: reference.is_some(), tests: unread, classes: changed },
            log,
        ) {
            Ok(captured) => knowledge::add_captured(&mut knowledge, catalog, &captured, request.failing),
            Err(LangError::Interrupted) => return Err(LangError::Interrupted),
            Err(error) => knowledge.problems.push(format!("tests could not be watched: {error}")),
        }
        Ok(knowledge)
    }

    fn watch_once(
        &self,
        change: &TreeChange,
        key: WatchKey,
        log: &Utf8Path,
    ) -> Result<Arc<Captured>, LangError> {
        if let Some(known) = lock(&self.watched)?.get(&key) {
            return Ok(Arc::clone(known));
        }
        // A test that hangs ends the run: what it has to tell is told by then.
        let stop_at_hang_of = key.tests.iter().cloned().collect();
        let selection = TestSelection::Only(key.tests.clone());
        let plan = TestPlan { stop_at_hang_of, ..TestPlan::new(selection, LIMIT) };
        let captured = Arc::new(self.capture(change, &key.classes, &plan, log)?);
        lock(&self.watched)?.insert(key, Arc::clone(&captured));
        Ok(captured)
    }

    /// Runs tests of a version as they are and writes down what they pass to these classes.
    pub fn capture(
        &self,
        change: &TreeChange,
        classes: &[String],
        plan: &TestPlan,
        log: &Utf8Path,
    ) -> Result<Captured, LangError> {
        self.with_version(change, log, |opened, key, change, version| {
            let listing = self.listing(opened, key, change, version, log)?;
            let tree = self.tree(opened, change)?;
            let watched = self.fresh_folder("watched-")?;
            let folders: Vec<Utf8PathBuf> = (0..opened.base.layout.modules.len())
                .flat_map(|module| version.folders(&opened.base, module, Side::Main))
                .collect();
            let methods = capture::watch(&folders, classes, &watched)?;
            let mut captured = Captured::of(methods);
            for (module, items) in selection::items(&listing.modules, &plan.selection).into_iter().enumerate()
            {
                if items.is_empty() {
                    continue;
                }
                let mut vm = self.test_vm(opened, module, version, &tree, log)?;
                let file = vm.scratch.join("calls");
                vm.classpath.insert(0, watched.clone());
                vm.readable.push(watched.clone());
                vm.options.push(format!("-D{}={file}", capture::PROPERTY));
                let run = junit::run(&vm, items, plan, &self.workshop.launcher, log, &mut |_, _| {})?;
                let passed = run.results.into_iter().filter(|result| result.outcome == TestOutcome::Passed);
                captured.passed.extend(passed.map(|result| result.id));
                if file.is_file() {
                    captured.add(&fs_err::read(&file)?);
                }
                fs_err::remove_dir_all(&vm.scratch)?;
            }
            fs_err::remove_dir_all(&tree)?;
            fs_err::remove_dir_all(&watched)?;
            Ok(captured)
        })
    }
}
