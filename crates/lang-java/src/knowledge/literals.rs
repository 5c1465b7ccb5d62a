//! Constants that the program and its tests are written with, those of the change first.

use std::collections::BTreeSet;

use bonafix_model::{ChangeKind, DeltaElement, ElementKind, LineRange, Literal, LiteralSource, MinedLiteral};
use tree_sitter::Node;

use super::constant::{self, Constant};
use super::sources::SourceText;
use super::unit::Unit;

/// Constants in all.
const MAX_LITERALS: usize = 400;
/// UTF-16 units of a string.
const MAX_TEXT: usize = 2000;

/// Where lines of a file lie, nearest to the change first.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) statements: Vec<LineRange>,
    pub(super) members: Vec<LineRange>,
}

impl Places {
    /// Those of the changed elements of one side of a delta.
    pub(super) fn add(&mut self, element: &DeltaElement, before: bool) {
        let (range, statements) = if before {
            (element.before, &element.statements_before)
        } else {
            (element.after, &element.statements_after)
        };
        self.statements.extend(statements.iter().map(|statement| statement.lines));
        match (range, element.kind) {
            (None, _) | (_, ElementKind::Type | ElementKind::File) => {}
            // A member that only one version has is change through and through.
            (Some(range), _) if element.change != ChangeKind::Changed => self.statements.push(range),
            (Some(range), _) => self.members.push(range),
        }
    }

    fn source(&self, line: u32) -> LiteralSource {
        let within =
            |ranges: &[LineRange]| ranges.iter().any(|range| range.first <= line && line <= range.last);
        if within(&self.statements) {
            LiteralSource::Change
        } else if within(&self.members) {
            LiteralSource::Method
        } else {
            LiteralSource::Class
        }
    }
}

/// Collects constants, each once and with the nearest place it was seen in.
#[derive(Debug, Default)]
pub(super) struct Miner {
    found: Vec<MinedLiteral>,
}

impl Miner {
    /// Constants of a changed file.
    pub(super) fn changed(&mut self, text: String, places: &Places) {
        let unit = Unit::parse(text);
        self.mine(&unit, &|line| places.source(line));
    }

    /// Constants of a test.
    pub(super) fn test(&mut self, file: &SourceText) {
        self.mine(file.unit(), &|_| LiteralSource::Test);
    }

    fn mine(&mut self, unit: &Unit, source: &dyn Fn(u32) -> LiteralSource) {
        let mut open = vec![unit.root()];
        while let Some(node) = open.pop() {
            if node.kind() == "import_declaration" || super::unit::is_annotation(node.kind()) {
                continue;
            }
            let line = u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX);
            if let Some(constant) = constant_at(unit, node) {
                self.add(source(line), constant);
                continue;
            }
            let mut cursor = node.walk();
            let inner: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            open.extend(inner.into_iter().rev());
        }
    }

    fn add(&mut self, source: LiteralSource, constant: Constant) {
        let keep = match &constant.literal {
            Literal::Null | Literal::Boolean(_) | Literal::Class(_) => false,
            Literal::Text(units) => units.len() <= MAX_TEXT,
            _ => true,
        };
        if keep {
            self.found.push(MinedLiteral { source, value: constant.literal });
        }
    }

    /// The constants, nearest first and otherwise in the order in which they stand.
    pub(super) fn finish(mut self) -> Vec<MinedLiteral> {
        self.found.sort_by_key(|literal| literal.source);
        let mut known = BTreeSet::new();
        self.found.retain(|literal| known.insert(literal.value.clone()));
        self.found.truncate(MAX_LITERALS);
        self.found
    }
}

/// A literal, or a minus before a number.
fn constant_at(unit: &Unit, node: Node<'_>) -> Option<Constant> {
    if node.kind() == "unary_expression" {
        let operator = node.child_by_field_name("operator")?;
        let operand = node.child_by_field_name("operand")?;
        let number = constant::of_literal(operand.kind(), unit.text(operand))?;
        return constant::unary(unit.text(operator), &number);
    }
    constant::of_literal(node.kind(), unit.text(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_come_once_and_from_the_nearest_place() {
        let places = Places {
            statements: vec![LineRange { first: 3, last: 3 }],
            members: vec![LineRange { first: 2, last: 4 }],
        };
        let mut miner = Miner::default();
        miner.changed(
            "class A { static final int MAX = -0x10; String s = \"a\\n\";\n  int f(int x) {\n    return x + 7;\n \
             } int g() { return 7 + 'c' + (int) 2.5; } @Deprecated(since = \"9\") void h() { g(true, null); } }\n"
                .to_owned(),
            &places,
        );
        let found = miner.finish();
        let text = |value: &str| Literal::Text(value.encode_utf16().collect());
        let expected = [
            (LiteralSource::Change, Literal::Integer(7)),
            (LiteralSource::Method, Literal::Char(99)),
            (LiteralSource::Method, Literal::Double(2.5_f64.to_bits())),
            (LiteralSource::Class, Literal::Integer(-16)),
            (LiteralSource::Class, text("a\n")),
        ];
        let found: Vec<_> = found.into_iter().map(|literal| (literal.source, literal.value)).collect();
        assert_eq!(found, expected);
    }
}
