//! Between fork and exec: the part of a job's start that runs in the new process.
//!
//! Only async-signal-safe calls are allowed here, because the parent has other threads whose locks the copy may
//! hold: no allocation, no panics, nothing but system calls on what [`Plan`] prepared.
//!
//! The tree that comes of it:
//!
//! ```text
//! bonafix
//!   keeper     holds the lifeline: when bonafix dies or lets go, it kills everything below and ends last
//!     init     only with a PID namespace: process 1 in it, whose death kills all in it at once
//!       program
//! ```
//!
//! Without the namespace the program is the keeper's child, and the keeper is the subreaper: whatever loses its
//! parent becomes the keeper's child, so killing children until there are none gets everything.
#![expect(unsafe_code, reason = "system calls between fork and exec have no safe wrapper")]

use crate::message::{EXITED, STEP};
use crate::os;
use libc::{c_int, c_long, c_ulong, c_void, pid_t};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// Everything the new process needs, allocated before the fork.
pub(crate) struct Plan {
    /// Where [`crate::message`]s go.
    pub(crate) status: OwnedFd,
    /// Closed by the kernel when bonafix ends.
    pub(crate) lifeline: OwnedFd,
    /// `cgroup.procs` of the job's own control group.
    pub(crate) cgroup: Option<OwnedFd>,
    pub(crate) rlimits: Vec<(u32, u64, u64)>,
    pub(crate) namespaces: Option<Namespaces>,
    pub(crate) fence: Option<Fence>,
}

/// The namespaces to enter.
pub(crate) struct Namespaces {
    pub(crate) uid_map: Vec<u8>,
    pub(crate) gid_map: Vec<u8>,
    pub(crate) loopback: bool,
    /// Present when the mount namespace is to be read-only.
    pub(crate) mounts: Option<Mounts>,
}

/// What stays writable in the mount namespace.
pub(crate) struct Mounts {
    pub(crate) writable: Vec<CString>,
    pub(crate) temporary: Option<Temporary>,
    /// Entered again after mounting: the folder that was entered before lies on the mount below.
    pub(crate) cwd: CString,
}

/// What stands in the place of `/tmp`.
pub(crate) struct Temporary {
    pub(crate) folder: CString,
    /// What the job needs of the real `/tmp`, and where in the folder that is to be seen.
    pub(crate) kept: Vec<(CString, CString)>,
}

/// What the program itself is put under.
pub(crate) struct Fence {
    pub(crate) ruleset: Option<OwnedFd>,
    /// Access to `/proc` in the terms of the ruleset, to be granted anew for a fresh mount of it.
    pub(crate) read_access: u64,
    pub(crate) filter: Option<Vec<seccompiler::sock_filter>>,
}

/// Stands in the filter for the keeper's process id, which nobody knows before the fork; its
/// negative for the keeper's group. Larger than any id.
pub(crate) const KEEPER_PLACEHOLDER: u32 = 0x7fff_fb0a;

/// The step under way, so that a failure can be named.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Step {
    Exec,
    Group,
    Fork,
    ProcessLimit,
    Namespaces,
    IdMaps,
    Loopback,
    Mounts,
    Rlimits,
    Landlock,
    Seccomp,
}

impl Step {
    /// The name of a step number that came over the status pipe.
    pub(crate) fn name(number: u32) -> &'static str {
        const NAMES: [&str; 11] = [
            "exec",
            "process group",
            "fork",
            "process limit",
            "namespaces",
            "user id maps",
            "loopback interface",
            "read-only mounts",
            "resource limits",
            "landlock",
            "seccomp",
        ];
        NAMES.get(number as usize).copied().unwrap_or("unknown step")
    }
}

