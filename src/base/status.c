/* Errors and their messages. */
#include <stdarg.h>
#include <stdio.h>

#include "context.h"

static const char *const status_names[] = {
    [SATF_OK] = "SATF_OK",
    [SATF_INVALID] = "SATF_INVALID",
    [SATF_NO_MEMORY] = "SATF_NO_MEMORY",
    [SATF_LIMIT] = "SATF_LIMIT",
    [SATF_UNSUPPORTED] = "SATF_UNSUPPORTED",
    [SATF_DATA] = "SATF_DATA",
    [SATF_IO] = "SATF_IO",
    [SATF_NO_DEVICE] = "SATF_NO_DEVICE",
    [SATF_DEVICE_FAILED] = "SATF_DEVICE_FAILED",
    [SATF_CANCELLED] = "SATF_CANCELLED",
};

const char *satf_status_name(satf_status status)
{
    size_t index = (size_t)status;
    return index < sizeof status_names / sizeof *status_names ? status_names[index]
                                                              : "unknown status";
}

satf_status satf_fail(satf_context *ctx, satf_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    return status;
}

satf_status satf_fail_memory(satf_context *ctx, size_t bytes, const char *what)
{
    return satf_fail(ctx, SATF_NO_MEMORY, "out of memory: %zu bytes wanted for %s", bytes, what);
}
