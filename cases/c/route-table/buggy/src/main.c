/*
 * routes FILE ADDRESS...: tells for each address which gateway of the routing table in the file leads there, as
 * "ADDRESS via GATEWAY", or "ADDRESS unreachable". A line of the file that is wrong, and an address that is none, is told on
 * standard error, and the exit code is 1.
 */
#include <stdio.h>

#include "route/table.h"

static bool read_table(const char *path, struct table *table)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "routes: the table cannot be read\n");
        return false;
    }
    unsigned wrong = table_read(table, file);
    fclose(file);
    if (wrong != 0)
        fprintf(stderr, "routes: line %u is wrong\n", wrong);
    return wrong == 0;
}

static bool tell(const struct table *table, const char *text)
{
    const char *end = text;
    uint32_t address;
    if (!address_read(&end, &address) || *end != '\0') {
        fprintf(stderr, "routes: %s is no address\n", text);
        return false;
    }
    const struct route *route = table_find(table, address);
    if (route == NULL)
        printf("%s unreachable\n", text);
    else
        printf("%s via %s\n", text, route->gateway);
    return true;
}

int main(int argc, char **argv)
{
    struct table table = { NULL, 0, 0 };
    if (argc < 3) {
        fprintf(stderr, "usage: routes FILE ADDRESS...\n");
        return 2;
    }
    bool good = read_table(argv[1], &table);
    for (int i = 2; i < argc && good; i++)
        good = tell(&table, argv[i]);
    table_clear(&table);
    return good ? 0 : 1;
}
