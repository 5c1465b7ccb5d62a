//! One version of a file as declared elements, each with the tree of its statements.
//!
//! The syntax tree is walked once, without recursion. Every leaf but comments becomes a token; every element and every
//! statement becomes a [`Piece`] that owns the tokens which stand in no smaller piece. Two pieces with the same owned
//! tokens have the same head, whatever happened to their bodies.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use bonafix_model::{ElementKind, LineRange};
use tree_sitter::{Node, Parser, Tree};

use super::member::Member;
use super::syntax::{is_body, is_body_block, is_comment, is_statement, is_type, is_type_body};
use super::{signature, source};

/// Numbers for token texts, the same on both sides.
#[derive(Default)]
pub(super) struct Interner(HashMap<String, u32>);

impl Interner {
    pub(super) fn id(&mut self, text: &str) -> u32 {
        if let Some(&id) = self.0.get(text) {
            return id;
        }
        let id = u32::try_from(self.0.len()).expect("fewer than 2^32 distinct tokens");
        self.0.insert(text.to_owned(), id);
        id
    }
}

/// Stands in [`Piece::own`] for a body, between the tokens of the head and those behind it.
pub(super) const BODY: usize = usize::MAX;

/// A leaf of the syntax tree.
pub(super) struct Token {
    /// Equal for equal texts.
    pub(super) id: u32,
    pub(super) bytes: Range<usize>,
    pub(super) line: u32,
    pub(super) last_line: u32,
    pub(super) first_on_line: bool,
}

/// An element or a statement.
pub(super) struct Piece {
    pub(super) kind: String,
    /// The piece of the element that it belongs to; its own index if it is one.
    pub(super) root: usize,
    /// Everything from its first to its last token, smaller pieces included.
    pub(super) tokens: Range<usize>,
    /// Tokens in no smaller piece, by index, with [`BODY`] for each body.
    pub(super) own: Vec<usize>,
    /// Statements of each body.
    pub(super) bodies: Vec<Vec<usize>>,
    /// The pieces inside it are those with an index from its own to this.
    pub(super) end: usize,
}

/// Something that a file declares.
pub(super) struct Element {
    pub(super) kind: ElementKind,
    /// What makes it the same element in both versions.
    pub(super) key: String,
    /// The key without parameters.
    pub(super) loose_key: String,
    pub(super) name: String,
    pub(super) owner: String,
    pub(super) member: String,
    pub(super) parameters: Vec<String>,
    pub(super) piece: usize,
    /// Type and modifiers that several fields share.
    pub(super) shared: Range<usize>,
    pub(super) signature: Vec<u32>,
    pub(super) lines: LineRange,
    pub(super) is_test: bool,
    /// Its place among its siblings matters: it runs when the type or an object is initialised.
    pub(super) ordered: bool,
    /// Key of the type that it stands in.
    pub(super) type_key: String,
}

/// What a file declares.
pub(super) struct Outline {
    pub(super) text: String,
    pub(super) tree: Tree,
    pub(super) tokens: Vec<Token>,
    pub(super) pieces: Vec<Piece>,
    /// The first is the file itself: package, imports, and what stands outside of any type.
    pub(super) elements: Vec<Element>,
    /// The first line that the grammar does not understand.
    pub(super) error: Option<u32>,
    /// Numbers of the tokens that separate members.
    pub(super) punctuation: [u32; 4],
}

impl Outline {
    /// Reads a decoded source. `stem` is the file's name without extension.
    pub(super) fn read(text: String, path: &str, stem: &str, interner: &mut Interner) -> Self {
        let tree = parse(&text);
        let mut walker = Walker::new(&text, path, stem, interner);
        walker.walk(&tree);
        let Walker { tokens, pieces, elements, .. } = walker;
        let punctuation = ["{", "}", ";", ","].map(|text| interner.id(text));
        let error = tree.root_node().has_error().then(|| first_error(&tree));
        let mut outline = Self { text, tree, tokens, pieces, elements, error, punctuation };
        outline.narrow_file();
        outline
    }

    /// The file as an element reaches from the first to the last token outside of types.
    fn narrow_file(&mut self) {
        let piece = &self.pieces[0];
        let statements = piece.bodies.iter().flatten().map(|&at| self.pieces[at].tokens.clone());
        let own = piece.own.iter().filter(|&&at| at != BODY).map(|&at| at..at + 1);
        let (mut first, mut last) = (usize::MAX, 0);
        for range in own.chain(statements).filter(|range| !range.is_empty()) {
            first = first.min(range.start);
            last = last.max(range.end - 1);
        }
        if first <= last {
            self.elements[0].lines = self.lines(first, last);
        }
    }

