//! Versions other than the buggy one: what the change touches is compiled anew, and what then must follow, on top of the
//! buggy classes.
//!
//! Must follow: sources that mention a class whose visible shape changed (or a subtype of it), and sources that
//! contain the name of a constant whose value changed, because javac copies constants. Their own shapes may change
//! in turn, so this goes on until nothing more follows. A class that the change makes disappear is hidden by a copy (of
//! links) of the folder without it.

use std::collections::{BTreeMap, BTreeSet};

use bonafix_lang::{LangError, append_log};
use bonafix_model::{FileEdit, TreeChange};
use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use crate::base::{self, Base, Workshop, classpath, compile_or_fail, javac_options};
use crate::class_index::{Origin, Side, class_files, files_below};
use crate::compiler::{CompileTask, Compiler};
use crate::layout::{Role, package_of};
use crate::shape::Shape;

const SIDES: [Side; 2] = [Side::Main, Side::Test];

/// Where the classes of a version are: an overlay in the cache, over the buggy classes.
#[derive(Debug, Clone)]
pub(crate) struct VersionClasses {
    folder: Option<Utf8PathBuf>,
}

impl VersionClasses {
    /// The buggy version itself.
    pub(crate) fn buggy() -> Self {
        Self { folder: None }
    }

    /// An overlay.
    pub(crate) fn overlay(folder: Utf8PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    /// Class folders of one side of a module, first match first.
    pub(crate) fn folders(&self, base: &Base, module: usize, side: Side) -> Vec<Utf8PathBuf> {
        let below = base.classes(module, side);
        let Some(folder) = &self.folder else { return vec![below] };
        let overlay = overlay_folder(folder, module, side);
        let reduced = reduced_folder(folder, module, side);
        let lower = if reduced.is_dir() { reduced } else { below };
        if overlay.is_dir() { vec![overlay, lower] } else { vec![lower] }
    }

    /// Were test classes compiled anew?
    pub(crate) fn touches_tests(&self, base: &Base) -> bool {
        let Some(folder) = &self.folder else { return false };
        (0..base.layout.modules.len()).any(|module| {
            overlay_folder(folder, module, Side::Test).is_dir()
                || reduced_folder(folder, module, Side::Test).is_dir()
        })
    }

    /// The folder in the cache.
    pub(crate) fn entry(&self) -> Option<&Utf8Path> {
        self.folder.as_deref()
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Main => "main",
        Side::Test => "test",
    }
}

fn overlay_folder(folder: &Utf8Path, module: usize, side: Side) -> Utf8PathBuf {
    folder.join(format!("{module}/{}", side_name(side)))
}

fn reduced_folder(folder: &Utf8Path, module: usize, side: Side) -> Utf8PathBuf {
    folder.join(format!("{module}/{}-without", side_name(side)))
}

/// Makes one overlay.
pub(crate) struct OverlayBuild<'a> {
    pub(crate) base: &'a Base,
    pub(crate) workshop: &'a Workshop,
    pub(crate) compiler: &'a Compiler,
    pub(crate) change: &'a TreeChange,
    /// A folder that the compiler may write to; becomes the entry.
    pub(crate) work: &'a Utf8Path,
    pub(crate) log: &'a Utf8Path,
}

/// Sources still to compile, by module and side, and what came of those that are done.
///
/// A source may be compiled more than once: when a class that it uses changes its shape after it. Since a source
/// makes others follow only when its classes look otherwise than they last did, this comes to an end.
#[derive(Default)]
struct Progress {
    pending: BTreeMap<(usize, Side), BTreeSet<Utf8PathBuf>>,
    /// What was compiled last, together: its members have seen each other's sources.
    round: Option<(usize, Side, BTreeSet<Utf8PathBuf>)>,
    /// Shapes of the classes compiled so far.
    shapes: BTreeMap<(usize, Side, String), Shape>,
    hidden: BTreeMap<(usize, Side), BTreeSet<Utf8PathBuf>>,
}

