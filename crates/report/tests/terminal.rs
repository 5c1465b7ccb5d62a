//! What people see, as snapshots. Review a change with `INSTA_UPDATE=always cargo test -p bonafix-report && git diff`.

mod samples;

use bonafix_model::{DifferenceClass, RunReport};
use bonafix_report::terminal::{Style, render, render_run};
use samples::{
    broken, dissimilar, faulty_program, invalid, not_exercised, patch, plausible, ranked, refuted, run,
    similarity, unrefuted,
};
use serde_json::json;

const STYLE: Style = Style { color: false, width: 100, verbose: false };

/// Renders, and checks what must hold for every report.
fn check(report: &RunReport, style: Style) -> String {
    let text = render(report, &style);
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "ends with one line end");
    assert!(!text.contains("\n\n\n"), "no two empty lines");
    for line in text.lines() {
        assert_eq!(line.trim_end(), line, "no trailing spaces");
    }
    if !style.color {
        assert!(!text.contains('\u{1b}'), "no escape codes without colour");
    }
    text
}

#[test]
fn a_plausible_patch_that_nothing_judged() {
    insta::assert_snapshot!(check(&run([plausible("patches/correct.diff")]), STYLE));
}

#[test]
fn a_plausible_patch_in_colour() {
    let style = Style { color: true, ..STYLE };
    insta::assert_snapshot!(check(&run([plausible("patches/correct.diff")]), style).replace('\u{1b}', "ESC"));
}

#[test]
fn a_plausible_patch_in_full() {
    insta::assert_snapshot!(check(
        &run([plausible("patches/correct.diff")]),
        Style { verbose: true, ..STYLE }
    ));
}

