//! Plain data that the stages of bonafix exchange.
//!
//! No I/O, no processes, no knowledge of a language. Everything that is written to a run directory or printed as
//! JSON is defined here, so a change of these types is a change of the format: see [`FORMAT_VERSION`].

#![warn(missing_docs)]

mod change;
mod config;
mod delta;
mod event;
mod evidence;
mod execution;
mod exploration;
mod input;
mod input_set;
mod knowledge;
mod observation;
mod outcome;
mod ranking;
mod report;
mod similarity;
mod steady;
mod test;
mod trace;
mod witness;

pub use change::{FileEdit, TreeChange};
pub use config::{
    CBuild, CConfig, CRunConfig, CTestsConfig, CaseConfig, CasePatch, JavaBuild, JavaConfig, LanguageName,
    OverfittingKind, PatchLabel, ProjectConfig, TestsConfig,
};
pub use delta::{
    ChangeKind, Delta, DeltaElement, DeltaFile, ElementId, ElementKind, LineAlignment, LineRange, Statement,
    SyntacticDistance,
};
pub use event::{Event, Stage};
pub use evidence::{DifferenceClass, Evidence, Exhibit, Strength, Witness};
pub use execution::{Detector, Execution, Fault, Frame, Leaked, ProgramEnd, ProgramInput};
pub use exploration::{
    Budget, Discarded, Effort, Feedback, Goal, GoalId, GoalPurpose, OMeasure, Progress, Ran, SearchEnd,
};
pub use input::{
    Callable, CallableId, CallableKind, Catalog, Literal, MissingMethod, Sequence, Slot, Step, Subclass,
    TypeInfo, Visibility,
};
pub use input_set::{CallableKey, InputSet};
pub use knowledge::{
    CallableFacts, Knowledge, LiteralSource, MinedLiteral, ParameterFacts, PromisedThrow, Seed, Target,
};
pub use observation::{
    Access, Breakdown, CollectionKind, Confirmation, Difference, DifferenceKind, Element, Ending, Exception,
    Field, Location, Observation, SequenceOutcome, StepObservation, Summary, Tolerance, Value, compare,
    covered,
};
pub use outcome::{ExitCode, InconclusiveReason, InvalidReason, Outcome, Verdict};
pub use ranking::{PatchCluster, RandomPick, RankedPatch, Ranking, Reading, TellingInput};
pub use report::{
    BaselineReport, BrokenBaseline, Notice, PatchReport, Plausibility, RunReport, StillFailing,
    SubjectReport, TestChange, TestChangeKind, Timings, TriggerOrigin, TriggerTest, VersionRole,
};
pub use similarity::{
    CallOrigin, Distance, SetAside, Similarity, SimilarityRule, TestClass, TestFigures, TestOrigin, Unreached,
};
pub use steady::steady;
pub use test::{Failure, TestId, TestOutcome, TestResult, TestRun, TestSelection};
pub use trace::{CodePlace, StatementNumber, Trace};
pub use witness::{Promise, ReplayReport, ReplayedVersion};

/// Version of the JSON that bonafix writes. Raised when a field changes meaning or disappears; new fields may
/// appear without a raise.
pub const FORMAT_VERSION: u32 = 1;
