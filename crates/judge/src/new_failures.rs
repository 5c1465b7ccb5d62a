//! New failures, Opad's idea without a memory checker: an input that runs well on the buggy version must not fail on the
//! patched one.
//!
//! What fails is an accident: the machine objects (`null`, an index, a cast, a division), the stack or the memory is used
//! up, or there is no end. An exception by which a program rejects what it was given is a decision, and a fix may well
//! decide so: it says nothing. Nor does one that is documented, or that the patch itself throws: by a `throw` of its own,
//! or by a check that it calls (`Objects.requireNonNull`, `Math.addExact`, a project's own `checkIndex`). A cast that fails
//! and does not stand in the patch speaks of an input whose parts do not fit together, which a compiler with an eye on
//! generic types would not have let through; and so does whatever cannot be compared.
//! Nobody has said what is right, so this makes a patch suspicious at most.

use bonafix_lang::Behaviour;
use bonafix_model::{
    Catalog, ChangeKind, Delta, DeltaElement, DifferenceClass, Exception, Knowledge, Observation, Sequence,
};

use crate::rgt::{self, Claim, RgtOptions, Ruling};

/// The name of the technique.
pub const NAME: &str = "new-failures";

/// Exceptions that nobody decides for; those of their subclasses are others' decisions.
const ACCIDENTS: [&str; 12] = [
    "java.lang.NullPointerException",
    "java.lang.IndexOutOfBoundsException",
    "java.lang.ArrayIndexOutOfBoundsException",
    "java.lang.StringIndexOutOfBoundsException",
    "java.lang.ClassCastException",
    "java.lang.ArithmeticException",
    "java.lang.NegativeArraySizeException",
    "java.lang.ArrayStoreException",
    "java.util.ConcurrentModificationException",
    "java.util.NoSuchElementException",
    "java.lang.StackOverflowError",
    "java.lang.OutOfMemoryError",
];

/// What is thrown where a value is not of the type that the code was compiled for.
const CAST: &str = "java.lang.ClassCastException";
const ARRAY_STORE: &str = "java.lang.ArrayStoreException";
/// To this type code casts that wants to compare values, whatever they are.
const COMPARABLE: &str = "Comparable";

/// How functions are called that do nothing but reject: `requireNonNull`, `checkIndex`, `notNull`, `multiplyExact`.
const CHECKS_BEGIN: [&str; 9] =
    ["require", "check", "ensure", "validate", "verify", "assert", "notNull", "notEmpty", "validIndex"];
const CHECKS_END: &str = "Exact";

/// Says whether an input fails in the patched version that ran well in the buggy one.
pub fn judge(
    input: &Sequence,
    catalog: &Catalog,
    knowledge: &Knowledge,
    buggy: Behaviour<'_>,
    patched: Behaviour<'_>,
    delta: &Delta,
    options: &RgtOptions,
) -> Ruling {
    if !matches!(buggy, Behaviour::Observed(seen) if ran_well(seen)) {
        return Ruling::Same;
    }
    let options = RgtOptions { failures_only: true, ..*options };
    match rgt::judge(input, catalog, knowledge, buggy, patched, &options) {
        Ruling::Evidence(claim) if is_accident(input, catalog, knowledge, patched, delta, &claim) => {
            Ruling::Evidence(claim)
        }
        // Versions that differ otherwise are what a patch is for.
        _ => Ruling::Same,
    }
}

fn is_accident(
    input: &Sequence,
    catalog: &Catalog,
    knowledge: &Knowledge,
    patched: Behaviour<'_>,
    delta: &Delta,
    claim: &Claim,
) -> bool {
    match (patched, &claim.difference) {
        (Behaviour::BrokeDown(_), _) => true,
        (Behaviour::Observed(seen), Some(difference)) => {
            let step = difference.location.step;
            let class_says = claim.class == DifferenceClass::Error;
            let accident = seen.thrown_at(step).is_some_and(|exception| {
                ACCIDENTS.contains(&exception.type_name.as_str())
                    && !is_thrown_by_patch(delta, &exception.type_name)
                    && !is_check_of_patch(delta, exception)
                    && !is_of_unfit_parts(delta, exception)
            });
            (class_says || accident) && !rgt::is_promised(input, catalog, knowledge, seen, step)
        }
        (Behaviour::Observed(_), None) => false,
    }
}

/// Has the patch a `throw` of this exception among its changed statements?
fn is_thrown_by_patch(delta: &Delta, type_name: &str) -> bool {
    let simple = type_name.rsplit(['.', '$']).next().unwrap_or(type_name);
    let mut statements = statements_of_patch(delta);
    statements.any(|statement| words(statement).any(|word| word == "throw") && has_word(statement, simple))
}

