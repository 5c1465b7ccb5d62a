//! The search on a small program: what it finds, that it is the same each time, that its inputs are what they claim.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bonafix_lang::RunScope;
use bonafix_model::{
    Budget, Callable, CallableFacts, Catalog, Knowledge, Literal, LiteralSource, MinedLiteral,
    ParameterFacts, SearchEnd, Seed, Sequence, SequenceOutcome, Step, Target, TestId,
};
use proptest::prelude::*;

use crate::build::random;
use crate::chance::Chance;
use crate::draft::{Draft, MAX_STEPS, step_type};
use crate::mutate::mutate;
use crate::testing::{
    ADD, BELOW, DEPTH, FakeRun, GATE, GET, LARGEST, NEAR, NEW_COUNTER, PAINT, call, catalog,
    catalog_with_gate, constant,
};
use crate::world::World;
use crate::{Allowance, Reaction, Search, SearchOptions, SearchReport, minimise};

fn knowledge(targets: &[u32]) -> Knowledge {
    let targets = targets.iter().map(|callable| Target { distance: 0, callable: *callable }).collect();
    Knowledge { targets, ..Knowledge::default() }
}

fn options(seed: u64, inputs: u64) -> SearchOptions {
    SearchOptions {
        seed,
        budget: Budget::Inputs(inputs),
        scope: RunScope { versions: vec![0, 1], show_all: false, ..RunScope::default() },
        patience: 1_000_000,
        kept: Vec::new(),
    }
}

fn search(
    knowledge: &Knowledge,
    run: &mut FakeRun,
    options: SearchOptions,
    stop: bool,
) -> (SearchReport, u64) {
    use bonafix_lang::Run;
    let goals = run.goals().to_vec();
    let catalog = catalog();
    let mut search = Search::new(knowledge, &catalog, &goals, options);
    let mut told = 0;
    let report = search
        .run(
            run,
            &mut |_, _| {
                told += 1;
                Ok(if stop { Reaction::Stop } else { Reaction::Pursue })
            },
            &mut |_| {},
        )
        .unwrap();
    (report, told)
}

#[test]
fn the_one_number_that_parts_two_conditions_is_found_by_its_distance() {
    for seed in 0..20 {
        let mut run = FakeRun::new();
        let (report, told) = search(&knowledge(&[BELOW]), &mut run, options(seed, 5_000), true);
        assert_eq!(report.ended, SearchEnd::Found, "seed {seed}");
        assert_eq!(told, 1);
        assert!(report.inputs <= 2_000, "seed {seed} took {}", report.inputs);
    }
}

#[test]
fn without_a_distance_a_mined_number_leads_to_its_neighbour() {
    let mut knowledge = knowledge(&[BELOW]);
    knowledge.literals = vec![MinedLiteral { source: LiteralSource::Change, value: Literal::Integer(1000) }];
    for seed in 0..10 {
        let mut run = FakeRun::blind();
        let (report, _) = search(&knowledge, &mut run, options(seed, 5_000), true);
        assert_eq!(report.ended, SearchEnd::Found, "seed {seed}");
    }
}

#[test]
fn a_state_that_takes_three_calls_is_found() {
    for seed in 0..10 {
        let (report, _) = search(&knowledge(&[ADD]), &mut FakeRun::new(), options(seed, 5_000), true);
        assert_eq!(report.ended, SearchEnd::Found, "seed {seed}");
    }
}

#[test]
fn a_list_whose_last_element_is_the_largest_is_found() {
    for seed in 0..10 {
        let (report, _) = search(&knowledge(&[LARGEST]), &mut FakeRun::new(), options(seed, 5_000), true);
        assert_eq!(report.ended, SearchEnd::Found, "seed {seed}");
    }
}

