/*
 * The measured kernels of the tables rap, amm, giles and coalesce on a CUDA device against the
 * host's results: every layout, access, form and width of struct.
 */
#include "study/gpu.h"
#include "study/machine.h"
#include "study/tile_kernels.h"
#include "study/tile_places.h"
#include "program.h"

enum { W = MACHINE_BANKS };

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    assert_non_null(memory);
    return memory;
}

/* Looks at the result; what, one, other: of which case. */
static void compare(const gpu_result *r, const void *right, const char *what, int one, int other)
{
    char all[96];
    snprintf(all, sizeof all, "%s, %d, %d", what, one, other);
    gpu_result_check(r, right, 4, all);
}

/* ---------------------------------------------------------------- transposes */

static const layout_2d layouts[] = {
#define LAYOUT(NAME) LAYOUT_##NAME,
    MACHINE_TRANSPOSE_LAYOUTS(LAYOUT)
#undef LAYOUT
};

static void try_transpose(const machine_transpose *t, const void *in, const uint32_t *numbers,
                          const void *right, int64_t times)
{
    ON_DEVICE_RESULT r = gpu_result_begin((size_t)(MACHINE_MATRIX * t->element_bytes), 0);
    MUST(gpu, machine_cuda()->transpose(gpu, t, in, r.at, numbers, times));
    compare(&r, right, layout_2d_name(t->layout), t->way, t->element_bytes + t->computed);
}

/* One matrix as it is, and one that is right for the access. */
static void try_matrix(machine_transpose *t, machine_random *random)
{
    enum { N = MACHINE_MATRIX };
    static uint32_t host[2 * N], right[2 * N];
    uint32_t numbers[MACHINE_NUMBERS] = {0}, words = (uint32_t)t->element_bytes / 4;
    for (uint32_t i = 0; i < N * words; i++) {
        host[i] = 2 * i + 1;
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t to = t->way == ACCESS_COPY ? i : i % W * W + i / W;
        memcpy(right + to * words, host + i * words, words * sizeof *right);
    }
    layout_2d_draw(t->layout, W, random, numbers);
    ON_DEVICE void *in = gpu_uploaded(host, N * words * sizeof *host);
    ON_DEVICE uint32_t *drawn = gpu_uploaded(numbers, sizeof numbers);
    static const int64_t times[] = {1, 7, 8, 19}; /* loops are unrolled by 8 */
    for (size_t i = 0; i < (gpu_small ? 2 : 4); i++) {
        try_transpose(t, in, drawn, right, times[i]);
    }
}

TEST_ALONE(test_transposes)
{
    machine_random random = {3};
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        for (int way = 0; way < ACCESS_TRANSPOSE_COUNT; way++) {
            for (int form = 0; form < 4; form++) {
                machine_transpose t = {layouts[l], (access_transpose)way, form & 1 ? 8 : 4,
                                       form & 2};
                for (int draw = 0; draw < (gpu_small ? 1 : 4); draw++) {
                    try_matrix(&t, &random);
                }
            }
        }
    }
}

/* --------------------------------------------------------------------- tiles */

static void try_layout(size_t kernel, layout_2d layout, int most_blocks, int64_t tiles,
                       const float *in, const float *right)
{
    const tile_kernel *k = tile_kernel_at(kernel);
    machine_residence residence;
    ON_DEVICE_RESULT r =
        gpu_result_begin((size_t)machine_tiles_out(kernel, tiles) * sizeof *right, 0);
    gpu_must_do(gpu, machine_cuda()->tiles_residence(gpu, kernel, layout, most_blocks, &residence),
                k->name);
    assert_true(residence.blocks >= 1);
    assert_true(residence.blocks * (int)k->threads <= residence.threads);
    if (most_blocks) { /* all these tiles are small enough for so many */
        assert_int_equal(residence.blocks, most_blocks);
    }
    assert_int_equal(residence.bytes,
                     k->arrays * layout_2d_words(layout, k->width, k->rows) * sizeof(float));
    gpu_must_do(gpu, machine_cuda()->tiles(gpu, kernel, layout, most_blocks, tiles, in, r.at),
                k->name);
    compare(&r, right, k->name, (int)layout, (int)tiles);
}

static void try_tiles(size_t kernel, int64_t tiles)
{
    static const layout_2d tile_layouts[] = {
#define TILE_LAYOUT(layout, name) layout,
        TILE_LAYOUTS(TILE_LAYOUT)
#undef TILE_LAYOUT
    };
    int64_t words = machine_tiles_in(kernel, tiles), results = machine_tiles_out(kernel, tiles);
    SCOPED float *host = room((size_t)words * sizeof *host);
    SCOPED float *right = room((size_t)results * sizeof *right);
    for (int64_t i = 0; i < words; i++) { /* shifts of a diagonal block, and small values */
        bool shift = kernel == TILE_LUD && i < TILE_LUD_DIAGONAL && i % (TILE_LUD_SIDE + 1) == 0;
        host[i] = shift ? 3.0f : (float)((uint32_t)i * 2654435761u >> 24) / 512;
    }
    machine_host_tiles(kernel, tiles, host, right);
    ON_DEVICE float *in = gpu_uploaded(host, (size_t)words * sizeof *host);
    for (size_t l = 0; l < sizeof tile_layouts / sizeof *tile_layouts; l++) {
        for (int most_blocks = 0; most_blocks <= 3; most_blocks += 3) {
            try_layout(kernel, tile_layouts[l], most_blocks, tiles, in, right);
        }
    }
}

