//! Differences of values, and versions that do not come to an end.

use bonafix_lang::Behaviour;
use bonafix_model::{
    Breakdown, CallableFacts, CallableId, CollectionKind, DifferenceClass, Element, Ending, Knowledge,
    Observation, StepObservation, Tolerance, Value,
};

use super::super::fixture::*;
use super::super::{Claim, RgtOptions, Ruling, judge};

/// Judges two values that a call of a bag returns.
fn values(callable: CallableId, knowledge: &Knowledge, expected: Value, actual: Value) -> Ruling {
    let (expected, actual) = (returning(2, expected), returning(2, actual));
    let input = bag_call(callable, integer(3));
    rule(&input, knowledge, Behaviour::Observed(&expected), Behaviour::Observed(&actual))
}

fn check(callable: CallableId, expected: Value, actual: Value, ruling: &str) {
    let shown = format!("{expected} / {actual}");
    assert_eq!(in_short(&values(callable, &Knowledge::default(), expected, actual)), ruling, "{shown}");
}

#[test]
fn two_values_are_evidence_and_equal_ones_nothing() {
    check(COUNT, Value::Int(4), Value::Int(4), "same");
    check(COUNT, Value::Int(4), Value::Int(5), "assert");
    check(COUNT, Value::Boolean(true), Value::Boolean(false), "assert");
    check(COUNT, Value::Null, words(""), "assert");
    check(COUNT, list(vec![Value::Int(1)]), list(Vec::new()), "assert");
    check(COUNT, double(f64::NAN), double(0.0), "assert");
}

#[test]
fn a_claim_says_what_differs_in_a_sentence() {
    let Ruling::Evidence(claim) = values(COUNT, &Knowledge::default(), Value::Int(4), Value::Int(5)) else {
        panic!("evidence");
    };
    assert_eq!(
        claim.sentence("bag.count(3)", "the reference"),
        "`bag.count(3)` is 4 in the reference and 5 in the patched version"
    );
    assert_eq!(claim.difference.map(|difference| difference.location.step), Some(2));
}

#[test]
fn last_digits_are_a_remark_and_more_is_evidence() {
    check(SUM, double(0.3), double(0.1 + 0.2), "assert rounding");
    check(SUM, double(0.0), double(1e-17), "assert rounding");
    check(SUM, double(0.0), double(-0.0), "assert rounding");
    check(SUM, double(0.3), double(0.300_001), "assert");
    check(SUM, list(vec![double(0.3)]), list(vec![double(0.1 + 0.2)]), "assert rounding");
    check(SUM, set(vec![double(0.0)]), set(vec![double(-0.0)]), "assert rounding");
    check(SUM, list(vec![double(0.3), double(1.0)]), list(vec![double(0.1 + 0.2), double(2.0)]), "assert");
    check(NAME, words("mean 0.3"), words("mean 0.30000000000000004"), "assert rounding");
    check(NAME, words("mean 0.3"), words("mean 0.4"), "assert");
}

#[test]
fn tests_that_compare_coarsely_widen_the_tolerance_up_to_a_bound() {
    let ruling = |precision, actual| {
        let knowledge = Knowledge { precision, ..Knowledge::default() };
        in_short(&values(SUM, &knowledge, double(1.0), double(actual)))
    };
    assert_eq!(ruling(None, 1.00001), "assert");
    assert_eq!(ruling(Some(1e-4), 1.00001), "assert rounding");
    assert_eq!(ruling(Some(1e-4), 1.01), "assert");
    assert_eq!(ruling(Some(5.0), 2.0), "assert");
    let tolerance =
        |precision| RgtOptions::default().tolerance_for(&Knowledge { precision, ..Knowledge::default() });
    assert_eq!(tolerance(None), Tolerance { relative: 1e-9, absolute: 1e-9 });
    assert_eq!(tolerance(Some(1e-12)), Tolerance { relative: 1e-9, absolute: 1e-9 });
    assert_eq!(tolerance(Some(1e-6)), Tolerance { relative: 1e-6, absolute: 1e-6 });
}

