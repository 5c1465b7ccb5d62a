/* Fields of a header: text that is filled up with blanks. */
#ifndef FIELD_H
#define FIELD_H

/* Copies a name of up to 16 characters, without the blanks and the one '/' at its end, which GNU ar adds. */
void field_name(const unsigned char *field, char *name);

/* Reads a number of this base; 0 if the field holds anything else. A field of blanks is 0. */
int field_number(const unsigned char *field, int width, int base, unsigned long *number);

#endif
