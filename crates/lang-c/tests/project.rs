//! Small C projects: built, changed, built again, tested.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{LangError, Project, TestPlan};
use bonafix_lang_c::CProject;
use bonafix_model::{
    CConfig, FileEdit, TestId, TestOutcome, TestResult, TestSelection, TestsConfig, TreeChange,
};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

/// Adds the numbers on standard input.
const SUM: &str = r#"#include <stdio.h>
int main(void) {
    long sum = 0, next;
    while (scanf("%ld", &next) == 1)
        sum += next;
    printf("%ld\n", sum);
    return 0;
}
"#;

struct Subject {
    folder: tempfile::TempDir,
    config: CConfig,
}

impl Subject {
    fn new(config: &str, files: &[(&str, &str)]) -> Self {
        let subject = Self { folder: tempfile::tempdir().unwrap(), config: toml::from_str(config).unwrap() };
        for (path, text) in files {
            let file = subject.root().join(path);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, text).unwrap();
        }
        subject
    }

    fn path(&self) -> &Utf8Path {
        Utf8Path::from_path(self.folder.path()).unwrap()
    }

    fn root(&self) -> Utf8PathBuf {
        self.path().join("project")
    }

    fn log(&self) -> Utf8PathBuf {
        self.path().join("log")
    }

    fn open(&self) -> Result<CProject, LangError> {
        let cache = Arc::new(Cache::open(&self.path().join("cache")).unwrap());
        let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
        CProject::open(&self.root(), &self.config, &TestsConfig::default(), cache, launcher)
    }

    /// Opened, with the buggy version built.
    fn built(&self) -> CProject {
        let project = self.open().unwrap();
        project.build(&TreeChange::default(), &self.log()).unwrap();
        project
    }

    fn log_text(&self) -> String {
        fs_err::read_to_string(self.log()).unwrap_or_default()
    }

    fn results(&self, project: &CProject, change: &TreeChange) -> BTreeMap<String, TestResult> {
        let all = TestSelection::Matching { only: Vec::new(), ignore: Vec::new() };
        let plan = TestPlan::new(all, Duration::from_secs(3));
        let run = project.run_tests(change, &plan, &self.log(), &mut |_, _| {}).unwrap();
        run.results.into_iter().map(|result| (result.id.0.clone(), result)).collect()
    }

    fn outcomes(&self, project: &CProject, change: &TreeChange) -> Vec<(String, TestOutcome)> {
        self.results(project, change).into_iter().map(|(name, result)| (name, result.outcome)).collect()
    }
}

fn write(path: &str, text: &str) -> TreeChange {
    TreeChange { files: [(Utf8PathBuf::from(path), FileEdit::Write(text.as_bytes().to_vec()))].into() }
}

fn passed(names: &[&str]) -> Vec<(String, TestOutcome)> {
    names.iter().map(|&name| (name.to_owned(), TestOutcome::Passed)).collect()
}

const BY_INPUT: &str = "tests.input = 'tests/*.in'\ntests.output = 'tests/*.out'\n";

#[test]
fn a_single_file_is_compiled_and_its_tests_compare_output() {
    let tests =
        [("tests/two.in", "1 2"), ("tests/two.out", "3\n"), ("tests/bad.in", "5"), ("tests/bad.out", "6\n")];
    let files: Vec<_> = [("sum.c", SUM)].into_iter().chain(tests).collect();
    let subject = Subject::new(BY_INPUT, &files);
    let project = subject.built();
    let results = subject.results(&project, &TreeChange::default());
    assert_eq!(results["two"].outcome, TestOutcome::Passed);
    assert_eq!(results["bad"].outcome, TestOutcome::Failed);
    let failure = results["bad"].failure.as_ref().unwrap();
    assert_eq!(failure.message, "standard output, line 1: `5` instead of `6`");
    assert_eq!(project.facts().build_system, "files");
}

/// Two objects and a library of the project's own, by a makefile that sets its flags itself.
const MAKEFILE: &str = "CC = gcc\nCFLAGS = -Iinclude -DSCALE=1\nsum: main.o scale.o\n\t$(CC) -o $@ $^\n\
                        %.o: %.c\n\t$(CC) $(CFLAGS) -c -o $@ $<\n";
const MAIN: &str =
    "#include <stdio.h>\n#include \"scale.h\"\nint main(void) { printf(\"%d\\n\", scale(2)); return 0; }\n";
const SCALE: &str = "#include \"scale.h\"\nint scale(int x) { return x * FACTOR * SCALE; }\n";

