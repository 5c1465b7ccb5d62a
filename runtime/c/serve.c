/* The fork server: stands before `main` and copies the process, made ready once, for each run of a batch.
 *
 * It takes the place of `__libc_start_main`, which the start code of every program calls, be it from an object that is
 * linked into the program or from a library that is loaded before all others. The C library is given another `main`: that
 * one waits for requests, forks, and the child goes on into the program's own `main` with the arguments of the request. All
 * constructors have run by then, so that their cost is paid once.
 *
 * A child is the leader of a group of its own. Its standard streams are files. What it leaves behind is killed
 * when it ends: the server is the reaper of all that descends from it. */
#define _GNU_SOURCE
#include "serve.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int start_function(bonafix_main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

/* How long what a run has left behind may take to die. */
enum { STRAY_MILLIS = 2000 };
/* Between two looks at a run. */
enum { LOOK_MICROS = 30000 };
/* A batch that takes longer is told of as far as it has come: the whole server may live for some time only. */
enum { BATCH_MICROS = 5000000 };

static bonafix_main *program_main;
static char folder[PATH_MAX], home[PATH_MAX];
static int requests = -1, replies = -1;
/* Tells of written files; -1 where the system does not give it. */
static int watch = -1;
/* `/proc` shows the processes by the numbers that we know them by. */
static int own_proc;
static sigset_t program_mask;
/* What a process that runs several times shares with the server. */
static struct shared {
    /* One of the words below. */
    volatile uint32_t state;
    /* When the run began, and what its process had used by then. */
    volatile uint64_t started, used;
    struct bonafix_request request;
    /* When it came. */
    uint64_t received;
    /* Where the input of the run begins that comes next, or is under way; and where that behind it does. */
    uint64_t input, next;
} *shared;
/* Waits for a batch; between two runs of one, or before its first; a run is under way; the program cannot run often. */
enum { IDLE, BETWEEN, RUNNING, REFUSED };
static struct sigaction program_on_child;

static int read_all(int fd, void *to, size_t length) {
    char *next = to;
    while (length > 0) {
        ssize_t count = read(fd, next, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return 0;
        next += count;
        length -= (size_t)count;
    }
    return 1;
}

static int write_all(int fd, const void *from, size_t length) {
    const char *next = from;
    while (length > 0) {
        ssize_t count = write(fd, next, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return 0;
        next += count;
        length -= (size_t)count;
    }
    return 1;
}

static uint64_t micros_of(clockid_t clock) {
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static uint64_t now_micros(void) {
    return micros_of(CLOCK_MONOTONIC);
}

/* ---- Files that a run writes ---- */

/* Watches a folder and all below it. False if one of them cannot be watched. */
static int watch_below(const char *path, int depth) {
    uint32_t events = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DONT_FOLLOW | IN_ONLYDIR;
    if (depth > 64 || inotify_add_watch(watch, path, events) < 0)
        return 0;
    DIR *entries = opendir(path);
    if (!entries)
        return 0;
    int whole = 1;
    struct dirent *entry;
    while (whole && (entry = readdir(entries))) {
        char below[PATH_MAX];
        struct stat data;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >= (int)sizeof below)
            whole = 0;
        else if (lstat(below, &data) == 0 && S_ISDIR(data.st_mode))
            whole = watch_below(below, depth + 1);
    }
    closedir(entries);
    return whole;
}

/* Watches the project's tree and the folder for temporary files. */
static void open_watch(void) {
    static const char *const watched[] = {"tree", "tmp"};
    watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    for (size_t i = 0; watch >= 0 && i < sizeof watched / sizeof *watched; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", home, watched[i]) >= (int)sizeof path || !watch_below(path, 0)) {
            close(watch);
            watch = -1;
        }
    }
    if (watch >= 0) {
        int high = fcntl(watch, F_DUPFD_CLOEXEC, BONAFIX_FIRST_DESCRIPTOR);
        if (high >= 0) {
            close(watch);
            watch = high;
        }
    }
}

/* Was anything written since the last call? */
static int was_written(void) {
    char events[4096];
    ssize_t length = watch >= 0 ? read(watch, events, sizeof events) : 0;
    int any = length > 0;
    /* Where there is room for one event more there was none. */
    while (length > (ssize_t)(sizeof events - sizeof(struct inotify_event) - NAME_MAX - 1))
        length = read(watch, events, sizeof events);
    return any;
}

/* ---- Processes that a run leaves ---- */

/* Kills the processes that hang on this one. */
static void kill_children(void) {
    FILE *list = own_proc ? fopen("/proc/thread-self/children", "re") : NULL;
    int pid;
    while (list && fscanf(list, "%d", &pid) == 1)
        if (pid > 1)
            kill(pid, SIGKILL);
    if (list)
        fclose(list);
}

/* Ends and reaps all that is left. False if some stay. */
static int sweep(void) {
    uint64_t until = 0;
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid > 0)
            continue;
        if (pid < 0 && errno == ECHILD)
            return 1;
        uint64_t now = now_micros();
        if (!until)
            until = now + STRAY_MILLIS * 1000u;
        if (now > until)
            return 0;
        kill_children();
        usleep(500);
    }
}