#[test]
fn one_seed_is_one_search() {
    let run = |seed| {
        let mut run = FakeRun::new();
        search(&knowledge(&[ADD, BELOW, PAINT, DEPTH]), &mut run, options(seed, 3_000), false);
        run.ran
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_budget_of_inputs_is_exact_and_no_input_runs_twice() {
    for inputs in [1, 31, 33, 1_000, 1_234] {
        let mut run = FakeRun::new();
        let targets = knowledge(&[ADD, PAINT, LARGEST, DEPTH]);
        let (report, _) = search(&targets, &mut run, options(7, inputs), false);
        assert_eq!((report.inputs, report.ended), (inputs, SearchEnd::Budget));
        assert_eq!(run.ran.len() as u64, inputs);
        run.ran.sort();
        run.ran.dedup();
        assert_eq!(run.ran.len() as u64, inputs);
    }
}

#[test]
fn ends_when_there_is_nothing_to_call_or_nothing_new() {
    let mut run = FakeRun::new();
    let (report, _) = search(&knowledge(&[]), &mut run, options(1, 100), true);
    assert_eq!((report.ended, report.inputs), (SearchEnd::NothingToCall, 0));
    let patient = SearchOptions { patience: 500, ..options(1, 1_000_000) };
    let mut blind = FakeRun::blind();
    let (report, _) = search(&knowledge(&[DEPTH]), &mut blind, patient, false);
    assert_eq!(report.ended, SearchEnd::Exhausted);
    assert!(report.inputs < 5_000);
}

#[test]
fn kept_inputs_and_parts_of_seeds_with_one_call_go_first_and_those_with_more_follow() {
    let once = Sequence { steps: vec![constant(5), call(BELOW, None, &[0])] };
    let mut twice = once.clone();
    twice.steps.push(call(BELOW, None, &[0]));
    let steps = vec![
        call(NEW_COUNTER, None, &[]),
        constant(1),
        call(ADD, Some(0), &[1]),
        constant(2),
        call(ADD, Some(0), &[3]),
        call(GET, Some(0), &[]),
    ];
    let mut knowledge = knowledge(&[ADD, BELOW]);
    let test = TestId("p.CounterTest#counts".to_owned());
    knowledge.seeds = vec![Seed { sequence: Sequence { steps: steps.clone() }, test, failing: true }];
    let mut run = FakeRun::new();
    let options = SearchOptions { kept: vec![twice.clone(), once.clone()], ..options(3, 600) };
    let (report, _) = search(&knowledge, &mut run, options, false);
    assert_eq!(run.ran[0], once);
    assert_eq!(run.ran[1].steps, steps[..3]);
    // Before the others a few that call what leads to the change just once.
    let start = run.ran.iter().position(|input| *input == twice).unwrap();
    assert!((2..=230).contains(&start), "{start}");
    let targets = |input: &Sequence| input.callables().filter(|id| [ADD, BELOW].contains(id)).count();
    assert!(run.ran[..start].iter().all(|input| targets(input) == 1));
    assert_eq!(run.ran[start + 1].steps, steps);
    assert_eq!(run.ran[start + 2].steps, steps[..5]);
    assert_eq!((report.kept, report.seeds), (2, 3));
    assert!(!report.corpus.is_empty());
}

fn world_of(knowledge: &Knowledge) -> World<'_> {
    World::new(&catalog(), knowledge, &[])
}

/// Is what is inside a list of the type that the list is wanted to hold?
fn holds(world: &World<'_>, sequence: &Sequence, (list, wanted): (u32, u32), until: usize) -> bool {
    let Some(element) = world.types.get(wanted).arguments.first() else { return true };
    let items = crate::contents::elements(world, sequence, list, until).unwrap_or_default();
    items.iter().all(|item| world.types.fits(step_type(world, &sequence.steps[*item as usize]), *element))
}

/// Each value has a type that may stand where it is used.
fn is_typed(world: &World<'_>, sequence: &Sequence) -> bool {
    let draft = Draft::of(world, sequence);
    let fits = |slot: u32, wanted: u32| world.types.could_fit(draft.type_of(slot), wanted);
    let made = |slot: u32| step_type(world, &sequence.steps[slot as usize]);
    sequence.steps.iter().enumerate().all(|(index, step)| match step {
        Step::Call { callable, receiver, arguments, .. } => {
            let member = world.member(*callable);
            member.needs_receiver() == receiver.is_some()
                && receiver.is_none_or(|receiver| world.types.could_fit(made(receiver), member.owner))
                && arguments.len() == member.parameters.len()
                && arguments.iter().zip(&member.parameters).all(|(argument, wanted)| {
                    fits(*argument, *wanted) && holds(world, sequence, (*argument, *wanted), index)
                })
        }
        Step::Array { element, items } => items.iter().all(|item| fits(*item, world.types.named(element))),
        Step::Constant { type_name, value } => {
            match world.types.get(world.types.named(type_name)).shape.integer_range() {
                Some((least, greatest)) => {
                    matches!(value, Literal::Integer(value) if (least..=greatest).contains(value))
                        || *value == Literal::Null
                }
                None => true,
            }
        }
        Step::Stub { interface, .. } => world.types.find(interface).is_some(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn what_is_made_and_changed_is_well_formed_and_typed(seed in any::<u64>()) {
        let knowledge = knowledge(&[ADD, GET, BELOW, LARGEST, PAINT, DEPTH, NEAR]);
        let world = world_of(&knowledge);
        let mut chance = Chance::new(seed);
        let mut made: Vec<Sequence> = Vec::new();
        for _ in 0..20 {
            made.extend(random(&world, &mut chance));
        }
        prop_assert!(made.len() >= 18, "only {} could be made", made.len());
        for round in 0..60 {
            let parent = made[round % made.len()].clone();
            let other = made[(round * 7 + 3) % made.len()].clone();
            made.extend(mutate(&world, &mut chance, &parent, Some(&other)));
        }
        prop_assert!(made.len() >= 60, "only {} in all", made.len());
        for sequence in &made {
            prop_assert!(sequence.is_well_formed(), "{sequence:?}");
            prop_assert!(is_typed(&world, sequence), "{sequence:#?}");
            prop_assert!(sequence.steps.len() <= MAX_STEPS + 4, "{} steps", sequence.steps.len());
            prop_assert!(sequence.callables().next().is_some());
        }
    }
}

#[test]
fn a_stub_stands_for_an_abstract_class_where_nothing_makes_one() {
    let knowledge = knowledge(&[GATE]);
    let stubs = |catalog: &Catalog| {
        let world = World::new(catalog, &knowledge, &[]);
        let mut chance = Chance::new(5);
        let made: Vec<Sequence> = (0..200).filter_map(|_| random(&world, &mut chance)).collect();
        let steps = made.iter().flat_map(|input| input.steps.iter().map(move |step| (input, step)));
        let answers = steps.filter_map(|(input, step)| match step {
            Step::Stub { interface, answers } if interface == "p.Gate" => {
                Some(answers.iter().map(|slot| input.steps[*slot as usize].clone()).collect::<Vec<_>>())
            }
            _ => None,
        });
        (made.len(), answers.collect::<Vec<_>>())
    };
    let (inputs, answers) = stubs(&catalog_with_gate());
    assert!(inputs >= 190 && answers.len() >= 100, "{} of {inputs}", answers.len());
    let is_number = |step: &Step| matches!(step, Step::Constant { value: Literal::Double(_), .. });
    let constants = answers.iter().flatten().filter(|step| matches!(step, Step::Constant { .. }));
    assert!(constants.clone().count() > 50 && constants.clone().all(is_number));

    // A factory that asks for none makes them all.
    let mut catalog = catalog_with_gate();
    let factory = Callable {
        name: "open".to_owned(),
        parameters: vec!["int".to_owned()],
        result: "p.Gate".to_owned(),
        ..catalog.callables[GATE as usize].clone()
    };
    catalog.callables.push(factory.clone());
    let (inputs, answers) = stubs(&catalog);
    assert!(inputs >= 190 && answers.is_empty());

    // One that asks for another makes none.
    let wrapping = Callable { parameters: vec!["p.Gate".to_owned()], ..factory };
    *catalog.callables.last_mut().unwrap() = wrapping;
    let (inputs, answers) = stubs(&catalog);
    assert!(inputs >= 190 && answers.len() >= 100);

    // Below some classes nobody can write another.
    catalog.types.last_mut().unwrap().subclass = None;
    assert_eq!(stubs(&catalog), (0, Vec::new()));
}

#[test]
fn most_inputs_are_as_tests_pass_them() {
    let mut knowledge = knowledge(&[BELOW]);
    let parameter = ParameterFacts {
        seen: 5,
        positive: true,
        zero: true,
        range: Some((0, 50)),
        ..ParameterFacts::default()
    };
    let facts = CallableFacts { tested: true, parameters: vec![parameter], ..CallableFacts::default() };
    knowledge.facts = BTreeMap::from([(BELOW, facts)]);
    let world = world_of(&knowledge);
    let mut chance = Chance::new(5);
    let inputs: Vec<Sequence> = (0..2_000).filter_map(|_| random(&world, &mut chance)).collect();
    let odd = inputs.iter().filter(|input| crate::oddity::ways(&world, input) != 0).count();
    assert!(odd > 0, "sometimes one has to go outside");
    assert!(odd * 100 < inputs.len() * 15, "{odd} of {} are odd", inputs.len());
}

#[test]
fn lists_stay_in_the_order_that_tests_show() {
    let mut knowledge = knowledge(&[LARGEST]);
    let lists = ParameterFacts {
        seen: 3,
        positive: true,
        zero: true,
        empty: true,
        lists: 2,
        repeated: true,
        ..ParameterFacts::default()
    };
    let facts = CallableFacts { tested: true, parameters: vec![lists], ..CallableFacts::default() };
    knowledge.facts = BTreeMap::from([(LARGEST, facts)]);
    let world = world_of(&knowledge);
    let mut chance = Chance::new(9);
    let mut inputs: Vec<Sequence> = (0..500).filter_map(|_| random(&world, &mut chance)).collect();
    for round in 0..1_500 {
        let parent = inputs[round % 500].clone();
        inputs.extend(mutate(&world, &mut chance, &parent, Some(&inputs[round * 3 % 500])));
    }
    let unsorted = |input: &&Sequence| crate::oddity::ways(&world, input) & crate::oddity::ORDER != 0;
    let odd = inputs.iter().filter(unsorted).count();
    assert!(odd > 0, "sometimes one has to go outside");
    assert!(odd * 100 < inputs.len() * 20, "{odd} of {} are unsorted", inputs.len());
}

#[test]
fn what_always_throws_is_called_less() {
    let knowledge = knowledge(&[GET]);
    let mut world = world_of(&knowledge);
    let calls_of_add = |world: &World<'_>| {
        let mut chance = Chance::new(3);
        let inputs = (0..1_000).filter_map(|_| random(world, &mut chance));
        inputs.flat_map(|input| input.callables().collect::<Vec<_>>()).filter(|id| *id == ADD).count()
    };
    let before = calls_of_add(&world);
    for _ in 0..100 {
        world.note_run(ADD, true);
    }
    assert!(calls_of_add(&world) * 2 < before);
}

#[test]
fn a_budget_of_time_ends() {
    let time = std::time::Duration::from_millis(50);
    let options = SearchOptions { budget: Budget::Time(time), ..options(1, 0) };
    let start = std::time::Instant::now();
    let (report, _) = search(&knowledge(&[DEPTH]), &mut FakeRun::blind(), options, false);
    assert_eq!(report.ended, SearchEnd::Budget);
    assert!(start.elapsed() >= time);
    assert!(report.inputs > 0);
}

#[test]
fn a_budget_of_time_is_kept_when_inputs_become_slow_all_at_once() {
    let time = std::time::Duration::from_millis(300);
    let options = SearchOptions { budget: Budget::Time(time), ..options(1, 0) };
    // The batch that is begun then would take five seconds.
    let mut run = FakeRun::blind();
    run.slow = Some((1_000, std::time::Duration::from_millis(10)));
    let start = std::time::Instant::now();
    let (report, _) = search(&knowledge(&[DEPTH]), &mut run, options, false);
    assert!(report.inputs > 1_000, "{}", report.inputs);
    assert!(start.elapsed() < 10 * time, "{:?}", start.elapsed());
}

#[test]
fn what_a_test_never_shows_is_told() {
    let mut knowledge = knowledge(&[LARGEST]);
    let parameter = ParameterFacts { seen: 3, positive: true, lists: 2, ..ParameterFacts::default() };
    let facts = CallableFacts {
        tested: true,
        parameters: vec![parameter.clone(), parameter],
        ..CallableFacts::default()
    };
    knowledge.facts = BTreeMap::from([(LARGEST, facts)]);
    let world = world_of(&knowledge);
    let ways = |items: &[i64]| {
        let mut steps: Vec<Step> = items.iter().map(|value| constant(*value)).collect();
        let slots = (0..).take(items.len()).collect();
        steps.push(Step::Array { element: "java.lang.Integer".to_owned(), items: slots });
        let array = u32::try_from(items.len()).unwrap();
        steps.push(call(LARGEST, None, &[array, array]));
        crate::oddity::ways(&world, &Sequence { steps })
    };
    assert_eq!(ways(&[1, 2, 3]), 0);
    assert_eq!(ways(&[3, 2]), 8);
    assert_eq!(ways(&[2, 2]), 16);
    assert_eq!(ways(&[-1, 2]), 2);
}

fn least(steps: Vec<Step>, inputs: u64) -> (Vec<Step>, u64) {
    least_within(steps, Allowance { inputs, until: None })
}

fn least_within(steps: Vec<Step>, allowance: Allowance) -> (Vec<Step>, u64) {
    let mut run = FakeRun::new();
    let mut differs =
        |_: &Sequence, ran: &bonafix_model::Ran| matches!(ran.outcome, SequenceOutcome::Differs { .. });
    let found =
        minimise(&Sequence { steps }, &mut run, &RunScope::default(), &mut differs, allowance).unwrap();
    (found.steps, run.ran.len() as u64)
}

#[test]
fn the_least_input_is_left() {
    let noisy = vec![
        constant(77),
        call(NEW_COUNTER, None, &[]),
        constant(999),
        call(ADD, Some(1), &[0]),
        call(BELOW, None, &[2]),
        call(GET, Some(1), &[]),
    ];
    assert_eq!(least(noisy, 1_000).0, [constant(999), call(BELOW, None, &[0])]);
    let counting = vec![
        call(NEW_COUNTER, None, &[]),
        constant(-123_456),
        constant(8),
        call(ADD, Some(0), &[1]),
        call(GET, Some(0), &[]),
        call(ADD, Some(0), &[1]),
        call(ADD, Some(0), &[2]),
        call(ADD, Some(0), &[2]),
        call(GET, Some(0), &[]),
        call(BELOW, None, &[2]),
    ];
    let expected = [
        call(NEW_COUNTER, None, &[]),
        constant(0),
        call(ADD, Some(0), &[1]),
        call(ADD, Some(0), &[1]),
        call(ADD, Some(0), &[1]),
        call(GET, Some(0), &[]),
    ];
    assert_eq!(least(counting.clone(), 1_000).0, expected);
    let (_, spent) = least(counting, 7);
    assert_eq!(spent, 7);
}

#[test]
fn nothing_is_made_smaller_when_the_time_is_up() {
    let noisy = vec![constant(77), constant(999), call(BELOW, None, &[0]), call(BELOW, None, &[1])];
    let within = |until| least_within(noisy.clone(), Allowance { inputs: 1_000, until: Some(until) });
    let now = Instant::now();
    assert_eq!(within(now), (noisy.clone(), 0));
    assert_eq!(within(now + Duration::from_mins(10)).0, [constant(999), call(BELOW, None, &[0])]);
}

#[test]
fn lists_shrink_to_what_matters() {
    let integer = |value: i64| Step::Constant {
        type_name: "java.lang.Integer".to_owned(),
        value: Literal::Integer(value),
    };
    let steps = vec![
        integer(17),
        integer(30),
        integer(41),
        integer(977),
        Step::Array { element: "java.lang.Integer".to_owned(), items: vec![0, 1, 2, 3] },
        call(16, None, &[4]),
        Step::Array { element: "int[]".to_owned(), items: vec![] },
        call(LARGEST, None, &[5, 6]),
    ];
    let expected = [
        integer(1),
        Step::Array { element: "java.lang.Integer".to_owned(), items: vec![0] },
        call(16, None, &[1]),
        Step::Array { element: "int[]".to_owned(), items: vec![] },
        call(LARGEST, None, &[2, 3]),
    ];
    assert_eq!(least(steps, 1_000).0, expected);
}

#[test]
fn a_value_that_differs_inside_is_looked_at() {
    use bonafix_model::{Access, Element, Location};
    let input = Sequence {
        steps: vec![call(NEW_COUNTER, None, &[]), constant(3), call(ADD, Some(0), &[1]), constant(4)],
    };
    let location = Location {
        step: 2,
        element: Element::Receiver,
        path: vec![Access::Field { name: "sum".to_owned(), visible: false }],
    };
    let catalog = catalog();
    let mut observers = crate::Observers::new(&catalog);
    let looks = observers.looks(&input, &location, None);
    let mut expected = [&input.steps[..3], &[call(GET, Some(0), &[])]].concat();
    assert_eq!(looks[0].steps, expected);
    // Behind a call that throws it is looked at as well.
    let looks = observers.looks(&input, &location, Some("java.lang.IllegalStateException"));
    let Step::Call { caught, .. } = &mut expected[2] else { panic!("a call") };
    *caught = true;
    assert_eq!(looks[0].steps, expected);
}

#[test]
fn what_was_looked_at_before_does_not_change_a_look() {
    use bonafix_model::{Element, Location};
    let catalog = catalog();
    let other = |element: &str| Step::Array { element: element.to_owned(), items: Vec::new() };
    let inputs = [
        vec![call(NEW_COUNTER, None, &[]), constant(3), call(ADD, Some(0), &[1])],
        vec![call(NEW_COUNTER, None, &[]), other("p.Unheard"), constant(3), call(ADD, Some(0), &[2])],
        vec![
            call(NEW_COUNTER, None, &[]),
            other("? extends p.Unheard"),
            constant(5),
            call(ADD, Some(0), &[2]),
        ],
        vec![call(NEW_COUNTER, None, &[]), constant(4), call(ADD, Some(0), &[1])],
    ];
    let mut kept = crate::Observers::new(&catalog);
    for steps in inputs {
        let step = u32::try_from(steps.len()).unwrap() - 1;
        let location = Location { step, element: Element::Receiver, path: Vec::new() };
        let input = Sequence { steps };
        let fresh = crate::Observers::new(&catalog).looks(&input, &location, None);
        assert!(!fresh.is_empty());
        assert_eq!(kept.looks(&input, &location, None), fresh);
    }
}

#[test]
fn a_static_field_that_differs_is_read_and_its_class_asked() {
    use bonafix_model::{Access, Element, Location};
    let input = Sequence { steps: vec![constant(3), call(BELOW, None, &[0]), constant(4)] };
    let looks = |field: &str, visible: bool| {
        let path = vec![Access::Field { name: field.to_owned(), visible }];
        let location = Location { step: 1, element: Element::Statics, path };
        crate::Observers::new(&catalog()).looks(&input, &location, None)
    };
    let ends: Vec<Vec<Step>> =
        looks("p.Color.RED", true).into_iter().map(|look| look.steps[2..].to_vec()).collect();
    assert_eq!(ends, [vec![call(10, None, &[])], vec![call(11, None, &[])]]);
    let asked = looks("p.Node.made", false);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].steps[2..], [call(9, None, &[])]);
}

/// Not a test of anything: prints how fast inputs are made.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let knowledge = knowledge(&[ADD, GET, BELOW, LARGEST, PAINT, DEPTH, NEAR]);
    let world = world_of(&knowledge);
    let mut chance = Chance::new(1);
    let count = 400_000_u32;
    let start = std::time::Instant::now();
    let mut steps = 0_u32;
    for _ in 0..count {
        steps += u32::try_from(random(&world, &mut chance).unwrap().steps.len()).unwrap();
    }
    let made = start.elapsed().as_secs_f64();
    println!(
        "{:.0} made per second, {:.1} steps",
        f64::from(count) / made,
        f64::from(steps) / f64::from(count)
    );
    let pool: Vec<Sequence> = (0..1000).filter_map(|_| random(&world, &mut chance)).collect();
    let start = std::time::Instant::now();
    let mut changed = 0_u32;
    for _ in 0..count {
        let (one, other) = (chance.below(pool.len()), chance.below(pool.len()));
        changed += u32::from(mutate(&world, &mut chance, &pool[one], Some(&pool[other])).is_some());
    }
    println!("{:.0} changed per second", f64::from(changed) / start.elapsed().as_secs_f64());
}

