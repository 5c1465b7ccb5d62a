//! What the kinds of syntax nodes mean.

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
