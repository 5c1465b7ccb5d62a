//! The ways to build a version. A variant is made when it is first used.

/// What a build is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// As the project builds itself: for tests and for replays.
    Plain,
    /// With coverage, AddressSanitizer and UBSan: for fuzzing.
    Fuzz,
    /// Every basic block tells that it runs: for traces.
    Trace,
    /// With debug information that valgrind reads.
    Valgrind,
}

impl Variant {
    /// Its name, as a key of the cache and for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Fuzz => "fuzz",
            Self::Trace => "trace",
            Self::Valgrind => "valgrind",
        }
    }

    /// Flags for compiling and linking, behind the project's own and before those of the user.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["-g"],
            Self::Fuzz => &[
                "-g",
                "-fno-omit-frame-pointer",
                // A function that has become part of another one has no edge of its own.
                "-finline-hint-functions",
                "-fsanitize=address,undefined",
                // A leak of `vptr` checks into C would need the C++ runtime.
                "-fno-sanitize=vptr",
                "-fno-sanitize-recover=undefined",
                "-fsanitize-coverage=trace-pc-guard,pc-table,trace-cmp",
            ],
            Self::Trace => &[
                "-g",
                // When functions end.
                "-finstrument-functions",
                // Pruning drops blocks.
                "-fsanitize-coverage=bb,no-prune,trace-pc-guard,pc-table",
            ],
            // valgrind 3.19 gives up on the DWARF 5 of clang 14.
            Self::Valgrind => &["-gdwarf-4", "-fno-omit-frame-pointer"],
        }
    }

    /// Flags that stand behind all others: without them the variant is not what it is for.
    pub fn last_flags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            // The C library would see an error before the sanitizer does, and say no place.
            Self::Fuzz => &["-U_FORTIFY_SOURCE"],
            // With optimisation a change in one statement moves, merges or removes blocks of others; and a compiler makes room for
            // a variable by pushing a register, of which valgrind takes what it held for a value. FORTIFY wants
            // optimisation, and says so by a warning, which may be an error.
            Self::Trace | Self::Valgrind => &["-O0", "-U_FORTIFY_SOURCE"],
        }
    }

    /// Are the fork server and the counters of `runtime/c` linked into its programs?
    pub fn has_runtime(self) -> bool {
        self == Self::Fuzz
    }

    /// Does it need what only clang has?
    pub fn needs_clang(self) -> bool {
        matches!(self, Self::Fuzz | Self::Trace)
    }
}
