//! Tests and inputs, traced on two versions of a small program: the same statement has the same number in both.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{ExploredVersion, FuzzRequest, Project, TraceLimits, Traced};
use bonafix_lang_c::CProject;
use bonafix_model::{
    CConfig, Delta, FileEdit, ProgramInput, TestId, TestsConfig, Trace, TreeChange, VersionRole,
};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::Utf8PathBuf;

/// Lines by number: 8 is the base of the recursion, 9 its step, 13 to 16 `half`.
const SOURCE: &str = r#"#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
static int sum(int n) {
    if (n <= 0)
        return 0;
    return n + sum(n - 1);
}
static int half(int n) {
    if (n > 1000)
        exit(3);
    int result = n / 3;
    result += 0;
    return result;
}
static void *work(void *from) {
    half(*(int *)from);
    return from;
}
static volatile int counter;
int main(void) {
    char what;
    int n;
    pthread_t thread;
    if (scanf("%c %d", &what, &n) != 2)
        return 2;
    switch (what) {
    case 'h': printf("%d\n", half(n)); break;
    case 's': printf("%d\n", sum(n)); break;
    case 'l':
        for (int i = 0; i < n; i++)
            counter++;
        printf("%d\n", half(n % 10));
        break;
    case 't':
        pthread_create(&thread, NULL, work, &n);
        pthread_join(thread, NULL);
        break;
    case 'f':
        if (fork() == 0)
            return half(n);
        wait(NULL);
        break;
    case 'r': printf("%d\n", getpid() % 2 ? half(n) : sum(n)); break;
    case 'a': abort();
    }
    return 0;
}
"#;

struct Subject {
    _folder: tempfile::TempDir,
    log: Utf8PathBuf,
    project: CProject,
}

impl Subject {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let root = path.join("project");
        fs_err::create_dir_all(root.join("tests")).unwrap();
        let files = [
            ("main.c", SOURCE),
            ("tests/seven.in", "h 7\n"),
            ("tests/seven.out", "3\n"),
            ("tests/sum.in", "s 3\n"),
            ("tests/sum.out", "6\n"),
            (
                "tests/run.sh",
                "echo 'h 7' | \"$PROGRAM\" >out && echo 'h 8' | \"$PROGRAM\" >>out && grep 4 out\n",
            ),
        ];
        for (name, text) in files {
            fs_err::write(root.join(name), text).unwrap();
        }
        let config: CConfig = toml::from_str(config).unwrap();
        let cache = Arc::new(Cache::open(&path.join("cache")).unwrap());
        let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
        let project = CProject::open(&root, &config, &TestsConfig::default(), cache, launcher).unwrap();
        let log = path.join("log");
        project.build(&TreeChange::default(), &log).unwrap();
        Self { _folder: folder, log, project }
    }

    fn by_files() -> Self {
        Self::new(
            "program = \"program\"\nldflags = [\"-lpthread\"]\n[tests]\ninput = \"tests/*.in\"\noutput = \"tests/*.out\"\n",
        )
    }

    /// Traces on the buggy version and on one with another source.
    fn trace(&self, after: &str, tests: &[&str], inputs: &[&str], most: u32) -> Vec<Traced> {
        let edit = (Utf8PathBuf::from("main.c"), FileEdit::Write(after.into()));
        let change = TreeChange { files: [edit].into_iter().collect() };
        let (buggy, nothing) = (TreeChange::default(), Delta::default());
        self.project.build(&change, &self.log).unwrap();
        let delta = self.project.delta(&change).unwrap();
        let versions = [
            ExploredVersion { role: VersionRole::Buggy, change: &buggy, delta: &nothing },
            ExploredVersion { role: VersionRole::Patched, change: &change, delta: &delta },
        ];
        let request = FuzzRequest {
            versions: &versions,
            failing: &[],
            passing: &[],
            kept: &[],
            seed: 1,
            limit: Duration::from_secs(5),
        };
        let mut tracer = self.project.fuzzer().unwrap().tracer(&request, &self.log).unwrap();
        let limits = TraceLimits { statements: most, deadline: None, test: Duration::from_secs(20) };
        let tests: Vec<TestId> = tests.iter().map(|&test| TestId(test.to_owned())).collect();
        let inputs: Vec<ProgramInput> = inputs
            .iter()
            .map(|input| ProgramInput { arguments: None, bytes: input.as_bytes().to_vec() })
            .collect();
        let mut found = BTreeMap::new();
        tracer.tests(&tests, &limits, &mut |number, trace| drop(found.insert(number, trace))).unwrap();
        let offset = tests.len();
        tracer
            .inputs(&inputs, &limits, &mut |number, trace| drop(found.insert(offset + number, trace)))
            .unwrap();
        found.into_values().collect()
    }
}

const MOST: u32 = 10_000_000;

fn patched() -> String {
    SOURCE.replace("n / 3;\n    result += 0;", "n;\n    result += n % 2;\n    result /= 2;")
}

fn both(traced: &Traced) -> (&Trace, &Trace) {
    match traced {
        Traced::Both { buggy, patched } => (buggy, patched),
        other => panic!("{other:?}"),
    }
}