impl Plan {
    /// Runs in the new process; returns only in the one that is to exec the program.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        if let Some(group) = &self.cgroup {
            self.step(Step::ProcessLimit, write_fd(group.as_raw_fd(), b"0"))?;
        }
        self.step(Step::Group, check(sys::setsid()))?;
        if self.namespaces.is_some() {
            self.enter_namespaces()?;
        }
        // Before the fork, so that no orphan can slip past.
        sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        let keeper = sys::getpid();
        let nice = sys::nice();
        // Before the fork: afterwards a fork bomb may be faster.
        os::raise_own_priority();
        match self.step(Step::Fork, check(sys::fork()))? {
            0 => {}
            child => {
                keep(child, self.namespaces.is_none(), self.status.as_raw_fd(), self.lifeline.as_raw_fd())
            }
        }
        if self.namespaces.is_some() {
            self.become_init()?;
        }
        sys::set_nice(nice);
        self.become_program(keeper)
    }

    /// The namespaces alone, for the probe.
    pub(crate) fn enter_namespaces(&mut self) -> io::Result<()> {
        let Some(wanted) = &self.namespaces else { return Ok(()) };
        let mount = if wanted.mounts.is_some() { libc::CLONE_NEWNS } else { 0 };
        let flags =
            libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | mount;
        self.step(Step::Namespaces, check(sys::unshare(flags)))?;
        self.step(Step::IdMaps, map_ids(wanted))?;
        if wanted.loopback {
            self.step(Step::Loopback, raise_loopback())?;
        }
        if let Some(mounts) = &wanted.mounts {
            self.step(Step::Mounts, mounts.make_read_only())?;
        }
        Ok(())
    }

    fn become_init(&mut self) -> io::Result<()> {
        sys::prctl(libc::PR_SET_PDEATHSIG, kill_signal());
        let fresh_proc =
            self.namespaces.as_ref().is_some_and(|wanted| wanted.mounts.is_some()) && mount_proc();
        match self.step(Step::Fork, check(sys::fork()))? {
            0 => {
                if fresh_proc && let Some(fence) = &self.fence {
                    self.step(Step::Landlock, fence.allow_proc())?;
                }
                Ok(())
            }
            program => reap_as_init(program, self.status.as_raw_fd()),
        }
    }

    fn become_program(&mut self, keeper: pid_t) -> io::Result<()> {
        // A session of its own: `kill(0, …)` in the program must not reach the keeper.
        self.step(Step::Group, check(sys::setsid()))?;
        sys::prctl(libc::PR_SET_PDEATHSIG, kill_signal());
        // The helper above may have died before the line above.
        if sys::getppid() != if self.namespaces.is_some() { 1 } else { keeper } {
            sys::exit_now(1);
        }
        // If the machine runs out of memory, the subject goes first. Best effort.
        let _ = write_file(c"/proc/self/oom_score_adj", b"800");
        sys::signal(libc::SIGXFSZ, libc::SIG_IGN);
        mark_close_on_exec();
        for &(resource, soft, hard) in &self.rlimits {
            self.step(Step::Rlimits, lower_rlimit(resource, soft, hard))?;
        }
        if let Some(fence) = &mut self.fence {
            fence.patch_keeper(keeper);
        }
        let Some(fence) = &self.fence else { return Ok(()) };
        drop_capabilities();
        sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1);
        if let Some(ruleset) = &fence.ruleset {
            self.step(Step::Landlock, restrict_self(ruleset.as_raw_fd()))?;
        }
        if let Some(filter) = &fence.filter {
            let applied = seccompiler::apply_filter(filter).map_err(|_| io::Error::last_os_error());
            self.step(Step::Seccomp, applied)?;
        }
        Ok(())
    }

    /// Passes a result on; a failed step is announced by number first.
    fn step<T>(&self, step: Step, result: io::Result<T>) -> io::Result<T> {
        if result.is_err() {
            send(self.status.as_raw_fd(), STEP, step as c_int);
        }
        result
    }
}

impl Mounts {
    /// Makes every mount read-only but for the writable folders, which become mounts of their own for it.
    /// Landlock does not cover changes of mode, owner, time and attributes; a read-only mount does.
    fn make_read_only(&self) -> io::Result<()> {
        check(sys::mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE))?;
        for folder in &self.writable {
            check(sys::mount(Some(folder), folder, None, libc::MS_BIND | libc::MS_REC))?;
        }
        check(sys::mount_setattr(c"/", libc::AT_RECURSIVE, libc::MOUNT_ATTR_RDONLY, 0))?;
        for folder in &self.writable {
            check(sys::mount_setattr(folder, 0, 0, libc::MOUNT_ATTR_RDONLY))?;
        }
        if let Some(temporary) = &self.temporary {
            temporary.cover()?;
        }
        check(sys::chdir(&self.cwd))?;
        Ok(())
    }
}

