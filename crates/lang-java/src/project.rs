//! A Java project as the stages see it: versions are built, tests are run, changes are read.

mod capturing;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use bonafix_lang::{BuiltVersion, LangError, OnTest, Project, ProjectFacts, TestPlan};
use bonafix_model::{Delta, FileEdit, JavaConfig, Notice, TestId, TestRun, TestsConfig, TreeChange};
use bonafix_proc::Launcher;
use bonafix_store::{Cache, Key, KeyBuilder};
use camino::{Utf8Path, Utf8PathBuf};

use self::capturing::WatchKey;
use crate::base::{Base, Workshop, append, classpath, is_no_source};
use crate::class_index::{Side, class_files};
use crate::compiler::Compiler;
use crate::explore::{self, Preparation};
use crate::junit::{self, Item, ListedClass, Results, TestVm};
use crate::knowledge::Captured;
use crate::layout::{LayoutRequest, Role, launcher_jars};
use crate::overlay::{OverlayBuild, VersionClasses};
use crate::runtime::Part;
use crate::selection::{self, ClassPatterns};
use crate::toolchain::Jdk;
use crate::{delta, runtime, store_fault};

/// Raise when what an entry holds changes its form.
const VERSION_ENTRY: &str = "java-version-2";
const LISTING_ENTRY: &str = "java-listing-1";
/// When the scratch folder of a process that is gone may be swept away.
const LEFTOVER_AGE: std::time::Duration = std::time::Duration::from_hours(1);
/// Heap of the test JVM when the project asks for none.
const DEFAULT_HEAP: &str = "-Xmx2g";
/// Files that tell a project that is built by a tool.
const BUILD_FILES: [&str; 6] =
    ["pom.xml", "build.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// A Java project that was opened.
pub struct JavaProject {
    root: Utf8PathBuf,
    config: JavaConfig,
    tests: TestsConfig,
    workshop: Workshop,
    scratch: tempfile::TempDir,
    base: OnceLock<Opened>,
    /// Versions built from scratch, because the change touches the build itself.
    rebuilt: Mutex<BTreeMap<String, Arc<Opened>>>,
    preparation: OnceLock<Preparation>,
    /// What tests were seen to pass.
    watched: Mutex<BTreeMap<WatchKey, Arc<Captured>>>,
    next: AtomicU64,
}

/// A base with what hangs on it.
struct Opened {
    base: Base,
    compiler: Compiler,
    versions: Mutex<BTreeMap<String, VersionClasses>>,
    listings: Mutex<BTreeMap<String, Arc<Listing>>>,
    /// Class folders of the runtime and jars that the tests of a module need beside its own class path.
    helpers: Mutex<BTreeMap<usize, Vec<Utf8PathBuf>>>,
}

/// The tests of a version, by module.
struct Listing {
    modules: Vec<Vec<ListedClass>>,
    problems: Vec<String>,
}

/// What a test from outside of the project needs to run against one version.
pub(crate) struct Surroundings {
    /// Class folders, first match first.
    pub(crate) classes: Vec<Utf8PathBuf>,
    /// Jars and folders behind them.
    pub(crate) libraries: Vec<Utf8PathBuf>,
    /// The runner and what it needs, to stand in front.
    pub(crate) helpers: Vec<Utf8PathBuf>,
    /// Language level of the tests.
    pub(crate) release: Option<u32>,
    pub(crate) javac_options: Vec<String>,
    /// System properties among them.
    pub(crate) jvm_options: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
}

impl JavaProject {
    /// Opens the project at `root`, which is only read.
    pub fn open(
        root: &Utf8Path,
        config: &JavaConfig,
        tests: &TestsConfig,
        cache: Arc<Cache>,
        launcher: Arc<Launcher>,
    ) -> Result<Self, LangError> {
        Ok(Self {
            root: root.to_owned(),
            config: config.clone(),
            tests: tests.clone(),
            workshop: Workshop::open(config, cache, launcher)?,
            scratch: scratch_folder()?,
            base: OnceLock::new(),
            rebuilt: Mutex::default(),
            preparation: OnceLock::new(),
            watched: Mutex::default(),
            next: AtomicU64::new(0),
        })
    }

    /// Does this folder look like a Java project?
    pub fn recognises(root: &Utf8Path) -> bool {
        let marks = BUILD_FILES.iter().any(|name| root.join(name).is_file());
        marks
            || walkdir::WalkDir::new(root)
                .into_iter()
                .filter_entry(|entry| entry.file_name() != ".git")
                .filter_map(Result::ok)
                .any(|entry| entry.path().extension().is_some_and(|extension| extension == "java"))
    }

    /// Tests that the project's own metadata names as showing the bug. Known after the buggy version was built.
    pub fn known_failing(&self) -> Vec<String> {
        self.base.get().map(|opened| opened.base.layout.failing.clone()).unwrap_or_default()
    }

    fn scratch(&self) -> Result<&Utf8Path, LangError> {
        Utf8Path::from_path(self.scratch.path()).ok_or_else(|| LangError::Configuration {
            message: format!(
                "the temporary folder {} is not UTF-8; set TMPDIR",
                self.scratch.path().display()
            ),
        })
    }

    pub(crate) fn fresh_folder(&self, prefix: &str) -> Result<Utf8PathBuf, LangError> {
        let folder = self.scratch()?.join(format!("{prefix}{}", self.next.fetch_add(1, Ordering::Relaxed)));
        fs_err::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn opened(&self) -> Result<&Opened, LangError> {
        self.base.get().ok_or_else(|| LangError::Internal("the buggy version was not built first".to_owned()))
    }

    fn open_base(&self, root: &Utf8Path, log: &Utf8Path) -> Result<Opened, LangError> {
        let base = Base::build(root, &self.config, &self.workshop, log)?;
        let mut readable = base.outside();
        readable.push(base.folder().to_owned());
        // Overlays that were built before are below the cache; the compiler reads them as class path.
        readable.push(self.workshop.cache.root().to_owned());
        let compiler = Compiler::new(
            self.workshop.jdk.clone(),
            self.workshop.runtime.clone(),
            self.fresh_folder("javac-")?,
            readable,
            Arc::clone(&self.workshop.launcher),
        );
        Ok(Opened {
            base,
            compiler,
            versions: Mutex::default(),
            listings: Mutex::default(),
            helpers: Mutex::default(),
        })
    }

    /// The buggy version.
    pub(crate) fn base(&self) -> Result<&Base, LangError> {
        Ok(&self.opened()?.base)
    }

    pub(crate) fn jdk(&self) -> &Jdk {
        &self.workshop.jdk
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.workshop.cache
    }

    pub(crate) fn launcher(&self) -> &Arc<Launcher> {
        &self.workshop.launcher
    }

    /// Class folders with probes in them, made once for all searches.
    pub(crate) fn preparation(&self) -> Result<&Preparation, LangError> {
        if self.preparation.get().is_none() {
            let scratch = self.fresh_folder("probes-")?;
            return Ok(self.preparation.get_or_init(|| Preparation::new(&scratch)));
        }
        self.preparation.get().ok_or_else(|| LangError::Internal("no folder for probes".to_owned()))
    }

    /// Class folders of the program itself in a version that was built.
    pub(crate) fn main_folders(
        &self,
        change: &TreeChange,
        log: &Utf8Path,
    ) -> Result<Vec<Utf8PathBuf>, LangError> {
        self.with_version(change, log, |opened, _, _, classes| {
            Ok(explore::main_folders(&opened.base, classes))
        })
    }

    /// What all versions have on their class path.
    pub(crate) fn libraries(&self) -> Result<Vec<Utf8PathBuf>, LangError> {
        Ok(explore::libraries(self.base()?))
    }

    /// Does the change reach beyond sources, so that the build tool itself must run?
    fn touches_build(buggy: &Opened, change: &TreeChange) -> bool {
        change.files.keys().any(|path| buggy.base.layout.needs_full_build(path))
    }

    /// Builds the whole changed tree.
    fn rebuild(&self, key: &Key, change: &TreeChange, log: &Utf8Path) -> Result<Arc<Opened>, LangError> {
        if let Some(found) = lock(&self.rebuilt)?.get(key.as_str()) {
            return Ok(Arc::clone(found));
        }
        let tree = self.fresh_folder("tree-")?;
        bonafix_store::copy_tree(&self.root, &tree, &|path| is_no_source(&self.root, path))
            .map_err(store_fault)?;
        apply(&tree, change)?;
        let opened = Arc::new(self.open_base(&tree, log)?);
        lock(&self.rebuilt)?.insert(key.as_str().to_owned(), Arc::clone(&opened));
        Ok(opened)
    }

    /// Calls `action` with what a version consists of.
    fn with_version<T>(
        &self,
        change: &TreeChange,
        log: &Utf8Path,
        action: impl FnOnce(&Opened, &Key, &TreeChange, &VersionClasses) -> Result<T, LangError>,
    ) -> Result<T, LangError> {
        let buggy = self.opened()?;
        let key = version_key(&buggy.base, change);
        if Self::touches_build(buggy, change) {
            let opened = self.rebuild(&key, change, log)?;
            return action(&opened, &key, &TreeChange::default(), &VersionClasses::buggy());
        }
        let (classes, _) = self.version(buggy, &key, change, log)?;
        action(buggy, &key, change, &classes)
    }

    /// The classes of a version, and whether they were there already.
    fn version(
        &self,
        opened: &Opened,
        key: &Key,
        change: &TreeChange,
        log: &Utf8Path,
    ) -> Result<(VersionClasses, bool), LangError> {
        if change.is_empty() {
            return Ok((VersionClasses::buggy(), opened.base.cached));
        }
        if let Some(found) = lock(&opened.versions)?.get(key.as_str()) {
            return Ok((found.clone(), true));
        }
        let inserted = self.workshop.cache.insert_with("java-version", key, |staging| {
            let work = opened.compiler.work_folder(self.next.fetch_add(1, Ordering::Relaxed))?;
            let build = OverlayBuild {
                base: &opened.base,
                workshop: &self.workshop,
                compiler: &opened.compiler,
                change,
                work: &work,
                log,
            };
            build.build()?;
            move_contents(&work, staging)
        });
        let inserted = inserted.map_err(|error| error.unify(store_fault))?;
        let classes = VersionClasses::overlay(inserted.path);
        lock(&opened.versions)?.insert(key.as_str().to_owned(), classes.clone());
        Ok((classes, inserted.built.is_none()))
    }

    /// A working folder for tests of a version: the tree with the change, which they may write to. A new one for each
    /// run, so that nothing that tests leave behind reaches another run.
    fn tree(&self, opened: &Opened, change: &TreeChange) -> Result<Utf8PathBuf, LangError> {
        let tree = self.fresh_folder("run-")?;
        bonafix_store::copy_tree(&opened.base.tree(), &tree, &|_| false).map_err(store_fault)?;
        apply(&tree, change)?;
        Ok(tree)
    }

    fn test_vm(
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
    fn helpers(&self, opened: &Opened, module: usize, log: &Utf8Path) -> Result<Vec<Utf8PathBuf>, LangError> {
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

    /// What everything is made with.
    pub(crate) fn workshop(&self) -> &Workshop {
        &self.workshop
    }

    /// Where the main classes of a version are, seen from the module that knows most of `classes` (paths of class
    /// files), and how its tests are compiled and run.
    pub(crate) fn surroundings(
        &self,
        change: &TreeChange,
        classes: &[String],
        log: &Utf8Path,
    ) -> Result<Surroundings, LangError> {
        self.with_version(change, log, |opened, _, _, version| {
            let layout = &opened.base.layout;
            let folders = |module: usize| {
                let facts = &layout.modules[module];
                let all = std::iter::once(&module).chain(&facts.upstream).copied().collect::<Vec<_>>();
                all.into_iter().flat_map(|module| version.folders(&opened.base, module, Side::Main)).collect()
            };
            let known = |module: &usize| {
                let folders: Vec<Utf8PathBuf> = folders(*module);
                classes
                    .iter()
                    .filter(|class| folders.iter().any(|folder| folder.join(class).is_file()))
                    .count()
            };
            // The last of the greatest is what `max_by_key` gives; the first stands nearest to the classes.
            let Some(module) = (0..layout.modules.len()).rev().max_by_key(known) else {
                return Err(LangError::Internal("the project has no module".to_owned()));
            };
            let facts = &layout.modules[module];
            let mut environment = facts.environment.clone();
            environment.extend(self.tests.env.clone());
            let properties = facts.system_properties.iter().map(|(name, value)| format!("-D{name}={value}"));
            Ok(Surroundings {
                classes: folders(module),
                libraries: facts.classpath.clone(),
                helpers: self.helpers(opened, module, log)?,
                release: facts.test_release.or(facts.release),
                javac_options: facts.javac_options.clone(),
                jvm_options: facts.jvm_options.iter().cloned().chain(properties).collect(),
                environment,
            })
        })
    }

    /// All tests of a version. A version that leaves the test classes alone has those of the buggy one.
    fn listing(
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

    fn read_before(&self, path: &Utf8Path) -> Result<Option<Vec<u8>>, LangError> {
        let file = self.root.join(path);
        if file.is_file() { Ok(Some(fs_err::read(file)?)) } else { Ok(None) }
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

/// A change in a module that could not be built would go unnoticed.
fn refuse_left_out(base: &Base, change: &TreeChange) -> Result<(), LangError> {
    for left_out in &base.layout.left_out {
        if let Some(path) = change.files.keys().find(|path| path.starts_with(&left_out.folder)) {
            return Err(LangError::Configuration {
                message: format!(
                    "the patch changes {path}, and the module {} could not be built: {}; leave the module out by \
                     `java.modules`, or mend its build",
                    left_out.folder, left_out.reason
                ),
            });
        }
    }
    Ok(())
}

/// A temporary folder that says whose it is, so that what a killed process left can be swept away.
fn scratch_folder() -> Result<tempfile::TempDir, LangError> {
    sweep_leftovers(&std::env::temp_dir());
    Ok(tempfile::Builder::new().prefix(&format!("bonafix-{}-", std::process::id())).tempdir()?)
}

/// Removes scratch folders of processes that are gone. Only old ones: a process of another container that shares the
/// folder has a number that means nothing here.
fn sweep_leftovers(folder: &std::path::Path) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix("bonafix-")?.split('-').next()?.parse::<u32>().ok());
        let gone = owner.is_some_and(|owner| !std::path::Path::new(&format!("/proc/{owner}")).exists());
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LEFTOVER_AGE));
        if gone && old && fs_err::remove_dir_all(entry.path()).is_err() {
            tracing::debug!(path = %entry.path().display(), "a leftover could not be removed");
        }
    }
}

/// Is the subject itself a test framework, or does it carry a copy of one?
fn has_own_framework(base: &Base) -> bool {
    (0..base.layout.modules.len()).any(|module| {
        let folder = base.classes(module, Side::Main);
        folder.join("org/junit").is_dir() || folder.join("junit/framework").is_dir()
    })
}

fn version_key(base: &Base, change: &TreeChange) -> Key {
    let mut key = KeyBuilder::new(VERSION_ENTRY).part("base", base.key.as_str());
    for (path, edit) in &change.files {
        key = match edit {
            FileEdit::Write(contents) => key.part("write", path.as_str()).part("contents", contents),
            FileEdit::Delete => key.part("delete", path.as_str()),
        };
    }
    key.finish()
}

fn apply(tree: &Utf8Path, change: &TreeChange) -> Result<(), LangError> {
    for (path, edit) in &change.files {
        let file = tree.join(path);
        match edit {
            FileEdit::Write(contents) => {
                if let Some(folder) = file.parent() {
                    fs_err::create_dir_all(folder)?;
                }
                fs_err::write(&file, contents)?;
            }
            FileEdit::Delete if file.exists() => fs_err::remove_file(&file)?,
            FileEdit::Delete => {}
        }
    }
    Ok(())
}

/// Moves what is in one folder into another, over the borders of file systems too.
fn move_contents(from: &Utf8Path, to: &Utf8Path) -> Result<(), LangError> {
    for entry in from.read_dir_utf8()? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if fs_err::rename(entry.path(), &target).is_err() {
            if entry.file_type()?.is_dir() {
                bonafix_store::copy_tree(entry.path(), &target, &|_| false).map_err(store_fault)?;
            } else {
                fs_err::copy(entry.path(), &target)?;
            }
        }
    }
    fs_err::remove_dir_all(from)?;
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> Result<MutexGuard<'_, T>, LangError> {
    mutex.lock().map_err(|_| LangError::Internal("a lock is broken after a panic".to_owned()))
}

impl Project for JavaProject {
    fn facts(&self) -> ProjectFacts {
        let Some(opened) = self.base.get() else { return ProjectFacts::default() };
        let layout = &opened.base.layout;
        let mut facts = BTreeMap::from([
            ("jdk".to_owned(), self.workshop.jdk.full_version.clone()),
            ("modules".to_owned(), layout.modules.len().to_string()),
        ]);
        let mut levels: Vec<String> = layout
            .modules
            .iter()
            .map(|module| {
                crate::toolchain::effective_release(module.release, &self.workshop.jdk).0.to_string()
            })
            .collect();
        levels.dedup();
        facts.insert("level".to_owned(), levels.join(", "));
        ProjectFacts {
            build_system: layout.build_system.clone(),
            facts,
            notices: opened.base.notices.clone(),
        }
    }

    fn is_test_file(&self, path: &Utf8Path, edit: &FileEdit) -> bool {
        let Some(opened) = self.base.get() else { return false };
        let text = match edit {
            FileEdit::Write(contents) => Some(String::from_utf8_lossy(contents)),
            FileEdit::Delete => None,
        };
        let below = |roots: &[Utf8PathBuf]| roots.iter().any(|root| path.starts_with(root));
        opened.base.layout.modules.iter().any(|module| match module.role_of(path, text.as_deref()) {
            Some((role, _)) => role == Role::Test,
            // Test files that the build does not compile are tests all the same.
            None => below(&module.test_resources) || below(&module.tests) && !below(&module.sources),
        })
    }

    fn build(&self, change: &TreeChange, log: &Utf8Path) -> Result<BuiltVersion, LangError> {
        if self.base.get().is_none() {
            let opened = self.open_base(&self.root, log)?;
            if self.base.set(opened).is_err() {
                return Err(LangError::Internal("the buggy version was built twice".to_owned()));
            }
        }
        let buggy = self.opened()?;
        refuse_left_out(&buggy.base, change)?;
        let key = version_key(&buggy.base, change);
        let (cached, notices) = if Self::touches_build(buggy, change) {
            let opened = self.rebuild(&key, change, log)?;
            let text =
                "the patch changes what only a full build takes up, so the project was built from scratch";
            (opened.base.cached, vec![Notice::new("full-build", text)])
        } else {
            (self.version(buggy, &key, change, log)?.1, Vec::new())
        };
        Ok(BuiltVersion { key: key.as_str().to_owned(), cached, notices })
    }

    fn run_tests(
        &self,
        change: &TreeChange,
        plan: &TestPlan,
        log: &Utf8Path,
        on_test: OnTest<'_>,
    ) -> Result<TestRun, LangError> {
        self.with_version(change, log, |opened, key, change, classes| {
            let listing = self.listing(opened, key, change, classes, log)?;
            let items: Vec<Vec<Item>> = selection::items(&listing.modules, &plan.selection);
            let total = selection::total(&listing.modules, &items);
            let tree = self.tree(opened, change)?;
            let mut whole = Results::default();
            whole.run.problems.clone_from(&listing.problems);
            for (module, items) in items.into_iter().enumerate() {
                if items.is_empty() {
                    continue;
                }
                let vm = self.test_vm(opened, module, classes, &tree, log)?;
                let run = junit::run(&vm, items, plan, &self.workshop.launcher, log, &mut |result, _| {
                    on_test(result, Some(total));
                })?;
                // Two modules may have a test of the same name: the worse outcome counts.
                run.results.into_iter().for_each(|result| whole.keep(result));
                whole.run.problems.extend(run.problems);
                fs_err::remove_dir_all(&vm.scratch)?;
            }
            fs_err::remove_dir_all(&tree)?;
            append(log, &whole.run.problems)?;
            Ok(whole.run)
        })
    }

    fn delta(&self, change: &TreeChange) -> Result<Delta, LangError> {
        let mut files = Vec::new();
        for (path, edit) in &change.files {
            let before = self.read_before(path)?;
            let after = match edit {
                FileEdit::Write(contents) => Some(contents.as_slice()),
                FileEdit::Delete => None,
            };
            if before.is_none() && after.is_none() {
                continue;
            }
            files.push(delta::delta_file(path, before.as_deref(), after));
        }
        Ok(Delta { files })
    }

    fn explorer(&self) -> Option<&dyn bonafix_lang::Explore> {
        Some(self)
    }

    fn tests_in(&self, change: &TreeChange) -> Result<Vec<TestId>, LangError> {
        let mut classes: Vec<TestId> = Vec::new();
        for edit in change.files.values() {
            if let FileEdit::Write(contents) = edit {
                classes.extend(delta::test_methods_in(contents).into_iter().map(|(class, _)| TestId(class)));
            }
        }
        classes.sort();
        classes.dedup();
        Ok(classes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_folders_of_processes_that_are_gone_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - 2 * LEFTOVER_AGE;
        let make = |name: &str, time: Option<std::time::SystemTime>| {
            let path = folder.path().join(name);
            fs_err::create_dir(&path).unwrap();
            if let Some(time) = time {
                std::fs::File::open(&path).unwrap().set_modified(time).unwrap();
            }
            path
        };
        let gone = make("bonafix-4194305-x", Some(old));
        let fresh = make("bonafix-4194306-x", None);
        let ours = make(&format!("bonafix-{}-x", std::process::id()), Some(old));
        let other = make("bonafix-notes", Some(old));
        sweep_leftovers(folder.path());
        assert!(!gone.exists());
        assert!(fresh.exists() && ours.exists() && other.exists());
    }
}
