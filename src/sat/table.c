/* The table of rows. */
#include "rows.h"

#include "config.h"

#include <string.h>

/* In the order of table 6.2. */
static const sat_row *const rows[] = {
    &sat_2r2w,      &sat_4r1w,          &sat_blocked,   &sat_reference,
#ifdef HAVE_CUDA
    &sat_cuda_2r2w, &sat_cuda_4r4w,     &sat_cuda_4r1w, &sat_cuda_2r1w,
    &sat_cuda_1r1w, &sat_cuda_1_plus_r, &sat_cuda_skss, &sat_cuda_lookback,
#endif
    NULL,
};

const sat_row *sat_row_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? rows[index] : NULL;
}

const sat_row *sat_row_find(const char *name, const char *device_kind)
{
    for (const sat_row *const *row = rows; *row; row++) {
        if (strcmp((*row)->name, name) == 0 && strcmp((*row)->device_kind, device_kind) == 0) {
            return *row;
        }
    }
    return NULL;
}

bool sat_algorithm_known(const char *name)
{
    /* Those that only CUDA has; the others are rows of the CPU too. */
    static const char *const elsewhere[] = {"auto", "4r4w", "2r1w",    "1r1w",
                                            "1+r",  "skss", "lookback"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (strcmp(name, elsewhere[i]) == 0) {
            return true;
        }
    }
    return sat_row_find(name, "cpu") || sat_row_find(name, "cuda");
}

void sat_algorithm_names(const char *device_kind, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (const sat_row *const *row = rows; *row; row++) {
        size_t length = strlen((*row)->name);
        if (strcmp((*row)->device_kind, device_kind) == 0 && used + length + 2 <= bytes) {
            if (used) {
                text[used++] = ' ';
            }
            memcpy(text + used, (*row)->name, length + 1);
            used += length;
        }
    }
}
