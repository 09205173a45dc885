/* Accesses as rounds of a machine. */
#include "stream.h"

#include <inttypes.h>

#include "../base/context.h"

enum { MAX_SIDE = 1 << 15 };

machine_stream machine_stream_begin(satf_context *ctx, satf_machine *machine, const machine_case *c)
{
    const satf_machine_params *params = machine_params(machine);
    machine_stream s = {
        .ctx = ctx, .machine = machine, .w = c->w, .shared_count = params->shared_count};
    if (c->w != params->width) {
        s.status =
            satf_fail(ctx, SATF_INVALID,
                      "the program is for warps of %" PRId32 " threads, the machine of %" PRId32,
                      c->w, params->width);
    } else if (c->side < c->w || c->side > MAX_SIDE || c->side % c->w) {
        s.status = satf_fail(ctx, SATF_INVALID,
                             "a matrix's side must be a multiple of the width %" PRId32
                             " up to %d, not %" PRId64,
                             c->w, MAX_SIDE, c->side);
    }
    return s;
}

int32_t machine_stream_block(machine_stream *s)
{
    int32_t memory = s->blocks;
    s->blocks = (s->blocks + 1) % s->shared_count;
    return memory;
}

static void stream_feed(machine_stream *s, int32_t memory, bool write, int64_t threads)
{
    if (!s->status) {
        s->status = satf_machine_access(s->ctx, s->machine, memory, write, s->address,
                                        (size_t)threads, NULL);
    }
}

void machine_stream_threads(machine_stream *s, int32_t memory, bool write, int64_t first,
                            int64_t step, int64_t from, int64_t to)
{
    for (int64_t warp = from / s->w * s->w; warp < to; warp += s->w) {
        for (int64_t t = warp; t < warp + s->w; t++) {
            bool active = t >= from && t < to;
            s->address[t - warp] = active ? first + t * step : SATF_MACHINE_IDLE;
        }
        stream_feed(s, memory, write, s->w);
    }
}

void machine_stream_line(machine_stream *s, bool write, int64_t first)
{
    machine_stream_threads(s, SATF_MACHINE_GLOBAL, write, first, 1, 0, s->w);
}

void machine_stream_row(machine_stream *s, int32_t memory, bool write, int64_t i)
{
    for (int64_t t = 0; t < s->w; t++) {
        s->address[t] = layout_diagonal((uint32_t)s->w, NULL, (uint32_t)i, (uint32_t)t);
    }
    stream_feed(s, memory, write, s->w);
}

void machine_stream_column(machine_stream *s, int32_t memory, bool write, int64_t i)
{
    for (int64_t t = 0; t < s->w; t++) {
        s->address[t] = layout_diagonal((uint32_t)s->w, NULL, (uint32_t)t, (uint32_t)i);
    }
    stream_feed(s, memory, write, s->w);
}

void machine_stream_end_round(machine_stream *s)
{
    if (!s->status) {
        s->status = satf_machine_end_round(s->ctx, s->machine);
    }
}

void machine_stream_barrier(machine_stream *s)
{
    if (!s->status) {
        s->status = satf_machine_barrier(s->ctx, s->machine);
    }
}

void machine_stream_transpose(machine_stream *s, const machine_case *c, int64_t from, int64_t to)
{
    int64_t w = s->w, blocks = c->side / w;
    for (int step = 0; step < 4; step++) { /* all threads together, a round each */
        s->blocks = 0;
        for (int64_t block = 0; block < blocks * blocks; block++) {
            int32_t memory = machine_stream_block(s);
            int64_t top = block / blocks * w, left = block % blocks * w;
            for (int64_t i = 0; i < w; i++) {
                switch (step) {
                case 0:
                    machine_stream_line(s, false, from + (top + i) * c->side + left);
                    break;
                case 1:
                    machine_stream_row(s, memory, true, i);
                    break;
                case 2:
                    machine_stream_column(s, memory, false, i);
                    break;
                default:
                    machine_stream_line(s, true, to + (left + i) * c->side + top);
                }
            }
        }
        machine_stream_end_round(s);
    }
}
