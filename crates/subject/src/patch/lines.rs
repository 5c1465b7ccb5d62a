//! Bytes as lines that remember how they ended.

/// How a line ends in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// The end of the file.
    None,
}

impl Ending {
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Ending::Lf => b"\n",
            Ending::CrLf => b"\r\n",
            Ending::None => b"",
        }
    }
}

/// A line of a file, apart from its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) text: &'a [u8],
    pub(super) ending: Ending,
}

/// Takes a file apart; putting text and endings together again gives the same bytes.
pub(super) fn split(bytes: &[u8]) -> Vec<Line<'_>> {
    bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(|raw| match raw.strip_suffix(b"\n") {
            None => Line { text: raw, ending: Ending::None },
            Some(text) => match text.strip_suffix(b"\r") {
                Some(text) => Line { text, ending: Ending::CrLf },
                None => Line { text, ending: Ending::Lf },
            },
        })
        .collect()
}

/// The ending that every line of a file has, if they agree and there is one.
pub(super) fn uniform_ending(lines: &[Line<'_>]) -> Option<Ending> {
    let mut endings = lines.iter().map(|line| line.ending).filter(|&ending| ending != Ending::None);
    let first = endings.next()?;
    endings.all(|ending| ending == first).then_some(first)
}

pub(super) fn without_cr(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\r").unwrap_or(text)
}

/// The byte order mark of UTF-8.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

pub(super) fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(BOM).unwrap_or(text)
}
