//! What this machine's kernel gives for a sandbox, and what bonafix makes of it.

use crate::child::{Mounts, Namespaces, Plan};
use crate::error::ProcError;
use crate::{cgroup, os};
use camino::Utf8PathBuf;
use std::ffi::CString;
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::str::FromStr;

/// How much a user insists on the sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// Limits only.
    Off,
    /// What the kernel gives; the rest is reported.
    #[default]
    BestEffort,
    /// All of it, or no run.
    Required,
}

impl SandboxMode {
    /// The words that [`SandboxMode::from_str`] takes.
    pub const NAMES: [&str; 3] = ["off", "best-effort", "required"];
}

impl FromStr for SandboxMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "best-effort" => Ok(Self::BestEffort),
            "required" => Ok(Self::Required),
            _ => Err(format!("`{text}` is not a sandbox mode; use one of {}", Self::NAMES.join(", "))),
        }
    }
}

impl fmt::Display for SandboxMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::BestEffort => "best-effort",
            Self::Required => "required",
        })
    }
}

/// What keeps the network away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkGuard {
    /// A network of its own, with at most a loopback interface.
    Namespace,
    /// No sockets.
    Seccomp,
    None,
}

/// What holds the number of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessGuard {
    /// `RLIMIT_NPROC` in the job's own user namespace.
    Rlimit,
    /// The `pids` controller of a control group.
    Cgroup,
    /// Only the watchdog, which counts a few times in a tenth of a second.
    Watchdog,
}

/// What the kernel gives, found out once by [`Protection::probe`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the kernel")]
pub struct Protection {
    landlock_abi: u32,
    seccomp: bool,
    namespaces: bool,
    mounts: bool,
    rlimit_binds: bool,
    cgroup: Option<Utf8PathBuf>,
}

impl Protection {
    /// Tries out what works here; takes a few milliseconds.
    pub fn probe() -> Self {
        let namespaces = namespaces_work(false);
        Self {
            landlock_abi: os::landlock_abi(),
            seccomp: os::seccomp_available(),
            namespaces,
            mounts: namespaces && namespaces_work(true),
            // The kernel never holds root to this limit, and before 5.14 it counts all processes of the user.
            rlimit_binds: os::real_uid() != 0 && os::kernel_version() >= (5, 14),
            cgroup: cgroup::find_home(),
        }
    }

    /// Version of Landlock, 0 for none.
    pub fn landlock_abi(&self) -> u32 {
        self.landlock_abi
    }

    /// What keeps the network away.
    pub fn network(&self) -> NetworkGuard {
        match (self.namespaces, self.seccomp) {
            (true, _) => NetworkGuard::Namespace,
            (false, true) => NetworkGuard::Seccomp,
            (false, false) => NetworkGuard::None,
        }
    }

    /// Whether a job sees its own processes only and dies as one.
    pub fn pid_namespace(&self) -> bool {
        self.namespaces
    }

    /// Whether a job's mounts are read-only, which also keeps modes, owners and times of files.
    pub fn read_only_mounts(&self) -> bool {
        self.mounts
    }

    /// Whether system calls are filtered.
    pub fn seccomp(&self) -> bool {
        self.seccomp
    }

    /// What holds the number of processes. The watchdog always counts as well.
    pub fn process_limit(&self) -> ProcessGuard {
        self.process_guard(self.namespaces)
    }

    /// The same for one job: outside a user namespace the resource limit would count all processes of the user.
    pub(crate) fn process_guard(&self, in_namespace: bool) -> ProcessGuard {
        if in_namespace && self.rlimit_binds {
            ProcessGuard::Rlimit
        } else if self.cgroup.is_some() {
            ProcessGuard::Cgroup
        } else {
            ProcessGuard::Watchdog
        }
    }

    pub(crate) fn cgroup_home(&self) -> Option<&Utf8PathBuf> {
        self.cgroup.as_ref()
    }

