//! Which line of one version is which line of the other, where a statement that a patch changed may stay the same statement.

use std::collections::BTreeMap;

use bonafix_model::{DeltaFile, LineAlignment};

/// The lines of a file that both versions have.
#[derive(Debug, Clone)]
pub struct Counterparts<'a> {
    alignment: &'a LineAlignment,
    /// Lines of the patched version that hold a changed statement, and which lines of the buggy one they are.
    became: BTreeMap<u32, u32>,
    /// The other way round.
    was: BTreeMap<u32, u32>,
}

impl<'a> Counterparts<'a> {
    /// Of a changed file. Lines of a changed statement that have no counterpart go together in order.
    pub fn new(file: &'a DeltaFile) -> Self {
        let alignment = &file.alignment;
        let (mut became, mut was) = (BTreeMap::new(), BTreeMap::new());
        for element in &file.elements {
            for &(before, after) in &element.statement_pairs {
                let before = element.statements_before.get(before as usize);
                let after = element.statements_after.get(after as usize);
                let Some((before, after)) = before.zip(after) else { continue };
                let gone = (before.lines.first..=before.lines.last)
                    .filter(|line| alignment.after(*line).is_none() && !was.contains_key(line));
                let new = (after.lines.first..=after.lines.last)
                    .filter(|line| alignment.before(*line).is_none() && !became.contains_key(line));
                let pairs: Vec<(u32, u32)> = gone.zip(new).collect();
                was.extend(pairs.iter().copied());
                became.extend(pairs.into_iter().map(|(gone, new)| (new, gone)));
            }
        }
        Self { alignment, became, was }
    }

    /// The line of the buggy version that a line of the patched one is.
    pub fn before(&self, after: u32) -> Option<u32> {
        self.alignment.before(after).or_else(|| self.became.get(&after).copied())
    }

    /// The line of the patched version that a line of the buggy one is.
    pub fn after(&self, before: u32) -> Option<u32> {
        self.alignment.after(before).or_else(|| self.was.get(&before).copied())
    }
}
