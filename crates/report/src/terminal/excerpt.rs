//! Long values, cut so that what matters stays: the place where they begin to differ.

/// How much is shown of what is the same before the first difference.
const CONTEXT: usize = 30;

/// The beginning of a text, with what is left out.
pub(super) fn beginning(text: &str, limit: usize) -> String {
    window(text, 0, limit)
}

/// The same stretch of each value, around the first place where two of them differ.
pub(super) fn around_difference(values: &[&str], limit: usize) -> Vec<String> {
    let longest = values.iter().map(|value| value.chars().count()).max().unwrap_or(0);
    let start = if longest <= limit { 0 } else { common_prefix(values).saturating_sub(CONTEXT) };
    values.iter().map(|value| window(value, start, limit)).collect()
}

/// How many characters the first two have in common at the beginning: these are the ones that must not be alike.
fn common_prefix(values: &[&str]) -> usize {
    match values {
        [first, second, ..] => first.chars().zip(second.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    }
}

/// `limit` characters from `start` on. A few more are shown rather than said to be missing.
fn window(text: &str, start: usize, limit: usize) -> String {
    let length = text.chars().count();
    let start = if start >= length || start <= CONTEXT { 0 } else { start };
    if start == 0 && length <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(start).take(limit).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + limit < length { "…" } else { "" };
    format!("{before}{kept}{after} ({length} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_stay_as_they_are() {
        assert_eq!(around_difference(&["true", "false"], 10), ["true", "false"]);
        assert_eq!(beginning("é".repeat(10).as_str(), 10), "é".repeat(10));
    }

    #[test]
    fn long_values_are_shown_where_they_begin_to_differ() {
        let (left, right) = (format!("{}left", "x".repeat(500)), format!("{}right", "x".repeat(500)));
        let shown = around_difference(&[&left, &right, "short"], 40);
        assert_eq!(shown[0], format!("…{}left (504 characters)", "x".repeat(30)));
        assert_eq!(shown[1], format!("…{}right (505 characters)", "x".repeat(30)));
        assert_eq!(shown[2], "short");
    }

    #[test]
    fn a_value_that_is_the_beginning_of_another_is_shown_to_its_end() {
        let (short, long) = ("é".repeat(100), "é".repeat(300));
        let shown = around_difference(&[&short, &long], 50);
        assert_eq!(shown[0], format!("…{} (100 characters)", "é".repeat(30)));
        assert_eq!(shown[1], format!("…{}… (300 characters)", "é".repeat(50)));
    }
}
