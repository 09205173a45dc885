/*
 * The SAT algorithms of the emulated device, all of them plain sums: the blocks of their kernels
 * wait for one another, which fibers.cpp does not do.
 */
#include <cstring>
#include <vector>

extern "C" {
#include "src/base/context.h"
#include "src/base/device/gpu.h"
#include "src/base/view.h"
#include "src/sat/gpu.h"
}

static const char *refuses(const sat_job *job)
{
    bool real = satf_type_is_float((int)job->in.type);
    return real != (job->sum_type == SATF_SUM_F64)
               ? "floats are summed in f64, integers in integers"
           : job->sum_type == SATF_SUM_U16 ? "16-bit sums are too narrow for a table"
                                           : NULL;
}

/* Row y of the table, of sums of the type Sum: the row above is still in `above`. */
template <class Sum>
static void add_row(const sat_job *job, int64_t y, std::vector<Sum> &above, char *out)
{
    size_t channels = (size_t)job->in.channels, n = (size_t)job->in.width * channels;
    std::vector<Sum> terms(n), left(channels);
    satf_summands((satf_type)job->in.type, job->in.channels, job->summand, satf_row(&job->in, y),
                  job->in.width, job->sum_type, terms.data());
    for (size_t i = 0; i < n; i++) {
        left[i % channels] += terms[i];
        above[i] += left[i % channels];
        if (job->f32_out) {
            float rounded = (float)above[i];
            memcpy(out + i * sizeof rounded, &rounded, sizeof rounded);
        }
    }
    if (!job->f32_out) {
        memcpy(out, above.data(), n * sizeof(Sum));
    }
}

template <class Sum> static satf_status run_as(const sat_job *job)
{
    std::vector<Sum> above((size_t)job->in.width * (size_t)job->in.channels);
    for (int64_t y = 0; y < job->in.height; y++) {
        add_row(job, y, above, (char *)job->out + y * job->out_stride);
    }
    return SATF_OK;
}

static satf_status run(satf_context *, const sat_job *job, void *)
{
    switch (job->sum_type) {
    case SATF_SUM_U32:
        return run_as<uint32_t>(job);
    case SATF_SUM_U64:
        return run_as<uint64_t>(job);
    case SATF_SUM_U128:
        return run_as<unsigned __int128>(job);
    default:
        return run_as<double>(job);
    }
}

extern "C" const sat_algorithm *cuda_algorithm(size_t index)
{
    static const sat_algorithm rows[] = {
#define SAT_ROW(ROW) {SAT_CUDA_##ROW, refuses, NULL, run, NULL, false, false},
        SAT_CUDA_ALGORITHMS(SAT_ROW)
#undef SAT_ROW
    };
    return &rows[index];
}

extern "C" void cuda_stress(int)
{
}
