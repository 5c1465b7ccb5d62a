//! Terminal and JSON reports, made from the run directory's `report.json` alone.
//!
//! [`terminal`] is for people and may change with every version. [`json`] is for programs and is versioned; its schema
//! is in `docs/schema`, its promise in `docs/json.md`. [`table`] lines up a few columns of text.
//!
//! Deliberately absent: nothing here decides anything, reads a subject, or prints.

#![warn(missing_docs)]

pub mod json;
pub mod table;
pub mod terminal;

use bonafix_model::{RunReport, Timings};

/// The report without wall times, for comparing two runs: the same inputs and seed must give the same rest.
pub fn without_timings(report: &RunReport) -> RunReport {
    let mut report = report.clone();
    report.timings = Timings::default();
    for patch in &mut report.patches {
        patch.timings = Timings::default();
    }
    let red = report.baseline.iter_mut().flat_map(|baseline| &mut baseline.red);
    let broken = report.patches.iter_mut().filter_map(|patch| patch.plausibility.as_mut());
    for test in red.chain(broken.flat_map(|plausibility| &mut plausibility.broken)) {
        test.millis = 0;
    }
    report
}
