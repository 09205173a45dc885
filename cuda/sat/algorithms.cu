/* The CUDA entries of the table of SAT algorithms: which kernels, in which order, with which
 * scratch. Chapter 6 of the dissertation, and what came after it. */
#include <math.h>
#include <string.h>

#include "../base/check.h"
#include "choose.cuh"
#include "graph.cuh"
#include "stress.h"
#include "tile_state.cuh"

extern "C" {
#include "../../src/base/memory.h"
#include "../../src/sat/gpu.h"
#include "../../src/sat/stages.h"
}

static int stress_mode;

void cuda_stress(int mode)
{
    stress_mode = mode;
}

/* ------------------------------------------------------------------ scratch */

/* Cuts scratch into pieces; with base NULL it only measures. */
struct carver {
    char *base;
    size_t bytes;
    bool fits;
};

static void *carve(carver *from, int64_t count, int64_t times, size_t size)
{
    size_t bytes;
    void *piece = from->base ? from->base + from->bytes : NULL;
    if (!from->fits || !satf_mul((size_t)count, (size_t)times, &bytes) ||
        !satf_mul(bytes, size, &bytes) || bytes > SIZE_MAX / 4 ||
        !satf_add(from->bytes, (bytes + 255) & ~(size_t)255, &from->bytes)) {
        from->fits = false;
    }
    return piece;
}

static sat_aux carve_aux(carver *from, const sat_grid &g, int tile, size_t size)
{
    sat_aux aux;
    aux.col_pitch = g.tiles_x * tile;
    aux.row_pitch = g.tiles_y * tile;
    aux.corner_pitch = g.tiles_x;
    aux.col_plane = aux.col_pitch * g.tiles_y;
    aux.row_plane = aux.row_pitch * g.tiles_x;
    aux.corner_plane = g.tiles_x * g.tiles_y;
    aux.col = carve(from, aux.col_plane, g.channels, size);
    aux.row = carve(from, aux.row_plane, g.channels, size);
    aux.corner = carve(from, aux.corner_plane, g.channels, size);
    return aux;
}

/* The scratch of an algorithm: what its CARVE cuts out for the job. */
template <auto CARVE> static bool scratch_of(satf_context *, const sat_job *job, size_t *bytes)
{
    carver c = {NULL, 0, true};
    CARVE(&c, job);
    *bytes = c.bytes;
    return c.fits;
}

/* The job of an algorithm with blocks. */
struct block_job {
    const sat_sums *sums;
    const sat_shape *shape;
    sat_plane p;
    sat_grid g;
};

static block_job sat_cut_up(const sat_job *job)
{
    block_job b;
    b.sums = find_sums(job);
    b.shape = find_shape(job);
    b.p = make_plane(job);
    b.g = make_grid(b.p.width, b.p.height, b.p.channels, b.shape->tile);
    return b;
}

/* ------------------------------------------------- algorithms without blocks */

static satf_status run_2r2w(satf_context *ctx, const sat_job *job, void *)
{
    const sat_sums *sums = find_sums(job);
    sat_plane p = make_plane(job);
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    CUDA_RETURN(ctx, sums->columns(p, stream));
    CUDA_RETURN(ctx, sums->rows(p, stream));
    return SATF_OK;
}

static void *carve_4r4w(carver *from, const sat_job *job)
{
    return carve(from, job->in.width, job->in.height, (size_t)find_sums(job)->out_bytes);
}

static satf_status run_4r4w(satf_context *ctx, const sat_job *job, void *scratch)
{
    const sat_sums *sums = find_sums(job);
    sat_plane p = make_plane(job);
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    CUDA_RETURN(ctx, sums->columns(p, stream));
    sat_plane turned = p; /* one channel */
    turned.in = turned.out = (char *)scratch;
    turned.in_stride = turned.out_stride = p.height * sums->out_bytes;
    turned.width = p.height;
    turned.height = p.width;
    turned.channels = 1;
    turned.summand = SATF_SUMMAND_PLAIN;
    turned.in_bytes = (int16_t)sums->out_bytes;
    turned.in_align = turned.out_align = sums->out_bytes;
    for (int c = 0; c < p.channels; c++) {
        CUDA_RETURN(ctx, sat_transpose(p, sums->out_bytes, c, scratch, false, stream));
        CUDA_RETURN(ctx, sums->columns(turned, stream));
        CUDA_RETURN(ctx, sat_transpose(p, sums->out_bytes, c, scratch, true, stream));
    }
    return SATF_OK;
}

