/*
 * untab [-i] [-t STOPS]: copies standard input to standard output with blanks in place of tabs.
 *
 * STOPS is one number, the distance of the tab stops (8 if it is not given), or an ascending list of columns divided
 * by commas; behind the last column of a list a tab is one blank. A tab always moves on by at least one column.
 * With -i only the tabs in front of the first other character of a line are changed. A backspace moves back by one
 * column. Distances and columns are from 1 to 500.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STOPS_MOST 32
#define COLUMN_MOST 500

struct stops {
    unsigned distance;
    unsigned list[STOPS_MOST];
    size_t count;
};

/* Reads the argument of -t. */
static bool read_stops(const char *text, struct stops *stops)
{
    stops->count = 0;
    for (;;) {
        char *end;
        unsigned long column = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
        if (column == 0 || column > COLUMN_MOST || stops->count == STOPS_MOST)
            return false;
        if (stops->count > 0 && column <= stops->list[stops->count - 1])
            return false;
        stops->list[stops->count++] = (unsigned)column;
        if (*end == '\0')
            break;
        if (*end != ',')
            return false;
        text = end + 1;
    }
    if (stops->count == 1) {
        stops->distance = stops->list[0];
        stops->count = 0;
    }
    return true;
}

/* How many blanks a tab at this column is. */
static unsigned blanks(const struct stops *stops, unsigned column)
{
    if (stops->count == 0)
        return (stops->distance - column % stops->distance) % stops->distance;
    for (size_t i = 0; i < stops->count; i++)
        if (stops->list[i] > column)
            return stops->list[i] - column;
    return 1;
}

static unsigned put_blanks(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        putchar(' ');
    return count;
}

static void copy(const struct stops *stops, bool only_initial)
{
    unsigned column = 0;
    bool initial = true;
    int c;
    while ((c = getchar()) != EOF) {
        if (c == '\t' && (initial || !only_initial)) {
            column += put_blanks(blanks(stops, column));
            continue;
        }
        putchar(c);
        if (c == '\n') {
            column = 0;
            initial = true;
        } else if (c == '\b') {
            column -= column > 0;
        } else {
            column++;
            initial = initial && c == ' ';
        }
    }
}

int main(int argc, char **argv)
{
    struct stops stops = { 8, { 0 }, 0 };
    bool only_initial = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-i") == 0) {
            only_initial = true;
        } else if (strcmp(argv[i], "-t") != 0 || i + 1 == argc || !read_stops(argv[++i], &stops)) {
            fprintf(stderr, "usage: untab [-i] [-t STOPS]\n");
            return 2;
        }
    }
    copy(&stops, only_initial);
    return ferror(stdin) || fflush(stdout) != 0 ? 1 : 0;
}