#[test]
fn the_scale_of_a_decimal_is_a_remark_wherever_it_stands_and_its_value_is_not() {
    check(NAME, decimal("0"), decimal("0.00"), "assert big-decimal-scale");
    check(NAME, decimal("1E+2"), decimal("100.0"), "assert big-decimal-scale");
    check(NAME, decimal("1.5"), decimal("1.51"), "assert");
    check(NAME, list(vec![decimal("2")]), list(vec![decimal("2.0")]), "assert big-decimal-scale");
    check(NAME, set(vec![decimal("2")]), set(vec![decimal("2.0")]), "assert big-decimal-scale");
    check(NAME, set(vec![decimal("2")]), set(vec![decimal("3.0")]), "assert");
    let payslip = |net: &str| object("p.Bag", &[("open", true, decimal(net))]);
    check(NAME, payslip("2"), payslip("2.0"), "assert big-decimal-scale");
    check(NAME, payslip("2"), payslip("2.1"), "assert");
    let keyed = |key: &str| Value::Map {
        ordered: false,
        length: 1,
        entries: vec![(decimal(key), Value::Int(1))],
        digest: None,
    };
    check(NAME, keyed("2"), keyed("2.0"), "assert big-decimal-scale");
    check(NAME, keyed("2"), keyed("4.0"), "assert");
}

#[test]
fn a_claim_shows_decimals_as_they_were() {
    let pair = |one: &str, other: &str| list(vec![decimal(one), decimal(other)]);
    let Ruling::Evidence(claim) =
        values(NAME, &Knowledge::default(), pair("1.0", "2.50"), pair("1.00", "3.50"))
    else {
        panic!("evidence");
    };
    assert_eq!((claim.expected.as_str(), claim.actual.as_str()), ("2.50", "3.50"));
    let bag = |one: &str, other: &str| set(vec![decimal(one), decimal(other)]);
    let Ruling::Evidence(claim) =
        values(NAME, &Knowledge::default(), bag("1.0", "2.50"), bag("1.00", "3.50"))
    else {
        panic!("evidence");
    };
    assert_eq!((claim.expected.as_str(), claim.actual.as_str()), ("2.50", "nothing"));
}

#[test]
fn only_the_sign_of_a_comparison_has_a_meaning() {
    check(COMPARE_TO, Value::Int(1), Value::Int(7), "assert comparison-sign");
    check(COMPARE_TO, Value::Int(-1), Value::Int(-2), "assert comparison-sign");
    check(COMPARE_TO, Value::Int(1), Value::Int(-1), "assert");
    check(COMPARE_TO, Value::Int(0), Value::Int(1), "assert");
    check(COUNT, Value::Int(1), Value::Int(7), "assert");
}

#[test]
fn a_static_comparison_of_two_is_one_as_well() {
    let input =
        bonafix_model::Sequence { steps: vec![integer(1), integer(2), call(OWNED_COMPARE, None, &[0, 1])] };
    for (actual, ruling) in [(-5, "assert comparison-sign"), (5, "assert")] {
        let (one, other) = (returning(2, Value::Int(-1)), returning(2, Value::Int(actual)));
        let found =
            rule(&input, &Knowledge::default(), Behaviour::Observed(&one), Behaviour::Observed(&other));
        assert_eq!(in_short(&found), ruling);
    }
}

#[test]
fn nobody_relies_on_a_hash_code() {
    let input = bonafix_model::Sequence { steps: vec![call(BAG, None, &[]), call(HASH_CODE, Some(0), &[])] };
    let (one, other) = (returning(1, Value::Int(1)), returning(1, Value::Int(2)));
    let ruling = rule(&input, &Knowledge::default(), Behaviour::Observed(&one), Behaviour::Observed(&other));
    assert_eq!(in_short(&ruling), "assert hash-code");
}

