/* GIF through giflib: the screen after each frame. www.w3.org/Graphics/GIF/spec-gif89a.txt */
#include <errno.h>
#include <gif_lib.h>
#include <string.h>

#include "../../base/share.h"
#include "../module_side.h"

enum { GIFLIB_BYTES = 32 << 10 }; /* what it allocates, at most: its state and three tables */
enum { KEEPS, TO_BACKGROUND = 2, TO_BEFORE, TO_BEFORE_TOO }; /* what becomes of a frame */

/* A frame, as far as the screen shows it. */
typedef struct frame {
    int64_t x, y, width, height;
    int disposal, transparent; /* the number of the colour that is; -1: none */
} frame;

typedef struct gif {
    satf_context *ctx; /* of the call in progress */
    io_source source;  /* the file, in memory */
    void *owned;
    size_t at; /* where giflib reads next */
    GifFileType *file;
    satf_charge charge;
    satf_status status;          /* of a read that has been cancelled */
    bool cut;                    /* a read has come to the end of the file */
    bool broken;                 /* a frame has failed: none can follow */
    int64_t composed;            /* frames */
    frame last;                  /* of them */
    unsigned char background[4]; /* what lies around the first one */
    unsigned char *screen;       /* RGBA */
    unsigned char *before;       /* what the last frame covers; NULL: nobody wants to know */
    unsigned char *line;         /* a frame's numbers of colours */
    bool missing;                /* it names colours that its table lacks */
    char text[64], others[32];   /* as in io_header */
} gif;

static satf_status gif_fail_damaged(const gif *g, const char *what)
{
    return satf_fail(g->ctx, SATF_DATA, "the GIF is damaged: %s", what);
}

/* Why giflib has failed. */
static satf_status gif_fail(const gif *g, int error)
{
    if (g->status || error == D_GIF_ERR_NOT_ENOUGH_MEM) {
        return g->status ? g->status : satf_fail(g->ctx, SATF_NO_MEMORY, "giflib is out of memory");
    }
    if (g->cut) {
        return io_fail_short(g->ctx, NULL);
    }
    return gif_fail_damaged(g, error == D_GIF_ERR_WRONG_RECORD ? "it goes on with nothing known"
                               : error == D_GIF_ERR_READ_FAILED
                                   ? "its codes do not begin with at most 8 bits"
                                   : "pixels are missing");
}

static int gif_read_bytes(GifFileType *file, GifByteType *to, int n)
{
    gif *g = file->UserData;
    g->status = g->status ? g->status : satf_tick(g->ctx);
    if (g->status || n <= 0) {
        return 0;
    }
    size_t got = io_source_look(&g->source, (int64_t)g->at, to, (size_t)n);
    g->at += got;
    g->cut |= got < (size_t)n;
    return (int)got;
}

/* Opens the file, at its start. */
static satf_status gif_open_file(gif *g)
{
    int error = 0;
    g->at = 0;
    g->cut = false;
    g->file = DGifOpen(g, gif_read_bytes, &error);
    return g->file ? SATF_OK : gif_fail(g, error);
}

static void close_file(gif *g)
{
    int error;
    if (g->file) {
        DGifCloseFile(g->file, &error);
    }
    g->file = NULL;
}

/* A frame's place and colours. giflib lists all that it has seen, which nobody wants. */
static bool read_place(GifFileType *file)
{
    bool good = DGifGetImageDesc(file) == GIF_OK;
    GifFreeSavedImages(file);
    file->SavedImages = NULL;
    file->ImageCount = 0;
    return good;
}

/* Notes what is not kept of an extension: comments, and what programs have agreed on. */
static void note_extension(gif *g, int label, const GifByteType *block)
{
    static const char *const known[][2] = {{"XMP DataXMP", "packet"}, {"ICCRGBG1012", "profile"}};
    if (label == COMMENT_EXT_FUNC_CODE) {
        io_list_text(g->text, sizeof g->text, "\"", block ? block + 1 : NULL, block ? block[0] : 0);
    }
    for (size_t i = 0; label == APPLICATION_EXT_FUNC_CODE && i < 2; i++) {
        size_t n = strlen(known[i][0]);
        if (block && block[0] == n && memcmp(block + 1, known[i][0], n) == 0) {
            io_list_name(g->others, sizeof g->others, known[i][1]);
        }
    }
}

