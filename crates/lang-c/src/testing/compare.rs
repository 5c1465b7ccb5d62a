//! Where two outputs differ, in words.

/// Longer lines are cut.
const SHOWN: usize = 120;

/// The first line that differs; none if the outputs are equal.
pub(super) fn difference(expected: &[u8], actual: &[u8]) -> Option<String> {
    if expected == actual {
        return None;
    }
    let mut lines = (expected.split(|&byte| byte == b'\n'), actual.split(|&byte| byte == b'\n'));
    let mut number = 0;
    loop {
        number += 1;
        match (lines.0.next(), lines.1.next()) {
            (None, None) => return Some("the outputs differ".to_owned()),
            (wanted, found) if wanted == found => {}
            (wanted, found) => {
                return Some(format!("line {number}: {} instead of {}", quoted(found), quoted(wanted)));
            }
        }
    }
}

fn quoted(line: Option<&[u8]>) -> String {
    let Some(line) = line else { return "the end".to_owned() };
    let text = String::from_utf8_lossy(line);
    let mut cut: String = text.chars().take(SHOWN).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("`{}`", cut.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(difference(b"a\nb\n", b"a\nb\n"), None);
        assert_eq!(difference(b"a\nb\n", b"a\nc\n").unwrap(), "line 2: `c` instead of `b`");
        assert_eq!(difference(b"a\nb\n", b"a\n").unwrap(), "line 2: `` instead of `b`");
        assert_eq!(difference(b"a", b"a\nb").unwrap(), "line 2: `b` instead of the end");
        assert_eq!(difference(b"", b"\x01").unwrap(), "line 1: `\\u{1}` instead of ``");
    }
}
