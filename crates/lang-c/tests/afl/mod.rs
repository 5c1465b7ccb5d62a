//! `afl-fuzz` on the same program, to be compared with.

use std::time::Duration;

use bonafix_proc::{Confinement, Job, Launcher, Limits};
use camino::{Utf8Path, Utf8PathBuf};

/// What AFL's own mode for many inputs in one process wants of a program: a loop around what was `main`.
const LOOP: &str = "int program_main(int, char **);\n\
                    int main(int argc, char **argv) {\n    \
                    while (__AFL_LOOP(1000)) program_main(argc, argv);\n    \
                    return 0;\n}\n";

/// How AFL runs inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A copy of the process for each.
    ForkServer,
    /// Up to a thousand in one process, whose state is not put back.
    Persistent,
}

/// A program of one file, built by AFL's compiler.
pub(crate) struct Afl<'a> {
    /// Holds all that it reads and writes; in memory, as ours does.
    pub(crate) folder: &'a Utf8Path,
    pub(crate) launcher: &'a Launcher,
    pub(crate) sanitizers: bool,
}

impl Afl<'_> {
    /// Why it cannot be compared with, and what to do.
    pub(crate) fn missing() -> Option<&'static str> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_there = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
        let all = is_there("afl-fuzz") && is_there("afl-clang-fast");
        (!all).then_some(
            "afl-fuzz is not installed, so that nothing is compared with it; on Debian and Ubuntu: \
             `apt-get install afl++`",
        )
    }

    /// Compiles the source; the result is for [`Self::executions_per_second`].
    pub(crate) fn build(&self, source: &Utf8Path, options: &[String], mode: Mode) -> Utf8PathBuf {
        let program = self.folder.join(format!("{mode:?}-{}", self.sanitizers));
        let compile = |arguments: &[&str]| {
            let job = self.job("afl-clang-fast").args(["-O1", "-g"]).args(options).args(arguments);
            let job = job.env("AFL_QUIET", "1").env("AFL_DONT_OPTIMIZE", "1");
            let sanitizers = ["AFL_USE_ASAN", "AFL_USE_UBSAN"].into_iter().filter(|_| self.sanitizers);
            let done = sanitizers.fold(job, |job, name| job.env(name, "1")).run(self.launcher).unwrap();
            assert!(done.exit.success(), "{}", done.stderr.text());
        };
        match mode {
            Mode::ForkServer => compile(&[source.as_str(), "-o", program.as_str()]),
            Mode::Persistent => {
                let (object, caller) = (self.folder.join("program.o"), self.folder.join("loop.c"));
                fs_err::write(&caller, LOOP).unwrap();
                compile(&["-Dmain=program_main", "-c", source.as_str(), "-o", object.as_str()]);
                compile(&[caller.as_str(), object.as_str(), "-o", program.as_str()]);
            }
        }
        program
    }

    /// Lets it fuzz a program that reads a file for some seconds: what `fuzzer_stats` has for `execs_per_sec`.
    pub(crate) fn executions_per_second(&self, program: &Utf8Path, seeds: &Utf8Path, seconds: u32) -> f64 {
        let out = self.folder.join("out");
        let _ = fs_err::remove_dir_all(&out);
        let job = self
            .job("afl-fuzz")
            .args(["-i", seeds.as_str(), "-o", out.as_str(), "-s", "1", "-m", "none", "-t", "5000"])
            .args(["-V", &seconds.to_string(), "--", program.as_str(), "@@"]);
        let settings = [
            "AFL_NO_UI",
            "AFL_NO_AFFINITY",
            "AFL_SKIP_CPUFREQ",
            "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES",
            "AFL_SKIP_CRASHES",
        ];
        let job = settings.into_iter().fold(job, |job, name| job.env(name, "1"));
        let done = job.run(self.launcher).unwrap();
        let stats = fs_err::read_to_string(out.join("default/fuzzer_stats")).unwrap_or_default();
        let rate = stats.lines().find_map(|line| line.strip_prefix("execs_per_sec")?.split(':').nth(1));
        let rate = rate.and_then(|rate| rate.trim().parse().ok());
        rate.unwrap_or_else(|| panic!("afl-fuzz said: {}{}", done.stdout.text(), done.stderr.text()))
    }

    fn job(&self, program: &str) -> Job {
        let mut job = Job::new(program).inherit_all_env().env("AFL_TMPDIR", self.folder).cwd(self.folder);
        job.confinement = Confinement::Open;
        job.limits = Limits { wall: Some(Duration::from_mins(5)), ..Limits::build() };
        job
    }
}
