//! An input on which two versions differ, as a test that asks which of them is right.

use bonafix_lang::{QuestionDraft, WitnessDraft, WitnessError};
use bonafix_model::{Difference, DifferenceClass, DifferenceKind};

use super::{Method, Plan, TestSource, comment_text, not_expressible, outcomes};
use crate::witness::{Care, Framework};

/// Writes the question: one answer as an assertion, the other as a comment.
pub(in crate::witness) fn ask(
    question: &QuestionDraft<'_>,
    framework: Framework,
    care: Care,
) -> Result<TestSource, WitnessError> {
    let draft = &question.difference;
    let difference = draft.difference.map(mirrored);
    let mirror = WitnessDraft {
        class: mirrored_class(draft.class),
        difference: difference.as_ref(),
        reference: draft.patched,
        patched: draft.reference,
        ..*draft
    };
    let plan = Plan::new(draft, "QuestionTest", framework, care)?;
    let told = outcomes(draft);
    plan.write(|names, methods| {
        let answer = |draft, side: &str, told: &str| Answer {
            method: plan.composer(draft, names, methods, true).method(),
            side: comment_text(side),
            told: comment_text(told),
        };
        let answers = [answer(draft, question.sides.0, &told.0), answer(&mirror, question.sides.1, &told.1)];
        let method = both(&answers)?;
        let text =
            plan.composer(draft, names, methods, true).class_text(&plan.simple, &comment(&answers), &method);
        Ok((text, method))
    })
}

/// What one version does.
struct Answer {
    method: Result<Method, WitnessError>,
    side: String,
    /// In words.
    told: String,
}

impl Answer {
    /// What stands behind the lines that both have.
    fn lines(&self, common: usize) -> Vec<String> {
        match &self.method {
            Ok(method) => method.check[common..].to_vec(),
            Err(_) => Vec::new(),
        }
    }
}

/// The test method with both answers, of which the first that can be written is asserted.
fn both(answers: &[Answer; 2]) -> Result<Method, WitnessError> {
    let methods = answers.each_ref().map(|answer| answer.method.as_ref());
    let (active, common) = match methods {
        [Ok(one), Ok(other)] => (0, in_common(&one.check, &other.check)),
        [Ok(one), Err(_)] => (0, in_common(&one.check, &one.input)),
        [Err(_), Ok(other)] => (1, in_common(&other.check, &other.input)),
        [Err(error), Err(_)] => return not_expressible(error.to_string()),
    };
    let (asserted, other) = (&answers[active], &answers[1 - active]);
    let Ok(method) = &asserted.method else { return not_expressible("neither answer can be written") };
    let (answer, alternative) = (asserted.lines(common), other.lines(common));
    if answer.is_empty() || answer == alternative {
        return not_expressible("both answers look the same");
    }
    let mut check = method.check[..common].to_vec();
    check.push("// Which of these is right?".to_owned());
    check.push(format!("// {}:", asserted.side));
    check.extend(answer);
    if alternative.is_empty() {
        check.push(format!("// {}: {}", other.side, other.told));
    } else {
        check.push(format!("// {}:", other.side));
        let commented =
            |line: &String| if line.starts_with("//") { line.clone() } else { format!("// {line}") };
        check.extend(alternative.iter().map(commented));
    }
    let needs_helper = |answer: &Answer| answer.method.as_ref().is_ok_and(|method| method.needs_stub_helper);
    Ok(Method {
        input: method.input.clone(),
        check,
        what: method.what.clone(),
        limited: method.limited,
        needs_stub_helper: answers.iter().any(needs_helper),
    })
}

/// How many lines are the same, from the first on.
fn in_common(one: &[String], other: &[String]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn comment(answers: &[Answer; 2]) -> Vec<String> {
    let mut lines = vec![
        "/**".to_owned(),
        " * Which of these is right? Nobody has said so, and patches differ.".to_owned(),
    ];
    lines.extend(answers.iter().map(|answer| format!(" * {}: {}.", answer.side, answer.told)));
    lines.push(" * One answer is asserted, the other is a comment: keep the right one.".to_owned());
    lines.push(" */".to_owned());
    lines
}

/// The same, if the other one were right.
fn mirrored(difference: &Difference) -> Difference {
    let kind = match difference.kind {
        DifferenceKind::OnlyLeftThrew => DifferenceKind::OnlyRightThrew,
        DifferenceKind::OnlyRightThrew => DifferenceKind::OnlyLeftThrew,
        other => other,
    };
    Difference {
        location: difference.location.clone(),
        left: difference.right.clone(),
        right: difference.left.clone(),
        kind,
    }
}

fn mirrored_class(class: DifferenceClass) -> DifferenceClass {
    match class {
        DifferenceClass::Exc1 => DifferenceClass::Exc2,
        // A stack that is used up is an exception too, where somebody expects it.
        DifferenceClass::Exc2 | DifferenceClass::Error => DifferenceClass::Exc1,
        other => other,
    }
}
