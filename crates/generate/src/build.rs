//! Makes values of any type at the end of a sequence, and whole sequences that lead to the change.

use bonafix_model::{CallableId, CallableKind, Literal, Sequence, Slot, Step};

use crate::chance::Chance;
use crate::draft::{Draft, MAX_STEPS};
use crate::literals::Manner;
use crate::palette::Palette;
use crate::types::{Shape, TypeId};
use crate::world::World;

/// Objects are not nested deeper than this; from here on the cheapest way is taken.
const MAX_DEPTH: u32 = 4;

/// A draft that grows.
pub(crate) struct Builder<'b, 'w> {
    pub(crate) world: &'b World<'w>,
    pub(crate) chance: &'b mut Chance,
    pub(crate) draft: Draft,
    /// Steps that it may have.
    limit: usize,
    /// Values that it passes again and again.
    palette: Palette,
}

/// A sequence that calls something which leads to the change; none if there is no such thing.
pub(crate) fn random(world: &World<'_>, chance: &mut Chance) -> Option<Sequence> {
    for _ in 0..8 {
        let target = world.targets.pick(chance)?;
        let mut builder = Builder::new(world, chance, Draft::default(), MAX_STEPS);
        if builder.scenario(target).is_some() {
            return Some(builder.draft.without_dead_steps());
        }
    }
    None
}

impl<'b, 'w> Builder<'b, 'w> {
    pub(crate) fn new(world: &'b World<'w>, chance: &'b mut Chance, draft: Draft, limit: usize) -> Self {
        let palette = Palette::new(chance);
        Self { world, chance, draft, limit, palette }
    }

    /// A receiver, calls that change it, the target, and calls that look at what it did.
    fn scenario(&mut self, target: CallableId) -> Option<()> {
        let member = self.world.member(target);
        let mut receiver = None;
        if member.needs_receiver() {
            let made = self.receiver(member.owner)?;
            match self.chance.below(100) {
                0..30 => {
                    for _ in 0..=self.chance.below(5) {
                        self.call_on(made);
                    }
                }
                30..65 => self.build_up(made),
                _ => {}
            }
            receiver = Some(made);
        }
        let result = self.call(target, receiver, None, 0)?;
        let looked_at = receiver.or((member.kind == CallableKind::Constructor).then_some(result));
        let again = if self.chance.percent(25) { 1 + self.chance.below(2) } else { 0 };
        for _ in 0..again {
            self.call(target, receiver, None, 1);
        }
        if let Some(slot) = looked_at {
            for _ in 0..self.chance.below(3) {
                if self.chance.percent(60) {
                    self.observe(slot)
                } else {
                    self.call_on(slot)
                };
            }
        }
        Some(())
    }

    pub(crate) fn is_full(&self) -> bool {
        self.draft.len() >= self.limit
    }

    /// An object to call something on.
    pub(crate) fn receiver(&mut self, owner: TypeId) -> Option<Slot> {
        let made = self.make(owner, Manner::FIRM, 0)?;
        (!self.draft.is_null(made)).then_some(made)
    }

    /// Calls something that may change the object.
    pub(crate) fn call_on(&mut self, receiver: Slot) -> Option<Slot> {
        let methods = self.world.methods(self.draft.type_of(receiver));
        for _ in 0..4 {
            let method = *self.chance.pick(methods)?;
            let idle = self.world.member(method).parameters.is_empty()
                && self.world.types.get(self.world.member(method).result).shape != Shape::Void;
            let in_vain =
                idle && self.chance.percent(60) || self.world.mostly_fails(method) && self.chance.percent(85);
            if self.world.is_ordinary(method) && !in_vain {
                return self.call(method, Some(receiver), None, 1);
            }
        }
        None
    }

