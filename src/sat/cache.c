#include "cache.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"

#define FORMAT "satfilter tuning 1"
#define R_UNITS 1e9 /* r is written in billionths: whole numbers are the same in every locale */

enum { LINE_BYTES = 128, HEADER_BYTES = 512, FILE_BYTES = SAT_CACHE_CHOICES * LINE_BYTES + 1024 };

static const char *const sync_names[] = {"auto", "launch", "graph", "coop"};

const char *sat_sync_name(sat_sync sync)
{
    return sync_names[sync];
}

bool sat_sync_parse(const char *name, sat_sync *sync)
{
    for (size_t i = 0; i < sizeof sync_names / sizeof *sync_names; i++) {
        if (strcmp(name, sync_names[i]) == 0) {
            *sync = (sat_sync)i;
            return true;
        }
    }
    return false;
}

int sat_size_class(int64_t width, int64_t height)
{
    double pixels = (double)width * (double)height;
    int size_class = 0;
    for (; pixels >= 2; pixels /= 2) {
        size_class++;
    }
    return size_class;
}

const sat_choice *sat_cache_find(const sat_cache *cache, const sat_job *job, const char *row)
{
    const sat_choice *best = NULL;
    int size_class = sat_size_class(job->in.width, job->in.height), least = 0;
    for (int i = 0; i < cache->count; i++) {
        const sat_choice *choice = &cache->choice[i];
        bool meant = choice->in_type == job->in.type && choice->sum_type == job->sum_type &&
                     choice->f32_out == job->f32_out && choice->of_all == !row &&
                     (!row || strcmp(choice->row, row) == 0);
        int distance = abs(choice->size_class - size_class);
        /* between two that are as near, the larger image says more */
        if (meant && (!best || distance < least ||
                      (distance == least && choice->size_class > best->size_class))) {
            best = choice;
            least = distance;
        }
    }
    return best;
}

/* ----------------------------------------------------------------------- text */

static void print_header(const sat_cache_key *key, char *text, size_t bytes)
{
    snprintf(text, bytes, FORMAT "\ntable %016" PRIx64 "\ndevice %s\ndriver %s\n", key->signature,
             key->device, key->driver);
}

static const char *output_name(const sat_choice *choice)
{
    return choice->sum_type == SATF_SUM_U32   ? "u32"
           : choice->sum_type == SATF_SUM_U64 ? "u64"
           : choice->f32_out                  ? "f32"
                                              : "f64";
}

char *sat_cache_print(const sat_cache *cache, const sat_cache_key *key)
{
    char *text = satf_alloc(FILE_BYTES);
    if (!text) {
        return NULL;
    }
    print_header(key, text, HEADER_BYTES);
    char *end = text + strlen(text);
    for (int i = 0; i < cache->count; i++) {
        const sat_choice *c = &cache->choice[i];
        end += snprintf(end, LINE_BYTES, "%s %s %d %s %s %d %d %s %.0f\n",
                        satf_type_name(c->in_type), output_name(c), c->size_class,
                        c->of_all ? "all" : "own", c->row, c->tuning.tile, c->tuning.threads,
                        sync_names[c->tuning.sync], c->tuning.r * R_UNITS);
    }
    snprintf(end, LINE_BYTES, "end %d\n", cache->count); /* a file cut short lacks it */
    return text;
}

static bool parse_output(const char *name, sat_choice *choice)
{
    int type = satf_type_find(name);
    bool floats = satf_type_is_float(choice->in_type);
    choice->f32_out = type == SATF_F32;
    choice->sum_type = type == SATF_U32   ? SATF_SUM_U32
                       : type == SATF_U64 ? SATF_SUM_U64
                                          : SATF_SUM_F64;
    return type >= SATF_U32 && satf_type_is_float(type) == floats;
}

/* One line, without its end. */
static bool parse_choice(const char *line, sat_choice *choice)
{
    char in[8], out[8], scope[8], sync[8];
    int used = 0;
    long r;
    memset(choice, 0, sizeof *choice);
    if (sscanf(line, "%7s %7s %3d %7s %15s %4d %4d %7s %10ld%n", in, out, &choice->size_class,
               scope, choice->row, &choice->tuning.tile, &choice->tuning.threads, sync, &r,
               &used) != 9 ||
        line[used]) {
        return false;
    }
    choice->in_type = satf_type_find(in);
    choice->of_all = strcmp(scope, "all") == 0;
    choice->tuning.r = (double)r / R_UNITS;
    return choice->in_type >= 0 && parse_output(out, choice) && choice->size_class >= 0 &&
           choice->size_class <= 63 && (choice->of_all || strcmp(scope, "own") == 0) &&
           choice->tuning.tile >= 0 && choice->tuning.threads >= 0 &&
           sat_sync_parse(sync, &choice->tuning.sync) && r >= 0 && (double)r < R_UNITS;
}

bool sat_cache_parse(const char *text, const sat_cache_key *key, sat_cache *cache)
{
    char header[HEADER_BYTES], line[LINE_BYTES];
    print_header(key, header, sizeof header);
    size_t length = strlen(header);
    cache->count = 0;
    if (strncmp(text, header, length) != 0) {
        return false;
    }
    int count = 0;
    for (const char *at = text + length, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        length = (size_t)(end - at);
        if (length >= sizeof line) {
            return false;
        }
        memcpy(line, at, length);
        line[length] = '\0';
        if (strncmp(line, "end ", 4) == 0) {
            char wanted[LINE_BYTES];
            snprintf(wanted, sizeof wanted, "end %d", count);
            cache->count = strcmp(line, wanted) == 0 && !end[1] ? count : 0;
            return cache->count == count && !end[1] && strcmp(line, wanted) == 0;
        }
        if (count == SAT_CACHE_CHOICES || !parse_choice(line, &cache->choice[count])) {
            return false;
        }
        count++;
    }
    return false;
}

