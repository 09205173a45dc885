/*
 * Tables of tables: calls on one stream with nobody waiting between them. Each reads what the one
 * before has stored, or stores over what it has read, in the same scratch, while kernels start as
 * those before them end.
 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "../../src/base/view.h"

/* Turns take the two images alternately, so that what is left of the turn before is wrong. */
enum { TURNS = 5, IMAGES = 2 };

typedef struct queue_case {
    satf_type type;
    int32_t channels;
    int64_t width, height;
} queue_case;

/* Few enough pixels that all sums of sums are exact. */
static const queue_case cases[] = {
    {SATF_F32, 1, 97, 61},   {SATF_F32, 3, 83, 59},     {SATF_F64, 1, 97, 61},
    {SATF_F64, 3, 700, 531}, {SATF_F64, 1, 2400, 2099}, {SATF_F64, 1, 40, 4001},
};

enum { CASES = sizeof cases / sizeof cases[0], SMALL_CASES = 3 };

static void fill(const satf_view *view, unsigned seed)
{
    int64_t samples = satf_row_samples(view) * view->height;
    for (int64_t i = 0; i < samples; i++) {
        uint32_t bit = (uint32_t)(i + seed) * 2654435761u >> 31;
        if (view->type == SATF_F32) {
            ((float *)view->data)[i] = (float)bit;
        } else {
            ((double *)view->data)[i] = bit;
        }
    }
}

static satf_view host_view(const queue_case *c)
{
    satf_view view = satf_view_packed(NULL, c->width, c->height, c->channels, c->type);
    view.data = malloc((size_t)(view.stride * view.height));
    assert_non_null(view.data);
    return view;
}

static void check_queue(const queue_case *c, const char *algorithm, const char *sync)
{
    satf_view image[IMAGES], there[IMAGES], want = host_view(c), got = host_view(c), table, second;
    void *memory[IMAGES + 2];
    size_t bytes = (size_t)(want.stride * want.height);
    for (unsigned i = 0; i < IMAGES; i++) {
        image[i] = host_view(c);
        fill(&image[i], i * 1000);
        there[i] = gpu_view(gpu, &image[i], 0, 0, false, &memory[i]);
        gpu_must(gpu, satf_gpu_copy_bytes(gpu, GPU_DEVICE, there[i].data, image[i].data, bytes));
    }
    table = gpu_view(gpu, &want, 0, 0, false, &memory[IMAGES]);
    second = gpu_view(gpu, &want, 0, 0, false, &memory[IMAGES + 1]);
    gpu_must(gpu, satf_gpu_wait(gpu, GPU_DEVICE));
    for (unsigned turn = 0; turn < TURNS; turn++) {
        gpu_must_do(gpu, satf_sat(gpu, &there[turn % IMAGES], &table, 0), algorithm);
        gpu_must_do(gpu, satf_sat(gpu, &table, &second, 0), algorithm);
    }
    gpu_must(gpu, satf_gpu_copy_bytes(gpu, GPU_DEVICE, got.data, second.data, bytes));
    gpu_must(gpu, satf_gpu_wait(gpu, GPU_DEVICE));
    const satf_view *last = &image[(TURNS - 1) % IMAGES], *other = &image[TURNS % IMAGES];
    gpu_must(cpu, satf_sat(cpu, last, other, 0));
    gpu_must(cpu, satf_sat(cpu, other, &want, 0));
    if (memcmp(got.data, want.data, bytes) != 0) {
        fail_msg("%s, %s: %s, %d x %d, %d channels: a wrong table of a table", algorithm, sync,
                 satf_type_name(c->type), (int)c->width, (int)c->height, (int)c->channels);
    }
    gpu_runs++;
    for (unsigned i = 0; i < IMAGES + 2; i++) {
        satf_gpu_free(gpu, memory[i]);
    }
    free(image[0].data);
    free(image[1].data);
    free(want.data);
    free(got.data);
}

static void test_queues(void **unused)
{
    (void)unused;
    static const char *const syncs[] = {"auto", "launch", "graph", "coop"};
    const char *name, *kind;
    unsigned staged = 0, rows = 0;
    for (size_t r = 0; (name = satf_algorithm(r, &kind, NULL)); r++) {
        if (strcmp(kind, "cuda") != 0) {
            continue;
        }
        rows++;
        assert_int_equal(satf_context_set_algorithm(gpu, name), SATF_OK);
        for (unsigned s = 0; s < sizeof syncs / sizeof syncs[0]; s++) {
            assert_int_equal(satf_context_set_sync(gpu, syncs[s]), SATF_OK);
            size_t scratch;
            satf_view view = satf_view_packed(NULL, 64, 64, 1, SATF_F64);
            view.device = GPU_DEVICE;
            satf_status status = satf_sat_scratch(gpu, &view, &view, 0, &scratch);
            if (status == SATF_UNSUPPORTED && s > 0) {
                gpu_refused++; /* no stages */
                continue;
            }
            gpu_must_do(gpu, status, name);
            staged += s > 0;
            for (unsigned i = 0; i < (gpu_small ? SMALL_CASES : CASES); i++) {
                check_queue(&cases[i], name, syncs[s]);
            }
        }
        assert_int_equal(satf_context_set_sync(gpu, "auto"), SATF_OK);
    }
    assert_int_equal(satf_context_set_algorithm(gpu, "auto"), SATF_OK);
    assert_true(rows >= 8 && staged >= 9); /* 4R1W, 1R1W and (1+r)R1W in three ways */
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues),
    };
    return gpu_test_end("test_gpu_queue", cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
