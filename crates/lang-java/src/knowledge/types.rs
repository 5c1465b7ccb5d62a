//! The catalog by name: which type a name means, what is assignable to what, which overload a call means.

use std::collections::HashMap;

use bonafix_model::{Callable, CallableId, CallableKind, Catalog, TypeInfo};

use super::constant::{NULL, STRING, widening};
use super::unit::{TypeName, Unit};
use crate::primitive::{box_of, is_primitive, unboxed};

pub(super) const OBJECT: &str = "java.lang.Object";

/// Classes of `java.lang` that need no import; the catalog does not list all of them.
const JAVA_LANG: [&str; 56] = [
    "Object",
    "String",
    "Integer",
    "Long",
    "Double",
    "Float",
    "Short",
    "Byte",
    "Character",
    "Boolean",
    "Number",
    "Math",
    "StrictMath",
    "System",
    "Thread",
    "Class",
    "CharSequence",
    "Comparable",
    "Iterable",
    "Runnable",
    "StringBuilder",
    "StringBuffer",
    "Exception",
    "RuntimeException",
    "Throwable",
    "Error",
    "Void",
    "Enum",
    "Record",
    "AutoCloseable",
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "AssertionError",
    "ClassCastException",
    "ClassNotFoundException",
    "CloneNotSupportedException",
    "EnumConstantNotPresentException",
    "IllegalAccessException",
    "IllegalArgumentException",
    "IllegalMonitorStateException",
    "IllegalStateException",
    "IndexOutOfBoundsException",
    "InstantiationException",
    "InterruptedException",
    "NegativeArraySizeException",
    "NoSuchFieldException",
    "NoSuchMethodException",
    "NullPointerException",
    "NumberFormatException",
    "OutOfMemoryError",
    "ReflectiveOperationException",
    "SecurityException",
    "StackOverflowError",
    "StringIndexOutOfBoundsException",
    "UnsupportedOperationException",
];

/// What an argument of a call is, as far as the choice of an overload goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ArgumentType {
    /// A value of that static type; `null` has the type `null`.
    Of(String),
    /// A lambda or a method reference.
    Function,
    /// Nobody knows.
    Unknown,
}

/// How a call was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) callable: CallableId,
    /// The last arguments go into an array.
    pub(super) spread: bool,
}

/// The catalog by name.
pub(super) struct TypeIndex<'a> {
    pub(super) catalog: &'a Catalog,
    infos: HashMap<&'a str, &'a TypeInfo>,
    /// Canonical name to binary name.
    dotted: HashMap<String, &'a str>,
    members: HashMap<(&'a str, &'a str), Vec<CallableId>>,
    /// Parameter types and result of each callable, erased.
    erased: Vec<(Vec<String>, String)>,
}

impl<'a> TypeIndex<'a> {
    pub(super) fn new(catalog: &'a Catalog) -> Self {
        let erase = |callable: &Callable| {
            (callable.parameters.iter().map(|name| erased(name)).collect(), erased(&callable.result))
        };
        let mut index = Self {
            catalog,
            infos: HashMap::new(),
            dotted: HashMap::new(),
            members: HashMap::new(),
            erased: catalog.callables.iter().map(erase).collect(),
        };
        for info in &catalog.types {
            index.infos.insert(&info.name, info);
            index.dotted.insert(info.name.replace('$', "."), &info.name);
        }
        for (callable, id) in catalog.callables.iter().zip(0..) {
            index.dotted.entry(callable.owner.replace('$', ".")).or_insert(&callable.owner);
            index.members.entry((&callable.owner, &callable.name)).or_default().push(id);
        }
        index
    }

