/* Files of several pictures: the first is read, and the header says that it is not all. */
#include "test.h"
#include "test_io_files.h"

#include <zlib.h>

/* What the header says after the last row, read one by one. */
static int64_t read_all(satf_context *ctx, io_reader *reader)
{
    const satf_view *v = &reader->header.view;
    SCOPED char *row = malloc((size_t)v->stride);
    for (int64_t y = 0; y < v->height; y++) {
        if (io_read_rows(ctx, reader, row, v->stride, 1)) {
            fail_msg("row %d: %s", (int)y, satf_message(ctx));
        }
    }
    int64_t pictures = reader->header.pictures;
    io_close(reader);
    return pictures;
}

static int64_t pictures_in(satf_context *ctx, const void *data, size_t n)
{
    io_reader *reader;
    if (io_open_memory(ctx, data, n, &reader)) {
        fail_msg("%s", satf_message(ctx));
    }
    return read_all(ctx, reader);
}

#define PICTURES_IN(ctx, text) pictures_in(ctx, text, sizeof text - 1)

TEST(pnm)
{
    assert_int_equal(PICTURES_IN(ctx, "P5 2 1 255\nab"), 1);
    assert_int_equal(PICTURES_IN(ctx, "P5 2 1 255\nabP5 2 1 255\ncd"), IO_PICTURES_SEVERAL);
    assert_int_equal(PICTURES_IN(ctx, "P4 8 1\naP4 8 1\nb"), IO_PICTURES_SEVERAL);
    assert_int_equal(PICTURES_IN(ctx, "P2 2 1 255\n1 2\n \nP2 2 1 255\n1 2\n"),
                     IO_PICTURES_SEVERAL);
    assert_int_equal(PICTURES_IN(ctx, "P6 1 1 255\nabcP7\nWIDTH"), IO_PICTURES_SEVERAL);
    /* other bytes behind the end are nobody's */
    assert_int_equal(PICTURES_IN(ctx, "P5 2 1 255\nab\n"), 1);
    assert_int_equal(PICTURES_IN(ctx, "P5 2 1 255\nabP5"), 1);
    assert_int_equal(PICTURES_IN(ctx, "P5 2 1 255\nabP9 2 1 255\ncd"), 1);
    assert_int_equal(PICTURES_IN(ctx, "P5 2 1 255\nabhello"), 1);
}

/* A pipe is not waited for: its writer may have no more to say, and not close it either. */
TEST(pnm_pipe)
{
    /* more than the bytes that a format is known by */
    static char one[100] = "P5 88 1 255\n", two[200];
    _Static_assert(sizeof one > IO_PROBE_BYTES, "");
    memcpy(two, one, sizeof one);
    memcpy(two + sizeof one, one, sizeof one);
    alarm(60); /* a test that waits is killed */
    for (int i = 0; i < 3; i++) {
        io_reader *reader;
        int ends[2];
        char name[40];
        ssize_t n = i == 1 ? sizeof two : sizeof one;
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], i == 1 ? two : one, (size_t)n), n);
        if (i == 2) {
            close(ends[1]);
        }
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        assert_int_equal(io_open(ctx, name, NULL, &reader), SATF_OK);
        assert_int_equal(read_all(ctx, reader), i == 1 ? IO_PICTURES_SEVERAL : 1);
        close(ends[0]);
        if (i < 2) {
            close(ends[1]);
        }
    }
    alarm(0);
}

/* A PNG with acTL, or another chunk, before its pixels. */
static int64_t with_chunk(satf_context *ctx, const bytes *png, const char *name, uint32_t frames)
{
    enum { AT = 33, DATA = 8 };
    SCOPED unsigned char *file = malloc(png->n + 12 + DATA);
    unsigned char *chunk = file + AT;
    memcpy(file, png->data, AT);
    memset(chunk, 0, 12 + DATA);
    chunk[3] = DATA;
    memcpy(chunk + 4, name, 4);
    for (int i = 0; i < 4; i++) {
        chunk[8 + i] = (unsigned char)(frames >> (24 - 8 * i));
    }
    uint32_t crc = (uint32_t)crc32(0, chunk + 4, 4 + DATA);
    for (int i = 0; i < 4; i++) {
        chunk[8 + DATA + i] = (unsigned char)(crc >> (24 - 8 * i));
    }
    memcpy(chunk + 12 + DATA, png->data + AT, png->n - AT);
    int64_t pictures = pictures_in(ctx, file, png->n + 12 + DATA);
    return pictures;
}

TEST(apng)
{
    SCOPED_IMAGE *image = make_image(ctx, 3, 3, 1, SATF_U8, 0, 1);
    bytes file = must_encode(ctx, image, "png");
    assert_int_equal(pictures_in(ctx, file.data, file.n), 1);
    assert_int_equal(with_chunk(ctx, &file, "acTL", 1), 1);
    assert_int_equal(with_chunk(ctx, &file, "acTL", 0), 1);
    assert_int_equal(with_chunk(ctx, &file, "acTL", 24), 24);
    assert_int_equal(with_chunk(ctx, &file, "acTX", 24), 1);
    free(file.data);
}

TEST_FILE(.formats = "all")
