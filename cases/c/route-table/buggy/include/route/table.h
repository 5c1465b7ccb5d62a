/* A routing table: which gateway leads to an address. */
#ifndef ROUTE_TABLE_H
#define ROUTE_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "route/prefix.h"

#define GATEWAY_SIZE 32

struct route {
    struct prefix prefix;
    char gateway[GATEWAY_SIZE];
};

struct table {
    struct route *routes;
    size_t count, capacity;
};

/*
 * Reads routes, one a line: PREFIX GATEWAY. Blank lines and those that begin with '#' do not count. A gateway has at
 * most 31 characters and no white space. Returns 0, or the number of the first line that is wrong.
 */
unsigned table_read(struct table *table, FILE *file);

/* The route with the longest prefix that holds the address, the first of several; NULL if there is none. */
const struct route *table_find(const struct table *table, uint32_t address);

void table_clear(struct table *table);

#endif
