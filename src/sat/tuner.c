#include "tuner.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "../base/gpu.h"
#include "../base/view.h"
#include "rows.h"
#include "stages.h"

/* Reads each row and column once, in one kernel. */
static const char *const usual_row = "lookback";

/* ------------------------------------------------------------------ signature */

/* FNV-1a, 64 bits */
static void mix(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) {
        *hash = (*hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
}

static void mix_number(uint64_t *hash, int64_t number)
{
    mix(hash, &number, sizeof number);
}

static bool is_cuda(const sat_row *row)
{
    return strcmp(row->device_kind, "cuda") == 0;
}

sat_job sat_tuned_job(int pair, int64_t side)
{
    static const struct {
        satf_type in, out;
    } pairs[SAT_TUNED_PAIRS] = {
        {SATF_U8, SATF_U32}, {SATF_F32, SATF_F64}, {SATF_F64, SATF_F64}, {SATF_F32, SATF_F32},
        {SATF_U8, SATF_U64}, {SATF_U16, SATF_U32}, {SATF_U16, SATF_U64},
    };
    satf_type in = pairs[pair].in, out = pairs[pair].out;
    return (sat_job){
        .in = satf_view_packed(NULL, side, side, 1, in),
        .sum_type = satf_type_is_float(in) ? SATF_SUM_F64
                    : out == SATF_U32      ? SATF_SUM_U32
                                           : SATF_SUM_U64,
        .f32_out = out == SATF_F32,
        .out_stride = satf_view_packed(NULL, side, side, 1, out).stride,
    };
}

/* The names of the CUDA rows, their variants for all that is tuned, and the
 * version, with which kernels change. */
static uint64_t table_signature(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    mix(&hash, satf_version(), strlen(satf_version()));
    for (size_t r = 0; sat_row_at(r); r++) {
        const sat_row *row = sat_row_at(r);
        if (!is_cuda(row)) {
            continue;
        }
        mix(&hash, row->name, strlen(row->name) + 1);
        for (int pair = 0; pair < SAT_TUNED_PAIRS && row->variant; pair++) {
            sat_job job = sat_tuned_job(pair, 4096);
            job.in.device = SATF_CUDA(0);
            mix_number(&hash, pair);
            sat_tuning tuning;
            for (size_t i = 0; row->variant(&job, i, &tuning); i++) {
                mix_number(&hash, tuning.tile);
                mix_number(&hash, tuning.threads);
                mix_number(&hash, tuning.sync);
            }
        }
    }
    return hash;
}

bool sat_tuner_key(int device, sat_cache_key *key)
{
    satf_gpu_info info;
    if (!satf_cuda()->describe(device, &info)) {
        return false;
    }
    memset(key, 0, sizeof *key);
    key->signature = table_signature();
    memcpy(key->device, info.name, sizeof key->device);
    snprintf(key->driver, sizeof key->driver, "%s", info.driver);
    return true;
}

/* --------------------------------------------------------------- this process */

enum { DEVICES = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool loaded;
    sat_cache cache;
} * memory[DEVICES]; /* kept until the process ends, as the driver keeps its own */

/* Under the lock: the device's place, NULL if it has none. */
static sat_cache *place_of(int device, bool *loaded)
{
    int i = satf_gpu_ordinal(device);
    if (i < 0 || i >= DEVICES) {
        return NULL;
    }
    if (!memory[i]) {
        memory[i] = calloc(1, sizeof *memory[i]);
    }
    if (!memory[i]) {
        return NULL;
    }
    *loaded = memory[i]->loaded;
    memory[i]->loaded = true;
    return &memory[i]->cache;
}

void sat_tuner_remember(int device, const sat_cache *cache)
{
    bool loaded;
    pthread_mutex_lock(&lock);
    sat_cache *place = place_of(device, &loaded);
    if (place) {
        *place = *cache;
    }
    pthread_mutex_unlock(&lock);
}

/* What is remembered for the job; the file is read by the first call. */
static bool recall(const sat_job *job, const char *row, sat_choice *choice)
{
    bool loaded = true;
    pthread_mutex_lock(&lock);
    sat_cache *cache = place_of(job->in.device, &loaded);
    if (cache && !loaded) {
        char path[4096];
        sat_cache_key key;
        if (!sat_cache_path(job->in.device, path, sizeof path) ||
            !sat_tuner_key(job->in.device, &key) || !sat_cache_load(path, &key, cache)) {
            cache->count = 0;
        }
    }
    const sat_choice *found = cache ? sat_cache_find(cache, job, row) : NULL;
    if (found) {
        *choice = *found;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---------------------------------------------------------------- the variable */

typedef struct mode {
    bool off, random;
    uint64_t seed;
} mode;

static satf_status read_mode(satf_context *ctx, mode *m)
{
    const char *text = getenv("SATFILTER_TUNE");
    *m = (mode){0};
    if (!text || !*text) {
        return SATF_OK;
    }
    if (strcmp(text, "off") == 0) {
        m->off = true;
        return SATF_OK;
    }
    if (strncmp(text, "random:", 7) == 0 && text[7] >= '0' && text[7] <= '9') {
        char *end;
        errno = 0;
        m->seed = strtoull(text + 7, &end, 10);
        m->random = !*end && !errno;
    }
    return m->random ? SATF_OK
                     : satf_fail(ctx, SATF_INVALID,
                                 "SATFILTER_TUNE=%.40s cannot be honoured: it is neither off nor "
                                 "random:SEED",
                                 text);
}

/* --------------------------------------------------------------------- choices */

bool sat_row_has_sync(const sat_row *row, const sat_job *job, sat_sync sync)
{
    sat_tuning tuning;
    for (size_t i = 0; row->variant && row->variant(job, i, &tuning); i++) {
        if (tuning.sync == sync) {
            return true;
        }
    }
    return false;
}

/* Fills the members that are 0. */
static void fill_in(sat_tuning *tuning, const sat_tuning *from)
{
    tuning->tile = tuning->tile ? tuning->tile : from->tile;
    tuning->threads = tuning->threads ? tuning->threads : from->threads;
    tuning->sync = tuning->sync ? tuning->sync : from->sync;
    tuning->r = tuning->r > 0 ? tuning->r : from->r;
}

static const char *refusal(const sat_row *row, const sat_job *job, const sat_tuning *tuning)
{
    sat_job tuned = *job;
    tuned.tuning = *tuning;
    return row->refuses(&tuned);
}

/* A row that can do the job, and one of its variants, as the dice fall. */
static const sat_row *throw_dice(const sat_row *forced, const sat_job *job, uint64_t seed,
                                 sat_tuning *tuning)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const int64_t facts[] = {(int64_t)seed,        job->in.width, job->in.height,
                             job->in.channels,     job->in.type,  (int64_t)job->sum_type,
                             (int64_t)job->summand};
    mix(&hash, facts, sizeof facts);
    const sat_row *rows[64];
    size_t count = 0;
    for (size_t r = 0; sat_row_at(r) && count < sizeof rows / sizeof *rows; r++) {
        const sat_row *row = sat_row_at(r);
        if (is_cuda(row) && (!forced || row == forced) && !refusal(row, job, &(sat_tuning){0})) {
            rows[count++] = row;
        }
    }
    if (!count) {
        return forced;
    }
    const sat_row *row = rows[(hash >> 40) % count];
    sat_tuning variant, chosen = {0};
    size_t variants = 0;
    while (row->variant && row->variant(job, variants, &variant)) {
        variants++;
    }
    if (variants) {
        row->variant(job, (hash >> 16) % variants, &chosen);
    }
    if (row->has_r) {
        chosen.r = (double)(1 + hash % 998) / 1000;
    }
    sat_tuning full = *tuning;
    fill_in(&full, &chosen);
    if (!refusal(row, job, &full)) {
        *tuning = full;
    }
    return row;
}

/* lookback, or the first that does what it refuses. */
static const sat_row *default_row(const sat_job *job)
{
    const sat_row *usual = sat_row_find(usual_row, "cuda");
    for (size_t r = 0; sat_row_at(r) && (!usual || refusal(usual, job, &(sat_tuning){0})); r++) {
        usual = is_cuda(sat_row_at(r)) ? sat_row_at(r) : usual;
    }
    return usual;
}

/* What is remembered, if the row still can: a cache is advice. */
static const sat_row *take_advice(const sat_row *forced, const sat_job *job, sat_tuning *tuning)
{
    sat_choice choice;
    if (!recall(job, forced ? forced->name : NULL, &choice)) {
        return NULL;
    }
    const sat_row *row = sat_row_find(choice.row, "cuda");
    sat_tuning advised = *tuning;
    if (job->in.channels > 1 || job->summand != SATF_SUMMAND_PLAIN) { /* as none was measured */
        choice.tuning.tile = choice.tuning.threads = 0;
    }
    fill_in(&advised, &choice.tuning);
    if (!row || refusal(row, job, &advised)) {
        return NULL;
    }
    *tuning = advised;
    return row;
}

/* What is forced must be possible, or is named. */
static satf_status honour(satf_context *ctx, const sat_job *job, const sat_row *row,
                          const sat_tuning *forced, const sat_tuning *tuning)
{
    if (forced->r > 0 && !row->has_r) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "r = %g cannot be honoured: algorithm %s has none, 1+r has", forced->r,
                         row->name);
    }
    if (forced->sync && !sat_row_has_sync(row, job, forced->sync)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "sync %s cannot be honoured: algorithm %s has no such barriers for this "
                         "image",
                         sat_sync_name(forced->sync), row->name);
    }
    const char *reason = refusal(row, job, tuning);
    if (reason) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "algorithm %s cannot be used: %s", row->name,
                         reason);
    }
    return SATF_OK;
}