#[test]
fn statements_outside_of_the_change_have_the_same_numbers_in_both_versions() {
    let subject = Subject::by_files();
    // Lines above all functions, and one in a function.
    let after = SOURCE
        .replace("static int sum", "/* About sums.\n   Slow. */\nstatic int sum")
        .replace("    result += 0;\n", "    result += 0;\n    result += n - n;\n");
    let traced = subject.trace(&after, &[], &["s 3", "h 7"], MOST);
    assert_eq!(traced[0], Traced::NotReached, "no changed function is called");
    let (buggy, patched) = both(&traced[1]);
    let one_sided = |trace: &Trace| trace.statements.iter().filter(|&&number| number >> 31 == 1).count();
    assert_eq!((one_sided(buggy), one_sided(patched)), (0, 1));
    let shared: Vec<u32> = patched.statements.iter().copied().filter(|number| number >> 31 == 0).collect();
    assert_eq!(shared, buggy.statements);
    let calls: Vec<&[u32]> = buggy.calls().collect();
    assert_eq!((calls.len(), calls[0].len()), (1, 5), "head, condition, and three lines behind it");
}

#[test]
fn whole_functions_that_a_patch_adds_move_nothing() {
    let subject = Subject::by_files();
    let after = SOURCE
        .replace("static int half", "static int third(int n) {\n    return n / 3;\n}\nstatic int half")
        .replace("result = n / 3", "result = third(n)");
    let traced = subject.trace(&after, &[], &["h 7"], MOST);
    let (buggy, patched) = both(&traced[0]);
    let shared: Vec<u32> = patched.statements.iter().copied().filter(|number| number >> 31 == 0).collect();
    assert_eq!(shared, buggy.statements);
    assert_eq!(patched.statements.len(), buggy.statements.len() + 2);
    assert_eq!(patched.changed.len(), 1, "the added function is called inside of the changed one");
}

#[test]
fn recursion_an_exit_a_signal_and_a_copy_of_the_process_are_traced() {
    let subject = Subject::by_files();
    let after = patched().replace("return n + sum(n - 1);", "return sum(n - 1) + n;");
    let traced = subject.trace(&after, &[], &["s 3", "h 2000", "a 1", "f 4"], MOST);
    let (buggy, _) = both(&traced[0]);
    // Three times head, condition and step, then head, condition and base; and four times the line that all returns meet at.
    assert_eq!(buggy.calls().map(<[u32]>::len).collect::<Vec<_>>(), [16]);
    let (buggy, patched) = both(&traced[1]);
    let lines: Vec<&[u32]> = buggy.calls().collect();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].len(), 3, "head, condition, exit");
    assert_eq!(buggy, patched);
    assert_eq!(traced[2], Traced::NotReached);
    assert_eq!(both(&traced[3]).0.changed.len(), 1, "in the child");
}

#[test]
fn long_loops_are_traced_up_to_the_bound() {
    let subject = Subject::by_files();
    let traced = subject.trace(&patched(), &[], &["l 1000003"], MOST);
    let (buggy, patched) = both(&traced[0]);
    assert!(!buggy.cut && !patched.cut);
    assert!(buggy.statements.len() > 3_000_000, "{}", buggy.statements.len());
    let traced = subject.trace(&self::patched(), &[], &["l 1000003", "h 7"], 10_000);
    let (buggy, patched) = both(&traced[0]);
    assert!(buggy.cut && patched.cut && buggy.statements.len() <= 10_000);
    assert!(!both(&traced[1]).0.cut);
}

#[test]
fn what_is_not_the_same_twice_or_has_threads_is_set_aside() {
    let subject = Subject::by_files();
    let traced = subject.trace(&patched(), &[], &["t 7"], MOST);
    assert_eq!(traced, [Traced::SetAside("its threads take turns".to_owned())]);
}

#[test]
fn tests_by_files_are_traced_and_must_pass_on_the_patched_version() {
    let subject = Subject::by_files();
    let after = SOURCE.replace("int result = n / 3;", "int result = n / 2;");
    let traced = subject.trace(&after, &["seven", "sum", "none"], &[], MOST);
    let (buggy, patched) = both(&traced[0]);
    assert_eq!(buggy, patched, "the changed statement is the same statement");
    assert_eq!(traced[1], Traced::NotReached);
    assert!(matches!(&traced[2], Traced::SetAside(why) if why.contains("not among")), "{:?}", traced[2]);
    let wrong = SOURCE.replace("int result = n / 3;", "int result = n / 4;");
    let traced = subject.trace(&wrong, &["seven"], &[], MOST);
    assert!(matches!(&traced[0], Traced::SetAside(why) if why.contains("does not pass")), "{:?}", traced[0]);
}

#[test]
fn a_script_is_traced_as_all_the_processes_that_it_starts() {
    let subject = Subject::new(
        "program = \"program\"\nldflags = [\"-lpthread\"]\n[tests]\nscript = \"sh tests/run.sh\"\nnames = [\"all\"]\n",
    );
    let after = SOURCE.replace("int result = n / 3;", "int result = n / 2;");
    let traced = subject.trace(&after, &["all"], &[], MOST);
    assert_eq!(both(&traced[0]).0.changed.len(), 2, "two programs, one call each");
}
