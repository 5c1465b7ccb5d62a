/*
 * queue: a queue of named jobs, steered by commands on standard input, one a line:
 *
 *     add NAME [PRIORITY]   adds a job; the priority is a number from 0 to 9, 5 if it is not given
 *     run                   runs the job of the highest priority, the oldest of several
 *     cancel NAME           takes a job of that name out, of several the one that would run first
 *     last                  tells the name of the job that was run or cancelled last
 *     list                  tells all jobs, in the order in which they will run
 *     reset                 forgets all jobs, and the last one too
 *     memory                tells how many blocks of memory are in use
 *
 * Names have no white space, and any length. A command that is not understood, or cannot be carried out, is answered
 * by a line that begins with "?". After reset no block is in use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    char *name;
    int priority;
    struct job *next;
};

struct queue {
    /* Name of the job that left the queue last; the queue owns it. */
    char *last;
    struct job *first;
};

static long blocks;

static void *take(size_t size)
{
    void *block = malloc(size);
    if (block == NULL) {
        fprintf(stderr, "queue: out of memory\n");
        exit(3);
    }
    blocks++;
    return block;
}

static void give(void *block)
{
    if (block != NULL)
        blocks--;
    free(block);
}

static char *copy(const char *text)
{
    char *new = take(strlen(text) + 1);
    return strcpy(new, text);
}

static void add(struct queue *queue, const char *name, int priority)
{
    struct job *new = take(sizeof *new);
    struct job **place = &queue->first;
    new->name = copy(name);
    new->priority = priority;
    while (*place != NULL && (*place)->priority >= priority)
        place = &(*place)->next;
    new->next = *place;
    *place = new;
}

static int run(struct queue *queue)
{
    struct job *job = queue->first;
    if (job == NULL)
        return 0;
    queue->first = job->next;
    printf("ran %s\n", job->name);
    give(queue->last);
    queue->last = job->name;
    give(job);
    return 1;
}

static int cancel(struct queue *queue, const char *name)
{
    struct job **place = &queue->first;
    while (*place != NULL && strcmp((*place)->name, name) != 0)
        place = &(*place)->next;
    struct job *job = *place;
    if (job == NULL)
        return 0;
    *place = job->next;
    printf("cancelled %s\n", job->name);
    queue->last = job->name;
    give(job);
    return 1;
}

static void list(const struct queue *queue)
{
    int number = 0;
    for (const struct job *job = queue->first; job != NULL; job = job->next)
        printf("%d %s %d\n", ++number, job->name, job->priority);
    if (number == 0)
        printf("no jobs\n");
}

static void reset(struct queue *queue)
{
    while (queue->first != NULL) {
        struct job *job = queue->first;
        queue->first = job->next;
        give(job->name);
        give(job);
    }
    give(queue->last);
    queue->last = NULL;
}

/* Carries out one command; 0 if it cannot be. */
static int obey(struct queue *queue, char *line)
{
    const char *blank = " \t\r\n";
    char *command = strtok(line, blank);
    char *name = strtok(NULL, blank);
    char *number = strtok(NULL, blank);
    if (command == NULL)
        return 1;
    if (strcmp(command, "add") == 0 && name != NULL) {
        if (number != NULL && (number[0] < '0' || number[0] > '9' || number[1] != '\0'))
            return 0;
        add(queue, name, number != NULL ? number[0] - '0' : 5);
        return 1;
    }
    if (strcmp(command, "cancel") == 0 && name != NULL)
        return cancel(queue, name);
    if (name != NULL)
        return 0;
    if (strcmp(command, "run") == 0)
        return run(queue);
    if (strcmp(command, "last") == 0 && queue->last != NULL)
        return printf("last %s\n", queue->last) > 0;
    if (strcmp(command, "list") == 0)
        return list(queue), 1;
    if (strcmp(command, "reset") == 0)
        return reset(queue), 1;
    if (strcmp(command, "memory") == 0)
        return printf("blocks %ld\n", blocks) > 0;
    return 0;
}

int main(void)
{
    struct queue queue = { NULL, NULL };
    char line[4096];
    for (int number = 1; fgets(line, sizeof line, stdin) != NULL; number++)
        if (!obey(&queue, line))
            printf("? line %d\n", number);
    reset(&queue);
    return 0;
}
