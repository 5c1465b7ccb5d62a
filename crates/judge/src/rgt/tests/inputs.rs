//! Which inputs are ordinary.

use bonafix_lang::Behaviour;
use bonafix_model::{
    CallableFacts, CallableId, Ending, Knowledge, Literal, LiteralSource, MinedLiteral, Observation,
    ParameterFacts, Sequence, Slot, Step, StepObservation, Value,
};

use super::super::fixture::*;
use super::super::{RgtOptions, judge};

fn check(callable: CallableId, argument: Step, facts: Option<ParameterFacts>, expected: &str) {
    let knowledge = facts.map(|facts| knowing_parameter(callable, facts)).unwrap_or_default();
    check_input(&bag_call(callable, argument), &knowledge, expected);
}

fn check_input(input: &Sequence, knowledge: &Knowledge, expected: &str) {
    let reason = oddity(input, knowledge).map_or("ordinary", |reason| reason.key());
    assert_eq!(reason, expected, "{input:?}");
}

/// Numbers that tests pass.
fn numbers(seen: u32, range: (i64, i64)) -> ParameterFacts {
    ParameterFacts {
        seen,
        negative: range.0 < 0,
        zero: false,
        positive: range.1 > 0,
        range: Some(range),
        ..ParameterFacts::default()
    }
}

#[test]
fn null_is_ordinary_where_tests_or_documentation_have_it() {
    check(NAME, text("a"), None, "ordinary");
    check(NAME, null(), None, "null-argument");
    check(NAME, null(), Some(ParameterFacts { seen: 2, ..ParameterFacts::default() }), "null-argument");
    check(NAME, null(), Some(ParameterFacts { null: true, ..ParameterFacts::default() }), "ordinary");
    check(
        NAME,
        null(),
        Some(ParameterFacts { null_element: true, ..ParameterFacts::default() }),
        "null-argument",
    );
    check(EQUALS, null(), None, "ordinary");
}

#[test]
fn nan_and_infinity_are_ordinary_where_tests_have_them() {
    let known = || Some(ParameterFacts { not_finite: true, ..ParameterFacts::default() });
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        check(SUM, real(value), None, "not-finite");
        check(SUM, real(value), known(), "ordinary");
    }
    check(SUM, constant(Literal::Float(f32::NAN.to_bits())), None, "not-finite");
}

#[test]
fn a_sign_is_unusual_only_where_tests_show_others() {
    for (value, facts, expected) in [
        (-1, None, "ordinary"),
        (-1, Some(ParameterFacts::default()), "ordinary"),
        (-1, Some(numbers(1, (5, 5))), "unusual-sign"),
        (-1, Some(numbers(4, (-5, 5))), "ordinary"),
        (0, Some(numbers(2, (4, 5))), "ordinary"),
        (0, Some(numbers(3, (4, 6))), "unusual-sign"),
        (0, Some(ParameterFacts { zero: true, ..numbers(3, (0, 6)) }), "ordinary"),
        (0, Some(numbers(3, (-4, 6))), "ordinary"),
        (7, Some(numbers(3, (-6, -4))), "ordinary"),
        // Tests pass things that are no numbers: nothing is known of signs.
        (-1, Some(ParameterFacts { seen: 5, ..ParameterFacts::default() }), "ordinary"),
    ] {
        check(COUNT, integer(value), facts, expected);
    }
    check(SUM, real(-0.5), Some(numbers(1, (5, 5))), "unusual-sign");
    check(SUM, real(-0.5), None, "ordinary");
    let reals = |zero| ParameterFacts { seen: 3, positive: true, zero, ..ParameterFacts::default() };
    check(SUM, real(0.0), Some(reals(false)), "unusual-sign");
    check(SUM, real(0.0), Some(reals(true)), "ordinary");
}

