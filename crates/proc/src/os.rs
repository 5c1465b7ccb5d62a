//! System calls of the parent side that std does not have.
#![expect(unsafe_code, reason = "wait4, poll and the probes have no safe wrapper in std")]

use libc::{c_int, c_long, pid_t};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::null;
use std::time::Duration;

/// Waits for a child and gives its status and the processor time of it and all that it waited for.
pub(crate) fn reap(pid: pid_t) -> io::Result<(c_int, Duration)> {
    let mut status = 0;
    loop {
        // SAFETY: all zeroes is a valid rusage, and both pointers are to live values.
        let (result, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::wait4(pid, &raw mut status, 0, &raw mut usage), usage)
        };
        if result == pid {
            return Ok((status, duration(usage.ru_utime) + duration(usage.ru_stime)));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

/// SIGKILL to a process, or to a whole group if negative.
pub(crate) fn kill(pid: pid_t) {
    // SAFETY: takes no pointers.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// Lets the calling thread run before the jobs it watches, where the user may do that: root, whom no process limit
/// binds, can have a fork bomb take every turn otherwise.
pub(crate) fn raise_own_priority() {
    // SAFETY: takes no pointers; zero means the calling thread.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -10) };
}

/// Waits until one of the two can be read or has hung up; says which.
pub(crate) fn poll(first: BorrowedFd<'_>, second: Option<BorrowedFd<'_>>, limit: Duration) -> (bool, bool) {
    let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut entries = [entry(first.as_raw_fd()), entry(second.map_or(-1, |fd| fd.as_raw_fd()))];
    let millis = c_int::try_from(limit.as_micros().div_ceil(1000)).unwrap_or(c_int::MAX);
    // SAFETY: pointer and count are those of a live array; poll skips negative descriptors.
    unsafe { libc::poll(entries.as_mut_ptr(), 2, millis) };
    (entries[0].revents != 0, entries[1].revents != 0)
}

/// User and group that files are made with.
pub(crate) fn effective_ids() -> (u32, u32) {
    // SAFETY: take no pointers.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// The user whose processes the kernel counts.
pub(crate) fn real_uid() -> u32 {
    // SAFETY: takes no pointers.
    unsafe { libc::getuid() }
}

/// The process group that bonafix belongs to.
pub(crate) fn process_group() -> u32 {
    // SAFETY: takes no pointers.
    unsafe { libc::getpgrp() }.cast_unsigned()
}

/// Bytes in a page of memory.
pub(crate) fn page_size() -> u64 {
    // SAFETY: takes no pointers.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// The unit of processor time in `/proc`, per second.
pub(crate) fn clock_ticks() -> u64 {
    // SAFETY: takes no pointers.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100)
}

/// The version of Landlock that the kernel has, 0 for none.
pub(crate) fn landlock_abi() -> u32 {
    const GET_VERSION: c_long = 1;
    // SAFETY: with this flag the call wants a null pointer and size zero.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, null::<u8>(), 0 as c_long, GET_VERSION) };
    u32::try_from(version).unwrap_or(0)
}

/// Whether the kernel takes seccomp filters that return an error.
pub(crate) fn seccomp_available() -> bool {
    const GET_ACTION_AVAIL: c_long = 2;
    let mut action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the pointer is to a live integer, which is what this operation reads.
    unsafe { libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAIL, 0 as c_long, &raw mut action) == 0 }
}

/// Release of the kernel as (major, minor).
pub(crate) fn kernel_version() -> (u32, u32) {
    // SAFETY: all zeroes is a valid utsname; uname fills in C strings.
    let release = unsafe {
        let mut names: libc::utsname = std::mem::zeroed();
        libc::uname(&raw mut names);
        std::ffi::CStr::from_ptr(names.release.as_ptr()).to_string_lossy().into_owned()
    };
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
