//! The public library: wires the stages into a check.
