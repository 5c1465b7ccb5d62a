//! Single executions under watch: what sanitizers and valgrind see of small programs.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod one_file;

use std::time::Duration;

use bonafix_lang::Watch;
use bonafix_lang_c::{Target, Variant};
use bonafix_model::{Detector, Execution, Fault, Frame, Leaked, ProgramEnd, TreeChange};

use one_file::{Subject, kinds, on, text};

const FAULTY: &str = r#"#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void leave(int signal) { (void)signal; _exit(0); }
static char *make(int size) {
    return malloc(size);
}
static int beyond(char *bytes, int at) {
    return bytes[at];
}
int main(void) {
    int c = getchar();
    char *bytes = make(8);
    volatile int *nowhere = 0;
    volatile int large = 0x7fffffff;
    volatile int sum = 0;
    if (c == 'o') sum = beyond(bytes, 8);
    if (c == 'u' && bytes[3] == 7) puts("seven");
    if (c == 'i') sum = large + c;
    if (c == 'a') assert(c == 'b');
    if (c == 's') sum = *nowhere;
    if (c == 'S') { signal(SIGSEGV, leave); sum = *nowhere; }
    if (c == 'l') bytes = 0;
    if (c == 'h') for (;;) large = large;
    if (c == 'w') pause();
    if (c == 'O') { FILE *file = fopen("big", "w"); fseek(file, 400L << 20, SEEK_SET); for (int i = 0; i < 100000; i++) fputs("more", file); }
    if (c == 'P') { FILE *file = fopen("big", "w"); ftruncate(fileno(file), 256L << 20); fputs("more", file); }
    if (c == 'Z') {
        if (fork() == 0) { pid_t to = getppid(); kill(to, SIGSTOP); usleep(1500000); kill(to, SIGCONT); _exit(0); }
        for (int i = 0; i < 100; i++) usleep(1000);
    }
    free(bytes);
    puts("done");
    return 0;
}
"#;

fn frame(function: &str, line: u32) -> Frame {
    Frame { function: function.to_owned(), file: "main.c".to_owned(), line }
}

fn only(execution: &Execution) -> &Fault {
    assert_eq!(execution.faults.len(), 1, "{:?}", execution.faults);
    &execution.faults[0]
}

#[test]
fn sanitizers_tell_what_was_wrong_and_where() {
    let subject = Subject::new(FAULTY);
    let mut program = subject.watched(Watch::Sanitizers);
    let mut run = |input: &str| program.execute(&on(input)).unwrap();
    let fine = run("f");
    assert_eq!((&fine.end, text(&fine.stdout), fine.faults.len()), (&ProgramEnd::Exited(0), "done\n", 0));
    let beyond = run("o");
    let fault = only(&beyond);
    assert_eq!((fault.detector, fault.kind.as_str()), (Detector::Address, "heap-buffer-overflow"));
    assert_eq!(fault.stack[0], frame("beyond", 11), "{fault:?}");
    assert!(fault.origins.iter().any(|origin| origin.contains(&frame("make", 8))), "{fault:?}");
    assert_eq!(text(&beyond.stderr), "");
    let overflow = run("i");
    let fault = only(&overflow);
    assert_eq!((fault.detector, fault.kind.as_str()), (Detector::Undefined, "signed-integer-overflow"));
    assert_eq!(fault.stack[0], frame("main", 21), "{fault:?}");
    for input in ["s", "S"] {
        let caught = run(input);
        assert_eq!(only(&caught).stack[0].function, "main");
    }
    assert_eq!(kinds(&run("a")), ["assertion"]);
    assert_eq!(kinds(&run("h")), ["timeout"]);
}

