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

    /// Flags for compiling and linking, behind the project's own.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["-g"],
            Self::Fuzz => &[
                "-g",
                "-fno-omit-frame-pointer",
                // The C library would see an error before the sanitizer does, and say no place.
                "-U_FORTIFY_SOURCE",
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
                // Otherwise a change in one statement moves, merges or removes blocks of others.
                "-O0",
                // It wants optimisation, and says so by a warning, which may be an error.
                "-U_FORTIFY_SOURCE",
                // When functions end.
                "-finstrument-functions",
                // Pruning drops blocks.
                "-fsanitize-coverage=bb,no-prune,trace-pc-guard,pc-table",
            ],
            // valgrind 3.19 gives up on the DWARF 5 of clang 14. With more optimisation a compiler makes room for a variable by
            // pushing a register, and valgrind takes what that held for a value.
            Self::Valgrind => &["-gdwarf-4", "-O0", "-U_FORTIFY_SOURCE", "-fno-omit-frame-pointer"],
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