    /// Fills the object: one or two methods that take something, called several times.
    fn build_up(&mut self, receiver: Slot) {
        let world = self.world;
        let fillers = world.fillers(self.draft.type_of(receiver));
        let (Some(one), Some(other)) =
            (self.chance.pick(fillers).copied(), self.chance.pick(fillers).copied())
        else {
            return;
        };
        // The calls that come after it need room as well.
        let room = self.limit * 3 / 4;
        for _ in 0..2 + self.chance.below(7) {
            let filler = if self.chance.percent(75) { one } else { other };
            let in_vain = world.mostly_fails(filler) && self.chance.percent(85);
            if self.draft.len() >= room || in_vain {
                return;
            }
            self.call(filler, Some(receiver), None, 1);
        }
        if self.chance.percent(30) {
            self.call_on(receiver);
        }
    }

    /// Calls something that looks at the object.
    pub(crate) fn observe(&mut self, of: Slot) -> Option<Slot> {
        let observers = self.world.observers(self.draft.type_of(of));
        let observer = *self.chance.pick(observers)?;
        self.call(observer, Some(of), None, 1)
    }

    /// Calls it on the receiver, or on one that is made. `wanted` says what the result is to be.
    pub(crate) fn call(
        &mut self,
        callable: CallableId,
        receiver: Option<Slot>,
        wanted: Option<TypeId>,
        depth: u32,
    ) -> Option<Slot> {
        if self.is_full() {
            return None;
        }
        let world = self.world;
        let member = world.member(callable);
        let receiver = match receiver {
            _ if !member.needs_receiver() => None,
            Some(receiver) => Some(receiver),
            None => Some(self.make(self.specialise(member.owner, wanted), Manner::FIRM, depth + 1)?),
        };
        // A list takes what it was made for.
        let wanted_inside =
            wanted.or(receiver.filter(|_| world.fills(callable)).map(|slot| self.draft.type_of(slot)));
        let mut arguments = Vec::with_capacity(member.parameters.len());
        for (place, parameter) in member.parameters.iter().enumerate() {
            let manner = Manner::of(world.parameter_facts(callable, place), self.chance);
            let parameter = if member.is_equals && self.chance.percent(85) {
                member.owner
            } else {
                self.specialise(*parameter, wanted_inside)
            };
            let argument = self.make(parameter, manner, depth + 1)?;
            arguments.push(argument);
        }
        let slot = self.draft.push(world, Step::Call { callable, receiver, arguments, caught: false });
        if let Some(wanted) = wanted {
            self.draft.types[slot as usize] = wanted;
        }
        Some(slot)
    }

    /// What a type variable, which the catalog shows as `Object`, stands for if the result is to be `wanted`.
    fn specialise(&self, parameter: TypeId, wanted: Option<TypeId>) -> TypeId {
        let types = &self.world.types;
        let Some(wanted) = wanted else { return parameter };
        let [argument] = types.get(wanted).arguments[..] else { return parameter };
        if argument == types.object {
            return parameter;
        }
        let entry = types.get(parameter);
        match entry.shape {
            Shape::Object => argument,
            Shape::Array(element) if element == types.object => types.array_of(argument),
            Shape::Reference if entry.arguments.len() <= 1 && !entry.is_subject => {
                let raw = &types.get(entry.erased).name;
                types.find(&format!("{raw}<{}>", types.get(argument).name)).unwrap_or(parameter)
            }
            _ => parameter,
        }
    }

    /// A value of the type, made or found.
    pub(crate) fn make(&mut self, wanted: TypeId, manner: Manner, depth: u32) -> Option<Slot> {
        let world = self.world;
        let entry = world.types.get(wanted);
        if entry.shape == Shape::Void {
            return None;
        }
        if !entry.primitive && self.chance.percent(manner.null) {
            return Some(self.draft.constant(world, wanted, Literal::Null));
        }
        let reuse = if self.is_full() {
            100
        } else if entry.shape == Shape::Text {
            // Texts are names of things more often than not, and a thing is spoken of more than once.
            30
        } else if entry.shape.is_literal() || world.is_open(wanted) {
            8
        } else {
            25
        };
        if self.chance.percent(reuse)
            && let Some(slot) = self.reuse(wanted, manner)
        {
            return Some(slot);
        }
        if self.is_full() {
            return None;
        }
        match entry.shape {
            Shape::Object => self.make_object(manner, depth),
            Shape::Array(element) => self.make_array(element, manner, depth),
            Shape::Reference => self.make_reference(wanted, manner, depth),
            shape => self.make_literal(wanted, shape, manner, depth),
        }
    }