    /// One line for each protection in place, for `bonafix doctor`.
    pub fn present(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.landlock_abi > 0 {
            lines.push(format!("files: Landlock version {}", self.landlock_abi));
        }
        if self.mounts {
            lines.push("files: read-only mounts".to_owned());
        }
        match self.network() {
            NetworkGuard::Namespace => lines.push("network: a namespace with loopback only".to_owned()),
            NetworkGuard::Seccomp => lines.push("network: sockets refused by seccomp".to_owned()),
            NetworkGuard::None => {}
        }
        if self.namespaces {
            lines.push("processes: a PID namespace".to_owned());
        }
        if self.seccomp {
            lines.push("system calls: filtered by seccomp".to_owned());
        }
        lines.push(format!(
            "process count: {}",
            match self.process_limit() {
                ProcessGuard::Rlimit => "resource limit and watchdog",
                ProcessGuard::Cgroup => "control group and watchdog",
                ProcessGuard::Watchdog => "watchdog",
            }
        ));
        lines.push("memory, processor time, scratch size: watchdog".to_owned());
        lines
    }

    /// One line for each protection that is missing, with what it costs. Empty on a machine that gives all.
    pub fn missing(&self) -> Vec<String> {
        let mut lines = self.missing_essential();
        if self.process_limit() == ProcessGuard::Watchdog {
            lines.push(
                "process limit: held by the watchdog alone, so a fork bomb can have thousands of processes for a \
                 few hundredths of a second (not root with user namespaces, or a writable pids control group, \
                 would hold it)"
                    .to_owned(),
            );
        }
        lines
    }

    /// What [`SandboxMode::Required`] insists on.
    fn missing_essential(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.landlock_abi == 0 {
            lines.push(self.without_landlock_line());
        } else if self.landlock_abi < 3 && !self.seccomp {
            lines.push(
                "files: Landlock before version 3 (Linux 6.2) lets a subject empty files it may read"
                    .to_owned(),
            );
        }
        if !self.seccomp {
            lines.push(
                "system calls: no seccomp, so ptrace, io_uring, Unix sockets and others are open".to_owned(),
            );
        }
        if self.network() == NetworkGuard::None {
            lines.push(
                "network: neither namespaces nor seccomp, so subject code can connect anywhere".to_owned(),
            );
        }
        if !self.namespaces {
            lines.push(self.without_namespaces_line());
        }
        if !self.mounts {
            lines.push(
                "files: no mount namespace, so modes and times of files of this user can be changed"
                    .to_owned(),
            );
        }
        lines
    }

    fn without_landlock_line(&self) -> String {
        let rest = if self.mounts { "read" } else { "read and written" };
        format!("files: no Landlock (Linux 5.13, `lsm=…,landlock`), so files of this user can be {rest}")
    }

    fn without_namespaces_line(&self) -> String {
        let signals = if self.landlock_abi >= 6 {
            "a job cannot be ended as a whole if bonafix is killed by SIGKILL while its keeper is, too"
        } else {
            "processes of this user other than bonafix can be signalled"
        };
        format!(
            "processes: user namespaces are refused (sysctl kernel.unprivileged_userns_clone, \
             kernel.apparmor_restrict_unprivileged_userns, user.max_user_namespaces; or a container), so {signals}, \
             and subject code has no loopback network"
        )
    }

    /// As if the kernel had no namespaces; to test the fallbacks.
    #[must_use]
    pub fn without_namespaces(mut self) -> Self {
        self.namespaces = false;
        self.mounts = false;
        self
    }

    /// As if mounts could not be made read-only; to test the fallbacks.
    #[must_use]
    pub fn without_mounts(mut self) -> Self {
        self.mounts = false;
        self
    }

    /// As if the kernel had an older Landlock, or none with 0; to test the fallbacks.
    #[must_use]
    pub fn with_landlock_at_most(mut self, abi: u32) -> Self {
        self.landlock_abi = self.landlock_abi.min(abi);
        self
    }

    /// As if the kernel had no seccomp; to test the fallbacks.
    #[must_use]
    pub fn without_seccomp(mut self) -> Self {
        self.seccomp = false;
        self
    }

    /// As if nothing but the watchdog held the number of processes; to test the fallbacks.
    #[must_use]
    pub fn without_process_limit(mut self) -> Self {
        self.rlimit_binds = false;
        self.cgroup = None;
        self
    }
}

/// What every job is started with; made once for a run.
#[derive(Clone, Debug)]
pub struct Launcher {
    mode: SandboxMode,
    protection: Protection,
}

impl Launcher {
    /// Probes the machine. Fails with [`ProcError::Sandbox`] if all is required and not all is there.
    pub fn new(mode: SandboxMode) -> Result<Self, ProcError> {
        Self::with_protection(mode, Protection::probe())
    }

