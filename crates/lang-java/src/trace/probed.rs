//! Class folders that tell of each line they run: those of the buggy version made once for a project, those of a patch
//! made for it alone, and changed classes with the entries and exits of changed methods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bonafix_lang::LangError;
use cafebabe::ParseOptions;
use cafebabe::attributes::AttributeData;
use camino::{Utf8Path, Utf8PathBuf};

use crate::class_index::class_files;
use crate::classfile::{IdSpace, MethodName, ProbePlan, Selection, SiteKind, instrument};

/// The lines of one class, by the numbers of their probes.
#[derive(Debug)]
pub(super) struct ClassLines {
    /// Package and file name: `pkg/Outer.java`.
    pub(super) source: String,
    /// The number of the first.
    pub(super) first: u32,
    pub(super) lines: Vec<u32>,
}

/// A class folder with lines in it.
#[derive(Debug)]
pub(super) struct LineFolder {
    classes: Utf8PathBuf,
    lines: Vec<ClassLines>,
    problems: Vec<String>,
}

/// Folders of the buggy version. Numbers of probes are unique over all of them.
#[derive(Debug)]
pub(crate) struct LinePreparation {
    scratch: Utf8PathBuf,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    folders: BTreeMap<Utf8PathBuf, Arc<LineFolder>>,
    ids: IdSpace,
}

impl LinePreparation {
    /// `scratch` is a folder of its own.
    pub(crate) fn new(scratch: &Utf8Path) -> Self {
        Self { scratch: scratch.to_owned(), known: Mutex::default() }
    }

    fn known(&self) -> Result<MutexGuard<'_, Known>, LangError> {
        self.known.lock().map_err(|_| LangError::Internal("a lock is broken after a panic".to_owned()))
    }

    /// The classes of a folder, with lines.
    pub(super) fn folder(&self, original: &Utf8Path) -> Result<(Utf8PathBuf, Arc<LineFolder>), LangError> {
        let mut known = self.known()?;
        if let Some(found) = known.folders.get(original) {
            return Ok((original.to_owned(), Arc::clone(found)));
        }
        let target = self.scratch.join(known.folders.len().to_string());
        let folder = Arc::new(folder(original, &target, &mut known.ids)?);
        known.folders.insert(original.to_owned(), Arc::clone(&folder));
        Ok((original.to_owned(), folder))
    }

    /// Numbers from here on are free for what is made for one patch.
    pub(super) fn used(&self) -> Result<IdSpace, LangError> {
        Ok(self.known()?.ids)
    }
}

/// All of a version.
pub(super) struct ProbedVersion {
    folders: Vec<(Utf8PathBuf, Arc<LineFolder>)>,
    /// Where changed classes are.
    pub(super) changed: Utf8PathBuf,
    own: Written,
}

