//! From bytes to a [`PatchSet`].
//!
//! The reader is lenient where a meaning is certain (mail around the diff, blank context lines without their space,
//! wrong counts in a hunk header) and says so in the notes; it is strict where a guess could change the patch.

use super::lines::{self, without_cr};
use super::names::{self, HeaderPath};
use super::{FileKind, FilePatch, Hunk, HunkLine, LineKind, PatchError, PatchSet};

/// Reads a diff.
pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<PatchSet, PatchError> {
    let decoded = decode_utf16(bytes);
    let text = lines::without_bom(decoded.as_deref().unwrap_or(bytes));
    if text.trim_ascii().is_empty() {
        return Err(PatchError::Empty { patch: name.to_owned() });
    }
    let lines =
        text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    let mut parser =
        Parser { name, lines: lines.collect(), at: 0, crlf: false, files: Vec::new(), notes: Vec::new() };
    if decoded.is_some() {
        parser.notes.push("the patch is UTF-16 and was read as such".to_owned());
    }
    parser.read_all()?;
    Ok(PatchSet { name: name.to_owned(), files: parser.files, notes: parser.notes })
}

/// A shell on Windows writes what a command prints as UTF-16.
fn decode_utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let (big_endian, rest) = match bytes {
        [0xFF, 0xFE, rest @ ..] => (false, rest),
        [0xFE, 0xFF, rest @ ..] => (true, rest),
        _ => return None,
    };
    let unit = |pair: &[u8]| match (pair, big_endian) {
        (&[high, low], true) => u16::from_be_bytes([high, low]),
        (&[low, high], false) => u16::from_le_bytes([low, high]),
        _ => u16::from(b'?'),
    };
    let units = rest.chunks(2).map(unit);
    let decoded = char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(decoded.collect::<String>().into_bytes())
}

struct Parser<'a> {
    name: &'a str,
    /// Without `\n`, possibly with `\r`.
    lines: Vec<&'a [u8]>,
    at: usize,
    /// The headers of the current file end with `\r\n`: the diff itself, not the file, has such lines.
    crlf: bool,
    files: Vec<FilePatch>,
    notes: Vec<String>,
}

/// Numbers of a hunk header.
#[derive(Clone, Copy)]
struct Range {
    start: usize,
    count: usize,
}

/// What git says about a file between `diff --git` and the hunks.
#[derive(Default)]
struct GitHeader {
    old: Option<String>,
    new: Option<String>,
    kind: Option<FileKind>,
    mode_changed: bool,
}

