/* Escapes and shortens texts that leave the library. */
#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "context.h"

enum { UNIT_BYTES = 12 }; /* of "\u202e", the longest, and a zero; and what printf() may make */

/* The bytes of the UTF-8 sequence that the byte begins (RFC 3629); 0: it begins none. */
static size_t sequence_bytes(unsigned char c)
{
    return c < 0x80                ? 1
           : c >= 0xc2 && c < 0xe0 ? 2
           : (c & 0xf0) == 0xe0    ? 3
           : c >= 0xf0 && c < 0xf5 ? 4
                                   : 0;
}

/* The character at `at`, of *bytes bytes; *bytes = 0 where it is none. */
static uint32_t character(const unsigned char *at, size_t *bytes)
{
    size_t n = sequence_bytes(at[0]);
    uint32_t c = n < 2 ? at[0] : at[0] & (0x7fU >> n);
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            n = 0;
            break;
        }
        c = c << 6 | (at[i] & 0x3f);
    }
    bool overlong = (n == 3 && c < 0x800) || (n == 4 && c < 0x10000);
    *bytes = overlong || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff ? 0 : n;
    return c;
}

/* Whether the character ends a line, or sets the direction of text. */
static bool steers(uint32_t c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* unit = the text for the character at `at`, escaped if need be; returns the character's bytes. */
static size_t escape(const unsigned char *at, char unit[UNIT_BYTES])
{
    static const char named[] = "\n\r\t", names[] = "nrt";
    size_t n;
    uint32_t c = character(at, &n);
    const char *name = c < 0x20 ? strchr(named, (int)c) : NULL;
    if (name) {
        snprintf(unit, UNIT_BYTES, "\\%c", names[name - named]);
    } else if (n == 0 || c < 0x20 || c == 0x7f) {
        snprintf(unit, UNIT_BYTES, "\\x%02x", at[0]);
    } else if (steers(c)) {
        snprintf(unit, UNIT_BYTES, "\\u%04x", (unsigned)c);
    } else {
        memcpy(unit, at, n);
        unit[n] = '\0';
    }
    return n ? n : 1;
}

/* The bytes of the escape that begins at the backslash. */
static size_t escape_bytes(const char *at)
{
    return at[1] == 'x' ? 4 : at[1] == 'u' ? 6 : 2;
}

/* n, or less if the text's byte n is within a character or an escape. */
static size_t whole_escapes(const char *text, size_t n)
{
    size_t back = 1;
    while (back < 4 && back < n && ((unsigned char)text[n - back] & 0xc0) == 0x80) {
        back++;
    }
    if (back <= n && sequence_bytes((unsigned char)text[n - back]) > back) {
        return n - back;
    }
    for (back = 1; back < 6 && back <= n; back++) {
        if (text[n - back] == '\\') {
            return back == 1 || escape_bytes(text + n - back) > back ? n - back : n;
        }
    }
    return n;
}

size_t satf_text_escape(const char *text, char *to, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    size_t all = 0, written = 0;
    char unit[UNIT_BYTES];
    for (; *at; all += strlen(unit)) {
        at += escape(at, unit);
        if (written == all && all + strlen(unit) < bytes) {
            memcpy(to + all, unit, strlen(unit));
            written += strlen(unit);
        }
    }
    if (bytes > 0) {
        to[written < all ? whole_escapes(to, written) : written] = '\0';
    }
    return all;
}

int satf_text_most(const char *text, size_t bytes)
{
    size_t n = strnlen(text, bytes + 1);
    return (int)(n > bytes ? whole_escapes(text, bytes) : n);
}

void satf_vtext(char *to, size_t bytes, const char *format, va_list args)
{
    char raw[SATF_MESSAGE_BYTES];
    int n = vsnprintf(raw, sizeof raw, format, args);
    if (n < 0 || (size_t)n >= sizeof raw) {
        raw[n < 0 ? 0 : whole_escapes(raw, sizeof raw - 1)] = '\0';
    }
    satf_text_escape(raw, to, bytes);
}

void satf_text(char *to, size_t bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    satf_vtext(to, bytes, format, args);
    va_end(args);
}
