/* The run lengths of a BMP become its pixels, row by row from the first one that the file stores.
 * learn.microsoft.com/windows/win32/gdi/bitmap-compression */
#include "stb_file.h"

typedef struct runs {
    const unsigned char *at, *end;
    const stb_runs *of;
    unsigned char *out;
    size_t x, y;
} runs;

/* The file's bytes of n pixels: numbers of 4 bits share theirs. */
static size_t bmp_runs_stored(const runs *r, size_t n)
{
    return r->of->depth == 4 ? (n + 1) / 2 : n * (r->of->depth / 8);
}

/* n pixels from the place reached on, the i-th of which is the `step * i`-th of those at `from`; of
 * 4 bits, which alternate in a run, the upper ones come first. */
static void bmp_runs_put(runs *r, const unsigned char *from, size_t n, size_t step)
{
    const size_t bytes = r->of->depth == 24 ? 3 : 1;
    unsigned char *to = r->out + r->y * r->of->stride + r->x * bytes;
    for (size_t i = 0; i < n; i++, to += bytes) {
        if (r->of->depth == 4) {
            *to = i % 2 ? from[step * (i / 2)] & 15 : from[step * (i / 2)] >> 4;
        } else {
            memcpy(to, from + step * i * bytes, bytes);
        }
    }
    r->x += n;
}

/* A run of n > 0, or so many pixels that stand there as they are, padded to an even number of
 * bytes. */
static satf_status take_pixels(satf_context *ctx, runs *r, size_t n, bool run)
{
    size_t bytes = bmp_runs_stored(r, run ? 1 : n), padded = run ? bytes : bytes + bytes % 2;
    if (n > r->of->width - r->x) {
        return satf_fail(ctx, SATF_DATA, "the bmp file is damaged: a run leaves its row");
    }
    if ((size_t)(r->end - r->at) < bytes) {
        return io_fail_short(ctx, NULL);
    }
    bmp_runs_put(r, r->at, n, !run);
    r->at += (size_t)(r->end - r->at) < padded ? bytes : padded; /* the last may lack it */
    return SATF_OK;
}

/* Goes to the right and to later rows; what lies between is left out. */
static satf_status take_jump(satf_context *ctx, runs *r)
{
    if (r->end - r->at < 2) {
        return io_fail_short(ctx, NULL);
    }
    if (r->at[0] > r->of->width - r->x || r->at[1] > r->of->rows - r->y) {
        return satf_fail(ctx, SATF_DATA, "the bmp file is damaged: a jump leaves the picture");
    }
    r->x += r->at[0];
    r->y += r->at[1];
    r->at += 2;
    return SATF_OK;
}

static bool bmp_runs_is_full(const runs *r)
{
    return r->y == r->of->rows || (r->y == r->of->rows - 1 && r->x == r->of->width);
}

satf_status io_bmp_unpack(satf_context *ctx, const unsigned char *in, size_t n, const stb_runs *of,
                          unsigned char *out)
{
    enum { END_OF_ROW, END_OF_PICTURE, JUMP };
    runs r = {.at = in, .end = in + n, .of = of, .out = out};
    satf_status status = SATF_OK;
    while (r.y < of->rows && !status) {
        if (r.end - r.at < 2) {
            return bmp_runs_is_full(&r) ? SATF_OK
                                        : io_fail_short(ctx, NULL); /* some write no end */
        }
        size_t count = r.at[0], code = r.at[1];
        r.at += count ? 1 : 2; /* a run's pixel follows its count */
        if (count) {
            status = take_pixels(ctx, &r, count, true);
        } else if (code == END_OF_PICTURE) {
            return SATF_OK;
        } else if (code == END_OF_ROW) {
            r.x = 0;
            r.y++;
            status = satf_tick(ctx);
        } else {
            status = code == JUMP ? take_jump(ctx, &r) : take_pixels(ctx, &r, code, false);
        }
    }
    return status;
}
