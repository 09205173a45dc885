/* PNGs that libpng has written, and damaged ones, whose pixels the library takes out itself. */
#include "test_png_files.h"

#include "base/cpu.h"

/* What libpng has written with each filter, in chunks that end anywhere, is read as it was. */
static void test_reading(void **state)
{
    static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                                  PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
    satf_context *ctx = *state;
    for (int kind = 0; kind < 8; kind++) {
        for (int64_t width = 1; width <= 70; width += width < 20 ? 1 : 7) {
            for (int k = 0; k < 6; k++) {
                satf_image *image = make_kind(ctx, kind, width, 5 + width % 3);
                bytes file = by_libpng_as(image, 3, filters[k], (size_t)(6 + width * 3 + k));
                satf_image *read = must_decode(ctx, file.data, file.n);
                assert_same_pixels("libpng's", &image->view, &read->view);
                satf_image_destroy(read);
                satf_image_destroy(image);
                free(file.data);
            }
        }
    }
}

/* The file with another chunk, or several, put in at an offset. */
static bytes with_bytes(const bytes *file, size_t at, const void *more, size_t n)
{
    bytes made = {malloc(file->n + n), file->n + n};
    memcpy(made.data, file->data, at);
    memcpy(made.data + at, more, n);
    memcpy(made.data + at + n, file->data + at, file->n - at);
    return made;
}

static void set_sum(unsigned char *chunk)
{
    uint32_t n = png_get_uint_32(chunk);
    png_save_uint_32(chunk + 8 + n, (png_uint_32)crc32(0, chunk + 4, n + 4));
}

/* Kinds that libpng expands and kinds that it does not take the same: bytes behind the stream and
 * empty chunks cost nothing; a wrong checksum, of a chunk or of the stream, is an error, as is a
 * stream that ends early. */
static void test_damage(void **state)
{
    satf_context *ctx = *state;
    satf_image *read, *images[] = {make_kind(ctx, 0, 20, 9), make_bilevel(ctx, 20, 9)};
    for (int i = 0; i < 2; i++) {
        static const unsigned char empty[] = "\0\0\0\0IDAT\x35\xaf\x06\x1e";
        bytes file = encode_at(ctx, images[i], 6);
        size_t idat = 8 + 25, n = png_get_uint_32(file.data + idat), end = idat + 12 + n;
        assert_memory_equal(file.data + idat + 4, "IDAT", 4);
        for (int side = 0; side < 2; side++) {
            bytes more = with_bytes(&file, side ? end : idat, empty, 12);
            read = must_decode(ctx, more.data, more.n);
            assert_same_pixels("an empty chunk", &images[i]->view, &read->view);
            satf_image_destroy(read);
            free(more.data);
        }
        bytes longer = with_bytes(&file, end - 4, "abcdefg", 7);
        png_save_uint_32(longer.data + idat, (png_uint_32)n + 7);
        set_sum(longer.data + idat);
        read = must_decode(ctx, longer.data, longer.n);
        assert_same_pixels("bytes behind the stream", &images[i]->view, &read->view);
        satf_image_destroy(read);
        free(longer.data);
        file.data[end - 1] ^= 1; /* of the chunk's checksum */
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &read), SATF_DATA);
        file.data[end - 1] ^= 1;
        file.data[end - 5] ^= 1; /* of Adler's sum */
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &read), SATF_DATA);
        set_sum(file.data + idat);
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &read), SATF_DATA);
        file.data[end - 5] ^= 1;
        for (size_t less = 1; less < n; less++) {
            bytes cut = with_bytes(&file, 0, "", 0);
            memmove(cut.data + end - 4 - less, cut.data + end - 4, cut.n - end + 4);
            cut.n -= less;
            png_save_uint_32(cut.data + idat, (png_uint_32)(n - less));
            set_sum(cut.data + idat);
            assert_int_equal(satf_image_decode(ctx, cut.data, cut.n, &read), SATF_DATA);
            free(cut.data);
        }
        free(file.data);
        satf_image_destroy(images[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reading, new_context, free_context),
        cmocka_unit_test_setup_teardown(test_damage, new_context, free_context),
    };
    int failures = 0;
    for (int isa = 0; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        failures += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failures;
}
