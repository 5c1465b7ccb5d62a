//! From two versions of a source file to what differs in terms of the program.

mod outline;
mod syntax;

use bonafix_delta::{Grammar, decode};
use bonafix_model::DeltaFile;
use camino::Utf8Path;

use self::syntax::{C, Cxx};
use crate::recipe::{is_cxx, is_header, is_source};

/// What a patch does to one file, from both versions' contents; `None` where it does not exist on that side.
pub fn delta_file(path: &Utf8Path, before: Option<&[u8]>, after: Option<&[u8]>) -> DeltaFile {
    let grammar: Option<&dyn Grammar> = if !is_source(path) && !is_header(path) {
        None
    } else if is_cxx(path) || is_header(path) && [before, after].into_iter().flatten().any(looks_like_cxx) {
        Some(&Cxx)
    } else {
        Some(&C)
    };
    bonafix_delta::delta_file(path, before, after, grammar)
}

/// Does a header that may be of either language say what only C++ has?
fn looks_like_cxx(contents: &[u8]) -> bool {
    let words = ["class ", "namespace ", "template<", "template <"];
    decode(contents).lines().any(|line| words.iter().any(|word| line.trim_start().starts_with(word)))
}
