/* Escaping names of files, and their width on a terminal. */
#include "clean.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <satfilter.h>

int clean_next(const char *text, char shown[CLEAN_BYTES])
{
    const unsigned char *c = (const unsigned char *)text;
    int most = c[0] < 0xc0 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4, length = 1;
    char one[5] = "";
    while (length < most && (c[length] & 0xc0) == 0x80) {
        length++;
    }
    memcpy(one, text, (size_t)length);
    satf_text_escape(one, shown, CLEAN_BYTES);
    return length;
}

/* Columns of what is shown: of a character two from Hangul and CJK on, which is right or too many.
 */
static int columns_of(const char *shown)
{
    const unsigned char *c = (const unsigned char *)shown;
    bool wide = c[0] > 0xe1 || (c[0] == 0xe1 && c[1] >= 0x84);
    return c[0] < 0x80 ? (int)strlen(shown) : wide ? 2 : 1;
}

/* Prints to `to` unless it is NULL. */
static int go_through(FILE *to, const char *text, int columns)
{
    int taken = 0;
    while (*text) {
        char shown[CLEAN_BYTES];
        int length = clean_next(text, shown), width = columns_of(shown);
        if (width > columns - taken) {
            break;
        }
        if (to) {
            fputs(shown, to);
        }
        taken += width;
        text += length;
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

void format_whole(char *text, size_t room, const char *format, va_list args)
{
    char shown[CLEAN_BYTES] = "";
    int length = 0;
    bool cut = vsnprintf(text, room, format, args) >= (int)room;
    for (; cut && *text; text += length) {
        length = clean_next(text, shown);
    }
    if (shown[0] == '\\' && shown[1] == 'x') {
        text[-length] = '\0';
    }
}
