//! Real attacks from inside the sandbox. Where it is harmless, the same attack is run outside first, to show that it is
//! one.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail by panic and talk by print"
)]

mod common;

use bonafix_proc::{
    Exit, Job, Launcher, Limits, NetworkGuard, ProcessGuard, Protection, SandboxMode, SandboxSpec,
};
use common::{
    best, eventually, folder, is_root, launcher, machines, open, own_role, sandboxed, script, survivors,
};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

#[test]
fn files_outside_the_scratch_folder_cannot_be_written_and_those_inside_can() {
    let (victim, scratch) = (folder(), folder());
    let file = victim.path.join("file");
    fs_err::write(&file, "before").unwrap();
    let attack =
        format!("echo in > inside; echo out > {file}; echo new > {}/new; rm {file}; true", victim.path);
    for (name, launcher) in machines() {
        let finished = sandboxed(&attack, &scratch.path, &launcher);
        assert_eq!(finished.exit, Exit::Code(0), "{name}: {}", finished.stderr.text());
        assert_eq!(fs_err::read_to_string(&file).unwrap(), "before", "{name}");
        assert_eq!(victim.path.read_dir_utf8().unwrap().count(), 1, "{name}");
        assert_eq!(fs_err::read_to_string(scratch.path.join("inside")).unwrap(), "in\n", "{name}");
        fs_err::remove_file(scratch.path.join("inside")).unwrap();
    }
    open(&attack, &scratch.path);
    assert!(!file.exists(), "outside the sandbox the attack works");
}

#[test]
fn every_writable_folder_can_be_written_and_the_working_folder_counts_where_it_is_one() {
    let (scratch, classes) = (folder(), folder());
    for (name, launcher) in machines() {
        let (job, _) = script(
            "echo a > relative && echo b > $OTHER/absolute && mkdir -p d/e && mv relative d/e",
            &scratch.path,
        );
        let spec = SandboxSpec::scratch(&scratch.path).write(&classes.path);
        let finished = job.env("OTHER", &classes.path).sandboxed(spec).run(&launcher).unwrap();
        assert_eq!(finished.exit, Exit::Code(0), "{name}: {}", finished.stderr.text());
    }
    assert!(scratch.path.join("d/e/relative").exists() && classes.path.join("absolute").exists());
}

#[test]
fn secrets_cannot_be_read_and_given_folders_can() {
    let (secret, given, scratch) = (folder(), folder(), folder());
    fs_err::write(secret.path.join("token"), "hunter2").unwrap();
    fs_err::write(given.path.join("input"), "welcome").unwrap();
    let own = std::process::id();
    let attack = format!(
        "cat {0}/token; ls {0}; tr '\\0' '\\n' < /proc/{own}/environ; cat /etc/shadow; true",
        secret.path
    );
    let plain = open(&attack, &scratch.path).stdout.text();
    assert!(
        plain.contains("hunter2") && plain.contains("CARGO"),
        "outside the sandbox the attack works: {plain}"
    );
    assert!(!is_root() || plain.contains("root:"), "root reads the shadow file outside the sandbox");
    for (name, launcher) in machines() {
        let finished = sandboxed(&attack, &scratch.path, &launcher);
        assert_eq!(finished.stdout.text(), "", "{name}");
        let (job, _) = script(&format!("cat {}/input", given.path), &scratch.path);
        let spec = SandboxSpec::scratch(&scratch.path).read(&given.path).read("/nowhere/at/all");
        let finished = job.sandboxed(spec).run(&launcher).unwrap();
        assert_eq!(finished.stdout.text(), "welcome", "{name}: {}", finished.stderr.text());
    }
}

#[test]
fn modes_and_times_of_files_outside_stay_where_mounts_are_read_only() {
    let (victim, scratch) = (folder(), folder());
    let file = victim.path.join("file");
    fs_err::write(&file, "").unwrap();
    let set = |mode| fs_err::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    let mode = || file.metadata().unwrap().permissions().mode() & 0o777;
    let attack = format!("chmod 777 {file}; touch -d 2001-01-01 {file}; true");
    for (name, launcher) in machines() {
        set(0o640);
        let before = file.metadata().unwrap().modified().unwrap();
        sandboxed(&attack, &scratch.path, &launcher);
        if launcher.protection().read_only_mounts() {
            assert_eq!((mode(), file.metadata().unwrap().modified().unwrap()), (0o640, before), "{name}");
        } else {
            // Known and said: this is what the missing line is about.
            assert_eq!(mode(), 0o777, "{name}");
            assert!(launcher.warnings().iter().any(|line| line.contains("modes and times")), "{name}");
        }
    }
}

