//! From events to statements, with the parts inside of changed functions.

use bonafix_model::Trace;

use super::blocks::Blocks;
use super::records::{ENTER, LEAVE, Recorded};

/// A call that has not ended.
struct Call {
    /// None for functions without blocks that are told of.
    function: Option<u32>,
    is_changed: bool,
    /// The word that it was entered comes behind its first block.
    awaits_word: bool,
}

/// What an execution ran, process by process.
pub(super) struct Path {
    trace: Trace,
    most: usize,
    calls: Vec<Call>,
    /// Calls of changed functions among them.
    changed_calls: usize,
    /// Where the outermost of these began.
    began: u32,
}

impl Path {
    /// At most so many statements are kept.
    pub(super) fn new(most: u32) -> Self {
        Self { trace: Trace::default(), most: most as usize, calls: Vec::new(), changed_calls: 0, began: 0 }
    }

    /// Goes on with a process. False if its events make no sense.
    pub(super) fn follow(&mut self, process: &Recorded, blocks: &Blocks) -> bool {
        let began = self.now();
        self.trace.cut |= process.cut;
        for &event in &process.events {
            match event {
                ENTER => self.enter(),
                LEAVE => self.leave(),
                number => {
                    let Some(block) = blocks.block(number) else { return false };
                    if self.trace.statements.len() + block.statements.len() > self.most {
                        self.trace.cut = true;
                        break;
                    }
                    if block.begins {
                        self.call(block.function, block.is_changed);
                    } else {
                        self.come_back_to(block.function);
                    }
                    self.trace.statements.extend_from_slice(block.statements);
                }
            }
        }
        // An exit or a signal ends all calls.
        while !self.calls.is_empty() {
            self.leave();
        }
        if blocks.is_everywhere && !process.events.is_empty() {
            self.trace.changed.push((began, self.now()));
        }
        true
    }

    pub(super) fn finish(self) -> Trace {
        self.trace
    }

    fn now(&self) -> u32 {
        u32::try_from(self.trace.statements.len()).unwrap_or(u32::MAX)
    }

    fn call(&mut self, function: u32, is_changed: bool) {
        if is_changed {
            if self.changed_calls == 0 {
                self.began = self.now();
            }
            self.changed_calls += 1;
        }
        self.calls.push(Call { function: Some(function), is_changed, awaits_word: true });
    }

    fn enter(&mut self) {
        match self.calls.last_mut() {
            Some(call) if call.awaits_word => call.awaits_word = false,
            _ => self.calls.push(Call { function: None, is_changed: false, awaits_word: false }),
        }
    }

    fn leave(&mut self) {
        if let Some(call) = self.calls.pop()
            && call.is_changed
        {
            self.changed_calls -= 1;
            if self.changed_calls == 0 {
                self.trace.changed.push((self.began, self.now()));
            }
        }
    }

    /// A block that begins no function belongs to the innermost call. If that is not so, calls were left by a jump or an
    /// exception.
    fn come_back_to(&mut self, function: u32) {
        let is_it = |call: &Call| call.function == Some(function);
        if self.calls.last().is_some_and(is_it) || !self.calls.iter().any(is_it) {
            return;
        }
        while !self.calls.last().is_some_and(is_it) {
            self.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks 1 and 2 are of a function that is not changed, 3 and 4 of one that is, 5 of another; each has a statement that is
    /// ten times its number.
    fn follow(events: &[u32], most: u32) -> Trace {
        let blocks = Blocks::simple(&[(0, true), (0, false), (1, true), (1, false), (2, true)], 1);
        let mut path = Path::new(most);
        let process = Recorded { events: events.to_vec(), cut: false, places: String::new() };
        assert!(path.follow(&process, &blocks));
        path.finish()
    }

    #[test]
    fn a_call_of_a_changed_function_lasts_until_it_is_left_with_all_that_it_calls() {
        let trace = follow(&[1, ENTER, 3, ENTER, 5, ENTER, LEAVE, 4, LEAVE, 2, LEAVE], 100);
        assert_eq!(trace.statements, [10, 30, 50, 40, 20]);
        assert_eq!(trace.changed, [(1, 4)]);
    }

    #[test]
    fn recursion_is_part_of_the_outermost_call() {
        let trace = follow(&[1, ENTER, 3, ENTER, 3, ENTER, LEAVE, 4, LEAVE, 2, 3, ENTER, LEAVE, LEAVE], 100);
        assert_eq!(trace.changed, [(1, 4), (5, 6)]);
    }

    #[test]
    fn the_end_of_a_process_ends_its_calls() {
        let trace = follow(&[1, ENTER, 3, ENTER, 5, ENTER], 100);
        assert_eq!(trace.changed, [(1, 3)]);
        assert!(!trace.cut);
    }

    #[test]
    fn a_jump_out_of_calls_leaves_them() {
        let trace = follow(&[1, ENTER, 3, ENTER, 5, ENTER, 2, LEAVE], 100);
        assert_eq!(trace.changed, [(1, 3)]);
    }

    #[test]
    fn functions_without_blocks_are_left_as_well() {
        let trace = follow(&[1, ENTER, 3, ENTER, ENTER, LEAVE, 4, LEAVE, 2, LEAVE], 100);
        assert_eq!(trace.changed, [(1, 3)]);
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let trace = follow(&[1, ENTER, 3, ENTER, 4, 4, 4], 3);
        assert_eq!((trace.statements.as_slice(), trace.cut), ([10, 30, 40].as_slice(), true));
    }

    #[test]
    fn an_unknown_block_makes_no_sense() {
        let blocks = Blocks::simple(&[(0, true)], 1);
        let process = Recorded { events: vec![1, 7], cut: false, places: String::new() };
        assert!(!Path::new(9).follow(&process, &blocks));
    }
}
