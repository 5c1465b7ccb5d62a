//! What a declaration says besides its body: types, modifiers, annotations.

use tree_sitter::Node;

use super::syntax::is_comment;

/// The leaves below a node but comments and annotations, in order.
fn leaves<'a>(node: Node<'_>, text: &'a str) -> Vec<&'a str> {
    bonafix_delta::leaves(node, text, |node| is_comment(node.kind()) || is_annotation(node.kind()))
}

fn is_annotation(kind: &str) -> bool {
    kind == "annotation" || kind == "marker_annotation"
}

/// A type as a person would write it, whatever the white space in the source.
fn render(leaves: &[&str]) -> String {
    let mut rendered = String::new();
    for leaf in leaves {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let after = rendered.chars().last();
        let spaced = match (after, leaf.chars().next()) {
            (Some(',' | '&'), _) | (_, Some('&')) => true,
            (Some(a), Some(b)) => (word(a) || a == '?' || a == '>' || a == ']') && word(b),
            _ => false,
        };
        if spaced {
            rendered.push(' ');
        }
        rendered.push_str(leaf);
    }
    rendered
}

/// The name in a package declaration.
pub(super) fn package(node: Node<'_>, text: &str) -> String {
    let leaves = leaves(node, text);
    leaves.iter().filter(|&&leaf| leaf != "package" && leaf != ";").copied().collect()
}

/// The types of a `formal_parameters` node.
pub(super) fn parameters(list: Node<'_>, text: &str) -> Vec<String> {
    let mut cursor = list.walk();
    list.children(&mut cursor)
        .filter(|child| matches!(child.kind(), "formal_parameter" | "spread_parameter"))
        .map(|parameter| parameter_type(parameter, text))
        .collect()
}

fn parameter_type(parameter: Node<'_>, text: &str) -> String {
    let name = parameter.child_by_field_name("name");
    let mut cursor = parameter.walk();
    let mut parts = Vec::new();
    for child in parameter.children(&mut cursor) {
        if child.kind() == "modifiers" || Some(child) == name {
            continue;
        }
        if child.kind() == "variable_declarator" {
            parts.extend(
                child.child_by_field_name("dimensions").map(|node| leaves(node, text)).unwrap_or_default(),
            );
        } else {
            parts.extend(leaves(child, text));
        }
    }
    render(&parts)
}

/// The name of a parameter or record component.
pub(super) fn parameter_name(parameter: Node<'_>, text: &str) -> String {
    let declarator = parameter.child_by_field_name("name").or_else(|| {
        let mut cursor = parameter.walk();
        parameter
            .children(&mut cursor)
            .find(|child| child.kind() == "variable_declarator")
            .and_then(|declarator| declarator.child_by_field_name("name"))
    });
    declarator.map_or_else(String::new, |name| text[name.byte_range()].to_owned())
}

/// Modifiers, type parameters, types, supertypes, `throws`; no annotations, parameter names, values or bodies.
pub(super) fn tokens(declaration: Node<'_>, text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    if matches!(declaration.kind(), "block" | "static_initializer") {
        return tokens;
    }
    let mut cursor = declaration.walk();
    let children: Vec<_> = declaration.children(&mut cursor).collect();
    for (at, child) in children.iter().enumerate() {
        let field = u32::try_from(at).ok().and_then(|at| declaration.field_name_for_child(at));
        match (child.kind(), field) {
            ("formal_parameters", _) if declaration.kind() != "record_declaration" => {
                tokens.extend(parameters(*child, text));
            }
            ("block" | "formal_parameters" | "variable_declarator" | ";" | "default", _)
            | (_, Some("body" | "value" | "arguments")) => {}
            _ => tokens.extend(leaves(*child, text).into_iter().map(str::to_owned)),
        }
    }
    tokens
}

/// Does a class extend something whose name ends with `TestCase`?
pub(super) fn extends_test_case(class: Node<'_>, text: &str) -> bool {
    let superclass =
        class.child_by_field_name("superclass").map(|node| leaves(node, text)).unwrap_or_default();
    superclass.iter().take_while(|&&leaf| leaf != "<").last().is_some_and(|name| name.ends_with("TestCase"))
}

/// Is a method a test of JUnit 3, 4 or 5?
pub(super) fn is_test(method: Node<'_>, text: &str, in_test_case: bool) -> bool {
    if method.kind() != "method_declaration" {
        return false;
    }
    let mut cursor = method.walk();
    let modifiers = method.children(&mut cursor).find(|child| child.kind() == "modifiers");
    if modifiers.is_some_and(|modifiers| has_test_annotation(modifiers, text)) {
        return true;
    }
    let is = |field: &str, wanted: &dyn Fn(&str) -> bool| {
        method.child_by_field_name(field).is_some_and(|node| wanted(&text[node.byte_range()]))
    };
    let no_parameters =
        method.child_by_field_name("parameters").is_some_and(|list| list.named_child_count() == 0);
    let modifiers = modifiers.map(|node| leaves(node, text)).unwrap_or_default();
    in_test_case
        && no_parameters
        && modifiers.contains(&"public")
        && !modifiers.contains(&"static")
        && is("type", &|text| text == "void")
        && is("name", &|text| text.starts_with("test"))
}

fn has_test_annotation(modifiers: Node<'_>, text: &str) -> bool {
    const TESTS: [&str; 6] =
        ["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory"];
    let mut cursor = modifiers.walk();
    modifiers
        .children(&mut cursor)
        .filter(|child| is_annotation(child.kind()))
        .filter_map(|annotation| annotation.child_by_field_name("name"))
        .filter_map(|name| text[name.byte_range()].rsplit('.').next())
        .any(|name| TESTS.contains(&name.trim()))
}
