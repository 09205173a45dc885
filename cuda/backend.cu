/* The shared object's one door: the tables of calls that the library makes. */
#include "config.h"

#include "base/check.h"

extern "C" {
#include "../src/base/backend.h"
#include "../src/filter/gpu.h"
#include "../src/move/gpu.h"
#include "../src/permute/gpu.h"
#include "../src/sat/gpu.h"
#include "../src/window/gpu.h"
}

static const satf_gpu_calls gpu_calls = {
    satf_gpu_count,      satf_gpu_describe,    satf_gpu_speed,       satf_gpu_open,
    satf_gpu_leave,      satf_gpu_close,       satf_gpu_stream,      satf_gpu_alloc,
    satf_gpu_free,       satf_gpu_captures,    satf_gpu_order_begin, satf_gpu_order_end,
    satf_gpu_order_wait, satf_gpu_order_free,  satf_gpu_free_behind, satf_gpu_keep,
    satf_gpu_kept,       satf_gpu_copy,        satf_gpu_copy_bytes,  satf_gpu_set_bytes,
    satf_gpu_wait,       satf_gpu_synchronize, satf_gpu_time_begin,  satf_gpu_time_end,
};

static const filter_gpu_calls filter_calls = {
    filter_gpu_plan_make, filter_gpu_run,       filter_gpu_march_fits,  filter_gpu_march_make,
    filter_gpu_march_run, filter_gpu_ring_fits, filter_gpu_ring_make,   filter_gpu_ring_run,
    filter_gpu_grey,      filter_gpu_lift,      filter_gpu_copy_pixels, filter_gpu_convert,
};

static const move_gpu_calls move_calls = {move_gpu_run};

static const permute_gpu_calls permute_calls = {permute_cuda_keep, permute_cuda_drop,
                                                permute_cuda_steps};

static const window_gpu_calls window_calls = {
    window_gpu_multiplies,    window_gpu_box_plan,   window_gpu_box_prepare,
    window_gpu_box_run,       window_gpu_large_fits, window_gpu_large_plan,
    window_gpu_large_prepare, window_gpu_large_run,  window_gpu_realign};

extern const sat_gpu_calls sat_gpu_backend;

extern "C" __attribute__((visibility("default"))) const satf_backend *SATF_BACKEND_ENTRY(void)
{
    static const satf_backend backend = {
        sizeof(satf_backend), sizeof(satf_context), PACKAGE_VERSION,  &gpu_calls,    &filter_calls,
        &move_calls,          &permute_calls,       &sat_gpu_backend, &window_calls,
    };
    return &backend;
}
