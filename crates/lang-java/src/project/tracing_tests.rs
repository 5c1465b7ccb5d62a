//! Tests run on classes that tell which lines they run.

use bonafix_lang::{LangError, TestPlan, TraceLimits};
use bonafix_model::{TestId, TestSelection};
use camino::{Utf8Path, Utf8PathBuf};

use super::JavaProject;
use crate::junit::{self, Item};
use crate::selection;
use crate::trace::{Group, GroupRun, TracedVersion};

/// System properties of the runtime's `TestTracer`.
const LINES: &str = "bonafix.lines";
const LIMIT: &str = "bonafix.lines.limit";
const ALWAYS: &str = "bonafix.lines.always";

impl JavaProject {
    /// Tests by the VM that they share.
    pub(crate) fn trace_groups(
        &self,
        version: &TracedVersion,
        tests: &[TestId],
        log: &Utf8Path,
    ) -> Result<Vec<Group>, LangError> {
        self.with_version(&version.change, log, |opened, key, change, classes| {
            let listing = self.listing(opened, key, change, classes, log)?;
            let wanted = TestSelection::Only(tests.to_vec());
            let mut groups: Vec<Group> = Vec::new();
            for (module, items) in selection::items(&listing.modules, &wanted).into_iter().enumerate() {
                let tests = items.iter().map(|item| Group { module, tests: ids(item) });
                if opened.base.layout.modules[module].fork_each_class {
                    groups.extend(tests);
                } else {
                    let tests: Vec<TestId> = tests.flat_map(|group| group.tests).collect();
                    groups.push(Group { module, tests });
                }
            }
            groups.retain(|group| !group.tests.is_empty());
            Ok(groups)
        })
    }

    /// Runs the tests of a group in one VM, as long as that lives; `always` are those whose lines are wanted whatever
    /// they come to.
    pub(crate) fn trace_group(
        &self,
        version: &TracedVersion,
        group: &Group,
        always: &[TestId],
        limits: &TraceLimits,
        log: &Utf8Path,
    ) -> Result<GroupRun, LangError> {
        self.with_version(&version.change, log, |opened, key, change, classes| {
            let listing = self.listing(opened, key, change, classes, log)?;
            let selection = TestSelection::Only(group.tests.clone());
            let items: Vec<Item> = selection::items(&listing.modules, &selection)
                .into_iter()
                .nth(group.module)
                .unwrap_or_default();
            // What comes behind a test that hangs is run in another VM, and that is run again anyway.
            let stop_at_hang_of = group.tests.iter().cloned().collect();
            let plan = TestPlan { stop_at_hang_of, ..TestPlan::new(selection, limits.test) };
            let tree = self.tree(opened, change)?;
            let mut vm = self.test_vm(opened, group.module, classes, &tree, log)?;
            let lines = vm.scratch.join("lines");
            vm.classpath = version.probed_path(&vm.classpath);
            vm.readable.extend(version.probed_folders().cloned());
            vm.options.push(format!("-D{LINES}={lines}"));
            vm.options.push(format!("-D{LIMIT}={}", limits.statements.min(i32::MAX.unsigned_abs())));
            if !always.is_empty() {
                let list = vm.scratch.join("always");
                let names: Vec<&str> = always.iter().map(|test| test.0.as_str()).collect();
                fs_err::write(&list, names.join("\n"))?;
                vm.options.push(format!("-D{ALWAYS}={list}"));
            }
            let run = junit::run(&vm, items, &plan, &self.workshop.launcher, log, &mut |_, _| {})?;
            let folder = self.passing_folder("lines-of-tests-")?;
            let lines = keep(&lines, &folder)?;
            fs_err::remove_dir_all(&vm.scratch)?;
            fs_err::remove_dir_all(&tree)?;
            let outcomes = run.results.into_iter().map(|result| (result.id, result.outcome)).collect();
            Ok(GroupRun { lines, folder, outcomes })
        })
    }
}

fn ids(item: &Item) -> Vec<TestId> {
    item.ids.iter().cloned().map(TestId).collect()
}

/// Moves a file out of a folder that is to be removed.
fn keep(file: &Utf8Path, folder: &Utf8Path) -> Result<Utf8PathBuf, LangError> {
    let kept = folder.join("lines");
    if file.is_file() {
        fs_err::rename(file, &kept)?;
    } else {
        fs_err::write(&kept, b"")?;
    }
    Ok(kept)
}
