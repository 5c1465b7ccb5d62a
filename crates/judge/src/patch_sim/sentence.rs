//! What PATCH-SIM found, in a sentence for people.

use bonafix_model::{Similarity, SimilarityRule, TestClass, TestFigures, TestOrigin, Unreached};

use super::{code_out_of_reach, farthest_passing, loser, lost_share};

/// Which test, which figures, which condition, and which test makes it count.
pub fn sentence(similarity: &Similarity) -> String {
    let lost = loser(similarity).map(|test| {
        format!(
            "{} leaves out {} of {} statements that it ran before ({:.1} %)",
            told(test),
            test.lost,
            test.shared,
            lost_share(test) * 100.0
        )
    });
    let unreached = code_out_of_reach(similarity).map(|unreached| {
        let Unreached { file, line, tests, test, .. } = unreached;
        format!(
            "no test reaches {file}:{line} any more, which {tests} passing tests ran before ({test} is one)"
        )
    });
    let ours: Vec<String> = lost.into_iter().chain(unreached).collect();
    match similarity.against {
        _ if ours.is_empty() => decided(similarity),
        None | Some(SimilarityRule::PassingLost | SimilarityRule::CodeUnreached) => ours.join("; "),
        Some(_) => format!("{}; it counts because {}", decided(similarity), ours.join(", and ")),
    }
}

fn decided(similarity: &Similarity) -> String {
    let Some((test, ap)) = farthest_passing(&similarity.tests).zip(similarity.ap) else {
        return "no passing test that reaches the change could be compared, so nothing speaks against the patch"
            .to_owned();
    };
    let passing = format!("{} changes by {}", told(test), figure(ap));
    let kp = figure(similarity.kp);
    match (similarity.against, similarity.af) {
        (Some(SimilarityRule::PassingChanged), _) => {
            format!("{passing}: what passes must change by less than {kp} (Ap >= Kp)")
        }
        (Some(SimilarityRule::FailingUnchanged), Some(af)) => {
            let failing = failing(similarity);
            format!(
                "{passing}, and {failing} by no more, {}: what failed must change most (Ap >= Af)",
                figure(af)
            )
        }
        (_, Some(af)) => {
            let failing = failing(similarity);
            format!(
                "{passing} at most, and {failing} by {}: what failed changes, what passes stays",
                figure(af)
            )
        }
        (_, None) => format!("{passing} at most, less than {kp}; no failing test could be compared"),
    }
}

fn told(test: &TestFigures) -> String {
    let name = &test.name;
    match test.origin {
        TestOrigin::Original => format!("the passing test {name}"),
        TestOrigin::Generated => format!("the generated test {name}, which counts as passing,"),
    }
}

/// `the failing test`, `3 failing tests on average`.
fn failing(similarity: &Similarity) -> String {
    let count = similarity.tests.iter().filter(|test| test.class == TestClass::Failing).count();
    match count {
        1 => "the failing test".to_owned(),
        several => format!("{several} failing tests on average"),
    }
}

/// Three digits, but never a 0 for what is more.
fn figure(value: f64) -> String {
    if value > 0.0 && value < 0.0005 { format!("{value:.1e}") } else { format!("{value:.3}") }
}
