/*
 * Reading of ar archives: "!<arch>\n", then members. A member is a header of 60 bytes and as many bytes as the header
 * says. Each member begins at an even offset: behind a member of odd length stands one byte that does not count, whatever
 * it is. The last member may lack it.
 */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stddef.h>

struct archive {
    const unsigned char *bytes;
    size_t length;
    /* Where the next member begins. */
    size_t offset;
    /* What is wrong, after an error. */
    const char *error;
};

struct member {
    char name[17];
    unsigned long mode;
    size_t size;
    const unsigned char *data;
};

/* Begins with the first member; 0 if these bytes are no archive. */
int archive_open(struct archive *archive, const unsigned char *bytes, size_t length);

/* Reads the next member: 1, or 0 at the end, or -1 if there is an error. */
int archive_next(struct archive *archive, struct member *member);

#endif
