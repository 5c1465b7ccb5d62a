//! Loops of a test: unrolled as far as constants tell, and a few times at most.

use tree_sitter::Node;

use super::{Flow, Interpreter, Value};
use crate::knowledge::unit::children;

/// How often a body is run.
const UNROLLED: usize = 6;

impl<'a> Interpreter<'a> {
    pub(super) fn for_statement(&mut self, node: Node<'a>) -> Flow<'a> {
        let mut cursor = node.walk();
        let init: Vec<Node<'a>> = node.children_by_field_name("init", &mut cursor).collect();
        let mut cursor = node.walk();
        let update: Vec<Node<'a>> = node.children_by_field_name("update", &mut cursor).collect();
        let condition = node.child_by_field_name("condition");
        let Some(body) = node.child_by_field_name("body") else { return Flow::Next };
        self.scoped(|this| {
            for part in init {
                if part.kind() == "local_variable_declaration" {
                    this.statement(part);
                } else {
                    this.eval(part);
                }
            }
            this.repeat(condition, body, &update)
        })
    }

    pub(super) fn while_statement(&mut self, node: Node<'a>) -> Flow<'a> {
        let Some(body) = node.child_by_field_name("body") else { return Flow::Next };
        let condition = node.child_by_field_name("condition");
        self.repeat(condition, body, &[])
    }

    fn repeat(&mut self, condition: Option<Node<'a>>, body: Node<'a>, update: &[Node<'a>]) -> Flow<'a> {
        for _ in 0..UNROLLED {
            let holds = match condition.map(|condition| self.eval(condition)) {
                Some(Value::Constant(constant)) => constant.as_bool(),
                _ => None,
            };
            if holds == Some(false) {
                return Flow::Next;
            }
            match self.scoped(|this| this.statement(body)) {
                Flow::Next => {}
                Flow::Leave => return Flow::Next,
                other => return other,
            }
            if holds.is_none() {
                return Flow::Next;
            }
            for part in update {
                self.eval(*part);
            }
        }
        Flow::Next
    }

    pub(super) fn for_each(&mut self, node: Node<'a>) -> Flow<'a> {
        let (Some(name), Some(value), Some(body)) = (
            node.child_by_field_name("name"),
            node.child_by_field_name("value"),
            node.child_by_field_name("body"),
        ) else {
            return Flow::Next;
        };
        let class = self.class();
        let written =
            node.child_by_field_name("type").map(|node| class.unit.type_name(node)).unwrap_or_default();
        let type_name = self.types.resolve(class.unit, &class.binary, &written);
        let value = self.eval(value);
        let items = match &value {
            Value::Array(at) => self.state.arrays[*at].items.clone(),
            Value::Made { slot, .. } => {
                self.state.contents.get(slot).cloned().unwrap_or_else(|| vec![Value::Unknown])
            }
            _ => vec![Value::Unknown],
        };
        for item in items.into_iter().take(UNROLLED) {
            let item = if written.name == "var" { item } else { Self::as_declared(item, &type_name) };
            let flow = self.scoped(|this| {
                this.declare(this.text(name), item);
                this.statement(body)
            });
            match flow {
                Flow::Next => {}
                Flow::Leave => return Flow::Next,
                other => return other,
            }
        }
        Flow::Next
    }

    /// Evaluates the items of an `array_initializer`.
    pub(super) fn array_items(&mut self, node: Node<'a>, element: &str) -> Value<'a> {
        let items = children(node).into_iter().map(|item| self.initial(item, Some(element))).collect();
        self.new_array(element, items)
    }
}
