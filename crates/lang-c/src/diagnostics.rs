//! What a compiler said, taken from the output of a build.

use bonafix_lang::Diagnostic;
use camino::{Utf8Path, Utf8PathBuf};

/// How many lines of a failed build are shown when no compiler has named a place.
const LAST_LINES: usize = 20;

/// The errors of clang, gcc and the linker in the output of a build below `tree`, each once.
///
/// Paths are relative to the tree. Where make has changed folders, they are relative to the folder that it said last.
pub(crate) fn errors(output: &str, tree: &Utf8Path, start: &Utf8Path) -> Vec<Diagnostic> {
    let mut folders = vec![start.to_owned()];
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        if let Some(folder) = made_folder(line, "Entering directory") {
            folders.push(folder);
        } else if made_folder(line, "Leaving directory").is_some() && folders.len() > 1 {
            folders.pop();
        }
        let here = folders.last().map_or(start, Utf8PathBuf::as_path);
        if let Some(diagnostic) = compiler_error(line, tree, here).or_else(|| linker_error(line))
            && !found.contains(&diagnostic)
        {
            found.push(diagnostic);
        }
    }
    found
}

/// The end of the output.
pub(crate) fn last_lines(output: &str) -> Vec<String> {
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].iter().map(|&line| line.to_owned()).collect()
}

/// The folder in ``make[1]: Entering directory '/a/b'``.
fn made_folder(line: &str, words: &str) -> Option<Utf8PathBuf> {
    let (_, rest) = line.split_once(words)?;
    let quoted = rest.trim().trim_matches(['\'', '`', '"']);
    quoted.starts_with('/').then(|| quoted.into())
}

/// `file:line:column: error: message`, with or without a column.
fn compiler_error(line: &str, tree: &Utf8Path, here: &Utf8Path) -> Option<Diagnostic> {
    let (place, message) = [": error: ", ": fatal error: "].iter().find_map(|mark| line.split_once(mark))?;
    let mut parts = place.rsplitn(3, ':');
    let (last, middle, first) = (parts.next()?, parts.next(), parts.next());
    let (file, number) = match (first, middle.and_then(|middle| middle.parse().ok())) {
        (Some(file), Some(number)) => (file.to_owned(), number),
        _ => (place.rsplit_once(':')?.0.to_owned(), last.parse().ok()?),
    };
    Some(Diagnostic { file: below(tree, here, &file), line: number, message: message.trim().to_owned() })
}

/// `…: undefined reference to `f'`, `ld: cannot find -lz`.
fn linker_error(line: &str) -> Option<Diagnostic> {
    let marks = ["undefined reference to ", "multiple definition of ", "cannot find -l"];
    let at = marks.iter().find_map(|mark| line.find(mark))?;
    Some(Diagnostic { file: String::new(), line: 0, message: line[at..].trim().to_owned() })
}

fn below(tree: &Utf8Path, here: &Utf8Path, file: &str) -> String {
    let mut resolved = Utf8PathBuf::new();
    for part in here.join(file).components() {
        match part {
            camino::Utf8Component::ParentDir => {
                resolved.pop();
            }
            camino::Utf8Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    resolved.strip_prefix(tree).map_or_else(|_| file.to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(output: &str) -> Vec<String> {
        let tree = Utf8Path::new("/h/tree");
        errors(output, tree, tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn errors_of_clang_and_gcc_have_file_and_line() {
        let output = "cc -c src/a.c\nsrc/a.c:12:5: error: use of undeclared identifier 'n'\n    n++;\n\
                      a.c:3: error: expected ';'\n/h/tree/inc/x.h:1:10: fatal error: 'y.h' file not found\n\
                      src/a.c:13:1: warning: unused\nsrc/a.c:12:5: error: use of undeclared identifier 'n'\n";
        assert_eq!(
            said(output),
            [
                "src/a.c:12: use of undeclared identifier 'n'",
                "a.c:3: expected ';'",
                "inc/x.h:1: 'y.h' file not found"
            ]
        );
    }

    #[test]
    fn a_folder_that_make_entered_counts() {
        let output = "make[1]: Entering directory '/h/tree/lib'\nz.c:1:1: error: bad\n../m.c:2:1: error: worse\n\
                      make[1]: Leaving directory '/h/tree/lib'\nm.c:3:1: error: worst\n";
        assert_eq!(said(output), ["lib/z.c:1: bad", "m.c:2: worse", "m.c:3: worst"]);
    }

    #[test]
    fn what_the_linker_misses_is_told_without_a_place() {
        let output =
            "/usr/bin/ld: /tmp/m.o: in function `main':\nm.c:(.text+0x9): undefined reference to `scan'\n";
        assert_eq!(said(output), ["undefined reference to `scan'"]);
    }
}
