//! One version of a file as functions, variables, macros, types: the walk over its syntax tree, once, without recursion.

use bonafix_delta::{Builder, Element, Interner, Outline, Standing, lines_of};
use bonafix_model::ElementKind;
use camino::Utf8Path;
use tree_sitter::{Language, Node, Parser, Tree};

use super::syntax::{is_body, is_body_block, is_literal, is_statement, is_type};

/// Reads a decoded source.
pub(super) fn read(
    text: String,
    path: &Utf8Path,
    language: &Language,
    is_cxx: bool,
    interner: &mut Interner,
) -> Outline {
    let tree = parse(&text, language);
    let mut walker = Walker {
        text: &text,
        builder: Builder::new(interner),
        path,
        is_cxx,
        qualifiers: Vec::new(),
        is_closed: false,
    };
    walker.walk(&tree);
    let gathered = walker.builder.finish();
    Outline::new(text, tree, gathered, interner)
}

fn parse(text: &str, language: &Language) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(language).expect("the grammar fits the library");
    parser.parse(text, None).expect("without a time limit there is always a tree")
}

/// How things stood when the walk entered a syntax node.
struct Scope<'tree> {
    kind: &'tree str,
    standing: Standing,
    qualifiers: usize,
    is_closed: bool,
}

struct Walker<'a> {
    text: &'a str,
    builder: Builder<'a>,
    path: &'a Utf8Path,
    is_cxx: bool,
    /// Namespaces and types that the walk is inside of.
    qualifiers: Vec<String>,
    /// The walk is inside of an element that holds statements, and no elements.
    is_closed: bool,
}

impl<'a> Walker<'a> {
    fn walk(&mut self, tree: &Tree) {
        let mut scopes: Vec<Scope<'_>> = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let parent = scopes.last().map_or("", |scope| scope.kind);
            let (scope, descend) = self.enter(cursor.node(), cursor.field_name(), parent);
            scopes.push(scope);
            if descend && cursor.goto_first_child() {
                continue;
            }
            self.leave(scopes.pop());
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave(scopes.pop());
            }
        }
    }

    fn enter<'tree>(&mut self, node: Node<'tree>, field: Option<&str>, parent: &str) -> (Scope<'tree>, bool) {
        let kind = node.kind();
        let mut scope = Scope {
            kind,
            standing: self.builder.standing(),
            qualifiers: self.qualifiers.len(),
            is_closed: self.is_closed,
        };
        if kind == "translation_unit" {
            self.open_file(node);
            self.builder.open_body(&mut scope.standing);
            return (scope, true);
        }
        if kind == "comment" {
            return (scope, false);
        }
        if is_literal(kind) || node.child_count() == 0 {
            self.builder.token(node, self.text_of(node));
            return (scope, false);
        }
        if self.is_closed {
            let is_init = field == Some("initializer") || parent == "init_statement";
            if is_statement(kind) && !is_init && !is_body_block(kind, parent) {
                self.builder.open_statement(node);
            }
            if is_body(kind) {
                self.builder.open_body(&mut scope.standing);
            }
        } else {
            self.open_outside(node, parent);
        }
        (scope, true)
    }

    fn leave(&mut self, scope: Option<Scope<'_>>) {
        let Some(scope) = scope else { return };
        // Kept to the end of the file, so that what stands outside of all else has a body to be in.
        if scope.kind == "translation_unit" {
            return;
        }
        self.builder.leave(&scope.standing);
        self.qualifiers.truncate(scope.qualifiers);
        self.is_closed = scope.is_closed;
    }

    /// Opens what stands outside of functions.
    fn open_outside(&mut self, node: Node<'_>, parent: &str) {
        match node.kind() {
            "function_definition" => self.open_function(node),
            "preproc_def" | "preproc_function_def" => {
                self.open_simple(node, ElementKind::Field, "macro", &self.field_text(node, "name"));
            }
            "type_definition" => {
                let name = declared_name(node).map(|name| self.text_of(name).to_owned()).unwrap_or_default();
                self.open_simple(node, ElementKind::Type, "type", &name);
            }
            "declaration" if is_variable(node) => {
                let name = declared_name(node).map(|name| self.text_of(name).to_owned()).unwrap_or_default();
                self.open_simple(node, ElementKind::Field, "variable", &name);
            }
            "namespace_definition" => self.qualifiers.push(self.field_text(node, "name")),
            kind if is_type(kind) && node.child_by_field_name("body").is_some() => {
                let name = self.field_text(node, "name");
                self.open_simple(node, ElementKind::Type, "type", &name);
                self.qualifiers.push(name);
                // Only types of C++ hold functions.
                self.is_closed = !self.is_cxx;
            }
            "declaration"
            | "preproc_include"
            | "preproc_call"
            | "expression_statement"
            | "using_declaration"
            | "alias_declaration"
                if !is_type(parent) =>
            {
                self.builder.open_statement(node);
                // `struct x { … } f(void);`
                self.is_closed = node.kind() != "declaration";
            }
            _ => {}
        }
    }

    fn text_of(&self, node: Node<'_>) -> &'a str {
        &self.text[node.byte_range()]
    }

    fn field_text(&self, node: Node<'_>, field: &str) -> String {
        node.child_by_field_name(field).map_or_else(String::new, |child| self.text_of(child).to_owned())
    }

    fn qualified(&self, name: &str) -> String {
        let named = self.qualifiers.iter().map(String::as_str).filter(|part| !part.is_empty());
        named.chain([name]).collect::<Vec<_>>().join("::")
    }

    fn open_file(&mut self, root: Node<'_>) {
        let piece = self.builder.open_element(root);
        let name = self.path.to_string();
        let member = self.path.file_name().unwrap_or("").to_owned();
        self.builder.push_element(Element { name, member, ..element(ElementKind::File, piece, root) });
    }

    /// A macro, a type or a variable. Those that declare several at once are named for the first.
    fn open_simple(&mut self, node: Node<'_>, kind: ElementKind, sort: &str, name: &str) {
        let piece = self.builder.open_element(node);
        let qualified = self.qualified(name);
        let key = format!("{sort} {qualified}");
        self.builder.push_element(Element {
            key: key.clone(),
            loose_key: key,
            name: qualified,
            owner: self.qualifiers.join("::"),
            member: name.to_owned(),
            ..element(kind, piece, node)
        });
        self.is_closed = true;
    }

    fn open_function(&mut self, node: Node<'_>) {
        let name = declared_name(node).map_or("", |name| self.text_of(name)).to_owned();
        let parameters = parameters(node, self.text);
        let qualified = self.qualified(&name);
        let (signature, piece) =
            (self.builder.intern(&signature(node, self.text)), self.builder.open_element(node));
        let loose_key = format!("function {qualified}");
        let shown = if self.is_cxx { format!("{qualified}({})", parameters.join(", ")) } else { qualified };
        self.builder.push_element(Element {
            key: format!("{loose_key}({})", parameters.join(",")),
            loose_key,
            name: shown,
            owner: self.qualifiers.join("::"),
            member: name,
            parameters,
            signature,
            ..element(ElementKind::Method, piece, node)
        });
        self.is_closed = true;
    }
}