impl ProbedVersion {
    /// Folders as they were, each with its own.
    pub(super) fn folders(&self) -> Vec<(Utf8PathBuf, Utf8PathBuf)> {
        self.folders.iter().map(|(original, folder)| (original.clone(), folder.classes.clone())).collect()
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &ClassLines> {
        self.folders.iter().flat_map(|(_, folder)| &folder.lines).chain(&self.own.lines)
    }

    pub(super) fn problems(&self) -> impl Iterator<Item = String> {
        let folders = self.folders.iter().flat_map(|(_, folder)| &folder.problems);
        folders.chain(&self.own.problems).cloned()
    }
}

/// Probes what a version has beside the folders that are there already, into `target`.
pub(super) fn version(
    folders: &[Utf8PathBuf],
    shared: &[(Utf8PathBuf, Arc<LineFolder>)],
    changed: &BTreeSet<(String, MethodName)>,
    target: &Utf8Path,
    mut ids: IdSpace,
) -> Result<ProbedVersion, LangError> {
    let mut probed = Vec::new();
    for (number, original) in folders.iter().enumerate() {
        let known = shared.iter().find(|(known, _)| known == original).map(|(_, folder)| Arc::clone(folder));
        let folder = match known {
            Some(folder) => folder,
            None => Arc::new(folder(original, &target.join(number.to_string()), &mut ids)?),
        };
        probed.push((original.clone(), folder));
    }
    let place = target.join("changed");
    fs_err::create_dir_all(&place)?;
    let mut own = Written::default();
    let mut methods: BTreeMap<&str, BTreeSet<MethodName>> = BTreeMap::new();
    for (class, method) in changed {
        methods.entry(class).or_default().insert(method.clone());
    }
    for (class, methods) in methods {
        let relative = Utf8PathBuf::from(format!("{class}.class"));
        let file = folders.iter().map(|folder| folder.join(&relative)).find(|file| file.is_file());
        let Some(file) = file else { continue };
        if let Some(package) = relative.parent() {
            fs_err::create_dir_all(place.join(package))?;
        }
        own.class(&file, &relative, &place, Selection::Named(methods), &mut ids)?;
    }
    Ok(ProbedVersion { folders: probed, changed: place, own })
}

fn folder(original: &Utf8Path, target: &Utf8Path, ids: &mut IdSpace) -> Result<LineFolder, LangError> {
    let files: Vec<(Utf8PathBuf, Utf8PathBuf)> = class_files(original).collect();
    let packages: BTreeSet<&Utf8Path> = files.iter().filter_map(|(_, relative)| relative.parent()).collect();
    fs_err::create_dir_all(target)?;
    for package in packages {
        fs_err::create_dir_all(target.join(package))?;
    }
    let mut written = Written::default();
    for (file, relative) in &files {
        written.class(file, relative, target, Selection::None, ids)?;
    }
    Ok(LineFolder { classes: target.to_owned(), lines: written.lines, problems: written.problems })
}

/// Classes that were given probes.
#[derive(Default)]
struct Written {
    lines: Vec<ClassLines>,
    problems: Vec<String>,
}

impl Written {
    fn class(
        &mut self,
        file: &Utf8Path,
        relative: &Utf8Path,
        target: &Utf8Path,
        calls: Selection,
        ids: &mut IdSpace,
    ) -> Result<(), LangError> {
        let (lines, steps) = (Selection::All, Selection::All);
        let plan = ProbePlan { lines, steps, calls, initializers: true, ..ProbePlan::default() };
        let bytes = fs_err::read(file)?;
        let first = ids.lines;
        let instrumented = match instrument(&bytes, &plan, ids) {
            Ok(instrumented) => instrumented,
            Err(error) => {
                self.problems.push(format!("{relative}: {error}"));
                fs_err::write(target.join(relative), &bytes)?;
                return Ok(());
            }
        };
        fs_err::write(target.join(relative), &instrumented.bytes)?;
        let skipped = instrumented.skipped.iter();
        self.problems
            .extend(skipped.map(|skipped| format!("{relative}, {}: {}", skipped.method, skipped.reason)));
        let mut lines = vec![0; (ids.lines - first) as usize];
        for site in instrumented.sites.iter().filter(|site| site.kind == SiteKind::Line) {
            lines[(site.id - first) as usize] = site.line.map_or(0, u32::from);
        }
        self.lines.push(ClassLines { source: source(&bytes, relative), first, lines });
        Ok(())
    }
}

/// Package and file name of the source that a class came from; where it does not say, it is named like the class.
fn source(class: &[u8], relative: &Utf8Path) -> String {
    let mut options = ParseOptions::default();
    options.parse_bytecode(false);
    let parsed = cafebabe::parse_class_with_options(class, &options).ok();
    let named = parsed.as_ref().and_then(|class| {
        class.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::SourceFile(name) => Some(name.to_string()),
            _ => None,
        })
    });
    let stem = relative.file_stem().unwrap_or_default();
    let outermost = stem.find('$').filter(|at| *at > 0).map_or(stem, |at| &stem[..at]);
    let name = named.unwrap_or_else(|| format!("{outermost}.java"));
    relative.parent().unwrap_or(Utf8Path::new("")).join(name).into_string()
}
