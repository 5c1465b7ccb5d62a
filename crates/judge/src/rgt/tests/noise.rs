//! Inputs on which the last digit decides.

use bonafix_model::{
    Difference, DifferenceKind, Element, Literal, Location, Observation, Sequence, Step, Value,
};

use super::super::fixture::*;
use super::super::{perturbed, within_noise};

fn difference(element: Element) -> Difference {
    let location = Location { step: 2, element, path: Vec::new() };
    Difference { location, left: None, right: None, kind: DifferenceKind::Value }
}

#[test]
fn each_number_is_nudged_upwards_and_downwards() {
    let input = bag_call(SUM, real(1.5));
    let around = perturbed(&input);
    let value = |input: &Sequence| match &input.steps[1] {
        Step::Constant { value: Literal::Double(bits), .. } => f64::from_bits(*bits),
        other => panic!("{other:?}"),
    };
    let values: Vec<f64> = around.iter().map(value).collect();
    assert_eq!(values, [1.5_f64.next_up(), 1.5_f64.next_down()]);
}

#[test]
fn several_numbers_are_nudged_together_and_alone_within_bounds() {
    let numbers = |count: usize| Sequence { steps: (0..count).map(|_| real(2.0)).collect() };
    for (count, variants) in [(0, 0), (1, 2), (2, 6), (3, 8), (9, 8)] {
        let around = perturbed(&numbers(count));
        assert_eq!(around.len(), variants, "{count}");
        assert!(around.iter().all(|other| *other != numbers(count) && other.is_well_formed()));
    }
}

#[test]
fn zero_nan_and_whole_numbers_stay() {
    for step in [real(0.0), real(f64::NAN), real(f64::INFINITY), integer(3), text("1.5"), null()] {
        assert_eq!(perturbed(&Sequence { steps: vec![step] }), []);
    }
    let float = constant(Literal::Float(1.5_f32.to_bits()));
    assert_eq!(perturbed(&Sequence { steps: vec![float] }).len(), 2);
}

fn noisy(expected: Value, actual: Value, around: Vec<Value>) -> bool {
    let around: Vec<Option<Observation>> =
        around.into_iter().map(|value| Some(returning(2, value))).collect();
    within_noise(&difference(Element::Return), &returning(2, expected), &returning(2, actual), &around)
}

#[test]
fn a_result_that_spreads_as_much_on_both_sides_is_noise() {
    let numbers = |values: &[f64]| values.iter().map(|value| double(*value)).collect::<Vec<_>>();
    for (actual, around, expected) in [
        (2.0, &[1.5, 0.7][..], true),
        (2.0, &[1.125, 0.875], true),
        (2.0, &[1.05, 0.95], false),
        (2.0, &[1.0, 1.0], false),
        // On one side only: the program decides something here.
        (2.0, &[3.0, 1.0], false),
        (2.0, &[1.0, 3.0], false),
        (2.0, &[1.0, 1.0, 3.0, 1.0, 1.0, 3.0], true),
        (2.0, &[], false),
        (f64::NAN, &[f64::NAN, f64::NAN], true),
        (f64::NAN, &[1.0, 1.1], false),
    ] {
        assert_eq!(noisy(double(1.0), double(actual), numbers(around)), expected, "{actual} {around:?}");
    }
}

#[test]
fn equal_numbers_of_two_types_are_no_noise() {
    assert!(!noisy(Value::Int(1), Value::Long(1), vec![Value::Int(1), Value::Int(1)]));
}

#[test]
fn what_is_no_number_is_noise_if_it_changes_on_both_sides() {
    let yes = Value::Boolean(true);
    let no = Value::Boolean(false);
    assert!(noisy(yes.clone(), no.clone(), vec![no.clone(), no.clone()]));
    assert!(!noisy(yes.clone(), no.clone(), vec![no, yes]));
}

#[test]
fn an_exception_is_noise_if_its_coming_hangs_on_the_last_digit() {
    let (thrown, done) = (throwing(2, "java.lang.ArithmeticException"), returning(2, Value::Int(1)));
    let noisy = |around: [&Observation; 2]| {
        let around = around.map(|observation| Some(observation.clone()));
        within_noise(&difference(Element::Exception), &thrown, &done, &around)
    };
    assert!(noisy([&done, &done]));
    assert!(!noisy([&thrown, &thrown]));
    assert!(!noisy([&done, &thrown]));
    assert!(within_noise(&difference(Element::Exception), &thrown, &done, &[None, None]));
}
