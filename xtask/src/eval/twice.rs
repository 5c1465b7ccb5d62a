//! Two reports of the same must be the same but for wall times and the folders they were made in.

use serde_json::Value;

/// Fields that hold wall times.
const TIMES: [&str; 2] = ["timings", "millis"];
/// How many differences are named.
const NAMED: usize = 8;

/// A report without what may differ: wall times, and the folder of the run.
pub(super) fn comparable(report: &Value, run: &str) -> Value {
    match report {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !TIMES.contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), comparable(value, run))).collect())
        }
        Value::Array(entries) => entries.iter().map(|entry| comparable(entry, run)).collect(),
        Value::String(text) => Value::String(text.replace(run, "RUN")),
        other => other.clone(),
    }
}

/// Where two reports differ, the first few places. None of them means that they are written with the same bytes.
pub(super) fn differences(left: &Value, right: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect("", left, right, &mut found);
    let written = [left, right].map(ToString::to_string);
    if found.is_empty() && written[0] != written[1] {
        found.push("the same fields in another order".to_owned());
    }
    found.truncate(NAMED);
    found
}

fn collect(path: &str, left: &Value, right: &Value, found: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            let only_right = b.keys().filter(|name| !a.contains_key(*name));
            for name in a.keys().chain(only_right) {
                collect(&format!("{path}/{name}"), &left[name], &right[name], found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (left, right)) in a.iter().zip(b).enumerate() {
                collect(&format!("{path}/{index}"), left, right, found);
            }
        }
        _ if left == right => {}
        _ => found.push(format!("{path}: {} and {}", short(left), short(right))),
    }
}

fn short(value: &Value) -> String {
    crate::table::shorten(&value.to_string(), 160)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_and_folders_may_differ_and_nothing_else() {
        let report = |millis: u64, run: &str, inputs: u64| {
            json!({"timings": {"a": millis}, "patches": [{
                "broken": [{"id": "T#t", "millis": millis}], "notices": [{"text": format!("see {run}/x.log")}],
                "efforts": [{"inputs": inputs}],
            }]})
        };
        let left = comparable(&report(1, "runs/one", 5), "runs/one");
        assert_eq!(differences(&left, &comparable(&report(2, "runs/two", 5), "runs/two")), [""; 0]);
        let other = comparable(&report(2, "runs/two", 6), "runs/two");
        assert_eq!(differences(&left, &other), ["/patches/0/efforts/0/inputs: 5 and 6"]);
    }

    #[test]
    fn a_missing_field_a_longer_list_and_another_order_are_seen() {
        assert_eq!(differences(&json!({"a": 1}), &json!({})), ["/a: 1 and null"]);
        assert_eq!(differences(&json!({}), &json!({"b": [1]})), ["/b: null and [1]"]);
        assert_eq!(differences(&json!([1]), &json!([1, 2])), [": [1] and [1,2]"]);
        assert_eq!(differences(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})).len(), 1);
    }
}
