//! From two versions of a source file to what differs in terms of the program.

mod member;
mod outline;
mod signature;
mod source;
pub(crate) mod syntax;

use bonafix_delta::{Grammar, Interner};
use bonafix_model::DeltaFile;
use camino::Utf8Path;

pub(crate) use bonafix_delta::decode;
use syntax::Java;

/// What a patch does to one file, from both versions' contents; `None` where it does not exist on that side.
pub fn delta_file(path: &Utf8Path, before: Option<&[u8]>, after: Option<&[u8]>) -> DeltaFile {
    let grammar: Option<&dyn Grammar> = if path.extension() == Some("java") { Some(&Java) } else { None };
    bonafix_delta::delta_file(path, before, after, grammar)
}

/// The JUnit 3, 4 and 5 test methods that a source file declares, as binary class name and method name.
pub fn test_methods_in(source: &[u8]) -> Vec<(String, String)> {
    let outline = Java.outline(decode(source), Utf8Path::new(""), &mut Interner::default());
    let tests = outline.into_elements().into_iter().filter(|element| element.is_test);
    tests.map(|element| (element.owner, element.member)).collect()
}
