//! The run directory and the content cache: the only writer of results.
//!
//! [`RunDir`] is the product of a run: a folder that can be read while the run goes on, that survives a kill at any
//! moment, and that a later run can take up again. `docs/run-directory.md` describes its files. [`Cache`] keeps what
//! is dear to make and depends on contents alone, such as a built version; its entries appear whole or not at all.
//!
//! Deliberately absent: this crate knows neither languages nor outcomes, prints nothing, and never writes into the
//! subject's own tree.

#![warn(missing_docs)]

mod cache;
mod error;
mod key;
mod lines;
mod lock;
mod plan;
mod run_dir;
mod scratch;
mod tree;

pub use cache::{Cache, DEFAULT_CAP, InsertError, Inserted, Pruned};
pub use error::StoreError;
pub use key::{Key, KeyBuilder};
pub use lines::{EventLine, Lines};
pub use plan::{Plan, PlannedInput};
pub use run_dir::{Resumed, RunDir};
pub use scratch::{PassingFolder, memory_folder, scratch_folder};
pub use tree::{CopyReport, TreeDigest, copy_tree, digest_tree};
