//! What a run is about, written down before any work is done, so that a later run can tell whether it is the same.

use std::collections::BTreeMap;

use bonafix_model::FORMAT_VERSION;
use serde::{Deserialize, Serialize};

/// Something that a run reads, by name and content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlannedInput {
    /// As in the report.
    pub name: String,
    /// Hash of its contents.
    pub digest: String,
}

impl PlannedInput {
    /// An input.
    pub fn new(name: impl Into<String>, digest: impl Into<String>) -> Self {
        Self { name: name.into(), digest: digest.into() }
    }
}

/// What a run is about. Everything but `command` decides what comes out, and must be the same to resume it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// [`FORMAT_VERSION`] of the writer.
    pub format: u32,
    /// Version of bonafix.
    pub bonafix: String,
    /// The command line, for people.
    pub command: Vec<String>,
    /// The buggy program.
    pub subject: PlannedInput,
    /// The trusted fix, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PlannedInput>,
    /// The patches, in the order given.
    pub patches: Vec<PlannedInput>,
    /// Where all chance comes from.
    pub seed: u64,
    /// Options that can change an outcome, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

impl Plan {
    /// A plan of this version of bonafix, without patches, reference and options.
    pub fn new(command: Vec<String>, subject: PlannedInput) -> Self {
        Self {
            format: FORMAT_VERSION,
            bonafix: env!("CARGO_PKG_VERSION").to_owned(),
            command,
            subject,
            reference: None,
            patches: Vec::new(),
            seed: 0,
            options: BTreeMap::new(),
        }
    }

    /// What differs from `now`, a line each, in words for the user. Empty when this run can be taken up.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.bonafix != now.bonafix {
            lines.push(format!("bonafix was {}, and is {} now", self.bonafix, now.bonafix));
        }
        if self.subject.digest != now.subject.digest {
            lines.push(format!("the files of {} have changed", now.subject.name));
        }
        lines.extend(reference_difference(self.reference.as_ref(), now.reference.as_ref()));
        lines.extend(patch_differences(&self.patches, &now.patches));
        if self.seed != now.seed {
            lines.push(format!("the seed was {}, and is {} now", self.seed, now.seed));
        }
        lines.extend(option_differences(&self.options, &now.options));
        lines
    }
}

fn reference_difference(then: Option<&PlannedInput>, now: Option<&PlannedInput>) -> Option<String> {
    match (then, now) {
        (None, None) => None,
        (Some(then), Some(now)) if then.digest == now.digest => None,
        (Some(_), Some(now)) => Some(format!("the reference {} has changed", now.name)),
        (Some(then), None) => Some(format!("the reference {} is missing", then.name)),
        (None, Some(now)) => Some(format!("the reference {} is new", now.name)),
    }
}

fn patch_differences(then: &[PlannedInput], now: &[PlannedInput]) -> Vec<String> {
    let named = |list: &[PlannedInput], name: &str| list.iter().any(|input| input.name == name);
    let mut lines = Vec::new();
    for patch in now.iter().filter(|patch| !then.contains(patch)) {
        let word = if named(then, &patch.name) { "has changed" } else { "is new" };
        lines.push(format!("the patch {} {word}", patch.name));
    }
    for patch in then.iter().filter(|patch| !named(now, &patch.name)) {
        lines.push(format!("the patch {} is missing", patch.name));
    }
    if lines.is_empty() && then != now {
        lines.push("the patches are given in another order or another number of times".to_owned());
    }
    lines
}

fn option_differences(then: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let word =
        |value: Option<&String>| value.map_or_else(|| "not set".to_owned(), |value| format!("`{value}`"));
    names
        .into_iter()
        .filter(|name| then.get(*name) != now.get(*name))
        .map(|name| format!("{name} was {}, and is {} now", word(then.get(name)), word(now.get(name))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(patches: &[(&str, &str)]) -> Plan {
        let mut plan = Plan::new(vec!["bonafix".to_owned()], PlannedInput::new("leap-year", "s1"));
        plan.patches = patches.iter().map(|(name, digest)| PlannedInput::new(*name, *digest)).collect();
        plan
    }

    #[test]
    fn the_command_line_may_differ() {
        let mut other = plan(&[("a.diff", "1")]);
        other.command.push("--verbose".to_owned());
        assert_eq!(plan(&[("a.diff", "1")]).differences(&other), Vec::<String>::new());
    }

    #[test]
    fn every_difference_is_named() {
        let mut then = plan(&[("a.diff", "1"), ("b.diff", "2"), ("c.diff", "3")]);
        then.options.insert("sandbox".to_owned(), "off".to_owned());
        then.reference = Some(PlannedInput::new("reference.diff", "r"));
        let mut now = plan(&[("a.diff", "1"), ("b.diff", "9"), ("d.diff", "4")]);
        now.subject.digest = "s2".to_owned();
        now.seed = 7;
        now.bonafix = "9.9.9".to_owned();
        let expected = [
            format!("bonafix was {}, and is 9.9.9 now", env!("CARGO_PKG_VERSION")).as_str(),
            "the files of leap-year have changed",
            "the reference reference.diff is missing",
            "the patch b.diff has changed",
            "the patch d.diff is new",
            "the patch c.diff is missing",
            "the seed was 0, and is 7 now",
            "sandbox was `off`, and is not set now",
        ]
        .map(str::to_owned);
        assert_eq!(then.differences(&now), expected);
    }

    #[test]
    fn another_order_of_the_patches_is_a_difference() {
        let then = plan(&[("a.diff", "1"), ("b.diff", "2")]);
        let now = plan(&[("b.diff", "2"), ("a.diff", "1")]);
        assert_eq!(then.differences(&now).len(), 1);
    }
}
