/* PNG through libpng: reading. */
#include <inttypes.h>
#include <string.h>

#include "png_common.h"

/* ---------------------------------------------------- callbacks, both ways */

png_voidp io_png_malloc(png_structp png, png_alloc_size_t bytes)
{
    io_png_state *state = png_get_mem_ptr(png);
    /* libpng warns of a chunk that is too large, and makes room for it nevertheless. */
    void *memory = state->over_limit ? NULL : satf_alloc(bytes);
    if (!memory && !state->over_limit) {
        state->status = satf_fail_memory(state->ctx, bytes, "libpng");
    }
    return memory;
}

void io_png_free(png_structp png, png_voidp memory)
{
    (void)png;
    satf_free(memory);
}

/* Messages of libpng about what it was told not to exceed. A header has but one size, so another is
 * damage. */
static bool speaks_of_limit(const char *message)
{
    return (strstr(message, "limit") || strstr(message, "too large")) &&
           strncmp(message, "IHDR", 4) != 0;
}

/* What libpng only warns of costs no pixel and no metadata that a program could use, but for what
 * it leaves out for its size, and transparency. When it does take a tRNS it says that "samples" are
 * out of range. */
void io_png_warning(png_structp png, png_const_charp message)
{
    io_png_state *state = png_get_error_ptr(png);
    state->over_limit |= !state->writer && !state->status && speaks_of_limit(message);
    if (state->header) {
        state->header->trns_ignored |= strstr(message, "tRNS") && !strstr(message, "samples");
    }
    if (strlen(message) > 4 && message[4] == ':') {
        char name[5] = "";
        memcpy(name, message, 4);
        io_list_name(state->warned, sizeof state->warned, name);
    }
}

_Noreturn void io_png_error(png_structp png, png_const_charp message)
{
    io_png_state *state = png_get_error_ptr(png);
    if (!state->status && !state->writer && (state->over_limit || speaks_of_limit(message))) {
        state->status = io_png_fail_metadata(state->ctx);
    }
    if (!state->status) {
        state->status =
            satf_fail(state->ctx, SATF_DATA, "%s: %s",
                      state->writer ? "libpng cannot write it" : "the PNG is damaged", message);
    }
    png_longjmp(png, 1);
}

/* A chunk of no pixels. Where png_pixels.c takes those that are there, libpng, which wants some
 * between what it reads in front of them and behind, gets this. */
static const png_byte no_pixels[] = "\0\0\0\x08IDAT\x78\x01\x03\0\0\0\0\x01\xc6\x19\x9e\x2e";

/* Whether the rows are as we want them but for the filters. */
static bool is_plain(const io_png_state *state)
{
    png_structp png = state->png;
    png_infop info = state->info;
    return png_get_bit_depth(png, info) >= 8 &&
           png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE &&
           png_get_interlace_type(png, info) == PNG_INTERLACE_NONE &&
           !png_get_valid(png, info, PNG_INFO_tRNS);
}

/* libpng has read n bytes, never more than a chunk's head or the rest of a chunk: looks out for the
 * first IDAT. */
static void look_at_chunk(io_png_state *state, png_bytep bytes, size_t n)
{
    if (state->chunk_left > 0) {
        state->chunk_left -= (int64_t)n;
        return;
    }
    state->chunk_left = (int64_t)png_get_uint_32(bytes) + 4;
    if (memcmp(bytes + 4, "IDAT", 4) == 0) {
        state->seen = true;
        if (is_plain(state)) {
            state->idat_bytes = png_get_uint_32(bytes);
            memcpy(bytes, no_pixels, IO_PNG_HEAD_BYTES);
            state->stand_in = no_pixels + IO_PNG_HEAD_BYTES;
        }
    }
}

