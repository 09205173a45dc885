/* TIFF's strips and tiles, as chunks of rows: the least that comes out of the file at a time. */
#include "tiff_common.h"

#include <string.h>

/* Strips above this are decoded row by row. Tiles above the other limit must not be larger than the
 * picture, which its file's size vouches for. */
enum { STRIP_BYTES = 1 << 20, TILE_BYTES = 64 << 20 };

static int64_t rows_per_strip(const io_tiff_state *t)
{
    uint32_t rows = 0;
    TIFFGetFieldDefaulted(t->tif, TIFFTAG_ROWSPERSTRIP, &rows);
    return rows < 1 || rows > t->height ? t->height : rows;
}

static uint32_t tile_side(const io_tiff_state *t, uint32_t tag)
{
    uint32_t pixels = 0;
    TIFFGetField(t->tif, tag, &pixels);
    return pixels;
}

static void choose_way(io_tiff_state *t)
{
    uint32_t rows = tile_side(t, TIFFTAG_TILELENGTH);
    uint64_t samples = (uint64_t)t->width * (t->planes > 1 ? 1 : t->samples);
    t->row_bytes = (size_t)((samples * t->bits + 7) / 8);
    t->chunk_rows = 1;
    if (t->ycbcr.width > 0) {
        int64_t most = t->tiled ? rows : rows_per_strip(t);
        t->way = IO_TIFF_BLOCKS;
        t->chunk_rows = most < t->height ? most : t->height;
    } else if (t->tiled) {
        t->way = IO_TIFF_TILES;
        t->chunk_rows = rows < t->height ? rows : t->height;
    } else if (t->compression == COMPRESSION_NONE) {
        t->way = IO_TIFF_PLAIN;
    } else if (t->planes == 1 && t->compression != COMPRESSION_OJPEG && /* gives a row at most */
               (uint64_t)rows_per_strip(t) * t->row_bytes > STRIP_BYTES) {
        t->way = IO_TIFF_SCANLINES;
    } else {
        t->way = IO_TIFF_STRIPS;
        t->chunk_rows = rows_per_strip(t);
    }
}

/* The bytes of the file's part that is decoded into t->tile, if any is. */
static uint64_t part_bytes(const io_tiff_state *t)
{
    return t->tiled                   ? TIFFTileSize64(t->tif)
           : t->way == IO_TIFF_BLOCKS ? TIFFStripSize64(t->tif)
                                      : 0;
}

/* libtiff must count bytes as we do, for it writes them. */
static bool is_usual(const io_tiff_state *t)
{
    if (t->way == IO_TIFF_BLOCKS) {
        return part_bytes(t) > 0 &&
               part_bytes(t) ==
                   (t->tiled ? io_tiff_ycbcr_bytes(t, tile_side(t, TIFFTAG_TILEWIDTH),
                                                   tile_side(t, TIFFTAG_TILELENGTH))
                             : io_tiff_ycbcr_bytes(t, (uint64_t)t->width, (uint64_t)t->chunk_rows));
    }
    if (!t->tiled) {
        return TIFFScanlineSize64(t->tif) == t->row_bytes;
    }
    uint32_t width = tile_side(t, TIFFTAG_TILEWIDTH);
    uint64_t bits = (uint64_t)width * t->bits * (t->planes > 1 ? 1 : t->samples);
    return width > 0 && t->chunk_rows > 0 && bits % 8 == 0 && TIFFTileRowSize64(t->tif) == bits / 8;
}

satf_status io_tiff_start(io_tiff_state *t, io_header *header)
{
    choose_way(t);
    if (!is_usual(t)) {
        return satf_fail(t->ctx, SATF_UNSUPPORTED,
                         "a TIFF whose rows are of an unusual layout (subsampled, or tiles that "
                         "are no whole bytes)");
    }
    uint64_t tile = part_bytes(t), chunk;
    if (t->tiled && (tile == 0 || (tile > TILE_BYTES && tile > io_tiff_picture_bytes(t)))) {
        return satf_fail(t->ctx, SATF_DATA, "the TIFF is damaged: a tile of %u x %u pixels",
                         tile_side(t, TIFFTAG_TILEWIDTH), tile_side(t, TIFFTAG_TILELENGTH));
    }
    /* all samples of a row, and those of a plane */
    size_t row =
        (size_t)t->width * (t->samples + (t->planes > 1)) * satf_type_bytes(header->view.type);
    if (__builtin_mul_overflow((uint64_t)t->row_bytes * t->planes, (uint64_t)t->chunk_rows,
                               &chunk) ||
        __builtin_add_overflow(chunk, tile + row, &header->held_bytes)) {
        header->held_bytes = UINT64_MAX;
    }
    satf_status status = io_check_bytes(t->ctx, header->held_bytes);
    if (status) {
        return status;
    }
    header->file_row_bytes = t->way == IO_TIFF_PLAIN ? (int64_t)(t->row_bytes * t->planes) : 0;
    t->chunk = satf_alloc_zeroed((size_t)chunk);
    t->tile = tile ? satf_alloc_zeroed((size_t)tile) : NULL;
    t->row = satf_alloc(row);
    return t->chunk && t->row && (t->tile || !tile)
               ? SATF_OK
               : satf_fail_memory(t->ctx, (size_t)header->held_bytes, "rows of a TIFF");
}

