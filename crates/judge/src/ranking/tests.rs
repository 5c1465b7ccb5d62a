//! Orders, clusters and readings, worked by hand.

use super::*;
use crate::patch_sim::{Options, similarity};
use bonafix_model::{Distance, TestClass, TestFigures, TestOrigin};

fn candidate(name: &str, outcome: Outcome) -> Candidate<u8> {
    Candidate {
        name: name.to_owned(),
        number: 1,
        outcome,
        suspicion: None,
        semantic_distance: None,
        syntactic_distance: None,
        behaviour: Vec::new(),
    }
}

fn names(ranking: &Ranking) -> Vec<&str> {
    ranking.rows.iter().map(|row| row.name.as_str()).collect()
}

#[test]
fn outcomes_come_first_and_then_each_figure_in_turn() {
    let open = |name| candidate(name, Outcome::Unrefuted);
    let mut candidates = vec![
        candidate("invalid", Outcome::Invalid),
        candidate("refuted", Outcome::Refuted),
        Candidate { suspicion: Some(0.0), ..candidate("suspicious", Outcome::Suspicious) },
        candidate("inconclusive", Outcome::Inconclusive),
        open("unknown b"),
        open("unknown a"),
        Candidate { suspicion: Some(0.3), ..open("suspicion 0.3") },
        Candidate { suspicion: Some(0.2), semantic_distance: Some(0.5), ..open("semantic 0.5") },
        Candidate { suspicion: Some(0.2), semantic_distance: Some(0.4), ..open("semantic 0.4") },
        Candidate {
            suspicion: Some(0.2),
            semantic_distance: Some(0.4),
            syntactic_distance: Some(SyntacticDistance { nodes: 3, at_most: false }),
            ..open("syntactic 3")
        },
        Candidate {
            suspicion: Some(0.2),
            semantic_distance: Some(0.4),
            syntactic_distance: Some(SyntacticDistance { nodes: 12, at_most: false }),
            ..open("syntactic 12")
        },
        Candidate {
            suspicion: Some(0.2),
            semantic_distance: Some(0.4),
            syntactic_distance: Some(SyntacticDistance { nodes: 12, at_most: true }),
            ..open("syntactic, at most 12")
        },
    ];
    let expected = [
        "syntactic 3",
        "syntactic, at most 12",
        "syntactic 12",
        "semantic 0.4",
        "semantic 0.5",
        "suspicion 0.3",
        "unknown a",
        "unknown b",
        "inconclusive",
        "suspicious",
        "refuted",
        "invalid",
    ];
    assert_eq!(names(&rank(candidates.clone())), expected);
    candidates.reverse();
    let ranking = rank(candidates);
    assert_eq!(names(&ranking), expected);
    assert_eq!(ranking.rows.iter().map(|row| row.place).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    // All but the invalid one.
    assert_eq!(ranking.random_pick.unwrap().patches, 11);
}

#[test]
fn patches_that_do_the_same_on_every_input_are_one_cluster() {
    let (one, two) = ([Some(1), Some(5)], [Some(1), Some(6)]);
    let unknown = [Some(1), None];
    let found = clusters([&one[..], &two, &one, &unknown, &unknown, &[], &two]);
    assert_eq!(found, [Some(1), Some(2), Some(1), Some(3), Some(4), None, Some(2)]);
}

#[test]
fn clusters_are_numbered_and_filled_in_the_order_of_the_ranking() {
    let with = |name, behaviour: [u8; 2]| Candidate {
        behaviour: behaviour.map(Some).to_vec(),
        ..candidate(name, Outcome::Unrefuted)
    };
    let ranking = rank(vec![with("c", [1, 1]), with("b", [2, 2]), with("a", [1, 1])]);
    let told: Vec<_> = ranking.clusters.iter().map(|each| (each.number, each.patches.join(" "))).collect();
    assert_eq!(told, [(1, "a c".to_owned()), (2, "b".to_owned())]);
    assert_eq!(ranking.rows.iter().map(|row| row.cluster).collect::<Vec<_>>(), [Some(1), Some(2), Some(1)]);
}

#[test]
fn patches_of_one_name_are_told_apart_by_their_numbers() {
    let with = |number, behaviour: u8| Candidate {
        number,
        behaviour: vec![Some(behaviour)],
        ..candidate("patch.diff", Outcome::Unrefuted)
    };
    let ranking = rank(vec![with(3, 1), with(2, 2), with(1, 1)]);
    assert_eq!(ranking.rows.iter().map(|row| row.patch).collect::<Vec<_>>(), [1, 2, 3]);
    let told: Vec<_> = ranking.clusters.iter().map(|cluster| cluster.numbers.clone()).collect();
    assert_eq!(told, [vec![1, 3], vec![2]]);
}

#[test]
fn a_distance_that_may_be_less_stays_marked() {
    let distance = SyntacticDistance { nodes: 12, at_most: true };
    let ranking = rank(vec![Candidate {
        syntactic_distance: Some(distance),
        ..candidate("large", Outcome::Unrefuted)
    }]);
    assert_eq!(ranking.rows[0].syntactic_distance, Some(distance));
}

#[test]
fn readings_are_those_of_drawing_without_putting_back() {
    // One of ten: k readings meet it with k/10.
    assert_eq!(random_pick(10, 1, 0.85), Some(9));
    // 17 of 20 is 0.85 exactly.
    assert_eq!(random_pick(20, 1, 0.85), Some(17));
    // Two of ten: all five wrong with (8 7 6 5 4)/(10 9 8 7 6) = 2/9; six: 2/9 4/5... = (4 3)/(10 9) = 0.133.
    assert_eq!(random_pick(10, 2, 0.85), Some(6));
    assert_eq!(random_pick(10, 2, 1.0), Some(9));
    assert_eq!(random_pick(10, 10, 0.85), Some(1));
    assert_eq!(random_pick(10, 0, 0.85), None);
    assert_eq!(random_pick(3, 4, 0.85), None);
    assert_eq!(random_pick(1, 1, 0.85), Some(1));
}

#[test]
fn readings_agree_with_counting_all_orders() {
    for total in 1..=8_u32 {
        for correct in 1..=total {
            let read = random_pick(total, correct, CONFIDENCE).unwrap();
            assert!(met_percent(total, correct, read) >= 85.0 - 1e-9, "{total} {correct} {read}");
            assert!(met_percent(total, correct, read - 1) < 85.0 - 1e-9, "{total} {correct} {read}");
        }
    }
}

/// Over all sets of `correct` patches: how many have one among the first `read`.
fn met_percent(total: u32, correct: u32, read: u32) -> f64 {
    let sets: Vec<u32> = (0..1 << total).filter(|set: &u32| set.count_ones() == correct).collect();
    let met = sets.iter().filter(|set| *set & ((1 << read) - 1) != 0).count();
    100.0 * f64::from(u32::try_from(met).unwrap()) / f64::from(u32::try_from(sets.len()).unwrap())
}

#[test]
fn the_table_ends_where_one_reading_is_enough() {
    let pick = random_picks(4, CONFIDENCE).unwrap();
    let rows: Vec<_> = pick.readings.iter().map(|reading| (reading.correct, reading.read)).collect();
    // 3 of 4 correct: one reading is 0.75.
    assert_eq!(rows, [(1, 4), (2, 3), (3, 2), (4, 1)]);
    assert_eq!(random_picks(100, CONFIDENCE).unwrap().readings.len(), 10);
    assert_eq!(random_picks(1, CONFIDENCE), None);
}

fn suspicion_of(passing: Option<f64>, failing: Option<f64>) -> Option<f64> {
    let test = |class, value| TestFigures {
        name: String::new(),
        origin: TestOrigin::Original,
        class,
        to_passing: None,
        to_failing: None,
        change: Distance { value, at_most: false },
        change_around: Distance { value: 0.0, at_most: false },
        shared: 10,
        lost: 0,
        calls: None,
        differs: None,
        statements: (1, 1),
    };
    let passing = passing.map(|change| test(TestClass::Passing, change));
    let failing = failing.map(|change| test(TestClass::Failing, change));
    suspicion(&similarity(
        passing.into_iter().chain(failing).collect(),
        Vec::new(),
        None,
        true,
        &Options::default(),
    ))
}

#[test]
fn suspicion_is_a_half_where_a_condition_just_holds() {
    let is = |passing, failing, expected: f64| {
        let found = suspicion_of(Some(passing), failing).unwrap();
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    };
    is(0.25, None, 0.5);
    is(0.25, Some(0.75), 0.5);
    is(0.1, Some(0.1), 0.5);
    is(0.0, Some(0.0), 0.5);
    is(0.1, Some(0.0), 1.0);
    is(0.0, Some(0.4), 0.0);
    // 0.05 / 0.3 against 0.05 / 0.25.
    is(0.05, Some(0.2), 0.2);
    assert_eq!(suspicion_of(None, Some(0.2)), None);
}
