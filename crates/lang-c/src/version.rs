//! Built versions in the cache, and what must be built from scratch.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use bonafix_lang::{LangError, apply_change};
use bonafix_model::{CConfig, CRunConfig, CTestsConfig, FileEdit, Notice, TreeChange};
use bonafix_store::{Key, KeyBuilder};
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::build::{Build, Workshop};
use crate::home::{Estate, Home};
use crate::recipe::{Recipe, is_header, is_source};
use crate::runtime::{self, Runtime};
use crate::store_fault;
use crate::suite::Suite;
use crate::toolchain::Flags;
use crate::variant::Variant;

/// Raise when what an entry holds changes its form.
const ENTRY: &str = "c-version-2";
const NOTICES: &str = "notices.json";

/// A version that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) key: Key,
    /// Entry of the cache. Must not be written to.
    pub(crate) entry: Utf8PathBuf,
    pub(crate) cached: bool,
    pub(crate) notices: Vec<Notice>,
}

impl Version {
    /// Its tree. Must not be written to, nor run in.
    pub(crate) fn tree(&self) -> Utf8PathBuf {
        self.entry.join("home/tree")
    }
}

/// Versions by variant and key.
type Known = BTreeMap<(Variant, String), Version>;

/// All versions of a project.
pub(crate) struct Versions {
    root: Utf8PathBuf,
    config: CConfig,
    pub(crate) recipe: Recipe,
    /// Of the buggy tree.
    digest: String,
    workshop: Workshop,
    estate: Estate,
    known: Mutex<Known>,
}

impl Versions {
    pub(crate) fn open(
        root: &Utf8Path,
        config: &CConfig,
        workshop: Workshop,
        scratch: &Utf8Path,
    ) -> Result<Self, LangError> {
        let recipe = Recipe::read(root, config)?;
        let digest = bonafix_store::digest_tree(root, &|path| is_no_source(root, config, path));
        Ok(Self {
            root: root.to_owned(),
            config: config.clone(),
            recipe,
            digest: digest.map_err(store_fault)?.hash,
            workshop,
            estate: Estate::new(scratch),
            known: Mutex::default(),
        })
    }

    /// A copy of a built version, to run in.
    pub(crate) fn copy(&self, version: &Version) -> Result<Home, LangError> {
        let home = self.estate.copy_of(&version.entry)?;
        fs_err::create_dir_all(home.temporary())?;
        Ok(home)
    }

    /// A version in a variant, built or found in the cache.
    pub(crate) fn version(
        &self,
        variant: Variant,
        change: &TreeChange,
        suite: &Suite,
        log: &Utf8Path,
    ) -> Result<Version, LangError> {
        let key = self.key(variant, change)?;
        let name = (variant, key.as_str().to_owned());
        if let Some(known) = self.known()?.get(&name) {
            return Ok(Version { cached: true, ..known.clone() });
        }
        let reason = self.needs_scratch(change, suite)?;
        let below = match (&reason, change.is_empty()) {
            (None, false) => Some(self.version(variant, &TreeChange::default(), suite, log)?),
            _ => None,
        };
        let inserted = self.workshop.cache.insert_with("c-version", &key, |staging| {
            let mut notices = Vec::new();
            let home = match &below {
                Some(buggy) => self.copy(buggy)?,
                None => self.fresh(&mut notices)?,
            };
            let built = self.build(variant, change, &home, below.is_none(), log);
            if let Err(error) = built {
                home.remove();
                return Err(error);
            }
            notices.extend(reason.as_ref().map(|reason| {
                Notice::new("full-build", format!("{reason}, so the project was built from scratch"))
            }));
            write_notices(staging, &notices)?;
            home.store(staging)
        });
        let inserted = inserted.map_err(|error| error.unify(store_fault))?;
        let notices = read_notices(&inserted.path)?;
        let version = Version { key, entry: inserted.path, cached: inserted.built.is_none(), notices };
        self.known()?.insert(name, version.clone());
        Ok(version)
    }

