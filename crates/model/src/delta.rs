//! What a patch changes, in terms of the program: methods, fields, statements, on both sides.

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lines `first..=last`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct LineRange {
    /// First line.
    pub first: u32,
    /// Last line, included.
    pub last: u32,
}

/// What sort of program element was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ElementKind {
    /// A method or function.
    Method,
    /// A constructor.
    Constructor,
    /// A static or instance initialiser block.
    Initialiser,
    /// A field, a constant, an enum constant, a record component.
    Field,
    /// A type's header: name, modifiers, supertypes, type parameters.
    Type,
    /// Imports, package, or what stands outside of any type.
    File,
}

impl ElementKind {
    /// Is it code that runs?
    pub fn is_code(self) -> bool {
        matches!(self, Self::Method | Self::Constructor | Self::Initialiser)
    }
}

/// How an element or a statement differs between the versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Only in the patched version.
    Added,
    /// Only in the buggy version.
    Removed,
    /// In both, and different.
    Changed,
}

/// A statement (or a field's initialiser) that the patch touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// Grammar kind, such as `if_statement` or `return_statement`.
    pub kind: String,
    /// Where it differs: of a statement with a body (an `if`, a loop) only the head, unless the difference lies
    /// behind the body.
    pub lines: LineRange,
    /// The whole statement with all that it encloses, where that is more than `lines`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extent: Option<LineRange>,
    /// Its first line, for people.
    pub text: String,
}

/// What an element is called in one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ElementId {
    /// As in [`DeltaElement::name`].
    pub name: String,
    /// As in [`DeltaElement::owner`].
    pub owner: String,
    /// As in [`DeltaElement::parameters`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
}

/// One changed element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeltaElement {
    /// What it is.
    pub kind: ElementKind,
    /// How it differs.
    pub change: ChangeKind,
    /// Its name as a person would say it: `pkg.Outer.Inner#method(int, String)`, `pkg.Type#field`.
    pub name: String,
    /// The binary name of the type that holds it, or that it is: `pkg.Outer$Inner`. Of what stands outside of any
    /// type: the package.
    pub owner: String,
    /// The name alone; `<init>` for constructors and instance initialisers, `<clinit>` for static ones.
    pub member: String,
    /// Parameter types as written in the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// What the patched version calls it, where that differs: changed parameter types, or an anonymous class that
    /// got another number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed: Option<ElementId>,
    /// Where it stands in the buggy version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<LineRange>,
    /// Where it stands in the patched version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<LineRange>,
    /// The signature itself differs, not only the body. Holds for all that was added or removed.
    pub signature_changed: bool,
    /// Differs only through elements inside of it, such as a method of an anonymous class; those are listed too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_nested: bool,
    /// Innermost changed statements of the buggy version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements_before: Vec<Statement>,
    /// Innermost changed statements of the patched version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements_after: Vec<Statement>,
    /// Which of `statements_before` became which of `statements_after`, by index. A statement in no pair was
    /// removed or added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statement_pairs: Vec<(u32, u32)>,
}

/// Which lines of the two versions are the same line.
///
/// The identity of a line is its number in the buggy version; a line that only the patched version has gets none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineAlignment {
    /// `(first line before, first line after, how many)`: runs of equal text, ascending on both sides.
    pub runs: Vec<(u32, u32, u32)>,
    /// `(line before, line after)`: lines in no run that begin with the same piece of an unchanged statement, though
    /// it was moved, indented anew, or got another comment. Ascending by the line before; each line at most once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<(u32, u32)>,
    /// Lines of the buggy version that are the same in the patched one, and whose text stands on another line too that only
    /// one of the versions has: which of the two stayed is a guess.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<u32>,
}

impl LineAlignment {
    /// The line of the buggy version that a line of the patched one is.
    pub fn before(&self, after: u32) -> Option<u32> {
        let run = self.runs.partition_point(|&(_, a, n)| a + n <= after);
        match self.runs.get(run) {
            Some(&(b, a, _)) if a <= after => Some(b + (after - a)),
            _ => self.moved.iter().find_map(|&(b, a)| (a == after).then_some(b)),
        }
    }

    /// Is a line of the buggy version surely there in the patched one, word for word?
    pub fn keeps(&self, before: u32) -> bool {
        let run = self.runs.partition_point(|&(b, _, n)| b + n <= before);
        self.runs.get(run).is_some_and(|&(b, ..)| b <= before) && !self.doubtful.contains(&before)
    }