#[test]
fn a_number_is_extreme_where_tests_stay_modest() {
    let max = i64::from(i32::MAX);
    for (callable, value, facts, expected) in [
        (COUNT, max, None, "extreme-number"),
        (COUNT, -max - 1, None, "extreme-number"),
        (COUNT, 1 << 30, None, "ordinary"),
        (COUNT, max, Some(numbers(3, (1, 1000))), "extreme-number"),
        (COUNT, max, Some(numbers(3, (1, max))), "ordinary"),
        (WAIT, 1_600_000_000_000, None, "ordinary"),
        (WAIT, 1_600_000_000_000, Some(numbers(3, (1, 1000))), "extreme-number"),
        (WAIT, i64::MAX, None, "extreme-number"),
        (WAIT, i64::MIN, None, "extreme-number"),
    ] {
        check(callable, integer(value), facts, expected);
    }
    for (value, expected) in [
        (1e16, "extreme-number"),
        (-1e300, "extreme-number"),
        (f64::MIN_POSITIVE, "extreme-number"),
        (0.0, "ordinary"),
        (1e12, "ordinary"),
        (1e-12, "ordinary"),
    ] {
        check(SUM, real(value), None, expected);
    }
}

#[test]
fn an_extreme_number_of_the_tests_is_ordinary() {
    let mined =
        |source, value| Knowledge { literals: vec![MinedLiteral { source, value }], ..Knowledge::default() };
    let max = i64::from(i32::MAX);
    let input = bag_call(COUNT, integer(max));
    check_input(&input, &mined(LiteralSource::Test, Literal::Integer(max)), "ordinary");
    check_input(&input, &mined(LiteralSource::Change, Literal::Integer(max)), "extreme-number");
    let large = Literal::Double(1e20_f64.to_bits());
    check_input(&bag_call(SUM, real(1e20)), &mined(LiteralSource::Test, large), "ordinary");
}

#[test]
fn broken_and_huge_texts_are_not_ordinary() {
    check(NAME, text("Grüße 😀\n"), None, "ordinary");
    check(NAME, text("a\u{0}"), None, "broken-text");
    check(NAME, text("\u{7f}"), None, "broken-text");
    check(NAME, constant(Literal::Text(vec![0x61, 0xd800])), None, "broken-text");
    check(NAME, constant(Literal::Char(0xdc00)), None, "broken-text");
    check(NAME, constant(Literal::Char(0x61)), None, "ordinary");
    check(NAME, text(&"x".repeat(10_000)), None, "ordinary");
    check(NAME, text(&"x".repeat(10_001)), None, "huge");
    let value = Literal::Text(vec![0x61, 0]);
    let literals = vec![MinedLiteral { source: LiteralSource::Test, value }];
    check_input(&bag_call(NAME, text("\u{0}b")), &Knowledge { literals, ..Knowledge::default() }, "ordinary");
}

/// A bag, constants, a list of them made in some way, and a call with it.
fn with_array(values: &[Step]) -> Sequence {
    let mut steps = vec![call(BAG, None, &[])];
    steps.extend_from_slice(values);
    let items: Vec<Slot> = (1..).take(values.len()).collect();
    let array = Slot::try_from(steps.len()).unwrap();
    steps.push(Step::Array { element: "int".to_owned(), items });
    steps.push(call(AS_LIST, None, &[array]));
    steps.push(call(ALL, Some(0), &[array + 1]));
    Sequence { steps }
}

fn with_adds(values: &[i64]) -> Sequence {
    let mut steps = vec![call(BAG, None, &[]), call(ARRAY_LIST, None, &[])];
    for value in values {
        let slot = Slot::try_from(steps.len()).unwrap();
        steps.push(integer(*value));
        steps.push(call(ADD, Some(1), &[slot]));
    }
    steps.push(call(ALL, Some(0), &[1]));
    Sequence { steps }
}