fn make_subject() -> Subject {
    Subject::new(
        "program = 'sum'\ntests.output = 'tests/*.out'\n",
        &[
            ("Makefile", MAKEFILE),
            ("main.c", MAIN),
            ("scale.c", SCALE),
            ("include/scale.h", "#define FACTOR 3\nint scale(int x);\n"),
            ("tests/run.out", "6\n"),
        ],
    )
}

#[test]
fn make_compiles_only_what_a_patch_changes_and_a_header_takes_everything() {
    let subject = make_subject();
    let project = subject.built();
    assert_eq!(subject.outcomes(&project, &TreeChange::default()), passed(&["run"]));

    let mut change = write("scale.c", &SCALE.replace("x *", "x * 2 *"));
    change.files.extend(write("ChangeLog", "doubled\n").files);
    fs_err::remove_file(subject.log()).unwrap();
    assert!(project.build(&change, &subject.log()).unwrap().notices.is_empty());
    let log = subject.log_text();
    assert!(log.contains("scale.c") && !log.contains("main.c"), "{log}");
    let results = subject.results(&project, &change);
    assert!(results["run"].failure.as_ref().unwrap().message.contains("`12` instead of `6`"));

    let change = write("include/scale.h", "#define FACTOR 5\nint scale(int x);\n");
    let built = project.build(&change, &subject.log()).unwrap();
    assert!(built.notices[0].text.contains("include/scale.h"), "{:?}", built.notices);
    let results = subject.results(&project, &change);
    assert!(results["run"].failure.as_ref().unwrap().message.contains("`10` instead of `6`"));
}

#[test]
fn a_version_is_built_once_and_then_found() {
    let subject = make_subject();
    let change = write("scale.c", &SCALE.replace("x *", "x * 2 *"));
    let first = subject.built().build(&change, &subject.log()).unwrap();
    let second = subject.built().build(&change, &subject.log()).unwrap();
    assert!(!first.cached && second.cached);
    assert_eq!(first.key, second.key);
}

/// A shared library of the project's own, which the program finds by an absolute run path.
const CMAKE: &str = "cmake_minimum_required(VERSION 3.10)\nproject(demo C)\nadd_library(scale SHARED scale.c)\n\
                     target_include_directories(scale PUBLIC include)\ntarget_compile_definitions(scale PRIVATE SCALE=1)\n\
                     add_executable(sum main.c)\ntarget_link_libraries(sum scale)\n";

#[test]
fn cmake_builds_changes_on_top_and_each_version_has_its_own_library() {
    let subject = Subject::new(
        "tests.output = 'tests/*.out'\n",
        &[
            ("CMakeLists.txt", CMAKE),
            ("main.c", MAIN),
            ("scale.c", SCALE),
            ("include/scale.h", "#define FACTOR 3\nint scale(int x);\n"),
            ("tests/run.out", "6\n"),
        ],
    );
    let project = subject.built();
    assert_eq!(project.facts().build_system, "cmake");
    assert_eq!(project.facts().facts["program"], "build-bonafix/sum");
    let change = write("include/scale.h", "#define FACTOR 5\nint scale(int x);\n");
    fs_err::remove_file(subject.log()).unwrap();
    assert!(project.build(&change, &subject.log()).unwrap().notices.is_empty());
    assert!(!subject.log_text().contains("-DCMAKE_C_COMPILER"), "{}", subject.log_text());
    let results = subject.results(&project, &change);
    assert!(results["run"].failure.as_ref().unwrap().message.contains("`10` instead of `6`"), "{results:?}");
    assert_eq!(subject.outcomes(&project, &TreeChange::default()), passed(&["run"]));
}

#[test]
fn a_command_gets_our_compilers_and_flags() {
    let config = format!("command = '$CC $BONAFIX_CFLAGS -o out/sum sum.c'\nprogram = 'out/sum'\n{BY_INPUT}");
    let files = [("sum.c", SUM), ("out/.keep", ""), ("tests/a.in", "4 4"), ("tests/a.out", "8\n")];
    let subject = Subject::new(&config, &files);
    let project = subject.built();
    assert_eq!(project.facts().build_system, "command");
    assert_eq!(subject.outcomes(&project, &TreeChange::default()), passed(&["a"]));
}

