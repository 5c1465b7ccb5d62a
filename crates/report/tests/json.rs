//! The report for programs: what is written reads back, and is what the schemas say.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod samples;

use bonafix_model::{Outcome, PatchReport, RunReport};
use bonafix_report::{json, table, without_timings};
use samples::{
    broken, dissimilar, faulty_program, invalid, not_exercised, plausible, ranked, refuted, run, unrefuted,
};
use serde_json::Value;

fn reports() -> Vec<RunReport> {
    vec![
        run([]),
        run([plausible("a.diff")]),
        run([refuted(), faulty_program(), unrefuted(), not_exercised(), dissimilar()]),
        run(invalid()),
        ranked(),
        broken("no-tests", "no tests", &["way out"]),
    ]
}

#[test]
fn a_report_reads_back_as_it_was() {
    for report in reports() {
        assert_eq!(serde_json::from_str::<RunReport>(&json::render(&report)).unwrap(), report);
    }
}

#[test]
fn a_report_of_one_patch() {
    insta::assert_snapshot!(json::render(&run([plausible("patches/correct.diff")])));
}

#[test]
fn every_report_is_what_the_schema_says() {
    let schema = json::schema();
    for report in reports() {
        let value: Value = serde_json::from_str(&json::render(&report)).unwrap();
        conforms(&schema, &schema, &value).unwrap();
    }
    let mut wrong: Value = serde_json::from_str(&json::render(&run([plausible("a")]))).unwrap();
    wrong["patches"][0]["verdict"]["outcome"] = Value::from("splendid");
    assert!(conforms(&schema, &schema, &wrong).is_err(), "the check itself must be able to fail");
}

/// As much of JSON Schema as our schemas use; a keyword that it does not know is an error.
fn conforms(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Ok(()) };
    for (keyword, wanted) in keywords {
        let holds = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "minimum" | "format" | "minItems"
            | "maxItems" => true,
            "$ref" => conforms(root, root.pointer(&wanted.as_str().unwrap()[1..]).unwrap(), value).is_ok(),
            "const" => wanted == value,
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|wanted| has_type(wanted, value)),
                wanted => has_type(wanted, value),
            },
            "required" => {
                wanted.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "anyOf" | "oneOf" => {
                wanted.as_array().unwrap().iter().any(|wanted| conforms(root, wanted, value).is_ok())
            }
            "properties" => {
                for (name, wanted) in wanted.as_object().unwrap() {
                    value.get(name).map_or(Ok(()), |value| conforms(root, wanted, value))?;
                }
                true
            }
            "additionalProperties" => {
                value.as_object().unwrap().values().try_for_each(|value| conforms(root, wanted, value))?;
                true
            }
            "items" => {
                value.as_array().unwrap().iter().try_for_each(|value| conforms(root, wanted, value))?;
                true
            }
            "prefixItems" => {
                let mut pairs = wanted.as_array().unwrap().iter().zip(value.as_array().unwrap());
                pairs.try_for_each(|(wanted, value)| conforms(root, wanted, value))?;
                true
            }
            other => return Err(format!("unknown keyword {other}")),
        };
        if !holds {
            return Err(format!("{value} breaks {keyword}: {wanted}"));
        }
    }
    Ok(())
}

fn has_type(wanted: &Value, value: &Value) -> bool {
    match wanted.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    }
}

#[test]
fn the_schemas_in_docs_are_those_of_the_types() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");
    let schemas = [
        ("report.schema.json", json::schema()),
        ("bonafix.toml.schema.json", json::project_schema()),
        ("case.toml.schema.json", json::case_schema()),
    ];
    for (name, schema) in schemas {
        let path = format!("{folder}/{name}");
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            fs_err::create_dir_all(folder).unwrap();
            fs_err::write(&path, serde_json::to_string_pretty(&schema).unwrap() + "\n").unwrap();
        }
        let found = fs_err::read_to_string(&path).unwrap_or_default();
        assert!(
            serde_json::from_str::<Value>(&found).is_ok_and(|found| found == schema),
            "docs/schema/{name} is not the schema of the types: run `UPDATE_SCHEMAS=1 cargo test -p bonafix-report`"
        );
    }
}

#[test]
fn the_example_in_the_documents_is_what_bonafix_writes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
    let page = fs_err::read_to_string(path).unwrap();
    let (before, rest) = page.split_once("```json\n").unwrap();
    let (example, after) = rest.split_once("```").unwrap();
    let wanted = json::render(&run([plausible("patches/correct.diff")]));
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        fs_err::write(path, format!("{before}```json\n{wanted}```{after}")).unwrap();
    } else {
        assert!(
            example == wanted,
            "the example in docs/json.md is out of date: run `UPDATE_SCHEMAS=1 cargo test -p bonafix-report`"
        );
    }
}

#[test]
fn the_example_of_a_refuted_patch_is_one_of_the_types() {
    let page = fs_err::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md")).unwrap();
    let example = page.split("```json\n").nth(2).and_then(|rest| rest.split("```").next()).unwrap();
    let mut patch: Value = serde_json::from_str(example).unwrap();
    patch["delta"] = serde_json::json!({"files": []});
    let read: PatchReport = serde_json::from_value(patch.clone()).unwrap();
    assert_eq!(read.verdict.outcome, Outcome::Refuted);
    // Every field is known: what is written of it is what stands there.
    assert_eq!(serde_json::to_value(&read).unwrap(), patch);
}

#[test]
fn two_runs_differ_in_their_timings_alone() {
    let report = run(invalid());
    let mut slower = report.clone();
    slower.timings.0.insert("baseline".to_owned(), 9999);
    slower.patches[0].timings.0.insert("apply".to_owned(), 9999);
    slower.baseline.as_mut().unwrap().red[0].millis = 9999;
    slower.patches[4].plausibility.as_mut().unwrap().broken[0].millis = 9999;
    assert_ne!(report, slower);
    assert_eq!(without_timings(&report), without_timings(&slower));
    slower.patches[0].verdict.summary.push('!');
    assert_ne!(without_timings(&report), without_timings(&slower));
}

#[test]
fn a_table_over_several_cases() {
    let (first, second) = (run([plausible("correct.diff"), refuted()]), broken("no-tests", "x", &[]));
    insta::assert_snapshot!(table::outcomes([("leap-year", &first), ("empty", &second)]), @"
    case       patch                 outcome                    fixed tests  changed  time
    ---------  --------------------  -------------------------  -----------  -------  -----
    leap-year  correct.diff          inconclusive: not-judged             1        2  2.2 s
    leap-year  patches/overfit.diff  refuted: assert                      1        2  4.7 s
    empty      -                     baseline broken: no-tests  -            -        -
    ");
}