/* It, and libjpeg, say so of what they cannot decode, sound or not. */
static bool is_unsupported(const char *message)
{
    static const char *const words[] = {"not supported", "Unsupported", "not implemented",
                                        "data precision"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        found = found || strstr(message, words[i]);
    }
    return found;
}

satf_status io_tiff_fail(const io_tiff_state *t)
{
    if (t->status) {
        return t->status;
    }
    if (is_unsupported(t->message)) {
        return satf_fail(t->ctx, SATF_UNSUPPORTED, "a TIFF that libtiff does not decode: %s",
                         t->message);
    }
    return satf_fail(t->ctx, SATF_DATA, "the TIFF is damaged: %s",
                     t->message[0]       ? t->message
                     : io_tiff_is_fax(t) ? "the fax ends before its last line"
                                         : "libtiff does not say how");
}

/* libtiff takes memory for a strip's or tile's bytes as they are in the file. */
static satf_status charge(io_tiff_state *t, uint32_t strile)
{
    uint64_t bytes = TIFFGetStrileByteCount(t->tif, strile);
    bytes = bytes < (uint64_t)t->source->bytes ? bytes : (uint64_t)t->source->bytes;
    if (bytes > t->charge.bytes && !satf_charge_add(&t->charge, (size_t)bytes - t->charge.bytes)) {
        return satf_fail_memory(t->ctx, (size_t)bytes, "a part of a TIFF");
    }
    return SATF_OK;
}

static satf_status take_plain(io_tiff_state *t, int64_t y)
{
    int64_t rows = rows_per_strip(t), strips = (t->height + rows - 1) / rows;
    for (unsigned p = 0; p < t->planes; p++) {
        uint32_t strip = (uint32_t)((int64_t)p * strips + y / rows);
        uint64_t from = (uint64_t)(y % rows) * t->row_bytes;
        unsigned char *to = t->chunk + p * t->row_bytes;
        uint64_t start = TIFFGetStrileOffset(t->tif, strip);
        uint64_t bytes = TIFFGetStrileByteCount(t->tif, strip);
        if (bytes == 0) {
            return satf_fail(t->ctx, SATF_UNSUPPORTED,
                             "a TIFF of which a strip is not in the file");
        }
        if (bytes < from + t->row_bytes || start > (uint64_t)t->source->bytes ||
            io_source_look(t->source, (int64_t)(start + from), to, t->row_bytes) != t->row_bytes) {
            return satf_fail(t->ctx, SATF_DATA, "the TIFF is damaged: a strip is too short");
        }
    }
    uint16_t order = 0;
    size_t all = t->row_bytes * t->planes, sample = t->bits / 8;
    if (TIFFGetFieldDefaulted(t->tif, TIFFTAG_FILLORDER, &order) && order == FILLORDER_LSB2MSB) {
        TIFFReverseBits(t->chunk, (tmsize_t)all);
    }
    if (TIFFIsByteSwapped(t->tif) && t->bits == 24) {
        TIFFSwabArrayOfTriples(t->chunk, (tmsize_t)(all / sample));
    } else if (TIFFIsByteSwapped(t->tif) && t->bits % 8 == 0 && sample > 1) {
        io_swap_bytes(t->chunk, all / sample, sample);
    }
    return SATF_OK;
}

static satf_status take_scanline(io_tiff_state *t, int64_t y)
{
    satf_status status = charge(t, TIFFComputeStrip(t->tif, (uint32_t)y, 0));
    if (!status && TIFFReadScanline(t->tif, t->chunk, (uint32_t)y, 0) != 1) {
        status = io_tiff_fail(t);
    }
    return status;
}

static satf_status tiff_take_strips(io_tiff_state *t, int64_t y)
{
    t->chunk_count = t->height - y < t->chunk_rows ? t->height - y : t->chunk_rows;
    tmsize_t bytes = (tmsize_t)((size_t)t->chunk_count * t->row_bytes);
    satf_status status = SATF_OK;
    for (unsigned p = 0; p < t->planes && !status; p++) {
        uint32_t strip = TIFFComputeStrip(t->tif, (uint32_t)y, (uint16_t)p);
        unsigned char *to = t->chunk + (size_t)p * (size_t)t->chunk_rows * t->row_bytes;
        status = charge(t, strip);
        io_tiff_fax_mark(t, to, (size_t)bytes);
        if (!status && (TIFFReadEncodedStrip(t->tif, strip, to, bytes) != bytes ||
                        io_tiff_fax_is_cut(t, to + (size_t)bytes - t->row_bytes, t->row_bytes))) {
            status = io_tiff_fail(t);
        }
    }
    return status;
}

