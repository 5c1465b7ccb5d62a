//! A sequence as Java statements.
//!
//! Everything is written with erased types: a variable has the type that the class file gives the call, and where a
//! later call needs more, there stands a cast. That is always legal, whatever the generics say.

use std::collections::{BTreeMap, BTreeSet};

use bonafix_model::{
    Callable, CallableKind, Catalog, Literal, MissingMethod, Observation, Sequence, Slot, Step, Subclass,
};

use super::stub::{self, Single};
use super::types::{self, NULL, Names, OBJECT, STRING, of_descriptor};
use super::variables::{self, Variables};
use super::{Care, literal};
use crate::primitive::{box_of, in_box, is_primitive};

/// A text longer than this gets a variable if it is used twice.
const SHORT_TEXT: usize = 16;
const THROWABLE: &str = "java.lang.Throwable";
const SUPPLIER: &str = "java.util.function.Supplier";

/// An input as source code, one statement a line, as reports show it.
pub fn render(catalog: &Catalog, sequence: &Sequence) -> Vec<String> {
    let rendered = |names: &Names<'_>| {
        let mut body = Body::render(names, sequence, None, &BTreeSet::new(), Care::Usual);
        if let Some(last) = body.take_last_statement() {
            body.lines.push(last);
        }
        body.lines
    };
    let mut names = Names::new(catalog, &package_under_test(catalog, sequence));
    rendered(&names);
    names.settle(&[]);
    rendered(&names)
}

/// The package of the class that the sequence is about: that of its last call into the program.
pub(super) fn package_under_test(catalog: &Catalog, sequence: &Sequence) -> String {
    class_under_test(catalog, sequence).map(|owner| types::package_of(owner).to_owned()).unwrap_or_default()
}

/// The class of the last call into the program.
pub(super) fn class_under_test<'a>(catalog: &'a Catalog, sequence: &Sequence) -> Option<&'a str> {
    let owners = sequence.callables().map(|id| catalog.callables[id as usize].owner.as_str());
    let subjects: BTreeSet<&str> =
        catalog.types.iter().filter(|info| info.is_subject).map(|info| info.name.as_str()).collect();
    owners.filter(|owner| subjects.contains(owner)).last()
}

/// A piece of source with the type that the compiler gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) text: String,
    /// Erased; [`NULL`] for `null`, `void` for a call that gives nothing.
    pub(super) java_type: String,
}

impl Expression {
    pub(super) fn new(text: impl Into<String>, java_type: impl Into<String>) -> Self {
        Self { text: text.into(), java_type: java_type.into() }
    }

    /// To be followed by a dot.
    fn as_receiver(&self) -> String {
        if self.text.starts_with('(') { format!("({})", self.text) } else { self.text.clone() }
    }

