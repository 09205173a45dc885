/* The programs of table 5.1: permutations in global memory (dissertation, chapter 5). All n
 * threads take part in each round; a warp's threads stand in a row of the matrix. */
#include "stream.h"

/* The places of the arrays of n words. */
enum { A, B, SOURCE, TARGET, MIDDLE, TURNED, TURNED_TO };

static int64_t array(const machine_case *c, int which)
{
    return which * c->side * c->side;
}

/* One round: thread i accesses word i of an array. */
static void whole_array(machine_stream *s, const machine_case *c, bool write, int which)
{
    machine_stream_threads(s, SATF_MACHINE_GLOBAL, write, array(c, which), 1, 0, c->side * c->side);
    satf_machine_end_round(s->machine);
}

/* One round: thread i accesses word index[i] of an array. */
static void permuted_array(machine_stream *s, const machine_case *c, const uint32_t *index,
                           bool write, int which)
{
    for (int64_t warp = 0; warp < c->side * c->side; warp += s->w) {
        for (int64_t t = 0; t < s->w; t++) {
            s->address[t] = array(c, which) + index[warp + t];
        }
        machine_stream_feed(s, SATF_MACHINE_GLOBAL, write);
    }
    satf_machine_end_round(s->machine);
}

MACHINE_RUN(d_designated)
{
    whole_array(s, c, false, A);
    whole_array(s, c, false, TARGET);
    permuted_array(s, c, c->p, true, B);
}

MACHINE_RUN(s_designated)
{
    whole_array(s, c, false, SOURCE);
    permuted_array(s, c, c->inverse, false, A);
    whole_array(s, c, true, B);
}

MACHINE_RUN(transpose)
{
    machine_stream_transpose(s, c, array(c, A), array(c, B));
}

/* The column to which a step of a permutation moves column j of row i. */
typedef uint32_t row_step(uint32_t side, uint32_t i, uint32_t j);

/* One round in the shared memories: row i's thread j accesses word step(i, j), or word j if
 * there is no step, of the array alpha or beta of its block. */
static void shared_rows(machine_stream *s, const machine_case *c, bool write, bool beta,
                        row_step *step)
{
    s->blocks = 0;
    for (int64_t i = 0; i < c->side; i++) {
        int32_t memory = machine_stream_block(s);
        for (int64_t warp = 0; warp < c->side; warp += s->w) {
            for (int64_t t = 0; t < s->w; t++) {
                uint32_t j = (uint32_t)(warp + t);
                s->address[t] =
                    beta * c->side + (step ? step((uint32_t)c->side, (uint32_t)i, j) : j);
            }
            machine_stream_feed(s, memory, write);
        }
    }
    satf_machine_end_round(s->machine);
}

/* Section 5.4, with S the identity and D the step. */
static void permute_rows(machine_stream *s, const machine_case *c, int from, int to, row_step *step)
{
    whole_array(s, c, false, from);
    shared_rows(s, c, true, false, NULL);
    whole_array(s, c, false, SOURCE);
    whole_array(s, c, false, TARGET);
    shared_rows(s, c, false, false, NULL);
    shared_rows(s, c, true, true, step);
    shared_rows(s, c, false, true, NULL);
    whole_array(s, c, true, to);
}

static void permute_columns(machine_stream *s, const machine_case *c, int from, int to,
                            row_step *step)
{
    machine_stream_transpose(s, c, array(c, from), array(c, TURNED));
    permute_rows(s, c, TURNED, TURNED_TO, step);
    machine_stream_transpose(s, c, array(c, TURNED_TO), array(c, to));
}

MACHINE_RUN(row_wise)
{
    permute_rows(s, c, A, B, scheduled_row_1);
}

MACHINE_RUN(column_wise)
{
    permute_columns(s, c, A, B, scheduled_column);
}

MACHINE_RUN(scheduled)
{
    permute_rows(s, c, A, B, scheduled_row_1);
    permute_columns(s, c, B, MIDDLE, scheduled_column);
    permute_rows(s, c, MIDDLE, B, scheduled_row_2);
}
