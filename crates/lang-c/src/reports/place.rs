//! Places in stacks: `#0 0x55a0 in scan /h/tree/a.c:7:32`.

use bonafix_model::Frame;
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// Functions of the sanitizers and of the start of a program, which say nothing about it.
const RUNTIME: [&str; 9] = [
    "__interceptor_",
    "___interceptor_",
    "__asan_",
    "__asan::",
    "__ubsan_",
    "__ubsan::",
    "__sanitizer",
    "__lsan",
    "__libc_start_",
];
/// The same, by their whole names.
const ALLOCATION: [&str; 9] =
    ["malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc", "memalign", "_start", "cfree"];

/// What a line of a stack names.
pub(super) enum Named {
    /// A place in the program or in a library.
    Program(Frame),
    /// The sanitizer itself, what starts programs, or what nobody gave a name.
    Runtime,
}

/// A line of a stack, or none if it is something else.
pub(super) fn frame(line: &str, tree: &Utf8Path) -> Option<Named> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (number, rest) = rest.split_once(' ')?;
    let (address, rest) = rest.trim_start().split_once(' ')?;
    if number.parse::<u32>().is_err() || !address.starts_with("0x") {
        return None;
    }
    let Some(place) = rest.trim_start().strip_prefix("in ") else {
        return Some(Named::Runtime);
    };
    let (function, location) = split_location(place);
    let (file, line) = location.map_or((String::new(), 0), |location| {
        let (path, line) = path_and_line(location);
        (below(path, tree), line)
    });
    // A project may well have a `malloc` of its own.
    if is_runtime(function) && file.is_empty() {
        return Some(Named::Runtime);
    }
    Some(Named::Program(Frame { function: function.to_owned(), file, line }))
}

fn is_runtime(function: &str) -> bool {
    RUNTIME.iter().any(|prefix| function.starts_with(prefix))
        || ALLOCATION.contains(&function)
        || ["operator new", "operator delete"].iter().any(|name| function.starts_with(name))
}

/// Function and place of `scan(int, char) /a b/c.c:3:1`, or of `scan (/bin/x+0x3) (BuildId: 12)`, which has no place.
fn split_location(text: &str) -> (&str, Option<&str>) {
    let text = text.split_once(" (BuildId: ").map_or(text, |(before, _)| before);
    if let Some((function, _)) = text.ends_with(')').then(|| text.rsplit_once(" (/")).flatten() {
        return (function, None);
    }
    let at = text.rfind(" /").or_else(|| text.rfind(' '));
    match at {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// `a.c:3:14`, `a.c:3`.
pub(super) fn path_and_line(text: &str) -> (&str, u32) {
    let numbered = |text| -> Option<(&str, u32)> {
        let (before, number) = str::rsplit_once(text, ':')?;
        Some((before, number.parse().ok()?))
    };
    match numbered(text) {
        Some((before, number)) => numbered(before).unwrap_or((before, number)),
        None => (text, 0),
    }
}

/// A path relative to the tree; empty if it lies outside of it.
///
/// Compilers are told to write `.` for the tree, and what they make of that in debug information has `.` more than once
/// (`lib/./lib/z.c`): then what follows one of these is the path, and the tree tells which.
pub(crate) fn below(path: &str, tree: &Utf8Path) -> String {
    if let Ok(inside) = clean(path).strip_prefix(tree) {
        return inside.to_string();
    }
    if path.starts_with('/') {
        return String::new();
    }
    let mut candidates: Vec<Utf8PathBuf> = behind_dots(path).map(clean).collect();
    let exists = |candidate: &&Utf8PathBuf| !candidate.starts_with("..") && tree.join(candidate).is_file();
    let plain = clean(path);
    match candidates.iter().find(exists).or_else(|| Some(&plain).filter(exists)) {
        Some(found) => found.to_string(),
        None if candidates.is_empty() => String::new(),
        None => candidates.swap_remove(0).to_string(),
    }
}

/// What follows each `.` in a path, the shortest first.
fn behind_dots(path: &str) -> impl Iterator<Item = &str> {
    let starts = path.rmatch_indices("./").map(|(at, _)| at);
    let whole = starts.filter(move |&at| at == 0 || path.as_bytes()[at - 1] == b'/');
    whole.map(move |at| &path[at + 2..])
}

/// Without `.` and `..`, as far as the path itself tells.
pub(super) fn clean(path: &str) -> Utf8PathBuf {
    let mut cleaned = Utf8PathBuf::new();
    for part in Utf8Path::new(path).components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir if cleaned.file_name().is_some() => {
                cleaned.pop();
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}
