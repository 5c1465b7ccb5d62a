//! Writes unified diffs, for people and for turning two versions into a patch.

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

const CONTEXT: usize = 3;

/// The unified diff between two files with three lines of context, empty if they are the same. The paths are
/// written as given; `/dev/null` stands for a file that does not exist.
pub fn render_unified(old_path: &str, new_path: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    render_with_context(old_path, new_path, old, new, CONTEXT)
}

fn render_with_context(old_path: &str, new_path: &str, old: &[u8], new: &[u8], context: usize) -> Vec<u8> {
    let old_lines: Vec<&[u8]> = old.split_inclusive(|&byte| byte == b'\n').collect();
    let new_lines: Vec<&[u8]> = new.split_inclusive(|&byte| byte == b'\n').collect();
    let ops = capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines);
    let mut out = Vec::new();
    for group in group_diff_ops(ops, context) {
        if out.is_empty() {
            out.extend_from_slice(format!("--- {}\n+++ {}\n", quoted(old_path), quoted(new_path)).as_bytes());
        }
        out.extend_from_slice(hunk_header(&group).as_bytes());
        for change in group.iter().flat_map(|op| op.iter_changes(&old_lines, &new_lines)) {
            out.push(match change.tag() {
                ChangeTag::Equal => b' ',
                ChangeTag::Delete => b'-',
                ChangeTag::Insert => b'+',
            });
            out.extend_from_slice(change.value());
            if !change.value().ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

fn hunk_header(group: &[DiffOp]) -> String {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return String::new() };
    let old = first.old_range().start..last.old_range().end;
    let new = first.new_range().start..last.new_range().end;
    format!("@@ -{} +{} @@\n", range(old), range(new))
}

/// An empty range is named by the line before it.
fn range(range: std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

/// Paths with control characters or quotes in C-style quotes, as git writes them.
fn quoted(path: &str) -> String {
    if !path.contains(|char: char| char.is_control() || char == '"') {
        return path.to_owned();
    }
    let escape = |byte: u8| match byte {
        b'"' => "\\\"".to_owned(),
        b'\\' => "\\\\".to_owned(),
        byte if byte.is_ascii_graphic() || byte == b' ' => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    };
    format!("\"{}\"", path.bytes().map(escape).collect::<String>())
}
