//! Java types by name: erased, as class files know them, and as a source writes them.
//!
//! An erased type is a binary name (`p.Outer$Inner`), a primitive, or one of these with `[]` behind.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use bonafix_model::{CallableKind, Catalog, TypeInfo};

use crate::primitive::{box_of, in_box, is_primitive};

/// The type of `null`.
pub(super) const NULL: &str = "null";
pub(super) const OBJECT: &str = "java.lang.Object";
pub(super) const STRING: &str = "java.lang.String";

/// What a box is besides an object.
const ABOVE_BOXES: [&str; 4] =
    ["java.lang.Number", "java.lang.Comparable", "java.io.Serializable", "java.lang.constant.Constable"];

/// A type without its type arguments.
pub(super) fn erased(name: &str) -> String {
    let mut depth = 0_u32;
    let mut plain = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
    }
    plain
}

/// Parameter types and result of a method's descriptor; a field's descriptor has a result alone.
pub(super) fn of_descriptor(descriptor: &str) -> (Vec<String>, String) {
    let mut rest = descriptor;
    let mut parameters = Vec::new();
    if let Some(inside) = rest.strip_prefix('(') {
        rest = inside;
        while !rest.is_empty() && !rest.starts_with(')') {
            let (name, after) = one_of_descriptor(rest);
            parameters.push(name);
            rest = after;
        }
        rest = rest.strip_prefix(')').unwrap_or(rest);
    }
    (parameters, one_of_descriptor(rest).0)
}

fn one_of_descriptor(text: &str) -> (String, &str) {
    let element = text.trim_start_matches('[');
    let dimensions = text.len() - element.len();
    if let Some(named) = element.strip_prefix('L') {
        let (name, rest) = named.split_once(';').unwrap_or((named, ""));
        return (name.replace('/', ".") + &"[]".repeat(dimensions), rest);
    }
    let name = match element.chars().next() {
        Some('Z') => "boolean",
        Some('B') => "byte",
        Some('S') => "short",
        Some('C') => "char",
        Some('I') => "int",
        Some('J') => "long",
        Some('F') => "float",
        Some('D') => "double",
        _ => "void",
    };
    (name.to_owned() + &"[]".repeat(dimensions), element.get(1..).unwrap_or_default())
}

/// The package of a class by its binary name.
pub(super) fn package_of(binary: &str) -> &str {
    binary.rsplit_once('.').map_or("", |(package, _)| package)
}

/// The class around all others: `p.Outer` of `p.Outer$Inner`.
fn outermost(binary: &str) -> &str {
    let start = binary.rfind('.').map_or(0, |dot| dot + 1);
    match binary.get(start + 1..).and_then(|name| name.find('$')) {
        Some(dollar) => &binary[..=start + dollar],
        None => binary,
    }
}

