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

/* A file that both sides map. */
struct exchange {
    const char *name;
    char *memory;
    size_t size;
};

/* A stream that leads to a file: written by the run, read here. */
struct output {
    const char *name;
    int write, read;
    /* Bytes that the last run left in it. */
    off_t length;
};

static const char *folder;
static uint32_t edges;
static struct exchange inputs = {"inputs", NULL, 0}, results = {"results", NULL, 0};
static struct output outputs[2] = {{"stdout", -1, -1, 0}, {"stderr", -1, -1, 0}};
static int no_input = -1;
/* The file with the input: its name, how it is opened, and how long it is; -1 if that is not known. */
static char input_path[PATH_MAX];
static int input_write = -1, input_read = -1;
static off_t input_length = -1;
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

/* Maps the first `size` bytes of a file that is at least so long, or is made so. */
static int map(struct exchange *exchange, size_t size) {
    struct stat data;
    if (size <= exchange->size)
        return 1;
    if (exchange->memory)
        munmap(exchange->memory, exchange->size);
    exchange->memory = NULL;
    exchange->size = 0;
    int fd = open_own(exchange->name, O_RDWR | O_CREAT);
    void *memory = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &data) == 0 && ((size_t)data.st_size >= size || ftruncate(fd, (off_t)size) == 0))
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
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
    if (!map(&results, sizeof(struct bonafix_progress) + (size > LEAST_RESULTS ? size : LEAST_RESULTS)))
        return 0;
    memset(progress(), 0, sizeof *progress());
    no_input = open_high("/dev/null", O_RDONLY);
    for (int i = 0; i < 2; i++) {
        outputs[i].write = open_own(outputs[i].name, O_WRONLY | O_CREAT | O_TRUNC);
        outputs[i].read = open_own(outputs[i].name, O_RDONLY);
        if (outputs[i].write < 0 || outputs[i].read < 0)
            return 0;
    }
    return no_input >= 0;
}

void bonafix_batch_hide(int hidden) {
    struct exchange *const both[] = {&inputs, &results};
    for (int i = 0; i < 2; i++)
        if (both[i]->memory)
            madvise(both[i]->memory, both[i]->size, hidden ? MADV_DONTFORK : MADV_DOFORK);
}

void bonafix_batch_begin(void) {
    memset(progress(), 0, sizeof *progress());
    progress()->bytes = sizeof(struct bonafix_progress);
    if (was_written)
        bonafix_batch_forget();
    was_written = 0;
}

/* The input's file may be another one, and another process may have printed something. */
void bonafix_batch_forget(void) {
    if (input_write >= 0)
        close(input_write);
    if (input_read >= 0)
        close(input_read);
    input_write = input_read = -1;
    outputs[0].length = outputs[1].length = 1;
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
    progress()->begun++;
    return 1;
}

static int put_input(const struct bonafix_run *run) {
    if (input_write < 0 || strcmp(input_path, run->path) != 0) {
        bonafix_batch_forget();
        if (strlen(run->path) >= sizeof input_path)
            return 0;
        strcpy(input_path, run->path);
        input_write = open_high(input_path, O_WRONLY | O_CREAT);
        input_read = open_high(input_path, O_RDONLY);
        input_length = -1;
    }
    /* Not emptied first: a file on a disk that was emptied and written anew is taken there at once. */
    off_t size = (off_t)run->size, before = input_length;
    input_length = size;
    return input_write >= 0 && input_read >= 0 && pwrite(input_write, run->bytes, run->size, 0) == (ssize_t)size &&
           ((before >= 0 && before <= size) || ftruncate(input_write, size) == 0);
}

/* Whatever an earlier run did to a stream that all share. */
static void rewind_to_start(int fd) {
    lseek(fd, 0, SEEK_SET);
    fcntl(fd, F_SETFL, 0);
}

int bonafix_batch_put(const struct bonafix_run *run) {
    if (!put_input(run))
        return 0;
    if (run->on_stdin)
        rewind_to_start(input_read);
    for (int i = 0; i < 2; i++) {
        rewind_to_start(outputs[i].write);
        if (outputs[i].length > 0)
            ftruncate(outputs[i].write, 0);
        outputs[i].length = 0;
    }
    return 1;
}

void bonafix_batch_connect(const struct bonafix_run *run) {
    dup2(run->on_stdin ? input_read : no_input, 0);
    dup2(outputs[0].write, 1);
    dup2(outputs[1].write, 2);
}

/* ---- What is told of a run ---- */

/* Copies what a run has printed. False if it is too long for that. */
static int copy_output(struct output *output, char *to, uint32_t *length) {
    struct stat data;
    *length = 0;
    output->length = fstat(output->read, &data) == 0 ? data.st_size : 0;
    if (output->length > MOST_OUTPUT)
        return 0;
    ssize_t count = output->length > 0 ? pread(output->read, to, (size_t)output->length, 0) : 0;
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
