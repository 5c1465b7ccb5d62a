#include "field.h"

#include <string.h>

#define NAME_WIDTH 16

void field_name(const unsigned char *field, char *name)
{
    int length = NAME_WIDTH;
    while (length > 0 && field[length - 1] == ' ')
        length--;
    if (length > 1 && field[length - 1] == '/')
        length--;
    memcpy(name, field, (size_t)length);
    name[length] = '\0';
}

int field_number(const unsigned char *field, int width, int base, unsigned long *number)
{
    int length = width;
    *number = 0;
    while (length > 0 && field[length - 1] == ' ')
        length--;
    for (int i = 0; i < length; i++) {
        int digit = field[i] - '0';
        if (digit < 0 || digit >= base)
            return 0;
        *number = *number * (unsigned long)base + (unsigned long)digit;
    }
    return 1;
}
