//! RGT for whole programs: how the patched version's execution differs from the reference's, and what that is worth.
//!
//! Pure judgement, on what users see: how the program ends, what it prints, what files it writes. The seven classes of
//! RGT mean here: `assert`, what is printed or written differs; `exc1` and `exc2`, only the reference or only the patched
//! version fails, by an exit code that is not 0 or by a crash; `exc-type`, both fail, in different ways; `exc-loc`, both
//! crash, at different places; `timeout` and `error`, a version does not come to an end, or wants more than it may have.
//! When in doubt it is a remark.

mod customs;
mod difference;
mod numbers;
mod remark;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use bonafix_model::{DifferenceClass, Execution, Frame, ProgramEnd};

pub use bonafix_model::steady;
pub use customs::Customs;
pub use remark::ProgramRemark;

use difference::{Part, Seen};

/// How strict the judgement is, and what the tests of the project say about what counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramOptions {
    /// Count what is only a remark otherwise.
    pub strict: bool,
    /// Tests compare standard error.
    pub errors_compared: bool,
    /// Tests do not mind white space at the ends of lines.
    pub white_space_tolerated: bool,
    /// Exit codes other than 0 with which tests expect the program to end.
    pub usual_codes: BTreeSet<i32>,
}

/// What one input says about a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramRuling {
    /// Nothing: both versions did the same.
    Same,
    /// The patched version does something else than it should.
    Evidence(ProgramClaim),
    /// It does something else, which does not count.
    Remark {
        /// Why not.
        reason: ProgramRemark,
        /// What.
        claim: ProgramClaim,
    },
}

/// A difference between the reference and the patched version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramClaim {
    /// How RGT calls it.
    pub class: DifferenceClass,
    /// What differs: `the program`, `line 3 of standard output`, `file out.txt`.
    pub what: String,
    /// What the reference does: what that is, or what the program does, as words that follow it.
    pub expected: String,
    /// What the patched version does.
    pub actual: String,
}

impl ProgramClaim {
    /// The claim in a sentence, with the name of the version that is taken for right.
    pub fn sentence(&self, right: &str) -> String {
        let is = if self.what == THE_PROGRAM { "" } else { "is " };
        format!("{} {is}{} in {right} and {} in the patched version", self.what, self.expected, self.actual)
    }
}

/// What a claim about an end is about.
const THE_PROGRAM: &str = "the program";

/// Says what an input is worth that was run in the reference and in the patched version, as their project builds them.
pub fn judge(reference: &Execution, patched: &Execution, options: &ProgramOptions) -> ProgramRuling {
    if !came_to_end(reference) && !came_to_end(patched) {
        return ProgramRuling::Same;
    }
    let finding = ends(reference, patched, options).or_else(|| contents(reference, patched, options));
    match finding {
        None => ProgramRuling::Same,
        Some(Finding { objection: Some(reason), claim }) if !(options.strict && reason.is_difference()) => {
            ProgramRuling::Remark { reason, claim }
        }
        Some(Finding { claim, .. }) => ProgramRuling::Evidence(claim),
    }
}

/// The same for repeated runs, where only counts what is the same in all runs of a version. None if a version does not
/// end alike each time: then nothing can be said.
pub fn judge_runs(
    reference: &[Execution],
    patched: &[Execution],
    options: &ProgramOptions,
) -> Option<ProgramRuling> {
    let (reference, patched) = steady(reference, patched)?;
    Some(judge(&reference, &patched, options))
}

/// Is it of no use as a measure: does it crash, hang, want too much, or have a fault that somebody noticed?
pub fn fails(execution: &Execution) -> bool {
    !execution.faults.is_empty() || !matches!(execution.end, ProgramEnd::Exited(_))
}

fn came_to_end(execution: &Execution) -> bool {
    matches!(execution.end, ProgramEnd::Exited(_) | ProgramEnd::Signalled(_))
}

/// A claim, and what speaks against it.
struct Finding {
    objection: Option<ProgramRemark>,
    claim: ProgramClaim,
}

