/* The transposition of arrays, for permutations and for cuda/move. */
#include "../base/transpose.cuh"

#include "steps.cuh"

static_assert(PERMUTE_TILE_SIDE == transpose_down<uint32_t, 4> &&
                  PERMUTE_TILE_SIDE == transpose_down<uint64_t, 2>,
              "plans draw the numbers of the kernel's tiles");

/* cuda/move uses these, too. */
template cudaError_t transpose_launch<uint32_t, 4>(transpose_job job, cudaStream_t stream);
template cudaError_t transpose_launch<uint64_t, 2>(transpose_job job, cudaStream_t stream);

/* Transposes by chunks, in the call's layout; arrays that are not aligned to chunks go element by
 * element, in the default one. */
template <typename E>
static cudaError_t transpose_run(const permute_call *call, const void *in, void *out, int64_t rows,
                                 int64_t columns)
{
    constexpr int V = transpose_chunk_of<E>;
    cudaStream_t stream = (cudaStream_t)cuda_stream(call->ctx);
    transpose_matrix from = {(char *)in, columns * (int64_t)sizeof(E)};
    transpose_matrix to = {(char *)out, rows * (int64_t)sizeof(E)};
    if (!transpose_by_chunks<E>(from, to)) {
        return transpose<E>(from, to, rows, columns, stream);
    }
    transpose_job job = {from, to, rows, columns, {0}, 0, 0};
    for (int i = 0; i < TRANSPOSE_NUMBERS; i++) {
        job.numbers[i] = call->tile->numbers[i];
    }
    switch (call->tile->layout) {
#define LAUNCH(NAME, function, name, permutations, numbers, rows, padding) \
    case LAYOUT_##NAME:                                                    \
        return transpose_launch<E, V, LAYOUT_##NAME>(job, stream);
        LAYOUTS_2D(LAUNCH)
#undef LAUNCH
    default:
        return cudaErrorInvalidValue;
    }
}

satf_status permute_transpose(const permute_call *call, const void *in, void *out, int64_t rows,
                              int64_t columns)
{
    CUDA_RETURN(call->ctx, call->element_bytes == 4
                               ? transpose_run<uint32_t>(call, in, out, rows, columns)
                               : transpose_run<uint64_t>(call, in, out, rows, columns));
    return SATF_OK;
}
