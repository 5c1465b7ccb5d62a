//! What was found: the input as code, what each version makes of it, and how to see it again.

use bonafix_model::{DifferenceClass, Evidence, Exhibit, Strength, Witness};

use super::canvas::{Canvas, Ink, more};
use super::excerpt;

/// How many findings of a kind are shown.
const SHOWN: usize = 3;
/// How many lines of an input are shown.
const INPUT_LINES: usize = 30;
/// How many characters of a line of code are shown.
const CODE_LENGTH: usize = 300;
/// The technique whose findings are crashes and errors of memory.
const FAULT_FINDER: &str = "opad";
/// How many characters of a value are shown.
const VALUE_LENGTH: usize = 240;

/// Draws what refutes a patch; `said` is what stands above it already.
pub(super) fn draw_proofs(canvas: &mut Canvas, all: &[Evidence], said: &str) {
    let proofs: Vec<&Evidence> = of(all, Strength::Proof).collect();
    some(canvas, &proofs, |canvas, proof| {
        let summary = if said.contains(&proof.summary) { None } else { Some(proof.summary.as_str()) };
        draw_finding(canvas, Ink::Bad, proof, summary);
        if let Some(exhibit) = &proof.exhibit {
            draw_exhibit(canvas, exhibit, "expected");
        }
        if let Some(witness) = &proof.witness {
            draw_witness(canvas, witness);
        }
        canvas.gap();
    });
}

/// Draws what speaks against a patch without refuting it, and what was seen and counts for nothing.
pub(super) fn draw_hints(canvas: &mut Canvas, all: &[Evidence]) {
    // Nobody has said that what a heuristic expects is right.
    let kinds = [(Strength::Heuristic, Ink::Warn, "right?"), (Strength::Remark, Ink::Plain, "expected")];
    for (strength, ink, right) in kinds {
        let hints: Vec<&Evidence> = of(all, strength).collect();
        some(canvas, &hints, |canvas, hint| {
            draw_finding(canvas, ink, hint, Some(&hint.summary));
            let shown = strength == Strength::Heuristic || canvas.style.verbose;
            if let Some(exhibit) = hint.exhibit.as_ref().filter(|_| shown) {
                draw_exhibit(canvas, exhibit, right);
                if let Some(witness) = &hint.witness {
                    draw_witness(canvas, witness);
                }
                canvas.gap();
            }
        });
    }
}

fn of(all: &[Evidence], strength: Strength) -> impl Iterator<Item = &Evidence> {
    all.iter().filter(move |evidence| evidence.strength == strength)
}

/// Draws the first findings of a kind, and how many more there are.
fn some(canvas: &mut Canvas, findings: &[&Evidence], draw: impl Fn(&mut Canvas, &Evidence)) {
    let shown = if canvas.style.verbose || findings.len() == SHOWN + 1 { findings.len() } else { SHOWN };
    for finding in findings.iter().take(shown) {
        draw(canvas, finding);
    }
    if findings.len() > shown {
        canvas.below(Ink::Dim, &more(findings.len() - shown, ""));
    }
}

/// `rgt (assert): two values differ`, `rgt (null-argument): …`.
fn draw_finding(canvas: &mut Canvas, ink: Ink, finding: &Evidence, summary: Option<&str>) {
    let class = finding.exhibit.as_ref().map(|exhibit| exhibit.class);
    let key = finding.reason.as_deref().or(class.map(DifferenceClass::name));
    let key = key.map(|key| format!(" ({key})")).unwrap_or_default();
    let text = summary.or(class.map(|class| words(&finding.technique, class))).unwrap_or("see the witness");
    canvas.field(&super::key(finding.strength), ink, &format!("{}{key}: {text}", finding.technique));
}

/// A class of difference in words.
fn words(technique: &str, class: DifferenceClass) -> &'static str {
    match class {
        DifferenceClass::Error if technique == FAULT_FINDER => "a crash or an error of memory that is new",
        DifferenceClass::Assert => "the values differ",
        DifferenceClass::Exc1 => "the reference fails, and the patched version does not",
        DifferenceClass::Exc2 => "the patched version fails, and the reference does not",
        DifferenceClass::ExcType => "both fail, and not in the same way",
        DifferenceClass::ExcLoc => "both fail in the same way, in different functions",
        DifferenceClass::Timeout => "the patched version does not come to an end",
        DifferenceClass::Error => "the patched version breaks down, and the reference does not",
    }
}

fn draw_exhibit(canvas: &mut Canvas, exhibit: &Exhibit, right: &str) {
    draw_input(canvas, &exhibit.input);
    if !exhibit.what.is_empty() {
        canvas.field("compared", Ink::Plain, &exhibit.what);
    }
    let values: Vec<&str> =
        [&exhibit.expected, &exhibit.actual].into_iter().chain(&exhibit.buggy).map(String::as_str).collect();
    let shown = if canvas.style.verbose {
        values.iter().map(|value| (*value).to_owned()).collect()
    } else {
        excerpt::around_difference(&values, VALUE_LENGTH)
    };
    let labels = [(right, Ink::Good), ("actual", Ink::Bad), ("buggy", Ink::Plain)];
    for ((label, ink), value) in labels.into_iter().zip(shown) {
        canvas.field(label, ink, if value.is_empty() { "(nothing)" } else { &value });
    }
}

/// The input as it could stand in a file, set off from the words around it.
fn draw_input(canvas: &mut Canvas, input: &[String]) {
    if input.is_empty() {
        return;
    }
    let lines: Vec<&str> = input.iter().flat_map(|statement| statement.lines()).collect();
    let shown =
        if canvas.style.verbose || lines.len() == INPUT_LINES + 1 { lines.len() } else { INPUT_LINES };
    canvas.gap();
    for line in lines.iter().take(shown) {
        let whole = canvas.style.verbose;
        canvas.code(&if whole { (*line).to_owned() } else { excerpt::beginning(line, CODE_LENGTH) });
    }
    if lines.len() > shown {
        canvas.code(&more(lines.len() - shown, "lines"));
    }
    canvas.gap();
}

fn draw_witness(canvas: &mut Canvas, witness: &Witness) {
    let replays = format!("replayed {} of {} times", witness.confirmed, witness.replays);
    let folder = canvas.place(witness.folder.as_str());
    canvas.field("witness", Ink::Plain, &format!("{folder} ({}, {replays})", witness.oracle));
    canvas.command("replay", &format!("bonafix replay {}", quoted(&folder)));
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_can_be_given_to_a_shell() {
        assert_eq!(quoted("target/bonafix/leap-year-1/witness-1"), "target/bonafix/leap-year-1/witness-1");
        assert_eq!(quoted("my runs/it's"), r"'my runs/it'\''s'");
    }
}