#[test]
fn compile_commands_are_linked_into_one_program() {
    let subject = Subject::new(BY_INPUT, &[("src/sum.c", SUM), ("tests/a.in", "4"), ("tests/a.out", "4\n")]);
    let root = subject.root();
    let text = format!(
        r#"[{{"directory": "{root}/src", "command": "gcc -O2 -I{root}/inc -c sum.c -o sum.o", "file": "sum.c"}}]"#
    );
    fs_err::write(root.join("compile_commands.json"), text).unwrap();
    let project = subject.built();
    assert_eq!(project.facts().build_system, "compile-commands");
    assert_eq!(subject.outcomes(&project, &TreeChange::default()), passed(&["a"]));
}

#[test]
fn configure_runs_once_and_make_for_every_version() {
    let configure = "#!/bin/sh\necho configured\nprintf 'sum: sum.o\\n\\t%s -o $@ $^\\nsum.o: sum.c\\n\\t%s -c -o $@ $<\\n' \"$CC\" \"$CC\" > Makefile\n";
    let files = [("configure", configure), ("sum.c", SUM), ("tests/a.in", "4"), ("tests/a.out", "4\n")];
    let subject = Subject::new(BY_INPUT, &files);
    let project = subject.built();
    assert_eq!(project.facts().build_system, "autotools");
    let change = write("sum.c", &SUM.replace("sum +=", "sum -="));
    fs_err::remove_file(subject.log()).unwrap();
    project.build(&change, &subject.log()).unwrap();
    assert!(!subject.log_text().contains("configured"));
    assert!(subject.results(&project, &change)["a"].failure.as_ref().unwrap().message.contains("`-4`"));
}

#[test]
fn cxx_builds_as_c_does() {
    let program =
        "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a * b << '\\n'; }\n";
    let files = [("product.cpp", program), ("tests/a.in", "4 5"), ("tests/a.out", "20\n")];
    let subject = Subject::new(BY_INPUT, &files);
    assert_eq!(subject.outcomes(&subject.built(), &TreeChange::default()), passed(&["a"]));
}

#[test]
fn another_compiler_can_be_asked_for() {
    let files = [("sum.c", SUM), ("tests/a.in", "4 5"), ("tests/a.out", "9\n")];
    let subject = Subject::new(&format!("compiler = 'gcc'\n{BY_INPUT}"), &files);
    let project = subject.built();
    assert!(project.facts().facts["compiler"].contains("gcc"), "{:?}", project.facts());
    assert_eq!(subject.outcomes(&project, &TreeChange::default()), passed(&["a"]));
}

#[test]
fn a_compile_error_is_told_with_file_and_line() {
    let subject = make_subject();
    let project = subject.built();
    let error = project
        .build(&write("scale.c", "int scale(int x) {\n    return y;\n}\n"), &subject.log())
        .unwrap_err();
    let LangError::DoesNotCompile { diagnostics, in_tests, .. } = error else { panic!("{error}") };
    assert_eq!((diagnostics[0].file.as_str(), diagnostics[0].line), ("scale.c", 2));
    assert!(diagnostics[0].message.contains("'y'") && !in_tests, "{diagnostics:?}");
}

/// Reads its first argument, a file or a folder, and tells what it was called.
const SHOW: &str = r#"#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
int main(int argc, char **argv) {
    struct stat about;
    for (int i = 0; i < argc; i++)
        printf("%s%s", argv[i], i + 1 < argc ? " " : "\n");
    if (argc > 1 && stat(argv[argc - 1], &about) == 0)
        puts(S_ISDIR(about.st_mode) ? "folder" : "file");
    fputs("done\n", stderr);
    return argc > 2 ? 3 : 0;
}
"#;

#[test]
fn input_comes_as_a_file_a_folder_or_with_arguments_of_its_own() {
    let config = "run.arguments = ['@@']\ntests.input = 'tests/*.in'\ntests.output = 'tests/*.out'\n\
                  tests.arguments = 'tests/*.args'\ntests.status = 'tests/*.status'\ntests.errors = 'tests/*.err'\n";
    let subject = Subject::new(
        config,
        &[
            ("show.c", SHOW),
            ("tests/file.in", ""),
            ("tests/file.out", "./program tests/file.in\nfile\n"),
            ("tests/file.err", "done\n"),
            ("tests/folder.in/deep/x", ""),
            ("tests/folder.out", "./program tests/folder.in\nfolder\n"),
            ("tests/own.in", ""),
            ("tests/own.args", "-v\n--in=@@\n"),
            ("tests/own.out", "./program -v --in=tests/own.in\n"),
            ("tests/own.status", "3\n"),
        ],
    );
    let project = subject.built();
    let results = subject.results(&project, &TreeChange::default());
    assert!(results.values().all(|result| result.outcome == TestOutcome::Passed), "{results:?}");
}