#[test]
fn a_plausible_patch_on_a_narrow_terminal() {
    let text = check(&run([plausible("patches/correct.diff")]), Style { width: 50, ..STYLE });
    let single_words = |line: &str| line.split_whitespace().count() <= 2;
    assert!(text.lines().all(|line| line.chars().count() <= 50 || single_words(line)), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn colour_changes_nothing_but_colour() {
    for report in [
        run([plausible("a.diff")]),
        run(invalid()),
        ranked(),
        run([refuted(), unrefuted(), not_exercised(), dissimilar()]),
        broken("no-tests", "no tests", &["a", "@@ -1 +1 @@", "-b"]),
    ] {
        let colored = check(&report, Style { color: true, ..STYLE });
        let mut stripped = String::new();
        for (index, part) in colored.split('\u{1b}').enumerate() {
            stripped.push_str(if index == 0 { part } else { part.split_once('m').unwrap().1 });
        }
        assert_eq!(stripped, check(&report, STYLE));
    }
}

#[test]
fn each_reason_to_call_a_patch_invalid() {
    for patch in invalid() {
        let name = patch.name.trim_end_matches(".diff").to_owned();
        insta::assert_snapshot!(format!("invalid_{name}"), check(&run([patch]), STYLE));
    }
}

#[test]
fn a_rejected_hunk_in_colour() {
    let style = Style { color: true, ..STYLE };
    insta::assert_snapshot!(check(&run(invalid().into_iter().take(1)), style).replace('\u{1b}', "ESC"));
}

#[test]
fn each_way_a_baseline_can_be_broken() {
    let ways = [
        (
            "does-not-build",
            "the buggy version does not compile: 1 error",
            &["src/A.java:3: ';' expected", "    int x = 1", "             ^"][..],
        ),
        (
            "no-tests",
            "no tests were found, so nothing can show the bug",
            &["set `tests` under `[java]` in bonafix.toml to the folders that hold them"],
        ),
        (
            "bug-does-not-show",
            "LeapYearTest#century should show the bug, and passes on the buggy version",
            &["is the patch applied already, or is it the wrong revision?"],
        ),
        (
            "reference-broken",
            "the reference does not turn LeapYearTest#century green",
            &["give another reference with --reference, or leave it out"],
        ),
    ];
    for (key, summary, details) in ways {
        insta::assert_snapshot!(format!("broken_{key}"), check(&broken(key, summary, details), STYLE));
    }
}

#[test]
fn several_patches_end_with_a_table() {
    let mut patches = vec![plausible("patches/correct.diff")];
    patches.extend(invalid());
    insta::assert_snapshot!(check(&run(patches), STYLE));
}

#[test]
fn several_patches_are_told_in_the_order_to_read_them() {
    let text = check(&ranked(), STYLE);
    let (_, end) = text.split_once("3 patches: ").unwrap_or_else(|| panic!("{text}"));
    insta::assert_snapshot!(end);
}

#[test]
fn patches_of_one_name_have_a_row_each_with_its_number_and_outcome() {
    let mut report = ranked();
    for patch in &mut report.patches {
        patch.name = "fix.diff".to_owned();
    }
    for row in &mut report.ranking.as_mut().unwrap().rows {
        row.name = "fix.diff".to_owned();
    }
    let text = check(&report, STYLE);
    for row in [
        "1  fix.diff (patch 2)  unrefuted",
        "2  fix.diff (patch 1)  inconclusive",
        "3  fix.diff (patch 3)  suspicious",
    ] {
        assert!(text.contains(row), "{row} is missing in:\n{text}");
    }
}

#[test]
fn clusters_that_were_told_in_a_hurry_say_so() {
    let hurry = "there was no time to compare the patches on";
    assert!(!check(&ranked(), STYLE).contains(hurry));
    let mut report = ranked();
    let ranking = report.ranking.as_mut().unwrap();
    ranking.inputs_left_out = 7;
    let text = check(&report, STYLE).replace('\n', " ");
    assert!(text.contains(&format!("{hurry} 7 inputs: patches of one cluster may differ on them")), "{text}");
    report.ranking.as_mut().unwrap().clusters.clear();
    let text = check(&report, STYLE).replace('\n', " ");
    assert!(text.contains("7 inputs: which patches behave alike is not known"), "{text}");
}

#[test]
fn a_patch_that_touches_the_tests() {
    let mut report = plausible("weakens.diff");
    report.test_changes = serde_json::from_value(json!([
        {"path": "test/LeapYearTest.java", "kind": "changed"},
        {"path": "test/OtherTest.java", "kind": "removed"},
        {"path": "test/NewTest.java", "kind": "added"},
    ]))
    .unwrap();
    insta::assert_snapshot!(check(&run([report]), STYLE));
}

#[test]
fn a_warning_about_the_tests_stands_below_the_details_of_the_verdict() {
    let mut report = invalid().remove(1);
    report.test_changes =
        serde_json::from_value(json!([{"path": "test/LeapYearTest.java", "kind": "changed"}])).unwrap();
    let text = check(&run([report]), STYLE);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("`{part}` is missing in:\n{text}"));
    assert!(place("2 errors") < place("cannot find symbol"), "{text}");
    assert!(place("';' expected") < place("WARNING"), "{text}");
}

#[test]
fn a_subject_of_which_little_is_known_is_named_alone() {
    for (language, build_system, header) in
        [("", "", "leap-year"), ("java", "", "leap-year  java"), ("java", "maven", "leap-year  java, maven")]
    {
        let mut report = broken("does-not-build", "x", &[]);
        report.subject.language = language.into();
        report.subject.build_system = build_system.into();
        assert_eq!(check(&report, STYLE).lines().next(), Some(header));
    }
}

#[test]
fn a_stack_line_has_one_at_whoever_wrote_it() {
    let mut report = run([]);
    report.baseline.as_mut().unwrap().red[0].failure.as_mut().unwrap().stack =
        ["at org.junit.Assert.fail(Assert.java:86)", "\tat a.B.c(B.java:1)", "a.B.d(B.java:2)"]
            .map(str::to_owned)
            .to_vec();
    let text = check(&report, Style { verbose: true, ..STYLE });
    for line in ["  at org.junit.Assert.fail(", "  at a.B.c(", "  at a.B.d("] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("at at"), "{text}");
}

#[test]
fn new_tests_alone_are_no_reason_to_warn() {
    let mut report = plausible("with-test.diff");
    report.test_changes =
        serde_json::from_value(json!([{"path": "test/NewTest.java", "kind": "added"}])).unwrap();
    let text = check(&run([report]), STYLE);
    assert!(text.contains("adds tests") && !text.contains("WARNING"), "{text}");
}

