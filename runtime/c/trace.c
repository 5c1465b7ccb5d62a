/* Writes down which blocks of a program run, in order, and when functions end: the program's path.
 *
 * Linked into programs of the variant `trace`, in which clang's SanitizerCoverage calls for every basic block and
 * `-finstrument-functions` for every function. Every process writes a file of its own into one folder, numbered in the order in
 * which they start: a script may start several programs, and a program may copy itself. The files are mapped and grow as they are
 * filled, so that a process which is killed leaves what it has done. README.md describes them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Without these the runtime does nothing at all: the folder, and how many events a process may write down. */
#define FOLDER "BONAFIX_TRACE"
#define BOUND "BONAFIX_TRACE_EVENTS"

#define MAGIC 0x31544642u /* "BFT1" */
/* More events came than may be written down. */
#define CUT 1u
/* Another thread ran too; what it did is not here. */
#define THREADS 2u

/* Events that are no numbers of blocks. */
#define ENTER 0xfffffffeu
#define LEAVE 0xffffffffu

enum { HEADER_SIZE = 4096, WINDOW = 65536, MOST_PROCESSES = 1000 };

struct header {
    uint32_t magic;
    uint32_t flags;
    /* Number of the process that wrote the places of the blocks: this one, or the one that it is a copy of. */
    uint32_t places;
    uint32_t unused;
    uint64_t events;
};

static char folder[PATH_MAX];
static uint64_t bound;
static uint32_t number;
static struct header *header;
static uint32_t *window, *next, *end;
/* Blocks that have a number. */
static uint32_t blocks;
/* The places of the blocks are written down by the process that this one is a copy of. */
static int is_copy;
static int was_asked;
/* Whether this is the thread that is written down. */
static __thread int is_mine;

/* ---- Files ---- */

static int open_own(const char *kind, int flags) {
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s-%u", folder, kind, number);
    return open(path, flags | O_CLOEXEC, 0600);
}

static void stop(void) {
    if (header)
        header->flags |= CUT;
    next = end = NULL;
    is_mine = 0;
    if (header)
        munmap(header, HEADER_SIZE);
    header = NULL;
}

/* Maps the next part of the file. It is opened again each time: programs close descriptors that they do not know. */
static int grow(void) {
    uint64_t done = header->events;
    int fd = done < bound ? open_own("trace", O_RDWR) : -1;
    off_t from = HEADER_SIZE + (off_t)(done * sizeof *next);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, from + WINDOW * (off_t)sizeof *next) == 0)
        memory = mmap(NULL, WINDOW * sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
    if (fd >= 0)
        close(fd);
    if (window)
        munmap(window, WINDOW * sizeof *next);
    window = NULL;
    if (memory == MAP_FAILED) {
        stop();
        return 0;
    }
    window = next = memory;
    end = window + (bound - done < WINDOW ? bound - done : WINDOW);
    return 1;
}

/* Begins a file for this process. */
static void begin(uint32_t places) {
    int fd = -1;
    for (number = 0; fd < 0 && number < MOST_PROCESSES; number++)
        fd = open_own("trace", O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0) {
        /* Its name says that processes are missing. */
        int full = open_own("trace", O_RDWR | O_CREAT);
        if (full >= 0)
            close(full);
        return;
    }
    number--;
    void *memory = MAP_FAILED;
    if (ftruncate(fd, HEADER_SIZE) == 0)
        memory = mmap(NULL, HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
        return;
    header = memory;
    header->magic = MAGIC;
    header->places = is_copy ? places : number;
    is_mine = 1;
    grow();
}

static void in_copy(void) {
    if (!header)
        return;
    uint32_t places = header->places;
    munmap(header, HEADER_SIZE);
    if (window)
        munmap(window, WINDOW * sizeof *next);
    header = NULL;
    window = next = end = NULL;
    is_copy = 1;
    is_mine = 0;
    begin(places);
}

static void open_once(void) {
    if (was_asked)
        return;
    was_asked = 1;
    const char *place = getenv(FOLDER), *most = getenv(BOUND);
    if (!place || !*place || strlen(place) >= sizeof folder || !most)
        return;
    strcpy(folder, place);
    bound = strtoull(most, NULL, 10);
    begin(0);
    if (header)
        pthread_atfork(NULL, NULL, in_copy);
}

/* ---- Called by the constructors of instrumented code ---- */

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop_at) {
    open_once();
    if (!header || is_copy || start == stop_at || *start)
        return;
    for (uint32_t *guard = start; guard < stop_at; guard++)
        *guard = ++blocks;
}

struct place {
    uintptr_t address, bias;
    char name[PATH_MAX];
};

static int holds(struct dl_phdr_info *loaded, size_t size, void *wanted) {
    struct place *place = wanted;
    (void)size;
    for (int i = 0; i < loaded->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &loaded->dlpi_phdr[i];
        uintptr_t start = loaded->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || place->address < start || place->address - start >= part->p_memsz)
            continue;
        place->bias = loaded->dlpi_addr;
        const char *name = loaded->dlpi_name;
        /* The program itself has no name here. */
        if (!name || !*name)
            name = (const char *)getauxval(AT_EXECFN);
        if (!name || !realpath(name, place->name))
            place->name[0] = 0;
        return 1;
    }
    return 0;
}

/* Writes down where the blocks of a module are: its file, then an address in it for each of them, with a mark before those that
 * a function begins with. */
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop_at) {
    static const uintptr_t *known[256];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (known[i] == start)
            return;
    if (!header || is_copy || start == stop_at || count == sizeof known / sizeof *known)
        return;
    known[count++] = start;
    int fd = open_own("places", O_WRONLY | O_CREAT | O_APPEND);
    FILE *file = fd >= 0 ? fdopen(fd, "a") : NULL;
    if (!file)
        return;
    struct place place = {start[0], 0, ""};
    dl_iterate_phdr(holds, &place);
    fprintf(file, "=%s\n", place.name);
    for (const uintptr_t *entry = start; entry < stop_at; entry += 2)
        fprintf(file, "%s%lx\n", entry[1] & 1 ? "*" : "", (unsigned long)(entry[0] - place.bias));
    fclose(file);
}

/* ---- Called by instrumented code ---- */

static void add(uint32_t event) {
    if (!is_mine) {
        if (header)
            header->flags |= THREADS;
        return;
    }
    if (next == end && !grow())
        return;
    *next++ = event;
    header->events++;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    if (*guard)
        add(*guard);
}

void __cyg_profile_func_enter(void *function, void *caller) {
    (void)function, (void)caller;
    add(ENTER);
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function, (void)caller;
    add(LEAVE);
}