/* The row of the context's algorithm; NULL for auto. */
static satf_status find_forced(satf_context *ctx, const sat_row **row)
{
    *row = NULL;
    if (strcmp(ctx->settings.algorithm, "auto") == 0) {
        return SATF_OK;
    }
    *row = sat_row_find(ctx->settings.algorithm, "cuda");
    if (*row) {
        return SATF_OK;
    }
    char names[256];
    sat_algorithm_names("cuda", names, sizeof names);
    return satf_fail(ctx, SATF_UNSUPPORTED,
                     "algorithm %s cannot be used: it runs on the CPU and the image is in CUDA "
                     "memory; there, there are: auto %s",
                     ctx->settings.algorithm, names);
}

/* An r that nobody has given, and how stages wait: what is reckoned to take least time. */
static void reckon_r(const sat_row *row, const sat_job *job, sat_tuning *tuning)
{
    sat_job asking = *job;
    sat_tuning shape = *tuning;
    asking.tuning = *tuning;
    if (!shape.tile && !(row->variant && row->variant(&asking, 0, &shape))) {
        return;
    }
    sat_stage_device device = {0};
    satf_cuda()->speed(job->in.device, &device.clock_khz, &device.bytes_per_second);
    int64_t across = (job->in.width - 1) / shape.tile + 1;
    int64_t down = (job->in.height - 1) / shape.tile + 1;
    size_t sum = job->f32_out ? sizeof(float) : satf_sum_bytes(job->sum_type);
    /* Samples are of the table's type, or have been widened to it. */
    double bytes = 2 * (double)shape.tile * shape.tile * (double)sum;
    sat_stage_costs costs = sat_stage_costs_of(&device, bytes);
    int64_t side = sat_best_side(&costs, across, down, job->in.channels, &tuning->sync);
    double share = (double)side / (double)(across < down ? across : down);
    tuning->r = share * share;
}