/* ---- The processor's time ---- */

/* The start of a file that the system makes, as text. Nothing here may take memory: copies must find the heap as it was. */
static void read_text(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, size - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = 0;
}

/* What processes do. */
struct look {
    /* In the unit of `/proc`, with those that were waited for. */
    uint64_t ticks;
    /* One runs, wants to, was stopped, or has threads, of which one may run. */
    int awake;
    unsigned count;
};

static void look_at(long pid, struct look *seen) {
    enum { STATE = 3, FIRST = 14, LAST = 17, THREADS = 20 };
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    read_text(path, text, sizeof text);
    /* The name before it may hold blanks and brackets. */
    char *next = strrchr(text, ')');
    char state = 0;
    for (int field = STATE; next && field <= THREADS; field++) {
        next = strchr(next + 1, ' ');
        if (next && field == STATE)
            state = next[1];
        else if (next && field >= FIRST && field <= LAST)
            seen->ticks += strtoul(next, NULL, 10);
        else if (next && field == THREADS)
            /* One that has ended may have left threads that go on. */
            seen->awake |= (state != 'S' && state != 'Z') || strtoul(next, NULL, 10) > 1;
    }
    seen->count++;
}

static void look_below(const char *process, int depth, struct look *seen) {
    char path[64], text[4096], *next = text, *end;
    snprintf(path, sizeof path, "/proc/%s/children", process);
    read_text(path, text, sizeof text);
    for (;;) {
        long pid = strtol(next, &end, 10);
        if (end == next || pid <= 0)
            return;
        next = end;
        look_at(pid, seen);
        if (depth < 16) {
            char below[48];
            snprintf(below, sizeof below, "%ld/task/%ld", pid, pid);
            look_below(below, depth + 1, seen);
        }
    }
}

/* The time of a run, which is the processor's and that in which it sleeps: how long it waits for the processor is the
 * machine's doing. */
struct spent {
    uint64_t used, asleep, last_look;
};

/* What it has used: the child to the point, all of its processes in steps of a hundredth of a second. */
static void look(pid_t child, struct spent *spent) {
    struct look seen = {0, 0, 0};
    clockid_t clock;
    uint64_t now = now_micros(), since = now - spent->last_look;
    if (own_proc)
        look_below("thread-self", 0, &seen);
    uint64_t own = clock_getcpuclockid(child, &clock) == 0 ? micros_of(clock) : 0;
    uint64_t all = seen.ticks * 1000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    spent->used = all > own ? all : own;
    /* Whoever sees nothing does not know that all sleep. A look that comes late tells nothing of the time before it. */
    if (seen.count > 0 && !seen.awake)
        spent->asleep += since < 2 * LOOK_MICROS ? since : 2 * LOOK_MICROS;
    spent->last_look = now;
}

