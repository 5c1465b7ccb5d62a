/*
 * ini FILE: prints the settings of an INI file in a normal form, one a line:
 *
 *     section.key (kind) = value
 *
 * A file has lines of four sorts: blank ones, comments that begin with ';' or '#', sections "[name]", and settings
 * "key = value". White space around names, keys and values does not count. Names and keys consist of letters, digits,
 * '-' and '_' and have at most 31 characters. Values have at most 63 characters; in double quotes they may begin and end
 * with blanks, and \" and \\ stand for the characters themselves. Settings in front of the first section belong to the
 * section "global". A key that occurs again in its section replaces the earlier value in its place.
 *
 * The kind is n for decimal numbers, b for yes, no, true and false, and s for everything else, quoted numbers included.
 *
 * What is wrong is reported with its line on standard error; then nothing is printed, and the exit code is 1.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 32
#define VALUE_SIZE 64

struct setting {
    char section[NAME_SIZE];
    char key[NAME_SIZE];
    char kind;
    char value[VALUE_SIZE];
};

struct settings {
    struct setting *all;
    size_t count, capacity;
};

static int fail(int line, const char *what)
{
    fprintf(stderr, "line %d: %s\n", line, what);
    return -1;
}

/* Moves both ends of a text inward over white space. */
static void trim(const char **from, const char **to)
{
    while (*from < *to && isspace((unsigned char)**from))
        ++*from;
    while (*from < *to && isspace((unsigned char)(*to)[-1]))
        --*to;
}

static int is_name(const char *from, const char *to)
{
    if (from == to)
        return 0;
    for (; from < to; from++)
        if (!isalnum((unsigned char)*from) && *from != '-' && *from != '_')
            return 0;
    return 1;
}

/* Copies a name of this length; -1 if it is too long. */
static int copy_name(char *target, const char *name, size_t length)
{
    if (length > NAME_SIZE)
        return -1;
    memcpy(target, name, length);
    target[length] = '\0';
    return 0;
}

static char kind_of(const char *value)
{
    static const char *const words[] = { "yes", "no", "true", "false" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i]) == 0)
            return 'b';
    const char *digit = value + (*value == '-');
    if (*digit == '\0')
        return 's';
    for (; *digit != '\0'; digit++)
        if (!isdigit((unsigned char)*digit))
            return 's';
    return 'n';
}

static int read_value(struct setting *setting, const char *from, const char *to, int line)
{
    int quoted = from < to && *from == '"';
    size_t length = 0;
    if (quoted && (to - from < 2 || to[-1] != '"'))
        return fail(line, "no closing quotation mark");
    if (quoted)
        from++, to--;
    for (; from < to; from++) {
        if (quoted && *from == '"')
            return fail(line, "quotation mark inside of a value");
        if (quoted && *from == '\\') {
            if (++from == to || (*from != '"' && *from != '\\'))
                return fail(line, "unknown escape");
        }
        if (length == VALUE_SIZE - 1)
            return fail(line, "value too long");
        setting->value[length++] = *from;
    }
    setting->value[length] = '\0';
    setting->kind = quoted ? 's' : kind_of(setting->value);
    return 0;
}

static int store(struct settings *settings, const struct setting *new)
{
    for (size_t i = 0; i < settings->count; i++) {
        struct setting *old = &settings->all[i];
        if (strcmp(old->section, new->section) == 0 && strcmp(old->key, new->key) == 0) {
            *old = *new;
            return 0;
        }
    }
    if (settings->count == settings->capacity) {
        settings->capacity = settings->capacity ? 2 * settings->capacity : 8;
        settings->all = realloc(settings->all, settings->capacity * sizeof *settings->all);
        if (settings->all == NULL)
            abort();
    }
    settings->all[settings->count++] = *new;
    return 0;
}

/* Reads one line without its end. */
static int read_line(struct settings *settings, char *section, const char *from, const char *to, int line)
{
    trim(&from, &to);
    if (from == to || *from == ';' || *from == '#')
        return 0;
    if (*from == '[') {
        if (to[-1] != ']')
            return fail(line, "no closing bracket");
        from++, to--;
        trim(&from, &to);
        if (!is_name(from, to))
            return fail(line, "bad section name");
        return copy_name(section, from, (size_t)(to - from)) == 0 ? 0 : fail(line, "section name too long");
    }
    const char *equals = memchr(from, '=', (size_t)(to - from));
    if (equals == NULL)
        return fail(line, "neither a section nor a setting");
    struct setting new;
    const char *key_end = equals, *value = equals + 1;
    trim(&from, &key_end);
    trim(&value, &to);
    if (!is_name(from, key_end))
        return fail(line, "bad key");
    if (read_value(&new, value, to, line) != 0)
        return -1;
    strcpy(new.section, section);
    if (copy_name(new.key, from, (size_t)(key_end - from)) != 0)
        return fail(line, "key too long");
    return store(settings, &new);
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = NULL;
    size_t capacity = 0, count;
    *length = 0;
    do {
        capacity += 4096;
        text = realloc(text, capacity);
        if (text == NULL)
            abort();
        count = fread(text + *length, 1, capacity - *length, file);
        *length += count;
    } while (count > 0);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    size_t length;
    char *text = argc == 2 ? read_file(argv[1], &length) : NULL;
    if (text == NULL) {
        fprintf(stderr, "usage: ini FILE\n");
        return 2;
    }
    struct settings settings = { NULL, 0, 0 };
    char section[NAME_SIZE + 8] = "global";
    int line = 1, status = 0;
    for (const char *from = text, *end = text + length; from < end && status == 0; line++) {
        const char *to = memchr(from, '\n', (size_t)(end - from));
        if (to == NULL)
            to = end;
        status = read_line(&settings, section, from, to, line);
        from = to + 1;
    }
    for (size_t i = 0; i < settings.count && status == 0; i++) {
        const struct setting *setting = &settings.all[i];
        printf("%s.%s (%c) = %s\n", setting->section, setting->key, setting->kind, setting->value);
    }
    free(settings.all);
    free(text);
    return status == 0 ? 0 : 1;
}
