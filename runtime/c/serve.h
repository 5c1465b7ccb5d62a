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
#define BONAFIX_MAGIC 0x32584642u /* "BFX2" */
/* The program has more threads than one, and they would not be there in a copy of it. */
#define BONAFIX_HELLO_THREADS 1u
/* Nobody tells whether files were written: the folders must be looked through after every run. */
#define BONAFIX_HELLO_BLIND 2u

/* A batch of runs, one after the other. Their inputs lie in the file `inputs`, which is at least so long. */
struct bonafix_request {
    uint32_t runs;
    uint32_t flags;
    /* Of the processor, by all processes of the run, and asleep; and by the clock, whatever it does. */
    uint32_t cpu_millis;
    uint32_t wall_millis;
    /* Bytes of all inputs. */
    uint64_t inputs;
    /* Bytes of one file, and of memory; 0 for no limit. */
    uint64_t file_size;
    uint64_t memory;
};
#define BONAFIX_WANT_COMPARISONS 1u
/* In the process of the run before, if there is one. */
#define BONAFIX_WANT_PERSISTENT 2u

/* One input. Behind it come `text` bytes: the file for its bytes, then the arguments from the program's own name on, each
 * with a zero behind it; then the bytes. The next input begins at a multiple of eight. */
struct bonafix_input {
    uint32_t text;
    /* With the file. */
    uint32_t arguments;
    uint64_t bytes;
    uint32_t flags;
    uint32_t nothing;
};
/* The program reads it from its standard input; else that is empty. */
#define BONAFIX_ON_STDIN 1u

/* At the start of the file `results`; behind it one result for each run that is finished. */
struct bonafix_progress {
    uint32_t begun;
    uint32_t finished;
    /* No further run of this batch. */
    uint32_t stopped;
    uint32_t nothing;
    /* With this. */
    uint64_t bytes;
};

/* How a run ended. Behind it comes what it printed on both streams, and a counter for each edge. The next result begins at a
 * multiple of eight. */
struct bonafix_result {
    uint32_t end;
    int32_t value;
    uint32_t flags;
    uint32_t edges;
    /* Bytes on standard output and on standard error. */
    uint32_t printed[2];
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
/* What it printed on one of the streams is too long to be told here: it lies in the stream's file. */
#define BONAFIX_LONG 16u

/* Said when a batch is over: the first so many of its runs are finished. */
struct bonafix_reply {
    uint32_t runs;
    uint32_t nothing;
    /* Of the file `results`. */
    uint64_t bytes;
};

/* The name of the input and the arguments of one run take at most so many bytes. */
enum { BONAFIX_MOST_TEXT = 1024 * 1024 };
/* So many descriptors from here on are the runtime's. Not higher: the system looks at all below when it closes those of a
 * run, and copies a table of all for each process. */
enum { BONAFIX_FIRST_DESCRIPTOR = 64, BONAFIX_DESCRIPTORS = 16 };

typedef int bonafix_main(int, char **, char **);

/* What a run is given. */
struct bonafix_run {
    const char *path;
    char **arguments;
    int count;
    int on_stdin;
    const char *bytes;
    size_t size;
};

/* Of batch.c. */

/* Makes and opens the files in the server's folder. */
int bonafix_batch_open(const char *folder, uint32_t edges);
/* Takes what is exchanged away from this process, which is to be the program alone. */
void bonafix_batch_leave(void);
/* A new batch has come; `was_looked` if others may have put files back since the one before. */
void bonafix_batch_begin(int was_looked);
/* The file with the input will be opened anew. */
void bonafix_batch_forget(void);
int bonafix_batch_is_over(const struct bonafix_request *request);
uint32_t bonafix_batch_finished(void);
/* The run that begins at `*at` among the inputs, which is moved to the next one. False if there is none. */
int bonafix_batch_next(const struct bonafix_request *request, uint64_t *at, struct bonafix_run *run);
/* Writes the input and empties the streams. */
int bonafix_batch_put(const struct bonafix_run *run);
/* Gives the streams to this process. */
void bonafix_batch_connect(const struct bonafix_run *run);
/* The run that began last is finished. */
void bonafix_batch_tell(uint32_t end, int32_t value, uint32_t flags);
struct bonafix_reply bonafix_batch_reply(void);

/* Of persist.c. */

/* Remembers all that a run is to find. False if that is not possible. */
int bonafix_persist_open(const char *home);
/* Calls `main`; gives the code, or ends the process with it if nothing can run behind it. */
int bonafix_persist_run(bonafix_main *main, int argc, char **argv);
/* Takes back what the run did. False if another process should take over. */
int bonafix_persist_next(void);
/* Closes all descriptors from the first to the last one. */
void bonafix_close_range(unsigned first, unsigned last);

/* What AddressSanitizer is told of one variable. */
struct bonafix_variable {
    uintptr_t start, size, size_with_zone, name, module, is_dynamic, location, indicator;
};
/* More variables of the program. */
void bonafix_persist_variables(const struct bonafix_variable *first, size_t count);

/* Of signals.c, where it is linked: something was said about what a signal is to do, or about when one is to come. */
extern int bonafix_signals_changed __attribute__((weak));
extern int bonafix_timers_changed __attribute__((weak));

/* Of coverage.c, where it is linked. */

/* Maps the counters into the server's folder, and tells where each edge leads to; gives how many there are. */
uint32_t bonafix_coverage_open(const char *folder) __attribute__((weak));
/* All counters to zero. */
void bonafix_coverage_reset(int comparisons) __attribute__((weak));
/* The counter of the first edge. */
const uint8_t *bonafix_coverage_counters(void) __attribute__((weak));

#endif
