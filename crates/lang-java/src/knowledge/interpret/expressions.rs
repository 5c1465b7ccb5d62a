//! Expressions of a test, calls apart.

use std::rc::Rc;

use bonafix_model::{CallableKind, Literal, Step};
use tree_sitter::Node;

use super::{Constant, Function, Interpreter, MAX_DEPTH, MAX_LENGTH, Value, library};
use crate::knowledge::constant;
use crate::knowledge::types::OBJECT;
use crate::knowledge::unit::{Class, children};
use crate::primitive::{is_primitive, unboxed};

impl<'a> Interpreter<'a> {
    /// The value of an expression; the calls in it become steps, in the order in which Java evaluates them.
    pub(super) fn eval(&mut self, node: Node<'a>) -> Value<'a> {
        if self.depth >= MAX_DEPTH || !self.spend() {
            return Value::Unknown;
        }
        self.depth += 1;
        let value = self.eval_kind(node);
        self.depth -= 1;
        value
    }

    fn eval_kind(&mut self, node: Node<'a>) -> Value<'a> {
        match node.kind() {
            "identifier" => self.variable(self.text(node)),
            "this" => Value::This,
            "parenthesized_expression" => {
                children(node).first().map_or(Value::Unknown, |inner| self.eval(*inner))
            }
            "binary_expression" => self.binary(node),
            "unary_expression" => self.unary(node),
            "update_expression" => self.update(node),
            "ternary_expression" => self.ternary(node),
            "cast_expression" => self.cast(node),
            "assignment_expression" => self.assignment(node),
            "class_literal" => {
                let class = self.class();
                let named = self.class_of_literal(&class, node);
                named.map_or(Value::Unknown, |name| {
                    Value::Constant(Constant::new("java.lang.Class", Literal::Class(name)))
                })
            }
            "method_invocation" => self.method_invocation(node),
            "object_creation_expression" => self.object_creation(node),
            "array_creation_expression" => self.array_creation(node),
            "field_access" => self.field_access(node),
            "array_access" => self.array_access(node),
            "lambda_expression" | "method_reference" => {
                Value::Function(Rc::new(Function { node, frame: self.frame().clone() }))
            }
            "instanceof_expression" => {
                node.child_by_field_name("left").map(|left| self.eval(left));
                Value::Unknown
            }
            kind => constant::of_literal(kind, self.text(node)).map_or(Value::Unknown, Value::Constant),
        }
    }

    /// A local variable, a field of the test class, or a constant that is imported.
    fn variable(&mut self, name: &str) -> Value<'a> {
        self.known_variable(name).unwrap_or_else(|| self.imported_constant(name))
    }

    /// A local variable or a field of a test class; `None` if there is none of that name.
    pub(super) fn known_variable(&mut self, name: &str) -> Option<Value<'a>> {
        let local = self.frame().scopes.iter().rev().find_map(|scope| scope.get(name));
        if let Some(value) = local {
            return Some(value.clone());
        }
        self.owner_of_field(name).map(|owner| self.test_field(&owner, name))
    }

