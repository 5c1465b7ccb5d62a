//! Differences of exceptions.

use bonafix_lang::Behaviour;
use bonafix_model::{
    CallableFacts, CallableId, Catalog, Ending, Exception, Field, Knowledge, Observation, ParameterFacts,
    Sequence, Step, StepObservation, Value,
};

use super::super::fixture::*;
use super::super::{RgtOptions, Ruling, judge, promised_throws};

fn check_on(argument: Step, knowledge: &Knowledge, one: &Observation, other: &Observation, expected: &str) {
    let input = bag_call(COUNT, argument);
    let ruling = rule(&input, knowledge, Behaviour::Observed(one), Behaviour::Observed(other));
    assert_eq!(in_short(&ruling), expected, "{} / {}", one.ending, other.ending);
}

fn check(documented: &[&str], one: &Observation, other: &Observation, expected: &str) {
    check_on(integer(3), &knowing_exceptions(COUNT, documented), one, other, expected);
}

fn done() -> Observation {
    returning(2, Value::Int(1))
}

#[test]
fn a_missing_exception_is_evidence_only_if_it_was_promised() {
    let argument = throwing(2, "java.lang.IllegalArgumentException");
    let format = throwing(2, "java.lang.NumberFormatException");
    for (documented, thrown, expected) in [
        (&[][..], &argument, "exc1 reference-rejects"),
        (&["IllegalArgumentException"], &argument, "exc1"),
        (&["java.lang.IllegalArgumentException"], &argument, "exc1"),
        (&["IllegalArgumentException"], &format, "exc1"),
        (&["NumberFormatException"], &argument, "exc1 reference-rejects"),
        (&["IllegalStateException"], &argument, "exc1 reference-rejects"),
        (&["RuntimeException"], &argument, "exc1 reference-rejects"),
        (&["Exception"], &argument, "exc1 reference-rejects"),
        (&["IllegalStateException"], &throwing(2, "p.BagError"), "exc1"),
        (&["BagException"], &throwing(2, "p.BagException"), "exc1"),
        (&["RuntimeException"], &throwing(2, "java.lang.RuntimeException"), "exc1"),
        (&[], &throwing(2, "java.lang.AssertionError"), "exc1 reference-rejects"),
        (&["Inner"], &throwing(2, "p.Bag$Inner"), "exc1"),
        (&["Bag.Inner"], &throwing(2, "p.Bag$Inner"), "exc1"),
        (&["q.Inner"], &throwing(2, "p.Bag$Inner"), "exc1 reference-rejects"),
    ] {
        check(documented, thrown, &done(), expected);
    }
}

#[test]
fn what_a_function_throws_where_tests_expect_it_is_thrown_on_purpose_everywhere() {
    let by = |type_name: &str, function: &str| {
        let mut seen = throwing(2, type_name);
        if let Ending::Threw { exception, .. } = &mut seen.ending {
            exception.thrown_by = Some(function.to_owned());
        }
        seen
    };
    let state = "java.lang.IllegalStateException";
    let expected = knowing_exceptions(COUNT, &[state]);
    let seeds = [bag_call(COUNT, integer(3)), bag_call(SUM, integer(3)), bag_call(COUNT, integer(4))];
    let seen = [Some(by(state, "p.Bag.check")), Some(by(state, "p.Bag.other")), None];
    let promised = promised_throws(&seeds, &seen, &catalog(), &expected);
    let functions: Vec<&str> = promised.iter().map(|promise| promise.thrown_by.as_str()).collect();
    assert_eq!(functions, ["p.Bag.check"]);
    let knowledge = Knowledge { promised, ..Knowledge::default() };
    check_on(integer(3), &knowledge, &by(state, "p.Bag.check"), &done(), "exc1");
    check_on(integer(3), &knowledge, &by(state, "p.Bag.other"), &done(), "exc1 reference-rejects");
    let argument = "java.lang.IllegalArgumentException";
    check_on(integer(3), &knowledge, &by(argument, "p.Bag.check"), &done(), "exc1 reference-rejects");
}

