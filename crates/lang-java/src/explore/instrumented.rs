//! Class folders with probes: steps everywhere, made once for a folder, and everything in changed classes, made for each
//! set of versions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use bonafix_lang::LangError;
use cafebabe::ParseOptions;
use cafebabe::attributes::AttributeData;
use camino::{Utf8Path, Utf8PathBuf};

use super::callgraph::ClassCalls;
use crate::class_index::class_files;
use crate::classfile::{
    IdSpace, Instrumented, MethodFlow, MethodName, ProbePlan, ProbeSite, Selection, flows, instrument,
};

/// Folders that were given probes. One serves all searches of a project.
#[derive(Debug)]
pub struct Preparation {
    scratch: Utf8PathBuf,
    folders: Mutex<BTreeMap<Utf8PathBuf, Arc<PreparedFolder>>>,
}

/// A class folder with steps in it.
#[derive(Debug, Default)]
pub(super) struct PreparedFolder {
    pub(super) classes: Utf8PathBuf,
    pub(super) calls: Vec<ClassCalls>,
    /// What runs as it was, and why.
    pub(super) problems: Vec<String>,
}

impl Preparation {
    /// `scratch` is a folder of its own.
    pub fn new(scratch: &Utf8Path) -> Self {
        Self { scratch: scratch.to_owned(), folders: Mutex::default() }
    }

    /// The classes of a folder, with steps.
    pub(super) fn folder(&self, original: &Utf8Path) -> Result<Arc<PreparedFolder>, LangError> {
        let mut folders = self
            .folders
            .lock()
            .map_err(|_| LangError::Internal("a lock is broken after a panic".to_owned()))?;
        if let Some(found) = folders.get(original) {
            return Ok(Arc::clone(found));
        }
        let target = self.scratch.join(folders.len().to_string());
        let prepared = Arc::new(prepare(original, &target)?);
        folders.insert(original.to_owned(), Arc::clone(&prepared));
        Ok(prepared)
    }
}

