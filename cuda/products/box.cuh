/*
 * Box means of bytes, and other formulas of moments, by the matrix units, which sum by lines of
 * weights too (taps.cuh). Samples of 16 bits are two bytes, as if of two channels
 * (src/sums/march/gpu.h). Sums along rows are products of the samples with a band of ones; sums
 * down columns are products of the row sums' bytes. Both are exact. A block marches down a strip of
 * columns, 16 rows a step; a warp keeps the row sums of its window in registers, so each row is
 * read once. Borders are weights (src/sums/march/bands.h).
 */
#ifndef CUDA_PRODUCTS_BOX_CUH
#define CUDA_PRODUCTS_BOX_CUH

#include <type_traits>

#include "box_task.cuh"
#include "lanes.cuh"
#include "moments.cuh"
#include "reduction.cuh"
#include "taps.cuh"

/* ------------------------------------------------------------------ products */

/* A lane's weights of a tile: along its rows, and down its columns. */
template <int PIECES> struct window_rows {
    uint32_t word[2][PIECES][2];

    __device__ __forceinline__ void load(const box_task &task, int matrix)
    {
        load_matrix<4 * PIECES>(word[0][0], task.across, matrix);
    }
};

template <int GROUPS> struct window_columns {
    uint32_t word[GROUPS][4];

    __device__ __forceinline__ void load(const box_task &task, int matrix)
    {
        load_matrix<4 * GROUPS>(word[0], task.down, matrix);
    }
};

/* The sums along 16 rows of a tile. at[b]: the lane's row of 8 b ... 8 b + 7, from its halo on. */
template <int PIECES>
static __device__ __forceinline__ row_sums add_along_rows(const window_rows<PIECES> &rows,
                                                          const uint32_t (&at)[2], int t,
                                                          const box_task &task)
{
    const uint32_t(&weights)[2][PIECES][2] = rows.word;
    product sums[2][2]; /* rows, half of the tile */
#pragma unroll
    for (int b = 0; b < 2; b++) {
#pragma unroll
        for (int k = 0; k + 1 < PIECES; k += 2) {
            uint32_t low, high;
            load_eight<true>(at[b] + 16 * k + 8 * t, &low, &high);
#pragma unroll
            for (int q = 0; q < 2; q++) {
                sums[b][q] =
                    multiply<PLAIN_WEIGHTS>(weights[q][k], low, high, k ? sums[b][q] : all_of(0));
            }
        }
        if (PIECES % 2) {
            uint32_t four = load_four(at[b] + 16 * (PIECES - 1) + 4 * t);
#pragma unroll
            for (int q = 0; q < 2; q++) {
                sums[b][q] = multiply_half<PLAIN_WEIGHTS>(weights[q][PIECES - 1], four, sums[b][q]);
            }
        }
    }
    return pack_rows(sums, task.shift[1]);
}

/* The sums of a lane's rows, with squares or without. */
static __device__ __forceinline__ const row_sums &sums_of(const row_sums &rows)
{
    return rows;
}

static __device__ __forceinline__ const row_sums &sums_of(const row_moments &rows)
{
    return rows.sums;
}

template <int GROUPS>
static __device__ __forceinline__ product square_columns(const uint32_t (&weights)[GROUPS][4],
                                                         const row_moments *ring, int newest, int q,
                                                         int h, const box_task &task)
{
    product sum = add_down<GROUPS>(weights, newest, all_of(0),
                                   [&](int k) { return ring[k].squares.high[q][h]; });
#pragma unroll
    for (int i = 0; i < 4; i++) {
        sum.at[i] *= task.shift[0];
    }
    sum =
        add_down<GROUPS>(weights, newest, sum, [&](int k) { return ring[k].squares.middle[q][h]; });
#pragma unroll
    for (int i = 0; i < 4; i++) {
        sum.at[i] *= task.shift[0];
    }
    return add_down<GROUPS>(weights, newest, sum, [&](int k) { return ring[k].squares.low[q][h]; });
}

/* Without squares. */
template <int GROUPS>
static __device__ __forceinline__ product square_columns(const uint32_t (&)[GROUPS][4],
                                                         const row_sums *, int, int, int,
                                                         const box_task &)
{
    return all_of(0);
}

