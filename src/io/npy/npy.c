/* NumPy's .npy: arrays (H, W) or (H, W, C) of plain values, read in C or Fortran
 * order, written in C order; dimensions in front of these number pages.
 * numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include <inttypes.h>
#include <string.h>

#include "../../base/npy.h"
#include "../codec.h"

enum { COLUMNS_BYTES = 1 << 20, MOST_PAGES = 1 << 20 };

typedef struct npy {
    bool swap;      /* samples are not in the machine's byte order */
    bool boolean;   /* samples must be 0 or 1 */
    bool fortran;   /* a column of one channel after the other */
    io_header page; /* of each */
    int64_t start;  /* of the first, in the file */
} npy;

static bool npy_probe(const unsigned char *head, size_t n)
{
    return n >= 6 && memcmp(head, SATF_NPY_MAGIC, 6) == 0;
}

/* ----------------------------------------------------------------- reading */

static satf_status read_header_bytes(satf_context *ctx, void *user, void *to, size_t bytes)
{
    io_source *source = user;
    return io_source_read(source, to, bytes) == bytes ? SATF_OK : io_fail_short(ctx, source);
}

static satf_status choose_type(satf_context *ctx, const satf_npy *info, satf_type *type)
{
    static const struct {
        char kind;
        unsigned bytes;
        satf_type type;
    } types[] = {{'u', 1, SATF_U8},  {'u', 2, SATF_U16}, {'u', 4, SATF_U32}, {'u', 8, SATF_U64},
                 {'i', 1, SATF_I8},  {'i', 2, SATF_I16}, {'i', 4, SATF_I32}, {'i', 8, SATF_I64},
                 {'f', 2, SATF_F16}, {'f', 4, SATF_F32}, {'f', 8, SATF_F64}, {'b', 1, SATF_U8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool ordered = info->bytes == 1 || info->order != '|';
        if (info->kind == types[i].kind && info->bytes == types[i].bytes && ordered) {
            *type = types[i].type;
            return SATF_OK;
        }
    }
    if (info->structured) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the .npy array is a structured one; save one of its fields, a[\"name\"], "
                         "or numpy.lib.recfunctions.structured_to_unstructured(a)");
    }
    const char *advice = info->kind == 'c' ? "complex numbers; save a.real or abs(a)"
                         : info->kind == 'f'
                             ? "floats of another size; convert them with a.astype(\"f8\")"
                             : "no numbers";
    return satf_fail(ctx, SATF_UNSUPPORTED, ".npy samples of dtype \"%s\" are %s", info->kind_text,
                     advice);
}

/* Refuses a last dimension that is no number of channels. Where another one is smaller, the last is
 * more likely a width. */
static satf_status refuse_channels(satf_context *ctx, const int64_t shape[3])
{
    char advice[192] = "";
    if (shape[2] < 1) {
        /* nothing to guess */
    } else if (shape[0] < shape[2] || shape[1] < shape[2]) {
        bool planes = shape[0] <= SATF_MAX_CHANNELS;
        snprintf(advice, sizeof advice, "; it looks like %s (option: axes)",
                 planes
                     ? "planes of channels, (C, H, W): save numpy.moveaxis(a, 0, -1), or say CYX "
                       "to take each plane for a page"
                     : "a stack of pictures, (Z, H, W): say ZYX");
    }
    return satf_fail(ctx, SATF_UNSUPPORTED,
                     "a .npy array of shape (%" PRId64 ", %" PRId64 ", %" PRId64 ") has %" PRId64
                     " channels, its last dimension; 1 to %d are possible%s",
                     shape[0], shape[1], shape[2], shape[2], SATF_MAX_CHANNELS, advice);
}

/* Finds how many dimensions a page has: as the context's axes say, else those of three dimensions
 * end in channels, and of more if the last can be a number of them. */
