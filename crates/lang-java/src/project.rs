//! A Java project as the stages see it: versions are built, tests are run, changes are read.

mod capturing;
mod surroundings;
mod testing;
mod tracing_tests;
mod versions;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use bonafix_lang::{BuiltVersion, LangError, OnTest, Project, ProjectFacts, TestPlan, append_log};
use bonafix_model::{Catalog, Delta, FileEdit, JavaConfig, Notice, TestId, TestRun, TestsConfig, TreeChange};
use bonafix_proc::Launcher;
use bonafix_store::{Cache, PassingFolder};
use camino::{Utf8Path, Utf8PathBuf};

use self::capturing::WatchKey;
pub(crate) use self::surroundings::Surroundings;
use self::testing::Listing;
use self::versions::{refuse_left_out, version_key};
use crate::base::{Base, Workshop};
use crate::compiler::Compiler;
use crate::delta;
use crate::explore::{self, Preparation};
use crate::junit::{self, Item, Results};
use crate::knowledge::Captured;
use crate::layout::Role;
use crate::overlay::VersionClasses;
use crate::selection;
use crate::toolchain::Jdk;
use crate::trace::LinePreparation;

/// Files that tell a project that is built by a tool.
const BUILD_FILES: [&str; 6] =
    ["pom.xml", "build.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// Searches whose inputs may be run again.
const KEPT_CATALOGS: usize = 16;

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
    lines: OnceLock<LinePreparation>,
    /// What inputs of the latest searches are made of, by the keys of their versions.
    catalogs: Mutex<VecDeque<(Vec<String>, Arc<Catalog>)>>,
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
            scratch: bonafix_store::scratch_folder()?,
            base: OnceLock::new(),
            rebuilt: Mutex::default(),
            preparation: OnceLock::new(),
            lines: OnceLock::new(),
            catalogs: Mutex::default(),
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

    /// A folder that is removed with what it is kept by.
    pub(crate) fn passing_folder(&self, prefix: &str) -> Result<PassingFolder, LangError> {
        self.fresh_folder(prefix).map(PassingFolder::new)
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

    /// Class folders that tell what they run, made once for all patches.
    pub(crate) fn line_preparation(&self) -> Result<&LinePreparation, LangError> {
        if self.lines.get().is_none() {
            let scratch = self.fresh_folder("lines-")?;
            return Ok(self.lines.get_or_init(|| LinePreparation::new(&scratch)));
        }
        self.lines.get().ok_or_else(|| LangError::Internal("no folder for lines".to_owned()))
    }

    /// Keeps what the inputs of a search are made of, for whoever runs them again.
    pub(crate) fn keep_catalog(&self, changes: &[&TreeChange], catalog: &Catalog) -> Result<(), LangError> {
        let key = self.version_keys(changes)?;
        let mut known = lock(&self.catalogs)?;
        known.retain(|(other, _)| *other != key);
        known.push_back((key, Arc::new(catalog.clone())));
        if known.len() > KEPT_CATALOGS {
            known.pop_front();
        }
        Ok(())
    }

    /// What the inputs of a search in these versions are made of, if it is kept still.
    pub(crate) fn known_catalog(&self, changes: &[&TreeChange]) -> Result<Option<Arc<Catalog>>, LangError> {
        let key = self.version_keys(changes)?;
        let known = lock(&self.catalogs)?;
        Ok(known.iter().find(|(other, _)| *other == key).map(|(_, catalog)| Arc::clone(catalog)))
    }

    fn version_keys(&self, changes: &[&TreeChange]) -> Result<Vec<String>, LangError> {
        let base = &self.opened()?.base;
        Ok(changes.iter().map(|change| version_key(base, change).as_str().to_owned()).collect())
    }

    /// What all versions have on their class path, and is there.
    pub(crate) fn existing_libraries(&self) -> Result<Vec<Utf8PathBuf>, LangError> {
        Ok(self.libraries()?.into_iter().filter(|path| path.exists()).collect())
    }

    /// What all versions have on their class path.
    pub(crate) fn libraries(&self) -> Result<Vec<Utf8PathBuf>, LangError> {
        Ok(explore::libraries(self.base()?))
    }

    /// What everything is made with.
    pub(crate) fn workshop(&self) -> &Workshop {
        &self.workshop
    }

    fn read_before(&self, path: &Utf8Path) -> Result<Option<Vec<u8>>, LangError> {
        let file = self.root.join(path);
        if file.is_file() { Ok(Some(fs_err::read(file)?)) } else { Ok(None) }
    }
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

    fn advice_on_tests(&self) -> String {
        "set `java.tests` in bonafix.toml to the folders of the test sources, and `java.test_includes` if their class \
         names follow a pattern of their own"
            .to_owned()
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
            append_log(log, &whole.run.problems)?;
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
