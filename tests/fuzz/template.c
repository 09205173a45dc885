/* Template files: any bytes give rectangles within their limits, or a sentence. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#include "chain/rects.h"

FUZZ_TARGET(template)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("template", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_REQUIRE(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    satf_context *ctx = fuzz_context();
    filter_rects *rects;
    satf_status status = filter_rects_read(ctx, path, &rects);
    fuzz_check_status(ctx, status);
    FUZZ_REQUIRE(status == SATF_OK || status == SATF_DATA);
    FUZZ_REQUIRE(!status == !!rects);
    FUZZ_REQUIRE(!rects || (rects->count > 0 && rects->count <= FILTER_MAX_RECTS));
    for (size_t i = 0; rects && i < rects->count; i++) {
        FUZZ_REQUIRE(!filter_rect_defect(&rects->items[i]));
    }
    filter_rects_release(rects);
    return 0;
}