static satf_status page_dimensions(satf_context *ctx, const satf_npy *info, int *count)
{
    const char *axes = ctx->settings.axes;
    int n = info->dimensions;
    int64_t last = n >= 1 && n <= SATF_NPY_DIMENSIONS ? info->shape[n - 1] : 0;
    if (n < 2 || n > IO_AXES + 2) {
        return satf_fail(
            ctx, SATF_UNSUPPORTED,
            "a .npy array of %d dimensions; pictures are (H, W) or (H, W, C), and 1 to "
            "%d more number pages",
            n, IO_AXES);
    }
    if (axes[0]) {
        if ((int)strlen(axes) != n) {
            return satf_fail(ctx, SATF_INVALID,
                             "the .npy array has %d dimensions, and the axes %s are %zu (option: "
                             "axes)",
                             n, axes, strlen(axes));
        }
        *count = axes[n - 1] == 'C' ? 3 : 2;
    } else {
        *count = n == 3 || (n > 3 && last >= 1 && last <= SATF_MAX_CHANNELS) ? 3 : 2;
    }
    bool channels = *count == 2 || (last >= 1 && last <= SATF_MAX_CHANNELS);
    return channels ? SATF_OK : refuse_channels(ctx, info->shape + n - 3);
}

/* Counts the pages, which the first dimensions number. */
static satf_status npy_count_pages(satf_context *ctx, io_reader *reader, const satf_npy *info,
                                   int page)
{
    io_axes *axes = &reader->axes;
    axes->count = info->dimensions - page;
    for (int i = 0; i < axes->count; i++) {
        axes->size[i] = info->shape[i];
        if (axes->size[i] < 1 ||
            __builtin_mul_overflow(reader->pages, axes->size[i], &reader->pages)) {
            return satf_fail(ctx, SATF_DATA, "the .npy array is %s",
                             axes->size[i] < 1 ? "empty" : "damaged: it has no such shape");
        }
    }
    if (reader->pages > MOST_PAGES) {
        return satf_fail(ctx, SATF_LIMIT, "a .npy array of more than %d pages", MOST_PAGES);
    }
    if (info->fortran && axes->count) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a .npy array of pages in Fortran order; save numpy.ascontiguousarray(a)");
    }
    reader->pages_apart = reader->source.bytes >= 0;
    return SATF_OK;
}

/* Checks that a file whose size is known has all the pages that it claims: a short header can claim
 * many. */
static satf_status check_pages(satf_context *ctx, const io_reader *reader, const npy *n)
{
    const satf_view *v = &n->page.view;
    int64_t bytes, all, left = reader->source.bytes - n->start;
    bool known = reader->pages > 1 && reader->source.bytes >= 0 && v->width > 0 && v->height > 0;
    if (known && (__builtin_mul_overflow(v->stride, v->height, &bytes) ||
                  __builtin_mul_overflow(bytes, reader->pages, &all) || all > left)) {
        return io_fail_short(ctx, NULL);
    }
    return SATF_OK;
}

static satf_status open_npy(satf_context *ctx, io_reader *reader)
{
    satf_npy info;
    satf_status status = satf_npy_read_header(ctx, read_header_bytes, &reader->source, &info);
    satf_type type = SATF_U8;
    int page = 0;
    status = status ? status : choose_type(ctx, &info, &type);
    status = status ? status : page_dimensions(ctx, &info, &page);
    status = status ? status : npy_count_pages(ctx, reader, &info, page);
    if (status) {
        return status;
    }
    npy *n = reader->state;
    n->swap = info.bytes > 1 && info.big != !IO_LITTLE_ENDIAN;
    n->boolean = info.kind == 'b';
    n->fortran = info.fortran;
    n->start = io_source_taken(&reader->source);
    double max = n->boolean ? 1 : (double)satf_type_max((int)type);
    const int64_t *shape = info.shape + info.dimensions - page;
    io_header_set(&n->page, shape[1], shape[0], page == 3 ? (int)shape[2] : 1, type, false, max);
    n->page.rows_in_order = !n->fortran;
    n->page.file_row_bytes = n->page.view.stride;
    return check_pages(ctx, reader, n);
}

