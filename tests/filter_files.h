/* What tests of filters that name files share: such a file, and what a call says of it. */
#ifndef TEST_FILTER_FILES_H
#define TEST_FILTER_FILES_H

#include "test.h"

static inline void write_pgm(const char *path, const uint8_t *pixels, int width, int height)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P5\n%d %d\n255\n", width, height);
    assert_int_equal(fwrite(pixels, 1, (size_t)(width * height), file), width * height);
    fclose(file);
}

static inline void expect(satf_context *ctx, satf_status got, satf_status wanted, const char *part)
{
    if (got != wanted || !strstr(satf_message(ctx), part)) {
        fail_msg("status %d, '%s' lacks '%s'", (int)got, satf_message(ctx), part);
    }
}

#endif
