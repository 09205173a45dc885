/*
 * Permutations on a CUDA device against their definition: every algorithm, the five
 * patterns, random ones, odd shapes, arrays that are not aligned to 16 bytes, and those of chapter
 * 4 in shared memory. --small: a few cases for compute-sanitizer; --long: arrays of up to 2^28
 * elements.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/machine.h"
#include "study/pattern.h"
#include "permute/schedule.h"
#include "study/gpu.h"
#include "program.h"

enum { GUARD_BYTES = 256 };

/* Fails the test unless status is SATF_OK. */
static void must(satf_status status, const char *what)
{
    gpu_must_do(gpu, status, what);
}

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    assert_non_null(memory);
    return memory;
}

/* ------------------------------------------------------------- whole arrays */

/* One array on the host, its image on the device, and the result's place between guards. */
typedef struct arrays {
    uint32_t *p;
    unsigned char *in, *out;
    char *there_in, *there_out; /* as allocated */
    int64_t n;
    int bytes;
    size_t size, shift; /* bytes */
} arrays;

static arrays prepare(uint32_t *p, int64_t n, int bytes, size_t shift)
{
    arrays a = {.p = p, .n = n, .bytes = bytes, .size = (size_t)(n * bytes), .shift = shift};
    void *in, *out;
    a.in = room(a.size);
    a.out = room(a.size + 2 * GUARD_BYTES + shift);
    for (int64_t i = 0; i < n; i++) { /* each element is another */
        uint64_t value = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i;
        uint32_t word = (uint32_t)i * 2654435761u;
        memcpy(a.in + i * bytes, bytes == 8 ? (void *)&value : (void *)&word, (size_t)bytes);
    }
    must(satf_cuda()->alloc(gpu, GPU_DEVICE, a.size + shift, "a test", &in), "memory");
    must(satf_cuda()->alloc(gpu, GPU_DEVICE, a.size + 2 * GUARD_BYTES + shift, "a test", &out),
         "memory");
    a.there_in = in;
    a.there_out = out;
    must(satf_cuda()->copy_bytes(gpu, GPU_DEVICE, a.there_in + shift, a.in, a.size), "upload");
    return a;
}

static void release(arrays *a)
{
    must(satf_cuda()->wait(gpu, GPU_DEVICE), "wait");
    satf_cuda()->free(gpu, a->there_in);
    satf_cuda()->free(gpu, a->there_out);
    free(a->in);
    free(a->out);
}

static void check(arrays *a, const char *what)
{
    size_t whole = a->size + 2 * GUARD_BYTES + a->shift;
    must(satf_cuda()->copy_bytes(gpu, GPU_DEVICE, a->out, a->there_out, whole), "download");
    must(satf_cuda()->wait(gpu, GPU_DEVICE), what);
    const unsigned char *out = a->out + GUARD_BYTES + a->shift;
    for (int64_t i = 0; i < a->n; i++) {
        if (memcmp(out + (int64_t)a->p[i] * a->bytes, a->in + i * a->bytes, (size_t)a->bytes)) {
            fail_msg("%s, %lld elements of %d bytes, %zu bytes off: element %lld is not at %u",
                     what, (long long)a->n, a->bytes, a->shift, (long long)i, a->p[i]);
        }
    }
    for (size_t i = 0; i < whole; i++) {
        if (i == GUARD_BYTES + a->shift) {
            i += a->size;
        }
        if (a->out[i] != GPU_GUARD) {
            fail_msg("%s wrote outside of its array", what);
        }
    }
    gpu_runs++;
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
    must(status, algorithm);
    size_t bytes;
    void *scratch = NULL;
    must(satf_permutation_scratch(gpu, plan, &bytes), algorithm);
    for (int own = 0; own < 2; own++) {
        if (own && bytes) {
            must(satf_cuda()->alloc(gpu, GPU_DEVICE, bytes, "a test", &scratch), "scratch");
            must(satf_context_set_scratch(gpu, scratch, bytes), "scratch");
        }
        must(satf_cuda()->set_bytes(gpu, GPU_DEVICE, a->there_out, GPU_GUARD,
                                    a->size + 2 * GUARD_BYTES + a->shift),
             "guards");
        must(satf_permutation_apply(gpu, plan, a->there_in + a->shift,
                                    a->there_out + GUARD_BYTES + a->shift),
             algorithm);
        must(satf_context_set_scratch(gpu, NULL, 0), "scratch");
        check(a, algorithm);
    }
    satf_cuda()->free(gpu, scratch);
    must(satf_cuda()->wait(gpu, GPU_DEVICE), algorithm);
    satf_permutation_destroy(plan);
    return true;
}

