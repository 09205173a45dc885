/*
 * A Gaussian by its own weights: along the rows, then down the columns (filters/gauss.h). Weights
 * for integers are whole numbers of 2^-15 or 2^-28, for floats doubles, or floats if numbers are
 * `single`.
 */
#ifndef SATF_SUMS_LINES_TAPS_H
#define SATF_SUMS_LINES_TAPS_H

#include "../../plan/step.h"
#include "line.h"

/* The weights of a deviation up to FILTER_GAUSS_WEIGHTS: whole numbers whose sum is 2^bits; bits 0:
 * doubles whose sum is 1. */
void line_taps_find(double sigma, int bits, line_taps *taps);

/* As for a line_walk (line.h). */
typedef struct taps_walk taps_walk;
size_t taps_walk_bytes(const line_spec *spec);
int64_t taps_rows_kept(const line_spec *spec);
taps_walk *taps_walk_begin(const line_spec *spec, const line_ends *ends, int64_t first, int64_t end,
                           void *memory);
bool taps_walk_next(taps_walk *walk, bool *failed);

/* The engine for bytes on a device. (device_taps.c) */
extern const filter_engine filter_device_taps_engine;

#endif
