//! One version of a file as declared elements, each with the tree of its statements.
//!
//! A language walks its syntax tree once and tells a [`Builder`] what it meets. Every leaf but comments becomes a token;
//! every element and every statement becomes a piece that owns the tokens which stand in no smaller piece. Two pieces
//! with the same owned tokens have the same head, whatever happened to their bodies.

use std::collections::HashMap;
use std::ops::Range;

use bonafix_model::{ElementKind, LineRange};
use tree_sitter::{Node, Tree};

/// Numbers for token texts, the same on both sides.
#[derive(Default)]
pub struct Interner(HashMap<String, u32>);

impl Interner {
    pub(crate) fn id(&mut self, text: &str) -> u32 {
        if let Some(&id) = self.0.get(text) {
            return id;
        }
        let id = u32::try_from(self.0.len()).expect("fewer than 2^32 distinct tokens");
        self.0.insert(text.to_owned(), id);
        id
    }
}

/// Stands in [`Piece::own`] for a body, between the tokens of the head and those behind it.
pub(crate) const BODY: usize = usize::MAX;

/// A leaf of the syntax tree.
pub(crate) struct Token {
    /// Equal for equal texts.
    pub(crate) id: u32,
    pub(crate) bytes: Range<usize>,
    pub(crate) line: u32,
    pub(crate) last_line: u32,
    pub(crate) first_on_line: bool,
}

/// An element or a statement.
pub(crate) struct Piece {
    pub(crate) kind: String,
    /// The piece of the element that it belongs to; its own index if it is one.
    pub(crate) root: usize,
    /// Everything from its first to its last token, smaller pieces included.
    pub(crate) tokens: Range<usize>,
    /// Tokens in no smaller piece, by index, with [`BODY`] for each body.
    pub(crate) own: Vec<usize>,
    /// Statements of each body.
    pub(crate) bodies: Vec<Vec<usize>>,
    /// The pieces inside it are those with an index from its own to this.
    pub(crate) end: usize,
}

/// Something that a file declares.
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// What makes it the same element in both versions.
    pub key: String,
    /// The key without parameters.
    pub loose_key: String,
    /// As in [`bonafix_model::DeltaElement::name`].
    pub name: String,
    /// As in [`bonafix_model::DeltaElement::owner`].
    pub owner: String,
    /// As in [`bonafix_model::DeltaElement::member`].
    pub member: String,
    /// Parameter types as written.
    pub parameters: Vec<String>,
    /// Its piece, from [`Builder::open_element`].
    pub piece: usize,
    /// Tokens of the type and the modifiers that several fields share.
    pub shared: Range<usize>,
    /// What others see of it, by [`Builder::intern`].
    pub signature: Vec<u32>,
    /// Where it stands.
    pub lines: LineRange,
    /// It is a test.
    pub is_test: bool,
    /// Its place among its siblings matters: it runs when the type or an object is initialised.
    pub ordered: bool,
    /// Key of the type that it stands in.
    pub type_key: String,
}

/// What a file declares.
pub struct Outline {
    pub(crate) text: String,
    pub(crate) tree: Tree,
    pub(crate) tokens: Vec<Token>,
    pub(crate) pieces: Vec<Piece>,
    /// The first is the file itself: what stands outside of any other element.
    pub(crate) elements: Vec<Element>,
    /// The first line that the grammar does not understand.
    pub(crate) error: Option<u32>,
    /// Numbers of the tokens that separate members.
    pub(crate) punctuation: [u32; 4],
}

impl Outline {
    /// What a builder has gathered from a text. The first element must be the file itself.
    pub fn new(text: String, tree: Tree, gathered: Gathered, interner: &mut Interner) -> Self {
        let Gathered { tokens, pieces, elements } = gathered;
        let punctuation = ["{", "}", ";", ","].map(|text| interner.id(text));
        let error = tree.root_node().has_error().then(|| first_error(&tree));
        let mut outline = Self { text, tree, tokens, pieces, elements, error, punctuation };
        outline.narrow_file();
        outline
    }

