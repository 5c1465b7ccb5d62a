//! All classes of the buggy version: where they stand, which source each came from, who extends whom, who mentions
//! whom. Answers the question which sources must follow when a class changes its shape.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use crate::shape::Shape;

/// Main code or test code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// What is shipped.
    Main,
    /// What tests it.
    Test,
}

/// One class of the buggy version.
#[derive(Debug, Clone)]
pub(crate) struct IndexedClass {
    /// Which module.
    pub(crate) module: usize,
    /// Main or test.
    pub(crate) side: Side,
    /// The class file.
    pub(crate) file: Utf8PathBuf,
    /// Path below its class folder.
    pub(crate) relative: Utf8PathBuf,
    /// What others see of it.
    pub(crate) shape: Shape,
}

/// A source file, known by module, side, package and file name: what a class file tells of its origin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Origin {
    pub(crate) module: usize,
    pub(crate) side: Side,
    /// With slashes.
    pub(crate) package: String,
    pub(crate) file_name: String,
}

/// The index.
#[derive(Debug, Default)]
pub(crate) struct ClassIndex {
    classes: Vec<IndexedClass>,
    by_name: BTreeMap<String, Vec<usize>>,
    by_origin: BTreeMap<Origin, Vec<usize>>,
}

impl ClassIndex {
    /// Reads every class below the given folders.
    pub(crate) fn read(folders: &[(usize, Side, Utf8PathBuf)]) -> std::io::Result<Self> {
        let mut index = Self::default();
        for (module, side, folder) in folders {
            for (file, relative) in class_files(folder) {
                if let Some(shape) = Shape::read(&fs_err::read(&file)?) {
                    index.add(IndexedClass { module: *module, side: *side, file, relative, shape });
                }
            }
        }
        Ok(index)
    }

    fn add(&mut self, class: IndexedClass) {
        let at = self.classes.len();
        self.by_name.entry(class.shape.name.clone()).or_default().push(at);
        if let Some(origin) = class.origin() {
            self.by_origin.entry(origin).or_default().push(at);
        }
        self.classes.push(class);
    }

    /// The classes that came from one source file.
    pub(crate) fn of_source(&self, origin: &Origin) -> impl Iterator<Item = &IndexedClass> {
        self.by_origin.get(origin).into_iter().flatten().map(|at| &self.classes[*at])
    }

    /// The class of this internal name in one module and side.
    pub(crate) fn get(&self, name: &str, module: usize, side: Side) -> Option<&IndexedClass> {
        let all = self.by_name.get(name)?;
        all.iter().map(|at| &self.classes[*at]).find(|class| class.module == module && class.side == side)
    }

    /// Who mentions one of `names` or a subtype of it, among the buggy classes and those of `overlays`.
    pub(crate) fn users_of(
        &self,
        names: &BTreeSet<String>,
        overlays: &[(usize, Side, Utf8PathBuf)],
    ) -> std::io::Result<Users> {
        let names = self.with_subtypes(names);
        let finders: Vec<_> = names.iter().map(|name| memmem::Finder::new(name.as_bytes())).collect();
        // A class file holds the names it mentions as plain bytes; a longer name that contains a shorter one costs one
        // needless recompilation, which is cheaper than reading the constant pool.
        let mentions = |bytes: &[u8]| finders.iter().any(|finder| finder.find(bytes).is_some());
        let mut users = Users::default();
        for class in &self.classes {
            let origin = class.origin();
            if origin.as_ref().is_some_and(|origin| users.sources.contains(origin)) {
                continue;
            }
            if mentions(&fs_err::read(&class.file)?) {
                users.add(origin, class.module, class.side);
            }
        }
        for (module, side, folder) in overlays {
            for (file, _) in class_files(folder) {
                let bytes = fs_err::read(&file)?;
                if mentions(&bytes) {
                    let origin = Shape::read(&bytes).and_then(|shape| origin(&shape, *module, *side));
                    users.add(origin, *module, *side);
                }
            }
        }
        Ok(users)
    }

    fn with_subtypes(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let mut all = names.clone();
        let mut queue: VecDeque<String> = names.iter().cloned().collect();
        while let Some(name) = queue.pop_front() {
            for class in &self.classes {
                if class.shape.supertypes.contains(&name) && all.insert(class.shape.name.clone()) {
                    queue.push_back(class.shape.name.clone());
                }
            }
        }
        all
    }
}

impl IndexedClass {
    fn origin(&self) -> Option<Origin> {
        origin(&self.shape, self.module, self.side)
    }
}

/// What a class says of its source; nothing when it was compiled without that.
fn origin(shape: &Shape, module: usize, side: Side) -> Option<Origin> {
    Some(Origin { module, side, package: shape.package().to_owned(), file_name: shape.source.clone()? })
}

/// Those who must follow a change.
#[derive(Debug, Default)]
pub(crate) struct Users {
    pub(crate) sources: BTreeSet<Origin>,
    /// Where classes do not say which source they came from, so that all sources must follow.
    pub(crate) unknown: BTreeSet<(usize, Side)>,
}

impl Users {
    fn add(&mut self, origin: Option<Origin>, module: usize, side: Side) {
        match origin {
            Some(origin) => {
                self.sources.insert(origin);
            }
            None => {
                self.unknown.insert((module, side));
            }
        }
    }
}

/// Every class file below a folder, with its path relative to it, in a stable order.
pub(crate) fn class_files(folder: &Utf8Path) -> impl Iterator<Item = (Utf8PathBuf, Utf8PathBuf)> + use<> {
    files_below(folder).filter(|(file, _)| file.extension() == Some("class"))
}

/// Every file below a folder, with its path relative to it, in a stable order.
pub(crate) fn files_below(folder: &Utf8Path) -> impl Iterator<Item = (Utf8PathBuf, Utf8PathBuf)> + use<> {
    let root = folder.to_owned();
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter_map(move |file| {
            let relative = file.strip_prefix(&root).ok()?.to_owned();
            Some((file, relative))
        })
}
