//! One file per technique, and the rule that makes one outcome of many findings.
//!
//! A technique judges observations and returns [`Evidence`](bonafix_model::Evidence); it never decides alone. What
//! a finding can do to a patch is decided in [`combine`], in one place for all techniques: only a witness that held in
//! every replay refutes, heuristics make a patch suspicious, remarks do nothing.

pub mod agreement;
pub mod combine;
mod discards;
pub mod distance;
pub mod new_failures;
pub mod opad;
pub mod patch_sim;
pub mod programs;
pub mod ranking;
pub mod rgt;

pub use combine::combine;
pub use discards::Discards;
pub use distance::distance;
