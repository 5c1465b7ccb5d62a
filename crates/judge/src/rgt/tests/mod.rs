//! The rules, each in both directions.

mod differences;
mod exceptions;
mod inputs;
mod noise;
