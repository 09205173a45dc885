/* JPEGs such as satfilter does not write. */
#ifndef TEST_IO_JPEG_H
#define TEST_IO_JPEG_H

#include "test.h"
#include "test_io_files.h"

#include <jpeglib.h>

/* side x side random pixels of 1 or 3 channels, behind so many markers of 60,000 bytes. */
static inline bytes make_jpeg(unsigned side, int channels, bool progressive, int markers)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long n = 0;
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &data, &n);
    c.image_width = c.image_height = side;
    c.input_components = channels;
    c.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&c);
    if (progressive) {
        jpeg_simple_progression(&c);
    }
    jpeg_start_compress(&c, TRUE);
    static const JOCTET comment[60000];
    for (int i = 0; i < markers; i++) {
        jpeg_write_marker(&c, JPEG_APP0 + 1, comment, sizeof comment);
    }
    uint64_t seed = 9;
    while (c.next_scanline < c.image_height) {
        unsigned char row[3 * 64];
        JSAMPROW at = row;
        size_t samples = side * (size_t)channels;
        assert_true(samples <= sizeof row);
        for (size_t i = 0; i < samples; i++) {
            row[i] = (unsigned char)next_random(&seed);
        }
        jpeg_write_scanlines(&c, &at, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return (bytes){data, n};
}

#endif
