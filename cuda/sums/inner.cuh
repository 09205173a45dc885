/*
 * Windows that lie inside the image, with a row and a column to spare before them: each has four
 * corners in the table, which move down with it. Channels are just samples side by side.
 */
#ifndef CUDA_SUMS_INNER_CUH
#define CUDA_SUMS_INNER_CUH

#include "tiles.cuh"

extern "C" {
#include "../../src/formula/epilogue_kernels.h"
}

/*
 * The corners of the windows of a tile's pixels in a table of Sum: four addresses that a block's
 * threads share, and a thread's offset of 32 bits, the only number that changes from row to row.
 */
template <class Sum> struct window_corners {
    const char *low_left, *low_right, *high_left,
        *high_right; /* low: above the window; high: its last row */

    /* sample, y: the tile's first. */
    __device__ window_corners(const filter_gpu_task *task, const filter_gpu_layer *layer,
                              int64_t sample, int64_t y)
    {
        const satf_rect *rect = &task->window.rect;
        int64_t channels = task->in.channels, left = sample + (rect->x - 1) * channels;
        low_left = (const char *)layer->sat + (y + rect->y - 1) * layer->stride +
                   left * (int64_t)sizeof(Sum);
        low_right = low_left + rect->w * channels * (int64_t)sizeof(Sum);
        high_left = low_left + rect->h * layer->stride;
        high_right = low_right + rect->h * layer->stride;
    }

    __device__ Sum at(uint32_t offset) const
    {
        Sum right = *(const Sum *)(high_right + offset) - *(const Sum *)(low_right + offset);
        return right - (*(const Sum *)(high_left + offset) - *(const Sum *)(low_left + offset));
    }
};

template <> struct window_corners<no_squares> {
    __device__ window_corners(const filter_gpu_task *, const filter_gpu_layer *, int64_t, int64_t)
    {
    }
    __device__ no_squares at(uint32_t) const
    {
        return no_squares();
    }
};

enum { INNER_COLUMNS = 128, INNER_APART = FILTER_THREADS / INNER_COLUMNS };

/* Rows that a thread reads at once: what registers hold. */
template <class Sum, class Square>
constexpr int inner_ahead = has_squares<Square> && sizeof(Square) > 4 ? 2 : 4;

/* Whether means of integers may be made by multiplication, as on the CPU. */
template <class Formula, class Sum, class Square, int TYPE>
constexpr bool inner_by_magic = std::is_same<Sum, uint32_t>::value && !has_squares<Square> &&
                                (TYPE == SATF_U8 || TYPE == SATF_U16);

/* A tile: its first sample and row, and how many of each. */
typedef struct inner_tile {
    int64_t sample, y;
    int samples, rows;
} inner_tile;

/* A thread's work: every INNER_APART-th row of one column of samples. */
template <class Formula, class Sum, class Square, int TYPE, bool MAGIC> struct inner_column {
    window_corners<Sum> sums;
    window_corners<Square> squares;
    uint32_t sum_at, sum_step, square_at, square_step; /* of the thread's next row */
    char *to;
    int64_t to_step;
    const filter_gpu_task *task;
    const char *from; /* the image's sample at the next result */
    int64_t from_step;
    sample_place at; /* of the next result */
    formula_sums in;
    epilogue_magic magic;

    __device__ inner_column(const filter_gpu_task *of, const epilogue_magic *by,
                            const inner_tile *tile, int column, int row)
        : sums(of, &of->layers[0], tile->sample, tile->y),
          squares(of, &of->layers[has_squares<Square>], tile->sample, tile->y), task(of), magic(*by)
    {
        uint32_t stride = (uint32_t)task->layers[0].stride;
        sum_at = (uint32_t)column * (uint32_t)sizeof(Sum) + (uint32_t)row * stride;
        sum_step = INNER_APART * stride;
        stride = (uint32_t)task->layers[has_squares<Square>].stride;
        square_at = (uint32_t)column * (uint32_t)sizeof(Square) + (uint32_t)row * stride;
        square_step = INNER_APART * stride;
        to = (char *)task->out.data + (tile->y + row) * task->out.stride +
             (tile->sample + column) * sample_bytes(TYPE);
        to_step = INNER_APART * task->out.stride;
        from = (const char *)task->in.data + (tile->y + row) * task->in.stride +
               (tile->sample + column) * sample_bytes(task->in.type);
        from_step = INNER_APART * task->in.stride;
        int64_t area = task->window.rect.w * task->window.rect.h;
        int64_t sample = tile->sample + column, x = sample / task->in.channels;
        at = {x, tile->y + row, (int)(sample - x * task->in.channels), INNER_APART};
        in = task->constants;
        hear_reduction<Formula>(task, &in);
        in.real = (Sum)0.5 != 0;
        in.words = sizeof(Sum) == 4 ? FORMULA_WORD : FORMULA_WIDE;
        in.rounded = TYPE != SATF_F32 && TYPE != SATF_F64;
        /* sums of 32 bits are those of fewer pixels */
        formula_set_weight(&in, sizeof(Sum) == 4 ? (uint64_t)(uint32_t)area : (uint64_t)area);
        in.shift = table_shift<Sum, Square>(task, at.c);
        in.factor = task->window.weight;
    }

    /* The next N rows, all of which are read before the first is stored. */
    template <int N> __device__ __forceinline__ void go()
    {
        Sum sum[N];
        Square square[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            sum[i] = sums.at(sum_at);
            sum_at += sum_step;
            square[i] = squares.at(square_at);
            square_at += square_step;
        }
        if constexpr (MAGIC) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                uint32_t mean = __umulhi(sum[i] + magic.bias, magic.multiplier) >> magic.shift;
                store_aligned(TYPE, formula_integer(mean), to + i * to_step);
            }
        } else {
            formula_value value[N];
            apply_formula<Formula, N>(task, &in, sum, square, from, from_step, &at, value);
#pragma unroll
            for (int i = 0; i < N; i++) {
                store_aligned(TYPE, value[i], to + i * to_step);
            }
            from += N * from_step;
            at.y += N * INNER_APART;
        }
        to += N * to_step;
    }
};

