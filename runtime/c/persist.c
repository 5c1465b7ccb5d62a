/* Runs in one process: `main` is called again and again, and what it left is taken back in between.
 *
 * Taken back are the program's own variables, its open files, signals, folder, timers and processes, and what the C library
 * keeps for `getopt`, `rand` and the standard streams. The heap is not: after some runs the process is replaced. Whether a
 * program can be run so is found out by comparing with runs in copies of the process; this file only sees to it that a run
 * which certainly cannot be taken back (threads, handlers for the end, buffers of its own for a standard stream) ends the
 * process as it would have ended without us. The server, which is its parent, tells of ends that come this way. */
#define _GNU_SOURCE
#include "serve.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* After so many runs a fresh copy takes over; `crates/lang-c/src/serve.rs` knows that. */
enum { RUNS = 512 };
/* More variables are not copied back and forth. */
enum { MOST_BYTES = 16 * 1024 * 1024, MOST_PARTS = 16384 };

struct part {
    char *start;
    size_t size;
};

extern char **environ;

static struct part parts[MOST_PARTS];
static size_t part_count, byte_count;
static char *copy;
static struct sigaction actions[32];
/* What `rand` draws from, and how it is at the start. */
static char chance[128], chance_at_start[sizeof chance], no_chance[8];
static sigset_t mask;
static int start_folder = -1, own_tasks = -1;
static mode_t creation_mask;
static char **environment, **environment_copy;
static size_t environment_length;

/* The process in which `exit` comes back here; 0 outside of a run. */
static pid_t running;
static jmp_buf back;
static int code;
/* The run has done what cannot be taken back. */
static int is_spoilt;

/* ---- Functions of the C library that a run calls ---- */

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

__attribute__((visibility("default"), noreturn)) void exit(int with) {
    if (running && running == getpid() && !is_spoilt) {
        code = with;
        _longjmp(back, 1);
    }
    union {
        void *data;
        void (*code)(int);
    } go = {real("exit")};
    go.code(with);
    _exit(with);
}

__attribute__((visibility("default"))) int __cxa_atexit(void (*handler)(void *), void *argument, void *module) {
    union {
        void *data;
        int (*code)(void (*)(void *), void *, void *);
    } go = {real("__cxa_atexit")};
    is_spoilt |= running != 0;
    return go.code ? go.code(handler, argument, module) : -1;
}

__attribute__((visibility("default"))) int on_exit(void (*handler)(int, void *), void *argument) {
    union {
        void *data;
        int (*code)(void (*)(int, void *), void *);
    } go = {real("on_exit")};
    is_spoilt |= running != 0;
    return go.code ? go.code(handler, argument) : -1;
}

__attribute__((visibility("default"))) int setvbuf(FILE *file, char *buffer, int mode, size_t size) {
    union {
        void *data;
        int (*code)(FILE *, char *, int, size_t);
    } go = {real("setvbuf")};
    is_spoilt |= running != 0;
    return go.code ? go.code(file, buffer, mode, size) : -1;
}

__attribute__((visibility("default"))) void setbuf(FILE *file, char *buffer) {
    setvbuf(file, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ);
}

__attribute__((visibility("default"))) void setlinebuf(FILE *file) {
    setvbuf(file, NULL, _IOLBF, 0);
}

/* ---- The program's variables ---- */

/* Variables that AddressSanitizer was told of. Its own are in the program too and must stay. */
enum { MOST_LISTS = 8192 };
static struct list {
    const struct bonafix_variable *first;
    size_t count;
} lists[MOST_LISTS];
static size_t list_count;
extern void __asan_init(void) __attribute__((weak));

void bonafix_persist_variables(const struct bonafix_variable *first, size_t count) {
    if (list_count < MOST_LISTS) {
        lists[list_count].first = first;
        lists[list_count].count = count;
    }
    list_count++;
}

static void add(uintptr_t start, uintptr_t end) {
    if (end <= start)
        return;
    if (part_count == MOST_PARTS || byte_count + (end - start) > MOST_BYTES) {
        byte_count = MOST_BYTES + 1;
        return;
    }
    parts[part_count].start = (char *)start;
    parts[part_count++].size = end - start;
    byte_count += end - start;
}

/* Adds what lies in this range, but for what the loader has made read-only. */
static void add_writable(const struct dl_phdr_info *module, uintptr_t start, uintptr_t end) {
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type != PT_GNU_RELRO)
            continue;
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
        uintptr_t from = (module->dlpi_addr + part->p_vaddr) & ~(page - 1);
        uintptr_t to = (module->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(page - 1);
        if (from < end && start < to) {
            add(start, from < start ? start : from);
            add(to > end ? end : to, end);
            return;
        }
    }
    add(start, end);
}

static void add_variable(const struct dl_phdr_info *module, const struct bonafix_variable *variable) {
    uintptr_t first = variable->start, end = first + variable->size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        uintptr_t start = module->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && part->p_flags & PF_W && first >= start && end <= start + part->p_memsz)
            add_writable(module, first, end);
    }
}

static void add_listed(const struct dl_phdr_info *module) {
    for (size_t i = 0; i < list_count; i++)
        for (size_t k = 0; k < lists[i].count; k++)
            add_variable(module, &lists[i].first[k]);
}

/* The program itself comes first, with an empty name; its own libraries lie in the project's home. */
static int add_module(struct dl_phdr_info *module, size_t size, void *home) {
    (void)size;
    int is_program = !*module->dlpi_name;
    if (!is_program && strncmp(module->dlpi_name, home, strlen(home)) != 0)
        return 0;
    if (__asan_init) {
        /* The lists are the program's alone. */
        if (is_program && list_count <= MOST_LISTS)
            add_listed(module);
        else
            byte_count = MOST_BYTES + 1;
        return 0;
    }
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_W) {
            uintptr_t start = module->dlpi_addr + part->p_vaddr;
            add_writable(module, start, start + part->p_memsz);
        }
    }
    return 0;
}

