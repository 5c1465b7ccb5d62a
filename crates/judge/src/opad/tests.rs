//! Each rule by an example that was worked out by hand.

use bonafix_model::{
    ChangeKind, DeltaElement, DeltaFile, ElementKind, Frame, LineAlignment, LineRange, Statement,
};

use super::*;

fn clean() -> Execution {
    Execution::silent(ProgramEnd::Exited(0))
}

fn frame(function: &str, line: u32) -> Frame {
    Frame { function: function.to_owned(), file: "a.c".to_owned(), line }
}

fn fault(kind: &str, stack: &[Frame]) -> Fault {
    Fault {
        detector: Detector::Address,
        kind: kind.to_owned(),
        message: String::new(),
        stack: stack.to_vec(),
        origins: Vec::new(),
    }
}

fn faulty(faults: &[Fault]) -> Execution {
    Execution { faults: faults.to_vec(), end: ProgramEnd::Exited(1), ..clean() }
}

fn leaking(definitely: u64, possibly: u64) -> Execution {
    Execution { leaked: Some(Leaked { definitely, indirectly: 0, possibly }), ..clean() }
}

fn function(name: &str, lines: (u32, u32), statement: (u32, u32)) -> DeltaElement {
    let range = |(first, last)| LineRange { first, last };
    DeltaElement {
        kind: ElementKind::Method,
        change: ChangeKind::Changed,
        name: name.to_owned(),
        owner: String::new(),
        member: name.to_owned(),
        parameters: Vec::new(),
        renamed: None,
        before: Some(range(lines)),
        after: Some(range(lines)),
        signature_changed: false,
        only_nested: false,
        statements_before: Vec::new(),
        statements_after: vec![Statement {
            kind: "if_statement".to_owned(),
            lines: LineRange { first: statement.0, last: statement.0 },
            extent: Some(range(statement)),
            text: String::new(),
        }],
        statement_pairs: Vec::new(),
    }
}

/// Changes `scan`, lines 10 to 20, at 12 to 14; and `main`, lines 50 to 90, at 60 to 62.
fn delta() -> Delta {
    Delta {
        files: vec![DeltaFile {
            path: "a.c".into(),
            change: ChangeKind::Changed,
            elements: vec![function("scan", (10, 20), (12, 14)), function("main", (50, 90), (60, 62))],
            alignment: LineAlignment::default(),
            syntactic_distance: None,
            problem: None,
        }],
    }
}

fn sound(buggy: &Execution, patched: &Execution, reference: Option<&Execution>) -> OpadRuling {
    rule(buggy, patched, reference, &delta(), &OpadOptions::default())
}

fn why(ruling: &OpadRuling) -> Option<Why> {
    match ruling {
        OpadRuling::Proof { why, .. } => Some(*why),
        _ => None,
    }
}

fn is_hidden(ruling: &OpadRuling) -> bool {
    matches!(ruling, OpadRuling::HiddenBug { .. })
}

fn overflow(stack: &[Frame]) -> Execution {
    faulty(&[fault("heap-buffer-overflow", stack)])
}

#[test]
fn without_faults_there_is_nothing() {
    assert_eq!(sound(&clean(), &clean(), None), OpadRuling::Nothing);
    assert_eq!(sound(&overflow(&[]), &clean(), Some(&clean())), OpadRuling::Nothing);
    let rejected = Execution { end: ProgramEnd::Exited(1), ..clean() };
    assert_eq!(sound(&clean(), &rejected, Some(&clean())), OpadRuling::Nothing);
}

#[test]
fn a_fault_in_changed_code_is_the_patchs() {
    let stack = [Frame { file: String::new(), ..frame("memcpy", 0) }, frame("scan", 18), frame("main", 70)];
    let ruling = sound(&clean(), &overflow(&stack), None);
    assert_eq!(why(&ruling), Some(Why::InChangedCode));
    assert_eq!(ruling.trouble().unwrap().to_string(), "heap-buffer-overflow in scan (a.c:18)");
    assert_eq!(ruling.strength(), Some(Strength::Proof));
}

#[test]
fn a_fault_below_changed_code_is_the_patchs() {
    let stack = [frame("put", 30), frame("scan", 18), frame("main", 70)];
    assert_eq!(why(&sound(&clean(), &overflow(&stack), None)), Some(Why::StackPassesChange));
    // The very statement of `main`.
    let stack = [frame("put", 30), frame("main", 61)];
    assert_eq!(why(&sound(&clean(), &overflow(&stack), None)), Some(Why::StackPassesChange));
}

