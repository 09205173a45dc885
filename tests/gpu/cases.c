#include "cases.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/view.h"

enum { GUARD_BYTES = 256 };

/* Packed, whole samples off, odd bytes off, upside down. */
const gpu_layout gpu_layouts[GPU_LAYOUTS] = {
    {0, 0, 0, 0, false},  {16, 0, 0, 0, false}, {1, 0, 1, 0, false}, {0, 1, 0, 0, false},
    {0, 7, 0, 3, false},  {3, 0, 2, 0, true},   {0, 5, 1, 2, true},  {0, 0, 0, 7, true},
    {32, 0, 16, 0, true}, {0, 0, 1, 0, false},  {0, 4, 0, 4, false},
};

const gpu_kind gpu_kinds[GPU_KINDS] = {
    {SATF_U8, SATF_SUM_U32, false},  {SATF_U8, SATF_SUM_U64, false},
    {SATF_U16, SATF_SUM_U32, false}, {SATF_U16, SATF_SUM_U64, false},
    {SATF_F32, SATF_SUM_F64, false}, {SATF_F32, SATF_SUM_F64, true},
    {SATF_F64, SATF_SUM_F64, false},
};

const sat_algorithm *gpu_row_at(size_t index)
{
    for (size_t i = 0; sat_algorithm_at(i); i++) {
        if (strcmp(sat_algorithm_at(i)->device_kind, "cuda") == 0 && index-- == 0) {
            return sat_algorithm_at(i);
        }
    }
    return NULL;
}

static void describe(const gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning)
{
    static const char *const sums[] = {"u16", "u32", "u64", "u128", "f64"};
    static const char *const syncs[] = {"auto", "launch", "graph", "coop"};
    const gpu_case *c = &d->c;
    print_error("row %s, tile %d, threads %d, sync %s, r %g: %s summand %d to %s%s, %" PRId64
                " x %" PRId64 " x %d, pattern %d, seed %u, strides %" PRId64 " and %" PRId64
                ", starts %" PRId64 " and %" PRId64 ": ",
                row->name, tuning->tile, tuning->threads, syncs[tuning->sync & 3], tuning->r,
                satf_type_name(c->type), (int)c->summand, sums[c->sum_type],
                c->f32_out ? " as f32" : "", c->width, c->height, c->channels, (int)c->pattern,
                c->seed, d->in.stride, d->out.stride, d->in.first, d->out.first);
}

/* --------------------------------------------------------------------- blocks */

static gpu_block make_block(satf_context *ctx, const gpu_case *c, size_t sample_bytes,
                            const gpu_layout *l)
{
    gpu_block b = {.height = c->height};
    b.row_bytes = (size_t)(c->width * c->channels) * sample_bytes;
    int64_t pitch =
        (int64_t)(b.row_bytes + (size_t)l->padding_samples * sample_bytes) + l->padding_bytes;
    int64_t offset = l->offset_samples * (int64_t)sample_bytes + l->offset_bytes;
    size_t guard = gpu_small ? 0 : GUARD_BYTES;
    /* Behind the last row there is no padding. */
    b.bytes = guard + (size_t)(offset + pitch * (c->height - 1)) + b.row_bytes + guard;
    b.first = (int64_t)guard + offset + (l->negative ? pitch * (c->height - 1) : 0);
    b.stride = l->negative ? -pitch : pitch;
    b.host = satf_alloc(b.bytes);
    assert_non_null(b.host);
    memset(b.host, GPU_GUARD, b.bytes);
    void *device;
    MUST(ctx, satf_cuda()->alloc(ctx, GPU_DEVICE, b.bytes, "a test", &device));
    b.device = device;
    return b;
}

static void free_block(satf_context *ctx, gpu_block *b)
{
    satf_cuda()->free(ctx, b->device);
    satf_free(b->host);
}

static unsigned char *block_row(const gpu_block *b, int64_t y)
{
    return b->host + b->first + y * b->stride;
}

/* True if every byte of the host's block that belongs to no row is a guard. */
static bool guards_stand(const gpu_block *b)
{
    const unsigned char *at = b->host;
    for (int64_t k = 0; k <= b->height; k++) {
        int64_t y = b->stride < 0 ? b->height - 1 - k : k; /* ascending addresses */
        const unsigned char *end = k < b->height ? block_row(b, y) : b->host + b->bytes;
        for (; at < end; at++) {
            if (*at != GPU_GUARD) {
                return false;
            }
        }
        at = end + b->row_bytes;
    }
    return true;
}

