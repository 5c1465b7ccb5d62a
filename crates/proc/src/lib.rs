//! The only place that starts a process: sandbox, group, deadline, limits, interruption.
//!
//! A [`Job`] says what to run and within which bounds; a [`Launcher`], made once, knows what the kernel gives for a
//! sandbox; [`Running`] is the job under way, and dropping it ends the job with everything it started.
//!
//! ```no_run
//! use bonafix_proc::{Exit, Job, Launcher, Limits, SandboxMode, SandboxSpec};
//!
//! let launcher = Launcher::new(SandboxMode::BestEffort)?;
//! let finished = Job::new("java")
//!     .args(["-cp", "classes", "Main"])
//!     .frozen_env("scratch".into())
//!     .sandboxed(SandboxSpec::scratch("scratch").read("classes"))
//!     .limits(Limits::default())
//!     .run(&launcher)?;
//! if finished.exit == Exit::TimedOut { /* … */ }
//! # Ok::<(), bonafix_proc::ProcError>(())
//! ```
//!
//! How the sandbox is made, and why so: `docs/decisions/0001-sandbox.md`.

mod cgroup;
mod child;
mod confine;
mod error;
mod filter;
pub mod interrupt;
mod job;
mod limits;
mod message;
mod os;
mod output;
mod protection;
mod ruleset;
mod running;
mod sample;
mod scratch;
mod supervise;

pub use confine::{Confinement, SandboxSpec};
pub use error::ProcError;
pub use job::{Job, Sink, Stdin};
pub use limits::Limits;
pub use protection::{Launcher, NetworkGuard, ProcessGuard, Protection, SandboxMode};
pub use running::{Captured, Exit, Finished, Running};
