/* The corner kernels of one sum type, SUM; corners.c includes this once a type. */

/* Sums over the first `rows` rows, of which there is one. */
static const SUM *NAME(row)(const void *sat, int64_t stride, int64_t rows)
{
    return (const SUM *)((const char *)sat + (rows - 1) * stride);
}

static void NAME(strip)(const void *sat, int64_t stride, int64_t width, int channels,
                        const axis_sum *rows, void *strip)
{
    int64_t n = width * channels;
    SUM *restrict to = (SUM *)strip + channels;
    memset(strip, 0, (size_t)channels * sizeof *to);
    const axis_run *first = &rows->run[0];
    if (rows->count == 1 && first->times == 1 && first->first > 0) {
        const SUM *restrict low = NAME(row)(sat, stride, first->end);
        const SUM *restrict high = NAME(row)(sat, stride, first->first);
        for (int64_t i = 0; i < n; i++) {
            to[i] = low[i] - high[i];
        }
        return;
    }
    memset(to, 0, (size_t)n * sizeof *to);
    for (int32_t k = 0; k < rows->count; k++) {
        const axis_run *run = &rows->run[k];
        const SUM *restrict low = NAME(row)(sat, stride, run->end);
        const SUM *restrict high = run->first > 0 ? NAME(row)(sat, stride, run->first) : NULL;
        SUM times = (SUM)run->times;
        for (int64_t i = 0; high && i < n; i++) {
            to[i] += times * (SUM)(low[i] - high[i]);
        }
        for (int64_t i = 0; !high && i < n; i++) {
            to[i] += times * low[i];
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
                const axis_run *run = &edge->run[k];
                sum += (SUM)run->times *
                       (SUM)(from[run->end * channels + c] - from[run->first * channels + c]);
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
