/*
 * Permutations on a CUDA device against their definition: every algorithm, the five
 * patterns, random ones, odd shapes, arrays that are not aligned to 16 bytes, and those of chapter
 * 4 in shared memory. GPU_CASES=long: arrays of up to 2^28 elements.
 */
#include "study/machine.h"
#include "study/pattern.h"
#include "permute/schedule.h"
#include "study/gpu.h"
#include "permute_reference.h"
#include "program.h"

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    assert_non_null(memory);
    return memory;
}

/* ------------------------------------------------------------- whole arrays */

/* One array, on the host and on the device, what p makes of it, and the result's place. */
typedef struct arrays {
    const uint32_t *p;
    unsigned char *in, *want;
    char *there, *from; /* as allocated, and where it begins */
    gpu_result out;
    int64_t n;
    int bytes;
} arrays;

static void order_by(arrays *a, const uint32_t *p)
{
    a->p = p;
    for (int64_t i = 0; i < a->n; i++) {
        memcpy(a->want + (int64_t)p[i] * a->bytes, a->in + i * a->bytes, (size_t)a->bytes);
    }
}

static arrays prepare(const uint32_t *p, int64_t n, int bytes, size_t shift)
{
    size_t size = (size_t)(n * bytes);
    arrays a = {.in = room(size), .want = room(size), .n = n, .bytes = bytes};
    for (int64_t i = 0; i < n; i++) { /* each element is another */
        uint64_t value = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i;
        uint32_t word = (uint32_t)i * 2654435761u;
        memcpy(a.in + i * bytes, bytes == 8 ? (void *)&value : (void *)&word, (size_t)bytes);
    }
    order_by(&a, p);
    a.there = gpu_memory(size + shift);
    a.from = a.there + shift;
    a.out = gpu_result_begin(size, shift);
    gpu_upload(a.from, a.in, size);
    return a;
}

static void release(arrays *a)
{
    satf_cuda()->free(gpu, a->there);
    gpu_result_end(&a->out);
    free(a->in);
    free(a->want);
}
#define ARRAYS __attribute__((unused, cleanup(release))) arrays

static void check(arrays *a, const char *what)
{
    gpu_result_check(&a->out, a->want, (size_t)a->bytes, what);
}

/* length: of the rows of fused, or 0. Returns whether the algorithm takes this permutation. */
static bool try(arrays *a, const char *algorithm, uint32_t length)
{
    satf_permutation *plan;
    permute_request request = {a->p, a->n, a->bytes, length};
    satf_status status =
        length ? permute_create(gpu, &request, GPU_DEVICE, algorithm, &plan)
               : satf_permutation_create(gpu, a->p, a->n, a->bytes, GPU_DEVICE, algorithm, &plan);
    if (status == SATF_UNSUPPORTED) {
        return false;
    }
    gpu_must_do(gpu, status, algorithm);
    size_t bytes;
    gpu_must_do(gpu, satf_permutation_scratch(gpu, plan, &bytes), algorithm);
    ON_DEVICE void *scratch = bytes ? gpu_memory(bytes) : NULL;
    for (int own = 0; own < 2; own++) {
        MUST(gpu, satf_context_set_scratch(gpu, own ? scratch : NULL, own ? bytes : 0));
        gpu_result_clear(&a->out);
        gpu_must_do(gpu, satf_permutation_apply(gpu, plan, a->from, a->out.at), algorithm);
        MUST(gpu, satf_context_set_scratch(gpu, NULL, 0));
        check(a, algorithm);
    }
    satf_permutation_destroy(plan);
    return true;
}

/* The same for elements of 4 and of 8 bytes; the number of those that it takes. */
static int try_both(const uint32_t *p, int64_t n, const char *algorithm, uint32_t length)
{
    int applicable = 0;
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        ARRAYS a = prepare(p, n, bytes, 0);
        applicable += try(&a, algorithm, length);
    }
    return applicable;
}

/* Small arrays also off 16 bytes. */
static int try_all(const uint32_t *p, int64_t n, const char *what)
{
    int applicable[2] = {0, 0};
    (void)what;
    for (int k = 0; k < (n < 100000 ? 4 : 2); k++) {
        const char *name;
        int bytes = k % 2 ? 8 : 4;
        ARRAYS a = prepare(p, n, bytes, (size_t)(k / 2 * bytes));
        applicable[k / 2] += try(&a, "auto", 0);
        for (size_t i = 0; (name = satf_permutation_algorithm(i, NULL)) != NULL; i++) {
            applicable[k / 2] += try(&a, name, 0);
        }
    }
    assert_true(n >= 100000 || applicable[0] == applicable[1]);
    return applicable[0];
}

TEST_ALONE(test_patterns)
{
    static const uint32_t shapes[][2] = {
        {32, 32},   {96, 160},     {32, 2016}, {33, 65},     {1, 1},       {1, 7},      {512, 512},
        {480, 352}, {37 * 32, 32}, {64, 8192}, {1024, 2048}, {1056, 1504}, {4096, 4096}};
    size_t count = sizeof shapes / sizeof *shapes;
    SCOPED uint32_t *p = room(sizeof *p << 24);
    ref_try_patterns(shapes, gpu_small ? 3 : gpu_long ? count : count - 1, p, try_all);
}

