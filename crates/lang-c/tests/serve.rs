//! Small programs behind the fork server: whatever one does costs one execution, and the next finds fresh state.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod one_file;

use std::time::{Duration, Instant};

use bonafix_lang_c::{Sample, ServedTarget, Target, Variant};
use bonafix_model::{Execution, ProgramEnd, ProgramInput, TreeChange};

use one_file::{Subject, kinds, on, text, with};

/// Does one thing or another, by the first letter of its input; `e` prints the rest.
const MANY: &str = r#"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static int counter;
static void ignore(int signal) { (void)signal; }
static void leave(int signal) { (void)signal; _exit(0); }
int main(int argc, char **argv) {
    char line[256] = "";
    volatile int *nowhere = 0;
    FILE *file;
    if (argc > 1 && !freopen(argv[argc - 1], "r", stdin)) { perror(argv[argc - 1]); return 2; }
    if (!fgets(line, sizeof line, stdin)) return 3;
    fprintf(stderr, "counter %d\n", ++counter);
    switch (line[0]) {
    case 'e': printf("%s", line + 1); return 0;
    case 'a': for (int i = 0; i < argc; i++) printf("[%s]", argv[i]); return 7;
    case 's': return *nowhere;
    case 'x': abort();
    case 'h': for (;;) counter++;
    case 'w': pause(); return 0;
    case 'Z': if (fork() == 0) { pid_t to = getppid(); kill(to, SIGSTOP); usleep(1200000); kill(to, SIGCONT); _exit(0); }
              for (int i = 0; i < 100; i++) usleep(1000);
              puts("was stopped"); return 0;
    case 'H': if (fork() == 0) { while (clock() < CLOCKS_PER_SEC) counter++; _exit(0); }
              wait(NULL); puts("waited"); return 0;
    case 'T': signal(SIGTERM, ignore); signal(SIGINT, ignore); signal(SIGALRM, ignore); for (;;) counter++;
    case 'S': signal(SIGSEGV, leave); return *nowhere;
    case 'b': for (int i = 0; i < 2000; i++) if (fork() == 0) { sleep(20); _exit(0); } sleep(20); return 0;
    case 'd': if (fork() == 0) { setsid(); if (fork() == 0) { close(0); close(1); for (;;) { sleep(1); } } _exit(0); } puts("gone"); return 0;
    case 'f':
        file = fopen("made.txt", "w"); fputs(line, file); fclose(file);
        mkdir("new", 0777); file = fopen("new/deep.txt", "w"); fputs("deep\n", file); fclose(file);
        file = fopen("data/given.txt", "a"); fputs("more\n", file); fclose(file);
        file = fopen("data/given.txt", "r"); while (fgets(line, sizeof line, file)) printf("%s", line);
        return 0;
    case 'r': printf("%d %d\n", remove("data/given.txt"), rmdir("data")); return 0;
    case 'o': for (;;) puts("more and more and more and more and more and more and more and more and more and more");
    case 'O': file = fopen("big", "w"); for (;;) fputs("more and more and more and more and more and more and more\n", file);
    case 'n': printf("%d\n", socket(AF_UNIX, SOCK_STREAM, 0)); return 0;
    case 't': printf("%d %d\n", open("/dev/tty", O_RDWR) >= 0, isatty(0) || isatty(1) || isatty(2)); return 0;
    case 'k': kill(getppid(), SIGKILL); sleep(20); return 0;
    case 'z': raise(SIGTSTP); puts("went on"); return 0;
    case 'p': printf("%d\n", system("echo from a shell")); return 0;
    case 'v': printf("%s\n", getenv("LD_PRELOAD") || getenv("BONAFIX_SERVE") || getenv("BONAFIX_HOME") ? "seen" : "unseen"); return 0;
    case 'm': { char *all = malloc(3000000000u); if (!all) { puts("no memory"); return 4; } memset(all, 1, 3000000000u); return all[77]; }
    }
    return 1;
}
"#;

