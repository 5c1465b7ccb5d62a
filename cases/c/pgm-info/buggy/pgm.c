/*
 * pgm FILE: describes a grey image in binary PGM format:
 *
 *     WIDTHxHEIGHT, maximum M
 *     darkest D, brightest B, mean X
 *
 * and draws its upper left corner, at most 16 by 8 samples, with ten shades.
 *
 * A file is "P5", width, height (1 to 4096 each) and maximum (1 to 65535) as decimal numbers, divided by white space and
 * comments from '#' to the end of the line; one character of white space; then the samples, row by row: a byte each,
 * or two with the greater one first if the maximum is greater than 255. No sample is greater than the maximum. What
 * follows the samples does not count.
 *
 * What is wrong with a file is said on standard error, and the exit code is 1.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE_MOST 4096
#define MAXIMUM_MOST 65535
#define DRAWN_WIDTH 16
#define DRAWN_HEIGHT 8

struct image {
    unsigned width, height, maximum;
    const unsigned char *raster;
};

struct text {
    unsigned char *bytes;
    size_t length, at;
};

static int fail(const char *what)
{
    fprintf(stderr, "pgm: %s\n", what);
    return 0;
}

/* Skips white space and comments. */
static void skip(struct text *text)
{
    while (text->at < text->length) {
        if (text->bytes[text->at] == '#')
            while (text->at < text->length && text->bytes[text->at] != '\n')
                text->at++;
        else if (isspace(text->bytes[text->at]))
            text->at++;
        else
            return;
    }
}

/* Reads a number from 1 to most; 0 if there is none. */
static unsigned read_number(struct text *text, unsigned most)
{
    unsigned number = 0;
    skip(text);
    while (text->at < text->length && isdigit(text->bytes[text->at])) {
        number = 10 * number + (unsigned)(text->bytes[text->at++] - '0');
        if (number > most)
            return 0;
    }
    return number;
}

/* How many bytes all samples have. */
static size_t raster_size(const struct image *image)
{
    size_t samples = (size_t)image->width * image->height;
    return image->maximum >= 255 ? 2 * samples : samples;
}

static unsigned sample(const struct image *image, size_t index)
{
    if (image->maximum > 255)
        return 256u * image->raster[2 * index] + image->raster[2 * index + 1];
    return image->raster[index];
}

static int read_image(struct text *text, struct image *image)
{
    if (text->length < 2 || text->bytes[0] != 'P' || text->bytes[1] != '5')
        return fail("not a binary grey image");
    text->at = 2;
    image->width = read_number(text, SIDE_MOST);
    image->height = read_number(text, SIDE_MOST);
    if (image->width == 0 || image->height == 0)
        return fail("bad width or height");
    image->maximum = read_number(text, MAXIMUM_MOST);
    if (image->maximum == 0)
        return fail("bad maximum");
    if (text->at == text->length || !isspace(text->bytes[text->at]))
        return fail("no white space in front of the samples");
    text->at++;
    if (text->length - text->at < raster_size(image))
        return fail("truncated");
    image->raster = text->bytes + text->at;
    return 1;
}

static int describe(const struct image *image)
{
    size_t samples = (size_t)image->width * image->height;
    unsigned darkest = image->maximum, brightest = 0;
    double sum = 0;
    for (size_t i = 0; i < samples; i++) {
        unsigned value = sample(image, i);
        if (value > image->maximum)
            return fail("a sample is greater than the maximum");
        if (value < darkest)
            darkest = value;
        if (value > brightest)
            brightest = value;
        sum += value;
    }
    printf("%ux%u, maximum %u\n", image->width, image->height, image->maximum);
    printf("darkest %u, brightest %u, mean %.2f\n", darkest, brightest, sum / (double)samples);
    return 1;
}

static void draw(const struct image *image)
{
    static const char shades[] = " .:-=+*#%@";
    for (unsigned y = 0; y < image->height && y < DRAWN_HEIGHT; y++) {
        for (unsigned x = 0; x < image->width && x < DRAWN_WIDTH; x++)
            putchar(shades[sample(image, (size_t)y * image->width + x) * 9 / image->maximum]);
        putchar('\n');
    }
}

/* The whole file, in as much memory as it needs. */
static int read_file(const char *path, struct text *text)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return fail("cannot be read");
    long length = ftell(file);
    rewind(file);
    text->bytes = malloc(length > 0 ? (size_t)length : 1);
    if (length < 0 || text->bytes == NULL)
        return fail("cannot be read");
    text->length = fread(text->bytes, 1, (size_t)length, file);
    fclose(file);
    return 1;
}

int main(int argc, char **argv)
{
    struct text text = { NULL, 0, 0 };
    struct image image;
    if (argc != 2) {
        fprintf(stderr, "usage: pgm FILE\n");
        return 2;
    }
    int good = read_file(argv[1], &text) && read_image(&text, &image) && describe(&image);
    if (good)
        draw(&image);
    free(text.bytes);
    return good ? 0 : 1;
}
