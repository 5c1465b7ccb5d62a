//! Calls in a test: of the program, of helpers in test classes, of assertions.

use std::collections::BTreeMap;
use std::rc::Rc;

use bonafix_model::{CallableId, CallableKind, Slot, Step};
use tree_sitter::Node;

use super::{Flow, Frame, Function, Interpreter, MAX_INLINED, SeenCall, Value, library};
use crate::knowledge::constant::{Constant, STRING};
use crate::knowledge::types::{ArgumentType, Choice, OBJECT};
use crate::knowledge::unit::{Class, children};

/// The coarsest precision that is taken over from tests.
const COARSEST: f64 = 1e-3;

/// Where a method is looked for.
enum Target<'a> {
    /// A class as written.
    Class(String),
    Value(Value<'a>),
    /// The test itself: helpers, assertions, static imports.
    Own,
    Super,
}

impl<'a> Interpreter<'a> {
    pub(super) fn method_invocation(&mut self, node: Node<'a>) -> Value<'a> {
        let (Some(name), Some(list)) =
            (node.child_by_field_name("name"), node.child_by_field_name("arguments"))
        else {
            return Value::Unknown;
        };
        let name = self.text(name);
        let target = match node.child_by_field_name("object") {
            None => Target::Own,
            Some(object) if object.kind() == "super" => Target::Super,
            Some(object) => match self.as_class(object) {
                Some(class) => Target::Class(class),
                None => match self.eval(object) {
                    Value::This => Target::Own,
                    value => Target::Value(value),
                },
            },
        };
        let arguments: Vec<Value<'a>> =
            children(list).into_iter().map(|argument| self.eval(argument)).collect();
        match target {
            Target::Own => self.own_call(name, &arguments),
            Target::Super => self.super_call(name, &arguments),
            Target::Class(class) => self.class_call(&class, name, &arguments),
            Target::Value(value) => self.value_call(&value, name, &arguments),
        }
    }

    /// `name(…)`.
    fn own_call(&mut self, name: &str, arguments: &[Value<'a>]) -> Value<'a> {
        for class in self.visible() {
            if let Some(value) = self.inline(&self.classes.lineage(&class), name, arguments) {
                return value;
            }
        }
        let unit = self.frame().class.unit;
        for import in unit.imports.iter().filter(|import| import.is_static) {
            let owner = if import.on_demand {
                Some(import.name.as_str())
            } else {
                import.name.rsplit_once('.').filter(|(_, last)| *last == name).map(|(owner, _)| owner)
            };
            let known =
                |owner: &&str| self.types.binary(owner).is_some() || self.classes.find(owner).is_some();
            if let Some(owner) = owner.filter(known)
                && let Some(value) = self.static_call(owner, name, arguments)
            {
                return value;
            }
        }
        self.assertion(name, arguments)
    }

    fn super_call(&mut self, name: &str, arguments: &[Value<'a>]) -> Value<'a> {
        let lineage = self.classes.lineage(&self.class());
        let inherited = lineage.get(1..).unwrap_or_default();
        self.inline(inherited, name, arguments).unwrap_or(Value::Unknown)
    }

    /// `Class.name(…)`.
    fn class_call(&mut self, class: &str, name: &str, arguments: &[Value<'a>]) -> Value<'a> {
        if let Some(value) = self.static_call(class, name, arguments) {
            return value;
        }
        if is_assertion(name) {
            return self.assertion(name, arguments);
        }
        let scope = self.class();
        let owner = self.types.resolve_class(scope.unit, &scope.binary, class);
        self.leave_out(owner.as_deref(), name);
        Value::Unknown
    }

    /// A static method of a class as written; `None` if nothing is known of it.
    fn static_call(&mut self, class: &str, name: &str, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        let scope = self.class();
        let owner = self.types.resolve_class(scope.unit, &scope.binary, class)?;
        if let Some(constants) = constants(arguments)
            && let Some(result) = library::static_call(&owner, name, &constants)
        {
            return Some(Value::Constant(result));
        }
        if let Some(choice) = self.chosen(&owner, name, &[CallableKind::StaticMethod], arguments) {
            let value = self.chosen_call(choice, None, arguments);
            self.remember_contents(&owner, name, &value, arguments);
            return Some(value);
        }
        if let Some(value) = self.synonym(&owner, name, arguments) {
            return Some(value);
        }
        let declaring = self.classes.named(&scope, class)?;
        self.inline(&self.classes.lineage(&declaring), name, arguments)
    }

    pub(super) fn chosen(
        &self,
        owner: &str,
        name: &str,
        kinds: &[CallableKind],
        arguments: &[Value<'a>],
    ) -> Option<Choice> {
        let types: Vec<ArgumentType> = arguments.iter().map(|value| self.argument_type(value)).collect();
        self.types.choose(owner, name, kinds, &types)
    }

    /// `value.name(…)`.
    pub(super) fn value_call(&mut self, value: &Value<'a>, name: &str, arguments: &[Value<'a>]) -> Value<'a> {
        match value {
            Value::Constant(Constant { literal: bonafix_model::Literal::Null, .. }) => Value::Unknown,
            Value::Constant(constant) => self.constant_call(constant, name, arguments),
            Value::Array(at) if name == "clone" => {
                let (element, items) =
                    (self.state.arrays[*at].element.clone(), self.state.arrays[*at].items.clone());
                self.new_array(&element, items)
            }
            Value::Made { slot, type_name } => self.object_call(*slot, type_name, name, arguments),
            Value::Function(function) if arguments.is_empty() => self.run_function(function),
            Value::Unknown => {
                self.expect_exception(name, arguments);
                Value::Unknown
            }
            _ => Value::Unknown,
        }
    }

    fn constant_call(&mut self, constant: &Constant, name: &str, arguments: &[Value<'a>]) -> Value<'a> {
        if let Some(known) = constants(arguments)
            && let Some(result) = library::call(constant, name, &known)
        {
            return Value::Constant(result);
        }
        if let (bonafix_model::Literal::Text(units), "toCharArray") = (&constant.literal, name) {
            let unit =
                |unit: &u16| Value::Constant(Constant::new("char", bonafix_model::Literal::Char(*unit)));
            let items = units.iter().map(unit).collect();
            return self.new_array("char", items);
        }
        let owner = constant.type_name.clone();
        match self.chosen(&owner, name, &[CallableKind::Method], arguments) {
            Some(choice) => {
                let receiver = self.materialise(&Value::Constant(constant.clone()), &owner);
                self.chosen_call(choice, receiver, arguments)
            }
            None => Value::Unknown,
        }
    }

    fn object_call(&mut self, slot: Slot, type_name: &str, name: &str, arguments: &[Value<'a>]) -> Value<'a> {
        if let Some(known) = self.known_content(slot, name, arguments) {
            return known;
        }
        let dynamic = self.state.dynamic[slot as usize].clone();
        let kinds = [CallableKind::Method, CallableKind::StaticMethod];
        let choice = self
            .chosen(type_name, name, &kinds, arguments)
            .or_else(|| self.chosen(&dynamic, name, &kinds, arguments));
        let Some(choice) = choice else {
            self.leave_out(Some(if type_name == OBJECT { &dynamic } else { type_name }), name);
            return Value::Unknown;
        };
        let is_static = self.types.callable(choice.callable).kind == CallableKind::StaticMethod;
        let made = self.chosen_call(choice, (!is_static).then_some(slot), arguments);
        if name == "add"
            && let (Some(contents), [item]) = (self.state.contents.get_mut(&slot), arguments)
        {
            contents.push(item.clone());
        }
        // A builder that returns itself.
        if let Value::Made { slot: result, type_name: made_type } = &made
            && self.types.is_subtype(&dynamic, made_type)
            && self.types.is_subject(&dynamic)
        {
            self.state.dynamic[*result as usize].clone_from(&dynamic);
        }
        made
    }

    /// What a collection whose contents are known answers.
    fn known_content(&self, slot: Slot, name: &str, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        let contents = self.state.contents.get(&slot)?;
        match (name, arguments) {
            ("size", []) => Some(Value::Constant(Constant::int(i64::try_from(contents.len()).ok()?))),
            ("isEmpty", []) => Some(Value::Constant(Constant::boolean(contents.is_empty()))),
            ("get", [Value::Constant(index)]) => {
                contents.get(usize::try_from(index.as_integer()?).ok()?).cloned()
            }
            _ => None,
        }
    }

    /// Calls what was chosen, the last arguments in an array if need be.
    pub(super) fn chosen_call(
        &mut self,
        choice: Choice,
        receiver: Option<Slot>,
        arguments: &[Value<'a>],
    ) -> Value<'a> {
        if !choice.spread {
            return self.call(choice.callable, receiver, arguments, false);
        }
        let parameters = self.types.parameters(choice.callable);
        let fixed = parameters.len().saturating_sub(1);
        let element = parameters.last().and_then(|last| last.strip_suffix("[]")).unwrap_or(OBJECT).to_owned();
        let rest = arguments.get(fixed..).unwrap_or_default();
        let items = rest.iter().map(|item| Self::as_declared(item.clone(), &element)).collect();
        let mut passed = arguments.get(..fixed).unwrap_or_default().to_vec();
        passed.push(self.new_array(&element, items));
        self.call(choice.callable, receiver, &passed, false)
    }

    /// Makes a call a step. What could not be made is left out, with all that hangs on it.
    pub(super) fn call(
        &mut self,
        callable: CallableId,
        receiver: Option<Slot>,
        arguments: &[Value<'a>],
        outer_first: bool,
    ) -> Value<'a> {
        let parameters = self.types.parameters(callable).to_vec();
        let seen =
            arguments.iter().zip(&parameters).map(|(value, parameter)| self.seen(value, parameter)).collect();
        let kind = self.types.callable(callable).kind;
        let is_method =
            matches!(kind, CallableKind::Method | CallableKind::FieldGet | CallableKind::FieldSet);
        let mark = self.state.steps.len();
        let slots: Option<Vec<Slot>> = arguments
            .iter()
            .zip(&parameters)
            .map(|(value, parameter)| self.materialise(value, parameter))
            .collect();
        let is_step =
            slots.is_some() && arguments.len() == parameters.len() && (!is_method || receiver.is_some());
        self.note_call(
            SeenCall { callable, number: self.reading.calls.len(), arguments: seen, is_step },
            receiver,
            outer_first,
        );
        let Some(slots) = slots.filter(|_| is_step) else {
            // Arguments that were made for it serve nobody else.
            self.rewind(mark);
            let left_out = self.types.callable(callable);
            self.leave_out(Some(&left_out.owner), &left_out.name);
            return Value::Unknown;
        };
        let result = self.types.result(callable).to_owned();
        self.emit(Step::Call { callable, receiver, arguments: slots, caught: false }, &result)
    }

    /// Writes down a call, also for the methods that it stands for or runs.
    fn note_call(&mut self, call: SeenCall, receiver: Option<Slot>, outer_first: bool) {
        if let Some(slot) = receiver.filter(|_| !outer_first) {
            let dynamic = &self.state.dynamic[slot as usize];
            for callable in self.types.same_method(call.callable, dynamic) {
                if callable != call.callable {
                    self.reading.calls.push(SeenCall { callable, ..call.clone() });
                }
            }
        }
        self.reading.calls.push(call);
    }

    pub(super) fn object_creation(&mut self, node: Node<'a>) -> Value<'a> {
        let (Some(written), Some(list)) =
            (node.child_by_field_name("type"), node.child_by_field_name("arguments"))
        else {
            return Value::Unknown;
        };
        let class = self.class();
        let parts = children(node);
        let outer = parts.first().copied().filter(|first| {
            first.end_byte() <= written.start_byte()
                && !matches!(first.kind(), "type_arguments" | "annotation" | "marker_annotation")
        });
        let outer = outer.map(|outer| self.eval(outer));
        let written = class.unit.type_name(written);
        let mut type_name = self.types.resolve(class.unit, &class.binary, &written);
        if let Some(Value::Made { type_name: around, .. }) = &outer {
            type_name = format!("{around}${}", written.name);
        }
        let arguments: Vec<Value<'a>> =
            children(list).into_iter().map(|argument| self.eval(argument)).collect();
        if parts.iter().any(|part| part.kind() == "class_body") {
            return self.anonymous(node, &type_name);
        }
        if let Some(constants) = constants(&arguments)
            && let Some(result) = library::static_call(&type_name, "<init>", &constants)
        {
            return Value::Constant(result);
        }
        let outer_first = outer.is_some();
        let passed: Vec<Value<'a>> = outer.into_iter().chain(arguments).collect();
        if let Some(value) = self.synonym(&type_name, "<init>", &passed) {
            return value;
        }
        let Some(choice) = self.chosen(&type_name, "<init>", &[CallableKind::Constructor], &passed) else {
            self.leave_out(Some(&type_name), "new");
            return Value::Unknown;
        };
        let made = if outer_first {
            self.call(choice.callable, None, &passed, true)
        } else {
            self.chosen_call(choice, None, &passed)
        };
        self.remember_contents(&type_name, "<init>", &made, &passed);
        made
    }

    fn anonymous(&mut self, node: Node<'a>, type_name: &str) -> Value<'a> {
        if self.types.info(type_name).is_some_and(|info| info.is_interface) {
            return Value::Function(Rc::new(Function { node, frame: self.frame().clone() }));
        }
        self.leave_out(Some(type_name), "new, with a body");
        Value::Unknown
    }

    /// What is known to be in a collection that was just made.
    pub(super) fn remember_contents(
        &mut self,
        owner: &str,
        name: &str,
        made: &Value<'a>,
        arguments: &[Value<'a>],
    ) {
        let Value::Made { slot, .. } = made else { return };
        let contents = match (owner, name, arguments) {
            ("java.util.Arrays", "asList", [Value::Array(at)]) => self.state.arrays[*at].items.clone(),
            ("java.util.Arrays", "asList", items) => items.to_vec(),
            ("java.util.Collections", "emptyList" | "emptySet", [])
            | (
                "java.util.ArrayList"
                | "java.util.LinkedList"
                | "java.util.HashSet"
                | "java.util.LinkedHashSet"
                | "java.util.TreeSet"
                | "java.util.ArrayDeque",
                "<init>",
                [],
            ) => Vec::new(),
            _ => return,
        };
        self.state.contents.insert(*slot, contents);
    }

    /// Runs a method of a test class with these arguments; `None` if there is none.
    fn inline(
        &mut self,
        lineage: &[Rc<Class<'a>>],
        name: &str,
        arguments: &[Value<'a>],
    ) -> Option<Value<'a>> {
        let types: Vec<ArgumentType> = arguments.iter().map(|value| self.argument_type(value)).collect();
        let mut best: Option<(u32, Rc<Class<'a>>, usize, bool)> = None;
        for class in lineage {
            for (at, method) in class.methods.iter().enumerate().filter(|(_, method)| method.name == name) {
                let parameters: Vec<String> = method
                    .parameters
                    .iter()
                    .map(|each| self.types.resolve(class.unit, &class.binary, &each.declared))
                    .collect();
                let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
                let Some((cost, spread)) = self.types.cost(&parameters, method.varargs, &types) else {
                    continue;
                };
                let has_body = method.body.is_some();
                if has_body && best.as_ref().is_none_or(|(known, ..)| cost < *known) {
                    best = Some((cost, Rc::clone(class), at, spread));
                }
            }
        }
        let (_, class, at, spread) = best?;
        Some(self.run_method(&class, at, spread, arguments))
    }

    fn run_method(
        &mut self,
        class: &Rc<Class<'a>>,
        at: usize,
        spread: bool,
        arguments: &[Value<'a>],
    ) -> Value<'a> {
        let method = &class.methods[at];
        let Some(body) = method.body.filter(|_| self.state.frames.len() <= MAX_INLINED) else {
            self.leave_out(Some(&class.binary), &method.name);
            return Value::Unknown;
        };
        let mut scope = BTreeMap::new();
        let fixed = if spread { method.parameters.len() - 1 } else { method.parameters.len() };
        for (at, parameter) in method.parameters.iter().enumerate() {
            let type_name = self.types.resolve(class.unit, &class.binary, &parameter.declared);
            let value = if at < fixed {
                Self::as_declared(arguments[at].clone(), &type_name)
            } else {
                let element = type_name.strip_suffix("[]").unwrap_or(OBJECT);
                let rest = arguments.get(fixed..).unwrap_or_default();
                let items = rest.iter().map(|item| Self::as_declared(item.clone(), element)).collect();
                self.new_array(element, items)
            };
            scope.insert(parameter.name.clone(), value);
        }
        let concrete = Rc::clone(&self.frame().concrete);
        self.state.frames.push(Frame { class: Rc::clone(class), concrete, scopes: vec![scope] });
        let flow = self.block(body);
        self.state.frames.pop();
        match flow {
            Flow::Return(value) => {
                let result = self.types.resolve(class.unit, &class.binary, &method.result);
                Self::as_declared(value, &result)
            }
            _ => Value::Unknown,
        }
    }

    /// A call of what is neither the program nor a helper: an assertion, mostly. What it runs is run.
    fn assertion(&mut self, name: &str, arguments: &[Value<'a>]) -> Value<'a> {
        match name {
            "assertThrows" | "assertThrowsExactly" | "expectThrows" => self.throws(arguments),
            "assertThatThrownBy" | "catchThrowable" | "assertThatCode" => {
                if let Some(Value::Function(function)) = arguments.first() {
                    return self.expecting(&[], |this| drop(this.run_function(function)));
                }
                Value::Unknown
            }
            "assertEquals" | "assertArrayEquals" | "assertNotEquals" => {
                self.compare(arguments);
                Value::Unknown
            }
            _ => {
                let mut value = Value::Unknown;
                for argument in arguments {
                    if let Value::Function(function) = argument
                        && function.node.kind() == "lambda_expression"
                        && is_assertion(name)
                    {
                        value = self.run_function(function);
                    }
                }
                if !is_assertion(name) {
                    self.leave_out(None, name);
                }
                value
            }
        }
    }

    fn throws(&mut self, arguments: &[Value<'a>]) -> Value<'a> {
        let exceptions: Vec<String> = arguments
            .iter()
            .filter_map(|value| match value {
                Value::Constant(Constant { literal: bonafix_model::Literal::Class(name), .. }) => {
                    Some(name.clone())
                }
                _ => None,
            })
            .collect();
        for argument in arguments {
            if let Value::Function(function) = argument {
                return self.expecting(&exceptions, |this| drop(this.run_function(function)));
            }
        }
        Value::Unknown
    }

    /// `assertEquals(expected, actual, delta)`, with or without a message.
    fn compare(&mut self, arguments: &[Value<'a>]) {
        let is_text =
            |value: &Value<'a>| matches!(value, Value::Constant(constant) if constant.type_name == STRING);
        let compared = match arguments {
            [_, _, delta] if !arguments.iter().any(is_text) => delta,
            [message, _, _, delta] if is_text(message) => delta,
            [_, _, delta, message] if is_text(message) => delta,
            _ => return,
        };
        let Value::Constant(delta) = compared else { return };
        if let Some(delta) = delta.as_double().filter(|delta| *delta >= 0.0) {
            let known = self.reading.precision.unwrap_or(0.0);
            self.reading.precision = Some(known.max(delta.min(COARSEST)));
        }
    }

    /// `thrown.expect(X.class)`.
    fn expect_exception(&mut self, name: &str, arguments: &[Value<'a>]) {
        if let ("expect", [Value::Constant(Constant { literal: bonafix_model::Literal::Class(class), .. })]) =
            (name, arguments)
        {
            self.expected = Some(class.clone());
        }
    }

    /// `object::name` as a call without arguments.
    pub(super) fn run_reference(&mut self, node: Node<'a>) -> Value<'a> {
        let parts = children(node);
        let (Some(object), Some(name)) = (parts.first().copied(), parts.last().copied()) else {
            return Value::Unknown;
        };
        if parts.len() < 2 || name.kind() != "identifier" {
            return Value::Unknown;
        }
        let name = self.text(name);
        match self.as_class(object) {
            Some(class) => self.class_call(&class, name, &[]),
            None => match self.eval(object) {
                Value::This => self.own_call(name, &[]),
                value => self.value_call(&value, name, &[]),
            },
        }
    }

    /// Takes back the steps from `mark` on.
    pub(super) fn rewind(&mut self, mark: usize) {
        self.state.steps.truncate(mark);
        self.state.dynamic.truncate(mark);
        let is_gone = |slot: Slot| slot as usize >= mark;
        self.state.contents.retain(|slot, _| !is_gone(*slot));
        for array in &mut self.state.arrays {
            array.slot = array.slot.filter(|slot| !is_gone(*slot));
        }
    }

    /// Writes down what cannot be said, unless it belongs to the JDK: that matters only where a call needs it.
    fn leave_out(&mut self, owner: Option<&str>, name: &str) {
        let is_library = owner.is_some_and(|owner| owner.starts_with("java.") || owner.starts_with("javax."));
        if !is_library {
            let owner = owner.map(|owner| format!("{owner}.")).unwrap_or_default();
            self.reading.left_out.push(format!("{owner}{name}"));
        }
    }
}

/// The arguments, if all of them are constants.
fn constants(arguments: &[Value<'_>]) -> Option<Vec<Constant>> {
    arguments
        .iter()
        .map(|value| if let Value::Constant(constant) = value { Some(constant.clone()) } else { None })
        .collect()
}

/// Is this the name of a method of a test framework that looks at its arguments and does nothing else?
fn is_assertion(name: &str) -> bool {
    ["assert", "fail", "assume", "verify", "expect"].iter().any(|prefix| name.starts_with(prefix))
}
