/* What both ways down a picture share: the state of a run and of its bands of rows. */
#ifndef SATF_WINDOW_MARCH_H
#define SATF_WINDOW_MARCH_H

#include <stdatomic.h>

#include "plan.h"

typedef struct window_state {
    satf_context *ctx;
    const window_plan *plan;
    const window_spec *spec;
    window_sink sink;
    void *user;
    axis down;            /* the plan's, of the picture's height as far as is known */
    char *shared, *bands; /* memory */
    atomic_int stop;      /* a satf_status: some band has failed, all finish early */
    _Atomic int64_t pixels_done;
} window_state;

/* How a band goes on from its row. */
typedef enum window_way { WAY_OPEN, WAY_SLIDES, WAY_STRIPS } window_way;

typedef struct window_band {
    window_state *state;
    char *memory;
    int thread;
    int64_t y, end; /* the row that comes next, and that behind the last */
    window_way way;
    int64_t since, until; /* the row that the way was taken at, and that behind its last */
    int64_t patience;     /* rows that go by strips before sliding is tried again */
    double level, most;   /* sliding floats: their grid, see find_grid() */
    int64_t unreported;   /* pixels */
    const double *shifts; /* of the sums that are handed out, or NULL */
    /* window_spec.centre: the row whose samples are handed out, and which one it is. */
    const char *centre;
    int64_t centre_row;
} window_band;

/* The samples of row y of the picture with its border; NULL after a failure. Where the height is
 * not known, it is in s->down.n afterwards, if it is y or less. */
const void *window_fetch(window_state *s, int64_t y);

/* The last row of the picture, at most y; below 0 after a failure. */
int64_t window_last_row(window_state *s, int64_t y);

/* Asks for pixels x ... end - 1 of a row that is soon to be fetched: hardware prefetching stops
 * at every row's end, and for rows of a page never starts. */
void window_prefetch(const window_state *s, int64_t y, int64_t x, int64_t end);

/* n pixels from x on of row y, with one array of sums a plane, for the sink. False where the border
 * shrinks windows, and the sink has had it in pieces, and after a failure. */
bool window_segment_at(window_band *b, int64_t y, int64_t x, int64_t n, const void *const *sums,
                       window_segment *segment);

/* Counts pixels delivered; false if the band should stop. */
bool window_go_on(window_band *b, int64_t pixels);

/* Delivers the band's next row, or more where its floats go by strips one after the other; false
 * behind the last, or if the band should stop. */
bool window_next(window_band *b);

/* A march of its own, from a row of the picture on, for plans whose spec has `row`. It does not
 * report progress. */
typedef struct window_march {
    window_spec spec;
    window_state state;
    window_band band;
} window_march;

/* source: the user of spec.row. shared: memory that is prepared for the plan. own: the march's,
 * plan->band_bytes, aligned to 64. */
satf_status window_march_begin(satf_context *ctx, const window_plan *plan, void *source,
                               char *shared, char *own, int64_t first, window_sink sink, void *user,
                               window_march *m);

#endif
