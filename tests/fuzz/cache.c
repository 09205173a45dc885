/* The tuner's file: any text is refused or is what is printed anew. */
#include "fuzz.h"

#include "sat/cache.h"

FUZZ_TARGET(cache)
{
    static sat_cache cache, none;
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (sat_cache_parse(text, &cache)) {
        char *printed = sat_cache_print(&cache);
        FUZZ_REQUIRE(printed && strcmp(printed, text) == 0 && cache.start_ms >= 0);
        for (int i = 0; i < SAT_TUNED; i++) {
            FUZZ_REQUIRE(cache.r[i] >= 0 && cache.r[i] < 1);
        }
        satf_free(printed);
    } else {
        FUZZ_REQUIRE(memcmp(&cache, &none, sizeof cache) == 0);
    }
    free(text);
    return 0;
}
