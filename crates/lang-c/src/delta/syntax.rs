//! What the kinds of syntax nodes mean, in C and in C++.

use bonafix_delta::{Grammar, Interner, Outline};
use camino::Utf8Path;

use super::outline;

/// C's grammar.
pub(super) struct C;

/// C++'s grammar.
pub(super) struct Cxx;

impl Grammar for C {
    fn name(&self) -> &'static str {
        "C"
    }

    fn outline(&self, text: String, path: &Utf8Path, interner: &mut Interner) -> Outline {
        outline::read(text, path, &tree_sitter_c::LANGUAGE.into(), false, interner)
    }

    fn is_comment(&self, kind: &str) -> bool {
        kind == "comment"
    }

    fn is_one_word(&self, kind: &str) -> bool {
        is_literal(kind) || kind == "sized_type_specifier"
    }

    fn is_only_a_list(&self, kind: &str) -> bool {
        matches!(kind, "translation_unit" | "parenthesized_expression" | "argument_list" | "parameter_list")
    }

    fn counts(&self, token: &str, parent: &str) -> bool {
        match parent {
            "binary_expression"
            | "unary_expression"
            | "pointer_expression"
            | "update_expression"
            | "assignment_expression"
            | "field_expression"
            | "storage_class_specifier"
            | "type_qualifier" => true,
            "case_statement" => token == "default",
            _ => false,
        }
    }
}

impl Grammar for Cxx {
    fn name(&self) -> &'static str {
        "C++"
    }

    fn outline(&self, text: String, path: &Utf8Path, interner: &mut Interner) -> Outline {
        outline::read(text, path, &tree_sitter_cpp::LANGUAGE.into(), true, interner)
    }

    fn is_comment(&self, kind: &str) -> bool {
        C.is_comment(kind)
    }

    fn is_one_word(&self, kind: &str) -> bool {
        C.is_one_word(kind)
    }

    fn is_only_a_list(&self, kind: &str) -> bool {
        C.is_only_a_list(kind) || kind == "template_parameter_list"
    }

    fn counts(&self, token: &str, parent: &str) -> bool {
        C.counts(token, parent) || matches!(parent, "access_specifier" | "virtual" | "reference_declarator")
    }
}

/// Text in quotation marks, which the grammar takes apart.
pub(super) fn is_literal(kind: &str) -> bool {
    matches!(kind, "string_literal" | "char_literal" | "raw_string_literal")
}

/// `struct`, `union`, `enum` or `class`.
pub(super) fn is_type(kind: &str) -> bool {
    matches!(kind, "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier")
}

/// `#if` and its kin, with what stands between.
pub(super) fn is_conditional(kind: &str) -> bool {
    matches!(kind, "preproc_if" | "preproc_ifdef" | "preproc_elif" | "preproc_elifdef" | "preproc_else")
}

/// Is this a statement, inside of a function?
pub(super) fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement")
        || matches!(kind, "declaration" | "catch_clause" | "type_definition")
        || kind.starts_with("preproc_") && (is_conditional(kind) || is_directive(kind))
}

/// A directive of one line.
fn is_directive(kind: &str) -> bool {
    matches!(kind, "preproc_def" | "preproc_function_def" | "preproc_include" | "preproc_call")
}

/// Is this block the body of something, rather than a statement among others?
pub(super) fn is_body_block(kind: &str, parent: &str) -> bool {
    let among_others = matches!(parent, "compound_statement" | "case_statement" | "labeled_statement");
    kind == "compound_statement" && !among_others && !is_conditional(parent)
}

/// Does this syntax node hold the statements of a body?
pub(super) fn is_body(kind: &str) -> bool {
    matches!(kind, "compound_statement" | "case_statement") || is_conditional(kind)
}