static uint64_t micros_of_usage(const struct rusage *usage) {
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000u +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static uint64_t usage(int whose) {
    struct rusage usage;
    return getrusage(whose, &usage) == 0 ? micros_of_usage(&usage) : 0;
}

/* ---- One run ---- */

static void put(const char *name, int flags, int as) {
    int fd = open(name, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd >= 0 && fd != as)
        dup2(fd, as), close(fd);
    else if (fd == as)
        fcntl(fd, F_SETFD, 0);
}

static void limit(int what, uint64_t most) {
    struct rlimit now;
    if (most == 0 || getrlimit(what, &now) != 0)
        return;
    if (now.rlim_max != RLIM_INFINITY && most > now.rlim_max)
        most = now.rlim_max;
    now.rlim_cur = now.rlim_max = most;
    setrlimit(what, &now);
}

/* Makes the child what the program would be had it just been started. */
static void become_program(const struct bonafix_request *request) {
    /* No session: with each the kernel makes a new group for its scheduler, which takes as long as the copy itself. */
    setpgid(0, 0);
    /* Whoever writes more ends at once, instead of writing in vain until its time is over. */
    signal(SIGXFSZ, SIG_DFL);
    limit(RLIMIT_FSIZE, request->file_size);
    limit(RLIMIT_AS, request->memory);
    sigaction(SIGCHLD, &program_on_child, NULL);
    sigprocmask(SIG_SETMASK, &program_mask, NULL);
}

/* A program that a terminal's signal has stopped goes on, as one that leads a session without a terminal would. */
static void go_on(pid_t child, int signal) {
    if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
        kill(child, SIGCONT);
}

/* Waits for news of a child, until the next look at the latest. */
static void pause_for_child(void) {
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    struct timespec rest = {0, LOOK_MICROS * 1000};
    sigtimedwait(&child_signal, NULL, &rest);
}

/* Waits until the child has ended, not longer than its time; it stays to be reaped. */
static int wait_for(pid_t child, const struct bonafix_request *request) {
    uint64_t most = request->cpu_millis * 1000ull, begun = now_micros();
    struct spent spent = {0, 0, begun};
    for (;;) {
        siginfo_t info;
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == child)
            return 1;
        if (waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == child)
            go_on(child, info.si_status);
        if (now_micros() - spent.last_look >= LOOK_MICROS)
            look(child, &spent);
        if (spent.used >= most || spent.asleep >= most || spent.last_look - begun >= request->wall_millis * 1000ull)
            return 0;
        pause_for_child();
    }
}

/* How a run ended, in the words of a result. */
struct end {
    uint32_t end;
    int32_t value;
    uint32_t flags;
};

/* Ends a run and says how it ended; gives the time that its process has used, with those that it has waited for. */
static uint64_t reap(pid_t child, struct end *end) {
    /* While the child is not reaped, its number cannot be anybody else's. */
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    int status = 0;
    struct rusage usage;
    memset(&usage, 0, sizeof usage);
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        end->end = BONAFIX_SIGNALLED;
        end->value = WTERMSIG(status);
    } else {
        end->end = BONAFIX_EXITED;
        end->value = WEXITSTATUS(status);
    }
    if (!sweep())
        end->flags |= BONAFIX_STRAYS;
    return micros_of_usage(&usage);
}

static void finish(pid_t child, const struct bonafix_request *request, struct end *end) {
    int ended = wait_for(child, request);
    /* One that has ended between two looks is judged by what it used, too: by that alone, whenever the looks were. */
    if (reap(child, end) >= request->cpu_millis * 1000ull || !ended)
        end->end = BONAFIX_TIMED_OUT;
}

/* ---- Batches ---- */

/* The next batch, into shared memory. */
static int receive(void) {
    if (!read_all(requests, &shared->request, sizeof shared->request))
        return 0;
    shared->received = now_micros();
    shared->input = shared->next = 0;
    /* Where nobody tells of files, they are looked through after every run. */
    bonafix_batch_begin(watch < 0);
    return 1;
}

static int is_batch_over(void) {
    return bonafix_batch_is_over(&shared->request) ||
           (bonafix_batch_finished() > 0 && now_micros() - shared->received >= BATCH_MICROS);
}

static int reply(void) {
    struct bonafix_reply reply = bonafix_batch_reply();
    return write_all(replies, &reply, sizeof reply);
}

static void tell(const struct end *end) {
    bonafix_batch_tell(end->end, end->value, end->flags | (was_written() ? BONAFIX_WROTE : 0));
    shared->input = shared->next;
}

/* Everything is there that the next run will look for. */
static int prepare(struct bonafix_run *run) {
    shared->next = shared->input;
    if (!bonafix_batch_next(&shared->request, &shared->next, run))
        _exit(1);
    int is_there = bonafix_batch_put(run);
    /* What was written so far was not written by the run. */
    was_written();
    if (bonafix_coverage_reset)
        bonafix_coverage_reset((shared->request.flags & BONAFIX_WANT_COMPARISONS) != 0);
    return is_there;
}

/* A process of its own for one run. True in that process. */
static int run_once(struct bonafix_run *run) {
    struct end end = {0, 0, 0};
    pid_t child = prepare(run) ? fork() : -1;
    if (child == 0) {
        become_program(&shared->request);
        bonafix_batch_connect(run);
        bonafix_batch_leave();
        bonafix_close_range(BONAFIX_FIRST_DESCRIPTOR, BONAFIX_FIRST_DESCRIPTOR + BONAFIX_DESCRIPTORS - 1);
        return 1;
    }
    if (child < 0)
        end.end = BONAFIX_NOT_STARTED;
    else
        finish(child, &shared->request, &end);
    if (shared->request.flags & BONAFIX_WANT_PERSISTENT)
        end.flags |= BONAFIX_COPIED;
    tell(&end);
    if (end.flags & BONAFIX_STRAYS) {
        reply();
        _exit(0);
    }
    return 0;
}

