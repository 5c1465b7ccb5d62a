//! C and C++: builds in variants, tests by input and output, delta.
//!
//! | module | one line |
//! |---|---|
//! | `project` | what the stages see: implements `bonafix_lang::Project` |
//! | `toolchain` | the compiler on this machine |
//! | `variant` | the ways to build a version, and their flags |
//! | `home` | trees at paths of one length, so that a built one can be copied to another place |
//! | `recipe` | which commands build a project |
//! | `compile_commands` | what a `compile_commands.json` says |
//! | `build` | runs a recipe, in the sandbox |
//! | `diagnostics` | what a compiler said, taken from the output of a build |
//! | `version` | built versions in the cache; what must be built from scratch |
//! | `suite` | which tests there are, and which files belong to them |
//! | `testing` | runs tests |
//! | `watch` | single executions: plain, with sanitizers, under valgrind |
//! | `campaign` | looks for inputs that tell versions apart |
//! | `reports` | what sanitizers, valgrind and the C library wrote about a program |
//! | `filter` | the user's command that takes out what differs from run to run |
//! | `normalise` | takes out of what a program wrote what differs by nature |
//! | `runtime` | the code of `runtime/c`, compiled |
//! | `ground` | a copy of a version in which inputs are run: gives the input, takes back what a run wrote |
//! | `seen` | from an end and raw bytes to what is told of an execution |
//! | `serve` | a version behind a fork server: runs inputs fast, one after the other |
//! | `trace` | which statements tests and inputs run, in two versions |
//! | `witness` | a counterexample in its folder, and how it is run from there |

mod build;
mod campaign;
mod compile_commands;
pub mod delta;
mod diagnostics;
mod filter;
mod ground;
mod home;
pub mod normalise;
mod project;
mod recipe;
pub mod reports;
mod runtime;
mod seen;
mod serve;
mod suite;
mod target;
mod testing;
pub mod toolchain;
mod trace;
mod variant;
mod version;
mod watch;
mod witness;

use bonafix_lang::LangError;
use bonafix_proc::ProcError;
use bonafix_store::StoreError;

pub use project::CProject;
pub use serve::ServedTarget;
pub use target::{Sample, Target};
pub use variant::Variant;
pub use watch::WatchedProgram;
pub use witness::{ReplayOptions, replay};

/// A fault of the cache, in the language's terms.
#[expect(clippy::needless_pass_by_value, reason = "used as a function for `map_err`")]
fn store_fault(error: StoreError) -> LangError {
    LangError::Io(std::io::Error::other(error.to_string()))
}

/// A process that could not be started or was interrupted, in the language's terms.
fn proc_fault(error: ProcError) -> LangError {
    match error {
        ProcError::Interrupted => LangError::Interrupted,
        other => LangError::Internal(other.to_string()),
    }
}

/// Something that the user should set or mend.
fn configuration(message: impl Into<String>) -> LangError {
    LangError::Configuration { message: message.into() }
}