/// An element of which nothing is known but what and where it is.
fn element(kind: ElementKind, piece: usize, node: Node<'_>) -> Element {
    Element {
        kind,
        key: String::new(),
        loose_key: String::new(),
        name: String::new(),
        owner: String::new(),
        member: String::new(),
        parameters: Vec::new(),
        piece,
        shared: 0..0,
        signature: Vec::new(),
        lines: lines_of(node),
        is_test: false,
        ordered: false,
        type_key: String::new(),
    }
}

/// The innermost node of a chain of declarators: `f` in `char *(*f)(int)`.
fn declared_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node.child_by_field_name("declarator")?;
    loop {
        let inner = node.child_by_field_name("declarator").or_else(|| {
            // Parentheses and references have no name for what is in them.
            let wraps = matches!(node.kind(), "parenthesized_declarator" | "reference_declarator");
            if wraps { node.named_child(0) } else { None }
        });
        match inner {
            Some(inner) => node = inner,
            None => return Some(node),
        }
    }
}

/// Does a declaration make a variable, and is no mere prototype?
fn is_variable(node: Node<'_>) -> bool {
    let Some(mut declarator) = node.child_by_field_name("declarator") else { return false };
    loop {
        match declarator.kind() {
            "init_declarator" | "identifier" | "array_declarator" => return true,
            "function_declarator" => {
                // A pointer to a function is a variable: `int (*f)(void);`
                let inner = declarator.child_by_field_name("declarator");
                return inner.is_some_and(|inner| inner.kind() == "parenthesized_declarator");
            }
            _ => {}
        }
        match declarator.child_by_field_name("declarator") {
            Some(inner) => declarator = inner,
            None => return true,
        }
    }
}

/// The types of a function's parameters.
fn parameters(function: Node<'_>, text: &str) -> Vec<String> {
    let Some(list) = parameter_list(function) else { return Vec::new() };
    let mut cursor = list.walk();
    let types = list.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    let types: Vec<String> = types.map(|parameter| leaves(parameter, text, "body").join(" ")).collect();
    if types == ["void"] { Vec::new() } else { types }
}

fn parameter_list(function: Node<'_>) -> Option<Node<'_>> {
    let mut node = function.child_by_field_name("declarator")?;
    while node.kind() != "function_declarator" {
        node = node.child_by_field_name("declarator").or_else(|| node.named_child(0))?;
    }
    node.child_by_field_name("parameters")
}

/// What a caller sees of a function: all but its body and the names of parameters.
fn signature(function: Node<'_>, text: &str) -> Vec<String> {
    leaves(function, text, "body").into_iter().map(str::to_owned).collect()
}

/// The leaves below a node but comments, names of variables, and what stands in a field.
fn leaves<'a>(node: Node<'_>, text: &'a str, without: &str) -> Vec<&'a str> {
    let field = node.child_by_field_name(without);
    let left_out = |node: Node<'_>| Some(node) == field || matches!(node.kind(), "comment" | "identifier");
    bonafix_delta::leaves(node, text, left_out)
}