static void png_read_bytes(png_structp png, png_bytep bytes, size_t n)
{
    io_png_state *state = png_get_io_ptr(png);
    if (state->stand_in) {
        memcpy(bytes, state->stand_in, n);
        state->stand_in += n;
        state->stand_in =
            state->stand_in == no_pixels + sizeof no_pixels - 1 ? NULL : state->stand_in;
        return;
    }
    if (io_source_read(state->source, bytes, n) != n) {
        state->status = io_fail_short(state->ctx, state->source);
        png_error(png, "truncated");
    }
    if (state->other_from >= 0 &&
        io_source_taken(state->source) - state->other_from > state->ctx->settings.max_metadata) {
        state->status = io_png_fail_metadata(state->ctx);
        png_error(png, "metadata");
    }
    if (!state->seen) {
        look_at_chunk(state, bytes, n);
    }
}

/* ----------------------------------------------------------------- opening */

bool io_png_probe(const unsigned char *head, size_t n)
{
    return n >= 8 && memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
}

/* Looks at IHDR before libpng does, so that the limit is named and nothing is allocated. libpng
 * says what else may be wrong with it. */
static satf_status check_claim(satf_context *ctx, io_source *source)
{
    if (io_source_peek(source, 33) < 33) {
        return io_fail_short(ctx, source);
    }
    const unsigned char *ihdr = source->at + 8;
    if (memcmp(ihdr + 4, "IHDR", 4) != 0) {
        return satf_fail(ctx, SATF_DATA, "the PNG is damaged: it does not begin with IHDR");
    }
    uint32_t width = png_get_uint_32(ihdr + 8), height = png_get_uint_32(ihdr + 12);
    static const unsigned channels[] = {1, 0, 3, 1, 2, 0, 4}; /* by colour type */
    unsigned depth = ihdr[16],
             colour = ihdr[17] < sizeof channels / sizeof *channels ? ihdr[17] : 0;
    satf_status status = io_check_size(ctx, width, height, 8);
    return status ? status
                  : io_check_ratio(ctx, source, (uint64_t)width * height * channels[colour], depth,
                                   "IEND", 4);
}

/* Chunks that libpng would read otherwise, or not at all, go to png_take_chunk(). */
static void skip_other_chunks(png_structp png)
{
    static const png_byte skipped[] = "bKGD\0cICP\0cLLI\0hIST\0iTXt\0mDCV\0oFFs\0pCAL\0sBIT\0sCAL\0"
                                      "sPLT\0tEXt\0tIME\0zTXt";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, skipped, sizeof skipped / 5);
}

#define HDR_ROW(NAME, chunk, bytes) {chunk, bytes},
const io_png_hdr io_png_hdrs[SATF_HDR_KINDS] = {SATF_HDR_LIST(HDR_ROW)};

/* The first of its kind in front of the pixels counts. Two names had a small letter at their end
 * before the standard was done. */
static bool take_hdr(const io_png_state *state, const png_unknown_chunk *chunk)
{
    satf_metadata *m = &state->header->metadata;
    for (int i = 0; i < SATF_HDR_KINDS; i++) {
        const io_png_hdr *kind = &io_png_hdrs[i];
        bool same = memcmp(chunk->name, kind->name, 3) == 0 &&
                    (chunk->name[3] | 0x20) == (kind->name[3] | 0x20);
        if (same && !state->seen && !m->has_hdr[i] && chunk->size == kind->bytes) {
            memcpy(m->hdr[i], chunk->data, chunk->size);
            m->has_hdr[i] = true;
            return true;
        }
    }
    return false;
}

/* Notes the names of other chunks, unless they are critical or say when the file was written.
 * Pictures of an animation are counted. */
static void png_note_other(const io_png_state *state, const char *name)
{
    bool other = (name[0] & 0x20) && strcmp(name, "tIME") != 0 && strcmp(name, "fcTL") != 0 &&
                 strcmp(name, "fdAT") != 0;
    if (other) {
        io_list_name(state->header->others, sizeof state->header->others, name);
    }
}

/* The chunks that libpng leaves to us. 0: as it thinks fit, which is to drop them unless they are
 * critical. */
