#include "cases.h"

#include "base/memory.h"

const sat_algorithm *gpu_row_at(size_t index)
{
    return sat_row_at("cuda", index);
}

static void describe(const gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning)
{
    static const char *const syncs[] = {"auto", "launch", "graph", "coop"};
    print_error("row %s, tile %d, threads %d, sync %s, r %g, strides %" PRId64 " and %" PRId64
                ", starts %zu and %zu: ",
                row->name, tuning->tile, tuning->threads, syncs[tuning->sync & 3], tuning->r,
                d->in.stride, d->out.stride, (size_t)(d->in.row0 - (char *)d->in.memory),
                (size_t)(d->out.row0 - (char *)d->out.memory));
    describe_case(&d->c);
}

/* A buffer, and as many bytes on the device. */
static buffer make_both(satf_context *ctx, const sat_case *c, size_t sample_bytes,
                        const sat_layout *l, unsigned char **there)
{
    void *device;
    buffer b =
        make_buffer(c->height, case_samples(c), sample_bytes, l, gpu_small ? 0 : GUARD_BYTES);
    MUST(ctx, satf_cuda()->alloc(ctx, GPU_DEVICE, b.bytes, "a test", &device));
    *there = device;
    return b;
}

/* ------------------------------------------------------------- what is right */

static void *reference(const gpu_data *d)
{
    const sat_case *c = &d->c;
    sat_job job = make_job(c, &d->in, &d->out);
    job.f32_out = false;
    job.out_stride = case_samples(c) * (int64_t)satf_sum_bytes(c->sum_type);
    const sat_algorithm *row = sat_algorithm_find("reference", "cpu");
    size_t bytes = 0;
    assert_true(row && !row->refuses(&job) && row->scratch_bytes(d->ctx, &job, &bytes));
    void *scratch = satf_alloc(bytes);
    void *want = job.out = satf_alloc((size_t)(job.out_stride * c->height));
    assert_true(scratch && want);
    MUST(d->ctx, row->run(d->ctx, &job, scratch));
    satf_free(scratch);
    return want;
}

/* The table of |summand|, in plain double sums. */
static double *sum_magnitudes(const gpu_data *d)
{
    const sat_case *c = &d->c;
    int64_t n = c->width * c->channels;
    double *sums = satf_alloc((size_t)(n * c->height) * sizeof *sums);
    assert_non_null(sums);
    for (int64_t y = 0; y < c->height; y++) {
        double *row = sums + y * n, left[SATF_MAX_CHANNELS] = {0};
        satf_summands((satf_type)c->type, c->channels, c->summand, buffer_row(&d->in, y), c->width,
                      SATF_SUM_F64, row);
        for (int64_t i = 0; i < n; i++) {
            left[i % c->channels] += fabs(row[i]);
            row[i] = left[i % c->channels] + (y ? row[i - n] : 0);
        }
    }
    return sums;
}

gpu_data gpu_prepare(satf_context *ctx, const sat_case *c, const sat_layout *in,
                     const sat_layout *out)
{
    gpu_data d = {.ctx = ctx, .c = *c};
    d.in = make_both(ctx, c, satf_type_bytes(c->type), in, &d.there);
    d.out = make_both(ctx, c, out_bytes(c), out, &d.out_there);
    fill(c, &d.in);
    MUST(ctx, satf_cuda()->copy_bytes(ctx, GPU_DEVICE, d.there, d.in.memory, d.in.bytes));
    MUST(ctx, satf_cuda()->wait(ctx, GPU_DEVICE));
    d.want = reference(&d);
    if (c->pattern == RANDOM && satf_type_is_float(c->type)) {
        d.magnitudes = sum_magnitudes(&d);
    }
    return d;
}

void gpu_release(gpu_data *d)
{
    satf_cuda()->free(d->ctx, d->scratch);
    satf_cuda()->free(d->ctx, d->there);
    satf_cuda()->free(d->ctx, d->out_there);
    satf_free(d->in.memory);
    satf_free(d->out.memory);
    satf_free(d->want);
    satf_free(d->magnitudes);
}

/* ----------------------------------------------------------------------- runs */

sat_job gpu_job(const gpu_data *d, const sat_tuning *tuning)
{
    sat_job job = make_job(&d->c, &d->in, &d->out);
    job.in.data = d->there + (d->in.row0 - (char *)d->in.memory);
    job.in.device = GPU_DEVICE;
    job.out = d->out_there + (d->out.row0 - (char *)d->out.memory);
    job.tuning = *tuning;
    return job;
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
         own ? satf_cuda()->copy_bytes(d->ctx, GPU_DEVICE, d->there, d->in.memory, d->in.bytes)
             : satf_cuda()->set_bytes(d->ctx, GPU_DEVICE, d->there, OTHER, d->in.bytes));
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
             satf_cuda()->set_bytes(d->ctx, GPU_DEVICE, d->out_there, GPU_GUARD, d->out.bytes));
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

static bool is_right(const gpu_data *d, int64_t i, const char *want, const char *got)
{
    if (d->c.sum_type != SATF_SUM_F64) {
        return memcmp(want, got, satf_sum_bytes(d->c.sum_type)) == 0;
    }
    double expected, sum = read_float(&d->c, got);
    memcpy(&expected, want, sizeof expected);
    if (d->magnitudes) {
        return fabs(sum - expected) <= tolerance(d, d->magnitudes[i]);
    }
    return isnan(expected) ? isnan(sum) : sum == expected;
}

void gpu_compare(gpu_data *d, const sat_algorithm *row, const sat_tuning *tuning)
{
    const sat_case *c = &d->c;
    buffer *out = &d->out;
    MUST(d->ctx,
         satf_cuda()->copy_bytes(d->ctx, GPU_DEVICE, out->memory, d->out_there, out->bytes));
    satf_status status = satf_cuda()->wait(d->ctx, GPU_DEVICE);
    if (status) {
        describe(d, row, tuning);
        fail_msg("%s: %s", satf_status_name(status), satf_message(d->ctx));
    }
    int64_t n = c->width * c->channels;
    size_t want_bytes = satf_sum_bytes(c->sum_type), got_bytes = out->row_bytes / (size_t)n;
    for (int64_t y = 0; y < c->height; y++) {
        const char *want = (const char *)d->want + (size_t)(y * n) * want_bytes;
        const char *got = buffer_row(out, y);
        if (want_bytes == got_bytes && memcmp(want, got, out->row_bytes) == 0) {
            continue;
        }
        for (int64_t i = 0; i < n; i++, want += want_bytes, got += got_bytes) {
            if (!is_right(d, y * n + i, want, got)) {
                describe(d, row, tuning);
                fail_sum(c, i, y, want, got, true);
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
