//! Paths as diff headers write them.

/// A path from a `---` or `+++` line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeaderPath {
    /// `None` for `/dev/null`.
    pub(super) path: Option<String>,
    /// The rest of the line says that this side does not exist.
    pub(super) marked_absent: bool,
}

/// Reads what follows `--- ` or `+++ `. The error says what is wrong.
pub(super) fn header_path(rest: &[u8]) -> Result<HeaderPath, &'static str> {
    let (path, remark) = if rest.starts_with(b"\"") {
        let (path, after) = unquote(rest)?;
        (path, utf8(after)?.to_owned())
    } else {
        let (path, remark) = split_remark(utf8(rest)?);
        (path.to_owned(), remark.to_owned())
    };
    if path.is_empty() {
        return Err("the path is missing");
    }
    let marked_absent = says_absent(&remark);
    let path = (path != "/dev/null").then(|| with_slashes(&path));
    Ok(HeaderPath { path, marked_absent })
}

/// Reads a path of a git header line such as `rename from `, which has no remark.
pub(super) fn git_path(rest: &[u8]) -> Result<String, &'static str> {
    if rest.starts_with(b"\"") {
        return unquote(rest).map(|(path, _)| path);
    }
    utf8(rest).map(str::to_owned)
}

/// Both paths of a `diff --git` line, if they can be told apart: quoted, or the same but for the first component.
pub(super) fn git_header_paths(rest: &[u8]) -> Option<(String, String)> {
    if rest.starts_with(b"\"") {
        let (old, after) = unquote(rest).ok()?;
        let new = git_path(after.strip_prefix(b" ")?).ok()?;
        return Some((old, new));
    }
    let rest = std::str::from_utf8(rest).ok()?;
    if rest.ends_with('"') {
        let (old, _) = rest.split_once(" \"")?;
        let new = git_path(rest.get(old.len() + 1..)?.as_bytes()).ok()?;
        return Some((old.to_owned(), new));
    }
    let same_file = |&(old, new): &(&str, &str)| old == new || below_first(old) == below_first(new);
    rest.match_indices(' ')
        .map(|(at, _)| (&rest[..at], &rest[at + 1..]))
        .find(same_file)
        .map(|(old, new)| (old.to_owned(), new.to_owned()))
}

fn below_first(path: &str) -> Option<&str> {
    path.split_once('/').map(|(_, below)| below).or(Some(path))
}

fn utf8(bytes: &[u8]) -> Result<&str, &'static str> {
    std::str::from_utf8(bytes).map_err(|_| "the path is not UTF-8")
}

/// Paths of Windows tools: `C:\work\src\A.java`, `src\A.java`.
fn with_slashes(path: &str) -> String {
    let drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path.get(1..3) == Some(":\\");
    if drive || (path.contains('\\') && !path.contains('/')) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

/// Cuts off a time stamp (`diff -u`) or revision (svn), also where an editor turned the tab into spaces.
fn split_remark(rest: &str) -> (&str, &str) {
    let cut = rest
        .find('\t')
        .or_else(|| rest.match_indices(' ').map(|(at, _)| at).find(|&at| begins_date(&rest[at + 1..])))
        .or_else(|| {
            [" (revision ", " (working copy)", " (nonexistent)"].iter().find_map(|mark| rest.find(mark))
        });
    let (path, remark) = rest.split_at(cut.unwrap_or(rest.len()));
    (path.trim_end(), remark)
}

/// `2017-04-11 …`
fn begins_date(text: &str) -> bool {
    let mut bytes = text.bytes();
    let shape = "dddd-dd-dd ".bytes();
    shape.into_iter().all(|wanted| match (wanted, bytes.next()) {
        (b'd', Some(byte)) => byte.is_ascii_digit(),
        (wanted, Some(byte)) => wanted == byte,
        (_, None) => false,
    })
}

/// `diff -N` gives a missing file the beginning of Unix time, svn calls it nonexistent or revision 0.
fn says_absent(remark: &str) -> bool {
    ["1970-01-01 ", "1969-12-31 ", "(nonexistent)", "(revision 0)"].iter().any(|mark| remark.contains(mark))
}

/// C-style quotes as git writes them. Returns the path and what follows the closing quote.
fn unquote(quoted: &[u8]) -> Result<(String, &[u8]), &'static str> {
    const UNCLOSED: &str = "the quoted path has no closing quote";
    let mut path = Vec::new();
    let mut at = 1;
    loop {
        match *quoted.get(at).ok_or(UNCLOSED)? {
            b'"' => break,
            b'\\' => {
                let escape = quoted.get(at + 1..).ok_or(UNCLOSED)?;
                let (byte, length) = unescape(escape).ok_or("the quoted path has an unknown escape")?;
                path.push(byte);
                at += 1 + length;
            }
            byte => {
                path.push(byte);
                at += 1;
            }
        }
    }
    let path = String::from_utf8(path).map_err(|_| "the path is not UTF-8")?;
    Ok((path, quoted.get(at + 1..).unwrap_or_default()))
}

