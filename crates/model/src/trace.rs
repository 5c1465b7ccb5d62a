//! Which statements an execution ran, in order: its complete-path spectrum.

/// The statements of one execution, in the order in which they ran.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// Numbers of statements. The same number is the same statement in every version.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_of_calls_of_changed_methods_is_left_out() {
        let trace =
            Trace { statements: vec![1, 2, 3, 4, 5, 6], changed: vec![(1, 3), (4, 4), (5, 6)], cut: false };
        assert_eq!(trace.within_change(), [2, 3, 6]);
        assert!(trace.reaches_change());
        assert!(!Trace { changed: Vec::new(), ..trace }.reaches_change());
    }
}
