//! Types by number: read from their names once, and asked ever after whether a value of one may stand where another is wanted.

use std::borrow::Cow;
use std::collections::HashMap;

use bonafix_model::{Catalog, MissingMethod, Sequence, Step};

/// The number of a type.
pub(crate) type TypeId = u32;

/// What sort of value a type has, a box being of the sort of its primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Void,
    Boolean,
    Byte,
    Short,
    Int,
    Long,
    Char,
    Float,
    Double,
    Text,
    Class,
    Object,
    Array(TypeId),
    Reference,
}

impl Shape {
    /// Whole numbers of this sort, least and greatest.
    pub(crate) fn integer_range(self) -> Option<(i64, i64)> {
        match self {
            Self::Byte => Some((i64::from(i8::MIN), i64::from(i8::MAX))),
            Self::Short => Some((i64::from(i16::MIN), i64::from(i16::MAX))),
            Self::Int => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
            Self::Long => Some((i64::MIN, i64::MAX)),
            _ => None,
        }
    }

    /// Can a constant be written down for it?
    pub(crate) fn is_literal(self) -> bool {
        !matches!(self, Self::Void | Self::Object | Self::Array(_) | Self::Reference)
    }
}

/// One type.
#[derive(Debug)]
pub(crate) struct Type {
    /// As in the catalog, type arguments included.
    pub(crate) name: String,
    /// Without type arguments.
    pub(crate) erased: TypeId,
    pub(crate) shape: Shape,
    pub(crate) primitive: bool,
    pub(crate) arguments: Vec<TypeId>,
    pub(crate) is_interface: bool,
    pub(crate) is_subject: bool,
    /// An abstract class below which one can be written: what the methods return that it must have.
    pub(crate) left_open: Option<Vec<TypeId>>,
    /// Erased, itself included, sorted.
    supertypes: Vec<TypeId>,
}

/// All types of a catalog and of some sequences.
#[derive(Debug)]
pub(crate) struct Types {
    all: Vec<Type>,
    by_name: HashMap<String, TypeId>,
    arrays: HashMap<TypeId, TypeId>,
    pub(crate) object: TypeId,
    pub(crate) text: TypeId,
    pub(crate) integer: TypeId,
}

const BOXES: [(&str, &str, Shape); 8] = [
    ("boolean", "java.lang.Boolean", Shape::Boolean),
    ("byte", "java.lang.Byte", Shape::Byte),
    ("short", "java.lang.Short", Shape::Short),
    ("int", "java.lang.Integer", Shape::Int),
    ("long", "java.lang.Long", Shape::Long),
    ("char", "java.lang.Character", Shape::Char),
    ("float", "java.lang.Float", Shape::Float),
    ("double", "java.lang.Double", Shape::Double),
];

/// The types that a sequence names itself, besides those of what it calls.
fn named_in(sequence: &Sequence) -> impl Iterator<Item = Cow<'_, str>> {
    sequence.steps.iter().filter_map(|step| match step {
        Step::Constant { type_name, .. } => Some(Cow::from(type_name)),
        Step::Array { element, .. } => Some(Cow::from(format!("{element}[]"))),
        Step::Stub { interface, .. } => Some(Cow::from(interface)),
        Step::Call { .. } => None,
    })
}

/// What a wildcard is bound by; any other type itself.
fn without_bound(name: &str) -> &str {
    name.strip_prefix("? extends ").or_else(|| name.strip_prefix("? super ")).unwrap_or(name)
}

fn shape_of(raw: &str) -> (Shape, bool) {
    for (primitive, boxed, shape) in BOXES {
        if raw == primitive || raw == boxed {
            return (shape, raw == primitive);
        }
    }
    let shape = match raw {
        "void" => Shape::Void,
        "java.lang.String" => Shape::Text,
        "java.lang.Class" => Shape::Class,
        "java.lang.Object" => Shape::Object,
        _ => Shape::Reference,
    };
    (shape, raw == "void")
}