/* Every layout of the transpose's tiles. */
TEST_ALONE(test_layouts)
{
    enum { ROWS = 520, COLUMNS = 328 }; /* whole chunks of 16 bytes, but no whole tiles */
    SCOPED uint32_t *p = room(sizeof *p * ROWS * COLUMNS);
    assert_true(pattern_fill(PATTERN_TRANSPOSE, ROWS, COLUMNS, 0, p));
    for (int k = 0; k < 2 * LAYOUT_2D_COUNT; k++) {
        satf_permutation *plan;
        layout_2d layout = (layout_2d)(k / 2);
        machine_random random = {(uint64_t)layout};
        ARRAYS a = prepare(p, (int64_t)ROWS * COLUMNS, k % 2 ? 8 : 4, 0);
        MUST(gpu, satf_permutation_create(gpu, p, a.n, a.bytes, GPU_DEVICE, "transpose", &plan));
        plan->tile.layout = layout;
        layout_2d_draw(layout, PERMUTE_TILE_SIDE, &random, plan->tile.numbers);
        gpu_must_do(gpu, satf_permutation_apply(gpu, plan, a.from, a.out.at),
                    layout_2d_name(layout));
        check(&a, layout_2d_name(layout));
        satf_permutation_destroy(plan);
    }
}

TEST_ALONE(test_row_and_column_wise)
{
    static const uint32_t shapes[][2] = {{64, 96}, {160, 32}, {96, 2048}, {64, 16384}, {32768, 32}};
    for (size_t i = 0; i < (gpu_small ? 2 : 5); i++) {
        uint32_t rows = shapes[i][0], columns = shapes[i][1];
        int64_t n = (int64_t)rows * columns;
        SCOPED uint32_t *p = room((size_t)n * sizeof *p);
        ref_fill_rows(p, rows, columns);
        assert_int_equal(try_both(p, n, "row-wise", 0), 2);
        ref_fill_columns(p, rows, columns);
        int fit = 0;
        for (int64_t bytes = 4; bytes <= 8; bytes += 4) {
            fit += rows * bytes <= PERMUTE_ROW_BYTES;
        }
        assert_true(try_both(p, n, "column-wise", 0) >= fit);
    }
}

/* Rows of all lengths that `fused` may take: one, two and four batches a thread, and
 * pieces that are no multiple of 16 bytes. */
TEST_ALONE(test_lengths)
{
    static const uint32_t cases[][2] = {{1 << 16, 256},   {1 << 16, 8192},  {3 << 14, 768},
                                        {15 << 10, 480},  {1 << 20, 1024},  {1 << 20, 8192},
                                        {1 << 20, 16384}, {1 << 20, 32768}, {9 << 16, 18432},
                                        {5 << 18, 20480}, {15 << 16, 30720}};
    for (size_t i = 0; i < (gpu_small ? 4 : sizeof cases / sizeof *cases); i++) {
        uint32_t n = cases[i][0], length = cases[i][1];
        SCOPED uint32_t *p = room(n * sizeof *p);
        assert_true(pattern_fill(PATTERN_RANDOM, 1, n, i, p));
        int fit = (length * 4 <= PERMUTE_ROW_BYTES) + (length * 8 <= PERMUTE_ROW_BYTES);
        assert_true(try_both(p, n, "fused", length) >= fit);
    }
}

TEST_ALONE(test_large)
{
    NOT_SMALL;
    static const char *const algorithms[] = {"scheduled", "fused", "auto"};
    for (int log = 22; log <= (gpu_long ? 28 : 22); log += 6) {
        int64_t n = INT64_C(1) << log;
        SCOPED uint32_t *p = room((size_t)n * sizeof *p);
        assert_true(pattern_fill(PATTERN_RANDOM, 1, (uint32_t)n, 5, p));
        for (int k = 0; k < 3; k++) {
            assert_int_equal(try_both(p, n, algorithms[k], 0), 2);
        }
    }
}

/* ----------------------------------------------------------- shared memory */

TEST_ALONE(test_shared)
{
    static uint32_t p[PATTERN_SMALL], same[PATTERN_SMALL], table[4][PATTERN_SMALL],
        words[2 * PATTERN_SMALL];
    static uint16_t q[PATTERN_SMALL], s[PATTERN_SMALL], d[PATTERN_SMALL];
    static colour_edge edges[SCHEDULE_EDGES(PATTERN_SMALL)];
    for (int which = 0; which < PATTERN_COUNT; which++) {
        assert_true(pattern_fill((pattern)which, 32, 32, 9, p));
        for (uint32_t i = 0; i < PATTERN_SMALL; i++) {
            q[i] = (uint16_t)p[i];
            same[i] = i;
        }
        schedule_build(q, PATTERN_SMALL, 32, s, d, edges, words);
        for (uint32_t i = 0; i < PATTERN_SMALL; i++) {
            table[0][i] = p[i];
            table[1][p[i]] = i;
            table[2][i] = s[i];
            table[3][i] = d[i];
        }
        void *there;
        MUST(gpu, satf_gpu_open(gpu, GPU_DEVICE));
        MUST(gpu, satf_cuda()->table_keep(gpu, GPU_DEVICE, table, sizeof table, &there));
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            ARRAYS a = prepare(p, PATTERN_SMALL, bytes, 0);
            permute_call call = {.ctx = gpu, .element_bytes = bytes};
            for (int way = PERMUTE_COPY; way < PERMUTE_WAYS; way++) {
                bool computed = way != PERMUTE_COPY && pattern_in_place((pattern)which);
                order_by(&a, way == PERMUTE_COPY ? same : p);
                for (int in_place = 0; in_place <= computed; in_place++) {
                    gpu_result_clear(&a.out);
                    MUST(gpu, machine_cuda()->permute(&call, (permute_way)way, in_place,
                                                      (pattern)which, a.from, a.out.at, there, 3));
                    check(&a, pattern_name((pattern)which));
                }
            }
        }
        satf_cuda()->table_drop(there);
    }
}

GPU_TEST_FILE;