/* What this process has used so far, with children that have ended. */
static uint64_t used_so_far(void) {
    return micros_of(CLOCK_PROCESS_CPUTIME_ID) + usage(RUSAGE_CHILDREN);
}

/* The pipes as the server had them. */
static struct stat pipes[2];

static int is_same_file(int fd, const struct stat *known) {
    struct stat now;
    return fstat(fd, &now) == 0 && now.st_dev == known->st_dev && now.st_ino == known->st_ino;
}

/* A run may have put something else behind their numbers, and then nobody would hear an answer. */
static int are_pipes_there(void) {
    return is_same_file(requests, &pipes[0]) && is_same_file(replies, &pipes[1]);
}

/* One run in this process. What cannot be taken back ends the process. */
static void run_here(void) {
    struct bonafix_run run;
    struct end end = {BONAFIX_EXITED, 0, 0};
    if (!prepare(&run))
        _exit(1);
    bonafix_batch_connect(&run);
    shared->started = now_micros();
    shared->state = RUNNING;
    end.value = bonafix_persist_run(program_main, run.count, run.arguments);
    /* Before the server is asked to look: it kills what is left, and this process with it. */
    if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD || !are_pipes_there())
        _exit(end.value);
    uint64_t used = used_so_far();
    /* As one that the server ends. */
    if (used - shared->used >= shared->request.cpu_millis * 1000ull)
        kill(getpid(), SIGKILL);
    shared->used = used;
    tell(&end);
    shared->state = BETWEEN;
}

/* Serves batches itself, as long as they want that and until the time has come for a fresh process. */
static void run_often(void) {
    become_program(&shared->request);
    if (fstat(requests, &pipes[0]) != 0 || fstat(replies, &pipes[1]) != 0 || !bonafix_persist_open(home)) {
        shared->state = REFUSED;
        _exit(0);
    }
    int goes_on = 1;
    shared->used = used_so_far();
    while (goes_on && shared->request.flags & BONAFIX_WANT_PERSISTENT) {
        while (goes_on && !is_batch_over()) {
            run_here();
            goes_on = bonafix_persist_next();
        }
        /* Whoever could not answer leaves that to the server. */
        if (!is_batch_over() || !reply())
            break;
        shared->state = IDLE;
        if (!goes_on || !receive())
            break;
        shared->state = BETWEEN;
    }
    _exit(0);
}

/* Waits for the end of a process that serves batches itself, and ends it where a run takes too long. True if one did. */
static int wait_for_often(pid_t child) {
    struct spent spent = {0, 0, 0};
    uint64_t run = 0, begun_with = 0, most = 0;
    for (;;) {
        siginfo_t info;
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == child)
            return 0;
        if (shared->state != RUNNING || shared->started != run) {
            run = shared->started;
            begun_with = shared->used;
            most = shared->request.cpu_millis * 1000ull;
            spent.asleep = 0;
            spent.last_look = now_micros();
        } else {
            look(child, &spent);
            int is_over = spent.used >= begun_with + most || spent.asleep >= most ||
                          spent.last_look - run >= shared->request.wall_millis * 1000ull;
            /* Not the next run, which may have begun meanwhile. */
            if (is_over && shared->started == run && shared->state == RUNNING) {
                kill(child, SIGKILL);
                return 1;
            }
        }
        pause_for_child();
    }
}

/* Waits for the end of a process that serves batches itself, and tells of the run that has ended it. */
static void supervise(pid_t child) {
    struct end end = {0, 0, 0};
    int is_over = wait_for_often(child);
    uint64_t used = reap(child, &end) - shared->used;
    if (shared->state == RUNNING) {
        /* As of a process of its own, what it has used decides however it ended. */
        if (used >= shared->request.cpu_millis * 1000ull ||
            (is_over && end.end == BONAFIX_SIGNALLED && end.value == SIGKILL))
            end.end = BONAFIX_TIMED_OUT;
        end.flags |= BONAFIX_ENDED;
        tell(&end);
        shared->state = BETWEEN;
    }
    if (end.flags & BONAFIX_STRAYS) {
        if (shared->state == BETWEEN)
            reply();
        _exit(0);
    }
}

/* Begins a process that serves batches itself, and waits for its end. False if the program cannot be run so. */
static int serve_often(void) {
    static int is_refused;
    if (is_refused)
        return 0;
    shared->state = BETWEEN;
    bonafix_batch_forget();
    pid_t child = fork();
    if (child == 0)
        run_often();
    if (child > 0)
        supervise(child);
    bonafix_batch_forget();
    is_refused = child > 0 && shared->state == REFUSED;
    return child > 0 && !is_refused;
}

