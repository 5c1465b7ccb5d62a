//! Takes out of what a program wrote what differs by nature, in two runs of the same version or in two versions that do
//! the same: addresses, process numbers, names of temporary files, the place where the program was built and runs, and
//! line numbers of its own sources, which every change moves.
//!
//! Only what cannot well be meant: a time, a date or any number may be what the program is about. Those that come from
//! the clock show themselves when a version is run again, and whoever compares repeated runs takes them out.

use camino::Utf8Path;
use memchr::memmem;

use crate::recipe::{is_header, is_source};

/// Stands for an address.
const ADDRESS: &[u8] = b"<address>";
/// Stands for the home's path.
const HOME: &[u8] = b"<home>";
/// Stands for the name of a temporary file.
const TEMPORARY: &[u8] = b"<temporary>";
/// A name of a file is no longer.
const LONGEST_NAME: usize = 255;
/// Stands for the number of a line of source.
const LINE: &[u8] = b"<line>";
/// Stands for the number of a process.
const PROCESS: &[u8] = b"<process>";

/// What a program wrote, without what differs by nature; `home` is the folder in which the version was built.
pub fn normalise(bytes: &[u8], home: &Utf8Path) -> Vec<u8> {
    let text = replace(bytes, home.as_str().as_bytes(), HOME);
    let tree = home.join("tree");
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let inside_word = at > 0 && (text[at - 1].is_ascii_alphanumeric() || text[at - 1] == b'_');
        let found = match text[at] {
            b':' => line(&text[..at], &text[at..], &tree),
            _ if inside_word => None,
            _ => at_start(&text[at..]),
        };
        let (kept, length, word) = found.unwrap_or((1, 1, b""));
        out.extend_from_slice(&text[at..at + kept]);
        out.extend_from_slice(word);
        at += length;
    }
    out
}

/// What stands at the start of a text: how many bytes of it are kept, how many it is in all, and the word for the rest.
fn at_start(text: &[u8]) -> Option<(usize, usize, &'static [u8])> {
    match text[0] {
        b'0' => address(text).map(|length| (0, length, ADDRESS)),
        b'/' | b'<' => temporary(text).map(|(kept, length)| (kept, length, TEMPORARY)),
        b'p' | b'P' => process(text).map(|(kept, length)| (kept, length, PROCESS)),
        _ => None,
    }
}

/// `main.c:12`, as `__FILE__` and `__LINE__` come out, seen from the colon: how much of it is kept, and how much it is with
/// the number. Only of sources that there are: others may be what the program is about.
fn line(before: &[u8], text: &[u8], tree: &Utf8Path) -> Option<(usize, usize, &'static [u8])> {
    let digits = text[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._-+/".contains(byte);
    let name = before.iter().rev().take(LONGEST_NAME).take_while(in_name).count();
    let name = Utf8Path::new(std::str::from_utf8(&before[before.len() - name..]).ok()?);
    let is_own = digits > 0 && (is_source(name) || is_header(name)) && tree.join(name).is_file();
    is_own.then_some((1, 1 + digits, LINE))
}

/// `0x7ffd4e4b6c30`, `0x00007ffd4e4b6c30`: as long as addresses of a process are. `0xdeadbeef` may be meant.
fn address(text: &[u8]) -> Option<usize> {
    let digits = text.strip_prefix(b"0x")?;
    let length = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let ends = digits.get(length).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let significant = length - digits[..length].iter().take_while(|&&byte| byte == b'0').count();
    (ends && matches!(significant, 11 | 12) && matches!(length, 11 | 12 | 14 | 16)).then_some(2 + length)
}

/// `/tmp/xyz`: how long the folder is, and how long the path up to the end of the name below it.
fn temporary(text: &[u8]) -> Option<(usize, usize)> {
    let folders: [&[u8]; 4] = [b"<home>/tmp/", b"/var/tmp/", b"/tmp/", b"/dev/shm/"];
    let kept = folders.iter().find(|folder| text.starts_with(folder))?.len();
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._-+".contains(byte);
    let name = text[kept..].iter().take_while(in_name).count();
    // The dot of a sentence is not the name's.
    let name = name - text[kept..kept + name].iter().rev().take_while(|&&byte| byte == b'.').count();
    (name > 0).then_some((kept, kept + name))
}

/// `pid 1234`, `pid=1234`, `PID: 1234`: how much stands before the number, and how much it is with it.
fn process(text: &[u8]) -> Option<(usize, usize)> {
    let word = text.get(..3)?;
    if !word.eq_ignore_ascii_case(b"pid") {
        return None;
    }
    let between = text[3..].iter().take_while(|byte| b" =:#".contains(byte)).count();
    let digits = text[3 + between..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    (between > 0 && digits > 0).then_some((3 + between, 3 + between + digits))
}

fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    if old.is_empty() {
        return bytes.to_vec();
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = 0;
    for at in memmem::find_iter(bytes, old) {
        out.extend_from_slice(&bytes[rest..at]);
        out.extend_from_slice(new);
        rest = at + old.len();
    }
    out.extend_from_slice(&bytes[rest..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(text: &str) -> String {
        String::from_utf8(normalise(text.as_bytes(), Utf8Path::new("/cache/h0001"))).unwrap()
    }

    #[test]
    fn addresses_are_taken_out_and_numbers_stay() {
        assert_eq!(normal("at 0x7ffd4e4b6c30, 0x5591a0b0c0d0."), "at <address>, <address>.");
        assert_eq!(normal("0x00007ffd4e4b6c30"), "<address>");
        for meant in
            ["0xdeadbeef", "0x0", "0x7ffd4e4b6c30ffff", "0x7ffd4e4b6c30z", "a0x7ffd4e4b6c30", "7ffd4e4b6c30"]
        {
            assert_eq!(normal(meant), meant);
        }
    }

    #[test]
    fn places_and_names_of_temporary_files_are_taken_out() {
        assert_eq!(normal("/cache/h0001/tree/a.c: bad"), "<home>/tree/a.c: bad");
        assert_eq!(normal("cannot open /tmp/scanXa81Zq."), "cannot open /tmp/<temporary>.");
        assert_eq!(normal("/cache/h0001/tmp/x1/y and /tmp/"), "<home>/tmp/<temporary>/y and /tmp/");
    }

    #[test]
    fn numbers_of_processes_are_taken_out_where_they_are_called_so() {
        assert_eq!(normal("pid 1234, PID=7 pid: 8"), "pid <process>, PID=<process> pid: <process>");
        for meant in ["[1234]", "rapid 12", "pid12", "pid"] {
            assert_eq!(normal(meant), meant);
        }
    }

    #[test]
    fn line_numbers_of_the_programs_own_sources_are_taken_out() {
        let folder = tempfile::tempdir().unwrap();
        let home = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(home.join("tree/src")).unwrap();
        fs_err::write(home.join("tree/src/a.c"), "").unwrap();
        let normal = |text: &str| String::from_utf8(normalise(text.as_bytes(), home)).unwrap();
        assert_eq!(normal("src/a.c:12: bad (./src/a.c:7)"), "src/a.c:<line>: bad (./src/a.c:<line>)");
        for meant in ["b.c:12", "src/a.c: 12", "src/a.c:", "a.txt:3", "12:30:01", ":1"] {
            assert_eq!(normal(meant), meant);
        }
    }

    #[test]
    fn times_dates_and_bytes_that_are_no_text_stay() {
        let bytes = b"12:30:01 2024-02-29\n\xff\xfe\0p";
        assert_eq!(normalise(bytes, Utf8Path::new("")), bytes);
    }
}