static int png_take_chunk(png_structp png, png_unknown_chunkp chunk)
{
    io_png_state *state = png_get_user_chunk_ptr(png);
    if (memcmp(chunk->name, "acTL", 4) == 0) { /* an animation */
        state->frames = chunk->size >= 4 ? png_get_uint_32(chunk->data) : state->frames;
        return 1;
    }
    if (io_png_is_text(chunk->name)) {
        satf_status status = io_png_take_text(state, chunk->name, chunk->data, chunk->size);
        state->status = state->status ? state->status : status;
        return state->status ? -1 : 1; /* an error, which io_png_error() finds reported */
    }
    if (take_hdr(state, chunk)) {
        return 1;
    }
    png_note_other(state, (const char *)chunk->name);
    return 0;
}

static void png_set_limits(satf_context *ctx, png_structp png)
{
    int64_t side =
        ctx->settings.max_pixels < PNG_UINT_31_MAX ? ctx->settings.max_pixels : PNG_UINT_31_MAX;
    int64_t chunk = ctx->settings.max_bytes < ctx->settings.max_metadata
                        ? ctx->settings.max_bytes
                        : ctx->settings.max_metadata;
    png_set_user_limits(png, (png_uint_32)side, (png_uint_32)side);
    png_set_chunk_cache_max(png, 16); /* what is kept of unlimited number is skipped anyway */
    png_set_chunk_malloc_max(png, (png_alloc_size_t)chunk);
}

/* Notes what libpng has left out for a fault. */
static void note_faults(const io_png_state *state)
{
    static const struct {
        char name[5];
        png_uint_32 flag;
    } kinds[] = {{"cHRM", PNG_INFO_cHRM}, {"eXIf", PNG_INFO_eXIf}, {"gAMA", PNG_INFO_gAMA},
                 {"iCCP", PNG_INFO_iCCP}, {"pHYs", PNG_INFO_pHYs}, {"sRGB", PNG_INFO_sRGB}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strstr(state->warned, kinds[i].name) &&
            !png_get_valid(state->png, state->info, kinds[i].flag)) {
            png_note_other(state, kinds[i].name);
        }
    }
}

/* Reads the chunk of EXIF, which takes the place of what text may have held. */
static satf_status read_exif(satf_context *ctx, png_structp png, png_infop info,
                             satf_metadata *metadata)
{
#ifdef PNG_eXIf_SUPPORTED
    png_bytep exif = NULL;
    png_uint_32 bytes = 0;
    if (png_get_eXIf_1(png, info, &bytes, &exif) == PNG_INFO_eXIf) {
        satf_free(metadata->exif);
        return satf_copy_block(ctx, exif, bytes, &metadata->exif, &metadata->exif_bytes);
    }
#endif
    (void)ctx, (void)png, (void)info, (void)metadata;
    return SATF_OK;
}

static satf_status png_read_metadata(satf_context *ctx, png_structp png, png_infop info,
                                     satf_metadata *metadata)
{
    if (png_get_gAMA(png, info, &metadata->gamma) == PNG_INFO_gAMA) {
        metadata->has_gamma = true;
    }
    if (png_get_sRGB(png, info, &metadata->srgb_intent) == PNG_INFO_sRGB) {
        metadata->has_srgb = true;
    }
    double *c = metadata->chromaticities;
    if (png_get_cHRM(png, info, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7]) ==
        PNG_INFO_cHRM) {
        metadata->has_chromaticities = true;
    }
    png_uint_32 x, y;
    int unit;
    if (png_get_pHYs(png, info, &x, &y, &unit) == PNG_INFO_pHYs) {
        metadata->has_resolution = true;
        metadata->resolution_x = x;
        metadata->resolution_y = y;
        metadata->resolution_unit = unit == PNG_RESOLUTION_METER;
    }
    png_charp name;
    png_bytep icc;
    png_uint_32 icc_bytes;
    int compression;
    satf_status status = SATF_OK;
    if (png_get_iCCP(png, info, &name, &compression, &icc, &icc_bytes) == PNG_INFO_iCCP) {
        status = satf_copy_block(ctx, icc, icc_bytes, &metadata->icc, &metadata->icc_bytes);
    }
    return status ? status : read_exif(ctx, png, info, metadata);
}

/* libpng takes numbers without a colour for black, and says nothing: so pixels of a palette stay
 * their numbers, a byte each, until expand_row(). */