template <class Formula, class Sum, class Square, int TYPE, bool MAGIC>
static __device__ inline void go_down(const filter_gpu_task *task, const epilogue_magic *magic,
                                      const inner_tile *tile)
{
    int column = (int)threadIdx.x % INNER_COLUMNS, row = (int)threadIdx.x / INNER_COLUMNS;
    inner_column<Formula, Sum, Square, TYPE, MAGIC> work(task, magic, tile, column, row);
    if (column >= tile->samples) {
        return;
    }
    constexpr int AHEAD = inner_ahead<Sum, Square>, LAST = (AHEAD - 1) * INNER_APART;
    for (; row + LAST < tile->rows; row += AHEAD * INNER_APART) {
        work.template go<AHEAD>();
    }
    for (; row < tile->rows; row += INNER_APART) {
        work.template go<1>();
    }
}

template <class Formula, class Sum, class Square, int TYPE>
static __device__ inline void inner_go(const filter_gpu_task *task, const epilogue_magic *magic,
                                       const inner_tile *tile)
{
    if constexpr (inner_by_magic<Formula, Sum, Square, TYPE>) {
        if (magic->multiplier) {
            go_down<Formula, Sum, Square, TYPE, true>(task, magic, tile);
            return;
        }
    }
    go_down<Formula, Sum, Square, TYPE, false>(task, magic, tile);
}

/* Pixels in tiles of INNER_COLUMNS samples x `down` rows, whose offsets in tables have 32 bits. */
typedef struct inner_area {
    stretch columns, rows; /* without gaps */
    int64_t down, tiles_x, tiles;
    epilogue_magic magic; /* of means; multiplier 0: none */
} inner_area;

/* Formulas that may store whole sums. */
template <class Formula, class Square>
constexpr bool inner_is_sum = std::is_same<Formula, any_formula>::value && !has_squares<Square>;

/* Whether there is a kernel for this output type. sums: of a formula that may store whole sums. */
static inline bool inner_stores(int type, bool sums)
{
    return type == SATF_U8 || type == SATF_U16 || type == SATF_F32 || type == SATF_F64 ||
           (sums && (type == SATF_U32 || type == SATF_U64));
}

/* By all threads of the block, which go down a tile side by side: what a row reads, another needs
 * again the window's height below. */
template <class Formula, class Sum, class Square>
static __device__ inline void do_inner_tile(const filter_gpu_task *task, const inner_area *area,
                                            int64_t number)
{
    int64_t tile_y = number / area->tiles_x, tile_x = number - tile_y * area->tiles_x;
    int64_t sample = tile_x * INNER_COLUMNS, row = tile_y * area->down;
    int64_t samples = area->columns.count * task->in.channels - sample;
    int64_t rows = area->rows.count - row;
    inner_tile tile;
    tile.sample = area->columns.first * task->in.channels + sample;
    tile.y = area->rows.first + row;
    tile.samples = (int)(samples < INNER_COLUMNS ? samples : INNER_COLUMNS);
    tile.rows = (int)(rows < area->down ? rows : area->down);
    switch (task->out.type) {
    case SATF_U8:
        inner_go<Formula, Sum, Square, SATF_U8>(task, &area->magic, &tile);
        break;
    case SATF_U16:
        inner_go<Formula, Sum, Square, SATF_U16>(task, &area->magic, &tile);
        break;
    case SATF_F32:
        inner_go<Formula, Sum, Square, SATF_F32>(task, &area->magic, &tile);
        break;
    case SATF_F64:
        inner_go<Formula, Sum, Square, SATF_F64>(task, &area->magic, &tile);
        break;
    default:
        if constexpr (inner_is_sum<Formula, Square>) {
            if (task->out.type == SATF_U32) {
                inner_go<Formula, Sum, Square, SATF_U32>(task, &area->magic, &tile);
            } else {
                inner_go<Formula, Sum, Square, SATF_U64>(task, &area->magic, &tile);
            }
        }
    }
}

#endif
