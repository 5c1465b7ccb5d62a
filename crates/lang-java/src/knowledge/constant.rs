//! Constants: from Java source to values, and what the compiler would compute from them.

use bonafix_model::Literal;

use crate::primitive::{is_primitive, unboxed};

/// A constant with its type: a primitive one, a box, `java.lang.String`, `java.lang.Class`, or `null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Constant {
    pub(super) type_name: String,
    pub(super) literal: Literal,
}

pub(super) const STRING: &str = "java.lang.String";
pub(super) const NULL: &str = "null";

/// Primitive types that are numbers, each wider than those before it (`char` apart).
const NUMERIC: [&str; 7] = ["byte", "short", "char", "int", "long", "float", "double"];

/// How many steps of widening lead from one primitive type to another; `None` if none do.
pub(super) fn widening(from: &str, to: &str) -> Option<u32> {
    let rank = |name: &str| NUMERIC.iter().position(|known| *known == name);
    if from == to {
        return Some(0);
    }
    if from == "boolean" || to == "boolean" || to == "char" || from == "char" && to == "short" {
        return None;
    }
    let (from, to) = (rank(from)?, rank(to)?);
    (from < to).then(|| u32::try_from(to - from).unwrap_or(u32::MAX))
}

impl Constant {
    pub(super) fn new(type_name: &str, literal: Literal) -> Self {
        Self { type_name: type_name.to_owned(), literal }
    }

    pub(super) fn null() -> Self {
        Self::new(NULL, Literal::Null)
    }

    pub(super) fn boolean(value: bool) -> Self {
        Self::new("boolean", Literal::Boolean(value))
    }

    pub(super) fn int(value: i64) -> Self {
        Self::new("int", Literal::Integer(value))
    }

    pub(super) fn double(value: f64) -> Self {
        Self::new("double", Literal::Double(value.to_bits()))
    }

    pub(super) fn text(value: &str) -> Self {
        Self::new(STRING, Literal::Text(value.encode_utf16().collect()))
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        if let Literal::Boolean(value) = self.literal { Some(value) } else { None }
    }

    /// As a whole number: `byte` to `long`, and `char`.
    pub(super) fn as_integer(&self) -> Option<i64> {
        match self.literal {
            Literal::Integer(value) => Some(value),
            Literal::Char(unit) => Some(i64::from(unit)),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "as Java widens")]
    pub(super) fn as_double(&self) -> Option<f64> {
        match self.literal {
            Literal::Float(bits) => Some(f64::from(f32::from_bits(bits))),
            Literal::Double(bits) => Some(f64::from_bits(bits)),
            _ => self.as_integer().map(|value| value as f64),
        }
    }

    /// What it is in string concatenation; `None` where Java's own algorithm would be needed.
    fn as_text(&self) -> Option<Vec<u16>> {
        let text = match &self.literal {
            Literal::Null => "null".to_owned(),
            Literal::Boolean(value) => value.to_string(),
            Literal::Integer(value) => value.to_string(),
            Literal::Char(unit) => return Some(vec![*unit]),
            Literal::Text(units) => return Some(units.clone()),
            Literal::Double(bits) => {
                let value = f64::from_bits(*bits);
                let plain = value == 0.0 || (1e-3..1e7).contains(&value.abs());
                if !plain {
                    return None;
                }
                format!("{value:?}")
            }
            Literal::Float(_) | Literal::Class(_) => return None,
        };
        Some(text.encode_utf16().collect())
    }

    /// The same value as a constant of a primitive type, with the loss that a cast brings.
    pub(super) fn cast(&self, to: &str) -> Option<Self> {
        if to == "boolean" {
            return self.as_bool().map(Self::boolean);
        }
        let literal = match to {
            "float" => Literal::Float(self.float_bits()?),
            "double" => Literal::Double(self.as_double()?.to_bits()),
            _ => whole(to, self.truncated(to == "long")?)?,
        };
        Some(Self::new(to, literal))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "as Java narrows")]
    fn float_bits(&self) -> Option<u32> {
        let value = match self.literal {
            Literal::Float(bits) => f32::from_bits(bits),
            Literal::Double(bits) => f64::from_bits(bits) as f32,
            _ => self.as_integer()? as f32,
        };
        Some(value.to_bits())
    }

    /// A floating point number goes to `int` or `long` with saturation, as in Rust.
    #[expect(clippy::cast_possible_truncation, reason = "as Java narrows")]
    fn truncated(&self, long: bool) -> Option<i64> {
        if let Some(value) = self.as_integer() {
            return Some(value);
        }
        let value = self.as_double()?;
        Some(if long { value as i64 } else { i64::from(value as i32) })
    }

    /// The type that arithmetic with this constant has at least.
    fn promoted(&self) -> Option<&'static str> {
        match unboxed(&self.type_name)? {
            "boolean" => None,
            "byte" | "short" | "char" => Some("int"),
            other => Some(other),
        }
    }

    /// Zero, false or `null`: what an array of that type begins with.
    pub(super) fn default_of(type_name: &str) -> Self {
        match type_name {
            "boolean" => Self::boolean(false),
            name if is_primitive(name) => Self::int(0).cast(name).unwrap_or_else(Self::null),
            _ => Self::null(),
        }
    }
}