/// The same report as people with another terminal see it.
fn styles() -> [(&'static str, Style); 3] {
    [("", STYLE), ("_narrow", Style { width: 60, ..STYLE }), ("_in_full", Style { verbose: true, ..STYLE })]
}

#[test]
fn a_refuted_patch_with_its_witness() {
    for (name, style) in styles() {
        insta::assert_snapshot!(format!("refuted{name}"), check(&run([refuted()]), style));
    }
}

#[test]
fn a_program_that_breaks_memory_with_a_hidden_bug() {
    for (name, style) in styles() {
        let mut report = run([faulty_program()]);
        report.subject.language = "c".to_owned();
        insta::assert_snapshot!(format!("faulty_program{name}"), check(&report, style));
    }
}

#[test]
fn an_unrefuted_patch_with_remarks() {
    for (name, style) in styles() {
        insta::assert_snapshot!(format!("unrefuted{name}"), check(&run([unrefuted()]), style));
    }
}

#[test]
fn a_patch_whose_change_was_not_exercised() {
    insta::assert_snapshot!(check(&run([not_exercised()]), STYLE));
}

#[test]
fn a_suspicious_patch() {
    let suspicious = patch(json!({
        "name": "suspicious.diff",
        "verdict": {"outcome": "suspicious", "summary": "passing tests behave much more differently than failing ones"},
        "evidence": [
            {"technique": "patch-sim", "strength": "heuristic", "summary": "distance 0.31, above 0.25"},
            {"technique": "opad", "strength": "remark", "summary": "12 inputs, no crash"},
        ],
    }));
    insta::assert_snapshot!(check(&run([suspicious]), STYLE));
}

#[test]
fn an_input_that_makes_a_patch_suspicious_is_shown() {
    let suspicious = patch(json!({
        "name": "suspicious.diff",
        "verdict": {"outcome": "suspicious", "summary": "agreement (assert): `result` is 365 in other patches"},
        "evidence": [{
            "technique": "agreement",
            "strength": "heuristic",
            "summary": "`result` is 365 in other patches, which agree (a.diff, b.diff), and 366 in the patched version",
            "exhibit": {
                "class": "assert",
                "input": ["int result = Gregorian.daysInYear(100);"],
                "what": "result",
                "expected": "365",
                "actual": "366",
                "buggy": "366",
            },
        }],
    }));
    insta::assert_snapshot!(check(&run([suspicious]), STYLE));
}

#[test]
fn what_patch_sim_measured() {
    for (name, style) in styles() {
        insta::assert_snapshot!(format!("similarity{name}"), check(&run([dissimilar()]), style));
    }
}

/// The lines about similarity, where these fields are different.
fn similarity_lines(fields: serde_json::Value, style: Style) -> String {
    let mut patch = dissimilar();
    patch.similarity = Some(serde_json::from_value(similarity(fields)).expect("a similarity"));
    let text = check(&run([patch]), style);
    let (_, lines) = text.split_once("  similarity ").unwrap_or_else(|| panic!("{text}"));
    lines.split_once("\nexit code").map_or(lines, |(lines, _)| lines).to_owned()
}

#[test]
fn each_condition_of_patch_sim_is_said() {
    let first = |fields| similarity_lines(fields, STYLE).lines().next().map(|line| line.trim().to_owned());
    let said = |text: &str| Some(format!("patch-sim: {text}"));
    assert_eq!(
        first(json!({"against": "failing-unchanged", "ap": 0.125, "af": 0.0004})),
        said("Ap 0.125, Af 4.0e-4: Ap >= Af, passing tests change as much as failing ones")
    );
    assert_eq!(
        first(json!({"against": null, "ap": 0.2})),
        said("Ap 0.200, Af 0.520: below Kp (0.250) and below Af, nothing against the patch")
    );
    assert_eq!(
        first(json!({"against": null, "ap": 0.2, "af": null})),
        said("Ap 0.200: below Kp (0.250), and there is no failing test to compare with")
    );
    assert_eq!(
        first(json!({"against": null, "ap": null})),
        said("Af 0.520: no passing test could be compared, so nothing can be said")
    );
    assert_eq!(
        first(json!({"against": null, "ap": null, "af": null, "tests": [], "set_aside": []})),
        said("no passing test could be compared, so nothing can be said")
    );
}

#[test]
fn no_test_is_named_where_none_decided() {
    let lines = similarity_lines(json!({"against": null, "ap": 0.2}), STYLE);
    assert!(!lines.contains("changes most") && lines.contains("7 tests ("), "{lines}");
    let bounded = json!([{"name": "T#t", "origin": "original", "class": "passing",
        "change_around": {"value": 0.0}, "shared": 1, "lost": 0, "change": {"value": 0.9, "at_most": true},
        "statements": [1, 1]}]);
    let lines = similarity_lines(json!({"tests": bounded}), STYLE);
    assert!(!lines.contains("T#t"), "a bound decides nothing: {lines}");
    let unchanged = json!({"against": "failing-unchanged", "ap": 0.0, "af": 0.0, "tests": []});
    let lines = similarity_lines(unchanged, STYLE);
    assert!(!lines.contains("changes most") && lines.contains("0 tests;"), "{lines}");
}

#[test]
fn a_long_table_of_tests_is_cut() {
    let tests: Vec<_> = (0..100)
        .map(|number| {
            json!({"name": format!("T#t{number}"), "origin": "original", "class": "passing",
                "change_around": {"value": 0.0}, "shared": 1, "lost": 0,
                "change": {"value": f64::from(number) / 100.0}, "statements": [1, 1]})
        })
        .collect();
    let lines = similarity_lines(json!({"tests": tests}), Style { verbose: true, ..STYLE });
    assert!(lines.contains("T#t99") && lines.contains("T#t60") && !lines.contains("T#t59"), "{lines}");
    assert!(lines.contains("… and 60 more tests (see report.json)"), "{lines}");
}

#[test]
fn the_way_to_replay_names_the_run_where_it_is_known() {
    let text = render_run(&run([refuted()]), &STYLE, Some("my runs/leap-year-1/"));
    assert!(text.contains("witness    my runs/leap-year-1/witnesses/overfit-1 ("), "{text}");
    assert!(text.contains("bonafix replay 'my runs/leap-year-1/witnesses/overfit-1'\n"), "{text}");
}

/// A refuted patch whose exhibit has these fields.
fn exhibited(input: &[&str], expected: &str, actual: &str) -> RunReport {
    let mut patch = refuted();
    let exhibit = patch.evidence[0].exhibit.as_mut().expect("a refuted patch has an exhibit");
    exhibit.input = input.iter().map(|line| (*line).to_owned()).collect();
    expected.clone_into(&mut exhibit.expected);
    actual.clone_into(&mut exhibit.actual);
    exhibit.buggy = None;
    run([patch])
}

#[test]
fn a_version_that_breaks_down_is_told_whatever_it_broke_down_of() {
    let mut report = exhibited(&["Leap.exit();"], "completes", "ends the process with exit code 3");
    let patch = &mut report.patches[0];
    patch.evidence[0].exhibit.as_mut().unwrap().class = DifferenceClass::Error;
    patch.verdict.summary.clone_from(&patch.evidence[0].summary);
    let text = check(&report, Style { width: 120, ..STYLE });
    assert!(text.contains("(error): the patched version breaks down, and the reference does not"), "{text}");
    assert!(text.contains("actual     ends the process with exit code 3"), "{text}");
}

#[test]
fn long_values_are_cut_where_they_begin_to_differ_and_shown_in_full_when_asked() {
    let same = "0123456789 ".repeat(90);
    let (expected, actual) = (format!("\"{same}ü end\""), format!("\"{same}ö other end\""));
    let report = exhibited(&["String result = Text.join();"], &expected, &actual);
    let narrow = Style { width: 60, ..STYLE };
    let text = check(&report, narrow);
    assert!(text.contains("ü end\" (9"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 60 || line.contains("LeapYear")), "{text}");
    assert!(text.lines().count() < 40, "{text}");
    let full = check(&report, Style { verbose: true, ..narrow });
    assert!(full.matches("0123456789").count() > 150, "{full}");
}

#[test]
fn values_of_several_lines_and_of_other_scripts_stay_readable() {
    let report = exhibited(
        &["String result = 折る(\"日本語 テキスト\", 3);"],
        "\"日本語\n テキスト\"",
        "\"日本\u{202e}語\"",
    );
    let text = check(&report, STYLE);
    let (_, shown) = text.split_once("折る").unwrap();
    let (shown, _) = shown.split_once("  witness").unwrap();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines,
        [
            "(\"日本語 テキスト\", 3);",
            "",
            "  compared   result",
            "  expected   \"日本語",
            "              テキスト\"",
            "  actual     \"日本\\u{202e}語\"",
        ]
    );
}

