//! The tests of a version: which there are, and the VM that they run in.

use std::sync::Arc;

use bonafix_lang::{LangError, apply_change};
use bonafix_model::TreeChange;
use bonafix_store::{Key, KeyBuilder};
use camino::{Utf8Path, Utf8PathBuf};

use super::{JavaProject, Opened, lock};
use crate::base::{Base, classpath};
use crate::class_index::{Side, class_files};
use crate::junit::{self, ListedClass, TestVm};
use crate::layout::{LayoutRequest, launcher_jars};
use crate::overlay::VersionClasses;
use crate::runtime::{self, Part};
use crate::selection::{self, ClassPatterns};
use crate::store_fault;

/// Raise when what an entry holds changes its form.
const LISTING_ENTRY: &str = "java-listing-1";
/// Heap of the test JVM when the project asks for none.
const DEFAULT_HEAP: &str = "-Xmx2g";

/// The tests of a version, by module.
pub(super) struct Listing {
    pub(super) modules: Vec<Vec<ListedClass>>,
    pub(super) problems: Vec<String>,
}

impl JavaProject {
    /// A working folder for tests of a version: the tree with the change, which they may write to. A new one for each
    /// run, so that nothing that tests leave behind reaches another run.
    pub(super) fn tree(&self, opened: &Opened, change: &TreeChange) -> Result<Utf8PathBuf, LangError> {
        let tree = self.fresh_folder("run-")?;
        bonafix_store::copy_tree(&opened.base.tree(), &tree, &|_| false).map_err(store_fault)?;
        apply_change(&tree, change)?;
        Ok(tree)
    }

