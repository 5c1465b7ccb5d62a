//! Inputs without expectations: seeds from developers' tests, random ones, searched ones; and small ones from large ones.
//!
//! Knows a program by its catalog and by what is known of it, and runs inputs through a `Run`. One seed and one number
//! of inputs give one search.

#![warn(missing_docs)]

mod affordable;
mod build;
mod bytes;
mod chance;
mod contents;
mod corpus;
mod draft;
mod literals;
mod mutate;
mod observe;
mod oddity;
mod palette;
mod propose;
mod search;
mod seeds;
mod types;
mod vary;
mod world;

pub use bytes::minimise_bytes;
pub use observe::Observers;
pub use search::{Finding, OnDifference, Reaction, Search, SearchOptions, SearchReport, SearchState};
pub use vary::variations;
mod minimise;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use minimise::{Allowance, minimise};