#[test]
fn memory_that_changed_code_has_handled_is_the_patchs() {
    let mut fault = fault("use-after-free", &[frame("put", 30), frame("main", 70)]);
    fault.origins = vec![vec![frame("drop", 33)], vec![frame("make", 5), frame("scan", 13)]];
    assert_eq!(why(&sound(&clean(), &faulty(&[fault]), None)), Some(Why::OriginPassesChange));
}

#[test]
fn every_stack_begins_in_main_so_that_says_nothing() {
    let stack = [frame("put", 30), frame("main", 70)];
    assert!(is_hidden(&sound(&clean(), &overflow(&stack), None)));
    assert!(is_hidden(&sound(&clean(), &overflow(&[frame("main", 70)]), None)));
    assert_eq!(why(&sound(&clean(), &overflow(&[frame("main", 61)]), None)), Some(Why::InChangedCode));
}

#[test]
fn code_of_another_file_or_of_no_known_place_is_not_changed() {
    let elsewhere = Frame { file: "b.c".to_owned(), ..frame("scan", 13) };
    assert!(is_hidden(&sound(&clean(), &overflow(&[elsewhere]), None)));
    assert!(is_hidden(&sound(&clean(), &overflow(&[]), None)));
    // A name does where there is no line.
    assert_eq!(why(&sound(&clean(), &overflow(&[frame("scan", 0)]), None)), Some(Why::InChangedCode));
}

#[test]
fn the_reference_decides_where_there_is_one() {
    let (inside, outside) = (overflow(&[frame("scan", 13)]), overflow(&[frame("put", 30)]));
    for patched in [&inside, &outside] {
        let ruling = sound(&clean(), patched, Some(&clean()));
        assert_eq!(why(&ruling), Some(Why::ReferenceSurvives));
        assert!(is_hidden(&sound(&clean(), patched, Some(&outside))));
        // It fails in another way: it is no measure.
        assert!(is_hidden(&sound(&clean(), patched, Some(&faulty(&[fault("SIGSEGV", &[])])))));
        let greedy = Execution { end: ProgramEnd::OverLimit("memory".to_owned()), ..clean() };
        assert!(is_hidden(&sound(&clean(), patched, Some(&greedy))));
    }
}

#[test]
fn a_fault_that_buggy_and_patched_share_counts_if_the_reference_has_mended_it() {
    let shared = overflow(&[frame("scan", 13)]);
    assert_eq!(sound(&shared, &shared, None), OpadRuling::Nothing);
    assert_eq!(sound(&shared, &shared, Some(&shared)), OpadRuling::Nothing);
    assert_eq!(why(&sound(&shared, &shared, Some(&clean()))), Some(Why::BugRemains));
}

#[test]
fn where_both_fail_in_different_ways_only_a_reference_can_tell() {
    let (buggy, patched) =
        (overflow(&[frame("scan", 13)]), faulty(&[fault("double-free", &[frame("scan", 13)])]));
    assert_eq!(new_faults(&buggy, &patched).len(), 1);
    assert!(is_hidden(&sound(&buggy, &patched, None)));
    assert_eq!(why(&sound(&buggy, &patched, Some(&clean()))), Some(Why::ReferenceSurvives));
    assert_eq!(o_measure(&[(buggy.clone(), patched.clone())]), 0);
    // It is no new failure by Opad's own rule either.
    let strict = rule(&buggy, &patched, None, &delta(), &OpadOptions { strict: true });
    assert!(is_hidden(&strict));
}

#[test]
fn a_hang_counts_as_a_crash() {
    let hang = Execution { end: ProgramEnd::TimedOut, ..clean() };
    let ruling = sound(&clean(), &hang, Some(&clean()));
    assert_eq!(
        (why(&ruling), ruling.trouble().unwrap().to_string().as_str()),
        (Some(Why::ReferenceSurvives), "timeout")
    );
    assert!(is_hidden(&sound(&clean(), &hang, None)));
    assert_eq!(sound(&hang, &hang, None), OpadRuling::Nothing);
    assert_eq!(o_measure(&[(clean(), hang.clone()), (hang.clone(), hang.clone()), (hang, clean())]), 1);
}

#[test]
fn a_signal_that_nobody_reported_is_a_crash_and_a_request_to_end_is_none() {
    let ended = |signal| Execution { end: ProgramEnd::Signalled(signal), ..clean() };
    assert_eq!(why(&sound(&clean(), &ended(11), Some(&clean()))), Some(Why::ReferenceSurvives));
    assert_eq!(sound(&clean(), &ended(15), Some(&clean())), OpadRuling::Nothing);
}

