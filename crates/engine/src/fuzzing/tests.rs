//! What it takes to refute a program: versions that do what each test says, with a fuzzer that knows its inputs.

use bonafix_lang::fake::{FakeCall, FakeFuzzer};
use bonafix_model::{Delta, Detector, Execution, ProgramEnd, Strength, TreeChange};
use bonafix_store::{Plan, PlannedInput, RunDir};

use super::*;
use crate::testing::judging_options;

const WITH_REFERENCE: [VersionRole; 3] = [VersionRole::Reference, VersionRole::Patched, VersionRole::Buggy];
const WITHOUT_REFERENCE: [VersionRole; 2] = [VersionRole::Buggy, VersionRole::Patched];
const INPUTS: [&[u8]; 4] = [b"1\n", b"22\n", b"one\n9000\ntwo\n", b"x"];

struct Tried {
    fuzzed: Fuzzed,
    written: Vec<ProgramInput>,
}

impl Tried {
    fn proofs(&self) -> Vec<&Evidence> {
        self.fuzzed.evidence.iter().filter(|evidence| evidence.strength == Strength::Proof).collect()
    }

    fn discarded(&self) -> Vec<&str> {
        let rows = self.fuzzed.efforts.iter().flat_map(|effort| &effort.discarded);
        rows.map(|row| row.reason.as_str()).collect()
    }

    /// It came to nothing, for this reason.
    fn dismissed(&self, reason: &str) {
        assert!(self.proofs().is_empty(), "{:#?}", self.fuzzed.evidence);
        assert!(self.discarded().contains(&reason), "{:?}", self.discarded());
    }
}

fn attempt(roles: &[VersionRole], fuzzer: &FakeFuzzer, options: &JudgingOptions, kept: &[InputSet]) -> Tried {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    let plan = Plan::new(Vec::new(), PlannedInput::new("program", "00"));
    let run = RunDir::create(path, "program", &plan).unwrap();
    let session = Session { run: &run, on_event: &|_| {} };
    let (change, delta) = (TreeChange::default(), Delta::default());
    let versions: Vec<ExploredVersion<'_>> =
        roles.iter().map(|role| ExploredVersion { role: *role, change: &change, delta: &delta }).collect();
    let fuzzing = Fuzzing {
        fuzzer,
        session: &session,
        folder: "patch",
        versions: &versions,
        by_reference: roles.contains(&VersionRole::Reference),
        by_faults: true,
        failing: &[],
        passing: &[],
        took: &BTreeMap::new(),
        options,
        limit: Duration::from_secs(1),
        kept,
        log: &path.join("log"),
    };
    let outcome = fuzzing.carry_out().unwrap().0;
    let written = fuzzer.written.lock().unwrap().clone();
    Tried { fuzzed: outcome, written }
}

fn tried(
    roles: &[VersionRole],
    program: impl Fn(FakeCall<'_>) -> Execution + Send + Sync + 'static,
) -> Tried {
    attempt(roles, &FakeFuzzer::new(&INPUTS, program), &judging_options(), &[])
}

/// A program that says how many bytes it got.
fn right(call: FakeCall<'_>) -> Execution {
    FakeFuzzer::printed(&call.bytes.len().to_string())
}

fn has_nine(call: FakeCall<'_>) -> bool {
    call.bytes.contains(&b'9')
}

fn wrong_on_nine(call: FakeCall<'_>) -> Execution {
    if call.role == VersionRole::Patched && has_nine(call) {
        FakeFuzzer::printed("wrong")
    } else {
        right(call)
    }
}

#[test]
fn a_difference_that_stays_is_made_small_and_refutes() {
    let tried = tried(&WITH_REFERENCE, wrong_on_nine);
    let [proof] = tried.proofs()[..] else { panic!("{:#?}", tried.fuzzed.evidence) };
    assert_eq!(proof.technique, "rgt");
    assert_eq!(tried.written[0].bytes, b"9");
    let witness = proof.witness.as_ref().unwrap();
    assert!(witness.holds());
    assert_eq!((witness.replays, witness.folder.as_str()), (3, "witnesses/patch/witness-1"));
    let exhibit = proof.exhibit.as_ref().unwrap();
    assert_eq!(exhibit.input, ["9", "(no newline at the end)"]);
    assert!(exhibit.buggy.is_some());
    assert!(tried.fuzzed.efforts.iter().all(|effort| effort.ended == Some(SearchEnd::Found)));
    assert_eq!(tried.fuzzed.inputs.programs[0].bytes, b"9", "what refuted comes first for further patches");
}

#[test]
fn versions_that_do_the_same_refute_nothing_and_all_is_counted() {
    let tried = tried(&WITH_REFERENCE, right);
    assert!(tried.fuzzed.evidence.is_empty() && tried.written.is_empty());
    let techniques: Vec<&str> = tried.fuzzed.efforts.iter().map(|effort| effort.technique.as_str()).collect();
    assert_eq!(techniques, ["rgt", "opad"]);
    for effort in &tried.fuzzed.efforts {
        assert_eq!((effort.inputs, effort.reached, effort.ended), (4, 4, Some(SearchEnd::Exhausted)));
    }
}

#[test]
fn a_difference_that_is_not_the_same_each_time_does_not_refute() {
    let first_time = |call: FakeCall<'_>| if call.before < 2 { wrong_on_nine(call) } else { right(call) };
    tried(&WITH_REFERENCE, first_time).dismissed("flaky");
    let in_search = |call: FakeCall<'_>| if call.before < 1 { wrong_on_nine(call) } else { right(call) };
    tried(&WITH_REFERENCE, in_search).dismissed("not-in-fresh-process");
    let wavering_reference = |call: FakeCall<'_>| {
        let odd = call.role == VersionRole::Reference && call.before % 2 == 1;
        if odd { FakeFuzzer::printed("odd") } else { wrong_on_nine(call) }
    };
    tried(&WITH_REFERENCE, wavering_reference).dismissed("flaky");
}