    /// What it declares.
    pub fn into_elements(self) -> Vec<Element> {
        self.elements
    }

    /// The file as an element reaches from the first to the last token outside of others.
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
    pub(crate) fn ids(&self, piece: usize) -> Vec<u32> {
        self.tokens[self.pieces[piece].tokens.clone()].iter().map(|token| token.id).collect()
    }

    /// Token numbers of what only this piece owns.
    pub(crate) fn own_ids(&self, piece: usize) -> Vec<u32> {
        let id = |&at: &usize| if at == BODY { u32::MAX } else { self.tokens[at].id };
        self.pieces[piece].own.iter().map(id).collect()
    }

    /// Token numbers of the type and modifiers that a field shares with others.
    pub(crate) fn shared_ids(&self, element: &Element) -> Vec<u32> {
        self.tokens[element.shared.clone()].iter().map(|token| token.id).collect()
    }

    /// All token numbers of the file but separators, sorted.
    pub(crate) fn sorted_ids(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.tokens.iter().map(|token| token.id).collect();
        ids.retain(|id| !self.punctuation.contains(id));
        ids.sort_unstable();
        ids
    }

    /// The first line of the text from one token to another, cut where it gets too long for people.
    pub(crate) fn first_line(&self, first: usize, last: usize) -> String {
        let text = &self.text[self.tokens[first].bytes.start..self.tokens[last].bytes.end];
        text.lines().next().unwrap_or("").trim_end().chars().take(200).collect()
    }

    /// Token numbers of an element, type and modifiers of a field included.
    pub(crate) fn element_ids(&self, element: &Element) -> Vec<u32> {
        let mut ids = self.shared_ids(element);
        match element.kind {
            // Members of a type are elements of their own.
            ElementKind::Type | ElementKind::File => ids.extend(self.own_ids(element.piece)),
            _ => ids.extend(self.ids(element.piece)),
        }
        ids
    }

    /// Lines from one token to another, both included.
    pub(crate) fn lines(&self, first: usize, last: usize) -> LineRange {
        LineRange { first: self.tokens[first].line, last: self.tokens[last].last_line }
    }
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

/// The leaves at or below a node, in order, but what is left out with all below it. Without recursion: code may be nested
/// deeply.
pub fn leaves<'t, 'a>(node: Node<'t>, text: &'a str, left_out: impl Fn(Node<'t>) -> bool) -> Vec<&'a str> {
    let mut leaves = Vec::new();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        if left_out(node) {
            continue;
        }
        if node.child_count() == 0 {
            leaves.push(&text[node.byte_range()]);
        }
        let mut cursor = node.walk();
        let children: Vec<_> = node.children(&mut cursor).collect();
        pending.extend(children.into_iter().rev());
    }
    leaves
}

/// The lines of a syntax node.
pub fn lines_of(node: Node<'_>) -> LineRange {
    LineRange { first: line_of(node.start_position().row), last: line_of(node.end_position().row) }
}

/// What a walk over a syntax tree has gathered.
pub struct Gathered {
    tokens: Vec<Token>,
    pieces: Vec<Piece>,
    elements: Vec<Element>,
}

/// How things stood when a walk entered a syntax node; so they must stand again when it leaves.
pub struct Standing {
    pieces: usize,
    elements: usize,
    opened_body: bool,
    /// The body that was open before this node opened one.
    outer_body: Option<usize>,
}

/// Gathers tokens, pieces and elements while a language walks its syntax tree from the root.
pub struct Builder<'a> {
    interner: &'a mut Interner,
    gathered: Gathered,
    /// Pieces the walk is inside of, each with its open body.
    open: Vec<(usize, Option<usize>)>,
    /// Elements the walk is inside of.
    open_elements: Vec<usize>,
}

impl<'a> Builder<'a> {
    /// With nothing gathered.
    pub fn new(interner: &'a mut Interner) -> Self {
        let gathered = Gathered { tokens: Vec::new(), pieces: Vec::new(), elements: Vec::new() };
        Self { interner, gathered, open: Vec::new(), open_elements: Vec::new() }
    }

