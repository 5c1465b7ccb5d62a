//! Statements of a test.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::{Constant, Flow, Interpreter, Value};
use crate::knowledge::unit::{children, declarators};

impl<'a> Interpreter<'a> {
    /// Runs the statements of a block in a scope of their own.
    pub(super) fn block(&mut self, block: Node<'a>) -> Flow<'a> {
        self.scoped(|this| {
            for statement in children(block) {
                match this.statement(statement) {
                    Flow::Next => {}
                    other => return other,
                }
            }
            Flow::Next
        })
    }

    pub(super) fn scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        self.frame_mut().scopes.push(BTreeMap::new());
        let result = body(self);
        self.frame_mut().scopes.pop();
        result
    }

    pub(super) fn statement(&mut self, node: Node<'a>) -> Flow<'a> {
        if !self.spend() {
            return Flow::End;
        }
        match node.kind() {
            "block" => self.block(node),
            "local_variable_declaration" => {
                self.local_variables(node);
                Flow::Next
            }
            "expression_statement" => self.expression_statement(node),
            "return_statement" => {
                let value = children(node).first().map_or(Value::Unknown, |value| self.eval(*value));
                Flow::Return(value)
            }
            "if_statement" => self.if_statement(node),
            "for_statement" => self.for_statement(node),
            "enhanced_for_statement" => self.for_each(node),
            "while_statement" | "do_statement" => self.while_statement(node),
            "try_statement" | "try_with_resources_statement" => self.try_statement(node),
            "labeled_statement" | "synchronized_statement" => {
                children(node).pop().map_or(Flow::Next, |body| self.statement(body))
            }
            "assert_statement" => {
                for part in children(node) {
                    self.eval(part);
                }
                Flow::Next
            }
            "throw_statement" => Flow::End,
            "break_statement" | "continue_statement" => Flow::Leave,
            "switch_expression" | "yield_statement" => {
                self.reading.left_out.push("switch".to_owned());
                Flow::Next
            }
            // Types that are declared inside, empty statements.
            _ => Flow::Next,
        }
    }

    fn local_variables(&mut self, node: Node<'a>) {
        let class = self.class();
        let declared =
            node.child_by_field_name("type").map(|node| class.unit.type_name(node)).unwrap_or_default();
        for declarator in declarators(node) {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            let written = class.unit.with_dimensions(declared.clone(), declarator);
            let type_name =
                (written.name != "var").then(|| self.types.resolve(class.unit, &class.binary, &written));
            let value = match declarator.child_by_field_name("value") {
                Some(value) => self.initial(value, type_name.as_deref()),
                None => Value::Unknown,
            };
            self.declare(self.text(name), value);
        }
    }

    /// The value of an initialiser for a variable of that type.
    pub(super) fn initial(&mut self, node: Node<'a>, type_name: Option<&str>) -> Value<'a> {
        let value = if node.kind() == "array_initializer" {
            let element = type_name.and_then(|name| name.strip_suffix("[]")).unwrap_or(super::OBJECT);
            self.array_items(node, element)
        } else {
            self.eval(node)
        };
        type_name.map_or(value.clone(), |type_name| Self::as_declared(value, type_name))
    }

    /// A value under the static type of the variable that holds it.
    pub(super) fn as_declared(value: Value<'a>, type_name: &str) -> Value<'a> {
        match value {
            Value::Made { slot, type_name: own } => {
                // A primitive value stays what the call has made.
                let keeps = super::is_primitive(&own);
                Value::Made { slot, type_name: if keeps { own } else { type_name.to_owned() } }
            }
            Value::Constant(constant) => {
                let fitted = super::fitting(&constant, type_name);
                Value::Constant(match fitted {
                    Some(fitted) if fitted.literal != bonafix_model::Literal::Null => fitted,
                    Some(_) => Constant::new(type_name, bonafix_model::Literal::Null),
                    None => constant,
                })
            }
            other => other,
        }
    }

    /// `fail()` ends what it stands in.
    fn expression_statement(&mut self, node: Node<'a>) -> Flow<'a> {
        let Some(expression) = children(node).first().copied() else { return Flow::Next };
        if self.is_call_of(expression, "fail") {
            return Flow::End;
        }
        self.eval(expression);
        Flow::Next
    }

    fn is_call_of(&self, node: Node<'a>, wanted: &str) -> bool {
        node.kind() == "method_invocation"
            && node.child_by_field_name("name").is_some_and(|name| self.text(name) == wanted)
    }

    fn if_statement(&mut self, node: Node<'a>) -> Flow<'a> {
        self.branch(node).map_or(Flow::Next, |branch| self.scoped(|this| this.statement(branch)))
    }

    fn try_statement(&mut self, node: Node<'a>) -> Flow<'a> {
        let Some(body) = node.child_by_field_name("body") else { return Flow::Next };
        let expects = self.calls_fail(body);
        let exceptions = self.caught(node);
        if expects && !exceptions.is_empty() {
            let thrown = self.expecting(&exceptions, |this| {
                this.scoped(|this| {
                    this.resources(node);
                    this.block(body)
                });
            });
            return self.catch_clause(node, thrown);
        }
        let flow = self.scoped(|this| {
            this.resources(node);
            this.block(body)
        });
        let finally = children(node).into_iter().find(|child| child.kind() == "finally_clause");
        if let (Flow::Next, Some(finally)) = (&flow, finally) {
            return children(finally).first().map_or(Flow::Next, |block| self.block(*block));
        }
        flow
    }

    /// What a test does with the exception that it expects.
    fn catch_clause(&mut self, node: Node<'a>, thrown: Value<'a>) -> Flow<'a> {
        let clause = children(node).into_iter().find(|child| child.kind() == "catch_clause");
        let parts = clause.map(children).unwrap_or_default();
        let (Some(parameter), Some(body), Value::Made { .. }) = (parts.first(), parts.last(), &thrown) else {
            return Flow::Next;
        };
        let name = parameter.child_by_field_name("name").map_or("", |name| self.text(name));
        self.scoped(|this| {
            this.declare(name, thrown);
            this.block(*body)
        })
    }

    /// Is `fail()` or a `throw` the end of a block?
    fn calls_fail(&self, body: Node<'a>) -> bool {
        children(body).last().is_some_and(|last| {
            last.kind() == "throw_statement"
                || last.kind() == "expression_statement"
                    && children(*last).first().is_some_and(|call| self.is_call_of(*call, "fail"))
        })
    }

    /// The exceptions that the clauses of a `try` catch.
    fn caught(&self, node: Node<'a>) -> Vec<String> {
        let class = self.class();
        let clauses = children(node).into_iter().filter(|child| child.kind() == "catch_clause");
        let parameters = clauses.filter_map(|clause| children(clause).first().copied());
        let types = parameters.flat_map(|parameter| {
            let types = children(parameter).into_iter().find(|child| child.kind() == "catch_type");
            types.map(children).unwrap_or_default()
        });
        types.map(|node| self.types.resolve(class.unit, &class.binary, &class.unit.type_name(node))).collect()
    }

    fn resources(&mut self, node: Node<'a>) {
        let Some(list) = node.child_by_field_name("resources") else { return };
        for resource in children(list) {
            let (Some(name), Some(value)) =
                (resource.child_by_field_name("name"), resource.child_by_field_name("value"))
            else {
                continue;
            };
            let value = self.eval(value);
            self.declare(self.text(name), value);
        }
    }
}