fn prepare(original: &Utf8Path, target: &Utf8Path) -> Result<PreparedFolder, LangError> {
    let files: Vec<(Utf8PathBuf, Utf8PathBuf)> = class_files(original).collect();
    let packages: BTreeSet<&Utf8Path> = files.iter().filter_map(|(_, relative)| relative.parent()).collect();
    fs_err::create_dir_all(target)?;
    for package in packages {
        fs_err::create_dir_all(target.join(package))?;
    }
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = files.len().div_ceil(workers).max(1);
    let parts = std::thread::scope(|scope| {
        let parts: Vec<_> =
            files.chunks(share).map(|files| scope.spawn(|| prepare_files(files, target))).collect();
        parts.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let mut prepared = PreparedFolder { classes: target.to_owned(), ..PreparedFolder::default() };
    for part in parts {
        let part = part.map_err(|_| LangError::Internal("instrumenting a class panicked".to_owned()))??;
        prepared.calls.extend(part.calls);
        prepared.problems.extend(part.problems);
    }
    Ok(prepared)
}

fn prepare_files(files: &[(Utf8PathBuf, Utf8PathBuf)], target: &Utf8Path) -> std::io::Result<PreparedFolder> {
    let plan = ProbePlan { steps: Selection::All, initializers: true, clock: true, ..ProbePlan::default() };
    let mut prepared = PreparedFolder::default();
    for (file, relative) in files {
        let bytes = fs_err::read(file)?;
        match instrument(&bytes, &plan, &mut IdSpace::default()) {
            Ok(instrumented) => fs_err::write(target.join(relative), instrumented.bytes)?,
            Err(error) => {
                prepared.problems.push(format!("{relative}: {error}"));
                fs_err::write(target.join(relative), &bytes)?;
            }
        }
        prepared.calls.extend(ClassCalls::read(&bytes));
    }
    Ok(prepared)
}

/// A changed class in one version, and where its probes are.
#[derive(Debug)]
pub(super) struct ProbedClass {
    /// Internal name.
    pub(super) name: String,
    pub(super) methods: Vec<ProbedMethod>,
}

/// A method of it.
#[derive(Debug)]
pub(super) struct ProbedMethod {
    pub(super) name: MethodName,
    /// Offsets and source lines.
    pub(super) lines: Vec<(usize, u32)>,
    pub(super) sites: Vec<ProbeSite>,
    /// None where there is no code.
    pub(super) flow: Option<MethodFlow>,
}

/// The changed classes of one version, and what lacks probes.
#[derive(Debug, Default)]
pub(super) struct ProbedVersion {
    pub(super) classes: Vec<ProbedClass>,
    pub(super) problems: Vec<String>,
    pub(super) calls: Vec<ClassCalls>,
}

/// Is a class one of `owners` or nested in one? Internal names.
pub(super) fn is_of(class: &str, owners: &BTreeSet<String>) -> bool {
    owners.contains(class) || class.match_indices('$').any(|(at, _)| at > 0 && owners.contains(&class[..at]))
}

/// Writes the changed classes of a version into `target`, with all probes.
pub(super) fn probe(
    folders: &[Utf8PathBuf],
    owners: &BTreeSet<String>,
    target: &Utf8Path,
    ids: &mut IdSpace,
) -> Result<ProbedVersion, LangError> {
    let plan = ProbePlan {
        blocks: Selection::All,
        branches: Selection::All,
        steps: Selection::All,
        initializers: true,
        clock: true,
        ..ProbePlan::default()
    };
    let mut version = ProbedVersion::default();
    fs_err::create_dir_all(target)?;
    for (relative, file) in changed_files(folders, owners) {
        let bytes = fs_err::read(&file)?;
        let written = target.join(&relative);
        if let Some(folder) = written.parent() {
            fs_err::create_dir_all(folder)?;
        }
        version.calls.extend(ClassCalls::read(&bytes));
        match instrument(&bytes, &plan, ids) {
            Ok(instrumented) => {
                fs_err::write(&written, &instrumented.bytes)?;
                let skipped = instrumented.skipped.iter();
                version.problems.extend(
                    skipped.map(|skipped| format!("{relative}, {}: {}", skipped.method, skipped.reason)),
                );
                version.classes.push(probed(&bytes, instrumented));
            }
            Err(error) => {
                fs_err::write(&written, &bytes)?;
                version.problems.push(format!("{relative}: {error}"));
            }
        }
    }
    Ok(version)
}

/// Class files of changed classes by their path, the first of each.
fn changed_files(folders: &[Utf8PathBuf], owners: &BTreeSet<String>) -> BTreeMap<Utf8PathBuf, Utf8PathBuf> {
    let packages: BTreeSet<&str> =
        owners.iter().map(|owner| owner.rsplit_once('/').map_or("", |(package, _)| package)).collect();
    let mut found = BTreeMap::new();
    for folder in folders {
        for package in &packages {
            let Ok(entries) = folder.join(package).read_dir_utf8() else { continue };
            for entry in entries.flatten() {
                let relative = Utf8Path::new(package).join(entry.file_name());
                let name = relative.as_str().strip_suffix(".class");
                if name.is_some_and(|name| is_of(name, owners)) {
                    found.entry(relative).or_insert_with(|| entry.path().to_owned());
                }
            }
        }
    }
    found
}

fn probed(bytes: &[u8], instrumented: Instrumented) -> ProbedClass {
    let mut lines = line_tables(bytes);
    let flows = flows(bytes).unwrap_or_default();
    let methods = instrumented.methods.into_iter().enumerate().map(|(index, name)| ProbedMethod {
        lines: lines.remove(&name).unwrap_or_default(),
        sites: instrumented.sites.iter().filter(|site| site.method == index).cloned().collect(),
        flow: flows.iter().find(|flow| flow.method == name).cloned(),
        name,
    });
    ProbedClass { name: instrumented.class, methods: methods.collect() }
}

fn line_tables(bytes: &[u8]) -> BTreeMap<MethodName, Vec<(usize, u32)>> {
    let mut options = ParseOptions::default();
    options.parse_bytecode(false);
    let Ok(class) = cafebabe::parse_class_with_options(bytes, &options) else {
        return BTreeMap::new();
    };
    let tables = class.methods.iter().map(|method| {
        let mut lines = Vec::new();
        for attribute in &method.attributes {
            let AttributeData::Code(code) = &attribute.data else { continue };
            for inner in &code.attributes {
                if let AttributeData::LineNumberTable(rows) = &inner.data {
                    lines.extend(
                        rows.iter().map(|row| (usize::from(row.start_pc), u32::from(row.line_number))),
                    );
                }
            }
        }
        lines.sort_unstable();
        (MethodName { name: method.name.to_string(), descriptor: method.descriptor.to_string() }, lines)
    });
    tables.collect()
}
