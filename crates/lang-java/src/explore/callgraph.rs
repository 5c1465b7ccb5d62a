//! Who may call whom, as class files tell, and so from where changed code can be reached.
//!
//! Conservative: a call of a method may end in any method of that name and descriptor in a class above or below. What
//! libraries call is not seen; an object whose class extends something of a library may be called by whoever made it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use bonafix_model::{CallableKind, Catalog, Target};
use cafebabe::attributes::{AttributeData, AttributeInfo, BootstrapMethodEntry};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{BootstrapArgument, MemberRef};

use crate::classfile::MethodName;

/// Calls further away than this are not followed.
const MAX_DISTANCE: u32 = 8;

/// What a class calls and reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClassCalls {
    /// Internal name.
    pub(crate) name: String,
    /// Superclass and interfaces, internal names.
    supertypes: Vec<String>,
    methods: Vec<MethodCalls>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct MethodCalls {
    method: MethodName,
    calls: Vec<MemberName>,
    reads: Vec<MemberName>,
}

/// A method or field, as a class file mentions it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct MemberName {
    owner: String,
    name: String,
    descriptor: String,
}

impl MemberName {
    fn of(member: &MemberRef<'_>) -> Self {
        Self {
            owner: member.class_name.to_string(),
            name: member.name_and_type.name.to_string(),
            descriptor: member.name_and_type.descriptor.to_string(),
        }
    }
}

impl ClassCalls {
    /// Reads a class file; `None` where it cannot be read.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let class = cafebabe::parse_class(bytes).ok()?;
        let bootstraps = class.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::BootstrapMethods(entries) => Some(entries.as_slice()),
            _ => None,
        });
        let methods = class.methods.iter().map(|method| {
            let name =
                MethodName { name: method.name.to_string(), descriptor: method.descriptor.to_string() };
            MethodCalls::read(name, &method.attributes, bootstraps.unwrap_or_default())
        });
        Some(Self {
            name: class.this_class.to_string(),
            supertypes: class.super_class.iter().chain(&class.interfaces).map(ToString::to_string).collect(),
            methods: methods.collect(),
        })
    }
}

impl MethodCalls {
    fn read(
        method: MethodName,
        attributes: &[AttributeInfo<'_>],
        bootstraps: &[BootstrapMethodEntry<'_>],
    ) -> Self {
        let (mut calls, mut reads) = (Vec::new(), Vec::new());
        let code = attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => code.bytecode.as_ref(),
            _ => None,
        });
        for (_, opcode) in code.into_iter().flat_map(|code| &code.opcodes) {
            match opcode {
                Opcode::Invokevirtual(member)
                | Opcode::Invokespecial(member)
                | Opcode::Invokestatic(member)
                | Opcode::Invokeinterface(member, _) => calls.push(MemberName::of(member)),
                Opcode::Getfield(member) | Opcode::Getstatic(member) => reads.push(MemberName::of(member)),
                Opcode::Invokedynamic(call) => {
                    let entry = bootstraps.get(usize::from(call.attr_index));
                    calls.extend(entry.into_iter().flat_map(handles));
                }
                _ => {}
            }
        }
        for list in [&mut calls, &mut reads] {
            list.sort();
            list.dedup();
        }
        Self { method, calls, reads }
    }
}

/// Methods that a lambda or method reference stands for.
fn handles(entry: &BootstrapMethodEntry<'_>) -> Vec<MemberName> {
    let arguments = entry.arguments.iter().filter_map(|argument| match argument {
        BootstrapArgument::MethodHandle(handle) => Some(MemberName {
            owner: handle.class_name.to_string(),
            name: handle.member_ref.name.to_string(),
            descriptor: handle.member_ref.descriptor.to_string(),
        }),
        _ => None,
    });
    arguments.collect()
}

/// What was changed, in terms of class files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangedCode {
    /// Internal name of the class, and method.
    pub(crate) methods: BTreeSet<(String, MethodName)>,
    /// Internal name of the class, and name of the field.
    pub(crate) fields: BTreeSet<(String, String)>,
}

/// A method in a class.
type Place<'a> = (&'a str, &'a MethodName);

