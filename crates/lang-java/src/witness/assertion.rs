//! From a place where two versions differ to the one assertion that a person would write about it.
//!
//! Simple values are compared as they are, short lists and arrays as a whole; else the way goes down to the place of the
//! difference, through what a test of the same package may touch.

use std::cell::RefCell;
use std::collections::BTreeSet;

use bonafix_lang::WitnessError;
use bonafix_model::{Access, CollectionKind, Value};

use super::Framework;
use super::literal;
use super::render::{Expression, cast};
use super::types::{Names, STRING};
use crate::primitive::is_primitive;

/// A list or array is compared as a whole up to this many characters of source.
const LONGEST_WHOLE: usize = 160;
/// How near to zero counts as zero.
const NEAR_ZERO: f64 = 1e-12;
/// Texts of values are cut here when they are observed.
const CUT_TEXT: usize = 4096;

pub(super) const LIST: &str = "java.util.List";
pub(super) const COLLECTION: &str = "java.util.Collection";
pub(super) const MAP: &str = "java.util.Map";
pub(super) const DATE: &str = "java.util.Date";
pub(super) const CALENDAR: &str = "java.util.Calendar";

/// One assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assertion {
    /// The statement.
    pub(super) line: String,
    /// What is looked at, as source.
    pub(super) what: String,
}

pub(super) fn not_expressible<T>(text: impl Into<String>) -> Result<T, WitnessError> {
    Err(WitnessError::NotExpressible(text.into()))
}

/// Writes assertions for one test.
pub(super) struct Asserter<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) framework: Framework,
    pub(super) package: &'a str,
    /// Relative.
    pub(super) precision: f64,
    /// Methods of the framework that were used.
    pub(super) methods: &'a RefCell<BTreeSet<&'static str>>,
}