satf_status sat_tune(satf_context *ctx, const sat_job *job, const sat_row **row, sat_tuning *tuning)
{
    mode m;
    const sat_row *forced_row, *chosen = NULL;
    satf_status status = read_mode(ctx, &m);
    if (!status) {
        status = find_forced(ctx, &forced_row);
    }
    if (status) {
        return status;
    }
    sat_tuning forced = job->tuning;
    fill_in(&forced, &(sat_tuning){.sync = (sat_sync)ctx->settings.sync, .r = ctx->settings.r});
    sat_tuning full = forced;
    if (m.random) {
        chosen = throw_dice(forced_row, job, m.seed, &full);
    } else if (!m.off) {
        chosen = take_advice(forced_row, job, &full);
    }
    if (!chosen) {
        chosen = forced_row ? forced_row : default_row(job);
    }
    if (!chosen) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "this build has no algorithm for images in CUDA memory");
    }
    status = honour(ctx, job, chosen, &forced, &full);
    if (!status && chosen->has_r && full.r == 0) {
        reckon_r(chosen, job, &full);
    }
    if (!status) {
        *row = chosen;
        *tuning = full;
    }
    return status;
}

satf_status satf_context_set_sync(satf_context *ctx, const char *name)
{
    sat_sync sync;
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!name || !sat_sync_parse(name, &sync)) {
        return satf_fail(ctx, SATF_INVALID, "sync '%.40s' is none of auto, launch, graph and coop",
                         name ? name : "");
    }
    ctx->settings.sync = (int)sync;
    return SATF_OK;
}
