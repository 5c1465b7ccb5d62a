//! Counterexamples of programs: written into a folder, run from there, and by a plain shell.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod one_file;

use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{ExploredVersion, ProgramDraft, Replay, Shown, Watch, WrittenWitness};
use bonafix_lang_c::{ReplayOptions, replay};
use bonafix_model::{
    Delta, DifferenceClass, Execution, FileEdit, ProgramInput, ReplayReport, TreeChange, VersionRole,
};
use bonafix_proc::{Job, Launcher, Limits, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};
use one_file::{Subject, on};

/// Says how large a number is, wrongly for one that a patch names; the first line has the path of the input.
const SOURCE: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static int table[4];
    int n = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!file || fscanf(file, "%d", &n) != 1)
        return 2;
    printf("%s\n", argc > 1 ? argv[1] : "-");
    /* HERE */
    printf("%d\n", n + table[0]);
    return 0;
}
"#;
const WRONG: &str = "if (n == 7) n = 8;";
const FAULTY: &str = "if (n == 7) table[n / 2 + atoi(\"2\")] = 1;";

fn patched(line: &str) -> TreeChange {
    let text = SOURCE.replace("/* HERE */", line);
    TreeChange { files: [(Utf8PathBuf::from("main.c"), FileEdit::Write(text.into_bytes()))].into() }
}

struct Written {
    subject: Subject,
    folder: Utf8PathBuf,
    witness: WrittenWitness,
}

/// Writes a counterexample to a patch; the buggy version is what is right.
fn write(config: &str, line: &str, fault: Option<Watch>) -> Written {
    let subject = Subject::configured(SOURCE, config);
    let (nothing, change, delta) = (TreeChange::default(), patched(line), Delta::default());
    let version = |role, change| ExploredVersion { role, change, delta: &delta };
    let input = on("7\n");
    let expected = subject.watched(Watch::Plain).execute(&input).unwrap();
    let folder = subject.log().with_file_name("witness");
    let draft = ProgramDraft {
        input: &input,
        class: DifferenceClass::Assert,
        shown: fault.map_or(Shown::Differs(&expected), Shown::Faults),
        what: "line 2 of standard output",
        expected: "7",
        actual: "8",
        versions: &[version(VersionRole::Buggy, &nothing), version(VersionRole::Patched, &change)],
        repetitions: 2,
        limit: Duration::from_secs(10),
    };
    let witness = subject.project.make_witness(&draft, &folder, &subject.log()).unwrap();
    Written { subject, folder, witness }
}

fn passed(replays: &[Replay]) -> Vec<(VersionRole, bool)> {
    replays.iter().map(|replay| (replay.role, replay.passed)).collect()
}

impl Written {
    /// As on another machine: in another folder, with an empty cache.
    fn replay_elsewhere(&self) -> Result<ReplayReport, bonafix_lang::LangError> {
        let other = self.folder.with_file_name("elsewhere");
        if !other.exists() {
            bonafix_store::copy_tree(&self.folder, &other, &|_| false).unwrap();
        }
        let cache = Cache::open(&self.folder.with_file_name("other-cache")).unwrap();
        let options = ReplayOptions {
            repetitions: Some(1),
            cache: Arc::new(cache),
            launcher: Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap()),
            log: self.subject.log(),
        };
        replay(&other, &options)
    }

    /// Builds a version by hand and gives it to `run.sh`: exit code and what was printed.
    fn by_hand(&self, change: &TreeChange, flags: &[&str]) -> (bool, String) {
        let source = self.folder.with_file_name("by-hand.c");
        let text = match change.files.values().next() {
            Some(FileEdit::Write(text)) => text.clone(),
            _ => SOURCE.as_bytes().to_vec(),
        };
        fs_err::write(&source, text).unwrap();
        let program = source.with_extension("");
        let run = |job: Job| {
            let launcher = Launcher::new(SandboxMode::Off).unwrap();
            job.inherit_all_env().limits(Limits::build()).run(&launcher).unwrap()
        };
        let built = run(Job::new("clang").args(flags).args(["-g", "-o", program.as_str(), source.as_str()]));
        assert!(built.exit.success(), "{}", built.stderr.text());
        let ran = run(Job::new("sh").args([self.folder.join("run.sh").as_str(), program.as_str()]));
        (ran.exit.success(), ran.stdout.text())
    }
}

const BY_PATH: &str =
    "program = \"program\"\n[run]\narguments = [\"@@\"]\n[tests]\ninput = \"tests/*.txt\"\n";

#[test]
fn a_difference_is_replayed_from_its_folder_alone_and_by_a_shell() {
    use VersionRole::{Buggy, Patched};
    let written = write(BY_PATH, WRONG, None);
    let rounds = [(Buggy, true), (Patched, false), (Buggy, true), (Patched, false)];
    assert_eq!(passed(&written.witness.replays), rounds);
    assert_eq!(written.witness.input, ["$ program input", "7"]);

    let report = written.replay_elsewhere().unwrap();
    assert!(report.holds, "{report:#?}");
    assert_eq!(report.versions[1].message.as_deref(), Some("standard output differs"));

    let (right, text) = written.by_hand(&TreeChange::default(), &[]);
    assert!(right, "{text}");
    let (right, text) = written.by_hand(&patched(WRONG), &[]);
    assert!(!right && text.contains("*** standard output differs"), "{text}");
    let readme = fs_err::read_to_string(written.folder.join("README.md")).unwrap();
    assert!(readme.contains("sh run.sh PROGRAM") && readme.lines().count() <= 20, "{readme}");

    let source = written.folder.with_file_name("elsewhere").join("project/main.c");
    fs_err::write(source, "int main(void) { return 0; }\n").unwrap();
    let error = written.replay_elsewhere().unwrap_err().to_string();
    assert!(error.contains("project/main.c is not what it was"), "{error}");
}

#[test]
fn a_fault_is_replayed_under_the_same_watch() {
    use VersionRole::{Buggy, Patched};
    let written = write("program = \"program\"\n", FAULTY, Some(Watch::Sanitizers));
    let rounds = [(Buggy, true), (Patched, false), (Buggy, true), (Patched, false)];
    assert_eq!(passed(&written.witness.replays), rounds, "{:#?}", written.witness);
    assert_eq!(written.witness.input, ["$ program < input", "7"]);
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];
    let (right, text) = written.by_hand(&patched(FAULTY), &flags);
    assert!(!right, "{text}");
    let (right, text) = written.by_hand(&TreeChange::default(), &flags);
    assert!(right, "{text}");
}

#[test]
fn what_is_more_than_is_kept_is_no_witness_and_leaves_no_folder() {
    let subject = Subject::new(SOURCE);
    let (nothing, delta) = (TreeChange::default(), Delta::default());
    let input = on("7\n");
    let expected = Execution { cut: true, ..subject.watched(Watch::Plain).execute(&input).unwrap() };
    let folder = subject.log().with_file_name("witness");
    let draft = ProgramDraft {
        input: &ProgramInput { arguments: None, bytes: b"7\n".to_vec() },
        class: DifferenceClass::Assert,
        shown: Shown::Differs(&expected),
        what: "",
        expected: "",
        actual: "",
        versions: &[ExploredVersion { role: VersionRole::Buggy, change: &nothing, delta: &delta }],
        repetitions: 1,
        limit: Duration::from_secs(10),
    };
    let error = subject.project.make_witness(&draft, &folder, &subject.log()).unwrap_err();
    assert!(error.to_string().contains("more than is kept"), "{error}");
    assert!(!Utf8Path::new(&folder).exists());
}
