//! From a description and a patch to versions, delta and baseline.

pub mod baseline;
pub mod config_file;
pub mod description;
pub mod git;
pub mod patch;
pub mod plausibility;
