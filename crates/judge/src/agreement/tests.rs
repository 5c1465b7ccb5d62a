//! Who agrees, who stands against them, and when nobody is believed.

use super::*;

const NOBODY: [usize; 0] = [];

fn voter(code: &str, cluster: u32) -> Voter {
    Voter { code: code.to_owned(), cluster: Some(cluster), in_doubt: false }
}

/// Each patch's answer as a letter; `old` is that of the buggy version.
fn answers(letters: &str, old: char) -> Answers {
    Answers {
        classes: letters.chars().map(u32::from).collect(),
        new: letters.chars().map(|letter| letter != old).collect(),
    }
}

fn dissenting(voters: &[Voter], answers: &[Answers]) -> Vec<usize> {
    dissents(voters, answers).into_iter().map(|dissent| dissent.voter).collect()
}

#[test]
fn two_that_agree_on_a_new_answer_stand_against_one_that_has_another() {
    let voters = [voter("one", 1), voter("two", 2), voter("three", 1)];
    let found = dissents(&voters, &[answers("aaa", 'o'), answers("aoa", 'o')]);
    assert_eq!(found, [Dissent { voter: 1, agreeing: vec![0, 2], input: 1 }]);
}

#[test]
fn an_answer_that_the_buggy_version_gives_too_is_no_agreement() {
    let voters = [voter("one", 1), voter("two", 2), voter("three", 1)];
    assert_eq!(dissenting(&voters, &[answers("oao", 'o')]), NOBODY);
}

#[test]
fn the_same_code_twice_is_one_voice() {
    let voters = [voter("one", 1), voter("two", 2), voter("one", 1)];
    assert_eq!(dissenting(&voters, &[answers("aoa", 'o')]), NOBODY);
}

#[test]
fn those_of_whom_one_is_in_doubt_are_not_believed() {
    let mut voters = [voter("one", 1), voter("two", 2), voter("three", 1)];
    voters[0].in_doubt = true;
    assert_eq!(dissenting(&voters, &[answers("aoa", 'o')]), NOBODY);
}

#[test]
fn two_groups_of_one_size_say_nothing_and_of_unequal_size_the_larger_counts() {
    let mut voters = vec![voter("one", 1), voter("two", 2), voter("three", 1), voter("four", 2)];
    assert_eq!(dissenting(&voters, &[answers("abab", 'o')]), NOBODY);
    voters.push(voter("five", 2));
    assert_eq!(dissenting(&voters, &[answers("ababb", 'o')]), [0, 2]);
}

#[test]
fn a_larger_group_that_keeps_the_old_answer_is_not_accused() {
    let voters = [voter("one", 1), voter("two", 2), voter("three", 1), voter("four", 2)];
    assert_eq!(dissenting(&voters, &[answers("aoao", 'o')]), NOBODY);
}

#[test]
fn one_that_was_not_run_or_does_more_than_the_others_is_not_accused() {
    let mut voters = vec![voter("one", 1), voter("two", 2), voter("three", 1), voter("four", 3)];
    voters[3].cluster = None;
    let new_and_old = [answers("aba", 'o'), answers("oao", 'o')];
    assert_eq!(dissenting(&voters, &new_and_old), [1]);
    let more_only = [answers("aaa", 'o'), answers("oao", 'o')];
    assert_eq!(dissenting(&voters, &more_only), NOBODY);
}

#[test]
fn nobody_and_nothing_is_no_agreement() {
    assert_eq!(dissenting(&[], &[]), NOBODY);
    assert_eq!(dissenting(&[voter("one", 1), voter("two", 1)], &[answers("aa", 'o')]), NOBODY);
}