#[test]
fn valgrind_sees_uninitialised_values_and_counts_leaks() {
    let subject = Subject::new(FAULTY);
    let mut program = subject.watched(Watch::Valgrind);
    let mut run = |input: &str| program.execute(&on(input)).unwrap();
    let fine = run("f");
    assert_eq!((&fine.end, text(&fine.stdout), fine.faults.len()), (&ProgramEnd::Exited(0), "done\n", 0));
    assert_eq!(fine.leaked, Some(Leaked::default()));
    let unset = run("u");
    assert_eq!(kinds(&unset), ["uninitialised-value"]);
    assert_eq!(unset.faults[0].stack[0], frame("main", 20));
    assert!(unset.faults[0].origins.iter().any(|origin| origin.contains(&frame("make", 8))), "{unset:?}");
    let beyond = run("o");
    assert_eq!(kinds(&beyond), ["invalid-read"]);
    assert!(beyond.faults[0].stack.iter().any(|frame| frame.function == "beyond"), "{beyond:?}");
    let leaked = run("l").leaked.unwrap();
    assert_eq!(leaked.definitely, 8);
    let crash = run("s");
    assert_eq!(crash.end, ProgramEnd::Signalled(11));
    assert!(!crash.faults.is_empty());
}

#[test]
fn a_file_as_large_as_it_may_be_is_too_large_though_the_program_does_not_mind() {
    let subject = Subject::new(FAULTY);
    let mut program = subject.watched(Watch::Plain);
    let full = program.execute(&on("P")).unwrap();
    assert_eq!(full.end, ProgramEnd::OverLimit("disk".to_owned()));
    assert_eq!(full.files.keys().collect::<Vec<_>>(), ["big"]);
    assert_eq!(
        program.execute(&on("O")).unwrap().end,
        ProgramEnd::Exited(0),
        "nothing could be written there"
    );
}

#[test]
fn a_plain_execution_is_what_users_see() {
    let subject = Subject::new(FAULTY);
    let mut program = subject.watched(Watch::Plain);
    let mut run = |input: &str| program.execute(&on(input)).unwrap();
    assert_eq!((run("o").end, run("o").faults.len()), (ProgramEnd::Exited(0), 0));
    assert_eq!(run("S").end, ProgramEnd::Exited(0));
    assert_eq!(kinds(&run("s")), ["SIGSEGV"]);
    assert_eq!(kinds(&run("a")), ["assertion"]);
}

#[test]
fn what_a_single_execution_has_of_the_processor_decides_and_not_the_clock() {
    let subject = Subject::new(FAULTY);
    let limit = Duration::from_millis(500);
    let project = &subject.project;
    let mut program = project.watched(&TreeChange::default(), Watch::Plain, limit, &subject.log()).unwrap();
    let mut run = |input: &str| program.execute(&on(input)).unwrap();
    // As if others had the processor for thrice the limit.
    let stopped = run("Z");
    assert_eq!((&stopped.end, text(&stopped.stdout)), (&ProgramEnd::Exited(0), "done\n"));
    assert_eq!(kinds(&run("h")), ["timeout"]);
    assert_eq!(kinds(&run("w")), ["timeout"]);
}

#[test]
fn a_project_that_cannot_be_built_with_sanitizers_says_so() {
    let refusing = "#if defined(__has_feature)\n#if __has_feature(address_sanitizer)\n#error no sanitizers\n#endif\n#endif\n\
                    int main(void) { return 0; }\n";
    let subject = Subject::new(refusing);
    let (watches, notices) = subject.project.watches(&subject.log()).unwrap();
    assert_eq!(watches, [Watch::Plain, Watch::Valgrind]);
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].key, "no-sanitizers");
    let (watches, notices) = Subject::new(FAULTY).project.watches(&subject.log()).unwrap();
    assert_eq!(watches, [Watch::Plain, Watch::Sanitizers, Watch::Valgrind]);
    assert!(notices.is_empty());
}

/// As `configure` does.
const TRYING: &str = "program = \"program\"\ncommand = \"cc -o program main.c && echo f | ./program\"\n";

#[test]
fn a_build_that_runs_what_it_made_works_with_sanitizers() {
    let forgetful = "#include <stdlib.h>\n#include <string.h>\n\
                     int main(void) { char *copy = strdup(\"x\"); return copy == NULL; }\n";
    for text in [FAULTY, forgetful] {
        let subject = Subject::configured(text, TRYING);
        let (watches, notices) = subject.project.watches(&subject.log()).unwrap();
        assert_eq!((watches.contains(&Watch::Sanitizers), notices), (true, Vec::new()));
    }
}

const TIMED: &str = r#"#include <stdio.h>
int main(void) {
    printf("sum %d\ntook 12 ms\n", getchar());
    fprintf(stderr, "took 3 ms\n");
    fprintf(fopen("log", "w"), "took 4 ms\nx\n");
    return 0;
}
"#;

