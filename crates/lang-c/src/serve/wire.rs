//! The messages that travel over the pipes of the fork server, and what lies in the files beside them; `runtime/c/serve.h`
//! says what they mean.

use std::io::{self, Read, Write};

/// More than the system lets a program have in one argument.
const MOST_TEXT: usize = 1024 * 1024;
/// As `runtime/c/batch.c` has it, with the file of the input.
const MOST_ARGUMENTS: usize = 65536;
const MAGIC: u32 = u32::from_le_bytes(*b"BFX2");
/// Inputs and results begin at multiples of this.
const ALIGNED: usize = 8;

/// What the server says before the first run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hello {
    /// The program has threads, which a copy of it would lack.
    pub(super) has_threads: bool,
    /// The server cannot tell whether files were written.
    pub(super) is_blind: bool,
    /// Counters of edges.
    pub(super) edges: u32,
}

/// A batch of runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) runs: u32,
    /// Of the processor, and by the clock.
    pub(super) cpu_millis: u32,
    pub(super) wall_millis: u32,
    pub(super) wants_comparisons: bool,
    /// In the process of the run before, if there is one.
    pub(super) persistent: bool,
    /// Bytes of all inputs.
    pub(super) inputs: u64,
    /// Bytes of one file.
    pub(super) file_size: u64,
    /// Bytes of memory; 0 for no limit.
    pub(super) memory: u64,
}

/// What one run is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    /// Where the bytes are to lie.
    pub(super) file: &'a str,
    /// The program reads them from its standard input; else that is empty.
    pub(super) on_stdin: bool,
    /// What the program is told that it is called.
    pub(super) name: &'a str,
    pub(super) arguments: &'a [String],
    pub(super) bytes: &'a [u8],
}

/// The inputs of a batch, as they lie in their file.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    pub(super) bytes: Vec<u8>,
    pub(super) runs: u32,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnd {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    NotStarted,
}

/// What the server says when a batch is over, as far as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) runs: u32,
    /// Of the results.
    pub(super) bytes: u64,
}

/// How far a batch has come: the head of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) begun: u32,
    pub(super) finished: u32,
    /// Of the results, with this.
    pub(super) bytes: u64,
}

/// What is told of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunResult {
    pub(super) end: RunEnd,
    /// Files were written.
    pub(super) wrote: bool,
    /// Processes are left, and the server ends with them.
    pub(super) strays: bool,
    /// What became of the process that is to serve many runs.
    pub(super) process: Process,
    /// What it printed is too long to be told here.
    pub(super) is_long: bool,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// A counter for each edge.
    pub(super) counters: Vec<u8>,
}

/// The process that is to serve many runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Process {
    /// It waits for the next one, if there is such a process.
    Stays,
    /// The run had a process of its own, though it was asked to be in that of the run before.
    Refused,
    /// The run has ended it.
    Ended,
}

impl Hello {
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let [magic, flags, edges] = words(from)?;
        if magic != MAGIC {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Self { has_threads: flags & 1 != 0, is_blind: flags & 2 != 0, edges })
    }
}

impl Request {
    /// In one piece, so that one call of the system sends it.
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let flags = u32::from(self.wants_comparisons) | u32::from(self.persistent) << 1;
        let mut message = Vec::with_capacity(40);
        for word in [self.runs, flags, self.cpu_millis, self.wall_millis] {
            message.extend(word.to_ne_bytes());
        }
        for word in [self.inputs, self.file_size, self.memory] {
            message.extend(word.to_ne_bytes());
        }
        to.write_all(&message)
    }
}

impl Inputs {
    pub(super) fn push(&mut self, run: &Run<'_>) -> io::Result<()> {
        let mut text = Vec::new();
        for word in [run.file, run.name].into_iter().chain(run.arguments.iter().map(String::as_str)) {
            // A zero would end it early for every program.
            text.extend(word.bytes().filter(|&byte| byte != 0));
            text.push(0);
        }
        let arguments = run.arguments.len() + 2;
        if text.len() > MOST_TEXT || arguments > MOST_ARGUMENTS {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let word = |length: usize| u32::try_from(length).map_err(io::Error::other);
        self.bytes.extend(word(text.len())?.to_ne_bytes());
        self.bytes.extend(word(arguments)?.to_ne_bytes());
        self.bytes.extend((run.bytes.len() as u64).to_ne_bytes());
        self.bytes.extend(u32::from(run.on_stdin).to_ne_bytes());
        self.bytes.extend(0_u32.to_ne_bytes());
        self.bytes.extend(text);
        self.bytes.extend(run.bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNED), 0);
        self.runs += 1;
        Ok(())
    }
}

