//! String literals as the program sees them.

use std::borrow::Cow;

/// A string literal as the program sees it: a text block without the indentation and the trailing white space that
/// the compiler strips, so that indenting it anew is no change.
pub(super) fn string_literal(literal: &str) -> Cow<'_, str> {
    let Some((_, content)) = literal.strip_prefix("\"\"\"").and_then(|rest| rest.split_once('\n')) else {
        return Cow::Borrowed(literal);
    };
    let rows: Vec<&str> = content.split('\n').collect();
    let last = rows.len() - 1;
    let indentation = rows
        .iter()
        .enumerate()
        .filter(|&(at, row)| at == last || !row.trim().is_empty())
        .map(|(_, row)| row.len() - row.trim_start().len())
        .min()
        .unwrap_or(0);
    let mut stripped = String::from("\"\"\"\n");
    for (at, row) in rows.iter().enumerate() {
        let row = row.get(indentation..).unwrap_or("");
        stripped.push_str(if at == last { row } else { row.trim_end() });
        stripped.push_str(if at == last { "" } else { "\n" });
    }
    Cow::Owned(stripped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_block_indented_anew_is_the_same_string() {
        let narrow = "\"\"\"\n  a\n    b\n  \"\"\"";
        let wide = "\"\"\"\n      a  \n        b\n      \"\"\"";
        assert_eq!(string_literal(narrow), string_literal(wide));
        assert_ne!(string_literal(narrow), string_literal("\"\"\"\n  a\n   b\n  \"\"\""));
        assert_eq!(string_literal("\"a\""), "\"a\"");
    }
}