/* Passes over an extension; the last control counts. */
static bool read_extension(GifFileType *file, frame *f)
{
    int label;
    GifByteType *block; /* its first byte is the number of those behind it */
    if (DGifGetExtension(file, &label, &block) != GIF_OK) {
        return false;
    }
    if (label == GRAPHICS_EXT_FUNC_CODE && block && block[0] >= 4) {
        f->disposal = block[1] >> 2 & 7;
        f->transparent = block[1] & 1 ? block[4] : -1;
    }
    note_extension(file->UserData, label, block);
    while (block) {
        if (DGifGetExtensionNext(file, &block) != GIF_OK) {
            return false;
        }
    }
    return true;
}

/* Up to the next frame's place, which is read; *more is false where there is none. */
static bool gif_find_frame(GifFileType *file, frame *f, bool *more)
{
    GifRecordType kind = UNDEFINED_RECORD_TYPE;
    *f = (frame){.transparent = -1};
    *more = false;
    while (DGifGetRecordType(file, &kind) == GIF_OK && kind != TERMINATE_RECORD_TYPE) {
        *more = kind == IMAGE_DESC_RECORD_TYPE;
        if (*more || !read_extension(file, f)) {
            return *more && read_place(file);
        }
    }
    return kind == TERMINATE_RECORD_TYPE;
}

/* Passes over a frame's pixels. */
static bool pass_codes(GifFileType *file)
{
    int bits;
    GifByteType *block;
    bool good = DGifGetCode(file, &bits, &block) == GIF_OK;
    while (good && block) {
        good = DGifGetCodeNext(file, &block) == GIF_OK;
    }
    return good;
}

/* The frames of which the file has the beginning. */
static satf_status count_frames(gif *g, int64_t *count)
{
    frame f;
    bool more, good;
    satf_status status = gif_open_file(g);
    *count = 0;
    if (status) {
        return status;
    }
    errno = 0;
    do {
        good = gif_find_frame(g->file, &f, &more);
        *count += more && (good || !g->cut);
    } while (good && more && pass_codes(g->file));
    if (!good && errno == ENOMEM) { /* or frames would be left out */
        status = gif_fail(g, D_GIF_ERR_NOT_ENOUGH_MEM);
    } else if (g->status || (g->cut && *count == 0)) {
        status = gif_fail(g, 0);
    } else if (*count == 0) {
        status = gif_fail_damaged(g, "it holds no picture");
    }
    close_file(g);
    return status;
}

/* ----------------------------------------------------------------- the screen */

static unsigned char *gif_pixel_at(const gif *g, int64_t x, int64_t y)
{
    return g->screen + 4 * (y * g->file->SWidth + x);
}

/* The screen and the file. */
static size_t gif_held_bytes(const gif *g)
{
    return (size_t)4 * (size_t)g->file->SWidth * (size_t)g->file->SHeight + (size_t)g->source.bytes;
}

/* The part of a side that is on the screen. */
static int64_t seen_side(int64_t at, int64_t side, int64_t screen)
{
    int64_t room = at < screen ? screen - at : 0;
    return side < room ? side : room;
}

static void gif_fill(const gif *g, const frame *f, const unsigned char colour[4])
{
    for (int64_t y = f->y; y < f->y + f->height; y++) {
        unsigned char *at = gif_pixel_at(g, f->x, y);
        for (int64_t x = 0; x < f->width; x++) {
            memcpy(at + 4 * x, colour, 4);
        }
    }
}

/* Leaves of the last frame what it says is to stay. */
static void dispose(gif *g)
{
    static const unsigned char nothing[4] = {0};
    const frame *f = &g->last;
    if (f->disposal == TO_BACKGROUND) {
        gif_fill(g, f, f->transparent >= 0 ? nothing : g->background);
    }
    for (int64_t y = 0; g->before && y < f->height; y++) {
        memcpy(gif_pixel_at(g, f->x, f->y + y), g->before + 4 * y * f->width,
               (size_t)(4 * f->width));
    }
    satf_free(g->before);
    g->before = NULL;
}

