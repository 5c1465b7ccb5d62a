//! Which tests to run: the build's patterns for class names, the plan's selection, the frameworks on the class path.

use std::collections::BTreeSet;

use bonafix_lang::LangError;
use bonafix_model::{TestId, TestSelection};
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use memchr::memmem;

use crate::junit::{Item, ListedClass};
use crate::runtime::Part;

/// Surefire's patterns, which speak of source files: `**/*Test.java`.
pub(crate) struct ClassPatterns {
    includes: Option<GlobSet>,
    excludes: GlobSet,
}

impl ClassPatterns {
    /// No includes means every class.
    pub(crate) fn new(includes: &[String], excludes: &[String]) -> Result<Self, LangError> {
        let includes = if includes.is_empty() { None } else { Some(globs(includes, "java.test_includes")?) };
        Ok(Self { includes, excludes: globs(excludes, "java.test_excludes")? })
    }

    /// Does a class file below its folder match?
    pub(crate) fn matches(&self, class_file: &Utf8Path) -> bool {
        let source = class_file.with_extension("java");
        self.includes.as_ref().is_none_or(|includes| includes.is_match(&source))
            && !self.excludes.is_match(&source)
    }
}

fn globs(patterns: &[String], key: &str) -> Result<GlobSet, LangError> {
    let wrong = |error: globset::Error| LangError::Configuration { message: format!("`{key}`: {error}") };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        // Regular expressions (`%regex[…]`) and method parts (`#method`) are beyond a class name; the first are rare
        // enough to be asked for as globs, the second only narrow what a class runs.
        let pattern = pattern.split('#').next().unwrap_or(pattern).trim();
        if pattern.is_empty() || pattern.starts_with('%') {
            continue;
        }
        let stem =
            pattern.strip_suffix(".java").or_else(|| pattern.strip_suffix(".class")).unwrap_or(pattern);
        let path =
            if stem.contains('/') || stem.contains('*') { stem.to_owned() } else { stem.replace('.', "/") };
        let path = if path.contains('/') { path } else { format!("**/{path}") };
        let glob =
            GlobBuilder::new(&format!("{path}.java")).literal_separator(true).build().map_err(wrong)?;
        set.add(glob);
    }
    set.build().map_err(wrong)
}

/// What to run of each module.
pub(crate) fn items(modules: &[Vec<ListedClass>], selection: &TestSelection) -> Vec<Vec<Item>> {
    match selection {
        TestSelection::Matching { .. } => {
            modules.iter().map(|classes| matching(classes, selection)).collect()
        }
        TestSelection::Only(ids) => named(modules, ids),
    }
}

/// The wanted tests of a module, each once: a suite runs only what no other class runs.
fn matching(classes: &[ListedClass], selection: &TestSelection) -> Vec<Item> {
    let mut covered: BTreeSet<&str> = BTreeSet::new();
    let mut items = Vec::new();
    let (suites, others): (Vec<_>, Vec<_>) = classes.iter().partition(|class| class.suite);
    for class in others.into_iter().chain(suites) {
        let wanted = class.tests.iter().map(|test| test.id.as_str());
        let wanted: Vec<&str> =
            wanted.filter(|id| !covered.contains(id) && selection.wants(&TestId((*id).to_owned()))).collect();
        if wanted.is_empty() {
            continue;
        }
        let whole = wanted.len() == class.tests.len();
        let ids = if whole { Vec::new() } else { wanted.iter().map(|id| (*id).to_owned()).collect() };
        items.push(Item { engine: class.engine.clone(), class: class.class.clone(), ids });
        covered.extend(wanted);
    }
    items
}

/// Tests by name, each class once, in the order in which the names come.
fn named(modules: &[Vec<ListedClass>], ids: &[TestId]) -> Vec<Vec<Item>> {
    let mut items: Vec<Vec<Item>> = modules.iter().map(|_| Vec::new()).collect();
    for id in ids {
        for (module, classes) in modules.iter().enumerate() {
            if let Some(class) = holder(classes, id) {
                add(&mut items[module], class, id);
            }
        }
    }
    items
}

