/* Batches: one message asks for many runs, so that neither side waits for the other between two of them.
 *
 * The inputs of a batch lie in the file `inputs`, one behind the other, and what is told of its runs comes into the file
 * `results` in the same way. What a run reads and prints goes through files, as it would if the program were started by hand:
 * they are opened once, emptied before each run, and read after it. */
#define _GNU_SOURCE
#include "serve.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* More words than any program is given. */
enum { MOST_ARGUMENTS = 65536 };
/* What a run prints on one stream is told with the batch if it is no longer. */
enum { MOST_OUTPUT = 32 * 1024 };
/* There is room for so many results of programs with few edges, and for some of any. */
enum { LEAST_RESULTS = 1024 * 1024, SOME_RESULTS = 8 };
/* Addresses that are kept for inputs, more than a batch has unless one input alone does. */
enum { USUAL_INPUTS = 8 * 1024 * 1024 };
/* Addresses on both sides where nothing is, so that nobody comes here who runs over the end of something else. */
enum { GUARD = 64 * 1024 };

/* A file that both sides map. */
struct exchange {
    const char *name;
    char *memory;
    size_t size;
    /* Addresses that are its own, whatever its size. */
    char *place;
    size_t room;
};

/* A stream that leads to a file: written by the run, read here. */
struct output {
    const char *name;
    int write, read;
};

static const char *folder;
static uint32_t edges;
static struct exchange inputs = {"inputs", NULL, 0, NULL, 0}, results = {"results", NULL, 0, NULL, 0};
static struct output outputs[2] = {{"stdout", -1, -1}, {"stderr", -1, -1}};
static int no_input = -1;
/* The file with the input: its name, and how it is opened. */
static char input_path[PATH_MAX];
static int input_write = -1, input_read = -1;
/* A run has written files, so that others have looked and put them back since. */
static int was_written;
/* The words of the run that comes next. */
static char text[BONAFIX_MOST_TEXT + 1];
static char *arguments[MOST_ARGUMENTS + 1];

/* Opens a file where a run does not find it. */
static int open_high(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC, 0644);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, BONAFIX_FIRST_DESCRIPTOR);
    if (fd >= 0)
        close(fd);
    return high;
}

static int open_own(const char *name, int flags) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open_high(path, flags);
}

static int open_output(struct output *output) {
    if (output->write >= 0)
        close(output->write);
    if (output->read >= 0)
        close(output->read);
    output->write = open_own(output->name, O_WRONLY | O_CREAT | O_TRUNC);
    output->read = open_own(output->name, O_RDONLY);
    return output->write >= 0 && output->read >= 0;
}