const char *gpu_out_row(const gpu_data *d, int64_t y)
{
    return (const char *)block_row(&d->out, y);
}

/* ---------------------------------------------------------------------- input */

/* xorshift: the same everywhere */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* The largest m with m^3 * n <= 2^24 (cubes: the weighted squares), 1 ... 15:
 * sums of n products of such numbers are exact in f32. */
static int exact_range(const gpu_case *c)
{
    double n = (double)c->width * (double)c->height;
    double m = floor(cbrt(0x1p24 / n));
    return m < 1 ? 1 : m > 15 ? 15 : (int)m;
}

static double float_sample(const gpu_case *c, uint32_t random)
{
    int m = exact_range(c);
    switch (c->pattern) {
    case GPU_RANDOM:
        return (double)(random >> 8) / 4099 - 2000;
    case GPU_MAXIMA:
        return m;
    default:
        return (double)((random >> 8) % (uint32_t)(2 * m + 1)) - m;
    }
}

static void fill(const gpu_case *c, gpu_block *b)
{
    uint32_t state = c->seed * 2654435761u + 12345u;
    size_t bytes = satf_type_bytes(c->type);
    for (int64_t y = 0; y < c->height; y++) {
        for (int64_t i = 0; i < c->width * c->channels; i++) {
            uint32_t random = next_random(&state);
            bool middle = y == c->height / 2 && i / c->channels == c->width / 2;
            double f64 = c->pattern == GPU_IMPULSE         ? middle
                         : c->pattern == GPU_NAN && middle ? (double)NAN
                                                           : float_sample(c, random);
            uint16_t u16 = c->pattern == GPU_IMPULSE  ? middle
                           : c->pattern == GPU_MAXIMA ? UINT16_MAX
                                                      : (uint16_t)(random >> 8);
            uint8_t u8 = (uint8_t)u16;
            float f32 = (float)f64;
            const void *sample = c->type == SATF_U8    ? (const void *)&u8
                                 : c->type == SATF_U16 ? (const void *)&u16
                                 : c->type == SATF_F32 ? (const void *)&f32
                                                       : (const void *)&f64;
            memcpy(block_row(b, y) + i * (int64_t)bytes, sample, bytes);
        }
    }
}

/* ------------------------------------------------------------- what is right */

static void *reference(const gpu_data *d)
{
    const gpu_case *c = &d->c;
    int64_t stride = c->width * c->channels * (int64_t)satf_sum_bytes(c->sum_type);
    sat_job job = {
        .in = {block_row(&d->in, 0), c->width, c->height, d->in.stride, c->channels, c->type,
               SATF_HOST, 0, 0, 0},
        .summand = c->summand,
        .sum_type = c->sum_type,
        .out_stride = stride,
    };
    const sat_algorithm *row = sat_algorithm_find("reference", "cpu");
    size_t bytes = 0;
    assert_true(row && !row->refuses(&job) && row->scratch_bytes(d->ctx, &job, &bytes));
    void *scratch = satf_alloc(bytes);
    void *want = job.out = satf_alloc((size_t)(stride * c->height));
    assert_true(scratch && want);
    MUST(d->ctx, row->run(d->ctx, &job, scratch));
    satf_free(scratch);
    return want;
}

/* The table of |summand|, in plain double sums. */
static double *sum_magnitudes(const gpu_data *d)
{
    const gpu_case *c = &d->c;
    int64_t n = c->width * c->channels;
    double *sums = satf_alloc((size_t)(n * c->height) * sizeof *sums);
    assert_non_null(sums);
    for (int64_t y = 0; y < c->height; y++) {
        double *row = sums + y * n, left[SATF_MAX_CHANNELS] = {0};
        satf_summands((satf_type)c->type, c->channels, c->summand, block_row(&d->in, y), c->width,
                      SATF_SUM_F64, row);
        for (int64_t i = 0; i < n; i++) {
            left[i % c->channels] += fabs(row[i]);
            row[i] = left[i % c->channels] + (y ? row[i - n] : 0);
        }
    }
    return sums;
}

gpu_data gpu_prepare(satf_context *ctx, const gpu_case *c, const gpu_layout *in,
                     const gpu_layout *out)
{
    gpu_data d = {.ctx = ctx, .c = *c};
    size_t sum_bytes = c->f32_out ? sizeof(float) : satf_sum_bytes(c->sum_type);
    d.in = make_block(ctx, c, satf_type_bytes(c->type), in);
    d.out = make_block(ctx, c, sum_bytes, out);
    fill(c, &d.in);
    MUST(ctx, satf_cuda()->copy_bytes(ctx, GPU_DEVICE, d.in.device, d.in.host, d.in.bytes));
    MUST(ctx, satf_cuda()->wait(ctx, GPU_DEVICE));
    d.want = reference(&d);
    if (c->pattern == GPU_RANDOM && satf_type_is_float(c->type)) {
        d.magnitudes = sum_magnitudes(&d);
    }
    return d;
}