/// The class to run for an id: one of its own before a suite that collects it.
fn holder<'a>(classes: &'a [ListedClass], id: &TestId) -> Option<&'a ListedClass> {
    let mut found = classes.iter().filter(|class| holds(class, id));
    let first = found.clone().find(|class| !class.suite);
    first.or_else(|| found.next())
}

fn holds(class: &ListedClass, id: &TestId) -> bool {
    class.class == id.0
        || class
            .tests
            .iter()
            .any(|test| test.id == id.0 || TestId(test.id.clone()).matches(&id.0) || id.matches(&test.id))
}

fn add(items: &mut Vec<Item>, class: &ListedClass, id: &TestId) {
    let whole = class.class == id.0;
    let existing = items.iter_mut().find(|item| item.class == class.class && item.engine == class.engine);
    match existing {
        Some(item) if whole => item.ids.clear(),
        Some(item) if item.ids.is_empty() || item.ids.contains(&id.0) => {}
        Some(item) => item.ids.push(id.0.clone()),
        None => items.push(Item {
            engine: class.engine.clone(),
            class: class.class.clone(),
            ids: if whole { Vec::new() } else { vec![id.0.clone()] },
        }),
    }
}

/// How many tests the items are, as far as the listing knows.
pub(crate) fn total(modules: &[Vec<ListedClass>], items: &[Vec<Item>]) -> u64 {
    let mut total = 0;
    for (classes, items) in modules.iter().zip(items) {
        for item in items {
            total += if item.ids.is_empty() {
                classes.iter().filter(|class| class.class == item.class).map(|class| class.tests.len()).sum()
            } else {
                item.ids.len()
            };
        }
    }
    total as u64
}

/// The adapters for the frameworks on a class path. JUnit 4 runs JUnit 3 tests too.
pub(crate) fn adapters(classpath: &[Utf8PathBuf]) -> Result<Vec<Part>, LangError> {
    let mut parts = Vec::new();
    if has_class(classpath, "org/junit/runner/Request.class")? {
        parts.push(Part::JUnit4);
    } else if has_class(classpath, "junit/framework/TestCase.class")? {
        parts.push(Part::JUnit3);
    }
    if has_class(classpath, "org/junit/platform/launcher/Launcher.class")? {
        parts.push(Part::JUnit5);
    }
    Ok(parts)
}

/// Does a jar hold test frameworks? Adapters are compiled against these alone, so that they are shared by projects.
pub(crate) fn is_framework(jar: &Utf8Path) -> bool {
    const MARKS: [&str; 5] = [
        "org/junit/",
        "junit/framework/TestCase.class",
        "org/opentest4j/",
        "org/hamcrest/",
        "org/apiguardian/",
    ];
    holds_any(jar, &MARKS).unwrap_or(false)
}

