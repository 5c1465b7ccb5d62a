//! Tests run once more, on classes that tell what is passed to them.

use bonafix_lang::{LangError, TestPlan};
use bonafix_model::{TestOutcome, TreeChange};
use camino::{Utf8Path, Utf8PathBuf};

use super::JavaProject;
use crate::class_index::Side;
use crate::knowledge::capture::{self, Captured};
use crate::{junit, selection};

impl JavaProject {
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
