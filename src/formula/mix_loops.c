#include "mix_loops.h"

#include "../base/cpu.h"

/* Samples may lie anywhere. */
typedef uint8_t any_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef float __attribute__((aligned(1), may_alias)) any_f32;
typedef double __attribute__((aligned(1), may_alias)) any_f64;

/* ------------------------------------------------------------- loads and stores */

/* Constant channels are what compilers make good loops of. */
#define LOAD_LANE(channels)                  \
    for (int64_t i = 0; i < n; i++) {        \
        lane[i] = (double)s[i * (channels)]; \
    }

#define LOAD(Type)                                                                   \
    static void load_##Type(int channels, int64_t n, const void *from, mix_lane *to) \
    {                                                                                \
        for (int k = 0; k < channels; k++) {                                         \
            const any_##Type *restrict s = (const any_##Type *)from + k;             \
            double *restrict lane = to[k];                                           \
            if (channels == 1) {                                                     \
                LOAD_LANE(1)                                                         \
            } else if (channels == 2) {                                              \
                LOAD_LANE(2)                                                         \
            } else if (channels == 3) {                                              \
                LOAD_LANE(3)                                                         \
            } else {                                                                 \
                LOAD_LANE(4)                                                         \
            }                                                                        \
        }                                                                            \
    }

LOAD(u8)
LOAD(u16)
LOAD(f32)
LOAD(f64)

static void load(satf_type type, int channels, int64_t n, const void *from, mix_lane *to)
{
    (type == SATF_U8    ? load_u8
     : type == SATF_U16 ? load_u16
     : type == SATF_F32 ? load_f32
                        : load_f64)(channels, n, from, to);
}

#define STORE_LANE(lanes)             \
    for (int64_t i = 0; i < n; i++) { \
        d[i * (lanes)] = (To)lane[i]; \
    }

#define STORE(Type)                                                                \
    static void store_##Type(int lanes, int64_t n, const mix_lane *from, void *to) \
    {                                                                              \
        typedef any_##Type To;                                                     \
        for (int k = 0; k < lanes; k++) {                                          \
            const double *restrict lane = from[k];                                 \
            To *restrict d = (To *)to + k;                                         \
            if (lanes == 1) {                                                      \
                STORE_LANE(1)                                                      \
            } else if (lanes == 2) {                                               \
                STORE_LANE(2)                                                      \
            } else if (lanes == 3) {                                               \
                STORE_LANE(3)                                                      \
            } else {                                                               \
                STORE_LANE(4)                                                      \
            }                                                                      \
        }                                                                          \
    }

STORE(f32)
STORE(f64)

static void store(satf_type type, int lanes, int64_t n, const mix_lane *from, void *to)
{
    if (type == SATF_F64 || type == SATF_F32) {
        (type == SATF_F64 ? store_f64 : store_f32)(lanes, n, from, to);
        return;
    }
    char *at = to;
    for (int64_t i = 0; i < n * lanes; i++, at += satf_type_bytes((int)type)) {
        formula_store((int)type, formula_real(from[i % lanes][i / lanes]), at);
    }
}

/* ------------------------------------------------------------------------ loops */

#define MIX_ENTRY(filter, name, images) MIX_LOOPS(filter, name)
#include "../../filters/all.h"
#undef MIX_ENTRY

#define MIX_ENTRY(filter, name, images) [MIX_##filter##_##name] = MIX_LOOP_TABLE(filter, name),

const mix_kernels SATF_ISA_NAME(mix_kernels) = {
    .run =
        {
#include "../../filters/all.h"
        },
    .load = load,
    .store = store,
};
