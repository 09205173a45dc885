/*
 * The tiles of one kind of integers; kernels.c includes this once a kind.
 *
 * NAME(f)  the function f of this kind; NAME(table) and NAME(prefix) are the kernels
 * SRC      the sample's type, uint8_t or uint16_t
 * NARROW   an unsigned type that holds D summands, see below
 * SUM      the sum's type, uint32_t or uint64_t
 * SQUARE   whether squares are summed
 *
 * Prefix sums without a serial chain. With D pixels' samples in a vector of sums,
 *     t_1[i] = a[i],  t_2k[i] = t_k[i] + t_k[i - k * channels]
 * gives in log2 D rounds the sums t_D over the last D pixels, in narrow lanes (a
 * window of D is small); then
 *     prefix[i] = prefix[i - D * channels] + t_D[i]
 * is one addition of whole vectors. What lies left of the tile is zero for t and
 * enters by the carried sums: prefix[i] for i < 0 are those.
 */

typedef SUM NAME(sums) __attribute__((vector_size(VECTOR_BYTES)));
typedef NARROW NAME(terms) __attribute__((vector_size(VECTOR_BYTES)));

INLINE NAME(terms) NAME(load)(const char *src)
{
    NAME(terms) terms = WIDEN(SRC, NARROW)(src);
    return SQUARE ? terms * terms : terms;
}

/* The last vectors of t_k, for the sums over more pixels. */
typedef struct NAME(history) {
    NAME(terms) before, earlier;
} NAME(history);

/* t_2k from t_k; shift: the bytes of k pixels, at most two vectors. */
INLINE NAME(terms) NAME(twice)(NAME(terms) t, NAME(history) * h, int shift)
{
    raw_vector back = shift <= VECTOR_BYTES ? shift_in((raw_vector)h->before, (raw_vector)t, shift)
                                            : shift_in((raw_vector)h->earlier,
                                                       (raw_vector)h->before, shift - VECTOR_BYTES);
    h->earlier = h->before;
    h->before = t;
    return t + (NAME(terms))back;
}

/* Advances prefix by a vector of t_D, and stores the sums from byte `at` of the row on. */
INLINE NAME(sums) NAME(add)(NAME(sums) prefix, NAME(sums) t, const tile_row *row, int64_t at)
{
    NAME(sums) sums;
    memcpy(&sums, row->above + at, sizeof sums);
    prefix += t;
    sums += prefix;
    memcpy(row->kept + at, &sums, sizeof sums);
    if (row->around) {
        stream_vector(row->around + at, (raw_vector)sums);
    }
    return prefix;
}

/* Adds up samples first ... n - 1, one by one. */
INLINE void NAME(rest)(const tile_row *row, int64_t first, int64_t n, int channels, SUM *left)
{
    for (int64_t i = first; i < n; i++) {
        const int64_t at = i * (int64_t)sizeof(SUM);
        SRC sample;
        SUM sum;
        memcpy(&sample, row->src + i * (int64_t)sizeof sample, sizeof sample);
        memcpy(&sum, row->above + at, sizeof sum);
        SUM *carried = &left[i % channels];
        *carried += SQUARE ? (SUM)sample * (SUM)sample : (SUM)sample;
        sum += *carried;
        memcpy(row->kept + at, &sum, sizeof sum);
        if (row->around) {
            memcpy(row->around + at, &sum, sizeof sum);
        }
    }
}

/* Adds up n samples of a row; left: the sums left of the tile, which get the tile's added. */
INLINE void NAME(row)(const tile_row *row, int64_t n, int channels, SUM *left)
{
    enum { L = VECTOR_BYTES / sizeof(SUM), WIDE = VECTOR_BYTES / sizeof(NARROW) };
    const int depth = channels == 3 ? L : channels < L ? L / channels : 1;
    const int step = depth * channels, vectors = step / L;
    const int narrow_bytes = channels * (int)sizeof(NARROW);
    const int block = vectors * WIDE;
    SUM lane[3 * L];
    NAME(sums) prefix[3] = {left[0] - (NAME(sums)){0}};
    for (int k = 0; k < 3 * L && channels > 1; k++) {
        lane[k] = left[k % channels];
    }
    if (channels > 1) {
        memcpy(prefix, lane, sizeof prefix);
    }
    NAME(history) h1 = {0}, h2 = {0}, h4 = {0}, h8 = {0};
    const int pixel_bytes = channels * (int)sizeof(SRC);
    int64_t i = 0;
    for (; i + block <= n; i += block) {
        UNROLL for (int j = 0; j < block; j += WIDE)
        {
            int64_t at = (i + j) * (int64_t)sizeof(SRC);
            NAME(terms) t = NAME(load)(row->src + at);
            if (depth > 1) {
                /* a load of what has just been stored would wait: the first pixels are shifted */
                t = at < pixel_bytes ? NAME(twice)(t, &h1, narrow_bytes)
                                     : t + NAME(load)(row->src + (at - pixel_bytes));
            }
            if (depth > 2) {
                t = NAME(twice)(t, &h2, 2 * narrow_bytes);
            }
            if (depth > 4) {
                t = NAME(twice)(t, &h4, 4 * narrow_bytes);
            }
            if (depth > 8) {
                t = NAME(twice)(t, &h8, 8 * narrow_bytes);
            }
            NARROW part[WIDE];
            memcpy(part, &t, sizeof part);
            UNROLL for (int k = 0; k < WIDE; k += L)
            {
                NAME(sums) *p = &prefix[(j + k) / L % vectors];
                *p = NAME(add)(*p, WIDEN(NARROW, SUM)(part + k), row,
                               (i + j + k) * (int64_t)sizeof(SUM));
            }
        }
    }
    if (i > 0) {
        memcpy(lane, prefix, sizeof prefix);
        for (int c = 0; c < channels; c++) {
            left[c] = lane[step - channels + c];
        }
    }
    NAME(rest)(row, i, n, channels, left);
}

