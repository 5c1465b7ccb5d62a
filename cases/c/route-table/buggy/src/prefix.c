#include "route/prefix.h"

static uint32_t mask(unsigned length)
{
    return UINT32_MAX << (32 - length);
}

/* Reads a number from 0 to most, without leading zeros. */
static bool read_number(const char **text, unsigned most, unsigned *number)
{
    const char *at = *text;
    if (*at < '0' || *at > '9' || (at[0] == '0' && at[1] >= '0' && at[1] <= '9'))
        return false;
    *number = 0;
    while (*at >= '0' && *at <= '9') {
        *number = 10 * *number + (unsigned)(*at++ - '0');
        if (*number > most)
            return false;
    }
    *text = at;
    return true;
}

bool address_read(const char **text, uint32_t *address)
{
    *address = 0;
    for (int i = 0; i < 4; i++) {
        unsigned byte;
        if (i > 0 && *(*text)++ != '.')
            return false;
        if (!read_number(text, 255, &byte))
            return false;
        *address = *address << 8 | byte;
    }
    return true;
}

bool prefix_read(const char **text, struct prefix *prefix)
{
    if (!address_read(text, &prefix->address) || **text != '/')
        return false;
    ++*text;
    if (!read_number(text, 32, &prefix->length))
        return false;
    return (prefix->address & ~mask(prefix->length)) == 0;
}

bool prefix_holds(const struct prefix *prefix, uint32_t address)
{
    return (address & mask(prefix->length)) == prefix->address;
}
