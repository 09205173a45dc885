#include "clean.h"

#include <stdbool.h>
#include <stdio.h>

int utf8_length(const unsigned char *text)
{
    unsigned char c = text[0];
    int length = c < 0x80                ? 1
                 : c >= 0xc2 && c < 0xe0 ? 2
                 : (c & 0xf0) == 0xe0    ? 3
                 : c >= 0xf0 && c < 0xf5 ? 4
                                         : 0;
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    bool surrogate = c == 0xed && text[1] >= 0xa0;
    bool too_large = c == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

/* Columns of a character: two from Hangul and CJK on, which is right or too many. */
static int columns_of(const unsigned char *c, int length)
{
    return length == 4 || (length == 3 && (c[0] > 0xe1 || (c[0] == 0xe1 && c[1] >= 0x84))) ? 2 : 1;
}

/* Prints to `to` unless it is NULL. */
static int go_through(FILE *to, const char *text, int columns)
{
    int taken = 0;
    while (*text) {
        const unsigned char *c = (const unsigned char *)text;
        int length = utf8_length(c);
        bool control = *c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0);
        bool shown = length && !control;
        int width = shown ? columns_of(c, length) : 1;
        if (width > columns - taken) {
            break;
        }
        if (to) {
            fprintf(to, "%.*s", shown ? length : 1, shown ? text : "?");
        }
        taken += width;
        text += length ? length : 1;
    }
    return taken;
}

int print_clean(const char *text, int columns)
{
    return go_through(stderr, text, columns);
}

int columns_clean(const char *text, int most)
{
    return go_through(NULL, text, most);
}
