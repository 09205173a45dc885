/*
 * The library in one file: example INPUT OUTPUT reads a picture, applies a
 * chain of filters, writes the result, and asks a summed area table for the
 * mean of a rectangle.
 * Build: cc example.c $(pkg-config --cflags --libs satfilter)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <satfilter.h>

/* The mean of the first channel over the middle of the picture, with memory of our own. */
static satf_status print_mean(satf_context *ctx, const satf_view *view)
{
    satf_type type;
    satf_status status = satf_sat_type(ctx, view, 0, &type);
    if (status) {
        return status;
    }
    satf_view sat = satf_view_packed(NULL, view->width, view->height, view->channels, type);
    sat.data = malloc((size_t)(sat.stride * sat.height));
    if (!sat.data) {
        return SATF_NO_MEMORY;
    }
    const satf_rect middle = {view->width / 4, view->height / 4, (view->width + 1) / 2,
                              (view->height + 1) / 2};
    union {
        uint32_t u32[SATF_MAX_CHANNELS];
        uint64_t u64[SATF_MAX_CHANNELS];
        double f64[SATF_MAX_CHANNELS];
    } sums;
    status = satf_sat(ctx, view, &sat, 0);
    if (!status) {
        status = satf_rect_sums(ctx, &sat, &middle, 1, 0, 0, &sums); /* four reads, however large */
    }
    if (!status) {
        double sum = type == SATF_U32   ? (double)sums.u32[0]
                     : type == SATF_U64 ? (double)sums.u64[0]
                                        : sums.f64[0];
        printf("mean of the middle %" PRId64 " x %" PRId64 " pixels: %.3f\n", middle.w, middle.h,
               sum / ((double)middle.w * (double)middle.h));
    }
    free(sat.data);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: example INPUT OUTPUT\n");
        return 2;
    }
    satf_context *ctx = NULL;
    satf_filter *filter = NULL;
    satf_image *in = NULL, *out = NULL;

    /* After a failure everything that follows is skipped, and the message says what it was. */
    satf_status status = satf_context_create(&ctx);
    if (!status)
        status = satf_filter_parse(ctx, "box=15,border=mirror stddev=7", &filter);
    if (!status)
        status = satf_image_read(ctx, argv[1], &in);
    if (!status)
        status = print_mean(ctx, satf_image_view(in));
    if (!status)
        status = satf_filter_image(ctx, filter, in, SATF_TYPE_AUTO, &out);
    if (!status)
        status = satf_image_write(ctx, out, argv[2], NULL);
    if (status)
        fprintf(stderr, "example: %s: %s\n", satf_status_name(status), satf_message(ctx));

    satf_image_destroy(out);
    satf_image_destroy(in);
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return status ? 1 : 0;
}