static int try_all(uint32_t *p, int64_t n, size_t shift)
{
    int applicable = 0;
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        const char *name;
        arrays a = prepare(p, n, bytes, shift * (size_t)bytes);
        applicable += try(&a, "auto", 0);
        for (size_t i = 0; (name = satf_permutation_algorithm(i, NULL)) != NULL; i++) {
            applicable += try(&a, name, 0);
        }
        release(&a);
    }
    return applicable;
}

static void test_patterns(void **unused)
{
    (void)unused;
    static const uint32_t shapes[][2] = {
        {32, 32},   {96, 160},     {32, 2016}, {33, 65},     {1, 1},       {1, 7},      {512, 512},
        {480, 352}, {37 * 32, 32}, {64, 8192}, {1024, 2048}, {1056, 1504}, {4096, 4096}};
    size_t count = sizeof shapes / sizeof *shapes;
    for (size_t i = 0; i < (gpu_small ? 3 : gpu_long ? count : count - 1); i++) {
        int64_t n = (int64_t)shapes[i][0] * shapes[i][1];
        uint32_t *p = room((size_t)n * sizeof *p);
        for (int which = 0; which < PATTERN_COUNT; which++) {
            if (pattern_fill((pattern)which, shapes[i][0], shapes[i][1], i, p)) {
                assert_true(try_all(p, n, 0) >= (n % 1024 ? 6 : 10));
                if (n < 100000) { /* off 16 bytes */
                    assert_true(try_all(p, n, 1) >= (n % 1024 ? 6 : 10));
                }
            }
        }
        free(p);
    }
}

/* Every layout of the transpose's tiles. */
static void test_layouts(void **unused)
{
    (void)unused;
    enum { ROWS = 520, COLUMNS = 328 }; /* whole chunks of 16 bytes, but no whole tiles */
    uint32_t *p = room(sizeof *p * ROWS * COLUMNS);
    assert_true(pattern_fill(PATTERN_TRANSPOSE, ROWS, COLUMNS, 0, p));
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        arrays a = prepare(p, (int64_t)ROWS * COLUMNS, bytes, 0);
        for (int layout = 0; layout < LAYOUT_2D_COUNT; layout++) {
            satf_permutation *plan;
            machine_random random = {(uint64_t)layout};
            must(satf_permutation_create(gpu, p, a.n, bytes, GPU_DEVICE, "transpose", &plan),
                 "plan");
            plan->tile.layout = (layout_2d)layout;
            layout_2d_draw(plan->tile.layout, PERMUTE_TILE_SIDE, &random, plan->tile.numbers);
            must(satf_cuda()->set_bytes(gpu, GPU_DEVICE, a.there_out, GPU_GUARD,
                                        a.size + 2 * GUARD_BYTES),
                 "guards");
            must(satf_permutation_apply(gpu, plan, a.there_in, a.there_out + GUARD_BYTES),
                 layout_2d_name(plan->tile.layout));
            check(&a, layout_2d_name(plan->tile.layout));
            must(satf_cuda()->wait(gpu, GPU_DEVICE), "wait");
            satf_permutation_destroy(plan);
        }
        release(&a);
    }
    free(p);
}