/* Takes addresses for `size` bytes and keeps those on both sides free. NULL if there are none. */
static char *reserve(size_t size) {
    char *range = mmap(NULL, size + 2 * (size_t)GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        return NULL;
    return range + GUARD;
}

/* Maps the first `size` bytes of a file that is at least so long, or is made so. */
static int map(struct exchange *exchange, size_t size) {
    struct stat data;
    if (size <= exchange->size)
        return 1;
    if (size > exchange->room) {
        /* A copy must not have what nobody takes away from it. */
        if (exchange->memory)
            munmap(exchange->memory, exchange->size);
        exchange->memory = NULL;
        exchange->size = 0;
        exchange->place = reserve(size);
        exchange->room = exchange->place ? size : 0;
    }
    int fd = open_own(exchange->name, O_RDWR | O_CREAT);
    void *memory = MAP_FAILED;
    if (exchange->place && fd >= 0 && fstat(fd, &data) == 0 && ((size_t)data.st_size >= size || ftruncate(fd, (off_t)size) == 0))
        memory = mmap(exchange->place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (memory == MAP_FAILED)
        return 0;
    exchange->memory = memory;
    exchange->size = size;
    return 1;
}

static size_t room_of_one(void) {
    return sizeof(struct bonafix_result) + edges + 2u * MOST_OUTPUT + 8u;
}

static struct bonafix_progress *progress(void) {
    return (struct bonafix_progress *)results.memory;
}

int bonafix_batch_open(const char *place, uint32_t edge_count) {
    folder = place;
    edges = edge_count;
    size_t size = SOME_RESULTS * room_of_one();
    inputs.place = reserve(USUAL_INPUTS);
    inputs.room = inputs.place ? USUAL_INPUTS : 0;
    if (!map(&results, sizeof(struct bonafix_progress) + (size > LEAST_RESULTS ? size : LEAST_RESULTS)))
        return 0;
    memset(progress(), 0, sizeof *progress());
    no_input = open_high("/dev/null", O_RDONLY);
    return no_input >= 0 && open_output(&outputs[0]) && open_output(&outputs[1]);
}

void bonafix_batch_leave(void) {
    struct exchange *const both[] = {&inputs, &results};
    /* The addresses stay taken: what the program maps must lie in the same place whatever came before. */
    for (int i = 0; i < 2; i++)
        if (both[i]->memory)
            mmap(both[i]->memory, both[i]->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void bonafix_batch_begin(int was_looked) {
    memset(progress(), 0, sizeof *progress());
    progress()->bytes = sizeof(struct bonafix_progress);
    if (was_written || was_looked)
        bonafix_batch_forget();
    was_written = 0;
}

/* The input's file may be another one. */
void bonafix_batch_forget(void) {
    if (input_write >= 0)
        close(input_write);
    if (input_read >= 0)
        close(input_read);
    input_write = input_read = -1;
}

int bonafix_batch_is_over(const struct bonafix_request *request) {
    const struct bonafix_progress *now = progress();
    return now->stopped || now->finished >= request->runs || now->bytes + room_of_one() > results.size;
}

uint32_t bonafix_batch_finished(void) {
    return progress()->finished;
}

/* ---- The input of a run ---- */

/* Takes the words apart. False if there are others than were told. */
static int split(uint32_t length, uint32_t count) {
    char *next = text, *end = text + length;
    for (uint32_t i = 0; i < count; i++) {
        arguments[i] = next;
        next = memchr(next, 0, (size_t)(end - next));
        if (!next++)
            return 0;
    }
    arguments[count] = NULL;
    return next == end;
}

int bonafix_batch_next(const struct bonafix_request *request, uint64_t *at, struct bonafix_run *run) {
    struct bonafix_input input;
    if (!map(&inputs, (size_t)request->inputs) || *at > request->inputs || request->inputs - *at < sizeof input)
        return 0;
    memcpy(&input, inputs.memory + *at, sizeof input);
    uint64_t left = request->inputs - *at - sizeof input;
    if (input.text > BONAFIX_MOST_TEXT || input.arguments > MOST_ARGUMENTS || input.text > left || input.bytes > left - input.text)
        return 0;
    char *words = inputs.memory + *at + sizeof input;
    memcpy(text, words, input.text);
    /* The first word is the file's name. */
    if (input.arguments == 0 || !split(input.text, input.arguments))
        return 0;
    run->path = arguments[0];
    run->arguments = arguments + 1;
    run->count = (int)input.arguments - 1;
    run->on_stdin = (input.flags & BONAFIX_ON_STDIN) != 0;
    run->bytes = words + input.text;
    run->size = input.bytes;
    /* The next one begins at a multiple of eight. */
    *at += (sizeof input + input.text + input.bytes + 7) & ~7ull;
    progress()->begun = progress()->finished + 1;
    return 1;
}

static int put_input(const struct bonafix_run *run) {
    struct stat data;
    if (input_write < 0 || strcmp(input_path, run->path) != 0) {
        bonafix_batch_forget();
        if (strlen(run->path) >= sizeof input_path)
            return 0;
        strcpy(input_path, run->path);
        input_write = open_high(input_path, O_WRONLY | O_CREAT);
        input_read = open_high(input_path, O_RDONLY);
    }
    if (input_write < 0 || input_read < 0 || pwrite(input_write, run->bytes, run->size, 0) != (ssize_t)run->size)
        return 0;
    /* Not emptied first: a file on a disk that was emptied and written anew is taken there at once. */
    return fstat(input_write, &data) == 0 && (data.st_size == (off_t)run->size || ftruncate(input_write, (off_t)run->size) == 0);
}

/* Whatever an earlier run did to a stream that all share. */
static void rewind_to_start(int fd) {
    lseek(fd, 0, SEEK_SET);
    fcntl(fd, F_SETFL, 0);
}

/* Makes a stream's file empty, and another one where a run has taken it away. */
static int empty(struct output *output) {
    struct stat data;
    if (fstat(output->write, &data) != 0 || data.st_nlink == 0)
        return open_output(output);
    rewind_to_start(output->write);
    return data.st_size == 0 || ftruncate(output->write, 0) == 0;
}

int bonafix_batch_put(const struct bonafix_run *run) {
    if (!put_input(run) || !empty(&outputs[0]) || !empty(&outputs[1]))
        return 0;
    if (run->on_stdin)
        rewind_to_start(input_read);
    return 1;
}

void bonafix_batch_connect(const struct bonafix_run *run) {
    dup2(run->on_stdin ? input_read : no_input, 0);
    dup2(outputs[0].write, 1);
    dup2(outputs[1].write, 2);
}

/* ---- What is told of a run ---- */

/* Copies what a run has printed. False if it is too long for that. */
static int copy_output(const struct output *output, char *to, uint32_t *length) {
    struct stat data;
    *length = 0;
    off_t size = fstat(output->read, &data) == 0 ? data.st_size : 0;
    if (size > MOST_OUTPUT)
        return 0;
    ssize_t count = size > 0 ? pread(output->read, to, (size_t)size, 0) : 0;
    *length = count > 0 ? (uint32_t)count : 0;
    return 1;
}

void bonafix_batch_tell(uint32_t end, int32_t value, uint32_t flags) {
    struct bonafix_progress *now = progress();
    struct bonafix_result result = {end, value, flags, 0, {0, 0}};
    char *next = results.memory + now->bytes + sizeof result;
    for (int i = 0; i < 2; i++) {
        if (!copy_output(&outputs[i], next, &result.printed[i]))
            result.flags |= BONAFIX_LONG;
        next += result.printed[i];
    }
    if (edges)
        memcpy(next, bonafix_coverage_counters(), edges);
    result.edges = edges;
    memcpy(results.memory + now->bytes, &result, sizeof result);
    now->bytes += (sizeof result + result.printed[0] + result.printed[1] + edges + 7) & ~7ull;
    now->finished++;
    was_written |= (flags & BONAFIX_WROTE) != 0;
    /* Files are looked at before the next run, and nobody waits for many that hang. */
    now->stopped = (result.flags & (BONAFIX_LONG | BONAFIX_WROTE | BONAFIX_STRAYS)) != 0 || end == BONAFIX_TIMED_OUT;
}

struct bonafix_reply bonafix_batch_reply(void) {
    struct bonafix_reply reply = {progress()->finished, 0, progress()->bytes};
    return reply;
}
