#include "route/table.h"

#include <stdlib.h>
#include <string.h>

static struct route *add(struct table *table)
{
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 16;
        table->routes = realloc(table->routes, table->capacity * sizeof *table->routes);
        if (table->routes == NULL)
            abort();
    }
    return &table->routes[table->count++];
}

static bool read_line(struct table *table, const char *line)
{
    struct prefix prefix;
    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#')
        return true;
    if (!prefix_read(&line, &prefix) || (*line != ' ' && *line != '\t'))
        return false;
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t");
    if (length == 0 || length >= GATEWAY_SIZE || line[length + strspn(line + length, " \t")] != '\0')
        return false;
    struct route *route = add(table);
    route->prefix = prefix;
    memcpy(route->gateway, line, length);
    route->gateway[length] = '\0';
    return true;
}

unsigned table_read(struct table *table, FILE *file)
{
    char line[256];
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!read_line(table, line))
            return number;
    }
    return 0;
}

const struct route *table_find(const struct table *table, uint32_t address)
{
    const struct route *best = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct route *route = &table->routes[i];
        if (!prefix_holds(&route->prefix, address))
            continue;
        if (best == NULL || route->prefix.length > best->prefix.length)
            best = route;
    }
    return best;
}

void table_clear(struct table *table)
{
    free(table->routes);
    table->routes = NULL;
    table->count = table->capacity = 0;
}
