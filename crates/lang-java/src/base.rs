//! The buggy version: a private copy of the subject's tree, its layout, and its classes, kept in the cache.
//!
//! The key is made of everything that decides the result (tree, configuration, JDK), so the same subject is built
//! once, and a second run starts from the stored layout without asking the build tool again.

use std::sync::{Arc, OnceLock};

use bonafix_lang::{LangError, append_log};
use bonafix_model::{JavaConfig, Notice};
use bonafix_proc::Launcher;
use bonafix_store::{Cache, Key, KeyBuilder};
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::class_index::{ClassIndex, Side, files_below};
use crate::compiler::{CompileTask, Compiler, relative_to};
use crate::layout::{self, Classes, Layout, LayoutRequest, Module, Role};
use crate::toolchain::{Jdk, effective_release};
use crate::{runtime, store_fault};

/// Raise when what an entry holds changes its form.
const ENTRY: &str = "java-base-4";

/// A test file that does not compile is set aside only while it is one of this many, or fewer.
const SET_ASIDE_AT_MOST_ONE_IN: usize = 10;

/// What everything here is made with.
#[derive(Clone)]
pub(crate) struct Workshop {
    pub(crate) jdk: Jdk,
    pub(crate) cache: Arc<Cache>,
    pub(crate) launcher: Arc<Launcher>,
    /// Class folder of the runtime's core.
    pub(crate) runtime: Utf8PathBuf,
}

impl Workshop {
    pub(crate) fn open(
        config: &JavaConfig,
        cache: Arc<Cache>,
        launcher: Arc<Launcher>,
    ) -> Result<Self, LangError> {
        check_class_path_folder(cache.root(), "the cache", "BONAFIX_CACHE")?;
        if let Some(temporary) = Utf8Path::from_path(&std::env::temp_dir()) {
            check_class_path_folder(temporary, "the folder for temporary files", "TMPDIR")?;
        }
        let jdk = Jdk::find(config.jdk.as_deref())?;
        let runtime = runtime::classes(runtime::Part::Core, &[], &jdk, &cache, &launcher)?;
        Ok(Self { jdk, cache, launcher, runtime })
    }
}

/// Class paths divide their entries by colons, so a folder with one in its name cannot be an entry.
fn check_class_path_folder(folder: &Utf8Path, what: &str, variable: &str) -> Result<(), LangError> {
    if !folder.as_str().contains(':') {
        return Ok(());
    }
    Err(LangError::Configuration {
        message: format!(
            "{what}, {folder}, has a `:` in its path, which cannot be on a Java class path; set {variable} to another \
             folder"
        ),
    })
}

/// What is stored beside the classes.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Stored {
    layout: Layout,
    notices: Vec<Notice>,
}

/// The buggy version, built.
pub(crate) struct Base {
    folder: Utf8PathBuf,
    pub(crate) key: Key,
    pub(crate) layout: Layout,
    pub(crate) notices: Vec<Notice>,
    pub(crate) cached: bool,
    index: OnceLock<ClassIndex>,
}

impl Base {
    /// Builds the tree at `root`, or finds it built.
    pub(crate) fn build(
        root: &Utf8Path,
        config: &JavaConfig,
        workshop: &Workshop,
        log: &Utf8Path,
    ) -> Result<Self, LangError> {
        let digest =
            bonafix_store::digest_tree(root, &|path| is_no_source(root, path)).map_err(store_fault)?;
        let described =
            serde_json::to_string(config).map_err(|error| LangError::Internal(error.to_string()))?;
        let key = KeyBuilder::new(ENTRY)
            .part("tree", &digest.hash)
            .part("config", described)
            .part("jdk", &workshop.jdk.full_version)
            .part("jdk-home", workshop.jdk.home.as_str())
            .finish();
        let inserted = workshop.cache.insert_with("java-base", &key, |staging| {
            let stored = make(root, config, workshop, staging, log)?;
            let text =
                serde_json::to_vec_pretty(&stored).map_err(|error| LangError::Internal(error.to_string()))?;
            fs_err::write(staging.join("base.json"), text)?;
            Ok(())
        });
        let inserted = inserted.map_err(|error| error.unify(store_fault))?;
        let stored = fs_err::read(inserted.path.join("base.json"))?;
        let stored: Stored = serde_json::from_slice(&stored)
            .map_err(|error| LangError::Internal(format!("{}: {error}", inserted.path)))?;
        let folder = inserted.path;
        Ok(Self {
            cached: inserted.built.is_none(),
            key,
            layout: rebased(stored.layout, |path| folder.join(path)),
            notices: stored.notices,
            folder,
            index: OnceLock::new(),
        })
    }

