/* Template files: any bytes give rectangles within their limits, or a sentence. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#include "filter/chain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("template", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_REQUIRE(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    satf_context *ctx = fuzz_context();
    filter_values values = {0};
    satf_status status = filter_read_template(ctx, path, &values);
    fuzz_check_status(ctx, status);
    FUZZ_REQUIRE(status == SATF_OK || status == SATF_DATA);
    FUZZ_REQUIRE(!status == (values.rect_count > 0) && values.rect_count <= FILTER_MAX_RECTS);
    for (size_t i = 0; i < values.rect_count; i++) {
        FUZZ_REQUIRE(!filter_rect_defect(&values.rects[i]));
    }
    satf_free(values.rects);
    return 0;
}
