//! What detectors wrote about a program: sanitizers and the C library on standard error, valgrind in a file.
//!
//! All become [`Fault`]s with kinds that stay the same whatever address or line they were met at, and with places
//! relative to the project's tree.

mod libc;
mod place;
pub mod sanitizer;
#[cfg(test)]
mod tests;
mod undefined;
pub mod valgrind;

use bonafix_model::{Detector, Fault, Leaked, ProgramEnd};
use camino::Utf8Path;

pub(crate) use place::below;

/// What detectors wrote, apart from what the program wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Crashes and errors of memory, in the order of the reports.
    pub faults: Vec<Fault>,
    /// What is left when the reports are taken out.
    pub rest: Vec<u8>,
    /// Bytes that were not given back; none where nobody said so.
    pub leaked: Option<Leaked>,
}

/// Reads standard error of an execution that ended in some way, with or without sanitizers in the program.
///
/// An end that is a fault in itself (a signal, no end) is one even where nobody reported it.
pub fn read(stderr: &[u8], end: &ProgramEnd, tree: &Utf8Path) -> Parsed {
    let mut parsed = sanitizer::parse(stderr, tree);
    if *end == ProgramEnd::Signalled(SIGABRT) || parsed.faults.iter().any(is_abort) {
        name_abort(&mut parsed, tree);
    }
    if let Some(fault) = fault_of(end, &parsed.faults) {
        parsed.faults.push(fault);
    }
    parsed
}

/// The C library says why it aborts; a sanitizer that catches the signal knows where.
fn name_abort(parsed: &mut Parsed, tree: &Utf8Path) {
    let Some((mut fault, rest)) = libc::last_words(&parsed.rest, tree) else { return };
    parsed.rest = rest;
    match parsed.faults.iter().position(is_abort) {
        Some(at) => {
            let abort = &mut parsed.faults[at];
            if !abort.stack.is_empty() {
                fault.stack = std::mem::take(&mut abort.stack);
            }
            *abort = fault;
        }
        None => parsed.faults.push(fault),
    }
}

fn is_abort(fault: &Fault) -> bool {
    fault.detector == Detector::Crash && fault.kind == "SIGABRT"
}

/// The fault that an end is, where no detector has told of one that explains it.
fn fault_of(end: &ProgramEnd, reported: &[Fault]) -> Option<Fault> {
    let kind = match end {
        ProgramEnd::Signalled(signal) if reported.is_empty() && !is_request(*signal) => signal_name(*signal),
        ProgramEnd::TimedOut => "timeout".to_owned(),
        _ => return None,
    };
    let message = end.to_string();
    Some(Fault { detector: Detector::Crash, kind, message, stack: Vec::new(), origins: Vec::new() })
}

const SIGABRT: i32 = 6;

/// Signals by which somebody else ends a program, or by which it may end itself in good order.
fn is_request(signal: i32) -> bool {
    matches!(signal, ::libc::SIGHUP | ::libc::SIGINT | ::libc::SIGKILL | ::libc::SIGTERM | ::libc::SIGPIPE)
}

/// The name of a signal, as a kind of fault.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        ::libc::SIGSEGV => "SIGSEGV",
        ::libc::SIGBUS => "SIGBUS",
        ::libc::SIGFPE => "SIGFPE",
        ::libc::SIGILL => "SIGILL",
        ::libc::SIGABRT => "SIGABRT",
        ::libc::SIGTRAP => "SIGTRAP",
        ::libc::SIGSYS => "SIGSYS",
        ::libc::SIGXCPU => "SIGXCPU",
        ::libc::SIGXFSZ => "SIGXFSZ",
        ::libc::SIGALRM => "SIGALRM",
        other => return format!("signal-{other}"),
    };
    name.to_owned()
}