    /// The line of the patched version that a line of the buggy one is.
    pub fn after(&self, before: u32) -> Option<u32> {
        let run = self.runs.partition_point(|&(b, _, n)| b + n <= before);
        match self.runs.get(run) {
            Some(&(b, a, _)) if b <= before => Some(a + (before - b)),
            _ => self.moved.binary_search_by_key(&before, |&(b, _)| b).ok().map(|at| self.moved[at].1),
        }
    }
}

/// How many nodes of the syntax tree must be deleted or inserted to get from one version to the other, at least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SyntacticDistance {
    /// The number of nodes.
    pub nodes: u64,
    /// It is at most this: the versions differ too much to know more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_most: bool,
}

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeltaFile {
    /// Path in the buggy version (in the patched one, if the file is new).
    #[schemars(with = "String")]
    pub path: Utf8PathBuf,
    /// How the file differs.
    pub change: ChangeKind,
    /// Changed elements; empty where only comments or white space differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<DeltaElement>,
    /// Which lines are the same in both versions.
    #[serde(default)]
    pub alignment: LineAlignment,
    /// How far apart the syntax trees are; none where there are none, or none that could be read whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syntactic_distance: Option<SyntacticDistance>,
    /// Why the file could not be analysed, or only in part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// All that a patch changes outside of tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    /// By path.
    pub files: Vec<DeltaFile>,
}

/// How grammars call a condition that others run under.
const CONDITION: &str = "if_statement";

/// And what ends a function, a loop or a step of it.
const ENDS: [&str; 4] = ["break_statement", "continue_statement", "goto_statement", "throw_statement"];
const RETURN: &str = "return_statement";

impl Statement {
    /// Does it compute nothing itself, but decide whether others run?
    fn only_directs(&self) -> bool {
        let kind = self.kind.as_str();
        kind == CONDITION || ENDS.contains(&kind) || kind == RETURN && returns_what_is_there(&self.text)
    }
}

/// `return;`, `return null;`, `return -1.5;`, `return this.count;`: no call, and nothing is worked out.
fn returns_what_is_there(text: &str) -> bool {
    let value = text.trim().strip_prefix("return").and_then(|rest| rest.strip_suffix(';')).map(str::trim);
    let digits_or_names = |value: &str| value.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
    value.is_some_and(|value| digits_or_names(value.strip_prefix('-').unwrap_or(value)))
}

impl DeltaElement {
    fn only_takes_away(&self) -> bool {
        let is_new = |number: usize| !self.statement_pairs.iter().any(|pair| pair.1 as usize == number);
        self.has_only(|number, statement| is_new(number) && statement.kind == CONDITION)
    }

    /// Is all that differs gone, or else statements such as `wanted`?
    fn has_only(&self, wanted: impl Fn(usize, &Statement) -> bool) -> bool {
        let mut after = self.statements_after.iter().enumerate();
        match self.change {
            ChangeKind::Removed => true,
            ChangeKind::Added => false,
            ChangeKind::Changed => {
                // What is nested has an element of its own.
                self.only_nested
                    || !self.signature_changed
                        && (!self.statements_before.is_empty() || !self.statements_after.is_empty())
                        && after.all(|(number, statement)| wanted(number, statement))
            }
        }
    }
}

impl Delta {
    /// All changed elements.
    pub fn elements(&self) -> impl Iterator<Item = &DeltaElement> {
        self.files.iter().flat_map(|file| &file.elements)
    }

    /// How far apart the versions are as syntax trees; none if that is not known of a file.
    pub fn syntactic_distance(&self) -> Option<SyntacticDistance> {
        self.files.iter().try_fold(SyntacticDistance::default(), |sum, file| {
            let file = file.syntactic_distance?;
            Some(SyntacticDistance { nodes: sum.nodes + file.nodes, at_most: sum.at_most || file.at_most })
        })
    }

    /// Does the patch do nothing but remove statements, or let them run under a further condition?
    pub fn only_takes_away(&self) -> bool {
        self.is_known() && self.elements().all(DeltaElement::only_takes_away)
    }

    /// Does the patch compute nothing that was not computed before? It removes statements, has them run under other
    /// conditions, or ends what it changes earlier.
    pub fn only_directs(&self) -> bool {
        self.is_known() && self.elements().all(|element| element.has_only(|_, it| it.only_directs()))
    }

    /// Something differs, and it is known what.
    fn is_known(&self) -> bool {
        self.is_semantic() && self.files.iter().all(|file| file.problem.is_none())
    }

