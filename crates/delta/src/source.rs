//! The text of a source file, whatever its encoding and line ends.

/// Bytes as text: UTF-8 where it is, each other byte as the ISO-8859-1 character it would be; without a byte order
/// mark; every line end (`\r\n`, `\r`) as `\n`, which is how compilers count lines.
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
    }
    let text = text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned);
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// The lines of a decoded text without trailing white space. A final line end opens no further line.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
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
    fn every_kind_of_line_end_counts_as_compilers_count_it() {
        assert_eq!(lines(&decode(b"a\r\nb\rc\n")), ["a", "b", "c"]);
        assert_eq!(lines(""), Vec::<&str>::new());
    }
}
