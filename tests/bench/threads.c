/*
 * Small images on all threads, which is the default, beside one thread: sharing must not cost
 * more than it gains. The two take turns, sample by sample, and of each the shortest counts, so
 * that whatever else the machine does meets both.
 *
 *   threads [ROUNDS [PAUSE_US]]     PAUSE_US: between calls, so that threads fall asleep
 *
 * Prints microseconds a call; fails where all threads take more than 1.1 times as long as one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <satfilter.h>

#define ALLOWED 1.1
#define SAMPLE_US 2000.0 /* calls are repeated until they take so long, without pauses */

typedef struct test_case {
    const char *spec; /* of the filter; NULL: a table */
    int64_t width, height;
    int channels;
    satf_type in, out;
} test_case;

static const test_case cases[] = {
    {NULL, 64, 64, 1, SATF_U8, SATF_U32},
    {NULL, 320, 240, 1, SATF_U8, SATF_U32},
    {NULL, 640, 480, 1, SATF_U8, SATF_U32},
    {NULL, 1920, 1080, 1, SATF_U8, SATF_U32},
    {NULL, 2560, 1440, 1, SATF_U8, SATF_U32},
    {NULL, 1920, 1080, 3, SATF_U8, SATF_U32},
    {NULL, 3840, 2160, 1, SATF_U8, SATF_U32},
    {NULL, 1920, 1080, 1, SATF_F32, SATF_F64},
    {NULL, 4096, 4096, 1, SATF_U8, SATF_U32},
    {NULL, 4096, 2048, 1, SATF_F32, SATF_F64},
    {NULL, 1920, 1080, 1, SATF_U8, SATF_U64},
    {NULL, 3000, 2000, 3, SATF_U8, SATF_U32},
    {"box=15", 64, 64, 1, SATF_U8, SATF_U8},
    {"box=15", 256, 256, 1, SATF_U8, SATF_U8},
    {"box=15", 320, 240, 1, SATF_U8, SATF_U8},
    {"box=15", 640, 480, 1, SATF_U8, SATF_U8},
    {"box=15", 1920, 1080, 1, SATF_U8, SATF_U8},
    {"box=15", 640, 480, 3, SATF_U8, SATF_U8},
    {"box=3", 640, 480, 1, SATF_U8, SATF_U8},
    {"box=63", 640, 480, 1, SATF_U8, SATF_U8},
    {"box=15", 256, 256, 1, SATF_F32, SATF_F32},
    {"box=15", 640, 480, 1, SATF_F32, SATF_F32},
    {"variance=15", 256, 256, 1, SATF_U8, SATF_F32},
    {"variance=15", 640, 480, 1, SATF_U8, SATF_F32},
    {"flip=h", 256, 256, 1, SATF_U8, SATF_U8},
    {"flip=h", 1920, 1080, 1, SATF_U8, SATF_U8},
    {"rotate=90", 640, 480, 1, SATF_U8, SATF_U8},
    {"rotate=90", 1920, 1080, 1, SATF_U8, SATF_U8},
};

static void check(const satf_context *ctx, satf_status status)
{
    if (status != SATF_OK) {
        fprintf(stderr, "threads: %s\n", satf_message(ctx));
        exit(2);
    }
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void *make_image(int64_t samples, satf_type type)
{
    void *memory = aligned_alloc(64, ((size_t)samples * 8 + 63) / 64 * 64);
    if (!memory) {
        exit(2);
    }
    memset(memory, 0, (size_t)samples * 8);
    for (int64_t i = 0; i < samples; i++) {
        if (type == SATF_F32) {
            ((float *)memory)[i] = (float)(rand() % 1000) / 7;
        } else {
            ((unsigned char *)memory)[i] = (unsigned char)(rand() >> 8);
        }
    }
    return memory;
}

static void call(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                 const satf_view *out)
{
    check(ctx, filter ? satf_filter_apply(ctx, filter, in, out) : satf_sat(ctx, in, out, 0));
}

/* Microseconds a call, of `calls` of them. */
static double sample(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                     const satf_view *out, int calls, unsigned pause_us)
{
    double spent = 0;
    for (int i = 0; i < calls; i++) {
        double start = now_us();
        call(ctx, filter, in, out);
        for (; !pause_us && i + 1 < calls; i++) {
            call(ctx, filter, in, out);
        }
        spent += now_us() - start;
        if (pause_us) {
            usleep(pause_us);
        }
    }
    return spent / calls;
}

static int compare(const test_case *c, satf_context *const *contexts, int rounds, unsigned pause_us)
{
    bool turned = c->spec && strncmp(c->spec, "rotate", 6) == 0;
    int64_t samples = c->width * c->height * c->channels;
    satf_view in =
        satf_view_packed(make_image(samples, c->in), c->width, c->height, c->channels, c->in);
    satf_view out = satf_view_packed(make_image(samples, c->out), turned ? c->height : c->width,
                                     turned ? c->width : c->height, c->channels, c->out);
    satf_filter *filter = NULL;
    if (c->spec) {
        check(contexts[0], satf_filter_parse(contexts[0], c->spec, &filter));
    }
    double least[2] = {1e99, 1e99};
    int calls = 1 + (int)(SAMPLE_US / (1 + sample(contexts[0], filter, &in, &out, 3, 0)));
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < 2; k++) {
            double us = sample(contexts[k], filter, &in, &out, pause_us ? 4 : calls, pause_us);
            least[k] = us < least[k] ? us : least[k];
        }
    }
    double ratio = least[1] / least[0];
    printf("%-12s %5lld x %-5lld %d %-3s %-3s %10.1f %10.1f %6.2f%s\n", c->spec ? c->spec : "table",
           (long long)c->width, (long long)c->height, c->channels, satf_type_name(c->in),
           satf_type_name(c->out), least[0], least[1], ratio, ratio > ALLOWED ? "  too slow" : "");
    satf_filter_destroy(filter);
    free(in.data);
    free(out.data);
    return ratio > ALLOWED;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 40, slow = 0;
    unsigned pause_us = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    satf_context *contexts[2];
    for (int k = 0; k < 2; k++) {
        check(NULL, satf_context_create(&contexts[k]));
        check(contexts[k], satf_context_set_device(contexts[k], SATF_HOST));
        check(contexts[k], satf_context_set_threads(contexts[k], k == 0 ? 1 : 0));
    }
    printf("%41s %10s %6s\n", "us, 1", "us, all", "ratio");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slow += compare(&cases[i], contexts, rounds, pause_us);
    }
    for (int k = 0; k < 2; k++) {
        satf_context_destroy(contexts[k]);
    }
    return slow ? 1 : 0;
}
