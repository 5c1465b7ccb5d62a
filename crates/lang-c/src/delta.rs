//! From two versions of a source file to what differs in terms of the program.

use bonafix_model::{ChangeKind, DeltaFile, LineAlignment};
use camino::Utf8Path;

/// What a patch does to one file, from both versions' contents; `None` where it does not exist on that side.
pub fn delta_file(path: &Utf8Path, before: Option<&[u8]>, after: Option<&[u8]>) -> DeltaFile {
    let change = match (before, after) {
        (None, Some(_)) => ChangeKind::Added,
        (Some(_), None) => ChangeKind::Removed,
        _ => ChangeKind::Changed,
    };
    DeltaFile {
        path: path.to_owned(),
        change,
        elements: Vec::new(),
        alignment: LineAlignment::default(),
        syntactic_distance: None,
        problem: Some("C is not analysed yet".to_owned()),
    }
}
