//! How long it takes to compare two traces, by their length and by how alike they are. For `cargo xtask bench`.
//!
//! Processor time, where the kernel tells it: the clock on the wall tells of the machine.

#![expect(clippy::print_stdout, reason = "what is printed is the result")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bonafix_judge::distance::{Limit, distance};

/// Statements of a middling program.
const SYMBOLS: u32 = 2_000;
const LENGTHS: [(&str, usize); 3] = [("10^4", 10_000), ("10^5", 100_000), ("10^6", 1_000_000)];
/// Edits in so many thousand.
const SIMILAR: [(&str, u32); 2] = [("0.1 % edits", 1), ("10 % edits", 100)];
const MANY_TICKS: Duration = Duration::from_millis(40);

#[test]
#[ignore = "a measurement"]
fn speed() {
    let mut random = Random(1);
    for (length, statements) in LENGTHS {
        let a = random.trace(statements);
        for (similarity, edits) in SIMILAR {
            report(&format!("{length} statements, {similarity}"), &a, &random.edited(&a, edits));
        }
        report(&format!("{length} statements, unrelated"), &a, &random.trace(statements));
    }
}

/// Several rounds, of which the best counts; what takes seconds is done once.
fn report(what: &str, a: &[u32], b: &[u32]) {
    for round in 0..5 {
        let (start, processor) = (Instant::now(), processor_time());
        let found = distance(black_box(a), black_box(b), Limit { words: u64::MAX });
        let seconds = spent(start.elapsed(), processor).as_secs_f64();
        assert!(!found.at_most);
        println!("{what}, round {round}: {:.3} ms, distance {:.3}", seconds * 1000.0, found.value);
        if seconds > 1.0 {
            break;
        }
    }
}

/// Of the time on the wall, what this thread had of the processor. That is counted in ticks, so short times are as they are.
fn spent(elapsed: Duration, before: Option<Duration>) -> Duration {
    let processor = processor_time().zip(before).map(|(now, before)| now.saturating_sub(before));
    processor.filter(|_| elapsed > MANY_TICKS).unwrap_or(elapsed)
}

/// What this thread had of the processor so far.
fn processor_time() -> Option<Duration> {
    let text = fs_err::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(end)).expect("below a number of 32 bits")
    }

    fn trace(&mut self, length: usize) -> Vec<u32> {
        (0..length).map(|_| self.below(SYMBOLS)).collect()
    }

    /// So many of a thousand are another statement, left out, or followed by another.
    fn edited(&mut self, trace: &[u32], edits: u32) -> Vec<u32> {
        let mut edited = Vec::with_capacity(trace.len());
        for &statement in trace {
            match (self.below(1000) < edits).then(|| self.below(3)) {
                None => edited.push(statement),
                Some(0) => edited.push(self.below(SYMBOLS)),
                Some(1) => edited.extend([statement, self.below(SYMBOLS)]),
                Some(_) => {}
            }
        }
        edited
    }
}
