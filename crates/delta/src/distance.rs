//! How far apart two versions of a file are as syntax trees: the least number of nodes to delete or insert.
//!
//! Changing `a > b + 1` to `c < d + 1` costs 6: `a`, `>` and `b` go, `c`, `<` and `d` come. A node that gets another
//! name goes and comes; a node that is deleted hands its children to its parent, so that putting an `if` around
//! statements costs the `if` and its condition, and not the statements.

mod edit;
mod tree;

use bonafix_model::SyntacticDistance;

use super::Grammar;
use super::outline::Outline;
use tree::{Labels, SyntaxTree};

/// From the buggy version of a file to the patched one; `None` where it does not exist on that side.
pub(crate) fn between(
    grammar: &dyn Grammar,
    before: Option<&Outline>,
    after: Option<&Outline>,
) -> SyntacticDistance {
    let mut labels = Labels::default();
    let mut read = |outline: Option<&Outline>| {
        outline.map_or_else(SyntaxTree::default, |outline| {
            SyntaxTree::read(&outline.tree, &outline.text, grammar, &mut labels)
        })
    };
    edit::distance(&read(before), &read(after))
}
