//! What each pair of executions says, and in which words.

use bonafix_model::{Detector, Fault};

use super::*;

fn printed(stdout: &str) -> Execution {
    Execution { stdout: stdout.as_bytes().to_vec(), ..Execution::silent(ProgramEnd::Exited(0)) }
}

fn ended(end: ProgramEnd) -> Execution {
    Execution { end, ..printed("") }
}

fn complained(code: i32, stderr: &str) -> Execution {
    Execution { stderr: stderr.as_bytes().to_vec(), ..ended(ProgramEnd::Exited(code)) }
}

fn crashed(signal: i32, function: &str) -> Execution {
    let frame = Frame { function: function.to_owned(), file: "a.c".to_owned(), line: 3 };
    let fault = Fault {
        detector: Detector::Crash,
        kind: "SIGSEGV".to_owned(),
        message: String::new(),
        stack: vec![frame],
        origins: Vec::new(),
    };
    Execution { faults: vec![fault], ..ended(ProgramEnd::Signalled(signal)) }
}

/// The ruling as a line: class, reason if it is a remark, sentence.
fn ruled(reference: &Execution, patched: &Execution, options: &ProgramOptions) -> String {
    match judge(reference, patched, options) {
        ProgramRuling::Same => "same".to_owned(),
        ProgramRuling::Evidence(claim) => {
            format!("{}: {}", claim.class.name(), claim.sentence("the reference"))
        }
        ProgramRuling::Remark { reason, claim } => {
            format!("{} {}: {}", reason.key(), claim.class.name(), claim.sentence("the reference"))
        }
    }
}

fn rules(reference: &Execution, patched: &Execution) -> String {
    ruled(reference, patched, &ProgramOptions::default())
}

#[test]
fn the_same_is_nothing() {
    assert_eq!(rules(&printed("a\n"), &printed("a\n")), "same");
    assert_eq!(rules(&complained(1, "x"), &complained(1, "x")), "same");
    let hang = ended(ProgramEnd::TimedOut);
    assert_eq!(rules(&hang, &ended(ProgramEnd::OverLimit("memory".to_owned()))), "same");
    assert_eq!(rules(&crashed(11, "f"), &crashed(11, "f")), "same");
}

#[test]
fn another_output_is_told_by_its_first_line() {
    assert_eq!(
        rules(&printed("a\nb\nc\n"), &printed("a\nx \"y\"\t\nz\n")),
        "assert: line 2 of standard output is \"b\" in the reference and \"x \\\"y\\\"\\t\" in the patched version"
    );
    assert_eq!(
        rules(&printed("a\nb\n"), &printed("a\n")),
        "assert: line 2 of standard output is \"b\" in the reference and missing in the patched version"
    );
    assert_eq!(
        rules(&printed("a\n"), &printed("a")),
        "assert: line 1 of standard output is \"a\\n\" in the reference and \"a\" in the patched version"
    );
}

#[test]
fn of_a_long_line_the_part_that_differs_is_shown() {
    let start = "x".repeat(500);
    let sentence = rules(&printed(&format!("{start}1{start}\n")), &printed(&format!("{start}2{start}\n")));
    assert!(sentence.contains(&format!("\"…{}1", "x".repeat(40))), "{sentence}");
    assert!(sentence.chars().count() < 400, "{sentence}");
}

#[test]
fn of_what_is_no_text_the_byte_is_told() {
    let raw = |stdout: &[u8]| Execution { stdout: stdout.to_vec(), ..printed("") };
    assert_eq!(
        rules(&raw(b"GIF\xff\x00"), &raw(b"GIF\xfe")),
        "assert: byte 4 of standard output is 0xff in the reference and 0xfe in the patched version"
    );
}

#[test]
fn files_are_compared_by_name_and_contents() {
    let wrote = |name: &str, text: &str| {
        let files = [(name.to_owned(), text.as_bytes().to_vec())].into();
        Execution { files, ..printed("") }
    };
    assert_eq!(
        rules(&wrote("o.txt", "1\n"), &wrote("o.txt", "2\n")),
        "assert: line 1 of file o.txt is \"1\" in the reference and \"2\" in the patched version"
    );
    assert_eq!(
        rules(&wrote("o.txt", "1\n"), &printed("")),
        "assert: file o.txt is written in the reference and not written in the patched version"
    );
    assert_eq!(
        rules(&printed(""), &wrote("o.txt", "1\n")),
        "assert: file o.txt is not written in the reference and written in the patched version"
    );
}

