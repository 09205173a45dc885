/* The state of a march down rows, for both ways down a picture. */
#ifndef SATF_SUMS_MARCH_MARCH_H
#define SATF_SUMS_MARCH_MARCH_H

#include "plan.h"

/* How a march goes on from its row. */
typedef enum window_way { WAY_OPEN, WAY_SLIDES, WAY_STRIPS } window_way;

/* A march down some rows of the picture, beside others. Who begins it fills in what comes before
 * `way`, and the end; the rest is zeros. */
typedef struct window_march {
    satf_context *ctx;
    const window_plan *plan;
    void *source; /* the user of spec.row, or without that the picture's data */
    window_sink sink;
    void *user;
    char *shared; /* memory that is prepared for the plan */
    char *memory; /* the march's own: plan->march_bytes, aligned to 64 */
    int64_t y;    /* the row that comes next */
    window_way way;
    /* since: the row that the way was taken at; until: the row behind its last one; end: the row
     * behind the march's last one. None lies beside another: compilers would load y and its
     * neighbour at once, and the load would wait for all earlier stores. */
    int64_t since;
    int64_t patience; /* rows that go by strips before sliding is tried again */
    int64_t slot;     /* the row of column sums, of plan->rows, that was made last */
    int64_t until;
    double level, most; /* sliding floats: their grid, see find_grid() */
    /* If window_spec.centre: the row whose samples are handed out, and its number. */
    const char *centre;
    int64_t centre_row;
    window_segment segment; /* the one that was handed out last */
    int64_t end;
    axis down;         /* the plan's, of the picture's height as far as is known */
    int64_t looked_at; /* samples of a row that is fetched, about */
    satf_status stop;  /* it has failed, and finishes early */
} window_march;

/* Whether the march's row is behind the last. */
static inline bool window_ends(const window_march *m)
{
    return m->y >= m->down.n + m->down.beyond;
}

/* The samples of row y of the picture with its border; NULL after a failure. Where the height is
 * not known, it is in m->down.n afterwards, if it is y or less. */
const void *window_fetch(window_march *m, int64_t y);

/* Tells that so many samples more are worked on; false if all should stop. */
bool window_goes_on(window_march *m, int64_t samples);

/* Asks for pixels x ... end - 1 of a row that is soon to be fetched, of a picture that the caches
 * do not hold: hardware prefetching stops at every row's end, and for rows of a page never starts.
 */
void window_prefetch(const window_march *m, int64_t y, int64_t x, int64_t end);

/* Hands out n pixels from x on of so many rows from y on, with one array of sums a plane, which lie
 * a padded row of columns apart, and of shifts (NULL: none); in pieces where the border shrinks
 * windows, and nothing after a failure. */
void window_deliver(window_march *m, int64_t y, int64_t rows, int64_t x, int64_t n,
                    void *const *sums, const double *shifts);

/* Delivers the march's next row, or some at once: short ones, and those of floats; false
 * behind the last, and after a failure. */
bool window_next(window_march *m);

/*
 * Will compute all window sums of rows m->y ... m->end - 1 and hand them to the sink (streaming:
 * rows come strictly top to bottom; of images in memory WINDOW_ROWS_AT_ONCE may take turns).
 * Integer sums are exact. Float sums are formed in double in an order that depends only on the
 * shape of picture and window and on the position (not on marches, streaming or the CPU), and never
 * by subtracting unless every step is exact, which no sum shows: the error is at most
 * (w + h) * 2^-53 * sum of |summands| of that window, and a non-finite sample touches only the
 * windows that contain it. -0 counts as 0. With spec.shifts samples are taken above a shift, which
 * is a sample of the window that counts (strips.c).
 */
satf_status window_march_begin(window_march *m);

/* The other way down a picture, for floats: strips of columns (strips.c). The march's row, in all
 * strips at once, which a plan that streams holds; false at the picture's end and after a
 * failure. */
bool window_strips_row(window_march *m);

/* Rows m->since ... m->until - 1, strip after strip. */
void window_strips(window_march *m);

#endif
