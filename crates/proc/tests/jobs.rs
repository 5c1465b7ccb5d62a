//! Jobs as their callers see them: exits, streams, environment, errors, ends.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

mod common;

use bonafix_proc::{Confinement, Exit, Job, Limits, ProcError, SandboxSpec, Sink, Stdin};
use camino::Utf8Path;
use common::{best, eventually, folder, machines, mark, script, survivors};
use std::io::{BufRead as _, BufReader, Write as _};
use std::time::{Duration, Instant};

/// Runs a check in the open and in every sandbox.
fn everywhere(text: &str, check: impl Fn(&str, bonafix_proc::Finished)) {
    let home = folder();
    for (name, launcher) in machines() {
        for confinement in [Confinement::Open, Confinement::Sandboxed(SandboxSpec::scratch(&home.path))] {
            let finished = script(text, &home.path).0.confinement(confinement).run(&launcher).unwrap();
            check(name, finished);
        }
    }
}

#[test]
fn codes_and_signals_come_through_exactly() {
    everywhere("exit 0", |name, finished| assert!(finished.exit.success(), "{name}"));
    everywhere("exit 3", |name, finished| assert_eq!(finished.exit, Exit::Code(3), "{name}"));
    everywhere("exit 255", |name, finished| assert_eq!(finished.exit, Exit::Code(255), "{name}"));
    everywhere("kill -SEGV $$", |name, finished| assert_eq!(finished.exit, Exit::Signal(11), "{name}"));
    everywhere("kill -ABRT $$", |name, finished| assert_eq!(finished.exit, Exit::Signal(6), "{name}"));
    everywhere("kill -KILL $$", |name, finished| assert_eq!(finished.exit, Exit::Signal(9), "{name}"));
}

#[test]
fn both_streams_come_back_apart() {
    everywhere("echo out; echo err >&2", |name, finished| {
        assert_eq!(
            (finished.stdout.text(), finished.stderr.text()),
            ("out\n".into(), "err\n".into()),
            "{name}"
        );
        assert!(!finished.stdout.truncated);
    });
}

#[test]
fn given_input_arrives_and_ends() {
    let home = folder();
    let input: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
    let (job, _) = mark(Job::new("cat"), &home.path);
    let finished =
        job.stdin(Stdin::Bytes(input.clone())).stdout(Sink::Capture { cap: 10 << 20 }).run(&best()).unwrap();
    assert!(finished.stdout.bytes == input);
}

#[test]
fn input_that_nobody_reads_holds_nobody() {
    let home = folder();
    let (job, _) = script("exit 4", &home.path);
    let finished = job.stdin(Stdin::Bytes(vec![0; 1 << 20])).run(&best()).unwrap();
    assert_eq!(finished.exit, Exit::Code(4));
}

#[test]
fn no_input_is_end_of_file() {
    everywhere("cat; read x; echo $?", |name, finished| assert_eq!(finished.stdout.text(), "1\n", "{name}"));
}

#[test]
fn a_conversation_over_pipes_works_in_every_sandbox() {
    let home = folder();
    for (name, launcher) in machines() {
        let (job, _) = script("while read x; do echo got $x; done; exit 5", &home.path);
        let job = job.stdin(Stdin::Piped).stdout(Sink::Piped).sandboxed(SandboxSpec::scratch(&home.path));
        let mut running = job.spawn(&launcher).unwrap();
        let mut input = running.take_stdin().unwrap();
        let mut lines = BufReader::new(running.take_stdout().unwrap()).lines();
        for word in ["one", "two"] {
            writeln!(input, "{word}").unwrap();
            assert_eq!(lines.next().unwrap().unwrap(), format!("got {word}"), "{name}");
        }
        assert!(running.try_wait().unwrap().is_none(), "{name}");
        drop(input);
        assert_eq!(running.wait().unwrap().exit, Exit::Code(5), "{name}");
        assert!(lines.next().is_none(), "{name}: end of file at the end of the job");
    }
}

