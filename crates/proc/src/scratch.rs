//! How much the writable folders of a job hold.

use camino::{Utf8Path, Utf8PathBuf};
use std::os::unix::fs::MetadataExt as _;

/// Bytes on disk below these folders. Stops counting beyond `limit`, so that a flood of files costs little.
pub(crate) fn usage(folders: &[Utf8PathBuf], limit: u64) -> u64 {
    let mut total = 0;
    for folder in folders {
        total += folder_usage(folder.as_path(), limit.saturating_sub(total));
        if total > limit {
            break;
        }
    }
    total
}

fn folder_usage(root: &Utf8Path, limit: u64) -> u64 {
    let mut total = 0;
    let mut pending = vec![root.as_std_path().to_owned()];
    while let Some(folder) = pending.pop() {
        // Folders vanish while a job runs; what is gone takes no room.
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            // Blocks rather than length: a hole takes no room. An empty file still costs an inode, and a flood of
            // empty files is a flood.
            total += metadata.blocks() * 512 + 256;
            if metadata.is_dir() {
                pending.push(entry.path());
            }
        }
        if total > limit {
            break;
        }
    }
    total
}
