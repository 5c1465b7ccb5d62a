//! The way down from a value to the place of a difference, as a test goes it: index, key, size, visible field.

use bonafix_lang::WitnessError;
use bonafix_model::{Access, CallableKind, CollectionKind, Field, Value, Visibility};

use super::assertion::{
    Asserter, Assertion, CALENDAR, COLLECTION, DATE, LIST, MAP, is_collection, not_expressible, receiver,
};
use super::render::Expression;
use super::types::{self, Names, OBJECT, STRING};

impl Asserter<'_> {
    /// Asserts what lies below a value, on the way to where the versions differ.
    pub(super) fn below(
        &self,
        actual: &Expression,
        reference: &Value,
        patched: &Value,
        access: &Access,
        rest: &[Access],
    ) -> Result<Assertion, WitnessError> {
        match (reference, patched) {
            (Value::Collection { .. }, Value::Collection { .. }) => {
                self.below_collection(actual, reference, patched, access, rest)
            }
            (Value::Map { .. }, Value::Map { .. }) => {
                self.below_map(actual, reference, patched, access, rest)
            }
            (Value::Object { type_name, fields }, Value::Object { fields: others, .. }) => {
                let Access::Field { name, visible } = access else {
                    return not_expressible("an object has no such part");
                };
                let held = one_field(fields, name)?;
                let other = one_field(others, name)?;
                let element = self.field(actual, type_name, name, *visible, &held.value)?;
                self.value(&element, &held.value, Some(&other.value), rest)
            }
            _ => self.class_name(actual, reference, patched),
        }
    }

    fn below_collection(
        &self,
        actual: &Expression,
        reference: &Value,
        patched: &Value,
        access: &Access,
        rest: &[Access],
    ) -> Result<Assertion, WitnessError> {
        let (
            Value::Collection { kind, items, length, .. },
            Value::Collection { items: others, length: other_length, .. },
        ) = (reference, patched)
        else {
            return self.class_name(actual, reference, patched);
        };
        let size_or = |why: String| {
            if length == other_length { not_expressible(why) } else { Ok(self.size(actual, kind, *length)) }
        };
        match access {
            Access::Index(index) => {
                let index = usize::try_from(*index).unwrap_or(usize::MAX);
                match (items.get(index), others.get(index)) {
                    (Some(item), Some(other)) => {
                        self.value(&self.at(actual, kind, index), item, Some(other), rest)
                    }
                    _ => size_or("the difference lies beyond what is looked at".to_owned()),
                }
            }
            Access::Length => Ok(self.size(actual, kind, *length)),
            Access::Element(shown) => {
                let item = items.iter().chain(others).find(|item| item.to_string() == *shown);
                match item.and_then(|item| Some((item, self.boxed(item)?))) {
                    Some((item, text)) if items.contains(item) != others.contains(item) => {
                        let holder = receiver(self.names, actual, COLLECTION);
                        Ok(self.holds(&format!("{holder}.contains({text})"), items.contains(item)))
                    }
                    _ => size_or(format!("{shown} has no short form")),
                }
            }
            _ => not_expressible("a collection has no such part"),
        }
    }

    fn below_map(
        &self,
        actual: &Expression,
        reference: &Value,
        patched: &Value,
        access: &Access,
        rest: &[Access],
    ) -> Result<Assertion, WitnessError> {
        let (Value::Map { entries, length, .. }, Value::Map { entries: others, length: other_length, .. }) =
            (reference, patched)
        else {
            return self.class_name(actual, reference, patched);
        };
        let map = receiver(self.names, actual, MAP);
        let size = || {
            let what = format!("{map}.size()");
            self.line("assertEquals", &[&length.to_string(), &what], &what)
        };
        match access {
            Access::Key(shown) => {
                let find = |(key, _): &&(Value, Value)| key.to_string() == *shown;
                let (one, other) = (entries.iter().find(find), others.iter().find(find));
                let key = one.or(other).and_then(|(key, _)| self.boxed(key));
                match (key, one, other) {
                    (Some(key), Some((_, value)), Some((_, other))) => {
                        let held = Expression::new(format!("{map}.get({key})"), OBJECT);
                        self.value(&held, value, Some(other), rest)
                    }
                    (Some(key), one, _) => {
                        Ok(self.holds(&format!("{map}.containsKey({key})"), one.is_some()))
                    }
                    _ if length != other_length => Ok(size()),
                    _ => not_expressible(format!("the key {shown} has no short form")),
                }
            }
            Access::Index(index) => {
                let index = usize::try_from(*index).unwrap_or(usize::MAX);
                let list = self.names.show("java.util.ArrayList");
                let keys = Expression::new(format!("new {list}({map}.keySet()).get({index})"), OBJECT);
                match (entries.get(index), others.get(index)) {
                    (Some((key, _)), Some((other, _))) => self.value(&keys, key, Some(other), &[]),
                    _ => Ok(size()),
                }
            }
            Access::Length => Ok(size()),
            _ => not_expressible("a map has no such part"),
        }
    }

    fn holds(&self, what: &str, expected: bool) -> Assertion {
        self.line(if expected { "assertTrue" } else { "assertFalse" }, &[what], what)
    }

    fn size(&self, actual: &Expression, kind: &CollectionKind, length: u64) -> Assertion {
        let what = match kind {
            CollectionKind::Array(element) => {
                format!("{}.length", receiver(self.names, actual, &format!("{element}[]")))
            }
            CollectionKind::Optional => format!("{}.isPresent()", optional(self.names, actual)),
            _ => format!("{}.size()", receiver(self.names, actual, COLLECTION)),
        };
        if *kind == CollectionKind::Optional {
            return self.holds(&what, length > 0);
        }
        self.line("assertEquals", &[&length.to_string(), &what], &what)
    }

    /// An element of a collection, by its place.
    fn at(&self, actual: &Expression, kind: &CollectionKind, index: usize) -> Expression {
        match kind {
            CollectionKind::Array(element) => {
                let array = receiver(self.names, actual, &format!("{element}[]"));
                Expression::new(format!("{array}[{index}]"), element.clone())
            }
            CollectionKind::List => {
                let list = receiver(self.names, actual, LIST);
                Expression::new(format!("{list}.get({index})"), OBJECT)
            }
            CollectionKind::Optional => {
                let (method, java_type) = match actual.java_type.as_str() {
                    "java.util.OptionalInt" => ("getAsInt", "int"),
                    "java.util.OptionalLong" => ("getAsLong", "long"),
                    "java.util.OptionalDouble" => ("getAsDouble", "double"),
                    _ => ("get", OBJECT),
                };
                Expression::new(format!("{}.{method}()", optional(self.names, actual)), java_type)
            }
            CollectionKind::Set | CollectionKind::Other => {
                Expression::new(format!("{}.get({index})", self.as_list(actual)), OBJECT)
            }
        }
    }

    /// A field, or what an observation shows like one.
    fn field(
        &self,
        actual: &Expression,
        type_name: &str,
        name: &str,
        visible: bool,
        value: &Value,
    ) -> Result<Expression, WitnessError> {
        let called = |owner: &str, method: &str, java_type: &str| {
            Ok(Expression::new(format!("{}.{method}()", receiver(self.names, actual, owner)), java_type))
        };
        let is_throwable = self.names.is_assignable(type_name, "java.lang.Throwable");
        let of_the_jdk = type_name.starts_with("java.") || type_name.starts_with("javax.");
        match name {
            "super" if is_collection(value) || matches!(value, Value::Map { .. }) => {
                return Ok(actual.clone());
            }
            "super" if self.names.is_assignable(type_name, CALENDAR) => {
                return called(CALENDAR, "getTimeInMillis", "long");
            }
            "super" if self.names.is_assignable(type_name, DATE) => return called(DATE, "getTime", "long"),
            "message" if is_throwable || of_the_jdk => {
                return called("java.lang.Throwable", "getMessage", STRING);
            }
            "cause" if is_throwable || of_the_jdk => {
                return called("java.lang.Throwable", "getCause", "java.lang.Throwable");
            }
            "key" if of_the_jdk => return called("java.util.Map$Entry", "getKey", OBJECT),
            "value" if type_name.ends_with(".AtomicReference") => return called(type_name, "get", OBJECT),
            "value" if of_the_jdk => return called("java.util.Map$Entry", "getValue", OBJECT),
            _ => {}
        }
        if !visible || !self.names.is_nameable(type_name) {
            return not_expressible(format!("the field {name} of {type_name} is not visible to a test"));
        }
        let known = self.names.catalog().callables.iter().find(|callable| {
            callable.kind == CallableKind::FieldGet
                && callable.name == name
                && self.names.is_assignable(type_name, &callable.owner)
        });
        let public = known.is_some_and(|callable| callable.visibility == Visibility::Public);
        if !public && types::package_of(type_name) != self.package {
            return not_expressible(format!(
                "the field {name} of {type_name} is not visible from another package"
            ));
        }
        let place = format!("{}.{name}", receiver(self.names, actual, type_name));
        Ok(match known {
            Some(callable) => Expression::new(place, types::of_descriptor(&callable.descriptor).1),
            None => Expression::new(format!("(Object) {place}"), OBJECT),
        })
    }
}

/// The field of that name; a subclass may have one more, which hides it.
fn one_field<'a>(fields: &'a [Field], name: &str) -> Result<&'a Field, WitnessError> {
    let mut found = fields.iter().filter(|field| field.name == name);
    match (found.next(), found.next()) {
        (Some(field), None) => Ok(field),
        _ => not_expressible(format!("there is not one field {name} in both versions")),
    }
}

fn optional(names: &Names<'_>, held: &Expression) -> String {
    if held.java_type.starts_with("java.util.Optional") {
        held.text.clone()
    } else {
        receiver(names, held, "java.util.Optional")
    }
}