template <int GROUPS, class Finish, class Rows>
static __device__ __forceinline__ void
add_columns(const window_columns<GROUPS> &columns, const Rows *ring, int newest,
            const box_task &task, const typename Finish::centres &centres,
            result_rows<typename Finish::sample> &results)
{
    const uint32_t(&weights)[GROUPS][4] = columns.word;
#pragma unroll
    for (int q = 0; q < 2; q++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            product sum = add_down<GROUPS>(weights, newest, all_of(0),
                                           [&](int k) { return sums_of(ring[k]).high[q][h]; });
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sum.at[i] = sum.at[i] * task.shift[0] + Finish::START;
            }
            sum = add_down<GROUPS>(weights, newest, sum,
                                   [&](int k) { return sums_of(ring[k]).low[q][h]; });
            product square = square_columns<GROUPS>(weights, ring, newest, q, h, task);
            typename Finish::result one[4];
            Finish::four(task.finish, sum, square, centres, 4 * q + 2 * h, one);
            if constexpr (Finish::branches) {
                __syncwarp(); /* products are of whole warps */
            }
            results.put(4 * q + 2 * h, one);
        }
    }
    results.finish();
}

/* ------------------------------------------------------------------- kernel */

/* The number of a tile's matrix; any one above the image, where nothing is stored. */
static __device__ __forceinline__ int matrix_of(int tile, int first, int last)
{
    return tile < 0 ? 0 : tile < first ? 1 + tile : tile >= last ? 1 + first + tile - last : 0;
}

/* The place where a block works. */
struct box_place {
    int strip_x, strip_bytes; /* columns */
    int begin, rows;          /* of the result */
    int steps;
};

template <int DOWN, int TILES>
static __device__ __forceinline__ box_place place_of(const box_task &task)
{
    box_place at;
    at.strip_bytes = ((int)blockDim.x / 32 - 1) * (TILE * TILES);
    at.strip_x = (int)blockIdx.x % task.strips * at.strip_bytes;
    at.begin = (int)blockIdx.x / task.strips * task.segment;
    at.rows = min(task.in.height - at.begin, task.segment);
    at.steps = (at.rows + STEP - 1) / STEP + DOWN / 8;
    return at;
}

/* The part of the image whose results count: all, or what a reduction looks at. */
template <class Finish> static __device__ __forceinline__ box_edges edges_of(const box_task &task)
{
    if constexpr (Finish::reduces) {
        return task.finish.reduced;
    }
    return {0, 0, task.in.row_bytes, task.in.height};
}

/*
 * A warp's TILES tiles of a strip. A step takes 16 rows in, and makes 16 rows of results that lie
 * AHEAD steps higher. Steps are plain far from the upper and the lower edge, in warps whose columns
 * are in the image: then weights stay in registers, and all results are stored. Other steps load
 * their weights down; tiles with matrices that differ load theirs along.
 */
