//! One version of a file as declared elements: the walk over Java's syntax tree, once, without recursion.

use std::collections::BTreeMap;

use bonafix_delta::{Builder, Element, Interner, Outline, Standing, lines_of};
use bonafix_model::ElementKind;
use camino::Utf8Path;
use tree_sitter::{Node, Parser, Tree};

use super::member::Member;
use super::syntax::{is_body, is_body_block, is_comment, is_statement, is_type, is_type_body};
use super::{signature, source};

/// Reads a decoded source.
pub(super) fn read(text: String, path: &Utf8Path, interner: &mut Interner) -> Outline {
    let tree = parse(&text);
    let mut walker = Walker::new(&text, path.as_str(), path.file_stem().unwrap_or(""), interner);
    walker.walk(&tree);
    let gathered = walker.builder.finish();
    Outline::new(text, tree, gathered, interner)
}

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).expect("the grammar fits the library");
    parser.parse(text, None).expect("without a time limit there is always a tree")
}

/// A type that the walk is inside of.
struct OpenType {
    binary: String,
    human: String,
    key: String,
    /// Anonymous classes seen, under the empty name, and local classes by name.
    ///
    /// javac numbers them in the order in which it attributes them, separately for each enclosing class. That is the
    /// order of the source, but for classes inside of lambdas whose attribution it puts off: in
    /// `f(() -> new A() { }, new B() { })` it numbers `B` first. Names are then those of a neighbour.
    numbers: BTreeMap<String, u32>,
    is_test_case: bool,
    components: Vec<String>,
}

/// How things stood when the walk entered a syntax node; so they must stand again when it leaves.
struct Scope<'tree> {
    kind: &'tree str,
    types: usize,
    standing: Standing,
    /// Where a field declaration begins, by token, and where its first declarator does.
    field: Option<(usize, Option<usize>)>,
}

struct Walker<'a> {
    text: &'a str,
    builder: Builder<'a>,
    open_types: Vec<OpenType>,
    package: String,
    path: &'a str,
    stem: &'a str,
}

impl<'a> Walker<'a> {
    fn new(text: &'a str, path: &'a str, stem: &'a str, interner: &'a mut Interner) -> Self {
        Self {
            text,
            builder: Builder::new(interner),
            open_types: Vec::new(),
            package: String::new(),
            path,
            stem,
        }
    }

