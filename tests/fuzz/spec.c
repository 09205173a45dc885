/*
 * The filter parser: any text gives a chain or a sentence. A chain is printed as it is parsed, and
 * gives the same integers by either engine on a small picture, whatever the memory held before.
 */
#include <unistd.h>

#include "fuzz.h"

#include "chain/filter.h"

enum { WIDTH = 7, HEIGHT = 5, CHANNELS = 2, LINKS = 3 };

/* Templates are read from the current folder alone. */
static bool stays_here(const char *text)
{
    return !strchr(text, '/') && !strstr(text, "fuzz");
}

static satf_status apply(satf_context *ctx, const satf_filter *filter, satf_engine engine, int fill,
                         const satf_view *in, unsigned char **out, size_t *bytes)
{
    satf_view view;
    satf_fill_allocations(fill);
    satf_context_set_engine(ctx, engine);
    if (satf_filter_check_engine(ctx, filter)) { /* it has no tables */
        satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
        ctx->message[0] = '\0';
    }
    satf_status status = satf_filter_output(ctx, filter, in, &view);
    if (status) {
        return status;
    }
    *bytes = (size_t)(view.stride * view.height);
    *out = satf_alloc(*bytes);
    FUZZ_REQUIRE(*out);
    view.data = *out;
    return satf_filter_apply(ctx, filter, in, &view);
}

static void compare(satf_context *ctx, const satf_filter *filter)
{
    static const struct {
        satf_engine engine;
        int fill;
    } ways[] = {{SATF_ENGINE_AUTO, FUZZ_FILL},
                {SATF_ENGINE_AUTO, FUZZ_OTHER_FILL},
                {SATF_ENGINE_SAT, FUZZ_FILL}};
    enum { WAYS = sizeof ways / sizeof *ways };
    uint8_t pixels[WIDTH * HEIGHT * CHANNELS];
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = (uint8_t)(i * 37 + i / 5);
    }
    satf_view in = satf_view_packed(pixels, WIDTH, HEIGHT, CHANNELS, SATF_U8);
    satf_status status[WAYS];
    unsigned char *out[WAYS] = {NULL};
    size_t bytes[WAYS] = {0};
    for (int i = 0; i < WAYS; i++) {
        ctx->message[0] = '\0';
        status[i] = apply(ctx, filter, ways[i].engine, ways[i].fill, &in, &out[i], &bytes[i]);
        fuzz_check_status(ctx, status[i]);
        FUZZ_REQUIRE(status[i] == status[0] && bytes[i] == bytes[0]);
        /* Behind a filter that makes floats the engines' bounds differ, see docs/numbers.md. */
        if (!status[0] && (ways[i].engine == SATF_ENGINE_AUTO || filter_count(filter) == 1)) {
            FUZZ_REQUIRE(memcmp(out[i], out[0], bytes[0]) == 0);
        }
    }
    for (int i = 0; i < WAYS; i++) {
        satf_free(out[i]);
    }
}

/* What is printed is parsed, and printed as it was, unless it came from a file. */
static void check_print(satf_context *ctx, const satf_filter *filter)
{
    size_t bytes = satf_filter_print(filter, NULL, 0) + 1;
    char *text = malloc(bytes), *again = malloc(bytes);
    FUZZ_REQUIRE(text && again);
    satf_filter_print(filter, text, bytes);
    if (!strstr(text, "FILE")) {
        satf_filter *read = NULL;
        FUZZ_REQUIRE(satf_filter_parse(ctx, text, &read) == SATF_OK);
        FUZZ_REQUIRE(satf_filter_print(read, again, bytes) + 1 == bytes);
        FUZZ_REQUIRE(strcmp(text, again) == 0);
        satf_filter_destroy(read);
    }
    free(text);
    free(again);
}

FUZZ_TARGET(spec)
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
    if (filter) {
        check_print(ctx, filter);
    }
    if (filter && filter_count(filter) <= LINKS) {
        compare(ctx, filter);
    }
    satf_filter_destroy(filter);
    return 0;
}