/// Looks for a class on a class path.
pub(crate) fn has_class(classpath: &[Utf8PathBuf], name: &str) -> Result<bool, LangError> {
    for entry in classpath {
        if holds_any(entry, &[name])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Does a folder or a jar hold one of these? Names in a jar's directory are plain bytes, so no archive need be read.
fn holds_any(entry: &Utf8Path, names: &[&str]) -> Result<bool, LangError> {
    if entry.is_dir() {
        return Ok(names.iter().any(|name| entry.join(name).exists()));
    }
    if !entry.is_file() {
        return Ok(false);
    }
    let bytes = fs_err::read(entry)?;
    Ok(names.iter().any(|name| memmem::find(&bytes, name.as_bytes()).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::junit::ListedTest;

    fn class(name: &str, tests: &[&str]) -> ListedClass {
        ListedClass {
            class: name.to_owned(),
            engine: "junit4".to_owned(),
            suite: false,
            tests: tests
                .iter()
                .map(|id| ListedTest { id: format!("{name}#{id}"), template: false })
                .collect(),
        }
    }

    fn matches(includes: &[&str], excludes: &[&str], class_file: &str) -> bool {
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        ClassPatterns::new(&own(includes), &own(excludes)).unwrap().matches(Utf8Path::new(class_file))
    }

    #[test]
    fn patterns_read_as_surefire_reads_them() {
        assert!(matches(&["**/*Test.java"], &[], "a/b/FooTest.class"));
        assert!(matches(&["**/*Test.java"], &[], "FooTest.class"));
        assert!(!matches(&["**/*Test.java"], &[], "a/FooTests.class"));
        assert!(matches(&["*Test"], &[], "a/b/FooTest.class"));
        assert!(matches(&["a.b.FooTest"], &[], "a/b/FooTest.class"));
        assert!(!matches(&[], &["**/Abstract*.java"], "a/AbstractTest.class"));
        assert!(matches(&[], &["**/Abstract*.java"], "a/OtherTest.class"));
        assert!(matches(&["**/Foo*.class"], &[], "a/FooX.class"));
    }

    #[test]
    fn a_broken_pattern_names_its_key() {
        let error = ClassPatterns::new(&["a[".to_owned()], &[]).err().unwrap().to_string();
        assert!(error.contains("java.test_includes"), "{error}");
    }

    #[test]
    fn a_whole_class_is_run_as_a_class_and_a_part_by_name() {
        let modules = vec![vec![class("A", &["x", "y"]), class("B", &["z"])]];
        let all = items(&modules, &TestSelection::all());
        assert!(all[0].iter().all(|item| item.ids.is_empty()));
        assert_eq!(total(&modules, &all), 3);
        let some =
            items(&modules, &TestSelection::Matching { only: vec!["A#x".to_owned()], ignore: Vec::new() });
        assert_eq!(some[0].len(), 1);
        assert_eq!(some[0][0].ids, ["A#x"]);
        assert_eq!(total(&modules, &some), 1);
    }

    /// A suite that collects tests of other classes.
    fn suite(name: &str, ids: &[&str]) -> ListedClass {
        let tests = ids.iter().map(|id| ListedTest { id: (*id).to_owned(), template: false }).collect();
        ListedClass { class: name.to_owned(), engine: "junit4".to_owned(), suite: true, tests }
    }

    #[test]
    fn suites_do_not_run_tests_that_run_anyway() {
        let all = vec![vec![suite("AllTests", &["A#x", "A#y"]), class("A", &["x", "y"])]];
        let items = items(&all, &TestSelection::all());
        assert_eq!(items[0].iter().map(|item| item.class.as_str()).collect::<Vec<_>>(), ["A"]);
    }

    #[test]
    fn where_only_suites_are_listed_they_run_and_each_test_once() {
        let all = vec![vec![suite("All", &["A#x", "B#y"]), suite("Some", &["A#x", "C#z"])]];
        let run = items(&all, &TestSelection::all());
        assert_eq!(run[0][0], Item { engine: "junit4".to_owned(), class: "All".to_owned(), ids: Vec::new() });
        assert_eq!(run[0][1].ids, ["C#z"]);
        assert_eq!(total(&all, &run), 3);
        let only = items(&all, &TestSelection::Only(vec![TestId("B#y".to_owned())]));
        assert_eq!(
            (only[0][0].class.as_str(), only[0][0].ids.as_slice()),
            ("All", ["B#y".to_owned()].as_slice())
        );
    }

    #[test]
    fn tests_are_found_by_id_by_class_and_by_invocation() {
        let modules = vec![vec![class("A", &["x", "p(int)"])], vec![class("B", &["z"])]];
        let only = |ids: &[&str]| {
            items(&modules, &TestSelection::Only(ids.iter().map(|id| TestId((*id).to_owned())).collect()))
        };
        assert_eq!(only(&["B"])[1][0].ids, Vec::<String>::new());
        assert_eq!(only(&["A#x"])[0][0].ids, ["A#x"]);
        assert_eq!(only(&["A#p(int)[2]"])[0][0].ids, ["A#p(int)[2]"]);
        assert!(only(&["C#x"]).iter().all(Vec::is_empty));
    }
}
