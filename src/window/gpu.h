/* Windows of bytes on a CUDA device by its matrix units, in plain C: what cuda/window does. */
#ifndef SATF_WINDOW_GPU_H
#define SATF_WINDOW_GPU_H

#include "../base/context.h"
#include "../satfilter/formula.h"
#include "bands.h"
#include "pieces.h"

/* Whether the device, which is the current one, has such units and code for them in the backend. */
bool window_gpu_multiplies(int device);

/* The halos that there are kernels for, without squares and with them, smallest first; 0 behind the
 * last. */
typedef struct window_gpu_halo {
    int across, down;
    bool squares;
} window_gpu_halo;
extern const window_gpu_halo window_gpu_halos[];

/* Whether kernels can read it: rows begin at multiples of 16 bytes, each behind the one before. */
static inline bool window_gpu_is_aligned(const satf_view *view)
{
    return (((uintptr_t)view->data | (uintptr_t)view->stride) & 15) == 0 && view->stride > 0;
}

/* Enqueues a copy of bytes, whose rows begin anywhere in both views. */
satf_status window_gpu_realign(satf_context *ctx, const satf_view *from, const satf_view *to);

/* What is made of sums: the formula of that number, given what all results have in common, with the
 * window's area as the weight. FORMULA_NONE: their means, rounded half up. */
typedef struct window_gpu_formula {
    int32_t number;
    formula_sums constants;
    union {
        unsigned char bytes[FILTER_OPTIONS_BYTES];
        double aligned;
    } options;
} window_gpu_formula;

/* Whether there are kernels for a formula that reads so much (formula.h), for results of a type. */
static inline bool window_gpu_has_formula(unsigned reads, satf_type type)
{
    return type == SATF_U8
               ? (reads & FORMULA_OFTEN) != 0
               : (type == SATF_F32 || type == SATF_F64) && (reads & FORMULA_OFTEN_REAL) != 0;
}

/* Neighbouring results of a type that a lane stores at once: 16 bytes, or 8 of bytes. */
static inline int window_gpu_run(satf_type type)
{
    return type == SATF_U8 ? BANDS_OWN : 16 / (int)satf_type_bytes(type);
}

/* A picture's windows. Who runs it has set in.data, out and the weights. */
typedef struct window_gpu_box {
    /* On the device, of one shape. in, and out if it is u8 as well: window_gpu_is_aligned(). */
    satf_view in, out;
    window_gpu_halo halo;
    window_bands across, down; /* across.run: window_gpu_run(out.type) */
    window_gpu_formula formula;
    uint64_t area;     /* of the window */
    uint32_t *weights; /* there: of across, then of down */
    /* What box_plan decides. */
    void (*kernel)(void);
    int warps, tiles; /* of a block, of a warp */
    int segment;      /* rows that a block marches over, a multiple of 16 */
    int pitch, shared_bytes;
} window_gpu_box;

/* Decides how it runs; the device is open. The halo is one of the list. */
satf_status window_gpu_box_plan(satf_context *ctx, window_gpu_box *box);

/* Enqueues the making of the weights, once for any number of runs. */
satf_status window_gpu_box_prepare(satf_context *ctx, const window_gpu_box *box);

/* Enqueues out = the formula of the window around each sample. */
satf_status window_gpu_box_run(satf_context *ctx, const window_gpu_box *box);

enum { WINDOW_GPU_OUTSIDE_BYTES = 2048 };

/* A picture's means under large windows. Who runs it has set in.data, out and the memory. */
typedef struct window_gpu_large {
    satf_view in, out; /* as above */
    window_pieces pieces;
    int border, constant; /* any satf_border but SATF_SHRINK */
    uint32_t area;        /* of the window, 2 to 2^20 */
    /* There, aligned to 64: PIECES_WORDS, WINDOW_GPU_OUTSIDE_BYTES and sides_bytes. Runs change
     * the last. */
    uint32_t *weights;
    uint8_t *outside, *sides;
    /* What large_plan decides. */
    size_t sides_bytes;
    int warps, segment; /* as above */
} window_gpu_large;

/* Whether the device can take such windows. */
bool window_gpu_large_fits(const window_gpu_large *large);

/* As for box_plan, box_prepare and box_run. */
satf_status window_gpu_large_plan(satf_context *ctx, window_gpu_large *large);
satf_status window_gpu_large_prepare(satf_context *ctx, const window_gpu_large *large);
satf_status window_gpu_large_run(satf_context *ctx, const window_gpu_large *large);

/* Where the calls above lead (base/backend.h). */
typedef struct window_gpu_calls {
    __typeof__(window_gpu_multiplies) *multiplies;
    __typeof__(window_gpu_box_plan) *box_plan;
    __typeof__(window_gpu_box_prepare) *box_prepare;
    __typeof__(window_gpu_box_run) *box_run;
    __typeof__(window_gpu_large_fits) *large_fits;
    __typeof__(window_gpu_large_plan) *large_plan;
    __typeof__(window_gpu_large_prepare) *large_prepare;
    __typeof__(window_gpu_large_run) *large_run;
    __typeof__(window_gpu_realign) *realign;
} window_gpu_calls;

#endif