/* Goes to a page. In a pipe the pages in between are read and passed over. */
static satf_status npy_go_to(satf_context *ctx, io_reader *reader, int64_t page)
{
    const npy *n = reader->state;
    io_source *source = &reader->source;
    const satf_view *v = &n->page.view;
    int64_t pixel = v->channels * (int64_t)satf_type_bytes(v->type);
    satf_status status = io_check_size(ctx, v->width, v->height, pixel);
    int64_t bytes, at;
    if (status) {
        return status;
    }
    if (__builtin_mul_overflow(v->stride, v->height, &bytes) ||
        __builtin_mul_overflow(bytes, page, &at) || __builtin_add_overflow(at, n->start, &at)) {
        return io_fail_short(ctx, NULL);
    }
    reader->header = n->page;
    if (source->bytes >= 0) {
        io_source_seek(source, at);
        return SATF_OK;
    }
    unsigned char passed[4096];
    for (int64_t left = at - io_source_taken(source); left > 0 && !status;) {
        size_t part = left < (int64_t)sizeof passed ? (size_t)left : sizeof passed;
        bool there = io_source_read(source, passed, part) == part;
        status = there ? satf_tick(ctx) : io_fail_short(ctx, source);
        left -= (int64_t)part;
    }
    return status;
}

/* The next bytes of the array, as samples of the machine. */
static satf_status take_samples(satf_context *ctx, io_reader *reader, unsigned char *to,
                                size_t bytes)
{
    const npy *n = reader->state;
    size_t sample = satf_type_bytes(reader->header.view.type);
    if (io_source_read(&reader->source, to, bytes) != bytes) {
        return io_fail_short(ctx, &reader->source);
    }
    if (n->swap) {
        io_swap_bytes(to, bytes / sample, sample);
    }
    for (size_t i = 0; n->boolean && i < bytes; i++) {
        if (to[i] > 1) {
            return satf_fail(ctx, SATF_DATA, "the .npy file is damaged: a bool is %d", to[i]);
        }
    }
    return SATF_OK;
}

/* Columns of channel c, from column x on, to their places in the rows of dst. */
static void place_columns(const satf_view *v, const unsigned char *columns, int64_t x,
                          int64_t count, int c, char *dst, int64_t stride)
{
    size_t sample = satf_type_bytes(v->type);
    for (int64_t y = 0; y < v->height; y++) {
        for (int64_t i = 0; i < count; i++) {
            memcpy(dst + y * stride + (size_t)((x + i) * v->channels + c) * sample,
                   columns + (size_t)(i * v->height + y) * sample, sample);
        }
    }
}

/* The whole picture, some columns at a time, so that they are placed from the cache. */
static satf_status read_columns(satf_context *ctx, io_reader *reader, char *dst, int64_t stride)
{
    const satf_view *v = &reader->header.view;
    size_t bytes;
    if (!satf_mul((size_t)v->height, satf_type_bytes(v->type), &bytes)) {
        bytes = SIZE_MAX;
    }
    int64_t most = bytes < COLUMNS_BYTES ? (int64_t)(COLUMNS_BYTES / bytes) : 1;
    most = most < v->width ? most : v->width;
    satf_status status = io_check_bytes(ctx, bytes);
    if (status) {
        return status;
    }
    unsigned char *columns = satf_alloc((size_t)most * bytes);
    if (!columns) {
        return satf_fail_memory(ctx, (size_t)most * bytes, "columns of a .npy array");
    }
    for (int c = 0; c < v->channels && !status; c++) {
        for (int64_t x = 0; x < v->width && !status; x += most) {
            int64_t count = v->width - x < most ? v->width - x : most;
            status = take_samples(ctx, reader, columns, (size_t)count * bytes);
            if (!status) {
                place_columns(v, columns, x, count, c, dst, stride);
            }
        }
    }
    satf_free(columns);
    return status;
}

static satf_status npy_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                                 int64_t rows)
{
    const npy *n = reader->state;
    if (n->fortran) {
        return read_columns(ctx, reader, dst, stride);
    }
    satf_status status = SATF_OK;
    for (int64_t y = 0; y < rows && !status; y++) {
        status = take_samples(ctx, reader, (unsigned char *)dst + y * stride,
                              (size_t)reader->header.view.stride);
    }
    return status;
}

/* ----------------------------------------------------------------- writing */

/* "3, 20, " of the pages; "" of a picture by itself. */
static void describe_pages(const io_pages *pages, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < pages->axes.count && used < room; i++) {
        used += (size_t)snprintf(text + used, room - used, "%" PRId64 ", ", pages->axes.size[i]);
    }
    if (!pages->axes.count && pages->wanted > 1) {
        snprintf(text, room, "%" PRId64 ", ", pages->wanted);
    }
}

/* Whether the file's samples are booleans. */
static bool is_boolean(const satf_view *out)
{
    return out->full == 1;
}

