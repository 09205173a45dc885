/* The messages of satbench when it fails. */
#include <stdarg.h>

#include "bench.h"

int bench_error(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char text[2048], shown[2048];
    vsnprintf(text, sizeof text, format, args);
    satf_text_escape(text, shown, sizeof shown);
    fprintf(stderr, "satbench: %s\n", shown);
    va_end(args);
    return status;
}

int usage_error(const char *subject, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return bench_error(EXIT_USAGE, "%s%s%s", subject ? subject : "", subject ? ": " : "", text);
}

int bench_call_error(bench *b, satf_status status, const char *what)
{
    return bench_error(status == SATF_INVALID ? 2 : 1, "%s: %s", what, satf_message(b->ctx));
}

const char *bench_device_kind(const bench *b)
{
    return b->options.device != SATF_HOST ? "cuda" : "cpu";
}
