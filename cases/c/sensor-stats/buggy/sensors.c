/*
 * sensors: sums up measurements on standard input, one a line: NAME VALUE. Prints for each sensor, in the order in which
 * they came first,
 *
 *     NAME count N min A max B mean M
 *
 * Values are whole numbers from -1000000 to 1000000, names have no white space and any length. Blank lines and lines that
 * begin with '#' do not count. Lines that are neither are counted and told at the end as "ignored N lines".
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MOST 1000000

struct sensor {
    char *name;
    long count;
    long sum;
    long min;
    long max;
    struct sensor *next;
};

struct table {
    struct sensor *first;
    struct sensor **end;
    long ignored;
};

static struct sensor *find(const struct table *table, const char *name, size_t length)
{
    for (struct sensor *sensor = table->first; sensor != NULL; sensor = sensor->next)
        if (strlen(sensor->name) == length && memcmp(sensor->name, name, length) == 0)
            return sensor;
    return NULL;
}

/* A sensor that has not measured anything but this value, which is still to be recorded. */
static struct sensor *add(struct table *table, const char *name, size_t length, long value)
{
    struct sensor *sensor = malloc(sizeof *sensor);
    char *copy = malloc(length + 1);
    if (sensor == NULL || copy == NULL)
        abort();
    memcpy(copy, name, length);
    copy[length] = '\0';
    sensor->name = copy;
    sensor->count = 0;
    sensor->sum = 0;
    sensor->max = value;
    sensor->next = NULL;
    *table->end = sensor;
    table->end = &sensor->next;
    return sensor;
}

static void record(struct sensor *sensor, long value)
{
    if (value < sensor->min)
        sensor->min = value;
    if (value > sensor->max)
        sensor->max = value;
    sensor->sum += value;
    sensor->count++;
}

/* Reads a number that ends the line. */
static int read_value(const char *text, long *value)
{
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    if (end == text || errno != 0 || *value < -VALUE_MOST || *value > VALUE_MOST)
        return 0;
    while (isspace((unsigned char)*end))
        end++;
    return *end == '\0';
}

static void read_line(struct table *table, const char *line)
{
    long value;
    while (isspace((unsigned char)*line))
        line++;
    if (*line == '\0' || *line == '#')
        return;
    size_t length = strcspn(line, " \t\r\n");
    if (!read_value(line + length, &value)) {
        table->ignored++;
        return;
    }
    struct sensor *sensor = find(table, line, length);
    if (sensor == NULL)
        sensor = add(table, line, length, value);
    record(sensor, value);
}

static void print(const struct table *table)
{
    for (const struct sensor *sensor = table->first; sensor != NULL; sensor = sensor->next) {
        double mean = (double)sensor->sum / (double)sensor->count;
        printf("%s count %ld min %ld max %ld mean %.2f\n", sensor->name, sensor->count, sensor->min, sensor->max, mean);
    }
    if (table->ignored > 0)
        printf("ignored %ld lines\n", table->ignored);
}

static void clear(struct table *table)
{
    while (table->first != NULL) {
        struct sensor *sensor = table->first;
        table->first = sensor->next;
        free(sensor->name);
        free(sensor);
    }
}

int main(void)
{
    struct table table = { NULL, NULL, 0 };
    char *line = NULL;
    size_t capacity = 0;
    table.end = &table.first;
    while (getline(&line, &capacity, stdin) > 0)
        read_line(&table, line);
    print(&table);
    clear(&table);
    free(line);
    return 0;
}
