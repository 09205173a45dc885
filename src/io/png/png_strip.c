/* One strip of a PNG: its rows are filtered and deflated. */
#include "png_strip.h"

#include <string.h>

#include "../../base/cpu.h"
#include "png_kernels.h"

enum {
    DICTIONARY_BYTES = 32 << 10, /* as far as deflate looks back */
    /* A strip ends when it has so many surprises, which take bytes in the file. Beginning another
     * costs about 100 bytes there: a new code, and the end of the old one at a whole byte. */
    SURPRISES = 128 << 10,
    /* Pictures without surprises take a thousandth, so their strips are larger, 20 bytes each. */
    IN_BYTES = 1 << 20,
    HEAD_BYTES = 2, /* of a zlib stream */
    LOOKAHEAD = 262 /* bytes of its window that deflate keeps for what comes */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Runs alone are looked for, and they reach one byte back. */
static bool looks_back(const io_png_shape *shape)
{
    return shape->level > 1;
}

void io_png_shape_set(io_png_shape *shape)
{
    size_t filtered = shape->row_bytes + 1;
    shape->stride = shape->row_bytes + shape->pixel_bytes;
    shape->before = 1;
    if (looks_back(shape)) {
        shape->before += (int64_t)((DICTIONARY_BYTES + filtered - 1) / filtered);
    }
    shape->rows = (int64_t)(IN_BYTES / shape->stride);
    shape->rows = shape->rows < 1 ? 1 : shape->rows;
    shape->rows = shape->rows < shape->height ? shape->rows : shape->height;
    shape->strips = shape->height; /* each but the last has so many bytes or more */
    if (shape->stride < SURPRISES) {
        shape->strips = 1 + shape->height / (int64_t)(SURPRISES / shape->stride);
    }
    shape->in_bytes = (size_t)(shape->before + shape->rows) * shape->stride;
    shape->filtered_bytes = (size_t)(shape->before + shape->rows) * filtered;
    /* 9 bits are the most that deflate takes for a byte, by its fixed code. */
    size_t bytes = (size_t)shape->rows * filtered;
    shape->out_bytes = bytes + bytes / 8 + bytes / 1024 + 64;
    size_t all;
    bool small = satf_mul((size_t)shape->height, filtered, &all);
    shape->window = 15;
    while (small && shape->window > 9 && all + LOOKAHEAD <= (size_t)1 << (shape->window - 1)) {
        shape->window--;
    }
}

/* ------------------------------------------------------------------ rows */

bool io_png_strip_alloc(const io_png_shape *shape, io_png_strip *strip)
{
    strip->in = satf_alloc(shape->in_bytes);
    strip->out = satf_alloc(shape->out_bytes);
    if (strip->in && strip->out) {
        return true;
    }
    io_png_strip_free(strip);
    return false;
}

void io_png_strip_free(io_png_strip *strip)
{
    satf_free(strip->in);
    satf_free(strip->out);
    strip->in = strip->out = NULL;
}

void io_png_strip_begin(const io_png_shape *shape, io_png_strip *strip, const io_png_strip *before)
{
    int64_t kept = 1;
    if (before) {
        int64_t there = before->before + before->rows;
        kept = shape->before < there ? shape->before : there;
        memmove(strip->in, before->in + (size_t)(there - kept) * shape->stride,
                (size_t)kept * shape->stride);
    } else {
        memset(strip->in, 0, shape->stride);
    }
    strip->first = !before;
    strip->last = strip->done = strip->failed = false;
    strip->before = kept;
    strip->rows = 0;
    strip->surprises = 0;
}

bool io_png_strip_add(const io_png_shape *shape, io_png_strip *strip)
{
    uint8_t *row = io_png_strip_row(shape, strip);
    memset(row - shape->pixel_bytes, 0, shape->pixel_bytes);
    strip->surprises +=
        SATF_ISA_CHOOSE(&io_png_kernels)
            ->surprises(shape->row_bytes, shape->pixel_bytes, row, row - shape->stride);
    strip->rows++;
    return strip->rows == shape->rows || strip->surprises >= SURPRISES;
}

/* ------------------------------------------------------------------ coders */

void *io_zlib_alloc(void *user, uInt items, uInt size)
{
    (void)user;
    return satf_alloc((size_t)items * size);
}

void io_zlib_free(void *user, void *memory)
{
    (void)user;
    satf_free(memory);
}

size_t io_png_coder_bytes(const io_png_shape *shape)
{
    enum { ZLIB_BYTES = 272 << 10 }; /* by zlib's documentation 256 KiB, and a few more */
    return shape->filtered_bytes + ZLIB_BYTES;
}

/* Level 1 looks for runs instead of matches: half the time at about the size (docs/formats.md). */
bool io_png_coder_open(const io_png_shape *shape, io_png_coder *coder)
{
    enum { MEMORY = 8 }; /* zlib's default */
    int strategy = shape->level == 1 ? Z_RLE : Z_FILTERED;
    *coder = (io_png_coder){.z = {.zalloc = io_zlib_alloc, .zfree = io_zlib_free},
                            .filtered = satf_alloc(shape->filtered_bytes)};
    if (coder->filtered && deflateInit2(&coder->z, shape->level, Z_DEFLATED, -shape->window, MEMORY,
                                        strategy) == Z_OK) {
        return true;
    }
    satf_free(coder->filtered);
    coder->filtered = NULL;
    return false;
}

void io_png_coder_close(io_png_coder *coder)
{
    if (coder->filtered) {
        deflateEnd(&coder->z);
        satf_free(coder->filtered);
        coder->filtered = NULL;
    }
}

/* The rows from number `from` on, filtered; from > 0. Returns their number of bytes. */
static size_t filter_rows(const io_png_shape *shape, const io_png_strip *strip, uint8_t *to)
{
    const io_png_kernels *k = SATF_ISA_CHOOSE(&io_png_kernels);
    size_t n = shape->row_bytes, step = shape->pixel_bytes;
    const uint8_t *row = strip->in + shape->stride + step;
    uint8_t *at = to;
    for (int64_t y = 1; y < strip->before + strip->rows; y++) {
        const uint8_t *above = row - shape->stride;
        int filter = shape->level == 1 ? IO_PNG_UP : IO_PNG_NONE;
        if (shape->level > 1 && !shape->plain) {
            filter = k->choose(n, step, row, above);
        }
        *at = (uint8_t)filter;
        k->filter(filter, n, step, row, above, at + 1);
        at += n + 1;
        row += shape->stride;
    }
    return (size_t)(at - to);
}

/* zlib counts in 32 bits. */
enum { ZLIB_MOST = 1 << 30 };

static uLong checksum(const uint8_t *bytes, size_t n)
{
    uLong sum = adler32(0, NULL, 0);
    for (size_t at = 0; at < n; at += ZLIB_MOST) {
        sum = adler32(sum, bytes + at, (uInt)least(n - at, ZLIB_MOST));
    }
    return sum;
}

/* False unless n bytes are deflated to `room` at most, and the piece is closed as `flush` says. */
static bool deflate_bytes(z_stream *z, const uint8_t *bytes, size_t n, int flush, uint8_t *to,
                          size_t room, size_t *made)
{
    *made = 0;
    for (;;) {
        uInt in = (uInt)least(n, ZLIB_MOST), out = (uInt)least(room - *made, ZLIB_MOST);
        z->next_in = (Bytef *)(uintptr_t)bytes; /* zlib does not write to it */
        z->avail_in = in;
        z->next_out = to + *made;
        z->avail_out = out;
        int result = deflate(z, in == n ? flush : Z_NO_FLUSH);
        bytes += in - z->avail_in;
        n -= in - z->avail_in;
        *made += out - z->avail_out;
        if (result == Z_STREAM_END || (result == Z_OK && n == 0 && z->avail_out > 0)) {
            return true;
        }
        if (result != Z_OK || *made == room) {
            return false;
        }
    }
}

/* Makes the beginning of a zlib stream: the method, the window and, roughly, the level. */
static void make_head(const io_png_shape *shape, uint8_t head[HEAD_BYTES])
{
    int method = 8 | (shape->window - 8) << 4, level = shape->level;
    int effort = level < 2 ? 0 : level < 6 ? 1 : level == 6 ? 2 : 3;
    int word = method << 8 | effort << 6;
    word += 31 - word % 31;
    head[0] = (uint8_t)(word >> 8);
    head[1] = (uint8_t)word;
}

void io_png_strip_deflate(const io_png_shape *shape, io_png_coder *coder, io_png_strip *strip)
{
    size_t all = filter_rows(shape, strip, coder->filtered);
    size_t before = (size_t)(strip->before - 1) * (shape->row_bytes + 1);
    const uint8_t *own = coder->filtered + before;
    size_t head = strip->first ? HEAD_BYTES : 0;
    strip->bytes = all - before;
    strip->adler = checksum(own, strip->bytes);
    make_head(shape, strip->out);
    before = looks_back(shape) ? least(before, DICTIONARY_BYTES) : 0;
    bool good = deflateReset(&coder->z) == Z_OK;
    if (before > 0) {
        good = good && deflateSetDictionary(&coder->z, own - before, (uInt)before) == Z_OK;
    }
    strip->failed =
        !good || !deflate_bytes(&coder->z, own, strip->bytes, strip->last ? Z_FINISH : Z_SYNC_FLUSH,
                                strip->out + head, shape->out_bytes - head, &strip->out_bytes);
    strip->out_bytes += head;
}