/* Keeps what the frame covers, if that is to come back. */
static satf_status keep_before(gif *g, const frame *f)
{
    size_t bytes = (size_t)(4 * f->width * f->height);
    if (f->disposal != TO_BEFORE && f->disposal != TO_BEFORE_TOO) {
        return SATF_OK;
    }
    satf_status status = satf_share_reserve(g->ctx, bytes + gif_held_bytes(g));
    g->before = status ? NULL : satf_alloc(bytes);
    if (!g->before) {
        return status ? status : satf_fail_memory(g->ctx, bytes, "what a GIF's frame covers");
    }
    for (int64_t y = 0; y < f->height; y++) {
        memcpy(g->before + 4 * y * f->width, gif_pixel_at(g, f->x, f->y + y),
               (size_t)(4 * f->width));
    }
    return SATF_OK;
}

/*
 * An empty screen. The background's colour lies around the first frame, but not if that has a
 * transparent colour: then nothing does, as programs that show GIFs have it.
 */
static satf_status make_screen(gif *g, const frame *first)
{
    const GifFileType *file = g->file;
    const ColorMapObject *map = file->SColorMap;
    frame all = {.width = file->SWidth, .height = file->SHeight};
    size_t bytes = (size_t)(4 * all.width * all.height);
    satf_status status = satf_share_reserve(g->ctx, gif_held_bytes(g));
    g->screen = status ? NULL : satf_alloc(bytes);
    if (!g->screen) {
        return status ? status : satf_fail_memory(g->ctx, bytes, "a GIF's screen");
    }
    if (map && first->transparent < 0) {
        if (file->SBackGroundColor < map->ColorCount) {
            memcpy(g->background, &map->Colors[file->SBackGroundColor], 3);
        }
        g->background[3] = UINT8_MAX;
    }
    gif_fill(g, &all, g->background);
    return SATF_OK;
}

/* ----------------------------------------------------------------- frames */

