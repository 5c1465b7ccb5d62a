//! The source files of a project: read when somebody needs them, in the version in which they are wanted.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::OnceLock;

use bonafix_model::{FileEdit, TreeChange};
use camino::{Utf8Path, Utf8PathBuf};

use super::unit::{Class, Unit};
use crate::{delta, layout};

/// Source files, each parsed at most once.
pub(super) struct SourceSet {
    files: Vec<SourceText>,
    /// Binary name of the class that a file is named for.
    by_class: HashMap<String, usize>,
}

/// A file that may be parsed.
pub(super) struct SourceText {
    pub(super) path: Utf8PathBuf,
    pub(super) text: String,
    /// Its place in the set.
    number: usize,
    unit: OnceLock<Unit>,
}

impl SourceText {
    pub(super) fn unit(&self) -> &Unit {
        self.unit.get_or_init(|| Unit::parse(self.text.clone()))
    }

    /// Does this word stand in it, as a whole?
    pub(super) fn mentions(&self, word: &str) -> bool {
        mentions(&self.text, word)
    }
}

/// Does a word stand in a text, as a whole?
pub(super) fn mentions(text: &str, word: &str) -> bool {
    let part_of_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    !word.is_empty()
        && memchr::memmem::find_iter(text.as_bytes(), word).any(|at| {
            let bytes = text.as_bytes();
            !part_of_word(at.checked_sub(1).and_then(|before| bytes.get(before)))
                && !part_of_word(bytes.get(at + word.len()))
        })
}

/// The contents of a file in the version that a change makes of a tree; `None` where it has none.
pub(super) fn read(tree: &Utf8Path, change: Option<&TreeChange>, path: &Utf8Path) -> Option<String> {
    match change.and_then(|change| change.files.get(path)) {
        Some(FileEdit::Write(contents)) => Some(delta::decode(contents)),
        Some(FileEdit::Delete) => None,
        None => fs_err::read(tree.join(path)).ok().map(|bytes| delta::decode(&bytes)),
    }
}

impl SourceSet {
    /// Reads files of a version. Paths are relative to the tree.
    pub(super) fn read(tree: &Utf8Path, change: Option<&TreeChange>, paths: &[Utf8PathBuf]) -> Self {
        let mut set = Self { files: Vec::new(), by_class: HashMap::new() };
        for path in paths {
            let Some(text) = read(tree, change, path) else { continue };
            set.add(path, text);
        }
        set
    }

    pub(super) fn add(&mut self, path: &Utf8Path, text: String) {
        let package = layout::package_of(&text);
        let stem = path.file_stem().unwrap_or_default();
        let class = if package.is_empty() { stem.to_owned() } else { format!("{package}.{stem}") };
        let number = self.files.len();
        self.by_class.insert(class, number);
        self.files.push(SourceText { path: path.to_owned(), text, number, unit: OnceLock::new() });
    }

    pub(super) fn files(&self) -> &[SourceText] {
        &self.files
    }

    /// The file that a class stands in, by the class's binary name.
    pub(super) fn file_of(&self, class: &str) -> Option<&SourceText> {
        let outermost = class.split('$').next().unwrap_or(class);
        self.by_class.get(outermost).map(|at| &self.files[*at])
    }
}

/// A class and its superclasses.
pub(super) type Lineage<'a> = Rc<[Rc<Class<'a>>]>;

/// The classes of a set of sources, found by name.
pub(super) struct Classes<'a> {
    sources: &'a SourceSet,
    /// By binary name; of the files that were parsed.
    known: RefCell<BTreeMap<String, Rc<Class<'a>>>>,
    /// Numbers of these files.
    parsed: RefCell<HashSet<usize>>,
    lineages: RefCell<HashMap<String, Lineage<'a>>>,
}

impl<'a> Classes<'a> {
    pub(super) fn new(sources: &'a SourceSet) -> Self {
        Self { sources, known: RefCell::default(), parsed: RefCell::default(), lineages: RefCell::default() }
    }