    /// With a protection that was probed, or masked, before.
    pub fn with_protection(mode: SandboxMode, protection: Protection) -> Result<Self, ProcError> {
        let missing = protection.missing_essential();
        if mode == SandboxMode::Required && !missing.is_empty() {
            return Err(ProcError::Sandbox { missing });
        }
        Ok(Self { mode, protection })
    }

    pub fn mode(&self) -> SandboxMode {
        self.mode
    }

    pub fn protection(&self) -> &Protection {
        &self.protection
    }

    /// The lines to show a user once: what protection subject code runs without. Empty if nothing is missing.
    pub fn warnings(&self) -> Vec<String> {
        match self.mode {
            SandboxMode::Off => vec!["the sandbox is off: subject code can do what this user can".to_owned()],
            _ => self.protection.missing(),
        }
    }
}

/// The maps that keep one's own user and group.
pub(crate) fn namespaces(loopback: bool, mounts: Option<Mounts>) -> Namespaces {
    let (uid, gid) = os::effective_ids();
    Namespaces {
        uid_map: format!("{uid} {uid} 1\n").into_bytes(),
        gid_map: format!("{gid} {gid} 1\n").into_bytes(),
        loopback,
        mounts,
    }
}

/// Enters the namespaces in a process made for it, which ends there.
fn namespaces_work(mounts: bool) -> bool {
    try_namespaces(mounts).unwrap_or(false)
}

fn try_namespaces(mounts: bool) -> io::Result<bool> {
    // The error by which the process says that it came through; no step fails with it.
    const CAME_THROUGH: i32 = libc::ECANCELED;
    let (_status, status_end) = io::pipe()?;
    let (lifeline_end, _lifeline) = io::pipe()?;
    let mounts = mounts.then(|| Mounts { writable: Vec::new(), temporary: None, cwd: CString::from(c"/") });
    let mut plan = Plan {
        status: status_end.into(),
        lifeline: lifeline_end.into(),
        cgroup: None,
        rlimits: Vec::new(),
        namespaces: Some(namespaces(true, mounts)),
        fence: None,
    };
    #[expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]
    let mut command = Command::new("/proc/self/exe");
    let attempt = move || {
        plan.enter_namespaces()?;
        Err(io::Error::from_raw_os_error(CAME_THROUGH))
    };
    #[expect(unsafe_code, reason = "pre_exec is the way into the new process")]
    // SAFETY: the closure makes system calls only.
    let spawned = unsafe { command.pre_exec(attempt) }.spawn();
    Ok(spawned.is_err_and(|error| error.raw_os_error() == Some(CAME_THROUGH)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> Protection {
        Protection {
            landlock_abi: 7,
            seccomp: true,
            namespaces: true,
            mounts: true,
            rlimit_binds: true,
            cgroup: None,
        }
    }

    #[test]
    fn mode_names_are_what_the_parser_takes_and_display_gives() {
        for name in SandboxMode::NAMES {
            assert_eq!(name.parse::<SandboxMode>().unwrap().to_string(), name);
        }
        let error = "on".parse::<SandboxMode>().unwrap_err();
        assert!(error.contains("best-effort"), "{error}");
    }

    #[test]
    fn a_complete_machine_misses_nothing() {
        assert_eq!(complete().missing(), Vec::<String>::new());
        assert!(Launcher::with_protection(SandboxMode::Required, complete()).is_ok());
    }

    #[test]
    fn each_missing_protection_is_one_line_and_stops_a_required_sandbox() {
        let crippled = [
            complete().without_namespaces(),
            complete().without_mounts(),
            complete().without_seccomp(),
            complete().with_landlock_at_most(0),
        ];
        for protection in crippled {
            let lines = protection.missing();
            assert!(!lines.is_empty() && lines.iter().all(|line| !line.contains('\n')), "{lines:?}");
            let error = Launcher::with_protection(SandboxMode::Required, protection.clone()).unwrap_err();
            assert!(matches!(error, ProcError::Sandbox { .. }));
            assert!(error.to_string().contains("--sandbox=best-effort"));
            assert!(Launcher::with_protection(SandboxMode::BestEffort, protection).is_ok());
        }
    }

    #[test]
    fn a_watchdog_alone_is_reported_but_does_not_stop_a_required_sandbox() {
        let protection = complete().without_process_limit();
        assert_eq!(protection.process_limit(), ProcessGuard::Watchdog);
        assert_eq!(protection.missing().len(), 1);
        assert!(Launcher::with_protection(SandboxMode::Required, protection).is_ok());
    }
}
