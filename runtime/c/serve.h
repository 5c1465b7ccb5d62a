/* What the fork server and the rest of the runtime know of each other, and the messages that travel over its pipes.
 *
 * All numbers are in the machine's own order: both ends run on one machine. crates/lang-c/src/serve/wire.rs is the other
 * end. */
#ifndef BONAFIX_SERVE_H
#define BONAFIX_SERVE_H

#include <stddef.h>
#include <stdint.h>

/* The environment variable that names the server's folder. Without it the runtime does nothing at all. */
#define BONAFIX_FOLDER "BONAFIX_SERVE"
/* … and the one that names the home, with the project's tree and the folder for temporary files. */
#define BONAFIX_HOME "BONAFIX_HOME"

/* Said once, before the first run. */
struct bonafix_hello {
    uint32_t magic;
    uint32_t flags;
    /* How many counters the file `counters` has. */
    uint32_t edges;
};
#define BONAFIX_MAGIC 0x31584642u /* "BFX1" */
/* The program has more threads than one, and they would not be there in a copy of it. */
#define BONAFIX_HELLO_THREADS 1u
/* Nobody tells whether files were written: the folders must be looked through after every run. */
#define BONAFIX_HELLO_BLIND 2u

/* One run. Behind it come `length` bytes: the file for standard input, then the arguments from the program's own name on,
 * each with a zero behind it. An empty name stands for no input. */
struct bonafix_request {
    uint32_t length;
    uint32_t arguments;
    /* Of the processor, by all processes of the run, and asleep; and by the clock, whatever it does. */
    uint32_t cpu_millis;
    uint32_t wall_millis;
    uint64_t flags;
    /* Bytes of one file, and of memory; 0 for no limit. */
    uint64_t file_size;
    uint64_t memory;
};
#define BONAFIX_WANT_COMPARISONS 1u
/* In the process of the run before, if there is one. */
#define BONAFIX_WANT_PERSISTENT 2u

/* How it ended. */
struct bonafix_reply {
    uint32_t end;
    int32_t value;
    uint32_t flags;
    uint32_t micros;
};
#define BONAFIX_EXITED 0u
#define BONAFIX_SIGNALLED 1u
#define BONAFIX_TIMED_OUT 2u
/* The system gave no new process. */
#define BONAFIX_NOT_STARTED 3u
/* Files below the watched folders were written, made, moved or removed. */
#define BONAFIX_WROTE 1u
/* Processes are left that the server could not end; it ends itself, and the sandbox with it. */
#define BONAFIX_STRAYS 2u
/* The run was asked to be in the process of the run before, and the program does not allow that. */
#define BONAFIX_COPIED 4u
/* The process that was to go on with the next run has ended. */
#define BONAFIX_ENDED 8u

/* The name of the input and the arguments of one run take at most so many bytes. */
enum { BONAFIX_MOST_TEXT = 1024 * 1024 };
/* So many descriptors from here on are the runtime's. Not higher: the system looks at all below when it closes those of a
 * run, and copies a table of all for each process. */
enum { BONAFIX_FIRST_DESCRIPTOR = 200, BONAFIX_DESCRIPTORS = 8 };

typedef int bonafix_main(int, char **, char **);

/* Of persist.c. */

/* Remembers all that a run is to find. False if that is not possible. */
int bonafix_persist_open(const char *home);
/* Calls `main`; gives the code, or ends the process with it if nothing can run behind it. The process is killed if it takes
 * too long. */
int bonafix_persist_run(bonafix_main *main, int argc, char **argv, uint32_t cpu_millis, uint32_t wall_millis);
/* Takes back what the run did. False if another process should take over. */
int bonafix_persist_next(void);

/* What AddressSanitizer is told of one variable. */
struct bonafix_variable {
    uintptr_t start, size, size_with_zone, name, module, is_dynamic, location, indicator;
};
/* More variables of the program. */
void bonafix_persist_variables(const struct bonafix_variable *first, size_t count);

/* Of coverage.c, where it is linked. */

/* Maps the counters into the server's folder, and tells where each edge leads to; gives how many there are. */
uint32_t bonafix_coverage_open(const char *folder) __attribute__((weak));
/* All counters to zero. */
void bonafix_coverage_reset(int comparisons) __attribute__((weak));

#endif