/// The difference between two ends, if there is one.
fn ends(reference: &Execution, patched: &Execution, options: &ProgramOptions) -> Option<Finding> {
    let class = class_of(reference, patched)?;
    let objection = if fails(reference) {
        Some(ProgramRemark::ReferenceFails)
    } else if class == DifferenceClass::ExcType && is_code(patched) && rejects(reference, options)
        || class == DifferenceClass::Exc1 && !is_usual(reference, options)
    {
        Some(ProgramRemark::ReferenceRejects)
    } else {
        None
    };
    let (expected, actual) = match class {
        DifferenceClass::ExcLoc => (crash_in_words(reference), crash_in_words(patched)),
        _ => (end_in_words(reference), end_in_words(patched)),
    };
    Some(Finding { objection, claim: ProgramClaim { class, what: THE_PROGRAM.to_owned(), expected, actual } })
}

fn class_of(reference: &Execution, patched: &Execution) -> Option<DifferenceClass> {
    use ProgramEnd::{Exited, OverLimit, Signalled, TimedOut};
    Some(match (&reference.end, &patched.end) {
        (_, TimedOut) | (TimedOut, _) => DifferenceClass::Timeout,
        (_, OverLimit(_)) | (OverLimit(_), _) => DifferenceClass::Error,
        (Exited(one), Exited(other)) if one == other => return None,
        (Exited(0), Exited(_) | Signalled(_)) => DifferenceClass::Exc2,
        (Exited(_) | Signalled(_), Exited(0)) => DifferenceClass::Exc1,
        (Signalled(one), Signalled(other)) if one == other => {
            let (one, other) = (crash_place(reference)?, crash_place(patched)?);
            return (one.function != other.function).then_some(DifferenceClass::ExcLoc);
        }
        _ => DifferenceClass::ExcType,
    })
}

/// The difference in what is printed and written, where both versions ended alike.
fn contents(reference: &Execution, patched: &Execution, options: &ProgramOptions) -> Option<Finding> {
    let seen = difference::strongest(reference, patched, options)?;
    let objection = if fails(reference) {
        Some(ProgramRemark::ReferenceFails)
    } else if seen.part == Part::Errors && !options.errors_compared {
        Some(ProgramRemark::StandardError)
    } else if rejects(reference, options) || rejects(patched, options) {
        Some(ProgramRemark::ReferenceRejects)
    } else {
        seen.lesser
    };
    let Seen { what, expected, actual, .. } = seen;
    let class = DifferenceClass::Assert;
    Some(Finding { objection, claim: ProgramClaim { class, what, expected, actual } })
}

/// Does it turn the input down? By a code that no test expects, or by one that goes with a complaint.
fn rejects(execution: &Execution, options: &ProgramOptions) -> bool {
    match execution.end {
        ProgramEnd::Exited(0) => false,
        ProgramEnd::Exited(_) => !is_usual(execution, options) || !execution.stderr.is_empty(),
        _ => false,
    }
}

/// Does it end with a code that some test expects? Only then it is promised that there are inputs that are turned down;
/// else another fix may well make sense of them.
fn is_usual(execution: &Execution, options: &ProgramOptions) -> bool {
    matches!(execution.end, ProgramEnd::Exited(code) if options.usual_codes.contains(&code))
}

fn is_code(execution: &Execution) -> bool {
    matches!(execution.end, ProgramEnd::Exited(_))
}

/// Where an execution crashed, as far as that is the project's code.
fn crash_place(execution: &Execution) -> Option<&Frame> {
    let known = |frame: &&Frame| !frame.function.is_empty() && !frame.file.is_empty();
    execution.faults.first()?.stack.iter().find(known)
}

fn crash_in_words(execution: &Execution) -> String {
    match crash_place(execution) {
        Some(frame) => format!("crashes in {} ({}:{})", frame.function, frame.file, frame.line),
        None => end_in_words(execution),
    }
}

fn end_in_words(execution: &Execution) -> String {
    match &execution.end {
        ProgramEnd::Exited(0) => "ends with exit code 0".to_owned(),
        ProgramEnd::Exited(code) => match difference::last_line(&execution.stderr) {
            Some(line) => format!("ends with exit code {code} and says {line}"),
            None => format!("ends with exit code {code}"),
        },
        ProgramEnd::Signalled(signal) => match execution.faults.first() {
            Some(fault) => format!("crashes with {}", fault.kind),
            None => format!("is ended by signal {signal}"),
        },
        ProgramEnd::TimedOut => "does not come to an end".to_owned(),
        ProgramEnd::OverLimit(what) => format!("uses more {what} than it may"),
    }
}
