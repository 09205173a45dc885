/* The records of results/h200, which the build makes strings of. */
#include <string.h>

#include "bench_paper.h"

static const struct {
    const char *file, *json;
} records[] = {
#include "tools/bench_paper_records.def"
};

const char *paper_record(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        const char *file = records[i].file;
        if (strncmp(file, name, length) == 0 && strcmp(file + length, ".json") == 0) {
            return records[i].json;
        }
    }
    return NULL;
}