#[test]
fn files_outside_cannot_be_emptied_whatever_the_version_of_landlock() {
    let (victim, scratch) = (folder(), folder());
    let file = victim.path.join("file");
    for (name, launcher) in machines() {
        fs_err::write(&file, "full").unwrap();
        let (job, _) = own_role("attacker", &format!("truncate {file}"), &scratch.path);
        let spec = SandboxSpec::scratch(&scratch.path).read(&victim.path);
        let finished = job.sandboxed(spec).run(&launcher).unwrap();
        assert!(finished.stdout.text().contains("done"), "{name}: {}", finished.stdout.text());
        assert_eq!(fs_err::read_to_string(&file).unwrap(), "full", "{name}");
    }
    own_role("attacker", &format!("truncate {file}"), &scratch.path).0.run(&best()).unwrap();
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "", "outside the sandbox the attack works");
}

/// Runs a role of [`attacker`] in the sandbox and gives what it printed.
fn attack(role: &str, loopback: bool, launcher: &Launcher) -> String {
    let scratch = folder();
    let (job, _) = own_role("attacker", role, &scratch.path);
    let spec = SandboxSpec { loopback, ..SandboxSpec::scratch(&scratch.path) };
    job.sandboxed(spec).run(launcher).unwrap().stdout.text()
}

fn attack_in_the_open(role: &str) -> String {
    let home = folder();
    own_role("attacker", role, &home.path).0.run(&best()).unwrap().stdout.text()
}

#[test]
fn no_tcp_connection_gets_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let role = format!("tcp {}", listener.local_addr().unwrap());
    assert!(attack_in_the_open(&role).contains("reached"));
    for (name, launcher) in machines() {
        for role in [role.as_str(), "tcp 192.0.2.1:80"] {
            let seen = attack(role, true, &launcher);
            assert!(seen.contains("refused"), "{name}: {seen}");
        }
    }
}

#[test]
fn no_datagram_gets_out() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let role = format!("udp {}", socket.local_addr().unwrap());
    attack_in_the_open(&role);
    let mut buffer = [0; 16];
    assert_eq!(socket.recv(&mut buffer).unwrap(), 4, "outside the sandbox the datagram arrives");
    for (name, launcher) in machines() {
        attack(&role, true, &launcher);
        assert!(socket.recv(&mut buffer).is_err(), "{name}");
    }
}

#[test]
fn no_unix_socket_can_be_reached() {
    let home = folder();
    let path = home.path.join("socket");
    let _listener = UnixListener::bind(&path).unwrap();
    let role = format!("unix {path}");
    assert!(attack_in_the_open(&role).contains("reached"));
    for (name, launcher) in machines() {
        let seen = attack(&role, true, &launcher);
        assert!(seen.contains("refused"), "{name}: {seen}");
    }
}

#[test]
fn a_job_has_its_own_loopback_if_it_wants_one() {
    let launcher = best();
    if launcher.protection().network() != NetworkGuard::Namespace {
        println!("skipped: no network namespaces here");
        return;
    }
    assert!(attack("loopback", true, &launcher).contains("reached"));
    assert!(attack("loopback", false, &launcher).contains("refused"));
}

#[test]
fn dangerous_system_calls_are_refused() {
    for (name, launcher) in machines() {
        let seen = attack("calls", true, &launcher);
        assert!(seen.contains("calls tried: ") && !seen.contains("allowed"), "{name}: {seen}");
    }
    let seen = attack("calls", true, &launcher(Protection::probe().without_seccomp()));
    assert!(seen.contains("allowed"), "without the filter some go through: {seen}");
}

