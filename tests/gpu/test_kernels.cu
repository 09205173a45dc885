/*
 * A formula that has kernels of its own for results of several types has one for each of them, and
 * none for another type. Which kernel there is the host decides: this needs no device.
 */
#include <stdio.h>

#include "../../cuda/products/box.cuh"

struct wide_kernels : byte_formula<FORMULA_sum> {
    static constexpr unsigned reads = FORMULA_SUM | FORMULA_OFTEN_REAL | FORMULA_OFTEN_U32;
};

struct word_kernels : byte_formula<FORMULA_sum> {
    static constexpr unsigned reads = FORMULA_SUM | FORMULA_OFTEN_U32;
};

/* floats, words: whether there should be kernels for such results. */
template <class Formula> static bool has_just(bool floats, bool words)
{
    bool good = true;
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        bool wanted = type == SATF_U32                       ? words
                      : type == SATF_F32 || type == SATF_F64 ? floats
                                                             : false;
        bool promised = window_gpu_has_formula(Formula::reads, SATF_U8, (satf_type)type);
        bool there = box_kernel_for<8, 8, 2, Formula>(type) != NULL;
        if (promised != wanted || there != wanted) {
            printf("type %d, formula that reads %u: promised %d, there %d\n", type, Formula::reads,
                   promised, there);
            good = false;
        }
    }
    return good;
}

/* Formulas that have terms have kernels from bytes to bytes, whether they read squares or not. */
static bool has_terms_alone(int number, unsigned reads, bool squares)
{
    bool good = true;
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        window_gpu_formula formula = {};
        formula.number = number;
        bool promised = window_gpu_has_formula(reads, SATF_U8, (satf_type)type);
        bool there = (squares ? box_kernel_of<8, 8, 1, true>
                              : box_kernel_of<8, 8, 2, false>)(formula, type) != NULL;
        if (promised != there || there != (type == SATF_U8)) {
            printf("type %d, formula %d: promised %d, there %d\n", type, number, promised, there);
            good = false;
        }
    }
    return good;
}

int main()
{
    bool wide = has_just<wide_kernels>(true, true), words = has_just<word_kernels>(false, true);
    bool terms = true;
#define FORMULA_ENTRY(name, reads)                                                           \
    if ((reads)&FORMULA_TERMS) {                                                             \
        terms = has_terms_alone(FORMULA_##name, (reads), ((reads)&FORMULA_SQUARE)) && terms; \
    }
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    return !(wide && words && terms);
}
