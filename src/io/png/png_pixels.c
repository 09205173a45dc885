/* Inflating a PNG's pixels row by row. */
#include "png_pixels.h"

#include <string.h>
#include <zlib.h>

#include "../../base/cpu.h"
#include "png_kernels.h"
#include "png_strip.h"

struct io_png_pixels {
    io_source *source;
    z_stream z;
    int result;        /* zlib's latest; Z_OK: the stream goes on */
    int64_t idat_left; /* bytes of the chunk that have not been taken */
    uLong crc;         /* of those that have, and of its name */
    size_t row_bytes, pixel_bytes;
    int64_t rows_left; /* that have not been inflated */
    uint8_t *filtered; /* `batch` rows, each behind its filter's number; those from `next` on, of
                        * `filled`, have not been asked for. Rows that are inflated one by one would
                        * take longer. */
    int64_t batch, next, filled;
    uint8_t *row, *above; /* the latest two rows, of which the first has no filter any more */
    uint8_t *rows;        /* their memory */
};

static satf_status fail_data(satf_context *ctx, const char *why)
{
    return satf_fail(ctx, SATF_DATA, "the PNG is damaged: %s", why);
}

/* ------------------------------------------------------------------ chunks */

static void begin_chunk(io_png_pixels *p, uint32_t bytes)
{
    p->idat_left = bytes;
    p->crc = crc32(crc32(0, NULL, 0), (const Bytef *)"IDAT", 4);
}

/* The checksum behind the data. */
static satf_status end_chunk(satf_context *ctx, io_png_pixels *p)
{
    uint8_t sum[4];
    if (io_source_read(p->source, sum, sizeof sum) != sizeof sum) {
        return io_fail_short(ctx, p->source);
    }
    return io_load_big(sum, 4) == p->crc ? SATF_OK : fail_data(ctx, "IDAT: CRC error");
}

static satf_status next_chunk(satf_context *ctx, io_png_pixels *p)
{
    uint8_t head[8];
    satf_status status = end_chunk(ctx, p);
    if (!status && io_source_read(p->source, head, sizeof head) != sizeof head) {
        status = io_fail_short(ctx, p->source);
    }
    if (!status && (memcmp(head + 4, "IDAT", 4) != 0 || io_load_big(head, 4) > INT32_MAX)) {
        status = fail_data(ctx, "Not enough image data");
    }
    if (!status) {
        begin_chunk(p, (uint32_t)io_load_big(head, 4));
    }
    return status;
}

/* Hands zlib what the source has at hand of the chunk, or gets more. */
static satf_status take_piece(satf_context *ctx, io_png_pixels *p)
{
    io_source *source = p->source;
    if (source->at == source->end && !io_source_fill(source)) {
        return io_fail_short(ctx, source);
    }
    int64_t n = source->end - source->at;
    n = n < p->idat_left ? n : p->idat_left;
    p->z.next_in = (Bytef *)(uintptr_t)source->at; /* zlib does not write to it */
    p->z.avail_in = (uInt)n;
    p->crc = crc32(p->crc, source->at, (uInt)n);
    p->idat_left -= n;
    source->at += n;
    return SATF_OK;
}

/* Inflates up to n bytes, at least one unless the stream ends; it goes on yet. */
static satf_status inflate_some(satf_context *ctx, io_png_pixels *p, uint8_t *to, size_t n,
                                size_t *made)
{
    enum { MOST = 1 << 20 }; /* so that the callback is asked in large rows too */
    uInt room = n < MOST ? (uInt)n : MOST;
    p->z.next_out = to;
    p->z.avail_out = room;
    do {
        satf_status status = satf_tick(ctx);
        while (p->z.avail_in == 0 && p->idat_left == 0 && !status) {
            status = next_chunk(ctx, p);
        }
        if (p->z.avail_in == 0 && !status) {
            status = take_piece(ctx, p);
        }
        if (status) {
            return status;
        }
        p->result = inflate(&p->z, Z_NO_FLUSH);
        if (p->result != Z_OK && p->result != Z_STREAM_END) {
            return p->result == Z_MEM_ERROR
                       ? satf_fail(ctx, SATF_NO_MEMORY, "zlib is out of memory")
                       : fail_data(ctx, p->z.msg ? p->z.msg : "IDAT: unexpected end");
        }
    } while (p->result == Z_OK && p->z.avail_out == room);
    *made = room - p->z.avail_out;
    return SATF_OK;
}

