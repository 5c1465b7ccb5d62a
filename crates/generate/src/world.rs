//! A catalog and what is known of it, indexed: what makes a type, what can be called on it, what leads to the change.

use bonafix_model::{
    Callable, CallableFacts, CallableId, CallableKind, Catalog, Knowledge, Literal, ParameterFacts, Sequence,
    Slot, Step, Visibility,
};

use crate::chance::Weighted;
use crate::literals::Pools;
use crate::types::{Shape, TypeId, Types};

/// More than anything that can be made costs.
const NEVER: u32 = 1_000;

/// Its answers, and the stub itself.
const COST_OF_STUB: u32 = 3;

/// A callable in terms of type numbers.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) kind: CallableKind,
    pub(crate) owner: TypeId,
    pub(crate) parameters: Vec<TypeId>,
    pub(crate) result: TypeId,
    pub(crate) visibility: Visibility,
    /// Steps that it takes at least.
    pub(crate) cost: u32,
    /// Compares an object to another one, which should be of its type.
    pub(crate) is_equals: bool,
    /// What it makes is another each time.
    wavers: bool,
    /// Reckons with numbers of any size: a place or power that is far out takes seconds, and nobody means it.
    pub(crate) is_unbounded: bool,
}

impl Member {
    pub(crate) fn needs_receiver(&self) -> bool {
        matches!(self.kind, CallableKind::Method | CallableKind::FieldGet | CallableKind::FieldSet)
    }
}

/// Does it take a place or a power, besides the number itself?
fn is_unbounded(callable: &Callable) -> bool {
    let takes_value_alone = callable.name == "<init>" && callable.parameters == ["int"];
    callable.owner.starts_with("java.math.") && !takes_value_alone
}

/// Does it read the clock, or draw a number? An input that does so differs from itself.
fn wavers(callable: &Callable) -> bool {
    let parameters = &callable.parameters;
    match (callable.owner.as_str(), callable.name.as_str()) {
        ("java.util.Date" | "java.util.Random" | "java.lang.Object", "<init>") => parameters.is_empty(),
        ("java.util.GregorianCalendar", "<init>") => !parameters.iter().any(|name| name == "int"),
        ("java.util.Calendar", "getInstance")
        | ("java.util.UUID", "randomUUID")
        | ("java.lang.Math", "random")
        | ("java.lang.System", _) => true,
        (owner, "now") => owner.starts_with("java.time."),
        _ => false,
    }
}

/// How a collection or a map of the library is filled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Container {
    pub(crate) made: TypeId,
    pub(crate) constructor: CallableId,
    /// Takes an element, or a key and a value.
    pub(crate) add: CallableId,
}

/// All that sequences are made from.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub(crate) types: Types,
    pub(crate) members: Vec<Member>,
    facts: Vec<Option<&'a CallableFacts>>,
    pub(crate) pools: Pools,
    /// By type: what makes one.
    makers: Vec<Weighted<CallableId>>,
    /// By type: what makes one with the least effort.
    cheapest: Vec<Option<CallableId>>,
    /// By type: an abstract class of which nothing makes one, so that a stub must stand for it.
    only_stubs: Vec<bool>,
    /// By erased type: what can be called on it and may change it.
    methods: Vec<Vec<CallableId>>,
    /// By erased type: what looks at it.
    observers: Vec<Vec<CallableId>>,
    /// By erased type: what can be called on it and takes something, as a test might do it.
    fillers: Vec<Vec<CallableId>>,
    /// What type variables and `Object` stand for, by what tests pass for them.
    pub(crate) themes: Weighted<TypeId>,
    /// Tests pass objects of the program where anything could be passed.
    pub(crate) objects_are_passed: bool,
    containers: Vec<Container>,
    /// Makes a list from an array.
    pub(crate) as_list: Option<CallableId>,
    pub(crate) targets: Weighted<CallableId>,
    is_target: Vec<bool>,
    /// Tests show a parameter whose lists are always sorted, or never have an element twice.
    pub(crate) has_orderly_lists: bool,
    /// By callable: how often it ran, and how often it threw or made nothing of use.
    trouble: Vec<(u32, u32)>,
    /// Types of the program that can be made.
    pub(crate) subjects: Vec<TypeId>,
}

