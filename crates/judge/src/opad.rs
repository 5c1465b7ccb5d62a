//! Opad: a patch must not bring crashes and errors of memory that the buggy version does not have.
//!
//! Pure judgement on executions under one watch. Opad's own rule blames every new fault on the patch. But once a bug is
//! mended, execution goes deeper and meets old faults: *hidden bugs*, worth showing, and no fault of the patch. So a new
//! fault proves something only if the reference survives the input, or, without a reference, if the fault lies in changed
//! code or one of its stacks passes it. A leak alone proves nothing, and neither does undefined behaviour that every
//! compiler defines.

mod change;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use bonafix_model::{Delta, Detector, Execution, Fault, Leaked, ProgramEnd, Strength};

use change::Change;

/// The name of the technique.
pub const NAME: &str = "opad";

/// Why a fault that is no proof is none, for [`bonafix_model::Evidence::reason`].
pub const HIDDEN_BUG: &str = "hidden-bug";

/// Faults on which a sane program goes on: undefined by the standard and the same with every compiler, or no more than
/// a sanitizer's own idea of how much memory is too much.
const HARMLESS: [&str; 9] = [
    "invalid-shift-base",
    "nullptr-with-offset",
    "misaligned-pointer-use",
    "unsigned-integer-overflow",
    "implicit-conversion",
    "function-type-mismatch",
    "allocation-size-too-big",
    "out-of-memory",
    "rss-limit-exceeded",
];

/// Faults of sums that do not fit into their type. Any program has them on numbers that are large enough.
const ARITHMETIC: [&str; 2] = ["signed-integer-overflow", "float-cast-overflow"];

/// Is a fault of this kind one of sums?
pub fn is_arithmetic(kind: &str) -> bool {
    ARITHMETIC.contains(&kind)
}

/// How strict Opad is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpadOptions {
    /// Opad's own rule: every new fault, and every leak that is greater, is the patch's.
    pub strict: bool,
}

/// How it was decided that a fault is the patch's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The reference has no fault on the same input under the same watch.
    ReferenceSurvives,
    /// The same, and the buggy version has the fault as well: the patch has not mended it.
    BugRemains,
    /// It lies in changed code.
    InChangedCode,
    /// A function of its stack is changed.
    StackPassesChange,
    /// The memory was allocated, freed or left uninitialised by way of changed code.
    OriginPassesChange,
    /// Opad's own rule asks no more.
    Strict,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReferenceSurvives => "the reference has no fault on this input",
            Self::BugRemains => {
                "the reference has no fault on this input, and the buggy version has the same"
            }
            Self::InChangedCode => "it happens in changed code",
            Self::StackPassesChange => "it happens below changed code",
            Self::OriginPassesChange => "changed code has handled the memory",
            Self::Strict => "every new fault counts under strict rules",
        })
    }
}

/// What is wrong with the patched version on an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// A crash, a hang, an error of memory.
    Fault(Fault),
    /// More bytes are not given back.
    Leak {
        /// By the version that it is compared with.
        before: Leaked,
        /// By the patched version.
        after: Leaked,
    },
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => {
                write!(f, "{}", fault.kind)?;
                match fault.stack.iter().find(|frame| !frame.file.is_empty()) {
                    Some(frame) if frame.function.is_empty() => {
                        write!(f, " at {}:{}", frame.file, frame.line)
                    }
                    Some(frame) => write!(f, " in {} ({}:{})", frame.function, frame.file, frame.line),
                    None => Ok(()),
                }
            }
            Self::Leak { before, after } => {
                let sum = |leaked: &Leaked| leaked.definitely + leaked.indirectly + leaked.possibly;
                write!(f, "a leak of {} bytes instead of {}", sum(after), sum(before))
            }
        }
    }
}

/// What one input says about a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpadRuling {
    /// The patched version has no fault that speaks against the patch.
    Nothing,
    /// A new fault, which is the patch's.
    Proof {
        /// How that was decided.
        why: Why,
        /// The fault.
        trouble: Trouble,
    },
    /// A new fault that can well be lived with: only a leak, or harmless.
    Heuristic {
        /// What.
        trouble: Trouble,
    },
    /// A new fault that was there before, out of reach, or that the reference has too.
    HiddenBug {
        /// What.
        trouble: Trouble,
    },
}

impl OpadRuling {
    /// How much it can carry, once it was seen again each time; none if there is nothing.
    pub fn strength(&self) -> Option<Strength> {
        match self {
            Self::Nothing => None,
            Self::Proof { .. } => Some(Strength::Proof),
            Self::Heuristic { .. } => Some(Strength::Heuristic),
            Self::HiddenBug { .. } => Some(Strength::Remark),
        }
    }

    /// What is wrong.
    pub fn trouble(&self) -> Option<&Trouble> {
        match self {
            Self::Nothing => None,
            Self::Proof { trouble, .. } | Self::Heuristic { trouble } | Self::HiddenBug { trouble } => {
                Some(trouble)
            }
        }
    }
}

/// Says what an input is worth that was run under one watch in the buggy and the patched version, and in the reference
/// where there is one. `delta` is what the patch changes.
pub fn rule(
    buggy: &Execution,
    patched: &Execution,
    reference: Option<&Execution>,
    delta: &Delta,
    options: &OpadOptions,
) -> OpadRuling {
    let counted = counts(buggy, patched);
    let rulings = new_faults(buggy, patched).into_iter().map(|fault| {
        if options.strict && counted {
            return OpadRuling::Proof { why: Why::Strict, trouble: Trouble::Fault(fault) };
        }
        rule_on_fault(fault, reference, counted, delta)
    });
    let remaining = remaining(buggy, patched, reference);
    let leak = rule_on_leak(buggy, patched, reference, options.strict);
    let weight = |ruling: &OpadRuling| ruling.strength();
    // The first of the strongest: `max_by_key` would take the last.
    let all: Vec<OpadRuling> = rulings.chain(remaining).chain(leak).collect();
    let most = all.iter().filter_map(weight).max();
    all.into_iter().find(|ruling| weight(ruling) == most).unwrap_or(OpadRuling::Nothing)
}

