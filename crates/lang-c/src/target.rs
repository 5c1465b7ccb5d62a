//! One version of a program that runs inputs fast, one after the other, and tells what they covered.

use bonafix_lang::LangError;
use bonafix_model::{Execution, Frame, ProgramInput};

/// What came of one input in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// What was seen. Faults have neither stacks nor more than a kind: that takes an execution under watch.
    pub execution: Execution,
    /// How often each edge ran, up to 255, by its number; empty where the version was built without coverage.
    pub coverage: Vec<u8>,
    /// Pairs of numbers that the program compared and found different, where it was asked for them.
    pub comparisons: Vec<(u64, u64)>,
}

/// A version that runs inputs.
pub trait Target: Send {
    /// Runs inputs one after the other, each in fresh state. Of many each costs less than of one.
    fn run_all(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Sample>, LangError>;

    /// Runs one input in fresh state.
    fn run(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        let mut samples = self.run_all(std::slice::from_ref(input))?;
        samples.pop().ok_or_else(|| LangError::Internal("an input was not run".to_owned()))
    }

    /// Runs one input in a process of its own, even where others share one.
    fn run_fresh(&mut self, input: &ProgramInput) -> Result<Sample, LangError> {
        self.run(input)
    }

    /// Whether the next runs tell which numbers they compared, which costs time. Not all versions can.
    fn ask_for_comparisons(&mut self, _wanted: bool) {}

    /// Where each edge leads to, by its number; none where that is not known. Empty without coverage.
    fn places(&self) -> &[Option<Frame>];
}
