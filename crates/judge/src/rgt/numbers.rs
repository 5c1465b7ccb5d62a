//! Numbers that are equal for all who may rely on them: `BigDecimal`s of two scales, zeros of two signs, texts that
//! differ in the last digits of a number.

use bonafix_model::{Field, Observation, StepObservation, Value};

const BIG_DECIMAL: &str = "java.math.BigDecimal";

/// Plain digits up to this power of ten, an exponent beyond.
const LONGEST_PLAIN: i64 = 20;

/// How far apart two numbers in a text may be, in proportion and near zero.
const TEXT_TOLERANCE: f64 = 1e-9;

/// What is made equal before two observations are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Levelling {
    /// Zeros of both signs.
    pub(super) zeros: bool,
    /// `BigDecimal`s of all scales.
    pub(super) scales: bool,
}

impl Levelling {
    pub(super) fn observation(self, observation: &Observation) -> Observation {
        let value = |value: &Option<Value>| value.as_ref().map(|value| self.value(value));
        let step = |seen: &StepObservation| StepObservation {
            step: seen.step,
            result: value(&seen.result),
            receiver: value(&seen.receiver),
            arguments: seen.arguments.iter().map(|(number, value)| (*number, self.value(value))).collect(),
            thrown: seen.thrown.clone(),
            statics: value(&seen.statics),
        };
        Observation {
            steps: observation.steps.iter().map(step).collect(),
            ending: observation.ending.clone(),
        }
    }

    fn value(self, value: &Value) -> Value {
        match value {
            Value::Double(bits) if self.zeros && f64::from_bits(*bits) == 0.0 => Value::Double(0),
            Value::Float(bits) if self.zeros && f32::from_bits(*bits) == 0.0 => Value::Float(0),
            Value::Valued { type_name, text } if self.scales && type_name == BIG_DECIMAL => Value::Valued {
                type_name: type_name.clone(),
                text: canonical_decimal(text).unwrap_or_else(|| text.clone()),
            },
            Value::Collection { kind, ordered, length, items, digest } => Value::Collection {
                kind: kind.clone(),
                ordered: *ordered,
                length: *length,
                items: items.iter().map(|item| self.value(item)).collect(),
                digest: *digest,
            },
            Value::Map { ordered, length, entries, digest } => Value::Map {
                ordered: *ordered,
                length: *length,
                entries: entries.iter().map(|(key, value)| (self.value(key), self.value(value))).collect(),
                digest: *digest,
            },
            Value::Object { type_name, fields } => Value::Object {
                type_name: type_name.clone(),
                fields: fields
                    .iter()
                    .map(|field| Field { value: self.value(&field.value), ..field.clone() })
                    .collect(),
            },
            other => other.clone(),
        }
    }
}

/// A decimal number without zeros that do not change it: `0.00` is `0`, `1.50` and `15E-1` are `1.5`.
pub(super) fn canonical_decimal(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (sign, unsigned) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let exponent = exponent.checked_add(i64::try_from(trailing).ok()?)?;
    Some(format!("{sign}{}", with_exponent(significant, exponent)))
}

fn with_exponent(digits: &str, exponent: i64) -> String {
    let Ok(places) = usize::try_from(exponent.unsigned_abs()) else {
        return format!("{digits}E{exponent}");
    };
    if exponent.abs() > LONGEST_PLAIN {
        format!("{digits}E{exponent}")
    } else if exponent >= 0 {
        format!("{digits}{}", "0".repeat(places))
    } else {
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        format!("{whole}.{fraction}")
    }
}

/// Do two texts differ in nothing but the last digits of numbers with a point in them?
pub(super) fn texts_differ_by_rounding(left: &str, right: &str) -> bool {
    let (left, right) = (tokens(left), tokens(right));
    left.len() == right.len() && left.iter().zip(&right).all(|(left, right)| same_token(left, right))
}

fn same_token(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    let number = |token: &str| {
        let begins = token.starts_with(|first: char| first.is_ascii_digit() || first == '-');
        begins.then(|| token.parse::<f64>().ok()).flatten().filter(|number| number.is_finite())
    };
    let (Some(one), Some(other)) = (number(left), number(right)) else { return false };
    let broken = left.contains(['.', 'e', 'E']) || right.contains(['.', 'e', 'E']);
    // Equal numbers in two ways of writing are two formats, and a format can be meant; the sign of zero is not.
    let written_differently = one.to_bits() == other.to_bits();
    let apart = (one - other).abs();
    let close = apart <= TEXT_TOLERANCE || apart <= TEXT_TOLERANCE * one.abs().max(other.abs());
    broken && close && !written_differently
}

/// Cuts a text into numbers and what stands between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let number = number_length(rest);
        let length = if number > 0 {
            number
        } else {
            // At least one character, then up to where the next number can begin.
            let first = rest.chars().next().map_or(0, char::len_utf8);
            rest[first..]
                .find(|next: char| next.is_ascii_digit() || next == '-')
                .map_or(rest.len(), |next| first + next)
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind;
    }
    tokens
}

/// How long the number is with which the text begins; 0 if it begins with none.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(sign);
    if whole == 0 {
        return 0;
    }
    let mut length = sign + whole;
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let from = length + 1 + signed;
        if from <= bytes.len() && digits(from) > 0 {
            length = from + digits(from);
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_equal_whatever_their_scale() {
        for (text, expected) in [
            ("0", "0"),
            ("0.00", "0"),
            ("-0.0", "0"),
            ("0E+3", "0"),
            ("0E-10", "0"),
            ("1.50", "1.5"),
            ("15E-1", "1.5"),
            ("100", "100"),
            ("1E+2", "100"),
            ("1.0E2", "100"),
            ("-0.050", "-0.05"),
            ("007", "7"),
            ("123.456", "123.456"),
            ("1E-25", "1E-25"),
            ("10E-26", "1E-25"),
            ("1E+2147483647", "1E2147483647"),
        ] {
            assert_eq!(canonical_decimal(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_decimal_is_left_alone() {
        for text in ["", "-", ".", "abc", "1.2.3", "1Ex", "NaN", "1E99999999999999999999"] {
            assert_eq!(canonical_decimal(text), None, "{text}");
        }
    }

    #[test]
    fn texts_may_differ_in_last_digits_and_in_nothing_else() {
        for (left, right, expected) in [
            ("mean=0.3", "mean=0.30000000000000004", true),
            ("[0.1, -2.5E-3]", "[0.1, -2.5000000000000005E-3]", true),
            ("0.0", "-0.0", true),
            ("1.0E10;x", "1.0000000000000002E10;x", true),
            ("0.33", "0.34", false),
            ("1", "1.0", false),
            ("1.50", "1.5", false),
            ("12", "13", false),
            ("10000000001", "10000000002", false),
            ("a1.0", "b1.0000000000000002", false),
            ("1.0", "1.0 x", false),
            ("x", "y", false),
            ("1e", "1f", false),
            ("ä-1.5ö", "ä-1.5000000000000002ö", true),
        ] {
            assert_eq!(texts_differ_by_rounding(left, right), expected, "{left} / {right}");
        }
    }
}