template <int ACROSS, int DOWN, int TILES, class Finish> struct box_warp {
    static constexpr int PIECES = ACROSS ? ACROSS / 8 + 2 : 0, GROUPS = DOWN / 8 + 1;
    static constexpr int AHEAD = GROUPS - 1;
    static constexpr bool SQUARES = Finish::has_squares, WEIGHS = Finish::weighs;
    typedef std::conditional_t<WEIGHS, tap_rows<PIECES>, window_rows<PIECES>> row_weights;
    typedef std::conditional_t<WEIGHS, tap_columns<GROUPS>, window_columns<GROUPS>> column_weights;
    typedef typename Finish::sample sample;
    typedef result_rows<sample> results;
    typedef typename std::conditional<SQUARES, row_moments, row_sums>::type rows;
    const box_task &task;
    const box_place &place;
    loader &source;
    typename Finish::memory seen;
    row_weights across;
    column_weights down;
    rows ring[TILES][GROUPS];
    int matrices[TILES];
    bool alike;
    int g, t;                 /* the lane's row and column of a product */
    uint32_t lane_at[2];      /* within a stage: its rows g and g + 8, from the warp's halo on */
    int count;                /* bytes of the image's row from the lane's first result on */
    char *to;                 /* its first result of the next step */
    const uint8_t *samples;   /* the samples at the same place */
    int first_tile;           /* the tile down of step 0 */
    int left;                 /* bytes from the lane's first result to the first that counts */
    int rows_from, rows_to;   /* the segment's rows that count */
    int plain_from, plain_to; /* steps */

    __device__ __forceinline__ box_warp(const box_task &of, const box_place &at, loader &from,
                                        int x)
        : task(of), place(at), source(from), alike(true)
    {
        g = (int)threadIdx.x % 32 / 4;
        t = (int)threadIdx.x % 4;
#pragma unroll
        for (int p = 0; p < TILES; p++) {
            int tile = min(x + TILE * p, task.in.row_bytes - 1) / TILE;
            matrices[p] = matrix_of(tile, task.across_first, task.across_last);
            alike = alike && matrices[p] == matrices[0];
        }
        across.load(task, matrices[0]);
        down.load(task, 0);
        const int halo = ACROSS ? ACROSS : task.halo;
        lane_at[0] = source.place(g, x - halo);
        lane_at[1] = source.place(g + 8, x - halo);
        const int first = x + results::RUN * t, row = place.begin + g - AHEAD * STEP;
        const box_edges edges = edges_of<Finish>(task);
        left = edges.left - first;
        count = edges.right - first;
        rows_from = max(edges.top - place.begin, 0);
        rows_to = min(edges.bottom - place.begin, place.rows);
        to = (char *)(task.out + row * task.out_stride) + first * (int64_t)sizeof(sample);
        samples = task.in.data + row * task.in.stride + first;
        first_tile = place.begin / STEP - AHEAD;
        bool whole = edges.left <= x && edges.right - x >= TILE * TILES;
        int full = AHEAD + (rows_from + STEP - 1) / STEP;
        plain_from = whole ? max(full, task.down_first - first_tile) : place.steps;
        plain_to = min(task.down_last - first_tile, rows_to / STEP + AHEAD);
    }

    /* row: the lane's first, of the segment's results. */
    template <bool PLAIN> __device__ __forceinline__ results results_of(int tile, int row)
    {
        results of;
        of.count = PLAIN ? TILE : count - TILE * tile;
        of.rows[0] = PLAIN || (row >= rows_from && row < rows_to);
        of.rows[1] = PLAIN || (row + 8 >= rows_from && row + 8 < rows_to);
        if constexpr (Finish::reduces) {
            of.seen = &seen;
            of.weight = (uint32_t)task.finish.formula.constants.weight;
            of.left = PLAIN ? 0 : left - TILE * tile;
        } else {
            of.to = to + TILE * tile * (int)sizeof(sample);
            of.below = 8 * task.out_stride;
            of.aligned = task.finish.aligned;
        }
        return of;
    }

    /* newest: the group of the ring that this step replaces. */
    template <bool PLAIN, bool ALIKE> __device__ __forceinline__ void do_step(int newest, int step)
    {
        const int row = STEP * (step - AHEAD) + g;
        typename Finish::centres centres[TILES]; /* loaded early, since loads take long */
#pragma unroll
        for (int p = 0; p < TILES; p++) {
            bool inside = PLAIN || (count > TILE * p && row >= 0);
            centres[p] = Finish::load(samples + TILE * p, task.in.stride,
                                      PLAIN || (inside && row < place.rows),
                                      PLAIN || (inside && row + 8 < place.rows));
        }
        const uint32_t stage = source.await();
        column_weights own; /* taps load `down` anew instead: they fill the registers */
        column_weights &of_step = PLAIN || WEIGHS ? down : own;
        uint32_t made = ~0u;
        if (!PLAIN) {
            of_step.load(task, matrix_of(first_tile + step, task.down_first, task.down_last));
        }
#pragma unroll
        for (int p = 0; p < TILES; p++) {
            const uint32_t at[2] = {stage + lane_at[0] + TILE * p, stage + lane_at[1] + TILE * p};
            if (!ALIKE && TILES > 1) {
                across.load(task, matrices[p]);
            }
            if constexpr (SQUARES) {
                ring[p][newest] = add_moments_along_rows<PIECES>(across.word, at, t, task.shift);
            } else {
                ring[p][newest] = add_along_rows(across, at, t, task);
            }
            /* of all samples, never all ones: sums are at most 0x807F, numbers by weights 0xFF00 */
            const row_sums &sums = sums_of(ring[p][newest]);
            made &= WEIGHS ? sums.high[0][0] & sums.low[0][0] : sums.high[0][0];
        }
        source.done(made);
#pragma unroll
        for (int p = 0; p < TILES && (PLAIN || step >= AHEAD); p++) {
            results of = results_of<PLAIN>(p, row);
            add_columns<GROUPS, Finish>(of_step, ring[p], newest, task, centres[p], of);
        }
        to += STEP * task.out_stride;
        samples += STEP * task.in.stride;
    }

    /* As many steps as the ring has groups, so that each step's group is a constant. */
    template <bool PLAIN, bool ALIKE> __device__ __forceinline__ void do_round(int first)
    {
#pragma unroll
        for (int u = 0; u < GROUPS; u++) {
            if (PLAIN || first + u < place.steps) {
                do_step<PLAIN, ALIKE>(u, first + u);
            }
        }
        if (!PLAIN && WEIGHS) {
            down.load(task, 0);
        }
    }

    __device__ __forceinline__ void march()
    {
#pragma unroll 1
        for (int first = 0; first < place.steps; first += GROUPS) {
            if (first < plain_from || first + GROUPS > plain_to) {
                do_round<false, false>(first);
            } else if (alike || TILES == 1) {
                do_round<true, true>(first);
            } else {
                do_round<true, false>(first);
            }
        }
    }
};