#[test]
fn neither_the_parent_nor_anybody_else_can_be_signalled() {
    let scratch = folder();
    let own = std::process::id();
    // Signal 0 asks whether one could; the answer in the open is yes.
    assert_eq!(open(&format!("kill -0 {own}"), &scratch.path).exit, Exit::Code(0));
    let (bystander, mark) = script("exec sleep 60", &scratch.path);
    let bystander = bystander.spawn(&best()).unwrap();
    assert!(eventually(Duration::from_secs(2), || !survivors(&mark).is_empty()));
    let target = survivors(&mark).join(" ");
    for (name, launcher) in machines() {
        let everybody = "kill -9 -1; kill -9 $PPID; kill -9 0";
        let finished =
            sandboxed(&format!("kill -9 {own}; {everybody}; echo unharmed"), &scratch.path, &launcher);
        // `kill -9 0` ends the attacker's own group, which is its right.
        assert_eq!(finished.exit, Exit::Signal(9), "{name}: {}", finished.stderr.text());
        assert_ne!(
            sandboxed(&format!("kill -0 {own}"), &scratch.path, &launcher).exit,
            Exit::Code(0),
            "{name}"
        );
        let protection = launcher.protection();
        if protection.pid_namespace() || protection.landlock_abi() >= 6 {
            sandboxed(&format!("kill -9 {target}"), &scratch.path, &launcher);
            assert_eq!(survivors(&mark).join(" "), target, "{name}");
        } else {
            assert!(launcher.warnings().iter().any(|line| line.contains("can be signalled")), "{name}");
        }
    }
    drop(bystander);
    assert_eq!(survivors(&mark), Vec::<String>::new());
}

/// Steps of a bomb that are counted down and never come to nothing.
const ENDLESS: &str = "-1";

#[test]
fn a_fork_bomb_costs_one_job_and_leaves_nothing() {
    let scratch = folder();
    let kernel = machines().into_iter().map(|(name, launcher)| (name, launcher, ENDLESS));
    // Nothing holds a bomb there until the watchdog has seen it, and thousands of processes hurt whatever else the machine
    // is doing: these are bombs that stop growing by themselves.
    let watchdogs = [
        ("watchdog", Protection::probe().without_process_limit()),
        ("watchdog, no namespaces", Protection::probe().without_process_limit().without_namespaces()),
    ];
    let watchdogs = watchdogs.map(|(name, protection)| (name, launcher(protection), "8"));
    for (name, launcher, steps) in kernel.chain(watchdogs) {
        // The second kind leaves its group with every step.
        let bombs = [
            format!(
                "b() {{ [ $1 = 0 ] && exec sleep 20; b $(($1 - 1)) | b $(($1 - 1)) & }}; b {steps}; exec sleep 20"
            ),
            format!("sh bomb {steps}; exec sleep 20"),
        ];
        let step = "[ $1 = 0 ] && exec sleep 20; for i in 1 2; do setsid sh bomb $(($1 - 1)) & done";
        fs_err::write(scratch.path.join("bomb"), step).unwrap();
        for bomb in &bombs {
            let (job, mark) = script(bomb, &scratch.path);
            let limits =
                Limits { processes: Some(64), wall: Some(Duration::from_secs(5)), ..Limits::default() };
            let spec = SandboxSpec::scratch(&scratch.path);
            let finished = job.limits(limits).sandboxed(spec).run(&launcher).unwrap();
            // A bomb that the kernel held can choke on itself between two looks of the watchdog; `sleep` is left then.
            let choked = launcher.protection().process_limit() == ProcessGuard::Rlimit
                && finished.exit == Exit::TimedOut
                && finished.stderr.text().contains("Cannot fork");
            assert!(choked || finished.exit == Exit::OverProcesses, "{name}: {bomb}: {finished:?}");
            assert_eq!(survivors(&mark), Vec::<String>::new(), "{name}: {bomb}");
            assert!(finished.wall < Duration::from_secs(8), "{name}: {bomb}: {:?}", finished.wall);
        }
    }
}

#[test]
fn a_file_that_grows_too_large_fails_in_the_subject() {
    let scratch = folder();
    let limits = Limits { file_size: Some(1 << 20), ..common::tight() };
    let (job, _) = script("head -c 20000000 /dev/zero > big; echo code $?", &scratch.path);
    let finished = job.limits(limits).sandboxed(SandboxSpec::scratch(&scratch.path)).run(&best()).unwrap();
    assert_eq!(finished.stdout.text(), "code 1\n", "an error, not a signal: {}", finished.stderr.text());
    assert_eq!(scratch.path.join("big").metadata().unwrap().len(), 1 << 20);
}