/// Supertypes that hold whether or not the catalog mentions the type.
fn innate_supertypes(shape: Shape, primitive: bool) -> &'static [&'static str] {
    const COMPARABLE: &[&str] = &["java.lang.Comparable", "java.io.Serializable"];
    const NUMBER: &[&str] = &["java.lang.Number", "java.lang.Comparable", "java.io.Serializable"];
    const TEXT: &[&str] = &["java.lang.CharSequence", "java.lang.Comparable", "java.io.Serializable"];
    const ARRAY: &[&str] = &["java.lang.Cloneable", "java.io.Serializable"];
    match shape {
        _ if primitive => &[],
        Shape::Boolean | Shape::Char => COMPARABLE,
        Shape::Text => TEXT,
        Shape::Array(_) => ARRAY,
        Shape::Void | Shape::Object | Shape::Reference | Shape::Class => &[],
        _ => NUMBER,
    }
}

impl Types {
    /// Types of a catalog, and those that the sequences name besides.
    pub(crate) fn new<'s>(catalog: &Catalog, sequences: impl Iterator<Item = &'s Sequence>) -> Self {
        let mut types = Self {
            all: Vec::new(),
            by_name: HashMap::new(),
            arrays: HashMap::new(),
            object: 0,
            text: 0,
            integer: 0,
        };
        types.object = types.intern("java.lang.Object");
        types.text = types.intern("java.lang.String");
        types.integer = types.intern("java.lang.Integer");
        for (primitive, boxed, _) in BOXES {
            types.intern(primitive);
            types.intern(boxed);
        }
        for info in &catalog.types {
            types.intern(&info.name);
            for method in info.subclass.iter().flat_map(|subclass| &subclass.methods) {
                types.intern(&method.result);
            }
        }
        for callable in &catalog.callables {
            types.intern(&callable.owner);
            types.intern(&callable.result);
            for parameter in &callable.parameters {
                types.intern(parameter);
            }
        }
        for name in sequences.flat_map(named_in) {
            types.intern(&name);
        }
        types.know(catalog);
        types.intern_arrays();
        types
    }

    /// Puts what the catalog says of types to their numbers.
    fn know(&mut self, catalog: &Catalog) {
        for info in &catalog.types {
            let id = self.intern(&info.name);
            let supertypes: Vec<TypeId> = info.supertypes.iter().map(|name| self.intern(name)).collect();
            let supertypes: Vec<TypeId> = supertypes.into_iter().map(|id| self.get(id).erased).collect();
            let results = |methods: &[MissingMethod]| -> Vec<TypeId> {
                methods.iter().map(|method| self.named(&method.result)).collect()
            };
            let left_open = info.subclass.as_ref().map(|subclass| results(&subclass.methods));
            let entry = &mut self.all[id as usize];
            entry.left_open = left_open;
            entry.is_interface = info.is_interface;
            entry.is_subject = info.is_subject;
            entry.supertypes.extend(supertypes);
            entry.supertypes.sort_unstable();
            entry.supertypes.dedup();
        }
        for index in 0..self.all.len() {
            let erased = self.all[index].erased as usize;
            if erased != index {
                self.all[index].is_interface = self.all[erased].is_interface;
                self.all[index].is_subject = self.all[erased].is_subject;
                self.all[index].left_open = self.all[erased].left_open.clone();
            }
        }
    }

    /// Collections are made from arrays: each type that can be an element has one.
    fn intern_arrays(&mut self) {
        let mut wanted = vec![self.object];
        for entry in &self.all {
            wanted.extend(entry.arguments.first().copied());
        }
        for element in wanted {
            let name = format!("{}[]", self.get(self.get(element).erased).name);
            self.intern(&name);
        }
    }

    fn intern(&mut self, name: &str) -> TypeId {
        let name = name.trim();
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let bound = without_bound(name);
        if bound != name {
            return self.intern(bound);
        }
        if name == "?" {
            return self.object;
        }
        if let Some(element) = name.strip_suffix("[]") {
            return self.intern_array(name, element);
        }
        let raw = name.split('<').next().unwrap_or(name).trim();
        let arguments: Vec<TypeId> =
            split_arguments(name).into_iter().map(|argument| self.intern(argument)).collect();
        let (shape, primitive) = shape_of(raw);
        let erased = if raw == name { None } else { Some(self.intern(raw)) };
        self.add(name, erased, shape, primitive, arguments)
    }

    fn intern_array(&mut self, name: &str, element: &str) -> TypeId {
        let element = self.intern(element);
        let erased_element = self.get(element).erased;
        let erased_name = format!("{}[]", self.get(erased_element).name);
        let erased = if erased_name == name { None } else { Some(self.intern(&erased_name)) };
        let id = self.add(name, erased, Shape::Array(element), false, Vec::new());
        self.arrays.insert(element, id);
        id
    }

    fn add(
        &mut self,
        name: &str,
        erased: Option<TypeId>,
        shape: Shape,
        primitive: bool,
        arguments: Vec<TypeId>,
    ) -> TypeId {
        let mut supertypes: Vec<TypeId> =
            innate_supertypes(shape, primitive).iter().map(|name| self.intern(name)).collect();
        let id = TypeId::try_from(self.all.len()).unwrap_or(TypeId::MAX);
        supertypes.push(id);
        supertypes.sort_unstable();
        let erased = erased.unwrap_or(id);
        self.all.push(Type {
            name: name.to_owned(),
            erased,
            shape,
            primitive,
            arguments,
            is_interface: false,
            is_subject: false,
            left_open: None,
            supertypes,
        });
        self.by_name.insert(name.to_owned(), id);
        id
    }

    pub(crate) fn get(&self, id: TypeId) -> &Type {
        &self.all[id as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The type of this name; `Object` for one that was never heard of.
    pub(crate) fn named(&self, name: &str) -> TypeId {
        self.by_name.get(name).copied().unwrap_or(self.object)
    }

    /// Is there a type of this name?
    pub(crate) fn find(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied()
    }

    /// Is each type known that a sequence names?
    pub(crate) fn know_all_of(&self, sequence: &Sequence) -> bool {
        named_in(sequence).all(|name| {
            let name = without_bound(name.trim());
            name == "?" || self.find(name).is_some()
        })
    }

    /// Arrays of this element type.
    pub(crate) fn array_of(&self, element: TypeId) -> TypeId {
        self.arrays
            .get(&element)
            .or_else(|| self.arrays.get(&self.get(element).erased))
            .or_else(|| self.arrays.get(&self.object))
            .copied()
            .unwrap_or(self.object)
    }

    /// Erased supertypes, itself included.
    pub(crate) fn supertypes(&self, id: TypeId) -> &[TypeId] {
        &self.get(self.get(id).erased).supertypes
    }

    /// May a value of `from` be passed where `to` is wanted, with what is known of its type arguments?
    pub(crate) fn fits(&self, from: TypeId, to: TypeId) -> bool {
        self.matches(from, to, false)
    }

    /// The same, for a value that is about to be filled with what is wanted: raw collections pass.
    pub(crate) fn could_fit(&self, from: TypeId, to: TypeId) -> bool {
        self.matches(from, to, true)
    }

    fn matches(&self, from: TypeId, to: TypeId, raw_passes: bool) -> bool {
        if from == to {
            return true;
        }
        let (source, target) = (self.get(from), self.get(to));
        match (source.shape, target.shape) {
            (Shape::Void, _) | (_, Shape::Void) => false,
            (_, Shape::Object) => true,
            (Shape::Array(one), Shape::Array(other)) => {
                let primitive = self.get(one).primitive || self.get(other).primitive;
                if primitive { one == other } else { self.matches(one, other, raw_passes) }
            }
            (one, other) if target.primitive => one == other,
            (one, other) if source.primitive => {
                one == other || innate_supertypes(one, false).contains(&target.name.as_str())
            }
            _ => {
                self.supertypes(from).binary_search(&target.erased).is_ok()
                    && self.arguments_agree(source, target, raw_passes)
            }
        }
    }

    fn arguments_agree(&self, source: &Type, target: &Type, raw_passes: bool) -> bool {
        let anything = |id: &TypeId| *id == self.object;
        if target.arguments.iter().all(anything) {
            return true;
        }
        if source.arguments.is_empty() {
            return raw_passes || source.is_subject || source.shape != Shape::Reference;
        }
        if raw_passes && source.arguments.iter().all(anything) {
            return true;
        }
        source.arguments.len() != target.arguments.len()
            || source
                .arguments
                .iter()
                .zip(&target.arguments)
                .all(|(one, other)| self.matches(*one, *other, raw_passes))
    }
}

/// The type arguments in a name, outermost ones only.
fn split_arguments(name: &str) -> Vec<&str> {
    let Some((start, end)) = name.find('<').zip(name.rfind('>')) else { return Vec::new() };
    let inside = &name[start + 1..end];
    let (mut depth, mut from, mut found) = (0_i32, 0, Vec::new());
    for (index, character) in inside.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                found.push(inside[from..index].trim());
                from = index + 1;
            }
            _ => {}
        }
    }
    found.push(inside[from..].trim());
    found
}

