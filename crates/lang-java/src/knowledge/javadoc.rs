//! What documentation comments promise: exceptions, and which unusual arguments may come.
//!
//! The rules are few and conservative: a word that may forbid something outweighs one that may allow it.

use tree_sitter::Node;

use super::unit::Unit;

/// A documentation comment, without markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Javadoc {
    /// Line by line.
    description: Vec<String>,
    /// Name and text.
    parameters: Vec<(String, String)>,
    /// Exceptions as written.
    pub(super) throws: Vec<String>,
}

/// What documentation allows for one parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Allowed {
    pub(super) null: bool,
    pub(super) not_finite: bool,
    pub(super) negative: bool,
}

/// Words for lists that are sorted.
const ORDERED: [&str; 3] = ["sorted", "ascending order", "increasing order"];

impl Javadoc {
    /// The comment in front of a declaration.
    pub(super) fn of(unit: &Unit, declaration: Node<'_>) -> Option<Self> {
        let mut before = declaration.prev_sibling();
        while let Some(node) = before {
            match node.kind() {
                "line_comment" => before = node.prev_sibling(),
                "block_comment" => {
                    let text = unit.text(node);
                    return text.starts_with("/**").then(|| Self::parse(text));
                }
                _ => return None,
            }
        }
        None
    }

    fn parse(comment: &str) -> Self {
        let body = comment.trim_start_matches("/**").trim_end_matches("*/");
        let lines = body.lines().map(|line| line.trim().trim_start_matches('*').trim());
        let mut doc = Self::default();
        // Tag, and what follows it up to the next one.
        let mut tags: Vec<(String, String)> = Vec::new();
        for line in lines {
            if let Some(tag) = line.strip_prefix('@') {
                let (name, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
                tags.push((name.to_owned(), rest.trim().to_owned()));
            } else if let Some((_, text)) = tags.last_mut() {
                text.push(' ');
                text.push_str(line);
            } else {
                doc.description.push(plain(line));
            }
        }
        for (tag, text) in tags {
            let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
            match tag.as_str() {
                "param" => doc.parameters.push((name.to_owned(), plain(rest))),
                "throws" | "exception" => doc.throws.push(name.to_owned()),
                _ => {}
            }
        }
        doc.throws.retain(|name| name.starts_with(char::is_alphabetic));
        doc
    }

    /// Exceptions that the description names.
    pub(super) fn named_exceptions(&self) -> impl Iterator<Item = &str> {
        let words = self
            .description
            .iter()
            .flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_'))));
        words.map(|word| word.trim_matches('.')).filter(|word| {
            let simple = word.rsplit('.').next().unwrap_or(word);
            let stem = simple.strip_suffix("Exception").or_else(|| simple.strip_suffix("Error"));
            stem.is_some_and(|stem| stem.starts_with(char::is_uppercase))
        })
    }

    /// What it allows for a parameter: by its place in examples such as `f(null, -1) = 3`, by its `@param`, and by
    /// sentences of the description.
    pub(super) fn allows(&self, method: &str, names: &[String], at: usize) -> Allowed {
        let Some(name) = names.get(at) else { return Allowed::default() };
        let own = self.parameters.iter().find(|(known, _)| known == name);
        let examples = self.examples(method, names.len());
        let spoken = Spoken {
            name: name.to_lowercase(),
            own: sentences(own.map_or("", |(_, text)| text.as_str())),
            whole: sentences(&self.description.join(" ")),
            shown: examples.into_iter().filter_map(|mut example| example.drain(..).nth(at)).collect(),
        };
        Allowed { null: spoken.null(), not_finite: spoken.not_finite(), negative: spoken.negative() }
    }

    /// Is something said to be in order, in the description or of a parameter?
    pub(super) fn speaks_of_order(&self, parameter: &str) -> bool {
        let own = self.parameters.iter().find(|(known, _)| known == parameter);
        let texts = self.description.iter().chain(own.map(|(_, text)| text));
        texts.map(|text| text.to_lowercase()).any(|text| has(&text, &ORDERED))
    }

    /// The argument lists of calls of the method that the description shows with a result that is no exception.
    fn examples(&self, method: &str, arity: usize) -> Vec<Vec<String>> {
        let opening = format!("{method}(");
        let calls = self.description.iter().filter_map(|line| {
            let (_, rest) = line.split_once(&opening)?;
            let (arguments, result) = arguments(rest)?;
            let fails = THROWS.iter().any(|word| result.to_lowercase().contains(word));
            (!fails && result.contains(['=', '→']) && arguments.len() == arity).then_some(arguments)
        });
        calls.collect()
    }
}

/// What is said of one parameter.
struct Spoken {
    name: String,
    /// Of it alone.
    own: Vec<String>,
    /// Of the method.
    whole: Vec<String>,
    /// What examples pass for it.
    shown: Vec<String>,
}

impl Spoken {
    fn null(&self) -> bool {
        let in_general = |sentence: &String| {
            let speaks =
                has(sentence, &NULL_INPUT) || self.is_named_in(sentence) && has(sentence, &MAYBE_NULL);
            speaks && !has(sentence, &NOT_NULL) && !has(sentence, &THROWS)
        };
        !self.forbids(&NOT_NULL)
            && (self.shown.iter().any(|text| text == "null")
                || self.own.iter().any(|sentence| has(sentence, &MAYBE_NULL))
                || self.whole.iter().any(in_general))
    }

