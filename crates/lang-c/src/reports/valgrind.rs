//! Reports of valgrind memcheck, as XML.

use bonafix_model::{Detector, Fault, Frame, Leaked};
use camino::Utf8Path;
use roxmltree::{Document, Node};

use super::{Parsed, place, signal_name};

/// Reads what memcheck wrote. A program that was ended from outside leaves a file without an end, which is read as far
/// as it goes; then nobody has counted leaks.
pub fn parse(xml: &str, tree: &Utf8Path) -> Parsed {
    let mended = mend(xml);
    let Ok(document) = Document::parse(xml).or_else(|_| Document::parse(&mended)) else {
        return Parsed::default();
    };
    let mut parsed = Parsed::default();
    for node in document.root_element().children().filter(Node::is_element) {
        match node.tag_name().name() {
            "error" => error(node, tree, &mut parsed),
            "fatal_signal" => parsed.faults.extend(fatal_signal(node, tree)),
            // Behind it stand the leaks.
            "status" if text(node, "state") == "FINISHED" => {
                parsed.leaked.get_or_insert_default();
            }
            _ => {}
        }
    }
    parsed
}

/// The beginning of a file that was not written to its end.
fn mend(xml: &str) -> String {
    let ends = ["</error>", "</fatal_signal>", "</status>"];
    let end = ends.iter().filter_map(|end| Some(xml.rfind(end)? + end.len())).max().unwrap_or(0);
    format!("{}</valgrindoutput>", &xml[..end])
}

fn error(node: Node<'_, '_>, tree: &Utf8Path, parsed: &mut Parsed) {
    let kind = text(node, "kind");
    let bytes = node.descendants().find(|child| child.has_tag_name("leakedbytes"));
    let bytes = bytes.and_then(|bytes| bytes.text()?.trim().parse::<u64>().ok()).unwrap_or(0);
    let leaked = |parsed: &mut Parsed, add: &dyn Fn(&mut Leaked)| add(parsed.leaked.get_or_insert_default());
    match kind {
        "Leak_DefinitelyLost" => leaked(parsed, &|leaked| leaked.definitely += bytes),
        "Leak_IndirectlyLost" => leaked(parsed, &|leaked| leaked.indirectly += bytes),
        "Leak_PossiblyLost" => leaked(parsed, &|leaked| leaked.possibly += bytes),
        "Leak_StillReachable" => {}
        _ => {
            let mut stacks = stacks(node, tree);
            let stack = if stacks.is_empty() { Vec::new() } else { stacks.remove(0) };
            let kind = stable(kind);
            let message = message(node);
            parsed.faults.push(Fault { detector: Detector::Valgrind, kind, message, stack, origins: stacks });
        }
    }
}

/// The signal that ended the program, unless memcheck has just told why.
fn fatal_signal(node: Node<'_, '_>, tree: &Utf8Path) -> Option<Fault> {
    let signal: i32 = text(node, "signo").parse().ok()?;
    let stack = stacks(node, tree).into_iter().next().unwrap_or_default();
    let message = format!("{}: {}", text(node, "signame"), text(node, "event"));
    Some(Fault { detector: Detector::Crash, kind: signal_name(signal), message, stack, origins: Vec::new() })
}

fn message(node: Node<'_, '_>) -> String {
    match text(node, "what") {
        "" => node.descendants().find(|child| child.has_tag_name("text")).and_then(|text| text.text()),
        what => Some(what),
    }
    .unwrap_or_default()
    .to_owned()
}

/// The word for a kind: the same as a sanitizer's where both see the same.
fn stable(kind: &str) -> String {
    let word = match kind {
        "InvalidRead" => "invalid-read",
        "InvalidWrite" => "invalid-write",
        "InvalidJump" => "invalid-jump",
        "InvalidFree" => "invalid-free",
        "MismatchedFree" => "alloc-dealloc-mismatch",
        "InvalidMemPool" => "invalid-memory-pool",
        "Overlap" => "memcpy-param-overlap",
        "UninitCondition" | "UninitValue" => "uninitialised-value",
        "SyscallParam" => "uninitialised-parameter",
        "ClientCheck" => "client-check",
        "CoreMemError" => "pthread",
        "FishyValue" => "negative-size-param",
        other => return other.to_lowercase().replace('_', "-"),
    };
    word.to_owned()
}

/// The stacks of an error: first the place, then where memory came from.
fn stacks(node: Node<'_, '_>, tree: &Utf8Path) -> Vec<Vec<Frame>> {
    let stacks = node.children().filter(|child| child.has_tag_name("stack"));
    stacks.map(|stack| stack.children().filter_map(|child| frame(child, tree)).collect()).collect()
}

/// A frame, unless it is one of valgrind's own functions in place of the C library's.
fn frame(node: Node<'_, '_>, tree: &Utf8Path) -> Option<Frame> {
    if !node.has_tag_name("frame") || text(node, "obj").contains("/vgpreload_") {
        return None;
    }
    let (folder, file) = (text(node, "dir"), text(node, "file"));
    let file = match (folder, file) {
        (_, "") => String::new(),
        ("", file) => place::below(file, tree),
        (folder, file) => place::below(&format!("{folder}/{file}"), tree),
    };
    let function = text(node, "fn").to_owned();
    Some(Frame { function, file, line: text(node, "line").parse().unwrap_or(0) })
}

fn text<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    let child = node.children().find(|child| child.has_tag_name(name));
    child.and_then(|child| child.text()).unwrap_or_default().trim()
}
