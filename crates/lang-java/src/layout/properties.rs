//! Java `.properties` text, as Ant, Maven and Defects4J write it.

use std::collections::BTreeMap;

/// Keys and values, with continued lines joined and escapes undone.
pub(crate) fn parse(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start().to_owned();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        while line.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1 {
            line.pop();
            match lines.next() {
                Some(next) => line.push_str(next.trim_start()),
                None => break,
            }
        }
        let (key, value) = split(&line);
        found.insert(unescape(key), unescape(value));
    }
    found
}

/// Replaces `${name}` by its value as long as there is one.
pub(crate) fn expand(text: &str, properties: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for _ in 0..20 {
        let known = text.match_indices("${").find_map(|(start, _)| {
            let end = start + text[start..].find('}')?;
            Some((start, end, properties.get(&text[start + 2..end])?))
        });
        let Some((start, end, value)) = known else { break };
        text = format!("{}{value}{}", &text[..start], &text[end + 1..]);
    }
    text
}

fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        if !escaped && (matches!(character, '=' | ':') || character.is_whitespace()) {
            let value = line[at..].trim_start();
            let value = value.strip_prefix(['=', ':']).unwrap_or(value);
            return (&line[..at], value.trim_start());
        }
        escaped = character == '\\' && !escaped;
    }
    (line, "")
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.trim_end().chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                Some('u') => {
                    let digits: String = characters.by_ref().take(4).collect();
                    plain.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                Some(other) => plain.push(other),
                None => {}
            },
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_values_comments_escapes_and_continued_lines_are_read() {
        let found =
            parse("# no\n! no\na=1\nb : two words \nc d\ne=x,\\\n   y\nf\\:g=C\\:\\\\x\nempty=\nu=\\u0041\n");
        let expected = [
            ("a", "1"),
            ("b", "two words"),
            ("c", "d"),
            ("e", "x,y"),
            ("f:g", "C:\\x"),
            ("empty", ""),
            ("u", "A"),
        ];
        assert_eq!(found, expected.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect());
    }

    #[test]
    fn references_are_expanded_and_unknown_ones_kept() {
        let known = parse("a=x/${b}\nb=y\nloop=${loop}");
        assert_eq!(expand("${a}/z/${other}", &known), "x/y/z/${other}");
        assert_eq!(expand("${loop}", &known), "${loop}");
    }
}
