/* The table of rows, and jobs for them. */
#include <string.h>

#include "../base/gpu.h"
#include "../base/view.h"
#include "gpu.h"
#include "rows.h"

/* In the order of table 6.2, and what is not in it. */
static const sat_row *const cpu_rows[] = {&sat_2r2w,     &sat_4r1w,    &sat_2r1w,     &sat_1r1w,
                                          &sat_1_plus_r, &sat_blocked, &sat_reference};

static const sat_name cuda_names[] = {
#define SAT_NAME(ROW) {SAT_CUDA_##ROW},
    SAT_CUDA_ROWS(SAT_NAME)
#undef SAT_NAME
};

enum {
    CPU_ROWS = sizeof cpu_rows / sizeof *cpu_rows,
    CUDA_ROWS = sizeof cuda_names / sizeof *cuda_names
};

const sat_row *sat_row_at(size_t index)
{
    if (index < CPU_ROWS) {
        return cpu_rows[index];
    }
    return index - CPU_ROWS < CUDA_ROWS ? satf_cuda()->row(index - CPU_ROWS) : NULL;
}

bool sat_name_at(size_t index, sat_name *name)
{
    if (index < CPU_ROWS) {
        const sat_row *row = cpu_rows[index];
        *name = (sat_name){row->name, row->device_kind, row->help};
    } else if (index - CPU_ROWS < CUDA_ROWS) {
        *name = cuda_names[index - CPU_ROWS];
    }
    return index < CPU_ROWS + CUDA_ROWS;
}

const sat_row *sat_row_find(const char *name, const char *device_kind)
{
    sat_name here;
    for (size_t i = 0; sat_name_at(i, &here); i++) {
        if (strcmp(here.name, name) == 0 && strcmp(here.device_kind, device_kind) == 0) {
            return sat_row_at(i);
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
