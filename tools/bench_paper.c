#include "bench.h"

#include <math.h>
#include <string.h>

static const int paper_sizes[13] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18};

static const bench_paper_row rows[] = {
    {"2R2W",
     "2r2w",
     "cuda",
     0,
     {1.47, 3.28, 5.71, 9.53, 13.6, 23.9, 27.1, 47.8, 90.8, 163, 160, 234, 401}},
    {"4R4W",
     "4r4w",
     "cuda",
     0,
     {1.07, 2.52, 4.48, 6.77, 9.67, 13.7, 17.2, 22.2, 33.9, 50.4, 64.2, 83.1, 117}},
    {"4R1W",
     "4r1w",
     "cuda",
     0,
     {11.5, 22.9, 36.4, 50.1, 113, 104, 173, 252, 315, 597, 437, 742, 1600}},
    {"2R1W",
     "2r1w",
     "cuda",
     0,
     {0.332, 0.850, 1.83, 3.09, 4.79, 6.78, 9.25, 12.3, 18.9, 27.2, 36.8, 48.7, 61}},
    {"1R1W",
     "1r1w",
     "cuda",
     0,
     {0.902, 1.46, 2.43, 3.65, 5.05, 6.81, 8.71, 10.9, 16.2, 22.6, 29.7, 38, 53.8}},
    {"1.25R1W",
     "1+r",
     "cuda",
     0.25,
     {0.453, 1.05, 1.96, 3.25, 4.71, 6.41, 8.47, 10.8, 16.5, 23, 31.2, 40.7, 57.6}},
    {"fastest (1+r)R1W",
     "1+r",
     "cuda",
     0,
     {0.365, 0.958, 1.94, 3.16, 4.58, 6.32, 8.25, 10.5, 15.7, 22.0, 29.1, 37.5, 53.1}},
    {"2R2W(CPU)",
     "2r2w",
     "cpu",
     0,
     {25.9, 107, 241, 427, 670, 966, 1310, 1690, 2670, 3850, 5250, 6760, 8670}},
    {"4R1W(CPU)",
     "4r1w",
     "cpu",
     0,
     {18.0, 73.2, 165, 293, 459, 660, 904, 1160, 1830, 2660, 3600, 4590, 5950}},
};

double bench_paper_sat_ms(const char *algorithm, const char *device_kind, double r, int64_t width,
                          int64_t height)
{
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        if (strcmp(rows[row].algorithm, algorithm) != 0 ||
            strcmp(rows[row].device_kind, device_kind) != 0 || rows[row].r != r) {
            continue;
        }
        for (size_t i = 0; i < sizeof paper_sizes / sizeof *paper_sizes; i++) {
            if (width == height && width == paper_sizes[i] * INT64_C(1024)) {
                return rows[row].ms[i];
            }
        }
    }
    return NAN;
}
