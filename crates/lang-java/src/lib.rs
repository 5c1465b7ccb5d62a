//! Java: build tools, compiler, class files, tests, delta.
//!
//! | module | one line |
//! |---|---|
//! | `project` | what the stages see: implements `bonafix_lang::Project` |
//! | `layout` | what a project consists of, whatever builds it |
//! | `base` | the buggy version: private copy, layout, classes |
//! | `overlay` | other versions: what must be compiled anew, and what follows |
//! | `shape`, `class_index` | what other classes can see of a class, and who sees it |
//! | `runtime`, `wire` | the Java programs of ours, and how to talk to them |
//! | `compiler` | the warm javac |
//! | `junit`, `selection` | running tests, and which |
//! | `classfile` | class files: analysed, and rewritten with probes |
//! | `arena` | one JVM with all versions in it, for sequences of calls |
//! | `explore` | a search: versions with probes, goals, what leads to the change |
//! | `trace` | which statements tests and inputs run, in two versions |
//! | `witness` | counterexamples as JUnit tests, written and run from disk |
//! | `knowledge` | what tests and documentation tell: inputs, constants, facts |
//! | `delta` | from two sources to changed methods and statements |
//! | `primitive` | primitive types and their boxes |
//! | `toolchain` | the JDK and the tools on this machine |

mod arena;
mod base;
mod class_index;
pub mod classfile;
mod code_key;
mod compiler;
pub mod delta;
pub mod explore;
mod exploring;
mod junit;
pub mod knowledge;
pub mod layout;
mod overlay;
mod primitive;
mod project;
mod runtime;
mod selection;
mod shape;
pub mod toolchain;
mod trace;
mod wire;
mod witness;

use bonafix_lang::LangError;
use bonafix_proc::ProcError;
use bonafix_store::StoreError;

pub use arena::{Arena, ArenaConfig, ArenaProbes, ArenaSubject, Atom, Losses};
pub use project::JavaProject;
pub use witness::{ReplayOptions, render, replay};

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
