/* Errors and their messages. */
#include <stdarg.h>

#include "context.h"

const char *satf_status_name(satf_status status)
{
    switch (status) {
    case SATF_OK:
        return "SATF_OK";
    case SATF_INVALID:
        return "SATF_INVALID";
    case SATF_NO_MEMORY:
        return "SATF_NO_MEMORY";
    case SATF_LIMIT:
        return "SATF_LIMIT";
    case SATF_UNSUPPORTED:
        return "SATF_UNSUPPORTED";
    case SATF_DATA:
        return "SATF_DATA";
    case SATF_IO:
        return "SATF_IO";
    case SATF_NO_DEVICE:
        return "SATF_NO_DEVICE";
    case SATF_DEVICE_FAILED:
        return "SATF_DEVICE_FAILED";
    case SATF_CANCELLED:
        return "SATF_CANCELLED";
    }
    return "unknown status";
}

satf_status satf_fail(satf_context *ctx, satf_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    satf_vtext(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    return status;
}

satf_status satf_check_given(satf_context *ctx, const void *first, const char *what,
                             const void *second, const char *other)
{
    return !ctx              ? SATF_INVALID
           : first && second ? SATF_OK
                             : satf_fail(ctx, SATF_INVALID, "the %s missing", first ? other : what);
}

satf_status satf_fail_memory(satf_context *ctx, size_t bytes, const char *what)
{
    return satf_fail(ctx, SATF_NO_MEMORY, "out of memory: %zu bytes wanted for %s", bytes, what);
}
