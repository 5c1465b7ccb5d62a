//! Ctrl-C, and the worse ends of bonafix itself, in a process of its own.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

mod common;

use bonafix_proc::{
    Confinement, Exit, Launcher, ProcError, Protection, Running, SandboxMode, SandboxSpec, Sink, interrupt,
};
use common::{best, eventually, folder, own_role, script, survivors};
use std::io::{BufRead as _, BufReader};
use std::process::ChildStdout;
use std::time::Duration;

/// A copy of this test that plays bonafix in a given role.
struct Player {
    running: Running,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    pid: String,
    mark: String,
    _home: common::Folder,
}

impl Player {
    fn start(role: &str) -> Self {
        let home = folder();
        let (job, mark) = own_role("player", role, &home.path);
        let mut running = job.stdout(Sink::Piped).spawn(&best()).unwrap();
        let lines = BufReader::new(running.take_stdout().unwrap()).lines();
        let mut player = Self { running, lines, pid: String::new(), mark, _home: home };
        player.pid = player.word("ready ");
        player
    }

    /// The rest of the next line that holds this word. The test harness prints its own words before.
    fn word(&mut self, word: &str) -> String {
        loop {
            let line = self.lines.next().expect("the player ended early").unwrap();
            if let Some((_, rest)) = line.split_once(word) {
                return rest.to_owned();
            }
        }
    }

    fn signal(&self, signal: &str) {
        let home = folder();
        let finished = script(&format!("kill -{signal} {}", self.pid), &home.path).0.run(&best()).unwrap();
        assert!(finished.exit.success(), "{}", finished.stderr.text());
    }

    /// Processes of the player's job; they carry a mark of their own.
    fn job_mark(&self) -> String {
        format!("job-of-{}", self.mark)
    }

    fn wait_for_job(&self) {
        assert!(eventually(Duration::from_secs(10), || survivors(&self.job_mark()).len() >= 3));
    }
}

const ROLES: [&str; 3] = ["open", "sandboxed", "without-namespaces"];

#[test]
fn an_interruption_ends_the_job_and_is_an_error_of_its_own() {
    for role in ROLES {
        for signal in ["INT", "TERM"] {
            let mut player = Player::start(role);
            player.wait_for_job();
            player.signal(signal);
            assert_eq!(player.word("outcome "), "interrupted, then interrupted", "{role}");
            assert_eq!(survivors(&player.job_mark()), Vec::<String>::new(), "{role}");
            assert_eq!(player.running.wait().unwrap().exit, Exit::Code(0), "{role}");
        }
    }
}

#[test]
fn a_second_interruption_ends_at_once_with_130() {
    let player = Player::start("deaf");
    player.signal("INT");
    std::thread::sleep(Duration::from_millis(100));
    player.signal("INT");
    assert_eq!(player.running.wait().unwrap().exit, Exit::Code(130));
}

#[test]
fn jobs_end_even_if_bonafix_is_killed_without_warning() {
    for role in ROLES {
        let player = Player::start(role);
        player.wait_for_job();
        player.signal("KILL");
        let gone = eventually(Duration::from_secs(3), || survivors(&player.job_mark()).is_empty());
        assert!(gone, "{role}: {:?}", survivors(&player.job_mark()));
    }
}

/// Not a test: what the tests above start. Alone it does nothing.
#[test]
fn player() {
    let Ok(role) = std::env::var("BONAFIX_ROLE") else { return };
    let mark = std::env::var("BONAFIX_TEST_MARK").unwrap();
    interrupt::install().unwrap();
    println!("ready {}", std::process::id());
    if role == "deaf" {
        std::thread::sleep(Duration::from_mins(1));
        return;
    }
    let home = folder();
    let mut protection = Protection::probe();
    if role == "without-namespaces" {
        protection = protection.without_namespaces();
    }
    let launcher = Launcher::with_protection(SandboxMode::BestEffort, protection).unwrap();
    let confinement = match role.as_str() {
        "open" => Confinement::Open,
        _ => Confinement::Sandboxed(SandboxSpec::scratch(&home.path)),
    };
    let job = || {
        let (job, _) = script("setsid sleep 1000 & (trap '' TERM; sleep 1000)", &home.path);
        job.env("BONAFIX_TEST_MARK", format!("job-of-{mark}")).confinement(confinement.clone())
    };
    let describe = |result: Result<bonafix_proc::Finished, ProcError>| match result {
        Err(ProcError::Interrupted) => "interrupted".to_owned(),
        other => format!("{other:?}"),
    };
    // The second job shows that none starts after an interruption.
    println!("outcome {}, then {}", describe(job().run(&launcher)), describe(job().run(&launcher)));
}