/// Lists that tests pass.
fn lists(lists: u32, unsorted: bool, repeated: bool) -> Knowledge {
    let facts = ParameterFacts { lists, unsorted, repeated, ..numbers(3, (1, 9)) };
    knowing_parameter(ALL, facts)
}

/// A list that is documented as sorted.
fn documented(unsorted: bool) -> Knowledge {
    knowing_parameter(ALL, ParameterFacts { sorted: true, unsorted, ..numbers(3, (1, 9)) })
}

#[test]
fn lists_are_as_sorted_and_as_varied_as_those_of_the_tests() {
    for (values, facts, expected) in [
        (&[1, 2, 3][..], lists(2, false, false), "ordinary"),
        (&[2, 1], lists(2, false, false), "unsorted"),
        (&[2, 1], lists(1, false, false), "unsorted"),
        (&[2, 1], lists(0, false, false), "ordinary"),
        (&[2, 1], documented(false), "unsorted"),
        (&[1, 1], documented(false), "ordinary"),
        (&[2, 1], documented(true), "ordinary"),
        (&[1, 1], lists(1, false, false), "ordinary"),
        (&[2, 1], lists(2, true, false), "ordinary"),
        (&[1, 1], lists(2, false, false), "repeated"),
        (&[1, 1], lists(2, false, true), "ordinary"),
        (&[1, 1], lists(0, false, false), "ordinary"),
        (&[1], lists(2, false, false), "ordinary"),
        (&[], lists(2, false, false), "ordinary"),
        (&[2, 1], Knowledge::default(), "ordinary"),
    ] {
        let constants: Vec<Step> = values.iter().map(|value| integer(*value)).collect();
        check_input(&with_array(&constants), &facts, expected);
        check_input(&with_adds(values), &facts, expected);
    }
}

#[test]
fn what_was_sorted_or_filled_in_unknown_ways_is_not_called_unsorted() {
    let mut input = with_adds(&[2, 1]);
    let last = input.steps.pop().unwrap();
    input.steps.push(call(SORT, None, &[1]));
    input.steps.push(last);
    check_input(&input, &lists(2, false, false), "ordinary");
}

#[test]
fn a_set_has_no_order_to_keep() {
    let mut input = with_array(&[integer(2), integer(1)]);
    input.steps.pop();
    input.steps.push(call(UNION, Some(0), &[3]));
    let facts = ParameterFacts { lists: 2, ..numbers(3, (1, 9)) };
    check_input(&input, &knowing_parameter(UNION, facts), "ordinary");
}

/// Found on a developer's own fix: of a function of no variables the least value was asked for, and a test has none such.
#[test]
fn nothing_in_a_list_is_odd_where_tests_always_pass_something_and_nobody_says_what_is_right() {
    let judged = |input: &Sequence, facts: ParameterFacts, failures_only: bool| {
        let callable = input.callables().last().unwrap();
        let last = u32::try_from(input.steps.len() - 1).unwrap();
        let (ran, threw) = (returning(last, Value::Int(1)), throwing(last, "java.lang.NullPointerException"));
        let options = RgtOptions { failures_only, ..RgtOptions::default() };
        let knowledge = knowing_parameter(callable, facts);
        let seen = (Behaviour::Observed(&ran), Behaviour::Observed(&threw));
        in_short(&judge(input, &catalog(), &knowledge, seen.0, seen.1, &options))
    };
    let seen = |seen, empty| ParameterFacts { seen, empty, ..ParameterFacts::default() };
    let no_text = bag_call(NAME, text(""));
    let no_list =
        Sequence { steps: vec![call(BAG, None, &[]), call(ARRAY_LIST, None, &[]), call(ALL, Some(0), &[1])] };
    for input in [no_text, no_list] {
        assert_eq!(judged(&input, seen(3, false), true), "exc2 empty-argument");
        assert_eq!(judged(&input, seen(3, true), true), "exc2", "a test has it");
        assert_eq!(judged(&input, seen(2, false), true), "exc2", "too few to tell");
        assert_eq!(judged(&input, seen(3, false), false), "exc2", "the reference says what is right");
    }
    assert_eq!(judged(&bag_call(NAME, text("a")), seen(3, false), true), "exc2");
}