    fn make_literal(&mut self, wanted: TypeId, shape: Shape, manner: Manner, depth: u32) -> Option<Slot> {
        let world = self.world;
        if depth < 2 && self.chance.percent(4) {
            let maker = world.makers(wanted).pick(self.chance);
            let made = maker
                .filter(|maker| world.types.get(world.member(*maker).owner).is_subject)
                .and_then(|maker| self.call(maker, None, None, depth + 1));
            if made.is_some() {
                return made;
            }
        }
        if shape == Shape::Class
            && let Some(value) = self.fitting_class(wanted)
        {
            return Some(self.draft.constant(world, wanted, value));
        }
        if let Some(value) = self.palette.constant(world, &self.draft, shape, manner, self.chance) {
            return Some(self.place(wanted, value));
        }
        let value = world.pools.literal(shape, manner, self.chance)?;
        Some(self.draft.constant(world, wanted, value))
    }

    /// A slot with this constant: one that is there, mostly.
    fn place(&mut self, wanted: TypeId, value: Literal) -> Slot {
        let known = if self.chance.percent(80) {
            self.draft.steps.iter().zip(&self.draft.types).position(|(step, id)| {
                *id == wanted && matches!(step, Step::Constant { value: known, .. } if *known == value)
            })
        } else {
            None
        };
        known.map_or_else(|| self.draft.constant(self.world, wanted, value), crate::draft::slot)
    }

    /// A class that the type argument of `Class` allows.
    fn fitting_class(&mut self, wanted: TypeId) -> Option<Literal> {
        let types = &self.world.types;
        let bound = *types.get(wanted).arguments.first()?;
        if bound == types.object {
            return None;
        }
        let fits = |id: &&TypeId| types.fits(**id, bound);
        let fitting: Vec<TypeId> = self.world.subjects.iter().filter(fits).copied().collect();
        let chosen = self.chance.pick(&fitting).copied().unwrap_or(bound);
        Some(Literal::Class(types.get(types.get(chosen).erased).name.clone()))
    }

    /// A slot of the draft that fits.
    pub(crate) fn reuse(&mut self, wanted: TypeId, manner: Manner) -> Option<Slot> {
        let count = self.draft.len();
        let start = self.chance.below(count);
        // Where anything fits, hardly anything but a number or a string makes sense.
        let only_values = self.world.is_open(wanted) && !self.any_object();
        (0..count).map(|offset| (start + offset) % count).find_map(|index| {
            let fits = self.world.types.fits(self.draft.types[index], wanted)
                && (!only_values || self.world.types.get(self.draft.types[index]).shape.is_literal())
                && match &self.draft.steps[index] {
                    Step::Constant { value, .. } => manner.allows(value),
                    _ => true,
                };
            fits.then(|| crate::draft::slot(index))
        })
    }

    /// What stands for a type variable in this sequence.
    fn favourite(&mut self) -> TypeId {
        self.palette.theme(self.world, &self.draft, self.chance)
    }

    /// A value for a type variable, one of the few that the sequence passes mostly.
    fn make_themed(&mut self, theme: TypeId, manner: Manner, depth: u32) -> Option<Slot> {
        let shape = self.world.types.get(theme).shape;
        match self.palette.value(self.world, &self.draft, shape, manner, self.chance) {
            Some(value) => Some(self.place(theme, value)),
            None => self.make(theme, manner, depth + 1),
        }
    }

    /// Is any object to be passed where anything fits? Rarely, where tests do not: most objects are equal to themselves
    /// only, and say nothing of themselves but where they lie.
    fn any_object(&mut self) -> bool {
        let share = if self.world.objects_are_passed { 100 } else { 4 };
        self.chance.below(1_000) < share
    }