/// The byte that follows a backslash, and how many characters it took to say so.
fn unescape(escape: &[u8]) -> Option<(u8, usize)> {
    let simple = |byte| Some((byte, 1));
    match *escape.first()? {
        b'a' => simple(7),
        b'b' => simple(8),
        b't' => simple(b'\t'),
        b'n' => simple(b'\n'),
        b'v' => simple(11),
        b'f' => simple(12),
        b'r' => simple(b'\r'),
        quoted @ (b'"' | b'\\') => simple(quoted),
        _ => {
            let digits =
                escape.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)))?;
            let value = digits.iter().fold(0_u16, |value, digit| value * 8 + u16::from(digit - b'0'));
            u8::try_from(value).ok().map(|byte| (byte, 3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(rest: &str) -> String {
        header_path(rest.as_bytes()).unwrap().path.unwrap()
    }

    #[test]
    fn time_stamps_and_revisions_are_cut_off() {
        assert_eq!(path("src/A.java\t2017-04-11 02:57:18.000000000 +0800"), "src/A.java");
        assert_eq!(path("src/A.java 2017-04-11 02:57:18.000000000 +0800"), "src/A.java");
        assert_eq!(path("src/A.java\t(revision 1234)"), "src/A.java");
        assert_eq!(path("src/A.java   (working copy)"), "src/A.java");
        assert_eq!(path("src/my file.java"), "src/my file.java");
    }

    #[test]
    fn quoted_paths_are_unescaped() {
        assert_eq!(path(r#""a/M\303\274ller \"x\"\t.java""#), "a/Müller \"x\"\t.java");
        assert!(header_path(br#""a/\777""#).is_err());
        assert!(header_path(br#""a/unclosed"#).is_err());
        assert!(header_path(br#""a/unclosed\"#).is_err());
    }

    #[test]
    fn windows_paths_get_slashes() {
        assert_eq!(path(r"C:\work\Lang 1\A.java"), "C:/work/Lang 1/A.java");
        assert_eq!(path(r"src\main\A.java"), "src/main/A.java");
        assert_eq!(path(r"src/odd\name"), r"src/odd\name");
    }

    #[test]
    fn missing_sides_are_recognised() {
        assert!(header_path(b"A.java\t1970-01-01 00:00:00.000000000 +0000").unwrap().marked_absent);
        assert!(header_path(b"A.java\t(nonexistent)").unwrap().marked_absent);
        assert_eq!(header_path(b"/dev/null").unwrap().path, None);
    }

    #[test]
    fn git_header_lines_are_split_at_the_right_space() {
        let split = |line: &str| git_header_paths(line.as_bytes()).unwrap();
        assert_eq!(split("a/x y.txt b/x y.txt"), ("a/x y.txt".to_owned(), "b/x y.txt".to_owned()));
        assert_eq!(split(r#""a/\303\274" "b/\303\274""#), ("a/ü".to_owned(), "b/ü".to_owned()));
        assert_eq!(split("same same"), ("same".to_owned(), "same".to_owned()));
        assert_eq!(git_header_paths(b"a/one b/two"), None);
    }
}