static const char *sample_name(const satf_view *out)
{
    return is_boolean(out) ? "bool" : satf_type_name(out->type);
}

/* The first page brings the header. */
static satf_status npy_create(satf_context *ctx, io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    size_t sample = satf_type_bytes(v->type);
    char dictionary[320], pages[160], channels[16] = "";
    if (writer->page > 0) {
        return SATF_OK;
    }
    if (writer->pages->wanted < 1) {
        return satf_fail(ctx, SATF_INVALID,
                         "how many pages an array has must be known before the first");
    }
    if (v->channels > 1) {
        snprintf(channels, sizeof channels, ", %d", (int)v->channels);
    }
    describe_pages(writer->pages, pages, sizeof pages);
    char order = sample == 1 ? '|' : IO_LITTLE_ENDIAN ? '<' : '>';
    char kind = is_boolean(v)                  ? 'b'
                : satf_type_is_float(v->type)  ? 'f'
                : satf_type_is_signed(v->type) ? 'i'
                                               : 'u';
    int n = snprintf(dictionary, sizeof dictionary,
                     "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s%" PRId64
                     ", %" PRId64 "%s), }",
                     order, kind, sample, pages, v->height, v->width, channels);
    /* Blanks and a newline, so that the samples begin at a multiple of 64. */
    unsigned char header[448];
    memset(header, ' ', sizeof header);
    size_t all = satf_align64(10 + (size_t)n + 1);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (unsigned char)((all - 10) & 0xff);
    header[9] = (unsigned char)((all - 10) >> 8);
    memcpy(header + 10, dictionary, (size_t)n);
    header[all - 1] = '\n';
    return io_write(ctx, writer, header, all);
}

static satf_status check_bools(satf_context *ctx, const unsigned char *samples, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (samples[i] > 1) {
            return satf_fail(ctx, SATF_INVALID,
                             "a sample is %d, and the full scale says that all are 0 or 1",
                             samples[i]);
        }
    }
    return SATF_OK;
}

static satf_status npy_put(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                           int64_t n)
{
    size_t bytes = (size_t)writer->plan.out.stride;
    satf_status status = SATF_OK;
    for (int64_t y = 0; y < n && !status; y++) {
        const unsigned char *row = (const unsigned char *)src + y * stride;
        status = is_boolean(&writer->plan.out) ? check_bools(ctx, row, bytes) : SATF_OK;
        status = status ? status : io_write(ctx, writer, row, bytes);
    }
    return status;
}

/* An array has all its pages, of one shape. */
static satf_status finish_pages(satf_context *ctx, io_pages *pages)
{
    if (pages->count != pages->wanted) {
        return satf_fail(ctx, SATF_INVALID,
                         "an array has all its pages, and %" PRId64 " of %" PRId64
                         " are missing; write .tif, or leave them out",
                         pages->wanted - pages->count, pages->wanted);
    }
    const satf_view *first = &pages->at[0].view;
    for (int64_t i = 1; i < pages->count; i++) {
        const satf_view *v = &pages->at[i].view;
        if (v->width != first->width || v->height != first->height ||
            v->channels != first->channels || v->type != first->type || v->full != first->full) {
            return satf_fail(ctx, SATF_UNSUPPORTED,
                             "page %" PRId64 " of the result is %" PRId64 " x %" PRId64
                             ", %d channels of %s, and the first %" PRId64 " x %" PRId64
                             ", %d of %s: an array has pages of one shape; write .tif",
                             i + 1, v->width, v->height, (int)v->channels, sample_name(v),
                             first->width, first->height, (int)first->channels, sample_name(first));
        }
    }
    return SATF_OK;
}

const io_format io_npy = {
    .name = "npy",
    .suffixes = "npy",
    .help = "NumPy array of plain values, (H, W), (H, W, C), and pages of these",
    .fit_for_strangers = true,
    .probe = npy_probe,
    .reader_bytes = sizeof(npy),
    .open = open_npy,
    .go_to = npy_go_to,
    .rows = npy_read_rows,
    .stores_bools = true,
    .value_types = IO_VALUE_TYPES,
    .channel_mask = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4,
    .stores_alpha = true, /* as one more channel */
    .create = npy_create,
    .put = npy_put,
    .holds_pages = true,
    .pages_alike = true,
    .finish_pages = finish_pages,
};
