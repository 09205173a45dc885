/* The programs of table 6.1: SAT algorithms (dissertation, chapter 6). */
#include <math.h>

#include "stream.h"

/* ------------------------------------------ by rows, columns and single words */

/* Section 6.2: a thread adds up a column, going down. */
static void sum_columns(machine_stream *s, int64_t first, int64_t rows, int64_t columns)
{
    for (int64_t j = 0; j < rows; j++) {
        for (int write = 0; write < (j ? 2 : 1); write++) { /* the first row stays as it is */
            machine_stream_threads(s, SATF_MACHINE_GLOBAL, write, first + j * columns, 1, 0,
                                   columns);
            satf_machine_end_round(s->machine);
        }
    }
}

/* A thread adds up a row, going right. */
static void sum_rows(machine_stream *s, int64_t side)
{
    for (int64_t j = 0; j < side; j++) {
        for (int write = 0; write < (j ? 2 : 1); write++) {
            machine_stream_threads(s, SATF_MACHINE_GLOBAL, write, j, side, 0, side);
            satf_machine_end_round(s->machine);
        }
    }
}

MACHINE_RUN(2r2w)
{
    sum_columns(s, 0, c->side, c->side);
    satf_machine_barrier(s->machine);
    sum_rows(s, c->side);
}

MACHINE_RUN(4r4w)
{
    int64_t n = c->side * c->side;
    sum_columns(s, 0, c->side, c->side);
    satf_machine_barrier(s->machine);
    machine_stream_transpose(s, c, 0, n);
    satf_machine_barrier(s->machine);
    sum_columns(s, n, c->side, c->side);
    satf_machine_barrier(s->machine);
    machine_stream_transpose(s, c, n, 0);
}

/* Section 6.4, formula (6.1): thread t of stage k has row low + t, column k - low - t. */
MACHINE_RUN(4r1w)
{
    int64_t side = c->side, step = side - 1, sums = side * side;
    for (int64_t k = 0; k < 2 * side - 1; k++) {
        int64_t low = k < side ? 0 : k - side + 1, high = k < side ? k : side - 1;
        int64_t first = low * step + k, threads = high - low + 1;
        int64_t no_above = low == 0, no_left = high == k; /* of the first, of the last thread */
        if (k) {
            satf_machine_barrier(s->machine);
        }
        machine_stream_threads(s, SATF_MACHINE_GLOBAL, false, first, step, 0, threads);
        machine_stream_threads(s, SATF_MACHINE_GLOBAL, false, sums + first - 1, step, 0,
                               threads - no_left);
        machine_stream_threads(s, SATF_MACHINE_GLOBAL, false, sums + first - side, step, no_above,
                               threads);
        machine_stream_threads(s, SATF_MACHINE_GLOBAL, false, sums + first - side - 1, step,
                               no_above, threads - no_left);
        machine_stream_threads(s, SATF_MACHINE_GLOBAL, true, sums + first, step, 0, threads);
    }
}

/* ------------------------------------------------------------------- blocks */

/*
 * The blocks (I, J) of a matrix with begin <= I + J < end, and the arrays beside
 * it. Where they lie costs nothing but has to be aligned as the matrix is.
 */
typedef struct region {
    int64_t blocks;     /* on the matrix's side */
    int64_t begin, end; /* anti-diagonals of blocks */
    int64_t image, sums;
    int64_t columns, rows, corners; /* C, R turned, and S of section 6.3 */
    int64_t bottoms, rights, ends;  /* of finished blocks: last row, last column, corner */
} region;

static region make_region(int64_t blocks, int64_t begin, int64_t end, int64_t w)
{
    int64_t n = blocks * blocks * w * w;
    return (region){.blocks = blocks,
                    .begin = begin,
                    .end = end,
                    .sums = n,
                    .columns = 2 * n,
                    .rows = 3 * n,
                    .corners = 4 * n,
                    .bottoms = 5 * n,
                    .rights = 6 * n,
                    .ends = 7 * n};
}

static region whole_region(const machine_case *c)
{
    int64_t blocks = c->side / c->w;
    return make_region(blocks, 0, 2 * blocks - 1, c->w);
}

/* The first and the last + 1 block row of an anti-diagonal. */
static int64_t first_row(const region *g, int64_t d)
{
    return d < g->blocks ? 0 : d - g->blocks + 1;
}

static int64_t end_row(const region *g, int64_t d)
{
    return d < g->blocks ? d + 1 : g->blocks;
}

/* Word 0 of a line of w words that belongs to block (i, j), in an array of blocks x side words. */
static int64_t line_of(const machine_stream *s, const region *g, int64_t array, int64_t i,
                       int64_t j)
{
    return array + (i * g->blocks + j) * s->w;
}