/* --------------------------------------------------------------------- 4R1W */

static unsigned *carve_count(carver *from, const sat_job *)
{
    return (unsigned *)carve(from, 1, 1, sizeof(unsigned));
}

struct samples_memory {
    unsigned *count;
    void *kept;
};

static samples_memory carve_4r1w(carver *from, const sat_job *job)
{
    const sat_sums *sums = find_sums(job);
    int64_t width = job->in.width, height = job->in.height;
    samples_memory m = {carve_count(from, job), NULL};
    if (sums->out_bytes < sums->sum_bytes) {
        m.kept = carve(from, width < height ? width : height, 3 * job->in.channels,
                       (size_t)sums->sum_bytes);
    }
    return m;
}

static satf_status run_4r1w(satf_context *ctx, const sat_job *job, void *scratch)
{
    const sat_sums *sums = find_sums(job);
    carver c = {(char *)scratch, 0, true};
    samples_memory m = carve_4r1w(&c, job);
    sat_plane p = make_plane(job);
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    if (sync_of(job) == SAT_SYNC_COOP) {
        CUDA_RETURN(ctx, sums->diagonals(p, m.kept, m.count, stream));
        return SATF_OK;
    }
    auto stages = [&](cudaStream_t on) -> satf_status {
        for (int64_t d = 0; d < p.width + p.height - 1; d++) {
            CUDA_RETURN(ctx, sums->diagonal(p, m.kept, d, on));
        }
        return SATF_OK;
    };
    return sync_of(job) == SAT_SYNC_GRAPH ? run_graph(ctx, "4r1w", job, p, scratch, stream, stages)
                                          : stages(stream);
}

/* --------------------------------------------------------------- 2R1W, 1R1W */

/* Measures, or with a base runs, 2R1W; recursive for the table of U (section 6.3). */
static satf_status do_2r1w(satf_context *ctx, const sat_sums *sums, const sat_shape *shape,
                           const sat_plane &p, carver *scratch, cudaStream_t stream)
{
    sat_grid g = make_grid(p.width, p.height, p.channels, shape->tile);
    bool run = scratch->base != NULL;
    if (g.tiles_x * g.tiles_y == 1) {
        sat_aux none;
        memset(&none, 0, sizeof none);
        if (run) {
            CUDA_RETURN(ctx, shape->tables(p, g, none, 0, stream));
        }
        return SATF_OK;
    }
    sat_aux aux = carve_aux(scratch, g, shape->tile, (size_t)sums->sum_bytes), own = aux;
    own.corner = carve(scratch, aux.corner_plane, g.channels, (size_t)sums->sum_bytes);
    if (run) {
        CUDA_RETURN(ctx, shape->sums(p, g, own, 0, stream));
        CUDA_RETURN(ctx, sums->prefix(g, aux, shape->tile, 0, grid_diagonals(g), stream));
    }
    carver rest = *scratch;
    for (int c = 0; c < g.channels;
         c++) { /* the channels one after the other, in the same scratch */
        sat_plane u;
        memset(&u, 0, sizeof u);
        int64_t channel = aux.corner_plane * sums->sum_bytes * c;
        u.in = run ? (char *)own.corner + channel : NULL;
        u.out = run ? (char *)aux.corner + channel : NULL;
        u.width = g.tiles_x;
        u.height = g.tiles_y;
        u.in_stride = u.out_stride = g.tiles_x * sums->sum_bytes;
        u.channels = 1;
        u.summand = SATF_SUMMAND_PLAIN;
        u.in_bytes = (int16_t)sums->sum_bytes;
        u.in_align = alignment(u.in, u.in_stride);
        u.out_align = alignment(u.out, u.out_stride);
        *scratch = rest;
        satf_status status = do_2r1w(ctx, sums->of_sums, sums->of_sums->shapes, u, scratch, stream);
        if (status) {
            return status;
        }
    }
    if (run) {
        CUDA_RETURN(ctx, shape->tables(p, g, aux, 0, stream));
    }
    return SATF_OK;
}

static void carve_2r1w(carver *from, const sat_job *job)
{
    block_job b = sat_cut_up(job);
    do_2r1w(NULL, b.sums, b.shape, b.p, from, NULL);
}

