/*
 * Tables of tables: calls on one stream with nobody waiting between them. Each reads what the one
 * before has stored, or stores over what that has read, in the same scratch, while kernels start as
 * those before them end, or, under stress, before these have done anything.
 */
#include "program.h"

#include "cuda/sat/stress.h"
#include "base/view.h"

/* Turns take the two images alternately, so that what is left of the turn before is wrong. */
enum { TURNS = 4, IMAGES = 2, FEW_ONES = 3 };

typedef struct queue_case {
    satf_type type;
    int32_t channels;
    int64_t width, height;
    bool sparse; /* ones: FEW_ONES of them, not every second sample */
} queue_case;

/* All sums of sums are exact. The large ones are in look-back's large blocks, by the copy engine
 * and sent for by warps. */
static const queue_case cases[] = {
    {SATF_F32, 1, 97, 61, false},    {SATF_F32, 3, 83, 59, false},
    {SATF_F64, 1, 97, 61, false},    {SATF_F64, 3, 700, 531, false},
    {SATF_F64, 1, 40, 4001, false},  {SATF_F64, 1, 2560, 2112, false},
    {SATF_F64, 1, 2561, 2112, true}, {SATF_F32, 1, 2560, 2112, true},
};

enum { CASES = sizeof cases / sizeof cases[0], SMALL_CASES = 3 };

static void fill(const queue_case *c, const satf_view *view, unsigned seed)
{
    int64_t samples = satf_row_samples(view) * view->height;
    for (int64_t i = 0; i < samples; i++) {
        bool first = (i + seed) % 3 == 0 && i < 3 * FEW_ONES;
        uint32_t one = c->sparse ? first : (uint32_t)(i + seed) * 2654435761u >> 31;
        if (view->type == SATF_F32) {
            ((float *)view->data)[i] = (float)one;
        } else {
            ((double *)view->data)[i] = one;
        }
    }
}

static satf_view host_view(const queue_case *c)
{
    satf_view like = satf_view_packed(NULL, c->width, c->height, c->channels, c->type);
    return gpu_host_view(&like);
}

/* first: the algorithm of the tables, which those of the tables of them follow. */
static void check_queue(const queue_case *c, const char *first, const char *name, const char *sync)
{
    satf_view image[IMAGES], there[IMAGES], want[IMAGES], table, second[TURNS];
    ON_HOST satf_view got = host_view(c);
    void *memory[IMAGES + TURNS + 1];
    int used = 0;
    size_t bytes = (size_t)(got.stride * got.height);
    for (unsigned i = 0; i < IMAGES; i++) {
        image[i] = host_view(c);
        want[i] = host_view(c);
        fill(c, &image[i], i);
        there[i] = gpu_view(gpu, &image[i], 0, 0, false, &memory[used++]);
        gpu_upload(there[i].data, image[i].data, bytes);
        MUST(cpu, satf_sat(cpu, &image[i], &got, 0));
        MUST(cpu, satf_sat(cpu, &got, &want[i], 0));
    }
    table = gpu_view(gpu, &got, 0, 0, false, &memory[used++]);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        second[turn] = gpu_view(gpu, &got, 0, 0, false, &memory[used++]);
    }
    MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
    for (unsigned turn = 0; turn <= TURNS; turn++) {
        MUST(gpu, satf_context_set_algorithm(gpu, first));
        MUST(gpu, satf_context_set_sync(gpu, strcmp(first, name) ? "auto" : sync));
        gpu_must_do(gpu, satf_sat(gpu, &there[turn % IMAGES], &table, 0), first);
        MUST(gpu, satf_context_set_algorithm(gpu, name));
        MUST(gpu, satf_context_set_sync(gpu, sync));
        for (int again = 0; again < 2 && turn < TURNS; again++) { /* a graph is replayed */
            gpu_must_do(gpu, satf_sat(gpu, &table, &second[turn], 0), name);
        }
    }
    for (unsigned turn = 0; turn < TURNS; turn++) {
        gpu_download(got.data, second[turn].data, bytes);
        if (memcmp(got.data, want[turn % IMAGES].data, bytes) != 0) {
            fail_msg("%s behind %s, %s: %s, %d x %d, %d channels, turn %u: a wrong table", name,
                     first, sync, satf_type_name(c->type), (int)c->width, (int)c->height,
                     (int)c->channels, turn);
        }
        gpu_runs++;
    }
    while (used) {
        satf_cuda()->free(gpu, memory[--used]);
    }
    for (unsigned i = 0; i < IMAGES; i++) {
        free(image[i].data);
        free(want[i].data);
    }
}

/* Whether the algorithm has stages that wait so; it has been set. */
static bool takes_sync(const char *name, const char *sync)
{
    satf_view view = satf_view_packed(NULL, 64, 64, 1, SATF_F64);
    size_t scratch;
    view.device = GPU_DEVICE;
    MUST(gpu, satf_context_set_sync(gpu, sync));
    satf_status status = satf_sat_scratch(gpu, &view, &view, 0, &scratch);
    if (status != SATF_UNSUPPORTED) {
        gpu_must_do(gpu, status, name);
    }
    return status == SATF_OK;
}

static void check_rows(bool stress)
{
    static const char *const syncs[] = {"auto", "launch", "graph", "coop"};
    const char *name, *kind;
    unsigned staged = 0, rows = 0;
    gpu_stress(stress ? SAT_STRESS_EARLY : SAT_STRESS_NONE);
    for (size_t r = 0; (name = satf_algorithm(r, &kind, NULL)); r++) {
        if (strcmp(kind, "cuda") != 0) {
            continue;
        }
        rows++;
        for (unsigned s = 0; s < sizeof syncs / sizeof syncs[0]; s++) {
            MUST(gpu, satf_context_set_algorithm(gpu, name));
            if (!takes_sync(name, syncs[s])) {
                assert_int_not_equal(s, 0);
                gpu_refused++; /* no stages */
                continue;
            }
            staged += s > 0;
            for (unsigned i = 0; i < (gpu_small ? SMALL_CASES : CASES); i++) {
                check_queue(&cases[i], stress ? "lookback" : name, name, syncs[s]);
            }
        }
    }
    gpu_stress(SAT_STRESS_NONE);
    MUST(gpu, satf_context_set_sync(gpu, "auto"));
    MUST(gpu, satf_context_set_algorithm(gpu, "auto"));
    assert_true(rows >= 8 && staged >= 9); /* 4R1W, 1R1W and (1+r)R1W in three ways */
}

TEST_ALONE(test_queues)
{
    check_rows(false);
}

/* Behind look-back that, for one channel, lets the next kernel start before it has stored anything.
 */
TEST_ALONE(test_early)
{
    check_rows(true);
}

GPU_TEST_FILE;
