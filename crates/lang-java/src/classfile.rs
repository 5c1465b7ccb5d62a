//! Class files: read, analyse, and rewrite with probes.
//!
//! | module | one line |
//! |---|---|
//! | `reader`, `constants`, `class` | the format, as far as it must be understood; the rest is copied byte by byte |
//! | `code`, `opcode` | a method's code and its instructions |
//! | `flow` | basic blocks and edges |
//! | `plan` | what is asked for, and what comes back |
//! | `weave` | which probe stands where |
//! | `entry` | where a constructor's object is initialised |
//! | `rewrite`, `frames`, `annotations` | code with probes in it, and everything that points into the code |
//! | `instrument` | a whole class |
//!
//! # What the probes use
//!
//! Static members of [`RUNTIME_CLASS`]. `op` is the [`Condition`] under which the jump is taken, as a number
//! (`EQ` 0, `NE` 1, `LT` 2, `GE` 3, `GT` 4, `LE` 5). Only `step` may throw. Whoever looks at the objects that are
//! passed may call code with probes, and must not follow itself there.
//!
//! | member | where | arguments |
//! |---|---|---|
//! | field `HITS`, `[B` | start of a block | `HITS[block id] = 1`; must be longer than any id in use |
//! | `line(I)V` | start of a statement | line id |
//! | `step()V` | start of a method, before a jump back | |
//! | `compareZero(III)V` | before `if<cond>` | value, op, branch id |
//! | `compareInt(IIII)V` | before `if_icmp<cond>` | left, right, op, branch id |
//! | `compareReference(Ljava/lang/Object;Ljava/lang/Object;II)V` | before `if_acmp<cond>` | left, right, op, branch id |
//! | `compareNull(Ljava/lang/Object;II)V` | before `ifnull` (op `EQ`), `ifnonnull` (`NE`) | value, op, branch id |
//! | `compareLong(JJII)I` | instead of `lcmp`, if an `if<cond>` follows | left, right, op, branch id |
//! | `compareFloat(FFII)I` | instead of `fcmpl`, `fcmpg`, likewise | left, right, op (+ 8 for `fcmpg`), branch id |
//! | `compareDouble(DDII)I` | instead of `dcmpl`, `dcmpg`, likewise | left, right, op (+ 8 for `dcmpg`), branch id |
//! | `switchOn(II)V` | before `tableswitch`, `lookupswitch` | value, branch id |
//! | `enter([Ljava/lang/Object;I)V` | start of a method; after `super(…)` or `this(…)` in a constructor | receiver if any, arguments; call id |
//! | `exit(Ljava/lang/Object;I)V` | before a return | boxed result or `null`, call id |
//! | `currentTimeMillis()J`, `nanoTime()J` | instead of those of `System` | |
//! | `thrown(Ljava/lang/Throwable;I)V` | when an exception leaves a method that was entered | exception, call id |
//!
//! `compareLong`, `compareFloat`, `compareDouble` return what the instruction would have left: -1, 0, 1, and for NaN
//! -1, or 1 if 8 was added to the op. They take the instruction's place because nothing can copy two wide operands.
//!
//! # What holds
//!
//! - Probes are straight-line code, so no frame is added, but one for the handler that calls `thrown`. It says nothing
//!   of the locals: whatever a compiler keeps there, it fits.
//! - Whatever points at an instruction as a place to go (jump, frame, range, line) points to the probes before it.
//!   What means the instruction itself (`uninitialized`, type annotations) stays with it.
//! - `enter` and the `step` of a method's start are not reached by jumps to the first instruction.
//! - A method that grows over 64 KB, or whose conditional jumps would leap over 32 KB, gets fewer probes, in the end
//!   none; see [`Skipped`]. `goto` and `jsr` grow wide where they must.
//! - Attributes of the code that are not known here are dropped: their offsets could not be repaired. Known are line and
//!   variable tables, frames and type annotations.

mod annotations;
mod class;
mod code;
mod constants;
mod entry;
mod flow;
mod frames;
mod instrument;
mod opcode;
mod plan;
mod reader;
mod rewrite;
mod weave;

pub use flow::{Block, Edge, EdgeKind, MethodFlow, flows};
pub use instrument::instrument;
pub use plan::{
    Comparison, Condition, INITIALIZER, IdSpace, Instrumented, MethodName, ProbeKind, ProbePlan, ProbeSite,
    Selection, SiteKind, SkipReason, Skipped,
};

/// Internal name of the class whose static members the probes use.
pub const RUNTIME_CLASS: &str = "bonafix/runtime/Probes";

/// Why bytes are no class file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassFileError {
    /// The magic number is missing.
    #[error("not a class file: it does not begin with CAFEBABE")]
    Magic,
    /// The bytes end early.
    #[error("the class file is cut off: byte {at} is missing")]
    Truncated {
        /// Offset of the first byte that is missing.
        at: usize,
    },
    /// Something is not as the format wants it.
    #[error("the class file is malformed: {0}")]
    Malformed(&'static str),
}
