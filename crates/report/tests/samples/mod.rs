//! Reports to render. Made from JSON, so that a new optional field of the model changes nothing here.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use bonafix_model::{PatchReport, RunReport};
use serde_json::{Value, json};

/// Fields of `over` on top of those of `base`.
fn merged(mut base: Value, over: Value) -> Value {
    if let Value::Object(over) = over {
        base.as_object_mut().unwrap().extend(over);
    }
    base
}

/// A patch that applies, builds and passes the tests, with other fields on top.
pub(crate) fn patch(fields: Value) -> PatchReport {
    let plausible = json!({
        "name": "a.diff",
        "digest": "0123",
        "verdict": {
            "outcome": "inconclusive",
            "inconclusive": "not-judged",
            "summary": "the patch is plausible: it fixes 1 test and breaks none; no technique has judged it",
        },
        "apply_notes": ["hunk 1 of src/demo/LeapYear.java fits 2 lines further down"],
        "delta": {"files": [{
            "path": "src/demo/LeapYear.java",
            "change": "changed",
            "alignment": {"runs": [[1, 1, 7], [9, 9, 10]]},
            "elements": [
                {
                    "kind": "method", "change": "changed", "name": "demo.LeapYear#isLeap(int)", "owner": "demo.LeapYear",
                    "member": "isLeap", "parameters": ["int"], "before": {"first": 7, "last": 9},
                    "after": {"first": 7, "last": 9}, "signature_changed": false,
                    "statements_before": [{"kind": "return_statement", "lines": {"first": 8, "last": 8}, "text": "return year % 4 == 0;"}],
                    "statements_after": [{"kind": "return_statement", "lines": {"first": 8, "last": 8}, "text": "return year % 4 == 0 && year % 100 != 0 || year % 400 == 0;"}],
                },
                {
                    "kind": "field", "change": "added", "name": "demo.LeapYear#CENTURY", "owner": "demo.LeapYear",
                    "member": "CENTURY", "after": {"first": 5, "last": 5}, "signature_changed": true,
                },
            ],
        }]},
        "plausibility": {
            "tests": 5, "passed": 5,
            "fixed": [{"id": "demo.LeapYearTest#century", "outcome": "failed", "origin": "original", "declared": true}],
            "still_failing": [], "broken": [], "flaky": [],
        },
        "timings": {"apply": 3, "build-patched": 412, "plausibility": 1830},
    });
    serde_json::from_value(merged(plausible, fields)).unwrap()
}

/// A plausible patch of that name.
pub(crate) fn plausible(name: &str) -> PatchReport {
    patch(json!({"name": name}))
}

