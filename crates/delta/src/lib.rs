//! What differs between two versions of a source file, in terms of the program, whatever the grammar.
//!
//! Both texts are parsed; the diff that led from one to the other is not looked at. What counts are tokens: a file of
//! which only comments, white space or the order of functions differ has no changed elements. See
//! `docs/decisions/0004-delta.md`. A language says by a [`Grammar`] what its syntax trees mean.

#![warn(missing_docs)]

mod align;
mod counterparts;
mod distance;
mod elements;
mod numbers;
mod outline;
mod source;
mod statements;

use std::borrow::Cow;

use bonafix_model::{ChangeKind, DeltaElement, DeltaFile, ElementKind, LineAlignment, LineRange, Statement};
use camino::Utf8Path;

pub use counterparts::Counterparts;
pub use numbers::{Numbers, Side};
pub use outline::{Builder, Element, Gathered, Interner, Outline, Standing, leaves, lines_of};
pub use source::decode;

/// What the syntax trees of a language mean.
pub trait Grammar {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// What a decoded source declares.
    fn outline(&self, text: String, path: &Utf8Path, interner: &mut Interner) -> Outline;

    /// Is a node of this kind a comment?
    fn is_comment(&self, kind: &str) -> bool;

    /// Does the grammar take such nodes apart though they are one word to a reader?
    fn is_one_word(&self, kind: &str) -> bool;

    /// Do such nodes say no more than that there is a list of something, or parentheses? The root is one of them.
    fn is_only_a_list(&self, kind: &str) -> bool;

    /// Does a token count that the grammar gives no name? Those do that the kind of the node around them does not imply:
    /// operators and modifiers do; punctuation and words such as `if` do not.
    fn counts(&self, token: &str, parent: &str) -> bool;

    /// A word as the program sees it.
    fn word<'a>(&self, _kind: &str, text: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }
}

/// What a patch does to one file, from both versions' contents; `None` where it does not exist on that side.
/// A file without a grammar is taken as a whole.
pub fn delta_file(
    path: &Utf8Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    grammar: Option<&dyn Grammar>,
) -> DeltaFile {
    let change = match (before, after) {
        (None, Some(_)) => ChangeKind::Added,
        (Some(_), None) => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    };
    let mut file = DeltaFile {
        path: path.to_owned(),
        change,
        elements: Vec::new(),
        alignment: LineAlignment::default(),
        syntactic_distance: None,
        problem: None,
    };
    let texts = (before.map(source::decode), after.map(source::decode));
    if let (Some(before), Some(after)) = &texts {
        file.alignment = align::align(before, after);
    }
    if let Some(grammar) = grammar {
        analyse(&mut file, grammar, texts.0, texts.1);
    } else if before != after {
        file.elements.push(resource(path, change, texts.0.as_deref(), texts.1.as_deref()));
    }
    file
}

fn analyse(file: &mut DeltaFile, grammar: &dyn Grammar, before: Option<String>, after: Option<String>) {
    let mut interner = Interner::default();
    let mut read = |text| grammar.outline(text, &file.path, &mut interner);
    let outlines = (before.map(&mut read), after.map(&mut read));
    file.problem = problem(grammar, outlines.0.as_ref(), outlines.1.as_ref());
    if file.problem.is_none() {
        // A tree with holes has a distance that says nothing.
        file.syntactic_distance = Some(distance::between(grammar, outlines.0.as_ref(), outlines.1.as_ref()));
    }
    file.elements = match &outlines {
        (Some(before), Some(after)) => {
            let (elements, same) = elements::compare(before, after);
            align::add_moved(&mut file.alignment, same);
            elements
        }
        (Some(before), None) => elements::all(before, ChangeKind::Removed),
        (None, Some(after)) => elements::all(after, ChangeKind::Added),
        (None, None) => Vec::new(),
    };
    if let (true, (Some(before), Some(after))) = (file.elements.is_empty(), outlines)
        && before.sorted_ids() != after.sorted_ids()
    {
        // Nothing should get here; a difference must not be lost if something does.
        let found = resource(&file.path, ChangeKind::Changed, Some(&before.text), Some(&after.text));
        file.elements.push(found);
    }
}

fn problem(grammar: &dyn Grammar, before: Option<&Outline>, after: Option<&Outline>) -> Option<String> {
    let error = |outline: Option<&Outline>, version: &str| {
        let line = outline?.error?;
        Some(format!("{version} version, line {line}: not understood as {}", grammar.name()))
    };
    let problems: Vec<String> = error(before, "buggy").into_iter().chain(error(after, "patched")).collect();
    (!problems.is_empty()).then(|| problems.join("; "))
}

/// A file that is taken as a whole.
fn resource(path: &Utf8Path, change: ChangeKind, before: Option<&str>, after: Option<&str>) -> DeltaElement {
    let lines = |text: &str| {
        let count = source::lines(text).len().max(1);
        LineRange { first: 1, last: u32::try_from(count).unwrap_or(u32::MAX) }
    };
    DeltaElement {
        kind: ElementKind::File,
        change,
        name: path.to_string(),
        owner: String::new(),
        member: path.file_name().unwrap_or("").to_owned(),
        parameters: Vec::new(),
        renamed: None,
        before: before.map(lines),
        after: after.map(lines),
        signature_changed: change != ChangeKind::Changed,
        only_nested: false,
        statements_before: Vec::<Statement>::new(),
        statements_after: Vec::new(),
        statement_pairs: Vec::new(),
    }
}