    /// Does anything that can run differ? A file that could not be analysed counts as a difference.
    pub fn is_semantic(&self) -> bool {
        self.files.iter().any(|file| !file.elements.is_empty() || file.problem.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(syntactic_distance: Option<SyntacticDistance>) -> DeltaFile {
        DeltaFile {
            path: "A.java".into(),
            change: ChangeKind::Changed,
            elements: Vec::new(),
            alignment: LineAlignment::default(),
            syntactic_distance,
            problem: None,
        }
    }

    /// A patch of one function: statements that it had, those that it has, and which became which.
    fn patch(before: &[&str], after: &[&str], pairs: &[(u32, u32)]) -> Delta {
        let statements = |kinds: &[&str]| {
            let lines = LineRange { first: 1, last: 1 };
            let statement = |kind: &&str| Statement {
                kind: (*kind).to_owned(),
                lines,
                extent: None,
                text: String::new(),
            };
            kinds.iter().map(statement).collect()
        };
        let element = DeltaElement {
            kind: ElementKind::Method,
            change: ChangeKind::Changed,
            name: "A#f()".to_owned(),
            owner: "A".to_owned(),
            member: "f".to_owned(),
            parameters: Vec::new(),
            renamed: None,
            before: None,
            after: None,
            signature_changed: false,
            only_nested: false,
            statements_before: statements(before),
            statements_after: statements(after),
            statement_pairs: pairs.to_vec(),
        };
        Delta { files: vec![DeltaFile { elements: vec![element], ..file(None) }] }
    }

    #[test]
    fn what_is_removed_or_runs_under_a_further_condition_is_taken_away() {
        assert!(patch(&["expression_statement"], &[], &[]).only_takes_away());
        assert!(patch(&[], &["if_statement"], &[]).only_takes_away());
        assert!(
            !patch(&["if_statement"], &["if_statement"], &[(0, 0)]).only_takes_away(),
            "another condition"
        );
        assert!(!patch(&[], &["if_statement", "return_statement"], &[]).only_takes_away());
        assert!(!patch(&[], &["expression_statement"], &[]).only_takes_away());
        assert!(!Delta::default().only_takes_away());
    }

    #[test]
    fn conditions_and_early_ends_compute_nothing_new() {
        let directs = |statements: &[(&str, &str)], pairs: &[(u32, u32)]| {
            let kinds: Vec<&str> = statements.iter().map(|statement| statement.0).collect();
            let mut delta = patch(&["if_statement"], &kinds, pairs);
            let after = &mut delta.files[0].elements[0].statements_after;
            after
                .iter_mut()
                .zip(statements)
                .for_each(|(statement, (_, text))| (*text).clone_into(&mut statement.text));
            delta.only_directs()
        };
        assert!(directs(&[], &[]), "what is removed");
        assert!(directs(&[("if_statement", "if (f(x)) {")], &[(0, 0)]), "another condition");
        assert!(directs(&[("if_statement", "if (a)"), ("break_statement", "break;")], &[]));
        for text in ["return;", "return null;", "return -1.5f;", "return this.count;", "return Double.NaN;"] {
            assert!(directs(&[("return_statement", text)], &[]), "{text}");
        }
        for text in ["return f(x);", "return a + b;", "return new int[0];", "return \"\";", "return"] {
            assert!(!directs(&[("return_statement", text)], &[]), "{text}");
        }
        assert!(!directs(&[("expression_statement", "x = 1;")], &[]));
        assert!(!directs(&[("for_statement", "for (;;) {")], &[]));
        assert!(!Delta::default().only_directs());
    }

    #[test]
    fn what_holds_an_element_that_only_takes_away_does_so_too() {
        let mut nested = patch(&["expression_statement"], &[], &[]);
        let holder = DeltaElement { only_nested: true, ..patch(&[], &[], &[]).files[0].elements[0].clone() };
        nested.files[0].elements.push(holder);
        assert!(nested.only_takes_away());
    }

    #[test]
    fn the_distance_of_a_patch_is_the_sum_over_its_files() {
        let known = |nodes, at_most| file(Some(SyntacticDistance { nodes, at_most }));
        let sum = |files| Delta { files }.syntactic_distance();
        assert_eq!(sum(Vec::new()), Some(SyntacticDistance { nodes: 0, at_most: false }));
        let both = sum(vec![known(6, false), known(2, true)]);
        assert_eq!(both, Some(SyntacticDistance { nodes: 8, at_most: true }));
        assert_eq!(sum(vec![known(6, false), file(None)]), None);
    }
}