#[test]
fn an_element_of_the_program_twice_is_repeated() {
    let steps = vec![
        call(BAG, None, &[]),
        call(BAG, None, &[]),
        Step::Array { element: "p.Bag".to_owned(), items: vec![1, 1] },
        call(AS_LIST, None, &[2]),
        call(ALL, Some(0), &[3]),
    ];
    check_input(&Sequence { steps }, &lists(2, false, false), "repeated");
}

#[test]
fn a_position_in_a_list_is_no_element() {
    let steps = vec![
        call(BAG, None, &[]),
        call(ARRAY_LIST, None, &[]),
        integer(0),
        integer(5),
        call(ADD_AT, Some(1), &[2, 3]),
        call(ALL, Some(0), &[1]),
    ];
    check_input(&Sequence { steps }, &lists(2, false, false), "ordinary");
}

#[test]
fn what_the_program_makes_of_its_arguments_is_its_own() {
    let steps = vec![call(BAG, None, &[]), null(), call(NAME, Some(0), &[1]), call(COUNT, Some(0), &[2])];
    let knowledge = knowing_parameter(NAME, ParameterFacts { null: true, ..ParameterFacts::default() });
    check_input(&Sequence { steps }, &knowledge, "ordinary");
}

#[test]
fn what_is_inside_a_list_counts_as_what_is_passed() {
    check_input(&with_array(&[integer(1), null()]), &Knowledge::default(), "null-argument");
    let known = knowing_parameter(ALL, ParameterFacts { null_element: true, ..ParameterFacts::default() });
    check_input(&with_array(&[integer(1), null()]), &known, "ordinary");
    check_input(&with_array(&[real(f64::NAN)]), &Knowledge::default(), "not-finite");
    check_input(&with_adds(&[-1]), &lists(2, false, false), "unusual-sign");
    check_input(&with_array(&vec![integer(1); 1001]), &Knowledge::default(), "huge");
}

#[test]
fn what_is_passed_to_a_library_alone_is_nobodys_concern() {
    let steps = vec![
        call(BAG, None, &[]),
        call(ARRAY_LIST, None, &[]),
        null(),
        call(ADD, Some(1), &[2]),
        integer(1),
        call(COUNT, Some(0), &[4]),
    ];
    check_input(&Sequence { steps }, &Knowledge::default(), "ordinary");
}

#[test]
fn what_a_call_returned_counts_as_what_is_passed_on() {
    let input = Sequence {
        steps: vec![call(BAG, None, &[]), text("a"), call(NAME, Some(0), &[1]), call(NAME, Some(0), &[2])],
    };
    let seen = |first: &Value, last: i32| {
        let step =
            |step, result| StepObservation { step, result: Some(result), ..StepObservation::default() };
        Observation {
            steps: vec![step(2, first.clone()), step(3, Value::Int(last))],
            ending: Ending::Completed,
        }
    };
    for (first, expected) in [(Value::Null, "assert null-argument"), (words("b"), "assert")] {
        let (one, other) = (seen(&first, 1), seen(&first, 2));
        let ruling =
            rule(&input, &Knowledge::default(), Behaviour::Observed(&one), Behaviour::Observed(&other));
        assert_eq!(in_short(&ruling), expected);
    }
}

