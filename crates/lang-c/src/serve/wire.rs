//! The messages that travel over the pipes of the fork server; `runtime/c/serve.h` says what they mean.

use std::io::{self, Read, Write};

/// More than the system lets a program have in one argument.
const MOST_TEXT: usize = 1024 * 1024;
const MAGIC: u32 = u32::from_le_bytes(*b"BFX1");

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

/// One run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    /// File for standard input; empty for none.
    pub(super) input: &'a str,
    /// What the program is told that it is called.
    pub(super) name: &'a str,
    pub(super) arguments: &'a [String],
    /// Of the processor, and by the clock.
    pub(super) cpu_millis: u32,
    pub(super) wall_millis: u32,
    pub(super) wants_comparisons: bool,
    /// In the process of the run before, if there is one.
    pub(super) persistent: bool,
    /// Bytes of one file.
    pub(super) file_size: u64,
    /// Bytes of memory; 0 for no limit.
    pub(super) memory: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnd {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    NotStarted,
}

/// What the server says after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) end: RunEnd,
    /// Files were written.
    pub(super) wrote: bool,
    /// Processes are left, and the server ends with them.
    pub(super) strays: bool,
    /// What became of the process that is to serve many runs.
    pub(super) process: Process,
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

impl Request<'_> {
    /// In one piece, so that one call of the system sends it.
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut text = Vec::new();
        for word in [self.input, self.name].into_iter().chain(self.arguments.iter().map(String::as_str)) {
            // A zero would end it early for every program.
            text.extend(word.bytes().filter(|&byte| byte != 0));
            text.push(0);
        }
        if text.len() > MOST_TEXT {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let length = u32::try_from(text.len()).map_err(io::Error::other)?;
        let count = u32::try_from(self.arguments.len() + 1).map_err(io::Error::other)?;
        let flags = u64::from(self.wants_comparisons) | u64::from(self.persistent) << 1;
        let mut message = Vec::with_capacity(40 + text.len());
        for word in [length, count, self.cpu_millis, self.wall_millis] {
            message.extend(word.to_ne_bytes());
        }
        for word in [flags, self.file_size, self.memory] {
            message.extend(word.to_ne_bytes());
        }
        message.extend(text);
        to.write_all(&message)
    }
}

impl Reply {
    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let [end, value, flags, _micros] = words(from)?;
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
        Ok(Self { end, wrote: is(1), strays: is(2), process })
    }
}

fn words<const COUNT: usize>(from: &mut impl Read) -> io::Result<[u32; COUNT]> {
    let mut words = [0; COUNT];
    let mut bytes = vec![0; 4 * COUNT];
    from.read_exact(&mut bytes)?;
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    Ok(words)
}