impl Progress {
    fn want(&mut self, module: usize, side: Side, source: Utf8PathBuf) {
        let in_round = self.round.as_ref().is_some_and(|(round_module, round_side, sources)| {
            (*round_module, *round_side) == (module, side) && sources.contains(&source)
        });
        if !in_round {
            self.pending.entry((module, side)).or_default().insert(source);
        }
    }
}

/// What users of the classes compiled so far must notice.
#[derive(Default)]
struct Ripple {
    classes: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl OverlayBuild<'_> {
    /// Builds the overlay in the work folder.
    pub(crate) fn build(&self) -> Result<(), LangError> {
        let mut progress = Progress::default();
        let mut ripple = Ripple::default();
        self.place_edits(&mut progress, &mut ripple)?;
        self.hide(&mut progress)?;
        while let Some((&(module, side), _)) = progress.pending.first_key_value() {
            let sources = progress.pending.remove(&(module, side)).unwrap_or_default();
            self.compile(module, side, &sources)?;
            self.compare(module, side, &sources, &mut progress, &mut ripple)?;
            progress.round = Some((module, side, sources));
            self.hide(&mut progress)?;
            self.follow(&std::mem::take(&mut ripple), &mut progress)?;
        }
        Ok(())
    }

    fn edits_folder(&self) -> Utf8PathBuf {
        self.work.join("edits")
    }

    /// Writes the edited files, and sorts them into sources to compile, resources, and what disappears.
    fn place_edits(&self, progress: &mut Progress, ripple: &mut Ripple) -> Result<(), LangError> {
        for (path, edit) in &self.change.files {
            let file = self.edits_folder().join(path);
            if let FileEdit::Write(contents) = edit {
                write(&file, contents)?;
            }
            for (module, side, below) in self.homes(path, edit) {
                match (path.extension() == Some("java"), edit) {
                    (true, FileEdit::Write(_)) => progress.want(module, side, file.clone()),
                    (true, FileEdit::Delete) => self.drop_classes_of(module, side, path, progress, ripple)?,
                    (false, FileEdit::Write(contents)) => {
                        write(&overlay_folder(self.work, module, side).join(below), contents)?;
                    }
                    (false, FileEdit::Delete) => {
                        progress.hidden.entry((module, side)).or_default().insert(below);
                    }
                }
            }
        }
        Ok(())
    }

    /// The modules and sides to which a file belongs, with its path below the root there.
    fn homes(&self, path: &Utf8Path, edit: &FileEdit) -> Vec<(usize, Side, Utf8PathBuf)> {
        let text = match edit {
            FileEdit::Write(contents) => Some(String::from_utf8_lossy(contents)),
            FileEdit::Delete => None,
        };
        let java = path.extension() == Some("java");
        let mut homes = Vec::new();
        for (number, module) in self.base.layout.modules.iter().enumerate() {
            let home = match module.role_of(path, text.as_deref()) {
                Some((Role::Main, root)) => Some((Side::Main, root)),
                Some((Role::Test, root)) => Some((Side::Test, root)),
                None if java => None,
                None => holder(&module.resources, path)
                    .map(|root| (Side::Main, root))
                    .or_else(|| holder(&module.test_resources, path).map(|root| (Side::Test, root))),
            };
            if let Some((side, root)) = home {
                homes.push((number, side, path.strip_prefix(root).unwrap_or(path).to_owned()));
            }
        }
        homes
    }

    fn drop_classes_of(
        &self,
        module: usize,
        side: Side,
        path: &Utf8Path,
        progress: &mut Progress,
        ripple: &mut Ripple,
    ) -> Result<(), LangError> {
        let source = self.base.tree().join(path);
        if let Some(origin) = origin_of(&source, module, side)? {
            for class in self.base.index()?.of_source(&origin) {
                ripple.classes.insert(class.shape.name.clone());
                ripple.words.extend(class.shape.constant_names().cloned());
                progress.hidden.entry((module, side)).or_default().insert(class.relative.clone());
            }
        }
        let ripple = std::mem::take(ripple);
        self.follow(&ripple, progress)
    }

    fn folders(&self, module: usize, side: Side) -> Vec<Utf8PathBuf> {
        VersionClasses::overlay(self.work.to_owned()).folders(self.base, module, side)
    }