static void test_row_and_column_wise(void **unused)
{
    (void)unused;
    static const uint32_t shapes[][2] = {{64, 96}, {160, 32}, {96, 2048}, {64, 16384}, {32768, 32}};
    static uint32_t q[32768];
    for (size_t i = 0; i < (gpu_small ? 2 : 5); i++) {
        uint32_t rows = shapes[i][0], columns = shapes[i][1];
        uint32_t *p = room((size_t)rows * columns * sizeof *p);
        for (uint32_t y = 0; y < rows; y++) {
            assert_true(pattern_fill(PATTERN_RANDOM, 1, columns, y, q));
            for (uint32_t x = 0; x < columns; x++) {
                p[y * columns + x] = y * columns + q[x];
            }
        }
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            arrays a = prepare(p, (int64_t)rows * columns, bytes, 0);
            assert_true(try(&a, "row-wise", 0));
            release(&a);
        }
        for (uint32_t x = 0; x < columns; x++) {
            assert_true(pattern_fill(PATTERN_RANDOM, 1, rows, x, q));
            for (uint32_t y = 0; y < rows; y++) {
                p[y * columns + x] = q[y] * columns + x;
            }
        }
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            arrays a = prepare(p, (int64_t)rows * columns, bytes, 0);
            assert_true(try(&a, "column-wise", 0) || (int64_t)rows * bytes > PERMUTE_ROW_BYTES);
            release(&a);
        }
        free(p);
    }
}

/* Rows of all lengths that `fused` may take: one, two and four batches a thread, and
 * pieces that are no multiple of 16 bytes. */
static void test_lengths(void **unused)
{
    (void)unused;
    static const uint32_t cases[][2] = {{1 << 16, 256},   {1 << 16, 8192},  {3 << 14, 768},
                                        {15 << 10, 480},  {1 << 20, 1024},  {1 << 20, 8192},
                                        {1 << 20, 16384}, {1 << 20, 32768}, {9 << 16, 18432},
                                        {5 << 18, 20480}, {15 << 16, 30720}};
    for (size_t i = 0; i < (gpu_small ? 4 : sizeof cases / sizeof *cases); i++) {
        uint32_t n = cases[i][0];
        uint32_t *p = room(n * sizeof *p);
        assert_true(pattern_fill(PATTERN_RANDOM, 1, n, i, p));
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            arrays a = prepare(p, n, bytes, 0);
            assert_true(try(&a, "fused", cases[i][1]) ||
                        cases[i][1] * (uint32_t)bytes > PERMUTE_ROW_BYTES);
            release(&a);
        }
        free(p);
    }
}

static void test_large(void **unused)
{
    (void)unused;
    for (int log = 22; log <= (gpu_long ? 28 : 22); log += 6) {
        int64_t n = INT64_C(1) << log;
        uint32_t *p = room((size_t)n * sizeof *p);
        assert_true(pattern_fill(PATTERN_RANDOM, 1, (uint32_t)n, 5, p));
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            arrays a = prepare(p, n, bytes, 0);
            assert_true(try(&a, "scheduled", 0));
            assert_true(try(&a, "fused", 0));
            assert_true(try(&a, "auto", 0));
            release(&a);
        }
        free(p);
    }
}

/* ----------------------------------------------------------- shared memory */

static void test_shared(void **unused)
{
    (void)unused;
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
        must(satf_gpu_open(gpu, GPU_DEVICE), "device");
        must(satf_cuda()->table_keep(gpu, GPU_DEVICE, table, sizeof table, &there), "tables");
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            arrays a = prepare(p, PATTERN_SMALL, bytes, 0);
            permute_call call = {.ctx = gpu, .element_bytes = bytes};
            for (int way = PERMUTE_COPY; way < PERMUTE_WAYS; way++) {
                bool computed = way != PERMUTE_COPY && pattern_in_place((pattern)which);
                a.p = way == PERMUTE_COPY ? same : p;
                for (int in_place = 0; in_place <= computed; in_place++) {
                    must(satf_cuda()->set_bytes(gpu, GPU_DEVICE, a.there_out, GPU_GUARD,
                                                a.size + 2 * GUARD_BYTES),
                         "guards");
                    must(machine_cuda()->permute(&call, (permute_way)way, in_place, (pattern)which,
                                                 a.there_in, a.there_out + GUARD_BYTES, there, 3),
                         pattern_name((pattern)which));
                    check(&a, pattern_name((pattern)which));
                }
            }
            release(&a);
        }
        satf_cuda()->table_drop(there);
    }
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest few[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_row_and_column_wise),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_shared),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_row_and_column_wise),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_shared),
    };
    return gpu_test_end("test_gpu_permute",
                        gpu_small ? cmocka_run_group_tests(few, gpu_set_up, gpu_tear_down)
                                  : cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
