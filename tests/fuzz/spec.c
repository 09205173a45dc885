/*
 * The filter parser: any text gives a chain or a sentence, and a chain gives the
 * same integers by either engine on a small picture.
 */
#include <unistd.h>

#include "fuzz.h"

#include "filter/filter.h"

enum { WIDTH = 7, HEIGHT = 5, CHANNELS = 2, LINKS = 3 };

/* Templates are read from the current folder alone. */
static bool stays_here(const char *text)
{
    return !strchr(text, '/') && !strstr(text, "fuzz");
}

static satf_status apply(satf_context *ctx, const satf_filter *filter, satf_engine engine,
                         const satf_view *in, unsigned char **out, size_t *bytes)
{
    satf_view view;
    satf_context_set_engine(ctx, engine);
    satf_status status = satf_filter_output(ctx, filter, in, &view);
    if (status) {
        return status;
    }
    *bytes = (size_t)(view.stride * view.height);
    *out = satf_alloc_zeroed(*bytes);
    FUZZ_REQUIRE(*out);
    view.data = *out;
    return satf_filter_apply(ctx, filter, in, &view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text);
    memcpy(text, data, size);
    text[size] = '\0';
    satf_context *ctx = fuzz_context();
    satf_filter *filter = NULL;
    if (stays_here(text)) {
        satf_status status = satf_filter_parse(ctx, text, &filter);
        fuzz_check_status(ctx, status);
        FUZZ_REQUIRE(!status == !!filter);
    }
    free(text);
    if (filter && filter_count(filter) <= LINKS) {
        uint8_t pixels[WIDTH * HEIGHT * CHANNELS];
        for (size_t i = 0; i < sizeof pixels; i++) {
            pixels[i] = (uint8_t)(i * 37 + i / 5);
        }
        satf_view in = satf_view_packed(pixels, WIDTH, HEIGHT, CHANNELS, SATF_U8);
        unsigned char *automatic = NULL, *by_table = NULL;
        size_t bytes = 0, table_bytes = 0;
        satf_status status = apply(ctx, filter, SATF_ENGINE_AUTO, &in, &automatic, &bytes);
        fuzz_check_status(ctx, status);
        ctx->message[0] = '\0';
        satf_status other = apply(ctx, filter, SATF_ENGINE_SAT, &in, &by_table, &table_bytes);
        fuzz_check_status(ctx, other);
        FUZZ_REQUIRE(status == other && bytes == table_bytes);
        /* Behind a filter that makes floats the engines' bounds differ, see docs/design.md. */
        if (!status && filter_count(filter) == 1) {
            FUZZ_REQUIRE(memcmp(automatic, by_table, bytes) == 0);
        }
        satf_free(automatic);
        satf_free(by_table);
    }
    satf_filter_destroy(filter);
    return 0;
}
