/* PNM, PFM and .npy written by hand, byte by byte: every kind is understood. */
#include "test.h"
#include "test_io_files.h"

static void check(satf_context *ctx, const char *what, const void *data, size_t n, satf_type type,
                  int width, int height, int channels, unsigned flags, const void *want)
{
    SCOPED_BYTES file = bytes_of(data, n);
    satf_view v = satf_view_packed((void *)(uintptr_t)want, width, height, channels, type);
    v.flags = flags;
    must_hold(ctx, what, &file, &v);
}

#define CHECK(what, text, type, w, h, c, flags, ...) \
    check(ctx, what, text, sizeof text - 1, type, w, h, c, flags, __VA_ARGS__)

TEST(test_pnm_kinds)
{
    CHECK("P1", "P1 # a comment\n3 2\n101 0 1 # in between\n0", SATF_U8, 3, 2, 1, 0,
          (uint8_t[]){0, 255, 0, 255, 0, 255});
    CHECK("P2", "P2\n2 2\n# comment\n9\n0 1\n8 9", SATF_U8, 2, 2, 1, 0, (uint8_t[]){0, 1, 8, 9});
    CHECK("P2 of 16 bits", "P2 2 1 1000\n1000 7\n", SATF_U16, 2, 1, 1, 0, (uint16_t[]){1000, 7});
    CHECK("P3", "P3 1 1 255 1 2 3\n", SATF_U8, 1, 1, 3, 0, (uint8_t[]){1, 2, 3});
    CHECK("P4", "P4 10 2\n\xaa\x80\x01\x40", SATF_U8, 10, 2, 1, 0,
          (uint8_t[]){0,   255, 0,   255, 0,   255, 0,   255, 0,   255,
                      255, 255, 255, 255, 255, 255, 255, 0,   255, 0});
    CHECK("P5", "P5 2 1 255\nabGARBAGE", SATF_U8, 2, 1, 1, 0, "ab");
    CHECK("P5 of 16 bits", "P5 1 2 65535\n\1\2\3\4", SATF_U16, 1, 2, 1, 0,
          (uint16_t[]){0x102, 0x304});
    CHECK("P6", "P6 1 2 255\nabcdef", SATF_U8, 1, 2, 3, 0, "abcdef");
    CHECK("P7 with alpha",
          "P7\n# c\nWIDTH 1\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nabcd",
          SATF_U8, 1, 2, 2, SATF_ALPHA, "abcd");
    CHECK("P7 without", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nENDHDR\nabcd", SATF_U8, 1, 1,
          4, 0, "abcd");
}

TEST(test_pfm_kinds)
{
    CHECK("little PFM", "Pf\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\x40", SATF_F32, 1, 2, 1, 0,
          (float[]){2, 1});
    CHECK("big PFM", "PF\n1 1\n1.0\n\x3f\x80\0\0\x40\0\0\0\xbf\0\0\0", SATF_F32, 1, 1, 3, 0,
          (float[]){1, 2, -0.5f});
}

