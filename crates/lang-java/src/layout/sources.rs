//! Looks at Java sources to find out where their folders begin, which files are tests, and how they are encoded.
//!
//! The package declaration says where a source root is, whatever the folders are called; an import of JUnit says what
//! a test is, whatever the class is called.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

/// Folders that hold what a build made, unless they are folders of a package.
const MADE_BY_BUILDS: [&str; 6] = ["target", "build", "out", "bin", "dist", "generated-sources"];

/// Main source folders by convention, best first.
const MAIN_FOLDERS: [&str; 6] = ["src/main/java", "src/java", "source", "src", "java", "main"];

/// Test source folders by convention, best first.
const TEST_FOLDERS: [&str; 8] =
    ["src/test/java", "src/test", "src/tests", "src/testcases", "test/java", "test", "tests", "tst"];

/// What a test framework a file uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Framework {
    /// `junit.framework`, or `org.junit` as of JUnit 4.
    JUnit4,
    /// `org.junit.jupiter`.
    Jupiter,
}

/// The sources of a project that no build tool describes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SourceFolders {
    pub(crate) sources: Vec<Utf8PathBuf>,
    pub(crate) tests: Vec<Utf8PathBuf>,
    pub(crate) resources: Vec<Utf8PathBuf>,
    pub(crate) test_resources: Vec<Utf8PathBuf>,
}

/// A source file as far as it concerns the layout. Paths are relative to the folder that was scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceFile {
    pub(crate) path: Utf8PathBuf,
    pub(crate) root: Option<Utf8PathBuf>,
    pub(crate) framework: Option<Framework>,
    pub(crate) utf8: bool,
}

/// All Java files below `folder`, in order of path, without hidden folders and what builds leave behind.
pub(crate) fn scan(folder: &Utf8Path) -> Vec<SourceFile> {
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(|entry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0
            || !entry.file_type().is_dir()
            || !(name.starts_with('.') || name == "node_modules")
    });
    walk.flatten()
        .filter(|entry| {
            entry.file_type().is_file() && entry.path().extension().is_some_and(|ext| ext == "java")
        })
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter_map(|path| {
            let bytes = fs_err::read(&path).ok()?;
            Some(source_file(path.strip_prefix(folder).ok()?, &bytes))
        })
        .filter(|file| !is_made_by_build(file))
        .collect()
}

/// Does it lie in a folder for what builds make? One that the package has its name from is none: `com/build`.
fn is_made_by_build(file: &SourceFile) -> bool {
    let above_package = file.root.as_deref().or(file.path.parent());
    above_package
        .is_some_and(|folder| folder.components().any(|part| MADE_BY_BUILDS.contains(&part.as_str())))
}

fn source_file(path: &Utf8Path, bytes: &[u8]) -> SourceFile {
    let (text, utf8) = match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), true),
        Err(_) => (bytes.iter().map(|byte| char::from(*byte)).collect(), false),
    };
    let package = package_of(&text);
    SourceFile {
        path: path.to_owned(),
        root: source_root(path, &package).map(Utf8Path::to_owned),
        framework: framework_of(&text),
        utf8,
    }
}

/// The framework that a source file imports. This is what tells a test from other code where both share a folder.
pub fn framework_of(text: &str) -> Option<Framework> {
    // Imports may share a line, so statements are looked at, not lines.
    let statements = text.split(['\n', ';']).map(str::trim_start);
    let imports = statements.filter_map(|statement| statement.strip_prefix("import "));
    let mut found = None;
    for import in imports {
        let name = import.trim_start().trim_start_matches("static ").trim_start();
        if name.starts_with("org.junit.jupiter.") {
            return Some(Framework::Jupiter);
        }
        if name.starts_with("org.junit.")
            || name.starts_with("junit.framework.")
            || name.starts_with("junit.extensions.")
        {
            found = Some(Framework::JUnit4);
        }
    }
    found
}

/// The folder below which the package's folders begin; `None` where the file lies in a folder of another name.
fn source_root<'a>(path: &'a Utf8Path, package: &str) -> Option<&'a Utf8Path> {
    let mut folder = path.parent()?;
    for part in package.rsplit('.').filter(|part| !part.is_empty()) {
        if folder.file_name() != Some(part) {
            return None;
        }
        folder = folder.parent()?;
    }
    Some(folder)
}

/// The package that a source file declares; empty for none.
pub(crate) fn package_of(text: &str) -> String {
    let code = without_comments(text);
    let mut rest = code.as_str();
    while let Some(at) = rest.find("package") {
        let before = rest[..at].chars().next_back();
        let after = &rest[at + "package".len()..];
        let is_word = before.is_none_or(|c| c.is_whitespace() || c == ';' || c == ')')
            && after.starts_with(|c: char| c.is_whitespace());
        if rest[..at].contains('{') || rest[..at].contains("import ") {
            return String::new();
        }
        if is_word {
            let name = after.split(';').next().unwrap_or_default();
            return name.chars().filter(|c| !c.is_whitespace()).collect();
        }
        rest = after;
    }
    String::new()
}