    /// The private copy of the subject's tree. Must not be written to.
    pub(crate) fn tree(&self) -> Utf8PathBuf {
        self.folder.join("tree")
    }

    /// The whole entry, for what may read it.
    pub(crate) fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// Where the classes of a module are.
    pub(crate) fn classes(&self, module: usize, side: Side) -> Utf8PathBuf {
        class_folder(&self.folder, &self.layout.modules[module], module, side)
    }

    /// All classes, read when first needed.
    pub(crate) fn index(&self) -> Result<&ClassIndex, LangError> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let mut folders = Vec::new();
        for module in 0..self.layout.modules.len() {
            for side in [Side::Main, Side::Test] {
                folders.push((module, side, self.classes(module, side)));
            }
        }
        let index = ClassIndex::read(&folders)?;
        Ok(self.index.get_or_init(|| index))
    }

    /// Everything outside of the entry that a compiler or a test of this project reads.
    pub(crate) fn outside(&self) -> Vec<Utf8PathBuf> {
        outside(&self.layout)
    }
}

/// Jars of the project's own tree move with the entry, so they are stored relative to it. (`join` leaves absolute
/// paths as they are.)
fn rebased(mut layout: Layout, place: impl Fn(&Utf8Path) -> Utf8PathBuf) -> Layout {
    for module in &mut layout.modules {
        for path in module.classpath.iter_mut().chain(module.processor_path.iter_mut().flatten()) {
            *path = place(path);
        }
    }
    layout
}

