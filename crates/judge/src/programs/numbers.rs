//! Lines that differ in the last digits of numbers only.

/// Numbers with a fraction that are further apart than this in proportion are not rounded differently, whatever their last
/// digit is: 2.5 and 2.6 are two results.
const FURTHEST: f64 = 1e-3;
/// Unless their last digit stands for less than this.
const SMALLEST: f64 = 1e-5;

/// Are two lines the same but for numbers with a fraction that differ by one in the last digit, or in the sign of zero?
pub(super) fn same_but_for_rounding(one: &str, other: &str) -> bool {
    let (one, other) = (pieces(one), pieces(other));
    one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| one == other || close(one, other))
}

/// A line in numbers and what stands between them.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let number = number_length(rest);
        let length = if number > 0 { number } else { first.len_utf8() };
        pieces.push(&rest[..length]);
        rest = &rest[length..];
    }
    pieces
}

/// How long the number at the start of a text is: `-1.5e+3`.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(bytes[0] == b'-');
    let whole = digits(sign);
    if whole == 0 {
        return 0;
    }
    let mut length = sign + whole;
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let signed = length + 1 + usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = if signed <= bytes.len() { digits(signed) } else { 0 };
        if exponent > 0 {
            length = signed + exponent;
        }
    }
    length
}

fn close(one: &str, other: &str) -> bool {
    let (Some((left, unit)), Some((right, other_unit))) = (fraction(one), fraction(other)) else {
        return false;
    };
    let apart = (left - right).abs();
    if apart == 0.0 {
        // Equal, and printed in another form on purpose: `1.5`, `1.50`. Only the sign of zero is chance.
        return one.trim_start_matches('-') == other.trim_start_matches('-');
    }
    let unit = unit.max(other_unit);
    // Half of a unit for what the numbers lose as binary fractions.
    apart <= 1.5 * unit && (unit <= SMALLEST || apart <= FURTHEST * left.abs().max(right.abs()))
}

/// The value of a number with a fraction, and what its last digit stands for.
fn fraction(text: &str) -> Option<(f64, f64)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (_, decimals) = mantissa.split_once('.')?;
    let places = i32::try_from(decimals.len()).ok()?;
    Some((text.parse().ok()?, 10f64.powi(exponent.checked_sub(places)?)))
}