    pub(super) fn callable(&self, id: CallableId) -> &'a Callable {
        &self.catalog.callables[id as usize]
    }

    /// Its parameter types, erased.
    pub(super) fn parameters(&self, id: CallableId) -> &[String] {
        &self.erased[id as usize].0
    }

    /// Its result, erased.
    pub(super) fn result(&self, id: CallableId) -> &str {
        &self.erased[id as usize].1
    }

    pub(super) fn info(&self, name: &str) -> Option<&'a TypeInfo> {
        self.infos.get(name).copied()
    }

    pub(super) fn is_subject(&self, name: &str) -> bool {
        self.info(name).is_some_and(|info| info.is_subject)
    }

    /// Does a call of it run the program under test?
    pub(super) fn calls_subject(&self, id: CallableId) -> bool {
        self.is_subject(&self.callable(id).owner)
    }

    /// The catalog's binary name of a canonical name.
    pub(super) fn binary(&self, canonical: &str) -> Option<&'a str> {
        self.dotted.get(canonical).copied()
    }

    /// All supertypes, nearest first as far as that is known.
    fn supertypes(&self, name: &str) -> Vec<&str> {
        if let Some(info) = self.info(name) {
            return info.supertypes.iter().map(String::as_str).collect();
        }
        match name {
            OBJECT => Vec::new(),
            STRING => vec!["java.lang.CharSequence", "java.lang.Comparable", "java.io.Serializable", OBJECT],
            "java.lang.Boolean" | "java.lang.Character" => {
                vec!["java.lang.Comparable", "java.io.Serializable", OBJECT]
            }
            _ if unboxed(name).is_some() => {
                vec!["java.lang.Number", "java.lang.Comparable", "java.io.Serializable", OBJECT]
            }
            _ => vec![OBJECT],
        }
    }

    pub(super) fn is_subtype(&self, name: &str, of: &str) -> bool {
        name == of || of == OBJECT && !is_primitive(name) || self.supertypes(name).contains(&of)
    }

    /// What a name in a source file means, erased, by binary name. `class` is where it stands.
    pub(super) fn resolve(&self, unit: &Unit, class: &str, written: &TypeName) -> String {
        let mut name = self.resolve_class(unit, class, &written.name).unwrap_or_else(|| OBJECT.to_owned());
        for _ in 0..written.dimensions {
            name.push_str("[]");
        }
        name
    }

    /// The class that a name means; `None` for a type variable and what looks like one.
    pub(super) fn resolve_class(&self, unit: &Unit, class: &str, written: &str) -> Option<String> {
        if is_primitive(written) || written == "void" {
            return Some(written.to_owned());
        }
        let (first, rest) = written.split_once('.').map_or((written, None), |(a, b)| (a, Some(b)));
        let nested = |outer: &str| rest.map_or_else(|| outer.to_owned(), |rest| format!("{outer}.{rest}"));
        let known = |canonical: &str| self.binary(&nested(canonical)).map(str::to_owned);
        // Types nested in the class around, then imports by name, the package, imports on demand.
        let mut around = Some(class);
        while let Some(outer) = around {
            if let Some(found) = known(&format!("{}.{first}", outer.replace('$', "."))) {
                return Some(found);
            }
            around = outer.rsplit_once('$').map(|(outer, _)| outer);
        }
        let by_name = unit.imports.iter().find(|import| {
            !import.on_demand && import.name.rsplit('.').next().is_some_and(|last| last == first)
        });
        if let Some(import) = by_name.filter(|import| !import.is_static || known(&import.name).is_some()) {
            return Some(known(&import.name).unwrap_or_else(|| nested(&import.name)));
        }
        let in_package = |package: &str| {
            if package.is_empty() { first.to_owned() } else { format!("{package}.{first}") }
        };
        if let Some(found) = known(&in_package(&unit.package)) {
            return Some(found);
        }
        let demanded = unit.imports.iter().filter(|import| import.on_demand);
        if let Some(found) = demanded.map(|import| in_package(&import.name)).find_map(|name| known(&name)) {
            return Some(found);
        }
        if let Some(found) =
            known(&in_package("java.lang")).or_else(|| self.binary(written).map(str::to_owned))
        {
            return Some(found);
        }
        if JAVA_LANG.contains(&first) {
            return Some(nested(&in_package("java.lang")));
        }
        if first.starts_with(char::is_lowercase) {
            return Some(written.to_owned());
        }
        let is_variable = rest.is_none() && first.len() <= 2 && !first.contains(char::is_lowercase);
        (!is_variable).then(|| nested(&in_package(&unit.package)))
    }

    /// The callables of a name that a type has, its own before inherited ones.
    fn named(&self, owner: &str, name: &str) -> Vec<CallableId> {
        let mut found: Vec<CallableId> = self.members.get(&(owner, name)).cloned().unwrap_or_default();
        if name != "<init>" {
            for ancestor in self.supertypes(owner) {
                let inherited = self.members.get(&(ancestor, name)).map_or(&[][..], Vec::as_slice);
                for id in inherited {
                    let parameters = parameters_of(&self.callable(*id).descriptor);
                    let overridden = |known: &CallableId| {
                        let known = self.callable(*known);
                        known.kind == self.callable(*id).kind
                            && parameters_of(&known.descriptor) == parameters
                    };
                    if !found.iter().any(overridden) {
                        found.push(*id);
                    }
                }
            }
        }
        found
    }

    /// A field of a type.
    pub(super) fn field(&self, owner: &str, name: &str, kind: CallableKind) -> Option<CallableId> {
        self.named(owner, name).into_iter().find(|id| self.callable(*id).kind == kind)
    }

    /// The callable that a method of a class file is.
    pub(super) fn of_method(&self, owner: &str, name: &str, descriptor: &str) -> Option<CallableId> {
        let known = self.members.get(&(owner, name))?;
        known.iter().copied().find(|id| self.callable(*id).descriptor == descriptor)
    }

    /// The overload that a call means.
    pub(super) fn choose(
        &self,
        owner: &str,
        name: &str,
        kinds: &[CallableKind],
        arguments: &[ArgumentType],
    ) -> Option<Choice> {
        let mut best: Option<(u32, Choice)> = None;
        for callable in self.named(owner, name) {
            let candidate = self.callable(callable);
            if !kinds.contains(&candidate.kind) {
                continue;
            }
            let types: Vec<&str> = self.parameters(callable).iter().map(String::as_str).collect();
            let Some((cost, spread)) = self.cost(&types, candidate.varargs, arguments) else { continue };
            let choice = Choice { callable, spread };
            let better = best.is_none_or(|(known, chosen)| {
                cost < known || cost == known && self.is_more_specific(callable, chosen.callable)
            });
            if better {
                best = Some((cost, choice));
            }
        }
        best.map(|(_, choice)| choice)
    }

    fn is_more_specific(&self, callable: CallableId, than: CallableId) -> bool {
        let (a, b) = (self.parameters(callable), self.parameters(than));
        a != b && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_subtype(a, b))
    }

    /// What it costs to pass these arguments for these parameters, and whether the last of them go into an array.
    pub(super) fn cost(
        &self,
        parameters: &[&str],
        varargs: bool,
        arguments: &[ArgumentType],
    ) -> Option<(u32, bool)> {
        const SPREAD: u32 = 1000;
        let plain = || -> Option<u32> {
            if parameters.len() != arguments.len() {
                return None;
            }
            parameters
                .iter()
                .zip(arguments)
                .map(|(parameter, argument)| self.conversion(argument, parameter))
                .sum()
        };
        if let Some(cost) = plain() {
            return Some((cost, false));
        }
        let (last, fixed) = parameters.split_last().filter(|_| varargs)?;
        if arguments.len() < fixed.len() {
            return None;
        }
        let element = last.strip_suffix("[]")?;
        let types = fixed.iter().copied().chain(std::iter::repeat(element));
        let cost: Option<u32> = arguments
            .iter()
            .zip(types)
            .map(|(argument, parameter)| self.conversion(argument, parameter))
            .sum();
        Some((cost? + SPREAD, true))
    }

    /// What it costs to pass an argument for a parameter: nothing for the same type, little for widening, more for
    /// boxing, most for what only a cast or an erased type variable explains.
    fn conversion(&self, argument: &ArgumentType, parameter: &str) -> Option<u32> {
        const BOXING: u32 = 20;
        const UNKNOWN: u32 = 30;
        const CAST: u32 = 60;
        let from = match argument {
            ArgumentType::Unknown => return Some(UNKNOWN),
            ArgumentType::Function => {
                let info = self.info(parameter)?;
                return info.is_interface.then_some(if info.is_functional { 1 } else { 3 });
            }
            ArgumentType::Of(from) => from.as_str(),
        };
        if from == parameter {
            return Some(0);
        }
        if from == NULL {
            return (!is_primitive(parameter)).then_some(if parameter == OBJECT { 8 } else { 1 });
        }
        match (is_primitive(from), is_primitive(parameter)) {
            (true, true) => widening(from, parameter),
            (true, false) => self.subtype_cost(box_of(from)?, parameter).map(|cost| cost + BOXING),
            (false, true) => match unboxed(from) {
                Some(inner) => widening(inner, parameter).map(|cost| cost + BOXING),
                None => (from == OBJECT || self.is_subtype(box_of(parameter)?, from)).then_some(CAST),
            },
            (false, false) => self.subtype_cost(from, parameter).or_else(|| {
                // An erased type variable, or a type that nobody knows.
                let maybe = self.is_subtype(parameter, from) || from != STRING && !is_known(self, from);
                maybe.then_some(CAST)
            }),
        }
    }

    fn subtype_cost(&self, name: &str, of: &str) -> Option<u32> {
        if name == of {
            return Some(0);
        }
        if let (Some(a), Some(b)) = (name.strip_suffix("[]"), of.strip_suffix("[]")) {
            return if is_primitive(a) || is_primitive(b) { None } else { self.subtype_cost(a, b) };
        }
        if of == OBJECT {
            return Some(9);
        }
        let at = self.supertypes(name).iter().position(|known| *known == of)?;
        Some(u32::try_from(at).unwrap_or(7).min(7) + 1)
    }

    /// The methods that a call on an object of that class may run or stand for: the same name and parameters in the
    /// class and above it.
    pub(super) fn same_method(&self, id: CallableId, dynamic: &str) -> Vec<CallableId> {
        let callable = self.callable(id);
        let parameters = parameters_of(&callable.descriptor);
        let mut owners = vec![dynamic];
        owners.extend(self.supertypes(dynamic));
        let members =
            owners.into_iter().filter_map(|owner| self.members.get(&(owner, callable.name.as_str())));
        members
            .flatten()
            .copied()
            .filter(|other| {
                let other = self.callable(*other);
                other.kind == callable.kind && parameters_of(&other.descriptor) == parameters
            })
            .collect()
    }
}

fn is_known(index: &TypeIndex<'_>, name: &str) -> bool {
    let name = name.trim_end_matches("[]");
    index.info(name).is_some() || unboxed(name).is_some() || name == STRING || name == OBJECT
}

/// A type without its arguments: `java.util.List<T>[]` is `java.util.List[]`.
pub(super) fn erased(name: &str) -> String {
    let Some((raw, rest)) = name.split_once('<') else { return name.to_owned() };
    let dimensions = rest.rsplit('>').next().unwrap_or_default();
    format!("{raw}{dimensions}")
}

/// The parameters in a method descriptor.
pub(super) fn parameters_of(descriptor: &str) -> &str {
    descriptor.split(')').next().unwrap_or(descriptor)
}
