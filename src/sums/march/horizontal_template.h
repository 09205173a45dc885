/*
 * The kernels of sums along rows for one pair of types; kernels.c includes this once a pair. COL is
 * the column sum's type, SUM the sum's, LANES how many sums a vector holds (1: no vectors of SUM
 * exist).
 */

#if LANES > 1
typedef SUM NAME(vector)
    __attribute__((vector_size(LANES * sizeof(SUM)), aligned(sizeof(SUM)), may_alias));
#else
typedef SUM NAME(vector);
#endif
#define VECTOR(p) (*(NAME(vector) *)(p))

static inline __attribute__((always_inline)) void
NAME(add_terms)(int count, const SUM *const *term, SUM *restrict sums, int64_t samples)
{
    for (int64_t i = 0; i < samples; i++) {
        SUM sum = 0; /* never -0 */
        for (int t = 0; t < count; t++) {
            sum = (SUM)(sum + term[t][i]);
        }
        sums[i] = sum;
    }
}

/*
 * Small windows: sums of 2, 4, 8 and 16 neighbours by doubling, then a sum of the few of these that
 * make up the window.
 */
static void NAME(run_direct)(const horizontal_row *shape, const COL *col, SUM *spare, SUM *sums)
{
    int64_t channels = shape->channels, samples = shape->pixels * channels;
    int64_t filled = samples + (shape->window - 1) * channels;
    const SUM *part[HORIZONTAL_LEVELS];
    if (sizeof(COL) == sizeof(SUM)) {
        part[0] = (const SUM *)(const void *)col;
    } else {
        for (int64_t i = 0; i < filled; i++) {
            spare[i] = (SUM)col[i];
        }
        part[0] = spare;
    }
    int top = 0;
    for (; shape->window >> top > 3; top++) {
        int64_t gap = channels << top;
        const SUM *restrict from = part[top];
        SUM *restrict to = spare + (top + 1) * HORIZONTAL_LEVEL_SAMPLES;
        filled -= gap;
        for (int64_t i = 0; i < filled; i++) {
            to[i] = (SUM)(from[i] + from[i + gap]);
        }
        part[top + 1] = to;
    }
    const SUM *term[3 + HORIZONTAL_LEVELS];
    int count = 0;
    for (int64_t x = 0; x < shape->window; count++) {
        while (shape->window - x < (int64_t)1 << top) {
            top--;
        }
        term[count] = part[top] + x * channels;
        x += (int64_t)1 << top;
    }
    switch (count) {
#define CASE(n)                                  \
    case n:                                      \
        NAME(add_terms)(n, term, sums, samples); \
        break;
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
        CASE(7)
#undef CASE
    }
}

/* The sums of the row's first `step` samples, whose windows are added column by column. */
static void NAME(begin)(const horizontal_row *shape, const COL *col, int64_t step, SUM *sums)
{
    int64_t channels = shape->channels, ahead = shape->window * channels;
    memset(sums, 0, (size_t)channels * sizeof *sums);
    if (channels == 1) {
        SUM sum = 0;
        for (int64_t i = 0; i < ahead; i++) {
            sum = (SUM)(sum + (SUM)col[i]);
        }
        sums[0] = sum;
    } else {
        for (int64_t i = 0; i < ahead; i += channels) {
            for (int64_t k = 0; k < channels; k++) {
                sums[k] = (SUM)(sums[k] + (SUM)col[i + k]);
            }
        }
    }
    for (int64_t i = channels; i < step; i++) {
        sums[i] =
            (SUM)(sums[i - channels] + (SUM)col[i - channels + ahead] - (SUM)col[i - channels]);
    }
}

/*
 * Large windows: a sum differs from the one `reach` pixels before it by `reach` differences of
 * columns, summed by doubling. reach is the least power of two whose pixels fill a vector.
 * Differences wrap, but the sums come out exact.
 */
static void NAME(run_running)(const horizontal_row *shape, const COL *col, SUM *spare, SUM *sums)
{
    int64_t channels = shape->channels, samples = shape->pixels * channels;
    int64_t ahead = shape->window * channels, reach = 1;
    while (reach * channels < LANES) {
        reach *= 2;
    }
    int64_t step = reach * channels;
    SUM *carry = spare, *delta = spare + HORIZONTAL_CARRY_SAMPLES;
    if (shape->x == 0) {
        NAME(begin)(shape, col, step, carry);
    }
    memcpy(sums, carry, (size_t)step * sizeof *sums);
    int64_t filled = samples + step - channels;
    for (int64_t i = 0; i < filled; i++) {
        delta[i] = (SUM)((SUM)col[i + ahead] - (SUM)col[i]);
    }
    for (int64_t gap = channels; gap < step; gap *= 2) {
        filled -= gap;
        for (int64_t i = 0; i < filled; i += LANES) {
            VECTOR(delta + i) += VECTOR(delta + i + gap);
        }
    }
    for (int64_t i = 0; i < samples; i += LANES) {
        VECTOR(sums + i + step) = VECTOR(sums + i) + VECTOR(delta + i);
    }
    memcpy(carry, sums + samples, (size_t)step * sizeof *sums);
}