static int64_t row_of_block(const machine_stream *s, const region *g, int64_t array, int64_t i,
                            int64_t j, int64_t t)
{
    return array + ((i * s->w + t) * g->blocks + j) * s->w;
}

static void one_word(machine_stream *s, bool write, int64_t word)
{
    machine_stream_threads(s, SATF_MACHINE_GLOBAL, write, word, 1, 0, 1);
}

/* A block comes in row by row. */
static void load_block(machine_stream *s, const region *g, int32_t memory, int64_t i, int64_t j)
{
    for (int64_t t = 0; t < s->w; t++) {
        machine_stream_line(s, false, row_of_block(s, g, g->image, i, j, t));
        machine_stream_row(s, memory, true, t);
    }
}

/*
 * Step 3-2 of 2R1W: thread t adds up column t while it comes in, then row t in the
 * shared memory; then the block goes out row by row. What the block's sums begin
 * with has been read into the threads' registers.
 */
static void finish_block(machine_stream *s, const region *g, int32_t memory, int64_t i, int64_t j)
{
    load_block(s, g, memory, i, j);
    for (int64_t t = 0; t < s->w; t++) {
        machine_stream_column(s, memory, false, t);
        machine_stream_column(s, memory, true, t);
    }
    for (int64_t t = 0; t < s->w; t++) {
        machine_stream_row(s, memory, false, t);
        machine_stream_line(s, true, row_of_block(s, g, g->sums, i, j, t));
    }
}

/* What finished blocks leave for those right of them and below, where these are in the
 * anti-diagonals from ... on. */
static void leave_borders(machine_stream *s, const region *g, int64_t i, int64_t j, int64_t from)
{
    bool below = i + 1 < g->blocks, right = j + 1 < g->blocks;
    if (below && i + j + 1 >= from) {
        machine_stream_line(s, true, line_of(s, g, g->bottoms, i, j));
    }
    if (right && i + j + 1 >= from) {
        machine_stream_line(s, true, line_of(s, g, g->rights, j, i));
    }
    if (below && right && i + j + 2 >= from) {
        one_word(s, true, g->ends + i * g->blocks + j);
    }
}

static void read_borders(machine_stream *s, const region *g, int64_t i, int64_t j)
{
    if (i) {
        machine_stream_line(s, false, line_of(s, g, g->bottoms, i - 1, j));
    }
    if (j) {
        machine_stream_line(s, false, line_of(s, g, g->rights, j - 1, i));
    }
    if (i && j) {
        one_word(s, false, g->ends + (i - 1) * g->blocks + j - 1);
    }
}

/* --------------------------------------------------------- 2R1W (section 6.3) */

/* Step 1 for a block: its sums by columns, by rows and as a whole, where anybody
 * in the region will read them. */
static void sum_block(machine_stream *s, const region *g, int64_t i, int64_t j)
{
    int32_t memory = machine_stream_block(s);
    bool below = i + 1 < g->blocks && i + j + 1 < g->end;
    bool right = j + 1 < g->blocks && i + j + 1 < g->end;
    load_block(s, g, memory, i, j);
    for (int64_t t = 0; t < s->w; t++) {
        machine_stream_row(s, memory, false, t);
    }
    for (int64_t t = 0; t < s->w; t++) {
        machine_stream_column(s, memory, false, t);
    }
    if (below) {
        machine_stream_line(s, true, line_of(s, g, g->columns, i, j));
    }
    if (right) {
        machine_stream_line(s, true, line_of(s, g, g->rows, j, i));
    }
    if (below && right && i + j + 2 < g->end) {
        one_word(s, true, g->corners + i * g->blocks + j);
    }
}

/* Step 2 for C (or, i and j exchanged, for R turned): down the blocks of column j. */
static void sum_down(machine_stream *s, const region *g, int64_t array, int64_t border, int64_t j)
{
    int64_t from = g->begin > j ? g->begin - j : 0;
    if (from > 0 && from < g->blocks) { /* what is above the region */
        machine_stream_line(s, false, line_of(s, g, border, from - 1, j));
    }
    for (int64_t i = from; i + 1 < g->blocks && i + j + 1 < g->end; i++) {
        machine_stream_line(s, false, line_of(s, g, array, i, j));
        if (i > 0) {
            machine_stream_line(s, true, line_of(s, g, array, i, j));
        }
    }
}