/// Does the exception come from a check that the patch calls? The check may belong to a library, and is what the program's
/// uppermost function called, or to the program, and is that function.
fn is_check_of_patch(delta: &Delta, exception: &Exception) -> bool {
    let thrower = exception.thrown_by.as_deref().unwrap_or_default();
    let changed = delta.elements().find(|element| is_function(element, thrower));
    let check = match (&exception.called, changed) {
        (Some(called), _) => called,
        // A function of the patch that fails by itself is what is looked for, whatever its name.
        (None, Some(_)) => return false,
        (None, None) => thrower,
    };
    let name = check.rsplit('.').next().unwrap_or(check);
    let is_check = CHECKS_BEGIN.iter().any(|start| name.starts_with(start)) || name.ends_with(CHECKS_END);
    // Statements are listed of functions that both versions have.
    let is_new = changed.is_some_and(|element| element.change == ChangeKind::Added);
    is_check && (is_new || statements_of_patch(delta).any(|statement| has_word(statement, name)))
}

/// Did a cast fail that is none of the patch's own?
fn is_of_unfit_parts(delta: &Delta, exception: &Exception) -> bool {
    let thrower = exception.thrown_by.as_deref().unwrap_or_default();
    let by_itself =
        exception.called.is_none() && delta.elements().any(|element| is_function(element, thrower));
    match exception.type_name.as_str() {
        ARRAY_STORE => !by_itself,
        CAST => !(by_itself && is_cast_of_patch(delta, exception)),
        _ => false,
    }
}

/// Does the cast that failed stand in a statement of the patch? Compilers add others where types are generic.
fn is_cast_of_patch(delta: &Delta, exception: &Exception) -> bool {
    let message = exception.message.as_deref().unwrap_or_default();
    let Some((_, wanted)) = message.split_once(" cannot be cast to ") else { return false };
    let wanted = wanted.strip_prefix("class ").unwrap_or(wanted);
    let name = wanted.split([' ', ';']).next().and_then(|name| name.rsplit(['.', '$']).next());
    name.is_some_and(|name| {
        name != COMPARABLE && statements_of_patch(delta).any(|statement| casts_to(statement, name))
    })
}

