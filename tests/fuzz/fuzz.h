/* What the fuzz targets share: see docs/security.md. A broken promise ends the program. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/view.h"

/* The entry of a target, FUZZ_TARGET(decode) { ... }, has the fuzzer's name, or, where all are
 * linked into make check's program of seeds, the target's. */
#ifdef FUZZ_SEEDS
#define FUZZ_ENTRY(name) fuzz_##name
#else
#define FUZZ_ENTRY(name) LLVMFuzzerTestOneInput
#endif
#define FUZZ_TARGET(name)                                   \
    int FUZZ_ENTRY(name)(const uint8_t *data, size_t size); \
    int FUZZ_ENTRY(name)(const uint8_t *data, size_t size)

/* The formats that decode.c's target is for: see there. */
extern const char *fuzz_formats;

#define FUZZ_REQUIRE(condition)                                                     \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

/* A context that is made once, with limits under which an input takes milliseconds. */
static inline satf_context *fuzz_context(void)
{
    static satf_context *ctx;
    if (!ctx) {
        FUZZ_REQUIRE(satf_context_create(&ctx) == SATF_OK);
        FUZZ_REQUIRE(satf_context_set_device(ctx, SATF_HOST) == SATF_OK);
        FUZZ_REQUIRE(satf_context_set_threads(ctx, 1) == SATF_OK);
        FUZZ_REQUIRE(satf_context_set_limit(ctx, SATF_LIMIT_PIXELS, 1 << 18) == SATF_OK);
        FUZZ_REQUIRE(satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1 << 25) == SATF_OK);
    }
    ctx->message[0] = '\0';
    return ctx;
}

/* What new memory holds, see satf_fill_allocations(): no result may tell one from the other. */
enum { FUZZ_FILL = 0x5a, FUZZ_OTHER_FILL = 0xa5 };

/* Success leaves no message, failure one sentence. */
static inline void fuzz_check_status(const satf_context *ctx, satf_status status)
{
    FUZZ_REQUIRE((status == SATF_OK) == (satf_message(ctx)[0] == '\0'));
    FUZZ_REQUIRE(strlen(satf_message(ctx)) < SATF_MESSAGE_BYTES - 1);
}

#endif
