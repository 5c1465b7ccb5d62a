//! The files in which a batch of inputs is given to the fork server, and its results are taken back.

use std::os::unix::fs::FileExt;

use bonafix_lang::LangError;
use bonafix_model::ProgramEnd;
use camino::Utf8Path;
use fs_err::File;

use super::server::Answer;
use super::wire::{Progress, RunResult};

/// More bytes of results are nothing that the runtime writes.
const MOST_RESULTS: u64 = 1024 * 1024 * 1024;
const HEAD: usize = 24;

/// See the module.
pub(super) struct Exchange {
    inputs: File,
    results: File,
}

impl Exchange {
    /// Makes the files in the server's folder.
    pub(super) fn open(folder: &Utf8Path) -> Result<Self, LangError> {
        let open = |name: &str| {
            let mut options = fs_err::OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).open(folder.join(name))
        };
        Ok(Self { inputs: open("inputs")?, results: open("results")? })
    }

    /// What is told of an earlier batch is taken away first: a server that ends before it begins with this one must not seem to have
    /// answered it.
    pub(super) fn give(&self, inputs: &[u8]) -> Result<(), LangError> {
        self.results.file().write_all_at(&[0; HEAD], 0)?;
        Ok(self.inputs.file().write_all_at(inputs, 0)?)
    }

    /// Has the server begun with a run of the batch?
    pub(super) fn has_begun(&self) -> bool {
        self.progress().is_none_or(|progress| progress.begun > 0)
    }

    /// What is told of the runs that are finished, and how the one behind them has ended if it took the server with it. None
    /// if a run has written over that.
    pub(super) fn take(&self, answer: Answer) -> Option<(Vec<RunResult>, Option<ProgramEnd>)> {
        let (finished, bytes, end) = match answer {
            Answer::Reply(reply) => (reply.runs, reply.bytes, None),
            Answer::Gone(end) => {
                let Progress { begun, finished, bytes } = self.progress()?;
                // Where none had begun, the first one is to blame.
                (finished, bytes, (begun != finished || finished == 0).then_some(end))
            }
        };
        let results = if finished == 0 { Vec::new() } else { self.read(bytes, finished)? };
        (!results.is_empty() || end.is_some()).then_some((results, end))
    }

    fn progress(&self) -> Option<Progress> {
        let mut head = [0; HEAD];
        self.results.file().read_exact_at(&mut head, 0).ok()?;
        Progress::read(&mut head.as_slice()).ok()
    }

    fn read(&self, length: u64, count: u32) -> Option<Vec<RunResult>> {
        let mut bytes = vec![0; usize::try_from(length.min(MOST_RESULTS)).ok()?];
        self.results.file().read_exact_at(&mut bytes, 0).ok()?;
        RunResult::read_all(&bytes, count).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server had answered a batch, and was ended for it before it began with the next one.
    #[test]
    fn what_is_told_of_one_batch_is_no_answer_to_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let exchange = Exchange::open(Utf8Path::from_path(folder.path()).unwrap()).unwrap();
        let mut told: Vec<u8> = [2u32, 2, 0, 0].iter().flat_map(|number| number.to_ne_bytes()).collect();
        told.extend(100u64.to_ne_bytes());
        exchange.results.file().write_all_at(&told, 0).unwrap();
        assert!(exchange.has_begun());
        exchange.give(b"inputs").unwrap();
        assert!(!exchange.has_begun());
        let (results, end) = exchange.take(Answer::Gone(ProgramEnd::Signalled(9))).unwrap();
        assert_eq!((results.len(), end), (0, Some(ProgramEnd::Signalled(9))));
    }
}