impl<'a> World<'a> {
    pub(crate) fn new(catalog: &Catalog, knowledge: &'a Knowledge, kept: &[Sequence]) -> Self {
        let seeds = knowledge.seeds.iter().map(|seed| &seed.sequence);
        let types = Types::new(catalog, seeds.chain(kept));
        let members: Vec<Member> = catalog
            .callables
            .iter()
            .map(|callable| Member {
                kind: callable.kind,
                owner: types.named(&callable.owner),
                parameters: callable.parameters.iter().map(|name| types.named(name)).collect(),
                result: types.named(&callable.result),
                visibility: callable.visibility,
                cost: NEVER,
                is_equals: callable.name == "equals" && callable.parameters == ["java.lang.Object"],
                wavers: wavers(callable),
                is_unbounded: is_unbounded(callable),
            })
            .collect();
        let mut facts = vec![None; members.len()];
        for (callable, known) in &knowledge.facts {
            if let Some(entry) = facts.get_mut(*callable as usize) {
                *entry = Some(known);
            }
        }
        let mut world = Self {
            pools: Pools::new(knowledge, catalog),
            makers: Vec::new(),
            cheapest: vec![None; types.len()],
            only_stubs: vec![false; types.len()],
            methods: vec![Vec::new(); types.len()],
            observers: vec![Vec::new(); types.len()],
            fillers: vec![Vec::new(); types.len()],
            themes: Weighted::default(),
            objects_are_passed: false,
            containers: Vec::new(),
            as_list: find_as_list(catalog),
            targets: Weighted::default(),
            is_target: vec![false; members.len()],
            has_orderly_lists: knowledge
                .facts
                .values()
                .flat_map(|facts| &facts.parameters)
                .any(|facts| facts.lists > 0 && !(facts.unsorted && facts.repeated)),
            trouble: vec![(0, 0); members.len()],
            subjects: Vec::new(),
            types,
            members,
            facts,
        };
        world.index_makers();
        world.index_methods(catalog);
        world.index_containers(catalog);
        world.index_targets(knowledge);
        world.index_themes(knowledge);
        world
    }

    pub(crate) fn member(&self, callable: CallableId) -> &Member {
        &self.members[callable as usize]
    }

