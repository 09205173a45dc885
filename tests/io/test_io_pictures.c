/* Files of several pictures: the first is read, and the header says that it is not all. */
#include "test.h"
#include "chunks.h"

/* What the header says after the last row, read one by one. */
static int64_t pictures_of(satf_context *ctx, io_reader *reader)
{
    SCOPED_READER *closed = reader;
    SCOPED_BYTES rows = read_rows(ctx, reader, 1);
    return closed->header.pictures;
}

static int64_t pictures_in(satf_context *ctx, const void *data, size_t n)
{
    SCOPED_BYTES file = bytes_of(data, n);
    return pictures_of(ctx, open_bytes(ctx, &file));
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
        MUST(ctx, io_open(ctx, name, NULL, &reader));
        assert_int_equal(pictures_of(ctx, reader), i == 1 ? IO_PICTURES_SEVERAL : 1);
        close(ends[0]);
        if (i < 2) {
            close(ends[1]);
        }
    }
    alarm(0);
}

/* A PNG with acTL, or another chunk, before its pixels. */
TEST(apng)
{
    static const struct {
        const char *name;
        unsigned char frames;
        int64_t pictures;
    } cases[] = {{"acTL", 1, 1}, {"acTL", 0, 1}, {"acTL", 24, 24}, {"acTX", 24, 1}};
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        SCOPED_BYTES file = random_file(ctx, "png", 3, 1);
        assert_int_equal(pictures_in(ctx, file.data, file.n), 1);
        unsigned char data[8] = {[3] = cases[i].frames};
        add_chunk(&file, false, cases[i].name, data, sizeof data);
        assert_int_equal(pictures_in(ctx, file.data, file.n), cases[i].pictures);
    }
}

TEST_FILE(.formats = "all")
