/* The table of formats, and what is asked of it. */
#include "codec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Probed in this order: TGA last, for it has no magic number. */
static const io_format *const formats[] = {
    &io_png, &io_jpeg, &io_pnm, &io_pfm,  &io_npy,  &io_bmp,
    &io_gif, &io_psd,  &io_hdr, &io_tiff, &io_webp, &io_tga,
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const io_format *io_format_at(size_t index)
{
    return index < FORMAT_COUNT ? formats[index] : NULL;
}

bool io_list_has(const char *list, const char *word, size_t n)
{
    while (*list) {
        size_t length = strcspn(list, " ");
        if (length == n && strncasecmp(list, word, n) == 0) {
            return true;
        }
        list += length;
        list += strspn(list, " ");
    }
    return false;
}

static const io_format *by_suffix_word(const char *suffix)
{
    for (size_t i = 0; *suffix && i < FORMAT_COUNT; i++) {
        if (io_list_has(formats[i]->suffixes, suffix, strlen(suffix))) {
            return formats[i];
        }
    }
    return NULL;
}

const io_format *io_format_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcasecmp(formats[i]->name, name) == 0) {
            return formats[i];
        }
    }
    return by_suffix_word(name);
}

const io_format *io_format_by_suffix(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? by_suffix_word(dot + 1) : NULL;
}

const io_format *io_format_probe(const unsigned char *head, size_t n)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i]->probe(head, n)) {
            return formats[i];
        }
    }
    return NULL;
}

bool io_format_is_readable(const satf_context *ctx, const io_format *format)
{
    for (size_t i = 0; i < FORMAT_COUNT && ctx->settings.formats; i++) {
        if (formats[i] == format) {
            return ctx->settings.formats >> i & 1;
        }
    }
    return format->fit_for_strangers;
}

satf_status io_check_type(satf_context *ctx, const io_format *format, satf_type type)
{
    if (format->value_types & IO_TYPE_BIT(type)) {
        return SATF_OK;
    }
    char names[64] = "";
    const io_format *other;
    for (size_t i = 0; (other = io_format_at(i)); i++) {
        if ((other->value_types & IO_TYPE_BIT(type))) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", other->name);
        }
    }
    return satf_fail(ctx, SATF_UNSUPPORTED, "%s cannot hold %s samples; %s%s", format->name,
                     satf_type_name((int)type), names[0] ? "possible in: " : "no format can",
                     names);
}

satf_status satf_context_set_formats(satf_context *ctx, const char *names)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    static const char separators[] = ", \t";
    unsigned mask = 0;
    for (const char *at = names ? names : ""; *(at += strspn(at, separators));) {
        size_t n = strcspn(at, separators), i = 0;
        bool all = n == 3 && strncasecmp(at, "all", n) == 0;
        while (i < FORMAT_COUNT && !all && !io_list_has(formats[i]->name, at, n)) {
            i++;
        }
        if (i == FORMAT_COUNT) {
            return satf_fail(ctx, SATF_INVALID, "'%.*s' is the name of no format",
                             SATF_MOST(at, n < 80 ? n : 80));
        }
        mask |= all ? (1u << FORMAT_COUNT) - 1 : 1u << i;
        at += n;
    }
    if (names && !mask) {
        return satf_fail(ctx, SATF_INVALID, "no format is named; NULL restores the default");
    }
    ctx->settings.formats = mask;
    return SATF_OK;
}

satf_status satf_context_set_axes(satf_context *ctx, const char *axes)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    axes = axes ? axes : "";
    size_t n = strlen(axes), end = n > 2 && axes[n - 1] == 'C' ? n - 3 : n - 2;
    bool good = n == 0 || (n >= 2 && n <= IO_AXES + 2 && strncmp(axes + end, "YX", 2) == 0);
    for (size_t i = 0; good && i < n; i++) {
        good = axes[i] >= 'A' && axes[i] <= 'Z' && !strchr(axes + i + 1, axes[i]) &&
               (i >= end || (axes[i] != 'Y' && axes[i] != 'X'));
    }
    if (!good) {
        return satf_fail(ctx, SATF_INVALID,
                         "'%s' are no axes: letters, once each, that end in YX or YXC", axes);
    }
    snprintf(ctx->settings.axes, sizeof ctx->settings.axes, "%s", axes);
    return SATF_OK;
}

/* ------------------------------------------------------------------ for others */

static const char *formats_give(const io_format *format, satf_format_info *info, size_t bytes)
{
    satf_format_info all = {0};
    if (format) {
        all = (satf_format_info){format->name,
                                 format->suffixes,
                                 format->help,
                                 format->open || format->in_module,
                                 io_can_write(format),
                                 format->holds_pages,
                                 format->picture_types != 0,
                                 format->compressions,
                                 format->fit_for_strangers};
    }
    satf_give(info, bytes, &all, sizeof all);
    return all.name;
}

const char *satf_format(size_t index, satf_format_info *info, size_t bytes)
{
    return formats_give(io_format_at(index), info, bytes);
}

const char *satf_format_find(const char *word, satf_format_info *info, size_t bytes)
{
    return formats_give(word ? io_format_find(word) : NULL, info, bytes);
}

const char *satf_format_of_path(const char *path, satf_format_info *info, size_t bytes)
{
    return formats_give(path ? io_format_by_suffix(path) : NULL, info, bytes);
}

const char *satf_format_of_bytes(const void *data, size_t data_bytes, satf_format_info *info,
                                 size_t bytes)
{
    size_t n = data_bytes < IO_PROBE_BYTES ? data_bytes : IO_PROBE_BYTES;
    return formats_give(data && n ? io_format_probe(data, n) : NULL, info, bytes);
}

const char *satf_format_missing(const char *word)
{
    const io_format *row = word ? io_format_find(word) : NULL;
    return row ? io_format_missing(row) : NULL;
}

satf_status satf_format_check_type(satf_context *ctx, const char *format, int type)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    const io_format *found = format ? io_format_find(format) : NULL;
    if (!found || !satf_type_name(type)) {
        return satf_fail(ctx, SATF_INVALID, "there is no such %s", found ? "type" : "format");
    }
    return io_check_type(ctx, found, (satf_type)type);
}

satf_status io_fail_state(satf_context *ctx, size_t bytes, const io_format *format,
                          const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "a %s %s", format->name, what);
    return satf_fail_memory(ctx, bytes, name);
}

satf_status io_settle_memory(satf_context *ctx, const io_format *format, satf_status status)
{
    bool doubted = status == SATF_DATA || status == SATF_UNSUPPORTED || status == SATF_IO;
    return errno == ENOMEM && doubted
               ? satf_fail(ctx, SATF_NO_MEMORY, "out of memory in the %s codec", format->name)
               : status;
}