#[test]
fn private_fields_are_internal_and_open_ones_are_not() {
    let with = |field: &str, visible, value| object("p.Bag", &[(field, visible, Value::Int(value))]);
    check(NAME, with("size", false, 1), with("size", false, 2), "assert internal-state");
    check(NAME, with("open", true, 1), with("open", true, 2), "assert");
    check(NAME, with("shared", true, 1), with("shared", true, 2), "assert internal-state");
    let through = |value| object("p.Bag", &[("node", false, with("open", true, value))]);
    check(NAME, through(1), through(2), "assert internal-state");
}

#[test]
fn a_field_that_tests_read_is_open() {
    let with = |value| object("p.Bag", &[("shared", true, Value::Int(value))]);
    let knowledge = knowing(SHARED, CallableFacts { tested: true, ..CallableFacts::default() });
    assert_eq!(in_short(&values(NAME, &knowledge, with(1), with(2))), "assert");
}

#[test]
fn a_field_of_one_version_is_a_matter_of_shape() {
    let plain = object("p.Bag", &[]);
    let more = object("p.Bag", &[("open", true, Value::Int(1))]);
    check(NAME, plain, more, "assert shape");
}

#[test]
fn classes_without_a_name_are_alike_and_named_ones_are_not() {
    let of = |name: &str| object(name, &[]);
    check(NAME, of("p.Bag$1"), of("p.Bag$2"), "assert implementation-class");
    check(NAME, of("p.Full"), of("p.Empty"), "assert");
    let opaque = |name: &str| Value::Opaque { type_name: name.to_owned() };
    check(NAME, opaque("java.util.stream.A"), opaque("java.util.stream.B"), "assert implementation-class");
    check(NAME, opaque("java.util.stream.A"), Value::Null, "assert");
}

#[test]
fn two_sorts_of_collection_are_alike_if_they_hold_the_same() {
    let numbers = || vec![Value::Int(1), Value::Int(2)];
    let swapped = || vec![Value::Int(2), Value::Int(1)];
    let other = |items| collection(CollectionKind::Other, false, items);
    check(ALL, list(numbers()), other(swapped()), "assert implementation-class");
    check(ALL, list(numbers()), other(vec![Value::Int(1)]), "assert");
    let ordered = |items| collection(CollectionKind::Other, true, items);
    check(ALL, list(numbers()), ordered(swapped()), "assert");
    let array = |items| collection(CollectionKind::Array("int".to_owned()), true, items);
    check(ALL, list(numbers()), array(numbers()), "assert");
}

#[test]
fn what_shows_in_a_library_is_a_remark_unless_the_object_is_of_the_program() {
    let input = |callable| bonafix_model::Sequence {
        steps: vec![call(BAG, None, &[]), call(ALL, Some(0), &[]), call(callable, Some(1), &[])],
    };
    let seen = |made: &Value, value| {
        let step =
            |step, result| StepObservation { step, result: Some(result), ..StepObservation::default() };
        Observation {
            steps: vec![step(1, made.clone()), step(2, Value::Int(value))],
            ending: Ending::Completed,
        }
    };
    let check = |callable, made: Value, expected: &str| {
        let (one, other) = (seen(&made, 1), seen(&made, 2));
        let ruling = rule(
            &input(callable),
            &Knowledge::default(),
            Behaviour::Observed(&one),
            Behaviour::Observed(&other),
        );
        assert_eq!(in_short(&ruling), expected, "{made}");
    };
    check(TO_STRING, map(&[(1, 1)]), "assert library-call");
    check(NEXT, Value::Opaque { type_name: "java.util.ArrayList$Itr".to_owned() }, "assert library-call");
    check(NEXT, Value::Opaque { type_name: "p.Bag$Walk".to_owned() }, "assert");
    check(TO_STRING, object("p.Bag", &[]), "assert");
}

#[test]
fn what_cannot_be_called_in_one_version_is_no_difference() {
    let missing = Observation { steps: Vec::new(), ending: Ending::Unavailable { step: 2 } };
    let unfit = Observation { steps: Vec::new(), ending: Ending::NullReceiver { step: 2 } };
    let done = returning(2, Value::Int(1));
    let input = bag_call(COUNT, integer(3));
    for (one, other, expected) in [
        (&missing, &done, "assert unavailable"),
        (&done, &missing, "assert unavailable"),
        (&done, &unfit, "assert unfit"),
        (&unfit, &done, "assert unfit"),
    ] {
        let ruling =
            rule(&input, &Knowledge::default(), Behaviour::Observed(one), Behaviour::Observed(other));
        assert_eq!(in_short(&ruling), expected);
    }
}