/// A whole number of a type, wrapped around as Java does.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as Java narrows")]
fn whole(type_name: &str, value: i64) -> Option<Literal> {
    Some(match type_name {
        "byte" => Literal::Integer(i64::from(value as i8)),
        "short" => Literal::Integer(i64::from(value as i16)),
        "int" => Literal::Integer(i64::from(value as i32)),
        "long" => Literal::Integer(value),
        "char" => Literal::Char(value as u16),
        _ => return None,
    })
}

/// The constant that a literal node of the grammar stands for.
pub(super) fn of_literal(kind: &str, text: &str) -> Option<Constant> {
    match kind {
        "null_literal" => Some(Constant::null()),
        "true" => Some(Constant::boolean(true)),
        "false" => Some(Constant::boolean(false)),
        "decimal_integer_literal" => integer(text, 10),
        "hex_integer_literal" => integer(text.get(2..)?, 16),
        "octal_integer_literal" => integer(text, 8),
        "binary_integer_literal" => integer(text.get(2..)?, 2),
        "decimal_floating_point_literal" => floating(text),
        "hex_floating_point_literal" => hex_floating(text),
        "character_literal" => {
            let units = unescape(text.strip_prefix('\'')?.strip_suffix('\'')?)?;
            match units.as_slice() {
                [unit] => Some(Constant::new("char", Literal::Char(*unit))),
                _ => None,
            }
        }
        "string_literal" => string(text).map(|units| Constant::new(STRING, Literal::Text(units))),
        _ => None,
    }
}

/// The literal may be as large as its absolute value gets when negated; hexadecimal ones wrap.
fn integer(text: &str, radix: u32) -> Option<Constant> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let (digits, type_name) = match digits.strip_suffix(['l', 'L']) {
        Some(digits) => (digits, "long"),
        None => (digits.as_str(), "int"),
    };
    let value = u64::from_str_radix(digits, radix).ok()?;
    Some(Constant::new(type_name, whole(type_name, value.cast_signed())?))
}

fn floating(text: &str) -> Option<Constant> {
    let text: String = text.chars().filter(|c| *c != '_').collect();
    if let Some(digits) = text.strip_suffix(['f', 'F']) {
        return Some(Constant::new("float", Literal::Float(digits.parse::<f32>().ok()?.to_bits())));
    }
    Some(Constant::double(text.strip_suffix(['d', 'D']).unwrap_or(&text).parse().ok()?))
}