/// The graph of all classes of a program.
pub(crate) struct CallGraph<'a> {
    classes: BTreeMap<&'a str, Vec<&'a ClassCalls>>,
    /// All classes above a class, itself included, and those of libraries that it names.
    ancestors: HashMap<&'a str, HashSet<&'a str>>,
    /// By name and descriptor: the class that is named in the call, and who calls.
    callers: HashMap<(&'a str, &'a str), Vec<(&'a str, Place<'a>)>>,
    /// By class and name of a field.
    readers: HashMap<(&'a str, &'a str), Vec<Place<'a>>>,
}

impl<'a> CallGraph<'a> {
    /// A class may come more than once, in several versions.
    pub(crate) fn new(all: impl IntoIterator<Item = &'a ClassCalls>) -> Self {
        let mut graph = Self {
            classes: BTreeMap::new(),
            ancestors: HashMap::new(),
            callers: HashMap::new(),
            readers: HashMap::new(),
        };
        for class in all {
            graph.classes.entry(&class.name).or_default().push(class);
            for method in &class.methods {
                let place = (class.name.as_str(), &method.method);
                for call in &method.calls {
                    let key = (call.name.as_str(), call.descriptor.as_str());
                    graph.callers.entry(key).or_default().push((&call.owner, place));
                }
                for read in &method.reads {
                    graph.readers.entry((&read.owner, &read.name)).or_default().push(place);
                }
            }
        }
        let names: Vec<&'a str> = graph.classes.keys().copied().collect();
        for name in names {
            let above = graph.above(name);
            graph.ancestors.insert(name, above);
        }
        graph
    }

    fn above(&self, name: &'a str) -> HashSet<&'a str> {
        let mut above = HashSet::from([name]);
        let mut open = vec![name];
        while let Some(next) = open.pop() {
            for class in self.classes.get(next).into_iter().flatten() {
                for parent in &class.supertypes {
                    if above.insert(parent) {
                        open.push(parent);
                    }
                }
            }
        }
        above
    }

    /// May a call that names `named` end in a method of `declaring`?
    fn is_related(&self, named: &str, declaring: &str) -> bool {
        let above = |class: &str, other: &str| {
            self.ancestors.get(class).is_some_and(|ancestors| ancestors.contains(other))
        };
        named == declaring
            || above(named, declaring)
            || above(declaring, named)
            || !self.classes.contains_key(named) && self.is_known_to_libraries(declaring)
    }

    /// Extends or implements something of a library, whose own supertypes are not known here.
    fn is_known_to_libraries(&self, class: &str) -> bool {
        let foreign = |name: &&str| !self.classes.contains_key(*name) && *name != "java/lang/Object";
        self.ancestors.get(class).is_some_and(|ancestors| ancestors.iter().any(foreign))
    }

    /// Binary names of the classes that have a name, and of what each extends or implements: classes of the program, and
    /// exceptions of libraries.
    pub(crate) fn hierarchy(&self) -> Vec<(String, Vec<String>)> {
        let is_thrown =
            |name: &str| ["Exception", "Error", "Throwable"].iter().any(|ending| name.ends_with(ending));
        let mut all = Vec::new();
        for (name, classes) in &self.classes {
            let parents = classes.iter().flat_map(|class| &class.supertypes);
            let known: BTreeSet<String> = parents
                .filter(|parent| self.classes.contains_key(parent.as_str()) || is_thrown(parent))
                .map(|parent| parent.replace('/', "."))
                .collect();
            if !known.is_empty() && without_anonymous(name) == *name {
                all.push((name.replace('/', "."), known.into_iter().collect()));
            }
        }
        all.sort();
        all
    }

    /// How many calls lie between each method and the change.
    pub(crate) fn distances(&self, changed: &ChangedCode) -> Distances {
        let mut search = Search::default();
        for class in self.classes.values().flatten() {
            for method in &class.methods {
                if changed.methods.contains(&(class.name.clone(), method.method.clone())) {
                    search.visit((&class.name, &method.method), 0);
                }
            }
        }
        for (owner, field) in &changed.fields {
            for reader in self.readers.get(&(owner.as_str(), field.as_str())).into_iter().flatten() {
                search.visit(*reader, 1);
            }
        }
        while let Some(place) = search.queue.pop_front() {
            let next = search.distances[&place] + 1;
            if next <= MAX_DISTANCE {
                self.callers_of(place).into_iter().for_each(|caller| search.visit(caller, next));
            }
        }
        let mut distances = Distances { methods: BTreeMap::new(), fields: changed.fields.clone() };
        for ((class, method), distance) in search.distances {
            let key = (method.name.clone(), method.descriptor.clone());
            distances.methods.entry(key).or_default().insert(class.to_owned(), distance);
        }
        distances
    }

    fn callers_of(&self, (class, method): Place<'a>) -> Vec<Place<'a>> {
        let named = |name: &'a str, descriptor: &'a str| {
            self.callers.get(&(name, descriptor)).into_iter().flatten().copied()
        };
        if method.name == "<clinit>" {
            let own = self.classes.get(class).into_iter().flatten();
            return own
                .flat_map(|class| class.methods.iter().map(|method| (class.name.as_str(), &method.method)))
                .collect();
        }
        let is_constructor = method.name == "<init>";
        let mut callers: Vec<Place<'a>> = named(&method.name, &method.descriptor)
            .filter(|(owner, _)| *owner == class || !is_constructor && self.is_related(owner, class))
            .map(|(_, caller)| caller)
            .collect();
        if !is_constructor && self.is_known_to_libraries(class) {
            let own = self.classes.get(class).into_iter().flatten().flat_map(|class| &class.methods);
            for constructor in own.filter(|each| each.method.name == "<init>") {
                let made = named("<init>", &constructor.method.descriptor);
                callers.extend(made.filter(|(owner, _)| *owner == class).map(|(_, caller)| caller));
            }
        }
        callers
    }
}

/// The class itself, or the one around it that has a name.
pub(crate) fn without_anonymous(class: &str) -> &str {
    let numbered = class
        .match_indices('$')
        .find(|(at, _)| class[at + 1..].starts_with(|first: char| first.is_ascii_digit()));
    numbered.map_or(class, |(at, _)| &class[..at])
}

#[derive(Default)]
struct Search<'a> {
    distances: BTreeMap<Place<'a>, u32>,
    queue: VecDeque<Place<'a>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, place: Place<'a>, distance: u32) {
        // Seeds may come at 0 and at 1; those at 0 come first, so the queue stays in order.
        self.distances.entry(place).or_insert_with(|| {
            self.queue.push_back(place);
            distance
        });
    }
}

