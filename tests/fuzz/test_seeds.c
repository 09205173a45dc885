/* The seeds of all fuzz targets, whole and damaged, under what a target demands of any input:
 * tests/fuzz says what. */
#include "test.h"
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>

enum { MOST_BYTES = 1 << 14, CUTS = 48, DAMAGES = 300 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static char current[1024]; /* what is tried; printed when a demand ends the program */
static uint64_t random_state;

static void say_current(int number)
{
    (void)number;
    ssize_t written = write(STDERR_FILENO, current, strlen(current));
    (void)written;
}

static size_t next_random(size_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(random_state >> 33) % below;
}

/* One to three bytes become others. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)max_size;
    for (size_t i = next_random(3) + 1; size > 0 && i > 0; i--) {
        static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
        size_t kind = next_random(8), at = next_random(size);
        data[at] = kind < 5 ? values[kind] : (uint8_t)(data[at] ^ 1u << next_random(8));
    }
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* A target, and what damages its inputs. */
static int (*target)(const uint8_t *data, size_t size);
static bool of_png;

static size_t damage(uint8_t *data, size_t size)
{
    return of_png ? LLVMFuzzerCustomMutator(data, size, size, (unsigned)next_random(8))
                  : LLVMFuzzerMutate(data, size, size);
}

/* In memory of exactly that size, so that a sanitizer sees reads behind the end. */
static void try_bytes(const uint8_t *data, size_t size, const char *name, const char *how, size_t i)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    snprintf(current, sizeof current, "%s, %s %zu\n", name, how, i);
    target(copy, size);
    free(copy);
}

static void try_seed(const char *name)
{
    static uint8_t whole[MOST_BYTES], changed[MOST_BYTES];
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    assert_in_range(size, 1, sizeof whole - 1);
    try_bytes(whole, size, name, "whole, bytes:", size);
    size_t cuts = size < CUTS ? size : CUTS;
    for (size_t i = 0; i < cuts; i++) {
        size_t at = i * size / cuts;
        try_bytes(whole, at, name, "cut to", at);
    }
    random_state = 1;
    for (size_t i = 0; i < DAMAGES; i++) {
        memcpy(changed, whole, size);
        try_bytes(changed, damage(changed, size), name, "damage", i);
    }
}

static void try_folder(const char *folder)
{
    char path[256];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", top ? top : ".", folder);
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort), seeds = 0;
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            char name[sizeof path + sizeof entries[i]->d_name];
            snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
            try_seed(name);
            seeds++;
        }
        free(entries[i]);
    }
    free(entries);
    assert_true(seeds > 0);
}

static int begin(void **state)
{
    (void)state;
    signal(SIGABRT, say_current); /* which returns, so that the program ends */
    return 0;
}

/* A case for each folder of tests/fuzz/corpus: its target, and the formats that this is for. */
#define SEEDS(folder, of_folder, formats)                    \
    int fuzz_##of_folder(const uint8_t *data, size_t size);  \
    TEST_ALONE(folder)                                       \
    {                                                        \
        if (satf_format_missing(#folder)) { /* its module */ \
            skip();                                          \
        }                                                    \
        target = fuzz_##of_folder;                           \
        fuzz_formats = formats;                              \
        of_png = strcmp(#folder, "png") == 0;                \
        try_folder(#folder);                                 \
    }

SEEDS(png, decode, "png")
SEEDS(jpeg, decode, "jpeg")
SEEDS(pnm, decode, "pnm")
SEEDS(pfm, decode, "pfm")
SEEDS(npy, decode, "npy")
SEEDS(stb, decode, "bmp psd hdr tga")
SEEDS(tiff, decode, "tiff")
SEEDS(gif, decode, "gif")
SEEDS(webp, decode, "webp")
SEEDS(spec, spec, "")
SEEDS(template, template, "")
SEEDS(cache, cache, "")
SEEDS(engines, engines, "")

TEST_FILE(.begin = begin)