#[test]
fn a_decimal_has_a_sign_and_is_never_too_large() {
    let input = Sequence {
        steps: vec![call(BAG, None, &[]), real(-2.5), call(DECIMAL, None, &[1]), call(SUM, Some(0), &[2])],
    };
    let seen = |made: &str, last: i32| {
        let step =
            |step, result| StepObservation { step, result: Some(result), ..StepObservation::default() };
        Observation {
            steps: vec![step(2, decimal(made)), step(3, Value::Int(last))],
            ending: Ending::Completed,
        }
    };
    let knowledge = knowing_parameter(SUM, numbers(3, (1, 9)));
    for (made, expected) in [
        ("-2.50", "assert unusual-sign"),
        ("0.00", "assert unusual-sign"),
        ("2.5", "assert"),
        ("1E+400", "assert"),
        ("123456789012345678901234567890", "assert"),
    ] {
        let (one, other) = (seen(made, 1), seen(made, 2));
        let ruling = rule(&input, &knowledge, Behaviour::Observed(&one), Behaviour::Observed(&other));
        assert_eq!(in_short(&ruling), expected, "{made}");
    }
}

#[test]
fn boxes_do_not_hide_what_is_in_them() {
    let boxed = |values: &[i64]| {
        let mut steps = vec![call(BAG, None, &[]), call(ARRAY_LIST, None, &[])];
        for value in values {
            let slot = Slot::try_from(steps.len()).unwrap();
            steps.extend([integer(*value), call(BOX, None, &[slot]), call(ADD, Some(1), &[slot + 1])]);
        }
        steps.push(call(ALL, Some(0), &[1]));
        Sequence { steps }
    };
    check_input(&boxed(&[1, 2]), &lists(2, false, false), "ordinary");
    check_input(&boxed(&[2, 1]), &lists(2, false, false), "unsorted");
    check_input(&boxed(&[1, 1]), &lists(2, false, false), "repeated");
}

#[test]
fn milliseconds_inside_a_date_are_ordinary() {
    let date = |millis| Sequence {
        steps: vec![call(BAG, None, &[]), integer(millis), call(DATE, None, &[1]), call(NAME, Some(0), &[2])],
    };
    check_input(&date(1_600_000_000_000), &Knowledge::default(), "ordinary");
    check_input(&date(i64::MAX), &Knowledge::default(), "extreme-number");
}

#[test]
fn what_comes_behind_the_difference_does_not_matter() {
    let mut input = bag_call(COUNT, integer(1));
    input.steps.push(null());
    input.steps.push(call(NAME, Some(0), &[3]));
    let (one, other) = (returning(2, Value::Int(1)), returning(2, Value::Int(2)));
    let ruling = rule(&input, &Knowledge::default(), Behaviour::Observed(&one), Behaviour::Observed(&other));
    assert_eq!(in_short(&ruling), "assert");
    let (one, other) = (returning(4, Value::Int(1)), returning(4, Value::Int(2)));
    let ruling = rule(&input, &Knowledge::default(), Behaviour::Observed(&one), Behaviour::Observed(&other));
    assert_eq!(in_short(&ruling), "assert null-argument");
}

#[test]
fn what_users_cannot_call_counts_only_if_tests_call_it() {
    check(HIDDEN, integer(1), None, "not-public");
    let tested = knowing(HIDDEN, CallableFacts { tested: true, ..CallableFacts::default() });
    check_input(&bag_call(HIDDEN, integer(1)), &tested, "ordinary");
    let mut input = bag_call(HIDDEN, integer(1));
    input.steps.push(call(COUNT, Some(0), &[1]));
    check_input(&input, &Knowledge::default(), "not-public");
}

#[test]
fn stubs_stand_for_functions_and_listeners_only() {
    let stub = |interface: &str, answers: Vec<Slot>| Step::Stub { interface: interface.to_owned(), answers };
    for (interface, expected) in [
        ("p.Rule", "ordinary"),
        ("p.Listener", "ordinary"),
        // Without an answer it gives `null`.
        ("java.util.function.Function", "null-argument"),
        ("p.Shelf", "stub-argument"),
        ("java.util.List", "stub-argument"),
        ("java.util.Comparator", "stub-argument"),
        ("p.Order", "stub-argument"),
        ("java.lang.Comparable", "stub-argument"),
        ("q.Unknown", "stub-argument"),
    ] {
        check(NAME, stub(interface, Vec::new()), None, expected);
    }
    for (answer, expected) in
        [(null(), "null-argument"), (real(f64::NAN), "not-finite"), (integer(-4), "ordinary")]
    {
        let steps = vec![call(BAG, None, &[]), answer, stub("p.Rule", vec![1]), call(NAME, Some(0), &[2])];
        check_input(&Sequence { steps }, &knowing_parameter(NAME, numbers(3, (1, 9))), expected);
    }
}