/// Found on a correct patch of a class whose tests expect an exception of an object made without a comparator: the reference
/// threw it with any comparator, and the patch only where no comparator could do better.
#[test]
fn what_a_test_expects_of_an_object_says_nothing_about_one_that_was_given_a_strategy() {
    let state = "java.lang.IllegalStateException";
    let expected =
        knowing(COUNT, CallableFacts { expected: vec![state.to_owned()], ..CallableFacts::default() });
    let made_by = |maker: CallableId| {
        let mut input = bag_call(COUNT, integer(3));
        for step in &mut input.steps {
            if let Step::Call { callable, .. } = step
                && *callable == BAG
            {
                *callable = maker;
            }
        }
        input
    };
    let thrown = throwing(2, state);
    let short = |input: &Sequence, knowledge: &Knowledge| {
        in_short(&rule(input, knowledge, Behaviour::Observed(&thrown), Behaviour::Observed(&done())))
    };
    // Nobody knows how the test makes its object.
    assert_eq!(short(&made_by(BAG), &expected), "exc1");
    let promised = promised_throws(&[made_by(BAG)], &[Some(thrown.clone())], &catalog(), &expected);
    let knowledge = Knowledge { promised, ..expected };
    assert_eq!(short(&made_by(BAG), &knowledge), "exc1");
    assert_eq!(short(&made_by(DATE), &knowledge), "exc1", "a number makes no such difference");
    assert_eq!(short(&made_by(ORDERED), &knowledge), "exc1 reference-rejects");
}

/// Found on a correct patch with another wording: the exception was seen as the receiver of a getter.
#[test]
fn the_message_inside_an_exception_that_is_looked_at_is_its_wording() {
    let holding = |class: &str, message: &str| {
        let value = Value::Text(message.to_owned());
        let field = Field { name: "message".to_owned(), visible: true, value };
        returning(2, Value::Object { type_name: class.to_owned(), fields: vec![field] })
    };
    for (class, expected) in [("p.BagException", "assert exception-message"), ("p.Letter", "assert")] {
        check(&[], &holding(class, "a"), &holding(class, "b"), expected);
    }
}

#[test]
fn a_declared_exception_is_promised_if_it_is_checked() {
    let declares = |names: &[&str]| {
        let mut catalog = catalog();
        catalog.callables[COUNT as usize].throws = names.iter().map(|name| (*name).to_owned()).collect();
        catalog
    };
    let check = |catalog: &Catalog, thrown: &str, expected: &str| {
        let (one, other) = (throwing(2, thrown), done());
        let ruling = judge(
            &bag_call(COUNT, integer(3)),
            catalog,
            &Knowledge::default(),
            Behaviour::Observed(&one),
            Behaviour::Observed(&other),
            &RgtOptions::default(),
        );
        assert_eq!(in_short(&ruling), expected, "{thrown}");
    };
    check(&declares(&["p.BagException"]), "p.BagException", "exc1");
    check(&declares(&["java.io.IOException"]), "java.io.EOFException", "exc1");
    check(&declares(&["java.lang.Exception"]), "p.BagException", "exc1");
    check(&declares(&["java.lang.Exception"]), "java.lang.NullPointerException", "exc1 reference-rejects");
    check(&declares(&["java.lang.IllegalStateException"]), "p.BagError", "exc1 reference-rejects");
    check(&declares(&["java.io.IOException"]), "p.BagException", "exc1 reference-rejects");
}

#[test]
fn a_promised_exception_is_what_odd_numbers_get_but_not_what_null_gets() {
    let positive =
        ParameterFacts { seen: 3, positive: true, range: Some((1, 9)), ..ParameterFacts::default() };
    let knowledge = knowing(
        COUNT,
        CallableFacts {
            exceptions: vec!["IllegalArgumentException".to_owned()],
            parameters: vec![positive],
            ..CallableFacts::default()
        },
    );
    let thrown = throwing(2, "java.lang.IllegalArgumentException");
    check_on(integer(-3), &knowledge, &thrown, &done(), "exc1");
    check_on(integer(0), &knowledge, &thrown, &done(), "exc1");
    check_on(integer(i64::from(i32::MIN)), &knowledge, &thrown, &done(), "exc1");
    check_on(null(), &knowledge, &thrown, &done(), "exc1 null-argument");
    check_on(real(f64::NAN), &knowledge, &thrown, &done(), "exc1 not-finite");
    check_on(integer(-3), &knowledge, &done(), &thrown, "exc2 unusual-sign");
    // The odd number went into another call, which did not reject it.
    let mut input = bag_call(COUNT, integer(-3));
    input.steps.extend([integer(3), call(COUNT, Some(0), &[3])]);
    let (one, other) = (throwing(4, "java.lang.IllegalArgumentException"), returning(4, Value::Int(1)));
    let ruling = rule(&input, &knowledge, Behaviour::Observed(&one), Behaviour::Observed(&other));
    assert_eq!(in_short(&ruling), "exc1 unusual-sign");
}