impl<'a> Parser<'a> {
    /// The line at an index, without `\r`; empty past the end.
    fn line(&self, at: usize) -> &'a [u8] {
        without_cr(self.lines.get(at).copied().unwrap_or_default())
    }

    fn malformed(&self, at: usize, why: impl Into<String>) -> PatchError {
        let text = String::from_utf8_lossy(self.line(at)).into_owned();
        PatchError::Malformed { patch: self.name.to_owned(), line: at + 1, text, why: why.into() }
    }

    fn read_all(&mut self) -> Result<(), PatchError> {
        while self.at < self.lines.len() {
            let line = self.line(self.at);
            if line.starts_with(b"diff --git ") {
                self.git_file()?;
            } else if self.is_file_header(self.at) {
                self.plain_file()?;
            } else {
                self.outside_of_files(line)?;
                self.at += 1;
            }
        }
        if self.files.is_empty() { Err(self.not_a_diff()) } else { Ok(()) }
    }

    /// Mail headers, `Index:` lines, prose; and a few things that must not be passed over.
    fn outside_of_files(&mut self, line: &[u8]) -> Result<(), PatchError> {
        let at = self.at;
        if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
            return Err(self.malformed(
                at,
                "a combined diff of a merge has no single old side; compare with one parent, `git diff BASE HEAD`",
            ));
        }
        if hunk_header(line).is_some() {
            return Err(self.malformed(
                at,
                "this hunk belongs to no file: there are no `---` and `+++` lines before it",
            ));
        }
        if let Some(file) = binary_file(line) {
            return Err(self.binary(at, file));
        }
        if line.starts_with(b"Cannot display: file marked as a binary") {
            let index = (0..at).rev().find_map(|before| self.line(before).strip_prefix(b"Index: "));
            let file = String::from_utf8_lossy(index.unwrap_or(b"a file")).into_owned();
            return Err(self.binary(at, file));
        }
        if line.starts_with(b"Only in ") {
            let text = String::from_utf8_lossy(line);
            self.notes
                .push(format!("line {}: `{text}` says nothing about contents and is passed over", at + 1));
        }
        Ok(())
    }

    fn binary(&self, at: usize, file: String) -> PatchError {
        PatchError::Binary { patch: self.name.to_owned(), line: at + 1, file }
    }

    fn not_a_diff(&self) -> PatchError {
        let starts = |prefix: &[u8]| (0..self.lines.len()).find(|&at| self.line(at).starts_with(prefix));
        let (at, why) = if let Some(at) = starts(b"***************") {
            (at, "this is a context diff")
        } else if let Some(at) = (0..self.lines.len()).find(|&at| is_ed_style(self.line(at))) {
            (at, "this is a diff without context")
        } else {
            (0, "there is no `---` line followed by a `+++` line")
        };
        PatchError::NotADiff { patch: self.name.to_owned(), line: at + 1, why: why.to_owned() }
    }

    /// `--- old` and `+++ new`, as outside of a hunk.
    fn is_file_header(&self, at: usize) -> bool {
        self.line(at).starts_with(b"--- ") && self.line(at + 1).starts_with(b"+++ ")
    }

    /// The same where a hunk may still go on: a hunk must follow.
    fn is_file_header_with_hunk(&self, at: usize) -> bool {
        self.is_file_header(at) && self.line(at + 2).starts_with(b"@@")
    }

    fn plain_file(&mut self) -> Result<(), PatchError> {
        let begin = self.at;
        let (old, new) = self.file_header()?;
        let hunks = self.hunks()?;
        self.push_file(begin, old, new, None, hunks)
    }

    fn file_header(&mut self) -> Result<(HeaderPath, HeaderPath), PatchError> {
        let side = |at: usize| {
            let rest = self.line(at).get(4..).unwrap_or_default();
            names::header_path(rest).map_err(|why| self.malformed(at, why))
        };
        let paths = (side(self.at)?, side(self.at + 1)?);
        self.crlf = self.lines.get(self.at + 1).is_some_and(|line| line.ends_with(b"\r"));
        self.at += 2;
        Ok(paths)
    }

    fn push_file(
        &mut self,
        begin: usize,
        old: HeaderPath,
        new: HeaderPath,
        kind: Option<FileKind>,
        hunks: Vec<Hunk>,
    ) -> Result<(), PatchError> {
        let kind = match (&old.path, &new.path) {
            (None, None) => return Err(self.malformed(begin, "both sides are /dev/null")),
            (None, Some(_)) => FileKind::Create,
            (Some(_), None) => FileKind::Delete,
            (Some(_), Some(_)) => kind.unwrap_or(FileKind::Modify),
        };
        self.files.push(FilePatch {
            line: begin + 1,
            old: old.path,
            new: new.path,
            kind,
            old_marked_absent: old.marked_absent,
            new_marked_absent: new.marked_absent,
            hunks,
        });
        Ok(())
    }

    fn git_file(&mut self) -> Result<(), PatchError> {
        let begin = self.at;
        let header = self.git_header()?;
        if header.mode_changed {
            let file = header.new.as_deref().unwrap_or("the file");
            self.notes.push(format!("line {}: the change of {file}'s mode is passed over", begin + 1));
        }
        if self.line(self.at).starts_with(b"GIT binary patch") || binary_file(self.line(self.at)).is_some() {
            let file = header.new.or(header.old).unwrap_or_else(|| "a file".to_owned());
            return Err(self.binary(self.at, file));
        }
        if self.is_file_header(self.at) {
            let (old, new) = self.file_header()?;
            let hunks = self.hunks()?;
            let renamed =
                matches!(header.kind, Some(FileKind::Rename | FileKind::Copy)).then_some(header.kind);
            return self.push_file(begin, old, new, renamed.flatten(), hunks);
        }
        let (Some(old), Some(new)) = (header.old, header.new) else {
            return Err(self.malformed(begin, "the two paths of this line cannot be told apart"));
        };
        let (old, new) = match header.kind {
            Some(FileKind::Create) => (None, Some(new)),
            Some(FileKind::Delete) => (Some(old), None),
            _ => (Some(old), Some(new)),
        };
        let side = |path| HeaderPath { path, marked_absent: false };
        self.push_file(begin, side(old), side(new), header.kind, Vec::new())
    }

    /// `diff --git` and the extended headers; stops at `---`, at binary data, or at what is no such header.
    fn git_header(&mut self) -> Result<GitHeader, PatchError> {
        let begin = self.at;
        let names_line = self.line(begin).strip_prefix(b"diff --git ").unwrap_or_default();
        let mut header = GitHeader::default();
        if let Some((old, new)) = names::git_header_paths(names_line) {
            (header.old, header.new) = (Some(old), Some(new));
        }
        let (mut from, mut to) = (None, None);
        self.at += 1;
        while self.at < self.lines.len() && self.git_extended_line(&mut header, &mut from, &mut to)? {
            self.at += 1;
        }
        if let (Some(from), Some(to)) = (from, to) {
            let bare = names_line == format!("{from} {to}").as_bytes();
            let prefix = |side: &str, path: String| if bare { path } else { format!("{side}/{path}") };
            (header.old, header.new) = (Some(prefix("a", from)), Some(prefix("b", to)));
        }
        Ok(header)
    }

    /// Reads one extended header; false if the line is none.
    fn git_extended_line(
        &self,
        header: &mut GitHeader,
        from: &mut Option<String>,
        to: &mut Option<String>,
    ) -> Result<bool, PatchError> {
        let line = self.line(self.at);
        if has_special_mode(line) {
            return Err(
                self.malformed(self.at, "symbolic links and submodules cannot be patched; leave them out")
            );
        }
        let path = |prefix: &[u8]| {
            let rest = line.strip_prefix(prefix)?;
            Some(names::git_path(rest).map_err(|why| self.malformed(self.at, why)))
        };
        if let Some(path) = path(b"rename from ").or_else(|| path(b"copy from ")) {
            *from = Some(path?);
        } else if let Some(path) = path(b"rename to ") {
            (*to, header.kind) = (Some(path?), Some(FileKind::Rename));
        } else if let Some(path) = path(b"copy to ") {
            (*to, header.kind) = (Some(path?), Some(FileKind::Copy));
        } else if line.starts_with(b"new file mode ") {
            header.kind = Some(FileKind::Create);
        } else if line.starts_with(b"deleted file mode ") {
            header.kind = Some(FileKind::Delete);
        } else if line.starts_with(b"old mode ") || line.starts_with(b"new mode ") {
            header.mode_changed = true;
        } else {
            let known: [&[u8]; 3] = [b"index ", b"similarity index ", b"dissimilarity index "];
            return Ok(known.iter().any(|prefix| line.starts_with(prefix)));
        }
        Ok(true)
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>, PatchError> {
        let mut hunks = Vec::new();
        while let Some((old, new)) = hunk_header(self.line(self.at)) {
            let header = self.at;
            let end = self.hunk_end(old, new)?;
            let lines = self.hunk_lines(end);
            self.note_counts(header, &lines, old, new);
            self.at = self.past_blank_lines_before_hunk(end);
            hunks.push(Hunk { line: header + 1, old_start: old.start, new_start: new.start, lines });
        }
        if self.line(self.at).starts_with(b"@@") {
            return Err(self.malformed(self.at, "this is no hunk header; one reads `@@ -1,2 +1,2 @@`"));
        }
        if hunks.is_empty() {
            return Err(self.malformed(self.at, "a hunk (`@@ -1,2 +1,2 @@`) should follow the `+++` line"));
        }
        Ok(hunks)
    }

    fn past_blank_lines_before_hunk(&self, end: usize) -> usize {
        let next = (end..self.lines.len()).find(|&at| !self.line(at).is_empty());
        next.filter(|&at| hunk_header(self.line(at)).is_some()).unwrap_or(end)
    }

    fn note_counts(&mut self, header: usize, lines: &[HunkLine], old: Range, new: Range) {
        let count = |without: LineKind| lines.iter().filter(|line| line.kind != without).count();
        let (old_lines, new_lines) = (count(LineKind::Add), count(LineKind::Remove));
        if (old_lines, new_lines) != (old.count, new.count) {
            self.notes.push(format!(
                "line {}: the hunk header promises {} old and {} new lines, the hunk has {old_lines} and {new_lines}",
                header + 1,
                old.count,
                new.count
            ));
        }
    }

    /// Index of the first line after the hunk whose header is at `self.at`.
    ///
    /// The counts decide where they agree with the lines; otherwise the lines do, if their end is certain.
    fn hunk_end(&self, old: Range, new: Range) -> Result<usize, PatchError> {
        let counted = self.end_by_counts(old.count, new.count);
        let natural = self.end_by_signs();
        match counted {
            Some(end) if !self.goes_on_after(end, natural) => Ok(end),
            Some(_) => Ok(natural),
            None if self.is_certain_end(natural) => Ok(natural),
            None => Err(self.malformed(
                natural,
                format!(
                    "the hunk of line {} is not complete ({} old and {} new lines promised), and a line of it \
                     must begin with ` `, `+`, `-` or `\\`",
                    self.at + 1,
                    old.count,
                    new.count
                ),
            )),
        }
    }

    /// Where the promised number of lines is reached; `None` if they do not come.
    fn end_by_counts(&self, mut old: usize, mut new: usize) -> Option<usize> {
        let mut at = self.at + 1;
        while old > 0 || new > 0 {
            if at >= self.lines.len() {
                return None;
            }
            match self.sign(at)? {
                b' ' => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                b'-' => old = old.checked_sub(1)?,
                b'+' => new = new.checked_sub(1)?,
                _ => {}
            }
            at += 1;
        }
        Some(if self.sign(at) == Some(b'\\') { at + 1 } else { at })
    }

    /// Where the lines stop looking like those of a hunk. Blank lines at the end are taken for separators.
    fn end_by_signs(&self) -> usize {
        let mut end = self.at + 1;
        let mut at = end;
        while at < self.lines.len() && self.sign(at).is_some() && !self.is_boundary(at) {
            at += 1;
            if !self.line(at - 1).is_empty() {
                end = at;
            }
        }
        end
    }

    /// Whether more changes follow the counted end, so that the counts must be too small.
    fn goes_on_after(&self, counted: usize, natural: usize) -> bool {
        !self.is_dashes(counted) && (counted..natural).any(|at| matches!(self.sign(at), Some(b'+' | b'-')))
    }

    fn is_boundary(&self, at: usize) -> bool {
        let line = self.line(at);
        line.starts_with(b"diff --git ")
            || line.starts_with(b"Index: ")
            || self.is_file_header_with_hunk(at)
            || self.is_signature(at)
    }

    /// `-- ` and git's version, the last lines of `git format-patch`.
    fn is_signature(&self, at: usize) -> bool {
        let version = self.line(at + 1);
        self.is_dashes(at)
            && version.first().is_none_or(u8::is_ascii_digit)
            && !(at + 2..self.lines.len()).any(|after| matches!(self.sign(after), Some(b'+' | b'-')))
    }

    /// What sets a signature or a mailing list's footer apart.
    fn is_dashes(&self, at: usize) -> bool {
        matches!(self.line(at), b"-- " | b"--")
    }

    /// Nothing more, another hunk, another file: not a damaged line.
    fn is_certain_end(&self, end: usize) -> bool {
        let next = (end..self.lines.len()).find(|&at| !self.line(at).is_empty());
        next.is_none_or(|at| {
            let line = self.line(at);
            hunk_header(line).is_some()
                || line.starts_with(b"diff ")
                || self.is_file_header(at)
                || self.is_boundary(at)
        })
    }

    /// The sign of a hunk line; a blank line is context that lost its space. `None` if it is no hunk line.
    fn sign(&self, at: usize) -> Option<u8> {
        match self.lines.get(at)?.first() {
            None | Some(b'\r') => Some(b' '),
            Some(&sign) => b" +-\\".contains(&sign).then_some(sign),
        }
    }

    fn hunk_lines(&self, end: usize) -> Vec<HunkLine> {
        let mut lines: Vec<HunkLine> = Vec::new();
        for at in self.at + 1..end {
            let raw = self.lines.get(at).copied().unwrap_or_default();
            let raw = if self.crlf { without_cr(raw) } else { raw };
            let kind = match raw.first() {
                Some(b'\\') => {
                    if let Some(last) = lines.last_mut() {
                        last.no_newline = true;
                    }
                    continue;
                }
                Some(b'+') => LineKind::Add,
                Some(b'-') => LineKind::Remove,
                _ => LineKind::Context,
            };
            let text = if raw.first() == Some(&b'\r') { raw } else { raw.get(1..).unwrap_or_default() };
            lines.push(HunkLine { kind, text: text.to_vec(), no_newline: false });
        }
        lines
    }
}

