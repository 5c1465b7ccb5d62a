//! Which statements an execution ran, in order: its complete-path spectrum.

use std::collections::BTreeSet;

/// The number of a statement: the same number is the same statement in every version. It says as well whether only one
/// version has the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementNumber(u32);

impl StatementNumber {
    /// Statements that only one version has.
    const ONE_SIDED: u32 = 1 << 31;

    /// The number of a statement that both versions have; there are fewer lines than such numbers.
    pub fn new(number: usize) -> Self {
        Self(u32::try_from(number).unwrap_or(u32::MAX) & !Self::ONE_SIDED)
    }

    /// The same, of a statement that only one version has.
    #[must_use]
    pub fn one_sided(self) -> Self {
        Self(self.0 | Self::ONE_SIDED)
    }

    /// Do both versions have it, changed or not?
    pub fn is_shared(self) -> bool {
        self.0 & Self::ONE_SIDED == 0
    }
}

impl From<u32> for StatementNumber {
    fn from(number: u32) -> Self {
        Self(number)
    }
}

impl From<StatementNumber> for u32 {
    fn from(number: StatementNumber) -> Self {
        number.0
    }
}

/// Where a statement stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    /// Path in the project.
    pub file: String,
    /// Its line in the buggy version.
    pub line: u32,
}

/// The statements of one execution, in the order in which they ran.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// [Numbers of statements](StatementNumber).
    pub statements: Vec<u32>,
    /// The parts inside of calls of changed methods: from the entry of the outermost call to its end, as positions
    /// `first..end` in `statements`; ascending and disjoint. A call that runs no statement is an empty part.
    pub changed: Vec<(u32, u32)>,
    /// The execution went on, and this is only its beginning.
    pub cut: bool,
}

impl Trace {
    /// Does it come to a changed method?
    pub fn reaches_change(&self) -> bool {
        !self.changed.is_empty()
    }

    /// What each outermost call of a changed method ran.
    pub fn calls(&self) -> impl Iterator<Item = &[u32]> {
        self.changed.iter().map(|&(first, end)| &self.statements[first as usize..end as usize])
    }

    /// The statements inside of calls of changed methods, one call behind the other.
    pub fn within_change(&self) -> Vec<u32> {
        self.calls().flatten().copied().collect()
    }

    /// The statements inside of calls of changed methods that both versions have, each once.
    pub fn shared_within_change(&self) -> BTreeSet<u32> {
        let statements = self.calls().flatten().copied();
        statements.filter(|&statement| StatementNumber::from(statement).is_shared()).collect()
    }

    /// The statements that both versions have.
    pub fn shared(&self) -> Vec<u32> {
        self.numbers().filter(|number| number.is_shared()).map(u32::from).collect()
    }

    fn numbers(&self) -> impl Iterator<Item = StatementNumber> {
        self.statements.iter().copied().map(StatementNumber::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_one_version_has_is_not_shared() {
        let [one, other] = [1, 2].map(StatementNumber::new);
        let statements = [one, other.one_sided(), one].map(u32::from).to_vec();
        let trace = Trace { statements, ..Trace::default() };
        assert_eq!(trace.shared(), [one, one].map(u32::from));
    }

    #[test]
    fn what_lies_outside_of_calls_of_changed_methods_is_left_out() {
        let trace =
            Trace { statements: vec![1, 2, 3, 4, 5, 6], changed: vec![(1, 3), (4, 4), (5, 6)], cut: false };
        assert_eq!(trace.within_change(), [2, 3, 6]);
        assert!(trace.reaches_change());
        assert!(!Trace { changed: Vec::new(), ..trace }.reaches_change());
    }
}