#[test]
fn a_new_exception_is_evidence_on_an_ordinary_input() {
    for (thrown, expected) in [
        ("java.lang.IllegalArgumentException", "exc2"),
        ("java.lang.NullPointerException", "exc2"),
        ("p.BagException", "exc2"),
        ("java.lang.AssertionError", "exc2"),
        ("java.lang.StackOverflowError", "error"),
        ("java.lang.OutOfMemoryError", "error"),
        ("java.lang.ExceptionInInitializerError", "error"),
        ("java.lang.NoSuchMethodError", "error linkage-error"),
        ("java.lang.NoClassDefFoundError", "error linkage-error"),
    ] {
        check(&[], &done(), &throwing(2, thrown), expected);
        let odd = expected.split(' ').next().unwrap();
        if odd == expected {
            let thrown = throwing(2, thrown);
            check_on(null(), &Knowledge::default(), &done(), &thrown, &format!("{odd} null-argument"));
        }
    }
}

#[test]
fn another_exception_is_evidence_if_the_documentation_tells_them_apart() {
    let thrown = |name: &str| throwing(2, name);
    let (argument, state) = ("java.lang.IllegalArgumentException", "java.lang.IllegalStateException");
    let format = "java.lang.NumberFormatException";
    for (documented, one, other, expected) in [
        (&[][..], argument, state, "exc-type reference-rejects"),
        (&["IllegalStateException"], argument, state, "exc-type reference-rejects"),
        (&["IllegalArgumentException"], argument, state, "exc-type"),
        (&["IllegalArgumentException", "IllegalStateException"], argument, state, "exc-type"),
        (&["IllegalArgumentException"], argument, format, "exc-type documented-alike"),
        (&["IllegalArgumentException"], format, argument, "exc-type documented-alike"),
        (&["IllegalArgumentException", "NumberFormatException"], argument, format, "exc-type"),
        (&["IllegalArgumentException", "NumberFormatException"], format, argument, "exc-type"),
        (&["NumberFormatException"], format, argument, "exc-type"),
        (&["IllegalArgumentException"], argument, "java.lang.StackOverflowError", "exc-type"),
        (&["IllegalArgumentException"], argument, "java.lang.NoSuchMethodError", "exc-type linkage-error"),
    ] {
        check(documented, &thrown(one), &thrown(other), expected);
    }
}

#[test]
fn wording_and_place_of_an_exception_are_remarks() {
    let thrown = |message: &str, thrown_by: &str| {
        let exception = Exception {
            type_name: "java.lang.IllegalStateException".to_owned(),
            message: Some(message.to_owned()),
            thrown_by: Some(thrown_by.to_owned()),
            called: None,
            state: None,
        };
        Observation { steps: Vec::new(), ending: Ending::Threw { step: 2, exception } }
    };
    let documented = ["IllegalStateException"];
    check(&documented, &thrown("a", "f"), &thrown("a", "f"), "same");
    check(&documented, &thrown("a", "f"), &thrown("b", "f"), "assert exception-message");
    check(&documented, &thrown("a", "f"), &thrown("a", "g"), "exc-loc exception-place");
    check(&documented, &thrown("a", "f"), &thrown("b", "g"), "assert exception-message");
}

#[test]
fn an_exception_in_a_library_is_not_the_programs() {
    let input =
        bonafix_model::Sequence { steps: vec![call(ARRAY_LIST, None, &[]), call(TO_STRING, Some(0), &[])] };
    let (one, other) = (returning(1, Value::Int(1)), throwing(1, "java.lang.IllegalStateException"));
    let ruling = rule(&input, &Knowledge::default(), Behaviour::Observed(&one), Behaviour::Observed(&other));
    assert_eq!(in_short(&ruling), "exc2 library-call");
}

#[test]
fn a_claim_tells_what_each_version_does() {
    let sentence = |one: &Observation, other: &Observation| {
        let input = bag_call(COUNT, integer(3));
        let knowledge = knowing_exceptions(COUNT, &["IllegalStateException"]);
        match rule(&input, &knowledge, Behaviour::Observed(one), Behaviour::Observed(other)) {
            Ruling::Evidence(claim) => claim.sentence("bag.count(3)", "the reference"),
            other => panic!("{other:?}"),
        }
    };
    let thrown = throwing(2, "java.lang.IllegalStateException");
    assert_eq!(
        sentence(&thrown, &done()),
        "`bag.count(3)` throws java.lang.IllegalStateException in the reference and returns 1 in the patched version"
    );
    assert_eq!(
        sentence(&done(), &thrown),
        "`bag.count(3)` returns 1 in the reference and throws java.lang.IllegalStateException in the patched version"
    );
}