static satf_status sat_run_2r1w(satf_context *ctx, const sat_job *job, void *scratch)
{
    block_job b = sat_cut_up(job);
    char nothing;
    carver c = {scratch ? (char *)scratch : &nothing, 0, true}; /* a single block wants none */
    return do_2r1w(ctx, b.sums, b.shape, b.p, &c, (cudaStream_t)cuda_stream(ctx));
}

/* The scratch of 1R1W and (1+r)R1W: the sums that blocks hand on, and the ring of all stages. */
struct chain_memory {
    sat_aux aux;
    sat_ring ring;
};

static chain_memory carve_chain(carver *from, const sat_job *job)
{
    block_job b = sat_cut_up(job);
    chain_memory m;
    m.aux = carve_aux(from, b.g, b.shape->tile, (size_t)b.sums->sum_bytes);
    m.ring.places = ring_places(b.g);
    m.ring.count = carve_count(from, job);
    m.ring.words = carve(from, sat_ring::ANTI_DIAGONALS * b.g.channels * m.ring.places,
                         ring_pitch(b.shape->tile), (size_t)b.shape->word_bytes);
    return m;
}

/* Step 2 of 2R1W for the anti-diagonals begin ... end - 1; those before have handed on their sums.
 * The corners are summed up from the rows' sums. */
static satf_status sat_sum_up(satf_context *ctx, const block_job &b, const sat_aux &aux,
                              int64_t begin, int64_t end, cudaStream_t stream)
{
    CUDA_RETURN(ctx, b.sums->prefix(b.g, aux, b.shape->tile, begin, end, stream));
    CUDA_RETURN(ctx, b.sums->corners(b.g, aux, b.shape->tile, begin, end, stream));
    return SATF_OK;
}

/* The stages begin ... end - 1 of 1R1W. */
static satf_status do_stages(satf_context *ctx, const block_job &b, const chain_memory &m,
                             sat_sync sync, int64_t begin, int64_t end, cudaStream_t stream)
{
    if (sync == SAT_SYNC_COOP) {
        CUDA_RETURN(ctx, b.shape->stages(b.p, b.g, m.aux, begin, end, m.ring, stress_mode, stream));
        return SATF_OK;
    }
    for (int64_t d = begin; d < end; d++) {
        CUDA_RETURN(ctx, b.shape->stage(b.p, b.g, m.aux, d, stream));
    }
    return SATF_OK;
}

/*
 * (1+r)R1W with triangles of `side` anti-diagonals (section 6.5, A and B), at least one between
 * them; 1R1W without triangles. The stages need A's sums but not its tables, and B's own sums
 * need nothing: so steps 1 and 3 of 2R1W do both triangles at once.
 */
static satf_status do_1_plus_r(satf_context *ctx, const char *row, const sat_job *job, int64_t side,
                               void *scratch)
{
    block_job b = sat_cut_up(job);
    carver c = {(char *)scratch, 0, true};
    chain_memory m = carve_chain(&c, job);
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    sat_sync sync = sync_of(job);
    int64_t diagonals = grid_diagonals(b.g), end = diagonals - side;
    auto work = [&](cudaStream_t on) -> satf_status {
        if (side == 0) {
            return do_stages(ctx, b, m, sync, 0, diagonals, on);
        }
        CUDA_RETURN(ctx, b.shape->sums(b.p, b.g, m.aux, side, on));
        satf_status status = sat_sum_up(ctx, b, m.aux, 0, side, on);
        if (!status) {
            status = do_stages(ctx, b, m, sync, side, end, on);
        }
        if (!status) {
            status = sat_sum_up(ctx, b, m.aux, end, diagonals, on);
        }
        if (!status) {
            CUDA_RETURN(ctx, b.shape->tables(b.p, b.g, m.aux, side, on));
        }
        return status;
    };
    return sync == SAT_SYNC_GRAPH ? run_graph(ctx, row, job, b.p, scratch, stream, work)
                                  : work(stream);
}

static satf_status sat_run_1r1w(satf_context *ctx, const sat_job *job, void *scratch)
{
    return do_1_plus_r(ctx, "1r1w", job, 0, scratch);
}

static satf_status sat_run_1_plus_r(satf_context *ctx, const sat_job *job, void *scratch)
{
    sat_grid g = sat_cut_up(job).g;
    int64_t side = sat_triangle_side(job->tuning.r, g.tiles_x, g.tiles_y);
    return do_1_plus_r(ctx, "1+r", job, side, scratch);
}

/* ------------------------------------------------------------ single kernels */