#[test]
fn a_witness_that_does_not_hold_outside_does_not_refute() {
    let inside = |call: FakeCall<'_>| if call.by_witness { right(call) } else { wrong_on_nine(call) };
    tried(&WITH_REFERENCE, inside).dismissed("not-reproduced");
    let all_fail =
        |call: FakeCall<'_>| if call.by_witness { FakeFuzzer::printed("no") } else { wrong_on_nine(call) };
    tried(&WITH_REFERENCE, all_fail).dismissed("not-reproduced");
}

#[test]
fn inputs_of_earlier_patches_come_first_and_the_budget_is_kept() {
    let kept = InputSet::of_programs(vec![ProgramInput { arguments: None, bytes: b"999".to_vec() }]);
    let options = JudgingOptions { budget: Budget::Inputs(1), ..judging_options() };
    let fuzzer = FakeFuzzer::new(&INPUTS, wrong_on_nine);
    let tried = attempt(&WITH_REFERENCE, &fuzzer, &options, &[kept]);
    assert_eq!(tried.proofs().len(), 1);
    assert_eq!((tried.fuzzed.efforts[0].inputs, tried.fuzzed.efforts[0].kept), (1, 1));
    let fuzzer = FakeFuzzer::new(&INPUTS, wrong_on_nine);
    let without = attempt(&WITH_REFERENCE, &fuzzer, &options, &[]);
    assert!(without.proofs().is_empty());
    assert_eq!(without.fuzzed.efforts[0].ended, Some(SearchEnd::Budget));
}

/// Under sanitizers, versions of these parts have a fault on what has a nine in it.
fn faulty_in(roles: &'static [VersionRole]) -> impl Fn(FakeCall<'_>) -> Execution + Send + Sync + 'static {
    move |call| {
        let faults = call.watch == Watch::Sanitizers && has_nine(call) && roles.contains(&call.role);
        if faults { FakeFuzzer::faulty("heap-buffer-overflow", "parse") } else { right(call) }
    }
}

#[test]
fn a_new_fault_that_the_reference_survives_refutes_after_ten_replays() {
    let tried = tried(&WITH_REFERENCE, faulty_in(&[VersionRole::Patched]));
    let [proof] = tried.proofs()[..] else { panic!("{:#?}", tried.fuzzed.evidence) };
    let witness = proof.witness.as_ref().unwrap();
    assert_eq!(
        (proof.technique.as_str(), witness.replays, witness.oracle.as_str()),
        ("opad", 10, "memory error")
    );
    assert_eq!(witness.folder.as_str(), "witnesses/patch-opad/witness-1");
    assert_eq!(tried.written[0].bytes, b"9");
    assert!(proof.summary.starts_with("heap-buffer-overflow in parse (a.c:3): "), "{}", proof.summary);
    assert_eq!(proof.exhibit.as_ref().unwrap().buggy.as_deref(), Some("none"));
}

#[test]
fn a_fault_that_the_reference_has_too_is_a_hidden_bug() {
    let tried = tried(&WITH_REFERENCE, faulty_in(&[VersionRole::Patched, VersionRole::Reference]));
    tried.dismissed("hidden-bug");
    let [remark] = &tried.fuzzed.evidence[..] else { panic!("{:#?}", tried.fuzzed.evidence) };
    assert_eq!((remark.strength, remark.reason.as_deref()), (Strength::Remark, Some("hidden-bug")));
    assert_eq!(remark.exhibit.as_ref().unwrap().input, ["one", "9000", "two"]);
}