/// Is there a cast to a type of this simple name, `(Name)`, `(a.Name<B>)`?
fn casts_to(statement: &str, name: &str) -> bool {
    statement.split('(').skip(1).filter_map(|rest| rest.split([')', '<', '[']).next()).any(|inside| {
        let inside = inside.trim();
        inside.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// Is this the element that a stack calls `pkg.Outer$Inner.method`?
fn is_function(element: &DeltaElement, name: &str) -> bool {
    let of_stack = name.replace('$', ".");
    of_stack.strip_prefix(&element.owner.replace('$', ".")).and_then(|rest| rest.strip_prefix('.'))
        == Some(element.member.as_str())
}

fn statements_of_patch(delta: &Delta) -> impl Iterator<Item = &str> {
    delta.elements().flat_map(|element| &element.statements_after).map(|statement| statement.text.as_str())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

fn has_word(text: &str, wanted: &str) -> bool {
    words(text).any(|word| word == wanted)
}

/// Did an input run well: to its end, without an exception?
fn ran_well(seen: &Observation) -> bool {
    seen.throwing_steps().next().is_none()
}

#[cfg(test)]
mod tests {
    use bonafix_model::{DeltaFile, ElementKind, LineAlignment, LineRange, Statement};

    use super::*;

    /// A patch of `p.Outer$Inner.add` that has these statements.
    fn patch(change: ChangeKind, texts: &[&str]) -> Delta {
        let statement = |text: &&str| Statement {
            kind: "expression_statement".to_owned(),
            lines: LineRange { first: 3, last: 3 },
            extent: None,
            text: (*text).to_owned(),
        };
        let element = DeltaElement {
            kind: ElementKind::Method,
            change,
            name: "p.Outer.Inner#add(int)".to_owned(),
            owner: "p.Outer.Inner".to_owned(),
            member: "add".to_owned(),
            parameters: vec!["int".to_owned()],
            renamed: None,
            before: None,
            after: None,
            signature_changed: false,
            only_nested: false,
            statements_before: Vec::new(),
            statements_after: texts.iter().map(statement).collect(),
            statement_pairs: Vec::new(),
        };
        let file = DeltaFile {
            path: "p/Outer.java".into(),
            syntactic_distance: None,
            change: ChangeKind::Changed,
            elements: vec![element],
            alignment: LineAlignment::default(),
            problem: None,
        };
        Delta { files: vec![file] }
    }

    fn thrown(thrown_by: &str, called: Option<&str>) -> Exception {
        Exception {
            type_name: "java.lang.NullPointerException".to_owned(),
            message: None,
            thrown_by: Some(thrown_by.to_owned()),
            called: called.map(str::to_owned),
            state: None,
        }
    }

    /// Found on a correct patch: it compared elements of a list that the buggy version did not get to, and the list held
    /// numbers and texts.
    #[test]
    fn a_cast_that_fails_elsewhere_than_in_the_patch_is_no_accident_of_it() {
        let delta = patch(ChangeKind::Changed, &["return (String) x;"]);
        let cast = |thrower: &str, called: Option<&str>| Exception {
            type_name: CAST.to_owned(),
            message: Some(
                "class java.lang.Integer cannot be cast to class java.lang.String (java.lang.Integer and …)"
                    .to_owned(),
            ),
            ..thrown(thrower, called)
        };
        let add = "p.Outer$Inner.add";
        assert!(is_of_unfit_parts(&delta, &cast(add, Some("java.lang.Integer.compareTo"))));
        assert!(is_of_unfit_parts(&delta, &cast("p.Name.compareTo", None)));
        assert!(!is_of_unfit_parts(&delta, &cast(add, None)));
        assert!(!is_of_unfit_parts(&delta, &thrown(add, Some("java.lang.Integer.compareTo"))));
    }

    /// Found on a correct patch: it compared one more element of a list that held what cannot be compared.
    #[test]
    fn a_cast_that_the_compiler_added_is_no_accident_of_the_patch() {
        let unfit = |text: &str, wanted: &str| {
            let message = Some(format!("class p.Bag cannot be cast to class {wanted} (p.Bag is in …)"));
            let exception =
                Exception { type_name: CAST.to_owned(), message, ..thrown("p.Outer$Inner.add", None) };
            is_of_unfit_parts(&patch(ChangeKind::Changed, &[text]), &exception)
        };
        assert!(unfit("while (get(i).compareTo(x) == 0) i--;", "java.lang.Comparable"));
        assert!(unfit("c = ((Comparable<T>) x).compareTo(y);", "java.lang.Comparable"));
        assert!(unfit("Name name = names.get(0);", "p.Name"));
        assert!(unfit("print((MyName) x, Name.of(y));", "p.Name"));
        assert!(!unfit("print((Name) x);", "p.Name"));
        assert!(!unfit("f = ((p.Outer.Name<T>) x).first();", "p.Outer$Name"));
    }

    #[test]
    fn what_a_check_throws_that_the_patch_calls_is_its_own_decision() {
        let own = |text: &str, thrower: &str, called: Option<&str>| {
            is_check_of_patch(&patch(ChangeKind::Changed, &[text]), &thrown(thrower, called))
        };
        let add = "p.Outer$Inner.add";
        assert!(own("Objects.requireNonNull(x);", add, Some("java.util.Objects.requireNonNull")));
        assert!(own("return Math.addExact(a, b);", add, Some("java.lang.Math.addExact")));
        assert!(own("checkNotNull(x);", add, Some("q.Preconditions.checkNotNull")), "of a library");
        assert!(own("Ensure.notNull(x);", "p.Ensure.notNull", None), "of the program");
    }

    #[test]
    fn what_fails_beside_a_check_is_an_accident() {
        let own = |text: &str, thrower: &str, called: Option<&str>| {
            is_check_of_patch(&patch(ChangeKind::Changed, &[text]), &thrown(thrower, called))
        };
        let add = "p.Outer$Inner.add";
        assert!(!own("Objects.requireNonNull(x);", add, None), "another place of the same function");
        assert!(!own("return list.get(n);", add, Some("java.util.ArrayList.get")));
        assert!(!own("x.run();", add, Some("java.util.Objects.requireNonNull")), "not called by the patch");
        assert!(!own("Parser.parse(x);", "p.Parser.parse", None), "no check");
        let itself = thrown("p.Outer.Inner.add", None);
        let mut renamed = patch(ChangeKind::Changed, &["check(x);"]);
        assert!(!is_check_of_patch(&renamed, &itself));
        renamed.files[0].elements[0].member = "check".to_owned();
        assert!(
            !is_check_of_patch(&renamed, &thrown("p.Outer$Inner.check", None)),
            "the patch's own function"
        );
    }

    #[test]
    fn a_check_in_a_function_that_only_the_patch_has_is_called_by_it() {
        let throws = thrown("p.Outer$Inner.add", Some("java.util.Objects.requireNonNull"));
        assert!(is_check_of_patch(&patch(ChangeKind::Added, &[]), &throws));
        assert!(!is_check_of_patch(&patch(ChangeKind::Changed, &[]), &throws));
    }
}
