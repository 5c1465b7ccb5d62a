//! The text of a source file, whatever its encoding and line ends.

use std::borrow::Cow;

/// Bytes as text: UTF-8 where it is, each other byte as the ISO-8859-1 character it would be; without a byte order
/// mark; every line end (`\r\n`, `\r`) as `\n`, which is how javac counts lines.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
    }
    let text = text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned);
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// The lines of a decoded text without trailing white space. A final line end opens no further line.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

/// A string literal as the program sees it: a text block without the indentation and the trailing white space that
/// the compiler strips, so that indenting it anew is no change.
pub(super) fn string_literal(literal: &str) -> Cow<'_, str> {
    let Some((_, content)) = literal.strip_prefix("\"\"\"").and_then(|rest| rest.split_once('\n')) else {
        return Cow::Borrowed(literal);
    };
    let rows: Vec<&str> = content.split('\n').collect();
    let last = rows.len() - 1;
    let indentation = rows
        .iter()
        .enumerate()
        .filter(|&(at, row)| at == last || !row.trim().is_empty())
        .map(|(_, row)| row.len() - row.trim_start().len())
        .min()
        .unwrap_or(0);
    let mut stripped = String::from("\"\"\"\n");
    for (at, row) in rows.iter().enumerate() {
        let row = row.get(indentation..).unwrap_or("");
        stripped.push_str(if at == last { row } else { row.trim_end() });
        stripped.push_str(if at == last { "" } else { "\n" });
    }
    Cow::Owned(stripped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_1_utf_8_and_a_byte_order_mark_all_decode() {
        assert_eq!(decode(b"caf\xe9"), "café");
        assert_eq!(decode("\u{feff}café".as_bytes()), "café");
        assert_eq!(
            decode("é".as_bytes().iter().chain(b"\xe9").copied().collect::<Vec<_>>().as_slice()),
            "éé"
        );
    }

    #[test]
    fn every_kind_of_line_end_counts_as_javac_counts_it() {
        assert_eq!(lines(&decode(b"a\r\nb\rc\n")), ["a", "b", "c"]);
        assert_eq!(lines(""), Vec::<&str>::new());
    }

    #[test]
    fn a_text_block_indented_anew_is_the_same_string() {
        let narrow = "\"\"\"\n  a\n    b\n  \"\"\"";
        let wide = "\"\"\"\n      a  \n        b\n      \"\"\"";
        assert_eq!(string_literal(narrow), string_literal(wide));
        assert_ne!(string_literal(narrow), string_literal("\"\"\"\n  a\n   b\n  \"\"\""));
        assert_eq!(string_literal("\"a\""), "\"a\"");
    }
}
