//! Ant projects. A build file is a program, so it is not run: it is read for level and encoding, and jars are taken from
//! the configuration or the folders where such projects keep them.

use std::collections::BTreeMap;

use bonafix_lang::LangError;
use bonafix_model::Notice;
use camino::{Utf8Path, Utf8PathBuf};
use roxmltree::{Document, Node, ParsingOptions};
use walkdir::WalkDir;

use super::plain::{self, Hints};
use super::properties::{self, expand};
use super::{Layout, LayoutRequest};
use crate::toolchain::parse_level;

/// Build files as Ant projects and generators for Ant call them.
const BUILD_FILES: [&str; 2] = ["build.xml", "maven-build.xml"];

/// Folders where projects keep jars.
const JAR_FOLDERS: [&str; 4] = ["lib", "libs", "jars", "ant/lib"];

/// What build files say of the compiler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AntFacts {
    pub(crate) release: Option<u32>,
    pub(crate) encoding: Option<String>,
    /// The tests run in a JVM for each class.
    pub(crate) fork_each_class: bool,
}

/// Is there an Ant build file?
pub(crate) fn detect(root: &Utf8Path) -> bool {
    root.join("build.xml").is_file()
}

/// The project by its folders, with level and encoding from the build file.
pub(crate) fn layout(request: &LayoutRequest) -> Result<Layout, LangError> {
    let facts = read(request.root);
    let mut hints = Hints {
        release: facts.release,
        encoding: facts.encoding,
        fork_each_class: facts.fork_each_class,
        ..Hints::default()
    };
    if request.config.classpath.is_empty() {
        let (jars, notice) = project_jars(request.root);
        hints.classpath = jars;
        hints.notices.extend(notice);
    }
    plain::layout(request, "ant", hints)
}

/// The jars that the project keeps, with a notice that says so.
pub(crate) fn project_jars(root: &Utf8Path) -> (Vec<Utf8PathBuf>, Option<Notice>) {
    let folders: Vec<Utf8PathBuf> =
        JAR_FOLDERS.iter().map(|folder| root.join(folder)).filter(|folder| folder.is_dir()).collect();
    let jars: Vec<Utf8PathBuf> = folders.iter().flat_map(|folder| jars_below(folder)).collect();
    let notice = (!jars.is_empty()).then(|| {
        let names: Vec<&str> = folders.iter().filter_map(|folder| folder.file_name()).collect();
        let text = format!(
            "{} jars below {} make the class path (`java.classpath` sets another)",
            jars.len(),
            names.join(", ")
        );
        Notice::new("project-jars", text)
    });
    (jars, notice)
}

/// All jars below a folder, in order of path.
pub(crate) fn jars_below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter(|path| path.extension() == Some("jar") && path.is_file())
        .filter(|path| !is_no_library(path.file_name().unwrap_or_default()))
        .collect()
}

/// Sources and documentation come in jars, too.
fn is_no_library(name: &str) -> bool {
    ["-sources.jar", "-src.jar", "-javadoc.jar", "-doc.jar"].iter().any(|end| name.ends_with(end))
}

/// Reads the build files and the properties files beside them.
pub(crate) fn read(root: &Utf8Path) -> AntFacts {
    let mut known = BTreeMap::new();
    for file in properties_files(root) {
        if let Ok(text) = fs_err::read_to_string(root.join(file)) {
            for (key, value) in properties::parse(&text) {
                known.entry(key).or_insert(value);
            }
        }
    }
    let mut facts = AntFacts::default();
    for file in BUILD_FILES {
        let Ok(text) = fs_err::read(root.join(file)) else { continue };
        let found = parse(&String::from_utf8_lossy(&text), &known);
        facts.release = facts.release.or(found.release);
        facts.encoding = facts.encoding.or(found.encoding);
        facts.fork_each_class |= found.fork_each_class;
    }
    facts
}