#[test]
fn the_users_filter_is_applied_to_all_that_a_program_writes() {
    let config = "program = \"program\"\n[run]\nfilter = \"grep -v took\"\n";
    let subject = Subject::configured(TIMED, config);
    let watched = subject.watched(Watch::Plain).execute(&on("a")).unwrap();
    for seen in [watched, subject.plain(&["a"]).remove(0)] {
        assert_eq!((text(&seen.stdout), text(&seen.stderr)), ("sum 97\n", ""));
        assert_eq!(seen.files.values().map(|bytes| text(bytes)).collect::<Vec<_>>(), ["x\n"]);
    }
}

#[test]
fn a_filter_that_is_no_command_is_named() {
    let config = "program = \"program\"\n[run]\nfilter = \"no-such-command\"\n";
    let subject = Subject::configured(TIMED, config);
    let error = subject.watched(Watch::Plain).execute(&on("a")).unwrap_err().to_string();
    assert!(error.contains("c.run.filter, `no-such-command`, cannot be run"), "{error}");
}

/// The same lines in any order.
const SORTED: &str = "sort $EXPECTED > $TMPDIR/sorted; sort $ACTUAL | cmp -s - $TMPDIR/sorted";

#[test]
fn outputs_are_compared_by_the_command_of_the_tests() {
    let subject = Subject::new(FAULTY);
    let program = subject.watched(Watch::Plain);
    let same = |command: &str, one: &[u8], other: &[u8]| program.takes_for_same(command, one, other).unwrap();
    assert!(same(SORTED, b"a\nb\n", b"b\na\n"));
    assert!(!same(SORTED, b"a\nb\n", b"b\nc\n"));
    assert!(!same("no-such-command", b"", b""));
}

/// What careful projects ask for, and what they use.
const HARDENED: &str = r#"#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static volatile sig_atomic_t signals;
static void note(int signal) { signals += signal == SIGUSR1; }
static void *work(void *number) { ++*(int *)number; return number; }
int main(void) {
    char line[64] = "", small[8];
    int number = 0;
    pthread_t thread;
    if (!fgets(line, sizeof line, stdin)) return 2;
    char *copy = alloca(strlen(line) + 1);
    strcpy(copy, line);
    strcpy(small, copy);
    assert(small[0] != '!');
    signal(SIGUSR1, note);
    raise(SIGUSR1);
    if (pthread_create(&thread, NULL, work, &number) || pthread_join(thread, NULL)) return 3;
    printf("%d %d %s", (int)signals, number, small);
    return 0;
}
"#;

#[test]
fn hardened_programs_with_threads_signals_and_assertions_run_in_every_way() {
    let subject = Subject::configured(
        HARDENED,
        "program = \"program\"\ncflags = [\"-O2\", \"-D_FORTIFY_SOURCE=2\", \"-Wall\", \"-Werror\", \"-pthread\"]\n",
    );
    for watch in [Watch::Plain, Watch::Sanitizers, Watch::Valgrind] {
        let mut program = subject.watched(watch);
        let fine = program.execute(&on("abc\n")).unwrap();
        assert_eq!((fine.end.clone(), text(&fine.stdout)), (ProgramEnd::Exited(0), "1 1 abc\n"), "{watch:?}");
        assert_eq!(fine.faults, [], "{watch:?}");
        // valgrind tells of the signal as well.
        assert_eq!(kinds(&program.execute(&on("!")).unwrap()).last(), Some(&"assertion"), "{watch:?}");
    }
    for variant in [Variant::Plain, Variant::Fuzz, Variant::Trace] {
        let mut target = subject.target(variant);
        for _ in 0..2 {
            assert_eq!(text(&target.run(&on("abc\n")).unwrap().execution.stdout), "1 1 abc\n", "{variant:?}");
        }
    }
    let beyond = |watch| kinds(&subject.watched(watch).execute(&on("much too long\n")).unwrap()).join(" ");
    assert_eq!(beyond(Watch::Plain), "buffer-overflow");
    assert_eq!(beyond(Watch::Sanitizers), "stack-buffer-overflow");
}
