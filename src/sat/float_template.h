/*
 * The tiles of one kind of floats, summed in double; kernels.c includes this once a kind.
 *
 * NAME(f)  the function f of this kind; NAME(table) and NAME(prefix) are the kernels
 * SRC      the sample's type, float or double
 * SQUARE   whether squares are summed
 *
 * FLOAT_ROWS rows go side by side: each is a chain of additions, in the reference's order, and
 * only other rows can fill the time that it waits.
 */

/* Sums up n samples of each of `rows` rows; the rows' sums are sums_pitch apart. */
INLINE void NAME(piece)(const sat_job *job, const char *src, int64_t n, int channels, int rows,
                        double *left, double *sums, int64_t sums_pitch)
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
            UNROLL for (int r = 0; r < rows; r++)
            {
                SRC sample;
                memcpy(&sample, src + r * job->in.stride + (i + c) * (int64_t)sizeof sample,
                       sizeof sample);
                chain[r][c] += SQUARE ? (double)sample * (double)sample : (double)sample;
                sums[r * sums_pitch + i + c] = chain[r][c];
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < channels; c++) {
            left[r * channels + c] = chain[r][c];
        }
    }
}

INLINE void NAME(pieces)(const sat_job *job, const char *src, int64_t n, int rows, double *left,
                         double *sums, int64_t sums_pitch)
{
#define PIECE(c) NAME(piece)(job, src, n, c, rows, left, sums, sums_pitch)
    BY_CHANNELS(job->in.channels, PIECE)
#undef PIECE
}

/* The sums of the tile's rows y ... y + rows - 1 from sample i on, n samples of each. */
static void NAME(some)(const sat_job *job, const sat_tile *tile, int y, int rows, int64_t i,
                       int64_t n, double *sums, int64_t sums_pitch)
{
    const char *src = tile->src + y * job->in.stride + i * (int64_t)sizeof(SRC);
    double *left = (double *)tile->left + y * job->in.channels;
    if (rows == FLOAT_ROWS) {
        NAME(pieces)(job, src, n, FLOAT_ROWS, left, sums, sums_pitch);
        return;
    }
    for (int r = 0; r < rows; r++) {
        NAME(pieces)
        (job, src + r * job->in.stride, n, 1, left + r * job->in.channels, sums + r * sums_pitch,
         sums_pitch);
    }
}

static void NAME(prefix)(const sat_job *job, const sat_tile *tile)
{
    int64_t n = tile->pixels * job->in.channels;
    for (int y = 0; y < tile->rows; y += FLOAT_ROWS) {
        int rows = tile->rows - y < FLOAT_ROWS ? tile->rows - y : FLOAT_ROWS;
        NAME(some)(job, tile, y, rows, 0, n, (double *)tile->sums + y * n, n);
    }
}

static void NAME(table)(const sat_job *job, const sat_tile *tile)
{
    double(*sums)[FLOAT_SAMPLES] = tile->work;
    int64_t samples = tile->pixels * job->in.channels;
    for (int y = 0; y < tile->rows; y += FLOAT_ROWS) {
        int rows = tile->rows - y < FLOAT_ROWS ? tile->rows - y : FLOAT_ROWS;
        for (int64_t i = 0; i < samples; i += FLOAT_SAMPLES) {
            int64_t n = samples - i < FLOAT_SAMPLES ? samples - i : FLOAT_SAMPLES;
            double *above = (double *)tile->above + i;
            NAME(some)(job, tile, y, rows, i, n, sums[0], FLOAT_SAMPLES);
            for (int r = 0; r < rows; r++) {
                add_row_double(above, sums[r], n);
                store_sums(job, tile, y + r, i, above, n);
            }
        }
    }
}

#undef NAME
#undef SRC
#undef SQUARE
