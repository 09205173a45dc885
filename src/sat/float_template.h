/*
 * The tiles of one kind of floats, summed in double; kernels.c includes this once a kind.
 *
 * NAME(f)  the function f of this kind; NAME(tile) is the kernel
 * SRC      the sample's type, float or double
 * SQUARE   whether squares are summed
 *
 * FLOAT_ROWS rows go side by side: each is a chain of additions, in the reference's order, and
 * only other rows can fill the time that it waits.
 */

/* n samples of `rows` rows, to sums[row] and, of the last one, to above. */
INLINE void NAME(piece)(const sat_job *job, const char *src, int64_t n, int channels, int rows,
                        double *left, double *above, double (*sums)[FLOAT_SAMPLES])
{
    double chain[FLOAT_ROWS][SATF_MAX_CHANNELS];
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < channels; c++) {
            chain[r][c] = left[r * channels + c];
        }
    }
    for (int64_t i = 0; i < n; i += channels) {
        UNROLL for (int c = 0; c < channels; c++)
        {
            double sum = above[i + c];
            UNROLL for (int r = 0; r < rows; r++)
            {
                SRC sample;
                memcpy(&sample, src + r * job->in.stride + (i + c) * (int64_t)sizeof sample,
                       sizeof sample);
                chain[r][c] += SQUARE ? (double)sample * (double)sample : (double)sample;
                sum = chain[r][c] + sum;
                sums[r][i + c] = sum;
            }
            above[i + c] = sum;
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < channels; c++) {
            left[r * channels + c] = chain[r][c];
        }
    }
}

INLINE void NAME(rows)(const sat_job *job, const sat_tile *tile, int y, int rows, int channels)
{
    double(*sums)[FLOAT_SAMPLES] = tile->work;
    double *left = (double *)tile->left + y * channels, *above = tile->above;
    const char *src = tile->src + y * job->in.stride;
    int64_t samples = tile->pixels * channels;
    int64_t piece = FLOAT_SAMPLES / channels * channels;
    for (int64_t i = 0; i < samples; i += piece) {
        int64_t n = samples - i < piece ? samples - i : piece;
        NAME(piece)
        (job, src + i * (int64_t)sizeof(SRC), n, channels, rows, left, above + i, sums);
        for (int r = 0; r < rows; r++) {
            store_sums(job, tile, y + r, i, sums[r], n);
        }
    }
}

INLINE void NAME(any)(const sat_job *job, const sat_tile *tile, int channels)
{
    int y = 0;
    for (; y + FLOAT_ROWS <= tile->rows; y += FLOAT_ROWS) {
        NAME(rows)(job, tile, y, FLOAT_ROWS, channels);
    }
    for (; y < tile->rows; y++) {
        NAME(rows)(job, tile, y, 1, channels);
    }
}

/* The same for each number of channels, which the compiler then knows. */
static void NAME(tile)(const sat_job *job, const sat_tile *tile)
{
    switch (job->in.channels) {
    case 1:
        NAME(any)(job, tile, 1);
        break;
    case 2:
        NAME(any)(job, tile, 2);
        break;
    case 3:
        NAME(any)(job, tile, 3);
        break;
    default:
        NAME(any)(job, tile, 4);
    }
}

#undef NAME
#undef SRC
#undef SQUARE