impl Asserter<'_> {
    pub(super) fn line(&self, method: &'static str, arguments: &[&str], what: &str) -> Assertion {
        self.methods.borrow_mut().insert(method);
        Assertion { line: format!("{method}({});", arguments.join(", ")), what: what.to_owned() }
    }

    /// Asserts that a comparison comes out as the reference has it: only its sign means something.
    pub(super) fn sign(&self, actual: &Expression, reference: i32, patched: i32) -> Assertion {
        if reference.signum() == patched.signum() {
            return self.line("assertEquals", &[&reference.to_string(), &actual.text], &actual.text);
        }
        let operator = match reference.signum() {
            -1 => "<",
            0 => "==",
            _ => ">",
        };
        self.line("assertTrue", &[&format!("{} {operator} 0", actual.text)], &actual.text)
    }

    /// Asserts what the reference has at the end of a way down, where the patched version has something else. Without a
    /// patched value, the whole value is asserted or nothing.
    pub(super) fn value(
        &self,
        actual: &Expression,
        reference: &Value,
        patched: Option<&Value>,
        path: &[Access],
    ) -> Result<Assertion, WitnessError> {
        if let Some(assertion) = self.simple(actual, reference, patched)? {
            return Ok(assertion);
        }
        if let Some(assertion) = self.whole(actual, reference) {
            return Ok(assertion);
        }
        match (patched, path.split_first()) {
            (Some(Value::Null), _) => Ok(self.line("assertNotNull", &[&actual.text], &actual.text)),
            (Some(patched), Some((access, rest))) => self.below(actual, reference, patched, access, rest),
            (Some(patched), None) => self.class_name(actual, reference, patched),
            (None, _) => not_expressible("the value has no short form"),
        }
    }

    /// Values that are written as they are.
    fn simple(
        &self,
        actual: &Expression,
        reference: &Value,
        patched: Option<&Value>,
    ) -> Result<Option<Assertion>, WitnessError> {
        let text = actual.text.as_str();
        let primitive = is_primitive(&actual.java_type);
        let equals = |expected: &str| Ok(Some(self.line("assertEquals", &[expected, text], text)));
        match reference {
            Value::Null => Ok(Some(self.line("assertNull", &[text], text))),
            Value::Boolean(expected) if actual.java_type == "boolean" => {
                let method = if *expected { "assertTrue" } else { "assertFalse" };
                Ok(Some(self.line(method, &[text], text)))
            }
            Value::Byte(value) if primitive => equals(&value.to_string()),
            Value::Short(value) if primitive => equals(&value.to_string()),
            Value::Int(value) if primitive => equals(&literal::int(i64::from(*value))),
            Value::Long(value) if primitive => equals(&literal::long(*value)),
            Value::Char(unit) if primitive => equals(&literal::char(*unit)),
            Value::Float(bits) => {
                let number = |value: Option<&Value>| match value {
                    Some(Value::Float(bits)) => Some(f64::from(f32::from_bits(*bits))),
                    _ => None,
                };
                Ok(Some(self.floating(
                    actual,
                    &literal::float(*bits),
                    number(Some(reference)),
                    number(patched),
                    true,
                )))
            }
            Value::Double(bits) => {
                let number = |value: Option<&Value>| match value {
                    Some(Value::Double(bits)) => Some(f64::from_bits(*bits)),
                    _ => None,
                };
                Ok(Some(self.floating(
                    actual,
                    &literal::double(*bits),
                    number(Some(reference)),
                    number(patched),
                    false,
                )))
            }
            Value::Enum { type_name, name } if !self.names.is_nameable(type_name) => {
                let constant = Expression::new(text, actual.java_type.clone());
                let shown = format!("({}).name()", cast(self.names, &constant, "java.lang.Enum", true));
                Ok(Some(self.line("assertEquals", &[&literal::string(name), &shown], &shown)))
            }
            Value::LongText { start, length, digest } => {
                Ok(Some(self.long_text(actual, start, *length, *digest, patched)))
            }
            Value::Valued { type_name, text } => self.valued(actual, type_name, text, patched).map(Some),
            _ => match self.boxed(reference) {
                Some(expected) if !is_collection(reference) => equals(&expected),
                _ => Ok(None),
            },
        }
    }

    /// A value as an object, if it is short to write; floating point numbers are not, since they need some room.
    pub(super) fn boxed(&self, value: &Value) -> Option<String> {
        Some(match value {
            Value::Null => "null".to_owned(),
            Value::Boolean(value) => format!("Boolean.{}", if *value { "TRUE" } else { "FALSE" }),
            Value::Byte(value) => format!("Byte.valueOf((byte) {value})"),
            Value::Short(value) => format!("Short.valueOf((short) {value})"),
            Value::Int(value) => format!("Integer.valueOf({})", literal::int(i64::from(*value))),
            Value::Long(value) => format!("Long.valueOf({})", literal::long(*value)),
            Value::Char(unit) => format!("Character.valueOf({})", literal::char(*unit)),
            Value::Text(text) => literal::string(text),
            Value::BrokenText(units) => literal::text(units),
            Value::Enum { type_name, name } if self.names.is_nameable(type_name) => {
                format!("{}.{name}", self.names.show(type_name))
            }
            Value::Collection { kind: CollectionKind::List, items, length, .. }
                if items.len() as u64 == *length =>
            {
                self.list_of(items)?
            }
            _ => return None,
        })
    }

    /// An element of a list: boxed by itself.
    fn element(&self, value: &Value) -> Option<String> {
        Some(match value {
            Value::Boolean(value) => value.to_string(),
            Value::Byte(value) => format!("(byte) {value}"),
            Value::Short(value) => format!("(short) {value}"),
            Value::Int(value) => literal::int(i64::from(*value)),
            Value::Long(value) => literal::long(*value),
            Value::Char(unit) => literal::char(*unit),
            other => self.boxed(other)?,
        })
    }

    fn list_of(&self, items: &[Value]) -> Option<String> {
        let elements: Vec<String> = items.iter().map(|item| self.element(item)).collect::<Option<_>>()?;
        Some(match elements.as_slice() {
            [] => format!("{}.emptyList()", self.names.show("java.util.Collections")),
            [one] if one == "null" => {
                format!("{}.asList((Object) null)", self.names.show("java.util.Arrays"))
            }
            _ => format!("{}.asList({})", self.names.show("java.util.Arrays"), elements.join(", ")),
        })
    }

    /// Short collections of simple values, at once.
    fn whole(&self, actual: &Expression, reference: &Value) -> Option<Assertion> {
        let Value::Collection { kind, ordered, items, length, .. } = reference else { return None };
        if items.len() as u64 != *length {
            return None;
        }
        let text = actual.text.as_str();
        let assertion = match kind {
            CollectionKind::Array(element) => self.whole_array(actual, element, items)?,
            CollectionKind::List => self.line("assertEquals", &[&self.list_of(items)?, text], text),
            CollectionKind::Set | CollectionKind::Other if *ordered => {
                let list = self.as_list(actual);
                self.line("assertEquals", &[&self.list_of(items)?, &list], &list)
            }
            CollectionKind::Set => {
                let set = format!("new {}({})", self.names.show("java.util.HashSet"), self.list_of(items)?);
                self.line("assertEquals", &[&set, text], text)
            }
            CollectionKind::Other => return None,
            CollectionKind::Optional => {
                let optional = match actual.java_type.as_str() {
                    special @ ("java.util.OptionalInt" | "java.util.OptionalLong") => special,
                    "java.util.OptionalDouble" => return None,
                    _ => "java.util.Optional",
                };
                let expected = match items.first() {
                    Some(item) => format!("{}.of({})", self.names.show(optional), self.element(item)?),
                    None => format!("{}.empty()", self.names.show(optional)),
                };
                self.line("assertEquals", &[&expected, text], text)
            }
        };
        (assertion.line.len() <= LONGEST_WHOLE + text.len()).then_some(assertion)
    }

    fn whole_array(&self, actual: &Expression, element: &str, items: &[Value]) -> Option<Assertion> {
        if element.ends_with("[]")
            || matches!(element, "float" | "double")
            || !self.names.is_nameable(element)
        {
            return None;
        }
        let items: Vec<String> = items.iter().map(|item| self.element(item)).collect::<Option<_>>()?;
        let expected = format!("new {}[] {{{}}}", self.names.show(element), items.join(", "));
        let array = cast(self.names, actual, &format!("{element}[]"), false);
        // The first JUnit 4 has no comparison of `boolean[]`, JUnit 3 none at all.
        if self.framework == Framework::JUnit3 || element == "boolean" && self.framework == Framework::JUnit4
        {
            let equals = format!("{}.equals({expected}, {array})", self.names.show("java.util.Arrays"));
            return Some(self.line("assertTrue", &[&equals], &actual.text));
        }
        Some(self.line("assertArrayEquals", &[&expected, &array], &actual.text))
    }

    /// Something ordered that is no list.
    pub(super) fn as_list(&self, actual: &Expression) -> String {
        format!(
            "new {}({})",
            self.names.show("java.util.ArrayList"),
            cast(self.names, actual, COLLECTION, false)
        )
    }

    fn floating(
        &self,
        actual: &Expression,
        expected: &str,
        reference: Option<f64>,
        patched: Option<f64>,
        is_float: bool,
    ) -> Assertion {
        let text = actual.text.as_str();
        let (name, boxed) =
            if is_float { ("Float", "java.lang.Float") } else { ("Double", "java.lang.Double") };
        let reference = reference.unwrap_or(f64::NAN);
        let relative =
            if is_float { self.precision.max(2.0 * f64::from(f32::EPSILON)) } else { self.precision };
        let mut delta = reference.abs() * relative;
        if reference == 0.0 {
            delta = patched.map_or(NEAR_ZERO, |other| (other.abs() / 2.0).min(NEAR_ZERO));
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is rounded for a float")]
        let shown = if is_float { format!("{:?}f", delta as f32) } else { format!("{delta:?}") };
        // NaN, infinities and the sign of zero have no room around them.
        if !reference.is_finite()
            || shown.trim_end_matches('f') == "0.0"
            || delta == 0.0
            || !delta.is_finite()
        {
            let held = if is_primitive(&actual.java_type) {
                format!("{name}.valueOf({text})")
            } else {
                text.to_owned()
            };
            return self.line("assertEquals", &[&format!("{name}.valueOf({expected})"), &held], text);
        }
        let held = if is_primitive(&actual.java_type) {
            text.to_owned()
        } else {
            cast(self.names, actual, boxed, false)
        };
        self.line("assertEquals", &[expected, &held, &shown], text)
    }

    fn long_text(
        &self,
        actual: &Expression,
        start: &str,
        length: u64,
        digest: u64,
        patched: Option<&Value>,
    ) -> Assertion {
        let text = receiver(self.names, actual, STRING);
        let other = match patched {
            Some(Value::LongText { start, length, .. }) => Some((start.as_str(), *length)),
            _ => None,
        };
        if other.is_none_or(|(_, other)| other != length) {
            let what = format!("{text}.length()");
            return self.line("assertEquals", &[&length.to_string(), &what], &what);
        }
        if other.is_some_and(|(other, _)| other != start) {
            let what = format!("{text}.substring(0, {})", start.encode_utf16().count());
            return self.line("assertEquals", &[&literal::string(start), &what], &what);
        }
        let what = format!("{text}.hashCode()");
        // The digest goes on where the hash code of a string wraps around.
        #[expect(clippy::cast_possible_truncation, reason = "as Java does")]
        let hash = (digest as u32).cast_signed();
        self.line("assertEquals", &[&literal::int(i64::from(hash)), &what], &what)
    }

    /// Objects that are what they say.
    fn valued(
        &self,
        actual: &Expression,
        type_name: &str,
        text: &str,
        patched: Option<&Value>,
    ) -> Result<Assertion, WitnessError> {
        if text.len() >= CUT_TEXT {
            return not_expressible(format!("a {type_name} with a very long text"));
        }
        let quoted = literal::string(text);
        let as_type = |name: &str| receiver(self.names, actual, name);
        let instant =
            |millis: String| format!("{}.ofEpochMilli({millis})", self.names.show("java.time.Instant"));
        let shown = match type_name {
            "java.math.BigDecimal" => {
                let expected = format!("new {}({quoted})", self.names.show(type_name));
                let same_number = matches!(patched, Some(Value::Valued { text: other, .. })
                    if decimal(other) == decimal(text));
                if same_number {
                    return Ok(self.line("assertEquals", &[&expected, &actual.text], &actual.text));
                }
                let what = cast(self.names, actual, type_name, false);
                let comparison = format!("{expected}.compareTo({what})");
                return Ok(self.line("assertEquals", &["0", &comparison], &actual.text));
            }
            "java.math.BigInteger" => {
                let expected = format!("new {}({quoted})", self.names.show(type_name));
                return Ok(self.line("assertEquals", &[&expected, &actual.text], &actual.text));
            }
            "java.lang.Class" => format!("{}.getName()", as_type(type_name)),
            "java.text.SimpleDateFormat" | "java.text.DecimalFormat" => {
                format!("{}.toPattern()", as_type(type_name))
            }
            _ if self.is_a(type_name, CALENDAR) => {
                let zone = format!("{}.getTimeZone().getID()", as_type(CALENDAR));
                format!("{} + \" in \" + {zone}", instant(format!("{}.getTimeInMillis()", as_type(CALENDAR))))
            }
            _ if self.is_a(type_name, DATE) => {
                format!("{}.toString()", instant(format!("{}.getTime()", as_type(DATE))))
            }
            _ if is_primitive(&actual.java_type) => return not_expressible("a primitive with a text"),
            _ => format!("{}.toString()", actual.text),
        };
        Ok(self.line("assertEquals", &[&quoted, &shown], &shown))
    }

    fn is_a(&self, type_name: &str, wanted: &str) -> bool {
        let by_name = match wanted {
            DATE => type_name == DATE || type_name.starts_with("java.sql."),
            _ => type_name.ends_with("Calendar"),
        };
        by_name || self.names.is_assignable(type_name, wanted)
    }

    /// Two objects of two classes.
    pub(super) fn class_name(
        &self,
        actual: &Expression,
        reference: &Value,
        patched: &Value,
    ) -> Result<Assertion, WitnessError> {
        match (reference, patched) {
            (Value::Object { type_name, .. }, Value::Object { type_name: other, .. })
                if type_name != other && self.names.is_nameable(type_name) =>
            {
                let what = format!("{}.getClass().getName()", actual.text);
                Ok(self.line("assertEquals", &[&literal::string(type_name), &what], &what))
            }
            _ => {
                not_expressible(format!("the difference between {reference} and {patched} has no short form"))
            }
        }
    }
}

