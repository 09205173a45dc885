#include "transpose.cuh"

#include "steps.cuh"

satf_status permute_transpose(const permute_call *call, const void *in, void *out, int64_t rows,
                              int64_t columns)
{
    cudaStream_t stream = (cudaStream_t)satf_gpu_stream(call->ctx);
    if (call->element_bytes == 4) {
        CUDA_RETURN(call->ctx, transpose<uint32_t>(in, out, rows, columns, stream));
    } else {
        CUDA_RETURN(call->ctx, transpose<uint64_t>(in, out, rows, columns, stream));
    }
    return SATF_OK;
}