#[cfg(test)]
mod tests {
    use bonafix_model::TypeInfo;

    use super::*;

    fn types(names: &[&str]) -> Types {
        let info = |name: &str, supertypes: &[&str]| TypeInfo {
            name: name.to_owned(),
            is_abstract: false,
            is_interface: false,
            is_functional: false,
            supertypes: supertypes.iter().map(|name| (*name).to_owned()).collect(),
            is_subject: name.starts_with("p."),
            is_enum: false,
            is_inner: false,
            subclass: None,
        };
        let catalog = Catalog {
            callables: Vec::new(),
            types: vec![
                info("java.util.ArrayList", &["java.util.List", "java.util.Collection"]),
                info("java.util.List", &["java.util.Collection"]),
                info("p.Dog", &["p.Animal"]),
                info("p.Numbers", &["java.util.List"]),
            ],
        };
        let steps = names
            .iter()
            .map(|name| Step::Constant { type_name: (*name).to_owned(), value: bonafix_model::Literal::Null })
            .collect();
        Types::new(&catalog, std::iter::once(&Sequence { steps }))
    }

    #[test]
    fn values_stand_for_supertypes_boxes_and_matching_arguments() {
        let names = [
            "java.util.List<java.lang.Integer>",
            "java.util.List<java.lang.String>",
            "java.util.Collection<java.lang.Integer>",
            "java.util.Map<java.lang.String, java.util.List<java.lang.Integer>>[]",
            "java.lang.Number",
            "java.lang.Comparable",
            "java.lang.Object[]",
            "java.lang.String[]",
            "p.Animal",
            "int[]",
            "java.util.List",
        ];
        let types = types(&names);
        let fits = |from: &str, to: &str| types.fits(types.named(from), types.named(to));
        assert!(fits("int", "java.lang.Integer") && fits("java.lang.Integer", "int"));
        assert!(fits("int", "java.lang.Object") && fits("int", "java.lang.Number"));
        assert!(!fits("int", "long") && !fits("int", "java.lang.Long"));
        assert!(fits("p.Dog", "p.Animal") && !fits("p.Animal", "p.Dog"));
        assert!(fits(names[0], names[2]) && !fits(names[1], names[2]) && !fits(names[1], names[0]));
        assert!(!fits("java.util.ArrayList", names[0]));
        assert!(types.could_fit(types.named("java.util.ArrayList"), types.named(names[0])));
        assert!(fits("p.Numbers", names[0]) && fits("java.util.ArrayList", "java.util.List"));
        assert!(fits("java.lang.String[]", "java.lang.Object[]") && !fits("int[]", "java.lang.Object[]"));
        assert!(fits("int[]", "java.lang.Object") && fits("java.lang.String", "java.lang.Comparable"));
        let Shape::Array(map) = types.get(types.named(names[3])).shape else { panic!("an array") };
        assert_eq!(types.get(map).arguments.len(), 2);
    }
}