/// How types are named in one source file, and what must be imported for it.
pub(super) struct Names<'a> {
    catalog: &'a Catalog,
    types: BTreeMap<&'a str, &'a TypeInfo>,
    owners: BTreeSet<&'a str>,
    /// Package of the source.
    package: String,
    /// Outermost classes whose simple name means another class here.
    qualified: BTreeSet<String>,
    used: RefCell<BTreeSet<String>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(catalog: &'a Catalog, package: &str) -> Self {
        Self {
            catalog,
            types: catalog.types.iter().map(|info| (info.name.as_str(), info)).collect(),
            owners: catalog.callables.iter().map(|callable| callable.owner.as_str()).collect(),
            package: package.to_owned(),
            qualified: BTreeSet::new(),
            used: RefCell::default(),
        }
    }

    pub(super) fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    pub(super) fn info(&self, binary: &str) -> Option<&'a TypeInfo> {
        self.types.get(binary).copied()
    }

    pub(super) fn is_subject(&self, binary: &str) -> bool {
        self.info(binary).is_some_and(|info| info.is_subject)
    }

    /// The name of an erased type in this source.
    pub(super) fn show(&self, erased: &str) -> String {
        let element = erased.trim_end_matches("[]");
        let dimensions = &erased[element.len()..];
        if is_primitive(element) || element == "void" {
            return erased.to_owned();
        }
        let outer = outermost(element);
        self.used.borrow_mut().insert(outer.to_owned());
        let shown = if self.qualified.contains(outer) {
            element.replace('$', ".")
        } else {
            let package = package_of(outer);
            let below = if package.is_empty() { element } else { &element[package.len() + 1..] };
            below.replace('$', ".")
        };
        shown + dimensions
    }

    /// Can a source name it at all? Classes without a name cannot be, nor private ones, of which the catalog has no
    /// member and below which it knows no class.
    pub(super) fn is_nameable(&self, erased: &str) -> bool {
        let element = erased.trim_end_matches("[]");
        let odd = element.contains([' ', '/'])
            || element
                .split('$')
                .skip(1)
                .any(|part| !part.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        let known = |info: &TypeInfo| self.owners.contains(element) || info.subclass.is_some();
        !odd && self.info(element).is_none_or(|info| !info.is_subject || known(info))
    }

    /// The names that were shown so far, with those told apart that look the same. Call after a first rendering; the
    /// second one then needs no more.
    pub(super) fn settle(&mut self, reserved: &[&str]) {
        let used = self.used.take();
        let mut by_simple: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for outer in &used {
            by_simple.entry(outer.rsplit('.').next().unwrap_or(outer)).or_default().push(outer);
        }
        for (simple, mut holders) in by_simple {
            // A class of this package has the first right to its name, used or not; what is imported before java.lang.
            let own = if self.package.is_empty() {
                simple.to_owned()
            } else {
                format!("{}.{simple}", self.package)
            };
            holders.sort_by_key(|holder| (**holder != own, package_of(holder) == "java.lang"));
            let taken = reserved.contains(&simple)
                || *holders[0] != own
                    && (self.types.contains_key(own.as_str()) || self.owners.contains(own.as_str()));
            self.qualified.extend(holders.into_iter().skip(usize::from(!taken)).cloned());
        }
    }

    /// The imports that the names shown so far need.
    pub(super) fn imports(&self) -> Vec<String> {
        let needs = |outer: &&String| {
            let package = package_of(outer);
            !package.is_empty()
                && package != "java.lang"
                && package != self.package
                && !self.qualified.contains(outer.as_str())
        };
        self.used.borrow().iter().filter(needs).cloned().collect()
    }

    /// Can a value of one erased type stand for another without a word? What is not known to be so, is not.
    pub(super) fn is_assignable(&self, from: &str, to: &str) -> bool {
        if from == to || from == NULL && !is_primitive(to) {
            return true;
        }
        if is_primitive(to) {
            return in_box(from) == Some(to);
        }
        if let Some(boxed) = box_of(from) {
            return boxed == to || self.is_assignable(boxed, to);
        }
        if to == OBJECT {
            return true;
        }
        if let (Some(one), Some(other)) = (from.strip_suffix("[]"), to.strip_suffix("[]")) {
            return !is_primitive(one) && !is_primitive(other) && self.is_assignable(one, other);
        }
        if self.info(from).is_some_and(|info| info.supertypes.iter().any(|name| erased(name) == to)) {
            return true;
        }
        let numeric = in_box(from).is_some_and(|name| name != "boolean" && name != "char");
        match to {
            "java.lang.CharSequence" => from == STRING,
            "java.lang.Number" => numeric,
            _ if ABOVE_BOXES.contains(&to) => in_box(from).is_some() || from == STRING,
            _ => false,
        }
    }

    /// Is one the other, or below or above it, as far as is known?
    pub(super) fn are_related(&self, one: &str, other: &str) -> bool {
        self.is_assignable(one, other) || self.is_assignable(other, one)
    }

    /// Is it an enum constant, or a constant of a library: something that needs no variable?
    pub(super) fn is_plain_constant(&self, kind: CallableKind, owner: &str) -> bool {
        kind == CallableKind::StaticGet
            && (!self.is_subject(owner) || self.info(owner).is_some_and(|info| info.is_enum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_give_erased_types() {
        let (parameters, result) = of_descriptor("(I[[Ljava/lang/String;Lp/A$B;J)[Z");
        assert_eq!(parameters, ["int", "java.lang.String[][]", "p.A$B", "long"]);
        assert_eq!(result, "boolean[]");
        assert_eq!(of_descriptor("Ljava/util/List;"), (Vec::new(), "java.util.List".to_owned()));
        assert_eq!(of_descriptor("()V").1, "void");
    }

    #[test]
    fn type_arguments_are_left_out_wherever_they_stand() {
        assert_eq!(erased("java.util.Map<p.A, java.util.List<int[]>>[]"), "java.util.Map[]");
        assert_eq!(erased("int"), "int");
    }

    #[test]
    fn two_classes_of_one_simple_name_are_told_apart() {
        let catalog = Catalog::default();
        let mut names = Names::new(&catalog, "p");
        for name in ["p.Date", "java.util.Date", "java.util.Map$Entry", "java.lang.String", "Plain"] {
            names.show(name);
        }
        names.settle(&["Test"]);
        assert_eq!(names.show("p.Date[]"), "Date[]");
        assert_eq!(names.show("java.util.Date"), "java.util.Date");
        assert_eq!(names.show("java.util.Map$Entry"), "Map.Entry");
        assert_eq!(names.show("Plain"), "Plain");
        assert_eq!(names.imports(), ["java.util.Map"]);
    }

    #[test]
    fn what_has_no_name_is_not_named() {
        let catalog = Catalog::default();
        let names = Names::new(&catalog, "p");
        assert!(names.is_nameable("p.A$B") && names.is_nameable("int[]"));
        assert!(!names.is_nameable("p.A$1") && !names.is_nameable("anonymous p.A"));
    }
}