/// The beginning of a file, up to its first brace, without comments.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(character) = rest.chars().next() {
        if rest.starts_with("/*") {
            rest = rest.split_once("*/").map_or("", |(_, after)| after);
            code.push(' ');
        } else if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            code.push('\n');
        } else {
            code.push(character);
            if character == '{' {
                break;
            }
            rest = &rest[character.len_utf8()..];
        }
    }
    code
}

/// Where sources and tests are: the conventional folders if they hold any, else what the packages say.
pub(crate) fn folders(root: &Utf8Path, files: &[SourceFile]) -> SourceFolders {
    let begins =
        |folder: &&&str| files.iter().any(|file| file.root.as_deref() == Some(Utf8Path::new(folder)));
    let main = MAIN_FOLDERS.iter().find(begins).map(|folder| vec![Utf8PathBuf::from(*folder)]);
    let test = TEST_FOLDERS.iter().find(begins).map(|folder| vec![Utf8PathBuf::from(*folder)]);
    let mut found = match (main, test) {
        (Some(sources), Some(tests)) => SourceFolders { sources, tests, ..SourceFolders::default() },
        (Some(sources), None) => {
            let mixed =
                files.iter().any(|file| file.framework.is_some() && file.root.as_ref() == Some(&sources[0]));
            let tests = if mixed { sources.clone() } else { by_packages(files).tests };
            SourceFolders { sources, tests, ..SourceFolders::default() }
        }
        (None, _) => by_packages(files),
    };
    add_resources(root, &mut found);
    found
}

/// Roots by package declarations. A root whose path says `test` holds tests; any other that holds tests holds both.
fn by_packages(files: &[SourceFile]) -> SourceFolders {
    let mut roots: BTreeMap<&Utf8Path, bool> = BTreeMap::new();
    for file in files {
        if let Some(root) = file.root.as_deref() {
            *roots.entry(root).or_default() |= file.framework.is_some();
        }
    }
    let mut found = SourceFolders::default();
    for (root, has_tests) in roots {
        let named_test = root.components().any(|part| matches!(part.as_str(), "test" | "tests" | "tst"));
        if has_tests || named_test {
            found.tests.push(root.to_owned());
        }
        if !named_test {
            found.sources.push(root.to_owned());
        }
    }
    found
}

/// Conventional resource folders where there are any; else other files lie among the sources, as they do outside of
/// Maven's convention.
pub(crate) fn add_resources(root: &Utf8Path, found: &mut SourceFolders) {
    let beside = |roots: &[Utf8PathBuf], convention: &[&str]| -> Vec<Utf8PathBuf> {
        let folders: Vec<_> =
            convention.iter().map(Utf8PathBuf::from).filter(|folder| root.join(folder).is_dir()).collect();
        let by_maven = |folder: &Utf8PathBuf| folder.ends_with("main/java") || folder.ends_with("test/java");
        if !folders.is_empty() || roots.iter().any(by_maven) {
            return folders;
        }
        roots.iter().filter(|folder| !folder.as_str().is_empty()).cloned().collect()
    };
    if found.resources.is_empty() {
        found.resources = beside(&found.sources, &["src/main/resources", "src/resources"]);
    }
    if found.test_resources.is_empty() {
        let tests: Vec<_> =
            found.tests.iter().filter(|folder| !found.sources.contains(folder)).cloned().collect();
        found.test_resources = beside(&tests, &["src/test/resources"]);
    }
}

