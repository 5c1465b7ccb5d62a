/* What clang's SanitizerCoverage calls: counters of edges, and numbers that were compared.
 *
 * Every edge has a guard, a number by which its counter is found. The guards stay zero until the fork server is ready, and
 * counter zero belongs to nobody: edges of constructors, and of libraries that a run itself loads, are not counted. */
#define _GNU_SOURCE
#include "serve.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A program with its libraries. More are not counted. */
enum { MOST_MODULES = 256 };
/* Slots for pairs of compared numbers; a power of two. */
enum { SLOTS = 4096, PROBES = 8 };

struct module {
    uint32_t *guards, *guards_end;
    const uintptr_t *places, *places_end;
};

struct pair {
    uint64_t one, other;
};

static struct module modules[MOST_MODULES];
static size_t module_count;
static uint8_t nobodys_counter;
static uint8_t *counters = &nobodys_counter;
static uint32_t edges;
static struct pair *pairs;
static int wants_pairs;

/* ---- Called by the constructors of instrumented code ---- */

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *end) {
    /* A module calls once for each of its files, always with the same range. */
    for (size_t i = 0; i < module_count; i++)
        if (modules[i].guards == start)
            return;
    if (start == end || module_count == MOST_MODULES || edges)
        return;
    modules[module_count].guards = start;
    modules[module_count++].guards_end = end;
}

void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *end) {
    /* Guards and places of a module are told of one after the other. */
    for (size_t i = 0; i < module_count; i++)
        if (modules[i].places == start)
            return;
    if (module_count > 0 && !modules[module_count - 1].places) {
        modules[module_count - 1].places = start;
        modules[module_count - 1].places_end = end;
    }
}

/* The linker puts this in the way of a function of AddressSanitizer (`--wrap`), which each file tells of its variables. */
void __real___asan_register_globals(struct bonafix_variable *first, uintptr_t count) __attribute__((weak));
void __wrap___asan_register_globals(struct bonafix_variable *first, uintptr_t count) {
    bonafix_persist_variables(first, count);
    if (__real___asan_register_globals)
        __real___asan_register_globals(first, count);
}

/* ---- Called by the fork server ---- */

struct place {
    uintptr_t address, bias;
    const char *name;
};

static int holds(struct dl_phdr_info *loaded, size_t size, void *wanted) {
    struct place *place = wanted;
    (void)size;
    for (int i = 0; i < loaded->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &loaded->dlpi_phdr[i];
        uintptr_t start = loaded->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && place->address >= start && place->address - start < part->p_memsz) {
            place->bias = loaded->dlpi_addr;
            place->name = loaded->dlpi_name;
            return 1;
        }
    }
    return 0;
}

/* Writes where each edge leads to: a line `=file` for each module (nothing behind it for the program itself), then an address
 * in that file for each edge. */
static void write_places(const char *folder) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/places", folder);
    FILE *file = fopen(path, "we");
    if (!file)
        return;
    for (size_t i = 0; i < module_count; i++) {
        const struct module *module = &modules[i];
        size_t guards = (size_t)(module->guards_end - module->guards);
        /* Two words for each: the address, and whether it is a function's first. */
        int known = module->places && (size_t)(module->places_end - module->places) == 2 * guards;
        struct place place = {known ? module->places[0] : 0, 0, ""};
        known = known && dl_iterate_phdr(holds, &place);
        fprintf(file, "=%s\n", place.name);
        for (size_t guard = 0; guard < guards; guard++)
            fprintf(file, "%lx\n", known ? (unsigned long)(module->places[2 * guard] - place.bias) : 0ul);
    }
    fclose(file);
}

static void *map(const char *folder, const char *name, size_t size) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

uint32_t bonafix_coverage_open(const char *folder) {
    uint32_t count = 0;
    for (size_t i = 0; i < module_count; i++)
        count += (uint32_t)(modules[i].guards_end - modules[i].guards);
    uint8_t *mapped = count ? map(folder, "counters", (size_t)count + 1) : NULL;
    if (!mapped)
        return 0;
    pairs = map(folder, "comparisons", SLOTS * sizeof *pairs);
    write_places(folder);
    counters = mapped;
    for (size_t i = 0; i < module_count; i++)
        for (uint32_t *guard = modules[i].guards; guard < modules[i].guards_end; guard++)
            *guard = ++edges;
    return edges;
}

void bonafix_coverage_reset(int comparisons) {
    if (edges)
        memset(counters, 0, (size_t)edges + 1);
    wants_pairs = comparisons && pairs;
    if (wants_pairs)
        memset(pairs, 0, SLOTS * sizeof *pairs);
}

const uint8_t *bonafix_coverage_counters(void) {
    return counters + 1;
}

/* ---- Called by instrumented code ---- */

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    uint8_t *counter = &counters[*guard];
    *counter = (uint8_t)(*counter + (*counter != 255));
}

/* Keeps a pair that is not kept yet. The order in which pairs come does not matter much for where they lie, so a loop cannot
 * drive all others out. */
static void compare(uint64_t one, uint64_t other) {
    if (!wants_pairs || one == other)
        return;
    uint64_t place = (one * 0x9e3779b97f4a7c15u) ^ (other * 0xc2b2ae3d27d4eb4fu);
    place ^= place >> 32;
    for (unsigned probe = 0; probe < PROBES; probe++) {
        struct pair *pair = &pairs[(place + probe) & (SLOTS - 1)];
        if (pair->one == pair->other) {
            pair->one = one;
            pair->other = other;
            return;
        }
        if (pair->one == one && pair->other == other)
            return;
    }
}

void __sanitizer_cov_trace_cmp1(uint8_t one, uint8_t other) { compare(one, other); }
void __sanitizer_cov_trace_cmp2(uint16_t one, uint16_t other) { compare(one, other); }
void __sanitizer_cov_trace_cmp4(uint32_t one, uint32_t other) { compare(one, other); }
void __sanitizer_cov_trace_cmp8(uint64_t one, uint64_t other) { compare(one, other); }
void __sanitizer_cov_trace_const_cmp1(uint8_t one, uint8_t other) { compare(one, other); }
void __sanitizer_cov_trace_const_cmp2(uint16_t one, uint16_t other) { compare(one, other); }
void __sanitizer_cov_trace_const_cmp4(uint32_t one, uint32_t other) { compare(one, other); }
void __sanitizer_cov_trace_const_cmp8(uint64_t one, uint64_t other) { compare(one, other); }

/* `cases`: how many, their width in bits, then the numbers. */
void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases) {
    for (uint64_t i = 0; wants_pairs && i < cases[0]; i++)
        compare(cases[2 + i], value);
}