    /// To be preceded by a cast.
    fn as_operand(&self) -> String {
        if self.text.starts_with('-') { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// A sequence rendered but for its last call, which an assertion may take up.
pub(super) struct Body<'a> {
    names: &'a Names<'a>,
    sequence: &'a Sequence,
    /// What the reference did with it, where that is known.
    reference: Option<&'a Observation>,
    care: Care,
    uses: BTreeMap<Slot, usize>,
    variables: Variables,
    pub(super) lines: Vec<String>,
    /// What stands for each slot.
    slots: Vec<Expression>,
    /// The last step as an expression or an assignment, where it is a call.
    last: Option<Expression>,
    pub(super) needs_stub_helper: bool,
}

impl<'a> Body<'a> {
    /// Renders; the slots in `kept` get variables in any case.
    pub(super) fn render(
        names: &'a Names<'a>,
        sequence: &'a Sequence,
        reference: Option<&'a Observation>,
        kept: &BTreeSet<Slot>,
        care: Care,
    ) -> Self {
        let mut uses = BTreeMap::new();
        for slot in sequence.steps.iter().flat_map(Step::uses) {
            *uses.entry(slot).or_insert(0) += 1;
        }
        let mut body = Self {
            names,
            sequence,
            reference,
            care,
            uses,
            variables: Variables::default(),
            lines: Vec::new(),
            slots: Vec::new(),
            last: None,
            needs_stub_helper: false,
        };
        let count = sequence.steps.len();
        for (number, step) in sequence.steps.iter().enumerate() {
            let slot = Slot::try_from(number).unwrap_or(Slot::MAX);
            let expression = body.step(slot, step, kept.contains(&slot), number + 1 == count);
            body.slots.push(expression);
        }
        body
    }

    /// What stands for a slot.
    pub(super) fn slot(&self, slot: Slot) -> &Expression {
        &self.slots[slot as usize]
    }

    /// The last call, if it gives a value.
    pub(super) fn last_value(&self) -> Option<&Expression> {
        self.last.as_ref().filter(|last| last.java_type != "void")
    }

    /// The last call as a statement. It is not among the lines.
    pub(super) fn take_last_statement(&mut self) -> Option<String> {
        let last = self.last.take()?;
        let reads = matches!(self.sequence.steps.last(), Some(Step::Call { callable, .. })
            if matches!(self.callable(*callable).kind, CallableKind::FieldGet | CallableKind::StaticGet));
        if !reads {
            return Some(format!("{};", last.text));
        }
        let name = self.variables.fresh("result");
        Some(format!("{} {name} = {};", self.declared(&last.java_type), last.text))
    }

    /// The last call with its value in a variable.
    pub(super) fn keep_last(&mut self) -> Option<Expression> {
        let last = self.last.clone().filter(|last| last.java_type != "void")?;
        let number = self.sequence.steps.len() - 1;
        let wanted = self.wanted_name(number, &last.java_type);
        let kept = self.declare(&wanted, &last);
        self.last = None;
        Some(kept)
    }

    fn callable(&self, id: u32) -> &'a Callable {
        &self.names.catalog().callables[id as usize]
    }

    fn step(&mut self, slot: Slot, step: &'a Step, kept: bool, is_last: bool) -> Expression {
        match step {
            Step::Constant { type_name, value } => {
                let expression = self.constant(type_name, value);
                let uses = self.uses.get(&slot).copied().unwrap_or(0);
                let long = matches!(value, Literal::Text(units) if units.len() > SHORT_TEXT);
                if kept || uses > 1 && long {
                    let name = variables::of_type(&expression.java_type);
                    return self.declare(&name, &expression);
                }
                expression
            }
            Step::Array { element, items } => {
                let expression = self.array(&types::erased(element), items);
                if kept || self.uses.get(&slot) != Some(&1) || expression.text.len() > 60 {
                    let name = variables::of_type(&expression.java_type);
                    return self.declare(&name, &expression);
                }
                expression
            }
            Step::Stub { interface, answers } => {
                let stands_for = types::erased(interface);
                if let Some(subclass) = self.names.info(&stands_for).and_then(|info| info.subclass.as_ref()) {
                    return self.anonymous(&stands_for, subclass, answers);
                }
                let expression = self.stub(&stands_for, answers);
                let name = variables::of_type(&expression.java_type);
                self.declare(&name, &expression)
            }
            Step::Call { callable, receiver, arguments, caught } => {
                let called = self.callable(*callable);
                let expression = self.call(called, *receiver, arguments);
                if is_last && !kept {
                    self.last = Some(expression.clone());
                    return expression;
                }
                match self.caught_at(slot).filter(|_| *caught && is_statement(called.kind)) {
                    Some(exception) => self.place_caught(slot, &exception, &expression, kept),
                    None => self.place(slot, called, expression, kept),
                }
            }
        }
    }

    /// The class to be caught at a step; none if nothing is thrown there.
    fn caught_at(&self, slot: Slot) -> Option<String> {
        let Some(reference) = self.reference else { return Some("java.lang.Exception".to_owned()) };
        let thrown = &reference.thrown_at(slot)?.type_name;
        // The compiler may know that a checked exception cannot come from there.
        let direct = self.care == Care::Usual && self.names.is_nameable(thrown);
        Some(if direct { thrown.clone() } else { THROWABLE.to_owned() })
    }

    /// A call that throws, after which the test goes on.
    fn place_caught(
        &mut self,
        slot: Slot,
        exception: &str,
        expression: &Expression,
        kept: bool,
    ) -> Expression {
        let shown = self.names.show(exception);
        let used = kept || self.uses.contains_key(&slot);
        let variable = used.then(|| self.variables.fresh(&variables::of_type(exception)));
        self.lines.extend(variable.iter().map(|name| format!("{shown} {name} = null;")));
        self.lines.push("try {".to_owned());
        self.lines.push(format!("    {};", expression.text));
        self.lines.push(format!("}} catch ({shown} expected) {{"));
        self.lines.push(match &variable {
            Some(name) => format!("    {name} = expected;"),
            None => "    // In both versions.".to_owned(),
        });
        self.lines.push("}".to_owned());
        match variable {
            Some(name) => Expression::new(name, exception),
            None => Expression::new("null", NULL),
        }
    }

    /// Puts a call into a line of its own, unless it is a mere constant.
    fn place(&mut self, slot: Slot, called: &Callable, expression: Expression, kept: bool) -> Expression {
        let used = self.uses.contains_key(&slot);
        if self.names.is_plain_constant(called.kind, &called.owner) && !kept {
            return expression;
        }
        let is_read = matches!(called.kind, CallableKind::FieldGet | CallableKind::StaticGet);
        if expression.java_type != "void" && (used || kept || is_read) {
            let wanted = self.wanted_name(slot as usize, &expression.java_type);
            return self.declare(&wanted, &expression);
        }
        self.lines.push(format!("{};", expression.text));
        // Arena and Java agree that a call without a result gives `null`.
        Expression::new("null", NULL)
    }

    fn wanted_name(&self, number: usize, java_type: &str) -> String {
        match &self.sequence.steps[number] {
            Step::Call { callable, .. } => variables::of_call(self.callable(*callable), java_type),
            _ => variables::of_type(java_type),
        }
    }

    fn declared(&self, java_type: &str) -> String {
        if java_type == NULL || !self.names.is_nameable(java_type) {
            self.names.show(OBJECT)
        } else {
            self.names.show(java_type)
        }
    }

    fn declare(&mut self, wanted: &str, expression: &Expression) -> Expression {
        let name = self.variables.fresh(wanted);
        let hidden = expression.java_type == NULL || !self.names.is_nameable(&expression.java_type);
        let java_type = if hidden { OBJECT } else { &expression.java_type };
        self.lines.push(format!("{} {name} = {};", self.declared(java_type), expression.text));
        Expression::new(name, java_type)
    }

    fn constant(&self, type_name: &str, value: &Literal) -> Expression {
        let plain = types::erased(type_name);
        let primitive = in_box(&plain).unwrap_or(&plain);
        match value {
            Literal::Null => Expression::new("null", NULL),
            Literal::Boolean(value) => Expression::new(value.to_string(), "boolean"),
            Literal::Integer(value) => match primitive {
                "byte" | "short" => Expression::new(format!("({primitive}) {value}"), primitive),
                "long" => Expression::new(literal::long(*value), "long"),
                _ => Expression::new(literal::int(*value), "int"),
            },
            Literal::Char(unit) => Expression::new(literal::char(*unit), "char"),
            Literal::Float(bits) => Expression::new(literal::float(*bits), "float"),
            Literal::Double(bits) => Expression::new(literal::double(*bits), "double"),
            Literal::Text(units) => Expression::new(literal::text(units), STRING),
            Literal::Class(name) => {
                let shown = self.names.show(&types::erased(name));
                Expression::new(format!("{shown}.class"), "java.lang.Class")
            }
        }
    }

    fn array(&self, element: &str, items: &[Slot]) -> Expression {
        let items: Vec<String> = items.iter().map(|slot| self.passed(*slot, element, false)).collect();
        let base = element.trim_end_matches("[]");
        let dimensions = "[]".repeat((element.len() - base.len()) / 2 + 1);
        let shown =
            if self.names.is_nameable(base) { self.names.show(base) } else { self.names.show(OBJECT) };
        Expression::new(format!("new {shown}{dimensions} {{{}}}", items.join(", ")), format!("{element}[]"))
    }

    fn stub(&mut self, interface: &str, answers: &[Slot]) -> Expression {
        let lambda = stub::single_method(self.names.catalog(), interface)
            .filter(|_| self.care == Care::Usual)
            .and_then(|single| self.lambda(&single, answers));
        if let Some(text) = lambda {
            return Expression::new(text, interface);
        }
        self.proxy(interface, answers)
    }

    fn proxy(&mut self, interface: &str, answers: &[Slot]) -> Expression {
        let shown = self.names.show(interface);
        self.needs_stub_helper = true;
        let mut arguments = vec![format!("{shown}.class")];
        for slot in answers {
            let answer = self.slot(*slot);
            // A single `null` or array would be taken for all answers together.
            let alone = answers.len() == 1 && (answer.java_type == NULL || answer.java_type.ends_with("[]"));
            arguments.push(if alone { format!("(Object) {}", answer.text) } else { answer.text.clone() });
        }
        Expression::new(format!("({shown}) stub({})", arguments.join(", ")), interface)
    }

    /// A class without a name below an abstract one. Nothing in it is called by a name that the class above could have
    /// as well: fields of that would hide variables.
    fn anonymous(&mut self, above: &str, subclass: &Subclass, answers: &[Slot]) -> Expression {
        let steady: Option<Vec<String>> =
            subclass.methods.iter().map(|method| self.steady_answer(&method.result, answers)).collect();
        let supplier = if steady.is_none() {
            let supplier = self.proxy(SUPPLIER, answers);
            let name = self.variables.fresh("stubAnswers");
            let shown = self.names.show(SUPPLIER);
            self.lines.push(format!("final {shown} {name} = {};", supplier.text));
            name
        } else {
            String::new()
        };
        let shown = self.names.show(above);
        let name = self.variables.fresh(&variables::of_type(above));
        self.lines.push(format!("{shown} {name} = new {shown}() {{"));
        for (number, method) in subclass.methods.iter().enumerate() {
            let body = match &steady {
                Some(steady) if method.result != "void" => vec![format!("return {};", steady[number])],
                Some(_) => Vec::new(),
                None => self.next_answer(&method.result, &supplier),
            };
            self.lines.push("    @Override".to_owned());
            self.lines.push(format!("    {} {{", self.header(method)));
            self.lines.extend(body.into_iter().map(|line| format!("        {line}")));
            self.lines.push("    }".to_owned());
        }
        self.lines.push("};".to_owned());
        Expression::new(name, above)
    }

    /// The type in a class below one of the program, which may have a class of that simple name inside.
    fn inside(&self, name: &str) -> String {
        let plain = types::erased(name);
        if self.care == Care::Usual { self.names.show(&plain) } else { plain.replace('$', ".") }
    }

    fn header(&self, method: &MissingMethod) -> String {
        let parameters = method.parameters.iter().enumerate().map(|(number, parameter)| {
            let shown = self.inside(parameter);
            variables::LAMBDA_PARAMETERS
                .get(number)
                .map_or_else(|| format!("{shown} p{number}"), |name| format!("{shown} {name}"))
        });
        let parameters: Vec<String> = parameters.collect();
        format!("public {} {}({})", self.inside(&method.result), method.name, parameters.join(", "))
    }

    /// The answer that is always the same, as it can be written down anywhere.
    fn steady_answer(&self, result: &str, answers: &[Slot]) -> Option<String> {
        let written = |slot: &Slot| {
            let text = self.slot(*slot).text.as_str();
            let is_word = text.chars().all(|unit| unit.is_alphanumeric() || unit == '_');
            let is_constant = matches!(self.sequence.steps.get(*slot as usize), Some(Step::Constant { .. }));
            is_constant
                && (!is_word
                    || text.starts_with(|unit: char| unit.is_ascii_digit())
                    || matches!(text, "null" | "true" | "false"))
        };
        if !answers.iter().all(written) {
            return None;
        }
        self.answer(&types::erased(result), answers)
    }

    /// Statements that return the next answer, if it fits.
    fn next_answer(&self, result: &str, supplier: &str) -> Vec<String> {
        let result = types::erased(result);
        match result.as_str() {
            "void" => vec![format!("{supplier}.get();")],
            OBJECT => vec![format!("return {supplier}.get();")],
            _ => {
                let object = self.inside(OBJECT);
                let boxed = self.inside(box_of(&result).unwrap_or(&result));
                vec![
                    format!("{object} answer = {supplier}.get();"),
                    format!("return answer instanceof {boxed} ? ({boxed}) answer : {};", nothing(&result)),
                ]
            }
        }
    }

    /// A lambda that always gives the same answer; none if it takes more than that.
    fn lambda(&self, single: &Single, answers: &[Slot]) -> Option<String> {
        let parameters = &variables::LAMBDA_PARAMETERS.get(..single.parameters)?;
        let parameters = match parameters {
            [one] => (*one).to_owned(),
            more => format!("({})", more.join(", ")),
        };
        if single.result == "void" {
            return Some(format!("{parameters} -> {{ }}"));
        }
        Some(format!("{parameters} -> {}", self.answer(&single.result, answers)?))
    }

    /// What a method of a stub always gives, whose result is of an erased type; none if that is not one thing.
    fn answer(&self, result: &str, answers: &[Slot]) -> Option<String> {
        match answers {
            [] => Some(nothing(result).to_owned()),
            [slot] => {
                let answer = self.slot(*slot);
                let known = answer.java_type == NULL
                    || is_primitive(&answer.java_type)
                    || in_box(&answer.java_type).is_some()
                    || answer.java_type == STRING;
                if self.names.is_assignable(&answer.java_type, result) {
                    Some(answer.text.clone())
                } else if known {
                    Some(nothing(result).to_owned())
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The method as its superclass declares it, where the class that was named takes less than what is passed.
    fn as_declared(&self, called: &'a Callable, arguments: &[Slot]) -> &'a Callable {
        let too_narrow = arguments.iter().zip(&called.parameters).any(|(slot, parameter)| {
            let held = &self.slot(*slot).java_type;
            let known = is_primitive(held) || in_box(held).is_some() || held == STRING;
            known && !self.names.are_related(held, &types::erased(parameter))
        });
        let is_wider = |other: &&Callable| {
            other.name == called.name
                && other.descriptor == called.descriptor
                && other.owner != called.owner
                && self.names.is_assignable(&called.owner, &other.owner)
        };
        if !too_narrow || called.kind != CallableKind::Method {
            return called;
        }
        self.names.catalog().callables.iter().find(is_wider).unwrap_or(called)
    }

    fn call(&self, called: &'a Callable, receiver: Option<Slot>, arguments: &[Slot]) -> Expression {
        let called = self.as_declared(called, arguments);
        let (mut parameters, result) = of_descriptor(&called.descriptor);
        if parameters.len() == called.parameters.len() {
            // A class that fixes a type variable of its superclass takes no more than that.
            parameters = called.parameters.iter().map(|name| types::erased(name)).collect();
        }
        let owner = &called.owner;
        let exact = self.care != Care::Usual || self.is_overloaded(called, arguments.len());
        let passed = |from: usize| {
            let each = arguments.iter().zip(&parameters).enumerate().skip(from);
            let each = each.map(|(index, (slot, parameter))| {
                let variable = called.varargs && index + 1 == parameters.len();
                self.passed(*slot, parameter, exact || variable && self.slot(*slot).java_type == NULL)
            });
            each.collect::<Vec<_>>().join(", ")
        };
        let target = || receiver.map(|slot| self.receiver(slot, called, exact)).unwrap_or_default();
        let name = &called.name;
        let text = match called.kind {
            CallableKind::Constructor => {
                let inner = self.names.info(owner).is_some_and(|info| info.is_inner);
                if let (true, Some(outer), Some(outer_type)) = (inner, arguments.first(), parameters.first())
                {
                    let simple = owner.rsplit(['$', '.']).next().unwrap_or(owner);
                    format!("{}.new {simple}({})", self.as_type(*outer, outer_type), passed(1))
                } else {
                    format!("new {}({})", self.names.show(owner), passed(0))
                }
            }
            CallableKind::Method => format!("{}.{name}({})", target(), passed(0)),
            CallableKind::StaticMethod => format!("{}.{name}({})", self.names.show(owner), passed(0)),
            CallableKind::FieldGet => format!("{}.{name}", target()),
            CallableKind::StaticGet => format!("{}.{name}", self.names.show(owner)),
            CallableKind::FieldSet | CallableKind::StaticSet => {
                let place = if receiver.is_some() { target() } else { self.names.show(owner) };
                let value = arguments.first().map(|slot| self.passed(*slot, &result, false));
                return Expression::new(format!("{place}.{name} = {}", value.unwrap_or_default()), "void");
            }
        };
        let java_type = if called.kind == CallableKind::Constructor { owner.clone() } else { result };
        Expression::new(text, java_type)
    }

    /// May the compiler take another method of that name? A library may have more than the catalog lists.
    fn is_overloaded(&self, called: &Callable, arguments: usize) -> bool {
        let is_method = matches!(
            called.kind,
            CallableKind::Constructor | CallableKind::Method | CallableKind::StaticMethod
        );
        if !is_method {
            return false;
        }
        if !self.names.is_subject(&called.owner) {
            return true;
        }
        self.names.catalog().callables.iter().any(|other| {
            let arity = other.parameters.len();
            other.name == called.name
                && other.parameters != called.parameters
                && (arity == arguments || other.varargs && arity <= arguments + 1)
                && if called.kind == CallableKind::Constructor {
                    other.owner == called.owner
                } else {
                    self.names.are_related(&other.owner, &called.owner)
                }
        })
    }

    fn receiver(&self, slot: Slot, called: &Callable, exact: bool) -> String {
        // A subclass may hide a field behind one of the same name, and have a method that fits better.
        let is_field = matches!(called.kind, CallableKind::FieldGet | CallableKind::FieldSet);
        let hides = is_field || exact && !called.parameters.is_empty();
        if hides && self.slot(slot).java_type != called.owner {
            return format!("(({}) {})", self.names.show(&called.owner), self.slot(slot).as_operand());
        }
        self.as_type(slot, &called.owner)
    }

    /// A slot to call something on, as a value of that type.
    fn as_type(&self, slot: Slot, wanted: &str) -> String {
        let held = self.slot(slot);
        let is_object = !is_primitive(&held.java_type) && held.java_type != NULL;
        if is_object && self.names.is_assignable(&held.java_type, wanted) {
            return held.as_receiver();
        }
        format!("(({}) {})", self.names.show(wanted), held.as_operand())
    }

    /// A slot as an argument; `exact` where the static type decides which method is called.
    fn passed(&self, slot: Slot, wanted: &str, exact: bool) -> String {
        cast(self.names, self.slot(slot), wanted, exact)
    }
}

/// What a stub answers that has no answer that fits.
fn nothing(result: &str) -> &'static str {
    match result {
        "boolean" => "false",
        "char" => "'\\u0000'",
        primitive if is_primitive(primitive) => "0",
        _ => "null",
    }
}

/// Can it stand alone?
fn is_statement(kind: CallableKind) -> bool {
    !matches!(kind, CallableKind::FieldGet | CallableKind::StaticGet)
}

/// An expression where a value of an erased type is wanted.
pub(super) fn cast(names: &Names<'_>, held: &Expression, wanted: &str, exact: bool) -> String {
    if held.java_type == wanted || !names.is_nameable(wanted) {
        return held.text.clone();
    }
    let fits = names.is_assignable(&held.java_type, wanted);
    if fits && !exact {
        return held.text.clone();
    }
    match box_of(wanted) {
        // Only a box can be unboxed.
        Some(boxed) if !fits && !is_primitive(&held.java_type) => {
            let unboxed = format!("({}) {}", names.show(boxed), held.as_operand());
            if exact { format!("({wanted}) {unboxed}") } else { unboxed }
        }
        _ => format!("({}) {}", names.show(wanted), held.as_operand()),
    }
}
