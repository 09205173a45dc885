/* The loops of grey_rows.h. The library is built with one copy for each instruction set. */
#include "grey.h"

#include "../base/cpu.h"

/* Samples may lie anywhere. */
typedef uint8_t any_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_u64;
typedef float __attribute__((aligned(1), may_alias)) any_f32;
typedef double __attribute__((aligned(1), may_alias)) any_f64;

/* `pixels` pixels of 3 or 4 samples to grey, and with alpha behind each if `lanes` is 2. Constant
 * channels and lanes are what compilers make good loops of. */
#define GREY_LOOP(channels, lanes, Grey, of)                                              \
    for (int64_t x = 0; x < pixels; x++) {                                                \
        to[(lanes)*x] =                                                                   \
            (Grey)of(from[(channels)*x], from[(channels)*x + 1], from[(channels)*x + 2]); \
        to[(lanes)*x + (lanes)-1] =                                                       \
            (lanes) > 1 ? (Grey)from[(channels)*x + (channels)-1] : to[(lanes)*x];        \
    }

#define GREY_ROW(Type, Grey, of)                                                      \
    static void grey_##Type(int channels, int64_t pixels, const void *row, void *dst) \
    {                                                                                 \
        const any_##Type *restrict from = row;                                        \
        Grey *restrict to = dst;                                                      \
        if (channels == 3) {                                                          \
            GREY_LOOP(3, 1, Grey, of)                                                 \
        } else {                                                                      \
            GREY_LOOP(4, 2, Grey, of)                                                 \
        }                                                                             \
    }

GREY_ROW(u8, uint8_t, grey_of_integers)
GREY_ROW(u16, uint16_t, grey_of_integers)
GREY_ROW(u32, uint32_t, grey_of_wide)
GREY_ROW(u64, uint64_t, grey_of_wide)
GREY_ROW(f32, double, grey_of_reals)
GREY_ROW(f64, double, grey_of_reals)

static void grey_row(int type, int channels, int64_t pixels, const void *from, void *to)
{
    switch (type) {
    case SATF_U8:
        grey_u8(channels, pixels, from, to);
        break;
    case SATF_U16:
        grey_u16(channels, pixels, from, to);
        break;
    case SATF_F32:
        grey_f32(channels, pixels, from, to);
        break;
    case SATF_U32:
        grey_u32(channels, pixels, from, to);
        break;
    case SATF_U64:
        grey_u64(channels, pixels, from, to);
        break;
    default:
        grey_f64(channels, pixels, from, to);
    }
}

const grey_kernels SATF_ISA_NAME(grey_kernels) = {grey_row};
