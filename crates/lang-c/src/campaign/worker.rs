//! The thread in which a fuzzer runs: LibAFL's state cannot be handed from thread to thread, a campaign must.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use bonafix_lang::{Found, FuzzSlice, FuzzState, LangError};
use bonafix_model::{Execution, ProgramInput};

use super::arena::Arena;
use super::fuzzer::{Fuzzing, Start};

/// What came of a slice.
struct Report {
    found: Result<Vec<Found>, LangError>,
    state: FuzzState,
}

enum Order {
    Fuzz(FuzzSlice, Sender<Report>),
    Corpus(Sender<Vec<ProgramInput>>),
    Glance(ProgramInput, u32, Sender<Result<Execution, LangError>>),
}

/// A fuzzer in its own thread. The thread ends with it.
pub(super) struct Worker {
    /// None once it is to end.
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    state: FuzzState,
}

impl Worker {
    pub(super) fn start(arena: Arena, start: Start) -> Result<Self, LangError> {
        let (orders, receiver) = channel();
        let thread = std::thread::Builder::new().name("fuzzer".to_owned()).spawn(move || {
            serve(Fuzzing::new(arena, start), &receiver);
        })?;
        Ok(Self { orders: Some(orders), thread: Some(thread), state: FuzzState::default() })
    }

    pub(super) fn fuzz(&mut self, slice: &FuzzSlice) -> Result<Vec<Found>, LangError> {
        let report = self.ask(|reply| Order::Fuzz(*slice, reply))?;
        self.state = report.state;
        report.found
    }

    pub(super) fn corpus(&self) -> Vec<ProgramInput> {
        self.ask(Order::Corpus).unwrap_or_default()
    }

    /// Runs an input in the plain build of a version, outside of the search.
    pub(super) fn glance(&self, input: &ProgramInput, version: u32) -> Result<Execution, LangError> {
        self.ask(|reply| Order::Glance(input.clone(), version, reply))?
    }

    pub(super) fn state(&self) -> FuzzState {
        self.state.clone()
    }

