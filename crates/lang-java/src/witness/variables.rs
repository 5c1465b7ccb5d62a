//! Names for variables: what they hold, or what they were asked for.

use std::collections::BTreeSet;

use bonafix_model::{Callable, CallableKind};

use crate::primitive::is_primitive;

/// Names of the parameters of lambdas; no variable has one of them.
pub(super) const LAMBDA_PARAMETERS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Words that no variable can have, and names that the test uses itself.
const RESERVED: [&str; 61] = [
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
    "_",
    "var",
    "record",
    "yield",
    "java",
    "org",
    "thrown",
    "expected",
];

/// The names that are taken.
#[derive(Default)]
pub(super) struct Variables {
    taken: BTreeSet<String>,
}

impl Variables {
    /// The wanted name, with a number behind it if need be.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let wanted = if is_identifier(wanted) { wanted } else { "value" };
        let free = |name: &str| {
            !RESERVED.contains(&name) && !LAMBDA_PARAMETERS.contains(&name) && !self.taken.contains(name)
        };
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !free(&name) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        self.taken.insert(name.clone());
        name
    }
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name for a value of an erased type.
pub(super) fn of_type(java_type: &str) -> String {
    if let Some(element) = java_type.strip_suffix("[]") {
        return if element.ends_with("[]") { "table".to_owned() } else { format!("{}s", of_type(element)) };
    }
    let simple = java_type.rsplit(['.', '$']).next().unwrap_or(java_type);
    match simple {
        "boolean" | "Boolean" => "flag".to_owned(),
        "char" | "Character" => "character".to_owned(),
        "byte" | "short" | "int" | "long" | "float" | "double" | "Byte" | "Short" | "Integer" | "Long"
        | "Float" | "Double" | "Number" => "number".to_owned(),
        "String" | "CharSequence" => "text".to_owned(),
        "Class" => "type".to_owned(),
        "ArrayList" | "LinkedList" => "list".to_owned(),
        "HashMap" | "LinkedHashMap" | "TreeMap" => "map".to_owned(),
        "HashSet" | "LinkedHashSet" | "TreeSet" => "set".to_owned(),
        "Object" => "object".to_owned(),
        "null" => "nothing".to_owned(),
        _ => decapitalised(simple),
    }
}

/// A name for what a call gives: what a getter gets, a query by its own name, an object by its type.
pub(super) fn of_call(called: &Callable, java_type: &str) -> String {
    if called.kind == CallableKind::Constructor {
        return of_type(java_type);
    }
    let name = called.name.as_str();
    for prefix in ["get", "is", "has"] {
        let rest = name.strip_prefix(prefix).unwrap_or_default();
        if rest.starts_with(|c: char| c.is_ascii_uppercase()) {
            return decapitalised(rest);
        }
    }
    let is_read = matches!(called.kind, CallableKind::FieldGet | CallableKind::StaticGet);
    if is_read && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
        return name.to_ascii_lowercase();
    }
    if is_read || called.parameters.is_empty() {
        return decapitalised(name);
    }
    if is_primitive(java_type) || java_type == "java.lang.Object" {
        "result".to_owned()
    } else {
        of_type(java_type)
    }
}

/// `account` of `Account`, `url` of `URL`, `lruCache` of `LruCache`.
fn decapitalised(name: &str) -> String {
    let upper = name.chars().take_while(char::is_ascii_uppercase).count();
    let lower = if upper == name.chars().count() { upper } else { upper.saturating_sub(1).max(1) };
    name.chars()
        .enumerate()
        .map(|(index, c)| if index < lower { c.to_ascii_lowercase() } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_types() {
        for (java_type, name) in [
            ("p.Account", "account"),
            ("p.Outer$Inner", "inner"),
            ("java.net.URL", "url"),
            ("p.XMLReader", "xmlReader"),
            ("int[]", "numbers"),
            ("java.lang.String[][]", "table"),
            ("java.util.ArrayList", "list"),
        ] {
            assert_eq!(of_type(java_type), name);
        }
    }

    #[test]
    fn no_name_is_given_twice_or_is_a_word_of_the_language() {
        let mut variables = Variables::default();
        assert_eq!(variables.fresh("text"), "text");
        assert_eq!(variables.fresh("text"), "text2");
        assert_eq!(variables.fresh("default"), "default2");
        assert_eq!(variables.fresh("a"), "a2");
        assert_eq!(variables.fresh("na\u{ef}ve"), "value");
    }
}
