//! The seccomp filter: which system calls a sandboxed program cannot make.
//!
//! A list of refusals rather than of permissions: a JVM, a sanitizer and a shell together use most of the table, and
//! what a new kernel adds is covered by Landlock and the namespaces first. Refused calls fail with `EPERM`.

use crate::child::KEEPER_PLACEHOLDER;
use crate::os;
use crate::protection::NetworkGuard;
use libc::{c_int, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::collections::BTreeMap;
use std::io;

/// What the rest of the sandbox leaves for the filter to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(crate) network: NetworkGuard,
    pub(crate) pid_namespace: bool,
    pub(crate) landlock_abi: u32,
}

/// Refused whatever the arguments: other processes' memory, mounts, namespaces, keys, kernel, clock, and `io_uring`,
/// which would go round this filter.
const REFUSED: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The filter for one job, ready to install.
pub(crate) fn compile(needs: Needs) -> io::Result<BpfProgram> {
    let compiled = assemble(needs).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(prelude().into_iter().chain(compiled).collect())
}

fn assemble(needs: Needs) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: Rules = REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    refuse_namespaces(&mut rules)?;
    refuse_sockets(&mut rules, needs.network)?;
    refuse_terminal_input(&mut rules)?;
    if !needs.pid_namespace {
        refuse_signals(&mut rules)?;
    }
    if needs.landlock_abi < 3 {
        refuse_truncation(&mut rules)?;
    }
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture()?)?.try_into()
}

fn architecture() -> Result<TargetArch, seccompiler::BackendError> {
    std::env::consts::ARCH.try_into()
}

/// Instructions that seccompiler cannot express, put before its program: calls that must look absent (`ENOSYS`), so
/// that the C library takes the older ones whose arguments a filter can see; and, on x86-64, the whole second table
/// of the x32 interface, which would go round every number in this file.
fn prelude() -> Vec<sock_filter> {
    const LOAD_NUMBER: sock_filter = sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };
    const JUMP_EQUAL: u16 = 0x15;
    const JUMP_NOT_BELOW: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32_TABLE: u32 = 0x4000_0000;
    let number = |call: c_long| u32::try_from(call).unwrap_or(u32::MAX);
    vec![
        LOAD_NUMBER,
        sock_filter { code: JUMP_NOT_BELOW, jt: 2, jf: 0, k: X32_TABLE },
        sock_filter { code: JUMP_EQUAL, jt: 1, jf: 0, k: number(libc::SYS_clone3) },
        sock_filter { code: JUMP_EQUAL, jt: 0, jf: 1, k: number(libc::SYS_openat2) },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs() },
    ]
}

/// `clone` is for threads and processes, not for a namespace in which the program would be root.
fn refuse_namespaces(rules: &mut Rules) -> Result<(), seccompiler::BackendError> {
    let flags = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    for flag in flags {
        let bit = u64::from(flag.cast_unsigned());
        add(rules, libc::SYS_clone, &[(0, SeccompCmpOp::MaskedEq(bit), bit)])?;
    }
    Ok(())
}

/// In a network namespace only internet sockets and the kernel's address tables are left; without one, nothing.
///
/// Unix sockets are refused too: a path such as that of the Docker daemon leads out of every namespace, and Landlock
/// does not see the connection. `AF_VSOCK` leads to the host of a virtual machine. Pairs are harmless while they are
/// connected ones.
fn refuse_sockets(rules: &mut Rules, network: NetworkGuard) -> Result<(), seccompiler::BackendError> {
    match network {
        NetworkGuard::Namespace => {
            let allowed = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
            let others = allowed.map(|family| (0, SeccompCmpOp::Ne, number(family)));
            add(rules, libc::SYS_socket, &others)?;
        }
        NetworkGuard::Seccomp | NetworkGuard::None => {
            rules.insert(libc::SYS_socket, Vec::new());
        }
    }
    let kind = SeccompCmpOp::MaskedEq(0xf);
    add(rules, libc::SYS_socketpair, &[(1, kind.clone(), number(libc::SOCK_DGRAM))])?;
    add(rules, libc::SYS_socketpair, &[(1, kind, number(libc::SOCK_RAW))])
}

/// Typing into the terminal that bonafix was started from.
fn refuse_terminal_input(rules: &mut Rules) -> Result<(), seccompiler::BackendError> {
    // Written out because the type of libc's constants differs between C libraries.
    const TIOCSTI: u64 = 0x5412;
    const TIOCLINUX: u64 = 0x541c;
    for request in [TIOCSTI, TIOCLINUX] {
        add(rules, libc::SYS_ioctl, &[(1, SeccompCmpOp::Eq, request)])?;
    }
    Ok(())
}

/// Without a PID namespace the filter at least keeps signals from bonafix, its group, the keeper, and everybody
/// (`-1`), and keeps limits of other processes unchanged.
fn refuse_signals(rules: &mut Rules) -> Result<(), seccompiler::BackendError> {
    let everybody = u32::MAX;
    let own = [std::process::id(), os::process_group().wrapping_neg()];
    let keeper = [KEEPER_PLACEHOLDER, KEEPER_PLACEHOLDER.wrapping_neg()];
    for target in [everybody].into_iter().chain(own).chain(keeper) {
        for call in [
            libc::SYS_kill,
            libc::SYS_tkill,
            libc::SYS_tgkill,
            libc::SYS_rt_sigqueueinfo,
            libc::SYS_rt_tgsigqueueinfo,
            libc::SYS_pidfd_open,
        ] {
            add(rules, call, &[(0, SeccompCmpOp::Eq, u64::from(target))])?;
        }
    }
    add(rules, libc::SYS_prlimit64, &[(0, SeccompCmpOp::Ne, 0)])
}

/// Landlock before version 3 does not see truncation: refuse it by path, and by opening for reading only.
fn refuse_truncation(rules: &mut Rules) -> Result<(), seccompiler::BackendError> {
    rules.insert(libc::SYS_truncate, Vec::new());
    let mask = number(libc::O_ACCMODE | libc::O_TRUNC);
    let read_and_truncate = number(libc::O_RDONLY | libc::O_TRUNC);
    let operator = SeccompCmpOp::MaskedEq(mask);
    #[cfg(target_arch = "x86_64")]
    add(rules, libc::SYS_open, &[(1, operator.clone(), read_and_truncate)])?;
    add(rules, libc::SYS_openat, &[(2, operator, read_and_truncate)])
}

fn number(value: c_int) -> u64 {
    u64::from(value.cast_unsigned())
}

/// Refuses `call` where all conditions (argument, operator, value) hold.
fn add(
    rules: &mut Rules,
    call: c_long,
    conditions: &[(u8, SeccompCmpOp, u64)],
) -> Result<(), seccompiler::BackendError> {
    let conditions = conditions
        .iter()
        .map(|(argument, operator, value)| {
            SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
        })
        .collect::<Result<Vec<_>, _>>()?;
    rules.entry(call).or_default().push(SeccompRule::new(conditions)?);
    Ok(())
}
