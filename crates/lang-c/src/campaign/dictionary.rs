//! Constants of the program that may be worth putting into inputs.

use std::borrow::Cow;
use std::collections::BTreeSet;

use bonafix_model::{DeltaElement, ElementKind, FileEdit, LineRange};
use camino::Utf8Path;
use fs_err as fs;
use tree_sitter::{Language, Node, Parser, Tree};

use bonafix_lang::ExploredVersion;

use crate::recipe::{is_cxx, is_header, is_source};

/// Constants beyond this are not worth their share of the chance.
const MOST: usize = 400;
const LONGEST: usize = 64;

/// What may be put into inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Dictionary {
    /// For texts: strings, characters, numbers as they are written.
    pub(super) words: Vec<Vec<u8>>,
    /// Numbers and their neighbours.
    pub(super) numbers: Vec<i128>,
    /// How many of these, from the first, belong to changed functions.
    pub(super) near: usize,
    /// For other bytes: numbers in both orders, in the widths they fit.
    pub(super) raw: Vec<Vec<u8>>,
}

impl Dictionary {
    /// Of the changed functions of all versions first, then of the rest of their files.
    pub(super) fn of(root: &Utf8Path, versions: &[ExploredVersion<'_>]) -> Self {
        let sources = sources(root, versions);
        let mut gathered = Gathered::default();
        for inside in [true, false] {
            for source in &sources {
                source.gather(inside, &mut gathered);
            }
            if inside {
                gathered.dictionary.near = gathered.dictionary.numbers.len();
            }
        }
        gathered.finish()
    }

    /// Numbers of changed functions.
    pub(super) fn near_numbers(&self) -> &[i128] {
        &self.numbers[..self.near.min(self.numbers.len())]
    }
}

/// A changed file of a version.
struct Source {
    text: Vec<u8>,
    language: Language,
    /// Where its changed functions stand.
    changed: Vec<LineRange>,
}

fn sources(root: &Utf8Path, versions: &[ExploredVersion<'_>]) -> Vec<Source> {
    let mut sources = Vec::new();
    for version in versions {
        for file in &version.delta.files {
            let path = &file.path;
            if !is_source(path) && !is_header(path) {
                continue;
            }
            let mut push = |text: Vec<u8>, place: fn(&DeltaElement) -> Option<LineRange>| {
                let elements = file.elements.iter().filter(|element| element.kind != ElementKind::File);
                sources.push(Source {
                    text,
                    language: language(path),
                    changed: elements.filter_map(place).collect(),
                });
            };
            if let Some(FileEdit::Write(contents)) = version.change.files.get(path) {
                push(contents.clone(), |element| element.after);
            }
            if let Ok(before) = fs::read(root.join(path)) {
                push(before, |element| element.before);
            }
        }
    }
    sources
}

fn language(path: &Utf8Path) -> Language {
    if is_cxx(path) { tree_sitter_cpp::LANGUAGE.into() } else { tree_sitter_c::LANGUAGE.into() }
}

impl Source {
    /// Takes the constants inside of changed functions, or those outside. A macro or an enumerator belongs to the functions
    /// that name it.
    fn gather(&self, inside: bool, gathered: &mut Gathered) {
        let mut parser = Parser::new();
        if parser.set_language(&self.language).is_err() {
            return;
        }
        let Some(tree) = parser.parse(&self.text, None) else { return };
        let mut named = BTreeSet::new();
        walk(&tree, |node| {
            if node.kind() == "identifier" && self.is_changed(node) {
                named.insert(&self.text[node.byte_range()]);
            }
            true
        });
        walk(&tree, |node| {
            let name = node.child_by_field_name("name").map(|name| &self.text[name.byte_range()]);
            match node.kind() {
                "preproc_def" => {
                    let value = node.child_by_field_name("value").filter(|_| {
                        (self.is_changed(node) || name.is_some_and(|name| named.contains(name))) == inside
                    });
                    if let Some(value) = value {
                        gathered.replacement(&self.text_of(value));
                    }
                    false
                }
                "enumerator" if name.is_some_and(|name| named.contains(name)) => {
                    let value = node.child_by_field_name("value").filter(|_| inside);
                    if let Some(value) = value {
                        gathered.replacement(&self.text_of(value));
                    }
                    false
                }
                _ => !self.is_constant(node, inside, gathered),
            }
        });
    }

    fn text_of(&self, node: Node<'_>) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text[node.byte_range()])
    }

    fn is_changed(&self, node: Node<'_>) -> bool {
        let line = u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX);
        self.changed.iter().any(|range| range.first <= line && line <= range.last)
    }

    /// Is this a constant, or else nothing to look into? Those at the wanted place are taken.
    fn is_constant(&self, node: Node<'_>, inside: bool, gathered: &mut Gathered) -> bool {
        let is_wanted = || self.is_changed(node) == inside;
        match node.kind() {
            "string_literal" | "char_literal" if is_wanted() => {
                gathered.string(&unescape(&self.text_of(node)));
            }
            "number_literal" if is_wanted() => gathered.number(&self.text_of(node)),
            _ => {}
        }
        matches!(node.kind(), "preproc_include" | "string_literal" | "char_literal" | "number_literal")
    }
}

/// Visits nodes in the order of the text; those below a node only if `visit` says so.
fn walk<'t>(tree: &'t Tree, mut visit: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = tree.walk();
    loop {
        let goes_down = visit(cursor.node());
        if goes_down && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// What is known so far, in the order in which it was met.
#[derive(Default)]
struct Gathered {
    dictionary: Dictionary,
    known: BTreeSet<Vec<u8>>,
    known_numbers: BTreeSet<i128>,
}

impl Gathered {
    fn word(&mut self, word: &[u8]) {
        let fits = !word.is_empty() && word.len() <= LONGEST && self.dictionary.words.len() < MOST;
        if fits && self.known.insert(word.to_vec()) {
            self.dictionary.words.push(word.to_vec());
        }
    }

    /// A string as it is, and what stands between places to fill in.
    fn string(&mut self, text: &[u8]) {
        self.word(text);
        if let [single] = text {
            self.value(i128::from(*single), false);
        }
        if text.contains(&b'%') {
            let parts = text.split(|&byte| byte == b'%' || byte.is_ascii_whitespace());
            parts.filter(|part| part.len() > 2).for_each(|part| self.word(part));
        }
    }

    fn number(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase().replace('\'', "");
        let digits = lower.trim_end_matches(['u', 'l']);
        let value = if let Some(hex) = digits.strip_prefix("0x") {
            i128::from_str_radix(hex, 16)
        } else if digits.len() > 1 && digits.starts_with('0') && !digits.contains('.') {
            i128::from_str_radix(digits, 8)
        } else {
            digits.parse()
        };
        match value {
            Ok(value) => self.value(value, true),
            Err(_) => self.word(text.as_bytes()),
        }
    }

    /// What a macro or an enumerator stands for: a string, or numbers in whatever is made of them.
    fn replacement(&mut self, text: &str) {
        let text = text.trim();
        if text.starts_with(['"', '\'']) {
            return self.string(&unescape(text));
        }
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        for word in words.filter(|word| word.starts_with(|letter: char| letter.is_ascii_digit())) {
            self.number(word);
        }
    }

    fn value(&mut self, value: i128, as_text: bool) {
        for near in [value, value + 1, value - 1] {
            if self.dictionary.numbers.len() >= MOST || !self.known_numbers.insert(near) {
                continue;
            }
            self.dictionary.numbers.push(near);
            if as_text {
                self.word(near.to_string().as_bytes());
            }
        }
    }

    fn finish(self) -> Dictionary {
        let mut dictionary = self.dictionary;
        dictionary.raw = dictionary.numbers.iter().flat_map(|&number| both_orders(number)).collect();
        dictionary
    }
}

/// A number as bytes: in the smallest width it fits and in four bytes, least and most significant first.
fn both_orders(number: i128) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut push = |bytes: Vec<u8>| {
        if !found.contains(&bytes) {
            found.push(bytes);
        }
    };
    if let Ok(small) = u8::try_from(number) {
        push(vec![small]);
    } else if let Ok(middle) = u16::try_from(number) {
        push(middle.to_le_bytes().to_vec());
        push(middle.to_be_bytes().to_vec());
    }
    // Negative ones in the complement that the machine has.
    if let Some(wide) =
        u32::try_from(number).ok().or_else(|| i32::try_from(number).ok().map(i32::cast_unsigned))
    {
        push(wide.to_le_bytes().to_vec());
        push(wide.to_be_bytes().to_vec());
    } else if let Ok(widest) = u64::try_from(number) {
        push(widest.to_le_bytes().to_vec());
        push(widest.to_be_bytes().to_vec());
    }
    found
}

/// What a literal in quotation marks means.
fn unescape(literal: &str) -> Vec<u8> {
    let Some(open) = literal.find(['"', '\'']) else { return Vec::new() };
    let inner = literal[open + 1..].strip_suffix(['"', '\'']).unwrap_or(&literal[open + 1..]);
    let mut bytes = inner.bytes().peekable();
    let mut meant = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            meant.push(byte);
            continue;
        }
        let escaped = bytes.next().unwrap_or(b'\\');
        let numeric = |radix: u32,
                       first: Option<u8>,
                       most: usize,
                       rest: &mut std::iter::Peekable<std::str::Bytes<'_>>| {
            let mut value = first.map_or(0, |digit| u32::from(digit - b'0'));
            let mut taken = usize::from(first.is_some());
            while taken < most
                && let Some(digit) = rest.peek().and_then(|&byte| char::from(byte).to_digit(radix))
            {
                value = value * radix + digit;
                taken += 1;
                rest.next();
            }
            value.to_le_bytes()[0]
        };
        meant.push(match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'x' => numeric(16, None, 2, &mut bytes),
            b'0'..=b'7' => numeric(8, Some(escaped), 3, &mut bytes),
            other => other,
        });
    }
    meant
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(text: &str, changed: &[LineRange]) -> Dictionary {
        let source = Source {
            text: text.as_bytes().to_vec(),
            language: tree_sitter_c::LANGUAGE.into(),
            changed: changed.to_vec(),
        };
        let mut gathered = Gathered::default();
        source.gather(true, &mut gathered);
        source.gather(false, &mut gathered);
        gathered.finish()
    }

    #[test]
    fn constants_of_changed_functions_come_first() {
        let text = "#include \"x.h\"\nint f(int c) { return c == 'q'; }\nint g(int c) { return c > 0x1F ? 7 : puts(\"hi\\n\"); }\n";
        let dictionary = gathered(text, &[LineRange { first: 3, last: 3 }]);
        assert_eq!(dictionary.numbers, [31, 32, 30, 7, 8, 6, 113, 114, 112]);
        let words: Vec<_> = dictionary.words.iter().map(|word| String::from_utf8_lossy(word)).collect();
        assert_eq!(words, ["31", "32", "30", "7", "8", "6", "hi\n", "q"]);
    }

    #[test]
    fn macros_and_enumerators_belong_to_the_functions_that_name_them() {
        let text = "#define LEAST 3\n#define MOST (0x40 * 2)\n#define NAME \"max\"\nenum { A = 900, B = 700 };\n\
                    int f(int c) { return c < MOST || c == A; }\n";
        let dictionary = gathered(text, &[LineRange { first: 5, last: 5 }]);
        assert_eq!(dictionary.numbers[..9], [64, 65, 63, 2, 3, 1, 900, 901, 899]);
        assert!(dictionary.numbers.contains(&700) && dictionary.words.contains(&b"max".to_vec()));
    }

    #[test]
    fn numbers_have_both_orders() {
        assert_eq!(both_orders(0x0102), [vec![2, 1], vec![1, 2], vec![2, 1, 0, 0], vec![0, 0, 1, 2]]);
        assert_eq!(both_orders(-1), [vec![0xff; 4]]);
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(unescape(r#""a\tb\x41\101\\\"""#), b"a\tbAA\\\"");
        assert_eq!(unescape(r"'\0'"), b"\0");
    }
}
