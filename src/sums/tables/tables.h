/* The summed area tables of a step: those that its formula needs for its windows or rectangles. */
#ifndef SATF_SUMS_TABLES_TABLES_H
#define SATF_SUMS_TABLES_TABLES_H

#include "sat_layer.h"

typedef struct filter_tables {
    sat_layer layers[2]; /* sums, and squares if the formula wants them */
    int count;
    const satf_weighted_rect *rects; /* the template's, the windows to choose from, or the window */
    size_t rect_count;
    satf_weighted_rect windows[FILTER_MAX_WINDOWS];
    sat_plan plans[2];
    /* Offsets into the step's scratch: of tables, of memory to rebuild them, of algorithms' memory;
     * and of the words that algorithms keep from run to run, into its kept memory. */
    size_t sats[2], spares[2], algorithm, words[2];
    size_t bytes, kept_bytes; /* of scratch and of kept memory in all */
} filter_tables;

/* Chooses the tables, their types and algorithms. `tables` must stay where it is. */
satf_status filter_tables_plan(satf_context *ctx, const filter_step *step, filter_tables *tables);

/* Says that the kept memory's contents are unknown. */
void filter_tables_forget(filter_tables *tables);

/* Builds the tables of step->in in the step's memory; each is a share 1 / parts of the progress. */
satf_status filter_tables_build(satf_context *ctx, const filter_step *step, filter_tables *tables,
                                double parts);

/* The name of the algorithm that builds the tables. */
const char *filter_tables_algorithm(const filter_tables *tables);

#endif
