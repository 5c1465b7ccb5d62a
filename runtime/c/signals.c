/* Tells whether a run has said what a signal is to do, or when one is to come, so that all 31 and the timers need not be put
 * back behind every run.
 *
 * Only for programs without sanitizers: these have functions of the same names. What asks the system directly, without the
 * C library, is not seen; whether a program can be run many times in one process is found out by comparing, and so is this. */
#define _GNU_SOURCE
#include "serve.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

int bonafix_signals_changed, bonafix_timers_changed;

static void *real(const char *name) {
    bonafix_signals_changed = 1;
    return dlsym(RTLD_NEXT, name);
}

static void *real_timer(const char *name) {
    bonafix_timers_changed = 1;
    return dlsym(RTLD_NEXT, name);
}

__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    union {
        void *data;
        int (*code)(int, const struct sigaction *, struct sigaction *);
    } go = {real("sigaction")};
    return go.code ? go.code(number, action, before) : -1;
}

static sighandler_t as_signal(const char *name, int number, sighandler_t handler) {
    union {
        void *data;
        sighandler_t (*code)(int, sighandler_t);
    } go = {real(name)};
    return go.code ? go.code(number, handler) : SIG_ERR;
}

__attribute__((visibility("default"))) sighandler_t signal(int number, sighandler_t handler) {
    return as_signal("signal", number, handler);
}

__attribute__((visibility("default"))) sighandler_t bsd_signal(int number, sighandler_t handler) {
    return as_signal("bsd_signal", number, handler);
}

__attribute__((visibility("default"))) sighandler_t ssignal(int number, sighandler_t handler) {
    return as_signal("ssignal", number, handler);
}

__attribute__((visibility("default"))) sighandler_t sysv_signal(int number, sighandler_t handler) {
    return as_signal("sysv_signal", number, handler);
}

__attribute__((visibility("default"))) sighandler_t __sysv_signal(int number, sighandler_t handler) {
    return as_signal("__sysv_signal", number, handler);
}

__attribute__((visibility("default"))) sighandler_t sigset(int number, sighandler_t handler) {
    return as_signal("sigset", number, handler);
}

__attribute__((visibility("default"))) int sigignore(int number) {
    union {
        void *data;
        int (*code)(int);
    } go = {real("sigignore")};
    return go.code ? go.code(number) : -1;
}

__attribute__((visibility("default"))) int siginterrupt(int number, int wanted) {
    union {
        void *data;
        int (*code)(int, int);
    } go = {real("siginterrupt")};
    return go.code ? go.code(number, wanted) : -1;
}

__attribute__((visibility("default"))) unsigned alarm(unsigned seconds) {
    union {
        void *data;
        unsigned (*code)(unsigned);
    } go = {real_timer("alarm")};
    return go.code ? go.code(seconds) : 0;
}

__attribute__((visibility("default"))) useconds_t ualarm(useconds_t value, useconds_t interval) {
    union {
        void *data;
        useconds_t (*code)(useconds_t, useconds_t);
    } go = {real_timer("ualarm")};
    return go.code ? go.code(value, interval) : (useconds_t)-1;
}

__attribute__((visibility("default"))) int setitimer(__itimer_which_t which, const struct itimerval *value,
                                                     struct itimerval *before) {
    union {
        void *data;
        int (*code)(__itimer_which_t, const struct itimerval *, struct itimerval *);
    } go = {real_timer("setitimer")};
    return go.code ? go.code(which, value, before) : -1;
}