    fn make_object(&mut self, manner: Manner, depth: u32) -> Option<Slot> {
        let world = self.world;
        let manner = Manner { null: 0, ..manner };
        let wanted = if depth < MAX_DEPTH && self.any_object() {
            self.chance.pick(&world.subjects).copied()
        } else if self.chance.percent(3) {
            world.themes.pick(self.chance)
        } else {
            None
        };
        if let Some(wanted) = wanted {
            return self.make(wanted, manner, depth + 1);
        }
        let theme = self.favourite();
        self.make_themed(theme, manner, depth)
    }

    fn make_array(&mut self, element: TypeId, manner: Manner, depth: u32) -> Option<Slot> {
        let items = self.elements(element, None, manner, depth)?;
        Some(self.push_array(element, items))
    }

    fn push_array(&mut self, element: TypeId, items: Vec<Slot>) -> Slot {
        let types = &self.world.types;
        let element = types.get(types.get(element).erased).name.clone();
        self.draft.push(self.world, Step::Array { element, items })
    }

    /// Elements of an array or a list, with the order and repetition that is wanted.
    fn elements(
        &mut self,
        element: TypeId,
        count: Option<usize>,
        manner: Manner,
        depth: u32,
    ) -> Option<Vec<Slot>> {
        let least = usize::from(!manner.empty);
        let room = self.limit.saturating_sub(self.draft.len() + 4);
        let longest = if self.world.is_open(element) { 1 + self.chance.below(5) } else { 5 };
        let count = count.unwrap_or_else(|| (least + self.chance.below(longest + 1)).min(room));
        let inside = manner.inside();
        let shape = self.world.types.get(element).shape;
        if shape.is_literal() {
            return Some(self.literal_elements(element, shape, count, manner));
        }
        let world = self.world;
        let mut items = Vec::with_capacity(count);
        // Rows of a matrix are mostly of one length.
        let row = if self.chance.percent(75) {
            Some(if self.chance.bit() { count } else { self.chance.below(4) })
        } else {
            None
        };
        for _ in 0..count {
            let item = match shape {
                Shape::Array(inner) if !self.is_full() => {
                    let row = self.elements(inner, row, inside, depth + 1)?;
                    Some(self.push_array(inner, row))
                }
                // Objects of one list are often the same: nodes of a graph.
                Shape::Reference if self.chance.percent(30) => {
                    self.reuse(element, inside).or_else(|| self.make(element, inside, depth + 1))
                }
                _ => self.make(element, inside, depth + 1),
            };
            match item {
                Some(item) => items.push(item),
                None if world.types.get(element).primitive => return None,
                None => break,
            }
        }
        Some(items)
    }

    fn literal_elements(&mut self, element: TypeId, shape: Shape, count: usize, manner: Manner) -> Vec<Slot> {
        let world = self.world;
        let count = count.min(self.limit.saturating_sub(self.draft.len()));
        let mut values: Vec<Literal> = Vec::with_capacity(count);
        if shape == Shape::Char
            && self.chance.percent(40)
            && let Some(Literal::Text(units)) = world.pools.literal(Shape::Text, manner, self.chance)
        {
            values.extend(units.into_iter().take(12).map(Literal::Char));
        }
        let count = if values.is_empty() { count } else { 0 };
        let small = self.chance.percent(60) && shape.integer_range().is_some();
        let coloured = !world.types.get(element).primitive;
        for _ in 0..count {
            let inside = manner.inside();
            let from_palette = if coloured {
                self.palette.constant(world, &self.draft, shape, inside, self.chance)
            } else {
                None
            };
            let value = if from_palette.is_some() {
                from_palette
            } else if small {
                let least =
                    if manner.negative && self.chance.percent(30) { -5 } else { i64::from(!manner.zero) };
                Some(Literal::Integer(self.chance.between(least, 9)))
            } else {
                world.pools.literal(shape, inside, self.chance)
            };
            values.extend(value);
        }
        if !manner.distinct && values.len() > 1 && self.chance.percent(15) {
            let (from, to) = (self.chance.below(values.len()), self.chance.below(values.len()));
            values[to] = values[from].clone();
        }
        if manner.sorted || self.chance.percent(15) {
            values.sort_by(compare_literals);
        }
        if manner.distinct {
            let mut kept: Vec<Literal> = Vec::with_capacity(values.len());
            for value in values {
                if !kept.contains(&value) {
                    kept.push(value);
                }
            }
            values = kept;
        }
        let primitive = world.types.get(element).primitive;
        values
            .into_iter()
            .map(|value| {
                let null = !primitive && self.chance.percent(manner.null_element);
                self.draft.constant(world, element, if null { Literal::Null } else { value })
            })
            .collect()
    }

