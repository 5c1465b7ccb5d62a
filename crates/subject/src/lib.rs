//! From a description and a patch to versions, delta and baseline.