/* The tile at (x, y) of plane p, into its place among the rows of the chunk. */
static satf_status take_tile(io_tiff_state *t, int64_t x, int64_t y, unsigned p, size_t at)
{
    uint32_t tile = TIFFComputeTile(t->tif, (uint32_t)x, (uint32_t)y, 0, (uint16_t)p);
    tmsize_t bytes = TIFFTileSize(t->tif);
    size_t tile_row = (size_t)TIFFTileRowSize(t->tif);
    satf_status status = charge(t, tile);
    io_tiff_fax_mark(t, t->tile, (size_t)bytes);
    if (!status && (TIFFReadEncodedTile(t->tif, tile, t->tile, bytes) != bytes ||
                    io_tiff_fax_is_cut(t, t->tile + (size_t)bytes - tile_row, tile_row))) {
        status = io_tiff_fail(t);
    }
    size_t n = tile_row < t->row_bytes - at ? tile_row : t->row_bytes - at;
    for (int64_t r = 0; r < t->chunk_count && !status; r++) {
        unsigned char *row = t->chunk + ((int64_t)p * t->chunk_rows + r) * (int64_t)t->row_bytes;
        memcpy(row + at, t->tile + (size_t)r * tile_row, n);
    }
    return status;
}

static satf_status take_tiles(io_tiff_state *t, int64_t y)
{
    int64_t width = tile_side(t, TIFFTAG_TILEWIDTH);
    size_t tile_row = (size_t)TIFFTileRowSize(t->tif);
    t->chunk_count = t->height - y < t->chunk_rows ? t->height - y : t->chunk_rows;
    satf_status status = SATF_OK;
    for (unsigned p = 0; p < t->planes && !status; p++) {
        size_t at = 0;
        for (int64_t x = 0; x < t->width && !status; x += width, at += tile_row) {
            status = take_tile(t, x, y, p, at);
            status = status ? status : satf_tick(t->ctx);
        }
    }
    return status;
}

/* The strip at row y, or a row of tiles, of YCbCr. */
static satf_status take_blocks(io_tiff_state *t, int64_t y)
{
    int64_t width = t->tiled ? tile_side(t, TIFFTAG_TILEWIDTH) : t->width;
    t->chunk_count = t->height - y < t->chunk_rows ? t->height - y : t->chunk_rows;
    satf_status status = SATF_OK;
    for (int64_t x = 0; x < t->width && !status; x += width) {
        uint32_t part = t->tiled ? TIFFComputeTile(t->tif, (uint32_t)x, (uint32_t)y, 0, 0)
                                 : TIFFComputeStrip(t->tif, (uint32_t)y, 0);
        tmsize_t bytes = (tmsize_t)(t->tiled ? part_bytes(t)
                                             : io_tiff_ycbcr_bytes(t, (uint64_t)width,
                                                                   (uint64_t)t->chunk_count));
        status = charge(t, part);
        tmsize_t got = status     ? 0
                       : t->tiled ? TIFFReadEncodedTile(t->tif, part, t->tile, bytes)
                                  : TIFFReadEncodedStrip(t->tif, part, t->tile, bytes);
        status = status ? status : got != bytes ? io_tiff_fail(t) : satf_tick(t->ctx);
        if (!status) {
            io_tiff_ycbcr_spread(t, x, width);
        }
    }
    return status;
}

static satf_status tiff_take_chunk(io_tiff_state *t, int64_t y)
{
    switch (t->way) {
    case IO_TIFF_PLAIN:
        return take_plain(t, y);
    case IO_TIFF_SCANLINES:
        return take_scanline(t, y);
    case IO_TIFF_STRIPS:
        return tiff_take_strips(t, y);
    case IO_TIFF_TILES:
        return take_tiles(t, y);
    case IO_TIFF_BLOCKS:
        return take_blocks(t, y);
    }
    return SATF_UNSUPPORTED;
}

satf_status io_tiff_decode(io_tiff_state *t, int64_t y)
{
    t->chunk_first = y;
    t->chunk_count = 1;
    t->message[0] = 0;
    t->bad_code = 0;
    jmp_buf escape;
    t->escape = &escape;
    satf_status status;
    if (setjmp(escape) == 0) {
        status = tiff_take_chunk(t, y);
    } else {
        status = satf_fail(t->ctx, SATF_NO_MEMORY, "libjpeg is out of memory");
    }
    t->escape = NULL;
    if (!status && t->bad_lines > t->height / 2) { /* another compression than its tag says? */
        return satf_fail(t->ctx, SATF_DATA,
                         "the TIFF is damaged: more than half of its fax's lines are");
    }
    return !status && t->warned ? io_tiff_fail(t) : status;
}
