/* The files of measured tunings: reading, checking and replacing them. */
#include "cache.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/cpu.h"
#include "../base/device/gpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"

#define FORMAT "satfilter tuning 2"
#define R_UNITS 1e9 /* r is written in billionths: whole numbers are the same in every locale */

enum {
    HEADER_LINES = 5,
    LINE_BYTES = 64,
    FILE_BYTES = SAT_TUNED * LINE_BYTES + 1024,
    PATH_BYTES = 4096
};

sat_job sat_tuned_job(int i)
{
    static const int sides[SAT_TUNED_SIDES] = {1024, 2048,  3072,  4096,  5120,  6144, 7168,
                                               8192, 10240, 12288, 14336, 16384, 18432};
    static const struct {
        satf_type in, out;
    } pairs[SAT_TUNED_PAIRS] = {
        {SATF_U8, SATF_U32}, {SATF_F32, SATF_F64}, {SATF_F64, SATF_F64}, {SATF_F32, SATF_F32},
        {SATF_U8, SATF_U64}, {SATF_U16, SATF_U32}, {SATF_U16, SATF_U64},
    };
    int side = sides[i / SAT_TUNED_PAIRS], pair = i % SAT_TUNED_PAIRS;
    satf_view in = satf_view_packed(NULL, side, side, 1, pairs[pair].in);
    satf_view out = satf_view_packed(NULL, side, side, 1, pairs[pair].out);
    return sat_job_of(&in, &out);
}

bool sat_cache_sign(const satf_context *ctx, int device, sat_cache *cache)
{
    satf_gpu_info info;
    size_t room = sizeof cache->table;
    size_t used = (size_t)snprintf(cache->table, room, "%s", satf_version());
    if (device == SATF_HOST) {
        satf_cpu_name(cache->device, sizeof cache->device);
        snprintf(cache->driver, sizeof cache->driver, "%s, %d threads",
                 satf_isa_name(satf_cpu_isa()), satf_thread_count(ctx));
        return true;
    }
    const sat_algorithm *algorithm = sat_algorithm_find("1+r", "cuda");
    for (int i = 0; algorithm && algorithm->variant && i < SAT_TUNED_PAIRS && used < room; i++) {
        sat_tuning blocks = {0};
        sat_job job = sat_tuned_job(i);
        job.in.device = device;
        algorithm->variant(&job, 0, &blocks);
        used += (size_t)snprintf(cache->table + used, room - used, " %d/%d", blocks.tile,
                                 blocks.threads);
    }
    if (!satf_cuda()->describe(device, &info)) {
        return false;
    }
    memcpy(cache->device, info.name, sizeof cache->device);
    memcpy(cache->driver, info.driver, sizeof cache->driver);
    return true;
}

/* ----------------------------------------------------------------------- text */

char *sat_cache_print(const sat_cache *cache)
{
    char *text = satf_alloc(FILE_BYTES);
    if (!text) {
        return NULL;
    }
    char *end =
        text + snprintf(text, FILE_BYTES, FORMAT "\ntable %s\ndevice %s\ndriver %s\nstart %d\n",
                        cache->table, cache->device, cache->driver, cache->start_ms);
    for (int i = 0; i < SAT_TUNED; i++) {
        sat_job job = sat_tuned_job(i);
        end += snprintf(end, LINE_BYTES, "%s %s %lld %.0f\n", satf_type_name(job.in.type),
                        satf_type_name(sat_table_type(&job)), (long long)job.in.width,
                        cache->r[i] * R_UNITS);
    }
    return text;
}

/* Reads what it can. If that, printed anew, is the text, nothing else was in the text. */
bool sat_cache_parse(const char *text, sat_cache *cache)
{
    const char *at = text;
    memset(cache, 0, sizeof *cache);
    sscanf(text, FORMAT " table %127[^\n] device %255[^\n] driver %63[^\n] start %6d", cache->table,
           cache->device, cache->driver, &cache->start_ms);
    for (int i = -HEADER_LINES, r; at && i < SAT_TUNED; i++) {
        if (i >= 0 && sscanf(at, "%*7s %*7s %*6d %9d", &r) == 1 && r > 0) {
            cache->r[i] = r / R_UNITS;
        }
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    char *again = sat_cache_print(cache);
    bool good = again && cache->start_ms >= 0 && strcmp(again, text) == 0;
    satf_free(again);
    if (!good) {
        memset(cache, 0, sizeof *cache);
    }
    return good;
}

/* ----------------------------------------------------------------------- file */

bool sat_cache_path(int device, char *path, size_t bytes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool given = cache && cache[0] == '/'; /* others are to be ignored, says the specification */
    const char *base = given ? cache : home;
    char name[32] = "cpu";
    if (device != SATF_HOST) {
        snprintf(name, sizeof name, "cuda%d", satf_gpu_ordinal(device));
    }
    int length = snprintf(path, bytes, "%s%s/satfilter/tuning-%s", base ? base : "",
                          given ? "" : "/.cache", name);
    return base && base[0] == '/' && (size_t)length < bytes;
}

/* Loads the device's file; false unless it is there and whole. */
static bool cache_load(int device, sat_cache *cache)
{
    char path[PATH_BYTES], text[FILE_BYTES + 1];
    FILE *file = sat_cache_path(device, path, sizeof path) ? fopen(path, "re") : NULL;
    size_t length = file ? fread(text, 1, FILE_BYTES, file) : 0;
    text[length] = '\0';
    if (file) {
        fclose(file);
    }
    return strlen(text) == length && sat_cache_parse(text, cache);
}

/* Makes every folder of the path that is missing. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); /* one that is there, or cannot be made, shows when the file is opened */
        *slash = '/';
    }
}

