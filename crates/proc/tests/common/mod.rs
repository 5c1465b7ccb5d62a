//! What the tests of this crate share: machines with and without protections, marked jobs, and a look for survivors.
#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses a part")]

use bonafix_proc::{Finished, Job, Launcher, Limits, Protection, SandboxMode, SandboxSpec};
use camino::{Utf8Path, Utf8PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A folder that is removed at the end.
pub(crate) struct Folder {
    _guard: tempfile::TempDir,
    pub(crate) path: Utf8PathBuf,
}

pub(crate) fn folder() -> Folder {
    let guard = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(guard.path()).unwrap().canonicalize_utf8().unwrap();
    Folder { _guard: guard, path }
}

pub(crate) fn launcher(protection: Protection) -> Launcher {
    Launcher::with_protection(SandboxMode::BestEffort, protection).unwrap()
}

pub(crate) fn best() -> Launcher {
    launcher(Protection::probe())
}

/// This machine as it is and as poorer kernels would have it, with a name for messages.
pub(crate) fn machines() -> Vec<(&'static str, Launcher)> {
    let all = Protection::probe();
    let mut machines = vec![
        ("full", launcher(all.clone())),
        ("no mounts", launcher(all.clone().without_mounts())),
        ("no namespaces", launcher(all.clone().without_namespaces())),
        ("old landlock", launcher(all.clone().without_namespaces().with_landlock_at_most(2))),
    ];
    // Where the real machine is poor itself, the masks change nothing and one run is enough.
    machines.dedup_by_key(|(_, launcher)| format!("{launcher:?}"));
    machines
}

pub(crate) fn tight() -> Limits {
    Limits { wall: Some(Duration::from_secs(10)), ..Limits::default() }
}

/// A shell script as a job with a frozen environment and a mark that everything it starts carries.
pub(crate) fn script(text: &str, home: &Utf8Path) -> (Job, String) {
    mark(Job::new("sh").args(["-c", text]), home)
}

pub(crate) fn mark(job: Job, home: &Utf8Path) -> (Job, String) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mark = format!("mark-{}-{}-end", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let job = job.frozen_env(home).env("BONAFIX_TEST_MARK", &mark).cwd(home).limits(tight());
    (job, mark)
}

/// Runs a script in a sandbox with one scratch folder.
pub(crate) fn sandboxed(text: &str, scratch: &Utf8Path, launcher: &Launcher) -> Finished {
    script(text, scratch).0.sandboxed(SandboxSpec::scratch(scratch)).run(launcher).unwrap()
}

/// Runs a script without a sandbox: the proof that an attack would work.
pub(crate) fn open(text: &str, home: &Utf8Path) -> Finished {
    script(text, home).0.run(&best()).unwrap()
}

/// Processes that carry the mark.
pub(crate) fn survivors(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let environment = fs_err::read(entry.path().join("environ")).unwrap_or_default();
        if environment.windows(mark.len()).any(|window| window == mark.as_bytes()) {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

/// Waits until the condition holds; false if it does not in time.
pub(crate) fn eventually(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < limit {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    condition()
}

/// This test binary as a program that runs one of its own functions, told by the variable `BONAFIX_ROLE`.
pub(crate) fn own_role(function: &str, role: &str, home: &Utf8Path) -> (Job, String) {
    let program = std::env::current_exe().unwrap();
    let (job, mark) =
        mark(Job::new(program).args(["--exact", function, "--nocapture", "--test-threads=1"]), home);
    (job.env("BONAFIX_ROLE", role), mark)
}

pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}
