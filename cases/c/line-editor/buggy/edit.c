/*
 * edit: a line editor that reads commands from standard input, one a line:
 *
 *     append TEXT       adds a line at the end
 *     insert N TEXT     adds a line in front of line N
 *     delete N          removes line N
 *     replace N TEXT    gives line N another text
 *     undo              takes the latest of these back; up to 16 can be
 *     print             prints all lines with their numbers
 *
 * Lines are numbered from 1. What cannot be done is answered by a line that begins with "?" and changes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNDO_MOST 16

enum action { ADDED, DELETED, REPLACED };

/* What is to be taken back. The text is that of a line as it was before. */
struct step {
    enum action action;
    size_t place;
    char *text;
};

struct editor {
    char **lines;
    size_t count, capacity;
    struct step steps[UNDO_MOST];
    size_t depth;
};

static char *copy(const char *text)
{
    char *new = malloc(strlen(text) + 1);
    if (new == NULL)
        abort();
    return strcpy(new, text);
}

/* Puts a text at a place; the editor owns it from then on. */
static void put(struct editor *editor, size_t place, char *text)
{
    if (editor->count == editor->capacity) {
        editor->capacity = editor->capacity ? 2 * editor->capacity : 8;
        editor->lines = realloc(editor->lines, editor->capacity * sizeof *editor->lines);
        if (editor->lines == NULL)
            abort();
    }
    memmove(editor->lines + place + 1, editor->lines + place, (editor->count - place) * sizeof *editor->lines);
    editor->lines[place] = text;
    editor->count++;
}

/* Takes a line out and gives its text. */
static char *cut(struct editor *editor, size_t place)
{
    char *text = editor->lines[place];
    editor->count--;
    memmove(editor->lines + place, editor->lines + place + 1, (editor->count - place) * sizeof *editor->lines);
    return text;
}

static void remember(struct editor *editor, enum action action, size_t place, char *text)
{
    if (editor->depth == UNDO_MOST) {
        memmove(editor->steps, editor->steps + 1, (UNDO_MOST - 1) * sizeof *editor->steps);
        editor->depth--;
    }
    editor->steps[editor->depth++] = (struct step){ action, place, text };
}

static void add(struct editor *editor, size_t place, const char *text)
{
    put(editor, place, copy(text));
    remember(editor, ADDED, place, NULL);
}

static void delete(struct editor *editor, size_t place)
{
    char *text = cut(editor, place);
    remember(editor, DELETED, place, text);
    free(text);
}

static void replace(struct editor *editor, size_t place, const char *text)
{
    char *old = editor->lines[place];
    editor->lines[place] = copy(text);
    remember(editor, REPLACED, place, old);
    free(old);
}

static int undo(struct editor *editor)
{
    if (editor->depth == 0)
        return 0;
    struct step step = editor->steps[--editor->depth];
    switch (step.action) {
    case ADDED:
        free(cut(editor, step.place));
        break;
    case DELETED:
        put(editor, step.place, step.text);
        break;
    case REPLACED:
        free(editor->lines[step.place]);
        editor->lines[step.place] = step.text;
        break;
    }
    return 1;
}

static void print(const struct editor *editor)
{
    for (size_t i = 0; i < editor->count; i++)
        printf("%zu %s\n", i + 1, editor->lines[i]);
}

/* The number at the front of the rest of a command, less one; what follows it is left in the rest. */
static int read_place(char **rest, size_t most, size_t *place)
{
    char *end;
    unsigned long number = strtoul(*rest, &end, 10);
    if (end == *rest || number == 0 || number > most)
        return 0;
    *place = number - 1;
    *rest = *end == ' ' ? end + 1 : end;
    return 1;
}

static int obey(struct editor *editor, const char *command, char *rest)
{
    size_t place;
    if (strcmp(command, "append") == 0)
        return add(editor, editor->count, rest), 1;
    if (strcmp(command, "undo") == 0)
        return undo(editor);
    if (strcmp(command, "print") == 0)
        return print(editor), 1;
    if (strcmp(command, "insert") == 0 && read_place(&rest, editor->count + 1, &place))
        return add(editor, place, rest), 1;
    if (strcmp(command, "delete") == 0 && read_place(&rest, editor->count, &place))
        return delete(editor, place), 1;
    if (strcmp(command, "replace") == 0 && read_place(&rest, editor->count, &place))
        return replace(editor, place, rest), 1;
    return 0;
}

int main(void)
{
    struct editor editor = { NULL, 0, 0, { { ADDED, 0, NULL } }, 0 };
    char line[1024], none[1] = "";
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *blank = strchr(line, ' ');
        if (blank != NULL)
            *blank = '\0';
        if (!obey(&editor, line, blank != NULL ? blank + 1 : none))
            printf("? %s\n", line);
    }
    for (size_t i = 0; i < editor.count; i++)
        free(editor.lines[i]);
    free(editor.lines);
    return 0;
}
