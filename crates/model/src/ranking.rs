//! Several patches for one bug: in which order to read them, and which of them do the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SyntacticDistance;

/// All patches of a run, the most promising first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// One row a patch, in the order in which to read them.
    pub rows: Vec<RankedPatch>,
    /// Patches that behave alike on all inputs, the cluster of the first patch first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<PatchCluster>,
    /// Inputs on which some patches may differ, for which there was no time: patches of one cluster may not be alike there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inputs_left_out: u32,
    /// For two clusters (the first fifteen pairs) an input that tells them apart: who knows what is right there knows which is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub telling: Vec<TellingInput>,
    /// What reading in any order would cost: what the ranking has to beat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_pick: Option<RandomPick>,
}

/// One patch among others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedPatch {
    /// Its name, which others may have too.
    pub name: String,
    /// Its number among the patches of the report, from 1.
    pub patch: u32,
    /// Its place, from 1.
    pub place: u32,
    /// How much speaks against it, from 0 to 1; at 0.5 a condition of PATCH-SIM just holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicion: Option<f64>,
    /// How far it is from the buggy version in what tests do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_distance: Option<f64>,
    /// How far it is from the buggy version in its text: nodes of the syntax tree that come or go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syntactic_distance: Option<SyntacticDistance>,
    /// The number of its cluster; none if it was not run on the inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<u32>,
}

/// Patches that behave alike on all inputs that were tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatchCluster {
    /// Its number, from 1.
    pub number: u32,
    /// The names of its patches, in the order of the ranking.
    pub patches: Vec<String>,
    /// Their numbers among the patches of the report, in the same order.
    pub numbers: Vec<u32>,
}

/// An input on which the patches of two clusters do something different.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TellingInput {
    /// The two clusters.
    pub clusters: (u32, u32),
    /// The input as source code, one statement a line.
    pub input: Vec<String>,
    /// What is compared; empty for the input as a whole.
    pub what: String,
    /// What the one does, and what the other.
    pub answers: (String, String),
    /// The question as a test with both answers, a file below the run directory; none if it cannot be written as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// How many patches one reads in any order until one can be sure to have met a correct one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RandomPick {
    /// How many patches there are to pick from: all that are plausible, which is what tests alone tell.
    pub patches: u32,
    /// How sure: 0.85 is 85 %.
    pub confidence: f64,
    /// By how many of them are correct, since nobody knows.
    pub readings: Vec<Reading>,
}

/// How many patches to read, if so many are correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// So many are correct.
    pub correct: u32,
    /// Then so many have to be read.
    pub read: u32,
}

/// Nothing to write down?
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