#[test]
fn a_hidden_bug_refutes_under_the_published_rule_and_the_buggy_version_is_its_measure() {
    let options = JudgingOptions { strict: true, ..judging_options() };
    let fuzzer = FakeFuzzer::new(&INPUTS, faulty_in(&[VersionRole::Patched, VersionRole::Reference]));
    let tried = attempt(&WITH_REFERENCE, &fuzzer, &options, &[]);
    assert_eq!(tried.proofs().len(), 1, "{:#?}", tried.fuzzed);
}

#[test]
fn without_a_reference_a_fault_outside_of_the_change_does_not_refute() {
    tried(&WITHOUT_REFERENCE, faulty_in(&[VersionRole::Patched])).dismissed("hidden-bug");
}

#[test]
fn a_fault_that_shows_only_sometimes_does_not_refute() {
    let program = faulty_in(&[VersionRole::Patched]);
    let sometimes = move |call: FakeCall<'_>| if call.before < 5 { program(call) } else { right(call) };
    tried(&WITH_REFERENCE, sometimes).dismissed("flaky");
}

#[test]
fn a_difference_that_the_tests_do_not_mind_does_not_refute() {
    let mut fuzzer = FakeFuzzer::new(&INPUTS, wrong_on_nine);
    fuzzer.same = |_, _| true;
    let tried = attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]);
    assert!(tried.fuzzed.evidence.is_empty(), "{:#?}", tried.fuzzed.evidence);
}

/// As `diff -b` does: any white space is as good as any other, but not none at the beginning of a line.
fn same_but_for_space(expected: &[u8], actual: &[u8]) -> bool {
    let form = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        let lines: Vec<String> = text
            .lines()
            .map(|line| {
                let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
                if line.starts_with(' ') { format!(" {words}") } else { words }
            })
            .collect();
        lines
    };
    form(expected) == form(actual)
}

#[test]
fn white_space_in_another_place_does_not_refute_where_tests_do_not_mind_more_of_it() {
    let program = |call: FakeCall<'_>| {
        let shifted = call.role == VersionRole::Patched && has_nine(call);
        FakeFuzzer::printed(if shifted { " 1 2" } else { "1 2 " })
    };
    let mut fuzzer = FakeFuzzer::new(&INPUTS, program);
    fuzzer.same = same_but_for_space;
    let tolerant = attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]);
    assert!(tolerant.fuzzed.evidence.is_empty(), "{:#?}", tolerant.fuzzed.evidence);
    assert_eq!(tried(&WITH_REFERENCE, program).proofs().len(), 1, "where every byte counts");
}

#[test]
fn a_line_that_is_broken_elsewhere_refutes_where_tests_mind_that() {
    let program = |call: FakeCall<'_>| {
        let broken = call.role == VersionRole::Patched && has_nine(call);
        FakeFuzzer::printed(if broken { "1\n2 3\n" } else { "1 2\n3\n" })
    };
    let mut fuzzer = FakeFuzzer::new(&INPUTS, program);
    fuzzer.same = same_but_for_space;
    assert_eq!(attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]).proofs().len(), 1);
}

fn hangs_on_nine(call: FakeCall<'_>) -> Execution {
    if call.role == VersionRole::Patched && has_nine(call) {
        let fault = bonafix_model::Fault {
            detector: Detector::Crash,
            ..FakeFuzzer::faulty("hang", "f").faults.remove(0)
        };
        Execution { end: ProgramEnd::TimedOut, faults: vec![fault], ..FakeFuzzer::printed("") }
    } else {
        right(call)
    }
}

#[test]
fn a_hang_that_comes_to_an_end_outside_does_not_refute_whatever_is_printed_then() {
    assert_eq!(tried(&WITH_REFERENCE, hangs_on_nine).proofs().len(), 1);
    let slow = |call: FakeCall<'_>| match call.by_witness {
        true if call.role == VersionRole::Patched => FakeFuzzer::printed("1.00"),
        true => right(call),
        false => hangs_on_nine(call),
    };
    tried(&WITH_REFERENCE, slow).dismissed("not-reproduced");
}

#[test]
fn a_hang_that_only_the_search_sees_is_told() {
    let in_search = |call: FakeCall<'_>| if call.before < 1 { hangs_on_nine(call) } else { right(call) };
    tried(&WITH_REFERENCE, in_search).dismissed("not-in-fresh-process");
}

