//! What a `compile_commands.json` says: which sources there are, and with which options each is compiled.

use bonafix_lang::LangError;
use camino::{Utf8Path, Utf8PathBuf};
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

/// The sources of a file's text. `root` is the folder that its paths speak of; what they name below it is made relative.
pub(crate) fn units(text: &str, root: &Utf8Path) -> Result<Vec<Unit>, LangError> {
    let entries: Vec<Entry> =
        serde_json::from_str(text).map_err(|error| configuration(format!("{FILE}: {error}")))?;
    entries.into_iter().map(|entry| unit(entry, root)).collect()
}

fn unit(entry: Entry, root: &Utf8Path) -> Result<Unit, LangError> {
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
    let inside = |path: &Utf8Path| path.strip_prefix(root).map(Utf8Path::to_owned);
    let folder = inside(&entry.directory).unwrap_or_default();
    let source = inside(&entry.directory.join(&entry.file)).map_err(|_| {
        configuration(format!("{FILE}: {} lies outside of the project's folder {root}", entry.file))
    })?;
    let options = options(&words, &entry.file).into_iter().map(|word| word.replace(root.as_str(), "@ROOT@"));
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
        let units = units(text, Utf8Path::new("/p")).unwrap();
        assert_eq!(units[0].source, "src/a.c");
        assert_eq!(units[0].folder, "build");
        assert_eq!(units[0].options, ["-DX=a b", "-I@ROOT@/inc"]);
        assert_eq!(units[1].source, "b.c");
        assert!(units[1].options.is_empty());
    }

    #[test]
    fn a_source_outside_of_the_project_is_an_error_that_names_it() {
        let text = r#"[{"directory": "/q", "command": "cc -c a.c", "file": "a.c"}]"#;
        let error = units(text, Utf8Path::new("/p")).unwrap_err().to_string();
        assert!(error.contains("a.c") && error.contains("/p"), "{error}");
    }
}