/// How many calls lie between methods and the change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Distances {
    /// By name and descriptor, then by internal name of the class.
    methods: BTreeMap<(String, String), BTreeMap<String, u32>>,
    fields: BTreeSet<(String, String)>,
}

impl Distances {
    /// Binary names of the classes from which the change can be reached, nearest first.
    pub(crate) fn classes(&self) -> Vec<String> {
        let mut nearest: BTreeMap<&str, u32> = BTreeMap::new();
        for (class, distance) in self.methods.values().flatten() {
            let known = nearest.entry(class).or_insert(*distance);
            *known = (*known).min(*distance);
        }
        let mut sorted: Vec<(u32, &str)> = nearest.into_iter().map(|(class, near)| (near, class)).collect();
        sorted.sort_unstable();
        sorted.into_iter().map(|(_, class)| class.replace('/', ".")).collect()
    }

    /// What of a catalog leads to the change, nearest first.
    pub(crate) fn targets(&self, graph: &CallGraph<'_>, catalog: &Catalog) -> Vec<Target> {
        let mut targets: Vec<Target> = (0..)
            .zip(&catalog.callables)
            .filter_map(|(callable, each)| {
                let owner = each.owner.replace('.', "/");
                let distance = match each.kind {
                    CallableKind::Constructor => {
                        self.nearest(&each.name, &each.descriptor, |class| class == owner)
                    }
                    CallableKind::Method | CallableKind::StaticMethod => {
                        self.nearest(&each.name, &each.descriptor, |class| graph.is_related(&owner, class))
                    }
                    CallableKind::FieldGet | CallableKind::StaticGet => {
                        self.fields.contains(&(owner, each.name.clone())).then_some(0)
                    }
                    CallableKind::FieldSet | CallableKind::StaticSet => None,
                };
                distance.map(|distance| Target { distance, callable })
            })
            .collect();
        targets.sort_unstable();
        targets
    }

    fn nearest(&self, name: &str, descriptor: &str, wanted: impl Fn(&str) -> bool) -> Option<u32> {
        let key = (name.to_owned(), descriptor.to_owned());
        let classes = self.methods.get(&key).into_iter().flatten();
        classes.filter(|(class, _)| wanted(class)).map(|(_, distance)| *distance).min()
    }
}