#[test]
fn a_program_runs_again_and_again_in_fresh_state() {
    let subject = Subject::new(MANY);
    let seen = subject.plain(&["eone\n", "", "etwo\n", "eone\n"]);
    assert_eq!(seen[0].end, ProgramEnd::Exited(0));
    assert_eq!((text(&seen[0].stdout), text(&seen[0].stderr)), ("one\n", "counter 1\n"));
    assert_eq!((&seen[1].end, text(&seen[1].stdout)), (&ProgramEnd::Exited(3), ""));
    assert_eq!((text(&seen[2].stdout), text(&seen[2].stderr)), ("two\n", "counter 1\n"));
    assert_eq!(seen[3], seen[0]);
}

#[test]
fn crashes_and_hangs_cost_one_execution_and_are_named() {
    let subject = Subject::new(MANY);
    let seen = subject.plain(&["s", "x", "h", "w", "T", "k", "eafter\n"]);
    let ends: Vec<&ProgramEnd> = seen.iter().map(|execution| &execution.end).collect();
    let signal = ProgramEnd::Signalled;
    let hang = &ProgramEnd::TimedOut;
    assert_eq!(ends, [&signal(11), &signal(6), hang, hang, hang, &signal(9), &ProgramEnd::Exited(0)]);
    assert_eq!(kinds(&seen[0]), ["SIGSEGV"]);
    assert_eq!(kinds(&seen[1]), ["SIGABRT"]);
    assert_eq!(kinds(&seen[2]), ["timeout"]);
    assert_eq!(text(&seen[6].stdout), "after\n");
}

#[test]
fn what_a_run_has_of_the_processor_decides_and_not_the_clock() {
    let subject = Subject::new(MANY);
    for persistent in [false, true] {
        let mut target = subject.target(Variant::Plain);
        assert!(!persistent || target.try_persistent(&[on("e1\n"), on("e2\n")]).unwrap());
        let mut run = |input: &str| target.run(&on(input)).unwrap().execution;
        // As if others had the processor for twice the limit.
        let stopped = run("Z");
        assert_eq!((&stopped.end, text(&stopped.stdout)), (&ProgramEnd::Exited(0), "was stopped\n"));
        assert_eq!(run("h").end, ProgramEnd::TimedOut);
        let started = Instant::now();
        assert_eq!(run("w").end, ProgramEnd::TimedOut);
        assert!(started.elapsed() < one_file::LIMIT * 8, "it sleeps: {:?}", started.elapsed());
        assert_eq!(run("H").end, ProgramEnd::TimedOut, "its child has used what it may have");
        assert_eq!(text(&run("eafter\n").stdout), "after\n");
    }
}