    /// The class of that binary name.
    pub(super) fn find(&self, binary: &str) -> Option<Rc<Class<'a>>> {
        if let Some(found) = self.known.borrow().get(binary) {
            return Some(Rc::clone(found));
        }
        let file = self.sources.file_of(binary)?;
        self.load(file);
        self.known.borrow().get(binary).cloned()
    }

    /// The classes that a file declares.
    pub(super) fn in_file(&self, file: &'a SourceText) -> Vec<Rc<Class<'a>>> {
        self.load(file);
        let unit: *const Unit = file.unit();
        let known = self.known.borrow();
        known.values().filter(|class| std::ptr::eq(class.unit, unit)).map(Rc::clone).collect()
    }

    fn load(&self, file: &'a SourceText) {
        if !self.parsed.borrow_mut().insert(file.number) {
            return;
        }
        let mut known = self.known.borrow_mut();
        for class in file.unit().classes() {
            known.entry(class.binary.clone()).or_insert_with(|| Rc::new(class));
        }
    }

    /// What a name in a class means among these classes.
    pub(super) fn named(&self, class: &Class<'a>, written: &str) -> Option<Rc<Class<'a>>> {
        let nested = written.replace('.', "$");
        let mut around = Some(class.binary.clone());
        while let Some(outer) = around {
            if let Some(found) = self.find(&format!("{outer}${nested}")) {
                return Some(found);
            }
            // A class is known by its own name inside itself, too.
            if outer.rsplit(['$', '.']).next() == Some(written) {
                return self.find(&outer);
            }
            around = outer.rsplit_once('$').map(|(outer, _)| outer.to_owned());
        }
        let first = written.split('.').next().unwrap_or(written);
        for import in class.unit.imports.iter().filter(|import| !import.on_demand) {
            if import.name.rsplit('.').next() == Some(first) {
                let qualified = format!("{}{}", import.name, &nested[first.len()..]);
                return self.find(&qualified).or_else(|| self.find(&as_nested(&qualified)));
            }
        }
        let in_package = |package: &str| {
            if package.is_empty() { nested.clone() } else { format!("{package}.{nested}") }
        };
        self.find(&in_package(class.package()))
            .or_else(|| {
                let demanded =
                    class.unit.imports.iter().filter(|import| import.on_demand && !import.is_static);
                demanded.into_iter().find_map(|import| self.find(&in_package(&import.name)))
            })
            .or_else(|| self.find(written))
    }

    /// A class and its superclasses, as far as there are sources.
    pub(super) fn lineage(&self, class: &Rc<Class<'a>>) -> Lineage<'a> {
        const DEEP: usize = 8;
        if let Some(known) = self.lineages.borrow().get(&class.binary) {
            return Rc::clone(known);
        }
        let mut found = vec![Rc::clone(class)];
        while let Some(parent) = found
            .last()
            .and_then(|last| last.superclass.as_ref().and_then(|name| self.named(last, name)))
            .filter(|parent| found.len() < DEEP && !found.iter().any(|known| known.binary == parent.binary))
        {
            found.push(parent);
        }
        let found: Lineage<'a> = found.into();
        self.lineages.borrow_mut().insert(class.binary.clone(), Rc::clone(&found));
        found
    }
}

/// `a.b.Outer.Inner` as a binary name: by convention classes begin with a capital.
fn as_nested(canonical: &str) -> String {
    let mut binary = String::new();
    let mut in_class = false;
    for part in canonical.split('.') {
        if !binary.is_empty() {
            binary.push(if in_class { '$' } else { '.' });
        }
        in_class |= part.starts_with(char::is_uppercase);
        binary.push_str(part);
    }
    binary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_mentioned_only_as_a_whole() {
        assert!(mentions("new Parser();", "Parser"));
        assert!(!mentions("new ParserTest();", "Parser"));
        assert!(!mentions("MyParser", "Parser"));
    }

    #[test]
    fn superclasses_are_found_over_imports_and_packages() {
        let mut set = SourceSet::read(Utf8Path::new("/nowhere"), None, &[]);
        set.add(
            "a/Base.java".into(),
            "package a; public class Base { public static class Inner {} }".to_owned(),
        );
        set.add("b/Mid.java".into(), "package b; import a.Base; class Mid extends Base {}".to_owned());
        set.add("b/Leaf.java".into(), "package b; import a.Base.Inner; class Leaf extends Mid {}".to_owned());
        let classes = Classes::new(&set);
        let leaf = classes.find("b.Leaf").unwrap();
        let names: Vec<String> = classes.lineage(&leaf).iter().map(|class| class.binary.clone()).collect();
        assert_eq!(names, ["b.Leaf", "b.Mid", "a.Base"]);
        assert_eq!(
            classes.named(&leaf, "Inner").map(|class| class.binary.clone()).as_deref(),
            Some("a.Base$Inner")
        );
        assert!(classes.named(&leaf, "Unheard").is_none());
    }
}