#[test]
fn a_long_input_is_cut_by_lines_and_a_long_line_by_characters() {
    let lines: Vec<String> = (0..50).map(|number| format!("int x{number} = {number};")).collect();
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let long = format!("String s = \"{}\";", "y".repeat(5000));
    lines[0] = &long;
    let text = check(&exhibited(&lines, "1", "2"), STYLE);
    assert!(text.contains("      int x29 = 29;\n") && !text.contains("x30"), "{text}");
    assert!(text.contains("      … and 20 more lines (see report.json)"), "{text}");
    assert!(text.contains("… (5014 characters)"), "{text}");
}

#[test]
fn several_proofs_each_have_their_input_and_no_more_than_a_few_are_shown() {
    let mut patch = refuted();
    for number in 2..=6 {
        let mut further = patch.evidence[0].clone();
        further.summary = format!("finding {number}");
        patch.evidence.push(further);
    }
    let text = check(&run([patch]), STYLE);
    assert_eq!(text.matches("years.isLeap(2100);").count(), 3, "{text}");
    assert!(text.contains("finding 3") && text.contains("… and 3 more"), "{text}");
}

#[test]
fn flaky_tests_notices_and_tests_that_were_set_aside() {
    let mut report = run([]);
    report.baseline = serde_json::from_value(json!({
        "tests": 312, "passed": 307, "skipped": 1, "repetitions": 3,
        "red": [
            {"id": "a.ATest#one", "outcome": "failed", "millis": 3, "failure": {"kind": "java.lang.AssertionError", "message": "expected:<1> but was:<2>\nsecond line\nthird line\nfourth line"}},
            {"id": "a.ATest#two", "outcome": "timed-out", "millis": 60000},
        ],
        "flaky": ["a.ClockTest#tick", "a.ClockTest#tock"],
        "red_on_reference": ["a.ATest#two"],
    })).unwrap();
    report.notices = serde_json::from_value(json!([
        {"key": "release-level", "text": "the sources ask for Java 5, and this JDK has 8 as its lowest level: they are compiled at level 8"},
        {"key": "sandbox-missing", "text": "the kernel has no Landlock: subject code can read all files of this user"},
    ]))
    .unwrap();
    insta::assert_snapshot!(check(&report, STYLE));
}