#[test]
fn processes_that_a_run_leaves_do_not_outlive_it() {
    let subject = Subject::new(MANY);
    let started = Instant::now();
    let seen = subject.plain(&["d", "d", "p", "eafter\n", "z"]);
    assert_eq!(text(&seen[0].stdout), "gone\n");
    assert_eq!(seen[0], seen[1]);
    assert_eq!(text(&seen[2].stdout), "from a shell\n0\n");
    assert_eq!(text(&seen[3].stdout), "after\n");
    assert_eq!((&seen[4].end, text(&seen[4].stdout)), (&ProgramEnd::Exited(0), "went on\n"));
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn more_processes_than_a_program_may_have_are_named() {
    let subject = Subject::new(MANY);
    // Time enough to start them on a busy machine.
    let limit = Duration::from_secs(15);
    let change = TreeChange::default();
    let mut target = subject.project.target(&change, Variant::Plain, limit, &subject.log()).unwrap();
    let seen = ["b", "eafter\n"].map(|input| target.run(&on(input)).unwrap().execution);
    assert_eq!(seen[0].end, ProgramEnd::OverLimit("processes".to_owned()));
    assert_eq!(text(&seen[1].stdout), "after\n");
}

#[test]
fn floods_end_at_once() {
    let subject = Subject::new(MANY);
    let seen = subject.plain(&["o", "O", "eafter\n"]);
    assert_eq!(seen[0].end, ProgramEnd::OverLimit("output".to_owned()));
    assert!(seen[0].cut && seen[0].stdout.len() == 1024 * 1024);
    assert_eq!(seen[1].end, ProgramEnd::OverLimit("disk".to_owned()));
    assert!(seen[1].cut && seen[1].files["big"].len() == 1024 * 1024);
    assert_eq!(seen[2].stdout, b"after\n");
}

#[test]
fn files_are_told_of_and_taken_back() {
    let subject = Subject::new(MANY);
    let seen = subject.plain(&["first\n", "r", "first\n", "eafter\n"]);
    let names: Vec<&str> = seen[0].files.keys().map(String::as_str).collect();
    assert_eq!(names, ["data/given.txt", "made.txt", "new/deep.txt"]);
    assert_eq!(text(&seen[0].files["data/given.txt"]), "given\nmore\n");
    assert_eq!(text(&seen[0].stdout), "given\nmore\n");
    assert_eq!(text(&seen[1].stdout), "0 0\n");
    assert_eq!(seen[2], seen[0]);
    assert!(seen[3].files.is_empty());
}

#[test]
fn neither_sockets_nor_a_terminal_nor_our_own_variables_are_there() {
    let subject = Subject::new(MANY);
    let seen = subject.plain(&["n", "t", "v"]);
    assert_eq!(text(&seen[0].stdout), "-1\n");
    assert_eq!(text(&seen[1].stdout), "0 0\n");
    assert_eq!(text(&seen[2].stdout), "unseen\n");
}

#[test]
fn memory_ends_where_the_limit_is() {
    let subject = Subject::configured(MANY, "program = \"program\"\nrun = { memory_mib = 256 }\n");
    let seen = subject.plain(&["m", "eafter\n"]);
    assert_eq!(seen[0].end, ProgramEnd::Exited(4));
    assert_eq!(text(&seen[0].stdout), "no memory\n");
}

#[test]
fn arguments_come_with_the_input_and_its_path_is_hidden() {
    let config =
        "program = \"program\"\nrun = { arguments = [\"-v\", \"@@\"] }\ntests = { input = \"t/*.txt\" }\n";
    let subject = Subject::configured(MANY, config);
    let mut target = subject.target(Variant::Plain);
    let seen: Vec<Execution> =
        [on("a"), with(&["x y", "", "--file=@@", "@@"], "a"), with(&["nothing"], "a"), with(&[], "a")]
            .iter()
            .map(|input| target.run(input).unwrap().execution)
            .collect();
    let outputs: Vec<&str> = seen.iter().map(|execution| text(&execution.stdout)).collect();
    assert_eq!(outputs, ["[./program][-v][@@]", "[./program][x y][][--file=@@][@@]", "", "[./program]"]);
    assert_eq!(seen[2].end, ProgramEnd::Exited(2));
    assert_eq!(text(&seen[2].stderr), "nothing: No such file or directory\n");
}

#[test]
fn a_program_that_ends_before_main_is_started_anew_for_each_input() {
    let early = "#include <stdio.h>\n#include <stdlib.h>\n\
                 __attribute__((constructor)) static void early(void) { int c = getchar(); printf(\"%c\\n\", c); exit(5); }\n\
                 int main(void) { return 0; }\n";
    let subject = Subject::new(early);
    let mut target = subject.target(Variant::Plain);
    assert!(!target.is_served());
    let seen = target.run(&on("q")).unwrap().execution;
    assert_eq!((seen.end, text(&seen.stdout)), (ProgramEnd::Exited(5), "q\n"));
}

const BRANCHES: &str = r#"#include <stdio.h>
static int left(int c) {
    return c + 1;
}
static int right(int c) {
    return c - 1;
}
int main(void) {
    int c = getchar();
    if (c == 0x1234)
        puts("never");
    return c == 'l' ? left(c) : right(c);
}
"#;

/// Lines that an execution covered.
fn lines(target: &ServedTarget, sample: &Sample) -> Vec<(String, u32)> {
    let places = target.places().iter().zip(&sample.coverage);
    let mut covered: Vec<(String, u32)> = places
        .filter(|(_, count)| **count > 0)
        .filter_map(|(place, _)| {
            place.as_ref().map(|place| (format!("{} {}", place.file, place.function), place.line))
        })
        .collect();
    covered.sort();
    covered.dedup();
    covered
}

#[test]
fn coverage_tells_which_lines_ran() {
    let subject = Subject::new(BRANCHES);
    let mut target = subject.target(Variant::Fuzz);
    assert!(target.is_served());
    let left = target.run(&on("l")).unwrap();
    let right = target.run(&on("r")).unwrap();
    assert_eq!(left.execution.end, ProgramEnd::Exited(i32::from(b'l') + 1));
    assert_eq!(left.coverage.len(), target.places().len());
    let has = |sample: &Sample, function: &str| {
        lines(&target, sample)
            .iter()
            .any(|(place, line)| place == &format!("main.c {function}") && (1..14).contains(line))
    };
    assert!(has(&left, "left") && !has(&left, "right"), "{:?}", lines(&target, &left));
    assert!(has(&right, "right") && !has(&right, "left"), "{:?}", lines(&target, &right));
    assert!(left.comparisons.is_empty());
    assert_eq!(target.run(&on("l")).unwrap(), left);
    target.ask_for_comparisons(true);
    let asked = target.run(&on("l")).unwrap();
    assert!(asked.comparisons.contains(&(0x1234, u64::from(b'l'))), "{:?}", asked.comparisons);
    drop(target);
    assert_eq!(subject.target(Variant::Fuzz).run(&on("l")).unwrap(), left);
}

#[test]
fn a_program_with_sanitizers_behaves_and_its_faults_are_seen() {
    let subject = Subject::new(MANY);
    let mut target = subject.target(Variant::Fuzz);
    let mut run = |input: &str| target.run(&on(input)).unwrap();
    let plain = run("eone\n").execution;
    assert_eq!((&plain.end, text(&plain.stdout)), (&ProgramEnd::Exited(0), "one\n"));
    for (input, kind) in [("s", "SIGSEGV"), ("S", "SIGSEGV"), ("x", "SIGABRT")] {
        let execution = run(input).execution;
        assert_eq!(execution.end, ProgramEnd::Signalled(6), "{input}");
        assert_eq!(kinds(&execution), [kind], "{input}");
        assert_eq!(text(&execution.stderr), "counter 1\n", "{input}");
    }
    assert_eq!(run("h").execution.end, ProgramEnd::TimedOut);
    assert_eq!(run("eone\n").execution, plain);
}

/// Keeps state where a process has it: variables, a heap, `getopt`, `rand`, signals, folders, files, the environment.
const STATEFUL: &str = r#"#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static int zero, one = 1;
static char *kept;
int main(int argc, char **argv) {
    int option, folder = chdir("data");
    char word[64] = "";
    while ((option = getopt(argc, argv, "ab:")) != -1) printf("-%c ", option);
    int c = getchar();
    printf("%d %d %d %d %d %s %d %s ", zero++, one++, folder, rand() % 1000, kept != 0,
           getenv("STATE") ? getenv("STATE") : "none", signal(SIGTERM, SIG_IGN) == SIG_IGN, getenv("LANG"));
    setenv("STATE", "set", 1);
    setenv("LANG", "other", 1);
    umask(umask(0) + 1);
    kept = malloc(100);
    if (fopen("given.txt", "r")) printf("%d ", fileno(fopen("given.txt", "r")));
    if (c == 'r' && scanf("%60s", word) == 1) printf("%s", word);
    if (c == 'x') exit(9);
    if (c == '_') { fflush(stdout); _exit(8); }
    if (c == 's') abort();
    if (c == 'w') for (;;) zero++;
    if (c == 'f') { if (fork() == 0) exit(5); wait(NULL); }
    if (c == 'c') fclose(stdout);
    return 3;
}
"#;

#[test]
fn one_process_runs_many_inputs_as_a_process_for_each_would() {
    let subject = Subject::new(STATEFUL);
    for variant in [Variant::Plain, Variant::Fuzz] {
        let mut target = subject.target(variant);
        let seeds = [
            on("r one"),
            with(&["-a", "-b", "x"], "x"),
            on("_"),
            on("r two"),
            on("s"),
            on("f"),
            on("c"),
            on(""),
        ];
        let expected: Vec<Sample> = seeds.iter().map(|seed| target.run(seed).unwrap()).collect();
        assert!(target.try_persistent(&seeds).unwrap(), "{}", variant.name());
        for _ in 0..40 {
            for (seed, expected) in seeds.iter().zip(&expected) {
                assert_eq!(&target.run(seed).unwrap(), expected);
            }
        }
        assert_eq!(target.run(&on("w")).unwrap().execution.end, ProgramEnd::TimedOut);
        assert_eq!(&target.run(&seeds[0]).unwrap(), &expected[0]);
        assert_eq!(&target.run_fresh(&seeds[0]).unwrap(), &expected[0]);
    }
}

/// One after the other they crash, hang, flood, write, leave processes and end the server; in between all is well.
const MIXED: [&str; 19] = [
    "eone\n", "s", "first\n", "etwo\n", "o", "x", "etwo\n", "h", "d", "p", "k", "ethree\n", "r", "first\n",
    "O", "", "z", "v", "elast\n",
];

#[test]
fn of_a_batch_each_run_is_told_as_it_is_alone() {
    let subject = Subject::new(MANY);
    let inputs = MIXED.map(on);
    let mut target = subject.target(Variant::Plain);
    let alone: Vec<Sample> = inputs.iter().map(|input| target.run(input).unwrap()).collect();
    assert_eq!(text(&alone[18].execution.stdout), "last\n");
    assert_eq!(target.run_all(&inputs).unwrap(), alone);
    let mut persistent = subject.target(Variant::Plain);
    assert!(persistent.try_persistent(&[on("e1\n"), on("e2\n")]).unwrap());
    assert_eq!(persistent.run_all(&inputs).unwrap(), alone);
}

#[test]
fn a_batch_may_be_large_and_its_inputs_too() {
    let count = "#include <stdio.h>\nint main(int argc, char **argv) { FILE *file = argc > 1 ? fopen(argv[1], \"r\") : stdin;\n\
                 long count = 0; int c; while ((c = getc(file)) != EOF) { count++; if (c == 'p') putchar(c); }\n\
                 printf(\"%ld\\n\", count); return 0; }\n";
    let subject = Subject::new(count);
    let sizes = [0, 1, 4096, 3_000_000, 5, 6_000_000, 70_000, 7];
    let letters = |size: usize, letter| ProgramInput { arguments: None, bytes: vec![letter; size] };
    // Standard input, a file, and output that is too long to come with the batch.
    let mut inputs: Vec<ProgramInput> = sizes.iter().map(|&size| letters(size, b'x')).collect();
    inputs.extend(
        sizes
            .iter()
            .map(|&size| ProgramInput { arguments: Some(vec!["@@".to_owned()]), bytes: vec![b'x'; size] }),
    );
    inputs.extend([letters(40_000, b'p'), letters(40, b'p')]);
    inputs.extend((0..300).map(|size| letters(size, b'x')));
    for persistent in [false, true] {
        let mut target = subject.target(Variant::Plain);
        assert!(!persistent || target.try_persistent(&inputs[..3]).unwrap());
        let seen = target.run_all(&inputs).unwrap();
        assert_eq!(seen.len(), inputs.len());
        for (input, seen) in inputs.iter().zip(&seen) {
            let printed = if input.bytes.first() == Some(&b'p') { input.bytes.len() } else { 0 };
            let expected = ["p".repeat(printed), format!("{}\n", input.bytes.len())].concat();
            assert_eq!(text(&seen.execution.stdout), expected);
        }
    }
}

#[test]
fn a_program_that_writes_into_our_files_spoils_its_own_run_only() {
    let scribble = "#include <dirent.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n\
        int main(void) { char line[4096], path[4200]; int c = getchar(); if (c == 'e') { puts(\"well\"); return 0; }\n\
        ssize_t n = readlink(\"/proc/self/fd/1\", line, sizeof line - 1); if (n < 0) return 1; line[n] = 0;\n\
        *strrchr(line, '/') = 0; snprintf(path, sizeof path, \"%s/results\", line); int fd = open(path, O_RDWR);\n\
        memset(line, 255, sizeof line); for (int i = 0; i < 100; i++) if (write(fd, line, sizeof line) < 0) return 2; return 0; }\n";
    let subject = Subject::new(scribble);
    let mut target = subject.target(Variant::Plain);
    let seen = target.run_all(&["e", "w", "e", "e"].map(on)).unwrap();
    let ends: Vec<&ProgramEnd> = seen.iter().map(|sample| &sample.execution.end).collect();
    let well = &ProgramEnd::Exited(0);
    assert_eq!(ends, [well, &ProgramEnd::Signalled(9), well, well]);
    assert_eq!(text(&seen[0].execution.stdout), "well\n");
}

#[test]
fn what_a_program_compares_does_not_hang_on_the_runs_before() {
    let pointers = "#include <stdio.h>\n#include <stdlib.h>\n\
                    int main(void) { char *volatile kept = malloc(300); int c = getchar(); kept[c & 127] = 1; return c == 'x'; }\n";
    let subject = Subject::new(pointers);
    let compared = |runs: usize| {
        let mut target = subject.target(Variant::Fuzz);
        assert!(target.try_persistent(&[on("a"), on("b")]).unwrap());
        (0..runs).for_each(|_| drop(target.run(&on("c")).unwrap()));
        target.ask_for_comparisons(true);
        target.run(&on("y")).unwrap().comparisons
    };
    let first = compared(0);
    assert!(first.contains(&(u64::from(b'x'), u64::from(b'y'))), "{first:?}");
    assert!(first.iter().any(|&(one, other)| one.max(other) > 0x1000_0000), "{first:?}");
    assert_eq!(compared(7), first);
}

#[test]
fn a_program_that_does_not_allow_it_gets_a_process_for_each_input() {
    // The C library keeps the next number of `drand48` where nothing takes it back.
    let hidden = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf(\"%f\\n\", drand48()); return 0; }\n";
    let subject = Subject::new(hidden);
    let mut target = subject.target(Variant::Plain);
    assert!(!target.try_persistent(&[on("1"), on("2")]).unwrap());
    assert_eq!(target.run(&on("1")).unwrap(), target.run(&on("2")).unwrap());
}

/// Prints how many bytes its input has and what it begins with.
const COUNTS: &str = "#include <stdio.h>\n#include <string.h>\n\
    int main(int argc, char **argv) { FILE *file = argc > 1 ? fopen(argv[1], \"r\") : stdin; if (!file) { puts(\"no input\"); return 1; }\n\
    long count = 0; int c, first = getc(file); for (c = first; c != EOF; c = getc(file)) count++; printf(\"%ld %c\\n\", count, first); return 0; }\n";

#[test]
fn where_nobody_can_watch_the_files_each_run_has_its_input_all_the_same() {
    let deep = |root: &camino::Utf8Path| fs_err::create_dir_all(root.join("d/".repeat(70))).unwrap();
    let subject = Subject::furnished(COUNTS, "program = \"program\"\n", deep);
    let inputs = ["one", "three", "x", "fourteen bytes"].map(|bytes| with(&["@@"], bytes));
    for persistent in [false, true] {
        let mut target = subject.target(Variant::Plain);
        assert!(!persistent || target.try_persistent(&inputs).unwrap());
        let seen = target.run_all(&inputs).unwrap();
        let printed: Vec<&str> = seen.iter().map(|sample| text(&sample.execution.stdout)).collect();
        assert_eq!(printed, ["3 o\n", "5 t\n", "1 x\n", "14 f\n"]);
    }
}

#[test]
fn an_input_that_a_limited_process_cannot_write_is_run_and_none_gets_the_answer_of_another() {
    let limits = COUNTS.replace("#include <string.h>", "#include <sys/resource.h>").replace(
        "long count",
        "if (argc > 2) { struct rlimit few = {4096, 4096}; setrlimit(RLIMIT_FSIZE, &few); } long count",
    );
    let subject = Subject::new(&limits);
    let large =
        |size: usize| ProgramInput { arguments: Some(vec!["@@".to_owned()]), bytes: vec![b'l'; size] };
    let inputs = [
        with(&["@@", "limited"], "a"),
        large(5000),
        with(&["@@"], "bb"),
        large(9_000_000),
        with(&["@@"], "ccc"),
        large(9_000_001),
    ];
    for persistent in [false, true] {
        let mut target = subject.target(Variant::Plain);
        assert!(!persistent || target.try_persistent(&[with(&["@@"], "x"), with(&["@@"], "yy")]).unwrap());
        let seen = target.run_all(&inputs).unwrap();
        let printed: Vec<&str> = seen.iter().map(|sample| text(&sample.execution.stdout)).collect();
        assert_eq!(
            printed,
            ["1 a\n", "5000 l\n", "2 b\n", "9000000 l\n", "3 c\n", "9000001 l\n"],
            "{persistent}"
        );
    }
}

#[test]
fn what_a_run_does_to_its_input_and_its_streams_is_not_there_for_the_next() {
    let spoils = "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n\
        int main(void) { char line[100] = \"\", path[4200]; ssize_t n = read(0, line, sizeof line - 1);\n\
        if (line[0] == 'a') { int fd = open(\"/dev/stdin\", O_RDWR | O_APPEND); if (fd >= 0 && write(fd, \"TAIL\", 4) != 4) return 2; }\n\
        if (line[0] == 'u') { n = readlink(\"/proc/self/fd/1\", path, sizeof path - 1); path[n > 0 ? n : 0] = 0; unlink(path); }\n\
        if (line[0] == 'p') { for (int fd = 64; fd < 80; fd++) dup2(1, fd); }\n\
        if (line[0] == 'l') { for (int i = 0; i < 40000; i++) putchar('l'); return 0; }\n\
        printf(\"%d %s\", (int)n, line); return 0; }\n";
    let subject = Subject::new(spoils);
    let inputs = ["abc", "e", "unlink", "long", "p", "e2"].map(on);
    for persistent in [false, true] {
        let mut target = subject.target(Variant::Plain);
        assert!(!persistent || target.try_persistent(&[on("x"), on("y")]).unwrap());
        let began = Instant::now();
        let seen = target.run_all(&inputs).unwrap();
        assert!(began.elapsed() < Duration::from_secs(20), "nobody waits for an answer that does not come");
        let printed: Vec<&str> = seen.iter().map(|sample| text(&sample.execution.stdout)).collect();
        assert_eq!((printed[1], printed[3].len(), printed[5]), ("1 e", 40000, "2 e2"), "{persistent}");
    }
}

#[test]
fn a_timer_of_one_run_is_not_set_in_the_next() {
    let sets = "#include <stdio.h>\n#include <sys/time.h>\n#include <unistd.h>\n\
        int main(void) { int c = getchar(); struct itimerval left, soon = {{0, 0}, {50, 0}};\n\
        if (c == 'a') alarm(50);\n\
        if (c == 'u') ualarm(999999, 0);\n\
        if (c == 'p') setitimer(ITIMER_PROF, &soon, NULL);\n\
        if (c != 'q') { puts(\"set\"); return 0; }\n\
        getitimer(ITIMER_PROF, &left); printf(\"%u %d\\n\", alarm(0), (int)left.it_value.tv_sec); return 0; }\n";
    let subject = Subject::new(sets);
    for variant in [Variant::Plain, Variant::Fuzz] {
        let mut target = subject.target(variant);
        assert!(target.try_persistent(&[on("x"), on("q")]).unwrap());
        for setter in ["a", "u", "p"] {
            let seen = target.run_all(&[on(setter), on("q"), on("q")]).unwrap();
            let printed: Vec<&str> = seen.iter().map(|sample| text(&sample.execution.stdout)).collect();
            assert_eq!(printed, ["set\n", "0 0\n", "0 0\n"], "{setter}");
        }
    }
}

#[test]
fn where_memory_lies_does_not_hang_on_the_inputs_before() {
    let places = "#include <stdio.h>\n#include <stdlib.h>\n\
        int main(void) { while (getchar() != EOF); printf(\"%p\\n\", malloc(1 << 20)); return 0; }\n";
    let subject = Subject::new(places);
    let mut target = subject.target(Variant::Plain);
    let large = ProgramInput { arguments: None, bytes: vec![b'x'; 3_000_000] };
    let before = target.run(&on("a")).unwrap();
    target.run(&large).unwrap();
    assert_eq!(target.run(&on("a")).unwrap(), before);
}
