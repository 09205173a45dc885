/* The table of algorithms, and jobs for them. */
#include <string.h>

#include "../base/device/gpu.h"
#include "../base/view.h"
#include "gpu.h"
#include "algorithms.h"

/* In the order of table 6.2; behind these the algorithms that are not in it. */
static const sat_algorithm *const cpu_algorithms[] = {
    &sat_2r2w, &sat_4r1w, &sat_2r1w, &sat_1r1w, &sat_1_plus_r, &sat_blocked, &sat_reference};

static const sat_name cuda_names[] = {
#define SAT_NAME(ROW) {SAT_CUDA_##ROW},
    SAT_CUDA_ALGORITHMS(SAT_NAME)
#undef SAT_NAME
};

enum {
    CPU_ALGORITHMS = sizeof cpu_algorithms / sizeof *cpu_algorithms,
    CUDA_ALGORITHMS = sizeof cuda_names / sizeof *cuda_names
};

const sat_algorithm *sat_algorithm_at(size_t index)
{
    if (index < CPU_ALGORITHMS) {
        return cpu_algorithms[index];
    }
    return index - CPU_ALGORITHMS < CUDA_ALGORITHMS ? satf_cuda()->algorithm(index - CPU_ALGORITHMS)
                                                    : NULL;
}

bool sat_name_at(size_t index, sat_name *name)
{
    if (index < CPU_ALGORITHMS) {
        const sat_algorithm *algorithm = cpu_algorithms[index];
        *name = (sat_name){algorithm->name, algorithm->device_kind, algorithm->help};
    } else if (index - CPU_ALGORITHMS < CUDA_ALGORITHMS) {
        *name = cuda_names[index - CPU_ALGORITHMS];
    }
    return index < CPU_ALGORITHMS + CUDA_ALGORITHMS;
}

const sat_algorithm *sat_algorithm_find(const char *name, const char *device_kind)
{
    sat_name here;
    for (size_t i = 0; sat_name_at(i, &here); i++) {
        if (strcmp(here.name, name) == 0 && strcmp(here.device_kind, device_kind) == 0) {
            return sat_algorithm_at(i);
        }
    }
    return NULL;
}

bool sat_algorithm_known(const char *name)
{
    sat_name here;
    bool known = strcmp(name, "auto") == 0;
    for (size_t i = 0; !known && sat_name_at(i, &here); i++) {
        known = strcmp(here.name, name) == 0;
    }
    return known;
}

void sat_algorithm_names(const char *device_kind, char *text, size_t bytes)
{
    size_t used = 0;
    sat_name here;
    text[0] = '\0';
    for (size_t i = 0; sat_name_at(i, &here); i++) {
        size_t length = strlen(here.name);
        if (strcmp(here.device_kind, device_kind) == 0 && used + length + 2 <= bytes) {
            if (used) {
                text[used++] = ' ';
            }
            memcpy(text + used, here.name, length + 1);
            used += length;
        }
    }
}

sat_job sat_job_of(const satf_view *in, const satf_view *out)
{
    return (sat_job){
        .in = *in,
        .sum_type = satf_type_is_float(in->type) ? SATF_SUM_F64
                    : out->type == SATF_U32      ? SATF_SUM_U32
                                                 : SATF_SUM_U64,
        .f32_out = out->type == SATF_F32,
        .out = out->data,
        .out_stride = out->stride,
    };
}

satf_type sat_table_type(const sat_job *job)
{
    return job->sum_type == SATF_SUM_U32   ? SATF_U32
           : job->sum_type == SATF_SUM_U64 ? SATF_U64
           : job->f32_out                  ? SATF_F32
                                           : SATF_F64;
}
