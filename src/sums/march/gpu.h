/*
 * The work of cuda/products, in plain C: windows of bytes and of samples of 16 bits on a CUDA
 * device by its matrix units. Samples of 16 bits are pairs of bytes, the lower one first: an image
 * of them is one of bytes with twice as many channels, and a sum of theirs is put together from
 * two.
 */
#ifndef SATF_SUMS_MARCH_GPU_H
#define SATF_SUMS_MARCH_GPU_H

#include "../../base/view.h"
#include "../../formula/terms.h"
#include "../../satfilter/formula.h"
#include "bands.h"
#include "pieces.h"

/*
 * The halos that there are kernels for, smallest first: bytes across, rows down. Each costs compile
 * time and bytes: there are square ones, and wider ones for square windows of pixels of several
 * bytes. Other windows take the next that reaches far enough.
 */
#define WINDOW_GPU_HALOS(EACH) \
    EACH(8, 8) EACH(32, 8) EACH(16, 16) EACH(64, 16) EACH(32, 32) EACH(64, 32)

/* The halos of formulas that read squares. */
#define WINDOW_GPU_SQUARE_HALOS(EACH) EACH(8, 8) EACH(32, 8) EACH(16, 16)

/* The halos of lines of weights, by the radius down; across 0 stands for any multiple of 16 up to
 * BANDS_MOST_RADIUS pixels of four bytes, with weights that are not kept in registers. */
#define WINDOW_GPU_TAP_HALOS(EACH) EACH(8, 8) EACH(24, 8) EACH(0, 16) EACH(0, 24)

typedef struct window_gpu_halo {
    int across, down;
    bool squares;
} window_gpu_halo;

/* The halos of sums and of squares, and those of lines of weights; 0 behind the last. */
extern const window_gpu_halo window_gpu_halos[], window_gpu_tap_halos[];

/* The bytes of a row, without what lies between rows. */
static inline int64_t window_gpu_row_bytes(const satf_view *view)
{
    return view->width * satf_pixel_bytes(view);
}

/* The longest row that kernels of small windows take. */
enum { WINDOW_GPU_MOST_ROW_BYTES = INT32_MAX / 2 };

/* Whether kernels can read the view: rows begin at multiples of 16 bytes, each behind the last. */
static inline bool window_gpu_is_aligned(const satf_view *view)
{
    return (((uintptr_t)view->data | (uintptr_t)view->stride) & 15) == 0 && view->stride > 0;
}

/* What becomes of sums. The formula `number` makes results of them and of the constants, whose
 * weight is the window's area; FORMULA_NONE: means, rounded half up. If it `reduces`, nothing is
 * stored: the formula raises the keys of a reduction. */
typedef struct window_gpu_formula {
    int32_t number;
    bool reduces;
    satf_rect reduced;   /* the pixels that a reduction looks at */
    uint64_t *reduction; /* the keys, on the device, if the formula or its pass has a reduction */
    formula_sums constants;
    terms_numbers terms;
    union {
        unsigned char bytes[FILTER_OPTIONS_BYTES];
        double aligned;
    } options;
} window_gpu_formula;

#ifdef __cplusplus
#define WINDOW_GPU_CONSTANT static constexpr
#else
#define WINDOW_GPU_CONSTANT static inline
#endif

/* Whether there are kernels for a formula that reads so much (formula.h), from type `in` to `out`.
 * The backend compiles the kernels for which this is true. */
WINDOW_GPU_CONSTANT bool window_gpu_has_formula(unsigned reads, satf_type in, satf_type out)
{
    if (in == SATF_U16) {
        return out == SATF_U16 && (reads & (FORMULA_TERMS | FORMULA_SQUARE)) == FORMULA_TERMS;
    }
    unsigned often = out == SATF_U8                       ? FORMULA_TERMS
                     : out == SATF_U32                    ? FORMULA_OFTEN_U32
                     : out == SATF_F32 || out == SATF_F64 ? FORMULA_OFTEN_REAL
                                                          : 0;
    return in == SATF_U8 && (reads & often) != 0;
}

/* n / area, rounded down, is (4 n * multiplier >> 32) >> shift, for areas below 2^14 and n <=
 * 65535.5 area: n < 2^30, multiplier = (2^(30 + shift) + e) / area, e < area < 2^shift, so the
 * product is above n / area by less than 1 / area, which no integer lies in. */
typedef struct window_gpu_divisor {
    uint32_t multiplier;
    int shift;
} window_gpu_divisor;

static inline window_gpu_divisor window_gpu_divide_by(uint32_t area)
{
    window_gpu_divisor by = {0, 1};
    while (area >> by.shift) {
        by.shift++;
    }
    uint64_t whole = (uint64_t)1 << (30 + by.shift);
    by.multiplier = (uint32_t)((whole + area - 1) / area);
    return by;
}

/* Neighbouring positions whose results a lane stores at once: 8 bytes of u8 and u16, else 16. */
static inline int window_gpu_run(satf_type out)
{
    return out == SATF_U8 || out == SATF_U16 ? BANDS_OWN : 16 / (int)satf_type_bytes(out);
}

/* A picture's windows. The caller of box_run has set in.data, out, the weights and the keys. */
typedef struct window_gpu_box {
    /* On the device, of one shape. in, and out if it is of that type: window_gpu_is_aligned(). */
    satf_view in, out;
    window_gpu_halo halo;
    window_bands across, down; /* across.run: window_gpu_run(out.type), of a reduction as of u8 */
    window_gpu_formula formula;
    uint64_t area;     /* of the window; 1 by lines of weights, which the bands have */
    uint32_t *weights; /* on the device: of across, then of down */
    /* What box_plan decides. */
    window_gpu_divisor by; /* divides by the area */
    void (*kernel)(void);
    int warps, tiles; /* of a block, of a warp */
    int segment;      /* rows that a block marches over, a multiple of 16 */
    int pitch, shared_bytes;
} window_gpu_box;

enum { WINDOW_GPU_OUTSIDE_BYTES = 2048 };

/* Means under large windows. The caller of large_run has set in.data, out and the memory. */
typedef struct window_gpu_large {
    satf_view in, out; /* as above */
    window_pieces pieces;
    int border, constant; /* any satf_border but SATF_BORDER_SHRINK */
    uint32_t area;        /* of the window, 2 to 2^20 */
    /* On the device, aligned to 64: PIECES_WORDS, WINDOW_GPU_OUTSIDE_BYTES, sides_bytes (for
     * runs). */
    uint32_t *weights;
    uint8_t *outside, *sides;
    /* What large_plan decides. */
    size_t sides_bytes;
    int warps, segment; /* as above */
} window_gpu_large;

#endif
