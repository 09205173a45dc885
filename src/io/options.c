/* Options that programs hand in. */
#include <string.h>

#include "codec.h"

void satf_write_options_init(satf_write_options *options, size_t bytes)
{
    satf_write_options all = {.bytes = bytes, .type = SATF_TYPE_AUTO, .png_level = 1};
    satf_give(options, bytes, &all, sizeof all);
}

satf_status io_take_struct(satf_context *ctx, const char *name, const void *given, void *all,
                           size_t bytes)
{
    size_t given_bytes = 0;
    if (!given) {
        return SATF_OK;
    }
    memcpy(&given_bytes, given, sizeof given_bytes);
    if (given_bytes < sizeof given_bytes) {
        return satf_fail(ctx, SATF_INVALID, "%s was not set by %s_init()", name, name);
    }
    memcpy(all, given, given_bytes < bytes ? given_bytes : bytes);
    return SATF_OK;
}

satf_status io_take_options(satf_context *ctx, const satf_write_options *given,
                            satf_write_options *all)
{
    satf_write_options_init(all, sizeof *all);
    return io_take_struct(ctx, "satf_write_options", given, all, sizeof *all);
}