    /// The class that declares a field that can be named from here without more.
    fn owner_of_field(&self, name: &str) -> Option<Rc<Class<'a>>> {
        let visible = self.visible();
        let mut lineages = visible.iter().map(|class| self.classes.lineage(class));
        lineages.find_map(|lineage| lineage.iter().find(|class| class.field(name).is_some()).cloned())
    }

    /// The value of a field of a test class; its initialiser runs when it is first read.
    pub(super) fn test_field(&mut self, owner: &Rc<Class<'a>>, name: &str) -> Value<'a> {
        let key = (owner.binary.clone(), name.to_owned());
        if let Some(value) = self.state.fields.get(&key) {
            return value.clone();
        }
        self.state.fields.insert(key.clone(), Value::Unknown);
        let Some(field) = owner.field(name) else { return Value::Unknown };
        let type_name = self.types.resolve(owner.unit, &owner.binary, &field.declared);
        let value = match field.value {
            Some(value) => self.in_class(owner, |this| this.initial(value, Some(&type_name))),
            None if is_primitive(&type_name) => Value::Constant(Constant::default_of(&type_name)),
            // Somebody sets it, or it would not be there.
            None => Value::Unknown,
        };
        self.state.fields.insert(key, value.clone());
        value
    }

    /// Interprets something where nothing but the members of a class can be seen.
    fn in_class<T>(&mut self, class: &Rc<Class<'a>>, body: impl FnOnce(&mut Self) -> T) -> T {
        let concrete = Rc::clone(&self.frame().concrete);
        let frame = super::Frame {
            class: Rc::clone(class),
            concrete,
            scopes: vec![std::collections::BTreeMap::new()],
        };
        self.state.frames.push(frame);
        let result = body(self);
        self.state.frames.pop();
        result
    }

    fn imported_constant(&mut self, name: &str) -> Value<'a> {
        let class = self.class();
        for import in class.unit.imports.iter().filter(|import| import.is_static) {
            let owner = if import.on_demand {
                Some(import.name.as_str())
            } else {
                import.name.rsplit_once('.').filter(|(_, last)| *last == name).map(|(owner, _)| owner)
            };
            let Some(owner) = owner else { continue };
            let value = self.static_field(owner, name);
            if !matches!(value, Value::Unknown) {
                return value;
            }
        }
        Value::Unknown
    }

    /// `Owner.name`, where the owner is a class as written.
    fn static_field(&mut self, owner: &str, name: &str) -> Value<'a> {
        let class = self.class();
        if let Some(declaring) = self.classes.named(&class, owner) {
            let lineage = self.classes.lineage(&declaring);
            if let Some(declaring) = lineage.iter().find(|class| class.field(name).is_some()) {
                return self.test_field(declaring, name);
            }
        }
        if let Some(value) = self.program_constant(&class, owner, name) {
            return value;
        }
        let Some(owner) = self.types.resolve_class(class.unit, &class.binary, owner) else {
            return Value::Unknown;
        };
        if let Some(constant) = library::constant(&owner, name) {
            return Value::Constant(constant);
        }
        match self.types.field(&owner, name, CallableKind::StaticGet) {
            Some(callable) => self.call(callable, None, &[], false),
            None => self.synonym(&owner, name, &[]).unwrap_or(Value::Unknown),
        }
    }

    /// A constant of the program whose value the compiler knows.
    fn program_constant(&mut self, class: &Class<'a>, owner: &str, name: &str) -> Option<Value<'a>> {
        let owner = self.program.named(class, owner)?;
        let field = owner.field(name).filter(|field| field.is_constant && field.declared.dimensions == 0)?;
        let type_name = field.declared.name.as_str();
        if !is_primitive(type_name) && type_name != "String" {
            return None;
        }
        let mark = self.state.steps.len();
        let value = self.test_field(&owner, name);
        if matches!(value, Value::Constant(_)) {
            return Some(value);
        }
        self.rewind(mark);
        None
    }

    fn field_access(&mut self, node: Node<'a>) -> Value<'a> {
        let (Some(object), Some(field)) =
            (node.child_by_field_name("object"), node.child_by_field_name("field"))
        else {
            return Value::Unknown;
        };
        let name = self.text(field);
        if let Some(owner) = self.as_class(object) {
            return self.static_field(&owner, name);
        }
        match self.eval(object) {
            Value::This => self.known_field(name),
            Value::Array(at) if name == "length" => {
                let length = self.state.arrays[at].items.len();
                Value::Constant(Constant::int(i64::try_from(length).unwrap_or(i64::MAX)))
            }
            Value::Made { slot, type_name } => {
                match self.types.field(&type_name, name, CallableKind::FieldGet) {
                    Some(callable) => self.call(callable, Some(slot), &[], false),
                    None => Value::Unknown,
                }
            }
            _ => Value::Unknown,
        }
    }

    /// `this.name`.
    fn known_field(&mut self, name: &str) -> Value<'a> {
        self.owner_of_field(name).map_or(Value::Unknown, |owner| self.test_field(&owner, name))
    }

    /// The name of the class that an expression is, if it is none of a variable.
    pub(super) fn as_class(&mut self, node: Node<'a>) -> Option<String> {
        match node.kind() {
            "identifier" => {
                let name = self.text(node);
                let is_class = name.starts_with(char::is_uppercase) && self.known_variable(name).is_none();
                is_class.then(|| name.to_owned())
            }
            "field_access" => {
                let text: String = self.text(node).chars().filter(|c| !c.is_whitespace()).collect();
                let last = text.rsplit('.').next()?;
                let first = text.split('.').next()?;
                let is_name = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
                if !is_name || !last.starts_with(char::is_uppercase) || self.known_variable(first).is_some() {
                    return None;
                }
                // Only what is known to be a class, since constants have capitals too.
                let class = self.class();
                let resolved = self.types.resolve_class(class.unit, &class.binary, &text)?;
                let known = self.types.info(&resolved).is_some() || self.types.binary(&resolved).is_some();
                (known || self.classes.named(&class, &text).is_some()).then_some(text)
            }
            _ => None,
        }
    }

    fn binary(&mut self, node: Node<'a>) -> Value<'a> {
        // A long concatenation leans to the left: it is walked, not descended.
        let mut spine = Vec::new();
        let mut left = node;
        while left.kind() == "binary_expression" {
            spine.push(left);
            let Some(next) = left.child_by_field_name("left") else { return Value::Unknown };
            left = next;
        }
        let mut value = self.eval(left);
        for node in spine.into_iter().rev() {
            let (Some(operator), Some(right)) =
                (node.child_by_field_name("operator"), node.child_by_field_name("right"))
            else {
                return Value::Unknown;
            };
            let right = self.eval(right);
            value = match (&value, &right) {
                (Value::Constant(left), Value::Constant(right)) => {
                    constant::binary(self.text(operator), left, right).map_or(Value::Unknown, Value::Constant)
                }
                _ => Value::Unknown,
            };
        }
        value
    }

    fn unary(&mut self, node: Node<'a>) -> Value<'a> {
        let (Some(operator), Some(operand)) =
            (node.child_by_field_name("operator"), node.child_by_field_name("operand"))
        else {
            return Value::Unknown;
        };
        match self.eval(operand) {
            Value::Constant(operand) => {
                constant::unary(self.text(operator), &operand).map_or(Value::Unknown, Value::Constant)
            }
            _ => Value::Unknown,
        }
    }

    fn update(&mut self, node: Node<'a>) -> Value<'a> {
        let Some(operand) = children(node).first().copied() else { return Value::Unknown };
        let before = self.eval(operand);
        let text = self.text(node);
        let operator = if text.contains("++") { "+" } else { "-" };
        let after = match &before {
            Value::Constant(constant) => constant::binary(operator, constant, &Constant::int(1))
                .and_then(|sum| sum.cast(unboxed(&constant.type_name)?))
                .map_or(Value::Unknown, Value::Constant),
            _ => Value::Unknown,
        };
        self.assign(operand, after.clone());
        if text.starts_with(['+', '-']) { after } else { before }
    }

    /// The way that a condition takes: the one that is known, else either.
    pub(super) fn branch(&mut self, node: Node<'a>) -> Option<Node<'a>> {
        let condition = node.child_by_field_name("condition").map_or(Value::Unknown, |node| self.eval(node));
        let holds = match condition {
            Value::Constant(constant) => constant.as_bool(),
            _ => None,
        };
        let holds = holds.unwrap_or_else(|| self.choose());
        node.child_by_field_name(if holds { "consequence" } else { "alternative" })
    }

    fn ternary(&mut self, node: Node<'a>) -> Value<'a> {
        self.branch(node).map_or(Value::Unknown, |branch| self.eval(branch))
    }

    fn cast(&mut self, node: Node<'a>) -> Value<'a> {
        let (Some(written), Some(value)) =
            (node.child_by_field_name("type"), node.child_by_field_name("value"))
        else {
            return Value::Unknown;
        };
        let class = self.class();
        let type_name = self.types.resolve(class.unit, &class.binary, &class.unit.type_name(written));
        match self.eval(value) {
            Value::Constant(constant) if is_primitive(&type_name) => {
                constant.cast(&type_name).map_or(Value::Unknown, Value::Constant)
            }
            Value::Made { type_name: own, .. }
                if is_primitive(&type_name) && unboxed(&own) != Some(&type_name) =>
            {
                Value::Unknown
            }
            other => Self::as_declared(other, &type_name),
        }
    }

    fn assignment(&mut self, node: Node<'a>) -> Value<'a> {
        let (Some(left), Some(operator), Some(right)) = (
            node.child_by_field_name("left"),
            node.child_by_field_name("operator"),
            node.child_by_field_name("right"),
        ) else {
            return Value::Unknown;
        };
        let operator = self.text(operator);
        let value = if operator == "=" {
            self.eval(right)
        } else {
            let before = self.eval(left);
            match (before, self.eval(right)) {
                (Value::Constant(a), Value::Constant(b)) => {
                    constant::binary(operator.trim_end_matches('='), &a, &b)
                        .and_then(|sum| unboxed(&a.type_name).map_or(Some(sum.clone()), |own| sum.cast(own)))
                        .map_or(Value::Unknown, Value::Constant)
                }
                _ => Value::Unknown,
            }
        };
        self.assign(left, value.clone());
        value
    }

    fn assign(&mut self, target: Node<'a>, value: Value<'a>) {
        match target.kind() {
            "identifier" => self.assign_variable(self.text(target), value),
            "array_access" => self.assign_element(target, value),
            "field_access" => self.assign_field(target, &value),
            _ => {}
        }
    }

    fn assign_variable(&mut self, name: &str, value: Value<'a>) {
        let frame = self.frame_mut();
        if let Some(known) = frame.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(name)) {
            *known = value;
        } else if let Some(owner) = self.owner_of_field(name) {
            let declared = owner.field(name).map(|field| field.declared.clone()).unwrap_or_default();
            let type_name = self.types.resolve(owner.unit, &owner.binary, &declared);
            let value = Self::as_declared(value, &type_name);
            self.state.fields.insert((owner.binary.clone(), name.to_owned()), value);
        }
    }

    fn assign_element(&mut self, target: Node<'a>, value: Value<'a>) {
        let (Some(array), Some(index)) =
            (target.child_by_field_name("array"), target.child_by_field_name("index"))
        else {
            return;
        };
        let array = self.eval(array);
        let index = self.index(index);
        if let (Value::Array(at), Some(index)) = (array, index) {
            let element = self.state.arrays[at].element.clone();
            if let Some(item) = self.state.arrays[at].items.get_mut(index) {
                *item = Self::as_declared(value, &element);
            }
            self.state.arrays[at].slot = None;
        }
    }

    fn assign_field(&mut self, target: Node<'a>, value: &Value<'a>) {
        let (Some(object), Some(field)) =
            (target.child_by_field_name("object"), target.child_by_field_name("field"))
        else {
            return;
        };
        let name = self.text(field);
        if let Some(owner) = self.as_class(object) {
            let class = self.class();
            let owner = self.types.resolve_class(class.unit, &class.binary, &owner).unwrap_or_default();
            if let Some(callable) = self.types.field(&owner, name, CallableKind::StaticSet) {
                self.call(callable, None, std::slice::from_ref(value), false);
            }
            return;
        }
        match self.eval(object) {
            Value::This => self.assign_variable(name, value.clone()),
            Value::Made { slot, type_name } => {
                if let Some(callable) = self.types.field(&type_name, name, CallableKind::FieldSet) {
                    self.call(callable, Some(slot), std::slice::from_ref(value), false);
                }
            }
            _ => {}
        }
    }

    fn index(&mut self, node: Node<'a>) -> Option<usize> {
        match self.eval(node) {
            Value::Constant(constant) => usize::try_from(constant.as_integer()?).ok(),
            _ => None,
        }
    }

    fn array_access(&mut self, node: Node<'a>) -> Value<'a> {
        let (Some(array), Some(index)) =
            (node.child_by_field_name("array"), node.child_by_field_name("index"))
        else {
            return Value::Unknown;
        };
        let array = self.eval(array);
        let index = self.index(index);
        match (array, index) {
            (Value::Array(at), Some(index)) => {
                self.state.arrays[at].items.get(index).cloned().unwrap_or(Value::Unknown)
            }
            _ => Value::Unknown,
        }
    }

    fn array_creation(&mut self, node: Node<'a>) -> Value<'a> {
        let class = self.class();
        let Some(written) = node.child_by_field_name("type") else { return Value::Unknown };
        let mut type_name = self.types.resolve(class.unit, &class.binary, &class.unit.type_name(written));
        let mut cursor = node.walk();
        let mut lengths = Vec::new();
        for part in node.children_by_field_name("dimensions", &mut cursor).collect::<Vec<_>>() {
            type_name.push_str(&"[]".repeat(class.unit.text(part).matches('[').count().min(8)));
            if part.kind() == "dimensions_expr" {
                lengths.push(children(part).pop().and_then(|length| self.index(length)));
            }
        }
        if let Some(value) = node.child_by_field_name("value") {
            return self.initial(value, Some(&type_name));
        }
        let lengths: Option<Vec<usize>> = lengths.into_iter().collect();
        let fits = |lengths: &Vec<usize>| {
            lengths.iter().all(|length| i64::try_from(*length).is_ok_and(|length| length <= MAX_LENGTH))
        };
        match lengths.filter(fits) {
            Some(lengths) => self.filled_array(&type_name, &lengths),
            None => Value::Unknown,
        }
    }

    /// An array as `new` makes it.
    fn filled_array(&mut self, type_name: &str, lengths: &[usize]) -> Value<'a> {
        let (Some(element), Some((length, inner))) = (type_name.strip_suffix("[]"), lengths.split_first())
        else {
            return Value::Constant(Constant::default_of(type_name));
        };
        let items = (0..*length).map(|_| self.filled_array(element, inner)).collect();
        self.new_array(element, items)
    }

    /// An object that stands for a function: one that answers what the function returns, where that does not hang on
    /// its arguments.
    pub(super) fn stub(&mut self, function: &Rc<Function<'a>>, interface: &str) -> Option<Value<'a>> {
        let info = self.types.info(interface).filter(|info| info.is_interface)?;
        if function.node.kind() == "method_reference" {
            return None;
        }
        let before = self.state.clone();
        let (calls, left_out) = (self.reading.calls.len(), self.reading.left_out.len());
        let answer = self.answer_of(function);
        let result = match answer {
            Value::Constant(ref constant) if constant.literal != Literal::Null => self.materialise(
                &answer,
                if is_primitive(&constant.type_name) { &constant.type_name } else { OBJECT },
            ),
            Value::Made { slot, .. } => Some(slot),
            _ => None,
        };
        if result.is_none() {
            // What it does when it is called is no part of the test's own line.
            self.state = before;
            self.reading.calls.truncate(calls);
            self.reading.left_out.truncate(left_out);
        }
        let step = Step::Stub { interface: info.name.clone(), answers: result.into_iter().collect() };
        Some(self.emit(step, interface))
    }

    /// What a lambda or the methods of an anonymous class return when nothing is known of their arguments.
    fn answer_of(&mut self, function: &Rc<Function<'a>>) -> Value<'a> {
        if function.node.kind() == "lambda_expression" {
            return self.run_function(function);
        }
        // An anonymous class: the first of its methods that returns something.
        let Some(body) = children(function.node).into_iter().find(|child| child.kind() == "class_body")
        else {
            return Value::Unknown;
        };
        for method in children(body).into_iter().filter(|child| child.kind() == "method_declaration") {
            let Some(block) = method.child_by_field_name("body") else { continue };
            self.state.frames.push(function.frame.clone());
            let flow = self.block(block);
            self.state.frames.pop();
            if let super::Flow::Return(value) = flow {
                return value;
            }
        }
        Value::Unknown
    }

    /// Runs a lambda or a method reference without arguments.
    pub(super) fn run_function(&mut self, function: &Rc<Function<'a>>) -> Value<'a> {
        if self.state.frames.len() > super::MAX_INLINED + 2 {
            return Value::Unknown;
        }
        self.state.frames.push(function.frame.clone());
        let body = function.node.child_by_field_name("body");
        self.hide_parameters(function.node);
        let value = match body {
            Some(body) if body.kind() == "block" => match self.block(body) {
                super::Flow::Return(value) => value,
                _ => Value::Unknown,
            },
            Some(body) => self.eval(body),
            None => self.run_reference(function.node),
        };
        self.state.frames.pop();
        value
    }

    fn hide_parameters(&mut self, lambda: Node<'a>) {
        let Some(list) = lambda.child_by_field_name("parameters") else { return };
        let names: Vec<String> = match list.kind() {
            "identifier" => vec![self.text(list).to_owned()],
            "inferred_parameters" => {
                children(list).into_iter().map(|name| self.text(name).to_owned()).collect()
            }
            _ => self.frame().class.unit.parameters(list).0.into_iter().map(|each| each.name).collect(),
        };
        for name in names {
            self.declare(&name, Value::Unknown);
        }
    }
}