#[test]
fn a_gigabyte_of_output_costs_only_the_cap() {
    let home = folder();
    let (job, _) = script("head -c 1073741824 /dev/zero; head -c 5000 /dev/zero >&2; exit 6", &home.path);
    let file = home.path.join("stderr.log");
    let job = job
        .stdout(Sink::Capture { cap: 1000 })
        .stderr(Sink::File { path: file.clone(), cap: 3000 })
        .limits(Limits { wall: Some(Duration::from_mins(1)), ..Limits::default() });
    let finished = job.run(&best()).unwrap();
    assert_eq!(finished.exit, Exit::Code(6), "the program was not held");
    assert_eq!((finished.stdout.bytes.len(), finished.stdout.total), (1000, 1 << 30));
    assert!(finished.stdout.truncated && finished.stderr.truncated);
    assert_eq!((file.metadata().unwrap().len(), finished.stderr.total), (3000, 5000));
}

#[test]
fn the_environment_is_what_the_job_says_and_no_more() {
    let finished = Job::new("env").env("ONE", "1").run(&best()).unwrap();
    assert_eq!(finished.stdout.text(), "ONE=1\n");
    let finished = Job::new("env").frozen_env("/x".into()).env("TZ", "Asia/Tokyo").run(&best()).unwrap();
    let path = std::env::var("PATH").unwrap();
    let expected = format!("HOME=/x\nLANG=C.UTF-8\nLC_ALL=C.UTF-8\nPATH={path}\nTMPDIR=/x\nTZ=Asia/Tokyo\n");
    assert_eq!(finished.stdout.text(), expected);
}

#[test]
fn no_descriptor_of_ours_reaches_the_program() {
    use std::os::fd::AsRawFd as _;
    let home = folder();
    let file = std::fs::File::open("/dev/null").unwrap();
    let leaked = file.as_raw_fd();
    keep_open_over_exec(leaked);
    for (name, launcher) in machines() {
        let (job, _) = script("ls /proc/self/fd", &home.path);
        let finished = job.sandboxed(SandboxSpec::scratch(&home.path)).run(&launcher).unwrap();
        // The fourth is the folder that `ls` reads.
        assert_eq!(finished.stdout.text(), "0\n1\n2\n3\n", "{name}");
    }
}

fn keep_open_over_exec(fd: i32) {
    #![expect(unsafe_code, reason = "std always sets the flag that this clears")]
    // SAFETY: takes no pointers.
    unsafe { libc::fcntl(fd, libc::F_SETFD, 0) };
}

#[test]
fn a_missing_program_is_named_with_where_it_was_looked_for() {
    let error = Job::new("no-such-program").env("PATH", "/nowhere:/else").run(&best()).unwrap_err();
    assert!(matches!(error, ProcError::NotFound { .. }));
    let text = error.to_string();
    assert!(text.contains("`no-such-program`") && text.contains("/nowhere:/else"), "{text}");
}

#[test]
fn a_program_that_the_kernel_cannot_execute_is_named_with_the_step() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = folder();
    let program = home.path.join("program");
    fs_err::write(&program, "#!/no/such/interpreter\n").unwrap();
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (name, launcher) in machines() {
        let job = Job::new(&program).cwd(&home.path).sandboxed(SandboxSpec::scratch(&home.path));
        let error = job.run(&launcher).unwrap_err().to_string();
        assert!(
            error.contains("program` (exec)") && error.contains("executable for this machine"),
            "{name}: {error}"
        );
    }
}

#[test]
fn a_missing_folder_is_named() {
    let home = folder();
    let gone = home.path.join("gone");
    let error = script("true", &gone).0.run(&best()).unwrap_err();
    assert!(matches!(error, ProcError::Folder { .. }) && error.to_string().contains("gone"), "{error}");
    let error = script("true", &home.path).0.sandboxed(SandboxSpec::scratch(&gone)).run(&best()).unwrap_err();
    assert!(matches!(error, ProcError::Folder { .. }) && error.to_string().contains("gone"), "{error}");
}