    fn make_reference(&mut self, wanted: TypeId, manner: Manner, depth: u32) -> Option<Slot> {
        let world = self.world;
        let entry = world.types.get(wanted);
        if !entry.is_subject {
            if let Some(slot) = self.make_collection(wanted, manner, depth) {
                return Some(slot);
            }
            if let Some(slot) = self.make_value(wanted, manner, depth) {
                return Some(slot);
            }
        }
        let stubs = match (entry.is_interface, world.needs_stub(wanted)) {
            (true, _) => 12,
            // What else makes one, makes it from another.
            (_, true) => 75,
            _ => 0,
        };
        if stubs > 0 && depth < MAX_DEPTH && self.chance.percent(stubs) {
            return self.make_stub(wanted, depth);
        }
        for _ in 0..3 {
            let maker = if depth >= MAX_DEPTH - 1 { None } else { world.makers(wanted).pick(self.chance) };
            let maker = maker.filter(|maker| !world.mostly_fails(*maker) || self.chance.percent(10));
            let maker = maker.or_else(|| world.cheapest(wanted));
            if let Some(maker) = maker
                && depth <= MAX_DEPTH * 2
                && let Some(slot) = self.call(maker, None, Some(wanted), depth + 1)
            {
                return Some(slot);
            }
        }
        if stubs > 0 {
            return self.make_stub(wanted, depth);
        }
        self.reuse(wanted, manner)
    }

    /// A number or a string, where one will do: `Comparable`, `CharSequence`, `Number`.
    fn make_value(&mut self, wanted: TypeId, manner: Manner, depth: u32) -> Option<Slot> {
        let first = self.favourite();
        let types = &self.world.types;
        let plain = |id: &TypeId| types.get(*id).shape.is_literal() && types.fits(*id, wanted);
        // `T extends Comparable<T>` says nothing of what it is compared to.
        let own = types.get(wanted).erased;
        let named = types.get(wanted).arguments.first().copied().filter(|id| types.get(*id).erased != own);
        let candidate = if let Some(argument) = named.filter(|id| *id != types.object) {
            Some(argument).filter(plain)
        } else {
            [first, types.integer, types.text].into_iter().find(plain)
        }?;
        self.make_themed(candidate, manner, depth)
    }