#[test]
fn ends_that_differ_have_the_classes_of_rgt() {
    let accepts = printed("");
    let rejects = complained(2, "usage\nbad header\n");
    let tested = ProgramOptions { usual_codes: [2].into(), ..ProgramOptions::default() };
    assert_eq!(
        ruled(&rejects, &accepts, &tested),
        "exc1: the program ends with exit code 2 and says \"bad header\" in the reference and ends with exit code 0 in \
         the patched version"
    );
    assert!(
        rules(&accepts, &rejects).starts_with("exc2: the program ends with exit code 0 in the reference")
    );
    assert!(rules(&accepts, &crashed(11, "f")).contains("and crashes with SIGSEGV in the patched version"));
    // A crash is no way to turn an input down.
    assert!(rules(&rejects, &crashed(11, "f")).starts_with("exc-type: "));
    let hang = ended(ProgramEnd::TimedOut);
    assert!(rules(&accepts, &hang).starts_with("timeout: "));
    assert!(rules(&rejects, &hang).ends_with("and does not come to an end in the patched version"));
    let greedy = ended(ProgramEnd::OverLimit("memory".to_owned()));
    assert!(rules(&accepts, &greedy).starts_with("error: "));
}

#[test]
fn two_ways_to_reject_are_a_remark() {
    let remark = "reference-rejects exc-type: ";
    assert!(rules(&complained(1, "bad"), &complained(2, "bad")).starts_with(remark));
    // Nor is it promised that there is anything to turn down, where no test shows it.
    assert!(rules(&complained(1, "bad"), &printed("")).starts_with("reference-rejects exc1: "));
    let half = Execution { stdout: b"1\n".to_vec(), ..complained(1, "bad") };
    assert!(rules(&half, &complained(1, "bad")).starts_with("reference-rejects assert: "));
}

#[test]
fn a_code_that_tests_expect_and_that_goes_without_complaint_is_a_result() {
    let options = ProgramOptions { usual_codes: [1, 2].into(), ..ProgramOptions::default() };
    let found = |code, stdout: &str| Execution { end: ProgramEnd::Exited(code), ..printed(stdout) };
    assert!(ruled(&found(1, "a\n"), &found(1, "b\n"), &options).starts_with("assert: "));
    assert!(ruled(&found(1, ""), &found(2, ""), &options).starts_with("exc-type: "));
    assert!(rules(&found(1, "a\n"), &found(1, "b\n")).starts_with("reference-rejects "));
    let complaint = Execution { stdout: b"a\n".to_vec(), ..complained(1, "bad") };
    assert!(ruled(&complaint, &complained(1, "bad"), &options).starts_with("reference-rejects "));
    // Where a complaint goes is not promised either.
    assert!(ruled(&found(1, "bad\n"), &complained(1, "bad"), &options).starts_with("reference-rejects "));
}

#[test]
fn a_reference_that_fails_is_no_measure_even_under_strict_rules() {
    let strict = ProgramOptions { strict: true, ..ProgramOptions::default() };
    for reference in
        [crashed(11, "f"), ended(ProgramEnd::TimedOut), ended(ProgramEnd::OverLimit("disk".to_owned()))]
    {
        for options in [&strict, &ProgramOptions::default()] {
            assert!(ruled(&reference, &printed("a"), options).starts_with("reference-fails "));
        }
    }
    let place = rules(&crashed(11, "f"), &crashed(11, "g"));
    assert_eq!(
        place,
        "reference-fails exc-loc: the program crashes in f (a.c:3) in the reference and crashes in g (a.c:3) in the \
         patched version"
    );
    let faulty = Execution { faults: crashed(11, "f").faults, ..printed("a") };
    assert!(rules(&faulty, &printed("b")).starts_with("reference-fails assert: "));
}

#[test]
fn standard_error_counts_only_where_tests_compare_it() {
    let (one, other) = (complained(0, "note: 1\n"), complained(0, "note: 2\n"));
    assert!(rules(&one, &other).starts_with("standard-error assert: line 1 of standard error is "));
    let options = ProgramOptions { errors_compared: true, ..ProgramOptions::default() };
    assert!(ruled(&one, &other, &options).starts_with("assert: "));
    let strict = ProgramOptions { strict: true, ..ProgramOptions::default() };
    assert!(ruled(&one, &other, &strict).starts_with("assert: "));
    // What counts is told before what does not.
    let both = Execution { stdout: b"1".to_vec(), ..other };
    assert!(rules(&one, &both).starts_with("assert: line 1 of standard output"));
}

#[test]
fn white_space_at_the_ends_of_lines_counts_unless_tests_do_not_mind() {
    let options = ProgramOptions { white_space_tolerated: true, ..ProgramOptions::default() };
    let (one, other) = (printed("1 2\n3"), printed("1 2 \n3\n\n"));
    assert!(rules(&one, &other).starts_with("assert: line 1"));
    assert!(ruled(&one, &other, &options).starts_with("white-space assert: "));
    assert!(ruled(&printed("1 2\n"), &printed("12\n"), &options).starts_with("assert: "));
}