    pub(crate) fn facts(&self, callable: CallableId) -> Option<&'a CallableFacts> {
        self.facts.get(callable as usize).copied().flatten()
    }

    pub(crate) fn parameter_facts(&self, callable: CallableId, place: usize) -> Option<&'a ParameterFacts> {
        self.facts(callable)?.parameters.get(place)
    }

    pub(crate) fn makers(&self, wanted: TypeId) -> &Weighted<CallableId> {
        &self.makers[wanted as usize]
    }

    pub(crate) fn cheapest(&self, wanted: TypeId) -> Option<CallableId> {
        self.cheapest[wanted as usize]
    }

    /// Can nothing but a stub stand for it, an abstract class?
    pub(crate) fn needs_stub(&self, wanted: TypeId) -> bool {
        self.only_stubs[wanted as usize]
    }

    pub(crate) fn methods(&self, of: TypeId) -> &[CallableId] {
        &self.methods[self.types.get(of).erased as usize]
    }

    pub(crate) fn observers(&self, of: TypeId) -> &[CallableId] {
        &self.observers[self.types.get(of).erased as usize]
    }

    pub(crate) fn fillers(&self, of: TypeId) -> &[CallableId] {
        &self.fillers[self.types.get(of).erased as usize]
    }

    /// Does it take numbers and strings as well as anything else: `Object`, `Comparable`?
    pub(crate) fn is_open(&self, wanted: TypeId) -> bool {
        let entry = self.types.get(wanted);
        match entry.shape {
            Shape::Object => true,
            Shape::Reference => {
                !entry.is_subject
                    && self.types.fits(self.types.text, wanted)
                    && self.types.fits(self.types.integer, wanted)
            }
            _ => false,
        }
    }

    pub(crate) fn containers(&self, wanted: TypeId) -> impl Iterator<Item = Container> + '_ {
        self.containers.iter().copied().filter(move |container| self.types.could_fit(container.made, wanted))
    }

    pub(crate) fn is_target(&self, callable: CallableId) -> bool {
        self.is_target.get(callable as usize).copied().unwrap_or_default()
    }

    /// What fills the collection that a constructor makes.
    pub(crate) fn filled_by(&self, constructor: CallableId) -> Option<CallableId> {
        self.containers
            .iter()
            .find(|container| container.constructor == constructor)
            .map(|container| container.add)
    }

    /// Does it fill a collection of the library?
    pub(crate) fn fills(&self, callable: CallableId) -> bool {
        self.containers.iter().any(|container| container.add == callable)
    }

    /// Takes down that a callable ran, and whether that was of use.
    pub(crate) fn note_run(&mut self, callable: CallableId, in_vain: bool) {
        if let Some((ran, failed)) = self.trouble.get_mut(callable as usize) {
            *ran += 1;
            *failed += u32::from(in_vain);
            if *ran > 1_000 {
                *ran /= 2;
                *failed /= 2;
            }
        }
    }

    /// No longer calls what one of the versions has not: nothing is to be learnt from it.
    pub(crate) fn forget(&mut self, callable: CallableId) {
        self.targets.retain(|target| target != callable);
        for makers in &mut self.makers {
            if makers.items().contains(&callable) {
                makers.retain(|maker| maker != callable);
            }
        }
        for known in self.methods.iter_mut().chain(&mut self.observers) {
            known.retain(|method| *method != callable);
        }
    }

    /// Has it nearly always thrown?
    pub(crate) fn mostly_fails(&self, callable: CallableId) -> bool {
        self.trouble.get(callable as usize).is_some_and(|(ran, failed)| *ran >= 20 && failed * 10 > ran * 8)
    }

    /// A public one, or one that a test calls all the same.
    pub(crate) fn is_ordinary(&self, callable: CallableId) -> bool {
        self.member(callable).visibility == Visibility::Public
            || self.facts(callable).is_some_and(|facts| facts.tested)
    }

    fn index_makers(&mut self) {
        let mut by_supertype: Vec<Vec<CallableId>> = vec![Vec::new(); self.types.len()];
        for (member, id) in self.members.iter().zip(0..) {
            if matches!(member.kind, CallableKind::FieldSet | CallableKind::StaticSet) || member.wavers {
                continue;
            }
            for supertype in self.types.supertypes(member.result) {
                by_supertype[*supertype as usize].push(id);
            }
        }
        let candidates: Vec<Vec<CallableId>> = (0..)
            .take(self.types.len())
            .map(|wanted: TypeId| {
                let entry = self.types.get(wanted);
                if entry.shape == Shape::Object {
                    return Vec::new();
                }
                let all = &by_supertype[entry.erased as usize];
                let fits = |id: &CallableId| self.types.could_fit(self.member(*id).result, wanted);
                all.iter().copied().filter(fits).collect()
            })
            .collect();
        self.estimate_costs(&candidates);
        self.makers = candidates
            .iter()
            .map(|candidates| {
                let mut makers = Weighted::default();
                for id in candidates {
                    makers.push(*id, self.maker_weight(*id));
                }
                makers
            })
            .collect();
        self.subjects = (0..)
            .take(self.types.len())
            .filter(|id: &TypeId| {
                self.types.get(*id).is_subject
                    && self.cheapest(*id).is_some_and(|maker| self.member(maker).cost < NEVER)
            })
            .collect();
    }

    /// The least number of steps for each callable and each type, until none falls any more.
    fn estimate_costs(&mut self, candidates: &[Vec<CallableId>]) {
        let mut of_type: Vec<u32> = (0..)
            .take(self.types.len())
            .map(|id: TypeId| {
                let entry = self.types.get(id);
                match entry.shape {
                    Shape::Reference if entry.is_interface => COST_OF_STUB,
                    Shape::Reference | Shape::Void => NEVER,
                    _ => 1,
                }
            })
            .collect();
        self.settle_costs(&mut of_type, candidates);
        for (id, cost) in (0..).zip(&mut of_type) {
            if *cost == NEVER && self.types.get(id).left_open.is_some() {
                self.only_stubs[id as usize] = true;
                *cost = COST_OF_STUB;
            }
        }
        if self.only_stubs.contains(&true) {
            self.settle_costs(&mut of_type, candidates);
        }
    }

    fn settle_costs(&mut self, of_type: &mut [u32], candidates: &[Vec<CallableId>]) {
        for _ in 0..20 {
            let mut fell = false;
            for member in &mut self.members {
                let receiver = if member.needs_receiver() { of_type[member.owner as usize] } else { 0 };
                let arguments: u32 =
                    member.parameters.iter().map(|parameter| of_type[*parameter as usize]).sum();
                let cost = (1 + receiver + arguments).min(NEVER);
                fell |= cost < member.cost;
                member.cost = cost.min(member.cost);
            }
            for (wanted, candidates) in candidates.iter().enumerate() {
                let best = candidates.iter().copied().min_by_key(|id| self.members[*id as usize].cost);
                if let Some(best) = best.filter(|id| self.members[*id as usize].cost < NEVER) {
                    self.cheapest[wanted] = Some(best);
                    of_type[wanted] = of_type[wanted].min(self.members[best as usize].cost);
                }
            }
            if !fell {
                return;
            }
        }
    }

    fn maker_weight(&self, id: CallableId) -> f64 {
        let member = self.member(id);
        if member.cost >= NEVER {
            return 0.0;
        }
        let base = match member.kind {
            CallableKind::Constructor => 4.0,
            CallableKind::StaticGet => 3.0,
            CallableKind::StaticMethod => 2.5,
            _ => 0.4,
        };
        let ordinary = if self.is_ordinary(id) { 1.0 } else { 0.2 };
        let tested = if self.facts(id).is_some_and(|facts| facts.tested) { 3.0 } else { 1.0 };
        base * ordinary * tested / f64::from(member.cost).sqrt()
    }

    fn index_methods(&mut self, catalog: &Catalog) {
        const LEFT_ALONE: [&str; 8] =
            ["wait", "notify", "notifyAll", "finalize", "getClass", "hashCode", "iterator", "stream"];
        let mut of_owner: Vec<Vec<CallableId>> = vec![Vec::new(); self.types.len()];
        for (id, member) in (0..).zip(&self.members) {
            let name = catalog.callables[id as usize].name.as_str();
            if member.needs_receiver() && !LEFT_ALONE.contains(&name) && member.cost < NEVER {
                of_owner[self.types.get(member.owner).erased as usize].push(id);
            }
        }
        for id in (0..).take(self.types.len()) {
            if self.types.get(id).erased != id {
                continue;
            }
            for supertype in self.types.supertypes(id) {
                for callable in &of_owner[*supertype as usize] {
                    let member = &self.members[*callable as usize];
                    let looks =
                        member.parameters.is_empty() && self.types.get(member.result).shape != Shape::Void;
                    if looks && self.is_ordinary(*callable) {
                        self.observers[id as usize].push(*callable);
                    }
                    if member.kind != CallableKind::FieldGet {
                        self.methods[id as usize].push(*callable);
                    }
                    let fills = member.kind == CallableKind::Method
                        && !member.parameters.is_empty()
                        && !member.is_equals;
                    if fills && self.is_ordinary(*callable) {
                        self.fillers[id as usize].push(*callable);
                    }
                }
            }
        }
    }

    fn index_containers(&mut self, catalog: &Catalog) {
        for (constructor, id) in catalog.callables.iter().zip(0..) {
            let library = !self.types.get(self.members[id as usize].owner).is_subject;
            if constructor.kind != CallableKind::Constructor || !constructor.parameters.is_empty() || !library
            {
                continue;
            }
            let add = catalog.callables.iter().zip(0..).find(|(callable, _)| {
                callable.owner == constructor.owner
                    && callable.kind == CallableKind::Method
                    && matches!(
                        (callable.name.as_str(), callable.parameters.len()),
                        ("add", 1) | ("put" | "setProperty", 2)
                    )
            });
            if let Some((_, add)) = add {
                self.containers.push(Container {
                    made: self.members[id as usize].owner,
                    constructor: id,
                    add,
                });
            }
        }
    }

    fn index_themes(&mut self, knowledge: &Knowledge) {
        let names = [("java.lang.String", 5.0), ("java.lang.Integer", 4.0), ("java.lang.Long", 0.3)];
        let themes: Vec<(TypeId, f64)> = names
            .iter()
            .chain([&("java.lang.Double", 0.3)])
            .filter_map(|(name, weight)| self.types.find(name).map(|id| (id, *weight)))
            .collect();
        let mut passed = vec![0_u32; themes.len()];
        for seed in &knowledge.seeds {
            for given in self.given_for_open(&seed.sequence) {
                let shape = self.types.get(given).shape;
                self.objects_are_passed |= self.types.get(given).is_subject;
                let theme = themes.iter().position(|(id, _)| self.types.get(*id).shape == shape);
                if let Some(theme) = theme {
                    passed[theme] += 1;
                }
            }
        }
        for ((id, weight), passed) in themes.into_iter().zip(passed) {
            self.themes.push(id, weight * if passed > 0 { 4.0 } else { 1.0 });
        }
    }

    /// Types of the values that a sequence passes where anything could be passed.
    fn given_for_open(&self, sequence: &Sequence) -> Vec<TypeId> {
        let given = |slot: &Slot| match sequence.steps.get(*slot as usize) {
            Some(Step::Constant { value: Literal::Null, .. }) | None => None,
            Some(Step::Constant { type_name, .. }) => Some(self.types.named(type_name)),
            Some(Step::Call { callable, .. }) => {
                self.members.get(*callable as usize).map(|member| member.result)
            }
            Some(_) => None,
        };
        let mut found = Vec::new();
        for step in &sequence.steps {
            match step {
                Step::Call { callable, arguments, .. } if (*callable as usize) < self.members.len() => {
                    let member = self.member(*callable);
                    let open = arguments.iter().zip(&member.parameters);
                    let open = open.filter(|(_, parameter)| !member.is_equals && self.is_open(**parameter));
                    found.extend(open.filter_map(|(argument, _)| given(argument)));
                }
                Step::Array { element, items } if self.is_open(self.types.named(element)) => {
                    found.extend(items.iter().filter_map(given));
                }
                _ => {}
            }
        }
        found
    }

    fn index_targets(&mut self, knowledge: &Knowledge) {
        let mut targets = Weighted::default();
        for target in &knowledge.targets {
            if target.callable as usize >= self.members.len() || self.member(target.callable).cost >= NEVER {
                continue;
            }
            self.is_target[target.callable as usize] = true;
            let near = 1.0 / f64::from(1 + target.distance).powf(1.5);
            let ordinary = if self.is_ordinary(target.callable) { 1.0 } else { 0.15 };
            let tested =
                if self.facts(target.callable).is_some_and(|facts| facts.tested) { 2.0 } else { 1.0 };
            targets.push(target.callable, near * ordinary * tested);
        }
        self.targets = targets;
    }
}

fn find_as_list(catalog: &Catalog) -> Option<CallableId> {
    let found = catalog
        .callables
        .iter()
        .zip(0..)
        .find(|(callable, _)| callable.owner == "java.util.Arrays" && callable.name == "asList");
    found.map(|(_, id)| id)
}
