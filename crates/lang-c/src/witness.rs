//! Counterexamples as folders: an input, what must come of it, and the project with all versions, to be built and run
//! from there on any machine with a compiler.
//!
//! | module | one line |
//! |---|---|
//! | `folder` | what is in the folder: `witness.json`, the README, the changes |
//! | `script` | `run.sh`, for people without bonafix |
//! | `replay` | writes the folder, builds the versions from it and runs them |

mod folder;
mod replay;
mod script;

pub use replay::{ReplayOptions, replay};