/// One patch for each reason to be invalid, named after it.
pub(crate) fn invalid() -> Vec<PatchReport> {
    let invalid = |reason: &str, summary: &str, details: Value, fields: Value| {
        let verdict =
            json!({"outcome": "invalid", "invalid": reason, "summary": summary, "details": details});
        let base = json!({"name": format!("{reason}.diff"), "verdict": verdict, "apply_notes": [], "plausibility": null, "timings": {}});
        patch(merged(base, fields))
    };
    let nothing = json!({"files": []});
    vec![
        invalid(
            "does-not-apply",
            "hunk 1 of 2 has no place in src/demo/LeapYear.java",
            json!([
                "a.diff:5: hunk 1 of 2 does not apply to src/demo/LeapYear.java: line 8 differs",
                "best place: line 8, where the file has `return year % 4 == 0;`",
                "@@ -7,3 +7,3 @@\n     public static boolean isLeap(int year) {\n-        return year % 5 == 0;\n+        return year % 4 == 0 && year % 100 != 0;\n     }",
            ]),
            json!({"delta": nothing}),
        ),
        invalid(
            "does-not-build",
            "the patched version does not compile: 2 errors",
            json!([
                "src/demo/LeapYear.java:8: cannot find symbol\n  symbol:   variable yaer\n  location: class demo.LeapYear",
                "src/demo/LeapYear.java:9: ';' expected"
            ]),
            json!({}),
        ),
        invalid(
            "breaks-test-build",
            "the original tests do not compile against the patched version",
            json!(["test/demo/LeapYearTest.java:12: incompatible types: int cannot be converted to long"]),
            json!({}),
        ),
        invalid(
            "bug-still-shows",
            "the bug still shows: 1 test that is red on the buggy version is not green",
            json!(["demo.LeapYearTest#century: failed"]),
            json!({"plausibility": {
                "tests": 1, "passed": 0, "fixed": [],
                "still_failing": [{"id": "demo.LeapYearTest#century", "outcome": "failed"}], "broken": [], "flaky": [],
            }}),
        ),
        invalid(
            "breaks-tests",
            "it breaks 2 tests that pass on the buggy version",
            json!(["demo.LeapYearTest#ordinary: failed (java.lang.AssertionError: expected true)"]),
            json!({"plausibility": {
                "tests": 5, "passed": 3,
                "fixed": [{"id": "demo.LeapYearTest#century", "outcome": "failed", "origin": "patch", "declared": false}],
                "still_failing": [{"id": "demo.LeapYearTest#unrelated", "outcome": "skipped"}],
                "broken": [
                    {"id": "demo.LeapYearTest#ordinary", "outcome": "failed", "millis": 4, "failure": {
                        "kind": "java.lang.AssertionError", "message": "expected true\nfor 2024", "stack": ["demo.LeapYearTest.ordinary(LeapYearTest.java:20)"],
                    }},
                    {"id": "demo.LeapYearTest#loop", "outcome": "timed-out", "millis": 10000},
                ],
                "flaky": ["demo.LeapYearTest#sometimes"],
            }}),
        ),
        invalid(
            "only-tests",
            "it changes only tests, so the program is as it was",
            json!([]),
            json!({"delta": nothing, "test_changes": [{"path": "test/demo/LeapYearTest.java", "kind": "changed"}]}),
        ),
    ]
}

/// What a search tried, with other fields on top.
fn effort(fields: Value) -> Value {
    let effort = json!({
        "technique": "rgt", "inputs": 4120, "reached": 3980, "seeds": 52, "kept": 0, "branches": 12, "branches_taken": 11,
        "differing": 0, "broke_down": 0, "seed": 1, "budget": "60 s", "ended": "budget",
    });
    merged(effort, fields)
}

/// A patch that a replayed input shows wrong.
pub(crate) fn refuted() -> PatchReport {
    patch(json!({
        "name": "patches/overfit.diff",
        "verdict": {"outcome": "refuted", "summary": "rgt (assert): isLeap(2100) gives true, and the reference gives false"},
        "evidence": [{
            "technique": "rgt", "strength": "proof", "summary": "isLeap(2100) gives true, and the reference gives false",
            "exhibit": {
                "class": "assert",
                "input": ["demo.LeapYear years = new demo.LeapYear();", "boolean result = years.isLeap(2100);"],
                "what": "result", "expected": "false", "actual": "true", "buggy": "true",
            },
            "witness": {"folder": "witnesses/overfit-1", "oracle": "the reference", "replays": 3, "confirmed": 3},
        }],
        "efforts": [effort(json!({"inputs": 312, "reached": 300, "differing": 3, "ended": "found"}))],
        "apply_notes": [],
        "timings": {"apply": 3, "build-patched": 412, "plausibility": 1830, "judge": 2500, "first-input": 900},
    }))
}