    /// How things stand, before a node is entered.
    pub fn standing(&self) -> Standing {
        Standing {
            pieces: self.open.len(),
            elements: self.open_elements.len(),
            opened_body: false,
            outer_body: None,
        }
    }

    /// Closes what was opened since.
    pub fn leave(&mut self, standing: &Standing) {
        if let (true, Some(open)) = (standing.opened_body, self.open.last_mut()) {
            open.1 = standing.outer_body;
        }
        while self.open.len() > standing.pieces {
            self.close_piece();
        }
        self.open_elements.truncate(standing.elements);
    }

    /// Ends the walk.
    pub fn finish(mut self) -> Gathered {
        while !self.open.is_empty() {
            self.close_piece();
        }
        self.gathered
    }

    /// Adds a leaf. `text` is what counts as its text; white space alone is no token.
    pub fn token(&mut self, node: Node<'_>, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let lines = lines_of(node);
        let tokens = &mut self.gathered.tokens;
        let first_on_line = tokens.last().is_none_or(|last| last.last_line < lines.first);
        if let Some(&(piece, _)) = self.open.last() {
            self.gathered.pieces[piece].own.push(tokens.len());
        }
        tokens.push(Token {
            id: self.interner.id(text),
            bytes: node.byte_range(),
            line: lines.first,
            last_line: lines.last,
            first_on_line,
        });
    }

    /// How many tokens there are.
    pub fn tokens(&self) -> usize {
        self.gathered.tokens.len()
    }

    /// Opens the piece of an element.
    pub fn open_element(&mut self, node: Node<'_>) -> usize {
        self.open_piece(node, true)
    }

    fn open_piece(&mut self, node: Node<'_>, is_root: bool) -> usize {
        let pieces = &mut self.gathered.pieces;
        let at = pieces.len();
        let root = if is_root { at } else { self.open.last().map_or(at, |&(piece, _)| pieces[piece].root) };
        let start = self.gathered.tokens.len();
        pieces.push(Piece {
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
            let end = self.gathered.pieces.len();
            self.gathered.pieces[piece].tokens.end = self.gathered.tokens.len();
            self.gathered.pieces[piece].end = end;
        }
    }

    /// A statement joins the open body of the piece around it, or is a body of its own (`if (c) return;`).
    pub fn open_statement(&mut self, node: Node<'_>) {
        let outer = self.open.last().copied().map(|(piece, body)| {
            let body = body.unwrap_or_else(|| self.push_body(piece));
            (piece, body)
        });
        let at = self.open_piece(node, false);
        if let Some((piece, body)) = outer {
            self.gathered.pieces[piece].bodies[body].push(at);
        }
    }

    fn push_body(&mut self, piece: usize) -> usize {
        let piece = &mut self.gathered.pieces[piece];
        piece.own.push(BODY);
        piece.bodies.push(Vec::new());
        piece.bodies.len() - 1
    }

    /// Opens a body of the innermost piece, until the walk leaves what `standing` belongs to.
    pub fn open_body(&mut self, standing: &mut Standing) {
        let Some((piece, outer)) = self.open.last().copied() else { return };
        let body = self.push_body(piece);
        if let Some(open) = self.open.last_mut() {
            open.1 = Some(body);
        }
        (standing.opened_body, standing.outer_body) = (true, outer);
    }

    /// Adds an element whose piece was opened.
    pub fn push_element(&mut self, element: Element) {
        self.open_elements.push(self.gathered.elements.len());
        self.gathered.elements.push(element);
    }

    /// The innermost element that the walk is inside of.
    pub fn innermost(&self) -> Option<&Element> {
        self.open_elements.last().map(|&at| &self.gathered.elements[at])
    }

    /// The element that was added last.
    pub fn last_element(&mut self) -> Option<&mut Element> {
        self.gathered.elements.last_mut()
    }

    /// Numbers of texts, for [`Element::signature`].
    pub fn intern(&mut self, texts: &[String]) -> Vec<u32> {
        texts.iter().map(|text| self.interner.id(text)).collect()
    }
}