/* ------------------------------------------------------------------ rows */

static satf_status png_fill(satf_context *ctx, io_png_pixels *p)
{
    p->next = 0;
    p->filled = p->batch < p->rows_left ? p->batch : p->rows_left;
    size_t n = (size_t)p->filled * (p->row_bytes + 1);
    for (size_t at = 0, made; at < n; at += made) {
        satf_status status = SATF_OK;
        made = 0;
        if (p->result == Z_OK) {
            status = inflate_some(ctx, p, p->filtered + at, n - at, &made);
        }
        if (!status && p->result == Z_STREAM_END && at + made < n) {
            status = fail_data(ctx, "Not enough image data");
        }
        if (status) {
            return status;
        }
    }
    p->rows_left -= p->filled;
    return SATF_OK;
}

satf_status io_png_pixels_row(satf_context *ctx, io_png_pixels *p, const uint8_t **row)
{
    satf_status status = p->next == p->filled ? png_fill(ctx, p) : SATF_OK;
    if (status) {
        return status;
    }
    const uint8_t *from = p->filtered + (size_t)p->next++ * (p->row_bytes + 1);
    uint8_t *spare = p->above;
    if (*from >= IO_PNG_FILTERS) {
        return fail_data(ctx, "bad adaptive filter value");
    }
    p->above = p->row;
    p->row = spare;
    SATF_ISA_CHOOSE(&io_png_kernels)
        ->restore(*from, p->row_bytes, p->pixel_bytes, from + 1, p->above, p->row);
    *row = p->row;
    return SATF_OK;
}

satf_status io_png_pixels_end(satf_context *ctx, io_png_pixels *p)
{
    /* Like libpng, takes no offence at pixels too many. */
    while (p->result == Z_OK) {
        uint8_t ignored[1024];
        size_t made;
        satf_status status = inflate_some(ctx, p, ignored, sizeof ignored, &made);
        if (status) {
            return status;
        }
    }
    while (p->idat_left > 0) {
        satf_status status = take_piece(ctx, p);
        if (status) {
            return status;
        }
    }
    return end_chunk(ctx, p);
}

/* ------------------------------------------------------------------ the whole */

satf_status io_png_pixels_open(satf_context *ctx, io_source *source, uint32_t idat_bytes,
                               const io_header *header, io_png_pixels **out)
{
    enum { BATCH_BYTES = 64 << 10 };
    const satf_view *v = &header->view;
    io_png_pixels *p = *out = satf_alloc_zeroed(sizeof *p);
    if (!p) {
        return satf_fail_memory(ctx, sizeof *p, "a PNG's pixels");
    }
    p->source = source;
    p->row_bytes = (size_t)v->stride;
    p->pixel_bytes = (size_t)v->channels * satf_type_bytes(v->type);
    p->rows_left = v->height;
    p->batch = (int64_t)(BATCH_BYTES / (p->row_bytes + 1));
    p->batch = p->batch < 1 ? 1 : p->batch < v->height ? p->batch : v->height;
    begin_chunk(p, idat_bytes);
    p->z = (z_stream){.zalloc = io_zlib_alloc, .zfree = io_zlib_free};
    size_t bytes = (size_t)p->batch * (p->row_bytes + 1);
    p->filtered = satf_alloc(bytes);
    p->rows = satf_alloc_zeroed(2 * p->row_bytes);
    if (!p->filtered || !p->rows) {
        return satf_fail_memory(ctx, bytes + 2 * p->row_bytes, "rows of a PNG");
    }
    p->row = p->rows;
    p->above = p->rows + p->row_bytes;
    return inflateInit(&p->z) == Z_OK ? SATF_OK
                                      : satf_fail(ctx, SATF_NO_MEMORY, "zlib is out of memory");
}

void io_png_pixels_close(io_png_pixels *p)
{
    if (p) {
        inflateEnd(&p->z); /* which lets be what was never begun */
        satf_free(p->filtered);
        satf_free(p->rows);
        satf_free(p);
    }
}