impl Temporary {
    /// What is writable of the folders stays so: a mount made of another one has its attributes.
    fn cover(&self) -> io::Result<()> {
        let bind = libc::MS_BIND | libc::MS_REC;
        for (real, shown) in &self.kept {
            check(sys::mount(Some(real), shown, None, bind))?;
        }
        check(sys::mount(Some(&self.folder), c"/tmp", None, bind))?;
        Ok(())
    }
}

impl Fence {
    /// Lets the ruleset see the `/proc` of the new PID namespace.
    fn allow_proc(&self) -> io::Result<()> {
        let Some(ruleset) = &self.ruleset else { return Ok(()) };
        let folder = check(sys::open(c"/proc", libc::O_PATH | libc::O_CLOEXEC))?;
        let added = check(sys::landlock_add_path(ruleset.as_raw_fd(), folder, self.read_access));
        sys::close(folder);
        added.map(drop)
    }

    fn patch_keeper(&mut self, keeper: pid_t) {
        for instruction in self.filter.iter_mut().flatten() {
            if instruction.k == KEEPER_PLACEHOLDER {
                instruction.k = keeper.cast_unsigned();
            } else if instruction.k == KEEPER_PLACEHOLDER.wrapping_neg() {
                instruction.k = keeper.cast_unsigned().wrapping_neg();
            }
        }
    }
}

/// The keeper's life: reap, and at the end of the program or of the lifeline kill what is left.
fn keep(child: pid_t, child_is_program: bool, status: RawFd, lifeline: RawFd) -> ! {
    default_signals();
    close_all_but(status, lifeline);
    let child_ended = sys::child_signal_fd();
    let mut ending = false;
    let mut reaped = 0u32;
    loop {
        // Looked at on every turn: a fork bomb can keep the keeper reaping for ever.
        if !ending && (sys::has_ended(child) || sys::wait_readable(lifeline, 0)) {
            ending = true;
            // The kernel kills a group in one go, which no fork bomb outruns. Done before the child is reaped: its
            // number, and so the group's, cannot be anybody else's yet.
            sys::kill(-child, libc::SIGKILL);
            sys::kill(child, libc::SIGKILL);
        }
        let (pid, state) = sys::wait_any(libc::WNOHANG);
        if pid < 0 {
            sys::exit_now(0);
        }
        if pid == child && child_is_program {
            send(status, EXITED, state);
        }
        if pid > 0 {
            reaped = reaped.wrapping_add(1);
            // Those that are left make new ones while we reap; but a walk over thousands has its price.
            if ending && reaped.is_multiple_of(1024) {
                kill_children();
            }
        } else if !ending {
            sys::wait_either_readable(child_ended, lifeline);
            sys::drain(child_ended);
        } else if !kill_children() {
            sys::wait_readable(child_ended, 2);
            sys::drain(child_ended);
        }
    }
}

/// Process 1 of the namespace: reap, and report the program's end. The kernel kills the rest.
fn reap_as_init(program: pid_t, status: RawFd) -> ! {
    default_signals();
    close_all_but(status, status);
    loop {
        let (pid, state) = sys::wait_any(0);
        if pid == program {
            send(status, EXITED, state);
            sys::exit_now(0);
        }
        if pid < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ECHILD) {
            sys::exit_now(1);
        }
    }
}