#[test]
fn many_files_beyond_the_scratch_limit_end_the_job() {
    let scratch = folder();
    let limits = Limits { scratch_total: Some(4 << 20), ..common::tight() };
    let flood =
        "i=0; while :; do i=$((i+1)); mkdir -p d$((i%7)); head -c 65536 /dev/zero > d$((i%7))/$i; done";
    let (job, mark) = script(flood, &scratch.path);
    let finished = job.limits(limits).sandboxed(SandboxSpec::scratch(&scratch.path)).run(&best()).unwrap();
    assert_eq!(finished.exit, Exit::OverDisk);
    assert_eq!(survivors(&mark), Vec::<String>::new());
}

#[test]
fn a_memory_hog_costs_one_job() {
    let scratch = folder();
    for (name, launcher) in machines() {
        // `tail` keeps the last line, and this one never ends.
        let (job, mark) = script("tail /dev/zero", &scratch.path);
        let limits = Limits { memory: Some(64 << 20), ..common::tight() };
        let finished =
            job.limits(limits).sandboxed(SandboxSpec::scratch(&scratch.path)).run(&launcher).unwrap();
        assert_eq!(finished.exit, Exit::OverMemory, "{name}");
        assert!(finished.peak_rss.unwrap() > 64 << 20, "{name}");
        assert_eq!(survivors(&mark), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn nothing_survives_the_deadline_however_it_hides() {
    let scratch = folder();
    let hide =
        "trap '' TERM HUP; (setsid sh -c \"trap '' TERM; sleep 1000\" &) ; setsid sleep 1000 & sleep 1000";
    let check = |name: &str, launcher: &Launcher, confined: bool| {
        let (job, mark) = script(hide, &scratch.path);
        let limits = Limits { wall: Some(Duration::from_secs(2)), ..Limits::default() };
        let job = if confined { job.sandboxed(SandboxSpec::scratch(&scratch.path)) } else { job };
        let running = job.limits(limits).spawn(launcher).unwrap();
        assert!(
            eventually(Duration::from_millis(1900), || survivors(&mark).len() >= 4),
            "{name}: all are there"
        );
        assert_eq!(running.wait().unwrap().exit, Exit::TimedOut, "{name}");
        assert_eq!(survivors(&mark), Vec::<String>::new(), "{name}, confined: {confined}");
    };
    // At once: each takes its whole deadline.
    let machines = machines();
    std::thread::scope(|scope| {
        for (name, launcher) in &machines {
            scope.spawn(|| check(name, launcher, true));
            scope.spawn(|| check(name, launcher, false));
        }
    });
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    let scratch = folder();
    for (name, launcher) in machines() {
        let (job, mark) = script("setsid sleep 1000 & (sleep 1000 &); exit 7", &scratch.path);
        let finished = job.sandboxed(SandboxSpec::scratch(&scratch.path)).run(&launcher).unwrap();
        assert_eq!(finished.exit, Exit::Code(7), "{name}");
        assert_eq!(survivors(&mark), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_sandbox_that_is_off_confines_nothing_and_says_so() {
    let (victim, scratch) = (folder(), folder());
    let launcher = Launcher::new(SandboxMode::Off).unwrap();
    let finished = sandboxed(&format!("echo > {}/new", victim.path), &scratch.path, &launcher);
    assert_eq!(finished.exit, Exit::Code(0));
    assert!(victim.path.join("new").exists());
    assert_eq!(launcher.warnings().len(), 1);
}

#[test]
fn a_java_program_runs_in_every_sandbox() {
    let scratch = folder();
    let source = r#"
        import java.util.stream.IntStream;
        public class Hello {
            public static void main(String[] args) throws Exception {
                Thread thread = new Thread(() -> System.out.println(IntStream.range(0, 100).parallel().sum()));
                thread.start();
                thread.join();
                java.nio.file.Files.writeString(java.nio.file.Path.of("out.txt"), "written");
                try { java.nio.file.Files.readString(java.nio.file.Path.of("/etc/shadow")); System.out.println("leak"); }
                catch (java.io.IOException e) { System.out.println("denied"); }
                System.exit(3);
            }
        }"#;
    fs_err::write(scratch.path.join("Hello.java"), source).unwrap();
    for (name, launcher) in machines() {
        let job = Job::new("java").args(["-Xshare:auto", "-XX:TieredStopAtLevel=1", "Hello.java"]);
        let job = common::mark(job, &scratch.path)
            .0
            .limits(Limits { wall: Some(Duration::from_secs(30)), ..Limits::default() });
        match job.sandboxed(SandboxSpec::scratch(&scratch.path)).run(&launcher) {
            Err(bonafix_proc::ProcError::NotFound { .. }) => {
                println!("skipped: no java on PATH");
                return;
            }
            finished => {
                let finished = finished.unwrap();
                assert_eq!(finished.exit, Exit::Code(3), "{name}: {}", finished.stderr.text());
                assert_eq!(finished.stdout.text(), "4950\ndenied\n", "{name}");
            }
        }
    }
}

/// Not a test: what the attacks above run in a process of its own, told by a variable. Alone it does nothing.
#[test]
fn attacker() {
    let Ok(role) = std::env::var("BONAFIX_ROLE") else { return };
    let (verb, target) = role.split_once(' ').unwrap_or((&role, ""));
    let outcome = |result: std::io::Result<()>| match result {
        Ok(()) => println!("reached"),
        Err(error) => println!("refused: {error}"),
    };
    match verb {
        "tcp" => {
            let address = target.parse().unwrap();
            outcome(TcpStream::connect_timeout(&address, Duration::from_secs(2)).map(drop));
        }
        "udp" => {
            outcome(
                UdpSocket::bind("0.0.0.0:0").and_then(|socket| socket.send_to(b"data", target)).map(drop),
            );
        }
        "unix" => outcome(UnixStream::connect(target).map(drop)),
        "loopback" => outcome(talk_to_oneself()),
        "truncate" => empty_by_all_means(target),
        "calls" => calls::try_all(),
        _ => panic!("unknown role {role}"),
    }
}

fn talk_to_oneself() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut client = TcpStream::connect_timeout(&listener.local_addr()?, Duration::from_secs(2))?;
    client.write_all(b"hello")?;
    drop(client);
    let mut text = String::new();
    listener.accept()?.0.read_to_string(&mut text)?;
    assert_eq!(text, "hello");
    Ok(())
}

fn empty_by_all_means(path: &str) {
    let mut options = std::fs::OpenOptions::new();
    let _ = options.read(true).custom_flags(libc::O_TRUNC).open(path);
    let _ = std::fs::OpenOptions::new().write(true).truncate(true).open(path);
    calls::truncate(path);
    println!("done");
}

mod calls {
    #![expect(unsafe_code, reason = "attacks by system call")]

    pub(super) fn truncate(path: &str) {
        let path = std::ffi::CString::new(path).unwrap();
        // SAFETY: the path is a live C string.
        unsafe { libc::truncate(path.as_ptr(), 0) };
    }

    /// Calls that must not succeed; with arguments that the kernel refuses by another error when the call is open.
    pub(super) fn try_all() {
        let calls = [
            ("ptrace", libc::SYS_ptrace, [i64::from(libc::PTRACE_TRACEME), 0, 0, 0]),
            ("unshare", libc::SYS_unshare, [i64::from(libc::CLONE_NEWUSER), 0, 0, 0]),
            ("clone", libc::SYS_clone, [i64::from(libc::CLONE_NEWUSER | libc::CLONE_VM), 0, 0, 0]),
            ("io_uring_setup", libc::SYS_io_uring_setup, [1, 0, 0, 0]),
            ("bpf", libc::SYS_bpf, [0, 0, 0, 0]),
            ("keyctl", libc::SYS_keyctl, [0, -3, 0, 0]),
            ("userfaultfd", libc::SYS_userfaultfd, [1, 0, 0, 0]),
            ("mount", libc::SYS_mount, [0, 0, 0, 0]),
            ("setns", libc::SYS_setns, [-1, 0, 0, 0]),
            (
                "socket vsock",
                libc::SYS_socket,
                [i64::from(libc::AF_VSOCK), i64::from(libc::SOCK_STREAM), 0, 0],
            ),
            (
                "socketpair dgram",
                libc::SYS_socketpair,
                [i64::from(libc::AF_UNIX), i64::from(libc::SOCK_DGRAM), 0, 0],
            ),
            ("ioctl TIOCSTI", libc::SYS_ioctl, [0, 0x5412, 0, 0]),
        ];
        for (name, call, [a, b, c, d]) in calls {
            // SAFETY: no argument is a pointer to memory of ours; the kernel checks the rest.
            let result = unsafe { libc::syscall(call, a, b, c, d) };
            let error = std::io::Error::last_os_error();
            if result >= 0 || error.raw_os_error() != Some(libc::EPERM) {
                println!("{name} allowed: {result}, {error}");
            }
        }
        println!("calls tried: {}", calls.len());
    }
}