/* A block's strip of columns and segment of rows: each warp has TILES tiles, and one more warp
 * loads. ACROSS 0: the task's halo, for taps. */
template <int ACROSS, int DOWN, int TILES, class Finish>
static __global__ void __launch_bounds__(32 * (MOST_WARPS + 1), 1)
    box_down(const __grid_constant__ box_task task)
{
    const box_place place = place_of<DOWN, TILES>(task);
    const int warp = warp_number(), warps = (int)blockDim.x / 32 - 1;
    const int working = min(warps, (task.in.row_bytes - place.strip_x - 1) / (TILE * TILES) + 1);
    const int margin = margin_of(ACROSS ? ACROSS : task.halo);
    Finish::begin(task.finish);
    loader source(task.in, task.mapped ? &task.map : NULL, place.strip_x - margin,
                  place.strip_bytes + 2 * margin, task.pitch, place.begin - DOWN, working);
    if (warp == warps) {
        source.send_all(place.steps);
    } else if (warp < working) {
        box_warp<ACROSS, DOWN, TILES, Finish> own(task, place, source,
                                                  place.strip_x + warp * (TILE * TILES));
        own.march();
        if constexpr (Finish::reduces) {
            own.seen.end(task.finish);
        }
    }
}

typedef void (*box_kernel)(const box_task task);

/* The kernel of a formula of moments alone for results of that type (FORMULA_OFTEN...); NULL: none.
 */
template <int ACROSS, int DOWN, int TILES, class Formula>
static inline box_kernel box_kernel_for(int type)
{
#define KERNEL(to, ...)                                                  \
    if constexpr (window_gpu_has_formula(Formula::reads, SATF_U8, to)) { \
        if (type == to) {                                                \
            return box_down<ACROSS, DOWN, TILES, __VA_ARGS__>;           \
        }                                                                \
    }
    KERNEL(SATF_U32, wide_epilogue<Formula, uint32_t>)
    KERNEL(SATF_F32, wide_epilogue<Formula, float>)
    KERNEL(SATF_F64, wide_epilogue<Formula, double>)
#undef KERNEL
    return NULL;
}

/* The kernel of a formula that reads squares just if SQUARES. type: of the results. */
template <int ACROSS, int DOWN, int TILES, bool SQUARES>
static inline box_kernel box_kernel_of(const window_gpu_formula &formula, int type)
{
    constexpr bool narrow = (2 * ACROSS + 1) * (2 * DOWN + 1) <= NARROW_WINDOW;
    if constexpr (SQUARES) {
        if (formula.reduces) {
            return box_down<ACROSS, DOWN, TILES, reduction_epilogue<narrow>>;
        }
    }
    if (type == SATF_U8) {
        if constexpr (SQUARES) {
            return reads_of_formula[formula.number] & FORMULA_FOUND
                       ? box_down<ACROSS, DOWN, TILES, found_epilogue<narrow>>
                       : box_down<ACROSS, DOWN, TILES, terms_epilogue<TERMS_ABOVE_ROOTS, narrow>>;
        } else {
            return formula.terms.bilevel
                       ? box_down<ACROSS, DOWN, TILES, terms_epilogue<TERMS_ABOVE, narrow>>
                       : box_down<ACROSS, DOWN, TILES, terms_epilogue<TERMS_ROUNDED, narrow>>;
        }
    }
    switch (formula.number) {
#define FORMULA_ENTRY(name, reads)                                                          \
    case FORMULA_##name:                                                                    \
        if constexpr ((((reads)&FORMULA_SQUARE) != 0) == SQUARES &&                         \
                      ((reads)&FORMULA_TERMS) == 0) {                                       \
            return box_kernel_for<ACROSS, DOWN, TILES, byte_formula<FORMULA_##name>>(type); \
        }                                                                                   \
        return NULL;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        return NULL;
    }
}

/* The kernels of a halo, across and down; a list ends with tiles 0. */
typedef struct box_row {
    int across, down, tiles;
    box_kernel (*kernel)(const window_gpu_formula &formula, int type);
} box_row;

/* A warp has two tiles where registers allow it. */
static constexpr int tiles_of(int across, int down)
{
    return across * down <= 256 ? 2 : 1;
}

/* The kernels of samples of 16 bits (box_words.cu), with squares (box_moments.cu), and by lines of
 * weights (box_taps.cu). */
extern const box_row box_word_rows[], box_moment_rows[], box_tap_rows[];

#endif