/// Files that are tests although their root is also one of main sources.
pub(crate) fn mixed_tests(
    files: &[SourceFile],
    sources: &[Utf8PathBuf],
    tests: &[Utf8PathBuf],
) -> Vec<Utf8PathBuf> {
    let mixed = |file: &&SourceFile| {
        tests.iter().any(|root| sources.contains(root) && file.path.starts_with(root))
            && file.framework.is_some()
    };
    files.iter().filter(mixed).map(|file| file.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        source_file(Utf8Path::new(path), text.as_bytes())
    }

    fn check(files: &[(&str, &str)], sources: &[&str], tests: &[&str]) {
        let files: Vec<_> = files.iter().map(|(path, text)| file(path, text)).collect();
        let found = folders(Utf8Path::new("/nowhere"), &files);
        assert_eq!(found.sources, sources.iter().map(Utf8PathBuf::from).collect::<Vec<_>>());
        assert_eq!(found.tests, tests.iter().map(Utf8PathBuf::from).collect::<Vec<_>>());
    }

    const TEST: &str = "package p;\nimport org.junit.Test;\nclass T {}";
    const MAIN: &str = "package p;\nclass A {}";

    #[test]
    fn a_package_is_found_behind_a_licence_and_annotations() {
        assert_eq!(
            package_of("/* package wrong; */\n// package wrong;\n@Ann(x) package a.b . c ;\n"),
            "a.b.c"
        );
        assert_eq!(package_of("import a.b;\nclass X { String s = \"package x;\"; }"), "");
        assert_eq!(package_of("\u{feff}package a;"), "a");
        assert_eq!(package_of("class packager { }"), "");
        assert_eq!(package_of("package a.b;\nclass C {}"), "a.b");
        assert_eq!(package_of("/* package x; */\n// package y;\npackage a . b ;"), "a.b");
        assert_eq!(package_of("import a.B;\nclass package1 {}"), "");
        assert_eq!(package_of("packages a;"), "");
    }

    #[test]
    fn a_file_in_a_folder_of_another_name_has_no_root() {
        assert_eq!(source_root(Utf8Path::new("src/a/b/C.java"), "a.b"), Some(Utf8Path::new("src")));
        assert_eq!(source_root(Utf8Path::new("a/b/C.java"), "a.b"), Some(Utf8Path::new("")));
        assert_eq!(source_root(Utf8Path::new("src/x/C.java"), "a.b"), None);
    }

    #[test]
    fn conventional_folders_come_first() {
        let files =
            [("src/main/java/p/A.java", MAIN), ("src/test/java/p/T.java", TEST), ("demo/p/D.java", MAIN)];
        check(&files, &["src/main/java"], &["src/test/java"]);
        check(&[("src/java/p/A.java", MAIN), ("src/test/p/T.java", TEST)], &["src/java"], &["src/test"]);
        check(&[("src/p/A.java", MAIN), ("test/p/T.java", TEST)], &["src"], &["test"]);
        check(&[("source/p/A.java", MAIN), ("tests/p/T.java", TEST)], &["source"], &["tests"]);
    }

    #[test]
    fn a_source_folder_with_tests_inside_is_both() {
        check(&[("src/p/A.java", MAIN), ("src/p/T.java", TEST)], &["src"], &["src"]);
    }

    #[test]
    fn a_flat_folder_is_both() {
        check(
            &[("A.java", "class A {}"), ("ATest.java", "import org.junit.jupiter.api.Test;")],
            &[""],
            &[""],
        );
        let files = [
            ("programs/A.java", "package programs;"),
            ("cases/junit/T.java", "package cases.junit;\nimport org.junit.*;"),
        ];
        check(&files, &[""], &[""]);
    }

    #[test]
    fn unusual_folders_are_found_by_their_packages() {
        check(&[("core/code/p/A.java", MAIN), ("core/test/p/T.java", TEST)], &["core/code"], &["core/test"]);
    }

    #[test]
    fn a_folder_of_a_package_is_not_taken_for_what_a_build_made() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for (path, text) in [
            ("src/com/build/A.java", "package com.build; class A {}"),
            ("src/com/build/ATest.java", "package com.build; import org.junit.Test; class ATest {}"),
            ("target/T.java", "package target; class T {}"),
            ("build/src/com/build/A.java", "package com.build; class A {}"),
            ("out/A.java", "class A {}"),
            ("bin/elsewhere/A.java", "package com.build; class A {}"),
            ("node_modules/x/A.java", "package x; class A {}"),
        ] {
            let file = root.join(path);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, text).unwrap();
        }
        let files = scan(root);
        let found: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(found, ["src/com/build/A.java", "src/com/build/ATest.java", "target/T.java"]);
        assert_eq!(mixed_tests(&files, &["src".into()], &["src".into()]), ["src/com/build/ATest.java"]);
    }

    #[test]
    fn imports_tell_the_framework() {
        assert_eq!(framework_of("import static org.junit.Assert.*;"), Some(Framework::JUnit4));
        assert_eq!(framework_of("import junit.framework.TestCase;"), Some(Framework::JUnit4));
        assert_eq!(
            framework_of("import org.junit.Rule;\nimport org.junit.jupiter.api.Test;"),
            Some(Framework::Jupiter)
        );
        assert_eq!(framework_of("// import org.junit.Test;"), None);
    }

    #[test]
    fn bytes_that_are_no_utf8_are_noticed_and_still_read() {
        let file = source_file(Utf8Path::new("p/A.java"), b"// caf\xe9\npackage p;\nimport org.junit.Test;");
        assert!(!file.utf8);
        assert_eq!(file.root.as_deref(), Some(Utf8Path::new("")));
        assert_eq!(file.framework, Some(Framework::JUnit4));
    }
}