impl Reply {
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let [runs, _] = words(from)?;
        Ok(Self { runs, bytes: long(from)? })
    }
}

impl Progress {
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let [begun, finished, _, _] = words(from)?;
        Ok(Self { begun, finished, bytes: long(from)? })
    }
}

impl RunResult {
    /// So many results behind the head of their file.
    pub(super) fn read_all(mut from: &[u8], count: u32) -> io::Result<Vec<Self>> {
        Progress::read(&mut from)?;
        (0..count).map(|_| Self::read(&mut from)).collect()
    }

    fn read(from: &mut &[u8]) -> io::Result<Self> {
        let [end, value, flags, edges, stdout, stderr] = words(from)?;
        let end = match end {
            0 => RunEnd::Exited(value.cast_signed()),
            1 => RunEnd::Signalled(value.cast_signed()),
            2 => RunEnd::TimedOut,
            3 => RunEnd::NotStarted,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        let is = |flag: u32| flags & flag != 0;
        let process = match (is(4), is(8)) {
            (true, _) => Process::Refused,
            (false, true) => Process::Ended,
            (false, false) => Process::Stays,
        };
        let (stdout, stderr) = (part(from, stdout)?, part(from, stderr)?);
        let counters = part(from, edges)?;
        let length = stdout.len() + stderr.len() + counters.len();
        let padding = length.next_multiple_of(ALIGNED) - length;
        part(from, u32::try_from(padding).map_err(io::Error::other)?)?;
        Ok(Self {
            end,
            wrote: is(1),
            strays: is(2),
            process,
            is_long: is(16),
            stdout: stdout.to_vec(),
            stderr: stderr.to_vec(),
            counters: counters.to_vec(),
        })
    }
}

/// The next so many bytes.
fn part<'a>(from: &mut &'a [u8], length: u32) -> io::Result<&'a [u8]> {
    from.split_off(..length as usize).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn words<const COUNT: usize>(from: &mut impl Read) -> io::Result<[u32; COUNT]> {
    let mut words = [0; COUNT];
    for word in &mut words {
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes)?;
        *word = u32::from_ne_bytes(bytes);
    }
    Ok(words)
}

fn long(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn results_lie_one_behind_the_other_at_multiples_of_eight() {
        let mut file = numbers(&[2, 2, 0, 0, 0, 0]);
        file.extend(numbers(&[0, 3, 1, 2, 5, 0]));
        file.extend(b"hello\x01\x02\0");
        file.extend(numbers(&[1, 11, 24, 0, 0, 1]));
        file.extend(b"e\0\0\0\0\0\0\0");
        let results = RunResult::read_all(&file, 2).unwrap();
        assert_eq!((results[0].end, results[0].wrote), (RunEnd::Exited(3), true));
        assert_eq!(
            (results[0].stdout.as_slice(), results[0].counters.as_slice()),
            (&b"hello"[..], &[1, 2][..])
        );
        assert_eq!((results[1].end, results[1].is_long), (RunEnd::Signalled(11), true));
        assert_eq!((results[1].process, results[1].stderr.as_slice()), (Process::Ended, &b"e"[..]));
    }

    #[test]
    fn results_that_a_program_has_scribbled_over_are_an_error_and_no_panic() {
        let mut file = numbers(&[1, 1, 0, 0, 0, 0]);
        file.extend(numbers(&[0, 0, 0, u32::MAX, u32::MAX, 7]));
        assert!(RunResult::read_all(&file, 1).is_err());
        assert!(RunResult::read_all(&file[..30], 1).is_err());
        assert!(RunResult::read_all(&numbers(&[0; 3]), 0).is_err());
    }

    #[test]
    fn inputs_are_aligned_and_lose_zeros_of_their_words() {
        let mut inputs = Inputs::default();
        let arguments = ["a\0b".to_owned()];
        let run = Run { file: "/in", on_stdin: true, name: "p", arguments: &arguments, bytes: b"x\0y" };
        inputs.push(&run).unwrap();
        inputs.push(&run).unwrap();
        assert_eq!((inputs.runs, inputs.bytes.len()), (2, 80));
        assert_eq!(inputs.bytes[..24], [numbers(&[9, 3, 3, 0, 1, 0])].concat());
        assert_eq!(&inputs.bytes[24..36], b"/in\0p\0ab\0x\0y");
    }
}