#[test]
fn the_most_tellable_difference_is_claimed() {
    let seen = |result: i32, receiver: i32, argument: i32| {
        let state = |value| object("p.Bag", &[("open", true, Value::Int(value))]);
        let step = StepObservation {
            step: 2,
            result: Some(Value::Int(result)),
            receiver: Some(state(receiver)),
            arguments: vec![(0, list(vec![Value::Int(argument)]))],
            ..StepObservation::default()
        };
        Observation { steps: vec![step], ending: Ending::Completed }
    };
    let element = |other: &Observation| {
        let one = seen(1, 1, 1);
        let input = bag_call(COUNT, integer(3));
        match rule(&input, &Knowledge::default(), Behaviour::Observed(&one), Behaviour::Observed(other)) {
            Ruling::Evidence(Claim { difference: Some(difference), .. }) => difference.location.element,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(element(&seen(2, 2, 2)), Element::Return);
    assert_eq!(element(&seen(1, 2, 2)), Element::Receiver);
    assert_eq!(element(&seen(1, 1, 2)), Element::Argument(0));
}

#[test]
fn a_static_field_is_no_evidence_before_it_is_read() {
    let seen = |held: i32| {
        let statics = Some(object("static", &[("p.Bag.made", true, Value::Int(held))]));
        let step = StepObservation { step: 2, statics, ..StepObservation::default() };
        Observation { steps: vec![step], ending: Ending::Completed }
    };
    let (one, other) = (seen(1), seen(2));
    let input = bag_call(COUNT, integer(3));
    let ruling = rule(&input, &Knowledge::default(), Behaviour::Observed(&one), Behaviour::Observed(&other));
    assert_eq!(in_short(&ruling), "assert internal-state");
}

#[test]
fn a_short_way_is_told_before_a_long_one() {
    let nested = |inner: i32, outer: i32| {
        let deep = list(vec![list(vec![Value::Int(inner)]), Value::Int(outer)]);
        list(vec![deep, Value::Int(outer)])
    };
    let Ruling::Evidence(claim) = values(ALL, &Knowledge::default(), nested(1, 1), nested(2, 2)) else {
        panic!("evidence");
    };
    assert_eq!(claim.difference.map(|difference| difference.location.path.len()), Some(1));
}

#[test]
fn evidence_comes_before_remarks_and_strong_remarks_before_weak_ones() {
    let seen = |hidden: i32, open: f64| {
        object("p.Bag", &[("size", false, Value::Int(hidden)), ("open", true, double(open))])
    };
    check(NAME, seen(1, 1.0), seen(2, 2.0), "assert");
    check(NAME, seen(1, 0.3), seen(2, 0.1 + 0.2), "assert rounding");
    check(NAME, seen(1, 0.3), seen(2, 0.3), "assert internal-state");
}

#[test]
fn strict_rules_count_every_real_difference() {
    let strict = RgtOptions { strict: true, ..RgtOptions::default() };
    let check = |expected: Value, actual: Value, ruling: &str| {
        let (one, other) = (returning(2, expected), returning(2, actual));
        let input = bag_call(NAME, null());
        let found = judge(
            &input,
            &catalog(),
            &Knowledge::default(),
            Behaviour::Observed(&one),
            Behaviour::Observed(&other),
            &strict,
        );
        assert_eq!(in_short(&found), ruling);
    };
    check(Value::Int(1), Value::Int(2), "assert");
    check(double(0.3), double(0.1 + 0.2), "assert");
    check(decimal("0"), decimal("0.0"), "assert");
    check(Value::Int(1), Value::Int(1), "same");
    check(object("p.Bag", &[]), object("p.Bag", &[("open", true, Value::Int(1))]), "assert shape");
}

#[test]
fn a_patched_version_that_does_not_end_is_evidence_only_against_a_reference_that_does() {
    let done = returning(2, Value::Int(1));
    let rejected = throwing(2, "java.lang.IllegalStateException");
    let promised = knowing_exceptions(COUNT, &["IllegalStateException"]);
    let nothing = Knowledge::default();
    let check =
        |knowledge: &Knowledge, argument, reference: Behaviour<'_>, patched: Behaviour<'_>, ruling: &str| {
            assert_eq!(in_short(&rule(&bag_call(COUNT, argument), knowledge, reference, patched)), ruling);
        };
    let broke = Behaviour::BrokeDown;
    let done = Behaviour::Observed(&done);
    let rejected = Behaviour::Observed(&rejected);
    check(&nothing, integer(3), done, broke(Breakdown::Timeout), "timeout");
    check(&nothing, integer(3), done, broke(Breakdown::Crash), "error");
    check(&nothing, integer(3), done, broke(Breakdown::OutOfMemory), "error");
    check(&nothing, integer(3), done, broke(Breakdown::Exit(1)), "error");
    check(&nothing, null(), done, broke(Breakdown::Timeout), "timeout null-argument");
    check(&nothing, integer(3), rejected, broke(Breakdown::Timeout), "timeout reference-rejects");
    check(&promised, integer(3), rejected, broke(Breakdown::Timeout), "timeout");
    check(&nothing, integer(3), broke(Breakdown::Timeout), done, "timeout reference-broke-down");
    check(&nothing, integer(3), broke(Breakdown::Crash), done, "error reference-broke-down");
    check(&nothing, integer(3), broke(Breakdown::Crash), broke(Breakdown::Timeout), "same");
    let unfit = Observation { steps: Vec::new(), ending: Ending::NullReceiver { step: 2 } };
    let missing = Observation { steps: Vec::new(), ending: Ending::Unavailable { step: 2 } };
    check(&nothing, integer(3), Behaviour::Observed(&unfit), broke(Breakdown::Timeout), "timeout unfit");
    check(
        &nothing,
        integer(3),
        Behaviour::Observed(&missing),
        broke(Breakdown::Timeout),
        "timeout unavailable",
    );
}

#[test]
fn what_broke_down_is_told_in_words() {
    let done = returning(2, Value::Int(1));
    let input = bag_call(COUNT, integer(3));
    for (breakdown, words) in [
        (Breakdown::Timeout, "does not come to an end"),
        (Breakdown::Exit(3), "ends the process with exit code 3"),
        (Breakdown::Crash, "breaks the virtual machine"),
        (Breakdown::OutOfMemory, "runs out of memory"),
    ] {
        let broke = Behaviour::BrokeDown(breakdown);
        let Ruling::Evidence(claim) = rule(&input, &Knowledge::default(), Behaviour::Observed(&done), broke)
        else {
            panic!("evidence");
        };
        let rest = format!("completes in the reference and {words} in the patched version");
        assert_eq!(claim.sentence("bag.count(3)", "the reference"), format!("`bag.count(3)` {rest}"));
        assert_eq!(claim.sentence("", "the reference"), format!("the input {rest}"));
    }
}

#[test]
fn of_long_texts_a_sentence_shows_where_they_begin_to_differ() {
    let sentence = |expected: String, actual: String| {
        let claim = Claim { class: DifferenceClass::Assert, difference: None, expected, actual };
        claim.sentence("x", "the reference")
    };
    let early = sentence(format!("a{}", "x".repeat(900)), "b".to_owned());
    assert!(early.starts_with("`x` is axxx") && early.contains("x… in the reference and b in"), "{early}");
    assert!(early.len() < 400, "{early}");
    let late = sentence(format!("{}é1", "x".repeat(900)), format!("{}é2", "x".repeat(900)));
    assert!(late.contains("xé1 in the reference and …x") && late.contains("xé2 in the patched"), "{late}");
    assert!(late.len() < 300, "{late}");
}
