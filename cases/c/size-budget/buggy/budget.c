/*
 * budget LIMIT: works out how much memory a plan needs. Reads items from standard input, one a line,
 *
 *     COUNT SIZE NAME
 *
 * prints "NAME TOTAL" for each, then "sum TOTAL" and whether that is within the limit. All numbers are whole and fit
 * into 32 bits, as the device that the plan is for has no others. Blank lines and what follows a '#' do not count.
 *
 * A line that is not understood, and an item or a sum that does not fit into 32 bits, is told on standard error with the
 * number of its line, and ends the program with exit code 1. A plan that is over the limit ends with exit code 3.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plan {
    uint32_t sum;
    unsigned line;
};

static bool fail(const struct plan *plan, const char *what)
{
    fprintf(stderr, "line %u: %s\n", plan->line, what);
    return false;
}

/* Reads a number of 32 bits and moves on to the first character behind it. */
static bool read_number(char **text, uint32_t *number)
{
    char *end;
    *text += strspn(*text, " \t");
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(*text, &end, 10);
    if (errno != 0 || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    *text = end;
    return true;
}

/* Adds two numbers; false if the sum does not fit. */
static bool add(uint32_t a, uint32_t b, uint32_t *sum)
{
    *sum = a + b;
    return *sum >= a;
}

/* Multiplies two numbers; false if the product does not fit. */
static bool multiply(uint32_t a, uint32_t b, uint32_t *product)
{
    *product = a * b;
    return b == 0 || *product >= a;
}

/* Reads one line and adds its item to the plan. */
static bool read_line(struct plan *plan, char *line)
{
    uint32_t count, size, total;
    line[strcspn(line, "#\r\n")] = '\0';
    line += strspn(line, " \t");
    if (*line == '\0')
        return true;
    if (!read_number(&line, &count) || !read_number(&line, &size))
        return fail(plan, "no count and size");
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t");
    if (length == 0 || line[length + strspn(line + length, " \t")] != '\0')
        return fail(plan, "no name, or more than one");
    line[length] = '\0';
    if (!multiply(count, size, &total))
        return fail(plan, "the item does not fit into 32 bits");
    printf("%s %" PRIu32 "\n", line, total);
    if (!add(plan->sum, total, &plan->sum))
        return fail(plan, "the sum does not fit into 32 bits");
    return true;
}

static bool read_plan(struct plan *plan)
{
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    while (good && getline(&line, &capacity, stdin) > 0) {
        plan->line++;
        good = read_line(plan, line);
    }
    free(line);
    return good;
}

int main(int argc, char **argv)
{
    struct plan plan = { 0, 0 };
    uint32_t limit;
    char *argument = argc == 2 ? argv[1] : NULL;
    if (argument == NULL || !read_number(&argument, &limit) || *argument != '\0') {
        fprintf(stderr, "usage: budget LIMIT\n");
        return 2;
    }
    if (!read_plan(&plan))
        return 1;
    bool within = plan.sum <= limit;
    printf("sum %" PRIu32 ", %s\n", plan.sum, within ? "within the limit" : "over the limit");
    return within ? 0 : 3;
}