/// Kills the direct children, as the kernel lists them, with the groups they are in; false if there were none.
fn kill_children() -> bool {
    let Ok(list) = check(sys::open(c"/proc/thread-self/children", libc::O_RDONLY | libc::O_CLOEXEC)) else {
        return false;
    };
    let own_group = sys::getpgid(0);
    // Of thousands in one group, one call kills all; one for each would take minutes.
    let mut done_group = 0;
    let mut buffer = [0u8; 4096];
    let mut pid: pid_t = 0;
    let mut found = false;
    loop {
        let count = sys::read(list, &mut buffer);
        if count <= 0 {
            break;
        }
        for &byte in buffer.iter().take(count.unsigned_abs()) {
            if byte.is_ascii_digit() {
                pid = pid.wrapping_mul(10).wrapping_add(pid_t::from(byte - b'0'));
            } else if pid > 1 {
                found = true;
                let group = sys::getpgid(pid);
                if group > 1 && group != own_group && group != done_group {
                    sys::kill(-group, libc::SIGKILL);
                    done_group = group;
                }
                sys::kill(pid, libc::SIGKILL);
                pid = 0;
            }
        }
    }
    sys::close(list);
    found
}

fn send(status: RawFd, tag: c_int, value: c_int) {
    let mut message = [0; 8];
    message[..4].copy_from_slice(&tag.to_ne_bytes());
    message[4..].copy_from_slice(&value.to_ne_bytes());
    let _ = write_fd(status, &message);
}

fn check<T: Copy + Into<i64>>(result: T) -> io::Result<T> {
    if result.into() < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn kill_signal() -> c_ulong {
    libc::SIGKILL.unsigned_abs().into()
}

/// One's own user and group keep their numbers, so that files look the same inside as outside.
fn map_ids(wanted: &Namespaces) -> io::Result<()> {
    write_file(c"/proc/self/uid_map", &wanted.uid_map)?;
    write_file(c"/proc/self/setgroups", b"deny")?;
    write_file(c"/proc/self/gid_map", &wanted.gid_map)
}

fn write_file(path: &CStr, bytes: &[u8]) -> io::Result<()> {
    let file = check(sys::open(path, libc::O_WRONLY | libc::O_CLOEXEC))?;
    let written = write_fd(file, bytes);
    sys::close(file);
    written
}

fn write_fd(fd: RawFd, bytes: &[u8]) -> io::Result<()> {
    check(sys::write(fd, bytes) as i64).map(drop)
}

fn raise_loopback() -> io::Result<()> {
    let socket = check(sys::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC))?;
    let raised = check(sys::raise_interface(socket, b"lo"));
    sys::close(socket);
    raised.map(drop)
}

/// A `/proc` that shows the namespace's own processes and no others. Refused in most containers, where the outer one
/// stays.
fn mount_proc() -> bool {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC | libc::MS_RDONLY;
    sys::mount(Some(c"proc"), c"/proc", Some(c"proc"), flags) == 0
}

fn lower_rlimit(resource: u32, soft: u64, hard: u64) -> io::Result<()> {
    let (_, ceiling) = sys::getrlimit(resource);
    let hard = hard.min(ceiling);
    check(sys::setrlimit(resource, soft.min(hard), hard)).map(drop)
}

/// Empties every capability set; as root in a user namespace the program would otherwise have all of them there.
fn drop_capabilities() {
    for capability in 0..64 {
        sys::prctl(libc::PR_CAPBSET_DROP, capability);
    }
    sys::clear_capabilities();
}

fn restrict_self(ruleset: RawFd) -> io::Result<()> {
    check(sys::landlock_restrict_self(ruleset)).map(drop)
}

fn default_signals() {
    for signal in 1..32 {
        sys::signal(signal, libc::SIG_DFL);
    }
}

/// Keeps every descriptor of bonafix out of the program; standard input, output and error stay.
fn mark_close_on_exec() {
    if sys::close_range(3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) < 0 {
        for fd in 3..4096 {
            sys::set_close_on_exec(fd);
        }
    }
}

/// The helpers must hold no pipe of the program: whoever reads it waits for the last holder.
fn close_all_but(one: RawFd, other: RawFd) {
    let (low, high) = (one.min(other).unsigned_abs(), one.max(other).unsigned_abs());
    if low > 0 {
        close_between(0, low - 1);
    }
    if high > low + 1 {
        close_between(low + 1, high - 1);
    }
    close_between(high + 1, u32::MAX);
}

fn close_between(first: u32, last: u32) {
    if sys::close_range(first, last, 0) < 0 {
        for fd in first..=last.min(4096) {
            sys::close(fd.cast_signed());
        }
    }
}