static void take_palette(io_png_state *state)
{
    png_colorp colours = NULL;
    png_bytep alpha = NULL;
    int transparent = 0;
    png_get_PLTE(state->png, state->info, &colours, &state->colours);
    png_get_tRNS(state->png, state->info, &alpha, &transparent, NULL);
    memset(state->palette, 0, sizeof state->palette);
    for (int i = 0; i < 256; i++) {
        if (i < state->colours) {
            memcpy(state->palette[i], &colours[i], 3); /* three bytes, as the file has them */
        }
        state->palette[i][3] = alpha && i < transparent ? alpha[i] : 255;
    }
    png_set_packing(state->png);
}

/* Every colour type becomes grey or RGB, with alpha if the file has any, of 8 or 16 bits. What
 * that makes of the rows is libpng's to say: a tRNS is no transparency yet, for libpng drops one in
 * front of a PLTE. */
static void set_transforms(io_png_state *state, io_header *header)
{
    png_structp png = state->png;
    png_infop info = state->info;
    int depth = png_get_bit_depth(png, info);
    bool palette = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
    bool transparent = png_get_valid(png, info, PNG_INFO_tRNS);
    if (palette) {
        take_palette(state);
    } else if (depth < 8) {
        png_set_expand_gray_1_2_4_to_8(png);
    }
    if (transparent && !palette) {
        png_set_tRNS_to_alpha(png);
    }
    if (depth == 16 && IO_LITTLE_ENDIAN) {
        png_set_swap(png);
    }
    state->interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    if (state->interlaced) {
        png_set_interlace_handling(png);
    }
    png_read_update_info(png, info);
    satf_type type = png_get_bit_depth(png, info) == 16 ? SATF_U16 : SATF_U8;
    int made = png_get_channels(png, info), channels = !palette ? made : transparent ? 4 : 3;
    io_header_set(header, png_get_image_width(png, info), png_get_image_height(png, info), channels,
                  type, channels % 2 == 0, (double)satf_type_max((int)type));
    header->bilevel = depth == 1 && channels == 1;
    header->rows_in_order = !state->interlaced;
    if (png_get_rowbytes(png, info) * (size_t)channels != (size_t)(header->view.stride * made)) {
        png_error(png, "its rows are of another length than its header says");
    }
}

static satf_status png_read_header(satf_context *ctx, io_reader *reader)
{
    io_png_state *state = reader->state;
    if (setjmp(png_jmpbuf(state->png))) {
        return state->status;
    }
    png_structp png = state->png;
    png_set_read_fn(png, state, png_read_bytes);
    /* Damage is an error wherever it is: nobody should lose a profile silently. */
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_limits(ctx, png);
    skip_other_chunks(png);
    png_set_read_user_chunk_fn(png, state, png_take_chunk);
    png_set_compression_buffer_size(png, 64 << 10); /* IDAT is read in pieces of this size */
    png_read_info(png, state->info);
    if (state->status || state->over_limit) { /* it does without chunks that it has no room for */
        return state->status ? state->status : io_png_fail_metadata(ctx);
    }
    state->other_from = -1;
    if (png_get_valid(png, state->info, PNG_INFO_PLTE) &&
        png_get_color_type(png, state->info) !=
            PNG_COLOR_TYPE_PALETTE) { /* one that is suggested */
        io_list_name(reader->header.others, sizeof reader->header.others, "PLTE");
    }
    satf_status status = png_read_metadata(ctx, png, state->info, &reader->header.metadata);
    if (!status) {
        set_transforms(state, &reader->header);
        reader->header.pictures = state->frames > 1 ? state->frames : 1;
        reader->header.metadata_may_follow = true;
        reader->header.metadata.text_ahead = reader->header.metadata.text_bytes;
    }
    if (!status && state->stand_in) {
        status = io_png_pixels_open(ctx, &reader->source, state->idat_bytes, &reader->header,
                                    &state->pixels);
    }
    return status;
}

