//! What a `compile_commands.json` says: which sources there are, and with which options each is compiled.

use bonafix_lang::LangError;
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use crate::configuration;
use crate::recipe::Unit;

/// Name of the file.
pub(crate) const FILE: &str = "compile_commands.json";

#[derive(Deserialize)]
struct Entry {
    directory: Utf8PathBuf,
    file: Utf8PathBuf,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    arguments: Option<Vec<String>>,
}

/// The sources of a file's text, which lies in `folder` of the project at `root`: paths that are not absolute begin there.
/// What they name below the project is made relative to it.
pub(crate) fn units(text: &str, root: &Utf8Path, folder: &Utf8Path) -> Result<Vec<Unit>, LangError> {
    let mut entries: Vec<Entry> =
        serde_json::from_str(text).map_err(|error| configuration(format!("{FILE}: {error}")))?;
    for entry in &mut entries {
        entry.directory = tidy(&root.join(folder).join(&entry.directory));
    }
    let former = entries.iter().find_map(|entry| former_root(entry, root));
    entries.into_iter().map(|entry| unit(entry, root, former.as_deref().unwrap_or(root))).collect()
}

/// Where the project was when the file was made, if that was elsewhere: what stands before the longest end of a source's
/// path that is a file of the project.
fn former_root(entry: &Entry, root: &Utf8Path) -> Option<Utf8PathBuf> {
    let source = tidy(&entry.directory.join(&entry.file));
    if source.starts_with(root) {
        return None;
    }
    let parts: Vec<Utf8Component<'_>> = source.components().collect();
    let split = (1..parts.len()).find(|&at| root.join(parts[at..].iter().collect::<Utf8PathBuf>()).is_file());
    split.map(|at| parts[..at].iter().collect())
}

/// A path without `.` and `..`.
fn tidy(path: &Utf8Path) -> Utf8PathBuf {
    let mut tidy = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}

/// `former` is where its paths say that the project is.
fn unit(entry: Entry, root: &Utf8Path, former: &Utf8Path) -> Result<Unit, LangError> {
    let words = match (entry.arguments, entry.command) {
        (Some(arguments), _) => arguments,
        (None, Some(command)) => shlex::split(&command).ok_or_else(|| {
            configuration(format!("{FILE}: the command of {} cannot be taken apart", entry.file))
        })?,
        (None, None) => {
            return Err(configuration(format!(
                "{FILE}: {} has neither `command` nor `arguments`",
                entry.file
            )));
        }
    };
    let inside = |path: &Utf8Path| tidy(path).strip_prefix(former).map(Utf8Path::to_owned);
    let folder = inside(&entry.directory).unwrap_or_default();
    let source = inside(&entry.directory.join(&entry.file)).map_err(|_| {
        configuration(format!("{FILE}: {} lies outside of the project's folder {root}", entry.file))
    })?;
    let options =
        options(&words, &entry.file).into_iter().map(|word| word.replace(former.as_str(), "@ROOT@"));
    Ok(Unit { source, folder, options: options.collect() })
}

/// The words of a command without compiler, source, `-c` and `-o FILE`.
fn options(words: &[String], source: &Utf8Path) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-o" | "-MF" | "-MT" | "-MQ" => {
                words.next();
            }
            "-c" | "-MD" | "-MMD" | "-MP" => {}
            word if word == source.as_str() => {}
            word => kept.push(word.to_owned()),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_come_with_their_options_and_relative_to_the_project() {
        let text = r#"[
            {"directory": "/p/build", "command": "/usr/bin/cc -DX=\"a b\" -I/p/inc -MD -MF a.d -o a.o -c /p/src/a.c", "file": "/p/src/a.c"},
            {"directory": "/p", "arguments": ["gcc", "-c", "b.c"], "file": "b.c"}
        ]"#;
        let units = units(text, Utf8Path::new("/p"), Utf8Path::new("")).unwrap();
        assert_eq!(units[0].source, "src/a.c");
        assert_eq!(units[0].folder, "build");
        assert_eq!(units[0].options, ["-DX=a b", "-I@ROOT@/inc"]);
        assert_eq!(units[1].source, "b.c");
        assert!(units[1].options.is_empty());
    }

    #[test]
    fn a_source_outside_of_the_project_is_an_error_that_names_it() {
        let text = r#"[{"directory": "/q", "command": "cc -c a.c", "file": "a.c"}]"#;
        let error = units(text, Utf8Path::new("/p"), Utf8Path::new("")).unwrap_err().to_string();
        assert!(error.contains("a.c") && error.contains("/p"), "{error}");
    }

    #[test]
    fn paths_that_are_not_absolute_begin_where_the_file_lies() {
        let text = r#"[{"directory": ".", "arguments": ["cc", "-Iinc", "-c", "a.c"], "file": "a.c"},
            {"directory": "../lib", "command": "cc -c ./b.c -o b.o", "file": "./b.c"}]"#;
        let units = units(text, Utf8Path::new("/p"), Utf8Path::new("src")).unwrap();
        let places: Vec<_> = units.iter().map(|unit| (unit.source.as_str(), unit.folder.as_str())).collect();
        assert_eq!(places, [("src/a.c", "src"), ("lib/b.c", "lib")]);
        assert_eq!(units[0].options, ["-Iinc"]);
        assert!(units[1].options.is_empty(), "{:?}", units[1].options);
    }

    #[test]
    fn a_project_that_has_moved_since_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir(root.join("src")).unwrap();
        fs_err::write(root.join("src/a.c"), "").unwrap();
        let text = r#"[{"directory": "/home/me/p/build", "command": "cc -I/home/me/p/inc -c ../src/a.c", "file": "../src/a.c"}]"#;
        let units = units(text, root, Utf8Path::new("")).unwrap();
        assert_eq!((units[0].source.as_str(), units[0].folder.as_str()), ("src/a.c", "build"));
        assert_eq!(units[0].options, ["-I@ROOT@/inc"]);
    }
}