fn rule_on_fault(fault: Fault, reference: Option<&Execution>, counted: bool, delta: &Delta) -> OpadRuling {
    let why = match reference {
        Some(reference) => survives(reference).then_some(Why::ReferenceSurvives),
        // Where the buggy version fails in another way, it has not come as far: nobody knows what it would have done.
        None => counted.then(|| Change::of(delta).reason(&fault)).flatten(),
    };
    let harmless = HARMLESS.contains(&fault.kind.as_str());
    let trouble = Trouble::Fault(fault);
    match why {
        None => OpadRuling::HiddenBug { trouble },
        Some(_) if harmless => OpadRuling::Heuristic { trouble },
        Some(why) => OpadRuling::Proof { why, trouble },
    }
}

/// A fault that the patched version shares with the buggy one, where the reference has none: the bug is still there.
fn remaining(buggy: &Execution, patched: &Execution, reference: Option<&Execution>) -> Option<OpadRuling> {
    if !reference.is_some_and(survives) {
        return None;
    }
    let kinds: Vec<String> = faults(buggy).into_iter().map(|fault| fault.kind).collect();
    let shared = |fault: &Fault| kinds.contains(&fault.kind) && !HARMLESS.contains(&fault.kind.as_str());
    let fault = faults(patched).into_iter().find(shared)?;
    Some(OpadRuling::Proof { why: Why::BugRemains, trouble: Trouble::Fault(fault) })
}

fn rule_on_leak(
    buggy: &Execution,
    patched: &Execution,
    reference: Option<&Execution>,
    strict: bool,
) -> Option<OpadRuling> {
    let (before, after) = (leaked(buggy)?, leaked(patched)?);
    if !after.exceeds(&before) {
        return None;
    }
    let trouble = Trouble::Leak { before, after };
    Some(match reference.map(leaked) {
        _ if strict => OpadRuling::Proof { why: Why::Strict, trouble },
        Some(Some(right)) if after.exceeds(&right) => OpadRuling::Heuristic { trouble },
        Some(_) => OpadRuling::HiddenBug { trouble },
        None => OpadRuling::Heuristic { trouble },
    })
}

/// Faults of the patched version that the buggy one lacks: of each kind those that are more.
pub fn new_faults(buggy: &Execution, patched: &Execution) -> Vec<Fault> {
    let mut known: BTreeMap<(Detector, String), usize> = BTreeMap::new();
    for fault in faults(buggy) {
        *known.entry((fault.detector, fault.kind)).or_default() += 1;
    }
    let mut new = faults(patched);
    new.retain(|fault| match known.get_mut(&(fault.detector, fault.kind.clone())) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    new
}

/// Does an execution come through without a fault?
pub fn survives(execution: &Execution) -> bool {
    faults(execution).is_empty() && !matches!(execution.end, ProgramEnd::OverLimit(_))
}

/// Opad's O-measure, |P \ B|: tests, given by what the buggy and the patched version do, on which the patched version
/// fails where the buggy one does not, or has more errors of memory, or leaks more bytes of any kind.
pub fn o_measure(tests: &[(Execution, Execution)]) -> usize {
    tests.iter().filter(|(buggy, patched)| counts(buggy, patched)).count()
}

/// Does a test count for the O-measure?
pub fn counts(buggy: &Execution, patched: &Execution) -> bool {
    let crashes = |execution| faults(execution).iter().any(|fault| fault.detector == Detector::Crash);
    let errors =
        |execution| faults(execution).iter().filter(|fault| fault.detector != Detector::Crash).count();
    let leaks = || Some(leaked(patched)?.exceeds(&leaked(buggy)?));
    !crashes(buggy) && crashes(patched) || errors(patched) > errors(buggy) || leaks().unwrap_or(false)
}

/// The faults of an execution; a hang or a signal that nobody has reported is one.
fn faults(execution: &Execution) -> Vec<Fault> {
    let mut faults = execution.faults.clone();
    let kind = match execution.end {
        ProgramEnd::TimedOut if !faults.iter().any(|fault| fault.kind == "timeout") => "timeout".to_owned(),
        ProgramEnd::Signalled(signal) if faults.is_empty() && !is_request(signal) => {
            format!("signal-{signal}")
        }
        _ => return faults,
    };
    let message = execution.end.to_string();
    faults.push(Fault { detector: Detector::Crash, kind, message, stack: Vec::new(), origins: Vec::new() });
    faults
}

/// Signals by which a program is asked to end.
fn is_request(signal: i32) -> bool {
    const HANGUP: i32 = 1;
    const INTERRUPT: i32 = 2;
    const KILL: i32 = 9;
    const PIPE: i32 = 13;
    const TERMINATE: i32 = 15;
    [HANGUP, INTERRUPT, KILL, PIPE, TERMINATE].contains(&signal)
}

/// Bytes that were not given back. A program that came to its end and of which nobody said anything has none; of one that
/// did not, nobody knows.
fn leaked(execution: &Execution) -> Option<Leaked> {
    let ended = matches!(execution.end, ProgramEnd::Exited(_)) && execution.faults.is_empty();
    execution.leaked.or_else(|| ended.then(Leaked::default))
}