/// The system calls, each in a function that cannot be called wrongly from safe code.
mod sys {
    use super::{CStr, RawFd, c_int, c_long, c_ulong, c_void, pid_t};
    use std::ptr::{null, null_mut};

    pub(super) fn setsid() -> pid_t {
        // SAFETY: takes no pointers.
        unsafe { libc::setsid() }
    }

    pub(super) fn fork() -> pid_t {
        // SAFETY: we are the single thread of a forked process; both sides go on with system calls only.
        unsafe { libc::fork() }
    }

    pub(super) fn getpid() -> pid_t {
        // SAFETY: takes no pointers.
        unsafe { libc::getpid() }
    }

    pub(super) fn getppid() -> pid_t {
        // SAFETY: takes no pointers.
        unsafe { libc::getppid() }
    }

    pub(super) fn nice() -> c_int {
        // SAFETY: takes no pointers.
        unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }
    }

    pub(super) fn set_nice(nice: c_int) {
        // SAFETY: takes no pointers.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) };
    }

    pub(super) fn exit_now(code: c_int) -> ! {
        // SAFETY: ends the process without running anything of the parent's.
        unsafe { libc::_exit(code) }
    }

    pub(super) fn kill(pid: pid_t, signal: c_int) {
        // SAFETY: takes no pointers.
        unsafe { libc::kill(pid, signal) };
    }

    pub(super) fn unshare(flags: c_int) -> c_int {
        // SAFETY: takes no pointers.
        unsafe { libc::unshare(flags) }
    }

    pub(super) fn prctl(option: c_int, argument: c_ulong) {
        let zero: c_ulong = 0;
        // SAFETY: only used with options that take a number.
        unsafe { libc::prctl(option, argument, zero, zero, zero) };
    }

    pub(super) fn signal(signal: c_int, action: libc::sighandler_t) {
        // SAFETY: only used with SIG_DFL and SIG_IGN.
        unsafe { libc::signal(signal, action) };
    }

    pub(super) fn open(path: &CStr, flags: c_int) -> c_int {
        // SAFETY: the path is a live C string.
        unsafe { libc::open(path.as_ptr(), flags) }
    }

    pub(super) fn close(fd: RawFd) {
        // SAFETY: only used on descriptors of this process that nobody uses afterwards.
        unsafe { libc::close(fd) };
    }

    pub(super) fn read(fd: RawFd, buffer: &mut [u8]) -> isize {
        // SAFETY: pointer and length are those of a live buffer.
        unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) }
    }

    pub(super) fn write(fd: RawFd, bytes: &[u8]) -> isize {
        // SAFETY: pointer and length are those of a live slice.
        unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) }
    }

    pub(super) fn chdir(path: &CStr) -> c_int {
        // SAFETY: the path is a live C string.
        unsafe { libc::chdir(path.as_ptr()) }
    }

    pub(super) fn socket(domain: c_int, kind: c_int) -> c_int {
        // SAFETY: takes no pointers.
        unsafe { libc::socket(domain, kind, 0) }
    }

    pub(super) fn mount(source: Option<&CStr>, target: &CStr, kind: Option<&CStr>, flags: c_ulong) -> c_int {
        let source = source.map_or(null(), CStr::as_ptr);
        let kind = kind.map_or(null(), CStr::as_ptr);
        // SAFETY: the strings are live or null, which mount allows for these.
        unsafe { libc::mount(source, target.as_ptr(), kind, flags, null()) }
    }

    pub(super) fn mount_setattr(path: &CStr, flags: c_int, set: u64, clear: u64) -> c_long {
        let attributes = libc::mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
        let flags = flags.unsigned_abs();
        // SAFETY: path and structure are live, the size is the structure's.
        unsafe {
            libc::syscall(
                libc::SYS_mount_setattr,
                libc::AT_FDCWD,
                path.as_ptr(),
                flags,
                &raw const attributes,
                size_of::<libc::mount_attr>(),
            )
        }
    }

    pub(super) fn wait_any(flags: c_int) -> (pid_t, c_int) {
        let mut state = 0;
        // SAFETY: the pointer is to a live integer.
        let pid = unsafe { libc::waitpid(-1, &raw mut state, flags) };
        (pid, state)
    }

    /// A descriptor that becomes readable when a child has ended, or -1.
    pub(super) fn child_signal_fd() -> RawFd {
        // SAFETY: the set is initialised by sigemptyset before it is used.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            libc::sigprocmask(libc::SIG_BLOCK, &raw const set, null_mut());
            libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
        }
    }

    /// Whether this child has ended; it stays to be reaped.
    pub(super) fn has_ended(child: pid_t) -> bool {
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: all zeroes is a valid siginfo_t, and stays so when no child has ended.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, child.cast_unsigned(), &raw mut info, flags) == 0
                && info.si_pid() == child
        }
    }

    pub(super) fn getpgid(pid: pid_t) -> pid_t {
        // SAFETY: takes no pointers.
        unsafe { libc::getpgid(pid) }
    }

    /// Waits until there is something to read, or the other side has hung up.
    pub(super) fn wait_readable(fd: RawFd, millis: c_int) -> bool {
        let mut entry = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: the pointer is to one live entry.
        unsafe { libc::poll(&raw mut entry, 1, millis) };
        entry.revents != 0
    }

    pub(super) fn wait_either_readable(first: RawFd, second: RawFd) {
        let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut entries = [entry(first), entry(second)];
        // SAFETY: pointer and count are those of a live array.
        unsafe { libc::poll(entries.as_mut_ptr(), 2, -1) };
    }

    pub(super) fn drain(fd: RawFd) {
        let mut buffer = [0; 512];
        while read(fd, &mut buffer) > 0 {}
    }

    pub(super) fn getrlimit(resource: u32) -> (u64, u64) {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the pointer is to a live structure.
        unsafe { libc::getrlimit(resource as _, &raw mut limit) };
        (limit.rlim_cur, limit.rlim_max)
    }

    pub(super) fn setrlimit(resource: u32, soft: u64, hard: u64) -> c_int {
        let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
        // SAFETY: the pointer is to a live structure.
        unsafe { libc::setrlimit(resource as _, &raw const limit) }
    }

    pub(super) fn raise_interface(socket: RawFd, name: &[u8]) -> c_int {
        // SAFETY: all zeroes is a valid ifreq; the kernel reads and writes that structure only.
        unsafe {
            let mut request: libc::ifreq = std::mem::zeroed();
            for (to, from) in request.ifr_name.iter_mut().zip(name) {
                *to = from.cast_signed();
            }
            if libc::ioctl(socket, libc::SIOCGIFFLAGS, &raw mut request) < 0 {
                return -1;
            }
            request.ifr_ifru.ifru_flags |= 1; // IFF_UP, which libc has in a wider type
            libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw mut request)
        }
    }

    pub(super) fn clear_capabilities() {
        // Version 3 of the interface: a header of two words, two times three words of sets.
        let header: [u32; 2] = [0x2008_0522, 0];
        let sets = [0u32; 6];
        // SAFETY: both arrays have the sizes that version 3 prescribes.
        unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) };
    }

    pub(super) fn landlock_restrict_self(ruleset: RawFd) -> c_long {
        // SAFETY: takes no pointers.
        unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0) }
    }

    pub(super) fn landlock_add_path(ruleset: RawFd, folder: RawFd, access: u64) -> c_long {
        #[repr(C, packed)]
        struct PathBeneath {
            allowed_access: u64,
            parent_fd: i32,
        }
        const RULE_PATH_BENEATH: c_int = 1;
        let rule = PathBeneath { allowed_access: access, parent_fd: folder };
        let pointer: *const c_void = (&raw const rule).cast();
        // SAFETY: the structure has the layout of the kernel's landlock_path_beneath_attr.
        unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, pointer, 0) }
    }

    pub(super) fn close_range(first: u32, last: u32, flags: u32) -> c_long {
        // SAFETY: only used where nobody uses the closed descriptors afterwards.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) }
    }

    pub(super) fn set_close_on_exec(fd: RawFd) {
        // SAFETY: takes no pointers.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}