/// A patch of a C program that breaks memory, and uncovers a fault that was there before.
pub(crate) fn faulty_program() -> PatchReport {
    patch(json!({
        "name": "patches/overfit-fixed-buffer.diff",
        "verdict": {
            "outcome": "refuted",
            "summary": "opad (error): heap-buffer-overflow in copy (queue.c:31): the reference has no fault on this input",
        },
        "evidence": [
            {
                "technique": "opad", "strength": "proof",
                "summary": "heap-buffer-overflow in copy (queue.c:31): the reference has no fault on this input",
                "exhibit": {
                    "class": "error", "input": ["push \\xff\\x00a", "(no newline at the end)"],
                    "what": "crashes and errors of memory", "expected": "none",
                    "actual": "heap-buffer-overflow in copy (queue.c:31)", "buggy": "none",
                },
                "witness": {"folder": "witnesses/fixed-opad/witness-1", "oracle": "memory error", "replays": 10, "confirmed": 10},
            },
            {
                "technique": "opad", "strength": "remark", "reason": "hidden-bug",
                "summary": "signed-integer-overflow in total (sum.c:9): the patch uncovers it, and has not made it",
                "exhibit": {
                    "class": "error", "input": ["add 2147483647", "add 1"], "what": "crashes and errors of memory",
                    "expected": "none", "actual": "signed-integer-overflow in total (sum.c:9)", "buggy": "none",
                },
            },
            {
                "technique": "rgt", "strength": "remark", "reason": "standard-error",
                "summary": "line 1 of standard error is \"empty\" in the reference and \"no jobs\" in the patched version",
                "exhibit": {
                    "class": "assert", "input": ["pop"], "what": "line 1 of standard error", "expected": "\"empty\"",
                    "actual": "\"no jobs\"",
                },
            },
        ],
        "delta": {"files": []},
        "efforts": [
            effort(json!({"inputs": 600, "reached": 600, "differing": 4, "ended": "found"})),
            effort(json!({"technique": "opad", "inputs": 600, "reached": 600, "ended": "found"})),
        ],
        "apply_notes": [],
    }))
}

/// A patch against which nothing was found, with differences that do not count.
pub(crate) fn unrefuted() -> PatchReport {
    let remark = |number: usize| {
        json!({
            "technique": "rgt", "strength": "remark", "reason": "null-argument",
            "summary": format!("parse{number}(null) throws NullPointerException, and the reference returns null; no caller passes null"),
            "exhibit": {
                "class": "exc2", "input": [format!("String result = demo.LeapYear.parse{number}(null);")], "what": "result",
                "expected": "null", "actual": "throws java.lang.NullPointerException",
            },
        })
    };
    let discarded = json!([
        {"reason": "exception-message", "inputs": 9, "example": "isLeap(-1): `negative: -1` and `no such year: -1`"},
        {"reason": "null-argument", "inputs": 5, "example": "parse0(null)"},
    ]);
    patch(json!({
        "name": "patches/correct.diff",
        "verdict": {"outcome": "unrefuted", "summary": "3980 inputs exercised the change, and none that counts differs from the reference"},
        "evidence": (0..5).map(remark).collect::<Vec<_>>(),
        "efforts": [effort(json!({"kept": 7, "differing": 14, "broke_down": 1, "discarded": discarded}))],
        "apply_notes": [],
    }))
}

/// A patch whose change no input reached.
pub(crate) fn not_exercised() -> PatchReport {
    patch(json!({
        "name": "patches/hidden.diff",
        "verdict": {
            "outcome": "inconclusive", "inconclusive": "not-exercised",
            "summary": "none of 20000 inputs reached the change",
        },
        "efforts": [effort(json!({
            "inputs": 20000, "reached": 0, "seeds": 4, "branches": 6, "branches_taken": 0, "budget": "20000 inputs",
        }))],
        "apply_notes": [],
    }))
}

/// What PATCH-SIM measured for a patch that changes what passing tests do, with other fields on top.
pub(crate) fn similarity(fields: Value) -> Value {
    let original = |name: &str, class: &str, change: f64, statements: [u64; 2]| {
        json!({"name": format!("demo.LeapYearTest#{name}"), "origin": "original", "class": class,
            "change_around": {"value": 0.0}, "shared": statements[0], "lost": 0, "change": {"value": change},
            "statements": statements})
    };
    let generated = |number: usize, class: &str, near: [f64; 2], change: Value| {
        json!({"name": format!("{number}: isLeap(int)"), "origin": "generated", "class": class,
            "to_passing": {"value": near[0]}, "to_failing": {"value": near[1], "at_most": number == 3},
            "change_around": {"value": 0.0}, "shared": 12, "lost": 0, "change": change, "statements": [12, 14]})
    };
    let similarity = json!({
        "kt": 0.4, "kp": 0.25, "ap": 0.3125, "af": 0.52, "against": "passing-changed", "semantic_distance": 0.2,
        "tests": [
            original("ordinary", "passing", 0.000_002, [1_200_000, 1_200_003]),
            original("century", "failing", 0.52, [9, 12]),
            original("odd", "passing", 0.0, [7, 7]),
            generated(1, "passing", [0.1, 0.4], json!({"value": 0.25})),
            generated(2, "passing", [0.1, 0.4], json!({"value": 0.3125})),
            generated(3, "failing", [0.4, 0.125], json!({"value": 0.9, "at_most": true})),
            generated(4, "discarded", [0.4, 0.4], json!({"value": 0.1})),
        ],
        "set_aside": [
            {"name": "demo.LeapYearTest#clock", "reason": "not the same twice"},
            {"name": "5: isLeap(int)", "reason": "did not come to an end"},
            {"name": "6: isLeap(int)", "reason": "not the same twice"},
        ],
    });
    merged(similarity, fields)
}