void gpu_release(gpu_data *d)
{
    satf_cuda()->free(d->ctx, d->scratch);
    free_block(d->ctx, &d->in);
    free_block(d->ctx, &d->out);
    satf_free(d->want);
    satf_free(d->magnitudes);
}

/* ----------------------------------------------------------------------- runs */

sat_job gpu_job(const gpu_data *d, const sat_tuning *tuning)
{
    const gpu_case *c = &d->c;
    return (sat_job){
        .in = {d->in.device + d->in.first, c->width, c->height, d->in.stride, c->channels, c->type,
               GPU_DEVICE, 0, 0, 0},
        .summand = c->summand,
        .sum_type = c->sum_type,
        .f32_out = c->f32_out,
        .out = d->out.device + d->out.first,
        .out_stride = d->out.stride,
        .tuning = *tuning,
    };
}

const char *gpu_refusal(const gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning)
{
    sat_job job = gpu_job(d, tuning);
    return row->refuses(&job);
}

/* Scratch of that size, guards on both sides; only the guards are written when
 * initcheck watches, else all of it. */
static void reserve_scratch(gpu_data *d, size_t bytes)
{
    size_t guard = gpu_small ? 0 : GUARD_BYTES, room = bytes + 2 * guard;
    if (room > d->scratch_room || gpu_small) {
        satf_cuda()->free(d->ctx, d->scratch);
        d->scratch = NULL;
        d->scratch_room = 0;
        if (room) {
            MUST(d->ctx, satf_cuda()->alloc(d->ctx, GPU_DEVICE, room, "scratch", &d->scratch));
        }
        d->scratch_room = room;
    }
    if (!gpu_small) {
        MUST(d->ctx,
             satf_cuda()->set_bytes(d->ctx, GPU_DEVICE, d->scratch, GPU_GUARD, d->scratch_room));
    }
    d->scratch_bytes = bytes;
}

void gpu_set_input(gpu_data *d, bool own)
{
    enum { OTHER = 0x40 }; /* as a byte, 3 as a float, 32 as a double */
    MUST(d->ctx,
         own ? satf_cuda()->copy_bytes(d->ctx, GPU_DEVICE, d->in.device, d->in.host, d->in.bytes)
             : satf_cuda()->set_bytes(d->ctx, GPU_DEVICE, d->in.device, OTHER, d->in.bytes));
}

void *gpu_scratch(const sat_algorithm *row, const sat_job *job)
{
    size_t bytes = 0;
    assert_true(!row->scratch_bytes || row->scratch_bytes(gpu, job, &bytes));
    void *scratch = bytes ? gpu_memory(bytes) : NULL;
    if (bytes) {
        gpu_set(scratch, 0, bytes);
    }
    return scratch;
}

void gpu_enqueue(gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning)
{
    sat_job job = gpu_job(d, tuning);
    size_t bytes = 0;
    if (row->scratch_bytes && !row->scratch_bytes(d->ctx, &job, &bytes)) {
        describe(d, row, tuning);
        fail_msg("the size of the scratch memory overflows");
    }
    reserve_scratch(d, bytes);
    char *scratch = bytes ? (char *)d->scratch + (gpu_small ? 0 : GUARD_BYTES) : NULL;
    unsigned runs = 1;
    if (row->keeps) { /* on zeros, or on what one or two runs of other samples have left */
        MUST(d->ctx, satf_cuda()->set_bytes(d->ctx, GPU_DEVICE, scratch, 0, bytes));
        runs += d->kept_runs++ % 3;
    }
    for (unsigned run = 1; run <= runs; run++) {
        MUST(d->ctx,
             satf_cuda()->set_bytes(d->ctx, GPU_DEVICE, d->out.device, GPU_GUARD, d->out.bytes));
        if (runs > 1) {
            gpu_set_input(d, run == runs);
        }
        job.scratch_runs = row->keeps ? run : 0;
        satf_status status = row->run(d->ctx, &job, scratch);
        if (status) {
            describe(d, row, tuning);
            fail_msg("%s: %s", satf_status_name(status), satf_message(d->ctx));
        }
    }
}