    fn not_finite(&self) -> bool {
        let speaks = |sentence: &String| {
            has(sentence, &INFINITE) && !has(sentence, &FINITE) && !has(sentence, &THROWS)
        };
        !self.forbids(&FINITE)
            && (self.shown.iter().any(|text| text.ends_with("NaN") || text.ends_with("_INFINITY"))
                || self.own.iter().chain(&self.whole).any(speaks))
    }

    fn negative(&self) -> bool {
        let is_negative = |text: &String| {
            text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let in_general = |sentence: &String| {
            has(sentence, &["negative"])
                && self.is_named_in(sentence)
                && !has(sentence, &NOT_NEGATIVE)
                && !has(sentence, &THROWS)
        };
        !self.forbids(&NOT_NEGATIVE)
            && (self.shown.iter().any(is_negative)
                || self.own.iter().any(|sentence| has(sentence, &MAYBE_NEGATIVE) && !has(sentence, &THROWS))
                || self.whole.iter().any(in_general))
    }

    fn forbids(&self, words: &[&str]) -> bool {
        self.own.iter().any(|sentence| has(sentence, words))
    }

    fn is_named_in(&self, sentence: &str) -> bool {
        super::sources::mentions(sentence, &self.name)
    }
}

const NOT_NULL: [&str; 12] = [
    "not null",
    "non-null",
    "nonnull",
    "non null",
    "not be null",
    "never null",
    "cannot be null",
    "can't be null",
    "no null",
    "not allow null",
    "not accept null",
    "nullpointerexception",
];
const MAYBE_NULL: [&str; 17] = [
    "may be null",
    "can be null",
    "could be null",
    "might be null",
    "possibly null",
    "or null",
    "null allowed",
    "null permitted",
    "null if",
    "null for",
    "null means",
    "null is ",
    "null returns",
    "null input",
    "null-safe",
    "nullable",
    "if null",
];
const NULL_INPUT: [&str; 5] = ["null input", "null-safe", "handles null", "null returns", "null safe"];
const INFINITE: [&str; 4] = ["nan", "infinite", "infinity", "infinities"];
const FINITE: [&str; 7] = [
    "must be finite",
    "not nan",
    "not be nan",
    "cannot be nan",
    "not be infinite",
    "not infinite",
    "finite number",
];
const MAYBE_NEGATIVE: [&str; 10] = [
    "may be negative",
    "can be negative",
    "negative means",
    "if negative",
    "negative value",
    "negative number",
    "negative index",
    "positive or negative",
    "or negative",
    "negative to ",
];
const NOT_NEGATIVE: [&str; 8] = [
    "non-negative",
    "nonnegative",
    "non negative",
    "not negative",
    "not be negative",
    "cannot be negative",
    "never negative",
    "must be positive",
];
const THROWS: [&str; 3] = ["exception", "throw", "illegal"];

/// Do any of these words stand in a sentence? An ending may follow all but the shortest.
fn has(sentence: &str, words: &[&str]) -> bool {
    words.iter().any(|words| {
        sentence.match_indices(words).any(|(at, found)| {
            let before = sentence[..at].chars().next_back();
            let after = sentence[at + found.len()..].chars().next();
            before.is_none_or(|c| !c.is_alphanumeric() && c != '-')
                && (found.len() > 3 || after.is_none_or(|c| !c.is_alphanumeric()))
        })
    })
}

/// Without tags of HTML, and inline tags as their contents.
fn plain(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '{', '}', '&']) {
        result.push_str(&rest[..at]);
        let tail = &rest[at..];
        let is_tag = tail[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        rest = match tail.as_bytes()[0] {
            b'<' if is_tag => tail.split_once('>').map_or("", |(_, after)| after),
            b'{' if tail.starts_with("{@") => {
                tail.split_once(char::is_whitespace).map_or("", |(_, after)| after)
            }
            b'}' => &tail[1..],
            first => {
                result.push(char::from(first));
                &tail[1..]
            }
        };
    }
    result.push_str(rest);
    result
}

/// Sentences in lower case, with single spaces.
fn sentences(text: &str) -> Vec<String> {
    let words = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    words
        .split(['.', ';', '(', ')'])
        .map(|sentence| sentence.trim().to_owned())
        .filter(|each| !each.is_empty())
        .collect()
}

/// The arguments up to the closing parenthesis, and what follows it.
fn arguments(text: &str) -> Option<(Vec<String>, &str)> {
    let (mut depth, mut quote) = (0, None);
    let mut arguments = vec![String::new()];
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => {
                let arguments = arguments.iter().map(|each| each.trim().to_owned());
                return Some((arguments.filter(|each| !each.is_empty()).collect(), &text[at + 1..]));
            }
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        arguments.last_mut()?.push(character);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(comment: &str, method: &str, names: &[&str]) -> Vec<Allowed> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let doc = Javadoc::parse(comment);
        (0..names.len()).map(|at| doc.allows(method, &names, at)).collect()
    }