#[expect(clippy::cast_precision_loss, reason = "longer mantissas than a double holds are not written")]
fn hex_floating(text: &str) -> Option<Constant> {
    let text = text.get(2..)?.replace('_', "").to_lowercase();
    let (mantissa, exponent) = text.split_once('p')?;
    let (exponent, is_float) = match exponent.strip_suffix('f') {
        Some(exponent) => (exponent, true),
        None => (exponent.strip_suffix('d').unwrap_or(exponent), false),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{before}{after}"), 16).ok()?;
    let shift = exponent.parse::<i32>().ok()? - 4 * i32::try_from(after.len()).ok()?;
    let value = Constant::double(digits as f64 * 2_f64.powi(shift));
    if is_float { value.cast("float") } else { Some(value) }
}

/// The UTF-16 units of a string literal or a text block.
fn string(text: &str) -> Option<Vec<u16>> {
    if let Some(block) = text.strip_prefix("\"\"\"") {
        let (_, content) = block.strip_suffix("\"\"\"")?.split_once('\n')?;
        return unescape(&strip_indentation(content));
    }
    unescape(text.strip_prefix('"')?.strip_suffix('"')?)
}

/// A text block without the white space that the compiler strips.
fn strip_indentation(content: &str) -> String {
    let rows: Vec<&str> = content.split('\n').collect();
    let last = rows.len() - 1;
    let counts = rows.iter().enumerate().filter(|&(at, row)| at == last || !row.trim().is_empty());
    let indentation = counts.map(|(_, row)| row.len() - row.trim_start().len()).min().unwrap_or(0);
    let stripped: Vec<&str> =
        rows.iter().map(|row| row.get(indentation..).unwrap_or("").trim_end()).collect();
    stripped.join("\n")
}

fn unescape(text: &str) -> Option<Vec<u16>> {
    let mut units = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            continue;
        }
        let escaped = rest.next()?;
        let unit = match escaped {
            'n' => 10,
            't' => 9,
            'b' => 8,
            'r' => 13,
            'f' => 12,
            's' => 32,
            '\n' => continue,
            'u' => {
                while rest.next_if_eq(&'u').is_some() {}
                let digits: String = rest.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).ok()?
            }
            '0'..='7' => {
                let mut value = escaped.to_digit(8)?;
                let more = if escaped <= '3' { 2 } else { 1 };
                for _ in 0..more {
                    let Some(digit) = rest.next_if(|c| c.is_digit(8)) else { break };
                    value = value * 8 + digit.to_digit(8)?;
                }
                u16::try_from(value).ok()?
            }
            '"' | '\'' | '\\' => escaped as u16,
            _ => return None,
        };
        units.push(unit);
    }
    Some(units)
}

/// What a unary operator makes of a constant.
pub(super) fn unary(operator: &str, operand: &Constant) -> Option<Constant> {
    if operator == "!" {
        return operand.as_bool().map(|value| Constant::boolean(!value));
    }
    let type_name = operand.promoted()?;
    match (operator, &operand.literal) {
        ("+", _) => operand.cast(type_name),
        ("-", Literal::Float(bits)) => {
            Some(Constant::new("float", Literal::Float((-f32::from_bits(*bits)).to_bits())))
        }
        ("-", Literal::Double(bits)) => Some(Constant::double(-f64::from_bits(*bits))),
        ("-", _) => Some(Constant::new(type_name, whole(type_name, operand.as_integer()?.wrapping_neg())?)),
        ("~", _) => Some(Constant::new(type_name, whole(type_name, !operand.as_integer()?)?)),
        _ => None,
    }
}

/// What a binary operator makes of two constants.
pub(super) fn binary(operator: &str, left: &Constant, right: &Constant) -> Option<Constant> {
    if operator == "+" && (left.type_name == STRING || right.type_name == STRING) {
        let mut units = left.as_text()?;
        units.extend(right.as_text()?);
        return Some(Constant::new(STRING, Literal::Text(units)));
    }
    if let (Some(left), Some(right)) = (left.as_bool(), right.as_bool()) {
        return logical(operator, left, right);
    }
    if matches!(operator, "==" | "!=") && (left.literal == Literal::Null || right.literal == Literal::Null) {
        return Some(Constant::boolean((left.literal == right.literal) == (operator == "==")));
    }
    if matches!(operator, "<<" | ">>" | ">>>") {
        return shift(operator, left, right);
    }
    let rank = |name| NUMERIC.iter().position(|known| *known == name);
    let (a, b) = (left.promoted()?, right.promoted()?);
    let type_name = if rank(a) >= rank(b) { a } else { b };
    if matches!(type_name, "float" | "double") {
        return floating_arithmetic(operator, left, right, type_name);
    }
    let (a, b) = (left.as_integer()?, right.as_integer()?);
    let value = match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        _ => return comparison(operator, a.partial_cmp(&b)),
    };
    Some(Constant::new(type_name, whole(type_name, value)?))
}

fn logical(operator: &str, left: bool, right: bool) -> Option<Constant> {
    Some(Constant::boolean(match operator {
        "&&" | "&" => left && right,
        "||" | "|" => left || right,
        "^" | "!=" => left != right,
        "==" => left == right,
        _ => return None,
    }))
}

fn shift(operator: &str, left: &Constant, right: &Constant) -> Option<Constant> {
    let type_name = left.promoted()?;
    let (value, distance) = (left.as_integer()?, right.as_integer()?);
    let bits = if type_name == "long" { 64 } else { 32 };
    let distance = u32::try_from(distance.rem_euclid(bits)).ok()?;
    let value = match operator {
        "<<" => value.wrapping_shl(distance),
        ">>" => value >> distance,
        _ if bits == 64 => (value.cast_unsigned() >> distance).cast_signed(),
        _ => i64::from(i32::try_from(value).ok()?.cast_unsigned() >> distance),
    };
    Some(Constant::new(type_name, whole(type_name, value)?))
}

