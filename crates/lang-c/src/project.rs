//! A C project as the stages see it: versions are built, tests are run, changes are read.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bonafix_lang::{
    BuiltVersion, Explore, Fuzz, LangError, OnTest, Project, ProjectFacts, TestPlan, Tested, Watch,
    append_log, apply_change,
};
use bonafix_model::{CConfig, Delta, FileEdit, Notice, TestId, TestRun, TestsConfig, TreeChange};
use bonafix_proc::Launcher;
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::build::Workshop;
use crate::ground::{Ground, Plot};
use crate::home::Home;
use crate::recipe;
use crate::serve::ServedTarget;
use crate::suite::{Kind, Suite};
use crate::testing::Stand;
use crate::toolchain::{Compiler, on_path};
use crate::variant::Variant;
use crate::version::{Version, Versions};
use crate::watch::{self, WatchedProgram};
use crate::{configuration, delta};

/// A C project that was opened.
pub struct CProject {
    root: Utf8PathBuf,
    pub(crate) config: CConfig,
    pub(crate) tests: TestsConfig,
    pub(crate) workshop: Workshop,
    suite: Suite,
    pub(crate) versions: Versions,
    scratch: tempfile::TempDir,
    /// The buggy version, built plain.
    buggy: OnceLock<Version>,
    /// The program, relative to the tree.
    program: OnceLock<Option<Utf8PathBuf>>,
    /// A copy of the original test files.
    originals: OnceLock<Utf8PathBuf>,
    next: AtomicU64,
}

impl CProject {
    /// Opens the project at `root`, which is only read.
    pub fn open(
        root: &Utf8Path,
        config: &CConfig,
        tests: &TestsConfig,
        cache: Arc<Cache>,
        launcher: Arc<Launcher>,
    ) -> Result<Self, LangError> {
        let compiler = Compiler::find(config.compiler.as_deref(), &launcher)?;
        let workshop = Workshop { compiler, cache, launcher };
        let scratch = bonafix_store::scratch_folder()?;
        // Links in the path of temporary files would give a place two names.
        let place = scratch.path().canonicalize()?;
        let place = Utf8Path::from_path(&place).ok_or_else(|| {
            configuration(format!("the temporary folder {} is not UTF-8; set TMPDIR", place.display()))
        })?;
        let versions = Versions::open(root, config, workshop.clone(), place)?;
        for tool in versions.recipe.tools() {
            if on_path(tool).is_none() {
                return Err(LangError::ToolMissing {
                    tool: (*tool).to_owned(),
                    purpose: "to build the project".to_owned(),
                    way_out: format!(
                        "install it (on Debian and Ubuntu: `apt install {tool}`), or set `c.command`"
                    ),
                });
            }
        }
        Ok(Self {
            root: root.to_owned(),
            config: config.clone(),
            tests: tests.clone(),
            suite: Suite::read(root, config)?,
            versions,
            workshop,
            scratch,
            buggy: OnceLock::new(),
            program: OnceLock::new(),
            originals: OnceLock::new(),
            next: AtomicU64::new(0),
        })
    }

    /// Does this folder look like a C or C++ project?
    pub fn recognises(root: &Utf8Path) -> bool {
        recipe::recognises(root)
    }

    fn buggy(&self) -> Result<&Version, LangError> {
        self.buggy
            .get()
            .ok_or_else(|| LangError::Internal("the buggy version was not built first".to_owned()))
    }

    fn version(&self, variant: Variant, change: &TreeChange, log: &Utf8Path) -> Result<Version, LangError> {
        self.versions.version(variant, change, &self.suite, log).map_err(|error| self.place(error))
    }

    /// Errors that lie in test files alone are the tests' fault.
    fn place(&self, error: LangError) -> LangError {
        match error {
            LangError::DoesNotCompile { summary, diagnostics, .. } => {
                let in_tests = diagnostics.iter().all(|found| self.suite.owns(Utf8Path::new(&found.file)));
                LangError::DoesNotCompile { summary, diagnostics, in_tests }
            }
            other => other,
        }
    }

