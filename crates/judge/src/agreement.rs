//! Agreement: what several patches of one bug say together against one of them.
//!
//! Right patches are alike, and wrong ones are wrong each in its own way. Where patches that were written differently agree on
//! an answer that the buggy version does not give, one that answers otherwise has something to explain.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

/// The name in reports and on the command line.
pub const NAME: &str = "agreement";

/// Patches that must agree. Two of the same code are one.
const ENOUGH: usize = 2;

/// A patch that is compared with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voter {
    /// The same for patches that execute the same instructions.
    pub code: String,
    /// The same for patches that did the same on every input; nothing for one that was not run.
    pub cluster: Option<u32>,
    /// Something else speaks against it, or it was to be found out whether something does and could not be.
    pub in_doubt: bool,
}

/// What the patches did with one input, in the order of the voters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// The same for patches that did the same.
    pub classes: Vec<u32>,
    /// Whether that is something else than the buggy version did.
    pub new: Vec<bool>,
}

/// A patch that answers otherwise than others that agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dissent {
    /// Its number among the voters.
    pub voter: usize,
    /// Those of the others.
    pub agreeing: Vec<usize>,
    /// The first input on which it shows.
    pub input: usize,
}

impl Dissent {
    /// Do the others agree on something new with this input, and does it answer otherwise?
    pub fn shows_in(&self, answers: &Answers) -> bool {
        let Some(head) = self.agreeing.first() else { return false };
        let class = |voter: usize| answers.classes.get(voter);
        self.agreeing.iter().all(|member| class(*member) == class(*head))
            && answers.new.get(*head) == Some(&true)
            && class(self.voter) != class(*head)
    }
}

/// The patches that stand against others which agree. There is one group of those at most: the one of the most different
/// codes that nothing else speaks against. If two are as large, nobody is right.
pub fn dissents(voters: &[Voter], answers: &[Answers]) -> Vec<Dissent> {
    let groups = groups(voters);
    let says_something_new = |members: &Vec<usize>| {
        let head = members[0];
        answers.iter().any(|answer| {
            answer.new.get(head) == Some(&true)
                && answer.classes.iter().any(|class| Some(class) != answer.classes.get(head))
        })
    };
    let mut eligible: Vec<(usize, &Vec<usize>)> = groups
        .values()
        .filter(|members| !members.iter().any(|member| voters[*member].in_doubt))
        .filter(|members| says_something_new(members))
        .map(|members| (codes(voters, members), members))
        .filter(|(codes, _)| *codes >= ENOUGH)
        .collect();
    eligible.sort_by_key(|(codes, _)| std::cmp::Reverse(*codes));
    let (most, agreeing) = match eligible[..] {
        [(most, agreeing)] => (most, agreeing),
        [(most, agreeing), (next, _), ..] if most > next => (most, agreeing),
        _ => return Vec::new(),
    };
    let against = |voter: usize| {
        let group = voters[voter].cluster.and_then(|cluster| groups.get(&cluster))?;
        if group == agreeing || codes(voters, group) >= most {
            return None;
        }
        let mut dissent = Dissent { voter, agreeing: agreeing.clone(), input: 0 };
        dissent.input = answers.iter().position(|answer| dissent.shows_in(answer))?;
        Some(dissent)
    };
    (0..voters.len()).filter_map(against).collect()
}

fn groups(voters: &[Voter]) -> BTreeMap<u32, Vec<usize>> {
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, cluster) in voters.iter().enumerate().filter_map(|(n, voter)| Some((n, voter.cluster?))) {
        groups.entry(cluster).or_default().push(number);
    }
    groups
}

fn codes(voters: &[Voter], members: &[usize]) -> usize {
    members.iter().map(|member| &voters[*member].code).collect::<BTreeSet<_>>().len()
}
