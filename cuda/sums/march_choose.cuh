/* The kernel of a march, by its task: a formula's own, or one for any. */
#ifndef CUDA_SUMS_MARCH_CHOOSE_CUH
#define CUDA_SUMS_MARCH_CHOOSE_CUH

#include "march.cuh"

/* Kernels for one channel alone: of integers whose formula is known. Other formulas take most of a
 * kernel's time, and of the compiler's, and floats would gain less than 3 %. */
template <class T, class Formula, class Sum, class Square>
static march_kernel march_kernel_with(const filter_gpu_task *task)
{
    if constexpr (!is_any<Formula> && std::is_integral<T>::value) {
        if (task->in.channels == 1) {
            return march_down<T, Formula, Sum, Square, true>;
        }
    }
    return march_down<T, Formula, Sum, Square, false>;
}

template <class T, unsigned READS, class Sum, class Square>
static march_kernel march_kernel_of_terms(const filter_gpu_task *task)
{
    if constexpr (has_squares<Square>) {
        constexpr bool found = (READS & FORMULA_FOUND) != 0;
        return march_down<T, known_terms<TERMS_ABOVE_ROOTS, found>, Sum, Square, true>;
    } else {
        return task->terms.bilevel ? march_down<T, known_terms<TERMS_ABOVE>, Sum, Square, true>
                                   : march_down<T, known_terms<TERMS_ROUNDED>, Sum, Square, true>;
    }
}

/* The kernel of a formula that has terms, for one channel of bytes, or of one that reads samples of
 * other images; NULL: none. */
template <class T, class Sum, class Square>
static march_kernel march_kernel_by_number(const filter_gpu_task *task)
{
    switch (task->formula) {
#define FORMULA_ENTRY(name, reads)                                                               \
    case FORMULA_##name:                                                                         \
        if constexpr (std::is_same<T, uint8_t>::value &&                                         \
                      reads_terms<(reads), has_squares<Square>>) {                               \
            return task->in.channels == 1 ? march_kernel_of_terms<T, (reads), Sum, Square>(task) \
                                          : NULL;                                                \
        }                                                                                        \
        if constexpr (may_have_inline<(reads), T, Square>) {                                     \
            return task->inline_formula                                                          \
                       ? march_kernel_with<T, formula_with_inline<FORMULA_##name>, Sum, Square>( \
                             task)                                                               \
                       : NULL;                                                                   \
        }                                                                                        \
        if constexpr (is_beside<(reads), T, Square>) {                                           \
            return march_kernel_with<T, formula_beside<FORMULA_##name>, Sum, Square>(task);      \
        }                                                                                        \
        return NULL;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        return NULL;
    }
}

template <class T, class Sum, class Square>
static march_kernel march_kernel_reducing(const filter_gpu_task *task)
{
    if constexpr (has_squares<Square>) {
        return task->in.channels == 1 ? march_down<T, known_reduction, Sum, Square, true> : NULL;
    }
    return NULL;
}

template <class T, class Sum, class Square>
static march_kernel march_kernel_any(const filter_gpu_task *task)
{
    return task->has_aux ? march_kernel_with<T, any_aux, Sum, Square>(task)
                         : march_kernel_with<T, any_formula, Sum, Square>(task);
}

/* Sums that hold 255 x 255 pixels, the largest windows among which a filter chooses. */
template <class T, class Sum, class Square>
constexpr bool may_choose = std::is_integral<T>::value &&std::is_same<Sum, uint32_t>::value &&
                            sizeof(Square) == (sizeof(T) == 1 ? 4 : 8);

/* The kernel for samples of T and sums of these types. */
template <class T, class Sum, class Square>
static march_kernel march_kernel_for(const filter_gpu_task *task)
{
    if (task->choices) {
        if constexpr (may_choose<T, Sum, Square>) {
            return march_kernel_with<T, known_choice<T>, Sum, Square>(task);
        }
        return NULL;
    }
    if (task->reduces) {
        return march_kernel_reducing<T, Sum, Square>(task);
    }
    march_kernel by_number = march_kernel_by_number<T, Sum, Square>(task);
    if (by_number || task->inline_formula) {
        return by_number;
    }
    if constexpr (!has_squares<Square>) {
        return task->known == FILTER_GPU_MEAN ? march_kernel_with<T, known_mean, Sum, Square>(task)
                                              : march_kernel_any<T, Sum, Square>(task);
    } else {
        return task->known == FILTER_GPU_VARIANCE
                   ? march_kernel_with<T, known_variance, Sum, Square>(task)
               : task->known == FILTER_GPU_STDDEV
                   ? march_kernel_with<T, known_stddev, Sum, Square>(task)
                   : march_kernel_any<T, Sum, Square>(task);
    }
}

#endif