/// `bag.count(3)`, which throws and is caught, then `bag.name("a")`.
fn going_on() -> bonafix_model::Sequence {
    let mut input = bag_call(COUNT, integer(3));
    let Some(Step::Call { caught, .. }) = input.steps.last_mut() else { panic!("a call") };
    *caught = true;
    input.steps.extend([text("a"), call(NAME, Some(0), &[3])]);
    input
}

fn caught(type_name: Option<&str>, state: i32, then: &str) -> Observation {
    let thrown = type_name.map(|type_name| Exception {
        type_name: type_name.to_owned(),
        message: None,
        thrown_by: None,
        called: None,
        state: Some(object(type_name, &[("nodes", true, Value::Int(state))])),
    });
    let mut observation = returning(4, words(then));
    observation.steps.insert(0, StepObservation { step: 2, thrown, ..StepObservation::default() });
    observation
}

fn check_going_on(documented: &[&str], one: &Observation, other: &Observation, expected: &str) {
    let knowledge = knowing_exceptions(COUNT, documented);
    let ruling = rule(&going_on(), &knowledge, Behaviour::Observed(one), Behaviour::Observed(other));
    assert_eq!(in_short(&ruling), expected);
}

#[test]
fn what_follows_an_exception_counts_only_if_the_exception_was_promised() {
    let thrown = |then: &str| caught(Some("java.lang.IllegalStateException"), 1, then);
    check_going_on(&["IllegalStateException"], &thrown("a"), &thrown("b"), "assert");
    check_going_on(&["java.io.IOException"], &thrown("a"), &thrown("b"), "assert reference-rejects");
    check_going_on(&[], &thrown("a"), &thrown("b"), "assert reference-rejects");
    check_going_on(&[], &caught(None, 1, "a"), &caught(None, 1, "b"), "assert");
}

#[test]
fn a_caught_exception_is_judged_as_one_that_ends_the_input() {
    let thrown = caught(Some("p.BagError"), 1, "a");
    let other = caught(Some("java.lang.IllegalArgumentException"), 1, "b");
    let none = caught(None, 1, "b");
    check_going_on(&["BagError"], &thrown, &none, "exc1");
    check_going_on(&[], &thrown, &none, "exc1 reference-rejects");
    check_going_on(&[], &none, &thrown, "exc2");
    check_going_on(&["BagError"], &thrown, &other, "exc-type");
    check_going_on(&["BagError"], &thrown, &caught(Some("p.BagError"), 2, "a"), "assert internal-state");
}

#[test]
fn the_wording_of_a_caught_exception_is_a_remark_whoever_asks() {
    let mut input = going_on();
    input.steps[4] = call(TO_STRING, Some(2), &[]);
    let seen = |text: &str| {
        let mut seen = caught(Some("p.BagError"), 1, text);
        seen.steps[1].receiver = Some(object("p.BagError", &[]));
        seen
    };
    let (one, other) = (seen("a"), seen("b"));
    let knowledge = knowing_exceptions(COUNT, &["BagError"]);
    let ruling = rule(&input, &knowledge, Behaviour::Observed(&one), Behaviour::Observed(&other));
    assert_eq!(in_short(&ruling), "assert exception-message");
}

#[test]
fn what_an_exception_holds_counts_where_tests_look_into_such_exceptions() {
    let mut input = going_on();
    input.steps[4] = call(COUNT, Some(2), &[3]);
    let seen = |held: i32| {
        let mut seen = caught(Some("p.BagError"), 1, "");
        seen.steps[1].result = Some(Value::Int(held));
        seen
    };
    let (one, other) = (seen(1), seen(2));
    let mut knowledge = knowing_exceptions(COUNT, &["BagError"]);
    let judged = |knowledge: &Knowledge| {
        in_short(&rule(&input, knowledge, Behaviour::Observed(&one), Behaviour::Observed(&other)))
    };
    assert_eq!(judged(&knowledge), "assert exception-contents");
    let test = bonafix_model::TestId("p.BagTest#fails".to_owned());
    let sequence = input.clone();
    knowledge.seeds = vec![bonafix_model::Seed { sequence, test, failing: false }];
    assert_eq!(judged(&knowledge), "assert");
}
