/*
 * A formula that has kernels of its own for results of several types has one for each of them, and
 * none for another type. Which kernel there is the host decides: this needs no device.
 */
#include <stdio.h>

#include "../../cuda/products/box.cuh"

struct all_kernels : byte_formula<FORMULA_sum> {
    static constexpr unsigned reads =
        FORMULA_SUM | FORMULA_OFTEN | FORMULA_OFTEN_REAL | FORMULA_OFTEN_U32;
};

struct wide_kernels : byte_formula<FORMULA_sum> {
    static constexpr unsigned reads = FORMULA_SUM | FORMULA_OFTEN_REAL | FORMULA_OFTEN_U32;
};

/* bytes, floats, words: whether there should be kernels for such results. */
template <class Formula> static bool has_just(bool bytes, bool floats, bool words)
{
    bool good = true;
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        bool wanted = type == SATF_U8                        ? bytes
                      : type == SATF_U32                     ? words
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

int main()
{
    bool all = has_just<all_kernels>(true, true, true);
    bool wide = has_just<wide_kernels>(false, true, true);
    return !(all && wide);
}