    fn ask<T>(&self, order: impl FnOnce(Sender<T>) -> Order) -> Result<T, LangError> {
        let gone = || LangError::Internal("the fuzzer's thread has ended".to_owned());
        let (reply, answer) = channel();
        self.orders.as_ref().ok_or_else(gone)?.send(order(reply)).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.orders.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Does what it is told until nobody is there to tell. Whoever asks may have gone meanwhile.
fn serve(fuzzing: Result<Fuzzing, LangError>, orders: &Receiver<Order>) {
    let mut fuzzing = match fuzzing {
        Ok(fuzzing) => fuzzing,
        Err(error) => {
            if let Ok(Order::Fuzz(_, reply)) = orders.recv() {
                let _ = reply.send(Report { found: Err(error), state: FuzzState::default() });
            }
            return;
        }
    };
    while let Ok(order) = orders.recv() {
        match order {
            Order::Fuzz(slice, reply) => {
                let found = fuzzing.fuzz(&slice);
                let _ = reply.send(Report { found, state: fuzzing.progress() });
            }
            Order::Corpus(reply) => {
                let _ = reply.send(fuzzing.corpus());
            }
            Order::Glance(input, version, reply) => {
                let _ = reply.send(fuzzing.glance(&input, version));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use bonafix_model::{Detector, Execution, Fault, Frame, ProgramEnd};

    use super::*;
    use crate::campaign::arena::Targets;
    use crate::campaign::dictionary::Dictionary;
    use crate::campaign::fuzzer::PATIENCE;
    use crate::campaign::region::Region;
    use crate::target::{Sample, Target};

    /// A program that is a function: what it prints, and the edges that it takes.
    type Program = fn(&ProgramInput) -> (Execution, Vec<u8>);

    struct Fake(Program);

    impl Target for Fake {
        fn run_all(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Sample>, LangError> {
            let samples = inputs.iter().map(|input| {
                let (execution, coverage) = (self.0)(input);
                Sample { execution, coverage, comparisons: Vec::new() }
            });
            Ok(samples.collect())
        }

        fn places(&self) -> &[Option<Frame>] {
            &[]
        }
    }

    fn printed(text: &str) -> Execution {
        Execution { stdout: text.as_bytes().to_vec(), ..Execution::silent(ProgramEnd::Exited(0)) }
    }

    /// How often `a`, `b` and `c` come, as edges.
    fn letters(input: &ProgramInput) -> Vec<u8> {
        let count = |letter| memchr::memchr_iter(letter, &input.bytes).count().min(255);
        b"abc".iter().map(|&letter| u8::try_from(count(letter)).unwrap_or(255)).collect()
    }

    fn same(input: &ProgramInput) -> (Execution, Vec<u8>) {
        (printed("same"), letters(input))
    }

    /// Prints something else for a word that no chance makes.
    fn magic(input: &ProgramInput) -> (Execution, Vec<u8>) {
        let text = String::from_utf8_lossy(&input.bytes);
        let said = if text.contains("xyzzy-4711") { "magic" } else { "same" };
        (printed(said), letters(input))
    }

    /// Tells the time, in the same line.
    fn dated((execution, coverage): (Execution, Vec<u8>)) -> (Execution, Vec<u8>) {
        static CLOCK: AtomicU32 = AtomicU32::new(0);
        let time = CLOCK.fetch_add(1, Ordering::Relaxed);
        (printed(&format!("at {time} {}", String::from_utf8_lossy(&execution.stdout))), coverage)
    }

    fn dated_same(input: &ProgramInput) -> (Execution, Vec<u8>) {
        dated(same(input))
    }

    fn dated_magic(input: &ProgramInput) -> (Execution, Vec<u8>) {
        dated(magic(input))
    }

    fn crashing(input: &ProgramInput) -> (Execution, Vec<u8>) {
        let mut execution = printed("same");
        if memchr::memchr_iter(b'b', &input.bytes).count() > 5 {
            execution.faults.push(Fault {
                detector: Detector::Address,
                kind: "heap-buffer-overflow".to_owned(),
                message: String::new(),
                stack: Vec::new(),
                origins: Vec::new(),
            });
        }
        (execution, letters(input))
    }

    fn four(input: &ProgramInput) -> (Execution, Vec<u8>) {
        let is_four = input.arguments.as_deref() == Some(&["-4".to_owned()]);
        let said = if is_four && input.bytes.contains(&b'\t') { "four" } else { "same" };
        (printed(said), letters(input))
    }

    fn beyond_eight(input: &ProgramInput) -> (Execution, Vec<u8>) {
        let number = input.arguments.as_ref().and_then(|words| words.last()?.parse().ok()).unwrap_or(0);
        (printed(if number > 8 { "beyond" } else { "same" }), letters(input))
    }

    /// Counts inputs whose last line does not end.
    static UNENDED: AtomicU32 = AtomicU32::new(0);

    fn counting_unended(input: &ProgramInput) -> (Execution, Vec<u8>) {
        UNENDED.fetch_add(u32::from(!input.bytes.ends_with(b"\n")), Ordering::Relaxed);
        same(input)
    }

    fn first_and_last(input: &ProgramInput) -> (Execution, Vec<u8>) {
        let is_mixed = input.arguments.as_deref() == Some(&["-a".to_owned(), "2".to_owned(), "z".to_owned()]);
        (printed(if is_mixed { "mixed" } else { "same" }), letters(input))
    }

    fn targets(versions: &[Program], fuzz: &[Program]) -> Targets {
        Targets {
            plain: versions.iter().map(|&program| Box::new(Fake(program)) as Box<dyn Target>).collect(),
            fuzz: fuzz.iter().map(|&program| Some(Box::new(Fake(program)) as Box<dyn Target>)).collect(),
            slow: Vec::new(),
        }
    }

    fn input(text: &str) -> ProgramInput {
        ProgramInput { arguments: None, bytes: text.as_bytes().to_vec() }
    }

    fn worker(targets: Targets, inputs: Vec<ProgramInput>, words: &[&str], seed: u64) -> Worker {
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let dictionary = Dictionary { words, ..Dictionary::default() };
        let start = Start { inputs, kept: 0, dictionary, seed };
        Worker::start(Arena::new(targets, Region::default(), false), start).unwrap()
    }

    fn slice(inputs: u64) -> FuzzSlice {
        FuzzSlice { inputs, until: None }
    }

    #[test]
    fn a_word_of_the_dictionary_tells_versions_apart() {
        let versions: [Program; 3] = [same, magic, same];
        let mut with = worker(targets(&versions, &versions), vec![input("a b\n")], &["xyzzy-4711"], 1);
        let found = with.fuzz(&slice(2000)).unwrap();
        assert!(!found.is_empty());
        for one in &found {
            let printed: Vec<_> =
                one.executions.iter().flatten().map(|seen| seen.stdout.as_slice()).collect();
            assert_eq!(printed, [b"same".as_slice(), b"magic", b"same"]);
        }
        assert!(with.state().differing > 0);
        let mut without = worker(targets(&versions, &versions), vec![input("a b\n")], &[], 1);
        assert_eq!(without.fuzz(&slice(2000)).unwrap(), []);
    }

    #[test]
    fn what_comes_and_goes_is_left_out_of_a_difference() {
        let same: [Program; 3] = [dated_same, dated_same, dated_same];
        let mut alike = worker(targets(&same, &same), vec![input("a b\n")], &["xyzzy-4711"], 1);
        assert_eq!(alike.fuzz(&slice(500)).unwrap(), []);
        assert!(alike.state().differing > 0);
        let versions: [Program; 3] = [dated_same, dated_magic, dated_same];
        let mut apart = worker(targets(&versions, &versions), vec![input("a b\n")], &["xyzzy-4711"], 1);
        let found = apart.fuzz(&slice(2000)).unwrap();
        assert!(!found.is_empty());
        assert!(found.iter().all(|one| String::from_utf8_lossy(&one.input.bytes).contains("xyzzy-4711")));
    }

    #[test]
    fn the_same_seed_finds_the_same_however_it_is_sliced() {
        let versions: [Program; 3] = [same, magic, same];
        let run = |slices: &[u64], seed| {
            let mut worker =
                worker(targets(&versions, &versions), vec![input("a b\n")], &["xyzzy-", "4711"], seed);
            let found: Vec<Found> =
                slices.iter().flat_map(|&inputs| worker.fuzz(&slice(inputs)).unwrap()).collect();
            (found, worker.state(), worker.corpus())
        };
        let once = run(&[6000], 1);
        assert!(!once.0.is_empty());
        assert_eq!(once, run(&[6000], 1));
        assert_eq!(once, run(&[1, 999, 5000], 1));
        assert_eq!(once.1.inputs, 6000);
        assert_ne!(once.2, run(&[6000], 2).2);
    }

    #[test]
    fn a_fault_that_only_the_patched_version_has_is_found_and_does_not_flood() {
        let plain: [Program; 2] = [same, same];
        let mut worker = worker(targets(&plain, &[same, crashing]), vec![input("ab\n")], &[], 3);
        let found = worker.fuzz(&slice(5000)).unwrap();
        assert!((1..=12).contains(&found.len()), "{}", found.len());
        for one in &found {
            let faults: Vec<_> = one.executions.iter().flatten().map(|seen| seen.faults.len()).collect();
            assert_eq!(faults, [0, 1]);
        }
    }

    #[test]
    fn a_fault_that_all_versions_have_is_none_of_the_patch() {
        let plain: [Program; 2] = [same, same];
        let mut worker = worker(targets(&plain, &[crashing, crashing]), vec![input("ab\n")], &[], 3);
        assert_eq!(worker.fuzz(&slice(3000)).unwrap(), []);
    }

    #[test]
    fn the_arguments_of_one_seed_meet_the_bytes_of_another() {
        let versions: [Program; 3] = [same, four, same];
        let seeds = vec![
            ProgramInput { arguments: Some(vec!["-4".to_owned()]), bytes: b"ab\n".to_vec() },
            input("a\tb\n"),
        ];
        let mut worker = worker(targets(&versions, &versions), seeds, &[], 1);
        assert!(!worker.fuzz(&slice(1000)).unwrap().is_empty());
        assert_eq!(worker.state().seeds, 2);
    }

    #[test]
    fn one_argument_of_a_seed_comes_among_those_of_another() {
        let versions: [Program; 3] = [same, first_and_last, same];
        let given = |words: [&str; 3]| ProgramInput {
            arguments: Some(words.map(ToOwned::to_owned).to_vec()),
            bytes: b"a\n".to_vec(),
        };
        let seeds = vec![given(["-a", "x", "z"]), given(["-b", "2", "y"])];
        let mut worker = worker(targets(&versions, &versions), seeds, &[], 1);
        assert!(!worker.fuzz(&slice(2000)).unwrap().is_empty());
    }

    #[test]
    fn numbers_in_arguments_are_changed_as_well() {
        let versions: [Program; 3] = [same, beyond_eight, same];
        let seed =
            ProgramInput { arguments: Some(vec!["-t".to_owned(), "4".to_owned()]), bytes: b"ab\n".to_vec() };
        let mut worker = worker(targets(&versions, &versions), vec![seed], &[], 1);
        let found = worker.fuzz(&slice(1000)).unwrap();
        assert!(!found.is_empty());
        assert!(found.iter().all(|one| one.input.arguments.as_ref().is_some_and(|words| words[0] == "-t")));
    }

    #[test]
    fn last_lines_mostly_end_where_those_of_all_tests_do() {
        let versions: [Program; 3] = [same, same, same];
        let counting: [Program; 3] = [same, counting_unended, same];
        let unended = |seeds: &[&str]| {
            UNENDED.store(0, Ordering::Relaxed);
            let seeds = seeds.iter().map(|seed| input(seed)).collect();
            let mut worker = worker(targets(&versions, &counting), seeds, &[], 1);
            worker.fuzz(&slice(600)).unwrap();
            UNENDED.load(Ordering::Relaxed)
        };
        let (few, many) = (unended(&["a b\n", "c\n"]), unended(&["a b\n", "c"]));
        assert!((1..100).contains(&few) && many > 150, "{few} and {many}");
    }

    #[test]
    fn when_nothing_new_comes_the_campaign_is_exhausted() {
        let versions: [Program; 3] = [same, same, same];
        let mut worker = worker(targets(&versions, &versions), vec![input("ab\n")], &[], 1);
        worker.fuzz(&slice(100)).unwrap();
        assert!(!worker.state().exhausted);
        worker.fuzz(&slice(10 * PATIENCE)).unwrap();
        let state = worker.state();
        assert!(state.exhausted && state.inputs < 10 * PATIENCE, "{state:?}");
        assert_eq!((state.branches, state.branches_taken), (3, 3));
    }

    #[test]
    fn without_coverage_differences_are_found_all_the_same() {
        let versions: [Program; 3] = [same, magic, same];
        let mut worker = worker(targets(&versions, &[]), vec![input("a b\n")], &["xyzzy-4711"], 1);
        assert!(!worker.fuzz(&slice(2000)).unwrap().is_empty());
    }

    #[test]
    fn without_sanitizers_what_is_kept_runs_under_valgrind() {
        let plain: [Program; 2] = [same, same];
        let slow = |program: Program| Some(Box::new(Fake(program)) as Box<dyn Target>);
        let targets = Targets { slow: vec![slow(same), slow(crashing)], ..targets(&plain, &[]) };
        // Without coverage and without differences only what is given is kept.
        let mut worker = worker(targets, vec![input("bbbbbbbb\n"), input("ab\n")], &[], 1);
        let found = worker.fuzz(&slice(2)).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].input, input("bbbbbbbb\n"));
    }

    #[test]
    fn without_a_seed_the_campaign_begins_with_nothing() {
        let versions: [Program; 3] = [same, magic, same];
        let mut worker = worker(targets(&versions, &versions), Vec::new(), &["xyzzy-4711"], 1);
        assert!(!worker.fuzz(&slice(2000)).unwrap().is_empty());
    }

    #[test]
    fn without_a_reference_what_crashes_the_buggy_version_is_not_built_upon() {
        let plain: [Program; 2] = [same, same];
        let seeds = vec![input("bbbbbbbb\n"), input("ab\n")];
        let mut worker = worker(targets(&plain, &[crashing, same]), seeds, &[], 1);
        worker.fuzz(&slice(2)).unwrap();
        assert_eq!(worker.corpus(), [input("ab\n")]);
    }
}
