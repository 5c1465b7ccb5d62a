//! The public library: wires the stages into a check.
//!
//! ```text
//! description + patches -> subject -> versions, baseline -> judge -> run directory
//! ```
//!
//! Only this crate knows the order of the stages and which languages exist. It prints nothing: what happens comes
//! as [`Event`](bonafix_model::Event)s, and the result is a [`RunReport`](bonafix_model::RunReport) in a run directory.

#![warn(missing_docs)]

mod check;
mod error;
mod fuzzing;
mod inputs;
mod judging;
mod languages;
mod patch;
mod ranking;
mod refute;
mod replay;
mod seen;
mod session;
mod similarity;
#[cfg(test)]
mod testing;

pub use bonafix_judge::patch_sim::{FailingMean, Options as SimOptions};
pub use bonafix_lang_java::toolchain;
pub use bonafix_proc::{Launcher, Protection, SandboxMode, interrupt};
pub use bonafix_store::{Cache, RunDir, StoreError};
pub use bonafix_subject::config_file::{CASE_FILE, PROJECT_FILE};
pub use bonafix_subject::description::{PatchArgument, Request};
pub use check::{CheckOptions, Checked, Resume, check};
pub use error::CheckError;
pub use judging::{JudgingOptions, Technique};
pub use replay::{ReplayOptions, replay};
pub use session::OnEvent;
