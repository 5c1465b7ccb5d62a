//! One number for a statement, whatever the version.
//!
//! A statement is a line of a source that code stands on. It is known by its number in the buggy version, to which the delta
//! leads from the patched one; a line that only one of them has is a statement of its own. A changed statement, such as an
//! `if` with another condition, is the same statement: what differs is what it leads to.

use std::collections::HashMap;

use bonafix_model::StatementNumber;

use crate::Counterparts;

/// Which version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The buggy one.
    Buggy,
    /// The patched one.
    Patched,
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Line {
    /// In the buggy version.
    Buggy(u32),
    /// Only in the patched version.
    Added(u32),
}

/// The numbers of statements given so far.
#[derive(Debug, Default)]
pub struct Numbers {
    sources: HashMap<String, u32>,
    known: HashMap<(u32, Line), StatementNumber>,
}

impl Numbers {
    /// The number of the statement on a line of a source; `file` tells what the patch does to it, if it is changed.
    pub fn number(
        &mut self,
        source: &str,
        line: u32,
        side: Side,
        file: Option<&Counterparts<'_>>,
    ) -> StatementNumber {
        let line = match (file, side) {
            (Some(file), Side::Patched) => file.before(line).map_or(Line::Added(line), Line::Buggy),
            _ => Line::Buggy(line),
        };
        let next = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        let source = match self.sources.get(source) {
            Some(&source) => source,
            None => *self.sources.entry(source.to_owned()).or_insert(next),
        };
        let next = StatementNumber::new(self.known.len());
        *self.known.entry((source, line)).or_insert_with(|| marked(next, line, file))
    }
}

/// A number that says whether only one version has the statement.
fn marked(number: StatementNumber, line: Line, file: Option<&Counterparts<'_>>) -> StatementNumber {
    match (file, line) {
        (Some(_), Line::Added(_)) => number.one_sided(),
        (Some(file), Line::Buggy(line)) if file.after(line).is_none() => number.one_sided(),
        _ => number,
    }
}