TEST(test_npy_kinds)
{
    static const struct {
        const char *lead, *dictionary;
        const char *samples;
        size_t n;
        satf_type type;
        int channels;
        uint64_t first; /* the first sample's bits */
    } cases[] = {
        {"\1\0", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1), }", DATA("ab"), SATF_U8,
         1, 'a'},
        {"\2\0", "{\"shape\":(2,1,1),\"descr\":\">u2\",\"fortran_order\":False}\n",
         DATA("\1\2\3\4"), SATF_U16, 1, 0x102},
        {"\3\0", "{'descr': '<u2', 'fortran_order': False, 'shape': (2L, 1L)}", DATA("\1\2\3\4"),
         SATF_U16, 1, 0x201},
        {"\1\0", "{'descr': '>u4', 'fortran_order': False, 'shape': (2, 1)}",
         DATA("\1\2\3\4\0\0\0\0"), SATF_U32, 1, 0x1020304},
        {"\1\0", "{'descr': '>u8', 'fortran_order': False, 'shape': (2, 1)}",
         DATA("\1\2\3\4\5\6\7\x08\0\0\0\0\0\0\0\0"), SATF_U64, 1, 0x102030405060708},
        {"\1\0", "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 1)}", DATA("\377\0"),
         SATF_I8, 1, 0xff},
        {"\1\0", "{'descr': '>i8', 'fortran_order': False, 'shape': (2, 1)}",
         DATA("\1\2\3\4\5\6\7\x08\0\0\0\0\0\0\0\0"), SATF_I64, 1, 0x102030405060708},
        {"\1\0", "{'descr': '>f2', 'fortran_order': False, 'shape': (2, 1)}", DATA("\x3c\0\0\0"),
         SATF_F16, 1, 0x3c00},
        {"\1\0", "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 1)}",
         DATA("\x3f\x80\0\0\0\0\0\0"), SATF_F32, 1, 0x3f800000},
        {"\1\0", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 2)}",
         "\1\2\3\4\5\6\7\x08", 32, SATF_F64, 2, 0x0807060504030201},
        {"\1\0", "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 1)}", DATA("\1\0"), SATF_U8,
         1, 1},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        unsigned char file[256] = "\x93NUMPY";
        size_t n = strlen(cases[i].dictionary), at = cases[i].lead[0] == 1 ? 10 : 12;
        memcpy(file + 6, cases[i].lead, 2);
        file[8] = (unsigned char)n;
        memcpy(file + at, cases[i].dictionary, n);
        memcpy(file + at + n, cases[i].samples, cases[i].n < 16 ? cases[i].n : 8);
        SCOPED_IMAGE *image = must_decode(ctx, file, at + n + cases[i].n);
        const satf_view *v = &image->view;
        uint64_t first = 0; /* little endian, as we are */
        memcpy(&first, v->data, satf_type_bytes(v->type));
        if (v->type != (int)cases[i].type || v->channels != cases[i].channels || v->width != 1 ||
            v->height != 2 || first != cases[i].first) {
            fail_msg("%s: %d x %d x %d, first sample %llx", cases[i].dictionary, (int)v->width,
                     (int)v->height, v->channels, (unsigned long long)first);
        }
    }
}

/* Column after column of one channel, then those of the next; read whole and by rows. */
TEST(test_npy_fortran)
{
    enum { W = 700, H = 900, CHANNELS = 3 }; /* more than one block of columns */
    SCOPED_IMAGE *image = make_image(ctx, W, H, CHANNELS, SATF_U16, 0, 5);
    const uint16_t *samples = image->view.data;
    size_t header = 128, n = header + sizeof(uint16_t[H][W][CHANNELS]);
    SCOPED unsigned char *file = calloc(n, 1);
    assert_non_null(file);
    memset(file, ' ', header);
    memcpy(file, "\x93NUMPY\1\0\x76\0", 10);
    const char *dictionary = "{'descr': '>u2', 'fortran_order': True, 'shape': (900, 700, 3)}";
    memcpy(file + 10, dictionary, strlen(dictionary));
    unsigned char *to = file + header;
    for (int c = 0; c < CHANNELS; c++) {
        for (int x = 0; x < W; x++) {
            for (int y = 0; y < H; y++) {
                uint16_t v = samples[(y * W + x) * CHANNELS + c];
                *to++ = (unsigned char)(v >> 8);
                *to++ = (unsigned char)v;
            }
        }
    }
    SCOPED_IMAGE *read = must_decode(ctx, file, n);
    assert_same_pixels("Fortran order", &image->view, &read->view);
    SCOPED_READER *reader;
    MUST(ctx, io_open_memory(ctx, file, n, &reader));
    SCOPED_BYTES rows = read_rows(ctx, reader, 100);
    assert_bytes("Fortran order, by rows", rows.data, rows.n, samples, n - header);
    expect_decode(ctx, "a byte less", file, n - 1, SATF_DATA, "");
}

TEST(test_npy_alignment)
{
    for (int64_t width = 1; width <= 1000000; width *= 10) {
        SCOPED_IMAGE *image = make_image(ctx, width, 1, 1, SATF_U8, 0, 1);
        SCOPED_BYTES file = must_encode(ctx, image, "npy");
        size_t header = 10 + file.data[8] + 256u * file.data[9];
        assert_int_equal(header % 64, 0);
        assert_int_equal(file.data[header - 1], '\n');
        assert_int_equal(file.n, header + (size_t)width);
    }
}

TEST_FILE(.formats = "all")