satf_status io_png_open(satf_context *ctx, io_reader *reader)
{
    satf_status status = check_claim(ctx, &reader->source);
    if (status) {
        return status;
    }
    io_png_state *state = reader->state;
    state->ctx = ctx;
    state->source = &reader->source;
    state->header = &reader->header;
    state->chunk_left = 8; /* the file's signature */
    state->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, state, io_png_error,
                                          io_png_warning, state, io_png_malloc, io_png_free);
    state->info = state->png ? png_create_info_struct(state->png) : NULL;
    if (!state->info) {
        return satf_fail(ctx, SATF_NO_MEMORY, "libpng is out of memory");
    }
    return png_read_header(ctx, reader);
}

/* -------------------------------------------------------------------- rows */

/* Everything behind the pixels, whose checksums count like the others. */
static satf_status png_finish_read(satf_context *ctx, io_reader *reader)
{
    io_png_state *state = reader->state;
    state->other_from = io_source_taken(&reader->source);
    png_read_end(state->png, state->info);
    if (state->status || state->over_limit) {
        return state->status ? state->status : io_png_fail_metadata(ctx);
    }
    note_faults(state);
    satf_metadata *metadata = &reader->header.metadata;
    return metadata->exif ? SATF_OK : read_exif(ctx, state->png, state->info, metadata);
}

/* Rows that libpng has no part in. */
static satf_status take_rows(satf_context *ctx, io_reader *reader, char *dst, int64_t stride,
                             int64_t n)
{
    io_png_state *state = reader->state;
    const satf_view *v = &reader->header.view;
    for (int64_t y = 0; y < n; y++) {
        const uint8_t *row;
        satf_status status = io_png_pixels_row(ctx, state->pixels, &row);
        if (status) {
            return status;
        }
        memcpy(dst + y * stride, row, (size_t)v->stride);
        if (v->type == SATF_U16 && IO_LITTLE_ENDIAN) {
            io_swap_bytes(dst + y * stride, (size_t)satf_row_samples(v), 2);
        }
    }
    bool last = reader->next_row + n == v->height;
    return last ? io_png_pixels_end(ctx, state->pixels) : SATF_OK;
}

/* Numbers at the start of the row become their colours, in place. */
static void expand_row(io_reader *reader, png_bytep row)
{
    const io_png_state *state = reader->state;
    size_t width = (size_t)reader->header.view.width;
    bool alpha = reader->header.view.channels == 4;
    int highest = 0;
    for (size_t x = 0; x < width; x++) {
        highest = row[x] > highest ? row[x] : highest;
    }
    if (highest >= state->colours) {
        reader->header.colours_missing = true;
    }
    for (size_t x = width; x-- > 0;) {
        const png_byte *colour = state->palette[row[x]];
        if (alpha) {
            memcpy(row + 4 * x, colour, 4);
        } else {
            memcpy(row + 3 * x, colour, 3);
        }
    }
}

static void png_give_rows(io_reader *reader, png_bytep dst, int64_t stride, int64_t n)
{
    io_png_state *state = reader->state;
    for (int pass = 0; pass < (state->interlaced ? PNG_INTERLACE_ADAM7_PASSES : 1); pass++) {
        for (int64_t y = 0; y < n; y++) {
            state->status = state->status ? state->status : satf_tick(state->ctx);
            if (state->status) {
                png_error(state->png, "cancelled");
            }
            png_read_row(state->png, dst + y * stride, NULL);
        }
    }
    for (int64_t y = 0; y < n && state->colours > 0; y++) {
        expand_row(reader, dst + y * stride);
    }
}

satf_status io_png_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride, int64_t n)
{
    io_png_state *state = reader->state;
    state->ctx = ctx;
    if (setjmp(png_jmpbuf(state->png))) {
        return state->status;
    }
    if (!state->pixels) {
        png_give_rows(reader, dst, stride, n);
    } else {
        satf_status status = take_rows(ctx, reader, dst, stride, n);
        if (status) {
            return status;
        }
    }
    bool last = reader->next_row + n == reader->header.view.height;
    return last ? png_finish_read(ctx, reader) : SATF_OK;
}

void io_png_close(io_reader *reader)
{
    io_png_state *state = reader->state;
    io_png_pixels_close(state->pixels);
    png_destroy_read_struct(&state->png, &state->info, NULL);
}
