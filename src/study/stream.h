/* The functions by which a program gives its accesses to a machine. */
#ifndef SATF_STUDY_STREAM_H
#define SATF_STUDY_STREAM_H

#include "machine.h"

struct machine_stream {
    satf_machine *machine;
    int64_t w;
    int32_t shared_count;
    int32_t blocks; /* given out so far; block b works in shared memory b mod shared_count */
    int64_t address[MACHINE_MAX_WIDTH];
};

/* The shared memory of the next block. */
int32_t machine_stream_block(machine_stream *s);

/* A warp accesses the words at address[]. */
void machine_stream_feed(machine_stream *s, int32_t memory, bool write);

/* Threads from ... to - 1, thread t accessing word first + t step. */
void machine_stream_threads(machine_stream *s, int32_t memory, bool write, int64_t first,
                            int64_t step, int64_t from, int64_t to);

/* A warp accesses w words in a row of the global memory. */
void machine_stream_line(machine_stream *s, bool write, int64_t first);

/* A warp accesses row i (column i) of a w x w block in the diagonal arrangement. */
void machine_stream_row(machine_stream *s, int32_t memory, bool write, int64_t i);
void machine_stream_column(machine_stream *s, int32_t memory, bool write, int64_t i);

/* The transposition of the matrix at word `from` into the one at `to` (section 5.3), a block
 * of w x w at a time, in four rounds. */
void machine_stream_transpose(machine_stream *s, const machine_case *c, int64_t from, int64_t to);

#endif