fn properties_files(root: &Utf8Path) -> Vec<String> {
    let Ok(entries) = root.read_dir_utf8() else { return Vec::new() };
    let mut names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_owned()).collect();
    names.retain(|name| Utf8Path::new(name).extension() == Some("properties"));
    // What a person sets comes before what is there by default.
    names.sort_by_key(|name| (name.starts_with("default"), name.clone()));
    names
}

/// Level and encoding of the first `<javac>` that says them, with properties filled in.
fn parse(text: &str, known: &BTreeMap<String, String>) -> AntFacts {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let Ok(document) = Document::parse_with_options(text, options) else { return AntFacts::default() };
    let mut known = known.clone();
    for node in named(&document, "property") {
        if let (Some(name), Some(value)) = (node.attribute("name"), node.attribute("value")) {
            known.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    let attribute = |name: &str| {
        named(&document, "javac")
            .filter_map(|node| node.attribute(name))
            .map(|value| expand(value, &known))
            .find(|value| !value.is_empty() && !value.contains("${"))
    };
    let level = |name| attribute(name).and_then(|value| parse_level(&value));
    AntFacts {
        release: level("release").or_else(|| level("source")).or_else(|| level("target")),
        encoding: attribute("encoding"),
        fork_each_class: named(&document, "junit").next().is_some_and(|task| forks_each_class(task, &known)),
    }
}

/// A `<junit>` that forks does so for each class, unless its mode says otherwise.
fn forks_each_class(task: Node, known: &BTreeMap<String, String>) -> bool {
    let mode = task.attribute("forkmode").or_else(|| task.attribute("forkMode"));
    let forks = |node: Node| {
        let value = node.attribute("fork").map(|value| expand(value, known).to_lowercase());
        value.is_some_and(|value| matches!(value.as_str(), "true" | "yes" | "on"))
    };
    mode.is_none_or(|mode| expand(mode, known).eq_ignore_ascii_case("perTest"))
        && (forks(task) || task.children().any(forks))
}

fn named<'a>(document: &'a Document<'a>, name: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(move |node| node.is_element() && node.tag_name().name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_and_encoding_come_from_the_first_javac_that_says_them() {
        let text = r#"<project><property name="level" value="1.5"/><target name="compile">
            <javac srcdir="src" destdir="b"/><javac srcdir="src" source="${level}" target="1.6" encoding="iso-8859-1"/>
            </target></project>"#;
        let expected =
            AntFacts { release: Some(5), encoding: Some("iso-8859-1".to_owned()), fork_each_class: false };
        assert_eq!(parse(text, &BTreeMap::new()), expected);
    }

    #[test]
    fn a_property_from_a_file_comes_before_the_one_in_the_build_file() {
        let text = r#"<project><property name="l" value="1.3"/><javac source="${l}"/></project>"#;
        assert_eq!(parse(text, &properties::parse("l=1.4")).release, Some(4));
        assert_eq!(parse(text, &BTreeMap::new()).release, Some(3));
    }

    #[test]
    fn a_test_task_that_forks_does_so_for_each_class_unless_told_otherwise() {
        let forks = |task: &str| {
            let text =
                format!(r#"<project><property name="f" value="yes"/><target>{task}</target></project>"#);
            parse(&text, &BTreeMap::new()).fork_each_class
        };
        assert!(forks(r#"<junit fork="${f}"/>"#) && forks(r#"<junit fork="true" forkmode="perTest"/>"#));
        assert!(forks(r#"<junit><batchtest fork="on"/></junit>"#));
        assert!(!forks(r#"<junit fork="true" forkMode="once"/>"#) && !forks(r#"<junit fork="${unknown}"/>"#));
        assert!(!forks("<junit/>") && !forks("<javac fork='true'/>"));
    }

    #[test]
    fn a_build_file_that_says_nothing_or_is_broken_gives_nothing() {
        assert_eq!(
            parse(r#"<project><javac source="${unknown}"/></project>"#, &BTreeMap::new()),
            AntFacts::default()
        );
        assert_eq!(parse("<project>", &BTreeMap::new()), AntFacts::default());
    }
}