TEST_ALONE(test_tiles)
{
    static const int64_t tiles[] = {1, 3, 128, 384};
    for (size_t kernel = 0; kernel < TILE_KERNELS; kernel++) {
        for (size_t i = 0; i < (gpu_small ? 2 : 4); i++) {
            try_tiles(kernel, tiles[i]);
        }
        assert_int_not_equal(machine_cuda()->tiles(gpu, kernel, LAYOUT_RAP, 0, 1, NULL, NULL),
                             SATF_OK);
    }
    assert_int_not_equal(machine_cuda()->tiles(gpu, TILE_KERNELS, LAYOUT_RAW, 0, 1, NULL, NULL),
                         SATF_OK);
}

/* ------------------------------------------------------------------- structs */

static void try_structs(uint32_t fields, int64_t structs)
{
    size_t words = (size_t)structs * fields;
    SCOPED uint32_t *host = room(words * sizeof *host),
                    *right = room((size_t)structs * sizeof *right);
    for (size_t i = 0; i < words; i++) {
        host[i] = (uint32_t)i * 2654435761u;
    }
    ON_DEVICE uint32_t *in = gpu_uploaded(host, words * sizeof *host);
    for (int way = 0; way < MACHINE_STRUCT_COUNT; way++) {
        ON_DEVICE_RESULT r = gpu_result_begin((size_t)structs * sizeof *right, 0);
        machine_host_structs((machine_struct)way, fields, host, right, structs);
        MUST(gpu, machine_cuda()->structs(gpu, (machine_struct)way, fields, in, r.at, structs));
        compare(&r, right, "structs", way, (int)fields);
    }
}

TEST_ALONE(test_structs)
{
    for (uint32_t fields = 1; fields <= MACHINE_MOST_FIELDS; fields++) {
        if (!gpu_small || fields <= 8 || fields % 32 == 0) {
            try_structs(fields, 32); /* three of a block's four warps have nothing to do */
            try_structs(fields, 32 * 7);
        }
    }
}

/* ----------------------------------------------------------------- coalescing */

static void try_copy(int64_t n, int64_t offset)
{
    size_t bytes = (size_t)(n + offset) * sizeof(float);
    SCOPED float *host = room(bytes), *right = room(bytes);
    for (int64_t i = 0; i < n + offset; i++) {
        host[i] = (float)(i + 1);
    }
    memset(right, GPU_GUARD, bytes);
    memcpy(right + offset, host + offset, (size_t)n * sizeof *right);
    ON_DEVICE float *in = gpu_uploaded(host, bytes);
    ON_DEVICE_RESULT r = gpu_result_begin(bytes, 0);
    MUST(gpu, machine_cuda()->copy(gpu, in, r.at, n, offset));
    compare(&r, right, "copy", (int)n, (int)offset);
}

TEST_ALONE(test_copies)
{
    static const int64_t sizes[] = {1, 255, 256, 1000, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int64_t offset = 0; offset <= 32; offset += gpu_small ? 31 : 1) {
            try_copy(sizes[i], offset);
        }
    }
}

static void try_powers(int64_t count, bool shared)
{
    size_t words = (size_t)count * ACCESS_POWERS;
    SCOPED float *host = room((size_t)count * sizeof *host), *right = room(words * sizeof *right);
    for (int64_t i = 0; i < count; i++) {
        host[i] = 0.9f + 0.0005f * (float)(i % 397);
    }
    ON_DEVICE float *in = gpu_uploaded(host, (size_t)count * sizeof *host);
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        ON_DEVICE_RESULT r = gpu_result_begin(words * sizeof *right, 0);
        machine_host_powers(interleaved, host, right, count);
        gpu_must_do(gpu,
                    shared ? machine_cuda()->powers_shared(gpu, interleaved, in, r.at, 3)
                           : machine_cuda()->powers(gpu, interleaved, in, r.at, count),
                    "powers");
        compare(&r, right, shared ? "powers in shared memory" : "powers", interleaved, (int)count);
    }
}

TEST_ALONE(test_powers)
{
    try_powers(32, false);
    try_powers(32 * 9, false);
    try_powers(32 * 2049, false);
    try_powers(MACHINE_POWER_GROUPS * W, true);
}

static void try_product(int64_t side)
{
    size_t n = (size_t)(side * side), bytes = n * sizeof(float);
    SCOPED float *a = room(bytes), *b = room(bytes), *right = room(bytes);
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)((uint32_t)i * 2654435761u >> 24) / 128;
        b[i] = (float)((uint32_t)i * 2246822519u >> 24) / 64;
    }
    ON_DEVICE float *there_a = gpu_uploaded(a, bytes), *there_b = gpu_uploaded(b, bytes);
    for (int way = 0; way < ACCESS_PRODUCT_COUNT; way++) {
        ON_DEVICE_RESULT r = gpu_result_begin(bytes, 0);
        machine_host_product((access_product)way, a, b, right, side);
        MUST(gpu, machine_cuda()->product(gpu, (access_product)way, there_a, there_b, r.at, side));
        compare(&r, right, "product", way, (int)side);
    }
}

TEST_ALONE(test_products)
{
    try_product(32);
    try_product(96);
    if (!gpu_small) {
        try_product(256);
    }
}

GPU_TEST_FILE;
