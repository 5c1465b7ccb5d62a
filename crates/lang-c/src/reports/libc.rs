//! What the C library says before it ends a program that broke its rules.

use bonafix_model::{Detector, Fault, Frame};
use camino::Utf8Path;

use super::place;

/// What glibc and the C++ library say before they abort, and what it means. The first that fits counts.
const ABORTS: [(&str, &str); 17] = [
    ("*** stack smashing detected ***", "stack-smashing"),
    ("*** buffer overflow detected ***", "buffer-overflow"),
    ("*** invalid %N$ use detected ***", "format-string"),
    ("*** %n in writable segment", "format-string"),
    ("*** longjmp causes uninitialized stack frame ***", "longjmp"),
    ("free(): double free", "double-free"),
    ("double free or corruption", "double-free"),
    ("free(): invalid pointer", "bad-free"),
    ("munmap_chunk(): invalid pointer", "bad-free"),
    ("realloc(): invalid pointer", "bad-free"),
    ("free(): ", "heap-corruption"),
    ("malloc(): ", "heap-corruption"),
    ("realloc(): ", "heap-corruption"),
    ("malloc_consolidate(): ", "heap-corruption"),
    ("corrupted size vs. prev_size", "heap-corruption"),
    ("corrupted double-linked list", "heap-corruption"),
    ("terminate called ", "uncaught-exception"),
];

/// The last line of standard error that tells why the program was aborted, and standard error without it.
pub(super) fn last_words(stderr: &[u8], tree: &Utf8Path) -> Option<(Fault, Vec<u8>)> {
    let lines: Vec<&[u8]> = stderr.split_inclusive(|&byte| byte == b'\n').collect();
    let found = lines.iter().enumerate().rev().find_map(|(at, line)| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        Some((at, assertion(text, tree).or_else(|| abort(text))?))
    });
    let (at, fault) = found?;
    let others = lines.iter().enumerate().filter(|&(other, _)| other != at);
    Some((fault, others.flat_map(|(_, line)| line.iter().copied()).collect()))
}

/// `prog: a.c:22: int main(int, char **): Assertion `c == 77' failed.`
fn assertion(text: &str, tree: &Utf8Path) -> Option<Fault> {
    let (head, condition) = text.split_once(": Assertion `")?;
    condition.strip_suffix("' failed.")?;
    // The program's name has no `: `; the file has a number behind it; the rest is the function.
    let (_, place) = head.split_once(": ")?;
    let (file, function) = place.split_once(": ").unwrap_or((place, ""));
    let (path, line) = place::path_and_line(file);
    let file = match place::below(path, tree) {
        inside if inside.is_empty() => place::clean(path).to_string(),
        inside => inside,
    };
    let frame = Frame { function: name_of(function).to_owned(), file, line };
    Some(crash("assertion", text, vec![frame]))
}

/// The name in `int main(int, char **)`.
fn name_of(signature: &str) -> &str {
    let before = signature.split_once('(').map_or(signature, |(before, _)| before);
    before.rsplit([' ', '*', '&']).next().unwrap_or(before)
}

fn abort(text: &str) -> Option<Fault> {
    let (_, kind) = ABORTS.iter().find(|(words, _)| text.contains(words))?;
    Some(crash(kind, text, Vec::new()))
}

fn crash(kind: &str, message: &str, stack: Vec<Frame>) -> Fault {
    Fault {
        detector: Detector::Crash,
        kind: kind.to_owned(),
        message: message.to_owned(),
        stack,
        origins: Vec::new(),
    }
}