#[test]
fn another_working_folder_still_finds_input_and_program() {
    let config = "run.arguments = ['@@']\nrun.folder = 'data/in'\ntests.input = 'tests/*.in'\ntests.output = 'tests/*.out'\n";
    let files = [
        ("show.c", SHOW),
        ("data/in/.keep", ""),
        ("tests/a.in", ""),
        ("tests/a.out", "../../program ../../tests/a.in\nfile\n"),
    ];
    let subject = Subject::new(config, &files);
    assert_eq!(subject.outcomes(&subject.built(), &TreeChange::default()), passed(&["a"]));
}

#[test]
fn a_script_runs_tests_by_name_and_its_list_can_be_a_command() {
    let script = "#!/bin/sh\ncase $1 in\np*) test \"$(echo 1 2 | $PROGRAM)\" = 3 ;;\nn1) exit 1 ;;\nesac\n";
    let config =
        "tests.script = 'sh ./test.sh $TEST'\ntests.names = ['n1']\ntests.list = 'printf \"p1\\np2\\n\"'\n";
    let subject = Subject::new(config, &[("sum.c", SUM), ("test.sh", script)]);
    let project = subject.built();
    let results = subject.results(&project, &TreeChange::default());
    let outcomes: Vec<_> = results.iter().map(|(name, result)| (name.as_str(), result.outcome)).collect();
    let expected = [("n1", TestOutcome::Failed), ("p1", TestOutcome::Passed), ("p2", TestOutcome::Passed)];
    assert_eq!(outcomes, expected);
    assert!(
        project.is_test_file(Utf8Path::new("test.sh"), &FileEdit::Delete),
        "the script belongs to the tests"
    );
}

#[test]
fn a_comparison_command_decides_what_is_equal() {
    let config = format!("{BY_INPUT}tests.compare = 'tr -d \" \" < \"$EXPECTED\" | cmp -s - \"$ACTUAL\"'\n");
    let files = [
        ("sum.c", SUM),
        ("tests/same.in", "12"),
        ("tests/same.out", " 1 2\n"),
        ("tests/other.in", "13"),
        ("tests/other.out", "1 4\n"),
    ];
    let subject = Subject::new(&config, &files);
    let results = subject.results(&subject.built(), &TreeChange::default());
    assert_eq!(results["same"].outcome, TestOutcome::Passed, "{results:?}");
    assert_eq!(results["other"].outcome, TestOutcome::Failed);
}

/// Does by its input what no test should do.
const WILD: &str = r#"#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char what[32] = "";
    if (scanf("%31s", what) != 1)
        return 9;
    if (!strcmp(what, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "hang")) {
        signal(SIGTERM, SIG_IGN);
        for (;;)
            pause();
    }
    if (!strcmp(what, "flood"))
        for (int i = 0; i < 40 * 1024 * 1024 / 16; i++)
            puts("fifteen letters");
    if (!strcmp(what, "forks"))
        for (;;)
            if (fork() < 0)
                pause();
    if (!strcmp(what, "memory"))
        for (;;) {
            char *volatile block = malloc(1 << 22);
            memset(block, 1, 1 << 22);
        }
    if (!strcmp(what, "daemon") && daemon(1, 0) == 0)
        for (;;)
            pause();
    puts("fine");
    return 0;
}
"#;

