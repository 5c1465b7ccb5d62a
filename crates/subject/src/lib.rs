//! From a description and a patch to versions, delta and baseline.

pub mod baseline;
pub mod config_file;
pub mod patch;
pub mod plausibility;
