/* Accesses as rounds of a machine. */
#include "stream.h"

int32_t machine_stream_block(machine_stream *s)
{
    int32_t memory = s->blocks;
    s->blocks = (s->blocks + 1) % s->shared_count;
    return memory;
}

void machine_stream_feed(machine_stream *s, int32_t memory, bool write)
{
    satf_machine_access(s->machine, memory, write, s->address, (size_t)s->w);
}

void machine_stream_threads(machine_stream *s, int32_t memory, bool write, int64_t first,
                            int64_t step, int64_t from, int64_t to)
{
    for (int64_t warp = from / s->w * s->w; warp < to; warp += s->w) {
        for (int64_t t = warp; t < warp + s->w; t++) {
            bool active = t >= from && t < to;
            s->address[t - warp] = active ? first + t * step : SATF_MACHINE_IDLE;
        }
        machine_stream_feed(s, memory, write);
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
    machine_stream_feed(s, memory, write);
}

void machine_stream_column(machine_stream *s, int32_t memory, bool write, int64_t i)
{
    for (int64_t t = 0; t < s->w; t++) {
        s->address[t] = layout_diagonal((uint32_t)s->w, NULL, (uint32_t)t, (uint32_t)i);
    }
    machine_stream_feed(s, memory, write);
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
        satf_machine_end_round(s->machine);
    }
}