/* ----------------------------------------------------------------------- file */

static bool path_of(const char *name, char *path, size_t bytes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (cache && cache[0] == '/') { /* others are to be ignored, says the XDG specification */
        length = snprintf(path, bytes, "%s/satfilter/%s", cache, name);
    } else if (home && home[0] == '/') {
        length = snprintf(path, bytes, "%s/.cache/satfilter/%s", home, name);
    }
    return length > 0 && (size_t)length < bytes;
}

bool sat_cache_path(int device, char *path, size_t bytes)
{
    char name[32];
    snprintf(name, sizeof name, "tuning-cuda%d", satf_gpu_ordinal(device));
    return path_of(name, path, bytes);
}

bool sat_cache_load(const char *path, const sat_cache_key *key, sat_cache *cache)
{
    cache->count = 0;
    FILE *file = fopen(path, "r");
    char *text = file ? satf_alloc(FILE_BYTES + 1) : NULL;
    bool good = false;
    if (text) {
        size_t length = fread(text, 1, FILE_BYTES, file);
        text[length] = '\0';
        good = strlen(text) == length && sat_cache_parse(text, key, cache);
    }
    if (file) {
        fclose(file);
    }
    satf_free(text);
    return good;
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

enum { PATH_BYTES = 4096, TEMPORARY_BYTES = PATH_BYTES + 16 };

static satf_status fail_to_write(satf_context *ctx, const char *path)
{
    return satf_fail(ctx, SATF_IO, "%s cannot be written: %s", path, strerror(errno));
}

static void unlink_quietly(const char *path)
{
    int reason = errno;
    unlink(path);
    errno = reason;
}

/* A new file beside that of the path, whose folders are made. */
static satf_status make_temporary(satf_context *ctx, const char *path, char *temporary,
                                  int *descriptor)
{
    char folders[PATH_BYTES];
    if ((size_t)snprintf(folders, sizeof folders, "%s", path) >= sizeof folders) {
        return satf_fail(ctx, SATF_IO, "%.200s...: the path is too long", path);
    }
    make_folders(folders);
    snprintf(temporary, TEMPORARY_BYTES, "%s.XXXXXX", path);
    *descriptor = mkstemp(temporary);
    return *descriptor < 0 ? fail_to_write(ctx, path) : SATF_OK;
}

/* Closes the descriptor. */
static bool write_text(int descriptor, const char *text)
{
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return false;
    }
    bool good = fputs(text, file) >= 0 && fflush(file) == 0;
    return fclose(file) == 0 && good;
}

satf_status sat_cache_try(satf_context *ctx, const char *path)
{
    char temporary[TEMPORARY_BYTES];
    int descriptor;
    satf_status status = make_temporary(ctx, path, temporary, &descriptor);
    if (!status) {
        close(descriptor);
        unlink(temporary);
        *strrchr(temporary, '/') = '\0';
        rmdir(temporary); /* not if there is anything in it */
    }
    return status;
}

static satf_status replace(satf_context *ctx, const char *path, const char *text)
{
    char temporary[TEMPORARY_BYTES];
    int descriptor;
    satf_status status = make_temporary(ctx, path, temporary, &descriptor);
    if (!status && (!write_text(descriptor, text) || rename(temporary, path) != 0)) {
        unlink_quietly(temporary);
        status = fail_to_write(ctx, path);
    }
    return status;
}

satf_status sat_cache_save(satf_context *ctx, const char *path, const sat_cache_key *key,
                           const sat_cache *cache)
{
    char *text = sat_cache_print(cache, key);
    if (!text) {
        return satf_fail_memory(ctx, FILE_BYTES, "the tuner's cache");
    }
    satf_status status = replace(ctx, path, text);
    satf_free(text);
    return status;
}

/* ------------------------------------------------------------- the start of a device */

static const char start_name[] = "start-cuda";
static pthread_once_t once = PTHREAD_ONCE_INIT;
static double start_ms;

static void load_start(void)
{
    char path[PATH_BYTES], end;
    const char *mode = getenv("SATFILTER_TUNE");
    bool ignored = mode && strcmp(mode, "off") == 0;
    FILE *file = !ignored && path_of(start_name, path, sizeof path) ? fopen(path, "r") : NULL;
    int ms;
    if (file && fscanf(file, "%6d ms%c", &ms, &end) == 2 && end == '\n' && ms > 0) {
        start_ms = ms;
    }
    if (file) {
        fclose(file);
    }
}

double sat_cache_start_ms(void)
{
    pthread_once(&once, load_start);
    return start_ms;
}

satf_status sat_cache_save_start(satf_context *ctx, double ms)
{
    char path[PATH_BYTES], text[32];
    if (ms < 1 || ms > 999999 || !path_of(start_name, path, sizeof path)) {
        return SATF_OK; /* nothing that is worth keeping */
    }
    snprintf(text, sizeof text, "%.0f ms\n", ms);
    return replace(ctx, path, text);
}