#[test]
fn a_function_gives_the_same_answer_each_time() {
    let rule = |answers: Vec<Slot>| {
        let stub = Step::Stub { interface: "p.Rule".to_owned(), answers };
        let steps =
            vec![call(BAG, None, &[]), integer(1), integer(2), integer(1), stub, call(NAME, Some(0), &[4])];
        Sequence { steps }
    };
    check_input(&rule(vec![1]), &Knowledge::default(), "ordinary");
    check_input(&rule(vec![1, 3]), &Knowledge::default(), "ordinary");
    check_input(&rule(vec![1, 2]), &Knowledge::default(), "stub-argument");
}

#[test]
fn a_stub_of_an_abstract_class_is_a_function_or_a_listener_that_users_can_write() {
    let passed = |class: &str, answers: &[Slot]| {
        let stub = Step::Stub { interface: class.to_owned(), answers: answers.to_vec() };
        let steps =
            vec![call(BAG, None, &[]), integer(1), null(), integer(2), stub, call(NAME, Some(0), &[4])];
        Sequence { steps }
    };
    for (class, answers, expected) in [
        ("p.Gate", &[1][..], "ordinary"),
        ("p.Gate", &[], "stub-argument"),
        ("p.Gate", &[2], "null-argument"),
        ("p.Gate", &[1, 3], "stub-argument"),
        ("p.Watch", &[], "ordinary"),
        ("p.Model", &[1], "stub-argument"),
        ("p.Within", &[1], "stub-argument"),
        ("p.Ranked", &[1], "stub-argument"),
        ("p.Stream", &[1], "stub-argument"),
    ] {
        check_input(&passed(class, answers), &Knowledge::default(), expected);
    }
}

#[test]
fn what_an_abstract_class_gets_from_a_stub_counts_as_passed() {
    let received = |class: &str, answers: &[Slot]| {
        let stub = Step::Stub { interface: class.to_owned(), answers: answers.to_vec() };
        Sequence { steps: vec![integer(1), null(), stub, call(PASS, Some(2), &[0])] }
    };
    check_input(&received("p.Gate", &[0]), &Knowledge::default(), "ordinary");
    check_input(&received("p.Gate", &[]), &Knowledge::default(), "stub-argument");
    check_input(&received("p.Gate", &[1]), &Knowledge::default(), "null-argument");
    check_input(&received("p.Model", &[0]), &Knowledge::default(), "stub-argument");
}

#[test]
fn a_stub_may_be_the_receiver() {
    let stub = Step::Stub { interface: "p.Listener".to_owned(), answers: Vec::new() };
    let input = Sequence { steps: vec![stub, integer(1), call(LISTEN, Some(0), &[1])] };
    check_input(&input, &Knowledge::default(), "ordinary");
}

#[test]
fn a_tolerance_is_not_negative_even_where_no_test_passes_one() {
    let tolerance = ParameterFacts { tolerance: true, ..ParameterFacts::default() };
    check_input(&bag_call(COUNT, real(-3.0)), &knowing_parameter(COUNT, tolerance.clone()), "unusual-sign");
    check_input(&bag_call(COUNT, real(3.0)), &knowing_parameter(COUNT, tolerance), "ordinary");
    let other = ParameterFacts::default();
    check_input(&bag_call(COUNT, real(-3.0)), &knowing_parameter(COUNT, other), "ordinary");
}
