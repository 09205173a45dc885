/* The tuner's file: any text is refused or reads the same when it is printed again. */
#include "fuzz.h"

#include "sat/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sat_cache_key key = {.signature = 1, .device = "some device", .driver = 12};
    static sat_cache cache, again;
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text);
    memcpy(text, data, size);
    text[size] = '\0';
    bool good = sat_cache_parse(text, &key, &cache);
    free(text);
    FUZZ_REQUIRE(cache.count >= 0 && cache.count <= SAT_CACHE_CHOICES);
    if (good) {
        char *printed = sat_cache_print(&cache, &key);
        FUZZ_REQUIRE(printed && sat_cache_parse(printed, &key, &again));
        FUZZ_REQUIRE(again.count == cache.count);
        char *twice = sat_cache_print(&again, &key);
        FUZZ_REQUIRE(twice && strcmp(printed, twice) == 0);
        satf_free(printed);
        satf_free(twice);
    } else {
        FUZZ_REQUIRE(cache.count == 0);
    }
    return 0;
}