/// `@@ -12,3 +14 @@ heading`: the old and the new range.
fn hunk_header(line: &[u8]) -> Option<(Range, Range)> {
    let rest = std::str::from_utf8(line.strip_prefix(b"@@ -")?.split(|&byte| byte == b'@').next()?).ok()?;
    let (old, new) = rest.trim_end().split_once(' ')?;
    Some((range(old)?, range(new.trim_start().strip_prefix('+')?)?))
}

fn range(text: &str) -> Option<Range> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let number = |text: &str| usize::try_from(text.parse::<u32>().ok()?).ok();
    Some(Range { start: number(start)?, count: number(count)? })
}

/// `Binary files a/x and b/x differ`, also of git and svn.
fn binary_file(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let files = line.strip_prefix("Binary files ")?.strip_suffix(" differ")?;
    let (old, new) = files.split_once(" and ")?;
    Some(if new == "/dev/null" { old } else { new }.to_owned())
}

/// An extended header of git that speaks of something else than a file with lines.
fn has_special_mode(line: &[u8]) -> bool {
    let speaks_of_modes: [&[u8]; 5] =
        [b"new file mode ", b"deleted file mode ", b"old mode ", b"new mode ", b"index "];
    speaks_of_modes.iter().any(|prefix| line.starts_with(prefix))
        && (line.ends_with(b" 120000") || line.ends_with(b" 160000"))
}

/// `12c14`, `3,4d2` of plain `diff`.
fn is_ed_style(line: &[u8]) -> bool {
    let numbers =
        |part: &[u8]| !part.is_empty() && part.iter().all(|byte| byte.is_ascii_digit() || *byte == b',');
    line.iter()
        .position(|byte| b"acd".contains(byte))
        .is_some_and(|letter| numbers(&line[..letter]) && numbers(&line[letter + 1..]))
}