    pub(super) fn test_vm(
        &self,
        opened: &Opened,
        module: usize,
        classes: &VersionClasses,
        tree: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<TestVm, LangError> {
        let base = &opened.base;
        let facts = &base.layout.modules[module];
        let mut path = self.helpers(opened, module, log)?;
        let mut readable = path.clone();
        path.extend(classpath(&base.layout, module, Side::Test, &|module, side| {
            classes.folders(base, module, side)
        }));
        readable.extend(base.outside());
        readable.push(base.folder().to_owned());
        readable.extend(classes.entry().map(Utf8Path::to_owned));
        readable.push(self.workshop.jdk.home.clone());
        let mut options = facts.jvm_options.clone();
        if !options.iter().any(|option| option.starts_with("-Xmx")) {
            options.push(DEFAULT_HEAP.to_owned());
        }
        options.extend(facts.system_properties.iter().map(|(name, value)| format!("-D{name}={value}")));
        let mut environment = facts.environment.clone();
        environment.extend(self.tests.env.clone());
        let working = tree.join(facts.working_folder.as_ref().unwrap_or(&facts.folder));
        fs_err::create_dir_all(&working)?;
        Ok(TestVm {
            java: self.workshop.jdk.java(),
            classpath: path,
            working,
            writable: tree.to_owned(),
            scratch: self.fresh_folder("vm-")?,
            readable,
            options,
            environment,
            groups: facts.groups.clone(),
            excluded_groups: facts.excluded_groups.clone(),
            fork_each_class: facts.fork_each_class,
        })
    }

    /// The runner, the adapters for the frameworks that the module has, and the launcher that JUnit 5 needs.
    pub(super) fn helpers(
        &self,
        opened: &Opened,
        module: usize,
        log: &Utf8Path,
    ) -> Result<Vec<Utf8PathBuf>, LangError> {
        let mut known = lock(&opened.helpers)?;
        if let Some(found) = known.get(&module) {
            return Ok(found.clone());
        }
        let facts = &opened.base.layout.modules[module];
        let resolved = self.workshop.cache.root().join("classpaths");
        fs_err::create_dir_all(&resolved)?;
        let request = LayoutRequest {
            root: &opened.base.tree(),
            config: &self.config,
            jdk: &self.workshop.jdk,
            launcher: &self.workshop.launcher,
            log,
            cache: &resolved,
        };
        let jars = launcher_jars(&request, &facts.classpath)?;
        let own: Vec<Utf8PathBuf> =
            facts.classpath.iter().filter(|jar| selection::is_framework(jar)).cloned().collect();
        let frameworks: Vec<Utf8PathBuf> = own.iter().chain(&jars).cloned().collect();
        let mut helpers = vec![self.workshop.runtime.clone()];
        for part in selection::adapters(&frameworks)? {
            helpers.push(self.adapter(part, &frameworks)?);
        }
        helpers.extend(jars);
        // The test framework comes before the program, so that a patch cannot put its own in its place.
        if !has_own_framework(&opened.base) {
            helpers.extend(own);
        }
        known.insert(module, helpers.clone());
        Ok(helpers)
    }

    fn adapter(&self, part: Part, frameworks: &[Utf8PathBuf]) -> Result<Utf8PathBuf, LangError> {
        let mut path = vec![self.workshop.runtime.clone()];
        path.extend(frameworks.iter().cloned());
        runtime::classes(part, &path, &self.workshop.jdk, &self.workshop.cache, &self.workshop.launcher)
    }

    /// All tests of a version. A version that leaves the test classes alone has those of the buggy one.
    pub(super) fn listing(
        &self,
        opened: &Opened,
        key: &Key,
        change: &TreeChange,
        classes: &VersionClasses,
        log: &Utf8Path,
    ) -> Result<Arc<Listing>, LangError> {
        let own = classes.touches_tests(&opened.base);
        let name = if own { key.as_str() } else { opened.base.key.as_str() };
        if let Some(found) = lock(&opened.listings)?.get(name) {
            return Ok(Arc::clone(found));
        }
        let entry = KeyBuilder::new(LISTING_ENTRY)
            .part("version", name)
            .part("runtime", self.workshop.runtime.as_str())
            .finish();
        let inserted = self.workshop.cache.insert_with("java-listing", &entry, |staging| {
            let tree = self.tree(opened, change)?;
            let mut stored = (Vec::new(), Vec::new());
            for module in 0..opened.base.layout.modules.len() {
                let names = test_classes(opened, module, classes)?;
                if names.is_empty() {
                    stored.0.push(Vec::new());
                    continue;
                }
                let vm = self.test_vm(opened, module, classes, &tree, log)?;
                let (listed, problems) = junit::discover(&vm, &names, &self.workshop.launcher, log)?;
                stored.0.push(listed);
                stored.1.extend(problems);
                fs_err::remove_dir_all(&vm.scratch)?;
            }
            fs_err::remove_dir_all(&tree)?;
            let text = serde_json::to_vec(&stored).map_err(|error| LangError::Internal(error.to_string()))?;
            fs_err::write(staging.join("listing.json"), text)?;
            Ok(())
        });
        let path =
            inserted.map_err(|error: bonafix_store::InsertError<LangError>| error.unify(store_fault))?.path;
        let stored = fs_err::read(path.join("listing.json"))?;
        let (modules, problems) = serde_json::from_slice(&stored)
            .map_err(|error| LangError::Internal(format!("{path}: {error}")))?;
        let listing = Arc::new(Listing { modules, problems });
        lock(&opened.listings)?.insert(name.to_owned(), Arc::clone(&listing));
        Ok(listing)
    }
}

/// Names of the classes of a module that may hold tests, by the build's own patterns.
fn test_classes(opened: &Opened, module: usize, classes: &VersionClasses) -> Result<Vec<String>, LangError> {
    let facts = &opened.base.layout.modules[module];
    let patterns = ClassPatterns::new(&facts.test_includes, &facts.test_excludes)?;
    let mut names: Vec<String> = classes
        .folders(&opened.base, module, Side::Test)
        .iter()
        .flat_map(|folder| class_files(folder))
        .map(|(_, relative)| relative)
        .filter(|relative| !relative.as_str().contains('$') && patterns.matches(relative))
        .filter_map(|relative| Some(relative.as_str().strip_suffix(".class")?.replace('/', ".")))
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Is the subject itself a test framework, or does it carry a copy of one?
fn has_own_framework(base: &Base) -> bool {
    (0..base.layout.modules.len()).any(|module| {
        let folder = base.classes(module, Side::Main);
        folder.join("org/junit").is_dir() || folder.join("junit/framework").is_dir()
    })
}
