//! A small project in a temporary folder, and the program run on it.
#![allow(dead_code, reason = "each test file uses a part")]

use std::process::{Command, Output, Stdio};

use camino::{Utf8Path, Utf8PathBuf};

/// The buggy class: every fourth year is a leap year.
pub(crate) const LEAP: &str = "package demo;

public class Leap {
    /** Leap years of the Gregorian calendar. */
    public static boolean isLeap(int year) {
        return year % 4 == 0;
    }
}
";

const TEST: &str = "package demo;

import static org.junit.Assert.*;
import org.junit.Test;

public class LeapTest {
    @Test public void fourth() { assertTrue(Leap.isLeap(2024)); }
    @Test public void odd() { assertFalse(Leap.isLeap(2023)); }
    @Test public void century() { assertFalse(Leap.isLeap(1900)); }
}
";

/// A right fix.
pub(crate) const FIX: &str = "--- a/src/main/java/demo/Leap.java
+++ b/src/main/java/demo/Leap.java
@@ -3,6 +3,6 @@
 public class Leap {
     /** Leap years of the Gregorian calendar. */
     public static boolean isLeap(int year) {
-        return year % 4 == 0;
+        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
     }
 }
";

/// The path of `Leap` in the project.
pub(crate) const LEAP_PATH: &str = "src/main/java/demo/Leap.java";
/// The path of its test.
pub(crate) const TEST_PATH: &str = "src/test/java/demo/LeapTest.java";

/// A project and a place for runs.
pub(crate) struct Subject {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Fails unless the exit code is `code` and every text is somewhere in the output.
    #[track_caller]
    pub(crate) fn expect(self, code: i32, texts: &[&str]) -> Self {
        let whole = format!("{}{}", self.stdout, self.stderr);
        assert_eq!(self.code, code, "{whole}");
        for text in texts {
            assert!(whole.contains(text), "`{text}` is missing in:\n{whole}");
        }
        self
    }

    /// The report that `--format json` printed.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Subject {
    /// The leap year project.
    pub(crate) fn leap() -> Self {
        Self::with(&[(LEAP_PATH, LEAP), (TEST_PATH, TEST)])
    }

    /// A project of these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let subject = Self { folder: tempfile::tempdir().unwrap() };
        fs_err::create_dir(subject.root()).unwrap();
        for (path, text) in files {
            subject.write(path, text);
        }
        subject
    }

    /// The temporary folder around everything.
    pub(crate) fn folder(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).unwrap()
    }

    /// The project's folder.
    pub(crate) fn root(&self) -> Utf8PathBuf {
        self.folder().join("project")
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.root().join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text.as_ref()).unwrap();
    }

    /// Writes a patch beside the project and gives its path.
    pub(crate) fn patch(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let file = self.folder().join(name);
        fs_err::write(&file, text.as_ref()).unwrap();
        file.into_string()
    }

    /// The program, with a cache that all tests share.
    #[expect(clippy::disallowed_methods, reason = "a test of the program must start it")]
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bonafix"));
        command
            .args(arguments)
            .current_dir(self.root())
            .env("BONAFIX_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .stdin(Stdio::null());
        command
    }

    /// Runs the program in the project's folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    /// `bonafix check --patch …` with the output outside of the project.
    pub(crate) fn judge(&self, patch: &str, more: &[&str]) -> Ran {
        let out = self.folder().join("out");
        let mut arguments = vec!["check", "--patch", patch, "--out", out.as_str()];
        arguments.extend(more);
        self.run(&arguments)
    }

    /// The same up to where judging begins, which most tests are about.
    pub(crate) fn check(&self, patch: &str, more: &[&str]) -> Ran {
        let mut arguments = vec!["--no-technique"];
        arguments.extend(more);
        self.judge(patch, &arguments)
    }
}