static sat_lookback carve_skss(carver *from, const sat_job *job)
{
    block_job b = sat_cut_up(job);
    sat_lookback words;
    memset(&words, 0, sizeof words);
    words.ticket = carve_count(from, job);
    words.prefix = STATE_PREFIX + job->scratch_runs % 2;
    words.row = carve(from, b.g.tiles_x * b.g.tiles_y * b.g.channels, b.shape->tile,
                      (size_t)b.shape->word_bytes);
    words.hinted = true;
    return words;
}

static satf_status run_skss(satf_context *ctx, const sat_job *job, void *scratch)
{
    block_job b = sat_cut_up(job);
    carver c = {(char *)scratch, 0, true};
    sat_lookback words = carve_skss(&c, job);
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    CUDA_RETURN(ctx, b.shape->skss(b.p, b.g, words, stress_mode, stream));
    return SATF_OK;
}

struct lookback_memory {
    const sat_lookback_shape *shape;
    sat_grid g;
    sat_lookback words;
};

static lookback_memory carve_lookback(carver *from, const sat_job *job)
{
    const sat_lookback_shape *shape = find_lookback_shape(job);
    int64_t width = job->in.width, height = job->in.height;
    lookback_memory m;
    m.shape = shape;
    m.g = {(width - 1) / shape->across + 1, (height - 1) / shape->high + 1,
           job->in.channels / shape->channels};
    int64_t blocks = m.g.tiles_x * m.g.tiles_y * m.g.channels;
    size_t word = (size_t)shape->word_bytes;
    m.words.ticket = carve_count(from, job);
    m.words.prefix = STATE_PREFIX + job->scratch_runs % 2;
    m.words.corner = carve(from, blocks, shape->channels, word);
    m.words.col = carve(from, blocks, shape->columns, word);
    m.words.row = carve(from, blocks, shape->lines, word);
    /* Telling L2 is up to 7 % faster on an H200, but 1 to 2 % slower for large images of bytes. */
    m.words.hinted = job->in.type != SATF_U8 || width * height < (int64_t)1 << 27;
    return m;
}

static satf_status run_lookback(satf_context *ctx, const sat_job *job, void *scratch)
{
    carver c = {(char *)scratch, 0, true};
    lookback_memory m = carve_lookback(&c, job);
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    CUDA_RETURN(ctx, m.shape->lookback(make_plane(job), m.g, m.words, stress_mode, stream));
    return SATF_OK;
}

/* --------------------------------------------------------------- the entries */

static const sat_algorithm row_2R2W = {SAT_CUDA_2R2W, refuses_passes, NULL, run_2r2w, NULL};

static const sat_algorithm row_4R4W = {SAT_CUDA_4R4W, refuses_passes, scratch_of<carve_4r4w>,
                                       run_4r4w, NULL};

static const sat_algorithm row_4R1W = {SAT_CUDA_4R1W, refuses_passes, scratch_of<carve_4r1w>,
                                       run_4r1w, sync_variant};

static const sat_algorithm row_2R1W = {SAT_CUDA_2R1W, refuses_blocks, scratch_of<carve_2r1w>,
                                       sat_run_2r1w, shape_variant<&sat_shape::tables>};

static const sat_algorithm row_1R1W = {SAT_CUDA_1R1W, refuses_chained, scratch_of<carve_chain>,
                                       sat_run_1r1w, shape_variant<&sat_shape::stages, ALL_WAYS>};

static const sat_algorithm row_1_PLUS_R = {SAT_CUDA_1_PLUS_R,
                                           refuses_chained,
                                           scratch_of<carve_chain>,
                                           sat_run_1_plus_r,
                                           shape_variant<&sat_shape::stages, ALL_WAYS>,
                                           false,
                                           true};

static const sat_algorithm row_SKSS = {SAT_CUDA_SKSS,
                                       refuses_chained,
                                       scratch_of<carve_skss>,
                                       run_skss,
                                       shape_variant<&sat_shape::skss>,
                                       true};

static const sat_algorithm row_LOOKBACK = {SAT_CUDA_LOOKBACK,          refuses_lookback,
                                           scratch_of<carve_lookback>, run_lookback,
                                           lookback_variant,           true};

const sat_algorithm *cuda_algorithm(size_t index)
{
    static const sat_algorithm *const rows[] = {
#define SAT_ROW(ROW) &row_##ROW,
        SAT_CUDA_ALGORITHMS(SAT_ROW)
#undef SAT_ROW
    };
    return rows[index];
}
