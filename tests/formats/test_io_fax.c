/* TIFFs of which parts make no sense, beside what T.4, T.6 and TIFF 6.0 say of their bits. */
#include "test.h"
#include "tiff_files.h"

/* A fax of 8 x rows pixels, 0 being white, whose strip has these bits. */
static void make_fax(unsigned compression, uint32_t rows, const char *bits)
{
    unsigned char strip[64] = {0};
    size_t n = 0;
    for (; *bits; bits++) {
        if (*bits != ' ') {
            strip[n / 8] |= (unsigned char)((*bits & 1) << (7 - n % 8));
            n++;
        }
    }
    make_strip(&KIND(GREY, .bits = 1, .photometric = PHOTOMETRIC_MINISWHITE,
                     .compression = compression, .width = 8, .height = rows, .rows = rows),
               strip, (n + 7) / 8);
}

/* Codes of T.4 and T.6. */
#define EOL " 000000000001 "
#define WHITE_0 "00110101"
#define WHITE_3 "1000"
#define WHITE_8 "10011"
#define WHITE_9 "10100"
#define BLACK_2 "11"
#define BLACK_5 "0011"
#define BLACK_8 "000101"
#define VERTICAL_0 "1"
#define BLACK_3 "10"
#define TOO_FAR_LEFT "0000010" /* three to the left of a change that is nearer */
#define BAD " 00000000111 "
#define HORIZONTAL "001"

#define SHORT_LINE WHITE_3 BLACK_2
#define THREE WHITE_3 BLACK_5
#define BLACK WHITE_0 BLACK_8

typedef struct fax {
    unsigned compression, rows;
    const char *bits;
    bool damaged;
    unsigned char want[4]; /* bits, 1 being black */
    const char *words;     /* NULL: it is read */
} fax;

/* Lines of a wrong length are cut, or white to their end; the picture is read, and said to be
 * damaged. What ends early is not read. */
static const fax faxes[] = {
    {3, 4, EOL WHITE_8 EOL THREE EOL BLACK EOL WHITE_8, false, {0, 0x1f, 0xff, 0}, NULL},
    {3, 4, EOL WHITE_8 EOL WHITE_9 EOL SHORT_LINE EOL BLACK, true, {0, 0, 0x18, 0xff}, NULL},
    {3, 4, EOL WHITE_8 EOL THREE EOL BLACK, false, {0}, "ends before its last line"},
    {3, 4, EOL WHITE_9 EOL WHITE_9 EOL WHITE_9 EOL WHITE_8, false, {0}, "more than half"},
    {4, 3, HORIZONTAL THREE VERTICAL_0 VERTICAL_0 HORIZONTAL BLACK, false, {31, 31, 255}, NULL},
    {4, 3, HORIZONTAL THREE HORIZONTAL WHITE_9 BLACK_2 HORIZONTAL BLACK, true, {31, 0, 255}, NULL},
    {4, 4, HORIZONTAL THREE VERTICAL_0 VERTICAL_0 EOL EOL, false, {0}, "Premature EOL"},
    {4, 4, HORIZONTAL THREE " 0000000011111111 11111111", false, {0}, "ends before its last line"},
    /* a code word that makes no sense: the line is white from there on */
    {3, 4, EOL WHITE_8 EOL WHITE_3 BAD EOL BLACK EOL THREE, true, {0, 0, 0xff, 0x1f}, NULL},
    {4,
     3,
     HORIZONTAL THREE HORIZONTAL WHITE_3 BLACK_3 TOO_FAR_LEFT HORIZONTAL BLACK,
     true,
     {31, 28, 255},
     NULL},
    {3, 3, EOL WHITE_3 BAD EOL WHITE_3 BAD EOL BLACK, false, {0}, "more than half"},
    {3, 4, WHITE_8 THREE BLACK WHITE_8, false, {0, 0x1f, 0xff, 0}, NULL},
    {3, 4, WHITE_8 THREE, false, {0}, "Premature EO"},
    {2, 2, "10100000 10000011", true, {0, 0x1f}, NULL},
    {2, 4, "10011000 10000011", false, {0}, "Premature EOL"},
};

TEST(fax_lines)
{
    for (size_t i = 0; i < COUNT(faxes); i++) {
        make_fax(faxes[i].compression, faxes[i].rows, faxes[i].bits);
        io_reader *reader;
        unsigned char rows[4][8];
        assert_int_equal(io_open_memory(ctx, file.data, file.n, &reader), SATF_OK);
        satf_status status = io_read_rows(ctx, reader, rows, 8, faxes[i].rows);
        if (!status != !faxes[i].words || (status && !strstr(satf_message(ctx), faxes[i].words))) {
            fail_msg("fax %zu: %s", i, status ? satf_message(ctx) : "is read");
        }
        assert_true(status || reader->header.lines_damaged == faxes[i].damaged);
        for (size_t p = 0; p < 8 * faxes[i].rows && !status; p++) {
            unsigned black = faxes[i].want[p / 8] >> (7 - p % 8) & 1;
            if (rows[p / 8][p % 8] != (black ? 0 : 255)) {
                fail_msg("fax %zu: pixel %zu of row %zu is wrong", i, p % 8, p / 8);
            }
        }
        io_close(reader);
    }
}

/* PackBits whose last literal goes beyond the strip: the rest of it is passed over. */
TEST(packbits)
{
    static const unsigned char strips[][6] = {{2, 1, 2, 3}, {4, 1, 2, 3, 4, 5}, {1, 1, 2}};
    for (int i = 0; i < 3; i++) {
        make_strip(&KIND(GREY, .compression = COMPRESSION_PACKBITS, .width = 3, .height = 1),
                   strips[i], strips[i][0] + 2U);
        SCOPED_IMAGE *image;
        satf_status status = satf_image_decode(ctx, file.data, file.n, &image);
        assert_int_equal(status, i == 2 ? SATF_DATA : SATF_OK);
        if (!status) {
            assert_int_equal(image->damaged, i == 1);
            assert_memory_equal(image->view.data, "\1\2\3", 3);
        }
    }
}

TEST_FILE(.formats = "all")
