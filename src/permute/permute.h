/*
 * Offline permutations of arrays (dissertation, chapters 4 and 5): out[p[i]] = in[i] for a p that
 * is known beforehand. Read this file first, then rows.c. An algorithm is an entry of a table: it
 * makes a plan of p once, and runs it as a few steps that the host and CUDA devices both have.
 */
#ifndef SATF_PERMUTE_PERMUTE_H
#define SATF_PERMUTE_PERMUTE_H

#include "../base/context.h"
#include "schedule.h"

/* The most bytes of a row: what a CUDA block holds in shared memory. */
#define PERMUTE_ROW_BYTES 131072u

/* ------------------------------------------------------------------- steps */

/* How the transpose's tiles of PERMUTE_TILE_SIDE x PERMUTE_TILE_SIDE chunks lie in the shared
 * memory of a CUDA device: the diagonal arrangement, unless layouts are compared. */
enum { PERMUTE_TILE_SIDE = 16 };

typedef struct permute_tile {
    layout_2d layout;
    uint32_t numbers[2]; /* layout_2d_draw()'s, where the layout has any */
} permute_tile;

/* What all steps of a call share. */
typedef struct permute_call {
    satf_context *ctx;
    int element_bytes; /* 4 or 8 */
    void *work;        /* host: permute_work_bytes(); else NULL */
    const permute_tile *tile;
} permute_call;

/* Bytes for the host's rows in the making, for a plan whose longest row has that many elements. */
size_t permute_work_bytes(const satf_context *ctx, uint32_t length, int element_bytes);

/*
 * The steps, on the host or on the CUDA device that the context has open, where they are
 * enqueued on its stream. in and out are aligned to their elements; aligned to
 * 16 bytes they move faster on a device.
 *
 * scatter: out[p[i]] = in[i]; gather: out[i] = in[q[i]] (section 5.2).
 * transpose: of a matrix of that many rows and columns (section 5.3).
 *
 * The others go row by row, each of `length` elements, a multiple of 32, of at
 * most PERMUTE_ROW_BYTES. Tables hold 16-bit entries in the order of schedule_place(),
 * rows schedule_pitch(length) apart, aligned to 16 bytes. in may be out, but for spread.
 * rows: out[r][d[k]] = in[r][s[k]] (section 5.4).
 * spread: element k of row r to slot d[k]; the slots of a row, cut into pieces, go to
 *   as many rows: out[c][r][t] = slot c * piece + t of row r. That is a row-wise
 *   permutation and a transpose of pieces in one.
 * collect: out[r][k] = in[r][s[k]].
 */
typedef struct permute_steps {
    satf_status (*scatter)(const permute_call *call, const void *in, void *out, const uint32_t *p,
                           int64_t n);
    satf_status (*gather)(const permute_call *call, const void *in, void *out, const uint32_t *q,
                          int64_t n);
    satf_status (*transpose)(const permute_call *call, const void *in, void *out, int64_t rows,
                             int64_t columns);
    satf_status (*rows)(const permute_call *call, const void *in, void *out, const uint16_t *s,
                        const uint16_t *d, int64_t rows, uint32_t length);
    satf_status (*spread)(const permute_call *call, const void *in, void *out, const uint16_t *d,
                          int64_t rows, uint32_t length, uint32_t piece);
    satf_status (*collect)(const permute_call *call, const void *in, void *out, const uint16_t *s,
                           int64_t rows, uint32_t length);
} permute_steps;

extern const permute_steps permute_host_steps;

/* ------------------------------------------------------------------- plans */

/*
 * The array as a matrix of rows * length elements. Where the plan has three
 * permutations of rows, the middle one's rows consist of `piece` elements of
 * each row: length = middle_rows * piece, middle_length = rows * piece.
 */
typedef struct permute_shape {
    uint32_t rows, length, middle_rows, middle_length, piece;
} permute_shape;

enum { PERMUTE_MAX_TABLES = 6 };

struct satf_permutation {
    const struct permute_algorithm *algorithm;
    int64_t n;
    int element_bytes;
    int device; /* SATF_HOST, or the SATF_CUDA(n) that holds the tables */
    permute_shape shape;
    permute_tile tile;
    void *table[PERMUTE_MAX_TABLES]; /* the algorithm's, NULL behind the last */
    size_t table_bytes[PERMUTE_MAX_TABLES];
};

/* What a plan is made of. */
typedef struct permute_request {
    const uint32_t *p; /* a bijection of 0 ... n - 1 */
    int64_t n;
    int element_bytes;
    uint32_t length; /* of the rows of `fused`; 0: chosen */
} permute_request;

typedef struct permute_algorithm {
    const char *name, *help;
    /* Sets shape and tables (host memory, of satf_alloc()) of a zeroed plan, whose algorithm, n and
     * element_bytes are set. The caller frees what it has set, after failure too. SATF_UNSUPPORTED
     * with a sentence: not for this permutation. */
    satf_status (*plan)(satf_context *ctx, const permute_request *request, satf_permutation *plan);
    bool scratch; /* an array like in and out is needed between */
    satf_status (*run)(const satf_permutation *plan, const permute_call *call,
                       const permute_steps *steps, const void *in, void *out, void *between);
} permute_algorithm;

/* NULL behind the last. */
const permute_algorithm *permute_algorithm_at(size_t index);

/* Plans by the algorithm that `auto` takes on the host or on CUDA devices. Of the zeroed plan n and
 * element_bytes are set; it gets algorithm, shape and tables (host memory). */
satf_status permute_choose(satf_context *ctx, const permute_request *request, bool on_device,
                           satf_permutation *plan);

/* satf_permutation_create() with a length for the rows of `fused`; p is in the host's memory. */
satf_status permute_create(satf_context *ctx, const permute_request *request, int device,
                           const char *algorithm, satf_permutation **out);

/* Enqueues out = in permuted, or does it on the host, with satf_permutation_scratch() bytes of
 * scratch. in and out are checked: aligned to their elements and apart. */
satf_status permute_run(satf_context *ctx, const satf_permutation *plan, const void *in, void *out,
                        void *scratch);

/* --------------------------------------------------------------- schedules */

/* Adds room for the plan's next table, within the context's limit of memory for all its tables. */
satf_status permute_add_table(satf_context *ctx, satf_permutation *plan, size_t bytes,
                              void **table);

/* The shape of `fused` or, with pieces of one element, of `scheduled`. SATF_UNSUPPORTED if
 * the length has no such factors. length: of rows, 0: chosen. */
satf_status permute_choose_shape(satf_context *ctx, const permute_request *request, bool pieces,
                                 permute_shape *shape);

/* Whether `fused` would write pieces of less than a sector, as it does with the longest arrays, and
 * `scheduled` has a shape for them too: its five passes are reckoned to be faster then. */
bool permute_writes_short(satf_context *ctx, const permute_request *request);

/*
 * The three permutations of rows that make up p (section 5.5), tables as above:
 * spread by first, with pieces to the middle rows; spread by second, back; collect by third. Slots
 * are such that the accesses of each warp to shared memory are free of conflicts in the first and
 * the last, and in the middle one where a piece is a multiple of 32 elements.
 */
satf_status permute_colour(satf_context *ctx, const permute_request *request,
                           const permute_shape *shape, uint16_t *first, uint16_t *second,
                           uint16_t *third);

/* Makes s and d of `rows`, free of conflicts, for permutations of rows that are given as the table
 * of spread or, if `inverse`, of collect. */
satf_status permute_schedule_rows(satf_context *ctx, const uint16_t *table, bool inverse,
                                  int64_t rows, uint32_t length, uint16_t *s, uint16_t *d);

#endif
