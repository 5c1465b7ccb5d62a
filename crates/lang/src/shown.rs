//! Bytes for people: text where it is text, else numbers.

/// Bytes of a line of numbers.
const WIDTH: usize = 16;

/// Bytes as lines: text with what cannot be seen written as escapes, or hexadecimal numbers beside the text in them.
pub fn shown_bytes(bytes: &[u8]) -> Vec<String> {
    if bytes.is_empty() {
        return vec!["(no bytes)".to_owned()];
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if is_text(text) => shown_text(text),
        _ => bytes.chunks(WIDTH).map(shown_numbers).collect(),
    }
}

/// At least nine of ten characters are there to be read.
fn is_text(text: &str) -> bool {
    let strange = text.chars().filter(|c| c.is_control() && !"\n\t\r".contains(*c)).count();
    strange * 10 <= text.chars().count()
}

fn shown_text(text: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        text.split_inclusive('\n').map(|line| escaped(line.trim_end_matches('\n'))).collect();
    if !text.ends_with('\n') {
        lines.push("(no newline at the end)".to_owned());
    }
    lines
}

fn escaped(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        if c == '\\' || c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// `7f 45 4c 46                                      |.ELF|`
fn shown_numbers(bytes: &[u8]) -> String {
    let numbers: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let text: String = bytes
        .iter()
        .map(|byte| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' })
        .collect();
    format!("{:<width$} |{text}|", numbers.join(" "), width = WIDTH * 3 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shown_as_it_is_with_escapes_for_what_cannot_be_seen() {
        assert_eq!(shown_bytes("a = 1\n\tß\\\n".as_bytes()), ["a = 1", r"\tß\\"]);
        assert_eq!(shown_bytes(b"x\r\ny"), [r"x\r", "y", "(no newline at the end)"]);
        assert_eq!(shown_bytes(b""), ["(no bytes)"]);
    }

    #[test]
    fn what_is_no_text_is_shown_as_numbers() {
        let shown = shown_bytes(b"\x7fELF\x02\xff and so on, to a second line");
        assert_eq!(shown.len(), 3);
        assert_eq!(shown[0], "7f 45 4c 46 02 ff 20 61 6e 64 20 73 6f 20 6f 6e |.ELF.. and so on|");
        assert!(shown[2].starts_with("6e 65 ") && shown[2].ends_with(" |ne|"), "{shown:?}");
    }
}