#[test]
fn a_stack_that_is_too_small_only_under_watch_does_not_refute() {
    for is_plain_too in [false, true] {
        let program = move |call: FakeCall<'_>| {
            let is_watched = is_plain_too || call.watch == Watch::Sanitizers;
            let overflows = call.role == VersionRole::Patched && has_nine(call) && is_watched;
            if overflows { FakeFuzzer::faulty("stack-overflow", "parse") } else { right(call) }
        };
        let tried = tried(&WITH_REFERENCE, program);
        assert_eq!(tried.proofs().is_empty(), !is_plain_too, "{:#?}", tried.fuzzed);
        assert_eq!(tried.discarded() == ["only-watched"], !is_plain_too);
    }
}

#[test]
fn a_difference_from_a_reference_with_a_fault_does_not_refute() {
    let program = faulty_in(&[VersionRole::Reference]);
    let both = move |call: FakeCall<'_>| {
        if call.watch == Watch::Plain { wrong_on_nine(call) } else { program(call) }
    };
    tried(&WITH_REFERENCE, both).dismissed("reference-fails");
}

#[test]
fn inputs_on_which_the_reference_fails_do_not_hide_a_later_one_on_which_it_does_not() {
    let faults = |call: FakeCall<'_>| {
        call.watch == Watch::Valgrind && call.role == VersionRole::Reference && call.bytes.contains(&b'!')
    };
    let program = move |call: FakeCall<'_>| {
        if faults(call) { FakeFuzzer::faulty("uninitialised-value", "parse") } else { wrong_on_nine(call) }
    };
    let odd: Vec<Vec<u8>> = (0..13).map(|length| [b"9!".as_slice(), &vec![b'x'; length]].concat()).collect();
    let inputs: Vec<&[u8]> = odd.iter().map(Vec::as_slice).chain([b"9 9".as_slice()]).collect();
    let mut fuzzer = FakeFuzzer::new(&inputs, program);
    fuzzer.watches = vec![Watch::Plain, Watch::Valgrind];
    let tried = attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]);
    assert_eq!(tried.proofs().len(), 1, "{:#?}", tried.fuzzed.efforts);
    assert_eq!(tried.discarded(), ["reference-fails"]);
    assert_eq!(tried.written[0].bytes, b"9");
}

/// A program whose tests give it positive numbers, and expect an answer each time.
fn counting(
    inputs: &[&[u8]],
    program: impl Fn(FakeCall<'_>) -> Execution + Send + Sync + 'static,
) -> FakeFuzzer {
    let mut fuzzer = FakeFuzzer::new(inputs, program);
    fuzzer.tested.inputs = ["1 2 3\n", "4 5 6\n", "7 8 10\n"].map(|text| text.as_bytes().to_vec()).to_vec();
    fuzzer
}

fn wrong_below_zero(call: FakeCall<'_>) -> Execution {
    let is_wrong = call.role == VersionRole::Patched && call.bytes.contains(&b'-');
    if is_wrong { FakeFuzzer::printed("wrong") } else { right(call) }
}

#[test]
fn other_words_about_an_input_that_nobody_gives_are_a_remark_that_counts_by_the_published_rule() {
    let fuzzer = counting(&[b"5 -3\n", b"-1\n"], wrong_below_zero);
    let tried = attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]);
    tried.dismissed("unusual-sign");
    let [remark] = &tried.fuzzed.evidence[..] else { panic!("{:#?}", tried.fuzzed.evidence) };
    assert_eq!((remark.strength, remark.reason.as_deref()), (Strength::Remark, Some("unusual-sign")));
    let strict = JudgingOptions { strict: true, ..judging_options() };
    assert_eq!(attempt(&WITH_REFERENCE, &fuzzer, &strict, &[]).proofs().len(), 1);
}

#[test]
fn where_tests_look_at_how_inputs_are_turned_down_no_sign_is_odd() {
    for is_by_code in [true, false] {
        let mut fuzzer = counting(&[b"5 -3\n"], wrong_below_zero);
        fuzzer.tested.errors = !is_by_code;
        fuzzer.tested.codes.extend(is_by_code.then_some(2));
        assert_eq!(attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]).proofs().len(), 1);
    }
}