    fn walk(&mut self, tree: &Tree) {
        self.open_file(tree.root_node());
        let mut scopes: Vec<Scope<'_>> = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let (scope, descend) = self.enter(cursor.node(), cursor.field_name(), &mut scopes);
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

    fn enter<'tree>(
        &mut self,
        node: Node<'tree>,
        field: Option<&str>,
        scopes: &mut [Scope<'tree>],
    ) -> (Scope<'tree>, bool) {
        let kind = node.kind();
        let mut scope =
            Scope { kind, types: self.open_types.len(), standing: self.builder.standing(), field: None };
        if is_comment(kind) {
            return (scope, false);
        }
        if kind == "string_literal" || node.child_count() == 0 {
            if kind != "program" {
                self.token(node);
            }
            return (scope, false);
        }
        let parent = scopes.last().map_or("", |scope| scope.kind);
        if is_type(kind) {
            self.open_type(node, parent);
        } else if kind == "class_body" && matches!(parent, "object_creation_expression" | "enum_constant") {
            self.open_anonymous(node);
        } else if kind == "field_declaration" || kind == "constant_declaration" {
            scope.field = Some((self.builder.tokens(), None));
            self.builder.open_element(node);
        } else if let ("variable_declarator", Some(Scope { field: Some(field), .. })) =
            (kind, scopes.last_mut())
        {
            self.open_field(node, field);
        } else if !self.open_member(node, parent, grandparent(scopes))
            && is_statement(kind)
            && field != Some("init")
            && !is_body_block(kind, parent, field)
        {
            self.builder.open_statement(node);
        }
        if is_body(kind) {
            self.builder.open_body(&mut scope.standing);
        }
        (scope, true)
    }

    fn leave(&mut self, scope: Option<Scope<'_>>) {
        let Some(scope) = scope else { return };
        self.builder.leave(&scope.standing);
        self.open_types.truncate(scope.types);
    }

    fn token(&mut self, node: Node<'_>) {
        let text = self.text_of(node);
        if node.kind() == "string_literal" {
            self.builder.token(node, &source::string_literal(text));
        } else {
            self.builder.token(node, text);
        }
    }

    fn text_of(&self, node: Node<'_>) -> &'a str {
        &self.text[node.byte_range()]
    }

    fn field_text(&self, node: Node<'_>, field: &str) -> &'a str {
        node.child_by_field_name(field).map_or("", |child| self.text_of(child))
    }

    fn open_file(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        let package = root.children(&mut cursor).find(|child| child.kind() == "package_declaration");
        self.package = package.map(|node| signature::package(node, self.text)).unwrap_or_default();
        let piece = self.builder.open_element(root);
        self.builder.push_element(Element {
            kind: ElementKind::File,
            key: String::new(),
            loose_key: String::new(),
            name: self.path.to_owned(),
            owner: self.package.clone(),
            member: self.path.rsplit('/').next().unwrap_or(self.path).to_owned(),
            parameters: Vec::new(),
            piece,
            shared: 0..0,
            signature: Vec::new(),
            lines: lines_of(root),
            is_test: false,
            ordered: false,
            type_key: String::new(),
        });
    }

    /// Binary name, human name and key of a type called `name` that is declared under `parent`.
    fn name_type(&mut self, name: &str, parent: &str) -> (String, String, String) {
        let member_key = self.builder.innermost().map(|element| element.key.clone()).unwrap_or_default();
        let Some(outer) = self.open_types.last_mut() else {
            let qualified = qualify(&self.package, name);
            return (qualified.clone(), qualified.clone(), qualified);
        };
        if is_type_body(parent) {
            let key = format!("{}.{name}", outer.key);
            return (format!("{}${name}", outer.binary), format!("{}.{name}", outer.human), key);
        }
        let number = outer.numbers.entry(name.to_owned()).or_insert(0);
        *number += 1;
        let suffix = format!("${number}{name}");
        (
            format!("{}{suffix}", outer.binary),
            format!("{}{suffix}", outer.human),
            format!("{member_key}/{name}"),
        )
    }

    fn open_type(&mut self, node: Node<'_>, parent: &str) {
        let name = self.field_text(node, "name");
        let (binary, human, key) = self.name_type(name, parent);
        let piece = self.builder.open_element(node);
        let signature = self.builder.intern(&signature::tokens(node, self.text));
        self.builder.push_element(Element {
            kind: ElementKind::Type,
            key: key.clone(),
            loose_key: key.clone(),
            name: human.clone(),
            owner: binary.clone(),
            member: name.to_owned(),
            parameters: Vec::new(),
            piece,
            shared: 0..0,
            signature,
            lines: lines_of(node),
            is_test: false,
            ordered: false,
            type_key: key.clone(),
        });
        let components = node.child_by_field_name("parameters");
        self.open_types.push(OpenType {
            binary,
            human,
            key,
            numbers: BTreeMap::new(),
            is_test_case: signature::extends_test_case(node, self.text),
            components: components.map(|node| signature::parameters(node, self.text)).unwrap_or_default(),
        });
    }

    fn open_anonymous(&mut self, body: Node<'_>) {
        let supertype = body.parent().map_or("", |parent| self.field_text(parent, "type"));
        let (binary, human, mut key) = self.name_type("", "");
        key.push_str(supertype);
        self.open_types.push(OpenType {
            binary,
            human,
            key,
            numbers: BTreeMap::new(),
            is_test_case: false,
            components: Vec::new(),
        });
    }

    /// Opens a method, constructor, initialiser, enum constant, record component or annotation member.
    fn open_member(&mut self, node: Node<'_>, parent: &str, grandparent: &str) -> bool {
        let Some(member) = Member::of(node, parent, grandparent) else { return false };
        let implicit = self.open_types.is_empty();
        if implicit {
            self.open_implicit_type();
        }
        let of_type = self.open_types.last().expect("one was opened");
        let parameters = match node.kind() {
            "compact_constructor_declaration" => of_type.components.clone(),
            _ => node
                .child_by_field_name("parameters")
                .map(|list| signature::parameters(list, self.text))
                .unwrap_or_default(),
        };
        let declared = match member {
            Member::Component => signature::parameter_name(node, self.text),
            _ => self.field_text(node, "name").to_owned(),
        };
        let (name, human) = member.names(&declared, &parameters);
        let is_test = signature::is_test(node, self.text, of_type.is_test_case);
        let signature = self.builder.intern(&signature::tokens(node, self.text));
        self.add_member(node, &member, Names { name, human, parameters }, signature, is_test);
        if implicit {
            self.open_types.pop();
        }
        true
    }

    /// Methods may stand outside of any class since Java 21; the class is then named for the file.
    fn open_implicit_type(&mut self) {
        let name = qualify(&self.package, self.stem);
        self.open_types.push(OpenType {
            binary: name.clone(),
            human: name.clone(),
            key: name,
            numbers: BTreeMap::new(),
            is_test_case: false,
            components: Vec::new(),
        });
    }

    fn add_member(
        &mut self,
        node: Node<'_>,
        member: &Member,
        names: Names,
        signature: Vec<u32>,
        is_test: bool,
    ) {
        let piece = self.builder.open_element(node);
        let of_type = self.open_types.last().expect("members stand in types");
        let loose_key = format!("{}#{:?} {}", of_type.key, member.kind(), names.name);
        self.builder.push_element(Element {
            kind: member.kind(),
            key: format!("{loose_key}({})", names.parameters.join(",")),
            loose_key,
            name: format!("{}#{}", of_type.human, names.human),
            owner: of_type.binary.clone(),
            member: names.name,
            parameters: names.parameters,
            piece,
            shared: 0..0,
            signature,
            lines: lines_of(node),
            is_test,
            ordered: member.is_ordered(),
            type_key: of_type.key.clone(),
        });
    }

    fn open_field(&mut self, node: Node<'_>, (start, first): &mut (usize, Option<usize>)) {
        let here = self.builder.tokens();
        let shared = *start..*first.get_or_insert(here);
        let name = self.field_text(node, "name").to_owned();
        let declaration = node.parent().unwrap_or(node);
        let mut texts = signature::tokens(declaration, self.text);
        texts.extend(
            node.child_by_field_name("dimensions").map(|dimensions| self.text_of(dimensions).to_owned()),
        );
        let signature = self.builder.intern(&texts);
        let value = node.child_by_field_name("value");
        let names = Names { name: name.clone(), human: name, parameters: Vec::new() };
        let member =
            Member::Field { ordered: value.is_some_and(|value| !value.kind().ends_with("_literal")) };
        if self.open_types.is_empty() {
            self.open_implicit_type();
            self.add_member(node, &member, names, signature, false);
            self.open_types.pop();
        } else {
            self.add_member(node, &member, names, signature, false);
        }
        if let Some(element) = self.builder.last_element() {
            element.shared = shared;
            element.lines.first = lines_of(declaration).first;
        }
    }
}

struct Names {
    name: String,
    human: String,
    parameters: Vec<String>,
}

fn grandparent<'tree>(scopes: &[Scope<'tree>]) -> &'tree str {
    scopes.len().checked_sub(2).map_or("", |at| scopes[at].kind)
}

fn qualify(package: &str, name: &str) -> String {
    if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") }
}