/* Not `memcpy`, which sanitizers watch. */
static void move(char *to, const char *from, size_t size) {
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
#else
    volatile char *out = to;
    while (size--)
        *out++ = *from++;
#endif
}

static int save_variables(const char *home) {
    /* Without the sanitizer's lists, this runtime's own variables cannot be told from the program's. */
    if (bonafix_coverage_open && !__asan_init)
        return 0;
    dl_iterate_phdr(add_module, (void *)home);
    if (byte_count > MOST_BYTES)
        return 0;
    if (byte_count == 0)
        return 1;
    copy = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return 0;
    char *next = copy;
    for (size_t i = 0; i < part_count; i++) {
        move(next, parts[i].start, parts[i].size);
        next += parts[i].size;
    }
    return 1;
}

static void restore_variables(void) {
    const char *next = copy;
    for (size_t i = 0; i < part_count; i++) {
        move(parts[i].start, next, parts[i].size);
        next += parts[i].size;
    }
}

/* ---- One run ---- */

static int save_environment(void) {
    environment = environ;
    while (environment[environment_length])
        environment_length++;
    environment_copy = malloc((environment_length + 1) * sizeof *environment_copy);
    for (size_t i = 0; environment_copy && i <= environment_length; i++)
        environment_copy[i] = environment[i];
    return environment_copy != NULL;
}

static int open_folder(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, BONAFIX_FIRST_DESCRIPTOR);
    if (fd >= 0)
        close(fd);
    return high;
}

int bonafix_persist_open(const char *home) {
    start_folder = open_folder(".");
    own_tasks = open_folder("/proc/self/task");
    creation_mask = umask(022);
    umask(creation_mask);
    for (int signal = 1; signal < 32; signal++)
        sigaction(signal, NULL, &actions[signal]);
    /* As the C library begins. */
    initstate(1, chance, sizeof chance);
    memcpy(chance_at_start, chance, sizeof chance);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* What is opened for the input comes behind these. */
    int last = BONAFIX_FIRST_DESCRIPTOR + BONAFIX_DESCRIPTORS - 3;
    return start_folder >= 0 && own_tasks >= 0 && start_folder <= last && own_tasks <= last && save_environment() &&
           save_variables(home);
}

/* Can the next run find all as the first did? */
static int is_clean(void) {
    struct stat tasks;
    if (is_spoilt || fileno(stdin) != 0 || fileno(stdout) != 1 || fileno(stderr) != 2)
        return 0;
    /* A folder has a link for itself, one in its parent, and one for each folder in it: one for each thread. */
    return fstat(own_tasks, &tasks) == 0 && tasks.st_nlink <= 3;
}

void bonafix_close_range(unsigned first, unsigned last) {
    /* The number is the same for all machines; older C libraries lack the name. */
    enum { CLOSE_RANGE = 436, MOST = 4096 };
    if (syscall(CLOSE_RANGE, first, last, 0u) != 0)
        for (unsigned fd = first; fd <= last && fd < MOST; fd++)
            close((int)fd);
}

/* All but the standard streams and those of the runtime. */
static void close_files(void) {
    bonafix_close_range(3, BONAFIX_FIRST_DESCRIPTOR - 1);
    bonafix_close_range(BONAFIX_FIRST_DESCRIPTOR + BONAFIX_DESCRIPTORS, ~0u);
}

/* Behind its descriptor there will be another file, at its start. No function says that to a stream: those that throw away a
 * buffer keep what was read from it, for the case that somebody goes back there. */
static void reset_stream(FILE *stream) {
    __fpurge(stream);
    clearerr(stream);
#ifdef __GLIBC__
    if (stream == stdin)
        stream->_IO_read_base = stream->_IO_read_ptr = stream->_IO_read_end = stream->_IO_buf_base;
    stream->_offset = -1;
#endif
}

static void stop_timers(void) {
    struct itimerval none;
    memset(&none, 0, sizeof none);
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    setitimer(ITIMER_PROF, &none, NULL);
}

static void take_back(void) {
    /* Where nobody tells, all of them may be others. */
    if (!&bonafix_timers_changed || bonafix_timers_changed)
        stop_timers();
    if (&bonafix_timers_changed)
        bonafix_timers_changed = 0;
    for (int signal = 1; signal < 32 && (!&bonafix_signals_changed || bonafix_signals_changed); signal++)
        sigaction(signal, &actions[signal], NULL);
    if (&bonafix_signals_changed)
        bonafix_signals_changed = 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close_files();
    if (fchdir(start_folder) != 0)
        _exit(1);
    umask(creation_mask);
    restore_variables();
    environ = environment;
    for (size_t i = 0; i <= environment_length; i++)
        environment[i] = environment_copy[i];
    reset_stream(stdin);
    reset_stream(stdout);
    reset_stream(stderr);
    /* Zero makes `getopt` begin anew. */
    optind = 0;
    opterr = 1;
    /* Not `srand`, which draws some hundred numbers first. What is left notes down how far it came. */
    initstate(1, no_chance, sizeof no_chance);
    memcpy(chance, chance_at_start, sizeof chance);
    setstate(chance);
}

int bonafix_persist_run(bonafix_main *main, int argc, char **argv) {
    is_spoilt = 0;
    running = getpid();
    errno = 0;
    if (_setjmp(back) == 0)
        code = main(argc, argv, environ);
    running = 0;
    if (!is_clean())
        exit(code);
    fflush(NULL);
    return code & 255;
}

int bonafix_persist_next(void) {
    static int runs;
    take_back();
    return ++runs < RUNS;
}
