/*
 * Loops over a row of floats: the largest magnitude, whether samples lie on a grid, and samples
 * less shifts. strip_template.h includes this once for each type.
 *
 * GRID(f)  the function f of this type
 * REAL     float or double
 * BITS     the unsigned integer of its size
 *
 * Magnitudes compare like the integers that their bits are, NaN above all. From `level` on, 2^23
 * units for float and 2^52 for double, every sample is a multiple of the unit. A sample below it is
 * one if adding the level, whose last bit is a unit, and taking it off leaves the sample as it was.
 */

static double GRID(peak)(int64_t n, const char *row)
{
    BITS most = 0;
    for (int64_t i = 0; i < n; i++) {
        BITS a;
        memcpy(&a, row + (size_t)i * sizeof a, sizeof a);
        a &= ~(BITS)0 >> 1;
        most = a > most ? a : most;
    }
    REAL value;
    memcpy(&value, &most, sizeof value);
    return (double)value;
}

static bool GRID(on_grid)(int64_t n, const char *row, REAL level, REAL limit)
{
    BITS most = 0, error = 0, largest;
    for (int64_t i = 0; i < n; i++) {
        BITS a, lost;
        REAL x;
        memcpy(&a, row + (size_t)i * sizeof a, sizeof a);
        a &= ~(BITS)0 >> 1;
        most = a > most ? a : most;
        memcpy(&x, &a, sizeof x);
        x = x < level ? x : level;
        x = ((x + level) - level) - x;
        memcpy(&lost, &x, sizeof lost);
        error |= lost;
    }
    memcpy(&largest, &limit, sizeof largest);
    return error == 0 && most <= largest;
}

static inline __attribute__((always_inline)) void GRID(shift)(const int channels, int64_t pixels,
                                                              const char *restrict row,
                                                              const double *shifts,
                                                              double *restrict out)
{
    double shift[SATF_MAX_CHANNELS];
    memcpy(shift, shifts, (size_t)channels * sizeof *shift);
    for (int64_t i = 0; i < pixels * channels; i += channels) {
        for (int c = 0; c < channels; c++) {
            REAL a;
            memcpy(&a, row + (size_t)(i + c) * sizeof a, sizeof a);
            out[i + c] = ((double)a - shift[c]) + 0;
        }
    }
}

#undef GRID
#undef REAL
#undef BITS