    fn null(comment: &str) -> bool {
        allowed(comment, "f", &["text"])[0].null
    }

    #[test]
    fn null_is_allowed_where_the_documentation_says_so() {
        assert!(null("/** @param text what to cut, may be null */"));
        assert!(null("/** @param text the text, <code>null</code> returns the default */"));
        assert!(null("/** A {@code null} input String returns {@code null}. */"));
        assert!(null("/** Null-safe length.\n * @param text the text */"));
        assert!(null("/**\n * <pre>\n * Cut.f(null) = null\n * </pre>\n */"));
    }

    #[test]
    fn null_is_not_allowed_where_it_is_forbidden_or_not_spoken_of() {
        assert!(!null("/** @param text what to cut, must not be null */"));
        assert!(!null("/** @param text a non-null text, or null for fun */"));
        assert!(!null("/** Cuts. @return the rest, or null if there is none */"));
        assert!(!null("/** Returns null if nothing is left. */"));
        assert!(!null("/**\n * Cut.f(null) = NullPointerException\n */"));
        assert!(!null("/** Cuts.\n * @throws NullPointerException if text is null */"));
    }

    #[test]
    fn examples_tell_for_each_place() {
        let comment = "/**\n * S.left(null, 3) = null\n * S.left(\"a,(b\", -1) = \"\"\n */";
        let found = allowed(comment, "left", &["text", "count"]);
        assert!(found[0].null && !found[0].negative);
        assert!(found[1].negative && !found[1].null);
    }

    #[test]
    fn numbers_that_are_not_finite_and_signs_are_read_the_same_way() {
        let doc = "/** If either argument is NaN, the result is NaN.\n * @param a it\n * @param b must be finite */";
        let found = allowed(doc, "f", &["a", "b"]);
        assert!(found[0].not_finite && !found[1].not_finite);
        let doc = "/** @param a days to add, may be negative\n * @param b a non-negative number */";
        let found = allowed(doc, "f", &["a", "b"]);
        assert!(found[0].negative && !found[1].negative);
    }

    #[test]
    fn exceptions_are_listed_as_written() {
        let doc = Javadoc::parse(
            "/** F.\n * @throws IllegalArgumentException if a\n * is b\n * @exception java.io.IOException no\n */",
        );
        assert_eq!(doc.throws, ["IllegalArgumentException", "java.io.IOException"]);
        let doc = Javadoc::parse(
            "/** A bank. What is frozen gives a {@link FrozenException}: Exceptions.\n * An Error. */",
        );
        assert_eq!(doc.named_exceptions().collect::<Vec<_>>(), ["FrozenException"]);
    }
}