fn floating_arithmetic(
    operator: &str,
    left: &Constant,
    right: &Constant,
    type_name: &str,
) -> Option<Constant> {
    // Single precision computed in double precision and rounded once is what Java computes.
    let round = |constant: &Constant| constant.cast(type_name)?.as_double();
    let (a, b) = (round(left)?, round(right)?);
    let value = match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "%" => a % b,
        _ => return comparison(operator, a.partial_cmp(&b)),
    };
    Constant::double(value).cast(type_name)
}

fn comparison(operator: &str, order: Option<std::cmp::Ordering>) -> Option<Constant> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(Constant::boolean(match operator {
        "==" => order == Some(Equal),
        "!=" => order != Some(Equal),
        "<" => order == Some(Less),
        ">" => order == Some(Greater),
        "<=" => matches!(order, Some(Less | Equal)),
        ">=" => matches!(order, Some(Greater | Equal)),
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, text: &str, type_name: &str, literal: Literal) {
        assert_eq!(of_literal(kind, text), Some(Constant::new(type_name, literal)), "{text}");
    }

    fn text(value: &str) -> Literal {
        Literal::Text(value.encode_utf16().collect())
    }

    #[test]
    fn numbers_of_all_forms_are_read() {
        check("decimal_integer_literal", "1_000", "int", Literal::Integer(1000));
        check("hex_integer_literal", "0xFFFF_FFFF", "int", Literal::Integer(-1));
        check("hex_integer_literal", "0x7fL", "long", Literal::Integer(127));
        check("octal_integer_literal", "017", "int", Literal::Integer(15));
        check("binary_integer_literal", "0b101", "int", Literal::Integer(5));
        check("decimal_floating_point_literal", "1e-3", "double", Literal::Double(1e-3_f64.to_bits()));
        check("decimal_floating_point_literal", "1f", "float", Literal::Float(1_f32.to_bits()));
        check("decimal_floating_point_literal", "2.D", "double", Literal::Double(2_f64.to_bits()));
        check("hex_floating_point_literal", "0x1.8p1", "double", Literal::Double(3_f64.to_bits()));
    }

    #[test]
    fn characters_strings_and_text_blocks_are_unescaped() {
        check("character_literal", r"'\u0041'", "char", Literal::Char(65));
        check("character_literal", r"'\''", "char", Literal::Char(39));
        check("character_literal", r"'\0'", "char", Literal::Char(0));
        check("string_literal", r#""a\tb\"\\\101é""#, STRING, text("a\tb\"\\Aé"));
        check("string_literal", "\"\"\"\n    a\n      b\n    \"\"\"", STRING, text("a\n  b\n"));
        check("string_literal", r#""\ud800""#, STRING, Literal::Text(vec![0xd800]));
    }

    #[test]
    fn arithmetic_is_that_of_java() {
        let int = Constant::int;
        assert_eq!(
            unary("-", &of_literal("decimal_integer_literal", "2147483648").unwrap()),
            Some(int(-2_147_483_648))
        );
        assert_eq!(binary("+", &int(2_147_483_647), &int(1)), Some(int(-2_147_483_648)));
        assert_eq!(binary("/", &int(7), &Constant::double(2.0)), Some(Constant::double(3.5)));
        assert_eq!(binary("/", &int(7), &int(0)), None);
        assert_eq!(binary(">>>", &int(-1), &int(28)), Some(int(15)));
        assert_eq!(binary("+", &Constant::text("a"), &int(1)), Some(Constant::text("a1")));
        assert_eq!(binary("+", &Constant::text("a"), &Constant::double(1.5)), Some(Constant::text("a1.5")));
        assert_eq!(binary("+", &Constant::new("char", Literal::Char(97)), &int(1)), Some(int(98)));
        assert_eq!(binary("<=", &int(1), &int(1)), Some(Constant::boolean(true)));
        assert_eq!(int(300).cast("byte"), Some(Constant::new("byte", Literal::Integer(44))));
    }

    #[test]
    fn only_widening_is_implicit() {
        assert_eq!(widening("int", "long"), Some(1));
        assert_eq!(widening("char", "int"), Some(1));
        assert_eq!(widening("long", "int"), None);
        assert_eq!(widening("short", "char"), None);
        assert_eq!(widening("boolean", "int"), None);
    }
}