/// A patch against which only its similarity speaks.
pub(crate) fn dissimilar() -> PatchReport {
    patch(json!({
        "name": "patches/dissimilar.diff",
        "verdict": {"outcome": "suspicious", "summary": "patch-sim: a passing test behaves too differently"},
        "evidence": [{"technique": "patch-sim", "strength": "heuristic", "summary": "a passing test behaves too differently"}],
        "similarity": similarity(json!({})),
        "apply_notes": [],
    }))
}

/// A run over these patches.
pub(crate) fn run(patches: impl IntoIterator<Item = PatchReport>) -> RunReport {
    let report = json!({
        "format": 1,
        "bonafix": "0.1.0",
        "subject": {
            "name": "leap-year", "language": "java", "build_system": "maven",
            "facts": {"modules": "1", "level": "8", "tests": "JUnit 4"},
        },
        "baseline": {
            "tests": 5, "passed": 4, "skipped": 0, "repetitions": 2, "flaky": [], "red_on_reference": [],
            "red": [{"id": "demo.LeapYearTest#century", "outcome": "failed", "millis": 2, "failure": {
                "kind": "java.lang.AssertionError", "message": "1900 is no leap year expected:<false> but was:<true>",
                "stack": ["demo.LeapYearTest.century(LeapYearTest.java:14)"],
            }}],
        },
        "patches": [],
        "timings": {"build-buggy": 2100, "baseline": 3200},
    });
    let mut report: RunReport = serde_json::from_value(report).unwrap();
    report.patches = patches.into_iter().collect();
    report
}

/// A run over several patches, which says in which order to read them.
pub(crate) fn ranked() -> RunReport {
    let mut report =
        run([plausible("patches/correct.diff"), unrefuted_as("patches/other.diff"), dissimilar()]);
    let ranking = json!({
        "rows": [
            {"name": "patches/other.diff", "patch": 2, "place": 1, "suspicion": 0.0004, "semantic_distance": 0.125, "syntactic_distance": {"nodes": 6}, "cluster": 1},
            {"name": "patches/correct.diff", "patch": 1, "place": 2, "suspicion": 0.0, "syntactic_distance": {"nodes": 21, "at_most": true}, "cluster": 1},
            {"name": "patches/dissimilar.diff", "patch": 3, "place": 3, "suspicion": 0.556, "semantic_distance": 0.2},
        ],
        "clusters": [{"number": 1, "patches": ["patches/other.diff", "patches/correct.diff"], "numbers": [2, 1]}],
        "telling": [{
            "clusters": [1, 2],
            "input": ["boolean result = Gregorian.isLeapYear(1800);"],
            "what": "result",
            "answers": ["false", "true"],
            "test": "questions/clusters-1-2/calendar/GregorianQuestionTest.java"
        }],
        "random_pick": {"patches": 3, "confidence": 0.85, "readings": [
            {"correct": 1, "read": 3}, {"correct": 2, "read": 2}, {"correct": 3, "read": 1}, {"correct": 4, "read": 1},
        ]},
    });
    report.ranking = Some(serde_json::from_value(ranking).unwrap());
    report
}

fn unrefuted_as(name: &str) -> PatchReport {
    PatchReport { name: name.to_owned(), evidence: Vec::new(), ..unrefuted() }
}

/// A run whose baseline is broken.
pub(crate) fn broken(key: &str, summary: &str, details: &[&str]) -> RunReport {
    let mut report = run([]);
    if key != "reference-broken" {
        report.baseline = None;
    }
    report.broken =
        serde_json::from_value(json!({"key": key, "summary": summary, "details": details})).unwrap();
    report
}
