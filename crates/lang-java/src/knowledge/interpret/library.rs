//! What is known of the JDK without running it: its constants, and calls whose result is a constant.

use bonafix_model::Literal;

use crate::knowledge::constant::{Constant, STRING};
use crate::primitive::{box_of, unboxed};

/// A constant of the JDK.
pub(super) fn constant(owner: &str, name: &str) -> Option<Constant> {
    let int = |value: i64| Some(Constant::int(value));
    let long = |value: i64| Some(Constant::new("long", Literal::Integer(value)));
    let of = |type_name: &str, value: i64| Constant::int(value).cast(type_name);
    let float = |value: f32| Some(Constant::new("float", Literal::Float(value.to_bits())));
    let double = |value: f64| Some(Constant::double(value));
    match (owner, name) {
        ("java.lang.Integer", "MAX_VALUE") => int(i64::from(i32::MAX)),
        ("java.lang.Integer", "MIN_VALUE") => int(i64::from(i32::MIN)),
        ("java.lang.Long", "MAX_VALUE") => long(i64::MAX),
        ("java.lang.Long", "MIN_VALUE") => long(i64::MIN),
        ("java.lang.Short", "MAX_VALUE") => of("short", i64::from(i16::MAX)),
        ("java.lang.Short", "MIN_VALUE") => of("short", i64::from(i16::MIN)),
        ("java.lang.Byte", "MAX_VALUE") => of("byte", i64::from(i8::MAX)),
        ("java.lang.Byte", "MIN_VALUE") => of("byte", i64::from(i8::MIN)),
        ("java.lang.Character", "MAX_VALUE") => of("char", 0xffff),
        ("java.lang.Character", "MIN_VALUE") => of("char", 0),
        ("java.lang.Double", "NaN") => double(f64::NAN),
        ("java.lang.Double", "POSITIVE_INFINITY") => double(f64::INFINITY),
        ("java.lang.Double", "NEGATIVE_INFINITY") => double(f64::NEG_INFINITY),
        ("java.lang.Double", "MAX_VALUE") => double(f64::MAX),
        ("java.lang.Double", "MIN_VALUE") => double(f64::from_bits(1)),
        ("java.lang.Double", "MIN_NORMAL") => double(f64::MIN_POSITIVE),
        ("java.lang.Float", "NaN") => float(f32::NAN),
        ("java.lang.Float", "POSITIVE_INFINITY") => float(f32::INFINITY),
        ("java.lang.Float", "NEGATIVE_INFINITY") => float(f32::NEG_INFINITY),
        ("java.lang.Float", "MAX_VALUE") => float(f32::MAX),
        ("java.lang.Float", "MIN_VALUE") => float(f32::from_bits(1)),
        ("java.lang.Boolean", "TRUE") => Some(Constant::new("java.lang.Boolean", Literal::Boolean(true))),
        ("java.lang.Boolean", "FALSE") => Some(Constant::new("java.lang.Boolean", Literal::Boolean(false))),
        ("java.lang.Math", "PI") => double(std::f64::consts::PI),
        ("java.lang.Math", "E") => double(std::f64::consts::E),
        _ => None,
    }
}

/// The result of a static call or, with the name `<init>`, of a constructor, where that is a constant.
pub(super) fn static_call(owner: &str, name: &str, arguments: &[Constant]) -> Option<Constant> {
    match (owner, name, arguments) {
        (_, "valueOf" | "<init>", [value]) if owner != STRING => {
            let primitive = unboxed(owner).filter(|_| box_of(owner).is_none())?;
            let literal = match &value.literal {
                Literal::Text(units) => parse(primitive, &String::from_utf16(units).ok()?)?.literal,
                _ => value.cast(primitive)?.literal,
            };
            Some(Constant::new(owner, literal))
        }
        ("java.lang.Integer", "parseInt", [value])
        | ("java.lang.Long", "parseLong", [value])
        | ("java.lang.Double", "parseDouble", [value]) => {
            let Literal::Text(units) = &value.literal else { return None };
            parse(unboxed(owner)?, &String::from_utf16(units).ok()?)
        }
        (STRING, "<init>", []) => Some(Constant::text("")),
        (STRING, "<init>", [value]) if value.type_name == STRING => Some(value.clone()),
        (STRING, "valueOf", [value]) => {
            super::constant_binary("+", &Constant::text(""), value).filter(|_| value.literal != Literal::Null)
        }
        ("java.lang.Math" | "java.lang.StrictMath", _, _) => math(name, arguments),
        _ => None,
    }
}