    fn compile(&self, module: usize, side: Side, sources: &BTreeSet<Utf8PathBuf>) -> Result<(), LangError> {
        let output = overlay_folder(self.work, module, side);
        fs_err::create_dir_all(&output)?;
        append_log(
            self.log,
            &[format!("compiling {} of {}", list(sources), self.base.layout.modules[module].name)],
        )?;
        let task = CompileTask {
            sources: sources.iter().cloned().collect(),
            output,
            classpath: classpath(&self.base.layout, module, side, &|module, side| self.folders(module, side)),
            options: javac_options(&self.base.layout.modules[module], side, &self.workshop.jdk),
        };
        compile_or_fail(self.compiler, task, side, &[&self.edits_folder(), &self.base.tree()], self.log)
    }

    /// Compares what was compiled with the buggy classes of the same sources.
    fn compare(
        &self,
        module: usize,
        side: Side,
        sources: &BTreeSet<Utf8PathBuf>,
        progress: &mut Progress,
        ripple: &mut Ripple,
    ) -> Result<(), LangError> {
        let index = self.base.index()?;
        let mut emitted = BTreeSet::new();
        let mut origins = BTreeSet::new();
        for source in sources {
            origins.extend(origin_of(source, module, side)?);
            if let Ok(path) = source.strip_prefix(self.edits_folder()) {
                // Where the change moves a file to another package, the old classes are those of the old one.
                let before = self.base.tree().join(path);
                if before.is_file() {
                    origins.extend(origin_of(&before, module, side)?);
                }
            }
        }
        for (file, relative) in class_files(&overlay_folder(self.work, module, side)) {
            let Some(shape) = Shape::read(&fs_err::read(&file)?) else { continue };
            emitted.insert(relative);
            let place = (module, side, shape.name.clone());
            let before = progress.shapes.get(&place);
            match before.or_else(|| index.get(&shape.name, module, side).map(|class| &class.shape)) {
                Some(before) => {
                    let difference = before.compare(&shape);
                    if difference.linkage {
                        ripple.classes.insert(shape.name.clone());
                    }
                    ripple.words.extend(difference.constants);
                }
                // A new class may be meant where a source so far meant another of the same simple name.
                None if !shape.name.contains('$') => {
                    ripple.words.extend(shape.name.rsplit('/').next().map(str::to_owned));
                }
                None => {}
            }
            progress.shapes.insert(place, shape);
        }
        for class in origins.iter().flat_map(|origin| index.of_source(origin)) {
            if !emitted.contains(&class.relative) {
                ripple.classes.insert(class.shape.name.clone());
                ripple.words.extend(class.shape.constant_names().cloned());
                progress.hidden.entry((module, side)).or_default().insert(class.relative.clone());
            }
        }
        Ok(())
    }