    fn fresh_folder(&self, prefix: &str) -> Result<Utf8PathBuf, LangError> {
        let folder =
            self.scratch.path().join(format!("{prefix}{}", self.next.fetch_add(1, Ordering::Relaxed)));
        let folder = Utf8PathBuf::from_path_buf(folder)
            .map_err(|path| LangError::Internal(format!("{} is not UTF-8", path.display())))?;
        fs_err::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The buggy version, as the user has it. Must not be written to.
    pub(crate) fn root(&self) -> &Utf8Path {
        &self.root
    }

    pub(crate) fn suite(&self) -> &Suite {
        &self.suite
    }

    /// A copy of the test files that belong to a version: the original ones, with what the change does to them.
    pub(crate) fn test_files(&self, change: &TreeChange) -> Result<Utf8PathBuf, LangError> {
        let (own, _) = change.partition(|path, _| self.suite.owns(path));
        if let (true, Some(folder)) = (own.is_empty(), self.originals.get()) {
            return Ok(folder.clone());
        }
        let folder = self.fresh_folder("tests-")?;
        self.suite.copy_files(&self.root, &folder)?;
        if own.is_empty() {
            return Ok(self.originals.get_or_init(|| folder).clone());
        }
        apply_change(&folder, &own)?;
        Ok(folder)
    }

    /// The program, where a test needs it: the configured one, or the only one that the build has made.
    pub(crate) fn program(&self) -> Result<Option<Utf8PathBuf>, LangError> {
        if let Some(known) = self.program.get() {
            return Ok(known.clone());
        }
        let tree = self.buggy()?.tree();
        let configured = self.config.program.clone();
        let default = self.versions.recipe.default_program().map(Utf8PathBuf::from);
        let program = match configured.or(default) {
            Some(program) if tree.join(&program).is_file() => Some(program),
            Some(program) => Some(called_so(&program, &self.programs_in(&tree))?),
            None => match self.programs_in(&tree).as_slice() {
                [program] => Some(program.clone()),
                _ if self.suite.config.script.is_some() && self.suite.input.is_none() => None,
                several => return Err(which_program(several)),
            },
        };
        Ok(self.program.get_or_init(|| program).clone())
    }

    /// Programs in a built tree that the project did not bring along.
    fn programs_in(&self, tree: &Utf8Path) -> Vec<Utf8PathBuf> {
        let files = WalkDir::new(tree).sort_by_file_name().into_iter().filter_map(Result::ok);
        let paths = files.filter(|entry| entry.file_type().is_file()).filter_map(|entry| {
            let path = Utf8Path::from_path(entry.path())?.strip_prefix(tree).ok()?.to_owned();
            is_program(entry.path()).then_some(path)
        });
        let made = |path: &Utf8PathBuf| !self.root.join(path).exists();
        let by_cmake = |path: &Utf8PathBuf| path.components().any(|part| part.as_str() == "CMakeFiles");
        paths.filter(|path| made(path) && !by_cmake(path)).collect()
    }

    /// All tests of a version.
    pub(crate) fn list(&self, stand: &Stand<'_>, plan: &TestPlan) -> Result<Vec<(TestId, Kind)>, LangError> {
        let mut scripted = self.suite.config.names.clone();
        if let Some(command) = &self.suite.config.list {
            scripted.extend(stand.names(command, plan.default_limit)?);
        }
        let tests = self.suite.list(stand.originals, &scripted)?;
        Ok(tests.into_iter().map(|(name, kind)| (TestId(name), kind)).collect())
    }

    /// What the developers' tests look at.
    pub(crate) fn what_is_tested(&self) -> Tested {
        let folder = self.test_files(&TreeChange::default());
        let (codes, inputs) =
            folder.map(|folder| (self.suite.codes(&folder), self.suite.inputs(&folder))).unwrap_or_default();
        Tested {
            errors: self.suite.errors.is_some(),
            // A command that compares may overlook more than equality does.
            loose_white_space: self.suite.config.compare.is_some(),
            codes,
            inputs,
        }
    }

    /// A version in a variant, ready to run inputs fast; each may take so long.
    pub fn target(
        &self,
        change: &TreeChange,
        variant: Variant,
        limit: Duration,
        log: &Utf8Path,
    ) -> Result<ServedTarget, LangError> {
        let ground = self.ground(change, variant, limit, log)?;
        ServedTarget::open(ground, variant, &self.workshop)
    }

    /// A version that runs single inputs under a watch; each may take so long, and longer under valgrind, as that is slow.
    pub fn watched(
        &self,
        change: &TreeChange,
        watch: Watch,
        limit: Duration,
        log: &Utf8Path,
    ) -> Result<WatchedProgram, LangError> {
        let ground = self.ground(change, watch::variant(watch), limit, log)?;
        WatchedProgram::new(ground, watch, &self.workshop.compiler)
    }

    /// The ways to watch that work here, and what the user should know of others. The buggy version tells whether the
    /// project can be built with sanitizers.
    pub fn watches(&self, log: &Utf8Path) -> Result<(Vec<Watch>, Vec<Notice>), LangError> {
        let mut watches = vec![Watch::Plain];
        let mut notices = Vec::new();
        match self.refuses_sanitizers(log)? {
            None => watches.push(Watch::Sanitizers),
            Some(reason) => notices.push(Notice::new(
                "no-sanitizers",
                format!("{reason}, so faults of memory are looked for by valgrind alone"),
            )),
        }
        if watch::valgrind().is_some() {
            watches.push(Watch::Valgrind);
        } else {
            let text = "there is no valgrind here, so uninitialised values and leaks are not seen";
            notices.push(Notice::new("no-valgrind", text.to_owned()));
        }
        Ok((watches, notices))
    }

    /// Why the project cannot be built with sanitizers and coverage; none if it can.
    fn refuses_sanitizers(&self, log: &Utf8Path) -> Result<Option<String>, LangError> {
        if !self.workshop.compiler.is_clang {
            return Ok(Some("sanitizers with coverage need clang".to_owned()));
        }
        match self.version(Variant::Fuzz, &TreeChange::default(), log) {
            Ok(_) => Ok(None),
            Err(LangError::DoesNotCompile { summary, .. } | LangError::BuildTool { summary, .. }) => {
                Ok(Some(format!("the project cannot be built with sanitizers ({summary})")))
            }
            Err(error) => Err(error),
        }
    }

    /// A copy of a version to run inputs in.
    pub(crate) fn ground(
        &self,
        change: &TreeChange,
        variant: Variant,
        limit: Duration,
        log: &Utf8Path,
    ) -> Result<Ground, LangError> {
        let version = self.version(variant, change, log)?;
        let home = self.versions.copy(&version)?;
        let program = self.program()?;
        let originals = self.test_files(change)?;
        let job = self.stand(&home, program.as_deref(), &originals).program(limit)?;
        Ground::new(Plot {
            launcher: &self.workshop.launcher,
            home,
            entry: &version.entry,
            job,
            arguments: &self.config.run.arguments,
            pattern: self.suite.config.input.as_deref(),
            filter: self.config.run.filter.as_deref(),
            limit,
        })
    }

    pub(crate) fn stand<'a>(
        &'a self,
        home: &'a Home,
        program: Option<&'a Utf8Path>,
        originals: &'a Utf8Path,
    ) -> Stand<'a> {
        Stand {
            home,
            suite: &self.suite,
            run: &self.config.run,
            tests: &self.tests,
            program,
            originals,
            launcher: &self.workshop.launcher,
            env: &[],
            size: size_of(home.path()),
        }
    }

    fn run_in(
        &self,
        home: &Home,
        change: &TreeChange,
        plan: &TestPlan,
        on_test: OnTest<'_>,
    ) -> Result<TestRun, LangError> {
        let originals = self.test_files(change)?;
        // Neither a build nor an earlier run may leave its own tests behind.
        self.suite.copy_files(&originals, &home.tree())?;
        let program = self.program()?;
        let stand = self.stand(home, program.as_deref(), &originals);
        let tests = self.list(&stand, plan)?;
        stand.run(&tests, plan, on_test)
    }
}

