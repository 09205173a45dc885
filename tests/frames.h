/* Frames of an animation as pages: what each shows, by another way than the reader's. */
#ifndef TESTS_FRAMES_H
#define TESTS_FRAMES_H

#include "test.h"
#include "test_io_files.h"

static inline int below(uint64_t *seed, int n)
{
    return (int)((next_random(seed) >> 33) % (unsigned)n);
}

/* Page k is that picture of RGBA, whose alpha it has if some of it is not opaque. */
static inline void check_page(satf_context *ctx, io_reader *reader, const unsigned char *want,
                              int width, int height, int k)
{
    SCOPED unsigned char *got = malloc((size_t)(4 * width * height));
    if (io_go_to(ctx, reader, k) ||
        io_read_rows(ctx, reader, got, reader->header.view.stride, height)) {
        fail_msg("page %d: %s", k, satf_message(ctx));
    }
    int channels = reader->header.view.channels;
    bool through = false;
    for (int i = 0; i < width * height; i++) {
        if (memcmp(got + i * channels, want + 4 * i, (size_t)channels) != 0) {
            fail_msg("page %d, pixel %d,%d", k, i % width, i / width);
        }
        through |= want[4 * i + 3] < UINT8_MAX;
    }
    assert_int_equal(channels, 3 + through);
}

/* A file of those pages alone, which lie behind one another, in order and then back and forth. */
static inline void check_pages(satf_context *ctx, const void *data, size_t n,
                               const unsigned char *want, int width, int height, int count)
{
    SCOPED_READER *reader;
    uint64_t seed = n;
    MUST(ctx, io_open_memory(ctx, data, n, &reader));
    assert_int_equal(reader->pages, count);
    for (int i = 0; i < count + 5; i++) {
        int k = i < count ? i : below(&seed, count);
        check_page(ctx, reader, want + (size_t)(4 * width * height * k), width, height, k);
    }
}

/* A file that ends too early has its first pages, at least so many, and the others are cut. Returns
 * how many there are; 0: it cannot be opened. */
static inline int check_cut(satf_context *ctx, const void *data, size_t n,
                            const unsigned char *want, int width, int height, int whole)
{
    SCOPED unsigned char *copy = malloc(n);
    memcpy(copy, data, n);
    SCOPED_READER *reader;
    satf_status status = io_open_memory(ctx, copy, n, &reader);
    if (status) {
        assert_int_equal(status, SATF_DATA);
        return 0;
    }
    int pages = (int)reader->pages;
    whole = whole < 0 ? pages - 1 : whole;
    assert_in_range(pages, whole, whole + 1);
    for (int k = 0; k < whole; k++) {
        check_page(ctx, reader, want + (size_t)(4 * width * height * k), width, height, k);
    }
    for (int k = whole; k < pages; k++) {
        REFUSED(io_go_to(ctx, reader, k), SATF_DATA, "truncated");
    }
    if (whole > 0) {
        check_page(ctx, reader, want, width, height, 0);
    }
    return pages;
}

#endif