fn outside(layout: &Layout) -> Vec<Utf8PathBuf> {
    let mut paths: Vec<Utf8PathBuf> = layout
        .modules
        .iter()
        .flat_map(|module| module.classpath.iter().chain(module.processor_path.iter().flatten()))
        .cloned()
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

fn class_folder(entry: &Utf8Path, module: &Module, number: usize, side: Side) -> Utf8PathBuf {
    match (&module.classes, side) {
        (Classes::Built { main, .. }, Side::Main) => entry.join("tree").join(main),
        (Classes::Built { test, .. }, Side::Test) => entry.join("tree").join(test),
        (Classes::ToCompile, Side::Main) => entry.join(format!("classes/{number}/main")),
        (Classes::ToCompile, Side::Test) => entry.join(format!("classes/{number}/test")),
    }
}

/// What is neither source nor needed for a build: histories, results of builds, our own results.
pub(crate) fn is_no_source(root: &Utf8Path, path: &Utf8Path) -> bool {
    let beside = |name: &str| path.parent().is_some_and(|parent| root.join(parent).join(name).is_file());
    match path.file_name() {
        Some(".git" | ".svn" | ".hg" | ".gradle" | ".idea" | "node_modules") => true,
        Some("target") => beside("pom.xml"),
        Some("bonafix") => path.ends_with("target/bonafix"),
        Some("build") => beside("build.gradle") || beside("build.gradle.kts"),
        _ => false,
    }
}

fn make(
    root: &Utf8Path,
    config: &JavaConfig,
    workshop: &Workshop,
    staging: &Utf8Path,
    log: &Utf8Path,
) -> Result<Stored, LangError> {
    let tree = staging.join("tree");
    let copied =
        bonafix_store::copy_tree(root, &tree, &|path| is_no_source(root, path)).map_err(store_fault)?;
    let resolved = workshop.cache.root().join("classpaths");
    fs_err::create_dir_all(&resolved)?;
    let mut layout = layout::discover(&LayoutRequest {
        root: &tree,
        config,
        jdk: &workshop.jdk,
        launcher: &workshop.launcher,
        log,
        cache: &resolved,
    })?;
    let mut notices = layout.notices.clone();
    if !copied.left_out.is_empty() {
        notices.push(Notice::new(
            "left-out",
            format!("left out of the private copy: {}", copied.left_out.join("; ")),
        ));
    }
    notices.extend(compile_modules(&mut layout, workshop, staging, log)?);
    let layout = rebased(layout, |path| path.strip_prefix(staging).unwrap_or(path).to_owned());
    Ok(Stored { layout, notices })
}

/// Compiles the modules that no build tool has compiled. Test files that this JDK cannot compile are set aside.
fn compile_modules(
    layout: &mut Layout,
    workshop: &Workshop,
    staging: &Utf8Path,
    log: &Utf8Path,
) -> Result<Vec<Notice>, LangError> {
    if layout.modules.iter().all(|module| module.classes != Classes::ToCompile) {
        return Ok(Vec::new());
    }
    let mut readable = outside(layout);
    readable.push(staging.to_owned());
    let compiler = Compiler::new(
        workshop.jdk.clone(),
        workshop.runtime.clone(),
        staging.to_owned(),
        readable,
        Arc::clone(&workshop.launcher),
    );
    let mut notices = Vec::new();
    for number in 0..layout.modules.len() {
        if layout.modules[number].classes != Classes::ToCompile {
            continue;
        }
        compile_side(layout, number, Side::Main, &compiler, workshop, staging, log)?;
        loop {
            let result = compile_side(layout, number, Side::Test, &compiler, workshop, staging, log);
            let Err(error) = result else { break };
            notices.push(set_aside_tests(&mut layout.modules[number], staging, error)?);
        }
    }
    Ok(notices)
}

fn compile_side(
    layout: &Layout,
    number: usize,
    side: Side,
    compiler: &Compiler,
    workshop: &Workshop,
    staging: &Utf8Path,
    log: &Utf8Path,
) -> Result<(), LangError> {
    let module = &layout.modules[number];
    let (sources, resources) = match side {
        Side::Main => (&module.sources, &module.resources),
        Side::Test => (&module.tests, &module.test_resources),
    };
    let output = class_folder(staging, module, number, side);
    fs_err::create_dir_all(&output)?;
    copy_resources(staging, sources, resources, &output)?;
    let task = CompileTask {
        sources: java_sources(&staging.join("tree"), module, side),
        output,
        classpath: classpath(layout, number, side, &|module, side| {
            vec![class_folder(staging, &layout.modules[module], module, side)]
        }),
        options: javac_options(module, side, &workshop.jdk),
    };
    compile_or_fail(compiler, task, side, &[&staging.join("tree")], log)
}

/// Takes the test files with errors out of the module, so that a few that are not for this JDK do not cost all the
/// others; gives the error back where they are more than a few.
fn set_aside_tests(module: &mut Module, staging: &Utf8Path, error: LangError) -> Result<Notice, LangError> {
    let LangError::DoesNotCompile { diagnostics, .. } = &error else { return Err(error) };
    let mut files: Vec<Utf8PathBuf> =
        diagnostics.iter().map(|diagnostic| Utf8PathBuf::from(&diagnostic.file)).collect();
    files.sort();
    files.dedup();
    let all = java_sources(&staging.join("tree"), module, Side::Test).len();
    let mut patterns = Vec::new();
    for file in &files {
        let Some((Role::Test, root)) = module.role_of(file, None) else { return Err(error) };
        patterns.push(file.strip_prefix(root).unwrap_or(file).to_string());
    }
    if files.is_empty() || files.len() * SET_ASIDE_AT_MOST_ONE_IN > all {
        return Err(error);
    }
    let names = files.iter().map(|file| file.as_str()).collect::<Vec<_>>().join(", ");
    let text = format!(
        "does not compile with this JDK, so its tests are set aside: {names} ({})",
        diagnostics[0].message
    );
    module.excluded_tests.extend(patterns);
    Ok(Notice::new("test-set-aside", text))
}

/// Sources of one side.
pub(crate) fn java_sources(tree: &Utf8Path, module: &Module, side: Side) -> Vec<Utf8PathBuf> {
    let (roots, wanted) = match side {
        Side::Main => (&module.sources, Role::Main),
        Side::Test => (&module.tests, Role::Test),
    };
    let mut sources: Vec<Utf8PathBuf> = roots
        .iter()
        .flat_map(|root| files_below(&tree.join(root)))
        .map(|(file, _)| file)
        .filter(|file| file.extension() == Some("java"))
        .filter(|file| {
            let path = file.strip_prefix(tree).unwrap_or(file);
            module.role_of(path, None).is_some_and(|(role, _)| role == wanted)
        })
        .collect();
    sources.sort();
    sources.dedup();
    sources
}

/// Copies what lies in resource folders, and what is no source in source folders, as Ant builds do.
fn copy_resources(
    entry: &Utf8Path,
    sources: &[Utf8PathBuf],
    resources: &[Utf8PathBuf],
    output: &Utf8Path,
) -> Result<(), LangError> {
    for root in sources.iter().chain(resources) {
        let root = entry.join("tree").join(root);
        if !root.is_dir() {
            continue;
        }
        for (file, relative) in files_below(&root) {
            if matches!(file.extension(), Some("java" | "class" | "html" | "jar")) {
                continue;
            }
            let target = output.join(relative);
            if let Some(folder) = target.parent() {
                fs_err::create_dir_all(folder)?;
            }
            fs_err::copy(&file, &target)?;
        }
    }
    Ok(())
}

/// The class path of one side of a module, given where the classes of a version are.
pub(crate) fn classpath(
    layout: &Layout,
    number: usize,
    side: Side,
    folders: &dyn Fn(usize, Side) -> Vec<Utf8PathBuf>,
) -> Vec<Utf8PathBuf> {
    let module = &layout.modules[number];
    let mut path = Vec::new();
    if side == Side::Test {
        path.extend(folders(number, Side::Test));
    }
    path.extend(folders(number, Side::Main));
    if side == Side::Test {
        path.extend(module.upstream_tests.iter().flat_map(|module| folders(*module, Side::Test)));
    }
    path.extend(module.upstream.iter().flat_map(|module| folders(*module, Side::Main)));
    path.extend(module.classpath.iter().cloned());
    path
}

/// Options for javac, the same for the buggy version and all others.
pub(crate) fn javac_options(module: &Module, side: Side, jdk: &Jdk) -> Vec<String> {
    let asked = match side {
        Side::Main => module.release,
        Side::Test => module.test_release.or(module.release),
    };
    let (level, _) = effective_release(asked, jdk);
    let mut options: Vec<String> =
        ["-g", "-nowarn", "-Xlint:none", "-implicit:none", "-Xmaxerrs", "50"].map(str::to_owned).to_vec();
    options.push("-encoding".to_owned());
    options.push(module.encoding.clone().unwrap_or_else(|| "UTF-8".to_owned()));
    if jdk.version >= 9 {
        options.extend(["--release".to_owned(), level.to_string()]);
    } else {
        let level = level.to_string();
        options.extend(["-source".to_owned(), level.clone(), "-target".to_owned(), level]);
    }
    if let Some(path) = &module.processor_path {
        let path = path.iter().map(|entry| entry.as_str()).collect::<Vec<_>>().join(":");
        options.extend(["-processorpath".to_owned(), path]);
    }
    options.extend(module.javac_options.iter().cloned());
    options
}

/// Compiles; sources that need what `--release` hides (internal classes of the JDK) get a second try without it.
pub(crate) fn compile_or_fail(
    compiler: &Compiler,
    mut task: CompileTask,
    side: Side,
    roots: &[&Utf8Path],
    log: &Utf8Path,
) -> Result<(), LangError> {
    if task.sources.is_empty() {
        return Ok(());
    }
    let mut answer = compiler.compile(&task)?;
    append_log(log, &answer.log)?;
    if !answer.success
        && let Some(at) = task.options.iter().position(|option| option == "--release")
    {
        "-source".clone_into(&mut task.options[at]);
        let level = task.options[at + 1].clone();
        task.options.splice(at + 2..at + 2, ["-target".to_owned(), level]);
        let again = compiler.compile(&task)?;
        if again.success {
            append_log(
                log,
                &["compiled with -source and -target, since --release hides classes it needs".to_owned()],
            )?;
            answer = again;
        }
    }
    if answer.success {
        return Ok(());
    }
    let mut diagnostics = answer.errors;
    relative_to(&mut diagnostics, roots);
    let count = diagnostics.len();
    Err(LangError::DoesNotCompile {
        summary: format!("{count} compile error{}", if count == 1 { "" } else { "s" }),
        diagnostics,
        in_tests: side == Side::Test,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_named_target_is_left_out_only_where_maven_builds() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("target/bonafix/run-1")).unwrap();
        assert!(!is_no_source(root, Utf8Path::new("target")));
        assert!(is_no_source(root, Utf8Path::new("target/bonafix")));
        assert!(!is_no_source(root, Utf8Path::new("src/bonafix")));
        fs_err::write(root.join("pom.xml"), "").unwrap();
        assert!(is_no_source(root, Utf8Path::new("target")));
    }

    #[test]
    fn a_colon_in_the_path_of_the_cache_is_an_error_that_names_what_to_set() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().join("a:b");
        let cache = Arc::new(Cache::open(&root).unwrap());
        let launcher = Arc::new(Launcher::new(bonafix_proc::SandboxMode::Off).unwrap());
        let error = Workshop::open(&JavaConfig::default(), cache, launcher).err().unwrap();
        assert!(matches!(error, LangError::Configuration { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(root.as_str()) && text.contains("BONAFIX_CACHE"), "{text}");
        assert!(check_class_path_folder(Utf8Path::new("/tmp/x"), "the cache", "BONAFIX_CACHE").is_ok());
    }
}