/* Serves until the other end hangs up. Returns in a child, with what `main` is to be given. */
static char **serve(int *argc) {
    struct bonafix_run run;
    while (receive()) {
        /* Set where a process that served itself has answered all that came; and where one came to its end before it had run
         * anything: that run gets a process of its own. */
        int is_answered = 0, is_stuck = 0;
        while (!is_answered && !is_batch_over()) {
            uint32_t finished = bonafix_batch_finished();
            if (shared->request.flags & BONAFIX_WANT_PERSISTENT && !is_stuck && serve_often()) {
                is_answered = shared->state == IDLE;
                is_stuck = !is_answered && bonafix_batch_finished() == finished;
            } else if (run_once(&run)) {
                *argc = run.count;
                return run.arguments;
            } else {
                is_stuck = 0;
            }
        }
        if (!is_answered && !reply())
            break;
    }
    /* Not `exit`: what constructors have left in buffers belongs to the runs. */
    _exit(0);
}

/* ---- The start ---- */

static uint32_t count_threads(void) {
    uint32_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    while (tasks && (entry = readdir(tasks)))
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

static int has_own_proc(void) {
    char number[32] = "";
    return readlink("/proc/self", number, sizeof number - 1) > 0 && atoi(number) == getpid();
}

/* Memory that copies share, with nothing beside it: whoever runs over the end of something else does not come here. */
static void *map_shared(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    char *range = mmap(NULL, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range == MAP_FAILED)
        return NULL;
    void *memory = mmap(range + page, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int served_main(int argc, char **argv, char **environment) {
    struct bonafix_hello hello = {BONAFIX_MAGIC, 0, 0};
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &program_mask);
    struct sigaction plain;
    memset(&plain, 0, sizeof plain);
    plain.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &plain, &program_on_child);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    own_proc = has_own_proc();
    if (count_threads() > 1)
        hello.flags |= BONAFIX_HELLO_THREADS;
    shared = map_shared(sizeof *shared);
    if (!shared)
        _exit(1);
    open_watch();
    if (watch < 0)
        hello.flags |= BONAFIX_HELLO_BLIND;
    if (bonafix_coverage_open)
        hello.edges = bonafix_coverage_open(folder);
    if (!bonafix_batch_open(folder, hello.edges) || !write_all(replies, &hello, sizeof hello))
        _exit(1);
    argv = serve(&argc);
    return program_main(argc, argv, environment);
}

/* The same addresses in every start, so that what depends on them is the same in every start. */
static void keep_addresses(char **argv) {
    int now = personality(0xffffffff);
    if (now < 0 || now & ADDR_NO_RANDOMIZE || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
        return;
    if (personality(0xffffffff) & ADDR_NO_RANDOMIZE)
        execv("/proc/self/exe", argv);
}

/* Takes the pipes away from the program. Constructors find nothing to read and print to nowhere. */
static int move_pipes(void) {
    requests = fcntl(0, F_DUPFD_CLOEXEC, BONAFIX_FIRST_DESCRIPTOR);
    replies = fcntl(1, F_DUPFD_CLOEXEC, BONAFIX_FIRST_DESCRIPTOR);
    if (requests < 0 || replies < 0)
        return 0;
    put("/dev/null", O_RDONLY, 0);
    put("/dev/null", O_WRONLY, 1);
    return 1;
}

__attribute__((visibility("default"))) int __libc_start_main(bonafix_main *main, int argc, char **argv,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*rtld_fini)(void), void *stack_end) {
    /* POSIX lets a pointer to a function come this way only. */
    union {
        void *data;
        start_function *code;
    } real;
    real.data = dlsym(RTLD_NEXT, "__libc_start_main");
    if (!real.data)
        _exit(127);
    const char *place = getenv(BONAFIX_FOLDER), *around = getenv(BONAFIX_HOME);
    if (place && around && strlen(place) < sizeof folder - 16 && strlen(around) < sizeof home - 16) {
        keep_addresses(argv);
        strcpy(folder, place);
        strcpy(home, around);
        /* Neither the program nor what it starts is to know. */
        unsetenv(BONAFIX_FOLDER);
        unsetenv(BONAFIX_HOME);
        unsetenv("LD_PRELOAD");
        unsetenv("LD_BIND_NOW");
        if (!move_pipes())
            _exit(127);
        program_main = main;
        main = served_main;
    }
    return real.code(main, argc, argv, init, fini, rtld_fini, stack_end);
}