    fn known(&self) -> Result<MutexGuard<'_, Known>, LangError> {
        self.known.lock().map_err(|_| LangError::Internal("a lock is broken after a panic".to_owned()))
    }

    /// A private copy of the buggy tree, not built.
    fn fresh(&self, notices: &mut Vec<Notice>) -> Result<Home, LangError> {
        let home = self.estate.empty()?;
        let left_out = self.copy_sources(&home.tree())?;
        if !left_out.is_empty() {
            let text = format!("left out of the private copy: {}", left_out.join("; "));
            notices.push(Notice::new("left-out", text));
        }
        Ok(home)
    }

    /// Copies the buggy tree, without results of builds; what could not be copied, with the reasons.
    pub(crate) fn copy_sources(&self, to: &Utf8Path) -> Result<Vec<String>, LangError> {
        let skip = |path: &Utf8Path| is_no_source(&self.root, &self.config, path);
        Ok(bonafix_store::copy_tree(&self.root, to, &skip).map_err(store_fault)?.left_out)
    }

    fn build(
        &self,
        variant: Variant,
        change: &TreeChange,
        home: &Home,
        from_scratch: bool,
        log: &Utf8Path,
    ) -> Result<(), LangError> {
        apply_change(&home.tree(), change)?;
        let mut flags = Flags::new(variant, &self.config.cflags, &self.config.ldflags, &home.tree());
        if variant.has_runtime() {
            let folder = home.path().join("runtime");
            Runtime::of(&self.workshop)?.copy_objects(&folder)?;
            flags = flags.with_runtime(&folder);
        }
        if variant == Variant::Trace {
            flags.program = runtime::tracer(&self.workshop, &home.path().join("runtime"))?;
        }
        let build = Build {
            workshop: &self.workshop,
            recipe: &self.recipe,
            home,
            flags: &flags,
            program: self.config.program.as_deref(),
            log,
        };
        build.run(from_scratch)
    }

    fn key(&self, variant: Variant, change: &TreeChange) -> Result<Key, LangError> {
        // How it is run and tested does not change what is built.
        let config =
            CConfig { run: CRunConfig::default(), tests: CTestsConfig::default(), ..self.config.clone() };
        let config =
            serde_json::to_string(&config).map_err(|error| LangError::Internal(error.to_string()))?;
        let compiler = &self.workshop.compiler;
        let mut key = KeyBuilder::new(ENTRY)
            .part("tree", &self.digest)
            .part("config", config)
            .part("compiler", format!("{} {:?} {}", compiler.cc, compiler.cxx, compiler.version))
            .part("variant", variant.name())
            .parts("flags", variant.flags())
            .parts("last flags", variant.last_flags())
            .part("length", self.estate.length().to_string());
        if variant.has_runtime() {
            key = key.parts("runtime", Runtime::sources());
        }
        if variant == Variant::Trace {
            key = key.part("runtime", runtime::tracer_source());
        }
        for (path, edit) in &change.files {
            key = match edit {
                FileEdit::Write(contents) => key.part("write", path.as_str()).part("contents", contents),
                FileEdit::Delete => key.part("delete", path.as_str()),
            };
        }
        Ok(key.finish())
    }

    /// Why a change cannot be built on top of the built buggy tree; none if it can.
    fn needs_scratch(&self, change: &TreeChange, suite: &Suite) -> Result<Option<String>, LangError> {
        for (path, edit) in &change.files {
            if (suite.owns(path) && !is_source(path) && !is_header(path)) || is_prose(path) {
                continue;
            }
            if *edit == FileEdit::Delete || !self.root.join(path).is_file() {
                return Ok(Some(format!("the patch adds or removes {path}")));
            }
            if self.recipe.tracks_headers() && (is_source(path) || is_header(path)) {
                continue;
            }
            if !is_source(path) {
                return Ok(Some(format!("the patch changes {path}, which is no source")));
            }
            if self.is_included(path)? {
                return Ok(Some(format!("the patch changes {path}, which other sources include")));
            }
        }
        Ok(None)
    }

    /// Does another source include this one by name?
    fn is_included(&self, source: &Utf8Path) -> Result<bool, LangError> {
        let Some(name) = source.file_name() else { return Ok(false) };
        for entry in WalkDir::new(&self.root) {
            let entry = entry.map_err(std::io::Error::from)?;
            let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
            if !entry.file_type().is_file() || !(is_source(path) || is_header(path)) {
                continue;
            }
            let text = fs_err::read(path)?;
            let includes = String::from_utf8_lossy(&text)
                .lines()
                .any(|line| line.trim_start().starts_with('#') && line.contains(name));
            if includes {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Is this file for people alone?
fn is_prose(path: &Utf8Path) -> bool {
    let names = ["AUTHORS", "CHANGES", "COPYING", "ChangeLog", "LICENSE", "NEWS", "README", "THANKS", "TODO"];
    matches!(path.extension(), Some("md" | "rst" | "html"))
        || path.file_name().is_some_and(|name| names.contains(&name))
}

fn write_notices(staging: &Utf8Path, notices: &[Notice]) -> Result<(), LangError> {
    let text = serde_json::to_vec(notices).map_err(|error| LangError::Internal(error.to_string()))?;
    Ok(fs_err::write(staging.join(NOTICES), text)?)
}

fn read_notices(entry: &Utf8Path) -> Result<Vec<Notice>, LangError> {
    let text = fs_err::read(entry.join(NOTICES))?;
    serde_json::from_slice(&text).map_err(|error| LangError::Internal(format!("{entry}: {error}")))
}

/// What is neither source nor needed for a build: histories, results of builds, our own results. A build of ours must
/// not find objects that were made without its flags.
fn is_no_source(root: &Utf8Path, config: &CConfig, path: &Utf8Path) -> bool {
    let is_built = matches!(path.extension(), Some("o" | "lo" | "obj" | "gcda" | "gcno"));
    match path.file_name() {
        Some(".git" | ".svn" | ".hg" | ".libs") => true,
        Some("bonafix") if path.ends_with("target/bonafix") => true,
        _ => {
            is_built
                || config.program.as_deref() == Some(path)
                || root.join(path).join("CMakeCache.txt").is_file()
        }
    }
}