    /// Token numbers of a piece with all that it encloses.
    pub(super) fn ids(&self, piece: usize) -> Vec<u32> {
        self.tokens[self.pieces[piece].tokens.clone()].iter().map(|token| token.id).collect()
    }

    /// Token numbers of what only this piece owns.
    pub(super) fn own_ids(&self, piece: usize) -> Vec<u32> {
        let id = |&at: &usize| if at == BODY { u32::MAX } else { self.tokens[at].id };
        self.pieces[piece].own.iter().map(id).collect()
    }

    /// Token numbers of the type and modifiers that a field shares with others.
    pub(super) fn shared_ids(&self, element: &Element) -> Vec<u32> {
        self.tokens[element.shared.clone()].iter().map(|token| token.id).collect()
    }

    /// All token numbers of the file but separators, sorted.
    pub(super) fn sorted_ids(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.tokens.iter().map(|token| token.id).collect();
        ids.retain(|id| !self.punctuation.contains(id));
        ids.sort_unstable();
        ids
    }

    /// The first line of the text from one token to another, cut where it gets too long for people.
    pub(super) fn first_line(&self, first: usize, last: usize) -> String {
        let text = &self.text[self.tokens[first].bytes.start..self.tokens[last].bytes.end];
        text.lines().next().unwrap_or("").trim_end().chars().take(200).collect()
    }

    /// Token numbers of an element, type and modifiers of a field included.
    pub(super) fn element_ids(&self, element: &Element) -> Vec<u32> {
        let mut ids = self.shared_ids(element);
        match element.kind {
            // Members of a type are elements of their own.
            ElementKind::Type | ElementKind::File => ids.extend(self.own_ids(element.piece)),
            _ => ids.extend(self.ids(element.piece)),
        }
        ids
    }

    /// Lines from one token to another, both included.
    pub(super) fn lines(&self, first: usize, last: usize) -> LineRange {
        LineRange { first: self.tokens[first].line, last: self.tokens[last].last_line }
    }
}

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).expect("the grammar fits the library");
    parser.parse(text, None).expect("without a time limit there is always a tree")
}

fn first_error(tree: &Tree) -> u32 {
    let mut node = tree.root_node();
    while !node.is_error() && !node.is_missing() {
        let mut cursor = node.walk();
        let Some(child) = node.children(&mut cursor).find(Node::has_error) else { break };
        node = child;
    }
    line_of(node.start_position().row)
}

fn line_of(row: usize) -> u32 {
    u32::try_from(row + 1).expect("sources have fewer than 2^32 lines")
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
    pieces: usize,
    elements: usize,
    opened_body: bool,
    /// The body that was open before this node opened one.
    outer_body: Option<usize>,
    /// Where a field declaration begins, by token, and where its first declarator does.
    field: Option<(usize, Option<usize>)>,
}

struct Walker<'a> {
    text: &'a str,
    interner: &'a mut Interner,
    tokens: Vec<Token>,
    pieces: Vec<Piece>,
    elements: Vec<Element>,
    /// Pieces the walk is inside of, each with its open body.
    open: Vec<(usize, Option<usize>)>,
    open_types: Vec<OpenType>,
    /// Elements the walk is inside of.
    open_elements: Vec<usize>,
    package: String,
    path: &'a str,
    stem: &'a str,
}

impl<'a> Walker<'a> {
    fn new(text: &'a str, path: &'a str, stem: &'a str, interner: &'a mut Interner) -> Self {
        Self {
            text,
            interner,
            tokens: Vec::new(),
            pieces: Vec::new(),
            elements: Vec::new(),
            open: Vec::new(),
            open_types: Vec::new(),
            open_elements: Vec::new(),
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
                    self.close_piece();
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
        let mut scope = Scope {
            kind,
            types: self.open_types.len(),
            pieces: self.open.len(),
            elements: self.open_elements.len(),
            opened_body: false,
            outer_body: None,
            field: None,
        };
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
            scope.field = Some((self.tokens.len(), None));
            self.open_piece(node, true);
        } else if let ("variable_declarator", Some(Scope { field: Some(field), .. })) =
            (kind, scopes.last_mut())
        {
            self.open_field(node, field);
        } else if !self.open_member(node, parent, grandparent(scopes))
            && is_statement(kind)
            && field != Some("init")
            && !is_body_block(kind, parent, field)
        {
            self.open_statement(node);
        }
        if is_body(kind) {
            scope.opened_body = true;
            scope.outer_body = self.open_body();
        }
        (scope, true)
    }