#[test]
fn last_digits_of_fractions_are_rounding_and_other_numbers_are_results() {
    for (one, other) in [
        ("mean 3.14159 ok", "mean 3.14160 ok"),
        ("x=-0.00", "x=0.00"),
        ("1.2345e+10", "1.2346e+10"),
        ("12.345 67.89 1", "12.346 67.88 1"),
        ("0.000001", "0.000002"),
    ] {
        assert!(rules(&printed(one), &printed(other)).starts_with("rounding assert: "), "{one}");
    }
    for (one, other) in [
        ("1", "2"),
        ("100000", "100001"),
        ("2.5", "2.6"),
        ("3.14159", "3.14169"),
        ("3.14159 1", "3.14160 2"),
        ("1.50", "1.5"),
        ("1.0.3", "1.0.4"),
        ("a", "b"),
    ] {
        let ruling = rules(&printed(one), &printed(other));
        assert!(ruling.starts_with("assert: "), "{one}: {ruling}");
    }
}

#[test]
fn what_was_cut_off_does_not_differ() {
    let cut = |stdout: &str| Execution { cut: true, ..printed(stdout) };
    assert_eq!(rules(&cut("abc"), &printed("abcdef")), "same");
    assert!(rules(&cut("abc"), &printed("abX")).starts_with("assert: "));
    let large = Execution { files: [("large".to_owned(), b"x".to_vec())].into(), ..cut("") };
    assert_eq!(
        rules(&printed(""), &large),
        "assert: file large is not written in the reference and written in the patched version"
    );
    assert_eq!(rules(&Execution { files: [].into(), ..large.clone() }, &large), "same");
    // What was not kept of the one is no excuse for what the other one lacks.
    assert_eq!(rules(&printed("abc"), &cut("abc")), "same");
    assert!(rules(&printed("abc"), &cut("abcdef")).starts_with("assert: "));
    assert!(rules(&cut("abcdef"), &printed("abc")).starts_with("assert: "));
}

#[test]
fn what_varies_from_run_to_run_is_masked_in_both_versions() {
    let runs = |lines: [&str; 3]| lines.map(printed);
    let options = ProgramOptions::default();
    let reference = runs(["at 12:01 sum 5\nend\n", "at 12:02 sum 5\nend\n", "at 12:03 sum 5\nend\n"]);
    let same = runs(["at 12:04 sum 5\nend\n", "at 12:04 sum 5\nend\n", "at 12:04 sum 5\nend\n"]);
    let wrong = runs(["at 12:04 sum 6\nend\n", "at 12:05 sum 6\nend\n", "at 12:06 sum 6\nend\n"]);
    assert_eq!(judge_runs(&reference, &same, &options), Some(ProgramRuling::Same));
    let Some(ProgramRuling::Evidence(claim)) = judge_runs(&reference, &wrong, &options) else { panic!() };
    assert_eq!(claim.expected, "\"at <varies> sum 5\"");
}

#[test]
fn output_of_no_constant_shape_says_nothing_and_lines_that_are_missing_do() {
    let options = ProgramOptions::default();
    let ragged = ["a\n", "a\nb\n"].map(printed);
    let other = ["c\n", "c\n"].map(printed);
    assert_eq!(judge_runs(&ragged, &other, &options), Some(ProgramRuling::Same));
    let timed = ["t 1\nx\ny\n", "t 2\nx\ny\n"].map(printed);
    let short = ["t 3\nx\n", "t 4\nx\n"].map(printed);
    let Some(ProgramRuling::Evidence(claim)) = judge_runs(&timed, &short, &options) else { panic!() };
    assert_eq!((claim.what.as_str(), claim.actual.as_str()), ("line 3 of standard output", "missing"));
}

#[test]
fn a_version_that_does_not_end_alike_says_nothing() {
    let sometimes = [printed(""), crashed(11, "f")];
    assert_eq!(judge_runs(&sometimes, &[printed("")], &ProgramOptions::default()), None);
    assert_eq!(judge_runs(&[], &[printed("")], &ProgramOptions::default()), None);
}

#[test]
fn a_file_that_is_written_only_sometimes_does_not_count() {
    let wrote = |name: &str| Execution { files: [(name.to_owned(), Vec::new())].into(), ..printed("") };
    let runs = [wrote("core.1"), printed("")];
    assert_eq!(judge_runs(&runs, &[printed("")], &ProgramOptions::default()), Some(ProgramRuling::Same));
}
