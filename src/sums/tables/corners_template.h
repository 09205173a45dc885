/*
 * The corner kernels of one sum type; corners.c includes this once a type. SUM is the sum's type,
 * COEF makes a coefficient that type (integers wrap, so that a negative one subtracts).
 */

static void NAME(strip)(const void *sat, int64_t stride, int64_t width, int channels,
                        const axis_sum *rows, void *strip)
{
    int64_t n = width * channels;
    SUM *restrict to = (SUM *)strip + channels;
    memset(strip, 0, (size_t)channels * sizeof *to);
    if (rows->count == 2 && rows->term[0].coef == 1 && rows->term[1].coef == -1) {
        const SUM *restrict low =
            (const SUM *)((const char *)sat + (rows->term[0].end - 1) * stride);
        const SUM *restrict high =
            (const SUM *)((const char *)sat + (rows->term[1].end - 1) * stride);
        for (int64_t i = 0; i < n; i++) {
            to[i] = low[i] - high[i];
        }
        return;
    }
    memset(to, 0, (size_t)n * sizeof *to);
    for (int32_t k = 0; k < rows->count; k++) {
        const SUM *restrict row =
            (const SUM *)((const char *)sat + (rows->term[k].end - 1) * stride);
        SUM coef = (COEF)rows->term[k].coef;
        for (int64_t i = 0; i < n; i++) {
            to[i] += coef * row[i];
        }
    }
}

static void NAME(sums)(const void *strip, int channels, const corner_columns *columns, void *sums)
{
    const SUM *restrict from = strip;
    SUM *restrict to = sums;
    int64_t inside = (columns->right - columns->left) * channels;
    if (inside > 0) {
        const SUM *begin = from + (columns->left + columns->x) * channels;
        const SUM *end = begin + columns->w * channels;
        SUM *restrict first = to + columns->left * channels;
        for (int64_t i = 0; i < inside; i++) {
            first[i] = end[i] - begin[i];
        }
    }
    for (int64_t x = 0; x < columns->width; x++) {
        if (x == columns->left && columns->right > x) {
            x = columns->right - 1;
            continue;
        }
        const axis_sum *edge = &columns->edge[x];
        for (int c = 0; c < channels; c++) {
            SUM sum = 0;
            for (int32_t k = 0; k < edge->count; k++) {
                sum += (SUM)(COEF)edge->term[k].coef * from[edge->term[k].end * channels + c];
            }
            to[x * channels + c] = sum;
        }
    }
}

static void NAME(add)(const void *sums, int64_t n, double factor, double *restrict total)
{
    const SUM *restrict from = sums;
    for (int64_t i = 0; i < n; i++) {
        total[i] += factor * (double)from[i];
    }
}

#undef NAME
#undef SUM
#undef COEF