#[test]
fn the_input_is_judged_that_was_made_small_and_the_search_goes_on() {
    let fuzzer = counting(&[b"-7\n9 -2\n"], wrong_on_nine);
    let tried = attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]);
    assert_eq!((tried.proofs().len(), tried.written[0].bytes.as_slice()), (1, b"9\n".as_slice()));
    let odd_first = |call: FakeCall<'_>| {
        if call.bytes.contains(&b'-') { wrong_below_zero(call) } else { wrong_on_nine(call) }
    };
    let odd: Vec<Vec<u8>> = (10..30).map(|number| format!("-{number}\n").into_bytes()).collect();
    let inputs: Vec<&[u8]> = odd.iter().map(Vec::as_slice).chain([b"9".as_slice()]).collect();
    let tried = attempt(&WITH_REFERENCE, &counting(&inputs, odd_first), &judging_options(), &[]);
    assert_eq!(tried.proofs().len(), 1, "{:#?}", tried.fuzzed.efforts);
}

#[test]
fn what_is_odd_and_does_not_matter_is_taken_out_of_an_input() {
    let program = |call: FakeCall<'_>| {
        if call.bytes.contains(&b'-') { wrong_below_zero(call) } else { wrong_on_nine(call) }
    };
    let inputs: [&[u8]; 6] = [b"-10", b"-11", b"-12", b"-13", b"-14", b"1 -9\n"];
    let tried = attempt(&WITH_REFERENCE, &counting(&inputs, program), &judging_options(), &[]);
    assert_eq!((tried.proofs().len(), tried.written[0].bytes.as_slice()), (1, b"9\n".as_slice()));
}

fn faulty_below_zero(kind: &'static str) -> impl Fn(FakeCall<'_>) -> Execution + Send + Sync + 'static {
    move |call: FakeCall<'_>| {
        let is_faulty = call.role == VersionRole::Patched && call.bytes.contains(&b'-');
        if is_faulty { FakeFuzzer::faulty(kind, "parse") } else { right(call) }
    }
}

#[test]
fn a_crash_refutes_whatever_the_input_is_but_of_a_program_that_trusts_its_numbers() {
    let mut fuzzer = counting(&[b"5 -3\n"], faulty_below_zero("SIGSEGV"));
    attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]).dismissed("unusual-sign");
    fuzzer.tested.inputs.push(b"sum 1\n".to_vec());
    assert_eq!(attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]).proofs().len(), 1);
}

/// Found on a correct patch: it multiplied before it compared.
#[test]
fn a_sum_that_does_not_fit_refutes_on_numbers_like_those_of_tests_alone() {
    let tried = |input: &[u8], kind| {
        let faulty = faulty_below_zero(kind);
        let program = move |call: FakeCall<'_>| {
            if call.watch == Watch::Sanitizers { faulty(call) } else { right(call) }
        };
        let mut fuzzer = counting(&[input], program);
        fuzzer.tested.inputs.push(b"sum -10\n".to_vec());
        attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[])
    };
    tried(b"5 -2147483647\n", "signed-integer-overflow").dismissed("extreme-number");
    assert_eq!(tried(b"5 -10\n", "signed-integer-overflow").proofs().len(), 1);
    assert_eq!(tried(b"5 -1000\n", "heap-buffer-overflow").proofs().len(), 1);
}

#[test]
fn with_a_proof_in_hand_the_full_measure_goes_on_to_the_end() {
    let options = JudgingOptions { full: true, ..judging_options() };
    let inputs: [&[u8]; 3] = [b"9", b"99", b"1"];
    let fuzzer = FakeFuzzer::new(&inputs, faulty_in(&[VersionRole::Patched]));
    let tried = attempt(&WITH_REFERENCE, &fuzzer, &options, &[]);
    assert_eq!(tried.proofs().len(), 1);
    let opad = &tried.fuzzed.efforts[1];
    assert_eq!((opad.inputs, opad.ended), (3, Some(SearchEnd::Exhausted)));
    assert_eq!(opad.o_measure, Some(bonafix_model::OMeasure { inputs: 3, counted: 2 }));
}

#[test]
fn what_only_valgrind_sees_is_looked_for_at_the_end() {
    let program = |call: FakeCall<'_>| {
        let faults = call.watch == Watch::Valgrind && has_nine(call) && call.role == VersionRole::Patched;
        if faults { FakeFuzzer::faulty("uninitialised-value", "parse") } else { right(call) }
    };
    let mut fuzzer = FakeFuzzer::new(&INPUTS, program);
    fuzzer.watches = vec![Watch::Sanitizers, Watch::Plain];
    assert!(attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]).proofs().is_empty());
    fuzzer.watches.push(Watch::Valgrind);
    let tried = attempt(&WITH_REFERENCE, &fuzzer, &judging_options(), &[]);
    assert_eq!(tried.proofs()[0].witness.as_ref().unwrap().replays, 3);
}