#[test]
fn processor_time_is_measured_and_limited() {
    let home = folder();
    for (name, launcher) in machines() {
        let (job, _) = script("while :; do :; done", &home.path);
        let limits = Limits { cpu: Some(Duration::from_millis(200)), ..common::tight() };
        let finished = job.limits(limits).sandboxed(SandboxSpec::scratch(&home.path)).run(&launcher).unwrap();
        assert_eq!(finished.exit, Exit::OverCpu, "{name}");
        assert!(finished.cpu.unwrap() >= Duration::from_millis(180), "{name}: {:?}", finished.cpu);
    }
}

#[test]
fn a_kill_and_a_drop_end_everything() {
    let home = folder();
    for (name, launcher) in machines() {
        for confinement in [Confinement::Open, Confinement::Sandboxed(SandboxSpec::scratch(&home.path))] {
            let start = || {
                let (job, mark) = script("setsid sleep 1000 & sleep 1000", &home.path);
                let running = job.confinement(confinement.clone()).spawn(&launcher).unwrap();
                assert!(eventually(Duration::from_secs(5), || survivors(&mark).len() >= 3), "{name}");
                (running, mark)
            };
            let (mut running, mark) = start();
            assert!(running.wait_timeout(Duration::from_millis(1)).unwrap().is_none());
            running.kill();
            assert_eq!(running.wait().unwrap().exit, Exit::Killed, "{name}");
            assert_eq!(survivors(&mark), Vec::<String>::new(), "{name}");
            let (running, mark) = start();
            drop(running);
            assert_eq!(survivors(&mark), Vec::<String>::new(), "{name}");
        }
    }
}

#[test]
fn a_job_outlives_the_thread_that_started_it() {
    let home = folder();
    let running = std::thread::scope(|scope| {
        let start = || script("sleep 0.2; exit 8", &home.path).0.spawn(&best()).unwrap();
        scope.spawn(start).join().unwrap()
    });
    assert_eq!(running.wait().unwrap().exit, Exit::Code(8));
}

#[test]
fn many_jobs_at_once_do_not_disturb_each_other() {
    let home = folder();
    let launcher = best();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let (home, launcher) = (&home, &launcher);
            scope.spawn(move || {
                for _ in 0..5 {
                    let (job, _) = script(&format!("echo {worker}; exit {worker}"), &home.path);
                    let finished = job.sandboxed(SandboxSpec::scratch(&home.path)).run(launcher).unwrap();
                    assert_eq!(finished.exit, Exit::Code(worker));
                    assert_eq!(finished.stdout.text(), format!("{worker}\n"));
                }
            });
        }
    });
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_folder_of_its_own_stands_in_the_place_of_tmp() {
    let launcher = best();
    if !launcher.protection().read_only_mounts() {
        return;
    }
    let scratch = folder();
    let own = scratch.path.join("own");
    fs_err::create_dir(&own).unwrap();
    let name = format!("note-{}", std::process::id());
    // The scratch folder, which lies in the real `/tmp` on most machines, is still there.
    let text =
        format!("echo hello > /tmp/{name} && cat own/{name} && echo more > {}/beside && pwd", scratch.path);
    let (job, _) = script(&text, &scratch.path);
    let finished = job.sandboxed(SandboxSpec::scratch(&scratch.path).temporary(&own)).run(&launcher).unwrap();
    assert_eq!(finished.stdout.text(), format!("hello\n{}\n", scratch.path), "{}", finished.stderr.text());
    assert!(own.join(&name).is_file() && scratch.path.join("beside").is_file());
    assert!(!Utf8Path::new("/tmp").join(&name).exists());
}

#[test]
fn a_program_that_somebody_still_holds_open_for_writing_is_waited_for() {
    let home = folder();
    let program = home.path.join("program");
    fs_err::copy("/bin/true", &program).unwrap();
    let held = fs_err::OpenOptions::new().append(true).open(&program).unwrap();
    let holder = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(150));
        drop(held);
    });
    let finished = Job::new(&program).run(&best()).unwrap();
    assert!(finished.exit.success());
    holder.join().unwrap();
}
