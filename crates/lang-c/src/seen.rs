//! What was seen of an execution, however it was run: from an end and raw bytes to an [`Execution`].

use std::collections::BTreeMap;

use bonafix_model::{Execution, ProgramEnd};
use memchr::memmem;

use crate::home::Home;
use crate::normalise::normalise;
use crate::reports;

/// Output of one stream that is kept.
pub(crate) const KEPT: usize = 1024 * 1024;
/// What stands for the path of the input.
const INPUT: &[u8] = b"@@";

/// What came out of a program.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) end: ProgramEnd,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// Some of that was more than is kept.
    pub(crate) cut: bool,
}

impl Raw {
    /// `home` is where the program was built, `input` the path that stands in its arguments.
    pub(crate) fn execution(self, home: &Home, input: &str) -> Execution {
        let parsed = reports::read(&self.stderr, &self.end, &home.tree());
        let clean = |bytes: &[u8]| normalise(&hide(bytes, input), home.path());
        Execution {
            stdout: clean(&self.stdout),
            stderr: clean(&parsed.rest),
            files: self.files.into_iter().map(|(name, bytes)| (name, clean(&bytes))).collect(),
            cut: self.cut,
            faults: parsed.faults,
            leaked: parsed.leaked,
            end: self.end,
        }
    }
}

/// The path of the input is ours, not the program's.
fn hide(bytes: &[u8], path: &str) -> Vec<u8> {
    let mut clean = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memmem::find(rest, path.as_bytes()).filter(|_| !path.is_empty()) {
        clean.extend(&rest[..at]);
        clean.extend(INPUT);
        rest = &rest[at + path.len()..];
    }
    clean.extend(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_input_is_hidden() {
        assert_eq!(hide(b"open ./in: no, ./in", "./in"), b"open @@: no, @@");
        assert_eq!(hide(b"nothing", ""), b"nothing");
    }
}