/* The place of the k-th row of an interlaced picture. */
static int64_t interlaced_row(int64_t k, int64_t height)
{
    static const int begin[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    int pass = 0;
    for (; pass < 3; pass++) {
        int64_t rows = (height - begin[pass] + step[pass] - 1) / step[pass];
        if (k < rows) {
            break;
        }
        k -= rows;
    }
    return begin[pass] + k * step[pass];
}

/* The frame's rows, of which those that are not seen are decoded too. Missing colours are black. */
static satf_status gif_draw(gif *g, const frame *f, const ColorMapObject *map)
{
    GifFileType *file = g->file;
    const GifImageDesc *place = &file->Image;
    satf_status status = SATF_OK;
    for (int64_t k = 0; k < place->Height && !status; k++) {
        if (DGifGetLine(file, g->line, place->Width) != GIF_OK) {
            return gif_fail(g, file->Error);
        }
        int64_t y = place->Interlace ? interlaced_row(k, place->Height) : k;
        unsigned char *at = y < f->height ? gif_pixel_at(g, f->x, f->y + y) : NULL;
        for (int64_t x = 0; at && x < f->width; x++) {
            static const GifColorType black = {0, 0, 0};
            int number = g->line[x];
            bool there = number < map->ColorCount;
            if (number != f->transparent) {
                memcpy(at + 4 * x, there ? &map->Colors[number] : &black, 3);
                at[4 * x + 3] = UINT8_MAX;
                g->missing |= !there;
            }
        }
        status = satf_tick(g->ctx);
    }
    return status;
}

/* The next frame, onto the screen. */
static satf_status gif_compose(gif *g)
{
    frame f;
    bool more;
    GifFileType *file = g->file;
    if (!gif_find_frame(file, &f, &more) || !more) {
        return gif_fail(g, file->Error);
    }
    const GifImageDesc *place = &file->Image;
    const ColorMapObject *map = place->ColorMap ? place->ColorMap : file->SColorMap;
    if (!map) {
        return satf_fail(g->ctx, SATF_UNSUPPORTED, "a GIF without a table of colours");
    }
    if (place->Width < 1 || place->Height < 1) {
        return gif_fail_damaged(g, "its picture is empty");
    }
    f.x = place->Left < file->SWidth ? place->Left : 0; /* else nothing is seen */
    f.y = place->Top < file->SHeight ? place->Top : 0;
    f.width = seen_side(place->Left, place->Width, file->SWidth);
    f.height = seen_side(place->Top, place->Height, file->SHeight);
    satf_status status = g->screen ? SATF_OK : make_screen(g, &f);
    if (!status) {
        dispose(g);
        status = keep_before(g, &f);
    }
    g->missing = false;
    g->last = f;
    g->composed++;
    return status ? status : gif_draw(g, &f, map);
}

static satf_status open_gif(satf_context *ctx, io_reader *reader)
{
    enum { LINE_BYTES = UINT16_MAX };
    gif *g = reader->state;
    g->ctx = ctx;
    g->line = satf_alloc(LINE_BYTES);
    if (!g->line || !satf_charge_add(&g->charge, GIFLIB_BYTES)) {
        return satf_fail_memory(ctx, LINE_BYTES + GIFLIB_BYTES, "a GIF's colours");
    }
    const unsigned char *data;
    size_t bytes;
    satf_status status = io_source_slurp(ctx, &reader->source, &data, &bytes, &g->owned);
    if (!status) {
        io_source_open_memory(data, bytes, &g->source);
        status = count_frames(g, &reader->pages);
    }
    return status ? status : gif_open_file(g);
}

/* Frames of a few bytes, each of a large screen, are many times as large as their file together. */
static satf_status gif_check_size(const gif *g, int64_t frames)
{
    const GifFileType *file = g->file;
    satf_status status = io_check_size(g->ctx, file->SWidth, file->SHeight, 4);
    unsigned bits = file->SColorMap ? (unsigned)file->SColorMap->BitsPerPixel : 8;
    uint64_t samples = (uint64_t)(frames * file->SWidth) * (uint64_t)file->SHeight;
    return status || (frames > 1 && samples < IO_FEW_PIXELS)
               ? status
               : io_check_ratio(g->ctx, &g->source, samples, bits, ";", 1);
}

static bool gif_shows_through(const gif *g)
{
    size_t bytes = (size_t)4 * (size_t)g->file->SWidth * (size_t)g->file->SHeight;
    for (size_t i = 3; i < bytes; i += 4) {
        if (g->screen[i] == 0) {
            return true;
        }
    }
    return false;
}

static satf_status gif_go_to(satf_context *ctx, io_reader *reader, int64_t page)
{
    gif *g = reader->state;
    g->ctx = ctx;
    satf_status status = gif_check_size(g, page + 1);
    if (!status && g->broken) {
        status = gif_fail_damaged(g, "a frame before this one cannot be read");
    }
    while (!status && g->composed <= page) {
        status = gif_compose(g);
        g->broken = status != SATF_OK;
    }
    if (status) {
        return status;
    }
    int64_t width = g->file->SWidth, height = g->file->SHeight;
    bool alpha = gif_shows_through(g);
    io_header_set(&reader->header, width, height, 3 + alpha, SATF_U8, alpha, UINT8_MAX);
    reader->header.held_bytes = gif_held_bytes(g);
    reader->header.colours_missing = g->missing;
    if (page == 0) { /* which is said once of all pages */
        memcpy(reader->header.text, g->text, sizeof g->text);
        memcpy(reader->header.others, g->others, sizeof g->others);
    }
    return SATF_OK;
}

static satf_status gif_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                                 int64_t n)
{
    (void)ctx;
    const gif *g = reader->state;
    const satf_view *v = &reader->header.view;
    size_t step = (size_t)v->channels;
    for (int64_t i = 0; i < n; i++) {
        unsigned char *row = (unsigned char *)dst + i * stride;
        const unsigned char *from = gif_pixel_at(g, 0, reader->next_row + i);
        for (int64_t x = 0; x < v->width; x++, row += step, from += 4) {
            memcpy(row, from, step);
        }
    }
    return SATF_OK;
}

static void close_gif(io_reader *reader)
{
    gif *g = reader->state;
    close_file(g);
    satf_free(g->screen);
    satf_free(g->before);
    satf_free(g->line);
    satf_free(g->owned);
    satf_charge_drop(&g->charge);
}

bool IO_MODULE_ENTRY(const io_services *services, io_format *format)
{
    if (!io_module_take(services)) {
        return false;
    }
    format->reader_bytes = sizeof(gif);
    format->open = open_gif;
    format->go_to = gif_go_to;
    format->rows = gif_read_rows;
    format->close = close_gif;
    return true;
}
