#include "archive.h"

#include <string.h>

#include "field.h"

#define MAGIC "!<arch>\n"
#define MAGIC_LENGTH 8
#define HEADER_LENGTH 60

int archive_open(struct archive *archive, const unsigned char *bytes, size_t length)
{
    archive->bytes = bytes;
    archive->length = length;
    archive->offset = MAGIC_LENGTH;
    archive->error = NULL;
    return length >= MAGIC_LENGTH && memcmp(bytes, MAGIC, MAGIC_LENGTH) == 0;
}

static int fail(struct archive *archive, const char *error)
{
    archive->error = error;
    return -1;
}

int archive_next(struct archive *archive, struct member *member)
{
    if (archive->offset >= archive->length)
        return 0;
    const unsigned char *header = archive->bytes + archive->offset;
    size_t left = archive->length - archive->offset;
    unsigned long size;
    if (left < HEADER_LENGTH)
        return fail(archive, "truncated header");
    if (header[58] != '`' || header[59] != '\n')
        return fail(archive, "bad header");
    field_name(header, member->name);
    if (!field_number(header + 40, 8, 8, &member->mode))
        return fail(archive, "bad mode");
    if (!field_number(header + 48, 10, 10, &size))
        return fail(archive, "bad size");
    if (size > left - HEADER_LENGTH)
        return fail(archive, "truncated member");
    member->size = size;
    member->data = header + HEADER_LENGTH;
    archive->offset += HEADER_LENGTH + size;
    return 1;
}
