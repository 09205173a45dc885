/* The tuner's file: any text is refused or is what is printed anew. */
#include "fuzz.h"

#include "sat/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sat_cache_key key = {.table = "1", .device = "some device", .driver = "12"};
    static sat_cache cache, none;
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text);
    memcpy(text, data, size);
    text[size] = '\0';
    bool good = sat_cache_parse(text, &key, &cache);
    FUZZ_REQUIRE(good || memcmp(&cache, &none, sizeof cache) == 0);
    if (good) {
        char *printed = sat_cache_print(&cache, &key);
        FUZZ_REQUIRE(printed && strcmp(printed, text) == 0);
        for (int i = 0; i < SAT_TUNED; i++) {
            FUZZ_REQUIRE(cache.r[i] >= 0 && cache.r[i] < 1);
        }
        satf_free(printed);
    }
    free(text);
    return 0;
}