#[test]
fn long_lists_are_capped_and_shown_in_full_when_asked() {
    let tests = |n: usize| {
        let red: Vec<_> =
            (0..n).map(|i| json!({"id": format!("T#t{i}"), "outcome": "error", "millis": 1})).collect();
        let mut report = run([]);
        report.baseline = serde_json::from_value(json!({
            "tests": n, "passed": 0, "skipped": 0, "repetitions": 1, "red": red, "flaky": [], "red_on_reference": [],
        }))
        .unwrap();
        report
    };
    let text = check(&tests(25), STYLE);
    assert!(
        text.contains("T#t7 ") && !text.contains("T#t8 ") && text.contains("… and 17 more (see report.json)"),
        "{text}"
    );
    assert!(check(&tests(25), Style { verbose: true, ..STYLE }).contains("T#t24 "));
    assert!(check(&tests(9), STYLE).contains("T#t8 "), "one more line is as long as saying so");
}

#[test]
fn a_long_hunk_is_cut() {
    let details: Vec<String> = std::iter::once("@@ -1,50 +1,50 @@".to_owned())
        .chain((0..50).map(|i| format!("+line {i}")))
        .collect();
    let details: Vec<&str> = details.iter().map(String::as_str).collect();
    let text = check(&broken("does-not-build", "x", &details), STYLE);
    assert!(text.contains("… and 21 more lines (see report.json)"), "{text}");
}

#[test]
fn a_message_of_the_subject_cannot_move_the_cursor() {
    let mut patch = plausible("evil\u{1b}[2J.diff");
    patch.verdict.summary = "\u{1b}[31mall is well\u{202e}".to_owned();
    let text = check(&run([patch]), STYLE);
    assert!(text.contains(r"evil\u{1b}[2J.diff") && text.contains(r"\u{202e}"), "{text}");
}

#[test]
fn the_exit_code_in_words_is_the_last_line() {
    let last = |report: &RunReport| check(report, STYLE).lines().last().unwrap().to_owned();
    assert!(last(&run([plausible("a.diff")])).starts_with("exit code 4: "));
    assert!(last(&run([])).starts_with("exit code 0: there was no patch"));
    assert!(
        last(&run([plausible("a.diff"), plausible("b.diff")])).starts_with("exit code 0: the run completed")
    );
    assert!(last(&broken("no-tests", "x", &[])).starts_with("exit code 6: "));
}