impl Project for CProject {
    fn facts(&self) -> ProjectFacts {
        let compiler = &self.workshop.compiler;
        let mut facts = BTreeMap::from([("compiler".to_owned(), compiler.version.clone())]);
        facts
            .extend(self.program().ok().flatten().map(|program| ("program".to_owned(), program.to_string())));
        ProjectFacts {
            build_system: self.versions.recipe.name().to_owned(),
            facts,
            notices: self.buggy.get().map(|version| version.notices.clone()).unwrap_or_default(),
        }
    }

    fn advice_on_tests(&self) -> String {
        "set `c.tests.input` and `c.tests.output` to patterns such as `tests/*.in` and `tests/*.out`, or `c.tests.script` \
         and `c.tests.names`"
            .to_owned()
    }

    fn is_test_file(&self, path: &Utf8Path, _edit: &FileEdit) -> bool {
        self.suite.owns(path)
    }

    fn build(&self, change: &TreeChange, log: &Utf8Path) -> Result<BuiltVersion, LangError> {
        let version = self.version(Variant::Plain, change, log)?;
        if change.is_empty() {
            self.buggy.get_or_init(|| version.clone());
            self.program()?;
        } else if let Some(program) = self.program()?
            && !version.tree().join(&program).is_file()
        {
            return Err(LangError::BuildTool {
                summary: format!("the build makes no {program}"),
                details: Vec::new(),
            });
        }
        let Version { key, cached, notices, .. } = version;
        Ok(BuiltVersion { key: key.as_str().to_owned(), cached, notices })
    }