/* Replaces the file by the text, with a rename. NULL: only tells whether that could be done. */
static satf_status replace(satf_context *ctx, const char *path, const char *text)
{
    char temporary[PATH_BYTES];
    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary) {
        return satf_fail(ctx, SATF_IO, "%.*s...: the path is too long", SATF_MOST(path, 200));
    }
    make_folders(temporary);
    int descriptor = mkstemp(temporary);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    bool good = file && fputs(text ? text : "", file) >= 0;
    good = file && fclose(file) == 0 && good && (!text || rename(temporary, path) == 0);
    satf_status status =
        good ? SATF_OK : satf_fail(ctx, SATF_IO, "%s cannot be written: %s", path, strerror(errno));
    if (descriptor >= 0 && !file) {
        close(descriptor);
    }
    if (descriptor >= 0 && !(good && text)) {
        unlink(temporary);
    }
    if (!text) {
        *strrchr(temporary, '/') = '\0';
        rmdir(temporary); /* not if there is anything in it */
    }
    return status;
}

/* --------------------------------------------------------------- this process */

enum { DEVICES = 64 }; /* the CPU among them */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int threads; /* of the CPU, that the file holds for; 0: it is not read yet */
    double r[SAT_TUNED];
} memory[DEVICES];

/* Under the lock: what the device's file holds. The first call reads it, for the CPU again whenever
 * the number of threads has changed. A file with another signature counts as absent. */
static const double *recall(const satf_context *ctx, int device)
{
    sat_cache cache, own = {0};
    int threads = device == SATF_HOST ? satf_thread_count(ctx) : 1;
    if (memory[device].threads != threads) {
        memory[device].threads = threads;
        if (!cache_load(device, &cache) || !sat_cache_sign(ctx, device, &own) ||
            strcmp(own.table, cache.table) != 0 || strcmp(own.device, cache.device) != 0 ||
            strcmp(own.driver, cache.driver) != 0) {
            memset(&cache, 0, sizeof cache);
        }
        memcpy(memory[device].r, cache.r, sizeof cache.r);
    }
    return memory[device].r;
}

/* The r that was measured for the job's types at the nearest size, by the factor between sizes. */
static double nearest(const double measured[SAT_TUNED], const sat_job *job)
{
    double side = sqrt((double)job->in.width * (double)job->in.height), r = 0, least = INFINITY;
    for (int i = 0; i < SAT_TUNED; i++) {
        sat_job tuned = sat_tuned_job(i);
        double factor = fabs(log(side / (double)tuned.in.width));
        if (measured[i] > 0 && tuned.in.type == job->in.type && tuned.sum_type == job->sum_type &&
            tuned.f32_out == job->f32_out && factor < least) {
            least = factor;
            r = measured[i];
        }
    }
    return r;
}

/* Whether SATFILTER_TUNE says that nothing was measured. */
static bool is_off(void)
{
    const char *mode = getenv("SATFILTER_TUNE");
    return mode && strcmp(mode, "off") == 0;
}

satf_status sat_cache_find(satf_context *ctx, const sat_job *job, double *r)
{
    const char *mode = getenv("SATFILTER_TUNE");
    *r = 0;
    if (mode && *mode && !is_off()) {
        return satf_fail(ctx, SATF_INVALID, "SATFILTER_TUNE=%.*s cannot be honoured: it is not off",
                         SATF_MOST(mode, 40));
    }
    if (!is_off() && job->in.device < DEVICES && job->in.channels == 1 && !job->tuning.tile &&
        !job->tuning.threads) {
        pthread_mutex_lock(&lock);
        *r = nearest(recall(ctx, job->in.device), job);
        pthread_mutex_unlock(&lock);
    }
    return SATF_OK;
}

satf_status sat_cache_save(satf_context *ctx, int device, sat_cache *cache, bool trial)
{
    char path[PATH_BYTES], *text = NULL;
    if (!sat_cache_path(device, path, sizeof path)) {
        return satf_fail(ctx, SATF_IO,
                         "there is no place for the cache: set XDG_CACHE_HOME or HOME");
    }
    if (!sat_cache_sign(ctx, device, cache)) {
        return satf_fail(ctx, SATF_NO_DEVICE, "CUDA device %d does not answer",
                         satf_gpu_ordinal(device));
    }
    if (!trial && !(text = sat_cache_print(cache))) {
        return satf_fail_memory(ctx, FILE_BYTES, "the tuner's cache");
    }
    satf_status status = replace(ctx, path, text);
    satf_free(text);
    if (!trial && device < DEVICES) {
        pthread_mutex_lock(&lock);
        memory[device].threads = 0;
        pthread_mutex_unlock(&lock);
    }
    return status;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static double start_ms;

static void load_start(void)
{
    sat_cache cache;
    start_ms = !is_off() && cache_load(SATF_CUDA(0), &cache) ? cache.start_ms : 0;
}

double sat_cache_start_ms(void)
{
    pthread_once(&once, load_start);
    return start_ms;
}
