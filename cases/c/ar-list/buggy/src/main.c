/*
 * arlist FILE: lists the members of an ar archive, one a line: mode, size, checksum, name; then how many there are and
 * how many bytes they have. The checksum is the sum of all bytes modulo 65536. What is wrong with an archive is told behind
 * the members in front of it, and the exit code is 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "archive.h"

static unsigned checksum(const struct member *member)
{
    unsigned sum = 0;
    for (size_t i = 0; i < member->size; i++)
        sum = (sum + member->data[i]) % 65536;
    return sum;
}

/* The whole file, in as much memory as it needs. */
static unsigned char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long end = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(end > 0 ? (size_t)end : 1);
    if (end < 0 || bytes == NULL)
        return NULL;
    *length = fread(bytes, 1, (size_t)end, file);
    fclose(file);
    return bytes;
}

static int list(struct archive *archive)
{
    struct member member;
    size_t count = 0, bytes = 0;
    int found;
    while ((found = archive_next(archive, &member)) > 0) {
        printf("%6lo %8zu %5u %s\n", member.mode, member.size, checksum(&member), member.name);
        count++;
        bytes += member.size;
    }
    if (found < 0) {
        printf("error: %s\n", archive->error);
        return 1;
    }
    printf("%zu members, %zu bytes\n", count, bytes);
    return 0;
}

int main(int argc, char **argv)
{
    size_t length = 0;
    unsigned char *bytes = argc == 2 ? read_file(argv[1], &length) : NULL;
    struct archive archive;
    if (bytes == NULL) {
        fprintf(stderr, "usage: arlist FILE\n");
        return 2;
    }
    int status = 1;
    if (archive_open(&archive, bytes, length))
        status = list(&archive);
    else
        printf("error: no archive\n");
    free(bytes);
    return status;
}
