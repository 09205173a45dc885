/* Reading and writing the header of a .npy file. */
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

#define LITTLE_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

enum { MAX_HEADER_BYTES = 64 << 10 };

/* ------------------------------------------------ the header's dictionary */

/* Every parser takes what it names, and blanks behind it; false leaves *at somewhere. */

static void blanks(const char **at)
{
    *at += strspn(*at, " \t\n");
}

static bool npy_take(const char **at, char c)
{
    if (**at != c) {
        return false;
    }
    ++*at;
    blanks(at);
    return true;
}

static bool take_word(const char **at, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*at, word, n) != 0) {
        return false;
    }
    *at += n;
    blanks(at);
    return true;
}

/* A quoted string without escapes, cut to room. */
static bool take_string(const char **at, char *out, size_t room)
{
    char quote = **at;
    if (quote != '\'' && quote != '"') {
        return false;
    }
    const char *start = ++*at;
    const char *end = strchr(start, quote);
    if (!end) {
        return false;
    }
    snprintf(out, room, "%.*s", (int)(end - start), start);
    *at = end + 1;
    blanks(at);
    return true;
}

static bool take_size(const char **at, int64_t *out)
{
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > 18) {
        return false;
    }
    int64_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        value = value * 10 + (*at)[i] - '0';
    }
    *at += digits + ((*at)[digits] == 'L'); /* as Python 2 wrote them */
    *out = value;
    blanks(at);
    return true;
}

/* "(4, 5)", "(7,)", "()"; more than SATF_NPY_DIMENSIONS are counted, not kept. */
static bool take_shape(const char **at, satf_npy *info)
{
    if (!npy_take(at, '(')) {
        return false;
    }
    while (!npy_take(at, ')')) {
        int64_t size;
        if (!take_size(at, &size)) {
            return false;
        }
        if (info->dimensions < SATF_NPY_DIMENSIONS) {
            info->shape[info->dimensions] = size;
        }
        info->dimensions++;
        if (!npy_take(at, ',') && **at != ')') {
            return false;
        }
    }
    return true;
}

/* "[('r', '<f4'), ('more', [('a', '|u1', (2,))])]": skipped up to its last bracket. */
static bool take_fields(const char **at)
{
    int depth = 0;
    do {
        char name[17];
        if (**at == '\'' || **at == '"') {
            if (!take_string(at, name, sizeof name)) {
                return false;
            }
            continue;
        }
        depth += **at == '[' || **at == '(';
        depth -= **at == ']' || **at == ')';
        if (!**at) {
            return false;
        }
        ++*at;
    } while (depth > 0);
    blanks(at);
    return true;
}

/* "<f8", "|u1". Anything else that is a string is kept for the message. */
static bool take_descr(const char **at, satf_npy *info)
{
    if (**at == '[' || **at == '(') {
        info->structured = true;
        return take_fields(at);
    }
    if (!take_string(at, info->kind_text, sizeof info->kind_text)) {
        return false;
    }
    const char *d = info->kind_text;
    if (d[0] && strchr("<>|=", d[0])) {
        info->order = d[0];
        info->kind = d[1];
        info->big = d[0] == '>' || (d[0] != '<' && !LITTLE_ENDIAN_HERE);
        info->bytes = strlen(d) == 3 && d[2] >= '1' && d[2] <= '8' ? (unsigned)(d[2] - '0') : 0;
    }
    return true;
}

static bool npy_take_entry(const char **at, satf_npy *info)
{
    char key[17];
    if (!take_string(at, key, sizeof key) || !npy_take(at, ':')) {
        return false;
    }
    if (strcmp(key, "descr") == 0 && !info->has_descr) {
        info->has_descr = true;
        return take_descr(at, info);
    }
    if (strcmp(key, "fortran_order") == 0 && !info->has_fortran) {
        info->has_fortran = true;
        info->fortran = take_word(at, "True");
        return info->fortran || take_word(at, "False");
    }
    if (strcmp(key, "shape") == 0 && !info->has_shape) {
        info->has_shape = true;
        return take_shape(at, info);
    }
    return false;
}

static bool parse_dictionary(const char *text, satf_npy *info)
{
    const char *at = text;
    blanks(&at);
    if (!npy_take(&at, '{')) {
        return false;
    }
    while (!npy_take(&at, '}')) {
        if (!npy_take_entry(&at, info) || (!npy_take(&at, ',') && *at != '}')) {
            return false;
        }
    }
    return *at == 0 && info->has_descr && info->has_fortran && info->has_shape;
}

/* ------------------------------------------------------------------ the header */

satf_status satf_npy_read_header(satf_context *ctx, satf_npy_read *read, void *user, satf_npy *info)
{
    unsigned char lead[12];
    *info = (satf_npy){0};
    satf_status status = read(ctx, user, lead, 10);
    if (status) {
        return status;
    }
    if (memcmp(lead, SATF_NPY_MAGIC, sizeof SATF_NPY_MAGIC - 1) != 0) {
        return satf_fail(ctx, SATF_DATA, "this is no .npy file");
    }
    uint32_t length = lead[8] | (uint32_t)lead[9] << 8;
    if (lead[6] < 1 || lead[6] > 3) {
        return satf_fail(ctx, SATF_UNSUPPORTED, ".npy of version %d; 1 to 3 can be read", lead[6]);
    }
    if (lead[6] > 1) { /* four bytes of length */
        status = read(ctx, user, lead + 10, 2);
        if (status) {
            return status;
        }
        length |= (uint32_t)lead[10] << 16 | (uint32_t)lead[11] << 24;
    }
    if (length > MAX_HEADER_BYTES) {
        return satf_fail(ctx, SATF_DATA, "the .npy header claims %" PRIu32 " bytes; %d are enough",
                         length, MAX_HEADER_BYTES);
    }
    char *text = satf_alloc(length + 1);
    if (!text) {
        return satf_fail_memory(ctx, length + 1, "a .npy header");
    }
    status = read(ctx, user, text, length);
    if (!status) {
        text[length] = 0;
        if (strlen(text) != length || !parse_dictionary(text, info)) {
            status = satf_fail(ctx, SATF_DATA, "the .npy header is damaged");
        }
    }
    satf_free(text);
    return status;
}
