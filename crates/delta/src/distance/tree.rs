//! Syntax trees of which only labels and shape are left.

use std::collections::HashMap;

use tree_sitter::{Node, Tree, TreeCursor};

use crate::Grammar;

/// Numbers for labels and for whole subtrees, the same on both sides.
#[derive(Default)]
pub(super) struct Labels {
    labels: HashMap<String, u32>,
    subtrees: HashMap<(u32, Vec<u32>), u32>,
}

impl Labels {
    fn label(&mut self, kind: &str, text: &str) -> u32 {
        let next = number(self.labels.len());
        *self.labels.entry(format!("{kind} {text}")).or_insert(next)
    }

    fn subtree(&mut self, label: u32, children: Vec<u32>) -> u32 {
        let next = number(self.subtrees.len());
        *self.subtrees.entry((label, children)).or_insert(next)
    }
}

/// A node; its subtree is the nodes from `first` up to itself.
#[derive(Debug, Clone)]
pub(super) struct SyntaxNode {
    pub(super) label: u32,
    /// Equal for equal subtrees.
    pub(super) subtree: u32,
    /// Its first leaf; itself if it has no children.
    pub(super) first: usize,
    pub(super) children: Vec<usize>,
}

/// A forest, since a file has many declarations and nothing around them.
#[derive(Debug, Default)]
pub(super) struct SyntaxTree {
    /// Children before their parents, in the order of the text.
    pub(super) nodes: Vec<SyntaxNode>,
    pub(super) roots: Vec<usize>,
}

/// A node whose children are being read; without a label its children are those of the node around it.
struct Open {
    label: Option<u32>,
    first: usize,
    children: Vec<usize>,
}

impl SyntaxTree {
    pub(super) fn read(tree: &Tree, text: &str, grammar: &dyn Grammar, labels: &mut Labels) -> Self {
        let open = vec![Open::new(None, 0)];
        let mut reader = Reader { tree: Self::default(), open, text, grammar, labels };
        reader.walk(&mut tree.walk());
        let roots = reader.open.pop().map(|open| open.children).unwrap_or_default();
        Self { roots, ..reader.tree }
    }

    /// How many nodes these trees have.
    pub(super) fn size(&self, roots: &[usize]) -> usize {
        roots.iter().map(|&root| root - self.nodes[root].first + 1).sum()
    }

    fn add(&mut self, label: u32, first: usize, children: Vec<usize>, labels: &mut Labels) -> usize {
        let below = children.iter().map(|&child| self.nodes[child].subtree).collect();
        self.nodes.push(SyntaxNode { label, subtree: labels.subtree(label, below), first, children });
        self.nodes.len() - 1
    }
}

impl Open {
    fn new(label: Option<u32>, first: usize) -> Self {
        Self { label, first, children: Vec::new() }
    }
}

struct Reader<'a> {
    tree: SyntaxTree,
    open: Vec<Open>,
    text: &'a str,
    grammar: &'a dyn Grammar,
    labels: &'a mut Labels,
}

impl Reader<'_> {
    /// Without recursion: a sum of ten thousand strings is ten thousand nodes deep.
    fn walk<'tree>(&mut self, cursor: &mut TreeCursor<'tree>) {
        let mut parents: Vec<&'tree str> = Vec::new();
        loop {
            let node = cursor.node();
            if self.enter(node, parents.last().copied().unwrap_or("")) && cursor.goto_first_child() {
                parents.push(node.kind());
                continue;
            }
            while !cursor.goto_next_sibling() {
                if parents.pop().is_none() || !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    /// Opens a node or adds a leaf. Must its children be read?
    fn enter(&mut self, node: Node<'_>, parent: &str) -> bool {
        let kind = node.kind();
        let grammar = self.grammar;
        let inner = node.child_count() > 0 && !grammar.is_one_word(kind);
        let counts = |kind| node.is_named() || grammar.counts(kind, parent);
        if inner {
            let label = (!grammar.is_only_a_list(kind)).then(|| self.labels.label(kind, ""));
            self.open.push(Open::new(label, self.tree.nodes.len()));
        } else if !grammar.is_comment(kind) && counts(kind) && !grammar.is_only_a_list(kind) {
            let text = grammar.word(kind, &self.text[node.byte_range()]);
            let label = self.labels.label(kind, &text);
            let at = self.tree.nodes.len();
            self.tree.add(label, at, Vec::new(), self.labels);
            self.hand_up(vec![at]);
        }
        inner
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let nodes = match open.label {
            Some(label) => vec![self.tree.add(label, open.first, open.children, self.labels)],
            None => open.children,
        };
        self.hand_up(nodes);
    }

    fn hand_up(&mut self, nodes: Vec<usize>) {
        if let Some(around) = self.open.last_mut() {
            around.children.extend(nodes);
        }
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("fewer than 2^32 nodes")
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// `a(b c(d)) e` as a forest of single letters.
    pub(in super::super) fn forest(text: &str, labels: &mut Labels) -> SyntaxTree {
        let mut tree = SyntaxTree::default();
        let mut open = vec![Open::new(None, 0)];
        let letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
        for (at, letter) in letters.iter().enumerate() {
            match letter {
                '(' => {}
                ')' => close(&mut tree, &mut open, labels),
                _ => {
                    let label = labels.label(&letter.to_string(), "");
                    open.push(Open::new(Some(label), tree.nodes.len()));
                    if letters.get(at + 1) != Some(&'(') {
                        close(&mut tree, &mut open, labels);
                    }
                }
            }
        }
        tree.roots = open.pop().unwrap().children;
        tree
    }

    fn close(tree: &mut SyntaxTree, open: &mut Vec<Open>, labels: &mut Labels) {
        let done = open.pop().unwrap();
        let at = tree.add(done.label.unwrap(), done.first, done.children, labels);
        open.last_mut().unwrap().children.push(at);
    }
}
