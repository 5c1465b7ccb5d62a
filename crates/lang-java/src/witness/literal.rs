//! Constants as Java writes them. Sources are pure ASCII, so that no encoding can change what they say.

use std::fmt::Write as _;

/// A `String` literal of these UTF-16 units, halves of surrogate pairs among them.
pub(super) fn text(units: &[u16]) -> String {
    let mut literal = String::from("\"");
    for unit in units {
        if *unit == u16::from(b'"') {
            literal.push_str("\\\"");
        } else {
            escape(&mut literal, *unit);
        }
    }
    literal.push('"');
    literal
}

/// A `String` literal.
pub(super) fn string(text_: &str) -> String {
    text(&text_.encode_utf16().collect::<Vec<_>>())
}

/// A `char` literal.
pub(super) fn char(unit: u16) -> String {
    let mut literal = String::from("'");
    if unit == u16::from(b'\'') {
        literal.push_str("\\'");
    } else {
        escape(&mut literal, unit);
    }
    literal.push('\'');
    literal
}

/// Unicode escapes are read before anything else, so one for a line feed would end the line.
fn escape(literal: &mut String, unit: u16) {
    match u8::try_from(unit) {
        Ok(b'\\') => literal.push_str("\\\\"),
        Ok(b'\n') => literal.push_str("\\n"),
        Ok(b'\r') => literal.push_str("\\r"),
        Ok(b'\t') => literal.push_str("\\t"),
        Ok(byte @ b' '..=b'~') => literal.push(char::from(byte)),
        _ => {
            let _ = write!(literal, "\\u{unit:04x}");
        }
    }
}

/// An `int` literal; the ends of the range by name.
pub(super) fn int(value: i64) -> String {
    if value == i64::from(i32::MIN) {
        "Integer.MIN_VALUE".to_owned()
    } else if value == i64::from(i32::MAX) {
        "Integer.MAX_VALUE".to_owned()
    } else {
        value.to_string()
    }
}

/// A `long` literal.
pub(super) fn long(value: i64) -> String {
    match value {
        i64::MIN => "Long.MIN_VALUE".to_owned(),
        i64::MAX => "Long.MAX_VALUE".to_owned(),
        _ => format!("{value}L"),
    }
}

/// A `float` literal that is read as exactly these bits.
pub(super) fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        return if bits == 0x7fc0_0000 {
            "Float.NaN".to_owned()
        } else {
            format!("Float.intBitsToFloat(0x{bits:08x})")
        };
    }
    if value.is_infinite() {
        return format!("Float.{}_INFINITY", if value > 0.0 { "POSITIVE" } else { "NEGATIVE" });
    }
    format!("{value:?}f")
}

/// A `double` literal that is read as exactly these bits.
pub(super) fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        return if bits == 0x7ff8_0000_0000_0000 {
            "Double.NaN".to_owned()
        } else {
            format!("Double.longBitsToDouble(0x{bits:016x}L)")
        };
    }
    if value.is_infinite() {
        return format!("Double.{}_INFINITY", if value > 0.0 { "POSITIVE" } else { "NEGATIVE" });
    }
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_so_that_no_early_reading_changes_them() {
        assert_eq!(string("a\"b\\u0041\n\r\t'"), r#""a\"b\\u0041\n\r\t'""#);
        assert_eq!(string("\u{e9}\u{0}\u{7f}"), r#""\u00e9\u0000\u007f""#);
        assert_eq!(string("\u{1f600}"), r#""\ud83d\ude00""#);
        assert_eq!(text(&[0xd83d, u16::from(b'x')]), r#""\ud83dx""#);
        assert_eq!(
            (char(39), char(34), char(92), char(10)),
            ("'\\''".into(), "'\"'".into(), "'\\\\'".into(), "'\\n'".into())
        );
        assert_eq!(char(0xd800), r"'\ud800'");
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!((int(-5), int(-2_147_483_648)), ("-5".to_owned(), "Integer.MIN_VALUE".to_owned()));
        assert_eq!((long(5), long(i64::MAX)), ("5L".to_owned(), "Long.MAX_VALUE".to_owned()));
        assert_eq!(double((-0.0f64).to_bits()), "-0.0");
        assert_eq!(double(f64::NAN.to_bits()), "Double.NaN");
        assert_eq!(double(0x7ff8_0000_0000_0001), "Double.longBitsToDouble(0x7ff8000000000001L)");
        assert_eq!(double(f64::NEG_INFINITY.to_bits()), "Double.NEGATIVE_INFINITY");
        assert_eq!(double(1e300_f64.to_bits()), "1e300");
        assert_eq!(double(1), "5e-324");
        assert_eq!(float(0.1f32.to_bits()), "0.1f");
        assert_eq!(float(f32::INFINITY.to_bits()), "Float.POSITIVE_INFINITY");
    }
}
