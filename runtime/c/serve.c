/* The fork server: stands before `main` and copies the process, made ready once, for each run.
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
    uint64_t started;
    struct bonafix_request request;
    char text[BONAFIX_MOST_TEXT + 1];
} *shared;
/* Nothing to do; a run is under way; a request has come that wants a process of its own. */
enum { IDLE, RUNNING, HANDED_OVER };
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

static uint64_t now_micros(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
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
    int any = 0;
    while (watch >= 0 && read(watch, events, sizeof events) > 0)
        any = 1;
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

static void put_output(const char *name, int as) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    put(path, O_WRONLY | O_CREAT | O_TRUNC, as);
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

static void put_streams(const char *input) {
    put(*input ? input : "/dev/null", O_RDONLY, 0);
    put_output("stdout", 1);
    put_output("stderr", 2);
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

/* Waits until the child has ended, not longer than its time; it stays to be reaped. */
static int wait_for(pid_t child, uint64_t until) {
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    for (;;) {
        siginfo_t info;
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == child)
            return 1;
        if (waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == child)
            go_on(child, info.si_status);
        uint64_t now = now_micros();
        if (now >= until)
            return 0;
        struct timespec rest = {(time_t)((until - now) / 1000000u), (long)((until - now) % 1000000u) * 1000};
        sigtimedwait(&child_signal, NULL, &rest);
    }
}

static void finish(pid_t child, const struct bonafix_request *request, struct bonafix_reply *reply) {
    uint64_t begun = now_micros();
    int ended = wait_for(child, begun + (uint64_t)request->limit_millis * 1000u);
    reply->micros = (uint32_t)(now_micros() - begun);
    /* While the child is not reaped, its number cannot be anybody else's. */
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended) {
        reply->end = BONAFIX_TIMED_OUT;
    } else if (WIFSIGNALED(status)) {
        reply->end = BONAFIX_SIGNALLED;
        reply->value = WTERMSIG(status);
    } else {
        reply->end = BONAFIX_EXITED;
        reply->value = WEXITSTATUS(status);
    }
    if (!sweep())
        reply->flags |= BONAFIX_STRAYS;
}

static int reply_with(const struct bonafix_reply *reply) {
    return write_all(replies, reply, sizeof *reply);
}

/* The next request, into shared memory. */
static int receive(void) {
    struct bonafix_request *request = &shared->request;
    if (!read_all(requests, request, sizeof *request) || request->length > BONAFIX_MOST_TEXT ||
        !read_all(requests, shared->text, request->length))
        return 0;
    shared->text[request->length] = 0;
    return 1;
}

/* The arguments of the request. */
static char **arguments(void) {
    static char **list;
    list = realloc(list, (shared->request.arguments + 1u) * sizeof *list);
    if (!list)
        _exit(1);
    char *next = shared->text + strlen(shared->text) + 1;
    for (uint32_t i = 0; i < shared->request.arguments; i++) {
        list[i] = next;
        next += strlen(next) + 1;
    }
    list[shared->request.arguments] = NULL;
    return list;
}

static void prepare(void) {
    was_written();
    if (bonafix_coverage_reset)
        bonafix_coverage_reset((shared->request.flags & BONAFIX_WANT_COMPARISONS) != 0);
}

/* A process of its own for one run. True in that process. */
static int run_once(void) {
    struct bonafix_reply reply = {0, 0, 0, 0};
    prepare();
    pid_t child = fork();
    if (child == 0) {
        close(requests);
        close(replies);
        if (watch >= 0)
            close(watch);
        become_program(&shared->request);
        put_streams(shared->text);
        return 1;
    }
    if (child < 0)
        reply.end = BONAFIX_NOT_STARTED;
    else
        finish(child, &shared->request, &reply);
    if (was_written())
        reply.flags |= BONAFIX_WROTE;
    if (shared->request.flags & BONAFIX_WANT_PERSISTENT)
        reply.flags |= BONAFIX_COPIED;
    if (!reply_with(&reply) || reply.flags & BONAFIX_STRAYS)
        _exit(0);
    return 0;
}

/* Takes requests itself, until one wants a process of its own or the time has come for a fresh one. */
static void run_often(void) {
    become_program(&shared->request);
    if (!bonafix_persist_open(home)) {
        shared->state = HANDED_OVER;
        _exit(0);
    }
    do {
        if (!(shared->request.flags & BONAFIX_WANT_PERSISTENT)) {
            shared->state = HANDED_OVER;
            _exit(0);
        }
        struct bonafix_reply reply = {BONAFIX_EXITED, 0, 0, 0};
        shared->started = now_micros();
        shared->state = RUNNING;
        prepare();
        put_streams(shared->text);
        reply.value = bonafix_persist_run(program_main, (int)shared->request.arguments, arguments(),
                                          shared->request.limit_millis);
        /* Before the server is asked to look: it kills what is left, and this process with it. */
        if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD)
            _exit(reply.value);
        if (was_written())
            reply.flags |= BONAFIX_WROTE;
        shared->state = IDLE;
        if (!reply_with(&reply)) {
            shared->state = RUNNING;
            _exit(reply.value);
        }
    } while (bonafix_persist_next() && receive());
    _exit(0);
}

/* Waits for the end of a process that takes requests itself. True if it has left one that is to be served. */
static int supervise(pid_t child) {
    siginfo_t info;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    uint64_t taken = now_micros() - shared->started;
    struct bonafix_reply reply = {0, 0, 0, 0};
    /* It has ended: its time does not matter any more. */
    finish(child, &shared->request, &reply);
    if (shared->state == RUNNING) {
        if (reply.end == BONAFIX_SIGNALLED && reply.value == SIGKILL && taken >= shared->request.limit_millis * 1000ull)
            reply.end = BONAFIX_TIMED_OUT;
        if (was_written())
            reply.flags |= BONAFIX_WROTE;
        if (!reply_with(&reply))
            _exit(0);
    }
    if (reply.flags & BONAFIX_STRAYS)
        _exit(0);
    return shared->state == HANDED_OVER;
}

/* Serves until the other end hangs up. Returns in a child, with what `main` is to be given. */
static char **serve(int *argc) {
    while (receive()) {
        int is_open = 1;
        if (shared->request.flags & BONAFIX_WANT_PERSISTENT) {
            shared->state = IDLE;
            pid_t child = fork();
            if (child == 0)
                run_often();
            is_open = child < 0 || supervise(child);
        }
        if (is_open && run_once()) {
            *argc = (int)shared->request.arguments;
            return arguments();
        }
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
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        _exit(1);
    open_watch();
    if (watch < 0)
        hello.flags |= BONAFIX_HELLO_BLIND;
    if (bonafix_coverage_open)
        hello.edges = bonafix_coverage_open(folder);
    if (!write_all(replies, &hello, sizeof hello))
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
        if (!move_pipes())
            _exit(127);
        program_main = main;
        main = served_main;
    }
    return real.code(main, argc, argv, init, fini, rtld_fini, stack_end);
}