    /// Makes copies without the files that have disappeared.
    fn hide(&self, progress: &mut Progress) -> Result<(), LangError> {
        for ((module, side), hidden) in &progress.hidden {
            let reduced = reduced_folder(self.work, *module, *side);
            if reduced.is_dir() {
                for file in hidden {
                    match fs_err::remove_file(reduced.join(file)) {
                        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                            return Err(error.into());
                        }
                        _ => {}
                    }
                }
                continue;
            }
            fs_err::create_dir_all(&reduced)?;
            for (file, relative) in files_below(&self.base.classes(*module, *side)) {
                if !hidden.contains(&relative) {
                    link(&file, &reduced.join(relative))?;
                }
            }
        }
        Ok(())
    }

    /// Finds the sources that must follow.
    fn follow(&self, ripple: &Ripple, progress: &mut Progress) -> Result<(), LangError> {
        if !ripple.classes.is_empty() {
            let users = self.base.index()?.users_of(&ripple.classes, &self.overlays())?;
            for origin in &users.sources {
                if let Some(source) = self.source_of(origin)? {
                    progress.want(origin.module, origin.side, source);
                }
            }
            for (module, side) in users.unknown {
                for source in self.all_sources(module, side) {
                    progress.want(module, side, source);
                }
            }
        }
        if !ripple.words.is_empty() {
            for (module, side, source) in self.sources_with(&ripple.words)? {
                progress.want(module, side, source);
            }
        }
        Ok(())
    }

    /// The source of a class in this version: edited, or as in the buggy tree; none when it is deleted.
    fn source_of(&self, origin: &Origin) -> Result<Option<Utf8PathBuf>, LangError> {
        let module = &self.base.layout.modules[origin.module];
        let roots = match origin.side {
            Side::Main => &module.sources,
            Side::Test => &module.tests,
        };
        let below = Utf8Path::new(&origin.package).join(&origin.file_name);
        if let Some(source) = roots.iter().find_map(|root| self.current(&root.join(&below))) {
            return Ok(Some(source));
        }
        // The folder need not be that of the package.
        for source in self.all_sources(origin.module, origin.side) {
            let named = source.file_name() == Some(&origin.file_name);
            if named && package_folder(&source)? == origin.package {
                return Ok(Some(source));
            }
        }
        Ok(None)
    }

    /// All sources of one side of a module in this version, but for new ones, which are compiled anyway.
    fn all_sources(&self, module: usize, side: Side) -> Vec<Utf8PathBuf> {
        let tree = self.base.tree();
        base::java_sources(&tree, &self.base.layout.modules[module], side)
            .into_iter()
            .filter_map(|file| self.current(file.strip_prefix(&tree).ok()?))
            .collect()
    }

    /// Class folders of what was compiled so far.
    fn overlays(&self) -> Vec<(usize, Side, Utf8PathBuf)> {
        let modules = 0..self.base.layout.modules.len();
        let places = modules.flat_map(|module| SIDES.map(|side| (module, side)));
        places.map(|(module, side)| (module, side, overlay_folder(self.work, module, side))).collect()
    }

    fn current(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        match self.change.files.get(path) {
            Some(FileEdit::Write(_)) => Some(self.edits_folder().join(path)),
            Some(FileEdit::Delete) => None,
            None => Some(self.base.tree().join(path)).filter(|file| file.is_file()),
        }
    }

    fn sources_with(&self, words: &BTreeSet<String>) -> Result<Vec<(usize, Side, Utf8PathBuf)>, LangError> {
        let finders: Vec<_> = words.iter().map(|word| memmem::Finder::new(word.as_bytes())).collect();
        let mut found = Vec::new();
        for module in 0..self.base.layout.modules.len() {
            for side in SIDES {
                for source in self.all_sources(module, side) {
                    let text = fs_err::read(&source)?;
                    if finders.iter().any(|finder| finder.find(&text).is_some()) {
                        found.push((module, side, source));
                    }
                }
            }
        }
        Ok(found)
    }
}

fn list(sources: &BTreeSet<Utf8PathBuf>) -> String {
    sources.iter().filter_map(|source| source.file_name()).collect::<Vec<_>>().join(", ")
}

/// The root that holds a path.
fn holder<'a>(roots: &'a [Utf8PathBuf], path: &Utf8Path) -> Option<&'a Utf8Path> {
    roots.iter().map(Utf8PathBuf::as_path).find(|root| path.starts_with(root))
}

fn write(file: &Utf8Path, contents: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs_err::create_dir_all(folder)?;
    }
    fs_err::write(file, contents)
}

/// A hard link where the file system has them, else a copy. Entries of the cache are never written to.
fn link(from: &Utf8Path, to: &Utf8Path) -> std::io::Result<()> {
    if let Some(folder) = to.parent() {
        fs_err::create_dir_all(folder)?;
    }
    if fs_err::hard_link(from, to).is_err() {
        fs_err::copy(from, to)?;
    }
    Ok(())
}

/// What the classes of a source call it: its package and file name.
fn origin_of(source: &Utf8Path, module: usize, side: Side) -> Result<Option<Origin>, LangError> {
    let package = package_folder(source)?;
    Ok(source.file_name().map(|name| Origin { module, side, package, file_name: name.to_owned() }))
}

/// The package that a source declares, as class files write it.
fn package_folder(source: &Utf8Path) -> std::io::Result<String> {
    let text = fs_err::read(source)?;
    Ok(package_of(&String::from_utf8_lossy(&text)).replace('.', "/"))
}
