/* IPv4 addresses and prefixes. */
#ifndef ROUTE_PREFIX_H
#define ROUTE_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

/* All addresses whose first bits, as many as the length says (0 to 32), are those of this one. */
struct prefix {
    uint32_t address;
    unsigned length;
};

/* Reads four numbers from 0 to 255, divided by dots; the first character behind them is left in the text. */
bool address_read(const char **text, uint32_t *address);

/* Reads "ADDRESS/LENGTH". Bits behind the length must be 0. */
bool prefix_read(const char **text, struct prefix *prefix);

/* Does the prefix hold this address? */
bool prefix_holds(const struct prefix *prefix, uint32_t address);

#endif