#[test]
fn whatever_a_test_does_costs_one_execution_and_is_named() {
    let wild = ["segv", "abort", "hang", "flood", "forks", "memory", "daemon", "fine"];
    let mut files = vec![("wild.c".to_owned(), WILD.to_owned())];
    for what in wild {
        files.push((format!("tests/{what}.in"), what.to_owned()));
        files.push((format!("tests/{what}.out"), "fine\n".to_owned()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let subject = Subject::new(&format!("{BY_INPUT}run.memory_mib = 256\n"), &files);
    let project = subject.built();
    let results = subject.results(&project, &TreeChange::default());
    let seen = |name: &str| {
        let result = &results[name];
        (result.outcome, result.failure.as_ref().map(|failure| failure.message.clone()).unwrap_or_default())
    };
    assert_eq!(seen("segv"), (TestOutcome::Crashed, "ended by SIGSEGV".to_owned()));
    assert_eq!(seen("abort"), (TestOutcome::Crashed, "ended by SIGABRT".to_owned()));
    assert_eq!(seen("hang"), (TestOutcome::TimedOut, "did not end within 3.0 s".to_owned()));
    assert_eq!(seen("flood"), (TestOutcome::Failed, "wrote 40 MiB to standard output".to_owned()));
    assert_eq!(seen("forks"), (TestOutcome::Crashed, "started more processes than it may".to_owned()));
    assert_eq!(seen("memory"), (TestOutcome::Crashed, "used more memory than it may".to_owned()));
    assert_eq!(seen("daemon").0, TestOutcome::Failed);
    assert_eq!(seen("fine").0, TestOutcome::Passed);
}

#[test]
fn a_build_that_rewrites_the_tests_does_not_get_away_with_it() {
    let subject = Subject::new(
        &format!("program = 'sum'\n{BY_INPUT}"),
        &[
            ("Makefile", "sum: sum.c\n\t$(CC) -o $@ $<\n"),
            ("sum.c", SUM),
            ("tests/a.in", "1 2"),
            ("tests/a.out", "4\n"),
        ],
    );
    let project = subject.built();
    let evil = write("Makefile", "sum: sum.c\n\techo 3 > tests/a.out\n\t$(CC) -o $@ $<\n");
    project.build(&evil, &subject.log()).unwrap();
    assert_eq!(subject.results(&project, &evil)["a"].outcome, TestOutcome::Failed);
}

#[test]
fn what_is_missing_is_asked_for_by_its_key() {
    let check = |config: &str, files: &[(&str, &str)], words: &[&str]| {
        let subject = Subject::new(config, files);
        let built = subject.open().and_then(|project| project.build(&TreeChange::default(), &subject.log()));
        let text = built.unwrap_err().to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    check("", &[("README", "")], &["c.command", "makefile"]);
    check("build = 'command'", &[("a.c", SUM)], &["c.command"]);
    check("program = 'x'", &[("Makefile", "y:\n\ttouch y\n"), ("a.c", "")], &["c.program", "makes no x"]);
    let two = "all: a b\na: a.c\n\t$(CC) -o a a.c\nb: a.c\n\t$(CC) -o b a.c\n";
    check("", &[("Makefile", two), ("a.c", SUM)], &["c.program", "a, b"]);
    check("folder = 'x'", &[("a.c", SUM)], &["c.folder"]);
}

#[test]
fn tests_that_a_patch_brings_are_found_by_their_inputs() {
    let subject = Subject::new(BY_INPUT, &[("sum.c", SUM), ("tests/a.in", "1"), ("tests/a.out", "1\n")]);
    let project = subject.built();
    let mut change = write("tests/new.in", "2 2");
    change.files.extend(write("tests/new.out", "4\n").files);
    assert_eq!(project.tests_in(&change).unwrap(), [TestId("new".to_owned())]);
    project.build(&change, &subject.log()).unwrap();
    assert_eq!(subject.outcomes(&project, &change), passed(&["a", "new"]));
}

#[test]
fn a_script_may_write_to_the_folder_for_temporary_files() {
    if !Launcher::new(SandboxMode::BestEffort).unwrap().protection().read_only_mounts() {
        return;
    }
    let script = "#!/bin/sh\necho 4 | $PROGRAM > /tmp/out.$$ && grep -qx 4 /tmp/out.$$ && ls /tmp/out.* | wc -l | grep -qx 1\n";
    let config = "program = \"sum\"\ntests = { script = \"sh ./test.sh\", names = [\"a\", \"b\"] }\n";
    let subject = Subject::new(config, &[("sum.c", SUM), ("test.sh", script)]);
    let project = subject.built();
    assert_eq!(subject.outcomes(&project, &TreeChange::default()), passed(&["a", "b"]));
}

/// Says when it was built, and where it says so.
const DATED: &str = "#include <stdio.h>\nint main(void) { puts(__DATE__ \" \" __TIME__); return 0; }\n";

#[test]
fn when_a_program_was_built_is_the_same_for_all_versions() {
    let files = [("sum.c", DATED), ("tests/a.in", ""), ("tests/a.out", "Jan  1 1980 00:00:00\n")];
    let subject = Subject::new(BY_INPUT, &files);
    let project = subject.built();
    assert_eq!(subject.outcomes(&project, &TreeChange::default()), passed(&["a"]));
}

#[test]
fn a_program_is_found_by_its_name_where_the_build_puts_it_elsewhere() {
    let makefile = "all:\n\tmkdir -p out && $(CC) -o out/sum sum.c\n";
    let files = [("Makefile", makefile), ("sum.c", SUM), ("tests/a.in", "4"), ("tests/a.out", "4\n")];
    let subject = Subject::new(&format!("program = 'build/sum'\n{BY_INPUT}"), &files);
    let project = subject.built();
    assert_eq!(subject.outcomes(&project, &TreeChange::default()), passed(&["a"]));
}