    fn leave(&mut self, scope: Option<Scope<'_>>) {
        let Some(scope) = scope else { return };
        if let (true, Some(open)) = (scope.opened_body, self.open.last_mut()) {
            open.1 = scope.outer_body;
        }
        while self.open.len() > scope.pieces {
            self.close_piece();
        }
        self.open_elements.truncate(scope.elements);
        self.open_types.truncate(scope.types);
    }

    fn token(&mut self, node: Node<'_>) {
        let range = node.byte_range();
        let text = &self.text[range.clone()];
        if text.trim().is_empty() {
            return;
        }
        let text = if node.kind() == "string_literal" { source::string_literal(text) } else { text.into() };
        let line = line_of(node.start_position().row);
        let first_on_line = self.tokens.last().is_none_or(|last| last.last_line < line);
        if let Some(&(piece, _)) = self.open.last() {
            self.pieces[piece].own.push(self.tokens.len());
        }
        self.tokens.push(Token {
            id: self.interner.id(&text),
            bytes: range,
            line,
            last_line: line_of(node.end_position().row),
            first_on_line,
        });
    }

    fn open_piece(&mut self, node: Node<'_>, is_root: bool) -> usize {
        let at = self.pieces.len();
        let root =
            if is_root { at } else { self.open.last().map_or(at, |&(piece, _)| self.pieces[piece].root) };
        let start = self.tokens.len();
        self.pieces.push(Piece {
            kind: node.kind().to_owned(),
            root,
            tokens: start..start,
            own: Vec::new(),
            bodies: Vec::new(),
            end: at,
        });
        self.open.push((at, None));
        at
    }

    fn close_piece(&mut self) {
        if let Some((piece, _)) = self.open.pop() {
            self.pieces[piece].tokens.end = self.tokens.len();
            self.pieces[piece].end = self.pieces.len();
        }
    }

    /// A statement joins the open body of the piece around it, or is a body of its own (`if (c) return;`).
    fn open_statement(&mut self, node: Node<'_>) {
        let outer = self.open.last().copied().map(|(piece, body)| {
            let body = body.unwrap_or_else(|| self.push_body(piece));
            (piece, body)
        });
        let at = self.open_piece(node, false);
        if let Some((piece, body)) = outer {
            self.pieces[piece].bodies[body].push(at);
        }
    }

    fn push_body(&mut self, piece: usize) -> usize {
        self.pieces[piece].own.push(BODY);
        self.pieces[piece].bodies.push(Vec::new());
        self.pieces[piece].bodies.len() - 1
    }

    /// Opens a body of the innermost piece and returns the one that was open.
    fn open_body(&mut self) -> Option<usize> {
        let (piece, outer) = self.open.last().copied()?;
        let body = self.push_body(piece);
        if let Some(open) = self.open.last_mut() {
            open.1 = Some(body);
        }
        outer
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
        let piece = self.open_piece(root, true);
        self.push_element(Element {
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

    fn push_element(&mut self, element: Element) {
        self.open_elements.push(self.elements.len());
        self.elements.push(element);
    }

    /// Binary name, human name and key of a type called `name` that is declared under `parent`.
    fn name_type(&mut self, name: &str, parent: &str) -> (String, String, String) {
        let member_key =
            self.open_elements.last().map(|&at| self.elements[at].key.clone()).unwrap_or_default();
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
        let piece = self.open_piece(node, true);
        let signature = self.intern(&signature::tokens(node, self.text));
        self.push_element(Element {
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

    fn intern(&mut self, texts: &[String]) -> Vec<u32> {
        texts.iter().map(|text| self.interner.id(text)).collect()
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
        let signature = self.intern(&signature::tokens(node, self.text));
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
        let piece = self.open_piece(node, true);
        let of_type = self.open_types.last().expect("members stand in types");
        let loose_key = format!("{}#{:?} {}", of_type.key, member.kind(), names.name);
        self.push_element(Element {
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
        let here = self.tokens.len();
        let shared = *start..*first.get_or_insert(here);
        let name = self.field_text(node, "name").to_owned();
        let declaration = node.parent().unwrap_or(node);
        let mut texts = signature::tokens(declaration, self.text);
        texts.extend(
            node.child_by_field_name("dimensions").map(|dimensions| self.text_of(dimensions).to_owned()),
        );
        let signature = self.intern(&texts);
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
        if let Some(element) = self.elements.last_mut() {
            element.shared = shared;
            element.lines.first = line_of(declaration.start_position().row);
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

fn lines_of(node: Node<'_>) -> LineRange {
    LineRange { first: line_of(node.start_position().row), last: line_of(node.end_position().row) }
}