fn parse(primitive: &str, text: &str) -> Option<Constant> {
    match primitive {
        "boolean" => Some(Constant::boolean(text.eq_ignore_ascii_case("true"))),
        "float" => Some(Constant::new("float", Literal::Float(text.parse::<f32>().ok()?.to_bits()))),
        "double" => Some(Constant::double(text.parse().ok()?)),
        "char" => None,
        _ => {
            let value = Constant::new("long", Literal::Integer(text.parse().ok()?));
            value.cast(primitive).filter(|cast| cast.as_integer() == value.as_integer())
        }
    }
}

fn math(name: &str, arguments: &[Constant]) -> Option<Constant> {
    match (name, arguments) {
        ("sqrt", [value]) => Some(Constant::double(value.as_double()?.sqrt())),
        ("floor", [value]) => Some(Constant::double(value.as_double()?.floor())),
        ("ceil", [value]) => Some(Constant::double(value.as_double()?.ceil())),
        ("abs", [value]) => {
            let negative = value.as_double()? < 0.0;
            if negative { super::constant_unary("-", value) } else { super::constant_unary("+", value) }
        }
        ("pow", [base, exponent]) => {
            // Whole powers are exact; what else `pow` returns is a matter of the last digit.
            let (base, exponent) = (base.as_double()?, exponent.as_double()?);
            let exact = base.fract() == 0.0 && exponent.fract() == 0.0 && base.powf(exponent).abs() < 1e15;
            exact.then(|| Constant::double(base.powf(exponent)))
        }
        ("max" | "min", [a, b]) => {
            let sum = super::constant_binary("+", a, b)?;
            let first = (a.as_double()? > b.as_double()?) == (name == "max");
            if first { a.cast(&sum.type_name) } else { b.cast(&sum.type_name) }
        }
        _ => None,
    }
}

/// The result of a call on a constant, where that is a constant.
pub(super) fn call(receiver: &Constant, name: &str, arguments: &[Constant]) -> Option<Constant> {
    let Literal::Text(units) = &receiver.literal else { return boxed_call(receiver, name, arguments) };
    let text = |units: &[u16]| Some(Constant::new(STRING, Literal::Text(units.to_vec())));
    let index = |constant: &Constant| usize::try_from(constant.as_integer()?).ok();
    match (name, arguments) {
        ("length", []) => Some(Constant::int(i64::try_from(units.len()).ok()?)),
        ("isEmpty", []) => Some(Constant::boolean(units.is_empty())),
        ("charAt", [at]) => Some(Constant::new("char", Literal::Char(*units.get(index(at)?)?))),
        ("substring", [from]) => text(units.get(index(from)?..)?),
        ("substring", [from, to]) => text(units.get(index(from)?..index(to)?)?),
        ("concat", [Constant { literal: Literal::Text(more), .. }]) => {
            text(&[units.as_slice(), more].concat())
        }
        ("repeat", [times]) => text(&units.repeat(index(times)?.min(2000))),
        ("toString" | "intern", []) => Some(receiver.clone()),
        ("trim", []) => Some(Constant::text(String::from_utf16(units).ok()?.trim_matches(|c| c <= ' '))),
        _ => None,
    }
}

fn boxed_call(receiver: &Constant, name: &str, arguments: &[Constant]) -> Option<Constant> {
    let primitive = name.strip_suffix("Value").filter(|_| arguments.is_empty())?;
    receiver.cast(primitive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_strings_are_constants() {
        let int = Constant::int;
        let boxed = |value| Some(Constant::new("java.lang.Integer", Literal::Integer(value)));
        assert_eq!(static_call("java.lang.Integer", "valueOf", &[int(3)]), boxed(3));
        assert_eq!(static_call("java.lang.Integer", "<init>", &[Constant::text("-4")]), boxed(-4));
        assert_eq!(static_call("java.lang.Integer", "parseInt", &[Constant::text("99999999999")]), None);
        assert_eq!(static_call("java.lang.String", "valueOf", &[int(3)]), Some(Constant::text("3")));
        assert_eq!(static_call("p.Money", "valueOf", &[int(3)]), None);
        assert_eq!(static_call("java.lang.Math", "max", &[int(3), int(5)]), Some(int(5)));
        assert_eq!(static_call("java.lang.Math", "abs", &[int(-3)]), Some(int(3)));
        assert_eq!(call(&Constant::text("héllo"), "length", &[]), Some(int(5)));
        assert_eq!(call(&Constant::text("ab"), "repeat", &[int(2)]), Some(Constant::text("abab")));
        assert_eq!(constant("java.lang.Byte", "MIN_VALUE").and_then(|value| value.as_integer()), Some(-128));
    }
}