#[test]
fn a_leak_alone_is_a_heuristic_unless_the_reference_leaks_as_much() {
    assert!(matches!(sound(&clean(), &leaking(16, 0), None), OpadRuling::Heuristic { .. }));
    assert!(matches!(sound(&leaking(16, 0), &leaking(8, 1), None), OpadRuling::Heuristic { .. }));
    assert_eq!(sound(&leaking(16, 0), &leaking(16, 0), None), OpadRuling::Nothing);
    assert!(is_hidden(&sound(&clean(), &leaking(16, 0), Some(&leaking(16, 0)))));
    let ruling = sound(&clean(), &leaking(16, 0), Some(&leaking(8, 0)));
    assert_eq!(ruling.strength(), Some(Strength::Heuristic));
    assert_eq!(ruling.trouble().unwrap().to_string(), "a leak of 16 bytes instead of 0");
    // A version that crashed was not asked for its leaks.
    assert_eq!(sound(&overflow(&[]), &leaking(16, 0), None), OpadRuling::Nothing);
}

#[test]
fn a_fault_outweighs_a_leak_and_the_first_of_equals_is_told() {
    let patched = Execution {
        leaked: Some(Leaked { definitely: 9, ..Leaked::default() }),
        ..faulty(&[
            fault("invalid-read", &[frame("put", 30)]),
            fault("invalid-write", &[frame("scan", 13)]),
            fault("uninitialised-value", &[frame("scan", 14)]),
        ])
    };
    let ruling = sound(&leaking(0, 0), &patched, None);
    assert_eq!(ruling.trouble().unwrap().to_string(), "invalid-write in scan (a.c:13)");
}

#[test]
fn undefined_behaviour_that_every_compiler_defines_is_a_heuristic() {
    let shift = faulty(&[fault("invalid-shift-base", &[frame("scan", 13)])]);
    assert_eq!(sound(&clean(), &shift, None).strength(), Some(Strength::Heuristic));
    assert_eq!(sound(&clean(), &shift, Some(&clean())).strength(), Some(Strength::Heuristic));
    assert_eq!(sound(&clean(), &shift, Some(&shift)).strength(), Some(Strength::Remark));
    assert_eq!(sound(&shift, &shift, Some(&clean())), OpadRuling::Nothing);
}

#[test]
fn strict_is_opads_own_rule() {
    let strict = |buggy: &Execution, patched: &Execution, reference: Option<&Execution>| {
        why(&rule(buggy, patched, reference, &delta(), &OpadOptions { strict: true }))
    };
    let outside = overflow(&[frame("put", 30)]);
    assert_eq!(strict(&clean(), &outside, None), Some(Why::Strict));
    assert_eq!(strict(&clean(), &outside, Some(&outside)), Some(Why::Strict));
    assert_eq!(strict(&clean(), &leaking(0, 1), None), Some(Why::Strict));
    assert_eq!(strict(&outside, &outside, None), None);
}

#[test]
fn of_a_kind_only_those_that_are_more_are_new() {
    let read = |line| fault("invalid-read", &[frame("put", line)]);
    let (buggy, patched) = (faulty(&[read(30)]), faulty(&[read(30), read(31)]));
    assert_eq!(new_faults(&buggy, &patched), [read(31)]);
    assert_eq!(new_faults(&patched, &buggy), []);
    assert_eq!(new_faults(&buggy, &buggy), []);
}

#[test]
fn the_o_measure_is_the_number_of_tests_that_fail_only_with_the_patch() {
    let crash = Execution { end: ProgramEnd::Signalled(11), ..clean() };
    let read = fault("invalid-read", &[]);
    let tests = [
        (clean(), clean()),
        (clean(), crash.clone()),       // counts: a new crash
        (crash.clone(), crash.clone()), // fails before and after
        (crash.clone(), clean()),       // mended
        (faulty(std::slice::from_ref(&read)), faulty(&[read.clone(), read.clone()])), // counts: more errors
        (faulty(&[read.clone(), read.clone()]), faulty(&[read])), // fewer
        (leaking(8, 0), leaking(0, 1)), // counts: more of one kind
        (leaking(8, 1), leaking(8, 1)),
        (leaking(8, 0), crash), // counts: a crash, though nobody counted bytes
    ];
    assert_eq!(o_measure(&tests), 4);
    assert_eq!(o_measure(&[]), 0);
}