INLINE void NAME(any)(const tile_row *row, int64_t n, int channels, SUM *left)
{
#define ROW(c) NAME(row)(row, n, c, left)
    BY_CHANNELS(channels, ROW)
#undef ROW
}

static void NAME(table)(const sat_job *job, const sat_tile *tile)
{
    SUM *left = tile->left;
    int channels = job->in.channels;
    int64_t n = tile->pixels * channels;
    for (int y = 0; y < tile->rows; y++, left += channels) {
        tile_row row = row_of(job, tile, y);
        NAME(any)(&row, n, channels, left);
        if (tile->stream && !row.around) {
            store_row(job, tile, y);
        } else if (!tile->stream && y == tile->rows - 1) {
            memcpy(tile->above, row.kept, (size_t)n * sizeof(SUM));
        }
    }
}

/* Adds up columns of `rows` rows, at most 4, whose sums NARROW holds. */
INLINE void NAME(columns)(const char *src, int64_t stride, int rows, int64_t n, SUM *sums)
{
    enum { WIDE = VECTOR_BYTES / sizeof(NARROW), L = VECTOR_BYTES / sizeof(SUM) };
    int64_t i = 0;
    for (; i + WIDE <= n; i += WIDE) {
        NAME(terms) t = {0};
        UNROLL for (int y = 0; y < rows; y++)
        {
            t += NAME(load)(src + y * stride + i * (int64_t)sizeof(SRC));
        }
        NARROW part[WIDE];
        memcpy(part, &t, sizeof part);
        UNROLL for (int k = 0; k < WIDE; k += L)
        {
            NAME(sums) column;
            memcpy(&column, sums + i + k, sizeof column);
            column += WIDEN(NARROW, SUM)(part + k);
            memcpy(sums + i + k, &column, sizeof column);
        }
    }
    for (; i < n; i++) {
        for (int y = 0; y < rows; y++) {
            SRC sample;
            memcpy(&sample, src + y * stride + i * (int64_t)sizeof sample, sizeof sample);
            sums[i] += SQUARE ? (SUM)sample * (SUM)sample : (SUM)sample;
        }
    }
}

/* Adds up sums of columns from left to right, from those of `rows` rows left of them on. */
INLINE void NAME(along)(const SUM *left, int rows, int64_t n, int channels, SUM *sums)
{
    SUM total[SATF_MAX_CHANNELS] = {0};
    for (int y = 0; y < rows; y++) {
        UNROLL for (int c = 0; c < channels; c++)
        {
            total[c] += left[y * channels + c];
        }
    }
    for (int64_t i = 0; i < n; i += channels) {
        UNROLL for (int c = 0; c < channels; c++)
        {
            total[c] += sums[i + c];
            sums[i + c] = total[c];
        }
    }
}

/* The table's increase from the row above the tile to its last row: sums of columns, added up from
 * those of the rows' part left of the tile on. */
static void NAME(prefix)(const sat_job *job, const sat_tile *tile)
{
    enum { ROWS = 4 };
    SUM *sums = tile->sums;
    int channels = job->in.channels, y = 0;
    int64_t n = tile->pixels * channels;
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (; y + ROWS <= tile->rows; y += ROWS) {
        NAME(columns)(tile->src + y * job->in.stride, job->in.stride, ROWS, n, sums);
    }
    for (; y < tile->rows; y++) {
        NAME(columns)(tile->src + y * job->in.stride, job->in.stride, 1, n, sums);
    }
#define ALONG(c) NAME(along)(tile->left, tile->rows, n, c, sums)
    BY_CHANNELS(channels, ALONG)
#undef ALONG
}

#undef NAME
#undef SRC
#undef NARROW
#undef SUM
#undef SQUARE