    fn make_collection(&mut self, wanted: TypeId, manner: Manner, depth: u32) -> Option<Slot> {
        let world = self.world;
        let arguments = &world.types.get(wanted).arguments;
        let argument = |place: usize| arguments.get(place).copied().unwrap_or(world.types.object);
        let as_list = world.as_list.filter(|id| world.types.could_fit(world.member(*id).result, wanted));
        let containers = world.containers(wanted).count();
        if containers == 0 && as_list.is_none() || depth > MAX_DEPTH * 2 {
            return None;
        }
        if let Some(as_list) = as_list
            && (containers == 0 || self.chance.bit())
        {
            let element = self.uniform_element(argument(0));
            let items = self.elements(element, None, manner, depth + 1)?;
            let array = self.push_array(element, items);
            let call =
                Step::Call { callable: as_list, receiver: None, arguments: vec![array], caught: false };
            let slot = self.draft.push(world, call);
            self.draft.types[slot as usize] = wanted;
            return Some(slot);
        }
        let container = world.containers(wanted).nth(self.chance.below(containers))?;
        let takes_two = world.member(container.add).parameters.len() == 2;
        let wishes = |place: usize| match world.types.get(world.member(container.add).parameters[place]).shape
        {
            Shape::Object => argument(place),
            _ => world.member(container.add).parameters[place],
        };
        let element = self.uniform_element(wishes(0));
        let value = takes_two.then(|| self.uniform_element(wishes(1)));
        let firm = Manner { null_element: if takes_two { 0 } else { manner.null_element }, ..manner };
        let items = self.elements(element, None, firm, depth + 1)?;
        let made = self.draft.push(
            world,
            Step::Call {
                callable: container.constructor,
                receiver: None,
                arguments: Vec::new(),
                caught: false,
            },
        );
        self.draft.types[made as usize] = wanted;
        for item in items {
            let mut arguments = vec![item];
            if let Some(value) = value {
                arguments.push(self.make(value, manner.inside(), depth + 1)?);
            }
            if self.is_full() {
                break;
            }
            self.draft.push(
                world,
                Step::Call { callable: container.add, receiver: Some(made), arguments, caught: false },
            );
        }
        Some(made)
    }

    /// Elements of any type are of one type all the same, mostly.
    fn uniform_element(&mut self, element: TypeId) -> TypeId {
        if element != self.world.types.object || self.chance.percent(10) { element } else { self.favourite() }
    }

    /// An object that answers calls with values of the types that its methods return.
    fn make_stub(&mut self, wanted: TypeId, depth: u32) -> Option<Slot> {
        let world = self.world;
        let entry = world.types.get(wanted);
        let methods = world.methods(wanted);
        let mut answers = Vec::new();
        for _ in 0..=self.chance.below(3) {
            let result = match &entry.left_open {
                Some(results) => self.chance.pick(results).copied(),
                None => self.chance.pick(methods).map(|method| world.member(*method).result),
            };
            let result = match result {
                Some(result) => result,
                None if entry.left_open.is_some() => break,
                None => entry.arguments.last().copied().unwrap_or(world.types.integer),
            };
            let answer_type = match stub_answer(&entry.name) {
                Some(name) => world.types.find(name).unwrap_or(result),
                None => result,
            };
            if world.types.get(answer_type).shape == Shape::Void || depth >= MAX_DEPTH {
                continue;
            }
            answers.extend(self.make(answer_type, Manner::FIRM, depth + 2));
        }
        if self.is_full() {
            return None;
        }
        let interface = world.types.get(entry.erased).name.clone();
        let slot = self.draft.push(world, Step::Stub { interface, answers });
        self.draft.types[slot as usize] = wanted;
        Some(slot)
    }
}

/// What the one method of well-known interfaces returns, where their type arguments do not say so.
fn stub_answer(name: &str) -> Option<&'static str> {
    let raw = name.split('<').next().unwrap_or(name);
    match raw {
        "java.util.Comparator" => Some("int"),
        _ if raw.starts_with("java.util.function.") && raw.ends_with("Predicate") => Some("boolean"),
        _ if raw.starts_with("java.util.function.ToInt") || raw.starts_with("java.util.function.Int") => {
            Some("int")
        }
        _ if raw.starts_with("java.util.function.ToDouble")
            || raw.starts_with("java.util.function.Double") =>
        {
            Some("double")
        }
        _ => None,
    }
}

/// Ascending, numbers by value.
pub(crate) fn compare_literals(one: &Literal, other: &Literal) -> std::cmp::Ordering {
    match (one, other) {
        (Literal::Double(one), Literal::Double(other)) => {
            f64::from_bits(*one).total_cmp(&f64::from_bits(*other))
        }
        (Literal::Float(one), Literal::Float(other)) => {
            f32::from_bits(*one).total_cmp(&f32::from_bits(*other))
        }
        _ => one.cmp(other),
    }
}
