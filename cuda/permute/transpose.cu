#include "../base/transpose.cuh"

#include "steps.cuh"

template <typename E>
static cudaError_t run(const void *in, void *out, int64_t rows, int64_t columns,
                       cudaStream_t stream)
{
    int64_t each = (int64_t)sizeof(E);
    transpose_matrix from = {(char *)in, columns * each}, to = {(char *)out, rows * each};
    return transpose<E>(from, to, rows, columns, stream);
}

satf_status permute_transpose(const permute_call *call, const void *in, void *out, int64_t rows,
                              int64_t columns)
{
    cudaStream_t stream = (cudaStream_t)satf_gpu_stream(call->ctx);
    CUDA_RETURN(call->ctx, call->element_bytes == 4
                               ? run<uint32_t>(in, out, rows, columns, stream)
                               : run<uint64_t>(in, out, rows, columns, stream));
    return SATF_OK;
}
