//! The programs that the project needs beside Rust: how each is found, where it comes from, what it is for.
//!
//! A later technique that needs another program adds a row to [`TOOLS`]; nothing else changes.

use camino::{Utf8Path, Utf8PathBuf};

use crate::command_line::{CommandLine, on_path};

/// A program that is needed.
#[derive(Debug)]
pub(crate) struct Tool {
    /// What people call it.
    pub(crate) name: &'static str,
    /// What it is for.
    pub(crate) purpose: &'static str,
    /// Debian and Ubuntu packages that have it; the first that the machine's release knows is taken.
    pub(crate) packages: &'static [&'static str],
    /// How to see whether it is there.
    pub(crate) check: Check,
}

/// How to see whether a tool is there.
#[derive(Debug)]
pub(crate) enum Check {
    /// A program of this name is on `PATH`.
    OnPath(&'static str),
    /// Sanitizers among the libraries of `clang`.
    Sanitizers,
    /// `javac` of this major version or later, from `JAVA_HOME` or `PATH`.
    Javac(u32),
}

/// Whether a tool is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It is.
    Found,
    /// It is not.
    Missing,
    /// It is, and cannot be used: the words say why.
    Unfit(String),
}

/// All tools that building, demo and tests need today.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "a JDK, 17 or later, with javac",
        purpose: "compiles and runs Java subjects",
        packages: &["openjdk-17-jdk-headless", "openjdk-21-jdk-headless", "default-jdk-headless"],
        check: Check::Javac(17),
    },
    Tool {
        name: "Maven",
        purpose: "builds subjects that use it, and fetches JUnit",
        packages: &["maven"],
        check: Check::OnPath("mvn"),
    },
    Tool {
        name: "git",
        purpose: "checks `--base` and `--head` revisions out",
        packages: &["git"],
        check: Check::OnPath("git"),
    },
    Tool {
        name: "GNU patch",
        purpose: "the tests hold what bonafix makes of a diff against it",
        packages: &["patch"],
        check: Check::OnPath("patch"),
    },
    Tool {
        name: "clang",
        purpose: "compiles C and C++ subjects",
        packages: &["clang"],
        check: Check::OnPath("clang"),
    },
    Tool {
        name: "compiler-rt",
        purpose: "has the sanitizers that are linked into C subjects",
        packages: &["libclang-rt-dev", "libclang-rt-18-dev", "libclang-common-14-dev"],
        check: Check::Sanitizers,
    },
    Tool {
        name: "LLVM symbolizer",
        purpose: "tells where edges and faults of C programs are in the source",
        packages: &["llvm"],
        check: Check::OnPath("llvm-symbolizer"),
    },
    Tool {
        name: "valgrind",
        purpose: "sees uninitialised values and leaks of C programs",
        packages: &["valgrind"],
        check: Check::OnPath("valgrind"),
    },
    Tool {
        name: "make",
        purpose: "builds C subjects that use it",
        packages: &["make"],
        check: Check::OnPath("make"),
    },
    Tool {
        name: "CMake",
        purpose: "builds C subjects that use it",
        packages: &["cmake"],
        check: Check::OnPath("cmake"),
    },
];

impl Tool {
    /// Looks for it on this machine.
    pub(crate) fn presence(&self) -> Presence {
        match self.check {
            Check::OnPath(program) if on_path(program).is_some() => Presence::Found,
            Check::OnPath(_) => Presence::Missing,
            Check::Sanitizers => sanitizers_presence(),
            Check::Javac(least) => javac_presence(least),
        }
    }
}

/// Debian keeps them apart from the compiler.
fn sanitizers_presence() -> Presence {
    let Ok(said) = CommandLine::new("clang").args(["-print-runtime-dir"]).capture() else {
        return Presence::Missing;
    };
    let files = Utf8Path::new(said.stdout.trim()).read_dir_utf8().into_iter().flatten().flatten();
    let mut names = files.map(|file| file.file_name().to_owned());
    if names.any(|name| name.contains("rt.asan")) { Presence::Found } else { Presence::Missing }
}

/// The JDK that bonafix itself would take: `JAVA_HOME` before `PATH`.
fn javac_presence(least: u32) -> Presence {
    let home = std::env::var("JAVA_HOME").ok().filter(|home| !home.is_empty());
    let javac: Option<Utf8PathBuf> = match &home {
        Some(home) => Some(Utf8Path::new(home).join("bin/javac")).filter(|javac| javac.is_file()),
        None => on_path("javac"),
    };
    let Some(javac) = javac else {
        return match home {
            Some(home) => Presence::Unfit(format!("JAVA_HOME is {home}, which has no bin/javac")),
            None => Presence::Missing,
        };
    };
    let Ok(captured) = CommandLine::new(javac.as_str()).args(["-version"]).capture() else {
        return Presence::Unfit(format!("{javac} does not start"));
    };
    // JDK 8 says it on standard error.
    match javac_major(&captured.stdout).or_else(|| javac_major(&captured.stderr)) {
        Some(major) if major >= least => Presence::Found,
        Some(major) => Presence::Unfit(format!("{javac} is of version {major}")),
        None => Presence::Unfit(format!("{javac} does not say its version")),
    }
}

/// 17 from `javac 17.0.15`, 8 from `javac 1.8.0_392`, 26 from `javac 26-ea`.
fn javac_major(text: &str) -> Option<u32> {
    let version = text.lines().find_map(|line| line.strip_prefix("javac "))?;
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match numbers.next()?.ok()? {
        1 => numbers.next()?.ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_javac_old_and_new_are_understood() {
        assert_eq!(javac_major("javac 17.0.15\n"), Some(17));
        assert_eq!(javac_major("javac 1.8.0_392"), Some(8));
        assert_eq!(javac_major("javac 26-ea"), Some(26));
        assert_eq!(javac_major("Picked up JAVA_TOOL_OPTIONS: -Xmx1g\njavac 21"), Some(21));
        assert_eq!(javac_major("no such thing"), None);
    }

    #[test]
    fn every_tool_says_what_it_is_for_and_where_it_comes_from() {
        for tool in TOOLS {
            assert!(!tool.purpose.is_empty() && !tool.packages.is_empty(), "{tool:?}");
        }
    }

    #[test]
    fn a_program_that_is_not_on_the_path_is_missing() {
        let tool =
            Tool { name: "x", purpose: "x", packages: &["x"], check: Check::OnPath("no-such-program") };
        assert_eq!(tool.presence(), Presence::Missing);
    }
}
