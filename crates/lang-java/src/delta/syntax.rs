//! What the kinds of syntax nodes mean.

use std::borrow::Cow;

use bonafix_delta::{Grammar, Interner, Outline};
use camino::Utf8Path;

use super::{outline, source};

/// Java's grammar.
pub(super) struct Java;

impl Grammar for Java {
    fn name(&self) -> &'static str {
        "Java"
    }

    fn outline(&self, text: String, path: &Utf8Path, interner: &mut Interner) -> Outline {
        outline::read(text, path, interner)
    }

    fn is_comment(&self, kind: &str) -> bool {
        is_comment(kind)
    }

    fn is_one_word(&self, kind: &str) -> bool {
        matches!(kind, "string_literal" | "integral_type" | "floating_point_type")
    }

    fn is_only_a_list(&self, kind: &str) -> bool {
        matches!(
            kind,
            "program" | "parenthesized_expression" | "argument_list" | "formal_parameters" | "modifiers"
        )
    }

    fn counts(&self, token: &str, parent: &str) -> bool {
        match parent {
            "binary_expression"
            | "unary_expression"
            | "update_expression"
            | "assignment_expression"
            | "modifiers" => true,
            "dimensions" => token == "[",
            "import_declaration" => token == "static",
            "instanceof_expression" => token == "final",
            "method_reference" => token == "new",
            "switch_label" => token == "default",
            "wildcard" => token == "extends",
            _ => false,
        }
    }

    fn word<'a>(&self, kind: &str, text: &'a str) -> Cow<'a, str> {
        if kind == "string_literal" { source::string_literal(text) } else { Cow::Borrowed(text) }
    }
}

pub(super) fn is_comment(kind: &str) -> bool {
    kind == "line_comment" || kind == "block_comment"
}

pub(crate) fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

pub(super) fn is_type_body(kind: &str) -> bool {
    matches!(kind, "class_body" | "interface_body" | "enum_body_declarations" | "annotation_type_body")
}

pub(super) fn is_statement(kind: &str) -> bool {
    matches!(
        kind,
        "block"
            | "catch_clause"
            | "explicit_constructor_invocation"
            | "finally_clause"
            | "import_declaration"
            | "local_variable_declaration"
            | "package_declaration"
            | "switch_block_statement_group"
            | "switch_expression"
            | "switch_rule"
    ) || kind.ends_with("_statement")
}

/// Is this block the body of something, rather than a statement among others?
pub(super) fn is_body_block(kind: &str, parent: &str, field: Option<&str>) -> bool {
    kind == "block"
        && (field.is_some()
            || matches!(
                parent,
                "finally_clause"
                    | "switch_rule"
                    | "static_initializer"
                    | "labeled_statement"
                    | "lambda_expression"
            ))
}

/// Does this syntax node hold the statements of a body?
pub(super) fn is_body(kind: &str) -> bool {
    matches!(kind, "block" | "constructor_body" | "switch_block" | "switch_block_statement_group" | "program")
}
