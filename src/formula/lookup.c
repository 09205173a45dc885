/* Lookup tables: a formula of an integer sample alone becomes a table of all its results. */
#include "epilogue.h"

#include "../base/memory.h"
#include "../base/view.h"

enum { LEAST_USES = 8 };   /* uses of an entry for which the table pays */
enum { SAMPLE_WORK = 16 }; /* a formula's work, in samples that a filter goes through */

/* The table's entries for colours; as many for alpha lie behind them. */
static int64_t lookup_entries(const epilogue *f)
{
    return (int64_t)satf_type_max((int)f->in_type) + 1;
}

size_t lookup_bytes(const epilogue *f, int64_t samples)
{
    bool is = f->pass->kernel == KERNEL_SAMPLE && !f->constants.real;
    int64_t entries = is ? lookup_entries(f) : 0;
    return is && samples / LEAST_USES >= entries ? 2 * (size_t)entries * f->out_bytes : 0;
}

static void run_lookup(const epilogue *f, const window_segment *segment, void *dst)
{
    int64_t last = f->channels - 1, entries = lookup_entries(f);
    const char *from = segment->centre,
               *alphas = (const char *)f->table + (size_t)entries * f->out_bytes;
    f->loops->look_up(f->in_bytes, f->out_bytes, segment->n * f->channels, 1, from, f->table, dst);
    if (f->weighted) {
        f->loops->look_up(f->in_bytes, f->out_bytes, segment->n, f->channels,
                          from + (size_t)last * f->in_bytes, alphas,
                          (char *)dst + (size_t)last * f->out_bytes);
    }
}

/* Fills in the results of samples first ... first + PIECE - 1, of colours and of alpha. */
enum { PIECE = 128 };
static void fill_piece(const epilogue *f, int64_t first, char *colours, char *alphas)
{
    uint8_t u8[2 * PIECE];
    uint16_t u16[2 * PIECE];
    char results[2 * PIECE * sizeof(double)];
    epilogue pairs = *f;
    pairs.channels = pairs.out_channels = 2;
    pairs.weighted = true;
    for (int i = 0; i < 2 * PIECE; i++) {
        u8[i] = (uint8_t)(first + i / 2);
        u16[i] = (uint16_t)(first + i / 2);
    }
    const void *samples = f->in_type == SATF_U8 ? (const void *)u8 : u16;
    window_segment segment = {.n = PIECE, .area = 1, .centre = samples};
    epilogue_by_blocks(&pairs, &segment, results);
    for (size_t i = 0; i < PIECE; i++) {
        size_t at = ((size_t)first + i) * f->out_bytes;
        memcpy(colours + at, results + 2 * i * f->out_bytes, f->out_bytes);
        memcpy(alphas + at, results + (2 * i + 1) * f->out_bytes, f->out_bytes);
    }
}

satf_status lookup_prepare(satf_context *ctx, epilogue *f, void *table)
{
    int64_t entries = lookup_entries(f);
    char *alphas = (char *)table + (size_t)entries * f->out_bytes;
    satf_status status = SATF_OK;
    for (int64_t first = 0; first < entries && !status; first += PIECE) {
        fill_piece(f, first, table, alphas);
        status = satf_work(ctx, SAMPLE_WORK * PIECE);
    }
    f->table = table;
    f->run = run_lookup;
    return status;
}
