/*
 * The two algorithms of table 6.2 on a processor; scalar.c includes this once a type of sums.
 *
 * NAME(f)  the function f of this type
 * SUM      the type
 */

/* Sums of a table may lie at any address. */
static inline SUM NAME(load)(const char *row, int64_t i)
{
    SUM sum;
    memcpy(&sum, row + i * (int64_t)sizeof sum, sizeof sum);
    return sum;
}

static inline void NAME(store)(char *row, int64_t i, SUM sum)
{
    memcpy(row + i * (int64_t)sizeof sum, &sum, sizeof sum);
}

/* a[i+1][j] <- a[i+1][j] + a[i][j] in raster order, then
 * a[i][j+1] <- a[i][j+1] + a[i][j] in raster order. */
static satf_status NAME(two_r_two_w)(satf_context *ctx, const sat_job *job, void *scratch)
{
    table b = working_table(job, scratch);
    int64_t n = satf_row_samples(&job->in), channels = job->in.channels;
    SUM *terms = scratch;
    for (int64_t y = 0; y < job->in.height; y++) {
        satf_status status = report_row(ctx, job, y, 2);
        if (status) {
            return status;
        }
        char *row = b.data + y * b.stride;
        load_terms(job, y, terms);
        for (int64_t i = 0; i < n; i++) {
            SUM above = y ? NAME(load)(row - b.stride, i) : 0;
            NAME(store)(row, i, terms[i] + above);
        }
    }
    for (int64_t y = 0; y < job->in.height; y++) {
        satf_status status = report_row(ctx, job, job->in.height + y, 2);
        if (status) {
            return status;
        }
        char *row = b.data + y * b.stride;
        for (int64_t i = channels; i < n; i++) {
            NAME(store)(row, i, NAME(load)(row, i) + NAME(load)(row, i - channels));
        }
    }
    return finish_table(ctx, job, b);
}

/* Formula (6.1): b[i][j] = a[i][j] + b[i-1][j] + b[i][j-1] - b[i-1][j-1]. */
static satf_status NAME(four_r_one_w)(satf_context *ctx, const sat_job *job, void *scratch)
{
    table b = working_table(job, scratch);
    int64_t n = satf_row_samples(&job->in), channels = job->in.channels;
    SUM *terms = scratch;
    for (int64_t y = 0; y < job->in.height; y++) {
        satf_status status = report_row(ctx, job, y, 1);
        if (status) {
            return status;
        }
        char *row = b.data + y * b.stride;
        const char *up = y ? row - b.stride : NULL;
        load_terms(job, y, terms);
        for (int64_t i = 0; i < n; i++) {
            bool first = i < channels;
            SUM above = y ? NAME(load)(up, i) : 0;
            SUM left = first ? 0 : NAME(load)(row, i - channels);
            SUM corner = first || !y ? 0 : NAME(load)(up, i - channels);
            NAME(store)(row, i, terms[i] + above + left - corner);
        }
    }
    return finish_table(ctx, job, b);
}

#undef NAME
#undef SUM