pub(super) fn is_collection(value: &Value) -> bool {
    matches!(value, Value::Collection { .. })
}

/// An expression to call something of a type on.
pub(super) fn receiver(names: &Names<'_>, held: &Expression, wanted: &str) -> String {
    let text = cast(names, held, wanted, false);
    if text.starts_with('(') { format!("({text})") } else { text }
}

/// A number as its digits and its exponent, so that 1.0 and 1.00 are the same.
fn decimal(text: &str) -> Option<(String, i64)> {
    let (mantissa, exponent) = match text.split_once(['E', 'e']) {
        Some((mantissa, exponent)) => (mantissa, exponent.trim_start_matches('+').parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(whole) => ("-", whole),
        None => ("", whole),
    };
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let dropped = digits.len() - digits.trim_end_matches('0').len();
    let shift = i64::try_from(dropped).ok()? - i64::try_from(fraction.len()).ok()?;
    Some((format!("{sign}{significant}"), exponent + shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_of_one_value_are_the_same() {
        assert_eq!(decimal("1.00"), decimal("1"));
        assert_eq!(decimal("1E+3"), decimal("1000.0"));
        assert_eq!(decimal("0.00"), decimal("-0"));
        assert_ne!(decimal("1.01"), decimal("1.1"));
        assert_ne!(decimal("-1"), decimal("1"));
    }
}
