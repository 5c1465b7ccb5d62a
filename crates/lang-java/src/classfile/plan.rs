//! What is asked for, and what comes back.

use std::collections::BTreeSet;

/// A method of a class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodName {
    /// `<init>` for constructors, `<clinit>` for static initialisers.
    pub name: String,
    /// `(ILjava/lang/String;)V`
    pub descriptor: String,
}

impl std::fmt::Display for MethodName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.name, self.descriptor)
    }
}

/// Some methods of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Selection {
    /// None.
    #[default]
    None,
    /// Every one.
    All,
    /// These.
    Named(BTreeSet<MethodName>),
}

impl Selection {
    /// Whether a method is among them.
    pub fn contains(&self, method: &MethodName) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Named(names) => names.contains(method),
        }
    }
}

/// Which methods get which probes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbePlan {
    /// `HITS` at each block.
    pub blocks: Selection,
    /// `compare…` and `switchOn` at each branch.
    pub branches: Selection,
    /// `line` at each statement.
    pub lines: Selection,
    /// `step` at the start and on ways back.
    pub steps: Selection,
    /// `enter`, `exit`, `thrown`.
    pub calls: Selection,
    /// The same in each static initialiser that `calls` does not name, with [`INITIALIZER`] for the number of its call.
    pub initializers: bool,
    /// The program asks `currentTimeMillis` and `nanoTime` of the runtime instead of those of `System`, so that all versions
    /// see the same time.
    pub clock: bool,
}

/// The call of a static initialiser.
pub const INITIALIZER: u32 = 0x7fff_ffff;
/// What it is called in a class file.
const INITIALIZER_NAME: &str = "<clinit>";

impl ProbePlan {
    /// Is this a static initialiser that is watched, and none of the calls that are asked for?
    pub(super) fn watches_initializer(&self, method: &MethodName) -> bool {
        self.initializers && method.name == INITIALIZER_NAME && !self.calls.contains(method)
    }

    /// Every probe in every method.
    pub fn everything() -> Self {
        Self {
            blocks: Selection::All,
            branches: Selection::All,
            lines: Selection::All,
            steps: Selection::All,
            calls: Selection::All,
            initializers: false,
            clock: false,
        }
    }
}

/// A kind of probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProbeKind {
    /// `line`
    Line,
    /// `compare…`, `switchOn`
    Branch,
    /// `HITS`
    Block,
    /// `enter`, `exit`, `thrown`
    Call,
    /// `step`
    Step,
}

impl ProbeKind {
    /// In the order in which they are given up in a method that grows too large.
    pub const ALL: [Self; 5] = [Self::Line, Self::Branch, Self::Block, Self::Call, Self::Step];
}

/// The next number of each kind. One space may serve many classes: then numbers are unique over all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IdSpace {
    /// Of [`SiteKind::Block`].
    pub blocks: u32,
    /// Of [`SiteKind::Branch`].
    pub branches: u32,
    /// Of [`SiteKind::Line`].
    pub lines: u32,
    /// Of [`SiteKind::Call`].
    pub calls: u32,
}

/// A class with probes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instrumented {
    /// Internal name of the class.
    pub class: String,
    /// The new class file.
    pub bytes: Vec<u8>,
    /// All methods of the class, in its order.
    pub methods: Vec<MethodName>,
    /// What each number stands for, by method, then by offset.
    pub sites: Vec<ProbeSite>,
    /// Probes that were asked for and are not there.
    pub skipped: Vec<Skipped>,
}

/// What a number stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeSite {
    /// Unique among sites of its kind.
    pub id: u32,
    /// What is looked at there.
    pub kind: SiteKind,
    /// Index into [`Instrumented::methods`].
    pub method: usize,
    /// Offset in the original code. A block's is that of [`super::Block::start`].
    pub offset: usize,
    /// Source line, where the class says so.
    pub line: Option<u16>,
}

/// What is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteKind {
    /// A block is run.
    Block,
    /// A decision falls.
    Branch(Comparison),
    /// A statement is run.
    Line,
    /// A method is entered and left.
    Call,
}

/// What is compared in a branch. The condition is the one under which the jump is taken; compilers jump around the
/// body of an `if`, so it is mostly the opposite of the source's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// An `int`, or a boolean, with zero.
    Zero(Condition),
    /// Two `int`s.
    Int(Condition),
    /// Two references.
    Reference(Condition),
    /// A reference with `null`.
    Null(Condition),
    /// Two `long`s.
    Long(Condition),
    /// Two `float`s.
    Float(Condition),
    /// Two `double`s.
    Double(Condition),
    /// An `int` with these keys.
    Switch(Vec<i32>),
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Condition {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Not less.
    Ge,
    /// Greater.
    Gt,
    /// Not greater.
    Le,
}

impl Condition {
    /// As instructions number them.
    pub(super) fn numbered(number: u8) -> Self {
        match number {
            0 => Self::Eq,
            1 => Self::Ne,
            2 => Self::Lt,
            3 => Self::Ge,
            4 => Self::Gt,
            _ => Self::Le,
        }
    }
}

/// Probes that a method was to have and has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The method.
    pub method: MethodName,
    /// What it lacks.
    pub dropped: Vec<ProbeKind>,
    /// Why.
    pub reason: SkipReason,
}

/// Why a method lacks probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum SkipReason {
    /// The code would be longer than 65535 bytes.
    #[error("the method would grow over 64 KB")]
    TooLong,
    /// A conditional jump would be longer than 32767 bytes.
    #[error("a conditional jump would leap over 32 KB")]
    TooFar,
    /// The constant pool is full.
    #[error("the constant pool has no room")]
    PoolFull,
    /// The code contradicts itself.
    #[error("the code cannot be understood")]
    Malformed,
    /// Code with `jsr` gets no handler.
    #[error("the code has subroutines")]
    Subroutines,
    /// It is not clear where the object of a constructor is initialised.
    #[error("the call of super or this cannot be told in the constructor")]
    Constructor,
}
