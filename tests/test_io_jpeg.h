/* JPEGs such as satfilter does not write. */
#ifndef TEST_IO_JPEG_H
#define TEST_IO_JPEG_H

#include "test.h"
#include "test_io_files.h"

#include <jpeglib.h>

typedef struct jpeg_kind {
    int channels, quality;           /* 0: libjpeg's own */
    int h[3], v[3];                  /* 0: the same */
    bool progressive, rgb, nameless; /* without Adobe's segment */
    int markers;                     /* of 60,000 bytes, in front */
} jpeg_kind;

static inline bytes code_jpeg(const jpeg_kind *k, unsigned width, unsigned height,
                              const unsigned char *pixels)
{
    static const JOCTET comment[60000];
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long n = 0;
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &data, &n);
    c.image_width = width;
    c.image_height = height;
    c.input_components = k->channels;
    c.in_color_space = k->channels == 1 ? JCS_GRAYSCALE : k->channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&c);
    if (k->rgb) {
        jpeg_set_colorspace(&c, JCS_RGB);
    }
    if (k->quality) {
        jpeg_set_quality(&c, k->quality, TRUE);
    }
    for (int i = 0; i < 3 && k->channels == 3 && k->h[0]; i++) {
        c.comp_info[i].h_samp_factor = k->h[i];
        c.comp_info[i].v_samp_factor = k->v[i];
    }
    if (k->progressive) {
        jpeg_simple_progression(&c);
    }
    c.write_Adobe_marker = c.write_Adobe_marker && !k->nameless;
    jpeg_start_compress(&c, TRUE);
    for (int i = 0; i < k->markers; i++) {
        jpeg_write_marker(&c, JPEG_APP0 + 1, comment, sizeof comment);
    }
    while (c.next_scanline < height) {
        JSAMPROW at =
            (JSAMPROW)(uintptr_t)(pixels + (size_t)c.next_scanline * width * (size_t)k->channels);
        jpeg_write_scanlines(&c, &at, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return (bytes){data, n};
}

/* side x side random pixels of 1 or 3 channels, behind so many markers. */
static inline bytes make_jpeg(unsigned side, int channels, bool progressive, int markers)
{
    unsigned char pixels[3 * 64 * 64];
    uint64_t seed = 9;
    assert_true(side <= 64);
    for (size_t i = 0; i < (size_t)side * side * (size_t)channels; i++) {
        pixels[i] = (unsigned char)next_random(&seed);
    }
    return code_jpeg(
        &(jpeg_kind){.channels = channels, .progressive = progressive, .markers = markers}, side,
        side, pixels);
}

static jmp_buf jpeg_failed;

static inline void give_up(j_common_ptr cinfo)
{
    (void)cinfo;
    longjmp(jpeg_failed, 1);
}

static inline void say_nothing(j_common_ptr cinfo)
{
    (void)cinfo;
}

/* What libjpeg itself makes of the pixels, or their codes, chroma as often as it is shared; and
 * whether it warns. False: it gives up. */
static inline bool read_jpeg(const bytes *jpeg, bool codes, unsigned char *pixels, bool *warned)
{
    struct jpeg_decompress_struct c;
    struct jpeg_error_mgr errors;
    c.err = jpeg_std_error(&errors);
    errors.error_exit = give_up;
    errors.output_message = say_nothing;
    jpeg_create_decompress(&c);
    if (setjmp(jpeg_failed)) {
        jpeg_destroy_decompress(&c);
        return false;
    }
    jpeg_mem_src(&c, jpeg->data, jpeg->n);
    jpeg_read_header(&c, TRUE);
    c.out_color_space = codes ? c.jpeg_color_space : c.out_color_space;
    c.do_fancy_upsampling = !codes;
    jpeg_start_decompress(&c);
    while (c.output_scanline < c.output_height) {
        size_t row_bytes = (size_t)c.output_width * (size_t)c.output_components;
        JSAMPROW row = pixels + c.output_scanline * row_bytes;
        jpeg_read_scanlines(&c, &row, 1);
    }
    jpeg_finish_decompress(&c);
    *warned = errors.num_warnings > 0;
    jpeg_destroy_decompress(&c);
    return true;
}

#endif