    fn run_tests(
        &self,
        change: &TreeChange,
        plan: &TestPlan,
        log: &Utf8Path,
        on_test: OnTest<'_>,
    ) -> Result<TestRun, LangError> {
        let version = self.version(Variant::Plain, change, log)?;
        let home = self.versions.copy(&version)?;
        let run = self.run_in(&home, change, plan, on_test);
        home.remove();
        let run = run?;
        append_log(log, &run.problems)?;
        Ok(run)
    }

    fn delta(&self, change: &TreeChange) -> Result<Delta, LangError> {
        let mut files = Vec::new();
        for (path, edit) in &change.files {
            let file = self.root.join(path);
            let before = if file.is_file() { Some(fs_err::read(&file)?) } else { None };
            let after = match edit {
                FileEdit::Write(contents) => Some(contents.as_slice()),
                FileEdit::Delete => None,
            };
            if before.is_some() || after.is_some() {
                files.push(delta::delta_file(path, before.as_deref(), after));
            }
        }
        Ok(Delta { files })
    }

    fn explorer(&self) -> Option<&dyn Explore> {
        None
    }

    fn fuzzer(&self) -> Option<&dyn Fuzz> {
        Some(self)
    }

    fn tests_in(&self, change: &TreeChange) -> Result<Vec<TestId>, LangError> {
        Ok(self.suite.tests_in(change))
    }
}

/// The only program of this name, wherever the build has put it: a folder such as `build` has another name here.
fn called_so(program: &Utf8Path, made: &[Utf8PathBuf]) -> Result<Utf8PathBuf, LangError> {
    let mut so_called = made.iter().filter(|path| path.file_name() == program.file_name());
    match (so_called.next(), so_called.next()) {
        (Some(one), None) => Ok(one.clone()),
        _ => Err(no_program(program, made)),
    }
}

fn no_program(program: &Utf8Path, made: &[Utf8PathBuf]) -> LangError {
    let made: Vec<&str> = made.iter().map(|path| path.as_str()).collect();
    let made = if made.is_empty() { "no program at all".to_owned() } else { made.join(", ") };
    configuration(format!("the build makes no {program}, but {made}; set `c.program`"))
}

fn which_program(several: &[Utf8PathBuf]) -> LangError {
    let names: Vec<&str> = several.iter().map(|path| path.as_str()).collect();
    let message = if names.is_empty() {
        "the build makes no program; set `c.program`, or `c.build_arguments` to the target that makes it"
            .to_owned()
    } else {
        format!("the build makes several programs: {}; set `c.program` to the one to judge", names.join(", "))
    };
    configuration(message)
}

/// Can the system start this file, and is it no library?
fn is_program(path: &std::path::Path) -> bool {
    let is_executable = path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0);
    let is_library = path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
    let mut magic = [0; 4];
    is_executable
        && !is_library
        && fs_err::File::open(path)
            .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut magic))
            .is_ok_and(|()| &magic == b"\x7fELF")
}

fn size_of(folder: &Utf8Path) -> u64 {
    let files = WalkDir::new(folder).into_iter().filter_map(Result::ok);
    files.filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
}
