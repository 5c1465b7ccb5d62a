//! From two versions of a source file to what differs in terms of the program.
//!
//! Both texts are parsed; the diff that led from one to the other is not looked at. What counts are tokens: a file of
//! which only comments, white space or the order of methods differ has no changed elements. See
//! `docs/decisions/0004-delta.md`.

mod align;
mod distance;
mod elements;
mod member;
mod outline;
mod signature;
mod source;
mod statements;
pub(crate) mod syntax;

use bonafix_model::{ChangeKind, DeltaElement, DeltaFile, ElementKind, LineAlignment, LineRange, Statement};
use camino::Utf8Path;

use outline::{Interner, Outline};
pub(crate) use source::decode;

/// What a patch does to one file, from both versions' contents; `None` where it does not exist on that side.
pub fn delta_file(path: &Utf8Path, before: Option<&[u8]>, after: Option<&[u8]>) -> DeltaFile {
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
    if path.extension() == Some("java") {
        analyse(&mut file, texts.0, texts.1);
    } else if before != after {
        file.elements.push(resource(path, change, texts.0.as_deref(), texts.1.as_deref()));
    }
    file
}

/// The JUnit 3, 4 and 5 test methods that a source file declares, as binary class name and method name.
pub fn test_methods_in(source: &[u8]) -> Vec<(String, String)> {
    let outline = Outline::read(source::decode(source), "", "", &mut Interner::default());
    let tests = outline.elements.into_iter().filter(|element| element.is_test);
    tests.map(|element| (element.owner, element.member)).collect()
}

fn analyse(file: &mut DeltaFile, before: Option<String>, after: Option<String>) {
    let mut interner = Interner::default();
    let stem = file.path.file_stem().unwrap_or("").to_owned();
    let mut read = |text| Outline::read(text, file.path.as_str(), &stem, &mut interner);
    let outlines = (before.map(&mut read), after.map(&mut read));
    file.problem = problem(outlines.0.as_ref(), outlines.1.as_ref());
    if file.problem.is_none() {
        // A tree with holes has a distance that says nothing.
        file.syntactic_distance = Some(distance::between(outlines.0.as_ref(), outlines.1.as_ref()));
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

fn problem(before: Option<&Outline>, after: Option<&Outline>) -> Option<String> {
    let error = |outline: Option<&Outline>, version: &str| {
        let line = outline?.error?;
        Some(format!("{version} version, line {line}: not understood as Java"))
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