#ifdef SCAN
/* As run_running(), but the differences are summed within the register: a scan by lane shifts. For
 * 1, 2 and 4 channels. */
static inline __attribute__((always_inline)) void NAME(run_scan)(const int channels,
                                                                 const horizontal_row *shape,
                                                                 const COL *col, SUM *spare,
                                                                 SUM *sums)
{
    int64_t samples = shape->pixels * channels, ahead = shape->window * channels;
    size_t pixel = (size_t)channels * sizeof *sums;
    if (shape->x == 0) {
        NAME(begin)(shape, col, channels, spare);
    }
    scan_vector before = scan_pixel(spare, channels);
    memcpy(sums, spare, pixel);
    for (int64_t i = 0; i < samples; i += LANES) {
        scan_vector sum = scan_differences(sizeof(COL), col + i + ahead, col + i);
        sum = scan_next(sum, channels, &before);
        memcpy(sums + i + channels, &sum, sizeof sum);
    }
    memcpy(spare, sums + samples, pixel);
}
#endif

#ifdef SCAN_REALS
/* The same for doubles, which lie on a grid (march.c), so nothing is rounded. A vector's whole
 * pixels are used, and lanes behind them written over. */
static inline __attribute__((always_inline)) void NAME(run_scan)(const int channels,
                                                                 const horizontal_row *shape,
                                                                 const COL *col, SUM *spare,
                                                                 SUM *sums)
{
    const int step = LANES / channels * channels;
    int64_t samples = shape->pixels * channels, ahead = shape->window * channels;
    if (shape->x == 0) {
        NAME(begin)(shape, col, channels, spare);
    }
    NAME(vector) before = scan_pixel_reals(VECTOR(spare), channels, 0);
    for (int64_t i = 0; i < samples; i += step) {
        NAME(vector) delta = VECTOR(col + i + ahead) - VECTOR(col + i);
        NAME(vector) sum = scan_reals(delta, channels);
        VECTOR(sums + i) = before + (sum - delta);
        before += scan_pixel_reals(sum, channels, step - channels);
    }
    memcpy(spare, &before, (size_t)channels * sizeof *spare);
}
#endif

static void NAME(run)(const horizontal_row *shape, const void *columns, void *spare, void *sums)
{
    if (shape->window <= HORIZONTAL_DIRECT) {
        NAME(run_direct)(shape, columns, spare, sums);
#ifdef SCAN
    } else if (shape->channels == 1) {
        NAME(run_scan)(1, shape, columns, spare, sums);
    } else if (shape->channels == 2) {
        NAME(run_scan)(2, shape, columns, spare, sums);
    } else if (shape->channels == 4) {
        NAME(run_scan)(4, shape, columns, spare, sums);
#elif defined(SCAN_REALS)
    } else if (shape->channels == 1) {
        NAME(run_scan)(1, shape, columns, spare, sums);
    } else if (shape->channels == 2) {
        NAME(run_scan)(2, shape, columns, spare, sums);
    } else if (shape->channels == 3) {
        NAME(run_scan)(3, shape, columns, spare, sums);
    } else if (shape->channels == 4) {
        NAME(run_scan)(4, shape, columns, spare, sums);
#endif
    } else {
        NAME(run_running)(shape, columns, spare, sums);
    }
}

static inline __attribute__((always_inline)) void
NAME(pad_side)(const int channels, COL *col, const int64_t *from, int64_t count, int64_t to)
{
    for (int64_t i = 0; i < count; i++) {
        for (int k = 0; k < channels; k++) {
            col[(to + i) * channels + k] = col[from[i] * channels + k];
        }
    }
}

static inline __attribute__((always_inline)) void
NAME(pad_rows)(const int channels, const horizontal_pads *pads, COL *col)
{
    const horizontal_pads p = *pads; /* the stores might alias it */
    for (int64_t row = 0; row < p.rows; row++, col += p.pitch * channels) {
        NAME(pad_side)(channels, col, p.from, p.before, -p.before);
        NAME(pad_side)(channels, col, p.from + p.before, p.after, p.width);
    }
}

static void NAME(pad)(const horizontal_pads *pads, void *columns)
{
    if (pads->channels == 1) {
        NAME(pad_rows)(1, pads, columns);
    } else {
        NAME(pad_rows)(pads->channels, pads, columns);
    }
}

static void NAME(add_pixel)(int channels, void *fixed, const void *column, int64_t times)
{
    const COL *col = column;
    SUM *sum = fixed;
    for (int k = 0; k < channels; k++) {
        sum[k] = (SUM)(sum[k] + (SUM)times * (SUM)col[k]);
    }
}

static void NAME(add_fixed)(const horizontal_row *shape, void *out, const void *fixed)
{
    const SUM *from = fixed;
    SUM *sums = out;
    for (int64_t p = 0; p < shape->pixels; p++) {
        for (int k = 0; k < shape->channels; k++) {
            sums[p * shape->channels + k] = (SUM)(sums[p * shape->channels + k] + from[k]);
        }
    }
}

#undef VECTOR
#undef SCAN
#undef SCAN_REALS
#undef LANES
#undef HORIZONTAL_DIRECT
#undef COL
#undef SUM
#undef NAME