static bool scratch_guards_stand(gpu_data *d)
{
    unsigned char guards[2][GUARD_BYTES];
    if (gpu_small || !d->scratch) {
        return true;
    }
    const char *behind = (const char *)d->scratch + GUARD_BYTES + d->scratch_bytes;
    MUST(d->ctx, satf_cuda()->copy_bytes(d->ctx, GPU_DEVICE, guards[0], d->scratch, GUARD_BYTES));
    MUST(d->ctx, satf_cuda()->copy_bytes(d->ctx, GPU_DEVICE, guards[1], behind, GUARD_BYTES));
    MUST(d->ctx, satf_cuda()->wait(d->ctx, GPU_DEVICE));
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (guards[0][i] != GPU_GUARD || guards[1][i] != GPU_GUARD) {
            return false;
        }
    }
    return true;
}

/*
 * How far a float sum may be off, `total` the sum of the |summands|: chains of
 * at most w + h additions, each rounding once; tables of f32 are f32 sums of
 * f32 sums of a tile.
 */
static double tolerance(const gpu_data *d, double total)
{
    double steps = (double)(d->c.width + d->c.height);
    return (d->c.f32_out ? 0x1p-21 : steps * 0x1p-52) * total;
}

static double load_float(const gpu_case *c, const char *at)
{
    float f32;
    double f64;
    if (c->f32_out) {
        memcpy(&f32, at, sizeof f32);
        return (double)f32;
    }
    memcpy(&f64, at, sizeof f64);
    return f64;
}

static bool is_right(const gpu_data *d, int64_t i, const char *want, const char *got)
{
    if (d->c.sum_type != SATF_SUM_F64) {
        return memcmp(want, got, satf_sum_bytes(d->c.sum_type)) == 0;
    }
    double expected, sum = load_float(&d->c, got);
    memcpy(&expected, want, sizeof expected);
    if (d->magnitudes) {
        return fabs(sum - expected) <= tolerance(d, d->magnitudes[i]);
    }
    return isnan(expected) ? isnan(sum) : sum == expected;
}

static void fail_pixel(const gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning,
                       int64_t y, int64_t i, const char *want, const char *got)
{
    describe(d, row, tuning);
    const gpu_case *c = &d->c;
    int64_t x = i / c->channels;
    int channel = (int)(i % c->channels);
    if (c->sum_type == SATF_SUM_F64) {
        double expected;
        memcpy(&expected, want, sizeof expected);
        fail_msg("pixel (%" PRId64 ", %" PRId64 ") channel %d is %.17g and should be %.17g", x, y,
                 channel, load_float(c, got), expected);
    }
    uint64_t bits[2] = {0, 0};
    memcpy(&bits[0], got, satf_sum_bytes(c->sum_type));
    memcpy(&bits[1], want, satf_sum_bytes(c->sum_type));
    fail_msg("pixel (%" PRId64 ", %" PRId64 ") channel %d is %" PRIu64 " and should be %" PRIu64, x,
             y, channel, bits[0], bits[1]);
}

void gpu_compare(gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning)
{
    const gpu_case *c = &d->c;
    gpu_block *out = &d->out;
    MUST(d->ctx, satf_cuda()->copy_bytes(d->ctx, GPU_DEVICE, out->host, out->device, out->bytes));
    satf_status status = satf_cuda()->wait(d->ctx, GPU_DEVICE);
    if (status) {
        describe(d, row, tuning);
        fail_msg("%s: %s", satf_status_name(status), satf_message(d->ctx));
    }
    int64_t n = c->width * c->channels;
    size_t want_bytes = satf_sum_bytes(c->sum_type), got_bytes = out->row_bytes / (size_t)n;
    for (int64_t y = 0; y < c->height; y++) {
        const char *want = (const char *)d->want + (size_t)(y * n) * want_bytes;
        const char *got = gpu_out_row(d, y);
        if (want_bytes == got_bytes && memcmp(want, got, out->row_bytes) == 0) {
            continue;
        }
        for (int64_t i = 0; i < n; i++, want += want_bytes, got += got_bytes) {
            if (!is_right(d, y * n + i, want, got)) {
                fail_pixel(d, row, tuning, y, i, want, got);
            }
        }
    }
    if (!guards_stand(out) || !scratch_guards_stand(d)) {
        describe(d, row, tuning);
        fail_msg("bytes outside the output's rows or the scratch memory were written");
    }
    gpu_runs++;
}

void gpu_check(gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning)
{
    gpu_enqueue(d, row, tuning);
    gpu_compare(d, row, tuning);
}