/* The SAT of the blocks' sums S in one shared memory, which holds them: i + j + 2 < end. */
static void sum_corners(machine_stream *s, const region *g)
{
    int64_t last = g->blocks - 1; /* S has that many rows at most */
    for (int write = 0; write < 2; write++) {
        for (int64_t i = 0; i < last; i++) {
            int64_t from = g->begin > i ? g->begin - i : 0;
            int64_t to = g->end - 2 - i < last ? g->end - 2 - i : last;
            int64_t row = g->corners + i * g->blocks;
            machine_stream_threads(s, SATF_MACHINE_GLOBAL, write, row, 1, from, to);
            if (!write && from > 0 && from <= last) { /* where the sums begin */
                one_word(s, false, g->ends + i * g->blocks + from - 1);
            }
        }
    }
}

static int64_t blocks_of(int64_t words, int64_t w)
{
    return (words + w - 1) / w;
}

/* The side of S: a square's, or a triangle's legs. */
static int64_t corners_side(const region *g)
{
    int64_t whole = 2 * g->blocks - 1;
    int64_t side = g->begin == 0 && g->end == whole ? g->blocks - 1
                   : g->begin == 0                  ? g->end - 2
                                                    : whole - g->begin - 2;
    return side > 0 ? side : 0;
}

/* S that fit no shared memory are summed in the same way. */
static void two_r_one_w(machine_stream *s, const region *g)
{
    for (int64_t d = g->begin; d < g->end; d++) {
        for (int64_t i = first_row(g, d); i < end_row(g, d); i++) {
            sum_block(s, g, i, d - i);
        }
    }
    satf_machine_barrier(s->machine);
    for (int64_t j = 0; j < g->blocks; j++) {
        sum_down(s, g, g->columns, g->bottoms, j);
        sum_down(s, g, g->rows, g->rights, j);
    }
    if (corners_side(g) <= s->w) {
        sum_corners(s, g);
    } else {
        int64_t blocks = blocks_of(corners_side(g), s->w), whole = 2 * blocks - 1;
        bool square = g->begin == 0 && g->end == 2 * g->blocks - 1;
        region inner = make_region(blocks, g->begin ? blocks - 1 : 0,
                                   square || g->begin ? whole : blocks, s->w);
        two_r_one_w(s, &inner);
    }
    satf_machine_barrier(s->machine);
    for (int64_t d = g->begin; d < g->end; d++) {
        for (int64_t i = first_row(g, d); i < end_row(g, d); i++) {
            int64_t j = d - i;
            bool inside = d > g->begin; /* else the borders of finished blocks */
            if (i) {
                machine_stream_line(s, false,
                                    line_of(s, g, inside ? g->columns : g->bottoms, i - 1, j));
            }
            if (j) {
                machine_stream_line(s, false,
                                    line_of(s, g, inside ? g->rows : g->rights, j - 1, i));
            }
            if (i && j) {
                one_word(s, false,
                         (d - 2 >= g->begin ? g->corners : g->ends) + (i - 1) * g->blocks + j - 1);
            }
            finish_block(s, g, machine_stream_block(s), i, j);
            leave_borders(s, g, i, j, g->end);
        }
    }
}

MACHINE_RUN(2r1w)
{
    region all = whole_region(c);
    two_r_one_w(s, &all);
}

/* ------------------------------------- 1R1W and (1+r)R1W (sections 6.4, 6.5) */

/* A stage an anti-diagonal, barriers between them. */
static void one_r_one_w(machine_stream *s, const region *g)
{
    for (int64_t d = g->begin; d < g->end; d++) {
        if (d > g->begin) {
            satf_machine_barrier(s->machine);
        }
        for (int64_t i = first_row(g, d); i < end_row(g, d); i++) {
            read_borders(s, g, i, d - i);
            finish_block(s, g, machine_stream_block(s), i, d - i);
            leave_borders(s, g, i, d - i, 0);
        }
    }
}

MACHINE_RUN(1r1w)
{
    region all = whole_region(c);
    one_r_one_w(s, &all);
}

int64_t machine_triangle(const machine_case *c)
{
    int64_t blocks = c->side / c->w, triangle = llround(sqrt(c->r) * (double)blocks);
    triangle = triangle < blocks ? triangle : blocks - 1;
    return triangle > 1 ? triangle : 1;
}

MACHINE_RUN(1_r)
{
    int64_t blocks = c->side / c->w, triangle = machine_triangle(c), whole = 2 * blocks - 1;
    region a = make_region(blocks, 0, triangle, c->w);
    region middle = make_region(blocks, triangle, whole - triangle, c->w);
    region b = make_region(blocks, whole - triangle, whole, c->w);
    two_r_one_w(s, &a);
    satf_machine_barrier(s->machine);
    one_r_one_w(s, &middle);
    satf_machine_barrier(s->machine);
    two_r_one_w(s, &b);
}