#[test]
fn the_search_does_not_wait_for_thousands_of_inputs_of_tests() {
    let seed = |value| {
        let sequence = Sequence { steps: vec![constant(value), call(BELOW, None, &[0])] };
        Seed { sequence, test: TestId("p.ATest#many".to_owned()), failing: false }
    };
    let knowledge = Knowledge { seeds: (2_000..6_000).map(seed).collect(), ..knowledge(&[BELOW]) };
    let (report, _) = search(&knowledge, &mut FakeRun::blind(), options(1, 2_000), false);
    assert!((400..1_600).contains(&report.seeds), "{}", report.seeds);
}

#[test]
fn what_was_not_the_same_twice_does_not_hide_others_of_its_kind() {
    let told_of = |reaction: Reaction| {
        let mut run = FakeRun::blind();
        let catalog = catalog();
        let mut knowledge = knowledge(&[ADD]);
        knowledge.literals =
            vec![MinedLiteral { source: LiteralSource::Change, value: Literal::Integer(1000) }];
        let mut told = 0;
        let mut search = Search::new(&knowledge, &catalog, &[], options(1, 3_000));
        let mut consider = |_: &crate::Finding, _: &mut dyn bonafix_lang::Run| {
            told += 1;
            Ok(reaction)
        };
        let report = search.run(&mut run, &mut consider, &mut |_| {}).unwrap();
        (told, report.differing)
    };
    let (forgotten, _) = told_of(Reaction::Forget);
    let (continued, differing) = told_of(Reaction::Continue);
    assert!(differing > 20, "{differing}");
    assert!(forgotten > continued, "{forgotten} {continued}");
}

#[test]
fn what_an_earlier_search_kept_of_the_tests_still_comes_from_the_tests() {
    let sequence = |value| Sequence { steps: vec![constant(value), call(BELOW, None, &[0])] };
    let test = || TestId("p.ATest#few".to_owned());
    let seed = |value| Seed { sequence: sequence(value), test: test(), failing: false };
    let knowledge = Knowledge { seeds: vec![seed(1), seed(2)], ..knowledge(&[BELOW]) };
    let kept = vec![sequence(1), sequence(2), sequence(3)];
    let options = SearchOptions { kept, ..options(1, 50) };
    let (report, _) = search(&knowledge, &mut FakeRun::blind(), options, false);
    assert_eq!((report.seeds, report.kept), (2, 1));
}
